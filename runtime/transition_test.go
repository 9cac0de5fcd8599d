package runtime_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/random"
)

// kernel returns an HMC kernel with the paper's settings for the banana.
func kernel(t testing.TB, m runtime.Model, k runtime.Integrator) *runtime.HMC {
	t.Helper()
	h, err := runtime.NewHMC(runtime.AsSystem(m), k, *plain(1e-6))
	if err != nil {
		t.Fatal(err)
	}
	h.StepSize = 0.1
	h.Steps = 10
	return h
}

func TestTransitionAllocatesNothing(t *testing.T) {
	b, f := fixtureBanana(t)
	for _, m := range []runtime.Model{b, newGaussian([]float64{0, 0}, [][]float64{{1, 0.5}, {0.5, 2}})} {
		for _, k := range integratorsFor(m) {
			h := kernel(t, m, k)
			h.Reverse = runtime.ReverseAll
			rng := rand.New(random.New(1, 1))
			q := clone(f.Points[1].Q)
			if n := testing.AllocsPerRun(50, func() { h.Transition(q, rng) }); n != 0 {
				t.Errorf("%s %v: %v allocations per transition", m.Info().Name, k, n)
			}
		}
	}
}

// The suspicion that saves the way back must not miss a proposal that the
// full check refuses: both runs then make the same draws bit for bit. The
// solver limit of 25 makes the implicit midpoint irreversible now and then.
func TestSuspicionMissesNothing(t *testing.T) {
	m, f := fixtureBanana(t)
	for _, c := range []struct {
		k     runtime.Integrator
		limit int
	}{{runtime.GLFb, 1000}, {runtime.IMb, 25}} {
		var counts [3]int
		var ends [3][]float64
		for check := runtime.ReverseOff; check <= runtime.ReverseAll; check++ {
			h := kernel(t, m, c.k)
			h.Solver.MaxIterations = c.limit
			h.Reverse = check
			rng := rand.New(random.New(5, 0))
			q := clone(f.Points[1].Q)
			for range campaign.Cases(t, 1500, 5000) {
				if tr := h.Transition(q, rng); tr.Irreversible {
					counts[check]++
				}
			}
			ends[check] = q
		}
		if counts[runtime.ReverseAll] == 0 {
			t.Errorf("%v: the full check found nothing, so this test shows nothing", c.k)
		}
		if counts[runtime.ReverseOff] != 0 {
			t.Errorf("%v: %d irreversible proposals without a check", c.k, counts[runtime.ReverseOff])
		}
		if counts[runtime.ReverseSuspect] != counts[runtime.ReverseAll] ||
			ends[runtime.ReverseSuspect][0] != ends[runtime.ReverseAll][0] {
			t.Errorf("%v: %d irreversible proposals among suspects, %d among all",
				c.k, counts[runtime.ReverseSuspect], counts[runtime.ReverseAll])
		}
	}
}

// A trajectory of the leapfrog beyond its limit of stability is divergent, not
// a failure of any solver.
func TestDivergenceIsNoFailure(t *testing.T) {
	h := kernel(t, newGaussian([]float64{0, 0}, [][]float64{{1, 0}, {0, 1}}), runtime.Leapfrog)
	h.StepSize = 3
	q := []float64{0.5, 0.5}
	tr := h.Transition(q, rand.New(random.New(1, 1)))
	if !tr.Divergent || tr.Failure != runtime.OK || tr.Accept != 0 || tr.Accepted || q[0] != 0.5 {
		t.Errorf("%+v, q = %v", tr, q)
	}
}

// What is not finite is refused, whatever it is that is not, and counted
// under its own reason.
func TestNothingThatIsNotFiniteIsADraw(t *testing.T) {
	metric := func(g float64) runtime.Model { return &sickMetric{curved: newCurved(), g: g} }
	density := func(v float64) runtime.Model {
		m := newExponential()
		m.wall, m.value = 0.71, v
		return m
	}
	for _, c := range []struct {
		name string
		m    runtime.Model
		want runtime.Status
	}{
		{"metric NaN", metric(math.NaN()), runtime.NonFinite},
		{"metric indefinite", metric(-1), runtime.NotPositiveDefinite},
		{"density NaN", density(math.NaN()), runtime.NonFinite},
		{"density +Inf", density(math.Inf(1)), runtime.NonFinite},
		{"density -Inf", density(math.Inf(-1)), runtime.NonFinite},
	} {
		h := kernel(t, c.m, runtime.IMb)
		rng := rand.New(random.New(1, 1))
		q := make([]float64, c.m.Info().Dim())
		var total runtime.Totals
		for range 300 {
			tr := h.Transition(q, rng)
			total.Add(&tr)
			if !(q[0] <= 0.71) || math.IsNaN(tr.LogDensity) || math.IsInf(tr.Energy, 0) {
				t.Fatalf("%s: draw %v, %+v", c.name, q, tr)
			}
		}
		if total.ByStatus[c.want] == 0 || total.ByStatus[c.want] != total.Failures() {
			t.Errorf("%s: statuses %v", c.name, total.ByStatus)
		}
		if total.Accepted == 0 {
			t.Errorf("%s: nothing accepted", c.name)
		}
	}
}

// A random number of steps is uniform.
func TestRandomSteps(t *testing.T) {
	h := kernel(t, newGaussian([]float64{0, 0}, [][]float64{{1, 0}, {0, 1}}), runtime.Leapfrog)
	h.StepSize, h.Steps, h.RandomSteps = 0.1, 4, true
	rng := rand.New(random.New(1, 1))
	var counts [6]int
	q := []float64{0.5, 0}
	for range 4000 {
		tr := h.Transition(q, rng)
		counts[tr.Steps]++
	}
	if counts[0] != 0 || counts[5] != 0 {
		t.Errorf("steps outside 1..4: %v", counts)
	}
	for n := 1; n <= 4; n++ {
		// Binomial with standard deviation 27.
		if counts[n] < 865 || counts[n] > 1135 {
			t.Errorf("%d steps %d times out of 4000", n, counts[n])
		}
	}
}

// The heuristic stops at the first step size beyond the crossing of 0.8. For
// the leapfrog on a standard normal that lies near its limit of stability, 2.
func TestInitialStepSize(t *testing.T) {
	m := newGaussian([]float64{0, 0}, [][]float64{{1, 0}, {0, 1}})
	for _, from := range []float64{1e-4, 1, 1e4} {
		h := kernel(t, m, runtime.Leapfrog)
		h.StepSize = from
		h.InitialStepSize([]float64{0.5, -1}, rand.New(random.New(1, 1)))
		if h.StepSize < 0.25 || h.StepSize > 8 {
			t.Errorf("from %v: %v", from, h.StepSize)
		}
	}
}

// The sampled check finds what the suspicion alone lets through, about one in 16 times, and
// sees all that is suspect.
func TestSampledReverseCheck(t *testing.T) {
	m := newGaussian([]float64{0, 0}, [][]float64{{1, 0}, {0, 1}})
	for _, c := range []struct {
		check       runtime.ReverseCheck
		least, most int
	}{
		{runtime.ReverseOff, 0, 0}, {runtime.ReverseSuspect, 0, 0}, {runtime.ReverseSampled, 140, 240}, {runtime.ReverseAll, 2700, 3000},
	} {
		h := kernel(t, m, runtime.Leapfrog)
		h.StepSize, h.Steps, h.Reverse = 0.1, 1, c.check
		// A step that no step back undoes, without an iteration to suspect.
		h.Step = func(q, p []float64, eps float64, s *runtime.Solver) runtime.StepResult {
			q[0] += 0.05
			return runtime.StepResult{}
		}
		rng := rand.New(random.New(1, 1))
		q, n := []float64{0, 0}, 0
		for range 3000 {
			q[0], q[1] = 0, 0
			if h.Transition(q, rng).Irreversible {
				n++
			}
		}
		if n < c.least || n > c.most {
			t.Errorf("%v: %d of 3000 irreversible", c.check, n)
		}
	}
}
