package loop

import "fmt"

// Verify returns the first rule of loop programs that p breaks, or nil:
//
//   - a variable is declared, once, before it is used, and only where its declaration is in sight;
//     a number that a function reads from the model is one that others keep, data or given, and what is
//     kept is declared before;
//   - an array of the model that a function reads is one that some function sets, data or given, and
//     where the function sets it itself, it does so before;
//   - an element is set once in a call, unless it is added to, or a kernel works in place;
//   - numbers are used as numbers, arrays with as many subscripts as they have dimensions, ints
//     where ints are needed; views lie inside their arrays;
//   - a subscript of a loop's variable stays inside the array wherever that can be decided: where the
//     bounds of loop, conditions and array are constants, or differ from one size by constants;
//   - a kernel is a row of the table, and gets as many arguments, of types and shapes, as stand there;
//   - a block is left inside it, nothing stands behind what is left or returned from, and a call is a row of the table of calls, or
//     of a function of the program;
//   - no kernel reads the array that it fills, or another view of the same one, unless it works in place,
//     and data are not set.
func Verify(p *Program) error {
	m := modelOf(p)
	names := map[string]*Func{}
	for _, f := range p.Funcs {
		if names[f.Name] != nil {
			return fmt.Errorf("two functions are called %s", f.Name)
		}
		names[f.Name] = f
	}
	for _, f := range p.Funcs {
		c := m.checker(f)
		c.funcs = names
		c.stmts(f.Body)
		if c.err != nil {
			return fmt.Errorf("%s: %w", f.Name, c.err)
		}
	}
	return nil
}

// model is what the functions of a program leave to each other.
type model struct {
	sets  map[*Var]bool // some function sets it
	keeps map[*Var]bool // some function keeps it
	views []*Var
}

func modelOf(p *Program) *model {
	m := &model{sets: map[*Var]bool{}, keeps: map[*Var]bool{}}
	seen := map[*Var]bool{}
	for _, f := range p.Funcs {
		for v := range WritesOf(f.Body...) {
			m.sets[v] = true
		}
		Each(f.Body, func(st Stmt) {
			if k, ok := st.(*Keep); ok {
				m.keeps[k.V] = true
			}
		})
		for _, v := range f.Free() {
			if v.Home == View && !seen[v] {
				seen[v], m.views = true, append(m.views, v)
			}
		}
	}
	return m
}

// checker is what checks a function.
func (m *model) checker(f *Func) *checker {
	own := EffectsOf(f.Body...)
	c := &checker{f: f, t: newText(), model: m, scope: map[*Var]bool{}, bounds: map[*Var]bounds{}, fits: map[string]bool{},
		mine: own.Writes, done: map[*Var][]*write{}, inner: map[*For]map[*Var][]*write{}, pinned: map[*Var]int{}, tables: map[*Var]bool{}}
	before := map[*Var]bool{} // by functions before, in the same scope
	for g := f.After; g != nil; g = g.After {
		for v := range WritesOf(g.Body...) {
			before[v] = true
			c.scope[v] = c.scope[v] || v.Scalar()
			if !v.Scalar() {
				c.done[v] = append(c.done[v], &write{})
			}
		}
	}
	for g := f.Continues; g != nil; g = g.Continues {
		for v := range WritesOf(g.Body...) {
			if !v.Scalar() {
				c.done[v] = append(c.done[v], &write{})
			}
		}
	}
	for _, v := range f.Free() {
		c.free(v, own, before[v])
	}
	return c
}

// bounds are those of a loop's variable: from <= v < to.
type bounds struct{ from, to *Int }

// checker checks one function.
type checker struct {
	f *Func
	t *text
	*model
	scope  map[*Var]bool // what is in sight
	bounds map[*Var]bounds
	fits   map[string]bool
	mine   map[*Var]bool // what the function sets
	done   map[*Var][]*write
	loops  []*For
	inner  map[*For]map[*Var][]*write
	pinned map[*Var]int // loops of which a condition picks one turn
	blocks []string     // that are open
	funcs  map[string]*Func
	tables map[*Var]bool // arrays that the function declares, and sets as often as it likes
	unsure int           // branches of which it is not known when they are taken
	err    error
}

func (c *checker) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

func (c *checker) name(v *Var) string { return c.t.name(v) }

// free checks a variable that the function does not declare first.
func (c *checker) free(v *Var, own *Effects, before bool) {
	switch {
	case v.Home == Local:
		return // found where it is used
	case v.Home == Field && v.Scalar() && !v.Int && own.Writes[v]:
		return // declared by the body, and kept
	case v.Home == View:
		c.view(v)
	case v.Home == Field && !v.Data && !v.Given && !before:
		if v.Scalar() && !c.keeps[v] {
			c.fail("%s is a number of the model that no function keeps", c.name(v))
		}
		if !v.Scalar() && !c.sets[v] {
			c.fail("%s is an array of the model that no function sets", c.name(v))
		}
	}
	c.scope[v] = true
}

// view checks that a view is a part of its array.
func (c *checker) view(v *Var) {
	switch {
	case v.Of == nil, !v.Scalar() && v.To == nil:
		c.fail("%s is a view of nothing", c.name(v))
		return
	case v.Of.Int != v.Int || len(v.Of.Shape) != 1:
		c.fail("%s is no part of %s", c.name(v), c.name(v.Of))
		return
	}
	s := storage(v)
	if s.from == nil {
		return
	}
	if below(s.from, Const(0)) || below(v.Of.Shape[0], s.to) {
		c.fail("%s is not inside %s", c.name(v), c.name(v.Of))
	}
	if len(v.Shape) == 1 {
		if end := s.from.Add(v.Shape[0]); below(end, s.to) || below(s.to, end) {
			c.fail("%s is longer or shorter than what it is of %s", c.name(v), c.name(v.Of))
		}
	}
}

func (c *checker) stmts(list []Stmt) {
	var declared []*Var
	for n, st := range list {
		for _, v := range c.stmt(st) {
			if c.scope[v] {
				c.fail("%s is declared twice", c.name(v))
			}
			c.scope[v] = true
			declared = append(declared, v)
		}
		switch st.(type) {
		case *Leave, *Return:
			if n+1 < len(list) {
				c.fail("a statement stands behind one that leaves")
			}
		}
	}
	for _, v := range declared {
		delete(c.scope, v)
	}
}

// stmt checks a statement, and returns what it declares.
func (c *checker) stmt(st Stmt) []*Var {
	switch st := st.(type) {
	case *For:
		c.ints(st.From, st.To)
		if !st.V.Int || !st.V.Scalar() || st.V.Home != Local {
			c.fail("the variable %s of a loop is no int of its own", c.name(st.V))
		}
		if c.scope[st.V] {
			c.fail("%s is declared twice", c.name(st.V))
		}
		c.scope[st.V], c.bounds[st.V] = true, bounds{st.From, st.To}
		c.loops = append(c.loops, st)
		c.stmts(st.Body)
		c.loops = c.loops[:len(c.loops)-1]
		delete(c.scope, st.V)
	case *If:
		c.branch(st)
	case *Let:
		c.expr(st.E)
		return []*Var{c.scalar(st.V)}
	case *Set:
		c.expr(st.E)
		c.set(st)
	case *Clear:
		c.array(st.V)
		c.output(st.V)
		c.filled(st.V, nil, false)
	case *Keep:
		c.use(st.V)
		if st.V.Home != Field || !st.V.Scalar() {
			c.fail("%s is kept, but is no number of the model", c.name(st.V))
		}
		if !c.declared(st.V) {
			c.fail("%s is kept, but not computed", c.name(st.V))
		}
	case *Kernel:
		if v := c.kernel(st); v != nil {
			return []*Var{v}
		}
	case *Fit:
		c.fit(st)
	case *FitPart:
		if !c.fits[st.Name] {
			c.fail("a part of %s is read before it is computed", st.Name)
		}
		if st.V.Scalar() {
			return []*Var{st.V}
		}
		c.array(st.V)
		c.filled(st.V, nil, false)
	default:
		return c.control(st)
	}
	return nil
}

// declared reports whether the function, or one before it in the same scope, declares a number.
func (c *checker) declared(v *Var) bool {
	for f := c.f; f != nil; f = f.After {
		if WritesOf(f.Body...)[v] {
			return true
		}
	}
	return false
}

// branch checks a branch: its conditions narrow the bounds of what it looks at.
func (c *checker) branch(st *If) {
	old := map[*Var]bounds{}
	unsure, pins := c.unsure, []*Var{}
	for _, x := range st.Conds {
		c.ints(x.X, x.Y)
		base, off := x.X.Base()
		if base == nil || base.Op != IntVar || base.Var.Home != Local {
			c.unsure++
			continue
		}
		v := base.Var
		b, known := c.bounds[v]
		if !known {
			c.unsure++
			continue
		}
		if _, saved := old[v]; !saved {
			old[v] = b
		}
		switch y := x.Y.Plus(-off); x.Op {
		case AtLeast:
			if !below(y, b.from) {
				b.from = y
			}
		case Below:
			if !below(b.to, y) {
				b.to = y
			}
		case Equals:
			if below(y, b.from) || below(b.to, y.Plus(1)) {
				b = bounds{y, y} // never
			} else {
				b = bounds{y, y.Plus(1)}
			}
			c.pinned[v]++
			pins = append(pins, v)
		}
		c.bounds[v] = b
	}
	c.stmts(st.Body)
	for v, b := range old {
		c.bounds[v] = b
	}
	for _, v := range pins {
		c.pinned[v]--
	}
	c.unsure = unsure
}

func (c *checker) set(st *Set) {
	c.output(st.V)
	switch {
	case st.At == nil && st.V.number():
		if st.V.Home != Param {
			c.use(st.V)
		}
	case st.At == nil:
		c.fail("the array %s is set as a number", c.name(st.V))
	default:
		c.place(st.V, st.At, false)
		if c.err == nil && st.E.Op == Elem && st.E.Var == st.V {
			return // a copy of what is set: of a triangle, to the other one, and of the diagonal to itself
		}
		c.written(st.V, st.At, st.Add, st.E.Op == Num)
	}
}

// part checks the subscripts of a part of an array, or of an element.
func (c *checker) part(v *Var, at []*Int) {
	c.ints(at...)
	if len(at) > len(v.Shape) {
		c.fail("%d subscripts of %s, which has %d dimensions", len(at), c.name(v), len(v.Shape))
	}
	for n := 0; c.err == nil && n < len(at); n++ {
		c.inside(v, at[n], v.Shape[n])
	}
}

// output checks that a variable may be set.
func (c *checker) output(v *Var) {
	if v.Data || v.Given || v.Home == Size {
		c.fail("%s is set, but is of the data", c.name(v))
	}
}

// scalar checks what a statement declares.
func (c *checker) scalar(v *Var) *Var {
	if !v.number() || v.Home != Local && v.Home != Field {
		c.fail("%s is declared as a number", c.name(v))
	}
	return v
}

func (c *checker) use(v *Var) {
	if !c.scope[v] {
		c.fail("%s is used where it is not declared", c.name(v))
	}
}

func (c *checker) array(v *Var) {
	c.use(v)
	if v.Scalar() {
		c.fail("the number %s is used as an array", c.name(v))
	}
}

func (c *checker) expr(e *Expr) {
	Nodes(e, func(x *Expr) {
		if (x.Op == Add || x.Op == Mul) && len(x.K) != len(x.Args) {
			c.fail("%d coefficients of %d operands", len(x.K), len(x.Args))
		}
		switch x.Op {
		case Scalar:
			c.use(x.Var)
			if !x.Var.number() {
				c.fail("%s is used as a number", c.name(x.Var))
			}
		case Elem:
			c.element(x.Var, x.At, false)
		case Float, Test:
			c.ints(x.At...)
		case Draw:
			if len(x.Ends) != 0 && len(x.Ends) != 2 {
				c.fail("%d ends of an interval", len(x.Ends))
			}
		}
	})
}

func (c *checker) ints(list ...*Int) {
	for _, i := range list {
		Ints(i, func(x *Int) {
			switch x.Op {
			case IntVar:
				if x.Var.Home != Size {
					c.use(x.Var)
				}
				if !x.Var.Int || !x.Var.Scalar() {
					c.fail("%s is used as an int", c.name(x.Var))
				}
			case IntElem:
				c.element(x.Var, x.Args, true)
			}
		})
	}
}

// element checks an element of an array that is read.
func (c *checker) element(v *Var, at []*Int, isInt bool) {
	c.place(v, at, isInt)
	c.readPart(v, at)
}

// place checks an element of an array.
func (c *checker) place(v *Var, at []*Int, isInt bool) {
	c.use(v)
	c.ints(at...)
	if c.err != nil {
		return
	}
	switch {
	case v.Int != isInt:
		c.fail("%s is of another type than its element", c.name(v))
		return
	case len(at) != len(v.Shape):
		c.fail("%d subscripts of %s, which has %d dimensions", len(at), c.name(v), len(v.Shape))
		return
	}
	for n, i := range at {
		c.inside(v, i, v.Shape[n])
	}
}

// inside checks a subscript, as far as it can be decided.
func (c *checker) inside(v *Var, i, size *Int) {
	first, last := i, i
	if base, off := i.Base(); base != nil && base.Op == IntVar && base.Var.Home == Local {
		b, ok := c.bounds[base.Var]
		if !ok {
			return
		}
		first, last = b.from.Plus(off), b.to.Plus(off-1)
	}
	if below(first, Const(0)) {
		c.fail("%s[%s] is read below its first element", c.name(v), c.t.int(i, 0))
	}
	if below(size.Plus(-1), last) {
		c.fail("%s[%s] is read beyond its last element", c.name(v), c.t.int(i, 0))
	}
}

// below reports whether a < b, if that can be decided.
func below(a, b *Int) bool {
	x, m := a.Base()
	y, n := b.Base()
	is := func(i *Int, op IntOp) bool { return i != nil && i.Op == op }
	switch {
	case is(y, IntMin):
		return below(a, y.Args[0].Plus(n)) && below(a, y.Args[1].Plus(n))
	case is(x, IntMax):
		return below(x.Args[0].Plus(m), b) && below(x.Args[1].Plus(m), b)
	case is(x, IntMin):
		return below(x.Args[0].Plus(m), b) || below(x.Args[1].Plus(m), b)
	case is(y, IntMax):
		return below(a, y.Args[0].Plus(n)) || below(a, y.Args[1].Plus(n))
	}
	return x.Equal(y) && m < n
}
