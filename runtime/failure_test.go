package runtime_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
)

// cliff is a standard normal with a hazard: its log density is NaN where the first coordinate
// is above edge, and the first entry of its metric is 1 − bend times the last coordinate.
type cliff struct {
	unbounded
	edge, bend float64
}

// newCliff returns a cliff of n coordinates, whose metric is constant if it does not bend.
func newCliff(n int, edge, bend float64) *cliff {
	m := &cliff{edge: edge, bend: bend}
	m.info = runtime.Info{Name: "cliff", Params: []runtime.Param{{Name: "x", Shape: []int{n}}}, Metric: runtime.MetricInfo{Constant: bend == 0}}
	return m
}

func (m *cliff) Clone() runtime.Model { c := *m; return &c }

func (m *cliff) LogDensity(q []float64) float64 {
	sum := 0.0
	for _, x := range q {
		sum -= 0.5 * x * x
	}
	if q[0] > m.edge {
		sum = math.NaN()
	}
	return sum
}

func (m *cliff) Gradient(grad, q []float64) float64 {
	for i, x := range q {
		grad[i] = -x
	}
	if q[0] > m.edge {
		grad[0] = math.NaN()
	}
	return m.LogDensity(q)
}

func (m *cliff) Metric(g, q []float64) {
	clear(g)
	for i := range q {
		g[i*len(q)+i] = 1
	}
	g[0] -= m.bend * q[len(q)-1]
}

func (m *cliff) Contract(out, q, w []float64) {
	clear(out)
	out[len(q)-1] = -m.bend * w[0]
}

func (m *cliff) MetricJacobian(out, q []float64) {
	clear(out)
	out[len(q)-1] = -m.bend
}

// failed samples m, and returns the result once the failures that it keeps are found to be the
// first of those that the statistics tell of.
func failed(t *testing.T, m runtime.Posterior, opt runtime.Options) *runtime.Result {
	t.Helper()
	r, err := runtime.Sample(context.Background(), m, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	for c := range r.Chains {
		checkFirst(t, r, c)
	}
	return r
}

// checkFirst compares the failures of a chain with its statistics.
func checkFirst(t *testing.T, r *runtime.Result, c int) {
	t.Helper()
	chain := &r.Chains[c]
	type failure struct {
		draw  int
		block string
		st    runtime.Status
	}
	var got, want []failure
	for _, f := range chain.Failures {
		got = append(got, failure{f.Draw, f.Block, f.Status})
	}
	kept := map[failure]int{}
	for i := range chain.Stats[0] {
		for _, b := range chain.Blocks {
			name := "failure__"
			if b.Name != "" {
				name = b.Name + "_failure__"
			}
			st := runtime.Status(chain.Stats[slices.Index(r.StatNames, name)][i])
			if key := (failure{0, b.Name, st}); st.OfModel() && kept[key] < 8 {
				kept[key]++
				want = append(want, failure{i + 1, b.Name, st})
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("chain %d: failures %v, want %v", c+1, got, want)
	}
}

// Where a model is known to fail, there it is found to, and nowhere else: whatever the
// integrator, in static and in dynamic trajectories.
func TestFailuresAreLocated(t *testing.T) {
	identity := newCliff(3, 1.5, 0)
	identity.info.Metric.Identity = true
	for _, c := range []struct {
		name        string
		m           *cliff
		integrators []runtime.Integrator
		st          runtime.Status
	}{
		{"density", newCliff(3, 1.5, 0), []runtime.Integrator{runtime.Leapfrog, runtime.GLFb, runtime.IMb}, runtime.NonFinite},
		{"Euclidean", identity, []runtime.Integrator{runtime.Leapfrog, runtime.IMb}, runtime.NonFinite},
		{"density, curved", newCliff(3, 1.5, 0.02), []runtime.Integrator{runtime.GLFa, runtime.GLFb, runtime.IMa, runtime.IMb}, runtime.NonFinite},
		{"metric", newCliff(3, math.Inf(1), 0.5), []runtime.Integrator{runtime.GLFa, runtime.GLFb, runtime.IMa, runtime.IMb}, runtime.NotPositiveDefinite},
		{"many coordinates", newCliff(runtime.MaxLocate+1, 1.5, 0), []runtime.Integrator{runtime.Leapfrog}, runtime.NonFinite},
	} {
		for _, k := range campaign.Sample(t, c.integrators, 2) {
			for _, steps := range []int{0, 5} {
				opt := runtime.DefaultOptions()
				opt.Chains, opt.Warmup, opt.Draws, opt.Integrator, opt.StepSize, opt.Steps = 2, 10, campaign.Cases(t, 60, 200), k, 0.5, steps
				opt.Init = []runtime.Point{make(runtime.Point, c.m.Info().Dim())}
				r := failed(t, c.m, opt)
				n := 0
				for i := range r.Chains {
					for _, f := range r.Chains[i].Failures {
						if f.Runaway {
							// Of solves that diverge there are a few.
							continue
						}
						n++
						bad := f.Q != nil && (c.st == runtime.NonFinite && f.Q[0] > c.m.edge ||
							c.st == runtime.NotPositiveDefinite && 1-c.m.bend*f.Q[len(f.Q)-1] <= 0)
						if f.Status != c.st || !bad {
							t.Errorf("%s, %v, %d steps: %+v, where nothing is wrong", c.name, k, steps, f)
						}
					}
				}
				if n < 6 {
					t.Errorf("%s, %v, %d steps: %d failures", c.name, k, steps, n)
				}
			}
		}
	}
}

// A solve that runs away is told apart from a model that fails: this model is finite everywhere.
func TestRunaways(t *testing.T) {
	m, _ := fixtureBanana(t)
	for _, k := range []runtime.Integrator{runtime.GLFb, runtime.IMb} {
		opt := runtime.DefaultOptions()
		opt.Chains, opt.Warmup, opt.Draws, opt.Integrator, opt.StepSize = 1, 10, 100, k, 1.2
		r := failed(t, m, opt)
		if len(r.Chains[0].Failures) == 0 {
			t.Errorf("%v: no failures", k)
		}
		for _, f := range r.Chains[0].Failures {
			if !f.Runaway {
				t.Errorf("%v: %+v", k, f)
			}
		}
	}
}

// Of an implicit step of many coordinates the position is not looked for.
func TestFailuresOfManyCoordinates(t *testing.T) {
	m := newCliff(runtime.MaxLocate+1, 1, 1e-3)
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.Steps, opt.StepSize = 1, 0, 3, 3, 0.5
	opt.Init = []runtime.Point{make(runtime.Point, m.Info().Dim())}
	list := failed(t, m, opt).Chains[0].Failures
	if len(list) == 0 {
		t.Fatal("no failures")
	}
	for _, f := range list {
		if f.Q != nil || f.Runaway {
			t.Errorf("%+v", f)
		}
	}
}

// cliffs are two independent cliffs, x and y, sampled in the blocks left and right.
type cliffs struct {
	unbounded
	blocks []runtime.Conditional
	parts  []*cliff
}

func newCliffs() *cliffs {
	m := &cliffs{}
	m.info = runtime.Info{Name: "cliffs", Params: []runtime.Param{{Name: "x"}, {Name: "y"}}}
	for i, name := range []string{"left", "right"} {
		c := newCliff(1, 1, 0)
		c.info.Name, c.info.Params = name, m.info.Params[i:i+1]
		m.parts = append(m.parts, c)
		m.blocks = append(m.blocks, runtime.GenericBlock(c, func(q []float64) runtime.Status {
			if q[1-i] < -1 {
				return runtime.NotPositiveDefinite
			}
			return runtime.OK
		}))
	}
	return m
}

func (m *cliffs) Blocks() []runtime.Conditional { return m.blocks }
func (m *cliffs) Clone() runtime.Gibbs          { return newCliffs() }
func (m *cliffs) LogDensity(q []float64) float64 {
	return m.parts[0].LogDensity(q[:1]) + m.parts[1].LogDensity(q[1:])
}
func (m *cliffs) Gradient(grad, q []float64) float64 {
	return m.parts[0].Gradient(grad[:1], q[:1]) + m.parts[1].Gradient(grad[1:], q[1:])
}

// The failure of a block has the other coordinates as they were when the block was updated:
// those before it in the sweep are new, those behind it are not.
func TestFailuresOfBlocks(t *testing.T) {
	m := newCliffs()
	opt := gibbsOptions(m, runtime.Leapfrog, runtime.Leapfrog)
	opt.Chains, opt.Warmup, opt.Draws = 2, 0, 300
	for i := range opt.Blocks {
		opt.Blocks[i].StepSize = 0.9
	}
	opt.Init = []runtime.Point{{0, 0}}
	r := failed(t, m, opt)
	seen := map[string]int{}
	for c := range r.Chains {
		for _, f := range r.Chains[c].Failures {
			draw := func(k, n int) float64 {
				if n < 1 {
					return 0 // the start
				}
				return r.Chains[c].Draws[k][n-1]
			}
			own, other, others := f.Q[0], f.Q[1], draw(1, f.Draw-1)
			if f.Block == "right" {
				own, other, others = f.Q[1], f.Q[0], draw(0, f.Draw)
			}
			seen[fmt.Sprint(f.Block, f.Status)]++
			wrong := f.Status == runtime.NonFinite && !(own > 1) || f.Status == runtime.NotPositiveDefinite && !(other < -1)
			if other != others || wrong || f.Runaway {
				t.Errorf("chain %d: %+v, with the other coordinate at %v", c+1, f, others)
			}
		}
	}
	if len(seen) != 4 {
		t.Errorf("failures %v", seen)
	}
}

// A run in two parts keeps what one without a break does, and so do audits.
func TestFailuresGoOn(t *testing.T) {
	m := newCliff(2, 1.5, 0.02)
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.Audit = 3, 50, 300, runtime.AuditRate{Draws: 1, Of: 20}
	opt.Init = []runtime.Point{{0, 0}}
	whole := failed(t, m, opt)
	opt.Draws = 10
	parts := failed(t, m, opt)
	opt.From, opt.Draws = parts.States(), 300
	next, err := runtime.Sample(context.Background(), m, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := parts.Append(next); err != nil {
		t.Fatal(err)
	}
	for c := range whole.Chains {
		a, b := &whole.Chains[c], &parts.Chains[c]
		if len(a.Failures) == 0 || len(next.Chains[c].Failures) == 0 || !reflect.DeepEqual(a.Failures, b.Failures) {
			t.Errorf("chain %d: %+v in parts, want %+v", c+1, b.Failures, a.Failures)
		}
		if len(a.Audits) != 15 || fmt.Sprint(a.Audits) != fmt.Sprint(b.Audits) {
			t.Errorf("chain %d: %+v in parts, want %+v", c+1, b.Audits, a.Audits)
		}
	}
}
