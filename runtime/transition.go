package runtime

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/hamc-dev/hamc/runtime/elementary"
	"github.com/hamc-dev/hamc/runtime/random"
)

// maxEnergyError is the H₁ − H₀ above which a trajectory counts as divergent,
// as in Stan.
const maxEnergyError = 1000

// ReverseCheck says which accepted proposals, or steps of dynamic trajectories, are
// integrated back to see whether they return.
type ReverseCheck uint8

// The reversibility checks.
const (
	// ReverseOff checks nothing.
	ReverseOff ReverseCheck = iota

	// ReverseSuspect checks trajectories with a solve of at least
	// Solver.FirstCheck iterations. Solves that contract fast have one
	// root within reach and find it from either end; those that do not
	// are where a solve may settle on another root, or be given up in one
	// direction only. Of Newton's method it checks what is StepResult.Suspect.
	ReverseSuspect

	// ReverseAll checks every trajectory.
	ReverseAll

	// ReverseSampled checks what ReverseSuspect does, and of the others one in 16, at
	// random: an estimate of what ReverseSuspect misses.
	ReverseSampled
)

var reverseNames = [...]string{"off", "suspect", "all", "sampled"}

// String returns the name that ParseReverseCheck reads.
func (c ReverseCheck) String() string {
	if int(c) < len(reverseNames) {
		return reverseNames[c]
	}
	return fmt.Sprintf("ReverseCheck(%d)", uint8(c))
}

// ParseReverseCheck reads off, suspect, all or sampled.
func ParseReverseCheck(name string) (ReverseCheck, error) {
	if i := slices.Index(reverseNames[:], name); i >= 0 {
		return ReverseCheck(i), nil
	}
	return 0, fmt.Errorf("unknown reversibility check %q: expected off, suspect, all or sampled", name)
}

// MarshalText writes the name of c.
func (c ReverseCheck) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads a name as ParseReverseCheck does.
func (c *ReverseCheck) UnmarshalText(text []byte) (err error) {
	*c, err = ParseReverseCheck(string(text))
	return err
}

// ReverseTolerance returns the distance from q₀, in the Norm of the solves, up to which a
// trajectory that was integrated forth and back counts as having returned: √δ.
//
// A solve to tolerance δ with contraction rate ρ is off by about δρ/(1 − ρ), and
// the dynamics of some tens of steps amplify that. A trajectory that has
// switched to another root of a step's equation is off by a fraction of the
// step's length, whatever δ is. For proposals on the banana and the funnel, 10 to
// 50 steps by GLF(b) and IM(b), the first kind came back within 1000 δ in all but
// some ten of 13,000 cases at each δ from 1e-6 to 1e-12, and the second kind,
// GLF(b) on the banana only, within no less than 0.01. √δ lies between the two for the δ
// in use, and half way to order one on the scale of logarithms for any.
func ReverseTolerance(s *Solver) float64 { return math.Sqrt(s.Tolerance) }

// HMC is a Hamiltonian Monte Carlo kernel: draw p ~ N(0, G(q)), integrate, and move
// to a state of the trajectory. With Steps > 0 the trajectory is static: that many
// steps, and the last state is accepted with probability min(1, exp(H₀ − H₁)).
// With Steps = 0 it is dynamic: NUTS, to a depth of at most MaxDepth. It serves one
// goroutine.
type HMC struct {
	System   System
	Step     StepFunc
	StepSize float64 // ε
	Solver   Solver
	Reverse  ReverseCheck

	Steps       int     // of a static trajectory; 0 for dynamic ones
	Jitter      float64 // of a static trajectory: its step size is drawn from ε(1 ± Jitter)
	RandomSteps bool    // draw the number of steps from 1 to Steps (appendix on randomised steps in the paper)
	MaxDepth    int     // of a dynamic trajectory, which has up to 2^MaxDepth − 1 steps

	// ExtraDoublings is how many times a dynamic trajectory doubles after it has
	// turned back.
	ExtraDoublings int

	// MaxHalvings is how many times a step of a dynamic trajectory may be halved, where the energy would not keep otherwise.
	MaxHalvings int

	// Correction, if not nil, is added to the log density where a state is
	// weighed only: a static proposal q₁ is accepted with probability
	// min(1, exp(H₀ − H₁ + Correction(q₁) − Correction(q₀))). The dynamics do
	// not see it. It serves to reproduce samplers that leave part of the
	// density out of the Hamiltonian, such as the Jacobian of a transform.
	Correction func(q []float64) float64

	integrator Integrator     // of Step
	split      int            // gradients of a split step; 0 of steps that are not split
	plain      *GenericSystem // of the plain algorithms over another System
	stop       *atomic.Bool   // ends a trajectory early; may be nil
	solves     int            // fixed-point solves per step; 1 for explicit steps, which count none
	p, q1, p1  []float64      // start momentum, proposal
	q2, p2     []float64      // the way back
	off        []float64      // m: how far off it ended

	unbent, bent []float64 // where a transition starts, in the coordinates of the model and of its bends

	tried attempt    // last, on the way forth
	t     Transition // under way
	tree  *tree      // of dynamic trajectories, once there was one
}

// NewHMC returns a kernel for sys with the integrator k and its Solver, whose Method is to
// stay. The caller sets StepSize, Steps or MaxDepth, and Reverse.
func NewHMC(sys System, k Integrator, s Solver) (*HMC, error) {
	k, err := k.Resolve(sys.Info().Metric)
	if err != nil {
		return nil, err
	}
	step, plain, err := stepper(sys, k, s.Method)
	if err != nil {
		return nil, err
	}
	solves := 1
	if k == GLFa || k == GLFb {
		solves = 2
	}
	n := sys.Info().Dim()
	return &HMC{
		integrator: k,
		plain:      plain,
		solves:     solves,
		System:     sys,
		Step:       step,
		Solver:     s,
		p:          make([]float64, n),
		q1:         make([]float64, n),
		p1:         make([]float64, n),
		q2:         make([]float64, n),
		p2:         make([]float64, n),
		off:        make([]float64, n),
		unbent:     make([]float64, n),
		bent:       make([]float64, n),
		tried:      newAttempt(n),
	}, nil
}

// SetStep replaces the integrator by another one, with so many fixed-point solves in a step. Where
// it remembers positions in a GenericSystem over k.System, that is over, and nil elsewhere.
func (k *HMC) SetStep(step StepFunc, over *GenericSystem, solves int) {
	k.Step, k.plain, k.solves = step, over, max(1, solves)
	k.integrator = Leapfrog + 1 // none that this package knows
}

// Proposal returns the position and the momentum that the last static trajectory ended with. They
// are valid until the next transition, and mean nothing after a failure.
func (k *HMC) Proposal() (q, p []float64) { return k.q1, k.p1 }

// Transition reports one transition of HMC. At most one of Failure, Divergent
// and Irreversible says what a static proposal was refused for, other than
// chance, or why a dynamic trajectory ended where it did, other than by turning
// back.
type Transition struct {
	LogDensity float64 // L after the transition
	Energy     float64 // H after the transition, with the momentum that led there
	Accept     float64 // acceptance probability; of a dynamic trajectory the mean over the states visited; 0 where refused
	StepSize   float64

	// EnergyError is H₁ − H₀ of a static proposal; 0 where a Failure left none.
	EnergyError float64

	Steps      int // gradients, where steps are explicit: of a leapfrog one, of a split step as many as it takes
	Depth      int // of a dynamic trajectory: the number of doublings
	Iterations int // of the solves of the proposal and of its check

	Accepted     bool   // the state is a new one
	Failure      Status // of the solver or the energy, OK where there was none
	Divergent    bool   // H rose by more than 1000, or, on a dynamic trajectory, came to differ by as much
	Irreversible bool   // the way back did not return
	Jumped       bool   // the chain had jumped to another place before it

	halved    bool    // a step was halved
	saturated bool    // ended at MaxDepth
	second    bool    // a second trajectory was tried, with twice the number of split steps
	whole     float64 // Accept as it were with steps that are not halved, which the step size is adapted by
	stopped   bool    // cut short by an interrupt: no state of the chain
}

// Transition replaces q by the next state of the Markov chain. A state is
// replaced only by one whose energy is finite.
func (k *HMC) Transition(q []float64, rng *rand.Rand) Transition {
	e, ok := k.System.(*Euclidean)
	if !ok || len(e.bends) == 0 {
		return k.transition(q, rng)
	}
	copy(k.unbent, q)
	e.bend(q)
	copy(k.bent, q)
	t := k.transition(q, rng)
	moved := !slices.Equal(q, k.bent)
	t.LogDensity -= e.unbend(q)
	if !moved {
		copy(q, k.unbent)
	}
	return t
}

// transition is Transition in the coordinates of the system.
func (k *HMC) transition(q []float64, rng *rand.Rand) Transition {
	t := &k.t
	*t = Transition{StepSize: k.StepSize}
	for i := range k.p {
		k.p[i] = random.StandardNormal(rng)
	}
	k.tried.set(q, k.p, 0)
	if t.Failure = k.System.DrawMomentum(k.p, q); t.Failure != OK {
		return k.refuse(t.Failure, k.System.LogDensity(q))
	}
	var h0 float64
	h0, t.LogDensity, t.Failure = k.System.Energy(q, k.p)
	t.Energy = h0
	if t.Failure != OK {
		return *t
	}
	if k.Steps > 0 {
		k.static(q, h0, rng)
	} else {
		k.dynamic(q, h0, rng)
	}
	t.Steps *= max(1, k.split)
	return *t
}

// setSplit makes the steps of a Euclidean metric split ones of n gradients, or leapfrogs where n is 0.
func (k *HMC) setSplit(n int) {
	e, ok := k.System.(*Euclidean)
	if !ok || k.integrator != Leapfrog {
		return
	}
	k.split = n
	k.Step = func(q, p []float64, eps float64, _ *Solver) StepResult {
		if n == 0 {
			return e.StepLeapfrog(q, p, eps)
		}
		return e.StepSplit(q, p, eps, n)
	}
}

// static is a transition with a number of steps that does not depend on the
// trajectory, from q and the momentum k.p with the energy h0. Where a trajectory of split steps is refused that was hardly to be accepted,
// another one follows with twice as many steps of half the size, by delayed rejection (Modi, Barnett & Carpenter 2024, Delayed rejection
// Hamiltonian Monte Carlo for sampling multiscale distributions).
func (k *HMC) static(q []float64, h0 float64, rng *rand.Rand) {
	t := &k.t
	// All draws come before the trajectory, so that what a transition
	// draws does not depend on how it went.
	n := k.Steps
	if k.RandomSteps {
		n = 1 + rng.IntN(n)
	}
	logU := elementary.Log(1 - float64(rng.Float64()))
	eps := k.StepSize
	if k.Jitter > 0 {
		u := rng.Float64()
		eps = float64(eps*(1-k.Jitter)) + float64(float64(2*k.Jitter)*float64(eps*u))
	}

	logU2 := 0.0
	if k.split > 0 {
		logU2 = elementary.Log(1 - float64(rng.Float64()))
	}
	k.first(q, h0, n, eps, logU, rng)
	t.whole = t.Accept
	if k.split > 0 && k.Correction == nil && !t.Accepted && !t.stopped && t.Accept < secondBelow {
		k.secondTry(q, h0, n, eps, logU2, rng)
	}
}

// first is the trajectory of a static transition, or the first one, of n steps of a size. It is accepted where the logarithm of the density gains more than logU.
func (k *HMC) first(q []float64, h0 float64, n int, eps, logU float64, rng *rand.Rand) {
	t := &k.t
	copy(k.q1, q)
	copy(k.p1, k.p)
	t.StepSize = eps
	path := integrate(k.Step, k.q1, k.p1, eps, n, &k.Solver, k.stop, &k.tried)
	t.Steps, t.Iterations = path.Steps, path.Iterations
	if path.Stopped {
		t.stopped = true
		return
	}
	if t.Failure = path.Status; t.Failure != OK {
		return
	}
	k.tried.over = true
	var h1, l1 float64
	if h1, l1, t.Failure = k.System.Energy(k.q1, k.p1); t.Failure != OK {
		return
	}
	t.EnergyError = h1 - h0
	if t.EnergyError > maxEnergyError {
		t.Divergent = true
		return
	}
	gain := h0 - h1
	if k.Correction != nil {
		gain += k.Correction(k.q1) - k.Correction(q)
		if gain != gain {
			t.Failure = NonFinite
			return
		}
	}
	t.Accept = elementary.Exp(min(0, gain))
	if logU >= gain {
		return
	}
	if k.checks(path.Suspect, rng) {
		if t.Irreversible = !k.returns(q, n); t.Irreversible {
			t.Accept = 0
			return
		}
	}
	copy(q, k.q1)
	t.Accepted, t.LogDensity, t.Energy = true, l1, h1
}

// secondTry is the second trajectory, of 2n steps of size eps/2, from where the first was refused with the acceptance t.Accept = α₁(x). It ends at y, and is accepted with
//
//	α₂ = min(1, exp(H(x) − H(y)) (1 − α₁(y'))/(1 − α₁(x))),
//
// where α₁(y') is the acceptance of the first trajectory of the way back, from y with its momentum turned round: there a second one follows with that probability, and only if
// α₁(y') too lies below secondBelow.
func (k *HMC) secondTry(q []float64, h0 float64, n int, eps, logU float64, rng *rand.Rand) {
	t := &k.t
	first := t.Accept
	failure, divergent, off := t.Failure, t.Divergent, t.EnergyError // of the first, which is told where there is no second
	t.second = true
	copy(k.q2, q)
	copy(k.p2, k.p)
	path := integrate(k.Step, k.q2, k.p2, float64(eps/2), 2*n, &k.Solver, k.stop, nil)
	t.Steps, t.Iterations = t.Steps+path.Steps, t.Iterations+path.Iterations
	if t.stopped = path.Stopped; t.stopped || path.Status != OK {
		return
	}
	h2, l2, st := k.System.Energy(k.q2, k.p2)
	if st != OK || !(h2-h0 <= maxEnergyError) {
		return
	}
	back := k.ghost(h2, n, eps)
	if t.stopped || !(back < secondBelow) {
		return
	}
	gain := h0 - h2 + elementary.Log(float64((1-back)/(1-first)))
	accept := elementary.Exp(min(0, gain))
	t.Accept = first + float64((1-first)*accept)
	if logU >= gain {
		return
	}
	t.Failure, t.Divergent, t.EnergyError, t.StepSize = OK, false, h2-h0, float64(eps/2)
	copy(k.q1, k.q2)
	copy(k.p1, k.p2)
	if k.checks(path.Suspect, rng) {
		if t.Irreversible = !k.returns(q, 2*n); t.Irreversible {
			t.Accept, t.Failure, t.Divergent, t.EnergyError, t.StepSize = first, failure, divergent, off, eps
			return
		}
	}
	copy(q, k.q1)
	t.Accepted, t.LogDensity, t.Energy = true, l2, h2
}

// ghost is the acceptance of the first trajectory from the end of the second, back.
func (k *HMC) ghost(h float64, n int, eps float64) float64 {
	t := &k.t
	copy(k.q1, k.q2)
	for i, p := range k.p2 {
		k.p1[i] = -p
	}
	path := integrate(k.Step, k.q1, k.p1, eps, n, &k.Solver, k.stop, nil)
	t.Steps, t.Iterations, t.stopped = t.Steps+path.Steps, t.Iterations+path.Iterations, path.Stopped
	if path.Stopped || path.Status != OK {
		return 0
	}
	end, _, st := k.System.Energy(k.q1, k.p1)
	if st != OK || !(end-h <= maxEnergyError) {
		return 0
	}
	return elementary.Exp(min(0, h-end))
}

// checks tells whether something is to be integrated back that is suspect, or not.
func (k *HMC) checks(suspect bool, rng *rand.Rand) bool {
	switch k.Reverse {
	case ReverseSuspect:
		return suspect
	case ReverseSampled:
		chosen := rng.Uint64()&15 == 0 // whatever the other, so that nothing depends on it
		return chosen || suspect
	}
	return k.Reverse == ReverseAll
}

// refuse is the transition of a state that has the log density l and no energy,
// so that it cannot be left.
func (k *HMC) refuse(st Status, l float64) Transition {
	return Transition{StepSize: k.StepSize, Failure: st, LogDensity: l, Energy: math.Inf(1)}
}

// returns integrates the proposal back with its momentum flipped and tells
// whether that leads to q0 again.
func (k *HMC) returns(q0 []float64, n int) bool {
	t := &k.t
	copy(k.q2, k.q1)
	for i, p := range k.p1 {
		k.p2[i] = -p
	}
	path := integrate(k.Step, k.q2, k.p2, t.StepSize, n, &k.Solver, k.stop, nil)
	t.stopped = path.Stopped
	t.Iterations += path.Iterations
	if path.Status != OK {
		return false
	}
	return k.Home(k.q2, q0)
}

// Home reports whether q, where a trajectory from q0 ended that was integrated forth and back, is within
// ReverseTolerance of q0.
func (k *HMC) Home(q, q0 []float64) bool {
	for i, x := range q {
		k.off[i] = x - q0[i]
	}
	d, st := k.Solver.Norm.Distance(k.System, q0, k.off, nil)
	return st == OK && d <= ReverseTolerance(&k.Solver)
}
