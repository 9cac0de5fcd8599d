package kernel

// A form is a function of each row of a matrix, with coefficients.
type form int

const (
	linear    form = iota // Σ_j x_ij b_j
	quadratic             // Σ_jl x_ij w_jl x_il
)

// apply sets dst_i to the form of row i for i < Rows.
func (x *Matrix) apply(f form, dst, coefficients []float64) {
	k, dst := x.Cols, dst[:x.Rows]
	if k == 0 {
		clear(dst)
		return
	}
	panels := x.panels
	for len(dst) >= panelRows {
		n := min(len(dst)/panelRows, blockPanels)
		applyPanels(f, dst[:n*panelRows], panels[:n*k], coefficients)
		dst, panels = dst[n*panelRows:], panels[n*k:]
	}
	if len(dst) > 0 {
		var last column
		applyPanels(f, last[:], panels, coefficients)
		copy(dst, last[:])
	}
}

// applyPanels is apply for whole panels.
func applyPanels(f form, dst []float64, panels []column, coefficients []float64) {
	switch {
	case path != portable:
		vectorForms(f, dst, panels, coefficients)
	case f == linear:
		linearForms(dst, panels, coefficients)
	default:
		quadraticForms(dst, panels, coefficients)
	}
}

// linearForms sets dst_i = Σ_j x_ij b_j.
func linearForms(dst []float64, panels []column, b []float64) {
	for len(dst) >= panelRows {
		var s0, s1, s2, s3, s4, s5, s6, s7 float64
		x := panels[:len(b)]
		for j, f := range b {
			c := &x[j]
			s0 += float64(f * c[0])
			s1 += float64(f * c[1])
			s2 += float64(f * c[2])
			s3 += float64(f * c[3])
			s4 += float64(f * c[4])
			s5 += float64(f * c[5])
			s6 += float64(f * c[6])
			s7 += float64(f * c[7])
		}
		*(*column)(dst) = column{s0, s1, s2, s3, s4, s5, s6, s7}
		dst, panels = dst[panelRows:], panels[len(b):]
	}
}

// quadraticForms sets dst_i = Σ_j x_ij (2 Σ_l<j w_jl x_il + w_jj x_ij).
func quadraticForms(dst []float64, panels []column, w []float64) {
	k := len(panels) / (len(dst) / panelRows)
	for len(dst) >= panelRows {
		d, x := (*column)(dst), panels[:k]
		clear(d[:])
		for j := range x {
			var s0, s1, s2, s3, s4, s5, s6, s7 float64
			row := w[j*k:][:j+1]
			before := x[:j]
			for l := range before {
				f, c := row[l], &before[l]
				s0 += float64(f * c[0])
				s1 += float64(f * c[1])
				s2 += float64(f * c[2])
				s3 += float64(f * c[3])
				s4 += float64(f * c[4])
				s5 += float64(f * c[5])
				s6 += float64(f * c[6])
				s7 += float64(f * c[7])
			}
			f, c := row[j], &x[j]
			d[0] += float64((s0 + s0 + float64(f*c[0])) * c[0])
			d[1] += float64((s1 + s1 + float64(f*c[1])) * c[1])
			d[2] += float64((s2 + s2 + float64(f*c[2])) * c[2])
			d[3] += float64((s3 + s3 + float64(f*c[3])) * c[3])
			d[4] += float64((s4 + s4 + float64(f*c[4])) * c[4])
			d[5] += float64((s5 + s5 + float64(f*c[5])) * c[5])
			d[6] += float64((s6 + s6 + float64(f*c[6])) * c[6])
			d[7] += float64((s7 + s7 + float64(f*c[7])) * c[7])
		}
		dst, panels = dst[panelRows:], panels[k:]
	}
}

// A moment is a sum over the rows of a matrix, with weights.
type moment int

const (
	firstMoment  moment = iota // Σ_i w_i x_ij, for all j
	secondMoment               // Σ_i w_i x_ij x_il, for l ≤ j, in the lower triangle of a square
)

// sum sets dst to the moment with the weights w. The upper triangle of a
// square becomes zero.
func (x *Matrix) sum(m moment, dst, w []float64) {
	k := x.Cols
	panels, w := x.panels, w[:x.Rows]
	clear(dst)
	if k == 0 {
		return
	}
	for len(w) > 0 {
		n := min(len(w), blockRows)
		block := panels[:(n+panelRows-1)/panelRows*k]
		switch {
		case path != portable:
			vectorMoments(m, dst, block, w[:n], k)
		case m == firstMoment:
			firstMoments(dst, block, w[:n])
		default:
			secondMoments(dst, block, w[:n], k)
		}
		w, panels = w[n:], panels[len(block):]
	}
}

// firstMoments adds Σ_i w_i x_ij to dst_j.
func firstMoments(dst []float64, block []column, w []float64) {
	for j := range dst {
		dst[j] += lanes(block[j:], len(dst), w)
	}
}

// secondMoments adds Σ_i w_i x_ij x_il to the lower triangle of dst.
func secondMoments(dst []float64, block []column, w []float64, k int) {
	const short = 64 // clearing a long array would take longer than such a sum
	if len(w) <= short {
		var u [short]float64
		weightedMoments(dst, block, w, u[:len(w)], k)
		return
	}
	var u [blockRows]float64
	weightedMoments(dst, block, w, u[:len(w)], k)
}

// weightedMoments is secondMoments with an array u for w_i x_ij.
func weightedMoments(dst []float64, block []column, w, u []float64, k int) {
	for j := range k {
		for i, f := range w {
			u[i] = float64(f * block[i/panelRows*k+j][i%panelRows])
		}
		row := dst[j*k:][:j+1]
		for l := range row {
			row[l] += lanes(block[l:], k, u)
		}
	}
}

// lanes returns Σ_i w_i x_i of a block, as eight sums. The x_i are in every k-th of the
// columns.
func lanes(columns []column, k int, w []float64) float64 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	at := 0
	for len(w) >= panelRows {
		f, c := (*column)(w), &columns[at]
		s0 += float64(f[0] * c[0])
		s1 += float64(f[1] * c[1])
		s2 += float64(f[2] * c[2])
		s3 += float64(f[3] * c[3])
		s4 += float64(f[4] * c[4])
		s5 += float64(f[5] * c[5])
		s6 += float64(f[6] * c[6])
		s7 += float64(f[7] * c[7])
		w = w[panelRows:]
		at += k
	}
	s := column{s0, s1, s2, s3, s4, s5, s6, s7}
	for i, f := range w {
		s[i] += float64(f * columns[at][i])
	}
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}
