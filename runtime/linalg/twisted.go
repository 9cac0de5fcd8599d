package linalg

// twisted is the factorisation B = L D Lᵀ of a tridiagonal matrix of order
// n ≥ 3 from both ends towards the middle h = ⌊n/2⌋. L is lower bidiagonal
// above row h and upper bidiagonal below it; row h has both neighbours:
//
//	d_i = a_i − e_i b_i,          e_i = b_i / d_i−1,    i < h, e_0 = 0,
//	d_i = a_i − e_i+1 b_i+1,      e_i+1 = b_i+1 / d_i+1, i > h, e_n = 0,
//	d_h = a_h − e_h b_h − e_h+1 b_h+1,
//
// where a_i = B_ii and b_i = B_i,i−1. Each formula is a chain in which an
// element waits for the one before, and the two chains run at the same time:
// van der Vorst (1987), "Large tridiagonal and block tridiagonal linear systems
// on vector and parallel computers"; Parlett & Dhillon (1997), "Fernando's
// solution to Wilkinson's problem: an application of double factorization".
//
// forward and backward shorten the chains again, by a step of recursive
// doubling (Stone 1973, "An efficient parallel algorithm for the solution of a
// tridiagonal linear system of equations"). Two steps of x_i = p_i − e_i x_i−1
// at once,
//
//	x_i+1 = (p_i+1 − e_i+1 p_i) + (e_i+1 e_i) x_i−1,
//
// need x_i−1 for one product and one sum only. Where p_i and e_i x_i−1 cancel,
// this sum has errors as large as e_i+1 x_i has, but not the same ones: the
// backward error of an equation grows by up to B_ii / d_i.
type twisted struct {
	pivot, reciprocal []float64
	e                 []float64 // e_i, which couples i − 1 and i
}

func (t *twisted) factor(b []float64) float64 {
	n := len(t.pivot)
	h := n / 2
	d, r, e := t.pivot, t.reciprocal[:n], t.e[:n]
	a, b := b[:n], b[n:][:n]
	x, y := a[0], a[n-1]
	i, j := 0, n-1
	for {
		d[i], d[j] = x, y
		r[i], r[j] = 1/x, 1/y
		if !positive(x) {
			return x
		}
		if !positive(y) {
			return y
		}
		if j-1 == h {
			break
		}
		i++
		e[i] = b[i] / x
		x = a[i] - float64(e[i]*b[i])
		e[j] = b[j] / y
		y = a[j-1] - float64(e[j]*b[j])
		j--
	}
	if i++; i < h { // n is even
		e[i] = b[i] / x
		x = a[i] - float64(e[i]*b[i])
		d[i], r[i] = x, 1/x
		if !positive(x) {
			return x
		}
	}
	e[h], e[h+1] = b[h]/x, b[h+1]/y
	x = a[h] - float64(e[h]*b[h]) - float64(e[h+1]*b[h+1])
	d[h], r[h] = x, 1/x
	return x
}

func (t *twisted) forward(a, p []float64) {
	n := len(t.pivot)
	h := n / 2
	a, p, e := a[:n], p[:n], t.e[:n]
	x, y, f := 0.0, 0.0, 0.0 // f is e_j+1
	i, j := 0, n-1
	for ; j-2 >= h; i, j = i+2, j-2 { // and i + 1 < h
		p0, p1, e0, e1 := p[i], p[i+1], e[i], e[i+1]
		a[i] = p0 - float64(e0*x)
		x = p1 - float64(e1*p0) + float64(float64(e0*e1)*x)
		a[i+1] = x

		p0, p1, e1 = p[j], p[j-1], e[j]
		a[j] = p0 - float64(f*y)
		y = p1 - float64(e1*p0) + float64(float64(f*e1)*y)
		a[j-1] = y
		f = e[j-1]
	}
	for ; i < h; i++ {
		x = p[i] - float64(e[i]*x)
		a[i] = x
	}
	for ; j > h; j-- {
		y = p[j] - float64(f*y)
		f = e[j]
		a[j] = y
	}
	a[h] = p[h] - float64(e[h]*x) - float64(f*y)
}

func (t *twisted) backward(a []float64) {
	n := len(t.pivot)
	h := n / 2
	a, r, e := a[:n], t.reciprocal[:n], t.e[:n]
	x := float64(a[h] * r[h])
	a[h] = x
	y, f := x, e[h] // f is e_i+1
	i, j := h-1, h+1
	for ; j+1 < n; i, j = i-2, j+2 { // and i > 0
		p0, p1, e0 := float64(a[i]*r[i]), float64(a[i-1]*r[i-1]), e[i]
		a[i] = p0 - float64(f*x)
		x = p1 - float64(e0*p0) + float64(float64(f*e0)*x)
		a[i-1] = x
		f = e[i-1]

		p0, p1, e0, e1 := float64(a[j]*r[j]), float64(a[j+1]*r[j+1]), e[j], e[j+1]
		a[j] = p0 - float64(e0*y)
		y = p1 - float64(e1*p0) + float64(float64(e0*e1)*y)
		a[j+1] = y
	}
	for ; i >= 0; i-- {
		x = float64(a[i]*r[i]) - float64(f*x)
		f = e[i]
		a[i] = x
	}
	for ; j < n; j++ {
		y = float64(a[j]*r[j]) - float64(e[j]*y)
		a[j] = y
	}
}

func (t *twisted) multiply(p, g []float64) {
	n := len(t.pivot)
	h := n / 2
	p, g, e := p[:n], g[:n], t.e[:n]
	p[0] = g[0]
	for i := 1; i < h; i++ {
		p[i] = g[i] + float64(e[i]*g[i-1])
	}
	p[h] = g[h] + float64(e[h]*g[h-1]) + float64(e[h+1]*g[h+1])
	for i := h + 1; i < n-1; i++ {
		p[i] = g[i] + float64(e[i+1]*g[i+1])
	}
	p[n-1] = g[n-1]
}

// inverse computes the tridiagonal part of Z = B⁻¹ from the middle outwards,
// by the recurrence of Takahashi, see band.inverse:
//
//	Z_hh = 1/d_h,
//	Z_i+1,i = −e_i+1 Z_i+1,i+1,  Z_ii = 1/d_i + e_i+1² Z_i+1,i+1,  i < h,
//
// and likewise beyond h. All terms of the diagonal are positive.
func (t *twisted) inverse(w []float64) {
	n := len(t.pivot)
	h := n / 2
	r, e := t.reciprocal[:n], t.e[:n]
	diagonal, beside := w[:n], w[n:][:n]
	x := r[h]
	y := x
	diagonal[h] = x
	i, j := h, h+1
	for ; j < n; i, j = i-1, j+1 { // and i > 0
		u := float64(e[i] * x)
		beside[i] = -u
		x = r[i-1] + float64(e[i]*u)
		diagonal[i-1] = x

		u = float64(e[j] * y)
		beside[j] = -u
		y = r[j] + float64(e[j]*u)
		diagonal[j] = y
	}
	for ; i > 0; i-- {
		u := float64(e[i] * x)
		beside[i] = -u
		x = r[i-1] + float64(e[i]*u)
		diagonal[i-1] = x
	}
}
