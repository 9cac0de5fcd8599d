package runtime

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hamc-dev/hamc/runtime/ode"
)

// The trajectory of a differential equation that is fitted to data has many shapes that fit a little, and one that fits: an oscillation has to have the
// right period. So has an oscillation that is written out, and a mixture of counts fits with many divisions of the data among its components.
// Between them the density has valleys that no chain crosses. A chain that begins in a mode which holds next to nothing of
// the posterior would stay there for good, so where starts are drawn each is probed: climbs to the tops of the modes of several
// starts show how high these are, and no chain begins in one below which another towers. Starts that are given, and other models, are left alone.

const (
	probeGain   = 0.1 // of a step, in log density, up to which a probe goes on
	probeLimit  = 400 // evaluations of a probe, about
	probeEach   = 4   // starts that are probed for each chain
	probeTries  = 8   // more of them, where all of these are low
	mostProbed  = 64  // coordinates
	lowMode     = 10  // how far below another the top of a mode that holds nothing is, beside what follows
	lowModeEach = 2   // for each coordinate: the mode may be as many times e wider

	// Equations are solved with less care for a probe, which tells heights that differ by lowMode and more, and where a solution takes more than so many steps none is
	// begun: far from the bulk equations are stiff, and a solution may take a hundred times as long as where chains go.
	probeCoarser = 1e3 // times the relative tolerance
	probeSteps   = 2000
)

// probes reports whether starts are probed.
func (r *run) probes() bool {
	in := r.model.Info()
	return in.ManyModes && r.opt.Warmup > 0 && in.Dim() <= mostProbed
}

// drawn is a chain whose start was drawn.
type drawn struct {
	chain int
	given Point // the values that are no draws
	rng   *rand.Rand

	starts [][]float64
	tops   []float64 // of their modes
}

// probe climbs to the top of the mode of a start, in plain coordinates, and returns how high that is. A start that is far below is moved there:
// a chain would come to another mode from it as well.
func (r *run) probe(s *Sweep, q []float64) float64 {
	c := newClimber(s, &r.stop)
	c.probing, c.limit = true, probeLimit
	at := s.carrier.settled(slices.Clone(q))
	l := s.Posterior.LogDensity(at)
	c.climb(at)
	if low(l, c.top, len(q)) {
		s.carrier.push(at)
		copy(q, at)
	}
	return c.top
}

// low reports whether a place of m coordinates is as far below another as a mode that holds nothing.
func low(l, best float64, m int) bool { return !(l >= best-lowMode-float64(lowModeEach*m)) }

// redraw draws several starts for each chain beside that which it has, and gives it the first that begins in no low mode. The chains of a run might
// all have begun in one, and would agree there.
func (r *run) redraw(list []*drawn) error {
	m := r.model.Info().Dim()
	var sweeps []*Sweep // of each worker
	for range min(len(list), r.opt.workers()) {
		p := r.clone()
		if s, ok := p.(solver); ok {
			opt := r.opt.ODE
			opt.RelTol = float64(probeCoarser * cmp.Or(max(opt.RelTol, 0), ode.DefaultTolerance))
			opt.MaxSteps = min(probeSteps, cmp.Or(max(opt.MaxSteps, 0), ode.DefaultMaxSteps))
			s.SetODE(opt)
		}
		s, err := NewSweep(p, &r.opt)
		if err != nil {
			return err
		}
		sweeps = append(sweeps, s)
	}
	each := func(do func(*drawn, *Sweep)) {
		shared(len(list), len(sweeps), func(w, i int) { do(list[i], sweeps[w]) })
	}
	each(func(d *drawn, s *Sweep) {
		for try := range probeEach {
			d.draw(r, s, try > 0)
		}
	})
	best := math.Inf(-1)
	for _, d := range list {
		best = max(best, slices.Max(d.tops))
	}
	each(func(d *drawn, s *Sweep) {
		found := func() int { return slices.IndexFunc(d.tops, func(top float64) bool { return !low(top, best, m) }) }
		for try := 0; try < probeTries && found() < 0; try++ {
			d.draw(r, s, true)
		}
		at := found()
		if at < 0 {
			at = slices.Index(d.tops, slices.Max(d.tops))
		}
		copy(r.starts[d.chain], d.starts[at])
	})
	return nil
}

// draw probes the start of a chain, or another one that is drawn.
func (d *drawn) draw(r *run, s *Sweep, anew bool) {
	q := slices.Clone(r.starts[d.chain])
	if anew && start(s, q, d.given, r.opt.Start, d.rng) != nil {
		return
	}
	top := r.probe(s, q)
	if !isFinite(top) {
		top = math.Inf(-1)
	}
	d.starts, d.tops = append(d.starts, q), append(d.tops, top)
}
