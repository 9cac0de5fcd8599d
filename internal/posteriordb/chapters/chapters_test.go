// Package chapters tests the models for the chapters of the Stan User's Guide.
package chapters

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime/ode"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// tolerance is relative to max(1, |value|).
const tolerance = 1e-10

// inexact are the models whose differential equations are solved less exactly
// than that, and how exactly they are. The table says which side is at fault.
var inexact = map[string]float64{"outbreak": 1e-9, "age_groups": 1e-9, "quick_equilibrium": 5e-10}

// TestTable: every model has a line of the table that says it agrees, a Stan
// program, data and points, and nothing stands there that has no model.
func TestTable(t *testing.T) {
	table, err := os.ReadFile("table.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSuffix(string(table), "\n"), "\n")[1:] {
		fields := strings.Split(line, "\t")
		if len(fields) != 8 {
			t.Fatalf("%d fields: %s", len(fields), line)
		}
		rows[fields[1]] = true
		if fields[2] == "failed" {
			t.Errorf("%s failed when the table was made: %s", fields[1], fields[7])
		}
	}
	models := names(t, "models", ".ham")
	for _, kind := range [][2]string{{"models", ".stan"}, {"data", ".json"}, {"points", ".json"}} {
		if others := names(t, kind[0], kind[1]); strings.Join(others, " ") != strings.Join(models, " ") {
			t.Errorf("%s/*%s are not those of the models:\n%v\n%v", kind[0], kind[1], others, models)
		}
	}
	for _, name := range models {
		if !rows[name] {
			t.Errorf("%s has no line in table.tsv", name)
		}
	}
}

// TestStan: every model is compiled, and the evaluator agrees with Stan at the
// points that are stored.
func TestStan(t *testing.T) {
	for _, name := range campaign.Sample(t, names(t, "models", ".ham"), 2) {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile("models/" + name + ".ham")
			if err != nil {
				t.Fatal(err)
			}
			// Points are in the coordinates of the declarations.
			m, ds := dsl.Load(name+".ham", string(text)+"\nmetric identity\n", dsl.Options{})
			if m == nil {
				t.Fatal(ds)
			}
			d, list := symbolic.Derive(m)
			if d == nil {
				t.Fatal(list)
			}
			data, err := os.ReadFile("data/" + name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			posterior, err := interpret.New(d, bytes.NewReader(data), name+".json")
			if err != nil {
				t.Fatal(err)
			}
			if s, ok := posterior.(interface{ SetODE(ode.Options) }); ok {
				s.SetODE(ode.Options{RelTol: 1e-13, AbsTol: 1e-13})
			}
			compare(t, name, posterior.(interface {
				Gradient(grad, q []float64) float64
			}))
		})
	}
}

// compare compares a model with Stan's values at its points.
func compare(t *testing.T, name string, model interface {
	Gradient(grad, q []float64) float64
}) {
	var stan struct {
		Points []struct {
			Q          []float64
			LogDensity float64 `json:"log_density"`
			Gradient   []float64
		}
	}
	text, err := os.ReadFile("points/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &stan); err != nil {
		t.Fatal(err)
	}
	if len(stan.Points) != 10 {
		t.Errorf("%d points", len(stan.Points))
	}
	limit := max(tolerance, inexact[name])
	for i, p := range stan.Points {
		gradient := make([]float64, len(p.Q))
		if lp := model.Gradient(gradient, p.Q); !near(lp, p.LogDensity, limit) {
			t.Errorf("point %d: the log density is %v, Stan's %v", i, lp, p.LogDensity)
		}
		for j, g := range gradient {
			if !near(g, p.Gradient[j], limit) {
				t.Errorf("point %d: element %d of the gradient is %v, Stan's %v", i, j, g, p.Gradient[j])
			}
		}
	}
}

func near(a, b, limit float64) bool { return math.Abs(a-b) <= limit*max(1, math.Abs(b)) }

// names returns the names of the files in a folder that end in suffix, without it.
func names(t *testing.T, folder, suffix string) []string {
	t.Helper()
	files, err := filepath.Glob(folder + "/*" + suffix)
	if err != nil || len(files) == 0 {
		t.Fatalf("nothing in %s: %v", folder, err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), suffix)
	}
	return files
}
