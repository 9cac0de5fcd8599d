package conformance

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hamc-dev/hamc/generated/banana"
	"github.com/hamc-dev/hamc/generated/funnel"
	"github.com/hamc-dev/hamc/generated/gaussian"
	"github.com/hamc-dev/hamc/generated/logistic"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

// familyAlarm is the probability that a family of tests on a correct sampler
// sounds a false alarm, by Bonferroni: each of n tests has a share of 1/n. The
// seeds are fixed, so an alarm can go off only after something has changed the draws.
const familyAlarm = 1e-3

// bound is the |z| that one of n scores may reach.
func bound(n int) float64 {
	return distuv.UnitNormal.Quantile(1 - familyAlarm/float64(2*n))
}

// A score compares an estimate with the exact value: z is their difference in
// Monte Carlo standard errors.
type score struct {
	what string
	z    float64
}

// A study collects the scores of one run.
type study struct {
	result *runtime.Result
	scores []score
}

// values returns f of the draws, by chain.
func (s *study) values(f func(x []float64) float64) [][]float64 {
	out := make([][]float64, len(s.result.Chains))
	x := make([]float64, len(s.result.Names))
	for c := range out {
		draws := s.result.Chains[c].Draws
		out[c] = make([]float64, len(draws[0]))
		for i := range out[c] {
			for j := range x {
				x[j] = draws[j][i]
			}
			out[c][i] = f(x)
		}
	}
	return out
}

// mean scores the expectation of f; se is the error of the exact value.
func (s *study) mean(what string, exact, se float64, f func(x []float64) float64) {
	v := s.values(f)
	s.add(what, diagnostics.Mean(v)-exact, diagnostics.MCSEMean(v), se)
}

// sd scores the standard deviation of coordinate j.
func (s *study) sd(j int, exact, se float64) {
	v := s.values(func(x []float64) float64 { return x[j] })
	s.add("sd of "+s.result.Names[j], diagnostics.SD(v)-exact, diagnostics.MCSESD(v), se)
}

// quantile scores the exact quantile at probability p of coordinate j on the
// scale of probabilities, where the error is normal however long the tail: the
// expectation of the indicator of x ≤ quantile is p. se is the error of the exact
// quantile, which the density there, taken to be that of a normal of the given
// standard deviation, turns into one of p.
func (s *study) quantile(j int, p, exact, se, sd float64) {
	density := 0.0
	if se > 0 {
		density = distuv.UnitNormal.Prob(distuv.UnitNormal.Quantile(p)) / sd
	}
	s.mean(fmt.Sprintf("%v%% quantile of %s", 100*p, s.result.Names[j]), p, se*density, func(x []float64) float64 {
		if x[j] <= exact {
			return 1
		}
		return 0
	})
}

func (s *study) add(what string, difference, mcse, se float64) {
	s.scores = append(s.scores, score{what, difference / math.Hypot(mcse, se)})
}

func coordinate(j int) func(x []float64) float64 {
	return func(x []float64) float64 { return x[j] }
}

// A posterior is a generated model whose posterior is known exactly.
type posterior struct {
	name  string
	m     runtime.Model
	score func(s *study)
}

func posteriors(t testing.TB) []posterior {
	b := must[*fixtures.BananaExact](t)(fixtures.LoadBananaExact())
	f := must[*fixtures.FunnelExact](t)(fixtures.LoadFunnelExact())
	l := must[*fixtures.LogisticExact](t)(fixtures.LoadLogisticExact())
	return []posterior{
		{"banana", must[*banana.Model](t)(banana.New(stanBanana(t))), func(s *study) {
			for j := range 2 {
				s.mean("mean of "+s.result.Names[j], b.Mean[j], 0, coordinate(j))
				s.sd(j, b.SD[j], 0)
				s.quantile(j, 0.05, b.Q05[j], 0, 0)
				s.quantile(j, 0.5, b.Q50[j], 0, 0)
				s.quantile(j, 0.95, b.Q95[j], 0, 0)
			}
			s.mean("E t2²", b.ETheta22, 0, func(x []float64) float64 { return x[1] * x[1] })
			s.mean("E t2⁴", b.ETheta24, 0, func(x []float64) float64 { return math.Pow(x[1], 4) })
			s.mean("E t1 t2", b.Cov12+b.Mean[0]*b.Mean[1], 0, func(x []float64) float64 { return x[0] * x[1] })
		}},
		{"gaussian", must[*gaussian.Model](t)(gaussian.New(stanGaussian)), func(s *study) {
			mu, sigma := stanGaussian.Mu, stanGaussian.Sigma
			for j := range 2 {
				sd := math.Sqrt(sigma[j*2+j])
				s.mean("mean of "+s.result.Names[j], mu[j], 0, coordinate(j))
				s.sd(j, sd, 0)
				for _, p := range []float64{0.05, 0.5, 0.95} {
					s.quantile(j, p, mu[j]+sd*distuv.UnitNormal.Quantile(p), 0, 0)
				}
			}
			s.mean("covariance", sigma[1], 0, func(x []float64) float64 { return (x[0] - mu[0]) * (x[1] - mu[1]) })
		}},
		{"funnel", must[*funnel.Model](t)(funnel.New(funnel.Data{})), func(s *study) {
			s.mean("mean of v", f.V.Mean, 0, coordinate(10))
			s.sd(10, f.V.SD, 0)
			s.quantile(10, 0.05, f.V.Q05, 0, 0)
			s.quantile(10, 0.5, f.V.Q50, 0, 0)
			s.quantile(10, 0.95, f.V.Q95, 0, 0)
			s.quantile(10, f.PVLtNeg, -6, 0, 0)
			s.quantile(10, 1-f.PVGtPos, 6, 0, 0)
			for j := range 10 {
				s.quantile(j, 0.05, f.X.Q05, 0, 0)
				s.quantile(j, 0.25, f.X.Q25, 0, 0)
				s.quantile(j, 0.5, 0, 0, 0)
				s.quantile(j, 0.95, f.X.Q95, 0, 0)
			}
		}},
		{"logistic_heart", must[*logistic.Model](t)(logistic.New(stanLogistic(t))), func(s *study) {
			for j := range l.K {
				s.mean("mean of "+s.result.Names[j], l.Mean[j], l.MeanSE[j], coordinate(j))
				s.sd(j, l.SD[j], l.SDSE[j])
				for i, p := range []float64{0.05, 0.5, 0.95} {
					s.quantile(j, p, l.Quantiles[j][i], l.QuantilesSE[j][i], l.SD[j])
				}
			}
		}},
	}
}

// examine samples m and scores the draws.
func examine(t testing.TB, m runtime.Model, opt runtime.Options, score func(s *study)) *study {
	t.Helper()
	s := &study{result: must[*runtime.Result](t)(runtime.Sample(t.Context(), m, opt, nil))}
	score(s)
	return s
}

// alarms returns what is wrong with the draws, where the study is one of
// several: scores beyond the bound, and chains that do not agree, for standard
// errors mean something only where they do.
func (s *study) alarms(studies int) []string {
	var out []string
	limit := bound(studies * len(s.scores))
	for _, x := range s.scores {
		if !(math.Abs(x.z) <= limit) {
			out = append(out, fmt.Sprintf("%s: off by %.1f standard errors, more than %.1f", x.what, x.z, limit))
		}
	}
	for j, name := range s.result.Names {
		v := s.values(coordinate(j))
		if rhat, ess := diagnostics.RHat(v), diagnostics.ESSBulk(v); !(rhat < 1.01 && ess > 400) {
			out = append(out, fmt.Sprintf("%s: R-hat %.3f, bulk ESS %.0f", name, rhat, ess))
		}
	}
	return out
}

// TestPosteriors samples with the default options and compares means, standard
// deviations and quantiles with the exact ones. The regression, whose trajectories
// cost a hundred times those of the banana, makes half the transitions. The funnel makes
// twice as many draws: of 1000 a chain, worth some 700 independent ones in all, one seed in four has a parameter
// with an R-hat of 1.01. A short campaign has every second of them.
func TestPosteriors(t *testing.T) {
	all := posteriors(t)
	for _, p := range campaign.Sample(t, all, 2) {
		t.Run(p.name, func(t *testing.T) {
			opt := runtime.DefaultOptions()
			switch p.name {
			case "logistic_heart":
				opt.Warmup, opt.Draws = 400, 600
			case "funnel":
				opt.Draws = 2000
			}
			s := examine(t, p.m, opt, p.score)
			for _, alarm := range s.alarms(len(all)) {
				t.Error(alarm)
			}
		})
	}
}

// TestPosteriorsByOtherIntegrators does the same on the banana for the
// integrators that are not the default, in a long campaign: TestKernels has them too.
func TestPosteriorsByOtherIntegrators(t *testing.T) {
	others := []runtime.Integrator{runtime.GLFa, runtime.GLFb, runtime.IMa}
	p := posteriors(t)[0]
	for _, k := range others[:campaign.Cases(t, 0, len(others))] {
		opt := runtime.DefaultOptions()
		opt.Integrator = k
		s := examine(t, p.m, opt, p.score)
		for _, alarm := range s.alarms(len(others)) {
			t.Errorf("%s by %v: %s", p.name, k, alarm)
		}
	}
}

// TestPosteriorsBetrayMistakes: the same alarms go off for kernels with a
// mistake, so that their silence elsewhere means something. (Where the
// contraction has the wrong sign no energy is conserved, adaptation shrinks the
// step to nothing, and it is the chains that disagree.)
func TestPosteriorsBetrayMistakes(t *testing.T) {
	p := posteriors(t)[0]
	for _, mistake := range campaign.Sample(t, mistakes, 2) {
		s := examine(t, mistake.in(p.m.(runtime.System)), runtime.DefaultOptions(), p.score)
		if alarms := s.alarms(1); len(alarms) == 0 {
			t.Errorf("%s: not noticed", mistake.name)
		} else {
			t.Logf("%s: %d alarms, the first: %s", mistake.name, len(alarms), alarms[0])
		}
	}
}
