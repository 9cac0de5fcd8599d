package differential

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc"
	"github.com/hamc-dev/hamc/internal/differential/probe"
)

// A module is a temporary Go module that holds the runtime's source, the
// package probe, the generated packages and a program that probes them all. As
// for the samplers of the command line, nothing but the standard library and
// the embedded runtime goes into it, and building it needs no network.
type module struct{ dir string }

func newModule(t testing.TB, all []*subject) *module {
	t.Helper()
	m := &module{t.TempDir()}
	write := func(name string, text []byte) {
		t.Helper()
		path := filepath.Join(m.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", []byte("module github.com/hamc-dev/hamc\n\ngo 1.26\n"))
	err := fs.WalkDir(hamc.RuntimeSource, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(hamc.RuntimeSource, path)
		write(path, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	probes, err := filepath.Glob("probe/*.go")
	if err != nil || len(probes) == 0 {
		t.Fatalf("no package probe: %v", err)
	}
	for _, name := range probes {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write("internal/differential/"+filepath.ToSlash(name), text)
	}
	for _, s := range all {
		write("models/"+s.name+"/model.go", s.code) // NAME.go may mean an architecture
		write("data/"+s.dataName(), s.data)
		points, err := json.Marshal(s.points)
		if err != nil {
			t.Fatal(err)
		}
		write("points/"+s.name+".json", points)
		if size, ok := longModels[s.name]; ok {
			write("long/"+s.name+".json", s.longData(t, size))
		}
	}
	write("main.go", program(all))
	return m
}

// The parts of the program that probes models, between which are imports of the models, and the list of them.
const (
	probeImports = `// Command probe evaluates the generated models.
package main

import (
	"encoding/json"
	"io"
	"log"
	"os"
	"strconv"

	"github.com/hamc-dev/hamc/internal/differential/probe"
	"github.com/hamc-dev/hamc/runtime"
`

	probeLoaders = `)

type loader func(path string) (runtime.Posterior, error)

func load[D any, M runtime.Posterior](read func(io.Reader, string) (D, error), create func(D) (M, error)) loader {
	return func(path string) (runtime.Posterior, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		d, err := read(f, path)
		if err != nil {
			return nil, err
		}
		return create(d)
	}
}

var models = []struct {
	name string
	slow, long, given bool
	load loader
}{
`

	probeMain = `}

func points(path string) (list [][]float64) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		log.Fatal(err)
	}
	return list
}

// main probes every n-th model from the k-th on.
func main() {
	out := json.NewEncoder(os.Stdout)
	k, _ := strconv.Atoi(os.Args[1])
	n, _ := strconv.Atoi(os.Args[2])
	for ; k < len(models); k += n {
		m := models[k]
		s, err := m.load("data/" + m.name + ".data.json")
		r := probe.Report{}
		if err != nil {
			r.Error = err.Error()
		} else if m.given {
			r = probe.Given(s, points("points/" + m.name + ".json"))
		} else {
			r = probe.Run(s, m.slow)
			if r.Error == "" {
				r.Allocates = probe.Allocates(s)
				r.Remembers = probe.Memory(s, 60)
				if m.long {
					r.PerCoord, err = probe.Long(func() (runtime.Posterior, error) { return m.load("long/" + m.name + ".json") })
					if err != nil {
						r.Error = err.Error()
					}
				}
				r.Given = probe.At(s, points("points/" + m.name + ".json"))
			}
		}
		r.Model = m.name
		if err := out.Encode(r); err != nil {
			log.Fatal(err)
		}
	}
}
`
)

// program returns the source of the program that probes the models named in
// its arguments, and prints one probe.Report per line.
func program(all []*subject) []byte {
	var b bytes.Buffer
	b.WriteString(probeImports)
	for n, s := range all {
		fmt.Fprintf(&b, "\tm%d \"github.com/hamc-dev/hamc/models/%s\"\n", n, s.name)
	}
	b.WriteString(probeLoaders)
	for n, s := range all {
		fmt.Fprintf(&b, "\t{%q, %t, %t, %t, load(m%d.ReadData, m%d.New)},\n", s.name, s.slow(), longModels[s.name] != "", s.given, n, n)
	}
	b.WriteString(probeMain)
	return b.Bytes()
}

// run runs a command in the module; the error holds what it said.
func (m *module) run(name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOENV=off", "GOWORK=off", "GOFLAGS=", "GO111MODULE=on",
		"GOPROXY=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0")
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, messages.String())
	}
	return out.Bytes(), nil
}

// faults reads the messages of go build or go vet, which stand under a line
// "# import path", by package.
func faults(err error) map[string]string {
	out := map[string]string{}
	name := ""
	for _, line := range strings.Split(err.Error(), "\n") {
		if path, ok := strings.CutPrefix(line, "# "); ok {
			path, _, _ = strings.Cut(strings.Trim(path, "[]"), " ")
			name = path[strings.LastIndex(path, "/")+1:]
			continue
		}
		out[name] += line + "\n"
	}
	return out
}

// probed builds the module and returns what its program reports, by model. The
// models that do not build are reported and left out.
func probed(t testing.TB, all []*subject) (*module, []*subject, map[string]*probe.Report) {
	t.Helper()
	binary := "probe.exe"
	m := newModule(t, all)
	_, err := m.run("go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, ".")
	if err != nil {
		messages := faults(err)
		var rest []*subject
		for _, s := range all {
			if text, ok := messages[s.name]; ok {
				t.Errorf("%s does not build:\n%s", s.name, text)
				continue
			}
			rest = append(rest, s)
		}
		if len(rest) == len(all) || len(rest) == 0 {
			t.Fatal(err)
		}
		all = rest
		m = newModule(t, all)
		if _, err = m.run("go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, "."); err != nil {
			t.Fatal(err)
		}
	}
	parts := goruntime.GOMAXPROCS(0)
	outs, errs := make([][]byte, parts), make([]error, parts)
	beside(parts, func(k int) {
		outs[k], errs[k] = m.run(filepath.Join(m.dir, binary), strconv.Itoa(k), strconv.Itoa(parts))
	})
	reports := map[string]*probe.Report{}
	for k, out := range outs {
		if errs[k] != nil {
			t.Fatal(errs[k])
		}
		d := json.NewDecoder(bytes.NewReader(out))
		for d.More() {
			r := new(probe.Report)
			if err := d.Decode(r); err != nil {
				t.Fatal(err)
			}
			reports[r.Model] = r
		}
	}
	return m, all, reports
}
