package loop

import "fmt"

// kernel checks a call, and returns what it declares.
func (c *checker) kernel(st *Kernel) *Var {
	row := kernelRows[st.Func]
	if row == nil {
		c.fail("%s is no kernel of the runtime", st.Func)
		return nil
	}
	if last := len(row.args) - 1; len(st.Args) != len(row.args) && !(row.args[last].many && len(st.Args) > last) {
		c.fail("%s has %d arguments where it takes %d", st.Func, len(st.Args), len(row.args))
		return nil
	}
	for n, v := range st.Args {
		if at := st.Of(n); at != nil {
			c.part(v, at)
		}
		c.use(v)
	}
	if !st.V.Scalar() {
		c.use(st.V)
		if st.At != nil {
			c.part(st.V, st.At)
		}
		c.output(st.V)
	}
	c.shapes(st, row)
	c.aliases(st, row)
	for n, v := range st.Args {
		c.readPart(v, st.Of(n))
	}
	if st.V.Scalar() {
		return c.scalar(st.V)
	}
	c.filled(st.V, st.At, row.place == itself || row.place == inPlace && st.reads(st.V))
	return nil
}

// reads reports whether an array is an argument.
func (k *Kernel) reads(v *Var) bool {
	for _, a := range k.Args {
		if a == v {
			return true
		}
	}
	return false
}

// sizes are the letters of a row, as the arguments of a call say.
type sizes struct {
	of  map[string]*Int
	all []*Int // what * stands for
	set bool
}

// shapes checks the types and shapes of arguments and result.
func (c *checker) shapes(st *Kernel, row *kernelRow) {
	s := &sizes{of: map[string]*Int{}}
	if row.args[len(row.args)-1].many {
		s.of["w"] = Const(len(st.Args) - len(row.args) + 1)
	}
	for n, v := range st.Args {
		c.operand(st, s, v, st.Of(n), row.arg(n))
		if row.arg(n).word == "matrix" && !v.Matrix && c.err == nil {
			c.fail("%s takes %s as a matrix of data, which it is not", st.Func, c.name(v))
		}
	}
	if c.err == nil && len(st.At) <= len(st.V.Shape) {
		c.operand(st, s, st.V, st.At, &row.result)
	}
}

// operand checks an argument or a result.
func (c *checker) operand(st *Kernel, s *sizes, v *Var, at []*Int, want *operand) {
	if c.err != nil || len(at) > len(v.Shape) {
		return
	}
	if v.Factor != (want.word == "factor") || v.Int != (want.word == "int") {
		c.fail("%s is of another type than %s takes in its place", c.name(v), st.Func)
		return
	}
	shape := v.Shape[len(at):]
	misfit := func() { c.fail("%s does not fit %s", c.t.shaped(v, at), st.Func) }
	fits := func(a, b *Int) bool { return a.Equal(b) || unknown(a) || unknown(b) }
	for n, x := range want.dims {
		switch old := s.of[x]; {
		case x == "*" && !s.set:
			s.all, s.set = shape[min(n, len(shape)):], true
			return
		case x == "*":
			rest := shape[min(n, len(shape)):]
			for k := range rest {
				if len(rest) != len(s.all) || !fits(rest[k], s.all[k]) {
					misfit()
				}
			}
			if len(rest) != len(s.all) {
				misfit()
			}
			return
		case n >= len(shape):
			misfit()
			return
		case x == "_":
		case x == "1":
			if !fits(shape[n], Const(1)) {
				misfit()
			}
		case old == nil:
			s.of[x] = shape[n]
		case !fits(shape[n], old):
			misfit()
		}
	}
	if len(shape) != len(want.dims) {
		misfit()
	}
}

// unknown reports whether a size stands for one that no code needs.
func unknown(i *Int) bool { return i.Op == IntVar && i.Var.Unsized }

// shaped is the text of a part of an array, with its shape.
func (t *text) shaped(v *Var, at []*Int) string {
	shape := v.Shape[len(at):]
	if len(shape) == 0 {
		return fmt.Sprintf("the number %s", t.place(v, at))
	}
	return fmt.Sprintf("%s, of the shape %s,", t.place(v, at), t.at(shape))
}

// aliases checks that a kernel writes where it may.
func (c *checker) aliases(st *Kernel, row *kernelRow) {
	if row.place == itself && !st.reads(st.V) {
		c.fail("%s makes of %s another array", st.Func, c.name(st.Args[0]))
	}
	for n, v := range st.Args {
		at := st.Of(n)
		switch {
		case c.err != nil || !c.overlaps(v, st.V):
		case v != st.V:
			c.fail("%s fills %s and reads %s, which may be parts of one another", st.Func, c.name(st.V), c.name(v))
		case distinct(at, st.At):
		case row.place == apart || !sameInts(at, st.At):
			c.fail("%s fills %s, which it reads", st.Func, c.name(v))
		}
	}
}

// fit checks a least-squares fit: arrays of as many rows as it has.
func (c *checker) fit(st *Fit) {
	c.fits[st.Name] = true
	c.ints(st.From, st.To, st.Responses)
	array := func(v *Var, shape ...*Int) {
		if v == nil {
			return
		}
		c.array(v)
		c.readPart(v, nil)
		own := v.Shape
		if len(shape) == 2 && shape[0].IsConst(1) && len(own) == 1 { // one response, or one column
			shape = shape[1:]
		} else if len(shape) == 2 && shape[1].IsConst(1) && len(own) == 1 {
			shape = shape[:1]
		}
		if c.err == nil && !sameInts(own, shape) {
			c.fail("%s does not fit %s", c.t.shaped(v, nil), st.Name)
		}
	}
	array(st.Weights, st.To)
	array(st.Y, st.Responses, st.To)
	for _, x := range st.X {
		c.ints(x.Columns)
		array(x.V, st.To, x.Columns)
	}
}
