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
	"github.com/hamc-dev/hamc/runtime/linalg"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// sparseKernels are the kernels of the rows, called as generated code calls them.
var sparseKernels = map[string]func(dst []float64, args ...[]float64){
	"linalg.SparsePlan":            func(dst []float64, a ...[]float64) { linalg.SparsePlan(dst, a[0], a[1:]...) },
	"linalg.SparsePlaces":          func(dst []float64, a ...[]float64) { linalg.SparsePlaces(dst, a[0], a[1], a[2]) },
	"linalg.SparseMatrix":          func(dst []float64, a ...[]float64) { linalg.SparseMatrix(dst, a[0], a[1], a[2]) },
	"linalg.SparseEntries":         func(dst []float64, a ...[]float64) { linalg.SparseEntries(dst, a[0], a[1], a[2]) },
	"linalg.SparseCholesky":        func(dst []float64, a ...[]float64) { linalg.SparseCholesky(dst, a[0], a[1]) },
	"linalg.SparseCholeskyAdjoint": func(dst []float64, a ...[]float64) { linalg.SparseCholeskyAdjoint(dst, a[0], a[1], a[2]) },
	"linalg.SparseLogDet":          func(dst []float64, a ...[]float64) { dst[0] = linalg.SparseLogDet(a[0], a[1]) },
	"linalg.SparseLogDetAdjoint":   func(dst []float64, a ...[]float64) { linalg.SparseLogDetAdjoint(dst, a[0], a[1]) },
	"linalg.SparseSolveLower":      func(dst []float64, a ...[]float64) { linalg.SparseSolveLower(dst, a[0], a[1], a[2]) },
	"linalg.SparseSolveUpper":      func(dst []float64, a ...[]float64) { linalg.SparseSolveUpper(dst, a[0], a[1], a[2]) },
	"linalg.SparseMulTransposed":   func(dst []float64, a ...[]float64) { linalg.SparseMulTransposed(dst, a[0], a[1], a[2]) },
	"linalg.SparseOuter":           func(dst []float64, a ...[]float64) { linalg.SparseOuter(dst, a[0], a[1], a[2], a[3]) },
}

// randomMap is a matrix of order n with entries at random places, of which some are told twice, and some are on the diagonal.
type randomMap struct {
	n, pairs             int
	nodes, rows, columns []float64
	shape                linalg.SparseShape
	plan, places         []float64
	matrix, factor       []float64
}

func newRandomMap(rng *rand.Rand, n, pairs int) *randomMap {
	x := &randomMap{n: n, pairs: pairs}
	for i := range n {
		x.nodes = append(x.nodes, float64(i+1))
	}
	for range pairs {
		x.rows, x.columns = append(x.rows, float64(1+rng.Intn(n))), append(x.columns, float64(1+rng.Intn(n)))
	}
	x.shape, _ = linalg.SparseShapeOf(n, math.MaxInt, [][]float64{x.rows}, [][]float64{x.columns})
	x.plan, x.places = make([]float64, x.shape.Plan()), make([]float64, pairs)
	linalg.SparsePlan(x.plan, x.nodes, x.rows, x.columns)
	linalg.SparsePlaces(x.places, x.plan, x.rows, x.columns)
	x.matrix, x.factor = make([]float64, x.shape.Factor()), make([]float64, x.shape.Factor())
	linalg.SparseMatrix(x.matrix, x.plan, x.places, randomVector(rng, pairs, 0))
	for i := range n {
		x.matrix[i] += 2 * float64(pairs+1)
	}
	linalg.SparseCholesky(x.factor, x.plan, x.matrix)
	return x
}

// arguments are those of a row, and the length of its value.
func (x *randomMap) arguments(rng *rand.Rand, name string) (args [][]float64, length int) {
	n, f := x.n, x.shape.Factor()
	switch name {
	case "sparse_plan":
		return [][]float64{x.nodes, x.rows, x.columns}, len(x.plan)
	case "sparse_places":
		return [][]float64{x.plan, x.rows, x.columns}, x.pairs
	case "sparse_matrix":
		return [][]float64{x.plan, x.places, randomVector(rng, x.pairs, 0)}, f
	case "sparse_entries":
		return [][]float64{x.plan, x.places, randomVector(rng, f, 0)}, x.pairs
	case "sparse_cholesky":
		return [][]float64{x.plan, x.matrix}, f
	case "sparse_cholesky_adjoint":
		return [][]float64{x.plan, x.factor, randomVector(rng, f, 0)}, f
	case "sparse_log_det":
		return [][]float64{x.plan, x.factor}, 1
	case "sparse_log_det_adjoint":
		return [][]float64{x.plan, x.factor}, f
	case "sparse_outer":
		return [][]float64{x.plan, x.factor, randomVector(rng, n, 0), randomVector(rng, n, 0)}, f
	}
	return [][]float64{x.plan, x.factor, randomVector(rng, n, 0)}, n
}

// TestSparseKernels compares every kernel with the row's Eval, which works on dense matrices.
func TestSparseKernels(t *testing.T) {
	rng := rand.New(rand.NewSource(8))
	rows := 0
	for n := range expr.Operators {
		op := &expr.Operators[n]
		if !strings.HasPrefix(op.Name, "sparse_") {
			continue
		}
		rows++
		kernel := sparseKernels[op.Kernel]
		if kernel == nil {
			t.Errorf("%s: no kernel %s is tested", op.Name, op.Kernel)
			continue
		}
		for _, size := range [][2]int{{1, 1}, {2, 3}, {5, 4}, {8, 20}, {30, 40}} {
			x := newRandomMap(rng, size[0], size[1])
			args, length := x.arguments(rng, op.Name)
			got, want := make([]float64, length), make([]float64, length)
			for i := range got {
				got[i] = 99 // what was there before
			}
			kernel(got, args...)
			dense := make([]*mat.Dense, len(args))
			for k, a := range args {
				dense[k] = mat.NewDense(len(a), 1, slices.Clone(a))
			}
			op.Eval(want, dense)
			for i := range got {
				if !(math.Abs(got[i]-want[i]) <= 1e-12*(1+math.Abs(want[i]))) {
					t.Errorf("%s of order %d, %d places, element %d: the kernel gives %v, the row %v", op.Name, size[0], size[1], i, got[i], want[i])
				}
			}
		}
	}
	if rows != len(sparseKernels) {
		t.Errorf("%d rows, %d kernels", rows, len(sparseKernels))
	}
}

// TestSparseMatrix: a factor is that of the matrix that its entries make, wherever they stand, and a matrix that is not positive definite has none.
func TestSparseMatrix(t *testing.T) {
	rng := rand.New(rand.NewSource(9))
	for _, n := range []int{1, 2, 6, 25} {
		x := newRandomMap(rng, n, 2*n)
		values := randomVector(rng, x.pairs, 0)
		entries := make([]float64, x.shape.Factor())
		linalg.SparseMatrix(entries, x.plan, x.places, values)
		a := mat.NewSymDense(n, nil)
		for i := range n {
			entries[i] += float64(9 * n)
			a.SetSym(i, i, float64(9*n))
		}
		for l, v := range values {
			i, j := int(x.rows[l])-1, int(x.columns[l])-1
			if i != j {
				v /= 2
			}
			a.SetSym(i, j, a.At(i, j)+v)
		}
		var chol mat.Cholesky
		if !chol.Factorize(a) {
			t.Fatal("the matrix is not positive definite")
		}
		l, b, y, u := make([]float64, len(entries)), randomVector(rng, n, 0), make([]float64, n), make([]float64, n)
		linalg.SparseCholesky(l, x.plan, entries)
		if got, want := 2*linalg.SparseLogDet(x.plan, l), chol.LogDet(); math.Abs(got-want) > 1e-11*(1+math.Abs(want)) {
			t.Errorf("order %d: log determinant %v, want %v", n, got, want)
		}
		linalg.SparseSolveLower(y, x.plan, l, b)
		linalg.SparseSolveUpper(u, x.plan, l, y)
		var want mat.VecDense
		if chol.SolveVecTo(&want, mat.NewVecDense(n, b)) != nil {
			t.Fatal("no solution")
		}
		for i := range n {
			if math.Abs(u[i]-want.AtVec(i)) > 1e-12 {
				t.Errorf("order %d: element %d of the solution is %v, want %v", n, i, u[i], want.AtVec(i))
			}
		}
		entries[n/2] = -1
		linalg.SparseCholesky(l, x.plan, entries)
		if !math.IsNaN(l[0]) {
			t.Errorf("order %d: a matrix that is not positive definite has a factor", n)
		}
		for _, long := range []int{-1, 1} { // made for another map
			plan := make([]float64, x.shape.Plan()+long)
			if linalg.SparsePlan(plan, x.nodes, x.rows, x.columns); !math.IsNaN(plan[0]) {
				t.Errorf("order %d: a plan of another length", n)
			}
		}
	}
}

// fields are models with a vector whose prior is a quadratic form: the diagonals of the map that Fit finds, or "sparse", by vectors.
var fields = []struct{ name, text, want string }{
	{"differences of neighbours", "density -0.5*sum(l in E) (u[a[l]] - u[b[l]])^2\nsum(u) ~ normal(0, 0.1)\ny ~ poisson_log(mu + s*u)", "u sparse"},
	{"the same of vectors", "density -0.5*sum((u[a] - u[b]).^2)\ny ~ poisson_log(mu + s*u)", "u sparse"},
	{"with a scale", "density -(N - 1)*log(s) - 0.5*dot(u[a] - u[b], u[a] - u[b])/s^2\ny ~ poisson_log(mu + u)", "u sparse"},
	{"beside others", "param v real[N]\nv ~ normal(0, s)\ndensity -0.5*sum(l in E) (u[a[l]] - u[b[l]])^2/s^2\ny ~ poisson_log(mu + u + v)", "u sparse, v 1"},
	{"of edges as a matrix", "density -0.5*sum(l in E) (u[e[l, 1]] - u[e[l, 2]])^2\ny ~ poisson_log(mu + s*u)", "u sparse"},
	{"weighted", "density -0.5*sum(l in E) w[l]*(u[a[l]] - u[b[l]])^2\ny ~ poisson_log(mu + s*u)", "u sparse"},
	{"differences that are stated", "u[a[l]] - u[b[l]] ~ normal(0, s) for l in 1..E\nmean(u) ~ normal(0, 0.01)\ny ~ poisson_log(mu + u)", "u sparse"},
	{"stated of vectors, with heavy tails", "u[a] - u[b] ~ student_t(4, 0, s)\ny ~ poisson_log(mu + u)", "u sparse"},
	{"weights that may be negative", "data r real[E]\ndensity -0.5*sum(l in E) r[l]*(u[a[l]] - u[b[l]])^2\ny ~ poisson_log(mu + s*u)", ""},
	{"no quadratic form", "density -sum(l in E) abs(u[a[l]] - u[b[l]])\ny ~ poisson_log(mu + s*u)", ""},
	{"a form that is the same everywhere", "density -0.5*sum(l in E) (u[a[l]] - u[b[l]])^2\ny ~ normal(mu + u, 1)", ""},
}

// TestFields: which maps vectors have whose prior is a quadratic form.
func TestFields(t *testing.T) {
	const head = "model fields\ndata N, E int\ndata a, b int[E] in 1..N\ndata e int[E, 2] in 1..N\ndata w real[E] > 0\ndata y int[N] >= 0\nparam u real[N]\nparam mu real\nparam s real > 0\nmu ~ normal(0, 1)\ns ~ exponential(1)\n"
	values := map[string][]float64{"a": {1, 2, 3, 4}, "b": {2, 3, 4, 1}, "e": {1, 2, 2, 3, 3, 4, 4, 1}}
	for _, c := range fields {
		text := head + c.text
		if strings.Contains(c.text, "y ~ normal") {
			text = strings.ReplaceAll(text, "data y int[N] >= 0", "data y real[N]")
		}
		m, ds := dsl.Load("fields.ham", text+"\n", dsl.Options{})
		if m == nil {
			t.Errorf("%s: %v", c.name, ds)
			continue
		}
		d, list := Derive(m)
		if d == nil {
			t.Errorf("%s: %v", c.name, list)
			continue
		}
		var got []string
		for _, x := range d.Fit(map[string]int{"N": 4, "E": 4}, values).Transports {
			form := fmt.Sprint(x.Diagonals)
			if x.Sparse {
				form = "sparse"
			}
			got = append(got, x.Param.Decl.ObjectName()+" "+form)
		}
		slices.Sort(got)
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
	}
}
