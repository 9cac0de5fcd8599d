package conformance

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/generated/stochastic_volatility"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// Simulation-based calibration of a sampler in blocks: stochastic volatility of
// a short series, by the generated model of examples/stochastic_volatility.ham.
//
// A sweep through the blocks in one order is not reversible, though each update
// is: its reverse is the sweep in the other order. So the chain through the true
// parameters runs forwards in one order, and backwards in the other.
//
// The example has the improper prior 1/β, which nothing can be drawn from. Here
// β is lognormal, and the block that moves β has the difference for its
// Correction: the dynamics are those of the example, and the accept step makes
// them draw from the posterior with the proper prior.

const (
	svLength   = 8    // number of observations
	svBetaMean = -0.5 // of log β
	svBetaSD   = 0.3
)

// svDraw draws parameters of a series of n from the prior, in the order of their
// declarations, and observations given them.
func svDraw(rng *rand.Rand, n int) (parameters, y []float64) {
	gamma := func(n int) float64 { // of shape n, a whole number
		sum := 0.0
		for range n {
			sum -= math.Log(1 - rng.Float64())
		}
		return sum
	}
	z := rng.NormFloat64()
	sigma2 := 10 * 0.05 / (2 * gamma(5)) // scaled inverse χ² of 10 degrees of freedom
	a, b := gamma(20), gamma(1)+z*z/2    // of shapes 20 and 1.5
	phi := 2*a/(a+b) - 1
	beta := math.Exp(svBetaMean + svBetaSD*rng.NormFloat64())

	x := make([]float64, n)
	sigma := math.Sqrt(sigma2)
	x[0] = sigma / math.Sqrt(1-phi*phi) * rng.NormFloat64()
	for t := 1; t < n; t++ {
		x[t] = phi*x[t-1] + sigma*rng.NormFloat64()
	}
	parameters = append(x, beta, sigma2, phi)
	return parameters, svObserve(rng, parameters)
}

// svObserve draws the observations given the parameters.
func svObserve(rng *rand.Rand, parameters []float64) []float64 {
	y := make([]float64, len(parameters)-3)
	beta := parameters[len(y)]
	for t := range y {
		y[t] = beta * math.Exp(parameters[t]/2) * rng.NormFloat64()
	}
	return y
}

// svPrior returns the log density of the prior of β less that of the example, up
// to a constant, at log β.
func svPrior(logBeta float64) float64 {
	d := (logBeta - svBetaMean) / svBetaSD
	return -0.5 * d * d
}

func newSV(t testing.TB, y []float64) *stochastic_volatility.Model {
	t.Helper()
	return must[*stochastic_volatility.Model](t)(stochastic_volatility.New(stochastic_volatility.Data{T: len(y), Y: y}))
}

// backwards is a Gibbs whose sweep takes its blocks in the other order.
type backwards struct{ runtime.Gibbs }

func (b backwards) Clone() runtime.Gibbs { return backwards{b.Gibbs.Clone()} }

func (b backwards) Blocks() []runtime.Conditional {
	blocks := slices.Clone(b.Gibbs.Blocks())
	slices.Reverse(blocks)
	return blocks
}

// svMixes are integrators of the blocks volatility, whose metric is constant, and
// latent.
var svMixes = [][2]runtime.Integrator{
	{runtime.Leapfrog, runtime.IMb}, {runtime.IMb, runtime.GLFb}, {runtime.IMa, runtime.GLFa}, {runtime.GLFa, runtime.IMa},
}

// svFunctionals are what is ranked: coordinates, and the log density, which sees
// the blocks together.
var svFunctionals = []struct {
	name string
	of   func(p runtime.Posterior, q []float64) float64
}{
	{"sigma2", func(_ runtime.Posterior, q []float64) float64 { return q[svLength+1] }},
	{"phi", func(_ runtime.Posterior, q []float64) float64 { return q[svLength+2] }},
	{"beta", func(_ runtime.Posterior, q []float64) float64 { return q[svLength] }},
	{"x[1]", func(_ runtime.Posterior, q []float64) float64 { return q[0] }},
	{"x[T]", func(_ runtime.Posterior, q []float64) float64 { return q[svLength-1] }},
	{"the log density", func(p runtime.Posterior, q []float64) float64 { return p.LogDensity(q) + svPrior(q[svLength]) }},
}

// svSweep returns the sweep of a posterior, with a prior for β.
func svSweep(t testing.TB, p runtime.Gibbs, mix [2]runtime.Integrator) *runtime.Sweep {
	t.Helper()
	opt := runtime.DefaultOptions()
	for i, name := range []string{"volatility", "latent"} {
		b := opt.Tuning
		b.Integrator, b.StepSize, b.Steps = mix[i], []float64{0.9, 0.6}[i], 4
		opt.Blocks = append(opt.Blocks, runtime.BlockTuning{Name: name, Tuning: b})
	}
	s := must[*runtime.Sweep](t)(runtime.NewSweep(p, &opt))
	svCorrect(s)
	return s
}

// svCorrect gives the sampler of the example the prior of β.
func svCorrect(s *runtime.Sweep) {
	for i, k := range s.Kernels {
		if s.Names[i] != "latent" {
			continue
		}
		at := 0 // of beta
		for _, param := range k.System.Info().Params {
			if param.Name == "beta" {
				break
			}
			at += param.Size()
		}
		k.Correction = func(q []float64) float64 { return svPrior(q[at]) }
	}
}

// svRanks returns the histogram of ranks of each functional for a sampler of a
// twist of the model, and how many of the updates of each block were accepted.
func svRanks(t testing.TB, replicates int, mix [2]runtime.Integrator, twist func(runtime.Gibbs) runtime.Gibbs) (counts [][chainLength]int, accepted map[string]float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(23, uint64(mix[0])<<8|uint64(mix[1])))
	counts = make([][chainLength]int, len(svFunctionals))
	accepted = map[string]float64{}
	for range replicates {
		truth, y := svDraw(rng, svLength)
		m := twist(newSV(t, y))
		theta := make([]float64, len(truth))
		if err := m.Unconstrain(theta, truth); err != nil {
			t.Fatal(err)
		}
		var own [8]float64
		var below, equal [8]int
		for f := range svFunctionals {
			own[f] = svFunctionals[f].of(m, theta)
		}
		before := rng.IntN(chainLength)
		q := make([]float64, len(theta))
		for direction, length := range [2]int{chainLength - 1 - before, before} {
			p := m
			if direction == 1 {
				p = backwards{m}
			}
			s := svSweep(t, p, mix)
			copy(q, theta)
			for range length {
				for i, tr := range s.Transition(q, rng) {
					if tr.Accepted {
						accepted[s.Names[i]] += 1 / float64(replicates*(chainLength-1))
					}
				}
				for f := range svFunctionals {
					switch v := svFunctionals[f].of(m, q); {
					case v < own[f]:
						below[f]++
					case v == own[f]:
						equal[f]++
					}
				}
			}
		}
		for f := range svFunctionals {
			counts[f][below[f]+rng.IntN(equal[f]+1)]++
		}
	}
	return counts, accepted
}

// svReplicates is the number of data sets of each calibration, and of those of mixes in a short
// campaign, which see large mistakes only.
const svReplicates, svFew = 4000, 1000

// svAlarm is the p-value below which ranks count as not uniform.
func svAlarm() float64 { return familyAlarm / float64(len(svMixes)*len(svFunctionals)) }

// TestGibbsCalibration: the ranks are uniform.
func TestGibbsCalibration(t *testing.T) {
	for _, mix := range campaign.Sample(t, svMixes, 2) {
		counts, accepted := svRanks(t, campaign.Cases(t, svFew, svReplicates), mix, func(g runtime.Gibbs) runtime.Gibbs { return g })
		t.Logf("%v: accepted %.2f of the updates of volatility, %.2f of those of latent", mix, accepted["volatility"], accepted["latent"])
		for f, c := range counts {
			p := uniformity(c)
			t.Logf("%v: %s, p = %.2g", mix, svFunctionals[f].name, p)
			if p < svAlarm() {
				t.Errorf("%v: ranks of %s are not uniform, p = %.1e: %v", mix, svFunctionals[f].name, p, c)
			}
		}
		for name, share := range accepted {
			if share < 0.5 || share > 0.999 {
				t.Errorf("%v: %.3f of the updates of %s are accepted, so that this test shows little", mix, share, name)
			}
		}
	}
}

// A twisted Gibbs has one block replaced.
type twisted struct {
	runtime.Gibbs
	name string
	twin func(runtime.Conditional) runtime.Conditional
	made *runtime.Conditional
}

func twist(name string, twin func(runtime.Conditional) runtime.Conditional) func(runtime.Gibbs) runtime.Gibbs {
	return func(g runtime.Gibbs) runtime.Gibbs { return twisted{g, name, twin, new(runtime.Conditional)} }
}

func (w twisted) Clone() runtime.Gibbs {
	return twisted{w.Gibbs.Clone(), w.name, w.twin, new(runtime.Conditional)}
}

func (w twisted) Blocks() []runtime.Conditional {
	blocks := slices.Clone(w.Gibbs.Blocks())
	for i, b := range blocks {
		if b.Info().Name == w.name {
			if *w.made == nil {
				*w.made = w.twin(b)
			}
			blocks[i] = *w.made
		}
	}
	return blocks
}

// deaf is a block that is given the other parameters once.
type deaf struct {
	runtime.Conditional
	heard bool
}

func (d *deaf) Given(q []float64) runtime.Status {
	if d.heard {
		return runtime.OK
	}
	d.heard = true
	return d.Conditional.Given(q)
}

// misplaced is a block that takes the other parameters from one place further
// on, and the last from the first.
type misplaced struct{ runtime.Conditional }

func (m misplaced) Given(q []float64) runtime.Status {
	return m.Conditional.Given(append(clone(q[1:]), q[0]))
}

// reordered is a block that names its parameters in another order than that of
// its coordinates.
type reordered struct{ runtime.Conditional }

func (r reordered) Info() *runtime.Info {
	in := *r.Conditional.Info()
	in.Params = slices.Clone(in.Params)
	in.Params[0], in.Params[1] = in.Params[1], in.Params[0]
	return &in
}

// unflattened is a block without the log determinant of its metric.
type unflattened struct{ runtime.Conditional }

func (u unflattened) Energy(q, p []float64) (h, l float64, st runtime.Status) {
	return dropsLogDet{u.Conditional}.Energy(q, p)
}

// TestGibbsCalibrationBetraysMistakes: the same statistic sounds the alarm for
// samplers with a mistake, in a short campaign for the first of them: TestKernelsBetrayMistakes
// makes others.
func TestGibbsCalibrationBetraysMistakes(t *testing.T) {
	for _, mistake := range campaign.Sample(t, []struct {
		name string
		in   func(runtime.Gibbs) runtime.Gibbs
	}{
		{"the block volatility is given the parameters once", twist("volatility", func(c runtime.Conditional) runtime.Conditional { return &deaf{Conditional: c} })},
		{"the block latent is given the path once", twist("latent", func(c runtime.Conditional) runtime.Conditional { return &deaf{Conditional: c} })},
		{"the block latent is given the path from a wrong place", twist("latent", func(c runtime.Conditional) runtime.Conditional { return misplaced{c} })},
		{"sigma2 and phi take each other's place", twist("latent", func(c runtime.Conditional) runtime.Conditional { return reordered{c} })},
		{"log det G is dropped from the energy of latent", twist("latent", func(c runtime.Conditional) runtime.Conditional { return unflattened{c} })},
	}, 5) {
		counts, _ := svRanks(t, campaign.Cases(t, svFew, svReplicates), svMixes[0], mistake.in)
		least, of := 1.0, ""
		for f, c := range counts {
			if p := uniformity(c); p < least {
				least, of = p, svFunctionals[f].name
			}
		}
		t.Logf("%s: p = %.1e for %s", mistake.name, least, of)
		if least > svAlarm() {
			t.Errorf("%s: not noticed, p = %.1e", mistake.name, least)
		}
	}
}

// TestGeneratedBlocksForget: blocks that are made anew for each sweep, and so
// remember nothing, make the same draws bit for bit.
func TestGeneratedBlocksForget(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 0))
	truth, y := svDraw(rng, svLength)
	for _, mix := range svMixes {
		old := svSweep(t, newSV(t, y), mix)
		a := make([]float64, len(truth))
		if err := old.Posterior.Unconstrain(a, truth); err != nil {
			t.Fatal(err)
		}
		b := clone(a)
		for n := range 100 {
			old.Transition(a, rand.New(rand.NewPCG(26, uint64(n))))
			svSweep(t, newSV(t, y), mix).Transition(b, rand.New(rand.NewPCG(26, uint64(n))))
			if !slices.Equal(a, b) {
				t.Errorf("%v: sweep %d leads to %v with what blocks remember, to %v without", mix, n, a, b)
				break
			}
		}
	}
}

// TestGibbsCalibrationTarget: the example with the correction is the posterior of
// the model with the proper prior written out.
func TestGibbsCalibrationTarget(t *testing.T) {
	text := string(must[[]byte](t)(os.ReadFile("../../examples/stochastic_volatility.ham")))
	const improper, proper = "density -log(beta)\n", "beta ~ lognormal(-0.5, 0.3)\n"
	if strings.Count(text, improper) != 1 {
		t.Fatalf("the example has no %q", improper)
	}
	m, ds := dsl.Load("proper.ham", strings.Replace(text, improper, proper, 1), dsl.Options{})
	if m == nil {
		t.Fatal(ds)
	}
	d, list := symbolic.Derive(m)
	if d == nil {
		t.Fatal(list)
	}
	rng := rand.New(rand.NewPCG(24, 0))
	truth, y := svDraw(rng, svLength)
	data := must[[]byte](t)(json.Marshal(map[string]any{"T": len(y), "y": y}))
	want := must[interpret.Posterior](t)(interpret.New(d, bytes.NewReader(data), "data"))
	got := newSV(t, y)
	q := make([]float64, len(truth))
	if err := got.Unconstrain(q, truth); err != nil {
		t.Fatal(err)
	}
	constant := math.NaN()
	for range 20 {
		difference := want.LogDensity(q) - got.LogDensity(q) - svPrior(q[svLength])
		if math.IsNaN(constant) {
			constant = difference
		}
		if d := math.Abs(difference - constant); !(d <= 1e-11*size(want.LogDensity(q))) {
			t.Errorf("the log densities at %v differ by %v more than elsewhere", q, d)
		}
		for i := range q {
			q[i] += 0.3 * rng.NormFloat64()
		}
	}
}
