package expr

import "slices"

// Def is a definition: a named tensor given by an expression at its indices.
type Def struct {
	Tensor    *Tensor
	Indices   []*Index
	Body      *Expr
	Scatter   *Scatter   // of a sum by data: how it is computed
	Recursion *Recursion // of a member of one
	Fit       *FitPart   // of a part of a least-squares fit: which; the body is there once it is lowered
}

// Stage returns the binding time of d.
func (d *Def) Stage() Stage { return d.Tensor.Stage }

// Scatter is how a sum by data is computed: all elements are 0 at first, and at
// every value of the indices Sums, and of those indices of the definition that At
// holds as they are, Body is added to the element At.
type Scatter struct {
	Sums []*Index
	At   []Sub // by index of the definition
	Body *Expr
}

// Loops returns the indices that a scatter runs over, sums first.
func (s *Scatter) Loops() []*Index {
	out := slices.Clone(s.Sums)
	for _, a := range s.At {
		if a.Index != nil {
			out = append(out, a.Index)
		}
	}
	return out
}

// Inner reports whether a definition has a value only while a family is computed.
func (d *Def) Inner() bool { return d.ReadsInner(map[*Def]bool{}) }

// ReadsInner is Inner with what is known of definitions: there are more ways to a definition
// than definitions.
func (d *Def) ReadsInner(known map[*Def]bool) bool {
	if in, ok := known[d]; ok {
		return in
	}
	in := false
	known[d] = false // a recursion reads itself
	Refs(d.Body, func(r *Expr) {
		t := r.Tensor
		in = in || t.Kind == InnerTensor || t.Def != nil && t.Stage == StageMomentum && t.Def.ReadsInner(known)
	})
	known[d] = in
	return in
}

// OwnOf returns the family for each value of whose outer index d has a value of its own, nil if there is none. It notes what is known of definitions.
func (d *Def) OwnOf(known map[*Def]*Family) *Family {
	if f, ok := known[d]; ok {
		return f
	}
	found := d.Tensor.Own
	known[d] = found // a recursion reads itself
	if found == nil && d.Body != nil {
		Refs(d.Body, func(r *Expr) {
			switch t := r.Tensor; {
			case found != nil:
			case t.Own != nil:
				found = t.Own
			case t.Def != nil && t.Stage >= StagePosition:
				found = t.Def.OwnOf(known)
			}
		})
	}
	known[d] = found
	return found
}

// Refs calls f for every reference in e, sums and subscripts included.
func Refs(e *Expr, f func(*Expr)) {
	// Most expressions are small: a list of their nodes is searched faster than a map is made.
	var room [16]*Expr
	few := room[:0]
	var many map[*Expr]bool
	first := func(e *Expr) bool {
		switch {
		case many != nil:
			if many[e] {
				return false
			}
			many[e] = true
			return true
		case slices.Contains(few, e):
			return false
		}
		if few = append(few, e); len(few) == cap(few) {
			many = make(map[*Expr]bool, 4*len(few))
			for _, e := range few {
				many[e] = true
			}
		}
		return true
	}
	var walk func(*Expr)
	walk = func(e *Expr) {
		if !first(e) {
			return
		}
		if e.Op == Ref {
			f(e)
		}
		for _, a := range e.Args {
			walk(a)
		}
		for _, s := range e.Subs {
			if s.Data != nil {
				walk(s.Data)
			}
		}
	}
	walk(e)
}

// Behind returns the expressions that the calculus sees in the place of a tensor: the body of a shared definition or of a recursion, the inputs of the family
// of a part. It is nil for all else, coordinates, data, and definitions of a program, which are lowered.
func (t *Tensor) Behind() []*Expr {
	switch {
	case t.Kind == SharedTensor:
		return []*Expr{t.Def.Body}
	case t.Kind == RecursionTensor && t.Def.Body != nil:
		return []*Expr{t.Def.Body}
	case t.Part != nil:
		list := make([]*Expr, len(t.Part.Of.Inputs))
		for k, u := range t.Part.Of.Inputs {
			list[k] = u.Raw
		}
		return list
	}
	return nil
}

// Search calls f for the nodes of e and of what stands behind its tensors (Behind), once for each, those of an earlier stage than least with
// all below them left out, until f returns true. It reports whether f did. Subscripts that are data are no nodes.
func Search(e *Expr, least Stage, f func(*Expr) bool) bool {
	seen := map[*Expr]bool{}
	var walk func(*Expr) bool
	walk = func(e *Expr) bool {
		if e.stage < least || seen[e] {
			return false
		}
		seen[e] = true
		if f(e) {
			return true
		}
		if e.Op == Ref {
			return slices.ContainsFunc(e.Tensor.Behind(), walk)
		}
		return slices.ContainsFunc(e.Args, walk)
	}
	return walk(e)
}

// Fixed reports whether e is known before sampling, but not at compile time.
func Fixed(e *Expr) bool { return e.stage > StageConst && e.stage < StagePosition }
