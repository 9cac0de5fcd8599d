package runtime

// StepIMa is one step of the implicit midpoint rule solved for its end point,
// Algorithm 3 of the paper: with z = (q, p) and f = (∂_pH, −∂_qH),
//
//	z' = z + ε f((z + z')/2)        fixed point from z + ½ε f(z)
//
// The paper starts from z; the authors' code, and this, start from the explicit
// half step. That evaluation is not counted as an iteration.
func (s *GenericSystem) StepIMa(q, p []float64, eps float64, sol *Solver) (r StepResult) {
	if r.Status = s.predict(q, p, eps); r.Status != OK {
		return r
	}
	n := len(q)
	z, mid := s.z, s.mid
	r.Iterations, r.Status = s.fixedPoint(sol, s.x, s.y, s.length, func(y, x []float64) Status {
		for i := range mid {
			mid[i] = 0.5 * (z[i] + x[i])
		}
		return s.flow(y, mid, eps)
	})
	copy(q, s.x[:n])
	copy(p, s.x[n:])
	return r
}

// StepIMb is one step of the implicit midpoint rule solved for the midpoint
// (Leimkuhler & Reich 2005), Algorithm 5 of the paper:
//
//	z̄  = z + ½ε f(z̄)               fixed point from z + ½ε f(z)
//	z' = z̄ + ½ε f(z̄) = 2 z̄ − z
//
// The second form takes f from the last iteration instead of evaluating it
// once more, as the authors' code does.
func (s *GenericSystem) StepIMb(q, p []float64, eps float64, sol *Solver) (r StepResult) {
	if r.Status = s.predict(q, p, eps); r.Status != OK {
		return r
	}
	solved := false
	if sol.Method == Newton && s.newton().model != nil {
		r = s.newtonIMb(sol, 0.5*eps)
		if solved = r.Status != Stalled && r.Status != IterationLimit; !solved {
			r.Suspect = true
			if r.Status = s.predict(q, p, eps); r.Status != OK {
				return r
			}
		}
	}
	if !solved {
		var mix *Accelerator
		if sol.Method == Anderson {
			mix = &s.mix
			s.there.chol.RootDiagonal(s.root)
			mix.Begin(s.x[:len(q)], s.x[len(q):], s.root)
		}
		var iterations int
		iterations, r.Status = fixedPoint(sol, mix, s.x, s.y, s.length, func(y, x []float64) Status {
			return s.flow(y, x, 0.5*eps)
		})
		r.Iterations += iterations
	}
	r.Status = s.reason(r.Status)
	mid := s.x
	for i := range q {
		q[i] = 2*mid[i] - q[i]
	}
	mid = mid[len(q):]
	for i := range p {
		p[i] = 2*mid[i] - p[i]
	}
	return r
}

// predict stores the start z = (q, p) of an implicit midpoint step and the
// first iterate x = z + ½ε f(z).
func (s *GenericSystem) predict(q, p []float64, eps float64) Status {
	copy(s.z, q)
	copy(s.z[len(q):], p)
	return s.flow(s.x, s.z, 0.5*eps)
}

// flow writes z + h f(x) to y, with z the start of the step.
func (s *GenericSystem) flow(y, x []float64, h float64) Status {
	n := len(s.v)
	if st := s.VectorField(s.dq, s.dp, x[:n], x[n:]); st != OK {
		return st
	}
	for i := range n {
		y[i] = s.z[i] + h*s.dp[i]
		y[n+i] = s.z[n+i] - h*s.dq[i]
	}
	return OK
}
