package plot

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// limit bounds the absolute values that can be shown, so that no difference of
// two overflows and no step between ticks underflows.
const limit = 1e300

// resolution is the least width of a range as part of its larger end. Ticks
// need some digits left to differ in.
const resolution = 1e-12

// scale maps values to pixels. Its ends are in units: values, or decimal
// logarithms of them.
type scale struct {
	log      bool
	lo, hi   float64 // units, lo < hi
	from, to float64 // pixels of lo and hi
}

// tick is a mark on an axis. A minor one has no label.
type tick struct {
	at    float64 // pixels
	label string
}

func (t tick) length() float64 {
	if t.label == "" {
		return 2
	}
	return 4
}

// valid reports whether v has a place on the axis, however far it extends.
func (s scale) valid(v float64) bool {
	if s.log {
		return v >= 1/limit && v <= limit
	}
	return math.Abs(v) <= limit // false for NaN
}

func (s scale) unit(v float64) float64 {
	if s.log {
		return math.Log10(v)
	}
	return v
}

// pixel returns the place of a unit. It is bounded, so that what is outside can
// still be computed with.
func (s scale) pixel(unit float64) float64 {
	const far = 1e7
	return max(-far, min(far, s.from+(unit-s.lo)/(s.hi-s.lo)*(s.to-s.from)))
}

// at returns the place of a valid value.
func (s scale) at(v float64) float64 { return s.pixel(s.unit(v)) }

// inside reports whether a value is valid and between the ends.
func (s scale) inside(v float64) bool {
	if !s.valid(v) {
		return false
	}
	u, slack := s.unit(v), 1e-9*(s.hi-s.lo)
	return u >= s.lo-slack && u <= s.hi+slack
}

// clamp returns the nearest pixel between the ends.
func (s scale) clamp(pixel float64) float64 {
	return max(min(s.from, s.to), min(max(s.from, s.to), pixel))
}

// given sets the ends to those an axis asks for and reports whether they span a
// range.
func (s *scale) given(a Axis) bool {
	s.log = a.Log
	if !(a.Min < a.Max) || !s.valid(a.Min) || !s.valid(a.Max) {
		return false
	}
	s.lo, s.hi = s.unit(a.Min), s.unit(a.Max)
	if s.log {
		return s.hi-s.lo > 1e-6
	}
	return s.hi-s.lo > resolution*max(math.Abs(s.lo), math.Abs(s.hi), 1/limit)
}

// around sets the ends so that the units from lo to hi are well inside. An end
// that is base stays, as histograms stand on 0.
func (s *scale) around(lo, hi, base float64) {
	size := max(math.Abs(lo), math.Abs(hi))
	switch {
	case s.log && hi-lo < 1e-6:
		lo, hi = lo-0.5, hi+0.5
	case !s.log && size < 1/limit && size > 0:
		lo, hi = -1/limit, 1/limit
	case !s.log && size == 0:
		lo, hi = -1, 1
		if base == 0 {
			lo = 0
		}
	case hi == lo:
		lo, hi = lo-0.1*size, hi+0.1*size
	case !s.log && hi-lo < 10*resolution*size:
		lo, hi = lo-10*resolution*size, hi+10*resolution*size
	}
	pad := 0.04 * (hi - lo)
	s.lo, s.hi = lo, hi
	if lo != base {
		s.lo -= pad
	}
	if hi != base {
		s.hi += pad
	}
}

// equalize widens one of two ranges so that both have as many units per pixel.
func equalize(x, y *scale) {
	if x.log != y.log {
		return
	}
	perX := (x.hi - x.lo) / math.Abs(x.to-x.from)
	perY := (y.hi - y.lo) / math.Abs(y.to-y.from)
	s, ratio := x, perY/perX
	if ratio < 1 {
		s, ratio = y, perX/perY
	}
	// Ranges far from 0 or far apart in size would lose their ticks.
	half := (s.hi - s.lo) / 2 * ratio
	if middle := s.lo + (s.hi-s.lo)/2; math.Abs(middle)+half <= 2*limit {
		s.lo, s.hi = middle-half, middle+half
	}
}

// ranges sets the ends of both axes.
func (v *view) ranges() {
	xGiven, yGiven := v.x.given(v.X), v.y.given(v.Y)
	xLo, xHi, yLo, yHi := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	base := math.NaN()
	for i := range v.Series {
		s := &v.Series[i]
		half := 0.0
		if s.histogram() {
			half = v.x.spacing(s.X) / 2
			if !v.Y.Log {
				base = 0
			}
		}
		for k := range min(len(s.X), len(s.Y)) {
			x, y := s.X[k], s.Y[k]
			switch {
			case !v.x.valid(x) || !v.y.valid(y), xGiven && !v.x.inside(x), yGiven && !v.y.inside(y):
				continue
			}
			xLo, xHi = min(xLo, v.x.unit(x)-half), max(xHi, v.x.unit(x)+half)
			yLo, yHi = min(yLo, v.y.unit(y)), max(yHi, v.y.unit(y))
		}
	}
	if xLo > xHi { // nothing to show: any range will do
		xLo, xHi, yLo, yHi = 0, 1, 0, 1
	}
	if base == 0 {
		yLo, yHi = min(yLo, 0), max(yHi, 0)
	}
	if !xGiven {
		v.x.around(xLo, xHi, math.NaN())
	}
	if !yGiven {
		v.y.around(yLo, yHi, base)
	}
}

// count counts the data that are shown, and those that are not.
func (v *view) count() {
	v.shown, v.missing = 0, 0
	for i := range v.Series {
		s := &v.Series[i]
		v.missing += max(len(s.X), len(s.Y)) - min(len(s.X), len(s.Y))
		for k := range min(len(s.X), len(s.Y)) {
			switch {
			case v.x.inside(s.X[k]) && v.y.inside(s.Y[k]):
				v.shown++
			case s.histogram() && v.y.log && v.x.valid(s.X[k]) && s.Y[k] == 0: // an empty bin
			default:
				v.missing++
			}
		}
	}
}

func (s *Series) histogram() bool { return s.Kind == Bars || s.Kind == Steps }

// spacing returns the median distance between neighbours among the values that
// are valid, in units.
func (s scale) spacing(x []float64) float64 {
	var units []float64
	for _, v := range x {
		if s.valid(v) {
			units = append(units, s.unit(v))
		}
	}
	slices.Sort(units)
	units = slices.Compact(units)
	switch {
	case len(units) > 1:
		gaps := make([]float64, len(units)-1)
		for i := range gaps {
			gaps[i] = units[i+1] - units[i]
		}
		slices.Sort(gaps)
		return gaps[len(gaps)/2]
	case len(units) == 1 && !s.log && units[0] != 0:
		return math.Abs(units[0]) / 10
	}
	return 0.1
}

// ticks returns ticks for which fits holds, as many as there are, and the power
// of ten by which their labels are to be multiplied.
func (s scale) ticks(fits func([]tick) bool) ([]tick, int) {
	if s.log {
		first, last := math.Ceil(s.lo-1e-9), math.Floor(s.hi+1e-9)
		switch {
		case last-first >= 1:
			return s.decades(int(first), int(last), fits), 0
		case s.hi-s.lo > 0.35:
			if t := s.parts(); fits(t) {
				return t, 0
			}
		}
	}
	return s.round(fits)
}

// decades returns ticks at powers of ten, thinned until they fit, with minor
// ones between them.
func (s scale) decades(first, last int, fits func([]tick) bool) []tick {
	plain := first >= -3 && last <= 4
	for _, step := range []int{1, 2, 3, 5, 10, 20, 50, 100, 200, 500} {
		var out []tick
		for k := first; k <= last; k++ {
			t := tick{at: s.pixel(float64(k))}
			if floorMod(k, step) == 0 {
				t.label = power(k, plain)
			}
			out = append(out, t)
		}
		if !fits(out) {
			continue
		}
		if step > 1 && last-first > 40 { // marks at every decade would be a grey bar
			out = slices.DeleteFunc(out, func(t tick) bool { return t.label == "" })
		}
		if step == 1 && last-first <= 8 {
			for k := first - 1; k <= last; k++ {
				for d := 2.0; d < 10; d++ {
					if u := float64(k) + math.Log10(d); u >= s.lo && u <= s.hi {
						out = append(out, tick{at: s.pixel(u)})
					}
				}
			}
		}
		return out
	}
	return nil
}

// parts returns ticks at 1, 2 and 5 times powers of ten.
func (s scale) parts() []tick {
	var out []tick
	first, last := int(math.Floor(s.lo)), int(math.Floor(s.hi))
	plain := first >= -3 && last <= 4
	for k := first; k <= last; k++ {
		for d := 1; d < 10; d++ {
			u := float64(k) + math.Log10(float64(d))
			if u < s.lo || u > s.hi {
				continue
			}
			t := tick{at: s.pixel(u)}
			switch {
			case d != 1 && d != 2 && d != 5:
			case plain:
				t.label = decimal(int64(d), k)
			case d == 1:
				t.label = power(k, false)
			default:
				t.label = strconv.Itoa(d) + "×" + power(k, false)
			}
			out = append(out, t)
		}
	}
	return out
}

// round returns ticks at multiples of 1, 2 or 5 times a power of ten, the
// smallest that fits. On a logarithmic axis of less than a decade they are round
// values all the same.
func (s scale) round(fits func([]tick) bool) (out []tick, exponent int) {
	lo, hi := s.lo, s.hi
	if s.log {
		lo, hi = math.Pow(10, lo), math.Pow(10, hi)
	}
	e := int(math.Floor(math.Log10((hi - lo) / 20)))
	for ; e < 308; e++ {
		for _, m := range []int64{1, 2, 5} {
			step := float64(m) * math.Pow10(e)
			first, last := math.Ceil(lo/step-1e-9), math.Floor(hi/step+1e-9)
			if s.log {
				first = max(first, 1)
			}
			if last < first && len(out) > 0 { // nothing is left: one tick of those before
				return out[:1], exponent
			}
			exponent = 0
			if top := max(math.Abs(first), math.Abs(last)) * step; top > 0 {
				if k := int(math.Floor(math.Log10(top * (1 + 1e-12)))); k >= 5 || k < -3 {
					exponent = k
				}
			}
			out = out[:0]
			for k := first; k <= last; k++ {
				unit := k * step
				if s.log {
					unit = math.Log10(unit)
				}
				out = append(out, tick{s.pixel(unit), decimal(int64(k)*m, e-exponent)})
			}
			if fits(out) {
				return out, exponent
			}
		}
	}
	return nil, 0
}

// apart reports whether labels are few enough for an axis of this length, and at
// least some distance from each other.
func apart(ticks []tick, length, distance float64) bool {
	n, before := 0, math.Inf(1)
	for _, t := range ticks {
		if t.label == "" {
			continue
		}
		if n++; math.Abs(t.at-before) < distance {
			return false
		}
		before = t.at
	}
	return float64(n) <= max(2, length/30)
}

// decimal returns n·10^k in decimals.
func decimal(n int64, k int) string {
	sign := ""
	if n < 0 {
		sign, n = "−", -n
	}
	digits := strconv.FormatInt(n, 10)
	switch {
	case k >= 0 && n != 0:
		return sign + digits + strings.Repeat("0", k)
	case k >= 0:
		return "0"
	}
	if missing := 1 - k - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) + k
	return sign + digits[:point] + "." + digits[point:]
}

// power returns 10^k, as a decimal number if plain.
func power(k int, plain bool) string {
	if plain {
		return decimal(1, k)
	}
	return "10" + superscript(k)
}

// times returns the factor 10^k as it stands at the end of an axis.
func times(k int) string { return "×10" + superscript(k) }

var superscripts = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

func superscript(k int) string { return superscripts.Replace(strconv.Itoa(k)) }

func floorMod(a, b int) int { return ((a % b) + b) % b }
