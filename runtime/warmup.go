package runtime

import (
	"math"
	"math/rand/v2"
	"slices"
)

// The parts of a warm-up, for the Euclidean metric and with it the step size. The last is Stan's number; the others begin
// sooner than Stan's, because points with their gradients tell the metric from few.
const (
	firstBuffer  = 8  // transitions that only the step size learns from
	lastBuffer   = 50 // likewise, at the end
	firstWindow  = 8  // where a chain is still on its way, trajectories may be a hundred times too long, so windows are short
	firstWindows = 3  // of that size; each one behind them is twice the one before
	leastParted  = 60 // transitions of a last window that is parted: its first part makes the trajectories of the second better
	leastWarmup  = 20 // below, no metric is adapted
	firstDepth   = 6  // of a dynamic trajectory before the last of these windows ends: with a metric that is far off, the next metric is worth more than a turn

	// A metric is settled where a window of so many transitions departs from a normal posterior with it by no more than this share of the variance of
	// a coordinate (fisher.departures), by half of it with at least half as many and a quarter with at least a quarter, and the means of its halves are within so many standard deviations.
	settledWindow    = 128
	settledDeparture = 0.5
	settledDrift     = 1
)

// windows returns how a warm-up of n transitions is divided: the
// metric is estimated from the transitions of each window [ends[i−1], ends[i]), the
// first of which begins at begin, and the last time from those of the last two together. There are none where n is too small.
func windows(n int) (begin int, ends []int) {
	if n < leastWarmup {
		return n, nil
	}
	begin, size, last := firstBuffer, firstWindow, n-lastBuffer
	if firstBuffer+firstWindow+lastBuffer > n {
		begin, last = n*15/100, n-n/10
		size = last - begin
	}
	for end := begin + size; end < last; end += size {
		ends = append(ends, end)
		if len(ends) >= firstWindows {
			size *= 2
		}
		// A window that leaves no room for the next, of twice the size,
		// takes the rest.
		if end+size+2*size > last {
			break
		}
	}
	if n := len(ends); n > 0 && last-ends[n-1] >= leastParted {
		ends = append(ends, last-(last-ends[n-1])/3)
	}
	return begin, append(ends, last)
}

// adapter adapts one kernel during warm-up: its step size and the length of its
// trajectories, unless they are given, and its metric, if that is Euclidean.
type adapter struct {
	k      *HMC
	target float64

	averaging *dualAveraging // nil where the step size is given
	metric    *Euclidean     // nil where none is adapted
	points    *fisher        // of the window
	begin     int
	ends      []int  // that are still to come
	trial     *trial // nil where the length of trajectories is given

	settled bool // the metric, at the end of the last window

	bends bool // of coordinates are looked for

	departure float64 // of a coordinate from a normal one, at most, in the last window

	chooses bool    // between dynamic trajectories and quarters of a turn
	ladder  *ladder // of quarters of a turn; nil where trajectories are dynamic

	halvings int // of a step, at most, from transition number halve on
	halve    int
	depth    int // of a dynamic trajectory, at most, from transition number deepen on
	deepen   int
}

// newAdapter returns the adapter of a kernel for a warm-up of n transitions.
func newAdapter(k *HMC, n int, opt *Tuning) *adapter {
	a := &adapter{k: k, target: opt.Target(k.integrator), halvings: k.MaxHalvings, depth: k.MaxDepth}
	if e, ok := k.System.(*Euclidean); ok && opt.Metric != UnitE {
		if begin, ends := windows(n); len(ends) > 0 {
			// Before the last window the metric and the step size are far from what they come to, and many steps would be halved.
			if len(ends) > 1 {
				a.halve = ends[len(ends)-2]
			}
			if len(ends) > firstWindows {
				a.deepen = ends[firstWindows-1]
			}
			a.metric, a.begin, a.ends = e, begin, ends
			a.points = newFisher(e.dim, opt.Metric != DiagE)
		}
	}
	if k.StepSize == 0 {
		a.averaging = &dualAveraging{}
	}
	a.bends = a.metric != nil && opt.Bends && opt.Metric <= LowRank && k.integrator == Leapfrog
	if a.metric != nil && a.points.most > 0 && a.averaging != nil && k.Steps == 0 && k.integrator == Leapfrog && opt.Trajectories == AutoTrajectories {
		a.chooses = true
	}
	if k.Steps == 0 && opt.ExtraDoublings == AdaptDoublings && k.integrator != Leapfrog {
		a.trial = newTrial(len(k.p), n)
	}
	a.enter(0)
	return a
}

// enter prepares the kernel for transition number n.
func (a *adapter) enter(n int) {
	if a.k.MaxHalvings = a.halvings; n < a.halve {
		a.k.MaxHalvings = 0
	}
	if a.k.MaxDepth = a.depth; n < a.deepen {
		a.k.MaxDepth = min(a.depth, firstDepth)
	}
}

// search finds a step size to begin with at q, where the kernel has a metric, and
// starts its adaptation.
func (a *adapter) search(q []float64, rng *rand.Rand) {
	if a.k.StepSize == 0 {
		a.k.StepSize = 1
	}
	if q != nil {
		if e, ok := a.k.System.(*Euclidean); ok && len(e.bends) > 0 {
			q = slices.Clone(q)
			e.bend(q)
		}
		a.k.InitialStepSize(q, rng)
	}
	*a.averaging = newDualAveraging(a.k.StepSize, a.target)
}

// learn takes transition number n, which led to q, with the end of a window that it may be. It reports whether the step size
// is to be searched for again.
func (a *adapter) learn(n int, t *Transition, q []float64) (again bool) {
	if again = a.take(n, t, q); a.endsWindow(n + 1) {
		return a.endWindow()
	}
	return again
}

// take is learn without the end of a window.
func (a *adapter) take(n int, t *Transition, q []float64) (again bool) {
	a.enter(n + 1)
	// A transition that made no step says nothing of its size.
	switch {
	case a.averaging == nil || t.Steps == 0:
	case a.ladder != nil:
		a.ladder.add(t.whole)
		a.climb(a.ladder.Now)
	default:
		a.k.StepSize = a.averaging.update(float64(t.whole * a.k.economy(t)))
	}
	if a.ladder != nil && a.ladder.ended() {
		a.beDynamic()
		again = true
	}
	if a.trial != nil {
		a.trial.add(n, t, q)
		if a.k.ExtraDoublings = a.trial.candidate(n + 1); n+1 >= a.trial.end {
			a.k.ExtraDoublings = a.trial.best()
		}
	}
	if len(a.ends) == 0 || n < a.begin {
		return again
	}
	// The next transition begins with this gradient.
	if g := a.metric.gradientOf(q); g != nil {
		a.points.add(q, g)
	}
	if n+1 < a.ends[0] {
		if n := int(a.points.Points.Count); a.chooses && a.ladder == nil && n >= departurePoints && n&(n-1) == 0 && a.metric.centre != nil {
			departure := slices.Max(a.points.bent(a.metric.bends).departures(a.metric))
			if departure <= warmDeparture {
				a.turn(departure)
				return false
			}
		}
		return again
	}
	a.judge()
	return again
}

// kept returns copies of the points that the metric will be made of.
func (a *adapter) kept() [][]float64 {
	if a.metric == nil {
		return nil
	}
	return a.points.kept()
}

// retake takes those points in other coordinates, those of the model by now.
func (a *adapter) retake(points [][]float64) {
	if len(points) > 0 {
		a.points.retake(points, a.metric.gradientOf)
	}
}

// judge says how the points of a window look under the metric that they were made with.
func (a *adapter) judge() {
	points := a.points.bent(a.metric.bends)
	a.departure = slices.Max(points.departures(a.metric))
	a.settled = points.settles(a.metric, a.departure)
	if points.Points.Count < departurePoints {
		a.departure = math.Inf(1)
	}
}

// endsWindow reports whether a window ends before transition number n.
func (a *adapter) endsWindow(n int) bool { return len(a.ends) > 0 && n == a.ends[0] }

// endWindow makes the metric of the points of the window, and the bends of the coordinates before it. It reports whether the step size is to be searched for again.
func (a *adapter) endWindow() (again bool) {
	a.ends = a.ends[1:]
	if points := a.points.bent(a.metric.bends); points.Points.Count > 1 {
		if a.bends {
			points = a.chooseBends(points)
		}
		if a.metric.SetInverse(a.estimate(points)) == OK && a.k.plain != nil {
			a.k.plain.Forget()
		}
		a.metric.SetCentre(points.centre(a.metric))
	}
	if a.chooses {
		most := warmDeparture
		if len(a.ends) == 0 {
			most = mostDeparture
		}
		if a.departure <= most {
			a.turn(a.departure)
		} else {
			a.beDynamic()
		}
	}
	if len(a.ends) != 1 {
		a.points.reset()
	}
	return a.averaging != nil && a.ladder == nil
}

// estimate returns the metric of some points.
func (a *adapter) estimate(points *fisher) []float64 {
	return points.estimate(a.metric.Variances(), a.metric.sparse == nil, float64(a.metric.Info().Work))
}

// chooseBends bends the coordinates as the window says, and returns its points in these.
func (a *adapter) chooseBends(points *fisher) *fisher {
	next := a.points.bends()
	if len(next) == 0 && len(a.metric.bends) == 0 {
		return points
	}
	a.metric.setBends(next)
	return a.points.bent(next)
}

// climb makes trajectories those of a rung of the ladder.
func (a *adapter) climb(row int) {
	r := &rungs[row]
	a.k.setSplit(r.gradients)
	a.k.Steps, a.k.StepSize = r.steps, a.ladder.Time/float64(r.steps)
}

// turn makes trajectories quarters of a turn.
func (a *adapter) turn(departure float64) {
	var at int
	if a.ladder != nil {
		at = a.ladder.Now
	} else {
		// Split steps are longer than leapfrogs.
		at = rungOf(plainQuarter / 2 / a.averaging.final())
	}
	step, draw := a.metric.work()
	a.ladder = newLadder(a.target, departure, step, draw, at)
	a.k.Jitter = quarterJitter
	a.climb(a.ladder.Now)
}

// beDynamic makes trajectories dynamic.
func (a *adapter) beDynamic() {
	if a.ladder == nil {
		return
	}
	a.ladder = nil
	a.k.setSplit(0)
	a.k.Steps, a.k.Jitter, a.k.StepSize = 0, 0, 0
}

// close ends the windows before transition number n, and returns the number of transitions of the warm-up.
func (a *adapter) close(n int) (end int) {
	a.halve = n
	a.enter(n)
	if a.ends = nil; a.chooses && a.ladder == nil && a.departure <= mostDeparture {
		a.turn(a.departure)
	}
	return n + lastBuffer
}

// finish sets the step size for the draws, or the number of steps.
func (a *adapter) finish() {
	switch {
	case a.averaging == nil:
	case a.ladder != nil:
		if row, merit := a.ladder.best(); merit > 0 {
			a.climb(row)
		}
	default:
		a.k.StepSize = a.averaging.final()
	}
}
