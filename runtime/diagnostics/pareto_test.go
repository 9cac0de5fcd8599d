package diagnostics

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Independent draws of distributions whose tails are known: of a t distribution with ν degrees of freedom k = 1/ν, of a
// generalised Pareto k, of a half-Cauchy 1, of a normal 0, of a uniform −1. The standard error of k̂ with n draws in the tail is about
// (1 + k)/√n, here with n = 3 √8000 = 268.
func TestParetoKHat(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	pareto := func(k float64) func() float64 {
		return func() float64 { return (math.Pow(1-rng.Float64(), -k) - 1) / k }
	}
	for _, c := range []struct {
		name string
		draw func() float64
		k    float64
		bias float64 // of a tail that is not yet one, and of the prior
	}{
		{"Pareto 0.2", pareto(0.2), 0.2, 0.02},
		{"Pareto 0.5", pareto(0.5), 0.5, 0},
		{"Pareto 1", pareto(1), 1, 0.02},
		{"Pareto 2", pareto(2), 2, 0.06},
		{"minus a Pareto 1", func() float64 { return -pareto(1)() }, 1, 0.02},
		{"Cauchy", func() float64 { return math.Tan(math.Pi * (rng.Float64() - 0.5)) }, 1, 0.1},
		{"normal", rng.NormFloat64, 0, 0.2},
		{"uniform", rng.Float64, -1, 0.1},
	} {
		const runs = 20
		mean := 0.0
		for range runs {
			chains := make([][]float64, 4)
			for i := range chains {
				for range 2000 {
					chains[i] = append(chains[i], c.draw())
				}
			}
			mean += ParetoKHat(chains) / runs
		}
		// The larger of two tails, where both are of the same shape, is about 0.6 standard errors too large.
		se := (1 + math.Abs(c.k)) / math.Sqrt(268)
		if math.Abs(mean-c.k) > c.bias+se {
			t.Errorf("%s: k̂ is %.3f on average, want %v", c.name, mean, c.k)
		}
	}
}

// A unit and a place do not matter; what has no tail has no shape.
func TestParetoKHatUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	x, y := make([]float64, 2000), make([]float64, 2000)
	for i := range x {
		x[i] = math.Exp(1.5 * rng.NormFloat64())
		y[i] = 3 - x[i]*0x1p40
	}
	a, b := ParetoKHat([][]float64{x}), ParetoKHat([][]float64{y})
	if math.Abs(a-b) > 1e-9 || !(a > 0.3 && a < 1.2) {
		t.Errorf("k̂ %v, in other units %v", a, b)
	}
	for _, x := range [][]float64{nil, {1, 2, 3}, {1, 1, 1, 1}, {1, math.NaN()}, make([]float64, 1000), append(make([]float64, 1000), 1)} {
		if k := ParetoKHat([][]float64{x}); k == k {
			t.Errorf("%d draws without a tail: k̂ %v", len(x), k)
		}
	}
}
