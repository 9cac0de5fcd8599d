package dsl

import "slices"

// Observed returns the data that have a density given the parameters, in the order of the
// model: those on a left side of `~`, or before the bar of an _lpdf or _lpmf, that holds data alone.
// All others say under which conditions the observations were made.
func (m *Model) Observed() []*Data {
	seen := make(map[*Data]bool)
	for _, t := range append(m.Terms[:len(m.Terms):len(m.Terms)], m.Densities...) {
		if t.Left == nil {
			continue
		}
		var found []*Data
		if dataAlone(t.Left, &found) {
			for _, d := range found {
				seen[d] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(m.Data), func(d *Data) bool { return !seen[d] })
}

// dataAlone reports whether an expression depends on data and constants only, and appends to
// found the data in it, but not those in subscripts.
func dataAlone(e Expr, found *[]*Data) bool {
	if n, ok := e.(*Name); ok {
		switch o := n.Obj.(type) {
		case *Data:
			*found = append(*found, o)
		case *Let:
			return dataAlone(o.Value, found)
		case *Const, *Index:
		default:
			return false
		}
		return true
	}
	alone := true
	children(e, func(x Expr) { alone = dataAlone(x, found) && alone })
	return alone
}
