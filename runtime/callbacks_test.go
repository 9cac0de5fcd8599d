package runtime_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hamc-dev/hamc/runtime"
)

// Callbacks hand on what an Observer is told, and to none is no harm.
func TestCallbacks(t *testing.T) {
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.Workers = 3, 30, 20, 1
	m := newCurved()
	want := sample(t, m, opt)

	if _, err := runtime.Sample(context.Background(), m, opt, &runtime.Callbacks{}); err != nil {
		t.Fatal(err)
	}
	var calls []string
	draws := [3][]float64{}
	r, err := runtime.Sample(context.Background(), m, opt, &runtime.Callbacks{
		OnStart: func(names []string, p *runtime.Progress) error {
			calls = append(calls, "start "+strings.Join(names, " "))
			return nil
		},
		OnWarmup: func(chain int, state func() *runtime.State) error {
			if s := state(); s.Warmed() == 30 {
				calls = append(calls, "warm")
			}
			return nil
		},
		OnAdapted: func(chain int, blocks []runtime.BlockRun) error {
			calls = append(calls, "adapted")
			return nil
		},
		OnDraw: func(chain int, row []float64, state func() *runtime.State) error {
			draws[chain] = append(draws[chain], row[runtime.NumStats])
			return nil
		},
		OnFinish: func(chain int, c *runtime.Chain) error {
			calls = append(calls, "finish")
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	told := []string{"start " + strings.Join(r.Names, " ")}
	for range opt.Chains {
		told = append(told, "warm", "adapted", "finish")
	}
	if !slices.Equal(calls, told) {
		t.Errorf("called: %v", calls)
	}
	for c := range draws {
		if !slices.Equal(draws[c], want.Chains[c].Draws[0]) {
			t.Errorf("chain %d: the draws of the callback are others", c)
		}
	}
}

// OnProgress is told of all chains, by one call at a time, and the last call sees them
// finished. Rates are those of the clock.
func TestOnProgress(t *testing.T) {
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.Workers = 4, 40, 60, 4
	var inside, overlaps atomic.Int32
	calls := 0 // without a lock: the race detector sees calls at the same time
	var last []runtime.ChainProgress
	began := time.Now()
	_, err := runtime.Sample(context.Background(), newCurved(), opt, &runtime.Callbacks{
		Interval: time.Nanosecond,
		OnProgress: func(chains []runtime.ChainProgress) error {
			if inside.Add(1) > 1 {
				overlaps.Add(1)
			}
			defer inside.Add(-1)
			calls++
			elapsed := time.Since(began).Seconds()
			for c, p := range chains {
				if calls > 1 && (p.Done < last[c].Done || p.Phase < last[c].Phase) {
					t.Errorf("chain %d goes back: %+v after %+v", c, p, last[c])
				}
				if p.Total != 100 || p.Done > p.Total || p.Rate < 0 {
					t.Errorf("chain %d: %+v", c, p)
				}
				// The phase has not lasted longer than the run, so its mean rate is at least this.
				least := float64(p.Done) / elapsed
				if p.Phase == runtime.WarmingUp && p.Done > 0 && p.Rate < least {
					t.Errorf("chain %d: %d transitions in at most %v s, at a rate of %v", c, p.Done, elapsed, p.Rate)
				}
			}
			last = slices.Clone(chains)
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if overlaps.Load() > 0 || calls < 10 {
		t.Errorf("%d calls, %d of them at the same time as another", calls, overlaps.Load())
	}
	for c, p := range last {
		if p.Phase != runtime.Finished || p.Done != 100 || !(p.Rate > 0) {
			t.Errorf("at the end chain %d has %+v", c, p)
		}
	}

	// With an interval that does not pass, chains are reported as they finish.
	calls = 0
	_, err = runtime.Sample(context.Background(), newCurved(), opt, &runtime.Callbacks{
		Interval:   time.Hour,
		OnProgress: func([]runtime.ChainProgress) error { calls++; return nil },
	})
	if err != nil || calls != opt.Chains {
		t.Errorf("%d calls for %d chains: %v", calls, opt.Chains, err)
	}
}

// The rate of a finished chain is that of its sampling phase, by the clock, and does not
// fall while time goes by.
func TestRate(t *testing.T) {
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.Workers = 1, 20, 50, 1
	var p *runtime.Progress
	var warm, adapted time.Time // when the warm-up was at its last transition, and over
	w := &runtime.Callbacks{
		OnStart:   func(_ []string, all *runtime.Progress) error { p = all; return nil },
		OnWarmup:  func(int, func() *runtime.State) error { warm = time.Now(); return nil },
		OnAdapted: func(int, []runtime.BlockRun) error { adapted = time.Now(); return nil },
		OnDraw: func(int, []float64, func() *runtime.State) error {
			time.Sleep(200 * time.Microsecond)
			return nil
		},
	}
	r, err := runtime.Sample(context.Background(), newCurved(), opt, w)
	if err != nil {
		t.Fatal(err)
	}
	ended := time.Now()
	first := p.Chain(0)
	time.Sleep(5 * time.Millisecond)
	if later := p.Chain(0); later != first {
		t.Errorf("%+v, and later %+v", first, later)
	}
	if warm.IsZero() || adapted.Before(warm) {
		t.Fatalf("the warm-up is at its last transition at %v, and over at %v", warm, adapted)
	}
	// Bounds that hold however busy the machine is: of the phase, which begins after the last transition of the
	// warm-up and before the first draw, and ends after 49 sleeps more.
	draws := float64(opt.Draws)
	least, most := draws/ended.Sub(warm).Seconds(), draws/(49*200e-6)
	for what, rate := range map[string]float64{"rate": first.Rate, "rate by the time": draws / r.Chains[0].SamplingTime.Seconds()} {
		if !(rate >= least && rate <= most) {
			t.Errorf("%s %v, by the clock %v to %v", what, rate, least, most)
		}
	}
}

// errFull is an error of a callback.
var errFull = errors.New("disk full")

// stops are callbacks that end a run.
var stops = []struct {
	name          string
	set           func(w *runtime.Callbacks, n *int)
	err           error
	warmed, drawn int // of the first chain
}{
	{"start", func(w *runtime.Callbacks, _ *int) {
		w.OnStart = func([]string, *runtime.Progress) error { return runtime.ErrStop }
	}, nil, 0, 0},
	{"warm-up", func(w *runtime.Callbacks, n *int) {
		w.OnWarmup = func(int, func() *runtime.State) error {
			if *n++; *n == 7 {
				return runtime.ErrStop
			}
			return nil
		}
	}, nil, 7, 0},
	{"last of the warm-up", func(w *runtime.Callbacks, n *int) {
		w.OnWarmup = func(int, func() *runtime.State) error {
			if *n++; *n == 40 {
				return runtime.ErrStop
			}
			return nil
		}
	}, nil, 40, 0},
	{"adapted", func(w *runtime.Callbacks, _ *int) {
		w.OnAdapted = func(int, []runtime.BlockRun) error { return runtime.ErrStop }
	}, nil, 40, 0},
	{"draw", func(w *runtime.Callbacks, n *int) {
		w.OnDraw = func(int, []float64, func() *runtime.State) error {
			if *n++; *n == 23 {
				return runtime.ErrStop
			}
			return nil
		}
	}, nil, 40, 23},
	{"finish", func(w *runtime.Callbacks, _ *int) {
		w.OnFinish = func(int, *runtime.Chain) error { return runtime.ErrStop }
	}, nil, 40, 200},
	{"progress", func(w *runtime.Callbacks, _ *int) {
		w.Interval = time.Nanosecond
		w.OnProgress = func(p []runtime.ChainProgress) error {
			if p[0].Done >= 51 {
				return runtime.ErrStop
			}
			return nil
		}
	}, nil, 40, 11},
	{"error at a draw", func(w *runtime.Callbacks, n *int) {
		w.OnDraw = func(int, []float64, func() *runtime.State) error {
			if *n++; *n == 23 {
				return errFull
			}
			return nil
		}
	}, errFull, 40, 23},
	{"error in warm-up", func(w *runtime.Callbacks, n *int) {
		w.OnWarmup = func(int, func() *runtime.State) error {
			if *n++; *n == 9 {
				return errFull
			}
			return nil
		}
	}, errFull, 9, 0},
}

// A callback that returns ErrStop ends the run without an error, and nothing drawn is
// lost: neither then nor when it returns an error of its own.
func TestStop(t *testing.T) {
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.Workers, opt.Seed = 3, 40, 200, 1, 5
	m := newCurved()
	whole := sample(t, m, opt)
	for _, c := range stops {
		t.Run(c.name, func(t *testing.T) {
			n := 0
			w := &runtime.Callbacks{}
			c.set(w, &n)
			r, err := runtime.Sample(context.Background(), m, opt, w)
			if !errors.Is(err, c.err) || (c.err == nil) != (err == nil) || r == nil {
				t.Fatalf("error %v, result %v", err, r)
			}
			if got := r.Chains[0]; got.Warmed() != c.warmed || got.Drawn() != c.drawn {
				t.Errorf("the first chain made %d and %d transitions, want %d and %d", got.Warmed(), got.Drawn(), c.warmed, c.drawn)
			}
			for i := range r.Chains {
				if got := &r.Chains[i]; got.State.Warmed() != got.Warmed() || got.State.Drawn() != got.Drawn() {
					t.Errorf("chain %d made %d and %d transitions, its state %d and %d",
						i, got.Warmed(), got.Drawn(), got.State.Warmed(), got.State.Drawn())
				}
			}
			// What is left of the run makes it whole.
			rest := opt
			rest.From = r.States()
			next := sample(t, m, rest)
			if err := r.Append(next); err != nil {
				t.Fatal(err)
			}
			for i := range whole.Chains {
				if !slices.Equal(bits(&r.Chains[i]), bits(&whole.Chains[i])) {
					t.Errorf("chain %d differs from that of one run", i)
				}
			}
		})
	}
}
