package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/sampler"
	"github.com/hamc-dev/hamc/cmd/hamc/internal/terminal"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/driver"
	"github.com/hamc-dev/hamc/symbolic"
)

// runFlags are the settings of `hamc run`.
type runFlags struct {
	data, output, integrator, init, reverse string
	consts, set, keep                       []string
	opt                                     runtime.Options
	randomSteps, quiet, overwrite, evaluate bool
}

func newRun(e *env) *cobra.Command {
	f := runFlags{opt: runtime.DefaultOptions()}
	o := &f.opt
	cmd := &cobra.Command{
		Use:   "run MODEL.ham",
		Short: "Compile a model, sample it, and summarise the draws",
		Args:  exactly(1, "MODEL.ham"),

		ValidArgsFunction: completeModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.sample(cmd, args[0], &f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.data, "data", "", "`FILE` of data in CmdStan's JSON; default MODEL.data.json beside the model")
	fl.StringVar(&f.output, "output-dir", "", "`DIR` for the draws; default MODEL-draws/1, MODEL-draws/2, …")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace the draws of an earlier run in --output-dir")
	fl.StringVar(&f.integrator, "integrator", "", "`NAME`: glfa, glfb, ima, imb or leapfrog; default imb, or leapfrog where the metric is constant")
	fl.Float64Var(&o.StepSize, "step-size", 0, "step size ε; default: adapted in warm-up")
	fl.Float64Var(&o.TargetAccept, "target-accept", o.TargetAccept, "mean acceptance that the adaptation aims at")
	fl.IntVar(&o.Steps, "steps", 0, "steps per trajectory, fixed unless --random-steps is given; default: from the trajectory time and the step size")
	fl.BoolVar(&f.randomSteps, "random-steps", o.RandomSteps, "draw the number of steps uniformly from 1 to the number of --steps; default unless --steps is given")
	fl.Float64Var(&o.Solver.Tolerance, "tol", o.Solver.Tolerance, "tolerance δ of the fixed-point solves, on max|Δ|")
	fl.IntVar(&o.Solver.MaxIterations, "max-iterations", o.Solver.MaxIterations, "limit of one fixed-point solve")
	fl.BoolVar(&o.Solver.StopStalled, "stop-stalled", o.Solver.StopStalled, "give up solves that stop contracting")
	fl.StringVar(&f.reverse, "reverse-check", "suspect", "`WHICH` of the accepted proposals to integrate back: off (none), suspect (those with hard solves) or all")
	odeFlags(cmd, &o.ODE)
	fl.IntVar(&o.Chains, "chains", o.Chains, "number of chains")
	fl.IntVar(&o.Draws, "draws", o.Draws, "draws per chain")
	fl.IntVar(&o.Warmup, "warmup", o.Warmup, "warm-up transitions per chain")
	fl.Uint64Var(&o.Seed, "seed", o.Seed, "random seed")
	fl.StringVar(&f.init, "init", "", "`FILE` of starting points in JSON: {\"parameter\": value, …}, or a list with one per chain; parameters left out are drawn; default MODEL.init.json beside the model, if there is one")
	fl.IntVar(&o.Workers, "workers", 0, "chains that run at the same time; default: the number of cores")
	fl.StringArrayVar(&f.set, "set", nil, "setting of one block of a model of several: `BLOCK.SETTING=VALUE`, such as latent.steps=6; the settings are named like the flags from --integrator to --reverse-check")
	fl.StringArrayVar(&f.keep, "keep", nil, "`NAMES` of the parameters whose draws are written, separated by commas; default: all")
	fl.BoolVar(&f.quiet, "quiet", false, "nothing on standard error but errors and warnings")
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
	opt.RandomSteps = f.randomSteps
	random := cmd.Flags().Changed("random-steps")
	if opt.Steps > 0 && !random {
		opt.RandomSteps = false
	}
	if err := setBlocks(&opt, f.set, random); err != nil {
		return opt, err
	}
	opt.Keep = keepList(f.keep)
	if len(f.keep) > 0 && opt.Keep == nil {
		return opt, usage{errors.New("--keep names no parameter")}
	}
	if err := opt.ValidateAlone(); err != nil {
		return opt, usage{err}
	}
	return opt, nil
}

func (e *env) sample(cmd *cobra.Command, path string, f *runFlags) error {
	began := time.Now()
	say := func(format string, args ...any) {
		if !f.quiet {
			fmt.Fprintf(e.stderr, format, args...)
		}
	}
	opt, err := f.options(cmd)
	if err != nil {
		return err
	}
	m, err := e.load(path, f.consts)
	if err != nil {
		return err
	}
	im, err := m.interpreted(f.data) // the data are checked before anything is built
	if err != nil {
		return err
	}
	say("checked  %s: %s\n", m.name(), describe(m, im.Info()))
	if u := im.Unknown(); len(u) > 0 {
		fmt.Fprintf(e.stderr, "warning: the data file holds names that the model does not declare: %s\n", strings.Join(u, ", "))
	}
	data, err := m.dataPath(f.data)
	if err != nil {
		return err
	}
	if f.init == "" {
		if f.init = m.beside(".init.json"); f.init != "" {
			say("starting points from %s\n", f.init)
		}
	}
	if f.init != "" {
		if opt.Init, err = readInit(f.init, im); err != nil {
			return err
		}
	}
	if err := errors.Join(opt.Validate(im), m.checkODE(&opt)); err != nil {
		return problem{err}
	}
	if f.output != "" && !f.overwrite {
		if err := noDraws(f.output); err != nil {
			return err
		}
	}

	var guard guard
	ctx, stop := guard.watch(cmd.Context())
	defer stop()
	var bin *sampler.Binary
	if !f.evaluate {
		if bin, err = e.build(ctx, m, began, f.quiet); err != nil {
			return err
		}
	}
	if bin != nil {
		defer bin.Remove()
	}

	out, err := claim(m.name(), f.output)
	if err != nil {
		return problem{err}
	}
	defer out.release()
	request := &driver.Request{Overwrite: f.overwrite, Options: opt}
	if request.Output, err = filepath.Abs(out.dir); err != nil {
		return problem{err}
	}
	if data != "" {
		if request.Data, err = filepath.Abs(data); err != nil {
			return problem{err}
		}
	}
	mode := terminal.Auto
	if f.quiet {
		mode = terminal.Quiet
	}
	watch := &watcher{out: out, display: terminal.New(e.stderr, mode, opt.Chains)}
	if bin == nil {
		_, err = driver.Run(ctx, im, request, watch.event)
		err = wrap(err)
	} else {
		err = e.runSampler(ctx, bin.Path, request, watch, &guard)
	}
	watch.display.Finish()
	switch {
	case err != nil:
		return err
	case watch.done == nil && ctx.Err() != nil:
		return interruption(ctx)
	case watch.done == nil:
		return internal{errors.New("the sampler ended without a result")}
	}
	if watch.done.Interrupted && sampled(watch.done) == 0 {
		fmt.Fprintln(e.stderr, "interrupted before the first draw: nothing is kept")
		return interruption(ctx)
	}
	out.keep()
	if err := e.report(out.dir, watch); err != nil {
		return err
	}
	if watch.done.Interrupted {
		return interruption(ctx)
	}
	return nil
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
func (e *env) build(ctx context.Context, m *model, began time.Time, quiet bool) (*sampler.Binary, error) {
	say := func(format string, args ...any) {
		if !quiet {
			fmt.Fprintf(e.stderr, format, args...)
		}
	}
	code, err := m.generate("model")
	if err != nil {
		return nil, err
	}
	say("compiled to %d lines of Go in %s\n", bytes.Count(code, []byte("\n")), milliseconds(time.Since(began)))
	start := time.Now()
	finish := func() {}
	if !quiet {
		finish = terminal.Wait(e.stderr, "building")
	}
	bin, err := sampler.Build(ctx, code)
	finish()
	var toolchain *sampler.ToolchainError
	var failed *sampler.BuildError
	switch {
	case err == nil && bin.Cached:
		say("built    earlier, from the same model\n")
	case err == nil:
		say("built    in %.1f s\n", time.Since(start).Seconds())
	case ctx.Err() != nil:
		return nil, interruption(ctx)
	case errors.As(err, &toolchain):
		fmt.Fprintf(e.stderr, "%v; sampling with the evaluator, which is much slower\n", err)
		return nil, nil
	case errors.As(err, &failed):
		return nil, internal{err}
	default:
		return nil, problem{err}
	}
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
	if m.d.Metric != nil {
		return fmt.Sprintf("%s, %s metric", what, metricKind(m.d.Metric))
	}
	var blocks []string
	for _, c := range m.d.Conditionals {
		blocks = append(blocks, fmt.Sprintf("%s (%s metric)", c.Block.ObjectName(), metricKind(c.Metric)))
	}
	return fmt.Sprintf("%s, in the blocks %s", what, strings.Join(blocks, ", "))
}

// metricKind says in a few words what a metric is.
func metricKind(met *symbolic.Metric) string {
	switch {
	case met.SoftAbs:
		return "SoftAbs"
	case met.Constant && met.Kind() == "dense":
		return "constant"
	case met.Constant:
		return "constant " + met.Kind()
	}
	return met.Kind()
}

// watcher turns the sampler's events into the display.
type watcher struct {
	out     *output
	display *terminal.Display
	start   *driver.Start
	done    *driver.Done
	failure string
}

func (w *watcher) event(ev driver.Event) error {
	switch ev.Event {
	case driver.EventStart:
		w.start = ev.Start
		return w.out.begun(ev.Start.Files)
	case driver.EventProgress:
		p := ev.Progress
		w.display.Update(terminal.ChainProgress{Chain: p.Chain, Phase: p.Phase.String(), Done: p.Done, Total: p.Total,
			Rate: p.Rate, Failures: p.Failures, Divergences: p.Divergent})
	case driver.EventDone:
		w.done = ev.Done
	case driver.EventError:
		w.failure = ev.Error
	}
	return nil
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
		return internal{fmt.Errorf("the sampler failed: %v\n%s", err, strings.TrimSpace(stderr.String()))}
	}
	return nil
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
	usual := make([]float64, info.Dim()) // stands for what is not given
	m.Constrain(usual, q)
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
		if err := m.Unconstrain(q, x); err != nil {
			return nil, problem{o.errorf("%v", err)}
		}
		for i, v := range q {
			if v-v != 0 {
				return nil, problem{o.errorf("coordinate %s is not finite: %v", runtime.ComponentNames(info)[i], v)}
			}
		}
		for _, i := range missing {
			x[i] = math.NaN() // drawn
		}
		out = append(out, x)
	}
	return out, nil
}
