package system

import (
	"math"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/ode"
)

// ODEStatus turns the outcome of a differential equation into a status.
func ODEStatus(st ode.Status) runtime.Status {
	switch st {
	case ode.OK:
		return runtime.OK
	case ode.StepLimit:
		return runtime.ODEStepLimit
	case ode.StepTooSmall:
		return runtime.ODEStepTooSmall
	}
	return runtime.ODENonFinite
}

// PivotStatus tells why a metric whose pivots are given is not positive definite: one of them is not finite, or not
// positive.
func PivotStatus(pivots ...float64) runtime.Status {
	for _, x := range pivots {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return runtime.NonFinite
		}
	}
	return runtime.NotPositiveDefinite
}
