package conformance

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/generated/banana"
	"github.com/hamc-dev/hamc/generated/banana_explicit"
	"github.com/hamc-dev/hamc/generated/fitzhugh_nagumo"
	"github.com/hamc-dev/hamc/generated/funnel"
	"github.com/hamc-dev/hamc/generated/gaussian"
	"github.com/hamc-dev/hamc/generated/logistic"
	"github.com/hamc-dev/hamc/generated/logistic_indexed"
	"github.com/hamc-dev/hamc/generated/stochastic_volatility"
	"github.com/hamc-dev/hamc/internal/conformance/rats"
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

// stanSV, stanFHN and stanLotka are the models on the data that Stan had.
func stanSV(t testing.TB) *stochastic_volatility.Model {
	t.Helper()
	var d fixtures.SVData
	if err := must[*fixtures.Posterior](t)(fixtures.LoadStan("sv_centered")).DecodeData(&d); err != nil {
		t.Fatal(err)
	}
	return exactSV(t, d.Y)
}

func stanFHN(t testing.TB, tolerance float64) *fitzhugh_nagumo.Model {
	t.Helper()
	var d fixtures.FHNData
	if err := must[*fixtures.Posterior](t)(fixtures.LoadStan("fitzhugh_nagumo")).DecodeData(&d); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.State0, []float64{-1, 1}) {
		t.Fatalf("initial state %v, the model has (−1, 1)", d.State0)
	}
	return newFHN(t, fhnData(d.T, d.Y, d.Sigma), tolerance)
}

// stanRats is the model of the rats on the data that Stan had.
func stanRats(t testing.TB, post *fixtures.Posterior) *rats.Model {
	t.Helper()
	return must[*rats.Model](t)(rats.New(must[rats.Data](t)(rats.ReadData(bytes.NewReader(post.Data), "data.json"))))
}

// TestStan compares log densities, constants and all, and gradients with Stan's.
func TestStan(t *testing.T) {
	stan := func(name string) []fixtures.DensityPoint {
		return must[*fixtures.Posterior](t)(fixtures.LoadStan(name)).Density.Points
	}
	lotka := must[*fixtures.Posterior](t)(fixtures.LoadPosteriorDB("lotka_volterra")).Density.Points
	rat := must[*fixtures.Posterior](t)(fixtures.LoadPosteriorDB("rats_model"))
	for _, c := range []struct {
		points   []fixtures.DensityPoint
		atLeast  int
		m        runtime.Posterior
		constant bool // Stan's normalising constant is the model's

		density, gradient float64 // tolerances
	}{
		{stan("banana"), 6, must[*banana.Model](t)(banana.New(stanBanana(t))), true, 1e-12, 1e-12},
		{stan("banana"), 6, must[*banana_explicit.Model](t)(banana_explicit.New(banana_explicit.Data(stanBanana(t)))), false, 1e-12, 1e-12},
		{stan("funnel"), 6, must[*funnel.Model](t)(funnel.New(funnel.Data{})), true, 1e-12, 1e-12},
		{stan("gauss2"), 6, must[*gaussian.Model](t)(gaussian.New(stanGaussian)), true, 1e-12, 1e-12},
		{stan("logistic_heart"), 6, must[*logistic.Model](t)(logistic.New(stanLogistic(t))), true, 1e-12, 1e-12},
		{stan("logistic_heart"), 6, must[*logistic_indexed.Model](t)(logistic_indexed.New(logistic_indexed.Data(stanLogistic(t)))), true, 1e-12, 1e-12},
		{stan("sv_centered"), 3, stanSV(t), true, 1e-12, 1e-12},
		{rat.Density.Points, 12, stanRats(t, rat), true, 1e-12, 1e-12},
		// Stan solved these with tolerances of 1e-6 and 1e-10.
		{stan("fitzhugh_nagumo"), 6, stanFHN(t, tightODE), true, 1e-8, 1e-6},
		{lotka, 6, newLotka(t, lotkaData(t), tightODE), true, 1e-10, 1e-9},
	} {
		t.Run(c.m.Info().Name, func(t *testing.T) {
			shift := 0.0
			if !c.constant {
				shift = c.points[0].LPJacobian - c.m.LogDensity(c.points[0].Unconstrained)
			}
			for i, pt := range c.points {
				near(t, fmt.Sprintf("point %d: L", i), []float64{c.m.LogDensity(pt.Unconstrained) + shift}, []float64{pt.LPJacobian}, c.density)
				near(t, fmt.Sprintf("point %d: gradient", i), gradient(c.m, pt.Unconstrained), pt.GradJacobian, c.gradient)
				x := make([]float64, len(pt.Unconstrained))
				c.m.Constrain(x, pt.Unconstrained)
				near(t, fmt.Sprintf("point %d: parameters", i), x, pt.Constrained[:len(x)], 1e-15)
			}
			if len(c.points) < c.atLeast {
				t.Errorf("only %d points", len(c.points))
			}
		})
	}
}
