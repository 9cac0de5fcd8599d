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
	"syscall"
	"time"

	"github.com/hamc-dev/hamc/runtime"
)

// Load makes a model from its data. A model without data file is given an empty
// JSON object. The name goes in front of the errors' positions.
type Load func(data io.Reader, name string) (runtime.Posterior, error)

// Main serves the request on standard input and exits: with 0 when the run is
// complete or was interrupted by SIGINT or SIGTERM and ended in order, with 1
// after an error event. With the argument PointsCommand it evaluates the model instead.
func Main(load Load) {
	if len(os.Args) == 2 && os.Args[1] == PointsCommand {
		if err := servePoints(load, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
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
		_ = emit(Event{Event: EventError, Error: err.Error(), Refused: RefusedStarts(err)})
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
	return Run(ctx, model, request, emit)
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

// Run samples m as the request asks, in this process, and writes the directory of
// draws; the request's Data is not looked at. Events go to emit, one at a time, unless it
// is nil; an error that it returns ends the run. A run that ctx interrupts is not an
// error, nor one that emit ends with runtime.ErrStop: its Done event says so, and a request
// with Resume goes on from there, as it does after an error or a crash.
func Run(ctx context.Context, m runtime.Posterior, request *Request, emit func(Event) error) error {
	opt := request.Options
	if err := opt.Validate(m); err != nil {
		return err
	}
	if err := request.Target.Validate(opt.Draws); err != nil {
		return err
	}
	if request.Output == "" {
		return errors.New("no directory for the draws")
	}
	began := time.Now()
	m, opt, race, err := runtime.Choose(ctx, m, opt)
	if err != nil {
		return err
	}
	opt = resolved(m, opt)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tell := func(e Event) error {
		if emit == nil {
			return nil
		}
		err := emit(e)
		if errors.Is(err, runtime.ErrStop) {
			cancel()
			return nil
		}
		return err
	}
	r, err := newRecorder(m, opt, request, tell)
	if err != nil {
		return err
	}
	r.cancel = cancel
	if !request.Resume {
		r.manifest.Race = race
	}
	result, err := r.sample(ctx, m)
	interrupted := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if interrupted {
		err = nil
	}
	if err = errors.Join(err, r.finish(!interrupted && err == nil, err != nil)); err != nil {
		if r.begun {
			err = fmt.Errorf("%w\nthe draws up to here are kept: once the cause is gone, resume the run", err)
		}
		return err
	}
	done := &Done{Interrupted: interrupted, Seconds: time.Since(began).Seconds(), Short: r.short}
	for i := range result.Chains {
		c := &result.Chains[i]
		done.Chains = append(done.Chains, ChainSummary{
			Chain:           i + 1,
			File:            chainFile(request.Output, i),
			Blocks:          c.Blocks,
			WarmupSeconds:   r.clock.Chains[i].WarmupSeconds,
			SamplingSeconds: r.clock.Chains[i].SamplingSeconds,
		})
	}
	return tell(Event{Event: EventDone, Done: done})
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
