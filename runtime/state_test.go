package runtime_test

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/conformance/latent"
	"github.com/hamc-dev/hamc/runtime"
)

// keeper is an observer that keeps the state of chain 0 after every transition, as
// the JSON that a checkpoint has.
type keeper struct {
	witness
	t      *testing.T
	states [][]byte
}

func (k *keeper) keep(chain int, state func() *runtime.State) error {
	if chain > 0 {
		return nil
	}
	text, err := json.Marshal(state())
	k.states = append(k.states, text)
	return err
}

func (k *keeper) Warmup(chain int, state func() *runtime.State) error { return k.keep(chain, state) }
func (k *keeper) Draw(chain int, row []float64, state func() *runtime.State) error {
	return k.keep(chain, state)
}

// goesOn expects of a chain that goes on from a state, after so many transitions, the draws of the whole one, and its state at the end.
func goesOn(t *testing.T, m runtime.Posterior, opt runtime.Options, whole *runtime.Chain, state []byte, made int) {
	t.Helper()
	var s runtime.State
	if err := json.Unmarshal(state, &s); err != nil {
		t.Fatal(err)
	}
	opt.From = []*runtime.State{&s}
	rest := sample(t, m, opt).Chains[0]
	drawn := max(0, made-whole.Warmed())
	for j, column := range append(slices.Clip(whole.Draws), whole.Stats...) {
		if got := append(slices.Clip(rest.Draws), rest.Stats...)[j]; !slices.Equal(got, column[drawn:]) {
			t.Fatalf("from transition %d: column %d is\n%v, want\n%v", made, j, got, column[drawn:])
		}
	}
	a, err := json.Marshal(whole.State)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(rest.State)
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Fatalf("from transition %d: the state at the end is\n%s, want\n%s", made, b, a)
	}
}

// A chain that goes on from a state comes to the draws, bit for bit, that it would have
// made without a break: wherever the break is, in the warm-up or after it, whatever is
// adapted.
func TestGoOn(t *testing.T) {
	ridge, _ := fixtureBanana(t)
	latents, err := latent.New(latent.Data{Y: []float64{1, 7}})
	if err != nil {
		t.Fatal(err)
	}
	flat := newWithoutMetric([]float64{1, -2}, [][]float64{{1, 0.3}, {0.3, 4}})
	for _, c := range []struct {
		name string
		m    runtime.Posterior
		set  func(*runtime.Options)
	}{
		{"dynamic", ridge, func(o *runtime.Options) {}},
		{"static, no warm-up", ridge, func(o *runtime.Options) { o.Warmup, o.StepSize, o.Steps, o.RandomSteps = 0, 0.1, 5, true }},
		{"plain algorithm", ridge, func(o *runtime.Options) { o.Integrator = runtime.GLFa }},
		{"diagonal metric", flat, func(o *runtime.Options) {}},
		{"dense metric", flat, func(o *runtime.Options) { o.Metric = runtime.DenseE }},
		{"dense metric, implicit", flat, func(o *runtime.Options) { o.Metric, o.Integrator = runtime.DenseE, runtime.IMb }},
		{"far away", newLandscape(2, normals([]float64{1e9, 1}, []float64{1e3, 1e-3})), func(o *runtime.Options) {}},
		{"blocks", threeBlocks(), func(o *runtime.Options) {}},
		{"transport", latents, func(o *runtime.Options) {}},
		{"fixed lengths", flat, func(o *runtime.Options) { o.Warmup = 260 }},
		{"a warm-up that ends early", flat, func(o *runtime.Options) { o.Warmup = 400 }},
		{"many dimensions", standardNormal(60), func(o *runtime.Options) { o.Warmup = 400 }},
		{"bends", newLandscape(4, logHalfNormals), func(o *runtime.Options) { o.Warmup = 150 }},
		{"bends and a length", newLandscape(4, logHalfNormals), func(o *runtime.Options) { o.Warmup, o.Seed = 260, 2 }},
		{"a long warm-up", newLandscape(2, cauchy), func(o *runtime.Options) { o.Warmup = 260 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			opt := runtime.DefaultOptions()
			opt.Chains, opt.Warmup, opt.Draws, opt.Seed = 1, 130, 12, 4
			c.set(&opt)
			k := &keeper{t: t}
			want, err := runtime.Sample(context.Background(), c.m, opt, k)
			if err != nil {
				t.Fatal(err)
			}
			whole := &want.Chains[0]
			if len(k.states) != whole.Warmed()+opt.Draws {
				t.Fatalf("%d states", len(k.states))
			}
			early := slices.Contains([]string{"fixed lengths", "a warm-up that ends early", "many dimensions"}, c.name)
			fixed := early || slices.Contains([]string{"diagonal metric", "dense metric", "far away", "transport", "bends and a length"}, c.name)
			if early != (whole.Warmed() < opt.Warmup) || fixed != (whole.Blocks[0].Steps > 0 && opt.Steps == 0) {
				t.Fatalf("%d transitions of a warm-up of %d, %d steps", whole.Warmed(), opt.Warmup, whole.Blocks[0].Steps)
			}
			if bent := len(whole.Blocks[0].Bends) > 0; bent != (strings.HasPrefix(c.name, "bends") || c.name == "a long warm-up") {
				t.Fatalf("bends %v", whole.Blocks[0].Bends)
			}
			if split := whole.Blocks[0].Split > 0; split != fixed {
				t.Fatalf("split steps: %v", split)
			}
			for i := 0; i < len(k.states); i++ {
				if i > 3 && i < len(k.states)-15 && i%campaign.Cases(t, 27, 9) != 0 {
					continue // an end of the warm-up, and some between
				}
				goesOn(t, c.m, opt, whole, k.states[i], i+1)
			}
			// More draws than were asked for at first.
			opt.From, opt.Draws = []*runtime.State{whole.State}, 20
			more := sample(t, c.m, opt).Chains[0]
			opt.From = nil
			if all := sample(t, c.m, opt).Chains[0]; !slices.Equal(more.Draws[0], all.Draws[0][12:]) {
				t.Errorf("8 draws more: %v, want %v", more.Draws[0], all.Draws[0][12:])
			}
		})
	}
}

// A run that is interrupted before its first transition, while it climbs from a start that is far away or
// after that, goes on to the same draws: a climb from where a climb has ended moves nothing.
func TestGoOnFromTheClimb(t *testing.T) {
	m := newLandscape(2, normals([]float64{1e9, 1}, []float64{1e3, 1e-3}))
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws = 1, 30, 5
	want := sample(t, m, opt).Chains[0].Draws
	early := 0
	for at := 1; at < 45; at++ {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		half := *m
		half.gradient = func(grad, q []float64) float64 {
			if calls++; calls == at {
				cancel()
				<-ctx.Done()
				time.Sleep(time.Millisecond) // until the run has noticed
			}
			return m.gradient(grad, q)
		}
		broken, err := runtime.Sample(ctx, &half, opt, nil)
		cancel()
		if err == nil {
			t.Fatalf("cancelled at evaluation %d: no error", at)
		}
		state := broken.Chains[0].State
		if state.Warmed() > 0 {
			continue
		}
		early++
		opt.From = []*runtime.State{state}
		rest := sample(t, m, opt).Chains[0]
		if got := rest.Draws; !slices.Equal(got[0], want[0]) || !slices.Equal(got[1], want[1]) || !rest.Blocks[0].Climbed {
			t.Errorf("cancelled at evaluation %d: %v, want %v; it climbed: %v", at, got, want, rest.Blocks[0].Climbed)
		}
		opt.From = nil
	}
	if early < 5 {
		t.Errorf("%d of the runs ended before their first transition", early)
	}
}

// A state of something else is refused.
func TestStatesThatDoNotFit(t *testing.T) {
	m, _ := fixtureBanana(t)
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws = 1, 10, 5
	state := sample(t, m, opt).Chains[0].State
	for _, c := range []struct {
		want  string
		spoil func(*runtime.State)
	}{
		{"1 coordinates for 2", func(s *runtime.State) { s.Q = s.Q[:1] }},
		{"not finite", func(s *runtime.State) { s.Q[0] /= 0 * s.Q[0] }},
		{"0 blocks for 1", func(s *runtime.State) { s.Blocks = nil }},
		{`block "other"`, func(s *runtime.State) { s.Blocks[0].Name = "other" }},
		{"step size 0", func(s *runtime.State) { s.Blocks[0].StepSize = 0 }},
	} {
		s := *state
		s.Q, s.Blocks = slices.Clone(s.Q), slices.Clone(s.Blocks)
		c.spoil(&s)
		opt.From = []*runtime.State{&s}
		if _, err := runtime.Sample(context.Background(), m, opt, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", c.want, err)
		}
	}
	opt.From = []*runtime.State{state, state}
	if _, err := runtime.Sample(context.Background(), m, opt, nil); err == nil || !strings.Contains(err.Error(), "2 states to go on from for 1 chains") {
		t.Errorf("error %v", err)
	}
}

// TestBendsThatDoNotFit: a state whose bent coordinates cannot be is refused.
func TestBendsThatDoNotFit(t *testing.T) {
	curved := newLandscape(4, logHalfNormals)
	bent := runtime.DefaultOptions()
	bent.Chains, bent.Warmup, bent.Draws = 1, 150, 5
	state := sample(t, curved, bent).Chains[0].State
	for _, spoil := range []func(b *runtime.Bend){
		func(b *runtime.Bend) { b.Coordinate = 4 },
		func(b *runtime.Bend) { b.Coordinate = -1 },
		func(b *runtime.Bend) { b.Scale = 0 },
		func(b *runtime.Bend) { b.Centre /= 0 * b.Scale },
		func(b *runtime.Bend) { b.Left = -1 },
		func(b *runtime.Bend) { b.Right = 50 },
	} {
		s := *state
		s.Blocks = slices.Clone(s.Blocks)
		s.Blocks[0].Bends = slices.Clone(s.Blocks[0].Bends)
		spoil(&s.Blocks[0].Bends[0])
		bent.From = []*runtime.State{&s}
		if _, err := runtime.Sample(context.Background(), curved, bent, nil); err == nil || !strings.Contains(err.Error(), "is bent by") {
			t.Errorf("a bend %+v: error %v", s.Blocks[0].Bends[0], err)
		}
	}
}

// refuses expects that no chain goes on from a state that is spoilt, with an error that says something.
func refuses(t *testing.T, m runtime.Posterior, opt runtime.Options, state []byte, want string, spoil func(s *runtime.State)) {
	t.Helper()
	var s runtime.State
	if err := json.Unmarshal(state, &s); err != nil {
		t.Fatal(err)
	}
	spoil(&s)
	opt.From = []*runtime.State{&s}
	if _, err := runtime.Sample(context.Background(), m, opt, nil); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error %v", want, err)
	}
}

// TestReferencesThatDoNotFit: so is a state of a model with latent vectors whose reference cannot be.
func TestReferencesThatDoNotFit(t *testing.T) {
	latents, err := latent.New(latent.Data{Y: []float64{1, 7}})
	if err != nil {
		t.Fatal(err)
	}
	k := &keeper{t: t}
	long := runtime.DefaultOptions()
	long.Chains, long.Warmup, long.Draws = 1, 130, 5
	if _, err := runtime.Sample(context.Background(), latents, long, k); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want  string
		spoil func(*runtime.State)
	}{
		{"no reference", func(s *runtime.State) { s.Reference = nil }},
		{"no reference", func(s *runtime.State) { s.Reference[1] /= 0 }},
		{"latent vectors have learnt", func(s *runtime.State) { s.Seen = nil }},
	} {
		refuses(t, latents, long, k.states[15], c.want, c.spoil)
	}
}

// TestLaddersThatDoNotFit: so is a state of a chain whose trajectories are quarters of a turn, if it cannot be; here in its warm-up.
func TestLaddersThatDoNotFit(t *testing.T) {
	normal := standardNormal(4)
	k := &keeper{t: t}
	long := runtime.DefaultOptions()
	long.Chains, long.Warmup, long.Draws = 1, 130, 5
	if _, err := runtime.Sample(context.Background(), normal, long, k); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want  string
		spoil func(*runtime.BlockState)
	}{
		{"steps of 9 gradients", func(b *runtime.BlockState) { b.Split = 9 }},
		{"no centre", func(b *runtime.BlockState) { b.Centre = nil }},
		{"no centre", func(b *runtime.BlockState) { b.Centre = b.Centre[:3] }},
		{"no centre", func(b *runtime.BlockState) { b.Centre[1] /= 0 * b.StepSize }},
		{"fixed length stand", func(b *runtime.BlockState) { b.Split = 0 }},
		{"fixed length stand", func(b *runtime.BlockState) { b.Steps = 0 }},
		{"fixed length stand", func(b *runtime.BlockState) { b.Ladder.Now = 99 }},
		{"fixed length stand", func(b *runtime.BlockState) { b.Ladder.Rungs = b.Ladder.Rungs[1:] }},
		{"fixed length stand", func(b *runtime.BlockState) { b.Ladder.Rungs[1].Accept = -1 }},
	} {
		refuses(t, normal, long, k.states[100], c.want, func(s *runtime.State) {
			if s.Blocks[0].Ladder == nil {
				t.Fatal("no ladder")
			}
			c.spoil(&s.Blocks[0])
		})
	}
}

// cauchy is a density with tails that no normal one has.
func cauchy(grad, q []float64) (l float64) {
	for i, x := range q {
		l -= math.Log1p(x * x)
		grad[i] = -2 * x / (1 + x*x)
	}
	return l
}
