package driver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
)

// contents reads the files of a run that must not depend on how it went.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range files {
		if f.Name() == clockName {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name()] = string(text)
	}
	return out
}

// same fails the test where two runs have made different files.
func same(t *testing.T, what, a, b string) {
	t.Helper()
	want, got := contents(t, a), contents(t, b)
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %s differs:\n%.3000s\nwant\n%.3000s", what, name, got[name], want[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d files, want %d", what, len(got), len(want))
	}
}

func request(dir string) *Request {
	r := &Request{Output: dir, Options: runtime.DefaultOptions()}
	r.Options.Chains, r.Options.Warmup, r.Options.Draws = 3, 120, 300
	return r
}

func quiet(Event) error { return nil }

// A bell ends a context when so many draws have been made. From then on it holds the chains up, which may else
// come to their end before they have noticed: how long that takes is the machine's affair.
type bell struct {
	left   atomic.Int64
	cancel context.CancelFunc
}

func (b *bell) draw() {
	if n := b.left.Add(-1); n == 0 {
		b.cancel()
	} else if n < 0 {
		time.Sleep(time.Millisecond)
	}
}

// A belled model, and one in blocks, tell a bell of each draw.
type (
	belled struct {
		runtime.Model
		bell *bell
	}
	belledBlocks struct {
		runtime.Gibbs
		bell *bell
	}
)

func (m belled) Clone() runtime.Model       { return belled{m.Model.Clone(), m.bell} }
func (m belledBlocks) Clone() runtime.Gibbs { return belledBlocks{m.Gibbs.Clone(), m.bell} }

func (m belled) Constrain(x, q []float64) {
	m.bell.draw()
	m.Model.Constrain(x, q)
}

func (m belledBlocks) Constrain(x, q []float64) {
	m.bell.draw()
	m.Gibbs.Constrain(x, q)
}

// stopAfter returns a context that ends when the chains of the model have made n more draws together.
func stopAfter(m runtime.Posterior, n int) (context.Context, runtime.Posterior) {
	ctx, cancel := context.WithCancel(context.Background())
	b := &bell{cancel: cancel}
	b.left.Store(int64(n))
	if g, ok := m.(runtime.Gibbs); ok {
		return ctx, belledBlocks{g, b}
	}
	return ctx, belled{m.(runtime.Model), b}
}

// A run that is interrupted again and again comes to the same files as one that is not.
func TestResume(t *testing.T) {
	n := campaign.Cases(t, 6_000, 60_000)
	for _, m := range []runtime.Posterior{&normal{}, newPair()} {
		whole, parts := t.TempDir(), t.TempDir()
		r := request(whole)
		r.Options.Draws = n
		if err := Run(context.Background(), m, r, quiet); err != nil {
			t.Fatal(err)
		}
		p := request(parts)
		p.Options.Draws = r.Options.Draws
		rounds := 0
		for more := 1; ; more = n * 5 / 6 {
			ctx, m := stopAfter(m, more)
			interrupted := false
			if err := Run(ctx, m, p, func(e Event) error {
				interrupted = interrupted || e.Event == EventDone && e.Done.Interrupted
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			p.Resume = true
			if rounds++; !interrupted {
				break
			}
		}
		t.Logf("%s: %d parts", m.Info().Name, rounds)
		if rounds < 4 {
			t.Errorf("%s: %d parts", m.Info().Name, rounds)
		}
		same(t, m.Info().Name, whole, parts)

		// And once more, to more draws.
		more, longer := t.TempDir(), n*7/6
		q := request(more)
		q.Options.Draws, p.Options.Draws = longer, longer
		for _, r := range []*Request{q, p} {
			if err := Run(context.Background(), m, r, quiet); err != nil {
				t.Fatal(err)
			}
		}
		// The manifest tells of the largest number asked for, in both.
		same(t, m.Info().Name+", longer", more, parts)
	}
}

// Of audits too: interrupted again and again, extended, and with the checkpoint of a crash.
func TestResumeAudits(t *testing.T) {
	whole, parts := t.TempDir(), t.TempDir()
	ask := func(dir string, draws int) *Request {
		r := request(dir)
		r.Options.Draws, r.Options.Audit = draws, runtime.NewAuditRate(draws/10, draws)
		return r
	}
	n := campaign.Cases(t, 6_000, 30_000)
	r := ask(whole, n)
	if err := Run(context.Background(), newPair(), r, quiet); err != nil {
		t.Fatal(err)
	}
	p := ask(parts, n*2/3)
	interrupted := true
	rounds := 0
	for more := 1; interrupted; more = n / 2 {
		ctx, m := stopAfter(newPair(), more)
		if err := Run(ctx, m, p, func(e Event) error {
			interrupted = e.Event != EventDone || e.Done.Interrupted
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		p.Resume = true
		rounds++
	}
	if rounds < 3 {
		t.Errorf("%d parts", rounds)
	}
	p.Options.Draws = n
	crashed(t, parts)
	if err := os.Remove(filepath.Join(parts, AuditName)); err != nil {
		t.Fatal(err)
	}
	if err := Run(context.Background(), newPair(), p, quiet); err != nil {
		t.Fatal(err)
	}
	same(t, "audits", whole, parts)
	text := contents(t, whole)[AuditName]
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 1+3*n/10 || lines[0] != strings.Join(AuditColumns[:], ",") || !strings.HasPrefix(lines[1], "1,10,second,") || !strings.HasPrefix(lines[3*n/10], fmt.Sprintf("3,%d,second,", n)) {
		t.Errorf("%d lines of audits: %q, %q, … %q", len(lines), lines[0], lines[1], lines[len(lines)-1])
	}
	// A new run into the directory does not leave them behind.
	again := request(whole)
	again.Overwrite = true
	if err := Run(context.Background(), newPair(), again, quiet); err != nil {
		t.Fatal(err)
	}
	if _, there := contents(t, whole)[AuditName]; there {
		t.Error("an earlier run's audits are left")
	}
}

// edge is a normal whose log density is NaN above 1.
type edge struct{ normal }

func (m *edge) Clone() runtime.Model { c := *m; return &c }

func (m *edge) LogDensity(q []float64) float64 {
	if q[0] > 1 {
		return math.NaN()
	}
	return m.normal.LogDensity(q)
}

func (m *edge) Gradient(grad, q []float64) float64 {
	m.normal.Gradient(grad, q)
	return m.LogDensity(q)
}

// Of failures too: the file comes out the same after interruptions, even one before the first failure
// of each chain, and after a crash. It is there only where the model failed.
func TestResumeFailures(t *testing.T) {
	whole, parts := t.TempDir(), t.TempDir()
	ask := func(dir string, draws int) *Request {
		r := request(dir)
		r.Options.Draws, r.Options.Init = draws, []runtime.Point{{0}}
		return r
	}
	n := campaign.Cases(t, 10_000, 30_000)
	if err := Run(context.Background(), &edge{}, ask(whole, n), quiet); err != nil {
		t.Fatal(err)
	}
	p := ask(parts, 2) // a failure of one chain at most
	for _, draws := range []int{2, 9, 300} {
		p.Options.Draws = draws
		if err := Run(context.Background(), &edge{}, p, quiet); err != nil {
			t.Fatal(err)
		}
		p.Resume = true
	}
	p.Options.Draws = n
	rounds := 0
	for more, interrupted := 1, true; interrupted; more = n / 2 {
		crashed(t, parts)
		if err := os.Remove(filepath.Join(parts, FailuresName)); err != nil {
			t.Fatal(err)
		}
		ctx, m := stopAfter(&edge{}, more)
		if err := Run(ctx, m, p, func(e Event) error {
			interrupted = e.Event != EventDone || e.Done.Interrupted
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		rounds++
	}
	if rounds < 3 {
		t.Errorf("%d parts", rounds)
	}
	same(t, "failures", whole, parts)
	lines := strings.Split(strings.TrimSpace(contents(t, whole)[FailuresName]), "\n")
	if len(lines) != 1+3*8 || lines[0] != "chain,draw,block,failure,runaway,q.1" {
		t.Fatalf("%d lines of failures: %q", len(lines), lines)
	}
	for i, line := range lines[1:] {
		var chain, draw int
		var x float64
		if n, err := fmt.Sscanf(line, "%d,%d,,4,0,%g", &chain, &draw, &x); n != 3 || chain != 1+i/8 || draw < 1 || !(x > 1) {
			t.Errorf("line %d: %q (%v)", i+2, line, err)
		}
	}
	again := request(whole)
	again.Overwrite = true
	if err := Run(context.Background(), &normal{}, again, quiet); err != nil {
		t.Fatal(err)
	}
	if _, there := contents(t, whole)[FailuresName]; there {
		t.Error("an earlier run's failures are left, or some of a model without")
	}
}

// What a checkpoint does not vouch for is computed again: rows behind it, a torn line, a
// checkpoint that was never made.
func TestResumeAfterCrash(t *testing.T) {
	m := &normal{}
	whole, dir := t.TempDir(), t.TempDir()
	if err := Run(context.Background(), m, request(whole), quiet); err != nil {
		t.Fatal(err)
	}
	part := request(dir)
	part.Options.Draws = 100
	if err := Run(context.Background(), m, part, quiet); err != nil {
		t.Fatal(err)
	}
	crashed(t, dir)
	appendTo(t, chainFile(dir, 0), "1,2,3\n4,")
	if err := os.Remove(checkpointFile(dir, 1)); err != nil {
		t.Fatal(err)
	}
	p := request(dir)
	p.Resume = true
	if err := Run(context.Background(), m, p, quiet); err != nil {
		t.Fatal(err)
	}
	same(t, "after a crash", whole, dir)
}

// crashed makes the directory of a run that has ended one whose run was killed.
func crashed(t *testing.T, dir string) {
	t.Helper()
	m, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	m.Files = nil
	if err := errors.Join(m.write(dir), os.Remove(filepath.Join(dir, clockName))); err != nil {
		t.Fatal(err)
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// replaced writes one text in the place of another.
func replaced(name, old, new string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte(old)) {
			t.Fatalf("no %q in %s", old, path)
		}
		if err := os.WriteFile(path, bytes.Replace(text, []byte(old), []byte(new), 1), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// truncated leaves the end of a file out.
func truncated(name string, by int64) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		path := filepath.Join(dir, name)
		fi, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, fi.Size()-by); err != nil {
			t.Fatal(err)
		}
	}
}

// Files that are not what they were are refused, in words, and left as they are.
func TestResumeRefuses(t *testing.T) {
	m := &normal{}
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, dir string)
		ask   func(*Request)
		want  string
	}{
		{"no run", func(t *testing.T, dir string) { os.RemoveAll(filepath.Join(dir, ManifestName)) }, nil, "there is no run.json"},
		{"manifest cut short", truncated(ManifestName, 10), nil, "run.json: the file is damaged"},
		{"another format", replaced(ManifestName, `"format": 2`, `"format": 99`), nil, "format 99"},
		{"another model", replaced(ManifestName, `"model": "normal"`, `"model": "other"`), nil, "run.json: the file is damaged, or was edited: its checksum differs"},
		{"another setting", nil, func(r *Request) { r.Options.TargetAccept = 0.5 }, "another setting"},
		{"another seed", nil, func(r *Request) { r.Options.Seed++ }, "another setting"},
		{"checkpoint changed", replaced("chain_2.checkpoint", `"step_size":`, `"step_size": `), nil, "chain_2.checkpoint: the "},
		{"checkpoint cut short", truncated("chain_1.checkpoint", 3), nil, "chain_1.checkpoint: the "},
		{"checkpoint empty", func(t *testing.T, dir string) { os.Truncate(filepath.Join(dir, "chain_1.checkpoint"), 0) }, nil, "chain_1.checkpoint: the "},
		{"draws changed", replaced("chain_3.csv", ",0.", ",1."), nil, "chain_3.csv: the file was changed"},
		{"draws cut short", truncated("chain_1.csv", 2000), nil, "chain_1.csv: the file "},
		{"header changed", replaced("chain_1.csv", "num_warmup = 120", "num_warmup = 121"), nil, "chain_1.csv: the file was changed since"},
		{"draws gone", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "chain_1.csv")) }, nil, "chain_1.csv"},
		{"fewer draws", nil, func(r *Request) { r.Options.Draws = 10 }, "chain 1 has 300 draws already"},
	} {
		refused := func(t *testing.T, killed bool) {
			dir := t.TempDir()
			r := request(dir)
			if err := Run(context.Background(), m, r, quiet); err != nil {
				t.Fatal(err)
			}
			if killed {
				crashed(t, dir)
			}
			if c.spoil != nil {
				c.spoil(t, dir)
			}
			before := contents(t, dir)
			r.Resume = true
			r.Options.Draws = 400
			if c.ask != nil {
				c.ask(r)
			}
			err := Run(context.Background(), m, r, quiet)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q", err, c.want)
			}
			after := contents(t, dir)
			for name, text := range before {
				if after[name] != text {
					t.Errorf("%s was changed", name)
				}
			}
		}
		t.Run(c.name, func(t *testing.T) { refused(t, false) })
		t.Run(c.name+", after a crash", func(t *testing.T) { refused(t, true) })
	}
}

// Two processes do not write to one directory.
func TestOneRunAtATime(t *testing.T) {
	dir := t.TempDir()
	var second error
	err := Run(context.Background(), &normal{}, request(dir), func(e Event) error {
		if e.Event == EventStart {
			r := request(dir)
			r.Resume = true
			second = Run(context.Background(), &normal{}, r, quiet)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if second == nil || !strings.Contains(second.Error(), "another process is writing") {
		t.Errorf("the second run: %v", second)
	}
}

// A run with a target goes on until it is reached, and to the same draws however it is
// cut.
func TestTarget(t *testing.T) {
	m := &normal{}
	whole, parts := t.TempDir(), t.TempDir()
	r := request(whole)
	r.Options.Draws, r.Target = 50, Target{MinESS: 2000, MaxDraws: 20_000}
	var last Event
	keep := func(e Event) error { last = e; return nil }
	if err := Run(context.Background(), m, r, keep); err != nil {
		t.Fatal(err)
	}
	n := last.Done.Chains[0].Draws()
	if last.Done.Short != nil || n <= 50 || n > 5000 {
		t.Errorf("%d draws, short %+v", n, last.Done.Short)
	}
	if text := contents(t, whole)["chain_1.csv"]; !strings.Contains(text, "num_samples = "+strconv.Itoa(n)) || strings.Count(text, "\n") < n {
		t.Errorf("the header does not tell of %d draws:\n%.600s", n, text)
	}
	p := request(parts)
	p.Options.Draws, p.Target = 50, r.Target
	for more := 100; ; more = 700 {
		ctx, m := stopAfter(m, more)
		if err := Run(ctx, m, p, keep); err != nil {
			t.Fatal(err)
		}
		if p.Resume = true; !last.Done.Interrupted {
			break
		}
	}
	same(t, "in parts", whole, parts)

	// Out of reach.
	r = request(t.TempDir())
	r.Options.Draws, r.Target = 50, Target{MinESS: 1e6, MaxDraws: 80}
	if err := Run(context.Background(), m, r, keep); err != nil {
		t.Fatal(err)
	}
	if s := last.Done.Short; s == nil || s.Draws != 80 || s.Name != "x.1" || !(s.ESS > 5 && s.ESS < 1000) || last.Done.Chains[2].Draws() != 80 {
		t.Errorf("short %+v", last.Done.Short)
	}
	for _, target := range []Target{{MinESS: -1}, {MinESS: math.NaN()}, {MinESS: 100, MaxDraws: 10}, {MaxRHat: 1.01}, {MinESS: 100, MaxRHat: 1, MaxDraws: 100}} {
		r.Target = target
		if err := Run(context.Background(), m, r, keep); err == nil {
			t.Errorf("%+v is taken", target)
		}
	}
}

// TestTargetYields: a run without a length of its own goes on while that helps, to what it would be with that length, and not at all where its draws say that it would not
// be enough, or where its files would be too large.
func TestTargetYields(t *testing.T) {
	m := &normal{}
	dir, long := t.TempDir(), t.TempDir()
	var last Event
	run := func(r *Request) int {
		t.Helper()
		if err := Run(context.Background(), m, r, func(e Event) error { last = e; return nil }); err != nil {
			t.Fatal(err)
		}
		if last.Done.Short != nil {
			t.Errorf("%+v: short %+v", r.Target, last.Done.Short)
		}
		return last.Done.Chains[0].Draws()
	}
	r := request(dir)
	r.Options.Draws, r.Target = 50, Target{MinESS: 2000, MaxRHat: 1.01, MaxDraws: 20_000, Yields: true}
	n := run(r)
	if n <= 50 || n > 5000 {
		t.Errorf("%d draws", n)
	}
	w := request(long)
	w.Options.Draws = n
	run(w)
	if a, b := contents(t, dir)["chain_2.csv"], contents(t, long)["chain_2.csv"]; a != b {
		t.Error("the draws are not those of a run of that length")
	}
	for _, target := range []Target{
		{MinESS: 1e6, MaxDraws: 500, Yields: true},
		{MinESS: 10, MaxRHat: 1 + 1e-9, MaxDraws: 500, Yields: true},
	} {
		r := request(t.TempDir())
		r.Options.Draws, r.Target = 50, target
		if n := run(r); n != 50 {
			t.Errorf("%+v: %d draws", target, n)
		}
	}
	r = request(t.TempDir())
	r.Options.Draws, r.Target = 50, Target{MinESS: 2000, MaxDraws: math.MaxInt32, Yields: true}
	run(r)
	man, err := ReadManifest(r.Output)
	if err != nil {
		t.Fatal(err)
	}
	if have := man.Target.MaxDraws * r.Options.Chains * (len(man.Names) + len(man.Stats)); have > valuesAlone || have < valuesAlone/2 {
		t.Errorf("%d numbers at most", have)
	}
}

// An error of the listener ends the run; what was drawn is kept, and can be resumed.
func TestResumeAfterError(t *testing.T) {
	m := &normal{}
	whole, dir := t.TempDir(), t.TempDir()
	long := request(whole)
	long.Options.Draws = 50_000
	if err := Run(context.Background(), m, long, quiet); err != nil {
		t.Fatal(err)
	}
	r := request(dir)
	r.Options.Draws = 50_000
	gone := errors.New("gone")
	err := Run(context.Background(), m, r, func(e Event) error {
		if e.Event == EventProgress {
			return gone
		}
		return nil
	})
	if !errors.Is(err, gone) || !strings.Contains(err.Error(), "resume the run") {
		t.Errorf("error %v", err)
	}
	r.Resume = true
	if err := Run(context.Background(), m, r, quiet); err != nil {
		t.Fatal(err)
	}
	same(t, "after an error", whole, dir)
}

// The one who is told of the run may be nobody, and may end it in order with ErrStop.
func TestEmit(t *testing.T) {
	whole, stopped := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "stopped")
	if err := Run(context.Background(), &normal{3}, request(whole), nil); err != nil {
		t.Fatal(err)
	}
	var done *Done
	first := true
	if err := Run(context.Background(), &normal{3}, request(stopped), func(e Event) error {
		if e.Done != nil {
			done = e.Done
		}
		if first {
			first = false
			return runtime.ErrStop
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if done == nil || !done.Interrupted || done.Chains[0].Draws() >= 300 {
		t.Errorf("a run that is stopped at its first event: %+v", done)
	}
	again := request(stopped)
	again.Resume = true
	if err := Run(context.Background(), &normal{3}, again, nil); err != nil {
		t.Fatal(err)
	}
	same(t, "stopped", whole, stopped)
}

// A request to resume that says what its run comes from goes on with no other.
func TestOriginOfAnotherRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	r := request(dir)
	r.Origin = Origin{ModelSum: "m1", DataSum: "d1", Sampler: "s1"}
	if err := Run(context.Background(), &normal{3}, r, nil); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	for _, c := range []struct {
		origin Origin
		what   string
	}{
		{Origin{ModelSum: "m2"}, "another model (m1, now m2)"},
		{Origin{DataSum: "d2"}, "another data set (d1, now d2)"},
		{Origin{Sampler: "s2"}, "another sampler (s1, now s2)"},
		{Origin{ModelSum: "m1", DataSum: "d1"}, ""},
		{Origin{}, ""},
	} {
		again := request(dir)
		again.Resume, again.Origin = true, c.origin
		err := Run(context.Background(), &normal{3}, again, nil)
		if c.what == "" && err != nil || c.what != "" && (err == nil || !strings.Contains(err.Error(), c.what)) {
			t.Errorf("%+v: %v", c.origin, err)
		}
	}
	for name, text := range contents(t, dir) {
		if before[name] != text {
			t.Errorf("%s has changed", name)
		}
	}
}
