package random

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hamc-dev/hamc/runtime/linalg"
)

// MultiNormal writes to y[n] a draw from the multivariate normal distribution
// of mean mu[n] and covariance sigma[n·n], row-major; y and mu must not overlap.
// It returns an error, with y all NaN and no random number used, if the lengths
// do not agree, if mu or sigma is not finite, or if sigma is not symmetric, to
// 10⁻⁸ √(sigma_ii sigma_jj), and positive definite.
//
// It allocates work space. To draw repeatedly from one distribution, factor
// sigma once and call MultiNormalCholesky.
func MultiNormal(rng *rand.Rand, y, mu, sigma []float64) error {
	c, err := factor(sigma, len(mu))
	if err == nil {
		return MultiNormalCholesky(rng, y, mu, c)
	}
	fillNaN(y)
	return err
}

// MultiNormalCholesky is MultiNormal for a covariance L Lᵀ that has been
// factored, with the factor L in c: y = mu + L z for a standard normal z. It
// returns an error if the lengths of y and mu are not c.N or mu is not finite,
// and else allocates nothing.
func MultiNormalCholesky(rng *rand.Rand, y, mu []float64, c *linalg.Cholesky) error {
	if err := checkMean(y, mu, c.N); err != nil {
		fillNaN(y)
		return err
	}
	for i := range y {
		y[i] = StandardNormal(rng)
	}
	c.MulL(y, y)
	for i, m := range mu {
		y[i] = inside(m+y[i], -largest, largest)
	}
	return nil
}

// factor returns the Cholesky factor of the covariance sigma of order n.
func factor(sigma []float64, n int) (*linalg.Cholesky, error) {
	if len(sigma) != n*n {
		return nil, fmt.Errorf("multi_normal: a covariance of %d numbers and a mean of %d", len(sigma), n)
	}
	c := linalg.NewCholesky(n)
	switch c.Factor(sigma) {
	case linalg.Factored:
	case linalg.NotPositiveDefinite:
		return nil, fmt.Errorf("multi_normal: the covariance is not positive definite")
	default:
		return nil, fmt.Errorf("multi_normal: the covariance is not finite")
	}
	for i := range n {
		for j := range i {
			scale := float64(math.Sqrt(sigma[i*n+i]) * math.Sqrt(sigma[j*n+j]))
			if a, b := sigma[i*n+j], sigma[j*n+i]; !(math.Abs(a-b) <= 1e-8*scale) {
				return nil, fmt.Errorf("multi_normal: the covariance is not symmetric: its entries [%d,%d] and [%d,%d] are %v and %v",
					i+1, j+1, j+1, i+1, a, b)
			}
		}
	}
	return c, nil
}

// checkMean checks the lengths of a draw and its mean, and that the mean is
// finite.
func checkMean(y, mu []float64, n int) error {
	if len(y) != n || len(mu) != n {
		return fmt.Errorf("multi_normal: %d numbers to draw, a mean of %d and a covariance of order %d", len(y), len(mu), n)
	}
	for i, m := range mu {
		if !finite(m) {
			return fmt.Errorf("multi_normal: entry %d of the mean is %v", i+1, m)
		}
	}
	return nil
}

func fillNaN(y []float64) {
	for i := range y {
		y[i] = math.NaN()
	}
}
