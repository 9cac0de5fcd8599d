package expr_test

import (
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/internal/naive"
)

// TestExposed: what reads an element that may not exist says so, unless a factor beside it is 0 there; and a factor that leaves a sum
// takes along what guarded it in the terms.
func TestExposed(t *testing.T) {
	w := naive.NewWorld(11)
	c := w.C
	n := naive.SizeN
	c.Least["n"] = 2
	x := c.NewTensor(expr.Tensor{Name: "short", Kind: expr.CoordTensor, Shape: []dsl.Extent{n.Plus(-1)}, Stage: expr.StagePosition})
	i, j, k := w.Index("i", naive.RangeOf(1, n.Plus(-1))), w.Index("j", naive.RangeOf(1, n.Plus(-1))), w.Index("k", naive.RangeOf(1, n))
	fixed := func(at int) expr.Sub { return expr.Sub{At: dsl.Fixed(at)} }
	second, first := c.Ref(x, fixed(2)), c.Ref(x, fixed(1))
	exists := c.Within(fixed(2), expr.UpTo(n.Plus(-1)))
	at := func(i *expr.Index, by int) *expr.Expr { return c.Ref(x, naive.At(i, by)) }
	within := func(i *expr.Index, lo int, hi dsl.Extent) *expr.Expr {
		return c.Within(naive.At(i, 0), dsl.Range{Lo: dsl.Fixed(lo), Hi: hi})
	}
	left, right := c.Ref(w.Tensor("mu")), c.Ref(w.Tensor("p"))
	for _, r := range []struct {
		e    *expr.Expr
		want []*expr.Expr
	}{
		{first, nil}, // n is at least 2
		{second, []*expr.Expr{exists}},
		{c.Add(left, c.Mul(right, second)), []*expr.Expr{exists}},
		{c.Mul(exists, c.Call("tanh", second)), nil},
		{c.Call("exp", c.Mul(exists, second)), nil},
		{c.Mul(exists, c.Add(left, second)), nil},
		{c.Add(c.Mul(exists, second), second), []*expr.Expr{exists}},
		{c.Mul(c.Delta(naive.At(i, 0), fixed(2)), c.Call("tanh", second)), nil},
		{c.Mul(c.Delta(naive.At(k, 0), fixed(2)), c.Call("tanh", second)), []*expr.Expr{exists}}, // k may be 2 where n is
		{at(i, 0), nil},
		{at(k, 0), []*expr.Expr{within(k, 1, n.Plus(-1))}},
		{at(i, -1), []*expr.Expr{within(i, 2, n)}},
		{c.Mul(within(i, 2, n.Plus(-1)), at(i, -1)), nil},
		{c.Mul(within(i, 3, n), at(i, -1)), nil},
		{c.Mul(within(i, 1, n.Plus(-3)), at(i, -1)), []*expr.Expr{within(i, 2, n)}},
		{c.Mul(c.Delta(naive.At(i, 0), naive.At(j, 1)), at(i, -1)), nil},
		{c.Sum(k, c.Call("exp", at(k, 0))), nil}, // what it is that does not exist depends on k
	} {
		got := c.Exposed(r.e)
		if !slices.Equal(got, r.want) {
			t.Errorf("%s exposes %s", expr.Format(r.e), formatAll(got))
		}
	}
	for _, sum := range []*expr.Expr{
		c.Add(c.Mul(second, c.Delta(naive.At(i, 0), fixed(2)), left), c.Mul(second, c.Delta(naive.At(j, 0), fixed(2)), right)),
		c.Add(c.Mul(at(k, 0), within(k, 2, n.Plus(-1)), left), c.Mul(at(k, 0), within(k, 1, n.Plus(-2)), right)),
	} {
		got := c.Collect(sum)
		if got.Op != expr.Mul {
			t.Errorf("%s is collected to %s", expr.Format(sum), expr.Format(got))
		}
		if x := c.Exposed(got); len(x) > 0 {
			t.Errorf("%s is collected to %s, which exposes %s", expr.Format(sum), expr.Format(got), formatAll(x))
		}
	}
}

func formatAll(list []*expr.Expr) (out []string) {
	for _, e := range list {
		out = append(out, expr.Format(e))
	}
	return out
}
