package kernel_test

import (
	"math"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/runtime/kernel"
)

func TestPositions(t *testing.T) {
	got := make([]int, 7)
	kernel.Positions(got, []float64{1, 4, 0, 5, -2, math.NaN(), math.Inf(1)}, []float64{4})
	if want := []int{0, 3, 0, 3, 0, 0, 3}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
