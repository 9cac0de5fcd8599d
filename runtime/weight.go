package runtime

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// weight is the number m exp(scale). H₀ − H may be as large as maxEnergyError, which exp
// does not reach, and to add logarithms instead takes three transcendental functions for each
// state of a trajectory.
type weight struct {
	m     float64
	scale float64 // a multiple of weightScale
}

// weightScale is such that exp of half of it, either way, leaves room for sums.
const weightScale = 512

// weigh returns eˣ.
func weigh(x float64) weight {
	if math.Abs(x) <= weightScale/2 || math.IsInf(x, 0) {
		return weight{m: elementary.Exp(x)}
	}
	scale := float64(weightScale * math.Round(float64(x/weightScale)))
	return weight{elementary.Exp(x - scale), scale}
}

// value returns the number, which may overflow.
func (a weight) value() float64 {
	if a.scale == 0 {
		return a.m
	}
	return float64(a.m * elementary.Exp(a.scale))
}

// align returns a and b in terms of one scale, the larger one. What underflows there is
// less than 10⁻¹⁰⁰ of the other.
func (a weight) align(b weight) (x, y, scale float64) {
	switch {
	case a.scale == b.scale || b.m == 0:
		return a.m, b.m, a.scale
	case a.m == 0:
		return 0, b.m, b.scale
	case a.scale < b.scale:
		return float64(a.m * elementary.Exp(a.scale-b.scale)), b.m, b.scale
	}
	return a.m, float64(b.m * elementary.Exp(b.scale-a.scale)), a.scale
}
