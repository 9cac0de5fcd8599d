package dsl_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime/random"
)

// generators are the functions that the column Random of the distribution
// table may name.
var generators = []any{
	random.Normal, random.MultiNormal, random.StudentT, random.Cauchy, random.Exponential, random.Gamma, random.InvGamma,
	random.InvChiSquare, random.ScaledInvChiSquare, random.Beta,
	random.LogNormal, random.Uniform, random.Bernoulli, random.BernoulliLogit, random.BinomialLogit, random.Poisson, random.PoissonLog, random.Dirichlet,
	random.Logistic, random.Gumbel, random.ChiSquare, random.Weibull, random.Frechet, random.Rayleigh, random.BetaProportion,
	random.Binomial, random.BetaBinomial, random.NegBinomial, random.NegBinomial2, random.NegBinomial2Log,
	random.StandardNormal, random.DoubleExponential, random.SkewDoubleExponential, random.SkewNormal, random.ExpModNormal, random.VonMises, random.HalfNormal,
	random.HalfCauchy, random.HalfStudentT, random.Pareto, random.ParetoType2, random.LogLogistic, random.InvGaussian, random.LogitNormal, random.Kumaraswamy,
	random.Geometric, random.BetaNegBinomial, random.ZeroInflatedPoisson, random.ZeroInflatedNegBinomial2, random.HurdlePoisson,
}

// generator returns the function of runtime/random of that name.
func generator(name string) (f reflect.Value, ok bool) {
	for _, g := range generators {
		f := reflect.ValueOf(g)
		full := runtime.FuncForPC(f.Pointer()).Name()
		if strings.TrimPrefix(full, "github.com/hamc-dev/hamc/runtime/random.") == name {
			return f, true
		}
	}
	return f, false
}

// TestGenerators holds the generator that each row names against the density
// of that row: it takes the arguments of the row in their order, and its draws
// are distributed as the density integrates. The probability that any of the
// tests sounds a false alarm, should the seeds change, is below 2·10⁻³.
func TestGenerators(t *testing.T) {
	used := map[string]bool{}
	for i := range dsl.Distributions {
		d := &dsl.Distributions[i]
		if d.Define != "" || d.Defective {
			continue // they are drawn from by functions of the language: TestDraws of package interpret
		}
		t.Run(d.Name, func(t *testing.T) {
			f, ok := generator(d.Random)
			if !ok {
				t.Fatalf("runtime/random has no %s, or it is not listed in this test", d.Random)
			}
			if used[d.Random] {
				t.Errorf("%s is the generator of two rows", d.Random)
			}
			used[d.Random] = true
			if d.Support.Vector() {
				want := reflect.TypeFor[func(rng *rand.Rand, y, mu, sigma []float64) error]()
				if len(d.Args) == 1 {
					want = reflect.TypeFor[func(rng *rand.Rand, y, alpha []float64) error]()
				}
				if f.Type() != want {
					t.Errorf("%s is a %v, want %v", d.Random, f.Type(), want)
				}
				return // its distribution is tested where it is defined
			}
			checkSignature(t, d, f.Type())
			r := rand.New(rand.NewPCG(uint64(i), 11))
			for range 3 {
				checkDraws(t, d, f, r)
			}
		})
	}
	if len(used) != len(generators) {
		t.Errorf("the rows name %d of %d generators", len(used), len(generators))
	}
}

func checkSignature(t *testing.T, d *dsl.Distribution, f reflect.Type) {
	t.Helper()
	in := []reflect.Type{reflect.TypeFor[*rand.Rand]()}
	for _, a := range d.Args {
		if a.Domain == dsl.CountArg {
			in = append(in, reflect.TypeFor[int]())
		} else {
			in = append(in, reflect.TypeFor[float64]())
		}
	}
	out := reflect.TypeFor[float64]()
	if d.Support.Discrete() {
		out = reflect.TypeFor[int]()
	}
	if want := reflect.FuncOf(in, []reflect.Type{out}, false); f != want {
		t.Fatalf("%s is a %v, want %v", d.Random, f, want)
	}
}

// checkDraws draws at random arguments and compares the proportion of draws up
// to each of a grid of points with the integral of the density (the test of
// Kolmogorov and Smirnov on a grid, which is conservative).
func checkDraws(t *testing.T, d *dsl.Distribution, f reflect.Value, r *rand.Rand) {
	t.Helper()
	args := make([]float64, len(d.Args))
	for i, a := range d.Args {
		args[i] = draw(r, a.Domain)
	}
	if d.Support == dsl.Between {
		args[1] = args[0] + 0.5 + 2*r.Float64()
	}
	if d.Name == "beta_neg_binomial" {
		args[1] += 9
	}
	in := []reflect.Value{reflect.ValueOf(r)}
	for i, x := range args {
		in = append(in, reflect.ValueOf(x).Convert(f.Type().In(i+1)))
	}
	const n = 5000
	sample := make([]float64, n)
	for i := range sample {
		sample[i] = f.Call(in)[0].Convert(reflect.TypeFor[float64]()).Float()
	}
	slices.Sort(sample)

	logDensity := formula(t, d.LogDensity)
	env := map[string]value{}
	for i, a := range d.Args {
		env[a.Name] = scalar(args[i])
	}
	nodes := quadrature(d, args, func(y float64) float64 {
		env["y"] = scalar(y)
		return logDensity(env)
	})
	// A node stands for its cell, which ends half way to the next node: on the
	// scale of the quadrature's rule for a continuous support.
	distance, sum, below := 0.0, 0.0, 0
	for i, x := range nodes[:len(nodes)-1] {
		sum += x.p
		end := x.y
		switch next := nodes[i+1]; {
		case d.Support == dsl.RealLine:
			end = math.Sinh((math.Asinh(x.u) + math.Asinh(next.u)) / 2)
		case !d.Support.Discrete():
			end, _ = transform(d, (x.u+next.u)/2, args)
		}
		for below < n && sample[below] <= end {
			below++
		}
		distance = math.Max(distance, math.Abs(float64(below)/n-sum))
	}
	// The limit has p = 2 exp(−2·2.42²) = 1.6e-5, for 87 tests.
	if limit := 2.42 / math.Sqrt(n); !(distance < limit) {
		t.Errorf("%s%v: draws are at a distance %.4f from the density of %s, limit %.4f", d.Random, args, distance, d.Name, limit)
	}
}
