package kernel

// QuadForms computes the quadratic form of every row of X:
// dst_i = Σ_jl x_ij w_jl x_il, for a symmetric w[Cols·Cols] and dst[Rows].
// Only the lower triangle of w is read. dst may not be a column of X.
func QuadForms(dst []float64, x *Matrix, w []float64) {
	n, k := x.Rows, x.Cols
	dst, w = dst[:n], w[:k*k]
	if x.pairs != nil {
		quadPairs(dst, x, w)
		return
	}
	clear(dst)
	for lo := 0; lo < n; lo += blockRows {
		hi := min(lo+blockRows, n)
		quadBlock(dst[lo:hi], x, w, lo, hi)
	}
}

// quadBlock adds to dst the quadratic forms of the rows lo … hi−1 of x.
func quadBlock(dst []float64, x *Matrix, w []float64, lo, hi int) {
	n, k := x.Rows, x.Cols
	col := func(j int) []float64 { return x.ColMajor[j*n+lo : j*n+hi] }
	// The terms with j or j+1 for the larger index, four and two columns at
	// a time: the entries of w stay in registers, and each w_jl, l < j,
	// stands for w_lj too.
	j := 0
	for ; j+2 <= k; j += 2 {
		a, b := col(j), col(j+1)
		wa, wb := w[j*k:], w[(j+1)*k:]
		l := 0
		for ; l+4 <= j; l += 4 {
			quad24(dst, wa[l:], wb[l:], a, b, col(l), col(l+1), col(l+2), col(l+3))
		}
		if l < j {
			quad22(dst, wa[l:], wb[l:], a, b, col(l), col(l+1))
		}
		quadDiagonal(dst, wa[j], wb[j], wb[j+1], a, b)
	}
	if j < k {
		a, wa := col(j), w[j*k:]
		l := 0
		for ; l+4 <= j; l += 4 {
			quad14(dst, wa[l:], a, col(l), col(l+1), col(l+2), col(l+3))
		}
		for ; l < j; l++ {
			quad11(dst, 2*wa[l], a, col(l))
		}
		quad11(dst, wa[j], a, a)
	}
}

// quad24 adds 2 a_i Σ_c wa_c c_i + 2 b_i Σ_c wb_c c_i to dst_i, for the four
// columns c.
func quad24(dst, wa, wb, a, b, c0, c1, c2, c3 []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	c0, c1, c2, c3 = c0[:len(dst)], c1[:len(dst)], c2[:len(dst)], c3[:len(dst)]
	a0, a1, a2, a3 := 2*wa[0], 2*wa[1], 2*wa[2], 2*wa[3]
	b0, b1, b2, b3 := 2*wb[0], 2*wb[1], 2*wb[2], 2*wb[3]
	for i := range dst {
		x0, x1, x2, x3 := c0[i], c1[i], c2[i], c3[i]
		u := float64(a0*x0) + float64(a1*x1) + (float64(a2*x2) + float64(a3*x3))
		v := float64(b0*x0) + float64(b1*x1) + (float64(b2*x2) + float64(b3*x3))
		dst[i] += float64(u*a[i]) + float64(v*b[i])
	}
}

// quad22 is quad24 for two columns c.
func quad22(dst, wa, wb, a, b, c0, c1 []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	c0, c1 = c0[:len(dst)], c1[:len(dst)]
	a0, a1 := 2*wa[0], 2*wa[1]
	b0, b1 := 2*wb[0], 2*wb[1]
	for i := range dst {
		x0, x1 := c0[i], c1[i]
		u := float64(a0*x0) + float64(a1*x1)
		v := float64(b0*x0) + float64(b1*x1)
		dst[i] += float64(u*a[i]) + float64(v*b[i])
	}
}

// quadDiagonal adds a_i (f a_i) + b_i (2 g a_i + h b_i) to dst_i.
func quadDiagonal(dst []float64, f, g, h float64, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	g *= 2
	for i := range dst {
		x, y := a[i], b[i]
		u, v := float64(f*x), float64(g*x)+float64(h*y)
		dst[i] += float64(u*x) + float64(v*y)
	}
}

// quad14 adds 2 a_i Σ_c wa_c c_i to dst_i, for the four columns c.
func quad14(dst, wa, a, c0, c1, c2, c3 []float64) {
	a = a[:len(dst)]
	c0, c1, c2, c3 = c0[:len(dst)], c1[:len(dst)], c2[:len(dst)], c3[:len(dst)]
	a0, a1, a2, a3 := 2*wa[0], 2*wa[1], 2*wa[2], 2*wa[3]
	for i := range dst {
		u := float64(a0*c0[i]) + float64(a1*c1[i]) + (float64(a2*c2[i]) + float64(a3*c3[i]))
		dst[i] += float64(u * a[i])
	}
}

// quad11 adds f a_i c_i to dst_i.
func quad11(dst []float64, f float64, a, c []float64) {
	a, c = a[:len(dst)], c[:len(dst)]
	for i := range dst {
		u := float64(f * c[i])
		dst[i] += float64(u * a[i])
	}
}
