package runtime

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/hamc-dev/hamc/runtime/linalg"
	"github.com/hamc-dev/hamc/runtime/random"
)

// This file chooses the metric of a model that leaves it to hamc and has a candidate: before the first chain begins, a pilot is sampled with each,
// and the one that gives more effective draws for its operations, which are counted and never timed, serves all chains.

// Chooser is a Model whose metric is a candidate beside a Euclidean one that warm-up adapts: Info().Metric.Auto is set.
type Chooser interface {
	Model

	// Settle says in Info what the model is sampled with.
	Settle(metric MetricInfo)
}

// Race is how a metric was chosen, or what a Euclidean one would have come to in the place of one that the model states.
type Race struct {
	Chosen    EuclideanMetric `json:"chosen"`         // LowRank or FisherMetric; AutoMetric where the model states its metric
	Step      float64         `json:"step_work"`      // operations of a step beside its iterations
	Iteration float64         `json:"iteration_work"` // of an iteration of an implicit step
	Spread    float64         `json:"spread"`         // of the candidate's metric over the Euclidean draws, see variation
	Euclidean Pilot           `json:"euclidean"`
	Fisher    Pilot           `json:"fisher"` // of no transitions where it could not win
}

// Pilot is what a candidate came to in the last transitions of its part of a race.
type Pilot struct {
	Transitions int     `json:"transitions"`
	Steps       float64 `json:"steps"`      // of the integrator, per transition
	Operations  float64 `json:"operations"` // per transition
	Worth       float64 `json:"worth"`      // effective draws per transition, of the slowest coordinate or the log density
	Trouble     float64 `json:"trouble"`    // share of transitions that failed, diverged, or had a step that had to be halved
}

// Merit is the number of effective draws per operation.
func (p *Pilot) Merit() float64 {
	if p.Operations == 0 {
		return 0
	}
	return p.Worth / p.Operations
}

// Doubtful reports whether the draws of the Euclidean pilot are in doubt: where a constant metric does not fit they may miss a part of the
// posterior, and their worth is no guide.
func (r *Race) Doubtful() bool { return r.Euclidean.Trouble > raceTrouble || r.Varies() }

// Varies reports whether the Fisher information varies so much over the posterior that no constant metric fits it everywhere.
func (r *Race) Varies() bool { return r.Spread > raceSpread }

// The lengths of pilots. A race of 300 transitions is an eighth of the warm-up of four chains by default, or less.
const (
	euclideanWarmup, euclideanPilot = 120, 80
	fisherWarmup, fisherPilot       = 50, 50
)

const (
	// stepOverhead is what a step costs beside its density and its vectors: the ends of a trajectory, the test for a turn.
	stepOverhead = 250

	// A Riemannian draw takes leastSteps steps of leastIterations iterations, at best. Where that is worth less than what the Euclidean
	// metric gives, there is no race.
	leastSteps, leastIterations = 3, 5

	// leastRace is the number of transitions of warm-up below which there is no race.
	leastRace = 200

	// maxVariation is the largest number of coordinates for which the variation of a metric is looked at.
	maxVariation = 100

	// raceMargin is how much better the Riemannian metric has to be: pilots are short.
	raceMargin = 1.25

	// raceSpread is the spread of the metric above which draws with a constant metric are in doubt: it fits one place and not another.
	raceSpread = 8

	// raceTrouble is the share of troubled transitions above which the draws of a candidate are in doubt. The Riemannian one then wins
	// over a Euclidean one even if that is as many times as fast as G varies, from raceDoubt to twice that; it loses with as much trouble of its own times raceFailures, for
	// a failed solve costs time, and does not keep a chain from where it has to go.
	raceTrouble, raceDoubt, raceFailures = 0.05, 10, 6
)

// settled is what is known of the metric that a model is sampled with by the settings. While the choice is open it is one that every
// integrator steps.
func (m MetricInfo) settled(t *Tuning) MetricInfo {
	switch {
	case !m.Auto || m.Identity:
		return m
	case t.Metric == FisherMetric || t.Metric == AutoMetric && t.Integrator != DefaultIntegrator && t.Integrator != Leapfrog:
		return MetricInfo{Auto: true, Structure: m.Structure}
	}
	return MetricInfo{Auto: true, Constant: true, Identity: true, Structure: Diagonal}
}

// Choose settles the metric of a posterior that Options.Validate accepts: it returns a clone that has one, and the options with the choice. A choice that was made,
// by the options or because there are no candidates, stays; there is no race then. The outcome is a function of the posterior and the options. Where
// ctx ends a race, its error comes back.
func Choose(ctx context.Context, p Posterior, opt Options) (Posterior, Options, *Race, error) {
	// A race takes a part of the warm-up of a run with dynamic trajectories of a step size that is adapted.
	open := opt.Metric == AutoMetric && opt.Integrator == DefaultIntegrator && opt.StepSize == 0 && opt.Steps == 0 && opt.Warmup >= leastRace
	m, ok := p.(Chooser)
	if !ok || !m.Info().Metric.Auto || m.Info().Metric.Identity {
		var race *Race
		if s, ok := p.(Model); ok && open && s.Info().IterationWork > 0 && len(opt.From) == 0 {
			race = &Race{}
			if err := race.run(ctx, s, opt); err != nil {
				return p, opt, nil, err
			}
		}
		if opt.Metric == AutoMetric {
			opt.Metric = LowRank
		}
		return p, opt, race, nil
	}
	var race *Race
	switch metric := m.Info().Metric.settled(&opt.Tuning); {
	case open:
		race = &Race{Chosen: LowRank}
		if err := race.run(ctx, m, opt); err != nil {
			return p, opt, nil, err
		}
		opt.Metric = race.Chosen
	case opt.Metric == AutoMetric && !metric.Constant:
		opt.Metric = FisherMetric
	case opt.Metric == AutoMetric:
		opt.Metric = LowRank
	}
	return settle(m, &opt), opt, race, nil
}

// unmeasured returns a clone that leaves its metric to the warm-up.
func unmeasured(m Model) Model {
	info := *m.Info()
	info.Metric = MetricInfo{Auto: true, Constant: true, Identity: true, Structure: Diagonal}
	return &unmetric{AsSystem(m.Clone()), &info}
}

// unmetric is a System without a metric of its own.
type unmetric struct {
	System
	info *Info
}

func (u *unmetric) Info() *Info  { return u.info }
func (u *unmetric) Clone() Model { return unmeasured(u.System) }

// SolveStatus is that of the system.
func (u *unmetric) SolveStatus() Status {
	if s, ok := u.System.(Solves); ok {
		return s.SolveStatus()
	}
	return OK
}

// settle returns a clone that is sampled as the options say.
func settle(m Chooser, opt *Options) Chooser {
	metric := m.Info().Metric.settled(&opt.Tuning)
	c := m.Clone().(Chooser)
	c.Settle(metric)
	return c
}

// run makes the race.
func (r *Race) run(ctx context.Context, m Model, opt Options) error {
	opt.Chains, opt.From, opt.Discard, opt.Audit = 1, nil, true, AuditRate{}
	if len(opt.Init) > 1 {
		opt.Init = opt.Init[:1]
	}
	opt.ExtraDoublings = 0
	lap := &run{model: m, opt: opt}
	release := context.AfterFunc(ctx, func() { lap.stop.Store(true) })
	defer release()
	if lap.findStarts() != nil {
		return ctx.Err() // the run will say why
	}
	q := lap.starts[0]
	stream := random.New(opt.Seed, 0)
	work := m.Info()
	step := stepOperations(work, len(q))
	r.Step, r.Iteration = step, float64(work.IterationWork)
	opt.Metric = LowRank
	first := pilotRun{opt: opt, warmup: euclideanWarmup, measured: euclideanPilot, step: step, stream: stream, stop: &lap.stop}
	if err := first.sail(unmeasured(lap.clone().(Model)), q, &r.Euclidean); err != nil {
		return err
	}
	iteration := r.Iteration
	if len(q) <= maxVariation {
		r.Spread = variation(m, first.draws)
	}
	if r.Chosen == AutoMetric {
		return ctx.Err()
	}
	doubt := r.Doubtful()
	best := 1 / float64(leastSteps*(step+float64(leastIterations*iteration)))
	if ctx.Err() == nil && (doubt || r.Euclidean.Merit() < best) {
		opt.Metric = FisherMetric
		second := pilotRun{opt: opt, from: first.to(), warmup: fisherWarmup, measured: fisherPilot, step: step, iteration: iteration, stream: stream, stop: &lap.stop}
		if err := second.sail(settle(lap.clone().(Chooser), &opt), q, &r.Fisher); err != nil {
			return err
		}
		r.decide(doubt)
	}
	return ctx.Err()
}

// decide chooses by the pilots; doubt is that of the Euclidean one.
func (r *Race) decide(doubt bool) {
	e, f := r.Euclidean.Merit(), r.Fisher.Merit()
	switch {
	case r.Fisher.Trouble > raceTrouble*raceFailures:
	case doubt && f*min(max(r.Spread, raceDoubt), 2*raceDoubt) > e, f > e*raceMargin:
		r.Chosen = FisherMetric
	}
}

// pilotRun is the run of one candidate.
type pilotRun struct {
	opt              Options
	from             int // number of the first transition, for the random numbers
	warmup, measured int
	step, iteration  float64 // operations
	stream           *random.Philox
	stop             *atomic.Bool

	draws [][]float64
}

// to is the number of the transition after the last.
func (p *pilotRun) to() int { return p.from + p.warmup + p.measured }

// sail samples a model from q on, which it moves.
func (p *pilotRun) sail(m Posterior, q []float64, out *Pilot) error {
	p.opt.Warmup = p.warmup
	sweep, err := NewSweep(m, &p.opt)
	if err != nil {
		return err
	}
	k, rng := sweep.Kernels[0], rand.New(p.stream)
	k.stop = p.stop
	newClimber(sweep, p.stop).climb(q)
	a := newAdapter(k, p.warmup, &p.opt.Tuning)
	search := func(n int) {
		p.stream.Seek(streamRace, uint64(2*(p.from+n)+1))
		a.search(q, rng)
	}
	search(0)
	seen := newTrial(len(q), trialLeast) // for its scores: all are transitions of one arm
	seen.begin, seen.end = p.warmup, p.warmup+p.measured
	for n := range p.warmup + p.measured {
		if n == p.warmup {
			a.finish()
			a.enter(n)
		}
		p.stream.Seek(streamRace, uint64(2*(p.from+n)))
		t := sweep.Transition(q, rng)[0]
		if t.stopped {
			return nil
		}
		seen.add(n, &t, q)
		if n < p.warmup {
			if a.learn(n, &t, q) {
				search(n + 1)
			}
			continue
		}
		p.draws = append(p.draws, slices.Clone(q))
		out.Transitions++
		out.Steps += float64(t.Steps)
		out.Operations += float64(float64(t.Steps)*p.step) + float64(float64(t.Iterations)*p.iteration)
		if t.halved || t.Divergent || t.Irreversible || t.Failure != OK {
			out.Trouble++
		}
	}
	count := float64(out.Transitions)
	out.Steps, out.Operations, out.Trouble = out.Steps/count, out.Operations/count, out.Trouble/count
	out.Worth = seen.worth()
	return nil
}

// variation says how much a metric varies over some points: with the eigenvalues λ of G₀⁻¹G, where G₀ is the metric in the middle of the points, the ninth
// decile over the points of the largest of λ and 1/λ. It is 1 of a constant metric, and +Inf where G₀ has no factor.
func variation(m Model, points [][]float64) float64 {
	if len(points) == 0 {
		return math.Inf(1)
	}
	n := len(points[0])
	g, chol, e := make([]float64, n*n), linalg.NewCholesky(n), linalg.NewSymEigen(n)
	m.Metric(g, middle(points))
	if chol.Factor(g) != linalg.Factored {
		return math.Inf(1)
	}
	row, white := make([]float64, n), make([]float64, n*n)
	var all []float64
	for _, q := range points {
		m.Metric(g, q)
		// R⁻¹G R⁻ᵀ with G₀ = R Rᵀ, by rows and then by columns.
		for range 2 {
			for i := range n {
				chol.Whiten(row, g[i*n:][:n])
				for j, v := range row {
					white[j*n+i] = v
				}
			}
			g, white = white, g
		}
		x := math.Inf(1)
		if e.Factor(g) == linalg.Factored && e.Values[0] > 0 {
			x = max(e.Values[n-1], 1/e.Values[0])
		}
		all = append(all, x)
	}
	slices.Sort(all)
	return all[len(all)*9/10]
}

// middle is the point of the medians.
func middle(points [][]float64) []float64 {
	out, column := make([]float64, len(points[0])), make([]float64, len(points))
	for i := range out {
		for k, q := range points {
			column[k] = q[i]
		}
		slices.Sort(column)
		out[i] = column[len(column)/2]
	}
	return out
}

// worth is what a draw of the first arm is worth in the coordinate, or in the log density, that moves least: at most 1.
func (t *trial) worth() float64 {
	i := t.slowest()
	if i < 0 {
		return 0
	}
	d := min(t.Arms[0].Moves[i]/t.Arms[0].Count/(2*t.Squares[i]/t.Count), mostWorth)
	return math.Min(1, d/(2-d))
}
