// Package operations holds operations with the same bits everywhere, and others.
package operations

import (
	"math"
	"math/rand/v2"
)

func plain(x, y, z float64) float64 { return x*y + z } // want

func half(x, z float64) float64 { return x/2 + z } // want

func third(x, z float64) float64 { return x/3 + z }

func rounded(x, y, z float64) float64 { return float64(x*y) + z }

func across(x, y, z float64) float64 {
	p := x * y // want
	return p + z
}

func assigned(x, y float64) float64 {
	x *= y // want
	return x + y
}

func negated(x, y, z float64) float64 { return z + -(x * y) } // want

func returned(x, y float64) float64 { return x * y } // want

func chain(x, y, z float64) float64 { return float64(x * y * z) }

func compared(x, y float64) bool { return x*y < 1 }

func root(x, y float64) float64 { return math.Sqrt(x*y) + 1 }

func absolute(x, y float64) float64 { return math.Abs(x*y) + 1 } // want

func elementary(x float64) float64 { return math.Exp(x) } // want

var value = math.Log // want

func complexes(x, y complex128) complex128 { return x * y } // want

func integers(x, y, z int) int { return x*y + z }

func constants(x float64) float64 { return x + 2*math.Pi }

func fused(x, y, z float64) float64 { return math.FMA(x, y, z) }

func normal(rng *rand.Rand) float64 { return rng.NormFloat64() } // want

func uniform(rng *rand.Rand) float64 { return rng.Float64() }

func doubled(x, y float64) float64 { return float64(2 * (x * y)) } // want

func twice(x, y float64) float64 { return float64(2 * x * y) }
