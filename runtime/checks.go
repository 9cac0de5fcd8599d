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
// Preservation and Symmetry Metrics"), which is 0 for a reversible integrator. For
// MetricNorm the lengths are those in the metric of sys at q, for MaxNorm those of the vectors as they are. The status tells of a step that failed, or of a metric; the error is NaN then.
func ReversibilityError(sys System, norm Norm, step StepFunc, q, p []float64, eps float64, n int, s *Solver) (float64, Status) {
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
	for i := range q {
		// p2 has been flipped twice, so here it is compared as it is.
		q2[i], p2[i] = q[i]-q2[i], p[i]-p2[i]
	}
	if norm == MetricNorm {
		return sys.Length(q, q2, p2)
	}
	sum := 0.0
	for i, dq := range q2 {
		dp := p2[i]
		sum += float64(dq*dq) + float64(dp*dp)
	}
	return math.Sqrt(sum), OK
}

// VolumeError returns |det F − 1| with F the Jacobian of n steps at z = (q, p) by
// central differences,
//
//	F_ij = (Φ_i(z + ½η e_j) − Φ_i(z − ½η e_j))/η,
//
// the violation of volume preservation of the same appendix; the paper takes
// η = 1e-5. For MetricNorm η is the length of η e_j in the metric of sys at q. The status tells of a step that failed, or of
// a metric; the error is NaN then.
func VolumeError(sys System, norm Norm, step StepFunc, q, p []float64, eps float64, n int, s *Solver, eta float64) (float64, Status) {
	m := len(q)
	z := append(append([]float64(nil), q...), p...)
	increments, st := increments(sys, q, norm, eta)
	if st != OK {
		return math.NaN(), st
	}
	f := make([]float64, 4*m*m)
	ends := [2][]float64{make([]float64, 2*m), make([]float64, 2*m)}
	for j := range z {
		for side, end := range ends {
			copy(end, z)
			end[j] += float64((0.5 - float64(side)) * increments[j])
			if t := Integrate(step, end[:m], end[m:], eps, n, s); t.Status != OK {
				return math.NaN(), t.Status
			}
		}
		for i := range z {
			f[i*2*m+j] = (ends[0][i] - ends[1][i]) / increments[i] // in units of the increments: the determinant is the same
		}
	}
	lu := linalg.NewLU(2 * m)
	lu.Factor(f) // the determinant of a singular matrix is defined too
	return math.Abs(lu.Det() - 1), OK
}

// increments returns the increments of the 2m coordinates and momenta at q.
func increments(sys System, q []float64, n Norm, eta float64) ([]float64, Status) {
	m := len(q)
	out := make([]float64, 2*m)
	unit := make([]float64, m)
	for j := range out {
		out[j] = eta
		if n == MaxNorm {
			continue
		}
		dq, dp := unit, []float64(nil)
		if j >= m {
			dq, dp = dp, dq
		}
		unit[j%m] = 1
		length, st := sys.Length(q, dq, dp)
		unit[j%m] = 0
		if st != OK {
			return nil, st
		}
		out[j] = eta / length
	}
	return out, OK
}
