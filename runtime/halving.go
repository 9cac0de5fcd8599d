package runtime

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// This file lets the steps of a dynamic trajectory be as short as the place demands, after Bou-Rabee, Carpenter, Kleppe & Liu
// (2025), "The Within-Orbit Adaptive Leapfrog No-U-Turn Sampler" (WALNUTS), arXiv:2506.18746. A step of size ε from (q, p) is
// made in 2^ℓ steps of size ε/2^ℓ, with the least level ℓ at which the energies on the way lie within energyTolerance, or
// MaxHalvings where there is none.
//
// The way back visits the same states at the same level, so they lie as close. It would take that level too unless a
// lower one suffices from the other end, which is looked into: such a step could not be undone, and
// the trajectory ends before it, as it does at a step that fails. The level is a function of the step's ends alone, so
// detailed balance is that of dynamic.go.
//
// Where no step is halved, which is nearly everywhere on a posterior without narrow places, this costs nothing.

// energyTolerance is the range of energies within a step above which the step is halved. The steps of a trajectory whose
// acceptance is 0.8 come to some tenths.
const energyTolerance = 3

// strides is the work space of halved steps.
type strides struct {
	q, p         []float64 // where the step began
	backQ, backP []float64 // on the way back
}

func newStrides(m int) strides {
	x := make([]float64, 4*m)
	return strides{q: x[:m], p: x[m : 2*m], backQ: x[2*m : 3*m], backP: x[3*m:]}
}

// stride is what a step came to.
type stride struct {
	StepResult
	h, l   float64 // at the end
	halved bool    // there was more than one step
	whole  float64 // H after the step that is not halved; +Inf where that failed
	oneWay bool    // the way back would take another level
	over   bool    // the step was made, and there is no energy where it led
}

// advance makes a step from the end b.at.
func (b *builder) advance() (r stride) {
	k, q, p := b.k, b.at.q, b.at.p
	most := k.MaxHalvings
	if most == 0 {
		r, _ = b.attempt(q, p, b.eps, b.at.h, 0, true)
		return r
	}
	s := &k.tree.strides
	copy(s.q, q)
	copy(s.p, p)
	whole, iterations := math.Inf(1), 0
	level := 0
	for ; ; level++ {
		var within bool
		r, within = b.attempt(q, p, b.eps, b.at.h, level, level == most)
		iterations += r.Iterations
		if level == 0 {
			whole = r.h
		}
		if within || level == most {
			break
		}
		copy(q, s.q)
		copy(p, s.p)
	}
	for lower := 0; lower < level && r.Status == OK && !r.oneWay; lower++ {
		copy(s.backQ, q)
		copy(s.backP, p)
		back, within := b.attempt(s.backQ, s.backP, -b.eps, r.h, lower, false)
		iterations += back.Iterations
		r.oneWay = within
	}
	r.halved, r.whole, r.Iterations = level > 0, whole, iterations
	return r
}

// attempt makes 2^level steps of size eps/2^level from (q, p), where the energy is h, in place, and reports whether the energies lie
// within the tolerance. It gives up where they do not, unless it is to go on.
func (b *builder) attempt(q, p []float64, eps, h float64, level int, goOn bool) (r stride, within bool) {
	k := b.k
	n := 1 << level
	eps /= float64(n)
	low, high := h, h
	within = true
	for range n {
		s := k.Step(q, p, eps, &k.Solver)
		b.t.Steps++
		r.Iterations += s.Iterations
		r.Status, r.Suspect = s.Status, r.Suspect || s.Suspect
		r.h = math.Inf(1)
		if r.Status != OK {
			return r, false
		}
		h, l, st := k.System.Energy(q, p)
		if st != OK {
			r.Status, r.over = st, true
			return r, false
		}
		r.h, r.l = h, l
		if low, high = min(low, h), max(high, h); high-low > energyTolerance {
			if within = false; !goOn {
				return r, false
			}
		}
	}
	return r, within
}

// acceptanceOf is min(1, exp(H₀ − H)), 0 for an infinite H.
func acceptanceOf(h0, h float64) float64 { return elementary.Exp(min(0, h0-h)) }
