package handwritten

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/runtime"
)

// A testCase is one model with the points that the paper's code computed for
// it.
type testCase struct {
	name        string
	model       runtime.Model
	points      []fixtures.Point
	transformed bool // unconstrained coordinates and parameters differ
	ode         bool // the paper's code has the error of its ODE solver
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
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

func testCases(t *testing.T) []testCase {
	load := func(name string) *fixtures.Model {
		t.Helper()
		return must[*fixtures.Model](t)(fixtures.Load(name))
	}
	var cases []testCase

	f := load("banana")
	banana := must[*Banana](t)(NewBanana(f.Data.Y, f.Params["sigma_y"], f.Params["sigma_theta"]))
	cases = append(cases, testCase{name: "banana", model: banana, points: f.Points})

	for _, v := range load("gaussian").Variants {
		g := must[*Gaussian](t)(NewGaussian(v.Mu, flat(v.Sigma)))
		cases = append(cases, testCase{name: "gaussian/" + v.Variant, model: g, points: v.Points})
	}

	f = load("funnel")
	for _, v := range f.Variants {
		m := must[*Funnel](t)(NewFunnel(f.Dim-1, v.Alpha))
		cases = append(cases, testCase{name: fmt.Sprintf("funnel/alpha=%g", v.Alpha), model: m, points: v.Points})
	}

	for _, name := range []string{"logistic_50x4", "logistic_569x10"} {
		f = load(name)
		n, k := int(f.Params["n"]), int(f.Params["k"])
		m := must[*Logistic](t)(NewLogistic(flat(f.Data.X), f.Data.Y, n, k))
		cases = append(cases, testCase{name: name, model: m, points: f.Points})
	}

	f = load("sv_latent")
	sv := must[*SVAuthors](t)(NewSVAuthors(f.Data.Y, f.Data.Path))
	cases = append(cases, testCase{name: "sv_latent", model: sv, points: f.Points, transformed: true})

	cases = append(cases, volatilityCase(t, "sv_volatility_T100"))

	f = load("fhn")
	fhn := must[*FitzHughNagumo](t)(NewFitzHughNagumo(f.Data.T, f.Data.States,
		[]float64{f.Params["state0.1"], f.Params["state0.2"]}, f.Params["sigma"]))
	return append(cases, testCase{name: "fhn", model: fhn, points: f.Points, ode: true})
}

// volatilityCase returns a volatility block, with its points given the
// quantities that other files give.
func volatilityCase(t *testing.T, name string) testCase {
	t.Helper()
	f := must[*fixtures.Model](t)(fixtures.Load(name))
	m := must[*SVVolatility](t)(NewSVVolatility(f.Data.Y, f.Params["sigma"], f.Params["phi"], f.Params["beta"]))
	g := make([][]float64, f.Dim)
	for i := range g {
		g[i] = make([]float64, f.Dim)
		g[i][i] = f.GDiag[i]
		if i > 0 {
			g[i][i-1], g[i-1][i] = f.GOffDiag[i-1], f.GOffDiag[i-1]
		}
	}
	for i := range f.Points {
		f.Points[i].G = g
		f.Points[i].HPaper = f.Points[i].HCodeNoLogDet + f.Points[i].LogDetG/2
	}
	return testCase{name: name, model: m, points: f.Points}
}

// maxAbs returns max(1, |x|∞).
func maxAbs(x []float64) float64 {
	s := 1.0
	for _, v := range x {
		s = math.Max(s, math.Abs(v))
	}
	return s
}

// check reports values that differ by more than tol·max(1, |want|∞).
func check(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: length %d, want %d", what, len(got), len(want))
		return
	}
	s := maxAbs(want)
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tol*s) {
			t.Errorf("%s[%d] = %.17g, want %.17g (error %.1e of %.1e)", what, i, got[i], want[i], math.Abs(got[i]-want[i])/s, tol)
		}
	}
}

func gradient(m runtime.Model, q []float64) []float64 {
	g := make([]float64, m.Info().Dim())
	m.Gradient(g, q)
	return g
}

func metric(m runtime.Model, q []float64) []float64 {
	n := m.Info().Dim()
	g := make([]float64, n*n)
	m.Metric(g, q)
	return g
}

func jacobian(m runtime.Model, q []float64) []float64 {
	n := m.Info().Dim()
	d := make([]float64, n*n*n)
	m.MetricJacobian(d, q)
	return d
}

// tolerance of everything that is evaluated at a point, relative to
// max(1, |z|∞).
const tolerance = 1e-12

// odeTolerance is the same where the paper's code solved an ODE.
const odeTolerance = 1e-7

// recordTolerance returns how far the end of an integration may be off, and by
// how many iterations a solve. At δ = 1e-12 rounding may decide the last
// iteration; for sv_latent, where sums in the vector field reach 1000 and δ is
// some ten units in their last place, it may decide one more. For an ODE the
// error of their solver may decide the last one at any δ.
func recordTolerance(tc *testCase, s *fixtures.Step) (tol float64, slack int) {
	switch {
	case tc.ode:
		return odeTolerance, 1
	case s.Delta == 1e-9:
		return 2e-8, 0
	case tc.name == "sv_latent":
		return 1e-10, 2
	}
	return 1e-10, 1
}

// TestPoints compares with the code of the paper's authors.
func TestPoints(t *testing.T) {
	for _, tc := range testCases(t) {
		t.Run(tc.name, func(t *testing.T) {
			m := tc.model
			constant := m.Info().Metric.Constant
			tolerance := tolerance
			if tc.ode {
				tolerance = odeTolerance
			}
			var l0, h0 float64
			for i, pt := range tc.points {
				at := fmt.Sprintf("point %d: ", i)
				check(t, at+"gradL", gradient(m, pt.Q), pt.GradL, tolerance)
				check(t, at+"G", metric(m, pt.Q), flat(pt.G), tolerance)

				l := m.LogDensity(pt.Q)
				h := must[float64](t)(Energy(m, pt.Q, pt.P))
				wantH := pt.HPaper
				if i == 0 {
					l0, h0 = l, h
				}
				check(t, at+"L − L₀", []float64{l - l0}, []float64{pt.L - tc.points[0].L}, tolerance)
				check(t, at+"H − H₀", []float64{h - h0}, []float64{wantH - tc.points[0].HPaper}, tolerance)
				chol := must[*mat.Cholesky](t)(factor(m, pt.Q))
				if pt.LogDetG != 0 {
					check(t, at+"logdetG", []float64{chol.LogDet()}, []float64{pt.LogDetG}, tolerance)
				}
				if constant {
					continue
				}

				var dg []float64
				for _, block := range pt.DG {
					dg = append(dg, flat(block)...)
				}
				check(t, at+"dG", jacobian(m, pt.Q), dg, tolerance)
				check(t, at+"dH_dp", must[[]float64](t)(DHDp(m, pt.Q, pt.P)), pt.DHDp, tolerance)
				check(t, at+"dH_dq", must[[]float64](t)(DHDq(m, pt.Q, pt.P)), pt.DHDq, tolerance)
			}
		})
	}
}

// TestSteps compares integrations with the code of the paper's authors: end
// points, energy errors and, solve by solve, iteration counts.
func TestSteps(t *testing.T) {
	for _, tc := range testCases(t) {
		t.Run(tc.name, func(t *testing.T) {
			compared := 0
			for i, pt := range tc.points {
				for _, s := range pt.Steps {
					if !s.Clean || (s.Method != "IMb" && s.Method != "GLFb" && s.Method != "GLFb*") {
						continue
					}
					if !campaign.Long(t) && s.NumSteps > 1 {
						continue
					}
					compared++
					what := fmt.Sprintf("point %d: %s, ε = %g, δ = %g, %d steps: ", i, s.Method, s.Eps, s.Delta, s.NumSteps)
					q := append([]float64{}, pt.Q...)
					p := append([]float64{}, pt.P...)
					var iters []int
					var err error
					for range s.NumSteps {
						var a, b int
						if s.Method == "IMb" {
							a, err = StepIMb(tc.model, q, p, s.Eps, s.Delta)
							iters = append(iters, a)
						} else {
							a, b, err = StepGLFb(tc.model, q, p, s.Eps, s.Delta)
							iters = append(iters, a, b)
						}
						if err != nil {
							t.Fatal(what, err)
						}
					}
					tol, slack := recordTolerance(&tc, &s)
					check(t, what+"q", q, s.Q, tol)
					check(t, what+"p", p, s.P, tol)
					dh := must[float64](t)(Energy(tc.model, q, p)) - must[float64](t)(Energy(tc.model, pt.Q, pt.P))
					check(t, what+"ΔH", []float64{dh}, []float64{float64(s.DH)}, tol)
					if !near(iters, s.SolveIters, slack) {
						t.Errorf("%siterations %v, want %v", what, iters, s.SolveIters)
					}
				}
			}
			if compared == 0 && tc.name != "sv_volatility_T100" {
				t.Error("no record compared")
			}
		})
	}
}

// methods are the integrators by their names in the fixtures.
var methods = map[string]runtime.Integrator{
	"GLFa": runtime.GLFa, "GLFb": runtime.GLFb, "GLFb*": runtime.GLFb,
	"IMa": runtime.IMa, "IMb": runtime.IMb, "leapfrog": runtime.Leapfrog,
}

// TestRecords repeats every integration that the paper's code completed for
// the stochastic volatility model and FitzHugh–Nagumo with the steps of package
// runtime: end points, energy errors and the iterations of every step. Package
// conformance does so for the other models.
func TestRecords(t *testing.T) {
	cases := append(testCases(t), volatilityCase(t, "sv_volatility_T1000"))
	for _, tc := range cases {
		want, ok := map[string]int{"sv_latent": 45, "sv_volatility_T100": 6, "sv_volatility_T1000": 2, "fhn": 12}[tc.name]
		if !ok {
			continue
		}
		t.Run(tc.name, func(t *testing.T) {
			m := runtime.Generic(tc.model)
			compared := 0
			for i, pt := range tc.points {
				for _, s := range pt.Steps {
					if !s.Clean {
						continue
					}
					compared++
					what := fmt.Sprintf("point %d: %s, ε = %g, δ = %g, %d steps: ", i, s.Method, s.Eps, s.Delta, s.NumSteps)
					step := must[runtime.StepFunc](t)(runtime.Stepper(m, methods[s.Method], runtime.DefaultMethod))
					solver := &runtime.Solver{Tolerance: s.Delta, MaxIterations: 1000}
					if s.MaxIters > 0 {
						solver.MaxIterations = s.MaxIters
					}
					h0, _, _ := m.Energy(pt.Q, pt.P)
					q, p := slices.Clone(pt.Q), slices.Clone(pt.P)
					var iters []int
					for range s.NumSteps {
						r := step(q, p, s.Eps, solver)
						if r.Status != runtime.OK {
							t.Fatal(what, r.Status)
						}
						iters = append(iters, r.Iterations)
					}
					tol, slack := recordTolerance(&tc, &s)
					check(t, what+"q", q, s.Q, tol)
					check(t, what+"p", p, s.P, tol)
					h1, _, st := m.Energy(q, p)
					if st != runtime.OK {
						t.Fatal(what, st)
					}
					check(t, what+"ΔH", []float64{h1 - h0}, []float64{float64(s.DH)}, tol)

					solves := len(s.SolveIters) / s.NumSteps
					var sums []int
					for n := range s.NumSteps {
						sum := 0
						for _, k := range s.SolveIters[n*solves : (n+1)*solves] {
							sum += k
						}
						sums = append(sums, sum)
					}
					if !near(iters, sums, slack*solves) {
						t.Errorf("%siterations %v, want %v", what, iters, sums)
					}
				}
			}
			if compared != want {
				t.Errorf("%d records compared, want %d", compared, want)
			}
		})
	}
}

// near reports whether a and b differ by at most slack in every element.
func near(a, b []int, slack int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if max(a[i]-b[i], b[i]-a[i]) > slack {
			return false
		}
	}
	return true
}

// TestStepFailures: where the paper's code reports that GLF(b) does not
// converge, neither do we; the implicit midpoint does.
func TestStepFailures(t *testing.T) {
	f := must[*fixtures.Model](t)(fixtures.Load("banana"))
	m := must[*Banana](t)(NewBanana(f.Data.Y, f.Params["sigma_y"], f.Params["sigma_theta"]))
	for i, c := range f.GLFFailures {
		q, p := append([]float64{}, c.Q...), append([]float64{}, c.P...)
		if _, _, err := StepGLFb(m, q, p, c.Eps, c.Delta); err == nil {
			t.Errorf("failure %d: GLF(b) converged", i)
		}
		check(t, "q after a failed step", q, c.Q, 0)
		check(t, "p after a failed step", p, c.P, 0)
		if _, err := StepIMb(m, q, p, c.Eps, c.Delta); err != nil {
			t.Errorf("failure %d: IM(b): %v", i, err)
			continue
		}
		check(t, "q", q, c.IMb.Q, 1e-5)
		check(t, "p", p, c.IMb.P, 1e-5)
	}
}

// TestStan compares with Stan's log densities, constants included.
func TestStan(t *testing.T) {
	stan := func(name string) *fixtures.Posterior { return must[*fixtures.Posterior](t)(fixtures.LoadStan(name)) }
	data := func(p *fixtures.Posterior, v any) {
		t.Helper()
		if err := p.DecodeData(v); err != nil {
			t.Fatal(err)
		}
	}
	banana, funnel, gauss, heart := stan("banana"), stan("funnel"), stan("gauss2"), stan("logistic_heart")
	sv, fhn := stan("sv_centered"), stan("fitzhugh_nagumo")
	lotka := must[*fixtures.Posterior](t)(fixtures.LoadPosteriorDB("lotka_volterra"))
	var b fixtures.BananaData
	data(banana, &b)
	var f fixtures.FunnelData
	data(funnel, &f)
	var l fixtures.LogisticData
	data(heart, &l)
	var s fixtures.SVData
	data(sv, &s)
	var h fixtures.FHNData
	data(fhn, &h)
	var v fixtures.LotkaVolterraData
	data(lotka, &v)
	for _, tc := range []struct {
		name              string
		p                 *fixtures.Posterior
		model             runtime.Model
		density, gradient float64 // tolerances
	}{
		{"banana", banana, must[*Banana](t)(NewBanana(b.Y, b.SigmaY, b.SigmaTheta)), tolerance, tolerance},
		{"funnel", funnel, must[*Funnel](t)(NewFunnel(f.N, 1)), tolerance, tolerance},
		{"gauss2", gauss, must[*Gaussian](t)(NewGaussian([]float64{.5, -1}, []float64{1, .5, .5, 2})), tolerance, tolerance},
		{"logistic_heart", heart, must[*Logistic](t)(NewLogistic(flat(l.X), l.Y, l.N, l.K)), tolerance, tolerance},
		{"sv_centered", sv, must[*SVJoint](t)(NewSVJoint(s.Y)), tolerance, tolerance},
		// Stan solved these with tolerances of 1e-6 and 1e-10.
		{"fitzhugh_nagumo", fhn, must[*FitzHughNagumo](t)(NewFitzHughNagumo(h.T, h.Y, h.State0, h.Sigma)), 1e-6, 1e-6},
		{"lotka_volterra", lotka, must[*LotkaVolterra](t)(NewLotkaVolterra(v.TS, v.Y, v.YInit)), 1e-10, 1e-9},
	} {
		for i, pt := range tc.p.Density.Points {
			at := fmt.Sprintf("%s, point %d: ", tc.name, i)
			check(t, at+"L", []float64{tc.model.LogDensity(pt.Unconstrained)}, []float64{pt.LPJacobian}, tc.density)
			check(t, at+"gradL", gradient(tc.model, pt.Unconstrained), pt.GradJacobian, tc.gradient)

			// Stan lists transformed parameters after the parameters.
			m := len(pt.Unconstrained)
			x, q := make([]float64, m), make([]float64, m)
			tc.model.Constrain(x, pt.Unconstrained)
			check(t, at+"constrained", x, pt.Constrained[:m], tolerance)
			if err := tc.model.Unconstrain(q, x); err != nil {
				t.Error(at, err)
			}
			check(t, at+"unconstrained", q, pt.Unconstrained, tolerance)
		}
	}
}

// TestMetricJacobianDifferences compares the tensors with central differences
// of the metric, also at a funnel without the confluence of the general point
// (k = 1) and with a soft metric (α λ small).
func TestMetricJacobianDifferences(t *testing.T) {
	cases := testCases(t)
	soft := must[*Funnel](t)(NewFunnel(3, 0.05))
	cases = append(cases,
		testCase{name: "funnel/k=1", model: must[*Funnel](t)(NewFunnel(1, 2)), points: []fixtures.Point{{Q: []float64{0.7, -0.3}}}},
		testCase{name: "funnel/soft", model: soft, points: []fixtures.Point{{Q: []float64{0.7, -0.3, 1.1, 0.2}}, {Q: []float64{0, 0, 0, 0}}}},
	)
	for _, tc := range cases {
		for i, pt := range tc.points {
			n := len(pt.Q)
			want := mat.NewDense(n*n, n, nil)
			fd.Jacobian(want, func(g, q []float64) { tc.model.Metric(g, q) }, pt.Q, &fd.JacobianSettings{Formula: fd.Central, Step: 1e-5})
			check(t, fmt.Sprintf("%s, point %d: dG", tc.name, i), jacobian(tc.model, pt.Q), want.RawMatrix().Data, 1e-7)
		}
	}
}

// TestContract: a contraction is the sum over the tensor, whatever the model's
// route to it.
func TestContract(t *testing.T) {
	for _, tc := range testCases(t) {
		n := tc.model.Info().Dim()
		w := make([]float64, n*n)
		for i := range n {
			for j := range n {
				w[i*n+j] = math.Cos(float64(i*j + i + j))
			}
		}
		q := tc.points[0].Q
		d := jacobian(tc.model, q)
		want := make([]float64, n)
		for k := range n {
			for ij := range n * n {
				want[k] += w[ij] * d[ij*n+k]
			}
		}
		got := make([]float64, n)
		tc.model.Contract(got, q, w)
		check(t, tc.name, got, want, tolerance)
	}
}

// TestSoftAbsSlope: ψ'(t) = (sinh 2t − 2t)/(2 sinh² t), and in the series of
// this numerator, Σ (2t)^{2n+1}/(2n+1)! over n ≥ 1, nothing cancels.
func TestSoftAbsSlope(t *testing.T) {
	for _, x := range []float64{1e-8, 1e-3, 0.01, 0.05, 0.09, 0.0999, 0.1001, 0.2, 0.5, 1, 2} {
		numerator, term := 0.0, 2*x
		for n := 1; n <= 20; n++ {
			term *= 4 * x * x / float64(2*n*(2*n+1))
			numerator += term
		}
		want := numerator / (2 * math.Sinh(x) * math.Sinh(x))
		for _, sign := range []float64{1, -1} {
			if got := softAbsSlope(sign * x); math.Abs(got-sign*want) > 4e-16*want+2.5e-16/math.Max(x, 0.1) {
				t.Errorf("ψ'(%g) = %.17g, want %.17g", sign*x, got, sign*want)
			}
		}
		// Taylor's branch keeps relative accuracy, too.
		if got := softAbsSlope(x); x < 0.1 && math.Abs(got-want) > 1e-15*want {
			t.Errorf("ψ'(%g) = %.17g, want %.17g", x, got, want)
		}
	}
}

// TestSoftAbsQuotient checks the divided difference in all its branches
// against a 100-point mean of the slope, and the slope against differences.
func TestSoftAbsQuotient(t *testing.T) {
	for _, a := range []float64{-3, -0.5, -0.09, -1e-3, 0, 1e-9, 0.05, 0.0999, 0.1001, 1, 4, 40} {
		slope := fd.Derivative(func(x float64) float64 { return softAbs(x, 1) }, a, &fd.Settings{Formula: fd.Central})
		if got := softAbsSlope(a); math.Abs(got-slope) > 1e-9 {
			t.Errorf("ψ'(%g) = %.15g, differences give %.15g", a, got, slope)
		}
		for _, gap := range []float64{0, 1e-14, 1e-9, 1e-4, 0.0199, 0.0201, 0.3} {
			const n = 100
			want := 0.0
			for i := range n {
				want += softAbsSlope(a+gap*(float64(i)+0.5)/n) / n
			}
			// The midpoint rule errs by gap²ψ'''/(24n²) at most.
			if got := softAbsQuotient(a+gap, a, 1); math.Abs(got-want) > 1e-13+gap*gap/(24*n*n) {
				t.Errorf("quotient at %g, gap %g: %.16g, want %.16g", a, gap, got, want)
			}
			const alpha = 1e3
			if got := softAbsQuotient((a+gap)/alpha, a/alpha, alpha); math.Abs(got-want) > 1e-12+gap*gap/(24*n*n) {
				t.Errorf("quotient at %g, gap %g, α = %g: %.16g, want %.16g", a, gap, alpha, got, want)
			}
		}
	}
	if got := softAbs(0, 4); got != 0.25 {
		t.Errorf("ψ(0) = %v, want 1/α", got)
	}
}

// TestOutsideDomain: no panic, and no number that looks like a result.
func TestOutsideDomain(t *testing.T) {
	for _, tc := range testCases(t) {
		n := tc.model.Info().Dim()
		constant := tc.model.Info().Metric.Constant
		for _, bad := range []float64{math.NaN(), math.Inf(1), 1e300} {
			q := make([]float64, n)
			fill(q, bad)
			out := make([]float64, n*n*n)
			if l := tc.model.Gradient(out[:n], q); l > -1e290 {
				t.Errorf("%s: L = %v at %v", tc.name, l, bad)
			}
			tc.model.Metric(out[:n*n], q)
			if _, err := Energy(tc.model, q, make([]float64, n)); err == nil && !constant && math.IsNaN(bad) {
				t.Errorf("%s: no error for the energy at %v", tc.name, bad)
			}
			tc.model.MetricJacobian(out, q)
			tc.model.Contract(out[:n], q, make([]float64, n*n))
		}
	}
}

func TestConstrain(t *testing.T) {
	for _, tc := range testCases(t) {
		m := tc.model.Clone()
		q := tc.points[0].Q
		x, back := make([]float64, len(q)), make([]float64, len(q))
		m.Constrain(x, q)
		if err := m.Unconstrain(back, x); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
		tol := 0.0
		if tc.transformed {
			tol = 1e-14
		}
		check(t, tc.name, back, q, tol)
		x[len(x)-1] = math.Inf(-1)
		if err := m.Unconstrain(back, x); err == nil {
			t.Errorf("%s: an infinite parameter passed", tc.name)
		}
	}
	f := must[*Funnel](t)(NewFunnel(2, 1))
	const want = "parameter v: NaN is not a real number"
	if err := f.Unconstrain(make([]float64, 3), []float64{1, 2, math.NaN()}); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestBadArguments(t *testing.T) {
	nan := math.NaN()
	for name, f := range map[string]func() (any, error){
		"banana without data":         func() (any, error) { return NewBanana(nil, 1, 1) },
		"banana with NaN":             func() (any, error) { return NewBanana([]float64{nan}, 1, 1) },
		"banana with sigmaY 0":        func() (any, error) { return NewBanana([]float64{1}, 0, 1) },
		"banana with sigmaT infinite": func() (any, error) { return NewBanana([]float64{1}, 1, math.Inf(1)) },
		"gaussian with wrong shapes":  func() (any, error) { return NewGaussian([]float64{0, 0}, []float64{1}) },
		"gaussian, not symmetric":     func() (any, error) { return NewGaussian([]float64{0, 0}, []float64{1, .5, .4, 1}) },
		"gaussian, indefinite":        func() (any, error) { return NewGaussian([]float64{0, 0}, []float64{1, 2, 2, 1}) },
		"gaussian with NaN":           func() (any, error) { return NewGaussian([]float64{nan}, []float64{1}) },
		"funnel without x":            func() (any, error) { return NewFunnel(0, 1) },
		"funnel with alpha 0":         func() (any, error) { return NewFunnel(1, 0) },
		"logistic with wrong shapes":  func() (any, error) { return NewLogistic([]float64{1, 2}, []float64{1}, 1, 1) },
		"logistic with y = 2":         func() (any, error) { return NewLogistic([]float64{1}, []float64{2}, 1, 1) },
		"logistic with x NaN":         func() (any, error) { return NewLogistic([]float64{nan}, []float64{1}, 1, 1) },
		"sv_authors, wrong lengths":   func() (any, error) { return NewSVAuthors([]float64{1, 2}, []float64{1}) },
		"sv_authors with x NaN":       func() (any, error) { return NewSVAuthors([]float64{1}, []float64{nan}) },
		"sv_latent without data":      func() (any, error) { return NewSVLatent(nil, nil) },
		"sv_latent with y NaN":        func() (any, error) { return NewSVLatent([]float64{nan}, []float64{1}) },
		"sv_volatility without data":  func() (any, error) { return NewSVVolatility(nil, 1, 0, 1) },
		"sv_volatility with phi 1":    func() (any, error) { return NewSVVolatility([]float64{1}, 1, 1, 1) },
		"sv_volatility with sigma 0":  func() (any, error) { return NewSVVolatility([]float64{1}, 0, 0, 1) },
		"sv_volatility with beta NaN": func() (any, error) { return NewSVVolatility([]float64{1}, 1, 0, nan) },
		"sv_joint without data":       func() (any, error) { return NewSVJoint(nil) },
		"sv_joint with y infinite":    func() (any, error) { return NewSVJoint([]float64{math.Inf(1)}) },
		"fhn without data":            func() (any, error) { return NewFitzHughNagumo(nil, nil, []float64{0, 0}, 1) },
		"fhn with descending times": func() (any, error) {
			return NewFitzHughNagumo([]float64{2, 1}, [][]float64{{1, 2}, {3, 4}}, []float64{0, 0}, 1)
		},
		"fhn with one state": func() (any, error) {
			return NewFitzHughNagumo([]float64{1}, [][]float64{{1, 2}}, []float64{0}, 1)
		},
		"fhn with y NaN": func() (any, error) {
			return NewFitzHughNagumo([]float64{1}, [][]float64{{1, nan}}, []float64{0, 0}, 1)
		},
		"fhn with sigma 0": func() (any, error) {
			return NewFitzHughNagumo([]float64{1}, [][]float64{{1, 2}}, []float64{0, 0}, 0)
		},
		"lotka-volterra with time -1": func() (any, error) {
			return NewLotkaVolterra([]float64{-1}, [][]float64{{1, 2}}, []float64{1, 1})
		},
		"lotka-volterra with y 0": func() (any, error) {
			return NewLotkaVolterra([]float64{1}, [][]float64{{1, 0}}, []float64{1, 1})
		},
		"lotka-volterra with one y_init": func() (any, error) {
			return NewLotkaVolterra([]float64{1}, [][]float64{{1, 2}}, []float64{1})
		},
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
