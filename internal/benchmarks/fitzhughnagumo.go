package benchmarks

import (
	"math"

	"github.com/hamc-dev/hamc/generated/fitzhugh_nagumo"
	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/ode"
)

// AuthorsODEStep is the time of one step of the implicit midpoint, ε = 1, δ = 1e-6,
// on the FitzHugh–Nagumo model in the code of Brofos & Lederman (2021).
const AuthorsODEStep = 2.0 // seconds

// FitzHughNagumo is the model on the data of the authors' fixture, and the points
// there.
type FitzHughNagumo struct {
	Model   *fitzhugh_nagumo.Model
	Fixture *fixtures.Model
}

// NewFitzHughNagumo returns the model with the tolerance of its differential
// equations.
func NewFitzHughNagumo(tolerance float64) (*FitzHughNagumo, error) {
	f, err := fixtures.Load("fhn")
	if err != nil {
		return nil, err
	}
	d := fitzhugh_nagumo.Data{N: len(f.Data.T), T: f.Data.T, Sigma: f.Params["sigma"]}
	for _, y := range f.Data.States {
		d.VObs, d.RObs = append(d.VObs, y[0]), append(d.RObs, y[1])
	}
	m, err := fitzhugh_nagumo.New(d)
	if err != nil {
		return nil, err
	}
	m.SetODE(ode.Options{RelTol: tolerance, AbsTol: tolerance})
	return &FitzHughNagumo{m, f}, nil
}

// Errors returns the largest absolute errors of the gradient, the metric and its
// derivatives at the fixture's points as multiples of those of the authors'
// solver.
func (x *FitzHughNagumo) Errors() (grad, metric, jacobian float64) {
	const m = 3
	g, b, dg := make([]float64, m), make([]float64, m*m), make([]float64, m*m*m)
	for _, p := range x.Fixture.Points {
		x.Model.Gradient(g, p.Q)
		x.Model.Metric(b, p.Q)
		x.Model.MetricJacobian(dg, p.Q)
		for i := range m {
			grad = max(grad, math.Abs(g[i]-p.ReferenceDOP853.GradL[i])/p.OdeintError.GradL)
			for j := range m {
				metric = max(metric, math.Abs(b[i*m+j]-p.ReferenceDOP853.G[i][j])/p.OdeintError.G)
				for k := range m {
					jacobian = max(jacobian, math.Abs(dg[(i*m+j)*m+k]-p.ReferenceDOP853.DG[i][j][k])/p.OdeintError.DG)
				}
			}
		}
	}
	return grad, metric, jacobian
}

// Step makes one step of an integrator with ε = 1 and δ = 1e-6 from point i of the
// fixture and reports it.
func (x *FitzHughNagumo) Step(k runtime.Integrator, i int) (runtime.StepResult, error) {
	step, err := runtime.Stepper(x.Model, k, runtime.DefaultMethod)
	if err != nil {
		return runtime.StepResult{}, err
	}
	p := &x.Fixture.Points[i%len(x.Fixture.Points)]
	q, mom := append([]float64(nil), p.Q...), append([]float64(nil), p.P...)
	s := runtime.DefaultOptions().Solver
	return step(q, mom, 1, &s), nil
}
