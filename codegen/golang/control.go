package golang

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// control prints a statement that decides where the function goes on, or stands beside such.
func (p *Printer) control(st loop.Stmt) []jen.Code {
	switch st := st.(type) {
	case *loop.While:
		v := p.declare(st.V)
		return []jen.Code{jen.For(jen.Add(v).Op(":=").Add(p.Int(st.From)), jen.Empty(), jen.Add(v).Op("++")).Block(p.Stmts(st.Body)...)}
	case *loop.Block:
		return []jen.Code{jen.Block(p.Stmts(st.Body)...), jen.Id(st.Name).Op(":")}
	case *loop.Leave:
		return []jen.Code{jen.Goto().Id(st.Name)}
	case *loop.Return:
		return []jen.Code{p.returns(st)}
	case *loop.Branch:
		return []jen.Code{p.branch(st)}
	case *loop.Decide:
		return []jen.Code{p.use(st.V).Op("=").Add(p.conditions(st.Tests))}
	case *loop.Table:
		return []jen.Code{p.table(st)}
	case *loop.Assign:
		return []jen.Code{p.assign(st)}
	case *loop.Invoke:
		return []jen.Code{p.invoke(st)}
	case *loop.Note:
		return []jen.Code{jen.Comment(st.Text)}
	}
	return nil
}

// returns prints a return.
func (p *Printer) returns(st *loop.Return) jen.Code {
	if len(st.Values) == 0 && st.Status == nil {
		return jen.Return(p.Returns...)
	}
	values := p.exprs(st.Values)
	switch v := st.Status; {
	case v == nil:
	case v.From != nil:
		values = append(values, p.use(v.From))
	default:
		values = append(values, p.call("runtime."+v.Word))
	}
	return jen.Return(values...)
}

// branch prints a branch. What is done where the conditions do not hold stands alone if nothing else is done.
func (p *Printer) branch(st *loop.Branch) jen.Code {
	cond := p.conditions(st.Tests)
	if len(st.Then) == 0 {
		return jen.If(jen.Op("!").Parens(cond)).Block(p.Stmts(st.Else)...)
	}
	s := jen.If(cond).Block(p.Stmts(st.Then)...)
	if len(st.Else) > 0 {
		s = s.Else().Block(p.Stmts(st.Else)...)
	}
	return s
}

// conditions prints what all of a list hold.
func (p *Printer) conditions(list []loop.Condition) *jen.Statement {
	s := jen.Null()
	for n, x := range list {
		if n > 0 {
			s = s.Op("&&")
		}
		s = s.Add(p.condition(x))
	}
	return s
}

// marks are Go's for comparisons, and opposite those for what does not hold, of ints, statuses and settings.
var (
	marks    = map[loop.Comparison]string{loop.AtMost: "<=", loop.Above: ">", loop.Same: "==", loop.Differs: "!=", loop.IntAtLeast: ">=", loop.IntSame: "==", loop.Failed: "!=", loop.Setting: "=="}
	opposite = map[string]string{">=": "<", "==": "!=", "!=": "=="}
)

func (p *Printer) condition(x loop.Condition) *jen.Statement {
	mark := marks[x.Op]
	switch x.Op {
	case loop.AtMost, loop.Above, loop.Same, loop.Differs:
		s := p.Expr(x.X).Op(mark).Add(p.Expr(x.Y))
		if x.Not {
			return jen.Op("!").Parens(s)
		}
		return s
	case loop.Holds:
		if x.Not {
			return jen.Op("!").Add(p.use(x.V))
		}
		return p.use(x.V)
	}
	if x.Not {
		mark = opposite[mark]
	}
	switch x.Op {
	case loop.Failed:
		return p.use(x.V).Op(mark).Add(p.call("runtime.OK"))
	case loop.Setting:
		return jen.Id("sv").Dot(x.Setting).Op(mark).Add(p.call("runtime." + x.Word))
	}
	if x.Op == loop.IntAtLeast && x.J.IsConst(1) && !x.Not {
		return p.Int(x.I).Op(">").Lit(0)
	}
	return p.Int(x.I).Op(mark).Add(p.Int(x.J))
}

// zeros are the names of what a list begins to declare without a value, all of one type.
func (p *Printer) zeros(list []loop.Stmt) []jen.Code {
	var out []jen.Code
	var first *loop.Var
	for _, st := range list {
		z, ok := st.(*loop.Zero)
		if !ok || first != nil && (z.V.Int != first.Int || z.V.Truth != first.Truth || z.V.Status != first.Status) {
			break
		}
		first = z.V
		out = append(out, p.declare(z.V))
	}
	return out
}

// typeOf prints the type of a single variable.
func (p *Printer) typeOf(v *loop.Var) *jen.Statement {
	switch {
	case v.Int:
		return jen.Int()
	case v.Truth:
		return jen.Bool()
	case v.Status:
		return p.call("runtime.Status")
	}
	return jen.Float64()
}

func (p *Printer) table(st *loop.Table) jen.Code {
	typ := func() *jen.Statement { return jen.Index(p.Int(st.V.Shape[0])).Float64() }
	elements := p.exprs(st.Elements)
	name := p.declare(st.V)
	if len(elements) == 0 {
		return jen.Var().Add(name).Add(typ())
	}
	return name.Op(":=").Add(typ()).Values(elements...)
}

func (p *Printer) assign(st *loop.Assign) jen.Code {
	name := p.use(st.V)
	switch v := st.Value; {
	case v.From != nil:
		return name.Op("=").Add(p.use(v.From))
	case v.I == nil && st.V.Truth:
		return name.Op("=").Id(v.Word)
	case v.I == nil:
		return name.Op("=").Add(p.call("runtime." + v.Word))
	case v.I.Op == loop.IntAdd && v.I.Args[0].Op == loop.IntVar && v.I.Args[0].Var == st.V:
		return name.Op("+=").Add(p.Int(v.I.Args[1]))
	default:
		return name.Op("=").Add(p.Int(v.I))
	}
}

// invoke prints a call. Results that nobody reads have no names.
func (p *Printer) invoke(st *loop.Invoke) jen.Code {
	var args []jen.Code
	for _, a := range st.Args {
		switch {
		case a.V != nil:
			args = append(args, p.use(a.V).Index(jen.Op(":")))
		case a.I != nil:
			args = append(args, p.Int(a.I))
		default:
			args = append(args, p.Expr(a.E))
		}
	}
	call := p.callee(st.Func).Call(args...)
	var names []jen.Code
	op := "="
	for _, v := range st.Results {
		switch {
		case p.Times != nil && p.Times(v) == 0 && v.Home == loop.Local:
			names = append(names, jen.Id("_"))
		case st.Declares:
			op = ":="
			names = append(names, p.declare(v))
		default:
			names = append(names, p.use(v))
		}
	}
	if len(names) == 0 {
		return call
	}
	return jen.List(names...).Op(op).Add(call)
}

// callee prints the function or method that a call is of.
func (p *Printer) callee(name string) *jen.Statement {
	of, method, _ := strings.Cut(name, ".")
	switch of {
	case "solver":
		return jen.Id("sv").Dot(method)
	case "model":
		return jen.Id("s").Dot(method)
	}
	return p.call(name)
}
