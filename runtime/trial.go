package runtime

import (
	"math"
	"slices"
)

// trial compares dynamic trajectories that end where they turn back with those that double
// once more after that, during part of the warm-up. Which is better depends on the model:
// after the turn a trajectory comes back along the directions that are as fast as
// the metric says, and goes on along those that are slower, like the funnel's.
//
// With d = E(x' − x)²/(2 Var x), the mean over a transition from x to x', 1 − d is the
// autocorrelation at lag one, and a draw is worth about d/(2 − d) independent ones. The
// score is that of the slowest of the coordinates and the log density, per unit of cost.
type trial struct {
	begin, end, all int // transitions of the warm-up

	Spent float64 `json:"spent"` // cost of all transitions of the warm-up so far
	Now   int     `json:"now"`   // the candidate of the run of transitions under way

	Count   float64   `json:"count"`
	Last    []float64 `json:"last"` // coordinates and log density after the last transition
	Mean    []float64 `json:"mean"`
	Squares []float64 `json:"squares"` // Σ (x − mean)²
	Arms    [2]arm    `json:"arms"`    // by the number of extra doublings
	x       []float64
}

// arm is what one of the candidates came to.
type arm struct {
	Count float64   `json:"count"`
	Moves []float64 `json:"moves"` // Σ (x' − x)²
	Cost  float64   `json:"cost"`  // solver iterations and steps
}

const (
	trialLeast = 200 // warm-up transitions below which there is no trial
	trialRun   = 10  // transitions in a row with one candidate

	// trialMargin is the score of longer trajectories in terms of that of shorter
	// ones from which on they are taken. Scores are noisy, and to go too far costs
	// less than to turn too soon: with a margin of 1, half of the chains on the
	// funnel chose wrongly.
	trialMargin = 0.75

	// trialShare is how much of the cost of the whole warm-up, as it looks so far, the longer trajectories may cost beyond shorter
	// ones in their place, and trialLong the least number of them that says something.
	trialShare = 0.1
	trialLong  = 20

	// mostWorth bounds d: noise would make antithetic draws worth any number.
	mostWorth = 1.5
)

// newTrial returns the trial of a kernel of m coordinates in a warm-up of n transitions,
// nil if that is too short.
func newTrial(m, n int) *trial {
	if n < trialLeast {
		return nil
	}
	m++
	t := &trial{begin: n * 2 / 5, end: n * 9 / 10, all: n, Last: make([]float64, m), Mean: make([]float64, m), Squares: make([]float64, m), x: make([]float64, m)}
	for i := range t.Arms {
		t.Arms[i].Moves = make([]float64, m)
	}
	return t
}

// candidate returns the number of extra doublings of transition number n. Runs of longer trajectories alternate with runs of
// shorter ones for as long as they are within their share.
func (t *trial) candidate(n int) int {
	if n < t.begin || n >= t.end {
		return 0
	}
	if (n-t.begin)%trialRun == 0 {
		t.Now = 1 - t.Now
		if short, long := &t.Arms[0], &t.Arms[1]; t.Now == 1 && (short.Count == 0 || (long.Count+trialRun)*long.beyond(short) > trialShare*t.Spent*t.rest(n)) {
			t.Now = 0
		}
	}
	return t.Now
}

// rest is the ratio of all transitions of the warm-up to those before number n.
func (t *trial) rest(n int) float64 { return float64(t.all) / float64(n) }

// beyond is what a transition of a costs more than one of b; as much again, as long as nothing is known.
func (a *arm) beyond(b *arm) float64 {
	if a.Count == 0 {
		return b.Cost / b.Count
	}
	return a.Cost/a.Count - b.Cost/b.Count
}

// add takes transition number n, which led to q.
func (t *trial) add(n int, tr *Transition, q []float64) {
	cost := float64(tr.Iterations + tr.Steps)
	t.Spent += cost
	if n < t.begin-1 || n >= t.end {
		return
	}
	copy(t.x, q)
	t.x[len(q)] = tr.LogDensity
	if n >= t.begin {
		a := &t.Arms[t.Now]
		a.Count++
		a.Cost += cost
		t.Count++
		for i, v := range t.x {
			d := v - t.Last[i]
			a.Moves[i] += float64(d * d)
			d = v - t.Mean[i]
			t.Mean[i] += d / t.Count
			t.Squares[i] += float64(d * (v - t.Mean[i]))
		}
	}
	copy(t.Last, t.x)
}

// best returns the number of extra doublings to take.
func (t *trial) best() int {
	if t.Arms[1].Count < trialLong {
		return 0
	}
	slowest := t.slowest()
	if slowest < 0 {
		return 0
	}
	if t.score(&t.Arms[1], slowest) > trialMargin*t.score(&t.Arms[0], slowest) {
		return 1
	}
	return 0
}

// slowest is the coordinate in which both candidates together move least, −1 where none moves. Each by itself would be judged by the
// least of several noisy numbers, which is the lower the fewer transitions it had.
func (t *trial) slowest() int {
	at, least := -1, math.Inf(1)
	for i, s := range t.Squares {
		if d := (t.Arms[0].Moves[i] + t.Arms[1].Moves[i]) / s; s > 0 && d < least {
			at, least = i, d
		}
	}
	return at
}

// score is what a draw is worth in a coordinate, per unit of cost.
func (t *trial) score(a *arm, i int) float64 {
	return float64(worth(a.Moves[i]/a.Count/(2*t.Squares[i]/t.Count)) / a.Cost * a.Count)
}

// worth is what a draw is worth, in independent ones, whose autocorrelation at lag one is 1 − d.
func worth(d float64) float64 {
	d = min(d, mostWorth)
	return d / (2 - d)
}

// clone returns a copy of what was learnt.
func (t *trial) clone() *trial {
	c := &trial{Spent: t.Spent, Now: t.Now, Count: t.Count, Last: slices.Clone(t.Last), Mean: slices.Clone(t.Mean), Squares: slices.Clone(t.Squares), Arms: t.Arms}
	for i := range c.Arms {
		c.Arms[i].Moves = slices.Clone(c.Arms[i].Moves)
	}
	return c
}

// restore takes over what another has learnt, if it fits.
func (t *trial) restore(s *trial) bool {
	m := len(t.x)
	if s == nil || len(s.Last) != m || len(s.Mean) != m || len(s.Squares) != m || len(s.Arms[0].Moves) != m || len(s.Arms[1].Moves) != m {
		return false
	}
	c := s.clone()
	t.Spent, t.Now, t.Count, t.Last, t.Mean, t.Squares, t.Arms = c.Spent, c.Now, c.Count, c.Last, c.Mean, c.Squares, c.Arms
	return true
}
