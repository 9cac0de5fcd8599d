package benchmarks

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/symbolic"
)

// TestCorpus: each posterior of the corpus compiles without a message, leaves its metric to hamc, and has its Stan program and data, or the name of
// a posterior of posteriordb.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("corpus/models/*/*.ham")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d models, %v", len(files), err)
	}
	for n, file := range files {
		folder, name := filepath.Dir(file), filepath.Base(filepath.Dir(file))
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, ds := dsl.Load(file, string(text), dsl.Options{})
		if m == nil {
			t.Errorf("%v", ds)
			continue
		}
		var more []dsl.Diagnostic
		if n%campaign.Cases(t, 3, 1) == 0 {
			_, more = symbolic.Derive(m)
		}
		if ds != nil && len(ds.List) > 0 || len(more) > 0 {
			t.Errorf("%s: %v %v", file, ds, more)
		}
		if m.Name != name || len(m.Blocks) != 1 || len(m.Blocks[0].Metric) != 1 || m.Blocks[0].Metric[0].Kind != dsl.MetricAuto {
			t.Errorf("%s: model %s, with a metric or blocks of its own", file, m.Name)
		}
		has := func(name string) bool { _, err := os.Stat(filepath.Join(folder, name)); return err == nil }
		if ours := has(name+".stan") && has(name+".data.json"); ours == has("posteriordb.txt") {
			t.Errorf("%s: a Stan program with data, or a posterior of posteriordb, and not both", folder)
		}
	}
}
