package expr_test

import (
	"testing"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// TestInner: looking through definitions takes as many looks as there are definitions, not
// ways through them, of which a chain of ninety that each name the two before has 10^18.
func TestInner(t *testing.T) {
	for _, kind := range []expr.TensorKind{expr.InnerTensor, expr.CoordTensor} {
		c := expr.NewContext()
		before := c.Ref(c.NewTensor(expr.Tensor{Name: "x", Kind: kind, Stage: expr.StageMomentum}))
		last := before
		var d *expr.Def
		for range 90 {
			z := c.NewTensor(expr.Tensor{Name: "z", Kind: expr.DefTensor, Stage: expr.StageMomentum})
			d = &expr.Def{Tensor: z, Body: c.Mul(before, last)}
			z.Def = d
			before, last = last, c.Ref(z)
		}
		if got := d.Inner(); got != (kind == expr.InnerTensor) {
			t.Errorf("a chain that begins at a tensor of kind %v: %v", kind, got)
		}
	}
}
