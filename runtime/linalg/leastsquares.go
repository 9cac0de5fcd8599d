package linalg

import "math"

// Regressor is one or several columns of a least-squares fit: the matrix X,
// row-major with Columns columns. Nil stands for ones.
type Regressor struct {
	X       []float64
	Columns int
}

// LeastSquares is a weighted least-squares fit that a sum of squares can be
// evaluated with: for all h,
//
//	Σ_i w_i (y_i − Σ_j X_ij h_j)²  =  ρ + |c + R (h − ĥ)|²
//
// where R is upper triangular, ρ is the least sum, and ĥ is as near to where it is
// as makes c_j² ≤ 64 ρ: then c and R (h − ĥ) cancel no more than the residuals are worth. A
// coefficient that need not be is 0, so that columns that nearly depend on each
// other have none of great size. The right side is that of the ĥ that is stored.
// It is computed by the normal equations in arithmetic of 106 bits, or of one column in float64
// from residuals that are rounded once, and its error is
// that of rounding R, c and ρ once or, of one column, a few times, as long as |X_j| |h_j − ĥ_j| is below 10¹³
// residuals.
//
// The zero value is ready. Its space is kept from fit to fit.
type LeastSquares struct {
	regressors []Regressor
	starts     []int // of the regressors among the columns; the last entry is their number
	responses  int

	scale []float64 // of the columns, powers of two
	row   []double  // w x of one row; then ĥ
	root  []double  // Gram matrix, then R by rows; the columns first, then the responses
	gram  []float64 // one row; then the diagonal of the Gram matrix

	sums     []sum    // of the Gram matrix, as root; of the products of the columns with residuals, then
	products []double // the latter

	rest []float64

	centre, offset [][]float64 // by regressor
	units          [][]float64 // by regressor: what the columns are multiples of
	factor         [][]float64 // of regressors r and q ≥ r at r·len(regressors)+q
	high, low      [][]float64 // likewise
}

// Fit computes the fit of the rows first … rows, counted from 1: of the array w,
// of each of the responses y, of rows numbers each, and of the regressors. A nil
// w stands for ones, a nil y for zeros. Weights are not negative. If a number is not
// finite the fit is NaN. It allocates nothing if the last fit had the same sizes.
func (s *LeastSquares) Fit(first, rows, responses int, w, y []float64, regressors ...Regressor) {
	s.reserve(responses, regressors)
	k := s.starts[len(regressors)]
	n := k + responses
	if k == 1 && responses == 1 && w == nil && y != nil && regressors[0].X != nil && first <= rows && s.fitOne(regressors[0].X[first-1:rows], y[first-1:rows]) {
		return
	}
	heaviest := s.scales(first, rows, w, y)
	s.multiply(first, rows, k, n, w, y, heaviest)
	s.factorise(k, n)
	light := 1 / math.Sqrt(heaviest)
	s.split(k, n, light)
	for g := range responses {
		s.solve(k, n, g)
		s.settle(k, n, g, s.residuals(first, rows, k, n, g, w, y, heaviest), heaviest)
	}
}

// multiply sets the upper triangle of root to the Gram matrix of the columns and their products with the responses, and
// the squares of these.
func (s *LeastSquares) multiply(first, rows, k, n int, w, y []float64, heaviest float64) {
	clear(s.sums)
	x := s.gram[:n]
	for i := first - 1; i < rows; i++ {
		weight := 1.0
		if w != nil {
			weight = float64(w[i] * heaviest)
		}
		s.load(x, y, rows, i)
		for j := range x {
			x[j] = float64(x[j] * (s.scale[j]))
			s.row[j] = twoProduct(weight, x[j])
		}
		for r := range k {
			line := s.sums[r*n : (r+1)*n]
			for q := r; q < n; q++ {
				line[q] = line[q].plus(s.row[r].timesFloat(x[q]))
			}
		}
		for r := k; r < n; r++ {
			s.sums[r*n+r] = s.sums[r*n+r].plus(s.row[r].timesFloat(x[r]))
		}
	}
	for i := range s.root {
		s.root[i] = s.sums[i].double()
	}
}

// load writes row i to x: the columns, then the responses.
func (s *LeastSquares) load(x, y []float64, rows, i int) {
	for r := range s.regressors {
		to, from := x[s.starts[r]:s.starts[r+1]], &s.regressors[r]
		if from.X != nil {
			copy(to, from.X[i*from.Columns:])
			continue
		}
		for j := range to {
			to[j] = 1
		}
	}
	to := x[s.starts[len(s.regressors)]:]
	for g := range to {
		to[g] = 0
		if y != nil {
			to[g] = y[g*rows+i]
		}
	}
}

// reserve makes room.
func (s *LeastSquares) reserve(responses int, regressors []Regressor) {
	same := s.responses == responses && len(s.regressors) == len(regressors) && len(s.starts) > 0
	for n, x := range regressors {
		same = same && s.regressors[n].Columns == x.Columns
	}
	if same {
		copy(s.regressors, regressors)
		return
	}
	*s = LeastSquares{regressors: append([]Regressor(nil), regressors...), responses: responses, starts: []int{0}}
	for n, x := range regressors {
		s.starts = append(s.starts, s.starts[n]+x.Columns)
	}
	n := s.starts[len(regressors)] + responses
	s.scale, s.gram, s.rest = make([]float64, n), make([]float64, n), make([]float64, responses)
	s.row, s.root, s.sums, s.products = make([]double, n), make([]double, n*n), make([]sum, n*n), make([]double, n)
	for r, x := range regressors {
		s.centre = append(s.centre, make([]float64, responses*x.Columns))
		s.offset = append(s.offset, make([]float64, responses*x.Columns))
		s.units = append(s.units, make([]float64, x.Columns))
		for q, y := range regressors {
			size := x.Columns * y.Columns
			if q < r {
				size = 0
			}
			s.factor, s.high, s.low = append(s.factor, make([]float64, size)), append(s.high, make([]float64, size)), append(s.low, make([]float64, size))
		}
	}
}

// scales finds powers of two that bring all columns near 1, and returns that of
// the weights, a power of four.
func (s *LeastSquares) scales(first, rows int, w, y []float64) float64 {
	clear(s.scale)
	heaviest := 0.0
	for i := first - 1; i < rows; i++ {
		s.load(s.gram, y, rows, i)
		for j, v := range s.gram {
			s.scale[j] = max(s.scale[j], math.Abs(v))
		}
		if w != nil {
			heaviest = max(heaviest, w[i])
		}
	}
	exponent := func(v float64) int {
		if v == 0 || v-v != 0 {
			return 0
		}
		_, e := math.Frexp(v)
		return max(-1000, min(1000, e))
	}
	for j, v := range s.scale {
		s.scale[j] = math.Ldexp(1, -exponent(v))
	}
	e := exponent(heaviest)
	return math.Ldexp(1, e&1-e)
}

// dependent is the square of the part of a column that counts as rounding.
const dependent = 0x1p-98

// factorise turns the Gram matrix into R, and the products with the responses into
// Qᵀy: one Cholesky factorisation, by rows.
func (s *LeastSquares) factorise(k, n int) {
	for j := range n {
		s.gram[j] = s.root[j*n+j].hi
	}
	for j := range k {
		line := s.root[j*n : (j+1)*n]
		for m := range j {
			above := s.root[m*n : (m+1)*n]
			for q := j; q < n; q++ {
				line[q] = line[q].minus(above[q].times(above[j]))
			}
		}
		if line[j].hi <= dependent*s.gram[j] {
			clear(line[j:])
			continue
		}
		d := line[j].root()
		line[j] = d
		for q := j + 1; q < n; q++ {
			line[q] = line[q].over(d)
		}
	}
}

// solve finds ĥ of response g, in units of the scaled columns.
func (s *LeastSquares) solve(k, n, g int) {
	rest := s.root[(k+g)*n+k+g]
	for j := range k {
		z := s.root[j*n+k+g]
		rest = rest.minus(z.times(z))
	}
	for r := len(s.regressors) - 1; r >= 0; r-- {
		columns := s.regressors[r].Columns
		for l := columns - 1; l >= 0; l-- {
			j := s.starts[r] + l
			line := s.root[j*n : (j+1)*n]
			// what is left of the response for column j
			sum := line[k+g]
			for m := j + 1; m < k; m++ {
				sum = sum.minus(line[m].timesFloat(s.row[m].hi))
			}
			h := 0.0
			if !(sum.hi*sum.hi <= 64*rest.hi || line[j].hi == 0) {
				h = sum.over(line[j]).float()
			}
			// What counts is ĥ as it is stored.
			unit := s.scale[j] / s.scale[k+g]
			stored := float64(h * unit)
			if h = stored / unit; math.IsInf(stored, 0) || unit == 0 {
				h, stored = 0, 0
			}
			s.centre[r][g*columns+l] = stored
			s.row[j] = double{h, 0}
		}
	}
}

// residuals sets products to Xᵀ W e for the residuals e of ĥ for response g, which cancel nothing of the size of the
// response, and returns eᵀ W e.
func (s *LeastSquares) residuals(first, rows, k, n, g int, w, y []float64, heaviest float64) double {
	x, b, squares := s.gram[:n], s.sums[:k], sum{}
	clear(b)
	for i := first - 1; i < rows; i++ {
		s.load(x, y, rows, i)
		e := double{float64(x[k+g] * s.scale[k+g]), 0}
		for j := range k {
			x[j] = float64(x[j] * (s.scale[j]))
			e = e.minus(twoProduct(x[j], s.row[j].hi))
		}
		we := e
		if w != nil {
			we = e.timesFloat(float64(w[i] * heaviest))
		}
		for j := range k {
			b[j] = b[j].plus(we.timesFloat(x[j]))
		}
		squares = squares.plus(we.times(e))
	}
	for j := range k {
		s.products[j] = b[j].double()
	}
	return squares.double()
}

// settle finds c and ρ of response g from the residuals of ĥ.
func (s *LeastSquares) settle(k, n, g int, squares double, heaviest float64) {
	b := s.products[:k]
	size := 1 / math.Sqrt(heaviest) / s.scale[k+g]
	// Rᵀ z = Xᵀ W e, and c = −z
	for r, x := range s.regressors {
		for l := range x.Columns {
			j := s.starts[r] + l
			z := b[j]
			for m := range j {
				z = z.minus(s.root[m*n+j].times(b[m]))
			}
			if d := s.root[j*n+j]; d.hi == 0 {
				z = double{}
			} else {
				z = z.over(d)
			}
			b[j], squares = z, squares.minus(z.times(z))
			s.offset[r][g*x.Columns+l] = float64(-z.float() * size)
		}
	}
	s.rest[g] = float64(max(0, squares.float()) * size * size)
}

// split writes R, whole and in parts.
func (s *LeastSquares) split(k, n int, light float64) {
	most := 0.0
	for i := range k {
		for j := i; j < k; j++ {
			most = max(most, math.Abs(s.root[i*n+j].hi))
		}
	}
	_, e := math.Frexp(most)
	grid := math.Ldexp(1.5, 30+max(-1000, min(900, e)))
	for r, x := range s.regressors {
		for l := range x.Columns {
			s.units[r][l] = 1 / s.scale[s.starts[r]+l]
		}
		for q := r; q < len(s.regressors); q++ {
			y, at := s.regressors[q], r*len(s.regressors)+q
			for l := range x.Columns {
				for m := range y.Columns {
					i, j, to := s.starts[r]+l, s.starts[q]+m, l*y.Columns+m
					s.factor[at][to], s.high[at][to], s.low[at][to] = 0, 0, 0
					if j < i {
						continue
					}
					v := s.root[i*n+j]
					coarse := v.hi + grid
					coarse -= grid
					s.factor[at][to] = v.float() * light / s.scale[j]
					s.high[at][to] = float64(coarse * light)
					s.low[at][to] = float64(v.minus(double{coarse, 0}).float() * light)
				}
			}
		}
	}
}

// Rest returns ρ of each response. What the methods return is the fit's own.
func (s *LeastSquares) Rest() []float64 { return s.rest }

// Centre returns ĥ of a regressor, for one response after the other.
func (s *LeastSquares) Centre(r int) []float64 { return s.centre[r] }

// Offset returns c of a regressor, for one response after the other.
func (s *LeastSquares) Offset(r int) []float64 { return s.offset[r] }

// Factor returns the block of R of the regressors r and q ≥ r, row-major.
func (s *LeastSquares) Factor(r, q int) []float64 {
	return s.factor[r*len(s.regressors)+q]
}

// Scale returns e of a regressor: powers of two near the columns.
func (s *LeastSquares) Scale(r int) []float64 { return s.units[r] }

// High returns the block of R/e of the regressors r and q ≥ r as Factor does,
// rounded to multiples of 2⁻²² of a power of two above all of R/e.
func (s *LeastSquares) High(r, q int) []float64 { return s.high[r*len(s.regressors)+q] }

// Low returns what High leaves.
func (s *LeastSquares) Low(r, q int) []float64 { return s.low[r*len(s.regressors)+q] }
