package conformance

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/generated/banana"
	"github.com/hamc-dev/hamc/generated/banana_explicit"
	"github.com/hamc-dev/hamc/generated/funnel"
	"github.com/hamc-dev/hamc/generated/gaussian"
	"github.com/hamc-dev/hamc/generated/logistic"
	"github.com/hamc-dev/hamc/generated/logistic_indexed"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/internal/handwritten"
	"github.com/hamc-dev/hamc/runtime"
)

// A subject is a generated model, or a block of one given the other parameters.
type subject struct {
	name  string
	fresh func() runtime.System // the model made anew, nothing cached
	hand  runtime.Model         // the same posterior written by hand

	points     []fixtures.Point
	clean      int     // how many clean records the points have
	normalised bool    // the fixture's L has its constant
	dropped    float64 // the part of that constant which the fixture drops

	// exchanged makes the regression with 0 and 1 exchanged among the outcomes.
	exchanged func() runtime.System

	eps float64 // a step size at which typical steps converge

	// within moves a position of tails to where both models are accurate; nil
	// leaves it.
	within func(q []float64)

	// spread is what the states spread by, relative to others; 0 stands for 1.
	spread float64

	// cancel is how many times as large as their difference the numbers are that
	// the generated gradient subtracts where the one by hand adds; 0 stands for 1.
	cancel float64

	otherScale bool // the model by hand has parameters where this one has coordinates

	block  bool // one block of a Gibbs
	ode    bool // the solution of a differential equation is behind it
	costly bool // for tests with many evaluations

	known *runtime.Info
}

// info describes the model.
func (s *subject) info() *runtime.Info {
	if s.known == nil {
		s.known = s.fresh().Info()
	}
	return s.known
}

// constant reports whether the metric does not depend on the position.
func (s *subject) constant() bool { return s.info().Metric.Constant }

// quadratic reports whether the energy is.
func (s *subject) quadratic() bool { return s.constant() && !s.block }

// dim returns the number of coordinates.
func (s *subject) dim() int { return s.info().Dim() }

// integrators returns those that apply to the subject.
func (s *subject) integrators() []runtime.Integrator {
	implicit := []runtime.Integrator{runtime.GLFa, runtime.GLFb, runtime.IMa, runtime.IMb}
	if s.constant() {
		return append(implicit, runtime.Leapfrog)
	}
	return implicit
}

// tried returns the integrators that tests with many evaluations try: all, or
// those with code of their own.
func (s *subject) tried() []runtime.Integrator {
	if s.costly {
		return s.own()
	}
	return s.integrators()
}

// some returns n, or in a short campaign a third of it for differential equations, whose evaluations take longest.
func (s *subject) some(t testing.TB, n int) int {
	if s.ode {
		return campaign.Cases(t, max(n/3, 1), n)
	}
	return n
}

// own returns the integrators for which generated code has steps of its own.
func (s *subject) own() []runtime.Integrator {
	if s.constant() {
		return []runtime.Integrator{runtime.GLFb, runtime.IMb, runtime.Leapfrog}
	}
	return []runtime.Integrator{runtime.GLFb, runtime.IMb}
}

// must returns a function that returns its first argument, and ends the test
// on an error.
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// maker turns a generated constructor and its data into a source of models.
func maker[D any, M runtime.System](t testing.TB, create func(D) (M, error), d D) func() runtime.System {
	return func() runtime.System {
		t.Helper()
		return must[M](t)(create(d))
	}
}

// flat returns the rows of x one after the other.
func flat(x [][]float64) []float64 {
	var out []float64
	for _, row := range x {
		out = append(out, row...)
	}
	return out
}

// ints converts the outcomes of a regression.
func ints(x []float64) []int {
	n := make([]int, len(x))
	for i, v := range x {
		n[i] = int(v)
	}
	return n
}

// subjects returns all generated models and blocks: the six that are functions of
// their parameters, each on every data set that the fixtures have for it, the
// blocks of stochastic volatility, and the models of differential equations.
func subjects(t testing.TB) []*subject {
	return append(append(models(t), blocks(t)...), odes(t)...)
}

// models returns the subjects that need neither blocks nor differential equations.
func models(t testing.TB) []*subject {
	t.Helper()
	load := func(name string) *fixtures.Model {
		return must[*fixtures.Model](t)(fixtures.Load(name))
	}
	var all []*subject

	f := load("banana")
	y, sy, st := f.Data.Y, f.Params["sigma_y"], f.Params["sigma_theta"]
	hand := must[*handwritten.Banana](t)(handwritten.NewBanana(y, sy, st))
	all = append(all,
		&subject{
			name:  "banana",
			fresh: maker(t, banana.New, banana.Data{N: len(y), Y: y, SigmaY: sy, SigmaT: st}),
			hand:  hand, points: f.Points, clean: 172, eps: 0.03,
		},
		&subject{
			name:  "banana_explicit",
			fresh: maker(t, banana_explicit.New, banana_explicit.Data{N: len(y), Y: y, SigmaY: sy, SigmaT: st}),
			hand:  hand, points: f.Points, clean: 172, eps: 0.03,
		})

	for _, v := range load("gaussian").Variants {
		all = append(all, &subject{
			name:   "gaussian/" + v.Variant,
			fresh:  maker(t, gaussian.New, gaussian.Data{Mu: v.Mu, Sigma: flat(v.Sigma)}),
			hand:   must[*handwritten.Gaussian](t)(handwritten.NewGaussian(v.Mu, flat(v.Sigma))),
			points: v.Points, clean: 90, normalised: true, eps: 0.5,
		})
	}

	for _, v := range load("funnel").Variants {
		if v.Alpha == 1e6 {
			all = append(all, &subject{
				name:   "funnel",
				fresh:  maker(t, funnel.New, funnel.Data{}),
				hand:   must[*handwritten.Funnel](t)(handwritten.NewFunnel(10, v.Alpha)),
				points: v.Points, clean: 96, normalised: true, eps: 0.1,
			})
		}
	}

	for _, name := range []string{"logistic_50x4", "logistic_569x10"} {
		f := load(name)
		n, k := int(f.Params["n"]), int(f.Params["k"])
		x, y := flat(f.Data.X), ints(f.Data.Y)
		other := make([]int, n)
		for i, v := range y {
			other[i] = 1 - v
		}
		hand := must[*handwritten.Logistic](t)(handwritten.NewLogistic(x, f.Data.Y, n, k))
		all = append(all,
			&subject{
				name:      name,
				fresh:     maker(t, logistic.New, logistic.Data{N: n, K: k, X: x, Y: y}),
				exchanged: maker(t, logistic.New, logistic.Data{N: n, K: k, X: x, Y: other}),
				hand:      hand, points: f.Points, clean: 72, eps: 0.5, costly: k == 10,
			},
			&subject{
				name:      "indexed_" + name,
				fresh:     maker(t, logistic_indexed.New, logistic_indexed.Data{N: n, K: k, X: x, Y: y}),
				exchanged: maker(t, logistic_indexed.New, logistic_indexed.Data{N: n, K: k, X: x, Y: other}),
				hand:      hand, points: f.Points, clean: 72, eps: 0.5, costly: k == 10,
			})
	}
	return all
}

// published returns the subjects that the authors' code computed something of.
func published(t testing.TB) []*subject { return append(models(t), recorded(t)...) }

// byHand returns the subjects that are written by hand too.
func byHand(all []*subject) []*subject {
	return slices.DeleteFunc(all, func(s *subject) bool { return s.hand == nil })
}

// small returns the subjects without the regressions on 569 rows, for tests
// whose subject is not the data.
func small(t testing.TB) []*subject {
	var out []*subject
	for _, s := range subjects(t) {
		if s.ode || !s.costly {
			out = append(out, s)
		}
	}
	return out
}

// each runs a test for every subject, in a short campaign for all but those of few, whose
// evaluations take longest: others are of their kinds.
func each(t *testing.T, all []*subject, f func(t *testing.T, s *subject)) {
	few := []string{"lotka_volterra", "logistic_569x10", "indexed_logistic_569x10"}
	for _, s := range all {
		if slices.Contains(few, s.name) && !campaign.Long(t) {
			continue
		}
		t.Run(s.name, func(t *testing.T) { f(t, s) })
	}
}

// stepper returns the step of the integrator k for m.
func stepper(t testing.TB, m runtime.Model, k runtime.Integrator) runtime.StepFunc {
	t.Helper()
	return must[runtime.StepFunc](t)(runtime.Stepper(m, k, runtime.DefaultMethod))
}

// iterative returns the fixed-point methods that an integrator knows.
func iterative(k runtime.Integrator) []runtime.Method {
	if k == runtime.IMb {
		return []runtime.Method{runtime.FixedPoint, runtime.Anderson}
	}
	return []runtime.Method{runtime.FixedPoint}
}

// plain returns the paper's solver: tolerance δ, 1000 iterations.
func plain(delta float64) *runtime.Solver {
	return &runtime.Solver{Tolerance: delta, MaxIterations: 1000}
}

func clone(x []float64) []float64 { return append([]float64(nil), x...) }

// size returns max(1, |x|∞).
func size(x ...float64) float64 {
	s := 1.0
	for _, v := range x {
		s = max(s, math.Abs(v))
	}
	return s
}

// apart returns |a − b|∞/max(1, |a|∞, |b|∞), NaN where an entry is.
func apart(a, b []float64) float64 {
	d := 0.0
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d / max(size(a...), size(b...))
}

// join returns z = (q, p).
func join(q, p []float64) []float64 { return append(clone(q), p...) }

// near reports an error where two arrays are farther apart than tol.
func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
	} else if d := apart(got, want); !(d <= tol) {
		t.Errorf("%s: off by %.2e, more than %.0e: %.17g, want %.17g", what, d, tol, got, want)
	}
}

// A state is a point of phase space.
type state struct{ q, p []float64 }

// states returns n states of a subject: positions around those of the fixture,
// spread further by a normal of standard deviation spread, and momenta drawn
// given the position.
func (s *subject) states(t testing.TB, n int, spread float64, seed uint64) []state {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	m := s.fresh()
	if s.spread > 0 {
		spread *= s.spread
	}
	out := make([]state, n)
	for i := range out {
		q := clone(s.points[i%len(s.points)].Q)
		p := make([]float64, len(q))
		for j := range q {
			q[j] += spread * rng.NormFloat64()
			p[j] = rng.NormFloat64()
		}
		if st := m.DrawMomentum(p, q); st != runtime.OK {
			t.Fatalf("%s: no momentum at %v: %v", s.name, q, st)
		}
		out[i] = state{q, p}
	}
	return out
}

// tails returns n positions within radius of the origin in every coordinate:
// half of them within 2, and with coordinates at the edge itself.
func (s *subject) tails(n int, radius float64, seed uint64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := make([][]float64, n)
	for i := range out {
		r := radius
		if i%2 == 0 {
			r = 2
		}
		q := make([]float64, s.dim())
		for j := range q {
			q[j] = r * (2*rng.Float64() - 1)
		}
		if i%4 == 1 {
			q[rng.IntN(len(q))] = radius * float64(1-2*rng.IntN(2))
		}
		if s.within != nil {
			s.within(q)
		}
		out[i] = q
	}
	return out
}
