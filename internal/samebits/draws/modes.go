package main

import (
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/elementary"
)

// twoModes is a posterior of two modes, N((−9, 1), diag(1, ½)) and N((9, 0), I) with the same heights, between which chains jump.
type twoModes struct{}

func (twoModes) Info() *runtime.Info {
	return &runtime.Info{Name: "two_modes", Params: []runtime.Param{{Name: "x"}, {Name: "y"}}, Metric: runtime.MetricInfo{Constant: true, Identity: true}}
}

func (twoModes) Clone() runtime.Model             { return twoModes{} }
func (twoModes) Constrain(x, q []float64)         { copy(x, q) }
func (twoModes) Unconstrain(q, x []float64) error { copy(q, x); return nil }
func (twoModes) Metric(g, _ []float64)            { copy(g, []float64{1, 0, 0, 1}) }
func (twoModes) Contract(out, _, _ []float64)     { clear(out) }
func (twoModes) MetricJacobian(out, _ []float64)  { clear(out) }
func (m twoModes) LogDensity(q []float64) float64 { return m.Gradient(make([]float64, 2), q) }
func (twoModes) Gradient(grad, q []float64) float64 {
	a, b, c := q[0]+9, q[1]-1, q[0]-9
	left, right := -float64(0.5*float64(a*a))-float64(b*b), -float64(0.5*float64(c*c))-float64(0.5*float64(q[1]*q[1]))
	top := max(left, right)
	l, r := elementary.Exp(left-top), elementary.Exp(right-top)
	w := l / (l + r)
	grad[0] = -float64(w*a) - float64((1-w)*c)
	grad[1] = -float64(w*float64(2*b)) - float64((1-w)*q[1])
	return top + elementary.Log(l+r)
}
