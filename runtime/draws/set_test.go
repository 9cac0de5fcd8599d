package draws_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/draws"
)

// directory makes a directory with files.
func directory(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLoad(t *testing.T) {
	const head = "# model = m\n# num_samples = 4         \n# id = %d\n# metric = diag_e\nlp__,x.1.1,x.1.2,x.2.1,x.2.2,s\n# Step size = %d\n"
	row := func(n int) string { return strings.Repeat("-1,11,12,21,22,5\n", n) }
	const end = "#  1 seconds (Total)\n"
	dir := directory(t, map[string]string{
		"chain_3.csv":  fmt.Sprintf(head, 3, 7) + row(4) + end,
		"chain_10.csv": fmt.Sprintf(head, 10, 7) + row(3) + "-1,1", // truncated
		"chain_1.csv":  fmt.Sprintf(head, 1, 7) + row(4) + end,
		"chain_04.csv": "not a chain",
		"draws.csv":    "nor this",
	})
	s, err := draws.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	var numbers []int
	for _, c := range s.Chains {
		numbers = append(numbers, c.Number)
		if c.Complete != (c.Number != 10) {
			t.Errorf("chain %d: complete %v", c.Number, c.Complete)
		}
	}
	if !slices.Equal(numbers, []int{1, 3, 10}) {
		t.Errorf("chains %v", numbers)
	}
	if s.Model != "m" || s.Setting("num_samples") != "4" || s.Setting("Step size") != "7" || s.Setting("id") != "" || s.Setting("metric") != "" {
		t.Errorf("model %q, settings %v", s.Model, s.Settings)
	}
	want := []draws.Parameter{{Name: "x", Shape: []int{2, 2}, Columns: []int{1, 2, 3, 4}}, {Name: "s", Shape: []int{}, Columns: []int{5}}}
	if !reflect.DeepEqual(s.Parameters, want) || !slices.Equal(s.Statistics, []int{0}) {
		t.Errorf("parameters %+v, statistics %v", s.Parameters, s.Statistics)
	}
	if chains, n := s.Aligned(); len(chains) != 3 || n != 3 {
		t.Errorf("%d chains of %d draws", len(chains), n)
	}
}

// The shape of a parameter, from the names of its columns in any order.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		header string
		want   []draws.Parameter
	}{
		{"a,b", []draws.Parameter{{"a", []int{}, []int{0}}, {"b", []int{}, []int{1}}}},
		{"b.1", []draws.Parameter{{"b", []int{1}, []int{0}}}},
		{"lp__,b.2,b.1", []draws.Parameter{{"b", []int{2}, []int{2, 1}}}},
		{"m.1.1,m.2.1,m.1.2,m.2.2,m.1.3,m.2.3", []draws.Parameter{{"m", []int{2, 3}, []int{0, 2, 4, 1, 3, 5}}}}, // Stan's order
		{"m.1.1,m.1.2,m.1.3,m.2.1,m.2.2,m.2.3", []draws.Parameter{{"m", []int{2, 3}, []int{0, 1, 2, 3, 4, 5}}}}, // hamc's
		{"t.1.1.1,t.2.1.1", []draws.Parameter{{"t", []int{2, 1, 1}, []int{0, 1}}}},
		{"a.b,a.1x,a.01,a.", []draws.Parameter{{"a.b", []int{}, []int{0}}, {"a.1x", []int{}, []int{1}}, {"a.01", []int{}, []int{2}}, {"a.", []int{}, []int{3}}}},
	} {
		chain, err := draws.Read(strings.NewReader(c.header+"\n"), "f.csv")
		if err != nil {
			t.Errorf("%s: %v", c.header, err)
			continue
		}
		for i := range chain.Parameters {
			if chain.Parameters[i].Shape == nil {
				chain.Parameters[i].Shape = []int{}
			}
		}
		if !reflect.DeepEqual(chain.Parameters, c.want) {
			t.Errorf("%s: %+v, want %+v", c.header, chain.Parameters, c.want)
		}
	}
	for _, c := range []struct{ header, want string }{
		{"x.1,x.3", "f.csv:1: x has a largest index of [3], but only 2 columns: some are missing"},
		{"x.1,x.2000000000", "f.csv:1: x has a largest index of [2000000000], but only 2 columns"},
		{"x.2000000000.2000000000.2000000000", "f.csv:1: x has a largest index of"},
		{"x,x.1", "f.csv:1: x and x.1 cannot be of one parameter"},
		{"x.1,x.1.2", "f.csv:1: x.1 and x.1.2 cannot be of one parameter"},
		{"x.1,y,x.2", "f.csv:1: the columns of x do not stand together"},
	} {
		if _, err := draws.Read(strings.NewReader(c.header+"\n"), "f.csv"); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.header, err, c.want)
		}
	}
}

func TestErrorsOfLoad(t *testing.T) {
	const good = "lp__,x\n-1,1\n"
	for _, c := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"draws.csv": good}, "DIR: there are no files chain_1.csv, … of draws"},
		{map[string]string{"chain_1.csv": ""}, "chain_1.csv: no line of column names"},
		{map[string]string{"chain_1.csv": "\x7fELF\x00\x00\n\x01\x02\n"}, "chain_1.csv:2: column \x7fELF\x00\x00: expected a number"},
		{map[string]string{"chain_1.csv": good, "chain_2.csv": "# c\nlp__,x,y\n"}, "chain_2.csv:2: 3 columns, but "},
		{map[string]string{"chain_1.csv": good, "chain_2.csv": "lp__,y\n"}, "chain_2.csv:1: column 2 is y, but in "},
		{map[string]string{"chain_1.csv": good, "chain_2.csv": good + "-1,1.2.3\n"}, `chain_2.csv:3: column x: expected a number, found "1.2.3"`},
		{map[string]string{"chain_1.csv": good, "chain_2.csv": good + "-1,1" + strings.Repeat("9x", 1000) + "\n"}, `chain_2.csv:3: column x: expected a number, found "19x9x`},
		{map[string]string{"chain_1.csv": good + "-1\n"}, "chain_1.csv:3: 1 values for 2 columns"},
		{map[string]string{"chain_1.csv": "lp__\n-1\n"}, "chain_1.csv:1: there are no columns of parameters"},
	} {
		dir := directory(t, c.files)
		_, err := draws.Load(dir)
		if err == nil {
			t.Errorf("%v: no error", c.files)
			continue
		}
		got := strings.TrimPrefix(err.Error(), dir+string(filepath.Separator))
		got = strings.Replace(got, dir+":", "DIR:", 1)
		if !strings.HasPrefix(got, c.want) || len(got) > 300 {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if _, err := draws.Load(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}

// Draws of the warm-up are told apart where the header says that there are any.
func TestWarmup(t *testing.T) {
	for _, c := range []struct {
		text          string
		warmup, draws int
	}{
		{"# save_warmup = 1\nx\n1\n2\n# Adaptation terminated\n3\n", 2, 1},
		{"# save_warmup = 1\nx\n1\n2\n", 2, 0}, // interrupted in the warm-up
		{"# save_warmup = 0\nx\n1\n# Adaptation terminated\n3\n", 0, 2},
		{"x\n# Adaptation terminated\n3\n", 0, 1},
		{"# save_warmup = 1\n# num_samples = 1\n# num_warmup = 2\nx\n# Adaptation terminated\n3\n# Adaptation terminated\n4\n", 0, 2},
	} {
		got, err := draws.Read(strings.NewReader(c.text), "f.csv")
		if err != nil {
			t.Fatal(err)
		}
		if got.Warmup != c.warmup || got.Draws() != c.draws {
			t.Errorf("%q: %d of warm-up, %d draws", c.text, got.Warmup, got.Draws())
		}
	}
}

func TestAligned(t *testing.T) {
	files := map[string]string{}
	for i, n := range []int{10, 4, 5, 9} {
		files[draws.FileName(i+1)] = "# save_warmup = 1\nx\n0\n# Adaptation terminated\n" + strings.Repeat("1\n", n)
	}
	s, err := draws.Load(directory(t, files))
	if err != nil {
		t.Fatal(err)
	}
	chains, n := s.Aligned()
	var numbers []int
	for _, c := range chains {
		numbers = append(numbers, c.Number)
	}
	if n != 5 || !slices.Equal(numbers, []int{1, 3, 4}) {
		t.Errorf("chains %v of %d draws", numbers, n)
	}
}

// The names of all statistics of a run are known as such.
func TestIsStatistic(t *testing.T) {
	for _, name := range slices.Concat(runtime.StatNames[:], runtime.BlockStatNames[:]) {
		if !draws.IsStatistic(name) || !draws.IsStatistic("block_"+name) {
			t.Errorf("%s is no statistic", name)
		}
	}
	if draws.IsStatistic("x_.1") {
		t.Error("x_.1 is a statistic")
	}
}

// Whatever a file announces, reading it takes memory in proportion to its size.
func TestAllocationIsBounded(t *testing.T) {
	for _, text := range []string{
		"# num_samples = 9000000000000000000\nx\n1\n",
		"# num_samples = 1000000000\n# num_warmup = 1000000000\n# save_warmup = 1\nx\n1\n",
		"x.1000000000.1000000000\n1\n",
	} {
		dir := directory(t, map[string]string{"chain_1.csv": text})
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		_, _ = draws.Open(filepath.Join(dir, "chain_1.csv"))
		goruntime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%q: %d bytes", text, n)
		}
	}
}

// FuzzOpen looks for files that make the reader panic, hang or disagree with a
// plain reading of the same lines.
func FuzzOpen(f *testing.F) {
	for _, s := range []string{
		"# model = m\n# num_samples = 2\nlp__,divergent__,x.1,x.2\n# Adaptation terminated\n# Step size = 0.5\n-1,0,1,2\n-1,1,nan,-inf\n# \n#  3 seconds (Total)\n",
		"# save_warmup = 1\n# num_warmup = 1\nx,y.1.1,y.2.1\r\n1,2,3\r\n# Adaptation terminated\n4, 5 ,6\n7,8",
		"x.1.1,x.2.2\n", "a,a\n", "1,2\n", "\n\n#\n", "x\n0x1p-2\n", "x.99999999999\n1\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "chain_1.csv")
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := draws.Open(path)
		again, err2 := draws.Read(bytes.NewReader(text), path)
		if (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
			t.Fatalf("Open: %v; Read: %v", err, err2)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), path+":") {
				t.Fatalf("an error without its file: %v", err)
			}
			return
		}
		// Complete lines that are no comments, without the first: the draws.
		rows := -1
		for line := range bytes.Lines(text) {
			if body, ok := bytes.CutSuffix(line, []byte("\n")); ok {
				if body = bytes.TrimSuffix(body, []byte("\r")); len(body) > 0 && body[0] != '#' {
					rows++
				}
			}
		}
		for i := range c.Values {
			if len(c.Values[i]) != rows || len(again.Values[i]) != rows {
				t.Fatalf("column %d has %d values, and %d with Read; there are %d lines", i, len(c.Values[i]), len(again.Values[i]), rows)
			}
		}
		elements := len(c.Statistics)
		for _, p := range c.Parameters {
			size := 1
			for _, n := range p.Shape {
				size *= n
			}
			if size != len(p.Columns) {
				t.Fatalf("%+v", p)
			}
			elements += size
		}
		if elements != len(c.Columns) || c.Draws() < 0 || c.Draws() > rows {
			t.Fatalf("%d elements in %d columns, %d draws of %d", elements, len(c.Columns), c.Draws(), rows)
		}
		if len(c.Parameters) > 0 {
			if s, err := draws.Load(filepath.Dir(path)); err != nil || len(s.Chains) != 1 {
				t.Fatalf("Load: %v", err)
			}
		}
	})
}

// BenchmarkOpen reads a file of 100 MB, with few columns and with many, and
// BenchmarkLoad four files of 25 MB.
func BenchmarkOpen(b *testing.B) {
	for _, columns := range []int{20, 1000} {
		b.Run(fmt.Sprintf("columns=%d", columns), func(b *testing.B) {
			dir, size := largeFiles(b, 1, 100<<20, columns)
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := draws.Open(filepath.Join(dir, draws.FileName(1))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	dir, size := largeFiles(b, 4, 25<<20, 20)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := draws.Load(dir); err != nil {
			b.Fatal(err)
		}
	}
}

// largeFiles writes files of about a size each, and returns their directory and
// the size of all.
func largeFiles(b *testing.B, files, size, columns int) (string, int64) {
	dir := b.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	h := draws.Header{Samples: size / columns / 19, Columns: []string{"lp__"}}
	for i := range columns - 1 {
		h.Columns = append(h.Columns, fmt.Sprintf("x.%d", i+1))
	}
	row := make([]float64, columns)
	total := int64(0)
	for n := range files {
		path := filepath.Join(dir, draws.FileName(n+1))
		w, err := draws.Create(path, false, h)
		if err != nil {
			b.Fatal(err)
		}
		for range h.Samples {
			for i := range row {
				row[i] = rng.NormFloat64()
			}
			if err := w.Row(row); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close(h); err != nil {
			b.Fatal(err)
		}
		fi, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		total += fi.Size()
	}
	return dir, total
}
