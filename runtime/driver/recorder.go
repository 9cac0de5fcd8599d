package driver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/draws"
	"github.com/hamc-dev/hamc/runtime/files"
)

// progressInterval is the time between two progress events of a chain.
const progressInterval = 100 * time.Millisecond

// recorder is the observer that writes the files and the events of a run.
type recorder struct {
	manifest *Manifest
	opt      runtime.Options // Draws is the aim of the round
	target   Target
	dir      string
	resume   bool
	replace  bool // files of an earlier run
	adapts   bool // a Euclidean metric
	begun    bool // there are files of this run
	ticks    bool // progress is reported
	short    *Short

	lock    *os.File
	streams []*stream
	clock   clock

	emit     func(Event) error
	cancel   context.CancelFunc
	progress *runtime.Progress
	last     []reading
	quit     chan struct{} // ends the ticker
	ticker   sync.WaitGroup
	ticking  sync.Mutex // of opt.Draws and progress, which change between rounds
	err      error      // of emit, in the ticker; read after it has ended
}

// reading is what the last progress event of a chain said, and when.
type reading struct {
	done  int
	phase runtime.Phase
	at    time.Time
}

// clock is the content of the file of wall-clock figures.
type clock struct {
	Chains []chainClock `json:"chains"`
	Sum    string       `json:"sha256"` // of the file itself
}

// chainClock tells how long what was timed of a chain took. What a crash cut off is not
// in it.
type chainClock struct {
	Warmup          int     `json:"warmup"` // transitions
	WarmupSeconds   float64 `json:"warmup_seconds"`
	Draws           int     `json:"draws"`
	SamplingSeconds float64 `json:"sampling_seconds"`
}

// clockName is the name of the file of wall-clock figures. It is the only file that
// differs between two runs with the same settings.
const clockName = "time.json"

// lockName is the name of the file that a run holds locked.
const lockName = ".lock"

// newRecorder prepares a run: it checks, and changes nothing yet.
func newRecorder(m runtime.Posterior, opt runtime.Options, request *Request, emit func(Event) error) (*recorder, error) {
	in := m.Info()
	names, _ := runtime.Columns(m, opt.Keep)
	r := &recorder{
		opt:     opt,
		target:  request.Target,
		dir:     request.Output,
		resume:  request.Resume,
		replace: request.Overwrite,
		adapts:  in.Metric.Identity && opt.Metric != runtime.UnitE,
		streams: make([]*stream, opt.Chains),
		last:    make([]reading, opt.Chains),
		clock:   clock{Chains: make([]chainClock, opt.Chains)},
		emit:    emit,
		quit:    make(chan struct{}),
		manifest: &Manifest{
			Format:  FormatVersion,
			Model:   in.Name,
			Params:  in.Params,
			Derived: generated(m),
			Names:   names,
			Stats:   runtime.StatNamesOf(m),
			Options: opt,
			Target:  request.Target,
			Origin:  request.Origin,
		},
	}
	if opt.Start.Prior {
		r.manifest.Uniform = runtime.WithoutPrior(m)
	}
	if t := &r.target; t.Yields {
		if len(r.judged()) == 0 {
			*t = Target{}
		}
		most := valuesAlone / (opt.Chains * (len(names) + len(r.manifest.Stats)))
		t.MaxDraws = max(opt.Draws, min(t.MaxDraws, most))
		t.FarDraws = min(t.FarDraws, most)
		r.manifest.Target = *t
	}
	if r.target.MinESS > 0 && len(r.judged()) == 0 {
		return nil, errors.New("a least effective sample size is one of parameters, and the draws of none are kept")
	}
	r.opt.Discard = true // the draws are in the files
	if !r.resume {
		return r, nil
	}
	old, err := ReadManifest(r.dir)
	if err != nil {
		return nil, err
	}
	if err := old.fits(r.manifest); err != nil {
		return nil, err
	}
	r.manifest.Origin, r.manifest.Race = old.Origin, old.Race
	if r.lock, err = lock(r.dir); err != nil {
		return nil, err
	}
	if err := r.goOn(); err != nil {
		return nil, errors.Join(err, r.finish(false, true))
	}
	return r, nil
}

// goOn takes up a run where its files say that it stands. Nothing is changed before all of them are
// found to be what they were.
func (r *recorder) goOn() error {
	old, err := Verify(r.dir)
	if err != nil {
		return err
	}
	points, err := r.readCheckpoints()
	if err != nil {
		return err
	}
	r.begun = true
	old.Files = nil // which change from here on
	if err := old.write(r.dir); err != nil {
		return err
	}
	for i, c := range points {
		if c == nil {
			r.opt.From = append(r.opt.From, nil)
			continue
		}
		r.opt.From = append(r.opt.From, c.State)
		w, err := draws.Reopen(chainFile(r.dir, i), r.header(i), c.Mark)
		if err != nil {
			return err
		}
		r.open(i, w, c)
	}
	return r.readClock()
}

// generated returns the generated quantities of a posterior.
func generated(m runtime.Posterior) []runtime.Quantity {
	if g, ok := m.(runtime.Generator); ok {
		return g.Generated()
	}
	return nil
}

// readCheckpoints finds where the chains go on from: nil for one from its beginning.
func (r *recorder) readCheckpoints() ([]*checkpoint, error) {
	points := make([]*checkpoint, r.opt.Chains)
	for i := range points {
		c, err := readCheckpoint(checkpointFile(r.dir, i))
		if err != nil {
			return nil, err
		}
		if c == nil {
			continue
		}
		if n := c.State.Drawn(); n != c.Mark.Rows {
			return nil, fmt.Errorf("%s: %d draws made, but %d written", checkpointFile(r.dir, i), n, c.Mark.Rows)
		}
		if n := c.State.Drawn(); n > r.opt.Draws && r.target.MinESS == 0 {
			return nil, fmt.Errorf("chain %d has %d draws already, more than the %d asked for", i+1, n, r.opt.Draws)
		}
		points[i] = c
	}
	return points, nil
}

// readClock adds to the times of an earlier part of the run.
func (r *recorder) readClock() error {
	c, err := readClock(r.dir)
	if err != nil || c == nil {
		return err
	}
	if len(c.Chains) != len(r.clock.Chains) {
		return fmt.Errorf("%s: times of %d chains, and the run has %d", filepath.Join(r.dir, clockName), len(c.Chains), len(r.clock.Chains))
	}
	r.clock = *c
	return nil
}

// readClock reads the file of wall-clock figures, nil if there is none: nothing of the run has ended.
func readClock(dir string) (*clock, error) {
	path := filepath.Join(dir, clockName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := &clock{}
	if err := unseal(text, c); err != nil {
		return nil, fmt.Errorf("%s: the file is damaged, or was edited: %w; %s", path, err, bringBack)
	}
	return c, nil
}

// open starts the stream of chain i.
func (r *recorder) open(i int, w *draws.Writer, from *checkpoint) {
	r.streams[i] = newStream(checkpointFile(r.dir, i), w, len(r.manifest.Stats)+len(r.manifest.Names), from != nil && from.Adapted)
	if from != nil {
		r.streams[i].audits, r.streams[i].failures = from.Audits, from.Failures
	}
}

// sample runs the chains up to the target.
func (r *recorder) sample(ctx context.Context, m runtime.Posterior) (*runtime.Result, error) {
	for {
		result, err := runtime.Sample(ctx, m, r.opt, r)
		if result != nil {
			r.time(result)
		}
		if err != nil || r.target.MinESS == 0 {
			return result, err
		}
		came, err := r.reached()
		if err != nil || r.target.by(came) {
			return result, err
		}
		work, err := r.work(m)
		if err != nil {
			return result, err
		}
		more := r.target.next(r.opt.Draws, came, work)
		if more == 0 {
			if r.target.Yields {
				return result, nil
			}
			r.short = &Short{Name: came.name, ESS: came.ess, Draws: r.opt.Draws}
			if math.IsNaN(came.ess) {
				r.short.ESS = 0
			}
			return result, nil
		}
		var from []*runtime.State
		for i := range result.Chains {
			from = append(from, result.Chains[i].State)
		}
		r.ticking.Lock()
		r.opt.From = from
		r.opt.Draws = more
		r.ticking.Unlock()
	}
}

// reached returns how far the draws of the round have come, see reach.
func (r *recorder) reached() (reached, error) {
	var files []string
	for i, s := range r.streams {
		if err := s.drain(); err != nil {
			return reached{}, err
		}
		files = append(files, chainFile(r.dir, i))
	}
	return reach(files, r.opt.Draws, r.judged(), len(r.manifest.Stats), valuesInMemory)
}

// work counts the operations that a draw of each chain takes, from those that there are.
func (r *recorder) work(m runtime.Posterior) (total float64, err error) {
	if r.target.FarDraws == 0 {
		return 0, nil
	}
	for i := range r.streams {
		columns, err := draws.ReadColumns(chainFile(r.dir, i), []int{stepsColumn}, r.opt.Draws)
		if err != nil {
			return 0, err
		}
		steps := 0.0
		for _, s := range columns[0] {
			steps += s
		}
		total += runtime.DrawWork(m, steps/float64(max(1, len(columns[0]))))
	}
	return total, nil
}

// stepsColumn is that of the numbers of steps in the files of draws.
var stepsColumn = slices.Index(runtime.StatNames[:], "n_leapfrog__")

// judged are the names of the components of parameters, which come first. Generated quantities have no
// say in how far a run goes.
func (r *recorder) judged() []string {
	names := r.manifest.Names
	i := slices.IndexFunc(names, func(column string) bool {
		name, _, _ := strings.Cut(column, ".")
		return slices.ContainsFunc(r.manifest.Derived, func(q runtime.Quantity) bool { return q.Name == name })
	})
	if i < 0 {
		return names
	}
	return names[:i]
}

// time adds the times of a round, and takes its jumps, which are those of all rounds.
func (r *recorder) time(result *runtime.Result) {
	r.manifest.Jumps = jumpsOf(result.Chains)
	for i := range result.Chains {
		c, t := &result.Chains[i], &r.clock.Chains[i]
		if c.State == nil {
			continue // it did not begin
		}
		from := 0
		warmed := 0
		if len(r.opt.From) > 0 && r.opt.From[i] != nil {
			from, warmed = r.opt.From[i].Drawn(), r.opt.From[i].Warmed()
		}
		t.Warmup += c.Warmed() - warmed
		t.Draws += c.Drawn() - from
		t.WarmupSeconds += c.WarmupTime.Seconds()
		t.SamplingSeconds += c.SamplingTime.Seconds()
	}
}

// Start makes the files and starts to report progress.
func (r *recorder) Start(names []string, p *runtime.Progress) error {
	r.ticking.Lock()
	r.progress = p
	r.ticking.Unlock()
	if r.ticks {
		return nil // another round
	}
	if err := os.MkdirAll(r.dir, 0o777); err != nil {
		return err
	}
	var left []string
	if !r.resume {
		if !r.replace {
			if err := vacant(r.dir); err != nil {
				return err
			}
		}
		var err error
		if r.lock, err = lock(r.dir); err != nil {
			return err
		}
		if left, err = clearRun(r.dir); err != nil {
			return err
		}
	}
	if err := r.manifest.write(r.dir); err != nil {
		return err
	}
	r.begun = true
	var files []string
	for i := range r.streams {
		path := chainFile(r.dir, i)
		files = append(files, path)
		if r.streams[i] != nil {
			continue
		}
		w, err := draws.Create(path, true, r.header(i))
		if err != nil {
			return err
		}
		r.open(i, w, nil)
	}
	now := time.Now()
	for i := range r.last {
		r.last[i].at = now
	}
	if err := r.emit(Event{Event: EventStart, Start: &Start{
		Model: r.manifest.Model, Names: names, Options: r.manifest.Options, Files: files, Resumed: r.resume, Left: left,
	}}); err != nil {
		return err
	}
	r.ticks = true
	r.ticker.Go(r.tick)
	return nil
}

// vacant returns an error that names a file of an earlier run, if there is one.
func vacant(dir string) error {
	files, err := draws.Files(dir)
	if err != nil {
		return err
	}
	if len(files) > 0 {
		return fmt.Errorf("%s exists already: remove it, choose another directory, or ask for it to be overwritten", files[0])
	}
	return nil
}

// clearRun removes the files of an earlier run from a directory, and what was made from its
// draws. The manifest goes first: without it nothing resumes what is left. It returns the names of
// products that were changed since, which stay. Where there are no draws any more, what was made
// from them stays too: it may be all that somebody has kept.
func clearRun(dir string) (left []string, err error) {
	files, err := draws.Files(dir)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, name := range []string{clockName, AuditName, FailuresName} {
		all = append(all, filepath.Join(dir, name))
	}
	for _, f := range files {
		all = append(all, checkpointFile(dir, draws.FileNumber(filepath.Base(f))-1), f)
	}
	if err := os.Remove(filepath.Join(dir, ManifestName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(files) > 0 {
		left, err = removeProducts(dir)
	} else {
		err = forgetProducts(dir)
	}
	if err != nil {
		return left, err
	}
	for _, f := range all {
		if err := os.Remove(f); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return left, err
		}
	}
	return left, nil
}

// tick reports progress until quit, and then once more.
func (r *recorder) tick() {
	ticker := time.NewTicker(progressInterval)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			if r.err = r.report(now); r.err != nil {
				r.cancel()
				return
			}
		case <-r.quit:
			r.err = r.report(time.Now())
			return
		}
	}
}

// report sends the progress of the chains that have moved.
func (r *recorder) report(now time.Time) error {
	r.ticking.Lock()
	defer r.ticking.Unlock()
	for i := range r.last {
		c, last := r.progress.Chain(i), &r.last[i]
		if c.Done == last.done && c.Phase == last.phase {
			continue
		}
		rate := 0.0
		if s := now.Sub(last.at).Seconds(); s > 0 {
			rate = float64(c.Done-last.done) / s
		}
		*last = reading{c.Done, c.Phase, now}
		if err := r.emit(Event{Event: EventProgress, Progress: &Progress{
			Chain:        i + 1,
			Phase:        c.Phase,
			Done:         c.Done,
			Total:        c.Total,
			Rate:         rate,
			Failures:     c.Failures,
			Divergent:    c.Divergent,
			Irreversible: c.Irreversible,
			StepSize:     c.StepSize,
		}}); err != nil {
			return err
		}
	}
	return nil
}

// Warmup makes a checkpoint where one is due.
func (r *recorder) Warmup(chain int, state func() *runtime.State) error {
	return r.streams[chain].tick(state)
}

// Adapted notes the outcome of the warm-up in the chain's file, once.
func (r *recorder) Adapted(chain int, runs []runtime.BlockRun) error {
	var blocks []draws.Adaptation
	for i := range runs {
		b := &runs[i]
		a := draws.Adaptation{Block: b.Name, StepSize: b.StepSize, InverseMetric: slices.Clone(b.InverseMetric)}
		if r.opt.For(b.Name).Metric != runtime.DenseE && len(b.InverseMetric) > 0 {
			a.InverseMetric = b.Variances()
		}
		if r.opt.For(b.Name).Steps == 0 { // the warm-up chose
			a.Settings = []draws.Setting{{Name: "extra_doublings", Value: strconv.Itoa(b.ExtraDoublings)}}
			if b.Steps > 0 {
				a.Settings = []draws.Setting{{Name: "fixed_steps", Value: strconv.Itoa(b.Steps)}}
			}
			if b.Split > 0 {
				a.Settings = append(a.Settings, draws.Setting{Name: "split", Value: strconv.Itoa(b.Split)})
			}
		}
		if len(b.Bends) > 0 {
			a.Settings = append(a.Settings, draws.Setting{Name: "bends", Value: strconv.Itoa(len(b.Bends))})
		}
		if b.Climbed {
			a.Settings = append(a.Settings, draws.Setting{Name: "climbed", Value: "true"})
		}
		if b.Anew > 0 {
			a.Settings = append(a.Settings, draws.Setting{Name: "anew", Value: strconv.Itoa(b.Anew)})
		}
		if b.Places > 0 {
			a.Settings = append(a.Settings, draws.Setting{Name: "places", Value: strconv.Itoa(b.Places)})
		}
		if b.Follows {
			a.Settings = append(a.Settings, draws.Setting{Name: "follows", Value: "true"})
		}
		blocks = append(blocks, a)
	}
	return r.streams[chain].adapted(blocks, len(r.manifest.Names))
}

// Audit takes one audit, before the draw that it is of.
func (r *recorder) Audit(chain int, a *runtime.Audit) error {
	s := r.streams[chain]
	s.audits = append(s.audits, auditLine(chain+1, a))
	return nil
}

// Failed takes one failure, before the draw that it is of.
func (r *recorder) Failed(chain int, f *runtime.Failure) error {
	s := r.streams[chain]
	s.failures = append(s.failures, failureLine(chain+1, r.dim(), f))
	return nil
}

// dim is the number of coordinates of the posterior.
func (r *recorder) dim() int {
	in := runtime.Info{Params: r.manifest.Params}
	return in.Dim()
}

// Draw takes one row.
func (r *recorder) Draw(chain int, row []float64, state func() *runtime.State) error {
	return r.streams[chain].add(row, state)
}

// Finish makes a checkpoint of the end of a chain, or of where it was interrupted.
func (r *recorder) Finish(chain int, c *runtime.Chain) error {
	return r.streams[chain].hand(c.State)
}

// finish ends the progress reports and closes the files: with their closing comments
// where the run is complete. Where it has failed, what fails here is no news.
func (r *recorder) finish(complete, failed bool) error {
	var errs []error
	if r.ticks {
		close(r.quit)
		r.ticker.Wait()
		errs = append(errs, r.err)
	}
	for i, s := range r.streams {
		if s == nil {
			continue
		}
		err := s.close(func(w *draws.Writer) error {
			if !complete {
				return w.Abandon()
			}
			return w.Close(r.header(i))
		})
		errs = append(errs, err)
	}
	if r.begun {
		var audits, failures []string
		for _, s := range r.streams {
			if s != nil {
				audits, failures = append(audits, s.audits...), append(failures, s.failures...)
			}
		}
		if r.opt.Audit.Draws > 0 {
			errs = append(errs, writeRows(r.dir, AuditName, AuditColumns[:], audits))
		}
		if len(failures) > 0 {
			errs = append(errs, writeRows(r.dir, FailuresName, FailureColumns(r.dim()), failures))
		}
		r.clock.Sum = unsealed
		text, err := seal(&r.clock)
		if err == nil {
			err = files.Replace(filepath.Join(r.dir, clockName), text)
		}
		errs = append(errs, err)
		if !failed && errors.Join(errs...) == nil {
			errs = append(errs, r.manifest.close(r.dir))
		}
	}
	if r.lock != nil {
		errs = append(errs, r.lock.Close())
	}
	if failed {
		return nil
	}
	return errors.Join(errs...)
}
