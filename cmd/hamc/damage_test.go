package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime/driver"
)

// Whatever is asked of a run one of whose files is damaged, the answer is an error that names the
// file. That every damage is found is the driver's to prove; here, that every command asks.
func TestDamagedRuns(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	model := "model m\nparam x real\nx ~ normal(0, 1)\nmetric identity\n"
	if err := os.WriteFile("m.ham", []byte(model), 0o666); err != nil {
		t.Fatal(err)
	}
	hamc("run", "m.ham", "--quiet", "--evaluate", "--chains", "2", "--warmup", "100", "--draws", "100", "--integrator", "imb", "--audit", "5", "--output-dir", "whole")
	entries, err := os.ReadDir("whole")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, e := range entries {
		name := e.Name()
		if !driver.IsRunFile(name) || name == ".lock" {
			continue
		}
		for _, damage := range []string{"bit", "removed"} {
			broken := damage + "-" + name
			if err := os.CopyFS(broken, os.DirFS("whole")); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(broken, name)
			if damage == "removed" {
				err = os.Remove(path)
			} else {
				var text []byte
				if text, err = os.ReadFile(path); err == nil {
					text[len(text)/2] ^= 1
					err = os.WriteFile(path, text, 0o666)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"summary", broken}, {"diagnose", broken}, {"report", broken}, {"export", broken}, {"run", "--quiet", "--resume", broken, "--draws", "150"}} {
				tried++
				r := hamc(args...)
				if r.code != exitProblem || r.stdout != "" || !strings.Contains(r.stderr, path+": ") {
					t.Errorf("%s %s: hamc %s: exit code %d\n%s%s", name, damage, args[0], r.code, r.stdout, r.stderr)
				}
			}
		}
	}
	if tried != 2*5*(2+2+3) {
		t.Errorf("%d commands", tried)
	}
}
