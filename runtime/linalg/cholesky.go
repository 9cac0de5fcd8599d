// Package linalg is linear algebra for the symmetric matrices of Riemannian
// metrics: Cholesky factors of small dense ones and of long ones that are banded,
// bordered or made of parts, eigen-decompositions and the SoftAbs map; and LU factors for
// Newton's method. Values are made once for an order n and hold all work space, so that
// nothing allocates afterwards; each serves one goroutine.
//
// Matrices are row-major slices of n·n numbers, symmetric ones full. Slices
// that are too short are a programming error and panic; no content of a slice
// does. Products are rounded before they are added, written float64(a*b) + c,
// which forbids fused multiply-adds: the arithmetic has the same result on
// every architecture.
package linalg

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
	"github.com/hamc-dev/hamc/runtime/kernel"
)

// Outcome says whether a matrix was factorised.
type Outcome uint8

// The outcomes of a factorisation.
const (
	Factored            Outcome = iota
	NotPositiveDefinite         // finite, but a pivot is not positive
	NonFinite                   // a NaN, an infinity, or an overflow on the way
)

// String returns the name of o in snake case.
func (o Outcome) String() string {
	switch o {
	case Factored:
		return "factored"
	case NotPositiveDefinite:
		return "not_positive_definite"
	case NonFinite:
		return "non_finite"
	}
	return "unknown"
}

// Cholesky is the factorisation G = L Lᵀ of a symmetric positive definite
// matrix. After a Factor that did not return Factored, the other methods
// compute without meaning.
type Cholesky struct {
	N int
	L []float64 // the lower factor, row-major, zero above the diagonal

	diagonal   []float64 // L_jj
	reciprocal []float64 // 1 / L_jj
	vector     []float64 // L⁻¹p in Quad, Lᵀd in Form
	inverse    []float64 // L⁻¹ in Inverse; always zero above the diagonal
}

// NewCholesky returns work space for matrices of order n.
func NewCholesky(n int) *Cholesky {
	return &Cholesky{
		N:          n,
		L:          make([]float64, n*n),
		diagonal:   make([]float64, n),
		reciprocal: make([]float64, n),
		vector:     make([]float64, n),
		inverse:    make([]float64, n*n),
	}
}

// Factor computes L for the symmetric matrix g, of which it reads the lower
// triangle only. It leaves g as it is.
func (c *Cholesky) Factor(g []float64) Outcome {
	g = g[:c.N*c.N]
	if c.N >= leastByRows {
		return c.factorByRows(g)
	}
	return c.factorByColumns(g)
}

// factorByColumns is Factor as loops over elements.
func (c *Cholesky) factorByColumns(g []float64) Outcome {
	n, l := c.N, c.L[:len(g)]
	// Column by column (Crout): while the square root and the division of
	// the pivot are under way, the products of the rows below go on.
	for j := range n {
		top := l[j*n:][:j+1]
		s := g[j*n+j]
		for _, v := range top[:j] {
			s -= float64(v * v)
		}
		if !(s > 0 && s <= math.MaxFloat64) {
			return failure(g, n, s)
		}
		d := math.Sqrt(s)
		r := 1 / d
		i := j + 1
		for ; i+4 <= n; i += 4 {
			r0 := l[i*n:][:len(top)]
			r1 := l[(i+1)*n:][:len(top)]
			r2 := l[(i+2)*n:][:len(top)]
			r3 := l[(i+3)*n:][:len(top)]
			s0, s1, s2, s3 := g[i*n+j], g[(i+1)*n+j], g[(i+2)*n+j], g[(i+3)*n+j]
			for k, v := range top[:len(top)-1] {
				s0 -= float64(r0[k] * v)
				s1 -= float64(r1[k] * v)
				s2 -= float64(r2[k] * v)
				s3 -= float64(r3[k] * v)
			}
			r0[j], r1[j], r2[j], r3[j] = float64(s0*r), float64(s1*r), float64(s2*r), float64(s3*r)
		}
		for ; i < n; i++ {
			r0 := l[i*n:][:len(top)]
			s0 := g[i*n+j]
			for k, v := range top[:len(top)-1] {
				s0 -= float64(r0[k] * v)
			}
			r0[j] = float64(s0 * r)
		}
		top[j] = d
		c.diagonal[j] = d
		c.reciprocal[j] = r
	}
	return Factored
}

// factorByRows is Factor as sums of rows, with the same bits. Lᵀ stands above the diagonal of L on the way.
func (c *Cholesky) factorByRows(g []float64) Outcome {
	n, l := c.N, c.L
	for j := range n {
		row := l[j*n+j : (j+1)*n]
		for i := range row {
			row[i] = g[(j+i)*n+j]
		}
		kernel.SubtractRows(row, l, j, n, l, j, n, j)
		s := row[0]
		if !(s > 0 && s <= math.MaxFloat64) {
			for i := range j + 1 {
				clear(l[i*n+i+1 : (i+1)*n])
			}
			return failure(g, n, s)
		}
		d := math.Sqrt(s)
		r := 1 / d
		scale(row[1:], r)
		row[0] = d
		c.diagonal[j] = d
		c.reciprocal[j] = r
	}
	for i := range n {
		for j := range i {
			l[i*n+j], l[j*n+i] = l[j*n+i], 0
		}
	}
	return Factored
}

// failure tells why the pivot s of the symmetric matrix g cannot be used. The
// elimination may meet a negative pivot before it meets a NaN.
func failure(g []float64, n int, s float64) Outcome {
	if !finite(s) || !finiteLower(g, n) {
		return NonFinite
	}
	return NotPositiveDefinite
}

// finite reports whether x is neither infinite nor NaN.
func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// finiteLower reports whether the lower triangle of the n × n matrix a is
// finite.
func finiteLower(a []float64, n int) bool {
	for i := range n {
		for _, v := range a[i*n : i*n+i+1] {
			if !finite(v) {
				return false
			}
		}
	}
	return true
}

// LogDet returns log det G.
func (c *Cholesky) LogDet() float64 { return float64(2 * sumLog(c.diagonal)) }

// sumLog returns Σ log x_i for positive x_i. It multiplies as long as the
// product is far from overflow, so that one logarithm serves many terms.
func sumLog(x []float64) float64 {
	const small, large = 1e-150, 1e150
	product, sum := 1.0, 0.0
	for _, v := range x {
		if v < small || v > large {
			sum += elementary.Log(v)
			continue
		}
		product = float64(product * (v))
		if product < small || product > large {
			sum += elementary.Log(product)
			product = 1
		}
	}
	return sum + elementary.Log(product)
}

// Solve computes v = G⁻¹ p. v and p may be the same slice.
func (c *Cholesky) Solve(v, p []float64) {
	n, l := c.N, c.L
	v, p = v[:n], p[:n]
	reciprocal := c.reciprocal[:len(v)]
	if n == 2 {
		// As below. The loops take three times as long, and models of two coordinates little else.
		a, b, f := reciprocal[0], reciprocal[1], l[2]
		x := float64(p[0] * a)
		y := float64(float64((p[1]-float64(f*x))*b) * b)
		v[0], v[1] = float64((x-float64(f*y))*a), y
		return
	}
	if n == 3 && len(l) == 9 {
		a, b, c := reciprocal[0], reciprocal[1], reciprocal[2]
		f, g, h := l[3], l[6], l[7]
		x := float64(p[0] * a)
		y := float64((p[1] - float64(f*x)) * b)
		z := float64(float64((p[2]-float64(g*x)-float64(h*y))*c) * c)
		y = float64((y - float64(h*z)) * b)
		v[0], v[1], v[2] = float64((x-float64(g*z)-float64(f*y))*a), y, z
		return
	}
	for i := range v {
		row, x := l[i*n:][:i], v[:i]
		s := p[i]
		for k, f := range row {
			s -= float64(f * x[k])
		}
		v[i] = float64(s * reciprocal[i])
	}
	for i := len(v) - 1; i >= 0; i-- {
		row, x := l[i*n:][:i], v[:i]
		s := float64(v[i] * reciprocal[i])
		v[i] = s
		for k, f := range row {
			x[k] -= float64(f * s)
		}
	}
}

// MulTransposed computes z = Lᵀ p. z and p may be the same slice.
func (c *Cholesky) MulTransposed(z, p []float64) {
	n := c.N
	z, p = z[:n], p[:n]
	for i := range z { // upwards, as z may be p
		s := 0.0
		for k := i; k < n; k++ {
			s += float64(c.L[k*n+i] * p[k])
		}
		z[i] = s
	}
}

// SolveTransposed computes p = L⁻ᵀ z, which turns standard normal variates z into a
// draw from N(0, G⁻¹). p and z may be the same slice.
func (c *Cholesky) SolveTransposed(p, z []float64) {
	n, l := c.N, c.L
	p = p[:n]
	copy(p, z[:n])
	for i := len(p) - 1; i >= 0; i-- {
		row, x := l[i*n:][:i], p[:i]
		s := float64(p[i] * c.reciprocal[i])
		p[i] = s
		for k, f := range row {
			x[k] -= float64(f * s)
		}
	}
}

// Whiten computes z = L⁻¹ p, which has the length √(pᵀ G⁻¹ p). z and p may be the same
// slice.
func (c *Cholesky) Whiten(z, p []float64) {
	n, l := c.N, c.L
	z, p = z[:n], p[:n]
	reciprocal := c.reciprocal[:len(z)]
	for i := range z {
		row, x := l[i*n:][:i], z[:i]
		s := p[i]
		for k, f := range row {
			s -= float64(f * x[k])
		}
		z[i] = float64(s * reciprocal[i])
	}
}

// Quad returns the quadratic form pᵀ G⁻¹ p.
func (c *Cholesky) Quad(p []float64) float64 {
	n, l := c.N, c.L
	p = p[:n]
	x := c.vector[:len(p)]
	sum := 0.0
	for i := range p {
		row, x := l[i*n:][:i], x[:i+1]
		s := p[i]
		for k, f := range row {
			s -= float64(f * x[k])
		}
		s = float64(s * (c.reciprocal[i]))
		x[i] = s
		sum += float64(s * s)
	}
	return sum
}

// RootDiagonal writes √G_ii = √Σ_k L_ik² to u[n].
func (c *Cholesky) RootDiagonal(u []float64) {
	n, l := c.N, c.L
	u = u[:n]
	for i := range u {
		s := 0.0
		for _, x := range l[i*n:][:i+1] {
			s += float64(x * x)
		}
		u[i] = math.Sqrt(s)
	}
}

// Form returns the quadratic form dᵀ G d = ‖Lᵀd‖².
func (c *Cholesky) Form(d []float64) float64 {
	n, l := c.N, c.L
	x := c.vector[:n]
	clear(x)
	for i, f := range d[:n] {
		row, x := l[i*n:][:i+1], x[:i+1]
		for k, r := range row {
			x[k] += float64(f * r)
		}
	}
	sum := 0.0
	for _, v := range x {
		sum += float64(v * v)
	}
	return sum
}

// Inverse computes w = G⁻¹ = L⁻ᵀ L⁻¹, in full.
func (c *Cholesky) Inverse(w []float64) {
	n, l, t := c.N, c.L, c.inverse
	w = w[:n*n]
	// t = L⁻¹, row by row: t_i = −(Σ_{k<i} L_ik t_k) / L_ii.
	for i := range n {
		row, ti := l[i*n:][:i+1], t[i*n:][:i+1]
		clear(ti)
		r := c.reciprocal[i]
		addRows(ti[:i], row[:i], t, n)
		for j := range ti[:i] {
			ti[j] = float64(ti[j] * (-r))
		}
		ti[i] = r
	}
	// w_ij = Σ_{k≥i} t_ki t_kj for j ≤ i, as sums of rows of t.
	for i := range n {
		wi := w[i*n:][:i+1]
		clear(wi)
		if n >= leastByRows {
			kernel.AddRows(wi, t, i*n+i, n, t, i*n, n, n-i)
			continue
		}
		k := i
		for ; k+4 <= n; k += 4 {
			t0 := t[k*n:][:len(wi)]
			t1 := t[(k+1)*n:][:len(wi)]
			t2 := t[(k+2)*n:][:len(wi)]
			t3 := t[(k+3)*n:][:len(wi)]
			f0, f1, f2, f3 := t0[i], t1[i], t2[i], t3[i]
			for j := range wi {
				wi[j] += float64(f0*t0[j]) + float64(f1*t1[j]) + (float64(f2*t2[j]) + float64(f3*t3[j]))
			}
		}
		for ; k < n; k++ {
			t0 := t[k*n:][:len(wi)]
			f0 := t0[i]
			for j := range wi {
				wi[j] += float64(f0 * t0[j])
			}
		}
	}
	mirror(w, n)
}

// addRows adds Σ_k f_k t_k to dst, for the first len(f) rows t_k of the lower
// triangular matrix t of order n. It reads them up to the length of dst, or of
// the longest in a group of four: beyond the diagonal t must be zero.
func addRows(dst, f, t []float64, n int) {
	if n >= leastByRows {
		for from := 0; from < len(dst); from += columns {
			kernel.AddRows(dst[from:min(from+columns, len(dst))], f, from, 1, t, from*n+from, n, len(f)-from)
		}
		return
	}
	k := 0
	for ; k+4 <= len(f); k += 4 {
		d := dst[:min(k+4, len(dst))]
		t0 := t[k*n:][:len(d)]
		t1 := t[(k+1)*n:][:len(d)]
		t2 := t[(k+2)*n:][:len(d)]
		t3 := t[(k+3)*n:][:len(d)]
		f0, f1, f2, f3 := f[k], f[k+1], f[k+2], f[k+3]
		for j := range d {
			d[j] += float64(f0*t0[j]) + float64(f1*t1[j]) + (float64(f2*t2[j]) + float64(f3*t3[j]))
		}
	}
	for ; k < len(f); k++ {
		d := dst[:min(k+1, len(dst))]
		t0, f0 := t[k*n:][:len(d)], f[k]
		for j := range d {
			d[j] += float64(f0 * t0[j])
		}
	}
}

// mirror copies the lower triangle of the n × n matrix a to its upper one.
func mirror(a []float64, n int) {
	for i := range n {
		row := a[i*n:][:i]
		for j, v := range row {
			a[j*n+i] = v
		}
	}
}

// MulL computes p = L z, which turns standard normal variates z into a draw
// from N(0, G). p and z may be the same slice.
func (c *Cholesky) MulL(p, z []float64) {
	n := c.N
	p, z = p[:n], z[:n]
	for i := n - 1; i >= 0; i-- { // downwards, as p may be z
		row := c.L[i*n:][:i+1]
		x := z[:len(row)]
		s := 0.0
		for k, f := range row {
			s += float64(f * x[k])
		}
		p[i] = s
	}
}
