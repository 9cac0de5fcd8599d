package runtime

// A posterior that the metric makes nearly normal is turned about its centre by the flow of the normal one, once in a time of 2π. A quarter of a turn leads to a draw that is
// nearly independent, for all directions at once; a dynamic trajectory goes on until it turns back, and beyond. So where the posterior departs little from a normal one
// (fisher.departures), trajectories take a quarter of a turn, in split steps (Euclidean.StepSplit), of which few are enough.
const (
	// plainQuarter is the time of these trajectories. A quarter of a turn is 1.57; somewhat more makes draws that are the better for means.
	// carefulQuarter is that on a posterior which departs more: there are directions in which it is wider than the metric says.
	plainQuarter   = 1.75
	carefulQuarter = 2

	// quarterJitter is the range of times: without, a direction in which they go round once would not be explored.
	quarterJitter = 0.1

	// mostDeparture is the departure of a coordinate from a normal one above which trajectories are dynamic, and warmDeparture that as long as the metric is adapted: where a direction
	// is wider than the metric says, a trajectory that goes on until it turns back finds that out, and a quarter of a turn does not.
	mostDeparture = 0.9
	warmDeparture = 0.25

	// plainDeparture is the departure up to which a trajectory takes plainQuarter and loses by plainStickiness where it is not accepted; above, carefulQuarter and carefulStickiness, and
	// it has no rung below carefulRung: some 50 transitions tell how many trajectories are accepted where the chain is, and not in the tails.
	plainDeparture = 0.3
	carefulRung    = 3

	// Draws are worth in proportion to 1/(1 + stickiness (1 − a)) where a share a of the trajectories is accepted. Those that are not
	// begin where the posterior departs from a normal one, so that much more is lost of the slowest function, a quantile mostly, than of an average one. Fitted to the least effective sample sizes of runs with
	// 2 to 8 gradients a draw, the stickiness of 36 posteriors was 5 in the median, below 9 for three quarters, and 22, 23 and 70 for the last three: these are on the careful side.
	plainStickiness   = 10
	carefulStickiness = 40

	// quarterAccept is the least share of these trajectories that is to be accepted, whatever the target, which is one of dynamic trajectories: of 20 posteriors those that are nearly normal,
	// the logistic regressions of large data, have 0.96 to 0.99 with one gradient, and most have 0.75 to 0.92 so and 0.97 to 0.99 with two, where chains with one had 0.1 to 0.5 in a tail.
	quarterAccept = 0.95

	// secondBelow is the acceptance below which a refused trajectory of split steps is followed by another of steps of half the size: a chain does not stay long where the
	// first is refused, and hardly enters what it cannot leave.
	secondBelow = 0.5

	// departurePoints is the number of points that tell of a departure from the metric that they were made with. From a metric that was estimated of them they would depart too little.
	departurePoints = 16
)

// rungs are the trajectories that a ladder has, by the gradients that they take: of steps that StepSplit makes with so many gradients each.
var rungs = [...]struct{ gradients, steps int }{{1, 1}, {2, 1}, {3, 1}, {2, 2}, {2, 3}, {2, 4}, {2, 6}, {2, 8}, {2, 12}, {2, 16}}

// rungCost is the number of gradients of a trajectory.
func rungCost(row int) int { return rungs[row].gradients * rungs[row].steps }

// ladder finds how many gradients a quarter of a turn takes: a rung and its neighbours are tried, and that of the most merit is gone to.
type ladder struct {
	Time   float64 `json:"time"`   // of a trajectory
	Accept float64 `json:"accept"` // the least share that is to be accepted
	Sticky float64 `json:"sticky"` // how much is lost with those that are not
	Step   float64 `json:"step"`   // operations of a gradient
	Draw   float64 `json:"draw"`   // operations of a draw beside its gradients
	Least  int     `json:"least"`  // the lowest rung
	Now    int     `json:"now"`    // the rung of the next transition
	Rungs  []rung  `json:"rungs"`
}

// rung is what the transitions of one rung came to.
type rung struct {
	Count  float64 `json:"count"`
	Accept float64 `json:"accept"` // of all together
}

const (
	// rungLeast is the number of transitions that tell of a rung.
	rungLeast = 10

	// rungDoubt is a number of transitions that count as accepted by half beside those there were.
	rungDoubt = 0.5
)

// newLadder returns a ladder for a posterior with that departure, on which a share of the trajectories are to be accepted at least, and that begins at a rung. A gradient takes as many operations as
// step says, a draw beside its gradients as many as draw says.
func newLadder(accept, departure, step, draw float64, at int) *ladder {
	l := &ladder{Time: plainQuarter, Sticky: plainStickiness, Accept: max(accept, quarterAccept), Step: step, Draw: draw, Rungs: make([]rung, len(rungs))}
	if departure > plainDeparture {
		l.Time, l.Sticky, l.Least = carefulQuarter, carefulStickiness, carefulRung
	}
	l.Now = max(at, l.Least)
	return l
}

// rungOf is the last rung of no more than some number of gradients.
func rungOf(gradients float64) (row int) {
	for k := range rungs {
		if float64(rungCost(k)) <= gradients {
			row = k
		}
	}
	return row
}

// mean is the share that is accepted of a rung, as far as the transitions tell.
func (r *rung) mean() float64 { return (r.Accept + rungDoubt/2) / (r.Count + rungDoubt) }

// known reports whether enough transitions tell of a rung.
func (r *rung) known() bool { return r.Count >= rungLeast }

// merit is what draws of a rung are worth for an operation, if a share is accepted.
func (l *ladder) merit(row int, share float64) float64 {
	return 1 / (float64(1+float64(l.Sticky*(1-share))) * (float64(float64(rungCost(row))*l.Step) + l.Draw))
}

// best returns the rung of the most merit of those that are known, and its merit, which is 0 if none accepts enough.
func (l *ladder) best() (row int, merit float64) {
	row = -1
	for k := range l.Rungs {
		if r := &l.Rungs[k]; r.known() {
			m := l.merit(k, r.mean())
			if r.Accept < float64(l.Accept*r.Count) {
				m = 0
			}
			if row < 0 || m > merit || merit == 0 {
				row, merit = k, m
			}
		}
	}
	return row, merit
}

// add takes a transition of the rung Now, of which so much was accepted, and chooses the next.
func (l *ladder) add(accept float64) {
	r := &l.Rungs[l.Now]
	r.Count++
	r.Accept += accept
	if !r.known() {
		return
	}
	row, merit := l.best()
	l.Now = row
	switch up := row + 1; {
	case up < len(l.Rungs) && !l.Rungs[up].known() && l.merit(up, 1) > merit:
		l.Now = up
	case row > l.Least && !l.Rungs[row-1].known() && merit > 0:
		l.Now = row - 1
	}
}

// ended reports whether trajectories of the last rung are not accepted either.
func (l *ladder) ended() bool {
	last, merit := l.best()
	return last == len(l.Rungs)-1 && merit == 0
}

// clone returns a copy of what was learnt.
func (l *ladder) clone() *ladder {
	c := *l
	c.Rungs = append([]rung(nil), l.Rungs...)
	return &c
}

// valid reports whether a ladder that was read is one.
func (l *ladder) valid() bool {
	if !(l.Time > 0 && l.Time < 4) || !(l.Accept > 0 && l.Accept <= 1) || !(l.Sticky >= 0 && l.Step >= 0 && l.Draw >= 0) || l.Least < 0 || l.Now < l.Least || l.Now >= len(rungs) || len(l.Rungs) != len(rungs) {
		return false
	}
	for _, r := range l.Rungs {
		if !(r.Count >= 0 && r.Accept >= 0 && r.Accept <= r.Count) {
			return false
		}
	}
	return true
}
