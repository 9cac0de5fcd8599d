package dsl

import (
	"fmt"
	"slices"
	"strings"
)

// A density of a function of a parameter is none of the parameter, unless the function is linear: that of s is the one of log s times 1/s. So `log(s) ~ normal(0, 1)` is
// another prior than it looks, and where s has no other one, hardly the one that is meant.

// jacobians warns of statements whose left side is made of parameters alone, by a function that is not linear, where one of them has no other prior and no term of
// `density` may hold the Jacobian. So it does of data that a parameter scales or bends: the density of (y - a)/s is that of y times s.
func (c *checker) jacobians(m *Model) {
	written := map[*Param]bool{} // in terms of `density`
	linear := map[*Param]bool{}  // in left sides that are linear in them
	degrees := &degrees{map[Expr]int{}}
	for _, t := range m.Terms {
		if t.Left == nil {
			for p := range paramsOf(t.Value) {
				written[p] = true
			}
		} else if degrees.visit(t.Left) < 2 {
			for p := range paramsOf(t.Left) {
				linear[p] = true
			}
		}
	}
	for _, t := range m.Terms {
		if t.Left == nil || t.Dist == nil || degrees.visit(t.Left) < 2 {
			continue
		}
		if readsData(t.Left) {
			c.bentData(t, written, degrees)
			continue
		}
		if slices.ContainsFunc(t.Args, readsData) {
			continue
		}
		var alone *Param
		excused := false
		left := paramsOf(t.Left)
		for _, p := range m.Params {
			if !left[p] {
				continue
			}
			excused = excused || written[p]
			if !linear[p] && alone == nil {
				alone = p
			}
		}
		if alone == nil || excused {
			continue
		}
		args := make([]string, len(t.Args))
		for n, a := range t.Args {
			args[n] = Text(a)
		}
		hint := fmt.Sprintf("give `%s` itself a prior, or add `density` with the logarithm of the derivative of the left side; where none is meant, write `density %s(%s | %s)`",
			alone.Name, t.Dist.LogDensityName(), Text(t.Left), strings.Join(args, ", "))
		if call, ok := Through(t.Left).(*CallExpr); ok && call.Func == "log" && t.Dist.Name == "normal" && len(call.Args) == 1 && paramOf(call.Args[0].Expr) == alone {
			hint = fmt.Sprintf("write `%s ~ lognormal(%s, %s)`", Text(call.Args[0].Expr), args[0], args[1])
		}
		c.warn(NoJacobian, t.Left.Span(), hint, "the left side is a function of the parameter `%s` that is not linear: its density is not that of `%s` without the Jacobian", alone.Name, alone.Name)
	}
}

// bentData warns of a left side in which data are not a term of their own, of parameters that no term of `density` holds.
func (c *checker) bentData(t *Term, written map[*Param]bool, d *degrees) {
	if d.dataTerm(t.Left, map[Expr]bool{}) {
		return
	}
	var by *Param
	left := paramsOf(t.Left)
	for _, p := range c.model.Params {
		if left[p] {
			if written[p] {
				return
			}
			by = p
		}
	}
	hint := "describe the data themselves, as in `y ~ normal(a, s)` for `(y - a)/s ~ normal(0, 1)`, or add `density` with the logarithm of the derivative of the left side by the data"
	c.warn(NoJacobian, t.Left.Span(), hint, "the left side makes data another number by the parameter `%s`: its density is not that of the data without the Jacobian, which depends on `%s`", by.Name, by.Name)
}

// dataTerm reports whether one of the terms of a sum is of data alone: what the others are is taken from it, and no Jacobian depends on them.
func (d *degrees) dataTerm(e Expr, seen map[Expr]bool) bool {
	if e == nil || seen[e] {
		return false
	}
	seen[e] = true
	if d.visit(e) == 0 {
		return readsData(e)
	}
	switch e := e.(type) {
	case *Name:
		if l, ok := e.Obj.(*Let); ok {
			return slices.ContainsFunc(l.Values(), func(v Expr) bool { return d.dataTerm(v, seen) })
		}
	case *IndexExpr:
		return d.dataTerm(e.Base, seen)
	case *UnaryExpr:
		return d.dataTerm(e.X, seen)
	case *IfExpr:
		return d.dataTerm(e.Then, seen) || d.dataTerm(e.Else, seen)
	case *BinaryExpr:
		return (e.Op == "+" || e.Op == "-") && (d.dataTerm(e.X, seen) || d.dataTerm(e.Y, seen))
	}
	return false
}

// readsData reports whether an expression depends on data other than sizes.
func readsData(e Expr) bool {
	return holds([]Expr{e}, func(e Expr) bool {
		n, ok := e.(*Name)
		if !ok {
			return false
		}
		d, ok := n.Obj.(*Data)
		return ok && !d.IsSize
	})
}

// linearCalls are the functions that are linear in their arguments together.
var linearCalls = map[string]bool{"sum": true, "mean": true, "cumulative_sum": true, "diag": true, "reverse": true, "append": true}

// degrees are those of expressions in the parameters, each found once.
type degrees struct{ of map[Expr]int }

// visit is 0 of what holds no parameter, 1 of what is linear in the parameters, and 2 of what is not, or not known to be.
func (d *degrees) visit(e Expr) int {
	if e == nil {
		return 0
	}
	n, ok := d.of[e]
	if !ok {
		d.of[e] = 0 // of an element that is made of earlier ones
		n = d.find(e)
		d.of[e] = n
	}
	return n
}

func (d *degrees) find(e Expr) int {
	switch e := e.(type) {
	case *Name:
		switch o := e.Obj.(type) {
		case *Param:
			return 1
		case *Let:
			most := 0
			for _, v := range o.Values() {
				most = max(most, d.visit(v))
			}
			return most
		}
		return 0
	case *IndexExpr:
		return d.visit(e.Base)
	case *UnaryExpr:
		return d.visit(e.X)
	case *BinaryExpr:
		x, y := d.visit(e.X), d.visit(e.Y)
		switch e.Op {
		case "+", "-":
			return max(x, y)
		case "*", ".*":
			return min(2, x+y)
		case "/", "./":
			return min(2, x+2*y)
		}
	case *SumExpr:
		if e.Func == "sum" || e.Func == "mean" {
			if e.Terms != nil {
				return d.visit(e.Terms)
			}
			return d.visit(e.Body)
		}
	case *CallExpr:
		if e.Inlined == nil && linearCalls[e.Func] {
			return d.most(e)
		}
	case *MatrixExpr:
		return d.most(e)
	case *IfExpr:
		if d.visit(e.Cond) == 0 {
			return max(d.visit(e.Then), d.visit(e.Else))
		}
	}
	return 2 * min(1, d.most(e))
}

// most is the greatest degree of what is right below an expression.
func (d *degrees) most(e Expr) int {
	most := 0
	children(e, func(x Expr) { most = max(most, d.visit(x)) })
	return most
}
