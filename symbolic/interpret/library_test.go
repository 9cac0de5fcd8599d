package interpret_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// TestLibrary: functions that are written in the language have the values that R gives them, and quotients of whole numbers are floored exactly.
func TestLibrary(t *testing.T) {
	const head = "model m\ndata n int\ndata x real[n]\ndata c int[n]\ndata p real in (0, 1)\nparam a real\ndensity a*("
	const data = `{"n": 7, "x": [0.3, 1.2, -0.5, 1.2, 0.9, 7, 2], "c": [4, -1, 4, 0, 2, 9, -7], "p": 0.3}`
	for value, want := range map[string]float64{
		"median(x)": 1.2, "quantile(x, p)": 0.78, "quantile(x, 0.01)": -0.452, "quantile(x, 0.99)": 6.7, "median(c)": 2,
		"sd(x)": 2.453374740851389, "variance(c)": 24.952380952380953, "sum(i in n) i*rank(x)[i]": 132, "sum(i in n) i^2*rank(c)[i]": 516,
		"sum(i in n) i*sort(x)[i]": 74.6, "sort(c)[1] + 100*sort(c)[7]": 893, "cumulative_sum(c)[3]": 7, "cumulative_sum(x)[7]": 12.1,
		"mod(c[7], 3) + 10*mod(c[6], 4)": 12, "x[mod(5, 3)]": 1.2, "x[rank(c)[1]]": 0.9,
		"log_diff_exp(-800, -801)": -800.4586751453871, "log_diff_exp(x[6], x[2])": 6.996967852939423, "log_diff_exp(-1e-9, -2e-9)": -20.723265838446411, "log_diff_exp(3, -900)": 3,
		"sum(i in 7) floor(i/7)": 1, "sum(i in 21) floor(i/3)": 70, "sum(i in 21) ceil(i/3)": 84, "sum(i in 21) ceil((2*i - 1)/7)": 72, "sum(i in 21) floor(-i/3)": -84,
	} {
		m := load(t, head+value+")\nmetric identity\n", data)
		if got := m.LogDensity([]float64{1}); !(math.Abs(got-want) <= 1e-8*math.Abs(want)) {
			t.Errorf("%s: %v, want %v", value, got, want)
		}
	}
}

// TestLogDiffExp: the derivatives of log(exp(x) − exp(y)) are those of its definition, also where the exponentials underflow or nearly agree.
func TestLogDiffExp(t *testing.T) {
	m := load(t, "model m\nparam a, b real\ndensity log_diff_exp(a, b)\nmetric identity\n", "{}")
	for _, x := range [][2]float64{{0.3, -1.2}, {-800, -801}, {-1, -1.0000001}, {5, -900}} {
		grad := make([]float64, 2)
		value := m.Gradient(grad, x[:])
		d := x[1] - x[0]
		if want := x[0] + math.Log(-math.Expm1(d)); !(math.Abs(value-want) <= 1e-14*math.Abs(want)) {
			t.Errorf("of %v it is %v, want %v", x, value, want)
		}
		for n, want := range []float64{-1 / math.Expm1(d), -1 / math.Expm1(-d)} {
			if !(math.Abs(grad[n]-want) <= 1e-12*math.Abs(want)) {
				t.Errorf("of %v the derivative by argument %d is %v, want %v", x, n, grad[n], want)
			}
		}
	}
}

// TestEmpty: a size that is declared from 0 on may be 0, but where an element is asked for.
func TestEmpty(t *testing.T) {
	const head = "model m\ndata n int >= 0\ndata y real[n]\ndata x real[n, n]\nparam a real\nparam b real[n]\n"
	for line, refused := range map[string]bool{
		"y ~ normal(a + b, 1)": false, "density -a^2 - sum(b) - dot(b, y)": false, "density -a^2 - size(b)": false, "b ~ normal(y[1], 1)": true, "b ~ normal(mean(y), 1)": true,
		"density -max(y)*a": true, "density -log_sum_exp(b)*a": true, "density a*log_det(x*x' + diag(exp(y)))": true, "b ~ multi_normal(0, x*x')": true, "density -sum(softmax(b))*a": true,
	} {
		m, ds := dsl.Load("m.ham", head+line+"\nmetric identity\n", dsl.Options{})
		if m == nil {
			t.Fatal(ds)
		}
		if _, err := interpret.Read(m, strings.NewReader(`{"n": 0, "y": [], "x": []}`), "data"); (err != nil) != refused {
			t.Errorf("%s: %v", line, err)
		}
	}
	m, ds := dsl.Load("m.ham", "model m\ndata n, k int >= 0\nparam b, d real[n]\nb, d ~ normal(0, 1)\n", dsl.Options{})
	if m == nil {
		t.Fatal(ds)
	}
	if _, err := interpret.Read(m, strings.NewReader(`{"n": 0, "k": 1}`), "data"); err == nil {
		t.Error("a model without coordinates is accepted")
	}
}
