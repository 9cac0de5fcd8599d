package dsl

// Constraint is a type of vectors whose elements obey more than bounds: a word that stands in the
// place of `real`.
type Constraint struct {
	Name  string
	Least int    // elements that a vector has at least
	Doc   string // what the elements are

	// Lo and Hi are what each element lies between, ends excluded.
	Lo, Hi float64

	// Coordinates is the shape of the unconstrained coordinates of a parameter of a shape.
	Coordinates func(values []Extent) []Extent
}

// Simplex is the type `simplex[K]`: K positive numbers that sum to 1. The last is 1 less the others.
var Simplex = &Constraint{
	Name: "simplex", Least: 2, Doc: "positive, of sum 1", Lo: 0, Hi: 1,
	Coordinates: func(values []Extent) []Extent { return []Extent{values[0].Plus(-1)} },
}

// Constraints is the table.
var Constraints = []*Constraint{Simplex}

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
	lo, hi := x.Lo, x.Hi
	return Support{LoNum: &lo, HiNum: &hi, LoOpen: true, HiOpen: true}
}

// Coordinates is the shape of the unconstrained coordinates of p.
func (p *Param) Coordinates() []Extent {
	if p.Constraint == nil || p.Type.Base == Invalid {
		return p.Type.Shape
	}
	return p.Constraint.Coordinates(p.Type.Shape)
}
