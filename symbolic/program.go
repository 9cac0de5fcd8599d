package symbolic

import (
	"fmt"

	"github.com/hamc-dev/hamc/dsl"
)

// Program is a list of definitions in order: each uses only earlier ones.
// Lower adds to it, so that everything that the outputs share is defined once.
type Program struct {
	c     *Context
	post  *Posterior
	Defs  []*Def
	byKey map[*Expr]*Def
	names map[*Expr]string // closed bodies of user lets
	taken map[string]int

	lowered map[*Tensor]*Expr // what shared definitions came to, at their own indices
}

func newProgram(p *Posterior) *Program {
	prog := &Program{c: p.C, post: p, byKey: map[*Expr]*Def{},
		names: map[*Expr]string{}, taken: map[string]int{}, lowered: map[*Tensor]*Expr{}}
	for _, t := range p.C.tensors {
		if t.Kind != wildTensor && t.Kind != unsolvedTensor && t.Kind != SharedTensor {
			prog.taken[t.Name] = 1
		}
	}
	// One set of indices for each shape: each definition is elaborated once at them, with all that it uses.
	at := map[string][]Sub{}
	for _, l := range p.Model.Lets {
		v := p.lets[l]
		shape := fmt.Sprint(v.shape)
		subs, ok := at[shape]
		if !ok {
			subs = make([]Sub, len(v.shape))
			for n := range subs {
				subs[n] = Sub{Index: p.C.NewIndex("i", upTo(v.shape[n]))}
			}
			at[shape] = subs
		}
		e := v.at(subs...)
		if len(e.free) != len(subs) {
			continue
		}
		key, _ := p.C.close(e)
		if e.Op == Ref && e.Tensor.Kind == SharedTensor {
			key = e.Tensor.Def.Body
		} else if e.Op == Ref || e.Op == Num {
			continue
		}
		if _, ok := prog.names[key]; !ok {
			prog.names[key] = l.ObjectName()
		}
		prog.taken[l.ObjectName()] = 1
	}
	// An argument of a distribution that is worth a definition is called as
	// in the table: eta, mu, lambda.
	for _, t := range p.Terms {
		if t.Term.Dist == nil {
			continue
		}
		for n, a := range t.Args {
			if len(a.shape) > 0 {
				continue
			}
			e, name := a.at(), t.Term.Dist.Args[n].Name
			key, _ := p.C.close(e)
			if _, ok := prog.names[key]; ok || prog.taken[name] > 0 || e.Op == Ref || e.Op == Num {
				continue
			}
			prog.names[key] = name
			prog.taken[name] = 1
		}
	}
	return prog
}

// define returns a reference to the definition of e, adding it if needed. The
// subexpressions of e are lowered already.
func (p *Program) define(e *Expr, source *Expr) *Expr {
	if fixed(e) && len(e.free) == 0 {
		e = p.inlineConstants(e, e.stage)
		if e.Op == Ref || e.Op == Num {
			return e
		}
	}
	c := p.c
	key, formal := p.c.close(e)
	d, ok := p.byKey[key]
	var swapped *Expr
	if m, n, square := c.square(formal, e.stage); !ok && square {
		x := c.NewIndex("x", formal[m].Range)
		swapped = c.Subst(c.Subst(c.Subst(key, formal[m], Sub{Index: x}), formal[n], Sub{Index: formal[m]}), x, Sub{Index: formal[n]})
		if o := p.byKey[swapped]; o != nil && o.Scatter == nil { // its transpose is defined
			subs := subsOf(c.inOrder(e.free))
			subs[m], subs[n] = subs[n], subs[m]
			return c.Ref(o.Tensor, subs...)
		}
	}
	if !ok {
		shape := make([]dsl.Extent, len(formal))
		for n, f := range formal {
			shape[n] = f.Range.Hi
		}
		name := ""
		if source != nil {
			k, _ := p.c.close(source)
			name = p.names[k]
		}
		if name == "" {
			name = p.invent(key)
		}
		t := p.c.NewTensor(Tensor{Name: name, Kind: DefTensor, Shape: shape, Stage: e.stage,
			Positive: p.c.Sign(e) == Positive})
		d = &Def{Tensor: t, Indices: formal, Body: key, Scatter: c.scatterOf(key, formal)}
		t.Def = d
		// Equal under exchange of its indices: C[j,l] and C[l,j] are one.
		t.Symmetric = d.Scatter == nil && swapped == key && len(formal) == 2
		p.byKey[key] = d
		p.Defs = append(p.Defs, d)
	}
	return p.c.Ref(d.Tensor, subsOf(c.inOrder(e.free))...)
}

// raise replaces the definitions in e that depend on the position by what they stand for, so
// that e can be differentiated; the others are constants to Diff.
func (p *Program) raise(e *Expr) *Expr {
	c := p.c
	memo, moves := map[*Expr]*Expr{}, map[*Def]bool{}
	var depends func(e *Expr) bool
	depends = func(e *Expr) (found bool) {
		Refs(e, func(r *Expr) {
			d := r.Tensor.Def
			if d == nil {
				found = found || r.Tensor.Kind == CoordTensor || r.Tensor.Part != nil
				return
			}
			known, ok := moves[d]
			if !ok {
				known = depends(d.Body)
				moves[d] = known
			}
			found = found || known
		})
		return found
	}
	var walk func(e *Expr) *Expr
	walk = func(e *Expr) *Expr {
		if r, ok := memo[e]; ok {
			return r
		}
		r := e
		switch {
		case e.Op == Ref && e.Tensor.Def != nil && depends(e):
			d := e.Tensor.Def
			if a := d.Body; a.Op == Apply {
				var bodies []*Expr
				for n := range a.Apply.Shapes {
					bodies = append(bodies, walk(a.Args[n]))
				}
				r = c.Ref(c.applied(a.Apply, bodies), subsOf(d.Indices)...)
			} else {
				r = walk(a)
			}
			// By way of indices of their own: those of the definition may be
			// among the subscripts.
			own := make([]*Index, len(d.Indices))
			for n, i := range d.Indices {
				own[n] = c.NewIndex(i.Name, i.Range)
				r = c.Subst(r, i, Sub{Index: own[n]})
			}
			for n, i := range own {
				r = c.Subst(r, i, e.Subs[n])
			}
		case e.Op == Sum:
			i, body := c.Open(e)
			r = c.Sum(i, walk(body))
		case len(e.Args) > 0:
			r = c.rebuild(e, walk, func(s Sub) Sub { return s })
		}
		memo[e] = r
		return r
	}
	return walk(e)
}

// inlineConstants writes arithmetic on data in terms of the data again: equal
// constants become equal, however they came about. Likewise at the stage of the
// other blocks' parameters.
func (p *Program) inlineConstants(e *Expr, stage Stage) *Expr {
	memo := map[*Expr]*Expr{}
	var walk func(e *Expr) *Expr
	walk = func(e *Expr) *Expr {
		if e.Op == Sum {
			return e
		}
		if e.Op == Ref {
			d := e.Tensor.Def
			if d == nil || len(d.Indices) > 0 || d.Stage() != stage || d.Body.Op == Sum || d.Body.Op == Call || d.Body.Op == Apply || d.Fit != nil || d.Body.isLong() {
				return e
			}
			return d.Body
		}
		if len(e.Args) == 0 {
			return e
		}
		r, ok := memo[e]
		if !ok {
			r = p.c.rebuild(e, walk, func(s Sub) Sub { return s })
			memo[e] = r
		}
		return r
	}
	return walk(e)
}
