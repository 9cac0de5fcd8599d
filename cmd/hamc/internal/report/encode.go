package report

import (
	"encoding/binary"
	"math"
	"slices"
)

// Draws stand in the page as numbers of 16 bits. A scale says what they mean.
// Equal steps would waste the numbers on the tails of a heavy-tailed quantity, so
// the steps grow with the distance from the centre:
//
//	x = Centre + Spread · sinh(Low + (code−1)/(codes−1) · (High − Low))
//
// with Low and High such that the least and the largest draw are hit. Near the
// centre the steps are a small part of the spread, in the tails a small part of
// the distance; neither can be seen in a plot.
type scale struct {
	Centre float64 `json:"centre"`
	Spread float64 `json:"spread"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// The codes of values without a place on the scale.
const (
	codeNegInf = 0
	codes      = 65533 // finite values have the codes 1 to codes
	codePosInf = codes + 1
	codeNaN    = codes + 2
)

// largest is the largest magnitude that counts as finite: differences of such
// numbers do not overflow.
const largest = 1e300

func finite(x float64) bool { return math.Abs(x) <= largest }

// newScale returns the scale of quantities whose finite values are given in
// ascending order.
func newScale(sorted []float64) scale {
	if len(sorted) == 0 {
		return scale{Spread: 1}
	}
	least, most := sorted[0], sorted[len(sorted)-1]
	s := scale{
		Centre: quantile(sorted, 0.5),
		Spread: math.Max(quantile(sorted, 0.75)/2-quantile(sorted, 0.25)/2, 1e-9*(most/2-least/2)),
	}
	if least == most || s.Spread < 1e-300 {
		return scale{Centre: s.Centre, Spread: 1, Low: least - s.Centre, High: most - s.Centre}
	}
	s.Low, s.High = math.Asinh((least-s.Centre)/s.Spread), math.Asinh((most-s.Centre)/s.Spread)
	return s
}

func (s scale) code(x float64) uint16 {
	switch {
	case math.IsNaN(x):
		return codeNaN
	case x > largest:
		return codePosInf
	case x < -largest:
		return codeNegInf
	case s.High == s.Low:
		return 1
	}
	u := (math.Asinh((x-s.Centre)/s.Spread) - s.Low) / (s.High - s.Low)
	return uint16(1 + math.Round((codes-1)*min(max(u, 0), 1)))
}

// value inverts code, as the page's script does.
func (s scale) value(code uint16) float64 {
	switch code {
	case codeNaN:
		return math.NaN()
	case codePosInf:
		return math.Inf(1)
	case codeNegInf:
		return math.Inf(-1)
	}
	return s.Centre + s.Spread*math.Sinh(s.Low+float64(code-1)/(codes-1)*(s.High-s.Low))
}

// The arrays of the page are little-endian.

func appendUint16(b []byte, v uint16) []byte { return binary.LittleEndian.AppendUint16(b, v) }
func appendUint32(b []byte, v int) []byte    { return binary.LittleEndian.AppendUint32(b, uint32(v)) }

// sortedFinite returns the finite values of all chains in ascending order.
func sortedFinite(chains [][]float64) []float64 {
	var out []float64
	for _, c := range chains {
		for _, x := range c {
			if finite(x) {
				out = append(out, x)
			}
		}
	}
	slices.Sort(out)
	return out
}

// quantile returns the quantile at p of values in ascending order, interpolated
// linearly (type 7 of Hyndman and Fan 1996).
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	w := at - float64(i)
	return (1-w)*sorted[i] + w*sorted[i+1]
}
