package ode

import (
	"fmt"
	"math"
	"testing"
)

// method is Solver or its rival.
type method interface {
	Solve(out, y0 []float64, t0 float64, times, u []float64) Status
	Counts() Counts
}

// BenchmarkSolve compares both methods by time, steps, evaluations and correct
// digits: −log₁₀ of the largest error relative to max(1, |y_j|), against a
// solution at 1e-13. FitzHugh–Nagumo at 200 times, Lotka–Volterra at 20, without sensitivities,
// with those of first order, and with both.
func BenchmarkSolve(b *testing.B) {
	for _, c := range []struct {
		name  string
		f     RHS
		dims  []int
		y0, u []float64
		times []float64
	}{
		{"fitzhugh", fitzhugh, []int{2, 8, 20}, []float64{-1, 1}, []float64{0.2, 0.2, 3}, linspace(0, 10, 200)},
		{"lotka", lotka, []int{2, 10, 30}, []float64{30, 4}, []float64{0.55, 0.028, 0.8, 0.024}, linspace(1, 20, 20)},
	} {
		for _, dim := range c.dims {
			y0 := padded(c.y0, dim)
			want := make([]float64, dim*len(c.times))
			NewSolver(dim, c.f, tolerance(1e-13)).Solve(want, y0, 0, c.times, c.u)
			out := make([]float64, len(want))
			for _, tol := range []float64{1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10, 1e-12} {
				for _, m := range []struct {
					name string
					method
				}{{"dop853", NewSolver(dim, c.f, tolerance(tol))}, {"dopri5", newDopri5(dim, c.f, tol)}} {
					b.Run(fmt.Sprintf("%s/dim=%d/tol=%g/%s", c.name, dim, tol, m.name), func(b *testing.B) {
						for b.Loop() {
							m.Solve(out, y0, 0, c.times, c.u)
						}
						d := 0.0
						for i, w := range want {
							d = max(d, math.Abs(out[i]-w)/max(1, math.Abs(w)))
						}
						n := m.Counts()
						b.ReportMetric(float64(n.Accepted+n.Rejected), "steps")
						b.ReportMetric(float64(n.Evaluations), "evaluations")
						b.ReportMetric(-math.Log10(d), "digits")
					})
				}
			}
		}
	}
}
