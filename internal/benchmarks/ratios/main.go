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

// A comparison is all contestants, and what the tables made of them need.
type comparison struct {
	all []*contestant

	runners []benchmarks.Runner
	steps   []*contestant // of each runner
	perStep []float64     // iterations

	whole, alone *contestant // dynamic trajectories, and their steps with nothing around them
	chain        *contestant // calls of math.Exp

	midpoint, momentum []*contestant // of each of ks
	density, gradient  []*contestant // of each of sizes
}

var (
	ks    = []int{5, 10, 20, 40}  // numbers of coordinates of the logistic regression
	sizes = []int{100, 1_000_000} // numbers of data of the banana
)

// add adds a contestant.
func (c *comparison) add(work func() int) *contestant {
	x := &contestant{work: work}
	c.all = append(c.all, x)
	return x
}

// run lets all contestants run in turn, and prints the tables.
func run(out io.Writer, rounds int) error {
	c := &comparison{}
	for _, add := range []func() error{c.addSteps, c.addTransitions, c.addIterations, c.addEvaluations} {
		if err := add(); err != nil {
			return err
		}
	}
	if err := contest(c.all, rounds); err != nil {
		return err
	}
	fmt.Fprintf(out, "10th percentiles of %d windows, all in turn.\n\n", rounds)
	c.printSteps(out)
	fmt.Fprintf(out, "\nDynamic trajectories on the banana: a step costs %.2f times what it does with nothing around it.\n", c.whole.ns()/c.alone.ns())
	c.printIterations(out)
	c.printEvaluations(out)
	return nil
}

// addSteps adds trajectories of each model with each integrator, generated and by hand.
func (c *comparison) addSteps() (err error) {
	if c.runners, err = benchmarks.Runners(); err != nil {
		return err
	}
	c.perStep = make([]float64, len(c.runners))
	for i, r := range c.runners {
		starts, times := trajectories(r.Model)
		c.steps = append(c.steps, c.add(func() int {
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
			c.perStep[i] = float64(iterations) / float64(n)
			return n
		}))
	}
	return nil
}

// addTransitions adds dynamic trajectories, and the unit in which printSteps gives costs.
func (c *comparison) addTransitions() error {
	dynamic, err := benchmarks.NewTransitions()
	if err != nil {
		return err
	}
	c.whole = c.add(func() int { return dynamic.Dynamic(transitions) })
	c.alone = c.add(func() int { return dynamic.Alone(transitions) })
	c.chain = c.add(func() int {
		Sink = benchmarks.ExpChain(0.5, expCalls)
		return expCalls
	})
	return nil
}

// addIterations adds solves of the logistic regression.
func (c *comparison) addIterations() error {
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
	for _, k := range ks {
		it, err := benchmarks.Logistic(k)
		if err != nil {
			return err
		}
		c.midpoint = append(c.midpoint, c.add(repeat(80/k, it.Midpoint)))
		c.momentum = append(c.momentum, c.add(repeat(640/k, it.Momentum)))
	}
	return nil
}

// addEvaluations adds densities and gradients of the banana.
func (c *comparison) addEvaluations() error {
	for _, n := range sizes {
		m, err := benchmarks.Banana(n, 1)
		if err != nil {
			return err
		}
		q, grad := benchmarks.BananaStart(), make([]float64, 2)
		c.density = append(c.density, c.add(func() int {
			for range evaluations {
				Sink = m.LogDensity(q)
			}
			return evaluations
		}))
		c.gradient = append(c.gradient, c.add(func() int {
			for range evaluations {
				Sink = m.Gradient(grad, q)
			}
			return evaluations
		}))
	}
	return nil
}

// printSteps prints what steps cost, and those of the banana in units of a call of math.Exp.
func (c *comparison) printSteps(out io.Writer) {
	fmt.Fprintln(out, "| model | integrator | iterations/step | generated ns/step | by hand ns/step | ratio | generated ns/iteration | by hand |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|")
	for i := 0; i < len(c.runners); i += 2 {
		r, a, b, n := c.runners[i], c.steps[i].ns(), c.steps[i+1].ns(), c.perStep[i]
		fmt.Fprintf(out, "| %s | %s | %.2f | %.1f | %.1f | %.3f | %.2f | %.2f |\n", r.Model, r.Integrator, n, a, b, a/b, a/n, b/n)
	}

	e := c.chain.ns()
	fmt.Fprintf(out, "\nmath.Exp, in a chain of dependent calls: %.2f ns. In these units an iteration of a step costs\n\n", e)
	fmt.Fprintln(out, "| model | integrator | generated | by hand |")
	fmt.Fprintln(out, "|---|---|---|---|")
	for i := 0; i < len(c.runners); i += 2 {
		r, n := c.runners[i], c.perStep[i]
		if r.Model == "banana" {
			fmt.Fprintf(out, "| %s | %s | %.3f | %.3f |\n", r.Model, r.Integrator, c.steps[i].ns()/n/e, c.steps[i+1].ns()/n/e)
		}
	}
}

// printIterations prints what iterations on the logistic regression cost.
func (c *comparison) printIterations(out io.Writer) {
	fmt.Fprintf(out, "\nLogistic regression, n = 569, nothing bound: µs per iteration\n\n")
	fmt.Fprintln(out, "| k | midpoint | over that of k/2 | momentum | over that of k/2 |")
	fmt.Fprintln(out, "|---|---|---|---|---|")
	for i, k := range ks {
		fmt.Fprintf(out, "| %d | %.2f | %s | %.2f | %s |\n", k,
			c.midpoint[i].ns()/1000, growth(c.midpoint, i), c.momentum[i].ns()/1000, growth(c.momentum, i))
	}
}

// printEvaluations prints what densities and gradients of the banana cost.
func (c *comparison) printEvaluations(out io.Writer) {
	fmt.Fprintf(out, "\nBanana: ns per evaluation\n\n")
	fmt.Fprintln(out, "| n | density | gradient |")
	fmt.Fprintln(out, "|---|---|---|")
	for i, n := range sizes {
		fmt.Fprintf(out, "| %d | %.2f | %.2f |\n", n, c.density[i].ns(), c.gradient[i].ns())
	}
}

// growth formats the cost of contestant i over that of the one before.
func growth(c []*contestant, i int) string {
	if i == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", c[i].ns()/c[i-1].ns())
}
