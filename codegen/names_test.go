package codegen

import (
	"go/token"
	"testing"

	"github.com/hamc-dev/hamc/symbolic"
)

// TestNames: identifiers are Go's, unique, and none of the code's own.
func TestNames(t *testing.T) {
	n := newNames()
	seen := map[string]bool{}
	for _, want := range []string{"sigma_y", "sigmaY", "_sigma_y", "q", "p", "x", "x", "range", "len", "s", "math", "t1", "t1", "t12", "e", "a1", "a_1", "_", "__", "_1"} {
		got := n.fresh(want)
		if seen[got] {
			t.Errorf("%s: %s is given twice", want, got)
		}
		seen[got] = true
		if !token.IsIdentifier(got) {
			t.Errorf("%s: %q is no identifier", want, got)
		}
		for _, r := range reserved {
			if got == r {
				t.Errorf("%s: %s is reserved", want, got)
			}
		}
	}
	if got := newNames().fresh("sigma_y"); got != "sigmaY" {
		t.Errorf("sigma_y becomes %s", got)
	}
	if got := exported("sigma_y"); got != "SigmaY" {
		t.Errorf("sigma_y is exported as %s", got)
	}
}

// TestScope: what a function names is free again after it, what the file names
// is not.
func TestScope(t *testing.T) {
	n := newNames()
	if got := n.fresh("mu"); got != "mu" {
		t.Fatal(got)
	}
	end := n.scope()
	if got := n.fresh("tmp"); got != "tmp" {
		t.Fatal(got)
	}
	if got := n.fresh("mu"); got == "mu" {
		t.Error("a function reuses a name of the file")
	}
	end()
	if got := n.fresh("tmp"); got != "tmp" {
		t.Errorf("a name of an earlier function is still taken: %s", got)
	}
	v := &symbolic.Tensor{Name: "q", Kind: symbolic.CoordTensor}
	if got := n.tensor(v); got != "qPar" {
		t.Errorf("a parameter called q becomes %s", got)
	}
	if got := n.tensor(v); got != "qPar" {
		t.Errorf("the second time it is %s", got)
	}
}
