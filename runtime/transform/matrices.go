package transform

import (
	"fmt"
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// sideOf is the number of rows of a square matrix.
func sideOf(x []float64) int {
	n := 1
	for n*n < len(x) {
		n++
	}
	return n
}

// factorOf returns the lower triangular factor of the symmetric positive definite matrix x, row by row, or what is wrong with x.
func factorOf(x []float64, what string) ([]float64, error) {
	n := sideOf(x)
	for i := range n {
		for j := range n {
			if v := x[i*n+j]; math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("[%d,%d] is %v, but must be finite", i+1, j+1, v)
			}
		}
	}
	l := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			v, w := x[i*n+j], x[j*n+i]
			if !(math.Abs(v-w) <= Tolerance*max(1, math.Abs(v))) {
				return nil, fmt.Errorf("[%d,%d] is %v and its transpose %v, but %s is symmetric", i+1, j+1, v, w, what)
			}
			for k := range j {
				v -= float64(l[i*n+k] * l[j*n+k])
			}
			switch {
			case j < i:
				l[i*n+j] = v / l[j*n+j]
			case !(v > 0):
				return nil, fmt.Errorf(" is not positive definite, as %s is: its first %d rows and columns are not", what, i+1)
			default:
				l[i*n+i] = math.Sqrt(v)
			}
		}
	}
	return l, nil
}

// CorrCoordinates writes the coordinates of a correlation matrix, x row by row, to q: those of its factor, see CorrCholeskyCoordinates, column by column. The
// error says behind the name of x what is wrong with it.
func CorrCoordinates(q, x []float64) error {
	n := sideOf(x)
	for i := range n {
		if v := x[i*n+i]; !(math.Abs(v-1) <= Tolerance) {
			return fmt.Errorf("[%d,%d] is %v, but the diagonal of a correlation matrix is 1", i+1, i+1, v)
		}
	}
	l, err := factorOf(x, "a correlation matrix")
	if err != nil {
		return err
	}
	rows := make([]float64, len(q))
	for i := range n { // the rows have length 1 but for rounding, which is not to grow in the coordinates
		left := 1.0
		for j := range i {
			left -= float64(l[i*n+j] * l[i*n+j])
		}
		l[i*n+i] = math.Sqrt(left)
	}
	if err := CorrCholeskyCoordinates(rows, l); err != nil {
		return err
	}
	at := 0
	for j := range n {
		for i := j + 1; i < n; i++ {
			q[at] = rows[i*(i-1)/2+j]
			at++
		}
	}
	return nil
}

// CovCoordinates writes the coordinates of a covariance matrix, x row by row, to q: those of its factor, see CovCholeskyCoordinates. The error says behind
// the name of x what is wrong with it.
func CovCoordinates(q, x []float64) error {
	l, err := factorOf(x, "a covariance matrix")
	if err != nil {
		return err
	}
	return CovCholeskyCoordinates(q, l)
}

// CovCholeskyCoordinates writes the coordinates of the lower triangular factor of a covariance matrix, x row by row, to q: the elements below the diagonal
// and the logarithms of those on it, row by row. The error says behind the name of x what is wrong with it.
func CovCholeskyCoordinates(q, x []float64) error {
	n := sideOf(x)
	at := 0
	for i := range n {
		for j, v := range x[i*n : (i+1)*n] {
			switch {
			case math.IsNaN(v) || math.IsInf(v, 0):
				return fmt.Errorf("[%d,%d] is %v, but must be finite", i+1, j+1, v)
			case j > i && v != 0:
				return fmt.Errorf("[%d,%d] is %v, but the factor is lower triangular", i+1, j+1, v)
			case j == i && !(v > 0):
				return fmt.Errorf("[%d,%d] is %v, but the diagonal of the factor is positive", i+1, j+1, v)
			case j < i:
				q[at] = v
				at++
			case j == i:
				q[at] = elementary.Log(v)
				at++
			}
		}
	}
	return nil
}
