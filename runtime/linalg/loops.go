package linalg

// multiply computes z_i = x_i y_i.
func multiply(z, x, y []float64) {
	x, y = x[:len(z)], y[:len(z)]
	for i := range z {
		z[i] = float64(x[i] * y[i])
	}
}

// addProducts adds x_i y_i to z_i.
func addProducts(z, x, y []float64) {
	x, y = x[:len(z)], y[:len(z)]
	for i := range z {
		z[i] += float64(x[i] * y[i])
	}
}

// subtractProducts subtracts x_i y_i from z_i.
func subtractProducts(z, x, y []float64) {
	x, y = x[:len(z)], y[:len(z)]
	for i := range z {
		z[i] -= float64(x[i] * y[i])
	}
}

// subtractScaled subtracts f x_i from z_i.
func subtractScaled(z []float64, f float64, x []float64) {
	x = x[:len(z)]
	for i := range z {
		z[i] -= float64(f * x[i])
	}
}

// dotFour returns Σ_i x_i y_i as four sums, which do not wait for one another.
func dotFour(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64
	for len(x) >= 4 && len(y) >= 4 {
		s0 += float64(x[0] * y[0])
		s1 += float64(x[1] * y[1])
		s2 += float64(x[2] * y[2])
		s3 += float64(x[3] * y[3])
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		s0 += float64(v * y[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// weightedProduct returns Σ_i r_i x_i y_i.
func weightedProduct(r, x, y []float64) float64 {
	x, y = x[:len(r)], y[:len(r)]
	s := 0.0
	for i, w := range r {
		s += float64(w * float64(x[i]*y[i]))
	}
	return s
}

// weightedSquare returns Σ_i r_i a_i² as four sums.
func weightedSquare(a, r []float64) float64 {
	r = r[:len(a)]
	var s0, s1, s2, s3 float64
	for len(a) >= 4 && len(r) >= 4 {
		s0 += float64(a[0] * (a[0] * r[0]))
		s1 += float64(a[1] * (a[1] * r[1]))
		s2 += float64(a[2] * (a[2] * r[2]))
		s3 += float64(a[3] * (a[3] * r[3]))
		a, r = a[4:], r[4:]
	}
	for i, v := range a {
		s0 += float64(v * (v * r[i]))
	}
	return (s0 + s1) + (s2 + s3)
}
