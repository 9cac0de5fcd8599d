package expr

import (
	"math"
	"slices"
)

// content returns the magnitude that all coefficients of a sum share, or 1.
func content(e *Expr) float64 {
	by := math.Abs(e.K[0])
	for _, k := range e.K {
		if math.Abs(k) != by {
			return 1
		}
	}
	if e.Val != 0 && math.Abs(e.Val) != by {
		return 1
	}
	return by
}

// Collect takes factors that all terms of a sum share out of it:
// (1 − s)h − s·h becomes (1 − 2s)h.
func (c *Context) Collect(e *Expr) *Expr { return c.collect(e, map[*Expr]*Expr{}) }

func (c *Context) collect(e *Expr, memo map[*Expr]*Expr) *Expr {
	if r, ok := memo[e]; ok {
		return r
	}
	var r *Expr
	if e.Op == Sum {
		i, body := c.Open(e)
		r = c.Sum(i, c.Collect(body))
	} else {
		r = c.Rebuild(e, func(a *Expr) *Expr { return c.collect(a, memo) }, func(s Sub) Sub { return s })
	}
	if r.Op == Add && r.Val == 0 && len(r.Args) > 1 {
		r = c.factorOut(r)
	}
	memo[e] = r
	return r
}

func (c *Context) factorOut(e *Expr) *Expr {
	factors := func(t *Expr) ([]*Expr, []float64) {
		if t.Op == Mul {
			return t.Args, t.K
		}
		return []*Expr{t}, []float64{1}
	}
	var common []Addend
	first, fk := factors(e.Args[0])
	for n, f := range first {
		k := fk[n]
		// Scalars of data stay inside, where they join the constants.
		shared := k > 0 && (f.stage >= StagePosition || len(f.free) > 0)
		for _, t := range e.Args[1:] {
			found := false
			as, ks := factors(t)
			for m, a := range as {
				if a == f && ks[m] > 0 {
					found = true
					k = min(k, ks[m])
				}
			}
			shared = shared && found
		}
		if shared {
			common = append(common, Addend{f, k})
		}
	}
	if len(common) == 0 {
		return e
	}
	ks, es := make([]float64, len(common)), make([]*Expr, len(common))
	inv := make([]float64, len(common))
	for n, f := range common {
		ks[n], es[n], inv[n] = f.K, f.E, -f.K
	}
	args := make([]*Expr, len(e.Args))
	for n, t := range e.Args {
		args[n] = c.Mul(t, c.Product(1, inv, es))
		if args[n].Op == Num {
			return e // s + s·x: the product s·x may stand elsewhere too
		}
	}
	out := c.Product(1, ks, es)
	return c.Mul(append(c.lost(out, e), out, c.Linear(0, e.K, args))...)
}

// lost returns what has to guard a factor that is taken out of all terms of a sum: what guarded it in the terms stays there, and need
// not be the same in all. x[i]·[i in 2..n]·a + x[i]·[i in n−1]·b is not x[i]·([i in 2..n]·a + [i in n−1]·b) where x has no n-th element
// and i is more than n.
func (c *Context) lost(factor, sum *Expr) []*Expr {
	exposed := c.Exposed(factor)
	if len(exposed) == 0 {
		return nil
	}
	before := c.Exposed(sum)
	return slices.DeleteFunc(exposed, func(x *Expr) bool { return slices.Contains(before, x) })
}

// allPositive reports whether every factor of a product is positive, so that
// (ab)^k = a^k b^k for every k.
func (c *Context) allPositive(e *Expr) bool {
	if e.Val <= 0 {
		return false
	}
	for _, a := range e.Args {
		if c.Sign(a) != Positive {
			return false
		}
	}
	return true
}

// Expand multiplies out products of sums and small powers of sums; it is used
// to prove identities, not to make programs.
func (c *Context) Expand(e *Expr) *Expr { return c.expand(e, map[*Expr]*Expr{}) }

func (c *Context) expand(e *Expr, memo map[*Expr]*Expr) *Expr {
	if r, ok := memo[e]; ok {
		return r
	}
	r := c.expandNode(e, memo)
	memo[e] = r
	return r
}

func (c *Context) expandNode(e *Expr, memo map[*Expr]*Expr) *Expr {
	switch e.Op {
	case Add:
		args := make([]*Expr, len(e.Args))
		for n, a := range e.Args {
			args[n] = c.expand(a, memo)
		}
		return c.Linear(e.Val, e.K, args)
	case Sum:
		i, body := c.Open(e)
		return c.sumOfEach(i, c.expand(body, memo))
	case Mul:
		terms := []*Expr{c.Number(e.Val)}
		for n, a := range e.Args {
			x := c.expand(a, memo)
			reps := 1
			if x.Op == Add && e.K[n] == math.Trunc(e.K[n]) && e.K[n] > 0 && e.K[n] <= 4 {
				reps = int(e.K[n])
			} else {
				x = c.Pow(x, e.K[n])
			}
			for ; reps > 0; reps-- {
				parts := []*Expr{x}
				if x.Op == Add {
					parts = parts[:0]
					for m, b := range x.Args {
						parts = append(parts, c.Scale(x.K[m], b))
					}
					if x.Val != 0 {
						parts = append(parts, c.Number(x.Val))
					}
				}
				if len(terms)*len(parts) > 4096 {
					return e
				}
				var next []*Expr
				for _, t := range terms {
					for _, p := range parts {
						next = append(next, c.Mul(t, p))
					}
				}
				terms = next
			}
		}
		return c.Add(terms...)
	}
	return e
}

// SplitDelta splits e into the part without and the part with the factor
// δ[i,j]; the latter without the delta, at j = i.
func (c *Context) SplitDelta(e *Expr, i, j *Index) (full, diagonal *Expr) {
	if d := c.StripDelta(e, i, j); d != nil {
		return c.Number(0), d
	}
	if e.Op != Add {
		return e, c.Number(0)
	}
	full, diagonal = c.Number(e.Val), c.Number(0)
	for n, t := range e.Args {
		if d := c.StripDelta(t, i, j); d != nil {
			diagonal = c.Add(diagonal, c.Scale(e.K[n], d))
		} else {
			full = c.Add(full, c.Scale(e.K[n], t))
		}
	}
	return full, diagonal
}
