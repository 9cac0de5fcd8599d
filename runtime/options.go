package runtime

import (
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"

	"github.com/hamc-dev/hamc/runtime/ode"
)

// Tuning are the settings of the transitions of one block.
type Tuning struct {
	Integrator Integrator `json:"integrator"`

	StepSize     float64 `json:"step_size"`     // ε; 0 adapts it during warm-up
	TargetAccept float64 `json:"target_accept"` // mean acceptance that adaptation aims at; 0 stands for that of Target

	Steps       int  `json:"steps"`        // steps of static trajectories; 0 for those that Trajectories says
	RandomSteps bool `json:"random_steps"` // draw the number of steps of static trajectories from 1 to Steps
	MaxDepth    int  `json:"max_depth"`    // of dynamic trajectories

	Trajectories Trajectories `json:"trajectories"`

	// Bends has coordinates bent that depart from normal ones, where warm-up adapts a metric by AutoMetric or LowRank: see Bend.
	Bends bool `json:"bends"`

	// ExtraDoublings is how many times a dynamic trajectory doubles after it has turned
	// back. AdaptDoublings tries 0 and 1 in warm-up and takes the better; with the leapfrog it is 0, and 1 for one coordinate.
	ExtraDoublings int `json:"extra_doublings"`

	// MaxHalvings is how many times a step of the leapfrog may be halved on a dynamic trajectory, where the energy would not keep
	// otherwise: see halving.go.
	MaxHalvings int `json:"max_halvings"`

	// Metric says what is adapted where the model leaves its metric to the sampler.
	Metric EuclideanMetric `json:"metric"`

	Solver       Solver       `json:"solver"`
	ReverseCheck ReverseCheck `json:"reverse_check"`
}

// BlockTuning are the settings of the block called Name.
type BlockTuning struct {
	Name string `json:"name"`
	Tuning
}

// Options are the settings of Sample. Every value is taken literally, so start
// from DefaultOptions. The JSON names are part of the protocol of package
// driver.
type Options struct {
	Tuning

	// Blocks holds settings of single blocks of a Gibbs, in place of the
	// ones above.
	Blocks []BlockTuning `json:"blocks,omitempty"`

	Chains int    `json:"chains"`
	Warmup int    `json:"warmup"` // transitions before the first draw, at most: fewer where the metric that is adapted has settled
	Draws  int    `json:"draws"`  // per chain
	Seed   uint64 `json:"seed"`

	// ODE are the tolerances of the differential equations of a model that
	// has some; what is 0 has its default.
	ODE ode.Options `json:"ode"`

	// Init holds starting points on the parameters' own scale: none, one
	// for all chains, or one for each. What is NaN in one, and chains without
	// one, are drawn as Start says.
	Init []Point `json:"init,omitempty"`

	// Start is the distribution of starting points that are drawn.
	Start Start `json:"start,omitzero"`

	// Keep names the parameters and generated quantities whose draws are kept; if
	// it is empty, all are.
	Keep []string `json:"keep,omitempty"`

	// Jumps has chains jump that are at different places when their warm-ups are over: see foothold.
	Jumps bool `json:"jumps"`

	// Audit says which draws are audited. Chains do not depend on it.
	Audit AuditRate `json:"audit,omitzero"`

	// Workers is the number of chains that run at the same time; 0 stands
	// for GOMAXPROCS. Results do not depend on it.
	Workers int `json:"workers"`

	// From, if not empty, is where each chain goes on from.
	From []*State `json:"-"`

	// Discard keeps no draws in the Result: they go to the Observer only.
	Discard bool `json:"discard"`
}

// For returns the settings of the block of that name.
func (o *Options) For(block string) Tuning {
	for i := range o.Blocks {
		if o.Blocks[i].Name == block {
			return o.Blocks[i].Tuning
		}
	}
	return o.Tuning
}

// Target returns the mean acceptance that adaptation aims at with an integrator: that of t or, where that says nothing, 0.8 with
// the leapfrog, whose steps are halved where they are too long, and 0.9 with the others, where a step that is too long for the narrow
// places keeps a chain out of them.
func (t *Tuning) Target(k Integrator) float64 {
	switch {
	case t.TargetAccept != 0:
		return t.TargetAccept
	case k == Leapfrog:
		return 0.8
	}
	return 0.9
}

// DefaultOptions returns the settings used where nothing else is asked for.
func DefaultOptions() Options {
	return Options{
		Tuning: Tuning{
			MaxDepth:       10,
			ExtraDoublings: AdaptDoublings,
			MaxHalvings:    8,
			Bends:          true,
			Solver:         Solver{Tolerance: 1e-6, Norm: MetricNorm, MaxIterations: 1000, StopStalled: true},
			ReverseCheck:   ReverseSuspect,
		},
		Chains: 4,
		Warmup: 500,
		Draws:  1000,
		Seed:   1,
		Jumps:  true,
	}
}

// solver is a posterior whose differential equations have tolerances.
type solver interface{ SetODE(opt ode.Options) }

// maxTolerance is the coarsest tolerance of the fixed-point solves.
const maxTolerance = 0.1

// AdaptDoublings, as Tuning.ExtraDoublings, leaves the number to the warm-up.
const AdaptDoublings = -1

// maxMaxDepth is the largest limit of the depth of a trajectory: a million steps.
const maxMaxDepth = 20

// maxMaxHalvings is the largest limit of the halvings of a step: into a million steps.
const maxMaxHalvings = 20

// Validate returns everything that is wrong with the options for a posterior, as
// one error of several lines, or nil.
func (o *Options) Validate(p Posterior) error {
	out, err := OutlineOf(p)
	if err != nil {
		return err
	}
	return o.ValidateOutline(out)
}

// ValidateOutline is Validate for the posterior of an outline.
func (o *Options) ValidateOutline(p *Outline) error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	in := &p.Info
	var names []string
	adapts := false // some block
	implicit := false
	for i := range p.Blocks {
		b := &p.Blocks[i]
		adapts = adapts || b.Info.Metric.Identity || b.Info.Metric.Auto
		name := b.Name
		if name != "" {
			names = append(names, name)
		}
		t := o.For(name)
		metric := b.Info.Metric.settled(&t)
		implicit = implicit || audited(&t, metric)
		for _, err := range t.validate(metric, o.Warmup) {
			errs = append(errs, blockError(name, err))
		}
		if k, err := t.Integrator.Resolve(metric); err == nil && t.Solver.Method == Newton {
			if err := solvesByNewton(&b.Info, b.Curved, k); err != nil {
				errs = append(errs, blockError(name, err))
			}
		}
	}
	if o.Metric > LowRank && o.Metric != FisherMetric && !adapts {
		wrong("metric %v: model %s has a metric of its own, so there is none to adapt", o.Metric, in.Name)
	}
	if o.Audit.Draws > 0 && !implicit {
		wrong("an audit: model %s is sampled by the explicit leapfrog, which is reversible and preserves volume but for rounding; there is nothing to audit", in.Name)
	}
	for i := range o.Blocks {
		name := o.Blocks[i].Name
		switch {
		case len(names) == 0:
			wrong("settings of a block %s: model %s is sampled as a whole", name, in.Name)
		case !slices.Contains(names, name):
			wrong("settings of a block %s: model %s has the blocks %s", name, in.Name, strings.Join(names, ", "))
		}
		for j := range i {
			if o.Blocks[j].Name == name {
				wrong("block %s has its settings twice", name)
			}
		}
	}
	if !p.Tolerances && o.ODE != (ode.Options{}) {
		wrong("tolerances of differential equations: model %s has none", in.Name)
	}
	for _, name := range o.Keep {
		if !slices.ContainsFunc(in.Params, func(q Param) bool { return q.Name == name }) &&
			!slices.ContainsFunc(p.Generated, func(q Quantity) bool { return q.Name == name }) {
			wrong("the draws of %s cannot be kept: model %s has no such parameter or quantity", name, in.Name)
		}
	}
	errs = append(errs, o.general()...)
	if n := len(o.Init); n > 1 && n != o.Chains {
		wrong("%d starting points for %d chains: expected none, one for all, or one for each", n, o.Chains)
	}
	if n := len(o.From); n > 0 && n != o.Chains {
		wrong("%d states to go on from for %d chains", n, o.Chains)
	}
	if o.Start.Prior && len(p.Priors) == 0 {
		wrong("starting points from the prior: model %s has no parameter that can be drawn from its prior; start uniformly, or give starting points", in.Name)
	}
	for i, x := range o.Init {
		if len(x) != in.Size() {
			wrong("starting point %d has %d values: model %s has %d parameters", i+1, len(x), in.Name, in.Size())
		}
	}
	return errors.Join(errs...)
}

// ValidateAlone returns what is wrong with the options whatever the posterior,
// or nil.
func (o *Options) ValidateAlone() error {
	any := MetricInfo{Constant: true, Identity: true, Auto: true} // which every integrator steps
	errs := o.Tuning.validate(any, o.Warmup)
	for i := range o.Blocks {
		for _, err := range o.Blocks[i].validate(any, o.Warmup) {
			errs = append(errs, blockError(o.Blocks[i].Name, err))
		}
	}
	return errors.Join(append(errs, o.general()...)...)
}

// general returns what is wrong with the settings that no block has.
func (o *Options) general() []error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, tol := range []float64{o.ODE.RelTol, o.ODE.AbsTol} {
		if !(tol >= 0 && tol <= maxTolerance) {
			wrong("tolerance %v of differential equations: expected a positive number of at most %v, or 0 for the default", tol, maxTolerance)
		}
	}
	if o.ODE.MaxSteps < 0 {
		wrong("at most %d steps of a differential equation: expected a positive number, or 0 for the default", o.ODE.MaxSteps)
	}
	if o.Chains < 1 {
		wrong("%d chains: expected at least 1", o.Chains)
	}
	if o.Warmup < 0 {
		wrong("%d warm-up transitions: expected 0 or more", o.Warmup)
	}
	if o.Draws < 1 {
		wrong("%d draws: expected at least 1", o.Draws)
	}
	if err := o.Audit.validate(); err != nil {
		errs = append(errs, err)
	}
	if err := o.Start.validate(); err != nil {
		errs = append(errs, err)
	}
	if o.Start.Prior && len(o.Init) > 0 {
		wrong("starting points that are given, and such from the prior: expected one or the other")
	}
	if o.Workers < 0 {
		wrong("%d workers: expected a positive number, or 0 for one per core", o.Workers)
	}
	return errs
}

// validate returns what is wrong with the settings of a block.
func (o *Tuning) validate(metric MetricInfo, warmup int) []error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if _, err := o.Integrator.Resolve(metric); err != nil {
		errs = append(errs, err)
	}
	if !(o.StepSize >= 0) || !isFinite(o.StepSize) {
		wrong("step size %v: expected a positive number, or 0 to adapt it", o.StepSize)
	}
	if o.StepSize == 0 {
		if !(o.TargetAccept >= 0 && o.TargetAccept < 1) {
			wrong("target acceptance %v: expected a number between 0 and 1", o.TargetAccept)
		}
		if warmup == 0 {
			wrong("no warm-up to adapt the step size in: give a step size, or at least one warm-up transition (500 is usual)")
		}
	}
	if d := o.Solver.Tolerance; !(d > 0 && d <= maxTolerance) {
		wrong("solver tolerance %v: expected a positive number of at most %v; a coarser solve leaves a map that is neither reversible nor volume preserving", d, maxTolerance)
	}
	if o.Steps < 0 {
		wrong("%d steps per trajectory: expected a positive number, or 0 for dynamic trajectories", o.Steps)
	}
	if o.Steps == 0 && (o.MaxDepth < 1 || o.MaxDepth > maxMaxDepth) {
		wrong("tree depth of at most %d: expected 1 to %d", o.MaxDepth, maxMaxDepth)
	}
	if o.ExtraDoublings < AdaptDoublings || o.ExtraDoublings > maxMaxDepth {
		wrong("%d extra doublings: expected 0 or more, or -1 to have the warm-up choose", o.ExtraDoublings)
	}
	if o.MaxHalvings < 0 || o.MaxHalvings > maxMaxHalvings {
		wrong("steps halved %d times: expected 0 to %d", o.MaxHalvings, maxMaxHalvings)
	}
	if o.Solver.Method > Newton {
		wrong("unknown solver %v", o.Solver.Method)
	}
	if o.Solver.Norm > MetricNorm {
		wrong("unknown norm %v", o.Solver.Norm)
	}
	if o.Metric == FisherMetric && !metric.Auto {
		wrong("metric fisher: it is no candidate of this model: write `metric fisher` in the model")
	}
	if o.Trajectories > DynamicTrajectories {
		wrong("unknown trajectories %v", o.Trajectories)
	}
	if o.Metric > FisherMetric {
		wrong("unknown metric %v", o.Metric)
	}
	if o.Solver.MaxIterations < 1 {
		wrong("solver limit of %d iterations: expected at least 1 (1000 is usual)", o.Solver.MaxIterations)
	}
	if o.ReverseCheck > ReverseSampled {
		wrong("unknown reversibility check %v", o.ReverseCheck)
	}
	return errs
}

// workers returns the number of goroutines that run chains.
func (o *Options) workers() int {
	n := o.Workers
	if n == 0 {
		n = goruntime.GOMAXPROCS(0)
	}
	return min(n, o.Chains)
}
