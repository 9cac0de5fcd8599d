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

// TestCarried: elements that data name change, and the others stay what they were, as in loops that set one element of an array.
func TestCarried(t *testing.T) {
	const head = "model m\ndata T int\nconst K = 3\ndata g, h int[T] in 1..K\ndata y real[T]\nparam a, b real\n"
	const data = `{"T": 4, "g": [1, 3, 3, 2], "h": [2, 3, 1, 2], "y": [0.5, -1.5, 2, 0.25]}`
	y, g, h := []float64{0.5, -1.5, 2, 0.25}, []int{1, 3, 3, 2}, []int{2, 3, 1, 2}
	a, b := 0.7, -0.3
	const weigh = "density sum(t in T, k in K) t*(k + 1)*q[t, k]"

	// run is that sum over the states of a loop that begins with q and changes it behind a position.
	run := func(q [3]float64, change func(q *[3]float64, t int)) (sum float64) {
		for t := 1; t <= 4; t++ {
			for k, x := range q {
				sum += float64(t*(k+2)) * x
			}
			change(&q, t)
		}
		return sum
	}
	learn := func(q *[3]float64, t int) { q[g[t-1]-1] += a * (y[t-1] - q[g[t-1]-1]) }
	for lets, want := range map[string]float64{
		"let q[1, k in K] = 0\nlet q[t+1, g[t]] = q[t, g[t]] + a*(y[t] - q[t, g[t]]) for t in 1..T-1":         run([3]float64{}, learn),
		"let q[1] = [a, b, 1]\nlet q[t, g[t-1]] = q[t-1, g[t-1]] + a*(y[t-1] - q[t-1, g[t-1]]) for t in 2..T": run([3]float64{a, b, 1}, learn),
		"let q[1] = [a, b, 1]\nlet q[t+1, k in K] = 0.5*q[t, k] + k for t in 1..T-1\nlet q[t+1, g[t]] = q[t, g[t]] + b for t in 1..T-1": run([3]float64{a, b, 1}, func(q *[3]float64, t int) {
			was := *q
			for k := range q {
				q[k] = 0.5*q[k] + float64(k+1)
			}
			q[g[t-1]-1] = was[g[t-1]-1] + b
		}),
		"let q[1, 1] = b\nlet q[1, 2] = 0\nlet q[1, 3] = a\nlet q[t+1, h[t]] = b for t in 1..T-1\nlet q[t+1, g[t]] = q[t, h[t]] + t for t in 1..T-1": run([3]float64{b, 0, a}, func(q *[3]float64, t int) {
			was := *q
			q[h[t-1]-1] = b
			q[g[t-1]-1] = was[h[t-1]-1] + float64(t) // the last counts
		}),
	} {
		m := load(t, head+lets+"\n"+weigh+" + 0*(a + b + y[1] + g[1] + h[1])\nmetric identity\n", data)
		if got := m.LogDensity([]float64{a, b}); !(math.Abs(got-want) <= 1e-12*math.Max(1, math.Abs(want))) {
			t.Errorf("%s: %v, want %v", lets, got, want)
		}
	}
}

// TestJoined: vectors and numbers in one row have the elements of all, one behind the other.
func TestJoined(t *testing.T) {
	const head = "model m\ndata n, k int\ndata y real[n]\ndata w real[k]\nparam a, b real\n"
	const data = `{"n": 3, "k": 2, "y": [0.5, -1.5, 2], "w": [3, 5]}`
	a, b := 0.7, -0.3
	weighed := func(list ...float64) (sum float64) {
		for i, x := range list {
			sum += float64(i+1) * x
		}
		return sum
	}
	for text, want := range map[string]float64{
		"let z = [a*y, b]\ndensity sum(i in n+1) i*z[i]":                   weighed(a*0.5, a*-1.5, a*2, b),
		"let z = [a, b, y]\ndensity sum(i in n+2) i*z[i]":                  weighed(a, b, 0.5, -1.5, 2),
		"let z = [a*y, b, w, 1, b*w]\ndensity sum(i in n+2*k+2) i*z[i]":    weighed(a*0.5, a*-1.5, a*2, b, 3, 5, 1, b*3, b*5),
		"density [a*y, w][4] + 10*[a, y][1] + 100*[w, y, b][6] + 0*sum(y)": 3 + 10*a + 100*b,
	} {
		m := load(t, head+text+" + 0*(a + b + y[1] + w[1])\nmetric identity\n", data)
		if got := m.LogDensity([]float64{a, b}); !(math.Abs(got-want) <= 1e-12*math.Max(1, math.Abs(want))) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// TestSegments: ranges that end where data say have the values of loops over their positions.
func TestSegments(t *testing.T) {
	const head = "model m\ndata n, G int\ndata first, last int[G] in 1..n\ndata y, x real[n]\nparam a, b real\n"
	const data = `{"n": 5, "G": 3, "first": [1, 3, 4], "last": [2, 3, 5], "y": [0.5, -1.5, 2, 0.25, 1], "x": [1, 2, -1, 0.5, 3]}`
	first, last := []int{1, 3, 4}, []int{2, 3, 5}
	y, x := []float64{0.5, -1.5, 2, 0.25, 1}, []float64{1, 2, -1, 0.5, 3}
	a, b := 0.7, -0.3

	var sums, means, dots, densities, lagged, largest, total float64
	for g := range first {
		sum, most, n := 0.0, math.Inf(-1), 0.0
		for i := first[g]; i <= last[g]; i++ {
			sum += math.Exp(a * y[i-1])
			most = math.Max(most, x[i-1])
			n++
			dots += float64(g+1) * x[i-1] * y[i-1]
			densities += -0.5*math.Pow(y[i-1]-a*x[i-1]-float64(g+1)*b, 2) - 0.5*math.Log(2*math.Pi)
			if i > first[g] {
				lagged += -0.5*math.Pow(y[i-1]-a*y[i-2], 2) - 0.5*math.Log(2*math.Pi)
			}
		}
		sums += float64(g+1) * sum
		means += float64(g+1) * sum / n
		largest += float64(g+1) * most
	}
	for i := range y {
		for j := 0; j <= i; j++ {
			total += float64(i+1) * y[j]
		}
	}
	for text, want := range map[string]float64{
		"density sum(g in G) g*sum(exp(a*y[first[g]..last[g]]))":                                  sums,
		"density sum(g in G) g*mean(exp(a*y[first[g]..last[g]]))":                                 means,
		"density a*sum(g in G) g*max(x[first[g]..last[g]])":                                       a * largest,
		"density a*sum(g in G) g*dot(x[first[g]..last[g]], y[first[g]..last[g]])":                 a * dots,
		"density sum(g in G) normal_lpdf(y[first[g]..last[g]] | a*x[first[g]..last[g]] + g*b, 1)": densities,
		"y[first[g]..last[g]] ~ normal(a*x[first[g]..last[g]] + g*b, 1) for g in G":               densities,
		"y[first[g]+1..last[g]] ~ normal(a*y[first[g]..last[g]-1], 1) for g in G":                 lagged,
		"density a*sum(i in n) i*sum(y[1..i])":                                                    a * total,
	} {
		m := load(t, head+text+"\ndensity 0*(a + b + x[1] + y[1] + first[1] + last[1])\nmetric identity\n", data)
		if got := m.LogDensity([]float64{a, b}); !(math.Abs(got-want) <= 1e-12*math.Max(1, math.Abs(want))) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
