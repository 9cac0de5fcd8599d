package random

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hamc-dev/hamc/runtime/linalg"
)

var (
	mean       = []float64{1, -2, 1e3}
	covariance = []float64{
		4, 1.2, -3,
		1.2, 1, -0.5,
		-3, -0.5, 9,
	}
)

// Linear forms of the draws are normal with mean aᵀmu and variance aᵀSigma a,
// which determines the distribution (Cramér & Wold 1936). The quadratic form
// (y−mu)ᵀ Sigma⁻¹ (y−mu) is χ² with three degrees of freedom.
func TestMultiNormal(t *testing.T) {
	const n = 20000
	c := linalg.NewCholesky(3)
	if c.Factor(covariance) != linalg.Factored {
		t.Fatal("the covariance has no factor")
	}
	rng := source(1)
	draws := make([][3]float64, n)
	for i := range draws {
		var err error
		if i < n/2 {
			err = MultiNormal(rng, draws[i][:], mean, covariance)
		} else {
			err = MultiNormalCholesky(rng, draws[i][:], mean, c)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	sample := make([]float64, n)
	for _, a := range [][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, -1, 0}, {3, 1, 2}, {-1, 5, 1}} {
		m, v := 0.0, 0.0
		for i := range a {
			m += a[i] * mean[i]
			for j := range a {
				v += a[i] * covariance[3*i+j] * a[j]
			}
		}
		for i, y := range draws {
			sample[i] = a[0]*y[0] + a[1]*y[1] + a[2]*y[2]
		}
		follows(t, sample, distuv.Normal{Mu: m, Sigma: math.Sqrt(v)}.CDF)
	}
	for i, y := range draws {
		for j := range y {
			y[j] -= mean[j]
		}
		sample[i] = c.Quad(y[:])
	}
	follows(t, sample, distuv.ChiSquared{K: 3}.CDF)
}

func TestMultiNormalErrors(t *testing.T) {
	edit := func(x []float64, i int, v float64) []float64 {
		x = append([]float64{}, x...)
		x[i] = v
		return x
	}
	for _, c := range []struct {
		size      int
		mu, sigma []float64
		want      string
	}{
		{3, mean, edit(covariance, 0, 0.5), "not positive definite"},
		{3, mean, make([]float64, 9), "not positive definite"},
		{3, mean, edit(covariance, 3, math.NaN()), "not finite"},
		{3, mean, edit(covariance, 1, math.NaN()), "not symmetric"},
		{3, mean, edit(covariance, 1, 1.2001), "not symmetric: its entries [2,1] and [1,2]"},
		{3, mean, edit(covariance, 8, math.Inf(1)), "not finite"},
		{3, edit(mean, 1, math.NaN()), covariance, "entry 2 of the mean"},
		{3, edit(mean, 2, math.Inf(-1)), covariance, "entry 3 of the mean"},
		{2, mean, covariance, "2 numbers to draw"},
		{3, mean[:2], covariance, "a covariance of 9 numbers"},
		{3, mean, covariance[:8], "a covariance of 8 numbers"},
	} {
		rng, untouched := source(1), source(1)
		y := make([]float64, c.size)
		err := MultiNormal(rng, y, c.mu, c.sigma)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
		for _, v := range y {
			if !math.IsNaN(v) {
				t.Errorf("%q: the draw is %v", c.want, y)
			}
		}
		if rng.Uint64() != untouched.Uint64() {
			t.Errorf("%q: random numbers were used", c.want)
		}
	}
	// Rounding of a computed covariance is no asymmetry, and no numbers are
	// a draw in no dimensions.
	if err := MultiNormal(source(1), make([]float64, 3), mean, edit(covariance, 1, math.Nextafter(1.2, 2))); err != nil {
		t.Error(err)
	}
	if err := MultiNormal(source(1), nil, nil, nil); err != nil {
		t.Error(err)
	}
}

func TestMultiNormalAllocates(t *testing.T) {
	c := linalg.NewCholesky(3)
	c.Factor(covariance)
	rng, y := source(1), make([]float64, 3)
	if n := testing.AllocsPerRun(100, func() {
		if MultiNormalCholesky(rng, y, mean, c) != nil {
			t.Fail()
		}
	}); n != 0 {
		t.Errorf("MultiNormalCholesky allocates %v times", n)
	}
}
