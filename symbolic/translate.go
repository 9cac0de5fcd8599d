package symbolic

import (
	"fmt"

	"github.com/hamc-dev/hamc/dsl"
)

// value is an elaborated expression of the language: a tensor given by its
// elements. Matrix and vector algebra has become indexed sums.
type value struct {
	shape []dsl.Extent
	elem  func(subs ...Sub) *Expr
	name  string // of the definition that the value is, if it is one
}

// at is the element at subscripts.
func (v value) at(subs ...Sub) *Expr { return v.elem(subs...) }

// scalar is the value of one expression.
func scalar(e *Expr) value { return value{elem: func(...Sub) *Expr { return e }} }

// elaborator turns syntax into indexed expressions. Names resolve through
// names first (the variables of a formula), then through the checked model.
type elaborator struct {
	c       *Context
	names   map[string]value
	objects map[dsl.Object]value
	indices map[*dsl.Index]Sub
	// solve elaborates the solution of a differential equation, once.
	solve func(*dsl.Solve) *Solution
	// draw draws from a distribution; drawing are the indices whose values it
	// is done for anew.
	draw    func(*dsl.CallExpr, []value) value
	drawing []*Index
	// claim, if not nil, sees what is symmetric and positive definite by the words of the model.
	claim func(at dsl.Span, v value)
	// leaf, if not nil, sees every element of a parameter or definition:
	// inside a differential equation they become inputs of it.
	leaf func(*Expr) *Expr
}

func (el *elaborator) fresh(r dsl.Range, name string) *Index { return el.c.NewIndex(name, r) }

// expr elaborates an expression.
func (el *elaborator) expr(e dsl.Expr) value {
	c := el.c
	switch e := e.(type) {
	case *dsl.Number:
		return scalar(c.Number(e.Value))
	case *dsl.Name:
		if v, ok := el.names[e.Name]; ok {
			return v
		}
		v := el.objects[e.Obj]
		v.name = e.Name
		switch e.Obj.(type) {
		case *dsl.Param, *dsl.Let:
			if el.leaf != nil {
				at := v.elem
				v.elem = func(s ...Sub) *Expr { return el.leaf(at(s...)) }
			}
		}
		return v
	case *dsl.FieldExpr:
		return el.component(e)
	case *dsl.IndexExpr:
		base := el.expr(e.Base)
		return el.mapped(e.Type().Shape, func(at []Sub) *Expr { return base.at(el.subs(e.Subscripts, &at)...) })
	case *dsl.UnaryExpr:
		x := el.expr(e.X)
		if e.Op == "'" {
			return el.transpose(x)
		}
		return el.mapped(x.shape, func(subs []Sub) *Expr { return c.Neg(x.at(subs...)) })
	case *dsl.BinaryExpr:
		return el.binary(e)
	case *dsl.SumExpr:
		indices := make([]*Index, len(e.Indices))
		for i, d := range e.Indices {
			indices[i] = el.fresh(d.Index.Range, d.Name)
			el.indices[d.Index] = Sub{Index: indices[i]}
		}
		outer := el.drawing
		el.drawing = append(outer[:len(outer):len(outer)], indices...)
		body := el.expr(e.Body).at()
		el.drawing = outer
		for i := len(indices) - 1; i >= 0; i-- {
			body = c.Sum(indices[i], body)
		}
		return scalar(body)
	case *dsl.CallExpr:
		return el.call(e)
	case *dsl.MatrixExpr:
		return el.matrix(e)
	}
	panic(fmt.Sprintf("symbolic: no way to elaborate %T", e))
}

// matrix is a literal: Σ_rc entry·δ[i,r]·δ[j,c] at the subscripts i and j.
func (el *elaborator) matrix(e *dsl.MatrixExpr) value {
	c := el.c
	entry := func(x dsl.Expr) *Expr { return el.expr(x).at() }
	if el.draw != nil {
		// An entry that draws does so once, whatever is read how often.
		entries := map[dsl.Expr]*Expr{}
		for _, row := range e.Rows {
			for _, x := range row {
				entries[x] = el.expr(x).at()
			}
		}
		entry = func(x dsl.Expr) *Expr { return entries[x] }
	}
	return value{shape: e.Type().Shape, elem: func(s ...Sub) *Expr {
		total := c.Number(0)
		for i, row := range e.Rows {
			for j, x := range row {
				total = c.Add(total, c.Mul(entry(x), c.Delta(s[0], Sub{At: dsl.Fixed(i + 1)}), c.Delta(s[1], Sub{At: dsl.Fixed(j + 1)})))
			}
		}
		return total
	}}
}

func (el *elaborator) mapped(shape []dsl.Extent, f func(subs []Sub) *Expr) value {
	if len(shape) == 0 {
		return scalar(f(nil))
	}
	return value{shape: shape, elem: func(subs ...Sub) *Expr { return f(subs) }}
}

func (el *elaborator) transpose(x value) value {
	return value{shape: []dsl.Extent{x.shape[1], x.shape[0]},
		elem: func(s ...Sub) *Expr { return x.at(s[1], s[0]) }}
}

// pick returns the element of a value that is broadcast over subs.
func pick(v value, subs []Sub) *Expr {
	if len(v.shape) == 0 {
		return v.at()
	}
	return v.at(subs...)
}

func (el *elaborator) binary(e *dsl.BinaryExpr) value {
	c := el.c
	x, y := el.expr(e.X), el.expr(e.Y)
	shape := x.shape
	if len(shape) == 0 {
		shape = y.shape
	}
	over := func(f func(a, b *Expr) *Expr) value {
		return el.mapped(shape, func(subs []Sub) *Expr { return f(pick(x, subs), pick(y, subs)) })
	}
	switch e.Op {
	case "+":
		return over(func(a, b *Expr) *Expr { return c.Add(a, b) })
	case "-":
		return over(c.Sub)
	case ".*":
		return over(func(a, b *Expr) *Expr { return c.Mul(a, b) })
	case "/", "./":
		return over(c.Div)
	case "^", ".^":
		return over(func(a, b *Expr) *Expr { return c.Call("pow", a, b) })
	}
	// Matrix product.
	if len(x.shape) == 0 || len(y.shape) == 0 {
		return over(func(a, b *Expr) *Expr { return c.Mul(a, b) })
	}
	inner := upTo(y.shape[0])
	if len(y.shape) == 1 {
		return value{shape: x.shape[:1], elem: func(s ...Sub) *Expr {
			j := el.fresh(inner, "j")
			return c.Sum(j, c.Mul(x.at(s[0], Sub{Index: j}), y.at(Sub{Index: j})))
		}}
	}
	return value{shape: []dsl.Extent{x.shape[0], y.shape[1]}, elem: func(s ...Sub) *Expr {
		j := el.fresh(inner, "j")
		return c.Sum(j, c.Mul(x.at(s[0], Sub{Index: j}), y.at(Sub{Index: j}, s[1])))
	}}
}

func (el *elaborator) call(e *dsl.CallExpr) value {
	c := el.c
	if e.Func == "delta" {
		at := el.subs(e.Subscripts, nil)
		return scalar(c.Delta(at[0], at[1]))
	}
	if e.Density != nil {
		l, g, _, _, indices := el.logDensity(e.Density)
		return scalar(c.bounded(c.sumAll(indices, l), c.sumAll(indices, g)))
	}
	args := make([]value, len(e.Args))
	var shape []dsl.Extent
	for i, a := range e.Args {
		args[i] = el.expr(a.Expr)
		if len(args[i].shape) > 0 {
			shape = args[i].shape
		}
	}
	if e.Draws != nil {
		return el.draw(e, args)
	}
	switch e.Func {
	case "size":
		return scalar(c.Extent(args[0].shape[0]))
	case "sum", "mean":
		return el.total(e.Func, args[0])
	case "dot":
		i := el.fresh(upTo(args[0].shape[0]), "i")
		return scalar(c.Sum(i, c.Mul(args[0].at(Sub{Index: i}), args[1].at(Sub{Index: i}))))
	case "diag":
		n := args[0].shape[0]
		return value{shape: []dsl.Extent{n, n}, elem: func(s ...Sub) *Expr {
			return c.Mul(args[0].at(s[0]), c.Delta(s[0], s[1]))
		}}
	case "transpose":
		return el.transpose(args[0])
	case "lower_half": // the lower triangle, and half of the diagonal
		own := c.slots(args[0].shape)
		i, j := Sub{Index: own[0]}, Sub{Index: own[1]}
		half := c.enclosed(c.Add(c.Before(j, i), c.Scale(0.5, c.Delta(i, j))), false)
		return value{shape: args[0].shape, elem: func(s ...Sub) *Expr {
			return c.Mul(c.Ref(half.Tensor, s...), args[0].at(s...))
		}}
	case "trace":
		i := el.fresh(upTo(args[0].shape[0]), "i")
		return scalar(c.Sum(i, args[0].at(Sub{Index: i}, Sub{Index: i})))
	}
	if op := operatorOf(e.Func); op != nil {
		if op.Definite && el.claim != nil {
			el.claim(e.Args[0].Expr.Span(), args[0])
		}
		return c.apply(op, args...)
	}
	return el.mapped(shape, func(subs []Sub) *Expr {
		xs := make([]*Expr, len(args))
		for i := range args {
			xs[i] = pick(args[i], subs)
		}
		return c.Call(e.Func, xs...)
	})
}

func (el *elaborator) total(name string, x value) value {
	c := el.c
	subs := make([]Sub, len(x.shape))
	indices := make([]*Index, len(x.shape))
	for d := range x.shape {
		indices[d] = el.fresh(upTo(x.shape[d]), []string{"i", "j"}[d])
		subs[d] = Sub{Index: indices[d]}
	}
	e := x.at(subs...)
	for d := len(indices) - 1; d >= 0; d-- {
		e = c.Sum(indices[d], e)
	}
	if name == "mean" {
		e = c.Div(e, c.Extent(x.shape[0]))
	}
	return scalar(e)
}

// component is s.v: a vector over the times.
func (el *elaborator) component(e *dsl.FieldExpr) value {
	s := el.solve(e.Solve)
	t := s.Parts[e.State].Tensor
	return value{shape: t.Shape, elem: func(subs ...Sub) *Expr {
		x := el.c.Ref(t, subs...)
		if el.leaf != nil {
			return el.leaf(x)
		}
		return x
	}}
}

// subs elaborates subscripts; those that stand for all positions of a dimension
// take the next of the given ones.
func (el *elaborator) subs(list []dsl.Subscript, all *[]Sub) []Sub {
	out := make([]Sub, len(list))
	for n, s := range list {
		switch {
		case s.All:
			out[n] = (*all)[0]
			*all = (*all)[1:]
		case s.Gather != nil:
			out[n] = Sub{Data: el.c.positions(s.Gather.Data, el.subs(s.Gather.Subs, all)), Offset: s.Offset}
		case s.Index != nil:
			out[n] = shiftSub(el.indices[s.Index], s.Offset)
		default:
			out[n] = Sub{At: s.At}
		}
	}
	return out
}

// remembered is a value whose elements are made once for all that is made of them.
func (c *Context) remembered(v value) value {
	at, known := v.elem, map[[2]Sub]*Expr{}
	v.elem = func(s ...Sub) *Expr {
		var key [2]Sub
		copy(key[:], s)
		e, ok := known[key]
		if !ok {
			e = c.operand(at(s...))
			known[key] = e
		}
		return e
	}
	return v
}
