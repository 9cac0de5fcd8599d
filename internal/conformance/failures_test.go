package conformance

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/generated/banana"
	"github.com/hamc-dev/hamc/generated/logistic"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/runtime"
)

// TestLeapfrogFailures: the authors kept steps at which the generalized leapfrog
// does not converge: their code raises an exception, ends at its limit, or ends
// there and calls it a success. Here each is a failure with its status, and the
// implicit midpoint converges to where theirs does.
func TestLeapfrogFailures(t *testing.T) {
	f := must[*fixtures.Model](t)(fixtures.Load("banana"))
	if len(f.GLFFailures) != 6 {
		t.Fatalf("%d records, want 6", len(f.GLFFailures))
	}
	for _, s := range models(t)[:2] {
		m := s.fresh()
		stalled := 0
		for i, r := range f.GLFFailures {
			for _, stop := range []bool{false, true} {
				sol := plain(r.Delta)
				sol.StopStalled = stop
				for k, want := range map[runtime.Integrator]fixtures.Step{runtime.GLFa: r.GLFa, runtime.GLFb: r.GLFb} {
					res := stepper(t, m, k)(clone(r.Q), clone(r.P), r.Eps, sol)
					capped := false
					for _, n := range want.SolveIters {
						capped = capped || n >= 1000
					}
					switch {
					case res.Status == runtime.OK:
						t.Errorf("%s, record %d, %v: no failure", s.name, i, k)
					case !stop && capped && res.Status != runtime.IterationLimit:
						t.Errorf("%s, record %d, %v: %v, but the authors' solve ended at its limit", s.name, i, k, res.Status)
					case !stop && !capped && res.Status != runtime.NonFinite && res.Status != runtime.NotPositiveDefinite:
						t.Errorf("%s, record %d, %v: %v, but the authors' iterates overflowed", s.name, i, k, res.Status)
					}
					if res.Status == runtime.Stalled {
						stalled++
						if !stop || res.Iterations >= 1000 {
							t.Errorf("%s, record %d, %v: stalled after %d iterations, StopStalled = %v", s.name, i, k, res.Iterations, stop)
						}
					}
				}
				for k, want := range map[runtime.Integrator]fixtures.Step{runtime.IMa: r.IMa, runtime.IMb: r.IMb} {
					q, p := clone(r.Q), clone(r.P)
					if res := stepper(t, m, k)(q, p, r.Eps, sol); res.Status != runtime.OK {
						t.Errorf("%s, record %d, %v: %v", s.name, i, k, res.Status)
					}
					// Records at δ = 1e-6; the solves contract by a half or so.
					near(t, fmt.Sprintf("record %d, %v", i, k), join(q, p), join(want.Q, want.P), 1e-5)
				}
			}
		}
		if stalled == 0 {
			t.Errorf("%s: no solve was stopped as stalled", s.name)
		}
	}
}

// hostile are the numbers that do not belong in a state.
var hostile = []float64{
	math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, math.MaxFloat64, -math.MaxFloat64,
	1e154, -1e154, 1e100, 1e16, -1e8, 750, -750, 5e-324, math.Copysign(0, -1),
}

func finite(x ...float64) bool {
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}

// provoke calls every method at a state, and every integrator with several step
// sizes, and reports what a sampler could take for a state: an energy where a
// number is not finite, a failure whose energy is not +Inf, a density that is
// finite where a coordinate is not, a step from nowhere.
func provoke(t *testing.T, s *subject, m runtime.System, z state) {
	t.Helper()
	n := s.dim()
	bad := func(format string, args ...any) {
		t.Helper()
		t.Errorf("q = %v, p = %v: %s", z.q, z.p, fmt.Sprintf(format, args...))
	}
	if l := m.LogDensity(z.q); !finite(z.q...) && finite(l) {
		bad("log density %v", l)
	}
	grad := make([]float64, n)
	l := m.Gradient(grad, z.q)
	if !finite(z.q...) && finite(l) && finite(grad...) {
		bad("log density %v and gradient %v", l, grad)
	}
	metric(m, z.q)
	metricJacobian(m, z.q)
	w := make([]float64, n*n)
	for i := range w {
		w[i] = z.p[i%n] * z.p[i/n]
	}
	m.Contract(make([]float64, n), z.q, w)

	h, _, st := m.Energy(z.q, z.p)
	if st == runtime.OK && !finite(h) || st != runtime.OK && !math.IsInf(h, 1) {
		bad("H = %v with status %v", h, st)
	}
	if st == runtime.OK && !(finite(z.q...) && finite(z.p...)) {
		bad("an energy, %v", h)
	}
	p := clone(z.p)
	if st := m.DrawMomentum(p, z.q); st == runtime.OK && !finite(p...) && finite(z.p...) && finite(metric(m, z.q)...) && size(z.p...) < 1e100 {
		bad("momentum %v with status ok", p)
	}
	sizes := []float64{s.eps, 1e-3, -1e6, 1e300, math.NaN(), math.Inf(1), 0}
	if s.costly {
		sizes = sizes[:3]
	}
	for _, k := range s.tried() {
		step := stepper(t, m, k)
		for _, eps := range sizes {
			for _, sol := range []runtime.Solver{
				{Tolerance: 1e-6, MaxIterations: 60, StopStalled: true}, {Tolerance: 0, MaxIterations: 3},
			} {
				q, p := clone(z.q), clone(z.p)
				r := step(q, p, eps, &sol)
				// Where numbers overflow in the last operation of a step the
				// state itself may tell; no energy exists there then.
				if _, _, st := m.Energy(q, p); r.Status == runtime.OK && st == runtime.OK && !(finite(q...) && finite(p...)) {
					bad("%v, ε = %v leads to %v, %v, where there is an energy", k, eps, q, p)
				}
				if r.Status == runtime.OK && !(finite(z.q...) && finite(z.p...) && finite(eps)) {
					bad("%v, ε = %v leads to %v, %v from a state that is none", k, eps, q, p)
				}
				if r.Iterations < 0 || r.Iterations > 2*sol.MaxIterations {
					bad("%v, ε = %v: %d iterations of at most %d", k, eps, r.Iterations, sol.MaxIterations)
				}
			}
		}
	}
}

// TestHostileStates puts numbers that do not belong there in every coordinate of
// q and of p, and in all at once.
func TestHostileStates(t *testing.T) {
	each(t, small(t), func(t *testing.T, s *subject) {
		m := s.fresh()
		n := s.dim()
		good := s.states(t, 1, 0.3, 17)[0]
		values := hostile
		if s.costly { // what is cheap sees all of them
			values = campaign.Sample(t, hostile, 2)
		}
		for _, x := range values {
			for i := range 2 * n {
				z := join(good.q, good.p)
				z[i] = x
				provoke(t, s, m, state{z[:n], z[n:]})
			}
			for _, part := range [][2]int{{0, n}, {n, 2 * n}, {0, 2 * n}} {
				z := join(good.q, good.p)
				for i := part[0]; i < part[1]; i++ {
					z[i] = x
				}
				provoke(t, s, m, state{z[:n], z[n:]})
			}
		}
		// A metric that depends on the position has none at NaN, nor have its
		// derivatives.
		nan, w, out := make([]float64, n), make([]float64, n*n), make([]float64, n)
		for i := range n {
			nan[i], w[i*n+i] = math.NaN(), 1
		}
		m.Contract(out, nan, w)
		if !s.constant() && (finite(metric(m, nan)...) || finite(metricJacobian(m, nan)...) || finite(out...)) {
			t.Errorf("at NaN the metric is %v, its derivative %v and its contraction %v", metric(m, nan), metricJacobian(m, nan), out)
		}
		// The model is none the worse for it.
		for _, op := range s.operations() {
			if !same(op.call(m, good, s.eps), op.call(s.fresh(), good, s.eps)) {
				t.Errorf("%s differs from that of a fresh model afterwards", op.name)
			}
		}
	})
}

// singular are models and positions where the metric, positive definite in exact
// arithmetic, is singular in floating point, whatever the order of operations:
// the prior's precision underflows in the banana, and is far below the last bit of
// a sum of powers of two in the regression.
func singular(t *testing.T) map[string]struct {
	m runtime.System
	q []float64
} {
	// Four rows: Σ s(1 − s)x² is 2⁶⁰, whose root is exact.
	const big = 1 << 30
	x := []float64{big, big, big, big, big, big, big, big}
	return map[string]struct {
		m runtime.System
		q []float64
	}{
		"banana": {
			must[*banana.Model](t)(banana.New(banana.Data{N: 1, Y: []float64{1}, SigmaY: 1, SigmaT: 1e200})),
			[]float64{0, 1},
		},
		"logistic": {
			must[*logistic.Model](t)(logistic.New(logistic.Data{N: 4, K: 2, X: x, Y: []int{0, 1, 0, 1}})),
			[]float64{0, 0},
		},
	}
}

// TestNotPositiveDefinite: such a metric has a status of its own, from every
// method that needs its factor, and sampling does not start there.
func TestNotPositiveDefinite(t *testing.T) {
	for name, c := range singular(t) {
		p := []float64{1, -1}
		if h, _, st := c.m.Energy(c.q, p); st != runtime.NotPositiveDefinite || !math.IsInf(h, 1) {
			t.Errorf("%s: H = %v with status %v", name, h, st)
		}
		if st := c.m.DrawMomentum(clone(p), c.q); st != runtime.NotPositiveDefinite {
			t.Errorf("%s: momentum drawn with status %v", name, st)
		}
		for _, k := range []runtime.Integrator{runtime.GLFa, runtime.GLFb, runtime.IMa, runtime.IMb} {
			if r := stepper(t, c.m, k)(clone(c.q), clone(p), 0.1, plain(1e-6)); r.Status != runtime.NotPositiveDefinite {
				t.Errorf("%s, %v: status %v", name, k, r.Status)
			}
		}
		opt := runtime.DefaultOptions()
		opt.Init = []runtime.Point{c.q}
		if _, err := runtime.Sample(t.Context(), c.m, opt, nil); err == nil || !strings.Contains(err.Error(), "not positive definite") {
			t.Errorf("%s: sampling from there: error %v", name, err)
		}
	}
}

// TestLeapfrogNeedsConstant: the leapfrog on another metric is refused, by the
// step too.
func TestLeapfrogNeedsConstant(t *testing.T) {
	each(t, small(t), func(t *testing.T, s *subject) {
		m := s.fresh()
		z := s.states(t, 1, 0, 18)[0]
		r := m.StepLeapfrog(z.q, z.p, 0.1)
		_, err := runtime.Stepper(m, runtime.Leapfrog, runtime.DefaultMethod)
		if refused := r.Status == runtime.NotConstant; refused == s.constant() || (err != nil) == s.constant() {
			t.Errorf("status %v, error %v", r.Status, err)
		}
	})
}

// TestIterationLimits: a solve may use as many iterations as it is given and no
// more, and says so. Generated steps, which may unroll or shorten their loops,
// must count as the runtime's do.
func TestIterationLimits(t *testing.T) {
	each(t, byHand(small(t)), func(t *testing.T, s *subject) {
		m, reference := s.fresh(), runtime.Generic(s.hand)
		for _, k := range s.own() {
			if s.constant() && k != runtime.IMb {
				continue // no solve
			}
			seen := make(map[runtime.Status]bool)
			states, more := s.states(t, 4, 0.3, 23), 1
			if s.costly {
				states, more = states[:1], campaign.Cases(t, 11, 5)
			}
			for i, z := range states {
				for limit := 1; limit <= 34; limit += more {
					for _, eps := range []float64{1e-6, s.eps, 12 * s.eps} {
						sol := runtime.Solver{Tolerance: 1e-9, MaxIterations: limit, StopStalled: limit%2 == 0}
						got := stepper(t, m, k)(clone(z.q), clone(z.p), eps, &sol)
						want := stepper(t, reference, k)(clone(z.q), clone(z.p), eps, &sol)
						seen[got.Status] = true
						// Iterates that run away meet the end of the numbers, a
						// metric without a factor, or the limit first, by
						// rounding.
						away := func(r runtime.StepResult) bool {
							return r.Status == runtime.NonFinite || r.Status == runtime.NotPositiveDefinite
						}
						if got != want && (got.Status == runtime.OK || want.Status == runtime.OK || !away(got) && !away(want)) {
							t.Errorf("%v, state %d, ε = %v, at most %d iterations: %+v, want %+v", k, i, eps, limit, got, want)
						}
					}
				}
			}
			if !seen[runtime.OK] || !seen[runtime.IterationLimit] {
				t.Errorf("%v: only %v were seen", k, seen)
			}
		}
	})
}
