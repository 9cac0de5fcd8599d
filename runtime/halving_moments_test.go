package runtime_test

import (
	"math"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
)

// neck is a funnel: v ~ N(0, 2²), and four coordinates ~ N(0, e^v) given v.
func neck() *landscape {
	return newLandscape(5, func(grad, q []float64) float64 {
		v := q[4]
		grad[4] = -v / 4
		l := -v * v / 8
		for i, x := range q[:4] {
			z := x * x * math.Exp(-v)
			grad[i] = -x * math.Exp(-v)
			l -= (z + v) / 2
			grad[4] += (z - 1) / 2
		}
		return l
	})
}

// Halved steps go into the neck of a funnel, which steps of one size do not: v has its moments with them, and not without.
func TestHalvingsEnterANeck(t *testing.T) {
	worst := func(halvings int) (z float64) {
		opt := runtime.DefaultOptions()
		opt.Metric, opt.StepSize, opt.MaxHalvings = runtime.UnitE, 0.5, halvings
		opt.Draws, opt.Start.Radius = campaign.Cases(t, 16_000, 40_000), 1 // without halvings they suffice to tell
		r := sample(t, neck(), opt)
		for _, moment := range []struct {
			want float64
			of   func(v float64) float64
		}{
			{0, func(v float64) float64 { return v }},
			{4, func(v float64) float64 { return v * v }},
			{0.02275, func(v float64) float64 { return indicator(v < -4) }},
		} {
			z = max(z, math.Abs(zScore(r, moment.want, func(c *runtime.Chain, i int) float64 { return moment.of(c.Draws[4][i]) })))
		}
		return z
	}
	if z := worst(8); !(z < bound) {
		t.Errorf("v is off by %.1f standard errors with halvings", z)
	}
	if z := worst(0); !(z > bound) {
		t.Errorf("v is off by %.1f standard errors without halvings: this funnel is too wide to tell", z)
	}
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// On a normal posterior no step is halved: draws and statistics are the same.
func TestNothingIsHalved(t *testing.T) {
	run := func(halvings int) []uint64 {
		m, _, _ := correlated()
		opt := runtime.DefaultOptions()
		opt.MaxHalvings, opt.Draws, opt.StepSize = halvings, 500, 0.1
		return bits(&sample(t, m, opt).Chains[0])
	}
	if !slices.Equal(run(0), run(8)) {
		t.Error("the draws are others")
	}
}
