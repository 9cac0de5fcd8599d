package grid

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/hamc-dev/hamc/generated/banana"
	"github.com/hamc-dev/hamc/runtime"
)

// loadBanana makes the generated banana.
func loadBanana(in io.Reader, name string) (runtime.Posterior, error) {
	d, err := banana.ReadData(in, name)
	if err != nil {
		return nil, err
	}
	return banana.New(d)
}

// simulated makes data for the banana, and a point on its ridge.
var simulated = Simulator{Name: "ridge", Simulate: func(rng *rand.Rand) (map[string]any, Point, error) {
	y := make([]float64, 20)
	for i := range y {
		y[i] = 1 + 2*rng.NormFloat64()
	}
	return map[string]any{"n": len(y), "y": y}, Point{"t1": {0.5}, "t2": {0.7}}, nil
}}

// bananas is a worker of the banana with extensions.
func bananas(ext ...Extension) *Program {
	return &Program{
		Models:     map[string]Load{"m_banana": loadBanana},
		Extensions: append([]Extension{{Simulators: []Simulator{simulated}}}, ext...),
	}
}

// paperSettings are those of the paper's solver on a short trajectory.
func paperSettings(integrator string) Settings {
	return Settings{
		Integrator: integrator, Code: Generated, StepSize: 0.1, Steps: 5,
		Tolerance: 1e-6, MaxIterations: 1000, Solver: runtime.FixedPoint, ReverseCheck: runtime.ReverseOff,
	}
}

// short is a length of milliseconds.
var short = Length{Draws: 60, Warmup: 5, Checks: 4, Eta: 1e-5, Audit: 20}

// planOf is a plan of the banana with a cell for each of some settings.
func planOf(seed uint64, all ...Settings) *Plan {
	p := &Plan{Format: PlanVersion, Title: "test", Seed: seed, Models: []Model{{
		Name: "banana", Code: "m_banana", Simulate: simulated.Name, Start: StartSimulated, Digest: "d",
	}}}
	for i, s := range all {
		p.Cells = append(p.Cells, Cell{Index: i, Group: "g", Replicate: 1, Settings: s, Length: short})
	}
	return p
}

// lay writes a plan to a new directory, with what else is in one.
func lay(t *testing.T, p *Plan) string {
	t.Helper()
	dir := t.TempDir()
	for _, sub := range []string{CellsName, DataName} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// result runs one cell of a plan in this process.
func result(t *testing.T, program *Program, p *Plan, index int) *Result {
	t.Helper()
	w := &worker{program: program, plan: p, dir: t.TempDir()}
	r, err := w.run(&p.Cells[index])
	if err != nil {
		t.Fatal(err)
	}
	if r.Problem != "" {
		t.Fatalf("cell %d: %s", index, r.Problem)
	}
	return r
}

// timeless is the text of a result without its times.
func timeless(t *testing.T, r *Result) string {
	t.Helper()
	x := *r
	x.Times = Times{}
	text, err := json.Marshal(&x)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// served runs a worker's command on a directory and returns its exit code and what it writes.
func served(p *Program, stdin string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = p.serve(args, bytes.NewReader([]byte(stdin)), &out, &errs)
	return code, out.String(), errs.String()
}

// near reports whether two numbers agree to a share of the larger one's size, or of 1.
func near(a, b, share float64) bool {
	return a == b || math.Abs(a-b) <= share*max(1, math.Abs(a), math.Abs(b))
}
