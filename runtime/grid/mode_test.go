package grid

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/generated/logistic"
	"github.com/hamc-dev/hamc/internal/benchmarks"
	"github.com/hamc-dev/hamc/internal/handwritten"
	"github.com/hamc-dev/hamc/runtime"
)

// modeOf searches for a mode.
func modeOf(p runtime.Posterior, from Point) ([]float64, error) {
	return (&loaded{model: &Model{Name: "m"}, posterior: p}).mode(from)
}

// TestModeOfGaussian: that of a Gaussian is its mean, from anywhere.
func TestModeOfGaussian(t *testing.T) {
	mu := []float64{0.5, -1, 1e3}
	m, err := handwritten.NewGaussian(mu, []float64{1, 0.5, 0, 0.5, 2, 0, 0, 0, 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []Point{nil, {"q": {1e6, -1e6, 0}}, {"q": mu}} {
		q, err := modeOf(m, from)
		if err != nil {
			t.Errorf("from %v: %v", from, err)
			continue
		}
		for i := range q {
			if !near(q[i], mu[i], 1e-12) {
				t.Errorf("from %v the mode is %v", from, q)
				break
			}
		}
	}
}

// TestModeOfLogistic compares with Newton's method written once more, on
//
//	L(β) = Σ_n (y_n z_n − log(1 + exp z_n)) − β·β/2, z = Xβ.
func TestModeOfLogistic(t *testing.T) {
	const n, k = 60, 4
	rng := rand.New(rand.NewPCG(3, 4))
	x, y := make([]float64, n*k), make([]int, n)
	for i := range n {
		z := 0.0
		for j := range k {
			x[i*k+j] = rng.NormFloat64()
			z += float64(j) * x[i*k+j]
		}
		if rng.Float64() < 1/(1+math.Exp(-z)) {
			y[i] = 1
		}
	}
	want := make([]float64, k)
	for range 50 {
		h, g := mat.NewDense(k, k, nil), mat.NewVecDense(k, nil)
		for j := range k {
			h.Set(j, j, 1)
			g.SetVec(j, -want[j])
		}
		for i := range n {
			row := x[i*k : (i+1)*k]
			z := 0.0
			for j, b := range want {
				z += row[j] * b
			}
			p := 1 / (1 + math.Exp(-z))
			for j := range k {
				g.SetVec(j, g.AtVec(j)+(float64(y[i])-p)*row[j])
				for l := range k {
					h.Set(j, l, h.At(j, l)+p*(1-p)*row[j]*row[l])
				}
			}
		}
		var step mat.VecDense
		if err := step.SolveVec(h, g); err != nil {
			t.Fatal(err)
		}
		for j := range want {
			want[j] += step.AtVec(j)
		}
	}
	m, err := logistic.New(logistic.Data{N: n, K: k, X: x, Y: y})
	if err != nil {
		t.Fatal(err)
	}
	name := m.Info().Params[0].Name
	for _, from := range []Point{nil, {name: {3, -3, 3, -3}}, {name: {20, 20, 20, 20}}} {
		q, err := modeOf(m, from)
		if err != nil {
			t.Errorf("from %v: %v", from, err)
			continue
		}
		for j := range q {
			// The step d that is left raises L by d²/2 at most, the eigenvalues of the metric being at
			// least 1, and the search may end where that is lost in rounding, here 10⁻¹⁴ of L ≈ 30.
			if math.Abs(q[j]-want[j]) > 2e-7 {
				t.Errorf("from %v the mode is %v, not %v", from, q, want)
				break
			}
		}
	}
}

// hill is a Gaussian whose density or metric is another one.
type hill struct {
	*handwritten.Gaussian
	density func(q []float64) float64
	metric  func(g []float64)
}

func (h hill) LogDensity(q []float64) float64 { return h.density(q) }

func (h hill) Gradient(grad, q []float64) float64 {
	const d = 1e-6
	x := slices.Clone(q)
	for i := range grad {
		x[i] = q[i] + d
		up := h.density(x)
		x[i] = q[i] - d
		grad[i] = (up - h.density(x)) / (2 * d)
		x[i] = q[i]
	}
	return h.density(q)
}

func (h hill) Metric(g, q []float64) {
	if h.Gaussian.Metric(g, q); h.metric != nil {
		h.metric(g)
	}
}

// TestNoMode: a search that cannot succeed ends, and says what to do.
func TestNoMode(t *testing.T) {
	g, err := handwritten.NewGaussian([]float64{0, 0}, []float64{1, 0, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	sweep, _, err := benchmarks.Volatility(10, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name, message string
		of            runtime.Posterior
		from          Point
	}{
		{"a slope without end", "no mode was found in 200 steps", hill{g, func(q []float64) float64 { return q[0] }, nil}, nil},
		{"a metric that points down", "is stuck", hill{g, func(q []float64) float64 { return -1e-3 * math.Abs(q[0]-1) }, func(g []float64) { g[0] = 1e-12 }}, Point{"q": {1 + 3e-6, 0}}},
		{"no density", "without a density or a metric", hill{g, func(q []float64) float64 { return math.Inf(-1) }, nil}, nil},
		{"no metric", "without a density or a metric", hill{g, func(q []float64) float64 { return -q[0] }, func(g []float64) { g[0] = -1 }}, nil},
		{"blocks", "a model with blocks", sweep.Posterior, nil},
		{"a starting point that is not one", "has 1 values of q", g, Point{"q": {1}}},
		{"a starting point with too much", "has 2 parameters", g, Point{"q": {1, 1}, "r": {1}}},
	} {
		q, err := modeOf(x.of, x.from)
		if err == nil || !strings.Contains(err.Error(), x.message) {
			t.Errorf("%s: %v, %v", x.name, q, err)
		}
	}
}
