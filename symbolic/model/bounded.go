package model

import (
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// boundedRow is what stands for the prior of an element x with bounds, of which w, x or log x by the support of its distribution, is near normal with the center m and
// the precision 1/τ² where there are none. With α = asinh((m − A)/2τ) and β = asinh((B − m)/2τ), where A and B are the least and the largest w, the distance of w from one bound
// that the density of its logarithm has its mode at is τeᵅ or τeᵝ, and this is what the rows are made of: the mode of the density of the coordinate u, and the curvature
// there. Of log x, and where there are two bounds, they are so nearly: by half a standard deviation. Both are smooth in m and τ, wherever m is.
type boundedRow struct {
	support      dsl.Domain
	lower, upper bool
	of           func(c *expr.Context, b *bounded) (center, precision *expr.Expr) // nil where bounds do not allow it
}

// bounded is a near normal variable within bounds.
type bounded struct {
	lo, hi  *expr.Expr // of x
	m, root *expr.Expr // center and 1/τ
}

var boundedRows = []boundedRow{
	// x = lo + eᵘ: log τ + α, and 1 + e²ᵅ
	{dsl.RealLine, true, false, func(c *expr.Context, b *bounded) (center, precision *expr.Expr) {
		return b.oneSided(c, b.asinh(c, c.Sub(b.m, b.lo)))
	}},
	// x = hi − eᵘ: log τ + β, and 1 + e²ᵝ
	{dsl.RealLine, false, true, func(c *expr.Context, b *bounded) (center, precision *expr.Expr) {
		return b.oneSided(c, b.asinh(c, c.Sub(b.hi, b.m)))
	}},
	// x = lo + (hi − lo)s with s = inv_logit(u): α − β, and ((hi − lo)s(1 − s)/τ)² + 1 − 2s(1 − s)
	{dsl.RealLine, true, true, func(c *expr.Context, b *bounded) (center, precision *expr.Expr) {
		center = c.Atom(c.Sub(b.asinh(c, c.Sub(b.m, b.lo)), b.asinh(c, c.Sub(b.hi, b.m))))
		both := c.Atom(c.Mul(c.Call("inv_logit", center), c.Call("inv_logit", c.Neg(center))))
		return center, c.Add(c.Pow(c.Mul(c.Sub(b.hi, b.lo), both, b.root), 2), c.Sub(c.Number(1), c.Scale(2, both)))
	}},
	// log x = log lo + log(1 + eᵘ/lo)
	{dsl.Positive, true, false, func(c *expr.Context, b *bounded) (center, precision *expr.Expr) {
		if c.Sign(b.lo) != expr.Positive {
			return nil, nil
		}
		least := c.Call("log", b.lo)
		center, precision = b.soft(c, c.Sub(b.m, least))
		return c.Add(least, center), precision
	}},
	// log x = log hi − log(1 + e⁻ᵘ)
	{dsl.Positive, true, true, func(c *expr.Context, b *bounded) (center, precision *expr.Expr) {
		if !b.lo.IsNum(0) {
			return nil, nil
		}
		center, precision = b.soft(c, c.Sub(c.Call("log", b.hi), b.m))
		return c.Neg(center), precision
	}},
}

// asinh is that of a distance from m to a bound, in units of 2τ.
func (b *bounded) asinh(c *expr.Context, distance *expr.Expr) *expr.Expr {
	return c.Atom(c.Call("asinh", c.Scale(0.5, c.Mul(distance, b.root))))
}

// oneSided is the mode of u = log d of a distance d from a bound, and the curvature there.
func (b *bounded) oneSided(c *expr.Context, alpha *expr.Expr) (mode, curvature *expr.Expr) {
	return c.Sub(alpha, c.Call("log", b.root)), c.Add(c.Number(1), c.Call("exp", c.Scale(2, alpha)))
}

// soft is the mode of u where log(1 + eᵘ) is a distance d from a bound: log(eᵈ − 1) with d = τeᵅ; and the curvature, (1 − e⁻ᵈ)²/τ² + e⁻ᵈ.
func (b *bounded) soft(c *expr.Context, distance *expr.Expr) (mode, curvature *expr.Expr) {
	d := c.Atom(c.Div(c.Call("exp", b.asinh(c, distance)), b.root))
	return c.Add(d, c.Call("log1m_exp", c.Neg(d))), c.Add(c.Pow(c.Mul(c.Neg(c.Call("expm1", c.Neg(d))), b.root), 2), c.Call("exp", c.Neg(d)))
}

// bounded is what stands for a prior whose left side is an element with bounds of a latent vector, nil where that is not known. A precision that depends on latent vectors is
// that at the reference.
func (p *Posterior) bounded(left *expr.Expr, support dsl.Domain, m, precision *expr.Expr, latents []*latent) *standIn {
	c := p.C
	for _, v := range latents {
		if v.standard != nil || !expr.Mentions(left, v.values()) {
			continue
		}
		var u *expr.Expr
		expr.Refs(left, func(r *expr.Expr) {
			if r.Tensor == v.values() {
				u = r
			}
		})
		if u == nil {
			continue // it is in what is computed once
		}
		t := v.b.carried
		at := v.b.Part(v.n, u.Subs...)
		if v.b.Value(at...) != left {
			return nil
		}
		if t.Affine {
			return v.b.scaled(u, at, support, m, precision)
		}
		for _, row := range boundedRows {
			if row.support == support && row.lower == t.Lower && row.upper == t.Upper {
				b := &bounded{m: m, root: c.Pow(precision, 0.5)}
				b.lo, b.hi = v.b.Bounds(at)
				center, precision := row.of(c, b)
				if center == nil {
					return nil
				}
				return &standIn{u: u, center: center, precision: p.latentsAtReference(precision, latents)}
			}
		}
	}
	return nil
}

// scaled is what stands for a prior of values lo + hi u, of an offset and a multiplier: nil for one of logarithms.
func (b *Param) scaled(u *expr.Expr, at []expr.Sub, support dsl.Domain, m, precision *expr.Expr) *standIn {
	c := b.c
	if support != dsl.RealLine {
		return nil
	}
	offset, multiplier := b.Bounds(at)
	if offset != nil {
		m = c.Sub(m, offset)
	}
	if multiplier != nil {
		m, precision = c.Div(m, multiplier), c.Mul(precision, c.Pow(multiplier, 2))
	}
	return &standIn{u: u, center: m, precision: precision}
}
