package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hamc-dev/hamc/dsl"
)

// Workload is where a model is timed: what command probe reads.
type Workload struct {
	Data    string // path, or empty
	Points  [][]float64
	Columns []string           `json:"-"` // the names of their values
	Sizes   map[string]float64 // of steps, by block; "" without blocks
}

// An example is a model with its data beside it.
type example struct {
	Name, Path string
}

// data returns the path of the example's data, or nothing where it has none.
func (e example) data() string {
	path := strings.TrimSuffix(e.Path, ".ham") + ".data.json"
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// examplesOf lists the models of a checkout, in the order of their names.
func examplesOf(root string) ([]example, error) {
	paths, err := filepath.Glob(filepath.Join(root, "examples", "*.ham"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("no examples in %s: %w", root, errors.Join(err, os.ErrNotExist))
	}
	var out []example
	for _, p := range paths {
		out = append(out, example{strings.TrimSuffix(filepath.Base(p), ".ham"), p})
	}
	return out, nil
}

// withMetric gives those of some examples that have no metric one. It writes them to a directory, with their data.
func withMetric(examples []example, metric, dir string) error {
	for i, e := range examples {
		text, err := os.ReadFile(e.Path)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(strings.Split(string(text), "\n"), func(line string) bool { return strings.HasPrefix(line, "metric ") }) {
			continue
		}
		path := filepath.Join(dir, "examples", filepath.Base(e.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, fmt.Appendf(text, "\nmetric %s\n", metric), 0o666); err != nil {
			return err
		}

		if e.data() != "" {
			text, err := os.ReadFile(e.data())
			if err != nil {
				return err
			}
			if err := os.WriteFile(strings.TrimSuffix(path, ".ham")+".data.json", text, 0o666); err != nil {
				return err
			}
		}
		examples[i].Path = path
	}
	return nil
}

// A Chain is what one run wrote.
type Chain struct {
	Columns []string
	Draws   [][]string // as they stand in the file
	Sizes   map[string]float64
}

// run samples one chain of an example with seed 1.
func (s *Side) run(ctx context.Context, e example, into string, flags ...string) (*Chain, error) {
	list, err := s.chains(ctx, e, into, 1, flags...)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// chains samples some chains of an example with seed 1.
func (s *Side) chains(ctx context.Context, e example, into string, n int, flags ...string) ([]*Chain, error) {
	dir := filepath.Join(s.Work, "draws", e.Name, into)
	args := append([]string{"run", e.Path, "--seed", "1", "--chains", strconv.Itoa(n), "--quiet", "--overwrite", "--output-dir", dir}, flags...)
	cmd := exec.CommandContext(ctx, s.hamc(), args...)
	cmd.Dir = s.Root
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(s.Work, "cache"))
	if cache, err := output(ctx, s.Root, "go", "env", "GOCACHE"); err == nil {
		cmd.Env = append(cmd.Env, "GOCACHE="+strings.TrimSpace(cache))
	}
	// Some draws without much of a warm-up have a bad verdict, which is an exit code. What counts is the file.
	said, failure := cmd.CombinedOutput()
	var out []*Chain
	for i := range n {
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("chain_%d.csv", i+1)))
		if err != nil {
			return nil, fmt.Errorf("%s hamc run: %w: %s", s.Name, failure, bytes.TrimSpace(said))
		}
		c, err := readChain(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: draws of %s: %w", s.Name, e.Name, err)
		}
		out = append(out, c)
	}
	return out, nil
}

// startFrom writes a draw of a workload to a file where hamc run starts from it, and returns the path: trajectories that start far out are
// mostly refused.
func (s *Side) startFrom(e example, load *Workload) (string, error) {
	text, err := os.ReadFile(e.Path)
	if err != nil {
		return "", err
	}
	m, ds := dsl.Load(e.Path, string(text), dsl.Options{})
	if m == nil {
		return "", ds
	}
	values, last := map[string]any{}, load.Points[len(load.Points)-1]
	for _, p := range m.Params {
		for i, column := range load.Columns {
			if name, rest, _ := strings.Cut(column, "."); name == p.ObjectName() {
				if values[name], err = placed(values[name], rest, last[i]); err != nil {
					return "", fmt.Errorf("column %s: %w", column, err)
				}
			}
		}
	}
	text, err = json.Marshal(values)
	if err != nil {
		return "", err
	}
	path := filepath.Join(s.Work, e.Name+".init.json")
	return path, os.WriteFile(path, text, 0o666)
}

// placed puts a number at a position of nested lists, which begins with 1: "2.1", or "" of a number alone.
func placed(in any, at string, v float64) (any, error) {
	if at == "" {
		return v, nil
	}
	first, rest, _ := strings.Cut(at, ".")
	i, err := strconv.Atoi(first)
	list, _ := in.([]any)
	if err != nil || i < 1 || i > len(list)+1 {
		return nil, fmt.Errorf("no position behind %d others", len(list))
	}
	if i > len(list) {
		list = append(list, nil)
	}
	list[i-1], err = placed(list[i-1], rest, v)
	return list, err
}

// readChain reads a file of CmdStan's format: a header, lines of draws, and step sizes in comments.
func readChain(text string) (*Chain, error) {
	c := &Chain{Sizes: map[string]float64{}}
	blocks := false
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "# "), " = ")
		block, named := strings.CutSuffix(name, ".stepsize")
		if !ok || !strings.HasPrefix(line, "#") || (name != "Step size" && !named) {
			continue
		}
		size, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, err
		}
		if !named {
			block = ""
		}
		blocks = blocks || named
		c.Sizes[block] = size
	}
	if blocks {
		delete(c.Sizes, "")
	}
	r := csv.NewReader(strings.NewReader(text))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) < 2 {
		return nil, errors.New("no draws")
	}
	c.Columns, c.Draws = rows[0], rows[1:]
	return c, nil
}

// values returns the values of a draw that are not statistics of the sampler.
func (c *Chain) values(draw int) ([]float64, error) {
	var out []float64
	for i, text := range c.Draws[draw] {
		if strings.HasSuffix(c.Columns[i], "__") {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// workload samples an example with the settings of a user who sets none, and makes a workload of the draws.
func (s *Side) workload(ctx context.Context, e example) (Workload, error) {
	w := Workload{Data: e.data()}
	c, err := s.run(ctx, e, "workload", "--warmup", "200", "--draws", "16")
	if err != nil {
		return w, err
	}
	w.Sizes = c.Sizes
	for _, name := range c.Columns {
		if !strings.HasSuffix(name, "__") {
			w.Columns = append(w.Columns, name)
		}
	}
	for i := range c.Draws {
		x, err := c.values(i)
		if err != nil {
			return w, err
		}
		w.Points = append(w.Points, x)
	}
	return w, nil
}
