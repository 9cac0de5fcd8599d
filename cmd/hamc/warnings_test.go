package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/draws"
	"github.com/hamc-dev/hamc/runtime/driver"
)

// sound is a run of two blocks' worth of evidence that nothing speaks against, each number on
// the good side of its limit, but no further than it need be.
func sound(dynamic bool) *evidence {
	e := &evidence{started: 2}
	for _, name := range []string{"a", "b"} {
		e.rows = append(e.rows, diagnostics.Summary{Name: name, RHat: 1.01, ESSBulk: 400, ESSTail: 1000})
	}
	e.rows[0].KHat = 0.7
	b := blockEvidence{target: 0.9}
	if dynamic {
		b.maxDepth = 8
	}
	for n := range 2 {
		c := chainEvidence{number: n + 1, transitions: 100, accept: 0.721, ebfmi: 0.3, lp: -100, lpSD: 2, irreversible: 5, saturated: 5}
		c.failures[runtime.Stalled], c.failures[runtime.NonFinite] = 3, 2
		if !dynamic {
			c.saturated = 0
		}
		b.chains = append(b.chains, c)
	}
	b.audits = []runtime.Audit{audit(0.003, 0.003), audit(0.003, math.NaN())}
	e.blocks = []blockEvidence{b}
	// 400 effective draws of 3,600,000 operations, 9000 each, and 3010 each with a Euclidean metric.
	e.race = &runtime.Race{Step: 1000, Iteration: 100, Spread: 2, Euclidean: runtime.Pilot{Operations: 3010, Worth: 1}}
	for i := range e.blocks[0].chains {
		e.blocks[0].chains[i].steps, e.blocks[0].chains[i].iterations = 800, 10000
	}
	e.tails = []tailEvidence{{"a", "lower", 0.51}, {"a", "upper", 0.9}, {"b", "lower", 0.72}, {"b", "upper", 0.72}}
	return e
}

// audit is one whose step and trajectory have such violations.
func audit(reversibility, volume float64) runtime.Audit {
	v := runtime.Violation{Reversibility: reversibility, Volume: volume}
	return runtime.Audit{Step: v, Trajectory: v}
}

// Each row of the table speaks beyond its limit, alone, and not at it.
func TestWarningRules(t *testing.T) {
	one := func(change func(c *chainEvidence)) func(e *evidence) {
		return func(e *evidence) { change(&e.blocks[0].chains[1]) }
	}
	cases := []struct {
		dynamic bool
		change  func(e *evidence)
		want    string
	}{
		{false, func(e *evidence) { e.unfinished = 1 }, "1 of 2 chains did not end: the run was interrupted"},
		{false, func(e *evidence) { e.rows[1].ESSTail = math.NaN() }, "R-hat or effective sample size undefined for 1 of 2 parameters: too few"},
		{false, func(e *evidence) { e.rows[0].RHat, e.rows[1].RHat = 1.0101, 1.2 }, "R-hat above 1.01 for 2 of 2 parameters, 1.2 for b: "},
		{false, func(e *evidence) {
			e.apart = &apart{parameter: "b", chains: [2][]int{{2, 3}, {1}}, median: [2]float64{-1.5, 2}, lp: [2]float64{-12, -13}}
		}, "chains 2, 3 and chain 1 are at different places, where b is about -1.5 and 2, and the log density -12 and -13: "},
		{false, one(func(c *chainEvidence) { c.lp = -110.1 }), "the log density of chain 2 is lower than that of the others by 10: "},
		{false, one(func(c *chainEvidence) { c.follows = true }), "1 of 2 chains draw from where the other one stood: "},
		{false, func(e *evidence) { e.rows[0].ESSTail, e.rows[1].ESSBulk = 399, 399.8 }, "effective sample size below 400 for 2 of 2 parameters, 399 for a: "},
		{false, one(func(c *chainEvidence) { c.ebfmi = 0.299 }), "E-BFMI below 0.3 in 1 of 2 chains, the least 0.30: "},
		{false, one(func(c *chainEvidence) { c.divergent = 1 }), "1 proposal diverged: "},
		{true, one(func(c *chainEvidence) { c.divergent = 2 }), "2 trajectories diverged: "},
		{false, one(func(c *chainEvidence) { c.failures[runtime.NotPositiveDefinite] = 1 }), "the solver failed in 6 % of proposals (6 stalled, 1 not positive definite, 4 non finite): "},
		{true, one(func(c *chainEvidence) { c.failures[runtime.NumStatus] = 9 }), "a failure of the solver ended 10 % of trajectories (6 stalled, 4 non finite, 9 unknown): they are shorter"},
		{true, one(func(c *chainEvidence) { c.failures[runtime.NumStatus] = 41 }), "a failure of the solver ended 26 % of trajectories (6 stalled, 4 non finite, 41 unknown): the region"},
		{false, one(func(c *chainEvidence) { c.irreversible = 6 }), "6 % of proposals were irreversible: "},
		{true, one(func(c *chainEvidence) { c.irreversible = 6 }), "an irreversible step ended 6 % of trajectories: "},
		{true, func(e *evidence) { e.blocks[0].audits = []runtime.Audit{audit(0.0031, 0), audit(0.0031, 0)} }, "by its audit the integrator is reversible to 0.0031 only: "},
		{false, one(func(c *chainEvidence) { c.accept = 0.719 }), "acceptance far below the target 0.9 in 1 of 2 chains, the least 0.72: "},
		{true, func(e *evidence) { e.tails[0].accept, e.tails[3].accept = 0.5, 0.4 }, "acceptance falls off in the tails of 2 of 2 parameters, from 0.72 on the whole to 0.40 in the upper tail of b: "},
		{false, func(e *evidence) { e.jumps = &driver.Jumps{Places: 2, Times: 7} }, "the posterior has modes that lie apart: chains jumped 7 times between 2 places: a mean"},
		{false, func(e *evidence) { e.rows[1].KHat = 0.71 }, "k-hat above 0.7 for 1 of 2 parameters, 0.71 for b: "},
		{false, func(e *evidence) { e.race.Euclidean.Operations = 2990 }, "an effective draw takes 9 thousand operations with this metric, and about 3 thousand with a Euclidean one: leave"},
		{true, one(func(c *chainEvidence) { c.saturated = 6 }), "6 % of trajectories reached the maximal depth 8: "},
	}
	for _, dynamic := range []bool{false, true} {
		if got := sound(dynamic).warnings(); len(got) > 0 {
			t.Errorf("a sound run: %s", got[0].line())
		}
	}
	for i, c := range cases {
		e := sound(c.dynamic)
		c.change(e)
		got := e.warnings()
		if len(got) != 1 || got[0].warningRule != &warningRules[i] || !strings.HasPrefix(got[0].line(), c.want) {
			t.Errorf("case %d: %d warnings, want row %d: %q", i, len(got), i, c.want)
			for j := range got {
				t.Logf("%s", got[j].line())
			}
			continue
		}
		// Of a block, the warning names it; others say nothing.
		e.blocks[0].name = "scale"
		line := e.warnings()[0].line()
		if named := strings.Contains(line, " of the block scale"); named != (i > 7 && !strings.Contains(c.want, "parameter") && !strings.Contains(c.want, "Euclidean") && !strings.Contains(c.want, "modes")) {
			t.Errorf("case %d, of a block: %s", i, line)
		}
	}
	if len(cases) != len(warningRules) {
		t.Errorf("%d cases for %d rows", len(cases), len(warningRules))
	}
	e := sound(true)
	e.blocks[0].target, e.blocks[0].chains[0].accept = math.NaN(), 0
	if got := e.warnings(); len(got) > 0 {
		t.Errorf("with a step size that was given: %s", got[0].line())
	}
}

// Where steps are refined a tail may be lower, and not where a chain does not.
func TestRefinedTails(t *testing.T) {
	for _, c := range []struct {
		halves, fixed bool
		accept        float64
		warned        bool
	}{{true, false, 0.4, false}, {true, false, 0.35, true}, {false, true, 0.4, false}, {false, true, 0.35, true}, {false, false, 0.4, true}} {
		e := sound(true)
		b := &e.blocks[0]
		if b.halves = c.halves; c.fixed {
			b.chains[0].fixed, b.chains[1].fixed = 8, 8
		}
		e.tails[0].accept = c.accept
		if got := e.warnings(); len(got) > 0 != c.warned {
			t.Errorf("%+v: %d warnings", c, len(got))
		}
	}
}

// Parameters that ran off are named where chains have not mixed, and large ones that have are not.
func TestRunOff(t *testing.T) {
	e := sound(true)
	e.rows[0].SD, e.rows[0].RHat, e.rows[1].SD = 1e20, 1.3, 1e30
	if got, want := e.warnings()[0].line(), "R-hat above 1.01 for 1 of 2 parameters, 1.3 for a (draws of a reach 1e+20: if no prior holds it, "; !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	e.rows[0].SD = 1e12
	if got := e.warnings()[0].line(); strings.Contains(got, "improper") {
		t.Errorf("%s", got)
	}
}

// A few dynamic trajectories may diverge where steps are refined, and none elsewhere.
func TestFewDivergences(t *testing.T) {
	for _, c := range []struct {
		halves    bool
		divergent int
		warns     bool
	}{{true, 0, false}, {true, 2, false}, {true, 3, true}, {false, 1, true}} {
		e := sound(true)
		b := &e.blocks[0]
		b.halves = c.halves
		for i := range b.chains {
			b.chains[i].transitions = 1000
		}
		b.chains[0].divergent = c.divergent
		told := slices.ContainsFunc(e.warnings(), func(w warning) bool { return strings.Contains(w.line(), "diverged") })
		if told != c.warns {
			t.Errorf("%+v: warned %v", c, told)
		}
	}
}

// Chains may follow another one where a third came to such a place by itself.
func TestFollowers(t *testing.T) {
	e := sound(true)
	b := &e.blocks[0]
	b.chains = append(b.chains, b.chains[0])
	for n, warns := range []bool{false, false, true} {
		told := slices.ContainsFunc(e.warnings(), func(w warning) bool { return strings.Contains(w.line(), "draw from where the other one stood") })
		if told != warns {
			t.Errorf("%d of 3 chains follow: warned %v", n, told)
		}
		b.chains[n].follows = true
	}
}

// Where chains are at different places no line advises a longer run.
func TestPartedChains(t *testing.T) {
	e := sound(true)
	e.rows[0].RHat, e.rows[0].ESSBulk = 1.8, 6
	e.rows[1].RHat, e.rows[1].ESSBulk = 1.8, 6
	if got := e.warnings()[0].line(); !strings.HasSuffix(got, "run longer, reparametrise, or take another metric") {
		t.Errorf("%s", got)
	}
	e.apart = &apart{}
	for _, w := range e.warnings() {
		if strings.Contains(w.line(), "run longer") {
			t.Errorf("%s", w.line())
		}
	}
}

// docs/output.md holds the table's conditions and limits.
func TestWarningsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/output.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(page), "| warning | limit |\n|---|---|\n")
	if !ok {
		t.Fatal("no table of warnings")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var want []string
	for _, r := range warningRules {
		want = append(want, fmt.Sprintf("| %s | %s |", r.condition, r.limit))
	}
	if table != strings.Join(want, "\n") {
		t.Errorf("docs/output.md should have the table\n%s", strings.Join(want, "\n"))
	}
	for _, r := range warningRules {
		if r.brief == "" || !strings.HasSuffix(r.meaning, ".") || !strings.HasSuffix(r.try, ".") {
			t.Errorf("%s: brief %q, meaning %q, try %q", r.condition, r.brief, r.meaning, r.try)
		}
	}
	for st := runtime.Status(1); st < runtime.NumStatus; st++ {
		if a := failureAdvice[st]; !strings.HasSuffix(a.meaning, ".") || !strings.HasSuffix(a.try, ".") {
			t.Errorf("%v: meaning %q, try %q", st, a.meaning, a.try)
		}
	}
}

// docs/output.md holds the table of exit codes.
func TestExitCodesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/output.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "| code | meaning |\n|---|---|\n"
	for _, c := range exitCodes {
		want += fmt.Sprintf("| %s | %s |\n", c.code, c.meaning)
	}
	if !strings.Contains(string(page), want) {
		t.Errorf("docs/output.md should have the table\n%s", want)
	}
}

// Of a run with more draws than a summary looks at, what the sampler did is counted in all of them.
func TestWarningsOfManyDraws(t *testing.T) {
	was := summaryBounds
	summaryBounds = draws.Bounds{Draws: 1000, Values: 1 << 20, Least: 1}
	defer func() { summaryBounds = was }()
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(7, 8))
	const n = 5000
	for c := range 2 {
		h := draws.Header{Model: "m", Samples: n, ID: c + 1, Columns: []string{"lp__", "divergent__", "energy__", "x"}}
		w, err := draws.Create(draws.FileName(c+1), false, h)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			row := []float64{0, 0, rng.NormFloat64(), rng.NormFloat64()}
			if c == 1 && i == 1234 { // which is not among the draws that are held
				row[1] = 1
			}
			if err := w.Row(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(h); err != nil {
			t.Fatal(err)
		}
	}
	r := hamc("diagnose", ".")
	for _, want := range []string{"2 chains of 5000 draws, 1 parameter\n", "those of one draw in 10, 500 of 5000; what the sampler did is counted in all of them", "1 proposal diverged.", "Do not trust"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("no %q in\n%s%s", want, r.stdout, r.stderr)
		}
	}
}

// TestCostsInDoubt: a Euclidean pilot whose draws are in doubt is no measure, nor one of a model that has left its metric to hamc.
func TestCostsInDoubt(t *testing.T) {
	for name, change := range map[string]func(*runtime.Race){
		"a metric that varies":         func(r *runtime.Race) { r.Spread = 100 },
		"trouble":                      func(r *runtime.Race) { r.Euclidean.Trouble = 0.2 },
		"a metric that was not stated": func(r *runtime.Race) { r.Chosen = runtime.FisherMetric },
	} {
		e := sound(true)
		e.race.Euclidean.Operations = 10
		if len(e.warnings()) != 1 {
			t.Fatal("no warning without a doubt")
		}
		change(e.race)
		if got := e.warnings(); len(got) > 0 {
			t.Errorf("%s: %s", name, got[0].line())
		}
	}
}

// TestChoice: what the summary says of each outcome of a race.
func TestChoice(t *testing.T) {
	slow, quick := runtime.Pilot{Transitions: 50, Operations: 1e6, Worth: 0.3}, runtime.Pilot{Transitions: 80, Operations: 1e4, Worth: 0.5}
	for _, c := range []struct {
		race *runtime.Race
		want string
	}{
		{nil, ""},
		{&runtime.Race{}, ""},
		{&runtime.Race{Chosen: runtime.LowRank, Spread: 1.94, Euclidean: quick}, "metric low_rank: the Fisher information varies little over the posterior (by a factor of 1.9), and a Euclidean metric is cheaper"},
		{&runtime.Race{Chosen: runtime.LowRank, Spread: 12, Euclidean: quick, Fisher: slow}, "metric low_rank: in a race the Fisher information gave 0.3 effective draws for a million operations, against 50 of a Euclidean metric"},
		{&runtime.Race{Chosen: runtime.FisherMetric, Spread: 287, Euclidean: slow, Fisher: quick}, "metric fisher: the Fisher information varies over the posterior by a factor of 290, so that no metric that is the same everywhere is safe; in a race it gave 50 effective draws for a million operations, against 0.3 of a Euclidean metric"},
		{&runtime.Race{Chosen: runtime.FisherMetric, Spread: 2, Euclidean: runtime.Pilot{Transitions: 80, Operations: 1e4, Worth: 0.5, Trouble: 0.12}, Fisher: quick}, "metric fisher: 12 % of the transitions with a Euclidean metric failed or had steps that were halved, so that no metric that is the same everywhere is safe; in a race it gave 50 effective draws for a million operations, against 50 of a Euclidean metric"},
		{&runtime.Race{Chosen: runtime.FisherMetric, Spread: 2, Euclidean: slow, Fisher: quick}, "metric fisher: in a race the Fisher information gave 50 effective draws for a million operations, against 0.3 of a Euclidean metric"},
	} {
		if got := choice(c.race); got != c.want {
			t.Errorf("%+v: %q, want %q", c.race, got, c.want)
		}
	}
}

// TestMoving: the elements of a factor of a correlation matrix that are the same number everywhere are no sign of draws that do not move;
// those of other matrices are.
func TestMoving(t *testing.T) {
	params := []runtime.Param{{Name: "L", Shape: []int{2, 2}, Coordinates: []int{1}, Constants: runtime.ConstantCorner}, {Name: "P", Shape: []int{2, 2}, Coordinates: []int{2, 1}}, {Name: "B", Shape: []int{1, 1}}, {Name: "x"}}
	var rows []diagnostics.Summary
	for _, name := range []string{"L.1.1", "L.2.1", "L.1.2", "L.2.2", "P.1.1", "P.1.2", "B.1.1", "x"} {
		rows = append(rows, diagnostics.Summary{Name: name})
	}
	var got []string
	for _, r := range moving(rows, params) {
		got = append(got, r.Name)
	}
	if want := "L.2.1 L.2.2 P.1.1 P.1.2 B.1.1 x"; strings.Join(got, " ") != want {
		t.Errorf("%v are judged, want %s", got, want)
	}
}
