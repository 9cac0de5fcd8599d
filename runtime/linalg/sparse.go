package linalg

import (
	"container/heap"
	"math"
	"slices"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// The functions of this file are what generated code computes with sparse symmetric matrices of parameters, whose places are told by data: neighbours on a map, say. All nodes have an entry on the
// diagonal. Elimination goes by the node of the fewest neighbours that are left, the lowest of such. The plan says in which order that is, and where the entries of the factor L are, with
// P A Pᵀ = L Lᵀ for the permutation P of that order. It is made once, and is an array of numbers, as all values of generated code are:
//
//	n, m, u                  order of the matrix, entries of L below the diagonal, and products of two in a column
//	order[n]                 the nodes, from 0, as they are eliminated
//	start[n+1]               of each column of L, in that order, the first of its entries below the diagonal
//	row[m]                   of each such entry, column after column, the node of its row, in that order too
//	from[m]                  of each such entry the first of its products with those behind it in the column
//	target[u]                of each product the entry that it is taken from
//
// A factor, as the matrix of entries that it is made of, is an array of n + m numbers: that of node i on the diagonal is at i, entry p below it at n + p.

// plan is one, by its parts.
type plan struct {
	n, m                             int
	order, start, row, from, targets []float64
}

// SparseShape is how large a factor is: its order, its entries below the diagonal, and products of two in a column.
type SparseShape struct{ Order, Entries, Products int }

// Plan is the length of a plan.
func (s SparseShape) Plan() int { return 3 + 2*s.Order + 1 + 2*s.Entries + s.Products }

// Factor is the length of a factor, and of a matrix.
func (s SparseShape) Factor() int { return s.Order + s.Entries }

func planOf(p []float64) plan {
	n, m, u := int(p[0]), int(p[1]), int(p[2])
	p = p[3:]
	take := func(k int) []float64 {
		part := p[:k:k]
		p = p[k:]
		return part
	}
	return plan{n, m, take(n), take(n + 1), take(m), take(m), take(u)}
}

// SparseShapeOf is the shape of the factor of a matrix of order n, with entries at the places (rows[k][l], columns[k][l]), counted from 1. It is false where there are more products than most.
func SparseShapeOf(n, most int, rows, columns [][]float64) (SparseShape, bool) {
	below, _ := sparseOrder(n, most, rows, columns)
	s := shapeOf(below)
	s.Order = n
	return s, s.Products <= most
}

// shapeOf is that of columns.
func shapeOf(below [][]int) SparseShape {
	s := SparseShape{Order: len(below)}
	for _, column := range below {
		s.Entries += len(column)
		s.Products += len(column) * (len(column) - 1) / 2
	}
	return s
}

// elimination is that of nodes of a graph: which neighbours each has when it is eliminated.
type elimination struct {
	beside []map[int]struct{} // of the nodes that are left
	heap   []degree           // some of them out of date
	order  []int
}

// degree is how many neighbours a node had.
type degree struct{ node, neighbours int }

func (e *elimination) Len() int { return len(e.heap) }
func (e *elimination) Less(i, j int) bool {
	a, b := e.heap[i], e.heap[j]
	return a.neighbours < b.neighbours || a.neighbours == b.neighbours && a.node < b.node
}
func (e *elimination) Swap(i, j int) { e.heap[i], e.heap[j] = e.heap[j], e.heap[i] }
func (e *elimination) Push(x any)    { e.heap = append(e.heap, x.(degree)) }
func (e *elimination) Pop() any {
	last := e.heap[len(e.heap)-1]
	e.heap = e.heap[:len(e.heap)-1]
	return last
}

// sparseOrder returns the nodes in the order of their elimination, and of each the entries of its column below the diagonal, as places in that order. It stops where there are more products of two in a column than most.
func sparseOrder(n, most int, rows, columns [][]float64) (later [][]int, order []int) {
	e := &elimination{beside: make([]map[int]struct{}, n)}
	for i := range e.beside {
		e.beside[i] = map[int]struct{}{}
	}
	for k := range rows {
		for l, r := range rows[k] {
			if i, j := int(r)-1, int(columns[k][l])-1; i != j {
				e.beside[i][j], e.beside[j][i] = struct{}{}, struct{}{}
			}
		}
	}
	for i, b := range e.beside {
		heap.Push(e, degree{i, len(b)})
	}
	place := make([]int, n)
	for u := 0; len(e.heap) > 0 && u <= most; {
		next := heap.Pop(e).(degree)
		i := next.node
		if e.beside[i] == nil || len(e.beside[i]) != next.neighbours {
			continue
		}
		var left []int
		for j := range e.beside[i] {
			left = append(left, j)
		}
		slices.Sort(left)
		for _, j := range left {
			delete(e.beside[j], i)
			for _, k := range left {
				if k != j {
					e.beside[j][k] = struct{}{}
				}
			}
			heap.Push(e, degree{j, len(e.beside[j])})
		}
		e.beside[i] = nil
		place[i] = len(e.order)
		e.order = append(e.order, i)
		later = append(later, left)
		u += len(left) * (len(left) - 1) / 2
	}
	if len(e.order) < n {
		return later, e.order
	}
	for _, column := range later {
		for k, j := range column {
			column[k] = place[j]
		}
		slices.Sort(column)
	}
	return later, e.order
}

// SparsePlan writes the plan of a matrix to dst, whose nodes are as many as nodes has elements, with entries at the places that pairs of arrays tell, rows and columns counted from 1. It is NaN where dst is not of its length.
func SparsePlan(dst, nodes []float64, places ...[]float64) {
	var rows, columns [][]float64
	for k := 0; k < len(places); k += 2 {
		rows, columns = append(rows, places[k]), append(columns, places[k+1])
	}
	n := len(nodes)
	later, order := sparseOrder(n, math.MaxInt, rows, columns)
	shape := shapeOf(later)
	if len(dst) != shape.Plan() {
		fillNaN(dst)
		return
	}
	dst[0], dst[1], dst[2] = float64(n), float64(shape.Entries), float64(shape.Products)
	p := planOf(dst)
	at := 0
	for k, column := range later {
		p.order[k], p.start[k] = float64(order[k]), float64(at)
		for _, r := range column {
			p.row[at] = float64(order[r])
			at++
		}
	}
	p.start[n] = float64(at)
	at = 0
	for k, column := range later {
		for l, c := range column {
			p.from[int(p.start[k])+l] = float64(at)
			q := 0 // of the entries of column c, in which all rows behind it are
			for _, r := range column[l+1:] {
				for later[c][q] != r {
					q++
				}
				p.targets[at] = p.start[c] + float64(n+q)
				at++
			}
		}
	}
}

// SparsePlaces writes to dst where the factor of a plan has entries in rows and columns, counted from 1.
func SparsePlaces(dst, planned, rows, columns []float64) {
	p := planOf(planned)
	place := make([]int, p.n)
	for k, v := range p.order {
		place[int(v)] = k
	}
	for l, r := range rows {
		i, j := int(r)-1, int(columns[l])-1
		if i == j {
			dst[l] = float64(i)
			continue
		}
		if place[i] < place[j] {
			i, j = j, i
		}
		for q := int(p.start[place[j]]); ; q++ {
			if int(p.row[q]) == i {
				dst[l] = float64(p.n + q)
				break
			}
		}
	}
}

// SparseMatrix writes the matrix that values are entries of, at their places. Of those beside the diagonal, which are of both triangles together, either has half.
func SparseMatrix(dst, planned, places, values []float64) {
	n := int(planned[0])
	clear(dst)
	for l, at := range places {
		if to := int(at); to < n {
			dst[to] += values[l]
		} else {
			dst[to] += float64(values[l] / 2)
		}
	}
}

// SparseCholesky writes the factor L of a matrix to dst[n+m]. All of L is NaN where that is not positive definite.
func SparseCholesky(dst, planned, matrix []float64) {
	p := planOf(planned)
	copy(dst, matrix)
	for k, node := range p.order {
		v := int(node)
		d := dst[v]
		if !positive(d) {
			fillNaN(dst)
			return
		}
		d = math.Sqrt(d)
		dst[v] = d
		first, end := int(p.start[k]), int(p.start[k+1])
		column := dst[p.n+first : p.n+end]
		for o := range column {
			column[o] /= d
		}
		rows, from := p.row[first:end], p.from[first:end]
		for o, l := range column {
			dst[int(rows[o])] -= float64(l * l)
			rest := column[o+1:]
			targets := p.targets[int(from[o]):][:len(rest)]
			for q, below := range rest {
				dst[int(targets[q])] -= float64(below * l)
			}
		}
	}
}

// SparseCholeskyAdjoint writes to dst the derivatives of a function of the factor L by the entries of the matrix, each of which stands for both of its places, for those by the entries of L: the steps of
// SparseCholesky backwards.
func SparseCholeskyAdjoint(dst, planned, l, bar []float64) {
	p := planOf(planned)
	copy(dst, bar)
	for k := p.n - 1; k >= 0; k-- {
		v := int(p.order[k])
		first, end := int(p.start[k]), int(p.start[k+1])
		column, bars := l[p.n+first:p.n+end], dst[p.n+first:p.n+end]
		rows, from := p.row[first:end], p.from[first:end]
		d := l[v]
		own := dst[v]
		for o, x := range column {
			rest := column[o+1:]
			targets, beside := p.targets[int(from[o]):][:len(rest)], bars[o+1:][:len(rest)]
			g := bars[o] - float64(2*x*dst[int(rows[o])])
			for q, y := range rest {
				t := dst[int(targets[q])]
				g -= float64(y * t)
				beside[q] -= float64(x * t)
			}
			bars[o] = g / d
			own -= float64(bars[o] * x)
		}
		dst[v] = own / (2 * d)
	}
}

// SparseEntries writes the derivatives by values that were entries of a matrix, at their places, for those that SparseCholeskyAdjoint gives.
func SparseEntries(dst, planned, places, bar []float64) {
	n := int(planned[0])
	for l, at := range places {
		v := bar[int(at)]
		if int(at) >= n {
			v = float64(v / 2)
		}
		dst[l] = v
	}
}

// SparseLogDet is Σ log L_ii, half of the logarithm of the determinant of the matrix.
func SparseLogDet(planned, l []float64) float64 {
	total := 0.0
	for _, v := range l[:int(planned[0])] {
		total += elementary.Log(v)
	}
	return total
}

// SparseLogDetAdjoint writes the derivatives of SparseLogDet by the entries of L.
func SparseLogDetAdjoint(dst, planned, l []float64) {
	clear(dst)
	for i, v := range l[:int(planned[0])] {
		dst[i] = 1 / v
	}
}

// SparseSolveLower writes L⁻¹b, of which the elements are those of the nodes.
func SparseSolveLower(dst, planned, l, b []float64) {
	p := planOf(planned)
	copy(dst, b)
	below := l[p.n:][:p.m]
	for k, node := range p.order {
		v := int(node)
		y := dst[v] / l[v]
		dst[v] = y
		from, to := int(p.start[k]), int(p.start[k+1])
		nodes := p.row[from:to]
		for o, e := range below[from:to] {
			dst[int(nodes[o])] -= float64(e * y)
		}
	}
}

// SparseSolveUpper writes L⁻ᵀb.
func SparseSolveUpper(dst, planned, l, b []float64) {
	p := planOf(planned)
	below := l[p.n:][:p.m]
	for k := p.n - 1; k >= 0; k-- {
		v := int(p.order[k])
		y := b[v]
		from, to := int(p.start[k]), int(p.start[k+1])
		nodes := p.row[from:to]
		for o, e := range below[from:to] {
			y -= float64(e * dst[int(nodes[o])])
		}
		dst[v] = y / l[v]
	}
}

// SparseMulTransposed writes Lᵀx.
func SparseMulTransposed(dst, planned, l, x []float64) {
	p := planOf(planned)
	below := l[p.n:][:p.m]
	for k, node := range p.order {
		v := int(node)
		y := float64(l[v] * x[v])
		from, to := int(p.start[k]), int(p.start[k+1])
		nodes := p.row[from:to]
		for o, e := range below[from:to] {
			y += float64(e * x[int(nodes[o])])
		}
		dst[v] = y
	}
}

// SparseOuter writes −x_i y_j at the entries (i, j) of a factor l.
func SparseOuter(dst, planned, l, x, y []float64) {
	p := planOf(planned)
	for i, v := range y[:p.n] {
		dst[i] = -float64(x[i] * v)
	}
	below := dst[p.n:][:p.m]
	for k, node := range p.order {
		v := y[int(node)]
		from, to := int(p.start[k]), int(p.start[k+1])
		nodes := p.row[from:to]
		for o := range below[from:to] {
			below[from+o] = -float64(x[int(nodes[o])] * v)
		}
	}
}
