package runtime_test

import (
	"math"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

// logHalfNormals are the logarithms of scales with half-normal densities, beside a normal coordinate that depends on the first.
func logHalfNormals(grad, q []float64) (l float64) {
	n := len(q) - 1
	for i, u := range q[:n] {
		s := math.Exp(2 * u)
		l += u - s/2
		grad[i] = 1 - s
	}
	d := q[n] - 0.5*q[0]
	grad[n] = -d
	grad[0] += 0.5 * d
	return l - d*d/2
}

// TestBendsOfScales: the coordinates of scales that may be zero are bent, their draws have the moments of the density, and are worth more than without.
func TestBendsOfScales(t *testing.T) {
	m := newLandscape(4, logHalfNormals)
	worth := func(bends bool) float64 {
		opt := runtime.DefaultOptions()
		opt.Bends, opt.Draws, opt.Seed = bends, 4000, 3
		r := sample(t, m, opt)
		steps, least := 0, math.Inf(1)
		for c, chain := range r.Chains {
			b := &chain.Blocks[0]
			// What a coordinate has left to depart by may be too little for a window to see, where the warm-up ends early.
			if n := len(b.Bends); bends && n < 2 || !bends && n > 0 {
				t.Errorf("chain %d: bends %v", c+1, b.Bends)
			}
			steps += b.Sampling.Steps
		}
		for i := range 3 {
			var u, square, above [][]float64
			for _, c := range r.Chains {
				x, s, a := c.Draws[i], make([]float64, opt.Draws), make([]float64, opt.Draws)
				for k, v := range x {
					s[k] = math.Exp(2 * v)
					if v < math.Log(0.0125334695) { // the quantile 0.01 of |N(0, 1)|
						a[k] = 1
					}
				}
				u, square, above = append(u, x), append(square, s), append(above, a)
			}
			least = min(least, diagnostics.ESSBulk(u), diagnostics.ESSTail(u))
			for what, x := range map[string][][]float64{"variance": square, "hundredth": above} {
				want := map[string]float64{"variance": 1, "hundredth": 0.01}[what]
				if z := (diagnostics.Mean(x) - want) / diagnostics.MCSEMean(x); !(math.Abs(z) < bound) {
					t.Errorf("bends %v: the %s of scale %d is %v, off by %.1f standard errors", bends, what, i+1, diagnostics.Mean(x), z)
				}
			}
		}
		// The log density is that of the model, bent or not.
		for k, l := range r.Chains[0].Stats[0] {
			q := []float64{r.Chains[0].Draws[0][k], r.Chains[0].Draws[1][k], r.Chains[0].Draws[2][k], r.Chains[0].Draws[3][k]}
			if want := m.LogDensity(q); math.Abs(l-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("bends %v: lp__ of draw %d is %v, and the log density %v", bends, k+1, l, want)
			}
		}
		return least / float64(steps)
	}
	if bent, straight := worth(true), worth(false); bent < 1.5*straight {
		t.Errorf("%.3f effective draws for a step, and %.3f without bends", bent, straight)
	}
}
