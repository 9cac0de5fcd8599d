package symbolic

import "github.com/hamc-dev/hamc/dsl"

// A model may be small as a text and too large to derive. Derivation counts what it
// makes, never the time it takes, and ends in a message at the statement that is
// largest. The limits are such that this takes less than two seconds and less than one
// gigabyte.
const (
	maxNodes  = 200_000   // expressions
	maxWork   = 3_200_000 // expressions asked for, with their operands, of all blocks
	maxCoarse = 3_000_000 // those of the attempt with the coarse grain, which count too
	leastFine = 1_200_000 // what the fine grain has left in any case
	maxTotal  = 4_000_000 // all that, and what emission will take
)

// spent is what a model has taken of the limits: nodes asked for, and the emission of what was derived.
type spent struct{ work, emission int }

// tooLarge is what the constructors panic with beyond the limits; derive recovers it.
type tooLarge struct{}

// spend counts the making of a node with some operands.
func (c *Context) spend(operands int) {
	if !c.limited {
		return
	}
	c.work += 1 + operands
	if c.work > c.maxWork*c.allowance || len(c.nodes) > maxNodes*c.allowance {
		c.limited = false
		panic(tooLarge{})
	}
}

// looks is how many operands differentiation looks at in the time of one node asked for.
const looks = 4

// look counts operands that differentiation looks at, most of which have no derivative.
func (c *Context) look(operands int) {
	if c.looked += 1 + operands; c.looked >= looks {
		n := c.looked / looks
		c.looked -= n * looks
		c.spend(n - 1)
	}
}

// printing is what a node in a function of the emitted code costs, in nodes asked for: it is scheduled, shared,
// printed, named and formatted.
const printing = 12

// spendEmission counts what the emission of r takes: each function holds the definitions that its results need, and
// for a density of several blocks there is one such set for each.
func (r *Derived) spendEmission() {
	sizes := map[*Def]int{}
	done := map[*Def]bool{} // those of the matrix, which others read, and those that are known early
	one := func(o Output) []Output {
		if o.E == nil {
			return nil
		}
		return []Output{o}
	}
	function := func(own bool, lists ...[]Output) {
		total := 0
		seen := map[*Def]bool{}
		var need func(e *Expr) int
		need = func(e *Expr) int {
			return countNodes(e, func(x *Expr) {
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
				total += need(o.E)
			}
		}
		for d := range seen {
			if own || d.Stage() <= StageGiven {
				done[d] = true
			}
		}
		r.emission += printing * total
		if c := r.C; c.limited && c.work+r.emission > maxTotal*c.allowance {
			panic(tooLarge{})
		}
	}
	function(false, one(r.LogDensity))
	function(false, one(r.LogDensity), r.Gradient)
	function(false, r.Value)
	function(false, r.Generated)
	function(false, r.Prior)
	if r.Metric == nil {
		return
	}
	function(true, r.Matrix, one(r.Alpha), one(r.Shift))
	if r.Metric.Constant {
		function(false, r.Gradient)
		return
	}
	function(false, r.Force)
	function(false, r.Contract)
	function(false, r.Jacobian)
	function(false, r.Curvature)
	if !r.Metric.SoftAbs {
		function(false, r.Rank1)
	}
}

// countNodes counts the nodes of e, and calls f for each reference.
func countNodes(e *Expr, f func(*Expr)) int {
	seen := map[*Expr]bool{}
	var walk func(*Expr)
	walk = func(e *Expr) {
		if seen[e] {
			return
		}
		seen[e] = true
		if e.Op == Ref {
			f(e)
		}
		for _, a := range e.Args {
			walk(a)
		}
	}
	walk(e)
	return len(seen)
}

// largest returns the statement to blame for a model that is too large: that which was being
// elaborated or, of all, the one with the most nodes behind it.
func (p *Posterior) largest() dsl.Span {
	if p.at.Pos.Line > 0 {
		return p.at
	}
	at, most := dsl.Span{Pos: dsl.Pos{Line: 1, Col: 1}, Len: 1}, 0
	for _, t := range p.Terms {
		if n := nodesBehind(t.L); n > most {
			at, most = t.Term.At, n
		}
	}
	return at
}

// nodesBehind counts the nodes of e and of the shared definitions that it refers to.
func nodesBehind(e *Expr) int {
	seen := map[*Expr]bool{}
	var walk func(e *Expr)
	walk = func(e *Expr) {
		if seen[e] {
			return
		}
		seen[e] = true
		for _, a := range e.Args {
			walk(a)
		}
		if e.Op == Ref && e.Tensor.Kind == SharedTensor {
			walk(e.Tensor.Def.Body)
		}
	}
	walk(e)
	return len(seen)
}

// refuse is the message on a model that is too large.
func (d *Diagnosed) refuse(p *Posterior) {
	hint := "write what repeats with vectors and sums"
	if len(p.Model.Lets) > 0 {
		hint = "shorten the chain of definitions, or " + hint
	}
	switch {
	case len(p.Model.Solves) > 0 && len(p.Model.Params) >= manyParams/2:
		hint = "a solution has sensitivities to each pair of the parameters that it depends on: give the equation fewer"
	case len(p.Model.Params) >= manyParams:
		hint = "make one vector parameter of the scalars"
	}
	if p.derivesMetric() {
		hint += ", or use a metric that needs fewer derivatives, as `metric identity`"
	}
	d.List = nil // warnings on what is not there
	d.add(dsl.Error, dsl.TooLarge, p.largest(), hint, "the derivatives of the model are too large to write out: this statement is the largest")
}

// derivesMetric reports whether a metric of the model is made of derivatives of the density.
func (p *Posterior) derivesMetric() bool {
	for _, b := range p.Model.Blocks {
		for _, t := range b.Metric {
			switch t.Kind {
			case dsl.MetricFisher, dsl.MetricHessian, dsl.MetricSoftAbs:
				return true
			}
		}
	}
	return false
}

// manyParams is the number of parameters from which on their number counts as the reason.
const manyParams = 12
