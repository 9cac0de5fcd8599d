package conformance

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/generated/blood_groups"
	"github.com/hamc-dev/hamc/generated/gaussian_process"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

// columns is an observer that keeps the draws of some components.
type columns struct {
	names []string
	at    []int
	skip  int // statistics before the components of a row
	draws [][][]float64
}

func (c *columns) Start(names []string, _ *runtime.Progress) error {
	for _, name := range c.names {
		i := slices.Index(names, name)
		if i < 0 {
			return fmt.Errorf("no component %s", name)
		}
		c.at = append(c.at, c.skip+i)
	}
	return nil
}

func (c *columns) Draw(chain int, row []float64, _ func() *runtime.State) error {
	for j, i := range c.at {
		c.draws[chain][j] = append(c.draws[chain][j], row[i])
	}
	return nil
}

func (c *columns) Adapted(int, []runtime.BlockRun) error   { return nil }
func (c *columns) Warmup(int, func() *runtime.State) error { return nil }
func (c *columns) Finish(int, *runtime.Chain) error        { return nil }

// sampleColumns samples, keeps the named components only, and logs how the blocks
// fared.
func sampleColumns(t *testing.T, p runtime.Posterior, opt runtime.Options, names []string) *study {
	t.Helper()
	opt.Discard = true
	c := &columns{names: names, skip: len(runtime.StatNamesOf(p)), draws: make([][][]float64, opt.Chains)}
	for i := range c.draws {
		c.draws[i] = make([][]float64, len(names))
	}
	r := must[*runtime.Result](t)(runtime.Sample(t.Context(), p, opt, c))
	r.Names = names
	var all runtime.Totals
	for i := range r.Chains {
		r.Chains[i].Draws = c.draws[i]
		n := r.Chains[i].Sampling()
		all.Join(&n)
	}
	t.Logf("%s: mean acceptance %.3f, %d failures in %d transitions", p.Info().Name, all.SumAccept/float64(all.Transitions), all.Failures(), all.Transitions)
	return &study{result: r}
}

// moment scores mean and standard deviation of component j. What a reference does
// not say the error of has none.
func (s *study) moment(j int, m fixtures.Moments) {
	s.mean("mean of "+s.result.Names[j], m.Mean, m.MCSEMean, coordinate(j))
	s.sd(j, m.SD, m.MCSESD)
}

// within4 demands chains that agree, and scores of no more than 4 standard errors
// of estimate and reference together. Draws in a short campaign are fewer, and their
// effective number less than ess.
func (s *study) within4(t *testing.T, ess float64) {
	t.Helper()
	most := 1.02 // of R-hat
	if !campaign.Long(t) {
		ess, most = 30, 1.08
	}
	for j, name := range s.result.Names {
		v := s.values(coordinate(j))
		rhat, n := diagnostics.RHat(v), diagnostics.ESSMean(v)
		t.Logf("%s: effective draws %.0f, R-hat %.3f", name, n, rhat)
		if !(n > ess) || !(rhat < most) {
			t.Errorf("%s: effective draws %.0f, R-hat %.3f", name, n, rhat)
		}
	}
	for _, x := range s.scores {
		t.Logf("%s: %+.1f standard errors", x.what, x.z)
		if !(math.Abs(x.z) <= 4) {
			t.Errorf("%s: off by %.1f standard errors", x.what, x.z)
		}
	}
}

// draws returns n, or less in a short campaign.
func draws(t testing.TB, n int) int {
	return campaign.Cases(t, max(n/4, min(n, 100)), n)
}

// TestMomentsOfVolatility samples the exact posterior of stochastic volatility on
// a series of 1000 by its blocks and compares with 40,000 draws by Stan, which
// sampled another form of it.
func TestMomentsOfVolatility(t *testing.T) {
	exact := must[*fixtures.SVMoments](t)(fixtures.LoadSVMoments())
	names := []string{"beta", "sigma2", "phi"}
	for name := range exact.Parameters {
		if strings.HasPrefix(name, "x.") {
			names = append(names, name)
		}
	}
	slices.Sort(names[3:])
	m := stanSV(t)
	start := make([]float64, m.Info().Dim())
	copy(start[len(start)-3:], []float64{0.6, 0.04, 0.97})

	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws = 4, 500, campaign.Cases(t, 2500, 16_000)
	opt.Init = append(opt.Init, start)
	opt.RandomSteps = false
	latent, volatility := opt.Tuning, opt.Tuning
	latent.StepSize, latent.Steps = 0.5, 6
	volatility.StepSize, volatility.Steps = 0.2, 10
	opt.Blocks = []runtime.BlockTuning{{Name: "latent", Tuning: latent}, {Name: "volatility", Tuning: volatility}}
	s := sampleColumns(t, m, opt, names)
	for j, name := range names {
		s.moment(j, exact.Parameters[name])
	}
	s.within4(t, 200)
}

// TestMomentsOfFHN compares with quadrature on a grid.
func TestMomentsOfFHN(t *testing.T) {
	exact := must[*fixtures.FHNExact](t)(fixtures.LoadFHNExact())
	for _, c := range campaign.Sample(t, []struct {
		k            runtime.Integrator
		steps, draws int
	}{{runtime.IMb, 2, 50}, {runtime.GLFb, 2, 700}}, 2) {
		t.Run(c.k.String(), func(t *testing.T) {
			opt := runtime.DefaultOptions()
			opt.Integrator, opt.StepSize, opt.Steps, opt.RandomSteps = c.k, 1, c.steps, false
			opt.Chains, opt.Warmup, opt.Draws = 4, 10, draws(t, c.draws)
			opt.Init = append(opt.Init, exact.MAP)
			s := sampleColumns(t, stanFHN(t, 0), opt, []string{"a", "b", "c"})
			for j := range 3 {
				s.moment(j, fixtures.Moments{Mean: exact.Mean[j], SD: exact.SD[j]})
			}
			s.mean("E ab", exact.Cov[0][1]+exact.Mean[0]*exact.Mean[1], 0, func(x []float64) float64 { return x[0] * x[1] })
			s.within4(t, 150)
		})
	}
}

// TestMomentsOfBloodGroups compares with sums over a grid of the triangle of frequencies, where the prior is flat and
// the density is that of the counts.
func TestMomentsOfBloodGroups(t *testing.T) {
	n := []int{214, 53, 29, 204}
	m := must[*blood_groups.Model](t)(blood_groups.New(blood_groups.Data{N: n, Alpha: []float64{1, 1, 1}}))
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws = 4, 200, draws(t, 2000)
	names := runtime.ComponentNames(m.Info())
	s := sampleColumns(t, m, opt, names)
	const cells = 1200
	var total float64
	var first, second [3]float64
	for i := range cells {
		for j := range cells - i - 1 {
			a, b := (float64(i)+0.5)/cells, (float64(j)+0.5)/cells
			f := [3]float64{a, b, 1 - a - b}
			o := f[2]
			l := 0.0
			for g, p := range []float64{a*a + 2*a*o, b*b + 2*b*o, 2 * a * b, o * o} {
				l += float64(n[g]) * math.Log(p/[]float64{0.43, 0.11, 0.05, 0.41}[g])
			}
			w := math.Exp(l)
			total += w
			for k, x := range f {
				first[k] += w * x
				second[k] += w * x * x
			}
		}
	}
	for k := range names {
		mean := first[k] / total
		s.moment(k, fixtures.Moments{Mean: mean, SD: math.Sqrt(second[k]/total - mean*mean)})
	}
	s.within4(t, 500)
}

// TestMomentsOfGaussianProcess compares with the reference draws of posteriordb.
func TestMomentsOfGaussianProcess(t *testing.T) {
	exact := must[*fixtures.ReferenceSummary](t)(fixtures.LoadReferenceSummary("gp_regr"))
	p := must[*fixtures.Posterior](t)(fixtures.LoadPosteriorDB("gp_regr"))
	m := must[*gaussian_process.Model](t)(gaussian_process.New(must[gaussian_process.Data](t)(gaussian_process.ReadData(bytes.NewReader(p.Data), "gp_regr"))))
	opt := runtime.DefaultOptions()
	opt.Integrator, opt.StepSize, opt.Steps, opt.RandomSteps = runtime.GLFb, 0.15, 12, true
	opt.Chains, opt.Warmup, opt.Draws = 4, 20, draws(t, 2000)
	opt.Init = append(opt.Init, []float64{6, 2.5, 2})
	names := runtime.ComponentNames(m.Info())
	s := sampleColumns(t, m, opt, names)
	for j, name := range names {
		reference, ok := exact.Parameters[name]
		if !ok {
			t.Fatalf("no reference for %s", name)
		}
		s.moment(j, reference)
	}
	s.within4(t, 500)
}

// TestMomentsOfLotka compares with the reference draws of posteriordb.
func TestMomentsOfLotka(t *testing.T) {
	exact := must[*fixtures.ReferenceSummary](t)(fixtures.LoadReferenceSummary("lotka_volterra"))
	m := newLotka(t, lotkaData(t), 0)
	start := make([]float64, 8)
	m.Constrain(start, lotkaCentre)
	opt := runtime.DefaultOptions()
	opt.Integrator, opt.StepSize, opt.Steps, opt.RandomSteps = runtime.GLFb, 0.6, 5, true
	opt.Chains, opt.Warmup, opt.Draws = 4, 20, campaign.Cases(t, 80, 500)
	opt.Init = append(opt.Init, start)
	names := runtime.ComponentNames(m.Info())
	s := sampleColumns(t, m, opt, names)
	for j, name := range names {
		// theta.1 is theta[1] there.
		p, i, _ := strings.Cut(name, ".")
		reference, ok := exact.Parameters[p+"["+i+"]"]
		if !ok {
			t.Fatalf("no reference for %s", name)
		}
		s.moment(j, reference)
	}
	s.within4(t, 200)
}
