package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

// keep is a directory for the reports that the tests write, to look at them or
// to open them in a browser:
//
//	go test ./cmd/hamc/internal/report -keep DIR
var keep = flag.String("keep", "", "directory for the reports that the tests write")

// sample returns a run of standard normal draws, with the statistics of a run of
// hamc. Every seventh transition of the first chain has failed.
func sample(chains, draws, params int) *Run {
	rng := rand.New(rand.NewPCG(1, 2))
	r := &Run{
		Title:         "sample",
		Sampler:       "integrator imb",
		Settings:      []Setting{{"seed", "1"}, {"integrator", "imb"}},
		Stats:         []string{"lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__", "energy__", "solver_iterations__", "failure__", "irreversible__"},
		Probabilities: []float64{0.05, 0.5, 0.95},
		Limits:        Limits{RHat: 1.01, ESS: 400, EBFMI: 0.3, Share: 0.05},
		FailureNames:  []string{"ok", "iteration_limit", "stalled"},
	}
	for k := range params {
		r.Params = append(r.Params, fmt.Sprintf("x.%d", k+1))
	}
	for c := range chains {
		chain := Chain{Number: c + 1}
		for range params {
			chain.Draws = append(chain.Draws, normals(rng, draws))
		}
		chain.Stats = [][]float64{normals(rng, draws), make([]float64, draws), make([]float64, draws), make([]float64, draws), make([]float64, draws), make([]float64, draws), normals(rng, draws), make([]float64, draws), make([]float64, draws), make([]float64, draws)}
		for i := range draws {
			chain.Stats[1][i] = rng.Float64()
			chain.Stats[2][i] = 0.1
			chain.Stats[3][i] = float64(rng.IntN(5))
			chain.Stats[4][i] = float64(1 + rng.IntN(20))
			chain.Stats[7][i] = chain.Stats[4][i] * float64(5+rng.IntN(10))
			if c == 0 && i%7 == 3 {
				chain.Stats[8][i] = 2
			}
		}
		r.Chains = append(r.Chains, chain)
	}
	summarize(r)
	return r
}

func normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// summarize fills the rows of the summary.
func summarize(r *Run) {
	by := make([][][]float64, len(r.Params))
	for k := range by {
		by[k] = r.param(k)
	}
	rows, err := diagnostics.Summarize(r.Params, by, r.Probabilities...)
	if err != nil {
		panic(err)
	}
	r.Summary = rows
}

// write returns the report of a run.
func write(t *testing.T, name string, r *Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r); err != nil {
		t.Fatal(err)
	}
	if *keep != "" {
		if err := os.WriteFile(filepath.Join(*keep, name+".html"), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

var (
	dataElement   = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)
	scriptElement = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	styleElement  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
)

// read returns the data of a page.
func read(t *testing.T, page string) *payload {
	t.Helper()
	m := dataElement.FindStringSubmatch(page)
	if m == nil {
		t.Fatal("the page has no data")
	}
	var d payload
	if err := json.Unmarshal([]byte(m[1]), &d); err != nil {
		t.Fatal(err)
	}
	return &d
}

// values decodes the shown draws of quantity k.
func (d *payload) values(k int) []float64 {
	n := len(d.Values) / 2 / len(d.Quantities)
	out := make([]float64, n)
	for i := range out {
		out[i] = d.Quantities[k].Scale.value(binary.LittleEndian.Uint16(d.Values[2*(k*n+i):]))
	}
	return out
}

func TestScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	draw := map[string]func() float64{
		"normal":       rng.NormFloat64,
		"cauchy":       func() float64 { return rng.NormFloat64() / rng.NormFloat64() },
		"far":          func() float64 { return 1e9 + rng.NormFloat64() },
		"tiny":         func() float64 { return 1e-200 * rng.NormFloat64() },
		"huge":         func() float64 { return 1e299 * rng.Float64() },
		"two modes":    func() float64 { return float64(rng.IntN(2)) + 1e-6*rng.NormFloat64() },
		"mostly still": func() float64 { return math.Floor(1.01*rng.Float64()) * rng.NormFloat64() },
		"log-normal":   func() float64 { return math.Exp(10 * rng.NormFloat64()) },
	}
	for name, f := range draw {
		x := make([]float64, 2000)
		for i := range x {
			x[i] = f()
		}
		sorted := sortedFinite([][]float64{x})
		s := newScale(sorted)
		step := (s.High - s.Low) / (codes - 1)
		span := sorted[len(sorted)-1] - sorted[0]
		for _, v := range x {
			got := s.value(s.code(v))
			// Half a step of the scale, whose slope is √((x−c)² + s²), and rounding.
			limit := 0.51*step*math.Hypot(v-s.Centre, s.Spread) + 1e-15*math.Abs(v) + 1e-9*span*step
			if !(math.Abs(got-v) <= limit) {
				t.Fatalf("%s: %v reads back as %v, off by %v instead of %v", name, v, got, math.Abs(got-v), limit)
			}
			// In any plot of all draws the error is less than a pixel of 2000.
			if math.Abs(got-v) > span/2000 {
				t.Fatalf("%s: %v reads back as %v, of a span of %v", name, v, got, span)
			}
		}
		for _, end := range []float64{sorted[0], sorted[len(sorted)-1]} {
			if got := s.value(s.code(end)); math.Abs(got-end) > 1e-12*max(math.Abs(end), span) {
				t.Errorf("%s: the extreme %v reads back as %v", name, end, got)
			}
		}
	}
	s := newScale([]float64{-1, 0, 1})
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := s.value(s.code(v)); got != v && !(math.IsNaN(v) && math.IsNaN(got)) {
			t.Errorf("%v reads back as %v", v, got)
		}
	}
	if s := newScale([]float64{3, 3, 3}); s.value(s.code(3)) != 3 {
		t.Errorf("3, 3, 3 reads back as %v", s.value(s.code(3)))
	}
}

// TestReadBack reads draws and flags out of a page.
func TestReadBack(t *testing.T) {
	r := sample(3, 200, 4)
	r.Chains[1].Draws[2][5] = math.NaN()
	r.Chains[1].Draws[2][6] = math.Inf(1)
	r.Chains[2].Draws[2][7] = math.Inf(-1)
	summarize(r)
	d := read(t, write(t, "read-back", r))
	if len(d.Quantities) != 5 || d.Quantities[4].Name != "lp__" || d.LP != 4 || d.Step != 1 || d.Regular != 200 {
		t.Fatalf("%d quantities, lp__ at %d, every %d of %d", len(d.Quantities), d.LP, d.Step, d.Regular)
	}
	for k := range r.Params {
		got := d.values(k)
		for c := range r.Chains {
			for i, want := range r.Chains[c].Draws[k] {
				g := got[c*200+i]
				if math.IsNaN(want) != math.IsNaN(g) || math.IsInf(want, 0) && g != want || math.Abs(g-want) > 1e-3 {
					t.Fatalf("%s of draw %d of chain %d is %v instead of %v", r.Params[k], i, c, g, want)
				}
			}
		}
	}
	if n := d.Quantities[2].NotFinite; n != 3 {
		t.Errorf("%d draws that are not finite instead of 3", n)
	}
	for c := range r.Chains {
		for i := range 200 {
			want := byte(0)
			if r.Chains[c].Stats[8][i] != 0 {
				want = failed
			}
			if d.Flags[c*200+i] != want {
				t.Fatalf("flags %d of draw %d of chain %d", d.Flags[c*200+i], i, c)
			}
		}
	}
}

// TestReference compares with values of numpy, scipy and arviz; see
// testdata/README.md.
func TestReference(t *testing.T) {
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string]struct {
		Chains       [][]float64
		Bins         int
		Ranks        [][]int
		ACF, Density [][]float64
		Low, High    float64
		Outside      int
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) != 4 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	for name, w := range cases {
		n := len(w.Chains[0])
		if bins := rankBins(n); bins != w.Bins {
			t.Errorf("%s: %d bins instead of %d", name, bins, w.Bins)
		}
		for c, counts := range rankCounts(w.Chains, w.Bins) {
			if !slices.Equal(counts, w.Ranks[c]) {
				t.Errorf("%s: ranks of chain %d are %v instead of %v", name, c, counts, w.Ranks[c])
			}
		}
		v := centralInterval(sortedFinite(w.Chains))
		if math.Abs(v.low-w.Low) > 1e-12*(w.High-w.Low) || math.Abs(v.high-w.High) > 1e-12*(w.High-w.Low) || v.outside != w.Outside {
			t.Errorf("%s: shown from %v to %v without %d instead of %v, %v, %d", name, v.low, v.high, v.outside, w.Low, w.High, w.Outside)
		}
		for c, x := range w.Chains {
			acf := autocorrelation(x)
			if len(acf) != len(w.ACF[c]) {
				t.Fatalf("%s: %d lags instead of %d", name, len(acf), len(w.ACF[c]))
			}
			for lag := range acf {
				if math.Abs(acf[lag]-w.ACF[c][lag]) > 1e-12 {
					t.Errorf("%s: autocorrelation %v at lag %d of chain %d instead of %v", name, acf[lag], lag, c, w.ACF[c][lag])
				}
			}
			y := density(x, v)
			peak := slices.Max(w.Density[c])
			for i, want := range w.Density[c] {
				// Draws are counted in cells first, which costs accuracy where
				// the kernel is as narrow as a few cells.
				if math.Abs(y[15*i]-want) > 0.02*peak {
					t.Errorf("%s: density %v at point %d of chain %d instead of %v", name, y[15*i], 15*i, c, want)
				}
			}
		}
	}
}

// TestDensityMass checks that what is shown of a density has the mass of the
// draws in its range.
func TestDensityMass(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for name, f := range map[string]func() float64{
		"normal": rng.NormFloat64, "uniform": rng.Float64, "exponential": rng.ExpFloat64,
		"cauchy": func() float64 { return rng.NormFloat64() / rng.NormFloat64() },
	} {
		x := make([]float64, 5000)
		for i := range x {
			x[i] = f()
		}
		v := centralInterval(sortedFinite([][]float64{x}))
		y := density(x, v)
		mass := 0.0
		for i := 1; i < len(y); i++ {
			mass += (y[i-1] + y[i]) / 2 * (v.high - v.low) / (densityPoints - 1)
		}
		if want := 1 - float64(v.outside)/5000; math.Abs(mass-want) > 0.005 {
			t.Errorf("%s: mass %v instead of %v", name, mass, want)
		}
	}
	if density([]float64{2, 2, 2}, interval{low: 1, high: 3}) != nil {
		t.Error("draws that do not move have a density")
	}
}

func TestHistograms(t *testing.T) {
	h := integerHistogram([]float64{3, 3, 4, 6})
	if h.Low != 2.5 || h.Width != 1 || !slices.Equal(h.Counts, []int{2, 1, 0, 1}) {
		t.Errorf("%+v", h)
	}
	var many []float64
	for i := range 1001 {
		many = append(many, float64(i))
	}
	h = integerHistogram(many)
	total := 0
	for _, n := range h.Counts {
		total += n
	}
	if h.Width != math.Trunc(h.Width) || len(h.Counts) > histogramBins || total != len(many) {
		t.Errorf("%d bins of width %v with %d of %d values", len(h.Counts), h.Width, total, len(many))
	}
	h = newHistogram([]float64{0, 0.5, 1, 2, -1, math.NaN()}, interval{low: 0, high: 1}, 2)
	if !slices.Equal(h.Counts, []int{1, 2}) {
		t.Errorf("%+v", h)
	}
}

// TestThinning checks what a run that is too long for a page shows, and that the
// page says so.
func TestThinning(t *testing.T) {
	r := sample(2, 30000, 28)
	for i := range r.Chains[1].Stats[5] {
		if i%1000 == 501 {
			r.Chains[1].Stats[5][i] = 1 // divergent
		}
	}
	page := write(t, "thinned", r)
	d := read(t, page)
	if d.Step < 2 || d.Regular != (30000+d.Step-1)/d.Step {
		t.Fatalf("every %d: %d draws", d.Step, d.Regular)
	}
	if n := len(d.Values) / 2; n > maxValues+2*maxEvents*len(d.Quantities) {
		t.Errorf("%d values", n)
	}
	events := 0
	at := 0
	got := d.values(7)
	start := 0
	for c := range r.Chains {
		for i := range d.Regular {
			if want := r.Chains[c].Draws[7][i*d.Step]; math.Abs(got[start+i]-want) > 1e-3 {
				t.Fatalf("draw %d of chain %d is %v instead of %v", i*d.Step, c, got[start+i], want)
			}
		}
		for e := range d.Events[c] {
			i := int(binary.LittleEndian.Uint32(d.EventDraws[4*at:]))
			at++
			if i%d.Step == 0 {
				t.Fatalf("draw %d of chain %d is there twice", i, c)
			}
			if want := r.Chains[c].Draws[7][i]; math.Abs(got[start+d.Regular+e]-want) > 1e-3 {
				t.Fatalf("event %d of chain %d is %v instead of %v", i, c, got[start+d.Regular+e], want)
			}
			if d.Flags[start+d.Regular+e] == 0 {
				t.Fatalf("event %d of chain %d has no flag", i, c)
			}
		}
		events += d.Events[c]
		start += d.Regular + d.Events[c]
	}
	if events == 0 || events > maxEvents {
		t.Errorf("%d events", events)
	}
	want := fmt.Sprintf("every %s draw: %d of 30000 of each chain", ordinal(d.Step), d.Regular)
	if !strings.Contains(page, want) || !strings.Contains(page, "more are not") {
		t.Errorf("the page does not say %q", want)
	}
	// The curves are of all draws.
	sum := 0
	for i := range 2 * d.Bins {
		sum += int(binary.LittleEndian.Uint32(d.Ranks[4*i:]))
	}
	if sum != 60000 {
		t.Errorf("%d ranks instead of 60000", sum)
	}
}

// TestFlaggedDrawsSurvive checks that every flagged draw of a thinned run is in
// the page where there are few of them.
func TestFlaggedDrawsSurvive(t *testing.T) {
	flags := [][]byte{make([]byte, 10000), make([]byte, 10000)}
	want := map[[2]int]bool{}
	for i := 17; i < 10000; i += 97 {
		flags[i%2][i] = divergent
		want[[2]int{i % 2, i}] = true
	}
	s := choose(1000, flags)
	if s.step < 2 {
		t.Fatal("nothing is thinned")
	}
	for c := range flags {
		seen := map[int]bool{}
		for _, i := range s.draws(c) {
			if seen[i] {
				t.Fatalf("draw %d twice", i)
			}
			seen[i] = true
			delete(want, [2]int{c, i})
		}
	}
	if len(want) > 0 || s.dropped > 0 {
		t.Errorf("%d flagged draws are missing, %d dropped", len(want), s.dropped)
	}
}

// TestSize holds the page to its size: 300 parameters in under 5 MB, and more
// parameters, draws or chains without much more.
func TestSize(t *testing.T) {
	for _, c := range campaign.Sample(t, []struct{ chains, draws, params, most int }{
		{4, 1000, 300, 5_000_000},
		{4, 100, 8000, 8_000_000},
		{40, 500, 200, 8_000_000},
	}, 3) {
		r := sample(c.chains, c.draws, c.params)
		page := write(t, fmt.Sprintf("size-%d", c.params), r)
		if len(page) > c.most {
			t.Errorf("%d × %d draws of %d parameters: %d bytes", c.chains, c.draws, c.params, len(page))
		}
		d := read(t, page)
		if n := len(d.Quantities) - 1; n < c.params && !strings.Contains(page, fmt.Sprintf("plots of the %d worst of %d parameters", n, c.params)) {
			t.Errorf("%d of %d parameters have plots, and the page does not say so", n, c.params)
		}
		if n := strings.Count(page, "<tr data-worst="); n < c.params && !strings.Contains(page, fmt.Sprintf("the %d worst of %d parameters", n, c.params)) {
			t.Errorf("%d of %d parameters have rows, and the page does not say so", n, c.params)
		}
	}
}

// TestWorst checks that the worst parameters are kept where not all can be.
func TestWorst(t *testing.T) {
	r := sample(4, 100, 1200)
	for i := range r.Chains[0].Draws[777] {
		r.Chains[0].Draws[777][i] += 5
	}
	for c := range r.Chains {
		for i := range r.Chains[c].Draws[555] {
			r.Chains[c].Draws[555][i] = 1 // does not move: nothing can be said
		}
	}
	summarize(r)
	d := read(t, write(t, "worst", r))
	for _, name := range []string{"x.778", "x.556"} {
		if !slices.ContainsFunc(d.Quantities, func(q quantity) bool { return q.Name == name }) {
			t.Errorf("%s has no plot", name)
		}
	}
	if got := r.byBadness()[:2]; !slices.Equal(got, []int{555, 777}) {
		t.Errorf("the worst are %v", got)
	}
	if len(d.Quantities) != maxPlots+1 {
		t.Errorf("%d plots", len(d.Quantities))
	}
}

// hostile is text that would do harm if it were not escaped.
const hostile = `</script><script>window.hurt=1</script><img src=x onerror="window.hurt=1">'"` + "`" + `{{.}}]]><!--</style></title></pre>`

// TestEscaping puts hostile text wherever a text goes. What matters most is a
// browser's view, which .ci/browser takes of the page that this test keeps.
func TestEscaping(t *testing.T) {
	r := sample(2, 50, 3)
	r.Title, r.Model, r.Sampler = hostile+"title", hostile+"model", hostile
	r.Settings = []Setting{{hostile, hostile}}
	r.Params = []string{hostile, "__proto__", "constructor"}
	r.Warnings = []Warning{{hostile, hostile, hostile}}
	r.Notes = []string{hostile}
	r.FailureNames = []string{hostile, hostile, hostile}
	r.Blocks = []string{hostile}
	for _, s := range []string{"accept_stat__", "failure__", "n_leapfrog__"} {
		r.Stats = append(r.Stats, hostile+"_"+s)
		for c := range r.Chains {
			r.Chains[c].Stats = append(r.Chains[c].Stats, r.Chains[c].Stats[8])
		}
	}
	summarize(r)
	page := write(t, "hostile", r)
	for what, want := range map[string]int{"<script": 2, "</script": 2, "<style": 1, "</style": 1, "<img": 0, "<!--": 0, "<title": 1, "</title": 1} {
		if n := strings.Count(strings.ToLower(page), what); n != want {
			t.Errorf("%s %d times instead of %d", what, n, want)
		}
	}
	if d := read(t, page); d.Quantities[0].Name != hostile {
		t.Errorf("the name reads back as %q", d.Quantities[0].Name)
	}
	if !strings.Contains(page, "&lt;/script&gt;") {
		t.Error("the text is not there")
	}
}

// TestPolicy checks that the page's policy allows exactly its script and its
// style sheet, and that these are ours.
func TestPolicy(t *testing.T) {
	page := write(t, "plain", sample(2, 50, 3))
	for _, c := range []struct {
		kind string
		re   *regexp.Regexp
		text string
	}{{"script-src", scriptElement, jsText}, {"style-src", styleElement, cssText}} {
		m := c.re.FindStringSubmatch(page)
		if m == nil || m[1] != c.text {
			t.Fatalf("%s: the page has something else", c.kind)
		}
		h := sha256.Sum256([]byte(m[1]))
		if want := fmt.Sprintf("%s &#39;sha256-%s&#39;", c.kind, strings.ReplaceAll(base64.StdEncoding.EncodeToString(h[:]), "+", "&#43;")); !strings.Contains(page, want) {
			t.Errorf("the policy does not have %s", want)
		}
	}
	if m := regexp.MustCompile(`(?i)(src|href|action)\s*=\s*["']?(https?:|//)|url\(|@import`).FindString(page); m != "" {
		t.Errorf("the page refers to something outside: %s", m)
	}
}

// TestDeterminism writes the same page on one core and on several.
func TestDeterminism(t *testing.T) {
	one := func(cores int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		return write(t, "same", sample(4, 300, 30))
	}
	if one(1) != one(4) {
		t.Error("the pages differ")
	}
}

// TestAudit keeps a page with audited draws for .ci/browser.
func TestAudit(t *testing.T) {
	r := sample(2, 200, 2)
	r.Model = "model sample\n\nparam x real[2]\n\nx ~ normal(0, 1)\n"
	rng := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		r.Audit = append(r.Audit, AuditPoint{math.Exp(2*rng.NormFloat64() - 16), math.Exp(2*rng.NormFloat64() - 13)})
	}
	r.Audit = append(r.Audit, AuditPoint{0, 1e-5}, AuditPoint{math.NaN(), 1}, AuditPoint{1, math.Inf(1)})
	page := write(t, "audit", r)
	d := read(t, page)
	if len(d.Audit) != 501 {
		t.Fatalf("%d points", len(d.Audit))
	}
	for i, a := range d.Audit {
		for j, want := range []float64{r.Audit[i].Reversibility, r.Audit[i].Volume} {
			if got, err := strconv.ParseFloat(a[j], 64); err != nil || math.Abs(got-want) > 1e-3*want {
				t.Fatalf("point %d is %v: %v", i, a, err)
			}
		}
	}
	for _, want := range []string{"it is on the axis itself, for 1 draw.", "Left out, without finite errors: 2 draws.", `href="#audit"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(write(t, "no-audit", sample(1, 50, 1)), `id="audit"`) {
		t.Error("a page without audited draws has their section")
	}
}

// TestWithoutStatistics writes the report of draws alone, and of the least that
// there can be.
func TestWithoutStatistics(t *testing.T) {
	r := sample(2, 100, 2)
	r.Stats = nil
	for c := range r.Chains {
		r.Chains[c].Stats = nil
	}
	page := write(t, "draws-only", r)
	for _, id := range []string{"sampler", "energy", "audit", "model"} {
		if has := strings.Contains(page, fmt.Sprintf(`<section id="%s"`, id)); has != (id == "model") {
			t.Errorf("section %s: %v", id, has)
		}
	}
	for _, draws := range []int{1, 2, 3} {
		d := read(t, write(t, fmt.Sprintf("tiny-%d", draws), sample(1, draws, 1)))
		if d.Lags != draws {
			t.Errorf("%d lags of %d draws", d.Lags, draws)
		}
	}
	still := sample(2, 50, 2)
	for c := range still.Chains {
		for i := range 50 {
			still.Chains[c].Draws[0][i] = math.NaN()
			still.Chains[c].Draws[1][i] = 7
			for k := range still.Stats {
				still.Chains[c].Stats[k][i] = math.Inf(1)
			}
		}
	}
	summarize(still)
	d := read(t, write(t, "still", still))
	if d.Energy != nil {
		t.Error("infinite energies have a histogram")
	}
	if got := d.values(1)[0]; got != 7 {
		t.Errorf("7 reads back as %v", got)
	}
}

// TestVerdict checks that the verdict claims no more than was checked.
func TestVerdict(t *testing.T) {
	several, one, bare := sample(4, 100, 1), sample(1, 100, 1), sample(2, 100, 1)
	for c := range several.Chains {
		clear(several.Chains[c].Stats[8])
	}
	bare.Stats = nil
	for c := range bare.Chains {
		bare.Chains[c].Stats = nil
	}
	warned := sample(2, 100, 1)
	warned.Warnings = []Warning{{"it rains", "the street is wet", "an umbrella"}}
	for _, c := range []struct {
		r         *Run
		want, not string
	}{
		{several, "The chains agree, and the effective sample sizes suffice. No transition failed.", "Do not trust"},
		{one, "one chain cannot tell. Of 100 transitions, few failed: 14.", "The chains agree"},
		{bare, "The files do not tell which transitions failed.", "transition failed."},
		{warned, "Do not trust these draws yet", "Nothing speaks against"},
		{warned, "it rains</p><p>the street is wet</p><p class=\"try\"><b>Try:</b> an umbrella", "The chains agree"},
	} {
		page := write(t, "verdict", c.r)
		if !strings.Contains(page, c.want) || strings.Contains(page, c.not) {
			t.Errorf("the page does not say %q, or says %q", c.want, c.not)
		}
	}
}

// TestSampler checks the table and the histograms of the sampler.
func TestSampler(t *testing.T) {
	r := sample(2, 70, 1)
	var h []histogram
	b := r.newBlock("", &h)
	want := []string{"acceptance", "step size", "steps per draw", "solver iterations per step", "divergent", "failed", "irreversible", "E-BFMI"}
	if !slices.Equal(b.Columns, want) {
		t.Fatalf("columns %v", b.Columns)
	}
	steps, iterations := 0.0, 0.0
	for i := range 70 {
		steps += r.Chains[1].Stats[4][i]
		iterations += r.Chains[1].Stats[7][i]
	}
	if got, err := strconv.ParseFloat(b.Rows[1].Cells[3].Text, 64); err != nil || math.Abs(got-iterations/steps) > 0.05 {
		t.Errorf("%s iterations per step instead of %v", b.Rows[1].Cells[3].Text, iterations/steps)
	}
	if got := b.Rows[0].Cells[5].Text; got != "10" {
		t.Errorf("%s failures instead of 10", got)
	}
	if len(b.Reasons) != 1 || b.Reasons[0].Name != "stalled" || !slices.Equal(b.Reasons[0].Counts, []int{10, 0}) {
		t.Errorf("reasons %+v", b.Reasons)
	}
	var titles []string
	for _, p := range b.Plots {
		titles = append(titles, p.Title)
		n := 0
		for _, k := range h[p.Index].Counts {
			n += k
		}
		if n > 140 || n < 138 { // all, up to 1 % beyond the range
			t.Errorf("%s: %d of 140 draws", p.Title, n)
		}
	}
	if !slices.Equal(titles, []string{"Acceptance", "Steps per draw", "Tree depth", "Solver iterations per step"}) {
		t.Errorf("plots %v", titles)
	}
}

// TestRefusals checks that a run whose parts do not fit is refused, with nothing
// written.
func TestRefusals(t *testing.T) {
	for want, spoil := range map[string]func(*Run){
		"there are no draws":                          func(r *Run) { r.Chains = nil },
		"1 rows of the summary for 2 parameters":      func(r *Run) { r.Summary = r.Summary[:1] },
		"row 2 of the summary is of y instead of x.2": func(r *Run) { r.Summary[1].Name = "y" },
		"x.1: 2 quantiles for 3 probabilities":        func(r *Run) { r.Summary[0].Quantiles = r.Summary[0].Quantiles[:2] },
		"chain 2 has 1 parameters and 10 statistics":  func(r *Run) { r.Chains[1].Draws = r.Chains[1].Draws[:1] },
		"chain 2 has columns of 49 and of 50 draws":   func(r *Run) { r.Chains[1].Draws[1] = r.Chains[1].Draws[1][:49] },
		"chain 1 has columns of 48 and of 50 draws":   func(r *Run) { r.Chains[0].Stats[3] = r.Chains[0].Stats[3][:48] },
	} {
		r := sample(2, 50, 2)
		spoil(r)
		var b bytes.Buffer
		err := Write(&b, r)
		if err == nil || !strings.Contains(err.Error(), want) || b.Len() > 0 {
			t.Errorf("%v instead of %s, %d bytes written", err, want, b.Len())
		}
	}
}

// TestGenerated checks that generated quantities stand behind the parameters and that no limit is about
// them, whatever is undefined of them.
func TestGenerated(t *testing.T) {
	r := sample(2, 1000, 4)
	for c := range r.Chains {
		for i := range 1000 {
			r.Chains[c].Draws[2][i] = float64(i % 2) // 0 or 1
			r.Chains[c].Draws[3][i] = 7
		}
	}
	summarize(r)
	judged := write(t, "all_judged", r)
	r.Generated = 2
	page := write(t, "generated", r)
	if !strings.Contains(judged, `class="bad"`) {
		t.Fatal("without a mark the quantities are fine as parameters")
	}
	for _, want := range []string{"2 parameters, 2 generated quantities", "Generated quantities, which have no part in the verdict", "<td>constant</td>", "<tr data-worst=\"2\"><th scope=\"row\">x.3</th>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	table := page[strings.Index(page, `<table id="table">`):]
	table = table[:strings.Index(table, "</table>")]
	if strings.Contains(table, `class="bad"`) || strings.Contains(table, "NaN") || strings.Count(table, "<tbody>") != 2 {
		t.Errorf("%.4000s", table)
	}
	for _, d := range strings.Split(page[strings.Index(page, `<dl class="tiles">`):strings.Index(page, "<noscript>")], "\n") {
		if strings.Contains(d, "x.3") || strings.Contains(d, "x.4") {
			t.Errorf("a tile is about a generated quantity: %s", d)
		}
	}
	r.Generated = 4
	if err := Write(io.Discard, r); err == nil {
		t.Error("a report without parameters is written")
	}
}

// TestGeometry: the choice of a metric is told and drawn, with bars on a scale of logarithms; without a choice there is no section.
func TestGeometry(t *testing.T) {
	r := sample(2, 50, 1)
	if strings.Contains(write(t, "no-choice", r), `id="geometry"`) {
		t.Error("a page without a choice has its section")
	}
	r.Geometry = &Geometry{Why: "Metric low_rank: <a race> said so.", Candidates: []Candidate{
		{Name: "Euclidean", Chosen: true, Doubt: "in doubt: it varies", Merit: 45.31, Steps: 5.84, Trouble: 0.15},
		{Name: "Fisher", Merit: 0.4531, Steps: 1018.4},
		{Name: "nothing", Merit: 0},
	}}
	page := write(t, "choice", r)
	for _, want := range []string{
		`<a href="#geometry">`, "Metric low_rank: &lt;a race&gt; said so.", `<tr class="chosen"><th scope="row">Euclidean ✓`, "in doubt: it varies",
		`<rect width="160" height="14"`, "<td>45</td><td>5.8</td><td>15.0 %</td>",
		`<rect width="80" height="14"`, "<td>0.45</td><td>1018.4</td><td>0.0 %</td>", // a hundredth is half of four powers of ten
		`<rect width="0" height="14"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}
