package driver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
)

// A damage is a way in which a file may come to be other than it was written.
type damage struct {
	name string
	do   func(t *testing.T, path string)
}

// damages are the ways in which each file of a run is damaged.
func damages() []damage {
	edit := func(change func(rng *rand.Rand, text []byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(uint64(len(path)), uint64(len(text))))
			if err := os.WriteFile(path, change(rng, text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	out := []damage{
		{"removed", func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}},
		{"emptied", edit(func(*rand.Rand, []byte) []byte { return nil })},
		{"cut by a byte", edit(func(_ *rand.Rand, b []byte) []byte { return b[:len(b)-1] })},
		{"cut in two", edit(func(_ *rand.Rand, b []byte) []byte { return b[:len(b)/2] })},
		{"a line more", edit(func(_ *rand.Rand, b []byte) []byte { return append(b, '\n') })},
		{"its last line twice", edit(func(_ *rand.Rand, b []byte) []byte {
			at := strings.LastIndex(strings.TrimSuffix(string(b), "\n"), "\n")
			return append(b, b[at+1:]...)
		})},
		{"a digit changed", edit(func(_ *rand.Rand, b []byte) []byte {
			at := strings.LastIndexAny(string(b[:3*len(b)/4]), "12345678")
			b[at]++
			return b
		})},
		{"a blank changed", edit(func(_ *rand.Rand, b []byte) []byte {
			return []byte(strings.Replace(string(b), " ", "  ", 1) + " ")
		})},
	}
	for range 8 {
		n := len(out)
		out = append(out, damage{fmt.Sprintf("bit %d", n), edit(func(rng *rand.Rand, b []byte) []byte {
			for range n { // another place each time
				rng.Uint64()
			}
			b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
			return b
		})})
	}
	return out
}

// ended makes a run with audits and failures and something made from its draws.
func ended(t *testing.T, dir string) *Request {
	t.Helper()
	r := request(dir)
	r.Options.Draws, r.Options.Init = 100, []runtime.Point{{0}}
	r.Options.Audit = runtime.NewAuditRate(5, 100)
	r.Options.Integrator, r.Options.Steps, r.Options.StepSize = runtime.IMb, 3, 0.5
	if err := Run(context.Background(), &edge{}, r, quiet); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "report.html"), []byte("<p>"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := NoteProduct(dir, "report.html"); err != nil {
		t.Fatal(err)
	}
	return r
}

// copied is a copy of a run.
func copied(t *testing.T, whole string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// refusedAsDamaged expects of Verify, and of a run that would go on as a request has it, an error about a file, and no change.
func refusedAsDamaged(t *testing.T, r *Request, dir, name string) {
	t.Helper()
	if _, err := Verify(dir); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("Verify: %v, want an error about %s", err, name)
	}
	before := contents(t, dir)
	again := *r
	again.Output, again.Resume, again.Options.Draws = dir, true, 120
	if err := Run(context.Background(), &edge{}, &again, quiet); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("resumed: %v, want an error about %s", err, name)
	}
	after := contents(t, dir)
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s was changed by the run that was refused", name)
		}
	}
}

// Any damage to any file of a run that has ended is an error that names the file, both of Verify and
// of a run that would go on from there, which changes nothing.
func TestVerifyFindsDamage(t *testing.T) {
	whole := t.TempDir()
	r := ended(t, whole)
	if _, err := Verify(whole); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(whole)
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, e := range entries {
		name := e.Name()
		if !IsRunFile(name) || name == lockName { // which is empty, and is made anew
			continue
		}
		files++
		for _, d := range damages() {
			if name == ProductsName && d.name == "removed" {
				continue // then nothing is known to be made here
			}
			t.Run(name+" "+d.name, func(t *testing.T) {
				dir := copied(t, whole)
				d.do(t, filepath.Join(dir, name))
				refusedAsDamaged(t, r, dir, name)
			})
		}
	}
	if files != 3+3+5 {
		t.Errorf("%d files of the run", files)
	}
}

// TestVerifyFindsOtherFiles: so is a file in the place of another, and one more.
func TestVerifyFindsOtherFiles(t *testing.T) {
	whole := t.TempDir()
	r := ended(t, whole)
	for _, pair := range [][2]string{{"chain_1.csv", "chain_2.csv"}, {"chain_2.checkpoint", "chain_3.checkpoint"}} {
		t.Run("swapped "+pair[0], func(t *testing.T) {
			dir := copied(t, whole)
			a, b, c := filepath.Join(dir, pair[0]), filepath.Join(dir, pair[1]), filepath.Join(dir, "c")
			for _, move := range [][2]string{{a, c}, {b, a}, {c, b}} {
				if err := os.Rename(move[0], move[1]); err != nil {
					t.Fatal(err)
				}
			}
			refusedAsDamaged(t, r, dir, pair[0])
		})
	}
	t.Run("a chain of another run", func(t *testing.T) {
		dir := copied(t, whole)
		text, err := os.ReadFile(filepath.Join(dir, "chain_1.csv"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "chain_7.csv"), text, 0o666); err != nil {
			t.Fatal(err)
		}
		refusedAsDamaged(t, r, dir, "chain_7.csv")
	})
}

// TestVerifyLeaves: what is no part of the run may change, and draws may be read without it.
func TestVerifyLeaves(t *testing.T) {
	whole := t.TempDir()
	ended(t, whole)
	t.Run("what may change", func(t *testing.T) {
		dir := copied(t, whole)
		for _, name := range []string{"report.html", ProductsName, lockName} {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		if m, err := Verify(dir); err != nil || m == nil {
			t.Errorf("%v, %v", m, err)
		}
		alone := t.TempDir()
		for _, name := range []string{"chain_1.csv", "chain_3.csv"} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(alone, name), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if m, err := Verify(alone); err != nil || m != nil {
			t.Errorf("draws alone: %v, %v", m, err)
		}
	})
}

// After a crash, what a checkpoint vouches for is checked, and the rest is as it may be.
func TestVerifyAfterCrash(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, dir string)
		want  string // "" for none
	}{
		{"nothing", func(*testing.T, string) {}, ""},
		{"rows behind the checkpoint", func(t *testing.T, dir string) { appendTo(t, chainFile(dir, 0), "1,2") }, ""},
		{"no checkpoint", func(t *testing.T, dir string) { os.Remove(checkpointFile(dir, 1)) }, ""},
		{"no audits", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, AuditName)) }, ""},
		{"draws gone", func(t *testing.T, dir string) { os.Remove(chainFile(dir, 1)) }, "chain_2.csv: the file is gone"},
		{"header", func(t *testing.T, dir string) { flip(t, chainFile(dir, 1), 40) }, "chain_2.csv: the file was changed"},
		{"draws", func(t *testing.T, dir string) { flip(t, chainFile(dir, 2), 1700) }, "chain_3.csv: the file was changed"},
		{"checkpoint", func(t *testing.T, dir string) { flip(t, checkpointFile(dir, 2), 17) }, "chain_3.checkpoint: the checkpoint is damaged"},
		{"manifest", func(t *testing.T, dir string) { flip(t, filepath.Join(dir, ManifestName), 300) }, "run.json: the file is damaged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			ended(t, dir)
			crashed(t, dir)
			c.spoil(t, dir)
			if _, err := Verify(dir); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// flip changes a bit of the byte at a place.
func flip(t *testing.T, path string, at int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[at] ^= 4
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
}
