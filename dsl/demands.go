package dsl

// DemandKind is a kind of demand on data.
type DemandKind uint8

// The kinds of demand.
const (
	DemandSize       DemandKind = iota // an int is at least Least
	DemandLength                       // an array has the declared number of elements
	DemandBounds                       // every element lies between Lo and Hi
	DemandSet                          // every element is one of Set
	DemandCovariance                   // symmetric positive definite matrices
	DemandSymmetric                    // symmetric matrices
	DemandUpTo                         // no element is above that of Limit
	DemandOrder                        // the bounds Lo and Hi of Param are in order
	DemandTimes                        // no element is below Lo or its predecessor
	DemandSimplex                      // the elements are positive, and sum to 1
)

// Demand is one condition that data must meet before a model accepts them. The
// generated constructor and the interpreter check the same list, in order.
type Demand struct {
	Kind           DemandKind
	Data           *Data
	Least          int
	Lo, Hi         Expr // nil: unbounded; otherwise arithmetic on scalar data
	LoOpen, HiOpen bool
	Set            []int
	Limit          *Data  // of DemandUpTo
	Param          *Param // of DemandOrder; Data is nil then
}

// Demands lists what the declarations and the distributions of the model ask of
// its data.
func (m *Model) Demands() []Demand {
	var out []Demand
	for _, d := range m.Data {
		s := &d.Support
		if d.IsSize {
			out = append(out, Demand{Kind: DemandSize, Data: d, Least: d.LeastSize()})
		}
		if len(d.Type.Shape) > 0 {
			out = append(out, Demand{Kind: DemandLength, Data: d})
		}
		if d.Constraint == SymmetricMatrix {
			out = append(out, Demand{Kind: DemandSymmetric, Data: d})
		}
		switch {
		case s.Set != nil:
			out = append(out, Demand{Kind: DemandSet, Data: d, Set: ints(s.Set)})
		case d.Constraint == Simplex:
			out = append(out, Demand{Kind: DemandSimplex, Data: d})
		case d.Constraint == Cov:
			out = append(out, Demand{Kind: DemandCovariance, Data: d})
		case d.Type.Base == Real || s.Bounded():
			out = append(out, Demand{Kind: DemandBounds, Data: d, Lo: numeric(s.Lo, s.LoNum), Hi: numeric(s.Hi, s.HiNum),
				LoOpen: s.Lo == nil || s.LoOpen, HiOpen: s.Hi == nil || s.HiOpen})
		}
	}
	for _, p := range m.Params {
		s := &p.Support
		if s.Lo != nil && s.Hi != nil && (s.LoNum == nil || s.HiNum == nil) && !p.BoundByParams() && !p.BoundByFunctions() {
			out = append(out, Demand{Kind: DemandOrder, Param: p, Lo: numeric(s.Lo, s.LoNum), Hi: numeric(s.Hi, s.HiNum)})
		}
	}
	for _, s := range m.Solves {
		out = append(out, Demand{Kind: DemandTimes, Data: s.Times, Lo: s.From})
	}
	type known struct {
		data, limit *Data
		support     Domain
	}
	const argument = domainCount // no support: the datum is an argument
	seen := map[known]bool{}
	for _, t := range append(m.Terms[:len(m.Terms):len(m.Terms)], m.Densities...) {
		if t.Dist == nil || t.Component || t.Chosen {
			continue
		}
		k := known{data: datum(t.Left), support: t.Dist.Support}
		if k.support == UpTo {
			k.limit = datum(t.Args[0])
		}
		demands := supportDemands(t)
		for _, d := range argumentDemands(t) {
			if a := (known{data: d.Data, support: argument}); !seen[a] {
				seen[a] = true
				demands = append(demands, d)
			}
		}
		// A log density asks no more of a datum than the term that it repeats.
		if t.call && seen[k] {
			continue
		}
		seen[k] = seen[k] || len(demands) > 0
		out = append(out, demands...)
	}
	return out
}

// LeastSize is the least value of an int that serves as a size.
func (d *Data) LeastSize() int {
	if s := &d.Support; s.LoNum != nil && *s.LoNum <= 0 && d.Formula == nil {
		return max(0, d.MinSize)
	}
	return max(1, d.MinSize)
}

// numeric is a bound, as a number where it is one.
func numeric(e Expr, v *float64) Expr {
	if v != nil {
		return &Number{Value: *v}
	}
	return e
}

func ints(x []float64) []int {
	out := make([]int, len(x))
	for i, v := range x {
		out[i] = int(v)
	}
	return out
}

// datum returns the datum that an expression names, alone or by an element.
func datum(e Expr) *Data {
	e = Through(e)
	if ix, ok := e.(*IndexExpr); ok {
		e = Through(ix.Base)
	}
	if n, ok := e.(*Name); ok {
		if d, ok := n.Obj.(*Data); ok {
			return d
		}
	}
	return nil
}

// supportDemands are those of a distribution on the datum to its left.
func supportDemands(t *Term) []Demand {
	if t.Dist == nil {
		return nil
	}
	d := datum(t.Left)
	if d == nil || t.Tail == UpperTail { // of which the logarithm is 0 below the support
		return nil
	}
	zero, one := &Number{Value: 0}, &Number{Value: 1}
	if s := t.Dist.Support; t.Tail == LowerTail && (s == UnitOpen || s == UpTo || s == Binary) { // 0 above
		return []Demand{{Kind: DemandBounds, Data: d, Lo: zero, LoOpen: s == UnitOpen, HiOpen: true}}
	}
	switch t.Dist.Support {
	case Binary:
		for _, v := range d.Support.Set {
			if v != 0 && v != 1 {
				return []Demand{{Kind: DemandSet, Data: d, Set: []int{0, 1}}}
			}
		}
		if d.Support.Set == nil {
			return []Demand{{Kind: DemandSet, Data: d, Set: []int{0, 1}}}
		}
	case Counts, VectorCounts:
		return []Demand{{Kind: DemandBounds, Data: d, Lo: zero, HiOpen: true}}
	case UpTo:
		out := []Demand{{Kind: DemandBounds, Data: d, Lo: zero, HiOpen: true}}
		if t.LimitDemanded() {
			out = append(out, Demand{Kind: DemandUpTo, Data: d, Limit: datum(t.Args[0])})
		}
		return out
	case Positive:
		return []Demand{{Kind: DemandBounds, Data: d, Lo: zero, LoOpen: true, HiOpen: true}}
	case UnitOpen:
		return []Demand{{Kind: DemandBounds, Data: d, Lo: zero, Hi: one, LoOpen: true, HiOpen: true}}
	case Above:
		// A call may be a part of a mixture, whose other parts reach below.
		if lo := t.Args[t.Dist.Begins]; !t.call && boundForm(lo) && len(paramsOf(lo)) == 0 {
			return []Demand{{Kind: DemandBounds, Data: d, Lo: lo, LoOpen: true, HiOpen: true}}
		}
	}
	return nil
}

// LimitDemanded reports whether it is demanded of data that they are no larger than the number of trials. Elements are compared only where both run alike.
func (t *Term) LimitDemanded() bool {
	d, limit := datum(t.Left), datum(t.Args[0])
	_, indexed := t.Left.(*IndexExpr)
	return d != nil && limit != nil && t.Tail == NoTail && (limit.Type.IsScalar() || !indexed && sameShape(limit.Type.Shape, d.Type.Shape))
}

// argumentDemands are those of a distribution on the data that are its arguments: outside their
// range the density is 0 wherever the parameters are. Of quantities nothing is demanded, which are NaN
// then.
func argumentDemands(t *Term) (out []Demand) {
	if t.call {
		return nil
	}
	zero, one := &Number{Value: 0}, &Number{Value: 1}
	for i, a := range t.Args {
		d := wholeDatum(a)
		if d == nil || d.Constraint == Cov {
			continue
		}
		s := &d.Support
		dom := t.Dist.Args[i].Domain
		if dom == Covariance && d.Constraint == SymmetricMatrix {
			out = append(out, Demand{Kind: DemandCovariance, Data: d})
			continue
		}
		open := dom == Positive || dom == VectorPositive || dom == UnitOpen
		lo := s.LoNum != nil && (*s.LoNum > 0 || *s.LoNum == 0 && (s.LoOpen || !open))
		hi := s.HiNum != nil && (*s.HiNum < 1 || *s.HiNum == 1 && (s.HiOpen || !open))
		switch dom {
		case Positive, VectorPositive, NonNegative:
			if !lo {
				out = append(out, Demand{Kind: DemandBounds, Data: d, Lo: zero, LoOpen: open, HiOpen: true})
			}
		case UnitOpen, UnitClosed:
			if !lo || !hi {
				out = append(out, Demand{Kind: DemandBounds, Data: d, Lo: zero, Hi: one, LoOpen: open, HiOpen: open})
			}
		}
	}
	return out
}

// wholeDatum returns the datum that an expression is, alone or by all its elements, or nil.
func wholeDatum(e Expr) *Data {
	if e = whole(e); e == nil {
		return nil
	}
	return datum(e)
}

// whole is what an expression is all elements of, or itself where it selects none; nil where it is a part.
func whole(e Expr) Expr {
	e = Through(e)
	ix, ok := e.(*IndexExpr)
	if !ok {
		return e
	}
	n, ok := ix.Base.(*Name)
	if !ok {
		return nil
	}
	for k, s := range ix.Subscripts {
		shape := n.Type().Shape
		if s.Index == nil || s.Offset != 0 || s.Gather != nil || s.Index.Range != (Range{Fixed(1), shape[k]}) {
			return nil
		}
	}
	return ix.Base
}

// boundForm reports whether an expression is one that bounds of data may be:
// arithmetic on numbers, consts and scalar data.
func boundForm(e Expr) bool {
	switch e := e.(type) {
	case *Number:
		return true
	case *Name:
		switch o := e.Obj.(type) {
		case *Const, *Size:
			return true
		case *Data:
			return o.Type.IsScalar()
		case *Param:
			return o.Type.IsScalar()
		}
	case *UnaryExpr:
		return e.Op == "-" && boundForm(e.X)
	case *BinaryExpr:
		switch e.Op {
		case "+", "-", "*", "/":
			return boundForm(e.X) && boundForm(e.Y)
		}
	}
	return false
}

// boundOfParams reports whether an expression is one that bounds that depend on parameters may be: arithmetic on what bounds of data may be, on scalar parameters, and on
// functions of data.
func boundOfParams(e Expr) bool {
	if boundForm(e) || len(paramsOf(e)) == 0 {
		return true
	}
	switch e := e.(type) {
	case *UnaryExpr:
		return e.Op == "-" && boundOfParams(e.X)
	case *BinaryExpr:
		switch e.Op {
		case "+", "-", "*", "/":
			return boundOfParams(e.X) && boundOfParams(e.Y)
		}
	}
	return false
}

// BoundByFunctions reports whether a bound, an offset or a multiplier of a parameter is no arithmetic on scalars, but has a function of data in it, or is one of each element.
func (p *Param) BoundByFunctions() bool {
	other := func(e Expr, v *float64) bool { return e != nil && v == nil && !boundForm(e) }
	if p.Affine() {
		return other(p.Offset, nil) || other(p.Multiplier, nil)
	}
	return other(p.Support.Lo, p.Support.LoNum) || other(p.Support.Hi, p.Support.HiNum)
}

// BoundEach reports whether each element of a parameter has a bound, an offset or a multiplier of its own.
func (p *Param) BoundEach() bool {
	each := func(e Expr) bool { return e != nil && !e.Type().IsScalar() }
	ends := p.Ends()
	return each(ends[0]) || each(ends[1])
}

// BoundByParams reports whether a bound, an offset or a multiplier of a parameter depends on other parameters.
func (p *Param) BoundByParams() bool {
	ends := p.Ends()
	return len(paramsOf(ends[:]...)) > 0
}
