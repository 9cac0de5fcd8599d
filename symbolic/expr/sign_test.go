package expr_test

import (
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/internal/naive"
)

// TestSign: a proof of a sign holds at random values, and is found where the
// form shows it.
func TestSign(t *testing.T) {
	w := naive.NewWorld(11)
	c := w.C
	args := []*expr.Expr{c.Ref(w.Tensor("mu")), c.Ref(w.Tensor("s"))} // any sign, positive
	for _, row := range []struct {
		text string
		want expr.Sign
	}{
		{"3", expr.Positive}, {"-3", expr.UnknownSign}, {"0*x", expr.NonNegative},
		{"x", expr.UnknownSign}, {"y", expr.Positive}, {"-y", expr.UnknownSign}, {"x^2", expr.NonNegative}, {"x^2 + 1", expr.Positive}, {"x^2 - 1", expr.UnknownSign},
		{"x^3", expr.UnknownSign}, {"y^3", expr.Positive}, {"y/2 + x^2", expr.Positive}, {"y - x^2", expr.UnknownSign}, {"x*y", expr.UnknownSign}, {"x^2*y", expr.NonNegative},
		{"exp(x)", expr.Positive}, {"-exp(x)", expr.UnknownSign}, {"log(y)", expr.UnknownSign}, {"sqrt(y)", expr.Positive}, {"1/y", expr.Positive}, {"expm1(x)", expr.UnknownSign},
		{"1 - inv_logit(x)", expr.Positive}, {"2 - inv_logit(x)", expr.Positive}, {"1 - 2*inv_logit(x)", expr.UnknownSign}, {"inv_logit(x) - 1", expr.UnknownSign},
		{"1 - exp(x)", expr.UnknownSign}, {"1 - cosh(x)", expr.UnknownSign}, {"1 - log1p_exp(x)", expr.UnknownSign}, {"1 - Phi(x)", expr.Positive},
		{"1 - tanh(x)^2", expr.Positive}, {"1 - 2*tanh(x)^2", expr.UnknownSign}, {"1 - sinh(x)^2", expr.UnknownSign}, {"1 - tanh(x)", expr.UnknownSign},
		{"cosh(x)", expr.Positive}, {"trigamma(y)", expr.Positive}, {"digamma(y)", expr.UnknownSign}, {"log1p_exp(x)*y", expr.Positive},
		{"1 - inv_logit(x)^2", expr.Positive}, {"1 - Phi(x)^0.5", expr.Positive}, {"1 - inv_logit(x)^(-1)", expr.UnknownSign}, {"1 - tanh(x)^3", expr.UnknownSign}, {"1 - 2*inv_logit(x)^2", expr.UnknownSign},
		{"fmax(x, y)", expr.Positive}, {"fmax(x, 0)", expr.NonNegative}, {"fmin(y, 1)", expr.Positive}, {"fmin(x, y)", expr.UnknownSign},
		{"if x < 1 then y else exp(x)", expr.Positive}, {"if x < 1 then y else x", expr.UnknownSign}, {"if x < 1 then y else x^2", expr.NonNegative},
	} {
		e := c.Formula(row.text, args)
		if got := c.Sign(e); got != row.want {
			t.Errorf("sign of %s: %d, want %d", row.text, got, row.want)
		}
	}
	// Random expressions: no proof is false.
	proved := 0
	for seed := range int64(campaign.Cases(t, 900, 3000)) {
		w := naive.NewWorld(seed)
		x := w.Random(3, nil)
		s := w.C.Sign(x.E)
		if s == expr.UnknownSign {
			continue
		}
		proved++
		for range 5 {
			for _, list := range [][]*expr.Tensor{w.Data, w.Pos, w.Mom} {
				for _, tensor := range list {
					copy(w.Env.Values[tensor], naive.RandomVector(w.Rng, len(w.Env.Values[tensor]), 1))
				}
			}
			w.Env.Peak = 1
			if v := x.F(w.Env); v < -1e-12*w.Env.Peak {
				t.Errorf("seed %d: claimed not negative, %g: %s", seed, v, expr.Format(x.E))
			}
		}
	}
	if proved < campaign.Cases(t, 90, 300) {
		t.Errorf("only %d proofs", proved)
	}
}
