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
	"recursion_tree.ham": 140, "recursion_tree_two.ham": 120, "pollen.ham": 780,
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

// TestRowsAreAddedOnce: effects of groups beside a matrix of data cost hardly more with their map than without. The rows that a group has are added once; at each position they took as much as the log density.
func TestRowsAreAddedOnce(t *testing.T) {
	const head = "model rows\ndata n, K, J int\ndata g int[n] in 1..J\ndata y real[n]\nparam a real[K]\nparam u real[J]\nparam tau, s real > 0\na ~ normal(0, 1)\nu ~ normal(0, tau)\ntau, s ~ exponential(1)\n"
	work := func(text, more string) float64 {
		m, ds := dsl.Load("rows.ham", head+text+more, dsl.Options{})
		if m == nil {
			t.Fatal(ds)
		}
		m.Sizes = map[string]int{"n": 600, "K": 20, "J": 7}
		d, list := Derive(m)
		if d == nil {
			t.Fatal(list)
		}
		if more == "" && len(d.Transports) != 1 {
			t.Fatalf("%d maps", len(d.Transports))
		}
		return operations(d.Work(), m)
	}
	for _, text := range []string{"data B real[n, K]\ny ~ normal(B*a + u[g], s)\n", "data B real[K, n]\ny ~ normal(B'*a + u[g], s)\n"} {
		if with, without := work(text, ""), work(text, "metric identity\n"); with > 1.3*without {
			t.Errorf("%s: a gradient takes %v operations with a map, %v without", text, with, without)
		}
	}
}

// TestVariatesAreCheap: the gradient of effects that are written by standard variates takes hardly more with their map than without, where the observations are many: what these say of the variates is a
// sum of products of parameters with sums of data, which are known before, and was once a sum over the observations for each pair of columns.
func TestVariatesAreCheap(t *testing.T) {
	for _, name := range []string{"transport_variates", "transport_variates_hits", "transport_columns"} {
		path := filepath.Join("..", "internal", "differential", "testdata", "models", name+".ham")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		work := func(more string) float64 {
			m, _ := dsl.Load(path, string(text)+more, dsl.Options{})
			m.Sizes = map[string]int{"n": 100_000, "J": 100}
			d, _ := Derive(m)
			return operations(d.Work(), m)
		}
		if with, without := work(""), work("\nmetric identity\n"); with > 1.5*without {
			t.Errorf("%s: a gradient takes %.3g operations, without a map %.3g", name, with, without)
		}
	}
}
