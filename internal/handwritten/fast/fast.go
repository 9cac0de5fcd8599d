// Package fast holds integrator steps written by hand for speed: the best
// that its author could do in scalar Go, without assembly, cgo or goroutines,
// at the default GOAMD64. It is the yardstick for the speed of compiled
// models, and shares no code with the compiler. The tests compare it with the
// parent package, which is written for clarity.
//
// The steps are those of Brofos & Lederman (2021) for
// H(q, p) = −L(q) + ½ log det G(q) + ½ pᵀG(q)⁻¹p, with z = (q, p) and
// f(z) = (∂H/∂p, −∂H/∂q):
//
//	IM(b):  z̄ = z + ½ε f(z̄), from z̄ = z + ½ε f(z);  z' = 2z̄ − z
//
//	GLF(b): p̄  = p − ½ε ∂H/∂q(q, p̄), from p̄ = p
//	        q' = q + ½ε [∂H/∂p(q, p̄) + ∂H/∂p(q', p̄)], from q' = q
//	        p' = p̄ − ½ε ∂H/∂q(q', p̄)
//
// A fixed point is iterated until max|Δ| ≤ tol over its coordinates, at least
// once and at most 1000 times. A step fails if it does not get there, if it
// meets a NaN or an infinity, or if the metric is not positive definite; it
// leaves (q, p) unchanged then. What GLF(b) computed at its final position is
// kept for the next step, which uses it if it starts there.
package fast

import "math"

const (
	// maxIterations is the limit of one fixed-point solve.
	maxIterations = 1000

	// checkEvery is how often a solve looks for NaN and infinities, which
	// do not go away by themselves. A power of two.
	checkEvery = 16
)

// finite reports whether x is a number.
func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
