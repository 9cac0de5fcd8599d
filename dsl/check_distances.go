package dsl

// Sums over distances whose number is a datum, as those of a renewal equation,
//
//	let I[t] = R[t]*sum(k in 1..min(G, t-1)) w[k]*I[t-k] for t in 2..T
//
// are sums over the positions that are read, which stand on one side of the one that is defined:
//
//	let I[t] = R[t]*sum(k in max(t-G, 1)..t-1) w[t-k]*I[k] for t in 2..T
//
// A condition that leaves out what is before the first position is the end of the range.

// byPositions writes such sums so, in the parts of definitions.
func (c *checker) byPositions(stmts []Stmt) []Stmt {
	inParts := map[string]bool{}
	for _, s := range stmts {
		if s, ok := s.(*LetStmt); ok && s.partial() {
			inParts[s.Name.Name] = true
		}
	}
	out := make([]Stmt, len(stmts))
	for n, s := range stmts {
		out[n] = s
		if let, ok := s.(*LetStmt); ok && let.For != nil {
			found := false
			other := cloner{spread: func(e *SumExpr) Expr {
				p := c.overPositions(e, let.For, inParts)
				if p == nil {
					return nil
				}
				found = true
				return p
			}}.let(let)
			if found {
				out[n] = other
			}
		}
	}
	return out
}

// overPositions is a sum over distances from an index as one over positions; nil where it is none, or is written out.
func (c *checker) overPositions(e *SumExpr, along *IndexDecl, inParts map[string]bool) Expr {
	index := along.Name
	if e.Func != "sum" || len(e.Indices) != 1 || e.Indices[0].Name == index {
		return nil
	}
	k := e.Indices[0]
	if _, hi, ok := c.endsOf(&k); ok && hi.IsConst() || !readsBack(e.Body, index, k.Name, inParts) {
		return nil
	}
	at := node{span: k.Hi.Span(), tokens: k.Hi.Source()}
	minus := func(x, y Expr) Expr { return &BinaryExpr{node: at, Op: "-", At: k.At, X: x, Y: y} }
	t := func() Expr { return &Name{node: at, Name: index} }
	body, first := e.Body, Expr(nil)
	if chosen, ok := body.(*IfExpr); ok {
		if v, zero := c.constant(chosen.Else); zero && v == 0 {
			if by, ok := keepsBefore(chosen.Cond, index, k.Name); ok {
				body, first = chosen.Then, numberAt(at, by)
			}
		}
	}
	end := k.Hi
	if call, ok := end.(*CallExpr); ok && first == nil && len(call.Args) == 2 && (call.Func == "min" || call.Func == "fmin") {
		for n, a := range call.Args {
			if s, ok := sumOf(a.Expr); ok && s.of[index] == 1 && len(s.of) == 1 {
				end, first = call.Args[1-n].Expr, numberAt(at, -s.number)
			}
		}
	}
	lo := minus(t(), clone(end))
	if s, ok := sumOf(end); ok && s.of[index] == 1 && len(s.of) == 1 {
		if first == nil && !c.asLong(body, k.Name, along, int(s.number)) {
			return nil // what is too short is told of, as it would be elsewhere
		}
		lo = numberAt(at, -s.number)
	} else if first != nil {
		lo = &CallExpr{node: at, Func: "fmax", At: k.At, Args: []Arg{{Expr: lo}, {Expr: first}}}
	}
	near := 1.0
	if k.Lo != nil {
		var known bool
		if near, known = c.constant(k.Lo); !known {
			return nil
		}
	}
	if near < 1 {
		return nil
	}
	return &SumExpr{node: e.copied(), Func: "sum", Body: toPositions(body, index, k.Name),
		Indices: []IndexDecl{{Name: k.Name, At: k.At, Lo: lo, Hi: minus(t(), numberAt(at, near))}}}
}

// asLong reports whether what an expression reads at an index k has as many elements as a range, and a number more, goes.
func (c *checker) asLong(e Expr, k string, along *IndexDecl, more int) bool {
	_, hi, ok := c.endsOf(along)
	if !ok {
		return true
	}
	Walk(e, func(n Node) bool {
		x, is := n.(*IndexExpr)
		if !is {
			return ok
		}
		shape := c.shapeNamed(x.Base)
		for d, a := range x.Args {
			if name, is := a.(*Name); is && name.Name == k && d < len(shape) {
				ok = ok && (c.atMost(hi.Plus(more), shape[d]) || hi.IsConst() && !shape[d].IsConst())
			}
		}
		return ok
	})
	return ok
}

// numberAt is a number in a text.
func numberAt(at node, v float64) Expr { return &Number{node: at, Value: v} }

// readsBack reports whether an expression reads what is defined in parts at a distance k before a position, and a number of positions.
func readsBack(e Expr, index, k string, inParts map[string]bool) (found bool) {
	Walk(e, func(n Node) bool {
		x, ok := n.(*IndexExpr)
		if !ok {
			return !found
		}
		if base, ok := x.Base.(*Name); ok && inParts[base.Name] {
			for _, a := range x.Args {
				s, ok := sumOf(a)
				found = found || ok && s.of[index] == 1 && s.of[k] == -1 && len(s.of) == 2
			}
		}
		return !found
	})
	return found
}

// keepsBefore reports whether a condition holds of the distances k that lead to a position from the number first on, k < t of those to the first.
func keepsBefore(e Expr, index, k string) (first float64, ok bool) {
	b, isBinary := e.(*BinaryExpr)
	if !isBinary || flipped[b.Op] == "" {
		return 0, false
	}
	x, ok1 := sumOf(b.X)
	y, ok2 := sumOf(b.Y)
	if !ok1 || !ok2 {
		return 0, false
	}
	x.add(y, -1)
	op := b.Op
	if x.of[k] == 1 && x.of[index] == -1 {
		x.times(-1)
		op = flipped[op]
	}
	if x.of[k] != -1 || x.of[index] != 1 || len(x.of) != 2 {
		return 0, false
	}
	switch op { // of t - k + number and 0
	case ">":
		return 1 - x.number, true
	case ">=":
		return -x.number, true
	}
	return 0, false
}

// toPositions is an expression with the distance of a position from the index in the place of the distance k.
func toPositions(e Expr, index, k string) Expr {
	return cloner{name: k, distance: index}.expr(e)
}

// nameSum is a sum of names, each so many times, and a number.
type nameSum struct {
	of     map[string]int
	number float64
}

// sumOf reads an expression as one; false where it is none.
func sumOf(e Expr) (s nameSum, ok bool) {
	switch e := e.(type) {
	case *Number:
		return nameSum{map[string]int{}, e.Value}, true
	case *Name:
		return nameSum{map[string]int{e.Name: 1}, 0}, true
	case *BinaryExpr:
		x, ok1 := sumOf(e.X)
		y, ok2 := sumOf(e.Y)
		if !ok1 || !ok2 || e.Op != "+" && e.Op != "-" {
			return s, false
		}
		x.add(y, map[string]int{"+": 1, "-": -1}[e.Op])
		return x, true
	}
	return s, false
}

// add adds another, so many times.
func (s *nameSum) add(o nameSum, times int) {
	for name, n := range o.of {
		if s.of[name] += times * n; s.of[name] == 0 {
			delete(s.of, name)
		}
	}
	s.number += float64(times) * o.number
}

// times multiplies one by a number.
func (s *nameSum) times(by int) {
	for name := range s.of {
		s.of[name] *= by
	}
	s.number *= float64(by)
}
