package symbolic

import "github.com/hamc-dev/hamc/symbolic/expr"

// callWork is what a call of a function counts in Work, in arithmetic operations: a ratio of times, rounded.
const callWork = 8

// Work counts the arithmetic operations of one gradient, with those of the density that it takes, in terms of the sizes.
func (r *Derived) Work() expr.Poly {
	if r.LogDensity.E == nil {
		return expr.NewCost().Ops // no density: the statements of one, apart
	}
	return r.workOf([]Output{r.LogDensity}, r.Gradient)
}

// iterationWork counts those of one iteration of an implicit step, about: the metric, its factor and the force; none where the metric is constant.
func (r *Derived) iterationWork() expr.Poly {
	if r.Metric == nil || r.Metric.Constant {
		return expr.NewCost().Ops
	}
	ops := r.workOf(r.Matrix, r.Force)
	if n := r.FixedSize(); r.Metric.Cubic() && n <= maxCube {
		ops[""] += n * n * n // the factor and the inverse
	}
	return ops
}

// workOf counts the operations of results with what they need.
func (r *Derived) workOf(results ...[]Output) expr.Poly {
	total := expr.NewCost()
	needed := r.needed(nil, results...)
	for _, d := range r.Prog.Defs {
		if needed[d] && d.Stage() >= expr.StagePosition {
			total.Add(d.Cost())
		}
	}
	for _, list := range results {
		for _, o := range list {
			total.Add(expr.CostOf(o.E, o.Indices))
		}
	}
	for _, f := range r.Families {
		total.Add(f.Cost(1)) // with first derivatives
	}
	return total.Weighted(callWork)
}
