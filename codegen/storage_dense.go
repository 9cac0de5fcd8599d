package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// denseStorage keeps the whole matrix, row-major, with a factor of Cholesky.
type denseStorage struct{ itself }

func init() { storages["dense"] = denseStorage{} }

func (denseStorage) array(g *generator, name string) *loop.Var {
	return g.param(name, g.extent(g.dim), g.extent(g.dim))
}

func (denseStorage) at(l *lowering, row, col int, a, b []expr.Sub) []*loop.Int {
	return []*loop.Int{l.coordinate(row, a), l.coordinate(col, b)}
}

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

func (denseStorage) construct(_ *generator, _ *printer, m *jen.Statement) (*jen.Statement, []jen.Code) {
	return system("NewDense").Call(m), nil
}

func (denseStorage) terms() terms { return linearTerms("row-major") }

func (denseStorage) system() string { return "Dense" }

func (denseStorage) small() func(*generator, int) *smallFactor { return (*generator).smallCholesky }

// smallCholesky is the factor of Cholesky, L and 1/L_ii.
func (g *generator) smallCholesky(m int) *smallFactor {
	l, r := numbered("l", m*(m+1)/2), numbered("r", m)
	factor := g.state("store.L", loop.Const(m*m))
	f := &smallFactor{}
	for n, at := range []int{0, 2, 3}[:len(l)] { // the lower triangle, row by row
		f.load = append(f.load, &loop.Let{V: l[n], E: loop.Element(factor, loop.Const(at))})
	}
	for i, v := range r {
		f.load = append(f.load, &loop.Let{V: v, E: reciprocal(loop.Value(l[2*i]))})
	}
	value := func(v *loop.Var) *loop.Expr { return loop.Value(v) }
	square := func(x *loop.Expr) *loop.Expr { return times(x, x) }
	if m == 1 {
		f.solve = func(v, p []*loop.Var) []loop.Stmt {
			return []loop.Stmt{&loop.Let{V: v[0], E: times(times(value(p[0]), value(r[0])), value(r[0]))}}
		}
		f.form = func(d []*loop.Var) *loop.Expr { return square(times(value(d[0]), value(l[0]))) }
		f.quad = func(d []*loop.Var) *loop.Expr { return square(times(value(d[0]), value(r[0]))) }
		f.root = []*loop.Expr{root(square(value(l[0])))}
		return f
	}
	// The components of L⁻¹d.
	first := func(d []*loop.Var) *loop.Expr { return times(value(d[0]), value(r[0])) }
	second := func(d []*loop.Var, first *loop.Expr) *loop.Expr {
		return times(minus(value(d[1]), times(value(l[1]), first)), value(r[1]))
	}
	f.solve = func(v, p []*loop.Var) []loop.Stmt {
		w := &loop.Var{Name: "w"}
		return []loop.Stmt{
			&loop.Let{V: w, E: first(p)},
			&loop.Let{V: v[1], E: times(second(p, value(w)), value(r[1]))},
			&loop.Let{V: v[0], E: times(minus(value(w), times(value(l[1]), value(v[1]))), value(r[0]))},
		}
	}
	f.form = func(d []*loop.Var) *loop.Expr {
		return add(square(add(times(value(d[0]), value(l[0])), times(value(d[1]), value(l[1])))), square(times(value(d[1]), value(l[2]))))
	}
	f.quad = func(d []*loop.Var) *loop.Expr { return add(square(first(d)), square(second(d, first(d)))) }
	f.root = []*loop.Expr{root(square(value(l[0]))), root(add(square(value(l[1])), square(value(l[2]))))}
	return f
}
