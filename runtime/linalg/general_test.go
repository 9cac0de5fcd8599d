package linalg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestGeneral: LU factors with rows exchanged are those of A, what is computed of them solves A X = B, and of a singular matrix nothing has a value.
func TestGeneral(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	for n := 1; n <= 7; n++ {
		m := 1 + n%3
		a, b := make([]float64, n*n), make([]float64, n*m)
		for i := range a {
			a[i] = rng.NormFloat64()
		}
		for i := range b {
			b[i] = rng.NormFloat64()
		}
		if n > 1 {
			a[0] = 0 // no pivot
		}
		lu, inv, x := make([]float64, (n+1)*n), make([]float64, n*n), make([]float64, n*m)
		FactoriseLU(lu, a)
		for i := range n {
			for j := range n {
				sum := 0.0
				for k := range min(i, j) + 1 {
					l := lu[i*n+k]
					if k == i {
						l = 1
					}
					sum += l * lu[k*n+j]
				}
				if want := a[int(lu[n*n+i])*n+j]; math.Abs(sum-want) > 1e-13 {
					t.Errorf("order %d: (L U)[%d,%d] is %v, of A with its rows exchanged %v", n, i, j, sum, want)
				}
			}
		}
		LUInverse(inv, lu)
		LUSolve(x, lu, b)
		for i := range n {
			for j := range max(n, m) {
				one, right := 0.0, 0.0
				for k := range n {
					if j < n {
						one += a[i*n+k] * inv[k*n+j]
					}
					if j < m {
						right += a[i*n+k] * x[k*m+j]
					}
				}
				if want := map[bool]float64{true: 1}[i == j]; j < n && math.Abs(one-want) > 1e-11 {
					t.Errorf("order %d: (A A⁻¹)[%d,%d] is %v", n, i, j, one)
				}
				if j < m && math.Abs(right-b[i*m+j]) > 1e-11 {
					t.Errorf("order %d: (A X)[%d,%d] is %v, not %v", n, i, j, right, b[i*m+j])
				}
			}
		}
		f := NewLU(n)
		f.Factor(a)
		if got, want := LogAbsDet(lu), math.Log(math.Abs(f.Det())); math.Abs(got-want) > 1e-12 {
			t.Errorf("order %d: log |det A| is %v, not %v", n, got, want)
		}
		copy(a[(n-1)*n:], a[:n]) // two rows that are the same, or one of 0
		if n == 1 {
			a[0] = 0
		}
		FactoriseLU(lu, a)
		LUInverse(inv, lu)
		LUSolve(x, lu, b)
		if !math.IsNaN(LogAbsDet(lu)) || !math.IsNaN(inv[0]) || !math.IsNaN(x[0]) {
			t.Errorf("order %d, singular: %v, %v, %v", n, LogAbsDet(lu), inv, x)
		}
	}
}
