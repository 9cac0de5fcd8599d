package linalg

import "math"

// DiagonalFactor is the factorisation of a diagonal matrix G = diag(d). Its
// methods are those of Cholesky.
type DiagonalFactor struct {
	N int

	d, reciprocal, root []float64 // d, 1/d, √d
}

// NewDiagonalFactor returns work space for diagonal matrices of order n.
func NewDiagonalFactor(n int) *DiagonalFactor {
	return &DiagonalFactor{
		N: n, d: make([]float64, n), reciprocal: make([]float64, n), root: make([]float64, n),
	}
}

// Factor takes the diagonal d[n].
func (c *DiagonalFactor) Factor(d []float64) Outcome {
	out := Factored
	for i, v := range d[:c.N] {
		switch {
		case !finite(v):
			return NonFinite
		case v <= 0:
			out = NotPositiveDefinite
		}
		c.d[i], c.reciprocal[i], c.root[i] = v, 1/v, math.Sqrt(v)
	}
	return out
}

// LogDet returns log det G = Σ_i log d_i.
func (c *DiagonalFactor) LogDet() float64 { return sumLog(c.d) }

// Solve computes v = G⁻¹ p, v_i = p_i / d_i. v and p may be the same slice.
func (c *DiagonalFactor) Solve(v, p []float64) {
	v, p = v[:c.N], p[:c.N]
	for i, r := range c.reciprocal {
		v[i] = float64(p[i] * r)
	}
}

// Quad returns the quadratic form pᵀ G⁻¹ p.
func (c *DiagonalFactor) Quad(p []float64) float64 {
	p = p[:c.N]
	s := 0.0
	for i, r := range c.reciprocal {
		s += float64(p[i] * p[i] * r)
	}
	return s
}

// Whiten computes z = p/√d, which has the length √(pᵀ G⁻¹ p). z and p may be the same
// slice.
func (c *DiagonalFactor) Whiten(z, p []float64) {
	z, p = z[:c.N], p[:c.N]
	for i, r := range c.root {
		z[i] = p[i] / r
	}
}

// Inverse writes the diagonal of G⁻¹ to w[n].
func (c *DiagonalFactor) Inverse(w []float64) {
	copy(w[:c.N], c.reciprocal)
}

// RootDiagonal writes √d_i to u[n].
func (c *DiagonalFactor) RootDiagonal(u []float64) { copy(u[:c.N], c.root) }

// Form returns the quadratic form xᵀ G x.
func (c *DiagonalFactor) Form(x []float64) float64 {
	x = x[:c.N]
	s := 0.0
	for i, d := range c.d {
		s += float64(x[i] * x[i] * d)
	}
	return s
}

// MulL computes p = √G z, which turns standard normal variates z into a draw
// from N(0, G). p and z may be the same slice.
func (c *DiagonalFactor) MulL(p, z []float64) {
	p, z = p[:c.N], z[:c.N]
	for i, r := range c.root {
		p[i] = float64(r * z[i])
	}
}
