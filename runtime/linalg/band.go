package linalg

// band is the factorisation B = L D Lᵀ of a matrix of order n with half width
// w ≥ 1, row by row: Golub & Van Loan (2013), "Matrix Computations", 4.3.
//
// L is stored twice, so that both substitutions read it in order.
type band struct {
	w                 int
	pivot, reciprocal []float64
	rows              []float64 // n × w: row i ends with L_i,i−1
	columns           []float64 // n × w: row i starts with L_i+1,i
	u                 []float64 // w: a row of L D
	z                 []float64 // n × (w+1): row i starts with Z_ii, Z_i,i+1, … in inverse
}

func newBand(n, w int, pivot, reciprocal []float64) *band {
	return &band{
		w: w, pivot: pivot, reciprocal: reciprocal,
		rows: make([]float64, n*w), columns: make([]float64, n*w),
		u: make([]float64, w), z: make([]float64, n*(w+1)),
	}
}

// row returns the entries of row i of L before the diagonal, within the band.
func (s *band) row(i int) []float64 { return s.rows[i*s.w : (i+1)*s.w][s.w-min(i, s.w):] }

// column returns the entries of column i of L below the diagonal.
func (s *band) column(i int) []float64 {
	return s.columns[i*s.w : (i+1)*s.w][:min(len(s.pivot)-1-i, s.w)]
}

// factor computes u_j = L_ij d_j = B_ij − Σ_k L_jk u_k for the columns j < i of
// row i, and d_i = B_ii − Σ_j L_ij u_j.
func (s *band) factor(b []float64) float64 {
	n, w := len(s.pivot), s.w
	pivot := 0.0
	for i := range n {
		row := s.row(i)
		first, u := i-len(row), s.u[:len(row)]
		pivot = b[i]
		for c := range row {
			j := first + c
			v := b[(i-j)*n+i]
			shared := s.rows[(j+1)*w-c : (j+1)*w]
			for k, f := range shared {
				v -= float64(f * u[k])
			}
			f := v / s.pivot[j]
			u[c], row[c] = v, f
			s.columns[j*w+i-j-1] = f
			pivot -= float64(f * v)
		}
		s.pivot[i], s.reciprocal[i] = pivot, 1/pivot
		if !positive(pivot) {
			break
		}
	}
	return pivot
}

// forward keeps the element before, for which the next one waits, out of memory.
func (s *band) forward(a, p []float64) {
	x := p[0]
	a[0] = x
	for i := 1; i < len(s.pivot); i++ {
		row := s.row(i)
		far := row[:len(row)-1]
		before := a[i-len(row):][:len(far)]
		y := p[i]
		for k, f := range far {
			y -= float64(f * before[k])
		}
		x = y - float64(row[len(far)]*x)
		a[i] = x
	}
}

func (s *band) backward(a []float64) {
	n := len(s.pivot)
	x := float64(a[n-1] * s.reciprocal[n-1])
	a[n-1] = x
	for i := n - 2; i >= 0; i-- {
		column := s.column(i)
		after := a[i+1:][:len(column)]
		y := float64(a[i] * s.reciprocal[i])
		for k := len(column) - 1; k > 0; k-- {
			y -= float64(column[k] * after[k])
		}
		x = y - float64(column[0]*x)
		a[i] = x
	}
}

func (s *band) multiply(p, g []float64) {
	for i := range s.pivot {
		row := s.row(i)
		before := g[i-len(row):][:len(row)]
		x := g[i]
		for k, f := range row {
			x += float64(f * before[k])
		}
		p[i] = x
	}
}

// inverse computes the band of Z = B⁻¹ by the recurrence of Takahashi, Fagan &
// Chin (1973), "Formation of a sparse bus impedance matrix and its application
// to short circuit study": Lᵀ Z = D⁻¹ L⁻¹ is lower triangular with the diagonal
// D⁻¹, so that, for i from the last to the first,
//
//	Z_ij = −Σ_k>i L_ki Z_kj  for j > i,  Z_ii = 1/d_i − Σ_k>i L_ki Z_ki.
//
// All that occurs on the right lies in the band. See also Rue & Held (2005),
// "Gaussian Markov Random Fields", 2.4.
func (s *band) inverse(w []float64) {
	n, width := len(s.pivot), s.w+1
	for i := n - 1; i >= 0; i-- {
		column := s.column(i)
		zi := s.z[i*width:][:len(column)+1]
		out := zi[1:]
		s.timesInverse(out, column, i+1)
		x := s.reciprocal[i]
		for k, f := range column {
			x -= float64(f * out[k])
		}
		zi[0] = x
		for o, v := range zi {
			w[o*n+i+o] = v
		}
	}
}

// timesInverse computes out = −Z f, for the block of Z that starts at row and
// column first. It has the upper triangle of the block.
func (s *band) timesInverse(out, f []float64, first int) {
	width := s.w + 1
	clear(out)
	for k, fk := range f {
		z := s.z[(first+k)*width:][:len(f)-k]
		rest, o := f[k:][:len(z)], out[k:][:len(z)]
		sum := float64(fk * z[0])
		for j := 1; j < len(z); j++ {
			o[j] -= float64(fk * z[j])
			sum += float64(rest[j] * z[j])
		}
		o[0] -= sum
	}
}
