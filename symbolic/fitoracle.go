package symbolic

import (
	"math"
	"math/big"
	"slices"
)

// fitPrecision is that of the oracle's fits, in bits. The squares of data that
// differ in the last of 53 bits, cancelled twice, leave more than 53 of them.
const fitPrecision = 300

// solvedFit is a fit with the numbers that it was computed from.
type solvedFit struct {
	given  []float64
	result *fitResult
}

// fitResult holds the parts of a fit, by response and by column of all
// regressors together.
type fitResult struct {
	rest            []float64
	centre, offsets [][]float64
	factor          [][]float64
	high, low       [][]float64
	scale           []float64
}

// fit evaluates a part of a fit. A fit is computed anew only if what it is made
// of has changed.
func (m *Machine) fit(p *FitPart, out []float64) {
	f := p.Of
	rows := m.Extent(f.Rows.Range.Hi)
	first := m.Extent(f.Rows.Range.Lo) - 1
	read := func(e *Expr, width int) []float64 {
		if e == nil {
			return nil
		}
		return m.values[e.Tensor.id][:max(0, rows*width)]
	}
	responses := 1
	if f.Outer != nil {
		responses = m.Extent(f.Outer.Range.Hi)
	}
	arrays := [][]float64{read(f.Arrays[0], 1), read(f.Arrays[1], responses)}
	var widths []int
	for n, x := range f.Columns {
		width := 1
		if x.Index != nil {
			width = m.Extent(x.Index.Range.Hi)
		}
		widths = append(widths, width)
		arrays = append(arrays, read(f.Arrays[2+n], width))
	}
	given := slices.Concat(arrays...)
	s := m.fits[f]
	if s == nil || !slices.Equal(s.given, given) {
		var w []float64
		if f.Weight != nil && first < rows {
			w = arrays[0][first:rows]
		}
		n := max(0, rows-first)
		a := make([][]float64, responses)
		for g := range a {
			a[g] = make([]float64, n)
			if f.Response != nil && n > 0 {
				copy(a[g], arrays[1][g*rows+first:(g+1)*rows])
			}
		}
		var x [][]float64
		for r, width := range widths {
			for j := range width {
				column := make([]float64, n)
				for i := range column {
					column[i] = 1
					if f.Columns[r].Data != nil {
						column[i] = arrays[2+r][(first+i)*width+j]
					}
				}
				x = append(x, column)
			}
		}
		s = &solvedFit{given, solveFit(w, a, x)}
		m.fits[f] = s
	}
	starts := make([]int, len(widths)+1)
	for r, width := range widths {
		starts[r+1] = starts[r] + width
	}
	out = out[:0]
	row := func(v []float64, r int) { out = append(out, v[starts[r]:starts[r+1]]...) }
	switch p.Role {
	case FitRest:
		out = append(out, s.result.rest...)
	case FitCentre:
		for _, v := range s.result.centre {
			row(v, p.Row)
		}
	case FitOffset:
		for _, v := range s.result.offsets {
			row(v, p.Row)
		}
	case FitScale:
		row(s.result.scale, p.Row)
	default:
		for _, v := range s.result.block(p.Role)[starts[p.Row]:starts[p.Row+1]] {
			row(v, p.Col)
		}
	}
}

// block returns R, or a part of R/e.
func (r *fitResult) block(role FitRole) [][]float64 {
	return map[FitRole][][]float64{FitFactor: r.factor, FitHigh: r.high, FitLow: r.low}[role]
}

// solveFit computes a fit in high precision, with the columns x and responses a;
// weights that are nil are 1.
func solveFit(w []float64, a, x [][]float64) *fitResult {
	k := len(x)
	res := &fitResult{rest: make([]float64, len(a)), scale: make([]float64, k)}
	for range k {
		res.factor, res.high, res.low = append(res.factor, make([]float64, k)), append(res.high, make([]float64, k)), append(res.low, make([]float64, k))
	}
	for range a {
		res.centre, res.offsets = append(res.centre, make([]float64, k)), append(res.offsets, make([]float64, k))
	}
	for _, v := range append(append([][]float64{w}, a...), x...) {
		for _, y := range v {
			if y-y != 0 {
				for _, p := range slices.Concat([][]float64{res.rest}, res.centre, res.offsets, res.factor, res.high, res.low, [][]float64{res.scale}) {
					for n := range p {
						p[n] = math.NaN()
					}
				}
				return res
			}
		}
	}
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(fitPrecision).SetFloat64(v) }
	dot := func(a, b []float64) *big.Float {
		s, t := num(0), num(0)
		for i := range a {
			t.Mul(t.SetFloat64(a[i]), num(b[i]))
			if w != nil {
				t.Mul(t, num(w[i]))
			}
			s.Add(s, t)
		}
		return s
	}
	// less subtracts Σ_m l_m r_m from v.
	less := func(v *big.Float, l, r []*big.Float) *big.Float {
		for m := range l {
			v.Sub(v, num(0).Mul(l[m], r[m]))
		}
		return v
	}
	// column j of R, above the diagonal and on it
	root := make([][]*big.Float, k)
	tiny := num(0).SetMantExp(num(1), -fitPrecision+60)
	for j := range k {
		for m := range j {
			e := less(dot(x[m], x[j]), root[m][:m], root[j][:m])
			if root[m][m].Sign() != 0 {
				e.Quo(e, root[m][m])
			} else {
				e = num(0)
			}
			root[j] = append(root[j], e)
		}
		whole := dot(x[j], x[j])
		d := less(num(0).Set(whole), root[j], root[j])
		if d.Cmp(num(0).Mul(whole, tiny)) <= 0 {
			d = num(0)
		}
		root[j] = append(root[j], d.Sqrt(d))
		for m := range j + 1 {
			res.factor[m][j], _ = root[j][m].Float64()
		}
	}
	// R/e, in two parts
	most := 0
	scaled := func(m, j int) *big.Float {
		_, e := math.Frexp(res.scale[j])
		return num(0).SetMantExp(root[j][m], 1-e)
	}
	for j := range k {
		largest := 0.0
		for _, v := range x[j] {
			largest = max(largest, math.Abs(v))
		}
		_, e := math.Frexp(largest)
		res.scale[j] = math.Ldexp(1, e)
		for m := range j + 1 {
			most = max(most, scaled(m, j).MantExp(nil))
		}
	}
	for j := range k {
		for m := range j + 1 {
			v := scaled(m, j)
			f, _ := v.Float64()
			unit := math.Ldexp(1, most-22)
			res.high[m][j] = math.Round(f/unit) * unit
			res.low[m][j], _ = v.Sub(v, num(res.high[m][j])).Float64()
		}
	}
	for g := range a {
		z := make([]*big.Float, k)
		for j := range k {
			z[j] = less(dot(x[j], a[g]), root[j][:j], z[:j])
			if root[j][j].Sign() != 0 {
				z[j].Quo(z[j], root[j][j])
			} else {
				z[j] = num(0)
			}
		}
		rest := less(dot(a[g], a[g]), z, z)
		res.rest[g], _ = rest.Float64()
		res.rest[g] = max(0, res.rest[g])
		for j := k - 1; j >= 0; j-- {
			s := num(0).Set(z[j])
			for m := j + 1; m < k; m++ {
				s.Sub(s, num(0).Mul(root[m][j], num(res.centre[g][m])))
			}
			if num(0).Mul(s, s).Cmp(num(0).Mul(rest, num(64))) > 0 && root[j][j].Sign() != 0 {
				res.centre[g][j], _ = num(0).Quo(s, root[j][j]).Float64()
			}
			// c = Rĥ − z
			c := num(0).Mul(root[j][j], num(res.centre[g][j]))
			res.offsets[g][j], _ = c.Sub(c, s).Float64()
		}
	}
	return res
}
