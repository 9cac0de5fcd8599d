package symbolic

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hamc-dev/hamc/dsl"
)

// An expectation is a distribution whose arguments are functions of two
// parameters a and b and of a covariate c[i], with its log density by gonum and
// the points of a quadrature for its value.
type expectation struct {
	name string
	text string // arguments in the language, of a, b and c
	logp func(y, a, b, c float64) float64
	grid grid
}

// A grid maps equally spaced points of the real line to values: the
// trapezoidal rule converges exponentially on it. Discrete values have no map.
type grid struct {
	value func(u float64) float64
	slope func(u float64) float64
}

var (
	// Heavy tails need a double exponential map: p(y) dy decays like e^{−|y|^…}
	// in u even for Cauchy.
	lineGrid = grid{
		func(u float64) float64 { return math.Sinh(u) },
		func(u float64) float64 { return math.Cosh(u) }}
	positiveGrid = grid{math.Exp, math.Exp}
	unitGrid     = grid{expit, func(u float64) float64 { return expit(u) * expit(-u) }}
	counts       = grid{}
	// Flat at 0, where a density may have a kink.
	flatGrid = grid{
		func(u float64) float64 { return math.Pow(math.Sinh(u), 5) },
		func(u float64) float64 { return 5 * math.Pow(math.Sinh(u), 4) * math.Cosh(u) }}
)

// mean returns E[f(y)] under a log density.
func (g grid) mean(logp func(y float64) float64, f func(y float64) []float64) []float64 {
	var out []float64
	add := func(y, weight float64) {
		p := math.Exp(logp(y)) * weight
		if p == 0 || math.IsNaN(p) {
			return
		}
		v := f(y)
		if out == nil {
			out = make([]float64, len(v))
		}
		for i := range v {
			out[i] += p * v[i]
		}
	}
	if g.value == nil {
		for y := 0; y <= 150; y++ {
			add(float64(y), 1)
		}
		return out
	}
	const h = 0.05
	for u := -34.0; u <= 34; u += h {
		add(g.value(u), h*g.slope(u))
	}
	return out
}

var expectations = []expectation{
	{"normal", "a*c + b, exp(b - 0.3*a*c)", func(y, a, b, c float64) float64 { return normal(y, a*c+b, math.Exp(b-0.3*a*c)) }, lineGrid},
	{"student_t", "5, a*c - b^2, exp(a + b*c)", func(y, a, b, c float64) float64 { return student(y, 5, a*c-b*b, math.Exp(a+b*c)) }, lineGrid},
	{"cauchy", "a*b, exp(b*c)", func(y, a, b, c float64) float64 { return student(y, 1, a*b, math.Exp(b*c)) }, lineGrid},
	{"exponential", "exp(a + b*c)", func(y, a, b, c float64) float64 {
		return distuv.Exponential{Rate: math.Exp(a + b*c)}.LogProb(y)
	}, positiveGrid},
	{"gamma", "exp(a*c) + 1, exp(b)", func(y, a, b, c float64) float64 { return gamma(y, math.Exp(a*c)+1, math.Exp(b)) }, positiveGrid},
	{"inv_gamma", "exp(a) + 2, exp(b*c)", func(y, a, b, c float64) float64 {
		return distuv.InverseGamma{Alpha: math.Exp(a) + 2, Beta: math.Exp(b * c)}.LogProb(y)
	}, positiveGrid},
	{"inv_chi_square", "exp(a + b*c) + 2", func(y, a, b, c float64) float64 {
		return distuv.InverseGamma{Alpha: math.Exp(a+b*c)/2 + 1, Beta: 0.5}.LogProb(y)
	}, positiveGrid},
	{"scaled_inv_chi_square", "exp(a*c) + 2, exp(b - 0.3*a*c)", func(y, a, b, c float64) float64 {
		nu, s := math.Exp(a*c)+2, math.Exp(b-0.3*a*c)
		return distuv.InverseGamma{Alpha: nu / 2, Beta: nu * s * s / 2}.LogProb(y)
	}, positiveGrid},
	{"lognormal", "a + b*c, exp(a*b)", func(y, a, b, c float64) float64 {
		return distuv.LogNormal{Mu: a + b*c, Sigma: math.Exp(a * b)}.LogProb(y)
	}, positiveGrid},
	{"beta", "exp(a) + 1, exp(b*c) + 1", func(y, a, b, c float64) float64 {
		return distuv.Beta{Alpha: math.Exp(a) + 1, Beta: math.Exp(b*c) + 1}.LogProb(y)
	}, unitGrid},
	{"bernoulli", "inv_logit(a + b*c)", func(y, a, b, c float64) float64 {
		if y > 1 {
			return math.Inf(-1)
		}
		return distuv.Bernoulli{P: expit(a + b*c)}.LogProb(y)
	}, counts},
	{"bernoulli_logit", "a*b + c", func(y, a, b, c float64) float64 {
		if y > 1 {
			return math.Inf(-1)
		}
		return distuv.Bernoulli{P: expit(a*b + c)}.LogProb(y)
	}, counts},
	{"binomial_logit", "7, a + b*c", func(y, a, b, c float64) float64 {
		if y > 7 {
			return math.Inf(-1)
		}
		return distuv.Binomial{N: 7, P: expit(a + b*c)}.LogProb(y)
	}, counts},
	{"binomial", "7, inv_logit(a + b*c)", func(y, a, b, c float64) float64 {
		if y > 7 {
			return math.Inf(-1)
		}
		return distuv.Binomial{N: 7, P: expit(a + b*c)}.LogProb(y)
	}, counts},
	{"neg_binomial", "2.5, exp(a + b*c)", func(y, a, b, c float64) float64 {
		return negativeBinomial(y, 2.5*math.Exp(-a-b*c), 2.5)
	}, counts},
	{"neg_binomial_2", "exp(a) + b^2, 2.5", func(y, a, b, c float64) float64 {
		return negativeBinomial(y, math.Exp(a)+b*b, 2.5)
	}, counts},
	{"neg_binomial_2_log", "a + b*c, 2.5", func(y, a, b, c float64) float64 {
		return negativeBinomial(y, math.Exp(a+b*c), 2.5)
	}, counts},
	{"logistic", "a*c + b, exp(b - 0.3*a*c)", func(y, a, b, c float64) float64 {
		z, s := math.Abs(y-a*c-b), math.Exp(b-0.3*a*c)
		return -z/s - math.Log(s) - 2*math.Log1p(math.Exp(-z/s))
	}, lineGrid},
	{"gumbel", "a*c + b, exp(b - 0.3*a*c)", func(y, a, b, c float64) float64 {
		return distuv.GumbelRight{Mu: a*c + b, Beta: math.Exp(b - 0.3*a*c)}.LogProb(y)
	}, lineGrid},
	{"chi_square", "exp(a + b*c) + 2", func(y, a, b, c float64) float64 {
		return distuv.ChiSquared{K: math.Exp(a+b*c) + 2}.LogProb(y)
	}, positiveGrid},
	{"weibull", "exp(a*c) + 1, exp(b)", func(y, a, b, c float64) float64 {
		return distuv.Weibull{K: math.Exp(a*c) + 1, Lambda: math.Exp(b)}.LogProb(y)
	}, positiveGrid},
	{"frechet", "exp(a*c) + 1, exp(b)", func(y, a, b, c float64) float64 { // 1/y is from Weibull's distribution
		return distuv.Weibull{K: math.Exp(a*c) + 1, Lambda: math.Exp(-b)}.LogProb(1/y) - 2*math.Log(y)
	}, positiveGrid},
	{"rayleigh", "exp(a + b*c)", func(y, a, b, c float64) float64 {
		return distuv.Weibull{K: 2, Lambda: math.Sqrt2 * math.Exp(a+b*c)}.LogProb(y)
	}, positiveGrid},
	{"beta_proportion", "inv_logit(0.3*a*c), exp(b) + 5", func(y, a, b, c float64) float64 {
		mu, kappa := expit(0.3*a*c), math.Exp(b)+5
		return distuv.Beta{Alpha: mu * kappa, Beta: (1 - mu) * kappa}.LogProb(y)
	}, unitGrid},
	{"double_exponential", "0, exp(a + b*c)", func(y, a, b, c float64) float64 {
		return distuv.Laplace{Scale: math.Exp(a + b*c)}.LogProb(y)
	}, flatGrid},
	{"half_normal", "exp(a + b*c)", func(y, a, b, c float64) float64 { return math.Ln2 + normal(y, 0, math.Exp(a+b*c)) }, positiveGrid},
	{"half_cauchy", "exp(a + b*c)", func(y, a, b, c float64) float64 { return math.Ln2 + student(y, 1, 0, math.Exp(a+b*c)) }, positiveGrid},
	{"half_student_t", "5, exp(a + b*c)", func(y, a, b, c float64) float64 { return math.Ln2 + student(y, 5, 0, math.Exp(a+b*c)) }, positiveGrid},
	{"pareto_type_2", "0, exp(a*c) + 1, exp(b) + 2", func(y, a, b, c float64) float64 { // shifted by lambda it is Pareto's distribution
		l := math.Exp(a*c) + 1
		return distuv.Pareto{Xm: l, Alpha: math.Exp(b) + 2}.LogProb(y + l)
	}, positiveGrid},
	{"loglogistic", "exp(a*c) + 1, exp(b) + 1", func(y, a, b, c float64) float64 { // log y has the logistic distribution
		scale := 1 / (math.Exp(b) + 1)
		z := math.Abs(math.Log(y)-math.Log(math.Exp(a*c)+1)) / scale
		return -z - math.Log(scale) - 2*math.Log1p(math.Exp(-z)) - math.Log(y)
	}, positiveGrid},
	{"inv_gaussian", "exp(a*c) + 1, exp(b) + 1", func(y, a, b, c float64) float64 {
		mu, lambda := math.Exp(a*c)+1, math.Exp(b)+1
		return math.Log(lambda/(2*math.Pi*y*y*y))/2 - lambda*(y-mu)*(y-mu)/(2*mu*mu*y)
	}, positiveGrid},
	{"logit_normal", "a + b*c, exp(a*b)", func(y, a, b, c float64) float64 {
		return normal(math.Log(y/(1-y)), a+b*c, math.Exp(a*b)) - math.Log(y*(1-y))
	}, unitGrid},
	{"kumaraswamy", "2, exp(a + b*c) + 1", func(y, a, b, c float64) float64 { // the square of y is a beta variate
		return distuv.Beta{Alpha: 1, Beta: math.Exp(a+b*c) + 1}.LogProb(y*y) + math.Log(2*y)
	}, unitGrid},
	{"geometric", "inv_logit(a + b*c)", func(y, a, b, c float64) float64 { return math.Log(expit(a+b*c)) + y*math.Log(expit(-a-b*c)) }, counts},
	{"zero_inflated_poisson", "inv_logit(a*c), exp(b) + 1", func(y, a, b, c float64) float64 {
		return withZeros(y, expit(a*c), func(y float64) float64 { return distuv.Poisson{Lambda: math.Exp(b) + 1}.LogProb(y) })
	}, counts},
	{"zero_inflated_neg_binomial_2", "inv_logit(a*c), exp(b), 2.5", func(y, a, b, c float64) float64 {
		return withZeros(y, expit(a*c), func(y float64) float64 { return negativeBinomial(y, math.Exp(b), 2.5) })
	}, counts},
	{"hurdle_poisson", "inv_logit(a*c), exp(b) + 1", func(y, a, b, c float64) float64 {
		lambda := math.Exp(b) + 1
		if y == 0 {
			return math.Log(expit(a * c))
		}
		return math.Log(expit(-a*c)) + distuv.Poisson{Lambda: lambda}.LogProb(y) - math.Log(1-math.Exp(-lambda))
	}, counts},
	{"poisson", "exp(a) + b^2 + 1", func(y, a, b, c float64) float64 {
		return distuv.Poisson{Lambda: math.Exp(a) + b*b + 1}.LogProb(y)
	}, counts},
	{"poisson_log", "a + b*c", func(y, a, b, c float64) float64 {
		return distuv.Poisson{Lambda: math.Exp(a + b*c)}.LogProb(y)
	}, counts},
}

// negativeBinomial is the log probability of a Poisson count whose mean is mu times a draw from Gamma(phi, phi).
func negativeBinomial(y, mu, phi float64) float64 {
	l := phi * math.Log(phi/(phi+mu))
	for k := range int(y) {
		l += math.Log((phi + float64(k)) / float64(k+1) * mu / (mu + phi))
	}
	return l
}

// withZeros is the log probability of a count where a zero more has the probability theta.
func withZeros(y, theta float64, logp func(y float64) float64) float64 {
	if y == 0 {
		return math.Log(theta + (1-theta)*math.Exp(logp(0)))
	}
	return math.Log(1-theta) + logp(y)
}

// TestFisherExpectation: the metric of a data term is E[s sᵀ] with the score s
// by differences and the expectation by quadrature or enumeration.
func TestFisherExpectation(t *testing.T) {
	cs := []float64{0.7, -0.4}
	for _, x := range expectations {
		t.Run(x.name, func(t *testing.T) {
			declare := map[bool]string{true: "data y int[n] >= 0", false: "data y real[n]"}[x.grid.value == nil]
			ys := []float64{0.4, 0.8}
			switch {
			case x.name == "bernoulli" || x.name == "bernoulli_logit":
				declare, ys = "data y int[n] in {0, 1}", []float64{0, 1}
			case x.grid.value == nil:
				ys = []float64{1, 3}
			case x.grid.value(-5) > 0 && x.grid.value(50) <= 1:
				declare += " in (0, 1)"
			case x.grid.value(-5) > 0:
				declare += " > 0"
			}
			d, _ := load(t, "model m\ndata n int\n"+declare+"\ndata c real[n]\nparam a, b real\ny ~ "+x.name+"("+x.text+")\na, b ~ normal(0, 1)\nmetric fisher\n")
			bench := newBench(t, d, numbers{"n": {2}, "y": ys, "c": cs})
			for _, q := range [][]float64{{0.3, -0.5}, {-0.6, 0.4}} {
				want := []float64{1, 0, 0, 1}
				total := 0.0
				for _, c := range cs {
					e := x.grid.mean(func(y float64) float64 { return x.logp(y, q[0], q[1], c) }, func(y float64) []float64 {
						s := gradientOf(func(p []float64) float64 { return x.logp(y, p[0], p[1], c) }, q)
						return []float64{s[0] * s[0], s[0] * s[1], s[1] * s[0], s[1] * s[1], 1}
					})
					total += e[4]
					for i := range want {
						want[i] += e[i]
					}
				}
				if math.Abs(total-2) > 1e-9 {
					t.Fatalf("the quadrature gives a total probability of %.12g", total/2)
				}
				if got := flatten(bench.matrix(q)); !near(got, want, 1e-7) {
					t.Errorf("at %v: %.9g, by expectation %.9g", q, got, want)
				}
			}
		})
	}
}

// TestJointExpectation: with prior = expected, a prior x ~ D(a, b) contributes
// E[s sᵀ] of the joint score s of (a, b, u), u the coordinate of x.
func TestJointExpectation(t *testing.T) {
	support := map[string]string{"exponential": " > 0", "gamma": " > 0", "inv_gamma": " > 0",
		"inv_chi_square": " > 0", "scaled_inv_chi_square": " > 0", "lognormal": " > 0", "beta": " in (0, 1)",
		"chi_square": " > 0", "weibull": " > 0", "frechet": " > 0", "rayleigh": " > 0", "beta_proportion": " in (0, 1)",
		"half_normal": " > 0", "half_cauchy": " > 0", "half_student_t": " > 0", "loglogistic": " > 0", "inv_gaussian": " > 0", "logit_normal": " in (0, 1)"}
	cs := []float64{0.7, -0.4}
	for _, x := range expectations {
		if dist := dsl.LookupDistribution(x.name); dist.Joint == nil || dist.Kink != "" {
			continue // differences go across a kink
		}
		t.Run(x.name, func(t *testing.T) {
			d, list := load(t, "model m\ndata n int\ndata c real[n]\nparam a, b real\nparam x real[n]"+support[x.name]+"\nx ~ "+x.name+"("+x.text+")\na, b ~ normal(0, 1)\nmetric fisher(prior = expected)\n")
			if len(list) > 0 {
				t.Errorf("unexpected: %v", list)
			}
			bench := newBench(t, d, numbers{"n": {2}, "c": cs})
			// x as a function of the coordinate u, with log dx/du.
			value := func(u float64) (float64, float64) { return u, 0 }
			inverse := func(y float64) float64 { return y }
			switch support[x.name] {
			case " > 0":
				value = func(u float64) (float64, float64) { return math.Exp(u), u }
				inverse = math.Log
			case " in (0, 1)":
				value = func(u float64) (float64, float64) { return interval(0, 1, u) }
				inverse = func(y float64) float64 { return math.Log(y / (1 - y)) }
			}
			q := []float64{0.3, -0.5, 0.2, -0.1}
			want := scaledIdentity(4, 0)
			want[0][0], want[1][1] = 1, 1
			for i, c := range cs {
				e := x.grid.mean(func(y float64) float64 { return x.logp(y, q[0], q[1], c) }, func(y float64) []float64 {
					u := inverse(y)
					if math.Abs(u) > 30 && support[x.name] != "" {
						return make([]float64, 9) // beyond the digits of y
					}
					s := gradientOf(func(p []float64) float64 {
						v, j := value(p[2])
						return x.logp(v, p[0], p[1], c) + j
					}, []float64{q[0], q[1], u})
					out := make([]float64, 0, 9)
					for _, r := range s {
						for _, k := range s {
							out = append(out, r*k)
						}
					}
					return out
				})
				at := []int{0, 1, 2 + i}
				for r := range 3 {
					for k := range 3 {
						want[at[r]][at[k]] += e[3*r+k]
					}
				}
			}
			if got := flatten(bench.matrix(q)); !near(got, flatten(want), 1e-6) {
				t.Errorf("got %.7g\nby expectation %.7g", got, flatten(want))
			}
		})
	}
	t.Run("uniform", func(t *testing.T) {
		// E[−∂²/∂u² log s(1−s)] = E[2 s(1−s)] over s uniform.
		d, _ := load(t, "model m\nparam x real in (2, 5)\nx ~ uniform(2, 5)\nmetric fisher(prior = expected)\n")
		if got := newBench(t, d, nil).matrix([]float64{0.7}); math.Abs(got[0][0]-1./3) > 1e-15 {
			t.Errorf("%g, want 1/3", got[0][0])
		}
	})
}
