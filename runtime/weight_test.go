package runtime

import (
	"math"
	"testing"
)

// TestWeights: weights compare and add as exponentials do, also where those overflow or
// vanish, against their logarithms.
func TestWeights(t *testing.T) {
	logs := []float64{math.Inf(-1), -1e300, -5000, -1000, -769, -767, -512, -257, -256, -255, -1, -1e-9, 0, 0.5, 255, 256, 257, 700, 767, 769, 1000, 5000, 1e300}
	for _, a := range logs {
		if v, want := weigh(a).value(), math.Exp(a); v != want && !(math.Abs(v-want) <= 1e-13*want) {
			t.Errorf("exp(%v) = %v, want %v", a, v, want)
		}
		for _, b := range logs {
			x, y, scale := weigh(a).align(weigh(b))
			if !(x >= 0 && y >= 0 && x+y <= math.MaxFloat64) {
				t.Errorf("exp(%v) and exp(%v) are %v and %v at scale %v", a, b, x, y, scale)
				continue
			}
			high, low := max(a, b), min(a, b)
			if math.IsInf(high, -1) {
				if x != 0 || y != 0 {
					t.Errorf("two weights of 0 are %v and %v", x, y)
				}
				continue
			}
			if got, want := y/(x+y), 1/(1+math.Exp(a-b)); math.Abs(got-want) > 1e-13*want+1e-190 {
				t.Errorf("exp(%v) has the share %v beside exp(%v), want %v", b, got, a, want)
			}
			if got, want := math.Log(x+y)+scale, high+math.Log1p(math.Exp(low-high)); math.Abs(got-want) > 1e-13*max(1, math.Abs(want)) {
				t.Errorf("exp(%v) + exp(%v) = exp(%v), want exp(%v)", a, b, got, want)
			}
		}
	}
}
