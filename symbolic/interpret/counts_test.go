package interpret_test

import (
	"math"
	"testing"
)

// TestCounts: sums over counts from 0 on, which select nothing, have the values of loops.
func TestCounts(t *testing.T) {
	const head = "model m\ndata n, K int\ndata y int[n] >= 0\ndata w real[K]\nparam a real\nlet most[i in n] = min(y[i], 4)\nfunc tail(m real, top int) = sum(k in 0..top) exp(-k*m)\n"
	const data = `{"n": 4, "K": 6, "y": [0, 3, 1, 6], "w": [1, 2, 0.5, 3, 1, 4]}`
	y, w := []int{0, 3, 1, 6}, []float64{1, 2, 0.5, 3, 1, 4}
	const a = 0.7
	loop := func(from, to int, term func(k float64) float64) (sum float64) {
		for k := from; k <= to; k++ {
			sum += term(float64(k))
		}
		return sum
	}
	each := func(f func(y int) float64) (sum float64) {
		for _, v := range y {
			sum += f(v)
		}
		return sum
	}
	plain := func(k float64) float64 { return k*k + a*k }
	for text, want := range map[string]float64{
		"sum(k in 0..K) (k^2 + a*k)":              loop(0, 6, plain),
		"tail(a, K)":                              loop(0, 6, func(k float64) float64 { return math.Exp(-a * k) }),
		"sum(k in -2..3) (k^2 + a*k)":             loop(-2, 3, plain),
		"log_sum_exp(k in 0..K-1) (a*k)":          math.Log(loop(0, 5, func(k float64) float64 { return math.Exp(a * k) })),
		"sum(i in n, k in y[i]..K) (k^2 + a*k)":   each(func(y int) float64 { return loop(y, 6, plain) }),
		"sum(i in n) sum(k in most[i]..K) (a*k)":  each(func(y int) float64 { return loop(min(y, 4), 6, func(k float64) float64 { return a * k }) }),
		"sum(i in n, k in y[i]+1..K) a*w[k]":      each(func(y int) float64 { return loop(y+1, 6, func(k float64) float64 { return a * w[int(k)-1] }) }),
		"sum(k in 0..2) (a*sum(l in 0..3) (l+k))": a * loop(0, 2, func(k float64) float64 { return loop(0, 3, func(l float64) float64 { return l + k }) }),
		"sum(k in 0..3, j in k..3) (j + a*k)":     loop(0, 3, func(k float64) float64 { return loop(int(k), 3, func(j float64) float64 { return j + a*k }) }),
		"sum(k in 0..3, j in 0..k) (j + a*k)":     loop(0, 3, func(k float64) float64 { return loop(0, int(k), func(j float64) float64 { return j + a*k }) }),
		"sum(k in 1..3, j in 1..k) (j + a*k)":     loop(1, 3, func(k float64) float64 { return loop(1, int(k), func(j float64) float64 { return j + a*k }) }),
		"sum(k in -1..3, j in k..K) (j + a*k)":    loop(-1, 3, func(k float64) float64 { return loop(int(k), 6, func(j float64) float64 { return j + a*k }) }),
		"sum(k in 0..3) a*sum(j in k+1..K) j*w[j]": loop(0, 3, func(k float64) float64 {
			return a * loop(int(k)+1, 6, func(j float64) float64 { return j * w[int(j)-1] })
		}),
		"sum(i in n, k in y[i]..K, j in k..K) (j + a*k)": each(func(y int) float64 {
			return loop(y, 6, func(k float64) float64 { return loop(int(k), 6, func(j float64) float64 { return j + a*k }) })
		}),
	} {
		m := load(t, head+"density "+text+"\nmetric identity\n", data)
		if got := m.LogDensity([]float64{a}); !(math.Abs(got-want) <= 1e-13*math.Abs(want)) {
			t.Errorf("%s\nhas %v, want %v", text, got, want)
		}
	}
}
