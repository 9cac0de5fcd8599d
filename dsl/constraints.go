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

	// Square is set of a type of square matrices, of one size.
	Square bool

	// Coordinates is the shape of the unconstrained coordinates of a parameter of a shape.
	Coordinates func(values []Extent) []Extent
}

// Simplex is the type `simplex[K]`: K positive numbers that sum to 1. The last is 1 less the others.
var Simplex = &Constraint{
	Name: "simplex", Least: 2, Doc: "positive, of sum 1", Lo: 0, Hi: 1,
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
var Constraints = []*Constraint{Simplex, Ordered, PositiveOrdered, CorrCholesky}

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
	Name: "corr_cholesky", Least: 2, Doc: "those of the factor of a correlation matrix", Lo: -1, Hi: 1, Square: true,
	Coordinates: func(values []Extent) []Extent { return []Extent{TriangleOf(values[0])} },
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
