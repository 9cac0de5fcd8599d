package export

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/draws"
)

// The readers of other projects are tried by .ci/readers. These tests hold the
// formats to their specifications without them.

// set reads chains from text.
func set(t testing.TB, chains ...string) *draws.Set {
	t.Helper()
	dir := t.TempDir()
	for i, text := range chains {
		if text != "" {
			if err := os.WriteFile(filepath.Join(dir, draws.FileName(i+1)), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, err := draws.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const head = "# model = m\n# num_warmup = 7\nlp__,divergent__,n_leapfrog__,scale_accept_stat__,own__,s,m.1.1,m.2.1,m.1.2,m.2.2\n"

// small has chains 1 and 3, of two draws; Stan's order of a matrix.
func small(t testing.TB) *draws.Set {
	return set(t,
		head+"-1.5,0,3,0.5,9,nan,11,21,12,22\n-inf,1,4503599627370497,1,9,-0,5e-324,2,3,4\n-2,0,0,0,0,0,0,0,0,0\n",
		"",
		head+"1,0,1,1,1,1,1.5,2,3,4\n2,1,2,2,2,2,5,6,7,8\n")
}

// read is an array that a test has read.
type read struct {
	shape  []int
	values []float64
}

// values decodes elements.
func values(t *testing.T, descr string, b []byte) (out []float64) {
	t.Helper()
	switch descr {
	case "|b1":
		for _, x := range b {
			if x > 1 {
				t.Errorf("a bool of %d", x)
			}
			out = append(out, float64(x))
		}
	case "<i8", "<f8":
		for ; len(b) > 0; b = b[8:] {
			u := binary.LittleEndian.Uint64(b)
			if descr == "<i8" {
				out = append(out, float64(int64(u)))
			} else {
				out = append(out, math.Float64frombits(u))
			}
		}
	default:
		t.Fatalf("type %s", descr)
	}
	return out
}

var npyText = regexp.MustCompile(`^\{'descr': '([^']+)', 'fortran_order': False, 'shape': \(([\d, ]*)\), \} *\n$`)

// readNPZ reads an archive by its central directory and again front to back.
func readNPZ(t *testing.T, b []byte) (names []string, arrays map[string]read, types map[string]string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	arrays, types = map[string]read{}, map[string]string{}
	front := b
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r) // checks the checksum
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(f.Name, ".npy")
		names = append(names, name)
		// The local header, which readers without random access go by.
		sum, size, n, extra := binary.LittleEndian.Uint32(front[14:]), binary.LittleEndian.Uint32(front[18:]), binary.LittleEndian.Uint16(front[26:]), binary.LittleEndian.Uint16(front[28:])
		body := front[30+int(n)+int(extra):][:size]
		if string(front[30:30+int(n)]) != f.Name || !bytes.Equal(body, data) || crc32.ChecksumIEEE(body) != sum {
			t.Errorf("%s: the local header tells something else", name)
		}
		front = front[30+int(n)+int(extra)+int(size):]

		if string(data[:8]) != "\x93NUMPY\x01\x00" {
			t.Fatalf("%s begins with %q", name, data[:8])
		}
		n = binary.LittleEndian.Uint16(data[8:])
		if (10+n)%64 != 0 {
			t.Errorf("%s: elements at %d", name, 10+n)
		}
		m := npyText.FindSubmatch(data[10 : 10+n])
		if m == nil {
			t.Fatalf("%s: header %q", name, data[10:10+n])
		}
		var a read
		for _, s := range strings.FieldsFunc(string(m[2]), func(r rune) bool { return r == ',' || r == ' ' }) {
			k, _ := strconv.Atoi(s)
			a.shape = append(a.shape, k)
		}
		types[name] = string(m[1])
		a.values = values(t, types[name], data[10+n:])
		arrays[name] = a
	}
	return names, arrays, types
}

func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
	})
}

var (
	nan     = math.NaN()
	minus0  = math.Copysign(0, -1)
	smallST = map[string]struct { // the arrays of small
		group, descr string
		read
	}{
		"s":                     {Posterior, "<f8", read{[]int{2, 2}, []float64{nan, minus0, 1, 2}}},
		"m":                     {Posterior, "<f8", read{[]int{2, 2, 2, 2}, []float64{11, 12, 21, 22, 5e-324, 3, 2, 4, 1.5, 3, 2, 4, 5, 7, 6, 8}}},
		"lp":                    {SampleStats, "<f8", read{[]int{2, 2}, []float64{-1.5, math.Inf(-1), 1, 2}}},
		"diverging":             {SampleStats, "|b1", read{[]int{2, 2}, []float64{0, 1, 0, 1}}},
		"n_steps":               {SampleStats, "<i8", read{[]int{2, 2}, []float64{3, 4503599627370497, 1, 2}}},
		"scale_acceptance_rate": {SampleStats, "<f8", read{[]int{2, 2}, []float64{0.5, 1, 1, 2}}},
		"own":                   {SampleStats, "<f8", read{[]int{2, 2}, []float64{9, 9, 1, 2}}},
	}
)

func TestNPZ(t *testing.T) {
	var b bytes.Buffer
	if err := NPZ(&b, small(t), Options{}); err != nil {
		t.Fatal(err)
	}
	names, arrays, types := readNPZ(t, b.Bytes())
	want := "s m sample_stats.lp sample_stats.diverging sample_stats.n_steps sample_stats.scale_acceptance_rate sample_stats.own"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("arrays %s, want %s", got, want)
	}
	for name, w := range smallST {
		if w.group != Posterior {
			name = w.group + "." + name
		}
		if a := arrays[name]; types[name] != w.descr || !slices.Equal(a.shape, w.shape) || !same(a.values, w.values) {
			t.Errorf("%s: %s %v, want %s %v", name, types[name], a, w.descr, w.read)
		}
	}
	if bytes.Contains(b.Bytes(), []byte("PK\x07\x08")) {
		t.Error("there is a data descriptor")
	}
	var again bytes.Buffer
	if err := NPZ(&again, small(t), Options{}); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("the same draws, but other bytes (%v)", err)
	}
}

// Headers end where the format wants it, whatever their length.
func TestNPYHeader(t *testing.T) {
	shape := []int{4}
	for range 20 {
		h := npyHeader(real, shape)
		if len(h)%64 != 0 || int(h[8])+int(h[9])<<8 != len(h)-10 || h[len(h)-1] != '\n' {
			t.Errorf("shape %v: %d bytes", shape, len(h))
		}
		shape = append(shape, 1000)
	}
}

func TestTable(t *testing.T) {
	var b bytes.Buffer
	if err := Table(&b, small(t), Options{}); err != nil {
		t.Fatal(err)
	}
	want := `.chain,.iteration,.draw,s,"m[1,1]","m[1,2]","m[2,1]","m[2,2]",lp__,divergent__,n_leapfrog__,scale_accept_stat__,own__
1,1,1,NaN,11,12,21,22,-1.5,0,3,0.5,9
1,2,2,-0,5e-324,3,2,4,-Inf,1,4.503599627370497e+15,1,9
3,1,3,1,1.5,3,2,4,1,0,1,1,1
3,2,4,2,5,7,6,8,2,1,2,2,2
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	if rows, err := csv.NewReader(&b).ReadAll(); err != nil || len(rows) != 5 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// zarrStore reads a store as its specification has it.
func zarrStore(t *testing.T, dir string) map[string]read {
	t.Helper()
	var meta struct {
		Format   int                        `json:"zarr_consolidated_format"`
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	decode := func(b []byte, to any) {
		t.Helper()
		if err := json.Unmarshal(b, to); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
	}
	file := func(name string) []byte {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	decode(file(".zmetadata"), &meta)
	if meta.Format != 1 {
		t.Errorf("consolidated format %d", meta.Format)
	}
	// The metadata of every file, once more in that of the group.
	out := map[string]read{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(d.Name(), ".z") || d.Name() == ".zmetadata" {
			return err
		}
		key, _ := filepath.Rel(dir, path)
		key = filepath.ToSlash(key)
		if strings.TrimSpace(string(file(key))) != string(meta.Metadata[key]) {
			t.Errorf("%s is not in .zmetadata", key)
		}
		if group, below, ok := strings.Cut(key, "/"); ok {
			var sub struct{ Metadata map[string]json.RawMessage }
			decode(file(group+"/.zmetadata"), &sub)
			if !bytes.Equal(sub.Metadata[below], meta.Metadata[key]) {
				t.Errorf("%s is not in %s/.zmetadata", below, group)
			}
		}
		delete(meta.Metadata, key)
		if d.Name() != ".zarray" {
			return nil
		}
		var a zarray
		decode(file(key), &a)
		var attrs struct {
			Dimensions []string `json:"_ARRAY_DIMENSIONS"`
		}
		decode(file(strings.TrimSuffix(key, ".zarray")+".zattrs"), &attrs)
		name := strings.TrimSuffix(key, "/.zarray")
		if len(attrs.Dimensions) != len(a.Shape) || len(a.Chunks) != len(a.Shape) || a.FillValue != nil || a.Order != "C" || a.Format != 2 {
			t.Errorf("%s: %+v, dimensions %v", name, a, attrs.Dimensions)
		}
		for i, d := range attrs.Dimensions { // each is a coordinate of its group
			var c zarray
			decode(file(strings.Split(name, "/")[0]+"/"+d+"/.zarray"), &c)
			if !slices.Equal(c.Shape, a.Shape[i:i+1]) {
				t.Errorf("%s: coordinate %s of shape %v", name, d, c.Shape)
			}
		}
		out[name+" "+a.Type] = read{a.Shape, chunks(t, filepath.Dir(path), &a)}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(meta.Metadata) > 0 {
		t.Errorf("metadata of files that do not exist: %v", slices.Sorted(maps.Keys(meta.Metadata)))
	}
	return out
}

// chunks reads the elements of an array.
func chunks(t *testing.T, dir string, a *zarray) []float64 {
	t.Helper()
	size, whole := 1, 1
	for i, n := range a.Shape {
		size, whole = size*n, whole*a.Chunks[i]
	}
	out := make([]float64, size)
	cache := map[string][]float64{}
	for at := range out {
		var key []string
		rest, inner, stride := at, 0, 1
		for i := len(a.Shape) - 1; i >= 0; i-- {
			x := rest % a.Shape[i]
			rest /= a.Shape[i]
			key = append(key, strconv.Itoa(x/a.Chunks[i]))
			inner += x % a.Chunks[i] * stride
			stride *= a.Chunks[i]
		}
		slices.Reverse(key)
		name := strings.Join(key, ".")
		if name == "" {
			name = "0" // of a scalar
		}
		if cache[name] == nil {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if a.Compressor != nil {
				r, err := zlib.NewReader(bytes.NewReader(b))
				if err != nil {
					t.Fatal(err)
				}
				if b, err = io.ReadAll(r); err != nil {
					t.Fatal(err)
				}
			}
			if cache[name] = values(t, a.Type, b); len(cache[name]) != whole {
				t.Fatalf("%s: chunk %s of %d elements, want %d", dir, name, len(cache[name]), whole)
			}
		}
		out[at] = cache[name][inner]
	}
	return out
}

func TestZarr(t *testing.T) {
	dir := t.TempDir()
	if err := Zarr(context.Background(), dir, small(t), Options{Version: "1.2"}); err != nil {
		t.Fatal(err)
	}
	got := zarrStore(t, dir)
	for name, w := range smallST {
		key := w.group + "/" + name + " " + w.descr
		if a, ok := got[key]; !ok || !slices.Equal(a.shape, w.shape) || !same(a.values, w.values) {
			t.Errorf("%s: %v, want %v", key, a, w.read)
		}
		delete(got, key)
	}
	for key, want := range map[string][]float64{
		"posterior/chain": {0, 2}, "posterior/draw": {0, 1}, "posterior/m_dim_0": {0, 1}, "posterior/m_dim_1": {0, 1},
		"sample_stats/chain": {0, 2}, "sample_stats/draw": {0, 1},
	} {
		if a := got[key+" <i8"]; !same(a.values, want) {
			t.Errorf("%s: %v, want %v", key, a.values, want)
		}
		delete(got, key+" <i8")
	}
	if len(got) > 0 {
		t.Errorf("and %v", slices.Sorted(maps.Keys(got)))
	}
	text, err := os.ReadFile(filepath.Join(dir, "posterior/.zattrs"))
	const want = `{"creation_library":"hamc","creation_library_language":"Go","creation_library_version":"1.2","inference_library":"hamc","model":"m","num_warmup":"7","sample_dims":["chain","draw"],"tuning_steps":7}` + "\n"
	if err != nil || string(text) != want {
		t.Errorf("attributes %s (%v)", text, err)
	}

	// The same draws, the same files.
	again := t.TempDir()
	if err := Zarr(context.Background(), again, small(t), Options{Version: "1.2"}); err != nil {
		t.Fatal(err)
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		rel, _ := filepath.Rel(dir, path)
		if !d.IsDir() {
			a, _ := os.ReadFile(path)
			b, err := os.ReadFile(filepath.Join(again, rel))
			if err != nil || !bytes.Equal(a, b) {
				t.Errorf("%s differs (%v)", rel, err)
			}
		}
		return nil
	})

	if err := Zarr(context.Background(), dir, small(t), Options{}); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a directory in use: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Zarr(ctx, t.TempDir(), small(t), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Large arrays have chunks of bounded size, the last of which is not full.
func TestChunks(t *testing.T) {
	const size, n = 60_000, 11 // 480 kB for each draw
	var b strings.Builder
	for i := range size {
		fmt.Fprintf(&b, "x.%d,", i+1)
	}
	b.WriteString("y\n")
	for d := range n {
		for i := range size {
			fmt.Fprintf(&b, "%d,", d*size+i)
		}
		b.WriteString("0\n")
	}
	dir := t.TempDir()
	if err := Zarr(context.Background(), dir, set(t, b.String(), b.String()), Options{}); err != nil {
		t.Fatal(err)
	}
	for i, x := range zarrStore(t, dir)["posterior/x <f8"].values {
		if x != float64(i%(n*size)) {
			t.Fatalf("element %d is %v", i, x)
		}
	}
	if fi, err := os.Stat(filepath.Join(dir, "posterior/x/1.1.0")); err != nil || fi.Size() > chunkSize {
		t.Errorf("last chunk: %v", err)
	}
}

// Parameters go to the groups that the options name.
func TestGroups(t *testing.T) {
	s := set(t, "lp__,a,log_lik.1,log_lik.2\n1,2,3,4\n")
	o := Options{Groups: map[string]string{"log_lik": "log_likelihood"}}
	dir := t.TempDir()
	if err := Zarr(context.Background(), dir, s, o); err != nil {
		t.Fatal(err)
	}
	got := zarrStore(t, dir)
	if a := got["log_likelihood/log_lik <f8"]; !same(a.values, []float64{3, 4}) || got["log_likelihood/log_lik_dim_0 <i8"].values == nil {
		t.Errorf("%v", slices.Sorted(maps.Keys(got)))
	}
	if _, ok := got["posterior/log_lik <f8"]; ok {
		t.Error("log_lik is in the posterior too")
	}
	var b bytes.Buffer
	if err := NPZ(&b, s, o); err != nil {
		t.Fatal(err)
	}
	if names, _, _ := readNPZ(t, b.Bytes()); strings.Join(names, " ") != "a log_likelihood.log_lik sample_stats.lp" {
		t.Errorf("%v", names)
	}
}

// withData are options with data of every type and shape.
var withData = Options{Data: []Datum{
	{Name: "n", Integer: true, Values: []float64{1 << 53}},
	{Name: "y", Observed: true, Shape: []int{2, 3}, Values: []float64{1, 2, 3, minus0, nan, 5e-324}},
	{Name: "chain", Shape: []int{2}, Values: []float64{0.5, math.Inf(1)}},
	{Name: "none", Shape: []int{2, 0}},
	{Name: "k", Observed: true, Integer: true, Shape: []int{3}, Values: []float64{-1, 0, 7}},
}}

// dataST are the arrays of withData.
var dataST = map[string]struct {
	descr string
	read
}{
	"observed_data.y":     {"<f8", read{[]int{2, 3}, []float64{1, 2, 3, minus0, nan, 5e-324}}},
	"observed_data.k":     {"<i8", read{[]int{3}, []float64{-1, 0, 7}}},
	"constant_data.n":     {"<i8", read{nil, []float64{1 << 53}}},
	"constant_data.chain": {"<f8", read{[]int{2}, []float64{0.5, math.Inf(1)}}},
	"constant_data.none":  {"<f8", read{[]int{2, 0}, nil}},
}

// Data stand in groups of their own, without chains and draws.
func TestData(t *testing.T) {
	dir := t.TempDir()
	if err := Zarr(context.Background(), dir, small(t), withData); err != nil {
		t.Fatal(err)
	}
	got := zarrStore(t, dir)
	var b bytes.Buffer
	if err := NPZ(&b, small(t), withData); err != nil {
		t.Fatal(err)
	}
	names, arrays, types := readNPZ(t, b.Bytes())
	want := "sample_stats.own observed_data.y observed_data.k constant_data.n constant_data.chain constant_data.none"
	if s := strings.Join(names, " "); !strings.HasSuffix(s, want) {
		t.Errorf("arrays %s, want %s at the end", s, want)
	}
	for name, w := range dataST {
		if a := arrays[name]; types[name] != w.descr || !slices.Equal(a.shape, w.shape) || !same(a.values, w.values) {
			t.Errorf("npz: %s: %s %v, want %s %v", name, types[name], a, w.descr, w.read)
		}
		key := strings.Replace(name, ".", "/", 1) + " " + w.descr
		if a, ok := got[key]; !ok || !slices.Equal(a.shape, w.shape) || !same(a.values, w.values) {
			t.Errorf("zarr: %s: %v, want %v", key, a, w.read)
		}
		delete(got, key)
	}
	for key, want := range map[string][]float64{
		"observed_data/y_dim_0": {0, 1}, "observed_data/y_dim_1": {0, 1, 2}, "observed_data/k_dim_0": {0, 1, 2},
		"constant_data/chain_dim_0": {0, 1}, "constant_data/none_dim_0": {0, 1}, "constant_data/none_dim_1": nil,
	} {
		if a, ok := got[key+" <i8"]; !ok || !same(a.values, want) {
			t.Errorf("%s: %v, want %v", key, a, want)
		}
		delete(got, key+" <i8")
	}
	for key := range got {
		if !strings.HasPrefix(key, Posterior+"/") && !strings.HasPrefix(key, SampleStats+"/") {
			t.Errorf("and %s", key)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "observed_data/.zattrs")); err != nil || bytes.Contains(text, []byte("sample_dims")) || !bytes.Contains(text, []byte(`"model":"m"`)) {
		t.Errorf("attributes %s (%v)", text, err)
	}
	var plain, table bytes.Buffer
	if err := errors.Join(Table(&plain, small(t), Options{}), Table(&table, small(t), withData)); err != nil || !bytes.Equal(plain.Bytes(), table.Bytes()) {
		t.Errorf("data in the table (%v)", err)
	}
}

func TestErrors(t *testing.T) {
	write := func(s *draws.Set, o Options) error { return NPZ(io.Discard, s, o) }
	store := func(s *draws.Set, o Options) error { return Zarr(context.Background(), t.TempDir(), s, o) }
	table := func(s *draws.Set, o Options) error { return Table(io.Discard, s, o) }
	for _, c := range []struct {
		text  string
		o     Options
		write func(*draws.Set, Options) error
		want  string
	}{
		{"x\n", Options{}, write, "hold no draws"},
		{"x\n1\n", Options{Groups: map[string]string{"z": "a", "y": "b"}}, table, "a group is given to y"},
		{"x\n1\n", Options{Groups: map[string]string{"x": ObservedData}}, store, "x is given to the group observed_data, which is one of data"},
		{"x\n1\n", Options{Data: []Datum{{Name: "y", Integer: true, Values: []float64{0.5}}}}, write, "the datum y holds 0.5, expected an integer"},
		{"x\n1\n", Options{Data: []Datum{{Name: "y", Shape: []int{2, 2}, Values: []float64{1}}}}, store, "the datum y has 1 values, and the shape [2 2]"},
		{"x\n1\n", Options{Data: []Datum{{Name: "y", Values: []float64{1}}, {Name: "y", Values: []float64{1}}}}, write, "two columns y in the group constant_data"},
		{"x\n1\n", Options{Data: []Datum{{Name: "y", Shape: []int{1}, Values: []float64{1}}, {Name: "y_dim_0", Values: []float64{1}}}}, store, "y_dim_0 is the name of a datum and of a coordinate"},
		{"divergent__,x\n0.5,1\n", Options{}, write, "chain_1.csv: divergent__ of draw 1 is 0.5, expected 0 or 1"},
		{"n_leapfrog__,x\n1,1\nnan,1\n", Options{}, store, "n_leapfrog__ of draw 2 is NaN, expected an integer"},
		{"n_leapfrog__,x\n1e300,1\n", Options{}, store, "expected an integer"},
		{"../../x\n1\n", Options{}, store, `the name "../../x" would not do for a file`},
		{"a/b\n1\n", Options{}, write, `the name "a/b" would not do`},
		{".zarray\n1\n", Options{}, store, `the name ".zarray" would not do`},
		{"stepsize__,step_size__,x\n1,1,1\n", Options{}, write, "two columns step_size in the group sample_stats"},
		{"draw\n1\n", Options{}, store, "draw is the name of a parameter and of a coordinate"},
		{"x.1,x_dim_0\n1,1\n", Options{}, store, "x_dim_0 is the name of a parameter and of a coordinate"},
		{"x\n1\n", Options{Groups: map[string]string{"x": "../y"}}, store, `the name "../y" would not do`},
		{"a.b,b\n1,1\n", Options{Groups: map[string]string{"b": "a"}}, write, "two arrays a.b"},
	} {
		if err := c.write(set(t, c.text), c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	if err := write(set(t, "draw\n1\n"), Options{}); err != nil {
		t.Errorf("a parameter called draw: %v", err)
	}
}

// full fails after some bytes.
type full struct{ left int }

func (f *full) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

// An error of the destination, wherever it happens, is an error of the export.
func TestFullDisk(t *testing.T) {
	var row strings.Builder
	row.WriteString("x\n")
	for i := range 20_000 {
		fmt.Fprintf(&row, "%d\n", i)
	}
	s := set(t, row.String())
	for name, write := range map[string]func(io.Writer, *draws.Set, Options) error{"npz": NPZ, "table": Table} {
		n := &full{1 << 40}
		if err := write(n, s, Options{}); err != nil {
			t.Fatal(err)
		}
		whole := 1<<40 - n.left
		for left := 0; left < whole; left += whole/13 + 1 {
			if err := write(&full{left}, s, Options{}); !errors.Is(err, io.ErrShortWrite) {
				t.Errorf("%s: room for %d of %d: %v", name, left, whole, err)
			}
		}
		if err := write(&full{whole - 1}, s, Options{}); err == nil {
			t.Errorf("%s: no room for the last byte: no error", name)
		}
	}
}

// Every statistic of a run has a row in the table of names, and a name that no
// other has.
func TestStatistics(t *testing.T) {
	seen := map[string]string{}
	columns := slices.Clone(runtime.StatNames[:])
	for _, s := range runtime.BlockStatNames {
		columns = append(columns, "accept_"+s, "b_"+s)
	}
	for _, c := range columns {
		name, _ := statistic(c)
		if seen[name] != "" {
			t.Errorf("%s and %s are both called %s", c, seen[name], name)
		}
		seen[name] = c
		known := slices.ContainsFunc(statistics, func(s struct {
			column, name string
			kind         kind
		}) bool {
			return name == s.name || strings.HasSuffix(name, "_"+s.name)
		})
		if !known {
			t.Errorf("%s has no row in statistics", c)
		}
	}
}

// BenchmarkWrite writes 80 MB of draws in each format.
func BenchmarkWrite(b *testing.B) {
	var text strings.Builder
	text.WriteString("lp__")
	for i := range 999 {
		fmt.Fprintf(&text, ",x.%d", i+1)
	}
	for d := range 2500 {
		for i := range 1000 {
			text.WriteString([]string{"\n", ","}[min(i, 1)])
			text.Write(draws.AppendFloat(nil, math.Sin(float64(d*1000+i))))
		}
	}
	text.WriteString("\n")
	s := set(b, text.String(), text.String(), text.String(), text.String())
	for _, f := range []struct {
		name  string
		write func() error
	}{
		{"npz", func() error { return NPZ(io.Discard, s, Options{}) }},
		{"table", func() error { return Table(io.Discard, s, Options{}) }},
		{"zarr", func() error { return Zarr(context.Background(), b.TempDir(), s, Options{}) }},
	} {
		b.Run(f.name, func(b *testing.B) {
			b.SetBytes(80e6)
			b.ReportAllocs()
			for b.Loop() {
				if err := f.write(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
