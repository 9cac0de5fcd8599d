package naive

import (
	"math"
	"math/rand"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Term is an expression and, built beside it without the calculus, its
// meaning.
type Term struct {
	E *expr.Expr
	F func(v *Env) float64
}

// RandomRanges are those that random sums run over, with the offsets that keep a subscript
// inside 1..n.
var RandomRanges = []struct {
	R        dsl.Range
	from, to int
}{
	{RangeOf(1, SizeN), 0, 0},
	{RangeOf(2, SizeN), -1, 0},
	{RangeOf(1, SizeN.Plus(-1)), 0, 1},
	{RangeOf(2, SizeN.Plus(-1)), -1, 1},
	{RangeOf(3, SizeN), -2, 0},
	{RangeOf(1, SizeK), 0, 0},
	{RangeOf(1, dsl.Fixed(2)), 0, 1},
}

// Scoped is an index that a random expression may use: I + o is a subscript for every o in From..To.
type Scoped struct {
	I        *expr.Index
	K        bool // runs over k
	From, To int
}

// leaf is a number or an element.
func (w *World) leaf(scope []Scoped) Term {
	c := w.C
	scalars := []*expr.Tensor{w.Data[0], w.Pos[0], w.Pos[0], w.Mom[0], w.Want[0]}
	vectors := []*expr.Tensor{w.Data[1], w.Pos[1], w.Pos[1], w.Mom[1], w.Want[1]}
	if w.Rng.Intn(6) == 0 {
		v := []float64{-2, -1, 0.5, 1, 2, 3}[w.Rng.Intn(6)]
		return Term{c.Number(v), func(*Env) float64 { return v }}
	}
	var n, k []Scoped
	for _, s := range scope {
		if s.K {
			k = append(k, s)
		} else {
			n = append(n, s)
		}
	}
	pick := func(list []Scoped) (expr.Sub, func(v *Env) int) {
		s := list[w.Rng.Intn(len(list))]
		o := s.From + w.Rng.Intn(s.To-s.From+1)
		return At(s.I, o), func(v *Env) int { return v.Idx[s.I] + o }
	}
	switch r := w.Rng.Intn(8); {
	case r < 4 && len(n) > 0:
		t := vectors[w.Rng.Intn(len(vectors))]
		s, f := pick(n)
		return Term{c.Ref(t, s), func(v *Env) float64 { return v.Element(t, f(v)) }}
	case r < 6 && len(k) > 0:
		t := []*expr.Tensor{w.Data[3], w.Pos[2]}[w.Rng.Intn(2)]
		s, f := pick(k)
		return Term{c.Ref(t, s), func(v *Env) float64 { return v.Element(t, f(v)) }}
	case r == 6 && len(n) > 0 && len(k) > 0:
		s, f := pick(n)
		q, g := pick(k)
		t := w.Data[2]
		return Term{c.Ref(t, s, q), func(v *Env) float64 { return v.Element(t, f(v), g(v)) }}
	case r == 7:
		t := vectors[w.Rng.Intn(3)]
		p := 1 + w.Rng.Intn(2)
		return Term{c.Ref(t, expr.Sub{At: dsl.Fixed(p)}), func(v *Env) float64 { return v.Element(t, p) }}
	}
	t := scalars[w.Rng.Intn(len(scalars))]
	return Term{c.Ref(t), func(v *Env) float64 { return v.Element(t) }}
}

// delta is a delta or a comparison.
func (w *World) delta(scope []Scoped) Term {
	s := scope[w.Rng.Intn(len(scope))]
	o := w.Rng.Intn(3) - 1
	if w.Rng.Intn(4) == 0 {
		p := dsl.Fixed(1 + w.Rng.Intn(4))
		if w.Rng.Intn(2) == 0 {
			p = SizeN
		}
		return Term{w.C.Delta(At(s.I, o), expr.Sub{At: p}), func(v *Env) float64 { return Indicator(v.Idx[s.I]+o == v.Extent(p)) }}
	}
	q := scope[w.Rng.Intn(len(scope))]
	r := w.Rng.Intn(3) - 1
	if w.Rng.Intn(2) == 0 {
		return Term{w.C.Before(At(s.I, o), At(q.I, r)), func(v *Env) float64 { return Indicator(v.Idx[s.I]+o < v.Idx[q.I]+r) }}
	}
	return Term{w.C.Delta(At(s.I, o), At(q.I, r)), func(v *Env) float64 { return Indicator(v.Idx[s.I]+o == v.Idx[q.I]+r) }}
}

// Indicator is 1 for true and 0 for false.
func Indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (w *World) call(name string, args ...Term) Term {
	es := make([]*expr.Expr, len(args))
	for i, a := range args {
		es[i] = a.E
	}
	return Term{w.C.Call(name, es...), func(v *Env) float64 {
		x := make([]float64, len(args))
		for i, a := range args {
			x[i] = a.F(v)
		}
		return v.note(PlainFunction(name, x))
	}}
}

// Random builds an expression; every subexpression is defined everywhere.
func (w *World) Random(depth int, scope []Scoped) Term {
	c := w.C
	if depth == 0 {
		return w.leaf(scope)
	}
	sub := func() Term { return w.Random(depth-1, scope) }
	switch r := w.Rng.Intn(22); {
	case r < 4:
		a, b, k := sub(), sub(), float64(1-2*w.Rng.Intn(2))
		return Term{c.Linear(0, []float64{1, k}, []*expr.Expr{a.E, b.E}), func(v *Env) float64 { return v.note(a.F(v) + k*b.F(v)) }}
	case r < 8:
		a, b := sub(), sub()
		return Term{c.Mul(a.E, b.E), func(v *Env) float64 { return v.note(a.F(v) * b.F(v)) }}
	case r == 8:
		a := sub()
		k := float64(2 + w.Rng.Intn(2))
		return Term{c.Pow(a.E, k), func(v *Env) float64 { return v.note(math.Pow(a.F(v), k)) }}
	case r == 9:
		// A divisor that is at least 1.
		a, b := sub(), sub()
		d := c.Add(c.Number(1), c.Pow(b.E, 2))
		return Term{c.Div(a.E, d), func(v *Env) float64 { y := b.F(v); return v.note(a.F(v) / v.note(1+y*y)) }}
	case r == 10:
		a := sub()
		e := c.Pow(c.Add(c.Number(1), c.Pow(a.E, 2)), 0.5)
		return Term{e, func(v *Env) float64 { x := a.F(v); return v.note(math.Sqrt(1 + x*x)) }}
	case r == 11:
		return w.call("exp", w.call("sin", sub()))
	case r == 12:
		return w.call("exp", w.leaf(scope))
	case r == 13:
		x := w.call("exp", w.leaf(scope))
		return w.call("log1p", x)
	case r == 14:
		return w.call("log_sum_exp", w.call("tanh", sub()), w.leaf(scope))
	case r == 15:
		return w.call([]string{"sin", "cos", "tanh", "inv_logit", "atan", "log1p_exp"}[w.Rng.Intn(6)], w.call("atan", sub()))
	case r == 16 && len(scope) > 0:
		d, a := w.delta(scope), sub()
		return Term{c.Mul(d.E, a.E), func(v *Env) float64 { return v.note(d.F(v) * a.F(v)) }}
	default:
		if len(scope) > 3 {
			return w.leaf(scope)
		}
		rr := RandomRanges[w.Rng.Intn(len(RandomRanges))]
		i := c.NewIndex("i", rr.R)
		body := w.Random(depth-1, append(append([]Scoped{}, scope...), Scoped{i, rr.R.Hi == SizeK, rr.from, rr.to}))
		if w.Rng.Intn(4) == 0 && len(scope) > 0 {
			d := w.delta(append(append([]Scoped{}, scope...), Scoped{i, false, 0, 0}))
			inner := body
			body = Term{c.Mul(d.E, inner.E), func(v *Env) float64 { return v.note(d.F(v) * inner.F(v)) }}
		}
		return Term{c.Sum(i, body.E), func(v *Env) float64 { return v.sum(i, func() float64 { return body.F(v) }) }}
	}
}

// Agree compares an expression with its meaning at the world's numbers, to
// rounding relative to the largest number met on the way.
func (w *World) Agree(t *testing.T, seed int64, what string, e *expr.Expr, f func(v *Env) float64) bool {
	t.Helper()
	w.Env.Peak = 1
	want := f(w.Env)
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("seed %d, %s: %v in %s", seed, what, r, expr.Format(e))
		}
	}()
	got := w.Env.Eval(e)
	if w.Env.Peak > 1e12 || math.IsNaN(want) || math.IsInf(w.Env.Peak, 0) {
		return false // too large to tell rounding from error
	}
	if !(math.Abs(got-want) <= 1e-11*w.Env.Peak) {
		t.Errorf("seed %d, %s: %.12g, want %.12g (peak %.3g)\n%s", seed, what, got, want, w.Env.Peak, expr.Format(e))
	}
	return true
}

// RandomVector has normal entries of the given scale.
func RandomVector(rng *rand.Rand, n int, scale float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = scale * rng.NormFloat64()
	}
	return v
}
