package main

import (
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime/driver"
)

// TestLength: a run that is not told how far to go goes on until its draws are enough, and one that is goes as far as it is told, whatever they are worth.
func TestLength(t *testing.T) {
	// Trajectories of one step along a ridge: a thousand draws are worth some dozens.
	inDir(t, map[string]string{"ridge.ham": "model ridge\nparam x real[2]\nx ~ normal(0, 1)\ndensity -2*(x[1] - x[2])^2\n"})
	ridge := []string{"run", "ridge.ham", "--evaluate", "--chains", "2", "--metric", "unit_e", "--max-depth", "1", "--quiet", "--overwrite", "--output-dir", "d"}
	enough := driver.Target{MinESS: 400, MaxRHat: 1.01, MaxDraws: 10_000, Yields: true}
	few := enough
	few.MaxDraws = 1001
	enough.FarDraws, enough.Operations = 50_000, farOperations
	for _, c := range []struct {
		args   string
		target driver.Target
		goesOn bool
	}{
		{"", enough, true},
		{"--max-draws 1001", few, false}, // which would not do
		{"--draws 1000", driver.Target{}, false},
		{"--min-ess 0", driver.Target{}, false},
		{"--step-size 0.5", driver.Target{}, false},
		{"--min-ess 10", driver.Target{MinESS: 10, MaxDraws: 20_000}, false},
	} {
		r := fine(t, append(ridge, strings.Fields(c.args)...)...)
		man, err := driver.ReadManifest("d")
		if err != nil {
			t.Fatal(err)
		}
		if man.Target != c.target {
			t.Errorf("%q: the target is %+v, want %+v", c.args, man.Target, c.target)
		}
		if goesOn := strings.Contains(r.stdout, "draws, as many as R-hat and effective sample sizes asked for,"); goesOn != c.goesOn || goesOn == strings.Contains(r.stdout, "2 chains of 1000 draws in") {
			t.Errorf("%q: %s", c.args, r.stdout)
		}
	}
	// Where draws are cheap it goes on farther than first draws say.
	inDir(t, map[string]string{"steep.ham": "model steep\nparam x real[2]\nx ~ normal(0, 1)\ndensity -8*(x[1] - x[2])^2\n"})
	if r := fine(t, append([]string{"run", "steep.ham"}, ridge[2:]...)...); !strings.Contains(r.stdout, "2 chains of 16583 draws, as many as R-hat") {
		t.Errorf("cheap draws: %s", r.stdout)
	}
	// A limit that is given when a run is resumed is the only one.
	fine(t, "run", "--resume", "d", "--max-draws", "17000", "--quiet")
	if man, err := driver.ReadManifest("d"); err != nil || man.Target.MaxDraws != 17000 || man.Target.FarDraws != 0 {
		t.Errorf("resumed with a limit: %+v, %v", man.Target, err)
	}
	inDir(t, map[string]string{"ridge.ham": "model ridge\nparam x real[2]\nx ~ normal(0, 1)\ndensity -2*(x[1] - x[2])^2\n"})
	fine(t, ridge...)
	if r := hamc("run", "--resume", "d", "--draws", "1000", "--quiet"); r.code != exitProblem || !strings.Contains(r.stderr, "more than the 1000 asked for") {
		t.Errorf("fewer draws than there are: exit code %d, %s", r.code, r.stderr)
	}
	if r := hamc(append(ridge, "--draws", "10", "--max-draws", "20")...); r.code != exitUsage || !strings.Contains(r.stderr, "this one has a length of its own") {
		t.Errorf("a limit of nothing: exit code %d, %s", r.code, r.stderr)
	}
}
