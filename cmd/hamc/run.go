package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/sampler"
	"github.com/hamc-dev/hamc/cmd/hamc/internal/terminal"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/driver"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// runFlags are the settings of `hamc run`.
type runFlags struct {
	data, output, integrator, metric, trajectories, solver, norm, init, reverse, resume, coordinates string

	consts, set, keep          []string
	opt                        runtime.Options
	minESS                     float64
	maxDraws, audit            int
	quiet, overwrite, evaluate bool
	progress                   string // a name of progressModes
}

// progressModes are the values of --progress.
var progressModes = []string{"auto", "plain", "json", "none"}

// checkProgress completes and checks the way in which progress is shown.
func (f *runFlags) checkProgress(cmd *cobra.Command) error {
	if f.quiet {
		if cmd.Flags().Changed("progress") && f.progress != "none" {
			return usage{fmt.Errorf("--quiet and --progress %s contradict each other: --quiet stands for --progress none", f.progress)}
		}
		f.progress = "none"
	}
	if !slices.Contains(progressModes, f.progress) {
		return usage{fmt.Errorf("--progress %s: expected auto, plain, json or none", f.progress)}
	}
	// What is written for people has no place among events.
	f.quiet = f.progress == "none" || f.progress == "json"
	return nil
}

func newRun(e *env) *cobra.Command {
	f := runFlags{opt: runtime.DefaultOptions()}
	o := &f.opt
	cmd := &cobra.Command{
		Use:   "run MODEL.ham",
		Short: "Compile a model, sample it, and summarise the draws",
		Args: func(cmd *cobra.Command, args []string) error {
			if f.resume != "" && len(args) == 0 {
				return nil // the directory knows its model
			}
			return exactly(1, "MODEL.ham")(cmd, args)
		},

		ValidArgsFunction: completeModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.checkProgress(cmd); err != nil {
				return err
			}
			return e.sample(cmd, args, &f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.data, "data", "", "`FILE` of data in CmdStan's JSON; default MODEL.data.json beside the model")
	fl.StringVar(&f.output, "output-dir", "", "`DIR` for the draws; default MODEL-draws/1, MODEL-draws/2, …")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace the draws of an earlier run in --output-dir, and remove what hamc has made from them there")
	fl.StringVar(&f.resume, "resume", "", "go on with the run in `DIR`, which was interrupted, or is to have more --draws")
	fl.StringVar(&f.integrator, "integrator", "", "`NAME`: glfa, glfb, ima, imb or leapfrog; default imb, or leapfrog where the metric is constant")
	fl.Float64Var(&o.StepSize, "step-size", 0, "step size ε; default: adapted in warm-up")
	fl.Float64Var(&o.TargetAccept, "target-accept", o.TargetAccept, "mean acceptance that the adaptation aims at; default 0.8 with the leapfrog, else 0.9")
	fl.IntVar(&o.Steps, "steps", 0, "steps of static trajectories, fixed unless --random-steps is given; default: as --trajectories says")
	fl.StringVar(&f.trajectories, "trajectories", "auto", "`KIND` of trajectories without --steps: dynamic (NUTS), or auto (a fixed number of steps for each chain where a measurement in warm-up says that it pays, else dynamic)")
	fl.BoolVar(&o.Bends, "bends", o.Bends, "whether coordinates that depart from normal ones are bent in warm-up, where it adapts the metric low_rank")
	fl.BoolVar(&o.Jumps, "jumps", o.Jumps, "whether chains that are at different places when warm-up is over jump between these")
	fl.BoolVar(&o.RandomSteps, "random-steps", false, "draw the number of steps uniformly from 1 to the number of --steps")
	fl.IntVar(&o.MaxDepth, "max-depth", o.MaxDepth, "limit of the tree depth of dynamic trajectories, which have up to 2^depth − 1 steps")
	fl.IntVar(&o.ExtraDoublings, "extra-doublings", o.ExtraDoublings, "how many times a dynamic trajectory doubles after it has turned back; -1: with the leapfrog 0, or 1 for one coordinate, else 0 or 1, as a trial in warm-up says")
	fl.IntVar(&o.MaxHalvings, "max-halvings", o.MaxHalvings, "how many times a leapfrog step of a dynamic trajectory may be halved, where the energy would not keep otherwise")
	fl.StringVar(&f.metric, "metric", "auto", "`METRIC` of a model that leaves it to hamc: low_rank (adapted in warm-up; diagonal but for the directions that need more), diag_e, dense_e, unit_e (none), fisher (of a model that has it as a candidate) or auto (low_rank, or fisher where a race of both says so)")
	fl.StringVar(&f.coordinates, "coordinates", autoCoordinates, "`COORDINATES` of a model that leaves its metric to hamc: fisher (from the Fisher information, for vectors whose priors have parameters), declared (those of the declarations) or auto (fisher; where chains have not mixed in them, and do in those of the declarations, these)")
	fl.StringVar(&f.solver, "solver", "default", "`METHOD` of the implicit steps: fixed-point; anderson, for imb, its default for more than two coordinates; or newton, for imb and glfb")
	fl.Float64Var(&o.Solver.Tolerance, "tol", o.Solver.Tolerance, "tolerance δ of the fixed-point solves")
	normFlag(cmd, &f.norm)
	fl.IntVar(&o.Solver.MaxIterations, "max-iterations", o.Solver.MaxIterations, "limit of one fixed-point solve")
	fl.BoolVar(&o.Solver.StopStalled, "stop-stalled", o.Solver.StopStalled, "give up solves that stop contracting")
	fl.StringVar(&f.reverse, "reverse-check", "suspect", "`WHICH` of the accepted proposals to integrate back: off (none), suspect (those with hard solves), sampled (and one in 16 of the others) or all")
	odeFlags(cmd, &o.ODE)
	fl.IntVar(&o.Chains, "chains", o.Chains, "number of chains")
	fl.IntVar(&o.Draws, "draws", o.Draws, "draws per chain; without --draws, and without --step-size and --audit, a run goes on from there until its R-hat and effective sample sizes are as they should be, up to ten times as far, and up to fifty times where draws are cheap, or ends at once where that would not do")
	fl.Float64Var(&f.minESS, "min-ess", 0, "go on after --draws until every effective sample size, bulk and tail, is at least this")
	fl.IntVar(&f.maxDraws, "max-draws", 0, "draws per chain at which a run gives up that goes on; default: 20 times --draws with --min-ess, else 10 times, and up to 50 times where draws are cheap")
	fl.IntVar(&f.audit, "audit", 0, "number of draws of each chain at which to measure how far the integrator is from reversible and volume preserving, written to DIR/audit.csv; each costs about 4 trajectories per coordinate")
	fl.IntVar(&o.Warmup, "warmup", o.Warmup, "warm-up transitions per chain, at most: a chain whose metric has settled makes fewer")
	fl.Uint64Var(&o.Seed, "seed", o.Seed, "random seed")
	fl.StringVar(&f.init, "init", "", "starting points: `FILE` in JSON, {\"parameter\": value, …} or a list with one per chain, where parameters left out are drawn; uniform, on (−2, 2) of the unconstrained scale; uniform:RADIUS; or prior; default MODEL.init.json beside the model, if there is one, else uniform")
	fl.IntVar(&o.Workers, "workers", 0, "chains that run at the same time; default: the number of cores")
	fl.StringArrayVar(&f.set, "set", nil, "setting of one block of a model of several: `BLOCK.SETTING=VALUE`, such as latent.steps=6; the settings are named like the flags from --integrator to --reverse-check")
	fl.StringArrayVar(&f.keep, "keep", nil, "`NAMES` of the parameters whose draws are written, separated by commas; default: all")
	fl.BoolVar(&f.quiet, "quiet", false, "nothing on standard error but errors and warnings: --progress none")
	fl.StringVar(&f.progress, "progress", "auto", "`HOW` progress is shown on standard error: auto (live on a terminal), plain (lines), json (a line of JSON for each event, for programs) or none")
	fl.BoolVar(&f.evaluate, "evaluate", false, "sample with the evaluator instead of compiled code (slow; needs no Go toolchain)")
	constFlag(cmd, &f.consts)
	completeFlags(cmd)
	return cmd
}

// options completes the options that the flags set, and checks all that can be
// checked without a model.
func (f *runFlags) options(cmd *cobra.Command) (runtime.Options, error) {
	opt := f.opt
	if f.integrator != "" {
		k, err := runtime.ParseIntegrator(f.integrator)
		if err != nil {
			return opt, usage{err}
		}
		opt.Integrator = k
	}
	if err := opt.ReverseCheck.UnmarshalText([]byte(f.reverse)); err != nil {
		return opt, usage{fmt.Errorf("--reverse-check: %w", err)}
	}
	if err := opt.Solver.Method.UnmarshalText([]byte(f.solver)); err != nil {
		return opt, usage{fmt.Errorf("--solver: %w", err)}
	}
	if err := opt.Solver.Norm.UnmarshalText([]byte(f.norm)); err != nil {
		return opt, usage{fmt.Errorf("--norm: %w", err)}
	}
	if err := opt.Trajectories.UnmarshalText([]byte(f.trajectories)); err != nil {
		return opt, usage{fmt.Errorf("--trajectories: %w", err)}
	}
	if err := opt.Metric.UnmarshalText([]byte(f.metric)); err != nil {
		return opt, usage{fmt.Errorf("--metric: %w", err)}
	}
	if namesStart(f.init) {
		start, err := runtime.ParseStart(f.init)
		if err != nil {
			return opt, usage{fmt.Errorf("--init %s: %w; a file of that name is ./%s", f.init, err, f.init)}
		}
		opt.Start = start
	}
	if err := setBlocks(&opt, f.set); err != nil {
		return opt, err
	}
	opt.Keep = keepList(f.keep)
	if len(f.keep) > 0 && opt.Keep == nil {
		return opt, usage{errors.New("--keep names no parameter")}
	}
	if f.audit < 0 || f.audit > opt.Draws && opt.Draws > 0 {
		return opt, usage{fmt.Errorf("--audit %d: expected 0 to %d, the number of draws of each chain", f.audit, opt.Draws)}
	}
	opt.Audit = runtime.NewAuditRate(f.audit, opt.Draws)
	target := f.target(cmd, &opt)
	if f.maxDraws != 0 && target.MinESS == 0 {
		return opt, usage{errors.New("--max-draws is the limit of a run that goes on, and this one has a length of its own: leave it out, or give --min-ess too")}
	}
	if err := errors.Join(opt.ValidateAlone(), target.Validate(opt.Draws)); err != nil {
		return opt, usage{err}
	}
	return opt, nil
}

// maxGrowth is the default of --max-draws in terms of --draws, and maxGrowthAlone that of a run that says nothing of how far it goes.
const (
	maxGrowth      = 20
	maxGrowthAlone = 10

	// Where a run takes a few seconds, it may go farther: on one core of 2026 these operations take some thirty, and often ten.
	farGrowth     = 50
	farOperations = 3e10
)

// fixedLength are the flags of which one says how far a run goes, or that it is an experiment with settings of its own.
var fixedLength = []string{"draws", "min-ess", "step-size", "audit"}

// target is how far the run goes. One that does not say so goes on until nothing of its R-hat and effective sample sizes speaks against its draws, if that is in reach.
func (f *runFlags) target(cmd *cobra.Command, opt *runtime.Options) driver.Target {
	t, growth := driver.Target{MinESS: f.minESS}, maxGrowth
	if !slices.ContainsFunc(fixedLength, cmd.Flags().Changed) {
		t, growth = driver.Target{MinESS: minESS, MaxRHat: maxRHat, Yields: true}, maxGrowthAlone
	}
	if t.MinESS > 0 {
		t.MaxDraws = cmp.Or(f.maxDraws, growth*opt.Draws)
	}
	if t.Yields && f.maxDraws == 0 {
		t.FarDraws, t.Operations = farGrowth*opt.Draws, farOperations
	}
	return t
}

// plan is a run that is about to begin or to go on: everything checked, nothing written.
type plan struct {
	of      *posterior
	request driver.Request
	dir     string // for the draws; "" for one that is yet to be found
}

func (e *env) sample(cmd *cobra.Command, args []string, f *runFlags) (err error) {
	began := time.Now()
	if f.progress == "json" {
		e.events = e.stderr
		defer func() {
			var stopped interrupted // of which the event done tells
			var weak distrusted     // likewise the event verdict
			if err != nil && !errors.Is(err, errReported) && !errors.As(err, &stopped) && !errors.As(err, &weak) {
				text := driver.Event{Event: driver.EventError, Error: err.Error()}
				_ = json.NewEncoder(e.stderr).Encode(text) // the message below says it too
			}
		}()
	}
	var p *plan
	if f.resume != "" {
		p, err = e.resumed(cmd, args, f)
	} else {
		p, err = e.fresh(cmd, args[0], f)
	}
	if err != nil {
		return err
	}
	origin := &p.request.Origin

	var guard guard
	ctx, stop := guard.watch(cmd.Context())
	defer stop()
	var bin *sampler.Binary
	if !origin.Evaluate {
		if bin, err = e.build(ctx, p.of, began, f.quiet); err != nil {
			return err
		}
	}
	id := ""
	if bin != nil {
		defer bin.Remove()
		id = bin.ID
	} else if id, err = sampler.EvaluatorID(); err != nil {
		return internal{err}
	}
	if f.resume != "" && id != origin.Sampler {
		return problem{fmt.Errorf("%s was begun with another version of hamc or of Go, or on another kind of machine: the rest of its draws would not be the ones that it would have made; resume it where it was begun, or start a new run", p.dir)}
	}
	origin.Sampler = id
	origin.Evaluate = bin == nil

	var evaluator interpret.Posterior
	if bin == nil {
		if evaluator, err = p.of.evaluator(); err != nil {
			return err
		}
	}
	out, err := claim(p.of.name(), p.dir)
	if err != nil {
		return problem{err}
	}
	defer out.release()
	if p.request.Output, err = filepath.Abs(out.dir); err != nil {
		return problem{err}
	}
	watch := e.watcher(f, out, p.request.Options.Chains)
	err = e.drawWith(ctx, bin, evaluator, &p.request, watch, &guard)
	if err == nil && p.mayDeclare(f, watch.done) {
		var again *plan
		if again, watch, err = e.declare(ctx, p, f, out, watch, &guard); again != nil {
			p = again
		}
	}
	for _, name := range out.stale {
		fmt.Fprintf(e.stderr, "warning: %s was not made from these draws, but stays: it was changed, or it is not certain that hamc made it\n", filepath.Join(out.dir, name))
	}
	return e.conclude(ctx, err, p, out, watch)
}

// drawWith makes the draws of a run by its sampler, or by the evaluator where there is none.
func (e *env) drawWith(ctx context.Context, bin *sampler.Binary, evaluator interpret.Posterior, request *driver.Request, watch *watcher, g *guard) (err error) {
	defer watch.display.Finish()
	if bin != nil {
		return e.runSampler(ctx, bin.Path, request, watch, g)
	}
	err = driver.Run(ctx, evaluator, request, watch.event)
	watch.refused = driver.RefusedStarts(err)
	return wrap(err)
}

// watcher follows a run as the flags ask.
func (e *env) watcher(f *runFlags, out *output, chains int) *watcher {
	mode := terminal.Auto
	switch {
	case f.quiet:
		mode = terminal.Quiet
	case f.progress == "plain":
		mode = terminal.Plain
	}
	watch := &watcher{out: out, display: terminal.New(e.stderr, mode, chains)}
	if f.progress == "json" {
		watch.events = json.NewEncoder(e.stderr)
	}
	return watch
}

// conclude says how a run ended, and what came of it.
func (e *env) conclude(ctx context.Context, err error, p *plan, out *output, watch *watcher) error {
	switch {
	case err != nil && out.begun:
		return fmt.Errorf("%w: `hamc run --resume %s`", err, out.dir)
	case err != nil && len(watch.refused) > 0:
		return problem{fmt.Errorf("%s\n%s", err, p.blame(watch.refused))}
	case err != nil && ctx.Err() == nil && watch.failure != "":
		// A compiled sampler that did not begin may have no metric.
		if why := p.blameMetric(); why != "" {
			return problem{fmt.Errorf("%s\n%s", err, why)}
		}
		return err
	case err != nil:
		return err
	case watch.done == nil && ctx.Err() != nil:
		return interruption(ctx)
	case watch.done == nil:
		return internal{errors.New("the sampler ended without a result")}
	}
	if watch.done.Interrupted && sampled(watch.done) == 0 {
		fmt.Fprintf(e.stderr, "interrupted before the first draw; to go on: hamc run --resume %s\n", out.dir)
		return interruption(ctx)
	}
	if err := e.report(out.dir, watch, p.of); err != nil {
		return err
	}
	if watch.done.Interrupted {
		return interruption(ctx)
	}
	if s := watch.done.Short; s != nil {
		return problem{fmt.Errorf("the effective sample size of %s is %.0f after %d draws of each chain, short of the %g asked for: raise --max-draws and resume with `hamc run --resume %s`, or look at the warnings above", s.Name, s.ESS, s.Draws, p.request.Target.MinESS, out.dir)}
	}
	return nil
}

// fresh plans a new run.
func (e *env) fresh(cmd *cobra.Command, path string, f *runFlags) (*plan, error) {
	opt, err := f.options(cmd)
	if err != nil {
		return nil, err
	}
	p := &plan{dir: f.output}
	p.request = driver.Request{Overwrite: f.overwrite, Options: opt, Target: f.target(cmd, &opt)}
	p.request.Origin = driver.Origin{Consts: f.consts, Evaluate: f.evaluate}
	switch f.coordinates {
	case declaredCoordinates:
		p.request.Origin.Coordinates = declaredCoordinates
	case autoCoordinates, fisherCoordinates:
	default:
		return nil, usage{fmt.Errorf("--coordinates %s: expected %s, %s or %s", f.coordinates, autoCoordinates, fisherCoordinates, declaredCoordinates)}
	}
	if err := e.open(cmd.Context(), p, path, f.data, f.consts, f.quiet); err != nil {
		return nil, err
	}
	if f.init == "" {
		if f.init = p.of.beside(".init.json"); f.init != "" && !f.quiet {
			fmt.Fprintf(e.stderr, "starting points from %s\n", f.init)
		}
	}
	if f.init != "" && !namesStart(f.init) {
		im, err := p.of.evaluator()
		if err != nil {
			return nil, err
		}
		if p.request.Options.Init, err = readInit(f.init, im); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(p.request.Options.ValidateOutline(p.of.Outline), p.of.checkODE(&p.request.Options)); err != nil {
		return nil, problem{err}
	}
	if f.output != "" && !f.overwrite {
		if err := noDraws(f.output); err != nil {
			return nil, err
		}
	}
	if opt.Start.Prior && !f.quiet {
		fmt.Fprintln(e.stderr, p.of.startsFromPrior())
	}
	return p, nil
}

// byNewton reports whether some block is to solve by Newton's method.
func byNewton(opt *runtime.Options) bool {
	return opt.Solver.Method == runtime.Newton ||
		slices.ContainsFunc(opt.Blocks, func(b runtime.BlockTuning) bool { return b.Solver.Method == runtime.Newton })
}

// namesStart reports whether the value of --init is the name of a distribution, and
// not a file.
func namesStart(init string) bool {
	name, _, _ := strings.Cut(init, ":")
	return name == "prior" || name == "uniform"
}

// noPriors says which parameters do not start from the prior, and why.
func (m *model) noPriors() string {
	var rest []string
	for _, x := range m.d.NoPriors {
		rest = append(rest, fmt.Sprintf("%s (%s)", x.Param.ObjectName(), x.Why))
	}
	return strings.Join(rest, ", ")
}

// startsFromPrior says which parameters start from the prior, and why the others do
// not.
func (f *facts) startsFromPrior() string {
	if f.NoPriors == "" {
		return "starting points from the prior"
	}
	return "starting points from the prior, but uniform on the unconstrained scale for " + f.NoPriors
}

// open loads the model and its data into a plan, and notes where they came from.
func (e *env) open(ctx context.Context, p *plan, path, data string, consts []string, quiet bool) (err error) {
	// The data are checked before anything is built.
	if p.of, err = e.openPosterior(ctx, path, data, consts, byNewton(&p.request.Options), p.request.Origin.Coordinates == declaredCoordinates, !p.request.Origin.Evaluate); err != nil {
		return err
	}
	if !quiet {
		fmt.Fprintf(e.stderr, "checked  %s: %s\n", p.of.name(), p.of.Form)
	}
	if u := p.of.data.Unknown(); len(u) > 0 {
		fmt.Fprintf(e.stderr, "warning: %s\n", unknownData(u))
	}
	e.tellScarce(p.of.model, p.of.data.Data)
	origin := &p.request.Origin
	if origin.Model, err = filepath.Abs(path); err != nil {
		return problem{err}
	}
	origin.Source = p.of.text
	origin.ModelSum = checksum([]byte(p.of.text))
	if data = p.of.data.path; data == "" {
		return nil
	}
	if p.request.Data, err = filepath.Abs(data); err != nil {
		return problem{err}
	}
	origin.Data = p.request.Data
	origin.DataSum, err = fileChecksum(data)
	return err
}

// sampled counts the draws of a run.
func sampled(done *driver.Done) int {
	n := 0
	for i := range done.Chains {
		n += done.Chains[i].Draws()
	}
	return n
}

// build returns the model's sampler, or nil without a Go toolchain.
func (e *env) build(ctx context.Context, of *posterior, began time.Time, quiet bool) (*sampler.Binary, error) {
	say := func(format string, args ...any) {
		if !quiet {
			fmt.Fprintf(e.stderr, format, args...)
		}
	}
	var code []byte
	if of.known == "" {
		var err error
		if code, err = of.code(); err != nil {
			return nil, err
		}
	}
	say("compiled to %d lines of Go in %s\n", of.Lines, milliseconds(time.Since(began)))
	start := time.Now()
	finish := func() {}
	if !quiet {
		finish = terminal.Wait(e.stderr, "building")
	}
	var uncompiled error
	bin, err := sampler.Build(ctx, of.known, func() ([]byte, error) {
		if code == nil {
			code, uncompiled = of.code()
		}
		return code, uncompiled
	})
	finish()
	var toolchain *sampler.ToolchainError
	var failed *sampler.BuildError
	switch {
	case uncompiled != nil:
		return nil, uncompiled
	case err == nil && bin.Cached:
		say("built    earlier, from the same model\n")
	case err == nil:
		say("built    in %.1f s\n", time.Since(start).Seconds())
	case ctx.Err() != nil:
		return nil, interruption(ctx)
	case errors.As(err, &toolchain):
		fmt.Fprintf(e.stderr, "%v; sampling with the evaluator, which is much slower\n", err)
		return nil, nil
	case errors.As(err, &failed) && failed.Code:
		return nil, internal{err}
	default:
		return nil, problem{fmt.Errorf("%w\n--evaluate samples without a compiled sampler, slowly", err)}
	}
	if bin.Note != "" {
		say("%s\n", bin.Note)
	}
	of.remember(ctx, bin)
	return bin, nil
}

// milliseconds writes a short time.
func milliseconds(d time.Duration) string { return fmt.Sprintf("%.0f ms", d.Seconds()*1e3) }

// describe says in a line what a model is.
func describe(m *model, in *runtime.Info) string {
	what := plural(len(in.Params), "parameter")
	if n := in.Dim(); n != len(in.Params) {
		what += fmt.Sprintf(" of %s", plural(n, "coordinate"))
	}
	var latent []string
	for _, t := range m.d.Transports {
		name := t.Param.Decl.ObjectName()
		switch {
		case t.Sparse:
			name += " (sparse)"
		case t.Diagonals == 0:
			name += " (dense)"
		}
		if !slices.Contains(latent, name) {
			latent = append(latent, name)
		}
	}
	if len(latent) > 0 {
		what += ", transport of " + strings.Join(latent, " and ")
	}
	if list := unmapped(m); len(list) > 0 {
		what += ", without one for " + strings.Join(list, " and ")
	}
	if m.d.Metric != nil && m.d.Metric.Auto {
		return fmt.Sprintf("%s, Euclidean metric or Fisher information (%s)", what, m.d.Metric.Describe())
	}
	if m.d.Metric != nil {
		return fmt.Sprintf("%s, %s metric", what, m.d.Metric.Describe())
	}
	var blocks []string
	for _, c := range m.d.Conditionals {
		blocks = append(blocks, fmt.Sprintf("%s (%s metric)", c.Block.ObjectName(), c.Metric.Describe()))
	}
	return fmt.Sprintf("%s, in the blocks %s", what, strings.Join(blocks, ", "))
}

// unmapped are the parameters of a model without a metric that have scales of other parameters, and no coordinates of their own.
func unmapped(m *model) (out []string) {
	for _, b := range m.checked.Blocks {
		if slices.ContainsFunc(b.Metric, func(t *dsl.MetricTerm) bool { return t.Kind != dsl.MetricAuto }) {
			return nil
		}
	}
	for _, p := range m.checked.Hierarchical() {
		mapped := false
		for _, t := range m.d.Transports {
			mapped = mapped || t.Param.Decl.ObjectName() == p.Name
		}
		if !mapped {
			out = append(out, p.Name)
		}
	}
	return out
}

// watcher turns the sampler's events into the display.
type watcher struct {
	out     *output
	display *terminal.Display
	start   *driver.Start
	done    *driver.Done
	failure string
	refused []driver.Refused
	events  *json.Encoder // of --progress json; nil for others
	holds   bool          // of a run that may not count: its events but for those of progress are not told yet
}

func (w *watcher) event(ev driver.Event) error {
	if ev.Event != driver.EventError && (!w.holds || ev.Event == driver.EventProgress) {
		w.tell(ev)
	}
	switch ev.Event {
	case driver.EventStart:
		w.start = ev.Start
		w.out.begin(ev.Start.Resumed, ev.Start.Left)
	case driver.EventProgress:
		p := ev.Progress
		w.display.Update(terminal.ChainProgress{Chain: p.Chain, Phase: p.Phase.String(), Done: p.Done, Total: p.Total,
			Rate: p.Rate, Failures: p.Failures, Divergences: p.Divergent})
	case driver.EventDone:
		w.done = ev.Done
	case driver.EventError:
		w.failure, w.refused = ev.Error, ev.Refused
	}
	return nil
}

// tell writes an event, where --progress json asks for them. Like the display, it is not worth a run: where nobody reads it any more,
// the run goes on.
func (w *watcher) tell(ev driver.Event) {
	if w.events == nil {
		return
	}
	if err := w.events.Encode(ev); err != nil {
		w.events = nil
	}
}

// runSampler runs a built sampler as a child process.
func (e *env) runSampler(ctx context.Context, bin string, request *driver.Request, w *watcher, g *guard) error {
	text, err := json.Marshal(request)
	if err != nil {
		return internal{err}
	}
	cmd := exec.Command(bin)
	cmd.Stdin = bytes.NewReader(text)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return problem{err}
	}
	if err := cmd.Start(); err != nil {
		return problem{err}
	}
	g.adopt(cmd.Process)
	defer g.adopt(nil)
	stop := context.AfterFunc(ctx, func() {
		// Some systems have no interrupts.
		if cmd.Process.Signal(os.Interrupt) != nil {
			_ = cmd.Process.Kill()
		}
	})
	defer stop()
	failed := w.follow(out)
	if failed != nil {
		_ = cmd.Process.Kill() // nobody listens to it any more
	}
	err = cmd.Wait()
	switch {
	case failed != nil:
		return failed
	case w.failure != "":
		return problem{errors.New(w.failure)}
	case w.done != nil:
		return nil
	case ctx.Err() != nil:
		return interruption(ctx)
	case err != nil:
		said := strings.TrimSpace(stderr.String())
		if why := sampler.OutOfMemory(said, err); why != "" {
			return problem{fmt.Errorf("the sampler ended: %s; %s", why, needs(request))}
		}
		return internal{fmt.Errorf("the sampler failed: %v\n%s", err, said)}
	}
	return nil
}

// needs says in a few words what a sampler needs memory for.
func needs(request *driver.Request) string {
	text := "it needs some for each chain that runs at the same time, see --workers"
	if fi, err := os.Stat(request.Data); err == nil {
		text += fmt.Sprintf(", and for the data, of %s as text", sampler.Size(fi.Size()))
	}
	return text
}

// follow takes events, one from each line, up to the end.
func (w *watcher) follow(r io.Reader) error {
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var ev driver.Event
			if e := json.Unmarshal(line, &ev); e != nil {
				return internal{fmt.Errorf("the sampler wrote %q", line)}
			}
			if e := w.event(ev); e != nil {
				return problem{e}
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return problem{err}
		}
	}
}

// readInit reads starting points on the parameters' own scale: an object, or a
// list of them.
func readInit(path string, m runtime.Posterior) ([]runtime.Point, error) {
	text, err := readText(path)
	if err != nil {
		return nil, err
	}
	b := []byte(text)
	var objects []*object
	if at := skipSpace(b, 0); at < len(b) && b[at] == '{' {
		o, err := readObject(path, b, at, b[at:])
		if err != nil {
			return nil, problem{err}
		}
		objects = []*object{o}
	} else if objects, err = readObjects(path, b, `{"parameter": value, …} or a list of such objects`); err != nil {
		return nil, err
	}
	if len(objects) == 0 {
		return nil, problem{fmt.Errorf("%s: the list of starting points is empty", path)}
	}
	info := m.Info()
	q := make([]float64, info.Dim())
	usual := make([]float64, info.Size()) // stands for what is not given
	m.Constrain(usual, q)
	unconstrain := m.Unconstrain
	if t, ok := m.(runtime.Transported); ok {
		unconstrain = t.Plain // the map of the origin may have no value
		if d, ok := m.(runtime.PriorDrawer); ok && slices.ContainsFunc(usual, func(v float64) bool { return v-v != 0 }) {
			d.DrawPrior(usual, rand.New(rand.NewPCG(0, 0)))
		}
	}
	var out []runtime.Point
	for _, o := range objects {
		var x []float64
		var missing []int
		var names []string
		for i := range info.Params {
			p := &info.Params[i]
			names = append(names, p.Name)
			if !o.set.Has(p.Name) {
				for range p.Size() {
					missing = append(missing, len(x))
					x = append(x, usual[len(x)])
				}
				continue
			}
			v, err := o.reals(p.Name, p.Shape...)
			if err != nil {
				return nil, problem{o.because(err, "a starting point has values of parameters on their own scale")}
			}
			x = append(x, v...)
		}
		if other := o.set.Unknown(names...); len(other) > 0 {
			return nil, problem{o.errorf("the model %s has no parameter %s", info.Name, other[0])}
		}
		if err := unconstrain(q, x); err != nil {
			return nil, problem{o.errorf("%v", err)}
		}
		for i, v := range q {
			if v-v != 0 {
				return nil, problem{o.errorf("coordinate %s is not finite: %v", runtime.CoordinateNames(info)[i], v)}
			}
		}
		for _, i := range missing {
			x[i] = math.NaN() // drawn
		}
		out = append(out, x)
	}
	return out, nil
}
