package runtime_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
)

func newtonian(delta float64) *runtime.Solver {
	s := plain(delta)
	s.Method = runtime.Newton
	return s
}

// newtonStepper returns the step of an integrator with Newton's method.
func newtonStepper(t testing.TB, m runtime.Model, k runtime.Integrator) runtime.StepFunc {
	t.Helper()
	step, err := runtime.Stepper(m, k, runtime.Newton)
	if err != nil {
		t.Fatal(err)
	}
	return step
}

// TestNewton finds the roots that the fixed-point iteration finds where that contracts, and with
// the number of corrections of a quadratically convergent method: with an entry of the Jacobian
// off by some per cent the convergence is linear, and takes more.
func TestNewton(t *testing.T) {
	models := []struct {
		m    runtime.Model
		eps  float64
		most int // corrections of one solve at δ = 1e-13, with that of the step back
	}{
		{newBanana([]float64{0.4, 1.3, 0.9, 2.2}, 0.5, 1), 0.2, 6},
		{newCurved(), 0.7, 7},
		{&constantCurved{newGaussian([]float64{1, -2}, [][]float64{{1, 0.3}, {0.3, 4}})}, 0.3, 3},
	}
	rng := rand.New(rand.NewPCG(3, 1))
	for _, c := range models {
		name := c.m.Info().Name
		for _, k := range []runtime.Integrator{runtime.GLFb, runtime.IMb} {
			solves, tried, slow := 1, 0, 0
			if k == runtime.GLFb {
				solves = 2
			}
			for range 500 {
				q := []float64{rng.NormFloat64(), rng.NormFloat64()}
				p := []float64{rng.NormFloat64(), rng.NormFloat64()}
				qf, pf := append([]float64(nil), q...), append([]float64(nil), p...)
				// Near contraction limits the fixed point may be another, or none.
				if r := stepper(t, c.m, k)(qf, pf, c.eps, plain(1e-13)); r.Status != runtime.OK || r.Iterations > 24*solves {
					continue
				}
				tried++
				r := newtonStepper(t, c.m, k)(q, p, c.eps, newtonian(1e-13))
				if r.Status != runtime.OK {
					t.Fatalf("%s, %v: %v", name, k, r.Status)
				}
				if d := distance(q, p, qf, pf); d > 1e-11 {
					t.Fatalf("%s, %v: another root, %g away", name, k, d)
				}
				if r.Iterations > c.most*solves {
					slow++
				}
			}
			if 50*slow > tried { // some were handed to the fixed-point iteration
				t.Errorf("%s, %v: of %d solves %d take more than %d corrections: the convergence is not quadratic", name, k, tried, slow, c.most)
			}
			if tried < 100 {
				t.Errorf("%s, %v: %d cases only", name, k, tried)
			}
		}
	}
}

// constantCurved is a gaussian with second derivatives.
type constantCurved struct{ *gaussian }

func (m *constantCurved) Curvature(out, _, _ []float64) { copy(out, m.a) }

// TestNewtonKnowsItsDoubts steps so far that equations have several roots within reach, and
// demands that steps which a step back does not undo are all suspect, and that there are some.
func TestNewtonKnowsItsDoubts(t *testing.T) {
	m := newBanana([]float64{0.4, 1.3, 0.9, 2.2, 0.1, 1.6, 0.8, 1.1}, 0.5, 1)
	rng := rand.New(rand.NewPCG(5, 1))
	for _, k := range []runtime.Integrator{runtime.GLFb, runtime.IMb} {
		step, s := newtonStepper(t, m, k), newtonian(1e-9)
		irreversible, silent, certain, n := 0, 0, 0, 0
		for range campaign.Cases(t, 8_000, 20_000) {
			z := 1.5 * rng.NormFloat64()
			q := []float64{0.9 - z*z + 0.3*rng.NormFloat64(), z}
			p := []float64{rng.NormFloat64(), rng.NormFloat64()}
			if st := runtime.Generic(m).DrawMomentum(p, q); st != runtime.OK {
				t.Fatal(st)
			}
			q0 := append([]float64(nil), q...)
			forth := step(q, p, 0.5, s)
			if forth.Status != runtime.OK {
				continue
			}
			n++
			if !forth.Suspect {
				certain++
			}
			back := step(q, p, -0.5, s)
			if back.Status == runtime.OK && distance(q, q, q0, q0) < 1e-5 {
				continue
			}
			irreversible++
			if !forth.Suspect {
				silent++
			}
		}
		t.Logf("%v: of %d steps %d are certain; %d are not undone, of which %d without a word", k, n, certain, irreversible, silent)
		if irreversible < 10 || certain < n/10 {
			t.Errorf("%v: of %d steps %d are certain, %d are not undone: nothing is tested", k, n, certain, irreversible)
		}
		if silent > 0 {
			t.Errorf("%v: %d of %d steps that are not undone did not say that they are uncertain", k, silent, irreversible)
		}
	}
}

// TestNewtonRefuses asks for Newton's method where it does not apply.
func TestNewtonRefuses(t *testing.T) {
	gauss := newGaussian([]float64{1, -2}, [][]float64{{1, 0.3}, {0.3, 4}})
	unknown := struct{ runtime.Model }{newCurved()} // without Curvature
	long := newCurved()
	long.info.Params[0].Shape[0] = runtime.MaxNewton + 1
	for _, c := range []struct {
		m    runtime.Model
		k    runtime.Integrator
		want string
	}{
		{gauss, runtime.IMb, "constant"},
		{runtime.Generic(unknown), runtime.IMb, "--curvature"},
		{unknown, runtime.IMb, "--curvature"},
		{gauss, runtime.Leapfrog, "explicit"},
		{long, runtime.GLFb, "leave out the solver"},
		{newCurved(), runtime.GLFa, "choose glfb"},
		{newCurved(), runtime.IMa, "choose imb"},
	} {
		_, err := runtime.Stepper(c.m, c.k, runtime.Newton)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.k, err)
		}
		opt := runtime.DefaultOptions()
		opt.Integrator, opt.Solver.Method = c.k, runtime.Newton
		if err := opt.Validate(c.m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: options: %v", c.k, err)
		}
	}
}
