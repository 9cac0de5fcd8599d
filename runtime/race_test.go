package runtime_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
)

// choosing is a posterior in two dimensions with a metric as a candidate: of a ridge x₂ ~ x₁², or, straight, of a normal.
type choosing struct {
	unbounded
	bend, trouble float64
}

func newChoosing(bend float64) *choosing {
	c := &choosing{bend: bend}
	c.info = runtime.Info{Name: "choosing", Params: []runtime.Param{{Name: "x", Shape: []int{2}}}, Metric: runtime.MetricInfo{Auto: true}, Work: 20, IterationWork: 40}
	return c
}

func (c *choosing) Settle(m runtime.MetricInfo)    { c.info.Metric = m }
func (c *choosing) Clone() runtime.Model           { d := *c; return &d }
func (c *choosing) LogDensity(q []float64) float64 { return c.Gradient(make([]float64, 2), q) }

// Gradient is that of x₁ ~ N(0, 1), x₂ ~ N(bend·x₁², 0.1²).
func (c *choosing) Gradient(grad, q []float64) float64 {
	z := (q[1] - c.bend*q[0]*q[0]) / 0.01
	grad[0], grad[1] = -q[0]+2*c.bend*q[0]*z, -z
	return -q[0]*q[0]/2 - z*(q[1]-c.bend*q[0]*q[0])/2
}

func (c *choosing) Metric(g, q []float64) {
	s := 2 * c.bend * q[0]
	copy(g, []float64{1 + 100*s*s, -100 * s, -100 * s, 100})
	if math.Abs(q[0]) > c.trouble && c.trouble > 0 {
		g[0] = -1 // a metric that is not positive definite there
	}
}

func (c *choosing) Contract(out, q, w []float64) {
	d := 2 * c.bend
	out[0], out[1] = w[0]*200*d*d*q[0]-100*d*(w[1]+w[2]), 0
}

func (c *choosing) MetricJacobian(out, q []float64) {
	d := 2 * c.bend
	clear(out)
	out[0], out[2], out[4] = 200*d*d*q[0], -100*d, -100*d
}

// TestChoose: the Fisher metric on a ridge, the Euclidean one on a normal posterior and where the Fisher metric fails; what is stated is obeyed;
// the outcome depends on the seed and on nothing else.
func TestChoose(t *testing.T) {
	ctx := context.Background()
	choose := func(c *choosing, change func(*runtime.Options)) (runtime.MetricInfo, runtime.EuclideanMetric, *runtime.Race) {
		opt := runtime.DefaultOptions()
		change(&opt)
		if err := opt.Validate(c); err != nil {
			t.Fatal(err)
		}
		m, opt, race, err := runtime.Choose(ctx, c, opt)
		if err != nil {
			t.Fatal(err)
		}
		if c.info.Metric != (runtime.MetricInfo{Auto: true}) {
			t.Error("the model itself is changed")
		}
		return m.Info().Metric, opt.Metric, race
	}
	none := func(*runtime.Options) {}
	failing := newChoosing(2)
	failing.trouble = 0.3
	for _, c := range []struct {
		name   string
		model  *choosing
		change func(*runtime.Options)
		want   runtime.EuclideanMetric
		raced  bool
	}{
		{"a ridge", newChoosing(2), none, runtime.FisherMetric, true},
		{"a normal", newChoosing(0), none, runtime.LowRank, true},
		{"a metric that fails", failing, none, runtime.LowRank, true},
		{"stated", newChoosing(0), func(o *runtime.Options) { o.Metric = runtime.FisherMetric }, runtime.FisherMetric, false},
		{"stated otherwise", newChoosing(2), func(o *runtime.Options) { o.Metric = runtime.DenseE }, runtime.DenseE, false},
		{"an implicit integrator", newChoosing(0), func(o *runtime.Options) { o.Integrator = runtime.GLFb }, runtime.FisherMetric, false},
		{"the leapfrog", newChoosing(2), func(o *runtime.Options) { o.Integrator = runtime.Leapfrog }, runtime.LowRank, false},
		{"a short warm-up", newChoosing(2), func(o *runtime.Options) { o.Warmup = 100 }, runtime.LowRank, false},
	} {
		for seed := range uint64(5) {
			change := func(o *runtime.Options) { o.Seed = seed; c.change(o) }
			info, metric, race := choose(c.model, change)
			if metric != c.want || (race != nil) != c.raced {
				t.Errorf("%s, seed %d: %v by the race %+v", c.name, seed, metric, race)
			}
			if info.Identity != (c.want != runtime.FisherMetric) || info.Constant != info.Identity {
				t.Errorf("%s: sampled with %+v", c.name, info)
			}
			_, again, other := choose(c.model, change)
			if again != metric || race != nil && *other != *race {
				t.Errorf("%s, seed %d: another race", c.name, seed)
			}
		}
	}
}

// TestRaceLeaksNothing: the draws of a run whose metric was chosen are those of one that states it, and moments are right with either.
func TestRaceLeaksNothing(t *testing.T) {
	for _, bend := range []float64{0, 2} {
		opt := runtime.DefaultOptions()
		opt.Draws = campaign.Cases(t, 1500, 4000)
		a := sample(t, newChoosing(bend), opt)
		opt.Metric = a.Race.Chosen
		b := sample(t, newChoosing(bend), opt)
		if b.Race != nil {
			t.Error("a race where the metric is stated")
		}
		for c := range a.Chains {
			x, y := bits(&a.Chains[c]), bits(&b.Chains[c])
			for i := range x {
				if x[i] != y[i] {
					t.Fatalf("bend %v, chain %d: number %d differs", bend, c, i)
				}
			}
		}
		for name, z := range map[string]float64{
			"E x₁":  zScore(a, 0, func(c *runtime.Chain, i int) float64 { return c.Draws[0][i] }),
			"E x₁²": zScore(a, 1, func(c *runtime.Chain, i int) float64 { return c.Draws[0][i] * c.Draws[0][i] }),
			"E x₂":  zScore(a, bend, func(c *runtime.Chain, i int) float64 { return c.Draws[1][i] }),
		} {
			if !(math.Abs(z) < bound) {
				t.Errorf("bend %v: %s is off by %.1f standard errors", bend, name, z)
			}
		}
	}
}

// TestRaceIsInterrupted: a race that the context ends comes back with its error.
func TestRaceIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, race, err := runtime.Choose(ctx, newChoosing(2), runtime.DefaultOptions()); !errors.Is(err, context.Canceled) || race != nil {
		t.Errorf("race %+v, error %v", race, err)
	}
}
