package random_test

import (
	"math"
	"testing"

	"github.com/hamc-dev/hamc/runtime/random"
)

// Within takes the first draw inside the open interval, and gives up after a thousand or at
// one that is not defined.
func TestWithin(t *testing.T) {
	calls := 0
	sequence := func(x ...float64) func() float64 {
		calls = 0
		return func() float64 {
			calls++
			return x[min(calls, len(x))-1]
		}
	}
	inf := math.Inf(1)
	for _, c := range []struct {
		lo, hi float64
		draws  []float64
		want   float64
		calls  int
	}{
		{0, inf, []float64{-1, 0, -2, 3, 4}, 3, 4},
		{-inf, 0, []float64{1, 0, inf, -inf, -4}, -4, 5},
		{0, 1, []float64{0, 1, 2, -1, 0.5}, 0.5, 5},
		{-inf, inf, []float64{7}, 7, 1},
		{0, 1, []float64{2}, math.NaN(), 1000},
		{0, 1, []float64{2, math.NaN(), 0.5}, math.NaN(), 2},
		{1, 0, []float64{0.5}, math.NaN(), 1000},
	} {
		got := random.Within(c.lo, c.hi, sequence(c.draws...))
		if got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) || calls != c.calls {
			t.Errorf("(%v, %v) of %v: %v after %d draws, want %v after %d", c.lo, c.hi, c.draws, got, calls, c.want, c.calls)
		}
	}
}
