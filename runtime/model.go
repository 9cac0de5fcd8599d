// Package runtime is what every sampler links against: the model interface,
// the integrators of Brofos & Lederman (2021), the transitions, warm-up and
// chains of Riemannian-manifold Hamiltonian Monte Carlo. It knows nothing of
// the .ham language, and it imports only the standard library and its own
// subpackages.
//
// The Hamiltonian is H(q, p) = −L(q) + ½ log det G(q) + ½ pᵀG(q)⁻¹p, with L
// the log density on the unconstrained coordinates q and G the metric.
package runtime

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Posterior is a log density on unconstrained coordinates q of dimension m. What
// Sample draws from is a Posterior that is a Model or a Gibbs too.
//
// A value holds work space and serves one goroutine. Outside the domain a method
// writes NaN or ±Inf and never panics.
type Posterior interface {
	// Info describes the posterior; the caller does not modify it.
	Info() *Info

	// LogDensity returns L(q), the Jacobian terms of the parameter
	// transforms included.
	LogDensity(q []float64) float64

	// Gradient writes ∂L/∂q to grad[m] and returns L(q).
	Gradient(grad, q []float64) float64

	// Constrain writes the parameters on their own (constrained) scale to
	// x, in declaration order, vectors contiguous. There are Info().Size() values
	// of Info().Dim() coordinates.
	Constrain(x, q []float64)

	// Unconstrain is the inverse of Constrain, and finds one point of those that have the same values. It returns an error that
	// names the first parameter outside its support.
	Unconstrain(q, x []float64) error
}

// Model is a Posterior with a Riemannian metric. Generated code implements it;
// so may a model written by hand. Matrices are dense, row-major and, where
// symmetric, full; sampling needs none of them from a System.
type Model interface {
	Posterior

	// Metric writes G(q) to g[m·m].
	Metric(g, q []float64)

	// Contract writes ⟨W, ∂G/∂q_k⟩ = Σ_ij W_ij ∂G_ij/∂q_k to out[k],
	// for a symmetric W given as w[m·m].
	Contract(out, q, w []float64)

	// MetricJacobian writes ∂G_ij/∂q_k to out[(i·m+j)·m+k].
	MetricJacobian(out, q []float64)

	// Clone returns a model on the same data with work space of its own.
	Clone() Model
}

// Gibbs is a Posterior that is sampled in blocks: sets of parameters that are
// updated in turn, each by a transition of its own given the others.
type Gibbs interface {
	Posterior

	// Blocks returns the conditional densities in the order of a sweep.
	// The names of their parameters are those of the posterior; each
	// parameter is in one block.
	Blocks() []Conditional

	// Clone returns a posterior on the same data with work space of its
	// own, for its blocks too.
	Clone() Gibbs
}

// Conditional is the density of one block of a Gibbs given the parameters of
// the others. Its log density is that of the joint posterior.
type Conditional interface {
	System

	// Given sets the parameters of the other blocks from the coordinates
	// of the whole posterior, and computes what depends on them alone: a
	// constant metric's factor, for one. It comes before anything else,
	// and again whenever they change.
	Given(q []float64) Status
}

// System is a Model whose Hamiltonian dynamics have code of their own:
// generated models implement it with steps specialised by the compiler;
// Generic wraps any other Model. Like a Model it serves one goroutine.
type System interface {
	Model

	// Energy returns H(q, p) and L(q). The status tells why H could not
	// be computed; H is +Inf then.
	Energy(q, p []float64) (h, l float64, st Status)

	// Whiten writes to z the components of p in an orthonormal frame of the
	// metric, z = R⁻¹p with G(q) = R Rᵀ and a root R that is continuous in q.
	// It is cheap at a position whose Energy was asked for last.
	Whiten(z, q, p []float64) Status

	// Length returns √(dqᵀG(q)dq + dpᵀG(q)⁻¹dp), the MetricNorm of a difference, or a status that tells why
	// there is no metric at q. Either part may be nil, which stands for zeros.
	Length(q, dq, dp []float64) (float64, Status)

	// DrawMomentum replaces the standard normal variates in p by a draw
	// p ~ N(0, G(q)).
	DrawMomentum(p, q []float64) Status

	// StepGLFb advances (q, p) in place by one step of the generalized
	// leapfrog with cached quantities, GLF(b) in the paper.
	StepGLFb(q, p []float64, eps float64, s *Solver) StepResult

	// StepIMb advances (q, p) in place by one step of the implicit
	// midpoint rule solved for the midpoint, IM(b) in the paper.
	StepIMb(q, p []float64, eps float64, s *Solver) StepResult

	// StepLeapfrog advances (q, p) in place by one explicit leapfrog
	// step. It is defined for constant metrics only. After a failure q is the position
	// that was evaluated last; of the other steps it is unspecified.
	StepLeapfrog(q, p []float64, eps float64) StepResult
}

// Plain is a System with code of its own for the plain algorithms too, GLF(a) and IM(a) in the paper. A type that
// embeds a generated model has the model's steps of all integrators, which do not call the methods that the type
// has in the place of the model's; one that embeds the model as a Model has those of Generic, which do.
type Plain interface {
	System

	// StepGLFa advances (q, p) in place by one step of the generalized leapfrog with nothing
	// remembered between evaluations.
	StepGLFa(q, p []float64, eps float64, s *Solver) StepResult

	// StepIMa advances (q, p) in place by one step of the implicit midpoint rule solved for its end
	// point.
	StepIMa(q, p []float64, eps float64, s *Solver) StepResult
}

// Solves is a Model with differential equations.
type Solves interface {
	// SolveStatus tells how the solution that was asked for last came out:
	// OK, or why there is none.
	SolveStatus() Status
}

// Generator is a Posterior with generated quantities: values that are computed
// once per draw, such as predictions, which may be random given the parameters.
type Generator interface {
	Posterior

	// Generated describes the quantities, in the order of their declarations;
	// the caller does not modify it. A Generator may have none.
	Generated() []Quantity

	// Generate writes the quantities of the draw at the unconstrained
	// coordinates q to out, in the order of Generated, arrays contiguous and
	// row-major. It uses the next random numbers of rng, in an order that
	// depends on the model alone. A quantity that is not defined, or is drawn
	// with an argument out of range, is NaN.
	Generate(out, q []float64, rng *rand.Rand)
}

// PriorDrawer is a Posterior some of whose parameters can be drawn from the prior: chains
// may start there.
type PriorDrawer interface {
	Posterior

	// Priors returns the names of the parameters that DrawPrior draws; the caller
	// does not modify it. There may be none.
	Priors() []string

	// DrawPrior draws them, on the parameters' own scale as Constrain writes
	// them, to values, given the values of the other parameters there. It uses
	// the next random numbers of rng, in an order that depends on the model
	// alone. A value that is not defined, or for which no draw in the support of
	// its parameter is found, is NaN.
	DrawPrior(values []float64, rng *rand.Rand)
}

// WithoutPrior returns the names of the parameters of p that are not drawn from a
// prior, in order: all, unless p is a PriorDrawer.
func WithoutPrior(p Posterior) []string {
	var drawn, names []string
	if d, ok := p.(PriorDrawer); ok {
		drawn = d.Priors()
	}
	for _, q := range p.Info().Params {
		if !slices.Contains(drawn, q.Name) {
			names = append(names, q.Name)
		}
	}
	return names
}

// Quantity is one generated quantity: a scalar, a vector or a matrix.
type Quantity struct {
	Param
	Group Group
	Whole bool // its values are whole numbers, held by floating-point numbers, or NaN
}

// Group tells what a generated quantity is to those who analyse draws. Its values
// are the names of the groups of InferenceData, which ArviZ reads.
type Group string

// The groups, by the expression that a quantity is defined by.
const (
	// GroupPosterior: a function of the parameters and the data.
	GroupPosterior Group = "posterior"
	// GroupLogLikelihood: the log density of data, or of elements of it, or a
	// sum of such.
	GroupLogLikelihood Group = "log_likelihood"
	// GroupPosteriorPredictive: random given the parameters: drawn, or
	// computed from what was.
	GroupPosteriorPredictive Group = "posterior_predictive"
)

// QuantitiesLen returns the number of values of all quantities together: the
// length of the slice that Generate fills.
func QuantitiesLen(list []Quantity) int {
	n := 0
	for i := range list {
		n += list[i].Size()
	}
	return n
}

// Info describes a model.
type Info struct {
	Name   string
	Params []Param
	Metric MetricInfo

	// Work counts the arithmetic operations of one gradient, about: what else a step costs is held against it. 0 stands for
	// an unknown number.
	Work int `json:",omitempty"`

	// IterationWork counts those of one iteration of an implicit step, about, where the metric depends on the position.
	IterationWork int `json:",omitempty"`

	// ManyModes says that the density may well have modes of different heights: it reads solutions of differential equations, oscillates, or is one of a mixture of counts.
	ManyModes bool `json:",omitempty"`
}

// Dim returns the number m of unconstrained coordinates.
func (in *Info) Dim() int {
	m := 0
	for i := range in.Params {
		m += in.Params[i].Dim()
	}
	return m
}

// Size returns the number of values of all parameters together, on their own scale: the length of what
// Constrain writes.
func (in *Info) Size() int {
	n := 0
	for i := range in.Params {
		n += in.Params[i].Size()
	}
	return n
}

// Param is one declared parameter, a scalar or a vector. It has two shapes: that of its values, on its
// own scale, and that of its unconstrained coordinates. They differ where the values obey an equation: the K
// elements of a simplex, which sum to 1, have K − 1 coordinates. Values are contiguous, and so are
// coordinates, both in declaration order.
type Param struct {
	Name  string
	Shape []int // of the values; empty for a scalar

	// Coordinates is the shape of the coordinates; nil where it is that of the values.
	Coordinates []int `json:",omitempty"`

	// Latent marks a latent vector of a Transported.
	Latent bool `json:",omitempty"`

	// Ends is where the values end and their coordinates go on.
	Ends Ends `json:",omitempty"`

	// Constants are the elements of a matrix that are the same number everywhere.
	Constants Constants `json:",omitempty"`
}

// Constants says which elements of a matrix are the same number everywhere.
type Constants uint8

// Which ones.
const (
	NoConstants      Constants = iota
	ConstantDiagonal           // those on the diagonal, as of correlation matrices
	ConstantAbove              // those above the diagonal, as of the factors of covariances
	ConstantCorner             // the first one and those above the diagonal, as of the factors of correlation matrices
)

// Has reports whether an element, by its subscripts from 1, is one of them.
func (x Constants) Has(i, j int) bool {
	switch x {
	case ConstantDiagonal:
		return i == j
	case ConstantAbove:
		return j > i
	case ConstantCorner:
		return j > i || i == 1 && j == 1
	}
	return false
}

// Ends says on which sides of the coordinates of a parameter its values end: far out they do not depend on them any more.
type Ends uint8

// The sides.
const (
	NoEnd    Ends = iota
	EndBelow      // as those above one bound, lo + eᵘ, and those below one, hi − eᵘ
	EndBoth       // as those between two bounds, and those of a simplex
)

// Size returns the number of values of p.
func (p *Param) Size() int { return product(p.Shape) }

// Dim returns the number of coordinates of p.
func (p *Param) Dim() int {
	if p.Coordinates == nil {
		return p.Size()
	}
	return product(p.Coordinates)
}

// product is the number of elements of an array.
func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// Structure is the sparsity pattern that a metric has at every position.
type Structure uint8

// The structures of a metric.
const (
	Dense         Structure = iota
	Diagonal                // no coordinate is coupled to another
	Banded                  // entries beyond a fixed distance from the diagonal are zero
	Arrow                   // diagonal, but for the rows and columns of a few parameters
	BorderedBand            // banded, but for the rows and columns of a few parameters
	BlockDiagonal           // several sets of parameters that are not coupled to each other
)

var structureNames = [...]string{"dense", "diagonal", "banded", "arrow", "bordered band", "block-diagonal"}

// String returns the name that ParseStructure reads.
func (s Structure) String() string {
	if int(s) < len(structureNames) {
		return structureNames[s]
	}
	return fmt.Sprintf("Structure(%d)", uint8(s))
}

// ParseStructure reads the name of a structure: that of its constant, in words.
func ParseStructure(name string) (Structure, error) {
	if i := slices.Index(structureNames[:], name); i >= 0 {
		return Structure(i), nil
	}
	return 0, fmt.Errorf("unknown structure %q of a metric", name)
}

// MetricInfo says what is known of a metric before it is evaluated.
type MetricInfo struct {
	Constant  bool // G does not depend on q: the leapfrog applies
	Identity  bool // the model has no metric of its own: warm-up may adapt one
	Auto      bool // the metric of the code is a candidate beside one that warm-up adapts, of a Chooser
	Structure Structure
}

// APIVersion is the version of the interface between generated code and this
// package. Generated code states the version that it was made for, and does not compile
// with another: an interface that it lacks would go unnoticed, and so would one that has changed
// its meaning. Version 3 brought Whiten, Identity and Generator, version 4
// ParamDraws and QuantityDraws, version 5 PriorDrawer, version 6 Length, version 7 Steps, version 8
// parameters with more values than coordinates, version 9 package system, version 10 Work, version 11
// Transported, version 12 Chooser, version 13 Ends and LogJacobian, version 14 Equations, version 15 Constants, version 16
// ManyModes.
const APIVersion = 16
