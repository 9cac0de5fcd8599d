// Package codegen turns a derived program into Go. Between the two stands a
// small loop program (Stmt): which definitions are computed in which loop,
// what is stored and what stays in a local variable, which sums become calls of
// the runtime's kernels. The scheduler (this file) decides all of it; the
// printer (golang.go) only prints; model.go and the step files assemble the
// package that a user reads.
package codegen

import (
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
)

// Stmt is a statement of the loop program. Expressions are symbolic; a
// reference to a tensor is printed as the place where the tensor lives.
type Stmt interface{ stmt() }

type (
	// Loop runs Body for every value of Index.
	Loop struct {
		Index *symbolic.Index
		Body  []Stmt
		Below *symbolic.Index // if set, Index runs up to Below's value only

		// Part restricts the loop to its interior Inner, or to what comes
		// before or after it.
		Part  loopPart
		Inner dsl.Range
	}
	// Define declares a scalar local with its value.
	Define struct {
		T *symbolic.Tensor
		E *symbolic.Expr
	}
	// Zero declares a scalar accumulator.
	Zero struct{ T *symbolic.Tensor }
	// Clear sets all elements of an array to 0.
	Clear struct{ T *symbolic.Tensor }
	// Assign stores to an element, or adds to it.
	Assign struct {
		T    *symbolic.Tensor
		Subs []symbolic.Sub
		E    *symbolic.Expr
		Add  bool
	}
	// If runs Body where all the indicators are 1.
	If struct {
		Conds []*symbolic.Expr
		Body  []Stmt
	}
	// Kernel calls a function of runtime/kernel. Scalar results define T;
	// others fill it.
	Kernel struct {
		Func string
		T    *symbolic.Tensor
		Args []*symbolic.Tensor
	}
	// DrawVector fills T with a draw from Dist, with a mean and the tensor
	// FactorOf the covariance.
	DrawVector struct {
		Dist            *dsl.Distribution
		T, Mean, Factor *symbolic.Tensor
	}
	// SolveFit computes a least-squares fit, and ReadFit a part of it: it
	// defines T, or fills it.
	SolveFit struct{ F *symbolic.Fit }
	ReadFit  struct {
		T    *symbolic.Tensor
		Part *symbolic.FitPart
	}
)

// loopPart is a part of a loop's range.
type loopPart uint8

// The parts.
const (
	whole loopPart = iota
	head
	interior
	tail
)

func (*Loop) stmt()       {}
func (*Define) stmt()     {}
func (*Zero) stmt()       {}
func (*Clear) stmt()      {}
func (*Assign) stmt()     {}
func (*If) stmt()         {}
func (*Kernel) stmt()     {}
func (*DrawVector) stmt() {}
func (*SolveFit) stmt()   {}
func (*ReadFit) stmt()    {}

// target is a result that a phase writes: an output of the program with the
// tensor that stands for its destination.
type target struct {
	out  symbolic.Output
	dst  *symbolic.Tensor
	pair bool // a symmetric matrix block: compute the lower half, mirror
}

// phase is one emitted function body: the definitions that it computes and the
// targets that it writes.
type phase struct {
	defs    []*symbolic.Def
	targets []target
}

// scheduler builds the loop program of one phase.
type scheduler struct {
	c      *symbolic.Context
	stored map[*symbolic.Tensor]bool // arrays that live in the work space
	// escapes collects the definitions that are read outside the loop that
	// computes them, and so cannot be locals of its body.
	escapes map[*symbolic.Tensor]bool
	single  bool                      // the model has one parameter block
	cross   map[*symbolic.Tensor]bool // definitions that another phase reads
}

// group is a run of statements: straight-line code (index nil), a loop, or a
// kernel call.
type group struct {
	rng    *dsl.Range
	index  *symbolic.Index
	before []Stmt
	body   []Stmt
	after  []Stmt
	kernel bool
	n      int // its place among the groups
}

// plan schedules a phase. Items are taken in order; each joins the first group
// over the same range that comes after everything it needs.
func (s *scheduler) plan(ph *phase) []Stmt {
	var groups []*group
	home := map[*symbolic.Tensor]int{}     // group of a definition
	aligned := map[*symbolic.Tensor]bool{} // computed element by element in its group's loop
	floor := 0                             // the first group that the next item may join
	place := func(refs []*symbolic.Expr, rng *dsl.Range, index *symbolic.Index, kernel bool) *group {
		least := floor
		for _, r := range refs {
			g, ok := home[r.Tensor]
			if !ok {
				continue
			}
			need := g + 1
			if !kernel && rng == nil && groups[g].rng == nil && !groups[g].kernel {
				need = g // straight-line code after straight-line code
			}
			if !kernel && rng != nil && aligned[r.Tensor] && groups[g].rng != nil && *groups[g].rng == *rng &&
				index != nil && r.Subs[0].Index == index && r.Subs[0].Offset == 0 {
				need = g
			}
			least = max(least, need)
		}
		chosen := -1
		if !kernel {
			for n := least; n < len(groups); n++ {
				g := groups[n]
				if g.kernel || (g.rng == nil) != (rng == nil) || rng != nil && *g.rng != *rng {
					continue
				}
				chosen = n
				break
			}
		}
		if chosen < 0 {
			g := &group{rng: rng, kernel: kernel, n: len(groups)}
			if rng != nil {
				g.index = s.c.NewIndex(index.Name, *rng)
			}
			chosen = len(groups)
			groups = append(groups, g)
		}
		for _, r := range refs {
			if g, ok := home[r.Tensor]; ok && len(r.Subs) > 0 && g != chosen {
				s.escapes[r.Tensor] = true
			}
		}
		return groups[chosen]
	}
	refsOf := func(e *symbolic.Expr) []*symbolic.Expr {
		var refs []*symbolic.Expr
		symbolic.Refs(e, func(r *symbolic.Expr) { refs = append(refs, r) })
		return refs
	}
	fused := s.fusedKernels(ph)
	fits := map[*symbolic.Fit]bool{}
	last := -1 // the group of the last draw
	for _, d := range ph.defs {
		floor = 0
		if fused.skip[d] {
			continue
		}
		draws := d.Body.Op == symbolic.Draw
		if draws {
			// Draws use the random numbers in the order of their definitions,
			// so no two of them share a loop.
			if floor = last + 1; len(d.Indices) == 0 && last >= 0 && groups[last].rng == nil && !groups[last].kernel {
				floor = last
			}
		}
		if d.Fit != nil {
			g := place(refsOf(d.Body), nil, nil, true)
			if !fits[d.Fit.Of] {
				fits[d.Fit.Of] = true
				g.body = append(g.body, &SolveFit{d.Fit.Of})
			}
			g.body = append(g.body, &ReadFit{d.Tensor, d.Fit})
			home[d.Tensor] = g.n
			if len(d.Indices) > 0 {
				s.escapes[d.Tensor] = true
			}
			continue
		}
		if draws && d.Body.Tensor != nil {
			g := place(refsOf(d.Body), nil, nil, true)
			g.body = append(g.body, &DrawVector{Dist: d.Body.Dist, T: d.Tensor, Mean: d.Body.Args[0].Tensor, Factor: d.Body.Tensor})
			home[d.Tensor] = g.n
			s.escapes[d.Tensor] = true
			last = g.n
			continue
		}
		if f := s.applied(d); f != "" {
			// The arguments go where the values will be.
			i := d.Indices[0]
			rng := i.Range
			arg := d.Body.Args[0]
			g := place(refsOf(arg), &rng, i, false)
			arg = s.c.Subst(arg, i, symbolic.Sub{Index: g.index})
			subs := []symbolic.Sub{{Index: g.index}}
			s.nest(&g.body, d.Indices[1:], arg, func(e *symbolic.Expr, rest []symbolic.Sub) Stmt {
				return &Assign{T: d.Tensor, Subs: append(subs[:1:1], rest...), E: e}
			})
			home[d.Tensor] = g.n
			s.escapes[d.Tensor] = true
			all := make([]symbolic.Sub, len(d.Indices))
			for n, i := range d.Indices {
				all[n] = symbolic.Sub{Index: i}
			}
			k := place([]*symbolic.Expr{s.c.Ref(d.Tensor, all...)}, nil, nil, true)
			k.body = append(k.body, &Kernel{Func: f, T: d.Tensor, Args: []*symbolic.Tensor{d.Tensor}})
			home[d.Tensor] = k.n
			continue
		}
		if k := s.kernel(d, fused); k != nil {
			g := place(refsOf(fused.source(d)), nil, nil, true)
			g.body = append(g.body, k)
			home[d.Tensor] = g.n
			continue
		}
		switch {
		case d.Scatter != nil:
			// All elements in one loop over the data.
			loops := d.Scatter.Loops()
			i, dst := loops[0], s.c.Ref(d.Tensor, d.Scatter.At...)
			rng := i.Range
			g := place(append(refsOf(d.Scatter.Body), refsOf(dst)...), &rng, i, false)
			g.before = append(g.before, &Clear{T: d.Tensor})
			to := symbolic.Sub{Index: g.index}
			s.scatter(&g.body, loops[1:], s.c.Subst(d.Scatter.Body, i, to), s.c.Subst(dst, i, to))
			home[d.Tensor] = g.n
			s.escapes[d.Tensor] = true
		case len(d.Indices) == 0 && d.Body.Op == symbolic.Sum:
			// A reduction: its loop may be shared.
			i, body := s.c.Open(d.Body)
			rng := i.Range
			g := place(refsOf(body), &rng, i, false)
			body = s.c.Subst(body, i, symbolic.Sub{Index: g.index})
			g.before = append(g.before, &Zero{T: d.Tensor})
			s.emit(&g.body, body, func(e *symbolic.Expr) Stmt { return &Assign{T: d.Tensor, E: e, Add: true} })
			home[d.Tensor] = g.n
		case len(d.Indices) == 0:
			g := place(refsOf(d.Body), nil, nil, false)
			s.emit(&g.body, d.Body, func(e *symbolic.Expr) Stmt { return &Define{T: d.Tensor, E: e} })
			home[d.Tensor] = g.n
		default:
			i := d.Indices[0]
			rng := i.Range
			// References are compared with the loop's index below.
			g := place(refsOf(d.Body), &rng, i, false)
			body := s.c.Subst(d.Body, i, symbolic.Sub{Index: g.index})
			subs := []symbolic.Sub{{Index: g.index}}
			s.nest(&g.body, d.Indices[1:], body, func(e *symbolic.Expr, rest []symbolic.Sub) Stmt {
				if len(d.Indices) == 1 && !s.stored[d.Tensor] {
					return &Define{T: d.Tensor, E: e}
				}
				return &Assign{T: d.Tensor, Subs: append(append([]symbolic.Sub{}, subs...), rest...), E: e}
			})
			home[d.Tensor] = g.n
			aligned[d.Tensor] = true // of a matrix, the row is complete where the next statement begins
		}
		if draws {
			last = home[d.Tensor]
		}
	}
	floor = 0
	for _, t := range ph.targets {
		s.target(&groups, place, t, refsOf)
	}
	var out []Stmt
	for _, g := range groups {
		out = append(out, g.before...)
		if g.rng == nil {
			out = append(out, g.body...)
		} else if len(g.body) > 0 {
			out = append(out, s.peel([]Stmt{&Loop{Index: g.index, Body: s.fuse(g.body)}})...)
		}
		out = append(out, g.after...)
	}
	return out
}

// target schedules the writing of a result.
func (s *scheduler) target(groups *[]*group, place func([]*symbolic.Expr, *dsl.Range, *symbolic.Index, bool) *group, t target, refsOf func(*symbolic.Expr) []*symbolic.Expr) {
	// The subscripts of loops come between those that are fixed.
	complete := func(loops []symbolic.Sub) []symbolic.Sub {
		if t.out.Subs == nil {
			return loops
		}
		all := append([]symbolic.Sub{}, t.out.Subs...)
		n := 0
		for k := range all {
			if all[k].Index != nil {
				all[k] = loops[n]
				n++
			}
		}
		return all
	}
	store := func(e *symbolic.Expr, subs []symbolic.Sub) Stmt { return &Assign{T: t.dst, Subs: complete(subs), E: e} }
	if len(t.out.Indices) == 0 {
		g := place(refsOf(t.out.E), nil, nil, false)
		s.emit(&g.body, t.out.E, func(e *symbolic.Expr) Stmt { return store(e, nil) })
		return
	}
	i := t.out.Indices[0]
	rng := i.Range
	g := place(refsOf(t.out.E), &rng, i, false)
	body := s.c.Subst(t.out.E, i, symbolic.Sub{Index: g.index})
	first := symbolic.Sub{Index: g.index}
	if !t.pair {
		s.nest(&g.body, t.out.Indices[1:], body, func(e *symbolic.Expr, rest []symbolic.Sub) Stmt {
			return store(e, append([]symbolic.Sub{first}, rest...))
		})
		return
	}
	// A symmetric block: the lower half in a loop below the diagonal's
	// index, what carries the delta on the diagonal only.
	j := t.out.Indices[1]
	full, diagonal := s.c.SplitDelta(body, g.index, j)
	if !full.IsNum(0) {
		k := s.c.NewIndex(j.Name, j.Range)
		inner := &Loop{Index: k, Below: g.index}
		e := s.c.Subst(full, j, symbolic.Sub{Index: k})
		s.emit(&inner.Body, e, func(e *symbolic.Expr) Stmt { return store(e, []symbolic.Sub{first, {Index: k}}) })
		inner.Body = append(inner.Body, &Assign{T: t.dst, Subs: []symbolic.Sub{{Index: k}, first}, E: s.c.Ref(t.dst, first, symbolic.Sub{Index: k})})
		g.body = append(g.body, inner)
	}
	if !diagonal.IsNum(0) {
		s.emit(&g.body, diagonal, func(e *symbolic.Expr) Stmt {
			return &Assign{T: t.dst, Subs: []symbolic.Sub{first, first}, E: e, Add: !full.IsNum(0)}
		})
	}
}

// nest emits the loops over the remaining indices of a definition or result.
func (s *scheduler) nest(body *[]Stmt, indices []*symbolic.Index, e *symbolic.Expr, store func(*symbolic.Expr, []symbolic.Sub) Stmt) {
	var rec func(body *[]Stmt, n int, e *symbolic.Expr, subs []symbolic.Sub)
	rec = func(body *[]Stmt, n int, e *symbolic.Expr, subs []symbolic.Sub) {
		if n == len(indices) {
			s.emit(body, e, func(e *symbolic.Expr) Stmt { return store(e, subs) })
			return
		}
		k := s.c.NewIndex(indices[n].Name, indices[n].Range)
		loop := &Loop{Index: k}
		sub := symbolic.Sub{Index: k}
		rec(&loop.Body, n+1, s.c.Subst(e, indices[n], sub), append(append([]symbolic.Sub{}, subs...), sub))
		*body = append(*body, loop)
	}
	rec(body, 0, e, nil)
}

// scatter emits the loops over the remaining indices of a sum by data, inside
// which e is added to the element dst. Behind what an indicator excludes, the
// element may not exist either.
func (s *scheduler) scatter(body *[]Stmt, indices []*symbolic.Index, e, dst *symbolic.Expr) {
	if len(indices) > 0 {
		k := s.c.NewIndex(indices[0].Name, indices[0].Range)
		loop, sub := &Loop{Index: k}, symbolic.Sub{Index: k}
		s.scatter(&loop.Body, indices[1:], s.c.Subst(e, indices[0], sub), s.c.Subst(dst, indices[0], sub))
		*body = append(*body, loop)
		return
	}
	add := func(e *symbolic.Expr) Stmt { return &Assign{T: dst.Tensor, Subs: dst.Subs, E: e, Add: true} }
	if guards, rest := s.c.SplitGuards(e); len(guards) > 0 {
		branch := &If{Conds: guards}
		s.emit(&branch.Body, rest, add)
		*body = append(*body, branch)
		return
	}
	s.emit(body, e, add)
}

// local makes a scalar variable of the emitted code.
func (s *scheduler) local(name string, stage symbolic.Stage) *symbolic.Tensor {
	return s.c.NewTensor(symbolic.Tensor{Name: name, Kind: symbolic.LocalTensor, Stage: stage})
}

// emit appends the statements that compute e and hand it to store: first the
// sums inside e, each by a loop with an accumulator, then the values that e
// uses more than once.
func (s *scheduler) emit(body *[]Stmt, e *symbolic.Expr, store func(*symbolic.Expr) Stmt) {
	// What an indicator excludes is not evaluated: it may read elements
	// that do not exist.
	e = s.c.ReplaceGuarded(e, func(conds []*symbolic.Expr, rest *symbolic.Expr) *symbolic.Expr {
		t := s.local("part", rest.Stage())
		guarded := &If{Conds: conds}
		s.emit(&guarded.Body, rest, func(e *symbolic.Expr) Stmt { return &Assign{T: t, E: e} })
		*body = append(*body, &Zero{T: t}, guarded)
		return s.c.Ref(t)
	})
	e = s.c.ReplaceSums(e, func(sum *symbolic.Expr) *symbolic.Expr {
		acc := s.local("sum", sum.Stage())
		i, inner := s.c.Open(sum)
		loop := &Loop{Index: i}
		s.emit(&loop.Body, inner, func(e *symbolic.Expr) Stmt { return &Assign{T: acc, E: e, Add: true} })
		*body = append(*body, &Zero{T: acc}, loop)
		return s.c.Ref(acc)
	})
	es := []*symbolic.Expr{e}
	s.share(body, es)
	*body = append(*body, store(es[0]))
}

// share defines what the expressions of a list use more than once, and
// replaces it in the list.
func (s *scheduler) share(body *[]Stmt, es []*symbolic.Expr) { s.defineAll(body, es, nil) }

// defineAll is share, and defines the expressions themselves too if they are
// given names: es then holds references to them.
func (s *scheduler) defineAll(body *[]Stmt, es []*symbolic.Expr, named []*symbolic.Tensor) {
	shared := s.c.Shared(es, named != nil)
	owner := make([]*symbolic.Tensor, len(shared))
	for n, e := range shared {
		for m := range named {
			if es[m] == e && owner[n] == nil {
				owner[n] = named[m]
			}
		}
	}
	replace := s.c.Replacer()
	for n, e := range shared {
		t := owner[n]
		x := replace.In(e)
		switch {
		case t == nil && x.Op == symbolic.Ref:
			continue
		case t == nil:
			name := symbolic.Describe(x)
			if name == "" || len(name) > 16 {
				name = "e"
			}
			t = s.local(name, x.Stage())
		}
		*body = append(*body, &Define{T: t, E: x})
		if x.Op != symbolic.Num {
			replace.Put(e, s.c.Ref(t))
		}
	}
	for m := range es {
		es[m] = replace.In(es[m])
	}
}
