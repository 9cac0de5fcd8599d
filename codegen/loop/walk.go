package loop

import "strings"

// Blocks calls f for a list of statements and for those inside it, inner ones first, and puts
// what f returns in their place.
func Blocks(list []Stmt, f func([]Stmt) []Stmt) []Stmt {
	for _, st := range list {
		for _, body := range Bodies(st) {
			*body = Blocks(*body, f)
		}
	}
	return f(list)
}

// Each calls f for every statement of a list, outer ones first.
func Each(list []Stmt, f func(Stmt)) {
	for _, st := range list {
		f(st)
		for _, body := range Bodies(st) {
			Each(*body, f)
		}
	}
}

// Nodes calls f for e and every node in it, operands first, each once.
func Nodes(e *Expr, f func(*Expr)) { nodes(e, map[*Expr]bool{}, f) }

func nodes(e *Expr, seen map[*Expr]bool, f func(*Expr)) {
	if len(e.Args) > 0 {
		if seen[e] {
			return
		}
		seen[e] = true
	}
	for _, a := range e.Args {
		nodes(a, seen, f)
	}
	for _, a := range e.Ends {
		nodes(a, seen, f)
	}
	f(e)
}

// Ints calls f for i and every part of it.
func Ints(i *Int, f func(*Int)) {
	for _, a := range i.Args {
		Ints(a, f)
	}
	f(i)
}

// Map returns e with nodes replaced: f has each node with its operands replaced already, in a
// copy where one of them was, and returns what stands in its place.
func Map(e *Expr, f func(*Expr) *Expr) *Expr { return mapping(e, map[*Expr]*Expr{}, f) }

// Mapper is Map that remembers what it has replaced.
func Mapper(f func(*Expr) *Expr) func(*Expr) *Expr {
	memo := map[*Expr]*Expr{}
	return func(e *Expr) *Expr { return mapping(e, memo, f) }
}

func mapping(e *Expr, memo map[*Expr]*Expr, f func(*Expr) *Expr) *Expr {
	if r, ok := memo[e]; ok {
		return r
	}
	out := e
	replace := func(list []*Expr, in func(*Expr) *[]*Expr) {
		for n, a := range list {
			r := mapping(a, memo, f)
			if r == a {
				continue
			}
			if out == e {
				own := *e
				own.Args, own.Ends = append([]*Expr(nil), e.Args...), append([]*Expr(nil), e.Ends...)
				out = &own
			}
			(*in(out))[n] = r
		}
	}
	replace(e.Args, func(x *Expr) *[]*Expr { return &x.Args })
	replace(e.Ends, func(x *Expr) *[]*Expr { return &x.Ends })
	r := f(out)
	memo[e] = r
	return r
}

// Subst returns i with variables replaced by what f returns, if that is not nil.
func (i *Int) Subst(f func(*Var) *Int) *Int {
	if i == nil {
		return nil
	}
	if i.Op == IntVar {
		if r := f(i.Var); r != nil {
			return r
		}
		return i
	}
	args, changed := i.Args, false
	for n, a := range i.Args {
		if r := a.Subst(f); r != a {
			if !changed {
				args, changed = append([]*Int(nil), i.Args...), true
			}
			args[n] = r
		}
	}
	if !changed {
		return i
	}
	switch i.Op {
	case IntAdd:
		return args[0].Add(args[1])
	case IntMul:
		return args[0].Times(args[1])
	}
	return &Int{Op: i.Op, N: i.N, Var: i.Var, Args: args}
}

// Renamer copies statements, with variables replaced.
type Renamer struct {
	Vars map[*Var]*Var // scalars and loop variables
	expr func(*Expr) *Expr
}

// NewRenamer returns one that replaces nothing yet.
func NewRenamer() *Renamer {
	r := &Renamer{Vars: map[*Var]*Var{}}
	r.reset()
	return r
}

// reset forgets the expressions that were renamed, after a change of Vars.
func (r *Renamer) reset() {
	r.expr = Mapper(func(e *Expr) *Expr {
		switch {
		case e.Op == Scalar && r.Vars[e.Var] != nil:
			return Value(r.Vars[e.Var])
		case len(e.At) > 0:
			at := r.Ints(e.At)
			for n := range at {
				if at[n] != e.At[n] {
					own := *e
					own.At = at
					return &own
				}
			}
		}
		return e
	})
}

// Put replaces a variable from now on.
func (r *Renamer) Put(old, new *Var) {
	r.Vars[old] = new
	r.reset()
}

// Int renames the variables of i.
func (r *Renamer) Int(i *Int) *Int {
	return i.Subst(func(v *Var) *Int {
		if w := r.Vars[v]; w != nil {
			return At(w)
		}
		return nil
	})
}

// Ints renames the variables of a list.
func (r *Renamer) Ints(list []*Int) []*Int {
	if list == nil {
		return nil
	}
	out := make([]*Int, len(list))
	for n, i := range list {
		out[n] = r.Int(i)
	}
	return out
}

func (r *Renamer) of(v *Var) *Var {
	if w := r.Vars[v]; w != nil {
		return w
	}
	return v
}

// List copies statements. What they declare gets variables of its own where fresh is set.
func (r *Renamer) List(list []Stmt, fresh bool) []Stmt {
	declare := func(v *Var) *Var {
		if !fresh || v.Home != Local {
			return r.of(v)
		}
		own := *v
		r.Put(v, &own)
		return &own
	}
	out := make([]Stmt, len(list))
	for n, st := range list {
		switch st := st.(type) {
		case *For:
			from, to := r.Int(st.From), r.Int(st.To)
			v := declare(st.V)
			out[n] = &For{V: v, From: from, To: to, Down: st.Down, Body: r.List(st.Body, fresh)}
		case *If:
			own := &If{}
			for _, c := range st.Conds {
				own.Conds = append(own.Conds, Cond{r.Int(c.X), c.Op, r.Int(c.Y)})
			}
			own.Body = r.List(st.Body, fresh)
			out[n] = own
		case *Let:
			e := r.expr(st.E)
			out[n] = &Let{declare(st.V), e}
		case *Set:
			out[n] = &Set{r.of(st.V), r.Ints(st.At), r.expr(st.E), st.Add}
		case *Kernel:
			own := *st
			own.At, own.ArgsAt = r.Ints(st.At), nil
			for _, at := range st.ArgsAt {
				own.ArgsAt = append(own.ArgsAt, r.Ints(at))
			}
			out[n] = &own
		default:
			out[n] = st
		}
	}
	return out
}

// Effects are the variables that statements read, with the places of the elements, and write.
type Effects struct {
	Reads  map[*Var][][]*Int
	Writes map[*Var]bool
	Draws  bool // random numbers are drawn, in order
	Calls  bool // a kernel or a fit is computed
}

// EffectsOf returns those of a list.
func EffectsOf(list ...Stmt) *Effects {
	e := &Effects{Reads: map[*Var][][]*Int{}, Writes: map[*Var]bool{}}
	e.Add(list...)
	return e
}

// WritesOf returns the variables that the statements of a list write: the Writes of EffectsOf, without a look at what they compute.
func WritesOf(list ...Stmt) map[*Var]bool {
	writes := map[*Var]bool{}
	addWrites(writes, list)
	return writes
}

func addWrites(writes map[*Var]bool, list []Stmt) {
	for _, st := range list {
		switch st := st.(type) {
		case *Let:
			writes[st.V] = true
		case *Set:
			writes[st.V] = true
		case *Clear:
			writes[st.V] = true
		case *Kernel:
			writes[st.V] = true
		case *FitPart:
			writes[st.V] = true
		case *Fit, *Keep:
		case *For:
			addWrites(writes, st.Body)
		case *If:
			addWrites(writes, st.Body)
		default:
			for _, v := range changed(st) {
				writes[v] = true
			}
			for _, body := range Bodies(st) {
				addWrites(writes, *body)
			}
		}
	}
}

// changed are the variables that a statement which decides where the function goes on, or stands beside such, writes itself.
func changed(st Stmt) []*Var {
	vars, _ := results(st)
	if c, ok := st.(*Invoke); ok {
		vars = append(c.Changed(), vars...)
	}
	return vars
}

// Add adds the effects of statements.
func (e *Effects) Add(list ...Stmt) {
	for _, st := range list {
		switch st := st.(type) {
		case *For:
			e.ints(st.From, st.To)
			e.Add(st.Body...)
		case *If:
			for _, c := range st.Conds {
				e.ints(c.X, c.Y)
			}
			e.Add(st.Body...)
		case *Let:
			e.read(st.E)
			e.Writes[st.V] = true
		case *Set:
			e.read(st.E)
			e.ints(st.At...)
			e.Writes[st.V] = true
		case *Clear:
			e.Writes[st.V] = true
		case *Keep:
			e.Reads[st.V] = append(e.Reads[st.V], nil)
		case *Kernel:
			e.Calls, e.Draws = true, e.Draws || st.Draws()
			e.ints(st.At...)
			e.ints(st.Dims()...)
			for n, v := range st.Args {
				e.ints(st.Of(n)...)
				e.Reads[v] = append(e.Reads[v], st.Of(n))
			}
			e.Writes[st.V] = true
		case *Fit:
			e.Calls = true
			e.whole(st.Weights, st.Y)
			for _, x := range st.X {
				e.whole(x.V)
			}
		case *FitPart:
			e.Calls = true
			e.Writes[st.V] = true
		default:
			e.control(st)
		}
	}
}

// control adds those of a statement that decides where the function goes on, or stands beside such.
func (e *Effects) control(st Stmt) {
	for _, x := range Expressions(st) {
		e.read(*x)
	}
	ints, reads := control(st)
	e.ints(ints...)
	e.whole(reads...)
	if _, ok := st.(*Invoke); ok {
		e.Calls = true
	}
	for _, v := range changed(st) {
		e.Writes[v] = true
	}
	for _, body := range Bodies(st) {
		e.Add(*body...)
	}
}

// Draws reports whether a kernel takes random numbers.
func (k *Kernel) Draws() bool { return strings.HasPrefix(k.Func, "random.") }

func (e *Effects) whole(list ...*Var) {
	for _, v := range list {
		if v != nil {
			e.Reads[v] = append(e.Reads[v], nil)
		}
	}
}

func (e *Effects) read(x *Expr) {
	Nodes(x, func(x *Expr) {
		switch x.Op {
		case Scalar:
			e.Reads[x.Var] = append(e.Reads[x.Var], nil)
		case Elem:
			e.Reads[x.Var] = append(e.Reads[x.Var], x.At)
		case Draw:
			e.Draws = true
		}
		e.ints(x.At...)
	})
}

func (e *Effects) ints(list ...*Int) {
	for _, i := range list {
		Ints(i, func(x *Int) {
			switch x.Op {
			case IntElem:
				e.Reads[x.Var] = append(e.Reads[x.Var], x.Args)
			case IntVar:
				if x.Var.Home != Size {
					e.Reads[x.Var] = append(e.Reads[x.Var], nil)
				}
			}
		})
	}
}

// Numbers copies statements, with the elements of arrays replaced by scalars.
func (r *Renamer) Numbers(list []Stmt, numbers map[*Var]*Var) []Stmt {
	inner := r.expr
	r.expr = Mapper(func(e *Expr) *Expr {
		if e.Op == Elem && numbers[e.Var] != nil {
			return Value(numbers[e.Var])
		}
		return inner(e)
	})
	return r.List(list, false)
}
