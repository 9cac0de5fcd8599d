package symbolic

import (
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/internal/naive"
)

// TestRandomReorder holds the order of nested sums that is chosen against the meaning of random expressions.
func TestRandomReorder(t *testing.T) {
	checked, seeds := 0, campaign.Cases(t, 600, 1500)
	for seed := range int64(seeds) {
		w := naive.NewWorld(seed)
		i := w.Index("i", naive.RangeOf(2, naive.SizeN.Plus(-1)))
		x := w.Random(4, []naive.Scoped{{I: i, From: -1, To: 1}})
		w.Env.Idx = map[*expr.Index]int{i: 2}
		p := &Program{c: w.C}
		if w.Agree(t, seed, "reorder", p.reorder(x.E), x.F) {
			checked++
		}
	}
	if checked < seeds*2/3 {
		t.Errorf("only %d evaluations were fit to compare", checked)
	}
}
