package runtime_test

import (
	"fmt"
	"math"

	"github.com/hamc-dev/hamc/runtime"
)

// unbounded is the part of a test model whose parameters are their own
// coordinates.
type unbounded struct{ info runtime.Info }

func (u *unbounded) Info() *runtime.Info              { return &u.info }
func (u *unbounded) Constrain(x, q []float64)         { copy(x, q) }
func (u *unbounded) Unconstrain(q, x []float64) error { copy(q, x); return nil }

// banana is y_i ~ N(θ₁ + θ₂², σ_y), θ ~ N(0, σ_θ), with the Fisher information
// plus the prior's precision as metric (section "Banana" of the paper).
type banana struct {
	unbounded
	n, mean, ss, vy, vt float64
}

func newBanana(y []float64, sigmaY, sigmaT float64) *banana {
	m := &banana{n: float64(len(y)), vy: sigmaY * sigmaY, vt: sigmaT * sigmaT}
	m.info = runtime.Info{Name: "banana", Params: []runtime.Param{{Name: "t1"}, {Name: "t2"}}}
	for _, v := range y {
		m.mean += v / m.n
	}
	for _, v := range y {
		m.ss += (v - m.mean) * (v - m.mean)
	}
	return m
}

func (m *banana) Clone() runtime.Model { c := *m; return &c }

func (m *banana) LogDensity(q []float64) float64 {
	d := m.mean - q[0] - q[1]*q[1]
	return -(m.ss+m.n*d*d)/(2*m.vy) - (q[0]*q[0]+q[1]*q[1])/(2*m.vt)
}

func (m *banana) Gradient(grad, q []float64) float64 {
	d := m.n * (m.mean - q[0] - q[1]*q[1]) / m.vy
	grad[0] = d - q[0]/m.vt
	grad[1] = 2*q[1]*d - q[1]/m.vt
	return m.LogDensity(q)
}

func (m *banana) Metric(g, q []float64) {
	a := m.n / m.vy
	g[0], g[1] = a+1/m.vt, 2*a*q[1]
	g[2], g[3] = 2*a*q[1], 4*a*q[1]*q[1]+1/m.vt
}

func (m *banana) Contract(out, q, w []float64) {
	a := m.n / m.vy
	out[0] = 0
	out[1] = 2*a*(w[1]+w[2]) + 8*a*q[1]*w[3]
}

func (m *banana) MetricJacobian(out, q []float64) {
	a := m.n / m.vy
	clear(out)
	out[3], out[5], out[7] = 2*a, 2*a, 8*a*q[1]
}

func (m *banana) Curvature(out, q, w []float64) {
	a := m.n / m.vy
	d := m.mean - q[0] - q[1]*q[1]
	out[0], out[1] = a+1/m.vt, 2*a*q[1]
	out[2], out[3] = 2*a*q[1], 4*a*q[1]*q[1]-2*a*d+1/m.vt+4*a*w[3]
}

// gaussian is N(mu, A⁻¹) in two dimensions with the constant metric A.
type gaussian struct {
	unbounded
	mu, a []float64
}

func newGaussian(mu []float64, sigma [][]float64) *gaussian {
	det := sigma[0][0]*sigma[1][1] - sigma[0][1]*sigma[1][0]
	m := &gaussian{mu: mu, a: []float64{
		sigma[1][1] / det, -sigma[0][1] / det, -sigma[1][0] / det, sigma[0][0] / det,
	}}
	m.info = runtime.Info{
		Name:   "gaussian",
		Params: []runtime.Param{{Name: "x", Shape: []int{2}}},
		Metric: runtime.MetricInfo{Constant: true},
	}
	return m
}

func (m *gaussian) Clone() runtime.Model { c := *m; return &c }

func (m *gaussian) LogDensity(q []float64) float64 {
	d0, d1 := q[0]-m.mu[0], q[1]-m.mu[1]
	return -0.5 * (m.a[0]*d0*d0 + (m.a[1]+m.a[2])*d0*d1 + m.a[3]*d1*d1)
}

func (m *gaussian) Gradient(grad, q []float64) float64 {
	d0, d1 := q[0]-m.mu[0], q[1]-m.mu[1]
	grad[0] = -(m.a[0]*d0 + m.a[1]*d1)
	grad[1] = -(m.a[2]*d0 + m.a[3]*d1)
	return m.LogDensity(q)
}

func (m *gaussian) Metric(g, q []float64)           { copy(g, m.a) }
func (m *gaussian) Contract(out, q, w []float64)    { clear(out) }
func (m *gaussian) MetricJacobian(out, q []float64) { clear(out) }

// withoutMetric is a gaussian that leaves its metric to the warm-up.
type withoutMetric struct{ *gaussian }

func newWithoutMetric(mu []float64, sigma [][]float64) withoutMetric {
	m := withoutMetric{newGaussian(mu, sigma)}
	m.info.Metric = runtime.MetricInfo{Constant: true, Identity: true, Structure: runtime.Diagonal}
	return m
}

func (m withoutMetric) Clone() runtime.Model  { return withoutMetric{m.gaussian.Clone().(*gaussian)} }
func (m withoutMetric) Metric(g, _ []float64) { copy(g, []float64{1, 0, 0, 1}) }

// curved is N(0, I) in two dimensions with the metric diag(1 + q_k²): its
// moments are known and its metric varies.
type curved struct{ unbounded }

func newCurved() *curved {
	return &curved{unbounded{runtime.Info{Name: "curved", Params: []runtime.Param{{Name: "x", Shape: []int{2}}}}}}
}

func (m *curved) Clone() runtime.Model { return newCurved() }

func (m *curved) LogDensity(q []float64) float64 { return -0.5 * (q[0]*q[0] + q[1]*q[1]) }

func (m *curved) Gradient(grad, q []float64) float64 {
	grad[0], grad[1] = -q[0], -q[1]
	return m.LogDensity(q)
}

func (m *curved) Metric(g, q []float64) {
	g[0], g[1], g[2], g[3] = 1+q[0]*q[0], 0, 0, 1+q[1]*q[1]
}

func (m *curved) Contract(out, q, w []float64) { out[0], out[1] = 2*q[0]*w[0], 2*q[1]*w[3] }

func (m *curved) MetricJacobian(out, q []float64) {
	clear(out)
	out[0], out[7] = 2*q[0], 2*q[1]
}

func (m *curved) Curvature(out, q, w []float64) {
	out[0], out[1], out[2], out[3] = 1+w[0], 0, 0, 1+w[3]
}

// exponential is x ~ Exp(1), x = e^q, with the constant metric 1: a parameter
// with a transform. Beyond wall its log density is the value given there.
type exponential struct {
	info  runtime.Info
	wall  float64
	value float64
}

func newExponential() *exponential {
	return &exponential{
		info: runtime.Info{
			Name:   "exponential",
			Params: []runtime.Param{{Name: "x", Ends: runtime.EndBelow}},
			Metric: runtime.MetricInfo{Constant: true},
		},
		wall: math.Inf(1),
	}
}

func (m *exponential) Info() *runtime.Info  { return &m.info }
func (m *exponential) Clone() runtime.Model { c := *m; return &c }

func (m *exponential) LogDensity(q []float64) float64 {
	if q[0] > m.wall {
		return m.value
	}
	return q[0] - math.Exp(q[0])
}

func (m *exponential) Gradient(grad, q []float64) float64 {
	grad[0] = 1 - math.Exp(q[0])
	return m.LogDensity(q)
}

func (m *exponential) Metric(g, q []float64)           { g[0] = 1 }
func (m *exponential) Contract(out, q, w []float64)    { out[0] = 0 }
func (m *exponential) MetricJacobian(out, q []float64) { out[0] = 0 }
func (m *exponential) Constrain(x, q []float64)        { x[0] = math.Exp(q[0]) }

func (m *exponential) Unconstrain(q, x []float64) error {
	if !(x[0] > 0) {
		return fmt.Errorf("x = %v: expected a positive number", x[0])
	}
	q[0] = math.Log(x[0])
	return nil
}
