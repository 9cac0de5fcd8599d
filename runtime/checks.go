package runtime

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/linalg"
)

// ReversibilityError integrates n steps from (q, p), flips the momentum,
// integrates n steps again and returns
//
//	√(‖q − q″‖² + ‖p + p″‖²),
//
// the violation of reversibility of Brofos & Lederman (2021, appendix "Volume
// Preservation and Symmetry Metrics"), which is 0 for a reversible integrator. With
// the reciprocal units u[2m] of Units each difference is multiplied by its unit's; nil stands for
// ones. The status tells of a step that failed; the error is NaN then.
func ReversibilityError(step StepFunc, q, p []float64, eps float64, n int, s *Solver, u []float64) (float64, Status) {
	q2 := append([]float64(nil), q...)
	p2 := append([]float64(nil), p...)
	for range 2 {
		if t := Integrate(step, q2, p2, eps, n, s); t.Status != OK {
			return math.NaN(), t.Status
		}
		for i := range p2 {
			p2[i] = -p2[i]
		}
	}
	sum := 0.0
	for i := range q {
		// p2 has been flipped twice, so here it is compared as it is.
		dq, dp := q[i]-q2[i], p[i]-p2[i]
		if u != nil {
			dq, dp = u[i]*dq, u[len(q)+i]*dp
		}
		sum += dq*dq + dp*dp
	}
	return math.Sqrt(sum), OK
}

// VolumeError returns |det F − 1| with F the Jacobian of n steps at z = (q, p) by
// central differences,
//
//	F_ij = (Φ_i(z + ½η e_j) − Φ_i(z − ½η e_j))/η,
//
// the violation of volume preservation of the same appendix; the paper takes
// η = 1e-5. With the reciprocal units u[2m] of Units the increment of z_j is η/u_j; nil stands
// for ones. The status tells of a step that failed; the error is NaN then.
func VolumeError(step StepFunc, q, p []float64, eps float64, n int, s *Solver, u []float64, eta float64) (float64, Status) {
	m := len(q)
	z := append(append([]float64(nil), q...), p...)
	f := make([]float64, 4*m*m)
	ends := [2][]float64{make([]float64, 2*m), make([]float64, 2*m)}
	for j := range z {
		eta := eta
		if u != nil {
			eta /= u[j]
		}
		for side, end := range ends {
			copy(end, z)
			end[j] += (0.5 - float64(side)) * eta
			if t := Integrate(step, end[:m], end[m:], eps, n, s); t.Status != OK {
				return math.NaN(), t.Status
			}
		}
		for i := range z {
			f[i*2*m+j] = (ends[0][i] - ends[1][i]) / eta
		}
	}
	if u != nil {
		// F in the same units has the same determinant, and entries of order one.
		for i := range z {
			for j := range z {
				f[i*2*m+j] *= u[i] / u[j]
			}
		}
	}
	lu := linalg.NewLU(2 * m)
	lu.Factor(f) // the determinant of a singular matrix is defined too
	return math.Abs(lu.Det() - 1), OK
}
