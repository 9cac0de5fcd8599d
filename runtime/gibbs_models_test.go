package runtime_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/hamc-dev/hamc/runtime"
)

// blockSpec is how a test samples some parameters of a jointNormal.
type blockSpec struct {
	name   string
	params []string

	bend float64 // how much the metric varies with the block's own coordinates
	own  bool    // with steps of its own in place of the generic ones

	// limit is the sum of the other coordinates above which the block has no
	// metric: Given says so, or leaves a negative one if late is set.
	limit float64
	late  bool

	deaf bool // a mistake: Given listens to the first call only
}

// jointNormal is N(mu, P⁻¹), sampled in blocks.
type jointNormal struct {
	unbounded
	mu, prec []float64
	specs    []blockSpec
	blocks   []runtime.Conditional
}

// newJointNormal returns a normal with the given parameters. Every two of its
// coordinates are correlated.
func newJointNormal(params []runtime.Param, specs ...blockSpec) *jointNormal {
	m := &jointNormal{specs: specs}
	m.info = runtime.Info{Name: "joint", Params: params}
	n := m.info.Dim()
	m.mu, m.prec = make([]float64, n), make([]float64, n*n)
	for i := range n {
		m.mu[i] = float64(i) - 2
		for j := range n {
			m.prec[i*n+j] = 0.45 * math.Cos(1.3*float64((i+1)*(j+1)))
		}
		m.prec[i*n+i] = 3 + 0.5*float64(i)
	}
	m.build()
	return m
}

// sevenParams are parameters of 1, 3, 1 and 2 coordinates.
func sevenParams() []runtime.Param {
	return []runtime.Param{{Name: "a"}, {Name: "b", Shape: []int{3}}, {Name: "c"}, {Name: "d", Shape: []int{2}}}
}

func (m *jointNormal) build() {
	m.blocks = nil
	for _, s := range m.specs {
		b := m.block(s)
		if s.own {
			m.blocks = append(m.blocks, &ownNormal{normalBlock: b})
		} else {
			m.blocks = append(m.blocks, runtime.GenericBlock(b, b.given))
		}
	}
}

func (m *jointNormal) Blocks() []runtime.Conditional { return m.blocks }

func (m *jointNormal) Clone() runtime.Gibbs {
	c := *m
	c.build()
	return &c
}

func (m *jointNormal) LogDensity(q []float64) float64 {
	n := len(q)
	sum := 0.0
	for i := range n {
		for j := range n {
			sum += (q[i] - m.mu[i]) * m.prec[i*n+j] * (q[j] - m.mu[j])
		}
	}
	return -0.5 * sum
}

func (m *jointNormal) Gradient(grad, q []float64) float64 {
	for i := range grad {
		grad[i] = m.slope(q, i)
	}
	return m.LogDensity(q)
}

// slope returns ∂L/∂q_i.
func (m *jointNormal) slope(q []float64, i int) float64 {
	sum := 0.0
	for j := range q {
		sum -= m.prec[i*len(q)+j] * (q[j] - m.mu[j])
	}
	return sum
}

// normalBlock is one block of a jointNormal. With s = 1 + ½ sin Σ(the other
// coordinates) its metric is s·(P + bend·diag((q − mu)²)), P and mu those of the
// block.
type normalBlock struct {
	unbounded
	joint *jointNormal
	spec  blockSpec
	at    []int     // where its coordinates are among all
	all   []float64 // of the last Given, and the block's own of the last call
	scale float64
	heard bool
}

func (m *jointNormal) block(s blockSpec) *normalBlock {
	b := &normalBlock{joint: m, spec: s, all: make([]float64, m.info.Dim())}
	b.info = runtime.Info{Name: s.name, Metric: runtime.MetricInfo{Constant: s.bend == 0}}
	for _, name := range s.params {
		at := 0
		for _, p := range m.info.Params {
			if p.Name == name {
				b.info.Params = append(b.info.Params, p)
				for k := range p.Size() {
					b.at = append(b.at, at+k)
				}
			}
			at += p.Size()
		}
	}
	return b
}

func (b *normalBlock) Clone() runtime.Model { return b.joint.block(b.spec) }

func (b *normalBlock) given(q []float64) runtime.Status {
	if b.spec.deaf && b.heard {
		return runtime.OK
	}
	b.heard = true
	sum := 0.0
	for i, x := range q {
		b.all[i] = x
		if !slices.Contains(b.at, i) {
			sum += x
		}
	}
	b.scale = 1 + 0.5*math.Sin(sum)
	if b.spec.limit != 0 && sum > b.spec.limit {
		if !b.spec.late {
			return runtime.NotPositiveDefinite
		}
		b.scale = -b.scale
	}
	return runtime.OK
}

// set enters the block's own coordinates among all.
func (b *normalBlock) set(q []float64) {
	for k, i := range b.at {
		b.all[i] = q[k]
	}
}

func (b *normalBlock) LogDensity(q []float64) float64 {
	b.set(q)
	return b.joint.LogDensity(b.all)
}

func (b *normalBlock) Gradient(grad, q []float64) float64 {
	b.set(q)
	for k, i := range b.at {
		grad[k] = b.joint.slope(b.all, i)
	}
	return b.joint.LogDensity(b.all)
}

func (b *normalBlock) Metric(g, q []float64) {
	n, all := len(q), len(b.all)
	for k, i := range b.at {
		for l, j := range b.at {
			g[k*n+l] = b.scale * b.joint.prec[i*all+j]
		}
		d := q[k] - b.joint.mu[i]
		g[k*n+k] += b.scale * b.spec.bend * d * d
	}
}

func (b *normalBlock) Contract(out, q, w []float64) {
	for k, i := range b.at {
		out[k] = 2 * b.scale * b.spec.bend * (q[k] - b.joint.mu[i]) * w[k*len(q)+k]
	}
}

func (b *normalBlock) MetricJacobian(out, q []float64) {
	n := len(q)
	clear(out)
	for k, i := range b.at {
		out[(k*n+k)*n+k] = 2 * b.scale * b.spec.bend * (q[k] - b.joint.mu[i])
	}
}

// ownNormal is a normalBlock as generated code would be: with the constant
// metric s·diag(P), factored in Given, and steps that remember a gradient.
type ownNormal struct {
	*normalBlock
	diagonal, grad, at []float64
	known              bool // grad is the gradient at the position at
	v, qm, pm          []float64
}

func (b *ownNormal) Clone() runtime.Model {
	return &ownNormal{normalBlock: b.normalBlock.Clone().(*normalBlock)}
}

func (b *ownNormal) Given(q []float64) runtime.Status {
	if st := b.given(q); st != runtime.OK {
		return st
	}
	n := len(b.normalBlock.at)
	if b.diagonal == nil {
		b.diagonal, b.grad, b.at = make([]float64, n), make([]float64, n), make([]float64, n)
		b.v, b.qm, b.pm = make([]float64, n), make([]float64, n), make([]float64, n)
	}
	for k, i := range b.normalBlock.at {
		b.diagonal[k] = b.scale * b.joint.prec[i*len(q)+i]
	}
	b.known = false
	return runtime.OK
}

func (b *ownNormal) Metric(g, q []float64) {
	clear(g)
	for k, x := range b.diagonal {
		g[k*len(q)+k] = x
	}
}

func (b *ownNormal) Energy(q, p []float64) (h, l float64, st runtime.Status) {
	l = b.LogDensity(q)
	h = -l
	for k, x := range b.diagonal {
		if !(x > 0) {
			return math.Inf(1), l, runtime.NotPositiveDefinite
		}
		h += 0.5*math.Log(x) + 0.5*p[k]*p[k]/x
	}
	return h, l, runtime.OK
}

func (b *ownNormal) Whiten(z, q, p []float64) runtime.Status {
	for k, x := range b.diagonal {
		if !(x > 0) {
			return runtime.NotPositiveDefinite
		}
		z[k] = p[k] / math.Sqrt(x)
	}
	return runtime.OK
}

func (b *ownNormal) Length(_, dq, dp []float64) (float64, runtime.Status) {
	sum := 0.0
	for k, x := range b.diagonal {
		if !(x > 0) {
			return 0, runtime.NotPositiveDefinite
		}
		if dq != nil {
			sum += x * dq[k] * dq[k]
		}
		if dp != nil {
			sum += dp[k] * dp[k] / x
		}
	}
	return math.Sqrt(sum), runtime.OK
}

func (b *ownNormal) DrawMomentum(p, q []float64) runtime.Status {
	for k, x := range b.diagonal {
		if !(x > 0) {
			return runtime.NotPositiveDefinite
		}
		p[k] *= math.Sqrt(x)
	}
	return runtime.OK
}

func (b *ownNormal) StepLeapfrog(q, p []float64, eps float64) runtime.StepResult {
	if !b.known || !slices.Equal(b.at, q) {
		b.Gradient(b.grad, q)
	}
	for k := range q {
		p[k] += 0.5 * eps * b.grad[k]
		q[k] += eps * p[k] / b.diagonal[k]
	}
	b.Gradient(b.grad, q)
	for k := range q {
		p[k] += 0.5 * eps * b.grad[k]
	}
	copy(b.at, q)
	b.known = true
	return runtime.StepResult{}
}

func (b *ownNormal) StepGLFb(q, p []float64, eps float64, _ *runtime.Solver) runtime.StepResult {
	return b.StepLeapfrog(q, p, eps)
}

func (b *ownNormal) StepIMb(q, p []float64, eps float64, s *runtime.Solver) runtime.StepResult {
	copy(b.qm, q)
	copy(b.pm, p)
	for n := 1; n <= s.MaxIterations; n++ {
		b.known = false
		b.Gradient(b.grad, b.qm)
		d := 0.0
		for k := range q {
			b.v[k] = b.pm[k] / b.diagonal[k]
		}
		for k := range q {
			x, y := q[k]+0.5*eps*b.v[k], p[k]+0.5*eps*b.grad[k]
			d = max(d, math.Abs(x-b.qm[k]), math.Abs(y-b.pm[k]))
			b.qm[k], b.pm[k] = x, y
		}
		if d <= s.Tolerance {
			for k := range q {
				q[k], p[k] = 2*b.qm[k]-q[k], 2*b.pm[k]-p[k]
			}
			return runtime.StepResult{Iterations: n}
		}
	}
	return runtime.StepResult{Status: runtime.IterationLimit, Iterations: s.MaxIterations}
}

// schools is the hierarchical normal model
//
//	y_j ~ N(θ_j, s_j), θ_j ~ N(μ, τ), μ ~ N(0, 5), log τ ~ N(½, ½)
//
// with the parameters mu, theta and tau, in the blocks theta and (tau, mu).
type schools struct {
	info   runtime.Info
	y, s   []float64
	blocks []runtime.Conditional
}

const (
	priorMu        = 25.0 // variance of μ
	priorTau       = 0.5  // mean of log τ
	priorTauSpread = 0.25 // variance of log τ
)

func newSchools() *schools {
	m := &schools{y: []float64{2.8, 0.8, -0.3, 4.1}, s: []float64{1.5, 1, 1.6, 0.7}}
	m.info = runtime.Info{Name: "schools", Params: []runtime.Param{{Name: "mu"}, {Name: "theta", Shape: []int{4}}, {Name: "tau"}}}
	m.build()
	return m
}

func (m *schools) build() {
	theta := &schoolsTheta{schools: m, info: runtime.Info{Name: "effects", Params: m.info.Params[1:2], Metric: runtime.MetricInfo{Constant: true}}}
	hyper := &schoolsHyper{schools: m, info: runtime.Info{Name: "hyper", Params: []runtime.Param{m.info.Params[2], m.info.Params[0]}}}
	hyper.theta = make([]float64, 4)
	m.blocks = []runtime.Conditional{
		runtime.GenericBlock(theta, func(q []float64) runtime.Status {
			theta.mu, theta.u = q[0], q[5]
			return runtime.OK
		}),
		runtime.GenericBlock(hyper, func(q []float64) runtime.Status {
			copy(hyper.theta, q[1:5])
			return runtime.OK
		}),
	}
}

func (m *schools) Info() *runtime.Info           { return &m.info }
func (m *schools) Blocks() []runtime.Conditional { return m.blocks }

func (m *schools) Clone() runtime.Gibbs {
	c := *m
	c.build()
	return &c
}

func (m *schools) Constrain(x, q []float64) {
	copy(x, q)
	x[5] = math.Exp(q[5])
}

func (m *schools) Unconstrain(q, x []float64) error {
	if !(x[5] > 0) {
		return fmt.Errorf("tau = %v: expected a positive number", x[5])
	}
	copy(q, x)
	q[5] = math.Log(x[5])
	return nil
}

func (m *schools) LogDensity(q []float64) float64 {
	mu, theta, u := q[0], q[1:5], q[5]
	l := -0.5*mu*mu/priorMu - 0.5*(u-priorTau)*(u-priorTau)/priorTauSpread
	for j, x := range theta {
		l += -0.5*(m.y[j]-x)*(m.y[j]-x)/(m.s[j]*m.s[j]) - u - 0.5*(x-mu)*(x-mu)*math.Exp(-2*u)
	}
	return l
}

func (m *schools) Gradient(grad, q []float64) float64 {
	mu, theta, u := q[0], q[1:5], q[5]
	w := math.Exp(-2 * u)
	grad[0], grad[5] = -mu/priorMu, -(u-priorTau)/priorTauSpread
	for j, x := range theta {
		grad[1+j] = (m.y[j]-x)/(m.s[j]*m.s[j]) - (x-mu)*w
		grad[0] += (x - mu) * w
		grad[5] += (x-mu)*(x-mu)*w - 1
	}
	return m.LogDensity(q)
}

// schoolsTheta is the block of θ, normal given μ and τ, with its precision for a
// metric.
type schoolsTheta struct {
	*schools
	info  runtime.Info
	mu, u float64
}

func (b *schoolsTheta) Info() *runtime.Info              { return &b.info }
func (b *schoolsTheta) Clone() runtime.Model             { c := *b; return &c }
func (b *schoolsTheta) Constrain(x, q []float64)         { copy(x, q) }
func (b *schoolsTheta) Unconstrain(q, x []float64) error { copy(q, x); return nil }

func (b *schoolsTheta) at(q []float64) []float64 { return append(append([]float64{b.mu}, q...), b.u) }

func (b *schoolsTheta) LogDensity(q []float64) float64 { return b.schools.LogDensity(b.at(q)) }

func (b *schoolsTheta) Gradient(grad, q []float64) float64 {
	all := make([]float64, 6)
	l := b.schools.Gradient(all, b.at(q))
	copy(grad, all[1:5])
	return l
}

func (b *schoolsTheta) Metric(g, q []float64) {
	clear(g)
	for j, s := range b.s {
		g[j*4+j] = 1/(s*s) + math.Exp(-2*b.u)
	}
}

func (b *schoolsTheta) Contract(out, q, w []float64)    { clear(out) }
func (b *schoolsTheta) MetricJacobian(out, q []float64) { clear(out) }

// schoolsHyper is the block of (log τ, μ) with the Fisher information and the
// priors' precision, which vary with τ.
type schoolsHyper struct {
	*schools
	info  runtime.Info
	theta []float64
}

func (b *schoolsHyper) Info() *runtime.Info  { return &b.info }
func (b *schoolsHyper) Clone() runtime.Model { c := *b; return &c }

func (b *schoolsHyper) Constrain(x, q []float64) { x[0], x[1] = math.Exp(q[0]), q[1] }

func (b *schoolsHyper) Unconstrain(q, x []float64) error {
	q[0], q[1] = math.Log(x[0]), x[1]
	return nil
}

func (b *schoolsHyper) at(q []float64) []float64 {
	return append(append([]float64{q[1]}, b.theta...), q[0])
}

func (b *schoolsHyper) LogDensity(q []float64) float64 { return b.schools.LogDensity(b.at(q)) }

func (b *schoolsHyper) Gradient(grad, q []float64) float64 {
	all := make([]float64, 6)
	l := b.schools.Gradient(all, b.at(q))
	grad[0], grad[1] = all[5], all[0]
	return l
}

func (b *schoolsHyper) Metric(g, q []float64) {
	g[0], g[1] = 8+1/priorTauSpread, 0
	g[2], g[3] = 0, 4*math.Exp(-2*q[0])+1/priorMu
}

func (b *schoolsHyper) Contract(out, q, w []float64) {
	out[0], out[1] = -8*math.Exp(-2*q[0])*w[3], 0
}

func (b *schoolsHyper) MetricJacobian(out, q []float64) {
	clear(out)
	out[(1*2+1)*2] = -8 * math.Exp(-2*q[0])
}
