package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A function is an elementwise function. Prepare loads constants before the
// loop, and returns what the loop does.
type function struct {
	name    string
	prepare func(*machine) loop
}

// A loop computes value(x, first(x)).
type loop struct {
	plain func(x register, label string) // jumps to the label unless all of x is plain
	first func(x register) []register    // nil for none
	value func(x register, parts []register) register
}

// ahead is how many elements a block has, see write.
const ahead = 64

// maxParts is how many results first may have.
const maxParts = 2

// write writes the function
//
//	nameAVX…(dst, a []float64) (done int)
//
// which sets dst_i = f(a_i) for i < done: all elements, or those before a
// vector that is not plain.
//
// Values that are long chains of dependent operations are computed in blocks:
// first for a block, then value. The processor looks at a limited number of
// instructions at a time, and finds more independent ones among them in two
// short loops than in one long one.
func (f function) write(m *machine) {
	TEXT(f.name+m.suffix(), 0, "func(dst, a []float64) (done int)")
	Doc(f.name + m.suffix() + " is the vector form of " + f.name + ", see vectors.")
	Pragma("noescape")
	dst := Load(Param("dst").Base(), GP64())
	a := Load(Param("a").Base(), GP64())
	n := Load(Param("dst").Len(), GP64())
	l := f.prepare(m)
	one := m.float(1)
	i, last := GP64(), GP64()
	XORQ(i, i)
	if l.first == nil {
		l.first = func(register) []register { return nil }
	} else {
		writeBlocks(m, l, dst, a, n, i)
	}

	Label("vectors")
	LEAQ(Mem{Base: n, Disp: -m.width}, last)
	Label("vector")
	CMPQ(i, last)
	JGT(LabelRef("tail"))
	x := m.load(element(a, i))
	l.plain(x, "done")
	VMOVUPD(l.value(x, l.first(x)), element(dst, i))
	ADDQ(Imm(uint64(m.width)), i)
	JMP(LabelRef("vector"))

	Label("tail")
	rest := GP64()
	MOVQ(n, rest)
	SUBQ(i, rest)
	JEQ(LabelRef("done"))
	t := m.newTail(rest)
	x = t.load(m, element(a, i), one)
	l.plain(x, "done")
	t.store(m, l.value(x, l.first(x)), element(dst, i))
	MOVQ(n, i)

	Label("done")
	VZEROUPPER()
	Store(i, Return("done"))
	RET()
}

// writeBlocks writes the loop over blocks. It ends with less than a block left,
// or a block that is not plain.
func writeBlocks(m *machine, l loop, dst, a, n, i reg.Register) {
	last, from, j, scratch := GP64(), GP64(), GP64(), GP64()
	LEAQ(m.local(maxParts*8*ahead), scratch)
	LEAQ(Mem{Base: n, Disp: -ahead}, last)

	Label("block")
	CMPQ(i, last)
	JGT(LabelRef("vectors"))
	MOVQ(i, from)
	XORQ(j, j)
	Label("first")
	x := m.load(element(a, from))
	l.plain(x, "vectors")
	parts := l.first(x)
	for p, r := range parts {
		VMOVUPD(r, element(scratch, j).Offset(p*8*ahead))
	}
	ADDQ(Imm(uint64(m.width)), from)
	ADDQ(Imm(uint64(m.width)), j)
	CMPQ(j, U32(ahead))
	JLT(LabelRef("first"))

	XORQ(j, j)
	Label("second")
	for p := range parts {
		parts[p] = m.load(element(scratch, j).Offset(p * 8 * ahead))
	}
	VMOVUPD(l.value(m.load(element(a, i)), parts), element(dst, i))
	ADDQ(Imm(uint64(m.width)), i)
	ADDQ(Imm(uint64(m.width)), j)
	CMPQ(j, U32(ahead))
	JLT(LabelRef("second"))
	JMP(LabelRef("block"))
}

// element returns the place of the float64 with index i.
func element(base, i reg.Register) Mem { return Mem{Base: base, Index: i, Scale: 8} }

// writeProducts writes the function
//
//	productsAVX…(p, s *[8]float64, a []float64) (done int)
//
// which does what products does with a_i for i < done. Eight divides done.
func writeProducts(m *machine) {
	TEXT("products"+m.suffix(), 0, "func(p, s *[8]float64, a []float64) (done int)")
	Doc("products" + m.suffix() + " is the vector form of products.")
	Pragma("noescape")
	products := Load(Param("p"), GP64())
	sums := Load(Param("s"), GP64())
	a := Load(Param("a").Base(), GP64())
	n := Load(Param("a").Len(), GP64())
	e := newExponential(m)
	sign, zero := m.bits(1<<63), m.float(0)
	parts := 8 / m.width
	var p, s [2]register
	for k := range parts {
		p[k] = m.load(Mem{Base: products, Disp: 8 * m.width * k})
		s[k] = m.load(Mem{Base: sums, Disp: 8 * m.width * k})
	}
	i, last := GP64(), GP64()
	XORQ(i, i)
	LEAQ(Mem{Base: n, Disp: -8}, last)

	Label("loop")
	CMPQ(i, last)
	JGT(LabelRef("done"))
	for k := range parts {
		e.plain(m.load(element(a, i).Offset(8*m.width*k)), "done")
	}
	for k := range parts {
		x := m.load(element(a, i).Offset(8 * m.width * k))
		v := m.add(e.parts(m.or(x, sign)))
		VADDPD(m.add(v, m.mul(p[k], v)), p[k], p[k])
		VADDPD(m.max(x, zero), s[k], s[k])
	}
	ADDQ(Imm(8), i)
	JMP(LabelRef("loop"))

	Label("done")
	for k := range parts {
		VMOVUPD(p[k], Mem{Base: products, Disp: 8 * m.width * k})
		VMOVUPD(s[k], Mem{Base: sums, Disp: 8 * m.width * k})
	}
	VZEROUPPER()
	Store(i, Return("done"))
	RET()
}
