package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/draws"
)

// pairModel is sampled in the blocks path (b, a), with a constant metric that
// depends on c, and scale (c), with one that varies.
const pairModel = `model pair
param a real
param b real[2]
param c real > 0
a ~ normal(0, 1.5)
b ~ normal(a, c)
c ~ lognormal(0, 0.5)
block path(b, a) metric [
  1/c^2, 0, -1/c^2 ;
  0, 1/c^2, -1/c^2 ;
  -1/c^2, -1/c^2, 2/c^2 + 4/9 ]
block scale(c) metric [4 + 2*c^2]
`

// inDir writes files into a directory of the test's own and goes there.
func inDir(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// pairDensity returns the log density of the pair and its gradient in the order
// of the parameters, with log c for c.
func pairDensity(q []float64) (l float64, grad []float64) {
	a, b1, b2, u := q[0], q[1], q[2], q[3]
	w := math.Exp(-2 * u)
	l = -0.5*a*a/2.25 - math.Log(1.5) - 0.5*w*((b1-a)*(b1-a)+(b2-a)*(b2-a)) - 2*u - 2*u*u - math.Log(0.5) - 2*math.Log(2*math.Pi)
	return l, []float64{
		-a/2.25 + w*(b1+b2-2*a), -w * (b1 - a), -w * (b2 - a),
		w*((b1-a)*(b1-a)+(b2-a)*(b2-a)) - 2 - 4*u,
	}
}

// pairEnergy returns the Hamiltonian of a block of the pair.
func pairEnergy(block string, q, p []float64) float64 {
	l, _ := pairDensity(q)
	w := math.Exp(-2 * q[3])
	if block == "scale" {
		g := 4 + 2/w
		return -l + 0.5*math.Log(g) + 0.5*p[0]*p[0]/g
	}
	// G is the precision of b and a: its inverse has 9/4 everywhere and
	// 1/w more for each b.
	sum := p[0] + p[1] + p[2]
	return -l + 0.5*math.Log(w*w*4/9) + 0.5*(2.25*sum*sum+(p[0]*p[0]+p[1]*p[1])/w)
}

// answer is what log-prob and trajectory say of one point.
type answer struct {
	LogDensity     float64       `json:"log_density"`
	Gradient       []float64     `json:"gradient"`
	Metric         [][]float64   `json:"metric"`
	MetricJacobian [][][]float64 `json:"metric_jacobian"`
	Hamiltonian    *float64      `json:"hamiltonian"`
	GradQ          []float64     `json:"grad_q_hamiltonian"`
	GradP          []float64     `json:"grad_p_hamiltonian"`

	Q, P         []float64
	EnergyChange float64 `json:"energy_change"`
	Converged    bool
	Failure      string
}

// at runs a command on points and returns its answers.
func at(t *testing.T, points []map[string][]float64, args ...string) []answer {
	t.Helper()
	text, err := json.Marshal(points)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("points.json", text, 0o666); err != nil {
		t.Fatal(err)
	}
	var out []answer
	if err := json.Unmarshal([]byte(fine(t, append(args, "--at", "points.json")...).stdout), &out); err != nil || len(out) != len(points) {
		t.Fatalf("%d answers to %d points: %v", len(out), len(points), err)
	}
	return out
}

var pairPoints = [][]float64{{0.4, -1.2, 2.1, 0.3}, {-0.7, 0.9, 0.1, -0.6}}

// Of a block, q holds the coordinates of the whole model, and all else is the
// block's, in its order of the parameters.
func TestLogProbOfBlocks(t *testing.T) {
	inDir(t, map[string]string{"pair.ham": pairModel})
	for _, c := range []struct {
		block string
		at    []int // of its coordinates
		p     []float64
	}{
		{"", []int{0, 1, 2, 3}, []float64{1, 2, 3, 4}}, {"path", []int{1, 2, 0}, []float64{0.5, -1, 0.25}}, {"scale", []int{3}, []float64{1.5}},
	} {
		var points []map[string][]float64
		for _, q := range pairPoints {
			points = append(points, map[string][]float64{"q": q, "p": c.p})
		}
		args := []string{"log-prob", "--tensor", "pair.ham"}
		if c.block != "" {
			args = append(args, "--block", c.block)
		}
		for i, got := range at(t, points, args...) {
			q := pairPoints[i]
			what := func(s string) string { return fmt.Sprintf("block %q, point %d: %s", c.block, i, s) }
			l, all := pairDensity(q)
			var grad []float64
			for _, k := range c.at {
				grad = append(grad, all[k])
			}
			near(t, what("log density"), []float64{got.LogDensity}, []float64{l}, 1e-13)
			near(t, what("gradient"), got.Gradient, grad, 1e-13)
			if c.block == "" {
				if got.Hamiltonian != nil || got.Metric != nil || got.MetricJacobian != nil {
					t.Errorf("a model of blocks as a whole has a metric: %+v", got)
				}
				continue
			}
			h := func(dq, dp float64, k int) float64 {
				x, p := slices.Clone(q), slices.Clone(c.p)
				x[c.at[k]] += dq
				p[k] += dp
				return pairEnergy(c.block, x, p)
			}
			near(t, what("Hamiltonian"), []float64{*got.Hamiltonian}, []float64{h(0, 0, 0)}, 1e-13)
			n := len(c.at)
			if len(got.Metric) != n || len(got.MetricJacobian) != n {
				t.Errorf("%s", what("a metric of another size"))
			}
			const eps = 1e-5
			for k := range n {
				// Central differences are off by some eps² and rounding by eps.
				near(t, what("∂H/∂q"), got.GradQ[k:k+1], []float64{(h(eps, 0, k) - h(-eps, 0, k)) / (2 * eps)}, 1e-8)
				near(t, what("∂H/∂p"), got.GradP[k:k+1], []float64{(h(0, eps, k) - h(0, -eps, k)) / (2 * eps)}, 1e-8)
			}
		}
	}
}

// A trajectory of a block may be fed its own output: five steps one by one are
// five steps, and the other blocks stay.
func TestTrajectoryOfBlocks(t *testing.T) {
	inDir(t, map[string]string{"pair.ham": pairModel})
	for _, c := range []struct {
		block, integrator string
		at                []int
		p                 []float64
	}{
		{"path", "leapfrog", []int{1, 2, 0}, []float64{0.5, -1, 0.25}}, {"path", "imb", []int{1, 2, 0}, []float64{0.5, -1, 0.25}},
		{"path", "glfa", []int{1, 2, 0}, []float64{0.5, -1, 0.25}},
		{"scale", "imb", []int{3}, []float64{1.5}}, {"scale", "glfb", []int{3}, []float64{1.5}}, {"scale", "ima", []int{3}, []float64{1.5}},
	} {
		args := []string{"trajectory", "pair.ham", "--block", c.block, "--integrator", c.integrator, "--step-size", "0.2", "--tol", "1e-13"}
		what := c.block + " by " + c.integrator
		var points []map[string][]float64
		for _, q := range pairPoints {
			points = append(points, map[string][]float64{"q": q, "p": c.p})
		}
		whole := at(t, points, append(args, "--steps", "5")...)
		changes := make([]float64, len(points))
		for range 5 {
			for i, a := range at(t, points, args...) {
				if !a.Converged || a.Failure != "" || len(a.Q) != 4 || len(a.P) != len(c.p) {
					t.Fatalf("%s: %+v", what, a)
				}
				points[i] = map[string][]float64{"q": a.Q, "p": a.P}
				changes[i] += a.EnergyChange
			}
		}
		for i, a := range whole {
			near(t, what+": q", points[i]["q"], a.Q, 1e-11)
			near(t, what+": p", points[i]["p"], a.P, 1e-11)
			start, end := pairEnergy(c.block, pairPoints[i], c.p), pairEnergy(c.block, a.Q, a.P)
			near(t, what+": energy", []float64{changes[i], a.EnergyChange}, []float64{end - start, end - start}, 1e-11)
			for k := range a.Q {
				if moved := a.Q[k] != pairPoints[i][k]; moved != slices.Contains(c.at, k) {
					t.Errorf("%s: coordinate %d is %v, and was %v", what, k, a.Q[k], pairPoints[i][k])
				}
			}
			if math.Abs(end-start) > 0.1 || math.Abs(end-start) == 0 {
				t.Errorf("%s: energy change %v", what, end-start)
			}
		}
	}
}

// runPair samples the pair with settings for each block and returns the chains.
func runPair(t *testing.T, dir string, args ...string) []*draws.Chain {
	t.Helper()
	fine(t, append([]string{"run", "pair.ham", "--quiet", "--output-dir", dir}, args...)...)
	files, err := draws.Files(dir)
	if err != nil || len(files) == 0 {
		t.Fatalf("files %q, %v", files, err)
	}
	var chains []*draws.Chain
	for _, f := range files {
		c, err := draws.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		chains = append(chains, c)
	}
	return chains
}

// The settings of a block arrive in it and in no other; the files tell them.
func TestSettingsOfBlocksArrive(t *testing.T) {
	inDir(t, map[string]string{"pair.ham": pairModel})
	for _, kind := range []string{"--evaluate", "--evaluate=false"} {
		chains := runPair(t, "settings"+kind, kind, "--chains", "2", "--draws", "30", "--warmup", "20", "--step-size", "0.4", "--keep", "c, a",
			"--set", "scale.integrator=glfa", "--set", "scale.step-size=0.3", "--set", "scale.steps=2", "--set", "scale.tol=1e-8",
			"--set", "scale.max-iterations=99", "--set", "scale.reverse-check=all", "--set", "path.max-depth=5")
		for _, c := range chains {
			for name, want := range map[string]string{
				"path.integrator": "leapfrog", "path.random_steps": "", "path.solver_tolerance": "1e-06", "path.solver_max_iterations": "1000",
				"path.reverse_check": "suspect", "path.max_treedepth": "5", "path.steps": "",
				"scale.integrator": "glfa", "scale.random_steps": "false", "scale.solver_tolerance": "1e-08", "scale.solver_max_iterations": "99",
				"scale.reverse_check": "all", "scale.steps": "2", "scale.max_treedepth": "", "integrator": "",
				"path.stepsize": "0.4", "scale.stepsize": "0.3", "Step size": "0.3",
			} {
				if got := c.Setting(name); got != want {
					t.Errorf("%s: setting %s is %q, want %q", kind, name, got, want)
				}
			}
			want := slices.Clone(runtime.StatNames[:])
			for _, block := range []string{"path", "scale"} {
				for _, name := range runtime.BlockStatNames {
					want = append(want, block+"_"+name)
				}
			}
			if !slices.Equal(c.Columns, append(want, "a", "c")) {
				t.Errorf("%s: columns %q", kind, c.Columns)
			}
			for n := range c.Values[0] {
				value := func(name string) float64 { return c.Column(name)[n] }
				if value("path_stepsize__") != 0.4 || value("scale_stepsize__") != 0.3 || value("stepsize__") != 0.3 ||
					!(value("path_n_leapfrog__") > 1 && value("path_n_leapfrog__") < 32) || value("scale_n_leapfrog__") != 2 || value("n_leapfrog__") != value("path_n_leapfrog__")+2 ||
					value("path_solver_iterations__") != 0 || value("scale_solver_iterations__") < 4 || value("c") <= 0 {
					t.Fatalf("%s: draw %d: %v", kind, n, c.Columns)
				}
			}
		}
		r := fine(t, "summary", "settings"+kind)
		table, _, _ := strings.Cut(r.stdout, "\n\n") // and then the warnings
		if lines := strings.Split(table, "\n"); len(lines) != 4 || !strings.HasPrefix(lines[1], "a ") || !strings.HasPrefix(lines[2], "c ") || !strings.HasPrefix(lines[3], "lp__ ") {
			t.Errorf("%s: summary\n%s", kind, r.stdout)
		}
	}
}

// Which trajectories a block has, static or dynamic, and whether the number of steps of
// static ones is random.
func TestTrajectoriesOfBlocks(t *testing.T) {
	inDir(t, map[string]string{"pair.ham": pairModel})
	for i, c := range []struct {
		args        []string
		path, scale string // random_steps; "" for dynamic trajectories
	}{
		{nil, "", ""},
		{[]string{"--set", "scale.steps=3"}, "", "false"},
		{[]string{"--set", "scale.steps=3", "--set", "scale.random-steps=true"}, "", "true"},
		{[]string{"--set", "scale.random-steps=true", "--set", "scale.steps=3"}, "", "true"},
		{[]string{"--set", "scale.steps=3", "--random-steps"}, "", "true"},
		{[]string{"--steps", "3"}, "false", "false"},
		{[]string{"--steps", "3", "--set", "scale.steps=0", "--set", "scale.max-depth=4"}, "false", ""},
		{[]string{"--steps", "3", "--set", "scale.step-size=0.5", "--random-steps"}, "true", "true"},
	} {
		chain := runPair(t, strconv.Itoa(i), append(c.args, "--evaluate", "--chains", "1", "--draws", "1", "--warmup", "60")...)[0]
		for block, want := range map[string]string{"path": c.path, "scale": c.scale} {
			random, depth, level := chain.Setting(block+".random_steps"), chain.Setting(block+".max_treedepth"), chain.Column(block + "_treedepth__")[0]
			if random != want || (want == "") != (depth != "") || (want == "") != (level > 0) {
				t.Errorf("%v: %s: random steps %q, largest depth %q, depth %v", c.args, block, random, depth, level)
			}
		}
	}
}

// The same seed makes the same files whatever the number of workers, and the
// compiled sampler takes the evaluator's steps.
func TestRunsOfBlocksAgree(t *testing.T) {
	inDir(t, map[string]string{"pair.ham": pairModel})
	common := []string{"--chains", "3", "--warmup", "20", "--draws", "20", "--seed", "5"}
	compiled := runPair(t, "one", append(common, "--workers", "1")...)
	runPair(t, "three", append(common, "--workers", "3")...)
	evaluated := runPair(t, "evaluated", append(common, "--evaluate")...)
	for c := 1; c <= 3; c++ {
		if !slices.Equal(lines(t, filepath.Join("one", draws.FileName(c))), lines(t, filepath.Join("three", draws.FileName(c)))) {
			t.Errorf("chain %d depends on --workers", c)
		}
		for k, name := range compiled[c-1].Columns {
			// Rounding grows along a chain, slowly for so short a one.
			x, y := compiled[c-1].Values[k][0], evaluated[c-1].Values[k][0]
			if !(math.Abs(x-y) <= 1e-6*max(1, math.Abs(x))) {
				t.Errorf("chain %d: %s is %v compiled, %v evaluated", c, name, x, y)
			}
		}
	}
}

// The posterior is the prior here: its moments are known.
func TestMomentsOfBlocks(t *testing.T) {
	inDir(t, map[string]string{"pair.ham": pairModel})
	chains := runPair(t, "draws", "--draws", "4000", "--warmup", "500", "--set", "scale.integrator=glfb")
	e := math.Exp(0.5)
	for _, m := range []struct {
		name  string
		exact float64
		of    func(a, b1, b2, c float64) float64
	}{
		{"E a", 0, func(a, b1, b2, c float64) float64 { return a }},
		{"E a²", 2.25, func(a, b1, b2, c float64) float64 { return a * a }},
		{"E b₁", 0, func(a, b1, b2, c float64) float64 { return b1 }},
		{"E (b₂ − a)²/c²", 1, func(a, b1, b2, c float64) float64 { return (b2 - a) * (b2 - a) / (c * c) }},
		{"E b₁ b₂", 2.25, func(a, b1, b2, c float64) float64 { return b1 * b2 }},
		{"E log c", 0, func(a, b1, b2, c float64) float64 { return math.Log(c) }},
		{"E (log c)²", 0.25, func(a, b1, b2, c float64) float64 { return math.Log(c) * math.Log(c) }},
		{"E |b₁ − a|", math.Sqrt(2/math.Pi) * math.Sqrt(math.Sqrt(e)), func(a, b1, b2, c float64) float64 { return math.Abs(b1 - a) }},
	} {
		var values [][]float64
		for _, c := range chains {
			a, b1, b2, s := c.Column("a"), c.Column("b.1"), c.Column("b.2"), c.Column("c")
			v := make([]float64, len(a))
			for i := range v {
				v[i] = m.of(a[i], b1[i], b2[i], s[i])
			}
			values = append(values, v)
		}
		z := (diagnostics.Mean(values) - m.exact) / diagnostics.MCSEMean(values)
		t.Logf("%s is off by %.1f standard errors", m.name, z)
		if !(math.Abs(z) <= 4) {
			t.Errorf("%s is off by %.1f standard errors", m.name, z)
		}
	}
}

// Of a long vector the table has the ends, unless all is asked for; the warnings
// count all of it.
func TestLongVectorsInTables(t *testing.T) {
	inDir(t, map[string]string{"long.ham": "model long\nparam v real\nparam x real[13]\nparam y real[12]\nv ~ normal(0, 1)\nx ~ normal(0, 1)\ny ~ normal(0, 1)\nmetric fisher\n"})
	r := fine(t, "run", "long.ham", "--evaluate", "--chains", "2", "--draws", "20", "--warmup", "20", "--quiet", "--output-dir", "draws")
	names := func(text string) (out []string) {
		table, _, _ := strings.Cut(text, "\n\n")
		for line := range strings.Lines(table) {
			name, _, _ := strings.Cut(line, "  ")
			out = append(out, strings.TrimSpace(name))
		}
		return out[1:]
	}
	short := []string{"v", "x.1", "x.2", "x.3", "worst of 9 more", "x.13"}
	whole := []string{"v"}
	for i := range 13 {
		whole = append(whole, fmt.Sprintf("x.%d", i+1))
	}
	for i := range 12 {
		short, whole = append(short, fmt.Sprintf("y.%d", i+1)), append(whole, fmt.Sprintf("y.%d", i+1))
	}
	if got := names(r.stdout); !slices.Equal(got, short) {
		t.Errorf("hamc run shows %q", got)
	}
	if !strings.Contains(r.stdout, "effective sample size below 400 for 26 of 26 parameters") {
		t.Errorf("warnings:\n%s", r.stdout)
	}
	if got := names(fine(t, "summary", "draws").stdout); !slices.Equal(got, short) {
		t.Errorf("hamc summary shows %q", got)
	}
	all := fine(t, "summary", "draws", "--all").stdout
	if got := names(all); !slices.Equal(got, whole) {
		t.Errorf("hamc summary --all shows %q", got)
	}
	// The row of the rest has the least and the largest of those that it hides.
	rest := func(text, from, to string) (fields [][]string) {
		_, text, _ = strings.Cut(text, "\n"+from)
		text, _, _ = strings.Cut(from+text, "\n"+to)
		for line := range strings.Lines(text) {
			fields = append(fields, strings.Fields(line))
		}
		return fields
	}
	hidden := rest(all, "x.4 ", "x.13 ")
	worst := rest(r.stdout, "worst", "x.13 ")[0]
	if len(hidden) != 9 || len(worst) != 7 {
		t.Fatalf("%q, %q", hidden, worst)
	}
	for k, pick := range []func(a, b float64) float64{math.Min, math.Min, math.Max} {
		number := func(s string) float64 {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		want := number(hidden[0][7+k])
		for _, f := range hidden {
			want = pick(want, number(f[7+k]))
		}
		if got := number(worst[4+k]); got != want {
			t.Errorf("column %d of the rest is %v, want %v", k, got, want)
		}
	}
}

// A parameter whose name looks like a statistic's is none.
func TestParametersThatLookLikeStatistics(t *testing.T) {
	inDir(t, map[string]string{"odd.ham": "model odd\nparam lp_, accept_stat real\nlp_ ~ normal(0, 1)\naccept_stat ~ normal(0, 1)\nmetric fisher\n"})
	r := fine(t, "run", "odd.ham", "--evaluate", "--chains", "1", "--draws", "20", "--warmup", "20", "--quiet")
	if !strings.Contains(r.stdout, "\nlp_ ") || !strings.Contains(r.stdout, "\naccept_stat ") {
		t.Errorf("summary:\n%s", r.stdout)
	}
}
