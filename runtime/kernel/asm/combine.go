package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// maxTerms is the number of terms of the largest combination.
const maxTerms = 9

// writeCombinations writes the functions
//
//	combineNAVX2(dst, y, x *float64, n int, rows *[9]int, w *[9]float64, h float64)
//
// for N = 1 … 9, see Combination.AddTo. There are n ≥ 4 elements.
func writeCombinations() {
	for terms := 1; terms <= maxTerms; terms++ {
		writeCombination(newMachine(4), terms)
	}
}

func writeCombination(m *machine, terms int) {
	name := fmt.Sprintf("combine%d%s", terms, m.suffix())
	TEXT(name, NOSPLIT, "func(dst, y, x *float64, n int, rows *[9]int, w *[9]float64, h float64)")
	Doc(fmt.Sprintf("%s is the vector form of combine%d.", name, terms))
	Pragma("noescape")
	dst := Load(Param("dst"), GP64())
	n := Load(Param("n"), GP64()).(reg.GPVirtual)
	y := Load(Param("y"), GP64())
	x := Load(Param("x"), GP64())
	rows := Load(Param("rows"), GP64())
	w := Load(Param("w"), GP64())
	h := m.register()
	VBROADCASTSD(NewParamAddr("h", 48), h)
	at, f := make([]reg.GPVirtual, terms), make([]register, terms)
	for j := range terms {
		at[j] = GP64()
		MOVQ(Mem{Base: rows, Disp: 8 * j}, at[j])
		IMULQ(n, at[j])
		LEAQ(Mem{Base: x, Index: at[j], Scale: 8}, at[j])
		f[j] = m.mul(h, m.broadcast(Mem{Base: w, Disp: 8 * j}))
	}
	// sum computes one vector, whose parts load loads.
	sum := func(load func(Mem) Op, i reg.Register) register {
		products := make([]func() register, terms)
		for j := range terms {
			products[j] = func() register { return m.mul(f[j], load(element(at[j], i))) }
		}
		return m.add(m.tree(products), load(element(y, i)))
	}
	i := GP64()
	XORQ(i, i)
	SUBQ(Imm(uint64(m.width)), n)
	Label("vector")
	CMPQ(i, n)
	JGT(LabelRef("tail"))
	VMOVUPD(sum(func(at Mem) Op { return at }, i), element(dst, i))
	ADDQ(Imm(uint64(m.width)), i)
	JMP(LabelRef("vector"))

	// The last vector overlaps the one before.
	Label("tail")
	SUBQ(Imm(uint64(m.width)), i)
	CMPQ(i, n)
	JEQ(LabelRef("done"))
	VMOVUPD(sum(func(at Mem) Op { return at }, n), element(dst, n))
	Label("done")
	VZEROUPPER()
	RET()
}

// tree adds values as AddTo does, computed when they are needed, so that few registers hold any.
func (m *machine) tree(x []func() register) register {
	half := 1
	switch n := len(x); {
	case n == 1:
		return x[0]()
	case n == maxTerms:
		half = 6
	default:
		for half*2 < n {
			half *= 2
		}
	}
	a := m.tree(x[:half])
	return m.add(a, m.tree(x[half:]))
}

// writeLargestScaled writes the function
//
//	largestScaledAVX2(a, b, y, z []float64, atol, rtol float64, out *[3][4]float64)
//
// which sets the first two rows of out to the largest of each element of vectors, NaN aside, and the third to bits
// that are not all zero if there is a NaN, see LargestScaled. There are at least four elements.
func writeLargestScaled() {
	m := newMachine(4)
	TEXT("largestScaledAVX2", NOSPLIT, "func(a, b, y, z []float64, atol, rtol float64, out *[3][4]float64)")
	Doc("largestScaledAVX2 is the vector form of LargestScaled.")
	Pragma("noescape")
	a := Load(Param("a").Base(), GP64())
	n := Load(Param("a").Len(), GP64()).(reg.GPVirtual)
	b := Load(Param("b").Base(), GP64())
	y := Load(Param("y").Base(), GP64())
	z := Load(Param("z").Base(), GP64())
	out := Load(Param("out"), GP64())
	atol, rtol := m.register(), m.register()
	VBROADCASTSD(NewParamAddr("atol", 96), atol)
	VBROADCASTSD(NewParamAddr("rtol", 104), rtol)
	one, positive := m.float(1), m.bits(1<<63-1)
	p, q, nan := m.zero(), m.zero(), m.zero()
	body := func(i reg.Register) {
		u, v := m.and(positive, element(y, i)), m.and(positive, element(z, i))
		unordered := m.register()
		VCMPPD(U8(3), u, v, unordered)
		VORPD(unordered, nan, nan)
		r := m.div(one, m.add(atol, m.mul(rtol, m.max(u, v))))
		e, f := m.and(positive, m.mul(r, element(a, i))), m.and(positive, m.mul(r, element(b, i)))
		VCMPPD(U8(3), e, f, unordered)
		VORPD(unordered, nan, nan)
		// Of two operands of which one is NaN the second remains: the largest so far.
		VMAXPD(p, e, p)
		VMAXPD(q, f, q)
	}
	i := GP64()
	XORQ(i, i)
	SUBQ(Imm(uint64(m.width)), n)
	Label("vector")
	CMPQ(i, n)
	JGT(LabelRef("tail"))
	body(i)
	ADDQ(Imm(uint64(m.width)), i)
	JMP(LabelRef("vector"))
	Label("tail")
	SUBQ(Imm(uint64(m.width)), i)
	CMPQ(i, n)
	JEQ(LabelRef("done"))
	body(n)
	Label("done")
	for k, r := range []register{p, q, nan} {
		VMOVUPD(r, Mem{Base: out, Disp: 32 * k})
	}
	VZEROUPPER()
	RET()
}
