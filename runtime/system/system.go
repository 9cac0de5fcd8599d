// Package system implements runtime.System over what generated code computes of its model alone: the metric's
// matrix, contractions with its derivative, forces. It is for generated code.
//
// There are two kinds: Varying, of a metric that changes with the position, and Constant. Generated
// models embed one of them. Models of one or two scalar parameters have
// their steps in straight-line code, and embed Derivatives alone.
package system

import (
	"math"
	"slices"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/linalg"
)

// Stages are functions of a model of m coordinates that its system is made of: what is special to it. A
// system calls Matrix before those that read the matrix's work space, at the same position.
type Stages struct {
	// LogDensity returns L(q).
	LogDensity func(q []float64) float64

	// Solve makes the solutions of differential equations those of q, with sensitivities up to an order. It is nil where
	// there are no equations.
	Solve func(q []float64, order int) runtime.Status

	// Matrix writes the matrix B(q), which is the metric or what the metric is a map of, in the layout of
	// the storage. That of a constant metric is asked for at a q that is nil.
	Matrix func(b, q []float64)

	// Slope writes ∂L/∂q to grad. It is that of a constant metric, of which none of the following are asked for.
	Slope func(grad, q []float64)

	// Force writes −∂L/∂q + ½⟨W, ∂B/∂q⟩ to f, for weights in the layout of the storage.
	Force func(f, q, w []float64)

	// Pairing writes ⟨W, ∂B/∂q⟩ to dst.
	Pairing func(dst, q, w []float64)

	// Rank1 writes ½⟨v vᵀ, ∂G/∂q⟩ to f; Prepare computes what it needs of the position alone, and is nil where that
	// is nothing. Rank1 is nil where the metric is a map of B that is not linear.
	Rank1   func(f, q, v []float64)
	Prepare func(q []float64)

	// Cube writes ∂B_ij/∂q_k to dst[(i·m+j)·m+k], or is nil: it is a column of pairings then.
	Cube func(dst, q []float64)

	// Product writes ∂(B v)_i/∂q_k at fixed v to dst[i·m+k]. It is nil where that takes as many operations as Cube.
	Product func(dst, q, v []float64)

	// Curvature writes ∂²(−L + ½⟨W, B⟩)/∂q_k∂q_l at fixed W to dst[k·m+l]. It is nil unless the model is a
	// runtime.Curved.
	Curvature func(dst, q, w []float64)
}

// The orders of the sensitivities of differential equations that quantities come from. Which order a
// quantity comes from depends on nothing but the quantity: integrations of two orders take different
// steps, and the last digits of a result may not depend on what was computed before.
const (
	OrderDensity   = 1 // of the density, its gradient, the energy, the metric
	OrderForce     = 2 // of ∂H/∂q
	OrderCurvature = 3 // of the second derivatives of H
)

// Derivatives are the methods of a runtime.Model that concern its metric, for a metric that changes with the position.
type Derivatives struct {
	stages Stages
	store  Storage
	b      []float64 // the storage's matrix
	row    []float64 // m·m: a weight of ProductJacobian, made where that is asked for
	// evaluate makes the matrix that of q, and the factor if the steps have one.
	evaluate func(q []float64, order int) runtime.Status
}

// NewDerivatives returns the derivatives of a model whose steps have no use for the storage's factor.
func NewDerivatives(stages Stages, store Storage) *Derivatives {
	d := &Derivatives{stages: stages, store: store, b: store.Matrix()}
	d.evaluate = func(q []float64, _ int) runtime.Status {
		d.stages.Matrix(d.b, q)
		return runtime.OK
	}
	return d
}

// Metric writes G(q) to dst, row-major.
func (d *Derivatives) Metric(dst, q []float64) {
	if d.evaluated(dst, q, OrderDensity) {
		d.store.Dense(dst)
	}
}

// evaluated evaluates at a position, and reports whether dst is to be written: where the metric is a map
// of the matrix, there may be none, which is all NaN then.
func (d *Derivatives) evaluated(dst, q []float64, order int) bool {
	if _, ok := d.store.(mapped); d.evaluate(q, order) == runtime.OK || !ok {
		return true
	}
	for i := range dst {
		dst[i] = math.NaN()
	}
	return false
}

// Contract writes ⟨W, ∂G/∂q⟩ to dst, for a symmetric W given row-major.
func (d *Derivatives) Contract(dst, q, w []float64) {
	if d.evaluated(dst, q, OrderForce) {
		d.stages.Pairing(dst, q, d.store.Weigh(w))
	}
}

// MetricJacobian writes ∂G_ij/∂q_k to dst[(i·m+j)·m+k]. It serves tests and Newton's method.
func (d *Derivatives) MetricJacobian(dst, q []float64) {
	if !d.evaluated(dst, q, OrderForce) {
		return
	}
	d.cube(dst, q)
	if s, ok := d.store.(mapped); ok {
		s.MapCube(dst)
	}
}

// cube writes ∂B_ij/∂q_k; the matrix was evaluated at q.
func (d *Derivatives) cube(dst, q []float64) {
	clear(dst)
	if d.stages.Cube != nil {
		d.stages.Cube(dst, q)
		return
	}
	// Of each pair of entries, a contraction with a weight that holds nothing else.
	m := len(q)
	w, f := make([]float64, m*m), make([]float64, m)
	for i := range m {
		for j := range i + 1 {
			clear(w)
			w[i*m+j] += 0.5
			w[j*m+i] += 0.5
			weights := w
			if _, ok := d.store.(mapped); !ok {
				weights = d.store.Weigh(w)
			}
			d.stages.Pairing(f, q, weights)
			copy(dst[(i*m+j)*m:], f)
			copy(dst[(j*m+i)*m:], f)
		}
	}
}

// Curvature writes ∂²(−L + ½⟨W, G⟩)/∂q_k∂q_l at fixed W to dst[k·m+l], for a symmetric W given row-major:
// what Newton's method needs beyond Hamilton's equations.
func Curvature(d *Derivatives, dst, q, w []float64) {
	if !d.evaluated(dst, q, OrderCurvature) {
		return
	}
	clear(dst)
	d.stages.Curvature(dst, q, d.store.Weigh(w))
	if s, ok := d.store.(mapped); ok {
		cube := s.Cube()
		d.cube(cube, q)
		s.AddCurvature(dst, cube, w)
	}
}

// ProductJacobian writes ∂(G v)_i/∂q_k at fixed v to dst[i·m+k], which Newton's method needs: by a stage of its own or, where the Jacobian
// of the metric would be a pairing for each pair of coordinates, by one for each coordinate. Else it reports false.
func (d *Derivatives) ProductJacobian(dst, q, v []float64) bool {
	switch {
	case d.stages.Product == nil && d.stages.Cube != nil:
		return false
	case !d.evaluated(dst, q, OrderForce):
	case d.stages.Product != nil:
		clear(dst)
		d.stages.Product(dst, q, v)
	default:
		m := len(q)
		if d.row == nil {
			d.row = make([]float64, m*m)
		}
		for i := range m {
			// ⟨½(e_i vᵀ + v e_iᵀ), ∂G⟩
			clear(d.row)
			for j, x := range v {
				d.row[i*m+j] += float64(0.5 * x)
				d.row[j*m+i] += float64(0.5 * x)
			}
			d.stages.Pairing(dst[i*m:][:m], q, d.store.Weigh(d.row))
		}
	}
	return true
}

// Varying is the system of a model whose metric changes with the position. It remembers the factor of one
// position, and what the force has there without the momentum.
type Varying struct {
	Derivatives

	at     []float64
	known  bool      // the factor is that of the position at
	order  int       // of the solutions that it comes from
	full   bool      // force0 too is that of the position at
	force0 []float64 // −∂L/∂q + ½⟨G⁻¹, ∂G/∂q⟩
	v      []float64 // G⁻¹p
	steps  runtime.Steps
}

// NewVarying returns the system of a model.
func NewVarying(stages Stages, store Storage) *Varying {
	m := store.Order()
	s := &Varying{at: make([]float64, m), force0: make([]float64, m), v: make([]float64, m), steps: runtime.NewSteps(m)}
	s.Derivatives = Derivatives{stages: stages, store: store, b: store.Matrix(), evaluate: s.evaluateAt}
	return s
}

// Forget drops what is known of a position: the model is no longer what it was.
func Forget(s *Varying) { s.known, s.full = false, false }

// Touch forgets the factor unless it is that of q: the caller overwrites work space that belongs to it.
func Touch(s *Varying, q []float64) {
	if s.known && !slices.Equal(s.at, q) {
		Forget(s)
	}
}

// evaluateAt makes the matrix and its factor those of position q, unless they are already.
func (s *Varying) evaluateAt(q []float64, order int) runtime.Status {
	// The solutions come first: the matrix reads those of the order asked for, and who needs its
	// derivatives reads them next. Of a solution that fails, it is not finite.
	if s.stages.Solve != nil {
		if st := s.stages.Solve(q, order); st != runtime.OK {
			Forget(s)
			s.stages.Matrix(s.b, q)
			return st
		}
		if order != s.order {
			s.known = false
		}
	}
	if s.known && slices.Equal(s.at, q) {
		return runtime.OK
	}
	Forget(s)
	s.stages.Matrix(s.b, q)
	if out := s.store.Factor(); out != linalg.Factored {
		return runtime.FactorStatus(out)
	}
	copy(s.at, q)
	s.known, s.order = true, order
	return runtime.OK
}

// Energy returns H(q, p) = −L + ½ log det G + ½ pᵀG⁻¹p and L(q).
func (s *Varying) Energy(q, p []float64) (h, l float64, st runtime.Status) {
	if l, st = density(&s.stages, q); st != runtime.OK {
		return math.Inf(1), l, st
	}
	if st = s.evaluateAt(q, OrderDensity); st != runtime.OK {
		return math.Inf(1), l, st
	}
	return energy(s.store, l, p)
}

// density returns L, and why it is not finite, if it is not.
func density(stages *Stages, q []float64) (l float64, st runtime.Status) {
	if stages.Solve != nil {
		if st := stages.Solve(q, OrderDensity); st != runtime.OK {
			return math.NaN(), st
		}
	}
	if l = stages.LogDensity(q); l-l != 0 {
		return l, runtime.NonFinite
	}
	return l, runtime.OK
}

// energy returns H and L, with the factor of the position.
func energy(store Storage, l float64, p []float64) (float64, float64, runtime.Status) {
	h := -l + float64(0.5*(store.LogDet()+store.Quad(p)))
	if h-h != 0 {
		return math.Inf(1), l, runtime.NonFinite
	}
	return h, l, runtime.OK
}

// Whiten writes the components z of p in an orthonormal frame of the metric.
func (s *Varying) Whiten(z, q, p []float64) runtime.Status {
	st := s.evaluateAt(q, OrderDensity)
	if st == runtime.OK {
		s.store.Whiten(z, p)
	}
	return st
}

// DrawMomentum replaces the standard normal variates in p by a draw from N(0, G(q)).
func (s *Varying) DrawMomentum(p, q []float64) runtime.Status {
	st := s.evaluateAt(q, OrderDensity)
	if st == runtime.OK {
		s.store.Colour(p)
	}
	return st
}

// Length returns √(dqᵀG dq + dpᵀG⁻¹dp), the length of a difference in the metric at q; either part may
// be nil.
func (s *Varying) Length(q, dq, dp []float64) (float64, runtime.Status) {
	if st := s.evaluateAt(q, OrderDensity); st != runtime.OK {
		return math.NaN(), st
	}
	return length(s.store, dq, dp), runtime.OK
}

// length is that of a difference, with the factor of the position.
func length(store Storage, dq, dp []float64) float64 {
	sum := 0.0
	if dq != nil {
		sum += store.Form(dq)
	}
	if dp != nil {
		sum += store.Quad(dp)
	}
	return math.Sqrt(sum)
}

// StepIMb advances (q, p) by one step of the implicit midpoint rule solved for the midpoint
// z̄ = z + ½ε f(z̄), IM(b) of Brofos & Lederman (2021); z' = 2z̄ − z.
func (s *Varying) StepIMb(q, p []float64, eps float64, sv *runtime.Solver) runtime.StepResult {
	return s.steps.IMb((*varying)(s), q, p, eps, sv)
}

// StepGLFb advances (q, p) by one step of the generalized leapfrog with cached quantities, GLF(b) of
// Brofos & Lederman (2021).
func (s *Varying) StepGLFb(q, p []float64, eps float64, sv *runtime.Solver) runtime.StepResult {
	return s.steps.GLFb((*varying)(s), q, p, eps, sv)
}

// StepIMa advances (q, p) by one step of the implicit midpoint rule solved for its end point, IM(a) of Brofos &
// Lederman (2021).
func (s *Varying) StepIMa(q, p []float64, eps float64, sv *runtime.Solver) runtime.StepResult {
	return s.steps.IMa((*varying)(s), q, p, eps, sv)
}

// StepGLFa advances (q, p) by one step of the generalized leapfrog with nothing remembered between evaluations,
// GLF(a) of Brofos & Lederman (2021).
func (s *Varying) StepGLFa(q, p []float64, eps float64, sv *runtime.Solver) runtime.StepResult {
	return s.steps.GLFa(forgetful{(*varying)(s)}, q, p, eps, sv)
}

// forgetful are stages that evaluate anew whatever was evaluated before.
type forgetful struct{ *varying }

// Field is that of varying.
func (s forgetful) Field(v, f, q, p []float64) runtime.Status {
	Forget((*Varying)(s.varying))
	return s.varying.Field(v, f, q, p)
}

// Evaluate is that of varying.
func (s forgetful) Evaluate(q []float64) runtime.Status {
	Forget((*Varying)(s.varying))
	return s.varying.Evaluate(q)
}

// StepLeapfrog fails: the metric must be constant. The runtime reports it before sampling.
func (s *Varying) StepLeapfrog(_, _ []float64, _ float64) runtime.StepResult {
	return runtime.StepResult{Status: runtime.NotConstant}
}

// varying is a Varying as its steps see it, a runtime.Stages.
type varying Varying

// Field writes ∂H/∂p = G⁻¹p to v and ∂H/∂q = −∂L/∂q + ½⟨G⁻¹ − v vᵀ, ∂G/∂q⟩ to f.
func (s *varying) Field(v, f, q, p []float64) runtime.Status {
	if st := (*Varying)(s).evaluateAt(q, OrderForce); st != runtime.OK {
		return st
	}
	s.store.Solve(v, p)
	s.stages.Force(f, q, s.store.WeighForce(v))
	return runtime.OK
}

// Complete computes what ∂H/∂q has without the momentum, −∂L/∂q + ½⟨G⁻¹, ∂G/∂q⟩.
func (s *varying) Complete(q []float64) ([]float64, runtime.Status) {
	if s.full && slices.Equal(s.at, q) {
		if s.stages.Solve == nil {
			return s.force0, runtime.OK
		}
		// The momentum's part reads the solutions of this order.
		if st := s.stages.Solve(q, OrderForce); st != runtime.OK {
			return nil, st
		}
		return s.force0, runtime.OK
	}
	if st := (*Varying)(s).evaluateAt(q, OrderForce); st != runtime.OK {
		return nil, st
	}
	s.stages.Force(s.force0, q, s.store.WeighInverse())
	if s.stages.Prepare != nil {
		s.stages.Prepare(q)
	}
	s.full = true
	return s.force0, runtime.OK
}

// MomentumForce writes ½⟨v vᵀ, ∂G/∂q⟩ with v = G⁻¹p to f; q is complete.
func (s *varying) MomentumForce(f, q, p []float64) {
	s.store.Solve(s.v, p)
	if s.stages.Rank1 != nil {
		s.stages.Rank1(f, q, s.v)
		return
	}
	s.stages.Pairing(f, q, s.store.(mapped).WeighSquare(s.v))
	for i, x := range f {
		f[i] = float64(0.5 * x)
	}
}

// Evaluate makes the factor that of G(q).
func (s *varying) Evaluate(q []float64) runtime.Status {
	return (*Varying)(s).evaluateAt(q, OrderDensity)
}

// Solve writes v = G⁻¹p.
func (s *varying) Solve(v, p []float64) { s.store.Solve(v, p) }

// Form returns dqᵀG dq.
func (s *varying) Form(dq []float64) float64 { return s.store.Form(dq) }

// Quad returns dpᵀG⁻¹dp.
func (s *varying) Quad(dp []float64) float64 { return s.store.Quad(dp) }

// RootDiagonal writes √G_ii to root.
func (s *varying) RootDiagonal(root []float64) { s.store.RootDiagonal(root) }
