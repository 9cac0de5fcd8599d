package draws

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var header = Header{
	Model: "banana", Samples: 3, Warmup: 5, Seed: 18446744073709551615, ID: 2,
	Settings: []Setting{{"integrator", "imb"}},
	Columns:  []string{"lp__", "energy__", "beta.1", "beta.2"},
}

// awkward are values that a careless format loses or misspells.
var awkward = [][]float64{
	{0.30000000000000004, 1e-320, math.MaxFloat64, 0},
	{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)},
	{1, -123456789.123456789, 5e-324, math.Nextafter(1, 2)},
}

func write(t *testing.T, w *Writer, complete bool) {
	t.Helper()
	if err := w.Adapted([]Adaptation{{StepSize: 0.25}}, 2); err != nil {
		t.Fatal(err)
	}
	for _, row := range awkward {
		if err := w.Row(row); err != nil {
			t.Fatal(err)
		}
	}
	end := w.Abandon
	if complete {
		end = func() error { return w.Close(header) }
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chain_1.csv")
	w, err := Create(path, false, header)
	if err != nil {
		t.Fatal(err)
	}
	write(t, w, true)
	c, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Complete || strings.Join(c.Columns, " ") != strings.Join(header.Columns, " ") {
		t.Errorf("complete %v, columns %v", c.Complete, c.Columns)
	}
	for i, row := range awkward {
		for j, want := range row {
			got := c.Values[j][i]
			if math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("row %d column %d: %v, want %v", i, j, got, want)
			}
		}
	}
	for name, want := range map[string]string{
		"model": "banana", "method": "sample", "seed": "18446744073709551615", "id": "2",
		"num_samples": "3", "num_warmup": "5", "integrator": "imb", "Step size": "0.25", "nothing": "",
	} {
		if got := c.Setting(name); got != want {
			t.Errorf("setting %s: %q, want %q", name, got, want)
		}
	}
	if got := c.Column("beta.2"); len(got) != 3 || got[2] != math.Nextafter(1, 2) {
		t.Errorf("beta.2: %v", got)
	}
	if c.Column("gamma") != nil {
		t.Error("a column gamma")
	}
}

// The layout itself, because readers of other projects depend on it.
func TestLayout(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, header)
	write(t, w, true)
	want := `# stan_version_major = 2
# stan_version_minor = 33
# stan_version_patch = 0
# model = banana
# method = sample (Default)
#   sample
#     num_samples = 3           
#     num_warmup = 5
#     save_warmup = 0
#     thin = 1
#     algorithm = hmc (Default)
#       hmc
#         engine = static
#           static
#             max_depth = NaN
#         metric = diag_e
#         integrator = imb
# id = 2
# random
#   seed = 18446744073709551615
lp__,energy__,beta.1,beta.2
# Adaptation terminated
# Step size = 0.25
# Diagonal elements of inverse mass matrix:
# 1, 1
0.30000000000000004,1e-320,1.7976931348623157e+308,0
nan,inf,-inf,-0
1,-1.2345678912345679e+08,5e-324,1.0000000000000002
# 
# 
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// The lines on dynamic trajectories are those of CmdStan.
func TestLayoutOfDynamicTrajectories(t *testing.T) {
	h := header
	h.MaxDepth = 7
	const want = `
#       hmc
#         engine = nuts
#           nuts
#             max_depth = 7
#         metric = diag_e
#         integrator = imb
`
	if got := string(h.bytes()); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwithout\n%s", got, want)
	}
}

// The step sizes of blocks stand before what CmdStanPy 1.3.2 reads line by line:
// "Adaptation terminated", the step size, the mass matrix.
func TestLayoutOfBlocks(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, header)
	if err := w.Adapted([]Adaptation{{Block: "path", StepSize: 0.25, Settings: []Setting{{"extra_doublings", "1"}}}, {Block: "scale", StepSize: 0.5, InverseMetric: []float64{1.5, 2}}}, 3); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(header); err != nil {
		t.Fatal(err)
	}
	const want = `
lp__,energy__,beta.1,beta.2
# path.stepsize = 0.25
# scale.stepsize = 0.5
# scale.inverse_metric = 1.5, 2
# path.extra_doublings = 1
# Adaptation terminated
# Step size = 0.5
# Diagonal elements of inverse mass matrix:
# 1, 1, 1
# 
`
	if !strings.Contains(b.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	c, err := Read(&b, "blocks.csv")
	if err != nil || c.Setting("path.stepsize") != "0.25" || c.Setting("path.extra_doublings") != "1" || c.Setting("scale.stepsize") != "0.5" || c.Setting("Step size") != "0.5" {
		t.Errorf("%v, settings %v", err, c.Settings)
	}
}

func TestNoFileIsOverwrittenSilently(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chain_1.csv")
	if err := os.WriteFile(path, []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(path, false, header); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("error %v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "precious" {
		t.Errorf("file is now %q", text)
	}
	w, err := Create(path, true, header)
	if err != nil {
		t.Fatal(err)
	}
	write(t, w, true)
	if c, err := Open(path); err != nil || len(c.Values[0]) != 3 {
		t.Errorf("overwritten file: %v", err)
	}
}

// A file cut anywhere reads as the rows that were written completely, or as an
// error; never as a row with a value that was not written.
func TestCutFiles(t *testing.T) {
	var b bytes.Buffer
	write(t, NewWriter(&b, header), true)
	whole := b.Bytes()
	start := bytes.Index(whole, []byte("# Adaptation"))
	for end := start; end < len(whole); end++ {
		c, err := Read(bytes.NewReader(whole[:end]), "cut.csv")
		if err != nil {
			t.Fatalf("cut at %d: %v", end, err)
		}
		rows := 0
		for _, line := range bytes.SplitAfter(whole[:end], []byte("\n")) {
			if bytes.HasSuffix(line, []byte("\n")) && line[0] != '#' && line[0] != 'l' {
				rows++
			}
		}
		if len(c.Values[3]) != rows {
			t.Fatalf("cut at %d: %d rows, %d were complete", end, len(c.Values[3]), rows)
		}
		if c.Complete != bytes.Contains(whole[:end], []byte("(Total)\n")) {
			t.Fatalf("cut at %d: complete = %v", end, c.Complete)
		}
	}
}

// A parameter may be called what other places read as a number.
func TestNamesLikeNumbers(t *testing.T) {
	c, err := Read(strings.NewReader("lp__,NaN,inf,Infinity\n1,2,3,4\n"), "f.csv")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"NaN", "inf", "Infinity"} {
		if x := c.Column(name); len(x) != 1 || x[0] != float64(i+2) {
			t.Errorf("%s: %v", name, x)
		}
	}
}

func TestErrorsOfTheReader(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "f.csv: no line of column names"},
		{"# only = comments\n", "f.csv: no line of column names"},
		{"# c\n1,2\n", "f.csv:2: expected column names, found the number 1"},
		{"nan,0.5\n1,2\n", "f.csv:1: expected column names, found the number 0.5"},
		{"a,,b\n", "f.csv:1: column 2 has no name"},
		{"a,b,a\n", "f.csv:1: columns 1 and 3 are both called a"},
		{"a,b\n1,2\n\n# x\n3\n", "f.csv:5: 1 values for 2 columns"},
		{"a,b\n1,2,3\n", "f.csv:2: 3 values for 2 columns"},
		{"a,b\n1,two\n", `f.csv:2: column b: expected a number, found "two"`},
		{"a,b\n1,\n", `f.csv:2: column b: expected a number, found ""`},
		{"a,b\n1,1e999\n", `f.csv:2: column b: expected a number, found "1e999"`},
	} {
		_, err := Read(strings.NewReader(c.text), "f.csv")
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none.csv")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// Lines longer than the reader's buffer are read whole.
func TestLongLines(t *testing.T) {
	var b bytes.Buffer
	h := Header{}
	for i := range 30000 {
		h.Columns = append(h.Columns, "x."+string(AppendFloat(nil, float64(i+1))))
	}
	w := NewWriter(&b, h)
	row := make([]float64, len(h.Columns))
	for i := range row {
		row[i] = 1 / float64(i+3)
	}
	for range 2 {
		if err := w.Row(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(header); err != nil {
		t.Fatal(err)
	}
	c, err := Read(&b, "long.csv")
	if err != nil || len(c.Values) != 30000 || c.Values[29999][1] != row[29999] {
		t.Errorf("%v, %d columns", err, len(c.Values))
	}
}

func TestWriterReportsErrors(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, header)
	if err := w.Row([]float64{1}); err == nil || w.Row(awkward[0]) == nil {
		t.Error("a short row, and what follows it: no error")
	}
	full := NewWriter(failing{}, header)
	for range 10000 {
		if full.Row(awkward[0]) != nil {
			return
		}
	}
	t.Error("a destination that fails: no error")
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestRowAllocatesNothing(t *testing.T) {
	w := NewWriter(failing{}, header)
	w.w.Reset(&bytes.Buffer{})
	if n := testing.AllocsPerRun(100, func() { _ = w.Row(awkward[0]) }); n != 0 {
		t.Errorf("%v allocations per row", n)
	}
}
