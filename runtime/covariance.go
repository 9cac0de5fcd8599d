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
			c.Squares[i] += c.diff[i] * (v - c.Mean[i])
		}
		return
	}
	for i, v := range x {
		d := v - c.Mean[i]
		for j := range i + 1 {
			c.Squares[i*m+j] += d * c.diff[j]
		}
	}
}

// regularised writes to out the estimate that Stan takes: with n points the sample
// covariance S shrunk towards a small multiple of the identity,
// n/(n + 5) S + 10⁻³ · 5/(n + 5) I. It needs two points.
func (c *covariance) regularised(out []float64) {
	n := c.Count
	shrink := n / (n + 5) / (n - 1)
	floor := 1e-3 * 5 / (n + 5)
	m := len(c.Mean)
	if len(c.Squares) == m {
		for i, s := range c.Squares {
			out[i] = s*shrink + floor
		}
		return
	}
	for i := range m {
		for j := range i + 1 {
			x := c.Squares[i*m+j] * shrink
			if i == j {
				x += floor
			}
			out[i*m+j], out[j*m+i] = x, x
		}
	}
}
