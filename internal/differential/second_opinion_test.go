package differential

import (
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/differential/probe"
	"github.com/hamc-dev/hamc/runtime"
)

// TestDensities compares the interpreter, to which TestGenerated holds the
// generated code, with the naive evaluation of the syntax tree, and its
// derivatives with finite differences of its own values.
func TestDensities(t *testing.T) {
	var metrics atomic.Int64
	all := compiled(t)
	beside(len(all), func(n int) {
		s := all[n]
		t.Run(s.name, func(t *testing.T) {
			im, err := s.interpreted()
			if err != nil {
				t.Fatal(err)
			}
			metrics.Add(int64(opinion(t, im, s)))
		})
	})
	t.Logf("%d metrics compared", metrics.Load())
}

// metricTolerance is relative to the largest entry: that of second differences.
const metricTolerance = 3e-6

// unit is a model or a block of it.
type unit struct {
	name  string
	set   func(q []float64)
	model runtime.Model
	order []int // of the metric's coordinates, if not the model's own
}

// opinion returns the number of metrics that it compared.
func opinion(t *testing.T, im runtime.Posterior, s *subject) (metrics int) {
	defer func() {
		if e := recover(); e != nil {
			t.Errorf("panic: %v", e)
		}
	}()
	e, err := newNaive(s.derived.Model, s.data)
	if err != nil {
		t.Fatal(err)
	}
	dim := im.Info().Dim()
	if a, ok := im.(runtime.Anchored); ok {
		a.SetReference(probe.Reference(dim))
	}
	var points [][]float64
	for i := range 5 {
		q := probe.Position(dim, i)
		points = append(points, q)
		got := im.LogDensity(q)
		want, tolerance := carried(t, im, s, q, e.logDensity)
		if got == want {
			continue
		}
		if d := math.Abs(got-want) / max(1, math.Abs(want)); !(d <= tolerance) {
			t.Errorf("point %d: log density %v, want %v", i, got, want)
		}
	}
	few := points[:2]
	if s.slow() {
		few = points[:1]
	}
	if m, ok := im.(runtime.Model); ok {
		report, err := runtime.CheckGradients(m, few)
		judge(t, "", im, m, points[0], report, err)
	}
	var units []unit
	switch im := im.(type) {
	case runtime.Gibbs:
		for _, b := range im.Blocks() {
			report, err := runtime.CheckBlock(im, b, few)
			judge(t, b.Info().Name+": ", im, b, points[0], report, err)
			units = append(units, unit{b.Info().Name + ": ", func(q []float64) { b.Given(q) }, b, nil})
		}
	case runtime.Model:
		units = append(units, unit{"", func([]float64) {}, im, e.coordinates(s.derived.Model.Blocks[0])})
	}
	if s.slow() && !s.hasODE() {
		return 0
	}
	for n, u := range units {
		metrics += compareMetrics(t, e, im, s.derived.Model.Blocks[n], u, few)
	}
	return metrics
}

// judge tells whether derivatives agree with finite differences of a model or a block of it, whose metric at a point says how large the numbers are.
func judge(t *testing.T, what string, im runtime.Posterior, m runtime.Model, at []float64, report runtime.Report, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	n := m.Info().Dim()
	g := make([]float64, n*n)
	m.Metric(g, runtime.Gather(im.Info(), m.Info(), at))
	for _, d := range report {
		// Differences are no better than the largest numbers allow.
		if !(d.Relative <= 1e-6 || math.Abs(d.A-d.B) <= 1e-8*max(1, size(g))) {
			t.Errorf("%sderivatives and finite differences:\n%v", what, report)
			return
		}
	}
}

// compareMetrics compares the metric of a unit at points, but for those where the differences do not resolve it, and returns how many it has compared.
func compareMetrics(t *testing.T, e *naive, im runtime.Posterior, block *dsl.Block, u unit, points [][]float64) (metrics int) {
	t.Helper()
	for k, q := range points {
		want, coarse := e.metric(block, q, 5e-3), e.metric(block, q, 1e-2)
		if want == nil {
			break
		}
		tol := metricTolerance * max(1, size(want))
		rough := 0.0
		for i, x := range want {
			rough = max(rough, math.Abs(x-coarse[i]))
		}
		if !(rough <= tol) {
			continue // the differences do not resolve this metric
		}
		metrics++
		u.set(q)
		got := make([]float64, len(want))
		u.model.Metric(got, runtime.Gather(im.Info(), u.model.Info(), q))
		if n := len(u.order); n > 0 {
			ordered := make([]float64, n*n)
			for i, x := range u.order {
				for j, y := range u.order {
					ordered[i*n+j] = got[x*n+y]
				}
			}
			got = ordered
		}
		for i := range got {
			if !(math.Abs(got[i]-want[i]) <= tol) {
				t.Errorf("%spoint %d: metric\n%v, want\n%v", u.name, k, got, want)
				break
			}
		}
	}
	return metrics
}

// carried is a log density of the coordinates of declarations in those of a model, with the logarithm of the Jacobian of the maps of
// latent vectors, and how close it is. The maps are affine in plain coordinates: differences are exact but for rounding. Those are not the coordinates of declarations where chains are
// written by their innovations: differences are taken at several distances, and extrapolated.
func carried(t *testing.T, im runtime.Posterior, s *subject, q []float64, logDensity func(declared []float64) float64) (l, tolerance float64) {
	m, ok := im.(runtime.Transported)
	if !ok {
		return logDensity(q), 1e-11
	}
	latent := latentPlaces(im.Info())
	if len(latent) == 0 {
		return logDensity(q), 1e-11
	}
	to := func(q []float64) []float64 {
		plain := slices.Clone(q)
		m.Push(plain)
		return plain
	}
	tolerance = 1e-11
	difference := func(k int) []float64 {
		moved := slices.Clone(q)
		moved[k]++
		y := to(moved)
		for i, x := range to(q) {
			y[i] -= x
		}
		return y
	}
	if len(s.derived.Chained) > 0 {
		without := unmapped(t, s)
		to = func(q []float64) []float64 {
			q = slices.Clone(q)
			declared(t, im, without, q)
			return q
		}
		tolerance = 1e-8
		difference = func(k int) []float64 {
			const h = 0.02
			slope := func(h float64) []float64 {
				up, down := slices.Clone(q), slices.Clone(q)
				up[k] += h
				down[k] -= h
				up, down = to(up), to(down)
				for i := range up {
					up[i] = (up[i] - down[i]) / (2 * h)
				}
				return up
			}
			a, b, c := slope(h), slope(h/2), slope(h/4)
			for i := range a {
				c[i] = (64*c[i] - 20*b[i] + a[i]) / 45
			}
			return c
		}
	}
	jacobian := mat.NewDense(len(latent), len(latent), nil)
	for c, k := range latent {
		d := difference(k)
		for r, i := range latent {
			jacobian.Set(r, c, d[i])
		}
	}
	l, _ = mat.LogDet(jacobian)
	return logDensity(to(q)) + l, tolerance
}

// size returns the largest magnitude.
func size(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		m = max(m, math.Abs(x))
	}
	return m
}
