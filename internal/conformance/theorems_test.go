package conformance

import (
	"math"
	"testing"

	"github.com/hamc-dev/hamc/generated/gaussian"
	"github.com/hamc-dev/hamc/runtime"
)

// tight is the tolerance δ of solves that stand for exact ones.
const tight = 1e-13

// TestReversible: a symmetric integrator, started again with the momentum
// negated, returns to where it came from. The largest violation measured is
// 9e-13.
func TestReversible(t *testing.T) {
	each(t, subjects(t), func(t *testing.T, s *subject) {
		m, states := s.fresh(), s.states(t, 12, 0.3, 10)
		if s.costly {
			states = states[:2]
		}
		for _, k := range s.integrators() {
			for _, method := range iterative(k) {
				solver := plain(tight)
				solver.Method = method
				for i, z := range states {
					e, st := runtime.ReversibilityError(m, runtime.MaxNorm, stepper(t, m, k), z.q, z.p, s.eps/3, 10, solver)
					if st != runtime.OK || !(e <= 1e-11*size(join(z.q, z.p)...)) {
						t.Errorf("%v by %v, state %d: violated by %.1e, status %v", k, method, i, e, st)
					}
				}
			}
		}
	})
}

// TestVolume: a symplectic integrator has a Jacobian of determinant one. The
// largest violation measured, by central differences, is 4e-9.
func TestVolume(t *testing.T) {
	each(t, small(t), func(t *testing.T, s *subject) {
		m, states, steps, tol := s.fresh(), s.states(t, 6, 0.3, 11), 5, 1e-7
		if s.ode {
			// The solution has an error of some 1e-12, which the differences
			// divide by 1e-5.
			states, steps, tol = states[:1], 2, 1e-6
		}
		for _, k := range s.tried() {
			for _, method := range iterative(k) {
				solver := plain(tight)
				solver.Method = method
				for i, z := range states {
					e, st := runtime.VolumeError(m, runtime.MaxNorm, stepper(t, m, k), z.q, z.p, s.eps, steps, solver, 1e-5)
					if st != runtime.OK || !(e <= tol) {
						t.Errorf("%v by %v, state %d: violated by %.1e, status %v", k, method, i, e, st)
					}
				}
			}
		}
	})
}

// TestSecondOrder: the energy error of a trajectory of fixed time is ε² times a
// constant, with a remainder of ε⁴ because the integrators are symmetric; halving
// ε divides it by 4. The implicit midpoint has no energy error on the Gaussian.
func TestSecondOrder(t *testing.T) {
	each(t, small(t), func(t *testing.T, s *subject) {
		m, n := s.fresh(), 6
		if s.costly {
			n = 1
		}
		for _, k := range s.tried() {
			if s.quadratic() && (k == runtime.IMa || k == runtime.IMb) {
				continue
			}
			for i, z := range s.states(t, n, 0.2, 12) {
				h0, _ := energy(t, m, z.q, z.p)
				err := func(n int) float64 {
					q, p := clone(z.q), clone(z.p)
					path := runtime.Integrate(stepper(t, m, k), q, p, 4*s.eps/float64(n), n, plain(tight))
					if path.Status != runtime.OK {
						t.Fatalf("%v, state %d, %d steps: %v", k, i, n, path.Status)
					}
					h1, _ := energy(t, m, q, p)
					return h1 - h0
				}
				a, b := err(64), err(128)
				// The rounding of H must not decide.
				if math.Abs(b) < 1e-10 {
					t.Fatalf("%v, state %d: the energy error %.1e shows nothing", k, i, b)
				}
				if ratio := a / b; !(math.Abs(ratio-4) < 0.2) {
					t.Errorf("%v, state %d: energy errors %.3e and %.3e, ratio %.2f", k, i, a, b, ratio)
				}
			}
		}
	})
}

// TestExactSolution compares with the solution of Hamilton's equations of the
// Gaussian with G = Σ⁻¹, in which every coordinate has period 2π:
//
//	q(t) = μ + (q₀ − μ) cos t + Σp₀ sin t,  p(t) = p₀ cos t − Σ⁻¹(q₀ − μ) sin t
func TestExactSolution(t *testing.T) {
	mu, sigma := []float64{0.5, -1}, []float64{1, 0.5, 0.5, 2}
	inverse := []float64{2 / 1.75, -0.5 / 1.75, -0.5 / 1.75, 1 / 1.75}
	m := must[*gaussian.Model](t)(gaussian.New(gaussian.Data{Mu: mu, Sigma: sigma}))
	q0, p0 := []float64{2, 1}, []float64{0.3, -0.8}
	const time = 2.5
	var q1, p1 [2]float64
	for i := range 2 {
		var sp, ad float64
		for j := range 2 {
			sp += sigma[i*2+j] * p0[j]
			ad += inverse[i*2+j] * (q0[j] - mu[j])
		}
		q1[i] = mu[i] + (q0[i]-mu[i])*math.Cos(time) + sp*math.Sin(time)
		p1[i] = p0[i]*math.Cos(time) - ad*math.Sin(time)
	}
	want := join(q1[:], p1[:])
	for _, k := range []runtime.Integrator{runtime.GLFa, runtime.GLFb, runtime.IMa, runtime.IMb, runtime.Leapfrog} {
		err := func(n int) float64 {
			q, p := clone(q0), clone(p0)
			runtime.Integrate(stepper(t, m, k), q, p, time/float64(n), n, plain(tight))
			return apart(join(q, p), want)
		}
		a, b := err(50), err(100)
		if ratio := a / b; !(math.Abs(ratio-4) < 0.01 && b < 1e-3) {
			t.Errorf("%v: errors %.2e and %.2e with 50 and 100 steps", k, a, b)
		}
	}
}

// TestVariantsAreOneMap: the (a) and (b) forms of an integrator compute the same
// step, to the tolerance δ of its solves.
func TestVariantsAreOneMap(t *testing.T) {
	each(t, subjects(t), func(t *testing.T, s *subject) {
		m, n := s.fresh(), 40
		if s.costly {
			n = 6
		}
		for _, delta := range []float64{1e-6, 1e-9, 1e-12} {
			for _, pair := range [][2]runtime.Integrator{{runtime.GLFa, runtime.GLFb}, {runtime.IMa, runtime.IMb}} {
				for i, z := range s.states(t, n, 0.3, 13) {
					var end [2][]float64
					for j, k := range pair {
						q, p := clone(z.q), clone(z.p)
						if r := stepper(t, m, k)(q, p, s.eps, plain(delta)); r.Status != runtime.OK {
							t.Fatalf("%v, state %d: %v", k, i, r.Status)
						}
						end[j] = join(q, p)
					}
					if d := apart(end[0], end[1]); !(d <= 10*delta) {
						t.Errorf("δ = %v, state %d: %v and %v are %.1f δ apart", delta, i, pair[0], pair[1], d/delta)
					}
				}
			}
		}
	})
}

// TestQuadraticEnergy: by theorem 2 of the paper the implicit midpoint conserves
// quadratic first integrals, and so the energy of the Gaussian, at every step
// size at which its solves converge. They do for ε < 2, where the contraction
// rate ε/2 is less than one, and must say that they do not beyond. The leapfrog,
// stable up to ε = 2, does not conserve it.
func TestQuadraticEnergy(t *testing.T) {
	const steps = 10
	all := 0
	for _, s := range small(t) {
		if !s.quadratic() {
			continue
		}
		all++
		m := s.fresh()
		for i, z := range s.states(t, 20, 0.5, 14) {
			h0, _ := energy(t, m, z.q, z.p)
			run := func(k runtime.Integrator, eps, delta float64) (float64, runtime.Status) {
				q, p := clone(z.q), clone(z.p)
				path := runtime.Integrate(stepper(t, m, k), q, p, eps, steps, plain(delta))
				h1, _, _ := m.Energy(q, p)
				return math.Abs(h1 - h0), path.Status
			}
			for _, delta := range []float64{1e-6, 1e-9, 1e-12} {
				for _, k := range []runtime.Integrator{runtime.IMa, runtime.IMb} {
					for _, eps := range []float64{0.01, 0.1, 0.5, 1, 1.5, 1.8} {
						// A solve stops within δρ/(1−ρ) of its root in a norm
						// that Σ stretches, IM(b) doubles that, and every step
						// adds |∇H| times it.
						rate := eps / 2
						bound := 8 * steps * delta * rate / (1 - rate) * size(join(z.q, z.p)...)
						if d, st := run(k, eps, delta); st != runtime.OK || !(d <= bound+1e-13) {
							t.Errorf("%s, %v, ε = %v, δ = %v, state %d: energy error %.1e, bound %.1e, status %v", s.name, k, eps, delta, i, d, bound, st)
						}
					}
				}
			}
			for _, k := range []runtime.Integrator{runtime.IMa, runtime.IMb} {
				if _, st := run(k, 2.5, 1e-9); st == runtime.OK {
					t.Errorf("%s, %v, ε = 2.5: no failure, though the solve cannot converge", s.name, k)
				}
			}
			for _, k := range []runtime.Integrator{runtime.Leapfrog, runtime.GLFa, runtime.GLFb} {
				if d, st := run(k, 1, 1e-12); st != runtime.OK || d < 1e-4 {
					t.Errorf("%s, %v, ε = 1, state %d: energy error %.1e, status %v: the test shows nothing", s.name, k, i, d, st)
				}
			}
		}
	}
	if all != 2 {
		t.Errorf("%d Gaussians, want 2", all)
	}
}

// TestAngularMomentum: the funnel and its SoftAbs metric are the same in
// every direction of x, so x_i p_j − x_j p_i is a conserved quantity. It is of the
// form zᵀAz, so theorem 2 of the paper says that the implicit midpoint conserves
// it. It is of the form qᵀAp too; theorem 1 as printed asks for a symmetric A and
// this one is skew, but the generalized leapfrog, the partitioned Runge–Kutta
// pair Lobatto IIIA–IIIB, conserves qᵀAp for every A (Hairer, Lubich & Wanner,
// Geometric Numerical Integration, theorem IV.2.4).
func TestAngularMomentum(t *testing.T) {
	moments := func(q, p []float64) []float64 {
		var out []float64
		for i := range 10 {
			for j := range i {
				out = append(out, q[i]*p[j]-q[j]*p[i])
			}
		}
		return out
	}
	for _, s := range small(t) {
		if s.name != "funnel" {
			continue
		}
		m := s.fresh()
		for _, k := range s.integrators() {
			shown := 0.0
			for i, z := range s.states(t, 10, 0.3, 15) {
				q, p := clone(z.q), clone(z.p)
				h0, _ := energy(t, m, q, p)
				path := runtime.Integrate(stepper(t, m, k), q, p, 2*s.eps, 20, plain(tight))
				if path.Status != runtime.OK {
					t.Fatalf("%v, state %d: %v", k, i, path.Status)
				}
				h1, _ := energy(t, m, q, p)
				shown = max(shown, math.Abs(h1-h0))
				near(t, k.String(), moments(q, p), moments(z.q, z.p), 1e-11)
			}
			if shown < 1e-3 {
				t.Errorf("%v: the energy is conserved to %.1e too, so the test shows nothing", k, shown)
			}
		}
		return
	}
	t.Error("no funnel")
}

// TestAngularMomentumOfAGaussian is the same on a round Gaussian, for the
// leapfrog too.
func TestAngularMomentumOfAGaussian(t *testing.T) {
	m := must[*gaussian.Model](t)(gaussian.New(gaussian.Data{Mu: []float64{0, 0}, Sigma: []float64{3, 0, 0, 3}}))
	for _, k := range []runtime.Integrator{runtime.GLFa, runtime.GLFb, runtime.IMa, runtime.IMb, runtime.Leapfrog} {
		q, p := []float64{2, -1}, []float64{0.3, 0.8}
		before := q[0]*p[1] - q[1]*p[0]
		if path := runtime.Integrate(stepper(t, m, k), q, p, 1.2, 20, plain(tight)); path.Status != runtime.OK {
			t.Fatalf("%v: %v", k, path.Status)
		}
		near(t, k.String(), []float64{q[0]*p[1] - q[1]*p[0]}, []float64{before}, 1e-11)
	}
}

// TestMirrorImages: symmetries of a posterior are symmetries of its steps. The
// banana and the funnel are even in t2 and in each x; a regression with the outcomes y
// exchanged is that with β and its momentum negated.
func TestMirrorImages(t *testing.T) {
	var curved []*subject
	for _, s := range models(t) {
		if !s.constant() && !s.costly {
			curved = append(curved, s)
		}
	}
	each(t, curved, func(t *testing.T, s *subject) {
		other, flip := s.fresh(), make([]float64, s.dim())
		for i := range flip {
			flip[i] = 1
		}
		switch s.hand.Info().Name {
		case "banana":
			flip[1] = -1
		case "funnel":
			flip[3], flip[7] = -1, -1
		case "logistic":
			other = s.exchanged()
			for i := range flip {
				flip[i] = -1
			}
		}
		m := s.fresh()
		for _, k := range s.own() {
			for _, z := range s.states(t, 10, 0.3, 16) {
				q, p := clone(z.q), clone(z.p)
				qf, pf := clone(z.q), clone(z.p)
				mirror := func() {
					for i, f := range flip {
						qf[i] *= f
						pf[i] *= f
					}
				}
				mirror()
				a := runtime.Integrate(stepper(t, m, k), q, p, s.eps/3, 5, plain(1e-9))
				b := runtime.Integrate(stepper(t, other, k), qf, pf, s.eps/3, 5, plain(1e-9))
				mirror()
				if a.Status != runtime.OK || a != b {
					t.Errorf("%v: %+v, its mirror image %+v", k, a, b)
				}
				near(t, k.String(), join(qf, pf), join(q, p), stepTolerance)
			}
		}
	})
}
