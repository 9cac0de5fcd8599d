package kernel

// A form is a function of each row of a matrix, with coefficients.
type form int

const (
	linear    form = iota // Σ_j x_ij b_j
	quadratic             // Σ_jl x_ij w_jl x_il
)

// forms sets dst_i to the form of row i for i < Rows.
func (x *Matrix) forms(f form, dst, coefficients []float64) {
	k, dst := x.Cols, dst[:x.Rows]
	if k == 0 {
		clear(dst)
		return
	}
	for panels := x.panels; len(dst) > 0; {
		n := min(len(dst), blockRows)
		end := panelCount(n) * k
		switch {
		case path != portable:
			vectorForms(f, dst[:n], panels[:end], coefficients, k)
		case f == linear:
			linearForms(dst[:n], panels[:end], coefficients)
		default:
			quadraticForms(dst[:n], panels[:end], coefficients, k)
		}
		dst, panels = dst[n:], panels[end:]
	}
}

// linearForms sets dst_i = Σ_j x_ij b_j.
func linearForms(dst []float64, panels []column, b []float64) {
	var s column
	for len(dst) > 0 {
		x := panels[:len(b)]
		linearForm(&s, x, x, b)
		n := copy(dst, s[:])
		dst, panels = dst[n:], panels[len(b):]
	}
}

// quadraticForms sets dst_i = Σ_j x_ij (2 Σ_l<j w_jl x_il + w_jj x_ij).
func quadraticForms(dst []float64, panels []column, w []float64, k int) {
	for len(dst) > 0 {
		var s column
		for j := range k {
			x := panels[:j+1]
			addQuadratic(&s, x, x, w[j*k:][:j+1])
		}
		n := copy(dst, s[:])
		dst, panels = dst[n:], panels[k:]
	}
}

// linearForm sets dst = Σ_j b_j x_j for columns x_j of a panel. The argument y is x again.
//
// The compiler may not know that x and y are the same, here and below. It would
// order the products of all eight rows before the additions, for which amd64
// has too few registers: a sum would be in memory, at half the speed.
func linearForm(dst *column, x, y []column, b []float64) {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	for j, f := range b {
		c := &x[j]
		s0 += float64(f * c[0])
		s1 += float64(f * c[1])
		s2 += float64(f * c[2])
		s3 += float64(f * c[3])
		c = &y[j]
		s4 += float64(f * c[4])
		s5 += float64(f * c[5])
		s6 += float64(f * c[6])
		s7 += float64(f * c[7])
	}
	*dst = column{s0, s1, s2, s3, s4, s5, s6, s7}
}

// addQuadratic adds x_j (2 Σ_l<j w_l x_l + w_j x_j) to dst, for the last column x_j of x. The
// argument y is x again.
func addQuadratic(dst *column, x, y []column, w []float64) {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	last := len(w) - 1
	for l, f := range w[:last] {
		c := &x[l]
		s0 += float64(f * c[0])
		s1 += float64(f * c[1])
		s2 += float64(f * c[2])
		s3 += float64(f * c[3])
		c = &y[l]
		s4 += float64(f * c[4])
		s5 += float64(f * c[5])
		s6 += float64(f * c[6])
		s7 += float64(f * c[7])
	}
	f, c := w[last], &x[last]
	dst[0] += float64((s0 + s0 + float64(f*c[0])) * c[0])
	dst[1] += float64((s1 + s1 + float64(f*c[1])) * c[1])
	dst[2] += float64((s2 + s2 + float64(f*c[2])) * c[2])
	dst[3] += float64((s3 + s3 + float64(f*c[3])) * c[3])
	dst[4] += float64((s4 + s4 + float64(f*c[4])) * c[4])
	dst[5] += float64((s5 + s5 + float64(f*c[5])) * c[5])
	dst[6] += float64((s6 + s6 + float64(f*c[6])) * c[6])
	dst[7] += float64((s7 + s7 + float64(f*c[7])) * c[7])
}

// A moment is a sum over the rows of a matrix, with weights.
type moment int

const (
	firstMoment  moment = iota // Σ_i w_i x_ij, for all j
	secondMoment               // Σ_i (w_i x_ij) x_il, in the lower triangle of a square
)

// moments sets dst to the moment with the weights w. The upper triangle of a
// square becomes zero.
func (x *Matrix) moments(m moment, dst, w []float64) {
	k, w := x.Cols, w[:x.Rows]
	clear(dst)
	if k == 0 {
		return
	}
	for panels := x.panels; len(w) > 0; {
		n := min(len(w), blockRows)
		end := panelCount(n) * k
		if path == portable {
			scalarMoments(m, dst, panels[:end], w[:n], k)
		} else {
			vectorMoments(m, dst, panels[:end], w[:n], k)
		}
		w, panels = w[n:], panels[end:]
	}
}

// shortRows is the length of blocks for which clearing longer arrays would take more time
// than the sums.
const shortRows = 64

// scalarMoments adds the moments of a block of k columns to dst.
func scalarMoments(m moment, dst []float64, block []column, w []float64, k int) {
	n := panelCount(len(w))
	if len(w) <= shortRows {
		var u, v [shortRows / panelRows]column
		blockMoments(m, dst, block, w, k, u[:n], v[:n])
	} else {
		var u, v [blockRows / panelRows]column
		blockMoments(m, dst, block, w, k, u[:n], v[:n])
	}
}

// blockMoments is scalarMoments with zeros in u and v, which it fills with the weights
// and with weighted columns.
func blockMoments(m moment, dst []float64, block []column, w []float64, k int, u, v []column) {
	for i := range u {
		w = w[copy(u[i][:], w):]
	}
	if m == firstMoment {
		for j := range dst {
			dst[j] += sumRows(block[j:], block[j:], k, u)
		}
		return
	}
	for j := range k {
		weigh(v, block[j:], k, u)
		row := dst[j*k:][:j+1]
		for l := range row {
			row[l] += sumRows(block[l:], block[l:], k, v)
		}
	}
}

// weigh sets v_i = u_i x_i over panels of k columns, of which the first is x.
func weigh(v, x []column, k int, u []column) {
	v = v[:len(u)]
	at := 0
	for i := range u {
		d, f, c := &v[i], &u[i], &x[at]
		d[0] = float64(f[0] * c[0])
		d[1] = float64(f[1] * c[1])
		d[2] = float64(f[2] * c[2])
		d[3] = float64(f[3] * c[3])
		d[4] = float64(f[4] * c[4])
		d[5] = float64(f[5] * c[5])
		d[6] = float64(f[6] * c[6])
		d[7] = float64(f[7] * c[7])
		at += k
	}
}

// sumRows returns Σ_i u_i x_i over panels of k columns, of which the first is x, as eight
// sums. The argument y is x again.
func sumRows(x, y []column, k int, u []column) float64 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	at := 0
	for i := range u {
		f, c := &u[i], &x[at]
		s0 += float64(f[0] * c[0])
		s1 += float64(f[1] * c[1])
		s2 += float64(f[2] * c[2])
		s3 += float64(f[3] * c[3])
		c = &y[at]
		s4 += float64(f[4] * c[4])
		s5 += float64(f[5] * c[5])
		s6 += float64(f[6] * c[6])
		s7 += float64(f[7] * c[7])
		at += k
	}
	return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
}
