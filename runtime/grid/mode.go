package grid

import (
	"fmt"
	"math"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/linalg"
)

// maxModeSteps is the number of steps in which a mode must be found.
const maxModeSteps = 200

// mode returns a mode of the density on the unconstrained scale by Newton's method with the metric
// for the negative Hessian (Fisher scoring where it is the information), each step halved until the
// density does not fall:
//
//	q ← q + h G(q)⁻¹∇L(q).
//
// It begins at a point on the parameters' own scale, or at the origin of the unconstrained scale
// without one, and ends where the step that is left, measured by the metric, is below 10⁻¹⁰, or is
// below 10⁻⁵ and rounding does not let it raise the density.
func (l *loaded) mode(from Point) ([]float64, error) {
	m, ok := l.posterior.(runtime.Model)
	if !ok {
		return nil, fmt.Errorf("model %s: a model with blocks has no metric as a whole to find its mode with: give a starting point", l.model.Name)
	}
	n := m.Info().Dim()
	q := make([]float64, n)
	if len(from) > 0 {
		var err error
		if q, err = unconstrained(m, from); err != nil {
			return nil, err
		}
	}
	grad, step, next, g := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n*n)
	chol := linalg.NewCholesky(n)
	for range maxModeSteps {
		density := m.Gradient(grad, q)
		m.Metric(g, q)
		if density-density != 0 || chol.Factor(g) != linalg.Factored {
			return nil, fmt.Errorf("model %s: the search for the mode came to a point without a density or a metric: give a starting point", l.model.Name)
		}
		chol.Solve(step, grad)
		size := 0.0
		for i, d := range step {
			size += float64(d * grad[i])
		}
		if math.Sqrt(size) < 1e-10 {
			return q, nil
		}
		// Near the mode rounding may let the density fall, or stay, at any step.
		settled := math.Sqrt(size) < 1e-5
		h := 1.0
		for ; h > 1e-9; h = float64(h / (2)) {
			for i := range next {
				next[i] = q[i] + float64(h*step[i])
			}
			if at := m.LogDensity(next); at > density || at == density && !settled {
				break
			}
			if settled {
				return q, nil
			}
		}
		if h <= 1e-9 {
			return nil, fmt.Errorf("model %s: the search for the mode is stuck: give a starting point", l.model.Name)
		}
		copy(q, next)
	}
	return nil, fmt.Errorf("model %s: no mode was found in %d steps: give a starting point", l.model.Name, maxModeSteps)
}
