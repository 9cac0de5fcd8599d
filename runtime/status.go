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
	NumStatus                  // the number of statuses
)

var statusNames = [NumStatus]string{
	"ok", "iteration_limit", "stalled", "not_positive_definite", "non_finite", "not_constant",
}

// String returns the name of s in snake case, as it appears in outputs.
func (s Status) String() string {
	if s >= NumStatus {
		return fmt.Sprintf("Status(%d)", uint8(s))
	}
	return statusNames[s]
}

// StepResult reports one integrator step.
type StepResult struct {
	Status     Status
	Iterations int // fixed-point iterations, all solves of the step together
}
