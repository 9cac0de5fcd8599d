package differential

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/differential/probe"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/random"
)

// generate computes the generated quantities at unconstrained coordinates, from
// the syntax tree and in the order that the language gives to random numbers:
// quantity by quantity, within one call by call from the left, inner calls first,
// and within a call index by index, those of the quantity and of the sums around
// the call before those of its own value. Quantities in parts go position by position,
// those of a circle together.
func (e *naive) generate(q []float64, rng *rand.Rand) map[string]array {
	e.set(q)
	out := map[string]array{}
	for _, x := range e.m.Quantities {
		if x.Recursion != nil {
			if _, known := out[x.ObjectName()]; !known {
				e.generateParts(x, out, rng)
			}
			continue
		}
		e.drawn, e.around = map[*dsl.CallExpr]map[string]array{}, map[*dsl.CallExpr][]*dsl.Index{}
		e.drawAll(x.Value, x.Indices, rng)
		a := e.let(&dsl.Let{Indices: x.Indices, Value: x.Value})
		if len(x.Indices) == 0 {
			a.v = append([]float64(nil), a.v...)
		}
		e.values[x] = a
		out[x.ObjectName()] = a
	}
	return out
}

// generateParts computes a quantity in parts, and those of its circle.
func (e *naive) generateParts(x *dsl.Quantity, out map[string]array, rng *rand.Rand) {
	circle, down := []*dsl.Let{&x.Let}, false
	if c := x.Recursion.Circle; c != nil {
		circle, down = c.Members, c.Down
	}
	for _, m := range circle {
		e.values[m.Quantity()] = e.blank(m)
		out[m.ObjectName()] = e.values[m.Quantity()]
	}
	n := out[x.ObjectName()].shape[0]
	for k := range n {
		at := k + 1
		if down {
			at = n - k
		}
		for _, m := range circle {
			r, a := m.Recursion, out[m.ObjectName()].v
			along, indices, value := r.Along, r.Indices, r.Value
			for _, s := range r.Starts {
				if e.extent(s.At) == at {
					along, indices, value = s.Along, s.Indices, s.Value
				}
			}
			e.index[along] = at
			e.drawn, e.around = map[*dsl.CallExpr]map[string]array{}, map[*dsl.CallExpr][]*dsl.Index{}
			e.drawAll(value, indices, rng)
			place := (at - 1) * (len(a) / n)
			e.over(indices, func() {
				a[place] = e.scalar(value)
				place++
			})
			delete(e.index, along)
		}
	}
}

// drawAll makes the draws of all calls in an expression.
func (e *naive) drawAll(x dsl.Expr, around []*dsl.Index, rng *rand.Rand) {
	switch x := x.(type) {
	case *dsl.UnaryExpr:
		e.drawAll(x.X, around, rng)
	case *dsl.BinaryExpr:
		e.drawAll(x.X, around, rng)
		e.drawAll(x.Y, around, rng)
	case *dsl.IfExpr:
		e.drawAll(x.Cond, around, rng)
		e.drawAll(x.Then, around, rng)
		e.drawAll(x.Else, around, rng)
	case *dsl.MatrixExpr:
		for _, r := range x.Rows {
			for _, y := range r {
				e.drawAll(y, around, rng)
			}
		}
	case *dsl.IndexExpr:
		e.drawAll(x.Base, around, rng)
	case *dsl.SumExpr:
		if x.Terms != nil {
			e.drawAll(x.Terms, around, rng)
			break
		}
		for _, d := range x.Indices {
			around = append(around[:len(around):len(around)], d.Index)
		}
		e.drawAll(x.Body, around, rng)
	case *dsl.CallExpr:
		if x.Inlined != nil {
			for _, l := range x.Inlined.Lets {
				e.drawAll(l.Value, append(around[:len(around):len(around)], l.Indices...), rng)
			}
			e.drawAll(x.Inlined.Value, around, rng)
			return
		}
		for _, a := range x.Args {
			e.drawAll(a.Expr, around, rng)
		}
		if x.Draws == nil {
			return
		}
		e.drawn[x], e.around[x] = map[string]array{}, around
		e.over(around, func() {
			var args []array
			for _, a := range x.Args {
				args = append(args, e.eval(a.Expr))
			}
			e.drawn[x][e.place(x)] = sample(rng, x.Draws.Name, args)
		})
	}
}

// place names the values of the indices around a draw.
func (e *naive) place(x *dsl.CallExpr) string {
	var s []string
	for _, i := range e.around[x] {
		s = append(s, fmt.Sprint(e.index[i]))
	}
	return strings.Join(s, ",")
}

// samplers draw from the distributions of numbers.
var samplers = map[string]func(rng *rand.Rand, a []float64) float64{
	"normal":                func(rng *rand.Rand, a []float64) float64 { return random.Normal(rng, a[0], a[1]) },
	"student_t":             func(rng *rand.Rand, a []float64) float64 { return random.StudentT(rng, a[0], a[1], a[2]) },
	"cauchy":                func(rng *rand.Rand, a []float64) float64 { return random.Cauchy(rng, a[0], a[1]) },
	"exponential":           func(rng *rand.Rand, a []float64) float64 { return random.Exponential(rng, a[0]) },
	"gamma":                 func(rng *rand.Rand, a []float64) float64 { return random.Gamma(rng, a[0], a[1]) },
	"inv_gamma":             func(rng *rand.Rand, a []float64) float64 { return random.InvGamma(rng, a[0], a[1]) },
	"inv_chi_square":        func(rng *rand.Rand, a []float64) float64 { return random.InvChiSquare(rng, a[0]) },
	"scaled_inv_chi_square": func(rng *rand.Rand, a []float64) float64 { return random.ScaledInvChiSquare(rng, a[0], a[1]) },
	"beta":                  func(rng *rand.Rand, a []float64) float64 { return random.Beta(rng, a[0], a[1]) },
	"lognormal":             func(rng *rand.Rand, a []float64) float64 { return random.LogNormal(rng, a[0], a[1]) },
	"uniform":               func(rng *rand.Rand, a []float64) float64 { return random.Uniform(rng, a[0], a[1]) },
	"bernoulli":             func(rng *rand.Rand, a []float64) float64 { return orNaN(random.Bernoulli(rng, a[0])) },
	"bernoulli_logit":       func(rng *rand.Rand, a []float64) float64 { return orNaN(random.BernoulliLogit(rng, a[0])) },
	"binomial_logit": func(rng *rand.Rand, a []float64) float64 {
		return orNaN(random.BinomialLogit(rng, trialsOf(a[0]), a[1]))
	},
	"binomial": func(rng *rand.Rand, a []float64) float64 { return orNaN(random.Binomial(rng, trialsOf(a[0]), a[1])) },
	"beta_binomial": func(rng *rand.Rand, a []float64) float64 {
		return orNaN(random.BetaBinomial(rng, trialsOf(a[0]), a[1], a[2]))
	},
	"neg_binomial":            func(rng *rand.Rand, a []float64) float64 { return orNaN(random.NegBinomial(rng, a[0], a[1])) },
	"neg_binomial_2":          func(rng *rand.Rand, a []float64) float64 { return orNaN(random.NegBinomial2(rng, a[0], a[1])) },
	"neg_binomial_2_log":      func(rng *rand.Rand, a []float64) float64 { return orNaN(random.NegBinomial2Log(rng, a[0], a[1])) },
	"logistic":                func(rng *rand.Rand, a []float64) float64 { return random.Logistic(rng, a[0], a[1]) },
	"gumbel":                  func(rng *rand.Rand, a []float64) float64 { return random.Gumbel(rng, a[0], a[1]) },
	"chi_square":              func(rng *rand.Rand, a []float64) float64 { return random.ChiSquare(rng, a[0]) },
	"weibull":                 func(rng *rand.Rand, a []float64) float64 { return random.Weibull(rng, a[0], a[1]) },
	"frechet":                 func(rng *rand.Rand, a []float64) float64 { return random.Frechet(rng, a[0], a[1]) },
	"rayleigh":                func(rng *rand.Rand, a []float64) float64 { return random.Rayleigh(rng, a[0]) },
	"beta_proportion":         func(rng *rand.Rand, a []float64) float64 { return random.BetaProportion(rng, a[0], a[1]) },
	"poisson":                 func(rng *rand.Rand, a []float64) float64 { return orNaN(random.Poisson(rng, a[0])) },
	"poisson_log":             func(rng *rand.Rand, a []float64) float64 { return orNaN(random.PoissonLog(rng, a[0])) },
	"std_normal":              func(rng *rand.Rand, _ []float64) float64 { return random.StandardNormal(rng) },
	"double_exponential":      func(rng *rand.Rand, a []float64) float64 { return random.DoubleExponential(rng, a[0], a[1]) },
	"skew_double_exponential": func(rng *rand.Rand, a []float64) float64 { return random.SkewDoubleExponential(rng, a[0], a[1], a[2]) },
	"skew_normal":             func(rng *rand.Rand, a []float64) float64 { return random.SkewNormal(rng, a[0], a[1], a[2]) },
	"von_mises":               func(rng *rand.Rand, a []float64) float64 { return random.VonMises(rng, a[0], a[1]) },
	"exp_mod_normal":          func(rng *rand.Rand, a []float64) float64 { return random.ExpModNormal(rng, a[0], a[1], a[2]) },
	"half_normal":             func(rng *rand.Rand, a []float64) float64 { return random.HalfNormal(rng, a[0]) },
	"half_cauchy":             func(rng *rand.Rand, a []float64) float64 { return random.HalfCauchy(rng, a[0]) },
	"half_student_t":          func(rng *rand.Rand, a []float64) float64 { return random.HalfStudentT(rng, a[0], a[1]) },
	"pareto":                  func(rng *rand.Rand, a []float64) float64 { return random.Pareto(rng, a[0], a[1]) },
	"pareto_type_2":           func(rng *rand.Rand, a []float64) float64 { return random.ParetoType2(rng, a[0], a[1], a[2]) },
	"loglogistic":             func(rng *rand.Rand, a []float64) float64 { return random.LogLogistic(rng, a[0], a[1]) },
	"inv_gaussian":            func(rng *rand.Rand, a []float64) float64 { return random.InvGaussian(rng, a[0], a[1]) },
	"logit_normal":            func(rng *rand.Rand, a []float64) float64 { return random.LogitNormal(rng, a[0], a[1]) },
	"kumaraswamy":             func(rng *rand.Rand, a []float64) float64 { return random.Kumaraswamy(rng, a[0], a[1]) },
	"geometric":               func(rng *rand.Rand, a []float64) float64 { return orNaN(random.Geometric(rng, a[0])) },
	"beta_neg_binomial":       func(rng *rand.Rand, a []float64) float64 { return orNaN(random.BetaNegBinomial(rng, a[0], a[1], a[2])) },
	"zero_inflated_poisson":   func(rng *rand.Rand, a []float64) float64 { return orNaN(random.ZeroInflatedPoisson(rng, a[0], a[1])) },
	"zero_inflated_neg_binomial_2": func(rng *rand.Rand, a []float64) float64 {
		return orNaN(random.ZeroInflatedNegBinomial2(rng, a[0], a[1], a[2]))
	},
	"hurdle_poisson": func(rng *rand.Rand, a []float64) float64 { return orNaN(random.HurdlePoisson(rng, a[0], a[1])) },
}

// orNaN is a count, or NaN where there is none.
func orNaN(k int) float64 {
	if k < 0 {
		return math.NaN()
	}
	return float64(k)
}

// trialsOf is a number of trials, or −1 of what is none.
func trialsOf(x float64) int {
	if x == math.Trunc(x) {
		return int(x)
	}
	return -1
}

// sample draws from a distribution of Stan's reference.
func sample(rng *rand.Rand, name string, args []array) array {
	if name == "multi_normal" {
		n := len(args[0].v)
		var chol mat.Cholesky
		if !chol.Factorize(mat.NewSymDense(n, append([]float64(nil), args[1].v...))) {
			panic("no factor")
		}
		var l mat.TriDense
		chol.LTo(&l)
		z := make([]float64, n)
		for i := range z {
			z[i] = rng.NormFloat64()
		}
		var y mat.VecDense
		y.MulVec(&l, mat.NewVecDense(n, z))
		y.AddVec(&y, mat.NewVecDense(n, append([]float64(nil), args[0].v...)))
		return array{args[0].shape, y.RawVector().Data}
	}
	if name == "dirichlet" {
		y, sum := array{args[0].shape, make([]float64, len(args[0].v))}, 0.0
		for i, a := range args[0].v {
			y.v[i] = random.Gamma(rng, a, 1)
			sum += y.v[i]
		}
		for i := range y.v {
			y.v[i] /= sum
		}
		return y
	}
	draw := samplers[name]
	if draw == nil {
		panic("no distribution " + name)
	}
	return mapped(func(a []float64) float64 { return draw(rng, a) }, args...)
}

// generatedTolerance is that of the naive evaluation, relative to the largest
// number: its log densities are sums of others.
const generatedTolerance = 1e-9

// TestQuantities compares the interpreter's generated quantities, to which
// TestGenerated holds those of generated code, with the naive ones.
func TestQuantities(t *testing.T) {
	models := 0
	for _, s := range compiled(t) {
		if len(s.derived.Model.Quantities) == 0 {
			continue
		}
		models++
		t.Run(s.name, func(t *testing.T) { quantities(t, s) })
	}
	if models < campaign.Cases(t, 1, 8) {
		t.Errorf("%d models with generated quantities", models)
	}
}

// quantities compares those of one model.
func quantities(t *testing.T, s *subject) {
	im, err := s.interpreted()
	if err != nil {
		t.Fatal(err)
	}
	e, err := newNaive(s.derived.Model, s.data)
	if err != nil {
		t.Fatal(err)
	}
	g := im.(runtime.Generator)
	for point := range 5 {
		q := probe.Position(im.Info().Dim(), point)
		got, next := probe.Generate(g, q, uint64(point))
		src := rand.NewPCG(uint64(point), 29)
		plain := slices.Clone(q)
		if m, ok := im.(runtime.Transported); ok {
			m.Push(plain)
		}
		want := e.generate(plain, rand.New(src))
		if w := src.Uint64(); next != w {
			t.Errorf("point %d: other random numbers were used", point)
		}
		for n, x := range g.Generated() {
			w := want[x.Name]
			if len(got[n]) != len(w.v) || fmt.Sprint(x.Shape) != fmt.Sprint(w.shape) {
				t.Fatalf("%s has %d elements, shape %v, want %d, %v", x.Name, len(got[n]), x.Shape, len(w.v), w.shape)
			}
			most := max(1, size(w.v))
			for i := range w.v {
				a, b := got[n][i], w.v[i]
				if a != b && !(math.IsNaN(a) && math.IsNaN(b)) && !(math.Abs(a-b) <= generatedTolerance*most) {
					t.Errorf("point %d: element %d of %s is %v, want %v", point, i, x.Name, a, b)
				}
				if x.Whole && a != math.Trunc(a) && !math.IsNaN(a) {
					t.Errorf("point %d: element %d of %s is %v, no whole number", point, i, x.Name, a)
				}
			}
		}
	}
}
