package handwritten

import (
	"errors"
	"fmt"
	"math"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/elementary"
)

// This file holds what the blocks of the stochastic volatility model (Brofos &
// Lederman 2021, section 5, after Girolami & Calderhead 2011) have in common:
//
//	x_1 ~ N(0, σ/√(1 − φ²))
//	x_t ~ N(φ x_{t−1}, σ), t = 2 … T
//	y_t ~ N(0, β e^{x_t/2}), t = 1 … T
//
// with the priors
//
//	σ² ~ scaled inverse χ²(ν, τ)
//	(φ + 1)/2 ~ Beta(a, b)
//	p(β) ∝ 1/β
const (
	svNu   = 10   // ν
	svTau2 = 0.05 // τ²
	svA    = 20   // a
	svB    = 1.5  // b
)

// logObservations returns
//
//	log p(y | x, β) = Σ_t [−½ y_t² e^{−x_t}/β² − ½ x_t − log β − ½ log 2π]
func logObservations(y, x []float64, beta float64) float64 {
	l := 0.0
	for t := range y {
		l += float64(-y[t]*y[t]*elementary.Exp(-x[t])/(beta*beta)/2) - float64(x[t]/2) - elementary.Log(beta) - logSqrt2Pi
	}
	return l
}

// logObservationsByBeta returns
//
//	∂/∂β log p(y | x, β) = Σ_t [y_t² e^{−x_t}/β³ − 1/β]
func logObservationsByBeta(y, x []float64, beta float64) float64 {
	d := 0.0
	for t := range y {
		d += y[t]*y[t]*elementary.Exp(-x[t])/(beta*beta*beta) - 1/beta
	}
	return d
}

// logPath returns, with s = σ² and d = 1 − φ²,
//
//	log p(x | σ, φ) = −½ d x_1²/s + ½ log d − ½ log s − ½ log 2π
//	                  + Σ_{t ≥ 2} [−½ (x_t − φ x_{t−1})²/s − ½ log s − ½ log 2π]
func logPath(x []float64, s, phi, d float64) float64 {
	l := float64(-d*x[0]*x[0]/s/2) + float64(elementary.Log(d)/2) - float64(elementary.Log(s)/2) - logSqrt2Pi
	for t := 1; t < len(x); t++ {
		r := x[t] - float64(phi*x[t-1])
		l += float64(-r*r/s/2) - float64(elementary.Log(s)/2) - logSqrt2Pi
	}
	return l
}

// logPathByGammaAlpha returns the derivatives of log p(x | σ, φ) by γ = log σ
// and α = atanh φ. With s = σ² and d = 1 − φ² = ∂φ/∂α they are
//
//	∂/∂γ = −T + [d x_1² + Σ_{t ≥ 2} (x_t − φ x_{t−1})²]/s
//	∂/∂α = −φ + φ d x_1²/s + d Σ_{t ≥ 2} x_{t−1} (x_t − φ x_{t−1})/s
func logPathByGammaAlpha(x []float64, s, phi, d float64) (gamma, alpha float64) {
	squares, products := float64(d*x[0]*x[0]), float64(phi*x[0]*x[0])
	for t := 1; t < len(x); t++ {
		r := x[t] - float64(phi*x[t-1])
		squares += float64(r * r)
		products += float64(x[t-1] * r)
	}
	return -float64(len(x)) + squares/s, -phi + d*products/s
}

// logInvChi2 returns the scaled inverse χ² density of s,
//
//	½ν log(½ντ²) − log Γ(½ν) − (½ν + 1) log s − ½ντ²/s
func logInvChi2(s float64) float64 {
	lgamma := elementary.Lgamma(svNu / 2.0)
	return float64(svNu/2.0*elementary.Log(svNu*svTau2/2)) - lgamma - float64((svNu/2.0+1)*elementary.Log(s)) - svNu*svTau2/2/s
}

// logBeta returns the Beta density of z = (φ + 1)/2 from log z and log(1 − z),
//
//	(a − 1) log z + (b − 1) log(1 − z) + log Γ(a + b) − log Γ(a) − log Γ(b)
func logBeta(logZ, log1Z float64) float64 {
	a := elementary.Lgamma(svA)
	b := elementary.Lgamma(svB)
	ab := elementary.Lgamma(svA + svB)
	return float64((svA-1)*logZ) + float64((svB-1)*log1Z) + ab - a - b
}

// logSigmoid returns log s(η), s(η) = 1/(1 + e^{−η}), without overflow.
func logSigmoid(eta float64) float64 {
	return math.Min(eta, 0) - elementary.Log1p(elementary.Exp(-math.Abs(eta)))
}

// svData returns an error that names what is wrong with the data of a block.
func svData(y, x []float64) error {
	if len(y) == 0 || len(x) != len(y) {
		return fmt.Errorf("%d observations, a path of %d", len(y), len(x))
	}
	return errors.Join(finite("y", y), finite("x", x))
}

// outside is the error about a parameter outside its support.
func outside(in *runtime.Info, param int, x float64, support string) error {
	return fmt.Errorf("parameter %s: %v is not %s", in.Params[param].Name, x, support)
}
