package benchmarks

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/random"
)

// A Policy is a way to end fixed-point solves that do not converge, and to
// guard the Markov chain against what that does to reversibility.
type Policy struct {
	Name    string
	Solver  runtime.Solver
	Reverse runtime.ReverseCheck
}

// The positions of Policies.
const (
	Limit1000     = iota // the paper's: up to 1000 iterations
	StallOnly            // the default's solver without its check
	Default              // what runtime.DefaultOptions sets
	Limit25              // up to 25 iterations
	NaiveNewton          // Newton's method as it is
	GuardedNewton        // with the check of steps that are not certain
	NumPolicies
)

// Policies returns the policies that Audit is meant to compare, all with
// δ = 10⁻⁶.
func Policies() [NumPolicies]Policy {
	opt := runtime.DefaultOptions()
	limit := func(n int) runtime.Solver {
		return runtime.Solver{Tolerance: opt.Solver.Tolerance, Norm: opt.Solver.Norm, MaxIterations: n}
	}
	newton := opt.Solver
	newton.Method = runtime.Newton
	return [NumPolicies]Policy{
		Limit1000:     {"(a) limit 1000", limit(1000), runtime.ReverseOff},
		StallOnly:     {"(b) stalling rule", opt.Solver, runtime.ReverseOff},
		Default:       {"(c) stalling rule, suspects checked", opt.Solver, opt.ReverseCheck},
		Limit25:       {"(d) limit 25", limit(25), runtime.ReverseOff},
		NaiveNewton:   {"(e) Newton", newton, runtime.ReverseOff},
		GuardedNewton: {"(f) Newton, suspects checked", newton, opt.ReverseCheck},
	}
}

// ReturnTolerances are the distances max|q − q₀| beyond which Audit counts a
// trajectory, integrated forth and back, as not having returned. The first is
// runtime.ReverseTolerance at δ = 10⁻⁶: trajectories that miss it have as a rule
// gone over to another root of a step's equation. What lies between the two has
// as a rule followed the same roots and amplified the error of the solves.
var ReturnTolerances = [...]float64{1e-3, 1e-4}

// A Counts is what Audit found in a number of transitions.
type Counts struct {
	Transitions int
	Accepted    int
	Failed      int // a step or the energy failed on the way forth
	Refused     int // by the kernel's own check of reversibility

	// Irreversible counts, for each of ReturnTolerances, accepted moves
	// whose way back failed or ended farther off than that.
	Irreversible [len(ReturnTolerances)]int

	// Converged and GivenUp hold the iterations of the steps forth that
	// succeeded and that failed, both solves of GLF(b) together.
	Converged, GivenUp Histogram
}

// Rate returns n per 100,000 transitions.
func (c *Counts) Rate(n int) float64 { return 1e5 * float64(n) / float64(c.Transitions) }

// Add adds the counts of other transitions.
func (c *Counts) Add(o *Counts) {
	c.Transitions += o.Transitions
	c.Accepted += o.Accepted
	c.Failed += o.Failed
	c.Refused += o.Refused
	for i, n := range o.Irreversible {
		c.Irreversible[i] += n
	}
	c.Converged.Merge(o.Converged)
	c.GivenUp.Merge(o.GivenUp)
}

// A Histogram counts occurrences of small integers: h[v] of v.
type Histogram []int

// Observe counts one v ≥ 0.
func (h *Histogram) Observe(v int) {
	for len(*h) <= v {
		*h = append(*h, 0)
	}
	(*h)[v]++
}

// Merge adds the counts of o.
func (h *Histogram) Merge(o Histogram) {
	for len(*h) < len(o) {
		*h = append(*h, 0)
	}
	for v, n := range o {
		(*h)[v] += n
	}
}

// Mean returns the mean of what was observed, NaN if nothing was.
func (h Histogram) Mean() float64 {
	n, sum := 0, 0
	for v, c := range h {
		n += c
		sum += v * c
	}
	return float64(sum) / float64(n)
}

// Quantile returns the least v such that at least the share p of what was
// observed is at most v, and 0 if nothing was.
func (h Histogram) Quantile(p float64) int {
	n := 0
	for _, c := range h {
		n += c
	}
	below := 0
	for v, c := range h {
		if below += c; c > 0 && float64(below) >= p*float64(n) {
			return v
		}
	}
	return 0
}

// A Walk is a chain on the banana as in the paper's experiments: n = 100
// observations, ε = 0.1, a fixed number of steps.
type Walk struct {
	Integrator runtime.Integrator
	Steps      int
	Draws      int
	Seed       uint64 // of the data and of the chain
}

// stepSize is ε of the paper's main experiment on the banana.
const stepSize = 0.1

// kernel returns a model and its kernel for w under policy p.
func (w *Walk) kernel(p *Policy) (*runtime.HMC, error) {
	m, err := Banana(bananaN, w.Seed)
	if err != nil {
		return nil, err
	}
	k, err := runtime.NewHMC(m, w.Integrator, p.Solver)
	if err != nil {
		return nil, err
	}
	k.StepSize = stepSize
	k.Steps = w.Steps
	k.Reverse = p.Reverse
	return k, nil
}

// run makes the transitions of w from the generating θ. Transition i draws the
// same random numbers under every policy.
func (w *Walk) run(k *runtime.HMC, before func(q []float64), after func(*runtime.Transition)) {
	stream := random.New(w.Seed, 0)
	rng := rand.New(stream)
	q := BananaStart()
	for i := range w.Draws {
		stream.Seek(0, uint64(i))
		before(q)
		t := k.Transition(q, rng)
		after(&t)
	}
}

// Audit runs w under policy p and integrates every accepted proposal back, with
// its momentum flipped, by the same solver and a model of its own. A move is
// irreversible where this fails, or does not end where the trajectory began:
// the kernel does not leave the posterior invariant then. The error is about w.
func Audit(w *Walk, p *Policy) (*Counts, error) {
	k, err := w.kernel(p)
	if err != nil {
		return nil, err
	}
	back, err := runtime.Stepper(k.System.Clone(), w.Integrator, p.Solver.Method)
	if err != nil {
		return nil, err
	}
	var c Counts
	var taken int // steps of the current transition
	var q0, q1, p1 [2]float64
	forth := k.Step
	k.Step = func(q, p []float64, eps float64, s *runtime.Solver) runtime.StepResult {
		r := forth(q, p, eps, s)
		if taken++; taken > w.Steps {
			return r // the kernel's own way back
		}
		if r.Status != runtime.OK {
			c.GivenUp.Observe(r.Iterations)
			return r
		}
		c.Converged.Observe(r.Iterations)
		if taken == w.Steps {
			copy(q1[:], q)
			copy(p1[:], p)
		}
		return r
	}
	w.run(k, func(q []float64) {
		taken = 0
		copy(q0[:], q)
	}, func(t *runtime.Transition) {
		c.Transitions++
		if t.Failure != runtime.OK {
			c.Failed++
		}
		if t.Irreversible {
			c.Refused++
		}
		if !t.Accepted {
			return
		}
		c.Accepted++
		q2, p2 := q1, [2]float64{-p1[0], -p1[1]}
		path := runtime.Integrate(back, q2[:], p2[:], stepSize, w.Steps, &p.Solver)
		off := max(math.Abs(q2[0]-q0[0]), math.Abs(q2[1]-q0[1]))
		for i, tolerance := range ReturnTolerances {
			if path.Status != runtime.OK || !(off <= tolerance) {
				c.Irreversible[i]++
			}
		}
	})
	return &c, nil
}

// Time returns how long w takes under policy p, nothing audited.
func Time(w *Walk, p *Policy) (time.Duration, error) {
	k, err := w.kernel(p)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	w.run(k, func([]float64) {}, func(*runtime.Transition) {})
	return time.Since(began), nil
}

// String names the setting, without the seed.
func (w *Walk) String() string {
	return fmt.Sprintf("%v, %d steps", w.Integrator, w.Steps)
}
