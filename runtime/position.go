package runtime

// Same reports whether two positions are equal bit for bit, zeros of both
// signs and NaN aside.
func Same(a, b []float64) bool {
	for i, x := range a {
		if x != b[i] {
			return false
		}
	}
	return true
}

// SubtractSquare subtracts v vᵀ from the row-major matrix w.
func SubtractSquare(w, v []float64) {
	m := len(v)
	for i, x := range v {
		row := w[i*m : i*m+m]
		for j := range row {
			row[j] -= float64(x * v[j])
		}
	}
}

// PivotStatus tells why a metric whose pivots are given is not positive
// definite: one of them is not finite, or not positive.
func PivotStatus(pivots ...float64) Status {
	for _, x := range pivots {
		if !isFinite(x) {
			return NonFinite
		}
	}
	return NotPositiveDefinite
}
