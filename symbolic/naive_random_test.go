package symbolic

import (
	"math"
	"math/rand"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// A term is an expression and, built beside it without the calculus, its
// meaning.
type term struct {
	e *Expr
	f func(v *env) float64
}

// randomRanges are those that random sums run over, with the offsets that keep a subscript
// inside 1..n.
var randomRanges = []struct {
	r        dsl.Range
	from, to int
}{
	{rangeOf(1, sizeN), 0, 0},
	{rangeOf(2, sizeN), -1, 0},
	{rangeOf(1, sizeN.Plus(-1)), 0, 1},
	{rangeOf(2, sizeN.Plus(-1)), -1, 1},
	{rangeOf(3, sizeN), -2, 0},
	{rangeOf(1, sizeK), 0, 0},
	{rangeOf(1, dsl.Fixed(2)), 0, 1},
}

type scoped struct {
	i        *Index
	k        bool // runs over k
	from, to int
}

// leaf is a number or an element.
func (w *world) leaf(scope []scoped) term {
	c := w.c
	scalars := []*Tensor{w.data[0], w.pos[0], w.pos[0], w.mom[0], w.want[0]}
	vectors := []*Tensor{w.data[1], w.pos[1], w.pos[1], w.mom[1], w.want[1]}
	if w.rng.Intn(6) == 0 {
		v := []float64{-2, -1, 0.5, 1, 2, 3}[w.rng.Intn(6)]
		return term{c.Number(v), func(*env) float64 { return v }}
	}
	var n, k []scoped
	for _, s := range scope {
		if s.k {
			k = append(k, s)
		} else {
			n = append(n, s)
		}
	}
	pick := func(list []scoped) (Sub, func(v *env) int) {
		s := list[w.rng.Intn(len(list))]
		o := s.from + w.rng.Intn(s.to-s.from+1)
		return at(s.i, o), func(v *env) int { return v.idx[s.i] + o }
	}
	switch r := w.rng.Intn(8); {
	case r < 4 && len(n) > 0:
		t := vectors[w.rng.Intn(len(vectors))]
		s, f := pick(n)
		return term{c.Ref(t, s), func(v *env) float64 { return v.element(t, f(v)) }}
	case r < 6 && len(k) > 0:
		t := []*Tensor{w.data[3], w.pos[2]}[w.rng.Intn(2)]
		s, f := pick(k)
		return term{c.Ref(t, s), func(v *env) float64 { return v.element(t, f(v)) }}
	case r == 6 && len(n) > 0 && len(k) > 0:
		s, f := pick(n)
		q, g := pick(k)
		t := w.data[2]
		return term{c.Ref(t, s, q), func(v *env) float64 { return v.element(t, f(v), g(v)) }}
	case r == 7:
		t := vectors[w.rng.Intn(3)]
		p := 1 + w.rng.Intn(2)
		return term{c.Ref(t, Sub{At: dsl.Fixed(p)}), func(v *env) float64 { return v.element(t, p) }}
	}
	t := scalars[w.rng.Intn(len(scalars))]
	return term{c.Ref(t), func(v *env) float64 { return v.element(t) }}
}

// delta is a delta or a comparison.
func (w *world) delta(scope []scoped) term {
	s := scope[w.rng.Intn(len(scope))]
	o := w.rng.Intn(3) - 1
	if w.rng.Intn(4) == 0 {
		p := dsl.Fixed(1 + w.rng.Intn(4))
		if w.rng.Intn(2) == 0 {
			p = sizeN
		}
		return term{w.c.Delta(at(s.i, o), Sub{At: p}), func(v *env) float64 { return indicator(v.idx[s.i]+o == v.extent(p)) }}
	}
	q := scope[w.rng.Intn(len(scope))]
	r := w.rng.Intn(3) - 1
	if w.rng.Intn(2) == 0 {
		return term{w.c.Before(at(s.i, o), at(q.i, r)), func(v *env) float64 { return indicator(v.idx[s.i]+o < v.idx[q.i]+r) }}
	}
	return term{w.c.Delta(at(s.i, o), at(q.i, r)), func(v *env) float64 { return indicator(v.idx[s.i]+o == v.idx[q.i]+r) }}
}

// indicator is 1 for true and 0 for false.
func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (w *world) call(name string, args ...term) term {
	es := make([]*Expr, len(args))
	for i, a := range args {
		es[i] = a.e
	}
	return term{w.c.Call(name, es...), func(v *env) float64 {
		x := make([]float64, len(args))
		for i, a := range args {
			x[i] = a.f(v)
		}
		return v.note(plainFunction(name, x))
	}}
}

// random builds an expression; every subexpression is defined everywhere.
func (w *world) random(depth int, scope []scoped) term {
	c := w.c
	if depth == 0 {
		return w.leaf(scope)
	}
	sub := func() term { return w.random(depth-1, scope) }
	switch r := w.rng.Intn(22); {
	case r < 4:
		a, b, k := sub(), sub(), float64(1-2*w.rng.Intn(2))
		return term{c.Linear(0, []float64{1, k}, []*Expr{a.e, b.e}), func(v *env) float64 { return v.note(a.f(v) + k*b.f(v)) }}
	case r < 8:
		a, b := sub(), sub()
		return term{c.Mul(a.e, b.e), func(v *env) float64 { return v.note(a.f(v) * b.f(v)) }}
	case r == 8:
		a := sub()
		k := float64(2 + w.rng.Intn(2))
		return term{c.Pow(a.e, k), func(v *env) float64 { return v.note(math.Pow(a.f(v), k)) }}
	case r == 9:
		// A divisor that is at least 1.
		a, b := sub(), sub()
		d := c.Add(c.Number(1), c.Pow(b.e, 2))
		return term{c.Div(a.e, d), func(v *env) float64 { y := b.f(v); return v.note(a.f(v) / v.note(1+y*y)) }}
	case r == 10:
		a := sub()
		e := c.Pow(c.Add(c.Number(1), c.Pow(a.e, 2)), 0.5)
		return term{e, func(v *env) float64 { x := a.f(v); return v.note(math.Sqrt(1 + x*x)) }}
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
		return w.call([]string{"sin", "cos", "tanh", "inv_logit", "atan", "log1p_exp"}[w.rng.Intn(6)], w.call("atan", sub()))
	case r == 16 && len(scope) > 0:
		d, a := w.delta(scope), sub()
		return term{c.Mul(d.e, a.e), func(v *env) float64 { return v.note(d.f(v) * a.f(v)) }}
	default:
		if len(scope) > 3 {
			return w.leaf(scope)
		}
		rr := randomRanges[w.rng.Intn(len(randomRanges))]
		i := c.NewIndex("i", rr.r)
		body := w.random(depth-1, append(append([]scoped{}, scope...), scoped{i, rr.r.Hi == sizeK, rr.from, rr.to}))
		if w.rng.Intn(4) == 0 && len(scope) > 0 {
			d := w.delta(append(append([]scoped{}, scope...), scoped{i, false, 0, 0}))
			inner := body
			body = term{c.Mul(d.e, inner.e), func(v *env) float64 { return v.note(d.f(v) * inner.f(v)) }}
		}
		return term{c.Sum(i, body.e), func(v *env) float64 { return v.sum(i, func() float64 { return body.f(v) }) }}
	}
}

// agree compares an expression with its meaning at the world's numbers, to
// rounding relative to the largest number met on the way.
func (w *world) agree(t *testing.T, seed int64, what string, e *Expr, f func(v *env) float64) bool {
	t.Helper()
	w.env.peak = 1
	want := f(w.env)
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("seed %d, %s: %v in %s", seed, what, r, Format(e))
		}
	}()
	got := w.env.eval(e)
	if w.env.peak > 1e12 || math.IsNaN(want) || math.IsInf(w.env.peak, 0) {
		return false // too large to tell rounding from error
	}
	if !(math.Abs(got-want) <= 1e-11*w.env.peak) {
		t.Errorf("seed %d, %s: %.12g, want %.12g (peak %.3g)\n%s", seed, what, got, want, w.env.peak, Format(e))
	}
	return true
}

// randomVector has normal entries of the given scale.
func randomVector(rng *rand.Rand, n int, scale float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = scale * rng.NormFloat64()
	}
	return v
}
