package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// spectra are eigenvalues of matrices of order n: random, clustered, equal,
// graded, of rank one, symmetric about zero.
var spectra = []struct {
	name  string
	value func(rng *rand.Rand, i, n int) float64
}{
	{"random", func(rng *rand.Rand, i, n int) float64 { return rng.NormFloat64() }},
	{"equal", func(rng *rand.Rand, i, n int) float64 { return -2.5 }},
	{"all but two equal", func(rng *rand.Rand, i, n int) float64 { return []float64{-4.4, 0.046, -0.05}[min(i, 2)] }},
	{"two clusters", func(rng *rand.Rand, i, n int) float64 { return float64(i%2) + 1e-10*rng.NormFloat64() }},
	{"graded", func(rng *rand.Rand, i, n int) float64 { return math.Pow(10, -float64(i)) }},
	{"rank one", func(rng *rand.Rand, i, n int) float64 { return []float64{3, 0}[min(i, 1)] }},
	{"pairs", func(rng *rand.Rand, i, n int) float64 { return float64(1+i/2) * float64(1-2*(i%2)) }},
	{"zero", func(rng *rand.Rand, i, n int) float64 { return 0 }},
}

// checkEigen factorises a and checks A = Q diag(λ) Qᵀ, QᵀQ = 1, the order of
// the eigenvalues and, against gonum, their values.
func checkEigen(t *testing.T, name string, n int, a []float64) {
	t.Helper()
	e := NewSymEigen(n)
	read := lowerOnly(a, n)
	if out := e.Factor(read); out != Factored {
		t.Fatalf("%s: %v", name, out)
	}
	largest := 0.0
	for _, v := range a {
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 {
		largest = 1
	}
	// Eigenvalues may be subnormal numbers, which have fewer digits.
	tolerance := 2e-15*float64(n) + float64(n)*5e-324/largest
	// Scaled to order one, exactly.
	scaled, values := slices.Clone(a), slices.Clone(e.Values)
	_, exponent := math.Frexp(largest)
	for i := range scaled {
		scaled[i] = math.Ldexp(scaled[i], -exponent)
	}
	for i := range values {
		values[i] = math.Ldexp(values[i], -exponent)
	}
	var want mat.EigenSym
	if !want.Factorize(mat.NewSymDense(n, scaled), false) {
		t.Fatalf("%s: gonum fails", name)
	}
	close(t, name+": eigenvalues", values, want.Values(nil), tolerance)
	if !slices.IsSorted(e.Values) {
		t.Errorf("%s: eigenvalues not ascending: %v", name, e.Values)
	}
	identity := make([]float64, n*n)
	for i := range n {
		identity[i*n+i] = 1
	}
	close(t, name+": QᵀQ", product(n, e.Vectors, transpose(n, e.Vectors)), identity, tolerance)
	lq := slices.Clone(e.Vectors)
	for i := range lq {
		lq[i] *= values[i/n]
	}
	close(t, name+": Q diag(λ) Qᵀ", product(n, transpose(n, e.Vectors), lq), scaled, tolerance)
}

func TestSymEigen(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for n := 1; n <= 24; n++ {
		for _, s := range spectra {
			values := make([]float64, n)
			for i := range values {
				values[i] = s.value(rng, i, n)
			}
			a := symmetric(rng, values)
			checkEigen(t, fmt.Sprintf("%s, n = %d", s.name, n), n, a)
			diagonal := make([]float64, n*n)
			for i, v := range values {
				diagonal[i*n+i] = v
			}
			checkEigen(t, fmt.Sprintf("%s, diagonal, n = %d", s.name, n), n, diagonal)
		}
		for range 20 {
			checkEigen(t, fmt.Sprintf("funnel, n = %d", n), n, arrow(n, rng))
		}
	}
	for _, scale := range []float64{1e300, 1e150, 1e101, 1e-99, 1e-150, 1e-200, 1e-307, 1e-315} {
		for _, n := range []int{2, 5, 11} {
			a := symmetric(rng, normals(rng, n))
			for i := range a {
				a[i] *= scale
			}
			checkEigen(t, fmt.Sprintf("scale %g, n = %d", scale, n), n, a)
		}
	}
	// Entries whose squares vanish beside large ones, and zero diagonals.
	checkEigen(t, "tiny", 3, []float64{1, 1e-170, 1e-160, 1e-170, 2, 1e-165, 1e-160, 1e-165, 1})
	checkEigen(t, "swap", 2, []float64{0, 1, 1, 0})
	checkEigen(t, "tiny swap", 3, []float64{0, 1e-160, 0, 1e-160, 0, 1e-161, 0, 1e-161, 1})
	checkEigen(t, "path", 5, []float64{0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0})
}

func TestSymEigenOutcomes(t *testing.T) {
	if out := NewSymEigen(0).Factor(nil); out != Factored {
		t.Errorf("order 0: %v", out)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for i := range 3 {
			for j := range i + 1 {
				a := []float64{1, 0, 0, 0, 2, 0, 0, 0, 3}
				a[i*3+j] = bad
				if out := NewSymEigen(3).Factor(a); out != NonFinite {
					t.Errorf("%v at %d, %d: %v", bad, i, j, out)
				}
			}
		}
	}
	m := math.MaxFloat64
	if out := NewSymEigen(2).Factor([]float64{m, m, m, m}); out != NonFinite {
		t.Errorf("eigenvalue above MaxFloat64: %v", out)
	}
}
