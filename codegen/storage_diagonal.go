package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// diagonalStorage keeps the diagonal.
type diagonalStorage struct{ itself }

func init() { storages["diagonal"] = diagonalStorage{} }

func (diagonalStorage) array(g *generator, name string) *loop.Var { return g.vectorVar(name) }

func (diagonalStorage) at(l *lowering, row, _ int, a, _ []expr.Sub) []*loop.Int {
	return []*loop.Int{l.coordinate(row, a)}
}

func (diagonalStorage) construct(_ *generator, _ *printer, m *jen.Statement) (*jen.Statement, []jen.Code) {
	return system("NewDiagonal").Call(m), nil
}

func (diagonalStorage) terms() terms { return linearTerms("diagonal only") }

func (diagonalStorage) system() string { return "Diagonal" }

func (diagonalStorage) small() func(*generator, int) *smallFactor { return (*generator).smallDiagonal }

// smallDiagonal is the diagonal and its reciprocals.
func (g *generator) smallDiagonal(m int) *smallFactor {
	d, r := numbered("d", m), numbered("r", m)
	diagonal := g.state("store.Matrix", loop.Const(m))
	g.marks[diagonal] = "store.Matrix()"
	f := &smallFactor{}
	for i, v := range d {
		f.load = append(f.load, &loop.Let{V: v, E: loop.Element(diagonal, loop.Const(i))})
	}
	for i, v := range r {
		f.load = append(f.load, &loop.Let{V: v, E: reciprocal(loop.Value(d[i]))})
		f.root = append(f.root, root(loop.Value(d[i])))
	}
	f.solve = func(v, p []*loop.Var) []loop.Stmt {
		var out []loop.Stmt
		for i := range v {
			out = append(out, &loop.Let{V: v[i], E: times(loop.Value(p[i]), loop.Value(r[i]))})
		}
		return out
	}
	sum := func(x, weights []*loop.Var) *loop.Expr {
		if len(x) == 1 {
			return times(loop.Value(x[0]), loop.Value(x[0]), loop.Value(weights[0]))
		}
		s := add()
		for i, v := range x {
			s.K, s.Args = append(s.K, 1), append(s.Args, times(loop.Value(v), loop.Value(v), loop.Value(weights[i])))
		}
		return s
	}
	f.form = func(x []*loop.Var) *loop.Expr { return sum(x, d) }
	f.quad = func(x []*loop.Var) *loop.Expr { return sum(x, r) }
	return f
}
