package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func BenchmarkLogistic(b *testing.B) {
	for _, k := range []int{5, 10, 20, 40} {
		const n = 569
		rng := rand.New(rand.NewPCG(1, uint64(k)))
		data := make([]float64, n*k)
		for i := range data {
			data[i] = rng.NormFloat64()
		}
		x := NewMatrix(n, k, data)
		beta, grad, gram := make([]float64, k), make([]float64, k), make([]float64, k*k)
		for j := range beta {
			beta[j] = rng.NormFloat64()
		}
		eta, s, q := make([]float64, n), make([]float64, n), make([]float64, n)
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/k=%d", name, k), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
			})
		}
		run("MulVec", func() { MulVec(eta, &x, beta) })
		run("InvLogit", func() { InvLogit(s, eta) })
		run("Log1pExp", func() { Log1pExp(q, eta) })
		run("Exp", func() { Exp(q, eta) })
		run("Log", func() { Log(q, s) })
		run("SumLog1pExp", func() { SumLog1pExp(eta) })
		run("WeightedGram", func() { WeightedGram(gram, &x, s) })
		run("QuadForms", func() { QuadForms(q, &x, gram) })
		run("MulTVec", func() { MulTVec(grad, &x, s) })
		run("Evaluation", func() {
			MulVec(eta, &x, beta)
			InvLogit(s, eta)
			WeightedGram(gram, &x, s)
			QuadForms(q, &x, gram)
			MulTVec(grad, &x, q)
		})
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
