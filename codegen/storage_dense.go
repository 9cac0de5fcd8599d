package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// denseStorage keeps the whole matrix, row-major, with a factor of Cholesky.
type denseStorage struct{ itself }

func (denseStorage) array(g *generator, name string) *loop.Var {
	return g.param(name, g.extent(g.dim), g.extent(g.dim))
}

func (denseStorage) at(l *lowering, row, col int, a, b []expr.Sub) []*loop.Int {
	return []*loop.Int{l.coordinate(row, a), l.coordinate(col, b)}
}

func (denseStorage) entry(g *generator, o symbolic.Output) []target { return g.blockTargets(o, true) }

func (denseStorage) clears(g *generator) bool {
	n := len(g.d.Params)
	if len(g.d.Matrix) < n*(n+1)/2 {
		return true
	}
	for _, o := range g.d.Matrix {
		if o.Subs != nil {
			return true
		}
		if o.Row == o.Col && !g.d.Params[o.Row].Scalar() {
			if full, _ := g.d.C.SplitDelta(o.E, o.Indices[0], o.Indices[1]); full.IsNum(0) {
				return true
			}
		}
	}
	return false
}

func (denseStorage) whole(g *generator) [][]int {
	var all []int
	for n := range g.d.Params {
		all = append(all, n)
	}
	return [][]int{all}
}

func (denseStorage) construct(_ *generator, _ *printer, m *jen.Statement) (*jen.Statement, []jen.Code) {
	return system("NewDense").Call(m), nil
}

func (denseStorage) terms() terms { return linearTerms("row-major") }

func (denseStorage) kind() string { return "Dense" }

// small is the factor of Cholesky, L and 1/L_ii.
func (denseStorage) small(g *generator, m int) *smallFactor {
	l, r := g.names.fresh("l"), g.numbered("r", m)
	at := func(i int) *jen.Statement { return id(l).Index(jen.Lit(i)) }
	one := func(i int) *jen.Statement { return jen.Lit(1).Op("/").Add(at(i)) }
	square := func(x *jen.Statement) *jen.Statement { return prod(x, x) }
	f := &smallFactor{load: []jen.Code{id(l).Op(":=").Add(sdot("store")).Dot("L")}}
	if m == 1 {
		f.load = append(f.load, id(r[0]).Op(":=").Add(one(0)))
		f.solve = func(v, p []string) []jen.Code {
			return []jen.Code{id(v[0]).Op(":=").Add(prod(prod(id(p[0]), id(r[0])), id(r[0])))}
		}
		f.form = func(d []string) *jen.Statement { return square(prod(id(d[0]), at(0))) }
		f.quad = func(d []string) *jen.Statement { return square(prod(id(d[0]), id(r[0]))) }
		f.root = []jen.Code{sqrt(square(at(0)))}
		return f
	}
	f.load = append(f.load, idList(r).Op(":=").List(one(0), one(3)))
	// The components of L⁻¹d.
	first := func(d []string) *jen.Statement { return prod(id(d[0]), id(r[0])) }
	second := func(d []string, first *jen.Statement) *jen.Statement {
		return prod(jen.Parens(id(d[1]).Op("-").Add(prod(at(2), first))), id(r[1]))
	}
	f.solve = func(v, p []string) []jen.Code {
		x := g.names.fresh("w")
		return []jen.Code{
			id(x).Op(":=").Add(first(p)),
			id(v[1]).Op(":=").Add(prod(second(p, id(x)), id(r[1]))),
			id(v[0]).Op(":=").Add(prod(jen.Parens(id(x).Op("-").Add(prod(at(2), id(v[1])))), id(r[0]))),
		}
	}
	f.form = func(d []string) *jen.Statement {
		return square(jen.Parens(prod(id(d[0]), at(0)).Op("+").Add(prod(id(d[1]), at(2))))).Op("+").Add(square(prod(id(d[1]), at(3))))
	}
	f.quad = func(d []string) *jen.Statement {
		return square(first(d)).Op("+").Add(square(second(d, first(d))))
	}
	f.root = []jen.Code{sqrt(square(at(0))), sqrt(square(at(2)).Op("+").Add(square(at(3))))}
	return f
}
