package random

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// Dirichlet draws from the Dirichlet distribution of concentrations alpha to y, of density
// proportional to Π y_k^(alpha_k − 1) on the simplex: positive numbers of sum 1, up to rounding. They are gamma
// variates of these shapes over their sum, which the logarithms of the variates give where the
// shapes are small; an element that underflows is the smallest positive number. It returns an error, and fills y with NaN,
// if the lengths of y and alpha differ, there is none, or one of alpha is not positive and finite, and
// allocates nothing otherwise.
func Dirichlet(rng *rand.Rand, y, alpha []float64) error {
	if err := checkConcentrations(y, alpha); err != nil {
		fillNaN(y)
		return err
	}
	top := math.Inf(-1)
	for k, a := range alpha {
		y[k] = LogOfGamma(rng, a, 1)
		top = max(top, y[k])
	}
	sum := 0.0
	for k, v := range y {
		y[k] = elementary.Exp(v - top)
		sum += y[k]
	}
	for k := range y {
		y[k] = inside(y[k]/sum, smallest, largest)
	}
	return nil
}

func checkConcentrations(y, alpha []float64) error {
	if len(y) != len(alpha) || len(y) == 0 {
		return fmt.Errorf("dirichlet: %d concentrations for a draw of %d numbers", len(alpha), len(y))
	}
	for k, a := range alpha {
		if !positive(a) {
			return fmt.Errorf("dirichlet: the concentration [%d] is %v", k+1, a)
		}
	}
	return nil
}
