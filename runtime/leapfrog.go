package runtime

// StepLeapfrog is the leapfrog of a constant metric, see Steps.Leapfrog.
func (s *GenericSystem) StepLeapfrog(q, p []float64, eps float64) StepResult {
	return s.steps.Leapfrog((*genericStages)(s), q, p, eps)
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
