package special

import (
	"math"
	"testing"
)

func TestLogPositive(t *testing.T) {
	for _, row := range [][2]float64{{1, 0}, {5e-324, 0}, {math.Inf(1), 0}, {0, math.Inf(-1)}, {-1, math.Inf(-1)}, {math.Inf(-1), math.Inf(-1)}} {
		if got := LogPositive(row[0]); got != row[1] {
			t.Errorf("LogPositive(%v) = %v, want %v", row[0], got, row[1])
		}
	}
	if got := LogPositive(math.NaN()); !math.IsNaN(got) {
		t.Errorf("LogPositive(NaN) = %v", got)
	}
}
