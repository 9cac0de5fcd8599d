package dsl

// ManyModes reports whether the density may well have modes of different heights, between which no chain passes: of a differential equation that is fitted to data one of
// many shapes fits, of an oscillation one of many periods and phases, and of a mixture of counts one of many divisions of the data among its components. A mixture of real
// numbers has needles besides, where a component shrinks to a few of the data, and they are higher than what holds the posterior.
func (m *Model) ManyModes() bool {
	if len(m.Solves) > 0 {
		return true
	}
	found := false
	seen := map[Expr]bool{}
	var visit func(Expr)
	visit = func(e Expr) {
		if e == nil || found || seen[e] {
			return
		}
		seen[e] = true
		switch e := e.(type) {
		case *Name:
			if l, ok := e.Obj.(*Let); ok {
				for _, v := range l.Values() {
					visit(v)
				}
			}
			return
		case *CallExpr:
			found = oscillates(e) || mixes(e)
		case *SumExpr:
			found = e.Func == "log_sum_exp" && readsDensity(e.Body)
		}
		children(e, visit)
	}
	for _, t := range m.Terms {
		visit(t.Left)
		visit(t.Value)
		for _, a := range t.Args {
			visit(a)
		}
	}
	return found
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
	found := false
	seen := map[Expr]bool{}
	var visit func(Expr)
	visit = func(e Expr) {
		if e == nil || found || seen[e] {
			return
		}
		seen[e] = true
		switch e := e.(type) {
		case *Name:
			if l, ok := e.Obj.(*Let); ok {
				for _, v := range l.Values() {
					visit(v)
				}
			}
			return
		case *CallExpr:
			found = e.Density != nil && e.Density.Dist != nil && e.Density.Dist.Support.Discrete() && len(paramsOf(e)) > 0
		}
		children(e, visit)
	}
	visit(e)
	return found
}
