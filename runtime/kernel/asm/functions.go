package main

import (
	"math"

	. "github.com/mmcloughlin/avo/operand"
)

var functions = []function{
	{"exp", exp}, {"log", log}, {"log1p", log1p}, {"invLogit", invLogit}, {"log1pExp", log1pExp},
}

func exp(m *machine) loop {
	e := newExponential(m)
	return loop{
		plain: e.plain,
		value: func(x register, _ []register) register { return m.add(e.parts(x)) },
	}
}

func log(m *machine) loop {
	l := newLogarithm(m)
	least, most := m.float(0x1p-1022), m.float(math.MaxFloat64)
	return loop{
		plain: func(x register, label string) {
			m.demand(label, x, comparison{greaterEqual, least}, comparison{lessEqual, most})
		},
		value: func(x register, _ []register) register {
			f, k, _ := l.reduce(x)
			t := l.terms(f)
			return l.sum(t, k, m.mul(k, l.ln2Lo))
		},
	}
}

func log1p(m *machine) loop {
	l := newLogarithm(m)
	l.prepareLogSum()
	one, sign := m.float(1), m.bits(1<<63)
	bound, most := m.float(-1), m.float(0x1p1023)
	return loop{
		plain: func(x register, label string) {
			m.demand(label, x, comparison{greater, bound}, comparison{lessEqual, most})
		},
		value: func(x register, _ []register) register {
			// Knuth's sum without branches is Dekker's with them, or with
			// the larger number first; both are exact.
			u := m.add(one, x)
			c := m.sub(m.min(x, one), m.sub(u, m.max(x, one)))
			return m.or(l.logSum(u, c), m.and(x, sign))
		},
	}
}

func invLogit(m *machine) loop {
	e := newExponential(m)
	one, sign := m.float(1), m.bits(1<<63)
	return loop{
		plain: e.plain,
		first: func(x register) []register {
			h, y := e.parts(m.xor(x, sign))
			return []register{h, y}
		},
		value: func(_ register, first []register) register {
			h, y := first[0], first[1]
			u := m.add(one, m.add(h, y))
			b := m.sub(u, one)
			c := m.add(m.add(m.sub(one, m.sub(u, b)), m.sub(h, b)), y)
			q := m.div(one, u)
			return m.sub(q, m.mul(m.mul(c, q), q))
		},
	}
}

func log1pExp(m *machine) loop {
	e, l := newExponential(m), newLogarithm(m)
	l.prepareLogSum()
	one, sign, zero := m.float(1), m.bits(1<<63), m.float(0)
	return loop{
		plain: e.plain,
		first: func(x register) []register {
			h, y := e.parts(m.or(x, sign))
			u := m.add(one, m.add(h, y))
			return []register{u, m.add(m.sub(h, m.sub(u, one)), y)}
		},
		value: func(x register, first []register) register {
			return m.add(m.max(x, zero), l.logSum(first[0], first[1]))
		},
	}
}

// exponential holds the constants of exp.go.
type exponential struct {
	*machine
	scale, shift, stepHi, stepLo Op
	half, cubic, quartic         Op
	offsets                      Op // bits of the offsets of entries in expTable
	absolute, limit              Op
}

func newExponential(m *machine) *exponential {
	const expSteps = 256
	m.prepareLookup()
	return &exponential{
		machine:  m,
		scale:    m.float(expSteps * 1.4426950408889634),
		shift:    m.float(0x1.8p52),
		stepHi:   m.float(0x1.62e42fef8p-9),
		stepLo:   m.float(0x1.1cf79abc9e3b4p-44),
		half:     m.float(0.5),
		cubic:    m.float(0x1.5555571d82c6bp-3),
		quartic:  m.float(1.0 / 24),
		offsets:  m.bits((expSteps - 1) * 16),
		absolute: m.bits(1<<63 - 1),
		limit:    m.float(700),
	}
}

// plain is expPlain.
func (e *exponential) plain(x register, label string) {
	e.demand(label, e.and(x, e.absolute), comparison{lessEqual, e.limit})
}

// parts returns h and y with exp(x) = h + y.
func (e *exponential) parts(x register) (h, y register) {
	t := e.add(e.mul(x, e.scale), e.shift)
	bits, tail := e.lookup(e.and(e.shiftLeft(t, 4), e.offsets))
	h = e.addBits(bits, e.shiftLeft(t, 44))
	n := e.sub(t, e.shift)
	r := e.sub(e.sub(x, e.mul(n, e.stepHi)), e.mul(n, e.stepLo))
	z := e.mul(r, r)
	p := e.add(e.add(e.half, e.mul(r, e.cubic)), e.mul(z, e.quartic))
	return h, e.mul(h, e.add(tail, e.add(r, e.mul(z, p))))
}

// logarithm holds the constants of log.go.
type logarithm struct {
	*machine
	offset, mantissa, sqrtHalf, exponent, bias, unscale Op
	half, one, two, ln2Hi, ln2Lo                        Op
	rest                                                [7]Op
}

func newLogarithm(m *machine) *logarithm {
	const sqrtHalf = 0x3fe6a09e_667f3bcd
	l := &logarithm{
		machine:  m,
		offset:   m.bits(1023<<52 - sqrtHalf),
		mantissa: m.bits(1<<52 - 1),
		sqrtHalf: m.bits(sqrtHalf),
		exponent: m.float(0x1p52),
		bias:     m.float(0x1p52 + 1023),
		half:     m.float(0.5),
		one:      m.float(1),
		two:      m.float(2),
		ln2Hi:    m.float(0x1.62e42fefa38p-1),
		ln2Lo:    m.float(5.497923018708371e-14),
	}
	for i, c := range []float64{
		0.6666666666666735130, 0.3999999999940941908, 0.2857142874366239149, 0.2222219843214978396,
		0.1818357216161805012, 0.1531383769920937332, 0.1479819860511658591,
	} {
		l.rest[i] = m.float(c)
	}
	return l
}

// prepareLogSum loads what logSum needs beyond log.
func (l *logarithm) prepareLogSum() { l.unscale = l.bits(2046 << 52) }

// reduce returns f, k and the biased exponent e with x = 2ᵏ(1+f), e = k + 1023.
func (l *logarithm) reduce(x register) (f, k, e register) {
	b := l.addBits(x, l.offset)
	f = l.sub(l.addBits(l.and(b, l.mantissa), l.sqrtHalf), l.one)
	e = l.shiftRight(b, 52)
	return f, l.sub(l.or(e, l.exponent), l.bias), e // 2⁵² + e − (2⁵² + 1023)
}

// terms are those of log(1+f) = f − h + p, where p = s (h + R(z)), z = s².
type terms struct{ f, h, p, s, z register }

func (l *logarithm) terms(f register) terms {
	s := l.div(f, l.add(l.two, f))
	z := l.mul(s, s)
	w := l.mul(z, z)
	r := &l.rest
	t1 := l.mul(w, l.add(r[1], l.mul(w, l.add(r[3], l.mul(w, r[5])))))
	t2 := l.mul(z, l.add(r[0], l.mul(w, l.add(r[2], l.mul(w, l.add(r[4], l.mul(w, r[6])))))))
	h := l.mul(l.mul(l.half, f), f)
	return terms{f, h, l.mul(s, l.add(h, l.add(t1, t2))), s, z}
}

// sum returns k ln2Hi + low + log(1+f).
func (l *logarithm) sum(t terms, k, low register) register {
	return l.sub(l.mul(k, l.ln2Hi), l.sub(l.sub(t.h, l.add(t.p, low)), t.f))
}

// logSum is the function of that name.
func (l *logarithm) logSum(u, c register) register {
	f, k, e := l.reduce(u)
	c = l.mul(c, l.subBits(l.unscale, l.shiftLeft(e, 52)))
	t := l.terms(f)
	q := l.sub(l.one, t.s)
	q = l.mul(l.mul(q, q), l.add(l.one, t.z))
	return l.sum(t, k, l.add(l.mul(k, l.ln2Lo), l.mul(c, q)))
}
