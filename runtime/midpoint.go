package runtime

// StepIMa is one step of the implicit midpoint rule solved for its end point, see Steps.IMa.
func (s *GenericSystem) StepIMa(q, p []float64, eps float64, sol *Solver) StepResult {
	r := s.steps.IMa((*genericStages)(s), q, p, eps, sol)
	r.Status = s.reason(r.Status)
	return r
}

// StepIMb is one step of the implicit midpoint rule solved for the midpoint, see Steps.IMb.
func (s *GenericSystem) StepIMb(q, p []float64, eps float64, sol *Solver) (r StepResult) {
	if sol.Method == Newton && s.newton().model != nil {
		if r = s.newtonIMb(sol, q, p, float64(0.5*eps)); r.Status != Stalled && r.Status != IterationLimit {
			r.Status = s.reason(r.Status)
			s.steps.reflect(q, p)
			return r
		}
	}
	plain := s.steps.IMb((*genericStages)(s), q, p, eps, sol)
	plain.Iterations += r.Iterations
	plain.Suspect = sol.Method == Newton && s.newton().model != nil
	plain.Status = s.reason(plain.Status)
	return plain
}
