package unroll

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"

	"github.com/dave/jennifer/jen"
)

// each writes out a loop over the indices of a vector.
func (p *printer) each(f *frame, s *ast.RangeStmt) []jen.Code {
	v, ok := p.value(f, s.X).(Vector)
	if !ok || s.Value != nil {
		p.fail(s, "no loop over the indices of a vector")
	}
	var out []jen.Code
	for i := range v {
		in := f.inner()
		in.known[s.Key.(*ast.Ident).Name] = i
		out = append(out, p.block(in, s.Body.List)...)
	}
	return out
}

// repeat prints a loop for k := first; ; k++, and its first turn apart where after it fewer elements move.
func (p *printer) repeat(f *frame, s *ast.ForStmt) []jen.Code {
	init, ok := s.Init.(*ast.AssignStmt)
	post, counts := s.Post.(*ast.IncDecStmt)
	if !ok || !counts || s.Cond != nil || len(init.Lhs) != 1 || post.Tok != token.INC {
		p.fail(s, "no loop that counts until it is left")
	}
	name := init.Lhs[0].(*ast.Ident).Name
	first := p.number(f, init.Rhs[0])
	var out []jen.Code
	f = f.inner()
	if rest := p.settle(f); rest != nil {
		in := f.inner()
		in.known[name] = first
		out = p.block(in, s.Body.List)
		f, first = rest, first+1
	}
	k := p.o.Fresh(name)
	f.known[name] = variable(k)
	l := &loop{}
	f.scope.loops = append(f.scope.loops, l)
	body := p.block(f, s.Body.List)
	f.scope.loops = f.scope.loops[:len(f.scope.loops)-1]
	out = append(out, l.before...)
	return append(out, jen.For(jen.Id(k).Op(":=").Lit(first), jen.Empty(), jen.Id(k).Op("++")).Block(body...))
}

// settle returns a frame in which vectors have only the elements that move after the first turn of a loop, or nil if
// all do.
func (p *printer) settle(f *frame) *frame {
	if p.o.Moves == nil {
		return nil
	}
	var in *frame
	for at := f; at != nil; at = at.outer {
		for _, name := range slices.Sorted(maps.Keys(at.known)) {
			if v, ok := at.known[name].(Vector); ok && in == nil {
				if moves := p.o.Moves(v); moves != nil {
					in = f.inner()
					in.again = true
					p.shrink(f, in, len(v), moves)
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
func (p *printer) shrink(f, in *frame, length int, moves []int) {
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
