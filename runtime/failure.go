package runtime

import (
	"math"
	"slices"
)

// Failure is an update of a block, made for a draw, that ended because the model could not be
// evaluated: its Status is one of those of OfModel. Of each chain the first few of each block
// and Status are kept.
type Failure struct {
	Draw   int    // from 1
	Block  string // "" of a Model
	Status Status

	// Q holds the unconstrained coordinates of the whole posterior at which the model
	// failed: the first position at which a step came upon something that is not finite, or a
	// metric that is not positive definite. The parameters of the other blocks are as they
	// were given, and of latent vectors it has the values: see Transported. Q is nil where that position is not known, for one after an implicit step of
	// more than MaxLocate coordinates, and where it is not finite itself.
	Q []float64

	// Runaway tells that the step is to blame and not the model: there is nothing wrong with
	// the model at Q but for the momentum that goes with it, or Q is far from everything: not
	// finite, or 10,000 times as far from where the step began as any coordinate was from 0
	// there, or as 1.
	Runaway bool
}

// FailureObserver is an Observer that is told of the failures that a Chain keeps, each before
// the draw that it is of.
type FailureObserver interface {
	Failed(chain int, f *Failure) error
}

// MaxLocate is the number of coordinates up to which the position is looked for at which an implicit
// step failed: that takes the step once more with dense matrices.
const MaxLocate = 200

// farAway is the distance of Failure.Runaway.
const farAway = 1e4

// maxFailures is how many failures with a status a chain keeps of each block.
const maxFailures = 8

// attempt is what a trajectory tried last: a step from a point of phase space, or, with eps = 0, an
// evaluation at it.
type attempt struct {
	q, p []float64
	eps  float64 // signed
	over bool    // the step went well, and an evaluation at its end was tried
}

func newAttempt(m int) attempt {
	return attempt{q: make([]float64, m), p: make([]float64, m)}
}

func (a *attempt) set(q, p []float64, eps float64) {
	copy(a.q, q)
	copy(a.p, p)
	a.eps, a.over = eps, false
}

// locate returns the position at which the model failed in what was tried last, nil if it
// is not found, and whether that was the step's doing: see Failure.
func (k *HMC) locate() (at []float64, runaway bool) {
	at = k.failedAt()
	if at == nil {
		return nil, false
	}
	if !allFinite(at) {
		return nil, true
	}
	scale, far := 1.0, 0.0
	for i, x := range k.tried.q {
		scale, far = max(scale, math.Abs(x)), max(far, math.Abs(at[i]-x))
	}
	runaway = far > farAway*scale || k.sound(at)
	if e, ok := k.System.(*Euclidean); ok {
		e.unbend(at)
	}
	return at, runaway
}

// failedAt is locate without a look at what was found.
func (k *HMC) failedAt() []float64 {
	q, p := slices.Clone(k.tried.q), slices.Clone(k.tried.p)
	switch {
	case k.tried.eps == 0:
		return q
	case k.tried.over || k.integrator == Leapfrog:
		// The leapfrog evaluates nothing but the gradient, and leaves q where it did so last.
		k.Step(q, p, k.tried.eps, &k.Solver)
		return q
	case len(q) > MaxLocate:
		return nil
	}
	w := &witness{Model: k.System}
	s := k.Solver
	if s.Method == Newton {
		s.Method = FixedPoint // a witness knows no second derivatives
	}
	step, _, err := stepper(w, k.integrator, s.Method)
	if err != nil {
		return nil // not for a kernel that there is
	}
	if r := step(q, p, k.tried.eps, &s); w.first == nil && r.Status.OfModel() {
		return w.last // such as that of a metric without a factor
	}
	return w.first
}

// sound reports whether nothing is wrong with the model at q, whatever the momentum.
func (k *HMC) sound(q []float64) bool {
	n := len(q)
	out := make([]float64, n)
	if _, _, st := k.System.Energy(q, out); st != OK {
		return false
	}
	w := &witness{Model: k.System}
	w.Gradient(out, q)
	if n <= MaxLocate && !k.System.Info().Metric.Constant {
		unit := make([]float64, n*n)
		for i := range n {
			unit[i*n+i] = 1
		}
		w.Contract(out, q, unit)
	}
	return w.first == nil
}

// witness is a Model that notes where it failed.
type witness struct {
	Model
	first []float64 // position at which something was not finite; nil if there was none
	last  []float64 // position of the last evaluation
}

// note takes what was computed at q.
func (w *witness) note(q []float64, l float64, values []float64) {
	w.last = append(w.last[:0], q...)
	if w.first == nil && !(isFinite(l) && allFinite(values) && w.SolveStatus() == OK) {
		w.first = slices.Clone(q)
	}
}

// LogDensity is that of the model.
func (w *witness) LogDensity(q []float64) float64 {
	l := w.Model.LogDensity(q)
	w.note(q, l, nil)
	return l
}

// Gradient is that of the model.
func (w *witness) Gradient(grad, q []float64) float64 {
	l := w.Model.Gradient(grad, q)
	w.note(q, l, grad)
	return l
}

// Metric is that of the model.
func (w *witness) Metric(g, q []float64) {
	w.Model.Metric(g, q)
	w.note(q, 0, g)
}

// Contract is that of the model.
func (w *witness) Contract(out, q, weights []float64) {
	w.Model.Contract(out, q, weights)
	w.note(q, 0, out)
}

// SolveStatus is that of the model, OK where it has no differential equations.
func (w *witness) SolveStatus() Status {
	if m, ok := w.Model.(Solves); ok {
		return m.SolveStatus()
	}
	return OK
}

// locate returns the coordinates of the whole posterior, which are q but for those of block i,
// at which the last update of that block failed, as HMC.locate does.
func (s *Sweep) locate(i int, q []float64) (at []float64, runaway bool) {
	own, runaway := s.Kernels[i].locate()
	if own == nil {
		return nil, runaway
	}
	at = slices.Clone(q)
	for _, x := range s.blocks[i].spans {
		copy(at[x.from:x.from+x.n], own[x.to:x.to+x.n])
	}
	return at, runaway
}
