package handwritten

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// softAbs returns ψ(λ) = λ coth(αλ) (Betancourt 2013), a smooth function that
// tends to |λ| away from zero; ψ(0) is the limit 1/α.
func softAbs(lambda, alpha float64) float64 {
	t := float64(alpha * lambda)
	if t == 0 {
		return 1 / alpha
	}
	return lambda / elementary.Tanh(t)
}

// softAbsSlope returns ψ'(t) for α = 1, that is coth t − t/sinh²t. In general
// ψ'(λ) is this function at t = αλ.
func softAbsSlope(t float64) float64 {
	if math.Abs(t) < 0.1 {
		// Both terms are near 1/t. The Taylor series of the difference is
		// good to the last bit with the terms below.
		s := float64(t * t)
		return float64(t * (2.0/3 - float64(s*(4.0/45-float64(s*(4.0/315-float64(s*(8.0/4725-float64(s*(4.0/18711-float64(s*(5528.0/212837625))))))))))))
	}
	sh := elementary.Sinh(t)
	return 1/elementary.Tanh(t) - t/sh/sh
}

// softAbsQuotient returns (ψ(λ) − ψ(μ))/(λ − μ), and ψ'(λ) where λ = μ.
func softAbsQuotient(lambda, mu, alpha float64) float64 {
	a, b := float64(alpha*lambda), float64(alpha*mu)
	if math.Abs(a-b) > 0.02 {
		return (softAbs(lambda, alpha) - softAbs(mu, alpha)) / (lambda - mu)
	}
	// The quotient is the mean of the slope between a and b. Gauss's rule
	// with three nodes leaves an error of (a−b)⁶ times 1/2,016,000 of the
	// seventh derivative: below the last bit, and nothing cancels.
	mid, half := float64((a+b)/2), float64((a-b)/2*math.Sqrt(0.6))
	return (float64(5*softAbsSlope(mid-half)) + float64(8*softAbsSlope(mid)) + float64(5*softAbsSlope(mid+half))) / 18
}
