package benchmarks

import (
	"math/rand/v2"

	"github.com/hamc-dev/hamc/generated/banana"
	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/random"
)

// What the warm-up chooses for the banana with default settings.
const (
	transitionStepSize  = 0.124
	transitionDoublings = 1
)

// Transitions is a chain of dynamic trajectories on the banana, with the settings that
// `hamc run examples/banana.ham` comes to.
type Transitions struct {
	kernel *runtime.HMC
	q      []float64
	rng    *rand.Rand
	starts []transitionStart
	next   int
	at     [2][]float64
}

// transitionStart is a state of the chain with a momentum, and how many steps the chain's
// own trajectory from that state made.
type transitionStart struct {
	q, p  []float64
	steps int
}

// NewTransitions returns the chain, after some transitions. An error is about the data.
func NewTransitions() (*Transitions, error) {
	f, err := fixtures.Load("banana")
	if err != nil {
		return nil, err
	}
	m, err := banana.New(banana.Data{N: len(f.Data.Y), Y: f.Data.Y, SigmaY: f.Params["sigma_y"], SigmaT: f.Params["sigma_theta"]})
	if err != nil {
		return nil, err
	}
	d := runtime.DefaultOptions()
	k, err := runtime.NewHMC(m, runtime.IMb, d.Solver)
	if err != nil {
		return nil, err
	}
	k.StepSize, k.Reverse, k.MaxDepth, k.ExtraDoublings = transitionStepSize, d.ReverseCheck, d.MaxDepth, transitionDoublings
	t := &Transitions{kernel: k, q: BananaStart(), rng: rand.New(random.New(1, 0))}
	t.at = [2][]float64{make([]float64, 2), make([]float64, 2)}
	for range 200 {
		start := transitionStart{q: append([]float64(nil), t.q...), p: []float64{t.rng.NormFloat64(), t.rng.NormFloat64()}}
		if st := m.DrawMomentum(start.p, start.q); st == runtime.OK {
			start.steps = k.Transition(t.q, t.rng).Steps
			t.starts = append(t.starts, start)
		}
	}
	return t, nil
}

// Dynamic makes n transitions and returns the number of steps that they took.
func (t *Transitions) Dynamic(n int) (steps int) {
	for range n {
		steps += t.kernel.Transition(t.q, t.rng).Steps
	}
	return steps
}

// Alone makes steps with nothing around them: n trajectories from states of the chain, as
// long as its own, up to a step that fails. It returns the number of steps.
func (t *Transitions) Alone(n int) (steps int) {
	k, q, p := t.kernel, t.at[0], t.at[1]
	for range n {
		s := &t.starts[t.next]
		t.next = (t.next + 1) % len(t.starts)
		copy(q, s.q)
		copy(p, s.p)
		steps += runtime.Integrate(k.Step, q, p, k.StepSize, s.steps, &k.Solver).Steps
	}
	return steps
}
