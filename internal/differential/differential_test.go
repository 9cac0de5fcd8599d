package differential

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hamc-dev/hamc/codegen"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/differential/probe"
	"github.com/hamc-dev/hamc/runtime"
)

// Tolerances, relative to the largest entry: of what is evaluated directly, of
// what fixed-point solves to probe.Solver's tolerance give, and of all that comes
// from differential equations, which the two sides integrate in different steps.
const (
	directTolerance = 1e-12
	stepTolerance   = 1e-9
	odeTolerance    = 1e-9 // of what comes from solutions to probe.Tolerance
	givenTolerance  = 1e-9 // of models as people write them, some of whose matrices are nearly singular
)

// maxPerCoord bounds the bytes per coordinate of the data and the work space of a
// model with a structured metric; those of a matrix of longSize rows are a thousand
// times as many.
const maxPerCoord = 1000

// randomModels is the number of models that TestGenerated has an author make up in a
// long campaign.
const randomModels = 36

// TestGenerated compares every number of the generated models with the
// interpreter's.
func TestGenerated(t *testing.T) {
	all := compiled(t)
	t.Parallel()
	for seed := range uint64(campaign.Cases(t, 2, randomModels)) {
		s := randomModel(fmt.Sprintf("random_%d", seed), seed)
		if err := s.compile(); err != nil {
			t.Errorf("%v\n%s", err, s.text)
			continue
		}
		all = append(all, s)
	}
	all = append(all, posteriors(t)...)
	m, all, reports := probed(t, all)
	var numbers, metrics atomic.Int64
	one := func(s *subject) {
		t.Run(s.name, func(t *testing.T) {
			got := reports[s.name]
			im, err := s.interpreted()
			if err != nil {
				t.Fatal(err)
			}
			var want probe.Report
			if s.given {
				want = probe.Given(im, s.points)
			} else {
				want = probe.Run(im, s.slow())
			}
			if got == nil {
				t.Fatal("no report")
			}
			if got.Error != "" || want.Error != "" {
				t.Fatalf("generated: %q, interpreted: %q", got.Error, want.Error)
			}
			numbers.Add(int64(compare(t, s, got, &want, scattered(s, im))))
			if s.given {
				return
			}
			compareStan(t, s, got.Given, stanTolerance)
			compareStan(t, s, probe.At(im, s.points), stanTolerance)
			if len(got.Allocates) > 0 {
				t.Errorf("allocates in steady state: %s", strings.Join(got.Allocates, ", "))
			}
			if got.PerCoord > maxPerCoord {
				t.Errorf("a long model takes %.0f bytes per coordinate", got.PerCoord)
			}
			for _, text := range append(append(got.Remembers, got.Wrong...), want.Wrong...) {
				t.Error(text)
			}
			if s.random {
				metrics.Add(int64(opinion(t, im, s))) // of the corpus, TestDensities has it
				quantities(t, s)
			}
			if t.Failed() && s.random {
				t.Log(s.text)
			}
		})
	}
	beside(len(all), func(n int) { one(all[n]) })
	t.Logf("%d models, %d numbers, %d metrics of random models", len(all), numbers.Load(), metrics.Load())
	t.Run("vet", func(t *testing.T) {
		if _, err := m.run("go", "vet", "-trimpath", "./models/..."); err != nil {
			t.Error(err)
		}
	})
}

// scatterWidth is how many times as far as rounding moves the interpreter's own numbers at a far point generated ones may be from them.
const scatterWidth = 8

// scattered are the reports of the interpreter about the far points, made when they are asked for. There differences of numbers that over- and underflow
// may have few digits left, or none, and a trajectory may run away or not.
func scattered(s *subject, im runtime.Posterior) func() []probe.Report {
	return sync.OnceValue(func() []probe.Report {
		out := make([]probe.Report, 8)
		for n := range out {
			out[n] = probe.Nudged(im, s.slow(), uint64(n+1))
		}
		return out
	})
}

// uncertain reports whether rounding moves the interpreter's record of a far point as far as the generated one is from it, or gives it that status.
func uncertain(got, want *probe.Record, around func() []probe.Report) bool {
	if want.Point < probe.FirstFar {
		return false
	}
	widest := 0.0
	for _, r := range around() {
		n := slices.IndexFunc(r.Records, func(x probe.Record) bool { return x.Point == want.Point && x.Quantity == want.Quantity })
		if n < 0 {
			continue
		}
		near := r.Records[n]
		switch {
		case near.Status == want.Status:
			d, _ := apart(near.Values, want.Values)
			widest = max(widest, d)
		case near.Status == got.Status:
			return true
		}
	}
	if got.Status != want.Status {
		return false
	}
	d, _ := apart(got.Values, want.Values)
	return d <= scatterWidth*widest
}

// compare reports where two probes differ, and returns how many numbers they
// compared.
func compare(t *testing.T, s *subject, got, want *probe.Report, around func() []probe.Report) (numbers int) {
	// Of a constant metric the generated GLF(b) is the leapfrog, without solves.
	constant := strings.Contains(want.Info, `"Constant":true`)
	direct := directTolerance
	if s.hasODE() {
		direct = odeTolerance
	}
	if s.given {
		direct = givenTolerance
	}
	if got.Info != want.Info {
		t.Errorf("info: %s, want %s", got.Info, want.Info)
	}
	if len(got.Records) != len(want.Records) {
		t.Fatalf("%d records, want %d", len(got.Records), len(want.Records))
	}
	for i, g := range got.Records {
		w := want.Records[i]
		what := fmt.Sprintf("point %d: %s", g.Point, g.Quantity)
		switch {
		case g.Quantity != w.Quantity || g.Point != w.Point || len(g.Values) != len(w.Values) && g.Status == w.Status:
			t.Errorf("%s: %d numbers, want %d of %s", what, len(g.Values), len(w.Values), w.Quantity)
			continue
		case g.Status != w.Status && !uncertain(&g, &w, around):
			t.Errorf("%s: status %s after %d iterations, want %s after %d", what, g.Status, g.Iterations, w.Status, w.Iterations)
			continue
		case g.Iterations != w.Iterations && !constant:
			t.Errorf("%s: %d iterations, want %d", what, g.Iterations, w.Iterations)
		}
		tol := direct
		if strings.Contains(g.Quantity, "Step") {
			tol = max(tol, stepTolerance)
		}
		numbers += len(w.Values)
		if g.Status != w.Status {
			continue
		}
		if d, at := apart(g.Values, w.Values); !(d <= tol) && !uncertain(&g, &w, around) {
			t.Errorf("%s: entry %d is %v, want %v: off by %.1e", what, at, g.Values[at], w.Values[at], d)
		}
	}
	return numbers
}

// stanTolerance is relative; densities lose it by the size of their sums.
const stanTolerance = 1e-10

// compareStan compares log densities, gradients and parameters at Stan's
// unconstrained coordinates with Stan's, constants and Jacobians included.
func compareStan(t *testing.T, s *subject, got []probe.Record, tolerance float64) {
	if len(got) != 3*len(s.stan) {
		t.Errorf("%d records at Stan's %d points", len(got), len(s.stan))
		return
	}
	for i, pt := range s.stan {
		for n, want := range [][]float64{{pt.LPJacobian}, pt.GradJacobian, pt.Constrained[:len(pt.Unconstrained)]} {
			w := make([]probe.Number, len(want))
			for j, x := range want {
				w[j] = probe.Number(x)
			}
			g := got[3*i+n]
			if d, at := apart(g.Values, w); !(d <= tolerance) {
				t.Errorf("Stan's point %d: %s: entry %d is %v, want %v: off by %.1e", i, g.Quantity, at, g.Values[at], w[at], d)
			}
		}
	}
}

// apart returns max|a − b| relative to the largest finite entry, and where it
// is reached. Equal infinities and two NaNs agree; nothing else that is not
// finite does.
func apart(a, b []probe.Number) (worst float64, at int) {
	size := 0.0
	for i := range a {
		for _, v := range []float64{float64(a[i]), float64(b[i])} {
			if v-v == 0 {
				size = max(size, math.Abs(v))
			}
		}
	}
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		if x == y || x != x && y != y {
			continue
		}
		d := math.Abs(x-y) / size
		if x-x != 0 || y-y != 0 {
			d = math.Inf(1)
		}
		if d > worst {
			worst, at = d, i
		}
	}
	return worst, at
}

// TestLongConstants: code for a long vector is that for a short one, but for the
// numbers.
func TestLongConstants(t *testing.T) {
	sizes := map[string]string{"bordered": "T", "band_ar2_poisson": "T", "band_explicit3": "T", "gather_groups": "J", "gather_crossed": "J", "gather_pairs": "G"}
	names := campaign.Sample(t, slices.Sorted(maps.Keys(sizes)), 2)
	found := 0
	for _, s := range read(t) {
		if !slices.Contains(names, s.name) {
			continue
		}
		found++
		name := sizes[s.name]
		lines := func(size float64) int {
			x := &subject{name: s.name, text: s.text, consts: []dsl.ConstBinding{{Name: name, Value: size}}}
			if err := x.compile(); err != nil {
				t.Fatal(err)
			}
			count := 0
			for line := range bytes.Lines(x.code) {
				if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("//")) { // formulas break where they are too wide
					count++
				}
			}
			return count
		}
		if a, b := lines(100), lines(100_000); a != b {
			t.Errorf("%s: %d lines of code at %s = 100, %d at 100000", s.name, a, name, b)
		}
	}
	if found != len(names) {
		t.Errorf("the corpus has %d models of %d: %q", found, len(names), names)
	}
}

var firstLine = regexp.MustCompile(`^// Code generated .* DO NOT EDIT\.$`)

// TestText checks the form of the emitted text: formatted, marked as
// generated, the same bytes every time.
func TestText(t *testing.T) {
	all := compiled(t)
	t.Parallel()
	var third []*subject // compiling all of them anew takes as long as all else
	for s := range slices.Chunk(all, 3) {
		third = append(third, s[0])
	}
	for _, s := range campaign.Sample(t, third, 4) {
		formatted, err := format.Source(s.code)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		if !bytes.Equal(formatted, s.code) {
			t.Errorf("%s: not as gofmt has it%s", s.name, difference(s.code, formatted))
		}
		first, _, _ := bytes.Cut(s.code, []byte("\n"))
		if !firstLine.Match(first) {
			t.Errorf("%s: the first line is %q", s.name, first)
		}
		twin := *s
		if err := twin.compile(); err != nil || !bytes.Equal(twin.code, s.code) {
			t.Errorf("%s: a second compilation differs: %v%s", s.name, err, difference(s.code, twin.code))
			continue
		}
		again, err := codegen.Generate(twin.derived, s.options())
		if err != nil || !bytes.Equal(again, s.code) {
			t.Errorf("%s: a second Generate of the same program differs: %v%s", s.name, err, difference(s.code, again))
		}
	}
}

// difference shows the first line in which two texts differ.
func difference(a, b []byte) string {
	x, y := strings.Split(string(a), "\n"), strings.Split(string(b), "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("; line %d:\n%s\n%s", i+1, x[i], y[i])
		}
	}
	return fmt.Sprintf("; %d lines and %d lines", len(x), len(y))
}
