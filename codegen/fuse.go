package codegen

import (
	"slices"

	"github.com/hamc-dev/hamc/symbolic"
)

// Inner loops over one range in the body of an outer loop become one where nothing that stands
// between them speaks against it: the sums Σ_j over an element (i, j) of a matrix then
// pass over the row once. Each sum adds its terms in the order that it had.

// effects are the tensors that statements read, with the references, and write.
type effects struct {
	reads  map[*symbolic.Tensor][]*symbolic.Expr
	writes map[*symbolic.Tensor]bool
	other  bool // a statement that is neither arithmetic nor a loop
}

func effectsOf(list ...Stmt) effects {
	e := effects{map[*symbolic.Tensor][]*symbolic.Expr{}, map[*symbolic.Tensor]bool{}, false}
	e.add(list)
	return e
}

func (e *effects) add(list []Stmt) {
	read := func(x *symbolic.Expr) {
		symbolic.Refs(x, func(r *symbolic.Expr) { e.reads[r.Tensor] = append(e.reads[r.Tensor], r) })
	}
	for _, st := range list {
		switch st := st.(type) {
		case *Loop:
			e.add(st.Body)
		case *If:
			for _, x := range st.Conds {
				read(x)
			}
			e.add(st.Body)
		case *Define:
			read(st.E)
			e.writes[st.T] = true
		case *Zero:
			e.writes[st.T] = true
		case *Assign:
			read(st.E)
			for _, s := range st.Subs {
				if s.Data != nil {
					read(s.Data)
				}
			}
			e.writes[st.T] = true
		default:
			e.other = true
		}
	}
}

// fuse joins the loops of a list.
func (s *scheduler) fuse(list []Stmt) []Stmt {
	var out []Stmt
	for _, st := range list {
		loop, ok := st.(*Loop)
		if !ok || loop.Below != nil || loop.Part != whole {
			out = append(out, st)
			continue
		}
		k := s.partner(out, loop)
		if k < 0 {
			out = append(out, loop)
			continue
		}
		into := out[k].(*Loop)
		c := &copier{s: s, index: map[*symbolic.Index]*symbolic.Index{loop.Index: into.Index}, local: map[*symbolic.Tensor]*symbolic.Tensor{}}
		into.Body = append(into.Body, c.list(loop.Body)...)
		// The accumulators are declared before the loop that they are now added to in.
		writes := effectsOf(loop).writes
		var before, after []Stmt
		for _, st := range out[k+1:] {
			if z, ok := st.(*Zero); ok && writes[z.T] {
				before = append(before, st)
				continue
			}
			after = append(after, st)
		}
		out = slices.Concat(out[:k], before, []Stmt{into}, after)
	}
	return out
}

// partner finds the loop of a list that another one may join, or −1.
func (s *scheduler) partner(list []Stmt, loop *Loop) int {
	own := effectsOf(loop)
	if own.other {
		return -1
	}
	between := effectsOf()
	for k := len(list) - 1; k >= 0; k-- {
		into, ok := list[k].(*Loop)
		if ok && into.Below == nil && into.Part == whole && into.Index.Range == loop.Index.Range && s.joins(into, loop, own) {
			return k
		}
		if z, ok := list[k].(*Zero); ok && own.writes[z.T] {
			continue // moves along
		}
		between.add(list[k : k+1])
		for t := range own.reads {
			if between.writes[t] {
				return -1
			}
		}
		for t := range own.writes {
			if between.writes[t] || between.reads[t] != nil {
				return -1
			}
		}
		if between.other {
			return -1
		}
	}
	return -1
}

// joins reports whether the body of one loop may follow that of another turn by turn: what it reads
// of the other's writes are the elements of the same turn.
func (s *scheduler) joins(into, loop *Loop, own effects) bool {
	first := effectsOf(into)
	if first.other {
		return false
	}
	for t := range own.writes {
		if first.writes[t] || first.reads[t] != nil {
			return false
		}
	}
	at := map[*symbolic.Tensor][]symbolic.Sub{}
	for _, st := range into.Body {
		if a, ok := st.(*Assign); ok && !a.Add {
			at[a.T] = a.Subs
		}
	}
	for t, refs := range own.reads {
		if !first.writes[t] {
			continue
		}
		subs, ok := at[t]
		if !ok || len(subs) == 0 {
			return false
		}
		for _, r := range refs {
			for n, x := range r.Subs {
				if x.Index == loop.Index {
					x.Index = into.Index
				}
				if x != subs[n] {
					return false
				}
			}
		}
	}
	return true
}
