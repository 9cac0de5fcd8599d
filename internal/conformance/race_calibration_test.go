package conformance

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/conformance/latent"
	"github.com/hamc-dev/hamc/runtime"
)

// Simulation-based calibration of models that leave their metric to hamc, sampled as they are by default: for each data set the
// race is run, where the model has a candidate, and a warm-up adapts metric, steps, and the maps of latent vectors, from a start and
// with a seed that know nothing of the parameters from the prior. What both come to is then a function of the data, so that the sampler that
// goes on with it is reversible, and leaves the posterior invariant. It goes on from the parameters, which are
// put in the place of its last draw, in both directions of time, as in the file calibration_test.go.

// An automatic is a joint distribution whose posterior is sampled without a metric being stated.
type automatic struct {
	of       *joint
	races    bool // the model has a candidate
	contends bool // either candidate wins in a twentieth of the races at least
	bends    bool // coordinates are bent for half of the data sets at least
}

// Numbers of data sets, in a long campaign and otherwise.
const autoReplicates, autoFew = 3200, 320

// autoDepth is the largest depth of trajectories: with longer ones the draws depend less on how they are made.
const autoDepth = 4

func automatics() []automatic {
	return []automatic{
		{of: ridgeJoint(), races: true, contends: true},
		{of: groupsJoint(), races: true},
		{of: latentJoint()},
		{of: spreadJoint(), bends: true},
	}
}

// autoAlarm is the p-value below which ranks count as not uniform.
func autoAlarm() float64 {
	n := 0
	for _, a := range automatics() {
		n += len(a.of.quantities) + 1
	}
	return familyAlarm / float64(n)
}

// A pursuit is a sampler that goes on from a warm-up.
type pursuit struct {
	t     testing.TB
	p     runtime.Posterior
	opt   runtime.Options
	state *runtime.State
	ended map[runtime.EuclideanMetric]*runtime.State // warm-ups with each candidate, none of which is changed
}

// begin runs the race and the warm-up of a posterior.
func begin(t testing.TB, p runtime.Posterior, seed uint64) (*pursuit, *runtime.Race) {
	s := &pursuit{t: t, p: p, opt: runtime.DefaultOptions(), ended: map[runtime.EuclideanMetric]*runtime.State{}}
	s.opt.Chains, s.opt.Workers, s.opt.Warmup, s.opt.Draws = 1, 1, 300, 1 // room for the lengths of trajectories, and an early end
	s.opt.MaxDepth, s.opt.Seed = autoDepth, seed
	r := must[*runtime.Result](t)(runtime.Sample(t.Context(), p, s.opt, nil))
	s.opt.Metric = runtime.LowRank
	if r.Race != nil {
		s.opt.Metric = r.Race.Chosen
	}
	s.ended[s.opt.Metric] = r.Chains[0].State
	return s, r.Race
}

// take takes a candidate for the chosen one.
func (s *pursuit) take(metric runtime.EuclideanMetric) {
	s.opt.Metric = metric
	if s.ended[metric] == nil {
		opt := s.opt
		opt.From, opt.Draws = nil, 1
		s.ended[metric] = must[*runtime.Result](s.t)(runtime.Sample(s.t.Context(), s.p, opt, nil)).Chains[0].State
	}
	next := *s.ended[metric]
	if s.state != nil {
		next.Q = s.state.Q
	}
	s.state = &next
}

// carried returns a posterior with the maps of the state.
func (s *pursuit) carried() runtime.Posterior {
	m := s.p.(runtime.Model).Clone()
	if c, ok := m.(runtime.Anchored); ok {
		c.SetReference(s.state.Reference)
	}
	return m
}

// place puts parameters in the place of the last draw, and returns them as they are read from there.
func (s *pursuit) place(x []float64) []float64 {
	m := s.carried()
	s.state.Q = make([]float64, m.Info().Dim())
	if err := m.Unconstrain(s.state.Q, x); err != nil {
		s.t.Fatal(err)
	}
	x = slices.Clone(x)
	m.Constrain(x, s.state.Q)
	return x
}

// draws makes draws, told of each where there is something to tell, and returns them by parameter.
func (s *pursuit) draws(n int, each func(*pursuit)) [][]float64 {
	if each == nil {
		opt := s.opt
		opt.Draws, opt.From = s.state.Drawn()+n, []*runtime.State{s.state}
		r := must[*runtime.Result](s.t)(runtime.Sample(s.t.Context(), s.p, opt, nil))
		s.state = r.Chains[0].State
		return r.Chains[0].Draws[:s.p.Info().Size()]
	}
	out := make([][]float64, s.p.Info().Size())
	for range n {
		s.opt.Seed += 1 << 40 // a state of another warm-up has made as many draws
		each(s)
		for i, x := range s.draws(1, nil) {
			out[i] = append(out[i], x...)
		}
	}
	return out
}

// plainDensity is the log density of parameters, whatever the maps of latent vectors.
func plainDensity(p runtime.Posterior, x []float64) float64 {
	q := make([]float64, p.Info().Dim())
	if p.Unconstrain(q, x) != nil {
		return 0 // never of a draw
	}
	l := p.LogDensity(q)
	if c, ok := p.(runtime.Transported); ok {
		l -= c.LogJacobian(q)
	}
	return l
}

// A census counts the data sets of a test: those with a race, those whose race the Riemannian metric won, and those with bent coordinates.
type census struct{ raced, won, bent int }

// ranks is the test with some data sets.
func (a *automatic) ranks(t testing.TB, replicates int, twist func(runtime.Posterior) runtime.Posterior, each func(*pursuit)) (o outcome, c census) {
	t.Helper()
	rng := rand.New(rand.NewPCG(41, 0))
	names := append(slices.Clone(a.of.quantities), "the log density")
	n := len(names)
	counts := make([][chainLength]int, n)
	own, now := make([]float64, n), make([]float64, n)
	for replicate := range replicates {
		x := a.of.prior(rng)
		y := a.of.observe(rng, x)
		p := must[runtime.Posterior](t)(a.of.posterior(y))
		if twist != nil {
			p = twist(p)
		}
		begun, race := begin(t, p, uint64(replicate))
		if race != nil {
			c.raced++
			if race.Chosen == runtime.FisherMetric {
				c.won++
			}
		}
		if len(begun.ended[begun.opt.Metric].Blocks[0].Bends) > 0 {
			c.bent++
		}
		values := func(out, x []float64) {
			a.of.uniforms(out, x, y)
			out[n-1] = plainDensity(p, x)
		}
		var below, equal [8]int
		before := rng.IntN(chainLength)
		for direction, length := range [2]int{chainLength - 1 - before, before} {
			if length == 0 {
				continue
			}
			s := *begun
			s.opt.Seed += uint64(1+direction) << 20
			s.take(s.opt.Metric)
			values(own, s.place(x))
			draws := s.draws(length, each)
			at := make([]float64, len(draws))
			for k := range length {
				for i := range at {
					at[i] = draws[i][k]
				}
				values(now, at)
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

// TestAutoCalibration: the ranks are uniform where nothing is stated.
func TestAutoCalibration(t *testing.T) {
	for _, a := range campaign.Sample(t, automatics(), 2) { // TestKernels has groups with either metric
		t.Run(a.of.name, func(t *testing.T) {
			n := campaign.Cases(t, autoFew, autoReplicates) * max(campaign.Times(t), 1)
			o, c := a.ranks(t, n, nil, nil)
			t.Logf("%v; of %d races the Riemannian metric won %d; coordinates are bent for %d data sets", o, c.raced, c.won, c.bent)
			if !(o.p >= autoAlarm()) {
				t.Errorf("ranks are not uniform: %v", o)
			}
			if a.races != (c.raced == n) || a.races != (c.raced > 0) {
				t.Errorf("%d races for %d data sets", c.raced, n)
			}
			if a.bends && c.bent < n/2 {
				t.Errorf("coordinates are bent for %d of %d data sets, so that this test shows little of bends", c.bent, n)
			}
			if a.contends && min(c.won, c.raced-c.won) < n/20 {
				t.Errorf("the Riemannian metric won %d of %d races, so that this test shows little of one candidate", c.won, c.raced)
			}
		})
	}
}

// TestAutoCalibrationBetraysMistakes: the same statistic sounds the alarm where what the warm-up settled does not stay, and not where the
// candidates take turns without a look at the draws. A map that is made anew between draws it does not notice: the coordinates z are close
// to N(0, I) under either map.
func TestAutoCalibrationBetraysMistakes(t *testing.T) {
	all := automatics()
	ridge, maps := &all[0], &all[2]
	lots := rand.New(rand.NewPCG(42, 0))
	candidates := [2]runtime.EuclideanMetric{runtime.LowRank, runtime.FisherMetric}
	for _, m := range campaign.Sample(t, []struct {
		name  string
		in    *automatic
		twist func(runtime.Posterior) runtime.Posterior
		each  func(*pursuit)
		legal bool
	}{
		{name: "the metric is chosen anew, by the draw before", in: ridge, each: func(s *pursuit) {
			side := 0 // of the ridge
			if s.state.Q[1] > 0 {
				side = 1
			}
			s.take(candidates[side])
		}},
		{name: "the length is chosen anew, by the draw before", in: ridge, each: func(s *pursuit) {
			s.take(runtime.LowRank)
			s.state.Blocks = slices.Clone(s.state.Blocks)
			b := &s.state.Blocks[0]
			b.Steps, b.StepSize, b.Split = 9, 0.6, 0
			if s.state.Q[1] <= 0 {
				b.Steps, b.StepSize = 1, 0.1
			}
			s.opt.Steps = b.Steps
		}},
		{name: "the metric is chosen anew, by lot", legal: true, in: ridge, each: func(s *pursuit) { s.take(candidates[lots.IntN(2)]) }},
		{name: "the map is made anew within trajectories", in: maps,
			twist: func(p runtime.Posterior) runtime.Posterior { return unfrozen{p.(*latent.Model)} }},
	}, 4) {
		o, _ := m.in.ranks(t, autoFew, m.twist, m.each)
		t.Logf("%s: %v", m.name, o)
		if noticed := o.p < autoAlarm(); noticed == m.legal {
			t.Errorf("%s: noticed is %v, %v", m.name, noticed, o)
		}
	}
}
