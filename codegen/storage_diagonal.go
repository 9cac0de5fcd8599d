package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/symbolic"
)

// diagonalStorage keeps the diagonal, with the factor of linalg.DiagonalFactor.
type diagonalStorage struct{ linear }

func (diagonalStorage) array(g *generator, name string) *loop.Var { return g.vectorVar(name) }

func (diagonalStorage) at(l *lowering, row, _ int, a, _ []symbolic.Sub) []*loop.Int {
	return []*loop.Int{l.coordinate(row, a)}
}

// entry restricts the block of a vector to its diagonal: one index.
func (diagonalStorage) entry(g *generator, o symbolic.Output) []target {
	t := target{out: o, dst: g.outputTensor(layout{kind: "matrix", array: "b", row: o.Row, col: o.Col})}
	if !g.d.Params[o.Row].Scalar() {
		c, i, j := g.d.C, o.Indices[0], o.Indices[1]
		full, diagonal := c.SplitDelta(o.E, i, j)
		t.out.E, t.out.Indices = c.Add(c.Subst(full, j, symbolic.Sub{Index: i}), diagonal), o.Indices[:1]
	}
	return []target{t}
}

func (diagonalStorage) clears(*generator) bool { return false }

func (diagonalStorage) whole(*generator) [][]int { return nil }

func (diagonalStorage) length(g *generator, p *printer) *jen.Statement { return g.dimCode(p) }

func (diagonalStorage) factor() string { return "DiagonalFactor" }

func (diagonalStorage) construct(_ *generator, _ *printer, m *jen.Statement) []jen.Code {
	return []jen.Code{sdot("factor").Op("=").Add(linalg("NewDiagonalFactor")).Call(m)}
}

// diagonalEntry is the i-th entry of the diagonal of a matrix that is given row-major.
func diagonalEntry(matrix string) *jen.Statement {
	return id(matrix).Index(id("i").Op("*").Parens(jen.Len(id("q")).Op("+").Lit(1)))
}

func (diagonalStorage) metric() []jen.Code {
	return []jen.Code{
		jen.Clear(id("dst")),
		jen.For(jen.List(id("i"), id("d")).Op(":=").Range().Add(sdot("b"))).Block(diagonalEntry("dst").Op("=").Id("d")),
	}
}

func (diagonalStorage) weigh() (code []jen.Code, w *jen.Statement) {
	return []jen.Code{
		jen.For(id("i").Op(":=").Range().Add(sdot("w"))).Block(sdot("w").Index(id("i")).Op("=").Add(diagonalEntry("w"))),
	}, sdot("w")
}

func (diagonalStorage) weighForce() []jen.Code {
	return []jen.Code{
		sdot("factor").Dot("Inverse").Call(sdot("w")),
		jen.For(jen.List(id("i"), id("x")).Op(":=").Range().Add(id("v"))).Block(sdot("w").Index(id("i")).Op("-=").Add(prod(id("x"), id("x")))),
	}
}

func (diagonalStorage) terms() terms { return linearTerms("diagonal only") }
