package special

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// LogBeta returns log B(a, b) = log Γ(a) + log Γ(b) − log Γ(a+b), for
// a, b ≥ 0: +Inf if one of them is 0, else −Inf if one is +Inf, and NaN for
// 0 and +Inf together. Near its zeros, as LogBeta(1, 1), the error is
// relative to 1.
//
// For large arguments the logarithms of Γ are of almost equal size; their
// difference is formed by Stirling's series, as in Didonato & Morris (1992),
// "Algorithm 708".
func LogBeta(a, b float64) float64 {
	if a > b {
		a, b = b, a
	}
	switch {
	case math.IsNaN(a) || math.IsNaN(b) || a < 0 || a == 0 && math.IsInf(b, 1):
		return math.NaN()
	case a == 0:
		return math.Inf(1)
	case math.IsInf(b, 1):
		return math.Inf(-1)
	case b < stirlingFrom:
		return Lgamma(a) + Lgamma(b) - Lgamma(a+b)
	case a < stirlingFrom:
		// log Γ(b) − log Γ(a+b)
		d := a - float64((b-0.5)*elementary.Log1p(a/b)) - float64(a*elementary.Log(a+b)) + (stirling(b) - stirling(a+b))
		return Lgamma(a) + d
	}
	r := a / b
	return float64((a-0.5)*elementary.Log(r/(1+r))) - float64(b*elementary.Log1p(r)) - float64(0.5*elementary.Log(b)) + halfLog2Pi +
		(stirling(a) + stirling(b) - stirling(a+b))
}

// stirlingFrom is the least argument of stirling.
const stirlingFrom = 10

// stirling returns log Γ(x) − (x − ½) log x + x − ½ log 2π, for x ≥ 10:
// Σ_k B₂ₖ / (2k (2k−1) x^(2k−1)), Abramowitz & Stegun 6.1.40.
func stirling(x float64) float64 {
	z := 1 / (x * x)
	return (b2/2 + float64(z*(b4/12+float64(z*(b6/30+float64(z*(b8/56+float64(z*(b10/90+float64(z*(b12/132+z*b14/182))))))))))) / x
}

// LogChoose returns the logarithm of the binomial coefficient
// Γ(n+1) / (Γ(k+1) Γ(n−k+1)), for real n ≥ −1 and −1 ≤ k ≤ n+1:
// LogChoose(n, 0) = LogChoose(n, n) = 0, and −Inf at k = −1 and k = n+1. For
// k that is neither 0 nor n but next to it, where the result is small, the
// error is relative to 1.
func LogChoose(n, k float64) float64 {
	switch {
	case !(n >= -1 && k >= -1 && k <= n+1):
		return math.NaN()
	case k == 0 || k == n:
		return 0
	case k == -1 || k == n+1:
		return math.Inf(-1)
	}
	if n+1 < stirlingFrom {
		return Lgamma(n+1) - Lgamma(k+1) - Lgamma(n-k+1)
	}
	return -elementary.Log1p(n) - LogBeta(n-k+1, k+1)
}
