package runtime

import "fmt"

// Status says how a step or an energy evaluation ended. Each way of failing is
// a reason of its own, counted apart, and none of them is an energy
// divergence.
type Status uint8

// The statuses.
const (
	OK                  Status = iota
	IterationLimit             // a fixed-point solve used up MaxIterations
	Stalled                    // a fixed-point solve stopped contracting
	NotPositiveDefinite        // the metric has no Cholesky factor
	NonFinite                  // a NaN or an infinity
	NotConstant                // the leapfrog was asked to step a metric that is not constant
	ODEStepLimit               // a differential equation needs too many steps: stiff, or too small a tolerance
	ODEStepTooSmall            // the step of a differential equation vanished: a singularity, or stiff
	ODENonFinite               // a differential equation left the finite numbers
	NumStatus                  // the number of statuses
)

var statusNames = [NumStatus]string{
	"ok", "iteration_limit", "stalled", "not_positive_definite", "non_finite", "not_constant",
	"ode_step_limit", "ode_step_too_small", "ode_non_finite",
}

// String returns the name of s in snake case, as it appears in outputs.
func (s Status) String() string {
	if s >= NumStatus {
		return fmt.Sprintf("Status(%d)", uint8(s))
	}
	return statusNames[s]
}

// OfModel reports whether s says that the model could not be evaluated: something was not
// finite, the metric not positive definite, or a differential equation had no solution. The
// other failures are the solver's, which did not get to an end, or those of a wrong integrator.
func (s Status) OfModel() bool {
	switch s {
	case NotPositiveDefinite, NonFinite, ODEStepLimit, ODEStepTooSmall, ODENonFinite:
		return true
	}
	return false
}

// StepResult reports one integrator step.
type StepResult struct {
	Status     Status
	Iterations int // of the solves, all of the step together

	// Suspect tells that a solve by Newton's method is not certain to have found the
	// root that belongs to the step. Of fixed-point iterations their number tells.
	Suspect bool
}
