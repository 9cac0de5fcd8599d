package golang

import (
	"math"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// Stmts prints statements.
func (p *Printer) Stmts(list []loop.Stmt) []jen.Code {
	var out []jen.Code
	for n := 0; n < len(list); n++ {
		if run := p.run(list[n:]); len(run) > 0 {
			op := "="
			if _, ok := list[n].(*loop.Let); ok {
				op = ":="
			}
			out = append(out, declare(op, run)...)
			n += len(run) - 1
			continue
		}
		if code, width := p.tuple(list[n:]); width > 0 {
			out = append(out, code)
			n += width - 1
			continue
		}
		if zeros := p.zeros(list[n:]); len(zeros) > 0 {
			out = append(out, jen.Var().List(zeros...).Add(p.typeOf(list[n].(*loop.Zero).V)))
			n += len(zeros) - 1
			continue
		}
		switch st := list[n].(type) {
		case *loop.For:
			p.declare(st.V)
			p.read[st.V] = false
			body := p.Stmts(st.Body)
			out = append(out, p.clause(st).Block(body...))
		case *loop.If:
			var cond *jen.Statement
			for n, c := range st.Conds {
				x := p.Int(c.X).Op([...]string{">=", "<", "=="}[c.Op]).Add(p.Int(c.Y))
				if n == 0 {
					cond = x
				} else {
					cond = cond.Op("&&").Add(x)
				}
			}
			out = append(out, jen.If(cond).Block(p.Stmts(st.Body)...))
		case *loop.Let:
			x := p.Expr(st.E)
			if drawnForNothing(st, list[n+1:]) {
				out = append(out, jen.Id("_").Op("=").Add(x))
				continue
			}
			out = append(out, p.declare(st.V).Op(":=").Add(asFloat(st.E, x)))
		case *loop.Set:
			x := p.Expr(st.E)
			op := "="
			if st.Add {
				op = "+="
			}
			dst := p.use(st.V)
			if st.At != nil {
				dst = p.element(st.V, st.At)
			}
			out = append(out, dst.Op(op).Add(x))
		case *loop.Clear:
			out = append(out, jen.Clear(p.use(st.V)))
		case *loop.Kernel:
			out = append(out, p.kernel(st))
		case *loop.Fit:
			out = append(out, p.fit(st)...)
		case *loop.FitPart:
			out = append(out, p.fitPart(st))
		default:
			out = append(out, p.control(st)...)
		}
	}
	return out
}

// drawnForNothing reports whether a number is drawn that nothing behind it reads: only the random numbers that it uses matter, and Go
// refuses a variable that is not used.
func drawnForNothing(l *loop.Let, behind []loop.Stmt) bool {
	return loop.EffectsOf(l).Draws && len(loop.EffectsOf(behind...).Reads[l.V]) == 0
}

// run is what a list begins with, if that is numbers that start at 0, or numbers that are kept.
func (p *Printer) run(list []loop.Stmt) []declaration {
	var run []declaration
	if _, ok := list[0].(*loop.Keep); ok {
		for _, st := range list {
			k, ok := st.(*loop.Keep)
			if !ok {
				break
			}
			run = append(run, declaration{p.field(k.V), p.use(k.V)})
		}
		return run
	}
	for _, st := range list {
		l, ok := st.(*loop.Let)
		if !ok || !l.E.IsNum(0) {
			break
		}
		run = append(run, declaration{p.declare(l.V), jen.Lit(0.0)})
	}
	return run
}

// asFloat keeps integer constants from making integer variables.
func asFloat(e *loop.Expr, x *jen.Statement) *jen.Statement {
	switch {
	case e.IsNum(0):
		return jen.Lit(0.0)
	case e.Op == loop.Num && !math.IsInf(e.Val, 0):
		return jen.Float64().Call(x)
	}
	return x
}

// clause prints the head of a loop whose body is printed.
func (p *Printer) clause(l *loop.For) *jen.Statement {
	v := p.Name(l.V)
	switch {
	case l.Down:
		last := l.To.Plus(-1)
		return jen.For(jen.Id(v).Op(":=").Add(p.Int(last)), jen.Id(v).Op(">=").Add(p.Int(l.From)), jen.Id(v).Op("--"))
	case !l.From.IsConst(0):
	case l.From.IsConst(0) && !p.read[l.V]: // as of draws that differ in nothing, of which the sum is taken
		return jen.For(jen.Range().Add(p.Int(l.To)))
	case l.From.IsConst(0):
		return jen.For(jen.Id(v).Op(":=").Range().Add(p.Int(l.To)))
	}
	return jen.For(jen.Id(v).Op(":=").Add(p.Int(l.From)), jen.Id(v).Op("<").Add(p.Int(l.To)), jen.Id(v).Op("++"))
}

func (p *Printer) kernel(k *loop.Kernel) jen.Code {
	var args []jen.Code
	for n, v := range k.Args {
		switch at := k.Of(n); {
		case len(at) > 0:
			args = append(args, p.part(v, at))
		case v.Matrix && !k.Panels(n):
			args = append(args, p.array(v))
		case v.Matrix:
			args = append(args, jen.Op("&").Add(p.field(v)))
		case v.Factor:
			args = append(args, p.field(v))
		default:
			args = append(args, p.use(v))
		}
	}
	for _, n := range k.Dims() {
		args = append(args, p.Int(n))
	}
	call := p.call(k.Func)
	switch {
	case k.Func == loop.NewMatrix:
		return p.field(k.V).Op("=").Add(call.Call(p.Int(k.V.Shape[0]), p.Int(k.V.Shape[1]), p.array(k.V)))
	case len(k.At) > 0 && len(k.At) == len(k.V.Shape):
		return p.element(k.V, k.At).Op("=").Add(call.Call(args...))
	case len(k.At) > 0:
		return call.Call(append([]jen.Code{p.part(k.V, k.At)}, args...)...)
	case k.V.Factor:
		return call.Call(append([]jen.Code{p.field(k.V)}, args...)...)
	case k.V.Scalar():
		return p.declare(k.V).Op(":=").Add(call.Call(args...))
	case k.Draws(): // what it draws is NaN where an argument is out of range
		return jen.Id("_").Op("=").Add(call.Call(append([]jen.Code{jen.Id("rng"), p.use(k.V)}, args...)...))
	}
	return call.Call(append([]jen.Code{p.array(k.V)}, args...)...)
}

// part prints the part of an array that its first subscripts lead to: of factors, one of them.
func (p *Printer) part(v *loop.Var, at []*loop.Int) *jen.Statement {
	place, size := at[0], loop.Const(1)
	for n, x := range v.Shape {
		switch {
		case n >= len(at):
			size = size.Times(x)
		case n > 0:
			place = place.Times(x).Add(at[n])
		}
	}
	if v.Factor {
		return p.field(v).Index(p.Int(place))
	}
	return p.array(v).Index(p.Int(place.Times(size)), jen.Empty()).Index(jen.Empty(), p.Int(size))
}

// array prints an array as a slice, row-major.
func (p *Printer) array(v *loop.Var) *jen.Statement {
	switch {
	case v == nil:
		return jen.Nil()
	case v.Matrix:
		return p.use(v).Dot("RowMajor")
	}
	return p.use(v)
}

func (p *Printer) fit(f *loop.Fit) []jen.Code {
	var out []jen.Code
	if !p.Kept(f.Name) {
		out = append(out, jen.Var().Add(p.Fit(f.Name)).Qual(p.Path("linalg"), "LeastSquares"))
	}
	args := []jen.Code{p.Int(f.From), p.Int(f.To), p.Int(f.Responses), p.array(f.Weights), p.array(f.Y)}
	for _, x := range f.X {
		fields := jen.Dict{jen.Id("Columns"): p.Int(x.Columns)}
		if x.V != nil {
			fields[jen.Id("X")] = p.array(x.V)
		}
		args = append(args, jen.Qual(p.Path("linalg"), "Regressor").Values(fields))
	}
	return append(out, p.Fit(f.Name).Dot("Fit").Call(args...))
}

func (p *Printer) fitPart(r *loop.FitPart) jen.Code {
	var args []jen.Code
	for _, i := range r.At {
		args = append(args, jen.Lit(i))
	}
	value := p.Fit(r.Name).Dot(r.Part).Call(args...)
	if r.V.Scalar() {
		return p.declare(r.V).Op(":=").Add(value.Index(jen.Lit(0)))
	}
	return jen.Copy(p.use(r.V), value)
}
