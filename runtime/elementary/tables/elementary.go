package main

import "math"

// elementaryTables writes the tables of runtime/elementary.
func elementaryTables(w *writer) {
	exponentials(w)
	logarithms(w)
	angles(w)
	complementary(w)
	gammas(w)
}

// power returns the function Σ_k c(k) zᵏ.
func power(c func(k int64) *number) function {
	return func(z *number) *number { return weighted(z, c) }
}

// inverseFactorial returns c with c(k) = (sign)ᵏ/(step·k + first)!.
func inverseFactorial(sign, step, first int64) func(k int64) *number {
	return func(k int64) *number {
		s := int64(1)
		if k&1 == 1 {
			s = sign
		}
		return quotient(integer(s), factorial(step*k+first))
	}
}

func exponentials(w *writer) {
	w.polynomial("expm1Series", "expm1Series is (eˣ − 1 − x − x²/2)/x³ for |x| ≤ 0.35.",
		power(inverseFactorial(1, 1, 3)), exact(-0.35), exact(0.35), 9)
	w.polynomial("sinhSeries", "sinhSeries is (sinh x − x)/x³ in x², for |x| ≤ 0.35.",
		power(inverseFactorial(1, 2, 3)), exact(0), exact(0.1225), 4)
	// tanh x = x/(1 + z/(3 + z/(5 + …))) for z = x², cut off behind 17 (Lambert).
	top, bottom := []int64{17}, []int64{1} // of 17 + …
	for k := int64(15); k >= 1; k -= 2 {
		next := make([]int64, max(len(top), len(bottom)+1))
		for i, c := range top {
			next[i] += k * c
		}
		for i, c := range bottom {
			next[i+1] += c
		}
		top, bottom = next, top
	}
	// x bottom/top = x + x³ R, R = (bottom − top)/(z top).
	var above, below []*number
	for i := 1; i < len(top); i++ {
		c := -top[i]
		if i < len(bottom) {
			c += bottom[i]
		}
		above = append(above, ratio(c, top[0]))
	}
	for _, c := range top {
		below = append(below, ratio(c, top[0]))
	}
	w.printf("\n// tanhAbove and tanhBelow are the two sides of the fraction (tanh x − x)/x³ in x², for |x| ≤ 0.55.\nvar (\ntanhAbove = [...]float64{")
	w.list(above)
	w.printf("}\ntanhBelow = [...]float64{")
	w.list(below)
	w.printf("}\n)\n")
}

func logarithms(w *writer) {
	ln2, ln10 := logarithm(integer(2)), logarithm(integer(10))
	w.constant("ln2", "ln2 + ln2Low is log 2; an exponent times the first part is exact.", ln2, 42)
	w.constant("log10E", "log10E + log10ELow is 1/log 10; the first part has 26 bits.", quotient(integer(1), ln10), 26)
	w.printf("\n// logTable holds, for 128 parts of √½ ≤ m < √2 that are of one length in the bits of m, a short number near 1/m,\n")
	w.printf("// and minus its logarithm in two parts, of which the first is a multiple of 2⁻⁴².\nvar logTable = [128]logEntry{\n")
	for i := range uint64(128) {
		lo, hi := sqrtHalf+i<<45, sqrtHalf+(i+1)<<45-1
		inverse := 1.0
		if one := math.Float64bits(1); hi < one || lo > one {
			mid := math.Float64frombits(sqrtHalf + i<<45 + 1<<44)
			inverse = float64(math.RoundToEven(1/mid*4096) / 4096)
		}
		l := logarithm(exact(inverse))
		l.Neg(l)
		first, _ := blank().SetMantExp(l, 42).Int64()
		high := blank().SetMantExp(integer(first), -42)
		w.printf("{%s, %s, %s},\n", literal(inverse), literal(nearest(high)), literal(nearest(difference(l, high))))
	}
	w.printf("}\n")
}

// sqrtHalf are the bits of √½.
const sqrtHalf = 0x3fe6a09e_667f3bcd

func angles(w *writer) {
	quarter := quotient(pi(), integer(4))
	square := product(quarter, quarter)
	w.polynomial("sinSeries", "sinSeries is (sin x − x)/x³ in x², for |x| ≤ π/4.",
		power(func(k int64) *number { return blank().Neg(inverseFactorial(-1, 2, 3)(k)) }), integer(0), square, 5)
	w.polynomial("cosSeries", "cosSeries is (cos x − 1 + x²/2)/x⁴ in x², for |x| ≤ π/4.",
		power(inverseFactorial(-1, 2, 4)), integer(0), square, 5)
	w.constant("halfPi", "halfPi + halfPiLow + halfPiLeast + halfPiLast is π/2; a number below 2²⁰ times one of the first three is exact.",
		product(integer(2), quarter), 33, 33, 33)
	w.constant("halfPiRounded", "halfPiRounded + halfPiRoundedLow is π/2.", product(integer(2), quarter), 53)
	over := quotient(integer(1), product(integer(2), quarter))
	w.printf("\n// twoOverPi is 2/π rounded, and twoOverPiWords its bits: 64 zeros before the point, and those behind it.\nconst twoOverPi = %s\n", literal(nearest(over)))
	w.printf("\nvar twoOverPiWords = [...]uint64{\n0,\n%s\n}\n", hexadecimal(over, 20))

	w.polynomial("atanSeries", "atanSeries is (atan x − x)/x³ in x², for |x| ≤ ¼.",
		power(func(k int64) *number { return ratio(2*(k&1)-1, 2*k+3) }), integer(0), ratio(1, 16), 8)
	w.polynomial("atanShort", "atanShort is the same for |x| ≤ 1/16.",
		power(func(k int64) *number { return ratio(2*(k&1)-1, 2*k+3) }), integer(0), ratio(1, 256), 5)
	w.printf("\n// atanTable holds atan(k/8) in two parts.\nvar atanTable = [...][2]float64{\n")
	for k := range int64(33) {
		p := split(atan(ratio(k, 8)), 53)
		w.printf("{%s, %s},\n", literal(p[0]), literal(p[1]))
	}
	w.printf("}\n")
}

func complementary(w *writer) {
	scale := quotient(integer(2), blank().Sqrt(pi()))
	erf := power(func(k int64) *number {
		return quotient(integer(1-2*(k&1)), product(factorial(k), integer(2*k+1)))
	})
	w.polynomial("erfSeries", "erfSeries is (erf x)/x − 1 in x², for |x| ≤ ½.",
		func(z *number) *number { return difference(product(scale, erf(z)), integer(1)) }, integer(0), ratio(1, 4), 9)
	w.printf("\n// erfcPieces holds polynomials for exp(x²) erfc(x): for ½ ≤ x < 32, in x less the middle of an eighth of a power\n")
	w.printf("// of two, as the exponent and the first three bits of x number them; the constant is in two parts.\nvar erfcPieces = [...][%d]float64{\n", erfcDegree+2)
	for e := -1; e < 5; e++ {
		for i := range int64(8) {
			lo := blank().SetMantExp(ratio(8+i, 8), e)
			hi := blank().SetMantExp(ratio(9+i, 8), e)
			middle := quotient(sum(lo, hi), integer(2))
			w.printf("{")
			c := interpolate(scaledErfc, lo, hi, middle, erfcDegree)
			low := difference(c[0], exact(nearest(c[0])))
			w.list(append([]*number{c[0], low}, c[1:]...))
			w.printf("},\n")
		}
	}
	w.printf("}\n")
}

// erfcDegree is the degree of the polynomials of erfcPieces.
const erfcDegree = 11
