package linalg

// spine is the factorisation B = L D Lᵀ of a banded matrix of order n. L has a
// unit diagonal, and is lower triangular after a permutation. The pivots D and
// their reciprocals lie with the caller.
type spine interface {
	// factor takes the band b by diagonals, b[o·n + i] = B_i,i−o. It returns
	// the first pivot that is not positive and finite, or else the last one.
	factor(b []float64) float64

	forward(a, p []float64)  // a = L⁻¹ p, maybe in place
	backward(a []float64)    // a ← L⁻ᵀ D⁻¹ a
	multiply(p, g []float64) // p = L g, not in place
	inverse(w []float64)     // the band of B⁻¹, without the unused numbers
}

// newSpine returns work space for bands of order n with half width width, or
// less if the matrix has no room for more.
func newSpine(n, width int, pivot, reciprocal []float64) spine {
	switch w := min(width, max(n-1, 0)); {
	case w == 0:
		return &diagonalSpine{pivot, reciprocal}
	case w == 1 && n >= 3:
		return &twisted{pivot, reciprocal, make([]float64, n)}
	default:
		return newBand(n, w, pivot, reciprocal)
	}
}

// diagonalSpine is a diagonal matrix: L = I.
type diagonalSpine struct{ pivot, reciprocal []float64 }

func (s *diagonalSpine) factor(b []float64) float64 {
	for i, x := range b[:len(s.pivot)] {
		if !positive(x) {
			return x
		}
		s.pivot[i], s.reciprocal[i] = x, 1/x
	}
	return 1
}

func (s *diagonalSpine) forward(a, p []float64)  { copy(a, p) }
func (s *diagonalSpine) backward(a []float64)    { multiply(a, a, s.reciprocal) }
func (s *diagonalSpine) multiply(p, g []float64) { copy(p, g) }
func (s *diagonalSpine) inverse(w []float64)     { copy(w, s.reciprocal) }
