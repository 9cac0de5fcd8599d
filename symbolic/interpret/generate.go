package interpret

import (
	"math"
	"math/rand/v2"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/random"
	"github.com/hamc-dev/hamc/symbolic"
)

// generators are the random number generators of the distributions, by name.
var generators = map[string]func(rng *rand.Rand, x []float64) float64{
	"normal":                func(rng *rand.Rand, x []float64) float64 { return random.Normal(rng, x[0], x[1]) },
	"student_t":             func(rng *rand.Rand, x []float64) float64 { return random.StudentT(rng, x[0], x[1], x[2]) },
	"cauchy":                func(rng *rand.Rand, x []float64) float64 { return random.Cauchy(rng, x[0], x[1]) },
	"exponential":           func(rng *rand.Rand, x []float64) float64 { return random.Exponential(rng, x[0]) },
	"gamma":                 func(rng *rand.Rand, x []float64) float64 { return random.Gamma(rng, x[0], x[1]) },
	"inv_gamma":             func(rng *rand.Rand, x []float64) float64 { return random.InvGamma(rng, x[0], x[1]) },
	"inv_chi_square":        func(rng *rand.Rand, x []float64) float64 { return random.InvChiSquare(rng, x[0]) },
	"scaled_inv_chi_square": func(rng *rand.Rand, x []float64) float64 { return random.ScaledInvChiSquare(rng, x[0], x[1]) },
	"beta":                  func(rng *rand.Rand, x []float64) float64 { return random.Beta(rng, x[0], x[1]) },
	"lognormal":             func(rng *rand.Rand, x []float64) float64 { return random.LogNormal(rng, x[0], x[1]) },
	"uniform":               func(rng *rand.Rand, x []float64) float64 { return random.Uniform(rng, x[0], x[1]) },
	"bernoulli":             func(rng *rand.Rand, x []float64) float64 { return random.Count(random.Bernoulli(rng, x[0])) },
	"bernoulli_logit":       func(rng *rand.Rand, x []float64) float64 { return random.Count(random.BernoulliLogit(rng, x[0])) },
	"binomial_logit": func(rng *rand.Rand, x []float64) float64 {
		return random.Count(random.BinomialLogit(rng, random.Trials(x[0]), x[1]))
	},
	"logistic":        func(rng *rand.Rand, x []float64) float64 { return random.Logistic(rng, x[0], x[1]) },
	"gumbel":          func(rng *rand.Rand, x []float64) float64 { return random.Gumbel(rng, x[0], x[1]) },
	"chi_square":      func(rng *rand.Rand, x []float64) float64 { return random.ChiSquare(rng, x[0]) },
	"weibull":         func(rng *rand.Rand, x []float64) float64 { return random.Weibull(rng, x[0], x[1]) },
	"frechet":         func(rng *rand.Rand, x []float64) float64 { return random.Frechet(rng, x[0], x[1]) },
	"rayleigh":        func(rng *rand.Rand, x []float64) float64 { return random.Rayleigh(rng, x[0]) },
	"beta_proportion": func(rng *rand.Rand, x []float64) float64 { return random.BetaProportion(rng, x[0], x[1]) },
	"binomial": func(rng *rand.Rand, x []float64) float64 {
		return random.Count(random.Binomial(rng, random.Trials(x[0]), x[1]))
	},
	"beta_binomial": func(rng *rand.Rand, x []float64) float64 {
		return random.Count(random.BetaBinomial(rng, random.Trials(x[0]), x[1], x[2]))
	},
	"neg_binomial":   func(rng *rand.Rand, x []float64) float64 { return random.Count(random.NegBinomial(rng, x[0], x[1])) },
	"neg_binomial_2": func(rng *rand.Rand, x []float64) float64 { return random.Count(random.NegBinomial2(rng, x[0], x[1])) },
	"neg_binomial_2_log": func(rng *rand.Rand, x []float64) float64 {
		return random.Count(random.NegBinomial2Log(rng, x[0], x[1]))
	},
	"poisson":                 func(rng *rand.Rand, x []float64) float64 { return random.Count(random.Poisson(rng, x[0])) },
	"poisson_log":             func(rng *rand.Rand, x []float64) float64 { return random.Count(random.PoissonLog(rng, x[0])) },
	"std_normal":              func(rng *rand.Rand, x []float64) float64 { return random.StandardNormal(rng) },
	"double_exponential":      func(rng *rand.Rand, x []float64) float64 { return random.DoubleExponential(rng, x[0], x[1]) },
	"skew_double_exponential": func(rng *rand.Rand, x []float64) float64 { return random.SkewDoubleExponential(rng, x[0], x[1], x[2]) },
	"skew_normal":             func(rng *rand.Rand, x []float64) float64 { return random.SkewNormal(rng, x[0], x[1], x[2]) },
	"von_mises":               func(rng *rand.Rand, x []float64) float64 { return random.VonMises(rng, x[0], x[1]) },
	"exp_mod_normal":          func(rng *rand.Rand, x []float64) float64 { return random.ExpModNormal(rng, x[0], x[1], x[2]) },
	"half_normal":             func(rng *rand.Rand, x []float64) float64 { return random.HalfNormal(rng, x[0]) },
	"half_cauchy":             func(rng *rand.Rand, x []float64) float64 { return random.HalfCauchy(rng, x[0]) },
	"half_student_t":          func(rng *rand.Rand, x []float64) float64 { return random.HalfStudentT(rng, x[0], x[1]) },
	"pareto":                  func(rng *rand.Rand, x []float64) float64 { return random.Pareto(rng, x[0], x[1]) },
	"pareto_type_2":           func(rng *rand.Rand, x []float64) float64 { return random.ParetoType2(rng, x[0], x[1], x[2]) },
	"loglogistic":             func(rng *rand.Rand, x []float64) float64 { return random.LogLogistic(rng, x[0], x[1]) },
	"inv_gaussian":            func(rng *rand.Rand, x []float64) float64 { return random.InvGaussian(rng, x[0], x[1]) },
	"logit_normal":            func(rng *rand.Rand, x []float64) float64 { return random.LogitNormal(rng, x[0], x[1]) },
	"kumaraswamy":             func(rng *rand.Rand, x []float64) float64 { return random.Kumaraswamy(rng, x[0], x[1]) },
	"geometric":               func(rng *rand.Rand, x []float64) float64 { return random.Count(random.Geometric(rng, x[0])) },
	"beta_neg_binomial": func(rng *rand.Rand, x []float64) float64 {
		return random.Count(random.BetaNegBinomial(rng, x[0], x[1], x[2]))
	},
	"zero_inflated_poisson": func(rng *rand.Rand, x []float64) float64 {
		return random.Count(random.ZeroInflatedPoisson(rng, x[0], x[1]))
	},
	"zero_inflated_neg_binomial_2": func(rng *rand.Rand, x []float64) float64 {
		return random.Count(random.ZeroInflatedNegBinomial2(rng, x[0], x[1], x[2]))
	},
	"hurdle_poisson": func(rng *rand.Rand, x []float64) float64 { return random.Count(random.HurdlePoisson(rng, x[0], x[1])) },
}

// vectorGenerators are those of vectors without a covariance. What they draw is NaN where they return an error.
var vectorGenerators = map[string]func(rng *rand.Rand, y, x []float64) error{
	"dirichlet": random.Dirichlet,
}

// Generated implements runtime.Generator.
func (m *Model) Generated() []runtime.Quantity {
	var out []runtime.Quantity
	for _, q := range m.d.Quantities {
		x := runtime.Quantity{Param: runtime.Param{Name: q.Decl.ObjectName()}, Group: groups[q.Decl.Group], Whole: q.Decl.Type.Base == dsl.Int}
		for _, e := range q.Decl.Type.Shape {
			x.Shape = append(x.Shape, m.m.Extent(e))
		}
		out = append(out, x)
	}
	return out
}

// groups are the runtime's names of the groups of quantities.
var groups = map[dsl.Group]runtime.Group{
	dsl.GroupPosterior: runtime.GroupPosterior, dsl.GroupLikelihood: runtime.GroupLogLikelihood, dsl.GroupPredictive: runtime.GroupPosteriorPredictive,
}

// Generate implements runtime.Generator.
func (m *Model) Generate(out, q []float64, rng *rand.Rand) {
	m.position(q)
	m.drawFrom(rng)
	// The quantities come one after the other, and their elements in the order
	// of their places.
	at := 0
	m.m.Run(m.d.Generated, func(_ *symbolic.Output, _ []int, v float64) {
		out[at] = v
		at++
	})
}

// drawFrom sets the stream that draws use the next random numbers of.
func (m *Model) drawFrom(rng *rand.Rand) {
	m.m.Draw = func(d *dsl.Distribution, x []float64) float64 {
		generator, ends := generators[d.Name], x[len(d.Args):]
		if len(ends) == 0 {
			return generator(rng, x)
		}
		return random.Within(ends[0], ends[1], func() float64 { return generator(rng, x) })
	}
	m.m.DrawVector = func(d *dsl.Distribution, y, first, factor []float64) {
		if factor != nil {
			multiNormal(rng, y, first, factor)
			return
		}
		vectorGenerators[d.Name](rng, y, first)
	}
}

// multiNormal writes mean + L z to y, with standard normal z in order.
func multiNormal(rng *rand.Rand, y, mean, l []float64) {
	n := len(y)
	for _, x := range mean {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			for i := range y {
				y[i] = math.NaN()
			}
			return
		}
	}
	z := make([]float64, n)
	for i := range z {
		z[i] = random.StandardNormal(rng)
	}
	for i := range y {
		y[i] = mean[i]
		for j := range i + 1 {
			y[i] += l[i*n+j] * z[j]
		}
	}
}
