package system

import (
	"github.com/hamc-dev/hamc/runtime/linalg"
)

// Storage keeps the matrix of a metric in some layout, its factor, and the weights that
// contractions with its derivative have in that layout. What is written of G⁻¹ and the like is of the
// matrix that was factorised last. Slices that a storage returns are its own, until the next call
// that returns them.
type Storage interface {
	// Order returns the number m of coordinates.
	Order() int
	// Matrix is where the model writes the matrix.
	Matrix() []float64
	// Factor factorises it.
	Factor() linalg.Outcome
	// LogDet returns log det G.
	LogDet() float64
	// Quad returns pᵀG⁻¹p.
	Quad(p []float64) float64
	// Form returns dᵀG d.
	Form(d []float64) float64
	// Solve writes G⁻¹p to v, which may be p.
	Solve(v, p []float64)
	// Whiten writes R⁻¹p to z, with G = R Rᵀ.
	Whiten(z, p []float64)
	// Colour replaces standard normal variates z by R z, which is a draw from N(0, G).
	Colour(z []float64)
	// RootDiagonal writes √G_ii to root.
	RootDiagonal(root []float64)
	// Dense writes G to dst, row-major.
	Dense(dst []float64)

	// Weigh returns the weights of a symmetric matrix that is given row-major. They may be w.
	Weigh(w []float64) []float64
	// WeighInverse returns those of G⁻¹.
	WeighInverse() []float64
	// WeighForce returns those of G⁻¹ − v vᵀ.
	WeighForce(v []float64) []float64
}

// mapped is a Storage of a matrix whose metric is another one, a map of it that is not linear.
type mapped interface {
	Storage

	// WeighSquare returns the weights of v vᵀ.
	WeighSquare(v []float64) []float64
	// Cube is work space for the derivative of the matrix, of m·m·m numbers.
	Cube() []float64
	// MapCube replaces the derivative of the matrix, ∂H_ij/∂q_k in dst[(i·m+j)·m+k], by that of the metric.
	MapCube(dst []float64)
	// AddCurvature adds to dst[k·m+l] what ½⟨W, ∂²G/∂q_k∂q_l⟩ has of products of first derivatives, which
	// are given as MapCube is given them.
	AddCurvature(dst, cube, w []float64)
}

// Dense is the Storage of a whole matrix, row-major, with its factor of Cholesky.
type Dense struct {
	*linalg.Cholesky
	b, w []float64
}

// NewDense returns the storage of a matrix of order m.
func NewDense(m int) *Dense {
	return &Dense{Cholesky: linalg.NewCholesky(m), b: make([]float64, m*m), w: make([]float64, m*m)}
}

// Order implements Storage.
func (s *Dense) Order() int { return s.N }

// Matrix implements Storage.
func (s *Dense) Matrix() []float64 { return s.b }

// Factor implements Storage.
func (s *Dense) Factor() linalg.Outcome { return s.Cholesky.Factor(s.b) }

// Colour implements Storage.
func (s *Dense) Colour(z []float64) { s.MulL(z, z) }

// Dense implements Storage.
func (s *Dense) Dense(dst []float64) { copy(dst, s.b) }

// Weigh implements Storage.
func (s *Dense) Weigh(w []float64) []float64 { return w }

// WeighInverse implements Storage.
func (s *Dense) WeighInverse() []float64 {
	s.Inverse(s.w)
	return s.w
}

// WeighForce implements Storage.
func (s *Dense) WeighForce(v []float64) []float64 {
	s.Inverse(s.w)
	m := len(v)
	for i, x := range v {
		row := s.w[i*m : i*m+m]
		for j := range row {
			row[j] -= float64(x * v[j])
		}
	}
	return s.w
}

// Diagonal is the Storage of a diagonal matrix: m numbers.
type Diagonal struct {
	*linalg.DiagonalFactor
	b, w []float64
}

// NewDiagonal returns the storage of a diagonal matrix of order m.
func NewDiagonal(m int) *Diagonal {
	return &Diagonal{DiagonalFactor: linalg.NewDiagonalFactor(m), b: make([]float64, m), w: make([]float64, m)}
}

// Order implements Storage.
func (s *Diagonal) Order() int { return s.N }

// Matrix implements Storage.
func (s *Diagonal) Matrix() []float64 { return s.b }

// Factor implements Storage.
func (s *Diagonal) Factor() linalg.Outcome { return s.DiagonalFactor.Factor(s.b) }

// Colour implements Storage.
func (s *Diagonal) Colour(z []float64) { s.MulL(z, z) }

// Dense implements Storage.
func (s *Diagonal) Dense(dst []float64) {
	clear(dst)
	for i, d := range s.b {
		dst[i*(len(s.b)+1)] = d
	}
}

// Weigh implements Storage.
func (s *Diagonal) Weigh(w []float64) []float64 {
	for i := range s.w {
		s.w[i] = w[i*(len(s.w)+1)]
	}
	return s.w
}

// WeighInverse implements Storage.
func (s *Diagonal) WeighInverse() []float64 {
	s.Inverse(s.w)
	return s.w
}

// WeighForce implements Storage.
func (s *Diagonal) WeighForce(v []float64) []float64 {
	s.Inverse(s.w)
	for i, x := range v {
		s.w[i] -= float64(x * x)
	}
	return s.w
}

// Structured is the Storage of a matrix of independent parts, each of them banded, bordered or dense,
// packed as linalg.Structured says.
type Structured struct {
	*linalg.Structured
	b, w []float64
}

// NewStructured returns the storage of a matrix of order m. Every coordinate must belong to exactly
// one part; else it panics.
func NewStructured(m int, parts []linalg.Part) *Structured {
	s := &Structured{Structured: linalg.NewStructured(m, parts)}
	s.b, s.w = make([]float64, s.Len()), make([]float64, s.Len())
	return s
}

// Order implements Storage.
func (s *Structured) Order() int { return s.N }

// Matrix implements Storage.
func (s *Structured) Matrix() []float64 { return s.b }

// Factor implements Storage.
func (s *Structured) Factor() linalg.Outcome { return s.Structured.Factor(s.b) }

// Form implements Storage.
func (s *Structured) Form(d []float64) float64 { return s.Structured.Form(d, s.b) }

// RootDiagonal implements Storage.
func (s *Structured) RootDiagonal(root []float64) { s.Structured.RootDiagonal(root, s.b) }

// Colour implements Storage.
func (s *Structured) Colour(z []float64) { s.MulL(z, z) }

// Dense implements Storage.
func (s *Structured) Dense(dst []float64) { s.Structured.Dense(dst, s.b) }

// Weigh implements Storage.
func (s *Structured) Weigh(w []float64) []float64 {
	s.Pack(s.w, w)
	return s.w
}

// WeighInverse implements Storage.
func (s *Structured) WeighInverse() []float64 {
	s.Inverse(s.w)
	return s.w
}

// WeighForce implements Storage.
func (s *Structured) WeighForce(v []float64) []float64 {
	s.Inverse(s.w)
	s.SubtractSquare(s.w, v)
	return s.w
}

// spectrum is the factor of a Hessian whose SoftAbs map is the metric: its spectral decomposition.
type spectrum interface {
	Factor(h []float64) linalg.Outcome
	LogDet() float64
	Quad(p []float64) float64
	Form(d []float64) float64
	Solve(v, p []float64)
	Whiten(z, p []float64)
	MulSqrt(p, z []float64)
	RootDiagonal(root []float64)
	Metric(dst []float64)
	Weights(m, w []float64)
	WeightsInverse(m []float64)
	WeightsForce(m, v []float64)
	WeightsVelocity(m, v []float64)
	Cube() []float64
	AddCurvature(dst, jac, w []float64)
}

// SoftAbs is the Storage of a whole Hessian H, row-major, whose SoftAbs map is the metric. Weights of
// the metric become weights of H.
type SoftAbs struct {
	spectrum
	m    int
	b, w []float64
}

// NewSoftAbs returns the storage of a Hessian of order m, with the α of the map and a multiple of
// the identity, shift, that the metric has beside it.
func NewSoftAbs(m int, alpha, shift float64) *SoftAbs {
	f := linalg.NewSoftAbs(m, alpha)
	f.Shift = shift
	return &SoftAbs{spectrum: f, m: m, b: make([]float64, m*m), w: make([]float64, m*m)}
}

// NewSoftAbsArrow is NewSoftAbs for a Hessian that is a multiple of the identity but for one row and
// column, head, which is 0 or m − 1.
func NewSoftAbsArrow(m, head int, alpha, shift float64) *SoftAbs {
	f := linalg.NewSoftAbsArrow(m, head, alpha)
	f.Shift = shift
	return &SoftAbs{spectrum: f, m: m, b: make([]float64, m*m), w: make([]float64, m*m)}
}

// Order implements Storage.
func (s *SoftAbs) Order() int { return s.m }

// Matrix implements Storage.
func (s *SoftAbs) Matrix() []float64 { return s.b }

// Factor implements Storage.
func (s *SoftAbs) Factor() linalg.Outcome { return s.spectrum.Factor(s.b) }

// Colour implements Storage.
func (s *SoftAbs) Colour(z []float64) { s.MulSqrt(z, z) }

// Dense implements Storage.
func (s *SoftAbs) Dense(dst []float64) { s.Metric(dst) }

// Weigh implements Storage.
func (s *SoftAbs) Weigh(w []float64) []float64 {
	s.Weights(s.w, w)
	return s.w
}

// WeighInverse implements Storage.
func (s *SoftAbs) WeighInverse() []float64 {
	s.WeightsInverse(s.w)
	return s.w
}

// WeighForce implements Storage.
func (s *SoftAbs) WeighForce(v []float64) []float64 {
	s.WeightsForce(s.w, v)
	return s.w
}

// WeighSquare returns the weights of v vᵀ.
func (s *SoftAbs) WeighSquare(v []float64) []float64 {
	s.WeightsVelocity(s.w, v)
	return s.w
}

// MapCube replaces ∂H_ij/∂q_k in dst[(i·m+j)·m+k] by ∂G_ij/∂q_k, its image under the derivative of the map.
func (s *SoftAbs) MapCube(dst []float64) {
	slice := make([]float64, len(s.b))
	for k := range s.m {
		for i := range slice {
			slice[i] = dst[i*s.m+k]
		}
		s.Weights(s.w, slice)
		for i, x := range s.w {
			dst[i*s.m+k] = x
		}
	}
}
