package runtime

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/linalg"
)

// Curved is a Model that knows the second derivatives which Newton's method needs for the
// implicit midpoint rule. Generated code implements it where it is asked to.
type Curved interface {
	Model

	// Curvature writes ∂²(−L + ½⟨W, G⟩)/∂q_k∂q_l, with W held fixed, to
	// out[k·m+l], for a symmetric W given as w[m·m].
	Curvature(out, q, w []float64)
}

// AsCurved returns what knows the second derivatives of m: itself, or the model that it
// evaluates through its interface.
func AsCurved(m Model) (Curved, bool) {
	switch g := m.(type) {
	case *GenericSystem:
		return AsCurved(g.Model)
	case *GenericConditional:
		return AsCurved(g.Model)
	}
	c, ok := m.(Curved)
	return c, ok
}

// Sloped is a Model that may know the derivative of the product of its metric with a vector, which Newton's method needs, without
// the m³ numbers of MetricJacobian.
type Sloped interface {
	Model

	// ProductJacobian writes ∂(G v)_i/∂q_k = Σ_j ∂G_ij/∂q_k v_j, with v held fixed, to out[i·m+k]. It writes nothing and reports
	// false where MetricJacobian is the way to it that takes fewest operations.
	ProductJacobian(out, q, v []float64) bool
}

// AsSloped returns what knows the derivative of products with the metric of m: itself, or the model that it evaluates through its
// interface.
func AsSloped(m Model) (Sloped, bool) {
	switch g := m.(type) {
	case *GenericSystem:
		return AsSloped(g.Model)
	case *GenericConditional:
		return AsSloped(g.Model)
	}
	s, ok := m.(Sloped)
	return s, ok
}

// Newton's method solves F(x) = 0 by x ← x − A⁻¹F(x) with the exact Jacobian A = ∂F/∂x. It
// converges where the fixed-point iteration does not contract, and so may settle on
// another root than the one that is the step, or find one in one direction of time only. Two
// rules guard it.
//
// The first: where the corrections do not shrink, the fixed-point iteration takes over.
//
// The second looks from both ends. Near a root r, Newton's method has the error
// ‖x₁ − r‖ ≤ ½ω‖x₀ − r‖² after one correction, with ω a Lipschitz constant of A⁻¹∂A, and
// converges to r from where ω‖x₀ − r‖ < 2/3 (Deuflhard 2004, Newton Methods for
// Nonlinear Problems, ch. 2). So a first correction that leaves a tenth of the error or
// less, ω‖x₀ − r‖ ≤ 0.2 as far as it tells, says that the root belongs to that
// start. A step is certain if that holds for each of its solves from where it started, and from
// where the solve of the step back would start: the step back is certain then by the same
// numbers. All others are StepResult.Suspect, upon which the transition integrates back what it
// is about to accept (ReverseSuspect). It costs one more correction for each solve.

// MaxNewton is the number of coordinates up to which steps are solved by Newton's method.
const MaxNewton = 100

// certainContraction is the ‖x₁ − r‖/‖x₀ − r‖ up to which a root belongs to x₀.
const certainContraction = 0.1

// maxNewton is the number of corrections after which a solve is given up: one that converges
// doubles its digits with each.
const maxNewton = 20

// newton is the work space of Newton's method in m coordinates, made when it is first
// needed.
type newton struct {
	model Curved      // nil if it is not
	slope Sloped      // nil if it is not
	jac   []float64   // m·m·m: ∂G_ij/∂q_k, made where something reads it
	known bool        // jac is that of the position that bend is asked for
	k     []float64   // m·m: K_ik = Σ_j ∂G_ij/∂q_k v_j
	a     []float64   // m·m: the matrix of a correction
	curv  []float64   // m·m: Curvature
	part  [][]float64 // m of m·m: G⁻¹ ∂_kG, likewise
	ginv  []float64   // m·m
	lu    *linalg.LU
	r, d  []float64 // 2m: residual, correction
	v     []float64 // m
	f     []float64 // m
	x0    []float64 // 2m: where a solve started
	x1    []float64 // 2m: its second iterate
	back  []float64 // 2m: where the solve of the step back would start
}

// newton returns the work space.
func (s *GenericSystem) newton() *newton {
	if s.second != nil {
		return s.second
	}
	m := len(s.v)
	n := &newton{
		k: make([]float64, m*m), a: make([]float64, m*m), curv: make([]float64, m*m),
		ginv: make([]float64, m*m), lu: linalg.NewLU(m),
		r: make([]float64, 2*m), d: make([]float64, 2*m), v: make([]float64, m), f: make([]float64, m),
		x0: make([]float64, 2*m), x1: make([]float64, 2*m), back: make([]float64, 2*m),
	}
	n.model, _ = AsCurved(s.Model) // without it Stepper refuses IM(b)
	n.slope, _ = AsSloped(s.Model)
	s.second = n
	return n
}

// jacobian makes jac that of the metric at q.
func (s *GenericSystem) jacobian(q []float64) {
	n, m := s.second, len(q)
	if n.jac == nil {
		n.jac = make([]float64, m*m*m)
	}
	s.Model.MetricJacobian(n.jac, q)
}

// bend makes K that of a velocity at q. The Jacobian of the metric serves several velocities at a position: whoever goes to another one clears known.
func (s *GenericSystem) bend(q, v []float64) {
	n := s.second
	if n.slope != nil && n.slope.ProductJacobian(n.k, q, v) {
		return
	}
	if !n.known {
		s.jacobian(q)
		n.known = true
	}
	n.bend(v)
}

// A correction replaces an iterate by the next, and leaves the difference in newton.d. A norm is
// the length of a difference of iterates in the metric.
type (
	correction func(x []float64) Status
	norm       func(d []float64) float64
)

// solve corrects x until a correction is at most δ.
func (n *newton) solve(sol *Solver, x []float64, correct correction, length norm) (corrections int, st Status) {
	d := n.d[:len(x)]
	copy(n.x0, x)
	last := math.Inf(1)
	for k := 1; ; k++ {
		if st := correct(x); st != OK {
			return k, st
		}
		if k == 1 {
			copy(n.x1, x)
		}
		l := length(d)
		size := sol.size(d, l)
		switch {
		case !isFinite(size) || !isFinite(l):
			return k, Stalled
		case size <= sol.Tolerance:
			return k, OK
		case !(l < last):
			return k, Stalled
		case k >= min(maxNewton, sol.MaxIterations):
			return k, IterationLimit
		}
		last = l
	}
}

// contracted reports whether root, at which a solve has ended, belongs to the start of that
// solve.
func (n *newton) contracted(sol *Solver, root []float64, length norm) bool {
	return n.closer(sol, root, n.x1, n.away(root, n.x0, length), length)
}

// contracts reports whether root belongs to another start x, of which correct makes a
// correction.
func (n *newton) contracts(sol *Solver, root, x []float64, correct correction, length norm) bool {
	before := n.away(root, x, length)
	return correct(x) == OK && n.closer(sol, root, x, before, length)
}

// closer reports whether x, the first correction of something that was so far away from root, is
// so much nearer to it, or as near as δ.
func (n *newton) closer(sol *Solver, root, x []float64, before float64, length norm) bool {
	after := n.away(root, x, length)
	return after <= certainContraction*before || sol.size(n.d[:len(root)], after) <= sol.Tolerance
}

// away returns the length of x − root, and leaves the difference in d.
func (n *newton) away(root, x []float64, length norm) float64 {
	d := n.d[:len(root)]
	for i, r := range root {
		d[i] = x[i] - r
	}
	return length(d)
}

// bend writes K_ik = Σ_j ∂G_ij/∂q_k v_j, from the Jacobian of the metric.
func (n *newton) bend(v []float64) {
	m := len(v)
	clear(n.k)
	for i := range m {
		row := n.k[i*m:][:m]
		for j, vj := range v {
			for k, d := range n.jac[(i*m+j)*m:][:m] {
				row[k] += float64(vj * d)
			}
		}
	}
}

// divide writes G⁻¹ ∂_kG for each k, from the Jacobian of the metric.
func (n *newton) divide(chol *linalg.Cholesky) {
	m := len(n.v)
	for len(n.part) < m {
		n.part = append(n.part, make([]float64, m*m))
	}
	for k, p := range n.part {
		// Row j of (G⁻¹∂_kG)ᵀ is G⁻¹ times column j of ∂_kG, and traces of
		// products do not ask which of the two it is.
		for j := range m {
			row := p[j*m:][:m]
			for i := range row {
				row[i] = n.jac[(i*m+j)*m+k]
			}
			chol.Solve(row, row)
		}
	}
}

// correctMomentum makes a correction of p̄ in the first equation of the generalized leapfrog,
//
//	F(p̄) = p̄ − p + h ∂_qH(q, p̄) = 0,  A = I − h KᵀG⁻¹,  K = Σ_j ∂G_·j/∂q v_j, v = G⁻¹p̄,
//
// at a position q whose force is known.
func (s *GenericSystem) correctMomentum(at *position, q, p, pbar []float64, h float64) Status {
	m, n := len(p), s.second
	r, step := n.r[:m], n.d[:m]
	s.slope(n.f, at, pbar)
	for i := range r {
		r[i] = pbar[i] - p[i] + float64(h*n.f[i])
	}
	at.chol.Solve(n.v, pbar)
	s.bend(q, n.v)
	// Row k of KᵀG⁻¹ is G⁻¹ times column k of K.
	for k := range m {
		row := n.a[k*m:][:m]
		for i := range row {
			row[i] = n.k[i*m+k]
		}
		at.chol.Solve(row, row)
		for i := range row {
			row[i] = float64(row[i] * (-h))
		}
		row[k]++
	}
	if n.lu.Factor(n.a) != linalg.Factored {
		return Stalled
	}
	n.lu.Solve(step, r)
	for i := range pbar {
		pbar[i] -= step[i]
	}
	return OK
}

// correctPosition makes a correction of x in the second equation of the generalized leapfrog,
//
//	F(x) = x − q − h (v₀ + v) = 0,  A = I + h G⁻¹K,  v = G(x)⁻¹p̄,
//
// with K as above at x. G A = G + hK needs no inverse.
func (s *GenericSystem) correctPosition(q, v0, x, pbar []float64, h float64) Status {
	m, n := len(q), s.second
	r, step := n.r[:m], n.d[:m]
	if st := (*genericStages)(s).Evaluate(x); st != OK {
		return st
	}
	s.last.chol.Solve(n.v, pbar)
	g := s.there.g
	n.known = false
	s.bend(x, n.v)
	for i := range r {
		s.v[i] = x[i] - q[i] - float64(h*(v0[i]+n.v[i]))
	}
	multiply(r, g, s.v)
	for i, k := range n.k {
		n.a[i] = g[i] + float64(h*k)
	}
	if n.lu.Factor(n.a) != linalg.Factored {
		return Stalled
	}
	n.lu.Solve(step, r)
	for i := range x {
		x[i] -= step[i]
	}
	return OK
}

// correctMidpoint makes a correction of x in the equation of the implicit midpoint rule for the
// midpoint, F(x) = x − z − h f(x) = 0 with x = (q, p), f = (∂_pH, −∂_qH) and the step's start
// z in w.z. The second derivatives of H are
//
//	H_pp = G⁻¹,  H_qp = −KᵀG⁻¹,  H_qq = C − T + KᵀG⁻¹K,
//	C = ∂²(−L + ½⟨W, G⟩) at fixed W = G⁻¹ − v vᵀ,  T_kl = ½ tr(G⁻¹ ∂_kG G⁻¹ ∂_lG),
//
// with K as above. Elimination of the momenta leaves m equations, in which KᵀG⁻¹K drops
// out:
//
//	[G + h(K − Kᵀ) + h²(C − T)] Δq = h F_p + (G − hKᵀ) F_q
//	Δp = ((G + hK) Δq − G F_q)/h
//
// for x ← x − Δ.
func (s *GenericSystem) correctMidpoint(x []float64, h float64) Status {
	m, n := len(x)/2, s.second
	q, p := x[:m], x[m:]
	w := &s.steps
	if st := w.flow((*genericStages)(s), w.y, x, h); st != OK {
		return st
	}
	// What flow has left: v in w.v, G and its factor in s.there.
	g, chol, v := s.there.g, s.there.chol, w.v
	for i := range n.r {
		n.r[i] = x[i] - w.y[i]
	}
	s.jacobian(q)
	n.bend(v) // T takes all of ∂G
	chol.Inverse(n.ginv)
	n.divide(chol)
	outer(n.ginv, v, -1)
	n.model.Curvature(n.curv, q, n.ginv)
	for k := range m {
		for l := range k + 1 {
			t := float64(0.5 * traceOfProduct(n.part[k], n.part[l], m))
			n.curv[k*m+l] -= t
			if l < k {
				n.curv[l*m+k] -= t
			}
		}
	}
	fq, fp := n.r[:m], n.r[m:]
	dq, dp := n.d[:m], n.d[m:]
	multiply(dp, g, fq) // G F_q
	for i := range m {
		sum := dp[i] + float64(h*fp[i])
		for j := range m {
			sum -= float64(h * n.k[j*m+i] * fq[j])
			n.a[i*m+j] = g[i*m+j] + float64(h*(n.k[i*m+j]-n.k[j*m+i])) + float64(h*h*n.curv[i*m+j])
		}
		dq[i] = sum
	}
	if n.lu.Factor(n.a) != linalg.Factored {
		return Stalled
	}
	n.lu.Solve(dq, dq)
	for i := range m {
		sum := -dp[i]
		for j := range m {
			sum += float64((g[i*m+j] + float64(h*n.k[i*m+j])) * dq[j])
		}
		dp[i] = sum / h
	}
	for i := range q {
		q[i] -= dq[i]
		p[i] -= dp[i]
	}
	return OK
}

// newtonGLFb is StepGLFb by Newton's method, with p and q for starts.
func (s *GenericSystem) newtonGLFb(sol *Solver, q, p []float64, h float64) (r StepResult) {
	m, n := len(q), s.newton()
	at := s.here.at(q)
	if r.Status = s.force(at); r.Status != OK {
		return r
	}
	pbar, qnew := s.steps.x[:m], s.steps.x[m:]
	copy(pbar, p)
	copy(qnew, q)
	ofMomenta := func(d []float64) float64 {
		at.chol.Solve(n.v, d)
		return math.Sqrt(inner(d, n.v))
	}
	ofPositions := func(d []float64) float64 {
		multiply(n.v, s.there.g, d)
		return math.Sqrt(inner(d, n.v))
	}
	n.known = false
	r.Iterations, r.Status = n.solve(sol, pbar, func(x []float64) Status { return s.correctMomentum(at, q, p, x, h) }, ofMomenta)
	if r.Status != OK {
		return r
	}
	sure := n.contracted(sol, pbar, ofMomenta)

	v0, other := n.back[:m], n.back[m:]
	at.chol.Solve(v0, pbar)
	k, st := n.solve(sol, qnew, func(x []float64) Status { return s.correctPosition(q, v0, x, pbar, h) }, ofPositions)
	r.Iterations += k
	if r.Status = s.reason(st); st != OK {
		return r
	}
	sure = sure && n.contracted(sol, qnew, ofPositions)
	if sure {
		// The step back solves for q from q'.
		if r.Status = (*genericStages)(s).Evaluate(qnew); r.Status != OK {
			return r
		}
		s.last.chol.Solve(v0, pbar)
		copy(other, qnew)
		sure = n.contracts(sol, q, other, func(x []float64) Status { return s.correctPosition(qnew, v0, x, pbar, -h) }, ofPositions)
		r.Iterations++
	}

	if r = s.steps.finishGLFb((*genericStages)(s), q, p, h, r); r.Status != OK {
		return r
	}
	if sure {
		// And for p̄ from p', at the new position.
		n.known = false
		copy(other, p)
		sure = n.contracts(sol, pbar, other, func(x []float64) Status { return s.correctMomentum(at, q, p, x, -h) }, ofMomenta)
		r.Iterations++
	}
	r.Suspect = !sure
	return r
}

// newtonIMb solves the equation of StepIMb by Newton's method, and leaves the midpoint in the
// iterate of s.steps.
func (s *GenericSystem) newtonIMb(sol *Solver, q, p []float64, h float64) (r StepResult) {
	m, n, x := len(s.v), s.newton(), s.steps.x
	stages := (*genericStages)(s)
	z := s.steps.z
	copy(z, q)
	copy(z[m:], p)
	if r.Status = s.steps.flow(stages, x, z, h); r.Status != OK {
		return r
	}
	length := func(d []float64) float64 {
		s.there.chol.Solve(n.v, d[m:])
		sum := inner(d[m:], n.v)
		multiply(n.v, s.there.g, d[:m])
		return math.Sqrt(sum + inner(d[:m], n.v))
	}
	r.Iterations, r.Status = n.solve(sol, x, func(x []float64) Status { return s.correctMidpoint(x, h) }, length)
	if r.Status != OK {
		return r
	}
	r.Suspect = true
	if !n.contracted(sol, x, length) {
		return r
	}
	// The step back starts from z' = 2 z̄ − z, and predicts z' − h f(z').
	for i := range z {
		z[i] = float64(2*x[i]) - z[i]
	}
	r.Iterations++
	if s.steps.flow(stages, n.back, z, -h) == OK {
		r.Suspect = !n.contracts(sol, x, n.back, func(x []float64) Status { return s.correctMidpoint(x, -h) }, length)
	}
	return r
}

// multiply writes a x to y, for a row-major a.
func multiply(y, a, x []float64) {
	for i := range y {
		y[i] = inner(a[i*len(x):][:len(x)], x)
	}
}

// inner returns Σ_i x_i y_i.
func inner(x, y []float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += float64(v * y[i])
	}
	return sum
}

// traceOfProduct returns tr(a b) for row-major matrices of order m.
func traceOfProduct(a, b []float64, m int) float64 {
	sum := 0.0
	for i := range m {
		for j := range m {
			sum += float64(a[i*m+j] * b[j*m+i])
		}
	}
	return sum
}

// size returns the norm of a difference d, whose length in the metric is known.
func (s *Solver) size(d []float64, length float64) float64 {
	if s.Norm == MaxNorm {
		return Largest(d)
	}
	return length
}
