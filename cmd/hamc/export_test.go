//go:build unix

package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hamc-dev/hamc/runtime/draws"
)

// longRun writes a chain of some MB.
func longRun(t *testing.T, dir string, n int) {
	t.Helper()
	h := draws.Header{Samples: n, Columns: []string{"lp__", "divergent__", "x.1", "x.2", "x.3", "x.4"}}
	w, err := draws.Create(filepath.Join(dir, draws.FileName(1)), false, h)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		if err := w.Row([]float64{rng.Float64(), 0, rng.Float64(), rng.Float64(), rng.Float64(), rng.Float64()}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(h); err != nil {
		t.Fatal(err)
	}
}

// tree lists the files below a directory with their contents.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			out = append(out, path)
			return err
		}
		text, err := os.ReadFile(path)
		out = append(out, path+": "+string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// An export that runs out of room leaves everything as it was: nothing where
// nothing was, the earlier export where there was one.
func TestExportWithoutRoom(t *testing.T) {
	for _, f := range exportFormats {
		for _, earlier := range []bool{false, true} {
			dir := t.TempDir()
			longRun(t, dir, 200)
			args := []string{"export", dir, "--format", f.name}
			if earlier {
				if p := start(t, dir, nil, args...); p.drawn() != exitFine {
					t.Fatal(p.stderr.String())
				}
				args = append(args, "--overwrite")
			}
			if err := os.Remove(filepath.Join(dir, draws.FileName(1))); err != nil {
				t.Fatal(err)
			}
			longRun(t, dir, 20_000)
			before := tree(t, dir)
			// Files of at most 32 kB, in blocks of 512 bytes or 1 kB.
			cmd := exec.Command("sh", append([]string{"-c", `ulimit -f 32 && exec "$0" "$@"`, hamcBinary}, args...)...)
			out, err := cmd.CombinedOutput()
			target := filepath.Join(dir, f.file)
			if err == nil || cmd.ProcessState.ExitCode() != exitProblem || string(out) != "hamc: "+target+" is not written: file too large\n" {
				t.Errorf("%s: exit %v, %s", f.name, err, out)
			}
			if !slices.Equal(tree(t, dir), before) {
				t.Errorf("%s, over an earlier export %v: the directory has changed", f.name, earlier)
			}
		}
	}
}

// Neither does an interrupt leave anything behind.
func TestInterruptedExport(t *testing.T) {
	dir := t.TempDir()
	longRun(t, dir, 300_000)
	p := start(t, dir, nil, "export", dir, "--format", "csv") // the slowest
	p.until("a temporary file", func() bool {
		names, _ := filepath.Glob(filepath.Join(dir, ".draws.csv.*"))
		return len(names) > 0
	})
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	code := p.wait()
	names, err := filepath.Glob(filepath.Join(dir, "*draws.csv*"))
	if err != nil {
		t.Fatal(err)
	}
	hidden, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, hidden...)
	if code != exitSignal+15 || len(names) > 0 || !strings.Contains(p.stderr.String(), "interrupted") {
		t.Errorf("exit %d, left %v: %s", code, names, p.stderr.String())
	}
}
