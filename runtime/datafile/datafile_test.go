package datafile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func read(t *testing.T, text string) *Set {
	t.Helper()
	s, err := Read(strings.NewReader(text), "data.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPosteriordb compares real data files with encoding/json.
func TestPosteriordb(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Read(bytes.NewReader(text), file)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, s, text)
	}

	s := read(t, string(must(os.ReadFile("testdata/lotka_volterra.json"))))
	if got := s.Names(); !slices.Equal(got, []string{"N", "ts", "y_init", "y"}) {
		t.Errorf("names %v", got)
	}
	n, err := s.Int("N")
	if err != nil || n != 20 {
		t.Errorf("N = %v, %v", n, err)
	}
	y, err := s.RealMatrix("y", n, 2)
	if err != nil || len(y) != 40 || y[2] != 70.2 || y[3] != 9.8 {
		t.Errorf("y = %v, %v", y, err)
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// compare checks s against what encoding/json reads from text.
func compare(t *testing.T, s *Set, text []byte) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var want map[string]any
	if err := decoder.Decode(&want); err != nil {
		t.Fatal(err)
	}
	if len(want) != len(s.variables) {
		t.Fatalf("%d variables, want %d", len(s.variables), len(want))
	}
	for name, value := range want {
		if len(s.variables[s.index[name]].faults) > 0 {
			continue // not numbers
		}
		var dims []int
		for v := value; ; {
			array, ok := v.([]any)
			if !ok {
				break
			}
			dims = append(dims, len(array))
			if len(array) == 0 {
				break
			}
			v = array[0]
		}
		var values []float64
		integer := true
		flatten(value, &values, &integer)
		if got, err := s.Dims(name); err != nil || !slices.Equal(got, dims) {
			t.Errorf("%s: dimensions %v, %v, want %v", name, got, err, dims)
		}
		if s.IsInt(name) != integer {
			t.Errorf("%s: IsInt = %v", name, !integer)
		}
		got, err := s.RealArray(name, dims...)
		if err != nil || !slices.EqualFunc(got, values, func(x, y float64) bool {
			return math.Float64bits(x) == math.Float64bits(y)
		}) {
			t.Errorf("%s: %v, %v, want %v", name, got, err, values)
		}
	}
}

func flatten(v any, values *[]float64, integer *bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			flatten(e, values, integer)
		}
	case json.Number:
		x, _ := v.Float64()
		*values = append(*values, x)
		whole := x == math.Trunc(x) && math.Abs(x) <= maxExact
		if mantissa, _, _ := strings.Cut(strings.ToLower(v.String()), "e"); x == 0 {
			whole = strings.Trim(mantissa, "-.0") == ""
		} else if whole {
			r, _ := new(big.Rat).SetString(v.String())
			whole = r.IsInt()
		}
		*integer = *integer && whole
	case string: // the only strings that a Set holds
		*values = append(*values, map[byte]float64{'N': math.NaN(), '-': math.Inf(-1)}[v[0]])
		if v[0] != 'N' && v[0] != '-' {
			(*values)[len(*values)-1] = math.Inf(1)
		}
		*integer = false
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "7": 7, "-12": -12, "123456789012345": 123456789012345,
		"9007199254740991": 9007199254740991, "1.5": 1.5, "-0.25e+2": -25, "1E3": 1000, "1e-400": 0,
		"0.1": 0.1, "2.2250738585072011e-308": 2.2250738585072011e-308, "1.7976931348623157e308": math.MaxFloat64,
		"Infinity": math.Inf(1), "-Infinity": math.Inf(-1), "inf": math.Inf(1), "-inf": math.Inf(-1),
		"Inf": math.Inf(1), "-Inf": math.Inf(-1),
		`"Infinity"`: math.Inf(1), `"-Infinity"`: math.Inf(-1), `"Inf"`: math.Inf(1), `"+Inf"`: math.Inf(1), `"-Inf"`: math.Inf(-1),
	} {
		got, err := read(t, `{"x": `+text+`}`).Real("x")
		if err != nil || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"NaN", `"NaN"`} {
		if got, err := read(t, `{"x": `+text+`}`).Real("x"); err != nil || !math.IsNaN(got) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestShapes(t *testing.T) {
	s := read(t, ` {"a": [], "b": [[], []], "c": [[[1,2],[3,4],[5,6]]], "d": [1.5],
		"e\u00e9\n\ud83d\ude00": 2, "f":[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]] }
	`)
	for name, want := range map[string][]int{"a": {0}, "b": {2, 0}, "c": {1, 3, 2}, "d": {1}, "eé\n😀": nil,
		"f": {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}} {
		if got, err := s.Dims(name); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", name, got, err, want)
		}
	}
	if got, err := s.IntArray("c", 1, 3, 2); err != nil || !slices.Equal(got, []int{1, 2, 3, 4, 5, 6}) {
		t.Errorf("c = %v, %v", got, err)
	}
	// A matrix without rows and one without columns.
	if got, err := s.RealMatrix("a", 0, 3); err != nil || len(got) != 0 {
		t.Errorf("a = %v, %v", got, err)
	}
	if got, err := s.RealMatrix("b", 2, 0); err != nil || len(got) != 0 {
		t.Errorf("b = %v, %v", got, err)
	}
	if got := s.Unknown("b", "c", "f", "z"); !slices.Equal(got, []string{"a", "d", "eé\n😀"}) {
		t.Errorf("unknown %q", got)
	}
	// A name that ends in an underscore stands for the one without, but where the file has both.
	if got, err := s.IntArray("c_", 1, 3, 2); err != nil || !slices.Equal(got, []int{1, 2, 3, 4, 5, 6}) || !s.Has("c_") || s.Has("c__") {
		t.Errorf("c_ = %v, %v", got, err)
	}
	if got := s.Unknown("a_", "b", "c_", "f", "z"); !slices.Equal(got, []string{"d", "eé\n😀"}) {
		t.Errorf("unknown %q", got)
	}
	both := read(t, `{"z": 1, "x": 2, "x_": 3}`)
	if got, err := both.Int("x_"); err != nil || got != 3 || !slices.Equal(both.Unknown("x_", "z"), []string{"x"}) {
		t.Errorf("x_ = %v, %v; unknown %v", got, err, both.Unknown("x_", "z"))
	}
	if !s.Has("a") || s.Has("z") || !s.IsInt("c") || s.IsInt("d") || s.IsInt("z") {
		t.Error("Has or IsInt is wrong")
	}
	if s := read(t, "\ufeff{ }\n"); len(s.Names()) != 0 {
		t.Errorf("names %v", s.Names())
	}
}

// TestWholeNumbers checks which numbers are integers: those whose value, as it is written, is whole and small enough, and no others.
func TestWholeNumbers(t *testing.T) {
	for text, want := range map[string]int{
		"1.0": 1, "3e0": 3, "-2.000": -2, "1.5e1": 15, "0.25E2": 25, "1200e-2": 12, "0.0": 0, "-0.0": 0, "0e-99999999999999999999": 0, "0.0e5": 0, "1e15": 1e15,
		"9007199254740991.0": maxExact,
	} {
		s := read(t, `{"n": `+text+`, "g": [2, `+text+`]}`)
		n, err := s.Int("n")
		g, errs := s.Ints("g", 2)
		if err != nil || errs != nil || n != want || g[1] != want {
			t.Errorf("%s: %d, %v, %v, %v, want %d", text, n, g, err, errs, want)
		}
	}
	for _, text := range []string{"1.5", "1.50e0", "15e-1", "1e-1", "0.001e2", "12e-2", "1.0000000000000000001", "0.99999999999999999999", "1e16", "9007199254740993.0", "1e-400", "1e-99999999999999999999", "1.5e-1", "10.5e-1"} {
		if n, err := read(t, `{"n": `+text+`}`).Int("n"); err == nil || !strings.Contains(err.Error(), "expected an integer, found "+text+"; ") {
			t.Errorf("%s: %d, %v", text, n, err)
		}
	}
}

// TestCopies checks that what an accessor returns is the caller's.
func TestCopies(t *testing.T) {
	s := read(t, `{"x": [1, 2]}`)
	first, _ := s.Reals("x", 2)
	first[0] = 9
	dims, _ := s.Dims("x")
	dims[0] = 9
	if again, err := s.Reals("x", 2); err != nil || again[0] != 1 {
		t.Errorf("x = %v, %v", again, err)
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "1:1: the file is empty; write {} if there are no data"},
		{" \n\t", "2:2: the file is empty; write {} if there are no data"},
		{"[1]", "1:1: expected '{', found '['; data are one JSON object in UTF-8: {\"name\": value, …}"},
		{"\xff\xfe{", "1:1: expected '{', found the byte 0xff; data are one JSON object in UTF-8: {\"name\": value, …}"},
		{"\x00", "1:1: expected '{', found '\\x00'; data are one JSON object in UTF-8: {\"name\": value, …}"},
		{"{", "1:2: expected a name in quotes, found the end of the file; a field is written \"name\": value"},
		{"{x: 1}", "1:2: expected a name in quotes, found x; a field is written \"name\": value"},
		{"{\"x\" 1}", "1:6: expected ':', found 1; a field is written \"name\": value"},
		{"{\"x\": 1,}", "1:9: expected a name in quotes, found '}'; leave out the comma before '}'"},
		{"{\"x\": 1\n \"y\": 2}", "2:2: expected ',' or '}', found '\"'; fields are separated by commas"},
		{"{\"x\": 1} {}", "1:10: expected the end of the file, found '{'; data are one JSON object"},
		{"{\"x\": 1} // c", "1:10: expected the end of the file, found '/'; JSON has no comments"},
		{"{\n\"x\": 1,\n\"x\": 2}", "3:1: the variable x is given twice, first on line 2; give each variable once"},
		{"{\"x\": 1, \"\\u0078\": 2}", "1:10: the variable x is given twice, first on line 1; give each variable once"},
		{"{\"x\": }", "1:7: expected a number, found '}'; numbers look like 12, -0.5, 1.2e-3"},
		{"{\"x\":", "1:6: expected a number, found the end of the file; numbers look like 12, -0.5, 1.2e-3"},
		{"{\"x\": {\"re\": 1}}", "1:7: expected a number or an array, found '{'; give each field of the object as a variable of its own"},
		{"{\"x\": 'a'}", "1:7: expected a number, found '\\''; JSON has double quotes only"},
		{"{\"x\": true}", "1:7: expected a number, found true; write 1 for true and 0 for false"},
		{"{\"x\": null}", "1:7: expected a number, found null; there are no missing values: leave it out, or declare it as a parameter of the model"},
		{"{\"x\": +1}", "1:7: expected a number, found +1; leave out the plus sign"},
		{"{\"x\": .5}", "1:7: expected a number, found .5; write a digit before the point"},
		{"{\"x\": 5.}", "1:7: expected a number, found 5.; write a digit after the point"},
		{"{\"x\": 1e}", "1:7: expected a number, found 1e; write a digit after the e"},
		{"{\"x\": 1e+-5}", "1:7: expected a number, found 1e+-5; write a digit after the e"},
		{"{\"x\": 007}", "1:7: expected a number, found 007; leave out the leading zeros"},
		{"{\"x\": 0x1F}", "1:7: expected a number, found 0x1F; numbers look like 12, -0.5, 1.2e-3"},
		{"{\"x\": 1-2}", "1:7: expected a number, found 1-2; numbers look like 12, -0.5, 1.2e-3"},
		{"{\"x\": [1, -]}", "1:11: expected a number, found -; numbers look like 12, -0.5, 1.2e-3"},
		{"{\"x\": [1,\n 1e400]}", "2:2: the number 1e400 is beyond the largest, 1.8e308; measure it in another unit"},
		{"{\"x\": \"12\"}", "1:7: expected a number, found the text \"12\"; leave out the quotes"},
		{"{\"x\": \"red\"}", "1:7: expected a number, found the text \"red\"; data are numbers: number the groups from 1"},
		{"{\"x\": [1, \"NA\"]}", "1:11: expected a number, found the text \"NA\"; there are no missing values: leave it out, or declare it as a parameter of the model"},
		{"{\"x\": [1 2]}", "1:10: expected ',' or ']', found 2; numbers are separated by commas"},
		{"{\"x\": [1, 2,]}", "1:13: expected a number or '[', found ']'; leave out the comma before ']'"},
		{"{\"x\": [,1]}", "1:8: expected a number, found ','; numbers look like 12, -0.5, 1.2e-3"},
		{"{\"x\": [1, 2}", "1:12: expected ',' or ']', found '}'; numbers are separated by commas"},
		{"{\"x\": [[1, 2],\n[3]]}", "2:1: x is not rectangular: this array has length 1, the ones before 2; all elements must have the same shape"},
		{"{\"x\": [[], [3]]}", "1:12: x is not rectangular: this array has length 1, the ones before 0; all elements must have the same shape"},
		{"{\"x\": [1, [2]]}", "1:11: x is not rectangular: expected a number, found an array; all elements must have the same shape"},
		{"{\"x\": [[1], 2]}", "1:13: x is not rectangular: expected an array, found 2; all elements must have the same shape"},
		{"{\"x\": [[], 2]}", "1:12: x is not rectangular: expected an array, found 2; all elements must have the same shape"},
		{"{\"x\": [[[]], [1]]}", "1:15: x is not rectangular: expected an array, found 1; all elements must have the same shape"},
		{"{\"x\": " + strings.Repeat("[", 17), "1:23: x has more than 16 dimensions; this is probably a bracket too many"},
		{"{\"x", "1:2: a text that does not end; add a '\"'"},
		{"{\"x\n\": 1}", "1:4: the control character 0x0a in a text; close the quotes before the line ends"},
		{"{\"\\x\": 1}", "1:3: an escape that JSON does not have; write \\\\ for a backslash"},
		{"{\"\\u12\": 1}", "1:3: an escape that JSON does not have; write \\\\ for a backslash"},
		{"{\"\xff\": 1}", "1:2: a text that is not UTF-8; save the file as UTF-8"},
	} {
		s, err := Read(strings.NewReader(c.text), "d.json")
		if err == nil { // JSON, but no numbers
			_, err = s.Dims("x")
		}
		if err == nil {
			t.Errorf("%q: no error, %v", c.text, s.Names())
			continue
		}
		if got := err.Error(); got != "d.json:"+c.want {
			t.Errorf("%q:\n got %s\nwant d.json:%s", c.text, got, c.want)
		}
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q: an error of type %T", c.text, err)
		}
	}
}

func TestReadError(t *testing.T) {
	broken := errors.New("the disk is gone")
	_, err := Read(io.MultiReader(strings.NewReader("{"), iotest.ErrReader(broken)), "d.json")
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "d.json: ") {
		t.Errorf("error %v", err)
	}
}

func TestAccessorErrors(t *testing.T) {
	s := read(t, `{"n": 3, "half": 0.5, "big": 9007199254740993,
 "y": [1, 2, 2.5, 3.5],
 "one": [4], "x": [[1, 2, 3], [4, 5, 6]],
 "q": [1, "NaN"]}`)
	empty := read(t, `{}`)
	many := read(t, `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1}`)
	for _, c := range []struct {
		f    func() (any, error)
		want string
	}{
		{func() (any, error) { return s.Int("half") },
			":1:18: half: expected an integer, found 0.5; an integer has nothing behind its point: round it, or declare the variable as real"},
		{func() (any, error) { return s.Int("big") },
			":1:30: big: expected an integer, found 9007199254740993; integers lie between -9007199254740991 and 9007199254740991"},
		{func() (any, error) { return s.Int("y") },
			":2:7: y: expected an integer, found an array of 4 numbers; change the value or the declaration"},
		{func() (any, error) { return s.Ints("y", 4) },
			":2:14: y: expected an array of 4 integers, found 2.5; an integer has nothing behind its point: round it, or declare the variable as real\ndata.json:2:19: y[4] is 3.5, but must be an integer"},
		{func() (any, error) { return s.Ints("q", 2) },
			":4:11: q: expected an array of 2 integers, found \"NaN\"; there are no missing values: leave it out, or declare it as a parameter of the model"},
		{func() (any, error) { return s.Reals("y", 5) },
			":2:7: y: expected an array of 5 numbers, found an array of 4 numbers; change the array or the declared size"},
		{func() (any, error) { return s.Reals("y", -1) },
			":2:7: y: a dimension of it is to be -1; sizes are not negative"},
		{func() (any, error) { return s.Reals("n", 1) },
			":1:7: n: expected an array of 1 number, found an integer; put the number in brackets"},
		{func() (any, error) { return s.Reals("n", 3) },
			":1:7: n: expected an array of 3 numbers, found an integer; change the value or the declaration"},
		{func() (any, error) { return s.Real("one") },
			":3:9: one: expected a number, found an array of 1 integer; leave out the brackets"},
		{func() (any, error) { return s.RealMatrix("x", 3, 2) },
			":3:19: x: expected an array of 3 × 2 numbers, found an array of 2 × 3 integers; a matrix is written as the array of its rows"},
		{func() (any, error) { return s.RealMatrix("x", 2, 4) },
			":3:19: x: expected an array of 2 × 4 numbers, found an array of 2 × 3 integers; change the array or the declared size"},
		{func() (any, error) { return s.Reals("z", 3) },
			": the variable z is missing: expected an array of 3 numbers; the file has n, half, big, y, one, x, q"},
		{func() (any, error) { return s.Int("z") },
			": the variable z is missing: expected an integer; the file has n, half, big, y[4], one[1], x[2, 3], q[2]"},
		{func() (any, error) { return s.Dims("z") },
			": the variable z is missing; the file has n, half, big, y, one, x, q"},
		{func() (any, error) { return empty.Real("z") },
			": the variable z is missing: expected a number; the file has no variables"},
		{func() (any, error) { return many.Int("z") },
			": the variable z is missing: expected an integer; the file has a, b, c, d, e, f, g, h and 2 more"},
	} {
		got, err := c.f()
		if err == nil {
			t.Errorf("no error but %v, want %s", got, c.want)
		} else if err.Error() != "data.json"+c.want {
			t.Errorf("\n got %s\nwant data.json%s", err, c.want)
		}
	}
}

// TestLinear reads texts on which a careless reader takes quadratic time: they
// would then take minutes.
func TestLinear(t *testing.T) {
	const n = 200000
	var fields strings.Builder
	for i := range n {
		fmt.Fprintf(&fields, "\"x%d\":\n0.5,\n", i)
	}
	var ragged strings.Builder
	for i := range n {
		fmt.Fprintf(&ragged, "\"x%d\": [[1],\n[1, 2]], ", i)
	}
	for name, text := range map[string]string{
		"ragged":      "{" + ragged.String() + `"end": 1}`,
		"words":       `{"x": [` + strings.Repeat("null,\n", n) + "null]}",
		"objects":     `{"x": ` + strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) + "}",
		"fields":      "{" + fields.String() + `"end": 1}`,
		"brackets":    "{" + `"x": [` + strings.Repeat("[],\n", n) + "[]]}",
		"digits":      `{"x": 0.` + strings.Repeat("1", 10*n) + "}",
		"backslashes": `{"` + strings.Repeat(`\\`, 10*n) + `": 1}`,
	} {
		if _, err := Read(strings.NewReader(text), name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzRead checks that no text makes Read panic, that the values of a Set fill
// its dimensions, and that encoding/json agrees where it accepts the text.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`{"n": 3, "x": [[1, 2.5], [-3e-4, 0]], "y": []}`,
		`{"a": [NaN, -inf, "Infinity", "-Inf"], "\u0061b": [[[]]]}`,
		`{"x": [[1, 2], [3]]}`, `{"x": [1, null, "a", {"b": [1]}], "x": 2}`, `{"x": 1e400}`, `{"x": tru`, "{\"x\": [[[[[[[[[[[[[[[[[[", "\ufeff{}", `{"":0,"\ud800":-0}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Read(strings.NewReader(text), "fuzz")
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Line < 1 || e.Col < 1 || e.Message == "" || e.Remedy == "" {
				t.Fatalf("%#v", err)
			}
			return
		}
		for i, name := range s.Names() {
			if _, err := s.Dims(name); err != nil {
				var e *Error
				if !errors.As(err, &e) || e.Line < 1 || e.Col < 1 || e.Message == "" || e.Remedy == "" {
					t.Fatalf("%#v", err)
				}
				continue
			}
			size := 1
			for _, d := range s.variables[i].dims {
				size *= d
			}
			if size != len(s.variables[i].values) {
				t.Fatalf("%s: %d values for dimensions %v", name, len(s.variables[i].values), s.variables[i].dims)
			}
		}
		if json.Valid([]byte(text)) {
			compare(t, s, []byte(text))
		}
	})
}

// BenchmarkRead reads 3 MB: a 5000 × 30 matrix and 5000 integers.
func BenchmarkRead(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 0))
	x := make([][30]float64, 5000)
	y := make([]int, len(x))
	for i := range x {
		y[i] = rng.IntN(2)
		for j := range x[i] {
			x[i][j] = rng.NormFloat64()
		}
	}
	text, err := json.Marshal(map[string]any{"n": len(x), "k": 30, "x": x, "y": y})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(bytes.NewReader(text), "bench"); err != nil {
			b.Fatal(err)
		}
	}
}
