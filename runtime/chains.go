package runtime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

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

// Sample runs HMC chains on m, each on a clone of its own, opt.Workers at a
// time. The draws depend on the model and the options but not on Workers: what
// transition t of chain c draws is a function of (Seed, c, t) alone.
//
// An observer, if not nil, is told of the run as it goes. When ctx is done
// the chains stop at their current step, without the draw it belongs to; Sample then returns what they
// have together with the error of ctx. Any other error is about the options, a
// starting point or the observer, and stops all chains.
func Sample(ctx context.Context, m Model, opt Options, observer Observer) (*Result, error) {
	if m == nil {
		return nil, errors.New("no model: the model to sample is nil")
	}
	info := m.Info()
	if err := opt.Validate(info); err != nil {
		return nil, err
	}
	r := &run{model: m, opt: opt, observer: observer}
	r.progress.chains = make([]chainProgress, opt.Chains)
	result := &Result{Names: ComponentNames(info), Chains: make([]Chain, opt.Chains)}
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
	model    Model
	cloning  sync.Mutex // a model serves one goroutine, also for Clone
	opt      Options
	observer Observer
	progress Progress
	stop     atomic.Bool
	starts   [][]float64 // of the chains, unconstrained
}

// findStarts finds the starting point of every chain.
func (r *run) findStarts() error {
	sys := AsSystem(r.model.Clone())
	var errs []error
	for c := range r.opt.Chains {
		stream := random.New(r.opt.Seed, uint64(c))
		stream.Seek(streamStart, 0)
		q := make([]float64, sys.Info().Dim())
		var x []float64
		if n := len(r.opt.Init); n > 0 {
			x = r.opt.Init[c%n]
		}
		if err := start(sys, q, x, rand.New(stream)); err != nil {
			errs = append(errs, fmt.Errorf("chain %d: %w", c+1, err))
		}
		r.starts = append(r.starts, q)
	}
	return errors.Join(errs...)
}

// chain runs chain number c, counted from 0.
func (r *run) chain(c int, out *Chain) error {
	if r.stop.Load() {
		return nil
	}
	r.cloning.Lock()
	sys := AsSystem(r.model.Clone())
	r.cloning.Unlock()

	opt := &r.opt
	kernel, err := NewHMC(sys, opt.Integrator)
	if err != nil {
		return err
	}
	kernel.StepSize = opt.StepSize
	kernel.Length = opt.length()
	kernel.Solver = opt.Solver
	kernel.Reverse = opt.ReverseCheck
	kernel.stop = &r.stop

	stream := random.New(opt.Seed, uint64(c))
	rng := rand.New(stream)
	q := r.starts[c]

	progress := &r.progress.chains[c]
	progress.phase.Store(uint32(WarmingUp))
	began := time.Now()
	adapt := opt.StepSize == 0
	var da dualAveraging
	if adapt {
		stream.Seek(streamStepSize, 0)
		kernel.StepSize = 1
		kernel.InitialStepSize(q, rng)
		da = newDualAveraging(kernel.StepSize, opt.TargetAccept)
	}
	for i := range opt.Warmup {
		if r.stop.Load() {
			break
		}
		stream.Seek(streamWarmup, uint64(i))
		t := kernel.Transition(q, rng)
		if t.stopped {
			break
		}
		out.Warmup.Add(&t)
		progress.add(&t)
		if adapt {
			kernel.StepSize = da.update(t.Accept * kernel.economy(&t))
		}
	}
	if adapt {
		kernel.StepSize = da.final()
	}
	out.StepSize = kernel.StepSize
	out.WarmupTime = time.Since(began)
	if r.observer != nil && out.Warmup.Transitions == opt.Warmup {
		if err := r.observer.Adapted(c, out.StepSize); err != nil {
			return err
		}
	}

	progress.phase.Store(uint32(Sampling))
	began = time.Now()
	if err := r.sample(c, kernel, q, stream, rng, out); err != nil {
		return err
	}
	out.SamplingTime = time.Since(began)
	progress.phase.Store(uint32(Finished))
	if r.observer != nil {
		return r.observer.Finish(c, out)
	}
	return nil
}

// sample makes the draws of a chain.
func (r *run) sample(c int, kernel *HMC, q []float64, stream *random.Philox, rng *rand.Rand, out *Chain) error {
	m := len(q)
	if !r.opt.Discard {
		out.Draws = make([][]float64, m)
		for i := range out.Draws {
			out.Draws[i] = make([]float64, 0, r.opt.Draws)
		}
		for i := range out.Stats {
			out.Stats[i] = make([]float64, 0, r.opt.Draws)
		}
	}
	progress := &r.progress.chains[c]
	row := make([]float64, NumStats+m)
	for i := range r.opt.Draws {
		if r.stop.Load() {
			break
		}
		stream.Seek(streamSampling, uint64(i))
		t := kernel.Transition(q, rng)
		if t.stopped {
			break // a trajectory cut short is no draw
		}
		out.Sampling.Add(&t)
		progress.add(&t)

		t.stats(row)
		kernel.System.Constrain(row[NumStats:], q)
		if !r.opt.Discard {
			for j, x := range row[:NumStats] {
				out.Stats[j] = append(out.Stats[j], x)
			}
			for j, x := range row[NumStats:] {
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
