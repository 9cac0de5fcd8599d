package runtime

import "math"

// Iterate solves x = f(x) as the implicit steps do, by Algorithm 1 of the paper: x ← f(x), at
// least once, until |Δx| ≤ δ, with f(y, x) writing the image of x to y, which is work space of
// the length of x. For MetricNorm |Δx| is what length says of a Δx that came from the last call of f; it may be nil
// where the Norm is MaxNorm. The solution is left in x. It returns the number
// of times that f was applied, and why it gave up: f's own status, or that of Solver.Check. It is
// for integrators that this package does not have.
func (s *Solver) Iterate(x, y []float64, length func(dx []float64) float64, f func(y, x []float64) Status) (int, Status) {
	return fixedPoint(s, nil, x, y, length, f)
}

// fixedPoint runs Algorithm 1 of the paper: x ← f(x), at least once, until
// |Δx| ≤ δ, with f(y, x) writing the image of x to y, and length the norm of Δx for MetricNorm. The solution is left
// in x. With an Accelerator that has begun at x, that makes the next iterate of the
// image. It returns the number of times that f was applied, and why it gave up:
// f's own status, or that of Solver.Check.
func fixedPoint(s *Solver, mix *Accelerator, x, y []float64, length func(dx []float64) float64, f func(y, x []float64) Status) (int, Status) {
	y = y[:len(x)]
	check, last := s.FirstCheck(), math.Inf(1)
	for k := 1; ; k++ {
		if st := f(y, x); st != OK {
			return k, st
		}
		for i, yi := range y {
			x[i], y[i] = yi, yi-x[i]
		}
		var d float64
		if s.Norm == MaxNorm {
			d = Largest(y)
		} else {
			d = length(y)
		}
		if d <= s.Tolerance { // which a NaN is not
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
