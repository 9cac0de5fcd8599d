package datafile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime/validate"
)

// school reads the data of a small model as a generated reader does.
func school(set *Set) error {
	in := set.Collect()
	j := in.Size("J", 1)
	n := in.Size("n", 1)
	g := in.Ints("g", n)
	y := in.Ints("y", n)
	x := in.Reals("x", n, j)
	s := in.Real("s")
	c := validate.New("school")
	c.Size("J", j, 1)
	c.Length("g", len(g), n, "n")
	c.Ints("g", g, 1, float64(j), false, false)
	c.Length("y", len(y), n, "n")
	c.OneOf("y", y, 0, 1)
	c.Array("x", len(x), "n·J", n, j)
	c.Reals("x", x, math.Inf(-1), s, true, false)
	c.Real("s", s, 0, math.Inf(1), true, true)
	return in.Err(c.Err())
}

// TestCollect checks that all mistakes of a file are reported at once, in the order of the text
// and with their places, and that none follows from another.
func TestCollect(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"fine", `{"J": 2, "n": 2, "g": [1, 2], "y": [0, 1], "x": [[1, 2], [3, 4]], "s": 5, "other": {"a": [1, "b", null]}, "title": "none"}`, ""},
		{"all at once", `{"J": 2, "n": 2,
 "s": 3.5,
 "x": [[1, 2],
       [4, NaN]],
 "y": [1, 2], "g": [0, 1]}`,
			`4:9: x[2,1] is 4, but must be at most 3.5
4:12: x[2,2] is NaN, but must be at most 3.5; there are no missing values: leave it out, or declare it as a parameter of the model
5:11: y[2] is 2, but must be 0 or 1; these look like 1 and 2 for no and yes: subtract 1 from each
5:21: g[1] is 0, but must be a whole number between 1 and 2; hamc counts from 1, and these look like counted from 0: add 1 to each`},
		{"types and values", `{"J": 2.5, "n": 2, "s": null, "x": [[1, 2], [3]],
"y": [7, "yes"], "g": [1]}`,
			`1:7: J: expected an integer, found 2.5; an integer has nothing behind its point: round it, or declare the variable as real
1:25: expected a number, found null; there are no missing values: leave it out, or declare it as a parameter of the model
1:45: x is not rectangular: this array has length 1, the ones before 2; all elements must have the same shape
2:10: expected a number, found the text "yes"; data are numbers: number the groups from 1
2:23: g: expected an array of 2 integers, found an array of 1 integer; change the array or the declared size`},
		{"an unread size hides nothing else", `{"J": 2, "n": -4, "g": [0, 9], "y": [5], "x": "z"}`,
			`: the variable s is missing: expected a number; the file has J, n, g, y, x
1:15: n is -4, but must be at least 1
1:47: expected a number, found the text "z"; data are numbers: number the groups from 1`},
		{"case", `{"j": 2, "n": 1, "g": [1], "y": [1], "x": [[1]], "s": 1}`,
			`1:7: the variable J is missing: expected an integer; the file has j: upper and lower case differ`},
		{"twice", `{"J": 1, "n": 1, "g": [1], "y": [1], "x": [[1]], "s": 1, "s": 2, "z": 1, "z": {}}`,
			`1:58: the variable s is given twice, first on line 1; give each variable once`},
	} {
		set, err := Read(strings.NewReader(c.text), "d.json")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := ""
		if err := school(set); err != nil {
			got = strings.ReplaceAll(err.Error(), "d.json:", "")
		}
		if want := strings.TrimPrefix(c.want, ":"); strings.TrimPrefix(got, " ") != strings.TrimPrefix(want, " ") {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestCollectLimit checks that mistakes without number are counted.
func TestCollectLimit(t *testing.T) {
	var text strings.Builder
	text.WriteString("{")
	for i := range 30 {
		fmt.Fprintf(&text, "\"v%d\": [%s9],\n", i, strings.Repeat("null, ", 9))
	}
	text.WriteString(`"end": 1}`)
	set, err := Read(strings.NewReader(text.String()), "d.json")
	if err != nil {
		t.Fatal(err)
	}
	in := set.Collect()
	for i := range 30 {
		in.Reals(fmt.Sprintf("v%d", i), 10)
	}
	got := in.Err(nil).Error()
	if n := strings.Count(got, "found null"); n != maxListed {
		t.Errorf("%d mistakes are listed", n)
	}
	if want := fmt.Sprintf("\nd.json: and %d more", 30*9-maxListed); !strings.HasSuffix(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// TestElementPlaces puts one number that stands out into random arrays and looks for it where the
// place says.
func TestElementPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	blank := func() string { return []string{"", " ", "\n", "\t \n  "}[rng.IntN(4)] }
	for range 300 {
		dims := make([]int, 1+rng.IntN(3))
		size := 1
		for i := range dims {
			dims[i] = 1 + rng.IntN(4)
			size *= dims[i]
		}
		target, at := rng.IntN(size), 0
		var text strings.Builder
		var write func(depth int)
		write = func(depth int) {
			if depth == len(dims) {
				switch {
				case at == target:
					text.WriteString("-77")
				case rng.IntN(5) == 0:
					text.WriteString(`"Infinity"`)
				default:
					fmt.Fprint(&text, rng.IntN(50))
				}
				at++
				return
			}
			text.WriteString("[" + blank())
			for i := range dims[depth] {
				if i > 0 {
					text.WriteString(blank() + "," + blank())
				}
				write(depth + 1)
			}
			text.WriteString(blank() + "]")
		}
		text.WriteString(`{"n":` + blank() + `[1, 2],` + blank() + `"x": `)
		write(0)
		text.WriteString("}")
		set := read(t, text.String())
		v := &set.variables[1]
		line, col := set.element(v, target)
		lines := strings.Split(text.String(), "\n")
		if line > len(lines) || !strings.HasPrefix(lines[line-1][col-1:], "-77") {
			t.Fatalf("element %d of %q is said to be at %d:%d", target, text.String(), line, col)
		}
		// The path counts from 1, the last index fastest.
		k, want := target, ""
		for i := len(dims) - 1; i >= 0; i-- {
			want = fmt.Sprintf(",%d", k%dims[i]+1) + want
			k /= dims[i]
		}
		if got := path(v, target); got != "x["+want[1:]+"]" {
			t.Fatalf("element %d of %v is %s", target, dims, got)
		}
	}
}

// TestComputed: a size that is computed of variables is told of where they stand, and not at all where one of them could not be read.
func TestComputed(t *testing.T) {
	set, err := Read(strings.NewReader("{\"g\": [1, -2],\n \"h\": [1, 0.5], \"k\": [2, 3]}"), "d.json")
	if err != nil {
		t.Fatal(err)
	}
	in := set.Collect()
	g, h, k := in.Ints("g", 2), in.Ints("h", 2), in.Ints("k", 2)
	if n := in.Computed("sum(k)", validate.Whole(validate.Sum(k)), 1, "k"); n != 5 {
		t.Errorf("sum(k) is %d", n)
	}
	if n := in.Computed("max(h)", validate.Whole(validate.Max(h)), 1, "h"); n != Unread {
		t.Errorf("max(h) is %d", n)
	}
	if n := in.Computed("min(g)", validate.Whole(validate.Min(g)), 1, "g"); n != Unread {
		t.Errorf("min(g) is %d", n)
	}
	got := fmt.Sprint(in.Err(nil))
	if !strings.Contains(got, "min(g) is -2, but must be at least 1") || !strings.Contains(got, "d.json:1:7") || strings.Contains(got, "max(h)") {
		t.Errorf("the errors are %s", got)
	}
}

// TestWhole: what no size is remains none.
func TestWhole(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(-1), -1e300} {
		if n := validate.Whole(x); n >= 0 {
			t.Errorf("%v is %d", x, n)
		}
	}
	if n := validate.Whole(1e300); n < 1<<40 {
		t.Errorf("1e300 is %d", n)
	}
	if validate.Max(nil) != 0 || validate.Min(nil) != 0 || validate.Sum(nil) != 0 {
		t.Error("of nothing is something")
	}
}
