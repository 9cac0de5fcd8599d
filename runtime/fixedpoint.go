package runtime

import "math"

// Iterate solves x = f(x) as the implicit steps do, by Algorithm 1 of the paper: x ← f(x), at
// least once, until |Δx| ≤ δ, with f(y, x) writing the image of x to y, which is work space of
// the length of x. For MetricNorm |Δx| is what length says of a Δx that came from the last call of f; it may be nil
// where the Norm is MaxNorm. The solution is left in x. It returns the number
// of times that f was applied, and why it gave up: f's own status, or that of Solver.Check. It is
// for integrators that this package does not have.
func (s *Solver) Iterate(x, y []float64, length func(dx []float64) float64, f func(y, x []float64) Status) (int, Status) {
	return fixedPoint(s, 1, x, y, func(dx []float64) float64 {
		l := length(dx)
		return float64(l * l)
	}, nil, f, nil)
}

// fixedPoint runs Algorithm 1 of the paper: x ← f(x), at least once, until
// |Δx| ≤ δ, with f(y, x) writing the image of x to y. For MetricNorm |Δx|² is the sum of square(Δx) and, unless it is nil,
// of rest(Δx), which is asked for only where the first does not decide. The
// solution is left in x. Iterations are counted from first: iteration 0, where there is one, predicts
// where the solve starts, and is not one of its own. With next, and the method Anderson, that replaces the image of
// iteration k by a better iterate. It returns the number of times that f was applied, and why it gave up:
// f's own status, or that of Solver.Check.
//
// It is printed into flat models as it stands here, with a variable for each element of x and y (package
// codegen/unroll).
func fixedPoint(s *Solver, first int, x, y []float64, square, rest func(dx []float64) float64, f func(y, x []float64) Status, next func(k int, x []float64)) (int, Status) {
	y = y[:len(x)]
	limit := s.Tolerance // of the largest |Δx_i|, or of the square
	if s.Norm != MaxNorm {
		limit = float64(limit * limit)
	}
	check, last := s.FirstCheck(), math.Inf(1)
	for k := first; ; k++ {
		if st := f(y, x); st != OK {
			return k, st
		}
		for i := range y {
			x[i], y[i] = y[i], y[i]-x[i]
		}
		var converged bool // which a NaN is not
		if s.Norm == MaxNorm {
			converged = within(y, limit)
		} else {
			length := square(y)
			if rest != nil {
				if length <= limit {
					length += rest(y)
				}
			}
			converged = length <= limit
		}
		if converged && k > 0 {
			return k, OK
		}
		if k >= check {
			var residual float64
			if s.Norm == MaxNorm {
				residual = Largest(y)
			} else {
				length := square(y)
				if rest != nil {
					length += rest(y)
				}
				residual = math.Sqrt(length)
			}
			var st Status
			if check, st = s.Check(k, residual, last); st != OK {
				return k, st
			}
			last = residual
		}
		if next != nil {
			if s.Method == Anderson {
				next(k, x)
			}
		}
	}
}

// within reports whether max|x_i| is at most a limit; with a NaN it is not.
func within(x []float64, limit float64) bool {
	for _, v := range x {
		if !(math.Abs(v) <= limit) {
			return false
		}
	}
	return true
}
