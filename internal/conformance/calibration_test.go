package conformance

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hamc-dev/hamc/generated/banana"
	"github.com/hamc-dev/hamc/generated/funnel"
	"github.com/hamc-dev/hamc/generated/gaussian"
	"github.com/hamc-dev/hamc/generated/logistic"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
)

// Simulation-based calibration (Talts et al. 2018) draws parameters θ from the
// prior and data from the likelihood, so that θ is an exact draw from the
// posterior of those data, and asks where it ranks among draws of the sampler.
// Where the chain is put through θ itself the ranks are uniform exactly, with
// no warm-up and no thinning (Gandy & Scott 2020, "Unit testing for MCMC and other
// Monte Carlo methods", section 3): a chain X₀ … X_n in equilibrium has θ at an
// index drawn uniformly, the kernel is reversible, and so it is run from θ in both
// directions of time. Equal values, where moves were refused, are ranked by lot.

// A calibration draws data and parameters.
type calibration struct {
	name        string
	replicates  int
	integrators []runtime.Integrator
	eps         float64
	steps       int

	// draw returns a model and an exact draw from its posterior.
	draw func(t testing.TB, rng *rand.Rand) (runtime.System, []float64)
}

// chainLength is n + 1; ranks are 0 … n.
const chainLength = 16

// functionals are what is ranked: coordinates, the radius, the log density.
var functionals = []struct {
	name string
	of   func(m runtime.Model, q []float64) float64
}{
	{"first coordinate", func(_ runtime.Model, q []float64) float64 { return q[0] }},
	{"last coordinate", func(_ runtime.Model, q []float64) float64 { return q[len(q)-1] }},
	{"radius", func(_ runtime.Model, q []float64) float64 {
		sum := 0.0
		for _, x := range q {
			sum += x * x
		}
		return sum
	}},
	{"log density", func(m runtime.Model, q []float64) float64 { return m.LogDensity(q) }},
}

// ranks returns the histogram of ranks of each functional for a kernel that runs
// on twist of the model.
func (c *calibration) ranks(t testing.TB, k runtime.Integrator, twist func(runtime.System) runtime.System) [][chainLength]int {
	t.Helper()
	rng := rand.New(rand.NewPCG(21, uint64(k)))
	counts := make([][chainLength]int, len(functionals))
	for range c.replicates {
		m, theta := c.draw(t, rng)
		kernel := must[*runtime.HMC](t)(runtime.NewHMC(twist(m), k, runtime.DefaultOptions().Solver))
		kernel.StepSize = c.eps
		kernel.Steps, kernel.RandomSteps = c.steps, true
		kernel.Reverse = runtime.ReverseSuspect

		var own [8]float64
		var below, equal [8]int
		for f := range functionals {
			own[f] = functionals[f].of(m, theta)
		}
		before := rng.IntN(chainLength)
		q := make([]float64, len(theta))
		for _, length := range [2]int{before, chainLength - 1 - before} {
			copy(q, theta)
			for range length {
				kernel.Transition(q, rng)
				for f := range functionals {
					switch v := functionals[f].of(m, q); {
					case v < own[f]:
						below[f]++
					case v == own[f]:
						equal[f]++
					}
				}
			}
		}
		for f := range functionals {
			counts[f][below[f]+rng.IntN(equal[f]+1)]++
		}
	}
	return counts
}

// uniformity returns the probability that a χ² statistic of uniform ranks
// exceeds that of a histogram.
func uniformity(counts [chainLength]int) float64 {
	n := 0
	for _, k := range counts {
		n += k
	}
	expected := float64(n) / chainLength
	chi2 := 0.0
	for _, k := range counts {
		d := float64(k) - expected
		chi2 += d * d / expected
	}
	return distuv.ChiSquared{K: chainLength - 1}.Survival(chi2)
}

// design is a fixed design matrix, 12 × 2, with large enough entries for the
// metric to vary over the prior.
func design() []float64 {
	rng := rand.New(rand.NewPCG(22, 0))
	x := make([]float64, 24)
	for i := range x {
		x[i] = 2 * rng.NormFloat64()
	}
	return x
}

func calibrations() []calibration {
	all := []runtime.Integrator{runtime.GLFa, runtime.GLFb, runtime.IMa, runtime.IMb}
	x := design()
	return []calibration{
		{"logistic", 1200, all, 0.6, 4, func(t testing.TB, rng *rand.Rand) (runtime.System, []float64) {
			beta := []float64{rng.NormFloat64(), rng.NormFloat64()}
			y := make([]int, 12)
			for i := range y {
				if rng.Float64() < 1/(1+math.Exp(-x[2*i]*beta[0]-x[2*i+1]*beta[1])) {
					y[i] = 1
				}
			}
			return must[*logistic.Model](t)(logistic.New(logistic.Data{N: 12, K: 2, X: x, Y: y})), beta
		}},
		{"banana", 2000, all, 0.2, 4, func(t testing.TB, rng *rand.Rand) (runtime.System, []float64) {
			const sigmaY, sigmaT = 0.8, 1
			theta := []float64{sigmaT * rng.NormFloat64(), sigmaT * rng.NormFloat64()}
			y := make([]float64, 5)
			for i := range y {
				y[i] = theta[0] + theta[1]*theta[1] + sigmaY*rng.NormFloat64()
			}
			return must[*banana.Model](t)(banana.New(banana.Data{N: 5, Y: y, SigmaY: sigmaY, SigmaT: sigmaT})), theta
		}},
		{"gaussian", 2000, append(all, runtime.Leapfrog), 0.9, 3, func(t testing.TB, rng *rand.Rand) (runtime.System, []float64) {
			// The Cholesky factor of Σ is [[1, 0], [½, √(7/4)]].
			mu, a, b := stanGaussian.Mu, rng.NormFloat64(), rng.NormFloat64()
			return must[*gaussian.Model](t)(gaussian.New(stanGaussian)),
				[]float64{mu[0] + a, mu[1] + 0.5*a + math.Sqrt(1.75)*b}
		}},
		{"funnel", 250, []runtime.Integrator{runtime.GLFb, runtime.IMb}, 0.3, 5, func(t testing.TB, rng *rand.Rand) (runtime.System, []float64) {
			q := make([]float64, 11)
			q[10] = 3 * rng.NormFloat64()
			for i := range 10 {
				q[i] = math.Exp(-q[10]/2) * rng.NormFloat64()
			}
			return must[*funnel.Model](t)(funnel.New(funnel.Data{})), q
		}},
	}
}

func unchanged(s runtime.System) runtime.System { return s }

// alarm is the p-value below which ranks count as not uniform.
func alarm() float64 {
	tests := 0
	for _, c := range calibrations() {
		tests += len(c.integrators) * len(functionals)
	}
	return familyAlarm / float64(tests)
}

// TestCalibration: the ranks are uniform.
func TestCalibration(t *testing.T) {
	for _, c := range campaign.Sample(t, calibrations(), 2) { // the joint distribution is tested of more models, in TestKernels
		t.Run(c.name, func(t *testing.T) {
			for _, k := range campaign.Sample(t, c.integrators, 2) {
				for f, counts := range c.ranks(t, k, unchanged) {
					p := uniformity(counts)
					if p < alarm() {
						t.Errorf("%v: ranks of the %s are not uniform, p = %.1e: %v", k, functionals[f].name, p, counts)
					}
				}
			}
		})
	}
}

// TestCalibrationBetraysMistakes: the same statistic sounds the alarm for
// kernels with a mistake.
func TestCalibrationBetraysMistakes(t *testing.T) {
	for _, c := range calibrations()[:campaign.Cases(t, 1, 2)] {
		c.replicates = campaign.Cases(t, c.replicates/2, c.replicates) // which are plenty
		for _, mistake := range mistakes {
			least := 1.0
			for _, counts := range c.ranks(t, runtime.IMb, mistake.in) {
				least = min(least, uniformity(counts))
			}
			t.Logf("%s, %s: p = %.1e", c.name, mistake.name, least)
			if least > alarm() {
				t.Errorf("%s, %s: not noticed, p = %.1e", c.name, mistake.name, least)
			}
		}
	}
}
