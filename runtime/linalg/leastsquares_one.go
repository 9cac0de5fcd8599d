package linalg

import "math"

// fitOne is Fit for one column and one response without weights, in two passes of float64: a residual y_i − x_i ĥ is one
// fused operation, so that it has all its digits whatever cancels, and nothing cancels in what is summed of them. It reports
// whether it did so; it leaves to the others what is not finite, zero, or far from 1.
func (s *LeastSquares) fitOne(x, y []float64) bool {
	const least, most = 1e-150, 1e150 // of squares that lose nothing to underflow
	xx, xy, yy := products(x, y)
	if !(least < xx && xx < most && least < yy && yy < most) {
		return false
	}
	h, p, q := 0.0, xy, yy
	// p/xx is how far ĥ is from the least sum, p²/xx what it adds to it: c² and at most 64 ρ.
	if above := float64(p / xx * p); !(above <= 64*(q-above)) {
		h = p / xx
		p, q = ofResiduals(x, y, h)
	}
	root := math.Sqrt(xx)
	c := -p / root
	_, e := math.Frexp(root)
	s.scale[0], s.scale[1] = math.Ldexp(1, -e), 1
	s.root[0] = double{float64(root * s.scale[0]), 0}
	s.split(1, 2, 1)
	s.centre[0][0], s.offset[0][0], s.rest[0] = h, c, max(0, q-float64(c*c))
	return true
}

// segment is how many products are summed before the sums are: the error of a sum grows with the length of a segment and with
// the number of segments, not with their product.
const segment = 64

// products returns Σ x_i², Σ x_i y_i and Σ y_i².
func products(x, y []float64) (xx, xy, yy float64) {
	for len(x) > 0 {
		n := min(segment, len(x))
		a, b := x[:n], y[:n]
		x, y = x[n:], y[n:]
		var aa0, aa1, ab0, ab1, bb0, bb1 float64
		if n&1 != 0 {
			u, v := a[n-1], b[n-1]
			aa0, ab0, bb0 = float64(u*u), float64(u*v), float64(v*v)
		}
		for i := 1; i < n; i += 2 {
			u0, v0, u1, v1 := a[i-1], b[i-1], a[i], b[i]
			aa0 += float64(u0 * u0)
			aa1 += float64(u1 * u1)
			ab0 += float64(u0 * v0)
			ab1 += float64(u1 * v1)
			bb0 += float64(v0 * v0)
			bb1 += float64(v1 * v1)
		}
		xx, xy, yy = xx+(aa0+aa1), xy+(ab0+ab1), yy+(bb0+bb1)
	}
	return xx, xy, yy
}

// ofResiduals returns Σ e_i x_i and Σ e_i² for the residuals e_i = y_i − x_i h.
func ofResiduals(x, y []float64, h float64) (ex, ee float64) {
	minus := -h
	for len(x) > 0 {
		n := min(segment, len(x))
		a, b := x[:n], y[:n]
		x, y = x[n:], y[n:]
		var ea0, ea1, ee0, ee1 float64
		if n&1 != 0 {
			e := math.FMA(a[n-1], minus, b[n-1])
			ea0, ee0 = float64(e*a[n-1]), float64(e*e)
		}
		for i := 1; i < n; i += 2 {
			e0, e1 := math.FMA(a[i-1], minus, b[i-1]), math.FMA(a[i], minus, b[i])
			ea0 += float64(e0 * a[i-1])
			ea1 += float64(e1 * a[i])
			ee0 += float64(e0 * e0)
			ee1 += float64(e1 * e1)
		}
		ex, ee = ex+(ea0+ea1), ee+(ee0+ee1)
	}
	return ex, ee
}
