package pass

import "github.com/hamc-dev/hamc/codegen/loop"

// An array of the model that a loop sets element by element, and that the same turn of the loop
// reads and nothing else does, becomes a number.
func contract(p *loop.Program) {
	imports := p.Imports()
	for _, f := range p.Funcs {
		places := loop.EffectsOf(f.Body...)
		for _, st := range f.Body {
			l, ok := st.(*loop.For)
			if !ok {
				continue
			}
			r := loop.NewRenamer()
			numbers := map[*loop.Var]*loop.Var{}
			inside := loop.EffectsOf(l)
			for n, st := range l.Body {
				s, ok := st.(*loop.Set)
				if !ok || s.Add || s.V.Home != loop.Field || len(s.V.Shape) != 1 || imports[s.V] || s.V.Output {
					continue
				}
				if !inRow([][]*loop.Int{s.At}, l.V) || !inRow(inside.Reads[s.V], l.V) || len(inside.Reads[s.V]) != len(places.Reads[s.V]) || setElsewhere(f.Body, s, s.V) {
					continue
				}
				v := &loop.Var{Name: s.V.Name}
				numbers[s.V] = v
				l.Body[n] = &loop.Let{V: v, E: s.E}
			}
			if len(numbers) > 0 {
				l.Body = r.Numbers(l.Body, numbers)
			}
		}
	}
}

// setElsewhere reports whether another statement sets the array v that one sets.
func setElsewhere(list []loop.Stmt, own loop.Stmt, v *loop.Var) bool {
	found := false
	loop.Each(list, func(st loop.Stmt) { found = found || st != own && setBy(st) == v })
	return found
}

// setBy is the array of which a statement itself sets elements, nil where it sets none.
func setBy(st loop.Stmt) *loop.Var {
	switch st := st.(type) {
	case *loop.Set:
		return st.V
	case *loop.Clear:
		return st.V
	case *loop.Kernel:
		return st.V
	case *loop.FitPart:
		return st.V
	}
	return nil
}
