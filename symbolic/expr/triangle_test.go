package expr_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/internal/naive"
)

// TestTriangles: a sum over a triangle whose outer weights are data is turned around, and one whose
// weights are not stays; what it comes to does not change.
func TestTriangles(t *testing.T) {
	w := naive.NewWorld(5)
	c := w.C
	i, k := w.Index("i", naive.RangeOf(1, naive.SizeN)), w.Index("k", naive.RangeOf(1, naive.SizeN))
	u, y := w.Tensor("u"), w.Tensor("y")
	before := c.Before(naive.At(i, 0), naive.At(k, 0))
	f := c.Call("sin", c.Ref(u, naive.At(i, 0)))
	inner := c.Sum(i, c.Mul(before, f))
	g := c.Ref(y, naive.At(k, 0))
	turned := c.Sum(i, c.Mul(f, c.Sum(k, c.Mul(before, g))))
	for _, row := range []struct {
		name      string
		got, want *expr.Expr
	}{
		{"weights of data", c.Sum(k, c.Mul(g, inner)), turned},
		{"a coefficient", c.Sum(k, c.Mul(c.Number(3), g, inner)), c.Scale(3, turned)},
		{"no weights", c.Sum(k, inner), c.Sum(i, c.Mul(f, c.Sum(k, before)))},
		{"beside another term", c.Sum(k, c.Mul(g, c.Add(inner, c.Ref(u, naive.At(k, 0))))), c.Add(turned, c.Sum(k, c.Mul(g, c.Ref(u, naive.At(k, 0)))))},
		{"beside a term of a part of the range", c.Sum(k, c.Mul(g, c.Add(inner, c.Mul(c.Within(naive.At(k, 0), naive.RangeOf(2, naive.SizeN)), c.Subst(f, i, naive.At(k, 0)))))),
			c.Add(turned, c.SumWithin(k, c.Mul(c.Within(naive.At(k, 0), naive.RangeOf(2, naive.SizeN)), g, c.Subst(f, i, naive.At(k, 0)))))},
	} {
		if row.got != row.want {
			t.Errorf("%s: %s, want %s", row.name, expr.Format(row.got), expr.Format(row.want))
		}
	}
	if e := c.SumWithin(k, c.Mul(c.Within(naive.At(k, 0), naive.RangeOf(2, naive.SizeN)), g)); strings.Contains(expr.Format(e), " in 2..n]·") {
		t.Errorf("%s asks what its range says", expr.Format(e))
	}
	late := c.Sum(k, c.Mul(c.Ref(u, naive.At(k, 0)), inner))
	if late.Op != expr.Sum || !expr.Compares(late.Args[0], late.Index) {
		t.Errorf("weights of parameters: %s", expr.Format(late))
	}
	if v, want := w.Env.Eval(c.Sum(k, c.Mul(g, inner))), naiveTriangle(w); !(math.Abs(v-want) <= 1e-12*math.Abs(want)) {
		t.Errorf("the sum is %v, want %v", v, want)
	}
}

// naiveTriangle is Σ_k y_k Σ_{i<k} sin u_i.
func naiveTriangle(w *naive.World) float64 {
	total, sum := 0.0, 0.0
	for k := 1; k <= w.Env.Extent(naive.SizeN); k++ {
		total += w.Env.Element(w.Tensor("y"), k) * sum
		sum += naive.PlainFunction("sin", []float64{w.Env.Element(w.Tensor("u"), k)})
	}
	return total
}
