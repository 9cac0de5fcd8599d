package interpret

import (
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
)

// derivedOf derives a model that has no errors, and returns what was said of it.
func derivedOf(t *testing.T, text string) (*symbolic.Derived, []dsl.Diagnostic) {
	t.Helper()
	m, ds := dsl.Load("m.ham", text, dsl.Options{})
	if m == nil {
		t.Fatalf("%s\n%s", text, ds)
	}
	d, list := symbolic.Derive(m)
	if d == nil {
		t.Fatalf("%s\n%v", text, list)
	}
	return d, list
}

// posteriorOf is a model with data.
func posteriorOf(t *testing.T, d *symbolic.Derived, data string) Posterior {
	t.Helper()
	p, err := New(d, strings.NewReader(data), "data")
	if err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return p
}
