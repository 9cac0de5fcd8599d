package kernel

import (
	"fmt"
	"math"
	"slices"
)

// maxTerms is the number of terms that a Combination has at most.
const maxTerms = 9

// Combination is a sum of rows of a matrix, each with a weight: what the stages of a Runge–Kutta method are made of.
type Combination struct {
	Weights [maxTerms]float64

	rows  [maxTerms]int
	terms int
	last  int // of the rows
}

// NewCombination returns the sum of rows, one to nine of them, with their weights.
func NewCombination(rows []int, weights []float64) *Combination {
	c := &Combination{terms: len(rows), last: slices.Max(rows)}
	if copy(c.rows[:], rows) < len(rows) || copy(c.Weights[:], weights) != len(rows) {
		panic(fmt.Sprintf("kernel: %d weights for %d rows", len(weights), len(rows)))
	}
	return c
}

// AddTo sets dst_i = y_i + Σ_j (h w_j) x_ji for the rows x_j of a matrix x whose rows have the length n of dst, one
// after the other. dst is another slice than y, and no part of x. The products are added in pairs, these in pairs and
// so on; of nine, the first six, and to these the last three.
func (c *Combination) AddTo(dst, y, x []float64, h float64) {
	n := len(dst)
	y, x = y[:n], x[:(c.last+1)*n]
	if path != portable && n >= 4 {
		vectorCombine(c, dst, y, x, h)
		return
	}
	var t [maxTerms][]float64
	var w [maxTerms]float64
	for j, r := range c.rows[:c.terms] {
		t[j], w[j] = x[r*n:][:n], float64(h*c.Weights[j])
	}
	switch c.terms {
	case 1:
		combine1(dst, y, &t, &w)
	case 2:
		combine2(dst, y, &t, &w)
	case 3:
		combine3(dst, y, &t, &w)
	case 4:
		combine4(dst, y, &t, &w)
	case 5:
		combine5(dst, y, &t, &w)
	case 6:
		combine6(dst, y, &t, &w)
	case 7:
		combine7(dst, y, &t, &w)
	case 8:
		combine8(dst, y, &t, &w)
	case 9:
		combine9(dst, y, &t, &w)
	}
}

// The scalar forms, one loop for each number of terms, so that the compiler keeps weights and pointers in
// registers and checks no subscripts.

func combine1(dst, y []float64, t *[maxTerms][]float64, w *[maxTerms]float64) {
	n := len(dst)
	y = y[:n]
	x1, f1 := t[0][:n], w[0]
	for i := range dst {
		dst[i] = y[i] + float64(f1*x1[i])
	}
}

func combine2(dst, y []float64, t *[maxTerms][]float64, w *[maxTerms]float64) {
	n := len(dst)
	y = y[:n]
	x1, x2 := t[0][:n], t[1][:n]
	f1, f2 := w[0], w[1]
	for i := range dst {
		dst[i] = y[i] + (float64(f1*x1[i]) + float64(f2*x2[i]))
	}
}

func combine3(dst, y []float64, t *[maxTerms][]float64, w *[maxTerms]float64) {
	n := len(dst)
	y = y[:n]
	x1, x2, x3 := t[0][:n], t[1][:n], t[2][:n]
	f1, f2, f3 := w[0], w[1], w[2]
	for i := range dst {
		dst[i] = y[i] + ((float64(f1*x1[i]) + float64(f2*x2[i])) + float64(f3*x3[i]))
	}
}

func combine4(dst, y []float64, t *[maxTerms][]float64, w *[maxTerms]float64) {
	n := len(dst)
	y = y[:n]
	x1, x2, x3, x4 := t[0][:n], t[1][:n], t[2][:n], t[3][:n]
	f1, f2, f3, f4 := w[0], w[1], w[2], w[3]
	for i := range dst {
		dst[i] = y[i] + ((float64(f1*x1[i]) + float64(f2*x2[i])) + (float64(f3*x3[i]) + float64(f4*x4[i])))
	}
}

func combine5(dst, y []float64, t *[maxTerms][]float64, w *[maxTerms]float64) {
	n := len(dst)
	y = y[:n]
	x1, x2, x3, x4, x5 := t[0][:n], t[1][:n], t[2][:n], t[3][:n], t[4][:n]
	f1, f2, f3, f4, f5 := w[0], w[1], w[2], w[3], w[4]
	for i := range dst {
		dst[i] = y[i] + (((float64(f1*x1[i]) + float64(f2*x2[i])) + (float64(f3*x3[i]) + float64(f4*x4[i]))) + float64(f5*x5[i]))
	}
}

func combine6(dst, y []float64, t *[maxTerms][]float64, w *[maxTerms]float64) {
	n := len(dst)
	y = y[:n]
	x1, x2, x3, x4, x5, x6 := t[0][:n], t[1][:n], t[2][:n], t[3][:n], t[4][:n], t[5][:n]
	f1, f2, f3, f4, f5, f6 := w[0], w[1], w[2], w[3], w[4], w[5]
	for i := range dst {
		dst[i] = y[i] + (((float64(f1*x1[i]) + float64(f2*x2[i])) + (float64(f3*x3[i]) + float64(f4*x4[i]))) +
			(float64(f5*x5[i]) + float64(f6*x6[i])))
	}
}

func combine7(dst, y []float64, t *[maxTerms][]float64, w *[maxTerms]float64) {
	n := len(dst)
	y = y[:n]
	x1, x2, x3, x4, x5, x6, x7 := t[0][:n], t[1][:n], t[2][:n], t[3][:n], t[4][:n], t[5][:n], t[6][:n]
	f1, f2, f3, f4, f5, f6, f7 := w[0], w[1], w[2], w[3], w[4], w[5], w[6]
	for i := range dst {
		dst[i] = y[i] + (((float64(f1*x1[i]) + float64(f2*x2[i])) + (float64(f3*x3[i]) + float64(f4*x4[i]))) +
			((float64(f5*x5[i]) + float64(f6*x6[i])) + float64(f7*x7[i])))
	}
}

func combine8(dst, y []float64, t *[maxTerms][]float64, w *[maxTerms]float64) {
	n := len(dst)
	y = y[:n]
	x1, x2, x3, x4, x5, x6, x7, x8 := t[0][:n], t[1][:n], t[2][:n], t[3][:n], t[4][:n], t[5][:n], t[6][:n], t[7][:n]
	f1, f2, f3, f4, f5, f6, f7, f8 := w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]
	for i := range dst {
		dst[i] = y[i] + (((float64(f1*x1[i]) + float64(f2*x2[i])) + (float64(f3*x3[i]) + float64(f4*x4[i]))) +
			((float64(f5*x5[i]) + float64(f6*x6[i])) + (float64(f7*x7[i]) + float64(f8*x8[i]))))
	}
}

func combine9(dst, y []float64, t *[maxTerms][]float64, w *[maxTerms]float64) {
	n := len(dst)
	y = y[:n]
	x1, x2, x3, x4, x5, x6, x7, x8, x9 := t[0][:n], t[1][:n], t[2][:n], t[3][:n], t[4][:n], t[5][:n], t[6][:n], t[7][:n], t[8][:n]
	f1, f2, f3, f4, f5, f6, f7, f8, f9 := w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8]
	for i := range dst {
		dst[i] = y[i] + ((((float64(f1*x1[i]) + float64(f2*x2[i])) + (float64(f3*x3[i]) + float64(f4*x4[i]))) +
			(float64(f5*x5[i]) + float64(f6*x6[i]))) + ((float64(f7*x7[i]) + float64(f8*x8[i])) + float64(f9*x9[i])))
	}
}

// LargestScaled returns max|a_i r_i| and max|b_i r_i| with r_i = 1/(atol + rtol max(|y_i|, |z_i|)), for slices of one
// length: the norms of two estimates of the error of a step from y to z. Where something is NaN, so is one of them at
// least; atol is positive.
func LargestScaled(a, b, y, z []float64, atol, rtol float64) (float64, float64) {
	n := len(a)
	b, y, z = b[:n], y[:n], z[:n]
	if path != portable && n >= 4 {
		return vectorLargestScaled(a, b, y, z, atol, rtol)
	}
	// Without the sign, the bits of numbers are ordered like their magnitudes, and those of a NaN are above all.
	p, q := uint64(0), uint64(0)
	for i, v := range a {
		size := math.Float64frombits(max(magnitude(y[i]), magnitude(z[i])))
		r := 1 / (atol + float64(rtol*size))
		p = max(p, magnitude(float64(v*r)))
		q = max(q, magnitude(float64(b[i]*r)))
	}
	return math.Float64frombits(p), math.Float64frombits(q)
}

// magnitude returns the bits of |x|.
func magnitude(x float64) uint64 { return math.Float64bits(x) &^ (1 << 63) }
