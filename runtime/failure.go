package runtime

import "slices"

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
	// were given. Q is nil where that position is not known: it is not finite itself, or the
	// step was an implicit one of more than MaxLocate coordinates.
	Q []float64
}

// FailureObserver is an Observer that is told of the failures that a Chain keeps, each before
// the draw that it is of.
type FailureObserver interface {
	Failed(chain int, f *Failure) error
}

// MaxLocate is the number of coordinates up to which the position is looked for at which an implicit
// step failed: that takes the step once more with dense matrices.
const MaxLocate = 200

// maxFailures is how many failures with a status a chain keeps of each block.
const maxFailures = 8

// attempt is what a trajectory tried last: a step from a point of phase space, or, with eps = 0, an
// evaluation at it.
type attempt struct {
	q, p []float64
	eps  float64 // signed
}

func newAttempt(m int) attempt {
	return attempt{q: make([]float64, m), p: make([]float64, m)}
}

func (a *attempt) set(q, p []float64, eps float64) {
	copy(a.q, q)
	copy(a.p, p)
	a.eps = eps
}

// locate returns the position at which the model failed in what was tried last, nil if it
// is not found.
func (k *HMC) locate() []float64 {
	q, p := slices.Clone(k.tried.q), slices.Clone(k.tried.p)
	w := &witness{Model: k.System}
	switch {
	case k.tried.eps == 0:
		return q
	case k.integrator == Leapfrog:
		// It evaluates nothing but the gradient, and leaves q where it did so last.
		k.Step(q, p, k.tried.eps, &k.Solver)
		w.Gradient(make([]float64, len(q)), q)
		return w.first
	case len(q) > MaxLocate:
		return nil
	}
	step, _, err := stepper(w, k.integrator)
	if err != nil {
		return nil // not for a kernel that there is
	}
	if r := step(q, p, k.tried.eps, &k.Solver); w.first == nil && r.Status.OfModel() {
		return w.last // such as that of a metric without a factor
	}
	return w.first
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
// at which the model failed in the last update of that block; nil if they are not found.
func (s *Sweep) locate(i int, q []float64) []float64 {
	own := s.Kernels[i].locate()
	if own == nil {
		return nil
	}
	out := slices.Clone(q)
	for _, x := range s.blocks[i].spans {
		copy(out[x.from:x.from+x.n], own[x.to:x.to+x.n])
	}
	if !allFinite(out) {
		return nil
	}
	return out
}
