package dsl

// LowerTriangular reports whether a matrix is zero above its diagonal by how it is written: a factor, a product or sum of such, or a definition that says so in its formula.
func LowerTriangular(e Expr) bool {
	switch e := Through(e).(type) {
	case *Name:
		switch o := e.Obj.(type) {
		case *Param:
			return o.isFactor()
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
		return e.Func == "cholesky" || e.Func == "diag" || e.Func == "solve_lower" && LowerTriangular(e.Args[1].Expr)
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

// isFactor reports whether a parameter is a lower triangular factor, or an array of such.
func (p *Param) isFactor() bool { return p.Constraint == CorrCholesky || p.Constraint == CovCholesky }

// zeroAbove reports whether an element is 0 where its column is behind its row.
func zeroAbove(e Expr, row, col *Index) bool {
	is := func(e Expr, ix *Index) bool {
		n, ok := e.(*Name)
		return ok && n.Obj == Object(ix)
	}
	// ahead is how far the column is moved beside the row in two expressions, of which one is the row and the other the column, each with a number: row + r and col + k have k − r.
	ahead := func(x, y Expr) (by float64, ok bool) {
		x, r := moved(x)
		y, k := moved(y)
		switch {
		case is(x, row) && is(y, col):
			return k - r, true
		case is(x, col) && is(y, row):
			return r - k, true
		}
		return 0, false
	}
	switch e := e.(type) {
	case *Number:
		return e.Value == 0
	case *IndexExpr:
		n := len(e.Subscripts)
		return n >= 2 && e.Subscripts[n-2] == Subscript{Index: row} && e.Subscripts[n-1] == Subscript{Index: col} && LowerTriangular(e.Base)
	case *IfExpr:
		return zeroAbove(e.Cond, row, col) && zeroAbove(e.Else, row, col)
	case *UnaryExpr:
		return (e.Op == "-" || e.Op == "+") && zeroAbove(e.X, row, col)
	case *CallExpr:
		if e.Func != "delta" || len(e.Subscripts) != 2 {
			return false
		}
		switch x, y := e.Subscripts[0], e.Subscripts[1]; { // row + r = col + k
		case x.Index == row && y.Index == col:
			return y.Offset >= x.Offset
		case x.Index == col && y.Index == row:
			return x.Offset >= y.Offset
		}
		return false
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
			by, ok := ahead(x, y)
			return ok && by >= 0
		}
	}
	return false
}

// moved is an expression without a number that is added to it, and that number.
func moved(e Expr) (Expr, float64) {
	b, ok := e.(*BinaryExpr)
	if !ok || b.Op != "+" && b.Op != "-" {
		return e, 0
	}
	n, ok := b.Y.(*Number)
	switch {
	case !ok:
		return e, 0
	case b.Op == "-":
		return b.X, -n.Value
	}
	return b.X, n.Value
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
