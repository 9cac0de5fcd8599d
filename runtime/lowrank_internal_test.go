package runtime

import "testing"

// TestWeigh: C⁻¹ undoes C, in every form of it.
func TestWeigh(t *testing.T) {
	for name, e := range splitSystems(t, quartic) {
		d, v, w := []float64{0.7, -1.1, 2.5}, make([]float64, 3), make([]float64, 3)
		s := (*separable)(e)
		s.Solve(v, d)
		if s.weigh(w, v); !near(w, d) {
			t.Errorf("%s: C⁻¹C d is %v, want %v", name, w, d)
		}
	}
}

// TestFewElements: a direction of few elements, which are kept apart, does what it does whole.
func TestFewElements(t *testing.T) {
	list := append([]float64{4, 0.25, 1, 2, 3, 0.5, 1.5, 9}, 3, 0, 0.6, 0, 0, 0, 0, -0.8, 0)
	few, whole := newLowRank(8, list), newLowRank(8, list)
	if len(few.vectors[0].few) != 2 {
		t.Fatalf("%v is not sparse", few.vectors[0])
	}
	whole.vectors[0].at = nil
	p := []float64{0.7, -1.1, 2.5, 0.1, -0.3, 1.9, 0.4, -2}
	for name, do := range map[string]func(c *lowRank, out []float64){
		"mul":    func(c *lowRank, out []float64) { c.mul(out, p) },
		"weigh":  func(c *lowRank, out []float64) { c.weigh(out, p) },
		"whiten": func(c *lowRank, out []float64) { c.whiten(out, p) },
		"draw":   func(c *lowRank, out []float64) { copy(out, p); c.draw(out) },
		"forms":  func(c *lowRank, out []float64) { out[0] = c.forms(p, p) },
	} {
		a, b := make([]float64, 8), make([]float64, 8)
		do(few, a)
		do(whole, b)
		if distance(a, b) > 1e-14 {
			t.Errorf("%s: %v, whole %v", name, a, b)
		}
	}
}
