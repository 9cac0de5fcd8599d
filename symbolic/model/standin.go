package model

import (
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// standIn is the normal density that stands for the prior of elements of latent vectors: of u, which is the left side
// on the real line, it has the center and the precision. Of a normal prior, and of a lognormal one about log x, it is the prior itself.
type standIn struct {
	u, center, precision *expr.Expr
}

// standIn finds the normal density that stands for a term whose left side holds elements of latent vectors, nil where
// none is known.
func (p *Posterior) standIn(t *PosteriorTerm, latents []*latent) *standIn {
	if t.Term.Dist == nil || t.Term.Dist.Whole() || !mentionsAny(t.Left.At(), latents) {
		return nil
	}
	s := p.nearNormal(t, latents)
	if s == nil || mentionsAny(s.precision, latents) || mentionsAny(s.center, latents) && !p.linear(s.center, latents) {
		return nil
	}
	return s
}

// nearNormal is standIn where the left side is on its scale linear in latent vectors, and what they are in the rest is not asked.
func (p *Posterior) nearNormal(t *PosteriorTerm, latents []*latent) *standIn {
	c, dist, left := p.C, t.Term.Dist, t.Left.At()
	formula := func(text string) *expr.Expr { return c.FormulaValue(dist, text, t.Left, t.Args).At() }
	if u := onRealLine(c, dist.Support, left); u != nil && p.linear(u, latents) {
		if dist.Center == "" {
			return nil
		}
		return &standIn{u, formula(dist.Center), formula(dist.Joint[0][0])}
	}
	u := onRealLine(c, dsl.Positive, left)
	if dist.Support != dsl.RealLine || u == nil || !p.linear(u, latents) {
		return nil
	}
	for _, h := range dist.Halves {
		if !h.Centred || t.Args[len(t.Args)-2].At().IsNum(0) {
			return &standIn{u, formula(h.Mode), formula(h.Curvature)}
		}
	}
	return nil
}

// onRealLine is a value x on the real line, by where values are: x, log x or logit x; nil where it is not known to be there.
func onRealLine(c *expr.Context, support dsl.Domain, x *expr.Expr) *expr.Expr {
	switch {
	case support == dsl.RealLine:
		return x
	case support == dsl.Positive && c.Sign(x) == expr.Positive:
		return c.Call("log", x)
	case support == dsl.UnitOpen && x.Op == expr.Call && x.Func.Name == "inv_logit":
		return x.Args[0]
	}
	return nil
}

// normal is the log density of the normal one, but for a constant, at the indices of the term: −½ P (u − m)².
func (s *standIn) normal(c *expr.Context) *expr.Expr {
	gap := c.Sub(s.u, s.center)
	return c.Scale(-0.5, c.Mul(s.precision, gap, gap))
}
