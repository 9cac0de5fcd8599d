package runtime

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/hamc-dev/hamc/runtime/linalg"
)

// A start that is far from the bulk of the posterior, in terms of the bulk's own width,
// is more than the transitions of a warm-up can make up for: energies fall by an order of
// one per transition, and as long as they are high the step size has to be small.
// So warm-up begins with a climb towards the bulk,
//
//	q ← q + t H ∇L(q),
//
// with H an estimate of the inverse of −∂²L: limited-memory BFGS (Nocedal & Wright 2006,
// algorithm 7.4) on top of the inverse of the model's metric or, where it has none, of the
// curvatures along the coordinates. The step t is one of weak Wolfe, found by doubling and
// bisection as in Lewis & Overton (2013).
//
// A start that is not far is not moved at all: far is one from which a step gains more
// than farGain and twice the dimension together. For a Gaussian the predicted gain ½∇LᵀH∇L of
// a point in the bulk is m/2, and it is where as much is left that a step is aimed at: the near side of the
// bulk, and not the mode, so that starts stay dispersed. This is also why climbs do not run
// down the neck of a funnel, where the density has no maximum but a step gains little. A climb that
// gains without end is undone.
//
// Where values end and coordinates go on, no step takes a coordinate beyond climbEdge: far out nothing depends on it but the
// Jacobian of the transform, by one per unit, and neither a climb nor a warm-up would come back.

// farGain is the gain in log density, beyond twice the dimension, from which a start is far. Transitions lose about half the dimension each, and cost a
// hundred times a step of a climb for as long as they do.
const farGain = 20

const (
	// stuckGain is how many times the gain from which a start is far the slope promises where a climb is stuck, and mostRedrawn the number of starts that are drawn in its place.
	stuckGain   = 10
	mostRedrawn = 8

	climbMemory = 8     // pairs of steps and changes of the gradient
	climbTrials = 150   // of a step size
	climbStale  = 3     // trials beyond which what was learnt on the way does not fit any more
	climbLeast  = 20000 // evaluations after which a climb is one without end, but for a hundred for each coordinate

	// The constants of weak Wolfe. The first is below ½, so that a step to the maximum of a
	// parabola passes, and far above the usual 10⁻⁴: one across the whole of a ravine
	// of exponential walls to the slope on the other side does not pass.
	climbArmijo = 0.25
	climbWolfe  = 0.9

	// climbEdge is how far out a coordinate may be taken where values end: 3·10⁻⁷ of what is between two bounds is left there, and
	// of what is above one where the coordinate is 0.
	climbEdge = 15

	climbEndless = 1e30 // growth of a step from which on it is one without end

	// maxClimbMatrix is the largest dimension for which the metric is used, as a dense matrix; beyond, a climb is
	// one in a model without metric.
	maxClimbMatrix = 500

	// maxScan is the largest dimension for which the curvatures along the coordinates are
	// measured: some two gradients each, which is less than two trajectories of maximal depth.
	maxScan = 1 << 10
)

// climber is a climb of one chain.
type climber struct {
	sweep *Sweep
	stop  *atomic.Bool
	model Model // whose metric is used; nil where there is none

	g    []float64        // the metric
	chol *linalg.Cholesky // its factor

	// inverse is the diagonal of the inverse curvature. Of a coordinate in which the
	// density is flat as far as one can see it is 0.
	inverse []float64

	ends []Ends // of each coordinate

	steps, changes [][]float64 // s and −y of the last steps, oldest first
	next, nextGrad []float64
	nextL          float64
	d, work        []float64
	evaluations    int
	trials         int // of the last search

	// probing looks for the top of a mode: every step that gains something is made, towards the top and not to the side of the bulk, and a
	// climb that takes more than the limit ends where it is.
	probing bool
	limit   int     // of evaluations
	top     float64 // the log density where the climb has come to
}

// newClimber returns a climber for the posterior of a sweep.
func newClimber(s *Sweep, stop *atomic.Bool) *climber {
	m := s.Posterior.Info().Dim()
	c := &climber{sweep: s, stop: stop, inverse: make([]float64, m), next: make([]float64, m), nextGrad: make([]float64, m), d: make([]float64, m), work: make([]float64, m)}
	c.ends = endsOf(s.Posterior.Info())
	if b := &s.blocks[0]; b.given == nil && !b.system.Info().Metric.Identity && m <= maxClimbMatrix {
		c.model, c.g, c.chol = b.system, make([]float64, m*m), linalg.NewCholesky(m)
	}
	return c
}

// endsOf are the ends of the values of each coordinate.
func endsOf(in *Info) (out []Ends) {
	for i := range in.Params {
		out = append(out, slices.Repeat([]Ends{in.Params[i].Ends}, in.Params[i].Dim())...)
	}
	return out
}

// climb moves q to the edge of the bulk if it is far from there. It reports whether it has moved q.
func (c *climber) climb(q []float64) bool {
	m := len(q)
	start := slices.Clone(q)
	grad := make([]float64, m)
	bottom := c.sweep.Posterior.Gradient(grad, q)
	l := bottom
	limit, far := climbLeast+100*m, farGain+float64(2*m)
	if c.probing {
		limit, far = c.limit, probeGain
	}
	c.top = bottom
	moved, fresh := false, true
	if !c.precondition(q, grad, fresh) {
		return false
	}
	for !c.stop.Load() {
		slope := c.direction(grad)
		gain, endless := 0.0, false
		if slope > 0 && isFinite(slope) {
			t := 1.0
			if left := float64(m) / slope; left < 1 && !c.probing {
				t -= math.Sqrt(left)
			}
			gain, endless = c.search(q, l, slope, max(t, 0.5))
		}
		if c.probing && c.evaluations > limit {
			return moved
		}
		if endless || c.evaluations > limit {
			copy(q, start)
			c.top = bottom
			c.forget()
			c.precondition(q, grad, true)
			return false
		}
		if gain > far {
			stale := c.trials > climbStale
			if stale {
				c.forget()
			} else {
				c.remember(q, grad)
			}
			copy(q, c.next)
			copy(grad, c.nextGrad)
			l = c.nextL
			c.top = l
			moved, fresh = true, stale
			if c.precondition(q, grad, stale) {
				continue
			}
		}
		if fresh {
			return moved
		}
		// What was learnt on the way may mislead here.
		c.forget()
		if fresh = true; !c.precondition(q, grad, true) {
			return moved
		}
	}
	copy(q, start)
	c.top = bottom
	return false
}

// stuck reports whether a climb that ended at q is on a wall from which no step leads on, though far more is to be gained by the slope and the curvatures there: transitions would be stuck as well.
func (c *climber) stuck(q []float64) bool {
	if c.stop.Load() {
		return false
	}
	grad := make([]float64, len(q))
	c.sweep.Posterior.Gradient(grad, q)
	c.forget()
	slope := c.direction(grad)
	return isFinite(slope) && slope/2 > float64(stuckGain*(farGain+2*len(q)))
}

// precondition computes at q, with its gradient, what a direction begins from. The curvatures of a model
// without metric are measured when they are asked for. It reports whether there is something to begin from.
func (c *climber) precondition(q, grad []float64, measure bool) bool {
	if c.model == nil {
		if measure {
			c.scan(q, grad)
		}
		return true
	}
	c.model.Metric(c.g, q)
	return c.chol.Factor(c.g) == linalg.Factored
}

// direction writes H∇L to c.d and returns its product with ∇L.
func (c *climber) direction(grad []float64) float64 {
	d := c.d
	copy(d, grad)
	alpha := make([]float64, len(c.steps))
	for i := len(c.steps) - 1; i >= 0; i-- {
		s, y := c.steps[i], c.changes[i]
		alpha[i] = dot(s, d) / dot(s, y)
		for j, v := range y {
			d[j] -= float64(alpha[i] * v)
		}
	}
	c.solve(d)
	// What a direction begins from may be of the wrong size: on a wall exp(x) it is, by a factor of e for
	// each step. The last step tells.
	if n := len(c.steps) - 1; n >= 0 {
		s, y := c.steps[n], c.changes[n]
		copy(c.work, y)
		c.solve(c.work)
		if scale := dot(s, y) / dot(y, c.work); scale > 0 && isFinite(scale) {
			for i := range d {
				d[i] = float64(d[i] * (scale))
			}
		}
	}
	for i, s := range c.steps {
		beta := dot(c.changes[i], d) / dot(s, c.changes[i])
		for j, v := range s {
			d[j] += float64((alpha[i] - beta) * v)
		}
	}
	return dot(d, grad)
}

// solve replaces x by the product with what a direction begins from.
func (c *climber) solve(x []float64) {
	if c.model != nil {
		c.chol.Solve(x, x)
		return
	}
	for i, v := range c.inverse {
		x[i] = float64(x[i] * (v))
	}
}

// remember keeps the step from q to c.next, if the curvature along it is one of a hill.
func (c *climber) remember(q, grad []float64) {
	s, y := make([]float64, len(q)), make([]float64, len(q))
	for i := range q {
		s[i], y[i] = c.next[i]-q[i], grad[i]-c.nextGrad[i]
	}
	if sy := dot(s, y); !(sy > 0 && isFinite(sy) && isFinite(dot(y, y))) {
		return
	}
	if len(c.steps) == climbMemory {
		c.steps, c.changes = c.steps[1:], c.changes[1:]
	}
	c.steps, c.changes = append(c.steps, s), append(c.changes, y)
}

// forget drops what was learnt on the way.
func (c *climber) forget() { c.steps, c.changes = nil, nil }

// search looks for a step of weak Wolfe from q along c.d, first of the size t. The end of the best step is in c.next, and the
// gain in log density there is returned. A step is endless if the density has no
// bound along it, as far as one can go.
func (c *climber) search(q []float64, l, slope, t float64) (gain float64, endless bool) {
	first := t
	lo, hi := 0.0, math.Inf(1)
	at, grad := make([]float64, len(q)), make([]float64, len(q))
	for c.trials = 1; c.trials <= climbTrials; c.trials++ {
		for i, d := range c.d {
			at[i] = c.ends[i].confine(q[i]+float64(t*d), max(math.Abs(q[i]), climbEdge))
		}
		c.evaluations++
		x := c.sweep.Posterior.Gradient(grad, at)
		if isFinite(x) && allFinite(grad) && x-l >= climbArmijo*t*slope && unusable(c.sweep, at) == "" {
			copy(c.next, at)
			copy(c.nextGrad, grad)
			c.nextL, gain = x, x-l
			if dot(grad, c.d) <= climbWolfe*slope {
				return gain, false
			}
			lo = t
		} else {
			hi = t
		}
		switch {
		case math.IsInf(x, 1) || lo > climbEndless*first:
			return gain, true
		case math.IsInf(hi, 1):
			t = float64(4 * lo)
		case lo == 0:
			t = float64(hi / 2)
		case hi > 4*lo:
			t = math.Sqrt(lo * hi)
		default:
			t = float64((lo + hi) / 2)
		}
		if t == lo || t == hi {
			break
		}
	}
	return gain, false
}

// confine returns the coordinate nearest to u that is no further out than most, on the sides where values end.
func (e Ends) confine(u, most float64) float64 {
	if e != NoEnd {
		u = max(u, -most)
	}
	if e == EndBoth {
		u = min(u, most)
	}
	return u
}

// scan measures the curvature along each coordinate: the change of the gradient
// over a distance δ at which ½δ|Δg| is of the order of one, which is so in the bulk's own unit whatever that is.
func (c *climber) scan(q, grad []float64) {
	m := len(q)
	clear(c.inverse)
	if m > maxScan {
		size := dot(grad, grad)
		for i := range c.inverse {
			c.inverse[i] = 1 / size
		}
		return
	}
	at, g := slices.Clone(q), make([]float64, m)
	delta := 1.0
	for i := range q {
		if c.stop.Load() {
			return
		}
		found, x := c.curvature(at, g, i, grad[i], delta)
		if x > 0 {
			c.inverse[i], delta = found/x, found
		} else if grad[i] != 0 {
			c.inverse[i] = 1 / (grad[i] * grad[i])
		}
		if !isFinite(c.inverse[i]) {
			c.inverse[i] = 0
		}
	}
}

const (
	scanTrials = 100
	scanFactor = 8
	scanLeast  = 0.05  // of ½δ|Δg|
	scanMost   = 5     // likewise
	scanDigits = 1e-10 // the change of a gradient, relative to it, that is not rounding
)

// curvature returns a distance δ along coordinate i of at, towards where the density rises, and the change |Δg| of the gradient
// over it; 0 if there is none. It begins with delta. The slices are work space, but at comes and goes
// as the point itself.
func (c *climber) curvature(at, g []float64, i int, slope, delta float64) (found, change float64) {
	q := at[i]
	defer func() { at[i] = q }()
	lo, hi := 0.0, math.Inf(1)
	for range scanTrials {
		at[i] = q + math.Copysign(delta, slope)
		c.evaluations++
		l := c.sweep.Posterior.Gradient(g, at)
		delta = math.Abs(at[i] - q) // what it is after rounding
		x := math.Abs(g[i] - slope)
		switch energy := float64(0.5 * delta * x); {
		case !isFinite(l) || !isFinite(energy):
			hi = delta
		case energy < scanLeast || x < scanDigits*math.Abs(slope):
			lo = delta
			if energy > 0 {
				found, change = delta, x
			}
		case energy > scanMost && delta > 0:
			hi = delta
			found, change = delta, x
		default:
			return delta, x
		}
		switch {
		case lo >= hi/2:
			return found, change
		case math.IsInf(hi, 1) && lo > 0:
			delta = float64(scanFactor * lo)
		case math.IsInf(hi, 1):
			delta = max(float64(math.Abs(q)*0x1p-50), float64(delta*scanFactor))
		case lo == 0:
			delta = float64(hi / scanFactor)
		default:
			delta = math.Sqrt(lo * hi)
		}
		if delta == 0 || math.IsInf(delta, 0) {
			return found, change
		}
	}
	return found, change
}

// maxSpread is the ratio of widths of a posterior along its coordinates from which on warm-up
// begins with a metric that makes up for them, until it has seen enough to estimate one.
const maxSpread = 4

// scales writes to out the squares of the widths along the coordinates from from on, where they differ by more
// than maxSpread. It reports whether they do.
func (c *climber) scales(out []float64, from []span) bool {
	least, most := math.Inf(1), 0.0
	for _, x := range from {
		for i := range x.n {
			v := c.inverse[x.from+i]
			if out[x.to+i] = v; v > 0 {
				least, most = min(least, v), max(most, v)
			}
		}
	}
	if !(math.Sqrt(most) > maxSpread*math.Sqrt(least)) {
		return false
	}
	for i, v := range out {
		if v == 0 {
			out[i] = most // nothing tells that it is less wide
		}
	}
	return true
}

// dot returns Σ x_i·y_i.
func dot(x, y []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += float64(v * y[i])
	}
	return s
}
