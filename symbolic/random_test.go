package symbolic

import (
	"math"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// TestRandomExpressions holds the canonical form, Subst, Collect, Expand and
// Fold against the meaning of random expressions.
func TestRandomExpressions(t *testing.T) {
	const count = 1500
	checked := 0
	for seed := range int64(count) {
		w := newWorld(seed)
		i := w.index("i", rangeOf(2, sizeN.Plus(-1)))
		x := w.random(4, []scoped{{i, false, -1, 1}})
		for n := 2; n <= 3; n++ {
			w.env.idx = map[*Index]int{i: n}
			if !w.agree(t, seed, "canonical form", x.e, x.f) {
				continue
			}
			checked++
			w.agree(t, seed, "Collect", w.c.Collect(x.e), x.f)
			w.agree(t, seed, "Expand", w.c.Expand(x.e), x.f)
			w.agree(t, seed, "Fold", w.c.Fold(x.e), x.f)
			// i stands at j + 1, and at a fixed position.
			j := w.index("j", rangeOf(1, sizeN.Plus(-2)))
			w.env.idx = map[*Index]int{i: n, j: n - 1}
			w.agree(t, seed, "Subst by j+1", w.c.Subst(x.e, i, at(j, 1)), x.f)
			w.agree(t, seed, "Subst by a number", w.c.Subst(x.e, i, Sub{At: dsl.Fixed(n)}), x.f)
		}
	}
	if checked < count {
		t.Errorf("only %d of %d evaluations were fit to compare", checked, 2*count)
	}
}

// TestRandomDerivatives holds Diff by an element against finite differences of
// the meaning.
func TestRandomDerivatives(t *testing.T) {
	checked := 0
	for seed := range int64(600) {
		w := newWorld(seed)
		i := w.index("i", rangeOf(2, sizeN.Plus(-1)))
		x := w.random(4, []scoped{{i, false, -1, 1}})
		for _, q := range w.pos {
			// The element is named by an index, as the compiler does it.
			var subs []Sub
			k := w.index("k", dsl.Range{})
			if len(q.Shape) > 0 {
				k = w.index("k", upTo(q.Shape[0]))
				subs = []Sub{at(k, 0)}
			}
			d := w.c.Diff(x.e, q, subs...)
			values := w.env.values[q]
			for n := range values {
				w.env.idx = map[*Index]int{i: 2 + int(seed%2)}
				w.env.peak = 1
				f := func(v []float64) []float64 {
					old := values[n]
					values[n] = v[0]
					r := x.f(w.env)
					values[n] = old
					return []float64{r}
				}
				want := derivativeBy(1e-3, f, values[n:n+1:n+1], 0)[0]
				// Differences are fit to judge where two steps agree.
				coarse := derivativeBy(2e-3, f, values[n:n+1:n+1], 0)[0]
				if w.env.peak > 1e4 || !(math.Abs(want-coarse) <= 1e-8*max(1, math.Abs(want))) {
					continue
				}
				w.env.idx[k] = n + 1
				got := w.env.eval(d)
				checked++
				if !(math.Abs(got-want) <= 1e-7*max(1, math.Abs(want))) {
					t.Errorf("seed %d: ∂/∂%s_%d is %.10g, differences give %.10g\n%s\n%s", seed, q.Name, n+1, got, want, Format(x.e), Format(d))
				}
			}
		}
	}
	if checked < 2000 {
		t.Errorf("only %d derivatives were fit to compare", checked)
	}
}
