package symbolic

import (
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
)

// TestSign: a proof of a sign holds at random values, and is found where the
// form shows it.
func TestSign(t *testing.T) {
	w := newWorld(11)
	c := w.c
	args := []*Expr{c.Ref(w.tensor("mu")), c.Ref(w.tensor("s"))} // any sign, positive
	for _, row := range []struct {
		text string
		want Sign
	}{
		{"3", Positive}, {"-3", UnknownSign}, {"0*x", NonNegative},
		{"x", UnknownSign}, {"y", Positive}, {"-y", UnknownSign}, {"x^2", NonNegative}, {"x^2 + 1", Positive}, {"x^2 - 1", UnknownSign},
		{"x^3", UnknownSign}, {"y^3", Positive}, {"y/2 + x^2", Positive}, {"y - x^2", UnknownSign}, {"x*y", UnknownSign}, {"x^2*y", NonNegative},
		{"exp(x)", Positive}, {"-exp(x)", UnknownSign}, {"log(y)", UnknownSign}, {"sqrt(y)", Positive}, {"1/y", Positive}, {"expm1(x)", UnknownSign},
		{"1 - inv_logit(x)", Positive}, {"2 - inv_logit(x)", Positive}, {"1 - 2*inv_logit(x)", UnknownSign}, {"inv_logit(x) - 1", UnknownSign},
		{"1 - exp(x)", UnknownSign}, {"1 - cosh(x)", UnknownSign}, {"1 - log1p_exp(x)", UnknownSign}, {"1 - Phi(x)", Positive},
		{"1 - tanh(x)^2", Positive}, {"1 - 2*tanh(x)^2", UnknownSign}, {"1 - sinh(x)^2", UnknownSign}, {"1 - tanh(x)", UnknownSign},
		{"cosh(x)", Positive}, {"trigamma(y)", Positive}, {"digamma(y)", UnknownSign}, {"log1p_exp(x)*y", Positive},
	} {
		e := c.formula(row.text, args)
		if got := c.Sign(e); got != row.want {
			t.Errorf("sign of %s: %d, want %d", row.text, got, row.want)
		}
	}
	// Random expressions: no proof is false.
	proved := 0
	for seed := range int64(campaign.Cases(t, 900, 3000)) {
		w := newWorld(seed)
		x := w.random(3, nil)
		s := w.c.Sign(x.e)
		if s == UnknownSign {
			continue
		}
		proved++
		for range 5 {
			for _, list := range [][]*Tensor{w.data, w.pos, w.mom} {
				for _, tensor := range list {
					copy(w.env.values[tensor], randomVector(w.rng, len(w.env.values[tensor]), 1))
				}
			}
			w.env.peak = 1
			if v := x.f(w.env); v < -1e-12*w.env.peak {
				t.Errorf("seed %d: claimed not negative, %g: %s", seed, v, Format(x.e))
			}
		}
	}
	if proved < campaign.Cases(t, 90, 300) {
		t.Errorf("only %d proofs", proved)
	}
}
