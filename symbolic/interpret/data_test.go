package interpret

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
)

func TestReadData(t *testing.T) {
	m, ds := dsl.Load("m.ham", `model m
data n, k int
data A real[n, k]
data g int[n, 2]
data s real = 0.5
data y real[n]
param mu real
y ~ normal(mu, s)
metric identity
`, dsl.Options{Consts: []dsl.ConstBinding{{Name: "k", Value: 3}}})
	if m == nil {
		t.Fatal(ds)
	}
	read := func(text string) (string, error) {
		data, err := ReadData(m, strings.NewReader(text), "d.json")
		return fmt.Sprint(data), err
	}
	const want = "[{n true [] [2]} {A false [2 3] [1 2 3 4 5 6]} {g true [2 2] [1 2 3 4]} {s false [] [0.5]} {y false [2] [7 8]} {k true [] [3]}]"
	got, err := read(`{"n": 2, "y": [7, 8], "A": [[1, 2, 3], [4, 5, 6]], "g": [[1, 2], [3, 4]], "more": 1}`)
	if err != nil || got != want {
		t.Errorf("got %s (%v)\nwant %s", got, err, want)
	}
	if _, err := read(`{"n": 2, "y": [7], "A": [[1, 2, 3], [4, 5, 6]], "g": [[1, 2], [3, 4]]}`); err == nil || !strings.Contains(err.Error(), "d.json:1:15: y: expected an array of 2 numbers") {
		t.Errorf("a datum of another size: %v", err)
	}
	if _, err := read(`{`); err == nil || !strings.HasPrefix(err.Error(), "d.json:1:2") {
		t.Errorf("no JSON: %v", err)
	}
}

// TestReadDataAll: no mistake in a variable hides another one of it, and each has its place.
func TestReadDataAll(t *testing.T) {
	m, ds := dsl.Load("m.ham", `model m
data n int
data k int[n] in {0, 1}
data N int[n] in 0..4
data y real[n] > 0
data x real[n, 2] in (0, 9)
param mu real
k ~ bernoulli_logit(mu + N)
y ~ lognormal(mu, 1)
x[i,1] ~ normal(mu*x[i,2], 1) for i in n
metric identity
`, dsl.Options{})
	if m == nil {
		t.Fatal(ds)
	}
	long := "{\"n\": 20, \"k\": [" + strings.Repeat("3, ", 19) + "null],\n\"N\": [" + strings.Repeat("1, ", 19) + "1], \"y\": [" + strings.Repeat("1, ", 19) + "1], \"x\": [" + strings.Repeat("[1, 1], ", 19) + "[1, 1]]}"
	for _, row := range []struct {
		text string
		want []string
	}{
		{"{\"n\": 3, \"N\": [1, 1, 1], \"x\": [[1, 1], [1, 1], [1, 1]],\n\"k\": [null, 2, 1],\n\"y\": [1, \"a\", -2]}", []string{
			"2:7: expected a number, found null", "2:13: k[2] is 2, but must be 0 or 1",
			"3:10: expected a number, found the text", "3:15: y[3] is -2, but must be above 0"}},
		{"{\"n\": 3, \"N\": [1, 1, 1], \"y\": [1, 1, 1],\n\"k\": [0, 2],\n\"x\": [[1, null], [1, 10], [1, 1], [-1, 1]]}", []string{
			"2:6: k: expected an array of 3 integers, found an array of 2 integers", "2:10: k[2] is 2, but must be 0 or 1",
			"3:6: x: expected an array of 3 × 2 numbers, found an array of 4 × 2 integers", "3:11: expected a number, found null",
			"3:22: x[2,2] is 10, but must be", "3:36: x[4,1] is -1, but must be"}},
		{"{\"n\": 3, \"k\": [1, 1, 1], \"y\": [1, 1, 1], \"x\": [[1, 1], [1, 1], [1, 1]],\n\"N\": [0.5, 7, 7.5]}", []string{
			"2:7: N: expected an array of 3 integers, found 0.5", "2:12: N[2] is 7, but must be a whole number between 0 and 4", "2:15: N[3] is 7.5, but must be an integer"}},
		{long, []string{"k has 7 more such elements", "k[1] is 3", "k[12] is 3", "1:74: expected a number, found null"}},
		// A variable that is no array, or is given twice, is one mistake.
		{"{\"n\": 1, \"k\": [1], \"N\": [1], \"y\": [1], \"x\": [[1, 1], [-2]]}", []string{"x is not rectangular"}},
		{"{\"n\": 1, \"k\": [7], \"N\": [1], \"y\": [1], \"x\": [[1, 1]],\n\"k\": [1]}", []string{"2:1: the variable k is given twice"}},
	} {
		data, err := ReadData(m, strings.NewReader(row.text), "d.json")
		if err == nil {
			t.Errorf("%s: %v", row.text, data)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		for _, want := range row.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s\nno %q in\n%v", row.text, want, err)
			}
		}
		if row.text != long && len(lines) != len(row.want) {
			t.Errorf("%s\n%d lines, want %d:\n%v", row.text, len(lines), len(row.want), err)
		}
	}
}

// TestReadDataAboveArgument: data of a distribution that begins at an argument lie above that, if it is known when they are read; those of a part of a
// mixture need not.
func TestReadDataAboveArgument(t *testing.T) {
	for _, row := range []struct{ statement, want string }{
		{"y ~ pareto(2, a)", "y[2] is 1.5, but must be above 2"},
		{"y ~ pareto_type_2(lo, 1, a)", "y[2] is 1.5, but must be above 1.75"},
		{"y ~ pareto(a, 1)", ""},
		{"density sum(i in n) log_sum_exp(pareto_lpdf(y[i] | 2, a), normal_lpdf(y[i] | 0, 1))", ""},
	} {
		m, ds := dsl.Load("m.ham", "model m\ndata n int\ndata lo real\ndata y real[n]\nparam a real > 0\n"+row.statement+"\na ~ gamma(2, lo)\nmetric identity\n", dsl.Options{})
		if m == nil {
			t.Fatal(ds)
		}
		d, list := symbolic.Derive(m)
		if d == nil {
			t.Fatal(list)
		}
		_, err := New(d, strings.NewReader(`{"n": 2, "lo": 1.75, "y": [3, 1.5]}`), "d.json")
		if got := fmt.Sprint(err); (err == nil) != (row.want == "") || !strings.Contains(got, row.want) {
			t.Errorf("%s: %v, want %q", row.statement, err, row.want)
		}
	}
}
