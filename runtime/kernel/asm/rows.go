package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeAddRows and writeSubtractRows write the functions
//
//	addRowsAVX…(dst *float64, n int, f *float64, fStep int, b *float64, bStep, k int)
//	subtractRowsAVX…(the same)
//
// for n ≥ 1 elements and k ≥ 1 rows, see AddRows and SubtractRows. The elements of dst stay in registers while the rows
// pass: four vectors of them at a time, then two, then one, then what is left.
func writeAddRows(m *machine)      { writeRows(m, "addRows", (*rows).add) }
func writeSubtractRows(m *machine) { writeRows(m, "subtractRows", (*rows).subtract) }

// rows is where the loop over rows stands.
type rows struct {
	*machine
	f, b           reg.GPVirtual // the factor and the row that are next
	fStep, bStep   reg.GPVirtual // to the next ones, in bytes
	fThree, bThree reg.GPVirtual // three times as far
	left           reg.GPVirtual // how many rows are left
	name           string        // of the labels
	load           func(Mem) Op  // what a vector is loaded by
}

// factor is a vector of copies of factor l from here, l < 4.
func (r *rows) factor(l int) register { return r.broadcast(ahead4(r.f, r.fStep, r.fThree, l, 0)) }

// row is vector v of row l from here, l < 4.
func (r *rows) row(l, v int) Op {
	return r.load(ahead4(r.b, r.bStep, r.bThree, l, 8*r.width*v))
}

// ahead4 is the place that is l steps ahead, l < 4.
func ahead4(base, step, three reg.GPVirtual, l, displacement int) Mem {
	at := Mem{Base: base, Disp: displacement}
	switch l {
	case 1:
		at.Index, at.Scale = step, 1
	case 2:
		at.Index, at.Scale = step, 2
	case 3:
		at.Index, at.Scale = three, 1
	}
	return at
}

// each writes loops over the rows: by four as long as there are as many, then by one.
func (r *rows) each(four, one func()) {
	Label(r.name + "_four")
	CMPQ(r.left, Imm(4))
	JLT(LabelRef(r.name + "_one"))
	four()
	LEAQ(Mem{Base: r.f, Index: r.fStep, Scale: 4}, r.f)
	LEAQ(Mem{Base: r.b, Index: r.bStep, Scale: 4}, r.b)
	SUBQ(Imm(4), r.left)
	JMP(LabelRef(r.name + "_four"))

	Label(r.name + "_one")
	TESTQ(r.left, r.left)
	JEQ(LabelRef(r.name + "_end"))
	one()
	ADDQ(r.fStep, r.f)
	ADDQ(r.bStep, r.b)
	DECQ(r.left)
	JMP(LabelRef(r.name + "_one"))
	Label(r.name + "_end")
}

// add adds the products to the sums, those of four rows in pairs.
func (r *rows) add(sums []register) {
	r.each(func() {
		var f [4]register
		for l := range f {
			f[l] = r.factor(l)
		}
		for v, s := range sums {
			p := r.mul(f[0], r.row(0, v))
			r.addProduct(p, f[1], r.row(1, v))
			q := r.mul(f[2], r.row(2, v))
			r.addProduct(q, f[3], r.row(3, v))
			VADDPD(q, p, p)
			VADDPD(p, s, s)
		}
	}, func() {
		f := r.factor(0)
		for v, s := range sums {
			r.addProduct(s, f, r.row(0, v))
		}
	})
}

// subtract subtracts the products from the sums, one after the other.
func (r *rows) subtract(sums []register) {
	by := func(l int) {
		f := r.factor(l)
		for v, s := range sums {
			VSUBPD(r.mul(f, r.row(l, v)), s, s)
		}
	}
	r.each(func() {
		for l := range 4 {
			by(l)
		}
	}, func() { by(0) })
}

func writeRows(m *machine, name string, body func(*rows, []register)) {
	TEXT(name+m.suffix(), NOSPLIT, "func(dst *float64, n int, f *float64, fStep int, b *float64, bStep, k int)")
	Doc(name + m.suffix() + " is the vector form of " + name + ".")
	Pragma("noescape")
	get := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	dst, n, f, b, k := get("dst"), get("n"), get("f"), get("b"), get("k")
	r := &rows{machine: m, f: GP64(), b: GP64(), left: GP64(), fStep: get("fStep"), bStep: get("bStep"), fThree: GP64(), bThree: GP64()}
	for _, x := range [][2]reg.GPVirtual{{r.fStep, r.fThree}, {r.bStep, r.bThree}} {
		SHLQ(U8(3), x[0])
		LEAQ(Mem{Base: x[0], Index: x[0], Scale: 2}, x[1])
	}
	at := func(v int) Mem { return Mem{Base: dst, Disp: 8 * m.width * v} }
	from := func(name string, load func(Mem) Op) {
		r.name, r.load = name, load
		MOVQ(f, r.f)
		MOVQ(b, r.b)
		MOVQ(k, r.left)
	}
	stages := []int{4, 2, 1} // vectors at a time
	for stage, vectors := range stages {
		name, next, size := fmt.Sprintf("vectors%d", vectors), "tail", m.width*vectors
		if stage+1 < len(stages) {
			next = fmt.Sprintf("vectors%d", stages[stage+1])
		}
		Label(name)
		CMPQ(n, Imm(uint64(size)))
		JLT(LabelRef(next))
		from(name, func(at Mem) Op { return at })
		sums := make([]register, vectors)
		for v := range sums {
			sums[v] = m.load(at(v))
		}
		body(r, sums)
		for v, s := range sums {
			VMOVUPD(s, at(v))
		}
		for _, p := range []reg.GPVirtual{dst, b} {
			ADDQ(U32(uint32(8*size)), p)
		}
		SUBQ(Imm(uint64(size)), n)
		JMP(LabelRef(name))
	}

	Label("tail")
	TESTQ(n, n)
	JEQ(LabelRef("done"))
	t, zero := m.newTail(n), m.zero()
	load := func(at Mem) Op { return t.load(m, at, zero) }
	from("tail", load)
	sum := t.load(m, at(0), zero)
	body(r, []register{sum})
	t.store(m, sum, at(0))
	Label("done")
	VZEROUPPER()
	RET()
}
