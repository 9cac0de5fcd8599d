package loop

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"text/scanner"
)

// Parse reads the text form. It serves tests: the error of a text that Format did not write may
// be short.
func Parse(src string) (p *Program, err error) {
	r := &reader{scopes: map[*Func]map[string]*Var{}, funcs: map[string]*Func{}}
	r.s.Init(strings.NewReader(src))
	r.s.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanFloats | scanner.ScanStrings
	r.s.IsIdentRune = func(c rune, i int) bool {
		return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && (c >= '0' && c <= '9' || c == '.')
	}
	r.s.Error = func(*scanner.Scanner, string) {}
	defer func() {
		if e, ok := recover().(parseError); ok {
			p, err = nil, e
		}
	}()
	r.next()
	p = &Program{}
	shared := map[string]*Var{}
	for r.tok != scanner.EOF {
		p.Funcs = append(p.Funcs, r.function(shared))
	}
	return p, nil
}

type parseError string

func (e parseError) Error() string { return string(e) }

// reader is a parser by descent.
type reader struct {
	s      scanner.Scanner
	tok    rune
	shared map[string]*Var // sizes and fields, by name
	vars   map[string]*Var
	scopes map[*Func]map[string]*Var
	funcs  map[string]*Func
}

func (r *reader) next() { r.tok = r.s.Scan() }

func (r *reader) text() string { return r.s.TokenText() }

func (r *reader) fail(format string, args ...any) {
	panic(parseError(fmt.Sprintf("%s: %s", r.s.Pos(), fmt.Sprintf(format, args...))))
}

// is reports whether the next token has the text, and takes it if so.
func (r *reader) is(text string) bool {
	if r.tok == scanner.EOF || r.text() != text {
		return false
	}
	r.next()
	return true
}

func (r *reader) want(text string) {
	if !r.is(text) {
		r.fail("%q where %q is needed", r.text(), text)
	}
}

func (r *reader) ident() string {
	if r.tok != scanner.Ident {
		r.fail("%q where a name is needed", r.text())
	}
	s := r.text()
	r.next()
	return s
}

func (r *reader) function(shared map[string]*Var) *Func {
	r.shared, r.vars = shared, map[string]*Var{}
	r.want("func")
	f := &Func{Name: r.ident()}
	r.want("(")
	for !r.is(")") {
		r.declare(Param)
		r.is(",")
	}
	if r.is("takes") {
		r.want("(")
		for !r.is(")") {
			f.Args = append(f.Args, r.declare(Param))
			r.is(",")
		}
		r.want("gives")
		r.want("(")
		for !r.is(")") {
			f.Gives = append(f.Gives, r.ident())
			r.is(",")
		}
	}
	if r.is("after") {
		if f.After = r.funcs[r.ident()]; f.After == nil {
			r.fail("no such function stands before %s", f.Name)
		}
		for name, v := range r.scopes[f.After] {
			if r.vars[name] == nil {
				r.vars[name] = v
			}
		}
	}
	if r.is("continues") {
		if f.Continues = r.funcs[r.ident()]; f.Continues == nil {
			r.fail("no such function stands before %s", f.Name)
		}
	}
	f.Divisible = r.is("divisible")
	r.funcs[f.Name], r.scopes[f] = f, r.vars
	for {
		switch {
		case r.is("field"):
			r.declare(Field)
		case r.is("state"):
			r.declare(State)
		case r.is("view"):
			v := r.declare(View)
			r.want("=")
			v.Of = r.variable(r.ident())
			r.want("[")
			v.From = r.int()
			if !v.Scalar() {
				r.want(":")
				v.To = r.int()
			}
			r.want("]")
		default:
			f.Body = r.stmts("end")
			return f
		}
	}
}

// declare reads a variable of the head.
func (r *reader) declare(home Home) *Var {
	v := &Var{Home: home}
	for {
		switch {
		case r.is("int"):
			v.Int = true
		case r.is("data"):
			v.Data = true
		case r.is("given"):
			v.Given = true
		case r.is("matrix"):
			v.Matrix = true
		case r.is("factor"):
			v.Factor = true
		case r.is("output"):
			v.Output = true
		case r.is("old"):
			v.Old = true
		case r.is("truth"):
			v.Truth = true
		case r.is("status"):
			v.Status = true
		default:
			v.Name = r.ident()
			if r.is("[") {
				v.Shape = r.ints("]")
			}
			if key := home.String() + " " + v.Name; home == Field || home == State {
				if old := r.shared[key]; old != nil {
					v = old
				}
				r.shared[key] = v
			}
			r.vars[v.Name] = v
			return v
		}
	}
}

// variable returns the variable of a name; one that is not declared is a size.
func (r *reader) variable(name string) *Var {
	if v := r.vars[name]; v != nil {
		return v
	}
	v := r.shared[name]
	if v == nil {
		v = &Var{Name: name, Home: Size, Int: true}
		r.shared[name] = v
	}
	return v
}

func (r *reader) local(name string, isInt bool) *Var {
	v := &Var{Name: name, Home: Local, Int: isInt}
	r.vars[name] = v
	return v
}

func (r *reader) stmts(end string) []Stmt {
	var list []Stmt
	for !r.is(end) {
		if r.tok == scanner.EOF {
			r.fail("the text ends where %q is needed", end)
		}
		list = append(list, r.stmt())
	}
	return list
}

func (r *reader) stmt() Stmt {
	switch {
	case r.is("for"):
		name := r.ident()
		r.want("in")
		st := &For{From: r.int()}
		r.want(":")
		st.To = r.int()
		st.Down = r.is("down")
		r.want("{")
		st.V = r.local(name, true)
		st.Body = r.stmts("}")
		return st
	case r.is("if"):
		st := &If{Conds: []Cond{r.cond()}}
		for r.is("and") {
			st.Conds = append(st.Conds, r.cond())
		}
		r.want("{")
		st.Body = r.stmts("}")
		return st
	case r.is("clear"):
		return &Clear{r.variable(r.ident())}
	case r.is("keep"):
		k := &Keep{V: r.variable(r.ident())}
		switch {
		case r.is("within"):
			k.For = Within
		case r.is("parts"):
			k.For = Parts
		}
		return k
	case r.is("fit"):
		return r.fit()
	case r.is("let"):
		return r.let()
	}
	if st := r.control(); st != nil {
		return st
	}
	v := r.variable(r.ident())
	var at []*Int
	if r.is("[") {
		at = r.ints("]")
	}
	if r.is("+") {
		r.want("=")
		return &Set{V: v, At: at, E: r.expr(), Add: true}
	}
	r.want("=")
	if !v.Scalar() {
		st := r.call(func() *Var { return v })
		if k, ok := st.(*Kernel); ok {
			k.At = at
		}
		if st != nil {
			return st
		}
	}
	return &Set{V: v, At: at, E: r.expr()}
}

// control reads a statement that decides where the function goes on, or stands beside such; it returns nil if there is none.
func (r *reader) control() Stmt {
	switch {
	case r.is("while"):
		st := &While{V: r.local(r.ident(), true)}
		r.want("from")
		st.From = r.int()
		r.want("{")
		st.Body = r.stmts("}")
		return st
	case r.is("block"):
		st := &Block{Name: r.ident()}
		r.want("{")
		st.Body = r.stmts("}")
		return st
	case r.is("leave"):
		return &Leave{r.ident()}
	case r.is("return"):
		r.want("(")
		st := &Return{Values: r.exprs()}
		if r.is("status") {
			v := r.value(&Var{Status: true})
			st.Status = &v
		}
		return st
	case r.is("branch"):
		st := &Branch{Tests: r.tests()}
		r.want("{")
		st.Then = r.stmts("}")
		if r.is("else") {
			r.want("{")
			st.Else = r.stmts("}")
		}
		return st
	case r.is("unless"):
		st := &Branch{Tests: r.tests()}
		r.want("{")
		st.Else = r.stmts("}")
		return st
	case r.is("decide"):
		st := &Decide{V: r.variable(r.ident())}
		r.want("=")
		st.Tests = r.tests()
		return st
	case r.is("zero"):
		return &Zero{r.declare(Local)}
	case r.is("table"):
		st := &Table{V: r.declare(Local)}
		r.want("=")
		r.want("(")
		st.Elements = r.exprs()
		return st
	case r.is("assign"):
		st := &Assign{V: r.variable(r.ident())}
		r.want("=")
		st.Value = r.value(st.V)
		return st
	case r.is("invoke"):
		return r.invoke()
	case r.is("note"):
		text, err := strconv.Unquote(r.text())
		if err != nil {
			r.fail("%q where a text is needed", r.text())
		}
		r.next()
		return &Note{text}
	}
	return nil
}

// value reads what an int or a status is set to.
func (r *reader) value(v *Var) Content {
	if v.Int {
		return Content{I: r.int()}
	}
	name := r.ident()
	if from := r.vars[name]; from != nil {
		return Content{From: from}
	}
	return Content{Word: name}
}

// invoke reads a call. It declares its results if they stand behind let.
func (r *reader) invoke() Stmt {
	st := &Invoke{Declares: r.is("let")}
	var names []string
	var declare []func()
	for {
		isInt, isStatus := r.is("int"), r.is("status")
		name := r.ident()
		names = append(names, name)
		n := len(names) - 1
		declare = append(declare, func() {
			v := r.local(name, isInt)
			v.Status = isStatus
			st.Results[n] = v
		})
		if !r.is(",") {
			break
		}
	}
	st.Func = names[0]
	results := r.is("=")
	if results {
		st.Func = r.ident()
	}
	r.want("(")
	for !r.is(")") {
		switch {
		case r.is("int"):
			st.Args = append(st.Args, Arg{I: r.int()})
		case r.is("table"):
			st.Args = append(st.Args, Arg{V: r.variable(r.ident())})
		default:
			st.Args = append(st.Args, Arg{E: r.expr()})
		}
		r.is(",")
	}
	if !results {
		return st
	}
	st.Results = make([]*Var, len(names))
	for n, name := range names {
		if st.Declares {
			declare[n]()
			continue
		}
		st.Results[n] = r.variable(name)
	}
	return st
}

func (r *reader) tests() []Condition {
	list := []Condition{r.test()}
	for r.is("and") {
		list = append(list, r.test())
	}
	return list
}

func (r *reader) test() Condition {
	x := Condition{Not: r.is("not")}
	switch {
	case r.is("holds"):
		x.Op, x.V = Holds, r.variable(r.ident())
	case r.is("failed"):
		x.Op, x.V = Failed, r.variable(r.ident())
	case r.is("setting"):
		x.Op, x.Setting = Setting, r.ident()
		r.want("is")
		x.Word = r.ident()
	case r.is("int"):
		x.I = r.int()
		x.Op = r.comparison(map[string]Comparison{">=": IntAtLeast, "==": IntSame})
		x.J = r.int()
	default:
		x.X = r.expr()
		x.Op = r.comparison(map[string]Comparison{"<=": AtMost, ">": Above, "==": Same, "!=": Differs})
		x.Y = r.expr()
	}
	return x
}

// comparison reads a mark of one or two tokens.
func (r *reader) comparison(of map[string]Comparison) Comparison {
	mark := r.text()
	r.next()
	if r.is("=") {
		mark += "="
	}
	op, ok := of[mark]
	if !ok {
		r.fail("%q where a comparison is needed", mark)
	}
	return op
}

// let reads a declaration; the variable is known behind it.
func (r *reader) let() Stmt {
	kept := r.is("field")
	name := r.ident()
	declare := func() *Var {
		v := r.shared["field "+name]
		if !kept || v == nil {
			v = r.local(name, false)
		}
		if kept {
			v.Home, r.shared["field "+name] = Field, v
		}
		r.vars[name] = v
		return v
	}
	r.want("=")
	if st := r.call(declare); st != nil {
		return st
	}
	e := r.expr()
	return &Let{declare(), e}
}

// call reads the call of a kernel or the part of a fit, or returns nil.
func (r *reader) call(result func() *Var) Stmt {
	if r.is("fitpart") {
		name, part, _ := strings.Cut(r.ident(), ".")
		st := &FitPart{V: result(), Name: name, Part: part}
		r.want("(")
		for _, i := range r.ints(")") {
			st.At = append(st.At, i.N)
		}
		return st
	}
	if !r.is("call") {
		return nil
	}
	st := &Kernel{Func: r.ident()}
	r.want("(")
	for !r.is(")") {
		st.Args, st.ArgsAt = append(st.Args, r.variable(r.ident())), append(st.ArgsAt, nil)
		if r.is("[") {
			st.ArgsAt[len(st.Args)-1] = r.ints("]")
		}
		r.is(",")
	}
	st.V = result()
	return st
}

func (r *reader) fit() Stmt {
	st := &Fit{Name: r.ident()}
	optional := func() *Var {
		if r.is("none") {
			return nil
		}
		return r.variable(r.ident())
	}
	r.want("(")
	st.From = r.int()
	r.want(":")
	st.To = r.int()
	r.want(",")
	st.Responses = r.int()
	r.want(",")
	st.Weights = optional()
	r.want(",")
	st.Y = optional()
	for r.is(",") {
		v := optional()
		r.want("by")
		st.X = append(st.X, Regressor{v, r.int()})
	}
	r.want(")")
	return st
}

func (r *reader) cond() Cond {
	c := Cond{X: r.int()}
	switch {
	case r.is(">"):
		r.want("=")
	case r.is("<"):
		c.Op = Below
	default:
		r.want("=")
		r.want("=")
		c.Op = Equals
	}
	c.Y = r.int()
	return c
}

func (r *reader) ints(end string) []*Int {
	var list []*Int
	for !r.is(end) {
		list = append(list, r.int())
		r.is(",")
	}
	return list
}

func (r *reader) int() *Int {
	i := r.intProduct()
	for {
		switch {
		case r.is("+"):
			i = i.Add(r.intProduct())
		case r.is("-"):
			n, err := strconv.Atoi(r.text())
			if err != nil {
				r.fail("%q where a number is needed", r.text())
			}
			r.next()
			i = i.Plus(-n)
		default:
			return i
		}
	}
}

func (r *reader) intProduct() *Int {
	i := r.intPrimary()
	for r.is("*") {
		i = i.Times(r.intPrimary())
	}
	return i
}

func (r *reader) intPrimary() *Int {
	switch {
	case r.is("("):
		i := r.int()
		r.want(")")
		return i
	case r.is("-"):
		n, _ := strconv.Atoi(r.text())
		r.next()
		return Const(-n)
	case r.tok == scanner.Int:
		n, _ := strconv.Atoi(r.text())
		r.next()
		return Const(n)
	}
	name := r.ident()
	if (name == "min" || name == "max") && r.is("(") {
		args := r.ints(")")
		if len(args) != 2 {
			r.fail("%s of %d numbers", name, len(args))
		}
		if name == "min" {
			return Least(args[0], args[1])
		}
		return Greatest(args[0], args[1])
	}
	v := r.variable(name)
	if r.is("[") {
		return ElemOf(v, r.ints("]")...)
	}
	return At(v)
}

// expr reads a sum.
func (r *reader) expr() *Expr {
	if r.is("+") { // a sum of one term
		k, e, _ := r.term()
		return &Expr{Op: Add, K: []float64{k}, Args: []*Expr{e}}
	}
	sign := 1.0
	if r.is("-") {
		sign = -1
	}
	k, e, whole := r.term()
	switch {
	case r.text() == "+" || r.text() == "-":
	case k == 1 && sign == 1:
		return e
	case k == 1 && e.Op == Num && !whole:
		return Number(-e.Val)
	case k == 1 && e.Op == Mul && !whole:
		return &Expr{Op: Mul, Val: -e.Val, K: e.K, Args: e.Args}
	default:
		return &Expr{Op: Mul, Val: sign * k, K: []float64{1}, Args: []*Expr{e}}
	}
	sum := &Expr{Op: Add, K: []float64{sign * k}, Args: []*Expr{e}}
	for {
		switch {
		case r.is("+"):
			sign = 1
		case r.is("-"):
			sign = -1
		default:
			return sum
		}
		k, e, _ := r.term()
		sum.K, sum.Args = append(sum.K, sign*k), append(sum.Args, e)
	}
}

// term reads a product, with its coefficient where that stands before one primary; whole tells
// that what it returns stood in parentheses.
func (r *reader) term() (k float64, e *Expr, whole bool) {
	k = 1.0
	number := r.tok == scanner.Int || r.tok == scanner.Float
	if number {
		k, _ = strconv.ParseFloat(r.text(), 64)
		r.next()
		if !r.is("*") {
			return 1, Number(k), false
		}
	}
	e = &Expr{Op: Mul, Val: 1}
	for {
		whole = r.text() == "("
		x := r.primary()
		p := 1.0
		if r.is("^") {
			p = r.exponent()
		}
		e.K, e.Args = append(e.K, p), append(e.Args, x)
		if !r.is("*") {
			break
		}
	}
	if len(e.Args) == 1 && e.K[0] == 1 {
		return k, e.Args[0], whole
	}
	e.Val = k
	return 1, e, false
}

func (r *reader) exponent() float64 {
	sign := 1.0
	if r.is("-") {
		sign = -1
	}
	v, err := strconv.ParseFloat(r.text(), 64)
	if err != nil {
		r.fail("%q where an exponent is needed", r.text())
	}
	r.next()
	return sign * v
}

func (r *reader) primary() *Expr {
	switch {
	case r.is("("):
		e := r.expr()
		r.want(")")
		return e
	case r.tok == scanner.Int || r.tok == scanner.Float:
		v, _ := strconv.ParseFloat(r.text(), 64)
		r.next()
		return Number(v)
	}
	name := r.ident()
	switch name {
	case "draw":
		e := &Expr{Op: Draw, Func: r.ident()}
		r.want("(")
		e.Args = r.exprs()
		if r.is("in") {
			r.want("(")
			e.Ends = r.exprs()
		}
		return e
	case "inf":
		return Number(math.Inf(1))
	case "nan":
		return Number(math.NaN())
	case "float":
		r.want("(")
		e := &Expr{Op: Float, At: []*Int{r.int()}}
		r.want(")")
		return e
	}
	switch {
	case r.is("("):
		return &Expr{Op: Call, Func: name, Args: r.exprs()}
	case r.is("["):
		if strings.Contains(name, ".") && r.vars[name] == nil {
			return &Expr{Op: Test, Func: name, At: r.ints("]")}
		}
		return Element(r.variable(name), r.ints("]")...)
	}
	return Value(r.variable(name))
}

func (r *reader) exprs() []*Expr {
	var list []*Expr
	for !r.is(")") {
		list = append(list, r.expr())
		r.is(",")
	}
	return list
}
