package runtime

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
)

// slope is a density without a metric of its own.
type slope struct {
	Model
	m        int
	ends     Ends
	gradient func(grad, q []float64) float64
}

func (s *slope) Info() *Info {
	return &Info{Name: "slope", Params: []Param{{Name: "q", Shape: []int{s.m}, Ends: s.ends}}, Metric: MetricInfo{Constant: true, Identity: true}}
}
func (s *slope) Clone() Model                       { return s }
func (s *slope) Gradient(grad, q []float64) float64 { return s.gradient(grad, q) }
func (s *slope) Metric(g, _ []float64) {
	clear(g)
	for i := range s.m {
		g[i*s.m+i] = 1
	}
}

// climbFrom climbs from q, and returns whether q was moved.
func climbFrom(t *testing.T, q []float64, gradient func(grad, q []float64) float64) bool {
	t.Helper()
	return climbOf(t, q, &slope{m: len(q), gradient: gradient})
}

// climbOf is climbFrom for a density.
func climbOf(t *testing.T, q []float64, density *slope) bool {
	t.Helper()
	return climberOf(t, density).climb(q)
}

// climberOf is a climber for a density.
func climberOf(t *testing.T, density *slope) *climber {
	t.Helper()
	opt := DefaultOptions()
	s, err := NewSweep(density, &opt)
	if err != nil {
		t.Fatal(err)
	}
	return newClimber(s, new(atomic.Bool))
}

// A climb ends on the near side of the bulk, where half the dimension is left to gain, in any unit; and
// where no more than what counts as far is to be gained, nothing moves.
func TestClimbEndsInTheBulk(t *testing.T) {
	for _, unit := range []float64{1, 1e9, 1e-9} {
		for _, m := range []int{1, 2, 30} {
			normal := func(grad, q []float64) float64 {
				l := 0.0
				for i, x := range q {
					z := x / unit
					grad[i] = -z / unit
					l -= z * z / 2
				}
				return l
			}
			for _, sds := range []float64{-1e9, -1e3, -30, 30, 1e5} {
				q := make([]float64, m)
				for i := range q {
					q[i] = sds * unit
				}
				moved := climbFrom(t, q, normal)
				left := -normal(make([]float64, m), q)
				// From 10⁹ standard deviations rounding leaves more.
				most := float64(m) / 2 * 1.001
				if math.Abs(sds) > 1e5 {
					most = farGain
				}
				if !moved || left < float64(m)/2*0.999 || left > most || math.Signbit(q[0]) != math.Signbit(sds) {
					t.Errorf("unit %v, %d dimensions, from %v standard deviations: to %v, where %v is left to gain", unit, m, sds, q[0]/unit, left)
				}
				// What is left is now below the limit.
				there := slices.Clone(q)
				if climbFrom(t, q, normal) || !slices.Equal(q, there) {
					t.Errorf("unit %v: from the bulk %v to %v", unit, there, q)
				}
			}
			q := make([]float64, m)
			near := 0.99 * math.Sqrt(2*farGain) * unit
			q[0] = near
			if climbFrom(t, q, normal) || q[0] != near {
				t.Errorf("a start that is not far was moved to %v", q)
			}
		}
	}
}

// Neal's funnel has no maximum. Far away in x, a climb comes to where x is of the order of its scale exp(v/2), and leaves
// v near to where it was; it does not run down the neck.
func TestClimbIntoTheFunnel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, m := range []int{9, 100, 1000} {
		funnel := func(grad, q []float64) float64 {
			v := q[0]
			l := -v * v / 18
			grad[0] = -v / 9
			for i := 1; i <= m; i++ {
				x := q[i]
				l += -v/2 - x*x*math.Exp(-v)/2
				grad[0] += -0.5 + x*x*math.Exp(-v)/2
				grad[i] = -x * math.Exp(-v)
			}
			return l
		}
		for range 10 {
			q := make([]float64, m+1)
			for i := range q {
				q[i] = 100 * (2*rng.Float64() - 1)
			}
			q[0] = 4*rng.Float64() - 2
			v := q[0]
			moved := climbFrom(t, q, funnel)
			squares := 0.0
			for _, x := range q[1:] {
				squares += x * x
			}
			if ratio := math.Sqrt(squares/float64(m)) * math.Exp(-q[0]/2); !moved || math.Abs(q[0]-v) > 2 || ratio < 0.2 || ratio > 3 {
				t.Errorf("%d dimensions: from v = %.2f to %.2f, where x is %.2g of its scale", m, v, q[0], ratio)
			}
		}
	}
}

// A density that is improper has no bulk. The climb ends, where it began.
func TestClimbWithoutEnd(t *testing.T) {
	for _, c := range []struct {
		name     string
		gradient func(grad, q []float64) float64
	}{
		{"flat", func(grad, q []float64) float64 { clear(grad); return 0 }},
		{"a slope", func(grad, q []float64) float64 { grad[0], grad[1] = 1, 0; return q[0] }},
		{"a steep slope", func(grad, q []float64) float64 { grad[0], grad[1] = 1e9, -q[1]; return 1e9*q[0] - q[1]*q[1]/2 }},
		{"an exponential", func(grad, q []float64) float64 {
			e := math.Exp(q[0])
			grad[0], grad[1] = e, -q[1]
			return e - q[1]*q[1]/2
		}},
		{"a valley", func(grad, q []float64) float64 { grad[0], grad[1] = q[0], -q[1]; return (q[0]*q[0] - q[1]*q[1]) / 2 }},
		{"a pole", func(grad, q []float64) float64 {
			grad[0], grad[1] = -1e4/q[0], -q[1]
			return -1e4*math.Log(math.Abs(q[0])) - q[1]*q[1]/2
		}},
	} {
		for _, x := range []float64{1, 60, 1e5} {
			q := []float64{x, 1}
			if moved := climbFrom(t, q, c.gradient); moved || q[0] != x || q[1] != 1 {
				t.Errorf("%s: from %v to %v", c.name, x, q)
			}
			// What is undone leaves no top behind that is higher than the start.
			climber := climberOf(t, &slope{m: 2, gradient: c.gradient})
			climber.climb(q)
			if l := c.gradient(make([]float64, 2), q); climber.top != l {
				t.Errorf("%s: a climb from %v that is undone ends at %v, and the start is at %v", c.name, q, climber.top, l)
			}
		}
	}
	// In one direction flat, in the other one far away: that one is climbed.
	q := []float64{5, 1e6}
	if !climbFrom(t, q, func(grad, q []float64) float64 { grad[0], grad[1] = 0, -q[1]; return -q[1] * q[1] / 2 }) || q[0] != 5 || q[1] > 2 {
		t.Errorf("flat in one direction: to %v", q)
	}
}

// A coordinate whose value ends at both sides is not thrown out to where nothing depends on it: the logit u of b in (-10, 10), with
// the Jacobian of the transform and 1000 observations b ~ N(9, 1), beside a coordinate that starts far away and decides which step is taken.
func TestClimbDoesNotSaturate(t *testing.T) {
	density := func(grad, q []float64) float64 {
		u, v := q[0], q[1]
		z := 1 / (1 + math.Exp(-u))
		gap := 20*z - 10 - 9
		grad[0], grad[1] = -1000*gap*20*z*(1-z)+1-2*z, -v
		return -500*gap*gap - math.Log1p(math.Exp(-u)) - math.Log1p(math.Exp(u)) - v*v/2
	}
	for start := -3.0; start < 3; start += 0.1 {
		q := []float64{start, 3000}
		if !climbOf(t, q, &slope{m: 2, ends: EndBoth, gradient: density}) {
			t.Errorf("from %v: not moved", start)
		}
		if math.Abs(q[0]) > climbEdge {
			t.Errorf("from %v: to %v", start, q[0])
		}
	}
}

// A coordinate is confined on the sides where values end.
func TestConfine(t *testing.T) {
	for _, c := range []struct {
		ends        Ends
		u, confined float64
	}{{NoEnd, -20, -20}, {NoEnd, 20, 20}, {EndBelow, -20, -15}, {EndBelow, 20, 20}, {EndBoth, -20, -15}, {EndBoth, 20, 15}, {EndBoth, 3, 3}} {
		if got := c.ends.confine(c.u, climbEdge); got != c.confined {
			t.Errorf("ends %d: %v is confined to %v, want %v", c.ends, c.u, got, c.confined)
		}
	}
}

// cliff is N(1, 1) on the right of 0, and a wall on the left of it whose slope promises what no step gains.
type cliff struct{ slope }

func (c *cliff) LogDensity(q []float64) float64 { return c.Gradient(make([]float64, 1), q) }

func (*cliff) Gradient(grad, q []float64) float64 {
	x := q[0]
	if x <= 0 {
		grad[0] = 1e6 - 1e7*(x-math.Round(50*x)/50)
		return -1e6
	}
	grad[0] = 1 - x
	return -(x - 1) * (x - 1) / 2
}

func (c *cliff) Clone() Model                   { return c }
func (*cliff) Constrain(dst, q []float64)       { copy(dst, q) }
func (*cliff) Unconstrain(q, v []float64) error { copy(q, v); return nil }
func (*cliff) Contract(dst, _, _ []float64)     { clear(dst) }

// TestStuckClimbs: a chain whose climb is stuck begins anew, where its start was drawn; a start that is given stays.
func TestStuckClimbs(t *testing.T) {
	left := func(init []Point) (n int) {
		for seed := range uint64(10) {
			opt := DefaultOptions()
			opt.Seed, opt.Warmup, opt.Draws, opt.Init = seed, 1, 1, init
			opt.StepSize, opt.Steps = 1e-12, 1 // chains stay where they begin
			result, err := Sample(context.Background(), &cliff{slope{m: 1}}, opt, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range result.Chains {
				if c.Draws[0][0] <= 0 {
					n++
				}
			}
		}
		return n
	}
	if n := left(nil); n > 0 {
		t.Errorf("%d of 40 chains begin on the wall", n)
	}
	if n := left([]Point{{-0.305}}); n != 40 {
		t.Errorf("%d of 40 chains begin where they were told to", n)
	}
}
