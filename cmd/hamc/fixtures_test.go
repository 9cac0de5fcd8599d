package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/fixtures"
)

// The commands that answer with numbers are compared with what the code of
// Brofos & Lederman (2021) computed; internal/fixtures tells of its files.

// fixture is a model of the paper as the command line sees it.
type fixture struct {
	name   string
	model  string // file of the model
	data   any    // nil for none
	points []fixtures.Point
}

func loadFixtures(t *testing.T) []fixture {
	t.Helper()
	load := func(name string) *fixtures.Model {
		m, err := fixtures.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	example := func(name string) string { return filepath.Join(os.Getenv("EXAMPLES"), name+".ham") }
	type object = map[string]any

	banana := load("banana")
	out := []fixture{{"banana", example("banana"), object{
		"n": len(banana.Data.Y), "y": banana.Data.Y,
		"sigma_y": banana.Params["sigma_y"], "sigma_t": banana.Params["sigma_theta"],
	}, banana.Points}}
	logistic := load("logistic_50x4")
	out = append(out, fixture{"logistic", example("logistic"), object{
		"n": len(logistic.Data.Y), "k": len(logistic.Data.X[0]), "x": logistic.Data.X, "y": logistic.Data.Y,
	}, logistic.Points})
	for _, v := range load("gaussian").Variants {
		out = append(out, fixture{"gaussian " + v.Variant, example("gaussian"), object{"mu": v.Mu, "Sigma": v.Sigma}, v.Points})
	}
	for _, v := range load("funnel").Variants {
		if v.Alpha == 1e6 { // that of the example
			out = append(out, fixture{"funnel", example("funnel"), nil, v.Points})
		}
	}
	if len(out) != 5 {
		t.Fatalf("%d fixtures", len(out))
	}
	return out
}

// arguments writes the data and the points to files and returns the arguments
// that name them.
func (f *fixture) arguments(t *testing.T, points []fixtures.Point) []string {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	list := make([]map[string][]float64, len(points))
	for i, p := range points {
		list[i] = map[string][]float64{"q": p.Q, "p": p.P}
	}
	args := []string{f.model, "--at", write("at.json", list)}
	if f.data != nil {
		args = append(args, "--data", write("data.json", f.data))
	}
	return args
}

// near fails the test unless two arrays agree to tol, relative to the largest
// entry of want and at least to 1.
func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	scale := 1.0
	for _, w := range want {
		scale = max(scale, math.Abs(w))
	}
	for i := range want {
		if d := math.Abs(got[i]-want[i]) / scale; !(d <= tol) {
			t.Errorf("%s[%d] = %v, want %v: relative difference %.1e", what, i, got[i], want[i], d)
			return
		}
	}
}

func flat[T any](rows [][]T) (out []T) {
	for _, r := range rows {
		out = append(out, r...)
	}
	return out
}

func TestLogProbFixtures(t *testing.T) {
	for _, f := range loadFixtures(t) {
		t.Run(f.name, func(t *testing.T) {
			r := fine(t, append([]string{"log-prob"}, f.arguments(t, f.points)...)...)
			var got []struct {
				LogDensity     float64       `json:"log_density"`
				Gradient       []float64     `json:"gradient"`
				Metric         [][]float64   `json:"metric"`
				MetricJacobian [][][]float64 `json:"metric_jacobian"`
				LogDetMetric   float64       `json:"log_det_metric"`
				Hamiltonian    float64       `json:"hamiltonian"`
				GradQ          []float64     `json:"grad_q_hamiltonian"`
				GradP          []float64     `json:"grad_p_hamiltonian"`
			}
			if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
				t.Fatal(err)
			}
			if len(got) != len(f.points) || len(got) < 3 {
				t.Fatalf("%d answers to %d points", len(got), len(f.points))
			}
			const tol = 1e-12
			for i, p := range f.points {
				g := got[i]
				what := func(s string) string { return fmt.Sprintf("point %d: %s", i, s) }
				near(t, what("gradient"), g.Gradient, p.GradL, tol)
				near(t, what("metric"), flat(g.Metric), flat(p.G), tol)
				// Differences carry the rounding of what they are differences of.
				p0, g0 := f.points[0], got[0]
				scale := max(1, math.Abs(p.L), math.Abs(p0.L))
				near(t, what("log density"), []float64{(g.LogDensity - g0.LogDensity) / scale}, []float64{(p.L - p0.L) / scale}, tol)
				scale = max(scale, math.Abs(p.HCode), math.Abs(p0.HCode))
				near(t, what("Hamiltonian"), []float64{(g.Hamiltonian - g0.Hamiltonian) / scale}, []float64{(p.HCode - p0.HCode) / scale}, tol)
				if p.DG == nil { // constant metric
					continue
				}
				near(t, what("metric jacobian"), flat(flat(g.MetricJacobian)), flat(flat(p.DG)), tol)
				near(t, what("log det"), []float64{g.LogDetMetric}, []float64{p.LogDetG}, tol)
				near(t, what("∂H/∂p"), g.GradP, p.DHDp, tol)
				near(t, what("∂H/∂q"), g.GradQ, p.DHDq, tol)
			}
		})
	}
}

func TestTrajectoryFixtures(t *testing.T) {
	for _, f := range loadFixtures(t) {
		t.Run(f.name, func(t *testing.T) {
			// All points that share a setting go through one command.
			type setting struct {
				method     string
				eps, delta float64
				steps      int
			}
			var settings []setting
			starts := map[setting][]fixtures.Point{}
			ends := map[setting][]fixtures.Step{}
			for _, p := range f.points {
				for _, s := range p.Steps {
					if !s.Clean {
						continue
					}
					k := setting{strings.ToLower(strings.TrimSuffix(s.Method, "*")), s.Eps, s.Delta, s.NumSteps}
					if ends[k] == nil {
						settings = append(settings, k)
					}
					starts[k], ends[k] = append(starts[k], p), append(ends[k], s)
				}
			}
			compared := 0
			for _, k := range campaign.Sample(t, settings, 2) {
				args := append([]string{"trajectory"}, f.arguments(t, starts[k])...)
				args = append(args, "--integrator", k.method, "--step-size", number64(k.eps), "--steps", strconv.Itoa(k.steps))
				if k.delta > 0 {
					args = append(args, "--tol", number64(k.delta))
				}
				r := fine(t, args...)
				var got []struct {
					Q, P         []float64
					EnergyChange float64 `json:"energy_change"`
					Converged    bool
					Iterations   int
					Failure      string
				}
				if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
					t.Fatal(err)
				}
				if len(got) != len(ends[k]) {
					t.Fatalf("%d answers to %d points", len(got), len(ends[k]))
				}
				tol := 1e-10
				if k.delta > 1e-12 {
					tol = 2e-8
				}
				for i, want := range ends[k] {
					g := got[i]
					what := fmt.Sprintf("%v, point %d", k, i)
					if !g.Converged || g.Failure != "" || (k.method != "leapfrog") != (g.Iterations > 0) {
						t.Errorf("%s: %+v", what, g)
					}
					near(t, what, append(g.Q, g.P...), append(append([]float64(nil), want.Q...), want.P...), tol)
					scale := max(1, math.Abs(starts[k][i].HCode))
					near(t, what+" energy", []float64{g.EnergyChange / scale}, []float64{float64(want.DH) / scale}, 1e-7)
					compared++
				}
			}
			if compared < campaign.Cases(t, 10, 20) {
				t.Errorf("%d integrations compared", compared)
			}
		})
	}
}

func number64(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
