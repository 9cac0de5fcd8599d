package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
)

// withPrior is an exponential whose parameter is drawn by a function, with the random
// numbers that it is given.
type withPrior struct {
	*exponential
	draw func(rng *rand.Rand) float64
}

func (m *withPrior) Clone() runtime.Model { return m }
func (m *withPrior) Priors() []string     { return []string{"x"} }

func (m *withPrior) DrawPrior(values []float64, rng *rand.Rand) { values[0] = m.draw(rng) }

// noPrior has the interface, and nothing to draw.
type noPrior struct{ *exponential }

func (m *noPrior) Clone() runtime.Model                { return m }
func (m *noPrior) Priors() []string                    { return nil }
func (m *noPrior) DrawPrior(_ []float64, _ *rand.Rand) {}

func startOptions() runtime.Options {
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.StepSize, opt.Steps = 2, 0, 1, 1e-12, 1
	return opt
}

// A draw from the prior that is of no use is followed by another; where none is of use, the
// error tells why, and for which point.
func TestStartFromPriorRetries(t *testing.T) {
	opt := startOptions()
	opt.Start.Prior = true
	calls := 0
	sequence := func(x ...float64) func(*rand.Rand) float64 {
		calls = 0
		return func(*rand.Rand) float64 {
			calls++
			return x[(calls-1)%len(x)]
		}
	}
	opt.Chains = 1
	walled := newExponential()
	walled.wall, walled.value = math.Log(10), math.Inf(-1)
	// Not defined, infinite, out of the support, without density, where a prior is cut off; and then one of use.
	m := &withPrior{walled, sequence(math.NaN(), math.Inf(1), -1, 11, 1e-300, 3)}
	r := sample(t, m, opt)
	if got := r.Chains[0].Draws[0][0]; math.Abs(got-3) > 1e-6 || calls != 6 {
		t.Errorf("starts at %v after %d draws", got, calls)
	}

	m.draw = sequence(math.NaN(), 11, 12, 13, -1)
	_, err := runtime.Sample(context.Background(), m, opt, nil)
	var refused runtime.StartErrors
	if !errors.As(err, &refused) || len(refused) != 1 {
		t.Fatalf("no starting point: %v", err)
	}
	want := "chain 1: no starting point: of 100 drawn from the prior, x cannot be drawn (an argument out of range, or bounds out of reach) in 20, the log density is -Inf in 60, a draw has no place on the unconstrained scale in 20: give starting values, or check the model and its data"
	if err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	if q := refused[0].Q; len(q) != 1 || math.Abs(q[0]-math.Log(11)) > 1e-15 {
		t.Errorf("the point to blame is %v", q)
	}
	m.draw = sequence(math.NaN())
	if _, err = runtime.Sample(context.Background(), m, opt, nil); !errors.As(err, &refused) || refused[0].Q != nil || calls != 100 {
		t.Errorf("a point that was never drawn: %v, %+v", err, refused)
	}
}

// A coordinate starts from its prior where that lies elsewhere than (−2, 2), and nowhere else: not where the prior is so wide that it has the interval
// inside, or its deciles lie as far apart as the interval is away, nor where the radius is given.
func TestStartElsewhere(t *testing.T) {
	opt := startOptions()
	opt.Chains = 8
	for _, c := range []struct {
		what      string
		log       func(*rand.Rand) float64 // of a draw
		start     runtime.Start
		elsewhere bool
	}{
		{"lognormal(7, 0.6)", func(rng *rand.Rand) float64 { return 7 + 0.6*rng.NormFloat64() }, runtime.Start{}, true},
		{"lognormal(-7, 1.5)", func(rng *rand.Rand) float64 { return -7 + 1.5*rng.NormFloat64() }, runtime.Start{}, true},
		{"the same, with a radius", func(rng *rand.Rand) float64 { return -7 + 1.5*rng.NormFloat64() }, runtime.Start{Radius: 2}, false},
		{"lognormal(3, 0.6)", func(rng *rand.Rand) float64 { return 3 + 0.6*rng.NormFloat64() }, runtime.Start{}, false},
		{"lognormal(7, 100)", func(rng *rand.Rand) float64 { return 7 + 100*rng.NormFloat64() }, runtime.Start{}, false},
		{"gamma(0.01, 1), about", func(rng *rand.Rand) float64 { return -100 * rng.ExpFloat64() }, runtime.Start{}, false},
		{"inv_gamma(0.001, 0.001), about, cut off", func(rng *rand.Rand) float64 { return 400 - 0.1*rng.Float64() }, runtime.Start{}, false},
		{"exponential(0.001)", func(rng *rand.Rand) float64 { return math.Log(1000 * rng.ExpFloat64()) }, runtime.Start{}, false},
		{"one that cannot be drawn", func(*rand.Rand) float64 { return math.NaN() }, runtime.Start{}, false},
	} {
		m := &withPrior{newExponential(), func(rng *rand.Rand) float64 { return math.Exp(c.log(rng)) }}
		opt.Start = c.start
		outside := 0
		for _, chain := range sample(t, m, opt).Chains {
			if math.Abs(math.Log(chain.Draws[0][0])) > 2.001 {
				outside++
			}
		}
		if want := map[bool]int{true: opt.Chains}[c.elsewhere]; outside != want {
			t.Errorf("%s: %d of %d chains start outside (-2, 2), want %d", c.what, outside, opt.Chains, want)
		}
	}
}

// A start from the prior takes the random numbers of its chain behind those of the uniform
// start, which it replaces.
func TestStartStreams(t *testing.T) {
	m := &withPrior{newExponential(), func(rng *rand.Rand) float64 { return rng.ExpFloat64() }}
	opt := startOptions()
	opt.Chains = 4
	starts := func(start runtime.Start, workers int) []float64 {
		opt.Start, opt.Workers = start, workers
		var x []float64
		for _, c := range sample(t, m, opt).Chains {
			x = append(x, c.Draws[0][0])
		}
		return x
	}
	uniform, prior := starts(runtime.Start{}, 1), starts(runtime.Start{Prior: true}, 1)
	if again := starts(runtime.Start{Prior: true}, 3); !slices.Equal(prior, again) {
		t.Errorf("%v, and with other workers %v", prior, again)
	}
	if again := starts(runtime.Start{Radius: 2}, 1); !slices.Equal(uniform, again) {
		t.Errorf("%v, and with the default radius given %v", uniform, again)
	}
	half := starts(runtime.Start{Radius: 1}, 1)
	for c := range uniform {
		if a, b := math.Log(uniform[c]), math.Log(half[c]); math.Abs(a-2*b) > 1e-9 {
			t.Errorf("coordinate %v of radius 2, %v of radius 1", a, b)
		}
		if uniform[c] == prior[c] || c > 0 && prior[c] == prior[0] {
			t.Errorf("uniform %v, from the prior %v", uniform, prior)
		}
	}
}

// Texts of distributions of starting points are read as they are written.
func TestParseStart(t *testing.T) {
	for text, want := range map[string]runtime.Start{
		"uniform": {}, "prior": {Prior: true}, "uniform:0.5": {Radius: 0.5}, "prior:1e-3": {Prior: true, Radius: 1e-3}, "uniform:100": {Radius: 100},
	} {
		got, err := runtime.ParseStart(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if back, err := runtime.ParseStart(got.String()); err != nil || back != got {
			t.Errorf("%s is written as %s", text, got)
		}
		var opt runtime.Options
		opt.Start = got
		b, err := json.Marshal(opt)
		if err != nil {
			t.Fatal(err)
		}
		var back runtime.Options
		if err := json.Unmarshal(b, &back); err != nil || back.Start != got || strings.Contains(string(b), "start") != (got != runtime.Start{}) {
			t.Errorf("%s: %s, %v", text, b, err)
		}
	}
	for _, text := range []string{"", "Prior", "posterior", "uniform:", "uniform:0", "uniform:-1", "uniform:NaN", "uniform:Inf", "uniform:101", "uniform:2:3", "prior:x"} {
		if s, err := runtime.ParseStart(text); err == nil {
			t.Errorf("%q is read as %+v", text, s)
		}
	}
}

// What cannot be done is refused before anything is drawn.
func TestStartValidation(t *testing.T) {
	with := &withPrior{newExponential(), func(*rand.Rand) float64 { return 1 }}
	for _, c := range []struct {
		p     runtime.Posterior
		start runtime.Start
		init  []runtime.Point
		want  string // "" if it is valid
	}{
		{with, runtime.Start{Prior: true}, nil, ""},
		{with, runtime.Start{Prior: true, Radius: 1}, nil, ""},
		{newExponential(), runtime.Start{Radius: 1}, []runtime.Point{{math.NaN()}}, ""},
		{newExponential(), runtime.Start{Prior: true}, nil, "model exponential has no parameter that can be drawn from its prior"},
		{&noPrior{newExponential()}, runtime.Start{Prior: true}, nil, "model exponential has no parameter that can be drawn from its prior"},
		{with, runtime.Start{Prior: true}, []runtime.Point{{1}}, "expected one or the other"},
		{with, runtime.Start{Radius: -1}, nil, "radius -1 of the starting points"},
		{with, runtime.Start{Radius: math.NaN()}, nil, "radius NaN of the starting points"},
		{with, runtime.Start{Radius: math.Inf(1)}, nil, "radius +Inf of the starting points"},
	} {
		opt := startOptions()
		opt.Start, opt.Init = c.start, c.init
		err := opt.Validate(c.p)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v, %v: %v", c.start, c.init, err)
		}
	}
	if got := runtime.WithoutPrior(with); len(got) != 0 {
		t.Errorf("%v have no prior", got)
	}
	if got := runtime.WithoutPrior(newExponential()); !slices.Equal(got, []string{"x"}) {
		t.Errorf("%v have no prior", got)
	}
}

// Where none of the points drawn at first is of use, nearer ones are tried: a log density that overflows all over the
// default range does not keep a model from starting.
func TestStartNearer(t *testing.T) {
	m := newExponential()
	for _, radius := range []float64{1e-3, 1e-9, 1e-14} {
		narrow := &within{m, radius}
		opt := startOptions()
		for c, chain := range sample(t, narrow, opt).Chains {
			if q := math.Log(chain.Draws[0][0]); !(math.Abs(q) <= max(radius, 1e-15)) {
				t.Errorf("radius %v: chain %d starts at %v", radius, c+1, q)
			}
		}
		_, err := runtime.Sample(t.Context(), &within{m, 0}, opt, nil)
		if err == nil || !strings.Contains(err.Error(), "the log density is NaN in 100, nor was any of 50 nearer and nearer to the origin of use") {
			t.Errorf("nowhere: %v", err)
		}
	}
}

// Where no point drawn at first is of use, the prior is asked before nearer ones are tried: the scale of the parameters may be another.
func TestStartFromPrior(t *testing.T) {
	for _, x := range []float64{1e6, 1e-8} {
		m := &withPrior{newExponential(), func(*rand.Rand) float64 { return x }}
		opt := startOptions()
		for c, chain := range sample(t, &farOff{m, math.Log(x)}, opt).Chains {
			if got := chain.Draws[0][0]; !(math.Abs(got/x-1) < 1e-9) {
				t.Errorf("chain %d starts at %v, not at %v", c+1, got, x)
			}
		}
	}
	m := &withPrior{newExponential(), func(*rand.Rand) float64 { return 1 }}
	_, err := runtime.Sample(t.Context(), &farOff{m, 30}, startOptions(), nil)
	if err == nil || !strings.Contains(err.Error(), "the log density is NaN in 100") || !strings.Contains(err.Error(), "nor was any of 100 from the prior, and of 50 nearer") {
		t.Errorf("nowhere: %v", err)
	}
}

// farOff is a model without density but near a point of the unconstrained scale.
type farOff struct {
	*withPrior
	at float64
}

func (f *farOff) Clone() runtime.Model { return f }

func (f *farOff) LogDensity(q []float64) float64 {
	if !(math.Abs(q[0]-f.at) <= 1e-9) {
		return math.NaN()
	}
	return 0
}

func (f *farOff) Gradient(grad, q []float64) float64 {
	grad[0] = 0
	return f.LogDensity(q)
}

// within is an exponential without density beyond a radius of the unconstrained scale.
type within struct {
	*exponential
	radius float64
}

func (m *within) Clone() runtime.Model { return m }

func (m *within) LogDensity(q []float64) float64 {
	if !(math.Abs(q[0]) < m.radius) {
		return math.NaN()
	}
	return m.exponential.LogDensity(q)
}

func (m *within) Gradient(grad, q []float64) float64 {
	m.exponential.Gradient(grad, q)
	return m.LogDensity(q)
}
