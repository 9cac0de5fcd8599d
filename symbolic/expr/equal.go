package expr

import (
	"math"

	"github.com/hamc-dev/hamc/dsl"
)

// Equal reports whether two expressions are proved equal, but for the rounding of numbers in the text.
func (c *Context) Equal(x, y *Expr) bool {
	d := c.withoutImplied(c.Expand(c.Sub(x, y)))
	return d.Op == Num && d.Val == 0 || largestCoefficient(d) <= 1e-14*max(largestCoefficient(c.Expand(x)), largestCoefficient(c.Expand(y)))
}

// withoutImplied drops the indicators from the terms of a sum that the deltas beside
// them imply: where δ[i,j+1] is 1, i − 1 is in the range of j.
func (c *Context) withoutImplied(e *Expr) *Expr {
	switch e.Op {
	case Add:
		args := make([]*Expr, len(e.Args))
		for n, a := range e.Args {
			args[n] = c.withoutImplied(a)
		}
		return c.Linear(e.Val, e.K, args)
	case Mul:
		for n, a := range e.Args {
			for _, d := range e.Args {
				i, j, ok := IndexPair(d)
				if !ok || a.Op != Inside {
					continue
				}
				var implied dsl.Range
				switch a.Subs[0].Index {
				case i.Index:
					implied = dsl.Range{Lo: j.Index.Range.Lo.Plus(j.Offset), Hi: j.Index.Range.Hi.Plus(j.Offset)}
				case j.Index:
					implied = dsl.Range{Lo: i.Index.Range.Lo.Plus(-j.Offset), Hi: i.Index.Range.Hi.Plus(-j.Offset)}
				default:
					continue
				}
				if holds(a.Range, implied) {
					return c.withoutImplied(c.Product(e.Val, without(e.K, n), without(e.Args, n)))
				}
			}
		}
	}
	return e
}

// largestCoefficient returns the largest magnitude among the coefficients of
// a sum.
func largestCoefficient(e *Expr) float64 {
	switch e.Op {
	case Num:
		return math.Abs(e.Val)
	case Mul:
		return math.Abs(e.Val)
	case Add:
		k := math.Abs(e.Val)
		for n, a := range e.Args {
			x := math.Abs(e.K[n])
			if a.Op == Mul {
				x *= math.Abs(a.Val)
			}
			k = max(k, x)
		}
		return k
	}
	return 1
}
