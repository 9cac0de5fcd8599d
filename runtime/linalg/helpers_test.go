package linalg

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// close demands |got − want| ≤ tolerance · max(1, |want|∞) of every entry.
func close(t *testing.T, name string, got, want []float64, tolerance float64) {
	t.Helper()
	scale := 1.0
	for _, v := range want {
		scale = max(scale, math.Abs(v))
	}
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= tolerance*scale) {
			t.Errorf("%s: entry %d is %v, want %v (off by %.2g)", name, i, got[i], v, math.Abs(got[i]-v)/scale)
			return
		}
	}
}

// symmetric returns A = Q diag(values) Qᵀ for a random orthogonal Q.
func symmetric(rng *rand.Rand, values []float64) []float64 {
	n := len(values)
	var qr mat.QR
	qr.Factorize(mat.NewDense(n, n, normals(rng, n*n)))
	var q, qd, a mat.Dense
	qr.QTo(&q)
	qd.Mul(&q, mat.NewDiagDense(n, values))
	a.Mul(&qd, q.T())
	out := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			out[i*n+j] = 0.5 * (a.At(i, j) + a.At(j, i))
			out[j*n+i] = out[i*n+j]
		}
	}
	return out
}

func normals(rng *rand.Rand, n int) []float64 {
	a := make([]float64, n)
	for i := range a {
		a[i] = rng.NormFloat64()
	}
	return a
}

// lowerOnly returns the n × n matrix a with NaN above the diagonal.
func lowerOnly(a []float64, n int) []float64 {
	b := append([]float64(nil), a...)
	for i := range n {
		for j := i + 1; j < n; j++ {
			b[i*n+j] = math.NaN()
		}
	}
	return b
}

// product returns the product of two n × n matrices.
func product(n int, a, b []float64) []float64 {
	var c mat.Dense
	c.Mul(mat.NewDense(n, n, a), mat.NewDense(n, n, b))
	return c.RawMatrix().Data
}

// transpose returns the transpose of an n × n matrix.
func transpose(n int, a []float64) []float64 {
	return mat.DenseCopyOf(mat.NewDense(n, n, a).T()).RawMatrix().Data
}

// inner returns ⟨a, b⟩ = Σ_i a_i b_i.
func inner(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}
