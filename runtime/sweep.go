package runtime

import (
	"fmt"
	"math/rand/v2"
)

// Sweep is a transition of a whole posterior: its blocks are updated in turn,
// each by an HMC transition given the others (Gibbs sampling). A Model counts as
// one block of all its parameters. It serves one goroutine.
type Sweep struct {
	Posterior Posterior
	Names     []string // of the blocks; the one of a Model has no name
	Kernels   []*HMC   // by block; the caller may set their fields

	blocks      []blockUpdate
	transitions []Transition
	carrier     *carrier

	judged bool  // the priors have been looked at:
	far    []int // see elsewhere

	// failed, if not nil, is told of an update of block i that the model ended, or
	// did not let begin: entered is false then.
	failed func(i int, st Status, entered bool)
}

// blockUpdate is what moves between the coordinates of a posterior and those of
// one block.
type blockUpdate struct {
	system System
	given  Conditional // nil for a Model
	spans  []span
	q      []float64 // of the block
}

// span says that n coordinates of a block, from one on, are those of the
// posterior from another on.
type span struct{ from, to, n int }

// NewSweep returns the transition of a Model or a Gibbs with the settings that
// opt has for each block. Step sizes that are to be adapted are 0.
func NewSweep(p Posterior, opt *Options) (*Sweep, error) {
	s := &Sweep{Posterior: p}
	blocks, err := blocksOf(p)
	if err != nil {
		return nil, err
	}
	for _, b := range blocks {
		in := b.system.Info()
		name := ""
		if b.given != nil {
			name = in.Name
		}
		t := opt.For(name)
		if b.system.Info().Metric.Identity && (t.Metric != UnitE || b.system.Info().Metric.Auto) {
			b.system = NewEuclidean(b.system, t.Metric == DenseE)
		}
		t.Solver.Method = t.Solver.Method.Resolve(in.Dim())
		k, err := NewHMC(b.system, t.Integrator, t.Solver)
		if err != nil {
			return nil, blockError(name, err)
		}
		k.StepSize, k.Reverse = t.StepSize, t.ReverseCheck
		k.Steps, k.RandomSteps, k.MaxDepth, k.ExtraDoublings = t.Steps, t.RandomSteps, t.MaxDepth, max(0, t.ExtraDoublings)
		if k.integrator == Leapfrog {
			k.MaxHalvings = t.MaxHalvings
			if t.ExtraDoublings == AdaptDoublings && in.Dim() == 1 {
				// With one coordinate few states lie before the turn: draws of N(0, 1) are worth six times as much for twice the steps. With
				// two it does not pay.
				k.ExtraDoublings = 1
			}
		}
		b.q = make([]float64, in.Dim())
		s.Names, s.Kernels, s.blocks = append(s.Names, name), append(s.Kernels, k), append(s.blocks, b)
	}
	s.transitions = make([]Transition, len(s.blocks))
	s.carrier = newCarrier(s)
	return s, nil
}

// blockError says which block an error is about.
func blockError(name string, err error) error {
	if err == nil || name == "" {
		return err
	}
	return fmt.Errorf("block %s: %w", name, err)
}

// blocksOf returns the blocks of a posterior.
func blocksOf(p Posterior) ([]blockUpdate, error) {
	g, ok := p.(Gibbs)
	if !ok {
		m, ok := p.(Model)
		if !ok {
			return nil, fmt.Errorf("%s is neither a Model nor a Gibbs: it has no metric", p.Info().Name)
		}
		return []blockUpdate{{system: AsSystem(m), spans: []span{{0, 0, p.Info().Dim()}}}}, nil
	}
	whole := p.Info()
	at := map[string]span{}
	from := 0
	for i := range whole.Params {
		q := &whole.Params[i]
		at[q.Name] = span{from: from, n: q.Dim()}
		from += q.Dim()
	}
	var out []blockUpdate
	named := map[string]bool{}
	owner := map[string]string{} // the block that a parameter is in
	for _, c := range g.Blocks() {
		in := c.Info()
		if in.Name == "" || named[in.Name] {
			return nil, fmt.Errorf("a block of %s is called %q: each needs a name of its own", whole.Name, in.Name)
		}
		named[in.Name] = true
		b := blockUpdate{system: c, given: c}
		to := 0
		for i := range in.Params {
			q := &in.Params[i]
			x, known := at[q.Name]
			other, taken := owner[q.Name]
			switch {
			case !known:
				return nil, fmt.Errorf("block %s: %s has no parameter %s", in.Name, whole.Name, q.Name)
			case taken:
				return nil, fmt.Errorf("block %s: the parameter %s is in the block %s too", in.Name, q.Name, other)
			case x.n != q.Dim():
				return nil, fmt.Errorf("block %s: the parameter %s has %d coordinates, and %d in %s", in.Name, q.Name, q.Dim(), x.n, whole.Name)
			}
			owner[q.Name] = in.Name
			b.spans = append(b.spans, span{from: x.from, to: to, n: x.n})
			to += x.n
		}
		out = append(out, b)
	}
	for i := range whole.Params {
		if name := whole.Params[i].Name; owner[name] == "" {
			return nil, fmt.Errorf("the parameter %s of %s is in no block, so nothing would move it", name, whole.Name)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no blocks", whole.Name)
	}
	return out, nil
}

// enter makes block i ready for an update from the posterior's coordinates q:
// its own are in the block's q then.
func (s *Sweep) enter(i int, q []float64) Status {
	b := &s.blocks[i]
	if b.given != nil {
		if st := b.given.Given(q); st != OK {
			return st
		}
		if plain := s.Kernels[i].plain; plain != nil {
			plain.Forget()
		}
		if e, ok := b.system.(*Euclidean); ok {
			e.Forget()
		}
	}
	for _, x := range b.spans {
		copy(b.q[x.to:x.to+x.n], q[x.from:x.from+x.n])
	}
	return OK
}

// Enter makes block i ready for its integrator at the coordinates q of the whole posterior: what
// depends on the other blocks' parameters is computed. A Transition does so by itself.
func (s *Sweep) Enter(i int, q []float64) Status { return s.enter(i, q) }

// leave writes the coordinates of block i back.
func (s *Sweep) leave(i int, q []float64) {
	for _, x := range s.blocks[i].spans {
		copy(q[x.from:x.from+x.n], s.blocks[i].q[x.to:x.to+x.n])
	}
}

// Transition replaces q by the next state of the Markov chain, and reports the
// transition of each block. The slice is valid until the next call. A block
// that the others' parameters leave without a metric stays where it is, and
// counts as a failure.
func (s *Sweep) Transition(q []float64, rng *rand.Rand) []Transition {
	for i, k := range s.Kernels {
		if st := s.enter(i, q); st != OK {
			s.transitions[i] = k.refuse(st, s.Posterior.LogDensity(q))
			if s.failed != nil && st.OfModel() {
				s.failed(i, st, false)
			}
			continue
		}
		s.transitions[i] = k.Transition(s.blocks[i].q, rng)
		s.leave(i, q)
		if s.transitions[i].stopped {
			clear(s.transitions[i+1:])
			break
		}
		if st := s.transitions[i].Failure; s.failed != nil && st.OfModel() {
			s.failed(i, st, true)
		}
	}
	return s.transitions
}

// stopped reports whether the last sweep was cut short.
func (s *Sweep) stopped() bool {
	for i := range s.transitions {
		if s.transitions[i].stopped {
			return true
		}
	}
	return false
}
