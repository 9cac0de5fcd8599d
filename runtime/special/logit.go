// Package special holds the scalar functions of Bayesian models in forms that
// do not lose accuracy where the textbook formula does. Names are those of
// the Stan language.
//
// Unless a function says otherwise its relative error is below 1e-14 wherever
// the result is a normal number, usually a few units in the last place; a NaN
// argument gives NaN; and an argument outside the domain gives NaN. Nothing
// panics. Near a zero of a function other than those named, the error is
// small beside the terms that cancel there, not beside the result.
package special

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
	"github.com/hamc-dev/hamc/runtime/kernel"
)

// Square returns x².
func Square(x float64) float64 { return float64(x * x) }

// InvLogit returns 1 / (1 + e⁻ˣ), the logistic function:
// InvLogit(−Inf) = 0, InvLogit(+Inf) = 1.
func InvLogit(x float64) float64 { return kernel.InvLogitOf(x) }

// Logit returns log(p / (1 − p)), for 0 ≤ p ≤ 1, accurate also near its zero
// p = ½: Logit(0) = −Inf, Logit(1) = +Inf.
func Logit(p float64) float64 {
	if 0.25 < p && p < 0.75 {
		return elementary.Log1p((float64(2*p) - 1) / (1 - p)) // 2p − 1 is exact here
	}
	return elementary.Log(p / (1 - p))
}

// Log1pExp returns log(1 + eˣ), also called softplus:
// Log1pExp(−Inf) = 0, Log1pExp(+Inf) = +Inf.
func Log1pExp(x float64) float64 { return kernel.Log1pExpOf(x) }

// Log1m returns log(1 − x), for x ≤ 1: Log1m(1) = −Inf.
func Log1m(x float64) float64 { return elementary.Log1p(-x) }

// Log1mExp returns log(1 − eˣ), for x ≤ 0: Log1mExp(0) = −Inf,
// Log1mExp(−Inf) = 0. The change of form at −ln 2 is due to Mächler (2012),
// "Accurately computing log(1 − exp(−|a|))".
func Log1mExp(x float64) float64 {
	if x > -math.Ln2 {
		return elementary.Log(-elementary.Expm1(x))
	}
	return elementary.Log1p(-elementary.Exp(x))
}

// LogInvLogit returns log(InvLogit(x)) = −log(1 + e⁻ˣ):
// LogInvLogit(−Inf) = −Inf, LogInvLogit(+Inf) = 0.
func LogInvLogit(x float64) float64 { return -Log1pExp(-x) }

// Log1mInvLogit returns log(1 − InvLogit(x)) = −log(1 + eˣ):
// Log1mInvLogit(−Inf) = 0, Log1mInvLogit(+Inf) = −Inf.
func Log1mInvLogit(x float64) float64 { return -Log1pExp(x) }

// LogSumExp2 returns log(eᵃ + eᵇ). An infinite argument is taken as the limit:
// LogSumExp2(a, −Inf) = a, LogSumExp2(a, +Inf) = +Inf. The error is relative
// to the larger of |a|, |b| and 1 where the result is near zero.
func LogSumExp2(a, b float64) float64 { return kernel.LogSumExpOf(a, b) }

// LogDiffExp returns log(eᵃ − eᵇ), for a ≥ b: LogDiffExp(a, −Inf) = a and
// LogDiffExp(a, a) = −Inf, for a < +Inf. The error is relative to the larger
// of |a|, |b| and 1 where the result is near zero.
func LogDiffExp(a, b float64) float64 {
	switch {
	case math.IsInf(b, 1):
		return math.NaN()
	case a == b:
		return math.Inf(-1)
	case math.IsInf(b, -1):
		return a
	}
	return a + Log1mExp(b-a)
}

// Larger returns the larger of a and b: a where b is no number.
func Larger(a, b float64) float64 {
	if b > a {
		return b
	}
	return a
}

// Asinh returns the inverse of the hyperbolic sine, log(x + √(x² + 1)).
func Asinh(x float64) float64 {
	a := math.Abs(x)
	if a > 0x1p28 {
		return math.Copysign(elementary.Log(a)+math.Ln2, x)
	}
	square := float64(a * a)
	return math.Copysign(elementary.Log1p(a+square/(1+math.Sqrt(1+square))), x)
}
