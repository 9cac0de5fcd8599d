// Command probe times the methods of generated models for command house, which builds it in two checkouts, each
// with the models that the compiler there makes, and drives both in turn. It takes nothing of the runtime but what
// is common to the revisions that are compared. Built as it stands it knows no models.
//
// The first line of its input names a file with the workloads. It answers with the parts of the models in JSON, on
// one line. Each further line asks for a window, "model part method point repeats", and is answered by
// "nanoseconds iterations failed".
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	rt "github.com/hamc-dev/hamc/runtime"
)

// stepsPerTrajectory is how many steps are made from a point. A repeat of a step is such a trajectory.
const stepsPerTrajectory = 5

// A model is one generated package.
type model struct {
	name string
	open func(r io.Reader, name string) (rt.Posterior, error)
}

// models are filled in by the file that house writes beside this one.
var models []model

// A workload is where a model is timed: draws of a run, and the step sizes that the run had.
type workload struct {
	Data   string // path, or empty
	Points [][]float64
	Sizes  map[string]float64 // of steps, by block; "" without blocks
}

// A part is a model, or a block of one, with the methods that can be timed.
type part struct {
	Model   string
	Part    string
	Methods []string

	eps    float64
	whole  rt.Posterior
	sys    rt.System      // nil of a model of blocks
	block  rt.Conditional // nil of a whole model
	points [][]float64    // coordinates of the whole model
	own    [][]float64    // coordinates of the part
	p0     [][]float64
	q, p   []float64
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	if !lines.Scan() {
		return lines.Err()
	}
	text, err := os.ReadFile(lines.Text())
	if err != nil {
		return err
	}
	var loads map[string]workload
	if err := json.Unmarshal(text, &loads); err != nil {
		return err
	}
	var parts []*part
	for _, m := range models {
		p, err := m.parts(loads[m.name])
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		parts = append(parts, p...)
	}
	if err := json.NewEncoder(out).Encode(parts); err != nil {
		return err
	}
	for lines.Scan() {
		var i, point, repeats int
		var method string
		if _, err := fmt.Sscan(lines.Text(), &i, &method, &point, &repeats); err != nil {
			return err
		}
		took, iterations, failed := parts[i].window(method, point, repeats)
		fmt.Fprintln(out, took.Nanoseconds(), iterations, failed)
	}
	return lines.Err()
}

// parts opens a model at its workload.
func (m *model) parts(w workload) ([]*part, error) {
	if len(w.Points) == 0 {
		return nil, fmt.Errorf("no points")
	}
	var data io.Reader = strings.NewReader("{}")
	if w.Data != "" {
		f, err := os.Open(w.Data)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		data = f
	}
	post, err := m.open(data, w.Data)
	if err != nil {
		return nil, err
	}
	whole := &part{Model: m.name, Methods: []string{"density", "gradient"}, whole: post}
	for _, x := range w.Points {
		q := make([]float64, post.Info().Dim())
		if err := post.Unconstrain(q, x); err != nil {
			return nil, err
		}
		whole.points = append(whole.points, q)
	}
	parts := []*part{whole}
	switch post := post.(type) {
	case rt.Gibbs:
		for _, b := range post.Blocks() {
			p := &part{Model: m.name, Part: b.Info().Name, Methods: []string{"given"}, whole: post, sys: b, block: b, points: whole.points}
			p.eps = w.Sizes[b.Info().Name]
			parts = append(parts, p)
		}
	case rt.System:
		whole.sys, whole.eps = post, w.Sizes[""]
	}
	for _, p := range parts {
		if err := p.prepare(); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// prepare draws momenta, and says which steps there are.
func (p *part) prepare() error {
	p.q = make([]float64, p.whole.Info().Dim())
	if p.sys == nil {
		return nil
	}
	if p.eps == 0 {
		return fmt.Errorf("no step size of part %q", p.Part)
	}
	p.Methods = append(p.Methods, "imb", "glfb")
	if p.sys.Info().Metric.Constant {
		p.Methods = append(p.Methods, "leapfrog")
	}
	m := p.sys.Info().Dim()
	p.q, p.p = make([]float64, m), make([]float64, m)
	rng := rand.New(rand.NewPCG(1, uint64(m)))
	for _, whole := range p.points {
		own := p.coordinates(whole)
		z := make([]float64, m)
		for i := range z {
			z[i] = rng.NormFloat64()
		}
		if p.block != nil {
			if st := p.block.Given(whole); st != rt.OK {
				return fmt.Errorf("given: %v", st)
			}
		}
		if st := p.sys.DrawMomentum(z, own); st != rt.OK {
			return fmt.Errorf("momentum: %v", st)
		}
		p.own, p.p0 = append(p.own, own), append(p.p0, z)
	}
	return nil
}

// coordinates returns those of the part out of those of the whole model.
func (p *part) coordinates(whole []float64) []float64 {
	at := map[string][]float64{}
	off := 0
	for _, x := range p.whole.Info().Params {
		n := x.Size()
		// Old runtimes know one size of a parameter.
		if two, ok := any(&x).(interface{ Dim() int }); ok {
			n = two.Dim()
		}
		at[x.Name] = whole[off : off+n]
		off += n
	}
	var own []float64
	for _, x := range p.sys.Info().Params {
		own = append(own, at[x.Name]...)
	}
	return own
}

// Sink keeps results alive.
var Sink float64

// window times repeats of a method: evaluations at the points in turn, or trajectories. Trajectories of a block start
// at one point, the others where the parameters of other blocks are not to change meanwhile.
func (p *part) window(method string, point, repeats int) (took time.Duration, iterations, failed int) {
	if p.block != nil {
		p.block.Given(p.points[point%len(p.points)])
	}
	began := time.Now()
	for i := range repeats {
		at := (point + i) % len(p.points)
		switch method {
		case "density":
			Sink = p.whole.LogDensity(p.points[at])
		case "gradient":
			Sink = p.whole.Gradient(p.q, p.points[at])
		case "given":
			p.block.Given(p.points[at])
		default:
			if p.block != nil {
				at = point % len(p.points)
			}
			n, ok := p.trajectory(method, at)
			iterations += n
			if !ok {
				failed++
			}
		}
	}
	return time.Since(began), iterations, failed
}

// trajectory makes steps of a method from a point.
func (p *part) trajectory(method string, at int) (iterations int, ok bool) {
	copy(p.q, p.own[at])
	copy(p.p, p.p0[at])
	solver := rt.Solver{Tolerance: 1e-6, MaxIterations: 1000, StopStalled: true}
	if method == "imb" && len(p.q) > 2 { // as a run has it that chooses no method
		solver.Method = rt.Anderson
	}
	for range stepsPerTrajectory {
		var r rt.StepResult
		switch method {
		case "imb":
			r = p.sys.StepIMb(p.q, p.p, p.eps, &solver)
		case "glfb":
			r = p.sys.StepGLFb(p.q, p.p, p.eps/2, &solver)
		case "leapfrog":
			r = p.sys.StepLeapfrog(p.q, p.p, p.eps)
		}
		iterations += r.Iterations
		if r.Status != rt.OK {
			return iterations, false
		}
	}
	return iterations, true
}
