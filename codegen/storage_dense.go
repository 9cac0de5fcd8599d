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
