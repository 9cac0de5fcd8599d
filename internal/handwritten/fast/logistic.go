package fast

import (
	"fmt"
	"math"
)

// The size of a Logistic, fixed so that arrays and loops have constant bounds.
const (
	LogisticN = 569
	LogisticK = 10
)

// tile is the width of the blocks into which columns are cut: as many sums as
// stay in registers beside their operands. Blocks of 6 to 11 columns were
// slower or, with padding, no faster; so were columns stored contiguously, and
// products formed on the fly from rows of X in 2×5, 3×3, 3×4 and 1×10 blocks.
const tile = 5

// rows is n made even by an observation with x = 0, which adds zero to every
// sum, so that loops may take two rows at a time.
const rows = LogisticN + 1

// pairs is the number of entries of the lower triangle of G.
const pairs = LogisticK * (LogisticK + 1) / 2

// Logistic is Bayesian logistic regression with n = 569 observations and
// k = 10 coefficients,
//
//	y_i ~ Bernoulli(s(η_i)), η = Xβ, s(η) = 1/(1 + e^{−η});  β_j ~ N(0, 1)
//
// with q = β. With λ = s(1 − s), λ' = λ(1 − 2s) and a symmetric W,
//
//	−∂L/∂β_k = Σ_i s_i x_ik − (Xᵀy)_k + β_k
//	G        = Xᵀ diag(λ) X + I
//	½⟨W, ∂G/∂β_k⟩ = Σ_i λ'_i h_i x_ik, h_i = ½ x_iᵀ W x_i
//
// so the derivative of G is never formed. The products x_ij x_il are, once and
// for all: then G and h are matrix-vector products with the same n × k(k+1)/2
// matrix. A value serves one goroutine.
type Logistic struct {
	x   [LogisticK / tile][rows][tile]float64 // X, by blocks of columns
	xx  [pairs / tile][rows][tile]float64     // x_ij x_il, l ≤ j, by rows of the triangle
	xty [LogisticK]float64                    // Xᵀy

	// Work space of one evaluation.
	eta   [rows]float64      // η, then e^{−η}
	s     [rows]float64      // s, then s + λ'h
	slope [rows]float64      // λ
	h     [rows]float64      // h, and −½λ'(x_iᵀv)²
	gram  [pairs]float64     // lower triangle of XᵀΛX, by rows
	chol  triangle           // Cholesky factor of G
	pivot [LogisticK]float64 // reciprocals of its diagonal

	at logisticPosition
}

// logisticPosition is what GLF(b) keeps of a position.
type logisticPosition struct {
	ok    bool
	q     [LogisticK]float64
	f     [LogisticK]float64 // ∂H/∂q at p = 0
	curve [rows]float64      // λ'
	inv   triangle           // lower triangle of G⁻¹
}

// NewLogistic returns the regression of y[n] on the design matrix x[n·k],
// row-major, n = LogisticN and k = LogisticK. It returns an error if the
// shapes differ from these, if x is not finite or if one of y is neither 0
// nor 1.
func NewLogistic(x, y []float64) (*Logistic, error) {
	if len(x) != LogisticN*LogisticK || len(y) != LogisticN {
		return nil, fmt.Errorf("logistic: x of length %d, y of length %d; want %d and %d",
			len(x), len(y), LogisticN*LogisticK, LogisticN)
	}
	l := new(Logistic)
	for i, yi := range y {
		if yi != 0 && yi != 1 {
			return nil, fmt.Errorf("logistic: y[%d] = %v is neither 0 nor 1", i, yi)
		}
		row := x[i*LogisticK : (i+1)*LogisticK]
		c := 0
		for j, xj := range row {
			if !finite(xj) {
				return nil, fmt.Errorf("logistic: x[%d][%d] = %v", i, j, xj)
			}
			l.x[j/tile][i][j%tile] = xj
			l.xty[j] += yi * xj
			for _, xl := range row[:j+1] {
				l.xx[c/tile][i][c%tile] = xj * xl
				c++
			}
		}
	}
	return l, nil
}

// predict writes e^{−Xq} to l.eta.
func (l *Logistic) predict(q *[LogisticK]float64) {
	q0, q1, q2, q3, q4 := q[0], q[1], q[2], q[3], q[4]
	for i := range l.x[0] {
		r := &l.x[0][i]
		l.eta[i] = ((r[0]*q0 + r[1]*q1) + (r[2]*q2 + r[3]*q3)) + r[4]*q4
	}
	q0, q1, q2, q3, q4 = q[5], q[6], q[7], q[8], q[9]
	for i := range l.x[1] {
		r := &l.x[1][i]
		l.eta[i] += ((r[0]*q0 + r[1]*q1) + (r[2]*q2 + r[3]*q3)) + r[4]*q4
	}
	expNeg(&l.eta)
}

// metric forms and factorizes G(q). With a curve it also writes s to l.s and
// λ' to curve. It reports false if G is not finite and positive definite.
func (l *Logistic) metric(q *[LogisticK]float64, curve *[rows]float64) bool {
	l.predict(q)
	if curve == nil {
		for i, e := range &l.eta {
			s := 1 / (1 + e)
			l.slope[i] = (e * s) * s
		}
	} else {
		for i, e := range &l.eta {
			s := 1 / (1 + e)
			// e·s is 1 − s without cancellation.
			slope := (e * s) * s
			l.s[i] = s
			l.slope[i] = slope
			curve[i] = slope * (e*s - s)
		}
	}
	for t := range l.xx {
		var a0, a1, a2, a3, a4 float64
		block := &l.xx[t]
		for i := 0; i < rows; i += 2 {
			r, u, c, d := &block[i], &block[i+1], l.slope[i], l.slope[i+1]
			a0 += c*r[0] + d*u[0]
			a1 += c*r[1] + d*u[1]
			a2 += c*r[2] + d*u[2]
			a3 += c*r[3] + d*u[3]
			a4 += c*r[4] + d*u[4]
		}
		g := l.gram[t*tile : t*tile+tile]
		g[0], g[1], g[2], g[3], g[4] = a0, a1, a2, a3, a4
	}
	return l.chol.factor(&l.pivot, &l.gram)
}

// force writes Σ_i (s_i + λ'_i h_i) x_ik − (Xᵀy)_k + q_k to f, that is
// −∂L/∂q_k + ½⟨W, ∂G/∂q_k⟩, after metric with this curve and this q. The lower
// triangle of W is inv − v vᵀ, or inv where v is nil.
func (l *Logistic) force(f, q *[LogisticK]float64, curve *[rows]float64, inv *triangle, v *[LogisticK]float64) {
	// Weights of the products: ½ on the diagonal, twice that below it.
	var w [pairs]float64
	c := 0
	for j := range inv {
		for i := 0; i <= j; i++ {
			w[c] = inv[j][i]
			if v != nil {
				w[c] -= v[j] * v[i]
			}
			c++
		}
		w[c-1] *= 0.5
	}
	h := &l.h
	for t := range l.xx {
		block := &l.xx[t]
		o := w[t*tile : t*tile+tile]
		w0, w1, w2, w3, w4 := o[0], o[1], o[2], o[3], o[4]
		if t == 0 {
			for i := range block {
				r := &block[i]
				h[i] = (r[0]*w0 + r[1]*w1) + (r[2]*w2 + r[3]*w3) + r[4]*w4
			}
			continue
		}
		for i := 0; i < rows; i += 2 {
			r, u := &block[i], &block[i+1]
			h[i] += (r[0]*w0 + r[1]*w1) + (r[2]*w2 + r[3]*w3) + r[4]*w4
			h[i+1] += (u[0]*w0 + u[1]*w1) + (u[2]*w2 + u[3]*w3) + u[4]*w4
		}
	}
	for i := range h {
		h[i] = l.s[i] + curve[i]*h[i]
	}
	for t := range l.x {
		transpose(f[t*tile:t*tile+tile], &l.x[t], h)
	}
	for j := range f {
		f[j] += q[j] - l.xty[j]
	}
}

// transpose writes Σ_i w_i x_ik to f[tile] for one block of columns.
func transpose(f []float64, x *[rows][tile]float64, w *[rows]float64) {
	var a0, a1, a2, a3, a4 float64
	for i := 0; i < rows; i += 2 {
		r, u, c, d := &x[i], &x[i+1], w[i], w[i+1]
		a0 += c*r[0] + d*u[0]
		a1 += c*r[1] + d*u[1]
		a2 += c*r[2] + d*u[2]
		a3 += c*r[3] + d*u[3]
		a4 += c*r[4] + d*u[4]
	}
	f[0], f[1], f[2], f[3], f[4] = a0, a1, a2, a3, a4
}

// StepIMb advances (q, p) in place by one step of IM(b). It returns the number
// of iterations, the predictor not counted, and whether the step succeeded.
func (l *Logistic) StepIMb(q, p *[LogisticK]float64, eps, tol float64) (iterations int, ok bool) {
	h := eps / 2
	midQ, midP := *q, *p
	var inv triangle
	var v, f [LogisticK]float64
	l.at.ok = false // its curve is work space here
	for it := 0; ; it++ {
		if !l.metric(&midQ, &l.at.curve) {
			return it, false
		}
		inv.inverse(&l.chol, &l.pivot)
		inv.mulVec(&v, &midP)
		l.force(&f, &midQ, &l.at.curve, &inv, &v)
		delta := 0.0
		for j := range midQ {
			nextQ, nextP := q[j]+h*v[j], p[j]-h*f[j]
			delta = max(delta, math.Abs(nextQ-midQ[j]), math.Abs(nextP-midP[j]))
			midQ[j], midP[j] = nextQ, nextP
		}
		// max hands on a NaN.
		if delta <= tol && it > 0 {
			for j := range midQ {
				q[j], p[j] = 2*midQ[j]-q[j], 2*midP[j]-p[j]
			}
			return it, true
		}
		if !finite(delta) || it == maxIterations {
			return it, false
		}
	}
}

// locate evaluates at q everything that GLF(b) keeps. It reports false if the
// metric is not finite and positive definite there.
func (l *Logistic) locate(q *[LogisticK]float64) bool {
	at := &l.at
	at.ok = false
	if !l.metric(q, &at.curve) {
		return false
	}
	at.inv.inverse(&l.chol, &l.pivot)
	l.force(&at.f, q, &at.curve, &at.inv, nil)
	at.q = *q
	at.ok = true
	return true
}

// momentum writes ∂H/∂q to f and G⁻¹p to v at the position that l.at keeps:
//
//	∂H/∂q_k = f_k(p = 0) − ½ Σ_i λ'_i (x_iᵀv)² x_ik
func (l *Logistic) momentum(f, v, p *[LogisticK]float64) {
	l.at.inv.mulVec(v, p)
	h := &l.h
	v0, v1, v2, v3, v4 := v[0], v[1], v[2], v[3], v[4]
	for i := range l.x[0] {
		r := &l.x[0][i]
		h[i] = ((r[0]*v0 + r[1]*v1) + (r[2]*v2 + r[3]*v3)) + r[4]*v4
	}
	v0, v1, v2, v3, v4 = v[5], v[6], v[7], v[8], v[9]
	// The second half of the columns is in registers when h is complete, so
	// its sums are taken in the same pass.
	var a0, a1, a2, a3, a4 float64
	for i := range l.x[1] {
		r := &l.x[1][i]
		u := h[i] + (((r[0]*v0 + r[1]*v1) + (r[2]*v2 + r[3]*v3)) + r[4]*v4)
		c := l.at.curve[i] * u * u
		h[i] = c
		a0 += c * r[0]
		a1 += c * r[1]
		a2 += c * r[2]
		a3 += c * r[3]
		a4 += c * r[4]
	}
	transpose(f[:tile], &l.x[0], h)
	f[5], f[6], f[7], f[8], f[9] = a0, a1, a2, a3, a4
	for j := range f {
		f[j] = l.at.f[j] - f[j]/2
	}
}

// StepGLFb advances (q, p) in place by one step of GLF(b). It returns the
// number of iterations of both solves together and whether the step succeeded.
func (l *Logistic) StepGLFb(q, p *[LogisticK]float64, eps, tol float64) (iterations int, ok bool) {
	if !(l.at.ok && l.at.q == *q) && !l.locate(q) {
		return 0, false
	}
	h := eps / 2
	bar := *p
	var v, f [LogisticK]float64
	for it := 1; ; it++ {
		l.momentum(&f, &v, &bar)
		delta := 0.0
		for j := range bar {
			next := p[j] - h*f[j]
			delta = max(delta, math.Abs(next-bar[j]))
			bar[j] = next
		}
		iterations++
		if delta <= tol {
			break
		}
		if !finite(delta) || it == maxIterations {
			return iterations, false
		}
	}

	l.at.inv.mulVec(&v, &bar)
	base, next := *q, *q
	for j := range base {
		base[j] += h * v[j]
	}
	for it := 1; ; it++ {
		iterations++
		if !l.metric(&next, nil) {
			return iterations, false
		}
		l.chol.solve(&v, &l.pivot, &bar)
		delta := 0.0
		for j := range next {
			x := base[j] + h*v[j]
			delta = max(delta, math.Abs(x-next[j]))
			next[j] = x
		}
		if delta <= tol {
			break
		}
		if !finite(delta) || it == maxIterations {
			return iterations, false
		}
	}

	if !l.locate(&next) {
		return iterations, false
	}
	l.momentum(&f, &v, &bar)
	sum := 0.0
	for j := range bar {
		bar[j] -= h * f[j]
		sum += bar[j]
	}
	if !finite(sum) {
		return iterations, false
	}
	*q, *p = next, bar
	return iterations, true
}
