package runtime

import (
	"encoding/json"
	"math"
	"testing"
)

// TestLengthsInterrupted: a trajectory that is cut short leaves nothing behind.
func TestLengthsInterrupted(t *testing.T) {
	in := &Info{Params: []Param{{Name: "q", Shape: []int{2}}}}
	whole, cut := newLengths(in, []float64{0, 1}), newLengths(in, []float64{0, 1})
	for n := range 5 {
		x := float64(n)
		if n == 3 {
			cut.start([]float64{x, 1}, -x)
			cut.visit(true, []float64{2, x}, -1, 0.3)
		}
		for _, l := range []*lengths{whole, cut} {
			l.start([]float64{x, 1}, -x)
			l.visit(false, []float64{x + 1, 2}, -x-1, 0.9)
			l.visit(false, []float64{x + 2, 2}, -x-1, 0.9)
			l.visit(true, []float64{x - 1, 2}, -x-1, 0.9)
			l.end(&Transition{Steps: 3, LogDensity: -x - 1}, []float64{x + 1, 2}, true)
		}
	}
	a, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(cut)
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("%s\nis not\n%s", b, a)
	}
	if len(whole.Fixed) != 2 || whole.Fixed[0].Count != 10 || whole.Fixed[1].Count != 5 || math.Abs(whole.Fixed[0].Sum[0]-9) > 1e-9 {
		t.Errorf("measured %+v", whole.Fixed)
	}
}
