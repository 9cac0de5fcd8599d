package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
)

// recalled is a model with a warning of its derivation, one about its data, a const, and a number that may be 0.
const recalled = `model recalled
data n int
data k int
data y real[n]
const c = 3
param mu, s real
param x real[n]
mu ~ normal(0, c)
s ~ normal(0, 1)
x ~ normal(mu, exp(s))
y ~ normal(x, 1 + k)
density log(mu + 100)
metric hessian
`

// timing is what differs between the messages of two runs that do the same.
var timing = regexp.MustCompile(`(?m)^(compiled to \d+ lines of Go) in .*|^built .*|^chain \d+: .*\n|( draws) in .*, integrator`)

// derived runs hamc, and counts the derivations.
func derived(t *testing.T, args ...string) (r result, n int64) {
	t.Helper()
	before := derivations.Load()
	r = hamc(append(args, "--chains", "1", "--warmup", "10", "--draws", "5", "--progress", "plain", "--overwrite", "--output-dir", "out")...)
	n = derivations.Load() - before
	r.stderr = timing.ReplaceAllString(r.stderr, "$1$2")
	r.stdout = timing.ReplaceAllString(r.stdout, "$1$2")
	return r, n
}

// fewInputs writes a model and its data, in a directory of their own and with a cache that has no notes.
func fewInputs(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	noNotes(t)
	writeInputs(t)
}

// noNotes gives the test a cache without notes. Its samplers are those that all tests share: the
// same one is not built again for each cache.
func noNotes(t *testing.T) {
	t.Helper()
	shared := filepath.Join(sharedCache, "hamc", "samplers")
	own := filepath.Join(t.TempDir(), "hamc")
	if err := errors.Join(os.MkdirAll(shared, 0o700), os.Mkdir(own, 0o700), os.Symlink(shared, filepath.Join(own, "samplers"))); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", filepath.Dir(own))
}

func writeInputs(t *testing.T) {
	t.Helper()
	put(t, "m.ham", recalled)
	put(t, "m.data.json", `{"n": 2, "k": 0, "y": [1, 2], "other": 1}`)
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// A second run of a model derives nothing, and says and writes what the first has.
func TestSecondRunDerivesNothing(t *testing.T) {
	fewInputs(t)
	first, n := derived(t, "run", "m.ham")
	if n == 0 || !strings.Contains(first.stderr, "[W501]") || !strings.Contains(first.stderr, "does not declare: other") || !strings.Contains(first.stderr, "compiled to ") {
		t.Fatalf("%d derivations\n%s%s", n, first.stdout, first.stderr)
	}
	draws := readOut(t)
	again, n := derived(t, "run", "m.ham")
	if n != 0 {
		t.Errorf("%d derivations of a second run", n)
	}
	if again != first {
		t.Errorf("the first run:\n%+v\nthe second:\n%+v", first, again)
	}
	if !slices.Equal(readOut(t), draws) {
		t.Error("the second run has made other draws")
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"another seed", []string{"--seed", "2"}, first.code, "draws in out"},
		{"the prior", []string{"--init", "prior"}, first.code, "draws in out"},
		{"nothing to keep", []string{"--keep", "z"}, exitProblem, "model recalled has no such parameter or quantity"},
		{"a constant metric", []string{"--metric", "diag_e"}, exitProblem, "model recalled has a metric of its own"},
		{"equations", []string{"--ode-rel-tol", "1e-3"}, exitProblem, "model recalled has no differential equations"},
		{"blocks", []string{"--set", "b.steps=3"}, exitProblem, "model recalled is sampled as a whole"},
		{"the leapfrog", []string{"--integrator", "leapfrog"}, exitProblem, "leapfrog"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, n := derived(t, append([]string{"run", "m.ham"}, c.args...)...)
			if n != 0 || r.code != c.code || !strings.Contains(r.stdout+r.stderr, c.want) {
				t.Errorf("%d derivations, exit code %d, want %d\n%s%s", n, r.code, c.code, r.stdout, r.stderr)
			}
			// What is not remembered derives, and says the same.
			noNotes(t)
			full, n := derived(t, append([]string{"run", "m.ham"}, c.args...)...)
			if n == 0 || full != r {
				t.Errorf("%d derivations: %+v\nremembered: %+v", n, full, r)
			}
		})
	}
}

// readOut returns the draws of a run.
func readOut(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("out", "chain_1.csv"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What decides the code decides whether a run derives; other data of the same sizes do not.
func TestWhatARunRemembers(t *testing.T) {
	fewInputs(t)
	if r, n := derived(t, "run", "m.ham"); n == 0 {
		t.Fatalf("%+v", r)
	}
	for _, c := range campaign.Sample(t, []struct {
		name   string
		change func(t *testing.T)
		args   []string
		derive bool
		want   string // of what it says
	}{
		{"nothing", func(*testing.T) {}, nil, false, ""},
		{"the text", func(t *testing.T) { put(t, "m.ham", recalled+"mu ~ normal(1, 1)\n") }, nil, true, ""},
		{"a comment", func(t *testing.T) { put(t, "m.ham", recalled+"// a comment\n") }, nil, true, ""},
		{"the data", func(t *testing.T) { put(t, "m.data.json", `{"n": 2, "k": 0, "y": [3, 4], "more": 1}`) }, nil, false, "not declare: more"},
		{"a size", func(t *testing.T) { put(t, "m.data.json", `{"n": 3, "k": 0, "y": [1, 2, 3]}`) }, nil, true, "5 coordinates"},
		{"a number", func(t *testing.T) { put(t, "m.data.json", `{"n": 2, "k": 1, "y": [1, 2]}`) }, nil, true, ""},
		{"wrong data", func(t *testing.T) { put(t, "m.data.json", `{"n": 2, "k": 0, "y": [1]}`) }, nil, true, ": y: expected an array of 2 numbers"},
		{"a const", func(*testing.T) {}, []string{"--const", "c=4"}, true, ""},
		{"Newton's method", func(*testing.T) {}, []string{"--solver", "newton"}, true, ""},
		{"the evaluator", func(*testing.T) {}, []string{"--evaluate"}, true, ""},
		{"a starting point", func(t *testing.T) { put(t, "m.init.json", `{"mu": 1}`) }, nil, true, "starting points from m.init.json"},
		{"another place", func(t *testing.T) {
			if err := os.Mkdir("below", 0o777); err != nil {
				t.Fatal(err)
			}
			put(t, "below/m.ham", recalled)
			put(t, "m.ham", "")
		}, []string{"below/m.ham", "--data", "m.data.json"}, false, "below/m.ham:10:"},
		{"another name", func(t *testing.T) { put(t, "o.ham", recalled) }, []string{"o.ham", "--data", "m.data.json"}, true, "o.ham:10:"},
	}, 2) {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			writeInputs(t)
			c.change(t)
			args := append([]string{"run"}, c.args...)
			if len(c.args) == 0 || strings.HasPrefix(c.args[0], "-") {
				args = append([]string{"run", "m.ham"}, c.args...)
			}
			r, n := derived(t, args...)
			if (n > 0) != c.derive || !strings.Contains(r.stderr, c.want) {
				t.Errorf("%d derivations:\n%s%s", n, r.stdout, r.stderr)
			}
			if c.derive {
				return
			}
			noNotes(t)
			if full, _ := derived(t, args...); full != r {
				t.Errorf("with a cache: %+v\nwithout: %+v", r, full)
			}
		})
	}
}

// A note that is damaged is as if it were not there; a sampler that is gone or damaged is built again, and the note on it is of use. The first
// run builds: its cache is empty.
func TestDamagedNotes(t *testing.T) {
	fewInputs(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	first, _ := derived(t, "run", "m.ham")
	find := func(pattern string) string {
		t.Helper()
		list, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "hamc", pattern))
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		return list[0]
	}
	note := find("notes/*")
	whole, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	changed := slices.Clone(whole)
	changed[len(changed)-20] ^= 4
	other := slices.Clone(whole)
	other[12] ^= 1 // of the name
	for name, text := range map[string][]byte{
		"empty": nil, "cut short": whole[:len(whole)-1], "changed": changed, "of another subject": other, "foreign": []byte("# notes\n\nof mine\n"),
	} {
		t.Run(name, func(t *testing.T) {
			put(t, note, string(text))
			if r, n := derived(t, "run", "m.ham"); n == 0 || r != first {
				t.Errorf("%d derivations, %+v", n, r)
			}
			if r, n := derived(t, "run", "m.ham"); n != 0 || r != first { // it was written again
				t.Errorf("%d derivations of the run behind it, %+v", n, r)
			}
		})
	}
	for name, spoil := range map[string]func(string) error{
		"gone":    os.Remove,
		"damaged": func(p string) error { return os.Truncate(p, 1000) },
	} {
		t.Run("the sampler "+name, func(t *testing.T) {
			if err := spoil(find("samplers/*")); err != nil {
				t.Fatal(err)
			}
			r, n := derived(t, "run", "m.ham")
			if damaged := strings.Contains(r.stderr, "a sampler in the cache was damaged, and is built again\n"); n == 0 || damaged != (name == "damaged") {
				t.Errorf("%d derivations, %+v", n, r)
			}
			if r, n := derived(t, "run", "m.ham"); n != 0 || r != first {
				t.Errorf("%d derivations of the run behind it, %+v", n, r)
			}
		})
	}
	if r := fine(t, "cache", "clean"); !strings.Contains(r.stdout, "removed 1 sampler") {
		t.Errorf("%+v", r)
	}
	if list, _ := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "hamc", "notes", "*")); len(list) > 0 {
		t.Errorf("notes without samplers: %v", list)
	}
}

// Who is to blame for a chain that cannot start, a second run tells as the first does; and a run is resumed without deriving.
func TestRememberedRuns(t *testing.T) {
	fewInputs(t)
	put(t, "m.ham", strings.Replace(recalled, "mu + 100", "mu - 100", 1))
	first, _ := derived(t, "run", "m.ham")
	if again, _ := derived(t, "run", "m.ham"); again != first || !strings.Contains(first.stderr, "m.ham:12:1: the log density of this statement is NaN there") {
		t.Errorf("the first run:\n%+v\nthe second:\n%+v", first, again)
	}
	put(t, "m.ham", recalled)
	derived(t, "run", "m.ham")
	before := derivations.Load()
	if r := fine(t, "run", "--resume", "out", "--draws", "7"); derivations.Load() != before || !strings.Contains(r.stderr, "[W501]") {
		t.Errorf("%d derivations, %+v", derivations.Load()-before, r)
	}
}
