package pass

import (
	"encoding/binary"
	"slices"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// Functions of elements of which not all exist, as those of a chain but the first: what a kernel has to be told is a whole array, of which the rest
// has any value that is quick. And functions that two arrays are made of, one of them where a condition holds only: they are computed once.

// partly is a nest that sets elements of an array to a function with a kernel: those from the positions on and, where others are 0, those that
// conditions let pass.
type partly struct {
	nest  *loop.For
	vars  []*loop.Var
	sizes []*loop.Int
	from  []int
	conds []loop.Cond // further ones
	zero  *loop.Let   // declares what is 0 elsewhere, nil if nothing else is set
	pre   []loop.Stmt // what the function's argument needs
	call  *loop.Set   // sets the element, or what zero declares
	set   *loop.Set   // sets the element
}

// asPartly returns the nest that a statement is, or nil.
func asPartly(st loop.Stmt) *partly {
	p := &partly{}
	var body []loop.Stmt
	for {
		f, ok := st.(*loop.For)
		if !ok || f.Down || f.From.Op != loop.IntConst || len(f.Body) == 0 {
			return nil
		}
		if p.nest == nil {
			p.nest = f
		}
		p.vars, p.sizes, p.from, body = append(p.vars, f.V), append(p.sizes, f.To), append(p.from, f.From.N), f.Body
		if p.set, ok = body[len(body)-1].(*loop.Set); ok {
			break
		}
		if len(body) > 1 {
			return nil
		}
		st = body[0]
	}
	v := p.set.V
	if len(p.vars) > 2 || v.Home != loop.Field || v.Output || p.set.Add || !whole(v, p.set.At, p.vars, p.sizes) || loop.EffectsOf(body...).Reads[v] != nil {
		return nil
	}
	p.call, p.pre = p.set, body[:len(body)-1]
	if p.set.E.Op == loop.Scalar && len(body) == 3 {
		zero, isLet := body[0].(*loop.Let)
		branch, isIf := body[1].(*loop.If)
		if !isLet || !isIf || !zero.E.IsNum(0) || zero.V != p.set.E.Var {
			return nil
		}
		call, isSet := branch.Body[len(branch.Body)-1].(*loop.Set)
		if !isSet || call.V != zero.V || call.Add {
			return nil
		}
		p.zero, p.call, p.pre = zero, call, branch.Body[:len(branch.Body)-1]
		p.conditions(branch.Conds)
	}
	if e := p.call.E; e.Op != loop.Call || len(e.Args) != 1 || elementwise[e.Func] == "" {
		return nil
	}
	return p
}

// conditions takes those that say where elements begin for positions.
func (p *partly) conditions(conds []loop.Cond) {
	for _, c := range conds {
		base, off := c.X.Base()
		d := -1
		if base != nil && base.Op == loop.IntVar && c.Op == loop.AtLeast && c.Y.Op == loop.IntConst {
			d = slices.Index(p.vars, base.Var)
		}
		if d < 0 {
			p.conds = append(p.conds, c)
			continue
		}
		p.from[d] = max(p.from[d], c.Y.N-off)
	}
}

// everywhere reports whether all elements are set to values of the function.
func (p *partly) everywhere() bool {
	return len(p.conds) == 0 && !slices.ContainsFunc(p.from, func(n int) bool { return n > 0 })
}

// long reports whether one of the ranges is worth a call.
func (p *partly) long() bool { return (&nest{sizes: p.sizes}).long() }

// key is the form of the function's value; two nests with one compute the same. It is "" if there is no such form.
func (p *partly) key(s *sharer) string {
	value := func(e *loop.Expr) uint64 { return uint64(s.value(e, map[*loop.Expr]int{})) }
	// Variables of the nest are known by where they stand.
	own := 0
	number := func(v *loop.Var) {
		own--
		s.vars[v] = own
	}
	for _, v := range p.vars {
		number(v)
	}
	var key []byte
	for _, n := range p.sizes {
		key = s.int(key, n)
	}
	known := true
	var add func(list []loop.Stmt)
	add = func(list []loop.Stmt) {
		for _, st := range list {
			switch st := st.(type) {
			case *loop.Let:
				number(st.V)
				key = binary.AppendUvarint(append(key, 'l'), value(st.E))
			case *loop.If:
				key = append(key, '?')
				for _, c := range st.Conds {
					key = s.int(append(s.int(key, c.X), byte(c.Op)), c.Y)
				}
				add(st.Body)
				key = append(key, '.')
			case *loop.Set:
				key = s.variable(append(key, 's', indicator(st.Add)), st.V)
				for _, i := range st.At {
					key = s.int(key, i)
				}
				key = binary.AppendUvarint(key, value(st.E))
				s.versions[st.V]++
			default:
				known = false
			}
		}
	}
	add(p.pre)
	if !known {
		return ""
	}
	return string(binary.AppendUvarint(key, value(p.call.E)))
}

// indicator is 1 of what is so.
func indicator(so bool) byte {
	if so {
		return 1
	}
	return 0
}

// repeated puts elements of an earlier array in the place of function values that it has.
func repeated(list []loop.Stmt) {
	known := map[string]*partly{}
	values := newSharer()
	for n, st := range list {
		if n > 0 {
			values.bump(loop.WritesOf(list[n-1]))
		}
		p := asPartly(st)
		if p == nil || !p.long() {
			continue
		}
		key := p.key(values)
		if key == "" {
			continue
		}
		first, ok := known[key]
		if !ok {
			if len(p.conds) == 0 && !setElsewhere(list, p.set, p.set.V) {
				known[key] = p
			}
			continue
		}
		covered := !p.everywhere() || !first.everywhere() // of two whole arrays the sum of one may need no elements
		for d := range p.from {
			covered = covered && first.from[d] <= p.from[d]
		}
		if !covered {
			continue
		}
		p.call.E = loop.Element(first.set.V, p.set.At...)
		p.replace()
	}
}

// replace leaves of the nest what its value, which is no function now, needs.
func (p *partly) replace() {
	loop.Each([]loop.Stmt{p.nest}, func(st loop.Stmt) {
		switch st := st.(type) {
		case *loop.For:
			if p.zero == nil && len(st.Body) == len(p.pre)+1 && st.Body[len(p.pre)] == loop.Stmt(p.set) {
				st.Body = []loop.Stmt{p.set}
			}
		case *loop.If:
			if len(st.Body) == len(p.pre)+1 && st.Body[len(p.pre)] == loop.Stmt(p.call) {
				st.Body = []loop.Stmt{p.call}
			}
		}
	})
}

// byKernel are the statements that compute all elements of a matrix with a kernel, or nil. Those that do not exist are functions of 0 on the way, or of
// 1 where 0 is slow. Vectors of which the first element is another, as of ordered ones, are short.
func (p *partly) byKernel() []loop.Stmt {
	if len(p.vars) != 2 || len(p.conds) > 0 || p.everywhere() || !p.long() {
		return nil
	}
	v, e := p.set.V, p.call.E
	other := 0.0
	if e.Func == "elementary.Log" {
		other = 1
	}
	zero := &loop.Let{V: &loop.Var{Name: "part"}, E: loop.Number(other)}
	branch := &loop.If{Body: append(slices.Clone(p.pre), &loop.Set{V: zero.V, E: e.Args[0]})}
	for d, n := range p.from {
		if n > 0 {
			branch.Conds = append(branch.Conds, loop.Cond{X: loop.At(p.vars[d]), Op: loop.AtLeast, Y: loop.Const(n)})
		}
	}
	set := func(e *loop.Expr) loop.Stmt { return &loop.Set{V: v, At: p.set.At, E: e} }
	out := []loop.Stmt{p.around(-1, zero, branch, set(loop.Value(zero.V))), &loop.Kernel{Func: elementwise[e.Func], V: v, Args: []*loop.Var{v}}}
	for d, n := range p.from {
		if p.zero != nil && n > 0 {
			out = append(out, loop.NewRenamer().List([]loop.Stmt{p.around(d, set(loop.Number(0)))}, true)...)
		}
	}
	return out
}

// around are the loops over the array around a body; that over the d-th dimension ends where elements begin, and those over dimensions before it begin there, so that each element
// is in one of these nests.
func (p *partly) around(d int, body ...loop.Stmt) loop.Stmt {
	for k := len(p.vars) - 1; k >= 0; k-- {
		from, to := 0, p.sizes[k]
		switch {
		case k == d:
			to = loop.Least(loop.Const(p.from[k]), to)
		case k < d:
			from = p.from[k]
		}
		body = []loop.Stmt{&loop.For{V: p.vars[k], From: loop.Const(from), To: to, Body: body}}
	}
	return body[0]
}
