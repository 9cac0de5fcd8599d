package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// columnSize is the size of a column of a panel in bytes.
const columnSize = 8 * panelRows

// panelRows is the number of rows of a panel.
const panelRows = 8

// perPanel returns how many vectors a column of a panel takes.
func (m *machine) perPanel() int { return panelRows / m.width }

// zero returns a vector of zeros.
func (m *machine) zero() register {
	r := m.register()
	VXORPD(r, r, r)
	return r
}

// zeros returns n vectors of zeros.
func (m *machine) zeros(n int) []register {
	all := make([]register, n)
	for i := range all {
		all[i] = m.zero()
	}
	return all
}

// broadcast returns a vector of copies of one number.
func (m *machine) broadcast(from Mem) register {
	r := m.register()
	VBROADCASTSD(from, r)
	return r
}

// addProduct adds x y to s.
func (m *machine) addProduct(s register, x, y Op) { VADDPD(m.mul(x, y), s, s) }

// A batch is vectors of the same column in consecutive panels.
type batch struct {
	*machine
	vectors             int
	stride, threeStride reg.Register // one panel and three in bytes
}

// panels returns the number of panels of b.
func (b batch) panels() int { return b.vectors / b.perPanel() }

// at returns vector v of the column at x in the first panel.
func (b batch) at(x reg.Register, v int) Mem {
	at := Mem{Base: x, Disp: v % b.perPanel() * 8 * b.width}
	switch v / b.perPanel() {
	case 1:
		at.Index, at.Scale = b.stride, 1
	case 2:
		at.Index, at.Scale = b.stride, 2
	case 3:
		at.Index, at.Scale = b.threeStride, 1
	}
	return at
}

// eachBatch writes a loop over n panels, the first at x and its results at dst: as
// many vectors at a time as given, then one panel at a time. Body computes sums
// for a batch and leaves x at the end of its first panel.
func (m *machine) eachBatch(vectors int, n, x, dst, stride reg.GPVirtual, body func(b batch, name string) []register) {
	b := batch{machine: m, vectors: vectors, stride: stride}
	if b.panels() > 3 {
		three := GP64()
		LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, three)
		b.threeStride = three
	}
	write := func(b batch, name, next string) {
		Label(name)
		CMPQ(n, Imm(uint64(b.panels())))
		JLT(LabelRef(next))
		for v, r := range body(b, name) {
			VMOVUPD(r, Mem{Base: dst, Disp: 8 * m.width * v})
		}
		for range b.panels() - 1 {
			ADDQ(stride, x)
		}
		ADDQ(U32(uint32(b.panels()*columnSize)), dst)
		SUBQ(Imm(uint64(b.panels())), n)
		JMP(LabelRef(name))
	}
	if b.panels() > 1 {
		write(b, "batch", "panel")
		b.vectors = m.perPanel()
	}
	write(b, "panel", "done")
	Label("done")
	VZEROUPPER()
	RET()
}

// writeLinearForms writes the function
//
//	linearFormsAVX…(dst []float64, panels [][8]float64, b []float64)
func writeLinearForms(m *machine) {
	const vectors = 4
	TEXT("linearForms"+m.suffix(), 0, "func(dst []float64, panels [][8]float64, b []float64)")
	Doc("linearForms" + m.suffix() + " is the vector form of linearForms.")
	Pragma("noescape")
	dst := Load(Param("dst").Base(), GP64()).(reg.GPVirtual)
	n := Load(Param("dst").Len(), GP64()).(reg.GPVirtual)
	x := Load(Param("panels").Base(), GP64()).(reg.GPVirtual)
	coefficients := Load(Param("b").Base(), GP64())
	k := Load(Param("b").Len(), GP64())
	SHRQ(Imm(3), n)
	stride := GP64()
	MOVQ(k, stride)
	SHLQ(Imm(6), stride)
	f, j := GP64(), GP64()
	m.eachBatch(vectors, n, x, dst, stride, func(b batch, name string) []register {
		sums := m.zeros(b.vectors)
		MOVQ(coefficients, f)
		MOVQ(k, j)
		Label(name + "_column")
		c := m.broadcast(Mem{Base: f})
		for v, s := range sums {
			m.addProduct(s, c, b.at(x, v))
		}
		ADDQ(Imm(8), f)
		ADDQ(Imm(columnSize), x)
		DECQ(j)
		JNE(LabelRef(name + "_column"))
		return sums
	})
}

// writeQuadraticForms writes the function
//
//	quadraticFormsAVX…(dst []float64, panels [][8]float64, w []float64, k int)
//
// It makes the sums over l for four rows of w at a time, after those rows that four
// leaves over.
func writeQuadraticForms(m *machine) {
	const vectors, rows = 2, 4
	TEXT("quadraticForms"+m.suffix(), 0, "func(dst []float64, panels [][8]float64, w []float64, k int)")
	Doc("quadraticForms" + m.suffix() + " is the vector form of quadraticForms.")
	Pragma("noescape")
	dst := Load(Param("dst").Base(), GP64()).(reg.GPVirtual)
	n := Load(Param("dst").Len(), GP64()).(reg.GPVirtual)
	x := Load(Param("panels").Base(), GP64()).(reg.GPVirtual)
	k := Load(Param("k"), GP64())
	SHRQ(Imm(3), n)
	stride, rowSize, threeRows := GP64(), GP64(), GP64()
	MOVQ(k, stride)
	SHLQ(Imm(6), stride)
	MOVQ(k, rowSize)
	SHLQ(Imm(3), rowSize)
	LEAQ(Mem{Base: rowSize, Index: rowSize, Scale: 2}, threeRows)

	j, l, row, w, c := GP64(), GP64(), GP64(), GP64(), GP64()
	entry := func(a, b int) Mem { // w_ab, rows and columns from where w is
		at := Mem{Base: w, Disp: 8 * b}
		switch a {
		case 1:
			at.Index, at.Scale = rowSize, 1
		case 2:
			at.Index, at.Scale = rowSize, 2
		case 3:
			at.Index, at.Scale = threeRows, 1
		}
		return at
	}
	m.eachBatch(vectors, n, x, dst, stride, func(b batch, name string) []register {
		forms := m.zeros(b.vectors)
		newSums := func(rows int) [][]register {
			sums := make([][]register, rows)
			for a := range sums {
				sums[a] = m.zeros(b.vectors)
			}
			return sums
		}
		// diagonal adds the terms with w_ab, b ≤ a; c is at column 0 of these.
		diagonal := func(sums [][]register) {
			for a, sum := range sums {
				for col := range a {
					f := m.broadcast(entry(a, col))
					for v, s := range sum {
						m.addProduct(s, f, b.at(c, v).Offset(col*columnSize))
					}
				}
				f := m.broadcast(entry(a, a))
				for v, s := range sum {
					x := m.load(b.at(c, v).Offset(a * columnSize))
					VADDPD(s, s, s)
					m.addProduct(s, f, x)
					m.addProduct(forms[v], s, x)
				}
			}
		}
		Load(Param("w").Base(), row)
		MOVQ(k, j)
		ANDQ(Imm(rows-1), j)
		for rest := 1; rest < rows; rest++ {
			next := fmt.Sprintf("%s_not%d", name, rest)
			CMPQ(j, Imm(uint64(rest)))
			JNE(LabelRef(next))
			MOVQ(row, w)
			MOVQ(x, c)
			diagonal(newSums(rest))
			for range rest {
				ADDQ(rowSize, row)
			}
			JMP(LabelRef(name + "_rows"))
			Label(next)
		}

		Label(name + "_rows")
		CMPQ(j, k)
		JGE(LabelRef(name + "_end"))
		sums := newSums(rows)
		MOVQ(row, w)
		MOVQ(x, c)
		MOVQ(j, l)
		TESTQ(l, l)
		JEQ(LabelRef(name + "_diagonal"))
		Label(name + "_column")
		values := make([]register, b.vectors)
		for v := range values {
			values[v] = m.load(b.at(c, v))
		}
		for a, sum := range sums {
			f := m.broadcast(entry(a, 0))
			for v, s := range sum {
				m.addProduct(s, f, values[v])
			}
		}
		ADDQ(Imm(8), w)
		ADDQ(Imm(columnSize), c)
		DECQ(l)
		JNE(LabelRef(name + "_column"))
		Label(name + "_diagonal")
		diagonal(sums)
		LEAQ(Mem{Base: row, Index: rowSize, Scale: rows}, row)
		ADDQ(Imm(rows), j)
		JMP(LabelRef(name + "_rows"))

		Label(name + "_end")
		ADDQ(stride, x)
		return forms
	})
}

// A lane sum is eight sums, of every eighth row each.
type laneSum []register

func (m *machine) newLaneSums(n int) []laneSum {
	sums := make([]laneSum, n)
	for i := range sums {
		sums[i] = m.zeros(m.perPanel())
	}
	return sums
}

// addTo adds the eight sums to the number at dst. It overwrites them.
func (s laneSum) addTo(m *machine, dst Mem) {
	high, four, two := XMM(), s[0].AsY(), s[0].AsX()
	if m.wide() {
		high := YMM()
		VEXTRACTF64X4(U8(1), s[0], high)
		VADDPD(high, four, four)
		VEXTRACTF64X2(U8(1), four, high.AsX())
		VADDPD(high.AsX(), two, two)
	} else {
		VADDPD(s[1], four, four)
		VEXTRACTF128(U8(1), four, high)
		VADDPD(high, two, two)
	}
	VUNPCKHPD(two, two, high)
	VADDSD(high, two, two)
	VADDSD(dst, two, two)
	VMOVSD(two, dst)
}

// eachPanel writes a loop over the panels of a block, with the weights of each: those of
// w, and of rest if it is not nil. Body adds the terms of the panel at x. The
// loop overwrites x.
func (m *machine) eachPanel(name string, x, stride reg.Register, body func(weights reg.Register)) {
	w, n, rest := GP64(), GP64(), GP64()
	Load(Param("w").Base(), w)
	Load(Param("w").Len(), n)
	Load(Param("rest"), rest)
	SHRQ(Imm(3), n)
	JEQ(LabelRef(name + "_rest"))
	Label(name)
	body(w)
	ADDQ(stride, x)
	ADDQ(Imm(columnSize), w)
	DECQ(n)
	JNE(LabelRef(name))
	Label(name + "_rest")
	TESTQ(rest, rest)
	JEQ(LabelRef(name + "_sums"))
	MOVQ(rest, w)
	XORQ(rest, rest)
	MOVQ(U32(1), n)
	JMP(LabelRef(name))
	Label(name + "_sums")
}

// vector returns part h of column c of the panel at x.
func (m *machine) vector(x reg.Register, c, h int) Mem {
	return Mem{Base: x, Disp: c*columnSize + h*8*m.width}
}

// writeFirstMoments writes the function
//
//	firstMomentsAVX…(dst []float64, block [][8]float64, w []float64, rest *[8]float64)
//
// The columns that are left over come first.
func writeFirstMoments(m *machine) {
	width := 8 // columns at a time, as many as there are registers for
	if !m.wide() {
		width = 4
	}
	TEXT("firstMoments"+m.suffix(), 0, "func(dst []float64, block [][8]float64, w []float64, rest *[8]float64)")
	Doc("firstMoments"+m.suffix()+" is the vector form of firstMoments. Rest has the weights",
		"of the last panel, with zeros, where those in w do not fill it.")
	Pragma("noescape")
	dst := Load(Param("dst").Base(), GP64())
	k := Load(Param("dst").Len(), GP64())
	first := Load(Param("block").Base(), GP64())
	stride, j, x := GP64(), GP64(), GP64()
	MOVQ(k, stride)
	SHLQ(Imm(6), stride)

	tile := func(columns int, name string) {
		sums := m.newLaneSums(columns)
		MOVQ(first, x)
		m.eachPanel(name, x, stride, func(weights reg.Register) {
			for h := range m.perPanel() {
				w := m.load(m.vector(weights, 0, h))
				for c, s := range sums {
					m.addProduct(s[h], w, m.vector(x, c, h))
				}
			}
		})
		for c, s := range sums {
			s.addTo(m, Mem{Base: dst, Disp: 8 * c})
		}
		ADDQ(U32(uint32(8*columns)), dst)
		ADDQ(U32(uint32(columnSize*columns)), first)
		SUBQ(Imm(uint64(columns)), k)
	}
	MOVQ(k, j)
	ANDQ(Imm(uint64(width-1)), j)
	for rest := 1; rest < width; rest++ {
		next := fmt.Sprintf("not%d", rest)
		CMPQ(j, Imm(uint64(rest)))
		JNE(LabelRef(next))
		tile(rest, fmt.Sprintf("columns%d", rest))
		JMP(LabelRef("columns"))
		Label(next)
	}
	Label("columns")
	TESTQ(k, k)
	JEQ(LabelRef("done"))
	tile(width, fmt.Sprintf("columns%d", width))
	JMP(LabelRef("columns"))
	Label("done")
	VZEROUPPER()
	RET()
}

// writeSecondMoments writes the function
//
//	secondMomentsAVX…(dst []float64, block [][8]float64, w []float64, rest *[8]float64, k int)
//
// It computes square tiles of dst, after those rows and columns that are left over.
func writeSecondMoments(m *machine) {
	side := 4 // of a tile, as far as there are registers for its sums
	if !m.wide() {
		side = 2
	}
	TEXT("secondMoments"+m.suffix(), 0, "func(dst []float64, block [][8]float64, w []float64, rest *[8]float64, k int)")
	Doc("secondMoments"+m.suffix()+" is the vector form of secondMoments. Rest has the weights",
		"of the last panel, with zeros, where those in w do not fill it.")
	Pragma("noescape")
	row := Load(Param("dst").Base(), GP64())    // of dst
	rows := Load(Param("block").Base(), GP64()) // column of X for this row
	k := Load(Param("k"), GP64())
	stride, rowSize, dst, x, other, j, l := GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(k, stride)
	SHLQ(Imm(6), stride)
	MOVQ(k, rowSize)
	SHLQ(Imm(3), rowSize)

	// tile adds to a tile at dst. On the diagonal it is a triangle. Other is the distance
	// from the column for its first row to that for its first column.
	tile := func(height, width int, diagonal bool, name string) {
		length := func(a int) int {
			if diagonal {
				return a + 1
			}
			return width
		}
		sums := make([][]laneSum, height)
		for a := range sums {
			sums[a] = m.newLaneSums(length(a))
		}
		MOVQ(rows, x)
		m.eachPanel(name, x, stride, func(weights reg.Register) {
			for h := range m.perPanel() {
				w := m.load(m.vector(weights, 0, h))
				weighted := make([]register, height)
				for a := range weighted {
					weighted[a] = m.mul(w, m.vector(x, a, h))
				}
				for b := range width {
					at := m.vector(x, b, h)
					if !diagonal {
						at.Index, at.Scale = other, 1
					}
					v := m.load(at)
					for a, s := range sums {
						if b < length(a) {
							m.addProduct(s[b][h], weighted[a], v)
						}
					}
				}
			}
		})
		d := GP64()
		MOVQ(dst, d)
		for a, row := range sums {
			for b, s := range row {
				s.addTo(m, Mem{Base: d, Disp: 8 * b})
			}
			if a+1 < len(sums) {
				ADDQ(rowSize, d)
			}
		}
	}
	down := func(n int) { // to the next rows
		ADDQ(U32(uint32(columnSize*n)), rows)
		for range n {
			ADDQ(rowSize, row)
		}
	}

	MOVQ(k, j)
	ANDQ(Imm(uint64(side-1)), j)
	for rest := 1; rest < side; rest++ {
		next := fmt.Sprintf("not%d", rest)
		CMPQ(j, Imm(uint64(rest)))
		JNE(LabelRef(next))
		MOVQ(row, dst)
		tile(rest, rest, true, fmt.Sprintf("triangle%d", rest))
		down(rest)
		JMP(LabelRef("rows"))
		Label(next)
	}

	Label("rows")
	Load(Param("k"), k)
	CMPQ(j, k)
	JGE(LabelRef("done"))
	Load(Param("block").Base(), other)
	SUBQ(rows, other)
	MOVQ(row, dst)
	MOVQ(j, l)
	ANDQ(Imm(uint64(side-1)), l)
	right := func(n int) { // to the next columns
		ADDQ(U32(uint32(columnSize*n)), other)
		ADDQ(U32(uint32(8*n)), dst)
	}
	for rest := 1; rest < side; rest++ {
		next := fmt.Sprintf("row_not%d", rest)
		CMPQ(l, Imm(uint64(rest)))
		JNE(LabelRef(next))
		tile(side, rest, false, fmt.Sprintf("tile%d", rest))
		right(rest)
		JMP(LabelRef("tiles"))
		Label(next)
	}
	Label("tiles")
	TESTQ(other, other)
	JEQ(LabelRef("diagonal"))
	tile(side, side, false, fmt.Sprintf("tile%d", side))
	right(side)
	JMP(LabelRef("tiles"))
	Label("diagonal")
	tile(side, side, true, fmt.Sprintf("triangle%d", side))
	down(side)
	ADDQ(Imm(uint64(side)), j)
	JMP(LabelRef("rows"))

	Label("done")
	VZEROUPPER()
	RET()
}
