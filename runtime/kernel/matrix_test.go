package kernel

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// sizes are the shapes tested: empty, one, around the unrolled lengths, the
// odd ones between, and around the block of rows.
var (
	rowCounts = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 50, 511, 512, 513, 1100}
	colCounts = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 20, 21}
)

// fill returns n reproducible numbers in (−1, 1), with the same bits on every
// architecture.
func fill(rng *rand.Rand, n int) []float64 {
	a := make([]float64, n)
	for i := range a {
		a[i] = 2*rng.Float64() - 1
	}
	return a
}

// guarded returns a slice of n NaNs, with a check that nothing was written
// behind it.
func guarded(n int) (a []float64, intact func() bool) {
	all := make([]float64, n+8)
	for i := range all {
		all[i] = math.NaN()
	}
	return all[:n], func() bool {
		for _, v := range all[n:] {
			if !math.IsNaN(v) {
				return false
			}
		}
		return true
	}
}

// product returns a·b by gonum; a is r × s, b is s × c.
func product(r, s, c int, a, b []float64) []float64 {
	if r*s*c == 0 {
		return make([]float64, r*c)
	}
	var p mat.Dense
	p.Mul(mat.NewDense(r, s, a), mat.NewDense(s, c, b))
	return p.RawMatrix().Data
}

// compare demands |got − want| ≤ 1e-14 · scale; no entry of X, b, c, w is
// larger than 1 in absolute value, so the scale is the number of terms.
func compare(t *testing.T, name string, n, k int, got, want []float64, terms int) {
	t.Helper()
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= 1e-15*float64(terms+1)) {
			t.Fatalf("%s, %d × %d: entry %d is %v, want %v", name, n, k, i, v, want[i])
		}
	}
}

func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range rowCounts {
		for _, k := range colCounts {
			data := fill(rng, n*k)
			x := NewMatrix(n, k, data)
			transposed := make([]float64, n*k)
			for i := range n {
				for j := range k {
					transposed[j*n+i] = data[i*k+j]
				}
			}
			b, c := fill(rng, k), fill(rng, n)

			got, intact := guarded(n)
			MulVec(got, &x, b)
			compare(t, "MulVec", n, k, got, product(n, k, 1, data, b), k)
			if !intact() {
				t.Errorf("MulVec, %d × %d: wrote behind dst", n, k)
			}

			got, intact = guarded(k)
			MulTVec(got, &x, c)
			compare(t, "MulTVec", n, k, got, product(k, n, 1, transposed, c), n)
			if !intact() {
				t.Errorf("MulTVec, %d × %d: wrote behind dst", n, k)
			}

			weighted := make([]float64, n*k)
			for i := range weighted {
				weighted[i] = c[i/k] * data[i]
			}
			gram := product(k, n, k, transposed, weighted)

			w := fill(rng, k*k)
			for i := range k {
				for j := range i {
					w[j*k+i] = w[i*k+j]
				}
			}
			xw, forms := product(n, k, k, data, w), make([]float64, n)
			for i := range forms {
				for j := range k {
					forms[i] += xw[i*k+j] * data[i*k+j]
				}
			}

			for _, y := range []Matrix{x, withoutPairs(x)} {
				got, intact = guarded(k * k)
				WeightedGram(got, &y, c)
				compare(t, "WeightedGram", n, k, got, gram, n)
				for i := range k {
					for j := range k {
						if got[i*k+j] != got[j*k+i] {
							t.Fatalf("WeightedGram, %d × %d: not symmetric at %d, %d", n, k, i, j)
						}
					}
				}
				if !intact() {
					t.Errorf("WeightedGram, %d × %d: wrote behind dst", n, k)
				}

				got, intact = guarded(n)
				QuadForms(got, &y, w)
				compare(t, "QuadForms", n, k, got, forms, k*k)
				if !intact() {
					t.Errorf("QuadForms, %d × %d: wrote behind dst", n, k)
				}
			}
		}
	}
}

// withoutPairs returns x without the products of its columns.
func withoutPairs(x Matrix) Matrix {
	x.pairs = nil
	return x
}

// TestPairs checks which matrices have products of columns: those that are
// small, and have no entry whose products overflow or lose digits.
func TestPairs(t *testing.T) {
	for _, c := range []struct {
		n, k int
		v    float64
		want bool
	}{
		{569, 10, 1, true},
		{2383, 10, 1, true}, // 131065 products
		{2384, 10, 1, false},
		{624, 20, 1, true},
		{1, 20, 0, true},
		{1, 21, 1, false},
		{1, 10, 0x1p500, true},
		{1, 10, 0x1.8p500, false},
		{1, 10, -0x1p-500, true},
		{1, 10, -0x1.8p-501, false},
		{1, 10, math.Inf(-1), false},
		{1, 10, math.NaN(), false},
	} {
		data := make([]float64, c.n*c.k)
		if len(data) > 0 {
			data[len(data)-1] = c.v
		}
		if x := NewMatrix(c.n, c.k, data); (x.pairs != nil) != c.want {
			t.Errorf("%d × %d with an entry %v: products %v, want %v", c.n, c.k, c.v, x.pairs != nil, c.want)
		}
	}
	// (2⁵¹⁵)² 2⁻¹⁰⁰⁰ and (2⁻⁵⁴⁰)² 2¹⁰⁰⁰ are no extreme numbers, but the squares
	// are none at all.
	for _, c := range []struct{ x, w float64 }{{0x1p515, 0x1p-1000}, {0x1p-540, 0x1p1000}} {
		x, got, want := NewMatrix(1, 1, []float64{c.x}), []float64{0}, c.w*c.x*c.x
		if WeightedGram(got, &x, []float64{c.w}); got[0] != want {
			t.Errorf("WeightedGram: %v, want %v", got[0], want)
		}
		if QuadForms(got, &x, []float64{c.w}); got[0] != want {
			t.Errorf("QuadForms: %v, want %v", got[0], want)
		}
	}
}

// TestNonFinite checks that a NaN in the data reaches every result that
// depends on it, in all positions of the unrolled loops.
func TestNonFinite(t *testing.T) {
	const n, k = 9, 7
	for at := range n * k {
		data := make([]float64, n*k)
		data[at] = math.NaN()
		i, j := at/k, at%k
		x := NewMatrix(n, k, data)
		rows, cols := make([]float64, n), make([]float64, k)
		MulVec(rows, &x, make([]float64, k))
		MulTVec(cols, &x, make([]float64, n))
		if !math.IsNaN(rows[i]) || !math.IsNaN(cols[j]) {
			t.Errorf("NaN at %d, %d lost by a product", i, j)
		}
		QuadForms(rows, &x, make([]float64, k*k))
		gram := make([]float64, k*k)
		WeightedGram(gram, &x, make([]float64, n))
		if !math.IsNaN(rows[i]) || !math.IsNaN(gram[j*k]) || !math.IsNaN(gram[k-1+j*k]) {
			t.Errorf("NaN at %d, %d lost by a quadratic form", i, j)
		}
	}
	data := make([]float64, n*k)
	x := NewMatrix(n, k, data)
	for _, y := range []Matrix{x, withoutPairs(x)} {
		for at := range n {
			w, gram := make([]float64, n), make([]float64, k*k)
			w[at] = math.NaN()
			WeightedGram(gram, &y, w)
			for i, v := range gram {
				if !math.IsNaN(v) {
					t.Errorf("NaN in weight %d lost by entry %d of the Gram matrix", at, i)
				}
			}
		}
		for at := range k * k {
			w, rows := make([]float64, k*k), make([]float64, n)
			w[at], w[at%k*k+at/k] = math.NaN(), math.NaN()
			QuadForms(rows, &y, w)
			for i, v := range rows {
				if !math.IsNaN(v) {
					t.Errorf("NaN in entry %d of W lost by quadratic form %d", at, i)
				}
			}
		}
	}
}

// TestSameBits compares the bits of all results with those first obtained on
// amd64: no fused multiply-add and no other order of summation may change
// them, on any architecture.
func TestSameBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n, k = 569, 11
	x := NewMatrix(n, k, fill(rng, n*k))
	b, w := fill(rng, k), fill(rng, k*k)
	rows, cols, gram := make([]float64, n), make([]float64, k), make([]float64, k*k)
	got := ""
	record := func(name string, a ...float64) {
		h := fnv.New64a()
		for _, v := range a {
			fmt.Fprintf(h, "%x ", math.Float64bits(v))
		}
		got += fmt.Sprintf("%s %016x\n", name, h.Sum64())
	}
	MulVec(rows, &x, b)
	record("MulVec", rows...)
	MulTVec(cols, &x, rows)
	record("MulTVec", cols...)
	QuadForms(rows, &x, w)
	record("QuadForms", rows...)
	WeightedGram(gram, &x, rows)
	record("WeightedGram", gram...)
	y := withoutPairs(x)
	QuadForms(rows, &y, w)
	record("QuadForms, no products", rows...)
	WeightedGram(gram, &y, rows)
	record("WeightedGram, no products", gram...)
	wide := fill(rng, 4000)
	for i := range wide {
		wide[i] *= 30
	}
	out := make([]float64, len(wide))
	Exp(out, wide)
	record("Exp", out...)
	Log(out, out)
	record("Log", out...)
	Log1p(out, wide)
	record("Log1p", out...)
	InvLogit(out, wide)
	record("InvLogit", out...)
	Log1pExp(out, wide)
	record("Log1pExp", out...)
	record("SumLog1pExp", SumLog1pExp(wide))
	const want = `MulVec fa230a46e57dd70e
MulTVec c27c3e19be7a0af4
QuadForms 31d459833b36e13b
WeightedGram eb35329725b669aa
QuadForms, no products fd61593051dfc741
WeightedGram, no products 08f3ebc89229eb8e
Exp 9e95ca1f41495d86
Log dbbbfcb36631f8e5
Log1p 4eea9bf1786dc275
InvLogit b3771dbaf4b81f03
Log1pExp 8c5f696e563ec9ee
SumLog1pExp 86e3b4acc5514309
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestAllocations(t *testing.T) {
	const n, k = 600, 11
	x := NewMatrix(n, k, make([]float64, n*k))
	rows, cols, gram := make([]float64, n), make([]float64, k), make([]float64, k*k)
	if a := testing.AllocsPerRun(10, func() {
		MulVec(rows, &x, cols)
		InvLogit(rows, rows)
		Log1pExp(rows, rows)
		Exp(rows, rows)
		Log(rows, rows)
		rows[0] = SumLog1pExp(rows)
		WeightedGram(gram, &x, rows)
		QuadForms(rows, &x, gram)
		MulTVec(cols, &x, rows)
	}); a != 0 {
		t.Errorf("%v allocations per evaluation", a)
	}
}
