package runtime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hamc-dev/hamc/runtime/ode"
	"github.com/hamc-dev/hamc/runtime/random"
)

// The phases that a chain's random numbers are drawn for. They address streams
// of random.Philox, so their values are part of what a seed means.
const (
	streamStart uint64 = iota
	streamStepSize
	streamWarmup
	streamSampling
)

// Sample runs HMC chains on m, a Model or a Gibbs, each on a clone of its own, opt.Workers at a
// time. The draws depend on the model and the options but not on Workers: what
// transition t of chain c draws is a function of (Seed, c, t) alone.
//
// An observer, if not nil, is told of the run as it goes. When ctx is done
// the chains stop at their current step, without the draw it belongs to; Sample then returns what they
// have together with the error of ctx. Any other error is about the options, a
// starting point or the observer, and stops all chains.
func Sample(ctx context.Context, m Posterior, opt Options, observer Observer) (*Result, error) {
	if m == nil {
		return nil, errors.New("no model: the model to sample is nil")
	}
	if err := opt.Validate(m); err != nil {
		return nil, err
	}
	r := &run{model: m, opt: opt, observer: observer}
	r.progress.chains = make([]chainProgress, opt.Chains)
	result := &Result{StatNames: StatNamesOf(m), Chains: make([]Chain, opt.Chains)}
	result.Names, r.kept = kept(m.Info(), opt.Keep)
	r.stats = len(result.StatNames)
	// Starting points come first: where one cannot be found, no file of an
	// earlier run has been touched.
	if err := r.findStarts(); err != nil {
		return nil, err
	}
	if observer != nil {
		if err := observer.Start(result.Names, &r.progress); err != nil {
			return nil, err
		}
	}
	// A flag costs a transition less than a look at the context.
	release := context.AfterFunc(ctx, func() { r.stop.Store(true) })
	defer release()

	errs := make([]error, opt.Chains)
	var next atomic.Int64
	var pool sync.WaitGroup
	for range opt.workers() {
		pool.Go(func() {
			for {
				c := int(next.Add(1)) - 1
				if c >= opt.Chains {
					return
				}
				if err := r.chain(c, &result.Chains[c]); err != nil {
					errs[c] = fmt.Errorf("chain %d: %w", c+1, err)
					r.stop.Store(true)
				}
			}
		})
	}
	pool.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return result, ctx.Err()
}

// run is what the chains of one Sample share.
type run struct {
	model    Posterior
	cloning  sync.Mutex // a model serves one goroutine, also for Clone
	kept     []int      // components of the draws that are kept
	stats    int        // number of statistics of a draw
	opt      Options
	observer Observer
	progress Progress
	stop     atomic.Bool
	starts   [][]float64 // of the chains, unconstrained
}

// findStarts finds the starting point of every chain.
func (r *run) findStarts() error {
	sweep, err := NewSweep(r.clone(), &r.opt)
	if err != nil {
		return err
	}
	var errs []error
	for c := range r.opt.Chains {
		stream := random.New(r.opt.Seed, uint64(c))
		stream.Seek(streamStart, 0)
		q := make([]float64, r.model.Info().Dim())
		var x Point
		if n := len(r.opt.Init); n > 0 {
			x = r.opt.Init[c%n]
		}
		if err := start(sweep, q, x, rand.New(stream)); err != nil {
			errs = append(errs, fmt.Errorf("chain %d: %w", c+1, err))
		}
		r.starts = append(r.starts, q)
	}
	return errors.Join(errs...)
}

// clone returns the posterior with work space of its own, set as the options
// say.
func (r *run) clone() Posterior {
	r.cloning.Lock()
	defer r.cloning.Unlock()
	var p Posterior
	if g, ok := r.model.(Gibbs); ok {
		p = g.Clone()
	} else {
		p = r.model.(Model).Clone() // Validate has seen to it
	}
	if s, ok := p.(solver); ok && r.opt.ODE != (ode.Options{}) {
		s.SetODE(r.opt.ODE)
	}
	return p
}

// kept returns the names and places of the components of some parameters.
func kept(in *Info, keep []string) (names []string, at []int) {
	all := ComponentNames(in)
	k := 0
	for i := range in.Params {
		p := &in.Params[i]
		for range p.Size() {
			if len(keep) == 0 || slices.Contains(keep, p.Name) {
				names, at = append(names, all[k]), append(at, k)
			}
			k++
		}
	}
	return names, at
}

// chain runs chain number c, counted from 0.
func (r *run) chain(c int, out *Chain) error {
	opt := &r.opt
	sweep, err := NewSweep(r.clone(), opt)
	if err != nil {
		return err
	}
	for i, k := range sweep.Kernels {
		k.stop = &r.stop
		out.Blocks = append(out.Blocks, BlockRun{Name: sweep.Names[i]})
	}
	if r.stop.Load() {
		return nil
	}
	stream := random.New(opt.Seed, uint64(c))
	rng := rand.New(stream)
	q := r.starts[c]

	progress := &r.progress.chains[c]
	progress.phase.Store(uint32(WarmingUp))
	began := time.Now()
	r.warmUp(sweep, q, stream, rng, out, progress)
	out.WarmupTime = time.Since(began)
	if r.observer != nil && out.Warmed() == opt.Warmup {
		sizes := make([]float64, len(out.Blocks))
		for i := range sizes {
			sizes[i] = out.Blocks[i].StepSize
		}
		if err := r.observer.Adapted(c, sizes); err != nil {
			return err
		}
	}

	progress.phase.Store(uint32(Sampling))
	began = time.Now()
	if err := r.sample(c, sweep, q, stream, rng, out); err != nil {
		return err
	}
	out.SamplingTime = time.Since(began)
	progress.phase.Store(uint32(Finished))
	if r.observer != nil {
		return r.observer.Finish(c, out)
	}
	return nil
}

// warmUp makes the transitions before the first draw, and adapts the step size
// of each block that has none.
func (r *run) warmUp(sweep *Sweep, q []float64, stream *random.Philox, rng *rand.Rand, out *Chain, progress *chainProgress) {
	adapt := make([]*dualAveraging, len(sweep.Kernels))
	for i, k := range sweep.Kernels {
		if k.StepSize != 0 {
			continue
		}
		stream.Seek(streamStepSize, uint64(i))
		k.StepSize = 1
		if sweep.enter(i, q) == OK {
			k.InitialStepSize(sweep.blocks[i].q, rng)
		}
		da := newDualAveraging(k.StepSize, r.opt.For(sweep.Names[i]).TargetAccept)
		adapt[i] = &da
	}
	for n := range r.opt.Warmup {
		if r.stop.Load() {
			break
		}
		stream.Seek(streamWarmup, uint64(n))
		ts := sweep.Transition(q, rng)
		if sweep.stopped() {
			break
		}
		progress.add(ts)
		for i, k := range sweep.Kernels {
			out.Blocks[i].Warmup.Add(&ts[i])
			// A transition that made no step says nothing of its size.
			if adapt[i] != nil && ts[i].Steps > 0 {
				k.StepSize = adapt[i].update(ts[i].Accept * k.economy(&ts[i]))
			}
		}
	}
	for i, k := range sweep.Kernels {
		if adapt[i] != nil {
			k.StepSize = adapt[i].final()
		}
		out.Blocks[i].StepSize = k.StepSize
	}
}

// sample makes the draws of a chain.
func (r *run) sample(c int, sweep *Sweep, q []float64, stream *random.Philox, rng *rand.Rand, out *Chain) error {
	if !r.opt.Discard {
		columns := func(n int) [][]float64 {
			x := make([][]float64, n)
			for i := range x {
				x[i] = make([]float64, 0, r.opt.Draws)
			}
			return x
		}
		out.Draws, out.Stats = columns(len(r.kept)), columns(r.stats)
	}
	progress := &r.progress.chains[c]
	row := make([]float64, r.stats+len(r.kept))
	params := make([]float64, len(q))
	for n := range r.opt.Draws {
		if r.stop.Load() {
			break
		}
		stream.Seek(streamSampling, uint64(n))
		ts := sweep.Transition(q, rng)
		if sweep.stopped() {
			break // a trajectory cut short is no draw
		}
		for i := range ts {
			out.Blocks[i].Sampling.Add(&ts[i])
		}
		progress.add(ts)

		sweepStats(row[:r.stats], ts)
		sweep.Posterior.Constrain(params, q)
		for i, at := range r.kept {
			row[r.stats+i] = params[at]
		}
		if !r.opt.Discard {
			for j, x := range row[:r.stats] {
				out.Stats[j] = append(out.Stats[j], x)
			}
			for j, x := range row[r.stats:] {
				out.Draws[j] = append(out.Draws[j], x)
			}
		}
		if r.observer != nil {
			if err := r.observer.Draw(c, row); err != nil {
				return err
			}
		}
	}
	return nil
}
