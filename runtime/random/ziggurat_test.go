package random

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestStandardNormal holds the ziggurat against that of math/rand/v2, which is the same but for the logarithms
// of the tail: the numbers are equal, and so are the streams after them.
func TestStandardNormal(t *testing.T) {
	p, q := New(3, 1), New(3, 1)
	a, b := rand.New(p), rand.New(q)
	tail := 0
	for i := range 2_000_000 {
		got, want := StandardNormal(a), b.NormFloat64()
		if math.Abs(want) > normalEdge {
			tail++
			if !(math.Abs(got-want) <= 1e-15*math.Abs(want)) {
				t.Fatalf("draw %d is %v, want %v", i, got, want)
			}
		} else if got != want {
			t.Fatalf("draw %d is %v, want %v", i, got, want)
		}
	}
	if x, y := p.Uint64(), q.Uint64(); x != y {
		t.Errorf("the streams are %x and %x afterwards", x, y)
	}
	// P(|x| > 3.4426) = 5.761e-4
	if tail < 1000 || tail > 1300 {
		t.Errorf("%d of the draws are in the tails", tail)
	}
}
