package runtime

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/runtime/special"
)

// TestLadder: whatever the acceptance of the rungs, which grows, a ladder comes to a rung of about the most merit, and stays there; where none accepts enough it says so.
func TestLadder(t *testing.T) {
	for start := range rungs {
		for first := range len(rungs) + 1 {
			for _, high := range []float64{0.85, 0.96, 0.999} {
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
					ended := true
					for row := range rungs {
						ended = ended && share(row) < l.Accept
					}
					if ended != l.ended() {
						t.Errorf("from %d, the first rung that accepts enough is %d of %d: ended %v", start, first, len(rungs), l.ended())
					}
					most, want := 0.0, 0
					for row := range rungs {
						if m := l.merit(row, share(row)); m > most && share(row) >= l.Accept {
							most, want = m, row
						}
					}
					// Few transitions tell of a rung that is not the best, and they count for less than they were.
					if got, _ := l.best(); !ended && (l.merit(got, share(got)) < 0.75*most || l.Now != got) {
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
	// One gradient that 0.9 of the trajectories are accepted with is worth more by merit than two, and is not taken.
	l = newLadder(0.8, 0, 1, 0, 0)
	for range 50 {
		l.add([]float64{0.9, 0.98, 0.99, 0.99}[min(l.Now, 3)])
	}
	if row, _ := l.best(); row != 1 {
		t.Errorf("one gradient accepts 0.9 and two 0.98: rung %d", row)
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
	// What counts of a transition is its first trajectory.
	a.ladder.Rungs[carefulRung] = rung{}
	a.learn(1, &Transition{Steps: 16, whole: 0.2, Accept: 0.9, second: true}, q)
	if r := a.ladder.Rungs[carefulRung]; r.Count == 0 || r.Accept != float64(0.2*r.Count) {
		t.Errorf("a transition whose first trajectory is accepted by 0.2 counts as %+v", r)
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

// steep is a kernel with one split step too long for the steep side of a density: of two logarithms of half the square of a normal variable, which have the density exp(x/2 − eˣ) and are
// standardised.
func steep(t *testing.T) (k *HMC, mean, sd float64) {
	t.Helper()
	const shape = 0.5
	mean, sd = special.Digamma(shape), math.Sqrt(special.Trigamma(shape))
	e := NewEuclidean(&slope{m: 2, gradient: func(grad, q []float64) (l float64) {
		for i, z := range q {
			x := mean + float64(sd*z)
			grad[i] = float64(sd * (shape - math.Exp(x)))
			l += float64(shape*x) - math.Exp(x)
		}
		return l
	}}, false)
	e.SetCentre([]float64{0, 0})
	k, err := NewHMC(e, Leapfrog, DefaultOptions().Solver)
	if err != nil {
		t.Fatal(err)
	}
	k.setSplit(2)
	k.Steps, k.StepSize, k.Jitter = 1, plainQuarter, quarterJitter
	return k, mean, sd
}

// TestSecondBalance: a second trajectory from x to y and the one from y to x, with the momentum turned round, are in detailed balance,
// π(x) (1 − α₁(x)) α₂(x) = π(y) (1 − α₁(y)) α₂(y), where α₁ and α₂ are the acceptances of the first and the second.
func TestSecondBalance(t *testing.T) {
	k, mean, sd := steep(t)
	rng := rand.New(rand.NewPCG(3, 4))
	// try returns the two acceptances from q, and where the second trajectory ends.
	try := func(q, p []float64) (first, second float64, at, momentum []float64) {
		k.t = Transition{}
		copy(k.p, p)
		h, _, st := k.System.Energy(q, p)
		if st != OK {
			t.Fatal(st)
		}
		k.first(q, h, 1, plainQuarter, math.Inf(1), rng) // refused in any case
		first = k.t.Accept
		if first >= secondBelow {
			return first, 0, nil, nil
		}
		k.secondTry(q, h, 1, plainQuarter, math.Inf(1), rng)
		return first, (k.t.Accept - first) / (1 - first), slices.Clone(k.q2), slices.Clone(k.p2)
	}
	compared := 0
	for range 2000 {
		q, p := make([]float64, 2), make([]float64, 2)
		for i := range q {
			z := rng.NormFloat64()
			q[i], p[i] = (math.Log(z*z/2)-mean)/sd, rng.NormFloat64()
		}
		first, second, at, momentum := try(q, p)
		if second == 0 {
			continue
		}
		for i := range momentum {
			momentum[i] = -momentum[i]
		}
		back, other, home, _ := try(at, momentum)
		if back >= secondBelow || math.Abs(home[0]-q[0])+math.Abs(home[1]-q[1]) > 1e-9 {
			t.Fatalf("from %v by %v: the way back is accepted by %v at first, and leads to %v", q, p, back, home)
		}
		h0, _, _ := k.System.Energy(q, p)
		h1, _, _ := k.System.Energy(at, momentum)
		if there, here := (1-first)*second, math.Exp(h0-h1)*(1-back)*other; math.Abs(there-here) > 1e-9 {
			t.Errorf("from %v by %v: %v there, %v back", q, p, there, here)
		}
		if compared++; compared > 1 && t.Failed() {
			return
		}
	}
	if compared < 100 {
		t.Errorf("%d of 2000 have a second trajectory", compared)
	}
}

// TestSecondTrajectories: a transition from a draw of the density leads to another one, also where split steps are too long for a place, so that second trajectories are tried.
func TestSecondTrajectories(t *testing.T) {
	const draws = 200_000
	k, mean, sd := steep(t)
	functions := []func(z float64) float64{
		func(z float64) float64 { return z },
		func(z float64) float64 { return z * z },
	}
	for _, end := range []float64{-2, -1, 0, 0.5, 0.8, 1, 1.2} {
		functions = append(functions, func(z float64) float64 {
			if z > end {
				return 1
			}
			return 0
		})
	}
	sum, squares := make([]float64, len(functions)), make([]float64, len(functions))
	rng, second, taken := rand.New(rand.NewPCG(11, 12)), 0, 0
	q, from := make([]float64, 2), make([]float64, 2)
	for range draws {
		for i := range q {
			z := rng.NormFloat64()
			from[i] = (math.Log(z*z/2) - mean) / sd
		}
		copy(q, from)
		tr := k.Transition(q, rng)
		switch {
		case !tr.second && (tr.Accept != tr.whole || tr.Steps != 2):
			t.Fatalf("one trajectory: %+v", tr)
		case tr.second && (tr.whole >= secondBelow || tr.Accept < tr.whole || tr.Steps < 6):
			t.Fatalf("a second trajectory behind one accepted by %v, together by %v: %+v", tr.whole, tr.Accept, tr)
		case tr.second:
			second++
			if tr.Accepted {
				taken++
			}
		}
		for n, f := range functions {
			d := f(q[0]) + f(q[1]) - f(from[0]) - f(from[1])
			sum[n] += d
			squares[n] += d * d
		}
	}
	if second < draws/50 || taken < second/5 {
		t.Errorf("%d second trajectories, %d accepted", second, taken)
	}
	for n := range functions {
		if z := sum[n] / math.Sqrt(squares[n]); !(math.Abs(z) < 4) {
			t.Errorf("the mean of function %d changes by %v, %.1f standard errors", n, sum[n]/draws, z)
		}
	}
}
