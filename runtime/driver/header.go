package driver

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/draws"
)

// header is the header of the file of chain i.
func (r *recorder) header(i int) draws.Header {
	opt := &r.opt
	h := draws.Header{
		Model:    r.manifest.Model,
		Samples:  opt.Draws,
		Warmup:   opt.Warmup,
		Seed:     opt.Seed,
		ID:       i + 1,
		MaxDepth: maxDepth(opt),
		Settings: append(append(r.start(), settings(opt)...), r.derived()...),
		Columns:  append(append([]string(nil), r.manifest.Stats...), r.manifest.Names...),
	}
	if r.adapts && len(opt.Blocks) == 0 {
		if h.Metric = opt.Metric.String(); opt.Metric == runtime.LowRank {
			h.Metric = runtime.DiagE.String() // readers know Stan's; the diagonal is what the file tells
		}
	}
	return h
}

// maxDepth is the limit of treedepth__: the largest of the blocks with dynamic
// trajectories, 0 if there are none.
func maxDepth(opt *runtime.Options) int {
	tunings := []*runtime.Tuning{&opt.Tuning}
	if len(opt.Blocks) > 0 {
		tunings = nil
		for i := range opt.Blocks {
			tunings = append(tunings, &opt.Blocks[i].Tuning)
		}
	}
	depth := 0
	for _, t := range tunings {
		if t.Steps == 0 {
			depth = max(depth, t.MaxDepth)
		}
	}
	return depth
}

// start tells how the starting points came about, if they are not drawn as by default.
func (r *recorder) start() []draws.Setting {
	if r.opt.Start == (runtime.Start{}) {
		return nil
	}
	s := []draws.Setting{{Name: "init", Value: r.opt.Start.String()}}
	if len(r.manifest.Uniform) > 0 {
		s = append(s, draws.Setting{Name: "init_uniform", Value: strings.Join(r.manifest.Uniform, " ")})
	}
	return s
}

// derived names the generated quantities among the columns, so that a file tells them from parameters.
func (r *recorder) derived() []draws.Setting {
	var names []string
	for i := range r.manifest.Derived {
		name := r.manifest.Derived[i].Name
		if len(r.opt.Keep) == 0 || slices.Contains(r.opt.Keep, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []draws.Setting{{Name: draws.GeneratedSetting, Value: strings.Join(names, " ")}}
}

// settings are the options that the header of a file tells.
func settings(opt *runtime.Options) []draws.Setting {
	if len(opt.Blocks) == 0 {
		return tuning("", &opt.Tuning)
	}
	var s []draws.Setting
	for i := range opt.Blocks {
		s = append(s, tuning(opt.Blocks[i].Name+".", &opt.Blocks[i].Tuning)...)
	}
	return s
}

// tuning are the settings of one block.
func tuning(prefix string, opt *runtime.Tuning) []draws.Setting {
	set := func(name, value string) draws.Setting { return draws.Setting{Name: prefix + name, Value: value} }
	s := []draws.Setting{
		set("integrator", opt.Integrator.String()),
		set("solver_tolerance", string(draws.AppendFloat(nil, opt.Solver.Tolerance))),
		set("solver_norm", opt.Solver.Norm.String()),
		set("solver_max_iterations", strconv.Itoa(opt.Solver.MaxIterations)),
		set("reverse_check", opt.ReverseCheck.String()),
	}
	if opt.Steps > 0 {
		return append(s, set("steps", strconv.Itoa(opt.Steps)), set("random_steps", strconv.FormatBool(opt.RandomSteps)))
	}
	return append(s, set("max_treedepth", strconv.Itoa(opt.MaxDepth)))
}
