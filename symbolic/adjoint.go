package symbolic

import (
	"slices"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// dependsOnPosition reports whether a tensor changes with the coordinates.
func (p *Program) dependsOnPosition(t *expr.Tensor, memo map[*expr.Tensor]bool) bool {
	if t.Kind == expr.CoordTensor {
		return true
	}
	if t.Part != nil {
		return slices.ContainsFunc(t.Behind(), func(u *expr.Expr) bool { return u.Stage() >= expr.StagePosition })
	}
	if t.Kind != expr.DefTensor || t.Stage < expr.StagePosition {
		return false
	}
	if r, ok := memo[t]; ok {
		return r
	}
	r := false
	memo[t] = false // a recursion reads itself
	for _, body := range t.Def.Bodies() {
		expr.Refs(body, func(x *expr.Expr) {
			if t.Def.Recursion == nil || !slices.Contains(t.Def.Recursion.Members, x.Tensor) {
				r = r || p.dependsOnPosition(x.Tensor, memo)
			}
		})
	}
	memo[t] = r
	return r
}

// Adjoint returns, for each parameter block, the derivative of a lowered
// scalar by the block's coordinate at the given subscripts: one reverse sweep
// over the definitions and the families of arrays.
func (p *Program) Adjoint(root *expr.Expr, at [][]expr.Sub) []*expr.Expr {
	c := p.c
	s := &sweep{p: p, stage: root.Stage(), depends: map[*expr.Tensor]bool{}, bars: map[*expr.Tensor]*bar{}}
	s.visit(root, nil, c.Number(1))
	// The families in turn, since an input may be of an earlier one; before each what is not read by its inputs, and may read it.
	defs, first, passed := p.Defs, p.readByInputs(), map[*expr.Def]bool{}
	for k := len(p.post.Families); k >= 0; k-- {
		for n := len(defs) - 1; n >= 0; n-- {
			d := defs[n]
			if passed[d] || first[d] != 0 && first[d] <= k {
				continue
			}
			if d.Recursion == nil {
				passed[d] = true
				s.pass(d)
				continue
			}
			for _, m := range d.Recursion.Members {
				passed[m.Def] = true
			}
			s.passRecursion(d.Recursion)
		}
		if k > 0 {
			s.passFamily(p.post.Families[k-1])
		}
	}
	out := make([]*expr.Expr, len(p.post.Params))
	for n, b := range p.post.Params {
		out[n] = s.at(b.Coord, at[n])
	}
	return out
}

// sweep is a reverse sweep over the definitions of a program.
type sweep struct {
	p       *Program
	stage   expr.Stage            // of the root
	depends map[*expr.Tensor]bool // what dependsOnPosition found
	bars    map[*expr.Tensor]*bar
}

// bar is the derivative of the root by a tensor, at indices of its own, as far as it is known.
type bar struct {
	indices []*expr.Index
	*expr.Total
}

func (s *sweep) total(b *bar) *expr.Expr { return s.p.c.Operand(s.p.c.Settled(b.Sum())) }

// at is the derivative by an element of a tensor.
func (s *sweep) at(t *expr.Tensor, subs []expr.Sub) *expr.Expr {
	c, b := s.p.c, s.bars[t]
	if b == nil {
		return c.Number(0)
	}
	e := s.total(b)
	for m, i := range b.indices {
		e = c.Subst(e, i, subs[m])
	}
	return e
}

// bar is that of a tensor, which may not have been met yet.
func (s *sweep) bar(t *expr.Tensor) *bar {
	b := s.bars[t]
	if b == nil {
		b = &bar{Total: s.p.c.NewTotal()}
		for _, x := range t.Shape {
			b.indices = append(b.indices, s.p.c.NewIndex("a", expr.UpTo(x)))
		}
		s.bars[t] = b
	}
	return b
}

// pass hands the derivative by a definition on to what its body reads.
func (s *sweep) pass(d *expr.Def) {
	p, c := s.p, s.p.c
	bar := s.bars[d.Tensor]
	if bar == nil {
		return
	}
	// The adjoint at the definition's own indices.
	e := s.total(bar)
	if d.Tensor.Atom || d.Tensor.Whole || len(d.Indices) > 0 && (expr.ReadsPart(d.Body) || !few(d.Indices) && sums(d.Body) && sums(e)) || len(d.Indices) == 2 && multiplied(e) {
		e = p.settle(e, bar.indices) // all that the parts of a family, or the factors of a product, share
	}
	fresh := make([]*expr.Index, len(d.Indices))
	body := d.Body
	for m, i := range d.Indices {
		fresh[m] = c.NewIndex(i.Name, i.Range)
		e = c.Subst(e, bar.indices[m], expr.Sub{Index: fresh[m]})
	}
	// The body stays lowered: what it refers to is what its adjoint goes to.
	sharing := c.Sharing
	c.Sharing = false
	for m, i := range d.Indices {
		body = c.Subst(body, i, expr.Sub{Index: fresh[m]})
	}
	c.Sharing = sharing
	if op := body.Apply; body.Op == expr.Apply && op.Operator.Adjoint != nil && (c.FirstOrder || op.Operator.Tangent == "") {
		s.passApplied(d, body, fresh, e)
		return
	}
	s.visit(body, fresh, e)
}

// fewElements is how many elements are so few that nothing is gained where they share a sum.
const fewElements = 16

// few reports whether an array over indices has few elements, whatever the data are.
func few(indices []*expr.Index) bool {
	n := 1
	for _, i := range indices {
		if !i.Range.Hi.IsConst() {
			return false
		}
		n *= i.Range.Hi.Offset
	}
	return n <= fewElements
}

// sums reports whether an expression has a sum in it that it takes turns for.
func sums(e *expr.Expr) bool {
	seen := map[*expr.Expr]bool{}
	var walk func(e *expr.Expr) bool
	walk = func(e *expr.Expr) bool {
		if seen[e] {
			return false
		}
		seen[e] = true
		return e.Op == expr.Sum || slices.ContainsFunc(e.Args, walk)
	}
	return walk(e)
}

// multiplied reports whether an adjoint over two indices is a sum of elements of a product of matrices, each of which takes as many operations as their
// order: what reads the definition at several places is not to compute it at each.
func multiplied(e *expr.Expr) bool {
	terms := []*expr.Expr{e}
	if e.Op == expr.Add {
		terms = e.Args
	}
	return slices.ContainsFunc(terms, func(x *expr.Expr) bool {
		factors := []*expr.Expr{x}
		if x.Op == expr.Mul {
			factors = x.Args
		}
		return slices.ContainsFunc(factors, func(f *expr.Expr) bool {
			return f.Op == expr.Sum && len(f.Free()) == 2 && f.Args[0].Op == expr.Mul && len(expr.Indicators(f.Args[0])) == 0
		})
	})
}

// passApplied hands the derivative e by the value of an operator, at indices, on to its arguments, by the operator's adjoint.
func (s *sweep) passApplied(d *expr.Def, body *expr.Expr, indices []*expr.Index, e *expr.Expr) {
	c := s.p.c
	outer, own := indices[:len(d.Outer())], indices[len(d.Outer()):]
	part := func(t *expr.Tensor, lead []expr.Sub) expr.Value {
		return expr.Value{Shape: t.Shape[len(lead):], Elem: func(at ...expr.Sub) *expr.Expr { return c.Ref(t, slices.Concat(lead, at)...) }}
	}
	x := expr.Applied{Value: part(d.Tensor, expr.SubsOf(outer))}
	x.Bar = expr.Value{Shape: x.Value.Shape, Elem: func(at ...expr.Sub) *expr.Expr { return c.SubstAll(e, own, at) }}
	for n := range body.Apply.Shapes {
		x.Args = append(x.Args, part(body.Apply.Part(body.Args[n], n)))
	}
	for n, by := range body.Apply.Operator.Adjoint(c, x) {
		arg, lead := body.Apply.Part(body.Args[n], n)
		if !s.p.dependsOnPosition(arg, s.depends) {
			continue
		}
		b := s.bar(arg)
		change := by.At(expr.SubsOf(b.indices[len(lead):])...)
		for _, i := range outer {
			// What an argument does not carry changes it at all values.
			if m := slices.Index(lead, expr.Sub{Index: i}); m >= 0 {
				at := expr.Sub{Index: b.indices[m]}
				change = c.Mul(c.Within(at, i.Range), c.Subst(change, i, at))
			} else {
				change = c.Sum(i, change)
			}
		}
		b.Add(change)
	}
}

// passFamily hands the derivatives by the parts of a family on to what its inputs read.
func (s *sweep) passFamily(f *expr.Family) {
	slopes := s.p.slopes(f, func(t *expr.Tensor) *expr.Expr {
		if s.bars[t] == nil {
			return nil
		}
		return s.at(t, expr.SubsOf(f.Indices()))
	})
	for k, slope := range slopes {
		if slope.IsNum(0) {
			continue
		}
		s.visit(swept(f.Inputs[k]), f.OuterIndices(), slope)
	}
}

// swept is an input as a sweep differentiates it: in terms of the coordinates or, where it holds what is shared, of the
// definitions that this has come to.
func swept(u *expr.Input) *expr.Expr {
	if readsShared(u.Raw) {
		return u.Symbol.Def.Body
	}
	return u.Raw
}

// readByInputs numbers the definitions that inputs of families are swept to, by the first of the families, counted from 1.
func (p *Program) readByInputs() map[*expr.Def]int {
	first := map[*expr.Def]int{}
	var walk func(e *expr.Expr, number int)
	walk = func(e *expr.Expr, number int) {
		expr.Refs(e, func(r *expr.Expr) {
			if d := r.Tensor.Def; d != nil && first[d] == 0 {
				first[d] = number
				walk(d.Body, number)
			}
		})
	}
	for k, f := range p.post.Families {
		for _, u := range f.Inputs {
			walk(swept(u), k+1)
		}
	}
	return first
}

// readsShared reports whether e reads a shared definition or a recursion, which no coordinate and no definition of a program is.
func readsShared(e *expr.Expr) bool {
	found := false
	expr.Refs(e, func(r *expr.Expr) {
		found = found || r.Tensor.Kind == expr.SharedTensor || r.Tensor.Kind == expr.RecursionTensor
	})
	return found
}

// visit distributes the derivative e by an expression body that runs over indices.
func (s *sweep) visit(body *expr.Expr, indices []*expr.Index, e *expr.Expr) {
	c := s.p.c
	defer func(was bool) { c.Apart = was }(c.Apart)
	c.Apart = true
	// Of a sum only those terms are differentiated by a tensor that hold it: there may be many
	// of both.
	terms, ks := []*expr.Expr{body}, []float64{1}
	if body.Op == expr.Add {
		terms, ks = body.Args, body.K
	}
	seen, held := s.held(terms)
	for _, t := range seen {
		b := s.bar(t)
		var k []float64
		var by []*expr.Expr
		for _, n := range held[t] {
			d := terms[n]
			if d.Op == expr.Apply {
				d = c.Tangent(d, expr.SubsOf(indices), t, expr.SubsOf(b.indices))
			} else {
				d = c.Diff(d, t, expr.SubsOf(b.indices)...)
			}
			k, by = append(k, ks[n]), append(by, d)
		}
		d := c.Mul(e, c.Linear(0, k, by))
		for _, i := range indices {
			d = c.Sum(i, d)
		}
		b.Add(d)
	}
}

// held lists the tensors that depend on the position in terms, and for each the numbers of the terms that hold it, in
// order.
func (s *sweep) held(terms []*expr.Expr) (seen []*expr.Tensor, held map[*expr.Tensor][]int) {
	held = map[*expr.Tensor][]int{}
	note := func(t *expr.Tensor, term int) {
		in, noted := held[t]
		if !noted && s.p.dependsOnPosition(t, s.depends) {
			seen = append(seen, t)
		}
		if len(in) == 0 || in[len(in)-1] != term {
			held[t] = append(in, term)
		}
	}
	var collect func(e *expr.Expr, term int)
	collect = func(e *expr.Expr, term int) {
		expr.Refs(e, func(r *expr.Expr) {
			// A shared definition is one of an input, which is not lowered.
			behind := r.Tensor.Behind()
			if behind == nil || r.Tensor.Part != nil {
				note(r.Tensor, term)
				return
			}
			for _, e := range behind {
				collect(e, term)
			}
		})
	}
	for n, e := range terms {
		collect(e, n)
	}
	return seen, held
}

// slopes returns the derivatives of a scalar by the inputs of a family, of which bar says the
// derivatives by the parts at its index, nil for 0: Σ_n Σ_s bar_s[n] ∂s[n]/∂u_k. Each
// bar is computed once at a value of the index, for all inputs.
func (p *Program) slopes(f *expr.Family, bar func(*expr.Tensor) *expr.Expr) []*expr.Expr {
	c := p.c
	totals := make([]*expr.Total, len(f.Inputs))
	for k := range totals {
		totals[k] = c.NewTotal()
	}
	for _, part := range f.Parts {
		b := bar(part.Tensor)
		if b == nil || b.IsNum(0) {
			continue
		}
		b = p.settle(b, f.Indices())
		for k := range f.Inputs {
			totals[k].Add(c.Mul(b, part.Derivative(c, k, expr.SubsOf(f.Indices()))))
		}
	}
	out := make([]*expr.Expr, len(totals))
	for k, t := range totals {
		out[k] = c.Sum(f.Index, p.settle(t.Sum(), f.Indices())) // one sum, of all parts
	}
	return out
}

// settle lowers an adjoint at indices of its own to a definition, if it takes an operation.
func (p *Program) settle(e *expr.Expr, indices []*expr.Index) *expr.Expr {
	if e = p.Lower(e, indices); expr.NodeCost(e) >= 1 && p.storable(e) {
		e = p.define(e, nil)
	}
	return e
}
