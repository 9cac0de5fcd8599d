package codegen

import (
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
)

// A loop whose body asks where its index stands, as that over a Markov chain
// does for neighbours that the ends lack, is split: the ends keep the questions,
// the interior has none left.

// maxPeeled is the largest number of statements in a body that is repeated for
// the ends.
const maxPeeled = 24

// peel splits the loops of a list.
func (s *scheduler) peel(list []Stmt) []Stmt {
	var out []Stmt
	for _, st := range list {
		l, ok := st.(*Loop)
		if !ok || l.Below != nil || size(l.Body) > maxPeeled {
			out = append(out, st)
			continue
		}
		inner := l.Index.Range
		for _, st := range l.Body {
			if c, ok := st.(*If); ok {
				for _, e := range c.Conds {
					inner = narrow(inner, e, l.Index)
				}
			}
		}
		if inner == l.Index.Range {
			out = append(out, st)
			continue
		}
		if inner.Lo != l.Index.Range.Lo {
			out = append(out, s.copyLoop(l, inner, head))
		}
		main := s.copyLoop(l, inner, interior)
		main.Body = s.settle(main.Body, main.Index, inner)
		out = append(out, main)
		if inner.Hi != l.Index.Range.Hi {
			out = append(out, s.copyLoop(l, inner, tail))
		}
	}
	return out
}

// size counts statements, those in loops and branches too.
func size(list []Stmt) int {
	n := 0
	for _, st := range list {
		n++
		switch st := st.(type) {
		case *Loop:
			n += size(st.Body)
		case *If:
			n += size(st.Body)
		}
	}
	return n
}

// narrow takes from a range where an indicator of the index is 0, as far as
// that is known at compile time.
func narrow(r dsl.Range, e *symbolic.Expr, i *symbolic.Index) dsl.Range {
	at := e.Subs[0]
	if at.Index != i || e.Op == symbolic.Delta && !e.Subs[1].IsFixed() {
		return r
	}
	if e.Op == symbolic.Delta {
		// The interior is where δ[i, end] is 0.
		switch end := e.Subs[1].At.Plus(-at.Offset); end {
		case i.Range.Lo:
			r.Lo = largest(r.Lo, end.Plus(1))
		case i.Range.Hi:
			r.Hi = least(r.Hi, end.Plus(-1))
		}
		return r
	}
	r.Lo = largest(r.Lo, e.Range.Lo.Plus(-at.Offset))
	r.Hi = least(r.Hi, e.Range.Hi.Plus(-at.Offset))
	return r
}

// largest and least return the first bound where the two cannot be compared.
func largest(a, b dsl.Extent) dsl.Extent {
	if a.Name == b.Name && b.Offset > a.Offset {
		return b
	}
	return a
}

func least(a, b dsl.Extent) dsl.Extent {
	if a.Name == b.Name && b.Offset < a.Offset {
		return b
	}
	return a
}

// copyLoop copies a loop with variables of its own.
func (s *scheduler) copyLoop(l *Loop, inner dsl.Range, part loopPart) *Loop {
	c := &copier{s: s, index: map[*symbolic.Index]*symbolic.Index{}, local: map[*symbolic.Tensor]*symbolic.Tensor{}}
	out := c.loop(l)
	out.Inner, out.Part = inner, part
	return out
}

// copier renames what statements declare.
type copier struct {
	s     *scheduler
	index map[*symbolic.Index]*symbolic.Index
	local map[*symbolic.Tensor]*symbolic.Tensor
}

func (c *copier) loop(l *Loop) *Loop {
	i := c.s.c.NewIndex(l.Index.Name, l.Index.Range)
	c.index[l.Index] = i
	out := *l
	out.Index = i
	if l.Below != nil && c.index[l.Below] != nil {
		out.Below = c.index[l.Below]
	}
	out.Body = c.list(l.Body)
	return &out
}

func (c *copier) list(list []Stmt) []Stmt {
	out := make([]Stmt, len(list))
	for n, st := range list {
		switch st := st.(type) {
		case *Loop:
			out[n] = c.loop(st)
		case *Define:
			out[n] = &Define{T: c.declare(st.T), E: c.expr(st.E)}
		case *Zero:
			out[n] = &Zero{T: c.declare(st.T)}
		case *Assign:
			out[n] = &Assign{T: c.tensor(st.T), Subs: c.subs(st.Subs), E: c.expr(st.E), Add: st.Add}
		case *If:
			conds := make([]*symbolic.Expr, len(st.Conds))
			for m, e := range st.Conds {
				conds[m] = c.expr(e)
			}
			out[n] = &If{Conds: conds, Body: c.list(st.Body)}
		case *Kernel, *Clear:
			out[n] = st
		}
	}
	return out
}

// declare makes a variable of the copy for a local one; definitions keep their
// names, each part having a scope of its own.
func (c *copier) declare(t *symbolic.Tensor) *symbolic.Tensor {
	if t.Kind != symbolic.LocalTensor {
		return t
	}
	x := c.s.local(t.Name, t.Stage)
	c.local[t] = x
	return x
}

func (c *copier) tensor(t *symbolic.Tensor) *symbolic.Tensor {
	if x, ok := c.local[t]; ok {
		return x
	}
	return t
}

func (c *copier) subs(list []symbolic.Sub) []symbolic.Sub {
	out := make([]symbolic.Sub, len(list))
	for n, s := range list {
		if i, ok := c.index[s.Index]; ok {
			s.Index = i
		}
		if s.Data != nil {
			s.Data = c.expr(s.Data)
		}
		out[n] = s
	}
	return out
}

func (c *copier) expr(e *symbolic.Expr) *symbolic.Expr {
	return c.s.c.Renamed(e, c.tensor, c.subs)
}

// settle decides the questions of a body for the interior of its loop: what an
// indicator lets pass is computed without asking, what it holds back is gone.
func (s *scheduler) settle(list []Stmt, i *symbolic.Index, inner dsl.Range) []Stmt {
	var out []Stmt
	gone := map[*symbolic.Tensor]bool{}
	defer func() {
		for _, st := range out {
			switch st := st.(type) {
			case *Define:
				st.E = s.without(st.E, gone)
			case *Assign:
				st.E = s.without(st.E, gone)
			}
		}
	}()
	for n := 0; n < len(list); n++ {
		zero, ok := list[n].(*Zero)
		if !ok || n+1 == len(list) {
			out = append(out, list[n])
			continue
		}
		branch, ok := list[n+1].(*If)
		if !ok {
			out = append(out, list[n])
			continue
		}
		var left []*symbolic.Expr
		never := false
		for _, e := range branch.Conds {
			switch decide(e, i, inner) {
			case 0:
				never = true
			case -1:
				left = append(left, e)
			}
		}
		n++
		switch {
		case never:
			gone[zero.T] = true
		case len(left) > 0:
			out = append(out, zero, &If{Conds: left, Body: branch.Body})
		default:
			last := len(branch.Body) - 1
			if a, ok := branch.Body[last].(*Assign); ok && a.T == zero.T && !a.Add {
				out = append(append(out, branch.Body[:last]...), &Define{T: a.T, E: a.E})
			} else {
				out = append(append(out, zero), branch.Body...)
			}
		}
	}
	return out
}

// without is e with some variables 0.
func (s *scheduler) without(e *symbolic.Expr, gone map[*symbolic.Tensor]bool) *symbolic.Expr {
	if len(gone) == 0 {
		return e
	}
	return s.c.Replace(e, func(r *symbolic.Expr) *symbolic.Expr {
		if gone[r.Tensor] {
			return s.c.Number(0)
		}
		return r
	})
}

// decide returns the value of an indicator in the interior, or −1.
func decide(e *symbolic.Expr, i *symbolic.Index, inner dsl.Range) int {
	at := e.Subs[0]
	if at.Index != i || e.Op == symbolic.Delta && !e.Subs[1].IsFixed() {
		return -1
	}
	if e.Op == symbolic.Delta {
		end := e.Subs[1].At.Plus(-at.Offset)
		if end.Name == inner.Lo.Name && end.Offset < inner.Lo.Offset || end.Name == inner.Hi.Name && end.Offset > inner.Hi.Offset {
			return 0
		}
		return -1
	}
	lo, hi := e.Range.Lo.Plus(-at.Offset), e.Range.Hi.Plus(-at.Offset)
	if largest(inner.Lo, lo) == inner.Lo && lo.Name == inner.Lo.Name && least(inner.Hi, hi) == inner.Hi && hi.Name == inner.Hi.Name {
		return 1
	}
	return -1
}
