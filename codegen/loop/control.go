package loop

import "strings"

// What decides where a function goes on. The steps of integrators are such functions: a solve is repeated until it is left, and a status
// says why. All else of a program has no use for them.

type (
	// While runs Body for V = From, From + 1, … until a statement in it leaves a block around it, or the function.
	While struct {
		V    *Var
		From *Int
		Body []Stmt
	}
	// Block runs Body, which a Leave of its name ends.
	Block struct {
		Name string
		Body []Stmt
	}
	// Leave goes on behind the block of a name.
	Leave struct{ Name string }
	// Return ends the function, which gives the values and a status, if it gives any.
	Return struct {
		Values []*Expr
		Status *Content
	}
	// Branch runs Then where all tests hold, and else Else; each test is looked at only where those before it hold.
	Branch struct {
		Tests []Condition
		Then  []Stmt
		Else  []Stmt
	}
	// Decide makes V, a truth, tell whether all tests hold.
	Decide struct {
		V     *Var
		Tests []Condition
	}
	// Zero declares a variable: a number or an int that is 0, a truth that does not hold, the status of success.
	Zero struct{ V *Var }
	// Table declares an array with its elements, which are 0 where there are none.
	Table struct {
		V        *Var
		Elements []*Expr
	}
	// Assign sets an int or a status.
	Assign struct {
		V     *Var
		Value Content
	}
	// Invoke calls a row of the table of calls, or a function of the program. Its results are declared, or were.
	Invoke struct {
		Func     string
		Results  []*Var
		Declares bool
		Args     []Arg
	}
	// Note is a remark for those who read the emitted code.
	Note struct{ Text string }
)

func (*While) stmt()  {}
func (*Block) stmt()  {}
func (*Leave) stmt()  {}
func (*Return) stmt() {}
func (*Branch) stmt() {}
func (*Decide) stmt() {}
func (*Zero) stmt()   {}
func (*Table) stmt()  {}
func (*Assign) stmt() {}
func (*Invoke) stmt() {}
func (*Note) stmt()   {}

// Content is what an int or a status is set to: an int, a variable of its type, or a word of the runtime.
type Content struct {
	I    *Int
	From *Var
	Word string
}

// Arg is an argument of a call: a number, an int or an array.
type Arg struct {
	E *Expr
	I *Int
	V *Var
}

// Comparison is how a test compares.
type Comparison uint8

// The comparisons.
const (
	AtMost     Comparison = iota // X <= Y
	Above                        // X > Y
	Same                         // X == Y
	Differs                      // X != Y
	IntAtLeast                   // I >= J
	IntSame                      // I == J
	Holds                        // V is true
	Failed                       // the status V is not that of success
	Setting                      // the Setting of the solver is the Word
)

// Condition is one on numbers X and Y, ints I and J, a truth or a status V, or on what the user has set.
type Condition struct {
	Op      Comparison
	Not     bool // the opposite holds; of numbers, also where one is NaN
	X, Y    *Expr
	I, J    *Int
	V       *Var
	Setting string // a field of the solver
	Word    string // a constant of the runtime
}

// call is a row of the table of calls: what arguments and results are, and whether the call changes the arrays among its arguments. The last
// argument may be repeated.
type call struct {
	args, results string
	changes       bool
}

// calls are what steps ask of the runtime and of their model.
var calls = map[string]call{
	"solver.FirstCheck":  {"", "int", false},
	"solver.Check":       {"int number number", "int status", false},
	"system.PivotStatus": {"number number…", "status", false},
	"model.mix.Begin":    {"array array array", "", false},
	"model.mix.Next":     {"array array", "", true},
	"model.slope":        {"array array", "", true},
}

// Changed are the arrays that a call changes.
func (c *Invoke) Changed() []*Var {
	var out []*Var
	for _, a := range c.Args {
		if a.V != nil && calls[c.Func].changes {
			out = append(out, a.V)
		}
	}
	return out
}

// Bodies are the lists of statements that a statement of any kind has inside it.
func Bodies(st Stmt) []*[]Stmt {
	switch st := st.(type) {
	case *For:
		return []*[]Stmt{&st.Body}
	case *If:
		return []*[]Stmt{&st.Body}
	case *While:
		return []*[]Stmt{&st.Body}
	case *Block:
		return []*[]Stmt{&st.Body}
	case *Branch:
		return []*[]Stmt{&st.Then, &st.Else}
	}
	return nil
}

// Expressions are those of a statement itself, without the statements inside it.
func Expressions(st Stmt) []**Expr {
	var out []**Expr
	switch st := st.(type) {
	case *Let:
		out = append(out, &st.E)
	case *Set:
		out = append(out, &st.E)
	case *Table:
		for n := range st.Elements {
			out = append(out, &st.Elements[n])
		}
	case *Branch:
		out = tested(st.Tests)
	case *Decide:
		out = tested(st.Tests)
	case *Invoke:
		for n := range st.Args {
			if st.Args[n].E != nil {
				out = append(out, &st.Args[n].E)
			}
		}
	case *Return:
		for n := range st.Values {
			out = append(out, &st.Values[n])
		}
	}
	return out
}

// tested are the numbers of tests.
func tested(list []Condition) []**Expr {
	var out []**Expr
	for n := range list {
		if list[n].X != nil {
			out = append(out, &list[n].X, &list[n].Y)
		}
	}
	return out
}

// control are the ints of a statement of these kinds, and the variables beside its expressions that it reads.
func control(st Stmt) (ints []*Int, reads []*Var) {
	tests := func(list []Condition) {
		for _, x := range list {
			if x.I != nil {
				ints = append(ints, x.I, x.J)
			}
			if x.V != nil {
				reads = append(reads, x.V)
			}
		}
	}
	switch st := st.(type) {
	case *While:
		ints = append(ints, st.From)
	case *Branch:
		tests(st.Tests)
	case *Decide:
		tests(st.Tests)
	case *Assign:
		if st.Value.I != nil {
			ints = append(ints, st.Value.I)
		}
		if st.Value.From != nil {
			reads = append(reads, st.Value.From)
		}
	case *Return:
		if st.Status != nil && st.Status.From != nil {
			reads = append(reads, st.Status.From)
		}
	case *Invoke:
		for _, a := range st.Args {
			if a.I != nil {
				ints = append(ints, a.I)
			}
			if a.V != nil {
				reads = append(reads, a.V)
			}
		}
	}
	return ints, reads
}

// results are what a statement of these kinds sets, and whether it declares that.
func results(st Stmt) (vars []*Var, declares bool) {
	switch st := st.(type) {
	case *Decide:
		return []*Var{st.V}, false
	case *Zero:
		return []*Var{st.V}, true
	case *Table:
		return []*Var{st.V}, true
	case *Assign:
		return []*Var{st.V}, false
	case *Invoke:
		return st.Results, st.Declares
	}
	return nil, false
}

// Decides reports whether a list holds statements that decide where the function goes on.
func Decides(list []Stmt) bool {
	found := false
	Each(list, func(st Stmt) {
		switch st.(type) {
		case *While, *Block, *Leave, *Return, *Branch:
			found = true
		}
	})
	return found
}

// Gives are the types of what a row of the table of calls gives, and whether there is such a row.
func Gives(name string) ([]string, bool) {
	row, ok := calls[name]
	return strings.Fields(row.results), ok
}
