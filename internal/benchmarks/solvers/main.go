// Command solvers compares the methods that solve the equations of a step of the implicit
// midpoint rule, on the paper's models: iterations, failures, and steps that a step back
// does not undo.
//
//	go run ./internal/benchmarks/solvers
//
// Each step starts from a draw of a run with default settings and a fresh momentum.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"

	"github.com/hamc-dev/hamc/generated/banana"
	"github.com/hamc-dev/hamc/generated/fitzhugh_nagumo"
	"github.com/hamc-dev/hamc/generated/funnel"
	"github.com/hamc-dev/hamc/generated/logistic"
	"github.com/hamc-dev/hamc/runtime"
)

func main() {
	scale := flag.Float64("scale", 1, "number of steps in terms of the default")
	flag.Parse()
	if err := run(*scale); err != nil {
		fmt.Fprintln(os.Stderr, "solvers:", err)
		os.Exit(1)
	}
}

// workload is a model and the step sizes to try.
type workload struct {
	model runtime.Model
	sizes []float64
	steps int
	start runtime.Point // nil for a random one
}

func run(scale float64) error {
	var work []workload
	add := func(m runtime.Model, err error, steps int, start runtime.Point, sizes ...float64) error {
		work = append(work, workload{m, sizes, int(math.Ceil(scale * float64(steps))), start})
		return err
	}
	b, err := load("banana", banana.ReadData, banana.New)
	if err := add(b, err, 20_000, nil, 0.06, 0.12, 0.2, 0.3); err != nil {
		return err
	}
	f, err := funnel.New(funnel.Data{})
	if err := add(f, err, 2000, nil, 0.2, 0.4, 0.8); err != nil {
		return err
	}
	l, err := load("logistic", logistic.ReadData, logistic.New)
	if err := add(l, err, 1000, nil, 0.3, 0.6, 0.9, 1.2); err != nil {
		return err
	}
	n, err := load("fitzhugh_nagumo", fitzhugh_nagumo.ReadData, fitzhugh_nagumo.New)
	if err := add(n, err, 40, runtime.Point{0.2, 0.2, 3}, 0.5, 1, 1.5); err != nil {
		return err
	}
	fmt.Println("| model | ε | method | iterations | per unit of time | failed | irreversible | of these, below 16 iterations |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for i := range work {
		if err := work[i].compare(); err != nil {
			return err
		}
	}
	return nil
}

// load makes a generated model on the data of its example.
func load[D any, M runtime.Model](name string, read func(io.Reader, string) (D, error), make func(D) (M, error)) (runtime.Model, error) {
	path := "examples/" + name + ".data.json"
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("run this in the root of the repository: %w", err)
	}
	defer f.Close()
	d, err := read(f, path)
	if err != nil {
		return nil, err
	}
	return make(d)
}

// compare prints the rows of a model.
func (w *workload) compare() error {
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Draws = 1, min(w.steps, 2000)
	if w.start != nil { // an expensive one
		opt.Init = []runtime.Point{w.start}
		opt.StepSize, opt.Steps, opt.Warmup = 1, 2, 20
	}
	drawn, err := runtime.Sample(context.Background(), w.model, opt, nil)
	if err != nil {
		return err
	}
	g := runtime.Generic(w.model) // which has all methods for any number of coordinates
	m := w.model.Info().Dim()
	x, q, p := make([]float64, m), make([]float64, m), make([]float64, m)
	q0 := make([]float64, m)
	for _, eps := range w.sizes {
		for _, method := range []runtime.Method{runtime.FixedPoint, runtime.Anderson} {
			s := opt.Solver
			s.Method = method
			rng := rand.New(rand.NewPCG(1, 1))
			iterations, failed, irreversible, quiet := 0, 0, 0, 0
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
					return fmt.Errorf("%s: no momentum at a draw: %v", w.model.Info().Name, st)
				}
				copy(q0, q)
				r := g.StepIMb(q, p, eps, &s)
				iterations += r.Iterations
				if r.Status != runtime.OK {
					failed++
					continue
				}
				back := g.StepIMb(q, p, -eps, &s)
				off := 0.0
				for j := range q {
					off = max(off, math.Abs(q[j]-q0[j]))
				}
				if back.Status != runtime.OK || !(off <= runtime.ReverseTolerance(&s)) {
					irreversible++
					if r.Iterations < s.FirstCheck() {
						quiet++
					}
				}
			}
			n := float64(w.steps)
			fmt.Printf("| %s | %g | %v | %.1f | %.0f | %.1f %% | %d | %d |\n", w.model.Info().Name, eps, method,
				float64(iterations)/n, float64(iterations)/n/eps, 100*float64(failed)/n, irreversible, quiet)
		}
	}
	return nil
}
