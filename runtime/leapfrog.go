package runtime

import "math"

// StepLeapfrog is the leapfrog of a constant metric:
// p̄ = p + ½ε∇L(q), q' = q + εG⁻¹p̄, p' = p̄ + ½ε∇L(q'). The gradient at q' is
// kept for the next step.
func (s *GenericSystem) StepLeapfrog(q, p []float64, eps float64) StepResult {
	at := s.here.at(q)
	st := s.gradient(at)
	if st == OK {
		st = s.factor(at)
	}
	if st != OK {
		return StepResult{Status: st}
	}
	for i, g := range at.grad {
		p[i] += 0.5 * eps * g
	}
	at.chol.Solve(s.v, p)
	for i, v := range s.v {
		q[i] += eps * v
	}
	at.at(q)
	if st := s.gradient(at); st != OK {
		return StepResult{Status: st}
	}
	for i, g := range at.grad {
		p[i] += 0.5 * eps * g
	}
	if !allFinite(q) || !allFinite(p) {
		return StepResult{Status: NonFinite}
	}
	return StepResult{}
}

// StepGLFa is one step of the generalized leapfrog as Algorithm 2 of the paper
// states it, with nothing remembered between evaluations:
//
//	p̄  = p − ½ε ∂_qH(q, p̄)                        fixed point from p
//	q' = q + ½ε (∂_pH(q, p̄) + ∂_pH(q', p̄))        fixed point from q
//	p' = p̄ − ½ε ∂_qH(q', p̄)
func (s *GenericSystem) StepGLFa(q, p []float64, eps float64, sol *Solver) (r StepResult) {
	n := len(q)
	h := 0.5 * eps
	pbar, qnew := s.x[:n], s.x[n:]
	copy(pbar, p)
	copy(qnew, q)

	iterations, st := s.fixedPoint(sol, pbar, s.y, func(d []float64) float64 { return math.Sqrt(s.there.chol.Quad(d)) }, func(y, x []float64) Status {
		if st := s.VectorField(s.dq, s.dp, q, x); st != OK {
			return st
		}
		for i := range y {
			y[i] = p[i] - h*s.dq[i]
		}
		return OK
	})
	r.Iterations = iterations
	if r.Status = st; st != OK {
		return r
	}

	iterations, st = s.fixedPoint(sol, qnew, s.y, s.positionLength, func(y, x []float64) Status {
		if st := s.velocity(s.dq, q, pbar); st != OK {
			return st
		}
		if st := s.velocity(s.dp, x, pbar); st != OK {
			return st
		}
		for i := range y {
			y[i] = q[i] + h*(s.dq[i]+s.dp[i])
		}
		return OK
	})
	r.Iterations += iterations
	if r.Status = st; st != OK {
		return r
	}

	if r.Status = s.VectorField(s.dq, s.dp, qnew, pbar); r.Status != OK {
		return r
	}
	for i := range p {
		p[i] = pbar[i] - h*s.dq[i]
	}
	copy(q, qnew)
	if !allFinite(p) {
		r.Status = NonFinite
	}
	return r
}

// velocity writes ∂H/∂p = G(q)⁻¹p to out.
func (s *GenericSystem) velocity(out, q, p []float64) Status {
	at := s.there.at(q)
	at.have = 0
	if st := s.factor(at); st != OK {
		return st
	}
	at.chol.Solve(out, p)
	return OK
}

// StepGLFb is the same map as StepGLFa computed as Algorithm 4 of the paper
// does: what depends on q alone, ∇L(q), the factor of G(q) and ⟨G⁻¹, ∂G⟩, is
// computed once, so that the momentum solve repeats only v = G⁻¹p̄ and
// ⟨v vᵀ, ∂G⟩, and the position solve only G(q') and G(q')⁻¹p̄. The evaluation at
// the new q serves the next step as well.
//
// The paper prints A_i with +∂L/∂q_i; here it is −∂L/∂q_i, as in the authors'
// code and as Hamilton's equations ask.
func (s *GenericSystem) StepGLFb(q, p []float64, eps float64, sol *Solver) (r StepResult) {
	n := len(q)
	h := 0.5 * eps
	at := s.here.at(q)
	if r.Status = s.force(at); r.Status != OK {
		return r
	}
	pbar, qnew := s.x[:n], s.x[n:]
	copy(pbar, p)
	copy(qnew, q)
	if sol.Method == Newton {
		r = s.newtonGLFb(sol, at, q, p, pbar, qnew, h)
		if r.Status != Stalled && r.Status != IterationLimit {
			return r
		}
		copy(pbar, p)
		copy(qnew, q)
		r.Suspect = true
	}

	iterations, st := s.fixedPoint(sol, pbar, s.y, func(d []float64) float64 { return math.Sqrt(at.chol.Quad(d)) }, func(y, x []float64) Status {
		s.slope(s.dq, at, x)
		for i := range y {
			y[i] = p[i] - h*s.dq[i]
		}
		return OK
	})
	r.Iterations += iterations
	if r.Status = st; st != OK {
		return r
	}

	at.chol.Solve(s.dq, pbar)
	iterations, st = s.fixedPoint(sol, qnew, s.y, s.positionLength, func(y, x []float64) Status {
		if st := s.velocity(s.dp, x, pbar); st != OK {
			return st
		}
		for i := range y {
			y[i] = q[i] + h*(s.dq[i]+s.dp[i])
		}
		return OK
	})
	r.Iterations += iterations
	r.Status = st
	return s.finishGLFb(q, p, h, r)
}

// finishGLFb ends a step whose equations have been solved, as r tells, for the p̄ and q' in
// s.x: p' = p̄ − ½ε ∂_qH(q', p̄).
func (s *GenericSystem) finishGLFb(q, p []float64, h float64, r StepResult) StepResult {
	if r.Status != OK {
		return r
	}
	pbar, qnew := s.x[:len(q)], s.x[len(q):]
	copy(q, qnew)
	at := s.here.at(q)
	if r.Status = s.force(at); r.Status != OK {
		return r
	}
	s.slope(s.dq, at, pbar)
	for i := range p {
		p[i] = pbar[i] - h*s.dq[i]
	}
	if !allFinite(p) {
		r.Status = NonFinite
	}
	return r
}
