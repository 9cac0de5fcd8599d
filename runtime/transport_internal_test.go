package runtime

import (
	"math"
	"slices"
	"testing"
)

// TestPointsFollowTheMap: where the reference moves at the end of a window, the points that the metric is made of are those that they were, in the coordinates of the new map, with the gradients there.
func TestPointsFollowTheMap(t *testing.T) {
	m := &shifted{slope: slope{m: 2, gradient: func(g, x []float64) (l float64) {
		for i, v := range x {
			g[i] = -v * v * v
			l -= v * v * v * v / 4
		}
		return l
	}}}
	opt := DefaultOptions()
	sweep, err := NewSweep(m, &opt)
	if err != nil {
		t.Fatal(err)
	}
	a, anchors := newAdapter(sweep.Kernels[0], 200, &opt.Tuning), newAnchoring(sweep.carrier, 200)
	var plain [][]float64
	for n := 0; !a.endsWindow(n); n++ {
		q := []float64{math.Sin(float64(n)), 2 + math.Cos(float64(n))}
		before := slices.Clone(q)
		a.take(n, &Transition{Steps: 1}, q)
		anchors.learn(n, q, a)
		if n >= a.begin {
			plain = append(plain, before)
		}
		for i := range q { // of the last, which the new map has moved
			if got := q[i] + m.r; math.Abs(got-before[i]) > 1e-12 {
				t.Fatalf("transition %d: the chain has gone from %v to %v", n, before[i], got)
			}
		}
	}
	if m.r == 0 || len(plain) != len(a.points.X) || int(a.points.Points.Count) != len(plain) {
		t.Fatalf("%d points of %d, counted %v, at the reference %v", len(a.points.X), len(plain), a.points.Points.Count, m.r)
	}
	for k, x := range plain {
		for i, v := range x {
			if math.Abs(a.points.X[k][i]-(v-m.r)) > 1e-12 {
				t.Errorf("point %d has the coordinate %v, want %v", k, a.points.X[k][i], v-m.r)
			}
			if math.Abs(a.points.G[k][i]+v*v*v) > 1e-9 {
				t.Errorf("point %d has the slope %v, want %v", k, a.points.G[k][i], -v*v*v)
			}
		}
	}
}

// TestKeptInOrder: the points that are kept come the oldest first, whether all were kept or not.
func TestKeptInOrder(t *testing.T) {
	f := newFisher(1, true)
	f.most = 4
	for n := range 7 {
		f.add([]float64{float64(n)}, []float64{0})
		want := max(0, n-3)
		for k, x := range f.kept() {
			if x[0] != float64(want+k) {
				t.Errorf("after %d points number %d of those kept is %v, want %d", n+1, k, x[0], want+k)
			}
		}
	}
}

// counted counts how often a map is made.
type counted struct {
	shifted
	made int
}

func (m *counted) SetReference(plain []float64) {
	m.made++
	m.shifted.SetReference(plain)
}

// TestConstrainPlain: the values of plain points are those of any map, and one map serves for many.
func TestConstrainPlain(t *testing.T) {
	m := &counted{shifted: shifted{slope: slope{m: 2}}}
	c := newCarrier(&Sweep{Posterior: m})
	c.anchor([]float64{200, 200}) // where there is no map
	m.made = 0
	values := make([]float64, 2)
	for n := range 9 {
		plain := []float64{float64(n), -3}
		if c.constrain(values, plain); values[0] != -float64(n) || values[1] != 3 {
			t.Errorf("the values of %v are %v", plain, values)
		}
	}
	if m.made != 1 {
		t.Errorf("%d maps were made for 9 points", m.made)
	}
}

// Constrain of a counted model is the negative of its plain coordinates.
func (m *counted) Constrain(values, q []float64) {
	m.Push(q)
	for i, v := range q {
		values[i] = -v
	}
}
