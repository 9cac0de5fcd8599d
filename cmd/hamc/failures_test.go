package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime/driver"
)

// A manifest that tells of more coordinates than there can be is an error, and no end of memory.
func TestFailuresOfTooManyCoordinates(t *testing.T) {
	dir := t.TempDir()
	text := strings.Join(driver.FailureColumns(2), ",") + "\n1,1,,4,0,0.5,nan\n"
	if err := os.WriteFile(filepath.Join(dir, driver.FailuresName), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if list, err := readFailures(dir, 2); err != nil || len(list) != 1 || list[0].Q != nil {
		t.Errorf("two coordinates: %v (%v)", list, err)
	}
	for _, m := range []int{-1, 1, 3, 1 << 50} {
		if _, err := readFailures(dir, m); err == nil || !strings.Contains(err.Error(), "is not a file of failures") {
			t.Errorf("%d coordinates: %v", m, err)
		}
	}
}
