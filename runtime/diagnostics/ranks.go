package diagnostics

import (
	"math"
	"slices"

	"github.com/hamc-dev/hamc/runtime/special"
)

// key is a draw as an unsigned integer of the same order, and its place.
type key struct {
	bits  uint64
	index int32
}

// Order returns the positions in x of its elements in ascending order, equal ones as they stand. NaN have no place in that order.
func Order(x []float64) []int32 {
	var w workspace
	out := make([]int32, len(x))
	for i, k := range w.order(x) {
		out[i] = k.index
	}
	return out
}

// order returns the draws x, none of them NaN, in ascending order as keys; the
// two zeros are equal. Draws of equal value stay in the order of their places.
//
// It is a radix sort by bytes, since sorting dominates a summary: for 40,000
// draws it takes a sixth of the time of a comparison sort.
func (w *workspace) order(x []float64) []key {
	from := slices.Grow(w.keys[:0], len(x))[:len(x)]
	to := slices.Grow(w.aux[:0], len(x))[:len(x)]
	var counts [8][256]int32
	for i, v := range x {
		// Adding zero turns −0 into +0. Flipping the sign bit of a positive
		// number and all bits of a negative one makes the order of the
		// integers that of the numbers.
		b := math.Float64bits(v + 0)
		b ^= uint64(int64(b)>>63) | 1<<63
		from[i] = key{b, int32(i)}
		for d := range counts {
			counts[d][byte(b>>(8*d))]++
		}
	}
	for d := range counts {
		count := &counts[d]
		if len(x) > 0 && count[byte(from[0].bits>>(8*d))] == int32(len(x)) {
			continue // all draws share this byte
		}
		at := int32(0)
		for b, c := range count {
			count[b] = at
			at += c
		}
		for _, k := range from {
			b := byte(k.bits >> (8 * d))
			to[count[b]] = k
			count[b]++
		}
		from, to = to, from
	}
	w.keys, w.aux = from, to
	return from
}

// rankNormal returns the rank-normalised draws of a, Vehtari et al. (2021),
// equation 14: z = Φ⁻¹((r − 3/8)/(S + 1/4)), r the rank of a draw among all S,
// equal draws having their average rank.
func (w *workspace) rankNormal(a array) array {
	keys := w.order(a.x)
	scores := w.normalScores(len(keys))
	w.normal = slices.Grow(w.normal[:0], len(keys))[:len(keys)]
	for first := 0; first < len(keys); {
		last := first
		for last+1 < len(keys) && keys[last+1].bits == keys[first].bits {
			last++
		}
		z := scores[first+last]
		for _, k := range keys[first : last+1] {
			w.normal[k.index] = z
		}
		first = last + 1
	}
	return array{w.normal, a.n, a.m}
}

// normalScores returns the normal scores of all possible ranks among s draws,
// whole and half: element k belongs to the rank r = 1 + k/2.
func (w *workspace) normalScores(s int) []float64 {
	if len(w.scores) == 2*s-1 {
		return w.scores
	}
	w.scores = slices.Grow(w.scores[:0], 2*s-1)[:2*s-1]
	for k := range s {
		// p = (r − 3/8)/(s + 1/4) ≤ ½: the numerator is exact, so nothing cancels in
		// the tail.
		z := special.InvPhi(float64(float64(0.5*float64(k))+0.625) / (float64(s) + 0.25))
		w.scores[k] = z
		w.scores[2*s-2-k] = -z
	}
	return w.scores
}
