package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// interrupted is the error of a run that a signal ended.
type interrupted struct{ signal os.Signal }

func (i interrupted) Error() string { return "interrupted" }

// exitCode is what shells give a command that the signal ended.
func (i interrupted) exitCode() int {
	if s, ok := i.signal.(syscall.Signal); ok {
		return exitSignal + int(s)
	}
	return exitSignal + int(syscall.SIGINT)
}

// interruption returns the error of a run whose context is done.
func interruption(ctx context.Context) interrupted {
	if i, ok := context.Cause(ctx).(interrupted); ok {
		return i
	}
	return interrupted{os.Interrupt}
}

// guard watches for signals during a run. The first ends the context, so that
// the chains stop in order; the second ends everything at once.
type guard struct {
	mu    sync.Mutex
	child *os.Process
}

// watch returns a context that SIGINT and SIGTERM cancel. Call stop when the run
// is over.
func (g *guard) watch(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	quit := make(chan struct{})
	go func() {
		for first := true; ; first = false {
			select {
			case s := <-signals:
				i := interrupted{s}
				if !first {
					g.kill()
					os.Exit(i.exitCode())
				}
				cancel(i)
			case <-quit:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(quit)
		cancel(nil)
	}
}

// adopt names the child process that dies with the run; nil for none.
func (g *guard) adopt(p *os.Process) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.child = p
}

func (g *guard) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.child != nil {
		_ = g.child.Kill() // it may have ended by itself
	}
}
