package naive

import (
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// fitted reads a part of a least-squares fit, whose data it evaluates element by
// element.
func (v *Env) fitted(t *expr.Tensor, subs []int) float64 {
	p := t.Def.Fit
	f := p.Of
	span := func(i *expr.Index) int {
		if i == nil {
			return 1
		}
		return v.Extent(i.Range.Hi)
	}
	at := func(e *expr.Expr, pairs map[*expr.Index]int) float64 {
		old := v.Idx
		v.Idx = map[*expr.Index]int{}
		for i, n := range pairs {
			v.Idx[i] = n
		}
		defer func() { v.Idx = old }()
		return v.Eval(e)
	}
	from, to := v.Extent(f.Rows.Range.Lo), v.Extent(f.Rows.Range.Hi)
	rows := func(e *expr.Expr, other *expr.Index, n int) []float64 {
		var out []float64
		for i := from; i <= to; i++ {
			x := 1.0
			if e != nil {
				x = at(e, map[*expr.Index]int{f.Rows: i, other: n})
			}
			out = append(out, x)
		}
		return out
	}
	var a, x [][]float64
	for g := range span(f.Outer) {
		if f.Response == nil || g+1 < v.Extent(first(f.Outer)) { // a response that no part of the fit is read of
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
	r := expr.SolveFit(rows(f.Weight, nil, 0), a, x)
	g := 0
	if f.Outer != nil && p.Role < expr.FitFactor {
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
	case expr.FitRest:
		return r.Rest[g]
	case expr.FitCentre:
		return r.Centre[g][place(p.Row)]
	case expr.FitOffset:
		return r.Offsets[g][place(p.Row)]
	}
	row := place(p.Row)
	if p.Role == expr.FitScale {
		return r.Scale[row]
	}
	return r.Block(p.Role)[row][place(p.Col)]
}

// first is where an index begins.
func first(i *expr.Index) dsl.Extent {
	if i == nil {
		return dsl.Fixed(1)
	}
	return i.Range.Lo
}
