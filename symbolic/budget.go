package symbolic

import "github.com/hamc-dev/hamc/dsl"

// A model may be small as a text and too large to derive. Derivation counts what it
// makes, never the time it takes, and ends in a message at the statement that is
// largest. The limits are such that this takes less than two seconds and less than one
// gigabyte.
const (
	maxNodes = 200_000   // expressions
	maxWork  = 3_000_000 // expressions asked for, with their operands
)

// tooLarge is what the constructors panic with beyond the limits; derive recovers it.
type tooLarge struct{}

// spend counts the making of a node with some operands.
func (c *Context) spend(operands int) {
	if !c.limited {
		return
	}
	c.work += 1 + operands
	if c.work > maxWork*c.allowance || len(c.nodes) > maxNodes*c.allowance {
		c.limited = false
		panic(tooLarge{})
	}
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
	many := len(p.Params) >= manyParams
	hint := "shorten the chain of definitions, write what repeats with vectors and sums, or use a metric that needs fewer derivatives, as `metric identity`"
	if many {
		hint = "make one vector parameter of the scalars, or use a metric that needs fewer derivatives, as `metric identity`"
	}
	d.List = nil // warnings on what is not there
	d.add(dsl.Error, dsl.TooLarge, p.largest(), hint, "the derivatives of the model are too large to write out: this statement is the largest")
}

// manyParams is the number of parameters from which on their number counts as the reason.
const manyParams = 12
