package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// BenchmarkMatrix times the functions of a matrix with each instruction set, and plain
// loops over rows, for matrices of a few numbers and of data sets.
func BenchmarkMatrix(b *testing.B) {
	for _, size := range [][2]int{{1, 1}, {3, 2}, {7, 3}, {20, 3}, {50, 5}, {170, 14}, {270, 14}, {569, 5}, {569, 10}, {569, 20}, {569, 40}} {
		n, k := size[0], size[1]
		rng := rand.New(rand.NewPCG(1, uint64(k)))
		data, long, square := fill(rng, n*k), fill(rng, n), fill(rng, k*k)
		x, short := NewMatrix(n, k, data), fill(rng, k)
		forms, first, second := make([]float64, n), make([]float64, k), make([]float64, k*k)
		for _, c := range []struct {
			name         string
			kernel, loop func()
		}{
			{"MulVec", func() { MulVec(forms, &x, short) }, func() {
				for i := range forms {
					sum := 0.0
					for j, v := range data[i*k:][:k] {
						sum += v * short[j]
					}
					forms[i] = sum
				}
			}},
			{"MulTVec", func() { MulTVec(first, &x, long) }, func() {
				clear(first)
				for i, f := range long {
					for j, v := range data[i*k:][:k] {
						first[j] += f * v
					}
				}
			}},
			{"WeightedGram", func() { WeightedGram(second, &x, long) }, func() {
				clear(second)
				for i, f := range long {
					row := data[i*k:][:k]
					for j, v := range row {
						u := f * v
						for l, v := range row[:j+1] {
							second[j*k+l] += u * v
						}
					}
				}
			}},
			{"QuadForms", func() { QuadForms(forms, &x, square) }, func() {
				for i := range forms {
					row := data[i*k:][:k]
					sum := 0.0
					for j, v := range row {
						for l, u := range row[:j+1] {
							sum += square[j*k+l] * v * u
						}
					}
					forms[i] = sum
				}
			}},
		} {
			run := func(by string, f func()) {
				b.Run(fmt.Sprintf("of=%s/n=%d/k=%d/by=%s", c.name, n, k, by), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						f()
					}
				})
			}
			for path = best(); path >= portable; path-- {
				run(path.String(), c.kernel)
			}
			path = best()
			run("loop", c.loop)
		}
	}
}

// BenchmarkElementwise reports the time per element with each instruction set,
// and with Go's package math.
func BenchmarkElementwise(b *testing.B) {
	const n = 1000
	rng := rand.New(rand.NewPCG(1, 2))
	normal, positive, above := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		normal[i] = 3 * rng.NormFloat64()
		positive[i] = math.Exp(normal[i])
		above[i] = positive[i] - 1
	}
	loop := func(f func(float64) float64) func(dst, a []float64) {
		return func(dst, a []float64) {
			for i, v := range a {
				dst[i] = f(v)
			}
		}
	}
	for _, c := range []struct {
		name    string
		f, math func(dst, a []float64)
		a       []float64
	}{
		{"Exp", Exp, loop(math.Exp), normal},
		{"Log", Log, loop(math.Log), positive},
		{"Log1p", Log1p, loop(math.Log1p), above},
		{"InvLogit", InvLogit, loop(func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }), normal},
		{"Log1pExp", Log1pExp, loop(func(v float64) float64 { return max(v, 0) + math.Log1p(math.Exp(-math.Abs(v))) }), normal},
		{"SumLog1pExp", func(_, a []float64) { SumLog1pExp(a) }, func(_, a []float64) {
			var sum float64
			for _, v := range a {
				sum += max(v, 0) + math.Log1p(math.Exp(-math.Abs(v)))
			}
			a[0] += 0 * sum
		}, normal},
	} {
		dst := make([]float64, n)
		run := func(name string, f func(dst, a []float64)) {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					f(dst, c.a)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/element")
			})
		}
		for path = best(); path >= portable; path-- {
			run(path.String(), c.f)
		}
		path = best()
		run("math", c.math)
	}
}
