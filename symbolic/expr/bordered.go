package expr

import (
	"cmp"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
)

// Bordered matrices of parameters: those that are banded but for what stands in the rows and columns at a few fixed
// positions, as that of a field with a common level, or of a ring, whose ends touch. The border is eliminated: with D the
// rest, a band whose rows and columns at the border are those of the identity, D = L Lᵀ, and B the rows of the border
// without its corner C,
//
//	U = B L⁻ᵀ,   S = C − U Uᵀ = M Mᵀ
//
// det A is det D · det S, and what is solved with A is found from the border's part, M Mᵀ x = c − U L⁻¹b. Where the border stands last, the
// factor of A is L with the rows U and M. S is a band too, one that is full. A matrix without a border is one with a border of 0 rows.

// maxBorder is the largest number of rows of a border.
const maxBorder = 4

// arrow is a square matrix of few diagonals and a border.
type arrow struct {
	c         *Context
	n         dsl.Extent
	diagonals []Value      // of the rest, at and below the main one
	border    []dsl.Extent // positions, in order
	rows      []Value      // of the border, 0 at its positions
	corner    [][]*Expr    // elements at its positions
}

// arrow is the form of a square matrix, −1 < offset ≤ w of its diagonals; false where an element is proved to lie neither on a
// fixed diagonal nor in a fixed row or column, or they are too many. Of a matrix that is not symmetric nothing stands above the
// diagonal, and its border are rows.
func (c *Context) arrow(a Value, symmetric bool) (m *arrow, ok bool) {
	i, j := c.NewIndex("i", UpTo(a.Shape[0])), c.NewIndex("j", UpTo(a.Shape[1]))
	element := c.Inlined(a.At(Sub{Index: i}, Sub{Index: j}))
	var beside []crossing
	bands, ok := c.bandsBeside(element, i, j, func(e *Expr) bool {
		x := crossingOf(e, i, j)
		beside = append(beside, x)
		return x.row != nil || symmetric && x.col != nil
	})
	if !ok || len(bands) == 0 {
		return nil, false
	}
	m = &arrow{c: c, n: a.Shape[0]}
	low, high := bands[0].Offset, bands[len(bands)-1].Offset
	if m.border, ok = c.borderOf(beside, symmetric, m.n); !ok || high < 0 || high >= maxDiagonals || !symmetric && low < 0 {
		return nil, false
	}
	// A matrix with sizes of numbers alone may be small.
	if wide := high + len(m.border); wide > 0 && m.n.IsConst() && m.n.Offset < 4*(wide+1) {
		return nil, false
	}
	m.diagonals = make([]Value, high+1)
	for o := range m.diagonals {
		m.diagonals[o] = Value{Shape: a.Shape[:1], Elem: func(...Sub) *Expr { return c.nought() }}
	}
	vector := func(e *Expr, i *Index) Value {
		ok = ok && !c.opaqueBand(e) && c.readsWhatIs(e)
		return Value{Shape: a.Shape[:1], Elem: func(s ...Sub) *Expr { return c.Subst(e, i, s[0]) }}
	}
	for _, b := range bands {
		if b.Offset < 0 {
			continue // the mirror image
		}
		e, from := b.E, m.n
		if Strays(e) {
			e = c.Mul(c.Within(Sub{Index: i}, dsl.Range{Lo: dsl.Fixed(1 + b.Offset), Hi: from}), e)
		}
		if e = m.cleared(c.Operand(e), Sub{Index: i}); b.Offset > 0 {
			e = m.cleared(e, Sub{Index: i, Offset: -b.Offset})
		} else {
			e = c.Add(e, m.spread(Sub{Index: i}, func(int) *Expr { return c.Number(1) }))
		}
		m.diagonals[b.Offset] = vector(e, i)
	}
	for k, s := range m.border {
		row := c.Subst(element, i, Sub{At: s})
		ok = ok && !Strays(row)
		m.rows = append(m.rows, vector(m.cleared(c.Operand(row), Sub{Index: j}), j))
		m.corner = append(m.corner, nil)
		for _, t := range m.border {
			e := c.Operand(c.Subst(row, j, Sub{At: t}))
			vector(e, i)
			m.corner[k] = append(m.corner[k], e)
		}
	}
	return m, ok
}

// crossing is where a term that lies on no diagonal is proved to stand: in a row, in a column, or in both.
type crossing struct{ row, col *dsl.Extent }

// crossingOf finds that of a term with the indices i and j.
func crossingOf(e *Expr, i, j *Index) (x crossing) {
	factors := []*Expr{e}
	if e.Op == Mul {
		factors = e.Args
	}
	for _, f := range factors {
		if s, ok := fixedAt(f, i); ok {
			x.row = &s
		}
		if s, ok := fixedAt(f, j); ok {
			x.col = &s
		}
	}
	return x
}

// borderOf chooses few positions such that every term that lies on no diagonal stands in one of their rows, or columns, which
// are alike in a symmetric matrix; false where they are too many, or not proved to differ and to exist.
func (c *Context) borderOf(beside []crossing, symmetric bool, n dsl.Extent) (at []dsl.Extent, ok bool) {
	for _, single := range []bool{true, false} { // of two of a term one is chosen, where others leave the choice
		for _, x := range beside {
			s := x.row
			if symmetric && x.col != nil {
				if single == (s != nil) || s != nil && (slices.Contains(at, *s) || slices.Contains(at, *x.col)) {
					continue
				}
				if s == nil || c.precedes(*s, *x.col) {
					s = x.col // the later one: a border that stands last does not fill the factor
				}
			}
			if !slices.Contains(at, *s) {
				at = append(at, *s)
			}
		}
	}
	slices.SortFunc(at, func(s, t dsl.Extent) int {
		return cmp.Or(cmp.Compare(s.Name, t.Name), cmp.Compare(s.Offset, t.Offset))
	})
	for k, s := range at {
		if !c.exists(s, n) || k > 0 && !c.precedes(at[k-1], s) {
			return nil, false
		}
	}
	return at, len(at) <= maxBorder
}

// exists reports whether a fixed position is one of 1, …, n whatever the sizes.
func (c *Context) exists(s, n dsl.Extent) bool {
	if s.Name == n.Name {
		return s.Offset <= n.Offset && (s.IsConst() && s.Offset >= 1 || !s.IsConst() && c.AtLeast(s.Name)+s.Offset >= 1)
	}
	return s.IsConst() && s.Offset >= 1 && s.Offset <= c.AtLeast(n.Name)+n.Offset
}

// readsWhatIs reports whether every element that e reads at a fixed position exists whatever the sizes.
func (c *Context) readsWhatIs(e *Expr) bool {
	ok := true
	Refs(e, func(r *Expr) {
		for n, s := range r.Subs {
			ok = ok && (!s.IsFixed() || c.exists(s.At, r.Tensor.Shape[n]))
		}
	})
	return ok
}

// apart is 1 where a position is none of the border, else 0.
func (m *arrow) apart(i Sub) *Expr {
	if len(m.border) == 0 {
		return m.c.Number(1)
	}
	total, lo := m.c.NewTotal(), dsl.Fixed(1)
	for _, s := range m.border {
		if s != lo { // the ranges between the positions
			total.Add(m.c.Within(i, dsl.Range{Lo: lo, Hi: s.Plus(-1)}))
		}
		lo = s.Plus(1)
	}
	if lo != m.n.Plus(1) {
		total.Add(m.c.Within(i, dsl.Range{Lo: lo, Hi: m.n}))
	}
	return total.Sum()
}

// cleared is e, 0 where a position is of the border. Terms that stand in a place of their own are multiplied out: those at the border go.
func (m *arrow) cleared(e *Expr, i Sub) *Expr {
	if e.placed {
		return m.c.Times(m.apart(i), e)
	}
	return m.c.Mul(m.apart(i), e)
}

// spread is e(k) where a position is the k-th of the border, else 0.
func (m *arrow) spread(i Sub, e func(k int) *Expr) *Expr {
	total := m.c.NewTotal()
	for k, s := range m.border {
		total.Add(m.c.Mul(m.c.Delta(i, Sub{At: s}), e(k)))
	}
	return total.Sum()
}

// rest is a vector with 0 at the border.
func (m *arrow) rest(b Value) Value {
	return Value{Shape: b.Shape, Elem: func(s ...Sub) *Expr { return m.cleared(b.At(s...), s[0]) }}
}

// tuple is the vector of as many numbers as the border has positions.
func (m *arrow) tuple(e func(k int) *Expr) Value {
	own := make([]*Expr, len(m.border))
	for k := range own {
		own[k] = e(k)
	}
	return Value{Shape: []dsl.Extent{dsl.Fixed(len(own))}, Elem: func(s ...Sub) *Expr {
		if len(own) == 1 {
			return own[0]
		}
		total := m.c.NewTotal()
		for k, e := range own {
			total.Add(m.c.Mul(m.c.Delta(s[0], Sub{At: dsl.Fixed(k + 1)}), e))
		}
		return total.Sum()
	}}
}

// tuples are the diagonals of a matrix of the order of the border, at and below the main one.
func (m *arrow) tuples(e func(k, l int) *Expr) (list []Value) {
	for o := range m.border {
		list = append(list, m.tuple(func(k int) *Expr {
			if k < o {
				return m.c.nought()
			}
			return e(k, k-o)
		}))
	}
	return list
}

// dot is the inner product of two vectors.
func (m *arrow) dot(x, y Value) *Expr {
	i := m.c.NewIndex("i", UpTo(m.n))
	return m.c.Sum(i, m.c.Mul(x.At(Sub{Index: i}), y.At(Sub{Index: i})))
}

// whole is x, which is 0 at the border, with y there.
func (m *arrow) whole(x, y Value) Value {
	if len(m.border) == 0 {
		return x
	}
	return Value{Shape: x.Shape, Elem: func(s ...Sub) *Expr {
		return m.c.Add(x.At(s...), m.spread(s[0], func(k int) *Expr { return y.At(Sub{At: dsl.Fixed(k + 1)}) }))
	}}
}

// borderedLast reports whether the border are the last rows.
func (m *arrow) borderedLast() bool {
	for k, s := range m.border {
		if s != m.n.Plus(k+1-len(m.border)) {
			return false
		}
	}
	return true
}

// solveLower returns A⁻¹b of a triangular matrix A whose border stands last.
func (m *arrow) solveLower(b Value) Value {
	solve := func(diagonals []Value, b Value) Value {
		return m.c.Apply(OperatorOf("band_solve_lower"), m.c.Apply(OperatorOf("stack"), diagonals...), b)
	}
	x := solve(m.diagonals, m.rest(b))
	if len(m.border) == 0 {
		return x
	}
	return m.whole(x, solve(m.tuples(func(k, l int) *Expr { return m.corner[k][l] }), m.tuple(func(k int) *Expr {
		return m.c.Sub(b.At(Sub{At: m.border[k]}), m.dot(m.rows[k], x))
	})))
}

// arrowFactor is what a symmetric positive definite matrix is factorised into.
type arrowFactor struct {
	*arrow
	l *BandFactor // of the rest
	u []Value     // U
	m *BandFactor // of S, nil where there is no border
}

func (m *arrow) factor() *arrowFactor {
	f := &arrowFactor{arrow: m, l: m.c.BandFactor(m.diagonals)}
	for _, row := range m.rows {
		f.u = append(f.u, f.l.SolveLower(row))
	}
	if len(m.border) > 0 {
		f.m = m.c.BandFactor(m.tuples(func(k, l int) *Expr { return m.c.Sub(m.corner[k][l], m.dot(f.u[k], f.u[l])) }))
	}
	return f
}

// logDet returns log det A.
func (f *arrowFactor) logDet() *Expr {
	d := f.l.LogDet()
	if f.m != nil {
		d = f.c.Add(d, f.m.LogDet())
	}
	return d
}

// solve returns A⁻¹b.
func (f *arrowFactor) solve(b Value) Value {
	y := f.l.SolveLower(f.rest(b))
	if f.m == nil {
		return f.l.SolveUpper(y)
	}
	x := f.m.SolveUpper(f.m.SolveLower(f.tuple(func(k int) *Expr { return f.c.Sub(b.At(Sub{At: f.border[k]}), f.dot(f.u[k], y)) })))
	return f.whole(f.l.SolveUpper(Value{Shape: b.Shape, Elem: func(s ...Sub) *Expr {
		total := f.c.NewTotal(y.At(s...))
		for k, u := range f.u {
			total.Add(f.c.Neg(f.c.Mul(u.At(s...), x.At(Sub{At: dsl.Fixed(k + 1)}))))
		}
		return total.Sum()
	}}), x)
}

// matrix is the factor of A, where the border stands last.
func (f *arrowFactor) matrix() Value {
	return Value{Shape: []dsl.Extent{f.n, f.n}, Elem: func(s ...Sub) *Expr {
		total := f.c.NewTotal()
		for o := range f.diagonals {
			total.Add(f.c.Mul(f.c.Delta(s[0], ShiftSub(s[1], o)), f.cleared(f.l.rows.row(o).At(s[0]), s[0])))
		}
		total.Add(f.spread(s[0], func(k int) *Expr {
			row := f.c.NewTotal(f.u[k].At(s[1]))
			for l := range k + 1 {
				row.Add(f.c.Mul(f.c.Delta(s[1], Sub{At: f.border[l]}), f.m.rows.row(k-l).At(Sub{At: dsl.Fixed(k + 1)})))
			}
			return row.Sum()
		}))
		return total.Sum()
	}}
}
