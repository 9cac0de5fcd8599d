package runtime

import (
	"fmt"
	"math"
	"slices"
)

// Transported is a Model with latent vectors: parameters whose coordinates z are those of a map
//
//	x = c(θ) + L(θ)⁻ᵀz
//
// of the other coordinates θ, so that z is near N(0, I) whatever θ is; x are the values of the parameter, or their logarithms or logits, or the chain that they are the innovations of.
// LogDensity has the logarithm of the map's Jacobian in it: what is drawn are the values, exactly. Info marks latent vectors, which have
// a coordinate for each value.
//
// Plain coordinates are those in which x stands in the place of z: they do not depend on the map.
type Transported interface {
	Model

	// Push makes coordinates q plain ones.
	Push(q []float64)

	// Pull is the inverse of Push.
	Pull(q []float64)

	// Plain is Unconstrain, but for that it writes plain coordinates: it needs no map, which may have no value where values are far from the reference.
	Plain(q, values []float64) error

	// LogJacobian returns the logarithm of the Jacobian at q of what the coordinates of declarations are by z, the part of LogDensity that the map has: the log
	// density in those coordinates is the rest. They are x, but for innovations.
	LogJacobian(q []float64) float64
}

// Anchored is a Transported whose map is made at a point of reference. What it is made at changes how well z and θ come apart,
// and not what is drawn; it is frozen while draws are made. Clone keeps it.
type Anchored interface {
	Transported

	// SetReference makes the map of a point in plain coordinates. That of the origin comes with the model.
	SetReference(plain []float64)
}

// carrier moves between the coordinates of a posterior and plain ones, which are the same where there are no latent vectors.
type carrier struct {
	posterior   Posterior
	transported Transported // nil where there are none
	anchored    Anchored    // nil where the map has no reference
	latent      []span      // the coordinates of latent vectors, by from and n
	forget      func()      // what is remembered of positions

	reference []float64 // the present one, plain; nil where there is none
}

// newCarrier returns the carrier of a sweep.
func newCarrier(s *Sweep) *carrier {
	c := &carrier{posterior: s.Posterior}
	t, ok := s.Posterior.(Transported)
	if !ok {
		return c
	}
	c.transported = t
	c.anchored, _ = t.(Anchored)
	in, at := t.Info(), 0
	for i := range in.Params {
		p := &in.Params[i]
		if p.Latent {
			c.latent = append(c.latent, span{from: at, n: p.Dim()})
		}
		at += p.Dim()
	}
	c.forget = func() {
		for i, k := range s.Kernels {
			if k.plain != nil {
				k.plain.Forget()
			}
			switch b := s.blocks[i].system.(type) {
			case *Euclidean:
				b.Forget()
			case *GenericSystem:
				b.Forget()
			}
		}
	}
	return c
}

// push makes q plain.
func (c *carrier) push(q []float64) {
	if c.transported != nil {
		c.transported.Push(q)
	}
}

// pull makes plain coordinates those of the posterior.
func (c *carrier) pull(plain []float64) {
	if c.transported != nil {
		c.transported.Pull(plain)
	}
}

// anchor makes the map of a point in plain coordinates.
func (c *carrier) anchor(plain []float64) {
	if c.anchored == nil {
		return
	}
	c.anchored.SetReference(plain)
	c.reference = append(c.reference[:0], plain...)
	c.forget()
}

// restore makes the map of a chain's state. It is false where that has none for a model that needs one.
func (c *carrier) restore(reference []float64) bool {
	if c.anchored == nil {
		return true
	}
	if len(reference) != c.posterior.Info().Dim() || !allFinite(reference) {
		return false
	}
	c.anchor(reference)
	return true
}

// enter makes plain coordinates those of the map at that very point.
func (c *carrier) enter(plain []float64) {
	c.anchor(plain)
	c.pull(plain)
}

// declaredDensity is the log density in the coordinates of declarations at q, of one that is l.
func (c *carrier) declaredDensity(q []float64, l float64) float64 {
	if c.transported == nil {
		return l
	}
	return l - c.transported.LogJacobian(q)
}

// settled are the coordinates of a plain point under the map at it, in a slice of their own.
func (c *carrier) settled(plain []float64) []float64 {
	if c.transported == nil {
		return plain
	}
	q := slices.Clone(plain)
	c.enter(q)
	return q
}

// unconstrain writes the plain coordinates of values.
func (c *carrier) unconstrain(plain, values []float64) error {
	if c.transported != nil {
		return c.transported.Plain(plain, values)
	}
	return c.posterior.Unconstrain(plain, values)
}

// constrain writes the values of plain coordinates. They are the same whatever the map is made at: that of the origin, which stays for many points, does where it has a value.
func (c *carrier) constrain(values, plain []float64) {
	if c.transported == nil {
		c.posterior.Constrain(values, plain)
		return
	}
	if slices.ContainsFunc(c.reference, func(x float64) bool { return x != 0 }) || c.reference == nil {
		c.anchor(make([]float64, len(plain)))
	}
	q := slices.Clone(plain)
	if c.pull(q); !allFinite(q) {
		q = c.settled(plain)
	}
	c.posterior.Constrain(values, q)
}

const (
	scoringSteps  = 50
	scoringHalves = 20   // of one step
	scoringGain   = 1e-3 // in log density, below which scoring has come to its end
	scoringWait   = 3    // steps without a gain under the map at their end
)

// score moves the latent vectors of q to where the posterior given the other coordinates is highest, and the reference with
// them, by damped Fisher scoring: under the map at x the centre c is a step of scoring from x, z = 0, and x + h(c − x) has the
// coordinates (1 − h)z. The log density under the map at the point, which has log |∂x/∂z| there, tells how much of the posterior is near: where that falls and
// does not rise again, as on the way to where data are fitted exactly and a variance of theirs goes to 0, the best point stands.
func (c *carrier) score(q []float64) {
	if c.transported == nil {
		return
	}
	next := make([]float64, len(q))
	best, top, waited := make([]float64, len(q)), math.Inf(-1), 0 // best is plain
	defer func() {
		if waited > 0 {
			copy(q, best)
			c.enter(q)
		}
	}()
	for range scoringSteps {
		l := c.posterior.LogDensity(q)
		gain := 0.0
		for h, tries := 1.0, 0; tries < scoringHalves && gain == 0; h, tries = float64(h/2), tries+1 {
			copy(next, q)
			for _, x := range c.latent {
				for i := x.from; i < x.from+x.n; i++ {
					next[i] = float64((1 - h) * q[i])
				}
			}
			if to := c.posterior.LogDensity(next); isFinite(to) && to > l {
				gain = to - l
			}
		}
		if gain == 0 {
			return
		}
		c.transported.Push(next)
		if !allFinite(next) {
			return
		}
		before := slices.Clone(c.reference)
		copy(q, next)
		c.enter(q)
		if !isFinite(c.posterior.LogDensity(q)) && before != nil {
			// The map at this point is of no use: one step less.
			copy(q, next)
			c.anchor(before)
			c.pull(q)
			return
		}
		if now := c.posterior.LogDensity(q); now > top {
			copy(best, next)
			top, waited = now, 0
		} else {
			waited++
		}
		if gain < scoringGain || waited == scoringWait {
			return
		}
	}
}

// anchoring moves the reference of a chain to the middle of what it has seen, in warm-up.
type anchoring struct {
	*carrier
	seen  *moments // plain coordinates, in the window
	begin int      // transitions before are not looked at
	ends  []int    // of windows, that are still to come; the map is frozen after the last but one
	plain []float64
}

// newAnchoring returns that of a warm-up of n transitions.
func newAnchoring(c *carrier, n int) *anchoring {
	a := &anchoring{carrier: c}
	if c.anchored == nil {
		return a
	}
	m := c.posterior.Info().Dim()
	a.seen, a.plain = newMoments(m), make([]float64, m)
	begin, ends := windows(n)
	if a.begin = begin; len(ends) > 1 {
		a.ends = ends[:len(ends)-1]
	}
	return a
}

// learn takes transition number n, which led to q. At the end of a window the map becomes that of the mean, q the
// coordinates of the same point, and so do the points that the metric is made of, where one is adapted: a metric of their coordinates under the map before would be that of another density.
func (a *anchoring) learn(n int, q []float64, metric *adapter) {
	if len(a.ends) == 0 || n < a.begin {
		return
	}
	copy(a.plain, q)
	a.push(a.plain)
	if allFinite(a.plain) {
		a.seen.add(a.plain)
	}
	if n+1 < a.ends[0] {
		return
	}
	a.ends = a.ends[1:]
	if a.seen.Count > 0 && allFinite(a.plain) {
		before := slices.Clone(a.reference)
		points := metric.kept()
		for _, x := range points {
			a.push(x)
		}
		a.anchor(a.seen.Mean)
		next := slices.Clone(a.plain)
		a.pull(next)
		if allFinite(next) && isFinite(a.posterior.LogDensity(next)) {
			copy(q, next)
			for _, x := range points {
				a.pull(x)
			}
			metric.retake(points)
		} else {
			a.anchor(before)
		}
	}
	a.seen.reset()
}

// resume goes on from a state with so many transitions of warm-up behind it.
func (a *anchoring) resume(warmed int, seen *moments) error {
	for len(a.ends) > 0 && a.ends[0] <= warmed {
		a.ends = a.ends[1:]
	}
	if len(a.ends) == 0 {
		return nil
	}
	if seen == nil || !seen.fits(len(a.plain)) {
		return fmt.Errorf("it does not tell what the maps of latent vectors have learnt")
	}
	a.seen.take(seen)
	return nil
}
