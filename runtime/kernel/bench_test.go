package kernel

import (
	"fmt"
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
