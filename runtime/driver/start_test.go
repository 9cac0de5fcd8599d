package driver

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/draws"
)

// far is a normal in three dimensions of which one parameter is drawn from a prior far off,
// and the other is not.
type far struct{ normal }

func (m *far) Info() *runtime.Info {
	return &runtime.Info{Name: "far", Params: []runtime.Param{{Name: "x"}, {Name: "c", Shape: []int{2}}}, Metric: runtime.MetricInfo{Constant: true}}
}
func (m *far) Clone() runtime.Model             { c := *m; return &c }
func (m *far) Constrain(x, q []float64)         { copy(x, q) }
func (m *far) Unconstrain(q, x []float64) error { copy(q, x); return nil }
func (m *far) Metric(g, _ []float64)            { copy(g, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}) }
func (m *far) Contract(out, _, _ []float64)     { clear(out) }
func (m *far) LogDensity(q []float64) float64   { return m.Gradient(make([]float64, 3), q) }
func (m *far) Gradient(grad, q []float64) float64 {
	l := 0.0
	for i, v := range q {
		grad[i], l = -v, l-0.5*v*v
	}
	return l
}
func (m *far) Priors() []string { return []string{"x"} }
func (m *far) DrawPrior(values []float64, rng *rand.Rand) {
	values[0] = 100 + rng.Float64()
}

// A run from the prior says so, with the parameters that start uniformly; resumed, it
// has the same files, and no other start.
func TestResumeFromPrior(t *testing.T) {
	m := &far{}
	ask := func(dir string, draws int) *Request {
		r := request(dir)
		r.Options.Warmup, r.Options.Draws, r.Options.StepSize, r.Options.Steps = 0, draws, 0.1, 1
		r.Options.Start.Prior = true
		return r
	}
	whole, parts := t.TempDir(), t.TempDir()
	p := ask(parts, 20)
	for _, r := range []*Request{ask(whole, 40), p} {
		if err := Run(context.Background(), m, r, quiet); err != nil {
			t.Fatal(err)
		}
	}
	man, err := ReadManifest(parts)
	if err != nil || man.Options.Start != (runtime.Start{Prior: true}) || !slices.Equal(man.Uniform, []string{"c"}) {
		t.Errorf("manifest: start %v, uniform %v, %v", man.Options.Start, man.Uniform, err)
	}
	file, err := draws.Open(filepath.Join(parts, "chain_2.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if x := file.Values[len(man.Stats)][0]; !(x > 90) {
		t.Errorf("chain 2 starts at %v", x)
	}
	for _, want := range []draws.Setting{{Name: "init", Value: "prior"}, {Name: "init_uniform", Value: "c"}} {
		if !slices.Contains(file.Settings, want) {
			t.Errorf("settings %v, want %v", file.Settings, want)
		}
	}

	// Another start is another run.
	other := ask(parts, 40)
	other.Resume, other.Options.Start = true, runtime.Start{}
	if err := Run(context.Background(), m, other, quiet); err == nil || !strings.Contains(err.Error(), "another setting") {
		t.Errorf("resumed with another start: %v", err)
	}
	// The settings of the manifest are those of the run.
	p.Resume, p.Options = true, man.Options
	p.Options.Draws = 40
	if err := Run(context.Background(), m, p, quiet); err != nil {
		t.Fatal(err)
	}
	same(t, "from the prior", whole, parts)

	// By default nothing is said of it.
	plain := t.TempDir()
	r := ask(plain, 5)
	r.Options.Start = runtime.Start{}
	if err := Run(context.Background(), m, r, quiet); err != nil {
		t.Fatal(err)
	}
	for name, text := range contents(t, plain) {
		if strings.Contains(text, "init") || strings.Contains(text, `"start"`) || strings.Contains(text, "uniform") {
			t.Errorf("%s tells of the start:\n%.1500s", name, text)
		}
	}
}

// The file of a chain tells that its start was far from the bulk.
func TestHeaderTellsTheClimb(t *testing.T) {
	for _, prior := range []bool{true, false} {
		r := request(t.TempDir())
		r.Options.Warmup, r.Options.Start = 30, runtime.Start{Prior: prior, Radius: 2}
		if err := Run(context.Background(), &far{}, r, quiet); err != nil {
			t.Fatal(err)
		}
		file, err := draws.Open(filepath.Join(r.Output, "chain_2.csv"))
		if err != nil {
			t.Fatal(err)
		}
		if told := file.Setting("climbed") == "true"; told != prior {
			t.Errorf("from the prior, 100 standard deviations away: %v; climbed: %v", prior, told)
		}
	}
}
