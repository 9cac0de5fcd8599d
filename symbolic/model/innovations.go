package model

import (
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Innovations. A chain x may be written by its innovations z, as is the custom where a sampler does not follow the scale of a chain:
//
//	x[t] = f(x[t−1], …) + s z[t],   z[t] ~ normal(0, 1).
//
// Data say something of x[t], and next to nothing of one z[t]: of these they know sums. So x is the latent vector, with the prior x[t] ~ normal(f(x[t−1], …), s), as if the
// model said so; and z[t] = (x[t] − f(x[t−1], …))/s, which draws show, is a function of it. Elements of z that no part of the chain reads are their own plain coordinates. The same holds of
// a vector that has a prior of any mean and scale, of which a chain is the running sum; of a chain of a chain; and of several that are made of each other. A chain of positive
// numbers, as N[t] = N[t−1]*exp(r + s*z[t]), is one of their logarithms.
//
// What a recursion or a differential equation makes of functions of mu + s z[j], without a chain, is measured of such a number, which is x then: of z it would be known only where s is.

// innovations are a vector z by which a definition is written, with x in its place.
type innovations struct {
	of      *dsl.Let
	b       *Param        // whose values z are, or x of another chain
	z, x    *expr.Tensor  // of one shape; x is nil where it is the plain coordinates
	leaf    *expr.Tensor  // stands for z in the parts of the definition
	own     *expr.Tensor  // and that for the definition
	indices []*expr.Index // of the definition, that of the positions first
	at      []*expr.Index // of z and x
	from    []int         // which of the definition's each dimension of z is along
	shift   int           // the position of z less that of the definition
	links   []link        // the parts that read z
	read    []dsl.Range   // the positions of z that they read, in order, those that adjoin together
	bare    []dsl.Range   // and those that none reads
	log     bool          // x are the logarithms of the definition
	value   *expr.Expr    // of the definition at its indices, by x
	plain   *expr.Expr    // x at the indices, where z stands in the place of coordinates, and the plain ones of others in theirs
}

// link is a part of a chain at its indices: x is rest + slope z there.
type link struct {
	piece
	slope, rest *expr.Expr
}

// mostPieces bounds the parts of a chain: each is a prior with derivatives of its own.
const mostPieces = 4

// written is a pair of a parameter and a definition that may be written by it.
type written struct {
	param *dsl.Param
	by    *dsl.Let
}

// chainsOf are the pairs of a model: recursions that the density depends on, or other definitions where recursions or differential equations read latent parameters, and vectors of real numbers that
// they read themselves, or by a definition of which that is so.
func chainsOf(m *dsl.Model, latents []*dsl.Param) (out []written) {
	if len(latents) == 0 {
		return nil
	}
	seen, hidden := m.DensityLets(), m.Hidden()
	hides := slices.ContainsFunc(latents, func(q *dsl.Param) bool { return hidden[q] })
	for n, l := range m.Lets {
		if !seen[l] || l.Local && l.Recursion == nil || l.Recursion != nil && l.Recursion.Circle == nil || l.Recursion == nil && !hides {
			continue
		}
		params, lets := l.Reads()
		for _, q := range latents {
			read := func(o *dsl.Let) bool {
				own, _ := o.Reads()
				return own[q] && !o.Local && !together(l, o)
			}
			own := params[q] && !slices.ContainsFunc(m.Lets[:n], read)
			own = own || slices.ContainsFunc(out, func(x written) bool { return x.param == q && lets[x.by] && !together(l, x.by) })
			if own && TransformOf(q) == unbounded && len(q.Type.Shape) == len(l.Type.Shape) {
				out = append(out, written{q, l})
			}
		}
	}
	return ofWholeCircles(out)
}

// ofWholeCircles are pairs but for those of circles of which not each member has one of its own.
func ofWholeCircles(chains []written) []written {
	return slices.DeleteFunc(slices.Clone(chains), func(x written) bool {
		return slices.ContainsFunc(members(x.by), func(l *dsl.Let) bool {
			return !slices.ContainsFunc(chains, func(o written) bool { return o.by == l && (l == x.by || o.param != x.param) })
		})
	})
}

// members are the definitions of the circle that one is of: it alone where it reads nothing of its own.
func members(l *dsl.Let) []*dsl.Let {
	if l.Recursion == nil || l.Recursion.Circle == nil {
		return []*dsl.Let{l}
	}
	return l.Recursion.Circle.Members
}

// together reports whether two definitions are of one circle.
func together(a, b *dsl.Let) bool { return slices.Contains(members(a), b) }

// unchain takes away the pair that turned out to be none, or else those of parameters without a map as such. It reports whether there was one: the parameter may be what it is declared as.
func (p *Posterior) unchain(found []*dsl.Param) bool {
	left := len(p.chains)
	if p.unchained != nil {
		p.chains = ofWholeCircles(slices.DeleteFunc(p.chains, func(x written) bool { return x == *p.unchained }))
		return len(p.chains) < left
	}
	for _, b := range p.Params {
		for _, x := range b.innovations {
			if !slices.Contains(found, b.Decl) {
				p.chains = slices.DeleteFunc(p.chains, func(o written) bool { return o == written{b.Decl, x.of} })
			}
		}
	}
	p.chains = ofWholeCircles(p.chains)
	return len(p.chains) < left
}

// innovate takes a latent vector for the innovations of the definitions that are left of its pairs: the first that has no other, and those that are made of it in turn.
func (p *Posterior) innovate(b *Param) {
	for _, x := range p.chains {
		if x.param == b.Decl && p.writtenBy(x.by) == nil {
			b.innovations = append(b.innovations, &innovations{of: x.by, b: b})
		}
	}
}

// tensors makes what innovations and chains are, without definitions yet.
func (b *Param) tensors(c *expr.Context) {
	t := expr.Tensor{Name: b.Decl.Name, Kind: expr.LocalTensor, Shape: b.Decl.Type.Shape, Stage: expr.StagePosition}
	b.values = c.NewTensor(t)
	z := b.values
	for k, x := range b.innovations {
		t.Name = x.of.ObjectName()
		x.z = z
		if k < len(b.innovations)-1 {
			x.x = c.NewTensor(t)
		}
		z = x.x
	}
}

// chained reports whether a parameter is the innovations of a recursion.
func (b *Param) chained() bool {
	return slices.ContainsFunc(b.innovations, func(x *innovations) bool { return x.of.Recursion != nil })
}

// writtenBy are the innovations of a definition, or nil.
func (p *Posterior) writtenBy(l *dsl.Let) *innovations {
	for _, b := range p.Params {
		for _, x := range b.innovations {
			if x.of == l {
				return x
			}
		}
	}
	return nil
}

// restate defines the chains of a circle, of which one is given, by what stands in the place of their innovations, and these by that. Where there is no such definition unchained says so.
func (p *Posterior) restate(first *innovations) {
	c := p.C
	all := members(first.of)
	if first.of != all[0] {
		return
	}
	defer func(was bool) { c.Sharing = was }(c.Sharing)
	c.Sharing = false
	p.at = first.of.Declared()
	var chains []*innovations
	for _, l := range all {
		x := p.writtenBy(l)
		if x == nil || slices.ContainsFunc(chains, func(o *innovations) bool { return o.b == x.b }) {
			p.unchained = &written{first.b.Decl, first.of}
			return
		}
		chains = append(chains, x)
	}
	if first.of.Recursion == nil {
		if p.restatedPlainly(first) {
			return
		}
	} else {
		for _, log := range []bool{false, true} {
			if p.restated(chains, log) {
				return
			}
		}
	}
	p.unchained = &written{first.b.Decl, first.of}
}

// restated is restate, of numbers or of their logarithms; it reports whether it could be.
func (p *Posterior) restated(chains []*innovations, log bool) bool {
	c := p.C
	r := &expr.Recursion{}
	was := map[dsl.Object]expr.Value{}
	defer func() {
		for o, v := range was {
			p.el.Objects[o] = v
		}
	}()
	for _, x := range chains {
		l, b := x.of, x.b
		x.log = log
		x.begin(c, dsl.ToFront(l.Recursion, l.Type.Shape))
		r.Members = append(r.Members, x.own)
		p.el.Objects[l] = expr.Value{Shape: l.Type.Shape, Elem: func(s ...expr.Sub) *expr.Expr { return c.Ref(x.own, dsl.ToFront(l.Recursion, s)...) }}
		if x.z == b.values {
			was[b.Decl] = p.el.Objects[b.Decl]
			p.el.Objects[b.Decl] = expr.Value{Shape: x.z.Shape, Elem: func(s ...expr.Sub) *expr.Expr { return c.Ref(x.leaf, s...) }}
		}
	}
	var all [][]piece
	for _, x := range chains {
		p.el.Inside = &expr.Member{Of: r, Name: x.of.ObjectName(), Along: x.indices[0], Stage: expr.StagePosition}
		pieces := p.parts(x.of, x.indices)
		p.el.Inside = nil
		for n := range pieces {
			pieces[n].e = c.Inlined(pieces[n].e)
			if log && c.Sign(pieces[n].e) != expr.Positive {
				return false
			}
		}
		all = append(all, pieces)
	}
	if len(r.Members) > len(chains) || slices.ContainsFunc(all, func(pieces []piece) bool { return len(pieces) > mostPieces }) {
		return false // of sums in it that are members of their own nothing can be asked
	}
	for n, x := range chains {
		if !p.takeLinks(x, all[n], chains) {
			return false
		}
	}
	if !p.plainOf(chains, all) {
		return false
	}
	byX := func(e *expr.Expr) *expr.Expr {
		return c.Replace(e, func(r *expr.Expr) *expr.Expr {
			for _, x := range chains {
				if r.Tensor == x.own {
					return c.SubstAll(x.value, x.indices, r.Subs)
				}
			}
			return r
		})
	}
	for _, x := range chains {
		for n := range x.links {
			k := &x.links[n]
			k.slope, k.rest = byX(k.slope), byX(k.rest)
		}
		p.el.Objects[x.of] = expr.Value{Shape: x.of.Type.Shape, Elem: func(s ...expr.Sub) *expr.Expr { return c.SubstAll(x.value, x.indices, dsl.ToFront(x.of.Recursion, s)) }}
		x.define(c)
	}
	return true
}

// restatedPlainly is restate of a definition that is no recursion: x is the number mu + s*z[j] that it is a function of. It reports whether there is one.
func (p *Posterior) restatedPlainly(x *innovations) bool {
	c, l, b := p.C, x.of, x.b
	x.begin(c, l.Type.Shape)
	if x.z != b.values {
		return false
	}
	was := p.el.Objects[b.Decl]
	p.el.Objects[b.Decl] = expr.Value{Shape: x.z.Shape, Elem: func(s ...expr.Sub) *expr.Expr { return c.Ref(x.leaf, s...) }}
	for d, i := range l.Indices {
		p.el.Indices[i] = expr.Sub{Index: x.indices[d]}
	}
	v := p.el.Expr(l.Value)
	if len(l.Indices) == 0 {
		v = expr.Scalar(expr.Pick(v, expr.SubsOf(x.indices)))
	}
	e := c.Inlined(v.At())
	p.el.Objects[b.Decl] = was
	by, parts, stand, ok := p.linearParts(e, func(e *expr.Expr) bool { return expr.Mentions(e, x.leaf) }, func(e *expr.Expr) bool {
		d := c.Diff(e, x.leaf, expr.SubsOf(x.at)...)
		return known(d) && !expr.Mentions(d, x.leaf)
	})
	if !ok || len(parts) != 1 || parts[0].Op == expr.Ref {
		return false
	}
	inner := parts[0]
	all := piece{of: x.indices[0].Range, e: inner, in: c.Number(1)}
	if !p.takeLinks(x, []piece{all}, []*innovations{x}) || len(x.bare) > 0 {
		return false
	}
	x.value = c.Replace(by, replacing(stand, []*expr.Expr{x.element(x.atLink())}))
	plain := c.Substituted(inner, func(r *expr.Expr) *expr.Expr {
		if r.Tensor == x.leaf {
			return c.Ref(b.Coord, r.Subs...)
		}
		return p.inPlain(r)
	})
	if p.mentionsPlain(plain) {
		return false
	}
	x.plain = c.SubstAll(plain, x.indices, x.ofChain(expr.SubsOf(x.at)))
	p.el.Objects[l] = expr.Value{Shape: l.Type.Shape, Elem: func(s ...expr.Sub) *expr.Expr { return c.SubstAll(x.value, x.indices, s) }}
	x.define(c)
	return true
}

// begin makes the indices of a definition of a shape, and what stands for it and its innovations while it is looked at.
func (x *innovations) begin(c *expr.Context, shape []dsl.Extent) {
	x.indices, x.at, x.links = nil, nil, nil
	for n, size := range shape {
		x.indices = append(x.indices, c.NewIndex(partIndex(n), expr.UpTo(size)))
	}
	for _, size := range x.z.Shape {
		x.at = append(x.at, c.NewIndex("i", expr.UpTo(size)))
	}
	x.own = c.NewTensor(expr.Tensor{Name: x.of.ObjectName(), Kind: expr.LocalTensor, Shape: shape, Stage: expr.StagePosition, Positive: x.log})
	x.leaf = x.z
	if x.z == x.b.values {
		x.leaf = c.NewTensor(expr.Tensor{Name: x.b.Decl.Name, Kind: expr.LocalTensor, Shape: x.z.Shape, Stage: expr.StagePosition})
	}
}

// atLink are the subscripts of z at the indices of the definition.
func (x *innovations) atLink() []expr.Sub {
	var out []expr.Sub
	for _, n := range x.from {
		s := expr.Sub{Index: x.indices[n]}
		if n == 0 {
			s = expr.ShiftSub(s, x.shift)
		}
		out = append(out, s)
	}
	return out
}

// mentionsPlain reports whether an expression has plain coordinates in it, by way of a recursion.
func (p *Posterior) mentionsPlain(e *expr.Expr) bool {
	return slices.ContainsFunc(p.Params, func(o *Param) bool {
		return slices.ContainsFunc(o.plain, func(t *expr.Tensor) bool { return expr.Mentions(e, t) })
	})
}

// takeLinks finds the links of a chain among its parts, how z is placed in them, and the value of the chain. It reports whether there are such.
func (p *Posterior) takeLinks(x *innovations, pieces []piece, chains []*innovations) bool {
	c := p.C
	value := c.Number(0)
	var at []expr.Sub // the subscripts of z
	made := func(e *expr.Expr) bool {
		return slices.ContainsFunc(chains, func(o *innovations) bool { return expr.Mentions(e, o.own) })
	}
	others := func(e *expr.Expr) bool {
		return slices.ContainsFunc(chains, func(o *innovations) bool { return o != x && expr.Mentions(e, o.leaf) })
	}
	for _, part := range pieces {
		scaled := part.e
		if x.log {
			scaled = c.Call("log", scaled)
		}
		if others(scaled) {
			return false
		}
		if !expr.Mentions(part.e, x.leaf) {
			if made(part.e) {
				return false
			}
			value = c.Add(value, c.Mul(part.in, scaled))
			continue
		}
		alike := true
		expr.Refs(part.e, func(r *expr.Expr) {
			if r.Tensor == x.leaf {
				subs := x.atPosition(r.Subs, part)
				alike = alike && (at == nil || slices.Equal(at, subs))
				at = subs
			}
		})
		u := c.NewTensor(expr.Tensor{Name: "u", Kind: expr.LocalTensor, Stage: expr.StagePosition})
		by := func(e, to *expr.Expr) *expr.Expr {
			return c.Replace(e, func(r *expr.Expr) *expr.Expr {
				if r.Tensor == x.leaf || r.Tensor == u {
					return to
				}
				return r
			})
		}
		e := by(scaled, c.Ref(u))
		slope := c.Diff(e, u)
		if !alike || !known(slope) || expr.Mentions(slope, u) || made(slope) || expr.Mentions(e, x.leaf) || c.Sign(slope) != expr.Positive {
			return false
		}
		x.links = append(x.links, link{piece: part, slope: slope, rest: by(e, c.Number(0))})
	}
	return x.place(c, value, at)
}

// atPosition are subscripts where the position of a part with one is written by the index of positions.
func (x *innovations) atPosition(subs []expr.Sub, part piece) []expr.Sub {
	out := slices.Clone(subs)
	for d, s := range out {
		if part.single && s.IsFixed() && s.At.Name == part.of.Lo.Name {
			out[d] = expr.Sub{Index: x.indices[0], Offset: s.At.Offset - part.of.Lo.Offset}
		}
	}
	return out
}

// place finds where z stands by its subscripts in the parts of a chain, and adds x to the value of the chain elsewhere. It reports whether each index of the chain is one of z.
func (x *innovations) place(c *expr.Context, value *expr.Expr, at []expr.Sub) bool {
	x.from = nil
	for d, s := range at {
		n := slices.Index(x.indices, s.Index)
		if s.Index == nil || n < 0 || slices.Contains(x.from, n) || n > 0 && (s.Offset != 0 || x.indices[n].Range != x.at[d].Range) {
			return false
		}
		if n == 0 {
			x.shift = s.Offset
		}
		x.from = append(x.from, n)
	}
	if !slices.Contains(x.from, 0) || !x.cover() {
		return false
	}
	for _, r := range x.read {
		value = c.Add(value, c.Mul(c.Within(at[x.along()], r), x.element(at)))
	}
	if x.log {
		value = c.Call("exp", value)
	}
	x.value = value
	return true
}

// element is an element of x.
func (x *innovations) element(at []expr.Sub) *expr.Expr {
	if x.x == nil {
		return x.b.Plain(at...)
	}
	return x.b.c.Ref(x.x, at...)
}

// along is the dimension of z that is along the positions.
func (x *innovations) along() int { return slices.Index(x.from, 0) }

// shifted is a range of positions of the chain as one of z.
func (x *innovations) shifted(r dsl.Range) dsl.Range {
	return dsl.Range{Lo: r.Lo.Plus(x.shift), Hi: r.Hi.Plus(x.shift)}
}

// cover finds which positions of z links read. It reports whether they are known.
func (x *innovations) cover() bool {
	x.read, x.bare = nil, nil
	all := x.at[x.along()].Range
	next := all.Lo
	left := slices.Clone(x.links)
	for len(left) > 0 {
		first := -1 // of those that are left
		for n, k := range left {
			if lo := x.shifted(k.of).Lo; lo.Name == next.Name && lo.Offset >= next.Offset && (first < 0 || lo.Offset < x.shifted(left[first].of).Lo.Offset) {
				first = n
			}
		}
		if first < 0 {
			return false
		}
		r := x.shifted(left[first].of)
		if r.Lo != next {
			x.bare = append(x.bare, dsl.Range{Lo: next, Hi: r.Lo.Plus(-1)})
		}
		if last := len(x.read) - 1; last >= 0 && r.Lo == next {
			x.read[last].Hi = r.Hi
		} else {
			x.read = append(x.read, r)
		}
		next = r.Hi.Plus(1)
		left = slices.Delete(left, first, first+1)
	}
	end := all.Hi.Plus(1)
	if next.Name != end.Name || next.Offset > end.Offset {
		return false
	}
	if next != end {
		x.bare = append(x.bare, dsl.Range{Lo: next, Hi: all.Hi})
	}
	return true
}

// ofChain are the subscripts of the chain at those of z.
func (x *innovations) ofChain(z []expr.Sub) []expr.Sub {
	out := make([]expr.Sub, len(z))
	for d, n := range x.from {
		out[n] = z[d]
		if n == 0 {
			out[n] = expr.ShiftSub(z[d], -x.shift)
		}
	}
	return out
}

// define defines z by x.
func (x *innovations) define(c *expr.Context) {
	at := expr.SubsOf(x.at)
	own, body := x.element(at), c.Number(0)
	for _, k := range x.links {
		there := func(e *expr.Expr) *expr.Expr { return c.SubstAll(e, x.indices, x.ofChain(at)) }
		body = c.Add(body, c.Mul(c.Within(at[x.along()], x.shifted(k.of)), c.Div(c.Sub(own, there(k.rest)), there(k.slope))))
	}
	for _, r := range x.bare {
		body = c.Add(body, c.Mul(c.Within(at[x.along()], r), own))
	}
	body, formal := c.CloseAs(body, x.at)
	x.z.Kind, x.z.Def = expr.SharedTensor, &expr.Def{Tensor: x.z, Indices: formal, Body: body}
}

// plainOf finds x by z: the chains as they are written, where the plain coordinates of all stand in the place of coordinates. It reports whether that can be written.
func (p *Posterior) plainOf(chains []*innovations, all [][]piece) bool {
	c := p.C
	r := &expr.Recursion{Down: chains[0].of.Recursion.Circle.Down}
	twins := map[*expr.Tensor]*expr.Tensor{}
	for _, x := range chains {
		twins[x.own] = c.Recursive(r, expr.Tensor{Name: x.own.Name, Kind: expr.RecursionTensor, Shape: x.own.Shape, Stage: expr.StagePosition, Positive: x.log}, x.indices)
		twins[x.leaf] = x.b.Coord
	}
	var bodies []*expr.Expr
	for n := range chains {
		parts := slices.Clone(all[n])
		for k := range parts {
			e := c.Substituted(parts[k].e, func(r *expr.Expr) *expr.Expr {
				if t := twins[r.Tensor]; t != nil {
					return c.Ref(t, r.Subs...)
				}
				return p.inPlain(r)
			})
			if p.mentionsPlain(e) {
				return false
			}
			parts[k].e = e
		}
		body, _ := p.joined(parts)
		bodies = append(bodies, body)
	}
	for n, x := range chains {
		twins[x.own].Def.Body = bodies[n]
		at := expr.SubsOf(x.at)
		e := c.Ref(twins[x.own], x.ofChain(at)...)
		if x.log {
			e = c.Call("log", e)
		}
		x.plain = c.Number(0)
		for _, k := range x.read {
			x.plain = c.Add(x.plain, c.Mul(c.Within(at[x.along()], k), e))
		}
		for _, k := range x.bare {
			x.plain = c.Add(x.plain, c.Mul(c.Within(at[x.along()], k), c.Ref(x.b.Coord, at...)))
		}
	}
	return true
}

// inPlain is a reference where plain coordinates stand in the place of coordinates.
func (p *Posterior) inPlain(r *expr.Expr) *expr.Expr {
	for _, o := range p.Params {
		if n := slices.Index(o.plain, r.Tensor); n >= 0 {
			return p.C.Ref(o.Coord, o.Part(n, r.Subs...)...)
		}
	}
	return r
}

// locationScale are distributions whose last two arguments are a location and a scale: with z also rest + slope z has one, of the location rest + slope mu and the scale slope sigma.
var locationScale = []string{"normal", "student_t", "cauchy", "logistic", "double_exponential"}

// restatePriors puts priors of chains in the place of those of their innovations. It reports whether each of these has some.
func (p *Posterior) restatePriors() bool {
	c := p.C
	p.chainDensity, p.chainJacobian = c.Number(0), c.Number(0)
	for _, b := range p.Params {
		for _, x := range b.innovations {
			var terms []*PosteriorTerm
			found := false
			for _, t := range p.Terms {
				if t.Term.Dist == nil || len(t.Left.Shape) > 0 || t.Left.At().Op != expr.Ref || t.Left.At().Tensor != x.z {
					terms = append(terms, t)
					continue
				}
				list, ok := p.restatePrior(x, t)
				if !ok {
					p.unchained = &written{b.Decl, x.of}
					return false
				}
				terms, found = append(terms, list...), true
			}
			if !found {
				p.unchained = &written{b.Decl, x.of}
				return false
			}
			p.Terms = terms
			for _, k := range x.links {
				p.chainJacobian = c.Add(p.chainJacobian, c.SumAll(x.indices, c.Mul(k.in, c.Call("log", k.slope))))
			}
		}
	}
	return true
}

// restatePrior is that of one term: as many as there are parts of the chain that its elements are innovations of.
func (p *Posterior) restatePrior(x *innovations, t *PosteriorTerm) (out []*PosteriorTerm, ok bool) {
	c, left := p.C, t.Left.At()
	dist, args := t.Term.Dist, t.Args
	if dist.Name == "std_normal" {
		dist, args = dsl.LookupDistribution("normal"), []expr.Value{expr.Scalar(c.Number(0)), expr.Scalar(c.Number(1))}
	}
	if !slices.Contains(locationScale, dist.Name) || t.Term.Lo != nil || t.Term.Hi != nil || t.Term.Tail != dsl.NoTail {
		return nil, false
	}
	var indices []*expr.Index // of the term, in the order of the dimensions of z
	for d, s := range left.Subs {
		along := d == x.along()
		if s.IsFixed() && along {
			continue
		}
		if s.Index == nil || !slices.Contains(t.Indices, s.Index) || slices.Contains(indices, s.Index) || !along && (s.Offset != 0 || s.Index.Range != x.at[d].Range) {
			return nil, false
		}
		indices = append(indices, s.Index)
	}
	if len(indices) != len(t.Indices) {
		return nil, false
	}
	add := func(of dsl.Range, slope, rest *expr.Expr) bool {
		of, some, known := p.common(of, positions(left.Subs[x.along()]))
		if !known || !some {
			return known
		}
		one := *t.Term
		one.Dist = dist
		term := &PosteriorTerm{Term: &one}
		var subs, to []expr.Sub // of z, and for the indices of the term
		for d, i := range x.at {
			r := i.Range
			if d == x.along() {
				r = of
			}
			s := expr.Sub{At: r.Lo}
			if r.Lo != r.Hi {
				i := c.NewIndex(i.Name, r)
				term.Indices, s = append(term.Indices, i), expr.Sub{Index: i}
			}
			subs = append(subs, s)
			if own := left.Subs[d]; own.Index != nil {
				to = append(to, expr.ShiftSub(s, -own.Offset))
			}
		}
		there := func(e *expr.Expr) *expr.Expr { return c.SubstAll(e, x.indices, x.ofChain(subs)) }
		slope, rest = there(slope), there(rest)
		term.Left = expr.Scalar(x.element(subs))
		for n, a := range args {
			e := c.SubstAll(a.At(), indices, to)
			switch n {
			case len(args) - 2:
				e = c.Add(rest, c.Mul(slope, e))
			case len(args) - 1:
				e = c.Mul(slope, e)
			}
			term.Args = append(term.Args, expr.Scalar(e))
		}
		term.Each = c.FormulaValue(dist, dist.LogDensity, term.Left, term.Args).At()
		term.L = c.SumAll(term.Indices, term.Each)
		out = append(out, term)
		p.chainDensity = c.Add(p.chainDensity, c.SumAll(term.Indices, c.Call("log", slope)))
		return true
	}
	for _, k := range x.links {
		if !add(x.shifted(k.of), k.slope, k.rest) {
			return nil, false
		}
	}
	for _, r := range x.bare {
		if !add(r, c.Number(1), c.Number(0)) {
			return nil, false
		}
	}
	return out, true
}

// common are the positions that two ranges have in common, whether there are some, and whether that is known whatever the sizes.
func (p *Posterior) common(a, b dsl.Range) (r dsl.Range, some, known bool) {
	before := func(a, b dsl.Extent) bool { return p.C.Before(expr.Sub{At: a}, expr.Sub{At: b}).IsNum(1) }
	later := func(a, b dsl.Extent) (lo, hi dsl.Extent, known bool) {
		switch {
		case before(a, b.Plus(1)):
			return a, b, true
		case before(b, a.Plus(1)):
			return b, a, true
		}
		return a, b, false
	}
	_, lo, one := later(a.Lo, b.Lo)
	hi, _, two := later(a.Hi, b.Hi)
	return dsl.Range{Lo: lo, Hi: hi}, !before(hi, lo), one && two
}

// Chain are plain coordinates that chains are: elements of these, where the innovations stand in the place of coordinates, and the plain coordinates of others in theirs.
type Chain struct {
	Param   *Param
	Name    string // to people
	Indices []*expr.Index
	Plain   *expr.Expr
}

// Chains are those of a model, in groups, each before those that are made of it: those of a group are made of each other.
func (p *Posterior) Chains() (out [][]Chain) {
	for _, l := range p.Model.Lets {
		if x := p.writtenBy(l); x == nil || l != members(l)[0] {
			continue
		}
		var group []Chain
		for _, m := range members(l) {
			x := p.writtenBy(m)
			group = append(group, Chain{x.b, x.name(), x.at, x.plain})
		}
		out = append(out, group)
	}
	return out
}

// name is what the chain is, to people.
func (x *innovations) name() string {
	switch {
	case x.of.Recursion == nil:
		return "what " + x.of.ObjectName() + " is a function of"
	case x.log:
		return "log(" + x.of.ObjectName() + ")"
	}
	return x.of.ObjectName()
}
