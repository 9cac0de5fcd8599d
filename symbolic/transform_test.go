package symbolic

import (
	"fmt"
	"math"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// TestSimplexEdges: the values of a simplex, the density of a Dirichlet distribution on it with the
// Jacobian, and its gradient, near the centre and where parts of the stick are all but everything or nothing: as
// Stan's formulas give them in 900 digits. The size of the simplex is known when the model is compiled, or not.
func TestSimplexEdges(t *testing.T) {
	points := 0
	for _, e := range readEdgesOf(t, "testdata/simplex.txt") {
		var n int
		if _, err := fmt.Sscan(e.name, &n); err != nil {
			t.Fatal(err)
		}
		u, alpha := e.args[:n-1], e.args[n-1:]
		for _, size := range []string{"K", e.name} {
			head, data := "", map[string][]float64{"alpha": alpha}
			if size == "K" {
				head, data["K"] = "data K int\n", []float64{float64(n)}
			}
			d, _ := load(t, "model m\n"+head+"data alpha real["+size+"] > 0\nparam x simplex["+size+"]\nx ~ dirichlet(alpha)\nmetric identity\n")
			b := newBench(t, d, data)
			got := make([]float64, n)
			copy(b.m.Values(d.Params[0].Coord), u)
			b.m.Run(d.Value, func(_ *Output, idx []int, v float64) { got[idx[0]-1] = v })
			got = append(append(got, b.logDensity(u)), b.vector(d.Gradient, u)...)
			e.meets(t, got)
			for i, v := range got {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%s: result %d is %v", e.text, i, v)
				}
			}
			points++
		}
	}
	if points < 60 {
		t.Errorf("%d points", points)
	}
}

// TestTransformRows: each declaration has one row.
func TestTransformRows(t *testing.T) {
	names := map[string]bool{}
	for _, row := range model.Transforms {
		if names[row.Name] || row.Name == "" || row.Example == "" || (row.Inverse == "") == (row.Whole == "") {
			t.Errorf("the row %q", row.Name)
		}
		names[row.Name] = true
		m, ds := dsl.Load("m.ham", "model m\nparam x "+row.Example+"\nx ~ normal(0, 1)\nmetric identity\n", dsl.Options{})
		if m == nil {
			t.Fatalf("row %s: %v", row.Name, ds.List)
		}
		if got := model.TransformOf(m.Params[0]); got != row {
			t.Errorf("row %s: the transform of its example is %s", row.Name, got.Name)
		}
	}
	for _, x := range dsl.Constraints {
		if !names[x.Name] && x.Coordinates != nil {
			t.Errorf("the type %s has no transform", x.Name)
		}
	}
}

// TestTransformsFarOut: where a coordinate is so large that its exponential is no number, the density may still be one, as of a covariance in dollars, and then so is its gradient. Other
// elements than those that take the exponential are not multiplied by it.
func TestTransformsFarOut(t *testing.T) {
	for _, row := range model.Transforms {
		d, _ := load(t, "model m\nparam x "+row.Example+"\ndensity -1e-9*sum(x.^2)\nmetric identity\n")
		b := newBench(t, d, nil)
		for n := range b.dim() {
			for _, far := range []float64{-800, 800} {
				q := make([]float64, b.dim())
				for k := range q {
					q[k] = 0.3 - 0.1*float64(k)
				}
				q[n] = far
				if l := b.logDensity(q); math.IsInf(l, 0) || math.IsNaN(l) {
					continue
				}
				for k, g := range b.vector(d.Gradient, q) {
					if math.IsInf(g, 0) || math.IsNaN(g) {
						t.Errorf("row %s, coordinate %d at %v: entry %d of the gradient is %v", row.Name, n, far, k, g)
					}
				}
			}
		}
	}
}
