package unroll

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// each writes out a loop over the indices of a vector.
func (l *lifter) each(f *frame, s *ast.RangeStmt) []loop.Stmt {
	v, ok := l.value(f, s.X).(Vector)
	if !ok || s.Value != nil {
		l.fail(s, "no loop over the indices of a vector")
	}
	var out []loop.Stmt
	for i := range v {
		in := f.inner()
		in.known[s.Key.(*ast.Ident).Name] = i
		out = append(out, l.block(in, s.Body.List)...)
	}
	return out
}

// repeat lifts a loop for k := first; ; k++, with its first turn apart where after it fewer elements move.
func (l *lifter) repeat(f *frame, s *ast.ForStmt) []loop.Stmt {
	init, ok := s.Init.(*ast.AssignStmt)
	post, counts := s.Post.(*ast.IncDecStmt)
	if !ok || !counts || s.Cond != nil || len(init.Lhs) != 1 || post.Tok != token.INC {
		l.fail(s, "no loop that counts until it is left")
	}
	name := init.Lhs[0].(*ast.Ident).Name
	first := l.position(f, init.Rhs[0])
	var out []loop.Stmt
	f = f.inner()
	if rest := l.settle(f); rest != nil {
		in := f.inner()
		in.known[name] = first
		out = l.block(in, s.Body.List)
		f, first = rest, first+1
	}
	w := &loop.While{V: &loop.Var{Name: name, Int: true}, From: loop.Const(first)}
	f.known[name] = w.V
	w.Body = l.block(f, s.Body.List)
	return append(out, w)
}

// settle returns a frame in which vectors have only the elements that move after the first turn of a loop, or nil if
// all do.
func (l *lifter) settle(f *frame) *frame {
	if l.o.Moves == nil {
		return nil
	}
	var in *frame
	for at := f; at != nil; at = at.outer {
		for _, name := range slices.Sorted(maps.Keys(at.known)) {
			if v, ok := at.known[name].(Vector); ok && in == nil {
				if moves := l.o.Moves(v); moves != nil {
					in = f.inner()
					in.again = true
					l.shrink(f, in, len(v), moves)
				}
			}
		}
		if at.top {
			break
		}
	}
	return in
}

// shrink leaves the vectors of a function that have a length only some of their elements.
func (l *lifter) shrink(f, in *frame, length int, moves []int) {
	for at := f; at != nil; at = at.outer {
		for name, v := range at.known {
			v, ok := v.(Vector)
			if _, seen := in.known[name]; !ok || seen || len(v) != length {
				continue
			}
			var rest Vector
			for _, i := range moves {
				rest = append(rest, v[i])
			}
			in.known[name] = rest
		}
		if at.top {
			return
		}
	}
}
