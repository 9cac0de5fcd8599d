package grid

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/hamc-dev/hamc/runtime"
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
	for _, name := range m.ESS {
		if !slices.ContainsFunc(l.posterior.Info().Params, func(q runtime.Param) bool { return q.Name == name }) {
			return nil, fmt.Errorf("model %s: ess names %s, which is no parameter", m.Name, name)
		}
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
	out := make([]float64, in.Dim())
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
