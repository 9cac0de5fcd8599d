package expr

import "github.com/hamc-dev/hamc/dsl"

// Observations takes a log density apart into what it adds: the value at indices, of which it is the sum. Of what is no sum it is the value itself, and there are none.
func (el *Elaborator) Observations(e dsl.Expr) (each *Expr, indices []*Index) {
	c := el.C
	switch e := dsl.Through(e).(type) {
	case *dsl.UnaryExpr:
		if e.Op == "+" {
			return el.Observations(e.X)
		}
	case *dsl.SumExpr:
		if e.Func != "sum" || e.Terms != nil {
			break
		}
		for _, d := range e.Indices {
			i := el.fresh(d.Index.Range, d.Name)
			el.Indices[d.Index] = Sub{Index: i}
			indices = append(indices, i)
		}
		defer func(was []*Expr) { el.guards = was }(el.guards)
		el.guards = append(el.guards[:len(el.guards):len(el.guards)], el.ends(e.Indices)...)
		each, inner := el.Observations(e.Body)
		return el.between(e.Func, e.Indices, each), append(indices, inner...)
	case *dsl.CallExpr:
		switch {
		case e.Inlined != nil:
			for _, l := range e.Inlined.Lets {
				el.Objects[l] = el.Definition(l)
			}
			return el.Observations(e.Inlined.Value)
		case e.Density != nil:
			l, bound, _, _, indices := el.LogDensity(e.Density)
			return c.Bounded(l, bound), indices
		}
	}
	return el.Expr(e).At(), nil
}
