package symbolic

import "github.com/hamc-dev/hamc/symbolic/expr"

// What a call of a function and a component of a solution with its first derivatives count in Work, in arithmetic operations: ratios
// of times, rounded.
const (
	callWork     = 8
	solutionWork = 5000
)

// Work counts the arithmetic operations of one gradient, with those of the density that it takes, in terms of the sizes.
func (r *Derived) Work() expr.Poly {
	total := expr.NewCost()
	if r.LogDensity.E == nil {
		return total.Ops // no density: the statements of one, apart
	}
	needed := r.needed(nil, []Output{r.LogDensity}, r.Gradient)
	for _, d := range r.Prog.Defs {
		if needed[d] && d.Stage() >= expr.StagePosition {
			total.Add(d.Cost())
		}
	}
	for _, o := range append([]Output{r.LogDensity}, r.Gradient...) {
		total.Add(expr.CostOf(o.E, o.Indices))
	}
	for _, s := range r.Solves {
		total.Ops[""] += solutionWork * s.Size(1)
	}
	return total.Weighted(callWork)
}
