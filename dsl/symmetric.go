package dsl

// Symmetric reports whether a matrix is symmetric by how it is written, whatever its parts are: A*S*A' is where S is, and so are sums, multiples and inverses of symmetric matrices.
// What is defined by its elements is left to the calculus.
func Symmetric(e Expr) bool {
	switch e := Through(e).(type) {
	case *Name:
		switch o := e.Obj.(type) {
		case *Data:
			return o.Constraint.IsSymmetric() && len(o.Type.Shape) == 2
		case *Param:
			return (o.Constraint == Corr || o.Constraint == Cov) && len(o.Type.Shape) == 2
		case *Let:
			return len(o.Indices) == 0 && o.Recursion == nil && o.Value != nil && !o.Local && Symmetric(o.Value)
		}
	case *UnaryExpr:
		return Symmetric(e.X)
	case *IfExpr:
		return e.Cond.Type().IsScalar() && Symmetric(e.Then) && Symmetric(e.Else)
	case *CallExpr:
		switch e.Func {
		case "diag":
			return e.Fn != nil && e.Inlined == nil
		case "inverse", "inverse_general":
			return e.Inlined == nil && len(e.Args) == 1 && Symmetric(e.Args[0].Expr)
		}
	case *BinaryExpr:
		switch e.Op {
		case "+", "-":
			return Symmetric(e.X) && Symmetric(e.Y) || mirrored(e.X, e.Y) && e.Op == "+"
		case ".*", "./":
			return Symmetric(e.X) && Symmetric(e.Y)
		case "/":
			return e.Y.Type().IsScalar() && Symmetric(e.X)
		case "*":
			return palindrome(matrixFactors(nil, e, false))
		}
	}
	return false
}

// matrixFactor is a factor of a product of matrices.
type matrixFactor struct {
	e         Expr
	transpose bool
}

// matrixFactors adds the factors of a product of matrices, or of its transpose, in order; numbers are left out.
func matrixFactors(list []matrixFactor, e Expr, transpose bool) []matrixFactor {
	switch x := Through(e).(type) {
	case *UnaryExpr:
		if x.Op == "'" {
			return matrixFactors(list, x.X, !transpose)
		}
	case *BinaryExpr:
		if x.Op != "*" {
			break
		}
		first, last := x.X, x.Y
		if transpose {
			first, last = last, first
		}
		return matrixFactors(matrixFactors(list, first, transpose), last, transpose)
	}
	if e.Type().IsScalar() {
		return list
	}
	return append(list, matrixFactor{e, transpose})
}

// palindrome reports whether a product is its own transpose: the factors from both ends are each other's, and one in the middle is symmetric.
func palindrome(list []matrixFactor) bool {
	for n := range (len(list) + 1) / 2 {
		a, b := list[n], list[len(list)-1-n]
		switch {
		case n == len(list)-1-n:
			return Symmetric(a.e)
		case len(a.e.Type().Shape) != 2 || !sameText(a.e, b.e) || a.transpose == b.transpose && !Symmetric(a.e):
			return false
		}
	}
	return len(list) > 0
}

// mirrored reports whether a matrix is the transpose of another by how they are written.
func mirrored(x, y Expr) bool {
	a, b := matrixFactors(nil, x, false), matrixFactors(nil, y, true)
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	for n := range a {
		if !sameText(a[n].e, b[n].e) || a[n].transpose != b[n].transpose && !Symmetric(a[n].e) {
			return false
		}
	}
	return true
}

// sameText reports whether two expressions of one statement are written alike, with the same objects: they mean the same then.
func sameText(a, b Expr) bool {
	a, b = Through(a), Through(b)
	text := Text(a)
	return text != "" && text == Text(b)
}
