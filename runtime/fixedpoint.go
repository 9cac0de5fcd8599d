package runtime

import "math"

// Iterate solves x = f(x) as the implicit steps do, by Algorithm 1 of the paper: x ← f(x), at
// least once, until max u_i|Δx_i| ≤ δ, with f(y, x) writing the image of x to y, which is work space of
// the length of x, and u the reciprocal units of Units for what x holds. The solution is left in x. It returns the number
// of times that f was applied, and why it gave up: f's own status, or that of Solver.Check. It is
// for integrators that this package does not have.
func (s *Solver) Iterate(x, y, u []float64, f func(y, x []float64) Status) (int, Status) {
	return fixedPoint(s, nil, x, y, u, f)
}

// fixedPoint runs Algorithm 1 of the paper: x ← f(x), at least once, until
// max u_i|Δx_i| ≤ δ, with f(y, x) writing the image of x to y. The solution is left
// in x. With an Accelerator that has begun at x, that makes the next iterate of the
// image. It returns the number of times that f was applied, and why it gave up:
// f's own status, or that of Solver.Check.
func fixedPoint(s *Solver, mix *Accelerator, x, y, u []float64, f func(y, x []float64) Status) (int, Status) {
	y, u = y[:len(x)], u[:len(x)]
	check, last := s.FirstCheck(), math.Inf(1)
	for k := 1; ; k++ {
		if st := f(y, x); st != OK {
			return k, st
		}
		// The builtin max keeps a NaN, so d ≤ δ is false then.
		d := 0.0
		for i, yi := range y {
			d = max(d, u[i]*math.Abs(yi-x[i]))
			x[i] = yi
		}
		if d <= s.Tolerance {
			return k, OK
		}
		if k >= check {
			var st Status
			if check, st = s.Check(k, d, last); st != OK {
				return k, st
			}
			last = d
		}
		if mix != nil {
			mix.Next(x[:len(x)/2], x[len(x)/2:])
		}
	}
}
