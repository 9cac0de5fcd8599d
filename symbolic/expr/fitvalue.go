package expr

import (
	"math"
	"math/big"
	"slices"
)

// fitPrecision is that of the oracle's fits, in bits. The squares of data that
// differ in the last of 53 bits, cancelled twice, leave more than 53 of them.
const fitPrecision = 300

// FitResult holds the parts of a fit, by response and by column of all
// regressors together.
type FitResult struct {
	Rest            []float64
	Centre, Offsets [][]float64
	factor          [][]float64
	high, low       [][]float64
	Scale           []float64
}

// Block returns R, or a part of R/e.
func (r *FitResult) Block(role FitRole) [][]float64 {
	return map[FitRole][][]float64{FitFactor: r.factor, FitHigh: r.high, FitLow: r.low}[role]
}

// SolveFit computes a fit in high precision, with the columns x and responses a;
// weights that are nil are 1.
func SolveFit(w []float64, a, x [][]float64) *FitResult {
	k := len(x)
	res := &FitResult{Rest: make([]float64, len(a)), Scale: make([]float64, k)}
	for range k {
		res.factor, res.high, res.low = append(res.factor, make([]float64, k)), append(res.high, make([]float64, k)), append(res.low, make([]float64, k))
	}
	for range a {
		res.Centre, res.Offsets = append(res.Centre, make([]float64, k)), append(res.Offsets, make([]float64, k))
	}
	for _, v := range append(append([][]float64{w}, a...), x...) {
		for _, y := range v {
			if y-y != 0 {
				res.spoil()
				return res
			}
		}
	}
	s := &fitSolver{w: w, x: x, res: res, root: make([][]*big.Float, k)}
	s.factorise()
	s.split()
	for g := range a {
		if !s.solve(g, a[g]) {
			res.spoil()
			break
		}
	}
	return res
}

// spoil sets all that there is to NaN.
func (r *FitResult) spoil() {
	for _, p := range slices.Concat([][]float64{r.Rest}, r.Centre, r.Offsets, r.factor, r.high, r.low, [][]float64{r.Scale}) {
		for n := range p {
			p[n] = math.NaN()
		}
	}
}

// fitSolver is a fit on its way.
type fitSolver struct {
	w    []float64
	x    [][]float64
	res  *FitResult
	root [][]*big.Float // of each column j of R, above the diagonal and on it
}

// bigNumber is v with many digits.
func bigNumber(v float64) *big.Float { return new(big.Float).SetPrec(fitPrecision).SetFloat64(v) }

// dot is Σ_i w_i a_i b_i.
func (s *fitSolver) dot(a, b []float64) *big.Float {
	sum, t := bigNumber(0), bigNumber(0)
	for i := range a {
		t.Mul(t.SetFloat64(a[i]), bigNumber(b[i]))
		if s.w != nil {
			t.Mul(t, bigNumber(s.w[i]))
		}
		sum.Add(sum, t)
	}
	return sum
}

// less subtracts Σ_m l_m r_m from v.
func less(v *big.Float, l, r []*big.Float) *big.Float {
	for m := range l {
		v.Sub(v, bigNumber(0).Mul(l[m], r[m]))
	}
	return v
}

// factorise computes R with RᵀR = XᵀwX. A column that depends on those before it has 0 on the diagonal.
func (s *fitSolver) factorise() {
	tiny := bigNumber(0).SetMantExp(bigNumber(1), -fitPrecision+60)
	for j, x := range s.x {
		for m := range j {
			e := less(s.dot(s.x[m], x), s.root[m][:m], s.root[j][:m])
			if s.root[m][m].Sign() != 0 {
				e.Quo(e, s.root[m][m])
			} else {
				e = bigNumber(0)
			}
			s.root[j] = append(s.root[j], e)
		}
		whole := s.dot(x, x)
		d := less(bigNumber(0).Set(whole), s.root[j], s.root[j])
		if d.Cmp(bigNumber(0).Mul(whole, tiny)) <= 0 {
			d = bigNumber(0)
		}
		s.root[j] = append(s.root[j], d.Sqrt(d))
		for m := range j + 1 {
			s.res.factor[m][j], _ = s.root[j][m].Float64()
		}
	}
}

// split computes R/e in two parts.
func (s *fitSolver) split() {
	most := 0
	scaled := func(m, j int) *big.Float {
		_, e := math.Frexp(s.res.Scale[j])
		return bigNumber(0).SetMantExp(s.root[j][m], 1-e)
	}
	for j, x := range s.x {
		largest := 0.0
		for _, v := range x {
			largest = max(largest, math.Abs(v))
		}
		_, e := math.Frexp(largest)
		s.res.Scale[j] = math.Ldexp(1, e)
		for m := range j + 1 {
			most = max(most, scaled(m, j).MantExp(nil))
		}
	}
	unit := math.Ldexp(1, most-22)
	for j := range s.x {
		for m := range j + 1 {
			v := scaled(m, j)
			f, _ := v.Float64()
			s.res.high[m][j] = math.Round(f/unit) * unit
			s.res.low[m][j], _ = v.Sub(v, bigNumber(s.res.high[m][j])).Float64()
		}
	}
}

// solve computes ĥ, ρ and c of response g; false where ĥ is beyond all numbers.
func (s *fitSolver) solve(g int, a []float64) bool {
	k, res := len(s.x), s.res
	z := make([]*big.Float, k)
	for j, x := range s.x {
		z[j] = less(s.dot(x, a), s.root[j][:j], z[:j])
		if s.root[j][j].Sign() != 0 {
			z[j].Quo(z[j], s.root[j][j])
		} else {
			z[j] = bigNumber(0)
		}
	}
	rest := less(s.dot(a, a), z, z)
	res.Rest[g], _ = rest.Float64()
	res.Rest[g] = max(0, res.Rest[g])
	for j := k - 1; j >= 0; j-- {
		v := bigNumber(0).Set(z[j])
		for m := j + 1; m < k; m++ {
			v.Sub(v, bigNumber(0).Mul(s.root[m][j], bigNumber(res.Centre[g][m])))
		}
		if bigNumber(0).Mul(v, v).Cmp(bigNumber(0).Mul(rest, bigNumber(64))) > 0 && s.root[j][j].Sign() != 0 {
			if res.Centre[g][j], _ = bigNumber(0).Quo(v, s.root[j][j]).Float64(); math.IsInf(res.Centre[g][j], 0) {
				return false
			}
		}
		// c = Rĥ − z
		c := bigNumber(0).Mul(s.root[j][j], bigNumber(res.Centre[g][j]))
		res.Offsets[g][j], _ = c.Sub(c, v).Float64()
	}
	return true
}
