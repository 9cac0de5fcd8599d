package runtime

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
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

// TestLengthsBeginBehindTheWindow: the way of a chain to the posterior, in a window whose points then fit the metric, is no part of the variances that lengths are
// measured by.
func TestLengthsBeginBehindTheWindow(t *testing.T) {
	e := NewEuclidean(&slope{m: 2, gradient: func(grad, q []float64) float64 { return 0 }}, false)
	opt := DefaultOptions()
	k, err := NewHMC(e, Leapfrog, opt.Solver)
	if err != nil {
		t.Fatal(err)
	}
	a := newAdapter(k, 500, &opt.Tuning)
	window := func() {
		for n := range 2 * settledWindow {
			x, y := math.Sqrt2*math.Sin(float64(n)), math.Sqrt2*math.Cos(float64(n))
			a.points.add([]float64{x, y}, []float64{-x, -y})
		}
		a.endWindow()
	}
	window()
	a.measured(100, &Transition{}, []float64{1e6, 0})
	window()
	if a.lengths == nil || !a.settled {
		t.Fatal("the metric has not settled")
	}
	if a.lengths.Seen != 0 {
		t.Errorf("%v states are seen already", a.lengths.Seen)
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

// TestStepTwoStage: a step of two stages is undone by one back, its error is one of third order, and in many dimensions of a normal posterior
// the energy changes by a third of what it does along two leapfrogs of half the size.
func TestStepTwoStage(t *testing.T) {
	const m = 100
	normal := func(grad, q []float64) (l float64) {
		for i, x := range q {
			grad[i] = -x - 0.01*x*x*x
			l -= x*x/2 + 0.01*x*x*x*x/4
		}
		return l
	}
	e := NewEuclidean(&slope{m: m, gradient: normal}, false)
	rng := rand.New(rand.NewPCG(3, 1))
	q0, p0 := make([]float64, m), make([]float64, m)
	for i := range q0 {
		q0[i], p0[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	change := func(eps float64, steps int, step func(q, p []float64, eps float64) StepResult) (dh float64, q, p []float64) {
		q, p = slices.Clone(q0), slices.Clone(p0)
		before, _, _ := e.Energy(q, p)
		for range steps {
			if r := step(q, p, eps); r.Status != OK {
				t.Fatal(r.Status)
			}
		}
		after, _, _ := e.Energy(q, p)
		return after - before, q, p
	}
	_, q, p := change(0.9, 1, e.StepTwoStage)
	if e.StepTwoStage(q, p, -0.9); !near(q, q0) || !near(p, p0) {
		t.Error("a step back does not undo a step")
	}
	_, coarse, _ := change(0.02, 1, e.StepTwoStage)
	_, fine, _ := change(0.01, 2, e.StepTwoStage)
	_, finer, _ := change(0.005, 4, e.StepTwoStage)
	if ratio := distance(coarse, fine) / distance(fine, finer); math.Abs(ratio-4) > 0.2 {
		t.Errorf("errors fall by %.2f with the step size halved, want 4", ratio)
	}
	staged, leaps := 0.0, 0.0
	for range 50 {
		for i := range q0 {
			q0[i], p0[i] = rng.NormFloat64(), rng.NormFloat64()
		}
		a, _, _ := change(0.8, 2, e.StepTwoStage)
		b, _, _ := change(0.4, 4, e.StepLeapfrog)
		staged, leaps = staged+a*a, leaps+b*b
	}
	if math.Sqrt(staged/leaps) > 0.4 {
		t.Errorf("the energy changes by %.3f, and by %.3f along leapfrogs", math.Sqrt(staged/50), math.Sqrt(leaps/50))
	}
}

func near(a, b []float64) bool { return distance(a, b) < 1e-10 }

func distance(a, b []float64) (d float64) {
	for i, x := range a {
		d = max(d, math.Abs(x-b[i]))
	}
	return d
}

// TestSpoiltLengths: a step that was halved keeps trajectories dynamic, whatever is measured.
func TestSpoiltLengths(t *testing.T) {
	best := func(halved bool) int {
		l := newLengths(&Info{Params: []Param{{Name: "q", Shape: []int{1}}}}, []float64{0})
		for n := range 40 {
			x := float64(n%2)*2 - 1
			l.start([]float64{x}, -float64(n%4))
			l.visit(false, []float64{-x * float64(1+n%3)}, -float64((n+2)%4), 1) // far away after a step
			l.end(&Transition{Steps: 15, LogDensity: -float64(n % 4), halved: halved && n == 7}, []float64{x * float64(1+n%3)}, true)
		}
		return l.best(1, 1)
	}
	if n := best(false); n != 1 {
		t.Errorf("trajectories of %d steps, want 1", n)
	}
	if n := best(true); n != 0 {
		t.Errorf("a step was halved: trajectories of %d steps", n)
	}
}

// TestJitterIsUndone: the way back of a trajectory has the step size of the way there.
func TestJitterIsUndone(t *testing.T) {
	normal := func(grad, q []float64) (l float64) {
		for i, x := range q {
			grad[i] = -x
			l -= x * x / 2
		}
		return l
	}
	k, err := NewHMC(NewEuclidean(&slope{m: 3, gradient: normal}, false), Leapfrog, DefaultOptions().Solver)
	if err != nil {
		t.Fatal(err)
	}
	k.StepSize, k.Steps, k.Jitter, k.Reverse = 0.5, 3, 0.5, ReverseAll
	q, rng, sizes := make([]float64, 3), rand.New(rand.NewPCG(1, 1)), map[float64]bool{}
	for range 50 {
		tr := k.Transition(q, rng)
		if sizes[tr.StepSize] = true; tr.Irreversible || tr.StepSize < 0.25 || tr.StepSize > 0.75 {
			t.Fatalf("step size %v, irreversible: %v", tr.StepSize, tr.Irreversible)
		}
	}
	if len(sizes) != 50 {
		t.Errorf("%d step sizes", len(sizes))
	}
}
