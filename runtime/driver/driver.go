// Package driver is the main program of a compiled sampler. It reads a Request
// from standard input, samples, writes a CSV file per chain, and reports on
// standard output in lines of JSON, so that the process that started it can
// render them.
package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/draws"
)

// progressInterval is the time between two progress events of a chain.
const progressInterval = 100 * time.Millisecond

// Load makes a model from its data. A model without data file is given an empty
// JSON object. The name goes in front of the errors' positions.
type Load func(data io.Reader, name string) (runtime.Posterior, error)

// Main serves the request on standard input and exits: with 0 when the run is
// complete or was interrupted by SIGINT or SIGTERM and ended in order, with 1
// after an error event.
func Main(load Load) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := Serve(ctx, load, os.Stdin, os.Stdout)
	stop()
	os.Exit(code)
}

// Serve is Main on given streams. It returns the exit code.
func Serve(ctx context.Context, load Load, stdin io.Reader, stdout io.Writer) int {
	out := json.NewEncoder(stdout)
	emit := func(e Event) error { return out.Encode(e) }
	if err := serve(ctx, load, stdin, emit); err != nil {
		// If standard output is gone too, the exit code still tells.
		_ = emit(Event{Event: EventError, Error: err.Error()})
		return 1
	}
	return 0
}

func serve(ctx context.Context, load Load, stdin io.Reader, emit func(Event) error) error {
	request, err := readRequest(stdin)
	if err != nil {
		return err
	}
	model, err := loadModel(load, request.Data)
	if err != nil {
		return err
	}
	_, err = Run(ctx, model, request, emit)
	return err
}

// readRequest reads a request over the default options.
func readRequest(r io.Reader) (*Request, error) {
	request := &Request{Options: runtime.DefaultOptions()}
	in := json.NewDecoder(r)
	in.DisallowUnknownFields()
	if err := in.Decode(request); err != nil {
		return nil, fmt.Errorf("request on standard input: %w", err)
	}
	return request, nil
}

// loadModel opens the data file and makes the model.
func loadModel(load Load, path string) (runtime.Posterior, error) {
	if path == "" {
		return load(bytes.NewReader([]byte("{}")), "no data file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return load(f, path)
}

// Run samples m as the request asks, in this process, and writes the files of
// draws; the request's Data is not looked at. Events go to emit, one at a time;
// an error that emit returns ends the run. A run that ctx interrupts is not an
// error: its Done event says so, and its files lack the closing comments.
func Run(ctx context.Context, m runtime.Posterior, request *Request, emit func(Event) error) (*runtime.Result, error) {
	if err := request.Options.Validate(m); err != nil {
		return nil, err
	}
	if request.Output == "" {
		return nil, errors.New("no directory for the draws")
	}
	if err := os.MkdirAll(request.Output, 0o777); err != nil {
		return nil, err
	}
	began := time.Now()
	opt := resolved(m, request.Options)
	r := &recorder{
		model:   m.Info(),
		stats:   runtime.StatNamesOf(m),
		opt:     opt,
		request: request,
		writers: make([]*draws.Writer, opt.Chains),
		files:   make([]string, opt.Chains),
		last:    make([]reading, opt.Chains),
		emit:    emit,
		quit:    make(chan struct{}),
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.cancel = cancel
	result, err := runtime.Sample(ctx, m, opt, r)
	interrupted := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if interrupted {
		err = nil
	}
	if err = errors.Join(r.finish(), err); err != nil {
		return nil, err
	}
	done := &Done{Interrupted: interrupted, Seconds: time.Since(began).Seconds()}
	for i := range result.Chains {
		c := &result.Chains[i]
		done.Chains = append(done.Chains, ChainSummary{
			Chain:           i + 1,
			File:            r.files[i],
			Blocks:          c.Blocks,
			WarmupSeconds:   c.WarmupTime.Seconds(),
			SamplingSeconds: c.SamplingTime.Seconds(),
		})
	}
	return result, emit(Event{Event: EventDone, Done: done})
}

// resolved returns the options with the integrators that run instead of
// defaults, for the outputs.
func resolved(m runtime.Posterior, opt runtime.Options) runtime.Options {
	g, ok := m.(runtime.Gibbs)
	if !ok {
		opt.Integrator, _ = opt.Integrator.Resolve(m.Info().Metric)
		return opt
	}
	var blocks []runtime.BlockTuning
	for _, b := range g.Blocks() {
		t := opt.For(b.Info().Name)
		t.Integrator, _ = t.Integrator.Resolve(b.Info().Metric)
		blocks = append(blocks, runtime.BlockTuning{Name: b.Info().Name, Tuning: t})
	}
	opt.Blocks = blocks
	return opt
}

// recorder is the observer that writes files and events.
type recorder struct {
	model   *runtime.Info
	stats   []string
	opt     runtime.Options
	request *Request
	cancel  context.CancelFunc
	kept    int             // number of components that are written
	writers []*draws.Writer // nil once closed
	files   []string

	emit     func(Event) error
	progress *runtime.Progress
	last     []reading
	quit     chan struct{} // ends the ticker
	ticker   sync.WaitGroup
	err      error // of emit, in the ticker; read after it has ended
}

// reading is what the last progress event of a chain said, and when.
type reading struct {
	done  int
	phase runtime.Phase
	at    time.Time
}

// Start creates the files and starts to report progress.
func (r *recorder) Start(names []string, p *runtime.Progress) error {
	opt := &r.opt
	columns := append(append([]string(nil), r.stats...), names...)
	for i := range r.writers {
		path := filepath.Join(r.request.Output, draws.FileName(i+1))
		w, err := draws.Create(path, r.request.Overwrite, draws.Header{
			Model:    r.model.Name,
			Samples:  opt.Draws,
			Warmup:   opt.Warmup,
			Seed:     opt.Seed,
			ID:       i + 1,
			Settings: settings(opt),
			Columns:  columns,
		})
		if err != nil {
			return err
		}
		r.writers[i], r.files[i] = w, path
	}
	r.kept = len(names)
	r.progress = p
	now := time.Now()
	for i := range r.last {
		r.last[i].at = now
	}
	if err := r.emit(Event{Event: EventStart, Start: &Start{
		Model: r.model.Name, Names: names, Options: *opt, Files: r.files,
	}}); err != nil {
		return err
	}
	r.ticker.Go(r.tick)
	return nil
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
		set("random_steps", strconv.FormatBool(opt.RandomSteps)),
		set("solver_tolerance", string(draws.AppendFloat(nil, opt.Solver.Tolerance))),
		set("solver_max_iterations", strconv.Itoa(opt.Solver.MaxIterations)),
		set("reverse_check", opt.ReverseCheck.String()),
	}
	if opt.Steps > 0 {
		return append(s, set("steps", strconv.Itoa(opt.Steps)))
	}
	return append(s, set("int_time", string(draws.AppendFloat(nil, opt.Time))))
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
	total := r.opt.Warmup + r.opt.Draws
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
			Total:        total,
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

// Adapted notes the step sizes in the chain's file.
func (r *recorder) Adapted(chain int, stepSizes []float64) error {
	var blocks []string
	for i := range r.opt.Blocks {
		blocks = append(blocks, r.opt.Blocks[i].Name)
	}
	return r.writers[chain].Adapted(stepSizes, blocks, r.kept)
}

// Draw writes one row.
func (r *recorder) Draw(chain int, row []float64) error {
	return r.writers[chain].Row(row)
}

// Finish ends the chain's file.
func (r *recorder) Finish(chain int, c *runtime.Chain) error {
	w := r.writers[chain]
	r.writers[chain] = nil
	if c.Drawn() < r.opt.Draws {
		return w.Abandon()
	}
	return w.Close(c.WarmupTime, c.SamplingTime)
}

// finish ends the progress reports and closes the files of chains that did not
// come to their end.
func (r *recorder) finish() error {
	close(r.quit)
	r.ticker.Wait()
	errs := []error{r.err}
	for _, w := range r.writers {
		if w != nil {
			errs = append(errs, w.Abandon())
		}
	}
	return errors.Join(errs...)
}
