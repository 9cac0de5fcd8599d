// Program irreversible compares policies for fixed-point solves that do not
// converge, on the banana of Brofos & Lederman (2021) at ε = 0.1, δ = 10⁻⁶. It
// counts accepted moves that do not return when integrated back, and what
// solves cost, and prints a Markdown table.
//
//	go run ./internal/benchmarks/irreversible -draws 10000 -data 10
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/hamc-dev/hamc/internal/benchmarks"
	"github.com/hamc-dev/hamc/runtime"
)

func main() {
	draws := flag.Int("draws", 10_000, "transitions per data set")
	sets := flag.Int("data", 10, "simulated data sets")
	flag.Parse()
	if flag.NArg() > 0 || *draws < 1 || *sets < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(os.Stdout, *draws, *sets); err != nil {
		fmt.Fprintln(os.Stderr, "irreversible:", err)
		os.Exit(1)
	}
}

// run prints the table.
func run(out io.Writer, draws, sets int) error {
	tol := benchmarks.ReturnTolerances
	fmt.Fprintf(out, `Banana, n = 100, ε = 0.1, δ = 1e-6; %d data sets × %d transitions. Rates are per
100,000 transitions: accepted moves whose way back fails or ends farther off than
%g (or %g), and moves that the kernel's own check refused. Iterations are those of
a step: one solve of IM(b), up to two of GLF(b); mean (99.9th percentile). Time is
that of a trajectory over that of policy (a), the median over the data sets.

`, sets, draws, tol[0], tol[1])
	fmt.Fprintf(out, "| integrator | L | policy | accepted | trajectories failed | irreversible > %g | > %g | refused | iterations, failed step | iterations, converged step | time |\n", tol[0], tol[1])
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|---|---|---|")
	for _, integrator := range []runtime.Integrator{runtime.GLFb, runtime.IMb} {
		for _, steps := range []int{5, 10, 50} {
			if err := compare(out, integrator, steps, draws, sets); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare prints the rows of one integrator and number of steps.
func compare(out io.Writer, integrator runtime.Integrator, steps, draws, sets int) error {
	policies := benchmarks.Policies()
	var total [benchmarks.NumPolicies]benchmarks.Counts
	var ratios [benchmarks.NumPolicies][]float64
	for seed := range sets {
		w := &benchmarks.Walk{Integrator: integrator, Steps: steps, Draws: draws, Seed: uint64(seed + 1)}
		base := 0.0
		for i := range policies {
			if !applies(integrator, &policies[i]) {
				continue
			}
			c, err := benchmarks.Audit(w, &policies[i])
			if err != nil {
				return err
			}
			total[i].Add(c)
			d, err := benchmarks.Time(w, &policies[i])
			if err != nil {
				return err
			}
			if i == benchmarks.Limit1000 {
				base = d.Seconds()
			}
			ratios[i] = append(ratios[i], d.Seconds()/base)
		}
	}
	for i := range policies {
		if !applies(integrator, &policies[i]) {
			continue
		}
		c := &total[i]
		slices.Sort(ratios[i])
		fmt.Fprintf(out, "| %v | %d | %s | %.3f | %.2f %% | %.1f | %.1f | %.1f | %s | %s | %.2f |\n",
			integrator, steps, policies[i].Name,
			float64(c.Accepted)/float64(c.Transitions), 100*float64(c.Failed)/float64(c.Transitions),
			c.Rate(c.Irreversible[0]), c.Rate(c.Irreversible[1]), c.Rate(c.Refused),
			iterations(c.GivenUp), iterations(c.Converged), ratios[i][len(ratios[i])/2])
	}
	return nil
}

// applies tells whether a policy is compared for an integrator: this banana has no second
// derivatives for the implicit midpoint.
func applies(k runtime.Integrator, p *benchmarks.Policy) bool {
	return k != runtime.IMb || p.Solver.Method != runtime.Newton
}

// iterations formats the mean and the 99.9th percentile of h.
func iterations(h benchmarks.Histogram) string {
	if len(h) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f (%d)", h.Mean(), h.Quantile(0.999))
}
