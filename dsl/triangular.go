package dsl

// LowerTriangular reports whether a matrix is zero above its diagonal by how it is written: a factor, a product or sum of such, or a definition that says so in its formula.
func LowerTriangular(e Expr) bool {
	switch e := Through(e).(type) {
	case *Name:
		switch o := e.Obj.(type) {
		case *Param:
			return o.Constraint == CorrCholesky || o.Constraint == CovCholesky
		case *Let:
			if o.Recursion != nil || o.Value == nil {
				return false
			}
			if len(o.Indices) == 2 {
				return zeroAbove(o.Value, o.Indices[0], o.Indices[1])
			}
			return len(o.Indices) == 0 && LowerTriangular(o.Value)
		}
	case *MatrixExpr:
		for i, row := range e.Rows {
			for _, x := range row[min(i+1, len(row)):] {
				if n, ok := x.(*Number); !ok || n.Value != 0 {
					return false
				}
			}
		}
		return len(e.Rows) > 1
	case *IndexExpr: // one of several
		return isMatrixOf(e) && LowerTriangular(e.Base)
	case *UnaryExpr:
		return (e.Op == "-" || e.Op == "+") && LowerTriangular(e.X)
	case *IfExpr:
		return e.Cond.Type().IsScalar() && LowerTriangular(e.Then) && LowerTriangular(e.Else)
	case *CallExpr:
		if e.Inlined != nil {
			return LowerTriangular(e.Inlined.Value)
		}
		return e.Func == "cholesky" || e.Func == "diag"
	case *BinaryExpr:
		switch x, y := e.X, e.Y; e.Op {
		case "+", "-":
			return LowerTriangular(x) && LowerTriangular(y)
		case ".*":
			return LowerTriangular(x) || LowerTriangular(y)
		case "/", "./":
			return LowerTriangular(x)
		case "*":
			return (x.Type().IsScalar() || LowerTriangular(x)) && (y.Type().IsScalar() || LowerTriangular(y))
		}
	}
	return false
}

// zeroAbove reports whether an element is 0 where its column is behind its row.
func zeroAbove(e Expr, row, col *Index) bool {
	is := func(e Expr, ix *Index) bool {
		n, ok := e.(*Name)
		return ok && n.Obj == Object(ix)
	}
	switch e := e.(type) {
	case *Number:
		return e.Value == 0
	case *IfExpr:
		return zeroAbove(e.Cond, row, col) && zeroAbove(e.Else, row, col)
	case *UnaryExpr:
		return (e.Op == "-" || e.Op == "+") && zeroAbove(e.X, row, col)
	case *CallExpr:
		return e.Func == "delta" && len(e.Args) == 2 && (is(e.Args[0].Expr, row) && is(e.Args[1].Expr, col) || is(e.Args[0].Expr, col) && is(e.Args[1].Expr, row))
	case *BinaryExpr:
		switch x, y := e.X, e.Y; e.Op {
		case "*", ".*", "and":
			return zeroAbove(x, row, col) || zeroAbove(y, row, col)
		case "+", "-", "or":
			return zeroAbove(x, row, col) && zeroAbove(y, row, col)
		case "/", "./":
			return zeroAbove(x, row, col)
		case "<=", "<":
			return is(x, col) && is(y, row)
		case ">=", ">":
			return is(x, row) && is(y, col)
		case "==":
			return is(x, row) && is(y, col) || is(x, col) && is(y, row)
		}
	}
	return false
}

// LowerHalf is the lower triangle of a matrix, with zeros above the diagonal.
func LowerHalf(a Expr) Expr {
	at := a.Span()
	shape := a.Type().Shape
	own := indicesOver(shape, at)
	name := func(ix *Index) Expr {
		return &Name{node: node{span: at, typ: Type{Base: Int}}, Name: ix.Name, Obj: ix}
	}
	below := &BinaryExpr{node: node{span: at, typ: Type{Base: Int}}, Op: "<=", At: at, X: name(own[1]), Y: name(own[0])}
	zero := &Number{node: node{span: at, typ: Type{Base: Int}}, Text: "0"}
	value := &IfExpr{node: node{span: at, typ: Type{Base: Real}}, Cond: below, Then: elementOf(a, own), Else: zero}
	l := &Let{object: object{Name: "lower", At: at, used: true}, Indices: own, Value: value, Type: Type{Base: Real, Shape: shape}, Local: true}
	return &CallExpr{node: node{span: at, typ: l.Type}, At: at, Func: l.Name, Inlined: &Inlined{Lets: []*Let{l}, Value: nameFor(l, at)}}
}
