// Package simulate makes the data of the experiments of Brofos & Lederman (2021), as section 5 and
// appendix "Quadratic Hamiltonian" of the paper describe them: all cells of a replicate get the same
// data. (The authors' code drew new data in each job, without a seed: the integrators of one table
// row were compared on different data in the volatility and FitzHugh–Nagumo experiments.)
package simulate

import (
	"errors"
	"math"
	"math/rand/v2"

	"github.com/hamc-dev/hamc/runtime/grid"
)

// Extension holds a simulator for each experiment, and the authors' correction for stochastic
// volatility.
var Extension = grid.Extension{
	Simulators: []grid.Simulator{
		{Name: "banana", Simulate: banana},
		{Name: "funnel", Simulate: func(rng *rand.Rand) (map[string]any, grid.Point, error) { return nil, funnel(rng), nil }, Draw: funnel},
		{Name: "gaussian", Simulate: func(rng *rand.Rand) (map[string]any, grid.Point, error) {
			return map[string]any{"mu": gaussianMu, "Sigma": gaussianSigma}, gaussian(rng), nil
		}, Draw: gaussian},
		{Name: "stochastic_volatility", Simulate: stochasticVolatility},
		{Name: "fitzhugh_nagumo", Simulate: fitzHughNagumo},
	},
	Corrections: []grid.Correction{
		{Name: "volatility_jacobian", Add: volatilityJacobian},
	},
}

// banana returns n = 100 observations y_i ~ N(θ₁ + θ₂², 2²) at θ = (1/2, 1/√2), where chains start.
func banana(rng *rand.Rand) (map[string]any, grid.Point, error) {
	const n, sigma, t1 = 100, 2.0, 0.5
	t2 := math.Sqrt(1 - t1)
	y := make([]float64, n)
	for i := range y {
		y[i] = t1 + t2*t2 + sigma*rng.NormFloat64()
	}
	data := map[string]any{"n": n, "y": y, "sigma_y": sigma, "sigma_t": sigma}
	return data, grid.Point{"t1": {t1}, "t2": {t2}}, nil
}

// funnel returns a draw of v ~ N(0, 9), x_i ~ N(0, exp(−v)), i = 1 … 10.
func funnel(rng *rand.Rand) grid.Point {
	v := 3 * rng.NormFloat64()
	x := make([]float64, 10)
	for i := range x {
		x[i] = math.Exp(-v/2) * rng.NormFloat64()
	}
	return grid.Point{"x": x, "v": {v}}
}

var (
	gaussianMu    = []float64{0.5, -1}
	gaussianSigma = [][]float64{{1, 0.5}, {0.5, 2}}
)

// gaussian returns a draw of N(μ, Σ), through the Cholesky factor of Σ.
func gaussian(rng *rand.Rand) grid.Point {
	a, b := rng.NormFloat64(), rng.NormFloat64()
	l11 := math.Sqrt(gaussianSigma[0][0])
	l21 := gaussianSigma[1][0] / l11
	l22 := math.Sqrt(gaussianSigma[1][1] - l21*l21)
	return grid.Point{"q": {gaussianMu[0] + l11*a, gaussianMu[1] + l21*a + l22*b}}
}

// stochasticVolatility returns T = 1000 observations with σ = 0.15, φ = 0.98, β = 0.65:
//
//	x₁ ~ N(0, σ²/(1 − φ²)), x_t ~ N(φ x_{t−1}, σ²), y_t ~ N(0, β² exp(x_t)).
//
// Chains start at these parameters and volatilities, γ = log σ, α = artanh φ.
func stochasticVolatility(rng *rand.Rand) (map[string]any, grid.Point, error) {
	const n, sigma, phi, beta = 1000, 0.15, 0.98, 0.65
	x, y := make([]float64, n), make([]float64, n)
	last := sigma / math.Sqrt(1-phi*phi) * rng.NormFloat64()
	for t := range y {
		x[t] = last
		y[t] = beta * math.Exp(last/2) * rng.NormFloat64()
		last = phi*last + sigma*rng.NormFloat64()
	}
	start := grid.Point{"x": x, "gamma": {math.Log(sigma)}, "alpha": {math.Atanh(phi)}, "beta": {beta}}
	return map[string]any{"T": n, "y": y}, start, nil
}

// volatilityJacobian returns γ + log(1 − φ²), φ = tanh α, the log Jacobian that the authors' code
// has in the accept step only; q = (γ, α, β).
func volatilityJacobian(q []float64) float64 {
	phi := math.Tanh(q[1])
	return q[0] + math.Log(1-phi*phi)
}

// fitzHughNagumo returns 200 observations of both states, σ = 1/2, at times equally spaced on
// [0, 10] from (−1, 1), with a = b = 0.2 and c = 3:
//
//	v' = c (v − v³/3 + r),  r' = −(v − a + b r)/c.
func fitzHughNagumo(rng *rand.Rand) (map[string]any, grid.Point, error) {
	const (
		n, end     = 200, 10.0
		sigma      = 0.5
		a, b, c    = 0.2, 0.2, 3.0
		perSpacing = 200 // classical Runge–Kutta steps: an error of about 10⁻¹²
	)
	slope := func(v, r float64) (float64, float64) { return c * (v - v*v*v/3 + r), -(v - a + b*r) / c }
	t, vs, rs := make([]float64, n), make([]float64, n), make([]float64, n)
	v, r := -1.0, 1.0
	h := end / (n - 1) / perSpacing
	for i := range t {
		t[i] = end * float64(i) / (n - 1)
		vs[i] = v + sigma*rng.NormFloat64()
		rs[i] = r + sigma*rng.NormFloat64()
		for range perSpacing {
			v1, r1 := slope(v, r)
			v2, r2 := slope(v+h/2*v1, r+h/2*r1)
			v3, r3 := slope(v+h/2*v2, r+h/2*r2)
			v4, r4 := slope(v+h*v3, r+h*r3)
			v += h / 6 * (v1 + 2*v2 + 2*v3 + v4)
			r += h / 6 * (r1 + 2*r2 + 2*r3 + r4)
		}
	}
	if math.IsNaN(v) {
		return nil, nil, errors.New("the FitzHugh–Nagumo equations have left the finite numbers")
	}
	return map[string]any{"n": n, "t": t, "v_obs": vs, "r_obs": rs, "sigma": sigma}, nil, nil
}
