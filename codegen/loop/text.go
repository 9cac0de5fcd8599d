package loop

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Format returns the text form of a program, which Parse reads:
//
//	func force(f[m], q[m], w[m, m])
//		field a5[n]
//		view beta[m] = q[0 : m]
//		let sum = 0
//		for i in 0 : m {
//			sum += a5[i]*beta[i]^2
//		}
//		f[0] = -sum
//		end
//
// First stand the variables that the function reads and does not declare, in the order of their
// first use.
func (p *Program) Format() string {
	// What functions share has one name in all of them.
	shared := newText()
	for _, f := range p.Funcs {
		for _, v := range f.Free() {
			if v.Home == Size || v.Home == Field || v.Home == State {
				shared.name(v)
			}
		}
	}
	var b strings.Builder
	for n, f := range p.Funcs {
		if n > 0 {
			b.WriteString("\n")
		}
		b.WriteString(shared.format(f))
	}
	return b.String()
}

// Format returns the text form of a function.
func (f *Func) Format() string { return newText().format(f) }

// format returns the text form of a function, with the names that t has given.
func (t *text) format(f *Func) string {
	own := &text{names: maps.Clone(t.names), taken: maps.Clone(t.taken)}
	after := ""
	if f.After != nil {
		own.function(f.After)
		own.b.Reset()
		after = " after " + f.After.Name
	}
	if f.Continues != nil {
		after += " continues " + f.Continues.Name
	}
	if f.Divisible {
		after += " divisible"
	}
	own.function(f)
	head, rest, _ := strings.Cut(own.b.String(), "\n")
	return head + after + "\n" + rest
}

// function writes a function.
func (t *text) function(f *Func) {
	t.depth = 0
	free := f.Free()
	var params, heads, args []string
	for _, v := range free {
		t.name(v)
	}
	for _, v := range free {
		switch v.Home {
		case Param:
			if slices.Contains(f.Args, v) {
				continue
			}
			params = append(params, t.declared(v))
		case View:
			if v.Scalar() {
				heads = append(heads, fmt.Sprintf("%s = %s[%s]", t.head(v), t.name(v.Of), t.int(v.From, 0)))
				continue
			}
			heads = append(heads, fmt.Sprintf("%s = %s[%s : %s]", t.head(v), t.name(v.Of), t.int(v.From, 0), t.int(v.To, 0)))
		case Field, State:
			heads = append(heads, t.head(v))
		}
	}
	for _, v := range f.Args {
		args = append(args, t.declared(v))
	}
	head := ""
	if args != nil || f.Gives != nil {
		head = fmt.Sprintf(" takes (%s) gives (%s)", strings.Join(args, ", "), strings.Join(f.Gives, ", "))
	}
	t.line("func %s(%s)%s", f.Name, strings.Join(params, ", "), head)
	t.depth++
	for _, h := range heads {
		t.line("%s", h)
	}
	t.stmts(f.Body)
	t.line("end")
}

// Free lists the variables that the body reads or sets and does not declare, sizes first, then
// in the order of their first use; what a view is a part of comes before it.
func (f *Func) Free() []*Var {
	x := &free{own: map[*Var]bool{}, seen: map[*Var]bool{}}
	Each(f.Body, x.stmt)
	return append(x.sizes, x.out...)
}

// free is the search for the variables that statements read or set and do not declare.
type free struct {
	own, seen  map[*Var]bool
	sizes, out []*Var
}

func (f *free) note(v *Var) {
	if v == nil || f.own[v] || f.seen[v] {
		return
	}
	f.seen[v] = true
	if v.Home == View {
		f.note(v.Of)
		f.ints(v.From, v.To)
	}
	f.ints(v.Shape...)
	if v.Home == Size {
		f.sizes = append(f.sizes, v)
		return
	}
	f.out = append(f.out, v)
}

func (f *free) ints(list ...*Int) {
	for _, i := range list {
		if i != nil {
			Ints(i, func(x *Int) { f.note(x.Var) })
		}
	}
}

func (f *free) expr(e *Expr) {
	Nodes(e, func(x *Expr) {
		f.note(x.Var)
		f.ints(x.At...)
	})
}

// result notes what a statement fills, or declares if it is a number.
func (f *free) result(v *Var) {
	if v.Scalar() {
		f.own[v] = true
	}
	f.note(v)
}

func (f *free) stmt(st Stmt) {
	switch st := st.(type) {
	case *For:
		f.ints(st.From, st.To)
		f.own[st.V] = true
	case *If:
		for _, c := range st.Conds {
			f.ints(c.X, c.Y)
		}
	case *Let:
		f.expr(st.E)
		f.own[st.V] = true
	case *Set:
		f.note(st.V)
		f.ints(st.At...)
		f.expr(st.E)
	case *Clear:
		f.note(st.V)
	case *Keep:
		f.note(st.V)
	case *Kernel:
		for n, v := range st.Args {
			f.note(v)
			f.ints(st.Of(n)...)
		}
		f.ints(st.At...)
		f.result(st.V)
	case *Fit:
		f.ints(st.From, st.To, st.Responses)
		f.note(st.Weights)
		f.note(st.Y)
		for _, x := range st.X {
			f.note(x.V)
			f.ints(x.Columns)
		}
	case *FitPart:
		f.result(st.V)
	default:
		f.control(st)
	}
}

// control notes the variables of statements that decide where the function goes on.
func (f *free) control(st Stmt) {
	if w, ok := st.(*While); ok {
		f.own[w.V] = true
	}
	for _, e := range Expressions(st) {
		f.expr(*e)
	}
	ints, reads := control(st)
	f.ints(ints...)
	vars, declares := results(st)
	for _, v := range reads {
		f.note(v)
	}
	for _, v := range vars {
		if declares {
			f.own[v] = true
			f.ints(v.Shape...)
		}
		f.note(v)
	}
}

// text writes the text form.
type text struct {
	b     strings.Builder
	depth int
	names map[*Var]string
	taken map[string]bool
}

// newText returns a writer that gives no variable the name of a word of the text form.
func newText() *text {
	t := &text{names: map[*Var]string{}, taken: map[string]bool{}}
	for _, w := range strings.Fields("func after end field view int data given matrix factor output for in if and clear keep within fit fitpart call let by none draw float min max inf nan state takes gives old truth status while from block leave return branch unless else decide zero table assign invoke note not holds failed setting is") {
		t.taken[w] = true
	}
	return t
}

func (t *text) line(format string, args ...any) {
	t.b.WriteString(strings.Repeat("\t", t.depth))
	fmt.Fprintf(&t.b, format, args...)
	t.b.WriteString("\n")
}

// name returns a variable's name: its own, with a number where two of a function have one.
func (t *text) name(v *Var) string {
	if s, ok := t.names[v]; ok {
		return s
	}
	s := v.Name
	for k := 2; t.taken[s]; k++ {
		s = fmt.Sprintf("%s_%d", v.Name, k)
	}
	t.taken[s], t.names[v] = true, s
	return s
}

// typed is the name of a variable behind what it is of.
func (t *text) typed(v *Var) string {
	switch {
	case v.Int:
		return "int " + t.name(v)
	case v.Truth:
		return "truth " + t.name(v)
	case v.Status:
		return "status " + t.name(v)
	}
	return t.name(v)
}

// declared is a variable with its shape.
func (t *text) declared(v *Var) string {
	s := t.typed(v)
	if v.Old {
		s = "old " + s
	}
	if !v.Scalar() {
		dims := make([]string, len(v.Shape))
		for n, x := range v.Shape {
			dims[n] = t.int(x, 0)
		}
		s += "[" + strings.Join(dims, ", ") + "]"
	}
	return s
}

// head declares a variable at the head of a function.
func (t *text) head(v *Var) string {
	words := []string{v.Home.String()}
	for _, x := range []struct {
		is   bool
		word string
	}{{v.Data, "data"}, {v.Given, "given"}, {v.Matrix, "matrix"}, {v.Factor, "factor"}, {v.Output, "output"}} {
		if x.is {
			words = append(words, x.word)
		}
	}
	return strings.Join(append(words, t.declared(v)), " ")
}

func (t *text) stmts(list []Stmt) {
	for _, st := range list {
		t.stmt(st)
	}
}

func (t *text) block(head string, body []Stmt) {
	t.line("%s {", head)
	t.depth++
	t.stmts(body)
	t.depth--
	t.line("}")
}

func (t *text) stmt(st Stmt) {
	switch st := st.(type) {
	case *For:
		from, to := t.int(st.From, 0), t.int(st.To, 0)
		down := ""
		if st.Down {
			down = " down"
		}
		t.block(fmt.Sprintf("for %s in %s : %s%s", t.name(st.V), from, to, down), st.Body)
	case *If:
		conds := make([]string, len(st.Conds))
		for n, c := range st.Conds {
			conds[n] = fmt.Sprintf("%s %s %s", t.int(c.X, 0), [...]string{">=", "<", "=="}[c.Op], t.int(c.Y, 0))
		}
		t.block("if "+strings.Join(conds, " and "), st.Body)
	case *Let:
		e := t.expr(st.E, precSum)
		t.line("%s = %s", t.result(st.V), e)
	case *Set:
		op := "="
		if st.Add {
			op = "+="
		}
		t.line("%s %s %s", t.place(st.V, st.At), op, t.expr(st.E, precSum))
	case *Clear:
		t.line("clear %s", t.name(st.V))
	case *Keep:
		t.line("keep %s%s", t.name(st.V), readers[st.For])
	case *Kernel:
		args := make([]string, len(st.Args))
		for n, v := range st.Args {
			args[n] = t.place(v, st.Of(n))
		}
		result := t.result(st.V)
		if st.At != nil {
			result = t.place(st.V, st.At)
		}
		t.line("%s = call %s(%s)", result, st.Func, strings.Join(args, ", "))
	case *Fit:
		args := []string{t.int(st.From, 0) + " : " + t.int(st.To, 0), t.int(st.Responses, 0), t.optional(st.Weights), t.optional(st.Y)}
		for _, x := range st.X {
			args = append(args, t.optional(x.V)+" by "+t.int(x.Columns, 0))
		}
		t.line("fit %s(%s)", st.Name, strings.Join(args, ", "))
	case *FitPart:
		at := make([]string, len(st.At))
		for n, i := range st.At {
			at[n] = strconv.Itoa(i)
		}
		t.line("%s = fitpart %s.%s(%s)", t.result(st.V), st.Name, st.Part, strings.Join(at, ", "))
	default:
		t.control(st)
	}
}

// control writes a statement that decides where the function goes on, or stands beside such.
func (t *text) control(st Stmt) {
	switch st := st.(type) {
	case *While:
		from := t.int(st.From, 0)
		t.block(fmt.Sprintf("while %s from %s", t.name(st.V), from), st.Body)
	case *Block:
		t.block("block "+st.Name, st.Body)
	case *Leave:
		t.line("leave %s", st.Name)
	case *Return:
		s := "return (" + t.exprs(st.Values) + ")"
		if st.Status != nil {
			s += " status " + t.value(*st.Status)
		}
		t.line("%s", s)
	case *Branch:
		tests := t.tests(st.Tests)
		if len(st.Then) == 0 {
			t.block("unless "+tests, st.Else)
			return
		}
		t.block("branch "+tests, st.Then)
		if len(st.Else) > 0 {
			t.block("else", st.Else)
		}
	case *Decide:
		t.line("decide %s = %s", t.name(st.V), t.tests(st.Tests))
	case *Zero:
		t.line("zero %s", t.declared(st.V))
	case *Table:
		elements := t.exprs(st.Elements)
		t.line("table %s = (%s)", t.declared(st.V), elements)
	case *Assign:
		t.line("assign %s = %s", t.name(st.V), t.value(st.Value))
	case *Invoke:
		t.line("invoke %s%s(%s)", t.results(st), st.Func, t.args(st.Args))
	case *Note:
		t.line("note %s", strconv.Quote(st.Text))
	}
}

func (t *text) value(v Content) string {
	switch {
	case v.I != nil:
		return t.int(v.I, 0)
	case v.From != nil:
		return t.name(v.From)
	}
	return v.Word
}

// results are those of a call, each with what it is of where the call declares them.
func (t *text) results(st *Invoke) string {
	if len(st.Results) == 0 {
		return ""
	}
	names := make([]string, len(st.Results))
	for n, v := range st.Results {
		if names[n] = t.name(v); st.Declares {
			names[n] = t.typed(v)
		}
	}
	if st.Declares {
		return "let " + strings.Join(names, ", ") + " = "
	}
	return strings.Join(names, ", ") + " = "
}

// args are the arguments of a call, each behind what it is if it is no number.
func (t *text) args(list []Arg) string {
	s := make([]string, len(list))
	for n, a := range list {
		switch {
		case a.E != nil:
			s[n] = t.expr(a.E, precSum)
		case a.I != nil:
			s[n] = "int " + t.int(a.I, 0)
		default:
			s[n] = "table " + t.name(a.V)
		}
	}
	return strings.Join(s, ", ")
}

func (t *text) tests(list []Condition) string {
	s := make([]string, len(list))
	for n, x := range list {
		s[n] = t.test(x)
	}
	return strings.Join(s, " and ")
}

// comparisons are the marks of tests of numbers and ints.
var comparisons = map[Comparison]string{AtMost: "<=", Above: ">", Same: "==", Differs: "!=", IntAtLeast: ">=", IntSame: "=="}

func (t *text) test(x Condition) string {
	s := ""
	switch x.Op {
	case Holds:
		s = "holds " + t.name(x.V)
	case Failed:
		s = "failed " + t.name(x.V)
	case Setting:
		s = fmt.Sprintf("setting %s is %s", x.Setting, x.Word)
	case IntAtLeast, IntSame:
		s = fmt.Sprintf("int %s %s %s", t.int(x.I, 0), comparisons[x.Op], t.int(x.J, 0))
	default:
		s = fmt.Sprintf("%s %s %s", t.expr(x.X, precSum), comparisons[x.Op], t.expr(x.Y, precSum))
	}
	if x.Not {
		return "not " + s
	}
	return s
}

// result is what a call fills, or declares.
func (t *text) result(v *Var) string {
	switch {
	case v.Scalar() && v.Home == Field:
		return "let field " + t.name(v)
	case v.Scalar():
		return "let " + t.name(v)
	}
	return t.name(v)
}

func (t *text) optional(v *Var) string {
	if v == nil {
		return "none"
	}
	return t.name(v)
}

func (t *text) place(v *Var, at []*Int) string {
	if len(at) == 0 {
		return t.name(v)
	}
	return t.name(v) + t.at(at)
}

func (t *text) at(at []*Int) string {
	s := make([]string, len(at))
	for n, i := range at {
		s[n] = t.int(i, 0)
	}
	return "[" + strings.Join(s, ", ") + "]"
}

// intText is the text of an int whose variables have the names that they wish for.
func intText(i *Int, prec int) string {
	return newText().int(i, prec)
}

// int is the text of an int, in parentheses where it binds less than prec.
func (t *text) int(i *Int, prec int) string {
	s, own := "", 2
	switch i.Op {
	case IntConst:
		s = strconv.Itoa(i.N)
	case IntVar:
		s = t.name(i.Var)
	case IntElem:
		s = t.name(i.Var) + t.at(i.Args)
	case IntAdd:
		own = 0
		if j := i.Args[1]; j.Op == IntConst && j.N < 0 {
			s = fmt.Sprintf("%s - %d", t.int(i.Args[0], 0), -j.N)
		} else {
			s = fmt.Sprintf("%s + %s", t.int(i.Args[0], 0), t.int(j, 1))
		}
	case IntMul:
		own = 1
		s = fmt.Sprintf("%s*%s", t.int(i.Args[0], 1), t.int(i.Args[1], 2))
	case IntMin:
		s = fmt.Sprintf("min(%s, %s)", t.int(i.Args[0], 0), t.int(i.Args[1], 0))
	case IntMax:
		s = fmt.Sprintf("max(%s, %s)", t.int(i.Args[0], 0), t.int(i.Args[1], 0))
	}
	if own < prec {
		return "(" + s + ")"
	}
	return s
}

// Precedences of the text form.
const (
	precSum = iota
	precProduct
	precPrimary
)

// number is the text of a number that is not negative.
func number(v float64) string {
	if math.IsInf(v, 0) {
		return "inf"
	}
	if math.IsNaN(v) {
		return "nan"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// expr is the text of an expression, in parentheses where it binds less than prec.
func (t *text) expr(e *Expr, prec int) string {
	s, own := "", precPrimary
	switch e.Op {
	case Num:
		s = number(math.Abs(e.Val))
		if math.Signbit(e.Val) {
			s, own = "-"+s, precSum
		}
	case Scalar:
		s = t.name(e.Var)
	case Elem:
		s = t.place(e.Var, e.At)
	case Add:
		s, own = t.sum(e), precSum
	case Mul:
		s, own = t.product(e), precProduct
		if math.Signbit(e.Val) {
			own = precSum
		}
	case Call:
		s = e.Func + "(" + t.exprs(e.Args) + ")"
	case Float:
		s = "float(" + t.int(e.At[0], 0) + ")"
	case Test:
		s = e.Func + t.at(e.At)
	case Draw:
		s = "draw " + e.Func + "(" + t.exprs(e.Args) + ")"
		if len(e.Ends) > 0 {
			s += " in (" + t.exprs(e.Ends) + ")"
		}
	}
	if own < prec {
		return "(" + s + ")"
	}
	return s
}

func (t *text) exprs(list []*Expr) string {
	s := make([]string, len(list))
	for n, e := range list {
		s[n] = t.expr(e, precSum)
	}
	return strings.Join(s, ", ")
}

// sum writes a sum: a coefficient stands before a primary, and products of their own are in
// parentheses behind one.
func (t *text) sum(e *Expr) string {
	s := ""
	for n, a := range e.Args {
		k := e.K[n]
		switch {
		case n == 0 && k < 0:
			s = "-"
		case n > 0 && k < 0:
			s += " - "
		case n > 0:
			s += " + "
		}
		if k = math.Abs(k); k != 1 {
			s += number(k) + "*" + t.expr(a, precPrimary)
			continue
		}
		// 2*x is a term with a coefficient, (2*x) a product.
		if a.Op == Mul && a.Val != 1 || a.Op == Num && math.Signbit(a.Val) {
			s += "(" + t.expr(a, precSum) + ")"
			continue
		}
		s += t.expr(a, precProduct)
	}
	if len(e.Args) == 1 && e.K[0] == 1 {
		return "+" + s
	}
	return s
}

func (t *text) product(e *Expr) string {
	var parts []string
	v := math.Abs(e.Val)
	if v != 1 || len(e.Args) == 0 {
		parts = append(parts, number(v))
	}
	for n, a := range e.Args {
		x := t.expr(a, precPrimary)
		if k := e.K[n]; k != 1 {
			x += "^" + strconv.FormatFloat(k, 'g', -1, 64)
		}
		parts = append(parts, x)
	}
	s := strings.Join(parts, "*")
	if math.Signbit(e.Val) {
		s = "-" + s
	}
	if len(e.Args) == 1 && e.K[0] == 1 && v == 1 && !math.Signbit(e.Val) {
		s = "1*" + s
	}
	return s
}
