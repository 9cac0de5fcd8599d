package runtime

import (
	"sync"
	"sync/atomic"
	"time"
)

// progressInterval is the time between two calls of OnProgress unless told otherwise.
const progressInterval = time.Second

// Callbacks is an Observer made of functions. Those that are nil are not called. As with
// any Observer an error that one returns ends the run, and ErrStop does so without being
// one. A Callbacks serves one run at a time.
type Callbacks struct {
	// OnProgress is called with how far all chains have come: about once every Interval,
	// after a transition, and whenever a chain has finished. Calls come one at a time, so
	// it needs no lock of its own. The slice is valid during the call only.
	OnProgress func(chains []ChainProgress) error

	// Interval is the time between two calls of OnProgress; 0 stands for a second.
	Interval time.Duration

	// These are called as the methods of Observer are: all but OnStart for different
	// chains at the same time.
	OnStart   func(names []string, p *Progress) error
	OnWarmup  func(chain int, state func() *State) error
	OnAdapted func(chain int, blocks []BlockRun) error
	OnDraw    func(chain int, row []float64, state func() *State) error
	OnFinish  func(chain int, c *Chain) error

	progress *Progress
	next     atomic.Int64 // when OnProgress is due, in nanoseconds since the run began
	calling  sync.Mutex   // held while OnProgress is called
	chains   []ChainProgress
}

var _ Observer = (*Callbacks)(nil)

// Start calls OnStart.
func (c *Callbacks) Start(names []string, p *Progress) error {
	c.progress, c.chains = p, make([]ChainProgress, p.Chains())
	c.next.Store(int64(c.interval()))
	if c.OnStart == nil {
		return nil
	}
	return c.OnStart(names, p)
}

// Warmup calls OnWarmup, and OnProgress where it is due.
func (c *Callbacks) Warmup(chain int, state func() *State) error {
	if c.OnWarmup != nil {
		if err := c.OnWarmup(chain, state); err != nil {
			return err
		}
	}
	return c.tick()
}

// Adapted calls OnAdapted.
func (c *Callbacks) Adapted(chain int, blocks []BlockRun) error {
	if c.OnAdapted == nil {
		return nil
	}
	return c.OnAdapted(chain, blocks)
}

// Draw calls OnDraw, and OnProgress where it is due.
func (c *Callbacks) Draw(chain int, row []float64, state func() *State) error {
	if c.OnDraw != nil {
		if err := c.OnDraw(chain, row, state); err != nil {
			return err
		}
	}
	return c.tick()
}

// Finish calls OnFinish and OnProgress.
func (c *Callbacks) Finish(chain int, x *Chain) error {
	if c.OnFinish != nil {
		if err := c.OnFinish(chain, x); err != nil {
			return err
		}
	}
	if c.OnProgress == nil {
		return nil
	}
	c.calling.Lock()
	defer c.calling.Unlock()
	return c.report()
}

func (c *Callbacks) interval() time.Duration {
	if c.Interval > 0 {
		return c.Interval
	}
	return progressInterval
}

// tick calls OnProgress where it is due and no other chain is about to.
func (c *Callbacks) tick() error {
	if c.OnProgress == nil || int64(time.Since(c.progress.began)) < c.next.Load() || !c.calling.TryLock() {
		return nil
	}
	defer c.calling.Unlock()
	// Another chain may have called it in between.
	if int64(time.Since(c.progress.began)) < c.next.Load() {
		return nil
	}
	return c.report()
}

// report calls OnProgress; the caller holds the lock.
func (c *Callbacks) report() error {
	for i := range c.chains {
		c.chains[i] = c.progress.Chain(i)
	}
	err := c.OnProgress(c.chains)
	// Counted from the end of the call, so that a slow one does not hold the chains up
	// all the time.
	c.next.Store(int64(time.Since(c.progress.began) + c.interval()))
	return err
}
