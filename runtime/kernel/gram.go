package kernel

// blockRows is the number of rows of X that a tile passes over at a time, so
// that what it reads stays in the first-level cache, and all columns in the
// second.
const blockRows = 512

// WeightedGram computes dst = Xᵀ diag(w) X: dst_jl = Σ_i w_i x_ij x_il, for
// w[Rows] and dst[Cols·Cols], the full symmetric matrix. With products of
// columns (see newPairs) the terms are added two by two, else one by one within
// blocks of 512 rows, then block by block.
func WeightedGram(dst []float64, x *Matrix, w []float64) {
	n, k := x.Rows, x.Cols
	dst, w = dst[:k*k], w[:n]
	if x.pairs != nil {
		gramPairs(dst, x, w)
	} else {
		clear(dst)
		for lo := 0; lo < n; lo += blockRows {
			gramBlock(dst, x, w, lo, min(lo+blockRows, n))
		}
	}
	for j := range k {
		for l := range j {
			dst[l*k+j] = dst[j*k+l]
		}
	}
}

// gramBlock adds the terms of the rows lo … hi−1 of x to the lower triangle
// of dst, and to entries next to the diagonal that have no meaning.
func gramBlock(dst []float64, x *Matrix, w []float64, lo, hi int) {
	n, k := x.Rows, x.Cols
	w = w[lo:hi]
	col := func(j int) []float64 { return x.ColMajor[j*n+lo : j*n+hi] }
	// Two rows of dst at a time, in tiles three and two columns wide: six
	// sums and their factors are what fits in the registers.
	j := 0
	for ; j+2 <= k; j += 2 {
		a, b := col(j), col(j+1)
		da, db := dst[j*k:][:j+2], dst[(j+1)*k:][:j+2]
		for l := 0; l < len(da); {
			switch len(da) - l {
			case 2, 4:
				gram22(da[l:], db[l:], w, a, b, col(l), col(l+1))
				l += 2
			default:
				gram23(da[l:], db[l:], w, a, b, col(l), col(l+1), col(l+2))
				l += 3
			}
		}
	}
	if j < k {
		a, da := col(j), dst[j*k:]
		l := 0
		for ; l+4 <= k; l += 4 {
			gram14(da[l:], w, a, col(l), col(l+1), col(l+2), col(l+3))
		}
		for ; l < k; l++ {
			gram11(da[l:], w, a, col(l))
		}
	}
}

// gram23 adds Σ_i w_i a_i c_i to da and Σ_i w_i b_i c_i to db, for the three
// columns c.
func gram23(da, db, w, a, b, c0, c1, c2 []float64) {
	a, b = a[:len(w)], b[:len(w)]
	c0, c1, c2 = c0[:len(w)], c1[:len(w)], c2[:len(w)]
	var a0, a1, a2, b0, b1, b2 float64
	for i, f := range w {
		u, v := float64(f*a[i]), float64(f*b[i])
		a0 += float64(u * c0[i])
		b0 += float64(v * c0[i])
		a1 += float64(u * c1[i])
		b1 += float64(v * c1[i])
		a2 += float64(u * c2[i])
		b2 += float64(v * c2[i])
	}
	da[0] += a0
	da[1] += a1
	da[2] += a2
	db[0] += b0
	db[1] += b1
	db[2] += b2
}

// gram22 is gram23 for two columns c.
func gram22(da, db, w, a, b, c0, c1 []float64) {
	a, b = a[:len(w)], b[:len(w)]
	c0, c1 = c0[:len(w)], c1[:len(w)]
	var a0, a1, b0, b1 float64
	for i, f := range w {
		u, v := float64(f*a[i]), float64(f*b[i])
		a0 += float64(u * c0[i])
		b0 += float64(v * c0[i])
		a1 += float64(u * c1[i])
		b1 += float64(v * c1[i])
	}
	da[0] += a0
	da[1] += a1
	db[0] += b0
	db[1] += b1
}

// gram14 adds Σ_i w_i a_i c_i to da, for the four columns c.
func gram14(da, w, a, c0, c1, c2, c3 []float64) {
	a = a[:len(w)]
	c0, c1, c2, c3 = c0[:len(w)], c1[:len(w)], c2[:len(w)], c3[:len(w)]
	var a0, a1, a2, a3 float64
	for i, f := range w {
		u := float64(f * a[i])
		a0 += float64(u * c0[i])
		a1 += float64(u * c1[i])
		a2 += float64(u * c2[i])
		a3 += float64(u * c3[i])
	}
	da[0] += a0
	da[1] += a1
	da[2] += a2
	da[3] += a3
}

// gram11 adds Σ_i w_i a_i c_i to da[0].
func gram11(da, w, a, c []float64) {
	a, c = a[:len(w)], c[:len(w)]
	var s float64
	for i, f := range w {
		u := float64(f * a[i])
		s += float64(u * c[i])
	}
	da[0] += s
}
