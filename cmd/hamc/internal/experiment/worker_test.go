package experiment

import (
	"go/format"
	"strings"
	"testing"
)

// TestWorkerProgram: the program of a worker is gofmt-clean Go, whatever it is made of.
func TestWorkerProgram(t *testing.T) {
	for _, src := range []*Source{
		{Models: []CompiledModel{{Package: "banana"}}},
		{Models: []CompiledModel{{Package: "banana"}, {Package: "funnel"}}, With: []Extension{{Name: "a.go"}, {Name: "b.go"}}},
	} {
		text := src.main("example.com/w")
		clean, err := format.Source([]byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if string(clean) != text {
			t.Errorf("this is not as gofmt writes it:\n%s", text)
		}
		for _, m := range src.Models {
			if !strings.Contains(text, `"example.com/w/`+m.Package+`"`) || !strings.Contains(text, "return "+m.Package+".New(d)") {
				t.Errorf("no %s in\n%s", m.Package, text)
			}
		}
		if len(src.With) == 2 && !strings.Contains(text, "Extensions: []grid.Extension{with0.Extension, with1.Extension},") {
			t.Errorf("no extensions in\n%s", text)
		}
	}
}
