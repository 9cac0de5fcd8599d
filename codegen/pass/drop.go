package pass

import (
	"slices"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// drop leaves out numbers that a function computes and neither it nor another one reads, and loops and branches that
// nothing is left of. Random numbers are drawn all the same.
func drop(p *loop.Program) {
	imports := p.Imports()
	for _, f := range p.Funcs {
		f.Body = slices.DeleteFunc(f.Body, func(st loop.Stmt) bool {
			k, ok := st.(*loop.Keep)
			return ok && k.For != loop.Anyone && !imports[k.V]
		})
		var behind []loop.Stmt
		for _, g := range p.Funcs {
			if g.After == f {
				behind = append(behind, g.Body...)
			}
		}
		dropFrom(f, behind)
	}
}

// dropFrom drops from one function; what stands behind it reads its numbers too.
func dropFrom(f *loop.Func, behind []loop.Stmt) {
	for {
		e := loop.EffectsOf(f.Body...)
		e.Add(behind...)
		reads := e.Reads
		found := false
		f.Body = loop.Blocks(f.Body, func(list []loop.Stmt) []loop.Stmt {
			var out []loop.Stmt
			for _, st := range list {
				if idle(st, reads) {
					found = true
					continue
				}
				out = append(out, st)
			}
			return out
		})
		if !found {
			return
		}
	}
}

// idle reports whether a statement does nothing for what is read.
func idle(st loop.Stmt, reads map[*loop.Var][][]*loop.Int) bool {
	unread := func(v *loop.Var) bool {
		return (v.Home == loop.Local || v.Home == loop.Field && v.Scalar()) && len(reads[v]) == 0
	}
	switch st := st.(type) {
	case *loop.Let:
		return unread(st.V) && !draws(st.E)
	case *loop.Set:
		return unread(st.V) && !draws(st.E)
	case *loop.FitPart:
		return unread(st.V)
	case *loop.For:
		return len(st.Body) == 0
	case *loop.If:
		return len(st.Body) == 0
	}
	return false
}
