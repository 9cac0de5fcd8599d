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

// eachBatch writes a loop over n rows, with the first panel at x and results at dst: as
// many vectors at a time as given, then one panel at a time. Body computes the
// results of a batch and leaves x at the end of its first panel.
func (m *machine) eachBatch(vectors int, n, x, dst, stride reg.GPVirtual, body func(b batch, name string) []register) {
	b := batch{machine: m, vectors: vectors, stride: stride}
	if b.panels() > 3 {
		three := GP64()
		LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, three)
		b.threeStride = three
	}
	at := func(v int) Mem { return Mem{Base: dst, Disp: 8 * m.width * v} }
	if b.panels() > 1 {
		rows := uint64(b.panels() * panelRows)
		Label("batch")
		CMPQ(n, Imm(rows))
		JLT(LabelRef("panel"))
		for v, r := range body(b, "batch") {
			VMOVUPD(r, at(v))
		}
		for range b.panels() - 1 {
			ADDQ(stride, x)
		}
		ADDQ(U32(8*uint32(rows)), dst)
		SUBQ(Imm(rows), n)
		JMP(LabelRef("batch"))
		b.vectors = m.perPanel()
	}
	Label("panel")
	TESTQ(n, n)
	JEQ(LabelRef("done"))
	results := body(b, "panel")
	CMPQ(n, Imm(panelRows))
	JLT(LabelRef("rest"))
	for v, r := range results {
		VMOVUPD(r, at(v))
	}
	ADDQ(Imm(columnSize), dst)
	SUBQ(Imm(panelRows), n)
	JMP(LabelRef("panel"))

	Label("rest")
	for v, t := range m.newTails(n, b.vectors) {
		t.store(m, results[v], at(v))
	}
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

// quadratic is the quadratic forms of a batch, some rows of w at a time.
type quadratic struct {
	batch
	forms              []register
	w, c               reg.Register // the entry of w and the column of the batch that are next
	rowSize, threeRows reg.Register // one row of w and three in bytes
}

// entry returns w_ab, rows and columns from where w is.
func (q *quadratic) entry(a, b int) Mem {
	at := Mem{Base: q.w, Disp: 8 * b}
	switch a {
	case 1:
		at.Index, at.Scale = q.rowSize, 1
	case 2:
		at.Index, at.Scale = q.rowSize, 2
	case 3:
		at.Index, at.Scale = q.threeRows, 1
	}
	return at
}

// sums returns the sums over l of so many rows, at 0.
func (q *quadratic) sums(rows int) [][]register {
	sums := make([][]register, rows)
	for a := range sums {
		sums[a] = q.zeros(q.vectors)
	}
	return sums
}

// diagonal adds the terms with w_ab, b ≤ a, to the forms; c is at column 0 of these.
func (q *quadratic) diagonal(sums [][]register) {
	for a, sum := range sums {
		for col := range a {
			f := q.broadcast(q.entry(a, col))
			for v, s := range sum {
				q.addProduct(s, f, q.at(q.c, v).Offset(col*columnSize))
			}
		}
		f := q.broadcast(q.entry(a, a))
		for v, s := range sum {
			x := q.load(q.at(q.c, v).Offset(a * columnSize))
			VADDPD(s, s, s)
			q.addProduct(s, f, x)
			q.addProduct(q.forms[v], s, x)
		}
	}
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
	stride, rowSize, threeRows := GP64(), GP64(), GP64()
	MOVQ(k, stride)
	SHLQ(Imm(6), stride)
	MOVQ(k, rowSize)
	SHLQ(Imm(3), rowSize)
	LEAQ(Mem{Base: rowSize, Index: rowSize, Scale: 2}, threeRows)

	j, l, row, w, c := GP64(), GP64(), GP64(), GP64(), GP64()
	m.eachBatch(vectors, n, x, dst, stride, func(b batch, name string) []register {
		q := quadratic{batch: b, forms: m.zeros(b.vectors), w: w, c: c, rowSize: rowSize, threeRows: threeRows}
		Load(Param("w").Base(), row)
		MOVQ(k, j)
		ANDQ(Imm(rows-1), j)
		for rest := 1; rest < rows; rest++ {
			next := fmt.Sprintf("%s_not%d", name, rest)
			CMPQ(j, Imm(uint64(rest)))
			JNE(LabelRef(next))
			MOVQ(row, w)
			MOVQ(x, c)
			q.diagonal(q.sums(rest))
			for range rest {
				ADDQ(rowSize, row)
			}
			JMP(LabelRef(name + "_rows"))
			Label(next)
		}

		Label(name + "_rows")
		CMPQ(j, k)
		JGE(LabelRef(name + "_end"))
		sums := q.sums(rows)
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
			f := m.broadcast(q.entry(a, 0))
			for v, s := range sum {
				m.addProduct(s, f, values[v])
			}
		}
		ADDQ(Imm(8), w)
		ADDQ(Imm(columnSize), c)
		DECQ(l)
		JNE(LabelRef(name + "_column"))
		Label(name + "_diagonal")
		q.diagonal(sums)
		LEAQ(Mem{Base: row, Index: rowSize, Scale: rows}, row)
		ADDQ(Imm(rows), j)
		JMP(LabelRef(name + "_rows"))

		Label(name + "_end")
		ADDQ(stride, x)
		return q.forms
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

// writeRest copies those weights of a block that do not fill a panel to local memory,
// and zeros behind them. It returns where.
func (m *machine) writeRest() Mem {
	at := AllocLocal(columnSize)
	w, n := GP64(), GP64()
	Load(Param("w").Base(), w)
	Load(Param("w").Len(), n)
	MOVQ(n, reg.RAX)
	ANDQ(Imm(panelRows-1), n)
	JEQ(LabelRef("full"))
	SUBQ(n, reg.RAX)
	LEAQ(Mem{Base: w, Index: reg.RAX, Scale: 8}, w)
	zero := m.zero()
	for h, t := range m.newTails(n, m.perPanel()) {
		VMOVUPD(t.load(m, Mem{Base: w, Disp: 8 * m.width * h}, zero), at.Offset(8*m.width*h))
	}
	Label("full")
	return at
}

// eachPanel writes a loop over the panels of a block, with the weights of each; rest is
// what writeRest returned. Body adds the terms of the panel at x. The loop
// overwrites x.
func (m *machine) eachPanel(name string, rest Mem, x, stride reg.Register, body func(weights reg.Register)) {
	w, n, more := GP64(), GP64(), GP64()
	Load(Param("w").Base(), w)
	Load(Param("w").Len(), n)
	MOVQ(n, more)
	ANDQ(Imm(panelRows-1), more)
	SHRQ(Imm(3), n)
	JEQ(LabelRef(name + "_rest"))
	Label(name)
	body(w)
	ADDQ(stride, x)
	ADDQ(Imm(columnSize), w)
	DECQ(n)
	JNE(LabelRef(name))
	Label(name + "_rest")
	TESTQ(more, more)
	JEQ(LabelRef(name + "_sums"))
	LEAQ(rest, w)
	XORQ(more, more)
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
//	firstMomentsAVX…(dst []float64, block [][8]float64, w []float64)
//
// The columns that are left over come first.
func writeFirstMoments(m *machine) {
	width := 8 // columns at a time, as many as there are registers for
	if !m.wide() {
		width = 4
	}
	TEXT("firstMoments"+m.suffix(), 0, "func(dst []float64, block [][8]float64, w []float64)")
	Doc("firstMoments" + m.suffix() + " is the vector form of firstMoments.")
	Pragma("noescape")
	rest := m.writeRest()
	dst := Load(Param("dst").Base(), GP64())
	k := Load(Param("dst").Len(), GP64())
	first := Load(Param("block").Base(), GP64())
	stride, j, x := GP64(), GP64(), GP64()
	MOVQ(k, stride)
	SHLQ(Imm(6), stride)

	tile := func(columns int, name string) {
		sums := m.newLaneSums(columns)
		MOVQ(first, x)
		m.eachPanel(name, rest, x, stride, func(weights reg.Register) {
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
	for over := 1; over < width; over++ {
		next := fmt.Sprintf("not%d", over)
		CMPQ(j, Imm(uint64(over)))
		JNE(LabelRef(next))
		tile(over, fmt.Sprintf("columns%d", over))
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

// tiles is where writeSecondMoments stands: the weights that fill no panel, and registers.
type tiles struct {
	*machine
	weights         Mem
	row             reg.Register // of dst
	rows            reg.Register // column of X for this row
	stride, rowSize reg.Register // a panel and a row of dst in bytes
	dst             reg.Register // the tile
	x               reg.Register // overwritten by the loop over panels
	other           reg.Register // from the column for the tile's first row to that for its first column
}

// tile adds to a tile at dst. On the diagonal it is a triangle.
func (t *tiles) tile(height, width int, diagonal bool, name string) {
	length := func(a int) int {
		if diagonal {
			return a + 1
		}
		return width
	}
	sums := make([][]laneSum, height)
	for a := range sums {
		sums[a] = t.newLaneSums(length(a))
	}
	MOVQ(t.rows, t.x)
	t.eachPanel(name, t.weights, t.x, t.stride, func(weights reg.Register) {
		for h := range t.perPanel() {
			w := t.load(t.vector(weights, 0, h))
			weighted := make([]register, height)
			for a := range weighted {
				weighted[a] = t.mul(w, t.vector(t.x, a, h))
			}
			for b := range width {
				at := t.vector(t.x, b, h)
				if !diagonal {
					at.Index, at.Scale = t.other, 1
				}
				v := t.load(at)
				for a, s := range sums {
					if b < length(a) {
						t.addProduct(s[b][h], weighted[a], v)
					}
				}
			}
		}
	})
	d := GP64()
	MOVQ(t.dst, d)
	for a, row := range sums {
		for b, s := range row {
			s.addTo(t.machine, Mem{Base: d, Disp: 8 * b})
		}
		if a+1 < len(sums) {
			ADDQ(t.rowSize, d)
		}
	}
}

// down goes to the next n rows.
func (t *tiles) down(n int) {
	ADDQ(U32(uint32(columnSize*n)), t.rows)
	for range n {
		ADDQ(t.rowSize, t.row)
	}
}

// right goes to the next n columns.
func (t *tiles) right(n int) {
	ADDQ(U32(uint32(columnSize*n)), t.other)
	ADDQ(U32(uint32(8*n)), t.dst)
}

// writeSecondMoments writes the function
//
//	secondMomentsAVX…(dst []float64, block [][8]float64, w []float64, k int)
//
// It computes square tiles of dst, after those rows and columns that are left over.
func writeSecondMoments(m *machine) {
	side := 4 // of a tile, as far as there are registers for its sums
	if !m.wide() {
		side = 2
	}
	TEXT("secondMoments"+m.suffix(), 0, "func(dst []float64, block [][8]float64, w []float64, k int)")
	Doc("secondMoments" + m.suffix() + " is the vector form of secondMoments.")
	Pragma("noescape")
	rest := m.writeRest()
	row := Load(Param("dst").Base(), GP64())    // of dst
	rows := Load(Param("block").Base(), GP64()) // column of X for this row
	k := Load(Param("k"), GP64())
	stride, rowSize, dst, x, other, j, l := GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	t := tiles{machine: m, weights: rest, row: row, rows: rows, stride: stride, rowSize: rowSize, dst: dst, x: x, other: other}
	MOVQ(k, stride)
	SHLQ(Imm(6), stride)
	MOVQ(k, rowSize)
	SHLQ(Imm(3), rowSize)

	MOVQ(k, j)
	ANDQ(Imm(uint64(side-1)), j)
	for over := 1; over < side; over++ {
		next := fmt.Sprintf("not%d", over)
		CMPQ(j, Imm(uint64(over)))
		JNE(LabelRef(next))
		MOVQ(row, dst)
		t.tile(over, over, true, fmt.Sprintf("triangle%d", over))
		t.down(over)
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
	for over := 1; over < side; over++ {
		next := fmt.Sprintf("row_not%d", over)
		CMPQ(l, Imm(uint64(over)))
		JNE(LabelRef(next))
		t.tile(side, over, false, fmt.Sprintf("tile%d", over))
		t.right(over)
		JMP(LabelRef("tiles"))
		Label(next)
	}
	Label("tiles")
	TESTQ(other, other)
	JEQ(LabelRef("diagonal"))
	t.tile(side, side, false, fmt.Sprintf("tile%d", side))
	t.right(side)
	JMP(LabelRef("tiles"))
	Label("diagonal")
	t.tile(side, side, true, fmt.Sprintf("triangle%d", side))
	t.down(side)
	ADDQ(Imm(uint64(side)), j)
	JMP(LabelRef("rows"))

	Label("done")
	VZEROUPPER()
	RET()
}
