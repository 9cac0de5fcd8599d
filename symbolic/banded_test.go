package symbolic

import (
	"fmt"
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

// bandedModel holds what the rows of banded matrices are tested with: a band D0 + t D1 of four rows, and a vector.
const bandedModel = `model rows
data n int
data D0, D1, W real[4, n]
data b0, b1 real[n]
data k int
data u real[k]
param t real
t ~ normal(0, 1)
density 0*t*(sum(D0) + sum(D1) + sum(W) + sum(b0) + sum(b1) + sum(u))
metric identity`

// bandedData are random; the main diagonal, in the first row, is large.
func bandedData(rng *rand.Rand, n int) map[string][]float64 {
	data := map[string][]float64{"n": {float64(n)}, "k": {3}, "u": {0.1, -0.2, 0.15}}
	for name, rows := range map[string]int{"D0": 4, "D1": 4, "W": 4, "b0": 1, "b1": 1} {
		v := make([]float64, rows*n)
		for i := range v {
			v[i] = math.Sin(float64(7*i+len(name)*n) + float64(name[0])) // no order of a map has a say
			if name == "D0" && i < n {
				v[i] = 6 + rng.Float64()
			}
		}
		data[name] = v
	}
	return data
}

// bandedArgs are the arguments of a row, at t, for a band of w diagonals below the main one: of diagonals and band, and of
// the vector or the last diagonal. Of interleaved vectors the second has 0.7 of what the first has.
func bandedArgs(c *expr.Context, op *expr.Operator, at, last *expr.Expr, w, vectors int) []expr.Value {
	n := dsl.Extent{Name: "n"}
	tensor := func(name string, s ...expr.Sub) *expr.Expr { return c.Ref(c.ByName[name], s...) }
	mix := func(at *expr.Expr, a, b string, s ...expr.Sub) *expr.Expr {
		return c.Add(tensor(a, s...), c.Mul(at, tensor(b, s...)))
	}
	var diagonals []expr.Value
	for o := range w + 1 {
		diagonals = append(diagonals, expr.Value{Shape: []dsl.Extent{n}, Elem: func(s ...expr.Sub) *expr.Expr {
			if o == w && w > 0 {
				return mix(last, "D0", "D1", expr.Sub{At: dsl.Fixed(o + 1)}, s[0])
			}
			return mix(at, "D0", "D1", expr.Sub{At: dsl.Fixed(o + 1)}, s[0])
		}})
	}
	vector := expr.Value{Shape: []dsl.Extent{n}, Elem: func(s ...expr.Sub) *expr.Expr { return mix(last, "b0", "b1", s...) }}
	if op.Name == "columns" {
		return append(diagonals, vector)
	}
	if vectors == 2 {
		both := func(v expr.Value) expr.Value {
			return c.Columns([]expr.Value{v, {Shape: v.Shape, Elem: func(s ...expr.Sub) *expr.Expr { return c.Scale(0.7, v.At(s...)) }}})
		}
		for o := range diagonals {
			diagonals[o] = both(diagonals[o])
		}
		vector = both(vector)
	}
	band := c.Apply(expr.OperatorOf("stack"), diagonals...)
	switch op.Name {
	case "band_solve_lower", "band_solve_upper":
		return []expr.Value{band, vector}
	case "band_cholesky_adjoint":
		return append([]expr.Value{band}, diagonals...)
	}
	return diagonals
}

// bandedRows are the rows with first derivatives, and those that these are made of.
func bandedRows(t *testing.T) (rows []*expr.Operator) {
	for n := range expr.Operators {
		if op := &expr.Operators[n]; strings.HasPrefix(op.Name, "band_") || op.Name == "stack" || op.Name == "columns" {
			rows = append(rows, op)
		}
	}
	if len(rows) != 6 {
		t.Fatalf("%d rows have no tangent", len(rows))
	}
	return rows
}

// TestAdjoints checks the adjoint of every row that has one against differences, for one vector and for two that are interleaved.
func TestAdjoints(t *testing.T) {
	for _, op := range bandedRows(t) {
		if op.Adjoint == nil {
			continue
		}
		for w := range 4 {
			for k, n := range []int{1, 2, 5, 8} {
				for vectors := 1; vectors <= 2; vectors++ {
					if w < n {
						testAdjoint(t, op, w, n, vectors, (k+w)%4)
					}
				}
			}
		}
	}
}

// testAdjoint checks one; outer are two bits: which arguments are of an outer index.
func testAdjoint(t *testing.T, op *expr.Operator, w, n, vectors, outer int) {
	d, _ := load(t, bandedModel)
	c, prog := d.C, newProgram(d.Posterior)
	// What stands for t may differ from one value of an index to the next.
	g := c.NewIndex("g", expr.UpTo(dsl.Extent{Name: "k"}))
	x := d.Params[0].Value()
	at := []*expr.Expr{x, c.Add(x, c.Ref(c.ByName["u"], expr.Sub{Index: g}))}
	v := c.Apply(op, bandedArgs(c, op, at[outer&1], at[outer>>1], w, vectors)...)
	own := make([]*expr.Index, len(v.Shape))
	for k, x := range v.Shape {
		own[k] = c.NewIndex("i", expr.UpTo(x))
	}
	subs := expr.SubsOf(own)
	weight := c.Number(1)
	for k, x := range v.Shape { // W is longer than the value; what is read of it is not
		if x.Name == "n" {
			weight = c.Mul(weight, c.Ref(c.ByName["W"], expr.Sub{At: dsl.Fixed(1 + k)}, subs[k]))
		} else {
			weight = c.Mul(weight, c.Add(c.Number(0.5), c.Position(subs[k])))
		}
	}
	value := Output{E: prog.Lower(c.Sum(g, c.SumOverAll(own, c.Mul(weight, v.At(subs...)))), nil)}
	adjoint := Output{E: prog.Lower(prog.Adjoint(value.E, [][]expr.Sub{nil})[0], nil)}
	d.Prog = prog
	r := &rowTest{t: d.Params[0].Coord, m: NewMachine(d, bandedData(rand.New(rand.NewSource(3)), n))}
	const x0, h = 0.2, 1e-3
	step := func(k float64) float64 { return r.at(x0+k*h, value) - r.at(x0-k*h, value) }
	got, want := r.at(x0, adjoint), (45*step(1)-9*step(2)+step(3))/(60*h)
	if !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) || want == 0 {
		t.Errorf("%s, %d below the diagonal, order %d, %d vectors: the sweep gives %v, differences %v", op.Name, w, n, vectors, got, want)
	}
}

// bandedKernels are the kernels of the rows, called as generated code calls them.
var bandedKernels = map[string]func(dst []float64, args ...[]float64){
	"linalg.BandCholesky":        linalg.BandCholesky,
	"linalg.BandCholeskyAdjoint": func(dst []float64, a ...[]float64) { linalg.BandCholeskyAdjoint(dst, a[0], a[1:]...) },
	"linalg.BandSolveLower":      func(dst []float64, a ...[]float64) { linalg.BandSolveLower(dst, a[0], a[1]) },
	"linalg.BandSolveUpper":      func(dst []float64, a ...[]float64) { linalg.BandSolveUpper(dst, a[0], a[1]) },
	"linalg.Stack":               linalg.Stack,
	"linalg.Columns":             linalg.Columns,
}

// randomVector has normal elements, or uniform ones above a least one.
func randomVector(rng *rand.Rand, n int, least float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
		if least > 0 {
			v[i] = least + rng.Float64()
		}
	}
	return v
}

// bandedArguments are arguments of a row, of order n with w diagonals below the main one, and their shapes; bad ones are not positive definite.
func bandedArguments(rng *rand.Rand, name string, n, w int, good bool) (args [][]float64, shapes [][]dsl.Extent) {
	diagonals := [][]float64{randomVector(rng, n, 6)}
	for range w {
		diagonals = append(diagonals, randomVector(rng, n, 0))
	}
	if !good {
		diagonals[0][n/2] = -1
	}
	add := func(v []float64, shape ...int) {
		args = append(args, v)
		var x []dsl.Extent
		for _, k := range shape {
			x = append(x, dsl.Fixed(k))
		}
		shapes = append(shapes, x)
	}
	band := slices.Concat(diagonals...)
	for o := range w + 1 {
		clear(band[o*n:][:min(o, n)])
	}
	switch name {
	case "band_solve_lower", "band_solve_upper":
		add(band, w+1, n)
		add(randomVector(rng, n, 0), n)
	case "band_cholesky_adjoint":
		add(band, w+1, n)
		for range diagonals {
			add(randomVector(rng, n, 0), n)
		}
	default:
		for _, d := range diagonals {
			add(d, n)
		}
	}
	return args, shapes
}

// TestBandedKernels compares every kernel with the row's Eval, which works on dense matrices, also where there is no value.
func TestBandedKernels(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	for _, op := range bandedRows(t) {
		kernel := bandedKernels[op.Kernel]
		if kernel == nil {
			t.Errorf("%s: no kernel %s is tested", op.Name, op.Kernel)
			continue
		}
		for _, n := range []int{1, 2, 3, 7, 20} {
			for w := range 4 {
				for _, good := range []bool{true, false} {
					args, shapes := bandedArguments(rng, op.Name, n, w, good)
					size := 1
					for _, x := range op.Shape(shapes) {
						size *= x.Offset
					}
					got, want := make([]float64, size), make([]float64, size)
					for i := range got {
						got[i] = 99 // what was there before
					}
					kernel(got, args...)
					dense := make([]*mat.Dense, len(args))
					for k, a := range args {
						cols := 1
						if len(shapes[k]) == 2 {
							cols = shapes[k][1].Offset
						}
						dense[k] = mat.NewDense(shapes[k][0].Offset, cols, slices.Clone(a))
					}
					op.Eval(want, dense)
					definite := op.Name != "band_cholesky" || good
					for i := range got {
						if same := math.Abs(got[i]-want[i]) <= 1e-12*(1+math.Abs(want[i])); definite && !same || !definite && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
							t.Errorf("%s of order %d, %d below the diagonal, element %d: the kernel gives %v, the row %v", op.Name, n, w, i, got[i], want[i])
						}
					}
				}
			}
		}
	}
}

// TestBandedCosts: what is made of a banded matrix of order T takes time in proportion to T, in the gradient too, and no array of
// T² elements; without the proof, or where more derivatives are asked for, it is dense.
func TestBandedCosts(t *testing.T) {
	const head = "model m\ndata T int\ndata y real[T]\nparam phi real in (-1, 1)\nparam x real[T]\nphi ~ normal(0, 1)\n" +
		"let Q[i in 1..T, j in 1..T] = (1 + phi^2)*delta(i, j) - phi*(delta(i, j+1) + delta(j, i+1))\n"
	const band = "density 0.5*log_det(Q) - 0.5*dot(x, Q*x) - dot(y, solve_spd(Q, y)) - sum((cholesky(Q)'*x) .* y)\n"
	const bordered = "model m\ndata T int >= 6\ndata p int\ndata y real[T]\nparam phi real in (-1, 1)\nparam x real[T]\nphi ~ normal(0, 1)\n" +
		"let Q[i in 1..T, j in 1..T] = (9 + phi^2)*delta(i, j) - phi*(delta(i, j+1) + delta(j, i+1))\n"
	anyOrder := strings.Replace(bordered, " >= 6", "", 1)
	solved := func(border string) string {
		return "let A[i in 1..T, j in 1..T] = Q[i, j] + " + border + "\ndensity 0.5*log_det(A) - 0.5*dot(x, A*x) - dot(y, solve_spd(A, y))\n"
	}
	field := func(border string) string { return solved(border) + "density -sum((cholesky(A)'*x) .* y)\n" }
	for _, row := range campaign.Sample(t, []struct {
		name, text string
		power      int // of T, in the largest cost
	}{
		{"a band", head + band + "metric identity\n", 1},
		{"a lower band", head + "let M[i in 1..T, j in 1..T] = 2*delta(i, j) - phi*delta(i, j+2)\ny ~ normal(solve_lower(M, x), 1)\nmetric identity\n", 1},
		{"a metric with second derivatives", head + "density 0.5*log_det(Q) - 0.5*dot(x, Q*x)\nmetric hessian\n", 3},
		{"no band", head + "let K[i in 1..T, j in 1..T] = Q[i, j] + exp(x[i] + x[j])\ndensity log_det(K)\nmetric identity\n", 3},
		{"the inverse", head + "density sum(inverse(Q))\nmetric identity\n", 3},
		{"a border at the end", bordered + field("delta(i, T)*x[j] + delta(j, T)*x[i]") + "y ~ normal(solve_lower(cholesky(A), x), 1)\nmetric identity\n", 1},
		{"a ring", bordered + field("-phi*(delta(i, T)*delta(j, 1) + delta(i, 1)*delta(j, T))") + "metric identity\n", 1},
		{"a border of three", bordered + solved("delta(i, 1)*x[j] + delta(j, 1)*x[i] + delta(i, 3) + delta(j, 3) + delta(i, T-1)*y[j] + delta(j, T-1)*y[i]") + "metric identity\n", 1},
		{"the factor of a border at the beginning", bordered + field("delta(i, 1)*x[j] + delta(j, 1)*x[i]") + "metric identity\n", 3},
		{"a border of five", bordered + solved("delta(i, 1) + delta(j, 1) + delta(i, 2) + delta(j, 2) + delta(i, 3) + delta(j, 3) + delta(i, 5) + delta(j, 5) + delta(i, T)*x[j] + delta(j, T)*x[i]") + "metric identity\n", 3},
		{"a border with second derivatives", bordered + "let A[i in 1..T, j in 1..T] = Q[i, j] + x[1]*(delta(i, T) + delta(j, T))\ndensity log_det(A)\nmetric hessian\n", 3},
		{"a position that may not exist", bordered + solved("phi*(delta(i, p) + delta(j, p))") + "metric identity\n", 3},
		{"positions that may be one", anyOrder + solved("phi*(delta(i, 1) + delta(j, 1) + delta(i, T) + delta(j, T))") + "metric identity\n", 3},
		{"an order of 1, where the border has no neighbour", anyOrder + solved("phi*(delta(i, T) + delta(j, T)) + delta(i, j+1)*x[j] + delta(j, i+1)*x[i]") + "metric identity\n", 3},
	}, 2) {
		d, list := load(t, row.text)
		if d == nil {
			t.Errorf("%s: %v", row.name, list)
			continue
		}
		most := 0
		for _, def := range d.Prog.Defs {
			for monomial, k := range def.Cost().Ops {
				n := 0
				for _, size := range strings.Fields(monomial) {
					if size == "T" {
						n++
					}
				}
				if k > 0 {
					most = max(most, n)
				}
			}
			if row.power == 1 && len(def.Indices) == 2 && fmt.Sprint(def.Tensor.Shape) == "[T T]" {
				t.Errorf("%s: %s = %s is an array of T² elements", row.name, def.Tensor.Name, expr.Format(def.Body))
			}
		}
		if most != row.power {
			t.Errorf("%s: the largest cost is of order T^%d, want %d", row.name, most, row.power)
		}
	}
}

// TestBordered compares the density and gradient of matrices with a border, which is eliminated, with what the same gives
// where the form is not proved, as of a dense matrix, and the density where a matrix is not positive definite.
func TestBordered(t *testing.T) {
	const model = "model m\ndata n int >= %d\ndata y real[n]\ndata Z real[n, n]\nparam a real\nparam b real[n]\nparam d real[n]\n" +
		"let A[i in 1..n, j in 1..n] = (12 - a^2 + exp(0.3*d[i]))*delta(i, j) - a*(d[j]*delta(i, j+1) + d[i]*delta(j, i+1)) + 0.3*a*(delta(i, j+2) + delta(j, i+2)) + %s\n" +
		"let B[i in 1..n, j in 1..n] = A[i, j] + Z[i, j] + Z[j, i]\n" +
		"density -0.5*log_det(%[3]s) - 0.5*dot(b + y, solve_spd(%[3]s, b)) - 0.1*sum((cholesky(%[3]s)'*d) .* y) - 0.1*dot(y, solve_lower(cholesky(%[3]s), d))\nmetric identity\n"
	for _, row := range []struct {
		border string
		least  int // order that is proved to hold all positions
	}{
		{"delta(i, n)*b[j] + delta(j, n)*b[i]", 2},
		{"delta(i, 1)*b[j] + delta(j, 1)*b[i]", 3},
		{"delta(i, n)*b[j] + delta(j, n)*b[i] + a*(delta(i, n-1)*d[j] + delta(j, n-1)*d[i])", 3},
		{"b[2]*(delta(i, 1)*delta(j, n) + delta(i, n)*delta(j, 1)) + 3*delta(i, n)*delta(j, n)", 4},
		{"a*(delta(i, 3)*(b[j] + delta(j, n)) + delta(j, 3)*(b[i] + delta(i, n))) + delta(i, 1)*b[j]*d[j] + delta(j, 1)*b[i]*d[i]", 6},
		{"0.1*(delta(i, 2)*b[j] + delta(j, 2)*b[i] + delta(i, 3)*d[j] + delta(j, 3)*d[i] + delta(i, 4)*y[j] + delta(j, 4)*y[i] + delta(i, n)*a + delta(j, n)*a)", 6},
	} {
		var forms [2]*Derived
		for k, matrix := range []string{"A", "B"} {
			forms[k], _ = load(t, fmt.Sprintf(model, row.least, row.border, matrix))
			if banded := slices.ContainsFunc(forms[k].Prog.Defs, func(d *expr.Def) bool {
				return d.Body.Op == expr.Apply && d.Body.Apply.Operator.Name == "band_cholesky"
			}); banded != (k == 0) {
				t.Errorf("%s, %s: a factor of a band is %v", row.border, matrix, banded)
			}
		}
		for _, n := range []int{row.least, row.least + 1, 9} {
			rng := rand.New(rand.NewSource(int64(n)))
			data := map[string][]float64{"n": {float64(n)}, "y": nil, "Z": make([]float64, n*n)}
			q := []float64{0.4}
			for range 2 * n {
				q = append(q, rng.NormFloat64())
				data["y"] = append(data["y"], rng.NormFloat64())
			}
			data["y"] = data["y"][:n]
			got, want := newBench(t, forms[0], data), newBench(t, forms[1], data)
			if l, dense := []float64{got.logDensity(q)}, []float64{want.logDensity(q)}; !near(l, dense, 1e-12) {
				t.Errorf("%s, order %d: the log density is %v, dense %v", row.border, n, l, dense)
			}
			if g, dense := got.vector(forms[0].Gradient, q), want.vector(forms[1].Gradient, q); !near(g, dense, 1e-12) {
				t.Errorf("%s, order %d: the gradient is %v, dense %v", row.border, n, g, dense)
			}
			for _, part := range []string{"diagonal", "border"} {
				bad := slices.Clone(q)
				if bad[0] = 30; part == "border" {
					bad[0] = 0.4
					for i := range n {
						bad[1+i] = -1e3
					}
				}
				if l, dense := got.logDensity(bad), want.logDensity(bad); !math.IsNaN(l) || !math.IsNaN(dense) {
					t.Errorf("%s, order %d: the %s is not positive definite, and the log density %v, dense %v", row.border, n, part, l, dense)
				}
			}
		}
	}
}
