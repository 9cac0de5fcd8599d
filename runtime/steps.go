package runtime

// Field is the vector field of Hamilton's equations,
//
//	∂H/∂p = v = G⁻¹p,  ∂H/∂q_k = −∂_kL + ½⟨G⁻¹ − v vᵀ, ∂_kG⟩,
//
// with the metric at the position that was evaluated last: what the implicit midpoint rule
// is made of. Generated code implements it, and Stages where the metric is not constant.
type Field interface {
	// Field writes ∂H/∂p to v and ∂H/∂q to f, or says why there is none.
	Field(v, f, q, p []float64) Status

	Form(dq []float64) float64   // dqᵀG dq
	Quad(dp []float64) float64   // dpᵀG⁻¹dp
	RootDiagonal(root []float64) // √G_ii
}

// Stages is a Field with each of its parts that a step of the generalized leapfrog asks for
// on its own, so that what is invariant during a solve is not computed in it.
type Stages interface {
	Field

	// Complete computes all that ∂H/∂q at q has without the momentum, and returns
	// −∂L/∂q + ½⟨G⁻¹, ∂G/∂q⟩, which the caller does not modify. It is quick at the
	// position that was completed last.
	Complete(q []float64) ([]float64, Status)

	// MomentumForce writes ½⟨v vᵀ, ∂G/∂q⟩ with v = G⁻¹p to f, at a position that is
	// complete.
	MomentumForce(f, q, p []float64)

	// Evaluate makes the factor that of G(q).
	Evaluate(q []float64) Status

	// Solve writes v = G⁻¹p, with G at the position that was evaluated last.
	Solve(v, p []float64)
}

// Separable is Hamilton's equations where the metric is constant, so that ∂H/∂q = −∂L/∂q and ∂H/∂p = M⁻¹p: what explicit
// steps are made of.
type Separable interface {
	// At makes the gradient that of q, which is quick where the step before has ended, and returns the position of the gradient, which is
	// equal to q, and ∂L/∂q there; or it says why there is none. The caller writes to the position alone, and calls Slope then.
	At(q []float64) (at, slope []float64, st Status)

	// Slope makes the gradient that of its position again, or says why there is none.
	Slope() Status

	// Solve writes v = M⁻¹p, after a call of At.
	Solve(v, p []float64)
}

// Steps holds the work space of the steps of the integrators, over the Stages of a
// model of m coordinates; explicit steps need of the model that it is Separable. It serves one goroutine.
type Steps struct {
	x, y     []float64 // 2m: the iterate of a solve, and its image
	z        []float64 // 2m: where a step of the implicit midpoint rule starts
	v, f, v0 []float64 // m
	mid      []float64 // 2m, of IM(a)
	root     []float64 // m: √G_ii where a step starts
	mix      Accelerator
}

// NewSteps returns work space for m coordinates.
func NewSteps(m int) Steps {
	s := Steps{}
	for _, v := range []*[]float64{&s.v, &s.f, &s.v0, &s.root} {
		*v = make([]float64, m)
	}
	for _, v := range []*[]float64{&s.x, &s.y, &s.z, &s.mid} {
		*v = make([]float64, 2*m)
	}
	return s
}

// Leapfrog is one step of the leapfrog,
//
//	p̄ = p + ½ε∂L(q),  q' = q + εM⁻¹p̄,  p' = p̄ + ½ε∂L(q').
func (w *Steps) Leapfrog(s Separable, q, p []float64, eps float64) StepResult {
	at, slope, st := s.At(q)
	if st != OK {
		return StepResult{Status: st}
	}
	n := len(q)
	p, at, slope, v, h := p[:n], at[:n], slope[:n], w.v[:n], float64(0.5*eps)
	for i := range p {
		p[i] += float64(h * slope[i])
	}
	s.Solve(v, p)
	d := 0.0 // unless a coordinate is not finite
	for i := range q {
		x := q[i] + float64(eps*v[i])
		q[i], at[i] = x, x
		d += x - x
	}
	if st := s.Slope(); st != OK {
		return StepResult{Status: st}
	}
	for i := range p {
		p[i] += float64(h * slope[i])
		d += p[i] - p[i]
	}
	if d != 0 {
		return StepResult{Status: NonFinite}
	}
	return StepResult{}
}

// flow writes z + h (v, −f), with z in w.z and v and f of x = (q, p), to y. More arguments than these, or slices of the halves,
// would take longer to pass than a small model takes to compute with.
func (w *Steps) flow(s Field, y, x []float64, h float64) Status {
	n := len(w.v)
	if st := s.Field(w.v, w.f, x[:n:n], x[n:]); st != OK {
		return st
	}
	v, f, z := w.v, w.f, w.z
	f = f[:len(v)]
	for i := range v {
		y[i], y[n+i] = z[i]+float64(h*v[i]), z[n+i]-float64(h*f[i])
	}
	return OK
}

// IMa is one step of the implicit midpoint rule solved for its end point,
// Algorithm 3 of the paper: with z = (q, p) and f = (∂_pH, −∂_qH),
//
//	z' = z + ε f((z + z')/2)        fixed point from z + ½ε f(z)
//
// The paper starts from z; the authors' code, and this, start from the explicit
// half step. That evaluation is not counted as an iteration.
func (w *Steps) IMa(s Field, q, p []float64, eps float64, sol *Solver) (r StepResult) {
	n := len(q)
	z, mid := w.z, w.mid
	copy(z[:n], q)
	copy(z[n:], p)
	if r.Status = w.flow(s, w.x, z, float64(0.5*eps)); r.Status != OK {
		return r
	}
	r.Iterations, r.Status = fixedPoint(sol, 1, w.x, w.y, func(d []float64) float64 { return s.Form(d[:n]) }, func(d []float64) float64 { return s.Quad(d[n:]) }, func(y, x []float64) Status {
		for i := range x {
			mid[i] = float64(0.5 * (z[i] + x[i]))
		}
		return w.flow(s, y, mid, eps)
	}, nil)
	copy(q, w.x[:n])
	copy(p, w.x[n:])
	return r
}

// IMb is one step of the implicit midpoint rule solved for the midpoint
// (Leimkuhler & Reich 2005), Algorithm 5 of the paper:
//
//	z̄  = z + ½ε f(z̄)               fixed point from z + ½ε f(z)
//	z' = z̄ + ½ε f(z̄) = 2 z̄ − z
//
// The second form takes f from the last iteration instead of evaluating it
// once more, as the authors' code does.
func (w *Steps) IMb(s Field, q, p []float64, eps float64, sol *Solver) (r StepResult) {
	n := len(q)
	h := float64(0.5 * eps)
	copy(w.z[:n], q)
	copy(w.z[n:], p)
	copy(w.x, w.z)
	// Iteration 0 is the explicit half step.
	r.Iterations, r.Status = fixedPoint(sol, 0, w.x, w.y, func(d []float64) float64 { return s.Form(d[:n]) }, func(d []float64) float64 { return s.Quad(d[n:]) }, func(y, x []float64) Status {
		return w.flow(s, y, x, h)
	}, func(k int, x []float64) {
		if k == 0 {
			s.RootDiagonal(w.root)
			w.mix.Begin(x[:n], x[n:], w.root)
		} else {
			w.mix.Next(x[:n], x[n:])
		}
	})
	w.reflect(q, p)
	return r
}

// reflect makes z the point 2 z̄ − z on the other side of the iterate z̄.
func (w *Steps) reflect(q, p []float64) {
	qm, pm := w.x[:len(q)], w.x[len(q):]
	p, pm = p[:len(q)], pm[:len(q)]
	for i := range q {
		q[i], p[i] = float64(2*qm[i])-q[i], float64(2*pm[i])-p[i]
	}
}

// GLFa is one step of the generalized leapfrog as Algorithm 2 of the paper
// states it, with nothing remembered between evaluations:
//
//	p̄  = p − ½ε ∂_qH(q, p̄)                        fixed point from p
//	q' = q + ½ε (∂_pH(q, p̄) + ∂_pH(q', p̄))        fixed point from q
//	p' = p̄ − ½ε ∂_qH(q', p̄)
func (w *Steps) GLFa(s Stages, q, p []float64, eps float64, sol *Solver) (r StepResult) {
	n := len(q)
	h := float64(0.5 * eps)
	pbar, qnew := w.x[:n], w.x[n:]
	copy(pbar, p)
	copy(qnew, q)
	r.Iterations, r.Status = fixedPoint(sol, 1, pbar, w.y, s.Quad, nil, func(y, x []float64) Status {
		st := s.Field(w.v, w.f, q, x)
		for i := range y {
			y[i] = p[i] - float64(h*w.f[i])
		}
		return st
	}, nil)
	if r.Status != OK {
		return r
	}
	iterations, st := fixedPoint(sol, 1, qnew, w.y, s.Form, nil, func(y, x []float64) Status {
		if st := s.Evaluate(q); st != OK {
			return st
		}
		s.Solve(w.v0, pbar)
		return w.drift(s, y, x, q, pbar, h)
	}, nil)
	r.Iterations += iterations
	if r.Status = st; st != OK {
		return r
	}
	if r.Status = s.Field(w.v, w.f, qnew, pbar); r.Status != OK {
		return r
	}
	for i := range p {
		p[i] = pbar[i] - float64(h*w.f[i])
	}
	copy(q, qnew)
	if !allFinite(p) {
		r.Status = NonFinite
	}
	return r
}

// drift writes q + h (v₀ + G(x)⁻¹p) to y.
func (w *Steps) drift(s Stages, y, x, q, p []float64, h float64) Status {
	if st := s.Evaluate(x); st != OK {
		return st
	}
	s.Solve(w.v, p)
	for i := range y {
		y[i] = q[i] + float64(h*(w.v0[i]+w.v[i]))
	}
	return OK
}

// GLFb is the same map as GLFa computed as Algorithm 4 of the paper
// does: what depends on q alone, ∇L(q), the factor of G(q) and ⟨G⁻¹, ∂G⟩, is
// computed once, so that the momentum solve repeats only v = G⁻¹p̄ and
// ⟨v vᵀ, ∂G⟩, and the position solve only G(q') and G(q')⁻¹p̄. The evaluation at
// the new q serves the next step as well.
//
// The paper prints A_i with +∂L/∂q_i; here it is −∂L/∂q_i, as in the authors'
// code and as Hamilton's equations ask.
func (w *Steps) GLFb(s Stages, q, p []float64, eps float64, sol *Solver) (r StepResult) {
	n := len(q)
	h := float64(0.5 * eps)
	force, st := s.Complete(q)
	if r.Status = st; st != OK {
		return r
	}
	pbar, qnew := w.x[:n], w.x[n:]
	copy(pbar, p)
	copy(qnew, q)
	// The momentum, with all that depends on q fixed.
	r.Iterations, r.Status = fixedPoint(sol, 1, pbar, w.y, s.Quad, nil, func(y, x []float64) Status {
		w.kick(s, y, q, x, p, force, h)
		return OK
	}, nil)
	if r.Status != OK {
		return r
	}
	// The position, with the velocity at q fixed.
	s.Solve(w.v0, pbar)
	iterations, st := fixedPoint(sol, 1, qnew, w.y, s.Form, nil, func(y, x []float64) Status {
		return w.drift(s, y, x, q, pbar, h)
	}, nil)
	r.Iterations += iterations
	r.Status = st
	return w.finishGLFb(s, q, p, h, r)
}

// kick writes p − h ∂_qH(q, x) to y, at a position that is complete with a force.
func (w *Steps) kick(s Stages, y, q, x, p, force []float64, h float64) {
	s.MomentumForce(w.f, q, x)
	f := w.f[:len(y)]
	p, force = p[:len(y)], force[:len(y)]
	for i := range y {
		y[i] = p[i] - float64(h*(force[i]-f[i]))
	}
}

// finishGLFb ends a step whose equations have been solved, as r tells, for the p̄ and q' in
// w.x: p' = p̄ − ½ε ∂_qH(q', p̄).
func (w *Steps) finishGLFb(s Stages, q, p []float64, h float64, r StepResult) StepResult {
	if r.Status != OK {
		return r
	}
	pbar, qnew := w.x[:len(q)], w.x[len(q):]
	// The momentum again, explicitly.
	force, st := s.Complete(qnew)
	if r.Status = st; st != OK {
		return r
	}
	copy(q, qnew)
	w.kick(s, p, q, pbar, pbar, force, h)
	d := 0.0 // unless a momentum is not finite
	for i := range p {
		d += p[i] - p[i]
	}
	if d != 0 {
		r.Status = NonFinite
	}
	return r
}
