package symbolic

import (
	"fmt"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// Program is a list of definitions in order: each uses only earlier ones.
// Lower adds to it, so that everything that the outputs share is defined once.
type Program struct {
	c    *expr.Context
	post *model.Posterior
	Defs []*expr.Def
	// Positions are those that are computed of data, in order.
	Positions []Position
	byKey     map[*expr.Expr]*expr.Def
	names     map[*expr.Expr]string // closed bodies of user lets
	taken     map[string]int

	positioning       bool                          // the definitions of positions are being added
	recursive, source map[*expr.Tensor]*expr.Tensor // members of recursions, as definitions, and back

	lowered map[*expr.Tensor]*expr.Expr // what shared definitions came to, at their own indices
}

func newProgram(p *model.Posterior) *Program {
	prog := &Program{c: p.C, post: p, byKey: map[*expr.Expr]*expr.Def{},
		names: map[*expr.Expr]string{}, taken: map[string]int{}, lowered: map[*expr.Tensor]*expr.Expr{},
		recursive: map[*expr.Tensor]*expr.Tensor{}, source: map[*expr.Tensor]*expr.Tensor{}}
	for _, t := range p.C.Tensors {
		if t.Kind != expr.WildTensor && t.Kind != expr.SharedTensor && t.Kind != expr.RecursionTensor {
			prog.taken[t.Name] = 1
		}
	}
	// One set of indices for each shape: each definition is elaborated once at them, with all that it uses.
	at := map[string][]expr.Sub{}
	for _, l := range p.Model.Lets {
		v := p.Lets[l]
		shape := fmt.Sprint(v.Shape)
		subs, ok := at[shape]
		if !ok {
			subs = make([]expr.Sub, len(v.Shape))
			for n := range subs {
				subs[n] = expr.Sub{Index: p.C.NewIndex("i", expr.UpTo(v.Shape[n]))}
			}
			at[shape] = subs
		}
		e := v.At(subs...)
		if len(e.Free()) != len(subs) {
			continue
		}
		key, _ := p.C.Close(e)
		if e.Op == expr.Ref && e.Tensor.Kind == expr.SharedTensor {
			key = e.Tensor.Def.Body
		} else if e.Op == expr.Ref || e.Op == expr.Num {
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
			if len(a.Shape) > 0 {
				continue
			}
			e, name := a.At(), t.Term.Dist.Args[n].Name
			key, _ := p.C.Close(e)
			if _, ok := prog.names[key]; ok || prog.taken[name] > 0 || e.Op == expr.Ref || e.Op == expr.Num {
				continue
			}
			prog.names[key] = name
			prog.taken[name] = 1
		}
	}
	return prog
}

// lowerPositions adds the definitions of positions that are computed of data.
func (p *Program) lowerPositions() {
	if p.positioning {
		return // what is being lowered is a position, and those that it reads are there
	}
	p.positioning = true
	defer func() { p.positioning = false }()
	for n := len(p.Positions); n < len(p.c.ComputedPositions); n = len(p.Positions) {
		for _, t := range p.c.ComputedPositions {
			p.lowerPosition(t)
		}
	}
}

// lowerPosition adds the definitions of positions, behind those that they are computed of in turn: the numbers, the size that they are held
// against, and the positions.
func (p *Program) lowerPosition(t *expr.Tensor) {
	if slices.ContainsFunc(p.Positions, func(x Position) bool { return x.Tensor == t }) {
		return
	}
	c := p.c
	p.positionsIn(t.Def.Body, map[*expr.Tensor]bool{})
	own := t.Def.Indices
	numbers := c.NewTensor(expr.Tensor{Name: p.unlike("numbers"), Kind: expr.DefTensor, Shape: t.Shape, Stage: expr.StageData})
	p.add(numbers, own, p.Lower(t.Def.Body, own))
	last := p.lastOf(t.Values.Hi)
	p.Positions = append(p.Positions, Position{Tensor: t, Numbers: numbers, Last: last})
	// One beyond the ends is reported, and is the end here.
	p.add(t, own, c.Call("fmin", c.Call("fmax", c.Ref(numbers, expr.SubsOf(own)...), c.Number(1)), c.Ref(last, expr.Sub{At: dsl.Fixed(1)})))
}

// lastOf is the definition of a size that positions are held against, an array of one number as kernels read it.
func (p *Program) lastOf(size dsl.Extent) *expr.Tensor {
	for _, x := range p.Positions {
		if x.Tensor.Values.Hi == size {
			return x.Last
		}
	}
	one := p.c.NewIndex("i", expr.UpTo(dsl.Fixed(1)))
	last := p.c.NewTensor(expr.Tensor{Name: p.unlike("last"), Kind: expr.DefTensor, Shape: []dsl.Extent{dsl.Fixed(1)}, Stage: expr.StageData})
	p.add(last, []*expr.Index{one}, p.c.Extent(size))
	return last
}

// positionsIn lowers the positions that an expression reads, by itself or by its definitions.
func (p *Program) positionsIn(e *expr.Expr, seen map[*expr.Tensor]bool) {
	expr.Refs(e, func(r *expr.Expr) {
		t := r.Tensor
		if seen[t] {
			return
		}
		seen[t] = true
		if slices.Contains(p.c.ComputedPositions, t) {
			p.lowerPosition(t)
		}
		for _, x := range t.Behind() {
			p.positionsIn(x, seen)
		}
	})
}

// Position is a tensor of positions that are computed of data, with the numbers that they are and the last one that there is.
type Position struct{ Tensor, Numbers, Last *expr.Tensor }

// define returns a reference to the definition of e, adding it if needed. The
// subexpressions of e are lowered already. A definition is computed outside of what stands around e, so that it takes the guards of
// the fixed positions that e reads along.
func (p *Program) define(e *expr.Expr, source *expr.Expr) *expr.Expr {
	defer func(s bool) { p.c.Sharing = s }(p.c.Sharing)
	p.c.Sharing = false // what is lowered stays so
	if guards := p.c.ExposedFixed(e); len(guards) > 0 {
		e, source = p.c.Mul(append(guards, e)...), nil
	}
	if expr.Fixed(e) && len(e.Free()) == 0 {
		e = p.inlineConstants(e, e.Stage())
		if e.Op == expr.Ref || e.Op == expr.Num {
			return e
		}
	}
	c := p.c
	key, formal := p.c.Close(e)
	d, ok := p.byKey[key]
	var swapped *expr.Expr
	m, n, square := c.Square(formal, e.Stage())
	if !ok && square {
		x := c.NewIndex("x", formal[m].Range)
		swapped = c.Subst(c.Subst(c.Subst(key, formal[m], expr.Sub{Index: x}), formal[n], expr.Sub{Index: formal[m]}), x, expr.Sub{Index: formal[n]})
		if o := p.byKey[swapped]; o != nil && o.Scatter == nil { // its transpose is defined
			subs := expr.SubsOf(c.InOrder(e.Free()))
			subs[m], subs[n] = subs[n], subs[m]
			return c.Ref(o.Tensor, subs...)
		}
	}
	if free := c.InOrder(e.Free()); !ok && !square && len(free) == 2 && e.Stage() >= expr.StagePosition {
		turned, _ := c.CloseAs(e, []*expr.Index{free[1], free[0]})
		if o := p.byKey[turned]; o != nil && o.Scatter == nil { // likewise
			return c.Ref(o.Tensor, expr.Sub{Index: free[1]}, expr.Sub{Index: free[0]})
		}
	}
	if !ok {
		shape := make([]dsl.Extent, len(formal))
		for n, f := range formal {
			shape[n] = f.Range.Hi
		}
		name := ""
		if source != nil {
			k, _ := p.c.Close(source)
			name = p.names[k]
		}
		if name == "" {
			name = p.invent(key)
		}
		t := p.c.NewTensor(expr.Tensor{Name: name, Kind: expr.DefTensor, Shape: shape, Stage: e.Stage(),
			Positive: p.c.Sign(e) == expr.Positive})
		d = &expr.Def{Tensor: t, Indices: formal, Body: key, Scatter: c.ScatterOf(key, formal)}
		t.Def = d
		// Equal under exchange of its indices: C[j,l] and C[l,j] are one.
		t.Symmetric = d.Scatter == nil && swapped == key && len(formal) == 2
		p.byKey[key] = d
		p.Defs = append(p.Defs, d)
	}
	return p.c.Ref(d.Tensor, expr.SubsOf(c.InOrder(e.Free()))...)
}

// raise replaces the definitions in e that depend on the position by what they stand for, so
// that e can be differentiated; the others are constants to Diff.
func (p *Program) raise(e *expr.Expr) *expr.Expr {
	return p.raiseBy(e, func(t *expr.Tensor) bool { return t.Kind == expr.CoordTensor || t.Part != nil })
}

// raiseBy is raise for derivatives by tensors that are no definitions.
func (p *Program) raiseBy(e *expr.Expr, by func(*expr.Tensor) bool) *expr.Expr {
	c := p.c
	memo, moves := map[*expr.Expr]*expr.Expr{}, map[*expr.Def]bool{}
	var depends func(e *expr.Expr) bool
	depends = func(e *expr.Expr) (found bool) {
		expr.Refs(e, func(r *expr.Expr) {
			d := r.Tensor.Def
			if d == nil {
				found = found || by(r.Tensor)
				return
			}
			known, ok := moves[d]
			if !ok {
				moves[d] = false // a recursion reads itself
				for _, b := range d.Bodies() {
					known = depends(b) || known
				}
				moves[d] = known
			}
			found = found || known
		})
		return found
	}
	var walk func(e *expr.Expr) *expr.Expr
	walk = func(e *expr.Expr) *expr.Expr {
		if r, ok := memo[e]; ok {
			return r
		}
		r := e
		switch {
		case e.Op == expr.Ref && p.source[e.Tensor] != nil && depends(e):
			r = c.Ref(p.source[e.Tensor], e.Subs...)
		case e.Op == expr.Ref && e.Tensor.Def != nil && depends(e):
			d := e.Tensor.Def
			if a := d.Body; a.Op == expr.Apply {
				var bodies []*expr.Expr
				for n := range a.Apply.Shapes {
					bodies = append(bodies, walk(a.Args[n]))
				}
				r = c.Applied(a.Apply, bodies)
			} else {
				r = walk(a)
			}
			// By way of indices of their own: those of the definition may be
			// among the subscripts.
			own := make([]*expr.Index, len(d.Indices))
			for n, i := range d.Indices {
				own[n] = c.NewIndex(i.Name, i.Range)
				r = c.Subst(r, i, expr.Sub{Index: own[n]})
			}
			for n, i := range own {
				r = c.Subst(r, i, e.Subs[n])
			}
		case e.Op == expr.Sum:
			i, body := c.Open(e)
			r = c.Sum(i, walk(body))
		case len(e.Args) > 0:
			r = c.Rebuild(e, walk, func(s expr.Sub) expr.Sub { return s })
		}
		memo[e] = r
		return r
	}
	return walk(e)
}

// inlineConstants writes arithmetic on data in terms of the data again: equal
// constants become equal, however they came about. Likewise at the stage of the
// other blocks' parameters.
func (p *Program) inlineConstants(e *expr.Expr, stage expr.Stage) *expr.Expr {
	memo := map[*expr.Expr]*expr.Expr{}
	var walk func(e *expr.Expr) *expr.Expr
	walk = func(e *expr.Expr) *expr.Expr {
		if e.Op == expr.Sum || e.Op == expr.Largest {
			return e
		}
		if e.Op == expr.Ref {
			d := e.Tensor.Def
			if d == nil || len(d.Indices) > 0 || d.Stage() != stage || d.Body.Op == expr.Sum || d.Body.Op == expr.Largest || d.Body.Op == expr.Call || d.Body.Op == expr.Apply || d.Fit != nil || d.Body.IsLong() {
				return e
			}
			return d.Body
		}
		if len(e.Args) == 0 {
			return e
		}
		r, ok := memo[e]
		if !ok {
			r = p.c.Rebuild(e, walk, func(s expr.Sub) expr.Sub { return s })
			memo[e] = r
		}
		return r
	}
	return walk(e)
}
