package runtime_test

import (
	"math"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
)

// zScore returns (mean − want)/(standard error) for a function of the draws,
// with the standard error from the means of batches of the chains.
func zScore(r *runtime.Result, want float64, f func(c *runtime.Chain, i int) float64) float64 {
	const batches = 20
	var means []float64
	for c := range r.Chains {
		chain := &r.Chains[c]
		n := len(chain.Draws[0]) / batches
		for b := range batches {
			sum := 0.0
			for i := b * n; i < (b+1)*n; i++ {
				sum += f(chain, i)
			}
			means = append(means, sum/float64(n))
		}
	}
	k := float64(len(means))
	mean, ss := 0.0, 0.0
	for _, x := range means {
		mean += x / k
	}
	for _, x := range means {
		ss += (x - mean) * (x - mean)
	}
	return (mean - want) / math.Sqrt(ss/(k-1)/k)
}

// bound is how many standard errors a moment may be off: 80 batches give
// nearly normal errors, and about 30 moments are looked at.
const bound = 4.5

// secondMoments returns the z scores of E q_k² = 1 for the standard normal.
func secondMoments(r *runtime.Result) [2]float64 {
	var z [2]float64
	for k := range z {
		z[k] = zScore(r, 1, func(c *runtime.Chain, i int) float64 { return c.Draws[k][i] * c.Draws[k][i] })
	}
	return z
}

func curvedOptions() runtime.Options {
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws = 4, 200, 5000
	return opt
}

func TestMomentsOfAStandardNormal(t *testing.T) {
	for _, k := range campaign.Sample(t, implicit, 2) {
		opt := curvedOptions()
		opt.Integrator = k
		for _, z := range secondMoments(sample(t, newCurved(), opt)) {
			if !(math.Abs(z) < bound) {
				t.Errorf("%v: E q² off by %.1f standard errors", k, z)
			}
		}
	}
}

// lp__ is the log density of the draw, and energy__ exceeds its potential by the
// kinetic energy, ½χ² with m degrees of freedom.
func TestStatisticsBelongToTheDraw(t *testing.T) {
	m := newCurved()
	r := sample(t, m, curvedOptions())
	kinetic := func(c *runtime.Chain, i int) float64 {
		x, y := c.Draws[0][i], c.Draws[1][i]
		return c.Stats[6][i] + c.Stats[0][i] - 0.5*(math.Log1p(x*x)+math.Log1p(y*y))
	}
	if runtime.StatNames[0] != "lp__" || runtime.StatNames[6] != "energy__" {
		t.Fatalf("statistics %v", runtime.StatNames)
	}
	for c := range r.Chains {
		chain := &r.Chains[c]
		for i := range chain.Draws[0] {
			if l := m.LogDensity([]float64{chain.Draws[0][i], chain.Draws[1][i]}); l != chain.Stats[0][i] {
				t.Fatalf("chain %d draw %d: lp__ %v, log density %v", c, i, chain.Stats[0][i], l)
			}
			if k := kinetic(chain, i); k < -1e-12 {
				t.Fatalf("chain %d draw %d: kinetic energy %v", c, i, k)
			}
		}
	}
	if z := zScore(r, 1, kinetic); !(math.Abs(z) < bound) {
		t.Errorf("mean kinetic energy off by %.1f standard errors", z)
	}
}

// broken is the curved model with a mistake in its Hamiltonian system.
type broken struct {
	*runtime.GenericSystem
	logDet float64 // the multiple of ½ log det G in H; 1 is right
	white  bool    // momenta from N(0, I)
	stray  float64 // added to p by each step: neither reversible nor an energy error
}

func (s *broken) Clone() runtime.Model {
	c := *s
	c.GenericSystem = runtime.Generic(newCurved())
	return &c
}

func (s *broken) Energy(q, p []float64) (float64, float64, runtime.Status) {
	h, l, st := s.GenericSystem.Energy(q, p)
	logDet := math.Log1p(q[0]*q[0]) + math.Log1p(q[1]*q[1])
	return h + (s.logDet-1)*0.5*logDet, l, st
}

func (s *broken) DrawMomentum(p, q []float64) runtime.Status {
	if s.white {
		return runtime.OK
	}
	return s.GenericSystem.DrawMomentum(p, q)
}

func (s *broken) StepIMb(q, p []float64, eps float64, sol *runtime.Solver) runtime.StepResult {
	r := s.GenericSystem.StepIMb(q, p, eps, sol)
	q[0] += s.stray * q[0] * q[0]
	return r
}

// The moment test has the power to see a wrong kernel; the first case is the
// right one. A short campaign has the first and the last.
func TestMomentsBetrayBrokenKernels(t *testing.T) {
	for _, c := range campaign.Sample(t, []struct {
		name string
		s    broken
		good bool
	}{
		{"nothing", broken{logDet: 1}, true},
		{"log det dropped", broken{logDet: 0}, false},
		{"log det with the wrong sign", broken{logDet: -1}, false},
		{"momentum without the metric", broken{logDet: 1, white: true}, false},
		{"steps that drift", broken{logDet: 1, stray: 0.05}, false},
	}, 4) {
		c.s.GenericSystem = runtime.Generic(newCurved())
		opt := curvedOptions()
		opt.ReverseCheck = runtime.ReverseOff
		r := sample(t, &c.s, opt)
		z := secondMoments(r)
		mean := zScore(r, 0, func(c *runtime.Chain, i int) float64 { return c.Draws[0][i] })
		worst := max(math.Abs(z[0]), math.Abs(z[1]), math.Abs(mean))
		if (worst < bound) != c.good {
			t.Errorf("broken is %s: off by %.1f standard errors", c.name, worst)
		}
	}
}

// The check of the way back takes the harm out of steps that drift.
func TestReverseCheckRefusesDrift(t *testing.T) {
	s := &broken{GenericSystem: runtime.Generic(newCurved()), logDet: 1, stray: 0.05}
	opt := curvedOptions()
	opt.ReverseCheck = runtime.ReverseAll
	opt.Warmup, opt.Draws, opt.StepSize = 0, 200, 0.3
	r := sample(t, s, opt)
	for c := range r.Chains {
		if n := r.Chains[c].Sampling(); n.Irreversible == 0 || n.Accepted > n.Transitions/4 {
			t.Errorf("chain %d: %d irreversible, %d accepted", c, n.Irreversible, n.Accepted)
		}
	}
}

// The default options give the exact moments of the banana's posterior, and
// so does another integrator, in a long campaign.
func TestMomentsOfTheBanana(t *testing.T) {
	var f struct {
		Data struct {
			Y      []float64
			SigmaY float64 `json:"sigma_y"`
			SigmaT float64 `json:"sigma_theta"`
		}
		Exact struct {
			Mean, SD []float64
			Second   float64 `json:"E_theta2_sq"`
			Fourth   float64 `json:"E_theta2_4"`
		}
	}
	readJSON(t, "testdata/banana_exact.json", &f)
	m := newBanana(f.Data.Y, f.Data.SigmaY, f.Data.SigmaT)
	for _, k := range campaign.Sample(t, []runtime.Integrator{runtime.DefaultIntegrator, runtime.GLFb}, 2) {
		opt := runtime.DefaultOptions()
		opt.Integrator, opt.Draws = k, 2000
		r := sample(t, m, opt)
		theta := func(k int, power float64) func(c *runtime.Chain, i int) float64 {
			return func(c *runtime.Chain, i int) float64 { return math.Pow(c.Draws[k][i], power) }
		}
		x := &f.Exact
		for name, z := range map[string]float64{
			"E θ₁":  zScore(r, x.Mean[0], theta(0, 1)),
			"E θ₂":  zScore(r, x.Mean[1], theta(1, 1)),
			"E θ₁²": zScore(r, x.SD[0]*x.SD[0]+x.Mean[0]*x.Mean[0], theta(0, 2)),
			"E θ₂²": zScore(r, x.Second, theta(1, 2)),
			"E θ₂⁴": zScore(r, x.Fourth, theta(1, 4)),
		} {
			if !(math.Abs(z) < bound) {
				t.Errorf("%v: %s off by %.1f standard errors", k, name, z)
			}
		}
	}
}

// Where nothing but the energy error limits the step, adaptation brings the
// acceptance to its target, and a lower target gives longer steps. (Below 0.8 or
// so the leapfrog's limit of stability on a normal interferes.)
func TestAdaptationMeetsItsTarget(t *testing.T) {
	m := newGaussian([]float64{0.5, -1}, [][]float64{{1, 0.5}, {0.5, 2}})
	steps := map[float64]float64{}
	for _, target := range []float64{0.7, 0.9} {
		opt := runtime.DefaultOptions()
		opt.TargetAccept = target
		opt.Draws = 4000
		sum, n := 0.0, 0.0
		for _, c := range sample(t, m, opt).Chains {
			sum += c.Sampling().SumAccept
			n += float64(c.Sampling().Transitions)
			steps[target] += c.Blocks[0].StepSize / float64(opt.Chains)
		}
		if mean := sum / n; target == 0.9 && math.Abs(mean-target) > 0.03 {
			t.Errorf("target %v: mean acceptance %.3f", target, mean)
		}
	}
	if steps[0.7] < 1.1*steps[0.9] {
		t.Errorf("mean step sizes %v", steps)
	}
}

// Adaptation keeps the solves of an implicit integrator short: at the edge of
// convergence, where the acceptance alone would lead, they take 70 iterations.
func TestAdaptationKeepsSolvesShort(t *testing.T) {
	m := newGaussian([]float64{0.5, -1}, [][]float64{{1, 0.5}, {0.5, 2}})
	opt := runtime.DefaultOptions()
	opt.Integrator = runtime.IMb
	for _, c := range sample(t, m, opt).Chains {
		n := c.Sampling()
		if mean := float64(n.Iterations) / float64(n.Steps); mean > 20 || c.Blocks[0].StepSize < 0.5 {
			t.Errorf("%.1f iterations per step at ε = %.2f", mean, c.Blocks[0].StepSize)
		}
	}
}
