package model

import (
	"github.com/hamc-dev/hamc/symbolic/expr"
)

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
	if p.Maps == DenseMaps || len(s.each) != 1 || len(s.each[0].indices) > 0 || s.each[0].u.Op == expr.Ref || s.each[0].precision == nil {
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

// held is a pin with w, at an index.
type held struct {
	*pin
	c         *expr.Context
	i         *expr.Index
	w, square *expr.Expr // w and wᵀw
	det       *expr.Expr // of M
}

func (s *pin) held(c *expr.Context, i *expr.Index, w expr.Value) *held {
	h := &held{pin: s, c: c, i: i, w: c.Atom(w.At(expr.Sub{Index: i}))}
	h.square = c.Atom(c.Sum(i, c.Pow(h.w, 2)))
	h.det = c.Atom(c.Add(c.Number(1), c.Mul(s.kappa, h.square)))
	return h
}

// with is e + f w (wᵀe).
func (h *held) with(e, f *expr.Expr) *expr.Expr {
	c := h.c
	e = c.Atom(e)
	return c.Add(e, c.Mul(f, c.Atom(c.Sum(h.i, c.Mul(h.w, e))), h.w))
}

// root is the factor of w wᵀ in a power ½ or −½ of M.
func (h *held) root(power float64) *expr.Expr {
	return h.c.Div(h.c.Sub(h.c.Pow(h.det, power), h.c.Number(1)), h.square)
}

// mean is M⁻¹y, with u = L⁻¹r.
func (h *held) mean(u *expr.Expr) *expr.Expr {
	y := h.c.Add(u, h.c.Mul(h.kappa, h.sum, h.w))
	return h.with(y, h.c.Neg(h.c.Div(h.kappa, h.det)))
}

// moved is M⁻¹y + M^{-½}z.
func (h *held) moved(u, z *expr.Expr) *expr.Expr { return h.c.Add(h.mean(u), h.with(z, h.root(-0.5))) }

// white is z, by Lᵀx.
func (h *held) white(u, x *expr.Expr) *expr.Expr { return h.with(h.c.Sub(x, h.mean(u)), h.root(0.5)) }

// logJacobian is log |M^{-½}|.
func (h *held) logJacobian() *expr.Expr { return h.c.Scale(-0.5, h.c.Call("log", h.det)) }
