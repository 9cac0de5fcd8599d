package linalg

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
	"github.com/hamc-dev/hamc/runtime/kernel"
)

// SoftAbs is the metric G = Q diag(ψ(λ)) Qᵀ that belongs to a symmetric matrix
// H = Q diag(λ) Qᵀ, usually the Hessian of a log density, with
// ψ(λ) = λ coth(α λ), a smooth stand-in for |λ| that is nowhere below 1/α:
// Betancourt (2013), "A General Metric for Riemannian Manifold Hamiltonian
// Monte Carlo". After a Factor that did not return Factored, the other methods
// compute without meaning.
//
// G depends on H through its eigenvectors too, but for every symmetric W
//
//	⟨W, ∂G⟩ = ⟨M, ∂H⟩,  M = Q (J ∘ QᵀWQ) Qᵀ,
//
// where J_ij = (ψ(λ_i) − ψ(λ_j)) / (λ_i − λ_j), J_ii = ψ′(λ_i), and ∘ is the
// product by entries (the theorem of Daleckii and Krein). The methods Weights…
// compute M.
type SoftAbs struct {
	N     int
	Alpha float64

	// Shift ≥ 0 is added to every ψ(λ): G = Q ψ(Λ) Qᵀ + Shift·I. It keeps
	// eigenvalues that SoftAbs leaves near zero away from it.
	Shift float64

	eigen  *SymEigen
	psi    []float64 // ψ(λ_i) + Shift
	points []point
	j      []float64 // n·n: J, if haveJ
	haveJ  bool
	b      []float64 // n·n: QᵀWQ, then J ∘ QᵀWQ
	t      []float64 // n·n: intermediate products
	u, f   []float64
	second *secondOrder // nil until it is needed
}

// NewSoftAbs returns work space for matrices of order n. alpha, the hardness
// of the softened absolute value, must be positive.
func NewSoftAbs(n int, alpha float64) *SoftAbs {
	return &SoftAbs{
		N:      n,
		Alpha:  alpha,
		eigen:  NewSymEigen(n),
		psi:    make([]float64, n),
		points: make([]point, n),
		j:      make([]float64, n*n),
		b:      make([]float64, n*n),
		t:      make([]float64, n*n),
		u:      make([]float64, n),
		f:      make([]float64, n),
	}
}

// Factor takes the symmetric matrix h, of which it reads the lower triangle
// only, and leaves it as it is. The outcome is Factored, or NonFinite if h has
// a NaN or an infinity, or an eigenvalue of G overflows.
func (s *SoftAbs) Factor(h []float64) Outcome {
	if out := s.eigen.Factor(h); out != Factored {
		return out
	}
	for i, l := range s.eigen.Values {
		p := newPoint(l, s.Alpha)
		s.points[i] = p
		s.psi[i] = p.size + p.decay/s.Alpha + s.Shift
		if !finite(s.psi[i]) {
			return NonFinite
		}
		if s.psi[i] <= 0 {
			return NotPositiveDefinite // a negative alpha
		}
	}
	s.haveJ = false
	return Factored
}

// Eigenvalues returns the eigenvalues of H, ascending, until the next Factor.
func (s *SoftAbs) Eigenvalues() []float64 { return s.eigen.Values }

// Metric computes G, in full.
func (s *SoftAbs) Metric(g []float64) { s.spectral(g, s.psi) }

// LogDet returns log det G = Σ_i log ψ(λ_i).
func (s *SoftAbs) LogDet() float64 { return sumLog(s.psi) }

// Inverse computes w = G⁻¹, in full.
func (s *SoftAbs) Inverse(w []float64) {
	for i, v := range s.psi {
		s.u[i] = 1 / v
	}
	s.spectral(w, s.u)
}

// RootDiagonal writes √G_ii to u[n].
func (s *SoftAbs) RootDiagonal(u []float64) {
	n := s.N
	u = u[:n]
	clear(u)
	for k, v := range s.psi {
		for i, x := range s.eigen.Vectors[k*n:][:n] {
			u[i] += float64(x * x * v)
		}
	}
	for i, x := range u {
		u[i] = math.Sqrt(x)
	}
}

// Form returns the quadratic form dᵀ G d.
func (s *SoftAbs) Form(d []float64) float64 {
	s.rotated(d)
	sum := 0.0
	for i, x := range s.psi {
		sum += float64(s.u[i] * s.u[i] * x)
	}
	return sum
}

// Solve computes v = G⁻¹ p. v and p may be the same slice.
func (s *SoftAbs) Solve(v, p []float64) {
	s.rotated(p)
	for i, x := range s.psi {
		s.u[i] /= x
	}
	clear(v[:s.N])
	addScaledRows(v[:s.N], s.u, s.eigen.Vectors, s.N)
}

// Quad returns the quadratic form pᵀ G⁻¹ p.
func (s *SoftAbs) Quad(p []float64) float64 {
	s.rotated(p)
	sum := 0.0
	for i, x := range s.psi {
		sum += s.u[i] * s.u[i] / x
	}
	return sum
}

// MulSqrt computes p = Q diag(√ψ(λ)) z, which turns standard normal variates z
// into a draw from N(0, G). p and z may be the same slice.
func (s *SoftAbs) MulSqrt(p, z []float64) {
	for i, x := range s.psi {
		s.u[i] = float64(math.Sqrt(x) * z[i])
	}
	clear(p[:s.N])
	addScaledRows(p[:s.N], s.u, s.eigen.Vectors, s.N)
}

// Whiten computes z = G^−½ p with the symmetric root, which has the length
// √(pᵀ G⁻¹ p) and, unlike the eigenvectors, does not jump where eigenvalues cross. z
// and p may be the same slice.
func (s *SoftAbs) Whiten(z, p []float64) {
	s.rotated(p)
	for i, x := range s.psi {
		s.u[i] /= math.Sqrt(x)
	}
	clear(z[:s.N])
	addScaledRows(z[:s.N], s.u, s.eigen.Vectors, s.N)
}

// Weights computes the matrix m = M, in full, with ⟨W, ∂G⟩ = ⟨M, ∂H⟩, for a
// full symmetric w. m and w may be the same slice.
func (s *SoftAbs) Weights(m, w []float64) {
	n, q := s.N, s.eigen.Vectors
	s.divide()
	for i := range n {
		t := s.t[i*n:][:n] // row i of QᵀW
		clear(t)
		addScaledRows(t, q[i*n:][:n], w, n)
		for k := range i + 1 {
			s.b[i*n+k] = float64(s.j[i*n+k] * dot(t, q[k*n:][:n]))
		}
	}
	s.sandwich(m)
}

// WeightsInverse computes Weights for W = G⁻¹, for which ⟨W, ∂G⟩ is the
// derivative of log det G: M = Q diag(ψ′(λ)/ψ(λ)) Qᵀ.
func (s *SoftAbs) WeightsInverse(m []float64) {
	s.divide()
	for i, x := range s.psi {
		s.u[i] = s.j[i*s.N+i] / x
	}
	s.spectral(m, s.u)
}

// WeightsVelocity computes Weights for W = v vᵀ.
func (s *SoftAbs) WeightsVelocity(m, v []float64) {
	s.divide()
	s.rotated(v)
	n := s.N
	for i, x := range s.u {
		for k, y := range s.u[:i+1] {
			s.b[i*n+k] = float64(s.j[i*n+k] * x * y)
		}
	}
	s.sandwich(m)
}

// WeightsForce computes Weights for W = G⁻¹ − v vᵀ, the weights of ∂G in
// Hamilton's equation for the momentum.
func (s *SoftAbs) WeightsForce(m, v []float64) {
	s.divide()
	s.rotated(v)
	n := s.N
	for i, x := range s.u {
		for k, y := range s.u[:i] {
			s.b[i*n+k] = float64(-s.j[i*n+k] * x * y)
		}
		s.b[i*n+i] = float64(s.j[i*n+i] * (1/s.psi[i] - float64(x*x)))
	}
	s.sandwich(m)
}

// Cube returns work space for n·n·n numbers, such as the Jacobian that AddCurvature takes.
func (s *SoftAbs) Cube() []float64 {
	if s.second == nil {
		n := s.N
		s.second = &secondOrder{cube: make([]float64, n*n*n), slope: make([]float64, n*n*n), w: make([]float64, n*n)}
		for range n {
			s.second.x = append(s.second.x, make([]float64, n*n))
		}
	}
	return s.second.cube
}

// secondOrder is the work space of AddCurvature.
type secondOrder struct {
	cube  []float64   // n·n·n: what Cube returns
	slope []float64   // n·n·n: ψ[λ_i, λ_j, λ_k]
	w     []float64   // n·n: QᵀWQ
	x     [][]float64 // n of n·n: Qᵀ ∂_kH Q
}

// AddCurvature adds ½⟨W, D²ψ(H)[∂_kH, ∂_lH]⟩ to dst[k·n+l], for a full symmetric w and ∂H_ij/∂q_k
// in jac[(i·n+j)·n+k]: the part of ½⟨W, ∂²G/∂q_k∂q_l⟩ that second derivatives of H have no
// part in. With X_k = Qᵀ ∂_kH Q it is
//
//	Σ_ijm (QᵀWQ)_ij ψ[λ_i, λ_m, λ_j] (X_k)_im (X_l)_mj,
//
// with the second divided differences of ψ (Daleckii and Krein).
func (s *SoftAbs) AddCurvature(dst, jac, w []float64) {
	n := s.N
	s.Cube()
	s.divide()
	o := s.second
	s.rotate(o.w, w)
	for k, x := range o.x {
		for i := range x {
			x[i] = jac[i*n+k]
		}
		s.rotate(x, x)
	}
	for i := range n {
		for j := range n {
			for k := range n {
				o.slope[(i*n+j)*n+k] = s.secondDifference(i, j, k)
			}
		}
	}
	z := s.b
	for l, y := range o.x {
		// Z_im = Σ_j (QᵀWQ)_ij ψ[λ_i, λ_m, λ_j] Y_mj.
		for i := range n {
			for m := range n {
				sum := 0.0
				for j, d := range o.slope[(i*n+m)*n:][:n] {
					sum += float64(o.w[i*n+j] * float64(d*y[m*n+j]))
				}
				z[i*n+m] = sum
			}
		}
		for k, x := range o.x {
			dst[k*n+l] += dot(x, z)
		}
	}
}

// rotate computes dst = Qᵀ a Q for a full symmetric a. They may be the same slice.
func (s *SoftAbs) rotate(dst, a []float64) {
	n, q := s.N, s.eigen.Vectors
	for i := range n {
		row := s.t[i*n:][:n] // row i of Qᵀa
		clear(row)
		addScaledRows(row, q[i*n:][:n], a, n)
	}
	for i := range n {
		for j := range n {
			dst[i*n+j] = dot(s.t[i*n:][:n], q[j*n:][:n])
		}
	}
}

// secondDifference returns ψ[λ_i, λ_j, λ_k].
func (s *SoftAbs) secondDifference(i, j, k int) float64 {
	lo, hi := min(i, j, k), max(i, j, k) // eigenvalues ascend
	mid := i + j + k - lo - hi
	a, c := &s.points[lo], &s.points[hi]
	if a.negative == c.negative && a.t > hard && c.t > hard {
		return 0 // ψ is |λ|
	}
	d := s.eigen.Values[hi] - s.eigen.Values[lo]
	// Below the bound the difference of two slopes has fewer digits than ψ″/2.
	if s.Alpha*d > 1e-5 {
		return (s.j[hi*s.N+mid] - s.j[mid*s.N+lo]) / d
	}
	t := s.points[mid].t
	if t < 1e-2 {
		return float64(s.Alpha * (1./3 - float64(2./15*t*t) + float64(2./63*t*t*t*t)))
	}
	sinh := elementary.Sinh(t)
	return s.Alpha * (t/elementary.Tanh(t) - 1) / (sinh * sinh)
}

// divide computes the lower triangle of J unless it is there: a metric that
// is only evaluated and solved with does without.
func (s *SoftAbs) divide() {
	if s.haveJ {
		return
	}
	s.haveJ = true
	n := s.N
	for i := range n {
		for k := range i + 1 {
			s.j[i*n+k] = dividedDifference(&s.points[i], &s.points[k], s.Alpha)
		}
	}
}

// rotated sets u = Qᵀ p.
func (s *SoftAbs) rotated(p []float64) {
	n := s.N
	p = p[:n]
	for i := range s.u {
		s.u[i] = dot(s.eigen.Vectors[i*n:][:n], p)
	}
}

// spectral computes dst = Q diag(d) Qᵀ, in full.
func (s *SoftAbs) spectral(dst, d []float64) {
	n, q := s.N, s.eigen.Vectors
	dst = dst[:n*n]
	for i := range n {
		for k, v := range d {
			s.f[k] = float64(v * q[k*n+i])
		}
		row := dst[i*n:][:i+1]
		clear(row)
		addScaledRows(row, s.f, q, n)
	}
	mirror(dst, n)
}

// sandwich computes m = Q b Qᵀ, in full, for a symmetric b of which only the
// lower triangle is set.
func (s *SoftAbs) sandwich(m []float64) {
	n, q := s.N, s.eigen.Vectors
	m = m[:n*n]
	mirror(s.b, n)
	for i := range n {
		t := s.t[i*n:][:n] // row i of b Qᵀ
		clear(t)
		addScaledRows(t, s.b[i*n:][:n], q, n)
	}
	for i := range n {
		for k := range s.f {
			s.f[k] = q[k*n+i]
		}
		row := m[i*n:][:i+1]
		clear(row)
		addScaledRows(row, s.f, s.t, n)
	}
	mirror(m, n)
}

// dot returns Σ_k x_k y_k.
func dot(x, y []float64) float64 {
	y = y[:len(x)]
	s := 0.0
	for k, v := range x {
		s += float64(v * y[k])
	}
	return s
}

// addScaledRows adds Σ_k f_k a_k to dst, for the rows a_k of the matrix a,
// which has n columns, as far as dst goes.
func addScaledRows(dst, f, a []float64, n int) {
	if len(f) >= leastByRows {
		kernel.AddRows(dst, f, 0, 1, a, 0, n, len(f))
		return
	}
	k := 0
	for ; k+4 <= len(f); k += 4 {
		a0 := a[k*n:][:len(dst)]
		a1 := a[(k+1)*n:][:len(dst)]
		a2 := a[(k+2)*n:][:len(dst)]
		a3 := a[(k+3)*n:][:len(dst)]
		f0, f1, f2, f3 := f[k], f[k+1], f[k+2], f[k+3]
		for j := range dst {
			dst[j] += float64(f0*a0[j]) + float64(f1*a1[j]) + (float64(f2*a2[j]) + float64(f3*a3[j]))
		}
	}
	for ; k < len(f); k++ {
		a0, f0 := a[k*n:][:len(dst)], f[k]
		for j := range dst {
			dst[j] += float64(f0 * a0[j])
		}
	}
}
