package expr

import (
	"slices"

	"github.com/hamc-dev/hamc/dsl"
)

// Recursions. Arrays whose elements are made of elements at other positions of their own,
//
//	h_m[t, …] = f_m(t, …; h[t−1, …], h[t−2, …], …)    for the members m,
//
// are computed together in one pass over t. To the calculus an element is opaque, but for two rules. The forward
// derivative of a member by x is again a recursion, over t and the subscripts of x,
//
//	D_m[t, …, s] = ∂f_m/∂x[s] + Σ ∂f_m/∂h_n[t−k, …] D_n[t−k, …, s],
//
// and the adjoint of a scalar is one that runs the other way (symbolic/recursion.go). Both take time in proportion to the
// recursion itself, and nothing is unrolled.

// Recursion is a set of arrays that are computed together, in order at each position of their first index. A member whose index has a smaller
// range than the others, a draw of one part, is computed there only.
type Recursion struct {
	Members []*Tensor
	Down    bool // from the last position to the first
}

// Reads reports whether an expression reads a member.
func (r *Recursion) Reads(e *Expr) bool {
	found := false
	Refs(e, func(x *Expr) { found = found || slices.Contains(r.Members, x.Tensor) })
	return found
}

// Recursive makes a member of a recursion of a name, without a body yet.
func (c *Context) Recursive(r *Recursion, t Tensor, indices []*Index) *Tensor {
	m := c.NewTensor(t)
	m.Def = &Def{Tensor: m, Indices: indices, Recursion: r}
	r.Members = append(r.Members, m)
	return m
}

// Member is a member of a recursion while its body is elaborated.
type Member struct {
	Of    *Recursion
	Name  string
	Along *Index
	Part  dsl.Range // of the positions of the part that is elaborated
	Stage Stage
}

// InPart is 1 where the position of a recursion is one of a part, and else 0.
func (c *Context) InPart(along *Index, part dsl.Range) *Expr {
	at := Sub{Index: along}
	if part.Lo == part.Hi {
		return c.Delta(at, Sub{At: part.Lo})
	}
	return c.Within(at, part)
}

// hidden makes an expression inside a member of a recursion a member of its own, and returns its element there.
func (c *Context) hidden(in *Member, name string, e *Expr) *Expr {
	indices := []*Index{in.Along}
	for _, f := range e.free {
		if f != in.Along {
			indices = append(indices, f)
		}
	}
	t := Tensor{Name: name, Kind: RecursionTensor, Stage: in.Stage}
	for _, f := range indices {
		t.Shape = append(t.Shape, f.Range.Hi)
	}
	m := c.Recursive(in.Of, t, indices)
	m.Def.Body = c.Mul(c.InPart(in.Along, in.Part), e)
	return c.Ref(m, SubsOf(indices)...)
}

// recursionDiff returns the derivative of an element of a recursion.
func (c *Context) recursionDiff(e *Expr, t *Tensor, at []Sub) *Expr {
	own := e.Tensor.Def
	d, ok := c.derivatives[derivativeKey{e.Tensor, t}]
	if !ok {
		c.recursionTangent(own.Recursion, t)
		d = c.derivatives[derivativeKey{e.Tensor, t}]
	}
	d = c.SubstAll(d, c.along[t], at)
	return c.SubstAll(d, own.Indices, e.Subs)
}

// recursionTangent derives the members of a recursion by t.
func (c *Context) recursionTangent(r *Recursion, t *Tensor) {
	along := c.alongOf(t)
	own := make([]*Index, len(along)) // those of another derivative by t differ
	for n, i := range along {
		own[n] = c.NewIndex(i.Name, i.Range)
	}
	depends := slices.ContainsFunc(r.Members, func(m *Tensor) bool { return Mentions(m.Def.Body, t) })
	tangent := &Recursion{Down: r.Down}
	for _, m := range r.Members {
		key := derivativeKey{m, t}
		if !depends || !m.Passes() {
			c.derivatives[key] = c.Number(0)
			continue
		}
		d := c.Recursive(tangent, Tensor{Name: "d_" + m.Name + "_" + t.Name, Kind: RecursionTensor, Shape: slices.Concat(m.Shape, t.Shape), Stage: max(m.Stage, t.Stage)},
			slices.Concat(m.Def.Indices, own))
		c.derivatives[key] = c.Ref(d, slices.Concat(SubsOf(m.Def.Indices), SubsOf(along))...)
	}
	if !depends {
		return
	}
	defer func(was bool) { c.Sharing = was }(c.Sharing)
	c.Sharing = false // what would be shared depends on the recursion
	n := 0
	for _, m := range r.Members {
		if m.Passes() {
			tangent.Members[n].Def.Body = c.SubstAll(c.Diff(m.Def.Body, t, SubsOf(along)...), along, SubsOf(own))
			n++
		}
	}
}

// Passes reports whether a derivative by a member of a recursion is handed on to what it is made of. What is a constant to derivatives does not.
func (t *Tensor) Passes() bool {
	b := t.Def.Body
	return b.Op != Largest && !(b.Op == Mul && slices.ContainsFunc(b.Args, func(a *Expr) bool { return a.Op == Largest }))
}

// alongOf are the indices that derivatives by a tensor are derived at.
func (c *Context) alongOf(t *Tensor) []*Index {
	along := c.along[t]
	for n := len(along); n < len(t.Shape); n++ {
		along = append(along, c.NewIndex("s", UpTo(t.Shape[n])))
	}
	c.along[t] = along
	return along
}

// Bodies are the expressions that are computed with a definition: its own, or those of its recursion.
func (d *Def) Bodies() []*Expr {
	if d.Recursion == nil {
		return []*Expr{d.Body}
	}
	out := make([]*Expr, len(d.Recursion.Members))
	for n, m := range d.Recursion.Members {
		out[n] = m.Def.Body
	}
	return out
}

// Position is the value of a subscript, of one by data that are declared the number that they hold.
func (c *Context) Position(s Sub) *Expr { return c.number(s) }

// number is the value of a subscript, an element of the numbers 1, 2, 3, … that are computed once of data.
func (c *Context) number(s Sub) *Expr {
	if s.IsFixed() {
		return c.Extent(s.At)
	}
	if s.Data != nil {
		return c.Add(c.Ref(s.Data.Tensor.Source, s.Data.Subs...), c.Number(float64(s.Offset)))
	}
	n := s.Index.Range.Hi.Plus(max(0, s.Offset))
	if c.numbers[n] == nil {
		t := c.NewIndex("t", UpTo(n))
		at := Sub{Index: t}
		m := c.Recursive(&Recursion{}, Tensor{Name: "number", Kind: RecursionTensor, Shape: []dsl.Extent{n}, Stage: StageData, Positive: true}, []*Index{t})
		m.Def.Body = c.Add(c.Delta(at, Sub{At: dsl.Fixed(1)}), c.Mul(c.Within(at, dsl.Range{Lo: dsl.Fixed(2), Hi: n}), c.Add(c.Number(1), c.Ref(m, ShiftSub(at, -1)))))
		c.numbers[n] = m
	}
	return c.Ref(c.numbers[n], s)
}
