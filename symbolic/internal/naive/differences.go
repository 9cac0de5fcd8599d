package naive

import (
	"math"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// DigammaSeries is ψ(x) by recurrence to large x and the asymptotic series.
func DigammaSeries(x float64) float64 {
	v := 0.0
	for ; x < 12; x++ {
		v -= 1 / x
	}
	z := 1 / (x * x)
	return v + math.Log(x) - 0.5/x - z*(1./12-z*(1./120-z*(1./252-z*(1./240-z/132))))
}

// TrigammaSeries is ψ′(x), likewise.
func TrigammaSeries(x float64) float64 {
	v := 0.0
	for ; x < 12; x++ {
		v += 1 / (x * x)
	}
	z := 1 / (x * x)
	return v + 1/x + z/2 + z/x*(1./6-z*(1./30-z*(1./42-z*(1./30-z*5./66))))
}

// The step of all finite differences: with the six-point stencil the
// truncation error, h⁶ f⁽⁷⁾/140, is below the rounding error for functions of
// moderate size.
const fdStep = 4e-3

// Derivative is the central difference of sixth order of f along coordinate k,
// component by component.
func Derivative(f func(q []float64) []float64, q []float64, k int) []float64 {
	return DerivativeBy(fdStep, f, q, k)
}

// DerivativeBy is derivative with a step of the caller's.
func DerivativeBy(step float64, f func(q []float64) []float64, q []float64, k int) []float64 {
	var out []float64
	for n, w := range []float64{45, -9, 1} {
		h := step * float64(n+1)
		for _, s := range []float64{1, -1} {
			x := append([]float64(nil), q...)
			x[k] += s * h
			v := f(x)
			if out == nil {
				out = make([]float64, len(v))
			}
			for i := range v {
				out[i] += s * w * v[i] / (60 * step)
			}
		}
	}
	return out
}

// HasSum reports whether e holds a sum.
func HasSum(e *expr.Expr) bool {
	if e.Op == expr.Sum {
		return true
	}
	for _, a := range e.Args {
		if HasSum(a) {
			return true
		}
	}
	return false
}
