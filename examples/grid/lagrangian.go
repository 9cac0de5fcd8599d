// Package lagrangian adds an integrator to grids of experiments, as an example of how one file
// does: the implicit midpoint in Lagrangian form. Copy it, give it another step and another name,
// and name the file in a grid's `with` or after `hamc grid --with`. It may import the runtime and the
// standard library.
package lagrangian

import (
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/grid"
)

// Extension is what hamc looks for in the file.
var Extension = grid.Extension{
	Integrators: []grid.Integrator{{
		Name:   "lagrangian",
		Label:  "Lagrangian I.M.",
		Solves: 1, // one fixed-point solve in a step, as the implicit midpoint has
		New:    New,
	}},
}

// integrator is the step for one model, with the work space that lets it run without allocating.
// Like its system it serves one goroutine: each worker makes its own.
type integrator struct {
	system *runtime.GenericSystem

	start []float64 // 2m: (q, p), where the step starts
	x, y  []float64 // 2m: iterates (q', p̄)
	mid   []float64 // m: (q + q')/2
	v     []float64 // m: ∂H/∂p = G⁻¹p, the velocity
	slope []float64 // m: ∂H/∂q, minus the force
}

// New returns the step for a model. An integrator that does not apply to every model returns an error
// here, which says what to choose instead.
func New(s *runtime.GenericSystem) (runtime.StepFunc, error) {
	m := s.Info().Dim()
	l := &integrator{
		system: s,
		start:  make([]float64, 2*m),
		x:      make([]float64, 2*m),
		y:      make([]float64, 2*m),
		mid:    make([]float64, m),
		v:      make([]float64, m),
		slope:  make([]float64, m),
	}
	return l.step, nil
}

// step advances (q, p) by one step of size ε of the implicit midpoint in Lagrangian form. That is the
// implicit midpoint rule in the variables q', where the step ends, and p̄, the momentum at the
// midpoint q̄ = (q + q')/2 (lagrange_implicit_midpoint in the code of Brofos & Lederman 2021, where
// it came after the paper):
//
//	q' = q + ε G(q̄)⁻¹p̄         fixed point in (q', p̄)
//	p̄  = p + ½ε F(q̄, p̄)        F = −∂H/∂q
//	p' = p̄ + ½ε F(q̄, p̄)
//
// The fixed point is sought from one explicit step, q' = q + ε G(q)⁻¹p and p̄ = p + ½ε F(q, p): each
// variable to where it belongs, the end or the midpoint, with an error of ε². Its midpoint is the
// point that IM(b) starts from, and as the equations are the same, so are the midpoints of all
// iterates: what differs is when they count as solved, since the tolerance holds for q' here, which
// moves twice as far as q̄. A start at (q, p) would save this evaluation, which is not counted as an
// iteration, and pay for it with at least one iteration, which is as dear.
//
// The last line takes F from the last iteration, as IM(b) does; then it is p' = 2p̄ − p. To evaluate F
// once more at the midpoint that was found would cost as much as another iteration. That iteration
// brings all of the solution nearer by a factor of order ε, the evaluation alone halves the error of p'
// and does nothing for q'. And without it (q̄, p̄) is the centre of (q, p) and (q', p') exactly, not only
// to the tolerance, so that what the solve has left over is the same seen from either end.
func (l *integrator) step(q, p []float64, eps float64, sol *runtime.Solver) (r runtime.StepResult) {
	m := len(q)
	q0, p0 := l.start[:m], l.start[m:]
	copy(q0, q)
	copy(p0, p)

	// image writes to y what the right-hand sides make of (q̄, p̄).
	image := func(y, at, momentum []float64) runtime.Status {
		if st := l.system.VectorField(l.slope, l.v, at, momentum); st != runtime.OK {
			return st
		}
		for i := range m {
			y[i] = q0[i] + eps*l.v[i]
			y[m+i] = p0[i] - 0.5*eps*l.slope[i]
		}
		return runtime.OK
	}
	if r.Status = image(l.x, q0, p0); r.Status != runtime.OK {
		return r
	}
	// How far an iterate moves is measured in the metric where the step starts, of which the system remembers the factor.
	length := func(d []float64) float64 {
		x, _ := l.system.Length(q0, d[:m], d[m:]) // not a number where there is no metric
		return x
	}
	// Iterate has the stopping rules of all integrators, so that their counts can be compared.
	r.Iterations, r.Status = sol.Iterate(l.x, l.y, length, func(y, x []float64) runtime.Status {
		for i := range l.mid {
			l.mid[i] = 0.5 * (q0[i] + x[i])
		}
		return image(y, l.mid, x[m:])
	})
	// After a failure q and p may hold anything: the transition is refused then.
	copy(q, l.x[:m])
	for i, middle := range l.x[m:] {
		p[i] = 2*middle - p0[i]
	}
	return r
}
