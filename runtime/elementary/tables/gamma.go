package main

// lgammaDegree is the degree of the polynomials of lgammaPieces.
const lgammaDegree = 12

// gammas writes the table of Lgamma.
func gammas(w *writer) {
	f := logGamma()
	w.printf("\n// lgammaPieces holds polynomials for log Γ(x) / ((x−1)(x−2)): for ½ ≤ x < 2½, in x less the middle of an\n")
	w.printf("// eighth, the first from ½ on.\nvar lgammaPieces = [...][%d]float64{\n", lgammaDegree+1)
	for i := range int64(16) {
		lo, hi := ratio(4+i, 8), ratio(5+i, 8)
		w.printf("{")
		w.list(interpolate(func(x *number) *number {
			return quotient(f(x), product(difference(x, integer(1)), difference(x, integer(2))))
		}, lo, hi, ratio(9+2*i, 16), lgammaDegree))
		w.printf("},\n")
	}
	w.printf("}\n")
}
