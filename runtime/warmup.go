package runtime

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// The parts of a warm-up, for the Euclidean metric and with it the step size. The last is Stan's number; the others begin
// sooner than Stan's, because points with their gradients tell the metric from few.
const (
	firstBuffer  = 8  // transitions that only the step size learns from
	lastBuffer   = 50 // likewise, at the end
	firstWindow  = 8  // where a chain is still on its way, trajectories may be a hundred times too long, so windows are short
	firstWindows = 3  // of that size; each one behind them is twice the one before
	leastWarmup  = 20 // below, no metric is adapted
	firstDepth   = 6  // of a dynamic trajectory before the last of these windows ends: with a metric that is far off, the next metric is worth more than a turn

	// A metric is settled where a window of so many transitions departs from a normal posterior with it by no more than this share of the variance of
	// a coordinate (fisher.departures), half of it with fewer, at least half as many, and the means of its halves are within so many standard deviations.
	settledWindow    = 64
	settledDeparture = 0.5
	settledDrift     = 1
)

// windows returns how a warm-up of n transitions is divided: the
// metric is estimated from the transitions of each window [ends[i−1], ends[i]), the
// first of which begins at begin. There are none where n is too small. Behind the last one lengths of trajectories are measured, where n
// leaves room for it.
func windows(n int) (begin int, ends []int) {
	if n < leastWarmup {
		return n, nil
	}
	begin, size, last := firstBuffer, firstWindow, n-lastBuffer
	if n >= lengthsLeast {
		last -= lengthsSettle + lengthsMeasured
	}
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

	chooses         bool     // between dynamic trajectories and fixed ones
	measure, choose int      // transitions from which on lengths are measured, and at which they are chosen
	lengths         *lengths // from the end of the last window until the choice
	fits            bool     // a fixed length may, as the points of the last window say
	time            float64  // that trajectories of a fixed length take, once that is chosen: steps times ε
	leapfrog        float64  // ε of leapfrogs, where steps of two stages are tried

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
	if a.metric != nil && a.points.most > 0 && a.averaging != nil && k.Steps == 0 && k.integrator == Leapfrog && opt.Trajectories == AutoTrajectories && n >= lengthsLeast {
		a.chooses = true
	}
	if a.plan(n); a.metric != nil && !a.chooses {
		a.ends[len(a.ends)-1] = max(a.ends[len(a.ends)-1], a.choose)
	}
	if k.Steps == 0 && opt.ExtraDoublings == AdaptDoublings && k.integrator != Leapfrog {
		a.trial = newTrial(len(k.p), n)
	}
	a.enter(0)
	return a
}

// plan plans the choice of a length in a warm-up that ends with transition number end.
func (a *adapter) plan(end int) {
	a.choose = end - lastBuffer
	a.measure = a.choose - lengthsMeasured
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

// learn takes transition number n, which led to q. It reports whether the step size
// is to be searched for again.
func (a *adapter) learn(n int, t *Transition, q []float64) (again bool) {
	a.enter(n + 1)
	// A transition that made no step says nothing of its size.
	if a.averaging != nil && t.Steps > 0 && a.k.lengths == nil {
		a.k.StepSize = a.averaging.update(float64(t.whole * a.k.economy(t)))
		a.span()
	}
	if a.trial != nil {
		a.trial.add(n, t, q)
		if a.k.ExtraDoublings = a.trial.candidate(n + 1); n+1 >= a.trial.end {
			a.k.ExtraDoublings = a.trial.best()
		}
	}
	if a.lengths != nil {
		a.measured(n+1, t, q)
	}
	if len(a.ends) == 0 || n < a.begin {
		return false
	}
	// The next transition begins with this gradient.
	if g := a.metric.gradientOf(q); g != nil {
		a.points.add(q, g)
	}
	if n+1 < a.ends[0] {
		return false
	}
	a.endWindow()
	return a.averaging != nil
}

// endWindow makes the metric of the points of the window, and the bends of the coordinates before it.
func (a *adapter) endWindow() {
	a.ends = a.ends[1:]
	points := a.points.bent(a.metric.bends)
	a.settled = points.settles(a.metric)
	if points.Points.Count > 1 {
		if a.bends {
			points = a.chooseBends(points)
		}
		if a.metric.SetInverse(a.estimate(points)) == OK && a.k.plain != nil {
			a.k.plain.Forget()
		}
	}
	if a.chooses {
		a.fits = slices.Max(points.departures(a.metric)) <= mostDeparture
		if len(a.ends) == 0 && !a.fits {
			a.stayDynamic()
			return // the window goes on
		}
		// A window may begin while the chain is on its way, so what is seen of the functions begins behind it.
		a.lengths = newLengths(a.metric.Info(), points.Points.Mean)
	}
	a.points.reset()
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

// stayDynamic gives the choice of a length up. What was set aside for it belongs to the last window.
func (a *adapter) stayDynamic() {
	a.chooses, a.lengths = false, nil
	if len(a.ends) == 0 {
		a.ends = []int{a.choose}
	}
}

// close ends the windows before transition number n, and returns the number of transitions of the warm-up.
func (a *adapter) close(n int) (end int) {
	a.halve = n
	a.enter(n)
	if a.chooses && !a.fits {
		a.stayDynamic()
	}
	if a.ends = nil; a.chooses {
		n += lengthsSettle + lengthsMeasured
	}
	a.plan(n + lastBuffer)
	return n + lastBuffer
}

// measured takes the transition before number n, which led to q, where lengths are to be measured, with a step size that stays as it is, and chooses.
func (a *adapter) measured(n int, t *Transition, q []float64) {
	if len(a.metric.bends) > 0 {
		q = slices.Clone(q)
		a.metric.bend(q)
		bent := *t
		bent.LogDensity = a.metric.logp
		t = &bent
	}
	a.lengths.end(t, q, a.k.lengths != nil)
	if len(a.ends) > 0 {
		return
	}
	switch n {
	case a.measure:
		a.k.StepSize = a.averaging.final()
		a.k.lengths = a.lengths
	case a.choose:
		step, draw := a.metric.work()
		a.time = float64(float64(a.lengths.best(step, draw)) * a.k.StepSize)
		if a.span(); a.k.Steps >= leastStaged {
			a.leapfrog = a.k.StepSize
			a.k.setStages(2)
			a.k.StepSize = min(a.time, float64(stagedGain*a.leapfrog))
			*a.averaging = newDualAveraging(a.k.StepSize, a.target)
			a.averaging.Mu = elementary.Log(float64(2 * a.k.StepSize))
			a.span()
		}
		a.lengths, a.k.lengths = nil, nil
	}
}

// span sets the number of steps by which a trajectory takes its time, once a length is chosen.
func (a *adapter) span() {
	if a.time > 0 {
		a.k.Jitter = lengthJitter
		a.k.Steps = int(min(mostFixed, max(1, math.Ceil(a.time/float64(stretch*a.k.StepSize)))))
	}
}

// goOn takes over what was measured of lengths before transition number n, of a warm-up whose windows were closed or not.
func (a *adapter) goOn(n int, s *lengths, closed bool) error {
	if !a.chooses || n >= a.choose {
		return nil
	}
	if s == nil {
		switch {
		case closed:
			a.chooses = false
		case len(a.ends) == 0: // else it has not begun
			a.stayDynamic()
		}
		return nil
	}
	a.lengths = newLengths(a.metric.Info(), make([]float64, a.metric.dim))
	if !a.lengths.restore(s) {
		return errors.New("it does not tell how far trajectories lead")
	}
	if len(a.ends) == 0 && n >= a.measure {
		a.k.lengths = a.lengths
	}
	return nil
}

// finish sets the step size for the draws.
func (a *adapter) finish() {
	if a.averaging != nil {
		a.k.StepSize = a.averaging.final()
		a.span()
		if staged := 2 * a.k.Steps; a.leapfrog > 0 {
			// A step of two stages is taken if it takes no more gradients: it keeps the energy better.
			size := a.k.StepSize
			a.k.StepSize = a.leapfrog
			if a.span(); a.k.Steps < staged {
				a.k.setStages(1)
			} else {
				a.k.StepSize = size
				a.span()
			}
		}
		if a.time > 0 {
			a.k.StepSize = a.time / float64(a.k.Steps)
		}
	}
}
