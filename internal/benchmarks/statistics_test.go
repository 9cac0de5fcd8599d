package benchmarks

import (
	"context"
	"math"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

// published are rows of the paper's table "Comparison of the implicit midpoint
// and generalized leapfrog integrators on sampling from the banana-shaped
// distribution" (label tab:banana-ess), step size 0.1: the averages of ten
// replicates, each of 10,000 draws on data of its own. The acceptance is printed
// with two digits, and the mean ESS is per chain, averaged over the two
// parameters, with a standard error of about 2 to 4 %.
var published = []struct {
	integrator runtime.Integrator
	steps      int
	accept     float64
	slack      float64 // what the acceptance may be off by
	ess        float64
}{
	{runtime.IMb, 5, 0.98, 0.01, 857.61},
	{runtime.IMb, 10, 0.98, 0.01, 3025.14},
	{runtime.GLFb, 5, 0.61, 0.04, 491.07},
	{runtime.GLFb, 10, 0.49, 0.04, 1027.78},
}

// TestPublishedStatistics repeats the experiment of the paper on 20 simulated
// data sets, seeds 1 to 20: the paper's solver (1000 iterations, no stalling
// rule), no check of reversibility, start at the generating parameters. The data
// differ from the paper's, so averages agree only up to the spread between data
// sets, which is 8 % of the mean ESS for 10 steps and 12 % for 5, of one.
func TestPublishedStatistics(t *testing.T) {
	const draws = 10_000
	sets := uint64(campaign.Cases(t, 8, 20)) // the bounds are those of 20
	paper := Policies()[Limit1000]
	for _, row := range published {
		var accept, ess, least float64
		for seed := uint64(1); seed <= sets; seed++ {
			m, err := Banana(bananaN, seed)
			if err != nil {
				t.Fatal(err)
			}
			r, err := runtime.Sample(context.Background(), m, runtime.Options{
				Tuning: runtime.Tuning{
					Integrator:   row.integrator,
					StepSize:     stepSize,
					Steps:        row.steps,
					Solver:       paper.Solver,
					ReverseCheck: paper.Reverse,
				},
				Chains: 1,
				Draws:  draws,
				Seed:   seed,
				Init:   []runtime.Point{BananaStart()},
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			c := &r.Chains[0]
			accept += float64(c.Sampling().Accepted) / float64(draws*sets)
			a, b := diagnostics.ESSPaper(c.Draws[0]), diagnostics.ESSPaper(c.Draws[1])
			ess += (a + b) / 2 / float64(sets)
			least += min(a, b) / float64(sets)
		}
		t.Logf("%v, %d steps: acceptance %.4f (published %.2f), mean ESS %.0f (%.0f), least ESS %.0f",
			row.integrator, row.steps, accept, row.accept, ess, row.ess, least)
		if !(math.Abs(accept-row.accept) <= row.slack) {
			t.Errorf("%v, %d steps: acceptance %.4f, published %.2f ± %.2f", row.integrator, row.steps, accept, row.accept, row.slack)
		}
		if !(math.Abs(ess-row.ess) <= 0.1*row.ess) {
			t.Errorf("%v, %d steps: mean ESS %.0f, published %.0f ± 10 %%", row.integrator, row.steps, ess, row.ess)
		}
	}
}
