package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func BenchmarkCholesky(b *testing.B) {
	for _, n := range []int{2, 4, 6, 8, 10, 12, 20, 40} {
		rng := rand.New(rand.NewPCG(1, 1))
		g := make([]float64, n*n)
		for i := range n {
			for j := range i {
				g[i*n+j] = rng.Float64() - 0.5
				g[j*n+i] = g[i*n+j]
			}
			g[i*n+i] = float64(n)
		}
		c, v, w := NewCholesky(n), make([]float64, n), make([]float64, n*n)
		for i := range v {
			v[i] = rng.Float64()
		}
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
			})
		}
		run("Factor", func() { c.Factor(g) })
		run("FactorSolve", func() { c.Factor(g); c.Solve(v, v) })
		run("Solve", func() { c.Solve(v, v) })
		run("LogDet", func() { c.LogDet() })
		run("Inverse", func() { c.Inverse(w) })
	}
}

// jacobi is the cyclic Jacobi method, the rival of SymEigen. It overwrites a
// and returns the number of sweeps; row i of q becomes the eigenvector of
// a[i*n+i].
func jacobi(a, q []float64, n int) int {
	clear(q)
	for i := range n {
		q[i*n+i] = 1
	}
	for sweep := 1; ; sweep++ {
		rotated := false
		for i := 1; i < n; i++ {
			for j := range i {
				h := a[i*n+j]
				if math.Abs(h) <= 1e-17*(math.Abs(a[i*n+i])+math.Abs(a[j*n+j])) {
					continue
				}
				rotated = true
				theta := (a[i*n+i] - a[j*n+j]) / (2 * h)
				t := math.Copysign(1, theta) / (math.Abs(theta) + math.Sqrt(theta*theta+1))
				c := 1 / math.Sqrt(t*t+1)
				s := t * c
				for k := range n {
					u, v := a[k*n+j], a[k*n+i]
					a[k*n+j], a[k*n+i] = c*u-s*v, s*u+c*v
				}
				rotate(a[j*n:(j+1)*n], a[i*n:(i+1)*n], c, s)
				rotate(q[j*n:(j+1)*n], q[i*n:(i+1)*n], c, s)
			}
		}
		if !rotated || sweep == 30 {
			return sweep
		}
	}
}

// arrow returns the Hessian of Neal's funnel with n − 1 coordinates x: one
// eigenvalue n − 2 times, and two others.
func arrow(n int, rng *rand.Rand) []float64 {
	h := make([]float64, n*n)
	e, sum := math.Exp(rng.NormFloat64()), 0.0
	for i := range n - 1 {
		x := rng.NormFloat64() / math.Sqrt(e)
		sum += x * x
		h[i*n+i] = -e
		h[i*n+n-1], h[(n-1)*n+i] = -x*e, -x*e
	}
	h[n*n-1] = -1./9 - sum*e/2
	return h
}

func BenchmarkEigen(b *testing.B) {
	for _, n := range []int{3, 6, 11, 20} {
		rng := rand.New(rand.NewPCG(1, 1))
		random := make([]float64, n*n)
		for i := range n {
			for j := range i + 1 {
				random[i*n+j] = rng.NormFloat64()
				random[j*n+i] = random[i*n+j]
			}
		}
		for _, c := range []struct {
			name string
			h    []float64
		}{{"random", random}, {"funnel", arrow(n, rng)}} {
			e, a, q := NewSymEigen(n), make([]float64, n*n), make([]float64, n*n)
			b.Run(fmt.Sprintf("%s/QL/n=%d", c.name, n), func(b *testing.B) {
				for b.Loop() {
					e.Factor(c.h)
				}
			})
			b.Run(fmt.Sprintf("%s/Jacobi/n=%d", c.name, n), func(b *testing.B) {
				sweeps := 0
				for b.Loop() {
					copy(a, c.h)
					sweeps = jacobi(a, q, n)
				}
				b.ReportMetric(float64(sweeps), "sweeps")
			})
		}
	}
}
