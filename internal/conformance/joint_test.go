package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
)

// Every transition kernel, with every kind of trajectory, is put to two tests. Both
// are exact consequences of the posterior being what the kernel leaves invariant.
//
// The joint distribution test (Geweke 2004, "Getting it right") alternates
// transitions of x given y and draws of y given x. That is a chain that leaves the
// joint distribution of x and y invariant if the kernel does the posterior, and in
// which errors of the kernel add up, since nothing holds x but the prior. Geweke
// compares it with independent draws of x and y. Here the functions compared are
// uniform under the joint distribution, so that their moments are known. Many
// chains start from exact draws, so that their means are independent and unbiased, and
// a t-test needs no estimate of an autocorrelation.
//
// Simulation-based calibration ranks x among the states of a chain through it, as in
// the file calibration_test.go: by the parameters, by the residuals and by the log
// density. The last two see the data too; by the parameters alone, a sampler
// that draws from the prior would pass (Modrák et al. 2023).
//
// Step sizes are given, for a kernel that adapts leaves nothing invariant. They are so
// long that many moves are refused or fail: what is done then is what a kernel gets wrong.

// A kernel is a way to move on the posteriors of a joint distribution.
type kernel struct {
	name  string
	of    *joint
	as    func(runtime.Posterior) runtime.Posterior // what the model is taken for; nil leaves it
	tune  []runtime.BlockTuning                     // by block; of a Model, one without a name
	ready func(*runtime.Sweep)                      // the rest of its setup; may be nil
	times int                                       // how many times as long it is tested, since it is fast
}

// kernels returns those under test. The trajectory sets the number of steps.
func kernels() []*kernel {
	b, s, g, v, f, l, n := bananaJoint(), schoolsJoint(), gaussianJoint(), volatilityJoint(), funnelJoint(), latentJoint(), groupsJoint()
	c := chainJoint()
	block := func(name string, k runtime.Integrator, eps float64, with ...func(*runtime.Tuning)) runtime.BlockTuning {
		t := runtime.DefaultOptions().Tuning
		t.Integrator, t.StepSize, t.Solver.Method = k, eps, runtime.FixedPoint
		for _, f := range with {
			f(&t)
		}
		return runtime.BlockTuning{Name: name, Tuning: t}
	}
	whole := func(k runtime.Integrator, eps float64, with ...func(*runtime.Tuning)) []runtime.BlockTuning {
		return []runtime.BlockTuning{block("", k, eps, with...)}
	}
	anderson := func(t *runtime.Tuning) { t.Solver.Method = runtime.Anderson }
	newton := func(t *runtime.Tuning) { t.Solver.Method = runtime.Newton }
	dense := func(t *runtime.Tuning) { t.Metric = runtime.DenseE }
	inverse := func(c ...float64) func(*runtime.Sweep) {
		return func(s *runtime.Sweep) { s.Kernels[0].System.(*runtime.Euclidean).SetInverse(c) }
	}
	const (
		leapfrog = runtime.Leapfrog
		glfa     = runtime.GLFa
		glfb     = runtime.GLFb
		ima      = runtime.IMa
		imb      = runtime.IMb
	)
	return []*kernel{
		{name: "glfa, funnel", of: f, times: 1, tune: whole(glfa, 0.7)},
		{name: "glfb, banana", of: b, times: 4, tune: whole(glfb, 0.25)},
		{name: "ima, funnel", of: f, times: 1, tune: whole(ima, 1.2)},
		{name: "imb, banana", of: b, times: 4, tune: whole(imb, 0.6)},
		{name: "imb anderson, banana", of: b, times: 4, tune: whole(imb, 0.6, anderson)},
		{name: "glfb, schools", of: s, times: 1, tune: whole(glfb, 0.6)},
		{name: "imb, schools", of: s, times: 1, tune: whole(imb, 0.7)},
		{name: "imb anderson, schools", of: s, times: 1, tune: whole(imb, 1, anderson)},
		{name: "glfb newton, banana", of: b, times: 4, tune: whole(glfb, 0.25, newton)},
		{name: "imb newton, banana", of: b, times: 4, as: curvedByDifferences, tune: whole(imb, 0.6, newton)},
		{name: "glfb plain, funnel", of: f, times: 1, tune: whole(glfb, 0.7)},
		{name: "imb plain anderson, funnel", of: f, times: 1, tune: whole(imb, 1.2, anderson)},
		{name: "leapfrog, gaussian", of: g, times: 4, tune: whole(leapfrog, 1.4)},
		{name: "leapfrog plain, banana", of: b, times: 4, as: constantMetric(5, 1, 1, 4), tune: whole(leapfrog, 0.6)},
		{name: "leapfrog diag_e, banana", of: b, times: 4, as: noMetric, tune: whole(leapfrog, 0.6), ready: inverse(0.2, 0.3)},
		{name: "leapfrog low_rank, banana", of: b, times: 4, as: noMetric, tune: whole(leapfrog, 0.6), ready: inverse(0.2, 0.3, 2, 0.6, 0.8)},
		{name: "leapfrog dense_e, banana", of: b, times: 4, as: noMetric, tune: whole(leapfrog, 0.6, dense), ready: inverse(0.3, -0.1, -0.1, 0.25)},
		{name: "leapfrog, latent", of: l, times: 2, tune: whole(leapfrog, 0.6)},
		{name: "leapfrog, chain", of: c, times: 2, tune: whole(leapfrog, 0.6)},
		{name: "imb dense_e, banana", of: b, times: 1, as: noMetric, tune: whole(imb, 0.6, dense), ready: inverse(0.3, -0.1, -0.1, 0.25)},
		{name: "blocks leapfrog and imb, volatility", of: v, times: 1, ready: svCorrect,
			tune: []runtime.BlockTuning{block("volatility", leapfrog, 1.1), block("latent", imb, 0.8)}},
		{name: "blocks imb anderson and glfb, volatility", of: v, times: 1, ready: svCorrect,
			tune: []runtime.BlockTuning{block("volatility", imb, 1.3, anderson), block("latent", glfb, 0.8)}},
		{name: "imb, groups", of: n, times: 1, as: stated(runtime.FisherMetric), tune: whole(imb, 1)},
		{name: "leapfrog low_rank, groups", of: n, times: 2, as: stated(runtime.LowRank), tune: whole(leapfrog, 1), ready: inverse(0.5, 0.5, 2, 0.6, 0.8)},
		{name: "glfb newton, groups", of: n, times: 1, as: stated(runtime.FisherMetric), tune: whole(glfb, 0.6, newton)},
		{name: "glfb, groups", of: n, times: 1, as: stated(runtime.FisherMetric), tune: whole(glfb, 0.6)},
	}
}

// A trajectory is a way to go along a kernel's steps.
type trajectory struct {
	name string
	set  func(*runtime.Tuning)
}

func trajectories() []trajectory {
	return []trajectory{
		{"fixed steps", func(t *runtime.Tuning) { t.Steps = 3 }},
		{"random steps", func(t *runtime.Tuning) { t.Steps, t.RandomSteps = 6, true }},
		{"dynamic", func(t *runtime.Tuning) { t.MaxDepth, t.ExtraDoublings = 4, 0 }},
		{"dynamic, one doubling more", func(t *runtime.Tuning) { t.MaxDepth, t.ExtraDoublings = 4, 1 }},
	}
}

// A setup is a kernel with a trajectory, and perhaps with a mistake.
type setup struct {
	*kernel
	set   func(*runtime.Tuning)
	twist func(runtime.Posterior) runtime.Posterior // the mistake, where it is one of the model
	plant func(*runtime.HMC)                        // and where it is one of the transition of a block
	seed  uint64
}

// posterior returns the posterior given y.
func (s *setup) posterior(y []float64) (runtime.Posterior, error) {
	p, err := s.of.posterior(y)
	if err == nil && s.as != nil {
		p = s.as(p)
	}
	if err == nil && s.twist != nil {
		p = s.twist(p)
	}
	return p, err
}

// sweep returns the transition of a posterior.
func (s *setup) sweep(t testing.TB, p runtime.Posterior) *runtime.Sweep {
	opt := runtime.DefaultOptions()
	for _, b := range s.tune {
		s.set(&b.Tuning)
		if b.Name == "" {
			opt.Tuning = b.Tuning
		} else {
			opt.Blocks = append(opt.Blocks, b)
		}
	}
	w := must[*runtime.Sweep](t)(runtime.NewSweep(p, &opt))
	if s.ready != nil {
		s.ready(w)
	}
	if s.plant != nil {
		for _, k := range w.Kernels {
			s.plant(k)
		}
	}
	return w
}

// The size of the tests of one kernel.
const (
	jointChains      = 80  // of the joint distribution test
	jointRounds      = 20  // of transitions and new data in each
	jointTransitions = 3   // in a round
	jointReplicates  = 320 // data sets in which x is ranked
)

// An outcome is the least p-value of several.
type outcome struct {
	p  float64
	of string
}

// certain is the outcome of what a correct kernel never does.
func certain(of string) outcome { return outcome{0, of} }

func (o outcome) String() string { return fmt.Sprintf("p = %.2g, %s", o.p, o.of) }

// least takes one more p-value. One that is not a number is as bad as can be.
func (o outcome) least(p float64, of string) outcome {
	if o.of == "" || !(p >= o.p) {
		return outcome{p, of}
	}
	return o
}

// A conduct is how transitions went: counts, but for accept.
type conduct struct {
	transitions, failed, irreversible int
	accept                            float64 // sum of the acceptance statistics
}

func (c *conduct) add(ts []runtime.Transition) {
	for i := range ts {
		c.transitions++
		c.accept += ts[i].Accept
		if ts[i].Failure != runtime.OK {
			c.failed++
		}
		if ts[i].Irreversible {
			c.irreversible++
		}
	}
}

func (c *conduct) String() string {
	n := float64(c.transitions)
	return fmt.Sprintf("acceptance %.2f, failed %.3f, irreversible %.4f", c.accept/n, float64(c.failed)/n, float64(c.irreversible)/n)
}

// functions returns the number of p-values of the two tests of a kernel.
func (k *kernel) functions() int {
	n := len(k.of.quantities)
	return n + n*(n+1)/2 + n + 1
}

// joint is the joint distribution test of some chains. With the uniforms u less ½, it
// looks at the means of each, of their squares and of the products of any two, which
// are 0, 1/12 and 0.
func (s *setup) joint(t testing.TB, chains int) (o outcome, c conduct) {
	t.Helper()
	names := s.of.quantities
	what := append([]string(nil), names...)
	for i := range names {
		for j := range i + 1 {
			what = append(what, names[i]+" × "+names[j])
		}
	}
	u, mean := make([]float64, len(names)), make([]float64, len(what))
	sums, squares := make([]float64, len(what)), make([]float64, len(what))
	for chain := range chains {
		rng := rand.New(rand.NewPCG(s.seed, uint64(chain)))
		x := s.of.prior(rng)
		q := make([]float64, len(x))
		clear(mean)
		for range jointRounds {
			y := s.of.observe(rng, x)
			p, err := s.posterior(y)
			if err == nil {
				err = p.Unconstrain(q, x)
			}
			if err != nil {
				return certain(err.Error()), c
			}
			w := s.sweep(t, p)
			for range jointTransitions {
				c.add(w.Transition(q, rng))
				p.Constrain(x, q)
				s.of.uniforms(u, x, y)
				at := len(u)
				for i := range u {
					u[i] -= 0.5
					mean[i] += u[i]
					for j := range i {
						mean[at+j] += u[i] * u[j]
					}
					mean[at+i] += u[i]*u[i] - 1./12
					at += i + 1
				}
			}
		}
		for i, m := range mean {
			m /= jointRounds * jointTransitions
			sums[i] += m
			squares[i] += m * m
		}
	}
	n := float64(chains)
	student := distuv.StudentsT{Sigma: 1, Nu: n - 1}
	for i := range what {
		m := sums[i] / n
		z := m / math.Sqrt((squares[i]/n-m*m)/(n-1))
		o = o.least(2*student.Survival(math.Abs(z)), what[i])
	}
	return o, c
}

// ranks is simulation-based calibration in some data sets: a χ² test of the ranks of each
// uniform and of the log density.
func (s *setup) ranks(t testing.TB, replicates int) (o outcome, c conduct) {
	t.Helper()
	rng := rand.New(rand.NewPCG(s.seed, math.MaxUint64))
	names := append(append([]string(nil), s.of.quantities...), "the log density")
	n := len(names)
	counts := make([][chainLength]int, n)
	own, now := make([]float64, n), make([]float64, n)
	below, equal := make([]int, n), make([]int, n)
	for range replicates {
		x := s.of.prior(rng)
		y := s.of.observe(rng, x)
		p, err := s.posterior(y)
		theta := make([]float64, len(x))
		if err == nil {
			err = p.Unconstrain(theta, x)
		}
		if err != nil {
			t.Fatal(err)
		}
		values := func(out, q []float64) {
			p.Constrain(x, q)
			s.of.uniforms(out, x, y)
			out[n-1] = p.LogDensity(q)
		}
		values(own, theta)
		clear(below)
		clear(equal)
		before := rng.IntN(chainLength)
		q := make([]float64, len(theta))
		w := s.sweep(t, p)
		for direction, length := range [2]int{chainLength - 1 - before, before} {
			if g, ok := p.(runtime.Gibbs); ok && direction == 1 {
				// The reverse of a sweep takes the blocks in the other order.
				w = s.sweep(t, backwards{g})
			}
			copy(q, theta)
			for range length {
				c.add(w.Transition(q, rng))
				values(now, q)
				for i, v := range now {
					switch {
					case v < own[i]:
						below[i]++
					case v == own[i]:
						equal[i]++
					}
				}
			}
		}
		for i := range counts {
			counts[i][below[i]+rng.IntN(equal[i]+1)]++
		}
	}
	for i := range counts {
		o = o.least(uniformity(counts[i]), names[i])
	}
	return o, c
}

// kernelAlarm is the p-value below which a kernel counts as wrong: by Bonferroni over all
// p-values of the two tests of all kernels, correct ones sound a false alarm with a
// probability of at most familyAlarm together. The seeds are fixed, so that one cannot come
// and go.
func kernelAlarm() float64 {
	n := 0
	for _, k := range kernels() {
		n += len(trajectories()) * k.functions()
	}
	return familyAlarm / float64(n)
}

// TestKernels: each kernel leaves the posterior invariant. In a short campaign every fourth one
// goes along one kind of trajectory, and the next along the next kind: fewer pairs, each with the numbers
// of chains and replicates that TestKernelsBetrayMistakes shows to be enough.
func TestKernels(t *testing.T) {
	alarm, long, more := kernelAlarm(), campaign.Long(t), max(campaign.Times(t), 1)
	for i, k := range kernels() {
		for j, tr := range trajectories() {
			if !long && (i%4 != 0 || j != i/4%len(trajectories())) {
				continue
			}
			t.Run(k.name+"/"+tr.name, func(t *testing.T) {
				s := &setup{kernel: k, set: tr.set, seed: uint64(100*i + j)}
				joint, c := s.joint(t, jointChains*k.times*more)
				ranks, _ := s.ranks(t, jointReplicates*k.times*more)
				t.Logf("joint distribution: %v; ranks: %v; %v", joint, ranks, &c)
				if !(joint.p >= alarm) {
					t.Errorf("joint distribution test: %v", joint)
				}
				if !(ranks.p >= alarm) {
					t.Errorf("ranks are not uniform: %v", ranks)
				}
				if a := c.accept / float64(c.transitions); !(a > 0.4 && a < 0.98) {
					t.Errorf("mean acceptance %.3f, so that this test shows little", a)
				}
			})
		}
	}
}
