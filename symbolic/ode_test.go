package symbolic

import "testing"

// TestInEquation: looking through definitions takes as many looks as there are definitions, not
// ways through them, of which a chain of ninety that each name the two before has 10^18.
func TestInEquation(t *testing.T) {
	for _, kind := range []TensorKind{StateTensor, CoordTensor} {
		c := NewContext()
		before := c.Ref(c.NewTensor(Tensor{Name: "x", Kind: kind, Stage: StageMomentum}))
		last := before
		var d *Def
		for range 90 {
			z := c.NewTensor(Tensor{Name: "z", Kind: DefTensor, Stage: StageMomentum})
			d = &Def{Tensor: z, Body: c.Mul(before, last)}
			z.Def = d
			before, last = last, c.Ref(z)
		}
		if got := d.InEquation(); got != (kind == StateTensor) {
			t.Errorf("a chain that begins at a tensor of kind %v: %v", kind, got)
		}
	}
}
