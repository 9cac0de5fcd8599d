package pass

import "github.com/hamc-dev/hamc/codegen/loop"

// Statements at the top of a function are taken in order; each joins the first group of its
// kind that comes after everything it needs. What declares or clears what a loop adds up stands
// before the loop.

// group is a run of statements: straight-line code, one loop, or one call.
type group struct {
	loop   *loop.For // nil of straight-line code
	call   bool
	before []loop.Stmt
	body   []loop.Stmt
}

func (g *group) straight() bool { return g.loop == nil && !g.call }

// fuser groups the statements of one function.
type fuser struct {
	groups  []*group
	home    map[*loop.Var]int       // the last group that sets a variable
	filled  map[*loop.Var]int       // the last call that does
	aligned map[*loop.Var]bool      // arrays that the loop of their group sets row by row
	waiting map[*loop.Var]loop.Stmt // what starts a sum, until its loop comes
	last    int                     // the group of the last random number, or −1
}

// fuse groups the statements of a function.
func fuse(f *loop.Func) {
	if loop.Decides(f.Body) {
		return // its statements stay in order
	}
	x := &fuser{home: map[*loop.Var]int{}, filled: map[*loop.Var]int{}, aligned: map[*loop.Var]bool{}, waiting: map[*loop.Var]loop.Stmt{}, last: -1}
	later := make([]map[*loop.Var]bool, len(f.Body)) // what later statements add to
	added := map[*loop.Var]bool{}
	for n := len(f.Body) - 1; n >= 0; n-- {
		later[n] = map[*loop.Var]bool{}
		if v := started(f.Body[n]); v != nil && added[v] {
			later[n][v] = true
		}
		loop.Each(f.Body[n:n+1], func(st loop.Stmt) {
			if s, ok := st.(*loop.Set); ok {
				added[s.V] = true
			}
		})
	}
	for n, st := range f.Body {
		if v := started(st); v != nil && later[n][v] {
			x.waiting[v] = st
			continue
		}
		x.add(st)
	}
	f.Body = x.list()
}

// started is what a statement declares as a number, or clears: what others may add to.
func started(st loop.Stmt) *loop.Var {
	switch st := st.(type) {
	case *loop.Let:
		if st.E.Op == loop.Num {
			return st.V
		}
	case *loop.Clear:
		return st.V
	}
	return nil
}

// add puts a statement into a group.
func (x *fuser) add(st loop.Stmt) {
	e := loop.EffectsOf(st)
	f, isLoop := st.(*loop.For)
	call := isCall(st)
	least := max(x.earliest(e, f, call), x.afterStart(st, f == nil && !call))
	chosen := -1
	for n := least; n < len(x.groups) && !call; n++ {
		if g := x.groups[n]; isLoop && joins(g.loop, f) || !isLoop && g.straight() {
			chosen = n
			break
		}
	}
	if chosen < 0 {
		g := &group{call: call}
		if isLoop {
			g.loop = &loop.For{V: f.V, From: f.From, To: f.To, Down: f.Down}
		}
		chosen = len(x.groups)
		x.groups = append(x.groups, g)
	}
	g := x.groups[chosen]
	for v := range e.Writes {
		if x.home[v] = max(x.home[v], chosen); call {
			x.filled[v] = chosen
		}
	}
	for _, v := range writtenInOrder(st) {
		if start := x.waiting[v]; start != nil {
			if delete(x.waiting, v); isLoop {
				g.before = append(g.before, start)
			} else {
				g.body = append(g.body, start)
			}
		}
	}
	if !isLoop {
		g.body = append(g.body, st)
	} else {
		for v := range e.Writes {
			x.aligned[v] = byRows(f, v)
		}
		r := loop.NewRenamer()
		if g.loop.V != f.V {
			r.Put(f.V, g.loop.V)
		}
		g.body = append(g.body, r.List(f.Body, false)...)
	}
	if e.Draws {
		x.last = chosen
	}
}

// isCall reports whether a statement stands in a group of its own.
func isCall(st loop.Stmt) bool {
	switch st.(type) {
	case *loop.Kernel, *loop.Fit, *loop.FitPart:
		return true
	}
	return false
}

// joins reports whether a loop runs over the range of another, in its order. The variable of a third loop is no
// bound that two loops at the top share.
func joins(a, b *loop.For) bool {
	return a != nil && a.Down == b.Down && a.From.Equal(b.From) && a.To.Equal(b.To)
}

// earliest is the first group that a statement may stand in.
func (x *fuser) earliest(e *loop.Effects, f *loop.For, call bool) int {
	least := 0
	if e.Draws && x.last >= 0 {
		// Random numbers are used in the order of the statements, so that no two draws share a loop.
		if least = x.last + 1; f == nil && !call && x.groups[x.last].straight() {
			least = x.last
		}
	}
	for v, places := range e.Reads {
		n, ok := x.home[v]
		if !ok {
			continue
		}
		need := n + 1
		switch g := x.groups[n]; {
		case call:
		case f == nil && g.straight():
			need = n // straight-line code after straight-line code
		case f != nil && joins(g.loop, f) && x.aligned[v] && inRow(places, f.V):
			need = n
		}
		least = max(least, need)
	}
	return least
}

// afterStart is the first group that a statement may stand in which adds to arrays, or sets elements of what a call has filled: behind those that set
// them.
func (x *fuser) afterStart(st loop.Stmt, straight bool) int {
	least := 0
	loop.Each([]loop.Stmt{st}, func(st loop.Stmt) {
		s, ok := st.(*loop.Set)
		if !ok || s.At == nil {
			return
		}
		if n, ok := x.home[s.V]; ok && s.Add {
			if !straight || !x.groups[n].straight() {
				n++
			}
			least = max(least, n)
		}
		if n, ok := x.filled[s.V]; ok && !s.V.Output {
			least = max(least, n+1)
		}
	})
	return least
}

// inRow reports whether all places begin with a variable.
func inRow(places [][]*loop.Int, v *loop.Var) bool {
	for _, at := range places {
		if len(at) == 0 || at[0].Op != loop.IntVar || at[0].Var != v {
			return false
		}
	}
	return true
}

// byRows reports whether each turn of a loop sets elements of the row of that turn, as a whole.
func byRows(f *loop.For, v *loop.Var) bool {
	ok := !v.Scalar()
	loop.Each(f.Body, func(st loop.Stmt) {
		switch st := st.(type) {
		case *loop.Set:
			ok = ok && (st.V != v || !st.Add && inRow([][]*loop.Int{st.At}, f.V))
		case *loop.Kernel:
			ok = ok && (st.V != v || inRow([][]*loop.Int{st.At}, f.V))
		}
	})
	return ok
}

// writtenInOrder lists what a statement sets, in order.
func writtenInOrder(st loop.Stmt) []*loop.Var {
	var out []*loop.Var
	loop.Each([]loop.Stmt{st}, func(st loop.Stmt) {
		if s, ok := st.(*loop.Set); ok {
			out = append(out, s.V)
		}
	})
	return out
}

// list returns the statements of the groups.
func (x *fuser) list() []loop.Stmt {
	var out []loop.Stmt
	for _, g := range x.groups {
		out = append(out, g.before...)
		if g.loop != nil {
			g.loop.Body = g.body
			out = append(out, g.loop)
			continue
		}
		out = append(out, g.body...)
	}
	return out
}
