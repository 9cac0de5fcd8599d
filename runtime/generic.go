package runtime

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/linalg"
)

// GenericSystem implements System over any Model, with dense linear algebra.
// It is what a model written by hand runs on, and the reference that
// specialised steps are compared with. Like a Model it serves one goroutine.
type GenericSystem struct {
	Model

	constant bool // the metric does not depend on q
	factored bool // the constant metric has its factor

	// here remembers the last position at which Energy, DrawMomentum or
	// the beginning or end of a GLF(b) or leapfrog step was evaluated;
	// there is for the positions that a solve visits.
	here, there position

	v, c   []float64 // m: G⁻¹p, and a contraction
	w      []float64 // m·m: what ∂G is contracted with
	still  []float64 // m: ∂H/∂q without the momentum, at here
	last   *position // whose factor was evaluated last: here or there
	steps  Steps
	second *newton // nil until Newton's method is used
}

// position holds quantities that depend on q alone. Each is computed when it
// is first asked for, and kept until at is called for another q.
type position struct {
	q    []float64
	have uint8

	logp  float64
	grad  []float64        // ∂L/∂q
	g     []float64        // G, as handed to chol
	chol  *linalg.Cholesky // of G
	ginv  []float64        // G⁻¹
	trace []float64        // ⟨G⁻¹, ∂G/∂q_k⟩
}

const (
	haveDensity uint8 = 1 << iota
	haveGradient
	haveFactor
	haveInverse
	haveTrace
)

// Generic returns a System that evaluates m through its interface.
func Generic(m Model) *GenericSystem {
	n := m.Info().Dim()
	s := &GenericSystem{
		Model:    m,
		constant: m.Info().Metric.Constant,
		v:        make([]float64, n),
		c:        make([]float64, n),
		still:    make([]float64, n),
		steps:    NewSteps(n),
	}
	s.here = newPosition(n)
	s.there = newPosition(n)
	return s
}

func newPosition(n int) position {
	return position{
		q:     make([]float64, n),
		grad:  make([]float64, n),
		trace: make([]float64, n),
	}
}

// allocate makes the matrices: when the first one is needed, since the density
// alone may have many more coordinates than matrices fit the memory for.
func (s *GenericSystem) allocate() {
	n := len(s.v)
	s.w = make([]float64, n*n)
	for _, at := range []*position{&s.here, &s.there} {
		at.g = make([]float64, n*n)
		at.chol = linalg.NewCholesky(n)
		at.ginv = make([]float64, n*n)
	}
	if s.constant {
		s.there.g, s.there.chol = s.here.g, s.here.chol
	}
}

// Forget drops what is remembered of positions and of a constant metric: the
// model is no longer what it was.
func (s *GenericSystem) Forget() { s.here.have, s.there.have, s.factored = 0, 0, false }

// GenericConditional implements Conditional over any Model whose other
// parameters can be set.
type GenericConditional struct {
	*GenericSystem
	given func(q []float64) Status
}

// GenericBlock returns a Conditional that evaluates m through its interface;
// given sets the other blocks' parameters of m from the coordinates of all.
func GenericBlock(m Model, given func(q []float64) Status) *GenericConditional {
	return &GenericConditional{Generic(m), given}
}

// Given sets the parameters of the other blocks from the coordinates q of all.
func (c *GenericConditional) Given(q []float64) Status {
	c.Forget()
	return c.given(q)
}

// Clone returns a GenericSystem over a clone of the model.
func (s *GenericSystem) Clone() Model { return Generic(s.Model.Clone()) }

// at moves the position to q. Equality is of bits, so that a NaN or a negative
// zero cannot pass for what it is not.
func (at *position) at(q []float64) *position {
	for i, x := range q {
		if math.Float64bits(x) != math.Float64bits(at.q[i]) {
			copy(at.q, q)
			at.have = 0
			break
		}
	}
	return at
}

// solved tells how the model's differential equations, if it has any, came out in
// the call before this one.
func (s *GenericSystem) solved() Status {
	if m, ok := s.Model.(Solves); ok {
		return m.SolveStatus()
	}
	return OK
}

// reason tells why something is not finite: perhaps because there was no solution.
func (s *GenericSystem) reason(st Status) Status {
	if failed := s.solved(); st == NonFinite && failed != OK {
		return failed
	}
	return st
}

// density makes L known at the position.
func (s *GenericSystem) density(at *position) Status {
	if at.have&haveDensity == 0 {
		at.logp = s.Model.LogDensity(at.q)
		at.have |= haveDensity
	}
	if !isFinite(at.logp) {
		return s.reason(NonFinite)
	}
	return OK
}

// gradient makes L and ∂L/∂q known at the position.
func (s *GenericSystem) gradient(at *position) Status {
	if at.have&haveGradient == 0 {
		at.logp = s.Model.Gradient(at.grad, at.q)
		if st := s.solved(); st != OK {
			return st
		}
		at.have |= haveDensity | haveGradient
	}
	return OK
}

// factor makes the Cholesky factor of G known at the position.
func (s *GenericSystem) factor(at *position) Status {
	if at.have&haveFactor != 0 || s.factored {
		return OK
	}
	if s.w == nil {
		s.allocate()
	}
	s.Model.Metric(at.g, at.q)
	if st := FactorStatus(at.chol.Factor(at.g)); st != OK {
		return s.reason(st)
	}
	at.have |= haveFactor
	s.factored = s.constant
	return OK
}

// force makes known what ∂H/∂q needs at the position, apart from the momentum.
func (s *GenericSystem) force(at *position) Status {
	if st := s.gradient(at); st != OK {
		return st
	}
	if st := s.factor(at); st != OK || s.constant {
		return st
	}
	if at.have&haveInverse == 0 {
		at.chol.Inverse(at.ginv)
		at.have |= haveInverse
	}
	if at.have&haveTrace == 0 {
		s.Model.Contract(at.trace, at.q, at.ginv)
		if st := s.solved(); st != OK {
			return st
		}
		at.have |= haveTrace
	}
	return OK
}

// slope writes ∂H/∂q_k = −∂_kL + ½⟨G⁻¹, ∂_kG⟩ − ½⟨v vᵀ, ∂_kG⟩, v = G⁻¹p, to
// out, at a position whose force is known.
func (s *GenericSystem) slope(out []float64, at *position, p []float64) {
	if s.constant {
		for k, g := range at.grad {
			out[k] = -g
		}
		return
	}
	at.chol.Solve(s.v, p)
	outer(s.w, s.v, 1)
	s.Model.Contract(s.c, at.q, s.w)
	for k := range out {
		out[k] = -at.grad[k] + float64(0.5*(at.trace[k]-s.c[k]))
	}
}

// genericStages are the stages of the steps over any model.
type genericStages GenericSystem

// VectorField writes ∂H/∂p = v = G⁻¹p to dp and ∂H/∂q_k = −∂_kL + ½⟨G⁻¹ − v vᵀ, ∂_kG⟩
// to dq, with nothing remembered but a constant metric's factor.
func (s *GenericSystem) VectorField(dq, dp, q, p []float64) Status {
	return (*genericStages)(s).Field(dp, dq, q, p)
}

func (g *genericStages) Field(v, f, q, p []float64) Status {
	s := (*GenericSystem)(g)
	if st := g.Evaluate(q); st != OK {
		return st
	}
	at := s.last
	if st := s.gradient(at); st != OK {
		return st
	}
	at.chol.Solve(v, p)
	if s.constant {
		for k, l := range at.grad {
			f[k] = -l
		}
		return OK
	}
	at.chol.Inverse(s.w)
	outer(s.w, v, -1)
	s.Model.Contract(f, q, s.w)
	if st := s.solved(); st != OK {
		return st
	}
	for k, l := range at.grad {
		f[k] = -l + float64(0.5*f[k])
	}
	return OK
}

func (g *genericStages) At(q []float64) (at, slope []float64, st Status) {
	s := (*GenericSystem)(g)
	s.last = s.here.at(q)
	if st = s.gradient(&s.here); st == OK {
		st = s.factor(&s.here)
	}
	return s.here.q, s.here.grad, st
}

func (g *genericStages) Slope() Status {
	g.here.have = 0
	return (*GenericSystem)(g).gradient(&g.here)
}

func (g *genericStages) Complete(q []float64) ([]float64, Status) {
	s := (*GenericSystem)(g)
	at := s.here.at(q)
	s.last = at
	if st := s.force(at); st != OK {
		return nil, st
	}
	for k, l := range at.grad {
		s.still[k] = -l
		if !s.constant {
			s.still[k] += float64(0.5 * at.trace[k])
		}
	}
	return s.still, OK
}

func (g *genericStages) MomentumForce(f, q, p []float64) {
	if g.constant {
		clear(f)
		return
	}
	g.here.chol.Solve(g.v, p)
	outer(g.w, g.v, 1)
	g.Model.Contract(f, q, g.w)
	for k := range f {
		f[k] = float64(f[k] * (0.5))
	}
}

func (g *genericStages) Evaluate(q []float64) Status {
	s := (*GenericSystem)(g)
	s.last = s.there.at(q)
	s.last.have = 0
	return s.factor(s.last)
}

func (g *genericStages) Solve(v, p []float64)        { g.last.chol.Solve(v, p) }
func (g *genericStages) Form(dq []float64) float64   { return g.last.chol.Form(dq) }
func (g *genericStages) Quad(dp []float64) float64   { return g.last.chol.Quad(dp) }
func (g *genericStages) RootDiagonal(root []float64) { g.last.chol.RootDiagonal(root) }

// outer writes v vᵀ to w where sign is +1, and subtracts it from w where sign
// is −1.
func outer(w, v []float64, sign float64) {
	for i, vi := range v {
		row := w[i*len(v):][:len(v)]
		if sign < 0 {
			for j, vj := range v {
				row[j] -= float64(vi * vj)
			}
			continue
		}
		for j, vj := range v {
			row[j] = float64(vi * vj)
		}
	}
}

// Energy returns H(q, p) = −L(q) + ½ log det G(q) + ½ pᵀG(q)⁻¹p and L(q).
func (s *GenericSystem) Energy(q, p []float64) (h, l float64, st Status) {
	at := s.here.at(q)
	if st = s.density(at); st == OK {
		st = s.factor(at)
	}
	if st != OK {
		return math.Inf(1), at.logp, st
	}
	at.chol.Solve(s.v, p)
	kinetic := 0.0
	for i, v := range s.v {
		kinetic += float64(v * p[i])
	}
	h = -at.logp + float64(0.5*at.chol.LogDet()) + float64(0.5*kinetic)
	if !isFinite(h) {
		return math.Inf(1), at.logp, NonFinite
	}
	return h, at.logp, OK
}

// Whiten writes z = L⁻¹p, with G = L Lᵀ.
func (s *GenericSystem) Whiten(z, q, p []float64) Status {
	at := s.here.at(q)
	if st := s.factor(at); st != OK {
		return st
	}
	at.chol.Whiten(z, p)
	return OK
}

// DrawMomentum replaces the standard normal variates z in p by L z ~ N(0, G(q)),
// with G = L Lᵀ.
func (s *GenericSystem) DrawMomentum(p, q []float64) Status {
	at := s.here.at(q)
	if st := s.factor(at); st != OK {
		return st
	}
	at.chol.MulL(p, p)
	return OK
}

// FactorStatus turns the outcome of a factorisation into a status.
func FactorStatus(o linalg.Outcome) Status {
	switch o {
	case linalg.Factored:
		return OK
	case linalg.NotPositiveDefinite:
		return NotPositiveDefinite
	}
	return NonFinite
}

func isFinite(x float64) bool { return x-x == 0 }

func allFinite(xs []float64) bool {
	for _, x := range xs {
		if !isFinite(x) {
			return false
		}
	}
	return true
}
