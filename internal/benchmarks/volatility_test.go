package benchmarks

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkSweep times one Gibbs sweep of stochastic volatility with the
// settings of the paper, for growing T: the time grows linearly. For T = 1000
// authors/sweep is how many times faster it is than the authors' code.
func BenchmarkSweep(b *testing.B) {
	for _, T := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("T=%d", T), func(b *testing.B) {
			sweep, q, err := Volatility(T, 1)
			if err != nil {
				b.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(2, 0))
			accepted := 0
			b.ReportAllocs()
			for b.Loop() {
				for _, t := range sweep.Transition(q, rng) {
					if t.Accepted {
						accepted++
					}
				}
			}
			seconds := b.Elapsed().Seconds() / float64(b.N)
			b.ReportMetric(1e9*seconds/float64(T), "ns/sweep/T")
			b.ReportMetric(float64(accepted)/float64(2*b.N), "accepted")
			if T == 1000 {
				b.ReportMetric(AuthorsSweep/seconds, "authors/sweep")
			}
		})
	}
}
