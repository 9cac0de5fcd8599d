package differential

import (
	"math"
	"testing"

	"github.com/hamc-dev/hamc/internal/differential/probe"
	"github.com/hamc-dev/hamc/runtime"
)

// TestDensities compares the interpreter, to which TestGenerated holds the
// generated code, with the naive evaluation of the syntax tree, and its
// derivatives with finite differences of its own values.
func TestDensities(t *testing.T) {
	for _, s := range compiled(t) {
		t.Run(s.name, func(t *testing.T) {
			im, err := s.interpreted()
			if err != nil {
				t.Fatal(err)
			}
			opinion(t, im, s)
		})
	}
}

func opinion(t *testing.T, im runtime.Model, s *subject) {
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
	var points [][]float64
	for i := range 5 {
		q := probe.Position(dim, i)
		points = append(points, q)
		got, want := im.LogDensity(q), e.logDensity(q)
		if d := math.Abs(got-want) / max(1, math.Abs(want)); !(d <= 1e-11) {
			t.Errorf("point %d: log density %v, want %v", i, got, want)
		}
	}
	report, err := runtime.CheckGradients(im, points[:2])
	if err != nil {
		t.Fatal(err)
	}
	if worst := report.Worst(); !(worst <= 1e-6) {
		t.Errorf("derivatives and finite differences:\n%v", report)
	}
}
