package runtime_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
)

// mutant is a model with one mistake.
type mutant struct {
	runtime.Model
	where string
}

func (m *mutant) LogDensity(q []float64) float64 {
	l := m.Model.LogDensity(q) + 7 // a constant is no mistake
	if m.where == "log density" {
		l += 1e-6 * q[1]
	}
	return l
}

func (m *mutant) Gradient(grad, q []float64) float64 {
	m.Model.Gradient(grad, q)
	if m.where == "gradient" {
		grad[1] *= 1 + 1e-6
	}
	return m.LogDensity(q)
}

func (m *mutant) Metric(g, q []float64) {
	m.Model.Metric(g, q)
	if m.where == "metric" {
		g[2] = math.NaN()
	}
}

func (m *mutant) Contract(out, q, w []float64) {
	m.Model.Contract(out, q, w)
	if m.where == "contraction" {
		out[1] -= 1e-3 * w[3]
	}
}

func (m *mutant) MetricJacobian(out, q []float64) {
	m.Model.MetricJacobian(out, q)
	if m.where == "metric jacobian" {
		out[5] = -out[5]
	}
}

func (m *mutant) Constrain(x, q []float64) {
	m.Model.Constrain(x, q)
	if m.where == "parameters" {
		x[0] += 1e-9
	}
}

func worstQuantity(r runtime.Report) (worst runtime.Difference) {
	for _, d := range r {
		if d.Relative > worst.Relative {
			worst = d
		}
	}
	return worst
}

func TestCompareFindsTheMistake(t *testing.T) {
	m, f := fixtureBanana(t)
	var points [][]float64
	for _, pt := range f.Points {
		points = append(points, pt.Q)
	}
	r, err := runtime.Compare(m, &mutant{Model: m}, points)
	if err != nil || r.Worst() > 1e-14 {
		t.Errorf("equal models: %v\n%v", err, r)
	}
	for where, entry := range map[string][]int{
		"log density": {}, "gradient": {1}, "metric": {1, 0}, "contraction": {1},
		"metric jacobian": {1, 0, 1}, "parameters": {0},
	} {
		r, err := runtime.Compare(m, &mutant{m, where}, points)
		if err != nil {
			t.Fatal(err)
		}
		got := worstQuantity(r)
		if got.Quantity != where || !slices.Equal(got.Entry, entry) {
			t.Errorf("mistake in %s, found %+v", where, got)
		}
		if !strings.Contains(r.String(), where) {
			t.Errorf("report without %s:\n%v", where, r)
		}
		if where == "metric" && !math.IsInf(got.Relative, 1) {
			t.Errorf("a NaN against a number: %v", got.Relative)
		}
	}
}

func TestCheckGradients(t *testing.T) {
	b, _ := fixtureBanana(t)
	points := [][]float64{{0.5, 0.7}, {-1.3, 1.6}, {0.1, -0.2}}
	for _, m := range []runtime.Model{b, newCurved(), newGaussian([]float64{0.5, -1}, [][]float64{{1, 0.5}, {0.5, 2}})} {
		r, err := runtime.CheckGradients(m, points)
		if err != nil || r.Worst() > 1e-9 {
			t.Errorf("%s: %v\n%v", m.Info().Name, err, r)
		}
	}
	if r, err := runtime.CheckGradients(newExponential(), [][]float64{{0.3}, {-4}, {3}}); err != nil || r.Worst() > 1e-12 {
		t.Errorf("exponential: %v\n%v", err, r)
	}
	for _, where := range []string{"gradient", "contraction", "metric jacobian"} {
		r, err := runtime.CheckGradients(&mutant{b, where}, points)
		if got := worstQuantity(r); err != nil || got.Relative < 1e-7 {
			t.Errorf("mistake in %s: %v\n%v", where, err, r)
		}
	}
}

func TestComparisonsThatMakeNoSense(t *testing.T) {
	if _, err := runtime.Compare(newCurved(), newExponential(), [][]float64{{1, 1}}); err == nil {
		t.Error("models of different dimension: no error")
	}
	if _, err := runtime.Compare(newCurved(), newCurved(), nil); err == nil {
		t.Error("no points: no error")
	}
	if _, err := runtime.CheckGradients(newCurved(), [][]float64{{1}}); err == nil {
		t.Error("point of wrong length: no error")
	}
}
