package pass

import (
	"slices"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// Inner loops over one range in the body of a loop become one where nothing that stands between
// them speaks against it: the sums Σ_j over an element (i, j) of a matrix then pass over the row
// once. Each sum adds its terms in the order that it had.
func join(f *loop.Func) {
	for _, st := range f.Body {
		if l, ok := st.(*loop.For); ok {
			l.Body = joinList(l.Body)
		}
	}
}

// joinList joins the loops of a list.
func joinList(list []loop.Stmt) []loop.Stmt {
	var out []loop.Stmt
	for _, st := range list {
		f, ok := st.(*loop.For)
		if !ok {
			out = append(out, st)
			continue
		}
		k := partner(out, f)
		if k < 0 {
			out = append(out, f)
			continue
		}
		into := out[k].(*loop.For)
		r := loop.NewRenamer()
		r.Put(f.V, into.V)
		into.Body = append(into.Body, r.List(f.Body, false)...)
		// The sums are declared before the loop that they are now added up in.
		writes := loop.WritesOf(f)
		var before, after []loop.Stmt
		for _, st := range out[k+1:] {
			if v := started(st); v != nil && writes[v] {
				before = append(before, st)
				continue
			}
			after = append(after, st)
		}
		out = slices.Concat(out[:k], before, []loop.Stmt{into}, after)
	}
	return out
}

// partner finds the loop of a list that another one may join, or −1.
func partner(list []loop.Stmt, f *loop.For) int {
	own := loop.EffectsOf(f)
	if own.Calls || own.Draws {
		return -1
	}
	between := loop.EffectsOf()
	for k := len(list) - 1; k >= 0; k-- {
		into, ok := list[k].(*loop.For)
		if ok && joins(into, f) && follows(into, f, own) {
			return k
		}
		if v := started(list[k]); v != nil && own.Writes[v] {
			continue // moves along
		}
		between.Add(list[k])
		for v := range own.Reads {
			if between.Writes[v] {
				return -1
			}
		}
		for v := range own.Writes {
			if between.Writes[v] || between.Reads[v] != nil {
				return -1
			}
		}
		if between.Calls || between.Draws {
			return -1
		}
	}
	return -1
}

// follows reports whether the body of one loop may follow that of another turn by turn: what it
// reads of the other's writes are the elements of the same turn.
func follows(into, f *loop.For, own *loop.Effects) bool {
	first := loop.EffectsOf(into)
	if first.Calls || first.Draws {
		return false
	}
	for v := range own.Writes {
		if first.Writes[v] || first.Reads[v] != nil {
			return false
		}
	}
	at := map[*loop.Var][]*loop.Int{}
	for _, st := range into.Body {
		if s, ok := st.(*loop.Set); ok && !s.Add {
			at[s.V] = s.At
		}
	}
	r := loop.NewRenamer()
	r.Put(f.V, into.V)
	for v, places := range own.Reads {
		if !first.Writes[v] {
			continue
		}
		if len(at[v]) == 0 {
			return false
		}
		for _, p := range places {
			if len(p) != len(at[v]) {
				return false
			}
			for n, x := range r.Ints(p) {
				if !x.Equal(at[v][n]) {
					return false
				}
			}
		}
	}
	return true
}
