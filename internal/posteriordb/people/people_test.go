// Package people tests the models after Stan programs of applied papers.
package people

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/ode"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// point is a position, and Stan's values there.
type point struct {
	Q          []float64 `json:"q"`
	LogDensity float64   `json:"log_density"`
	Gradient   []float64 `json:"gradient"`
}

// few is the number of points of a model that are compared here; people.py compares all.
const few = 2

// TestModels compares every model with the stored values of Stan, in the coordinates of its declarations, and holds its gradient in the coordinates
// that hamc chooses, as `hamc run` takes it, to be a number: of one in eight in a short run, hgf among them, which had none.
func TestModels(t *testing.T) {
	files, err := filepath.Glob("*.ham")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d models: %v", len(files), err)
	}
	table, err := os.ReadFile("people.tsv")
	if err != nil {
		t.Fatal(err)
	}
	chosen := campaign.Sample(t, files, 8)
	for _, file := range campaign.Sample(t, files, 2) {
		name := strings.TrimSuffix(file, ".ham")
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(string(table), "\n"+name+"\t") {
				t.Errorf("people.tsv has no line %s", name)
			}
			var points []point
			text, err := os.ReadFile(name + ".points.json")
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &points); err != nil || len(points) < few {
				t.Fatalf("%d points: %v", len(points), err)
			}
			plain := load(t, name, "\nmetric identity\n")
			gradient := make([]float64, len(points[0].Q))
			for _, p := range points[:few] {
				if got := plain.Gradient(gradient, p.Q); far(got, p.LogDensity, 1e-11) {
					t.Errorf("log density %.17g, Stan has %.17g", got, p.LogDensity)
				}
				for i, g := range gradient {
					if far(g, p.Gradient[i], 1e-8) {
						t.Errorf("∂/∂q[%d] is %.17g, Stan has %.17g", i, g, p.Gradient[i])
					}
				}
			}
			if !slices.Contains(chosen, file) {
				return
			}
			load(t, name, "").Gradient(gradient, points[0].Q)
			for i, g := range gradient {
				if g-g != 0 {
					t.Errorf("∂/∂q[%d] is %g in the coordinates of `hamc run`", i, g)
				}
			}
		})
	}
}

// far reports whether two values differ by more than a part of the second.
func far(a, b, tolerance float64) bool {
	return !(math.Abs(a-b) <= tolerance*math.Max(1, math.Abs(b)))
}

// load is the evaluator of a model with its data.
func load(t *testing.T, name, behind string) runtime.Model {
	t.Helper()
	text, err := os.ReadFile(name + ".ham")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "\nmetric ") {
		behind = ""
	}
	m, ds := dsl.Load(name+".ham", string(text)+behind, dsl.Options{})
	if m == nil {
		t.Fatal(ds.List)
	}
	d, list := symbolic.Derive(m)
	if d == nil {
		t.Fatal(list)
	}
	data, err := os.Open(name + ".data.json")
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	p, err := interpret.New(d, data, name+".data.json")
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := p.(interface{ SetODE(ode.Options) }); ok {
		s.SetODE(ode.Options{RelTol: 1e-12, AbsTol: 1e-12})
	}
	return p.(runtime.Model)
}
