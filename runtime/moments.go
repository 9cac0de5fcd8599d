package runtime

import "slices"

// moments takes points one by one, and knows their number, their mean and the sums of squares about it, by coordinate.
type moments struct {
	Count   float64   `json:"count"`
	Mean    []float64 `json:"mean"`
	Squares []float64 `json:"squares"` // Σ (x − mean)²
}

func newMoments(m int) *moments {
	return &moments{Mean: make([]float64, m), Squares: make([]float64, m)}
}

func (c *moments) reset() {
	c.Count = 0
	clear(c.Mean)
	clear(c.Squares)
}

// add takes one point.
func (c *moments) add(x []float64) {
	c.Count++
	for i, v := range x {
		d := v - c.Mean[i]
		c.Mean[i] += d / c.Count
		c.Squares[i] += float64(d * (v - c.Mean[i]))
	}
}

func (c *moments) clone() moments {
	return moments{Count: c.Count, Mean: slices.Clone(c.Mean), Squares: slices.Clone(c.Squares)}
}

// fits reports whether it is of m coordinates.
func (c *moments) fits(m int) bool { return len(c.Mean) == m && len(c.Squares) == m }

// take takes over the numbers of another.
func (c *moments) take(s *moments) {
	c.Count = s.Count
	copy(c.Mean, s.Mean)
	copy(c.Squares, s.Squares)
}
