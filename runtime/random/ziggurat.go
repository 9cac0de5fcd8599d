package random

import (
	"math/rand/v2"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

//go:generate go run ../elementary/tables random

// StandardNormal returns a draw from the normal distribution of mean 0 and standard deviation 1. The method is
// the ziggurat of Marsaglia & Tsang (Journal of Statistical Software 5, 2000): the density is covered by 127
// horizontal strips and a base with the tail, all of one area. A strip is chosen, and a point of it; nearly always
// the point is under the density whatever its height.
//
// It uses a stream as NormFloat64 of math/rand/v2 does, and differs from it in the tail alone, |x| > 3.44, by
// roundings: that one calls math.Log, whose bits depend on the machine.
func StandardNormal(rng *rand.Rand) float64 {
	for {
		u := rng.Uint64()
		along, strip := int32(u), u>>32%normalStrips
		x := float64(float64(along) * float64(normalWidth[strip]))
		switch {
		case size(along) < normalInside[strip]:
			return x
		case strip == 0:
			return normalTail(rng, along > 0)
		}
		low, high := normalHeight[strip], normalHeight[strip-1]
		y := low + float32(float32(rng.Float64())*(high-low))
		if y < float32(elementary.Exp(float64(-0.5*x*x))) {
			return x
		}
	}
}

// size returns |v|, also for the least int32.
func size(v int32) uint32 {
	if v < 0 {
		return uint32(-v)
	}
	return uint32(v)
}

// normalTail returns a draw from one tail of the normal distribution, beyond ±normalEdge (Marsaglia 1964).
func normalTail(rng *rand.Rand, right bool) float64 {
	for {
		x := float64(-elementary.Log(rng.Float64()) * (1 / normalEdge))
		if y := -elementary.Log(rng.Float64()); y+y < float64(x*x) {
			continue
		}
		if right {
			return normalEdge + x
		}
		return -normalEdge - x
	}
}
