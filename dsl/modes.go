package dsl

// ManyModes reports whether the density may well have modes of different heights, between which no chain passes: of a differential equation that is fitted to data one of
// many shapes fits, of an oscillation one of many periods and phases, and of a mixture of counts one of many divisions of the data among its components. A mixture of real
// numbers has needles besides, where a component shrinks to a few of the data, and they are higher than what holds the posterior.
func (m *Model) ManyModes() bool {
	if len(m.Solves) > 0 {
		return true
	}
	mode := func(e Expr) bool {
		switch e := e.(type) {
		case *CallExpr:
			return oscillates(e) || mixes(e)
		case *SumExpr:
			return e.Func == "log_sum_exp" && readsDensity(e.Body)
		}
		return false
	}
	for _, t := range m.Terms {
		if holds(append([]Expr{t.Left, t.Value}, t.Args...), mode) {
			return true
		}
	}
	return false
}

// oscillates reports whether a call is one of a periodic function of parameters.
func oscillates(e *CallExpr) bool {
	return (e.Func == "sin" || e.Func == "cos" || e.Func == "tan") && e.Inlined == nil && len(e.Args) == 1 && len(paramsOf(e.Args[0].Expr)) > 0
}

// mixes reports whether a call adds densities of counts.
func mixes(e *CallExpr) bool {
	if e.Inlined != nil || e.Func != "log_mix" && e.Func != "log_sum_exp" {
		return false
	}
	n := 0
	for _, a := range e.Args {
		if readsDensity(a.Expr) {
			n++
		}
	}
	return n > 1 || n == 1 && len(e.Args) == 1
}

// readsDensity reports whether an expression holds a log density of counts that depends on parameters.
func readsDensity(e Expr) bool {
	return holds([]Expr{e}, func(e Expr) bool {
		call, ok := e.(*CallExpr)
		return ok && call.Density != nil && call.Density.Dist != nil && call.Density.Dist.Support.Discrete() && len(paramsOf(call)) > 0
	})
}

// holds reports whether something is so of one of some expressions, of a part of one, or of a definition that it reads. Those that are nil are passed over.
func holds(list []Expr, so func(e Expr) bool) bool {
	found := false
	seen := map[Expr]bool{}
	var visit func(Expr)
	visit = func(e Expr) {
		if e == nil || found || seen[e] {
			return
		}
		seen[e] = true
		if found = so(e); found {
			return
		}
		if n, ok := e.(*Name); !ok {
			children(e, visit)
		} else if l, ok := n.Obj.(*Let); ok {
			for _, v := range l.Values() {
				visit(v)
			}
		}
	}
	for _, e := range list {
		visit(e)
	}
	return found
}
