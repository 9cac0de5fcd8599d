package symbolic

import "github.com/hamc-dev/hamc/dsl"

// fitted reads a part of a least-squares fit, whose data it evaluates element by
// element.
func (v *env) fitted(t *Tensor, subs []int) float64 {
	p := t.Def.Fit
	f := p.Of
	span := func(i *Index) int {
		if i == nil {
			return 1
		}
		return v.extent(i.Range.Hi)
	}
	at := func(e *Expr, pairs map[*Index]int) float64 {
		old := v.idx
		v.idx = map[*Index]int{}
		for i, n := range pairs {
			v.idx[i] = n
		}
		defer func() { v.idx = old }()
		return v.eval(e)
	}
	from, to := v.extent(f.Rows.Range.Lo), v.extent(f.Rows.Range.Hi)
	rows := func(e *Expr, other *Index, n int) []float64 {
		var out []float64
		for i := from; i <= to; i++ {
			x := 1.0
			if e != nil {
				x = at(e, map[*Index]int{f.Rows: i, other: n})
			}
			out = append(out, x)
		}
		return out
	}
	var a, x [][]float64
	for g := range span(f.Outer) {
		if f.Response == nil || g+1 < v.extent(first(f.Outer)) { // a response that no part of the fit is read of
			a = append(a, make([]float64, max(0, to-from+1)))
			continue
		}
		a = append(a, rows(f.Response, f.Outer, g+1))
	}
	var starts []int
	for _, c := range f.Columns {
		starts = append(starts, len(x))
		for j := range span(c.Index) {
			x = append(x, rows(c.Data, c.Index, j+1))
		}
	}
	r := solveFit(rows(f.Weight, nil, 0), a, x)
	g := 0
	if f.Outer != nil && p.Role < FitFactor {
		g, subs = subs[0]-1, subs[1:]
	}
	place := func(n int) int {
		if f.Columns[n].Index == nil {
			return starts[n]
		}
		at := starts[n] + subs[0] - 1
		subs = subs[1:]
		return at
	}
	switch p.Role {
	case FitRest:
		return r.rest[g]
	case FitCentre:
		return r.centre[g][place(p.Row)]
	case FitOffset:
		return r.offsets[g][place(p.Row)]
	}
	row := place(p.Row)
	if p.Role == FitScale {
		return r.scale[row]
	}
	return r.block(p.Role)[row][place(p.Col)]
}

// first is where an index begins.
func first(i *Index) dsl.Extent {
	if i == nil {
		return dsl.Fixed(1)
	}
	return i.Range.Lo
}
