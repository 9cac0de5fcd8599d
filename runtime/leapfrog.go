package runtime

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
		p[i] += float64(0.5 * eps * g)
	}
	at.chol.Solve(s.v, p)
	for i, v := range s.v {
		q[i] += float64(eps * v)
	}
	at.at(q)
	if st := s.gradient(at); st != OK {
		return StepResult{Status: st}
	}
	for i, g := range at.grad {
		p[i] += float64(0.5 * eps * g)
	}
	if !allFinite(q) || !allFinite(p) {
		return StepResult{Status: NonFinite}
	}
	return StepResult{}
}

// StepGLFa is one step of the generalized leapfrog with nothing remembered between evaluations,
// see Steps.GLFa.
func (s *GenericSystem) StepGLFa(q, p []float64, eps float64, sol *Solver) StepResult {
	r := s.steps.GLFa((*genericStages)(s), q, p, eps, sol)
	r.Status = s.reason(r.Status)
	return r
}

// StepGLFb is the same map computed once for what depends on the position alone, see
// Steps.GLFb.
func (s *GenericSystem) StepGLFb(q, p []float64, eps float64, sol *Solver) (r StepResult) {
	if sol.Method == Newton {
		if r = s.newtonGLFb(sol, q, p, float64(0.5*eps)); r.Status != Stalled && r.Status != IterationLimit {
			r.Status = s.reason(r.Status)
			return r
		}
	}
	plain := s.steps.GLFb((*genericStages)(s), q, p, eps, sol)
	plain.Iterations += r.Iterations
	plain.Suspect = sol.Method == Newton
	plain.Status = s.reason(plain.Status)
	return plain
}
