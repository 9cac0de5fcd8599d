package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/driver"
)

// The ridge of examples/banana.ham, and a line through points, neither with a metric.
const (
	ridgeModel = "model ridge\n\ndata y real[20]\n\nparam a, b real\n\na, b ~ normal(0, 2)\ny ~ normal(a + b^2, 2)\n\ngenerate {\n  z = a + b^2\n}\n"
	curveModel = "model curve\n\ndata x, y real[20]\n\nparam a, b, c real\n\na, b, c ~ normal(0, 1)\ny[i] ~ normal(a + exp(b)*x[i] + c*x[i]^2, 0.1) for i in 1..20\n"
)

// TestRace: the metric of a model that leaves it to hamc is chosen before the run, alike by compiled code and by the evaluator; the run makes
// the draws that it makes where the choice is stated; a run that is resumed keeps it.
func TestRace(t *testing.T) {
	var x, y []string
	for i := range 20 {
		x, y = append(x, []string{"-1", "-0.5", "0", "0.5", "1"}[i%5]), append(y, []string{"1.1", "-0.4", "0.9", "1.6", "0.3"}[i%5])
	}
	data := `{"x": [` + strings.Join(x, ", ") + `], "y": [` + strings.Join(y, ", ") + `]}`
	inDir(t, map[string]string{"ridge.ham": ridgeModel, "curve.ham": curveModel, "ridge.data.json": `{"y": [` + strings.Join(y, ", ") + `]}`, "curve.data.json": data})
	draws := func(dir string) string {
		var all []byte
		for _, name := range []string{"chain_1.csv", "chain_2.csv"} {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, b...)
		}
		return string(all)
	}
	run := func(model, dir string, more ...string) string {
		args := append([]string{"run", model, "--chains", "2", "--quiet", "--output-dir", dir}, more...)
		return hamc(args...).stdout
	}
	race := func(dir string) *runtime.Race {
		man, err := driver.ReadManifest(dir)
		if err != nil {
			t.Fatal(err)
		}
		return man.Race
	}
	for _, c := range []struct {
		model, chosen, other string
	}{{"ridge", "fisher", "low_rank"}, {"curve", "low_rank", "fisher"}} {
		said := run(c.model+".ham", c.model)
		if !strings.Contains(said, "\nmetric "+c.chosen+": ") {
			t.Errorf("%s: %s", c.model, said)
		}
		r := race(c.model)
		if r == nil || r.Chosen.String() != c.chosen {
			t.Fatalf("%s: the manifest has the race %+v", c.model, r)
		}
		if said := run(c.model+".ham", c.model+"-again", "--metric", c.chosen); strings.Contains(said, "\nmetric "+c.chosen+": ") || race(c.model+"-again") != nil {
			t.Errorf("%s: a race where the metric is stated: %s", c.model, said)
		}
		if draws(c.model) != draws(c.model+"-again") {
			t.Errorf("%s: the race changes the draws", c.model)
		}
		run(c.model+".ham", c.model+"-other", "--metric", c.other)
		if draws(c.model) == draws(c.model+"-other") {
			t.Errorf("%s: both metrics make the same draws", c.model)
		}
		if c.model == "curve" || campaign.Long(t) { // over the ridge the evaluator takes as long as all runs of compiled code
			run(c.model+".ham", c.model+"-evaluated", "--evaluate", "--draws", "5")
			if e := race(c.model + "-evaluated"); e == nil || e.Chosen != r.Chosen || e.Iteration != r.Iteration || e.Step != r.Step {
				t.Errorf("%s: the evaluator's race is %+v, that of compiled code %+v", c.model, e, r)
			}
		}
		run(c.model+".ham", c.model+"-part", "--draws", "400")
		if said := hamc("run", "--resume", c.model+"-part", "--draws", "1000", "--quiet").stdout; !strings.Contains(said, "\nmetric "+c.chosen+": ") {
			t.Errorf("%s, resumed: %s", c.model, said)
		}
		// But for the header, which has the number of draws.
		tail := func(s string) string { return s[strings.LastIndex(s, "\n#"):] }
		if tail(draws(c.model)) != tail(draws(c.model+"-part")) {
			t.Errorf("%s: the resumed run makes other draws", c.model)
		}
	}
}
