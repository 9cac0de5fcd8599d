package conformance

import "github.com/hamc-dev/hamc/runtime"

// A mistake puts an error into a correct system.
type mistake struct {
	name string
	in   func(runtime.System) runtime.System
}

// mistakes are those that a compiler of samplers could make and that leave a
// sampler that runs and looks well.
var mistakes = []mistake{
	{"log det G dropped from the energy", func(s runtime.System) runtime.System { return dropsLogDet{s} }},
	{"contraction with the wrong sign", func(s runtime.System) runtime.System {
		return runtime.Generic(flipsContraction{s})
	}},
	{"momentum drawn without the metric", func(s runtime.System) runtime.System { return drawsWhite{s} }},
}

// dropsLogDet has the energy −L + ½pᵀG⁻¹p.
type dropsLogDet struct{ runtime.System }

func (s dropsLogDet) Clone() runtime.Model { return dropsLogDet{s.System.Clone().(runtime.System)} }

func (s dropsLogDet) Energy(q, p []float64) (h, l float64, st runtime.Status) {
	h, l, st = s.System.Energy(q, p)
	if st == runtime.OK {
		rest, _, _ := s.System.Energy(q, make([]float64, len(q)))
		h -= rest + l // H at rest is −L + ½ log det G
	}
	return h, l, st
}

// flipsContraction has −⟨W, ∂G⟩ for ⟨W, ∂G⟩, in the force of every step. The
// energy is right, but the steps do not preserve volume.
type flipsContraction struct{ runtime.Model }

func (m flipsContraction) Clone() runtime.Model { return flipsContraction{m.Model.Clone()} }

func (m flipsContraction) Contract(out, q, w []float64) {
	m.Model.Contract(out, q, w)
	for i := range out {
		out[i] = -out[i]
	}
}

// drawsWhite draws p ~ N(0, I).
type drawsWhite struct{ runtime.System }

func (s drawsWhite) Clone() runtime.Model { return drawsWhite{s.System.Clone().(runtime.System)} }

func (s drawsWhite) DrawMomentum(p, q []float64) runtime.Status { return runtime.OK }
