package system

import (
	"math"
	"slices"

	"github.com/hamc-dev/hamc/runtime"
)

// Constant is the system of a model whose metric does not depend on the position: it is factorised once, and
// the gradient is the one force there is.
type Constant struct {
	stages Stages
	store  Storage

	grad  []float64 // ∂L/∂q at position at, if known
	at    []float64
	known bool
	steps runtime.Steps
}

// NewConstant returns the system of a model. Factorise comes before anything else.
func NewConstant(stages Stages, store Storage) *Constant {
	m := store.Order()
	return &Constant{stages: stages, store: store, grad: make([]float64, m), at: make([]float64, m), steps: runtime.NewSteps(m)}
}

// Factorise evaluates the metric and its factor, and forgets the gradient: the model is no longer what it was.
func Factorise(s *Constant) runtime.Status {
	s.known = false
	s.stages.Matrix(s.store.Matrix(), nil)
	return runtime.FactorStatus(s.store.Factor())
}

// Metric writes G to dst, row-major.
func (s *Constant) Metric(dst, _ []float64) { s.store.Dense(dst) }

// Contract writes zeros: the metric is constant.
func (s *Constant) Contract(dst, _, _ []float64) { clear(dst) }

// MetricJacobian writes zeros: the metric is constant.
func (s *Constant) MetricJacobian(dst, _ []float64) { clear(dst) }

// Energy returns H(q, p) = −L + ½ log det G + ½ pᵀG⁻¹p and L(q).
func (s *Constant) Energy(q, p []float64) (h, l float64, st runtime.Status) {
	if l, st = density(&s.stages, q); st != runtime.OK {
		return math.Inf(1), l, st
	}
	return energy(s.store, l, p)
}

// Whiten writes the components z of p in an orthonormal frame of the metric.
func (s *Constant) Whiten(z, _, p []float64) runtime.Status {
	s.store.Whiten(z, p)
	return runtime.OK
}

// DrawMomentum replaces the standard normal variates in p by a draw from N(0, G).
func (s *Constant) DrawMomentum(p, _ []float64) runtime.Status {
	s.store.Colour(p)
	return runtime.OK
}

// Length returns √(dqᵀG dq + dpᵀG⁻¹dp), the length of a difference in the metric; either part may be nil.
func (s *Constant) Length(_, dq, dp []float64) (float64, runtime.Status) {
	return length(s.store, dq, dp), runtime.OK
}

// StepIMb advances (q, p) by one step of the implicit midpoint rule solved for the midpoint
// z̄ = z + ½ε f(z̄), IM(b) of Brofos & Lederman (2021); z' = 2z̄ − z.
func (s *Constant) StepIMb(q, p []float64, eps float64, sv *runtime.Solver) runtime.StepResult {
	return s.steps.IMb((*constant)(s), q, p, eps, sv)
}

// StepIMa advances (q, p) by one step of the implicit midpoint rule solved for its end point, IM(a) of Brofos &
// Lederman (2021).
func (s *Constant) StepIMa(q, p []float64, eps float64, sv *runtime.Solver) runtime.StepResult {
	return s.steps.IMa((*constant)(s), q, p, eps, sv)
}

// StepGLFa advances (q, p) by one step of the generalized leapfrog as it iterates where the metric varies, GLF(a) of Brofos &
// Lederman (2021).
func (s *Constant) StepGLFa(q, p []float64, eps float64, sv *runtime.Solver) runtime.StepResult {
	return s.steps.GLFa((*constant)(s), q, p, eps, sv)
}

// StepGLFb advances (q, p) by one step of the generalized leapfrog. The metric is constant, so it is the
// leapfrog.
func (s *Constant) StepGLFb(q, p []float64, eps float64, _ *runtime.Solver) runtime.StepResult {
	return s.StepLeapfrog(q, p, eps)
}

// StepLeapfrog advances (q, p) by one leapfrog step: p̄ = p + ½ε∇L(q), q' = q + εG⁻¹p̄, p' = p̄ + ½ε∇L(q').
func (s *Constant) StepLeapfrog(q, p []float64, eps float64) runtime.StepResult {
	return s.steps.Leapfrog((*constant)(s), q, p, eps)
}

// constant is a Constant as its steps see it, a runtime.Stages and a runtime.Separable.
type constant Constant

// Field writes ∂H/∂p = G⁻¹p to v and ∂H/∂q = −∂L/∂q to f.
func (s *constant) Field(v, f, q, p []float64) runtime.Status {
	if s.stages.Solve != nil {
		if st := s.stages.Solve(q, OrderDensity); st != runtime.OK {
			return st
		}
	}
	s.store.Solve(v, p)
	s.stages.Slope(f, q)
	for i := range f {
		f[i] = -f[i]
	}
	return runtime.OK
}

// At makes the gradient that of q, and returns its position and itself.
func (s *constant) At(q []float64) (at, slope []float64, st runtime.Status) {
	if !s.known || !slices.Equal(s.at, q) {
		copy(s.at, q)
		st = s.Slope()
	}
	return s.at, s.grad, st
}

// Slope makes the gradient that of its position.
func (s *constant) Slope() runtime.Status {
	s.known = false
	if s.stages.Solve != nil {
		if st := s.stages.Solve(s.at, OrderDensity); st != runtime.OK {
			return st
		}
	}
	s.stages.Slope(s.grad, s.at)
	s.known = true
	return runtime.OK
}

// Complete computes what ∂H/∂q is, −∂L/∂q. GLF(a) does not ask for it.
func (s *constant) Complete(q []float64) ([]float64, runtime.Status) {
	s.stages.Slope(s.grad, q)
	s.known = false
	for i := range s.grad {
		s.grad[i] = -s.grad[i]
	}
	return s.grad, runtime.OK
}

// MomentumForce writes zeros: the metric is constant.
func (s *constant) MomentumForce(f, _, _ []float64) { clear(f) }

// Evaluate has nothing to do: the factor is that of all positions.
func (s *constant) Evaluate([]float64) runtime.Status { return runtime.OK }

// Solve writes v = G⁻¹p.
func (s *constant) Solve(v, p []float64) { s.store.Solve(v, p) }

// Form returns dqᵀG dq.
func (s *constant) Form(dq []float64) float64 { return s.store.Form(dq) }

// Quad returns dpᵀG⁻¹dp.
func (s *constant) Quad(dp []float64) float64 { return s.store.Quad(dp) }

// RootDiagonal writes √G_ii to root.
func (s *constant) RootDiagonal(root []float64) { s.store.RootDiagonal(root) }
