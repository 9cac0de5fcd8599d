package runtime

// covariance accumulates the covariance matrix of points, or its diagonal, by
// Welford's recursion.
type covariance struct {
	Count   float64   `json:"count"`
	Mean    []float64 `json:"mean"`
	Squares []float64 `json:"squares"` // Σ (x − mean)²: m of them, or m·m products, the lower triangle of which counts
	diff    []float64
}

func newCovariance(m int, dense bool) *covariance {
	n := m
	if dense {
		n = m * m
	}
	return &covariance{Mean: make([]float64, m), Squares: make([]float64, n), diff: make([]float64, m)}
}

func (c *covariance) reset() {
	c.Count = 0
	clear(c.Mean)
	clear(c.Squares)
}

// add takes one point.
func (c *covariance) add(x []float64) {
	c.Count++
	for i, v := range x {
		c.diff[i] = v - c.Mean[i]
		c.Mean[i] += c.diff[i] / c.Count
	}
	m := len(x)
	if len(c.Squares) == m {
		for i, v := range x {
			c.Squares[i] += float64(c.diff[i] * (v - c.Mean[i]))
		}
		return
	}
	for i, v := range x {
		d := v - c.Mean[i]
		for j := range i + 1 {
			c.Squares[i*m+j] += float64(d * c.diff[j])
		}
	}
}

// regularised writes to out an estimate like Stan's: with n points the sample covariance S
// shrunk towards a small multiple of its own diagonal,
//
//	n/(n + 5) S + 10⁻³ · 5/(n + 5) diag S,
//
// where Stan has the identity in place of diag S. So the estimate has the unit of the points, whatever
// that is: the identity is ten times the variance of a parameter whose standard deviation is 0.01, and nothing
// beside that of one of 1000. It needs two points. A coordinate that all points share has the variance that it had,
// which now tells.
func (c *covariance) regularised(out, now []float64) {
	n := c.Count
	shrink := n / (n + 5) / (n - 1)
	floor := 1e-3 * 5 / (n + 5) / (n - 1)
	m := len(c.Mean)
	if len(c.Squares) == m {
		for i, s := range c.Squares {
			if out[i] = float64(s * (shrink + floor)); s == 0 {
				out[i] = now[i]
			}
		}
		return
	}
	for i := range m {
		for j := range i + 1 {
			x := float64(c.Squares[i*m+j] * shrink)
			if i == j {
				if x += float64(c.Squares[i*m+i] * floor); x == 0 {
					x = now[i*m+i]
				}
			}
			out[i*m+j], out[j*m+i] = x, x
		}
	}
}
