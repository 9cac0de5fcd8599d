package sampler

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
)

// Settings of the go command that are none of hamc's business do not keep it from building.
func TestSettingsOfGo(t *testing.T) {
	dir := fresh(t)
	settings := []string{
		"GOFLAGS=-mod=vendor", "GOFLAGS=nonsense", "GOROOT=/nonexistent", "GOTOOLCHAIN=go1.99.9", "GO111MODULE=off", "GOWORK=/nonexistent/go.work",
		"GOPROXY=off", "GOPATH=relative", "GOMODCACHE=relative", "GOENV=/nonexistent", "GOTMPDIR=/nonexistent", "GOCACHEPROG=/nonexistent", "GODEBUG=nonsense",
		"GOOS=plan9", "GOARCH=386", "GOBIN=relative", "GOFIPS140=nonsense", "GOCACHE=off", "GOCACHE=relative", "GOCACHE=" + filepath.Join(dir, "file", "below"),
	}
	// In a short campaign one in eight, and all of the cache.
	for _, v := range append(campaign.Sample(t, settings[:len(settings)-3:len(settings)-3], 8), settings[len(settings)-3:]...) {
		t.Run(v, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			name, value, _ := strings.Cut(v, "=")
			if name == "GOCACHE" && !campaign.Long(t) {
				borrow(t)
			}
			t.Setenv(name, value)
			if b := built(t, small(v)); b.Note != "" || b.Cached {
				t.Errorf("%+v", b)
			}
		})
	}
}

// borrow puts a go command on the PATH that wants a cache that can be used, as the true one does, but
// then builds with the cache of these tests, since in an empty one it compiles the standard library.
func borrow(t *testing.T) {
	t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := fmt.Sprintf(`#!/bin/sh
[ "$1" = build ] || exec '%[1]s' "$@"
cache=${GOCACHE-$XDG_CACHE_HOME/go-build}
case $cache in /*) ;; *) echo "GOCACHE is no absolute path: $cache"; exit 1 ;; esac
mkdir -p "$cache" || exit 1
GOCACHE='%[2]s' exec '%[1]s' "$@"
`, tool, os.Getenv("GOCACHE"))
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// A go command that is none, or does not work, is an error in a few lines, and no bug of hamc.
func TestBrokenGo(t *testing.T) {
	fresh(t)
	for _, c := range []struct {
		name, script, setting string
		toolchain             bool // the error is one for which there is the evaluator
		want                  string
	}{
		{"fails", "echo cannot >&2; exit 3", "", true, "env` fails: exit status 3\ncannot"},
		{"is old", "echo go1.21.3", "", true, "is go1.21.3, and samplers need " + minGo},
		{"is no go", "echo hello", "", true, `prints "hello", which is no version of Go`},
		{"does not build", `[ "$1" = env ] && echo go1.26.1 || { echo "go: bad luck"; exit 1; }`, "", false, "the sampler does not build: exit status 1\ngo: bad luck"},
		{"says much", `[ "$1" = env ] && echo go1.26.1 || { seq 1 1000; exit 1; }`, "", false, "\n12\n…"},
		{"builds nothing", `[ "$1" = env ] && echo go1.26.1; exit 0`, "", false, "it succeeds, and there is no program"},
		{"has no memory", `[ "$1" = env ] && echo go1.26.1 || { echo "fatal error: failed to reserve page summary memory"; exit 2; }`, "", false, "the sampler is not built: there is not enough memory"},
		{"is killed", `[ "$1" = env ] && echo go1.26.1 || kill -9 $$`, "", false, "it was killed, which is what the system does where there is not enough memory or a limit of processor time is reached"},
		{"", "", "GOEXPERIMENT=strange", true, "unknown GOEXPERIMENT strange"},
	} {
		t.Run(c.name+c.setting, func(t *testing.T) {
			if c.setting != "" {
				name, value, _ := strings.Cut(c.setting, "=")
				t.Setenv(name, value)
			}
			if c.script != "" {
				dir := t.TempDir()
				if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
				t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
			}
			_, err := BuildProgram(context.Background(), small(c.name))
			var none *ToolchainError
			var failed *BuildError
			if err == nil || errors.As(err, &none) != c.toolchain || !c.toolchain && !errors.As(err, &failed) || failed != nil && failed.Code {
				t.Fatalf("%T %v", err, err)
			}
			if !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), "\n") > 14 {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// Code that does not compile is a bug of whoever wrote it.
func TestCodeThatDoesNotCompile(t *testing.T) {
	fresh(t)
	_, err := BuildProgram(context.Background(), &Program{Main: func(string) string { return "package main\n\nfunc main() { undefined() }\n" }})
	var failed *BuildError
	if !errors.As(err, &failed) || !failed.Code || !strings.Contains(failed.Output, "undefined: undefined") {
		t.Errorf("%v", err)
	}
}

// The version of the go command that its build information tells is what it says itself. A command that is no such
// program is asked, and so is one with settings.
func TestQuickGo(t *testing.T) {
	for _, name := range kept {
		if name != "GOCACHE" {
			t.Setenv(name, "")
		}
	}
	asked, err := findGo(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if quick, ok := quickGo(); !ok || quick != asked {
		t.Errorf("%v %v, the go command says %v", quick, ok, asked)
	}
	t.Run("settings", func(t *testing.T) {
		t.Setenv("GOEXPERIMENT", "arenas")
		if quick, ok := quickGo(); ok {
			t.Errorf("%v", quick)
		}
	})
	other, err := os.ReadFile(os.Args[0]) // of Go too
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"script": []byte("#!/bin/sh\nexec " + asked.path + " \"$@\"\n"), "another program": other} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "go"), text, 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir)
			if quick, ok := quickGo(); ok {
				t.Errorf("%v", quick)
			}
		})
	}
	t.Run("none", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if quick, ok := quickGo(); ok {
			t.Errorf("%v", quick)
		}
	})
}
