package symbolic

import "math"

// digammaSeries is ψ(x) by recurrence to large x and the asymptotic series.
func digammaSeries(x float64) float64 {
	v := 0.0
	for ; x < 12; x++ {
		v -= 1 / x
	}
	z := 1 / (x * x)
	return v + math.Log(x) - 0.5/x - z*(1./12-z*(1./120-z*(1./252-z*(1./240-z/132))))
}

// trigammaSeries is ψ′(x), likewise.
func trigammaSeries(x float64) float64 {
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

// derivative is the central difference of sixth order of f along coordinate k,
// component by component.
func derivative(f func(q []float64) []float64, q []float64, k int) []float64 {
	return derivativeBy(fdStep, f, q, k)
}

// derivativeBy is derivative with a step of the caller's.
func derivativeBy(step float64, f func(q []float64) []float64, q []float64, k int) []float64 {
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

// hasSum reports whether e holds a sum.
func hasSum(e *Expr) bool {
	if e.Op == Sum {
		return true
	}
	for _, a := range e.Args {
		if hasSum(a) {
			return true
		}
	}
	return false
}
