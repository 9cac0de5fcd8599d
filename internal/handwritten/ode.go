package handwritten

import "math"

// extrapolations is the number of approximations that one step extrapolates
// from. It makes the order 2·extrapolations.
const extrapolations = 6

// solveODE returns the solution of z' = f(z), z(0) = z0, at times t ≥ 0 in
// ascending order: one row of len(z0) for each. f writes z' to dz. Between two
// times it takes steps of equal length, at most maxStep.
func solveODE(f func(dz, z []float64), z0, t []float64, maxStep float64) [][]float64 {
	z, now := append([]float64{}, z0...), 0.0
	out := make([][]float64, len(t))
	for i := range t {
		n := math.Ceil((t[i] - now) / maxStep)
		for h, k := (t[i]-now)/n, 0.0; k < n; k++ {
			z = extrapolate(f, z, h)
		}
		out[i], now = z, t[i]
	}
	return out
}

// extrapolate returns the solution a step h further by the method of Gragg,
// Bulirsch and Stoer (Hairer, Nørsett & Wanner 1993, section II.9): with
// n_j = 2j substeps, the explicit midpoint rule
//
//	z_1 = z_0 + h/n_j f(z_0)
//	z_{i+1} = z_{i−1} + 2h/n_j f(z_i)
//
// gives T_{j,1} = z_{n_j}, whose error has an expansion in even powers of h, and
//
//	T_{j,k} = T_{j,k−1} + (T_{j,k−1} − T_{j−1,k−1}) / ((n_j/n_{j−k+1})² − 1)
//
// removes one term of it after the other.
func extrapolate(f func(dz, z []float64), z0 []float64, h float64) []float64 {
	dz := make([]float64, len(z0))
	var row [][]float64 // T_{j−1,1}, T_{j−1,2}, …
	for j := 1; j <= extrapolations; j++ {
		n := 2 * j
		sub := h / float64(n)
		f(dz, z0)
		before, z := z0, axpy(z0, sub, dz)
		for range n - 1 {
			f(dz, z)
			before, z = z, axpy(before, float64(2*sub), dz)
		}
		next := [][]float64{z}
		for k := 2; k <= j; k++ {
			ratio := float64(n) / float64(2*(j-k+1))
			a, b := next[k-2], row[k-2] // T_{j,k−1} and T_{j−1,k−1}
			next = append(next, axpy(a, 1/(float64(ratio*ratio)-1), axpy(a, -1, b)))
		}
		row = next
	}
	return row[extrapolations-1]
}
