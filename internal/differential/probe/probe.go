// Package probe evaluates everything that a runtime.System offers at seeded
// points of phase space and records the numbers; of a runtime.Gibbs the joint
// density, and each of its blocks at several settings of the other parameters. The
// tests of package differential run it in their own process on interpreted models,
// and in a program built from generated code, and compare the records.
package probe

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/linalg"
	"github.com/hamc-dev/hamc/runtime/ode"
)

// Points is the number of points of a probe, and FirstFar the first of those that are farther out than the others.
const (
	Points   = 12
	FirstFar = Points - 3
)

// A Number is a float64 whose JSON form keeps infinities and NaNs, as strings.
type Number float64

// MarshalJSON writes a number, or one of "NaN", "+Inf", "-Inf".
func (x Number) MarshalJSON() ([]byte, error) {
	s := strconv.FormatFloat(float64(x), 'g', -1, 64)
	if v := float64(x); v-v != 0 {
		s = `"` + s + `"`
	}
	return []byte(s), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (x *Number) UnmarshalJSON(text []byte) error {
	s := string(text)
	if u, err := strconv.Unquote(s); err == nil {
		s = u
	}
	v, err := strconv.ParseFloat(s, 64)
	*x = Number(v)
	return err
}

// A Record is one evaluation: its numbers, and the status and the iterations
// of those that have them.
type Record struct {
	Point      int
	Quantity   string
	Values     []Number
	Status     string `json:",omitempty"`
	Iterations int    `json:",omitempty"`
}

// A Report is what one model gave.
type Report struct {
	Model     string
	Error     string `json:",omitempty"` // of loading it, or a panic
	Info      string // its runtime.Info
	Records   []Record
	Given     []Record `json:",omitempty"` // at points that the caller gave: see At
	Allocates []string `json:",omitempty"` // methods that allocate in steady state
	Remembers []string `json:",omitempty"` // what depends on former calls: see Memory
	Wrong     []string `json:",omitempty"` // what of a block disagrees with the joint density
	PerCoord  float64  `json:",omitempty"` // bytes that a long model takes: see Long
}

// Solver returns the settings of the fixed-point solves. The tolerance stands
// far above rounding, so that the same iteration meets it in both worlds: the eigenvectors of a metric
// with a condition number of 1e8, as SoftAbs has them, leave 1e-10 of a length in it.
func Solver() *runtime.Solver {
	return &runtime.Solver{Tolerance: 1e-8, Norm: runtime.MetricNorm, MaxIterations: 100}
}

// StepSize is the ε of the steps.
const StepSize = 0.05

// Position returns the unconstrained coordinates of a point. Most lie around the
// origin, two lie farther out, where derived metrics stop being positive definite,
// and the last one lies where densities over- and underflow.
func Position(dim, point int) []float64 {
	rng := rand.New(rand.NewPCG(uint64(point), uint64(dim)))
	radius := 1.0
	switch {
	case point == 0:
		radius = 0.1
	case point == Points-1:
		radius = 30
	case point >= FirstFar:
		radius = 3
	}
	q := make([]float64, dim)
	for i := range q {
		q[i] = radius * (2*rng.Float64() - 1)
	}
	return q
}

// Reference returns a point of reference for the maps of latent vectors, which every probe has.
func Reference(dim int) []float64 { return Position(dim, 5) }

// Normals returns n standard normal variates that belong to a point.
func Normals(n, point int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, uint64(point)))
	z := make([]float64, n)
	for i := range z {
		z[i] = rng.NormFloat64()
	}
	return z
}

// weight returns a symmetric matrix that belongs to a point.
func weight(n, point int) []float64 {
	w := Normals(n*n, point, 3)
	for i := range n {
		for j := range i {
			w[i*n+j] = w[j*n+i]
		}
	}
	return w
}

// Tolerance is that of differential equations, far below what the records are
// compared by, and MaxSteps what a solution may take: those that are of any use
// take some hundred.
const (
	Tolerance = 1e-13
	MaxSteps  = 1500
)

// solver is a model with differential equations.
type solver interface{ SetODE(opt ode.Options) }

// Run probes a model: a System, a Model, which is wrapped, or a Gibbs. Of a model
// that the interpreter is slow at, for its data or for differential equations, only
// a few points are probed, once.
func Run(m runtime.Posterior, slow bool) (r Report) { return run(m, slow, 0) }

// Nudged is Run with the far positions, FirstFar and later, moved by a few units in the last place, in a way that a seed above 0 says: how far its
// numbers are from Run's is what rounding does there. With even seeds the plain coordinates of latent vectors are moved, which are rounded too.
func Nudged(m runtime.Posterior, slow bool, seed uint64) Report { return run(m, slow, seed) }

func run(m runtime.Posterior, slow bool, nudge uint64) (r Report) {
	r.Model = m.Info().Name
	info, err := json.Marshal(m.Info())
	if err != nil {
		r.Error = err.Error()
		return r
	}
	r.Info = string(info)
	if g, ok := m.(runtime.Generator); ok && len(g.Generated()) > 0 {
		if info, err = json.Marshal(g.Generated()); err != nil {
			r.Error = err.Error()
			return r
		}
		r.Info += string(info)
	}
	if s, ok := m.(solver); ok {
		s.SetODE(ode.Options{RelTol: Tolerance, AbsTol: Tolerance, MaxSteps: MaxSteps})
	}
	p := &prober{report: &r, slow: slow, nudge: nudge}
	if g, ok := m.(runtime.Generator); ok {
		p.generates = len(g.Generated()) > 0
	}
	defer func() {
		if e := recover(); e != nil {
			r.Error = fmt.Sprintf("panic at point %d after %s: %v", p.point, p.last(), e)
		}
	}()
	if g, ok := m.(runtime.Gibbs); ok {
		p.gibbs(g)
		p.generated(m)
		p.prior(m)
		return r
	}
	s := runtime.AsSystem(m.(runtime.Model))
	if a, ok := m.(runtime.Anchored); ok {
		a.SetReference(Reference(s.Info().Dim()))
	}
	for p.point = range Points {
		if !slow || p.point == 1 || p.point == Points-1 {
			p.at(s, Position(s.Info().Dim(), p.point))
		}
	}
	p.generated(m)
	p.prior(m)
	if slow {
		return r
	}
	// A clone has a life of its own, and starts afresh.
	c, ok := s.Clone().(runtime.System)
	if !ok {
		r.Error = "the clone is no runtime.System"
		return r
	}
	p.point, p.prefix = 1, "clone "
	p.at(c, Position(c.Info().Dim(), p.point))
	p.interleaved(s, c)
	return r
}

// Allocates returns the methods that allocate in steady state, of those that
// sampling calls.
func Allocates(m runtime.Posterior) []string {
	if g, ok := m.(runtime.Gibbs); ok {
		return gibbsAllocates(g)
	}
	return allocates(runtime.AsSystem(m.(runtime.Model)))
}

func allocates(s runtime.System) []string {
	m := s.Info().Dim()
	q0, v, g, x := Position(m, 1), fill(m), fill(m*m), fill(s.Info().Size())
	p := &prober{report: &Report{}, point: 1}
	p0 := p.momentum(s, q0)
	w := weight(m, 1)
	q, mom := clone(q0), clone(p0)
	list := []method{
		{"LogDensity", func() { s.LogDensity(q) }},
		{"Gradient", func() { s.Gradient(v, q) }},
		{"Metric", func() { s.Metric(g, q) }},
		{"Contract", func() { s.Contract(v, q, w) }},
		{"Constrain", func() { s.Constrain(x, q) }},
		{"DrawMomentum", func() { s.DrawMomentum(v, q) }},
		{"Energy", func() { s.Energy(q, mom) }},
	}
	for _, t := range steps(s) {
		if t.count == 1 {
			list = append(list, method{t.name, func() { t.f(q, mom) }})
		}
	}
	list = append(list, generating(s, q)...)
	if t, ok := s.(runtime.Transported); ok {
		list = append(list, method{"Push", func() { t.Push(copied(v, q)) }}, method{"Pull", func() { t.Pull(copied(v, q)) }}, method{"LogJacobian", func() { t.LogJacobian(q) }})
	}
	if t, ok := s.(runtime.Anchored); ok {
		list = append(list, method{"SetReference", func() { t.SetReference(q) }})
	}
	for i, t := range list {
		list[i].f = func() {
			copy(mom, p0)
			t.f()
		}
	}
	return allocating("", q, list)
}

// generating is the method Generate of a model that has it.
func generating(m runtime.Posterior, q []float64) []method {
	g, ok := m.(runtime.Generator)
	if !ok {
		return nil
	}
	out, rng := fill(runtime.QuantitiesLen(g.Generated())), rand.New(rand.NewPCG(1, 2))
	return []method{{"Generate", func() { g.Generate(out, q, rng) }}}
}

// own is the model below a System that is made of one.
func own(s runtime.Posterior) runtime.Posterior {
	if g, ok := s.(*runtime.GenericSystem); ok {
		return g.Model
	}
	return s
}

// copied is a copy of q in v.
func copied(v, q []float64) []float64 {
	copy(v, q)
	return v
}

type method struct {
	name string
	f    func()
}

// allocating returns the methods of a list that allocate, at positions q that
// alternate, so that nothing is remembered.
func allocating(prefix string, q []float64, list []method) (out []string) {
	q0 := clone(q)
	for _, t := range list {
		n := testing.AllocsPerRun(4, func() {
			copy(q, q0)
			t.f()
			q[0] += 1e-3
			t.f()
		})
		if n != 0 {
			out = append(out, prefix+t.name)
		}
	}
	copy(q, q0)
	return out
}

// Generate returns the generated quantities of a position, each a slice of its own,
// with the random numbers of a seed, and the next word of their stream.
func Generate(g runtime.Generator, q []float64, seed uint64) (values [][]float64, next uint64) {
	list := g.Generated()
	src := rand.NewPCG(seed, 29)
	out := fill(runtime.QuantitiesLen(list))
	g.Generate(out, q, rand.New(src))
	for i := range list {
		n := list[i].Size()
		values, out = append(values, out[:n]), out[n:]
	}
	return values, src.Uint64()
}

// Prior returns the parameters of a draw from the prior, given those of a point that have
// none, with the random numbers of that point, and the next word of their stream.
func Prior(d runtime.PriorDrawer, point int) (values []float64, next uint64) {
	src := rand.NewPCG(uint64(point), 31)
	values = fill(d.Info().Size())
	d.Constrain(values, Position(d.Info().Dim(), point))
	d.DrawPrior(values, rand.New(src))
	return values, src.Uint64()
}

// prior records draws from the prior, and which parameters are drawn.
func (p *prober) prior(m runtime.Posterior) {
	d, ok := m.(runtime.PriorDrawer)
	if !ok || len(d.Priors()) == 0 {
		return
	}
	p.prefix = ""
	for p.point = range 3 {
		values, next := Prior(d, p.point)
		for i, x := range m.Info().Params {
			p.record(fmt.Sprintf("prior %s, %d of %v", x.Name, i, d.Priors()), nil, values[:x.Size()])
			values = values[x.Size():]
		}
		p.record("next random numbers", nil, []float64{float64(next >> 32), float64(uint32(next))})
	}
}

// generated records the generated quantities at all points but the one where
// everything over- and underflows: there only that nothing panics can be said.
func (p *prober) generated(m runtime.Posterior) {
	g, ok := m.(runtime.Generator)
	if !ok || len(g.Generated()) == 0 {
		return
	}
	p.prefix = ""
	for p.point = range Points {
		if p.slow && p.point > 1 && p.point < Points-1 {
			continue
		}
		values, next := Generate(g, Position(m.Info().Dim(), p.point), uint64(p.point))
		if p.point == Points-1 {
			continue
		}
		for i, x := range g.Generated() {
			p.record("generated "+x.Name, nil, values[i])
		}
		p.record("next random numbers", nil, []float64{float64(next >> 32), float64(uint32(next))})
	}
}

// At returns the log density, the gradient and the parameters at given points.
func At(s runtime.Posterior, points [][]float64) []Record {
	r := &Report{}
	p := &prober{report: r}
	for i, q := range points {
		p.point = i
		grad, x := fill(len(q)), fill(s.Info().Size())
		l := s.Gradient(grad, q)
		s.Constrain(x, q)
		p.record("log density", nil, []float64{l})
		p.record("gradient", nil, grad)
		p.record("parameters", nil, x)
	}
	return r.Records
}

// Given probes the log density, the gradient and the parameters of a model at given points alone, about the reference that the maps of latent
// vectors have in all tests.
func Given(m runtime.Posterior, points [][]float64) (r Report) {
	r.Model = m.Info().Name
	if s, ok := m.(solver); ok {
		s.SetODE(ode.Options{RelTol: Tolerance, AbsTol: Tolerance, MaxSteps: MaxSteps})
	}
	if a, ok := m.(runtime.Anchored); ok {
		a.SetReference(Reference(m.Info().Dim()))
	}
	defer func() {
		if e := recover(); e != nil {
			r.Error = fmt.Sprintf("panic: %v", e)
		}
	}()
	r.Records = At(m, points)
	return r
}

type prober struct {
	report *Report
	point  int
	prefix string
	slow   bool
	nudge  uint64 // 0 of positions as they are

	generates bool // the model has generated quantities
}

func (p *prober) last() string {
	if n := len(p.report.Records); n > 0 {
		return p.report.Records[n-1].Quantity
	}
	return "nothing"
}

func (p *prober) record(quantity string, st *runtime.StepResult, values ...[]float64) {
	rec := Record{Point: p.point, Quantity: p.prefix + quantity}
	for _, v := range values {
		for _, x := range v {
			rec.Values = append(rec.Values, Number(x))
		}
	}
	if st != nil {
		rec.Status, rec.Iterations = st.Status.String(), st.Iterations
		if st.Status != runtime.OK {
			rec.Values = nil // where a step failed, its state is not defined
		}
	}
	p.report.Records = append(p.report.Records, rec)
}

// fill returns a slice that holds garbage: a method that adds to its
// destination, or leaves a zero out, shows.
func fill(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Inf(-1)
	}
	return v
}

// density records what any posterior has, and returns the log density and its
// gradient.
func (p *prober) density(s runtime.Posterior, q []float64) (l float64, grad []float64) {
	m := len(q)
	p.record("log density", nil, []float64{s.LogDensity(q)})
	grad = fill(m)
	l = s.Gradient(grad, q)
	p.record("gradient", nil, grad)
	p.record("log density of gradient", nil, []float64{l})
	x := fill(s.Info().Size())
	s.Constrain(x, q)
	p.record("parameters", nil, x)
	if t, ok := own(s).(runtime.Transported); ok {
		p.record("the Jacobian of the maps", nil, []float64{t.LogJacobian(q)})
		plain := clone(q)
		t.Push(plain)
		p.record("plain coordinates", nil, plain)
		if p.point < Points-1 {
			t.Pull(plain)
			p.record("coordinates of plain ones", nil, plain)
		}
	}
	back := fill(m)
	if err := s.Unconstrain(back, x); err != nil {
		// A parameter that rounds to its bound has no coordinate.
		p.record("coordinates outside the support", nil)
	} else {
		// Compared as parameters: where inv_logit is flat, one bit of a
		// parameter is much of a coordinate.
		again := fill(len(x))
		s.Constrain(again, back)
		p.record("parameters of coordinates", nil, again)
	}
	return l, grad
}

// nudged moves a far position as Nudged says.
func (p *prober) nudged(s runtime.System, q []float64) {
	if p.nudge == 0 || p.point < FirstFar {
		return
	}
	t, plain := own(s).(runtime.Transported)
	if plain = plain && p.nudge%2 == 0; plain {
		t.Push(q)
	}
	rng := rand.New(rand.NewPCG(p.nudge, uint64(p.point)))
	for i := range q {
		q[i] *= 1 + float64(rng.IntN(9)-4)*0x1p-52
	}
	if plain {
		t.Pull(q)
	}
}

// at records everything at one position.
func (p *prober) at(s runtime.System, q []float64) {
	m := len(q)
	p.nudged(s, q)
	_, grad := p.density(s, q)
	g := fill(m * m)
	s.Metric(g, q)
	p.record("metric", nil, g)
	if p.point == Points-1 {
		// What follows is differences of numbers of any size there: only
		// that nothing panics can be said of it.
		s.Contract(fill(m), q, weight(m, p.point))
		s.MetricJacobian(fill(m*m*m), q)
		mom := Normals(m, p.point, 1)
		s.Energy(q, mom)
		for _, t := range steps(s) {
			t.f(clone(q), clone(mom))
		}
		return
	}
	v := fill(m)
	s.Contract(v, q, weight(m, p.point))
	p.record("contraction", nil, v)
	cube := fill(m * m * m)
	s.MetricJacobian(cube, q)
	p.record("metric Jacobian", nil, cube)
	p.product(s, q, cube)
	if c, ok := runtime.AsCurved(s); ok {
		p.curvature(c, q)
	}

	mom := Normals(m, p.point, 1)
	st := s.DrawMomentum(mom, q)
	// Roots of G differ, so the draw itself is not compared, but its covariance.
	p.record("momentum", &runtime.StepResult{Status: st}, covariance(s, q))
	mom = p.momentum(s, q)
	h, l, st := s.Energy(q, mom)
	p.record("energy", &runtime.StepResult{Status: st}, []float64{h, l})
	if size := max(largest(q), largest(mom), largest(v), largest(grad)); !(size < maxSize) || !conditioned(g) {
		p.record("steps left out", nil)
		return
	}
	p.steps(s, q, mom)
	p.newton(s, q, mom)
	if !p.slow {
		p.limits(s, q, mom)
	}
}

// limits records how steps end that their solver's settings stop early: after
// few iterations, in either solve of GLF(b), and where a solve stalls. A step
// so long that its iterates run away must not panic, but is not recorded: in which
// iteration they leave the numbers, and whether the metric breaks down before, is
// a matter of rounding.
func (p *prober) limits(s runtime.System, q0, p0 []float64) {
	run := func(eps float64, sv runtime.Solver, note func(t step, r runtime.StepResult, q, mom []float64)) {
		for _, t := range stepsWith(s, eps, &sv) {
			if t.count != 1 || s.Info().Metric.Constant && !strings.HasPrefix(t.name, "StepIMb") {
				continue // the generated GLF(b) of a constant metric solves nothing
			}
			q, mom := clone(q0), clone(p0)
			note(t, t.f(q, mom), q, mom)
		}
	}
	sv := *Solver()
	for n := 1; n <= 8; n++ {
		sv.MaxIterations = n
		run(StepSize, sv, func(t step, r runtime.StepResult, q, mom []float64) {
			p.record(fmt.Sprintf("%s, at most %d iterations", t.name, n), &r, q, mom)
		})
	}
	sv = *Solver()
	sv.StopStalled = true
	run(4*StepSize, sv, func(t step, r runtime.StepResult, q, mom []float64) {
		if t.name == accelerated {
			return // rounding decides where steps that are so long stall: residuals become nearly dependent
		}
		if r.Status == runtime.NonFinite || r.Status == runtime.NotPositiveDefinite {
			p.record(t.name+" runs away", nil) // as below
			return
		}
		p.record(t.name+", stopped where stalled", &r, q, mom)
	})
	run(1000*StepSize, sv, func(step, runtime.StepResult, []float64, []float64) {})
}

// maxSize bounds the numbers from which steps are compared, and maxCondition the metric: beyond them, rounding
// comes near the solves' tolerance.
const (
	maxSize      = 1e4
	maxCondition = 1e8
)

// maxIterations bounds the iterations of a step that is compared: those of a longer one wander before they
// converge, if they do, and rounding decides on how long.
const maxIterations = 64

// conditioned reports whether the largest entries of a metric and of its inverse multiply to less than
// maxCondition.
func conditioned(g []float64) bool {
	m := int(math.Sqrt(float64(len(g))))
	chol := linalg.NewCholesky(m)
	if chol.Factor(g) != linalg.Factored {
		return true // the steps say so too
	}
	inverse := fill(m * m)
	chol.Inverse(inverse)
	return largest(g)*largest(inverse) < maxCondition
}

func largest(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		m = max(m, math.Abs(x))
	}
	return m
}

// momentum returns a momentum of the metric's scale: G v for a fixed v, which
// does not depend on which root of G DrawMomentum takes.
func (p *prober) momentum(s runtime.System, q []float64) []float64 {
	m := len(q)
	g, v := fill(m*m), Normals(m, p.point, 2)
	s.Metric(g, q)
	mom := make([]float64, m)
	norm := 0.0
	for i := range mom {
		for j := range v {
			mom[i] += g[i*m+j] * v[j]
		}
		norm += mom[i] * v[i]
	}
	// vᵀGv = m, as for a draw from N(0, G).
	scale := math.Sqrt(float64(m) / math.Abs(norm))
	for i := range mom {
		mom[i] *= scale
	}
	return mom
}

// covariance returns that of the momentum: a draw is linear in the normal variates
// that it is made of.
func covariance(s runtime.System, q []float64) []float64 {
	m := len(q)
	g := make([]float64, m*m)
	p := make([]float64, m)
	for k := range m {
		clear(p)
		p[k] = 1
		s.DrawMomentum(p, q)
		for i := range m {
			for j := range m {
				g[i*m+j] += p[i] * p[j]
			}
		}
	}
	return g
}

type step struct {
	name  string
	count int
	f     func(q, p []float64) runtime.StepResult
}

// accelerated is the name of the implicit midpoint with Anderson's acceleration.
const accelerated = "StepIMb by Anderson"

func steps(s runtime.System) []step { return stepsWith(s, StepSize, Solver()) }

func stepsWith(s runtime.System, eps float64, sv *runtime.Solver) []step {
	im := func(q, p []float64) runtime.StepResult { return s.StepIMb(q, p, eps, sv) }
	glf := func(q, p []float64) runtime.StepResult { return s.StepGLFb(q, p, eps, sv) }
	leap := func(q, p []float64) runtime.StepResult { return s.StepLeapfrog(q, p, eps) }
	mix := *sv
	mix.Method = runtime.Anderson
	mixed := func(q, p []float64) runtime.StepResult { return s.StepIMb(q, p, eps, &mix) }
	list := []step{{"StepIMb", 1, im}, {"StepIMb", 3, im}, {accelerated, 1, mixed}, {"StepGLFb", 1, glf}, {"StepGLFb", 3, glf}}
	if s.Info().Metric.Constant {
		list = append(list, step{"StepLeapfrog", 1, leap}, step{"StepLeapfrog", 3, leap})
	}
	return list
}

func (p *prober) steps(s runtime.System, q0, p0 []float64) {
	for _, t := range steps(s) {
		q, mom := clone(q0), clone(p0)
		r := runtime.StepResult{}
		wanders := false
		for range t.count {
			one := t.f(q, mom)
			r.Status = one.Status
			r.Iterations += one.Iterations
			wanders = wanders || one.Iterations > maxIterations
			if r.Status != runtime.OK {
				break
			}
		}
		if wanders {
			p.record(t.name+" wanders", nil)
			continue
		}
		p.record(fmt.Sprintf("%s × %d", t.name, t.count), &r, q, mom)
	}
}

// interleaved steps a model while it, and its clone, are evaluated elsewhere:
// what a model remembers of a position must not leak into another.
func (p *prober) interleaved(s, other runtime.System) {
	m := s.Info().Dim()
	p.prefix = "interleaved "
	for p.point = range 2 {
		q0 := Position(m, p.point)
		g0 := fill(m * m)
		if s.Metric(g0, q0); !conditioned(g0) {
			continue
		}
		p0 := p.momentum(s, q0)
		far := Position(m, p.point+1)
		v, g, cube, values := fill(m), fill(m*m), fill(m*m*m), fill(s.Info().Size())
		disturb := []func(x runtime.System){
			func(x runtime.System) { x.LogDensity(far) },
			func(x runtime.System) { x.Gradient(v, far) },
			func(x runtime.System) { x.Metric(g, far) },
			func(x runtime.System) { x.Contract(v, far, weight(m, 0)) },
			func(x runtime.System) { x.MetricJacobian(cube, far) },
			func(x runtime.System) { x.Energy(far, p0) },
			func(x runtime.System) { x.Constrain(values, far) },
			func(x runtime.System) { x.DrawMomentum(clone(p0), far) },
		}
		if p.generates {
			disturb = append(disturb, func(x runtime.System) {
				// The wrapper of an interpreted model has no quantities.
				if g, ok := x.(runtime.Generator); ok {
					Generate(g, far, 3)
				}
			})
		}
		for _, t := range steps(s) {
			if t.count != 1 {
				continue
			}
			for n, d := range disturb {
				q, mom := clone(q0), clone(p0)
				var r runtime.StepResult
				wanders := false
				for range 2 {
					one := t.f(q, mom)
					r.Status = one.Status
					r.Iterations += one.Iterations
					wanders = wanders || one.Iterations > maxIterations
					if r.Status != runtime.OK {
						break
					}
					d(other)
					d(s)
				}
				if wanders {
					p.record(t.name+" wanders", nil)
					continue
				}
				p.record(fmt.Sprintf("%s, disturbance %d", t.name, n), &r, q, mom)
				if r.Status != runtime.OK {
					continue
				}
				s.Contract(v, q, weight(m, 1))
				h, _, st := s.Energy(q, mom)
				p.record(fmt.Sprintf("energy after %s, disturbance %d", t.name, n), &runtime.StepResult{Status: st}, []float64{h}, v)
			}
		}
	}
}

func clone(x []float64) []float64 { return append([]float64(nil), x...) }
