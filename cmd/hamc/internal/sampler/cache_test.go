package sampler

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hamc-dev/hamc/internal/campaign"
)

// TestMain keeps the cache of the go command where it is, while tests move the user's caches.
func TestMain(m *testing.M) {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv("GOCACHE", strings.TrimSpace(string(out)))
	os.Exit(m.Run())
}

// small is a program that builds fast. Its exit code is 7.
func small(mark string) *Program {
	return &Program{Main: func(string) string {
		return "// " + mark + "\npackage main\n\nimport \"os\"\n\nfunc main() { os.Exit(7) }\n"
	}}
}

// fresh moves the user's caches to a new directory.
func fresh(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	return dir
}

// built builds a program, which must run.
func built(t *testing.T, p *Program) *Binary {
	t.Helper()
	b, err := BuildProgram(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Remove)
	runs(t, b)
	return b
}

func runs(t *testing.T, b *Binary) {
	t.Helper()
	cmd := exec.Command(b.Path)
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("%s: %v", b.Path, err)
	}
}

// Whatever becomes of a sampler in the cache, it is built again, or put right, and runs.
func TestDamagedSampler(t *testing.T) {
	fresh(t)
	first := built(t, small("a"))
	if first.Cached || first.Note != "" {
		t.Fatalf("%+v", first)
	}
	if b := built(t, small("a")); !b.Cached || b.Note != "" || b.Path != first.Path || b.ID != first.ID {
		t.Fatalf("%+v, first %+v", b, first)
	}
	for _, c := range campaign.Sample(t, []struct {
		name  string
		spoil func(path string) error
		mends bool // without building
	}{
		{"empty", func(p string) error { return os.Truncate(p, 0) }, false},
		{"cut short", func(p string) error { return os.Truncate(p, 100_000) }, false},
		{"a bit", func(p string) error {
			text, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			text[len(text)/2] ^= 1
			return os.WriteFile(p, text, 0o700)
		}, false},
		{"another program", func(p string) error { return os.WriteFile(p, []byte("#!/bin/sh\nexit 0\n"), 0o700) }, false},
		{"text", func(p string) error { return os.WriteFile(p, []byte("hello"), 0o700) }, false},
		{"not executable", func(p string) error { return os.Chmod(p, 0o600) }, true},
		{"a directory", func(p string) error { return os.MkdirAll(filepath.Join(p, "x"), 0o700) }, false},
		{"a link", func(p string) error { return os.Symlink("/bin/true", p) }, false},
		{"gone", func(p string) error { return nil }, false},
	}, 2) {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "a directory" || c.name == "a link" || c.name == "gone" {
				if err := os.RemoveAll(first.Path); err != nil {
					t.Fatal(err)
				}
			} else if err := os.Remove(first.Path + "~"); err == nil {
				t.Fatal("left")
			}
			// The file is replaced, not written: first is still in use.
			if fi, err := os.Lstat(first.Path); err == nil && fi.Mode().IsRegular() {
				text, err := os.ReadFile(first.Path)
				if err != nil {
					t.Fatal(err)
				}
				os.Remove(first.Path)
				if err := os.WriteFile(first.Path, text, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.spoil(first.Path); err != nil {
				t.Fatal(err)
			}
			b := built(t, small("a"))
			if want := c.name != "gone" && !c.mends; b.Cached != c.mends || (b.Note != "") != want || want && !strings.Contains(b.Note, "was damaged, and is built again") {
				t.Errorf("%+v", b)
			}
			if b.Path != first.Path {
				t.Errorf("another path: %s, not %s", b.Path, first.Path)
			}
			if again := built(t, small("a")); !again.Cached || again.Note != "" {
				t.Errorf("again: %+v", again)
			}
		})
	}
}

// Processes that build, use and clean one cache at once do each other no harm.
func TestCacheAtOnce(t *testing.T) {
	fresh(t)
	var work sync.WaitGroup
	quit := make(chan struct{})
	var cleaner sync.WaitGroup
	cleaner.Go(func() {
		for {
			select {
			case <-quit:
				return
			default:
				if c, err := OpenCache(); err != nil {
					t.Error(err)
				} else if _, _, err := c.Clean(); err != nil {
					t.Error(err)
				}
				time.Sleep(time.Millisecond)
			}
		}
	})
	for i := range 4 {
		work.Go(func() {
			for range campaign.Cases(t, 1, 4) {
				b, err := BuildProgram(context.Background(), small(fmt.Sprint(i%2)))
				if err != nil {
					t.Error(err)
					return
				}
				runs(t, b)
				b.Remove()
			}
		})
	}
	work.Wait()
	close(quit)
	cleaner.Wait()
}

// The cache is the user's alone.
func TestCachePrivate(t *testing.T) {
	base := fresh(t)
	dir := filepath.Join(base, "hamc")
	for _, d := range []string{dir, filepath.Join(dir, samplersName)} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	built(t, small("p"))
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := e.Info()
		if err == nil && fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v", path, fi.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	// Where it cannot be, each run builds its own, and says why.
	temporary := func(what, why string) {
		t.Helper()
		tmp := t.TempDir()
		t.Setenv("TMPDIR", tmp)
		b, err := BuildProgram(context.Background(), small("p"))
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		runs(t, b)
		if b.Cached || !strings.HasPrefix(b.Path, tmp) || !strings.HasPrefix(b.Note, "samplers are not kept, but built for each run: ") || !strings.Contains(b.Note, why) {
			t.Errorf("%s: %+v", what, b)
		}
		b.Remove()
		if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", what, left, err)
		}
	}
	t.Setenv("XDG_CACHE_HOME", "relative")
	temporary("a relative directory", "relative")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", file)
	temporary("a file", "not a directory")
	t.Setenv("XDG_CACHE_HOME", base)
	if os.Geteuid() == 0 {
		if err := os.Chown(dir, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		temporary("another user's", "belongs to another user (65534)")
	}
}

// What is old, or too much, goes, the one that was used longest ago first; what is in use stays.
func TestPrune(t *testing.T) {
	fresh(t)
	c, err := OpenCache()
	if err != nil {
		t.Fatal(err)
	}
	make := func(name string, size int64, age time.Duration) string {
		path := filepath.Join(c.Dir, samplersName, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(size); err != nil {
			t.Fatal(err)
		}
		f.Close()
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const third = MaxCacheBytes / 3
	gone := map[string]bool{
		make("new", third, 0):                             false,
		make("newer", third, time.Hour):                   false,
		make("third", third, 2*time.Hour):                 false,
		make("too many", third, 3*time.Hour):              true,
		make("too old", 10, MaxCacheAge+24*time.Hour):     true,
		make("old but used", 10, MaxCacheAge+2*time.Hour): false,
	}
	used, err := os.Open(filepath.Join(c.Dir, samplersName, "old but used"))
	if err != nil {
		t.Fatal(err)
	}
	defer used.Close()
	share(used)
	for name, old := range map[string]bool{"build-1": true, "build-2": false, "0123456789abcdef": true} {
		path := filepath.Join(c.Dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if old {
			at := time.Now().Add(-2 * maxBuildAge)
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
		}
		gone[path] = old
	}
	c.Prune()
	for path, want := range gone {
		if _, err := os.Lstat(path); os.IsNotExist(err) != want {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
	}
	removed, left, err := c.Clean()
	if err != nil || len(removed) != 3 || len(left) != 1 || filepath.Base(left[0].Path) != "old but used" {
		t.Errorf("removed %v, left %v, %v", removed, left, err)
	}
}
