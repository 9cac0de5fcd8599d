package runtime

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// Phase is what a chain is doing.
type Phase uint32

// The phases of a chain, in order.
const (
	Waiting Phase = iota
	WarmingUp
	Sampling
	Finished
)

var phaseNames = [...]string{"waiting", "warmup", "sampling", "finished"}

// String returns the name of the phase in outputs.
func (p Phase) String() string {
	if int(p) >= len(phaseNames) {
		return fmt.Sprintf("Phase(%d)", uint32(p))
	}
	return phaseNames[p]
}

// MarshalText writes the name of p.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the name of a phase.
func (p *Phase) UnmarshalText(text []byte) error {
	i := slices.Index(phaseNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("unknown phase %q", text)
	}
	*p = Phase(i)
	return nil
}

// Progress is how far the chains of a run have come. The chains write it and
// anyone may read it while they run.
type Progress struct {
	chains []chainProgress
	total  int       // transitions that each chain is to make
	began  time.Time // times below count from here
}

// chainProgress is written by one chain after each transition. The padding
// keeps two chains off one cache line, and off the pair of lines that some
// processors fetch together.
type chainProgress struct {
	at           atomic.Pointer[phaseEntry] // nil of a chain that waits
	done         atomic.Uint64
	failures     atomic.Uint64
	divergent    atomic.Uint64
	irreversible atomic.Uint64
	iterations   atomic.Uint64
	stepSize     atomic.Uint64
	saved        atomic.Int64 // transitions of the warm-up that are not made
	_            [128 - 8*8]byte
}

// phaseEntry says what phase a chain is in and since when. It is written whole, so that a
// reader never takes the beginning of one phase for that of another.
type phaseEntry struct {
	phase    Phase
	before   uint64        // done when warm-up or sampling began, whichever was last
	entered  time.Duration // when it began
	finished time.Duration // when it ended, of a finished chain
}

// ChainProgress is a reading of one chain's progress. The counts are of the
// whole chain, warm-up included.
type ChainProgress struct {
	Phase        Phase
	Done         int     // transitions
	Total        int     // transitions when the chain is complete
	Rate         float64 // transitions per second in this phase so far; of a finished chain, in its last
	Failures     int     // transitions whose solver or energy failed
	Divergent    int
	Irreversible int
	Iterations   int
	StepSize     float64
}

// Chains returns the number of chains.
func (p *Progress) Chains() int { return len(p.chains) }

// Chain returns the progress of chain i, counted from 0.
func (p *Progress) Chain(i int) ChainProgress {
	c := &p.chains[i]
	at := phaseEntry{phase: Waiting}
	if e := c.at.Load(); e != nil {
		at = *e
	}
	done := c.done.Load() // after the phase, so that it is never less than its before
	until := at.finished
	if at.phase != Finished {
		until = time.Since(p.began)
	}
	rate := 0.0
	if t := (until - at.entered).Seconds(); at.phase != Waiting && t > 0 {
		rate = float64(done-at.before) / t
	}
	return ChainProgress{
		Phase:        at.phase,
		Done:         int(done),
		Total:        p.total - int(c.saved.Load()),
		Rate:         rate,
		Failures:     int(c.failures.Load()),
		Divergent:    int(c.divergent.Load()),
		Irreversible: int(c.irreversible.Load()),
		Iterations:   int(c.iterations.Load()),
		StepSize:     math.Float64frombits(c.stepSize.Load()),
	}
}

// enter notes that chain i begins a phase.
func (p *Progress) enter(i int, phase Phase) {
	c := &p.chains[i]
	now := time.Since(p.began)
	e := &phaseEntry{phase: phase, before: c.done.Load(), entered: now}
	if last := c.at.Load(); phase == Finished && last != nil {
		e.before, e.entered, e.finished = last.before, last.entered, now
	}
	c.at.Store(e)
}

// add counts the transitions of one sweep.
func (c *chainProgress) add(ts []Transition) {
	c.done.Add(1)
	for i := range ts {
		t := &ts[i]
		c.iterations.Add(uint64(t.Iterations))
		if t.Failure != OK {
			c.failures.Add(1)
		}
		if t.Divergent {
			c.divergent.Add(1)
		}
		if t.Irreversible {
			c.irreversible.Add(1)
		}
	}
	c.stepSize.Store(math.Float64bits(ts[len(ts)-1].StepSize))
}

// save notes that so many transitions of the warm-up are not made.
func (c *chainProgress) save(n int) { c.saved.Add(int64(n)) }

// restore counts what a chain has come to before, with so many transitions of the warm-up not made.
func (c *chainProgress) restore(chain *Chain, saved int) {
	c.save(saved)
	c.done.Store(uint64(chain.Warmed() + chain.Drawn()))
	warmup, sampling := chain.Warmup(), chain.Sampling()
	for _, n := range []*Totals{&warmup, &sampling} {
		c.iterations.Add(uint64(n.Iterations))
		c.failures.Add(uint64(n.Failures()))
		c.divergent.Add(uint64(n.Divergent))
		c.irreversible.Add(uint64(n.Irreversible))
	}
}

// ErrStop ends a run in order when an Observer returns it: Sample returns what has been
// drawn, without an error.
var ErrStop = errors.New("stop sampling")

// Observer is told of a run as it goes. The calls for one chain come in order
// from one goroutine, those for different chains at the same time. An error
// ends the run; ErrStop does so without being one. Callbacks is an Observer made of functions.
type Observer interface {
	// Start is called once, before any chain runs.
	Start(names []string, p *Progress) error

	// Warmup is called after each transition of the warm-up of a chain. State tells
	// where the chain stands; it costs a copy, so ask seldom.
	Warmup(chain int, state func() *State) error

	// Adapted is called when the warm-up of a chain is over.
	Adapted(chain int, blocks []BlockRun) error

	// Draw is called for each draw with the statistics in the order of
	// StatNamesOf and then the parameters in the order of Names. The row is
	// valid during the call only.
	Draw(chain int, row []float64, state func() *State) error

	// Finish is called when a chain is complete or was interrupted.
	Finish(chain int, c *Chain) error
}
