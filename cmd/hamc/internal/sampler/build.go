// Package sampler builds the program that samples one model, from generated
// code and the runtime's source that the hamc binary carries.
package sampler

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"

	"github.com/hamc-dev/hamc"
)

// ErrNoToolchain says that there is no go command to build with.
var ErrNoToolchain = errors.New("no Go toolchain: there is no `go` command on the PATH")

const mainSource = `// Command sampler draws from one model.
package main

import (
	"io"

	"github.com/hamc-dev/hamc/models/%[1]s/model"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/driver"
)

func main() {
	driver.Main(func(r io.Reader, name string) (runtime.Model, error) {
		d, err := model.ReadData(r, name)
		if err != nil {
			return nil, err
		}
		return model.New(d)
	})
}
`

// Build returns the path of the sampler of a generated package named model,
// and whether it had been built before.
func Build(ctx context.Context, code []byte) (path string, cached bool, err error) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return "", false, ErrNoToolchain
	}
	files, sum, err := runtimeFiles()
	if err != nil {
		return "", false, err
	}
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	root := filepath.Join(base, "hamc", sum[:16])
	h := sha256.Sum256(code)
	key := "m" + hex.EncodeToString(h[:])[:20]
	dir := filepath.Join(root, "models", key)
	bin := filepath.Join(dir, "sampler")
	if _, err := os.Stat(bin); err == nil {
		return bin, true, nil
	}
	for _, f := range files {
		if err := writeFile(filepath.Join(root, f.name), f.text); err != nil {
			return "", false, err
		}
	}
	if err := writeFile(filepath.Join(root, "go.mod"), []byte("module github.com/hamc-dev/hamc\n\ngo 1.26\n")); err != nil {
		return "", false, err
	}
	if err := writeFile(filepath.Join(dir, "model", "model.go"), code); err != nil {
		return "", false, err
	}
	if err := writeFile(filepath.Join(dir, "main.go"), fmt.Appendf(nil, mainSource, key)); err != nil {
		return "", false, err
	}
	tmp := fmt.Sprintf("%s.%d", bin, os.Getpid())
	cmd := exec.CommandContext(ctx, goCommand, "build", "-trimpath", "-ldflags=-s -w", "-o", tmp, "./models/"+key)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GO111MODULE=on", "CGO_ENABLED=0", "GOPROXY=off", "GOTOOLCHAIN=local")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		os.Remove(tmp)
		if ctx.Err() != nil {
			return "", false, ctx.Err()
		}
		return "", false, fmt.Errorf("internal error: the generated code does not build: %v\n%s", err, out.String())
	}
	if err := os.Rename(tmp, bin); err != nil {
		return "", false, err
	}
	return bin, false, nil
}

type file struct {
	name string
	text []byte
}

// runtimeFiles returns the runtime's source without its tests, and its hash.
func runtimeFiles() ([]file, string, error) {
	var files []file
	err := fs.WalkDir(hamc.RuntimeSource, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(hamc.RuntimeSource, path)
		files = append(files, file{path, text})
		return err
	})
	sort.Slice(files, func(i, j int) bool { return files[i].name < files[j].name })
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%s\n%d\n", f.name, len(f.text))
		h.Write(f.text)
	}
	return files, hex.EncodeToString(h.Sum(nil)), err
}

// writeFile writes a file atomically, and not at all if it is there already
// with that text.
func writeFile(path string, text []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return WriteAtomic(path, text)
}

// WriteAtomic writes a file under a temporary name and renames it, so that a
// reader sees the old text or the new, never half of one.
func WriteAtomic(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	name := f.Name()
	_, err = f.Write(text)
	if e := f.Chmod(0o644); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(name, path)
	}
	if err != nil {
		os.Remove(name)
	}
	return err
}
