package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/ode"
	"github.com/hamc-dev/hamc/symbolic"
)

// setting is one of the settings that --set gives to a block, named like the
// flag that sets it for all.
type setting struct {
	name string
	set  func(t *runtime.Tuning, text string) error
}

// settings is the table of --set.
var settings = []setting{
	{"integrator", func(t *runtime.Tuning, s string) (err error) { t.Integrator, err = runtime.ParseIntegrator(s); return }},
	{"step-size", real(func(t *runtime.Tuning) *float64 { return &t.StepSize })},
	{"target-accept", real(func(t *runtime.Tuning) *float64 { return &t.TargetAccept })},
	{"steps", whole(func(t *runtime.Tuning) *int { return &t.Steps })},
	{"trajectories", func(t *runtime.Tuning, s string) (err error) {
		t.Trajectories, err = runtime.ParseTrajectories(s)
		return
	}},
	{"bends", func(t *runtime.Tuning, s string) (err error) { t.Bends, err = boolean(s); return }},
	{"random-steps", func(t *runtime.Tuning, s string) (err error) { t.RandomSteps, err = boolean(s); return }},
	{"max-depth", whole(func(t *runtime.Tuning) *int { return &t.MaxDepth })},
	{"extra-doublings", whole(func(t *runtime.Tuning) *int { return &t.ExtraDoublings })},
	{"max-halvings", whole(func(t *runtime.Tuning) *int { return &t.MaxHalvings })},
	{"metric", func(t *runtime.Tuning, s string) (err error) { t.Metric, err = runtime.ParseEuclideanMetric(s); return }},
	{"solver", func(t *runtime.Tuning, s string) (err error) { t.Solver.Method, err = runtime.ParseMethod(s); return }},
	{"tol", real(func(t *runtime.Tuning) *float64 { return &t.Solver.Tolerance })},
	{"norm", func(t *runtime.Tuning, s string) (err error) { t.Solver.Norm, err = runtime.ParseNorm(s); return }},
	{"max-iterations", whole(func(t *runtime.Tuning) *int { return &t.Solver.MaxIterations })},
	{"stop-stalled", func(t *runtime.Tuning, s string) (err error) { t.Solver.StopStalled, err = boolean(s); return }},
	{"reverse-check", func(t *runtime.Tuning, s string) (err error) {
		t.ReverseCheck, err = runtime.ParseReverseCheck(s)
		return
	}},
}

// normFlag adds the flag of the norm of solves.
func normFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "norm", runtime.MetricNorm.String(), "`NORM` that the tolerance of solves is in: metric (units of the metric) or max (coordinates and momenta as they are, as in the paper)")
}

func real(at func(*runtime.Tuning) *float64) func(*runtime.Tuning, string) error {
	return func(t *runtime.Tuning, s string) (err error) {
		if *at(t), err = strconv.ParseFloat(s, 64); err != nil {
			err = errors.New("expected a number")
		}
		return err
	}
}

func whole(at func(*runtime.Tuning) *int) func(*runtime.Tuning, string) error {
	return func(t *runtime.Tuning, s string) (err error) {
		if *at(t), err = strconv.Atoi(s); err != nil {
			err = errors.New("expected a whole number")
		}
		return err
	}
}

func boolean(s string) (bool, error) {
	v, err := strconv.ParseBool(s)
	if err != nil {
		err = errors.New("expected true or false")
	}
	return v, err
}

// setBlocks gives the settings of --set to their blocks: each starts from the
// settings for all.
func setBlocks(opt *runtime.Options, list []string) error {
	for _, text := range list {
		key, value, ok := strings.Cut(text, "=")
		block, name, ok2 := strings.Cut(key, ".")
		if !ok || !ok2 || block == "" {
			return usage{fmt.Errorf("--set %s: write --set BLOCK.SETTING=VALUE, such as --set latent.steps=6", text)}
		}
		var found *setting
		var names []string
		for i := range settings {
			names = append(names, settings[i].name)
			if settings[i].name == name {
				found = &settings[i]
			}
		}
		if found == nil {
			err := fmt.Errorf("--set %s: a block has no setting %s", text, name)
			if near := nearest(name, names); near != "" {
				err = fmt.Errorf("%w; did you mean %s?", err, near)
			} else {
				err = fmt.Errorf("%w; it has %s", err, strings.Join(names, ", "))
			}
			return usage{err}
		}
		t := tuningOf(opt, block)
		if err := found.set(t, value); err != nil {
			return usage{fmt.Errorf("--set %s: %w", text, err)}
		}
	}
	return nil
}

// checkODE returns what is wrong with the tolerances of differential equations
// for a model. The evaluator takes them for any.
func (p *posterior) checkODE(opt *runtime.Options) error {
	if opt.ODE == (ode.Options{}) || p.Solves {
		return nil
	}
	return fmt.Errorf("--ode-rel-tol and its like: model %s has no differential equations", p.checked.Name)
}

// solves reports whether the model has differential equations.
func (m *model) solves() bool {
	all := append([]*symbolic.Derived{m.d}, m.d.Conditionals...)
	return slices.ContainsFunc(all, func(d *symbolic.Derived) bool { return len(d.Solves) > 0 })
}

// tuningOf returns the settings of a block, which start as those for all.
func tuningOf(opt *runtime.Options, block string) *runtime.Tuning {
	for i := range opt.Blocks {
		if opt.Blocks[i].Name == block {
			return &opt.Blocks[i].Tuning
		}
	}
	opt.Blocks = append(opt.Blocks, runtime.BlockTuning{Name: block, Tuning: opt.Tuning})
	return &opt.Blocks[len(opt.Blocks)-1].Tuning
}

// keepList splits the lists of --keep.
func keepList(list []string) []string {
	var out []string
	for _, s := range list {
		for name := range strings.SplitSeq(s, ",") {
			if name = strings.TrimSpace(name); name != "" {
				out = append(out, name)
			}
		}
	}
	return out
}

// odeFlags registers the settings of differential equations.
func odeFlags(cmd *cobra.Command, to *ode.Options) {
	fl := cmd.Flags()
	fl.Float64Var(&to.RelTol, "ode-rel-tol", 0, fmt.Sprintf("relative tolerance of differential equations; default %g", ode.DefaultTolerance))
	fl.Float64Var(&to.AbsTol, "ode-abs-tol", 0, fmt.Sprintf("absolute tolerance of differential equations; default %g", ode.DefaultTolerance))
	fl.IntVar(&to.MaxSteps, "ode-max-steps", 0, fmt.Sprintf("limit of the steps of one integration of a differential equation; default %d", ode.DefaultMaxSteps))
}
