package loop

import (
	"slices"
	"strings"
)

// number reports whether v is a single number, and not something else.
func (v *Var) number() bool { return v.Scalar() && !v.Int && !v.Truth && !v.Status }

// what says what a variable is of, in the words of the table of calls.
func (v *Var) what() string {
	switch {
	case !v.Scalar():
		return "array"
	case v.Int:
		return "int"
	case v.Truth:
		return "truth"
	case v.Status:
		return "status"
	}
	return "number"
}

// control checks a statement that decides where the function goes on, or stands beside such, and returns what it declares.
func (c *checker) control(st Stmt) []*Var {
	for _, e := range Expressions(st) {
		c.expr(*e)
	}
	ints, reads := control(st)
	c.ints(ints...)
	for _, v := range reads {
		c.use(v)
		c.readPart(v, nil)
	}
	switch st := st.(type) {
	case *While:
		if st.V.what() != "int" || st.V.Home != Local || c.scope[st.V] {
			c.fail("the variable %s of a solve is no int of its own", c.name(st.V))
		}
		c.scope[st.V] = true
		c.stmts(st.Body)
		delete(c.scope, st.V)
	case *Block:
		c.blocks = append(c.blocks, st.Name)
		c.stmts(st.Body)
		c.blocks = c.blocks[:len(c.blocks)-1]
	case *Leave:
		if !slices.Contains(c.blocks, st.Name) {
			c.fail("%s is left outside of it", st.Name)
		}
	case *Branch:
		c.tests(st.Tests)
		c.stmts(st.Then)
		c.stmts(st.Else)
	case *Decide:
		c.tests(st.Tests)
		c.known(st.V, "truth")
	case *Zero:
		return []*Var{st.V}
	case *Table:
		if len(st.V.Shape) != 1 || len(st.Elements) > 0 && !st.V.Shape[0].IsConst(len(st.Elements)) {
			c.fail("the array %s has not as many elements as it is given", c.name(st.V))
		}
		c.filledAt(st.V)
		c.tables[st.V] = true
		return []*Var{st.V}
	case *Return:
		c.returns(st)
	case *Assign:
		c.assign(st)
	case *Invoke:
		return c.invoke(st)
	}
	return nil
}

// filledAt notes that all elements of an array have values from now on, which may be set anew.
func (c *checker) filledAt(v *Var) { c.filled(v, nil, true) }

// known checks that what a statement sets is of a type, and in sight.
func (c *checker) known(v *Var, what string) {
	if v.Home != Param && v.Home != State {
		c.use(v)
	}
	if v.what() != what {
		c.fail("%s is no %s", c.name(v), what)
	}
}

// tests checks what stands in the place of truths and statuses.
func (c *checker) tests(list []Condition) {
	for _, x := range list {
		switch x.Op {
		case Holds:
			c.known(x.V, "truth")
		case Failed:
			c.known(x.V, "status")
		}
	}
}

// assign checks that what is set and its value are of one type.
func (c *checker) assign(st *Assign) {
	switch v := st.Value; {
	case v.I != nil:
		c.known(st.V, "int")
	case v.From != nil:
		c.known(st.V, v.From.what())
	case st.V.Truth:
		c.known(st.V, "truth")
	default:
		c.known(st.V, "status")
	}
}

// returns checks that a function gives what it says.
func (c *checker) returns(st *Return) {
	var given []string
	for range st.Values {
		given = append(given, "number")
	}
	if st.Status != nil {
		given = append(given, "status")
	}
	if !slices.Equal(given, c.f.Gives) {
		c.fail("%s gives (%s), and not (%s)", c.f.Name, strings.Join(c.f.Gives, ", "), strings.Join(given, ", "))
	}
}

// invoke checks a call against its row, or against the function of the program that it calls.
func (c *checker) invoke(st *Invoke) []*Var {
	row, ok := calls[st.Func]
	if name, own := strings.CutPrefix(st.Func, "model."); !ok && own && c.funcs[name] != nil {
		row, ok = c.funcs[name].call(), true
	}
	if !ok {
		c.fail("%s is no call of the table, nor a function of the program", st.Func)
		return nil
	}
	var args, results []string
	for _, a := range st.Args {
		switch {
		case a.V != nil:
			args = append(args, a.V.what())
		case a.I != nil:
			args = append(args, "int")
		default:
			args = append(args, "number")
		}
	}
	for _, v := range st.Results {
		results = append(results, v.what())
	}
	want := strings.Fields(row.args)
	if last := len(want) - 1; last >= 0 && strings.HasSuffix(want[last], "…") {
		one := strings.TrimSuffix(want[last], "…")
		for want = want[:last]; len(want) < len(args); {
			want = append(want, one)
		}
	}
	if !slices.Equal(args, want) || !slices.Equal(results, strings.Fields(row.results)) {
		c.fail("%s takes (%s) and gives (%s)", st.Func, strings.Join(want, ", "), strings.Join(strings.Fields(row.results), ", "))
	}
	for _, v := range st.Changed() {
		c.filledAt(v)
	}
	if st.Declares {
		return st.Results
	}
	for _, v := range st.Results {
		c.known(v, v.what())
	}
	return nil
}

// call is what a function of the program takes and gives, in the form of a row of the table of calls.
func (f *Func) call() call {
	var row call
	for _, v := range f.Args {
		row.args += " " + v.what()
	}
	row.results = strings.Join(f.Gives, " ")
	return row
}
