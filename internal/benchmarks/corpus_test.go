package benchmarks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/symbolic"
)

// TestCorpus: each posterior of the corpus compiles, without a message if it was written for the corpus, leaves its metric to hamc, and has its Stan program and data, or the name of
// a posterior of posteriordb.
func TestCorpus(t *testing.T) {
	folders, err := filepath.Glob("corpus/models/[a-z]*[^y]") // simulate.py is none
	if err != nil || len(folders) < 40 {
		t.Fatalf("%d models, %v", len(folders), err)
	}
	for n, folder := range folders {
		name := filepath.Base(folder)
		has := func(path string) bool { _, err := os.Stat(path); return err == nil }
		own := func(ending, otherwise string) string { // as corpus.py finds it
			if path := filepath.Join(folder, name+ending); has(path) {
				return path
			}
			return otherwise
		}
		posterior, err := os.ReadFile(filepath.Join(folder, "posteriordb.txt"))
		_, program, _ := strings.Cut(strings.TrimSpace(string(posterior)), "-")
		file := own(".ham", filepath.Join("..", "..", "examples", name+".ham"))
		if err == nil {
			file = own(".ham", filepath.Join("..", "posteriordb", "models", program+".ham"))
		}
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
		if ds != nil && len(ds.List) > 0 && filepath.Dir(file) == folder || len(more) > 0 {
			t.Errorf("%s: %v %v", file, ds, more)
		}
		if len(m.Blocks) != 1 || len(m.Blocks[0].Metric) != 1 || m.Blocks[0].Metric[0].Kind != dsl.MetricAuto {
			t.Errorf("%s has a metric or blocks of its own", file)
		}
		if filepath.Dir(file) == folder && m.Name != name {
			t.Errorf("%s: model %s", file, m.Name)
		}
		data := len(m.Data) == 0 || has(own(".data.json", filepath.Join("..", "..", "examples", name+".data.json")))
		if ours := has(own(".stan", "")) && data; ours == (program != "") {
			t.Errorf("%s: a Stan program with data, or a posterior of posteriordb, and not both", folder)
		}
	}
}
