package golang

import (
	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// tuple prints the assignments that a list begins with as one, if they are two or more that need nothing of one another, and tells how many
// they are.
func (p *Printer) tuple(list []loop.Stmt) (code jen.Code, width int) {
	if p.Times == nil {
		return nil, 0
	}
	if code = p.exchange(list); code != nil {
		return code, 3
	}
	var run []simple
	set := map[*loop.Var]bool{}
	for _, st := range list {
		x, ok := simply(st)
		if !ok || set[x.reads] || len(run) > 0 && x.declares != run[0].declares {
			break
		}
		run = append(run, x)
		set[x.v] = true
	}
	if len(run) < 2 {
		return nil, 0
	}
	var names, values []jen.Code
	for _, x := range run {
		values = append(values, x.value(p))
	}
	op := "="
	for _, x := range run {
		switch {
		case x.declares:
			op = ":="
			names = append(names, p.declare(x.v))
		case x.at != nil:
			names = append(names, p.element(x.v, x.at))
		default:
			names = append(names, p.use(x.v))
		}
	}
	return jen.List(names...).Op(op).List(values...), len(run)
}

// simple is an assignment of what stands somewhere.
type simple struct {
	v        *loop.Var
	at       []*loop.Int
	declares bool
	reads    *loop.Var // nil of a constant
	value    func(p *Printer) jen.Code
}

// simply returns what an assignment is, if it is one of what stands somewhere.
func simply(st loop.Stmt) (simple, bool) {
	number := func(e *loop.Expr) func(*Printer) jen.Code {
		return func(p *Printer) jen.Code { return p.Expr(e) }
	}
	copied := func(e *loop.Expr) bool { return e.Op == loop.Scalar || e.Op == loop.Elem }
	switch st := st.(type) {
	case *loop.Let:
		return simple{v: st.V, declares: true, reads: st.E.Var, value: number(st.E)}, copied(st.E)
	case *loop.Set:
		return simple{v: st.V, at: st.At, reads: st.E.Var, value: number(st.E)}, !st.Add && copied(st.E)
	case *loop.Assign:
		v := st.Value
		x := simple{v: st.V, reads: v.From}
		switch {
		case v.From != nil:
			x.value = func(p *Printer) jen.Code { return p.use(v.From) }
		case v.I != nil:
			x.reads = v.I.Var
			x.value = func(p *Printer) jen.Code { return p.Int(v.I) }
		case st.V.Truth:
			return x, false
		default:
			x.value = func(p *Printer) jen.Code { return p.call("runtime." + v.Word) }
		}
		return x, v.I == nil || v.I.Op == loop.IntConst || v.I.Op == loop.IntVar
	}
	return simple{}, false
}

// exchange prints let d = e, a = b, b = d as a, b = b, e, or returns nil.
func (p *Printer) exchange(list []loop.Stmt) jen.Code {
	if len(list) < 3 {
		return nil
	}
	d, ok := list[0].(*loop.Let)
	a, isA := list[1].(*loop.Set)
	b, isB := list[2].(*loop.Set)
	if !ok || !isA || !isB || a.Add || b.Add || a.At != nil || b.At != nil || a.E.Op != loop.Scalar || a.E.Var != b.V || b.E.Op != loop.Scalar || b.E.Var != d.V {
		return nil
	}
	if p.Times(d.V) > 1 {
		return nil
	}
	return jen.List(p.use(a.V), p.use(b.V)).Op("=").List(p.Expr(a.E), p.Expr(d.E))
}
