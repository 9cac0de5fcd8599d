package symbolic

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/symbolic/internal/naive"
)

// TestProducts holds every order of ∂(B v)/∂q, whichever of them the cost model takes, against the derivatives of the entries and against differences
// of B v.
func TestProducts(t *testing.T) {
	tried := make([]int, len(products))
	for _, m := range testModels {
		if m.constant {
			continue
		}
		for n, order := range products {
			d, _ := load(t, m.text)
			out := order.derive(d)
			if out == nil {
				continue
			}
			tried[n]++
			b := newBench(t, d, m.data)
			rng := rand.New(rand.NewSource(1))
			q, v := naive.RandomVector(rng, b.dim(), 0.7), naive.RandomVector(rng, b.dim(), 1)
			b.setVelocity(v)
			got := newMatrix(b.dim())
			b.set(q)
			b.m.Run(out, func(o *Output, idx []int, x float64) {
				at := *o
				at.Col, at.Dir = o.Dir, -1
				i, k, _ := b.position(&at, idx)
				got[i][k] = x
			})
			times := func(matrix [][]float64) []float64 {
				r := make([]float64, b.dim())
				for i, row := range matrix {
					for j, x := range row {
						r[i] += x * v[j]
					}
				}
				return r
			}
			jac := b.jacobian(q)
			for k := range b.dim() {
				column := make([]float64, b.dim())
				for i := range column {
					column[i] = got[i][k]
				}
				if want := times(jac[k]); !near(column, want, 1e-11) {
					t.Errorf("%s: %s: by coordinate %d %.12g, the Jacobian says %.12g", m.name, order.name, k, column, want)
				}
				if want := naive.Derivative(func(x []float64) []float64 { return times(b.matrix(x)) }, q, k); !near(column, want, 4*fdTolerance) {
					t.Errorf("%s: %s: by coordinate %d %.12g, differences say %.12g", m.name, order.name, k, column, want)
				}
			}
		}
	}
	if slices.Min(tried) < 20 {
		t.Errorf("of the orders %d models are tried only", tried)
	}
}

// TestProductOrder: of a regression the order that is taken goes over the data once for each pair of coordinates, where the Jacobian goes for each triple; of
// a metric of a few numbers there is none beside the Jacobian.
func TestProductOrder(t *testing.T) {
	const text = "model m\ndata n, k int\ndata x real[n,k]\ndata y int[n]\nparam b real[k]\nb ~ normal(0, 1)\ny ~ bernoulli_logit(x*b)\nmetric fisher\n"
	d, _ := load(t, text)
	if got := d.workOf(d.Product); len(d.Product) == 0 || got["k k k n"] != 0 || got["k k n"] == 0 || d.workOf(d.Jacobian)["k k k n"] == 0 {
		t.Errorf("the product takes %v operations, the Jacobian %v", got, d.workOf(d.Jacobian))
	}
	small, _ := load(t, "model m\nparam a, b real\na ~ normal(0, exp(b))\nb ~ normal(0, 1)\nmetric fisher\n")
	if len(small.Product) > 0 {
		t.Error("a metric of two numbers has a product of its own")
	}
}
