package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hamc-dev/hamc/dsl"
)

// Fit is the least-squares fit over the index Rows that minimises
//
//	S(h) = Σ_i w_i (y_i − Σ_r D_ir h_r)²,
//
// with w, y, D known before the position. About its minimum ĥ,
//
//	S(h) = ρ + |c + R (h − ĥ)|²,
//
// with R upper triangular, RᵀR = Σ_i w_i D_i D_iᵀ. All four come from one
// factorisation in extended precision, see runtime/linalg.LeastSquares. The
// vector c is what the rounding of ĥ leaves, so that S is right for the ĥ that
// is stored; and h − ĥ is exact near the fit. So no digits cancel that
// y_i − D_i h keeps.
type Fit struct {
	Rows     *Index
	Outer    *Index // of several responses over the same columns; nil if there is one
	Weight   *Expr  // w over Rows; nil: 1
	Response *Expr  // a over Rows and Outer; nil: 0
	Columns  []FitColumn

	// Arrays hold the numbers of Weight, Response and Columns in this order,
	// as elements of arrays over their indices, once the fit is lowered.
	Arrays []*Expr

	parts map[FitPart]*Tensor
}

// FitColumn is one regressor: a column of numbers, or a matrix with the columns
// Index.
type FitColumn struct {
	Index *Index // nil of a scalar
	Data  *Expr  // over Rows and Index; nil: 1
}

// FitRole tells which part of a fit a tensor is.
type FitRole uint8

// The parts of a fit.
const (
	FitRest   FitRole = iota // ρ, by Outer
	FitCentre                // ĥ of a regressor, by Outer and its index
	FitOffset                // c of a regressor, by Outer and its index
	FitFactor                // the block of R of two regressors, by their indices
	FitScale                 // e of a regressor, powers of two, by its index
	FitHigh                  // the block of R/e, on a grid of 22 bits
	FitLow                   // the rest of R/e
	fitRoleEnd
)

// String returns the name of the runtime's method that gives the part.
func (r FitRole) String() string {
	return [fitRoleEnd]string{"Rest", "Centre", "Offset", "Factor", "Scale", "High", "Low"}[r]
}

// FitPart is a part of a fit: of the regressor Row, or of Row and Col ≥ Row.
type FitPart struct {
	Of       *Fit
	Role     FitRole
	Row, Col int
}

// fitTable holds the fits of a context.
type fitTable struct {
	all     []*Fit
	indices map[formalKey]*Index // their indices, so that equal fits are one
}

// stage returns the binding time of f.
func (f *Fit) stage() Stage {
	s := StageData
	for _, e := range f.inputs() {
		s = max(s, e.stage)
	}
	return s
}

// inputs returns the expressions that f is made of.
func (f *Fit) inputs() []*Expr {
	var out []*Expr
	add := func(e *Expr) {
		if e != nil {
			out = append(out, e)
		}
	}
	add(f.Weight)
	add(f.Response)
	for _, x := range f.Columns {
		add(x.Data)
	}
	return out
}

// fitOf returns the fit of a + Σ_r D_r h_r with weights w over i, and the index of
// several responses: the residuals are y − Σ_r D_r (sign·h_r) with y = −sign·a. It is
// not ok where the weights or the columns carry an index from outside, or the response
// more than one: there would be a factor for each of its values; nor where a guard
// outside of the sum keeps from reading what does not exist.
func (c *Context) fitOf(i *Index, w, a *Expr, regs []regressor) (fit *Fit, sign float64, outer *Index, ok bool) {
	sign, y := -1.0, a
	if a.Op == Mul && a.Val < 0 || a.Op == Add && a.K[0] < 0 {
		sign, y = 1, c.Neg(a)
	}
	f := &Fit{Rows: i, Weight: w, Response: y, parts: map[FitPart]*Tensor{}}
	if w.IsNum(1) {
		f.Weight = nil
	}
	if a.IsNum(0) {
		f.Response = nil
	}
	others := func(e *Expr, own ...*Index) []*Index {
		var out []*Index
		for _, x := range e.free {
			if !slices.Contains(own, x) {
				out = append(out, x)
			}
		}
		return out
	}
	if len(others(w, i)) > 0 || Strays(w) || Strays(a) {
		return nil, 0, nil, false
	}
	switch outer := others(a, i); len(outer) {
	case 0:
	case 1:
		f.Outer = outer[0]
	default:
		return nil, 0, nil, false
	}
	for _, r := range regs {
		if len(others(r.data, i, r.j)) > 0 || Strays(r.data) {
			return nil, 0, nil, false
		}
		x := FitColumn{Index: r.j, Data: r.data}
		if r.data.IsNum(1) {
			x.Data = nil
		}
		f.Columns = append(f.Columns, x)
	}
	return c.internFit(f), sign, f.Outer, true
}

// fitSquare returns Σ_i w_i (a_i + Σ_r D_ir h_r)² in terms of its fit; nil where there
// is none.
func (c *Context) fitSquare(i *Index, w, a *Expr, regs []regressor) *Expr {
	f, sign, outer, ok := c.fitOf(i, w, a, regs)
	if !ok {
		return nil
	}
	for n := range regs {
		regs[n].coef = c.Scale(sign, regs[n].coef)
	}
	total := c.fitPart(f, FitRest, 0, 0, outer)
	if len(regs) == 1 && regs[0].j == nil {
		d := c.fromCentre(regs[0].coef, c.fitPart(f, FitCentre, 0, 0, outer))
		u := c.Add(c.fitPart(f, FitOffset, 0, 0, outer), c.Mul(c.fitPart(f, FitFactor, 0, 0), d))
		return c.Add(total, c.Pow(u, 2))
	}
	return c.Add(total, c.fitSquares(f, regs, outer))
}

// fitSquares returns |c + R (h − ĥ)|² of several columns, whose terms may cancel:
// where columns nearly depend on each other, or are far from zero beside a
// constant one. The plain loop has rounding errors there too, but one for each datum, which
// average. So R (h − ĥ) is formed without: with d = e (h − ĥ), R/e = H + L and d = b + t,
// where b and H have 22 bits on grids of their own,
//
//	R (h − ĥ) = H b + (H t + L d)
//
// The first sum is exact in whatever order, up to 256 columns, and the second is smaller by 22 bits.
func (c *Context) fitSquares(f *Fit, regs []regressor, outer *Index) *Expr {
	// column returns a regressor under an index of its own, d, and what e (h − ĥ)
	// loses by rounding.
	column := func(m int) (r regressor, d, t *Expr) {
		r = regs[m]
		if r.j != nil {
			j := c.NewIndex(r.j.Name, r.j.Range)
			r.coef, r.j = c.Subst(r.coef, r.j, Sub{Index: j}), j
		}
		centre, scale := c.fitPart(f, FitCentre, m, 0, outer, r.j), c.fitPart(f, FitScale, m, 0, r.j)
		lead, _ := c.lead(r.coef)
		d = c.Mul(scale, c.fromCentre(r.coef, centre))
		return r, d, c.Mul(scale, c.Call("excess", lead, centre))
	}
	size := c.Number(0)
	for m := range regs {
		r, d, _ := column(m)
		size = c.Add(size, c.SumOver(r.j, c.Pow(d, 2)))
	}
	grid := c.Call("grid", size)
	total := c.Number(0)
	for n, r := range regs {
		exact, rest := c.Number(0), c.fitPart(f, FitOffset, n, 0, outer, r.j)
		for m := n; m < len(regs); m++ {
			q, d, t := column(m)
			high, low := c.fitPart(f, FitHigh, n, m, r.j, q.j), c.fitPart(f, FitLow, n, m, r.j, q.j)
			fine := c.Call("fine", d, grid)
			exact = c.Add(exact, c.SumOver(q.j, c.Mul(high, c.Sub(d, fine))))
			rest = c.Add(rest, c.SumOver(q.j, c.Add(c.Mul(high, c.Call("plus", fine, t)), c.Mul(low, d))))
		}
		total = c.Add(total, c.SumOver(r.j, c.Pow(c.Call("plus", exact, rest), 2)))
	}
	return total
}

// fromCentre returns h − ĥ.
func (c *Context) fromCentre(h, centre *Expr) *Expr {
	if _, rest := c.lead(h); rest.IsNum(0) {
		return c.Sub(h, centre)
	}
	return c.difference(h, centre)
}

// internFit returns f under indices of the context's own, and the same fit for
// equal ones.
func (c *Context) internFit(f *Fit) *Fit {
	if c.fits.indices == nil {
		c.fits.indices = map[formalKey]*Index{}
	}
	n := 0
	formal := func(i *Index) *Index {
		if i == nil {
			return nil
		}
		k := formalKey{i.Range, n}
		n++
		x, ok := c.fits.indices[k]
		if !ok {
			x = c.NewIndex(i.Name, i.Range)
			c.fits.indices[k] = x
		}
		return x
	}
	put := func(e *Expr, pairs ...*Index) *Expr {
		for n := 0; e != nil && n < len(pairs); n += 2 {
			if pairs[n] != nil {
				e = c.Subst(e, pairs[n], Sub{Index: pairs[n+1]})
			}
		}
		return e
	}
	own := &Fit{Rows: formal(f.Rows), Outer: formal(f.Outer), parts: f.parts}
	own.Weight = put(f.Weight, f.Rows, own.Rows)
	own.Response = put(f.Response, f.Rows, own.Rows, f.Outer, own.Outer)
	for _, x := range f.Columns {
		j := formal(x.Index)
		own.Columns = append(own.Columns, FitColumn{j, put(x.Data, f.Rows, own.Rows, x.Index, j)})
	}
	for _, o := range c.fits.all {
		if o.Rows == own.Rows && o.Outer == own.Outer && o.Weight == own.Weight && o.Response == own.Response && slices.Equal(o.Columns, own.Columns) {
			return o
		}
	}
	c.fits.all = append(c.fits.all, own)
	return own
}

// fitPart returns the part of a fit at indices, those that are nil left out.
func (c *Context) fitPart(f *Fit, role FitRole, row, col int, at ...*Index) *Expr {
	p := FitPart{f, role, row, col}
	t, ok := f.parts[p]
	if !ok {
		var formal []*Index
		switch role {
		case FitRest:
			formal = IndexList(f.Outer)
		case FitScale:
			formal = IndexList(f.Columns[row].Index)
		case FitFactor, FitHigh, FitLow:
			formal = IndexList(f.Columns[row].Index, f.Columns[col].Index)
		default:
			formal = IndexList(f.Outer, f.Columns[row].Index)
		}
		var shape []dsl.Extent
		for _, i := range formal {
			shape = append(shape, i.Range.Hi)
		}
		t = c.NewTensor(Tensor{Name: "fit", Kind: DefTensor, Shape: shape, Stage: f.stage()})
		t.Def = &Def{Tensor: t, Indices: formal, Fit: &p}
		f.parts[p] = t
	}
	return c.Ref(t, SubsOf(IndexList(at...))...)
}

// ColumnIndices are the indices of those columns that are matrices.
func (f *Fit) ColumnIndices() []*Index {
	var out []*Index
	for _, x := range f.Columns {
		out = append(out, IndexList(x.Index)...)
	}
	return out
}

// formatFit renders a part of a fit for people: which one of the fit of a
// response by its columns.
func formatFit(p *FitPart) string {
	f := p.Of
	s := "least_squares("
	if f.Response == nil {
		s += "0"
	} else {
		s += Format(f.Response)
	}
	for n, x := range f.Columns {
		s += map[bool]string{true: "; ", false: ", "}[n == 0]
		if x.Data == nil {
			s += "1"
		} else {
			s += Format(x.Data)
		}
	}
	if f.Weight != nil {
		s += "; weights " + Format(f.Weight)
	}
	s += ")." + strings.ToLower(p.Role.String())
	switch p.Role {
	case FitCentre, FitOffset, FitScale:
		s += fmt.Sprintf("[%d]", p.Row+1)
	case FitFactor, FitHigh, FitLow:
		s += fmt.Sprintf("[%d,%d]", p.Row+1, p.Col+1)
	}
	return s
}

// cost is the work of the whole fit, which the part FitRest answers for.
func (p *FitPart) cost() Cost {
	c := NewCost()
	if p.Role != FitRest {
		return c
	}
	f, width := p.Of, Poly{"": 1}
	for _, x := range f.Columns {
		if x.Index == nil {
			width.add(Poly{"": 1})
		} else {
			width.add(sizePoly(x.Index.Range))
		}
	}
	// The triangle of products, each a dozen operations in extended precision.
	per := sizePoly(f.Rows.Range).times(width).times(width).times(Poly{"": 6})
	if f.Outer != nil {
		per = per.times(sizePoly(f.Outer.Range))
	}
	c.Ops.add(per)
	return c
}
