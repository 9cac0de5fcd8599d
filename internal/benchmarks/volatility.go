package benchmarks

import (
	"math"
	"math/rand/v2"

	"github.com/hamc-dev/hamc/generated/stochastic_volatility_authors"
	"github.com/hamc-dev/hamc/runtime"
)

// AuthorsSweep is the time of one Gibbs sweep of stochastic volatility, T = 1000,
// in the code of Brofos & Lederman (2021): 6 steps of the implicit midpoint for the
// parameters and 50 leapfrog steps for the volatilities, measured on a machine of
// the kind that this project is measured on.
const AuthorsSweep = 55e-3 // seconds

// The parameters that made the data of Volatility.
const (
	volatilitySigma = 0.15
	volatilityPhi   = 0.98
	volatilityBeta  = 0.65
)

// Volatility returns the sampler of the authors on T observations simulated as
// in the paper with the random numbers of a seed, and their starting point, the
// truth: latent block by the implicit midpoint, ε = 0.5, 6 steps, δ = 1e-6;
// volatilities by the leapfrog, ε = 0.1, 50 steps; the Jacobian of (log σ, artanh φ)
// in the accept step only.
func Volatility(T int, seed uint64) (sweep *runtime.Sweep, q []float64, err error) {
	rng := rand.New(rand.NewPCG(seed, 0))
	y := make([]float64, T)
	q = make([]float64, T+3)
	x := volatilitySigma / math.Sqrt(1-volatilityPhi*volatilityPhi) * rng.NormFloat64()
	for t := range y {
		q[t] = x
		y[t] = volatilityBeta * math.Exp(x/2) * rng.NormFloat64()
		x = volatilityPhi*x + volatilitySigma*rng.NormFloat64()
	}
	q[T], q[T+1], q[T+2] = math.Log(volatilitySigma), math.Atanh(volatilityPhi), volatilityBeta
	m, err := stochastic_volatility_authors.New(stochastic_volatility_authors.Data{T: T, Y: y})
	if err != nil {
		return nil, nil, err
	}
	opt := runtime.DefaultOptions()
	opt.RandomSteps = false
	latent, path := opt.Tuning, opt.Tuning
	latent.Integrator, latent.StepSize, latent.Steps = runtime.IMb, 0.5, 6
	path.Integrator, path.StepSize, path.Steps = runtime.Leapfrog, 0.1, 50
	opt.Blocks = []runtime.BlockTuning{{Name: "latent", Tuning: latent}, {Name: "volatility", Tuning: path}}
	if sweep, err = runtime.NewSweep(m, &opt); err != nil {
		return nil, nil, err
	}
	for i, name := range sweep.Names {
		if name == "latent" {
			sweep.Kernels[i].Correction = func(q []float64) float64 {
				phi := math.Tanh(q[1])
				return q[0] + math.Log(1-phi*phi)
			}
		}
	}
	return sweep, q, nil
}
