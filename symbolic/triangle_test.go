package symbolic

import (
	"math"
	"strings"
	"testing"
)

// TestTriangles: a sum over a triangle whose outer weights are data is turned around, and one whose
// weights are not stays; what it comes to does not change.
func TestTriangles(t *testing.T) {
	w := newWorld(5)
	c := w.c
	i, k := w.index("i", rangeOf(1, sizeN)), w.index("k", rangeOf(1, sizeN))
	u, y := w.tensor("u"), w.tensor("y")
	before := c.Before(at(i, 0), at(k, 0))
	f := c.Call("sin", c.Ref(u, at(i, 0)))
	inner := c.Sum(i, c.Mul(before, f))
	g := c.Ref(y, at(k, 0))
	turned := c.Sum(i, c.Mul(f, c.Sum(k, c.Mul(before, g))))
	for _, row := range []struct {
		name      string
		got, want *Expr
	}{
		{"weights of data", c.Sum(k, c.Mul(g, inner)), turned},
		{"a coefficient", c.Sum(k, c.Mul(c.Number(3), g, inner)), c.Scale(3, turned)},
		{"no weights", c.Sum(k, inner), c.Sum(i, c.Mul(f, c.Sum(k, before)))},
		{"beside another term", c.Sum(k, c.Mul(g, c.Add(inner, c.Ref(u, at(k, 0))))), c.Add(turned, c.Sum(k, c.Mul(g, c.Ref(u, at(k, 0)))))},
		{"beside a term of a part of the range", c.Sum(k, c.Mul(g, c.Add(inner, c.Mul(c.within(at(k, 0), rangeOf(2, sizeN)), c.Subst(f, i, at(k, 0)))))),
			c.Add(turned, c.sumWithin(k, c.Mul(c.within(at(k, 0), rangeOf(2, sizeN)), g, c.Subst(f, i, at(k, 0)))))},
	} {
		if row.got != row.want {
			t.Errorf("%s: %s, want %s", row.name, Format(row.got), Format(row.want))
		}
	}
	if e := c.sumWithin(k, c.Mul(c.within(at(k, 0), rangeOf(2, sizeN)), g)); strings.Contains(Format(e), " in 2..n]·") {
		t.Errorf("%s asks what its range says", Format(e))
	}
	late := c.Sum(k, c.Mul(c.Ref(u, at(k, 0)), inner))
	if late.Op != Sum || !compares(late.Args[0], late.Index) {
		t.Errorf("weights of parameters: %s", Format(late))
	}
	if v, want := w.env.eval(c.Sum(k, c.Mul(g, inner))), naiveTriangle(w); !(math.Abs(v-want) <= 1e-12*math.Abs(want)) {
		t.Errorf("the sum is %v, want %v", v, want)
	}
}

// naiveTriangle is Σ_k y_k Σ_{i<k} sin u_i.
func naiveTriangle(w *world) float64 {
	total, sum := 0.0, 0.0
	for k := 1; k <= w.env.extent(sizeN); k++ {
		total += w.env.element(w.tensor("y"), k) * sum
		sum += plainFunction("sin", []float64{w.env.element(w.tensor("u"), k)})
	}
	return total
}
