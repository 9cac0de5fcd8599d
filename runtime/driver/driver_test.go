package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/draws"
)

// normal is N(mean, 1) with the constant metric 1.
type normal struct{ mean float64 }

func (m *normal) Info() *runtime.Info {
	return &runtime.Info{
		Name: "normal", Params: []runtime.Param{{Name: "x", Shape: []int{1}}}, Metric: runtime.MetricInfo{Constant: true},
	}
}
func (m *normal) LogDensity(q []float64) float64 { return -0.5 * (q[0] - m.mean) * (q[0] - m.mean) }
func (m *normal) Gradient(grad, q []float64) float64 {
	grad[0] = m.mean - q[0]
	return m.LogDensity(q)
}
func (m *normal) Metric(g, q []float64)            { g[0] = 1 }
func (m *normal) Contract(out, q, w []float64)     { out[0] = 0 }
func (m *normal) MetricJacobian(out, q []float64)  { out[0] = 0 }
func (m *normal) Constrain(x, q []float64)         { x[0] = q[0] }
func (m *normal) Unconstrain(q, x []float64) error { q[0] = x[0]; return nil }
func (m *normal) Clone() runtime.Model             { c := *m; return &c }

// load reads {"mean": …}.
func load(data io.Reader, name string) (runtime.Posterior, error) {
	var d struct{ Mean float64 }
	if err := json.NewDecoder(data).Decode(&d); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &normal{d.Mean}, nil
}

// serveText runs Serve on a request and returns the exit code and the events.
func serveText(t *testing.T, request string) (int, []Event) {
	t.Helper()
	var out bytes.Buffer
	code := Serve(context.Background(), load, strings.NewReader(request), &out)
	var events []Event
	for line := range bytes.Lines(out.Bytes()) {
		var e Event
		in := json.NewDecoder(bytes.NewReader(line))
		in.DisallowUnknownFields()
		if err := in.Decode(&e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		events = append(events, e)
	}
	return code, events
}

func TestServe(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data.json")
	if err := os.WriteFile(data, []byte(`{"mean": 1000}`), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "new", "out")
	request := fmt.Sprintf(`{"data": %q, "output": %q, "options": {"chains": 3, "warmup": 150, "draws": 50, "seed": 9, "integrator": "leapfrog"}}`, data, out)
	code, events := serveText(t, request)
	if code != 0 || len(events) < 2 {
		t.Fatalf("exit code %d, events %+v", code, events)
	}
	first, last := events[0], events[len(events)-1]
	if first.Event != EventStart || first.Start.Model != "normal" || !slices.Equal(first.Start.Names, []string{"x.1"}) {
		t.Errorf("first event %+v", first)
	}
	if o := first.Start.Options; o.Chains != 3 || o.TargetAccept != runtime.DefaultOptions().TargetAccept {
		t.Errorf("options %+v", o)
	}
	if last.Event != EventDone || last.Done.Interrupted || len(last.Done.Chains) != 3 {
		t.Fatalf("last event %+v", last)
	}
	finished := 0
	for _, e := range events[1 : len(events)-1] {
		if e.Event != EventProgress || e.Progress.Total != 200 {
			t.Errorf("event %+v", e)
		}
		if e.Progress.Phase == runtime.Finished && e.Progress.Done == 200 {
			finished++
		}
	}
	if finished != 3 {
		t.Errorf("%d chains said that they finished", finished)
	}

	// The files hold what Sample makes of the same options.
	opt := first.Start.Options
	want, err := runtime.Sample(context.Background(), &normal{1000}, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range last.Done.Chains {
		file, err := draws.Open(filepath.Join(out, fmt.Sprintf("chain_%d.csv", i+1)))
		if err != nil {
			t.Fatal(err)
		}
		if !file.Complete || file.Setting("seed") != "9" || c.Draws() != 50 {
			t.Errorf("chain %d: complete %v, seed %s, %+v", i+1, file.Complete, file.Setting("seed"), c)
		}
		if !slices.Equal(file.Column("x.1"), want.Chains[i].Draws[0]) {
			t.Errorf("chain %d: file and Sample differ", i+1)
		}
		for k, name := range runtime.StatNames {
			if !slices.Equal(file.Column(name), want.Chains[i].Stats[k]) {
				t.Errorf("chain %d: %s of file and Sample differ", i+1, name)
			}
		}
		if mean := file.Column("x.1")[0]; math.Abs(mean-1000) > 10 {
			t.Errorf("chain %d: the data did not arrive: x = %v", i+1, mean)
		}
	}

	// A second run does not touch the first one's files unless told to.
	code, events = serveText(t, request)
	if e := events[len(events)-1]; code != 1 || e.Event != EventError || !strings.Contains(e.Error, "exists already") {
		t.Errorf("second run: %d, %+v", code, e)
	}
	if file, err := draws.Open(filepath.Join(out, "chain_1.csv")); err != nil || !file.Complete {
		t.Errorf("first run's file: %v", err)
	}
	if code, _ = serveText(t, strings.Replace(request, `{`, `{"overwrite": true, `, 1)); code != 0 {
		t.Errorf("overwriting: exit code %d", code)
	}
}

func TestServeReportsErrors(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ request, want string }{
		{``, "request on standard input"},
		{`{"outputt": "x"}`, `unknown field "outputt"`},
		{`{"data": "no such file"}`, "no such file"},
		{`{"options": {"integrator": "euler"}}`, `unknown integrator "euler"`},
		{`{"output": "` + dir + `", "options": {"chains": 0, "draws": -1}}`, "0 chains"},
		{`{}`, "no directory"},
	} {
		code, events := serveText(t, c.request)
		if code != 1 || len(events) != 1 || events[0].Event != EventError || !strings.Contains(events[0].Error, c.want) {
			t.Errorf("%s: %d, %+v", c.request, code, events)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("a bad request made files: %v", files)
	}
}

// An interrupted run ends in order: no error, files that can be read, and a Done
// event that says so.
func TestInterruption(t *testing.T) {
	dir := t.TempDir()
	request := &Request{Output: dir, Options: runtime.DefaultOptions()}
	request.Options.Chains, request.Options.Workers = 3, 2
	request.Options.Warmup, request.Options.Draws = 50, math.MaxInt32
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var last Event
	err := Run(ctx, &normal{}, request, func(e Event) error {
		if e.Event == EventProgress && e.Progress.Phase == runtime.Sampling {
			cancel()
		}
		last = e
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if last.Event != EventDone || !last.Done.Interrupted {
		t.Errorf("last event %+v", last)
	}
	for i := range last.Done.Chains {
		file, err := draws.Open(filepath.Join(dir, fmt.Sprintf("chain_%d.csv", i+1)))
		if err != nil {
			t.Fatal(err)
		}
		if file.Complete || len(file.Column("x.1")) != last.Done.Chains[i].Draws() {
			t.Errorf("chain %d: complete %v, %d draws of %d", i+1, file.Complete,
				len(file.Column("x.1")), last.Done.Chains[i].Draws())
		}
	}
}

func TestParentThatIsGone(t *testing.T) {
	request := &Request{Output: t.TempDir(), Options: runtime.DefaultOptions()}
	request.Options.Draws = math.MaxInt32
	gone := errors.New("broken pipe")
	err := Run(context.Background(), &normal{}, request, func(e Event) error {
		if e.Event == EventProgress {
			return gone
		}
		return nil
	})
	if !errors.Is(err, gone) {
		t.Errorf("error %v", err)
	}
}

// The header tells the limit that treedepth__ has: of blocks, the largest of those with
// dynamic trajectories.
func TestHeaderTellsTheTrajectories(t *testing.T) {
	dynamic := func(depth int) runtime.Tuning { return runtime.Tuning{MaxDepth: depth} }
	static := runtime.Tuning{Steps: 3, MaxDepth: 12}
	blocks := func(of ...runtime.Tuning) (list []runtime.BlockTuning) {
		for _, t := range of {
			list = append(list, runtime.BlockTuning{Tuning: t})
		}
		return list
	}
	for _, c := range []struct {
		opt           runtime.Options
		engine, depth string
	}{
		{runtime.Options{Tuning: dynamic(6)}, "nuts", "6"},
		{runtime.Options{Tuning: static}, "static", "NaN"},
		{runtime.Options{Tuning: dynamic(11), Blocks: blocks(static, dynamic(5), dynamic(8), dynamic(4))}, "nuts", "8"},
		{runtime.Options{Tuning: dynamic(11), Blocks: blocks(static, static)}, "static", "NaN"},
	} {
		r := &recorder{opt: c.opt, manifest: &Manifest{Names: []string{"x"}}}
		var b bytes.Buffer
		w := draws.NewWriter(&b, r.header(0))
		if err := w.Abandon(); err != nil {
			t.Fatal(err)
		}
		file, err := draws.Read(&b, "")
		if err != nil {
			t.Fatal(err)
		}
		if engine, depth := file.Setting("engine"), file.Setting("max_depth"); engine != c.engine || depth != c.depth {
			t.Errorf("%+v: engine %s, max_depth %s, want %s, %s", c.opt, engine, depth, c.engine, c.depth)
		}
	}
}
