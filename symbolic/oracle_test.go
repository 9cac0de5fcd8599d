package symbolic

import (
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/internal/naive"
)

// load derives a model from its text; the test fails on any error.
func load(t testing.TB, text string) (*Derived, []dsl.Diagnostic) {
	t.Helper()
	m, ds := dsl.Load("model.ham", text, dsl.Options{})
	if m == nil {
		t.Fatalf("dsl.Load: %v\n%s", ds.List, text)
	}
	d, list := Derive(m)
	if d == nil {
		t.Fatalf("Derive: %v\n%s", list, text)
	}
	lowered(t, d)
	return d, list
}

// lowered checks that no definition reads a shared one, which nothing computes.
func lowered(t testing.TB, d *Derived) {
	t.Helper()
	for _, def := range d.Prog.Defs {
		for _, b := range def.Bodies() {
			expr.Refs(b, func(r *expr.Expr) {
				if r.Tensor.Kind == expr.SharedTensor {
					t.Errorf("%s reads %s, which is not lowered", def.Tensor.Name, expr.Format(r))
				}
			})
		}
	}
}

// bench evaluates the results of a derived model at flat coordinates: the
// blocks of parameters one after the other.
type bench struct {
	d     *Derived
	m     *Machine
	start []int // of each block; the last entry is the dimension
}

func newBench(t testing.TB, d *Derived, data map[string][]float64) *bench {
	t.Helper()
	b := &bench{d: d, m: NewMachine(d, data)}
	n := 0
	for _, p := range d.Params {
		b.start = append(b.start, n)
		n += b.m.Extent(p.Size())
	}
	b.start = append(b.start, n)
	return b
}

func (b *bench) dim() int { return b.start[len(b.start)-1] }

// set writes coordinates into the machine.
func (b *bench) set(q []float64) {
	for n, p := range b.d.Params {
		copy(b.m.Values(p.Coord), q[b.start[n]:b.start[n+1]])
	}
}

func (b *bench) setVelocity(v []float64) {
	for n, t := range b.d.Velocities {
		copy(b.m.Values(t), v[b.start[n]:b.start[n+1]])
	}
}

// setWeight writes a full symmetric matrix into the lower blocks.
func (b *bench) setWeight(w [][]float64) {
	for r := range b.d.Weights {
		for c, t := range b.d.Weights[r] {
			out, n := b.m.Values(t), 0
			for i := b.start[r]; i < b.start[r+1]; i++ {
				for j := b.start[c]; j < b.start[c+1]; j++ {
					out[n] = w[i][j]
					n++
				}
			}
		}
	}
}

func (b *bench) logDensity(q []float64) (l float64) {
	b.set(q)
	b.m.Run([]Output{b.d.LogDensity}, func(_ *Output, _ []int, v float64) { l = v })
	return l
}

// vector evaluates one output per block.
func (b *bench) vector(outs []Output, q []float64) []float64 {
	b.set(q)
	g := make([]float64, b.dim())
	b.m.Run(outs, func(o *Output, idx []int, v float64) {
		i := b.start[o.Row]
		if len(idx) > 0 {
			i += idx[0] - 1
		}
		g[i] = v
	})
	return g
}

// position splits the indices of a matrix or Jacobian output.
func (b *bench) position(o *Output, idx []int) (i, j, k int) {
	take := func(block int) int {
		at := b.start[block]
		if !b.d.Params[block].Scalar() {
			at += idx[0] - 1
			idx = idx[1:]
		}
		return at
	}
	i = take(o.Row)
	if o.Banded {
		return i, i - o.Offset, 0
	}
	j = take(o.Col)
	if o.Dir >= 0 {
		k = take(o.Dir)
	}
	return i, j, k
}

// matrix evaluates the metric (or the Hessian under SoftAbs) in full.
func (b *bench) matrix(q []float64) [][]float64 {
	b.set(q)
	g := newMatrix(b.dim())
	b.m.Run(b.d.Matrix, func(o *Output, idx []int, v float64) {
		i, j, _ := b.position(o, idx)
		g[i][j] = v
		if o.Row != o.Col || o.Banded || o.Subs != nil {
			g[j][i] = v
		}
	})
	return g
}

// jacobian evaluates ∂B_ij/∂q_k as [k][i][j].
func (b *bench) jacobian(q []float64) [][][]float64 {
	b.set(q)
	out := make([][][]float64, b.dim())
	for k := range out {
		out[k] = newMatrix(b.dim())
	}
	if b.d.ByColumns {
		for _, row := range b.d.Weights {
			for _, t := range row {
				defer func(v, saved []float64) { copy(v, saved) }(b.m.Values(t), slices.Clone(b.m.Values(t)))
			}
		}
		for i := range b.dim() {
			for j := range i + 1 {
				w := newMatrix(b.dim())
				w[i][j] += 0.5
				w[j][i] += 0.5
				b.setWeight(w)
				for k, v := range b.vector(b.d.Contract, q) {
					out[k][i][j], out[k][j][i] = v, v
				}
			}
		}
		return out
	}
	b.m.Run(b.d.Jacobian, func(o *Output, idx []int, v float64) {
		i, j, k := b.position(o, idx)
		out[k][i][j] = v
		if o.Row != o.Col || o.Subs != nil {
			out[k][j][i] = v
		}
	})
	return out
}

func newMatrix(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// gradientOf is the finite difference gradient of a scalar function.
func gradientOf(f func(q []float64) float64, q []float64) []float64 {
	g := make([]float64, len(q))
	for k := range q {
		g[k] = naive.Derivative(func(x []float64) []float64 { return []float64{f(x)} }, q, k)[0]
	}
	return g
}

func flatten(m [][]float64) []float64 {
	var out []float64
	for _, r := range m {
		out = append(out, r...)
	}
	return out
}

func randomSymmetric(rng *rand.Rand, n int) [][]float64 {
	w := newMatrix(n)
	for i := range n {
		for j := range i + 1 {
			w[i][j] = rng.NormFloat64()
			w[j][i] = w[i][j]
		}
	}
	return w
}

// near reports whether two vectors agree to tol, relative to the largest entry
// (at least 1). NaN agrees with nothing.
func near(got, want []float64, tol float64) bool {
	scale := 1.0
	for _, v := range want {
		scale = max(scale, math.Abs(v))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tol*scale) {
			return false
		}
	}
	return len(got) == len(want)
}
