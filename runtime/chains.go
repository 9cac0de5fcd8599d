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
	streamGenerate
	streamAudit
	streamRace // of both candidates, in turn
	streamJump
)

// anewBits is where the number of a beginning stands in what addresses a stream, above the number of a transition.
const anewBits = 56

// maxReserve is the number of draws that memory is set aside for at once: Options.Draws may
// be a limit that nobody means to reach.
const maxReserve = 1 << 16

// Sample runs HMC chains on m, a Model or a Gibbs, each on a clone of its own, opt.Workers at a
// time. The draws depend on the model and the options but not on Workers: the random numbers of
// transition t of chain c are a function of (Seed, c, t) alone. Chains know nothing of each other, but that warm-up has one that comes to
// nothing begin anew, see massLevel, and that chains at different places jump between these, see foothold.
//
// With opt.From the chains go on from there: a run that was interrupted, or one whose
// Draws were fewer, comes to the same draws as if it had been one run. The Result
// holds the new draws only.
//
// An observer, if not nil, is told of the run as it goes. When ctx is done
// the chains stop at their current step, without the draw it belongs to; Sample then returns what they
// have together with the error of ctx. If the observer returns ErrStop they stop likewise, and
// there is no error. Any other error of the observer stops all chains too, and comes with what they
// have. An error about the options or starting points (StartErrors) comes with a nil Result.
func Sample(ctx context.Context, m Posterior, opt Options, observer Observer) (*Result, error) {
	if m == nil {
		return nil, errors.New("no model: the model to sample is nil")
	}
	if err := opt.Validate(m); err != nil {
		return nil, err
	}
	m, opt, race, err := Choose(ctx, m, opt)
	if err != nil {
		return nil, err
	}
	r := &run{model: m, opt: opt, observer: observer}
	r.progress = Progress{chains: make([]chainProgress, opt.Chains), total: opt.Warmup + opt.Draws, began: time.Now()}
	result := &Result{Race: race, StatNames: StatNamesOf(m), Chains: make([]Chain, opt.Chains), discarded: opt.Discard}
	result.Names, r.kept = Columns(m, opt.Keep)
	r.stats = len(result.StatNames)
	// Starting points come first: where one cannot be found, no file of an
	// earlier run has been touched.
	if err := r.findStarts(); err != nil {
		return nil, err
	}
	if observer != nil {
		if err := r.told(observer.Start(result.Names, &r.progress)); err != nil {
			return nil, err
		}
	}
	// A flag costs a transition less than a look at the context.
	release := context.AfterFunc(ctx, func() { r.stop.Store(true) })
	defer release()
	if ctx.Err() != nil {
		r.stop.Store(true) // at once, not when the function above gets its turn
	}

	if err := r.chains(result.Chains); err != nil {
		return result, err
	}
	return result, ctx.Err()
}

// chains runs the chains: their warm-ups up to where they are compared, what is left of them, and then the rest. They wait for one another there.
func (r *run) chains(out []Chain) error {
	walkers := make([]*walker, len(out))
	for _, s := range r.opt.From {
		if s != nil && len(s.Summits) > len(r.summits) {
			r.summits = s.Summits
		}
		if s != nil && len(s.Places) > 0 {
			r.places = s.Places
		}
	}
	if err := r.each(func(c int) (err error) {
		walkers[c], err = r.walker(c, &out[c], r.from(c))
		return err
	}); err != nil {
		return err
	}
	for k := earlyLevel; k <= lastLevel && r.compares(); k++ {
		if err := r.each(func(c int) (err error) {
			walkers[c], err = walkers[c].set(k)
			return err
		}); err != nil {
			return err
		}
		r.compare(k, walkers)
	}
	if r.jumps(walkers) {
		if err := r.each(func(c int) (err error) {
			walkers[c], err = walkers[c].set(lastLevel)
			return err
		}); err != nil {
			return err
		}
		if err := r.relate(walkers); err != nil {
			return err
		}
	}
	return r.each(func(c int) error {
		w := walkers[c]
		walkers[c] = nil // a model less
		return r.chain(w)
	})
}

// each calls do for every chain, on as many goroutines as there are workers. An error stops all chains.
func (r *run) each(do func(c int) error) error {
	errs := make([]error, r.opt.Chains)
	shared(r.opt.Chains, r.opt.workers(), func(_, c int) {
		if err := do(c); err != nil {
			errs[c] = fmt.Errorf("chain %d: %w", c+1, err)
			r.stop.Store(true)
		}
	})
	return errors.Join(errs...)
}

// shared calls do for 0 … n−1 on a number of goroutines, and tells which of them it is.
func shared(n, workers int, do func(worker, i int)) {
	var next atomic.Int64
	var pool sync.WaitGroup
	for w := range workers {
		pool.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(w, i)
			}
		})
	}
	pool.Wait()
}

// run is what the chains of one Sample share.
type run struct {
	model    Posterior
	cloning  sync.Mutex // a model serves one goroutine, also for Clone
	kept     []int      // values of parameters and quantities that are kept
	stats    int        // number of statistics of a draw
	opt      Options
	observer Observer
	progress Progress
	stop     atomic.Bool
	starts   [][]float64 // of the chains, unconstrained: plain coordinates, but of a chain that goes on
	summits  []*summit   // of the comparisons of the chains that are made
	places   []foothold  // that chains jump between
}

// told takes an answer of the observer: ErrStop ends the run, and is no error.
func (r *run) told(err error) error {
	if errors.Is(err, ErrStop) {
		r.stop.Store(true)
		return nil
	}
	return err
}

// findStarts finds the starting point of every chain.
func (r *run) findStarts() error {
	sweep, err := NewSweep(r.clone(), &r.opt)
	if err != nil {
		return err
	}
	var errs StartErrors
	var list []*drawn
	for c := range r.opt.Chains {
		if from := r.from(c); from != nil {
			r.starts = append(r.starts, slices.Clone(from.Q))
			continue
		}
		stream := random.New(r.opt.Seed, uint64(c))
		stream.Seek(streamStart, 0)
		q := make([]float64, r.model.Info().Dim())
		x := r.given(c)
		rng := rand.New(stream)
		if err := start(sweep, q, x, r.opt.Start, rng); err != nil {
			err.Chain = c + 1
			errs = append(errs, err)
		}
		r.starts = append(r.starts, q)
		if x == nil || !x.complete() {
			list = append(list, &drawn{chain: c, given: x, rng: rng})
		}
	}
	if len(errs) > 0 {
		return errs
	}
	if len(list) > 0 && r.probes() {
		return r.redraw(list)
	}
	return nil
}

// given is the starting point that chain c was given, nil for none.
func (r *run) given(c int) Point {
	if n := len(r.opt.Init); n > 0 {
		return r.opt.Init[c%n]
	}
	return nil
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

// walker is one chain under way.
type walker struct {
	*run
	c      int
	sweep  *Sweep
	q      []float64
	before []float64 // q before a sweep of several blocks
	stream *random.Philox
	rng    *rand.Rand

	out      *Chain
	progress *chainProgress
	adapters []*adapter // by block, during warm-up
	end      int        // transitions of the warm-up
	level    massLevel  // of the last transitions, during warm-up
	begun    bool       // transitions may have been made
	anew     int        // how often the chain has begun anew
	anchors  *anchoring
	auditor  *auditor // nil where nothing is audited
	jumper   *jumper  // nil where there are no jumps
	landed   int      // the place where the state is that the chain goes on from
	state    func() *State
}

// walker returns chain number c, counted from 0, as it stands in a state, or at its beginning where that is nil.
func (r *run) walker(c int, out *Chain, from *State) (*walker, error) {
	opt := &r.opt
	sweep, err := NewSweep(r.clone(), opt)
	if err != nil {
		return nil, err
	}
	for i, k := range sweep.Kernels {
		k.stop = &r.stop
		out.Blocks = append(out.Blocks, BlockRun{Name: sweep.Names[i]})
	}
	stream := random.New(opt.Seed, uint64(c))
	w := &walker{run: r, c: c, sweep: sweep, q: r.starts[c], before: make([]float64, len(r.starts[c])),
		stream: stream, rng: rand.New(stream), out: out, progress: &r.progress.chains[c]}
	w.state = w.snapshot
	if opt.Audit.Draws > 0 {
		if w.auditor, err = r.newAuditor(c); err != nil {
			return nil, err
		}
	}
	for i, k := range sweep.Kernels {
		t := opt.For(sweep.Names[i])
		w.adapters = append(w.adapters, newAdapter(k, opt.Warmup, &t))
	}
	w.anchors, w.end = newAnchoring(sweep.carrier, opt.Warmup), opt.Warmup
	if from != nil {
		if err := w.restore(from); err != nil {
			return nil, err
		}
		w.progress.restore(out, opt.Warmup-w.end)
	} else {
		w.begin()
	}
	out.State = w.snapshot()
	return w, nil
}

// set makes the warm-up of a chain up to a comparison with the others. A chain that has not begun when the run is stopped does not begin.
func (w *walker) set(comparison int) (*walker, error) {
	if w.stop.Load() {
		return w, nil
	}
	w.begun = true
	w.run.progress.enter(w.c, WarmingUp)
	w, err := w.reach(comparison)
	w.out.State = w.snapshot()
	return w, err
}

// chain makes the rest of a chain.
func (r *run) chain(w *walker) error {
	if r.stop.Load() && !w.begun {
		return nil
	}
	r.progress.enter(w.c, WarmingUp)
	w, err := w.reach(lastLevel)
	out := w.out
	if err == nil {
		w.settle()
		w.jumper, err = w.newJumper()
	}
	if err == nil && r.observer != nil && w.warm() {
		err = r.told(r.observer.Adapted(w.c, out.Blocks))
	}
	if err != nil {
		out.State = w.snapshot()
		return err
	}

	r.progress.enter(w.c, Sampling)
	began := time.Now()
	err = w.sample()
	out.SamplingTime = time.Since(began)
	out.State = w.snapshot()
	if err != nil {
		return err
	}
	r.progress.enter(w.c, Finished)
	if r.observer != nil {
		return r.told(r.observer.Finish(w.c, out))
	}
	return nil
}

// transition makes transition number n of a phase, unless the run is stopped.
func (w *walker) transition(phase uint64, n int) ([]Transition, bool) {
	if w.stop.Load() {
		return nil, false
	}
	number := uint64(n)
	if phase == streamWarmup {
		number |= uint64(w.anew) << anewBits
	}
	copy(w.before, w.q)
	if w.jumper != nil {
		return w.leap(phase, number)
	}
	w.stream.Seek(phase, number)
	ts := w.sweep.Transition(w.q, w.rng)
	if w.sweep.stopped() {
		// A trajectory cut short is no state of the chain.
		copy(w.q, w.before)
		return nil, false
	}
	return ts, true
}

// search looks for a step size of block i to begin with, before transition number n.
func (w *walker) search(i, n int) {
	w.stream.Seek(streamStepSize, uint64(n)<<16|uint64(i)|uint64(w.anew)<<anewBits)
	q := w.sweep.blocks[i].q
	if w.sweep.enter(i, w.q) != OK {
		q = nil
	}
	w.adapters[i].search(q, w.rng)
}

// begin makes the starting point, which is plain, one of the chain: the maps of latent vectors are those of the middle of these
// given the other parameters, where warm-up has them begin too.
func (w *walker) begin() {
	c := w.sweep.carrier
	if c.transported == nil {
		return
	}
	plain := slices.Clone(w.q)
	if c.enter(w.q); !allFinite(w.q) && c.anchored != nil {
		// The map at this point, which may be where another chain is, has no value. That of the origin has one.
		copy(w.q, plain)
		c.anchor(make([]float64, len(plain)))
		c.pull(w.q)
	}
	c.score(w.q)
	if w.opt.Warmup == 0 {
		copy(w.q, plain)
		c.pull(w.q)
	}
}

// climb climbs from the start of the chain. Where the climb is stuck, and the start was drawn, it begins anew from others.
func (w *walker) climb() (*climber, bool) {
	c := newClimber(w.sweep, &w.stop)
	climbed := c.climb(w.q)
	x := w.given(w.c)
	if x != nil && x.complete() {
		return c, climbed
	}
	for try := 0; try < mostRedrawn && c.stuck(w.q); try++ {
		w.stream.Seek(streamStart, uint64(w.anew*(mostRedrawn+1)+try+1)) // whatever was drawn before, so that a chain that goes on from here does the same
		plain := make([]float64, len(w.q))
		if start(w.sweep, plain, x, w.opt.Start, w.rng) != nil {
			continue
		}
		copy(w.q, plain)
		w.begin()
		c = newClimber(w.sweep, &w.stop)
		climbed = c.climb(w.q)
	}
	return c, climbed
}

// approach moves a start that is far from the bulk to where the bulk begins, and gives the metrics that warm-up
// adapts the widths of the posterior there where these differ much.
func (w *walker) approach() {
	c, climbed := w.climb()
	if climbed {
		for i := range w.out.Blocks {
			w.out.Blocks[i].Climbed = true
		}
		w.sweep.carrier.score(w.q)
	}
	if c.model != nil {
		return
	}
	for i, a := range w.adapters {
		if e, ok := a.k.System.(*Euclidean); ok {
			e.widen(func(out []float64) bool { return c.scales(out, w.sweep.blocks[i].spans) })
		}
	}
}

// warm reports whether the warm-up is over.
func (w *walker) warm() bool { return w.out.Warmed() == w.end }

// settled reports whether the warm-up may end before transition number n: the metrics are what they come to, and there are windows left.
func (w *walker) settled(n int) bool {
	return n+lastBuffer < w.end && !slices.ContainsFunc(w.adapters, func(a *adapter) bool { return !a.settled || len(a.ends) < 2 })
}

// endEarly ends the windows before transition number n.
func (w *walker) endEarly(n int) {
	end := n
	for _, a := range w.adapters {
		end = max(end, a.close(n))
	}
	w.progress.save(w.end - end)
	w.end, w.anchors.ends = end, nil
}

// warmUp makes the transitions of the warm-up before number until, and adapts what is to be
// adapted of each block.
func (w *walker) warmUp(until int) error {
	began := time.Now()
	defer func() { w.out.WarmupTime += time.Since(began) }()
	if w.out.Warmed() == 0 && w.opt.Warmup > 0 {
		w.approach()
		for i, a := range w.adapters {
			if a.averaging != nil {
				w.search(i, 0)
			}
		}
	}
	var again []int // blocks whose step size is to be searched for
	for n := w.out.Warmed(); n < min(until, w.end); n++ {
		ts, ok := w.transition(streamWarmup, n)
		if !ok {
			break
		}
		w.progress.add(ts)
		if n == levelAt-levelOver || n == w.end-levelLast {
			w.level = massLevel{}
		}
		w.level.add(&ts[0])
		for i, a := range w.adapters {
			w.out.Blocks[i].Warmup.Add(&ts[i])
			if a.take(n, &ts[i], w.sweep.blocks[i].q) && !a.endsWindow(n+1) {
				again = append(again, i)
			}
		}
		early := w.settled(n + 1)
		if !early {
			w.anchors.learn(n, w.q, w.adapters[0])
		}
		for i, a := range w.adapters {
			if a.endsWindow(n+1) && a.endWindow() {
				again = append(again, i)
			}
		}
		if early {
			w.endEarly(n + 1)
		}
		for _, i := range again {
			w.search(i, n+1)
		}
		again = again[:0]
		if w.observer != nil {
			if err := w.told(w.observer.Warmup(w.c, w.state)); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle ends the adaptation, where the warm-up is over, and notes what it has come to.
func (w *walker) settle() {
	for i, a := range w.adapters {
		// A chain that goes on from its draws has finished before.
		if w.out.Drawn() == 0 && w.warm() {
			a.finish()
		}
		w.out.Blocks[i].StepSize, w.out.Blocks[i].ExtraDoublings, w.out.Blocks[i].Steps = a.k.StepSize, a.k.ExtraDoublings, a.k.Steps
		w.out.Blocks[i].Split = a.k.split
		if e, ok := a.k.System.(*Euclidean); ok {
			w.out.Blocks[i].InverseMetric, w.out.Blocks[i].Rank, w.out.Blocks[i].Bends = e.Inverse(), e.rank(), e.bends
			w.out.Blocks[i].Centre = e.centre
		}
	}
}

// sample makes the draws of a chain.
func (w *walker) sample() error {
	out, opt := w.out, &w.opt
	w.reserve()
	row := make([]float64, w.stats+len(w.kept))
	own := w.sweep.Posterior.Info().Size()
	values := make([]float64, own+QuantitiesLen(quantities(w.sweep.Posterior)))
	failed := w.collectFailures() // those of a sweep that is cut short go with it
	for n := out.Drawn(); n < opt.Draws && w.warm(); n++ {
		ts, ok := w.transition(streamSampling, n)
		if !ok {
			break
		}
		var audits []Audit
		if opt.Audit.audits(n) {
			if audits, ok = w.audit(n, ts); !ok {
				copy(w.q, w.before) // the draw goes with its audit
				break
			}
			out.Audits = append(out.Audits, audits...)
		}
		out.Failures = append(out.Failures, *failed...)
		w.progress.add(ts)
		for i := range ts {
			out.Blocks[i].Sampling.Add(&ts[i])
		}
		sweepStats(row[:w.stats], ts)
		row[0] = w.here().carrier.declaredDensity(w.q, row[0])
		w.report(row[w.stats:], values[:own], values[own:], n)
		if !opt.Discard {
			for j, x := range row[:w.stats] {
				out.Stats[j] = append(out.Stats[j], x)
			}
			for j, x := range row[w.stats:] {
				out.Draws[j] = append(out.Draws[j], x)
			}
		}
		if err := w.tell(row, audits, *failed); err != nil {
			return err
		}
		*failed = (*failed)[:0]
	}
	return nil
}

// reserve makes room for the draws that are to be kept.
func (w *walker) reserve() {
	if w.opt.Discard {
		return
	}
	columns := func(n int) [][]float64 {
		x := make([][]float64, n)
		for i := range x {
			x[i] = make([]float64, 0, min(w.opt.Draws-w.out.Drawn(), maxReserve))
		}
		return x
	}
	w.out.Draws, w.out.Stats = columns(len(w.kept)), columns(w.stats)
}

// collectFailures makes the sweep add the failures of its blocks to a list, up to maxFailures of each kind.
func (w *walker) collectFailures() *[]Failure {
	failed := &[]Failure{}
	note := func(i int, st Status, entered bool) {
		if w.out.Blocks[i].Sampling.ByStatus[st] >= maxFailures {
			return
		}
		f := Failure{Draw: w.out.Drawn() + 1, Block: w.sweep.Names[i], Status: st}
		if entered {
			f.Q, f.Runaway = w.here().locate(i, w.q)
		} else {
			f.Q = slices.Clone(w.q)
		}
		if f.Q != nil {
			w.here().carrier.push(f.Q) // whoever reads of it has other maps, or none
		}
		*failed = append(*failed, f)
	}
	for _, s := range w.sweeps() {
		s.failed = note
	}
	return failed
}

// report writes the components of draw n that are kept to dst, by way of all parameters and generated quantities.
func (w *walker) report(dst, params, generated []float64, n int) {
	p := w.here().Posterior
	p.Constrain(params, w.q)
	if len(generated) > 0 {
		w.stream.Seek(streamGenerate, uint64(n))
		p.(Generator).Generate(generated, w.q, w.rng)
	}
	for i, at := range w.kept {
		if at < len(params) {
			dst[i] = params[at]
		} else {
			dst[i] = generated[at-len(params)]
		}
	}
}

// tell tells the observer of a draw, with its audits and failures.
func (w *walker) tell(row []float64, audits []Audit, failed []Failure) error {
	if x, ok := w.observer.(Auditor); ok {
		for i := range audits {
			if err := w.told(x.Audit(w.c, &audits[i])); err != nil {
				return err
			}
		}
	}
	if x, ok := w.observer.(FailureObserver); ok {
		for i := range failed {
			if err := w.told(x.Failed(w.c, &failed[i])); err != nil {
				return err
			}
		}
	}
	if w.observer == nil {
		return nil
	}
	return w.told(w.observer.Draw(w.c, row, w.state))
}
