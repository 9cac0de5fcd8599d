package diagnostics

import (
	"math"
	"math/bits"
	"slices"

	"github.com/hamc-dev/hamc/runtime/special"
)

// key is a draw as an unsigned integer of the same order, see ordered, and its place.
type key struct {
	bits  uint64
	index int32
}

// ordered returns the bits of a number, none of them NaN, as an unsigned integer of the same order; the two zeros are equal.
func ordered(v float64) uint64 {
	// Adding zero turns −0 into +0. Flipping the sign bit of a positive
	// number and all bits of a negative one makes the order of the
	// integers that of the numbers.
	b := math.Float64bits(v + 0)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// Ends returns the positions in x of its k smallest elements and of its k largest, both in ascending order, equal ones as they
// stand. NaN have no place in that order, and k is at most the number of elements. Where k is small it costs a fraction of a sort.
func Ends(x []float64, k int) (smallest, largest []int32) {
	if k == 0 {
		return nil, nil
	}
	// The elements are counted in cells of equal width; those wanted are in the first cells, and in the last.
	least, most := uint64(math.MaxUint64), uint64(0)
	for _, v := range x {
		b := ordered(v)
		least, most = min(least, b), max(most, b)
	}
	const cellBits = 12
	shift := max(0, bits.Len64(most-least)-cellBits)
	var counts [1 << cellBits]int32
	for _, v := range x {
		counts[(ordered(v)-least)>>shift]++
	}
	low, high := 0, len(counts)-1
	for n := int(counts[low]); n < k; n += int(counts[low]) {
		low++
	}
	for n := int(counts[high]); n < k; n += int(counts[high]) {
		high--
	}
	var first, last []key
	for i, v := range x {
		b := ordered(v)
		at := int((b - least) >> shift)
		if at <= low {
			first = append(first, key{b, int32(i)})
		}
		if at >= high {
			last = append(last, key{b, int32(i)})
		}
	}
	places := func(keys []key) []int32 {
		out := make([]int32, len(keys))
		for i, k := range keys {
			out[i] = k.index
		}
		return out
	}
	var w workspace
	smallest = places(w.sortKeys(first)[:k])
	last = w.sortKeys(last)
	return smallest, places(last[len(last)-k:])
}

// order returns the draws x, none of them NaN, in ascending order as keys; the
// two zeros are equal. Draws of equal value stay in the order of their places.
func (w *workspace) order(x []float64) []key {
	w.keys = slices.Grow(w.keys[:0], len(x))[:len(x)]
	for i, v := range x {
		w.keys[i] = key{ordered(v), int32(i)}
	}
	w.keys = w.sortKeys(w.keys)
	return w.keys
}

// topDigits is the number of bytes that sortKeys sorts by.
const topDigits = 3

// sortKeys sorts keys, equal ones as they stand, in place or into w.aux, whose storage the keys then are.
//
// It is a radix sort by bytes, since sorting dominates a summary. Three bytes below the highest bit in which the keys differ
// leave few draws out of their places, which then are moved one by one. Where that takes
// long, because draws of one number and next to it are many, all bytes are sorted by.
func (w *workspace) sortKeys(keys []key) []key {
	least, most := uint64(math.MaxUint64), uint64(0)
	for i := range keys {
		b := keys[i].bits
		least, most = min(least, b), max(most, b)
	}
	if len(keys) == 0 || least == most {
		return keys
	}
	keys = w.radix(keys, least, max(0, bits.Len64(most-least)-8*topDigits), topDigits)
	for i, moves := 1, 0; i < len(keys); i++ {
		k := keys[i]
		at := i
		for ; at > 0 && keys[at-1].bits > k.bits; at-- {
			keys[at] = keys[at-1]
		}
		keys[at] = k
		if moves += i - at; moves > 8*len(keys) {
			return w.radix(keys, 0, 0, 8)
		}
	}
	return keys
}

// radix sorts keys by so many bytes, at most eight, of the difference from the least, from the bit shift on. The storage of the
// result is that of the keys or of w.aux, and the other is w.aux then.
func (w *workspace) radix(from []key, least uint64, shift, digits int) []key {
	to := slices.Grow(w.aux[:0], len(from))[:len(from)]
	var counts [8][256]int32
	for i := range from {
		b := (from[i].bits - least) >> shift
		for d := range digits {
			counts[d][byte(b>>(8*d))]++
		}
	}
	for d := range digits {
		count := &counts[d]
		if count[byte((from[0].bits-least)>>shift>>(8*d))] == int32(len(from)) {
			continue // all draws share this byte
		}
		at := int32(0)
		for b, c := range count {
			count[b] = at
			at += c
		}
		for _, k := range from {
			b := byte((k.bits - least) >> shift >> (8 * d))
			to[count[b]] = k
			count[b]++
		}
		from, to = to, from
	}
	w.aux = to
	return from
}

// halves is split of draws whose order is known, and returns the order of what it leaves.
func (w *workspace) halves(a array, order []key) (array, []key) {
	h := a.n / 2
	half := w.split(a)
	if a.n%2 == 0 {
		return half, order
	}
	kept := w.aux[:0] // order leaves it with as much room
	for _, k := range order {
		c, i := int(k.index)/a.n, int(k.index)%a.n
		if i == h {
			continue
		}
		if i > h {
			i--
		}
		kept = append(kept, key{k.bits, int32(c*2*h + i)})
	}
	w.aux = kept
	return half, kept
}

// rankNormal returns the rank-normalised draws of a, Vehtari et al. (2021),
// equation 14: z = Φ⁻¹((r − 3/8)/(S + 1/4)), r the rank of a draw among all S,
// equal draws having their average rank. The order is that of the draws.
func (w *workspace) rankNormal(a array, order []key) array {
	scores := w.normalScores(len(order))
	w.normal = slices.Grow(w.normal[:0], len(order))[:len(order)]
	for first := 0; first < len(order); {
		last := first
		for last+1 < len(order) && order[last+1].bits == order[first].bits {
			last++
		}
		z := scores[first+last]
		for _, k := range order[first : last+1] {
			w.normal[k.index] = z
		}
		first = last + 1
	}
	return array{w.normal, a.n, a.m}
}

// fold returns the order of the distances |x − centre| of draws whose order is known: as one goes away from the centre on
// either side they grow, so the sides are merged. Equal distances are in any order.
func (w *workspace) fold(x []float64, order []key, centre float64) []key {
	w.folded = slices.Grow(w.folded[:0], len(order))[:len(order)]
	up, _ := slices.BinarySearchFunc(order, centre, func(k key, c float64) int {
		if x[k.index] < c {
			return -1
		}
		return 1
	})
	down := up - 1
	// Distances are not negative, so their bits are in their order.
	distance := func(i int) uint64 {
		if i < 0 || i >= len(order) {
			return math.MaxUint64
		}
		return math.Float64bits(math.Abs(x[order[i].index] - centre))
	}
	below, above := distance(down), distance(up)
	for i := range w.folded {
		if below < above {
			w.folded[i] = key{below, order[down].index}
			down--
			below = distance(down)
		} else {
			w.folded[i] = key{above, order[up].index}
			up++
			above = distance(up)
		}
	}
	return w.folded
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
