package runtime_test

import (
	"math"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

// standardNormal is N(0, I) in a number of dimensions, without a metric.
func standardNormal(m int) *landscape {
	mu, sd := make([]float64, m), make([]float64, m)
	for i := range sd {
		sd[i] = 1
	}
	return newLandscape(m, normals(mu, sd))
}

// TestTrajectoriesOfANormal: on a normal posterior trajectories have a fixed length, about a quarter of a turn, and draws are worth three times as much for each gradient as those of
// dynamic ones, whose moments they share.
func TestTrajectoriesOfANormal(t *testing.T) {
	for _, m := range []int{2, 30, 100} {
		model := standardNormal(m)
		worth := func(kind runtime.Trajectories) float64 {
			opt := runtime.DefaultOptions()
			opt.Trajectories = kind
			r := sample(t, model, opt)
			steps := 0
			for _, c := range r.Chains {
				b := c.Blocks[0]
				if fixed := b.Steps > 0; fixed != (kind == runtime.AutoTrajectories) {
					t.Fatalf("%d dimensions, %v: %d steps", m, kind, b.Steps)
				}
				if split := b.Split > 0; split != (kind == runtime.AutoTrajectories) || split && (b.Sampling.Steps < b.Split*b.Steps*1000 || b.Sampling.Steps > b.Split*b.Steps*1100) {
					t.Errorf("%d dimensions: %d steps of %d gradients, and few second trajectories, are %d", m, b.Steps, b.Split, b.Sampling.Steps)
				}
				if turn := b.StepSize * float64(b.Steps); b.Steps > 0 && (turn < 1.5 || turn > 2.1) {
					t.Errorf("%d dimensions: %d steps of %.2f, where a quarter of a turn is %.2f", m, b.Steps, b.StepSize, math.Pi/2)
				}
				steps += b.Sampling.Steps
			}
			least := math.Inf(1)
			for i := range m {
				var x, square [][]float64
				for _, c := range r.Chains {
					x = append(x, c.Draws[i])
					s := make([]float64, len(c.Draws[i]))
					for k, v := range c.Draws[i] {
						s[k] = v * v
					}
					square = append(square, s)
				}
				least = min(least, diagnostics.ESSBulk(x), diagnostics.ESSTail(x))
				if z := diagnostics.Mean(x) / diagnostics.MCSEMean(x); !(math.Abs(z) < bound) {
					t.Errorf("%d dimensions, %v: the mean of coordinate %d is off by %.1f standard errors", m, kind, i+1, z)
				}
				if z := (diagnostics.Mean(square) - 1) / diagnostics.MCSEMean(square); !(math.Abs(z) < bound) {
					t.Errorf("%d dimensions, %v: the variance of coordinate %d is off by %.1f standard errors", m, kind, i+1, z)
				}
			}
			return least / float64(steps)
		}
		if fixed, dynamic := worth(runtime.AutoTrajectories), worth(runtime.DynamicTrajectories); fixed < 3*dynamic {
			t.Errorf("%d dimensions: %.3f effective draws for a step, and %.3f with dynamic trajectories", m, fixed, dynamic)
		}
	}
}

// TestTrajectoriesOfAFunnel: where no length fits all places trajectories stay dynamic.
func TestTrajectoriesOfAFunnel(t *testing.T) {
	opt := runtime.DefaultOptions()
	opt.Draws = 100
	for seed := range uint64(5) {
		opt.Seed = seed + 1
		for c, chain := range sample(t, neck(), opt).Chains {
			if steps := chain.Blocks[0].Steps; steps != 0 {
				t.Errorf("seed %d, chain %d: trajectories of %d steps", opt.Seed, c+1, steps)
			}
		}
	}
}

// TestTrajectoriesAreAsked: a number of steps or of the size of one that is given, trajectories that are to be dynamic, a metric that is not whole, and a short warm-up leave
// trajectories what they were.
func TestTrajectoriesAreAsked(t *testing.T) {
	for name, change := range map[string]func(o *runtime.Options){
		"dynamic":         func(o *runtime.Options) { o.Trajectories = runtime.DynamicTrajectories },
		"a step size":     func(o *runtime.Options) { o.StepSize = 0.5 },
		"a diagonal":      func(o *runtime.Options) { o.Metric = runtime.DiagE },
		"no metric":       func(o *runtime.Options) { o.Metric = runtime.UnitE },
		"a short warm-up": func(o *runtime.Options) { o.Warmup = 15 },
		"implicit steps":  func(o *runtime.Options) { o.Integrator = runtime.IMb },
	} {
		opt := runtime.DefaultOptions()
		opt.Chains, opt.Draws = 1, 50
		change(&opt)
		r := sample(t, standardNormal(3), opt)
		if steps := r.Chains[0].Blocks[0].Steps; steps != 0 {
			t.Errorf("%s: trajectories of %d steps", name, steps)
		}
	}
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Draws, opt.Steps = 1, 50, 7
	r := sample(t, standardNormal(3), opt)
	if n := r.Chains[0].Blocks[0]; n.Steps != 7 || n.Sampling.Steps != 7*50 {
		t.Errorf("7 steps are asked for: %d of a trajectory, %d of 50", n.Steps, n.Sampling.Steps)
	}
}

// TestWarmupEndsEarly: on a normal posterior the metric settles, and the warm-up ends before its time in all chains, whatever the maximum; on a funnel it does not.
func TestWarmupEndsEarly(t *testing.T) {
	warmed := func(m runtime.Posterior, warmup int) (least, most int) {
		opt := runtime.DefaultOptions()
		opt.Warmup, opt.Draws = warmup, 10
		least = warmup
		for _, c := range sample(t, m, opt).Chains {
			if c.Drawn() != 10 {
				t.Errorf("%d draws", c.Drawn())
			}
			least, most = min(least, c.Warmed()), max(most, c.Warmed())
		}
		return least, most
	}
	for _, m := range []int{2, 30} {
		for _, warmup := range []int{500, 5000} {
			if _, most := warmed(standardNormal(m), warmup); most > 300 {
				t.Errorf("%d dimensions: %d transitions of %d", m, most, warmup)
			}
		}
	}
	if _, most := warmed(standardNormal(3), 150); most != 150 {
		t.Errorf("%d transitions of 150, which leave no room for more", most)
	}
	if least, _ := warmed(neck(), 500); least != 500 {
		t.Errorf("a funnel: %d transitions of 500", least)
	}
}
