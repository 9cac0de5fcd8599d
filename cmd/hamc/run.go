package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/sampler"
	"github.com/hamc-dev/hamc/cmd/hamc/internal/terminal"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/driver"
)

// runFlags are the settings of `hamc run`.
type runFlags struct {
	data, output, integrator, init, reverse string
	consts                                  []string
	opt                                     runtime.Options
	randomSteps, quiet, overwrite, evaluate bool
}

func newRun(e *env) *cobra.Command {
	f := runFlags{opt: runtime.DefaultOptions()}
	o := &f.opt
	cmd := &cobra.Command{
		Use:   "run MODEL.ham",
		Short: "Compile a model, sample it, and summarise the draws",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.sample(cmd, args[0], &f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.data, "data", "", "`FILE` of data in CmdStan's JSON; default MODEL.data.json beside the model")
	fl.StringVar(&f.output, "output-dir", "", "`DIR` for the draws; default MODEL-draws/1, MODEL-draws/2, …")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace the draws of an earlier run in --output-dir")
	fl.StringVar(&f.integrator, "integrator", "", "glfa, glfb, ima, imb or leapfrog; default imb, or leapfrog where the metric is constant")
	fl.Float64Var(&o.StepSize, "step-size", 0, "step size ε; default: adapted in warm-up")
	fl.Float64Var(&o.TargetAccept, "target-accept", o.TargetAccept, "mean acceptance that the adaptation aims at")
	fl.IntVar(&o.Steps, "steps", 0, "steps per trajectory; default: from the trajectory time and the step size")
	fl.BoolVar(&f.randomSteps, "random-steps", o.RandomSteps, "draw the number of steps uniformly from 1 to --steps")
	fl.Float64Var(&o.Solver.Tolerance, "tol", o.Solver.Tolerance, "tolerance δ of the fixed-point solves, on max|Δ|")
	fl.IntVar(&o.Solver.MaxIterations, "max-iterations", o.Solver.MaxIterations, "limit of one fixed-point solve")
	fl.BoolVar(&o.Solver.StopStalled, "stop-stalled", o.Solver.StopStalled, "give up solves that stop contracting")
	fl.StringVar(&f.reverse, "reverse-check", "suspect", "integrate accepted proposals back: off, suspect (hard solves only) or all")
	fl.IntVar(&o.Chains, "chains", o.Chains, "number of chains")
	fl.IntVar(&o.Draws, "draws", o.Draws, "draws per chain")
	fl.IntVar(&o.Warmup, "warmup", o.Warmup, "warm-up transitions per chain")
	fl.Uint64Var(&o.Seed, "seed", o.Seed, "random seed")
	fl.StringVar(&f.init, "init", "", "`FILE` of starting points in JSON: {\"parameter\": value, …}, or a list with one per chain")
	fl.IntVar(&o.Workers, "workers", 0, "chains that run at the same time; default: the number of cores")
	fl.BoolVar(&f.quiet, "quiet", false, "no progress display")
	fl.BoolVar(&f.evaluate, "evaluate", false, "sample with the evaluator instead of compiled code (slow; needs no Go toolchain)")
	constFlag(cmd, &f.consts)
	return cmd
}

func (e *env) sample(cmd *cobra.Command, path string, f *runFlags) error {
	began := time.Now()
	if f.integrator != "" {
		k, err := runtime.ParseIntegrator(f.integrator)
		if err != nil {
			return err
		}
		f.opt.Integrator = k
	}
	if err := f.opt.ReverseCheck.UnmarshalText([]byte(f.reverse)); err != nil {
		return fmt.Errorf("--reverse-check: %w", err)
	}
	f.opt.RandomSteps = f.randomSteps
	if cmd.Flags().Changed("steps") && !cmd.Flags().Changed("random-steps") {
		f.opt.RandomSteps = false
	}
	m, err := e.load(path, f.consts)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "checked  %s: %s\n", m.name(), describe(m))
	im, err := m.interpreted(f.data) // the data are checked before anything is built
	if err != nil {
		return err
	}
	data, err := m.dataPath(f.data)
	if err != nil {
		return err
	}
	if f.init != "" {
		if f.opt.Init, err = readInit(f.init, im.Info()); err != nil {
			return err
		}
	}
	if err := f.opt.Validate(im.Info()); err != nil {
		return problem{err}
	}
	if f.output == "" {
		if f.output, err = nextOutput(m.name()); err != nil {
			return problem{err}
		}
	}
	request := &driver.Request{Output: f.output, Overwrite: f.overwrite, Options: f.opt}
	if data != "" {
		if request.Data, err = filepath.Abs(data); err != nil {
			return problem{err}
		}
	}
	if request.Output, err = filepath.Abs(f.output); err != nil {
		return problem{err}
	}

	mode := terminal.Auto
	if f.quiet {
		mode = terminal.Quiet
	}
	watch := &watcher{e: e, display: terminal.New(e.stderr, mode, f.opt.Chains)}
	ctx := cmd.Context()
	bin := ""
	if !f.evaluate {
		code, err := m.generate("model")
		if err != nil {
			return err
		}
		fmt.Fprintf(e.stderr, "compiled to %d lines of Go in %v\n", bytes.Count(code, []byte("\n")), time.Since(began).Round(time.Millisecond))
		start := time.Now()
		var cached bool
		bin, cached, err = sampler.Build(ctx, code)
		switch {
		case errors.Is(err, sampler.ErrNoToolchain):
			fmt.Fprintf(e.stderr, "%v; sampling with the evaluator, which is much slower\n", err)
		case err != nil:
			return internal{err}
		case cached:
			fmt.Fprintln(e.stderr, "built    earlier, from the same model")
		default:
			fmt.Fprintf(e.stderr, "built    in %v\n", time.Since(start).Round(10*time.Millisecond))
		}
	}
	if bin == "" {
		_, err = driver.Run(ctx, im, request, watch.event)
	} else {
		err = e.runSampler(ctx, bin, request, watch)
	}
	watch.display.Finish()
	if err != nil {
		return problem{err}
	}
	if watch.done == nil {
		return internal{errors.New("the sampler ended without a result")}
	}
	return e.report(f.output, watch.done)
}

// describe says in a line what a model is.
func describe(m *model) string {
	kind := "dense"
	switch met := m.d.Metric; {
	case met.SoftAbs:
		kind = "SoftAbs"
	case met.Constant && met.Diagonal:
		kind = "constant diagonal"
	case met.Constant:
		kind = "constant"
	case met.Diagonal:
		kind = "diagonal"
	}
	n := len(m.d.Blocks)
	plural := "s"
	if n == 1 {
		plural = ""
	}
	return fmt.Sprintf("%d parameter%s, %s metric", n, plural, kind)
}

// watcher turns the sampler's events into the display.
type watcher struct {
	e       *env
	display *terminal.Display
	done    *driver.Done
	failure string
}

func (w *watcher) event(ev driver.Event) error {
	switch ev.Event {
	case driver.EventProgress:
		p := ev.Progress
		w.display.Update(terminal.ChainProgress{Chain: p.Chain, Phase: p.Phase.String(), Done: p.Done, Total: p.Total,
			Rate: p.Rate, Failures: p.Failures, Divergences: p.Divergent})
	case driver.EventDone:
		w.done = ev.Done
	case driver.EventError:
		w.failure = ev.Error
	}
	return nil
}

// runSampler runs a built sampler as a child process.
func (e *env) runSampler(ctx context.Context, bin string, request *driver.Request, w *watcher) error {
	text, err := json.Marshal(request)
	if err != nil {
		return err
	}
	cmd := exec.Command(bin)
	cmd.Stdin = bytes.NewReader(text)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { cmd.Process.Signal(os.Interrupt) })
	defer stop()
	in := bufio.NewReader(out)
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var ev driver.Event
			if e := json.Unmarshal(line, &ev); e != nil {
				return fmt.Errorf("the sampler wrote %q", line)
			}
			if e := w.event(ev); e != nil {
				return e
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	err = cmd.Wait()
	switch {
	case w.failure != "":
		return errors.New(w.failure)
	case err != nil:
		return fmt.Errorf("the sampler failed: %v\n%s", err, strings.TrimSpace(stderr.String()))
	}
	return nil
}

// nextOutput returns the first MODEL-draws/N that does not exist.
func nextOutput(name string) (string, error) {
	for n := 1; ; n++ {
		dir := filepath.Join(name+"-draws", fmt.Sprint(n))
		_, err := os.Lstat(dir)
		if errors.Is(err, os.ErrNotExist) {
			return dir, nil
		}
		if err != nil {
			return "", err
		}
	}
}

// readInit reads starting points on the parameters' own scale.
func readInit(path string, in *runtime.Info) ([][]float64, error) {
	text, err := readText(path)
	if err != nil {
		return nil, err
	}
	var list []map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		var one map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &one); err != nil {
			return nil, problem{fmt.Errorf("%s: expected {\"parameter\": value, …} or a list of such objects: %v", path, err)}
		}
		list = []map[string]json.RawMessage{one}
	}
	var out [][]float64
	for i, m := range list {
		var x []float64
		for k := range in.Params {
			p := &in.Params[k]
			raw, ok := m[p.Name]
			if !ok {
				return nil, problem{fmt.Errorf("%s: starting point %d has no value for %s", path, i+1, p.Name)}
			}
			var v []float64
			if len(p.Shape) == 0 {
				v = make([]float64, 1)
				err = json.Unmarshal(raw, &v[0])
			} else {
				err = json.Unmarshal(raw, &v)
			}
			if err != nil || len(v) != p.Size() {
				return nil, problem{fmt.Errorf("%s: starting point %d: %s needs %d numbers", path, i+1, p.Name, p.Size())}
			}
			x = append(x, v...)
			delete(m, p.Name)
		}
		for name := range m {
			if len(m) == 1 {
				return nil, problem{fmt.Errorf("%s: starting point %d: the model has no parameter %s", path, i+1, name)}
			}
		}
		if len(m) > 1 {
			return nil, problem{fmt.Errorf("%s: starting point %d has %d names that are no parameters", path, i+1, len(m))}
		}
		out = append(out, x)
	}
	return out, nil
}
