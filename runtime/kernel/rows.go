package kernel

// What dense linear algebra spends its time with: sums of rows of a matrix, each with a factor of its own.

// AddRows adds k rows of a matrix b to dst, with factors from f: dst_j += Σ_l f_l b_lj for j < len(dst), where f_l is f[fAt + l·fStep] and
// b_lj is b[bAt + l·bStep + j]. Steps may be negative. Of four rows the products are added in pairs, (f_0 b_0j + f_1 b_1j) +
// (f_2 b_2j + f_3 b_3j); those that are left one by one. No row overlaps dst.
func AddRows(dst, f []float64, fAt, fStep int, b []float64, bAt, bStep, k int) {
	if len(dst) == 0 || k <= 0 {
		return
	}
	checkRows(len(dst), f, fAt, fStep, b, bAt, bStep, k)
	if path != portable && (len(dst) >= leastVector || k >= manyRows) {
		vectorAddRows(dst, &f[fAt], fStep, &b[bAt], bStep, k)
		return
	}
	addRows(dst, f, fAt, fStep, b, bAt, bStep, k)
}

// SubtractRows subtracts rows as AddRows adds them, but one after the other: dst_j is ((dst_j − f_0 b_0j) − f_1 b_1j) − ….
func SubtractRows(dst, f []float64, fAt, fStep int, b []float64, bAt, bStep, k int) {
	if len(dst) == 0 || k <= 0 {
		return
	}
	checkRows(len(dst), f, fAt, fStep, b, bAt, bStep, k)
	if path != portable && (len(dst) >= leastVector || k >= manyRows) {
		vectorSubtractRows(dst, &f[fAt], fStep, &b[bAt], bStep, k)
		return
	}
	subtractRows(dst, f, fAt, fStep, b, bAt, bStep, k)
}

// leastVector is the least length of rows for which a call of assembly takes less time than a loop, and manyRows the least number of shorter ones.
const (
	leastVector = 4
	manyRows    = 8
)

// checkRows panics unless the first and the last row, and their factors, are there, and so all that are between them.
func checkRows(n int, f []float64, fAt, fStep int, b []float64, bAt, bStep, k int) {
	last := bAt + (k-1)*bStep
	_, _ = f[fAt], f[fAt+(k-1)*fStep]
	_, _, _, _ = b[bAt], b[bAt+n-1], b[last], b[last+n-1]
}

// addRows is the scalar form of AddRows.
func addRows(dst, f []float64, fAt, fStep int, b []float64, bAt, bStep, k int) {
	for ; k >= 4; k -= 4 {
		f0, f1, f2, f3 := f[fAt], f[fAt+fStep], f[fAt+2*fStep], f[fAt+3*fStep]
		b0, b1, b2, b3 := b[bAt:][:len(dst)], b[bAt+bStep:][:len(dst)], b[bAt+2*bStep:][:len(dst)], b[bAt+3*bStep:][:len(dst)]
		for j := range dst {
			dst[j] += float64(f0*b0[j]) + float64(f1*b1[j]) + (float64(f2*b2[j]) + float64(f3*b3[j]))
		}
		fAt, bAt = fAt+4*fStep, bAt+4*bStep
	}
	for ; k > 0; k-- {
		f0, b0 := f[fAt], b[bAt:][:len(dst)]
		for j := range dst {
			dst[j] += float64(f0 * b0[j])
		}
		fAt, bAt = fAt+fStep, bAt+bStep
	}
}

// subtractRows is the scalar form of SubtractRows.
func subtractRows(dst, f []float64, fAt, fStep int, b []float64, bAt, bStep, k int) {
	for ; k >= 4; k -= 4 {
		f0, f1, f2, f3 := f[fAt], f[fAt+fStep], f[fAt+2*fStep], f[fAt+3*fStep]
		b0, b1, b2, b3 := b[bAt:][:len(dst)], b[bAt+bStep:][:len(dst)], b[bAt+2*bStep:][:len(dst)], b[bAt+3*bStep:][:len(dst)]
		for j := range dst {
			v := dst[j] - float64(f0*b0[j])
			v -= float64(f1 * b1[j])
			v -= float64(f2 * b2[j])
			dst[j] = v - float64(f3*b3[j])
		}
		fAt, bAt = fAt+4*fStep, bAt+4*bStep
	}
	for ; k > 0; k-- {
		f0, b0 := f[fAt], b[bAt:][:len(dst)]
		for j := range dst {
			dst[j] -= float64(f0 * b0[j])
		}
		fAt, bAt = fAt+fStep, bAt+bStep
	}
}
