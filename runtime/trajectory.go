package runtime

import "sync/atomic"

// Trajectory reports the integration of some steps.
type Trajectory struct {
	Status     Status // of the last step; a failed step ends the trajectory
	Steps      int    // steps taken, a failed one included
	Iterations int    // of the solves, all steps together
	Stopped    bool   // ended early because it was asked to
	Suspect    bool   // some step may have had a solve of FirstCheck or more iterations, or was suspect itself
}

// Integrate advances (q, p) in place by n steps of size eps, and stops at the
// first that fails; q and p are unspecified then.
//
// A step tells only the iterations of all its solves together, so a step of
// the generalized leapfrog, which has two solves of at least one iteration
// each, counts as suspect somewhat sooner than it need.
func Integrate(step StepFunc, q, p []float64, eps float64, n int, s *Solver) (t Trajectory) {
	return integrate(step, q, p, eps, n, s, nil, nil)
}

// integrate is Integrate that ends early, with as many steps as it has made,
// once stop is set, and notes each step before it is made in tried, unless that is nil.
func integrate(step StepFunc, q, p []float64, eps float64, n int, s *Solver, stop *atomic.Bool, tried *attempt) (t Trajectory) {
	suspect := s.FirstCheck()
	for t.Steps < n {
		if stop != nil && stop.Load() {
			t.Stopped = true
			break
		}
		if tried != nil {
			tried.set(q, p, eps)
		}
		r := step(q, p, eps, s)
		t.Steps++
		t.Iterations += r.Iterations
		t.Suspect = t.Suspect || r.Suspect || r.Iterations >= suspect
		if r.Status != OK {
			t.Status = r.Status
			break
		}
	}
	return t
}
