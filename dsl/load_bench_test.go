package dsl_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// BenchmarkLoad measures the front end on all examples, one after the other.
func BenchmarkLoad(b *testing.B) {
	files, err := filepath.Glob("../examples/*.ham")
	if err != nil || len(files) == 0 {
		b.Fatalf("no examples: %v", err)
	}
	var texts []string
	size := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		texts = append(texts, string(text))
		size += len(text)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range texts {
			if _, ds := dsl.Load("example.ham", text, dsl.Options{}); ds.HasErrors() {
				b.Fatal(ds)
			}
		}
	}
}
