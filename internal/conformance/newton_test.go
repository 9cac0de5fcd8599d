package conformance

import (
	"fmt"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
)

// byJacobian is a model that knows no derivative of products with its metric: Newton's method takes the Jacobian of the metric.
type byJacobian struct{ runtime.Model }

func (m byJacobian) Clone() runtime.Model { return byJacobian{m.Model.Clone()} }

// SolveStatus implements runtime.Solves.
func (m byJacobian) SolveStatus() runtime.Status {
	if s, ok := m.Model.(runtime.Solves); ok {
		return s.SolveStatus()
	}
	return runtime.OK
}

// TestNewtonByProducts compares steps of GLF(b) by Newton's method that take ∂(G v)/∂q in the model's own order with steps that take it from the Jacobian
// of the metric. Only rounding differs.
func TestNewtonByProducts(t *testing.T) {
	own := 0
	for _, s := range subjects(t) {
		if s.constant() || s.dim() > runtime.MaxNewton {
			continue
		}
		v := make([]float64, s.dim()*s.dim())
		if c, ok := runtime.AsSloped(s.fresh()); !ok || !c.ProductJacobian(v, s.states(t, 1, 0.3, 6)[0].q, make([]float64, s.dim())) {
			continue // which has no other order
		}
		own++
		t.Run(s.name, func(t *testing.T) {
			solver := plain(1e-9)
			solver.Method = runtime.Newton
			step := func(m runtime.Model) runtime.StepFunc {
				f, err := runtime.Stepper(m, runtime.GLFb, runtime.Newton)
				if err != nil {
					t.Fatal(err)
				}
				return f
			}
			a, b := step(s.fresh()), step(byJacobian{s.fresh()})
			for i, z := range s.states(t, 8, 0.3, 6) {
				got, want := join(z.q, z.p), join(z.q, z.p)
				x := a(got[:s.dim()], got[s.dim():], s.eps, solver)
				y := b(want[:s.dim()], want[s.dim():], s.eps, solver)
				if x.Status != runtime.OK || x.Status != y.Status || x.Iterations != y.Iterations || x.Suspect != y.Suspect {
					t.Fatalf("state %d: %+v, want %+v", i, x, y)
				}
				near(t, fmt.Sprintf("state %d", i), got, want, stepTolerance)
			}
		})
	}
	if own < 3 {
		t.Errorf("%d models have an order of their own", own)
	}
}
