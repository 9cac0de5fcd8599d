package runtime

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLadder: whatever the acceptance of the rungs, which grows, a ladder comes to a rung of about the most merit, and stays there; where none accepts enough it says so.
func TestLadder(t *testing.T) {
	for start := range rungs {
		for first := range len(rungs) + 1 {
			for _, high := range []float64{0.85, 0.95, 0.999} {
				for _, draw := range []float64{0, 1, 100} {
					l := newLadder(0.8, 0, 1, draw, start)
					share := func(row int) float64 {
						if row < first {
							return 0.1 + 0.05*float64(row)
						}
						return 1 - (1-high)/float64(1+3*(row-first))
					}
					for range 200 {
						l.add(share(l.Now))
					}
					if ended := first == len(rungs); ended != l.ended() {
						t.Errorf("from %d, the first rung that accepts enough is %d of %d: ended %v", start, first, len(rungs), l.ended())
					}
					most, want := 0.0, 0
					for row := range rungs {
						if m := l.merit(row, share(row)); m > most && share(row) >= l.Accept {
							most, want = m, row
						}
					}
					// Few transitions tell of a rung that is not the best, and they count for less than they were.
					if got, _ := l.best(); first < len(rungs) && (l.merit(got, share(got)) < 0.75*most || l.Now != got) {
						t.Errorf("from %d, %d accepts %.3f, draws cost %v: at rung %d, the best is %d, want %d", start, first, high, draw, l.Now, got, want)
					}
				}
			}
		}
	}
	// Ten of ten are as many as can be asked for.
	l := newLadder(0.99, 0, 1, 1, 0)
	for range rungLeast {
		l.add(1)
	}
	if row, merit := l.best(); row != 0 || merit == 0 || l.ended() {
		t.Errorf("all of ten are accepted, and 0.99 are to be: rung %d of merit %v", row, merit)
	}
	if l := newLadder(0.8, 0.3, 1, 1, 0); l.Time != plainQuarter {
		t.Errorf("a departure of 0.3: %+v", l)
	}
	if l := newLadder(0.97, 0.8, 1, 1, 0); l.Time != carefulQuarter {
		t.Errorf("a departure of 0.8: %+v", l)
	}
}

// TestLadderStaysAbove: a ladder for a posterior that departs begins at its lowest rung, and does not go below.
func TestLadderStaysAbove(t *testing.T) {
	l := newLadder(0.8, 0.8, 1, 1, 0)
	for range 100 {
		if l.Now < carefulRung {
			t.Fatalf("at rung %d", l.Now)
		}
		l.add(1)
	}
}

// turning returns the adapter of a kernel over N(0, I) in two dimensions, whose trajectories are quarters of a turn.
func turning(t *testing.T, departure float64) *adapter {
	t.Helper()
	e := NewEuclidean(&slope{m: 2, gradient: func(grad, q []float64) (l float64) {
		for i, x := range q {
			grad[i] = -x
			l -= x * x / 2
		}
		return l
	}}, false)
	e.SetCentre([]float64{0, 0})
	opt := DefaultOptions()
	k, err := NewHMC(e, Leapfrog, opt.Solver)
	if err != nil {
		t.Fatal(err)
	}
	a := newAdapter(k, 500, &opt.Tuning)
	*a.averaging = newDualAveraging(0.9, 0.8)
	a.turn(departure)
	return a
}

// on reports whether trajectories are those of a rung.
func (a *adapter) on(row int) bool {
	r := &rungs[row]
	return a.k.Steps == r.steps && a.k.split == r.gradients && math.Abs(a.k.StepSize*float64(r.steps)-a.ladder.Time) < 1e-12
}

// TestTurn: trajectories are those of the ladder from its first transition on, through the warm-up and after it, and dynamic again where none is accepted.
func TestTurn(t *testing.T) {
	a := turning(t, 0.1)
	if a.ladder.Now != 0 || !a.on(0) {
		t.Fatalf("at rung %d: %d steps of %d gradients", a.ladder.Now, a.k.Steps, a.k.split)
	}
	if a.turn(0.8); a.ladder.Now != carefulRung || !a.on(carefulRung) {
		t.Errorf("at rung %d: %d steps of %d gradients", a.ladder.Now, a.k.Steps, a.k.split)
	}
	q := []float64{0.5, -0.5}
	for _, fine := range []bool{true, false} {
		before := a.ladder.Rungs[carefulRung].Count
		a.learn(1, &Transition{Steps: 4, whole: 1, fine: fine}, q)
		if counted := a.ladder.Rungs[carefulRung].Count > before; counted == fine {
			t.Errorf("a transition counts: %v, with twice the number of steps: %v", counted, fine)
		}
	}

	a = turning(t, 0.1)
	a.ladder.Rungs[1], a.ladder.Rungs[2], a.ladder.Now = rung{20, 19.5}, rung{10, 10}, 2
	if a.finish(); !a.on(1) {
		t.Errorf("draws are made with %d steps of %d gradients", a.k.Steps, a.k.split)
	}

	a = turning(t, 0.1)
	a.ends = nil
	again := false
	for n := 0; n < 500 && !again; n++ {
		again = a.learn(n, &Transition{Steps: 1}, q)
	}
	if !again || a.ladder != nil || a.k.Steps != 0 || a.k.split != 0 || a.k.Jitter != 0 {
		t.Errorf("where none is accepted: again %v, %d steps of %d gradients", again, a.k.Steps, a.k.split)
	}

	// In the midst of a window, as soon as there are points enough.
	a = turning(t, 0.1)
	a.beDynamic()
	a.begin, a.ends = 0, []int{1000}
	if a.metric.SetInverse([]float64{0.8, 0.8}) != OK { // a departure of some 0.02
		t.Fatal("no metric")
	}
	for n := range departurePoints {
		if a.ladder != nil {
			t.Errorf("after %d transitions: %d steps", n, a.k.Steps)
		}
		a.learn(n, &Transition{Steps: 3, whole: 0.8}, []float64{math.Sin(float64(n)), math.Cos(float64(n))})
	}
	if a.ladder == nil {
		t.Errorf("%d points are not enough", departurePoints)
	}

	for _, departure := range []float64{0.4, 0.95} {
		a = turning(t, 0.1)
		a.beDynamic()
		a.departure = departure
		if a.close(200); (a.ladder != nil) != (departure < mostDeparture) {
			t.Errorf("a warm-up ends with a departure of %v: a ladder is %v", departure, a.ladder)
		}
	}
}

// TestFineTrajectories: some trajectories have steps of half the size, and as many more as take the same time.
func TestFineTrajectories(t *testing.T) {
	k := turning(t, 0.1).k
	k.setSplit(2)
	k.Steps, k.StepSize = 1, plainQuarter
	q, rng, fine := []float64{0.5, -0.5}, rand.New(rand.NewPCG(1, 2)), 0
	for range 800 {
		tr := k.Transition(q, rng)
		if time := tr.StepSize * float64(tr.Steps) / 2; math.Abs(time-plainQuarter) > quarterJitter*plainQuarter+1e-12 {
			t.Fatalf("a trajectory of %d gradients takes %v", tr.Steps, time)
		}
		if tr.Steps == 4 {
			fine++
		}
	}
	if fine < 60 || fine > 140 {
		t.Errorf("%d of 800 trajectories are fine", fine)
	}
}
