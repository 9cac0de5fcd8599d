package conformance

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/hamc-dev/hamc/generated/banana"
	"github.com/hamc-dev/hamc/generated/banana_explicit"
	"github.com/hamc-dev/hamc/generated/funnel"
	"github.com/hamc-dev/hamc/generated/gaussian"
	"github.com/hamc-dev/hamc/generated/logistic"
	"github.com/hamc-dev/hamc/generated/logistic_indexed"
	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/runtime"
)

// stanBanana returns the data of Stan's banana.
func stanBanana(t testing.TB) banana.Data {
	t.Helper()
	var b fixtures.BananaData
	if err := must[*fixtures.Posterior](t)(fixtures.LoadStan("banana")).DecodeData(&b); err != nil {
		t.Fatal(err)
	}
	return banana.Data{N: b.N, Y: b.Y, SigmaY: b.SigmaY, SigmaT: b.SigmaTheta}
}

// stanLogistic returns the regression on the paper's heart data, read as a user
// would read it.
func stanLogistic(t testing.TB) logistic.Data {
	t.Helper()
	post := must[*fixtures.Posterior](t)(fixtures.LoadStan("logistic_heart"))
	return must[logistic.Data](t)(logistic.ReadData(bytes.NewReader(post.Data), "data.json"))
}

// stanGaussian is Stan's gauss2, whose data are in the statement.
var stanGaussian = gaussian.Data{Mu: []float64{0.5, -1}, Sigma: []float64{1, 0.5, 0.5, 2}}

// TestStan compares log densities, constants and all, and gradients with Stan's.
func TestStan(t *testing.T) {
	for _, c := range []struct {
		name     string
		m        runtime.Model
		constant bool // Stan's normalising constant is the model's
	}{
		{"banana", must[*banana.Model](t)(banana.New(stanBanana(t))), true},
		{"banana", must[*banana_explicit.Model](t)(banana_explicit.New(banana_explicit.Data(stanBanana(t)))), false},
		{"funnel", must[*funnel.Model](t)(funnel.New(funnel.Data{})), true},
		{"gauss2", must[*gaussian.Model](t)(gaussian.New(stanGaussian)), true},
		{"logistic_heart", must[*logistic.Model](t)(logistic.New(stanLogistic(t))), true},
		{"logistic_heart", must[*logistic_indexed.Model](t)(logistic_indexed.New(logistic_indexed.Data(stanLogistic(t)))), true},
	} {
		t.Run(c.m.Info().Name, func(t *testing.T) {
			points := must[*fixtures.Posterior](t)(fixtures.LoadStan(c.name)).Density.Points
			shift := 0.0
			if !c.constant {
				shift = points[0].LPJacobian - c.m.LogDensity(points[0].Unconstrained)
			}
			for i, pt := range points {
				near(t, fmt.Sprintf("point %d: L", i), []float64{c.m.LogDensity(pt.Unconstrained) + shift}, []float64{pt.LPJacobian}, 1e-12)
				near(t, fmt.Sprintf("point %d: gradient", i), gradient(c.m, pt.Unconstrained), pt.GradJacobian, 1e-12)
				x := make([]float64, len(pt.Unconstrained))
				c.m.Constrain(x, pt.Unconstrained)
				near(t, fmt.Sprintf("point %d: parameters", i), x, pt.Constrained[:len(x)], 0)
			}
			if len(points) < 6 {
				t.Errorf("only %d points", len(points))
			}
		})
	}
}
