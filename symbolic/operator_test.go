package symbolic

import (
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime/linalg"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// operatorModel holds what the rows are tested with: arguments A = A0 + t A1 and B = B0 + t² B1, and weights.
const operatorModel = `model rows
data n, m int
data A0, A1, W real[n, n]
data B0, B1, V real[n, m]
data k int
data u real[k]
param t real
t ~ normal(0, 1)
density 0*t*(sum(A0) + sum(A1) + sum(W) + sum(B0) + sum(B1) + sum(V) + sum(u))
metric identity`

// operatorData are random: A is symmetric and positive definite near t = 0, or lower triangular, or as the row takes it without symmetry, with its large elements
// beside the diagonal, so that rows are exchanged.
func operatorData(rng *rand.Rand, n, m int, op *expr.Operator) map[string][]float64 {
	lower := !op.Definite
	data := map[string][]float64{"n": {float64(n)}, "m": {float64(m)}, "k": {3}, "u": {0.1, -0.2, 0.15}}
	for _, x := range []struct {
		name string
		cols int
	}{{"A0", n}, {"A1", n}, {"W", n}, {"B0", m}, {"B1", m}, {"V", m}} {
		v := make([]float64, n*x.cols)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		data[x.name] = v
	}
	if op.General {
		for i := range n {
			data["A0"][i*n+(i+1)%n] += 3 * float64(n)
		}
		return data
	}
	for _, name := range []string{"A0", "A1"} {
		a := data[name]
		for i := range n {
			for j := range i {
				a[j*n+i] = a[i*n+j]
				if lower {
					a[j*n+i] = 0
				}
			}
			if name == "A0" {
				a[i*n+i] = 3 * float64(n)
			}
		}
	}
	return data
}

// rowTest is a weighted sum over the value of one operator, with its derivatives by t.
type rowTest struct {
	m                              *Machine
	t                              *expr.Tensor
	value, forward, adjoint, twice Output
}

// newRowTest makes one; of those arguments that outer names, as A, B, what stands for t differs from one value of an index
// to the next, and the sum over these is taken.
func newRowTest(t *testing.T, op *expr.Operator, columns, first bool, outer string, data map[string][]float64) *rowTest {
	t.Helper()
	d, _ := load(t, operatorModel)
	c, prog := d.C, newProgram(d.Posterior)
	c.FirstOrder = first
	g := c.NewIndex("g", expr.UpTo(dsl.Extent{Name: "k"}))
	at := func(arg string) *expr.Expr {
		if strings.Contains(outer, arg) {
			return c.Add(d.Params[0].Value(), c.Ref(c.ByName["u"], expr.Sub{Index: g}))
		}
		return d.Params[0].Value()
	}
	tensor := func(name string, s ...expr.Sub) *expr.Expr { return c.Ref(c.ByName[name], s...) }
	n, m := dsl.Extent{Name: "n"}, dsl.Extent{Name: "m"}
	args := []expr.Value{{Shape: []dsl.Extent{n, n}, Elem: func(s ...expr.Sub) *expr.Expr { return c.Add(tensor("A0", s...), c.Mul(at("A"), tensor("A1", s...))) }}}
	shapes := [][]dsl.Extent{args[0].Shape, {n, m}}
	if !columns {
		shapes[1] = []dsl.Extent{n}
	}
	right := expr.Value{Shape: shapes[1], Elem: func(s ...expr.Sub) *expr.Expr {
		if len(s) == 1 {
			s = append(s, expr.Sub{At: dsl.Fixed(1)})
		}
		return c.Add(tensor("B0", s...), c.Mul(c.Pow(at("B"), 2), tensor("B1", s...)))
	}}
	if strings.Contains(op.Tangent, "dB") {
		args = append(args, right)
	}
	v := c.Apply(op, args...)
	var e *expr.Expr
	switch own := c.Slots(v.Shape); {
	case len(own) == 0:
		e = v.At()
	default:
		i := make([]*expr.Index, len(own))
		for k := range own {
			i[k] = c.NewIndex("i", own[k].Range)
		}
		weight := tensor("W", expr.SubsOf([]*expr.Index{i[0], i[len(i)-1]})...)
		if len(args) > 1 {
			s := expr.SubsOf(i)
			if len(s) == 1 {
				s = append(s, expr.Sub{At: dsl.Fixed(1)})
			}
			weight = tensor("V", s...)
		}
		e = c.SumOverAll(i, c.Mul(weight, v.At(expr.SubsOf(i)...)))
	}
	e = c.Sum(g, e)
	coord := d.Params[0].Coord
	forward := c.Diff(e, coord)
	out := func(e *expr.Expr) Output { return Output{E: prog.Lower(e, nil)} }
	r := &rowTest{t: coord, value: out(e), forward: out(forward), twice: out(c.Diff(forward, coord))}
	r.adjoint = out(prog.Adjoint(r.value.E, [][]expr.Sub{nil})[0])
	d.Prog = prog
	r.m = NewMachine(d, data)
	return r
}

func (r *rowTest) at(x float64, o Output) (v float64) {
	r.m.Values(r.t)[0] = x
	r.m.Run([]Output{o}, func(_ *Output, _ []int, got float64) { v = got })
	return v
}

// TestOperators checks every row: derivatives, once and twice, forwards and by the sweep, against differences.
func TestOperators(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for n := range expr.Operators {
		op := &expr.Operators[n]
		if op.Tangent == "" {
			continue // of the factor no expression reads an element; of banded matrices: TestAdjoints
		}
		two := strings.Contains(op.Tangent, "dB")
		for k, kind := range []struct {
			columns bool
			outer   string
		}{{true, ""}, {false, ""}, {true, "A"}, {false, "B"}, {false, "AB"}, {true, ""}, {false, ""}, {true, "A"}, {false, "B"}, {false, "AB"}} {
			if !two && (kind.columns || strings.Contains(kind.outer, "B")) && kind.outer != "A" {
				continue // as another kind
			}
			// derivatives of the first order only have adjoints of their own
			r := newRowTest(t, op, kind.columns, k < 5, kind.outer, operatorData(rng, 5, 3, op))
			const x, h = 0.3, 1e-3
			slope := func(o Output) float64 { // of sixth order
				d := func(k float64) float64 { return r.at(x+k*h, o) - r.at(x-k*h, o) }
				return (45*d(1) - 9*d(2) + d(3)) / (60 * h)
			}
			for _, c := range []struct {
				what      string
				got, want float64
			}{
				{"the derivative", r.at(x, r.forward), slope(r.value)},
				{"the derivative by the reverse sweep", r.at(x, r.adjoint), slope(r.value)},
				{"the second derivative", r.at(x, r.twice), slope(r.forward)},
			} {
				if !(math.Abs(c.got-c.want) <= 1e-10*(1+math.Abs(c.want))) || c.want == 0 {
					t.Errorf("%s, outer indices in %q: %s is %v, differences give %v", op.Name, kind.outer, c.what, c.got, c.want)
				}
			}
		}
	}
}

// operatorKernels are the kernels of the rows, called as generated code calls them.
var operatorKernels = map[string]func(dst, a, b []float64, c *linalg.Cholesky){
	"linalg.Inverse":         func(dst, _, _ []float64, c *linalg.Cholesky) { linalg.Inverse(dst, c) },
	"linalg.LogDet":          func(dst, _, _ []float64, c *linalg.Cholesky) { dst[0] = linalg.LogDet(c) },
	"linalg.Lower":           func(dst, _, _ []float64, c *linalg.Cholesky) { linalg.Lower(dst, c) },
	"linalg.Solve":           func(dst, _, b []float64, c *linalg.Cholesky) { linalg.Solve(dst, c, b) },
	"linalg.InverseLower":    func(dst, a, _ []float64, _ *linalg.Cholesky) { linalg.InverseLower(dst, a) },
	"linalg.SolveLower":      func(dst, a, b []float64, _ *linalg.Cholesky) { linalg.SolveLower(dst, a, b) },
	"linalg.SolveUpper":      func(dst, a, b []float64, _ *linalg.Cholesky) { linalg.SolveUpper(dst, a, b) },
	"linalg.CholeskyAdjoint": func(dst, a, b []float64, _ *linalg.Cholesky) { linalg.CholeskyAdjoint(dst, a, b) },
	"linalg.LUInverse":       func(dst, a, _ []float64, _ *linalg.Cholesky) { linalg.LUInverse(dst, luOf(a)) },
	"linalg.LogAbsDet":       func(dst, a, _ []float64, _ *linalg.Cholesky) { dst[0] = linalg.LogAbsDet(luOf(a)) },
	"linalg.LUSolve":         func(dst, a, b []float64, _ *linalg.Cholesky) { linalg.LUSolve(dst, luOf(a), b) },
	"linalg.Factorise":       func(dst, _, _ []float64, c *linalg.Cholesky) { linalg.Lower(dst, c) },
}

// luOf are the LU factors of a matrix.
func luOf(a []float64) []float64 {
	n := int(math.Sqrt(float64(len(a))) + 0.5)
	lu := make([]float64, (n+1)*n)
	linalg.FactoriseLU(lu, a)
	return lu
}

// TestOperatorKernels compares every row's kernel with its Eval, also where there is no value.
func TestOperatorKernels(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for k := range expr.Operators {
		op := &expr.Operators[k]
		if op.Tangent == "" && op.Name != expr.FactorName && op.Name != "cholesky_adjoint" {
			continue // of banded matrices: TestBandedKernels; TestEigenRows
		}
		kernel := operatorKernels[op.Kernel]
		if kernel == nil {
			t.Errorf("%s: no kernel %s is tested", op.Name, op.Kernel)
			continue
		}
		for _, n := range []int{1, 2, 3, 5, 8, 13} {
			for _, m := range []int{1, 4} {
				if op.Name == "cholesky_adjoint" {
					m = n
				}
				for _, good := range []bool{true, false} {
					data := operatorData(rng, n, m, op)
					a, b := data["A0"], data["B0"]
					if !good {
						a[n*n-1] = math.NaN()
						if op.Definite {
							a[n*n-1] = -1
						}
					}
					size := 1
					for _, x := range op.Shape([][]dsl.Extent{{dsl.Fixed(n), dsl.Fixed(n)}, {dsl.Fixed(n), dsl.Fixed(m)}}) {
						size *= x.Offset
					}
					got, want := make([]float64, size), make([]float64, size)
					c := linalg.NewCholesky(n)
					linalg.Factorise(c, a)
					kernel(got, a, b, c)
					op.Eval(want, []*mat.Dense{mat.NewDense(n, n, a), mat.NewDense(n, m, b)})
					for i := range got {
						if good && !(math.Abs(got[i]-want[i]) <= 1e-13*(1+math.Abs(want[i]))) {
							t.Errorf("%s of order %d, %d columns, element %d: the kernel gives %v, the row %v", op.Name, n, m, i, got[i], want[i])
						}
					}
					if !good && !slices.ContainsFunc(got, math.IsNaN) || slices.ContainsFunc(want, math.IsNaN) == good {
						t.Errorf("%s of order %d, positive definite or regular %v: the kernel gives %v, the row %v", op.Name, n, good, got, want)
					}
				}
			}
		}
	}
}

// TestEigenRows: kernels and rows decompose a symmetric matrix, also one with eigenvalues that coincide, where the vectors are
// not unique but A = Q diag(λ) Qᵀ is.
func TestEigenRows(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	values, vectors := expr.OperatorOf("eigenvalues"), expr.OperatorOf("eigenvectors")
	for _, n := range []int{1, 2, 3, 8, 13} {
		for _, kind := range []string{"random", "rank two", "not finite"} {
			a := mat.NewDense(n, n, nil)
			for c := range n {
				if kind == "rank two" && c > 1 {
					break
				}
				x := make([]float64, n)
				for i := range x {
					x[i] = rng.NormFloat64()
				}
				var outer mat.Dense
				outer.Outer(1, mat.NewVecDense(n, x), mat.NewVecDense(n, x))
				a.Add(a, &outer)
			}
			if kind == "not finite" {
				a.Set(n-1, n-1, math.Inf(1))
			}
			raw := a.RawMatrix().Data
			for name, side := range map[string]func(l, q []float64){
				"kernels": func(l, q []float64) { linalg.Eigenvalues(l, raw); linalg.Eigenvectors(q, raw) },
				"rows": func(l, q []float64) {
					values.Eval(l, []*mat.Dense{a})
					vectors.Eval(q, []*mat.Dense{a})
				},
			} {
				l, q := make([]float64, n), make([]float64, n*n)
				side(l, q)
				if kind == "not finite" {
					if !math.IsNaN(l[0]) || !math.IsNaN(q[0]) {
						t.Errorf("%s, order %d, %s: λ = %v", name, n, kind, l)
					}
					continue
				}
				if !slices.IsSorted(l) {
					t.Errorf("%s, order %d, %s: λ = %v is not in order", name, n, kind, l)
				}
				var half, back, turned mat.Dense
				Q := mat.NewDense(n, n, q)
				half.Mul(Q, mat.NewDiagDense(n, l))
				back.Mul(&half, Q.T())
				turned.Mul(Q.T(), Q)
				for i := range n {
					for j := range n {
						unit := 0.0
						if i == j {
							unit = 1
						}
						if math.Abs(back.At(i, j)-a.At(i, j)) > 1e-12*float64(n) || math.Abs(turned.At(i, j)-unit) > 1e-13*float64(n) {
							t.Fatalf("%s, order %d, %s: Q diag(λ) Qᵀ is %v at %d, %d, and QᵀQ %v; the matrix is %v", name, n, kind, back.At(i, j), i, j, turned.At(i, j), a.At(i, j))
						}
					}
				}
			}
		}
	}
}

// TestOperatorCosts: whatever is made of a matrix of order n takes n³ operations and no more, for each element of a parameter
// too: products of matrices are computed one after the other, and as wholes.
func TestOperatorCosts(t *testing.T) {
	const data = "model m\ndata n, d int\ndata x real[n, d]\ndata y real[n]\ndata k int[n] >= 0\nparam rho real[d] > 0\nparam s real > 0\nparam eta real[n]\n" +
		"rho ~ gamma(5, 4)\ns ~ normal(0, 1)\neta ~ normal(0, 1)\n" +
		"let K[i in 1..n, j in 1..n] = exp(-0.5*sum(l in 1..d) ((x[i, l] - x[j, l])/rho[l])^2) + s*delta(i, j)\n"
	for _, m := range campaign.Sample(t, []struct{ name, text string }{
		{"covariance", data + "y ~ multi_normal(eta, K)\nmetric fisher\n"},
		{"covariance, soft", data + "y ~ multi_normal(eta, K)\nmetric softabs(alpha = 1)\n"},
		{"latent", data + "k ~ poisson_log(cholesky(K)*eta)\nmetric fisher\n"},
		{"groups", data + "data G int\ndata Y real[G, n]\ndata each int[n] in 1..n\nparam t real[G] > 0\nt ~ gamma(2, 1)\nY[g, each] ~ multi_normal(eta, t[g]*K) for g in G\nmetric fisher\n"},
		{"groups of data", data + "data G int\ndata w real[G]\ndensity -sum(g in G) dot(y, cholesky(w[g]^2*K + K)*eta)\nmetric identity\n"},
		{"correlations", data + "param L corr_cholesky[n]\nL ~ lkj_corr_cholesky(2)\ny ~ multi_normal(eta, L*L' + K)\nmetric identity\n"},
		{"a grid", data + "data Y real[n, n]\nparam L corr_cholesky[n]\nL ~ lkj_corr_cholesky(2)\ndensity -0.5*sum(Y .* kronecker_solve(L*L', K, s, Y)) - 0.5*kronecker_log_det(L*L', K, s)\nmetric identity\n"},
		{"prior", data + "eta ~ multi_normal(0*y, K)\ny ~ normal(eta, 1)\nmetric fisher\n"},
	}, 3) {
		d, _ := load(t, m.text)
		for _, def := range d.Prog.Defs {
			for monomial, k := range def.Cost().Ops {
				n, groups := 0, 0
				for _, size := range strings.Fields(monomial) {
					switch size {
					case "n":
						n++
					case "G":
						groups++
					}
				}
				if (n > 3 || groups > 1) && k > 0 {
					t.Errorf("%s: %s = %s takes %d·%s operations", m.name, def.Tensor.Name, expr.Format(def.Body), k, monomial)
				}
			}
		}
	}
}

// TestHomogeneous: a row's value for kA is what its degree, or its logarithm, says of that for A.
func TestHomogeneous(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	rows := 0
	for k := range expr.Operators {
		op := &expr.Operators[k]
		if op.Degree == 0 && !op.Logarithmic {
			continue
		}
		rows++
		const n, m, by = 4, 3, 2.7
		data := operatorData(rng, n, m, op)
		a, b := mat.NewDense(n, n, data["A0"]), mat.NewDense(n, m, data["B0"])
		var scaled mat.Dense
		scaled.Scale(by, a)
		size := 1
		for _, x := range op.Shape([][]dsl.Extent{{dsl.Fixed(n), dsl.Fixed(n)}, {dsl.Fixed(n), dsl.Fixed(m)}}) {
			size *= x.Offset
		}
		of, whole := make([]float64, size), make([]float64, size)
		op.Eval(of, []*mat.Dense{a, b})
		op.Eval(whole, []*mat.Dense{&scaled, b})
		for i, v := range of {
			want := math.Pow(by, op.Degree) * v
			if op.Logarithmic {
				want = v + n*math.Log(by)
			}
			if !(math.Abs(whole[i]-want) <= 1e-12*max(1, math.Abs(want))) {
				t.Errorf("%s: element %d of %v times a matrix is %v, want %v", op.Name, i, by, whole[i], want)
				break
			}
		}
	}
	if rows < 10 {
		t.Errorf("%d rows", rows)
	}
}
