package interpret_test

import (
	"math"
	"testing"
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
		"sum(i in 7) floor(i/7)": 1, "sum(i in 21) floor(i/3)": 70, "sum(i in 21) ceil(i/3)": 84, "sum(i in 21) ceil((2*i - 1)/7)": 72, "sum(i in 21) floor(-i/3)": -84,
	} {
		m := load(t, head+value+")\nmetric identity\n", data)
		if got := m.LogDensity([]float64{1}); !(math.Abs(got-want) <= 1e-8*math.Abs(want)) {
			t.Errorf("%s: %v, want %v", value, got, want)
		}
	}
}
