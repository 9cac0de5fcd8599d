package interpret_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// seedsHead is what the models of these tests have in common.
const seedsHead = "model m\ndata T, G, m int\ndata w real[G]\ndata all, r real[T]\nparam a real\n"

// seedsData are their data: 9 positions, 3 weights, so many seeds.
func seedsData(seeds int) string {
	return fmt.Sprintf(`{"T": 9, "G": 3, "m": %d, "w": [0.5, 0.3, 0.4], "all": [0.5, 0.3, 0.2, 0.1, 0.4, 0.2, 0.1, 0.3, 0.2], "r": [1, 1.2, 0.8, 1.1, 0.9, 1.3, 0.7, 1, 1.1]}`, seeds)
}

// TestSeeds: parts over ranges that follow one another, and sums over distances that are data, have the values of loops.
func TestSeeds(t *testing.T) {
	w, all := []float64{0.5, 0.3, 0.4}, []float64{0.5, 0.3, 0.2, 0.1, 0.4, 0.2, 0.1, 0.3, 0.2}
	r := []float64{1, 1.2, 0.8, 1.1, 0.9, 1.3, 0.7, 1, 1.1}
	const a = 1.7
	// loop sums what is at some distances before a position; the first positions, so many, are the seeds.
	loop := func(seeds, far int, term func(t, k int, before float64) float64) float64 {
		x, sum := make([]float64, len(r)), 0.0
		for t := range x {
			x[t] = a + float64(t+1)
			if t >= seeds {
				x[t] = 0
				for k := 1; k <= min(far, t); k++ {
					x[t] += r[t] * term(t, k, x[t-k])
				}
			}
			sum += float64(t+1) * x[t]
		}
		return sum
	}
	weighed := func(_, k int, before float64) float64 { return w[k-1] * before }
	for text, want := range map[string]float64{
		"let x[1] = a + 1\nlet x[t] = r[t]*sum(k in 1..min(G, t-1)) w[k]*x[t-k] for t in 2..T":                                    loop(1, 3, weighed),
		"let x[1] = a + 1\nlet x[t] = r[t]*sum(k in 1..fmin(t-1, G)) w[k]*x[t-k] for t in 2..T":                                   loop(1, 3, weighed),
		"let x[1] = a + 1\nlet x[t] = r[t]*sum(k in G) (if k < t then w[k]*x[t-k] else 0) for t in 2..T":                          loop(1, 3, weighed),
		"let x[1] = a + 1\nlet x[t] = r[t]*sum(k in G) (if t - k >= 1 then w[k]*x[t-k] else 0) for t in 2..T":                     loop(1, 3, weighed),
		"let x[1] = a + 1\nlet x[t] = r[t]*sum(k in 1..t-1) all[k]*x[t-k] for t in 2..T":                                          loop(1, 9, func(_, k int, b float64) float64 { return all[k-1] * b }),
		"let x[t] = a + t for t in 1..m\nlet x[t] = r[t]*sum(k in G) w[k]*x[t-k] for t in m+1..T":                                 loop(4, 3, weighed),
		"let x[i] = a + i for i in 1..m\nlet x[t] = r[t]*sum(j in t-G..t-1) w[t-j]*x[j] for t in m+1..T":                          loop(4, 3, weighed),
		"let x[t] = a + t for t in 1..m\nlet x[s] = r[s]*0.5*x[s-1] for s in m+1..T":                                              loop(4, 1, weighed),
		"let k0 = 0.3\nlet x[t] = a + t for t in 1..m\nlet x[t] = r[t]*(k0*x[t-2] + 0.5*x[t-1]) for t in m+1..T":                  loop(4, 2, weighed),
		"let x[t] = a + t for t in 1..m\nlet x[t] = r[t]*sum(k in G) (w[k]*x[t-k] + k*all[t-k]) for t in m+1..T":                  loop(4, 3, func(t, k int, b float64) float64 { return w[k-1]*b + float64(k)*all[t-k] }),
		"let x[t] = a + t for t in 1..2\nlet x[t] = a + t for t in 3..m\nlet x[t] = r[t]*sum(k in 2) w[k]*x[t-k] for t in m+1..T": loop(4, 2, weighed),
	} {
		m := load(t, seedsHead+text+"\ndensity sum(t in T) t*x[t]\nmetric identity\n", seedsData(4))
		if got := m.LogDensity([]float64{a}); !(math.Abs(got-want) <= 1e-13*math.Abs(want)) {
			t.Errorf("%s\nhas %v, want %v", text, got, want)
		}
	}
}

// TestParents: elements at positions that data name have the values of loops.
func TestParents(t *testing.T) {
	const head = "model m\ndata V int\ndata lag int in 1..V\ndata up int[V] in 1..V\ndata none int[V] in 0..V\ndata r real[V]\nparam a real\nlet plus[v in V] = none[v]\n"
	const data = `{"V": 6, "lag": 2, "up": [4, 1, 1, 2, 2, 4], "none": [0, 0, 1, 3, 2, 0], "r": [1, 1.2, 0.8, 1.1, 0.9, 1.3]}`
	up, none, r := []int{4, 1, 1, 2, 2, 4}, []int{0, 0, 1, 3, 2, 0}, []float64{1, 1.2, 0.8, 1.1, 0.9, 1.3}
	const a = 0.7
	loop := func(from func(v int) int, other float64) (sum float64) {
		x := make([]float64, len(r))
		for v := range x {
			x[v] = other + r[v]
			if n := from(v); n > 0 {
				x[v] = a*x[n-1] + r[v]
			}
			sum += float64(v+1) * x[v]
		}
		return sum
	}
	first := func(v int) int {
		if v == 0 {
			return 0
		}
		return up[v]
	}
	for text, want := range map[string]float64{
		"let x[1] = r[1]\nlet x[v] = a*x[up[v]] + r[v] for v in 2..V":                                                 loop(first, 0),
		"let x[v] = (if none[v] > 0 then a*x[none[v]] else a) + r[v] for v in V":                                      loop(func(v int) int { return none[v] }, a),
		"let x[v] = (if plus[v] > 0 then a*x[plus[v]] else a) + r[v] for v in V":                                      loop(func(v int) int { return none[v] }, a),
		"let x[v] = r[v] for v in 1..lag\nlet x[v] = a*x[v-lag] + r[v] for v in lag+1..V":                             loop(func(v int) int { return v + 1 - 2 }, 0),
		"let y[1] = r[1]\nlet x[1] = r[1]\nlet x[v] = y[v] for v in 2..V\nlet y[v] = a*x[up[v]] + r[v] for v in 2..V": loop(first, 0),
	} {
		m := load(t, head+text+"\ndensity sum(v in V) v*x[v]\nmetric identity\n", data)
		if got := m.LogDensity([]float64{a}); !(math.Abs(got-want) <= 1e-13*math.Abs(want)) {
			t.Errorf("%s\nhas %v, want %v", text, got, want)
		}
	}
	text := head + "let x[1] = r[1]\nlet x[v] = a*x[up[v]] + r[v] for v in 2..V\ndensity sum(x)\nmetric identity\n"
	if _, err := interpret.New(derivation(t, text), strings.NewReader(strings.Replace(data, "1, 2, 2, 4]", "1, 5, 2, 4]", 1)), "data"); err == nil || !strings.Contains(err.Error(), "the position up[v], 0 where it does not lie before the one that reads it, element 4, is 0") {
		t.Errorf("parents behind their children: %v", err)
	}
}

// TestFewSeeds: data are refused where there are fewer seeds than positions that are read before the others, or fewer weights than distances.
func TestFewSeeds(t *testing.T) {
	for text, want := range map[string]string{
		"let x[t] = a + t for t in 1..m\nlet x[t] = r[t]*(x[t-2] + x[t-1]) for t in m+1..T":       "m is 1, but must be at least 2",
		"let x[t] = a + t for t in 1..m\nlet x[t] = r[t]*sum(k in G) w[k]*x[t-k] for t in m+1..T": "the position G, the start of a range, element 2, is -1",
		"let x[1] = a\nlet x[t] = r[t]*sum(k in 1..min(T, t-1)) w[k]*x[t-k] for t in 2..T":        "the position k, element 5, 1, is 4, but there are elements 1 to 3",
	} {
		if _, err := interpret.New(derivation(t, seedsHead+text+"\ndensity sum(x)\nmetric identity\n"), strings.NewReader(seedsData(1)), "data"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v, want %q", text, err, want)
		}
	}
}
