package benchmarks

import (
	"math"
	"math/rand/v2"

	"github.com/hamc-dev/hamc/generated/banana"
)

// The banana of the paper: n observations made with θ = (t, √(1−t)), t = 1/2,
// and σ_y = σ_θ = 2. Its chains start at that θ.
const (
	bananaN     = 100
	bananaSigma = 2
	bananaT     = 0.5
)

// BananaStart returns the θ that made the data of Banana.
func BananaStart() []float64 { return []float64{bananaT, math.Sqrt(1 - bananaT)} }

// Banana returns the generated banana on n observations simulated as in Brofos &
// Lederman (2021),
//
//	y_i ~ N(θ₁ + θ₂², 2²), θ = BananaStart(),
//
// with the random numbers of the given seed. It returns an error where the
// model rejects its data: for n < 1.
func Banana(n int, seed uint64) (*banana.Model, error) {
	rng := rand.New(rand.NewPCG(seed, 0))
	theta := BananaStart()
	y := make([]float64, n)
	for i := range y {
		y[i] = theta[0] + theta[1]*theta[1] + bananaSigma*rng.NormFloat64()
	}
	return banana.New(banana.Data{N: n, Y: y, SigmaY: bananaSigma, SigmaT: bananaSigma})
}
