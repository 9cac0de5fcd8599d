package runtime

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
