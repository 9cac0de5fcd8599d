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
	TargetAccept float64 `json:"target_accept"` // mean acceptance that adaptation aims at

	Steps       int     `json:"steps"`           // steps per trajectory; 0 takes ⌈Time/ε⌉
	Time        float64 `json:"trajectory_time"` // integration time of a trajectory
	MaxSteps    int     `json:"max_steps"`       // limit of ⌈Time/ε⌉
	RandomSteps bool    `json:"random_steps"`    // draw the number of steps from 1 to that

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
	Warmup int    `json:"warmup"` // transitions before the first draw
	Draws  int    `json:"draws"`  // per chain
	Seed   uint64 `json:"seed"`

	// ODE are the tolerances of the differential equations of a model that
	// has some; what is 0 has its default.
	ODE ode.Options `json:"ode"`

	// Init holds starting points on the parameters' own scale: none, one
	// for all chains, or one for each. What is NaN in one, and chains without
	// one, start uniformly on (−2, 2) of the unconstrained scale.
	Init []Point `json:"init,omitempty"`

	// Keep names the parameters whose draws are kept; if it is empty, all are.
	Keep []string `json:"keep,omitempty"`

	// Workers is the number of chains that run at the same time; 0 stands
	// for GOMAXPROCS. Results do not depend on it.
	Workers int `json:"workers"`

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

// DefaultOptions returns the settings used where nothing else is asked for.
//
// The number of steps is uniform on 1..⌈12/ε⌉, at most 100. In the units of the
// metric a Gaussian has period 2π, and a fixed time near π or 2π returns each
// coordinate to ±itself; a random number of steps has no such trap. The mean time
// of 6 is more than a Gaussian needs and what the funnel asks for: with 4 chains of
// 1000 draws the least bulk ESS there was 1650–2200 at R-hat ≤ 1.005 (5 seeds), but
// 670–870 and up to 1.009 for a time of 8 (4 seeds); banana 730–1130, logistic
// regression 3600.
func DefaultOptions() Options {
	return Options{
		Tuning: Tuning{
			TargetAccept: 0.9,
			Time:         12,
			MaxSteps:     100,
			RandomSteps:  true,
			Solver:       Solver{Tolerance: 1e-6, MaxIterations: 1000, StopStalled: true},
			ReverseCheck: ReverseSuspect,
		},
		Chains: 4,
		Warmup: 1000,
		Draws:  1000,
		Seed:   1,
	}
}

// solver is a posterior whose differential equations have tolerances.
type solver interface{ SetODE(opt ode.Options) }

// maxTolerance is the coarsest tolerance of the fixed-point solves.
const maxTolerance = 0.1

// Validate returns everything that is wrong with the options for a posterior, as
// one error of several lines, or nil.
func (o *Options) Validate(p Posterior) error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	in := p.Info()

	blocks, err := blocksOf(p)
	if err != nil {
		return err
	}
	var names []string
	for _, b := range blocks {
		name := ""
		if b.given != nil {
			name = b.system.Info().Name
			names = append(names, name)
		}
		t := o.For(name)
		for _, err := range t.validate(b.system.Info().Metric, o.Warmup) {
			errs = append(errs, blockError(name, err))
		}
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
	if _, ok := p.(solver); !ok && o.ODE != (ode.Options{}) {
		wrong("tolerances of differential equations: model %s has none", in.Name)
	}
	for _, name := range o.Keep {
		if !slices.ContainsFunc(in.Params, func(q Param) bool { return q.Name == name }) {
			wrong("the draws of %s cannot be kept: model %s has no such parameter", name, in.Name)
		}
	}
	errs = append(errs, o.general()...)
	if n := len(o.Init); n > 1 && n != o.Chains {
		wrong("%d starting points for %d chains: expected none, one for all, or one for each", n, o.Chains)
	}
	for i, x := range o.Init {
		if len(x) != in.Dim() {
			wrong("starting point %d has %d values: model %s has %d parameters", i+1, len(x), in.Name, in.Dim())
		}
	}
	return errors.Join(errs...)
}

// ValidateAlone returns what is wrong with the options whatever the posterior,
// or nil.
func (o *Options) ValidateAlone() error {
	any := MetricInfo{Constant: true} // which every integrator steps
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
		if !(o.TargetAccept > 0 && o.TargetAccept < 1) {
			wrong("target acceptance %v: expected a number between 0 and 1", o.TargetAccept)
		}
		if warmup == 0 {
			wrong("no warm-up to adapt the step size in: give a step size, or at least one warm-up transition (1000 is usual)")
		}
	}
	if d := o.Solver.Tolerance; !(d > 0 && d <= maxTolerance) {
		wrong("solver tolerance %v: expected a positive number of at most %v; a coarser solve leaves a map that is neither reversible nor volume preserving", d, maxTolerance)
	}
	if o.Steps < 0 {
		wrong("%d steps per trajectory: expected a positive number, or 0 to derive it from the trajectory time", o.Steps)
	}
	if o.Steps == 0 {
		if !(o.Time > 0) || !isFinite(o.Time) {
			wrong("trajectory time %v: expected a positive number, or a number of steps", o.Time)
		}
		if o.MaxSteps < 1 {
			wrong("at most %d steps per trajectory: expected at least 1", o.MaxSteps)
		}
	}
	if o.Solver.MaxIterations < 1 {
		wrong("solver limit of %d iterations: expected at least 1 (1000 is usual)", o.Solver.MaxIterations)
	}
	if o.ReverseCheck > ReverseAll {
		wrong("unknown reversibility check %v", o.ReverseCheck)
	}
	return errs
}

// length returns the rule for the number of steps.
func (o *Tuning) length() Length {
	return Length{Steps: o.Steps, Time: o.Time, MaxSteps: o.MaxSteps, Random: o.RandomSteps}
}

// workers returns the number of goroutines that run chains.
func (o *Options) workers() int {
	n := o.Workers
	if n == 0 {
		n = goruntime.GOMAXPROCS(0)
	}
	return min(n, o.Chains)
}
