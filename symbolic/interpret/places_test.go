package interpret_test

import (
	"math"
	"testing"
)

// TestPlaces: parts of definitions as other languages write them have the values that loops over their text have.
func TestPlaces(t *testing.T) {
	const head = "model m\ndata n, T int\ndata first, last int[n] in 1..T\ndata y real[T]\nparam a, b real\n"
	const data = `{"n": 3, "T": 4, "first": [1, 2, 4], "last": [3, 4, 4], "y": [0.5, -1.5, 2, 0.25]}`
	y, first, last := []float64{0.5, -1.5, 2, 0.25}, []int{1, 2, 4}, []int{3, 4, 4}
	a, b := 0.7, -0.3

	forward := []float64{a, 0, 0, 0}
	for t := 1; t <= 3; t++ { // x[t+1] = b*x[t] + y[t]*t + a
		forward[t] = b*forward[t-1] + y[t-1]*float64(t) + a
	}
	backward := []float64{0, 0, 0, b}
	for t := 4; t >= 2; t-- { // x[t-1] = a*x[t] + y[t]
		backward[t-2] = a*backward[t-1] + y[t-1]
	}
	ragged := 0.0
	for i := range first {
		row := [4]float64{}
		for t := first[i]; t <= last[i]; t++ {
			if t == first[i] {
				row[t-1] = a + float64(i+1)
			} else {
				row[t-1] = b*row[t-2] + y[t-1]
			}
		}
		for t, x := range row {
			ragged += float64(t+1) * float64(i+2) * x
		}
	}
	for lets, want := range map[string]float64{
		"let x[1] = a\nlet x[t+1] = b*x[t] + y[t]*t + a for t in 1..T-1\ndensity sum(t in T) t*x[t]":                                                       forward[0] + 2*forward[1] + 3*forward[2] + 4*forward[3],
		"let x[T] = b\nlet x[t-1] = a*x[t] + y[t] for t in 2..T\ndensity sum(t in T) t*x[t]":                                                               backward[0] + 2*backward[1] + 3*backward[2] + 4*backward[3],
		"let x[t in T-1] = a*y[t]\nlet x[T] = b\ndensity sum(t in T) t*x[t]":                                                                               a*(y[0]+2*y[1]+3*y[2]) + 4*b,
		"let x[1, 1] = a\nlet x[2, 2] = b\nlet x[1, 2] = 2*a\nlet x[2, 1] = a*b\ndensity x[1, 1] + 10*x[1, 2] + 100*x[2, 1] + 1000*x[2, 2]":                a + 20*a + 100*a*b + 1000*b,
		"let x[i in n, first[i]] = a + i\nlet x[i in n, t] = b*x[i, t-1] + y[t] for t in first[i]+1..last[i]\ndensity sum(i in n, t in T) t*(i+1)*x[i, t]": ragged,
		"let x[i in n, t] = if t == first[i] then a + i else b*x[i, t-1] + y[t] for t in first[i]..last[i]\ndensity sum(i in n, t in T) t*(i+1)*x[i, t]":   ragged,
		"density a*sum(y[n..T]) + b*sum(y[n-1..T-1])":                                                                                                      a*(y[2]+y[3]) + b*(y[1]+y[2]),
		"density a\n  + b*y[2]\n  - 2\n  *a":                                                  a + b*y[1] - 2*a,
		"density if y[1] > 1 then a\n  else if y[2] > 0\n    and y[1] > 0 then b\n  else a*b": a * b,
	} {
		m := load(t, head+lets+"\nmetric identity\n", data)
		if got := m.LogDensity([]float64{a, b}); !(math.Abs(got-want) <= 1e-12*math.Max(1, math.Abs(want))) {
			t.Errorf("%s: %v, want %v", lets, got, want)
		}
	}
}
