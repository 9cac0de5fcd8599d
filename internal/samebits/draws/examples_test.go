package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestExamples: the command draws from every example there is.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../../examples/*.ham")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	var want, got []string
	for _, f := range files {
		want = append(want, strings.TrimSuffix(filepath.Base(f), ".ham"))
	}
	for _, x := range examples {
		got = append(got, x.name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("drawn from are %q, and the examples are %q", got, want)
	}
}
