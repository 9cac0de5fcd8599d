package linalg

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// SoftAbsArrow is SoftAbs for a matrix that is a multiple of the identity but for one row and
// column, its head:
//
//	H = [ a·I  b ]
//	    [ bᵀ   c ]
//
// as the Hessian of independent effects with a common scale has. Its eigenvectors need no
// search: with u = b/‖b‖ they are, for the eigenvalue a, all that is orthogonal to u and to the
// head and, in the plane of u and the head, those of [a ‖b‖; ‖b‖ c],
//
//	g₁ = C u + S e,  g₂ = −S u + C e.
//
// Everything takes work proportional to N, but for Metric, Inverse and Weights, which fill
// matrices. The other methods of weights write those entries of M that meet such an H: the
// diagonal, and the head's row and column.
type SoftAbsArrow struct {
	N     int
	Head  int // its row: 0 or N − 1
	Alpha float64
	Shift float64 // as in SoftAbs

	h     []float64 // as Factor was given it
	u     []float64 // N: u, with 0 at the head
	y     []float64 // N: what is orthogonal to the plane
	c, s  float64
	point [3]point   // of a, λ₁, λ₂
	psi   [3]float64 // ψ + Shift
	j     [3][3]float64
	haveJ bool
	dense *SoftAbs // of AddCurvature; nil until it is needed
}

// NewSoftAbsArrow returns work space for matrices of order n ≥ 2 with a head in row 0 or n − 1.
func NewSoftAbsArrow(n, head int, alpha float64) *SoftAbsArrow {
	return &SoftAbsArrow{N: n, Head: head, Alpha: alpha, u: make([]float64, n), y: make([]float64, n)}
}

// Factor takes the matrix h, of which it reads one entry of the diagonal and the head's row, and
// keeps it in mind until the next. The outcomes are those of SoftAbs.
func (f *SoftAbsArrow) Factor(h []float64) Outcome {
	n := f.N
	f.h, f.haveJ = h, false
	row := h[f.Head*n:][:n]
	a, c := h[(n-1-f.Head)*(n+1)], row[f.Head]
	copy(f.u, row)
	f.u[f.Head] = 0
	b := normalise(f.u)
	if !finite(a) || !finite(c) || !finite(b) {
		return NonFinite
	}
	// The rotation of Jacobi's method.
	t := 0.0
	if b > 0 {
		tau := (float64(0.5*c) - float64(0.5*a)) / b
		t = 1 / (math.Abs(tau) + math.Sqrt(1+float64(tau*tau)))
		if tau < 0 {
			t = -t
		}
	}
	f.c = 1 / math.Sqrt(1+float64(t*t))
	f.s = float64(-t * f.c)
	for k, l := range [3]float64{a, a - float64(t*b), c + float64(t*b)} {
		p := newPoint(l, f.Alpha)
		f.point[k] = p
		f.psi[k] = p.size + p.decay/f.Alpha + f.Shift
		if !finite(f.psi[k]) {
			return NonFinite
		}
		if f.psi[k] <= 0 {
			return NotPositiveDefinite // a negative alpha
		}
	}
	return Factored
}

// normalise divides u by its length, unless that is 0, and returns it.
func normalise(u []float64) float64 {
	sum := 0.0
	for _, x := range u {
		sum += float64(x * x)
	}
	length, scale := math.Sqrt(sum), 1.0
	if !(sum > 1e-280 && sum < 1e280) {
		// Squares have over- or underflown, or there is something not finite.
		scale = 0
		for _, x := range u {
			scale = max(scale, math.Abs(x))
		}
		if scale == 0 || !finite(scale) {
			return scale
		}
		r := 1 / scale
		if !finite(r) {
			r, scale = 0x1p1000, 0x1p-1000 // of a denormal number
		}
		sum = 0
		for i, x := range u {
			x = float64(x * (r))
			u[i] = x
			sum += float64(x * x)
		}
		length = math.Sqrt(sum)
	}
	r := 1 / length
	for i := range u {
		u[i] = float64(u[i] * (r))
	}
	return float64(scale * length)
}

// plane splits x into the part orthogonal to the plane, which goes to y, and its components
// along g₁ and g₂.
func (f *SoftAbsArrow) plane(y, x []float64) (x1, x2 float64) {
	e := x[f.Head]
	along := 0.0
	u := f.u
	x, y = x[:len(u)], y[:len(u)]
	for i, v := range u {
		along += float64(v * x[i])
	}
	for i, v := range u {
		y[i] = x[i] - float64(along*v)
	}
	y[f.Head] = 0
	return float64(f.c*along) + float64(f.s*e), float64(f.c*e) - float64(f.s*along)
}

// back adds the components along g₁ and g₂ to x.
func (f *SoftAbsArrow) back(x []float64, x1, x2 float64) {
	along := float64(f.c*x1) - float64(f.s*x2)
	x = x[:len(f.u)]
	for i, v := range f.u {
		x[i] += float64(along * v)
	}
	x[f.Head] += float64(f.s*x1) + float64(f.c*x2)
}

// apply computes dst = Q diag(d) Qᵀ x. They may be the same slice.
func (f *SoftAbsArrow) apply(dst, x []float64, d [3]float64) {
	x1, x2 := f.plane(dst, x)
	for i := range dst[:f.N] {
		dst[i] = float64(dst[i] * (d[0]))
	}
	f.back(dst, float64(d[1]*x1), float64(d[2]*x2))
}

// LogDet returns log det G.
func (f *SoftAbsArrow) LogDet() float64 {
	return float64(float64(f.N-2)*elementary.Log(f.psi[0])) + elementary.Log(f.psi[1]) + elementary.Log(f.psi[2])
}

// Solve computes v = G⁻¹ p. v and p may be the same slice.
func (f *SoftAbsArrow) Solve(v, p []float64) {
	f.apply(v, p, [3]float64{1 / f.psi[0], 1 / f.psi[1], 1 / f.psi[2]})
}

// Quad returns the quadratic form pᵀ G⁻¹ p.
func (f *SoftAbsArrow) Quad(p []float64) float64 {
	p1, p2 := f.plane(f.y, p)
	sum := 0.0
	for _, x := range f.y {
		sum += float64(x * x)
	}
	return sum/f.psi[0] + p1*p1/f.psi[1] + p2*p2/f.psi[2]
}

// Form returns the quadratic form dᵀ G d.
func (f *SoftAbsArrow) Form(d []float64) float64 {
	d1, d2 := f.plane(f.y, d)
	sum := 0.0
	for _, x := range f.y {
		sum += float64(x * x)
	}
	return float64(sum*f.psi[0]) + float64(d1*d1*f.psi[1]) + float64(d2*d2*f.psi[2])
}

// roots returns √ψ.
func (f *SoftAbsArrow) roots() [3]float64 {
	return [3]float64{math.Sqrt(f.psi[0]), math.Sqrt(f.psi[1]), math.Sqrt(f.psi[2])}
}

// MulSqrt computes p = G^½ z with the symmetric root, which turns standard normal variates z
// into a draw from N(0, G). p and z may be the same slice.
func (f *SoftAbsArrow) MulSqrt(p, z []float64) { f.apply(p, z, f.roots()) }

// Whiten computes z = G^−½ p with the symmetric root, as SoftAbs does. z and p may be the same
// slice.
func (f *SoftAbsArrow) Whiten(z, p []float64) {
	r := f.roots()
	f.apply(z, p, [3]float64{1 / r[0], 1 / r[1], 1 / r[2]})
}

// spectral computes dst = Q diag(d) Qᵀ, in full.
func (f *SoftAbsArrow) spectral(dst []float64, d [3]float64) {
	n := f.N
	for j := range n {
		row := dst[j*n:][:n]
		clear(row)
		row[j] = 1
		f.apply(row, row, d)
	}
}

// Metric computes G, in full.
func (f *SoftAbsArrow) Metric(g []float64) { f.spectral(g, f.psi) }

// Inverse computes w = G⁻¹, in full.
func (f *SoftAbsArrow) Inverse(w []float64) {
	f.spectral(w, [3]float64{1 / f.psi[0], 1 / f.psi[1], 1 / f.psi[2]})
}

// RootDiagonal writes √G_ii to dst[N]: the roots of ψ₀(1 − u_i²) + u_i²(C²ψ₁ + S²ψ₂), and at the head of
// S²ψ₁ + C²ψ₂.
func (f *SoftAbsArrow) RootDiagonal(dst []float64) {
	d, cc, ss := f.psi, float64(f.c*f.c), float64(f.s*f.s)
	plane := float64(cc*d[1]) + float64(ss*d[2])
	for i, u := range f.u {
		dst[i] = math.Sqrt(float64(d[0]*(1-float64(u*u))) + float64(float64(u*u)*plane))
	}
	dst[f.Head] = math.Sqrt(float64(ss*d[1]) + float64(cc*d[2]))
}

// divide computes J, which SoftAbs explains, between the three eigenvalues.
func (f *SoftAbsArrow) divide() {
	if f.haveJ {
		return
	}
	f.haveJ = true
	for k := range f.j {
		for l := range k + 1 {
			d := dividedDifference(&f.point[k], &f.point[l], f.Alpha)
			f.j[k][l], f.j[l][k] = d, d
		}
	}
}

// write writes the entries of M that meet such an H: on the diagonal
//
//	d + e y_i² + 2 k y_i u_i + l u_i²,
//
// in the head's row and column r y_i + s u_i, and the head's own.
func (f *SoftAbsArrow) write(m []float64, d, e, k, l, r, s, head float64) {
	n := f.N
	row := m[f.Head*n:][:n]
	u, y := f.u[:n], f.y[:n]
	for i, v := range u {
		w := y[i]
		m[i*n+i] = d + float64(e*float64(w*w)) + float64(float64(float64(2*float64(k*w))+float64(l*v))*v)
		x := float64(r*w) + float64(s*v)
		row[i], m[i*n+f.Head] = x, x
	}
	row[f.Head] = head
}

// WeightsInverse computes Weights for W = G⁻¹: M = Q diag(ψ′(λ)/ψ(λ)) Qᵀ.
func (f *SoftAbsArrow) WeightsInverse(m []float64) {
	f.divide()
	a, b, c := f.inverse()
	clear(f.y) // whatever it was, even not a number, it has no part in this
	f.write(m, a, 0, 0, float64(f.c*f.c*b)+float64(f.s*f.s*c)-a, 0, float64(f.c*f.s*(b-c)), float64(f.s*f.s*b)+float64(f.c*f.c*c))
}

// inverse returns ψ′/ψ.
func (f *SoftAbsArrow) inverse() (a, b, c float64) {
	return f.j[0][0] / f.psi[0], f.j[1][1] / f.psi[1], f.j[2][2] / f.psi[2]
}

// WeightsVelocity computes Weights for W = v vᵀ.
func (f *SoftAbsArrow) WeightsVelocity(m, v []float64) {
	f.divide()
	k, l, r, s, head := f.velocity(v)
	f.write(m, 0, f.j[0][0], k, l, r, s, head)
}

// velocity returns what write wants of v vᵀ, and leaves what is orthogonal to the plane in y.
func (f *SoftAbsArrow) velocity(v []float64) (k, l, r, s, head float64) {
	v1, v2 := f.plane(f.y, v)
	a1, a2 := float64(f.j[0][1]*v1), float64(f.j[0][2]*v2)
	d1, d2, x := float64(f.j[1][1]*float64(v1*v1)), float64(f.j[2][2]*float64(v2*v2)), float64(f.j[1][2]*float64(v1*v2))
	cc, ss, cs := float64(f.c*f.c), float64(f.s*f.s), float64(f.c*f.s)
	k = float64(a1*f.c) - float64(a2*f.s)
	l = float64(d1*cc) - float64(2*float64(x*cs)) + float64(d2*ss)
	r = float64(a1*f.s) + float64(a2*f.c)
	s = float64((d1-d2)*cs) + float64(x*(cc-ss))
	head = float64(d1*ss) + float64(2*float64(x*cs)) + float64(d2*cc)
	return k, l, r, s, head
}

// WeightsForce computes Weights for W = G⁻¹ − v vᵀ.
func (f *SoftAbsArrow) WeightsForce(m, v []float64) {
	f.divide()
	a, b, c := f.inverse()
	k, l, r, s, head := f.velocity(v)
	cc, ss, cs := float64(f.c*f.c), float64(f.s*f.s), float64(f.c*f.s)
	f.write(m, a, -f.j[0][0], -k, float64(cc*b)+float64(ss*c)-a-l, -r, float64(cs*(b-c))-s, float64(ss*b)+float64(cc*c)-head)
}

// Weights computes the matrix M of SoftAbs for a full symmetric w, in full. m and w may be the
// same slice.
func (f *SoftAbsArrow) Weights(m, w []float64) {
	d := f.whole()
	d.Weights(m, w)
}

// Cube returns work space for AddCurvature.
func (f *SoftAbsArrow) Cube() []float64 { return f.whole().Cube() }

// AddCurvature is that of SoftAbs.
func (f *SoftAbsArrow) AddCurvature(dst, jac, w []float64) { f.whole().AddCurvature(dst, jac, w) }

// whole is the SoftAbs of the same matrix: for what is not worth a form of its own.
func (f *SoftAbsArrow) whole() *SoftAbs {
	if f.dense == nil {
		f.dense = NewSoftAbs(f.N, f.Alpha)
	}
	f.dense.Shift = f.Shift
	f.dense.Factor(f.h)
	return f.dense
}
