package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A machine writes operations on vectors of width float64s into one function:
// 4 for AVX2, 8 for AVX-512 (F, DQ and VL).
type machine struct {
	width     int
	registers int           // how many are left for constants
	loaded    map[uint64]Op // constants by their bits

	frame  reg.GPVirtual // local memory
	framed int           // bytes of it in use

	table, offsets reg.GPVirtual // for lookup
}

type register = reg.VecVirtual

func newMachine(width int) *machine {
	m := &machine{width: width, loaded: map[uint64]Op{}}
	if m.wide() {
		m.registers = 21 // of 32; the values need the others
	}
	return m
}

func (m *machine) wide() bool { return m.width == 8 }

// suffix ends the names of functions.
func (m *machine) suffix() string {
	if m.wide() {
		return "AVX512"
	}
	return "AVX2"
}

func (m *machine) register() register {
	if m.wide() {
		return ZMM()
	}
	return YMM()
}

// constants holds the constants of all functions in the order of their first
// use. In memory each stands eight times.
var constants []uint64

const constantSize = 8 * 8

func defineConstants() {
	GLOBL("constants", RODATA|NOPTR)
	for i, v := range constants {
		for j := range 8 {
			DATA(i*constantSize+j*8, U64(v))
		}
	}
}

// float returns an operand with x in all elements: a register that is loaded
// where float is called, or if there is none left, a place in memory.
func (m *machine) float(x float64) Op { return m.bits(math.Float64bits(x)) }

// bits is float for the bits of the elements.
func (m *machine) bits(x uint64) Op {
	if c, ok := m.loaded[x]; ok {
		return c
	}
	i := 0
	for i < len(constants) && constants[i] != x {
		i++
	}
	if i == len(constants) {
		constants = append(constants, x)
	}
	at := NewDataAddr(NewStaticSymbol("constants"), i*constantSize)
	m.loaded[x] = at
	if m.registers > 0 {
		m.registers--
		m.loaded[x] = m.load(at)
	}
	return m.loaded[x]
}

// local returns size bytes of local memory. They begin where no vector crosses
// a cache line.
func (m *machine) local(size int) Mem {
	const line = 64
	if m.frame == nil {
		m.frame = GP64()
		LEAQ(AllocLocal(2*line+maxParts*8*ahead).Offset(line-1), m.frame)
		ANDQ(I32(-line), m.frame)
	}
	at := Mem{Base: m.frame, Disp: m.framed}
	m.framed += (size + line - 1) / line * line
	return at
}

func (m *machine) load(from Mem) register {
	r := m.register()
	VMOVUPD(from, r)
	return r
}

// apply writes r = x op y. Only the second operand of an instruction may be in
// memory.
func (m *machine) apply(op func(...Op), x, y Op) register {
	if at, ok := x.(Mem); ok {
		x = m.load(at)
	}
	r := m.register()
	op(y, x, r)
	return r
}

// commute is apply for operations where x op y = y op x.
func (m *machine) commute(op func(...Op), x, y Op) register {
	if IsMem(x) {
		x, y = y, x
	}
	return m.apply(op, x, y)
}

func (m *machine) add(x, y Op) register { return m.commute(VADDPD, x, y) }
func (m *machine) sub(x, y Op) register { return m.apply(VSUBPD, x, y) }
func (m *machine) mul(x, y Op) register { return m.commute(VMULPD, x, y) }
func (m *machine) div(x, y Op) register { return m.apply(VDIVPD, x, y) }
func (m *machine) min(x, y Op) register { return m.commute(VMINPD, x, y) }
func (m *machine) max(x, y Op) register { return m.commute(VMAXPD, x, y) }
func (m *machine) and(x, y Op) register { return m.commute(VANDPD, x, y) }
func (m *machine) or(x, y Op) register  { return m.commute(VORPD, x, y) }
func (m *machine) xor(x, y Op) register { return m.commute(VXORPD, x, y) }

// addBits, subBits, shiftLeft and shiftRight take the elements as integers.
func (m *machine) addBits(x, y Op) register { return m.commute(VPADDQ, x, y) }
func (m *machine) subBits(x, y Op) register { return m.apply(VPSUBQ, x, y) }

func (m *machine) shiftLeft(x register, n uint8) register {
	r := m.register()
	VPSLLQ(U8(n), x, r)
	return r
}

func (m *machine) shiftRight(x register, n uint8) register {
	r := m.register()
	VPSRLQ(U8(n), x, r)
	return r
}

// prepareLookup loads what lookup needs.
func (m *machine) prepareLookup() {
	m.table, m.offsets = GP64(), GP64()
	LEAQ(NewDataAddr(Symbol{Name: "·expTable"}, 0), m.table)
	LEAQ(m.local(8*m.width), m.offsets)
}

// lookup returns the entries of expTable with the given offsets in bytes: a
// vector of bits and one of tails. It loads an entry as a pair, which is
// faster than two of the processors' gathers.
func (m *machine) lookup(offsets register) (bits, tails register) {
	VMOVUPD(offsets, Mem{Base: m.offsets})
	entry := func(i int) Mem {
		offset := GP64()
		MOVQ(Mem{Base: m.offsets, Disp: 8 * i}, offset)
		return Mem{Base: m.table, Index: offset, Scale: 1}
	}
	// The entries i, i+2, i+4, i+6, or i and i+2. To unpack even and odd ones
	// puts them in order.
	pairs := func(i int) register {
		lo, hi := YMM(), YMM()
		if !m.wide() {
			VBROADCASTF128(entry(i), lo)
			VINSERTF128(U8(1), entry(i+2), lo, lo)
			return lo
		}
		VBROADCASTF64X2(entry(i), lo)
		VINSERTF64X2(U8(1), entry(i+2), lo, lo)
		VBROADCASTF64X2(entry(i+4), hi)
		VINSERTF64X2(U8(1), entry(i+6), hi, hi)
		r := m.register()
		VINSERTF64X4(U8(1), hi, lo.AsZ(), r)
		return r
	}
	even, odd := pairs(0), pairs(1)
	return m.apply(VUNPCKLPD, even, odd), m.apply(VUNPCKHPD, even, odd)
}

// A comparison is x op bound.
type comparison struct {
	op    predicate
	bound Op
}

// A predicate is one of VCMPPD's. NaN fulfils none of these.
type predicate uint8

const (
	lessEqual    predicate = 0x12
	greaterEqual predicate = 0x1d
	greater      predicate = 0x1e
)

// demand jumps to the label unless all elements of x fulfil all comparisons.
func (m *machine) demand(label string, x register, all ...comparison) {
	if m.wide() {
		k := K()
		VCMPPD(U8(all[0].op), all[0].bound, x, k)
		for _, c := range all[1:] {
			both := K()
			VCMPPD(U8(c.op), c.bound, x, k, both)
			k = both
		}
		KORTESTB(k, k) // carry says that all bits are set
		JCC(LabelRef(label))
		return
	}
	ok := m.register()
	VCMPPD(U8(all[0].op), all[0].bound, x, ok)
	for _, c := range all[1:] {
		r := m.register()
		VCMPPD(U8(c.op), c.bound, x, r)
		ok = m.and(ok, r)
	}
	signs := GP32()
	VMOVMSKPD(ok, signs)
	CMPL(signs, U32(1<<m.width-1))
	JNE(LabelRef(label))
}

// A tail is the mask of the first elements of a vector.
type tail struct {
	k    reg.OpmaskVirtual // AVX-512
	ones register          // AVX2
}

// newTail returns the mask of the first n < width elements.
func (m *machine) newTail(n reg.GPVirtual) tail { return m.newTails(n, 1)[0] }

// newTails returns the masks of the first n < 8 elements of consecutive vectors of
// together at most eight.
func (m *machine) newTails(n reg.GPVirtual, vectors int) []tail {
	if m.wide() {
		mask := GP32()
		MOVL(U32(1), mask)
		MOVQ(n, reg.RCX)
		SHLL(reg.CL, mask)
		DECL(mask)
		k := K()
		KMOVB(mask, k)
		return []tail{{k: k}}
	}
	at := GP64()
	LEAQ(NewDataAddr(NewStaticSymbol("ones"), 8*ones), at)
	SHLQ(U8(3), n)
	SUBQ(n, at)
	tails := make([]tail, vectors)
	for v := range tails {
		tails[v].ones = m.load(Mem{Base: at, Disp: 8 * m.width * v})
	}
	return tails
}

// ones is the number of ones in the table of that name, and of zeros behind them: n of
// the ones and what follows is a mask.
const ones = 8

func defineOnes() {
	GLOBL("ones", RODATA|NOPTR)
	for i := range 2 * ones {
		v := uint64(0)
		if i < ones {
			v--
		}
		DATA(8*i, U64(v))
	}
}

// load loads the elements of the tail; the others become those of fill.
func (t tail) load(m *machine, from Mem, fill Op) register {
	x := m.register()
	VMOVUPD(fill, x)
	if m.wide() {
		VMOVUPD(from, t.k, x)
		return x
	}
	y := m.register()
	VMASKMOVPD(from, t.ones, y)
	VBLENDVPD(t.ones, y, x, x)
	return x
}

// store stores the elements of the tail.
func (t tail) store(m *machine, x register, to Mem) {
	if m.wide() {
		VMOVUPD(x, t.k, to)
	} else {
		VMASKMOVPD(x, t.ones, to)
	}
}
