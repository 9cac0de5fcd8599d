// Command solvers compares the methods that solve the equations of an implicit step, on the
// paper's models, as the tables of docs/integrators.md:
//
//	go run ./internal/benchmarks/solvers
//
// The first table takes steps, each from a draw of a run with default settings and a fresh
// momentum: iterations, failures, and steps that a step back does not undo. The second runs hamc
// with each method and no other settings but the integrator: time per effective draw.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/generated/banana"
	"github.com/hamc-dev/hamc/generated/fitzhugh_nagumo"
	"github.com/hamc-dev/hamc/generated/funnel"
	"github.com/hamc-dev/hamc/generated/logistic"
	"github.com/hamc-dev/hamc/internal/benchmarks"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/ode"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

func main() {
	scale := flag.Float64("scale", 1, "number of steps in terms of the default")
	only := flag.String("only", "", "the model of that name alone")
	table := flag.String("table", "both", "steps, runs or both")
	flag.Parse()
	if !slices.Contains([]string{"steps", "runs", "both"}, *table) {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*scale, *only, *table); err != nil {
		fmt.Fprintln(os.Stderr, "solvers:", err)
		os.Exit(1)
	}
}

// workload is a model and the step sizes to try.
type workload struct {
	model runtime.Model
	sizes map[runtime.Integrator][]float64
	steps int
	start runtime.Point // nil for a random one
	flags []string      // of hamc run
}

// methods are what is compared, by integrator; the first is the one that others are
// compared with.
var methods = []struct {
	integrator runtime.Integrator
	methods    []runtime.Method
}{
	{runtime.IMb, []runtime.Method{runtime.FixedPoint, runtime.Anderson, runtime.Newton}},
	{runtime.GLFb, []runtime.Method{runtime.FixedPoint, runtime.Newton}},
}

func run(scale float64, only, table string) error {
	h, err := benchmarks.BuildHamc()
	if err != nil {
		return err
	}
	defer h.Remove()
	var work []workload
	add := func(m runtime.Model, err error, steps int, start runtime.Point, im, glf []float64, flags ...string) error {
		if err != nil {
			return err
		}
		name := m.Info().Name
		if only != "" && only != name {
			return nil
		}
		c, err := withCurvature(h.Root, m)
		work = append(work, workload{c, map[runtime.Integrator][]float64{runtime.IMb: im, runtime.GLFb: glf},
			int(math.Ceil(scale * float64(steps))), start, flags})
		return err
	}
	b, err := load(h.Root, "banana", banana.ReadData, banana.New)
	if err := add(b, err, 20_000, nil, []float64{0.06, 0.12, 0.2, 0.3}, []float64{0.03, 0.06, 0.1}); err != nil {
		return err
	}
	f, err := funnel.New(funnel.Data{})
	if err := add(f, err, 2000, nil, []float64{0.2, 0.4, 0.8}, []float64{0.1, 0.2, 0.4}, "--draws", "500"); err != nil {
		return err
	}
	l, err := load(h.Root, "logistic", logistic.ReadData, logistic.New)
	if err := add(l, err, 400, nil, []float64{0.3, 0.6, 0.9, 1.2}, []float64{0.2, 0.4, 0.6}, "--draws", "150", "--warmup", "150"); err != nil {
		return err
	}
	n, err := load(h.Root, "fitzhugh_nagumo", fitzhugh_nagumo.ReadData, fitzhugh_nagumo.New)
	if err := add(n, err, 40, runtime.Point{0.2, 0.2, 3}, []float64{0.5, 1, 1.5}, []float64{0.3, 0.6, 0.9}, "--draws", "250", "--warmup", "250"); err != nil {
		return err
	}
	if table != "runs" {
		if err := stepTable(work); err != nil {
			return err
		}
	}
	if table != "steps" {
		return runTable(h, work)
	}
	return nil
}

// stepTable prints the first table.
func stepTable(work []workload) error {
	fmt.Println("| model | integrator | ε | method | iterations | failed | suspect | irreversible | of these, not suspect |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for i := range work {
		if err := work[i].stepRows(); err != nil {
			return err
		}
	}
	return nil
}

// runTable prints the second table.
func runTable(h *benchmarks.Hamc, work []workload) error {
	fmt.Println("\n| model | integrator | method | step size | steps per draw | iterations per step | failed | irreversible | ms per effective draw | ratio |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for i := range work {
		if err := work[i].runRows(h); err != nil {
			return err
		}
	}
	return nil
}

// load makes a generated model on the data of its example.
func load[D any, M runtime.Model](root, name string, read func(io.Reader, string) (D, error), make func(D) (M, error)) (runtime.Model, error) {
	path := filepath.Join(root, "examples", name+".data.json")
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, err := read(f, path)
	if err != nil {
		return nil, err
	}
	return make(d)
}

// curved is a generated model with the second derivatives of the evaluator: the steps that
// are counted do not ask how long they take.
type curved struct {
	runtime.Model
	second runtime.Curved
}

func (c curved) Curvature(out, q, w []float64) { c.second.Curvature(out, q, w) }
func (c curved) Clone() runtime.Model {
	return curved{c.Model.Clone(), c.second.Clone().(runtime.Curved)}
}

// SolveStatus implements runtime.Solves.
func (c curved) SolveStatus() runtime.Status {
	if s, ok := c.Model.(runtime.Solves); ok {
		return s.SolveStatus()
	}
	return runtime.OK
}

func withCurvature(root string, m runtime.Model) (runtime.Model, error) {
	path := filepath.Join(root, "examples", m.Info().Name+".ham")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	model, diagnostics := dsl.Load(path, string(text), dsl.Options{})
	if model == nil {
		return nil, diagnostics
	}
	d, _ := symbolic.DeriveCurved(model)
	if d == nil {
		return nil, fmt.Errorf("%s has no second derivatives", path)
	}
	var data io.Reader
	if f, err := os.Open(filepath.Join(root, "examples", m.Info().Name+".data.json")); err == nil {
		defer f.Close()
		data = f
	}
	p, err := interpret.New(d, data, path)
	if err != nil {
		return nil, err
	}
	if s, ok := p.(interface{ SetODE(ode.Options) }); ok {
		s.SetODE(ode.Options{})
	}
	return curved{m, p.(runtime.Curved)}, nil
}

// stepRows prints the rows of a model in the first table.
func (w *workload) stepRows() error {
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Draws = 1, min(w.steps, 2000)
	if w.start != nil { // an expensive one
		opt.Init = []runtime.Point{w.start}
		opt.StepSize, opt.Steps, opt.Warmup = 1, 2, 20
	}
	name := w.model.Info().Name
	own := w.model.(curved).Model
	drawn, err := runtime.Sample(context.Background(), own, opt, nil)
	if err != nil {
		return err
	}
	m := w.model.Info().Dim()
	x, q, p := make([]float64, m), make([]float64, m), make([]float64, m)
	q0, off := make([]float64, m), make([]float64, m)
	for _, k := range methods {
		for _, eps := range w.sizes[k.integrator] {
			for _, method := range k.methods {
				s := opt.Solver
				s.Method = method
				g := runtime.Generic(w.model) // which has all methods for any number of coordinates
				step, err := runtime.Stepper(g, k.integrator, method)
				if err != nil {
					return err
				}
				rng := rand.New(rand.NewPCG(1, 1))
				iterations, failed, suspect, irreversible, silent := 0, 0, 0, 0, 0
				for i := range w.steps {
					for j := range x {
						x[j] = drawn.Chains[0].Draws[j][i%opt.Draws]
					}
					if err := w.model.Unconstrain(q, x); err != nil {
						return err
					}
					for j := range p {
						p[j] = rng.NormFloat64()
					}
					if st := g.DrawMomentum(p, q); st != runtime.OK {
						return fmt.Errorf("%s: no momentum at a draw: %v", name, st)
					}
					copy(q0, q)
					r := step(q, p, eps, &s)
					iterations += r.Iterations
					if r.Status != runtime.OK {
						failed++
						continue
					}
					doubt := r.Suspect || r.Iterations >= s.FirstCheck()
					if doubt {
						suspect++
					}
					back := step(q, p, -eps, &s)
					for j := range q {
						off[j] = q[j] - q0[j]
					}
					far, st := s.Norm.Distance(g, q0, off, nil)
					if st != runtime.OK {
						return fmt.Errorf("%s: no metric at a draw: %v", name, st)
					}
					if back.Status != runtime.OK || !(far <= runtime.ReverseTolerance(&s)) {
						irreversible++
						if !doubt {
							silent++
						}
					}
				}
				n := float64(w.steps)
				fmt.Printf("| %s | %v | %g | %v | %.1f | %.1f %% | %.1f %% | %d | %d |\n", name, k.integrator, eps, method,
					float64(iterations)/n, 100*float64(failed)/n, 100*float64(suspect)/n, irreversible, silent)
			}
		}
	}
	return nil
}

// runRows prints the rows of a model in the second table.
func (w *workload) runRows(h *benchmarks.Hamc) error {
	name := w.model.Info().Name
	var rows []string
	var costs []float64 // milliseconds per effective draw
	standard := 0       // the row of the defaults
	for _, k := range methods {
		for _, method := range k.methods {
			flags := append([]string{"--integrator", k.integrator.String(), "--solver", method.String()}, w.flags...)
			o, err := h.Run(filepath.Join("examples", name+".ham"), flags...)
			if err != nil {
				return err
			}
			if k.integrator == runtime.IMb && method == runtime.DefaultMethod.Resolve(w.model.Info().Dim()) {
				standard = len(rows)
			}
			costs = append(costs, 1000*o.Seconds/o.Bulk)
			rows = append(rows, fmt.Sprintf("| %s | %v | %v | %.2g | %.1f | %.1f | %.1f %% | %d |", name, k.integrator, method,
				o.Mean("stepsize__"), o.Mean("n_leapfrog__"), o.Mean("solver_iterations__")/o.Mean("n_leapfrog__"),
				100*o.Failed, o.Irreversible))
		}
	}
	for i, row := range rows {
		fmt.Printf("%s %.2g | %.2f |\n", row, costs[i], costs[i]/costs[standard])
	}
	return nil
}
