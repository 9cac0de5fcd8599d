package kernel

// Positions writes whole numbers that select elements, counted from 1, to dst as positions counted from 0. One that is not between 1 and
// last[0] becomes the nearest that is: a model does not start with such numbers, which Selects of package validate reports.
func Positions(dst []int, numbers, last []float64) {
	most := int(last[0]) - 1
	for i, x := range numbers[:len(dst)] {
		at := 0
		if x >= 1 {
			at = min(int(x)-1, most)
		}
		if x > last[0] {
			at = most
		}
		dst[i] = max(at, 0)
	}
}
