package driver

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/draws"
)

// The least effective sample size and the largest R-hat are those of the draws held in memory, however many components are
// read at a time, and whatever the files hold beyond the draws in question.
func TestReach(t *testing.T) {
	const chains, n, more = 3, 200, 50
	rng := rand.New(rand.NewPCG(3, 4))
	names := []string{"a", "slow", "constant", "b"}
	dir := t.TempDir()
	var files []string
	values := make([][][]float64, len(names)) // by component and chain
	for i := range chains {
		path := filepath.Join(dir, draws.FileName(i+1))
		files = append(files, path)
		h := draws.Header{Samples: n + more, Columns: []string{"lp__", "energy__", "a", "slow", "constant", "b", "nan"}}
		w, err := draws.Create(path, false, h)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Adapted([]draws.Adaptation{{StepSize: 1}}, len(names)); err != nil {
			t.Fatal(err)
		}
		slow := 0.0
		for d := range n + more {
			slow = 0.9*slow + rng.NormFloat64()
			x := []float64{rng.NormFloat64(), slow, 0.1, rng.ExpFloat64(), math.NaN()}
			if d >= n {
				x = []float64{1, 1, 1, 1, 1}
			}
			if err := w.Row(append([]float64{-1, 2}, x...)); err != nil {
				t.Fatal(err)
			}
			for k := range names {
				if d == 0 {
					values[k] = append(values[k], nil)
				}
				if d < n {
					values[k][i] = append(values[k][i], x[k])
				}
			}
		}
		if err := w.Abandon(); err != nil { // as while a run goes on
			t.Fatal(err)
		}
	}
	want := min(diagnostics.ESSBulk(values[1]), diagnostics.ESSTail(values[1]))
	rhat := max(diagnostics.RHat(values[0]), diagnostics.RHat(values[1]), diagnostics.RHat(values[3]))
	if other := min(diagnostics.ESSBulk(values[0]), diagnostics.ESSTail(values[0])); !(want < other/2) {
		t.Fatalf("the slow component has the effective sample size %v, another %v", want, other)
	}
	for _, room := range []int{0, 1, chains * n, 2*chains*n - 1, 3 * chains * n, 1 << 30} {
		r, err := reach(files, n, names, 2, room)
		if r.name != "slow" || r.ess != want || r.rhat != rhat || err != nil {
			t.Errorf("room for %d: %+v (%v), want slow, %v, %v", room, r, err, want, rhat)
		}
	}
	if _, err := reach(files, n+more+1, names, 2, 1<<30); err == nil || !strings.Contains(err.Error(), "chain_1.csv: the file was cut short: it has 250 draws, and had 251") {
		t.Errorf("fewer draws: %v", err)
	}
	if _, err := reach(files, n, names, 4, 1<<30); err == nil {
		t.Error("a column that is not there")
	}
	if r, err := reach(files, n, []string{"nan"}, 6, 1<<30); r.name != "nan" || !math.IsNaN(r.ess) || err != nil {
		t.Errorf("undefined: %+v (%v)", r, err)
	}
	if r, err := reach(files, n, names[2:3], 4, 1<<30); r.name != "" || !math.IsInf(r.ess, 1) || r.rhat != 1 || err != nil {
		t.Errorf("constant: %+v (%v)", r, err)
	}
}

// A target is met where both of its conditions are; a run that goes on by itself does so only as far as its limit is expected to do.
func TestTargetMet(t *testing.T) {
	nan := math.NaN()
	both := Target{MinESS: 400, MaxRHat: 1.01, MaxDraws: 10_000, Yields: true}
	ess := Target{MinESS: 400, MaxDraws: 10_000}
	far := both
	far.FarDraws, far.Operations = 50_000, 1e9 // at 25,000 operations a draw 40,000 draws
	for _, c := range []struct {
		name   string
		target Target
		reached
		met  bool
		next int // after 1000 draws
	}{
		{"both", both, reached{ess: 400, rhat: 1.01}, true, 1200},
		{"effective sample size alone", both, reached{ess: 4000, rhat: 1.0101}, false, 1200},
		{"R-hat off", both, reached{ess: 4000, rhat: 1.02}, false, 2211}, // 1.1 (1.02² − 1)/(1.01² − 1)
		{"R-hat far off", both, reached{ess: 4000, rhat: 1.05}, false, 3000},
		{"R-hat alone", both, reached{ess: 399, rhat: 1}, false, 1200},
		{"effective sample size off", both, reached{ess: 200, rhat: 1}, false, 2200},
		{"no hope by R-hat", both, reached{ess: 4000, rhat: 1.2}, false, 0},
		{"no hope by effective sample size", both, reached{ess: 40, rhat: 1}, false, 0},
		{"nothing known", both, reached{ess: nan, rhat: nan}, false, 0},
		{"R-hat not asked for", ess, reached{ess: 400, rhat: 2}, true, 1200},
		{"asked for, without hope", ess, reached{ess: 1, rhat: 1}, false, 3000},
		{"asked for, nothing known", ess, reached{ess: nan, rhat: nan}, false, 3000},
		{"cheap, R-hat far off", far, reached{ess: 4000, rhat: 1.19}, false, 3000},
		{"cheap, in different modes", far, reached{ess: 4000, rhat: 1.21}, false, 0},
		{"cheap, effective sample size far off", far, reached{ess: 4, rhat: 1}, false, 3000},
		{"cheap, nothing known", far, reached{ess: nan, rhat: nan}, false, 0},
	} {
		if met := c.target.by(c.reached); met != c.met {
			t.Errorf("%s: met is %v", c.name, met)
		}
		const work = 25_000
		if next := c.target.next(1000, c.reached, work); next < c.next-1 || next > c.next+1 {
			t.Errorf("%s: %d draws next, want %d", c.name, next, c.next)
		}
		if next := c.target.next(max(c.target.MaxDraws, c.target.cheap(work)), c.reached, work); next != 0 {
			t.Errorf("%s: %d draws after as many as allowed", c.name, next)
		}
	}
}

// Where draws are cheap, a run goes on as far as its operations are enough for, where the draws do not say that this helps too; elsewhere to its limit.
func TestTargetCheap(t *testing.T) {
	far := Target{MinESS: 400, MaxRHat: 1.01, MaxDraws: 10_000, Yields: true, FarDraws: 50_000, Operations: 1e9}
	little := reached{ess: 4, rhat: 1}
	for _, c := range []struct {
		work    float64
		n, next int
	}{
		{1000, 10_000, 30_000},
		{1000, 30_000, 0}, // three times as many are more
		{1000, 16_000, 48_000},
		{25_000, 13_000, 39_000},
		{25_000, 14_000, 0},
		{1e6, 1000, 0}, // operations for 1000
		{math.Inf(1), 1000, 0},
	} {
		if next := far.next(c.n, little, c.work); next != c.next {
			t.Errorf("%v operations a draw: %d draws after %d, want %d", c.work, next, c.n, c.next)
		}
	}
	if next := far.next(20_000, reached{ess: 200, rhat: 1}, 1000); next != 44_000 {
		t.Errorf("%d draws, want those that are expected to be enough", next)
	}
}

// slow is a destination that takes its time.
type slow struct{ rows atomic.Int64 }

func (s *slow) Write(p []byte) (int, error) {
	time.Sleep(20 * time.Millisecond)
	s.rows.Add(int64(bytes.Count(p, []byte("1.5\n"))))
	return len(p), nil
}

func TestDrain(t *testing.T) {
	out := &slow{}
	s := newStream(filepath.Join(t.TempDir(), "c"), draws.NewWriter(out, draws.Header{Columns: []string{"x"}}), 1, true)
	for round := range 3 {
		for range 1000 {
			s.rows = append(s.rows, 1.5)
		}
		if err := errors.Join(s.hand(nil), s.drain()); err != nil {
			t.Fatal(err)
		}
		if n := out.rows.Load(); n != int64(1000*(round+1)) {
			t.Errorf("round %d: %d rows are written", round, n)
		}
	}
	if err := s.close(func(*draws.Writer) error { return nil }); err != nil {
		t.Error(err)
	}
}

// broken is a destination that takes the header only.
type broken struct{ written int }

func (b *broken) Write(p []byte) (int, error) {
	if b.written += len(p); b.written > 1<<9 {
		return 0, errors.New("the disk is full")
	}
	return len(p), nil
}

// Waiting for what is written ends where writing fails.
func TestDrainAfterError(t *testing.T) {
	s := newStream(filepath.Join(t.TempDir(), "c"), draws.NewWriter(&broken{}, draws.Header{Columns: []string{"x"}}), 1, true)
	for range 3 {
		for range 1000 {
			s.rows = append(s.rows, 1.5)
		}
		_ = s.hand(nil) // what it finds may come later
		if err := s.drain(); fmt.Sprint(err) != "the disk is full" {
			t.Errorf("%v", err)
		}
	}
	if err := s.close(func(*draws.Writer) error { return nil }); fmt.Sprint(err) == "<nil>" {
		t.Error("no error at the end")
	}
}
