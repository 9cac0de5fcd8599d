package expr_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/internal/naive"
)

// TestHashConsing: expressions that are equal up to the order of operands and
// the names of bound indices are one node; unequal ones are not.
func TestHashConsing(t *testing.T) {
	w := naive.NewWorld(1)
	c := w.C
	a, mu, s := c.Ref(w.Tensor("a")), c.Ref(w.Tensor("mu")), c.Ref(w.Tensor("s"))
	i, j := w.Index("i", naive.RangeOf(1, naive.SizeN)), w.Index("other", naive.RangeOf(1, naive.SizeN))
	k, l := w.Index("k", naive.RangeOf(1, naive.SizeK)), w.Index("l", naive.RangeOf(1, naive.SizeK))
	short := w.Index("i", naive.RangeOf(2, naive.SizeN))
	u := func(i *expr.Index) *expr.Expr { return c.Ref(w.Tensor("u"), naive.At(i, 0)) }
	b := func(i *expr.Index) *expr.Expr { return c.Ref(w.Tensor("b"), naive.At(i, 0)) }
	x := func(i, k *expr.Index) *expr.Expr { return c.Ref(w.Tensor("x"), naive.At(i, 0), naive.At(k, 0)) }
	same := []struct {
		name string
		p, q *expr.Expr
	}{
		{"a + b", c.Add(a, mu, s), c.Add(s, c.Add(mu, a))},
		{"a b", c.Mul(a, mu, s), c.Mul(s, c.Mul(mu, a))},
		{"a − a", c.Sub(a, a), c.Number(0)},
		{"a/a", c.Div(a, a), c.Number(1)},
		{"a + a", c.Add(a, a), c.Scale(2, a)},
		{"a a", c.Mul(a, a), c.Pow(a, 2)},
		{"2(a + b)", c.Scale(2, c.Add(a, mu)), c.Add(c.Scale(2, a), c.Scale(2, mu))},
		{"(a − b)²", c.Pow(c.Sub(a, mu), 2), c.Pow(c.Sub(mu, a), 2)},
		{"(a − b)³", c.Pow(c.Sub(a, mu), 3), c.Neg(c.Pow(c.Sub(mu, a), 3))},
		{"(2a + 2b)²", c.Pow(c.Add(c.Scale(2, a), c.Scale(2, mu)), 2), c.Scale(4, c.Pow(c.Add(a, mu), 2))},
		{"1/(3 − 3a)", c.Div(c.Number(1), c.Sub(c.Number(3), c.Scale(3, a))), c.Scale(1./3, c.Pow(c.Sub(c.Number(1), a), -1))},
		{"exp exp", c.Mul(c.Call("exp", a), c.Call("exp", mu)), c.Call("exp", c.Add(mu, a))},
		{"exp^k", c.Pow(c.Call("exp", a), -0.5), c.Call("exp", c.Scale(-0.5, a))},
		{"(s·s)^½ with s > 0", c.Pow(c.Mul(s, s), 0.5), s},
		{"names of bound indices", c.Sum(i, u(i)), c.Sum(j, u(j))},
		{"nested sums", c.Sum(i, c.Mul(u(i), c.Sum(k, c.Mul(x(i, k), b(k))))), c.Sum(j, c.Mul(c.Sum(l, c.Mul(b(l), x(j, l))), u(j)))},
		{"a square of equal sums", c.Mul(c.Sum(i, u(i)), c.Sum(j, u(j))), c.Pow(c.Sum(j, u(j)), 2)},
		{"δ symmetric", c.Delta(naive.At(i, 0), naive.At(j, 0)), c.Delta(naive.At(j, 0), naive.At(i, 0))},
		{"δ shifted", c.Delta(naive.At(i, 1), naive.At(j, 0)), c.Delta(naive.At(i, 0), naive.At(j, -1))},
		{"δ[i,i]", c.Delta(naive.At(i, 2), naive.At(i, 2)), c.Number(1)},
		{"δ[i,i+1]", c.Delta(naive.At(i, 0), naive.At(i, 1)), c.Number(0)},
		{"δ of equal positions", c.Delta(expr.Sub{At: naive.SizeN}, expr.Sub{At: naive.SizeN}), c.Number(1)},
		{"δ of unequal positions", c.Delta(expr.Sub{At: dsl.Fixed(1)}, expr.Sub{At: dsl.Fixed(2)}), c.Number(0)},
		{"δ² = δ", c.Pow(c.Delta(naive.At(i, 0), naive.At(j, 0)), 2), c.Delta(naive.At(i, 0), naive.At(j, 0))},
		{"cos(a − b)", c.Call("cos", c.Sub(a, mu)), c.Call("cos", c.Sub(mu, a))},
		{"sin(a − b)", c.Call("sin", c.Sub(a, mu)), c.Neg(c.Call("sin", c.Sub(mu, a)))},
		{"sin(2(a − b)/s)²", c.Pow(c.Call("sin", c.Div(c.Scale(2, c.Sub(a, mu)), s)), 2), c.Pow(c.Call("sin", c.Div(c.Scale(2, c.Sub(mu, a)), s)), 2)},
		{"tanh(−a)", c.Call("tanh", c.Neg(a)), c.Neg(c.Call("tanh", a))},
		{"−0", c.Number(math.Copysign(0, -1)), c.Number(0)},
		{"0·a", c.Mul(c.Number(0), a), c.Number(0)},
	}
	for _, r := range same {
		if r.p != r.q {
			t.Errorf("%s: %s and %s are two nodes", r.name, expr.Format(r.p), expr.Format(r.q))
		}
	}
	different := []struct {
		name string
		p, q *expr.Expr
	}{
		{"ranges", c.Sum(i, u(i)), c.Sum(short, u(short))},
		{"subscripts", u(i), u(j)},
		{"offsets", c.Ref(w.Tensor("u"), naive.At(i, 1)), c.Ref(w.Tensor("u"), naive.At(i, -1))},
		{"tensors", c.Sum(i, u(i)), c.Sum(i, c.Ref(w.Tensor("y"), naive.At(i, 0)))},
		{"positions", c.Ref(w.Tensor("u"), expr.Sub{At: dsl.Fixed(1)}), c.Ref(w.Tensor("u"), expr.Sub{At: naive.SizeN})},
		{"δ of different offsets", c.Delta(naive.At(i, 1), naive.At(j, 0)), c.Delta(naive.At(i, -1), naive.At(j, 0))},
		{"exponents", c.Pow(a, 2), c.Pow(a, 3)},
		{"(a·a)^½ without a sign", c.Pow(c.Mul(a, a), 0.5), a},
		{"transposed data", x(i, k), c.Ref(w.Tensor("x"), naive.At(i, 0), naive.At(l, 0))},
	}
	for _, r := range different {
		if r.p == r.q {
			t.Errorf("%s: one node, %s", r.name, expr.Format(r.p))
		}
	}
	// A symmetric tensor has one element for both orders.
	sym := c.NewTensor(expr.Tensor{Name: "S", Kind: expr.DataTensor, Stage: expr.StageData, Shape: []dsl.Extent{naive.SizeK, naive.SizeK}, Symmetric: true})
	if c.Ref(sym, naive.At(k, 0), naive.At(l, 0)) != c.Ref(sym, naive.At(l, 0), naive.At(k, 0)) {
		t.Error("a symmetric tensor has two elements [k,l]")
	}
}

// TestSumRules: linearity, constants out.
func TestSumRules(t *testing.T) {
	w := naive.NewWorld(2)
	c := w.C
	mu := c.Ref(w.Tensor("mu"))
	full := naive.RangeOf(1, naive.SizeN)
	u := func(s expr.Sub) *expr.Expr { return c.Ref(w.Tensor("u"), s) }

	i := w.Index("i", full)
	y, square := c.Ref(w.Tensor("y"), naive.At(i, 0)), c.Pow(u(naive.At(i, 0)), 2)
	if got, want := c.Sum(i, c.Add(c.Scale(3, square), y, c.Number(2))),
		c.Add(c.Scale(3, c.Sum(i, square)), c.Sum(i, y), c.Scale(2, c.Ref(w.Tensor("n")))); got != want {
		t.Errorf("linearity: %s, want %s", expr.Format(got), expr.Format(want))
	}
	// The terms of residuals stay together.
	for _, r := range []*expr.Expr{c.Sub(y, mu), c.Sub(u(naive.At(i, 0)), mu), c.Sub(y, u(naive.At(i, 0))), c.Sub(u(naive.At(i, 0)), y), c.Sub(y, c.Add(mu, c.Mul(mu, u(naive.At(i, 0)))))} {
		got := c.Sum(i, r)
		if got.Op == expr.Mul && got.Val == -1 {
			got = got.Args[0]
		}
		if got.Op != expr.Sum || len(got.Args[0].Args) != len(r.Args) {
			t.Errorf("a residual: %s", expr.Format(got))
		}
	}
	if got, want := c.Sum(i, c.Mul(mu, c.Number(5), u(naive.At(i, 0)))), c.Scale(5, c.Mul(mu, c.Sum(i, u(naive.At(i, 0))))); got != want {
		t.Errorf("constants: %s, want %s", expr.Format(got), expr.Format(want))
	}
	for _, r := range []struct {
		r    dsl.Range
		want *expr.Expr
	}{
		{naive.RangeOf(1, naive.SizeN), c.Ref(w.Tensor("n"))},
		{naive.RangeOf(3, naive.SizeN), c.Add(c.Ref(w.Tensor("n")), c.Number(-2))},
		{naive.RangeOf(2, dsl.Fixed(5)), c.Number(4)},
		{naive.RangeOf(3, dsl.Fixed(1)), c.Number(0)},
		{dsl.Range{Lo: naive.SizeN.Plus(-1), Hi: naive.SizeN.Plus(1)}, c.Number(3)},
	} {
		i := w.Index("i", r.r)
		if got := c.Sum(i, mu); got != c.Mul(mu, r.want) {
			t.Errorf("Σ over %s of a constant: %s", r.r, expr.Format(got))
		}
	}
}

// TestSumsOfDeltas: deltas are gone, with every kind of offset and range, each by value at every free index.
func TestSumsOfDeltas(t *testing.T) {
	w := naive.NewWorld(2)
	c := w.C
	mu := c.Ref(w.Tensor("mu"))
	u := func(s expr.Sub) *expr.Expr { return c.Ref(w.Tensor("u"), s) }
	// Σ_i δ[i+o, s] f(i), for all ranges of i and of s.
	for _, ri := range naive.RandomRanges {
		for _, rs := range naive.RandomRanges {
			for _, o := range []int{-2, -1, 0, 1, 2} {
				i, s := w.Index("i", ri.R), w.Index("s", rs.R)
				for n, other := range []expr.Sub{naive.At(s, 0), naive.At(s, 1), {At: dsl.Fixed(2)}, {At: naive.SizeN}, {At: naive.SizeN.Plus(-1)}} {
					body := c.Mul(c.Delta(naive.At(i, o), other), u(naive.At(i, 0)), mu)
					got := c.Sum(i, body)
					if naive.HasSum(got) {
						t.Fatalf("Σ[i in %s] δ[i%+d, %s] u[i] keeps its sum: %s", ri.R, o, other, expr.Format(got))
					}
					for at := w.Env.Extent(rs.R.Lo); at <= w.Env.Extent(rs.R.Hi); at++ {
						w.Env.Idx = map[*expr.Index]int{s: at}
						pos := w.Env.Sub(other)
						want := 0.0
						for v := w.Env.Extent(ri.R.Lo); v <= w.Env.Extent(ri.R.Hi); v++ {
							if v+o == pos && v >= 1 && v <= 4 {
								want += w.Env.Values[w.Tensor("u")][v-1] * w.Env.Values[w.Tensor("mu")][0]
							}
						}
						if v := w.Env.Eval(got); math.Abs(v-want) > 1e-15 {
							t.Fatalf("case %d: Σ[i in %s] δ[i%+d, %s] u[i] at s = %d is %g by %s, want %g", n, ri.R, o, other, at, v, expr.Format(got), want)
						}
					}
				}
			}
		}
	}
}

// TestFormsOfSumsOfDeltas: the same by form.
func TestFormsOfSumsOfDeltas(t *testing.T) {
	w := naive.NewWorld(2)
	c := w.C
	full := naive.RangeOf(1, naive.SizeN)
	u := func(s expr.Sub) *expr.Expr { return c.Ref(w.Tensor("u"), s) }
	i := w.Index("i", full)
	// The rule of the volatility model: Σ_{t in 2..T} f(t) δ[t−1, s] = f(s+1), s in 1..T−1.
	tt, s := w.Index("t", naive.RangeOf(2, naive.SizeN)), w.Index("s", full)
	got := c.Sum(tt, c.Mul(u(naive.At(tt, 0)), c.Delta(naive.At(tt, -1), naive.At(s, 0))))
	want := c.Mul(c.Intern(expr.Expr{Op: expr.Inside, Subs: []expr.Sub{naive.At(s, 0)}, Range: naive.RangeOf(1, naive.SizeN.Plus(-1))}), u(naive.At(s, 1)))
	if got != want {
		t.Errorf("Σ[t in 2..n] u[t] δ[t-1,s] is %s, want %s", expr.Format(got), expr.Format(want))
	}
	// Two deltas leave one; a delta inside a sum of terms is found.
	k := w.Index("k", full)
	if got, want := c.Sum(i, c.Mul(c.Delta(naive.At(i, 0), naive.At(s, 0)), c.Delta(naive.At(i, 0), naive.At(k, 0)))), c.Delta(naive.At(s, 0), naive.At(k, 0)); got != want {
		t.Errorf("Σ δ[i,s] δ[i,k] is %s", expr.Format(got))
	}
	if got := c.Sum(i, c.Mul(u(naive.At(i, 0)), c.Add(c.Delta(naive.At(i, 0), naive.At(s, 0)), c.Delta(naive.At(i, 0), naive.At(k, 0))))); got != c.Add(u(naive.At(s, 0)), u(naive.At(k, 0))) {
		t.Errorf("Σ u[i] (δ[i,s] + δ[i,k]) is %s", expr.Format(got))
	}
}

// TestWithin: an index provably inside a range needs no indicator, one
// provably outside is dropped.
func TestWithin(t *testing.T) {
	w := naive.NewWorld(3)
	c := w.C
	T := naive.SizeN
	for _, row := range []struct {
		index  dsl.Range
		offset int
		within dsl.Range
		want   string
	}{
		{naive.RangeOf(1, T), 0, naive.RangeOf(1, T), "1"},
		{naive.RangeOf(2, T), 0, naive.RangeOf(1, T), "1"},
		{naive.RangeOf(2, T), -1, naive.RangeOf(1, T), "1"},
		{naive.RangeOf(2, T), -1, naive.RangeOf(1, T.Plus(-1)), "1"},
		{naive.RangeOf(1, T), 1, naive.RangeOf(2, T.Plus(1)), "1"},
		{naive.RangeOf(1, T), 0, naive.RangeOf(2, T), "[i in 2..n]"},
		{naive.RangeOf(1, T), 1, naive.RangeOf(2, T), "[i in n-1]"},
		{naive.RangeOf(1, T), -1, naive.RangeOf(1, T), "[i in 2..n+1]"},
		{naive.RangeOf(1, naive.SizeK), 0, naive.RangeOf(1, T), "[i in n]"},
	} {
		i := w.Index("i", row.index)
		got := c.Within(naive.At(i, row.offset), row.within)
		if expr.Format(got) != row.want {
			t.Errorf("i%+d in %s for i in %s: %s, want %s", row.offset, row.within, row.index, expr.Format(got), row.want)
		}
		for v := w.Env.Extent(row.index.Lo); v <= w.Env.Extent(row.index.Hi); v++ {
			w.Env.Idx = map[*expr.Index]int{i: v}
			in := naive.Indicator(v+row.offset >= w.Env.Extent(row.within.Lo) && v+row.offset <= w.Env.Extent(row.within.Hi))
			if w.Env.Eval(got) != in {
				t.Errorf("i = %d: %s is not %g", v, expr.Format(got), in)
			}
		}
	}
	for _, row := range []struct {
		at     dsl.Extent
		within dsl.Range
		want   string
	}{
		{dsl.Fixed(1), naive.RangeOf(1, T), "1"}, // sizes are at least 1
		{dsl.Fixed(1), naive.RangeOf(2, T), "0"},
		{dsl.Fixed(0), naive.RangeOf(1, T), "0"},
		{T, naive.RangeOf(2, T.Plus(-1)), "0"},
		{T.Plus(1), naive.RangeOf(1, T), "0"},
		{dsl.Fixed(2), naive.RangeOf(2, dsl.Fixed(3)), "1"},
		{dsl.Fixed(4), naive.RangeOf(2, dsl.Fixed(3)), "0"},
		{T, naive.RangeOf(1, T), "1"},
		{dsl.Fixed(3), naive.RangeOf(2, T.Plus(-1)), "[3 in 2..n-1]"},
		{T, naive.RangeOf(2, T), "[n in 2..n]"}, // empty for n = 1
	} {
		got := expr.Format(c.Within(expr.Sub{At: row.at}, row.within))
		// A fixed position below a symbolic bound may be unknown; it must
		// never be claimed.
		if got != row.want && !(row.want == "1" && got != "0") {
			t.Errorf("%s in %s: %s, want %s", row.at, row.within, got, row.want)
		}
	}
}

// TestBefore: a comparison of two positions is a number where it is known, an indicator where one
// of them is fixed, and has one form however it is shifted.
func TestBefore(t *testing.T) {
	w := naive.NewWorld(3)
	c := w.C
	T := naive.SizeN
	c.Least["n"] = 2
	i, j := w.Index("i", naive.RangeOf(1, T)), w.Index("j", naive.RangeOf(1, T))
	short, late := w.Index("s", naive.RangeOf(1, T.Plus(-1))), w.Index("l", naive.RangeOf(3, T))
	fixed := func(x dsl.Extent) expr.Sub { return expr.Sub{At: x} }
	for _, row := range []struct {
		a, b expr.Sub
		want string
	}{
		{naive.At(i, 0), naive.At(j, 0), "[i < j]"},
		{naive.At(i, 1), naive.At(j, 0), "[i < j-1]"},
		{naive.At(i, 0), naive.At(j, 2), "[i < j+2]"},
		{naive.At(i, 0), naive.At(i, 0), "0"},
		{naive.At(i, 0), naive.At(i, 1), "1"},
		{naive.At(i, 2), naive.At(i, 1), "0"},
		{naive.At(i, 0), fixed(T), "[i in n-1]"},
		{naive.At(short, 0), fixed(T), "1"},
		{fixed(T), naive.At(i, 0), "0"},
		{naive.At(i, 0), fixed(dsl.Fixed(1)), "0"},
		{fixed(dsl.Fixed(1)), naive.At(i, 0), "[i in 2..n]"},
		{fixed(dsl.Fixed(2)), naive.At(late, 0), "1"},
		{fixed(dsl.Fixed(2)), naive.At(i, -1), "[i in 4..n]"},
		{fixed(dsl.Fixed(1)), fixed(T), "1"},
		{fixed(dsl.Fixed(2)), fixed(T), "[2 in 2..n-1]"},
		{fixed(dsl.Fixed(2)), fixed(dsl.Fixed(3)), "1"},
		{fixed(dsl.Fixed(3)), fixed(dsl.Fixed(3)), "0"},
		{fixed(T), fixed(T.Plus(1)), "1"},
	} {
		got := c.Before(row.a, row.b)
		if expr.Format(got) != row.want {
			t.Errorf("%s < %s: %s, want %s", row.a, row.b, expr.Format(got), row.want)
		}
		for _, x := range []*expr.Index{i, j, short, late} {
			w.Env.Idx[x] = w.Env.Extent(x.Range.Lo)
		}
		for v := 1; v <= w.Env.Extent(T); v++ {
			for _, x := range []*expr.Index{i, short, late} {
				if v >= w.Env.Extent(x.Range.Lo) && v <= w.Env.Extent(x.Range.Hi) {
					w.Env.Idx[x] = v
				}
			}
			if want := naive.Indicator(w.Env.Sub(row.a) < w.Env.Sub(row.b)); w.Env.Eval(got) != want {
				t.Errorf("%s < %s: %s is not %g", row.a, row.b, expr.Format(got), want)
			}
		}
	}
	u := c.Ref(w.Tensor("u"), naive.At(i, 0))
	for _, row := range []struct {
		name string
		p, q *expr.Expr
	}{
		{"its square", c.Pow(c.Before(naive.At(i, 0), naive.At(j, 0)), 2), c.Before(naive.At(i, 0), naive.At(j, 0))},
		{"both ways", c.Mul(c.Before(naive.At(i, 0), naive.At(j, 0)), u, c.Before(naive.At(j, 0), naive.At(i, 0))), c.Number(0)},
		{"both ways, with one place between", c.Mul(c.Before(naive.At(i, 0), naive.At(j, 1)), c.Before(naive.At(j, 0), naive.At(i, 0))), c.Number(0)},
		{"the narrower", c.Mul(c.Before(naive.At(i, 0), naive.At(j, 0)), c.Before(naive.At(i, 0), naive.At(j, 1))), c.Before(naive.At(i, 0), naive.At(j, 0))},
		{"under a delta", c.Mul(c.Before(naive.At(i, 0), naive.At(j, 0)), c.Delta(naive.At(i, 0), naive.At(j, 0))), c.Number(0)},
		{"a sum over a delta", c.Sum(i, c.Mul(c.Before(naive.At(i, 0), naive.At(j, 0)), c.Delta(naive.At(i, 0), naive.At(short, 0)), u)),
			c.Mul(c.Before(naive.At(short, 0), naive.At(j, 0)), c.Ref(w.Tensor("u"), naive.At(short, 0)))},
	} {
		if row.p != row.q {
			t.Errorf("%s: %s, want %s", row.name, expr.Format(row.p), expr.Format(row.q))
		}
	}
	if e := c.Mul(c.Before(naive.At(i, 0), naive.At(j, 2)), c.Before(naive.At(j, 0), naive.At(i, 2))); len(e.Args) != 2 {
		t.Errorf("%s: two places next to each other pass both ways", expr.Format(e))
	}
}

// TestBounds: the comparisons of a sum's index are taken out of what is summed, others stay.
func TestBounds(t *testing.T) {
	w := naive.NewWorld(3)
	c := w.C
	i, j, k := w.Index("i", naive.RangeOf(1, naive.SizeN)), w.Index("j", naive.RangeOf(1, naive.SizeN)), w.Index("k", naive.RangeOf(1, naive.SizeN))
	y := c.Ref(w.Tensor("y"), naive.At(i, 0))
	for _, row := range []struct {
		body           *expr.Expr
		from, to, rest string
	}{
		{c.Mul(y, c.Before(naive.At(i, 0), naive.At(j, 0))), "", "j", "y[i1]"},
		{c.Mul(y, c.Before(naive.At(i, -1), naive.At(j, 0))), "", "j+1", "y[i1]"},
		{c.Mul(y, c.Before(naive.At(j, 0), naive.At(i, 1))), "j-1", "", "y[i1]"},
		{c.Mul(y, c.Before(naive.At(j, 0), naive.At(i, 0)), c.Before(naive.At(i, 0), naive.At(k, 0))), "j", "k", "y[i1]"},
		{c.Before(naive.At(i, 0), naive.At(j, 0)), "", "j", "1"},
		{c.Mul(y, c.Number(2)), "", "", "y[i1]"},
	} {
		sum := c.Sum(i, row.body)
		if sum.Op == expr.Mul {
			sum = sum.Args[0]
		}
		from, to, rest := c.Bounds(sum)
		if subsString(from) != row.from || subsString(to) != row.to || expr.Format(rest) != row.rest {
			t.Errorf("%s: after %q, before %q, %s", expr.Format(sum), subsString(from), subsString(to), expr.Format(rest))
		}
	}
}

// TestEmptyRanges: a range that holds nothing at the sizes given sums to
// nothing, whatever its form says about its length.
func TestEmptyRanges(t *testing.T) {
	for _, size := range []int{1, 2, 3} {
		w := naive.NewWorld(4)
		w.Env.Sizes["n"] = size
		w.Env.Values[w.Tensor("n")] = []float64{float64(size)}
		c := w.C
		mu := c.Ref(w.Tensor("mu"))
		for _, r := range []dsl.Range{naive.RangeOf(2, naive.SizeN), naive.RangeOf(3, naive.SizeN), naive.RangeOf(4, naive.SizeN), naive.RangeOf(1, naive.SizeN.Plus(-1)), naive.RangeOf(1, naive.SizeN.Plus(-2)), naive.RangeOf(2, naive.SizeN.Plus(-1))} {
			if w.Env.Extent(r.Hi)-w.Env.Extent(r.Lo)+1 < 0 {
				continue // the checker demands data for which no range has a negative length
			}
			i := w.Index("i", r)
			e := c.Sum(i, mu)
			want := max(0, float64(w.Env.Extent(r.Hi)-w.Env.Extent(r.Lo)+1)) * w.Env.Values[w.Tensor("mu")][0]
			if got := w.Env.Eval(e); math.Abs(got-want) > 1e-15 {
				t.Errorf("n = %d: Σ over %s of mu is %g by %s, want %g", size, r, got, expr.Format(e), want)
			}
		}
	}
}

// TestNoNegativeLength: data for which a range would have a negative length
// are refused, so Σ over 3..n may be n − 2.
func TestNoNegativeLength(t *testing.T) {
	m, ds := dsl.Load("m.ham", "model m\ndata n int\nparam mu real\ndensity -mu^2*sum(i in 3..n) 1\nmetric identity\n", dsl.Options{})
	if m == nil {
		t.Fatal(ds)
	}
	if got := m.Data[0].MinSize; got != 2 {
		t.Errorf("3..n demands n ≥ %d, want 2", got)
	}
}

// TestExpand: products of sums are multiplied out, so that equal polynomials
// are one node.
func TestExpand(t *testing.T) {
	w := naive.NewWorld(5)
	c := w.C
	vars := []*expr.Expr{c.Ref(w.Tensor("mu")), c.Ref(w.Tensor("a"))}
	for _, row := range [][2]string{
		{"(x + y)^2", "x^2 + 2*x*y + y^2"},
		{"(x - y)*(x + y)", "x^2 - y^2"},
		{"(x + y)^3", "x^3 + 3*x^2*y + 3*x*y^2 + y^3"},
		{"(x + 1)^4", "x^4 + 4*x^3 + 6*x^2 + 4*x + 1"},
		{"x*(y + 2*(x - y))", "2*x^2 - x*y"},
		{"(x + y)^2 - (x - y)^2", "4*x*y"},
		{"(2*x + 3)*(x - 1)/y", "2*x^2/y + x/y - 3/y"},
	} {
		if got, want := c.Expand(c.Formula(row[0], vars)), c.Expand(c.Formula(row[1], vars)); got != want {
			t.Errorf("%s expands to %s, want %s", row[0], expr.Format(got), expr.Format(want))
		}
	}
	i := w.Index("i", naive.RangeOf(1, naive.SizeN))
	u, mu := c.Ref(w.Tensor("u"), naive.At(i, 0)), vars[0]
	got := c.Expand(c.Sum(i, c.Pow(c.Add(u, mu), 2)))
	want := c.Add(c.Sum(i, c.Pow(u, 2)), c.Scale(2, c.Mul(mu, c.Sum(i, u))), c.Mul(c.Ref(w.Tensor("n")), c.Pow(mu, 2)))
	if got != want {
		t.Errorf("Σ (u + mu)² expands to %s, want %s", expr.Format(got), expr.Format(want))
	}
}

// TestCollect: shared factors leave a sum.
func TestCollect(t *testing.T) {
	w := naive.NewWorld(6)
	c := w.C
	i := w.Index("i", naive.RangeOf(1, naive.SizeN))
	u, v := c.Ref(w.Tensor("u"), naive.At(i, 0)), c.Ref(w.Tensor("v"), naive.At(i, 0))
	mu, p := c.Ref(w.Tensor("mu")), c.Ref(w.Tensor("p"))
	for _, r := range []struct{ in, want *expr.Expr }{
		{c.Sub(c.Mul(c.Sub(c.Number(1), u), v), c.Mul(u, v)), c.Mul(v, c.Sub(c.Number(1), c.Scale(2, u)))},
		{c.Add(c.Mul(u, mu), c.Mul(u, p)), c.Mul(u, c.Add(mu, p))},
		{c.Add(c.Mul(c.Pow(u, 3), mu), c.Mul(c.Pow(u, 2), p)), c.Mul(c.Pow(u, 2), c.Add(c.Mul(u, mu), p))},
		{c.Add(c.Mul(u, mu), c.Mul(v, p)), c.Add(c.Mul(u, mu), c.Mul(v, p))},
		{c.Add(c.Mul(u, mu), c.Number(1)), c.Add(c.Mul(u, mu), c.Number(1))},
	} {
		if got := c.Collect(r.in); got != r.want {
			t.Errorf("Collect(%s) is %s, want %s", expr.Format(r.in), expr.Format(got), expr.Format(r.want))
		}
	}
}

// TestFold: each rule of Fold, by value and by form: after folding, every sum
// over the data is of data stage.
func TestFold(t *testing.T) {
	w := naive.NewWorld(7)
	c := w.C
	mu, s := c.Ref(w.Tensor("mu")), c.Ref(w.Tensor("s"))
	full := naive.RangeOf(1, naive.SizeN)
	i, k := w.Index("i", full), w.Index("k", naive.RangeOf(1, naive.SizeK))
	el := func(name string, i *expr.Index) *expr.Expr { return c.Ref(w.Tensor(name), naive.At(i, 0)) }
	y, wt := el("y", i), el("w", i)
	eta := c.Sum(k, c.Mul(c.Ref(w.Tensor("x"), naive.At(i, 0), naive.At(k, 0)), el("b", k)))
	late := w.Index("t", naive.RangeOf(2, naive.SizeN))
	for _, row := range []struct {
		name string
		e    *expr.Expr
		fold bool // every sum over the data becomes of data stage
	}{
		{"linear", c.Sum(i, c.Mul(wt, c.Add(y, mu))), true},
		{"linear in several statistics", c.Sum(i, c.Mul(y, c.Add(c.Pow(y, 2), c.Scale(3, wt), c.Pow(mu, 3)))), true},
		{"centred", c.Sum(i, c.Pow(c.Sub(y, mu), 2)), true},
		{"centred with weights", c.Sum(i, c.Mul(wt, c.Pow(c.Sub(y, c.Add(mu, c.Pow(mu, 2))), 2), c.Pow(s, -2))), true},
		{"centred with a transformed datum", c.Sum(i, c.Pow(c.Sub(c.Call("exp", y), mu), 2)), true},
		{"centred over a part of the range", c.Sum(late, c.Pow(c.Sub(el("y", late), mu), 2)), true},
		{"centred with a lag", c.Sum(late, c.Mul(el("w", late), c.Pow(c.Sub(c.Ref(w.Tensor("y"), naive.At(late, -1)), mu), 2))), true},
		{"interchange", c.Sum(i, c.Mul(y, eta)), true},
		{"interchange with a weight", c.Sum(i, c.Mul(y, wt, eta, mu)), true},
		{"linear with a predictor", c.Sum(i, c.Mul(y, c.Add(eta, mu, wt))), true},
		{"a square of a predictor stays", c.Sum(i, c.Pow(c.Sub(y, eta), 2)), false},
		{"two mixed factors stay", c.Sum(i, c.Mul(c.Sub(y, mu), c.Sub(wt, mu))), false},
		{"a cube stays", c.Sum(i, c.Pow(c.Sub(y, mu), 3)), false},
		{"a parameter with the index stays", c.Sum(i, c.Pow(c.Sub(y, el("u", i)), 2)), false},
		{"a function of both stays", c.Sum(i, c.Call("exp", c.Mul(y, mu))), false},
	} {
		got := c.Fold(row.e)
		w.Env.Peak = 1
		want := w.Env.Eval(row.e)
		if v := w.Env.Eval(got); math.Abs(v-want) > 1e-12*w.Env.Peak {
			t.Errorf("%s: %.15g, want %.15g: %s", row.name, v, want, expr.Format(got))
		}
		folded := true
		var walk func(e *expr.Expr)
		walk = func(e *expr.Expr) {
			if e.Op == expr.Sum && e.Index.Range.Hi.Name == "n" && e.Stage() != expr.StageData {
				folded = false
			}
			for _, a := range e.Args {
				walk(a)
			}
		}
		walk(got)
		if folded != row.fold {
			t.Errorf("%s: folded %v: %s", row.name, folded, expr.Format(got))
		}
	}

	// The centred form does not cancel where the naive one loses all digits.
	big := w.Env.Values[w.Tensor("y")]
	for n := range big {
		big[n] = 1e9 + float64(n)
	}
	w.Env.Values[w.Tensor("mu")] = []float64{1e9 + 1.5}
	got := w.Env.Eval(c.Fold(c.Sum(i, c.Pow(c.Sub(y, mu), 2))))
	if want := 2.25 + 0.25 + 0.25 + 2.25; got != want {
		t.Errorf("Σ (y − mu)² near 1e9 is %.17g, want %g", got, want)
	}
}

// TestFoldDegenerateWeights: weights of data may sum to zero or all be zero;
// a folded sum must still be the sum.
func TestFoldDegenerateWeights(t *testing.T) {
	for _, weights := range [][]float64{{0, 0, 0, 0}, {1, -1, 2, -2}, {1e-9, 0, -1e-9, 1e-25}} {
		w := naive.NewWorld(8)
		c := w.C
		i := w.Index("i", naive.RangeOf(1, naive.SizeN))
		// y is a datum of unknown sign and may be a weight.
		w.Env.Values[w.Tensor("y")] = weights
		a := c.NewTensor(expr.Tensor{Name: "z2", Kind: expr.DataTensor, Stage: expr.StageData, Shape: []dsl.Extent{naive.SizeN}})
		w.Env.Values[a] = []float64{0.3, 1.7, -2, 0.9}
		e := c.Sum(i, c.Mul(c.Ref(w.Tensor("y"), naive.At(i, 0)), c.Pow(c.Sub(c.Ref(a, naive.At(i, 0)), c.Ref(w.Tensor("mu"))), 2)))
		want := w.Env.Eval(e)
		folded := c.Fold(e)
		if got := w.Env.Eval(folded); !(math.Abs(got-want) <= 1e-14+1e-9*math.Abs(want)) {
			t.Errorf("weights %v: Σ w (a − mu)² is %g by %s, want %g", weights, got, expr.Format(folded), want)
		}
	}
}

// TestNestedLevels: a sum put under another sum keeps its own index, and
// opening and closing gives the same node.
func TestNestedLevels(t *testing.T) {
	w := naive.NewWorld(9)
	c := w.C
	full := naive.RangeOf(1, naive.SizeN)
	i, j := w.Index("i", full), w.Index("j", full)
	f := c.Sum(j, c.Call("sin", c.Add(c.Ref(w.Tensor("u"), naive.At(j, 0)), c.Ref(w.Tensor("y"), naive.At(i, 0)))))
	g := c.Sum(i, c.Mul(f, c.Ref(w.Tensor("w"), naive.At(i, 0))))
	want := 0.0
	u, y, wt := w.Env.Values[w.Tensor("u")], w.Env.Values[w.Tensor("y")], w.Env.Values[w.Tensor("w")]
	for a := range 4 {
		for b := range 4 {
			want += wt[a] * math.Sin(u[b]+y[a])
		}
	}
	k, inner := c.Open(g)
	if got := w.Env.Eval(c.Sum(k, inner)); math.Abs(got-want) > 1e-13 {
		t.Errorf("opened and closed again: %g, want %g", got, want)
	}
	if c.Sum(k, inner) != g {
		t.Error("Open and Sum are not inverse")
	}
}

// TestSplitDelta: the parts with and without the delta.
func TestSplitDelta(t *testing.T) {
	w := naive.NewWorld(10)
	c := w.C
	i, j := w.Index("i", naive.RangeOf(1, naive.SizeN)), w.Index("j", naive.RangeOf(1, naive.SizeN))
	u, v := func(s expr.Sub) *expr.Expr { return c.Ref(w.Tensor("u"), s) }, func(s expr.Sub) *expr.Expr { return c.Ref(w.Tensor("v"), s) }
	off := c.Mul(u(naive.At(i, 0)), v(naive.At(j, 0)))
	e := c.Add(off, c.Scale(3, c.Mul(c.Delta(naive.At(i, 0), naive.At(j, 0)), u(naive.At(j, 0)))), c.Delta(naive.At(i, 0), naive.At(j, 0)))
	full, diagonal := c.SplitDelta(e, i, j)
	if full != off {
		t.Errorf("the part without the delta is %s", expr.Format(full))
	}
	if want := c.Add(c.Number(1), c.Scale(3, u(naive.At(i, 0)))); diagonal != want {
		t.Errorf("the diagonal is %s, want %s", expr.Format(diagonal), expr.Format(want))
	}
	// What is factored out of deltas of fixed positions.
	place := func(n int) *expr.Expr {
		s := expr.Sub{At: dsl.Fixed(n)}
		return c.Mul(c.Delta(naive.At(i, 0), s), c.Delta(naive.At(j, 0), s))
	}
	full, diagonal = c.SplitDelta(c.Mul(c.Add(place(1), place(2)), u(naive.At(j, 0))), i, j)
	if !full.IsNum(0) {
		t.Errorf("the part without the delta is %s, want 0", expr.Format(full))
	}
	if want := c.Mul(c.Add(c.Delta(naive.At(i, 0), expr.Sub{At: dsl.Fixed(1)}), c.Delta(naive.At(i, 0), expr.Sub{At: dsl.Fixed(2)})), u(naive.At(i, 0))); diagonal != want {
		t.Errorf("the diagonal is %s, want %s", expr.Format(diagonal), expr.Format(want))
	}
}

// subsString renders subscripts.
func subsString(subs []expr.Sub) string {
	s := make([]string, len(subs))
	for i := range subs {
		s[i] = subs[i].String()
	}
	return strings.Join(s, ",")
}
