package linalg

// Dense writes the packed matrix b to dst in full, row-major, with zeros where
// b has no number.
func (c *Structured) Dense(dst, b []float64) {
	n := c.N
	dst, b = dst[:n*n], b[:c.length]
	clear(dst)
	c.entries(func(at, i, j int) {
		dst[i*n+j] = b[at]
		dst[j*n+i] = b[at]
	})
}

// Pack is the inverse of Dense: it writes the entries of dense that lie in the
// pattern to the packed matrix b, and sets unused numbers to 0. Of the spines
// it reads the lower triangles, of the borders the rows.
func (c *Structured) Pack(b, dense []float64) {
	n := c.N
	b, dense = b[:c.length], dense[:n*n]
	clear(b)
	c.entries(func(at, i, j int) { b[at] = dense[i*n+j] })
}

// entries calls f with the place of every used number of a packed matrix, its
// row and its column.
func (c *Structured) entries(f func(at, row, column int)) {
	for q := range c.blocks {
		k := &c.blocks[q]
		n, m := k.N, len(k.Border)
		for o := range min(k.Width+1, n) {
			for i := o; i < n; i++ {
				f(k.start+o*n+i, k.Spine+i, k.Spine+i-o)
			}
		}
		for r, row := range k.Border {
			for i := range n {
				f(k.edge+r*n+i, row, k.Spine+i)
			}
			for s, column := range k.Border {
				f(k.corner+r*m+s, row, column)
			}
		}
	}
}

// SubtractSquare subtracts the entries of v vᵀ that lie in the pattern from the
// packed matrix w. It leaves unused numbers as they are.
func (c *Structured) SubtractSquare(w, v []float64) {
	w, v = w[:c.length], v[:c.N]
	for q := range c.blocks {
		k := &c.blocks[q]
		n, m := k.N, len(k.Border)
		spine := v[k.Spine:][:n]
		for o := range min(k.Width+1, n) {
			subtractProducts(w[k.start+o*n:][o:n], spine[o:], spine)
		}
		for r, i := range k.Border {
			subtractScaled(w[k.edge+r*n:][:n], v[i], spine)
			corner := w[k.corner+r*m:][:m]
			for s, j := range k.Border {
				corner[s] -= float64(v[i] * v[j])
			}
		}
	}
}
