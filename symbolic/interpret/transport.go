package interpret

import (
	"slices"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/system"
	"github.com/hamc-dev/hamc/symbolic"
)

// transportedModel is a model with latent vectors.
type transportedModel struct{ *Model }

// anchoredModel is one whose maps have a reference.
type anchoredModel struct{ transportedModel }

// Clone implements runtime.Model.
func (m transportedModel) Clone() runtime.Model { return transportedModel{m.clone()} }

// Clone implements runtime.Model.
func (m anchoredModel) Clone() runtime.Model { return anchoredModel{transportedModel{m.clone()}} }

// Push implements runtime.Transported.
func (m transportedModel) Push(q []float64) {
	m.position(q)
	m.m.Run(m.d.Pushed, func(o *symbolic.Output, idx []int, v float64) {
		q[m.place(o, idx)] = v
	})
}

// Pull implements runtime.Transported.
func (m transportedModel) Pull(q []float64) { m.pull(q) }

// pull puts the coordinates of latent vectors in the place of their values, vector by vector, those that are interleaved at once: the coordinates of one are known
// by the values of those before it.
func (m *Model) pull(q []float64) {
	for n := 0; n < len(m.d.Whitened); {
		next := n + 1
		for next < len(m.d.Whitened) && !m.d.Transports[next].First {
			next++
		}
		m.position(q)
		z := slices.Clone(q)
		m.m.Run(m.d.Whitened[n:next], func(o *symbolic.Output, idx []int, v float64) {
			z[m.place(o, idx)] = v
		})
		copy(q, z)
		n = next
	}
}

// place is that of an element of a latent vector among all coordinates.
func (m *Model) place(o *symbolic.Output, idx []int) int {
	return m.offsets[o.Row] + m.element(m.d.Params[o.Row].Coord.Shape, idx)
}

// LogJacobian implements runtime.Transported.
func (m transportedModel) LogJacobian(q []float64) float64 {
	m.position(q)
	value := 0.0
	m.m.Run(m.d.LogJacobian, func(_ *symbolic.Output, _ []int, v float64) { value = v })
	return value
}

// unseen is the log density of terms that maps measure.
func (m anchoredModel) unseen(q []float64) float64 {
	m.position(q)
	value := 0.0
	m.m.Run(m.d.Unseen, func(_ *symbolic.Output, _ []int, v float64) { value = v })
	return value
}

// SetReference implements runtime.Anchored.
func (m anchoredModel) SetReference(plain []float64) {
	for n, b := range m.d.Reference {
		copy(m.m.Values(b.Coord), plain[m.offsets[n]:])
	}
	var measured []system.Measured
	for _, x := range m.d.Measures {
		v := system.Measured{N: len(m.m.Values(x.Score[0]))}
		for l, at := range x.Vectors {
			place := system.Place{From: m.offsets[slices.Index(m.d.Params, at.Param)] + at.N, Step: at.Of}
			if !at.Across {
				place = system.Place{From: place.From - at.N + at.N*v.N, Step: 1}
			}
			v.Places, v.Score = append(v.Places, place), append(v.Score, m.m.Values(x.Score[l]))
			for _, t := range x.Root[l] {
				v.Root = append(v.Root, m.m.Values(t))
			}
			for _, t := range x.Slope[l] {
				v.Slope = append(v.Slope, m.m.Values(t))
			}
		}
		for _, n := range x.Numbers {
			v.Numbers = append(v.Numbers, m.offsets[slices.Index(m.d.Params, n.Param)]+n.Element)
		}
		measured = append(measured, v)
	}
	if measured != nil {
		system.NewMeasures(m, m.unseen, func() {}, len(plain), m.info.Work, measured...).At(plain)
	}
}
