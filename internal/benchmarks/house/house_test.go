package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Lines of go tool nm, of an object file and of a program.
const nmLines = `       0        500 T example.org/m.(*Model).StepIMb
    4a20        500 T example.org/m.(*Model).Gradient
       0         40 t example.org/m.f[go.shape.struct { F int }]
       0       9000 R example.org/m..stmp_0
       0          8 D example.org/m..inittask
                  0 U fmt.Errorf
`

func TestMachineCode(t *testing.T) {
	total, largest, name, err := machineCode(nmLines)
	if err != nil || total != 1040 || largest != 500 || name != "example.org/m.(*Model).Gradient" {
		t.Fatal(total, largest, name, err)
	}
	for _, bad := range []string{"rubbish\n", "0 T\n", "T name\n"} {
		if _, _, _, err := machineCode(bad); err == nil {
			t.Errorf("%q is taken for a line of nm", bad)
		}
	}
}

func TestStoredFields(t *testing.T) {
	n, err := storedFields(`package m
type Data struct { N int; Y []float64 }
type Model struct {
	info *int
	a, b float64
	space
}
type space struct {
	frame struct { known bool; at [2]float64 }
	f func(struct{ q int })
}
func f() { _ = struct{ local int }{} }`)
	if err != nil || n != 8 { // info a b frame known at f q
		t.Fatal(n, err)
	}
	if _, err := storedFields("not Go"); err == nil {
		t.Error("a file that is not Go has fields")
	}
}

const chainText = `# model = m
#         latent.solver_tolerance = 1e-06
lp__,stepsize__,x.1,x.2
# volatility.stepsize = 0.25
# latent.stepsize = 1.5
# Adaptation terminated
# Step size = 1.5
-1,1.5,0.5,2
-2,1.5,0.25,3
#  Elapsed Time: 1 seconds
`

func TestReadChain(t *testing.T) {
	c, err := readChain(chainText)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Sizes) != 2 || c.Sizes["volatility"] != 0.25 || c.Sizes["latent"] != 1.5 {
		t.Error("step sizes", c.Sizes)
	}
	if x, err := c.values(1); err != nil || !slices.Equal(x, []float64{0.25, 3}) {
		t.Error("values", x, err)
	}
	c, err = readChain("lp__,x\n# Step size = 0.5\n1,2\n")
	if err != nil || len(c.Sizes) != 1 || c.Sizes[""] != 0.5 {
		t.Error("without blocks", c, err)
	}
	for _, bad := range []string{"", "lp__,x\n", "lp__,x\n# Step size = small\n1,2\n", "lp__,x\n1\n"} {
		if _, err := readChain(bad); err == nil {
			t.Errorf("%q is taken for a chain", bad)
		}
	}
}

func TestAgreement(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want Digits
	}{
		{"1", "1", all},
		{"1", "1.0", all},
		{"NaN", "NaN", all},
		{"100", "101", Digits(-math.Log10(1.0 / 101))},
		{"1", "-1", 0},
		{"NaN", "1", 0},
		{"0", "-0", 0},
		{"0", "1e-300", 0},
	} {
		if got, err := agreement(c.a, c.b); err != nil || got != c.want {
			t.Errorf("%s and %s: %v, %v, want %v", c.a, c.b, got, err, c.want)
		}
	}
	if _, err := agreement("one", "1"); err == nil {
		t.Error("a word agrees with a number")
	}
}

func TestAgree(t *testing.T) {
	a, b := must(t, chainText), must(t, chainText)
	var d Draws
	if err := d.agree(a, b); err != nil || d.Draws != 2 || d.Moved != 1 || d.Equal != 2 || d.Least != all {
		t.Error("equal chains", d, err)
	}
	b = must(t, strings.ReplaceAll(chainText, "-1,1.5,0.5,2", "-7,9,0.5,2.0000001"))
	d = Draws{}
	if err := d.agree(a, b); err != nil || d.Equal != 0 || math.Abs(float64(d.First)-7.3) > 0.01 || d.Least != d.First {
		t.Error("the first differs", d, err) // from the first on: the second, equal again, does not count
	}
	b = must(t, strings.ReplaceAll(chainText, "x.2", "y"))
	if err := d.agree(a, b); err == nil {
		t.Error("a column is missing")
	}
	b.Draws = b.Draws[:1]
	if err := d.agree(a, b); err == nil {
		t.Error("a draw is missing")
	}
}

func must(t *testing.T, text string) *Chain {
	t.Helper()
	c, err := readChain(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestQuantile(t *testing.T) {
	for _, c := range []struct{ p, want float64 }{{0, 1}, {0.25, 1.75}, {0.5, 2.5}, {1, 4}} {
		if got := quantile([]float64{4, 2, 1, 3}, c.p); got != c.want {
			t.Errorf("quantile %g: %g, want %g", c.p, got, c.want)
		}
	}
	if got := quantile([]float64{7}, 0.5); got != 7 {
		t.Error("of one", got)
	}
}

// Losses come first, and what the old side cannot do has a dash.
func TestMarkdown(t *testing.T) {
	small, large := &Size{Lines: 10, Code: 100, Largest: 60, LargestName: "f", Fields: 3, Milliseconds: 1.5}, &Size{Lines: 20, Code: 150, Largest: 90, LargestName: "g", Fields: 4, Milliseconds: 3}
	r := Report{Old: "a", New: "b",
		Sizes: []Pair[Size]{{Model: "less", Old: large, New: small}, {Model: "fresh", New: small}, {Model: "more", Old: small, New: large}},
		Steps: []Timing{
			{Model: "quick", Method: "density", Old: 2, New: 1, Ratio: 0.5, Low: 0.4, High: 0.6},
			{Model: "slow", Part: "block", Method: "imb", Old: 10, New: 12, Ratio: 1.2, Low: 1.1, High: 1.3, OldIterations: 3, NewIterations: 4, NewFailed: 0.25}},
		Draws: []Draws{
			{Model: "same", Settings: "default", Draws: 2, Moved: 1, Equal: 2, First: all, Least: all},
			{Model: "other", Settings: "fixed", Draws: 2, Equal: 1, First: 15.25, Least: 14},
			{Model: "broken", Settings: "fixed", Draws: 2, Failure: "exit status 2"}},
		Moments: []Moments{
			{Model: "near", Numbers: 4, Worst: 2.5, Of: "sd of x", Bound: 3.02, OldRHat: 1.01, NewRHat: 1},
			{Model: "far", Numbers: 4, Worst: 7, Of: "mean of x", Bound: 3.02, OldRHat: 1.2, NewRHat: 1}}}
	var b strings.Builder
	r.Markdown(&b)
	want := `Old: a. New: b.

Emitted code, old → new.

| model | lines | code, bytes | ratio | largest function, bytes | stored fields | generation, ms |
|---|---|---|---|---|---|---|
| more | 10 → 20 | 100 → 150 | 1.50 | 60 ` + "`f` → 90 `g`" + ` | 3 → 4 | 2 → 3 |
| less | 20 → 10 | 150 → 100 | 0.67 | 90 ` + "`g` → 60 `f`" + ` | 4 → 3 | 3 → 2 |
| fresh | – → 10 | – → 100 | – | – → 60 ` + "`f`" + ` | – → 3 | – → 2 |

Time of an evaluation or a step, old and new in turn in one run; the ratio is new over old, with its quartiles.

| model | method | old, ns | new, ns | ratio | iterations | failed |
|---|---|---|---|---|---|---|
| slow, block | imb | 10 | 12 | 1.200 [1.100, 1.300] | 3.00 → 4.00 | 0 → 25 % |
| quick | density | 2 | 1 | 0.500 [0.400, 0.600] |  |  |

Draws with the same seed.

| model | settings | draws | moved | equal to the last bit, from the first on | digits of the first that differs | digits of all |
|---|---|---|---|---|---|---|
| broken | fixed | 2 | – | exit status 2 | – | – |
| other | fixed | 2 | 0 | 1 | 15.2 | 14.0 |
| same | default | 2 | 1 | 2 | all | all |

Means and standard deviations of 4 chains of each side.

| model | means and deviations | largest difference, standard errors | of | once in a hundred more than | largest R-hat, old → new |
|---|---|---|---|---|---|
| far | 4 | 7.0 | mean of x | 3.0 | 1.200 → 1.000 |
| near | 4 | 2.5 | sd of x | 3.0 | 1.010 → 1.000 |
`
	if b.String() != want {
		t.Errorf("the tables are\n%s\nwant\n%s", b.String(), want)
	}
}

// TestWithMetric: an example that leaves its metric to hamc gets one, with its data beside it; another stays where it is.
func TestWithMetric(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"plain.ham": "model plain\n", "plain.data.json": "{}", "own.ham": "model own\nmetric fisher\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list := []example{{"plain", filepath.Join(home, "plain.ham")}, {"own", filepath.Join(home, "own.ham")}}
	if err := withMetric(list, "identity", dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(list[0].Path)
	if err != nil || string(text) != "model plain\n\nmetric identity\n" || list[0].data() == "" || filepath.Dir(filepath.Dir(list[0].Path)) != dir {
		t.Errorf("%s: %q, data %q, %v", list[0].Path, text, list[0].data(), err)
	}
	if list[1].Path != filepath.Join(home, "own.ham") {
		t.Errorf("an example with a metric is moved to %s", list[1].Path)
	}
}

func TestChoose(t *testing.T) {
	all := []example{{Name: "a"}, {Name: "b"}}
	for _, c := range []struct{ names, want string }{{"", "ab"}, {"b", "b"}, {"b,a", "ba"}} {
		got, err := choose(all, c.names)
		names := ""
		for _, e := range got {
			names += e.Name
		}
		if err != nil || names != c.want {
			t.Errorf("%q: %q, %v", c.names, names, err)
		}
	}
	if _, err := choose(all, "c"); err == nil {
		t.Error("an example that does not exist is chosen")
	}
}

// A wrong checkout is an error that names it.
func TestOpenSide(t *testing.T) {
	if _, err := openSide(t.Context(), "old", "no-such-revision", ".", t.TempDir()); err == nil || !strings.Contains(err.Error(), "no-such-revision") {
		t.Error(err)
	}
}

// TestPlaced: a start has the shape of the parameters, and what does not fit is an error.
func TestPlaced(t *testing.T) {
	var x any
	for i, at := range []string{"1.1", "1.2", "2.1", "2.2"} {
		var err error
		if x, err = placed(x, at, float64(i)); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(x); got != "[[0 1] [2 3]]" {
		t.Error(got)
	}
	if v, err := placed(nil, "", 7); err != nil || v != 7.0 {
		t.Error(v, err)
	}
	for _, bad := range []string{"0", "2", "x", "1.3.1"} {
		if v, err := placed(nil, bad, 1); err == nil {
			t.Errorf("position %q: %v", bad, v)
		}
	}
}

// TestMoments: equal chains have no difference, and one that is shifted has the size of the shift in standard errors.
func TestMoments(t *testing.T) {
	chains := func(shift float64) []*Chain {
		var out []*Chain
		for c := range momentChains {
			rng := rand.New(rand.NewPCG(uint64(c), 1))
			one := &Chain{Columns: []string{"lp__", "x", "fixed"}}
			for range 500 {
				one.Draws = append(one.Draws, []string{"0", fmt.Sprint(rng.NormFloat64() + shift), "3"})
			}
			out = append(out, one)
		}
		return out
	}
	var m Moments
	if err := m.agree(chains(0), chains(0)); err != nil || m.Numbers != 2 || m.Worst != 0 || !(math.Abs(m.Bound-2.807) < 0.001) || m.OldRHat > 1.02 {
		t.Errorf("%+v, %v", m, err)
	}
	m = Moments{}
	if err := m.agree(chains(0), chains(0.2)); err != nil || m.Of != "mean of x" || !(m.Worst > 5 && m.Worst < 8) { // 0.2·√(2000/2) = 6.3
		t.Errorf("%+v, %v", m, err)
	}
	other := chains(0)
	other[2].Columns = []string{"lp__", "y", "fixed"}
	if err := m.agree(chains(0), other); err == nil {
		t.Error("a column is missing")
	}
}

// TestStrip: products of floating-point numbers lose their conversion, and nothing else does.
func TestStrip(t *testing.T) {
	const text = `package m

import "github.com/hamc-dev/hamc/runtime/elementary"

type own float64

func f(a, b float64, n, k int, x []float64, c float32) float64 {
	s := float64(a*b) + float64(n*k) - float64((a)*elementary.Exp(float64(2*b))) + float64(n)*a
	s += -float64(x[0]*x[n]*float64(k)) + float64(a/b) + float64(2*3) + float64(own(a)*own(b)) + float64(c*c) + float64(a+b)
	return s
}
`
	const want = `package m

import "github.com/hamc-dev/hamc/runtime/elementary"

type own float64

func f(a, b float64, n, k int, x []float64, c float32) float64 {
	s := (a*b) + float64(n*k) - ((a)*elementary.Exp((2*b))) + float64(n)*a
	s += -(x[0]*x[n]*float64(k)) + float64(a/b) + float64(2*3) + float64(own(a)*own(b)) + float64(c*c) + float64(a+b)
	return s
}
`
	p, err := newPlainer(t.Context(), "../../..")
	if err != nil {
		t.Fatal(err)
	}
	got, n, err := p.strip(map[string][]byte{"m.go": []byte(text)})
	if err != nil || n != 4 || string(got["m.go"]) != want {
		t.Errorf("%d, %v\n%s", n, err, got["m.go"])
	}
	if _, _, err := p.strip(map[string][]byte{"m.go": []byte("package m\nvar x = y\n")}); err == nil {
		t.Error("a package that does not compile is stripped")
	}
}
