package expr_test

import (
	"math"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/internal/naive"
)

// TestRandomExpressions holds the canonical form, Subst, Collect, Expand and
// Fold against the meaning of random expressions.
func TestRandomExpressions(t *testing.T) {
	count := campaign.Cases(t, 700, 1500)
	checked := 0
	for seed := range int64(count) {
		w := naive.NewWorld(seed)
		i := w.Index("i", naive.RangeOf(2, naive.SizeN.Plus(-1)))
		x := w.Random(4, []naive.Scoped{{I: i, From: -1, To: 1}})
		for n := 2; n <= 3; n++ {
			w.Env.Idx = map[*expr.Index]int{i: n}
			if !w.Agree(t, seed, "canonical form", x.E, x.F) {
				continue
			}
			checked++
			w.Agree(t, seed, "Collect", w.C.Collect(x.E), x.F)
			w.Agree(t, seed, "Expand", w.C.Expand(x.E), x.F)
			w.Agree(t, seed, "Fold", w.C.Fold(x.E), x.F)
			// i stands at j + 1, and at a fixed position.
			j := w.Index("j", naive.RangeOf(1, naive.SizeN.Plus(-2)))
			w.Env.Idx = map[*expr.Index]int{i: n, j: n - 1}
			w.Agree(t, seed, "Subst by j+1", w.C.Subst(x.E, i, naive.At(j, 1)), x.F)
			w.Agree(t, seed, "Subst by a number", w.C.Subst(x.E, i, expr.Sub{At: dsl.Fixed(n)}), x.F)
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
		w := naive.NewWorld(seed)
		i := w.Index("i", naive.RangeOf(2, naive.SizeN.Plus(-1)))
		x := w.Random(4, []naive.Scoped{{I: i, From: -1, To: 1}})
		for _, q := range w.Pos {
			// The element is named by an index, as the compiler does it.
			var subs []expr.Sub
			k := w.Index("k", dsl.Range{})
			if len(q.Shape) > 0 {
				k = w.Index("k", expr.UpTo(q.Shape[0]))
				subs = []expr.Sub{naive.At(k, 0)}
			}
			d := w.C.Diff(x.E, q, subs...)
			values := w.Env.Values[q]
			for n := range values {
				w.Env.Idx = map[*expr.Index]int{i: 2 + int(seed%2)}
				w.Env.Peak = 1
				f := func(v []float64) []float64 {
					old := values[n]
					values[n] = v[0]
					r := x.F(w.Env)
					values[n] = old
					return []float64{r}
				}
				want := naive.DerivativeBy(1e-3, f, values[n:n+1:n+1], 0)[0]
				// Differences are fit to judge where two steps agree.
				coarse := naive.DerivativeBy(2e-3, f, values[n:n+1:n+1], 0)[0]
				if w.Env.Peak > 1e4 || !(math.Abs(want-coarse) <= 1e-8*max(1, math.Abs(want))) {
					continue
				}
				w.Env.Idx[k] = n + 1
				got := w.Env.Eval(d)
				checked++
				if !(math.Abs(got-want) <= 1e-7*max(1, math.Abs(want))) {
					t.Errorf("seed %d: ∂/∂%s_%d is %.10g, differences give %.10g\n%s\n%s", seed, q.Name, n+1, got, want, expr.Format(x.E), expr.Format(d))
				}
			}
		}
	}
	if checked < 2000 {
		t.Errorf("only %d derivatives were fit to compare", checked)
	}
}
