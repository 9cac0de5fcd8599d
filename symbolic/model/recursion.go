package model

import (
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// define elaborates a definition, or all of the circle that begins with it; where the parameters are drawn, of a draw.
func (p *Posterior) define(l *dsl.Let, drawn bool) {
	if x := p.writtenBy(l); x != nil && !drawn {
		p.restate(x)
		return
	}
	if l.Recursion == nil || l.Recursion.Circle == nil {
		p.el.Objects[l] = p.let(l)
		return
	}
	if circle := l.Recursion.Circle; l == circle.Members[0] {
		// All members are taken for positive; those that then are not, by what their parts are made of, are taken for such no more.
		positive := map[*dsl.Let]bool{}
		for _, m := range circle.Members {
			positive[m] = true
		}
		for !p.circle(circle, positive, drawn) {
		}
	}
}

// circle elaborates the members of a circle, those that are taken for positive as such. It reports whether they are.
func (p *Posterior) circle(circle *dsl.Circle, positive map[*dsl.Let]bool, drawn bool) bool {
	c := p.C
	defer func(was bool) { c.Sharing = was }(c.Sharing)
	c.Sharing = false // what would be shared depends on the recursion
	stage := expr.StageData
	r := &expr.Recursion{Down: circle.Down}
	for q := range circle.Members[0].Params() { // all depend on the same
		_, own := p.ownParam(q)
		switch {
		case drawn:
			stage = expr.StageDraw
		case own:
			stage = expr.StagePosition
		default:
			stage = max(stage, expr.StageGiven)
		}
	}
	for _, m := range circle.Members {
		shape := dsl.ToFront(m.Recursion, m.Type.Shape)
		indices := make([]*expr.Index, len(shape))
		for n, x := range shape {
			indices[n] = c.NewIndex(partIndex(n), expr.UpTo(x))
		}
		t := c.Recursive(r, expr.Tensor{Name: m.ObjectName(), Kind: expr.RecursionTensor, Shape: shape, Stage: stage, Positive: positive[m]}, indices)
		v := expr.Value{Shape: m.Type.Shape, Elem: func(s ...expr.Sub) *expr.Expr { return c.Ref(t, dsl.ToFront(m.Recursion, s)...) }}
		p.el.Objects[m] = v
	}
	own, sound := slices.Clone(r.Members), true
	made := len(own)
	var members []*expr.Tensor
	for n, m := range circle.Members {
		p.at = m.Declared()
		def := own[n].Def
		p.el.Inside = &expr.Member{Of: r, Name: m.ObjectName(), Along: def.Indices[0], Stage: stage}
		body, above0 := p.joined(p.parts(m, def.Indices))
		p.el.Inside = nil
		members = append(append(members, r.Members[made:]...), own[n]) // what the body is made of comes before it
		made = len(r.Members)
		def.Body = body
		if positive[m] && !above0 {
			positive[m], sound = false, false
		}
	}
	r.Members = members
	return sound
}

// ownParam is the parameter of the density of a declaration.
func (p *Posterior) ownParam(q *dsl.Param) (*Param, bool) {
	for _, b := range p.Params {
		if b.Decl == q {
			return b, true
		}
	}
	return nil, false
}

// piece is a part of a definition: the positions that it is of, and the element there at the indices of the definition.
type piece struct {
	of     dsl.Range
	single bool
	e      *expr.Expr
	in     *expr.Expr // 1 at its positions, and 0 elsewhere
}

// parts are those of a definition, at its indices, that of the positions first.
func (p *Posterior) parts(l *dsl.Let, indices []*expr.Index) (out []piece) {
	c, r := p.C, l.Recursion
	for _, x := range r.Local {
		p.el.Objects[x] = p.el.Definition(x)
	}
	add := func(along *dsl.Index, others []*dsl.Index, of dsl.Range, value dsl.Expr, single bool) {
		if p.el.Inside != nil {
			p.el.Inside.Part = of
		}
		p.el.Indices[along] = expr.Sub{Index: indices[0]}
		for n, ix := range others {
			p.el.Indices[ix] = expr.Sub{Index: indices[n+1]}
		}
		e := p.el.Where([]*expr.Expr{c.Within(expr.Sub{Index: indices[0]}, of)}, func() *expr.Expr { return p.el.Expr(value).At() })
		in := c.Within(expr.Sub{Index: indices[0]}, of)
		if single {
			in = c.Delta(expr.Sub{Index: indices[0]}, expr.Sub{At: of.Lo})
		}
		out = append(out, piece{of, single, e, in})
	}
	if r.Along != nil {
		add(r.Along, r.Indices, r.Along.Range, r.Value, false)
	}
	for _, s := range r.Starts {
		add(s.Along, s.Indices, dsl.Range{Lo: s.At, Hi: s.At}, s.Value, true)
	}
	return out
}

// joined is the element of a definition that is made of parts, Σ_s δ[t, at_s]·start_s + [t in range]·step, and whether all of them are positive.
func (p *Posterior) joined(parts []piece) (body *expr.Expr, positive bool) {
	body, positive = p.C.Number(0), true
	for _, x := range parts {
		positive = positive && p.C.Sign(x.e) == expr.Positive
		body = p.C.Add(body, p.C.Mul(x.in, x.e))
	}
	return body, positive
}

// partIndex is what an index over dimension d of a definition in parts is called where the model has no name for it.
func partIndex(d int) string {
	if d == 0 {
		return "t"
	}
	return dsl.IndexName(d)
}
