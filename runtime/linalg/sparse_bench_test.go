package linalg

import (
	"fmt"
	"testing"
)

// gridPlaces are the neighbours on a square map of side nodes.
func gridPlaces(side int) (nodes, rows, columns []float64) {
	for i := range side * side {
		nodes = append(nodes, float64(i+1))
		if i%side > 0 {
			rows, columns = append(rows, float64(i+1)), append(columns, float64(i))
		}
		if i >= side {
			rows, columns = append(rows, float64(i+1)), append(columns, float64(i+1-side))
		}
	}
	return nodes, rows, columns
}

// BenchmarkSparse times the kernels on a square map, as the precision of its fields has it.
func BenchmarkSparse(b *testing.B) {
	for _, side := range []int{8, 20, 44} {
		n := side * side
		nodes, rows, columns := gridPlaces(side)
		shape, _ := SparseShapeOf(n, 1<<30, [][]float64{rows}, [][]float64{columns})
		plan := make([]float64, shape.Plan())
		SparsePlan(plan, nodes, rows, columns)
		at, values := make([]float64, len(rows)), make([]float64, len(rows))
		SparsePlaces(at, plan, rows, columns)
		for l := range values {
			values[l] = -2
		}
		a, l, bar := make([]float64, shape.Factor()), make([]float64, shape.Factor()), make([]float64, shape.Factor())
		SparseMatrix(a, plan, at, values)
		for i := range n {
			a[i] = 4.5
		}
		SparseCholesky(l, plan, a)
		x := make([]float64, n)
		for _, k := range []struct {
			name string
			call func()
		}{
			{"Cholesky", func() { SparseCholesky(l, plan, a) }},
			{"CholeskyAdjoint", func() { SparseCholeskyAdjoint(bar, plan, l, l) }},
			{"SolveLower", func() { SparseSolveLower(x, plan, l, nodes) }},
			{"Outer", func() { SparseOuter(bar, plan, l, nodes, nodes) }},
		} {
			b.Run(fmt.Sprintf("%s/n=%d,m=%d", k.name, n, shape.Entries), func(b *testing.B) {
				for range b.N {
					k.call()
				}
			})
		}
	}
}
