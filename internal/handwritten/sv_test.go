package handwritten

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/runtime"
)

// shortSV returns the first n observations and volatilities of sv_latent.
func shortSV(t *testing.T, n int) (y, x []float64) {
	t.Helper()
	f := must[*fixtures.Model](t)(fixtures.Load("sv_latent"))
	return f.Data.Y[:n], f.Data.Path[:n]
}

// latentPoints are positions (log σ², logit((φ + 1)/2), log β) of SVLatent: that
// of the paper's parameters, and others far from it.
var latentPoints = [][]float64{
	{2 * math.Log(0.15), 2 * math.Atanh(0.98), math.Log(0.65)},
	{-3, 3.5, -0.4},
	{0, 0, 0},
	{1.5, -2, 2},
	{-6, 6, -3},
}

// TestSVVolatility1000 compares the block of 1000 volatilities, of which there
// is one point, with the code of the paper's authors. L is complete with its
// constants there, too.
func TestSVVolatility1000(t *testing.T) {
	tc := volatilityCase(t, "sv_volatility_T1000")
	pt := tc.points[0]
	check(t, "L", []float64{tc.model.LogDensity(pt.Q)}, []float64{pt.L}, tolerance)
	check(t, "gradL", gradient(tc.model, pt.Q), pt.GradL, tolerance)
	check(t, "G", metric(tc.model, pt.Q), flat(pt.G), tolerance)
	check(t, "H", []float64{must[float64](t)(Energy(tc.model, pt.Q, pt.P))}, []float64{pt.HPaper}, tolerance)
}

// TestSVParameters compares the authors' parameters with their transforms.
func TestSVParameters(t *testing.T) {
	y, x := shortSV(t, 10)
	m := must[*SVAuthors](t)(NewSVAuthors(y, x))
	for i, pt := range must[*fixtures.Model](t)(fixtures.Load("sv_latent")).Points {
		got, want := make([]float64, 3), []float64{pt.Constrained["sigma"], pt.Constrained["phi"], pt.Constrained["beta"]}
		m.Constrain(got, pt.Q)
		check(t, fmt.Sprintf("point %d", i), got, want, 1e-15)
	}
}

// TestSVLatentAgainstAuthors compares SVLatent with the values of the authors'
// code for their block. Theirs is a log density of (σ², φ, β) with γ = ½u and
// α = ½w, so it lacks the log-Jacobian u + log(½(1 − φ²)) + b; the file's is
// γ + log(1 − φ²). The metrics differ by the coordinates, and by the Hessian of
// the log-Jacobian and of the prior of β.
func TestSVLatentAgainstAuthors(t *testing.T) {
	f := must[*fixtures.Model](t)(fixtures.Load("sv_latent"))
	m := must[*SVLatent](t)(NewSVLatent(f.Data.Y, f.Data.Path))
	for i, pt := range f.Points {
		at := fmt.Sprintf("point %d: ", i)
		gamma, alpha, beta := pt.Q[0], pt.Q[1], pt.Q[2]
		phi := math.Tanh(alpha)
		q := []float64{2 * gamma, 2 * alpha, math.Log(beta)}
		l := pt.L + pt.LogAbsJac + gamma + math.Log(beta) - math.Ln2
		check(t, at+"L", []float64{m.LogDensity(q)}, []float64{l}, tolerance)
		check(t, at+"gradL", gradient(m, q), []float64{
			(pt.GradL[0] + 2) / 2, (pt.GradL[1] - 2*phi) / 2, beta*pt.GradL[2] + 1,
		}, tolerance)
		check(t, at+"G", metric(m, q), []float64{
			pt.G[0][0] / 4, pt.G[0][1] / 4, 0,
			pt.G[1][0] / 4, (pt.G[1][1] + 2*(1-phi*phi)) / 4, 0,
			0, 0, beta*beta*pt.G[2][2] + 1,
		}, tolerance)
	}
}

// TestSVAuthorsNegativeBeta: β is not transformed, and nothing is a number
// where it is not positive.
func TestSVAuthorsNegativeBeta(t *testing.T) {
	y, x := shortSV(t, 10)
	m := must[*SVAuthors](t)(NewSVAuthors(y, x))
	for _, beta := range []float64{-0.65, 0, math.Inf(-1)} {
		q := []float64{-1.9, 2.3, beta}
		grad, g, d, c := make([]float64, 3), make([]float64, 9), make([]float64, 27), make([]float64, 3)
		l := m.Gradient(grad, q)
		m.Metric(g, q)
		m.MetricJacobian(d, q)
		m.Contract(c, q, g)
		for _, values := range [][]float64{{l, m.LogDensity(q)}, grad, g, d, c} {
			for _, v := range values {
				if !math.IsNaN(v) {
					t.Errorf("β = %v: %v where NaN is due", beta, values)
					break
				}
			}
		}
	}
}

// TestSVDerivatives compares every derivative with differences that are
// extrapolated, and every transform with its inverse.
func TestSVDerivatives(t *testing.T) {
	y, x := shortSV(t, 8)
	var authors, joint [][]float64
	for _, q := range latentPoints {
		authors = append(authors, []float64{q[0] / 2, q[1] / 2, math.Exp(q[2])})
		joint = append(joint, append(append([]float64{}, x...), q[2], q[0], q[1]))
	}
	volatilities := [][]float64{x, axpy(x, 1, y), make([]float64, len(x))}
	for _, tc := range []struct {
		model  runtime.Model
		points [][]float64
	}{
		{must[*SVAuthors](t)(NewSVAuthors(y, x)), authors},
		{must[*SVLatent](t)(NewSVLatent(y, x)), latentPoints},
		{must[*SVVolatility](t)(NewSVVolatility(y, 0.15, 0.98, 0.65)), volatilities},
		{must[*SVJoint](t)(NewSVJoint(y)), joint},
	} {
		r := must[runtime.Report](t)(runtime.CheckGradients(tc.model, tc.points))
		if r.Worst() > 1e-8 {
			t.Errorf("%s:\n%v", tc.model.Info().Name, r)
		}
	}
}

// TestSVJoint: as a function of one block, the joint density is that block's
// up to what does not depend on it. Its metric is the identity.
func TestSVJoint(t *testing.T) {
	y, x := shortSV(t, 8)
	joint := must[*SVJoint](t)(NewSVJoint(y))
	latent := must[*SVLatent](t)(NewSVLatent(y, x))
	at := func(x, q []float64) float64 {
		return joint.LogDensity(append(append([]float64{}, x...), q[2], q[0], q[1]))
	}
	unit := make([]float64, 11*11)
	for i := range 11 {
		unit[i*11+i] = 1
	}
	check(t, "G", metric(joint, make([]float64, 11)), unit, 0)
	q0, other := latentPoints[0], axpy(x, 0.5, y)
	for _, q := range latentPoints {
		check(t, "latent", []float64{at(x, q) - at(x, q0)}, []float64{latent.LogDensity(q) - latent.LogDensity(q0)}, tolerance)
		p := make([]float64, 3)
		latent.Constrain(p, q)
		v := must[*SVVolatility](t)(NewSVVolatility(y, math.Sqrt(p[0]), p[1], p[2]))
		check(t, "volatility", []float64{at(other, q) - at(x, q)}, []float64{v.LogDensity(other) - v.LogDensity(x)}, tolerance)
	}
}

// TestSVInformation compares the metric of SVLatent, less the prior's part,
// with the expected information of Gaussian vectors. The path is one of mean
// zero with a covariance C(u, w), and about its parameters
//
//	I_kl = ½ tr(C⁻¹ ∂_kC C⁻¹ ∂_lC)
//
// where C_tv = σ² φ^|t−v|/(1 − φ²). The observations given the path are
// independent, of mean zero and variance β² e^{x_t}: ½ (∂/∂b log variance)² each.
func TestSVInformation(t *testing.T) {
	for _, T := range []int{1, 2, 7} {
		y, x := shortSV(t, T)
		m := must[*SVLatent](t)(NewSVLatent(y, x))
		for i, q := range latentPoints[:4] {
			covariance := func(c, q []float64) {
				s, phi := math.Exp(q[0]), math.Tanh(q[1]/2)
				for t := range T {
					for v := range T {
						c[t*T+v] = s * math.Pow(phi, math.Abs(float64(t-v))) / (1 - phi*phi)
					}
				}
			}
			c := mat.NewDense(T, T, nil)
			covariance(c.RawMatrix().Data, q)
			byQ := mat.NewDense(T*T, 2, nil)
			fd.Jacobian(byQ, covariance, q[:2], &fd.JacobianSettings{Formula: fd.Central, Step: 1e-5})

			got := mat.NewDense(3, 3, metric(m, q))
			prior := priorPart(m, q)
			for k := range 2 {
				for l := range 2 {
					var a, b, ab mat.Dense
					if err := a.Solve(c, mat.NewDense(T, T, mat.Col(nil, k, byQ))); err != nil {
						t.Fatal(err)
					}
					if err := b.Solve(c, mat.NewDense(T, T, mat.Col(nil, l, byQ))); err != nil {
						t.Fatal(err)
					}
					ab.Mul(&a, &b)
					what := fmt.Sprintf("T = %d, point %d: G[%d, %d]", T, i, k, l)
					check(t, what, []float64{got.At(k, l) - prior.At(k, l)}, []float64{mat.Trace(&ab) / 2}, 1e-6)
				}
			}
			check(t, "G[b, b]", []float64{got.At(2, 2) - prior.At(2, 2)}, []float64{float64(T) * 2 * 2 / 2}, 1e-6)
			check(t, "G[·, b]", []float64{got.At(0, 2), got.At(1, 2), got.At(2, 0), got.At(2, 1)}, make([]float64, 4), 0)
		}
	}
}

// priorPart returns the negative Hessian of the log prior with the
// log-Jacobians by differences.
func priorPart(m *SVLatent, q []float64) *mat.Dense {
	h := mat.NewDense(3, 3, nil)
	fd.Jacobian(h, func(grad, q []float64) {
		fd.Gradient(grad, m.prior, q, &fd.Settings{Formula: fd.Central, Step: 5e-4})
	}, q, &fd.JacobianSettings{Formula: fd.Central, Step: 5e-4})
	h.Scale(-1, h)
	return h
}

// TestSVPrior compares the prior's part of the metric, which SVLatent states in
// closed form, with differences of the log prior with the log-Jacobians.
func TestSVPrior(t *testing.T) {
	y, x := shortSV(t, 3)
	m := must[*SVLatent](t)(NewSVLatent(y, x))
	for i, q := range latentPoints[:4] {
		s, phi := math.Exp(q[0]), math.Tanh(q[1]/2)
		want := []float64{
			1 / (4 * s), 0, 0,
			0, 21.5 * (1 - phi*phi) / 4, 0,
			0, 0, 0,
		}
		check(t, fmt.Sprintf("point %d", i), priorPart(m, q).RawMatrix().Data, want, 1e-6)
	}
}

// TestSVLatentMetric compares the metric with the formulas that users see.
func TestSVLatentMetric(t *testing.T) {
	y, x := shortSV(t, 100)
	m := must[*SVLatent](t)(NewSVLatent(y, x))
	for i, q := range latentPoints {
		s, phi, T := math.Exp(q[0]), math.Tanh(q[1]/2), 100.0
		check(t, fmt.Sprintf("point %d", i), metric(m, q), []float64{
			T/2 + 1/(4*s), phi / 2, 0,
			phi / 2, phi*phi/2 + (T+20.5)*(1-phi*phi)/4, 0,
			0, 0, 2 * T,
		}, tolerance)
		if _, err := factor(m, q); err != nil {
			t.Errorf("point %d: %v", i, err)
		}
	}
}

// TestSVSupport: errors name the parameter.
func TestSVSupport(t *testing.T) {
	y, x := shortSV(t, 1)
	for _, tc := range []struct {
		model runtime.Model
		x     []float64
		want  string
	}{
		{must[*SVAuthors](t)(NewSVAuthors(y, x)), []float64{0, 0.5, 1}, "parameter sigma: 0 is not a positive number"},
		{must[*SVAuthors](t)(NewSVAuthors(y, x)), []float64{1, 1, 1}, "parameter phi: 1 is not between -1 and 1"},
		{must[*SVAuthors](t)(NewSVAuthors(y, x)), []float64{1, 0.5, -1}, "parameter beta: -1 is not a positive number"},
		{must[*SVLatent](t)(NewSVLatent(y, x)), []float64{-2, 0.5, 1}, "parameter sigma2: -2 is not a positive number"},
		{must[*SVLatent](t)(NewSVLatent(y, x)), []float64{1, math.NaN(), 1}, "parameter phi: NaN is not between -1 and 1"},
		{must[*SVLatent](t)(NewSVLatent(y, x)), []float64{1, 0.5, math.Inf(1)}, "parameter beta: +Inf is not a positive number"},
		{must[*SVJoint](t)(NewSVJoint(y)), []float64{math.NaN(), 1, 1, 0}, "parameter x: NaN is not a real number"},
		{must[*SVJoint](t)(NewSVJoint(y)), []float64{0, 0, 1, 0}, "parameter beta: 0 is not a positive number"},
		{must[*SVJoint](t)(NewSVJoint(y)), []float64{0, 1, 0, 0}, "parameter sigma2: 0 is not a positive number"},
		{must[*SVJoint](t)(NewSVJoint(y)), []float64{0, 1, 1, -1}, "parameter phi: -1 is not between -1 and 1"},
	} {
		if err := tc.model.Unconstrain(make([]float64, len(tc.x)), tc.x); err == nil || err.Error() != tc.want {
			t.Errorf("%s: error %v, want %s", tc.model.Info().Name, err, tc.want)
		}
	}
}
