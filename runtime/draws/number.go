package draws

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Files of draws are long, and to read their numbers is most of what reading them takes. leading reads those that hamc writes, and most
// others, in a fraction of the time of strconv.ParseFloat, with the same results; what it does not read, ParseFloat does.

// maxDigits is how many digits a mantissa of 64 bits holds, whatever they are.
const maxDigits = 19

// leading reads the number in decimal digits that a line of values separated by commas begins with, and returns its length: 0 if it is not
// one that is read here. A comma follows it, or the end of the line.
func leading(line []byte) (x float64, n int) {
	negative := false
	if len(line) > 0 && line[0] == '-' {
		negative, n = true, 1
	}
	m, read := digits(line, n, 0)
	n += read
	exponent := 0
	if read == 0 {
		return 0, 0
	}
	if n < len(line) && line[n] == '.' {
		point := n
		n++
		if m == 0 {
			for read = 0; n < len(line) && line[n] == '0'; n++ {
			}
		}
		var part int
		m, part = digits(line, n, m)
		n += part
		read += part
		exponent = point + 1 - n
	}
	if read > maxDigits {
		return 0, 0
	}
	if n < len(line) && line[n] == 'e' {
		e, length := power(line[n+1:])
		if length == 0 {
			return 0, 0
		}
		n += 1 + length
		exponent += e
	}
	if n < len(line) && line[n] != ',' {
		return 0, 0
	}
	x, ok := scale(m, exponent)
	if !ok {
		return 0, 0
	}
	if negative {
		x = -x
	}
	return x, n
}

// digits appends the decimal digits of a text, from one place on, to a number, and returns how many there are. The number is
// of no use if it has more than 64 bits.
func digits(text []byte, from int, m uint64) (uint64, int) {
	at := from
	for len(text)-at >= 8 {
		v := binary.LittleEndian.Uint64(text[at:])
		// A byte is a digit if its upper half is 3, and is 3 still when 6 is added.
		const upper = 0xf0f0f0f0f0f0f0f0
		if v&upper|(v+0x0606060606060606)&upper>>4 != 0x3333333333333333 {
			break
		}
		// Neighbours are joined to numbers of two digits, of four and of eight.
		v = (v & 0x0f0f0f0f0f0f0f0f) * (10<<8 + 1) >> 8
		v = (v & 0x00ff00ff00ff00ff) * (100<<16 + 1) >> 16
		v = (v & 0x0000ffff0000ffff) * (10000<<32 + 1) >> 32
		m = m*100000000 + v
		at += 8
	}
	for ; at < len(text); at++ {
		d := text[at] - '0'
		if d > 9 {
			break
		}
		m = m*10 + uint64(d)
	}
	return m, at - from
}

// power reads the exponent at the beginning of a text, and returns its length: 0 if there is none of up to three digits.
func power(text []byte) (e, n int) {
	negative := false
	if n < len(text) && (text[n] == '-' || text[n] == '+') {
		negative, n = text[n] == '-', 1
	}
	v, length := digits(text, n, 0)
	if length == 0 || length > 3 {
		return 0, 0
	}
	if e = int(v); negative {
		e = -e
	}
	return e, n + length
}

// The powers of ten in the table. The draws of all but the strangest posteriors are 17 digits times one of them, or less.
const (
	leastPower = -60
	mostPower  = 27
)

// scale returns m·10ᵉ, rounded to the nearest number. It reports false where the digits that it looks at do not tell
// which that is, and for powers that are not in the table.
//
// The product with the leading 64 bits of the power, or with 128 where these do not tell, has more bits than a number; those behind it
// say how to round, unless what was left out of the power could change them (Lemire 2021, Number parsing at a gigabyte per second,
// Software: Practice and Experience 51(8), 1700–1727).
func scale(m uint64, e int) (float64, bool) {
	const exact = 22 // 10²² has 53 bits
	switch {
	case m == 0:
		return 0, true
	// Both are numbers, so that what they come to is rounded once.
	case m < 1<<53 && 0 <= e && e <= exact:
		return float64(float64(m) * tens[e]), true
	case m < 1<<53 && -exact <= e && e < 0:
		return float64(m) / tens[-e], true
	case e < leastPower || e > mostPower:
		return 0, false
	}
	p := &powers[e-leastPower]
	shift := bits.LeadingZeros64(m)
	m <<= shift
	const behind = 1<<9 - 1 // bits of the high half that are not in the result, nor next to it
	hi, lo := bits.Mul64(m, p.hi)
	if hi&behind == behind && lo+m < lo {
		more, rest := bits.Mul64(m, p.lo)
		var carry uint64
		lo, carry = bits.Add64(lo, more, 0)
		hi += carry
		if hi&behind == behind && lo == math.MaxUint64 && rest+m < rest {
			return 0, false
		}
	}
	top := hi >> 63
	mantissa := hi >> (top + 9) // 54 bits
	if lo == 0 && hi&behind == 0 && mantissa&3 == 1 {
		return 0, false // perhaps halfway between two numbers
	}
	mantissa = (mantissa + mantissa&1) >> 1
	// 217706/2¹⁶ is log₂ 10, near enough.
	exponent := 217706*e>>16 + 64 + 1023 - shift - int(1-top)
	if mantissa>>53 > 0 {
		mantissa >>= 1
		exponent++
	}
	return math.Float64frombits(uint64(exponent)<<52 | mantissa&(1<<52-1)), true
}

// tens are the powers of ten that are numbers.
var tens = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}
