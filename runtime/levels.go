package runtime

import (
	"math"
	"slices"
)

// A chain may be led to where next to nothing of the posterior is, and stay: to a mode with e⁻⁶⁰ of the mass of another, to a needle of the density, onto a slope
// that it would take thousands of transitions to come down. What it draws there is wrong, and a longer warm-up does not mend it. So chains
// are compared in warm-up, by their levels
//
//	ℓ = mean of −H = mean of L(q) − ½ log det M − ½ pᵀM⁻¹p.
//
// Of a normal mode exp(ℓ) is the mass, but for a factor that is the same for all: L says how high it is, and M⁻¹ how wide. A chain whose level
// is far below that of the highest begins anew, from a start of its own; where starts that are drawn come to no better place, from that of the highest. If another warm-up leads
// away from there too, as it does down a tail that never seems to end, the chain goes on as the highest does, from its place with what its warm-up has learnt.
//
// All chains are compared at the same two transitions, and one that begins anew is held against the levels that were found then, so that what
// a chain does depends on no clock. Chains whose start is given whole are left alone, and so are those of several blocks, which have no one energy.

const (
	levelsLeast = 250 // transitions of a warm-up below which chains are not compared
	levelAt     = 80  // transitions of the warm-up after which levels are compared first: at the end of a window, and most starts are in the bulk by then
	levelOver   = 16  // the last of them, of which the level is the mean
	levelLast   = 25  // likewise at the end of the warm-up
	mostAnew    = 4   // starts that are drawn, for a chain that begins anew

	// How far below the highest a level is that holds nothing, beside what follows.
	lowLevel = 10
)

// lowEach is how much further below it may be by chance for the root of each coordinate: the energy's standard deviation is that of one, and
// what is left of the metric's error is of the order of one too. At the first comparison chains may still be on their way.
var lowEach = [...]float64{4, 2}

// The comparisons of levels.
const (
	earlyLevel = iota // after levelAt transitions
	lastLevel         // at the end of the warm-up
)

// massLevel is the mean of −H over some transitions.
type massLevel struct {
	Sum   float64 `json:"sum"`
	Count float64 `json:"count"`
}

// add takes a transition. One that failed has no energy.
func (l *massLevel) add(t *Transition) {
	if isFinite(t.Energy) {
		l.Sum -= t.Energy
		l.Count++
	}
}

// mean is −∞ where there was no energy.
func (l *massLevel) mean() float64 {
	if l.Count == 0 {
		return math.Inf(-1)
	}
	return l.Sum / l.Count
}

// summit is where the chain with the highest level was when chains were compared.
type summit struct {
	Level float64   `json:"level"`
	Plain []float64 `json:"plain"` // coordinates

	// Settled is the state of that chain, where its warm-up was over.
	Settled *State `json:"settled,omitempty"`
}

// valid reports whether it is one of a posterior of m coordinates.
func (s *summit) valid(m int) bool {
	return s != nil && len(s.Plain) == m && allFinite(s.Plain) && isFinite(s.Level)
}

// compares reports whether chains are compared.
func (r *run) compares() bool {
	_, several := r.model.(Gibbs)
	return r.opt.Chains > 1 && r.opt.Warmup >= levelsLeast && !several
}

// at reports whether the chain is at a comparison.
func (w *walker) at(comparison int) bool {
	if comparison == earlyLevel {
		return w.out.Warmed() == levelAt
	}
	return w.warm() && w.out.Drawn() == 0
}

// compare finds the highest of the chains, which are all at a comparison unless it was made before: of a run that goes on.
func (r *run) compare(comparison int, walkers []*walker) {
	if r.stop.Load() || len(r.summits) != comparison {
		return
	}
	best := walkers[0]
	for _, w := range walkers {
		if !w.at(comparison) {
			return
		}
		if w.level.mean() > best.level.mean() {
			best = w
		}
	}
	s := &summit{Level: best.level.mean(), Plain: slices.Clone(best.q)}
	if comparison == lastLevel {
		s.Settled = best.snapshot()
		s.Settled.Summits = nil // which this is one of
	}
	if best.sweep.carrier.push(s.Plain); s.valid(len(best.q)) {
		r.summits = append(r.summits, s)
	}
}

// low reports whether the chain, where it is at a comparison that was made, is where next to nothing of the posterior is.
func (w *walker) low(comparison int) bool {
	if w.stop.Load() || comparison >= len(w.summits) || !w.at(comparison) || w.anew > mostAnew+1 || comparison == earlyLevel && w.anew > mostAnew {
		return false
	}
	if x := w.given(w.c); x != nil && x.complete() {
		return false
	}
	return !(w.level.mean() >= w.summits[comparison].Level-lowLevel-float64(lowEach[comparison]*math.Sqrt(float64(len(w.q)))))
}

// again returns the chain as it begins anew, from a start that is drawn or, after so many of them, from the last summit, and then from there as the highest chain stood there.
func (w *walker) again() (*walker, error) {
	anew := w.anew + 1
	settled := w.summits[len(w.summits)-1].Settled
	if anew <= mostAnew+1 {
		settled = nil
	}
	if settled == nil {
		w.progress.save(w.end - w.opt.Warmup - w.out.Warmed())
	}
	plain := slices.Clone(w.summits[len(w.summits)-1].Plain)
	if anew <= mostAnew {
		w.stream.Seek(streamStart, uint64(anew*(mostRedrawn+1)))
		if drawn := make([]float64, len(w.q)); start(w.sweep, drawn, w.given(w.c), w.opt.Start, w.rng) == nil {
			plain = drawn
		}
	}
	w.starts[w.c] = plain
	*w.out = Chain{WarmupTime: w.out.WarmupTime}
	next, err := w.walker(w.c, w.out, nil)
	if err != nil {
		return nil, err
	}
	if settled != nil {
		if err := next.restore(settled); err != nil {
			return nil, err
		}
		copy(next.q, settled.Q)
	}
	next.begun, next.anew = true, anew
	for i := range next.out.Blocks {
		next.out.Blocks[i].Anew, next.out.Blocks[i].Follows = anew, settled != nil
	}
	return next, nil
}

// reach makes the warm-up of the chain up to a comparison, and again from the beginning where the chain is low at one that was made. The chain that it
// returns takes its place.
func (w *walker) reach(comparison int) (*walker, error) {
	for k := 0; k <= comparison; k++ {
		until := levelAt
		if k == lastLevel {
			until = w.opt.Warmup
		}
		if err := w.warmUp(until); err != nil {
			return w, err
		}
		if w.low(k) {
			next, err := w.again()
			if err != nil {
				return w, err
			}
			return next.reach(comparison)
		}
	}
	return w, nil
}
