package dsl

import (
	"slices"
	"strings"
	"testing"
)

// TestOtherArguments: each row of the table of arguments is of distributions that there are, whose own arguments have other names, and is what the message on each of its
// names says, whichever of several named arguments it is.
func TestOtherArguments(t *testing.T) {
	for _, row := range otherArguments {
		for _, name := range strings.Fields(row.dists) {
			d := LookupDistribution(name)
			if d == nil {
				t.Errorf("%q: there is no distribution %s", row.hint, name)
				continue
			}
			meant := false
			for _, arg := range strings.Fields(row.names) {
				if slices.Contains(d.argNames(), arg) {
					continue // of another distribution of the row
				}
				meant = true
				for _, args := range [][]Arg{{{Name: arg}}, {{Name: d.argNames()[0]}, {Name: arg}}} {
					if got := d.namedHint(args); got != row.hint {
						t.Errorf("%s(%s = …): %q, want %q", name, arg, got, row.hint)
					}
				}
			}
			if !meant {
				t.Errorf("%q: all names of the row are those of %s", row.hint, name)
			}
		}
	}
}
