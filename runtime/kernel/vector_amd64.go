//go:build !purego

package kernel

import "math"

// best returns the best instruction set that the processor has and whose
// registers the operating system saves.
func best() instructions {
	const (
		osxsave = 1 << 27 // ecx of leaf 1: there is xgetbv

		hasAVX2   = 1 << 5                          // ebx of leaf 7
		hasAVX512 = hasAVX2 | 1<<16 | 1<<17 | 1<<31 // F, DQ, VL

		savesYMM = 1<<1 | 1<<2 // xgetbv
		savesZMM = savesYMM | 1<<5 | 1<<6 | 1<<7
	)
	if leaves, _, _, _ := cpuid(0, 0); leaves < 7 {
		return portable
	}
	if _, _, c, _ := cpuid(1, 0); c&osxsave == 0 {
		return portable
	}
	_, has, _, _ := cpuid(7, 0)
	saves := xgetbv()
	switch {
	case has&hasAVX512 == hasAVX512 && saves&savesZMM == savesZMM:
		return avx512
	case has&hasAVX2 == hasAVX2 && saves&savesYMM == savesYMM:
		return avx2
	}
	return portable
}

// vectors sets dst_i = f(a_i) for i < done: for all i, or those before a
// vector with an argument that is not plain. len(dst) and len(a) are equal.
func vectors(f function, dst, a []float64) (done int) {
	if path == avx512 {
		switch f {
		case exponential:
			return expAVX512(dst, a)
		case logarithm:
			return logAVX512(dst, a)
		case logOnePlus:
			return log1pAVX512(dst, a)
		case inverseLogit:
			return invLogitAVX512(dst, a)
		default:
			return log1pExpAVX512(dst, a)
		}
	}
	switch f {
	case exponential:
		return expAVX2(dst, a)
	case logarithm:
		return logAVX2(dst, a)
	case logOnePlus:
		return log1pAVX2(dst, a)
	case inverseLogit:
		return invLogitAVX2(dst, a)
	default:
		return log1pExpAVX2(dst, a)
	}
}

// vectorProducts does what products does with a_i for i < done, which eight
// divides: less than eight are left, or there is one that is not plain.
func vectorProducts(p, s *[8]float64, a []float64) (done int) {
	if path == avx512 {
		return productsAVX512(p, s, a)
	}
	return productsAVX2(p, s, a)
}

// vectorForms is forms for a block.
func vectorForms(f form, dst []float64, panels []column, coefficients []float64, k int) {
	switch {
	case path == avx512 && f == linear:
		linearFormsAVX512(dst, panels, coefficients)
	case path == avx512:
		quadraticFormsAVX512(dst, panels, coefficients, k)
	case f == linear:
		linearFormsAVX2(dst, panels, coefficients)
	default:
		quadraticFormsAVX2(dst, panels, coefficients, k)
	}
}

// vectorMoments adds the moments of a block of k columns to dst.
func vectorMoments(m moment, dst []float64, block []column, w []float64, k int) {
	switch {
	case path == avx512 && m == firstMoment:
		firstMomentsAVX512(dst, block, w)
	case path == avx512:
		secondMomentsAVX512(dst, block, w, k)
	case m == firstMoment:
		firstMomentsAVX2(dst, block, w)
	default:
		secondMomentsAVX2(dst, block, w, k)
	}
}

// vectorCombine is AddTo of at least four elements.
func vectorCombine(c *Combination, dst, y, x []float64, h float64) {
	switch d, y, x, n := &dst[0], &y[0], &x[0], len(dst); c.terms {
	case 1:
		combine1AVX2(d, y, x, n, &c.rows, &c.Weights, h)
	case 2:
		combine2AVX2(d, y, x, n, &c.rows, &c.Weights, h)
	case 3:
		combine3AVX2(d, y, x, n, &c.rows, &c.Weights, h)
	case 4:
		combine4AVX2(d, y, x, n, &c.rows, &c.Weights, h)
	case 5:
		combine5AVX2(d, y, x, n, &c.rows, &c.Weights, h)
	case 6:
		combine6AVX2(d, y, x, n, &c.rows, &c.Weights, h)
	case 7:
		combine7AVX2(d, y, x, n, &c.rows, &c.Weights, h)
	case 8:
		combine8AVX2(d, y, x, n, &c.rows, &c.Weights, h)
	case 9:
		combine9AVX2(d, y, x, n, &c.rows, &c.Weights, h)
	}
}

// vectorLargestScaled is LargestScaled of at least four elements.
func vectorLargestScaled(a, b, y, z []float64, atol, rtol float64) (p, q float64) {
	var out [3][4]float64
	largestScaledAVX2(a, b, y, z, atol, rtol, &out)
	for i, v := range out[0] {
		if math.Float64bits(out[2][i]) != 0 {
			return math.NaN(), math.NaN()
		}
		p, q = max(p, v), max(q, out[1][i])
	}
	return p, q
}

// vectorAddRows is AddRows of at least one element and row, from the places given.
func vectorAddRows(dst []float64, f *float64, fStep int, b *float64, bStep, k int) {
	if path == avx512 {
		addRowsAVX512(&dst[0], len(dst), f, fStep, b, bStep, k)
		return
	}
	addRowsAVX2(&dst[0], len(dst), f, fStep, b, bStep, k)
}

// vectorSubtractRows is SubtractRows of at least one element and row, from the places given.
func vectorSubtractRows(dst []float64, f *float64, fStep int, b *float64, bStep, k int) {
	if path == avx512 {
		subtractRowsAVX512(&dst[0], len(dst), f, fStep, b, bStep, k)
		return
	}
	subtractRowsAVX2(&dst[0], len(dst), f, fStep, b, bStep, k)
}
