package loop

import "fmt"

// Verify returns the first rule of loop programs that p breaks, or nil:
//
//   - a variable is declared, once, before it is used, and only where its declaration is in sight;
//     a number that a function reads from the model is one that others keep, or data;
//   - numbers are used as numbers, arrays with as many subscripts as they have dimensions, ints
//     where ints are needed;
//   - a subscript of a loop's variable stays inside the array wherever that can be decided: where the
//     bounds of loop, conditions and array are constants, or differ from one size by constants;
//   - no kernel reads the array that it fills, unless it works element by element, and data are not
//     set.
func Verify(p *Program) error {
	sets := map[*Var]*Func{}
	for _, f := range p.Funcs {
		for v := range EffectsOf(f.Body...).Writes {
			sets[v] = f
		}
	}
	names := map[string]bool{}
	for _, f := range p.Funcs {
		if names[f.Name] {
			return fmt.Errorf("two functions are called %s", f.Name)
		}
		names[f.Name] = true
		c := &checker{f: f, t: newText(), sets: sets, scope: map[*Var]bool{}, bounds: map[*Var]bounds{}, fits: map[string]bool{}}
		own := EffectsOf(f.Body...)
		for _, v := range f.Free() {
			c.free(v, own)
		}
		if f.After != nil {
			for v := range EffectsOf(f.After.Body...).Writes {
				c.scope[v] = c.scope[v] || v.Scalar()
			}
		}
		c.stmts(f.Body)
		if c.err != nil {
			return fmt.Errorf("%s: %w", f.Name, c.err)
		}
	}
	return nil
}

// bounds are those of a loop's variable: from <= v < to.
type bounds struct{ from, to *Int }

// checker checks one function.
type checker struct {
	f      *Func
	t      *text
	sets   map[*Var]*Func
	scope  map[*Var]bool // what is in sight
	bounds map[*Var]bounds
	fits   map[string]bool
	err    error
}

func (c *checker) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

func (c *checker) name(v *Var) string { return c.t.name(v) }

// free checks a variable that the function does not declare first.
func (c *checker) free(v *Var, own *Effects) {
	switch {
	case v.Home == Local:
		return // found where it is used
	case v.Home == Field && v.Scalar() && !v.Int && own.Writes[v]:
		return // declared by the body, and kept
	case v.Home == View && v.Of == nil, v.Home == View && !v.Scalar() && v.To == nil:
		c.fail("%s is a view of nothing", c.name(v))
	}
	c.scope[v] = true
}

func (c *checker) stmts(list []Stmt) {
	var declared []*Var
	for _, st := range list {
		if v := c.stmt(st); v != nil {
			if c.scope[v] {
				c.fail("%s is declared twice", c.name(v))
			}
			c.scope[v] = true
			declared = append(declared, v)
		}
	}
	for _, v := range declared {
		delete(c.scope, v)
	}
}

// stmt checks a statement, and returns what it declares.
func (c *checker) stmt(st Stmt) *Var {
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
		c.stmts(st.Body)
		delete(c.scope, st.V)
	case *If:
		c.branch(st)
	case *Let:
		c.expr(st.E)
		return c.scalar(st.V)
	case *Set:
		c.expr(st.E)
		c.set(st)
	case *Clear:
		c.array(st.V)
		c.output(st.V)
	case *Keep:
		c.use(st.V)
		if st.V.Home != Field || !st.V.Scalar() {
			c.fail("%s is kept, but is no number of the model", c.name(st.V))
		}
	case *Kernel:
		return c.kernel(st)
	case *Fit:
		c.fits[st.Name] = true
		c.ints(st.From, st.To, st.Responses)
		for _, v := range []*Var{st.Weights, st.Y} {
			if v != nil {
				c.array(v)
			}
		}
		for _, x := range st.X {
			c.ints(x.Columns)
			if x.V != nil {
				c.array(x.V)
			}
		}
	case *FitPart:
		if !c.fits[st.Name] {
			c.fail("a part of %s is read before it is computed", st.Name)
		}
		if st.V.Scalar() {
			return st.V
		}
		c.array(st.V)
	}
	return nil
}

// branch checks a branch: its conditions narrow the bounds of what it looks at.
func (c *checker) branch(st *If) {
	old := map[*Var]bounds{}
	for _, x := range st.Conds {
		c.ints(x.X, x.Y)
		base, off := x.X.Base()
		if base == nil || base.Op != IntVar || base.Var.Home != Local {
			continue
		}
		v := base.Var
		b, known := c.bounds[v]
		if !known {
			continue
		}
		if _, saved := old[v]; !saved {
			old[v] = b
		}
		switch y := x.Y.Plus(-off); x.Op {
		case AtLeast:
			b.from = y
		case Below:
			b.to = y
		case Equals:
			b = bounds{y, y.Plus(1)}
		}
		c.bounds[v] = b
	}
	c.stmts(st.Body)
	for v, b := range old {
		c.bounds[v] = b
	}
}

func (c *checker) set(st *Set) {
	c.output(st.V)
	switch {
	case st.At == nil && st.V.Scalar():
		if st.V.Home != Param {
			c.use(st.V)
		}
	case st.At == nil:
		c.fail("the array %s is set as a number", c.name(st.V))
	default:
		c.element(st.V, st.At, false)
	}
}

func (c *checker) kernel(st *Kernel) *Var {
	for n, v := range st.Args {
		if at := st.Of(n); at != nil {
			c.part(v, at)
		}
		if v.Factor {
			c.use(v)
			continue
		}
		c.array(v)
		if v == st.V && len(st.Args) > 1 {
			c.fail("%s fills %s, which it reads", st.Func, c.name(v))
		}
	}
	if st.V.Scalar() {
		return c.scalar(st.V)
	}
	c.array(st.V)
	if st.At != nil {
		c.part(st.V, st.At)
	}
	c.output(st.V)
	return nil
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
	if v.Data || v.Home == Size {
		c.fail("%s is set, but is of the data", c.name(v))
	}
}

// scalar checks what a statement declares.
func (c *checker) scalar(v *Var) *Var {
	if !v.Scalar() || v.Int || v.Home != Local && v.Home != Field {
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
			if !x.Var.Scalar() || x.Var.Int {
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
		if i == nil {
			c.fail("an int is missing")
			return
		}
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

// element checks an element of an array.
func (c *checker) element(v *Var, at []*Int, isInt bool) {
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

// below reports whether a < b, if that can be decided; a is no more than the lesser of two that it
// may be, and no less than the greater.
func below(a, b *Int) bool {
	switch {
	case b.Op == IntMin:
		return below(a, b.Args[0]) && below(a, b.Args[1])
	case a.Op == IntMax:
		return below(a.Args[0], b) && below(a.Args[1], b)
	}
	x, m := a.Base()
	y, n := b.Base()
	return x.Equal(y) && m < n
}
