package runtime

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hamc-dev/hamc/runtime/elementary"
	"github.com/hamc-dev/hamc/runtime/random"
)

// A posterior may have several modes, as that of two rates that may change places. A trajectory does not cross the valleys between them, and chains that
// come to different ones would stay apart for good. But each chain has a map, bends and a metric by which the posterior is nearly normal where it is. So chains
// jump: before each draw one is proposed from
//
//	g(x) = 1/K Σ_k g_k(x),  g_k(x) = N(v_k(x); μ_k, M_k⁻¹) |∂v_k/∂x|,
//
// the mixture over the K places of the chains, where x are the coordinates of the declarations and v_k those of place k, and is taken with probability
//
//	min(1, p(x') g(x)/(p(x) g(x'))).
//
// This is a Metropolis step: it leaves the posterior p as it is, whatever g is. So each mode that a chain has found has the share of the draws that it has of the posterior.
// See Tierney (1994), "Markov chains for exploring posterior distributions", on independence chains and hybrid strategies.
//
// A metric and a step size that fit one mode may not fit another. So a draw is made by the map, the metric and the trajectories of the place in whose region the chain is,
//
//	R_k = {x: g_k(x) ≥ g_j(x) for all j},
//
// and one that leaves the region is not taken. A transition that is reversible, as those of HMC are, is so with that rule for the posterior restricted to the region, and leaves it as it is.
//
// All of this is made at the end of the warm-up and frozen. Where all chains are at one place there are no jumps, and the draws are those without.

const (
	// Two places are apart where each is far from the other, by its own metric: by so many standard deviations along an axis, or by the sum of the squares of all, where
	// metrics that are not exact add some for each coordinate. What is nearer chains cross without jumps.
	farAlong           = 4.5
	farSquare, farEach = 25, 1

	// mostJumping is the number of elements of the metrics of all places, at most: they are part of every state of a chain.
	mostJumping = 1 << 17

	// firstJumps are proposed before the first draw: a chain may come from the warm-up to a place that holds little of the posterior.
	firstJumps = 100
)

// foothold is a place: what a chain has learnt at the end of its warm-up.
type foothold struct {
	Reference []float64 `json:"reference,omitempty"` // of the map, plain
	Block     BlockRun  `json:"block"`
}

// landing is a foothold with a posterior under its map, and the kernel that draws there.
type landing struct {
	sweep   *Sweep
	carrier *carrier
	metric  *Euclidean
	q, d, w []float64 // work space
}

// landing returns that of a foothold.
func (r *run) landing(at *foothold) (*landing, error) {
	s, err := NewSweep(r.clone(), &r.opt)
	if err != nil {
		return nil, err
	}
	n := s.Posterior.Info().Dim()
	l := &landing{sweep: s, carrier: s.carrier, q: make([]float64, n), d: make([]float64, n), w: make([]float64, n)}
	k := s.Kernels[0]
	k.stop = &r.stop
	a := newAdapter(k, r.opt.Warmup, &r.opt.Tuning)
	if l.metric = a.metric; l.metric == nil || len(at.Block.Centre) != n || !s.carrier.restore(at.Reference) {
		return nil, errors.New("the place of a chain is none of the model")
	}
	if err := a.adopt(&at.Block); err != nil {
		return nil, err
	}
	a.halve, a.deepen = 0, 0
	a.enter(r.opt.Warmup)
	return l, nil
}

// apart writes v − μ of a plain point to d, and returns log |∂q/∂v| and the logarithm of the Jacobian of the map at q, see Transported.LogJacobian. It is false where the map has no value.
func (l *landing) apart(plain []float64) (bent, mapped float64, ok bool) {
	copy(l.q, plain)
	l.carrier.pull(l.q)
	if !allFinite(l.q) {
		return 0, 0, false
	}
	if l.carrier.transported != nil {
		mapped = l.carrier.transported.LogJacobian(l.q)
	}
	copy(l.d, l.q)
	l.metric.bends.pull(l.d)
	copy(l.q, l.d)
	bent = l.metric.unbend(l.q)
	for i, mu := range l.metric.centre {
		l.d[i] -= mu
	}
	return bent, mapped, allFinite(l.d)
}

// logDensity returns the logarithm of the normal density of the place, but for a constant, of the coordinates of the declarations at a plain point.
func (l *landing) logDensity(plain []float64) float64 {
	bent, mapped, ok := l.apart(plain)
	if !ok {
		return math.Inf(-1)
	}
	(*separable)(l.metric).weigh(l.w, l.d)
	g := float64(0.5*l.metric.logDet) - float64(0.5*innerProduct(l.d, l.w)) - bent - mapped
	if math.IsNaN(g) {
		return math.Inf(-1)
	}
	return g
}

// draw makes plain a draw of the place.
func (l *landing) draw(plain []float64, rng *rand.Rand) {
	for i := range l.d {
		l.d[i] = random.StandardNormal(rng)
	}
	l.metric.DrawMomentum(l.d, nil)
	(*separable)(l.metric).Solve(plain, l.d)
	for i, mu := range l.metric.centre {
		plain[i] += mu
	}
	l.metric.unbend(plain)
	l.carrier.push(plain)
}

// middle returns the plain point of the centre.
func (l *landing) middle() []float64 {
	plain := slices.Clone(l.metric.centre)
	l.metric.unbend(plain)
	l.carrier.push(plain)
	return plain
}

// far reports whether a plain point is far from the place.
func (l *landing) far(plain []float64) bool {
	if _, _, ok := l.apart(plain); !ok {
		return true
	}
	(*separable)(l.metric).weigh(l.w, l.d)
	l.metric.Whiten(l.d, nil, l.w)
	sum := 0.0
	for _, z := range l.d {
		if !(math.Abs(z) <= farAlong) {
			return true
		}
		sum += float64(z * z)
	}
	return sum > farSquare+float64(farEach*len(l.d))
}

// jumper has a chain jump between places, and draw by what is known of the one where it is. It serves one goroutine.
type jumper struct {
	landings []*landing
	at       int       // where the chain is: its coordinates are those of this landing
	origin   []float64 // where it was when its warm-up was over, in coordinates of its own

	from, to, next []float64 // plain; and coordinates of a landing
	heights        []float64

	// Whether from is where the chain is, with log g there: after a transition that has moved it within its region, until it jumps.
	known bool
	g     float64
}

// newJumper returns the jumper of a chain; nil where there are no places. The coordinates of the chain become those of the place in whose region it is.
func (w *walker) newJumper() (*jumper, error) {
	if len(w.places) == 0 || !w.warm() {
		return nil, nil
	}
	n := len(w.q)
	j := &jumper{from: make([]float64, n), to: make([]float64, n), next: make([]float64, n), heights: make([]float64, len(w.places))}
	for i := range w.places {
		l, err := w.landing(&w.places[i])
		if err != nil {
			return nil, err
		}
		j.landings = append(j.landings, l)
	}
	if w.out.Drawn() > 0 {
		if j.at = w.landed - 1; j.at >= len(j.landings) {
			return nil, errors.New("the state of a chain is at a place that is none")
		}
		if j.at < 0 {
			return nil, nil
		}
		return j, nil
	}
	copy(j.from, w.q)
	w.sweep.carrier.push(j.from)
	_, j.at = j.mixture(j.from)
	copy(j.next, j.from)
	if j.landings[j.at].carrier.pull(j.next); !allFinite(j.next) {
		return nil, nil // no place has a map where this chain is: it draws by its own
	}
	j.origin = slices.Clone(w.q)
	copy(w.q, j.next)
	w.out.Blocks[0].Places = len(w.places)
	for n := range firstJumps {
		w.stream.Seek(streamJump, uint64(n)|1<<anewBits)
		j.jump(w.q, w.rng)
	}
	return j, nil
}

// mixture returns log g but for a constant at a plain point, and in whose region that is.
func (j *jumper) mixture(plain []float64) (g float64, region int) {
	for k, l := range j.landings {
		if j.heights[k] = l.logDensity(plain); j.heights[k] > j.heights[region] {
			region = k
		}
	}
	top := j.heights[region]
	if math.IsInf(top, 0) {
		return top, region
	}
	sum := 0.0
	for _, h := range j.heights {
		sum += elementary.Exp(h - top)
	}
	return top + elementary.Log(sum), region
}

// jump makes a Metropolis step of the coordinates q of the chain, and reports whether it has led to another place.
func (j *jumper) jump(q []float64, rng *rand.Rand) bool {
	j.landings[rng.IntN(len(j.landings))].draw(j.to, rng)
	threshold := elementary.Log(rng.Float64())
	if !allFinite(j.to) {
		return false
	}
	reached, to := j.mixture(j.to)
	there := j.landings[to]
	copy(j.next, j.to)
	if there.carrier.pull(j.next); !allFinite(j.next) {
		return false
	}
	here := j.landings[j.at]
	if !j.known {
		copy(j.from, q)
		here.carrier.push(j.from)
		j.g, _ = j.mixture(j.from)
	}
	// A comparison with NaN is false: where there is no density no chain goes.
	if !(threshold < (there.posterior(j.next)-here.posterior(q))-(reached-j.g)) {
		return false
	}
	copy(q, j.next)
	jumped := to != j.at
	j.at, j.known = to, false
	return jumped
}

// posterior is the log density of the posterior in the coordinates of the declarations.
func (l *landing) posterior(q []float64) float64 {
	return l.carrier.declaredDensity(q, l.sweep.Posterior.LogDensity(q))
}

// transition makes a transition of the coordinates q of the chain by the kernel of the place where it is, and none out of its region.
func (j *jumper) transition(q []float64, rng *rand.Rand) []Transition {
	l := j.landings[j.at]
	copy(j.next, q)
	ts := l.sweep.Transition(q, rng)
	if slices.Equal(j.next, q) {
		return ts
	}
	copy(j.from, q)
	l.carrier.push(j.from)
	var region int
	j.g, region = j.mixture(j.from)
	if j.known = region == j.at; !j.known {
		copy(q, j.next)
		ts[0].Accepted, ts[0].LogDensity = false, l.sweep.Posterior.LogDensity(q)
	}
	return ts
}

// leap is transition of a chain that jumps.
func (w *walker) leap(phase, number uint64) ([]Transition, bool) {
	j := w.jumper
	at := j.at
	w.stream.Seek(streamJump, number)
	jumped := j.jump(w.q, w.rng)
	w.stream.Seek(phase, number)
	ts := j.transition(w.q, w.rng)
	if ts[0].stopped {
		copy(w.q, w.before)
		j.at, j.known = at, false
		return nil, false
	}
	ts[0].Jumped = jumped
	return ts, true
}

// here is what makes the draws of the chain.
func (w *walker) here() *Sweep {
	if w.jumper == nil {
		return w.sweep
	}
	return w.jumper.landings[w.jumper.at].sweep
}

// sweeps are those that make the draws of the chain.
func (w *walker) sweeps() []*Sweep {
	if w.jumper == nil {
		return []*Sweep{w.sweep}
	}
	var out []*Sweep
	for _, l := range w.jumper.landings {
		out = append(out, l.sweep)
	}
	return out
}

// jumps reports whether places are looked for, for chains to jump between: those of a posterior of one block whose metric is adapted, sampled by the leapfrog.
func (r *run) jumps(walkers []*walker) bool {
	if slices.ContainsFunc(r.opt.From, func(s *State) bool { return s != nil && s.Drawn() > 0 }) {
		return false // the places are what they were
	}
	_, several := r.model.(Gibbs)
	a := walkers[0].adapters[0]
	return r.opt.Jumps && r.opt.Chains > 1 && !several && a.metric != nil && a.k.integrator == Leapfrog
}

// foothold returns where the chain stands, nil where its warm-up is not over.
func (w *walker) foothold() *foothold {
	a := w.adapters[0]
	if len(a.metric.centre) == 0 || !w.warm() {
		return nil
	}
	w.settle()
	at := &foothold{Reference: slices.Clone(w.sweep.carrier.reference), Block: w.out.Blocks[0]}
	b := &at.Block
	b.InverseMetric, b.Bends, b.Centre = slices.Clone(b.InverseMetric), slices.Clone(b.Bends), slices.Clone(b.Centre)
	b.Places, b.Warmup, b.Sampling = 0, Totals{}, Totals{}
	return at
}

// relate finds the places of the chains, whose warm-ups are over: one of each group of chains whose places are not apart, and none where there is one group.
func (r *run) relate(walkers []*walker) error {
	if r.stop.Load() {
		return nil
	}
	var all []foothold
	var landings []*landing
	var middles [][]float64
	kept := 0
	for _, w := range walkers {
		at := w.foothold()
		if at == nil || 2*len(at.Block.InverseMetric) > mostJumping {
			return nil
		}
		l, err := r.landing(at)
		if err != nil {
			return err
		}
		middle := l.middle()
		if slices.ContainsFunc(landings, func(o *landing) bool { return !o.far(middle) }) ||
			slices.ContainsFunc(middles, func(m []float64) bool { return !l.far(m) }) {
			continue
		}
		if kept += len(at.Block.InverseMetric); kept > mostJumping {
			return nil
		}
		all, landings, middles = append(all, *at), append(landings, l), append(middles, middle)
	}
	if len(all) > 1 {
		r.places = all
	}
	return nil
}
