package runtime

import "github.com/hamc-dev/hamc/runtime/elementary"

// A splitting is a step of turns and kicks, of which the kicks come first and last. Both are shares of ε, and the same from either end.
type splitting struct{ turns, kicks []float64 }

// splittings are those of one, two and three gradients. The coefficients of two and three are those with which, between kicks and drifts, the
// energy is kept best on a normal posterior: Blanes, Casas & Sanz-Serna (2014), "Numerical integrators for the hybrid Monte Carlo method",
// arXiv:1405.3153. Two kicks inside at the nodes of Gauss's quadrature keep it about as well, but need the density at the end.
var splittings = [...]splitting{
	{turns: []float64{1}, kicks: []float64{0.5, 0.5}},
	{turns: []float64{0.5, 0.5}, kicks: []float64{0.21132486540518713, 1 - 2*0.21132486540518713, 0.21132486540518713}},
	{turns: []float64{0.29619504261126, 1 - 2*0.29619504261126, 0.29619504261126}, kicks: []float64{0.11888010966548, 0.5 - 0.11888010966548, 0.5 - 0.11888010966548, 0.11888010966548}},
}

// StepSplit advances (q, p) by a step of size eps that takes as many gradients as it says, from 1 to 3. With the centre μ, see SetCentre, it splits
//
//	H = [½ (q − μ)ᵀM(q − μ) + ½ pᵀM⁻¹p] + [−L(q) − ½ (q − μ)ᵀM(q − μ)]
//
// into the energy of the normal posterior N(μ, M⁻¹), whose flow is a turn about μ,
//
//	q = μ + (q₀ − μ) cos t + M⁻¹p₀ sin t,  p = p₀ cos t − M (q₀ − μ) sin t,
//
// and what the posterior departs from it by, whose flow is a kick, p = p₀ + t (∂L(q) + M (q − μ)). The error is in proportion to the departure: on
// N(μ, M⁻¹) the energy is kept whatever the step size, in any number of dimensions, where a leapfrog's is that of the sum of all. See Shahbaba, Lan, Johnson & Neal (2014),
// "Split Hamiltonian Monte Carlo", arXiv:1106.5941.
func (e *Euclidean) StepSplit(q, p []float64, eps float64, gradients int) StepResult {
	s := (*separable)(e)
	at, slope, st := s.At(q)
	if st != OK {
		return StepResult{Status: st}
	}
	if e.apart == nil {
		e.apart, e.pull = make([]float64, e.dim), make([]float64, e.dim)
	}
	d, w, v, c := e.apart, e.pull, e.steps.v, &splittings[gradients-1]
	for i, x := range at {
		d[i] = x - e.centre[i]
	}
	s.weigh(w, d)
	for k, share := range c.kicks {
		h := float64(share * eps)
		for i, g := range slope {
			p[i] += float64(h * (g + w[i]))
		}
		if k == len(c.turns) {
			break
		}
		s.Solve(v, p)
		sin, cos := elementary.Sincos(float64(c.turns[k] * eps))
		for i, mu := range e.centre {
			x, y := d[i], p[i]
			d[i] = float64(x*cos) + float64(v[i]*sin)
			p[i] = float64(y*cos) - float64(w[i]*sin)
			w[i] = float64(w[i]*cos) + float64(y*sin)
			at[i] = mu + d[i]
		}
		if st := s.Slope(); st != OK {
			return StepResult{Status: st}
		}
	}
	copy(q, at)
	if !allFinite(q) || !allFinite(p) {
		return StepResult{Status: NonFinite}
	}
	return StepResult{}
}

// weigh writes w = M d.
func (s *separable) weigh(w, d []float64) {
	if s.sparse != nil {
		s.sparse.weigh(w, d)
		return
	}
	s.factor.Solve(w, d)
}

// SetCentre sets the centre μ about which StepSplit turns. It changes no other step.
func (e *Euclidean) SetCentre(mu []float64) { e.centre = append(e.centre[:0], mu...) }
