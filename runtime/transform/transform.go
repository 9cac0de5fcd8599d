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
	if !(math.Abs(sum-1) <= Tolerance) {
		return fmt.Errorf(" has the sum %v, but the elements of a simplex sum to 1", sum)
	}
	return nil
}
