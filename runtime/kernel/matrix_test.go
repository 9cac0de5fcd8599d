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
			got, intact = guarded(k * k)
			WeightedGram(got, &x, c)
			compare(t, "WeightedGram", n, k, got, product(k, n, k, transposed, weighted), n)
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

			w := fill(rng, k*k)
			for i := range k {
				for j := range i {
					w[j*k+i] = w[i*k+j]
				}
			}
			xw, want := product(n, k, k, data, w), make([]float64, n)
			for i := range want {
				for j := range k {
					want[i] += xw[i*k+j] * data[i*k+j]
				}
			}
			got, intact = guarded(n)
			QuadForms(got, &x, w)
			compare(t, "QuadForms", n, k, got, want, k*k)
			if !intact() {
				t.Errorf("QuadForms, %d × %d: wrote behind dst", n, k)
			}
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
	wide := fill(rng, 4000)
	for i := range wide {
		wide[i] *= 30
	}
	out := make([]float64, len(wide))
	Exp(out, wide)
	record("Exp", out...)
	Log(out, out)
	record("Log", out...)
	InvLogit(out, wide)
	record("InvLogit", out...)
	Log1pExp(out, wide)
	record("Log1pExp", out...)
	record("SumLog1pExp", SumLog1pExp(wide))
	const want = `MulVec fa230a46e57dd70e
MulTVec bcc2d37429d25b32
QuadForms fd61593051dfc741
WeightedGram 08f3ebc89229eb8e
Exp f1f8493204a0e4d6
Log cacfa5bf2ce63dec
InvLogit 1b48965c801c38c2
Log1pExp 2ff847056e51df95
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
