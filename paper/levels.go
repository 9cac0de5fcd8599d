package paper

import (
	"errors"

	"github.com/hamc-dev/hamc/runtime"
)

// oscillator is the Hamiltonian of figure 1 of the paper, H(q, p) = q²/2 + p²/2, by its density
// L = −q²/2 and the metric 1.
type oscillator struct{}

func (oscillator) Info() *runtime.Info {
	return &runtime.Info{
		Name:   "oscillator",
		Params: []runtime.Param{{Name: "q"}},
		Metric: runtime.MetricInfo{Constant: true, Structure: runtime.Diagonal},
	}
}

func (oscillator) LogDensity(q []float64) float64   { return -q[0] * q[0] / 2 }
func (oscillator) Constrain(x, q []float64)         { copy(x, q) }
func (oscillator) Unconstrain(q, x []float64) error { copy(q, x); return nil }
func (oscillator) Metric(g, _ []float64)            { g[0] = 1 }
func (oscillator) Contract(out, _, _ []float64)     { out[0] = 0 }
func (oscillator) MetricJacobian(out, _ []float64)  { out[0] = 0 }
func (oscillator) Clone() runtime.Model             { return oscillator{} }
func (o oscillator) Gradient(grad, q []float64) float64 {
	grad[0] = -q[0]
	return o.LogDensity(q)
}

// Path is a trajectory in phase space.
type Path struct{ Q, P []float64 }

// Levels returns what figure 1 of the paper shows: trajectories of the leapfrog and of the implicit
// midpoint for H(q, p) = q²/2 + p²/2 from (1, 0), both with the step size of 1.2 and so many steps.
// The paper does not say its own; the leapfrog is stable below 2.
func Levels(steps int) (leapfrog, midpoint Path, err error) {
	const eps = 1.2
	s := runtime.Solver{Tolerance: 1e-12, MaxIterations: 1000}
	for _, x := range []struct {
		k  runtime.Integrator
		to *Path
	}{{runtime.Leapfrog, &leapfrog}, {runtime.IMb, &midpoint}} {
		step, err := runtime.Stepper(oscillator{}, x.k, runtime.FixedPoint)
		if err != nil {
			return leapfrog, midpoint, err
		}
		q, p := []float64{1}, []float64{0}
		for range steps + 1 {
			x.to.Q, x.to.P = append(x.to.Q, q[0]), append(x.to.P, p[0])
			if r := step(q, p, eps, &s); r.Status != runtime.OK {
				return leapfrog, midpoint, errors.New("a step of figure 1 failed: " + r.Status.String())
			}
		}
	}
	return leapfrog, midpoint, nil
}
