package symbolic

import (
	"math/rand"
	"testing"

	"github.com/hamc-dev/hamc/symbolic/internal/naive"
)

// TestModels holds every result of Derive against finite differences of the
// result before it in the chain
//
//	log p by hand = LogDensity → Gradient → Matrix → Jacobian → Contract → Force, Rank1
//
// at several points of every model.
func TestModels(t *testing.T) {
	for _, m := range testModels {
		t.Run(m.name, func(t *testing.T) {
			d, _ := load(t, m.text)
			b := newBench(t, d, m.data)
			if diagonal := d.Metric.Structure == "diagonal"; d.Metric.Constant != m.constant || diagonal != m.diagonal {
				t.Errorf("constant %v, diagonal %v, want %v, %v", d.Metric.Constant, diagonal, m.constant, m.diagonal)
			}
			if m.constant && len(d.Jacobian) > 0 {
				t.Errorf("a constant metric has %d Jacobian blocks", len(d.Jacobian))
			}
			rng := rand.New(rand.NewSource(1))
			for range 3 {
				checkPoint(t, b, &m, naive.RandomVector(rng, b.dim(), 0.7), rng)
			}
		})
	}
}

const fdTolerance = 3e-9

func checkPoint(t *testing.T, b *bench, m *testModel, q []float64, rng *rand.Rand) {
	t.Helper()
	// A subscript that runs out of its tensor must not hide the other models.
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("the machine panics: %v", r)
		}
	}()
	n := b.dim()
	check := func(what string, got, want []float64, tol float64) {
		t.Helper()
		if !near(got, want, tol) {
			t.Errorf("%s at %.3g:\n got %.12g\nwant %.12g", what, q, got, want)
		}
	}
	check("log density", []float64{b.logDensity(q)}, []float64{m.logp(q)}, 1e-12)
	grad := b.vector(b.d.Gradient, q)
	check("gradient", grad, gradientOf(b.logDensity, q), fdTolerance)
	matrix := b.matrix(q)
	if m.metric != nil {
		check("metric", flatten(matrix), flatten(m.metric(q)), 1e-12)
	}
	if m.hessian != 0 {
		want := make([]float64, 0, n*n)
		for k := range n {
			for _, v := range naive.Derivative(func(x []float64) []float64 { return b.vector(b.d.Gradient, x) }, q, k) {
				want = append(want, m.hessian*v)
			}
		}
		check("hessian", flatten(matrix), want, fdTolerance)
	}
	for i := range n {
		for j := range i {
			if !near([]float64{matrix[i][j]}, []float64{matrix[j][i]}, 1e-12) {
				t.Errorf("entry (%d, %d) is %g, its transpose %g", i, j, matrix[i][j], matrix[j][i])
			}
			if b.d.Metric.Structure == "diagonal" && matrix[i][j] != 0 {
				t.Errorf("entry (%d, %d) of a diagonal metric is %g", i, j, matrix[i][j])
			}
		}
	}
	// dB[k] is ∂B/∂q_k by differences; everything below follows from it.
	dB := make([][]float64, n)
	for k := range dB {
		dB[k] = naive.Derivative(func(x []float64) []float64 { return flatten(b.matrix(x)) }, q, k)
	}
	jac := b.jacobian(q)
	for k := range dB {
		check("jacobian", flatten(jac[k]), dB[k], fdTolerance)
	}
	contract := func(w [][]float64) []float64 {
		out := make([]float64, n)
		for k := range out {
			for i, v := range flatten(w) {
				out[k] += v * dB[k][i]
			}
		}
		return out
	}
	w := randomSymmetric(rng, n)
	b.setWeight(w)
	want := contract(w)
	got := b.vector(b.d.Contract, q)
	check("contraction", got, want, 4*fdTolerance)
	force := make([]float64, n)
	for k := range force {
		force[k] = -grad[k] + 0.5*got[k]
	}
	check("force", b.vector(b.d.Force, q), force, 1e-11)
	v := naive.RandomVector(rng, n, 1)
	vv := newMatrix(n)
	for i := range vv {
		for j := range vv {
			vv[i][j] = 0.5 * v[i] * v[j]
		}
	}
	b.setVelocity(v)
	check("rank one", b.vector(b.d.Rank1, q), contract(vv), 4*fdTolerance)
}
