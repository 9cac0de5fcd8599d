package codegen_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/codegen"
	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/symbolic"
)

// TestPrograms: on every example and every model of the differential corpus, the program keeps the rules of
// loop.Verify after every pass, and its text form is read back as the same program.
func TestPrograms(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../examples/*.ham", "../internal/differential/testdata/models/*.ham"} {
		list, err := filepath.Glob(pattern)
		if err != nil || len(list) == 0 {
			t.Fatalf("no models at %s: %v", pattern, err)
		}
		files = append(files, list...)
	}
	for _, file := range campaign.Sample(t, files, 36) {
		name := strings.TrimSuffix(filepath.Base(file), ".ham")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m, ds := dsl.Load(file, string(text), dsl.Options{Consts: bindings(t, string(text))})
			if m == nil {
				t.Fatal(ds)
			}
			d, list := symbolic.Derive(m)
			if d == nil {
				t.Fatal(list)
			}
			stages, last := 0, ""
			_, err = codegen.Generate(d, codegen.Options{Package: name, AfterPass: func(pass string, p *loop.Program) {
				stages++
				if err := loop.Verify(p); err != nil {
					t.Errorf("after %s: %v", pass, err)
				}
				text := p.Format()
				if text == last { // a pass that changes nothing
					return
				}
				last = text
				again, err := loop.Parse(text)
				if err != nil {
					t.Errorf("after %s: %v", pass, err)
					return
				}
				if back := again.Format(); back != text {
					t.Errorf("after %s, the text is read back as another program: %s", pass, difference(text, back))
				}
				if err := loop.Verify(again); err != nil {
					t.Errorf("after %s, as it is read back: %v", pass, err)
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			if stages == 0 {
				t.Error("no program was made")
			}
		})
	}
}

// bindings are the constants that the comments of a model of the corpus bind, as hamc --const does.
func bindings(t *testing.T, text string) []dsl.ConstBinding {
	var out []dsl.ConstBinding
	for _, line := range strings.Split(text, "\n") {
		if rest, ok := strings.CutPrefix(line, "// --const "); ok {
			name, value, _ := strings.Cut(rest, "=")
			v, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, dsl.ConstBinding{Name: name, Value: v})
		}
	}
	return out
}

// difference shows the first line in which two texts differ.
func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for n := range min(len(x), len(y)) {
		if x[n] != y[n] {
			return x[n] + " against " + y[n]
		}
	}
	return "one is longer"
}
