package linalg

import "math"

// block is the factorisation of one part,
//
//	G = [ B  C ] = [ L  0 ] [ D  0 ] [ Lᵀ D⁻¹W ]      W = L⁻¹C,
//	    [ Cᵀ E ]   [ Vᵀ I ] [ 0  S ] [ 0   I   ]      V = D⁻¹W,
//
// with the spine B = L D Lᵀ, the border C, the corner E and its Schur
// complement S = E − Wᵀ D⁻¹ W, which is what Cholesky's method makes of a
// matrix whose border comes last: Golub & Van Loan (2013), "Matrix
// Computations", 4.2 and 4.3.
type block struct {
	Part
	start, edge, corner int // where the band, C and E start in a packed matrix

	spine             spine
	pivot, reciprocal []float64 // D and D⁻¹
	w, v, x           []float64 // m × n: the rows of Wᵀ, of Vᵀ, and of (B⁻¹C)ᵀ in inverse
	schur             []float64 // m × m: S, as far as Cholesky reads it
	root              *Cholesky // of S
}

// newBlock returns work space for a part whose numbers start at start. The
// pivots of its spine and the diagonal of its corner's factor are kept by the
// caller.
func newBlock(p Part, start int, pivot, diagonal []float64) block {
	n, m := p.N, len(p.Border)
	k := block{
		Part: p, start: start, edge: start + (p.Width+1)*n, corner: start + (p.Width+1+m)*n,
		pivot: pivot, reciprocal: make([]float64, n),
		w: make([]float64, m*n), v: make([]float64, m*n), x: make([]float64, m*n),
		schur: make([]float64, m*m), root: NewCholesky(m),
	}
	k.Border = append([]int(nil), p.Border...)
	k.root.diagonal = diagonal
	k.spine = newSpine(n, p.Width, pivot, k.reciprocal)
	return k
}

// factor is Factor for the block's part of the packed matrix b, except that it
// may report a matrix with a NaN as not positive definite.
func (k *block) factor(b []float64) Outcome {
	n, m := k.N, len(k.Border)
	if n == 0 {
		return k.root.Factor(b[k.corner:][:m*m])
	}
	if s := k.spine.factor(b[k.start:k.edge]); !positive(s) {
		if !finite(s) {
			return NonFinite
		}
		return NotPositiveDefinite
	}
	if m == 0 {
		return Factored
	}
	for r := range m {
		w, v := k.w[r*n:][:n], k.v[r*n:][:n]
		k.spine.forward(w, b[k.edge+r*n:][:n])
		multiply(v, w, k.reciprocal)
		e, s := b[k.corner+r*m:][:r+1], k.schur[r*m:][:r+1]
		for i := range e {
			s[i] = e[i] - dotFour(w, k.v[i*n:][:n])
		}
	}
	return k.root.Factor(k.schur)
}

// finiteUsed reports whether the numbers that factor reads are finite.
func (k *block) finiteUsed(b []float64) bool {
	n, m := k.N, len(k.Border)
	for o := range k.Width + 1 {
		for _, x := range b[k.start+o*n:][min(o, n):n] {
			if !finite(x) {
				return false
			}
		}
	}
	for _, x := range b[k.edge:k.corner] {
		if !finite(x) {
			return false
		}
	}
	return finiteLower(b[k.corner:][:m*m], m)
}

// solve computes v = G⁻¹ p on the coordinates of the part: with a = L⁻¹ p and
// u = S⁻¹ (p − Vᵀ a) on the border, the spine has L⁻ᵀ D⁻¹ (a − W u).
func (k *block) solve(v, p, ends []float64) {
	spine := v[k.Spine:][:k.N]
	k.spine.forward(spine, p[k.Spine:][:k.N])
	if m := len(k.Border); m > 0 {
		u := ends[:m]
		k.reduce(u, p, spine)
		k.root.Solve(u, u)
		for r, i := range k.Border {
			v[i] = u[r]
			u[r] = -u[r]
		}
		addScaledRows(spine, u, k.w, k.N)
	}
	k.spine.backward(spine)
}

// reduce computes u = p − Vᵀ a, for p on the border.
func (k *block) reduce(u, p, a []float64) {
	for r, i := range k.Border {
		u[r] = p[i] - dotFour(k.v[r*k.N:][:k.N], a)
	}
}

// quad returns pᵀ G⁻¹ p for p on the coordinates of the part: aᵀ D⁻¹ a and the
// form of S⁻¹ at p − Vᵀ a on the border.
func (k *block) quad(p, work, ends []float64) float64 {
	a, u := work[:k.N], ends[:len(k.Border)]
	k.spine.forward(a, p[k.Spine:][:k.N])
	k.reduce(u, p, a)
	return weightedSquare(a, k.reciprocal) + k.root.Quad(u)
}

// whiten computes z = R⁻¹ p on the coordinates of the part: D^−½ a on the spine, with
// a = L⁻¹ p, and S^−½ (p − Vᵀ a) on the border.
func (k *block) whiten(z, p, work, ends []float64) {
	a, u := work[:k.N], ends[:len(k.Border)]
	if k.N > 0 {
		k.spine.forward(a, p[k.Spine:][:k.N])
	}
	k.reduce(u, p, a)
	k.root.Whiten(u, u)
	for r, i := range k.Border {
		z[i] = u[r]
	}
	spine := z[k.Spine:][:len(a)]
	for i, r := range k.reciprocal[:len(a)] {
		spine[i] = float64(a[i] * math.Sqrt(r))
	}
}

// mulRoot computes p = R z on the coordinates of the part: L g on the spine,
// with g = D^½ z, and Vᵀ g + S^½ z on the border.
func (k *block) mulRoot(p, z, work, ends []float64) {
	g, u := work[:k.N], ends[:len(k.Border)]
	spine := z[k.Spine:][:len(g)]
	pivot := k.pivot[:len(g)]
	for i := range g {
		g[i] = float64(math.Sqrt(pivot[i]) * spine[i])
	}
	for r, i := range k.Border {
		u[r] = z[i]
	}
	k.root.MulL(u, u)
	for r, i := range k.Border {
		p[i] = u[r] + dotFour(k.v[r*k.N:][:k.N], g)
	}
	k.spine.multiply(p[k.Spine:][:k.N], g)
}

// inverse writes the entries of G⁻¹ in the part's pattern. With X = B⁻¹C, G⁻¹
// is B⁻¹ + X S⁻¹ Xᵀ on the spine, −S⁻¹ Xᵀ on the border and S⁻¹ in the corner.
func (k *block) inverse(b []float64) {
	n, m := k.N, len(k.Border)
	band := b[k.start:k.edge]
	k.spine.inverse(band)
	for o := range k.Width + 1 {
		clear(band[o*n:][:min(o, n)])
	}
	corner := b[k.corner:][:m*m]
	k.root.Inverse(corner)
	for r := range m {
		x := k.x[r*n:][:n]
		copy(x, k.w[r*n:][:n])
		k.spine.backward(x)
	}
	for r := range m {
		x, y := k.x[r*n:][:n], b[k.edge+r*n:][:n]
		clear(y)
		addScaledRows(y, corner[r*m:][:m], k.x, n)
		for o := range min(k.Width+1, n) {
			addProducts(band[o*n:][o:n], y[o:], x)
		}
		for i := range y {
			y[i] = -y[i]
		}
	}
}
