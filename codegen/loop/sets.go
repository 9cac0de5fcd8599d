package loop

// In which order arrays are set and read. Sums are added up as often as one likes; all else is set once in a call of a function, and read
// behind that. What depends on subscripts that stand in arrays, or on sizes that differ by something else than a number, is not decided.

// write is a statement that sets elements of an array.
type write struct {
	loops []*For
	at    []*Int   // nil of the whole array
	box   []bounds // the elements, where they are known: nil otherwise
	again bool     // made of what stood there
}

// readPart notes that elements of an array are read.
func (c *checker) readPart(v *Var, at []*Int) {
	if c.err != nil || v.Scalar() || !c.mine[v] || v.Old || v.Home == State {
		return
	}
	for _, w := range c.done[v] {
		if c.past(w, at, true) {
			return
		}
	}
	// What a later statement of an open loop sets has been set in an earlier turn, perhaps.
	for n := len(c.loops) - 1; n >= 0; n-- {
		for _, w := range c.writesIn(c.loops[n], v) {
			if c.past(w, at, false) {
				return
			}
		}
	}
	c.fail("%s is read before it is set", c.t.place(v, at))
}

// writesIn are the statements of a loop that set elements of an array.
func (c *checker) writesIn(l *For, v *Var) []*write {
	if c.inner[l] == nil {
		m := map[*Var][]*write{}
		c.inner[l] = m
		var walk func(list []Stmt, loops []*For)
		walk = func(list []Stmt, loops []*For) {
			for _, st := range list {
				switch st := st.(type) {
				case *For:
					walk(st.Body, append(loops[:len(loops):len(loops)], st))
				case *If:
					walk(st.Body, loops)
				case *Set:
					m[st.V] = append(m[st.V], &write{loops: loops, at: st.At})
				case *Clear:
					m[st.V] = append(m[st.V], &write{loops: loops})
				case *Kernel:
					m[st.V] = append(m[st.V], &write{loops: loops, at: st.At})
				case *FitPart:
					m[st.V] = append(m[st.V], &write{loops: loops})
				}
			}
		}
		open := 0
		for n, x := range c.loops {
			if x == l {
				open = n + 1
			}
		}
		walk(l.Body, c.loops[:open:open])
	}
	return c.inner[l][v]
}

// past reports whether a statement may have set elements that are read now: in an earlier turn of a loop that both stand in or, if it stands
// before, in the same one.
func (c *checker) past(w *write, at []*Int, before bool) bool {
	for n, l := range c.loops {
		if n >= len(w.loops) || w.loops[n] != l {
			break // the loops that both stand in
		}
		for d := range min(len(at), len(w.at)) {
			x, i := at[d].Base()
			y, j := w.at[d].Base()
			if !x.Equal(y) || x == nil || x.Op != IntVar || x.Var != l.V {
				continue
			}
			switch {
			case i == j:
			case i < j != l.Down:
				return true // of an earlier turn
			default:
				return false
			}
		}
		if !fixes(w.at, l.V) || at == nil || !fixes(at, l.V) {
			return true // not decided
		}
	}
	return before
}

// fixes reports whether one of the subscripts is a loop's variable and a number.
func fixes(at []*Int, v *Var) bool {
	for _, i := range at {
		if x, _ := i.Base(); x != nil && x.Op == IntVar && x.Var == v {
			return true
		}
	}
	return false
}

// mentions reports whether an int depends on a variable.
func mentions(i *Int, v *Var) bool {
	found := false
	Ints(i, func(x *Int) { found = found || x.Var == v })
	return found
}

// written notes that elements of an array are set. A number may stand in the place of what a kernel made of nothing.
func (c *checker) written(v *Var, at []*Int, add, number bool) {
	if c.err != nil || v.Scalar() || v.Old || v.Home == State || c.tables[v] {
		return
	}
	w := &write{loops: append([]*For(nil), c.loops...), at: at}
	if c.unsure == 0 {
		w.box = c.box(v, at)
	}
	if !add {
		for _, o := range c.done[v] {
			if o.box != nil && w.box != nil && !(o.again && number) && intersect(o.box, w.box) {
				c.fail("%s is set twice", c.t.place(v, at))
			}
		}
		c.once(v, w)
	}
	c.done[v] = append(c.done[v], w)
}

// filled notes that a statement sets a whole array, or a part of one; again tells that it takes the values from there.
func (c *checker) filled(v *Var, at []*Int, again bool) {
	if again { // what stood there is used up
		w := &write{loops: append([]*For(nil), c.loops...), at: at, again: true}
		if c.unsure == 0 {
			w.box = c.box(v, at)
		}
		if at == nil {
			c.done[v] = nil
		}
		c.done[v] = append(c.done[v], w)
		return
	}
	c.written(v, at, false, false)
}

// once checks that all turns of the loops around a statement set elements of their own.
func (c *checker) once(v *Var, w *write) {
	if c.unsure > 0 {
		return
	}
	for _, l := range c.loops {
		own := c.pinned[l.V] > 0
		for _, i := range w.at {
			own = own || mentions(i, l.V)
		}
		for _, o := range c.loops { // a triangle's
			own = own || mentions(o.From, l.V) || mentions(o.To, l.V)
		}
		if single := below(l.To, l.From.Plus(2)); !own && !single {
			c.fail("%s is set in every turn of the loop of %s", c.t.place(v, w.at), c.name(l.V))
			return
		}
	}
}

// box are the elements that subscripts lead to, in all turns of the loops, if they are known.
func (c *checker) box(v *Var, at []*Int) []bounds {
	var out []bounds
	used := map[*Var]bool{}
	for d, size := range v.Shape {
		if d >= len(at) {
			out = append(out, bounds{Const(0), size})
			continue
		}
		b := bounds{at[d], at[d].Plus(1)}
		if base, off := at[d].Base(); base != nil && base.Op == IntVar && base.Var.Home == Local {
			own, known := c.bounds[base.Var]
			if !known || used[base.Var] {
				return nil
			}
			used[base.Var] = true
			b = bounds{own.from.Plus(off), own.to.Plus(off)}
		}
		if !fixed(b.from) || !fixed(b.to) {
			return nil
		}
		out = append(out, b)
	}
	return out
}

// fixed reports whether an int is made of sizes alone.
func fixed(i *Int) bool {
	ok := true
	Ints(i, func(x *Int) {
		ok = ok && x.Op != IntElem && (x.Op != IntVar || x.Var.Home == Size)
	})
	return ok
}

// intersect reports whether two boxes have an element in common, for all sizes for which neither is empty.
func intersect(a, b []bounds) bool {
	upTo := func(x, y *Int) bool { return below(x, y.Plus(1)) }
	for d := range a {
		x, y := a[d], b[d]
		if upTo(x.to, x.from) || upTo(y.to, y.from) {
			return false // nothing
		}
		if !(x.from.Equal(y.from) || x.to.Equal(y.to) || upTo(x.from, y.from) && below(y.from, x.to) || upTo(y.from, x.from) && below(x.from, y.to)) {
			return false
		}
	}
	return true
}
