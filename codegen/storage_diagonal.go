package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// diagonalStorage keeps the diagonal.
type diagonalStorage struct{ itself }

func (diagonalStorage) array(g *generator, name string) *loop.Var { return g.vectorVar(name) }

func (diagonalStorage) at(l *lowering, row, _ int, a, _ []expr.Sub) []*loop.Int {
	return []*loop.Int{l.coordinate(row, a)}
}

// entry restricts the block of a vector to its diagonal: one index.
func (diagonalStorage) entry(g *generator, o symbolic.Output) []target {
	t := target{out: o, dst: g.outputTensor(layout{kind: "matrix", array: "b", row: o.Row, col: o.Col})}
	if !g.d.Params[o.Row].Scalar() {
		c, i, j := g.d.C, o.Indices[0], o.Indices[1]
		full, diagonal := c.SplitDelta(o.E, i, j)
		t.out.E, t.out.Indices = c.Add(c.Subst(full, j, expr.Sub{Index: i}), diagonal), o.Indices[:1]
	}
	return []target{t}
}

func (diagonalStorage) clears(*generator) bool { return false }

func (diagonalStorage) whole(*generator) [][]int { return nil }

func (diagonalStorage) construct(_ *generator, _ *printer, m *jen.Statement) (*jen.Statement, []jen.Code) {
	return system("NewDiagonal").Call(m), nil
}

func (diagonalStorage) terms() terms { return linearTerms("diagonal only") }

func (diagonalStorage) kind() string { return "Diagonal" }

// small is the diagonal and its reciprocals.
func (diagonalStorage) small(g *generator, m int) *smallFactor {
	diagonal, r := g.names.fresh("d"), g.numbered("r", m)
	at := func(i int) *jen.Statement { return id(diagonal).Index(jen.Lit(i)) }
	f := &smallFactor{load: []jen.Code{
		id(diagonal).Op(":=").Add(sdot("store")).Dot("Matrix").Call(),
		assign(r, ":=", func(i int) jen.Code { return jen.Lit(1).Op("/").Add(at(i)) }),
	}}
	f.solve = func(v, p []string) []jen.Code {
		return []jen.Code{assign(v, ":=", func(i int) jen.Code { return prod(id(p[i]), id(r[i])) })}
	}
	sum := func(d []string, weight func(i int) *jen.Statement) *jen.Statement {
		s := jen.Null()
		for i, x := range d {
			if i > 0 {
				s = s.Op("+")
			}
			s = s.Add(prod(id(x), id(x), weight(i)))
		}
		return s
	}
	f.form = func(d []string) *jen.Statement { return sum(d, at) }
	f.quad = func(d []string) *jen.Statement { return sum(d, func(i int) *jen.Statement { return id(r[i]) }) }
	for i := range m {
		f.root = append(f.root, sqrt(at(i)))
	}
	return f
}
