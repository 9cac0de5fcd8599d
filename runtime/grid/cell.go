package grid

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/hamc-dev/hamc/runtime/random"
)

// run runs a cell. The error is about the worker, not about the cell.
func (w *worker) run(c *Cell) (*Result, error) {
	began := time.Now()
	r := w.plan.unmeasured(c)
	err := w.measure(c, r)
	var read *os.PathError
	if errors.As(err, &read) {
		return nil, err // a file that was there when the plan was made
	}
	if err != nil {
		r.Problem = err.Error()
	}
	r.Times.Whole = time.Since(began).Seconds()
	r.Times.Host, _ = os.Hostname() // for information only
	return r, nil
}

// measure is run without what it fills in whatever happens.
func (w *worker) measure(c *Cell, r *Result) error {
	l, err := w.load(c)
	if err != nil {
		return err
	}
	if c.Fresh && (l.simulator == nil || l.simulator.Draw == nil) {
		return fmt.Errorf("fresh starts: model %s has no simulator that draws from the posterior", l.model.Name)
	}
	s, block, err := w.sweep(l, c)
	if err != nil {
		return err
	}
	stream := random.New(r.Seed, 0)
	rng := rand.New(stream)
	q := slices.Clone(l.start)
	for i := range c.Warmup {
		stream.Seek(phaseWarmup, uint64(i))
		s.Transition(q, rng)
	}
	stream.Seek(phaseChoice, 0)
	rec := newRecord(r, c, l, s, block, choose(rng, c.Checks, c.Draws))
	began, cpu := time.Now(), processorTime()
	for i := range c.Draws {
		if c.Fresh {
			stream.Seek(phaseDraw, uint64(i))
			at, err := unconstrained(l.posterior, l.simulator.Draw(rng))
			if err != nil {
				return err
			}
			copy(q, at)
		}
		stream.Seek(phaseSampling, uint64(i))
		copy(rec.before, q)
		rec.transition(i, s.Transition(q, rng), q)
	}
	r.Times.Seconds = time.Since(began).Seconds()
	r.Times.CPU = processorTime() - cpu
	if r.Times.CPU <= 0 {
		r.Times.CPU = r.Times.Seconds // a system that does not tell
	}
	rec.finish()

	// On a sampler of its own, so that nothing remembered of the chain matters.
	back, block, err := w.sweep(l, c)
	if err != nil {
		return err
	}
	for i := range rec.moves {
		if !rec.moves[i].returns(back, block) {
			r.Unreturned++
		}
	}
	r.check(back, block, c, rec.states, stream, rng)
	return nil
}
