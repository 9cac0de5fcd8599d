package model

import (
	"fmt"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// solution elaborates a dsl.Solve, or returns what it came to before.
func (p *Posterior) solution(d *dsl.Solve) *expr.Solution {
	for _, s := range p.Solves {
		if s.Decl == d {
			return s
		}
	}
	c := p.C
	order := 2
	switch {
	case p.curved:
		order = 3
	case c.FirstOrder && p.Maps == NoMaps: // a map may hold derivatives of its own
		order = 1
	}
	s := c.NewSolution(d, p.el.Expr(d.From).At(), order)
	if s.Outer != nil {
		p.el.Indices[d.Index] = expr.Sub{Index: s.Outer}
	}
	// An elaborator of its own: what depends on the coordinates is an input.
	el := &expr.Elaborator{C: c, Objects: map[dsl.Object]expr.Value{}, Indices: p.el.Indices, Solve: p.solution}
	for o, v := range p.el.Objects {
		el.Objects[o] = v
	}
	el.Leaf = func(e *expr.Expr) *expr.Expr { return p.input(s, e) }
	for i, v := range d.Ode.Args {
		el.Objects[v] = expr.Scalar(p.local(s, el.Expr(d.Args[i]).At()))
	}
	var init []*expr.Expr
	for _, e := range d.Init {
		init = append(init, p.local(s, el.Expr(e).At()))
	}
	ode := d.Ode
	for i, v := range ode.States {
		s.State(c, v.ObjectName())
		el.Objects[v] = expr.Scalar(c.Ref(s.States[i]))
	}
	if ode.Time != nil {
		s.Time = c.NewTensor(expr.Tensor{Name: ode.Time.ObjectName(), Kind: expr.InnerTensor, Stage: expr.StageMomentum})
		el.Objects[ode.Time] = expr.Scalar(c.Ref(s.Time))
	}
	var rhs []*expr.Expr
	for _, e := range ode.Rhs {
		rhs = append(rhs, el.Expr(e).At())
	}
	p.augment(s, rhs, init)
	s.Scale(c)
	p.Solves, p.Families = append(p.Solves, s), append(p.Families, &s.Family)
	return s
}

// input returns what stands for an element of a parameter or definition inside
// a differential equation: itself if it is known before sampling.
func (p *Posterior) input(s *expr.Solution, e *expr.Expr) *expr.Expr {
	c := p.C
	if e.Stage() < expr.StagePosition {
		return e
	}
	for _, u := range s.Inputs {
		if u.Raw == e {
			return c.Ref(u.Symbol)
		}
	}
	name := fmt.Sprintf("u%d", len(s.Inputs)+1)
	if d := inputName(e); d != "" && !slices.ContainsFunc(s.Inputs, func(u *expr.Input) bool { return u.Symbol.Name == d }) {
		name = d
	}
	u := &expr.Input{Raw: e, Symbol: c.NewTensor(expr.Tensor{Name: name, Kind: expr.LocalTensor, Stage: expr.StagePosition, Positive: c.Sign(e) == expr.Positive})}
	s.Inputs = append(s.Inputs, u)
	return c.Ref(u.Symbol)
}

// local returns an expression in which what is known before sampling, and differs from one value of the outer index to the next, is a number of its own.
func (p *Posterior) local(s *expr.Solution, e *expr.Expr) *expr.Expr {
	c := p.C
	if s.Outer == nil || !e.HasFree(s.Outer) {
		return e
	}
	if e.Stage() >= expr.StagePosition && e.Op != expr.Ref {
		return c.Rebuild(e, func(a *expr.Expr) *expr.Expr { return p.local(s, a) }, func(s expr.Sub) expr.Sub { return s })
	}
	for _, u := range s.Local {
		if u.Raw == e {
			return c.Ref(u.Symbol)
		}
	}
	u := &expr.Input{Raw: e, Symbol: c.NewTensor(expr.Tensor{Name: fmt.Sprintf("d%d", len(s.Local)+1), Kind: expr.LocalTensor, Stage: expr.StagePosition, Positive: c.Sign(e) == expr.Positive})}
	if e.Op == expr.Ref && e.Tensor.Kind == expr.DataTensor {
		u.Symbol.Name = e.Tensor.Name + "_own"
	}
	s.Local = append(s.Local, u)
	return c.Ref(u.Symbol)
}

// inputName makes a name for an input from the one coordinate that it holds.
func inputName(e *expr.Expr) string {
	name, n := "", 0
	expr.Refs(e, func(r *expr.Expr) {
		if r.Tensor.Kind != expr.CoordTensor {
			return
		}
		n++
		name = r.Tensor.Name
		if len(r.Subs) == 1 && r.Subs[0].IsFixed() && r.Subs[0].At.IsConst() {
			name += fmt.Sprintf("_%d", r.Subs[0].At.Offset)
		}
	})
	if n != 1 {
		return ""
	}
	return name
}

// augment derives the augmented system.
func (p *Posterior) augment(s *expr.Solution, rhs, init []*expr.Expr) {
	c := p.C
	n := len(rhs)
	add := func(state int, by []int, f, start *expr.Expr) {
		name := s.Decl.ObjectName() + "_" + s.Decl.Ode.States[state].ObjectName()
		for _, k := range by {
			name += "_" + s.Inputs[k].Symbol.Name
		}
		s.Component(c, name, state, by, f, start)
		if len(by) > 0 {
			s.State(c, name[len(s.Decl.ObjectName())+1:])
		}
	}
	state := func(part *expr.Part) *expr.Expr { return c.Ref(s.States[part.Pos]) }
	for i := range rhs {
		add(i, nil, rhs[i], init[i])
	}
	// d/du_k of g along the solution: g_z S_k + g_uk.
	for k, u := range s.Inputs {
		first := make([]*expr.Expr, n)
		start := make([]*expr.Expr, n)
		parts := len(s.Parts)
		// The states of this order are named before the right sides use them.
		for i := range rhs {
			start[i] = c.Diff(init[i], u.Symbol)
			add(i, []int{k}, nil, start[i])
		}
		for i := range rhs {
			first[i] = c.Diff(rhs[i], u.Symbol)
			for j := range rhs {
				first[i] = c.Add(first[i], c.Mul(c.Diff(rhs[i], s.States[j]), state(s.Parts[parts+j])))
			}
			s.Rhs[parts+i] = first[i]
		}
	}
	if s.Order < 2 {
		return
	}
	for k := range s.Inputs {
		for l := 0; l <= k; l++ {
			parts := len(s.Parts)
			for i := range rhs {
				add(i, []int{k, l}, nil, c.Diff(c.Diff(init[i], s.Inputs[k].Symbol), s.Inputs[l].Symbol))
			}
			for i := range rhs {
				s.Rhs[parts+i] = p.second(s, rhs[i], k, l, s.Parts[parts:])
			}
		}
	}
	if s.Order < 3 {
		return
	}
	known := s.Size(2)
	for k := range s.Inputs {
		for l := 0; l <= k; l++ {
			for m := 0; m <= l; m++ {
				for i := range rhs {
					add(i, []int{k, l, m}, nil, c.Diff(s.Init[s.Part(i, k, l).Pos], s.Inputs[m].Symbol))
				}
			}
		}
	}
	// The total derivative of the right side of ∂²z/∂u_k∂u_l along u_m.
	for _, part := range s.Parts[known:] {
		k, l, m := part.By[0], part.By[1], part.By[2]
		g := s.Rhs[s.Part(part.Base, k, l).Pos]
		total := c.Diff(g, s.Inputs[m].Symbol)
		for _, x := range s.Parts[:known] {
			if e := c.Diff(g, s.States[x.Pos]); !e.IsNum(0) {
				total = c.Add(total, c.Mul(e, state(s.Part(x.Base, append([]int{m}, x.By...)...))))
			}
		}
		s.Rhs[part.Pos] = total
	}
}

// second is the right side of ∂²z/∂u_k∂u_l for one equation g:
// g_z R + g_zz[S_k, S_l] + g_zuk S_l + g_zul S_k + g_ukul.
func (p *Posterior) second(s *expr.Solution, g *expr.Expr, k, l int, parts []*expr.Part) *expr.Expr {
	c := p.C
	n := len(s.Decl.Ode.States)
	uk, ul := s.Inputs[k].Symbol, s.Inputs[l].Symbol
	total := c.Diff(c.Diff(g, uk), ul)
	for i := range n {
		gi := c.Diff(g, s.States[i])
		total = c.Add(total,
			c.Mul(gi, c.Ref(s.States[parts[i].Pos])),
			c.Mul(c.Diff(gi, uk), c.Ref(s.States[s.Part(i, l).Pos])),
			c.Mul(c.Diff(gi, ul), c.Ref(s.States[s.Part(i, k).Pos])))
		for j := range n {
			gij := c.Diff(gi, s.States[j])
			total = c.Add(total, c.Mul(gij, c.Ref(s.States[s.Part(i, k).Pos]), c.Ref(s.States[s.Part(j, l).Pos])))
		}
	}
	return total
}
