package expr

import (
	"fmt"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
)

// Value is an elaborated expression of the language: a tensor given by its
// elements. Matrix and vector algebra has become indexed sums.
type Value struct {
	Shape []dsl.Extent
	Elem  func(subs ...Sub) *Expr
	name  string // of the definition that the value is, if it is one
}

// At is the element at subscripts.
func (v Value) At(subs ...Sub) *Expr { return v.Elem(subs...) }

// Scalar is the value of one expression.
func Scalar(e *Expr) Value { return Value{Elem: func(...Sub) *Expr { return e }} }

// Elaborator turns syntax into indexed expressions. Names resolve through
// names first (the variables of a formula), then through the checked model.
type Elaborator struct {
	C       *Context
	names   map[string]Value
	Objects map[dsl.Object]Value
	Indices map[*dsl.Index]Sub
	// solve elaborates the solution of a differential equation, once.
	Solve func(*dsl.Solve) *Solution
	// draw draws from a distribution; drawing are the indices whose values it
	// is done for anew.
	Draw    func(*dsl.CallExpr, []Value) Value
	Drawing []*Index
	// claim, if not nil, sees what is symmetric and positive definite by the words of the model.
	Claim func(at dsl.Span, v Value)
	// guards are numbers, 1 where what is elaborated is read and 0 elsewhere, as far as indices and data tell.
	guards []*Expr
	// Inside is the member of a recursion that is elaborated, nil elsewhere.
	Inside *Member
	// leaf, if not nil, sees every element of a parameter or definition:
	// inside a differential equation they become inputs of it.
	Leaf func(*Expr) *Expr
}

func (el *Elaborator) fresh(r dsl.Range, name string) *Index { return el.C.NewIndex(name, r) }

// Expr elaborates an expression.
func (el *Elaborator) Expr(e dsl.Expr) Value {
	c := el.C
	switch e := e.(type) {
	case *dsl.Number:
		return Scalar(c.Number(e.Value))
	case *dsl.Name:
		if v, ok := el.names[e.Name]; ok {
			return v
		}
		if ix, ok := e.Obj.(*dsl.Index); ok {
			return Scalar(c.number(el.Indices[ix]))
		}
		if s, ok := e.Obj.(*dsl.Size); ok {
			return Scalar(c.Extent(s.Extent))
		}
		v := el.Objects[e.Obj]
		v.name = e.Name
		switch e.Obj.(type) {
		case *dsl.Param, *dsl.Let:
			if l, ok := e.Obj.(*dsl.Let); el.Leaf != nil && !(ok && l.Local) {
				at := v.Elem
				v.Elem = func(s ...Sub) *Expr { return el.Leaf(at(s...)) }
			}
		}
		return v
	case *dsl.FieldExpr:
		return el.component(e)
	case *dsl.IndexExpr:
		base := el.Expr(e.Base)
		return el.mapped(e.Type().Shape, func(at []Sub) *Expr { return el.read(e.Subscripts, at, base.At) })
	case *dsl.UnaryExpr:
		x := el.Expr(e.X)
		switch e.Op {
		case "'":
			return el.transpose(x)
		case "not":
			return el.mapped(x.Shape, func(subs []Sub) *Expr { return c.Call("zero", x.At(subs...)) })
		}
		return el.mapped(x.Shape, func(subs []Sub) *Expr { return c.Neg(x.At(subs...)) })
	case *dsl.BinaryExpr:
		return el.binary(e)
	case *dsl.IfExpr:
		return el.conditional(e)
	case *dsl.SumExpr:
		if e.Terms != nil {
			return el.Expr(e.Terms)
		}
		indices := make([]*Index, len(e.Indices))
		for i, d := range e.Indices {
			indices[i] = el.fresh(d.Index.Range, d.Name)
			el.Indices[d.Index] = Sub{Index: indices[i]}
		}
		outer := el.Drawing
		el.Drawing = append(outer[:len(outer):len(outer)], indices...)
		body := el.Where(el.ends(e.Indices), func() *Expr { return el.Expr(e.Body).At() })
		body = el.between(e.Func, e.Indices, body)
		el.Drawing = outer
		for i := len(indices) - 1; i >= 0; i-- {
			body = el.reduce(e.Func, indices[i], body)
		}
		return Scalar(body)
	case *dsl.CallExpr:
		return el.call(e)
	case *dsl.MatrixExpr:
		return el.matrix(e)
	}
	panic(fmt.Sprintf("symbolic: no way to elaborate %T", e))
}

// between is e where indices lie between ends that move, and elsewhere what changes nothing: 0 in a sum, −∞ in a sum of exponentials and a
// maximum, ∞ in a minimum.
func (el *Elaborator) between(reduction string, decls []dsl.IndexDecl, e *Expr) *Expr {
	c := el.C
	for _, g := range el.ends(decls) {
		switch outside := c.Call("log", c.Number(0)); reduction {
		case "sum":
			e = c.Mul(g, e)
		case "min":
			e = c.Call("select", g, e, c.Neg(outside))
		default:
			e = c.Call("select", g, e, outside)
		}
	}
	return e
}

// ends are 1 where indices lie between ends that move, and 0 elsewhere.
func (el *Elaborator) ends(decls []dsl.IndexDecl) (out []*Expr) {
	c := el.C
	for _, d := range decls {
		at := el.Indices[d.Index]
		if s := d.Index.From; s != nil {
			out = append(out, el.read([]dsl.Subscript{*s}, nil, func(end ...Sub) *Expr { return c.Before(ShiftSub(end[0], -1), at) }))
		}
		if s := d.Index.Upto; s != nil {
			out = append(out, el.read([]dsl.Subscript{*s}, nil, func(end ...Sub) *Expr { return c.Before(at, ShiftSub(end[0], 1)) }))
		}
	}
	return out
}

// Where elaborates an element that is read where the guards are not 0.
func (el *Elaborator) Where(guards []*Expr, element func() *Expr) *Expr {
	defer func(was []*Expr) { el.guards = was }(el.guards)
	el.guards = append(el.guards[:len(el.guards):len(el.guards)], guards...)
	return element()
}

// alone lets the elements of a value be elaborated as they are here, wherever they are read.
func (el *Elaborator) alone(v Value) Value {
	at, guards := v.Elem, el.guards
	v.Elem = func(s ...Sub) *Expr {
		defer func(was []*Expr) { el.guards = was }(el.guards)
		el.guards = guards
		return at(s...)
	}
	return v
}

// guarded is a position where it is read, and 1 where it is not, so that it is one everywhere.
func (el *Elaborator) guarded(position *Expr) *Expr {
	c := el.C
	var guards []*Expr
	some := c.Number(1) // the guards that have other indices too, together
	for _, g := range el.guards {
		switch {
		case g.stage > StageData:
		case !slices.ContainsFunc(g.free, func(i *Index) bool { return !position.HasFree(i) }):
			guards = append(guards, g)
		default:
			some = c.Mul(some, g)
		}
	}
	if others := slices.DeleteFunc(slices.Clone(some.free), position.HasFree); len(others) > 0 {
		// It is read where they hold for some of those.
		for _, i := range others {
			j := c.NewIndex(i.Name, i.Range)
			some = c.Sum(j, c.Subst(some, i, Sub{Index: j}))
		}
		guards = append(guards, c.Call("less", c.Number(0), some))
	}
	for _, g := range guards {
		if Fixed(g) || g.Op == Inside || g.Op == Before {
			position = c.Add(c.Number(1), c.Mul(g, c.Sub(position, c.Number(1))))
		} else {
			position = c.Call("select", g, position, c.Number(1))
		}
	}
	return position
}

// matrix is a literal: Σ_rc entry·δ[i,r]·δ[j,c] at the subscripts i and j; of a vector Σ_c entry·δ[j,c].
func (el *Elaborator) matrix(e *dsl.MatrixExpr) Value {
	c := el.C
	if e.Joined != nil {
		return el.joined(e)
	}
	entry := func(x dsl.Expr) *Expr { return el.Expr(x).At() }
	if el.Draw != nil {
		// An entry that draws does so once, whatever is read how often.
		entries := map[dsl.Expr]*Expr{}
		for _, row := range e.Rows {
			for _, x := range row {
				entries[x] = el.Expr(x).At()
			}
		}
		entry = func(x dsl.Expr) *Expr { return entries[x] }
	}
	return el.writtenOut(Value{Shape: e.Type().Shape, Elem: func(s ...Sub) *Expr {
		total := c.Number(0)
		for i, row := range e.Rows {
			for j, x := range row {
				at := c.Delta(s[len(s)-1], Sub{At: dsl.Fixed(j + 1)})
				if len(s) > 1 {
					at = c.Mul(c.Delta(s[0], Sub{At: dsl.Fixed(i + 1)}), at)
				}
				total = c.Add(total, c.Mul(entry(x), at))
			}
		}
		return total
	}})
}

// joined is a vector that is put together: Σ_p [j in the positions of p]·p[j - before].
func (el *Elaborator) joined(e *dsl.MatrixExpr) Value {
	c := el.C
	j := el.fresh(UpTo(e.Type().Shape[0]), "j")
	at, total := Sub{Index: j}, c.Number(0)
	for _, p := range e.Joined {
		of := p.Range()
		in := c.Within(at, of)
		if of.Lo == of.Hi {
			in = c.Delta(at, Sub{At: of.Lo})
		}
		x := el.Where([]*Expr{in}, func() *Expr {
			if p.Moved != nil {
				el.Indices[p.Along] = at
				return el.Expr(p.Moved).At()
			}
			v := el.Expr(p.X)
			if len(v.Shape) == 0 {
				return v.At()
			}
			return v.At(ShiftSub(at, -p.Before.Offset))
		})
		total = c.Add(total, c.Mul(in, x))
	}
	total = c.Operand(total)
	return el.writtenOut(Value{Shape: e.Type().Shape, Elem: func(s ...Sub) *Expr { return c.SubstAll(total, []*Index{j}, s) }})
}

// writtenOut lets a recursion read a value of which elements are written out one by one, as those of a literal are, as an array: it passes its positions with the same numbers
// over and over, of which each would else be a choice among all of them. What is made of elements of the recursion is no array that is computed before it.
func (el *Elaborator) writtenOut(v Value) Value {
	c, at := el.C, v.Elem
	v.Elem = func(s ...Sub) *Expr {
		if el.Inside == nil || !slices.ContainsFunc(s, func(x Sub) bool { return !x.IsFixed() }) {
			return at(s...)
		}
		indices, subs := IndicesOver(c, "i", v.Shape)
		whole := at(subs...)
		if !picks(whole, indices) || el.Inside.Of.Reads(whole) {
			return at(s...)
		}
		return c.SubstAll(c.Kept(whole), indices, s)
	}
	return v
}

// picks reports whether a term of a sum stands at one position of one of the indices only.
func picks(e *Expr, indices []*Index) bool {
	switch e.Op {
	case Add, Mul:
		return e.placed && slices.ContainsFunc(e.Args, func(a *Expr) bool { return picks(a, indices) })
	case Delta:
		a, b := e.Subs[0], e.Subs[1]
		return a.IsFixed() && slices.Contains(indices, b.Index) || b.IsFixed() && slices.Contains(indices, a.Index)
	}
	return false
}

func (el *Elaborator) mapped(shape []dsl.Extent, f func(subs []Sub) *Expr) Value {
	if len(shape) == 0 {
		return Scalar(f(nil))
	}
	return Value{Shape: shape, Elem: func(subs ...Sub) *Expr { return f(subs) }}
}

func (el *Elaborator) transpose(x Value) Value {
	return Value{Shape: []dsl.Extent{x.Shape[1], x.Shape[0]},
		Elem: func(s ...Sub) *Expr { return x.At(s[1], s[0]) }}
}

// Pick returns the element of a value that is broadcast over subs.
func Pick(v Value, subs []Sub) *Expr {
	if len(v.Shape) == 0 {
		return v.At()
	}
	return v.At(subs...)
}

func (el *Elaborator) binary(e *dsl.BinaryExpr) Value {
	if e.Op == "and" || e.Op == "or" {
		return el.logical(e)
	}
	c := el.C
	x, y := el.Expr(e.X), el.Expr(e.Y)
	shape := x.Shape
	if len(shape) == 0 {
		shape = y.Shape
	}
	over := func(f func(a, b *Expr) *Expr) Value {
		return el.mapped(shape, func(subs []Sub) *Expr { return f(Pick(x, subs), Pick(y, subs)) })
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
	if f := c.condition(e.Op); f != nil {
		return over(f)
	}
	// Matrix product.
	if len(x.Shape) == 0 || len(y.Shape) == 0 {
		return over(func(a, b *Expr) *Expr { return c.Mul(a, b) })
	}
	inner := UpTo(y.Shape[0])
	if len(y.Shape) == 1 {
		return Value{Shape: x.Shape[:1], Elem: func(s ...Sub) *Expr {
			j := el.fresh(inner, "j")
			return c.Sum(j, c.Mul(x.At(s[0], Sub{Index: j}), y.At(Sub{Index: j})))
		}}
	}
	shape = []dsl.Extent{x.Shape[0], y.Shape[1]}
	element := func(s ...Sub) *Expr {
		j := el.fresh(inner, "j")
		return c.Sum(j, c.Mul(x.At(s[0], Sub{Index: j}), y.At(Sub{Index: j}, s[1])))
	}
	var whole *Expr
	var at []*Index
	return Value{Shape: shape, Elem: func(s ...Sub) *Expr {
		if whole == nil {
			at = []*Index{el.fresh(UpTo(shape[0]), "i"), el.fresh(UpTo(shape[1]), "k")}
			whole = element(SubsOf(at)...)
			j := el.fresh(inner, "j")
			if x.At(Sub{Index: at[0]}, Sub{Index: j}).stage >= StagePosition && y.At(Sub{Index: j}, Sub{Index: at[1]}).stage >= StagePosition {
				whole = c.OpaqueMatrix(whole, false)
			}
		}
		if whole.Op != Ref {
			return element(s...)
		}
		return c.SubstAll(whole, at, s)
	}}
}

func (el *Elaborator) call(e *dsl.CallExpr) Value {
	c := el.C
	if e.Func == "delta" {
		return Scalar(el.read(e.Subscripts, nil, func(at ...Sub) *Expr { return c.Delta(at[0], at[1]) }))
	}
	if e.Inlined != nil {
		if fn, claim := e.Inlined.Func, el.Claim; fn != nil && fn.Builtin() && claim != nil {
			defer func() { el.Claim = claim }()
			el.Claim = func(_ dsl.Span, v Value) { claim(e.Span(), v) } // the places of its body are none of the model's
		}
		for _, l := range e.Inlined.Lets {
			el.Objects[l] = el.Definition(l)
		}
		return el.Expr(e.Inlined.Value)
	}
	if e.Density != nil {
		l, g, _, _, indices := el.LogDensity(e.Density)
		return Scalar(c.Bounded(c.SumAll(indices, l), c.SumAll(indices, g)))
	}
	args := make([]Value, len(e.Args))
	var shape []dsl.Extent
	for i, a := range e.Args {
		args[i] = el.Expr(a.Expr)
		if len(args[i].Shape) > 0 {
			shape = args[i].Shape
		}
	}
	if e.Draws != nil {
		return el.Draw(e, args)
	}
	if e.Func == "log_sum_exp" && len(args) == 1 {
		return el.total(e.Func, args[0])
	}
	switch e.Func {
	case "size":
		return Scalar(c.Extent(args[0].Shape[0]))
	case "sum", "mean", "max", "min":
		return el.total(e.Func, args[0])
	case "softmax":
		return el.softmax(args[0])
	case "dot":
		i := el.fresh(UpTo(args[0].Shape[0]), "i")
		return Scalar(c.Sum(i, c.Mul(args[0].At(Sub{Index: i}), args[1].At(Sub{Index: i}))))
	case "diag":
		n := args[0].Shape[0]
		return Value{Shape: []dsl.Extent{n, n}, Elem: func(s ...Sub) *Expr {
			return c.Mul(args[0].At(s[0]), c.Delta(s[0], s[1]))
		}}
	case "transpose":
		return el.transpose(args[0])
	case "lower_half": // the lower triangle, and half of the diagonal
		own := c.Slots(args[0].Shape)
		i, j := Sub{Index: own[0]}, Sub{Index: own[1]}
		half := c.enclosed(c.Add(c.Before(j, i), c.Scale(0.5, c.Delta(i, j))), false)
		return Value{Shape: args[0].Shape, Elem: func(s ...Sub) *Expr {
			return c.Mul(c.Ref(half.Tensor, s...), args[0].At(s...))
		}}
	case "trace":
		i := el.fresh(UpTo(args[0].Shape[0]), "i")
		return Scalar(c.Sum(i, args[0].At(Sub{Index: i}, Sub{Index: i})))
	}
	if op := OperatorOf(e.Func); op != nil {
		return el.operator(op, e, args)
	}
	if v, ok := el.wholeQuotient(e); ok {
		args = []Value{v}
	}
	return el.mapped(shape, func(subs []Sub) *Expr {
		xs := make([]*Expr, len(args))
		for i := range args {
			xs[i] = Pick(args[i], subs)
		}
		return c.Call(e.Func, xs...)
	})
}

// operator is the value of an operator of the language.
func (el *Elaborator) operator(op *Operator, e *dsl.CallExpr, args []Value) Value {
	c := el.C
	symmetric := op.Decomposed
	if op.Definite {
		symmetric = 1
	}
	for n, a := range e.Args[:symmetric] {
		if el.Claim != nil && !dsl.Symmetric(a.Expr) {
			el.Claim(a.Expr.Span(), args[n])
		}
	}
	for n, v := range args {
		if len(v.Shape) == 0 { // operators take arrays
			args[n] = Value{Shape: []dsl.Extent{dsl.Fixed(1)}, Elem: func(...Sub) *Expr { return v.At() }}
		}
	}
	if a := e.Args[0].Expr; e.Func == "solve_lower" && len(a.Type().Shape) == 2 && !dsl.LowerTriangular(a) { // a formula of the table has no types
		args[0] = el.Expr(dsl.LowerHalf(a)) // the derivatives are those of what the kernel reads
	}
	if v, ok := c.banded(e.Func, args); ok {
		return v
	}
	if e.Func == "cholesky" {
		return c.Cholesky(args[0])
	}
	return c.Apply(op, args...)
}

// wholeQuotient is the argument of floor(x/y) and ceil(x/y) of whole numbers, away from the whole numbers by 1/(2|y|): the canonical form of a quotient
// may round to the other side of one.
func (el *Elaborator) wholeQuotient(e *dsl.CallExpr) (Value, bool) {
	side, ok := map[string]float64{"floor": 0.5, "ceil": -0.5}[e.Func]
	if !ok {
		return Value{}, false
	}
	b, ok := e.Args[0].Expr.(*dsl.BinaryExpr)
	if !ok || b.Op != "/" && b.Op != "./" || b.X.Type().Base != dsl.Int || b.Y.Type().Base != dsl.Int {
		return Value{}, false
	}
	c, x, y := el.C, el.Expr(b.X), el.Expr(b.Y)
	return el.mapped(e.Type().Shape, func(subs []Sub) *Expr {
		by := Pick(y, subs)
		return c.Add(c.Div(Pick(x, subs), by), c.Div(c.Number(side), c.Call("abs", by)))
	}), true
}

// Definition elaborates a definition that is given as a whole.
func (el *Elaborator) Definition(l *dsl.Let) Value {
	c := el.C
	if len(l.Indices) == 0 {
		return c.Remembered(el.alone(el.Expr(l.Value)))
	}
	formal := make([]*Index, len(l.Indices))
	for i, ix := range l.Indices {
		formal[i] = c.NewIndex(ix.Name, ix.Range)
		el.Indices[ix] = Sub{Index: formal[i]}
	}
	outer := el.Drawing
	el.Drawing = append(outer[:len(outer):len(outer)], formal...)
	body := c.Operand(el.Expr(l.Value).At())
	el.Drawing = outer
	return el.writtenOut(Value{Shape: l.Type.Shape, Elem: func(s ...Sub) *Expr { return c.SubstAll(body, formal, s) }})
}

func (el *Elaborator) total(name string, x Value) Value {
	c := el.C
	subs := make([]Sub, len(x.Shape))
	indices := make([]*Index, len(x.Shape))
	for d := range x.Shape {
		indices[d] = el.fresh(UpTo(x.Shape[d]), dsl.IndexName(d))
		subs[d] = Sub{Index: indices[d]}
	}
	e := x.At(subs...)
	for d := len(indices) - 1; d >= 0; d-- {
		e = el.reduce(name, indices[d], e)
	}
	if name == "mean" {
		e = c.Div(e, c.Extent(x.Shape[0]))
	}
	return Scalar(e)
}

// component is s.v: a vector over the times.
func (el *Elaborator) component(e *dsl.FieldExpr) Value {
	s := el.Solve(e.Solve)
	t := s.Parts[e.State].Tensor
	return Value{Shape: t.Shape, Elem: func(subs ...Sub) *Expr {
		x := el.C.Ref(t, subs...)
		if el.Leaf != nil {
			return el.Leaf(x)
		}
		return x
	}}
}

// read elaborates an element at subscripts. Those that stand for all positions of a dimension take the next of the given ones. A position that is
// computed in the recursion that is elaborated is known where its pass has come to, and no array of positions is: there the element is chosen,
//
//	Σ_j [j is the position] element(j) + log [the position exists],
//
// so that what follows from a position that does not exist is −∞. Only recursions over data have such positions.
func (el *Elaborator) read(list []dsl.Subscript, all []Sub, element func(...Sub) *Expr) *Expr {
	var found []found
	subs := el.subs(list, &all, &found)
	if el.Leaf != nil {
		return el.movingElement(subs, found, element)
	}
	e := element(subs...)
	for n := len(found) - 1; n >= 0; n-- {
		e = el.choose(found[n], e)
	}
	return e
}

// found is an index that stands for a position, and the number that it has to be.
type found struct {
	at *Index
	is *Expr
}

// movingElement is an element at positions that change with the time of a differential equation: of numbers outside what they select from the first or the last.
// Where the number of elements is known it is a sum that is written out, since an element of a parameter is an input.
func (el *Elaborator) movingElement(subs []Sub, found []found, element func(...Sub) *Expr) *Expr {
	if len(found) == 0 {
		return element(subs...)
	}
	c, f := el.C, found[0]
	hi := f.at.Range.Hi
	is := el.clamped(f)
	term := func(at Sub) *Expr {
		put := slices.Clone(subs)
		for n, s := range put {
			if s.Index == f.at {
				put[n] = ShiftSub(at, s.Offset)
			}
		}
		return c.Call("select", c.Call("equal", c.number(at), is), el.movingElement(put, found[1:], element), c.Number(0))
	}
	if !hi.IsConst() {
		return c.Sum(f.at, term(Sub{Index: f.at}))
	}
	total := c.Number(0)
	for n := 1; n <= hi.Offset; n++ {
		total = c.Add(total, term(Sub{At: dsl.Fixed(n)}))
	}
	return total
}

// clamped is the position that stands for a number in a differential equation.
func (el *Elaborator) clamped(f found) *Expr {
	c := el.C
	return c.Call("fmax", c.Call("fmin", f.is, c.Extent(f.at.Range.Hi)), c.Number(1))
}

// choose is the term of a sum whose index is the number that is asked for; −∞ where there is none.
func (el *Elaborator) choose(f found, e *Expr) *Expr {
	c := el.C
	if el.Leaf != nil {
		return c.Sum(f.at, c.Call("select", c.Call("equal", c.number(Sub{Index: f.at}), el.clamped(f)), e, c.Number(0)))
	}
	term := c.Sum(f.at, c.Call("select", c.Call("equal", c.number(Sub{Index: f.at}), f.is), e, c.Number(0)))
	within := c.Call("both", c.Call("less_equal", c.Number(1), f.is), c.Call("less_equal", f.is, c.Extent(f.at.Range.Hi)))
	return c.Add(term, c.Call("log", within))
}

// subs elaborates subscripts, and adds what is found in the recursion that is elaborated.
func (el *Elaborator) subs(list []dsl.Subscript, all *[]Sub, in *[]found) []Sub {
	c := el.C
	inside := func(e *Expr) bool {
		return el.Leaf != nil && e.stage >= StagePosition || el.Inside != nil && el.Inside.Of.Reads(e)
	}
	out := make([]Sub, len(list))
	for n, s := range list {
		switch {
		case s.All:
			out[n] = ShiftSub((*all)[0], s.Offset)
			*all = (*all)[1:]
		case s.Gather != nil && s.Gather.Data == nil:
			v := el.Expr(s.Gather.Value)
			at := make([]Sub, len(v.Shape))
			for d := range at {
				at[d], *all = (*all)[0], (*all)[1:]
			}
			if is := v.At(at...); inside(is) {
				j := el.fresh(UpTo(s.Gather.Size), "j")
				*in = append(*in, found{j, is})
				out[n] = ShiftSub(Sub{Index: j}, s.Offset)
			} else {
				out[n] = Sub{Data: c.computedPosition(el.guarded(is), s.Gather.Size, textOf(s.Gather.Value)+s.Gather.Of), Offset: s.Offset}
			}
		case s.Gather != nil:
			var within []found
			own := c.positions(s.Gather.Data, el.subs(s.Gather.Subs, all, &within))
			out[n] = Sub{Data: own, Offset: s.Offset}
			if len(within) > 0 {
				is := c.Ref(own.Tensor.Source, own.Subs...)
				for k := len(within) - 1; k >= 0; k-- {
					is = el.choose(within[k], is)
				}
				j, up := c.Positions(own)
				*in = append(*in, found{j, c.Add(is, c.Number(float64(up)))})
				out[n] = ShiftSub(Sub{Index: j}, s.Offset-up)
			}
		case s.Index != nil:
			out[n] = ShiftSub(el.Indices[s.Index], s.Offset)
		default:
			out[n] = Sub{At: s.At}
		}
	}
	return out
}

// Remembered is a value whose elements are made once for all that is made of them.
func (c *Context) Remembered(v Value) Value {
	at, known := v.Elem, map[[2]Sub]*Expr{}
	v.Elem = func(s ...Sub) *Expr {
		var key [2]Sub
		copy(key[:], s)
		e, ok := known[key]
		if !ok {
			e = c.Operand(at(s...))
			known[key] = e
		}
		return e
	}
	return v
}

// textOf is the text of a position: of an element that is taken of an array, as a call of a function for each does, that of the array.
func textOf(e dsl.Expr) string {
	if ix, ok := e.(*dsl.IndexExpr); ok && dsl.Text(e) == "" {
		return dsl.Text(dsl.Through(ix.Base))
	}
	return dsl.Text(e)
}
