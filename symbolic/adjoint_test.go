package symbolic_test

import (
	"os"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// TestSolutionsAreSwept bounds the work of the force of models with differential equations, in operations per
// time: formed entry by entry, the derivative of the metric took 1734 for Lotka–Volterra and 90 for
// FitzHugh–Nagumo. That the results are right is for the comparisons with differences and with the
// evaluator.
func TestSolutionsAreSwept(t *testing.T) {
	for _, x := range []struct {
		model, size     string
		force, gradient int // operations per time, at most
		momentum        int // likewise, of each momentum iteration of GLF(b)
	}{
		{"lotka_volterra", "N", 380, 36, 350},
		{"fitzhugh_nagumo", "n", 82, 22, 0}, // the entries are few: summed over the times once
	} {
		t.Run(x.model, func(t *testing.T) {
			d := derived(t, "../examples/"+x.model+".ham")
			matrix := needed(nil, d.Matrix)
			if got := work(needed(matrix, d.Force), d.Force, x.size); got > x.force {
				t.Errorf("the force takes %d operations at each time, more than %d", got, x.force)
			}
			iteration := needed(matrix, d.Rank1)
			for def := range iteration {
				if def.Stage() < expr.StageMomentum {
					delete(iteration, def)
				}
			}
			if got := work(iteration, d.Rank1, x.size); got > x.momentum {
				t.Errorf("a momentum iteration takes %d operations at each time, more than %d", got, x.momentum)
			}
			all := append([]symbolic.Output{d.LogDensity}, d.Gradient...)
			if got := work(needed(nil, all), d.Gradient, x.size); got > x.gradient {
				t.Errorf("the gradient takes %d operations at each time, more than %d", got, x.gradient)
			}
		})
	}
}

// derived is the model of a file.
func derived(t *testing.T, file string) *symbolic.Derived {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, ds := dsl.Load(file, string(text), dsl.Options{})
	if m == nil {
		t.Fatal(ds)
	}
	d, list := symbolic.Derive(m)
	if d == nil {
		t.Fatal(list)
	}
	return d
}

// needed lists the definitions of the position and the momentum that outputs need, without those that are known.
func needed(known map[*expr.Def]bool, outs []symbolic.Output) map[*expr.Def]bool {
	need := map[*expr.Def]bool{}
	var walk func(e *expr.Expr)
	walk = func(e *expr.Expr) {
		expr.Refs(e, func(r *expr.Expr) {
			if d := r.Tensor.Def; d != nil && d.Stage() > expr.StageGiven && !d.Inner() && !need[d] && !known[d] {
				need[d] = true
				walk(d.Body)
			}
		})
	}
	for _, o := range outs {
		walk(o.E)
	}
	return need
}

// work counts the operations of definitions and outputs that there are for each unit of a size.
func work(defs map[*expr.Def]bool, outs []symbolic.Output, size string) int {
	total := expr.NewCost()
	for d := range defs {
		total.Add(d.Cost())
	}
	for _, o := range outs {
		total.Add(expr.CostOf(o.E, o.Indices))
	}
	return total.Ops[size]
}

// TestFunctionsInRecursionsAreStored: the reverse sweep of a recursion has the arguments of functions, and what depends on them, at hand. With each parameter computing them anew a gradient
// of this forward algorithm took 70 calls of functions for each observation.
func TestFunctionsInRecursionsAreStored(t *testing.T) {
	d := derived(t, "../internal/differential/testdata/models/recursion_staged.ham")
	all := append([]symbolic.Output{d.LogDensity}, d.Gradient...)
	total := expr.NewCost()
	for def := range needed(nil, all) {
		total.Add(def.Cost())
	}
	if got := total.Calls["A T"] + total.Calls["T A"]; got == 0 || got > 20 {
		t.Errorf("the gradient takes %s, of an observation more than 20", total)
	}
}
