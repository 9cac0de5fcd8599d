// Command draws prints the bits of draws of all examples and of some models written by hand, of every
// distribution's generator and of the elementary and special functions. TestDraws compares what it prints on several machines.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"github.com/hamc-dev/hamc/internal/handwritten"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/elementary"
	"github.com/hamc-dev/hamc/runtime/random"
	"github.com/hamc-dev/hamc/runtime/special"
)

// models are those of package handwritten. The funnel of package handwritten is
// not among them: its eigenvalues are gonum's, whose products the compiler may fuse.
var models = []posterior{
	{"banana", func(string) (runtime.Posterior, error) { return handwritten.NewBanana(series(20), 2, 2) }},
	{"gaussian", func(string) (runtime.Posterior, error) {
		return handwritten.NewGaussian([]float64{1, -2}, []float64{2, 0.3, 0.3, 0.7})
	}},
	{"logistic", func(string) (runtime.Posterior, error) {
		return handwritten.NewLogistic(series(60), binary(20), 20, 3)
	}},
	{"sv_latent", func(string) (runtime.Posterior, error) {
		return handwritten.NewSVLatent(series(30), series(30))
	}},
	{"two_modes", func(string) (runtime.Posterior, error) { return twoModes{}, nil }},
}

// series returns n numbers between −1 and 1 without a pattern.
func series(n int) []float64 {
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(rng.IntN(2000)-1000) / 1000
	}
	return out
}

// binary returns n zeros and ones.
func binary(n int) []float64 {
	out := series(n)
	for i, v := range out {
		out[i] = math.Round(math.Abs(v))
	}
	return out
}

func main() {
	data := flag.String("data", ".", "directory of the examples' data")
	n := flag.Int("n", 5, "number of transitions of each example's warm-up, and of its draws")
	only := flag.String("only", "", "one example, and nothing else")
	flag.Parse()
	if err := run(*data, *n, *only); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(data string, n int, only string) error {
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.Seed = 2, 40, 20, 7
	if only == "" {
		functions()
		generators()
		for _, m := range models {
			if err := sample(m.name+" by hand", data, m.new, opt); err != nil {
				return err
			}
		}
	}
	opt.Chains, opt.Warmup, opt.Draws = 1, n, n
	for _, m := range examples {
		if only == "" || only == m.name {
			if err := sample(m.name, data, m.new, opt); err != nil {
				return err
			}
		}
	}
	return nil
}

// sample prints draws from a posterior.
func sample(name, data string, build func(data string) (runtime.Posterior, error), opt runtime.Options) error {
	model, err := build(data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	r, err := runtime.Sample(context.Background(), model, opt, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for i := range r.Chains {
		for _, row := range r.Chains[i].Draws {
			bits(fmt.Sprintf("%s, chain %d", name, i), row...)
		}
		bits(fmt.Sprintf("%s, chain %d, jumps", name, i), float64(r.Chains[i].Blocks[0].Sampling.Jumps))
	}
	return nil
}

// bits prints the bits of numbers.
func bits(name string, x ...float64) {
	fmt.Print(name, ":")
	for _, v := range x {
		fmt.Printf(" %016x", math.Float64bits(v))
	}
	fmt.Println()
}

// functions prints values of functions at points of all sizes.
func functions() {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 400 {
		x := math.Ldexp(float64(2*rng.Float64())-1, rng.IntN(20)-12)
		p := math.Abs(x)
		s, c := elementary.Sincos(float64(1e5 * x))
		bits("elementary", x, elementary.Exp(x), elementary.Expm1(x), elementary.Log(p), elementary.Log1p(p), elementary.Log10(p), s, c,
			elementary.Tan(x), elementary.Atan(x), elementary.Sinh(x), elementary.Cosh(x), elementary.Tanh(x), elementary.Pow(p, x),
			elementary.Hypot(x, 1), elementary.Lgamma(x), elementary.Erfc(x), elementary.Sin(math.Ldexp(x, 500)))
		bits("special", special.InvLogit(x), special.Log1pExp(x), special.Log1mExp(-p), special.LogSumExp2(x, 1), special.Digamma(x), special.Trigamma(x),
			special.Tetragamma(x), special.Phi(x), special.LogPhi(x), special.InvPhi(p/(1+p)), special.LogBeta(p, 3), special.StudentInformation(p))
	}
}

// generators prints draws from the distributions, and from the tails of the normal one.
func generators() {
	type generator struct {
		name string
		draw func(rng *rand.Rand) float64
	}
	count := func(draw func(rng *rand.Rand) int) func(rng *rand.Rand) float64 {
		return func(rng *rand.Rand) float64 { return float64(draw(rng)) }
	}
	for i, g := range []generator{
		{"normal", func(rng *rand.Rand) float64 { return random.Normal(rng, 0.3, 1.7) }},
		{"student_t", func(rng *rand.Rand) float64 { return random.StudentT(rng, 3, 0.3, 1.7) }},
		{"cauchy", func(rng *rand.Rand) float64 { return random.Cauchy(rng, 0.3, 1.7) }},
		{"lognormal", func(rng *rand.Rand) float64 { return random.LogNormal(rng, 0.3, 1.7) }},
		{"exponential", func(rng *rand.Rand) float64 { return random.Exponential(rng, 1.7) }},
		{"uniform", func(rng *rand.Rand) float64 { return random.Uniform(rng, 0.3, 1.7) }},
		{"gamma", func(rng *rand.Rand) float64 { return random.Gamma(rng, 0.3, 1.7) }},
		{"log of gamma", func(rng *rand.Rand) float64 { return random.LogOfGamma(rng, 0.3, 1.7) }},
		{"inv_gamma", func(rng *rand.Rand) float64 { return random.InvGamma(rng, 2.3, 1.7) }},
		{"inv_chi_square", func(rng *rand.Rand) float64 { return random.InvChiSquare(rng, 2.3) }},
		{"scaled_inv_chi_square", func(rng *rand.Rand) float64 { return random.ScaledInvChiSquare(rng, 2.3, 1.7) }},
		{"beta", func(rng *rand.Rand) float64 { return random.Beta(rng, 0.3, 1.7) }},
		{"logit of beta", func(rng *rand.Rand) float64 { return random.LogitOfBeta(rng, 0.3, 1.7) }},
		{"bernoulli", count(func(rng *rand.Rand) int { return random.Bernoulli(rng, 0.3) })},
		{"bernoulli_logit", count(func(rng *rand.Rand) int { return random.BernoulliLogit(rng, 0.3) })},
		{"binomial_logit", count(func(rng *rand.Rand) int { return random.BinomialLogit(rng, 200, 0.3) })},
		{"logistic", func(rng *rand.Rand) float64 { return random.Logistic(rng, 0.3, 1.7) }},
		{"gumbel", func(rng *rand.Rand) float64 { return random.Gumbel(rng, 0.3, 1.7) }},
		{"chi_square", func(rng *rand.Rand) float64 { return random.ChiSquare(rng, 2.3) }},
		{"weibull", func(rng *rand.Rand) float64 { return random.Weibull(rng, 0.3, 1.7) }},
		{"frechet", func(rng *rand.Rand) float64 { return random.Frechet(rng, 2.3, 1.7) }},
		{"rayleigh", func(rng *rand.Rand) float64 { return random.Rayleigh(rng, 1.7) }},
		{"beta_proportion", func(rng *rand.Rand) float64 { return random.BetaProportion(rng, 0.3, 1.7) }},
		{"binomial", count(func(rng *rand.Rand) int { return random.Binomial(rng, 200, 0.7) })},
		{"beta_binomial", count(func(rng *rand.Rand) int { return random.BetaBinomial(rng, 200, 0.3, 1.7) })},
		{"neg_binomial", count(func(rng *rand.Rand) int { return random.NegBinomial(rng, 3, 1e-3) })},
		{"neg_binomial_2", count(func(rng *rand.Rand) int { return random.NegBinomial2(rng, 1.7e3, 0.3) })},
		{"neg_binomial_2_log", count(func(rng *rand.Rand) int { return random.NegBinomial2Log(rng, 7.3, 0.3) })},
		{"poisson", count(func(rng *rand.Rand) int { return random.Poisson(rng, 1.7e5) })},
		{"double_exponential", func(rng *rand.Rand) float64 { return random.DoubleExponential(rng, 0.3, 1.7) }},
		{"skew_double_exponential", func(rng *rand.Rand) float64 { return random.SkewDoubleExponential(rng, 0.3, 1.7, 0.2) }},
		{"skew_normal", func(rng *rand.Rand) float64 { return random.SkewNormal(rng, 0.3, 1.7, 3) }},
		{"exp_mod_normal", func(rng *rand.Rand) float64 { return random.ExpModNormal(rng, 0.3, 1.7, 0.7) }},
		{"von_mises", func(rng *rand.Rand) float64 { return random.VonMises(rng, 0.3, 1.7) }},
		{"half_normal", func(rng *rand.Rand) float64 { return random.HalfNormal(rng, 1.7) }},
		{"half_cauchy", func(rng *rand.Rand) float64 { return random.HalfCauchy(rng, 1.7) }},
		{"half_student_t", func(rng *rand.Rand) float64 { return random.HalfStudentT(rng, 3, 1.7) }},
		{"pareto", func(rng *rand.Rand) float64 { return random.Pareto(rng, 0.3, 1.7) }},
		{"pareto_type_2", func(rng *rand.Rand) float64 { return random.ParetoType2(rng, 0.3, 1.7, 2.3) }},
		{"loglogistic", func(rng *rand.Rand) float64 { return random.LogLogistic(rng, 0.3, 1.7) }},
		{"inv_gaussian", func(rng *rand.Rand) float64 { return random.InvGaussian(rng, 0.3, 1.7) }},
		{"logit_normal", func(rng *rand.Rand) float64 { return random.LogitNormal(rng, 0.3, 1.7) }},
		{"kumaraswamy", func(rng *rand.Rand) float64 { return random.Kumaraswamy(rng, 0.3, 1.7) }},
		{"geometric", count(func(rng *rand.Rand) int { return random.Geometric(rng, 1e-3) })},
		{"beta_neg_binomial", count(func(rng *rand.Rand) int { return random.BetaNegBinomial(rng, 3, 2.3, 1.7e3) })},
		{"zero_inflated_poisson", count(func(rng *rand.Rand) int { return random.ZeroInflatedPoisson(rng, 0.3, 1.7e3) })},
		{"zero_inflated_neg_binomial_2", count(func(rng *rand.Rand) int { return random.ZeroInflatedNegBinomial2(rng, 0.3, 1.7e3, 0.3) })},
		{"hurdle_poisson", count(func(rng *rand.Rand) int { return random.HurdlePoisson(rng, 0.3, 1.7) })},
		{"dirichlet", func(rng *rand.Rand) float64 {
			y := make([]float64, 3)
			_ = random.Dirichlet(rng, y, []float64{0.3, 1.7, 4})
			return y[0]
		}},
		{"poisson_log", count(func(rng *rand.Rand) int { return random.PoissonLog(rng, 0.3) })},
	} {
		rng := rand.New(random.New(11, uint64(i)))
		for range 50 {
			bits(g.name, g.draw(rng))
		}
	}
	// One number in two thousand is beyond 3.4, where the ziggurat takes logarithms.
	rng := rand.New(random.New(12, 0))
	for range 200_000 {
		if x := random.StandardNormal(rng); math.Abs(x) > 3.4 {
			bits("tails", x)
		}
	}
}
