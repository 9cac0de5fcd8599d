package runtime_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

// landscape is a model whose density and metric are functions; without a metric it has the identity,
// which warm-up may adapt.
type landscape struct {
	unbounded
	gradient func(grad, q []float64) float64
	metric   func(g, q []float64)
}

func newLandscape(m int, gradient func(grad, q []float64) float64) *landscape {
	l := &landscape{gradient: gradient}
	l.info = runtime.Info{Name: "landscape", Params: []runtime.Param{{Name: "q", Shape: []int{m}}}, Metric: runtime.MetricInfo{Constant: true, Identity: true}}
	return l
}

// measured gives the landscape a constant metric of its own.
func (l *landscape) measured(metric func(g, q []float64)) *landscape {
	c := *l
	c.metric, c.info.Metric = metric, runtime.MetricInfo{Constant: true}
	return &c
}

func (l *landscape) Clone() runtime.Model               { c := *l; return &c }
func (l *landscape) Gradient(grad, q []float64) float64 { return l.gradient(grad, q) }
func (l *landscape) LogDensity(q []float64) float64     { return l.gradient(make([]float64, len(q)), q) }
func (l *landscape) Contract(out, _, _ []float64)       { clear(out) }
func (l *landscape) MetricJacobian(out, _ []float64)    { clear(out) }

func (l *landscape) Metric(g, q []float64) {
	if l.metric != nil {
		l.metric(g, q)
		return
	}
	clear(g)
	for i := range q {
		g[i*len(q)+i] = 1
	}
}

// normals is a product of normal distributions.
func normals(mean, sd []float64) func(grad, q []float64) float64 {
	return func(grad, q []float64) float64 {
		l := 0.0
		for i, x := range q {
			z := (x - mean[i]) / sd[i]
			grad[i] = -z / sd[i]
			l -= z * z / 2
		}
		return l
	}
}

// precisions is the information of normals.
func precisions(sd []float64) func(g, q []float64) {
	return func(g, q []float64) {
		clear(g)
		for i, s := range sd {
			g[i*len(sd)+i] = 1 / (s * s)
		}
	}
}

// Wherever the bulk is, and whatever its unit, warm-up arrives there, and the draws have its mean and its
// standard deviation.
func TestUnits(t *testing.T) {
	for _, c := range []struct{ mean, sd []float64 }{
		{[]float64{0}, []float64{1}},
		{[]float64{1e5}, []float64{1}},
		{[]float64{1e6}, []float64{1}},
		{[]float64{1e9}, []float64{1}},
		{[]float64{-1e9}, []float64{1}},
		{[]float64{0}, []float64{1e9}},
		{[]float64{0}, []float64{1e-9}},
		{[]float64{1e14}, []float64{1e9}},
		{[]float64{1e-3}, []float64{1e-9}},
		{[]float64{1, -1e9, 1e-8}, []float64{1, 1e9, 1e-9}},
		{[]float64{1, 1e14, 1e-8}, []float64{1, 1e9, 1e-9}},
		{[]float64{1e9, 1e9, 1e9}, []float64{1, 1e-3, 1e3}},
	} {
		plain := newLandscape(len(c.mean), normals(c.mean, c.sd))
		for _, v := range []struct {
			name   string
			model  *landscape
			metric runtime.EuclideanMetric
		}{
			{"low_rank", plain, runtime.LowRank}, {"diag_e", plain, runtime.DiagE}, {"dense_e", plain, runtime.DenseE},
			{"own", plain.measured(precisions(c.sd)), runtime.LowRank},
		} {
			t.Run(fmt.Sprint(c.mean, c.sd, v.name), func(t *testing.T) {
				opt := runtime.DefaultOptions()
				opt.Metric = v.metric
				arrives(t, v.model, opt, c.mean, c.sd)
			})
		}
	}
}

// arrives samples a model, and compares means and standard deviations: each within five standard errors.
func arrives(t *testing.T, m runtime.Model, opt runtime.Options, mean, sd []float64) {
	t.Helper()
	r := sample(t, m, opt)
	for i := range mean {
		var chains [][]float64
		for c := range r.Chains {
			chains = append(chains, r.Chains[c].Draws[i])
		}
		s, err := diagnostics.Summarize([]string{r.Names[i]}, [][][]float64{chains})
		if err != nil {
			t.Fatal(err)
		}
		x := s[0]
		if !(x.RHat < 1.03) || !(x.ESSBulk > 400) {
			t.Errorf("%s: R-hat %.3f, ESS %.0f", x.Name, x.RHat, x.ESSBulk)
		}
		if z := (x.Mean - mean[i]) / x.MCSE; !(math.Abs(z) < 5) {
			t.Errorf("%s: mean %v, which is %.1f standard errors from %v", x.Name, x.Mean, z, mean[i])
		}
		if z := (x.SD/sd[i] - 1) * math.Sqrt(2*x.ESSTail); !(math.Abs(z) < 5) {
			t.Errorf("%s: sd %v, which is %.1f standard errors from %v", x.Name, x.SD, z, sd[i])
		}
	}
	if t.Failed() {
		for c := range r.Chains {
			b := &r.Chains[c].Blocks[0]
			t.Logf("chain %d: step size %.3g, C %.3g, warm-up %+v", c+1, b.StepSize, b.InverseMetric, b.Warmup.Steps)
		}
	}
}

// regression is a generalised linear model with normal(0, s_j) priors of its coefficients: each term of the log
// likelihood is f(y, η) with its derivative by η.
func regression(x [][]float64, y, s []float64, f func(y, eta float64) (float64, float64)) func(grad, q []float64) float64 {
	prior := normals(make([]float64, len(s)), s)
	return func(grad, q []float64) float64 {
		l := prior(grad, q)
		for i, row := range x {
			eta := 0.0
			for j, v := range row {
				eta += v * q[j]
			}
			a, b := f(y[i], eta)
			l += a
			for j, v := range row {
				grad[j] += b * v
			}
		}
		return l
	}
}

func bernoulli(y, eta float64) (l, slope float64) {
	p := 1 / (1 + math.Exp(-eta))
	return y*eta - math.Max(eta, 0) - math.Log1p(math.Exp(-math.Abs(eta))), y - p
}

func poisson(y, eta float64) (l, slope float64) {
	return y*eta - math.Exp(eta), y - math.Exp(eta)
}

// Coefficients of predictors in other units are in other units, and otherwise what they were: the exact moments, by
// quadrature, are those of predictors of unit variance. With predictors of order 10⁶ all of the default
// starting points are in the saturated tails of a logistic regression, and where the
// density of a Poisson regression overflows.
func TestUnitsOfPredictors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, m = 60, 3
	for _, c := range campaign.Sample(t, []struct {
		name string
		f    func(y, eta float64) (float64, float64)
		draw func(eta float64) float64
		h    float64 // of the quadrature, whose error is of order exp(-2π²σ²/h²)
	}{
		{"logistic", bernoulli, func(eta float64) float64 {
			if rng.Float64() < 1/(1+math.Exp(-eta)) {
				return 1
			}
			return 0
		}, 0.2},
		{"poisson", poisson, func(eta float64) float64 { return math.Floor(math.Exp(eta) + rng.Float64()) }, 0.1},
	}, 2) {
		x, y := make([][]float64, n), make([]float64, n)
		for i := range x {
			x[i] = []float64{1, rng.NormFloat64(), rng.NormFloat64()}
			y[i] = c.draw(0.5 + x[i][1] - 0.5*x[i][2])
		}
		mean, sd := quadrature(t, m, c.h, regression(x, y, []float64{3, 3, 3}, c.f))
		for _, u := range campaign.Sample(t, [][]float64{{1, 1e6, 1e-6}, {1, 1, 1}, {1, 1e6, 1e6}, {1, 1e-6, 1e-6}}, 4) {
			scaled, s := make([][]float64, n), make([]float64, m)
			wantMean, wantSD := make([]float64, m), make([]float64, m)
			for i := range x {
				scaled[i] = make([]float64, m)
				for j := range u {
					scaled[i][j] = u[j] * x[i][j]
				}
			}
			for j := range u {
				s[j], wantMean[j], wantSD[j] = 3/u[j], mean[j]/u[j], sd[j]/u[j]
			}
			for _, metric := range campaign.Sample(t, []runtime.EuclideanMetric{runtime.LowRank, runtime.DiagE, runtime.DenseE}, 2) {
				t.Run(fmt.Sprint(c.name, u, metric), func(t *testing.T) {
					opt := runtime.DefaultOptions()
					opt.Metric = metric
					arrives(t, newLandscape(m, regression(scaled, y, s, c.f)), opt, wantMean, wantSD)
				})
			}
		}
	}
}

// quadrature returns means and standard deviations of a density of three coordinates that is nothing on the faces of a cube, by the
// trapezoidal rule.
func quadrature(t *testing.T, m int, h float64, gradient func(grad, q []float64) float64) (mean, sd []float64) {
	k := int(math.Round(3.6 / h))
	mean, sd = make([]float64, m), make([]float64, m)
	q, grad := make([]float64, m), make([]float64, m)
	top, edge := math.Inf(-1), math.Inf(-1)
	total := 0.0
	for a := -k; a <= k; a++ {
		for b := -k; b <= k; b++ {
			for c := -k; c <= k; c++ {
				q[0], q[1], q[2] = h*float64(a), h*float64(b), h*float64(c)
				l := gradient(grad, q)
				if max(a, -a, b, -b, c, -c) == k {
					edge = max(edge, l)
				}
				if l > top {
					f := math.Exp(top - l)
					total *= f
					for j := range mean {
						mean[j] *= f
						sd[j] *= f
					}
					top = l
				}
				p := math.Exp(l - top)
				total += p
				for j, x := range q {
					mean[j] += p * x
					sd[j] += p * x * x
				}
			}
		}
	}
	if !(edge < top-15) {
		t.Fatalf("the cube is too small: the log density is %v inside and %v on a face", top, edge)
	}
	for j := range mean {
		mean[j] /= total
		sd[j] = math.Sqrt(sd[j]/total - mean[j]*mean[j])
	}
	return mean, sd
}

// The tails of a t distribution are so flat that they look like a bulk of their own, of any width.
func TestFarTails(t *testing.T) {
	const nu = 5
	for _, c := range [][2]float64{{1e3, 1}, {1e5, 1}, {1e9, 1}, {1e5, 1e-6}, {0, 1e9}, {0, 1e-9}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			m := newLandscape(1, func(grad, q []float64) float64 {
				z := (q[0] - c[0]) / c[1]
				grad[0] = -(nu + 1) * z / (nu + z*z) / c[1]
				return -(nu + 1.) / 2 * math.Log1p(z*z/nu)
			})
			// The error of the sd of a t with five degrees of freedom has no variance: a bounded function
			// of x stands for the scale.
			r := sample(t, m, runtime.DefaultOptions())
			var location, inside [][]float64
			for k := range r.Chains {
				x := r.Chains[k].Draws[0]
				in := make([]float64, len(x))
				for i, v := range x {
					if math.Abs(v-c[0]) < 1.4758840488244811*c[1] { // the ninth decile, away from one half, where R-hat has no folded draws
						in[i] = 1
					}
				}
				location, inside = append(location, x), append(inside, in)
			}
			s, err := diagnostics.Summarize([]string{"x", "inside"}, [][][]float64{location, inside})
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range []float64{c[0], 0.8} {
				if z := (s[i].Mean - want) / s[i].MCSE; !(math.Abs(z) < 5) || !(s[i].RHat < 1.03) {
					t.Errorf("%s: mean %v, which is %.1f standard errors from %v; R-hat %.3f", s[i].Name, s[i].Mean, z, want, s[i].RHat)
				}
			}
		})
	}
}

// The logarithm of the scale of data far from 1: with n data of mean square τ², the precision is Gamma distributed,
// and log σ has the mean log τ + ½(log(n/2) − ψ(n/2)) and the variance ¼ψ₁(n/2). For n = 20,
// ψ(10) = 2.2517525890667211 and ψ₁(10) = 0.10516633568168575 (DLMF 5.4.14, 5.15.3).
func TestFarScale(t *testing.T) {
	for _, tau := range []float64{1e9, 1e-9} {
		scale := func(grad, q []float64) float64 {
			ss := 20 * tau * tau * math.Exp(-2*q[0])
			grad[0] = -20 + ss
			return -20*q[0] - ss/2
		}
		mean, sd := math.Log(tau)+(math.Log(10)-2.2517525890667211)/2, math.Sqrt(0.10516633568168575)/2
		plain := newLandscape(1, scale)
		for _, m := range []*landscape{plain, plain.measured(func(g, _ []float64) { g[0] = 40 })} {
			t.Run(fmt.Sprint(tau, m.metric != nil), func(t *testing.T) {
				arrives(t, m, runtime.DefaultOptions(), []float64{mean}, []float64{sd})
			})
		}
	}
}

// Correlated coordinates, far away and in units of their own: an autoregression, scaled.
func TestFarCorrelated(t *testing.T) {
	const m = 50
	for _, rho := range campaign.Sample(t, []float64{0.95, 0.5}, 2) {
		mean, sd := make([]float64, m), make([]float64, m)
		for i := range mean {
			sd[i] = math.Pow(10, float64(i%7-3))
			mean[i] = 1e5 * sd[i] * math.Cos(float64(i))
		}
		model := newLandscape(m, func(grad, q []float64) float64 {
			l, last, before := 0.0, 0.0, 0
			clear(grad)
			for i, x := range q {
				z := (x - mean[i]) / sd[i]
				e, v := z, 1.0
				if i > 0 {
					e, v = z-rho*last, 1-rho*rho
					grad[before] += rho * e / v / sd[before]
				}
				l -= e * e / v / 2
				grad[i] -= e / v / sd[i]
				last, before = z, i
			}
			return l
		})
		for _, metric := range campaign.Sample(t, []runtime.EuclideanMetric{runtime.LowRank, runtime.DiagE, runtime.DenseE}, 3) {
			t.Run(fmt.Sprint(rho, metric), func(t *testing.T) {
				opt := runtime.DefaultOptions()
				opt.Metric = metric
				arrives(t, model, opt, mean, sd)
			})
		}
	}
}

// Chains between two modes go each to one, and stay apart.
func TestFarModes(t *testing.T) {
	m := newLandscape(1, func(grad, q []float64) float64 {
		a, b := q[0]-1e3, q[0]+1e3
		w := 1 / (1 + math.Exp((a*a-b*b)/2)) // of the mode at 1000
		grad[0] = -w*a - (1-w)*b
		return -math.Min(a*a, b*b)/2 + math.Log1p(math.Exp(-math.Abs(a*a-b*b)/2))
	})
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Jumps = 8, false
	r := sample(t, m, opt)
	seen := map[bool]int{}
	for c := range r.Chains {
		x := r.Chains[c].Draws[0]
		s, err := diagnostics.Summarize([]string{"x"}, [][][]float64{{x}})
		if err != nil {
			t.Fatal(err)
		}
		seen[s[0].Mean > 0]++
		if z := (math.Abs(s[0].Mean) - 1e3) / s[0].MCSE; !(math.Abs(z) < 5) || !(math.Abs(s[0].SD-1) < 0.2) {
			t.Errorf("chain %d: mean %v, sd %v", c+1, s[0].Mean, s[0].SD)
		}
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("all chains are in one mode: %v", seen)
	}
}
