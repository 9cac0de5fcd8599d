package grid

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/ode"
	"github.com/hamc-dev/hamc/runtime/random"
)

// loaded is a model with the data of one replicate.
type loaded struct {
	model     *Model
	posterior runtime.Posterior
	simulator *Simulator
	start     []float64 // unconstrained
}

// load makes the model of a cell.
func (w *worker) load(c *Cell) (*loaded, error) {
	m := &w.plan.Models[c.Model]
	l := &loaded{model: m}
	make, ok := w.program.Models[m.Code]
	if !ok {
		return nil, fmt.Errorf("this worker has no model %s: it was built for another grid", m.Code)
	}
	if m.Simulate != "" {
		if l.simulator = w.program.simulator(m.Simulate); l.simulator == nil {
			return nil, fmt.Errorf("this worker has no simulator %s: it was built for another grid", m.Simulate)
		}
	}
	stream := random.New(w.plan.Seed, uint64(c.Replicate))
	stream.Seek(phaseData, 0)
	rng := rand.New(stream)

	text, name := []byte("{}"), "no data"
	var start Point
	var err error
	switch {
	case len(m.Data) > 0:
		name = m.Data[(c.Replicate-1)%len(m.Data)] // without the directory, since it may stand in a result
		text, err = os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(name)))
	case l.simulator != nil:
		name = "data of the simulator " + m.Simulate
		var data map[string]any
		if data, start, err = l.simulator.Simulate(rng); err == nil && data != nil {
			text, err = json.Marshal(data)
		}
	}
	if err != nil {
		return nil, err
	}
	if l.posterior, err = make(bytes.NewReader(text), name); err != nil {
		return nil, err
	}
	l.tolerate(l.posterior)
	switch m.Start {
	case StartSimulated:
		if start == nil {
			return nil, fmt.Errorf("model %s: the simulator %q has no point to start at: choose another start", m.Name, m.Simulate)
		}
		l.start, err = unconstrained(l.posterior, start)
	case StartGiven:
		l.start, err = unconstrained(l.posterior, m.Init)
	case StartMode:
		l.start, err = l.mode(m.Init)
	default:
		err = fmt.Errorf("model %s: there is no start %q", m.Name, m.Start)
	}
	return l, err
}

// tolerate sets the tolerances of differential equations.
func (l *loaded) tolerate(p runtime.Posterior) {
	if s, ok := p.(interface{ SetODE(ode.Options) }); ok && l.model.ODE != (ode.Options{}) {
		s.SetODE(l.model.ODE)
	}
}

// unconstrained turns values of all parameters by name into coordinates.
func unconstrained(p runtime.Posterior, x Point) ([]float64, error) {
	in := p.Info()
	var values []float64
	for i := range in.Params {
		q := &in.Params[i]
		v, ok := x[q.Name]
		if !ok || len(v) != q.Size() {
			return nil, fmt.Errorf("the starting point has %d values of %s, and model %s needs %d", len(v), q.Name, in.Name, q.Size())
		}
		values = append(values, v...)
	}
	if len(x) != len(in.Params) {
		return nil, fmt.Errorf("the starting point has %d parameters, and model %s %d", len(x), in.Name, len(in.Params))
	}
	out := make([]float64, len(values))
	return out, p.Unconstrain(out, values)
}

// sweep returns the sampler of a cell on a posterior of its own, and the index of the block that the
// cell varies.
func (w *worker) sweep(l *loaded, c *Cell) (*runtime.Sweep, int, error) {
	p := clone(l.posterior)
	l.tolerate(p)
	if c.Code == Generic {
		p = generic(p, l.model.Block)
	}
	own := w.program.integrator(c.Integrator)
	opt := runtime.DefaultOptions()
	opt.Tuning = c.Tuning()
	if own == nil && c.Integrator != opt.Integrator.String() {
		return nil, 0, fmt.Errorf("this worker has no integrator %s: it was built for another grid", c.Integrator)
	}
	if l.model.Block != "" {
		opt.Blocks = append(opt.Blocks, runtime.BlockTuning{Name: l.model.Block, Tuning: opt.Tuning})
	}
	for i := range l.model.Blocks {
		b := &l.model.Blocks[i]
		opt.Blocks = append(opt.Blocks, runtime.BlockTuning{Name: b.Name, Tuning: b.Tuning()})
	}
	if adapts(p) { // nothing is adapted here
		opt.Metric = runtime.UnitE
		for i := range opt.Blocks {
			opt.Blocks[i].Metric = runtime.UnitE
		}
	}
	if err := opt.Validate(p); err != nil {
		return nil, 0, err
	}
	s, err := runtime.NewSweep(p, &opt)
	if err != nil {
		return nil, 0, err
	}
	block := slices.Index(s.Names, l.model.Block)
	if block < 0 {
		return nil, 0, fmt.Errorf("model %s has no block %s", l.model.Name, l.model.Block)
	}
	kernel := s.Kernels[block]
	if own != nil {
		g, ok := kernel.System.(*runtime.GenericSystem)
		if !ok {
			g = runtime.Generic(kernel.System)
		}
		step, err := own.New(g)
		if err != nil {
			return nil, 0, fmt.Errorf("integrator %s: %w", own.Name, err)
		}
		kernel.SetStep(step, g, own.Solves)
	}
	if name := l.model.Correction; name != "" {
		x := w.program.correction(name)
		if x == nil {
			return nil, 0, fmt.Errorf("this worker has no correction %s: it was built for another grid", name)
		}
		kernel.Correction = x.Add
	}
	return s, block, nil
}

// adapts reports whether a posterior, or some block of it, has no metric of its own.
func adapts(p runtime.Posterior) bool {
	g, ok := p.(runtime.Gibbs)
	if !ok {
		return p.Info().Metric.Identity
	}
	return slices.ContainsFunc(g.Blocks(), func(b runtime.Conditional) bool { return b.Info().Metric.Identity })
}

// move is an accepted proposal that is to be integrated back.
type move struct {
	whole  []float64 // coordinates of the posterior that the block's update began with
	q, p   []float64 // where it ended, in the block
	q0     []float64 // where it began, in the block
	stepsN int
}

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
	s, block, err := w.sweep(l, c)
	if err != nil {
		return err
	}
	kernel := s.Kernels[block]
	if c.Fresh && (l.simulator == nil || l.simulator.Draw == nil) {
		return fmt.Errorf("fresh starts: model %s has no simulator that draws from the posterior", l.model.Name)
	}

	// What is counted of each step costs a few nanoseconds, alike for all integrators.
	var iterations []int // occurrences by number
	step := kernel.Step
	counting := false
	kernel.Step = func(q, p []float64, eps float64, sol *runtime.Solver) runtime.StepResult {
		x := step(q, p, eps, sol)
		if !counting {
			return x
		}
		r.Steps++
		r.Iterations += x.Iterations
		if x.Status != runtime.OK {
			r.FailedSteps++
			r.FailedIters += x.Iterations
			return x
		}
		for x.Iterations >= len(iterations) {
			iterations = append(iterations, 0)
		}
		iterations[x.Iterations]++
		return x
	}

	stream := random.New(r.Seed, 0)
	rng := rand.New(stream)
	q := slices.Clone(l.start)
	fresh := func(i int) error {
		stream.Seek(phaseDraw, uint64(i))
		at, err := unconstrained(l.posterior, l.simulator.Draw(rng))
		copy(q, at)
		return err
	}
	for i := range c.Warmup {
		stream.Seek(phaseWarmup, uint64(i))
		s.Transition(q, rng)
	}

	stream.Seek(phaseChoice, 0)
	checked := choose(rng, c.Checks, c.Draws)
	own := w.counted(l) // the coordinates whose draws are kept
	var (
		kept     = make([][]float64, len(own))
		states   [][]float64
		moves    []move
		energies []float64
		failed   [runtime.NumStatus]int
		others   = make([]int, len(s.Names))
		accept   float64
		before   = make([]float64, len(q))
		x        = make([]float64, len(q))
	)
	for j := range kept {
		kept[j] = make([]float64, 0, c.Draws)
	}
	energies = make([]float64, 0, c.Draws)
	counting = true
	began, cpu := time.Now(), processorTime()
	for i := range c.Draws {
		if c.Fresh {
			if err := fresh(i); err != nil {
				return err
			}
		}
		stream.Seek(phaseSampling, uint64(i))
		copy(before, q)
		ts := s.Transition(q, rng)
		t := &ts[block]
		accept += t.Accept
		if t.Accepted {
			r.Accepted++
		}
		if t.Divergent {
			r.Divergent++
		}
		if t.Irreversible {
			r.Irreversible++
		}
		if t.Failure != runtime.OK {
			failed[t.Failure]++
		} else {
			energies = append(energies, math.Abs(t.EnergyError))
		}
		for j := range others {
			if ts[j].Accepted {
				others[j]++
			}
		}
		if len(own) > 0 && !c.Fresh {
			l.posterior.Constrain(x, q)
			for j, at := range own {
				kept[j] = append(kept[j], x[at])
			}
		}
		if evenly(i, c.Audit, c.Draws) {
			r.Audited++
			if t.Accepted {
				moves = append(moves, newMove(s, block, before, q, t.Steps))
			}
		}
		if len(checked) > 0 && checked[0] == i {
			checked = checked[1:]
			states = append(states, slices.Clone(q))
		}
	}
	r.Times.Seconds = time.Since(began).Seconds()
	r.Times.CPU = processorTime() - cpu
	if r.Times.CPU <= 0 {
		r.Times.CPU = r.Times.Seconds // a system that does not tell
	}
	counting = false

	r.Transitions = c.Draws
	r.AcceptStat = Number(accept / float64(c.Draws))
	r.Failures = failures(&failed)
	bins := counter{}
	for _, e := range energies {
		bins[EnergyBin(e)]++
	}
	r.EnergyBins = bins.bins()
	r.Energy = spread(energies, 0)
	for v, n := range iterations {
		if n > 0 {
			r.IterBins = append(r.IterBins, Bin{v, n})
		}
	}
	for j, name := range s.Names {
		if j != block {
			r.OtherBlocks = append(r.OtherBlocks, BlockAccepted{name, others[j]})
		}
	}
	if !c.Fresh {
		r.effective(l.posterior, own, kept)
	}
	// On a sampler of its own, so that nothing remembered of the chain matters.
	back, block, err := w.sweep(l, c)
	if err != nil {
		return err
	}
	for i := range moves {
		if !moves[i].returns(back, block) {
			r.Unreturned++
		}
	}
	r.check(back, block, c, states, stream, rng)
	return nil
}

// counted returns the indices of the parameter values whose effective sample sizes count.
func (w *worker) counted(l *loaded) []int {
	var out []int
	in := l.posterior.Info()
	at := 0
	for i := range in.Params {
		q := &in.Params[i]
		for j := range q.Size() {
			if len(l.model.ESS) == 0 || slices.Contains(l.model.ESS, q.Name) {
				out = append(out, at+j)
			}
		}
		at += q.Size()
	}
	return out
}

// effective fills in the effective sample sizes of draws.
func (r *Result) effective(p runtime.Posterior, own []int, kept [][]float64) {
	var names []string
	in := p.Info()
	for i := range in.Params {
		q := &in.Params[i]
		for j := range q.Size() {
			name := q.Name
			if len(q.Shape) > 0 {
				name = fmt.Sprintf("%s[%d]", q.Name, j+1)
			}
			names = append(names, name)
		}
	}
	sum, least := 0.0, math.Inf(1)
	for j, at := range own {
		ess := diagnostics.ESSPaper(kept[j])
		mean, sd := meanSD(kept[j])
		r.ESS = append(r.ESS, ParameterESS{names[at], Number(ess), Number(mean), Number(sd)})
		sum += ess
		least = min(least, ess)
	}
	if len(own) > 0 {
		r.ESSMean, r.ESSMin = Number(sum/float64(len(own))), Number(least)
	}
}

func meanSD(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(sd / float64(max(1, len(x)-1)))
}

// evenly reports whether i, from 0, is one of k numbers spread evenly over n.
func evenly(i, k, n int) bool {
	k = min(k, n)
	return (i+1)*k/n > i*k/n
}

// choose returns k of the numbers below n at random, in order.
func choose(rng *rand.Rand, k, n int) []int {
	var out []int
	for i := range n {
		// Knuth's algorithm S.
		if float64(n-i)*rng.Float64() < float64(k-len(out)) {
			out = append(out, i)
		}
	}
	return out
}
