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
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/draws"
)

// sampled runs a model into a directory of its own and returns the chains.
func sampleChains(t *testing.T, model string, args ...string) (dir string, chains []*draws.Chain) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "draws")
	fine(t, append([]string{"run", filepath.Join(os.Getenv("EXAMPLES"), model+".ham"), "--quiet", "--output-dir", dir}, args...)...)
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
	return dir, chains
}

// lines returns the lines of a file, without those that tell elapsed times.
func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, " seconds (") {
			kept = append(kept, line)
		}
	}
	if len(kept) < 20 {
		t.Fatalf("%s has %d lines", path, len(kept))
	}
	return kept
}

// The same seed makes the same files, but for the elapsed times, whatever the
// number of workers; another seed makes others.
func TestSameSeedSameFiles(t *testing.T) {
	for _, kind := range []string{"--evaluate", "--evaluate=false"} {
		common := []string{"--chains", "3", "--warmup", "30", "--draws", "20", kind}
		one, _ := sampleChains(t, "gaussian", append(common, "--seed", "5", "--workers", "1")...)
		again, _ := sampleChains(t, "gaussian", append(common, "--seed", "5", "--workers", "1")...)
		wide, _ := sampleChains(t, "gaussian", append(common, "--seed", "5", "--workers", "3")...)
		other, _ := sampleChains(t, "gaussian", append(common, "--seed", "6")...)
		for c := 1; c <= 3; c++ {
			want := lines(t, filepath.Join(one, draws.FileName(c)))
			if !slices.Equal(lines(t, filepath.Join(again, draws.FileName(c))), want) {
				t.Errorf("%s: chain %d differs between two runs", kind, c)
			}
			if !slices.Equal(lines(t, filepath.Join(wide, draws.FileName(c))), want) {
				t.Errorf("%s: chain %d depends on --workers", kind, c)
			}
			if slices.Equal(lines(t, filepath.Join(other, draws.FileName(c))), want) {
				t.Errorf("%s: chain %d does not depend on --seed", kind, c)
			}
		}
	}
}

// The compiled sampler and the evaluator take the same steps: for a quadratic
// Hamiltonian, where rounding does not grow, the same draws.
func TestCompiledDrawsAreTheEvaluators(t *testing.T) {
	common := []string{"--chains", "2", "--warmup", "20", "--draws", "10", "--seed", "3"}
	_, compiled := sampleChains(t, "gaussian", common...)
	_, evaluated := sampleChains(t, "gaussian", append(common, "--evaluate")...)
	for i := range compiled {
		a, b := compiled[i], evaluated[i]
		if !slices.Equal(a.Columns, b.Columns) {
			t.Fatalf("columns %v and %v", a.Columns, b.Columns)
		}
		for k := range a.Columns {
			for n, x := range a.Values[k] {
				y := b.Values[k][n]
				if d := math.Abs(x - y); !(d <= 1e-9*max(1, math.Abs(x))) {
					t.Errorf("chain %d, draw %d, %s: %v compiled, %v evaluated", i+1, n+1, a.Columns[k], x, y)
				}
			}
		}
	}
}

// On a curved metric rounding grows along trajectories, and the draws agree in
// distribution only.
func TestCompiledAndEvaluatedAgreeStatistically(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data.json") // few, for the evaluator's sake
	if err := os.WriteFile(data, []byte(`{"n": 3, "y": [2, 0.5, 1.5]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	common := []string{"--data", data, "--chains", "4", "--warmup", "0", "--step-size", "0.3", "--steps", "6", "--draws", strconv.Itoa(campaign.Cases(t, 100, 300)), "--seed", "11"}
	var sums [2][]diagnostics.Summary
	for i, kind := range []string{"--evaluate=false", "--evaluate"} {
		dir, _ := sampleChains(t, "banana", append(common, kind)...)
		s, err := summarise(dir)
		if err != nil {
			t.Fatal(err)
		}
		sums[i] = s.rows
	}
	for k, a := range sums[0] {
		b := sums[1][k]
		// Five standard errors of a difference: once in two million.
		if d := math.Abs(a.Mean-b.Mean) / math.Hypot(a.MCSE, b.MCSE); !(d < 5) {
			t.Errorf("%s: means %v and %v differ by %.1f standard errors", a.Name, a.Mean, b.Mean, d)
		}
		if d := math.Abs(math.Log(a.SD/b.SD)) * math.Sqrt(min(a.ESSTail, b.ESSTail)); !(d < 5) {
			t.Errorf("%s: standard deviations %v and %v", a.Name, a.SD, b.SD)
		}
	}
}

// The settings arrive in the sampler, and the file tells them.
func TestSettingsArrive(t *testing.T) {
	for _, kind := range []string{"--evaluate", "--evaluate=false"} {
		_, chains := sampleChains(t, "banana", kind, "--chains", "1", "--draws", "5", "--warmup", "0", "--seed", "18446744073709551615",
			"--integrator", "glfb", "--step-size", "0.03", "--steps", "7", "--tol", "1e-7", "--max-iterations", "77", "--reverse-check", "all")
		c := chains[0]
		for name, want := range map[string]string{
			"seed": "18446744073709551615", "num_samples": "5", "num_warmup": "0", "integrator": "glfb", "random_steps": "false", "steps": "7",
			"solver_tolerance": "1e-07", "solver_max_iterations": "77", "reverse_check": "all",
		} {
			if got := c.Setting(name); got != want {
				t.Errorf("%s: %s = %q, want %q", kind, name, got, want)
			}
		}
		for n, steps := range c.Column("n_leapfrog__") {
			if steps > 7 || c.Column("stepsize__")[n] != 0.03 {
				t.Errorf("%s: draw %d: %v steps of %v", kind, n+1, steps, c.Column("stepsize__")[n])
			}
		}
	}
	_, chains := sampleChains(t, "gaussian", "--chains", "1", "--draws", "40", "--warmup", "0", "--step-size", "0.1", "--steps", "6", "--random-steps")
	seen := map[float64]bool{}
	for _, steps := range chains[0].Column("n_leapfrog__") {
		seen[steps] = true
	}
	if len(seen) < 3 || seen[7] {
		t.Errorf("--random-steps --steps 6: numbers of steps %v", seen)
	}
}

func TestFailuresInWords(t *testing.T) {
	x := &runtime.Totals{Transitions: 10}
	if got := failures(x); got != "none of 10 transitions failed" {
		t.Error(got)
	}
	x.ByStatus[runtime.Stalled], x.ByStatus[runtime.NotPositiveDefinite], x.Divergent, x.Irreversible = 1, 2, 3, 4
	if got := failures(x); got != "of 10 transitions: 3 solver failures (1 stalled, 2 not positive definite), 3 divergent, 4 irreversible" {
		t.Error(got)
	}
}

func TestNumbersInWords(t *testing.T) {
	for s, want := range map[string]string{
		seconds(0.0001): "1 ms", seconds(0.0523): "52 ms", seconds(1.26): "1.3 s", seconds(75): "75.0 s", seconds(125): "2 min 5 s", seconds(7384): "2 h 3 min",
		span(0.1, 0.2): "0.1–0.2", span(0.1234, 0.1234): "0.123",
		nearest("tragectory", []string{"check", "trajectory"}): "trajectory",
		nearest("rnu", []string{"run", "diff"}):                "run",
		nearest("x", []string{"run", "diff"}):                  "",
		nearest("", []string{"run"}):                           "",
		fmt.Sprint(edits("ca", "abc")):                         "3",
	} {
		if s != want {
			t.Errorf("got %q, want %q", s, want)
		}
	}
}
