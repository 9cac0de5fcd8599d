package transform_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime/transform"
)

// TestCoordinates: coordinates worked out by hand.
func TestCoordinates(t *testing.T) {
	r := []float64{1, 0.6, -0.3, 0.6, 1, 0.22, -0.3, 0.22, 1}
	for _, x := range []struct {
		name string
		of   func(q, x []float64) error
		x, q []float64
	}{
		{"UnitVector", transform.UnitVectorCoordinates, []float64{0.6, -0.8, 0}, []float64{0.6, -0.8, 0}},
		{"SumToZero", transform.SumToZeroCoordinates, []float64{1, -3, 2}, []float64{4 / math.Sqrt2, -6 / math.Sqrt(6)}},
		// The partial correlations given the first: (0.22 + 0.18)/√(0.64·0.91).
		{"Corr", transform.CorrCoordinates, r, []float64{math.Atanh(0.6), math.Atanh(-0.3), math.Atanh(0.4 / math.Sqrt(0.64*0.91))}},
		{"Cov", transform.CovCoordinates, []float64{4, 2, 2, 10}, []float64{math.Log(2), 1, math.Log(3)}},
		{"Cov of one", transform.CovCoordinates, []float64{4}, []float64{math.Log(2)}},
		{"CovCholesky", transform.CovCholeskyCoordinates, []float64{2, 0, 1, 3}, []float64{math.Log(2), 1, math.Log(3)}},
	} {
		q := make([]float64, len(x.q))
		if err := x.of(q, x.x); err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		for i := range q {
			if !(math.Abs(q[i]-x.q[i]) < 1e-14) {
				t.Errorf("%s: the coordinates %v, want %v", x.name, q, x.q)
				break
			}
		}
	}
}

// TestNoCoordinates: what is wrong with values is said of the first that is.
func TestNoCoordinates(t *testing.T) {
	for _, x := range []struct {
		of   func(q, x []float64) error
		x    []float64
		want string
	}{
		{transform.UnitVectorCoordinates, []float64{1, 0.1}, " has the length 1.004"},
		{transform.UnitVectorCoordinates, []float64{0, 2}, "[2] is 2, but the elements"},
		{transform.UnitVectorCoordinates, []float64{math.NaN(), 1}, "[1] is NaN"},
		{transform.SumToZeroCoordinates, []float64{1, 2, -2}, " has the sum 1, but"},
		{transform.SumToZeroCoordinates, []float64{math.Inf(1), 2, -2}, "[1] is +Inf, but must be finite"},
		{transform.CorrCoordinates, []float64{1, 0.5, 0.5, 2}, "[2,2] is 2, but the diagonal"},
		{transform.CorrCoordinates, []float64{1, 0.5, 0.4, 1}, "[2,1] is 0.4 and its transpose 0.5"},
		{transform.CorrCoordinates, []float64{1, 1, 1, 1}, " is not positive definite, as a correlation matrix is: its first 2 rows"},
		{transform.CovCoordinates, []float64{1, 2, 2, 1}, " is not positive definite, as a covariance matrix is: its first 2 rows"},
		{transform.CovCoordinates, []float64{1, math.NaN(), 0, 1}, "[1,2] is NaN, but must be finite"},
		{transform.CovCholeskyCoordinates, []float64{1, 0.1, 0, 1}, "[1,2] is 0.1, but the factor is lower triangular"},
		{transform.CovCholeskyCoordinates, []float64{1, 0, 0.5, 0}, "[2,2] is 0, but the diagonal of the factor is positive"},
	} {
		if err := x.of(make([]float64, 3), x.x); err == nil || !strings.HasPrefix(err.Error(), x.want) {
			t.Errorf("%v: %v, want %s", x.x, err, x.want)
		}
	}
}
