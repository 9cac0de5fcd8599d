package samebits

import "testing"

// TestGenerated checks that nothing in emitted code depends on the machine.
func TestGenerated(t *testing.T) {
	found, err := Packages("github.com/hamc-dev/hamc/generated/...")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Error(f)
	}
}
