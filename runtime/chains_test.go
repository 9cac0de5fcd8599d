package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/random"
)

// sample runs Sample and fails the test on an error.
func sample(t testing.TB, m runtime.Posterior, opt runtime.Options) *runtime.Result {
	t.Helper()
	r, err := runtime.Sample(context.Background(), m, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// bits lists the draws and statistics of a chain bit for bit.
func bits(c *runtime.Chain) (out []uint64) {
	for _, column := range append(slices.Clip(c.Stats), c.Draws...) {
		for _, x := range column {
			out = append(out, math.Float64bits(x))
		}
	}
	return append(out, math.Float64bits(c.Blocks[0].StepSize))
}

// A chain depends on seed and number only, where none begins anew: not on the workers, not on how many
// chains there are, not on who watches.
func TestDrawsDependOnSeedAndChainOnly(t *testing.T) {
	m, _ := fixtureBanana(t)
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.Workers = 4, 60, 60, 1
	want := sample(t, m, opt)
	opt.Workers = 3
	parallel := sample(t, m, opt)
	opt.Chains = 2
	fewer := sample(t, m, opt)
	opt.Chains, opt.Discard = 4, true
	w := &witness{}
	if _, err := runtime.Sample(context.Background(), m, opt, w); err != nil {
		t.Fatal(err)
	}
	for c := range want.Chains {
		if !slices.Equal(bits(&want.Chains[c]), bits(&parallel.Chains[c])) {
			t.Errorf("chain %d: one worker and three make different draws", c)
		}
		if c < 2 && !slices.Equal(bits(&want.Chains[c]), bits(&fewer.Chains[c])) {
			t.Errorf("chain %d: two chains and four make different draws", c)
		}
		for i, row := range w.rows[c] {
			for j, x := range row {
				column := j - runtime.NumStats
				kept := want.Chains[c].Stats[min(j, runtime.NumStats-1)]
				if column >= 0 {
					kept = want.Chains[c].Draws[column]
				}
				if x != kept[i] {
					t.Fatalf("chain %d draw %d value %d: observed %v, kept %v", c, i, j, x, kept[i])
				}
			}
		}
		if len(w.rows[c]) != 60 {
			t.Errorf("chain %d: %d rows observed", c, len(w.rows[c]))
		}
	}
	opt.Seed, opt.Discard = 2, false
	other := sample(t, m, opt)
	for c := range want.Chains {
		if slices.Equal(bits(&want.Chains[c]), bits(&other.Chains[c])) {
			t.Errorf("chain %d: two seeds make the same draws", c)
		}
		if c > 0 && slices.Equal(bits(&want.Chains[c]), bits(&want.Chains[0])) {
			t.Errorf("chains 0 and %d are the same", c)
		}
	}
}

// What a seed means: the transitions of chain c draw from the streams (seed, c, 2,
// i) in warm-up and (seed, c, 3, i) after it, so that none depends on how much
// randomness another consumed.
func TestTransitionsHaveStreamsOfTheirOwn(t *testing.T) {
	m, f := fixtureBanana(t)
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.Seed = 2, 7, 5, 11
	opt.StepSize, opt.Steps = 0.1, 6
	opt.Init = []runtime.Point{f.Points[1].Q}
	r := sample(t, m, opt)
	for c := range r.Chains {
		h := kernel(t, m, runtime.IMb)
		h.StepSize, h.Steps, h.RandomSteps = opt.StepSize, opt.Steps, opt.RandomSteps
		h.Solver, h.Reverse = opt.Solver, opt.ReverseCheck
		q := clone(f.Points[1].Q)
		step := func(phase, i int) {
			stream := random.New(opt.Seed, uint64(c))
			stream.Seek(uint64(phase), uint64(i))
			h.Transition(q, rand.New(stream))
		}
		for i := range opt.Warmup {
			step(2, i)
		}
		for i := range opt.Draws {
			step(3, i)
			if r.Chains[c].Draws[0][i] != q[0] || r.Chains[c].Draws[1][i] != q[1] {
				t.Fatalf("chain %d draw %d differs", c, i)
			}
		}
	}
}

// witness is an observer that keeps what it sees, and may stop the run.
type witness struct {
	mu       sync.Mutex
	rows     [8][][]float64
	progress *runtime.Progress
	finished int
	onDraw   func() error
}

func (w *witness) Start(names []string, p *runtime.Progress) error     { w.progress = p; return nil }
func (w *witness) Adapted(chain int, blocks []runtime.BlockRun) error  { return nil }
func (w *witness) Warmup(chain int, state func() *runtime.State) error { return nil }

func (w *witness) Draw(chain int, row []float64, _ func() *runtime.State) error {
	w.rows[chain] = append(w.rows[chain], clone(row))
	if w.onDraw != nil {
		return w.onDraw()
	}
	return nil
}

func (w *witness) Finish(chain int, c *runtime.Chain) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finished++
	return nil
}

func TestInterruption(t *testing.T) {
	opt := runtime.DefaultOptions()
	opt.Warmup, opt.Draws, opt.Chains, opt.Workers = 10, math.MaxInt32, 2, 2
	opt.Discard = true
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w := &witness{}
	w.onDraw = func() error { cancel(); return nil }
	r, err := runtime.Sample(ctx, newCurved(), opt, w)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	n := 0
	for c := range r.Chains {
		n += r.Chains[c].Sampling().Transitions
		if got := w.progress.Chain(c).Done; got != r.Chains[c].Warmup().Transitions+r.Chains[c].Sampling().Transitions {
			t.Errorf("chain %d: progress %d", c, got)
		}
	}
	if n == 0 || w.finished == 0 {
		t.Errorf("%d draws, %d chains finished", n, w.finished)
	}

	full := errors.New("disk full")
	w = &witness{onDraw: func() error { return full }}
	if _, err := runtime.Sample(context.Background(), newCurved(), opt, w); !errors.Is(err, full) {
		t.Errorf("an observer's error comes out as %v", err)
	}
}

// nowhere has no finite log density, for a rarer reason beyond 1 than elsewhere.
type nowhere struct{ *exponential }

func (m *nowhere) Clone() runtime.Model { return m }

func (m *nowhere) LogDensity(q []float64) float64 {
	if q[0] > 1 {
		return math.NaN()
	}
	return math.Inf(-1)
}

func (m *nowhere) Gradient(grad, q []float64) float64 { return m.LogDensity(q) }

func TestStartingPoints(t *testing.T) {
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.StepSize, opt.Steps = 2, 0, 1, 1e-9, 1

	// With a negligible step the first draw is the starting point.
	opt.Init = []runtime.Point{{0.25}, {3}}
	r := sample(t, newExponential(), opt)
	for c, want := range []float64{0.25, 3} {
		if got := r.Chains[c].Draws[0][0]; math.Abs(got-want) > 1e-6 {
			t.Errorf("chain %d starts at %v, want %v", c, got, want)
		}
	}
	opt.Init = []runtime.Point{{-1}}
	_, err := runtime.Sample(context.Background(), newExponential(), opt, nil)
	if err == nil || !strings.Contains(err.Error(), "chain 1: starting point: x = -1") {
		t.Errorf("start outside the support: %v", err)
	}
	var refused runtime.StartErrors
	if !errors.As(err, &refused) || len(refused) != 2 || refused[1].Chain != 2 || refused[1].Q != nil {
		t.Errorf("start outside the support: %+v", refused)
	}

	// Half of (−2, 2) is outside this domain: tries go on until inside.
	opt.Init, opt.Chains = nil, 20
	half := newExponential()
	half.wall, half.value = 0, math.Inf(-1)
	r = sample(t, half, opt)
	below := 0
	for c := range r.Chains {
		q := math.Log(r.Chains[c].Draws[0][0])
		if q > 1e-6 || q < -2 {
			t.Errorf("chain %d starts at %v", c, q)
		}
		if q < -1 {
			below++
		}
	}
	if below < 3 || below > 17 {
		t.Errorf("%d of 20 starts below −1", below)
	}

	half.wall, half.value = math.Inf(-1), math.NaN()
	_, err = runtime.Sample(context.Background(), half, opt, nil)
	if err == nil || !strings.Contains(err.Error(), "of 100 drawn uniformly on (−2, 2)") || !strings.Contains(err.Error(), "the log density is NaN in 100") {
		t.Errorf("no starting point: %v", err)
	}
	if !errors.As(err, &refused) || len(refused) != 20 || len(refused[19].Q) != 1 || !(math.Abs(refused[19].Q[0]) < 2) || refused[18].Q[0] == refused[19].Q[0] {
		t.Errorf("no starting point: %d errors, %+v", len(refused), refused[len(refused)-1])
	}
	// The point is one that was refused for the most frequent reason.
	mixed := &nowhere{newExponential()}
	_, err = runtime.Sample(context.Background(), mixed, opt, nil)
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "is NaN in ") {
		t.Fatalf("two reasons: %v", err)
	}
	for _, e := range refused {
		if e.Q[0] > 1 {
			t.Errorf("%v: the point is %v", e, e.Q)
		}
	}
	// One that was given.
	o := opt
	o.Chains, o.Init = 1, []runtime.Point{{math.E}}
	if _, err = runtime.Sample(context.Background(), mixed, o, nil); !errors.As(err, &refused) || refused[0].Q[0] != 1 {
		t.Errorf("a point that was given: %v, %+v", err, refused)
	}
	_, err = runtime.Sample(context.Background(), &sickMetric{curved: newCurved(), g: -1}, func() runtime.Options {
		o := opt
		o.Chains, o.Init = 1, []runtime.Point{{1, 1}}
		return o
	}(), nil)
	if err == nil || !strings.Contains(err.Error(), "not positive definite") {
		t.Errorf("start at an indefinite metric: %v", err)
	}
}

func TestValidateNamesEveryProblem(t *testing.T) {
	m := newCurved()
	opt := runtime.DefaultOptions()
	if err := opt.Validate(m); err != nil {
		t.Errorf("defaults: %v", err)
	}
	bad := runtime.Options{
		Tuning: runtime.Tuning{
			Integrator: runtime.Leapfrog, TargetAccept: 1.5, Steps: -1,
			StepSize: math.NaN(), Solver: runtime.Solver{Tolerance: -1}, ReverseCheck: 7,
		},
		Chains: 0, Warmup: -1, Draws: 0, Workers: -1, Init: []runtime.Point{{1}},
		Keep: []string{"nobody"}, Blocks: []runtime.BlockTuning{{Name: "nothing"}},
	}
	err := bad.Validate(m)
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{
		"leapfrog", "step size NaN", "-1 steps", "tolerance -1", "limit of 0 iterations", "reversibility",
		"0 chains", "-1 warm-up", "0 draws", "-1 workers", "starting point 1 has 1 values",
		"no such parameter", "settings of a block nothing",
	} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("nothing about %q in:\n%v", part, err)
		}
	}
	opt.Warmup, opt.MaxDepth, opt.Metric, opt.TargetAccept = 0, 0, 9, 1
	if err := opt.Validate(m); err == nil || strings.Count(err.Error(), "\n") != 4 {
		t.Errorf("five problems expected: %v", err)
	}
	if _, err := runtime.Sample(context.Background(), m, opt, nil); err == nil {
		t.Error("Sample takes bad options")
	}
}

// Of a starting point that is given in part the rest is drawn, and the part
// survives the driver's JSON.
func TestStartsInPart(t *testing.T) {
	m, _ := fixtureBanana(t)
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.StepSize, opt.Steps = 3, 0, 1, 1e-12, 1
	opt.Init = []runtime.Point{{math.NaN(), 0.25}}
	text, err := json.Marshal(opt)
	if err != nil {
		t.Fatal(err)
	}
	var back runtime.Options
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	r := sample(t, m, back)
	for c := range r.Chains {
		free, given := r.Chains[c].Draws[0][0], r.Chains[c].Draws[1][0]
		if math.Abs(given-0.25) > 1e-9 || math.Abs(free) > 2 || c > 0 && free == r.Chains[0].Draws[0][0] {
			t.Errorf("chain %d starts at %v, %v", c, free, given)
		}
	}
}

func TestComponentNames(t *testing.T) {
	in := &runtime.Info{Params: []runtime.Param{
		{Name: "mu"}, {Name: "beta", Shape: []int{2}}, {Name: "w", Shape: []int{2, 3}},
	}}
	want := "mu beta.1 beta.2 w.1.1 w.1.2 w.1.3 w.2.1 w.2.2 w.2.3"
	if got := strings.Join(runtime.ComponentNames(in), " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestSampleWithoutModel(t *testing.T) {
	if _, err := runtime.Sample(context.Background(), nil, runtime.DefaultOptions(), nil); err == nil {
		t.Error("a nil model is sampled")
	}
}
