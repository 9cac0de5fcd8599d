package sampler

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A note is found by its subject, by the program that compiles and by what is compiled with and for, and goes with its sampler.
func TestNotes(t *testing.T) {
	fresh(t)
	ctx := context.Background()
	b := built(t, small("n"))
	if n := Recall(ctx, "a"); n != nil {
		t.Fatalf("%+v", n)
	}
	b.Remember(ctx, "a", []byte("what is\nto be known"))
	check := func(subject string, want bool) {
		t.Helper()
		n := Recall(ctx, subject)
		if (n != nil) != want || n != nil && (n.ID != b.ID || string(n.Text) != "what is\nto be known") {
			t.Errorf("the note on %s: %+v", subject, n)
		}
	}
	check("a", true)
	check("b", false)
	check("", false)

	me := identity
	identity = func() (string, error) { return "another hamc", nil }
	check("a", false)
	identity = me
	check("a", true)

	if os.Getenv("GOAMD64") == "" {
		t.Run("another machine", func(t *testing.T) {
			t.Setenv("GOAMD64", "v3")
			check("a", false)
		})
	}
	b.Remember(ctx, "", nil)
	if n := Recall(ctx, ""); n == nil || len(n.Text) > 0 {
		t.Errorf("%+v", n)
	}

	c, err := OpenCache()
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(c.Dir, notesName, ".123") // of a process that was killed
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.Prune()
	check("a", true)
	if _, err := os.Stat(left); err == nil {
		t.Error("half of a note stays")
	}
	b.Remove()
	old := time.Now().Add(-2 * MaxCacheAge)
	if err := os.Chtimes(b.Path, old, old); err != nil {
		t.Fatal(err)
	}
	c.Prune()
	check("a", false)
}

// A program that is not kept has no note.
func TestNoNoteOfWhatIsNotKept(t *testing.T) {
	fresh(t)
	b := &Binary{ID: "id"}
	b.Remember(context.Background(), "a", nil)
	if n := Recall(context.Background(), "a"); n != nil {
		t.Errorf("%+v", n)
	}
}

// Executables differ by what they are, and by when and where they were made.
func TestIdentity(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "hamc")
	at := time.Unix(1_000_000, 7)
	seen := map[string]string{}
	look := func(what, path, content string, at time.Time) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		id, err := identityOf(path)
		if err != nil {
			t.Fatal(err)
		}
		if as, ok := seen[id]; ok {
			t.Errorf("%s is as %s", what, as)
		}
		seen[id] = what
	}
	look("one", path, "content", at)
	look("another content", path, "consent", at)
	look("another size", path, "contents", at)
	look("another time", path, "content", at.Add(time.Nanosecond))
	look("another place", filepath.Join(dir, "other"), "content", at)
	if _, err := identityOf(filepath.Join(dir, "none")); err == nil {
		t.Error("a file that is not there has an identity")
	}
}
