package main

import (
	"fmt"
	"math"
	"math/big"
)

// precision is that of all numbers, in bits. The series of erf(28) cancels 1,131 of them.
const precision = 1600

// A number is a floating-point number of that precision.
type number = big.Float

// A function is a real function.
type function func(x *number) *number

func blank() *number          { return new(number).SetPrec(precision) }
func integer(n int64) *number { return blank().SetInt64(n) }
func exact(x float64) *number { return blank().SetFloat64(x) }
func ratio(a, b int64) *number {
	return quotient(integer(a), integer(b))
}

func sum(a, b *number) *number        { return blank().Add(a, b) }
func difference(a, b *number) *number { return blank().Sub(a, b) }
func product(a, b *number) *number    { return blank().Mul(a, b) }
func quotient(a, b *number) *number   { return blank().Quo(a, b) }

// nearest returns the float64 nearest to x.
func nearest(x *number) float64 {
	v, _ := x.Float64()
	return v
}

// split returns float64 numbers that add up to x: those with so many bits, rounded towards
// zero, and what is left.
func split(x *number, bits ...uint) []float64 {
	var parts []float64
	rest := blank().Set(x)
	for _, b := range bits {
		p := new(number).SetMode(big.ToZero).SetPrec(b).Set(rest)
		parts = append(parts, nearest(p))
		rest = difference(rest, exact(nearest(p)))
	}
	return append(parts, nearest(rest))
}

// series returns Σ_k term_k, where next makes a term of the one before, from first as term 0.
func series(first *number, next func(term *number, k int64) *number) *number {
	total := blank().Set(first)
	for term, k := first, int64(1); ; k++ {
		term = next(term, k)
		if term.Sign() == 0 || total.Sign() != 0 && term.MantExp(nil) < total.MantExp(nil)-precision && k > 4 {
			return total
		}
		total = sum(total, term)
	}
}

// weighted returns Σ_k w_k zᵏ.
func weighted(z *number, w func(k int64) *number) *number {
	power, total := integer(1), w(0)
	for k := int64(1); ; k++ {
		power = product(power, z)
		term := product(power, w(k))
		if term.Sign() == 0 || term.MantExp(nil) < total.MantExp(nil)-precision {
			return total
		}
		total = sum(total, term)
	}
}

// factorial returns n!.
func factorial(n int64) *number { return blank().SetInt(new(big.Int).MulRange(1, n)) }

// atanInverse returns atan(1/n).
func atanInverse(n int64) *number {
	x := ratio(1, n)
	return product(x, weighted(product(x, x), func(k int64) *number { return ratio(1-2*(k&1), 2*k+1) }))
}

// pi returns π (Machin).
func pi() *number {
	return product(integer(4), difference(product(integer(4), atanInverse(5)), atanInverse(239)))
}

// logarithm returns log x for x > 0, as 2 atanh of s = (x−1)/(x+1) once x is near 1.
func logarithm(x *number) *number {
	m := blank()
	e := x.MantExp(m)
	near := func(x *number) *number {
		s := quotient(difference(x, integer(1)), sum(x, integer(1)))
		if s.Sign() == 0 {
			return integer(0)
		}
		return product(product(integer(2), s), weighted(product(s, s), func(k int64) *number { return ratio(1, 2*k+1) }))
	}
	return sum(near(m), product(integer(int64(e)), near(integer(2))))
}

// exponential returns eˣ.
func exponential(x *number) *number {
	// The argument is divided by 2ᵏ, the result squared k times.
	const k = 40
	small := blank().SetMantExp(x, -k)
	y := weighted(small, func(k int64) *number { return quotient(integer(1), factorial(k)) })
	for range k {
		y = product(y, y)
	}
	return y
}

// cosine returns cos x for |x| < 4.
func cosine(x *number) *number {
	return weighted(product(x, x), func(k int64) *number { return quotient(integer(1-2*(k&1)), factorial(2*k)) })
}

// atan returns atan x for 0 ≤ x: the argument is halved twice, atan x = 2 atan(x/(1+√(1+x²))).
func atan(x *number) *number {
	if x.Sign() == 0 {
		return integer(0)
	}
	y := x
	for range 3 {
		y = quotient(y, sum(integer(1), blank().Sqrt(sum(integer(1), product(y, y)))))
	}
	w := weighted(product(y, y), func(k int64) *number { return ratio(1-2*(k&1), 2*k+1) })
	return product(integer(8), product(y, w))
}

// scaledErfc returns exp(x²) erfc(x) for x ≥ 0, by the series of erf, all terms of which are positive:
// erf(x) = 2/√π e^(−x²) Σ_k 2ᵏ x²ᵏ⁺¹ / (1·3·…·(2k+1)).
func scaledErfc(x *number) *number {
	z := product(integer(2), product(x, x))
	total := series(x, func(term *number, k int64) *number {
		return quotient(product(term, z), integer(2*k+1))
	})
	total = product(total, quotient(integer(2), blank().Sqrt(pi())))
	return difference(exponential(product(x, x)), total)
}

// bernoulli returns B₀, B₁, …, Bₙ (Akiyama & Tanigawa), with B₁ = ½.
func bernoulli(n int) []*big.Rat {
	row, b := make([]*big.Rat, n+1), make([]*big.Rat, n+1)
	for m := range row {
		row[m] = big.NewRat(1, int64(m+1))
		for j := m; j > 0; j-- {
			d := new(big.Rat).Sub(row[j-1], row[j])
			row[j-1] = d.Mul(d, big.NewRat(int64(j), 1))
		}
		b[m] = new(big.Rat).Set(row[0])
	}
	return b
}

// logGamma returns a function that computes log Γ(x) for x > 0 to some 300 bits: Stirling's series
// at x + 80, and the recurrence.
func logGamma() function {
	const shift, terms = 80, 60
	b := bernoulli(2 * terms)
	halfLog2Pi := quotient(logarithm(product(integer(2), pi())), integer(2))
	return func(x *number) *number {
		p, y := integer(1), blank().Set(x)
		for range shift {
			p = product(p, y)
			y = sum(y, integer(1))
		}
		total := product(difference(y, ratio(1, 2)), logarithm(y))
		total = sum(difference(total, y), halfLog2Pi)
		power := blank().Set(y)
		for k := int64(1); k <= terms; k++ {
			term := quotient(blank().SetRat(b[2*k]), product(integer(2*k*(2*k-1)), power))
			total = sum(total, term)
			power = product(power, product(y, y))
		}
		return difference(total, logarithm(p))
	}
}

// interpolate returns the coefficients, lowest power of x − centre first, of the polynomial that
// equals f at the Chebyshev points of [lo, hi].
func interpolate(f function, lo, hi, centre *number, degree int) []*number {
	n := degree + 1
	middle, half := quotient(sum(lo, hi), integer(2)), quotient(difference(hi, lo), integer(2))
	x, c := make([]*number, n), make([]*number, n)
	for i := range n {
		angle := quotient(product(pi(), integer(int64(2*i+1))), integer(int64(2*n)))
		x[i] = sum(middle, product(half, cosine(angle)))
		c[i] = f(x[i])
		x[i] = difference(x[i], centre)
	}
	// Newton's divided differences, then powers.
	for j := 1; j < n; j++ {
		for i := n - 1; i >= j; i-- {
			c[i] = quotient(difference(c[i], c[i-1]), difference(x[i], x[i-j]))
		}
	}
	p := make([]*number, n)
	for i := range p {
		p[i] = integer(0)
	}
	for i := n - 1; i >= 0; i-- {
		for k := n - 1; k > 0; k-- {
			p[k] = difference(p[k-1], product(p[k], x[i]))
		}
		p[0] = difference(c[i], product(p[0], x[i]))
	}
	return p
}

// word returns the 64 bits of x, 0 ≤ x < 1, from bit 64·i behind the point on.
func word(x *number, i int) uint64 {
	y, _ := blank().SetMantExp(x, 64*(i+1)).Int(nil)
	return new(big.Int).And(y, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
}

// hexadecimal returns the words of 2/π that reduction needs.
func hexadecimal(x *number, words int) string {
	text := ""
	for i := range words {
		text += fmt.Sprintf("0x%016x, ", word(x, i))
	}
	return text
}
