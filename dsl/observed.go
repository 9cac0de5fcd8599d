package dsl

import "slices"

// Observed returns the data that have a density given the parameters, in the order of the
// model: those on a left side of `~`, or before the bar of an _lpdf or _lpmf, that holds data alone.
// All others say under which conditions the observations were made.
func (m *Model) Observed() []*Data {
	seen := make(map[*Data]bool)
	known := make(map[*Let]*dataOf)
	for _, t := range append(m.Terms[:len(m.Terms):len(m.Terms)], m.Densities...) {
		if t.Left == nil {
			continue
		}
		if left := dataAlone(t.Left, known); left.alone {
			for d := range left.data {
				seen[d] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(m.Data), func(d *Data) bool { return !seen[d] })
}

// dataOf is what an expression holds: data, and whether they are all that it depends on besides
// constants.
type dataOf struct {
	data  map[*Data]bool
	alone bool
}

// dataAlone finds the data in an expression, but not those in subscripts. It remembers those of
// definitions, which share others.
func dataAlone(e Expr, known map[*Let]*dataOf) *dataOf {
	out := &dataOf{data: make(map[*Data]bool), alone: true}
	if n, ok := e.(*Name); ok {
		switch o := n.Obj.(type) {
		case *Data:
			out.data[o] = true
		case *Let:
			if known[o] == nil {
				all := &dataOf{data: make(map[*Data]bool), alone: true}
				known[o] = all // of a recursion, what it reads of itself is no more than that
				for _, v := range o.Values() {
					all.add(dataAlone(v, known))
				}
			}
			return known[o]
		case *Const, *Index:
		default:
			out.alone = false
		}
		return out
	}
	children(e, func(x Expr) {
		out.add(dataAlone(x, known))
	})
	return out
}

// add adds what another expression holds.
func (o *dataOf) add(part *dataOf) {
	o.alone = o.alone && part.alone
	for d := range part.data {
		o.data[d] = true
	}
}
