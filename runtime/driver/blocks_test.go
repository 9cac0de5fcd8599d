package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/draws"
)

// pair is the normal of x and y with unit precisions and correlation −½ between
// them, sampled in the blocks first (x) and second (y).
type pair struct{ blocks []runtime.Conditional }

func newPair() *pair {
	p := &pair{}
	for i, name := range []string{"first", "second"} {
		h := &half{info: runtime.Info{Name: name, Params: p.Info().Params[i : i+1], Metric: runtime.MetricInfo{Constant: i == 0}}}
		p.blocks = append(p.blocks, runtime.GenericBlock(h, func(q []float64) runtime.Status {
			h.other = q[1-i]
			return runtime.OK
		}))
	}
	return p
}

func (p *pair) Info() *runtime.Info {
	return &runtime.Info{Name: "pair", Params: []runtime.Param{{Name: "x"}, {Name: "y"}}}
}
func (p *pair) Blocks() []runtime.Conditional    { return p.blocks }
func (p *pair) Clone() runtime.Gibbs             { return newPair() }
func (p *pair) Constrain(x, q []float64)         { copy(x, q) }
func (p *pair) Unconstrain(q, x []float64) error { copy(q, x); return nil }
func (p *pair) LogDensity(q []float64) float64   { return -0.5 * (q[0]*q[0] + q[1]*q[1] + q[0]*q[1]) }
func (p *pair) Gradient(grad, q []float64) float64 {
	grad[0], grad[1] = -q[0]-0.5*q[1], -q[1]-0.5*q[0]
	return p.LogDensity(q)
}

// half is one coordinate of a pair given the other.
type half struct {
	info  runtime.Info
	other float64
}

func (h *half) Info() *runtime.Info              { return &h.info }
func (h *half) Clone() runtime.Model             { c := *h; return &c }
func (h *half) Constrain(x, q []float64)         { copy(x, q) }
func (h *half) Unconstrain(q, x []float64) error { copy(q, x); return nil }
func (h *half) Metric(g, q []float64)            { g[0] = 1 }
func (h *half) Contract(out, q, w []float64)     { out[0] = 0 }
func (h *half) MetricJacobian(out, q []float64)  { out[0] = 0 }
func (h *half) LogDensity(q []float64) float64 {
	return -0.5 * (q[0]*q[0] + h.other*h.other + q[0]*h.other)
}
func (h *half) Gradient(grad, q []float64) float64 {
	grad[0] = -q[0] - 0.5*h.other
	return h.LogDensity(q)
}

func loadPair(io.Reader, string) (runtime.Posterior, error) { return newPair(), nil }

// servePair runs Serve on a request and returns the exit code and the events.
func servePair(t *testing.T, request string) (int, []Event) {
	t.Helper()
	var out bytes.Buffer
	code := Serve(context.Background(), loadPair, strings.NewReader(request), &out)
	var events []Event
	in := json.NewDecoder(&out)
	in.DisallowUnknownFields()
	for in.More() {
		var e Event
		if err := in.Decode(&e); err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	if len(events) == 0 {
		t.Fatal("no events")
	}
	return code, events
}

// TestServeBlocks: the settings of blocks arrive, the header and the end of a
// run tell them block by block, and the files hold what Sample makes.
func TestServeBlocks(t *testing.T) {
	dir := t.TempDir()
	tuning := `"step_size": 0.5, "target_accept": 0.8, "steps": 3, "random_steps": false, "solver": {"tolerance": 1e-7, "MaxIterations": 50}, "reverse_check": "all"`
	code, events := servePair(t, `{"output": "`+dir+`", "options": {"chains": 2, "warmup": 40, "draws": 30, "seed": 5, "keep": ["y"],
		"blocks": [{"name": "second", "integrator": "glfa", `+tuning+`}]}}`)
	first, last := events[0], events[len(events)-1]
	if code != 0 || first.Event != EventStart || last.Event != EventDone {
		t.Fatalf("exit code %d, events %+v", code, events)
	}
	opt := first.Start.Options
	if !slices.Equal(first.Start.Names, []string{"y"}) || len(opt.Blocks) != 2 || opt.For("first").Integrator != runtime.Leapfrog ||
		opt.For("second").Integrator != runtime.GLFa || opt.For("second").Steps != 3 || opt.For("first").Steps != 0 {
		t.Errorf("start %+v", first.Start)
	}
	want, err := runtime.Sample(context.Background(), newPair(), opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	columns := append(runtime.StatNamesOf(newPair()), "y")
	for i, c := range last.Done.Chains {
		file, err := draws.Open(filepath.Join(dir, fmt.Sprintf("chain_%d.csv", i+1)))
		if err != nil {
			t.Fatal(err)
		}
		if !file.Complete || !slices.Equal(file.Columns, columns) || len(file.Columns) != runtime.NumStats+2*len(runtime.BlockStatNames)+1 {
			t.Errorf("chain %d: complete %v, columns %q", i+1, file.Complete, file.Columns)
		}
		for name, want := range map[string]string{
			"first.integrator": "leapfrog", "first.random_steps": "", "first.solver_tolerance": "1e-06", "first.solver_max_iterations": "1000",
			"first.reverse_check": "suspect", "first.max_treedepth": "10", "first.steps": "",
			"second.integrator": "glfa", "second.random_steps": "false", "second.solver_tolerance": "1e-07", "second.solver_max_iterations": "50",
			"second.reverse_check": "all", "second.steps": "3", "second.max_treedepth": "",
			"integrator": "", "Step size": "0.5", "second.stepsize": "0.5",
			"first.stepsize": string(draws.AppendFloat(nil, c.Blocks[0].StepSize)),
		} {
			if got := file.Setting(name); got != want {
				t.Errorf("chain %d: setting %s is %q, want %q", i+1, name, got, want)
			}
		}
		chain := &want.Chains[i]
		for k, name := range columns {
			values := append(slices.Clone(chain.Stats), chain.Draws...)[k]
			if !slices.Equal(file.Column(name), values) {
				t.Errorf("chain %d: %s of file and Sample differ", i+1, name)
			}
		}
		if len(c.Blocks) != 2 || c.Draws() != 30 || !reflect.DeepEqual(c.Blocks, chain.Blocks) {
			t.Errorf("chain %d: %+v, want %+v", i+1, c.Blocks, chain.Blocks)
		}
		if b := c.Blocks[1]; b.Name != "second" || b.StepSize != 0.5 || b.Sampling.Steps != 90 || b.Warmup.Transitions != 40 {
			t.Errorf("chain %d: %+v", i+1, b)
		}
		if eps := c.Blocks[0].StepSize; !(eps > 0.1 && eps < 4) || math.Abs(eps-0.5) < 1e-9 {
			t.Errorf("chain %d: step size of the first block %v", i+1, eps)
		}
	}
}

// TestServeBlocksReportsErrors: settings that do not fit make no file.
func TestServeBlocksReportsErrors(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ options, want string }{
		{`"blocks": [{"name": "third", "target_accept": 0.8, "steps": 3, "solver": {"tolerance": 1e-7, "MaxIterations": 50}}]`, "settings of a block third: model pair has the blocks first, second"},
		{`"blocks": [{"name": "second"}]`, "block second: solver tolerance 0"},
		{`"integrator": "leapfrog"`, "block second: the leapfrog needs a metric"},
		{`"keep": ["z"]`, "the draws of z cannot be kept"},
		{`"ode": {"RelTol": 1e-6}`, "tolerances of differential equations: model pair has none"},
		{`"blocks": [{"name": "second", "stepsize": 1}]`, `unknown field "stepsize"`},
	} {
		code, events := servePair(t, `{"output": "`+dir+`", "options": {`+c.options+`}}`)
		if code != 1 || len(events) != 1 || !strings.Contains(events[0].Error, c.want) {
			t.Errorf("%s: %d, %+v", c.options, code, events)
		}
	}
	if files, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(files) > 0 {
		t.Errorf("files %v, %v", files, err)
	}
}
