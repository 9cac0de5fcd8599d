package handwritten

// identity is the constant metric I in dimension m, for models that are
// here for their densities alone.
type identity struct{ m int }

// Metric writes I to g[m·m].
func (id identity) Metric(g, _ []float64) {
	clear(g[:id.m*id.m])
	for i := range id.m {
		g[i*id.m+i] = 1
	}
}

// Contract writes zeros to out[m]: the metric is constant.
func (id identity) Contract(out, _, _ []float64) { clear(out[:id.m]) }

// MetricJacobian writes zeros to out[m·m·m]: the metric is constant.
func (id identity) MetricJacobian(out, _ []float64) { clear(out[:id.m*id.m*id.m]) }
