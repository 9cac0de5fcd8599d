package dsl

import (
	"fmt"
	"slices"
	"strings"
)

// A density of a function of a parameter is none of the parameter, unless the function is linear: that of s is the one of log s times 1/s. So `log(s) ~ normal(0, 1)` is
// another prior than it looks, and where s has no other one, hardly the one that is meant.

// jacobians warns of statements whose left side is made of parameters alone, by a function that is not linear, where one of them has no other prior and no term of
// `density` may hold the Jacobian.
func (c *checker) jacobians(m *Model) {
	written := map[*Param]bool{} // in terms of `density`
	linear := map[*Param]int{}   // left sides that are linear in them
	for _, t := range m.Terms {
		if t.Left == nil {
			for p := range paramsOf(t.Value) {
				written[p] = true
			}
		} else if degreeOf(t.Left) < 2 {
			for p := range paramsOf(t.Left) {
				linear[p]++
			}
		}
	}
	for _, t := range m.Terms {
		if t.Left == nil || t.Dist == nil || degreeOf(t.Left) < 2 || slices.ContainsFunc(append([]Expr{t.Left}, t.Args...), readsData) {
			continue
		}
		var alone *Param
		excused := false
		for _, p := range m.Params {
			if !paramsOf(t.Left)[p] {
				continue
			}
			excused = excused || written[p]
			if linear[p] == 0 && alone == nil {
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

// readsData reports whether an expression depends on data other than sizes.
func readsData(e Expr) bool {
	found := false
	seen := map[Expr]bool{}
	var visit func(Expr)
	visit = func(e Expr) {
		if found || seen[e] {
			return
		}
		seen[e] = true
		n, ok := e.(*Name)
		if !ok {
			children(e, visit)
			return
		}
		switch o := n.Obj.(type) {
		case *Data:
			found = !o.IsSize
		case *Let:
			for _, v := range o.Values() {
				visit(v)
			}
		}
	}
	visit(e)
	return found
}

// linearCalls are the functions that are linear in their arguments together.
var linearCalls = map[string]bool{"sum": true, "mean": true, "cumulative_sum": true, "diag": true, "reverse": true, "append": true}

// degreeOf is 0 of what holds no parameter, 1 of what is linear in the parameters, and 2 of what is not, or not known to be.
func degreeOf(e Expr) int { return (&degrees{of: map[Expr]int{}}).visit(e) }

type degrees struct{ of map[Expr]int }

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
			return x + y
		case "/", "./":
			return x + 2*y
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
