package sampler

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
)

// minGo is the oldest Go release that the runtime and generated code build
// with.
const minGo = "go1.26"

// A ToolchainError says why there is no Go toolchain to build with.
type ToolchainError struct{ Reason string }

func (e *ToolchainError) Error() string { return "no Go toolchain: " + e.Reason }

// toolchain is a go command.
type toolchain struct{ path, version string }

// quickGo is findGo without asking the go command itself, where it is the program that it seems to be: of such a program its
// build information says the version. It reports false where findGo is to be asked, as for scripts that choose among
// versions, and where settings have a say in what the command answers.
func quickGo() (toolchain, bool) {
	path, err := exec.LookPath("go")
	if err != nil {
		return toolchain{}, false
	}
	for _, name := range kept {
		if name != "GOCACHE" && os.Getenv(name) != "" {
			return toolchain{}, false
		}
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil || info.Path != "cmd/go" || !version.IsValid(info.GoVersion) || version.Compare(info.GoVersion, minGo) < 0 {
		return toolchain{}, false
	}
	return toolchain{path, info.GoVersion}, true
}

// findGo returns the go command on the PATH, if it is recent enough.
func findGo(ctx context.Context) (toolchain, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return toolchain{}, &ToolchainError{"there is no `go` command on the PATH"}
	}
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, path, "env", "GOVERSION")
	cmd.Dir = string(filepath.Separator) // no go.mod of the user's has a say
	cmd.Env = environment()
	cmd.Stderr = &said
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return toolchain{}, ctx.Err()
	}
	v := strings.TrimSpace(string(out))
	number, _, _ := strings.Cut(v, " ") // experiments follow
	switch {
	case err != nil:
		why := OutOfMemory(said.String(), err)
		if why == "" {
			why = strings.TrimSpace(err.Error() + "\n" + firstLines(said.String(), 3))
		}
		return toolchain{}, &ToolchainError{fmt.Sprintf("`%s env` fails: %s", path, why)}
	case strings.HasPrefix(number, "devel"): // of which nobody knows
	case !version.IsValid(number):
		return toolchain{}, &ToolchainError{fmt.Sprintf("`%s env GOVERSION` prints %q, which is no version of Go", path, firstLines(v, 1))}
	case version.Compare(number, minGo) < 0:
		return toolchain{}, &ToolchainError{fmt.Sprintf("%s is %s, and samplers need %s", path, v, minGo)}
	}
	return toolchain{path, v}, nil
}

// settings are what the code of a sampler is built with and for.
func (t toolchain) settings() string {
	s := fmt.Sprintf("%s %s %s\n", t.version, goruntime.GOOS, goruntime.GOARCH)
	for _, name := range []string{"GOAMD64", "GOARM64", "GOEXPERIMENT"} { // change the code that Go makes
		s += fmt.Sprintf("%s=%s\n", name, os.Getenv(name))
	}
	return s
}

// kept are the variables of the go command that it gets from the user: what the code is to be for, and
// where to keep what is built. No other has a say in how a sampler is built.
var kept = []string{"GOAMD64", "GOARM64", "GO386", "GOARM", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOEXPERIMENT", "GOCACHE"}

// environment is that of the go command: the user's, without what would make it
// look for modules, workspaces, other toolchains or other machines.
func environment() []string {
	var env []string
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "GO") && !slices.Contains(kept, name) || name == "GOCACHE" && !filepath.IsAbs(value) {
			continue
		}
		env = append(env, v)
	}
	return append(env,
		"GOENV=off", "GOWORK=off", "GOFLAGS=", "GO111MODULE=on", "GOPROXY=off", "GOTOOLCHAIN=local",
		"CGO_ENABLED=0", "GOOS="+goruntime.GOOS, "GOARCH="+goruntime.GOARCH)
}

// build builds the package pkg of the module in dir. The cache of the go command is its own choice if
// cache is "" and it has one.
func (t toolchain) build(ctx context.Context, dir, program, pkg, cache string) error {
	cmd := exec.CommandContext(ctx, t.path, "build", "-trimpath", "-ldflags=-s -w", "-o", program, pkg)
	cmd.Dir = dir
	tmp := filepath.Join(dir, "tmp")
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return err
	}
	cmd.Env = append(environment(), "GOTMPDIR="+tmp)
	if _, err := os.UserCacheDir(); cache == "" && (os.Getenv("GOCACHE") == "off" || err != nil && os.Getenv("GOCACHE") == "") {
		cache = filepath.Join(dir, "gocache")
	}
	if cache != "" {
		cmd.Env = append(cmd.Env, "GOCACHE="+cache)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &BuildError{Err: err, Output: out.String(), Code: blamesCode(out.String(), pkg)}
	}
	return nil
}

// blamesCode reports whether the go command found fault with a line of the package or of the runtime.
func blamesCode(output, pkg string) bool {
	for _, line := range strings.Split(output, "\n") {
		file, rest, ok := strings.Cut(strings.TrimPrefix(line, "./"), ".go:")
		if ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' && (strings.HasPrefix(file, strings.TrimPrefix(pkg, "./")+"/") || strings.HasPrefix(file, "runtime/")) {
			return !noSpace(output)
		}
	}
	return false
}

// noSpace reports whether a disk was full.
func (e *BuildError) noSpace() bool { return !e.Code && noSpace(e.Output) }

func noSpace(output string) bool {
	// The last is what the go command makes of an index of packages that it could not write.
	return strings.Contains(output, "no space left on device") || strings.Contains(output, "disk quota exceeded") || strings.Contains(output, " is not in std (")
}

// firstLines returns the first lines of a text.
func firstLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > n {
		lines = append(lines[:n:n], "…")
	}
	return strings.Join(lines, "\n")
}

// memoryWords are what programs say that the system gave no memory, or no thread, which needs some.
var memoryWords = []string{
	"cannot allocate memory", "out of memory", "failed to reserve page summary memory", "pthread_create failed",
	"failed to create new OS thread", "runtime: cannot reserve arena", "signal: killed",
}

// OutOfMemory says, of a program that failed with an error and said something, that it had too little
// memory; "" if nothing speaks for that.
func OutOfMemory(said string, err error) string {
	text := said
	if err != nil {
		text += "\n" + err.Error()
	}
	if !slices.ContainsFunc(memoryWords, func(w string) bool { return strings.Contains(text, w) }) {
		return ""
	}
	var exit *exec.ExitError
	why := "there is not enough memory"
	if errors.As(err, &exit) && strings.Contains(err.Error(), "signal: killed") && said == "" {
		why = "it was killed, which is what the system does where there is not enough memory or a limit of processor time is reached"
	}
	if limit, ok := AddressLimit(); ok {
		why += fmt.Sprintf(" (`ulimit -v` allows %s of address space to each process)", Size(int64(min(limit, 1<<62))))
	}
	return why
}

// Size writes a number of bytes.
func Size(n int64) string {
	for _, u := range []struct {
		name string
		size float64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if v := float64(n); v >= u.size {
			return fmt.Sprintf("%.3g %s", v/u.size, u.name)
		}
	}
	return fmt.Sprintf("%d B", n)
}
