package runtime

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
)

// Length is the rule for the number of steps of a trajectory.
type Length struct {
	// Steps is the number of steps; 0 derives it from Time.
	Steps int

	// Time is the integration time T of a trajectory: with Steps = 0 the
	// number of steps is ⌈T/ε⌉, but at most MaxSteps.
	Time     float64
	MaxSteps int

	// Random draws the number of steps uniformly from 1 to that number
	// (appendix on randomised steps in the paper) instead of taking all.
	Random bool
}

// Max returns the largest number of steps of a trajectory with step size eps.
func (l *Length) Max(eps float64) int {
	if l.Steps > 0 {
		return l.Steps
	}
	// A quotient within rounding of an integer is that integer.
	n := math.Ceil(l.Time/eps - 1e-9)
	if !(n < float64(l.MaxSteps)) {
		return max(1, l.MaxSteps)
	}
	return max(1, int(n))
}

// Draw returns the number of steps of the next trajectory. It consumes
// randomness only where Random is set.
func (l *Length) Draw(eps float64, rng *rand.Rand) int {
	n := l.Max(eps)
	if l.Random {
		return 1 + rng.IntN(n)
	}
	return n
}

// Trajectory reports the integration of some steps.
type Trajectory struct {
	Status     Status // of the last step; a failed step ends the trajectory
	Steps      int    // steps taken, a failed one included
	Iterations int    // fixed-point iterations, all steps together
	Stopped    bool   // ended early because it was asked to
	Suspect    bool   // some step may have had a solve of FirstCheck or more iterations
}

// Integrate advances (q, p) in place by n steps of size eps, and stops at the
// first that fails; q and p are unspecified then.
//
// A step tells only the iterations of all its solves together, so a step of
// the generalized leapfrog, which has two solves of at least one iteration
// each, counts as suspect somewhat sooner than it need.
func Integrate(step StepFunc, q, p []float64, eps float64, n int, s *Solver) (t Trajectory) {
	return integrate(step, q, p, eps, n, s, nil)
}

// integrate is Integrate that ends early, with as many steps as it has made,
// once stop is set.
func integrate(step StepFunc, q, p []float64, eps float64, n int, s *Solver, stop *atomic.Bool) (t Trajectory) {
	suspect := s.FirstCheck()
	for t.Steps < n {
		if stop != nil && stop.Load() {
			t.Stopped = true
			break
		}
		r := step(q, p, eps, s)
		t.Steps++
		t.Iterations += r.Iterations
		t.Suspect = t.Suspect || r.Iterations >= suspect
		if r.Status != OK {
			t.Status = r.Status
			break
		}
	}
	return t
}
