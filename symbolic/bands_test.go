package symbolic

import (
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/internal/naive"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// A shape is a model with the structure that its metric must be found to have.
type shape struct {
	name     string
	text     string
	kind     string
	parts    string // "x:1(a,b) s" is a spine x of width 1 with the border a, b, and a part s without a spine
	constant bool
	sizes    []numbers // at which the entries are compared; the rest of the data is made up
}

const (
	chainHead = "model m\ndata T int\ndata y real[T]\nparam x real[T]\n"
	walk      = "x[t] ~ normal(x[t-1], 1) for t in 2..T\n"
	observed  = "y ~ normal(x, 1)\n"
)

var (
	chains = []numbers{{"T": {2}}, {"T": {3}}, {"T": {6}}}
	longer = []numbers{{"T": {3}}, {"T": {4}}, {"T": {7}}}
)

// The structures, and beside each the near misses.
var shapes = []shape{
	// Bands.
	{"a walk", chainHead + walk + observed + "metric fisher\n", "banded", "x:1", true, chains},
	{"a walk by its differences", chainHead + "density -sum(t in 2..T) (x[t] - x[t-1])^2\n" + observed + "metric hessian\n", "banded", "x:1", true, chains},
	{"a walk whose steps depend on where it is", chainHead + "x[t] ~ normal(x[t-1], exp(x[t-1])) for t in 2..T\n" + observed + "metric hessian\n", "banded", "x:1", false, chains},
	{"a walk with steps forwards and backwards", chainHead + walk + "x[t+1] ~ normal(sin(x[t]), 1) for t in T-1\n" + observed + "metric hessian\n", "banded", "x:1", false, chains},
	{"second order", chainHead + "x[t] ~ normal(0.5*x[t-1] - 0.3*x[t-2], 1) for t in 3..T\n" + observed + "metric fisher\n", "banded", "x:2", true, chains},
	{"second differences", chainHead + "density -sum(t in 2..T-1) (x[t+1] - 2*x[t] + x[t-1])^2\n" + observed + "metric hessian\n", "banded", "x:2", true, chains},
	{"third order", chainHead + "x[t] ~ normal(x[t-1]/2 - x[t-3]/3, 1) for t in 4..T\n" + observed + "metric fisher\n", "banded", "x:3", true, longer},
	{"a lag of two alone", chainHead + "x[t] ~ normal(0.5*x[t-2], 1) for t in 3..T\n" + observed + "metric fisher\n", "banded", "x:2", true, chains},
	{"neighbours of data", chainHead + "y[t] ~ normal(x[t]*x[t-1], 1) for t in 2..T\nx ~ normal(0, 1)\nmetric fisher\n", "banded", "x:1", false, chains},
	{"by formula", chainHead + observed + "metric[i in T, j in T] = 3*delta(i, j) + y[i]*delta(i, j+1) + y[j]*delta(i+1, j)\n", "banded", "x:1", true, chains},
	{"by formula, of the position", chainHead + observed + "metric[x[i], x[j]] = 3*delta(i, j) + sin(x[i])*x[j]*delta(i, j+2) + sin(x[j])*x[i]*delta(i+2, j)\n", "banded", "x:2", false, chains},
	{"by formula, factored", chainHead + observed + "metric[x[i], x[j]] = (2 + cos(x[i]*x[j]))*(3*delta(i, j) + delta(i, j+1) + delta(i, j-1))\n", "banded", "x:1", false, chains},
	{"one entry beside the diagonal", chainHead + "x[2] ~ normal(x[1], 1)\n" + observed + "metric fisher\n", "banded", "x:1", true, chains},
	{"the last entry beside the diagonal", chainHead + "x[T] ~ normal(x[T-1], 1)\n" + observed + "metric fisher\n", "banded", "x:1", true, chains},
	{"one coupling farther away", chainHead + walk + "x[5] ~ normal(x[1], 1)\n" + observed + "metric fisher\n", "banded", "x:4", true, []numbers{{"T": {5}}, {"T": {8}}}},
	{"the ends of a ring", chainHead + walk + "x[1] ~ normal(x[T], 1)\n" + observed + "metric fisher\n", "dense", "x", true, chains},
	{"the first and the one before the last", chainHead + walk + "x[T-1] ~ normal(x[1], 1)\n" + observed + "metric fisher\n", "dense", "x", true, chains},
	{"a lag of data", "model m\ndata T, lag int\ndata y real[T]\nparam x real[T]\n" + walk + "density -0.1*(sum(i in T, j in T) y[i]*y[j]*x[i]*x[j])\n" + observed + "metric hessian\n", "dense", "x", true, chains},
	{"a mean behind a definition", chainHead + walk + "let m = mean(x)\ny ~ normal(x + m, 1)\nmetric fisher\n", "dense", "x", true, chains},
	{"a mean behind two", chainHead + walk + "let m = mean(x)\nlet e = exp(x)/4 + m^2\ny ~ normal(e, 1)\nmetric fisher\n", "dense", "x", false, chains},
	{"partial sums", chainHead + walk + "let c[t in T] = sum(s in 2..T) x[s]*y[t]\ny ~ normal(c, 1)\nmetric fisher\n", "dense", "x", true, chains},
	{"a dense part with a factor of data", "model m\ndata T int\ndata c real\ndata y real[T]\nparam x real[T]\n" + walk + observed + "density -(c - 1)*sum(x)^2\nmetric hessian\n", "dense", "x", true, []numbers{{"T": {4}, "c": {1}}, {"T": {4}, "c": {2}}}},
	{"a dense part that cancels", chainHead + walk + observed + "density sum(x)^2 - (sum(x) - 1)^2\nmetric hessian\n", "banded", "x:1", true, chains},
	{"rank one by formula", chainHead + observed + "metric[x[i], x[j]] = 3*delta(i, j) + delta(i, j+1) + delta(i+1, j) + 0.1*x[i]*x[j]\n", "dense", "x", false, chains},
	{"an entry everywhere by formula", chainHead + observed + "metric[x[i], x[j]] = 3*delta(i, j) + 0.1\n", "dense", "x", true, chains},

	// Products of deltas.
	{"deltas that exclude each other", chainHead + observed + "metric[x[i], x[j]] = 3*delta(i, j) + delta(i, j)*delta(i, j+1) + x[1]*delta(i, j+1)*delta(i, j+2)\n", "diagonal", "x:0", true, chains},
	{"a delta twice", chainHead + observed + "metric[x[i], x[j]] = 3*delta(i, j) + delta(i, j+1)*delta(i, j+1) + delta(i+1, j)*delta(j, i+1)\n", "banded", "x:1", true, chains},
	{"a chain of deltas", chainHead + observed + "metric[x[i], x[j]] = 3*delta(i, j) + sum(k in T) (delta(i, k)*delta(k, j+1) + delta(i+1, k)*delta(k, j))*x[k]^2\n", "banded", "x:1", false, chains},
	{"a chain of deltas that returns", chainHead + observed + "metric[x[i], x[j]] = 3*delta(i, j) + sum(k in T) delta(i, k+1)*delta(k+1, j)*x[k]^2\n", "diagonal", "x:0", false, chains},
	{"a chain of deltas over a part", chainHead + observed + "metric[x[i], x[j]] = 3*delta(i, j) + sum(k in 2..T-1) (delta(i, k-1)*delta(k+1, j) + delta(i, k+1)*delta(k-1, j))*y[k]\n", "banded", "x:2", true, chains},
	{"a delta of one side alone", chainHead + observed + "metric[x[i], x[j]] = 3*delta(i, j) + sum(k in T) delta(i, k)*y[k]*y[j]\n", "dense", "x", true, chains},

	// Arrows and borders.
	{"an arrow", chainHead + "param m real\nx ~ normal(m, 1)\nm ~ normal(0, 1)\n" + observed + "metric fisher\n", "arrow", "x:0(m)", true, chains},
	{"an arrow with its shaft behind", "model m\ndata T int\ndata y real[T]\nparam s real > 0\nparam x real[T]\nparam m real\nx ~ normal(m, s)\ns ~ gamma(2, 2)\n" + observed + "metric hessian\n", "arrow", "x:0(s,m)", false, chains},
	{"an arrow of a vector", "model m\ndata T, k int\ndata X real[T, k]\ndata y real[T]\nparam b real[k]\nparam x real[T]\nx ~ normal(X*b, 1)\nb ~ normal(0, 1)\n" + observed + "metric hessian\n", "arrow", "x:0(b)", true, []numbers{{"T": {2}, "k": {3}}, {"T": {5}, "k": {2}}}},
	{"a bordered band", chainHead + "param h real\nx[t] ~ normal(h*x[t-1], 1) for t in 2..T\nh ~ normal(0, 1)\n" + observed + "metric hessian\n", "bordered band", "x:1(h)", false, chains},
	{"stochastic volatility", "model m\ndata T int\ndata y real[T]\nparam x real[T]\nparam phi real in (-1, 1)\nparam s real > 0\nx[1] ~ normal(0, s/sqrt(1 - phi^2))\nx[t] ~ normal(phi*x[t-1], s) for t in 2..T\ny ~ normal(0, exp(x/2))\ns ~ gamma(2, 2)\nmetric hessian\n", "bordered band", "x:1(phi,s)", false, chains},
	{"second order with its coefficients", "model m\ndata T int\ndata y real[T]\nparam a real[2]\nparam x real[T]\nparam s real > 0\nx[1] ~ normal(0, s)\nx[2] ~ normal(a[1]*x[1], s)\nx[t] ~ normal(a[1]*x[t-1] + a[2]*x[t-2], s) for t in 3..T\na ~ normal(0, 1)\ns ~ gamma(2, 2)\n" + observed + "metric hessian\n", "bordered band", "x:2(a,s)", false, chains},
	{"a border of a part of the spine", chainHead + "param h real\n" + walk + "x[1] ~ normal(h, 1)\nh ~ normal(0, 1)\n" + observed + "metric fisher\n", "bordered band", "x:1(h)", true, chains},
	{"a border of the last of the spine", chainHead + "param h real\n" + walk + "h ~ normal(x[T], 1)\n" + observed + "metric fisher\n", "bordered band", "x:1(h)", true, chains},
	{"a border by formula", chainHead + "param h real\nh ~ normal(0, 1)\n" + observed + "metric[x[i], x[j]] = 3*delta(i, j)\nmetric[h, h] = 9\nmetric[x[i], h] = y[i]/4\n", "arrow", "x:0(h)", true, chains},
	{"a border whose entries are all zero", chainHead + "param h real\nh ~ normal(0, 1)\n" + observed + "metric[x[i], x[j]] = 3*delta(i, j)\nmetric[h, h] = 9\nmetric[x[i], h] = x[i] - x[i]\n", "diagonal", "x:0 h", true, chains},
	{"a border that makes the block dense", chainHead + "param h real\nh ~ normal(0, 1)\ny ~ normal(x + h*sum(x), 1)\nx ~ normal(0, 1)\nmetric fisher\n", "dense", "x,h", false, chains},
	{"two vectors of one size", "model m\ndata T int\ndata y real[T]\nparam x, u real[T]\n" + walk + "y ~ normal(x + u, 1)\nu ~ normal(0, 1)\nmetric fisher\n", "bordered band", "x:1(u)", true, chains},
	{"two vectors with a lag", "model m\ndata T int\ndata y real[T]\nparam x, u real[T]\nx[t] ~ normal(u[t-1], 1) for t in 2..T\nu ~ normal(0, 1)\n" + observed + "metric fisher\n", "arrow", "x:0(u)", true, chains},
	{"a longer spine behind a shorter one", "model m\ndata k int\ndata y real[k]\nparam x real[3]\nparam u real[k]\nx ~ normal(0, 1)\nu ~ normal(x[1], 1)\ny ~ normal(u, 1)\nmetric fisher\n", "arrow", "u:0(x)", true, []numbers{{"k": {2}}, {"k": {4}}}},

	// Parts.
	{"two chains", "model m\ndata T, S int\ndata y real[T]\nparam x real[T]\nparam u real[S]\n" + walk + "u[s] ~ normal(u[s-2], 1) for s in 3..S\nu ~ normal(0, 1)\n" + observed + "metric fisher\n", "block-diagonal", "x:1 u:2", true, []numbers{{"T": {2}, "S": {2}}, {"T": {3}, "S": {4}}}},
	{"two chains with a common parameter", "model m\ndata T, S int\ndata y real[T]\nparam x real[T]\nparam u real[S]\nparam h real\n" + walk + "x[1] ~ normal(h, 1)\nu[s] ~ normal(u[s-2], 1) for s in 3..S\nu ~ normal(h, 1)\n" + observed + "metric fisher\n", "bordered band", "x:1(u,h)", true, []numbers{{"T": {3}, "S": {4}}}},
	{"pairs", "model m\ndata y real\nparam a, b, c, d real\na, b ~ normal(0, 1)\nc, d ~ normal(0, 1)\ny ~ normal(a*c, 1)\ny ~ normal(b*d, 1)\nmetric fisher\n", "block-diagonal", "a,c b,d", false, []numbers{nil}},
	{"a coupling through a third", "model m\ndata y real\nparam a, b, c, d real\na, d ~ normal(0, 1)\nb ~ normal(a, 1)\nc ~ normal(b, 1)\nmetric fisher\n", "block-diagonal", "a,b,c d", true, []numbers{nil}},
	{"a coupling through a fourth", "model m\nparam a, b, c, d real\na ~ normal(d, 1)\nb ~ normal(c, 1)\nd ~ normal(b, 1)\nc ~ normal(0, 1)\nmetric fisher\n", "dense", "a,b,c,d", true, []numbers{nil}},
	{"a coupling that cancels", "model m\ndata y real\nparam a, b, c real\na, b, c ~ normal(0, 1)\ndensity -(a - b)^2 - 2*a*b\ny ~ normal(b*c, 1)\nmetric hessian + 9*identity\n", "block-diagonal", "a b,c", false, []numbers{nil}},
	{"scalars apart", "model m\nparam a, b real\na ~ normal(0, 1)\nb ~ cauchy(0, 1)\nmetric hessian\n", "diagonal", "a b", false, []numbers{nil}},
	{"a vector and its elements", "model m\ndata T int\ndata y real[T]\nparam x real[T]\nparam a, b real\nx ~ normal(0, 1)\na ~ normal(x[1], 1)\nb ~ normal(x[2], 1)\n" + observed + "metric fisher\n", "arrow", "x:0(a,b)", true, chains},
	{"softabs", chainHead + walk + observed + "metric softabs(alpha = 2)\n", "dense", "x", false, chains},

	// Sizes known at compile time: the structure is the same, what is stored is not.
	{"a walk of six", "model m\ndata y real[6]\nparam x real[6]\nx[t] ~ normal(x[t-1], exp(x[t-1])) for t in 2..6\ny ~ normal(x, 1)\nmetric hessian\n", "banded", "x:1", false, []numbers{nil}},
	{"a walk of twenty", "model m\ndata y real[20]\nparam x real[20]\nx[t] ~ normal(x[t-1], exp(x[t-1])) for t in 2..20\ny ~ normal(x, 1)\nmetric hessian\n", "banded", "x:1", false, []numbers{nil}},
	{"a ring of twenty", "model m\ndata y real[20]\nparam x real[20]\nx[t] ~ normal(x[t-1], exp(x[t-1])) for t in 2..20\nx[1] ~ normal(x[20], 1)\ny ~ normal(x, 1)\nmetric hessian\n", "dense", "x", false, []numbers{nil}},
	{"an arrow of twenty", "model m\ndata y real[20]\nparam m real\nparam x real[20]\nx ~ normal(m, exp(m))\ny ~ normal(x, 1)\nmetric hessian\n", "arrow", "x:0(m)", false, []numbers{nil}},
}

// partsText writes parts as shape.parts does.
func partsText(d *Derived) string {
	var out []string
	name := func(n int) string { return d.Params[n].Decl.ObjectName() }
	for _, p := range d.Metric.Parts {
		var border []string
		for _, b := range p.Border {
			border = append(border, name(b))
		}
		s := strings.Join(border, ",")
		if p.Spine >= 0 {
			if s != "" {
				s = "(" + s + ")"
			}
			s = fmt.Sprintf("%s:%d%s", name(p.Spine), p.Width, s)
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

// completed adds random numbers to the sizes of a model's data.
func completed(m *dsl.Model, sizes numbers, rng *rand.Rand) map[string][]float64 {
	data := map[string][]float64{}
	for _, d := range m.Data {
		if v, ok := sizes[d.ObjectName()]; ok {
			data[d.ObjectName()] = v
		}
	}
	for _, d := range m.Data {
		if data[d.ObjectName()] != nil {
			continue
		}
		n := 1
		for _, x := range d.Type.Shape {
			k := x.Offset
			if x.Name != "" {
				k += int(sizes[x.Name][0])
			}
			n *= k
		}
		if d.Type.Base == dsl.Int && d.Type.IsScalar() {
			data[d.ObjectName()] = []float64{1}
			continue
		}
		data[d.ObjectName()] = naive.RandomVector(rng, n, 1)
	}
	return data
}

// fullMatrix evaluates the matrix from the formulas of its blocks, entry by entry:
// none of it went through the bands, nor through Lower.
func fullMatrix(b *bench, data map[string][]float64, q []float64, given [][]float64) [][]float64 {
	d := b.d
	v := &naive.Env{Sizes: map[string]int{}, Values: map[*expr.Tensor][]float64{}, Idx: map[*expr.Index]int{}}
	for n, x := range d.Data {
		name := d.Model.Data[n].ObjectName()
		v.Values[x] = data[name]
		if len(data[name]) == 1 {
			v.Sizes[name] = int(data[name][0])
		}
	}
	for n, p := range d.Params {
		v.Values[p.Coord] = q[b.start[n]:b.start[n+1]]
	}
	for n, p := range d.Given {
		v.Values[p.Coord] = given[n]
	}
	g := newMatrix(b.dim())
	for _, x := range d.Metric.Blocks {
		for i := b.start[x.Row]; i < b.start[x.Row+1]; i++ {
			for j := b.start[x.Col]; j < b.start[x.Col+1]; j++ {
				if x.A != nil {
					v.Idx[x.A] = i - b.start[x.Row] + 1
				}
				if x.B != nil {
					v.Idx[x.B] = j - b.start[x.Col] + 1
				}
				g[i][j] = v.Eval(x.E)
				g[j][i] = g[i][j]
			}
		}
	}
	return g
}

// allowed reports whether the parts of a metric leave room for an entry.
func allowed(b *bench, i, j int) bool {
	place := func(i int) (part, param int) {
		for n := range b.d.Params {
			if b.start[n] <= i && i < b.start[n+1] {
				param = n
			}
		}
		for k, p := range b.d.Metric.Parts {
			if p.Spine == param {
				return k, param
			}
			for _, x := range p.Border {
				if x == param {
					return k, param
				}
			}
		}
		panic("a parameter in no part")
	}
	p, x := place(i)
	q, y := place(j)
	spine := b.d.Metric.Parts[p].Spine
	distance := max(i-j, j-i)
	return p == q && (x != spine || y != spine || distance <= b.d.Metric.Parts[p].Width)
}

// TestShapes: the structure that is found is the right one, the entries that are
// stored are those of the formulas, and all others are zero. For Hessians, the
// formulas agree with differences of the density.
func TestShapes(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			d, _ := load(t, s.text)
			m := d.Metric
			if m.Structure != s.kind || partsText(d) != s.parts || m.Constant != s.constant {
				t.Errorf("%s %q, constant %v; want %s %q, constant %v", m.Structure, partsText(d), m.Constant, s.kind, s.parts, s.constant)
			}
			small := len(d.Model.Data) == 0 || !strings.Contains(s.text, "int") && !strings.Contains(s.text, "[20]")
			storage := "structured"
			switch {
			case s.name == "softabs":
				storage = "SoftAbs"
			case s.kind == "diagonal":
				storage = "diagonal"
			case s.kind == "dense", small:
				storage = "dense"
			}
			if m.Storage.Name != storage {
				t.Errorf("storage %s, want %s", m.Storage.Name, storage)
			}
			if m.Storage.NonLinear {
				return
			}
			rng := rand.New(rand.NewSource(3))
			for _, sizes := range s.sizes {
				compareStructure(t, d, completed(d.Model, sizes, rng), rng, nil, strings.Contains(s.text, "metric hessian\n"))
			}
		})
	}
}

func compareStructure(t *testing.T, d *Derived, data map[string][]float64, rng *rand.Rand, given [][]float64, hessian bool) {
	t.Helper()
	b := newBench(t, d, data)
	for n, p := range d.Given {
		copy(b.m.Values(p.Coord), given[n])
	}
	for range 3 {
		q := naive.RandomVector(rng, b.dim(), 0.7)
		got, want := b.matrix(q), fullMatrix(b, data, q, given)
		if !near(flatten(got), flatten(want), 1e-13) {
			t.Errorf("dimension %d: stored\n%.6g, by formula\n%.6g", b.dim(), got, want)
			return
		}
		for i := range want {
			for j := range want {
				if want[i][j] != 0 && !allowed(b, i, j) {
					t.Errorf("dimension %d: entry %d, %d is %g, outside of %s", b.dim(), i, j, want[i][j], partsText(d))
				}
			}
		}
		if !hessian {
			continue
		}
		differences := newMatrix(b.dim())
		for k := range q {
			column := naive.Derivative(func(x []float64) []float64 { return b.vector(d.Gradient, x) }, q, k)
			for i, v := range column {
				differences[i][k] = -v
			}
		}
		if !near(flatten(want), flatten(differences), 1e-8) {
			t.Errorf("dimension %d: Hessian\n%.6g, by differences\n%.6g", b.dim(), want, differences)
		}
	}
}

// TestWidthIsReached: no structure is wider than it must be, where the size leaves
// room for it.
func TestWidthIsReached(t *testing.T) {
	for _, s := range shapes {
		d, _ := load(t, s.text)
		if d.Metric.Storage.NonLinear || s.sizes == nil {
			continue
		}
		rng := rand.New(rand.NewSource(4))
		data := completed(d.Model, s.sizes[len(s.sizes)-1], rng)
		b := newBench(t, d, data)
		g := fullMatrix(b, data, naive.RandomVector(rng, b.dim(), 0.7), nil)
		for _, p := range d.Metric.Parts {
			if p.Spine < 0 {
				continue
			}
			found := false
			for i := b.start[p.Spine] + p.Width; i < b.start[p.Spine+1]; i++ {
				found = found || g[i][i-p.Width] != 0
			}
			if !found {
				t.Errorf("%s: no entry at distance %d of the spine", s.name, p.Width)
			}
		}
	}
}

// TestGivenStructure: what is constant, and what is banded, given the parameters of
// the other blocks, whatever these are.
func TestGivenStructure(t *testing.T) {
	const volatility = "model m\ndata T int\ndata y real[T]\nparam x real[T]\nparam phi real in (-1, 1)\nparam s real > 0\n" +
		"x[1] ~ normal(0, s/sqrt(1 - phi^2))\nx[t] ~ normal(phi*x[t-1], s) for t in 2..T\nphi ~ uniform(-1, 1)\ns ~ gamma(2, 2)\n"
	for _, row := range []struct {
		name, text string
		want       []string // by block: kind, parts, constant
	}{
		{"volatility", volatility + "y ~ normal(0, exp(x/2))\nblock states(x) metric fisher\nblock rest(phi, s) metric fisher\n",
			[]string{"banded x:1 true", "dense phi,s false"}},
		{"volatility, hessian", volatility + "y ~ normal(0, exp(x/2))\nblock states(x) metric hessian\nblock rest(phi, s) metric fisher\n",
			[]string{"banded x:1 false", "dense phi,s false"}},
		{"in one block", volatility + "y ~ normal(0, exp(x/2))\nmetric fisher\n", []string{"bordered band x:1(phi,s) false"}},
		{"with one of the parameters", volatility + "y ~ normal(0, exp(x/2))\nblock states(x, s) metric fisher\nblock rest(phi) metric fisher\n",
			[]string{"bordered band x:1(s) false", "diagonal phi false"}},
		{"dense but at one value of the other block", chainHead + "param c real\n" + walk + observed + "c ~ normal(0, 1)\ndensity -(c - 1)*sum(x)^2\nblock states(x) metric hessian\nblock rest(c) metric fisher + identity\n",
			[]string{"dense x true", "diagonal c true"}},
		{"a width that the other block makes", chainHead + "param c real\nx[t] ~ normal(x[t-1] + c*x[t-2], 1) for t in 3..T\n" + observed + "c ~ normal(0, 1)\nblock states(x) metric fisher\nblock rest(c) metric fisher\n",
			[]string{"banded x:2 true", "diagonal c true"}},
		{"a product of blocks", "model m\ndata T int\ndata y real[T]\nparam x, u real[T]\ny ~ normal(x .* u, 1)\nx, u ~ normal(0, 1)\nblock a(x) metric fisher\nblock b(u) metric fisher\n",
			[]string{"diagonal x:0 true", "diagonal u:0 true"}},
		{"coupled through the other block alone", "model m\ndata y real\nparam a, b, c real\na ~ normal(c, 1)\nb ~ normal(c, 1)\nc ~ normal(0, 1)\nblock ab(a, b) metric fisher\nblock rest(c) metric fisher\n",
			[]string{"diagonal a b true", "diagonal c true"}},
		{"a dense part behind a definition of the other block", chainHead + "param c real\nlet m = c*mean(x)\n" + walk + "y ~ normal(x + m, 1)\nc ~ normal(0, 1)\nblock states(x) metric fisher\nblock rest(c) metric fisher\n",
			[]string{"dense x true", "diagonal c true"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d, _ := load(t, row.text)
			all := d.Conditionals
			if len(all) == 0 {
				all = []*Derived{d}
			}
			var got []string
			for _, c := range all {
				got = append(got, fmt.Sprintf("%s %s %v", c.Metric.Structure, partsText(c), c.Metric.Constant))
			}
			if fmt.Sprint(got) != fmt.Sprint(row.want) {
				t.Errorf("%q, want %q", got, row.want)
			}
			rng := rand.New(rand.NewSource(6))
			for _, sizes := range chains {
				data := completed(d.Model, sizes, rng)
				for _, c := range all {
					for _, scale := range []float64{0.8, 0} {
						var given [][]float64
						for _, p := range c.Given {
							n := p.Size().Offset
							if p.Size().Name != "" {
								n += int(sizes[p.Size().Name][0])
							}
							given = append(given, naive.RandomVector(rng, n, scale))
						}
						compareStructure(t, c, data, rng, given, false)
					}
				}
			}
		})
	}
}

// TestRandomBands: random sums of products of deltas, some of which are banded. Where
// a band is found it is right, and it is found where no factor hides it.
func TestRandomBands(t *testing.T) {
	banded, dense := 0, 0
	for seed := range int64(campaign.Cases(t, 80, 400)) {
		rng := rand.New(rand.NewSource(seed))
		entry := func(i, j string) string {
			return []string{"1", "x[" + i + "]^2", "x[" + i + "]*x[" + j + "]", "y[" + j + "]", "sin(x[" + j + "])", "exp(x[" + i + "]/2)*y[" + j + "]", "x[1]", "h"}[rng.Intn(8)]
		}
		// A term f(i, j)·deltas and its mirror image f(j, i)·deltas.
		width, full := 0, false
		var terms []string
		for range 1 + rng.Intn(4) {
			o := rng.Intn(4)
			seed := rng.Int63()
			side := func(i, j string) string {
				rng = rand.New(rand.NewSource(seed))
				f := entry(i, j)
				switch rng.Intn(5) {
				case 0:
					return fmt.Sprintf("%s*delta(%s, %s+%d)", f, i, j, o)
				case 1:
					return fmt.Sprintf("%s*delta(%s-%d, %s)*(1 + x[%s]^2)", f, i, o, j, j)
				case 2:
					return fmt.Sprintf("(sum(k in T) delta(%s, k+%d)*delta(k, %s)*%s)", i, o, j, f)
				case 3:
					return fmt.Sprintf("(%s + %s)*delta(%s, %s+%d)", f, entry(j, i), i, j, o)
				}
				return fmt.Sprintf("%s*(delta(%s, %s+%d) + delta(%s, %s))", f, i, j, o, i, j)
			}
			terms = append(terms, side("i", "j"), side("j", "i"))
			rng = rand.New(rand.NewSource(seed + 1))
			width = max(width, o)
		}
		if rng.Intn(4) == 0 {
			full = true
			terms = append(terms, "0.1*x[i]*x[j]")
		}
		text := chainHead + "param h real\nh ~ normal(0, 1)\n" + walk + observed + "metric[x[i], x[j]] = 9*delta(i, j) + " + strings.Join(terms, " + ") + "\nmetric[h, h] = 1\n"
		m, ds := dsl.Load("model.ham", text, dsl.Options{})
		if m == nil {
			t.Fatalf("seed %d: %v\n%s", seed, ds.List, text)
		}
		d, list := Derive(m)
		if d == nil {
			t.Errorf("seed %d: %v\n%s", seed, list, text)
			continue
		}
		switch p := d.Metric.Parts[0]; {
		case full:
			dense++
			if p.Spine >= 0 {
				t.Errorf("seed %d: %s\n%s", seed, partsText(d), text)
			}
		default:
			banded++
			if p.Spine != 0 || p.Width > width {
				t.Errorf("seed %d: %s, want width %d\n%s", seed, partsText(d), width, text)
			}
		}
		for _, T := range []float64{1, 2, 5} {
			rng := rand.New(rand.NewSource(seed))
			compareStructure(t, d, completed(d.Model, numbers{"T": {T}}, rng), rng, nil, false)
		}
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, text)
		}
	}
	if banded < campaign.Cases(t, 50, 250) || dense < campaign.Cases(t, 12, 60) {
		t.Errorf("%d banded and %d dense ones", banded, dense)
	}
}

// TestBandsInLinearTime: nothing that an integrator evaluates of a structured metric
// runs over pairs of the elements of a long vector, neither in an array nor in a
// loop, and the program does not depend on how long it is.
func TestBandsInLinearTime(t *testing.T) {
	for _, s := range shapes {
		d, _ := load(t, s.text)
		if d.Metric.Storage.Name != "structured" || strings.Contains(s.parts, "(u") {
			continue // two vectors of one size: the corner of the border is all pairs
		}
		long := func(i *expr.Index) bool {
			return i.Range.Hi.Name == "T" || i.Range.Hi.IsConst() && i.Range.Hi.Offset > 16
		}
		var check func(what string, e *expr.Expr, open []*expr.Index)
		check = func(what string, e *expr.Expr, open []*expr.Index) {
			if e.Op == expr.Sum && long(e.Index) {
				for _, i := range open {
					if e.HasFree(i) {
						t.Errorf("%s: %s runs over pairs: %s", s.name, what, expr.Format(e))
					}
				}
				i, body := d.C.Open(e)
				check(what, body, append(open, i))
				return
			}
			for _, a := range e.Args {
				check(what, a, open)
			}
		}
		visit := func(what string, indices []*expr.Index, e *expr.Expr) {
			var open []*expr.Index
			for _, i := range indices {
				if long(i) {
					open = append(open, i)
				}
			}
			if len(open) > 1 {
				t.Errorf("%s: %s is an array over pairs", s.name, what)
			}
			check(what, e, open)
		}
		outs := append(append(append(append(append([]Output{d.LogDensity}, d.Gradient...), d.Matrix...), d.Force...), d.Contract...), d.Rank1...)
		for _, def := range reach(d, outs) {
			visit(def.Tensor.Name, def.Indices, def.Body)
		}
		for _, o := range outs {
			visit("a result", o.Indices, o.E)
		}
		for _, o := range d.Matrix {
			spine := slices.ContainsFunc(d.Metric.Parts, func(p model.Part) bool { return p.Spine == o.Row })
			if spine && o.Row == o.Col && !o.Banded {
				t.Errorf("%s: the spine's block is stored whole", s.name)
			}
		}
	}
	const text = "model m\ndata T int\ndata y real[T]\nparam x real[T]\nx[t] ~ normal(x[t-1], exp(x[t-1])) for t in 2..T\ny ~ normal(x, 1)\nmetric hessian\n"
	count := func(size float64) (defs int) {
		m, ds := dsl.Load("model.ham", text, dsl.Options{Consts: []dsl.ConstBinding{{Name: "T", Value: size}}})
		if m == nil {
			t.Fatal(ds.List)
		}
		d, list := Derive(m)
		if d == nil {
			t.Fatal(list)
		}
		return len(d.Prog.Defs)
	}
	if a, b := count(100), count(100000); a != b {
		t.Errorf("%d definitions at T = 100, %d at T = 100000", a, b)
	}
}

// TestBandLimits: entries of a long band, by the machine, in the memory of a few
// vectors.
func TestBandLimits(t *testing.T) {
	const size = 20000
	d, _ := load(t, chainHead+"x[t] ~ normal(sin(x[t-1]), 1) for t in 2..T\n"+observed+"metric hessian\n")
	b := newBench(t, d, numbers{"T": {size}, "y": make([]float64, size)})
	b.set(make([]float64, size))
	sum, n := 0.0, 0
	b.m.Run(d.Matrix, func(o *Output, idx []int, v float64) {
		sum += v
		n++
	})
	// At 0 the diagonal is 1 + 1 + cos², at the ends 2, and beside it is −cos.
	if want := 3.*size - 2 - (size - 1); n != 2*size-1 || math.Abs(sum-want) > 1e-6 {
		t.Errorf("%d entries with the sum %g, want %d with %g", n, sum, 2*size-1, want)
	}
}
