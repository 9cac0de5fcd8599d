package symbolic

import "testing"

// TestRandomReorder holds the order of nested sums that is chosen against the meaning of random expressions.
func TestRandomReorder(t *testing.T) {
	checked := 0
	for seed := range int64(1500) {
		w := newWorld(seed)
		i := w.index("i", rangeOf(2, sizeN.Plus(-1)))
		x := w.random(4, []scoped{{i, false, -1, 1}})
		w.env.idx = map[*Index]int{i: 2}
		p := &Program{c: w.c}
		if w.agree(t, seed, "reorder", p.reorder(x.e), x.f) {
			checked++
		}
	}
	if checked < 1000 {
		t.Errorf("only %d evaluations were fit to compare", checked)
	}
}
