package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/draws"
)

// A simplex under a Dirichlet prior with counts. Since its elements sum to 1, independent Poisson counts
// are multinomial ones, and the posterior is Dirichlet(alpha + n), of which all is known.
const (
	simplexModel = `model parts
data K int
data n int[K] >= 0
data alpha real[K] > 0
param theta simplex[K]
theta ~ dirichlet(alpha)
n[k] ~ poisson(30*theta[k]) for k in K
generate {
  again = dirichlet_rng(alpha + n)
}
`
	simplexData = `{"K": 4, "n": [14, 3, 9, 4], "alpha": [1, 2, 0.5, 3]}`
)

// simplexPosterior are the concentrations of the posterior.
var simplexPosterior = []float64{15, 5, 9.5, 7}

// chainsIn returns the chains in a directory of draws.
func chainsIn(t *testing.T, dir string) (chains []*draws.Chain) {
	t.Helper()
	files, err := draws.Files(dir)
	if err != nil || len(files) == 0 {
		t.Fatalf("files %q, %v", files, err)
	}
	for _, f := range files {
		c, err := draws.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		chains = append(chains, c)
	}
	return chains
}

// TestSimplexPosterior: means, variances and covariances of draws are those of the posterior, within four Monte Carlo
// standard errors, whatever the metric, and those of an independent draw in each are too. A short campaign has one metric that varies, compiled,
// and one that does not, evaluated; package differential compares numbers of simplexes with every metric.
func TestSimplexPosterior(t *testing.T) {
	n := campaign.Cases(t, 1500, 10000)
	for _, metric := range campaign.Sample(t, []string{"fisher", "", "softabs(alpha = 1)", "identity", "hessian + 2*identity"}, 3) {
		text := simplexModel
		if metric != "" {
			text += "metric " + metric + "\n"
		}
		inDir(t, map[string]string{"parts.ham": text, "parts.data.json": simplexData})
		evaluate := fmt.Sprintf("--evaluate=%v", metric == "identity")
		fine(t, "run", "parts.ham", "--quiet", evaluate, "--draws", fmt.Sprint(n), "--seed", "3", "--output-dir", "out")
		chains := chainsIn(t, "out")
		for _, name := range []string{"theta", "again"} {
			column := func(k int) (out [][]float64) {
				for _, c := range chains {
					out = append(out, c.Column(fmt.Sprintf("%s.%d", name, k+1)))
				}
				return out
			}
			checkDirichlet(t, fmt.Sprintf("metric %q: %s", metric, name), column)
		}
	}
}

// checkDirichlet compares moments of draws with those of the posterior.
func checkDirichlet(t *testing.T, what string, column func(k int) [][]float64) {
	t.Helper()
	total := 0.0
	for _, a := range simplexPosterior {
		total += a
	}
	K := len(simplexPosterior)
	columns := make([][][]float64, K)
	for k := range columns {
		columns[k] = column(k)
	}
	within := func(moment string, values [][]float64, want float64) {
		t.Helper()
		mean, square, n := 0.0, 0.0, 0.0
		for _, c := range values {
			for _, v := range c {
				mean += v
				n++
			}
		}
		mean /= n
		for _, c := range values {
			for _, v := range c {
				square += (v - mean) * (v - mean)
			}
		}
		mcse := math.Sqrt(square / n / diagnostics.ESSMean(values))
		if !(math.Abs(mean-want) <= 4*mcse) || !(mcse < 0.01) {
			t.Errorf("%s: %s is %v ± %v, and exactly %v", what, moment, mean, mcse, want)
		}
	}
	for k, a := range simplexPosterior {
		m := a / total
		within(fmt.Sprintf("the mean of %d", k+1), columns[k], m)
		for j, b := range simplexPosterior[:k+1] {
			product := make([][]float64, len(columns[k]))
			for c := range product {
				for i, v := range columns[k][c] {
					product[c] = append(product[c], (v-m)*(columns[j][c][i]-b/total))
				}
			}
			want := -m * (b / total) / (total + 1)
			if j == k {
				want = m * (1 - m) / (total + 1)
			}
			within(fmt.Sprintf("the covariance of %d and %d", k+1, j+1), product, want)
		}
	}
	for c := range columns[0] {
		for i := range columns[0][c] {
			sum := 0.0
			for k := range columns {
				sum += columns[k][c][i]
			}
			if !(math.Abs(sum-1) < 1e-14) {
				t.Fatalf("%s: draw %d of chain %d has the sum %v", what, i+1, c+1, sum)
			}
		}
	}
}

// TestSimplexAllTheWay: starting points on the parameters' own scale and from the prior, columns, resumed runs,
// summaries, exports, points on the unconstrained scale and failures.
func TestSimplexAllTheWay(t *testing.T) {
	inDir(t, map[string]string{"parts.ham": simplexModel + "metric fisher\n", "parts.data.json": simplexData,
		"start.json": `{"theta": [0.4, 0.1, 0.3, 0.2]}`,
		"short.json": `{"theta": [0.5, 0.3, 0.2]}`, "sum.json": `{"theta": [0.5, 0.3, 0.2, 0.1]}`, "zero.json": `{"theta": [0.5, 0.3, 0.2, 0]}`,
		"points.json": `[{"q": [0, 0, 0], "p": [1, 0, -1]}]`, "long.json": `[{"q": [0, 0, 0, 0]}]`,
		"g.toml": "title = \"Parts\"\nseed = 7\nreplicates = 2\ndraws = 60\n\n[[model]]\nfile = \"parts.ham\"\ndata = \"parts.data.json\"\n\n[[cells]]\nintegrator = [\"imb\", \"glfb\"]\nstep_size = 0.3\nsteps = 3\n"})
	for _, kind := range []string{"--evaluate", "--evaluate=false"} {
		args := []string{"run", "parts.ham", "--quiet", kind, "--chains", "2", "--warmup", strconv.Itoa(campaign.Cases(t, 25, 100)), "--init", "start.json"}
		whole, parts := "whole"+kind, "parts"+kind
		fine(t, append(args, "--draws", "60", "--output-dir", whole)...)
		fine(t, append(args, "--draws", "25", "--output-dir", parts)...)
		fine(t, "run", "--quiet", "--resume", parts, "--draws", "60")
		sameDraws(t, whole, parts)
		for _, c := range chainsIn(t, whole) {
			n := len(c.Columns) - 8
			if want := "theta.1 theta.2 theta.3 theta.4 again.1 again.2 again.3 again.4"; n < 0 || strings.Join(c.Columns[n:], " ") != want {
				t.Errorf("%s: columns %v", kind, c.Columns)
			}
		}
		fine(t, append(args[:len(args)-1:len(args)-1], "prior", "--draws", "30", "--keep", "theta", "--output-dir", "prior"+kind)...)
		if c := chainsIn(t, "prior"+kind)[0]; !slices.Contains(c.Columns, "theta.4") || slices.Contains(c.Columns, "again.1") {
			t.Errorf("%s: columns %v", kind, c.Columns)
		}
		if r := fine(t, "summary", whole); !strings.Contains(r.stdout, "theta.4") {
			t.Errorf("%s: summary\n%s", kind, r.stdout)
		}
		for file, want := range map[string]string{"short.json": "theta", "sum.json": "has the sum 1.1", "zero.json": "[4] is 0, but the elements of a simplex are positive"} {
			r := hamc(append(args[:len(args)-1:len(args)-1], file, "--draws", "10", "--output-dir", "no"+kind)...)
			if r.code != exitProblem || !strings.Contains(r.stderr, want) {
				t.Errorf("%s, %s: exit code %d\n%s", kind, file, r.code, r.stderr)
			}
		}
	}
	if r := fine(t, "log-prob", "parts.ham", "--at", "points.json"); !strings.Contains(r.stdout, "gradient") {
		t.Errorf("log-prob\n%s", r.stdout)
	}
	if r := hamc("log-prob", "parts.ham", "--at", "long.json"); r.code != exitProblem || !strings.Contains(r.stderr, "3 coordinates") {
		t.Errorf("a point of four coordinates: exit code %d\n%s", r.code, r.stderr)
	}
	for _, format := range []string{"csv", "npz", "zarr"} {
		fine(t, "export", "whole--evaluate", "--format", format, "--output", "export."+format)
	}
	text, err := os.ReadFile("export.csv")
	if head, _, _ := strings.Cut(string(text), "\n"); err != nil || !strings.Contains(head, "theta[4]") {
		t.Errorf("the export begins with %q (%v)", head, err)
	}
	if r := hamc("diagnose", "whole--evaluate"); r.code == exitInternal || !strings.Contains(r.stdout, "2 chains of 60 draws, 4 parameters, 4 generated quantities") {
		t.Errorf("diagnose: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	fine(t, "report", "whole--evaluate")
	fine(t, "grid", "g.toml", "--output-dir", "grid")
	if files, err := filepath.Glob("grid/*"); err != nil || len(files) == 0 {
		t.Errorf("the grid has no results: %v", err)
	}
}

// sameDraws compares the columns of two directories of draws.
func sameDraws(t *testing.T, a, b string) {
	t.Helper()
	x, y := chainsIn(t, a), chainsIn(t, b)
	if len(x) != len(y) {
		t.Fatalf("%d chains and %d", len(x), len(y))
	}
	for i := range x {
		for k, name := range x[i].Columns {
			if !slices.Equal(x[i].Values[k], y[i].Values[k]) {
				t.Errorf("%s: chain %d of %s and %s differ", name, i+1, a, b)
			}
		}
	}
}

// TestSimplexMessages: sizes that are too small, and a metric that is not known.
func TestSimplexMessages(t *testing.T) {
	inDir(t, map[string]string{"parts.ham": simplexModel + "metric fisher\n", "parts.data.json": `{"K": 1, "n": [14], "alpha": [1]}`,
		"expected.ham": simplexModel + "metric fisher(prior = expected)\n",
		"data.ham":     "model d\ndata p simplex[3]\nparam a real > 0\nlet c[k in 3] = a\np ~ dirichlet(c)\na ~ exponential(1)\nmetric fisher\n", "data.data.json": `{"p": [0.5, 0.5, 0.5]}`})
	for _, c := range []struct{ want, file string }{
		{"K is 1, but must be at least 2", "parts.ham"}, {"that of `dirichlet` is not finite or not known", "expected.ham"}, {"p has the sum 1.5, but the elements of a simplex sum to 1", "data.ham"},
	} {
		for _, kind := range []string{"--evaluate", "--evaluate=false"} {
			if r := hamc("run", c.file, kind, "--quiet", "--output-dir", "out"); r.code != exitProblem || !strings.Contains(r.stderr, c.want) {
				t.Errorf("%s %s: exit code %d, no %q\n%s", c.file, kind, r.code, c.want, r.stderr)
			}
		}
	}
}
