package ode

import "math"

// maxUndefined is the number of times in succession that a step is repeated,
// each with a tenth of the size, because something in it is not finite.
const maxUndefined = 8

// controller chooses the size of steps: the PI controller of Gustafsson (ACM
// Transactions on Mathematical Software 17, 1991),
//
//	h ← h · safety · err_old^(1/32) / err^(3/32)
//
// after an accepted step, the standard one, h · safety / err^(1/8), after a
// rejected one, both within limits. The powers were chosen by the work for an
// error of FitzHugh–Nagumo, Lotka–Volterra (both with and without
// sensitivities), Kepler and Brusselator problems, where they save a tenth
// against the standard controller and reject a twentieth of the steps instead
// of a sixth. They are products of square roots, which are rounded the same
// everywhere.
type controller struct {
	old      float64 // err_old^(1/32)
	rejected bool    // the step before was rejected
}

const (
	safety    = 0.85
	maxGrowth = 6
	minGrowth = 1. / 3
	minError  = 1e-4 // of err_old
)

func newController() controller {
	return controller{old: math.Sqrt(math.Sqrt(root8(minError)))}
}

// accept returns the factor for the size after a step with the error err ≤ 1.
func (c *controller) accept(err float64) float64 {
	err16 := math.Sqrt(root8(err))
	err32 := math.Sqrt(err16)
	limit := float64(maxGrowth)
	if c.rejected {
		limit = 1
	}
	factor := min(limit, max(minGrowth, safety*c.old/(err16*err32)))
	*c = controller{old: math.Sqrt(math.Sqrt(root8(max(err, minError))))}
	return factor
}

// reject returns the factor for the size of the next trial after a step with
// the error err > 1.
func (c *controller) reject(err float64) float64 {
	c.rejected = true
	return max(minGrowth, safety/root8(err))
}

// undefined returns the factor for the size of the next trial after a step in
// which something is not finite.
func (c *controller) undefined() float64 {
	c.rejected = true
	return 0.1
}

// root8 returns the eighth root of x.
func root8(x float64) float64 { return math.Sqrt(math.Sqrt(math.Sqrt(x))) }

// initialStep returns a size for the first step from the state s.y at t with
// the derivative k_1, which has to get to end. It is the algorithm of
// Hairer, Nørsett & Wanner (section II.4): a step of Euler's method of a
// hundredth of the time in which y would change by its own size gives y″, and
//
//	h⁸ max(‖y′‖, ‖y″‖) = 0.01
//
// in the norm of the error estimate. A solution or a derivative of no size
// leaves only the span to go by.
func (s *Solver) initialStep(t, end float64, u []float64) float64 {
	n, span := len(s.y), end-t
	y, point := s.y, s.point[:n]
	k1, k2 := s.k[:n], s.k[n:][:n:n]
	d0, d1, d2 := 0.0, 0.0, 0.0
	for i, v := range y {
		r := 1 / (s.atol + float64(s.rtol*math.Abs(v)))
		d0 = max(d0, math.Abs(float64(v*r)))
		d1 = max(d1, math.Abs(float64(k1[i]*r)))
	}
	h := float64(1e-6 * span)
	if d0 > 1e-5 && d1 > 1e-5 {
		h = float64(0.01 * (d0 / d1))
	}
	h = min(h, span)
	for i, v := range y {
		point[i] = v + float64(h*k1[i])
	}
	s.rhs(k2, point, min(t+h, end), u)
	s.counts.Evaluations++
	for i, v := range y {
		r := 1 / (s.atol + float64(s.rtol*math.Abs(v)))
		d2 = max(d2, math.Abs(float64((k2[i]-k1[i])*r)))
	}
	if best := root8(0.01 / max(d1, d2/h)); best > 0 { // not if it is NaN
		h = min(float64(100*h), best)
	}
	// Less than a few units in the last place of t would be lost in it.
	return max(h, float64(16*(math.Nextafter(math.Abs(t), math.Inf(1))-math.Abs(t))))
}
