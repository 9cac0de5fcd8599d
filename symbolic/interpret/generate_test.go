package interpret_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/random"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// load returns the model of a text on its data.
func load(t *testing.T, text, data string) interpret.Posterior {
	t.Helper()
	return on(t, derivation(t, text), data)
}

// derivation is the program of a model.
func derivation(t *testing.T, text string) *symbolic.Derived {
	t.Helper()
	m, ds := dsl.Load("m.ham", text, dsl.Options{})
	if m == nil {
		t.Fatalf("%v\n%s", ds, text)
	}
	d, list := symbolic.Derive(m)
	if d == nil {
		t.Fatalf("%v\n%s", list, text)
	}
	return d
}

// on is a program on data.
func on(t *testing.T, d *symbolic.Derived, data string) interpret.Posterior {
	t.Helper()
	p, err := interpret.New(d, strings.NewReader(data), "data")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// generate returns the generated quantities of a draw, by name.
func generate(p runtime.Generator, q []float64, rng *rand.Rand) map[string][]float64 {
	list := p.Generated()
	out := make([]float64, runtime.QuantitiesLen(list))
	p.Generate(out, q, rng)
	byName := map[string][]float64{}
	for i := range list {
		n := list[i].Size()
		byName[list[i].Name], out = out[:n], out[n:]
	}
	return byName
}

// fraction is the probability of a false alarm of each of the tests below, whose
// seeds are fixed.
const fraction = 1e-5

// follows returns the evidence of Kolmogorov and Smirnov against a sample's having a
// distribution function: below 1 there is none.
func follows(sample []float64, cdf func(y float64) float64) float64 {
	y := slices.Sorted(slices.Values(sample))
	n, d := float64(len(y)), 0.0
	for i, v := range y {
		f := cdf(v)
		d = max(d, float64(i+1)/n-f, f-float64(i)/n)
	}
	return d * math.Sqrt(n) / math.Sqrt(-math.Log(fraction/2)/2)
}

// followsCounts is follows for counts, by Pearson's χ² over counts whose
// expectations are 5 at least.
func followsCounts(sample []float64, prob func(k float64) float64) float64 {
	n := float64(len(sample))
	observed := map[float64]float64{}
	for _, k := range sample {
		observed[k]++
	}
	statistic, freedom := 0.0, -1
	o, e, all := 0.0, 0.0, 0.0
	for k := 0.0; k < 1000 && all < n-5; k++ {
		o, e, all = o+observed[k], e+n*prob(k), all+n*prob(k)
		delete(observed, k)
		if e >= 5 && n-all >= 5 {
			statistic += (o - e) * (o - e) / e
			freedom++
			o, e = 0, 0
		}
	}
	for _, more := range observed {
		o += more
	}
	e += n - all
	statistic += (o - e) * (o - e) / e
	freedom++
	return statistic / distuv.ChiSquared{K: float64(freedom)}.Quantile(1-fraction)
}

// negativeBinomial is the distribution of Poisson counts whose mean is from
// Gamma(a, b).
func negativeBinomial(a, b float64) func(k float64) float64 {
	return func(k float64) float64 {
		g1, _ := math.Lgamma(k + a)
		g2, _ := math.Lgamma(a)
		g3, _ := math.Lgamma(k + 1)
		return math.Exp(g1 - g2 - g3 + a*math.Log(b/(b+1)) - k*math.Log(b+1))
	}
}

// betaBinomial is the distribution of binomial counts whose probability is from Beta(a, b).
func betaBinomial(n, a, b float64) func(k float64) float64 {
	return func(k float64) float64 {
		if k > n {
			return 0
		}
		return math.Exp(combin.LogGeneralizedBinomial(n, k) + mathext.Lbeta(k+a, n-k+b) - mathext.Lbeta(a, b))
	}
}

// between are the probabilities of the categories that cuts make of a number.
func between(cdf func(float64) float64, cuts ...float64) func(k float64) float64 {
	return func(k float64) float64 {
		at := func(k int) float64 {
			switch {
			case k < 1:
				return 0
			case k > len(cuts):
				return 1
			}
			return cdf(cuts[k-1])
		}
		return at(int(k)) - at(int(k)-1)
	}
}

// betaNegBinomial is the distribution of the failures before r successes, whose probability is from Beta(a, b).
func betaNegBinomial(r, a, b float64) func(k float64) float64 {
	return func(k float64) float64 {
		return math.Exp(mathext.Lbeta(a+r, b+k) - mathext.Lbeta(a, b) - mathext.Lbeta(r, k+1) - math.Log(r+k))
	}
}

// moreZeros is a distribution of counts with a zero more of probability theta.
func moreZeros(theta float64, prob func(k float64) float64) func(k float64) float64 {
	return func(k float64) float64 {
		if k == 0 {
			return theta + (1-theta)*prob(0)
		}
		return (1 - theta) * prob(k)
	}
}

// behindHurdle is one that is zero with probability theta, and else of what is not 0.
func behindHurdle(theta float64, prob func(k float64) float64) func(k float64) float64 {
	return func(k float64) float64 {
		if k == 0 {
			return theta
		}
		return (1 - theta) * prob(k) / (1 - prob(0))
	}
}

// folded is the distribution of an absolute value, of one that is symmetric about 0.
func folded(cdf func(float64) float64) func(float64) float64 {
	return func(y float64) float64 { return 1 - 2*cdf(-y) }
}

// onLogit is the distribution of a value whose logit has another.
func onLogit(cdf func(float64) float64) func(float64) float64 {
	return func(y float64) float64 { return cdf(math.Log(y / (1 - y))) }
}

// asymmetric has an exponential distribution on either side of mu.
func asymmetric(mu, sigma, tau float64) func(float64) float64 {
	return func(y float64) float64 {
		if y < mu {
			return tau * math.Exp(-2*(1-tau)*(mu-y)/sigma)
		}
		return 1 - (1-tau)*math.Exp(-2*tau*(y-mu)/sigma)
	}
}

// skewed integrates the density of the skew normal distribution.
// onCircle is the von Mises distribution function, of angles from −π on, by the sum over a fine grid.
func onCircle(mu, kappa float64) func(float64) float64 {
	const steps = 20_000
	sums := make([]float64, steps+1)
	for i := range steps {
		sums[i+1] = sums[i] + math.Exp(kappa*math.Cos((float64(i)+0.5)/steps*2*math.Pi-math.Pi-mu))
	}
	return func(y float64) float64 {
		return sums[min(max(int(math.Round((y+math.Pi)/(2*math.Pi)*steps)), 0), steps)] / sums[steps]
	}
}

func skewed(xi, omega, alpha float64) func(float64) float64 {
	return func(y float64) float64 {
		return quad.Fixed(func(z float64) float64 { return 2 * distuv.UnitNormal.Prob(z) * distuv.UnitNormal.CDF(alpha*z) }, -9, max((y-xi)/omega, -9), 50, nil, 0)
	}
}

// normalPlusExponential integrates the distribution of a normal variate over the exponential one that is added.
func normalPlusExponential(mu, sigma, lambda float64) func(float64) float64 {
	return func(y float64) float64 {
		return quad.Fixed(func(u float64) float64 {
			return distuv.Normal{Mu: mu, Sigma: sigma}.CDF(y + math.Log(u)/lambda)
		}, 0, 1, 100, nil, 0)
	}
}

// lomax is a Pareto distribution that begins at mu.
func lomax(mu, lambda, alpha float64) func(float64) float64 {
	return func(y float64) float64 { return 1 - math.Pow(1+(y-mu)/lambda, -alpha) }
}

// firstPassage is the inverse Gaussian distribution.
func firstPassage(mu, lambda float64) func(float64) float64 {
	return func(y float64) float64 {
		s, phi := math.Sqrt(lambda/y), distuv.UnitNormal.CDF
		return phi(s*(y/mu-1)) + math.Exp(2*lambda/mu)*phi(-s*(y/mu+1))
	}
}

// norm, gamma, inverse and bern are distribution functions, that of 1/y among them, and the probabilities of Bernoulli's.
func norm(mu, sigma float64) func(float64) float64 { return distuv.Normal{Mu: mu, Sigma: sigma}.CDF }

func gamma(a, b float64) func(float64) float64 { return distuv.Gamma{Alpha: a, Beta: b}.CDF }

func inverse(cdf func(float64) float64) func(float64) float64 {
	return func(y float64) float64 { return 1 - cdf(1/y) }
}

func bern(p float64) func(float64) float64 { return distuv.Bernoulli{P: p}.Prob }

// drawn are calls, with the distributions that they draw from and others that are like them; m is 0.5.
var drawn = []struct {
	call         string
	right, wrong func(y float64) float64 // distribution functions, or probabilities of counts
}{
	{"normal_rng(m, 2)", norm(0.5, 2), norm(0.5, math.Sqrt2)},
	{"student_t_rng(3, m, 2)", distuv.StudentsT{Nu: 3, Mu: 0.5, Sigma: 2}.CDF, distuv.StudentsT{Nu: 2, Mu: 0.5, Sigma: 3}.CDF},
	{"cauchy_rng(m, 2)", distuv.StudentsT{Nu: 1, Mu: 0.5, Sigma: 2}.CDF, distuv.StudentsT{Nu: 1, Mu: 2, Sigma: 0.5}.CDF},
	{"exponential_rng(2)", distuv.Exponential{Rate: 2}.CDF, distuv.Exponential{Rate: 0.5}.CDF},
	{"gamma_rng(3, 2)", gamma(3, 2), gamma(3, 0.5)},
	{"inv_gamma_rng(3, 2)", distuv.InverseGamma{Alpha: 3, Beta: 2}.CDF, distuv.InverseGamma{Alpha: 3, Beta: 0.5}.CDF},
	{"inv_chi_square_rng(3)", inverse(distuv.ChiSquared{K: 3}.CDF), distuv.ChiSquared{K: 3}.CDF},
	{"scaled_inv_chi_square_rng(3, 0.4)", inverse(gamma(1.5, 1.5*0.16)), inverse(gamma(1.5, 1.5*0.4))},
	{"beta_rng(2, 5)", distuv.Beta{Alpha: 2, Beta: 5}.CDF, distuv.Beta{Alpha: 5, Beta: 2}.CDF},
	{"lognormal_rng(m, 0.7)", distuv.LogNormal{Mu: 0.5, Sigma: 0.7}.CDF, distuv.LogNormal{Mu: 0, Sigma: 0.7}.CDF},
	{"uniform_rng(-1, m)", distuv.Uniform{Min: -1, Max: 0.5}.CDF, distuv.Uniform{Min: -0.5, Max: 0.5}.CDF},
	{"bernoulli_rng(0.3)", bern(0.3), bern(0.7)},
	{"bernoulli_logit_rng(m)", bern(1 / (1 + math.Exp(-0.5))), bern(0.5)},
	{"binomial_logit_rng(20, m)", distuv.Binomial{N: 20, P: 1 / (1 + math.Exp(-0.5))}.Prob, distuv.Binomial{N: 20, P: 0.5}.Prob},
	{"poisson_rng(3)", distuv.Poisson{Lambda: 3}.Prob, distuv.Poisson{Lambda: math.Log(3)}.Prob},
	{"poisson_log_rng(m)", distuv.Poisson{Lambda: math.Exp(0.5)}.Prob, distuv.Poisson{Lambda: 0.5}.Prob},
	{"binomial_rng(20, 0.3)", distuv.Binomial{N: 20, P: 0.3}.Prob, distuv.Binomial{N: 20, P: 0.7}.Prob},
	{"beta_binomial_rng(12, 2, 5)", betaBinomial(12, 2, 5), betaBinomial(12, 5, 2)},
	{"neg_binomial_rng(3, 0.4)", negativeBinomial(3, 0.4), negativeBinomial(0.4, 3)},
	{"neg_binomial_2_rng(3, 0.8)", negativeBinomial(0.8, 0.8/3), negativeBinomial(3, 1/0.8)},
	{"neg_binomial_2_log_rng(m, 0.8)", negativeBinomial(0.8, 0.8/math.Exp(0.5)), negativeBinomial(0.8, 0.8/0.5)},
	{"logistic_rng(m, 2)", distuv.Logistic{Mu: 0.5, S: 2}.CDF, norm(0.5, 2*math.Pi/math.Sqrt(3))},
	{"gumbel_rng(m, 2)", distuv.GumbelRight{Mu: 0.5, Beta: 2}.CDF, func(y float64) float64 { return 1 - distuv.GumbelRight{Mu: -0.5, Beta: 2}.CDF(-y) }},
	{"chi_square_rng(3)", distuv.ChiSquared{K: 3}.CDF, distuv.ChiSquared{K: 4}.CDF},
	{"weibull_rng(3, 2)", distuv.Weibull{K: 3, Lambda: 2}.CDF, distuv.Weibull{K: 2, Lambda: 3}.CDF},
	{"frechet_rng(3, 2)", inverse(distuv.Weibull{K: 3, Lambda: 0.5}.CDF), inverse(distuv.Weibull{K: 3, Lambda: 2}.CDF)},
	{"rayleigh_rng(2)", distuv.Weibull{K: 2, Lambda: 2 * math.Sqrt2}.CDF, distuv.Weibull{K: 2, Lambda: 2}.CDF},
	{"beta_proportion_rng(0.3, 5)", distuv.Beta{Alpha: 1.5, Beta: 3.5}.CDF, distuv.Beta{Alpha: 0.3, Beta: 5}.CDF},
	{"categorical_rng(pick)", func(k float64) float64 { return []float64{0, 0.2, 0.5, 0.3, 0}[min(4, int(k))] }, func(k float64) float64 { return []float64{0, 0.5, 0.2, 0.3, 0}[min(4, int(k))] }},
	{"categorical_logit_rng(2*log(pick) + m)", func(k float64) float64 { return []float64{0, 4, 25, 9, 0}[min(4, int(k))] / 38 }, func(k float64) float64 { return []float64{0, 0.2, 0.5, 0.3, 0}[min(4, int(k))] }},
	{"ordered_logistic_rng(m, cuts)", between(distuv.Logistic{Mu: 0.5, S: 1}.CDF, -0.4, 0.7), between(distuv.Logistic{Mu: -0.5, S: 1}.CDF, -0.4, 0.7)},
	{"ordered_probit_rng(m, cuts)", between(distuv.Normal{Mu: 0.5, Sigma: 1}.CDF, -0.4, 0.7), between(distuv.Logistic{Mu: 0.5, S: 1}.CDF, -0.4, 0.7)},
	{"std_normal_rng()", norm(0, 1), norm(0.5, 1)},
	{"double_exponential_rng(m, 2)", distuv.Laplace{Mu: 0.5, Scale: 2}.CDF, distuv.Laplace{Mu: 0.5, Scale: 0.5}.CDF},
	{"skew_double_exponential_rng(m, 2, 0.3)", asymmetric(0.5, 2, 0.3), asymmetric(0.5, 2, 0.7)},
	{"skew_normal_rng(m, 2, 3)", skewed(0.5, 2, 3), skewed(0.5, 2, -3)},
	{"von_mises_rng(m, 2)", onCircle(0.5, 2), onCircle(-0.5, 2)},
	{"exp_mod_normal_rng(m, 0.7, 2)", normalPlusExponential(0.5, 0.7, 2), normalPlusExponential(0.5, 0.7, 0.5)},
	{"half_normal_rng(2)", folded(norm(0, 2)), folded(norm(0, 0.5))},
	{"half_cauchy_rng(2)", folded(distuv.StudentsT{Nu: 1, Sigma: 2}.CDF), folded(distuv.StudentsT{Nu: 1, Sigma: 0.5}.CDF)},
	{"half_student_t_rng(3, 2)", folded(distuv.StudentsT{Nu: 3, Sigma: 2}.CDF), folded(distuv.StudentsT{Nu: 2, Sigma: 3}.CDF)},
	{"pareto_rng(2, 3)", distuv.Pareto{Xm: 2, Alpha: 3}.CDF, distuv.Pareto{Xm: 2, Alpha: 2}.CDF},
	{"pareto_type_2_rng(m, 2, 3)", lomax(0.5, 2, 3), lomax(0.5, 3, 2)},
	{"loglogistic_rng(2, 3)", func(y float64) float64 { return 1 / (1 + math.Pow(y/2, -3)) }, func(y float64) float64 { return 1 / (1 + math.Pow(y/3, -2)) }},
	{"inv_gaussian_rng(2, 3)", firstPassage(2, 3), firstPassage(3, 2)},
	{"logit_normal_rng(m, 2)", onLogit(norm(0.5, 2)), onLogit(norm(-0.5, 2))},
	{"kumaraswamy_rng(2, 3)", func(y float64) float64 { return 1 - math.Pow(1-y*y, 3) }, func(y float64) float64 { return 1 - math.Pow(1-y*y*y, 2) }},
	{"geometric_rng(0.3)", negativeBinomial(1, 0.3/0.7), negativeBinomial(1, 0.7/0.3)},
	{"beta_neg_binomial_rng(3, 6, 2)", betaNegBinomial(3, 6, 2), betaNegBinomial(3, 2, 6)},
	{"zero_inflated_poisson_rng(0.3, 2)", moreZeros(0.3, distuv.Poisson{Lambda: 2}.Prob), moreZeros(0.7, distuv.Poisson{Lambda: 2}.Prob)},
	{"zero_inflated_neg_binomial_2_rng(0.3, 2, 0.8)", moreZeros(0.3, negativeBinomial(0.8, 0.4)), moreZeros(0.3, negativeBinomial(2, 2/0.8))},
	{"hurdle_poisson_rng(0.3, 2)", behindHurdle(0.3, distuv.Poisson{Lambda: 2}.Prob), moreZeros(0.3, distuv.Poisson{Lambda: 2}.Prob)},
	// Calls in expressions draw anew each.
	{"normal_rng(0, 1) + normal_rng(0, 1)", norm(0, math.Sqrt2), norm(0, 2)},
	{"sum(j in 3) normal_rng(0, 1)", norm(0, math.Sqrt(3)), norm(0, 3)},
	{"poisson_rng(gamma_rng(2, 1*m))", negativeBinomial(2, 0.5), distuv.Poisson{Lambda: 4}.Prob},
	{"sum(j in 4) bernoulli_rng(0.3)", distuv.Binomial{N: 4, P: 0.3}.Prob, distuv.Binomial{N: 4, P: 0.4}.Prob},
}

// TestDraws tests the random numbers of each distribution, as a model draws them,
// for the distribution that gonum has of that name and those arguments; and that
// the test notices another one, of a usual mistake.
func TestDraws(t *testing.T) {
	seen := map[string]bool{}
	for i, c := range drawn {
		t.Run(c.call, func(t *testing.T) {
			// m is a parameter, with the value 0.5.
			text := "model m\nparam m real\nm ~ normal(0, 1)\nlet pick[1] = 0.2\nlet pick[2] = 0.5\nlet pick[3] = 0.3\nlet cuts[1] = -0.4\nlet cuts[2] = 0.7\nmetric fisher\ngenerate {\n  x[i in 20000] = " + c.call + "\n}\n"
			name, _, _ := strings.Cut(c.call, "_rng(")
			seen[name] = true
			p := load(t, text, "{}")
			sample := generate(p, []float64{0.5}, rand.New(random.New(uint64(i), 3)))["x"]
			judge := follows
			if p.Generated()[0].Whole {
				judge = followsCounts
			}
			if e := judge(sample, c.right); !(e < 1) {
				t.Errorf("the evidence against the distribution is %.2f times the limit", e)
			}
			if e := judge(sample, c.wrong); !(e > 1) {
				t.Errorf("the evidence against another distribution is %.2f times the limit", e)
			}
		})
	}
	for i := range dsl.Distributions {
		if d := &dsl.Distributions[i]; !seen[d.Name] && !d.Defective && (!d.Whole() || d.Generate != "") {
			t.Errorf("%s is not tested", d.RandomName())
		}
	}
}

// TestVectorDraws: the Mahalanobis distances of multivariate normal vectors are from
// χ², and the elements and a contrast are normal.
func TestVectorDraws(t *testing.T) {
	text := `model m
data S cov[3]
param x real[3]
x ~ multi_normal([1, 0, 0 ; 0, 1, 0 ; 0, 0, 1]*x, S)
metric identity
generate {
  v = multi_normal_rng(x, S)
}
`
	p := load(t, text, `{"S": [[2, 0.6, -0.3], [0.6, 1, 0.2], [-0.3, 0.2, 0.5]]}`)
	// The inverse of S, from its cofactors.
	s := [3][3]float64{{2, 0.6, -0.3}, {0.6, 1, 0.2}, {-0.3, 0.2, 0.5}}
	var inv [3][3]float64
	det := 0.0
	for i := range 3 {
		for j := range 3 {
			a, b, c, d := (i+1)%3, (i+2)%3, (j+1)%3, (j+2)%3
			inv[j][i] = s[a][c]*s[b][d] - s[a][d]*s[b][c]
		}
	}
	for j := range 3 {
		det += s[0][j] * inv[j][0]
	}
	mean := []float64{1, -2, 0.5}
	rng := rand.New(random.New(5, 5))
	var distance, contrast, swapped []float64
	var elements [3][]float64
	for range 20000 {
		v := generate(p, mean, rng)["v"]
		d, e := 0.0, 0.0
		for i := range 3 {
			for j := range 3 {
				d += (v[i] - mean[i]) * inv[i][j] / det * (v[j] - mean[j])
				e += (v[2-i] - mean[2-i]) * inv[i][j] / det * (v[2-j] - mean[2-j])
			}
			elements[i] = append(elements[i], v[i])
		}
		distance, swapped = append(distance, d), append(swapped, e)
		contrast = append(contrast, v[0]-2*v[1]+v[2]-mean[0]+2*mean[1]-mean[2])
	}
	if e := follows(distance, distuv.ChiSquared{K: 3}.CDF); !(e < 1) {
		t.Errorf("distances: %.2f times the limit", e)
	}
	if e := follows(swapped, distuv.ChiSquared{K: 3}.CDF); !(e > 1) {
		t.Errorf("distances of elements in another order: %.2f times the limit", e)
	}
	for i := range 3 {
		if e := follows(elements[i], distuv.Normal{Mu: mean[i], Sigma: math.Sqrt(s[i][i])}.CDF); !(e < 1) {
			t.Errorf("element %d: %.2f times the limit", i+1, e)
		}
	}
	// Var(a − 2b + c) = S11 + 4 S22 + S33 − 4 S12 + 2 S13 − 4 S23.
	sd := math.Sqrt(2 + 4 + 0.5 - 4*0.6 - 2*0.3 - 4*0.2)
	if e := follows(contrast, distuv.Normal{Sigma: sd}.CDF); !(e < 1) {
		t.Errorf("contrast: %.2f times the limit", e)
	}
}

// TestSimplexDraws: the elements of a Dirichlet vector and sums of them are beta variates, also where
// concentrations are small.
func TestSimplexDraws(t *testing.T) {
	text := `model m
data alpha real[4] > 0
param theta simplex[4]
theta ~ dirichlet(alpha)
metric identity
generate {
  v = dirichlet_rng(3*alpha*theta[1]/theta[1])
}
`
	p := load(t, text, `{"alpha": [0.7, 0.02, 2, 1.1]}`)
	alpha := []float64{2.1, 0.06, 6, 3.3}
	sum := 2.1 + 0.06 + 6 + 3.3
	rng := rand.New(random.New(5, 5))
	var elements [5][]float64
	for range 20000 {
		v := generate(p, []float64{0.3, -1, 0.2}, rng)["v"]
		total := 0.0
		for i, x := range v {
			if !(x > 0) {
				t.Fatalf("element %d of %v", i+1, v)
			}
			elements[i] = append(elements[i], x)
			total += x
		}
		if !(math.Abs(total-1) < 1e-14) {
			t.Fatalf("%v sums to %v", v, total)
		}
		elements[4] = append(elements[4], v[0]+v[2])
	}
	for i, a := range append(alpha, alpha[0]+alpha[2]) {
		if e := follows(elements[i], distuv.Beta{Alpha: a, Beta: sum - a}.CDF); !(e < 1) {
			t.Errorf("element %d: %.2f times the limit", i+1, e)
		}
		if e := follows(elements[i], distuv.Beta{Alpha: 1.3 * a, Beta: sum - a}.CDF); !(e > 1) {
			t.Errorf("element %d of another concentration: %.2f times the limit", i+1, e)
		}
	}
	q, ok := p.(runtime.PriorDrawer)
	if !ok || len(q.Priors()) != 1 {
		t.Fatal("theta is not drawn from its prior")
	}
	var first []float64
	values := make([]float64, 4)
	back := make([]float64, 3)
	for range 20000 {
		q.DrawPrior(values, rng)
		first = append(first, values[0])
		if err := q.Unconstrain(back, values); err != nil {
			t.Fatalf("%v: %v", values, err)
		}
	}
	if e := follows(first, distuv.Beta{Alpha: 0.7, Beta: 3.12}.CDF); !(e < 1) {
		t.Errorf("draws from the prior: %.2f times the limit", e)
	}
}

// TestLogDensityFunctions: a log density as a function is what the `~` statement
// adds to the density, for every distribution, and so is the sum over elements.
func TestLogDensityFunctions(t *testing.T) {
	const plain = "model m\ndata n int\ndata y, p real[n] > 0\ndata u real[n] in (0, 1)\ndata b int[n] in {0, 1}\ndata c int[n] >= 0\ndata S cov[n]\ndata w simplex[n]\ndata k int[n] in 1..n\ndata cuts real[n-1]\n" +
		"param a real\nparam s real > 0\nparam x real[n]\n"
	const data = `{"n": 3, "y": [0.3, 1.2, 2], "p": [0.4, 1.5, 3], "u": [0.2, 0.5, 0.9], "b": [0, 1, 1], "c": [0, 4, 20], "S": [[2, 0.3, 0.1], [0.3, 1, -0.2], [0.1, -0.2, 0.7]], "w": [0.2, 0.5, 0.3], "k": [2, 3, 1], "cuts": [-0.4, 0.9]}`
	// By argument: a range that fits.
	args := map[dsl.Domain]string{dsl.RealLine: "a", dsl.Positive: "s", dsl.UnitOpen: "inv_logit(a)", dsl.UnitClosed: "inv_logit(a)", dsl.NonNegative: "s", dsl.VectorReal: "x", dsl.Covariance: "S", dsl.CountArg: "25", dsl.VectorPositive: "s*p", dsl.Ascending: "cuts", dsl.OnSimplex: "softmax(x)", dsl.LowerFactor: "cholesky(S)"}
	left := map[dsl.Domain]string{dsl.Above: "p", dsl.Angles: "y", dsl.RealLine: "y", dsl.Positive: "p", dsl.UnitOpen: "u", dsl.Between: "u", dsl.Binary: "b", dsl.Counts: "c", dsl.UpTo: "c", dsl.VectorReal: "y", dsl.OnSimplex: "w", dsl.Category: "k", dsl.VectorCounts: "c", dsl.OnCorrFactor: "M", dsl.OnCorr: "M", dsl.OnCovFactor: "M", dsl.Covariance: "M"}
	matrices := map[dsl.Domain]string{dsl.OnCorrFactor: "corr_cholesky", dsl.OnCorr: "corr", dsl.OnCovFactor: "cov_cholesky", dsl.Covariance: "cov"}
	for i := range dsl.Distributions {
		d := &dsl.Distributions[i]
		matrix, head := matrices[d.Support], plain
		if matrix != "" {
			head += "param M " + matrix + "[n]\n"
		}
		t.Run(d.Name, func(t *testing.T) {
			var list []string
			for _, x := range d.Args {
				list = append(list, args[x.Domain])
			}
			if d.Support == dsl.Between {
				list = []string{"a - 5", "a + 5"}
			}
			if d.Support == dsl.Above {
				list[d.Begins] = "0.1*s"
			}
			if d.Support == dsl.Covariance || d.Support == dsl.OnCovFactor {
				list[0] = "2 + s" // above n − 1
			}
			y, with, bar := left[d.Support], strings.Join(list, ", "), " | "
			if len(list) == 0 {
				y, bar = "x", "" // a term of data alone is none
			}
			call := d.LogDensityName() + "(" + y + bar + with + ")"
			text := head + fmt.Sprintf("%s ~ %s(%s)\nmetric identity\ngenerate {\n  whole = %s\n", y, d.Name, with, call)
			if !d.Support.Vector() && matrix == "" {
				text += fmt.Sprintf("  each[i in n] = %s(%s[i]%s%s)\n", d.LogDensityName(), y, bar, with)
			}
			p := load(t, text+"}\n", data)
			transforms := load(t, head+"density 0*a\nmetric identity\n", data) // the Jacobians alone
			inDensity := load(t, head+"density "+call+"\nmetric identity\n", data)
			for k := range 5 {
				q := []float64{0.3 - float64(k)/4, 0.2, 0.4, -1, 0.1}
				for len(q) < p.Info().Dim() {
					q = append(q, 0.3*float64(k+1)-0.2*float64(len(q)-5))
				}
				jacobian := transforms.LogDensity(q)
				want := p.LogDensity(q) - jacobian
				got := generate(p, q, nil)
				near := func(what string, x float64) {
					if !(math.Abs(x-want) <= 1e-12*max(1, math.Abs(want))) {
						t.Errorf("%s is %v, the term %v", what, x, want)
					}
				}
				near(call, got["whole"][0])
				near("the density", inDensity.LogDensity(q)-jacobian)
				if d.Support.Vector() || matrix != "" {
					continue
				}
				sum := 0.0
				for _, l := range got["each"] {
					sum += l
				}
				near("the sum over elements", sum)
			}
		})
	}
}

// TestLikelihood: pointwise log densities add up to the likelihood part of the log
// density, the rest of which is the prior and the Jacobian.
func TestLikelihood(t *testing.T) {
	p := load(t, `model m
data n, k int
data x real[n, k]
data y real[n]
param beta real[k]
param sigma real > 0
y ~ normal(x*beta, sigma)
beta ~ normal(0, 2)
sigma ~ gamma(2, 3)
metric fisher
generate {
  log_lik[i in n] = normal_lpdf(y[i] | sum(j in k) x[i,j]*beta[j], sigma)
}
`, `{"n": 4, "k": 2, "x": [[1, 2], [0.5, -1], [0.2, 0.3], [-1, 1]], "y": [1, 2, 0.5, -0.3]}`)
	for _, q := range [][]float64{{0.1, -0.4, 0.3}, {2, 1, -1}, {-0.5, 0.2, 2}} {
		sigma := math.Exp(q[2])
		want := distuv.Normal{Sigma: 2}.LogProb(q[0]) + distuv.Normal{Sigma: 2}.LogProb(q[1]) + distuv.Gamma{Alpha: 2, Beta: 3}.LogProb(sigma) + q[2]
		for _, l := range generate(p, q, nil)["log_lik"] {
			want += l
		}
		if got := p.LogDensity(q); !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
			t.Errorf("L is %v; log_lik, prior and Jacobian add up to %v", got, want)
		}
	}
}

// TestPredictive draws the parameter of a conjugate model from its exact posterior:
// the predictive counts are then from the negative binomial distribution.
func TestPredictive(t *testing.T) {
	p := load(t, `model m
data n int
data c int[n] >= 0
param lambda real > 0
c ~ poisson(lambda)
lambda ~ gamma(2, 0.5)
metric fisher
generate {
  c_rep[i in n] = poisson_rng(lambda)
}
`, `{"n": 4, "c": [3, 1, 4, 2]}`)
	rng := rand.New(random.New(8, 1))
	var sample []float64
	for range 20000 {
		sample = append(sample, generate(p, []float64{math.Log(random.Gamma(rng, 2+10, 0.5+4))}, rng)["c_rep"][1])
	}
	if e := followsCounts(sample, negativeBinomial(12, 4.5)); !(e < 1) {
		t.Errorf("the evidence against the exact predictive distribution is %.2f times the limit", e)
	}
	// Without the parameter's uncertainty it is another.
	if e := followsCounts(sample, distuv.Poisson{Lambda: 12 / 4.5}.Prob); !(e > 1) {
		t.Errorf("the evidence against Poisson's distribution is %.2f times the limit", e)
	}
}

// TestPredictiveOfChains samples a conjugate model and generates, from the draws of
// the chains, what is normal with mean m and variance v + s², where m and v are the
// posterior's.
func TestPredictiveOfChains(t *testing.T) {
	p := load(t, `model m
data n int
data y real[n]
param mu real
y ~ normal(mu, 2)
mu ~ normal(1, 3)
metric fisher
generate {
  y_rep = normal_rng(mu, 2)
}
`, `{"n": 1, "y": [2.5]}`)
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.Seed = 2, 200, 4000, 4
	result, err := runtime.Sample(context.Background(), p, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	var sample []float64
	for c := range result.Chains {
		stream := random.New(opt.Seed, uint64(c))
		for i, mu := range result.Chains[c].Draws[0] {
			q := []float64{mu}
			stream.Seek(9, uint64(i))
			sample = append(sample, generate(p, q, rand.New(stream))["y_rep"][0])
		}
	}
	v := 1 / (1/4.0 + 1/9.0)
	m := v * (2.5/4 + 1/9.0)
	exact := distuv.Normal{Mu: m, Sigma: math.Sqrt(v + 4)}
	if e := follows(sample, exact.CDF); !(e < 1) {
		t.Errorf("the evidence against the exact predictive distribution is %.2f times the limit; mean %.3f, standard deviation %.3f, want %.3f, %.3f",
			e, stat.Mean(sample, nil), stat.StdDev(sample, nil), exact.Mu, exact.Sigma)
	}
	if e := follows(sample, distuv.Normal{Mu: m, Sigma: 2}.CDF); !(e > 1) {
		t.Errorf("the evidence against the distribution without the parameter's variance is %.2f times the limit", e)
	}
}

// TestPaths simulates paths of an autoregression forward and backward, and forecasts: by hand, they are normal, with known means, variances and
// correlations.
func TestPaths(t *testing.T) {
	p := load(t, `model m
data T, H int
data y real[T]
param mu real
param phi real in (-1, 1)
param sigma real > 0
y ~ normal(mu, sigma)
mu, phi ~ normal(0, 1)
sigma ~ exponential(1)
generate {
  y_rep[1] = normal_rng(mu, sigma/sqrt(1 - phi^2))
  y_rep[t] = normal_rng(mu + phi*(y_rep[t-1] - mu), sigma) for t in 2..T
  y_new[1] = normal_rng(mu + phi*(y[T] - mu), sigma)
  y_new[h] = normal_rng(mu + phi*(y_new[h-1] - mu), sigma) for h in 2..H
  back[T] = normal_rng(0, 1)
  back[t] = normal_rng(back[t+1], noise[t]) for t in 1..T-1
  noise[t] = 1 + 0*back[t+1] for t in 1..T-1
  noise[T] = 1
}
`, `{"T": 4, "H": 3, "y": [0.5, 1, 1.5, 2]}`)
	const mu, phi, sigma, draws = 0.5, 0.8, 0.6, 20000
	q := []float64{mu, math.Log((1 + phi) / (1 - phi)), math.Log(sigma)}
	rng := rand.New(random.New(11, 1))
	sample := map[string][][]float64{}
	for range draws {
		for name, v := range generate(p, q, rng) {
			for i, x := range v {
				if len(sample[name]) <= i {
					sample[name] = append(sample[name], nil)
				}
				sample[name][i] = append(sample[name][i], x)
			}
		}
	}
	normal := func(name string, i int, mean, sd float64) {
		if e := follows(sample[name][i], distuv.Normal{Mu: mean, Sigma: sd}.CDF); !(e < 1) {
			t.Errorf("the evidence against %s[%d] being normal(%.3f, %.3f) is %.2f times the limit", name, i+1, mean, sd, e)
		}
	}
	correlated := func(name string, i, j int, want float64) {
		// Fisher's transform of a correlation is normal, with variance 1/(n - 3).
		got := stat.Correlation(sample[name][i], sample[name][j], nil)
		limit := distuv.UnitNormal.Quantile(1-fraction/2) / math.Sqrt(draws-3)
		if d := math.Abs(math.Atanh(got) - math.Atanh(want)); !(d < limit) {
			t.Errorf("%s[%d] and %s[%d] have the correlation %.4f, want %.4f", name, i+1, name, j+1, got, want)
		}
	}
	stationary := sigma / math.Sqrt(1-phi*phi)
	for i := range 4 {
		normal("y_rep", i, mu, stationary)
		for j := range i {
			correlated("y_rep", i, j, math.Pow(phi, float64(i-j)))
		}
		// A random walk from the end, with as many steps behind it.
		normal("back", i, 0, math.Sqrt(float64(4-i)))
		for j := range i {
			correlated("back", i, j, math.Sqrt(float64(4-i)/float64(4-j)))
		}
	}
	for h := 1; h <= 3; h++ {
		normal("y_new", h-1, mu+math.Pow(phi, float64(h))*(2-mu), stationary*math.Sqrt(1-math.Pow(phi, float64(2*h))))
	}
	correlated("y_new", 0, 1, phi/math.Sqrt(1+phi*phi))
}

// TestGroups: what a quantity is, by the expression that defines it.
func TestGroups(t *testing.T) {
	p := load(t, `model m
data n int
data y real[n]
param mu real
let ll[i in n] = normal_lpdf(y[i] | mu, 1)
y ~ normal(mu, 1)
mu ~ normal(0, 1)
metric fisher
generate {
  posterior1 = mu^2
  posterior2 = normal_lpdf(mu | 0, 1)
  posterior3 = ll[1] - ll[2]
  log_likelihood1[i in n] = ll[i]
  log_likelihood2 = sum(ll) + normal_lpdf(y | mu, 2)
  log_likelihood3 = sum(i in n) log_likelihood1[i]
  posterior_predictive1 = normal_rng(mu, 1)
  posterior_predictive2 = mu + posterior_predictive1
  posterior_predictive3[i in n] = normal_lpdf(y[i] | posterior_predictive1, 1)
  posterior4 = 1
  posterior5[1] = mu
  posterior5[i] = posterior5[i-1]^2 for i in 2..n
  log_likelihood4[1] = normal_lpdf(y[1] | mu, 1)
  log_likelihood4[i] = normal_lpdf(y[i] | mu + y[i-1], 1) for i in 2..n
  posterior_predictive4[1] = mu
  posterior_predictive4[i] = normal_rng(posterior_predictive4[i-1], 1) for i in 2..n
  posterior_predictive5[1] = mu
  posterior_predictive5[i] = posterior_predictive5[i-1] + posterior_predictive6[i-1] for i in 2..n
  posterior_predictive6[i] = normal_rng(posterior_predictive5[i], 1) for i in 1..n
}
`, `{"n": 2, "y": [1, 2]}`)
	if n := len(p.Generated()); n != 15 {
		t.Fatalf("%d quantities", n)
	}
	for _, q := range p.Generated() {
		if want := strings.TrimRight(q.Name, "0123456789"); string(q.Group) != want {
			t.Errorf("%s is of the group %s", q.Name, q.Group)
		}
	}
}

// TestUndefinedQuantities: what is not defined is NaN, and what follows is not
// touched by it.
func TestUndefinedQuantities(t *testing.T) {
	p := load(t, `model m
data S cov[2]
data z real[2]
param mu real
mu ~ normal(0, 1)
metric fisher
generate {
  a = log(mu)
  b = normal_rng(0, 2*mu)
  c = poisson_rng(2*mu)
  d = binomial_logit_rng(c, 0)
  e = bernoulli_rng(1 - mu)
  f = uniform_rng(0, mu)
  g = multi_normal_rng(log(mu)*z, S)
  h = normal_rng(0, 1)
}
`, `{"S": [[1, 0], [0, 1]], "z": [1, 1]}`)
	got := generate(p, []float64{-1}, rand.New(rand.NewPCG(1, 2)))
	for _, name := range strings.Split("abcdefg", "") {
		for _, v := range got[name] {
			if !math.IsNaN(v) {
				t.Errorf("%s is %v", name, v)
			}
		}
	}
	// No random number was used before.
	if want := rand.New(rand.NewPCG(1, 2)).NormFloat64(); got["h"][0] != want {
		t.Errorf("h is %v, want %v", got["h"][0], want)
	}
}

// TestUnreadDraws: what is drawn in vain is drawn: the draws behind it are those of a text in which it counts.
func TestUnreadDraws(t *testing.T) {
	for _, c := range []struct{ unread, read string }{
		{"(mu - mu)/(2 + cos(uniform_rng(-1, 1)))", "uniform_rng(-1, 1)"},
		{"normal_rng(normal_rng(mu, 1), 2)^0", "normal_rng(normal_rng(mu, 1), 2)"},
		{"0*normal_rng(z, 1)", "normal_rng(z, 1)"},
		{"sum(j in 2) 0*exponential_rng(z[j] + 1)", "sum(j in 2) exponential_rng(z[j] + 1)"},
		{"0*multi_normal_rng(z, S)", "multi_normal_rng(z, S)"},
	} {
		var last [2]float64
		for n, draws := range []string{c.unread, c.read} {
			p := load(t, "model m\ndata S cov[2]\ndata z real[2]\nparam mu real\nmu ~ normal(0, 1)\nmetric fisher\ngenerate {\n a = "+draws+"\n b = normal_rng(0, 1)\n}\n",
				`{"S": [[1, 0], [0, 1]], "z": [1, 1]}`)
			last[n] = generate(p, []float64{-1}, rand.New(rand.NewPCG(1, 2)))["b"][0]
		}
		if last[0] != last[1] {
			t.Errorf("behind %s is drawn %v, behind %s %v", c.unread, last[0], c.read, last[1])
		}
	}
}
