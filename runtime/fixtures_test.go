package runtime_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
)

// point is a position with reference values and integrations from it; see
// testdata/README.md.
type point struct {
	Q, P  []float64
	H     float64   `json:"H_paper"`
	L     float64   `json:"L"`
	DHDq  []float64 `json:"dH_dq"`
	DHDp  []float64 `json:"dH_dp"`
	Steps []record
}

type record struct {
	Delta  *float64
	Eps    float64
	Method string
	Steps  int `json:"num_steps"`
	Q, P   []float64
	Clean  bool
	Solves []int `json:"solve_iters"`
}

type fixture struct {
	Data     struct{ Y []float64 }
	Points   []point
	Variants []struct {
		Mu     []float64
		Sigma  [][]float64 `json:"Sigma"`
		Points []point
	}
	Failures []struct {
		Q, P                 []float64
		Eps, Delta           float64
		GLFa, GLFb, IMa, IMb record
	} `json:"glf_failures"`
}

func readJSON(t testing.TB, path string, to any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func readFixture(t testing.TB, name string) (f fixture) {
	t.Helper()
	readJSON(t, "testdata/"+name+".json", &f)
	return f
}

// fixtureBanana is the banana on the fixture's data.
func fixtureBanana(t testing.TB) (*banana, fixture) {
	t.Helper()
	f := readFixture(t, "banana")
	return newBanana(f.Data.Y, 2, 2), f
}

var methods = map[string]runtime.Integrator{
	"GLFa": runtime.GLFa, "GLFb": runtime.GLFb, "IMa": runtime.IMa, "IMb": runtime.IMb, "leapfrog": runtime.Leapfrog,
}

// implicit are the integrators that run on any metric.
var implicit = []runtime.Integrator{runtime.GLFa, runtime.GLFb, runtime.IMa, runtime.IMb}

func clone(x []float64) []float64 { return append([]float64(nil), x...) }

// distance returns max|a − b|/max(1, |a|∞, |b|∞) over both pairs.
func distance(qa, pa, qb, pb []float64) float64 {
	diff, scale := 0.0, 1.0
	for i := range qa {
		diff = max(diff, math.Abs(qa[i]-qb[i]), math.Abs(pa[i]-pb[i]))
		scale = max(scale, math.Abs(qa[i]), math.Abs(pa[i]), math.Abs(qb[i]), math.Abs(pb[i]))
	}
	return diff / scale
}

// stepper returns the step of an integrator for m.
func stepper(t testing.TB, m runtime.Model, k runtime.Integrator) runtime.StepFunc {
	t.Helper()
	step, err := runtime.Stepper(m, k, runtime.DefaultMethod)
	if err != nil {
		t.Fatal(err)
	}
	return step
}

// plain returns a solver as the paper's, without StopStalled.
func plain(delta float64) *runtime.Solver {
	return &runtime.Solver{Tolerance: delta, MaxIterations: 1000}
}
