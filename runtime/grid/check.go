package grid

import (
	"math/rand/v2"
	"slices"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/random"
)

// move is an accepted proposal that is to be integrated back.
type move struct {
	whole  []float64 // coordinates of the posterior that the block's update began with
	q, p   []float64 // where it ended, in the block
	q0     []float64 // where it began, in the block
	stepsN int
}

// newMove notes the accepted proposal of a block: the sweep went from one point of the whole
// posterior to another.
func newMove(s *runtime.Sweep, block int, before, after []float64, steps int) move {
	m := move{whole: slices.Clone(before), stepsN: steps}
	whole := s.Posterior.Info()
	// The blocks before it had been updated when its turn came.
	for _, k := range s.Kernels[:block] {
		in := k.System.Info()
		runtime.Scatter(whole, in, m.whole, runtime.Gather(whole, in, after))
	}
	in := s.Kernels[block].System.Info()
	m.q0 = runtime.Gather(whole, in, before)
	q, p := s.Kernels[block].Proposal()
	m.q, m.p = slices.Clone(q), slices.Clone(p)
	return m
}

// returns integrates the proposal back and tells whether that leads to where it began.
func (m *move) returns(s *runtime.Sweep, block int) bool {
	if s.Enter(block, m.whole) != runtime.OK {
		return false
	}
	k := s.Kernels[block]
	for i := range m.p {
		m.p[i] = -m.p[i]
	}
	path := runtime.Integrate(k.Step, m.q, m.p, k.StepSize, m.stepsN, &k.Solver)
	if path.Status != runtime.OK {
		return false
	}
	return k.Home(m.q, m.q0)
}

// check fills in the violations of reversibility and volume preservation at states of the chain,
// each with a momentum of its own.
func (r *Result) check(s *runtime.Sweep, block int, c *Cell, states [][]float64, stream *random.Philox, rng *rand.Rand) {
	k := s.Kernels[block]
	var symmetry, volume []float64
	lostSymmetry, lostVolume := 0, 0
	for i, whole := range states {
		q := runtime.Gather(s.Posterior.Info(), k.System.Info(), whole)
		stream.Seek(phaseCheck, uint64(i))
		p := make([]float64, len(q))
		for j := range p {
			p[j] = random.StandardNormal(rng)
		}
		if s.Enter(block, whole) != runtime.OK || k.System.DrawMomentum(p, q) != runtime.OK {
			lostSymmetry++
			lostVolume++
			continue
		}
		if e, st := runtime.ReversibilityError(k.System, k.Solver.Norm, k.Step, q, p, k.StepSize, c.Steps, &k.Solver); st == runtime.OK {
			symmetry = append(symmetry, e)
		} else {
			lostSymmetry++
		}
		if len(q) > runtime.MaxVolume {
			continue
		}
		if e, st := runtime.VolumeError(k.System, k.Solver.Norm, k.Step, q, p, k.StepSize, c.Steps, &k.Solver, c.Eta); st == runtime.OK {
			volume = append(volume, e)
		} else {
			lostVolume++
		}
	}
	r.Symmetry, r.Volume = spread(symmetry, lostSymmetry), spread(volume, lostVolume)
}
