package symbolic

import (
	"fmt"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// lowerFit adds the definition of a part of a fit to the program, after the
// arrays that it is computed from.
func (p *Program) lowerFit(d *expr.Def) {
	if d.Body != nil {
		return
	}
	f := d.Fit.Of
	if f.Arrays == nil {
		f.Arrays = append(f.Arrays, p.fitArray(f.Weight, expr.IndexList(f.Rows)), p.fitArray(f.Response, expr.IndexList(f.Outer, f.Rows)))
		for _, x := range f.Columns {
			f.Arrays = append(f.Arrays, p.fitArray(x.Data, expr.IndexList(f.Rows, x.Index)))
		}
	}
	d.Body = p.c.Intern(expr.Expr{Op: expr.LeastSquares, Tensor: d.Tensor, Args: slices.DeleteFunc(slices.Clone(f.Arrays), func(e *expr.Expr) bool { return e == nil })})
	for _, i := range append(expr.IndexList(f.Rows, f.Outer), f.ColumnIndices()...) {
		d.Body.DropFree(i)
	}
	name := "fit" + d.Fit.Role.String()
	d.Tensor.Name = name
	for n := 2; p.taken[d.Tensor.Name] > 0; n++ {
		d.Tensor.Name = fmt.Sprintf("%s%d", name, n)
	}
	p.taken[d.Tensor.Name] = 1
	p.Defs = append(p.Defs, d)
}

// fitArray is an expression as an array over just these indices; nil stays nil.
func (p *Program) fitArray(x *expr.Expr, indices []*expr.Index) *expr.Expr {
	if x == nil {
		return nil
	}
	return p.whole(x, indices) // a part of another fit too is defined before this one
}

// lowerApplied adds the value of an operator to the program, after its arguments as whole arrays.
func (p *Program) lowerApplied(d *expr.Def) *expr.Expr {
	c, a := p.c, d.Body.Apply
	args := make([]*expr.Expr, len(a.Shapes))
	for n, s := range a.Shapes {
		x := d.Body.Args[n]
		carried := slices.DeleteFunc(slices.Clone(d.Outer()), func(i *expr.Index) bool { return !x.HasFree(i) })
		args[n] = p.whole(x, append(carried, c.Slots(s)...))
	}
	for n, f := range a.Operator.Factors() {
		args = append(args, p.lowerShared(c.Applied(&expr.Application{Operator: f, Shapes: a.Shapes[n : n+1]}, args[n:n+1])))
	}
	node := c.ApplicationOf(a, args)
	o, ok := p.byKey[node]
	if !ok {
		kind := expr.DefTensor
		if a.Operator.Name == expr.FactorName {
			kind = expr.FactorOf
		}
		t := c.NewTensor(expr.Tensor{Name: p.invent(node), Kind: kind, Shape: d.Tensor.Shape, Stage: max(node.Stage(), expr.StageData), Symmetric: a.Operator.Symmetric})
		o = &expr.Def{Tensor: t, Indices: d.Indices, Body: node}
		t.Def = o
		p.byKey[node] = o
		p.Defs = append(p.Defs, o)
	}
	return c.Ref(o.Tensor, expr.SubsOf(d.Indices)...)
}

// whole makes an expression over indices an element of an array over just these: as it stands if it is one,
// or by a definition.
func (p *Program) whole(source *expr.Expr, indices []*expr.Index) *expr.Expr {
	x := p.Lower(source, indices)
	if isWhole(x, indices) {
		return x
	}
	if len(x.Free()) == len(indices) && x.Op != expr.Ref {
		if r := p.define(x, source); isWhole(r, indices) {
			return r
		}
	}
	var shape []dsl.Extent
	for _, i := range indices {
		shape = append(shape, i.Range.Hi)
	}
	key := p.c.ApplicationOf(&expr.Application{Operator: &broadcast, Shapes: [][]dsl.Extent{shape}}, []*expr.Expr{x})
	d, ok := p.byKey[key]
	if !ok {
		t := p.c.NewTensor(expr.Tensor{Name: p.invent(x), Kind: expr.DefTensor, Shape: shape, Stage: max(x.Stage(), expr.StageData)})
		d = &expr.Def{Tensor: t, Indices: indices, Body: x}
		t.Def = d
		p.byKey[key] = d
		p.Defs = append(p.Defs, d)
	}
	return p.c.Ref(d.Tensor, expr.SubsOf(indices)...)
}

// broadcast is what is known of an array whose elements do not carry all of its indices.
var broadcast = expr.Operator{Name: "array"}

// isWhole reports whether x is an element of an array over just these indices, in order.
func isWhole(x *expr.Expr, indices []*expr.Index) bool {
	if x.Op != expr.Ref || len(x.Subs) != len(indices) {
		return false
	}
	switch x.Tensor.Kind {
	case expr.DataTensor, expr.GivenTensor, expr.CoordTensor, expr.PriorTensor, expr.QuantityTensor, expr.DefTensor:
	default:
		return false
	}
	for n, i := range indices {
		if x.Subs[n] != (expr.Sub{Index: i}) || x.Tensor.Shape[n] != i.Range.Hi {
			return false
		}
	}
	return true
}

// lowerFamilies lowers what families of arrays are computed from. The inputs become definitions, and what the formulas hold of
// them alone is computed once.
func (p *Program) lowerFamilies() {
	for _, f := range p.post.Families {
		for _, u := range append(f.Inputs[:len(f.Inputs):len(f.Inputs)], f.Local...) {
			t := u.Symbol
			var body *expr.Expr
			if f.Outer == nil || !u.Raw.HasFree(f.Outer) {
				body = p.Lower(u.Raw, nil)
			} else { // an array of all, of which the symbol is one
				body, t.Own = p.whole(u.Raw, f.OuterIndices()), f
			}
			if p.taken[t.Name] > 0 {
				t.Name += "_in"
			}
			p.taken[t.Name] = 1
			t.Kind = expr.DefTensor
			t.Def = &expr.Def{Tensor: t, Body: body}
			p.Defs = append(p.Defs, t.Def)
		}
		f.Lower(func(e *expr.Expr) *expr.Expr { return p.Lower(e, nil) })
		for _, x := range f.Parts {
			if x.Given != nil {
				x.Given = p.lowerGiven(x.Given, f.Index)
			}
		}
	}
}

// lowerGiven lowers a part that others give: what does not change with the index becomes definitions, and no definition reads a part.
func (p *Program) lowerGiven(e *expr.Expr, i *expr.Index) *expr.Expr {
	switch {
	case !e.HasFree(i):
		return p.Lower(e, nil)
	case e.Op == expr.Ref:
		return e
	}
	return p.c.Rebuild(e, func(a *expr.Expr) *expr.Expr { return p.lowerGiven(a, i) }, func(s expr.Sub) expr.Sub { return s })
}
