package dsl

import (
	"math"
	"slices"
)

// Constraint is a type of vectors, or of the rows of a matrix, whose elements obey more than bounds: a word that stands in the
// place of `real`.
type Constraint struct {
	Name  string
	Least int    // elements that a vector has at least
	Doc   string // what the elements are

	// Lo and Hi are what each element lies between, ends excluded; infinite where there is no end.
	Lo, Hi float64

	// Square is set of a type of square matrices, of one size, and Symmetric of those that equal their transpose.
	Square, Symmetric bool

	// Bounded is set of a type whose elements may have bounds as well.
	Bounded bool

	// Data is the number of dimensions up to which data may be of the type, 0 if they may not.
	Data int

	// Measure is what a density of such values is by.
	Measure Measure

	// Coordinates is the shape of the unconstrained coordinates of a parameter of a shape; nil of a type that only data have.
	Coordinates func(values []Extent) []Extent
}

// Measure is what a density of values that obey a constraint is a density by: the volume in those of them that are free, or an area.
type Measure uint8

// The measures.
const (
	ByFirst Measure = iota // of the first elements, as many as there are coordinates
	ByBelow                // of the elements of a matrix below the diagonal
	ByLower                // of the elements of a matrix on the diagonal and below it
	ByArea                 // the area of the surface, or of the plane, that the values lie on
)

// Simplex is the type `simplex[K]`: K positive numbers that sum to 1. The last is 1 less the others.
var Simplex = &Constraint{
	Name: "simplex", Least: 2, Doc: "positive, of sum 1", Lo: 0, Hi: 1, Data: MaxRank,
	Coordinates: lastLess(1),
}

// lastLess is a shape with so many elements less in the last dimension.
func lastLess(n int) func([]Extent) []Extent {
	return func(values []Extent) []Extent {
		out := slices.Clone(values)
		out[len(out)-1] = out[len(out)-1].Plus(-n)
		return out
	}
}

// Constraints is the table.
var Constraints = []*Constraint{Simplex, Ordered, PositiveOrdered, UnitVector, SumToZero, Corr, CorrCholesky, Cov, CovCholesky, SymmetricMatrix}

// Ordered is the type `ordered[K]`: K numbers in ascending order.
var Ordered = &Constraint{
	Name: "ordered", Least: 1, Doc: "in ascending order", Lo: math.Inf(-1), Hi: math.Inf(1), Coordinates: lastLess(0),
}

// PositiveOrdered is the type `positive_ordered[K]`: K positive numbers in ascending order.
var PositiveOrdered = &Constraint{
	Name: "positive_ordered", Least: 1, Doc: "positive and in ascending order", Lo: 0, Hi: math.Inf(1), Coordinates: lastLess(0),
}

// CorrCholesky is the type `corr_cholesky[K]`: the lower triangular factor L of a correlation matrix L L'.
var CorrCholesky = &Constraint{
	Name: "corr_cholesky", Least: 2, Doc: "those of the factor of a correlation matrix", Lo: -1, Hi: 1, Square: true, Measure: ByBelow,
	Coordinates: belowDiagonal,
}

// belowDiagonal is the number of the elements of a square matrix below the diagonal, as the shape of a vector.
func belowDiagonal(values []Extent) []Extent {
	n := len(values)
	return append(slices.Clone(values[:n-2]), TriangleOf(values[n-1]))
}

// lowerTriangle is the number of those on the diagonal too.
func lowerTriangle(values []Extent) []Extent {
	n := len(values)
	return append(slices.Clone(values[:n-2]), TriangleOf(values[n-1].Plus(1)))
}

// UnitVector is the type `unit_vector[K]`: K numbers whose squares sum to 1. It has a coordinate for each, of which the length says nothing.
var UnitVector = &Constraint{
	Name: "unit_vector", Least: 2, Doc: "those of a vector of length 1", Lo: -1, Hi: 1, Measure: ByArea, Coordinates: lastLess(0),
}

// SumToZero is the type `sum_to_zero[K]`: K numbers that sum to 0.
var SumToZero = &Constraint{
	Name: "sum_to_zero", Least: 2, Doc: "numbers of sum 0", Lo: math.Inf(-1), Hi: math.Inf(1), Measure: ByArea, Coordinates: lastLess(1),
}

// Corr is the type `corr[K]`: a correlation matrix, which is symmetric and positive definite and has ones on its diagonal.
var Corr = &Constraint{
	Name: "corr", Least: 2, Doc: "those of a correlation matrix", Lo: -1, Hi: 1, Square: true, Symmetric: true, Measure: ByBelow, Coordinates: belowDiagonal,
}

// Cov is the type `cov[K]`: a covariance matrix, which is symmetric and positive definite.
var Cov = &Constraint{
	Name: "cov", Least: 1, Doc: "those of a covariance matrix", Lo: math.Inf(-1), Hi: math.Inf(1), Square: true, Symmetric: true, Data: MaxRank, Measure: ByLower,
	Coordinates: lowerTriangle,
}

// SymmetricMatrix is the type `symmetric[K]` of data: a matrix that equals its transpose, as of distances or of neighbours.
var SymmetricMatrix = &Constraint{
	Name: "symmetric", Least: 1, Doc: "those of a symmetric matrix", Lo: math.Inf(-1), Hi: math.Inf(1), Square: true, Symmetric: true, Bounded: true, Data: MaxRank,
}

// CovCholesky is the type `cov_cholesky[K]`: the lower triangular factor L, of positive diagonal, of a covariance matrix L L'.
var CovCholesky = &Constraint{
	Name: "cov_cholesky", Least: 1, Doc: "those of the factor of a covariance matrix", Lo: math.Inf(-1), Hi: math.Inf(1), Square: true, Measure: ByLower,
	Coordinates: lowerTriangle,
}

// LookupConstraint returns the row of a word, or nil.
func LookupConstraint(word string) *Constraint {
	for _, x := range Constraints {
		if x.Name == word {
			return x
		}
	}
	return nil
}

// IsSymmetric reports whether values are symmetric matrices; x may be nil.
func (x *Constraint) IsSymmetric() bool { return x != nil && x.Symmetric }

// support is what is known of each element.
func (x *Constraint) support() Support {
	s := Support{LoOpen: true, HiOpen: true}
	if lo := x.Lo; !math.IsInf(lo, 0) {
		s.LoNum = &lo
	}
	if hi := x.Hi; !math.IsInf(hi, 0) {
		s.HiNum = &hi
	}
	return s
}

// Coordinates is the shape of the unconstrained coordinates of p.
func (p *Param) Coordinates() []Extent {
	if p.Constraint == nil || p.Type.Base == Invalid {
		return p.Type.Shape
	}
	return p.Constraint.Coordinates(p.Type.Shape)
}
