package symbolic

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
)

// everyModel are the paths of all models of the repository.
func everyModel(t *testing.T) (paths []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".ham" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// TestCheck: a check, which makes no maps, says what deriving a model says, of all models of the repository.
func TestCheck(t *testing.T) {
	paths := everyModel(t)
	said := func(path string, of func(*dsl.Model) []dsl.Diagnostic) (out []string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, _ := dsl.Load(path, string(text), dsl.Options{})
		if m == nil {
			return nil // as a file of functions
		}
		for _, d := range of(m) {
			out = append(out, fmt.Sprint(d))
		}
		return out
	}
	for _, path := range campaign.Sample(t, paths, 25) {
		derived := said(path, func(m *dsl.Model) []dsl.Diagnostic {
			_, list := Derive(m)
			return list
		})
		if checked := said(path, Check); !slices.Equal(checked, derived) {
			t.Errorf("%s: a check says %q, and deriving it %q", path, checked, derived)
		}
	}
}
