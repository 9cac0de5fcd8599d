// Program ratios compares the speed of generated code with that of code written
// by hand, and of things whose costs should stand in a known ratio, and prints
// Markdown tables.
//
//	go run ./internal/benchmarks/ratios -rounds 400
//
// Everything is timed in one process, in turn, in windows of some
// milliseconds, and the 10th percentile over the rounds counts: on a machine
// that is shared, a change of its speed then falls on all contestants alike, and
// windows in which somebody else was served drop out.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/hamc-dev/hamc/internal/benchmarks"
	"github.com/hamc-dev/hamc/internal/handwritten/fast"
)

func main() {
	rounds := flag.Int("rounds", 400, "how often everything is timed")
	flag.Parse()
	if flag.NArg() > 0 || *rounds < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(os.Stdout, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "ratios:", err)
		os.Exit(1)
	}
}

// A contestant is a piece of work of fixed size.
type contestant struct {
	// work does it once and returns the number of units (steps, calls,
	// iterations) that its time is divided by, 0 if it failed.
	work  func() int
	units int
	times []time.Duration
}

// ns returns the 10th percentile of the times in nanoseconds per unit.
func (c *contestant) ns() float64 {
	slices.Sort(c.times)
	return float64(c.times[len(c.times)/10].Nanoseconds()) / float64(c.units)
}

// contest times all contestants in turn, once each per round.
func contest(all []*contestant, rounds int) error {
	for range rounds {
		for i, c := range all {
			began := time.Now()
			c.units = c.work()
			c.times = append(c.times, time.Since(began))
			if c.units == 0 {
				return fmt.Errorf("contestant %d failed", i+1)
			}
		}
	}
	return nil
}

// Sink keeps results alive.
var Sink float64

// The sizes of windows, chosen for one to three milliseconds: long enough that
// what a contestant finds in the caches is its own.
const (
	expCalls    = 20_000
	transitions = 200
	evaluations = 50_000
)

// trajectories returns which starts a window of a model covers, and how often.
func trajectories(model string) (starts, times int) {
	if model == "banana" {
		return fast.NumStarts, 20
	}
	return 4, 1
}

// run lets all contestants run in turn, and prints the tables. Its lines are two lists, of contestants and of the tables made of
// them, which share their variables.
func run(out io.Writer, rounds int) error {
	runners, err := benchmarks.Runners()
	if err != nil {
		return err
	}
	var all []*contestant
	add := func(work func() int) *contestant {
		c := &contestant{work: work}
		all = append(all, c)
		return c
	}

	steps := make([]*contestant, len(runners))
	perStep := make([]float64, len(runners)) // iterations
	for i, r := range runners {
		starts, times := trajectories(r.Model)
		steps[i] = add(func() int {
			iterations := 0
			for range times {
				for s := range starts {
					n, ok := r.Trajectory(s)
					if !ok {
						return 0
					}
					iterations += n
				}
			}
			n := starts * times * fast.TrajectorySteps
			perStep[i] = float64(iterations) / float64(n)
			return n
		})
	}

	dynamic, err := benchmarks.NewTransitions()
	if err != nil {
		return err
	}
	whole := add(func() int { return dynamic.Dynamic(transitions) })
	alone := add(func() int { return dynamic.Alone(transitions) })

	chain := add(func() int {
		Sink = benchmarks.ExpChain(0.5, expCalls)
		return expCalls
	})

	ks := []int{5, 10, 20, 40}
	var midpoint, momentum []*contestant
	for _, k := range ks {
		it, err := benchmarks.Logistic(k)
		if err != nil {
			return err
		}
		repeat := func(times int, solve func() (int, bool)) func() int {
			return func() int {
				units := 0
				for range times {
					n, ok := solve()
					if !ok {
						return 0
					}
					units += n
				}
				return units
			}
		}
		midpoint = append(midpoint, add(repeat(80/k, it.Midpoint)))
		momentum = append(momentum, add(repeat(640/k, it.Momentum)))
	}

	sizes := []int{100, 1_000_000}
	var density, gradient []*contestant
	for _, n := range sizes {
		m, err := benchmarks.Banana(n, 1)
		if err != nil {
			return err
		}
		q, grad := benchmarks.BananaStart(), make([]float64, 2)
		density = append(density, add(func() int {
			for range evaluations {
				Sink = m.LogDensity(q)
			}
			return evaluations
		}))
		gradient = append(gradient, add(func() int {
			for range evaluations {
				Sink = m.Gradient(grad, q)
			}
			return evaluations
		}))
	}

	if err := contest(all, rounds); err != nil {
		return err
	}

	fmt.Fprintf(out, "10th percentiles of %d windows, all in turn.\n\n", rounds)
	fmt.Fprintln(out, "| model | integrator | iterations/step | generated ns/step | by hand ns/step | ratio | generated ns/iteration | by hand |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|")
	for i := 0; i < len(runners); i += 2 {
		r, a, b, n := runners[i], steps[i].ns(), steps[i+1].ns(), perStep[i]
		fmt.Fprintf(out, "| %s | %s | %.2f | %.1f | %.1f | %.3f | %.2f | %.2f |\n", r.Model, r.Integrator, n, a, b, a/b, a/n, b/n)
	}

	e := chain.ns()
	fmt.Fprintf(out, "\nmath.Exp, in a chain of dependent calls: %.2f ns. In these units an iteration of a step costs\n\n", e)
	fmt.Fprintln(out, "| model | integrator | generated | by hand |")
	fmt.Fprintln(out, "|---|---|---|---|")
	for i := 0; i < len(runners); i += 2 {
		r, n := runners[i], perStep[i]
		if r.Model == "banana" {
			fmt.Fprintf(out, "| %s | %s | %.3f | %.3f |\n", r.Model, r.Integrator, steps[i].ns()/n/e, steps[i+1].ns()/n/e)
		}
	}

	fmt.Fprintf(out, "\nDynamic trajectories on the banana: a step costs %.2f times what it does with nothing around it.\n", whole.ns()/alone.ns())

	fmt.Fprintf(out, "\nLogistic regression, n = 569, nothing bound: µs per iteration\n\n")
	fmt.Fprintln(out, "| k | midpoint | over that of k/2 | momentum | over that of k/2 |")
	fmt.Fprintln(out, "|---|---|---|---|---|")
	for i, k := range ks {
		fmt.Fprintf(out, "| %d | %.2f | %s | %.2f | %s |\n", k,
			midpoint[i].ns()/1000, growth(midpoint, i), momentum[i].ns()/1000, growth(momentum, i))
	}

	fmt.Fprintf(out, "\nBanana: ns per evaluation\n\n")
	fmt.Fprintln(out, "| n | density | gradient |")
	fmt.Fprintln(out, "|---|---|---|")
	for i, n := range sizes {
		fmt.Fprintf(out, "| %d | %.2f | %.2f |\n", n, density[i].ns(), gradient[i].ns())
	}
	return nil
}

// growth formats the cost of contestant i over that of the one before.
func growth(c []*contestant, i int) string {
	if i == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", c[i].ns()/c[i-1].ns())
}
