package handwritten

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/runtime"
)

// maxIterations is the limit of one fixed-point solve.
const maxIterations = 1000

// The ways a step fails.
var (
	ErrNotPositiveDefinite = errors.New("metric not positive definite")
	ErrNonFinite           = errors.New("not a finite number")
	ErrIterationLimit      = errors.New("fixed point not reached")
)

// factor returns the Cholesky factorization of G(q).
func factor(m runtime.Model, q []float64) (*mat.Cholesky, error) {
	n := m.Info().Dim()
	g := make([]float64, n*n)
	m.Metric(g, q)
	if finite("G", g) != nil {
		return nil, ErrNonFinite
	}
	chol := new(mat.Cholesky)
	if !chol.Factorize(mat.NewSymDense(n, g)) {
		return nil, ErrNotPositiveDefinite
	}
	return chol, nil
}

// solve returns G⁻¹p.
func solve(chol *mat.Cholesky, p []float64) ([]float64, error) {
	v := mat.NewVecDense(len(p), nil)
	err := chol.SolveVecTo(v, mat.NewVecDense(len(p), p))
	// A poor condition number is no failure of ours: the step goes on, as
	// the code that it stands for does.
	if _, poor := err.(mat.Condition); err != nil && !poor {
		return nil, fmt.Errorf("solving with G: %w", err)
	}
	return v.RawVector().Data, nil
}

// Energy returns H(q, p) = −L + ½ log det G + ½ pᵀG⁻¹p.
func Energy(m runtime.Model, q, p []float64) (float64, error) {
	chol, err := factor(m, q)
	if err != nil {
		return math.Inf(1), err
	}
	v, err := solve(chol, p)
	if err != nil {
		return math.Inf(1), err
	}
	h := -m.LogDensity(q) + float64(chol.LogDet()/2)
	for i := range p {
		h += float64(p[i] * v[i] / 2)
	}
	return h, nil
}

// DHDp returns ∂H/∂p = G(q)⁻¹p.
func DHDp(m runtime.Model, q, p []float64) ([]float64, error) {
	chol, err := factor(m, q)
	if err != nil {
		return nil, err
	}
	return solve(chol, p)
}

// DHDq returns ∂H/∂q: with v = G⁻¹p,
//
//	∂H/∂q_k = −∂L/∂q_k + ½ Σ_ij (G⁻¹ − v vᵀ)_ij ∂G_ij/∂q_k
func DHDq(m runtime.Model, q, p []float64) ([]float64, error) {
	n := len(p)
	chol, err := factor(m, q)
	if err != nil {
		return nil, err
	}
	v, err := solve(chol, p)
	if err != nil {
		return nil, err
	}
	w := make([]float64, n*n)
	unit := make([]float64, n)
	for i := range n {
		clear(unit)
		unit[i] = 1
		column, err := solve(chol, unit)
		if err != nil {
			return nil, err
		}
		for j := range n {
			w[i*n+j] = column[j] - float64(v[i]*v[j])
		}
	}
	f, grad := make([]float64, n), make([]float64, n)
	m.Contract(f, q, w)
	m.Gradient(grad, q)
	for k := range f {
		f[k] = float64(f[k]/2) - grad[k]
	}
	return f, nil
}

// field returns Hamilton's vector field (∂H/∂p, −∂H/∂q) at z = (q, p).
func field(m runtime.Model, z []float64) ([]float64, error) {
	n := len(z) / 2
	dq, err := DHDp(m, z[:n], z[n:])
	if err != nil {
		return nil, err
	}
	dp, err := DHDq(m, z[:n], z[n:])
	if err != nil {
		return nil, err
	}
	f := append([]float64{}, dq...)
	for _, x := range dp {
		f = append(f, -x)
	}
	return f, nil
}

// axpy returns x + a·y.
func axpy(x []float64, a float64, y []float64) []float64 {
	z := make([]float64, len(x))
	for i := range x {
		z[i] = x[i] + float64(a*y[i])
	}
	return z
}

// fixedPoint iterates x ← f(x) until max|Δx| ≤ tol, at least once, and returns
// the last x and the number of iterations.
func fixedPoint(x []float64, tol float64, f func([]float64) ([]float64, error)) ([]float64, int, error) {
	for it := 1; it <= maxIterations; it++ {
		next, err := f(x)
		if err != nil {
			return nil, it, err
		}
		if finite("iterate", next) != nil {
			return nil, it, ErrNonFinite
		}
		delta := 0.0
		for i := range next {
			delta = math.Max(delta, math.Abs(next[i]-x[i]))
		}
		x = next
		if delta <= tol {
			return x, it, nil
		}
	}
	return nil, maxIterations, ErrIterationLimit
}

// StepIMb advances (q, p) in place by one step of the implicit midpoint rule
// solved for the midpoint z̄, IM(b) in the paper:
//
//	z̄ = z + ½ε f(z̄), z' = 2z̄ − z
//
// It starts from z + ½ε f(z), solves to max|Δz̄| ≤ tol and returns the number
// of iterations. On an error (q, p) is unchanged.
func StepIMb(m runtime.Model, q, p []float64, eps, tol float64) (int, error) {
	n := len(q)
	z := append(append([]float64{}, q...), p...)
	half := func(x []float64) ([]float64, error) {
		f, err := field(m, x)
		if err != nil {
			return nil, err
		}
		return axpy(z, float64(eps/2), f), nil
	}
	start, err := half(z)
	if err != nil {
		return 0, err
	}
	mid, it, err := fixedPoint(start, tol, half)
	if err != nil {
		return it, err
	}
	for i := range n {
		q[i] = float64(2*mid[i]) - z[i]
		p[i] = float64(2*mid[n+i]) - z[n+i]
	}
	return it, nil
}

// StepGLFb advances (q, p) in place by one step of the generalized leapfrog,
// GLF(b) in the paper:
//
//	p̄  = p − ½ε ∂H/∂q(q, p̄)
//	q' = q + ½ε [∂H/∂p(q, p̄) + ∂H/∂p(q', p̄)]
//	p' = p̄ − ½ε ∂H/∂q(q', p̄)
//
// It starts the first solve from p and the second from q, solves both to
// max|Δ| ≤ tol and returns the iterations of each. It caches nothing. On an
// error (q, p) is unchanged.
func StepGLFb(m runtime.Model, q, p []float64, eps, tol float64) (momentum, position int, err error) {
	pBar, momentum, err := fixedPoint(p, tol, func(x []float64) ([]float64, error) {
		dq, err := DHDq(m, q, x)
		if err != nil {
			return nil, err
		}
		return axpy(p, float64(-eps/2), dq), nil
	})
	if err != nil {
		return momentum, 0, err
	}
	v, err := DHDp(m, q, pBar)
	if err != nil {
		return momentum, 0, err
	}
	base := axpy(q, float64(eps/2), v)
	next, position, err := fixedPoint(q, tol, func(x []float64) ([]float64, error) {
		v, err := DHDp(m, x, pBar)
		if err != nil {
			return nil, err
		}
		return axpy(base, float64(eps/2), v), nil
	})
	if err != nil {
		return momentum, position, err
	}
	dq, err := DHDq(m, next, pBar)
	if err != nil {
		return momentum, position, err
	}
	copy(q, next)
	copy(p, axpy(pBar, float64(-eps/2), dq))
	return momentum, position, nil
}
