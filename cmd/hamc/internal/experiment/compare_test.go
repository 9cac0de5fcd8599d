package experiment

import (
	"math"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime/grid"
)

// measured is an entry of replicates of so many draws with the given results.
func measured(draws int, results ...grid.Result) *Entry {
	e := &Entry{Length: grid.Length{Draws: draws}}
	for i := range results {
		e.Rows = append(e.Rows, Row{Result: &results[i]})
	}
	return e
}

func measureNamed(t *testing.T, name string) *measure {
	for i := range measures {
		if measures[i].name == name {
			return &measures[i]
		}
	}
	t.Fatalf("there is no measure %s", name)
	return nil
}

// near reports whether two numbers are the same but for rounding, or both NaN.
func near(a, b float64) bool {
	return math.Abs(a-b) <= 1e-9*math.Abs(b) || a != a && b != b
}

// accepted are results of replicates that accepted so many moves of 2500.
func accepted(n ...int) (out []grid.Result) {
	for _, k := range n {
		out = append(out, grid.Result{Transitions: 2500, Accepted: k})
	}
	return out
}

// effective are results with these means of effective sample sizes, and minima of half of them.
func effective(x ...float64) (out []grid.Result) {
	for _, v := range x {
		out = append(out, grid.Result{ESSMean: grid.Number(v), ESSMin: grid.Number(v / 2)})
	}
	return out
}

// volume are results with these medians of errors of the volume.
func volume(x ...float64) (out []grid.Result) {
	for _, v := range x {
		out = append(out, grid.Result{Volume: grid.Spread{Median: grid.Number(v), P90: grid.Number(2 * v)}})
	}
	return out
}

// bands are results and published numbers, and the band that compare makes of them.
var bands = []struct {
	name, measure  string
	published      map[string]any
	entry          *Entry
	mean, se, n    float64
	low, high      float64
	agrees, absent bool
}{
	// s is √(0.5·0.5/(4·2500)) = 0.005: 3 √(0.005² + 0.01²/12) + 0.02.
	{name: "a share without spread", measure: "accept_prob", published: map[string]any{"accept_prob": 0.5, "accept_prob_pm": 0.0},
		entry: measured(2500, accepted(1250, 1250, 1250, 1250)...), mean: 0.5, se: 0, n: 4,
		low: 0.5 - 0.0373205080756888, high: 0.5 + 0.0373205080756888, agrees: true},
	{name: "just inside", measure: "accept_prob", published: map[string]any{"accept_prob": 0.5, "accept_prob_pm": 0.0},
		entry: measured(2500, accepted(1343, 1343, 1343, 1343)...), mean: 0.5372, se: 0, n: 4,
		low: 0.5 - 0.0373205080756888, high: 0.5 + 0.0373205080756888, agrees: true},
	{name: "just outside", measure: "accept_prob", published: map[string]any{"accept_prob": 0.5, "accept_prob_pm": 0.0},
		entry: measured(2500, accepted(1344, 1344, 1344, 1344)...), mean: 0.5376, se: 0, n: 4,
		low: 0.5 - 0.0373205080756888, high: 0.5 + 0.0373205080756888},
	// The published replicates say s = 0.01 √(10/4 · 10000/2500) = 0.01 √10: 3 √(0.001 + 0.0001 + 0.01²/12) + 0.02.
	{name: "by the published spread", measure: "accept_prob", published: map[string]any{"accept_prob": 0.5, "accept_prob_pm": 0.01},
		entry: measured(2500, accepted(1250, 1250, 1250, 1250)...), mean: 0.5, se: 0, n: 4,
		low: 0.5 - 0.119874921777191, high: 0.5 + 0.119874921777191, agrees: true},
	// Ours, 0.4 and 0.6, say s = 0.1: 3 √(0.01 + 0.0001 + 0.01²/12) + 0.02.
	{name: "by our spread", measure: "accept_prob", published: map[string]any{"accept_prob": 0.5, "accept_prob_pm": 0.01},
		entry: measured(2500, accepted(1000, 1500)...), mean: 0.5, se: 0.1, n: 2,
		low: 0.5 - 0.321620622637113, high: 0.5 + 0.321620622637113, agrees: true},
	// A single replicate has no spread. Its 100 is 400 of 10,000 draws; the published replicates say
	// s = 10 √(10 · 4): 3 √(4000 + 100 + 0.01²/12) = 192.0937..., and 10 %.
	{name: "one replicate", measure: "ess_mean", published: map[string]any{"ess_mean": 400.0, "ess_mean_pm": 10.0},
		entry: measured(2500, effective(100)...), mean: 400, se: math.NaN(), n: 1,
		low: 360 - 192.093727351, high: 440 + 192.093727351, agrees: true},
	{name: "one replicate of another column", measure: "ess_min", published: map[string]any{"ess_min": 4000.0, "ess_min_pm": 10.0},
		entry: measured(2500, effective(100)...), mean: 200, se: math.NaN(), n: 1,
		low: 3600 - 192.093727351, high: 4400 + 192.093727351},
	{name: "no ±", measure: "ess_mean", published: map[string]any{"ess_mean": 400.0},
		entry: measured(10000, effective(441)...), mean: 441, se: math.NaN(), n: 1,
		low: 360 - 0.00866025403784439, high: 440 + 0.00866025403784439},
	// The mean of logarithms of 1e-6 and 4e-6 is that of 2e-6, with the error ln 2: a factor of 2³, and 1.5.
	{name: "logarithms", measure: "volume_error_median", published: map[string]any{"volume_error_median": 3e-7},
		entry: measured(2500, volume(1e-6, 4e-6)...), mean: 2e-6, se: 2e-6 * math.Ln2, n: 2,
		low: 3e-7 / 12, high: 3e-7 * 12, agrees: true},
	{name: "logarithms of one replicate", measure: "volume_error_p90", published: map[string]any{"volume_error_p90": 1e-6},
		entry: measured(2500, volume(0.74e-6)...), mean: 1.48e-6, se: math.NaN(), n: 1,
		low: 1e-6 / 1.5, high: 1.5e-6, agrees: true},
	{name: "logarithms, outside", measure: "volume_error_p90", published: map[string]any{"volume_error_p90": 1e-6},
		entry: measured(2500, volume(0.76e-6)...), mean: 1.52e-6, se: math.NaN(), n: 1,
		low: 1e-6 / 1.5, high: 1.5e-6},
	{name: "what is not finite is left out", measure: "volume_error_median", published: map[string]any{"volume_error_median": 1e-6},
		entry: measured(2500, volume(math.NaN(), 1e-6, 0)...), mean: 1e-6, se: math.NaN(), n: 1,
		low: 1e-6 / 1.5, high: 1.5e-6, agrees: true},
	{name: "nothing finite", measure: "ess_mean", published: map[string]any{"ess_mean": 1.0}, entry: measured(2500, effective(math.NaN(), math.NaN())...), absent: true},
	{name: "no replicate", measure: "accept_prob", published: map[string]any{"accept_prob": 1.0}, entry: measured(2500), absent: true},
	{name: "no transitions", measure: "accept_prob", published: map[string]any{"accept_prob": 1.0}, entry: measured(2500, grid.Result{}), absent: true},
}

// The bands, computed by hand from the formula of compare. The published tables are of 10 replicates of
// 10,000 draws.
func TestBands(t *testing.T) {
	for _, c := range bands {
		p := &Published{Label: "tab:x", Rows: []map[string]any{c.published}}
		got := measureNamed(t, c.measure).compare(c.entry, p, 0, 10000, 10)
		if got.Measured == c.absent {
			t.Errorf("%s: measured %v", c.name, got.Measured)
		}
		if c.absent {
			if got.Agrees {
				t.Errorf("%s: agrees", c.name)
			}
			continue
		}
		if got.Agrees != c.agrees || !near(got.Ours.Mean, c.mean) || !near(got.Ours.SE, c.se) || float64(got.Ours.N) != c.n ||
			math.Abs(got.Low-c.low) > 1e-8*math.Abs(c.low) || math.Abs(got.High-c.high) > 1e-8*math.Abs(c.high) {
			t.Errorf("%s: %+v\nwant mean %v, error %v of %v, from %v to %v", c.name, got, c.mean, c.se, c.n, c.low, c.high)
		}
	}
}

// The estimate over replicates, and the median of times.
func TestEstimate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		values   []float64
		mean, se float64
		n        int
	}{
		{nil, nan, nan, 0},
		{[]float64{nan, inf, -inf}, nan, nan, 0},
		{[]float64{3}, 3, nan, 1},
		{[]float64{nan, 3}, 3, nan, 1},
		{[]float64{1, 3}, 2, 1, 2},
		{[]float64{1, inf, 2, 6}, 3, math.Sqrt(7.0 / 3), 3}, // deviations −2, −1, 3
	} {
		e := estimate(c.values)
		if !near(e.Mean, c.mean) || !near(e.SE, c.se) || e.N != c.n {
			t.Errorf("%v: %+v", c.values, e)
		}
	}
	for want, values := range map[float64][]float64{2: {3, 1, 2}, 2.5: {4, 1, 2, 3}, 7: {7}} {
		if got := middle(values); got != want {
			t.Errorf("%v: %v", values, got)
		}
	}
	if x := middle(nil); x == x {
		t.Errorf("the median of nothing is %v", x)
	}
	e := measured(100, grid.Result{Transitions: 100, ESSMin: 20, Times: grid.Times{CPU: 1}}, grid.Result{Transitions: 100, ESSMin: 40, Times: grid.Times{CPU: 3}}, grid.Result{})
	if x := e.SecondsPerDraw(); x != 0.02 {
		t.Errorf("%v seconds per draw", x)
	}
	// The third has no time; its least effective sample size of 0 counts.
	if x := e.ESSPerSecond(); !near(x, 0.2/0.02) {
		t.Errorf("%v per second", x)
	}
}

const publishedGrid = `
replicates = 2
draws = 100
[[model]]
file = "m.ham"
[[cells]]
name = "one"
table = "tab:one"
integrator = ["imb", "glfb"]
step_size = 0.5
steps = [5, 1000000]
[[cells]]
name = "other"
integrator = "imb"
step_size = 0.5
steps = 6
[[note]]
table = "tab:two"
text = "another table"
[[note]]
scale = "quick"
text = "another scale"
[[note]]
table = ["tab:one", "tab:three"]
column = ["ess_mean", "accept_prob"]
where = { integrator = ["glfb", "glfa"], steps = 5 }
text = "glfb, five steps"
[[note]]
column = "ess_mean"
text = "all else of a column"
unknown = true
`

func publishedTables() []Published {
	row := func(k string, steps, accept, ess float64) map[string]any {
		return map[string]any{"integrator": k, "steps": steps, "step_size": 0.5, "accept_prob": accept, "accept_prob_pm": 0.0, "ess_mean": ess, "ess_mean_pm": 1.0}
	}
	return []Published{
		{Label: "tab:none", Rows: []map[string]any{row("imb", 5, 0.5, 50)}},
		{Label: "tab:one", Rows: []map[string]any{row("imb", 5, 0.5, 50), row("glfb", 5, 0.5, 50), row("glfa", 5, 0.5, 50), row("glfb", 1000000, 0.5, 50), row("imb", 1000000, 0.5, 50)}},
	}
}

// resultsOf returns rows of a plan with results that f fills in.
func resultsOf(p *grid.Plan, f func(*grid.Cell, *grid.Result)) []Row {
	var rows []Row
	for i := range p.Cells {
		c := &p.Cells[i]
		n := c.Draws
		r := &grid.Result{
			ID: p.ID(c), Seed: p.CellSeed(c), Transitions: n, Accepted: n / 2, AcceptStat: 0.5, ESSMean: grid.Number(n) / 2, ESSMin: grid.Number(n) / 4,
			Energy: grid.Spread{N: n, P10: 1e-3, Median: 1e-2, P90: 0.1}, EnergyBins: []grid.Bin{{Value: -8, Count: n}},
			Steps: n * 2, Iterations: n * 8, IterBins: []grid.Bin{{Value: 3, Count: n}, {Value: 5, Count: n}},
			Symmetry: grid.Spread{N: 10, P10: 1e-9, Median: 1e-8, P90: 1e-7}, Volume: grid.Spread{N: 10, P10: 1e-9, Median: 2e-8, P90: 1e-7},
			Audited: n, Times: grid.Times{Seconds: 1, CPU: 0.5, Whole: 2, Host: "here"},
		}
		if f != nil {
			f(c, r)
		}
		rows = append(rows, Row{&p.Models[c.Model], c, r})
	}
	return rows
}

// Rows of published tables are compared with the cells of the group that names the table; what is not
// met gets the first note that is on it.
func TestCompare(t *testing.T) {
	src, err := sourceOf(publishedGrid, "")
	if err != nil {
		t.Fatal(err)
	}
	p, err := src.Plan(described, "")
	if err != nil {
		t.Fatal(err)
	}
	rows := resultsOf(p, func(c *grid.Cell, r *grid.Result) {
		if c.Group == "other" {
			r.Accepted = 0 // is of no table
		}
		if c.Integrator == "glfb" {
			r.Accepted, r.ESSMean = 0, 5
		}
		if c.Integrator == "imb" && c.Steps == 1000000 {
			r.Problem = "none"
		}
	})
	list, err := src.Compare(rows, publishedTables())
	if err != nil {
		t.Fatal(err)
	}
	type key struct {
		row      int
		measure  string
		measured bool
		agrees   bool
		reason   int
	}
	want := []key{
		{0, "accept_prob", true, true, 0}, {0, "ess_mean", true, true, 0},
		{1, "accept_prob", true, false, 3}, {1, "ess_mean", true, false, 3},
		{2, "accept_prob", false, false, 0}, {2, "ess_mean", false, false, 0}, // not in the grid
		{3, "accept_prob", true, false, 0}, {3, "ess_mean", true, false, 4},
		{4, "accept_prob", false, false, 0}, {4, "ess_mean", false, false, 0}, // only problems
	}
	if len(list) != len(want) {
		t.Fatalf("%d comparisons", len(list))
	}
	for i, c := range list {
		if got := (key{c.Row, c.Measure, c.Measured, c.Agrees, c.Reason}); got != want[i] || c.Table != "tab:one" {
			t.Errorf("%d: %+v of %s, want %+v", i, got, c.Table, want[i])
		}
	}
	if got, want := Count(list), (Tally{Agree: 2, Explained: 2, Unexplained: 2, Unmeasured: 4}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	quick, err := sourceOf(publishedGrid+"[scale.quick]\n", "quick")
	if err != nil {
		t.Fatal(err)
	}
	if got := quick.reason(&publishedTables()[1], 0, &measures[0]); got != 2 {
		t.Errorf("at the scale quick note %d", got)
	}
}

// Replicates are one entry, cells that differ in anything else are others, and problems are left out.
func TestEntries(t *testing.T) {
	p := mustPlan(t, two, "")
	rows := resultsOf(p, func(c *grid.Cell, r *grid.Result) {
		if c.Index == 3 {
			r.Problem = "none"
		}
	})
	entries := Entries(rows)
	if len(entries) != 51 {
		t.Fatalf("%d entries", len(entries))
	}
	for i, e := range entries {
		if want := 2; i == 1 && len(e.Rows) != 1 || i != 1 && len(e.Rows) != want {
			t.Errorf("entry %d has %d replicates", i, len(e.Rows))
		}
		if e.Settings != p.Cells[2*i].Settings || e.Get("cells") != p.Cells[2*i].Group || e.Get("steps") == "" || e.Get("nothing") != "" {
			t.Errorf("entry %d: %+v", i, e)
		}
	}
	if got := Varying(entries); len(got) != 4 || got[0] != "step_size" || got[1] != "steps" || got[2] != "random_steps" || got[3] != "tolerance" {
		t.Errorf("varying %v", got)
	}
}

// A page counts the bands that nearly everything is in.
func TestWideBands(t *testing.T) {
	for _, x := range []struct {
		low, high float64
		measured  bool
		want      bool
	}{{60, 190, true, false}, {40, 190, true, true}, {60, 210, true, true}, {-5, 1000, true, true}, {-5, 1000, false, false}} {
		c := Comparison{Theirs: 100, Low: x.low, High: x.high, Measured: x.measured}
		if c.wide() != x.want {
			t.Errorf("%+v", x)
		}
		c.Agrees = true
		tally := Count([]Comparison{c})
		text := (&Source{}).agreement(tally, &Reference{Name: "X"})
		if strings.Contains(text, "that 1 of those met would be met by a half or the double of what is published") != x.want || (tally.Wide == 1) != x.want {
			t.Error(text)
		}
	}
}
