package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// Timing compares one method of one part of a model on both sides.
type Timing struct {
	Model         string  `json:"model"`
	Part          string  `json:"block,omitempty"`
	Method        string  `json:"method"`
	Old           float64 `json:"old_ns"`
	New           float64 `json:"new_ns"`
	Ratio         float64 `json:"ratio"` // new over old, the median over rounds
	Low           float64 `json:"ratio_low"`
	High          float64 `json:"ratio_high"` // quartiles of it
	OldIterations float64 `json:"old_iterations"`
	NewIterations float64 `json:"new_iterations"` // of solves, in a step
	OldFailed     float64 `json:"old_failed"`
	NewFailed     float64 `json:"new_failed"` // share of the trajectories
}

// stepsPerTrajectory is what command probe makes of a repeat of a step.
const stepsPerTrajectory = 5

// A probe is a running program that times one side's models.
type probe struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// A part is a model or a block of one, as probe describes it.
type part struct {
	Model, Part string
	Methods     []string
}

// start builds and starts the program of a side.
func (s *Side) start(ctx context.Context, models []string, workloads string) (*probe, []part, error) {
	if err := s.addProbe(models); err != nil {
		return nil, nil, err
	}
	path := filepath.Join(s.Work, "probe")
	if err := s.build(ctx, "probe", path); err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	p := &probe{cmd, in, bufio.NewReader(out)}
	var parts []part
	_, err = fmt.Fprintln(in, workloads)
	if err == nil {
		var line []byte
		if line, err = p.out.ReadBytes('\n'); err == nil {
			err = json.Unmarshal(line, &parts)
		}
	}
	if err != nil {
		p.stop()
		return nil, nil, fmt.Errorf("program of the %s side: %w", s.Name, err)
	}
	return p, parts, nil
}

// stop ends the program.
func (p *probe) stop() error {
	p.in.Close()
	return p.cmd.Wait()
}

// A window is an answer of a probe.
type window struct {
	took               time.Duration
	iterations, failed int
}

func (p *probe) ask(part int, method string, point, repeats int) (w window, err error) {
	if _, err = fmt.Fprintln(p.in, part, method, point, repeats); err != nil {
		return w, err
	}
	var ns int64
	_, err = fmt.Fscanln(p.out, &ns, &w.iterations, &w.failed)
	w.took = time.Duration(ns)
	return w, err
}

// steps times all methods of all models on both sides. Models that only the new compiler knows are left out.
func steps(ctx context.Context, old, now *Side, sizes []Pair[Size], loads map[string]Workload, rounds int, length time.Duration) ([]Timing, error) {
	var models []string
	for _, s := range sizes {
		if s.Old != nil {
			models = append(models, s.Model)
		}
	}
	text, err := json.Marshal(loads)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(filepath.Dir(old.Work), "workloads.json")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		return nil, err
	}
	a, parts, err := old.start(ctx, models, path)
	if err != nil {
		return nil, err
	}
	defer a.stop()
	b, others, err := now.start(ctx, models, path)
	if err != nil {
		return nil, err
	}
	defer b.stop()
	var out []Timing
	for i, p := range parts {
		j := slices.IndexFunc(others, func(o part) bool { return o.Model == p.Model && o.Part == p.Part })
		if j < 0 {
			return nil, fmt.Errorf("%s: the new side has no part %q", p.Model, p.Part)
		}
		for _, method := range p.Methods {
			if !slices.Contains(others[j].Methods, method) {
				continue
			}
			t, err := compare(a, b, i, j, method, rounds, length)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", p.Model, method, err)
			}
			t.Model, t.Part, t.Method = p.Model, p.Part, method
			out = append(out, *t)
		}
	}
	return out, nil
}

// compare times one method on both sides in turn, in the order old, new, new, old, so that a drift of the machine falls
// on both.
func compare(a, b *probe, i, j int, method string, rounds int, length time.Duration) (*Timing, error) {
	repeats := 1
	for { // until a window of the old side is long enough; the first ones warm up both
		w, err := a.ask(i, method, 0, repeats)
		if err == nil {
			_, err = b.ask(j, method, 0, repeats)
		}
		if err != nil {
			return nil, err
		}
		if w.took >= length/2 || repeats > 1<<30 {
			break
		}
		repeats *= 2
	}
	var ratios []float64
	var times [2][]float64
	var iterations, failed [2]int
	for round := range rounds {
		var sum [2]time.Duration
		for turn := range 4 {
			side, p, part := 0, a, i
			if turn == 1 || turn == 2 {
				side, p, part = 1, b, j
			}
			w, err := p.ask(part, method, round, repeats)
			if err != nil {
				return nil, err
			}
			sum[side] += w.took
			iterations[side] += w.iterations
			failed[side] += w.failed
		}
		ratios = append(ratios, float64(sum[1])/float64(sum[0]))
		for side := range sum {
			times[side] = append(times[side], float64(sum[side].Nanoseconds())/2/float64(repeats))
		}
	}
	t := &Timing{Old: quantile(times[0], 0.5), New: quantile(times[1], 0.5)}
	t.Low, t.Ratio, t.High = quantile(ratios, 0.25), quantile(ratios, 0.5), quantile(ratios, 0.75)
	trajectories := float64(2 * rounds * repeats)
	t.OldFailed, t.NewFailed = float64(failed[0])/trajectories, float64(failed[1])/trajectories
	if isStep(method) {
		t.Old, t.New = t.Old/stepsPerTrajectory, t.New/stepsPerTrajectory
		t.OldIterations = float64(iterations[0]) / trajectories / stepsPerTrajectory
		t.NewIterations = float64(iterations[1]) / trajectories / stepsPerTrajectory
	}
	return t, nil
}

// isStep reports whether a method is an integrator's.
func isStep(method string) bool {
	return method == "imb" || method == "glfb" || method == "leapfrog"
}

// quantile returns a quantile of some values, which it sorts.
func quantile(x []float64, p float64) float64 {
	slices.Sort(x)
	at := p * float64(len(x)-1)
	i := int(at)
	if i+1 == len(x) {
		return x[i]
	}
	return x[i] + (at-float64(i))*(x[i+1]-x[i])
}
