package model

import "github.com/hamc-dev/hamc/symbolic/expr"

// pin is what holds the sum of the elements of a vector, as `sum(a) ~ normal(0, 0.01)` does, which says which of two vectors has the mean that they have in common. It adds
// κ 1 1ᵀ to the precision L Lᵀ of the vector, and κ s 1 to r. With w = L⁻¹1 and M = I + κ w wᵀ the precision is L M Lᵀ, and the map
//
//	x = L⁻ᵀ(M⁻¹y + M^{-½}z),   y = L⁻¹r + κ s w,
//
// of which each part is a vector and a multiple of w. What others know of a vector that is eliminated does not hold the pin.
type pin struct {
	kappa, sum *expr.Expr
}

// pinned reports whether a term is one about a weighted sum of the elements of one vector, all weights the same, and keeps that. Dense precisions have such terms in them.
func (p *Posterior) pinned(m *gaussian, t *PosteriorTerm, s *normalPrior) bool {
	c := p.C
	if p.Maps.dense() || len(s.each) != 1 || len(s.each[0].indices) > 0 || s.each[0].u.Op == expr.Ref || s.each[0].precision == nil {
		return false
	}
	e, at := s.each[0], -1
	for k, v := range m.v {
		if !expr.Mentions(e.u, v.values()) {
			continue
		}
		if at >= 0 || len(v.is) > 1 || v.standard != nil {
			return false
		}
		at = k
	}
	if at < 0 || m.pins[at] != nil || mentionsAny(e.center, m.v) {
		return false
	}
	v := m.v[at]
	weight := c.Diff(e.u, v.values(), expr.Sub{Index: v.j})
	if weight.IsNum(0) || weight.HasFree(v.j) || weight.Stage() >= expr.StagePosition {
		return false
	}
	m.pins[at] = &pin{kappa: c.Mul(e.precision, weight, weight), sum: c.Div(c.Sub(e.center, p.without(e.u, m.v)), weight)}
	return true
}

// bump is what a step has in its precision beside L Lᵀ, that of its bands: L M Lᵀ with M = I + κ w wᵀ, whose powers are the identity and a multiple of w wᵀ. A nil one is none.
type bump struct {
	c         *expr.Context
	i         *expr.Index
	w, square *expr.Expr // w at i, and wᵀw
	det       *expr.Expr // of M
	pin       *pin       // nil of a shift, of which r knows
}

// bump is that of a step. Of its pin w is L⁻¹1; of its shift, which has a diagonal precision L² = D, it is L1, with κ = −(1 − φ)/d.
func (s *step) bump(c *expr.Context, lower func(ones *expr.Expr) *expr.Expr, upper *expr.Expr) *bump {
	switch i := s.v.i; {
	case s.pin != nil:
		b := &bump{c: c, i: i, w: c.Atom(lower(c.Number(1))), pin: s.pin}
		b.square = c.Atom(c.Sum(i, c.Pow(b.w, 2)))
		b.det = c.Atom(c.Add(c.Number(1), c.Mul(s.pin.kappa, b.square)))
		return b
	case s.shift != nil:
		return &bump{c: c, i: i, w: c.Atom(upper), square: s.shift.d, det: s.shift.phi}
	}
	return nil
}

// with is e + f w (wᵀe).
func (b *bump) with(e, f *expr.Expr) *expr.Expr {
	c := b.c
	e = c.Atom(e)
	return c.Add(e, c.Mul(c.Atom(c.Mul(f, c.Sum(b.i, c.Mul(b.w, e)))), b.w))
}

// root is the factor of w wᵀ in a power ½ or −½ of M.
func (b *bump) root(power float64) *expr.Expr {
	return b.c.Div(b.c.Sub(b.c.Pow(b.det, power), b.c.Number(1)), b.square)
}

// mean is M⁻¹y, with u = L⁻¹r.
func (b *bump) mean(u *expr.Expr) *expr.Expr {
	if b.pin == nil {
		return u
	}
	y := b.c.Add(u, b.c.Mul(b.pin.kappa, b.pin.sum, b.w))
	return b.with(y, b.c.Neg(b.c.Div(b.pin.kappa, b.det)))
}

// moved is Lᵀx, M⁻¹y + M^{-½}z.
func (b *bump) moved(c *expr.Context, u, z *expr.Expr) *expr.Expr {
	if b == nil {
		return c.Add(u, z)
	}
	return c.Add(b.mean(u), b.with(z, b.root(-0.5)))
}

// white is z, by Lᵀx.
func (b *bump) white(c *expr.Context, u, x *expr.Expr) *expr.Expr {
	if b == nil {
		return c.Sub(x, u)
	}
	return b.with(c.Sub(x, b.mean(u)), b.root(0.5))
}

// logJacobian is log |M^{-½}|.
func (b *bump) logJacobian(c *expr.Context) *expr.Expr {
	if b == nil {
		return c.Number(0)
	}
	return c.Scale(-0.5, c.Call("log", b.det))
}
