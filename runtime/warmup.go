package runtime

import "math/rand/v2"

// The parts of a warm-up, for the Euclidean metric and with it the step size. The last is Stan's number; the others begin
// sooner than Stan's, because points with their gradients tell the metric from few.
const (
	firstBuffer  = 8  // transitions that only the step size learns from
	lastBuffer   = 50 // likewise, at the end
	firstWindow  = 8  // where a chain is still on its way, trajectories may be a hundred times too long, so windows are short
	firstWindows = 3  // of that size; each one behind them is twice the one before
	leastWarmup  = 20 // below, no metric is adapted
)

// windows returns how a warm-up of n transitions is divided: the
// metric is estimated from the transitions of each window [ends[i−1], ends[i]), the
// first of which begins at begin. There are none where n is too small.
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

	halvings int // of a step, at most, from transition number halve on
	halve    int
}

// newAdapter returns the adapter of a kernel for a warm-up of n transitions.
func newAdapter(k *HMC, n int, opt *Tuning) *adapter {
	a := &adapter{k: k, target: opt.Target(k.integrator), halvings: k.MaxHalvings}
	if e, ok := k.System.(*Euclidean); ok && opt.Metric != UnitE {
		if begin, ends := windows(n); len(ends) > 0 {
			// Before the last window the metric and the step size are far from what they come to, and many steps would be halved.
			if len(ends) > 1 {
				a.halve = ends[len(ends)-2]
			}
			a.metric, a.begin, a.ends = e, begin, ends
			a.points = newFisher(e.dim, opt.Metric != DiagE)
		}
	}
	if k.StepSize == 0 {
		a.averaging = &dualAveraging{}
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
}

// search finds a step size to begin with at q, where the kernel has a metric, and
// starts its adaptation.
func (a *adapter) search(q []float64, rng *rand.Rand) {
	if a.k.StepSize == 0 {
		a.k.StepSize = 1
	}
	if q != nil {
		a.k.InitialStepSize(q, rng)
	}
	*a.averaging = newDualAveraging(a.k.StepSize, a.target)
}

// learn takes transition number n, which led to q. It reports whether the step size
// is to be searched for again.
func (a *adapter) learn(n int, t *Transition, q []float64) (again bool) {
	a.enter(n + 1)
	// A transition that made no step says nothing of its size.
	if a.averaging != nil && t.Steps > 0 {
		a.k.StepSize = a.averaging.update(float64(t.whole * a.k.economy(t)))
	}
	if a.trial != nil {
		a.trial.add(n, t, q)
		if a.k.ExtraDoublings = a.trial.candidate(n + 1); n+1 >= a.trial.end {
			a.k.ExtraDoublings = a.trial.best()
		}
	}
	if len(a.ends) == 0 || n < a.begin {
		return false
	}
	// The next transition begins with this gradient.
	if a.metric.gradient(q) == OK {
		a.points.add(q, a.metric.grad)
	}
	if n+1 < a.ends[0] {
		return false
	}
	a.ends = a.ends[1:]
	if a.points.Points.Count > 1 {
		c := a.points.estimate(a.metric.Variances(), a.metric.sparse == nil, float64(a.metric.Info().Work))
		if a.metric.SetInverse(c) == OK && a.k.plain != nil {
			a.k.plain.Forget()
		}
	}
	a.points.reset()
	return a.averaging != nil
}

// finish sets the step size for the draws.
func (a *adapter) finish() {
	if a.averaging != nil {
		a.k.StepSize = a.averaging.final()
	}
}
