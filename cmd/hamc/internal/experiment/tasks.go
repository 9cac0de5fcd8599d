package experiment

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hamc-dev/hamc/runtime/files"
	"github.com/hamc-dev/hamc/runtime/grid"
)

// Tasks are cells put together for an engine that starts programs: each task is some cells, by index.
type Tasks struct {
	Path  string // of the file, a task to a line, that workers read
	Cells [][]int
}

// probeSeconds is how long a beginning of a cell must take to tell how long the cell takes.
const probeSeconds = 0.05

// PackTasks puts the cells of a plan into tasks of about so many seconds each, and writes them to a
// file in the directory. Cells stay together as they were packed before in this directory, so that
// tasks that are still under way are known for what they are.
func PackTasks(ctx context.Context, worker, dir string, p *grid.Plan, seconds float64) (*Tasks, error) {
	h := sha256.New()
	fmt.Fprintln(h, seconds, p.Digest())
	t := &Tasks{Path: filepath.Join(dir, fmt.Sprintf("tasks-%x.txt", h.Sum(nil)[:6]))}
	if text, err := os.ReadFile(t.Path); err == nil {
		return t, t.parse(string(text), len(p.Cells))
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	costs, err := probe(ctx, worker, dir, p)
	if err != nil {
		return nil, err
	}
	t.pack(costs, seconds)
	var b strings.Builder
	for _, cells := range t.Cells {
		for i, c := range cells {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(strconv.Itoa(c))
		}
		b.WriteByte('\n')
	}
	return t, files.Replace(t.Path, []byte(b.String()))
}

// pack puts cells of given costs into tasks, in order.
func (t *Tasks) pack(costs []float64, seconds float64) {
	sum := 0.0
	for i, cost := range costs {
		if len(t.Cells) == 0 || sum+cost/2 > seconds {
			t.Cells = append(t.Cells, nil)
			sum = 0
		}
		last := &t.Cells[len(t.Cells)-1]
		*last = append(*last, i)
		sum += cost
	}
}

// parse reads the text of a file of tasks of so many cells.
func (t *Tasks) parse(text string, cells int) error {
	next := 0
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		var task []int
		for _, field := range strings.Fields(line) {
			if field != strconv.Itoa(next) {
				return fmt.Errorf("%s: the file is damaged: remove it", t.Path)
			}
			task = append(task, next)
			next++
		}
		if len(task) == 0 {
			return fmt.Errorf("%s: the file is damaged: remove it", t.Path)
		}
		t.Cells = append(t.Cells, task)
	}
	if next != cells {
		return fmt.Errorf("%s: the file is damaged: remove it", t.Path)
	}
	return nil
}

// probe returns how long each cell is likely to take, on this machine: replicates are alike.
func probe(ctx context.Context, worker, dir string, p *grid.Plan) ([]float64, error) {
	type kind struct {
		group    string
		model    int
		settings grid.Settings
	}
	kinds := map[kind]int{} // by a cell of the kind
	var in strings.Builder
	for i := range p.Cells {
		c := &p.Cells[i]
		k := kind{c.Group, c.Model, c.Settings}
		if _, ok := kinds[k]; !ok {
			kinds[k] = i
			fmt.Fprintln(&in, i)
		}
	}
	var errs bytes.Buffer
	cmd := exec.CommandContext(ctx, worker, "plan", p.Digest(), "probe", dir, strconv.FormatFloat(probeSeconds, 'g', -1, 64))
	cmd.Stdin, cmd.Stderr = strings.NewReader(in.String()), &errs
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	known := map[int]float64{}
	for line := range bytes.Lines(out) {
		var x grid.Probe
		if answer(line, &x) {
			known[x.Cell] = x.Seconds
		}
	}
	if err != nil && len(known) == 0 {
		return nil, fmt.Errorf("the worker of the grid: %w: %s", err, strings.TrimSpace(errs.String()))
	}
	costs := make([]float64, len(p.Cells))
	for i := range p.Cells {
		c := &p.Cells[i]
		cost, ok := known[kinds[kind{c.Group, c.Model, c.Settings}]]
		if !ok { // a cell that ends the worker: alone in a task it costs no other its result
			cost = math.Inf(1)
		}
		costs[i] = cost
	}
	return costs, nil
}

// Incomplete returns the tasks some cell of which has no result.
func (t *Tasks) Incomplete(dir string, p *grid.Plan) ([]int, error) {
	missing, err := Missing(dir, p)
	if err != nil {
		return nil, err
	}
	var out []int
	k := 0
	for i, cells := range t.Cells {
		for k < len(missing) && missing[k] < cells[0] {
			k++
		}
		if k < len(missing) && missing[k] <= cells[len(cells)-1] {
			out = append(out, i)
		}
	}
	return out, nil
}
