package runtime

import (
	"context"
	"math"
	"testing"
)

// twoModes is a density of two modes at ±4 whose heights differ, one as if of many.
type twoModes struct {
	slope
	difference float64 // of the left one below the right one
	many       bool
}

func (m *twoModes) Info() *Info {
	in := m.slope.Info()
	in.ManyModes = m.many
	return in
}

func (m *twoModes) LogDensity(q []float64) float64 { return m.Gradient(make([]float64, len(q)), q) }

func (m *twoModes) Gradient(grad, q []float64) float64 {
	x := q[0]
	right, left := -8*(x-4)*(x-4), -8*(x+4)*(x+4)-m.difference
	if left > right {
		grad[0] = -16 * (x + 4)
		return left
	}
	grad[0] = -16 * (x - 4)
	return right
}

func (m *twoModes) Clone() Model                   { c := *m; return &c }
func (*twoModes) Constrain(dst, q []float64)       { copy(dst, q) }
func (*twoModes) Unconstrain(q, v []float64) error { copy(q, v); return nil }
func (*twoModes) Contract(dst, _, _ []float64)     { clear(dst) }

// TestProbes: of a model with a differential equation no chain begins in a mode that another one towers above, whatever the seed; where both hold
// something, where starts are given, and in other models, chains are where they were.
func TestProbes(t *testing.T) {
	left := func(m Model, seed uint64, init []Point) (n int) {
		opt := DefaultOptions()
		opt.Seed, opt.Warmup, opt.Draws, opt.Init, opt.Start.Radius, opt.Jumps = seed, 40, 1, init, 6, false
		result, err := Sample(context.Background(), m, opt, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range result.Chains {
			if c.Draws[0][0] < 0 {
				n++
			}
		}
		return n
	}
	count := func(m Model, init []Point) (n int) {
		for seed := range uint64(12) {
			n += left(m, seed, init)
		}
		return n
	}
	model := func(difference float64) *twoModes {
		return &twoModes{slope: slope{m: 1}, difference: difference, many: true}
	}
	if n := count(model(40), nil); n != 0 {
		t.Errorf("%d of 48 chains are in the mode that holds nothing", n)
	}
	if n := count(model(2), nil); n < 8 || n > 40 {
		t.Errorf("%d of 48 chains are in one of two modes that both hold something", n)
	}
	if n := count(model(40), []Point{{-4}}); n != 48 {
		t.Errorf("%d of 48 chains are where they were told to begin", n)
	}
	other := model(40)
	other.many = false
	if n := count(other, nil); n < 8 {
		t.Errorf("%d of 48 chains of a model without an equation are in the left mode", n)
	}
	if low(math.NaN(), 0, 1) == false || !low(math.Inf(-1), 0, 1) || low(-11, 0, 1) {
		t.Error("low")
	}
}
