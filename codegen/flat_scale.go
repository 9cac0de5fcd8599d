package codegen

import (
	"math"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// scaler multiplies lowered expressions by the length h of a step, which is known before the solve that evaluates them.
// Where a coefficient is multiplied anyway, h goes into it; and all that is known before the solve is a number
// that is computed there. So a sum whose terms have coefficients is multiplied term by term, and one like
// t1 − ȳ stays together, and keeps the digits that it is written for.
type scaler struct {
	g            *generator
	h            *expr.Expr
	vars         []*loop.Var // of the coefficients
	coefficients []*expr.Expr
	of           map[*expr.Expr]*expr.Expr
}

// newScaler returns one for an h that is a variable.
func (g *generator) newScaler(h *loop.Var) *scaler {
	t := g.flatLocal("h", expr.StageMomentum)
	g.vars[t] = h
	return &scaler{g: g, h: g.d.C.Ref(t), of: map[*expr.Expr]*expr.Expr{}}
}

// times returns h·e.
func (s *scaler) times(e *expr.Expr) *expr.Expr { return s.scaled(s.h, e) }

// scaled returns k·e.
func (s *scaler) scaled(k, e *expr.Expr) *expr.Expr {
	c := s.g.d.C
	t := &scaledSum{s: s, early: c.Number(0), late: c.Number(0)}
	t.add(k, e)
	return c.Add(t.late, s.coefficient(t.early))
}

// known reports whether an expression is free of the position and the momentum.
func (s *scaler) known(e *expr.Expr) bool {
	known := true
	expr.Refs(e, func(r *expr.Expr) {
		known = known && (r.Tensor.Stage < expr.StagePosition || r == s.h)
	})
	return known
}

// takes reports whether a sum can be multiplied in its coefficients.
func (s *scaler) takes(e *expr.Expr) bool {
	if e.Op != expr.Add {
		return false
	}
	for n, a := range e.Args {
		k, rest := s.split(a)
		one := k.Op == expr.Num && math.Abs(k.Val*e.K[n]) == 1
		if rest != nil && one && !s.takes(rest) {
			return false
		}
	}
	return true
}

// split splits an expression into what is known of its factors, and the rest; nil if that is nothing.
func (s *scaler) split(e *expr.Expr) (known, rest *expr.Expr) {
	c := s.g.d.C
	switch {
	case s.known(e):
		return e, nil
	case e.Op != expr.Mul:
		return c.Number(1), e
	}
	known, rest = c.Number(e.Val), c.Number(1)
	for n, a := range e.Args {
		if x := c.Pow(a, e.K[n]); s.known(a) {
			known = c.Mul(known, x)
		} else {
			rest = c.Mul(rest, x)
		}
	}
	return known, rest
}

// coefficient returns what stands for something that is known: a number, or one that is computed before.
func (s *scaler) coefficient(k *expr.Expr) *expr.Expr {
	c := s.g.d.C
	switch {
	case k.Op == expr.Num || k.Op == expr.Ref:
		return k
	case k.Op == expr.Mul && k.Val < 0 || k.Op == expr.Add && k.K[0] < 0:
		return c.Neg(s.coefficient(c.Neg(k)))
	case s.of[k] == nil:
		t := s.g.flatLocal("hc", expr.StageMomentum)
		s.vars, s.coefficients = append(s.vars, s.g.variable(t)), append(s.coefficients, k)
		s.of[k] = c.Ref(t)
	}
	return s.of[k]
}

// scaledSum is a sum that is being multiplied.
type scaledSum struct {
	s           *scaler
	early, late *expr.Expr
}

// add adds k·e.
func (t *scaledSum) add(k, e *expr.Expr) {
	c := t.s.g.d.C
	own, rest := t.s.split(e)
	k = c.Mul(k, own)
	switch {
	case rest == nil:
		t.early = c.Add(t.early, k)
	case t.s.takes(rest):
		t.early = c.Add(t.early, c.Scale(rest.Val, k))
		for n, a := range rest.Args {
			t.add(c.Scale(rest.K[n], k), a)
		}
	default:
		t.late = c.Add(t.late, t.s.product(k, rest))
	}
}

// product returns k times a product, in one of its factors if that is a sum with coefficients.
func (s *scaler) product(k, e *expr.Expr) *expr.Expr {
	c := s.g.d.C
	if e.Op == expr.Mul {
		for n, a := range e.Args {
			if e.K[n] == 1 && s.takes(a) {
				return c.Mul(c.Div(e, a), s.scaled(k, a))
			}
		}
	}
	return c.Mul(s.coefficient(k), e)
}
