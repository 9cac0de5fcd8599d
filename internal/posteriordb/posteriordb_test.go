// Package posteriordb tests the programs of posteriordb in .ham.
package posteriordb

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/symbolic"
)

// TestModels checks that every model has a line of either table and is still
// checked and derived without an error, one in four of them in a short run.
func TestModels(t *testing.T) {
	files, err := filepath.Glob("models/*.ham")
	if err != nil || len(files) == 0 {
		t.Fatalf("no models: %v", err)
	}
	for _, name := range []string{"table.tsv", "speed.tsv"} {
		table, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if model := strings.TrimSuffix(filepath.Base(file), ".ham"); !strings.Contains(string(table), "\n"+model+"\t") {
				t.Errorf("%s has no line in %s", file, name)
			}
		}
	}
	for _, file := range campaign.Sample(t, files, 4) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m, ds := dsl.Load(file, string(text), dsl.Options{})
			if m == nil {
				t.Fatal(ds)
			}
			if d, list := symbolic.Derive(m); d == nil {
				t.Fatal(list)
			}
		})
	}
}
