package symbolic

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
)

// mostGradient is how many times the work of a log density a gradient, with the density, may take: reverse sweeps take a few times as much.
const mostGradient = 12

// dear are models whose gradients take more, by what they take: a factor of correlations times the variates of each group computes its elements anew for each, and what reads nodes of a tree by
// numbers in data asks each node about each.
var dear = map[string]float64{
	"recursion_tree.ham": 140, "recursion_tree_two.ham": 120, "group_slopes.ham": 190, "several_outputs.ham": 170, "pollen.ham": 640, "reading.ham": 220,
}

// TestGradientsAreCheap: the gradient of each model of the repository takes a few times the work of its log density, where data are many. A sum of deltas that stayed below a condition once made
// a gradient quadratic in the number of sites and of years.
func TestGradientsAreCheap(t *testing.T) {
	for _, path := range campaign.Sample(t, everyModel(t), 25) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, _ := dsl.Load(path, string(text), dsl.Options{})
		if m == nil {
			continue
		}
		d, _ := Derive(m)
		if d == nil || d.LogDensity.E == nil {
			continue
		}
		m.Sizes = map[string]int{}
		for _, x := range m.Data {
			if x.IsSize {
				m.Sizes[x.Name] = 200
			}
		}
		gradient, density := operations(d.Work(), m), operations(d.workOf([]Output{d.LogDensity}), m)
		if gradient > max(mostGradient, dear[filepath.Base(path)])*density {
			t.Errorf("%s: a gradient takes %.3g operations, the log density %.3g", path, gradient, density)
		}
	}
}
