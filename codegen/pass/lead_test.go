package pass

import (
	"math"
	"testing"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// TestLeadsOfNoNumber: nothing leads an expression with a coefficient that is no number. What is left behind it would be the expression itself, without end.
func TestLeadsOfNoNumber(t *testing.T) {
	x, y := &loop.Expr{Op: loop.Num, Val: 2}, &loop.Expr{Op: loop.Num, Val: 3}
	for _, op := range []loop.Op{loop.Add, loop.Mul} {
		e := &loop.Expr{Op: op, Val: 1, K: []float64{1, math.NaN()}, Args: []*loop.Expr{x, y}}
		if got := (&leads{}).beginnings(e, 1, nil); got != nil {
			t.Errorf("%v: %q", op, got)
		}
	}
}
