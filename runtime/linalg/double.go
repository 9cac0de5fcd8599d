package linalg

import "math"

// double is an unevaluated sum hi + lo with |lo| ≤ ½ ulp(hi): a number of some
// 106 bits (Dekker 1971, "A floating-point technique for extending the available
// precision"). Where hi is not finite, lo says nothing.
type double struct{ hi, lo float64 }

// twoSum returns a + b exactly (Knuth).
func twoSum(a, b float64) double {
	s := a + b
	t := s - a
	return double{s, (a - (s - t)) + (b - t)}
}

// fastSum returns a + b exactly, for |a| ≥ |b|.
func fastSum(a, b float64) double {
	s := a + b
	return double{s, b - (s - a)}
}

// twoProduct returns a·b exactly.
func twoProduct(a, b float64) double {
	p := float64(a * b)
	return double{p, math.FMA(a, b, -p)}
}

// plus returns x + y, with an error of some 2⁻¹⁰⁴ of the result also where x
// and y cancel (Joldes, Muller & Popescu 2017, algorithm 6).
func (x double) plus(y double) double {
	s, t := twoSum(x.hi, y.hi), twoSum(x.lo, y.lo)
	v := fastSum(s.hi, s.lo+t.hi)
	return fastSum(v.hi, t.lo+v.lo)
}

// minus returns x − y.
func (x double) minus(y double) double { return x.plus(double{-y.hi, -y.lo}) }

// times returns x·y.
func (x double) times(y double) double {
	p := twoProduct(x.hi, y.hi)
	return fastSum(p.hi, p.lo+(float64(x.hi*y.lo)+float64(x.lo*y.hi)))
}

// timesFloat returns x·y.
func (x double) timesFloat(y float64) double {
	p := twoProduct(x.hi, y)
	return fastSum(p.hi, p.lo+float64(x.lo*y))
}

// over returns x/y.
func (x double) over(y double) double {
	q := x.hi / y.hi
	r := x.minus(y.timesFloat(q))
	return fastSum(q, (r.hi+r.lo)/y.hi)
}

// root returns √x for x ≥ 0.
func (x double) root() double {
	if x.hi == 0 {
		return double{}
	}
	s := math.Sqrt(x.hi)
	r := x.minus(twoProduct(s, s))
	return fastSum(s, (r.hi+r.lo)/(2*s))
}

// float returns the nearest float64.
func (x double) float() float64 { return x.hi + x.lo }

// sum is a sum of many numbers: hi + lo + rest, where hi and lo are exact but for what rest has. An addition waits
// for little of the one before, and many of them cost less than plus does.
type sum struct{ hi, lo, rest float64 }

// plus returns s + x.
func (s sum) plus(x double) sum {
	a := twoSum(s.hi, x.hi)
	b := twoSum(s.lo, a.lo)
	c := twoSum(b.hi, x.lo)
	return sum{a.hi, c.hi, s.rest + (b.lo + c.lo)}
}

// double returns s with the precision of a double.
func (s sum) double() double { return twoSum(s.hi, s.lo).plus(double{s.rest, 0}) }
