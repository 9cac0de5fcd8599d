package main

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime/draws"
	"github.com/hamc-dev/hamc/runtime/driver"
)

// increments is an age-depth model: data see sums of increments, of which a map at one place says little elsewhere.
var increments = map[string]string{
	"increments.ham": `model increments
data n int
data y, err real[n]
param inc real[n] > 0
param mu real
param s, tau real > 0
let age = cumulative_sum(inc)
inc ~ lognormal(mu, s)
mu ~ normal(4, 1)
s ~ half_normal(1)
tau ~ half_normal(50)
y ~ student_t(4, age, sqrt(err.^2 + tau^2))
`,
	"increments.data.json": `{"n": 15, "err": [25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25],
"y": [122.9, 113.0, 360.6, 420.5, 671.1, 673.3, 711.5, 699.0, 748.7, 898.7, 1310.3, 1316.4, 1393.8, 1473.4, 1501.7]}`,
}

// TestDeclared: a run whose chains have not mixed in coordinates from the Fisher information has the draws of one in those of the declarations, which its directory tells and a resumed run has too.
// One that is told its coordinates, or how far to go, has what it is told.
func TestDeclared(t *testing.T) {
	inDir(t, increments)
	const told = "coordinates of the declarations: R-hat was "
	r := fine(t, "run", "increments.ham", "--chains", "2", "--seed", "2", "--output-dir", "d", "--progress", "json")
	if !strings.Contains(r.stdout, told) || !strings.Contains(r.stdout, "draws in d\n") {
		t.Error(r.stdout)
	}
	var kinds []string // of events: they tell of the second run where its draws are, and the verdict comes last
	for _, line := range strings.Split(strings.TrimSpace(r.stderr), "\n") {
		var ev driver.Event
		if err := json.Unmarshal([]byte(line), &ev); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if ev.Event == driver.EventProgress {
			continue
		}
		kinds = append(kinds, string(ev.Event))
		if ev.Done == nil {
			continue
		}
		for _, c := range ev.Done.Chains {
			if _, err := os.Stat(c.File); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	if got, want := strings.Join(kinds, " "), "start done start done verdict"; got != want {
		t.Errorf("the events are %s, want %s", got, want)
	}
	man, err := driver.Verify("d")
	if err != nil {
		t.Fatal(err)
	}
	if o := man.Origin; o.Coordinates != declaredCoordinates || !strings.HasPrefix(o.Instead, "R-hat was 1.") {
		t.Errorf("the origin is %+v", o)
	}
	list, err := os.ReadDir("d")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if !driver.IsRunFile(f.Name()) {
			t.Errorf("%s is left in the directory", f.Name())
		}
	}
	if r := hamc("run", "--resume", "d", "--draws", "6000", "--quiet"); r.code != 0 || !strings.Contains(r.stdout, told) {
		t.Errorf("resumed: exit code %d, %s%s", r.code, r.stderr, r.stdout)
	}
	for _, c := range []struct{ args, coordinates, said string }{
		{"--draws 1000", "", "coordinates from the Fisher information for inc"},
		{"--coordinates fisher", "", "coordinates from the Fisher information for inc"},
		{"--coordinates declared --draws 500", declaredCoordinates, "adapted in warm-up; coordinates of the declarations\n"},
	} {
		r := hamc(append([]string{"run", "increments.ham", "--chains", "2", "--seed", "2", "--quiet", "--overwrite", "--output-dir", "d"}, strings.Fields(c.args)...)...)
		man, err := driver.ReadManifest("d")
		if err != nil {
			t.Fatal(err)
		}
		if man.Origin.Coordinates != c.coordinates || man.Origin.Instead != "" || !strings.Contains(r.stdout, c.said) {
			t.Errorf("%s: %+v, %s", c.args, man.Origin, r.stdout)
		}
	}
	if r := hamc("run", "increments.ham", "--coordinates", "cartesian"); r.code != exitUsage || !strings.Contains(r.stderr, "expected auto, fisher or declared") {
		t.Errorf("unknown coordinates: exit code %d, %s", r.code, r.stderr)
	}
}

// TestMisses: draws that mix, and never come to where a chain of another run was, say nothing of that place.
func TestMisses(t *testing.T) {
	run := func(chains ...[]float64) *summary {
		s := &summary{}
		for _, x := range chains {
			s.kept = append(s.kept, &draws.Chain{Columns: []string{"lp__", "x"}, Values: [][]float64{make([]float64, len(x)), x}})
		}
		return s
	}
	mixed := run([]float64{1, 2, 3}, []float64{2, 3, 1.5})
	for _, c := range []struct {
		other *summary
		want  string
	}{
		{run([]float64{1, 1, 1.1}, []float64{2, 9, -5}), ""}, // a chain that stood still, and one that went beyond and came back
		{run([]float64{1, 2, 3}, []float64{7, 8, 9}), "x"},
		{run([]float64{1, 2, 3}, []float64{math.NaN(), 2, 3}), "x"},
	} {
		if got := mixed.misses(c.other); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
