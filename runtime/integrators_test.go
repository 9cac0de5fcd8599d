package runtime_test

import (
	"math"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
)

// checkRecords integrates every clean record of the points with m and compares
// with the authors' result and number of iterations. It returns the number of records compared.
func checkRecords(t *testing.T, m runtime.Model, points []point) (compared int) {
	t.Helper()
	for i, pt := range points {
		for _, rec := range pt.Steps {
			if !rec.Clean {
				continue
			}
			delta, tolerance := 0.0, 1e-10
			if rec.Delta != nil {
				delta = *rec.Delta
				if delta > 1e-12 {
					tolerance = 2e-8
				}
			}
			q, p := clone(pt.Q), clone(pt.P)
			step := stepper(t, m, methods[rec.Method])
			path := runtime.Integrate(step, q, p, rec.Eps, rec.Steps, plain(delta))
			if path.Status != runtime.OK {
				t.Errorf("point %d %s ε=%v δ=%v: %v", i, rec.Method, rec.Eps, delta, path.Status)
				continue
			}
			if d := distance(q, p, rec.Q, rec.P); !(d <= tolerance) {
				t.Errorf("point %d %s ε=%v δ=%v %d steps: off by %.1e", i, rec.Method, rec.Eps, delta, rec.Steps, d)
			}
			// The same solves from the same starts take the same iterations;
			// near the precision of the numbers rounding may decide on the last.
			want, slack := 0, 0
			for _, n := range rec.Solves {
				want += n
			}
			if delta <= 1e-12 {
				slack = 1 + want/100
			}
			if off := path.Iterations - want; max(off, -off) > slack {
				t.Errorf("point %d %s ε=%v δ=%v %d steps: %d iterations, want %d", i, rec.Method, rec.Eps, delta, rec.Steps, path.Iterations, want)
			}
			compared++
		}
	}
	return compared
}

func TestStepsOfTheAuthorsCode(t *testing.T) {
	m, f := fixtureBanana(t)
	if n := checkRecords(t, m, f.Points); n < 150 {
		t.Errorf("only %d clean records of the banana", n)
	}
	g := readFixture(t, "gaussian")
	for _, v := range g.Variants {
		if n := checkRecords(t, newGaussian(v.Mu, v.Sigma), v.Points); n < 60 {
			t.Errorf("only %d clean records of the gaussian", n)
		}
	}
}

func TestEnergyOfTheAuthorsCode(t *testing.T) {
	check := func(m runtime.Model, points []point) {
		t.Helper()
		sys := runtime.Generic(m)
		h0, l0, _ := sys.Energy(points[0].Q, points[0].P)
		for i, pt := range points {
			h, l, st := sys.Energy(pt.Q, pt.P)
			if st != runtime.OK {
				t.Fatalf("%s point %d: %v", m.Info().Name, i, st)
			}
			// The records' constants may differ, so differences count.
			if d := (h - h0) - (pt.H - points[0].H); math.Abs(d) > 1e-12*max(1, math.Abs(pt.H)) {
				t.Errorf("%s point %d: H off by %.1e", m.Info().Name, i, d)
			}
			if d := (l - l0) - (pt.L - points[0].L); math.Abs(d) > 1e-12*max(1, math.Abs(pt.L)) {
				t.Errorf("%s point %d: L off by %.1e", m.Info().Name, i, d)
			}
		}
	}
	m, f := fixtureBanana(t)
	check(m, f.Points)
	for _, v := range readFixture(t, "gaussian").Variants {
		check(newGaussian(v.Mu, v.Sigma), v.Points)
	}
}

// A step that does not converge must say so, for GLF at points where the
// authors' code raises an exception, ends at the cap, or ends at the cap and
// calls it a success; the implicit midpoint converges there.
func TestFailuresOfTheGeneralizedLeapfrog(t *testing.T) {
	m, f := fixtureBanana(t)
	stopped := 0
	for i, rec := range f.Failures {
		for _, stalled := range []bool{false, true} {
			s := plain(rec.Delta)
			s.StopStalled = stalled
			for _, k := range []runtime.Integrator{runtime.GLFa, runtime.GLFb} {
				q, p := clone(rec.Q), clone(rec.P)
				r := stepper(t, m, k)(q, p, rec.Eps, s)
				if r.Status == runtime.OK {
					t.Errorf("record %d %v: no failure", i, k)
				}
				if r.Status == runtime.Stalled {
					stopped++
					if !stalled || r.Iterations >= s.MaxIterations {
						t.Errorf("record %d %v: stalled after %d iterations with StopStalled = %v", i, k, r.Iterations, stalled)
					}
				}
			}
			for k, want := range map[runtime.Integrator]record{runtime.IMa: rec.IMa, runtime.IMb: rec.IMb} {
				q, p := clone(rec.Q), clone(rec.P)
				r := stepper(t, m, k)(q, p, rec.Eps, s)
				if r.Status != runtime.OK {
					t.Errorf("record %d %v: %v", i, k, r.Status)
				} else if d := distance(q, p, want.Q, want.P); d > 1e-5 {
					t.Errorf("record %d %v: off by %.1e", i, k, d)
				}
			}
		}
	}
	if len(f.Failures) < 6 || stopped == 0 {
		t.Errorf("%d records, %d steps stopped as stalled", len(f.Failures), stopped)
	}
}

// pairs integrates single steps from the fixture's points and returns the
// largest distance between two integrators.
func pairs(t *testing.T, a, b runtime.Integrator, delta float64) (worst float64, steps int) {
	m, f := fixtureBanana(t)
	for _, eps := range []float64{0.01, 0.1} {
		for _, pt := range f.Points {
			qa, pa, qb, pb := clone(pt.Q), clone(pt.P), clone(pt.Q), clone(pt.P)
			ra := stepper(t, m, a)(qa, pa, eps, plain(delta))
			rb := stepper(t, m, b)(qb, pb, eps, plain(delta))
			if ra.Status != runtime.OK || rb.Status != runtime.OK {
				continue
			}
			worst = max(worst, distance(qa, pa, qb, pb))
			steps++
		}
	}
	return worst, steps
}

func TestVariantsComputeTheSameMap(t *testing.T) {
	if d, n := pairs(t, runtime.GLFa, runtime.GLFb, 1e-9); d > 1e-13 || n < 10 {
		t.Errorf("GLF(a) and GLF(b) differ by %.1e over %d steps", d, n)
	}
	for _, delta := range []float64{1e-6, 1e-9} {
		if d, n := pairs(t, runtime.IMa, runtime.IMb, delta); d > 10*delta || n < 10 {
			t.Errorf("δ=%v: IM(a) and IM(b) differ by %.1e over %d steps", delta, d, n)
		}
	}
	// The plain and the cached form must agree after many steps too: this
	// is where a stale cache would show.
	m, f := fixtureBanana(t)
	qa, pa, qb, pb := clone(f.Points[1].Q), clone(f.Points[1].P), clone(f.Points[1].Q), clone(f.Points[1].P)
	a := runtime.Integrate(stepper(t, m, runtime.GLFa), qa, pa, 0.01, 20, plain(1e-12))
	b := runtime.Integrate(stepper(t, m, runtime.GLFb), qb, pb, 0.01, 20, plain(1e-12))
	if d := distance(qa, pa, qb, pb); a.Status != runtime.OK || b.Status != runtime.OK || d > 1e-12 {
		t.Errorf("20 steps: %v, %v, off by %.1e", a.Status, b.Status, d)
	}
	if a.Iterations != b.Iterations {
		t.Errorf("20 steps took %d and %d iterations", a.Iterations, b.Iterations)
	}
}

// systems are a model each for the two kinds of metric, with a state.
func systems(t *testing.T) []struct {
	m    runtime.Model
	q, p []float64
} {
	_, f := fixtureBanana(t)
	b := newBanana(f.Data.Y, 2, 2)
	return []struct {
		m    runtime.Model
		q, p []float64
	}{
		{b, []float64{0.5, 0.7}, []float64{2, -3}},
		{newCurved(), []float64{0.7, -0.4}, []float64{-1, 0.6}},
		{newGaussian([]float64{0.5, -1}, [][]float64{{1, 0.5}, {0.5, 2}}), []float64{1, 0}, []float64{0.3, -0.8}},
	}
}

func integratorsFor(m runtime.Model) []runtime.Integrator {
	if m.Info().Metric.Constant {
		return append([]runtime.Integrator{runtime.Leapfrog}, implicit...)
	}
	return implicit
}

// The theorems of the paper: the integrators are symmetric under negation of
// the momentum and preserve volume when the solves are exact.
func TestReversibilityAndVolume(t *testing.T) {
	for _, c := range systems(t) {
		for _, k := range integratorsFor(c.m) {
			step := stepper(t, c.m, k)
			e, st := runtime.ReversibilityError(nil, runtime.MaxNorm, step, c.q, c.p, 0.02, 10, plain(1e-12))
			if st != runtime.OK || !(e < 1e-9) {
				t.Errorf("%s %v: reversibility violated by %.1e (%v)", c.m.Info().Name, k, e, st)
			}
			v, st := runtime.VolumeError(nil, runtime.MaxNorm, step, c.q, c.p, 0.02, 10, plain(1e-12), 1e-5)
			if st != runtime.OK || !(v < 1e-6) {
				t.Errorf("%s %v: volume violated by %.1e (%v)", c.m.Info().Name, k, v, st)
			}
		}
	}
}

// The error of a trajectory of fixed time falls with ε²: halving ε divides
// it by 4.
func TestSecondOrder(t *testing.T) {
	for _, c := range systems(t) {
		fine := func(k runtime.Integrator, n int) (q, p []float64) {
			q, p = clone(c.q), clone(c.p)
			if path := runtime.Integrate(stepper(t, c.m, k), q, p, 0.2/float64(n), n, plain(1e-13)); path.Status != runtime.OK {
				t.Fatalf("%s %v: %v", c.m.Info().Name, k, path.Status)
			}
			return q, p
		}
		q0, p0 := fine(runtime.IMb, 4000)
		for _, k := range integratorsFor(c.m) {
			q1, p1 := fine(k, 20)
			q2, p2 := fine(k, 40)
			ratio := distance(q1, p1, q0, p0) / distance(q2, p2, q0, p0)
			if math.Abs(ratio-4) > 0.2 {
				t.Errorf("%s %v: halving the step divides the error by %.2f", c.m.Info().Name, k, ratio)
			}
		}
	}
}

// The implicit midpoint conserves quadratic invariants, so the energy of a
// Gaussian at any step size; the leapfrog does not.
func TestMidpointConservesAQuadraticEnergy(t *testing.T) {
	m := newGaussian([]float64{0.5, -1}, [][]float64{{1, 0.5}, {0.5, 2}})
	sys := runtime.Generic(m)
	for _, k := range []runtime.Integrator{runtime.IMa, runtime.IMb, runtime.Leapfrog} {
		q, p := []float64{2, 1}, []float64{0.3, -0.8}
		h0, _, _ := sys.Energy(q, p)
		if path := runtime.Integrate(stepper(t, m, k), q, p, 1, 10, plain(1e-14)); path.Status != runtime.OK {
			t.Fatalf("%v: %v", k, path.Status)
		}
		h1, _, _ := sys.Energy(q, p)
		conserved := math.Abs(h1-h0) < 1e-12
		if conserved != (k != runtime.Leapfrog) {
			t.Errorf("%v: energy error %.1e", k, h1-h0)
		}
	}
}

// A solve reports what went wrong: metrics that lose definiteness, values that
// are not numbers, too few iterations allowed.
func TestStatusOfAFailedStep(t *testing.T) {
	for _, k := range implicit {
		m := newCurved()
		bad := &sickMetric{curved: m, g: math.NaN()}
		if r := stepper(t, bad, k)([]float64{0.7, -0.4}, []float64{1, 1}, 0.1, plain(1e-9)); r.Status != runtime.NonFinite {
			t.Errorf("%v, metric not a number: %v", k, r.Status)
		}
		bad.g = -1
		if r := stepper(t, bad, k)([]float64{0.7, -0.4}, []float64{1, 1}, 0.1, plain(1e-9)); r.Status != runtime.NotPositiveDefinite {
			t.Errorf("%v, metric indefinite: %v", k, r.Status)
		}
		short := &runtime.Solver{Tolerance: 1e-12, MaxIterations: 2}
		if r := stepper(t, m, k)([]float64{0.7, -0.4}, []float64{5, 5}, 0.1, short); r.Status != runtime.IterationLimit || r.Iterations != 2 {
			t.Errorf("%v, two iterations allowed: %v after %d", k, r.Status, r.Iterations)
		}
	}
	m := newGaussian([]float64{math.NaN(), 0}, [][]float64{{1, 0}, {0, 1}})
	if r := runtime.Generic(m).StepLeapfrog([]float64{1, 1}, []float64{1, 1}, 0.1); r.Status != runtime.NonFinite {
		t.Errorf("leapfrog with a gradient that is not a number: %v", r.Status)
	}
}

// sickMetric has the metric entry g beyond q₀ = 0.71.
type sickMetric struct {
	*curved
	g float64
}

func (m *sickMetric) Clone() runtime.Model { c := *m; return &c }

func (m *sickMetric) Metric(g, q []float64) {
	m.curved.Metric(g, q)
	if q[0] > 0.71 {
		g[0] = m.g
	}
}

func TestStepperChoosesTheSystemsOwnStep(t *testing.T) {
	own := &ownSteps{GenericSystem: runtime.Generic(newCurved())}
	for _, k := range implicit {
		stepper(t, own, k)([]float64{0.1, 0.2}, []float64{0.3, 0.4}, 0.1, plain(1e-9))
	}
	if own.calls != 2 {
		t.Errorf("%d calls of the system's own steps, want 2: GLF(b) and IM(b)", own.calls)
	}
	if _, err := runtime.Stepper(newCurved(), runtime.Leapfrog, runtime.DefaultMethod); err == nil {
		t.Error("leapfrog on a varying metric: no error")
	}
}

type ownSteps struct {
	*runtime.GenericSystem
	calls int
}

func (s *ownSteps) StepGLFb(q, p []float64, eps float64, sol *runtime.Solver) runtime.StepResult {
	s.calls++
	return s.GenericSystem.StepGLFb(q, p, eps, sol)
}

func (s *ownSteps) StepIMb(q, p []float64, eps float64, sol *runtime.Solver) runtime.StepResult {
	s.calls++
	return s.GenericSystem.StepIMb(q, p, eps, sol)
}

func TestIntegratorNames(t *testing.T) {
	for k := runtime.DefaultIntegrator; k <= runtime.Leapfrog; k++ {
		if got, err := runtime.ParseIntegrator(k.String()); err != nil || got != k {
			t.Errorf("%v parses as %v, %v", k, got, err)
		}
	}
	if _, err := runtime.ParseIntegrator("euler"); err == nil {
		t.Error("euler: no error")
	}
}

// TestStructures: the name of a structure is read back.
func TestStructures(t *testing.T) {
	for s := runtime.Dense; s <= runtime.BlockDiagonal; s++ {
		if got, err := runtime.ParseStructure(s.String()); err != nil || got != s {
			t.Errorf("%v is read as %v, %v", s, got, err)
		}
	}
	if s, err := runtime.ParseStructure("Structure(6)"); err == nil {
		t.Errorf("what is none is read as %v", s)
	}
}
