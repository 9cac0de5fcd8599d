package benchmarks

import (
	"math"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
)

// audit adds up the counts of 6 data sets of 2000 transitions, 10 steps each.
func audit(t *testing.T, k runtime.Integrator, p Policy) *Counts {
	t.Helper()
	var total Counts
	for seed := uint64(1); seed <= 6; seed++ {
		c, err := Audit(&Walk{Integrator: k, Steps: 10, Draws: 2000, Seed: seed}, &p)
		if err != nil {
			t.Fatal(err)
		}
		total.Add(c)
	}
	t.Logf("%v, %s: accepted %.3f, irreversible %v, refused %d, iterations %.1f of converged and %.1f of failed steps",
		k, p.Name, float64(total.Accepted)/float64(total.Transitions), total.Irreversible, total.Refused,
		total.Converged.Mean(), total.GivenUp.Mean())
	return &total
}

// TestDefaultPolicy: giving up on solves that do not converge may not make
// irreversible moves more frequent than a limit of 1000 iterations does, and has
// to save what such solves cost.
func TestDefaultPolicy(t *testing.T) {
	policies := Policies()
	for _, k := range []runtime.Integrator{runtime.GLFb, runtime.IMb} {
		limit, ours := audit(t, k, policies[Limit1000]), audit(t, k, policies[Default])
		for i, tolerance := range ReturnTolerances {
			if ours.Irreversible[i] > limit.Irreversible[i] {
				t.Errorf("%v: %d accepted moves do not return within %g, %d with a limit of 1000 iterations",
					k, ours.Irreversible[i], tolerance, limit.Irreversible[i])
			}
		}
		// The kernel looks for the same distance, but at suspects only.
		if n := ours.Irreversible[0]; n > 0 {
			t.Errorf("%v: %d accepted moves do not return that the kernel did not suspect", k, n)
		}
		if mean := ours.GivenUp.Mean(); !(mean < 60) {
			t.Errorf("%v: a failing step costs %.1f iterations, want fewer than 60", k, mean)
		}
		// Solves that converge slowly are worth waiting for.
		if lost := float64(limit.Accepted-ours.Accepted) / float64(limit.Accepted); lost > 0.03 {
			t.Errorf("%v: the default accepts %.1f %% fewer proposals", k, 100*lost)
		}
	}
}

// TestSuspects: checking only trajectories with a hard solve refuses what
// checking all of them does.
func TestSuspects(t *testing.T) {
	for _, k := range []runtime.Integrator{runtime.GLFb, runtime.IMb} {
		p := Policies()[Default]
		suspects := audit(t, k, p)
		p.Name, p.Reverse = "all checked", runtime.ReverseAll
		all := audit(t, k, p)
		if suspects.Refused != all.Refused || suspects.Accepted != all.Accepted {
			t.Errorf("%v: refused %d of suspects and accepted %d; of all, refused %d and accepted %d",
				k, suspects.Refused, suspects.Accepted, all.Refused, all.Accepted)
		}
		if k == runtime.GLFb && all.Refused == 0 {
			t.Error("no GLF(b) trajectory was refused: this test sees nothing")
		}
	}
}

// TestAudit: the audit finds the irreversible moves that are known to be there,
// and not many more. GLF(b) on the banana comes back by other roots, some 350 to
// 450 times in 100,000, and IM(b) does not; a limit of 25 iterations is met in one
// direction and not in the other. Newton's method finds other roots far more often, and its
// guard knows them all.
func TestAudit(t *testing.T) {
	policies := Policies()
	for _, c := range []struct {
		integrator  runtime.Integrator
		policy      int
		least, most float64 // per 100,000
	}{
		{runtime.GLFb, Limit1000, 200, 700},
		{runtime.GLFb, StallOnly, 200, 900},
		{runtime.GLFb, Limit25, 300, 1000},
		{runtime.GLFb, NaiveNewton, 1500, 3500},
		{runtime.GLFb, GuardedNewton, 0, 0},
		{runtime.IMb, Limit1000, 0, 20},
		{runtime.IMb, Limit25, 200, 700},
	} {
		n := audit(t, c.integrator, policies[c.policy])
		if rate := n.Rate(n.Irreversible[0]); !(rate >= c.least && rate <= c.most) {
			t.Errorf("%v, %s: %.0f per 100,000 moves are irreversible, want %.0f to %.0f",
				c.integrator, policies[c.policy].Name, rate, c.least, c.most)
		}
	}
}

func TestHistogram(t *testing.T) {
	var h, o Histogram
	if !math.IsNaN(h.Mean()) || h.Quantile(0.5) != 0 {
		t.Errorf("nothing observed: mean %v, median %d", h.Mean(), h.Quantile(0.5))
	}
	for v := 1; v <= 6; v++ {
		h.Observe(v)
	}
	for v := 7; v <= 10; v++ {
		o.Observe(v)
	}
	h.Merge(o)
	if h.Mean() != 5.5 || h.Quantile(0.5) != 5 || h.Quantile(0.51) != 6 || h.Quantile(0) != 1 || h.Quantile(1) != 10 {
		t.Errorf("1 to 10: mean %v, quantiles %d %d %d %d", h.Mean(), h.Quantile(0.5), h.Quantile(0.51), h.Quantile(0), h.Quantile(1))
	}
}
