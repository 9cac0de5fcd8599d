package benchmarks

import (
	"fmt"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
)

// BenchmarkODEStep times one step of the implicit midpoint on FitzHugh–Nagumo by
// the tolerance of its differential equations. error/authors are the errors of
// gradient, metric and its derivatives as multiples of those of the authors'
// solver: where all are below 1, authors/step says how many times faster than
// theirs a step of equal accuracy is.
func BenchmarkODEStep(b *testing.B) {
	for _, tolerance := range []float64{1e-8, 1e-9, 1e-10, 1e-11} {
		b.Run(fmt.Sprintf("tolerance=%g", tolerance), func(b *testing.B) {
			x, err := NewFitzHughNagumo(tolerance)
			if err != nil {
				b.Fatal(err)
			}
			grad, metric, jacobian := x.Errors()
			iterations, failed, n := 0, 0, 0
			b.ReportAllocs()
			for b.Loop() {
				r, err := x.Step(runtime.IMb, n)
				if err != nil {
					b.Fatal(err)
				}
				if r.Status != runtime.OK {
					failed++
				}
				iterations += r.Iterations
				n++
			}
			seconds := b.Elapsed().Seconds() / float64(b.N)
			b.ReportMetric(max(grad, metric, jacobian), "error/authors")
			b.ReportMetric(float64(iterations)/float64(n), "iterations/step")
			b.ReportMetric(float64(failed)/float64(n), "failed/step")
			b.ReportMetric(1e6*b.Elapsed().Seconds()/float64(iterations), "µs/iteration")
			b.ReportMetric(AuthorsODEStep/seconds, "authors/step")
		})
	}
}
