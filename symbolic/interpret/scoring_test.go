package interpret

import (
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
)

// TestScoringLeavesSpikes: a regression on its own past whose coefficients and log variances vary in time fits all data exactly where the variances go to 0, with a density
// that is as high as one likes for moderate scales and next to no probability. No chain begins there.
func TestScoringLeavesSpikes(t *testing.T) {
	d, _ := derivedOf(t, `
model m
data T int
data y real[T, 2]
param B real[T, 2, 2]
param h real[T, 2]
param q, s, a real > 0
y[t, :] ~ multi_normal_cholesky(B[t, :, :]*y[t-1, :], [exp(h[t, 1]/2), 0 ; a*exp(h[t, 1]/2), exp(h[t, 2]/2)]) for t in 2..T
B[1, :, :] ~ normal(0, 0.5)
B[t, :, :] ~ normal(B[t-1, :, :], q) for t in 2..T
h[1, :] ~ normal(-1, 1)
h[t, :] ~ normal(h[t-1, :], s) for t in 2..T
q ~ half_normal(0.05)
s ~ half_normal(0.2)
a ~ half_normal(1)
`)
	const T = 30
	rng := rand.New(rand.NewSource(1))
	var rows []string
	y := [2]float64{}
	for range T {
		e := [2]float64{0.5 * rng.NormFloat64(), rng.NormFloat64()}
		y = [2]float64{0.5*y[0] + 0.1*y[1] + e[0], 0.3*y[1] + 0.2*e[0] + e[1]}
		rows = append(rows, fmt.Sprintf("[%.4f, %.4f]", y[0], y[1]))
	}
	p := posteriorOf(t, d, fmt.Sprintf(`{"T": %d, "y": [%s]}`, T, strings.Join(rows, ", ")))
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.Workers, opt.MaxDepth = 2, 1, 1, 1, 1
	seen := 0
	_, err := runtime.Sample(t.Context(), p.(runtime.Model), opt, &runtime.Callbacks{OnWarmup: func(chain int, state func() *runtime.State) error {
		least := math.Inf(1)
		for _, h := range state().Reference[4*T:][:2*T] {
			least = min(least, h)
		}
		if seen++; !(least > -30) {
			t.Errorf("chain %d begins where a log variance is %v", chain, least)
		}
		return nil
	}})
	if err != nil || seen < opt.Chains {
		t.Fatal(seen, err)
	}
}
