package driver

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree makes files, with their names as content, and links, whose names end in @.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, strings.TrimSuffix(name, "@"))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		var err error
		if strings.HasSuffix(name, "@") {
			err = os.Symlink("a", path)
		} else {
			err = os.WriteFile(path, []byte(name), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Products go as they were noted, and stay after any change.
func TestProducts(t *testing.T) {
	rename := func(from, to string) func(dir string) error {
		return func(dir string) error { return os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)) }
	}
	write := func(name, text string) func(dir string) error {
		return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666) }
	}
	for name, c := range map[string]struct {
		change func(dir string) error
		stays  []string
	}{
		"nothing":          {func(string) error { return nil }, nil},
		"content":          {write("d/x/1", "other"), []string{"d"}},
		"a file more":      {write("d/x/3", ""), []string{"d"}},
		"a directory more": {func(dir string) error { return os.Mkdir(filepath.Join(dir, "d/y"), 0o777) }, []string{"d"}},
		"a file less":      {func(dir string) error { return os.Remove(filepath.Join(dir, "d/x/2")) }, []string{"d"}},
		"another name":     {rename("d/x/2", "d/x/4"), []string{"d"}},
		"a link": {func(dir string) error {
			if err := os.Remove(filepath.Join(dir, "a")); err != nil {
				return err
			}
			return os.Symlink("d/x/1", filepath.Join(dir, "a"))
		}, []string{"a"}},
		"a file cut": {write("a", ""), []string{"a"}},
		"a file for a tree": {func(dir string) error {
			if err := os.RemoveAll(filepath.Join(dir, "d")); err != nil {
				return err
			}
			return write("d", "d")(dir)
		}, []string{"d"}},
		"gone": {func(dir string) error { return os.Remove(filepath.Join(dir, "a")) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tree(t, "a", "d/x/1", "d/x/2", "users")
			for _, name := range []string{"d", "a", "a"} {
				if err := NoteProduct(dir, name); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			left, err := removeProducts(dir)
			if err != nil || !slices.Equal(left, c.stays) {
				t.Errorf("left %q (%v), want %q", left, err, c.stays)
			}
			var there []string
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				there = append(there, e.Name())
			}
			if want := append(c.stays, "users"); !slices.Equal(there, want) {
				t.Errorf("there are %q, want %q", there, want)
			}
		})
	}
}

// What cannot have been made from the draws is neither noted nor, whatever a list says, removed.
func TestNoProducts(t *testing.T) {
	dir := tree(t, "run/a", "run/chain_1.csv", "run/chain_1.checkpoint", "run/"+ManifestName, "run/l@", "outside")
	run := filepath.Join(dir, "run")
	for _, name := range []string{"", ".", "..", "../outside", "a/", "chain_1.csv", "chain_1.checkpoint", ManifestName, ProductsName, lockName, "missing", "l"} {
		if err := NoteProduct(run, name); err == nil {
			t.Errorf("%q is noted", name)
		}
	}
	sum, err := productSum(filepath.Join(dir, "outside"))
	if err != nil {
		t.Fatal(err)
	}
	chain, err := productSum(filepath.Join(run, "chain_1.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{`[{"name": "../outside", "sha256": "` + sum + `"}, {"name": "chain_1.csv", "sha256": "` + chain + `"}]`, `[{"name": "a"`, `{}`} {
		if err := os.WriteFile(filepath.Join(run, ProductsName), []byte(list), 0o666); err != nil {
			t.Fatal(err)
		}
		if left, err := removeProducts(run); err != nil || left != nil {
			t.Errorf("%s: left %q, %v", list, left, err)
		}
	}
	for _, path := range []string{"outside", "run/a", "run/chain_1.csv", "run/l"} {
		if _, err := os.Lstat(filepath.Join(dir, path)); err != nil {
			t.Error(err)
		}
	}
}
