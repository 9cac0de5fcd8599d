package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestForeignFlags: what others call a flag or a command leads to one that exists, from one row, and is no name of hamc's own.
func TestForeignFlags(t *testing.T) {
	root := newRoot(&env{})
	run, _, err := root.Find([]string{"run"})
	if err != nil {
		t.Fatal(err)
	}
	var flags, commands []string
	run.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
	for _, c := range root.Commands() {
		commands = append(commands, c.Name())
	}
	check := func(rows []foreign, own []string, exists func(ours string) bool) {
		seen := map[string]bool{}
		for _, row := range rows {
			if row.ours == "" && row.instead == "" || row.ours != "" && !exists(row.ours) {
				t.Errorf("the row %q leads to %q", row.names, row.ours)
			}
			for _, name := range strings.Fields(row.names) {
				if seen[name] || slices.Contains(own, name) || strings.ContainsAny(name, "_") {
					t.Errorf("%q stands twice, or is hamc's own", name)
				}
				seen[name] = true
			}
		}
	}
	check(foreignFlags, flags, func(ours string) bool { return slices.Contains(flags, ours) })
	check(foreignCommands, commands, func(ours string) bool {
		first, _, _ := strings.Cut(ours, " ")
		return first == "MODEL.ham" || slices.Contains(commands, first)
	})
}
