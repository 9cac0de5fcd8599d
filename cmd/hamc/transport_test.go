package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// effectsModel has a latent vector whose map has a reference, and a statement that is not defined everywhere.
const (
	effectsModel = `model effects
data J int
data k int[J] >= 0
param a real[J]
param mu real
param tau real > 0
mu ~ normal(0, 1)
tau ~ normal(0, 1)
a ~ normal(20*mu, tau)
k ~ poisson_log(a/20)
density log(30 - a[1])
`
	effectsData = `{"J": 3, "k": [1, 0, 3]}`
)

// TestPlainPoints: points are those of the declarations. What log-prob says of the model without a metric is what it says of
// it with `metric identity`.
func TestPlainPoints(t *testing.T) {
	inDir(t, map[string]string{"effects.ham": effectsModel, "plain.ham": effectsModel + "metric identity\n", "data.json": effectsData,
		"at.json": `[{"q": [3, 2, 1, 0.1, -0.5]}, {"q": [-1, 2, -3, 0.4, 1], "p": [1, 2, 3, 4, 5]}]`})
	got := fine(t, "log-prob", "effects.ham", "--data", "data.json", "--at", "at.json").stdout
	want := fine(t, "log-prob", "plain.ham", "--data", "data.json", "--at", "at.json").stdout
	if got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}

// TestPlainLogDensity: lp__ of a draw is the log density of its values, whatever the map of the chain, in compiled code and in the evaluator.
func TestPlainLogDensity(t *testing.T) {
	inDir(t, map[string]string{"effects.ham": effectsModel, "effects.data.json": effectsData})
	for _, args := range [][]string{nil, {"--evaluate"}} {
		fine(t, append([]string{"run", "effects.ham", "--quiet", "--draws", "4", "--warmup", "100", "--chains", "2", "--overwrite", "--output-dir", "out"}, args...)...)
		var points, lps []string
		for _, c := range chainsIn(t, "out") {
			for i, lp := range c.Column("lp__") {
				var q []string
				for _, name := range []string{"a.1", "a.2", "a.3", "mu", "tau"} {
					v := c.Column(name)[i]
					if name == "tau" {
						v = math.Log(v)
					}
					q = append(q, fmt.Sprint(v))
				}
				points, lps = append(points, `{"q": [`+strings.Join(q, ", ")+`]}`), append(lps, fmt.Sprintf("%.8f", lp))
			}
		}
		if err := os.WriteFile("at.json", []byte("["+strings.Join(points, ", ")+"]"), 0o666); err != nil {
			t.Fatal(err)
		}
		var said []struct {
			LogDensity float64 `json:"log_density"`
		}
		if err := json.Unmarshal([]byte(fine(t, "log-prob", "effects.ham", "--at", "at.json").stdout), &said); err != nil {
			t.Fatal(err)
		}
		for i, x := range said {
			if want := fmt.Sprintf("%.8f", x.LogDensity); lps[i] != want {
				t.Errorf("draw %d: lp__ is %s, want %s", i+1, lps[i], want)
			}
		}
	}
}

// TestLatentStarts: a chain that is not warmed up begins where it is told to, and compiled code and the evaluator go on alike.
func TestLatentStarts(t *testing.T) {
	inDir(t, map[string]string{"effects.ham": effectsModel, "effects.data.json": effectsData, "init.json": `{"a": [3, -2, 1], "mu": 0.25, "tau": 0.5}`})
	run := func(out string, args ...string) [][]float64 {
		fine(t, append([]string{"run", "effects.ham", "--init", "init.json", "--warmup", "0", "--steps", "2", "--chains", "1", "--draws", "4", "--quiet", "--output-dir", out}, args...)...)
		var rows [][]float64
		c := chainsIn(t, out)[0]
		for _, name := range []string{"a.1", "a.2", "a.3", "mu", "tau"} {
			rows = append(rows, c.Column(name))
		}
		return rows
	}
	for i, column := range run("still", "--step-size", "1e-9") {
		if want := []float64{3, -2, 1, 0.25, 0.5}[i]; math.Abs(column[0]-want) > 1e-6 {
			t.Errorf("component %d starts at %v, want %v", i+1, column[0], want)
		}
	}
	compiled, evaluated := run("compiled", "--step-size", "0.1"), run("evaluated", "--step-size", "0.1", "--evaluate")
	for i := range compiled {
		for n, v := range compiled[i] {
			if w := evaluated[i][n]; math.Abs(v-w) > 1e-8*(1+math.Abs(w)) {
				t.Errorf("draw %d of component %d is %v, evaluated %v", n+1, i+1, v, w)
			}
		}
	}
}

// TestStartsWithoutAMap: where a probability rounds to 0 at the origin and wherever else points are drawn uniformly, so that no map has a value there, chains start
// from the prior, from all values and from some of them.
func TestStartsWithoutAMap(t *testing.T) {
	inDir(t, map[string]string{"distance.ham": `model distance
data R, B int
data edge real[B+1]
data y int[R, B] >= 0
param e real[R]
param s real > 0
param sigma real > 0
let p[k in B] = Phi(edge[k+1]/sigma) - Phi(edge[k]/sigma)
e ~ normal(0, s)
s ~ half_normal(1)
sigma ~ half_normal(100)
y[i, k] ~ poisson(exp(e[i])*p[k]) for i in R, k in B
`, "distance.data.json": `{"R": 3, "B": 3, "edge": [0, 30, 60, 90], "y": [[2, 1, 1], [0, 1, 0], [3, 1, 1]]}`,
		"all.json": `{"e": [0.3, -0.2, 0.5], "s": 0.6, "sigma": 50}`, "some.json": `{"sigma": 50}`})
	for _, args := range [][]string{nil, {"--init", "prior"}, {"--init", "all.json"}, {"--init", "some.json"}, {"--init", "some.json", "--evaluate"}} {
		fine(t, append([]string{"run", "distance.ham", "--quiet", "--chains", "1", "--warmup", "0", "--steps", "2", "--step-size", "1e-3", "--draws", "2", "--overwrite", "--output-dir", "out"}, args...)...)
	}
}

// TestLatentRows: a matrix of few columns is as many latent vectors, also where the number is in the data, and its draws are of the matrix.
func TestLatentRows(t *testing.T) {
	const text = `model rows
data n, J, K int
data g int[n] in 1..J
data x real[n, K]
data y real[n]
param a real[J, K]
param tau real[K] > 0
param s real > 0
a[:, k] ~ normal(0, tau[k]) for k in K
tau, s ~ exponential(1)
y[i] ~ normal(dot(a[g[i], :], x[i, :]), s) for i in n
`
	const data = `{"n": 5, "J": 3, "K": 2, "g": [1, 1, 2, 3, 3], "x": [[1, 0.2], [1, 1.1], [1, -0.4], [1, 0.7], [1, 2]], "y": [0.4, 1.2, -0.7, 0.3, 1.9]}`
	inDir(t, map[string]string{"rows.ham": text, "rows.data.json": data, "init.json": `{"a": [[3, -2], [1, 0.5], [0.1, 0.2]], "tau": [1, 2], "s": 1}`})
	first := fine(t, "run", "rows.ham", "--draws", "5", "--warmup", "5", "--output-dir", "first")
	if !strings.Contains(first.stdout+first.stderr, "transport of a,") {
		t.Errorf("no map: %s%s", first.stdout, first.stderr)
	}
	for _, how := range []string{"--seed=2", "--evaluate"} {
		fine(t, "run", "rows.ham", how, "--init", "init.json", "--warmup", "0", "--steps", "1", "--step-size", "1e-9", "--chains", "1", "--draws", "1", "--quiet", "--output-dir", "at"+how)
		c := chainsIn(t, "at"+how)[0]
		for name, want := range map[string]float64{"a.1.1": 3, "a.1.2": -2, "a.2.2": 0.5, "a.3.1": 0.1, "tau.2": 2} {
			if got := c.Column(name)[0]; math.Abs(got-want) > 1e-6 {
				t.Errorf("%s: %s starts at %v, want %v", how, name, got, want)
			}
		}
	}
}

// TestBlameBehindTransport: the statement that is not defined where a step came to is named, though only the values of the latent
// vector, and not its coordinates, show that. Steps are so large that some leave, whatever the map is.
func TestBlameBehindTransport(t *testing.T) {
	inDir(t, map[string]string{"effects.ham": effectsModel, "effects.data.json": effectsData})
	fine(t, "run", "effects.ham", "--quiet", "--draws", "400", "--warmup", "200", "--max-halvings", "0", "--step-size", "1.2", "--seed", "1", "--output-dir", "out")
	if said := hamc("diagnose", "out").stdout; !strings.Contains(said, "density log(30 - a[1])") || strings.Contains(said, "no statement is to blame") {
		t.Errorf("%s", said)
	}
}

// TestWithoutMaps: a run names the vectors with a scale of other parameters that have no map, unless the model has a metric.
func TestWithoutMaps(t *testing.T) {
	const head = "model series\ndata n int\ndata y real[n, 5]\nparam r real[n, 5]\nparam u, v real[n]\nparam G real[5, 5]\nparam tau, s real > 0\n" +
		"r[1, :] ~ normal(0, 1)\nr[t, :] ~ normal(G*r[t-1, :], tau) for t in 2..n\nG[i, :] ~ normal(0, 0.3) for i in 5\n" +
		"u ~ normal(0, s)\nv ~ skew_normal(0, tau, 2)\ny[t, :] ~ normal(r[t, :] + u[t] + v[t], s) for t in n\ntau, s ~ exponential(1)\n"
	const data = `{"n": 2, "y": [[1, 0.5, -1, 0, 0.2], [0.3, 0.1, -0.4, 1, 0]]}`
	inDir(t, map[string]string{"auto.ham": head, "written.ham": head + "metric identity\n", "data.json": data})
	for name, want := range map[string]bool{"auto.ham": true, "written.ham": false} {
		said := fine(t, "run", name, "--data", "data.json", "--evaluate", "--chains", "1", "--warmup", "0", "--draws", "1", "--steps", "1", "--step-size", "0.1", "--output-dir", name+"-draws").stderr
		if got := strings.Contains(said, ", without one for r and v,"); got != want {
			t.Errorf("%s: named %v, want %v:\n%s", name, got, want, said)
		}
	}
}
