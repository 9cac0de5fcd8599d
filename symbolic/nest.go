package symbolic

import (
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Nest derives a model with maps apart from each other for data some of which are functions of others, by name: with the function in its place, as classes of pupils for classes of observations, what is
// left of the coarser groups where the finer ones are eliminated is diagonal. It is r where no map comes to know of another by that.
func (r *Derived) Nest(nested map[string]string) *Derived {
	if r.Apart == 0 || len(nested) == 0 {
		return r
	}
	m := *r.Model
	m.Nested = nested
	d, list := deriveAll(&m, r.Curved)
	if d == nil || len(list) > 0 || d.Apart >= r.Apart || operations(d.Work(), &m) > 2*operations(r.Work(), &m) {
		return r
	}
	return d
}

// Grouped are the integer data, from 1 on, that select elements of latent vectors by one index, in the order of their declarations.
func (r *Derived) Grouped() (out []*dsl.Data) {
	selects := map[*expr.Tensor]bool{}
	for _, t := range r.Terms {
		expr.Refs(t.L, func(x *expr.Expr) {
			if x.Tensor.Kind == expr.DataTensor || x.Tensor.Kind == expr.PositionsOf {
				return
			}
			for _, s := range x.Subs {
				if s.Data != nil {
					selects[s.Data.Tensor.Source] = true
				}
			}
		})
	}
	for n, d := range r.Model.Data {
		if lo, _, ok := d.Values(); ok && selects[r.Data[n]] && len(d.Type.Shape) == 1 && lo == dsl.Fixed(1) {
			out = append(out, d)
		}
	}
	return out
}
