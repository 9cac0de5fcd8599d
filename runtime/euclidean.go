package runtime

import (
	"fmt"
	"math"
	"slices"

	"github.com/hamc-dev/hamc/runtime/linalg"
)

// EuclideanMetric says what warm-up adapts where a model leaves its metric to the sampler. All estimates are made from draws and
// the gradients at them: see fisher.
type EuclideanMetric uint8

// The metrics; diagonal, dense and unit ones by CmdStan's names.
const (
	// AutoMetric leaves the choice to Choose: LowRank, or FisherMetric of a Chooser where that is better. It is the default.
	AutoMetric EuclideanMetric = iota

	// LowRank is diagonal but for those directions in which the posterior is much longer or shorter than the diagonal
	// says.
	LowRank

	// DiagE is diagonal.
	DiagE

	// DenseE is a whole matrix.
	DenseE

	// UnitE is the identity: nothing is adapted.
	UnitE

	// FisherMetric is the metric that a Chooser has as a candidate. It is not Euclidean.
	FisherMetric
)

var euclideanNames = [...]string{"auto", "low_rank", "diag_e", "dense_e", "unit_e", "fisher"}

// String returns the name that ParseEuclideanMetric reads.
func (e EuclideanMetric) String() string {
	if int(e) < len(euclideanNames) {
		return euclideanNames[e]
	}
	return fmt.Sprintf("EuclideanMetric(%d)", uint8(e))
}

// ParseEuclideanMetric reads auto, low_rank, diag_e, dense_e, unit_e or fisher.
func ParseEuclideanMetric(name string) (EuclideanMetric, error) {
	if i := slices.Index(euclideanNames[:], name); i >= 0 {
		return EuclideanMetric(i), nil
	}
	return 0, fmt.Errorf("unknown metric %q: expected auto, low_rank, diag_e, dense_e, unit_e or fisher", name)
}

// MarshalText writes the name of e.
func (e EuclideanMetric) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads a name as ParseEuclideanMetric does.
func (e *EuclideanMetric) UnmarshalText(text []byte) (err error) {
	*e, err = ParseEuclideanMetric(string(text))
	return err
}

// Euclidean implements System over a model with a constant metric M in place of the
// model's own. M is given by its inverse C, an estimate of the covariance matrix of
// the coordinates, and may be changed between transitions. Like a Model it serves one
// goroutine.
type Euclidean struct {
	Model

	info *Info // that of the model, but for the metric
	dim  int

	sparse     *lowRank         // C, diagonal but for a few directions; nil where it is dense
	covariance []float64        // dense C, row-major; nil where it is not
	factor     *linalg.Cholesky // of the dense C
	logDet     float64          // log det M

	at    []float64 // the position of grad and logp
	grad  []float64
	logp  float64
	known bool
	steps Steps // explicit ones: of the work space, v alone

	// Where coordinates are bent, positions and gradients are those of the bends, and the model's are kept beside them.
	bends    bends
	own      []float64 // the model's position of ownGrad and ownLogp
	ownGrad  []float64
	ownLogp  float64
	ownKnown bool
	slopes   []float64 // of the bends at the position, and what they add to the gradient
	curls    []float64

	// Of split steps: see StepSplit.
	centre      []float64 // μ
	apart, pull []float64 // q − μ, and M times that

	implicit *GenericSystem // of the implicit steps, once one is asked for
}

// NewEuclidean returns a System over m with the identity for its metric, which
// SetInverse changes: to a dense one or a diagonal one.
func NewEuclidean(m Model, dense bool) *Euclidean {
	n := m.Info().Dim()
	info := *m.Info()
	info.Metric = MetricInfo{Constant: true, Identity: true, Structure: Diagonal}
	e := &Euclidean{Model: m, info: &info, dim: n, at: make([]float64, n), grad: make([]float64, n), steps: Steps{v: make([]float64, n)}}
	if dense {
		info.Metric.Structure = Dense
		e.covariance = make([]float64, n*n)
		for i := range n {
			e.covariance[i*n+i] = 1
		}
		e.factor = linalg.NewCholesky(n)
		e.factor.Factor(e.covariance)
		return e
	}
	unit := make([]float64, n)
	for i := range unit {
		unit[i] = 1
	}
	e.sparse = newLowRank(n, unit)
	return e
}

// Inverse returns C = M⁻¹: its m·m elements row by row or, where it is not dense, its m diagonal elements D and then, for each
// direction in which it differs from them, a factor λ and a unit vector u of m elements: C = √D (I + Σ (λ − 1) u uᵀ) √D.
func (e *Euclidean) Inverse() []float64 {
	if e.sparse != nil {
		return e.sparse.list
	}
	return e.covariance
}

// rank is the number of directions behind the diagonal.
func (e *Euclidean) rank() int {
	if e.sparse == nil {
		return 0
	}
	return len(e.sparse.values)
}

// work counts the operations of a step, and those of a draw beside its steps.
func (e *Euclidean) work() (step, draw float64) {
	return stepOperations(e.info, e.dim) + float64(bendWork*len(e.bends)), float64(drawWork * e.dim)
}

// DrawWork counts the operations of a draw of that many steps, about: of the gradient of each, and of what it takes beside its
// steps. It is infinite where the steps are implicit, or in blocks.
func DrawWork(p Posterior, steps float64) float64 {
	in := p.Info()
	if _, ok := p.(Gibbs); ok || !in.Metric.Identity {
		return math.Inf(1)
	}
	return in.DrawWork(steps)
}

// DrawWork counts the operations of a draw of that many explicit steps, about.
func (in *Info) DrawWork(steps float64) float64 {
	dim := 0
	for i := range in.Params {
		dim += in.Params[i].Dim()
	}
	return float64(steps*stepOperations(in, dim)) + float64(drawWork*dim)
}

// stepOperations counts the operations of an explicit step of so many coordinates.
func stepOperations(in *Info, dim int) float64 {
	return float64(in.Work + stepOverhead + stepWork*dim)
}

// drawWork counts what a draw takes beside its steps, in operations for each coordinate: it is written, read and summarised.
const drawWork = 300

// Variances returns the diagonal of C.
func (e *Euclidean) Variances() []float64 {
	if e.sparse != nil {
		return e.sparse.diagonal()
	}
	out := make([]float64, e.dim)
	for i := range out {
		out[i] = e.covariance[i*e.dim+i]
	}
	return out
}

// SetInverse sets C = M⁻¹, in the form of Inverse, whose unit vectors are orthogonal. A C that is not positive definite
// leaves the metric as it is.
func (e *Euclidean) SetInverse(c []float64) Status {
	if e.sparse != nil {
		next := newLowRank(e.dim, c)
		if next == nil {
			return NotPositiveDefinite
		}
		e.sparse, e.logDet = next, next.logDet
	} else {
		if len(c) != len(e.covariance) {
			return NotPositiveDefinite
		}
		if st := FactorStatus(e.factor.Factor(c)); st != OK {
			e.factor.Factor(e.covariance)
			return st
		}
		copy(e.covariance, c)
		e.logDet = -e.factor.LogDet()
	}
	if e.implicit != nil {
		e.implicit.Forget()
	}
	return OK
}

// widen sets C = M⁻¹ to a diagonal that a function writes, if it reports that it has one.
func (e *Euclidean) widen(write func(diagonal []float64) bool) {
	d := make([]float64, e.dim)
	if !write(d) {
		return
	}
	if e.sparse == nil {
		full := make([]float64, e.dim*e.dim)
		for i, x := range d {
			full[i*e.dim+i] = x
		}
		d = full
	}
	e.SetInverse(d)
}

// Info describes the model, with its metric as it is here.
func (e *Euclidean) Info() *Info { return e.info }

// Clone returns a copy over a clone of the model, with the same metric.
func (e *Euclidean) Clone() Model {
	c := NewEuclidean(e.Model.Clone(), e.sparse == nil)
	c.setBends(e.bends)
	c.SetInverse(e.Inverse())
	c.SetCentre(e.centre)
	return c
}

// setBends bends coordinates. Positions and momenta of before mean nothing then.
func (e *Euclidean) setBends(b bends) {
	e.bends = slices.Clone(b)
	if b != nil && e.own == nil {
		e.own, e.ownGrad = make([]float64, e.dim), make([]float64, e.dim)
	}
	e.slopes, e.curls = make([]float64, len(b)), make([]float64, len(b))
	e.Forget()
}

// bend makes the coordinates of the model those of its bends, and keeps the gradient there: the state of a chain is that of the model,
// and its gradient does not depend on how exactly the bends lead there and back.
func (e *Euclidean) bend(q []float64) {
	if len(e.bends) == 0 {
		return
	}
	if !e.ownKnown || !slices.Equal(e.own, q) {
		copy(e.own, q)
		e.evaluate()
	}
	e.bends.pull(q)
	copy(e.at, q)
	e.turn(e.bends.slope(nil, e.slopes, e.curls, e.at))
}

// unbend is the inverse of bend. It returns the logarithm of the Jacobian.
func (e *Euclidean) unbend(v []float64) float64 { return e.bends.push(v) }

// gradientOf returns the model's gradient at its position q; nil where there is none.
func (e *Euclidean) gradientOf(q []float64) []float64 {
	if len(e.bends) == 0 {
		if e.gradient(q) != OK {
			return nil
		}
		return e.grad
	}
	e.bend(slices.Clone(q))
	if !isFinite(e.ownLogp) {
		return nil
	}
	return e.ownGrad
}

// evaluate makes the model's gradient that of its position.
func (e *Euclidean) evaluate() {
	e.ownLogp = e.Model.Gradient(e.ownGrad, e.own)
	e.ownKnown = true
}

// turn makes the gradient that by the coordinates of the bends, from the model's.
func (e *Euclidean) turn(logJacobian float64) {
	copy(e.grad, e.ownGrad)
	e.bends.turn(e.grad, e.slopes, e.curls)
	e.logp, e.known = e.ownLogp+logJacobian, true
}

// LogDensity is that of the coordinates of the system, which bends change.
func (e *Euclidean) LogDensity(q []float64) float64 {
	if len(e.bends) == 0 {
		return e.Model.LogDensity(q)
	}
	e.gradient(q)
	return e.logp
}

// Gradient is that by the coordinates of the system, which bends change.
func (e *Euclidean) Gradient(grad, q []float64) float64 {
	if len(e.bends) == 0 {
		return e.Model.Gradient(grad, q)
	}
	e.gradient(q)
	copy(grad, e.grad)
	return e.logp
}

// Forget drops what is remembered of a position: the model is no longer what it was.
func (e *Euclidean) Forget() {
	e.known, e.ownKnown = false, false
	if e.implicit != nil {
		e.implicit.Forget()
	}
}

// Metric writes M to g[m·m].
func (e *Euclidean) Metric(g, _ []float64) {
	if e.sparse != nil {
		copy(g, e.sparse.inverse())
		return
	}
	e.factor.Inverse(g)
}

// Contract writes zeros: M is constant.
func (e *Euclidean) Contract(out, _, _ []float64) { clear(out) }

// MetricJacobian writes zeros: M is constant.
func (e *Euclidean) MetricJacobian(out, _ []float64) { clear(out) }

// gradient makes the gradient that of the position q, unless it is already.
func (e *Euclidean) gradient(q []float64) Status {
	_, _, st := (*separable)(e).At(q)
	return st
}

// reason tells why the density at the position is not finite.
func (e *Euclidean) reason() Status {
	if m, ok := e.Model.(Solves); ok && m.SolveStatus() != OK {
		return m.SolveStatus()
	}
	return NonFinite
}

// Energy returns H(q, p) = −L(q) + ½ log det M + ½ pᵀM⁻¹p and L(q).
func (e *Euclidean) Energy(q, p []float64) (h, l float64, st Status) {
	// A trajectory asks for the energy where it needs the gradient next.
	if st := e.gradient(q); st != OK {
		return math.Inf(1), e.logp, st
	}
	(*separable)(e).Solve(e.steps.v, p)
	kinetic := 0.0
	for i, v := range e.steps.v {
		kinetic += float64(v * p[i])
	}
	h = -e.logp + float64(0.5*e.logDet) + float64(0.5*kinetic)
	if !isFinite(h) {
		return math.Inf(1), e.logp, NonFinite
	}
	return h, e.logp, OK
}

// Whiten writes to z the components of p in an orthonormal frame: M^−½p, or Lᵀp with
// M⁻¹ = L Lᵀ.
func (e *Euclidean) Whiten(z, _, p []float64) Status {
	if e.sparse != nil {
		e.sparse.whiten(z, p)
		return OK
	}
	e.factor.MulTransposed(z, p)
	return OK
}

// DrawMomentum replaces the standard normal variates in p by a draw from N(0, M).
func (e *Euclidean) DrawMomentum(p, _ []float64) Status {
	if e.sparse != nil {
		e.sparse.draw(p)
		return OK
	}
	e.factor.SolveTransposed(p, p)
	return OK
}

// StepLeapfrog is the leapfrog, see Steps.Leapfrog.
func (e *Euclidean) StepLeapfrog(q, p []float64, eps float64) StepResult {
	return e.steps.Leapfrog((*separable)(e), q, p, eps)
}

// separable is a Euclidean as its explicit steps see it.
type separable Euclidean

// At makes the gradient that of q, and returns its position and itself.
func (s *separable) At(q []float64) (at, slope []float64, st Status) {
	if !s.known || !slices.Equal(s.at, q) {
		copy(s.at, q)
		st = s.Slope()
	} else if !isFinite(s.logp) {
		st = (*Euclidean)(s).reason()
	}
	return s.at, s.grad, st
}

// Slope makes the gradient that of its position.
func (s *separable) Slope() Status {
	e := (*Euclidean)(s)
	if len(e.bends) == 0 {
		e.logp, e.known = e.Model.Gradient(e.grad, e.at), true
	} else {
		copy(e.own, e.at)
		logJacobian := e.bends.slope(e.own, e.slopes, e.curls, e.at)
		e.evaluate()
		e.turn(logJacobian)
	}
	if !isFinite(e.logp) {
		return e.reason()
	}
	return OK
}

// Solve writes v = M⁻¹p.
func (s *separable) Solve(v, p []float64) {
	if s.sparse != nil {
		s.sparse.mul(v, p)
		return
	}
	for i := range v {
		row := s.covariance[i*s.dim:][:s.dim]
		sum := 0.0
		for j, x := range row {
			sum += float64(x * p[j])
		}
		v[i] = sum
	}
}

// generic is the system of the implicit steps, which are explicit ones in disguise
// here.
func (e *Euclidean) generic() *GenericSystem {
	if e.implicit == nil {
		e.implicit = Generic(struct{ Model }{e})
	}
	return e.implicit
}

// StepGLFb is GLF(b), whose equations are explicit where the metric is constant.
func (e *Euclidean) StepGLFb(q, p []float64, eps float64, s *Solver) StepResult {
	return e.generic().StepGLFb(q, p, eps, s)
}

// StepIMb is IM(b).
func (e *Euclidean) StepIMb(q, p []float64, eps float64, s *Solver) StepResult {
	return e.generic().StepIMb(q, p, eps, s)
}
