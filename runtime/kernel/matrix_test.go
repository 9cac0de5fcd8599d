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

func TestProducts(t *testing.T) { onAllPaths(t, testProducts) }

func testProducts(t *testing.T) {
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

			got, intact = guarded(k * k)
			WeightedGram(got, &x, c)
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
			QuadForms(got, &x, w)
			compare(t, "QuadForms", n, k, got, forms, k*k)
			if !intact() {
				t.Errorf("QuadForms, %d × %d: wrote behind dst", n, k)
			}
		}
	}
}

// TestDefinition demands the bits that the doc comments define, for all shapes, with slices
// that begin anywhere, and with infinities and NaNs at random places.
func TestDefinition(t *testing.T) {
	onAllPaths(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		special := []float64{inf, -inf, nan, 0, negativeZero, 5e-324, math.MaxFloat64}
		for _, n := range append([]int{6, 10, 15, 16, 17, 23, 24, 25, 31, 33, 40, 64, 65, 519, 521, 1024}, rowCounts...) {
			for _, k := range append([]int{16, 17, 25}, colCounts...) {
				for _, spoilt := range []bool{false, true} {
					operand := func(n int) []float64 {
						a := fill(rng, n)
						if spoilt && n > 0 {
							a[rng.IntN(n)] = special[rng.IntN(len(special))]
						}
						offset := rng.IntN(8)
						return append(make([]float64, offset), a...)[offset:]
					}
					data, b, c, w := operand(n*k), operand(k), operand(n), operand(k*k)
					x := NewMatrix(n, k, data)
					check := func(name string, f func(dst []float64), want []float64) {
						t.Helper()
						offset := rng.IntN(8)
						all, intact := guarded(offset + len(want))
						got := all[offset:]
						f(got)
						for i, v := range got {
							if !sameBits(v, want[i]) && !(math.IsNaN(v) && math.IsNaN(want[i])) {
								t.Fatalf("%s, %d × %d: entry %d is %x, want %x", name, n, k, i, v, want[i])
							}
						}
						for _, v := range all[:offset] {
							if !math.IsNaN(v) {
								t.Fatalf("%s, %d × %d: wrote before dst", name, n, k)
							}
						}
						if !intact() {
							t.Fatalf("%s, %d × %d: wrote behind dst", name, n, k)
						}
					}
					product, forms := make([]float64, n), make([]float64, n)
					for i := range n {
						row := data[i*k:][:k]
						for j, v := range row {
							product[i] += float64(v * b[j])
							sum := 0.0
							for l, u := range row[:j] {
								sum += float64(w[j*k+l] * u)
							}
							forms[i] += float64((2*sum + float64(w[j*k+j]*v)) * v)
						}
					}
					transposed, moments := make([]float64, k), make([]float64, k*k)
					for j := range k {
						transposed[j] = eightSums(n, func(i int) float64 { return c[i] * data[i*k+j] })
						for l := range j + 1 {
							moments[j*k+l] = eightSums(n, func(i int) float64 { return c[i] * data[i*k+j] * data[i*k+l] })
							moments[l*k+j] = moments[j*k+l]
						}
					}
					check("MulVec", func(dst []float64) { MulVec(dst, &x, b) }, product)
					check("QuadForms", func(dst []float64) { QuadForms(dst, &x, w) }, forms)
					check("MulTVec", func(dst []float64) { MulTVec(dst, &x, c) }, transposed)
					check("WeightedGram", func(dst []float64) { WeightedGram(dst, &x, c) }, moments)
				}
			}
		}
	})
}

// eightSums returns the sum of n terms as the package sums over rows: in blocks of
// 512, of which each is eight sums.
func eightSums(n int, term func(i int) float64) float64 {
	total := 0.0
	for lo := 0; lo < n; lo += 512 {
		var s [8]float64
		for i := lo; i < min(lo+512, n); i++ {
			s[i%8] += term(i)
		}
		total += s[0] + s[4] + (s[2] + s[6]) + (s[1] + s[5] + (s[3] + s[7]))
	}
	return total
}

// TestNonFinite checks that a NaN in the data reaches every result that
// depends on it, in all positions of the unrolled loops.
func TestNonFinite(t *testing.T) { onAllPaths(t, testNonFinite) }

func testNonFinite(t *testing.T) {
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
	for at := range n {
		w, gram := make([]float64, n), make([]float64, k*k)
		w[at] = math.NaN()
		WeightedGram(gram, &x, w)
		for i, v := range gram {
			if !math.IsNaN(v) {
				t.Errorf("NaN in weight %d lost by entry %d of the Gram matrix", at, i)
			}
		}
	}
	for at := range k * k {
		w, rows := make([]float64, k*k), make([]float64, n)
		w[at], w[at%k*k+at/k] = math.NaN(), math.NaN()
		QuadForms(rows, &x, w)
		for i, v := range rows {
			if !math.IsNaN(v) {
				t.Errorf("NaN in entry %d of W lost by quadratic form %d", at, i)
			}
		}
	}
}

// TestSameBits compares the bits of all results with those first obtained on
// amd64: no fused multiply-add and no other order of summation may change
// them, on any architecture.
func TestSameBits(t *testing.T) { onAllPaths(t, testSameBits) }

func testSameBits(t *testing.T) {
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
	Log1p(out, wide)
	record("Log1p", out...)
	InvLogit(out, wide)
	record("InvLogit", out...)
	Log1pExp(out, wide)
	record("Log1pExp", out...)
	record("SumLog1pExp", SumLog1pExp(wide))
	const want = `MulVec fa230a46e57dd70e
MulTVec 1654460544684122
QuadForms b5bf5b23df2ce62c
WeightedGram a85354b5c08c48f2
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

func TestAllocations(t *testing.T) { onAllPaths(t, testAllocations) }

func testAllocations(t *testing.T) {
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
