// Package handwritten holds the models of Brofos & Lederman (2021), the banana,
// the Gaussian, Neal's funnel with a SoftAbs metric, logistic regression, the
// stochastic volatility model with its blocks and FitzHugh–Nagumo, and
// Lotka–Volterra of posteriordb, written by hand straight from their formulas,
// and two integrator steps written straight from the paper's algorithms.
//
// It is a yardstick: what the compiler emits is compared with it, so it shares
// no code with the compiler and prefers clarity to speed. The full tensor of
// metric derivatives is formed by hand, and contractions sum over it. Methods
// allocate. The subpackage fast is the yardstick for speed.
//
// N(μ, σ) below has the standard deviation as its second argument. All
// densities keep their normalising constants. Where nothing else is said the
// parameters of a model are real, and unconstrained coordinates and parameters
// are the same numbers.
package handwritten

import (
	"fmt"
	"math"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/elementary"
)

// logSqrt2Pi is ½ log 2π.
const logSqrt2Pi = 0.918938533204672741780329736405617639861

// logNormalDensity returns log N(y; μ, σ) = −½ ((y − μ)/σ)² − log σ − ½ log 2π.
func logNormalDensity(y, mu, sigma float64) float64 {
	z := (y - mu) / sigma
	return float64(-z*z/2) - elementary.Log(sigma) - logSqrt2Pi
}

// atanhTwice returns 2 atanh x = log(1 + x) − log(1 − x).
func atanhTwice(x float64) float64 { return elementary.Log1p(x) - elementary.Log1p(-x) }

// contract writes Σ_ij W_ij D_ijk to out[k], with the tensor D as
// runtime.Model.MetricJacobian writes it.
func contract(out, d, w []float64) {
	m := len(out)
	clear(out)
	for ij, wij := range w[:m*m] {
		for k := range out {
			out[k] += float64(wij * d[ij*m+k])
		}
	}
}

// unconstrain copies x to q. It returns an error that names the first
// parameter with a coordinate that is not a real number.
func unconstrain(in *runtime.Info, q, x []float64) error {
	i := 0
	for p := range in.Params {
		param := &in.Params[p]
		for range param.Size() {
			if math.IsNaN(x[i]) || math.IsInf(x[i], 0) {
				return fmt.Errorf("parameter %s: %v is not a real number", param.Name, x[i])
			}
			i++
		}
	}
	copy(q, x)
	return nil
}

// finite reports an error that names what if one of x is NaN or infinite.
func finite(what string, x []float64) error {
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s[%d] = %v is not a real number", what, i, v)
		}
	}
	return nil
}

// positive reports an error that names what unless x is positive and finite.
func positive(what string, x float64) error {
	if !(x > 0) || math.IsInf(x, 1) {
		return fmt.Errorf("%s = %v is not a positive number", what, x)
	}
	return nil
}

// fill sets every element of x to v.
func fill(x []float64, v float64) {
	for i := range x {
		x[i] = v
	}
}
