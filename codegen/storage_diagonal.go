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
