// Package transform has the inverses of those transforms of parameters that take all values of a
// parameter at once: what generated code calls to find the coordinates of starting values.
package transform

import (
	"fmt"
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// Tolerance is how far from 1 the sum of a simplex may be, as in Stan.
const Tolerance = 1e-8

// roundedOff is how far from 1 the sum of a simplex is where its elements look as if they had been rounded.
const roundedOff = 1e-2

// SimplexCoordinates writes the stick-breaking coordinates of the simplex x to q, which has one element less:
//
//	q_k = logit(z_k) + log(K − k),   z_k = x_k / Σ_{j≥k} x_j.
//
// The odds of z_k are those of x_k against what comes after it, which is summed without a
// difference. The error says behind the name of x what is wrong with it.
func SimplexCoordinates(q, x []float64) error {
	if err := CheckSimplex(x); err != nil {
		return err
	}
	after := 0.0
	for k := len(x) - 2; k >= 0; k-- {
		after += x[k+1]
		q[k] = elementary.Log(x[k]) - elementary.Log(after) + elementary.Log(float64(len(x)-1-k))
	}
	return nil
}

// CheckSimplex returns what is wrong with x as a simplex, to stand behind its name, or nil: all elements are
// positive, and their sum is 1 within Tolerance.
func CheckSimplex(x []float64) error {
	sum := 0.0
	for i, v := range x {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("[%d] is %v, but the elements of a simplex are positive", i+1, v)
		}
		sum += v
	}
	switch off := math.Abs(sum - 1); {
	case off <= Tolerance:
		return nil
	case off <= roundedOff:
		return fmt.Errorf(" has the sum %v, but the elements of a simplex sum to 1; if they were rounded, divide each by the sum", sum)
	}
	return fmt.Errorf(" has the sum %v, but the elements of a simplex sum to 1", sum)
}

// Rows applies one of the functions of this package to each of a number of rows of x and q. What is wrong names the row, if there
// are several.
func Rows(of func(q, x []float64) error, rows int, q, x []float64) error {
	n, m := len(q)/max(rows, 1), len(x)/max(rows, 1)
	for r := range rows {
		if err := of(q[r*n:(r+1)*n], x[r*m:(r+1)*m]); err != nil {
			return fmt.Errorf("[%d]%w", r+1, err)
		}
	}
	return nil
}

// OrderedCoordinates writes the coordinates of numbers x in ascending order to q: q_1 = x_1, q_k = log(x_k − x_{k−1}). The error says behind
// the name of x what is wrong with it.
func OrderedCoordinates(q, x []float64) error {
	if len(x) == 0 {
		return nil
	}
	if math.IsNaN(x[0]) || math.IsInf(x[0], 0) {
		return fmt.Errorf("[1] is %v, but must be finite", x[0])
	}
	q[0] = x[0]
	return steps(q, x)
}

// PositiveOrderedCoordinates is OrderedCoordinates of positive numbers, with q_1 = log x_1.
func PositiveOrderedCoordinates(q, x []float64) error {
	if len(x) == 0 {
		return nil
	}
	if !(x[0] > 0) || math.IsInf(x[0], 0) {
		return fmt.Errorf("[1] is %v, but must be positive and finite", x[0])
	}
	q[0] = elementary.Log(x[0])
	return steps(q, x)
}

// steps writes the logarithms of the differences of neighbours.
func steps(q, x []float64) error {
	for k := 1; k < len(x); k++ {
		if d := x[k] - x[k-1]; !(d > 0) || math.IsInf(d, 0) {
			return fmt.Errorf("[%d] is %v, and the one before it %v: they must ascend", k+1, x[k], x[k-1])
		}
		q[k] = elementary.Log(x[k] - x[k-1])
	}
	return nil
}

// CorrCholeskyCoordinates writes the coordinates of the lower triangular factor of a correlation matrix, x row by row, to q: of each row the part
// z that an element takes of what those before it leave of the length 1, q = atanh(z). The error says behind the name of x what is wrong with it.
func CorrCholeskyCoordinates(q, x []float64) error {
	n := sideOf(x)
	at := 0
	for i := range n {
		left := 1.0
		for j, v := range x[i*n : (i+1)*n] {
			switch {
			case j > i && v != 0:
				return fmt.Errorf("[%d,%d] is %v, but the factor is lower triangular", i+1, j+1, v)
			case j < i:
				z := v / math.Sqrt(left)
				if !(math.Abs(z) < 1) {
					return fmt.Errorf("[%d,%d] is %v, but the rows of the factor of a correlation matrix have the length 1, and a positive last element", i+1, j+1, v)
				}
				q[at] = float64(0.5 * (elementary.Log1p(z) - elementary.Log1p(-z)))
				left = float64(left * float64((1-z)*(1+z)))
				at++
			case j == i && !(v > 0 && math.Abs(v-math.Sqrt(left)) <= Tolerance):
				return fmt.Errorf("[%d,%d] is %v, but the rows of the factor of a correlation matrix have the length 1, which leaves %v", i+1, j+1, v, math.Sqrt(left))
			}
		}
	}
	return nil
}

// UnitVectorCoordinates writes a vector x of length 1 to q: of all coordinates of its direction those of length 1. The error says behind the name of x what
// is wrong with it.
func UnitVectorCoordinates(q, x []float64) error {
	sum := 0.0
	for i, v := range x {
		if !(math.Abs(v) <= 1+Tolerance) {
			return fmt.Errorf("[%d] is %v, but the elements of a vector of length 1 are from -1 to 1", i+1, v)
		}
		sum += float64(v * v)
	}
	if !(math.Abs(sum-1) <= Tolerance) {
		return fmt.Errorf(" has the length %v, but must have the length 1", math.Sqrt(sum))
	}
	copy(q, x)
	return nil
}

// SumToZeroCoordinates writes the coordinates of numbers x of sum 0 to q, which has one element less:
//
//	q_n = (Σ_{k≤n} x_k − n x_{n+1})/√(n(n + 1)),
//
// the products with the orthonormal basis of the transform. The error says behind the name of x what is wrong with it.
func SumToZeroCoordinates(q, x []float64) error {
	sum, most := 0.0, 1.0
	for k, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("[%d] is %v, but must be finite", k+1, v)
		}
		if k > 0 {
			n := float64(k)
			q[k-1] = (sum - float64(n*v)) / math.Sqrt(float64(n*(n+1)))
		}
		sum += v
		most = max(most, math.Abs(v))
	}
	if !(math.Abs(sum) <= Tolerance*most) {
		return fmt.Errorf(" has the sum %v, but its elements sum to 0", sum)
	}
	return nil
}
