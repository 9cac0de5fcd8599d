package runtime

import (
	"encoding/json"
	"math"
	"testing"
)

// TestDepartures: points of a normal density depart from the metric that is its covariance by nothing, from another by what that is off, and no
// points from any.
func TestDepartures(t *testing.T) {
	e := NewEuclidean(&slope{m: 2, gradient: func(grad, q []float64) float64 { return 0 }}, false)
	if e.SetInverse([]float64{4, 9}) != OK {
		t.Fatal("no metric")
	}
	f := newFisher(2, true)
	if d := f.departures(e); !math.IsInf(d[0], 1) || !math.IsInf(d[1], 1) || f.settles(e) {
		t.Errorf("without points: %v", d)
	}
	for k := range 40 {
		x, y := 2*math.Sqrt2*math.Sin(float64(k)*math.Pi/20), 3*math.Cos(float64(k)*math.Pi/10)
		f.add([]float64{5 + x, y - 7}, []float64{1 - x/4, 2 - 2*y/9})
	}
	// The second coordinate has the variance 4.5, and half the metric's curvature: x + Cg = −y.
	d := f.departures(e)
	if math.Abs(d[0]) > 1e-12 || math.Abs(d[1]-0.5) > 1e-9 {
		t.Errorf("departures %v, want 0 and ½", d)
	}
}

// TestLengthsInterrupted: a trajectory that is cut short leaves nothing behind.
func TestLengthsInterrupted(t *testing.T) {
	in := &Info{Params: []Param{{Name: "q", Shape: []int{2}}}}
	whole, cut := newLengths(in, []float64{0, 1}), newLengths(in, []float64{0, 1})
	for n := range 5 {
		x := float64(n)
		if n == 3 {
			cut.start([]float64{x, 1}, -x)
			cut.visit(true, []float64{2, x}, -1, 0.3)
		}
		for _, l := range []*lengths{whole, cut} {
			l.start([]float64{x, 1}, -x)
			l.visit(false, []float64{x + 1, 2}, -x-1, 0.9)
			l.visit(false, []float64{x + 2, 2}, -x-1, 0.9)
			l.visit(true, []float64{x - 1, 2}, -x-1, 0.9)
			l.end(&Transition{Steps: 3, LogDensity: -x - 1}, []float64{x + 1, 2}, true)
		}
	}
	a, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(cut)
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("%s\nis not\n%s", b, a)
	}
	if len(whole.Fixed) != 2 || whole.Fixed[0].Count != 10 || whole.Fixed[1].Count != 5 || math.Abs(whole.Fixed[0].Sum[0]-9) > 1e-9 {
		t.Errorf("measured %+v", whole.Fixed)
	}
}
