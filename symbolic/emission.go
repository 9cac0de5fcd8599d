package symbolic

import "github.com/hamc-dev/hamc/symbolic/expr"

// spendEmission counts what the emission of r takes: each function holds the definitions that its results need, and
// for a density of several blocks there is one such set for each.
func (r *Derived) spendEmission() {
	sizes := map[*expr.Def]int{}
	done := map[*expr.Def]bool{} // those of the matrix, which others read, and those that are known early
	one := func(o Output) []Output {
		if o.E == nil {
			return nil
		}
		return []Output{o}
	}
	function := func(own bool, lists ...[]Output) {
		total := 0
		seen := map[*expr.Def]bool{}
		var need func(e *expr.Expr) int
		need = func(e *expr.Expr) int {
			return countNodes(e, func(x *expr.Expr) {
				d := x.Tensor.Def
				if d == nil || d.Body == nil || seen[d] || done[d] {
					return
				}
				seen[d] = true
				n, ok := sizes[d]
				if !ok {
					n = 1
				}
				if inner := need(d.Body); !ok {
					n += inner
					sizes[d] = n
				}
				total += n
			})
		}
		for _, list := range lists {
			for _, o := range list {
				for _, e := range o.Needs() {
					total += need(e)
				}
			}
		}
		for d := range seen {
			if own || d.Stage() <= expr.StageGiven {
				done[d] = true
			}
		}
		r.Emission += printing * total
		if c := r.C; c.Budget.Limited && c.Budget.Work+r.Emission > expr.MaxTotal*c.Budget.Allowance {
			panic(expr.TooLarge{})
		}
	}
	function(false, one(r.LogDensity))
	function(false, one(r.LogDensity), r.Gradient)
	function(false, r.Value)
	function(false, r.LogJacobian)
	function(false, r.Unseen)
	function(false, r.Pushed)
	for _, o := range r.Whitened {
		function(false, one(o))
	}
	for _, own := range r.Chained {
		function(false, own)
	}
	function(false, r.Generated)
	function(false, r.Prior)
	if r.Metric == nil {
		return
	}
	function(true, r.Matrix, r.Settings)
	if r.Metric.Constant {
		function(false, r.Gradient)
		return
	}
	function(false, r.Force)
	function(false, r.Contract)
	function(false, r.Jacobian)
	function(false, r.Curvature)
	function(false, r.Product)
	if !r.Metric.Storage.NonLinear {
		function(false, r.Rank1)
	}
}

// printing is what a node in a function of the emitted code costs, in nodes asked for: it is scheduled, shared,
// printed, named and formatted.
const printing = 12

// countNodes counts the nodes of e, and calls f for each reference.
func countNodes(e *expr.Expr, f func(*expr.Expr)) int {
	seen := map[*expr.Expr]bool{}
	var walk func(*expr.Expr)
	walk = func(e *expr.Expr) {
		if seen[e] {
			return
		}
		seen[e] = true
		if e.Op == expr.Ref {
			f(e)
		}
		for _, a := range e.Args {
			walk(a)
		}
	}
	walk(e)
	return len(seen)
}
