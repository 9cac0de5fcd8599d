package expr_test

import (
	"math"
	"testing"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// TestFitBeyondNumbers: a fit whose coefficients no number holds is NaN, and no panic of the arithmetic that it is made with.
func TestFitBeyondNumbers(t *testing.T) {
	column := [][]float64{{1e-200, 2e-200, 3e-200}}
	r := expr.SolveFit(nil, [][]float64{{1e200, 2e200, 3.5e200}}, column)
	for _, v := range []float64{r.Rest[0], r.Centre[0][0], r.Offsets[0][0], r.Scale[0]} {
		if !math.IsNaN(v) {
			t.Errorf("%v, want NaN", v)
		}
	}
	// Σ (a − h x)² of a = (1, 2, 4), x = (1, 2, 3) is least at h = 17/14, where it is 21 − 17²/14.
	r = expr.SolveFit(nil, [][]float64{{1, 2, 4}}, [][]float64{{1, 2, 3}})
	if want := 21 - 289./14; math.Abs(r.Rest[0]-want) > 1e-12 {
		t.Errorf("the rest is %v, want %v", r.Rest[0], want)
	}
}
