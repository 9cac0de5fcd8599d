package kernel

// Delta returns Kronecker's delta: 1 if i = j, else 0.
func Delta(i, j int) float64 {
	if i == j {
		return 1
	}
	return 0
}

// Before returns 1 if i < j, else 0.
func Before(i, j int) float64 {
	if i < j {
		return 1
	}
	return 0
}

// Inside returns 1 if lo ≤ i ≤ hi, else 0.
func Inside(i, lo, hi int) float64 {
	if i >= lo && i <= hi {
		return 1
	}
	return 0
}
