package main

import "strconv"

// randomTables writes the tables of the ziggurat (Marsaglia & Tsang 2000): its strips have the edges x₀ > x₁ > …,
// and all of them the area v.
func randomTables(w *writer) {
	const (
		strips = 128
		edge   = 3.442619855899
		area   = 9.91256303526217e-3
	)
	density := func(x *number) *number {
		return exponential(quotient(product(x, x), integer(-2)))
	}
	var inside [strips]uint32
	var width, height [strips]float32
	scale := integer(1 << 31)
	part := func(x, of *number) uint32 {
		n, _ := product(quotient(x, of), scale).Uint64()
		return uint32(n)
	}
	narrow := func(x *number) float32 { v, _ := x.Float32(); return v }

	x, v := exact(edge), exact(area)
	base := quotient(v, density(x))
	inside[0], width[0], height[0] = part(x, base), narrow(quotient(base, scale)), 1
	width[strips-1], height[strips-1] = narrow(quotient(x, scale)), narrow(density(x))
	for i := strips - 2; i > 0; i-- {
		top := sum(quotient(v, x), density(x))
		next := blank().Sqrt(product(integer(-2), logarithm(top)))
		inside[i+1] = part(next, x)
		x = next
		width[i], height[i] = narrow(quotient(x, scale)), narrow(density(x))
	}

	w.printf("\n// The ziggurat of the normal density: strips, and where the tail begins.\nconst (\nnormalStrips = %d\nnormalEdge = %v\n)\n", strips, edge)
	w.printf("\n// normalInside is how much of a strip lies under the density, in units of 2⁻³¹ of its width.\nvar normalInside = [normalStrips]uint32{")
	for i, n := range inside {
		w.item(i, "0x"+strconv.FormatUint(uint64(n), 16))
	}
	w.printf("\n}\n\n// normalWidth is the width of a strip over 2³¹.\nvar normalWidth = [normalStrips]float32{")
	for i, f := range width {
		w.item(i, strconv.FormatFloat(float64(f), 'g', -1, 32))
	}
	w.printf("\n}\n\n// normalHeight is the density at the end of a strip.\nvar normalHeight = [normalStrips]float32{")
	for i, f := range height {
		w.item(i, strconv.FormatFloat(float64(f), 'g', -1, 32))
	}
	w.printf("\n}\n")
}
