package transform_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime/transform"
)

func TestCorrCholesky(t *testing.T) {
	l := []float64{1, 0, 0, 0.6, 0.8, 0, -0.3, 0.5, math.Sqrt(1 - 0.09 - 0.25)}
	q := make([]float64, 3)
	if err := transform.CorrCholeskyCoordinates(q, l); err != nil {
		t.Fatal(err)
	}
	want := []float64{math.Atanh(0.6), math.Atanh(-0.3), math.Atanh(0.5 / math.Sqrt(0.91))}
	for i := range want {
		if !(math.Abs(q[i]-want[i]) < 1e-14) {
			t.Errorf("coordinate %d is %v, want %v", i+1, q[i], want[i])
		}
	}
	for _, x := range []struct {
		l    []float64
		want string
	}{
		{[]float64{1, 0.1, 0.6, 0.8}, "[1,2] is 0.1, but the factor is lower triangular"},
		{[]float64{1, 0, 1, 0}, "[2,1] is 1, but the rows"},
		{[]float64{1, 0, 0.6, 0.7}, "[2,2] is 0.7, but the rows"},
		{[]float64{2, 0, 0.6, 0.8}, "[1,1] is 2, but the rows"},
		{[]float64{1, 0, math.NaN(), 0.8}, "[2,1] is NaN, but the rows"},
	} {
		if err := transform.CorrCholeskyCoordinates(make([]float64, 1), x.l); err == nil || !strings.HasPrefix(err.Error(), x.want) {
			t.Errorf("%v: %v, want %s", x.l, err, x.want)
		}
	}
}
