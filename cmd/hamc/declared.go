package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/sampler"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/draws"
	"github.com/hamc-dev/hamc/runtime/driver"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// Coordinates from the Fisher information are made of what data say of vectors about one place. Where that tells little of another, they are worse than those of
// the declarations. Warm-up has no way of knowing: a short run in coordinates that do not fit looks well, as one of the declared funnel does. The whole run tells, by chains that have not
// mixed. It is made again then, in the coordinates of the declarations, and where nothing at all speaks against these draws, they are the run's.

// The values of --coordinates.
const (
	autoCoordinates     = "auto"
	fisherCoordinates   = "fisher"
	declaredCoordinates = "declared"
)

// The depth of the trajectories bounds the work of the warm-up and the first draws of a run that is made again: they are declaredOperations, which take some twenty to forty seconds on one core of
// 2026, or have declaredSteps times the steps of the draws of the first run, if that is more. Trajectories of fewer than 2^leastDepth steps are not worth a trial.
const (
	declaredOperations = 4e10
	declaredSteps      = 3
	leastDepth         = 5
)

// mayDeclare reports whether a run that has ended may be made again in the coordinates of the declarations: one that says neither how far it goes nor in what coordinates, of a
// model with others.
func (p *plan) mayDeclare(f *runFlags, done *driver.Done) bool {
	return done != nil && !done.Interrupted && f.resume == "" && f.coordinates == autoCoordinates && p.request.Target.Yields && len(p.request.Options.Blocks) == 0 &&
		slices.ContainsFunc(p.of.Outline.Info.Params, func(q runtime.Param) bool { return q.Latent })
}

// declare makes a run again in the coordinates of the declarations, where its chains have not mixed, and puts it in the place of the first if nothing speaks against it. Again is nil where the
// first run stands, as it does where the second ends in an error.
func (e *env) declare(ctx context.Context, p *plan, f *runFlags, out *output, first *watcher, g *guard) (again *plan, w *watcher, err error) {
	s, err := summarise(out.dir)
	if err != nil || s.agree() {
		return nil, first, err
	}
	why := s.worst()
	again = &plan{dir: p.dir, request: p.request}
	again.request.Origin.Coordinates, again.request.Origin.Instead = declaredCoordinates, why
	origin := &again.request.Origin
	silent := *e
	silent.stderr, silent.events = io.Discard, nil // what is to be said of the model has been said
	if again.of, err = silent.openPosterior(ctx, p.of.path, p.of.data.path, origin.Consts, false, true, !origin.Evaluate); err != nil {
		return nil, first, nil
	}
	opt := &again.request.Options
	if opt.MaxDepth = depthWithin(&again.of.Outline.Info, opt, first.done); opt.MaxDepth < leastDepth {
		return nil, first, nil
	}
	if !f.quiet {
		fmt.Fprintf(e.stderr, "%s in coordinates from the Fisher information: the run is made again in those of the declarations\n", why)
	}
	var bin *sampler.Binary
	var evaluator interpret.Posterior
	if origin.Evaluate {
		evaluator, err = again.of.evaluator()
	} else if bin, err = e.build(ctx, again.of, time.Now(), f.quiet); bin != nil {
		defer bin.Remove()
		origin.Sampler = bin.ID
	}
	if err != nil || bin == nil && evaluator == nil {
		return nil, first, nil
	}
	dir, err := os.MkdirTemp(out.dir, ".declared-")
	if err != nil {
		return nil, first, problem{err}
	}
	defer os.RemoveAll(dir)
	if again.request.Output, err = filepath.Abs(dir); err != nil {
		return nil, first, problem{err}
	}
	w = e.watcher(f, &output{dir: dir}, opt.Chains)
	w.holds = true
	if e.drawWith(ctx, bin, evaluator, &again.request, w, g) != nil || w.done == nil || w.done.Interrupted {
		return nil, first, nil // the first run stands
	}
	t, err := summarise(dir)
	if err != nil {
		return nil, first, err
	}
	no, missed := "", t.misses(s)
	switch {
	case !t.mixed():
		no = "do no better: " + t.worst()
	case t.evidence.against() > 0:
		no = "are no remedy: warnings speak against the draws in them"
	case missed != "":
		no = "are no remedy: the draws in them never come to where a chain was before, by " + missed
	}
	if no != "" {
		if !f.quiet {
			fmt.Fprintf(e.stderr, "the coordinates of the declarations %s\n", no)
		}
		return nil, first, nil
	}
	if err := driver.Adopt(out.dir, dir); err != nil {
		return nil, first, problem{err}
	}
	for i, name := range w.start.Files {
		w.start.Files[i] = filepath.Join(p.request.Output, filepath.Base(name))
		w.done.Chains[i].File = w.start.Files[i]
	}
	w.done.Seconds += first.done.Seconds
	w.out = out
	w.tell(driver.Event{Event: driver.EventStart, Start: w.start})
	w.tell(driver.Event{Event: driver.EventDone, Done: w.done})
	return again, w, nil
}

// depthWithin is the depth of trajectories of a run that is made again, at most that of the options.
func depthWithin(in *runtime.Info, opt *runtime.Options, first *driver.Done) int {
	steps := 0
	for _, c := range first.Chains {
		steps += c.Blocks[0].Sampling.Steps
	}
	transitions := float64(opt.Chains * (opt.Warmup + opt.Draws))
	draw := in.DrawWork(0)
	each := max((declaredOperations/transitions-draw)/(in.DrawWork(1)-draw), float64(declaredSteps*steps)/transitions)
	return min(opt.MaxDepth, int(math.Floor(math.Log2(max(1, each)))))
}

// misses names a component of which a chain of another run has its mean beyond all draws: it was in a mode that these draws do not come to. It is "" if there is none.
func (s *summary) misses(other *summary) string {
	for k, name := range s.kept[0].Columns {
		if draws.IsStatistic(name) || s.kept[0].Generated(name) {
			continue
		}
		least, most := math.Inf(1), math.Inf(-1)
		for _, c := range s.kept {
			v := c.Values[k][c.Warmup:]
			least, most = min(least, slices.Min(v)), max(most, slices.Max(v))
		}
		for _, c := range other.kept {
			if m := stat.Mean(c.Values[k][c.Warmup:], nil); !(m >= least && m <= most) {
				return name
			}
		}
	}
	return ""
}

// worst says what speaks most against chains that have not mixed, or are too short.
func (s *summary) worst() string {
	moving := slices.DeleteFunc(slices.Clone(s.rows), func(p diagnostics.Summary) bool { return p.Constant })
	if !s.agree() {
		p := slices.MaxFunc(moving, func(a, b diagnostics.Summary) int { return cmp.Compare(a.RHat, b.RHat) })
		return fmt.Sprintf("R-hat was %.3f of %s", p.RHat, p.Name)
	}
	ess := func(p diagnostics.Summary) float64 { return min(p.ESSBulk, p.ESSTail) }
	p := slices.MinFunc(moving, func(a, b diagnostics.Summary) int { return cmp.Compare(ess(a), ess(b)) })
	return fmt.Sprintf("the effective sample size of %s was %.0f", p.Name, ess(p))
}
