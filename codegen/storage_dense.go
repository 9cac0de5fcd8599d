package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/symbolic"
)

// denseStorage keeps the whole matrix, row-major, with a factor of Cholesky.
type denseStorage struct{ linear }

func (denseStorage) array(g *generator, name string) *loop.Var {
	return g.param(name, g.extent(g.dim), g.extent(g.dim))
}

func (denseStorage) at(l *lowering, row, col int, a, b []symbolic.Sub) []*loop.Int {
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

func (denseStorage) length(g *generator, p *printer) *jen.Statement {
	return jen.Add(p.extentFactor(g.dim)).Op("*").Add(p.extentFactor(g.dim))
}

func (denseStorage) factor() string { return "Cholesky" }

func (denseStorage) construct(_ *generator, _ *printer, m *jen.Statement) []jen.Code {
	return []jen.Code{sdot("factor").Op("=").Add(linalg("NewCholesky")).Call(m)}
}

func (denseStorage) metric() []jen.Code { return []jen.Code{jen.Copy(id("dst"), sdot("b"))} }

// weigh has nothing to make.
func (denseStorage) weigh() (code []jen.Code, w *jen.Statement) { return nil, id("w") }

func (denseStorage) weighForce() []jen.Code {
	return []jen.Code{sdot("factor").Dot("Inverse").Call(sdot("w")), rt("SubtractSquare").Call(sdot("w"), id("v"))}
}

func (denseStorage) terms() terms { return linearTerms("row-major") }
