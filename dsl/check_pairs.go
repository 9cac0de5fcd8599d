package dsl

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
)

// The covariance of the elements of a matrix is of pairs of positions: C[i, k, j, l] is that of y[i, k] and y[j, l]. As a matrix it has (n m)² elements. This file finds, in the
// formula of C, what does without them:
//
//	C = δ_ij V[i, k, l]             rows are independent, with covariances of their own
//	C = δ_kl V[k, i, j]             columns are
//	C = A[i, j] B[k, l] + δ_ij δ_kl v    the Kronecker product of two covariances, with a variance that may differ by the row or by the column, or without one
//
// The formula is taken apart into sums of products; an exponential of a sum, the square of a product and a condition on positions are such too.

// grids are the log densities of a matrix with a Kronecker product as its covariance, by what varies v.
var grids = sync.OnceValue(func() map[string]*Func {
	const rest = " - 0.5*n*m*log(2*pi())"
	const with = "let W = kronecker_solve(A, B, s, r)\nreturn -0.5*sum(r .* W) - 0.5*kronecker_log_det(A, B, s)" + rest + "\n}"
	out := map[string]*Func{}
	for name, text := range map[string]string{
		"nothing": "(y, mu real[n, m], A real[n, n], B real[m, m]) {\nlet r = y - mu\nreturn -0.5*sum(r .* (inverse(A)*r*inverse(B))) - 0.5*m*log_det(A) - 0.5*n*log_det(B)" + rest + "\n}",
		"number":  "(y, mu real[n, m], A real[n, n], B real[m, m], s real) {\nlet r = y - mu\n" + with,
		"rows": "(y, mu real[n, m], C real[n, n], B real[m, m], v real[n]) {\nlet s = 1\nlet r[i in n, k in m] = (y[i, k] - mu[i, k])/sqrt(v[i])\nlet A[i in n, j in n] = C[i, j]/(sqrt(v[i])*sqrt(v[j]))\n" +
			"let W = kronecker_solve(A, B, s, r)\nreturn -0.5*sum(r .* W) - 0.5*kronecker_log_det(A, B, s) - 0.5*m*sum(log(v))" + rest + "\n}",
		"columns": "(y, mu real[n, m], A real[n, n], C real[m, m], v real[m]) {\nlet s = 1\nlet r[i in n, k in m] = (y[i, k] - mu[i, k])/sqrt(v[k])\nlet B[k in m, l in m] = C[k, l]/(sqrt(v[k])*sqrt(v[l]))\n" +
			"let W = kronecker_solve(A, B, s, r)\nreturn -0.5*sum(r .* W) - 0.5*kronecker_log_det(A, B, s) - 0.5*n*sum(log(v))" + rest + "\n}",
	} {
		file, _ := Parse("", "model m\nfunc multi_normal_of_pairs"+text+"\n")
		fn := &Func{object: object{Name: "multi_normal"}, stmt: file.Stmts[0].(*FuncStmt), builtin: true, of: LookupDistribution("multi_normal")}
		fn.weigh()
		out[name] = fn
	}
	return out
})

// pairTerm is a term of the formula of a covariance of pairs: the product of its factors, of those of the first and of the second dimension.
type pairTerm struct {
	factors []Expr
	same    [2]bool // δ of that dimension is a factor
}

// pairs are the names of the indices of a covariance: those of the first dimension, i and j, and those of the second, k and l.
type pairs [2][2]string

// of are the dimensions whose indices an expression names.
func (p pairs) of(e Expr) (dims [2]bool) {
	Walk(e, func(n Node) bool {
		if n, ok := n.(*Name); ok {
			for d := range p {
				dims[d] = dims[d] || slices.Contains(p[d][:], n.Name)
			}
		}
		return true
	})
	return dims
}

// delta is the dimension of which an expression says that both positions are one.
func (p pairs) delta(e Expr) (dim int, ok bool) {
	var x, y Expr
	switch e := e.(type) {
	case *CallExpr:
		if e.Func == "delta" && len(e.Args) == 2 {
			x, y = e.Args[0].Expr, e.Args[1].Expr
		}
	case *BinaryExpr:
		if e.Op == "==" {
			x, y = e.X, e.Y
		}
	}
	a, named := x.(*Name)
	b, also := y.(*Name)
	if !named || !also {
		return 0, false
	}
	for d := range p {
		if p[d] == [2]string{a.Name, b.Name} || p[d] == [2]string{b.Name, a.Name} {
			return d, true
		}
	}
	return 0, false
}

// anyDelta reports whether an expression asks somewhere whether positions are one.
func (p pairs) anyDelta(e Expr) (found bool) {
	Walk(e, func(n Node) bool {
		if x, ok := n.(Expr); ok && !found {
			_, found = p.delta(x)
		}
		return !found
	})
	return found
}

// maxPairTerms is how many terms a formula is taken apart into.
const maxPairTerms = 64

// terms take a formula apart. What cannot be is one term.
func (p pairs) terms(e Expr) []pairTerm {
	whole := []pairTerm{{factors: []Expr{e}}}
	if d, ok := p.delta(e); ok {
		t := pairTerm{}
		t.same[d] = true
		return []pairTerm{t}
	}
	if dims := p.of(e); !dims[0] || !dims[1] {
		// Of one dimension, only the δ of a product stands for itself.
		if b, ok := e.(*BinaryExpr); !p.anyDelta(e) || ok && (b.Op == "+" || b.Op == "-") {
			return whole
		}
	}
	switch e := e.(type) {
	case *UnaryExpr:
		switch e.Op {
		case "-":
			return timesAll(p.terms(e.X), e)
		case "+":
			return p.terms(e.X)
		}
	case *BinaryExpr:
		switch e.Op {
		case "+":
			return append(p.terms(e.X), p.terms(e.Y)...)
		case "-":
			return append(p.terms(e.X), timesAll(p.terms(e.Y), e)...)
		case "*", ".*", "and":
			x, y := p.terms(e.X), p.terms(e.Y)
			if len(x)*len(y) > maxPairTerms {
				return whole
			}
			var out []pairTerm
			for _, a := range x {
				for _, b := range y {
					out = append(out, pairTerm{append(slices.Clone(a.factors), b.factors...), [2]bool{a.same[0] || b.same[0], a.same[1] || b.same[1]}})
				}
			}
			return out
		case "/", "./":
			inverse := &BinaryExpr{node: e.copied(), Op: "/", At: e.At, X: one(e), Y: e.Y}
			out := p.terms(e.X)
			for n := range out {
				out[n].factors = append(out[n].factors, inverse)
			}
			return out
		case "^", ".^":
			if t := p.terms(e.X); len(t) == 1 && p.of(e.Y) == [2]bool{} {
				for n, f := range t[0].factors {
					t[0].factors[n] = &BinaryExpr{node: e.copied(), Op: "^", At: e.At, X: f, Y: e.Y}
				}
				return t
			}
		}
	case *IfExpr:
		if isZero(e.Else) {
			return p.terms(&BinaryExpr{node: e.copied(), Op: "*", At: e.span, X: e.Cond, Y: e.Then})
		}
	case *CallExpr:
		if e.Func != "exp" || len(e.Args) != 1 {
			break
		}
		out := pairTerm{}
		for _, t := range p.terms(e.Args[0].Expr) {
			x := t.product(e)
			if t.same != [2]bool{} {
				return whole
			}
			out.factors = append(out.factors, &CallExpr{node: e.copied(), Func: "exp", At: e.At, Args: []Arg{{Expr: x}}})
		}
		return []pairTerm{out}
	}
	return whole
}

// one is the number 1 where an expression stands.
func one(at Expr) Expr {
	return &Number{node: node{span: at.Span()}, Value: 1, Text: "1"}
}

// timesAll are terms with the opposite sign.
func timesAll(list []pairTerm, at Expr) []pairTerm {
	for n := range list {
		minus := &UnaryExpr{node: node{span: at.Span()}, Op: "-", X: one(at)}
		list[n].factors = append(list[n].factors, minus)
	}
	return list
}

// product is the product of the factors of a term but for δ, as an expression that is not checked.
func (t pairTerm) product(at Expr) Expr { return productOf(t.factors, at) }

func productOf(factors []Expr, at Expr) Expr {
	out := one(at)
	for n, f := range factors {
		if f = clone(f); n == 0 {
			out = f
			continue
		}
		out = &BinaryExpr{node: node{span: at.Span()}, Op: "*", At: at.Span(), X: out, Y: f}
	}
	return out
}

// pairStructure is what was found in a covariance.
type pairStructure struct {
	// Independent is the dimension, 0 for rows, whose elements are independent, or −1. Block is the covariance given it.
	independent int
	block       Expr

	// Otherwise, the factors of the Kronecker product, and the variance that is added, nil if there is none, with the dimensions that vary it.
	factors [2]Expr
	noise   Expr
	varies  [2]bool
}

// find is the structure of a covariance of pairs with a formula, nil if none is known.
func (p pairs) find(formula Expr) *pairStructure {
	list := p.terms(formula)
	for d := range p {
		if all := !slices.ContainsFunc(list, func(t pairTerm) bool { return !t.same[d] }); !all {
			continue
		}
		// The other δ is a factor of the block.
		o := 1 - d
		var sum Expr
		for _, t := range list {
			x := renamed(t.product(formula), p[d][1], p[d][0])
			if t.same[o] {
				x = &BinaryExpr{node: node{span: formula.Span()}, Op: "*", At: formula.Span(), X: x, Y: equal(p[o], formula)}
			}
			sum = plus(sum, x, formula)
		}
		return &pairStructure{independent: d, block: sum}
	}
	out := &pairStructure{independent: -1}
	for _, t := range list {
		if t.same == [2]bool{true, true} {
			x := renamed(renamed(t.product(formula), p[0][1], p[0][0]), p[1][1], p[1][0])
			out.noise = plus(out.noise, x, formula)
			continue
		}
		if out.factors[0] != nil {
			return nil
		}
		var parts [2][]Expr
		for _, f := range t.factors {
			dims := p.of(f)
			if dims == [2]bool{true, true} {
				return nil
			}
			d := 0
			if dims[1] {
				d = 1
			}
			parts[d] = append(parts[d], f)
		}
		for d := range p {
			x := productOf(parts[d], formula)
			if t.same[d] {
				x = &BinaryExpr{node: node{span: formula.Span()}, Op: "*", At: formula.Span(), X: x, Y: equal(p[d], formula)}
			}
			out.factors[d] = x
		}
	}
	if out.factors[0] == nil {
		return nil
	}
	if out.noise != nil {
		if out.varies = p.of(out.noise); out.varies == [2]bool{true, true} {
			return nil
		}
	}
	return out
}

// plus is a sum, of which the first part may be missing.
func plus(x, y, at Expr) Expr {
	if x == nil {
		return y
	}
	return &BinaryExpr{node: node{span: at.Span()}, Op: "+", At: at.Span(), X: x, Y: y}
}

// equal is δ of two indices.
func equal(of [2]string, at Expr) Expr {
	call := &CallExpr{node: node{span: at.Span()}, Func: "delta", At: at.Span()}
	for _, name := range of {
		call.Args = append(call.Args, Arg{Expr: &Name{node: node{span: at.Span()}, Name: name}})
	}
	return call
}

// renamed is an expression that is not checked, with another name in the place of one.
func renamed(e Expr, from, to string) Expr {
	return cloner{name: from, put: &Name{node: node{span: e.Span()}, Name: to}}.expr(e)
}

// ofPairs makes of y ~ multi_normal(mu, C), for a matrix y and the covariance C of pairs of its positions, what the structure of C allows. It returns nil where that is done or
// an error was reported, and otherwise the term that is left to check.
func (c *checker) ofPairs(term *Term) *Term {
	shape := term.Left.Type().Shape
	if term.Dist.Name != "multi_normal" || len(term.Args) != 2 || len(shape) != 2 || len(term.Args[1].Type().Shape) != 4 {
		return term
	}
	sigma := term.Args[1]
	if want := []Extent{shape[0], shape[1], shape[0], shape[1]}; !sameShape(sigma.Type().Shape, want) {
		c.err(ShapeMismatch, sigma.Span(), fmt.Sprintf("`C[i, k, j, l]` is the covariance of the elements at [i, k] and at [j, l]: of %s it is %s", term.Left.Type(), Type{Real, want}),
			"the covariance is %s, %s is %s", sigma.Type(), "the "+term.side(), term.Left.Type())
		return nil
	}
	l := pairLet(sigma)
	if l == nil || term.For != nil || term.call || c.generating {
		c.err(NotYet, sigma.Span(), "write `y ~ multi_normal(mu, C)` of the whole matrix, with `let C[i in n, k in m, j in n, l in m] = …`",
			"a covariance of pairs that is not a definition over four indices, or is used within a range, is not in this version of the language")
		return nil
	}
	p := pairs{{l.Indices[0].Name, l.Indices[2].Name}, {l.Indices[1].Name, l.Indices[3].Name}}
	found := p.find(l.Value)
	if found == nil {
		c.err(NotYet, sigma.Span(), "as one vector of all elements, `let N = n*m`, it has a covariance of two indices, `let K[a in N, b in N] = …`, of any form",
			"a covariance of pairs is a product of two covariances, `A[i, j]*B[k, l]`, with or without a variance `v*delta(i, j)*delta(k, l)`, or has `delta` of a dimension in all its terms; `%s` is neither", l.Name)
		return nil
	}
	if mean := term.Args[0].Type(); !mean.IsScalar() && !sameShape(mean.Shape, shape) {
		c.err(ShapeMismatch, term.Args[0].Span(), "", "the mean is %s, the %s %s", mean, term.side(), term.Left.Type())
		return nil
	}
	if found.independent >= 0 {
		if !c.independent(term, l, found) {
			return nil
		}
		return term
	}
	c.grid(term, l, found)
	return nil
}

// pairLet is the definition that a covariance of pairs is.
func pairLet(e Expr) *Let {
	n, ok := e.(*Name)
	if !ok {
		return nil
	}
	l, ok := n.Obj.(*Let)
	if !ok || l.Local || l.Recursion != nil || l.Value == nil || len(l.Indices) != 4 {
		return nil
	}
	return l
}

// declOf declares an index of a definition anew.
func declOf(ix *Index) IndexDecl {
	size := ix.Range.Hi
	var hi Expr = &Name{node: node{span: ix.At}, Name: size.Name}
	number := &Number{node: node{span: ix.At}, Value: float64(size.Offset), Text: strconv.Itoa(size.Offset)}
	switch {
	case size.Name == "":
		hi = number
	case size.Offset != 0:
		hi = &BinaryExpr{node: node{span: ix.At}, Op: "+", At: ix.At, X: hi, Y: number}
	}
	return IndexDecl{Name: ix.Name, At: ix.At, Hi: hi}
}

// pairPart is a definition that a covariance of pairs is made of, over some of its indices.
func (c *checker) pairPart(l *Let, name string, value Expr, indices ...int) *Let {
	var decls []IndexDecl
	for _, d := range indices {
		decls = append(decls, declOf(l.Indices[d]))
	}
	out := &Let{object: object{Name: l.Name + name, At: l.At, used: true}, Local: true}
	out.Indices, out.Type, out.Value = c.definition(out.Name, decls, value)
	return out
}

// nameFor is a name for a definition.
func nameFor(l *Let, at Span) Expr {
	return &Name{node: node{span: at, typ: l.Type}, Name: l.Name, Obj: l}
}

// independent makes of a term one for each row, or column, with the covariance of that. It is false where an error was reported.
func (c *checker) independent(term *Term, l *Let, found *pairStructure) bool {
	d := found.independent
	block := c.pairPart(l, "Block", found.block, d, 1-d, 3-d)
	if len(block.Type.Shape) != 3 {
		return false // an error was reported
	}
	at := term.Args[1].Span()
	all := &CallExpr{node: node{span: at, typ: block.Type}, At: at, Func: block.Name, Inlined: &Inlined{Lets: []*Let{block}, Value: nameFor(block, at)}}
	ix := indicesOver(term.Left.Type().Shape[d:d+1], at)[0]
	row := func(e Expr) Expr {
		if e.Type().IsScalar() {
			return e
		}
		subs := []Subscript{{Index: ix}, {All: true}}
		if d == 1 {
			slices.Reverse(subs)
		}
		out := &IndexExpr{node: node{span: e.Span()}, Base: e, Subscripts: subs}
		out.setType(Type{e.Type().Base, e.Type().Shape[1-d : 2-d]})
		return out
	}
	term.Left, term.Args = row(term.Left), []Expr{row(term.Args[0]), elementOf(all, []*Index{ix})}
	term.For = ix
	return true
}

// grid adds the term of a matrix whose covariance is a Kronecker product.
func (c *checker) grid(term *Term, l *Let, found *pairStructure) {
	before := len(c.ds.List)
	at := term.Args[1].Span()
	lets := []*Let{c.pairPart(l, "Rows", found.factors[0], 0, 2), c.pairPart(l, "Columns", found.factors[1], 1, 3)}
	mean := term.Args[0]
	if mean.Type().IsScalar() {
		ix := indicesOver(term.Left.Type().Shape, mean.Span())
		l := &Let{object: object{Name: "spread", At: mean.Span(), used: true}, Indices: ix, Value: mean, Type: Type{Base: Real, Shape: term.Left.Type().Shape}, Local: true}
		lets = append(lets, l)
		mean = nameFor(l, mean.Span())
	}
	values := []Expr{term.Left, mean, nameFor(lets[0], at), nameFor(lets[1], at)}
	of := "nothing"
	if found.noise != nil {
		of = "number"
		var over []int
		for d, name := range []string{"rows", "columns"} {
			if found.varies[d] {
				of, over = name, []int{d}
			}
		}
		noise := c.pairPart(l, "Noise", found.noise, over...)
		lets = append(lets, noise)
		values = append(values, nameFor(noise, at))
	}
	if c.errors(before) > 0 {
		return
	}
	call := &CallExpr{node: node{span: at}, Func: term.Dist.Name, At: term.Left.Span()}
	if c.inline(call, grids()[of], values); call.Inlined == nil {
		return
	}
	call.Inlined.Lets = slices.Concat(lets, call.Inlined.Lets)
	if c.dependsOnParam(call) == nil {
		c.err(DataOnlyTerm, term.Left.Span(), noParamHint, "this term depends on no parameter, so it does not change the posterior")
		return
	}
	c.model.Terms = append(c.model.Terms, &Term{At: term.At, Value: call})
}
