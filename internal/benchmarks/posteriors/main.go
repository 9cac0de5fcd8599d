// Command posteriors runs hamc, with the settings that a user gets who sets none, on
// posteriors whose moments are known, and prints how close it came and how fast it was, as
// the tables of docs/posteriors.md:
//
//	go run ./internal/benchmarks/posteriors -update
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/draws"
)

func main() {
	update := flag.Bool("update", false, "write the tables to docs/posteriors.md instead of standard output")
	only := flag.String("only", "", "run the posterior of that name alone")
	seeds := flag.Int("funnel-seeds", 20, "seeds of the funnel's table")
	flag.Parse()
	if err := run(*update, *only, *seeds); err != nil {
		fmt.Fprintln(os.Stderr, "posteriors:", err)
		os.Exit(1)
	}
}

func run(update bool, only string, seeds int) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "posteriors-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	s := &shop{root: root, work: work, hamc: filepath.Join(work, "hamc")}
	if out, err := exec.Command("go", "build", "-o", s.hamc, "./cmd/hamc").CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	var accuracy, speed [][]string
	accuracy = append(accuracy, []string{"posterior", "metric", "draws", "mean, worst z", "sd, worst z", "R-hat", "ESS bulk", "ESS tail", "failed", "divergent"})
	speed = append(speed, []string{"model", "least ESS per second", "Stan 2.21", "ratio"})
	for i := range posteriors {
		p := &posteriors[i]
		if only != "" && p.name != only {
			continue
		}
		fmt.Fprintln(os.Stderr, p.name)
		ref, err := p.reference()
		if err != nil {
			return err
		}
		o, err := s.sample(p, 1, "--min-ess", "400")
		if err != nil {
			return err
		}
		mean, sd, err := o.worst(ref)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		accuracy = append(accuracy, []string{
			p.name, "`" + p.metric + "`", fmt.Sprintf("%d × %d", o.chains, o.draws), mean, sd,
			fmt.Sprintf("%.3f", o.rhat), fmt.Sprintf("%.0f", o.bulk), fmt.Sprintf("%.0f", o.tail),
			percent(o.failed), strconv.Itoa(o.divergent),
		})
		if p.stan > 0 {
			rate := o.bulk / o.seconds
			speed = append(speed, []string{p.name, round(rate), round(p.stan), fmt.Sprintf("%.2g", rate/p.stan)})
		}
	}
	tables := map[string]string{"accuracy": table(accuracy), "speed": table(speed)}
	if seeds > 0 && (only == "" || only == "funnel") {
		if tables["funnel"], err = s.funnel(seeds); err != nil {
			return err
		}
	}
	if !update || only != "" {
		for _, name := range []string{"accuracy", "speed", "funnel"} {
			fmt.Println(tables[name])
		}
		return nil
	}
	return write(filepath.Join(root, "docs", "posteriors.md"), tables)
}

// posterior is one row of the tables.
type posterior struct {
	name, metric string
	model, data  string // paths from the root
	reference    func() (map[string]fixtures.Moments, error)
	stan         float64 // Stan's least effective sample size per second; 0 if it was not measured
}

const (
	models = "internal/benchmarks/posteriors/models/"
	pdb    = "internal/fixtures/testdata/posteriordb/"
)

// posteriors are the rows. Stan's figures: version 2.21, C++ with -O3 -march=native, one
// chain, default settings, one thread, without its warm-up, on the same kind of machine.
var posteriors = []posterior{
	{"banana", "fisher", "examples/banana.ham", "", banana, 1518},
	{"funnel", "softabs(alpha = 1e6)", "examples/funnel.ham", "", funnel, 376},
	{"logistic (heart)", "fisher", "examples/logistic.ham", "", logistic, 21382},
	{"fitzhugh_nagumo", "fisher", "examples/fitzhugh_nagumo.ham", "", fitzhugh, 191},
	{"eight_schools, centred", "softabs(alpha = 1)", models + "eight_schools_centered.ham", pdb + "eight_schools_centered/data.json", fromDB("eight_schools_centered"), 0},
	{"eight_schools, not centred", "softabs(alpha = 1)", models + "eight_schools_noncentered.ham", pdb + "eight_schools_noncentered/data.json", fromDB("eight_schools_noncentered"), 35000},
	{"kidscore_interaction", "fisher", models + "kidscore_interaction.ham", pdb + "kidscore_interaction/data.json", fromDB("kidscore_interaction"), 61},
	{"blr", "fisher", models + "blr.ham", pdb + "blr/data.json", fromDB("blr"), 3600},
	{"lotka_volterra", "fisher", "examples/lotka_volterra.ham", "", fromDB("lotka_volterra"), 61},
}

// fromDB returns the moments of posteriordb, with the names of columns.
func fromDB(name string) func() (map[string]fixtures.Moments, error) {
	return func() (map[string]fixtures.Moments, error) {
		s, err := fixtures.LoadReferenceSummary(name)
		if err != nil {
			return nil, err
		}
		out := map[string]fixtures.Moments{}
		for k, m := range s.Parameters {
			out[strings.NewReplacer("[", ".", ",", ".", "]", "").Replace(k)] = m
		}
		return out, nil
	}
}

// exactly makes moments of exact means and standard deviations.
func exactly(names []string, mean, sd, meanSE, sdSE []float64) map[string]fixtures.Moments {
	out := map[string]fixtures.Moments{}
	for i, name := range names {
		m := fixtures.Moments{Mean: mean[i], SD: sd[i]}
		if meanSE != nil {
			m.MCSEMean, m.MCSESD = meanSE[i], sdSE[i]
		}
		out[name] = m
	}
	return out
}

func banana() (map[string]fixtures.Moments, error) {
	x, err := fixtures.LoadBananaExact()
	if err != nil {
		return nil, err
	}
	return exactly([]string{"t1", "t2"}, x.Mean, x.SD, nil, nil), nil
}

// The x of the funnel have tails too heavy for the standard error of a standard
// deviation, so only v is compared.
func funnel() (map[string]fixtures.Moments, error) {
	x, err := fixtures.LoadFunnelExact()
	if err != nil {
		return nil, err
	}
	return exactly([]string{"v"}, []float64{x.V.Mean}, []float64{x.V.SD}, nil, nil), nil
}

func logistic() (map[string]fixtures.Moments, error) {
	x, err := fixtures.LoadLogisticExact()
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range x.Mean {
		names = append(names, "beta."+strconv.Itoa(i+1))
	}
	return exactly(names, x.Mean, x.SD, x.MeanSE, x.SDSE), nil
}

func fitzhugh() (map[string]fixtures.Moments, error) {
	x, err := fixtures.LoadFHNExact()
	if err != nil {
		return nil, err
	}
	return exactly([]string{"a", "b", "c"}, x.Mean, x.SD, nil, nil), nil
}

// shop is where runs are made.
type shop struct{ root, work, hamc string }

// outcome is what a run came to.
type outcome struct {
	set           *draws.Set
	by            map[string][][]float64 // draws by column and chain
	chains, draws int
	rhat          float64 // largest of the parameters
	bulk, tail    float64 // least of the parameters
	failed        float64 // share of transitions
	divergent     int
	seconds       float64 // of the sampling phase, all chains together
}

// sample runs hamc on a posterior.
func (s *shop) sample(p *posterior, seed int, flags ...string) (*outcome, error) {
	dir := filepath.Join(s.work, "draws")
	args := append([]string{"run", p.model, "--output-dir", dir, "--overwrite", "--quiet", "--seed", strconv.Itoa(seed)}, flags...)
	if p.data != "" {
		args = append(args, "--data", p.data)
	}
	cmd := exec.Command(s.hamc, args...)
	cmd.Dir = s.root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	// A run that falls short of its effective sample size has draws all the same.
	if err := cmd.Run(); err != nil && !strings.Contains(stderr.String(), "short of the") {
		return nil, fmt.Errorf("hamc %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	set, err := draws.Load(dir)
	if err != nil {
		return nil, err
	}
	chains, n := set.Aligned()
	o := &outcome{set: set, by: map[string][][]float64{}, chains: len(chains), draws: n, bulk: math.Inf(1), tail: math.Inf(1)}
	failed := 0
	for i, name := range set.Columns {
		var x [][]float64
		for _, c := range chains {
			x = append(x, c.Values[i][:n])
		}
		o.by[name] = x
		if draws.IsStatistic(name) {
			continue
		}
		o.rhat = max(o.rhat, diagnostics.RHat(x))
		o.bulk, o.tail = min(o.bulk, diagnostics.ESSBulk(x)), min(o.tail, diagnostics.ESSTail(x))
	}
	for c := range chains {
		for i := range n {
			if o.by["failure__"][c][i] != 0 {
				failed++
			}
			o.divergent += int(o.by["divergent__"][c][i])
		}
	}
	o.failed = float64(failed) / float64(n*len(chains))
	return o, o.readTimes(filepath.Join(dir, "time.json"))
}

// readTimes reads the times of the chains.
func (o *outcome) readTimes(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var clock struct {
		Chains []struct {
			SamplingSeconds float64 `json:"sampling_seconds"`
		} `json:"chains"`
	}
	if err := json.Unmarshal(text, &clock); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, c := range clock.Chains {
		o.seconds += c.SamplingSeconds
	}
	return nil
}

// worst returns the differences of the moments from a reference that are largest in terms
// of standard errors, with the names of their parameters.
func (o *outcome) worst(ref map[string]fixtures.Moments) (mean, sd string, err error) {
	names := make([]string, 0, len(ref))
	for name := range ref {
		names = append(names, name)
	}
	slices.Sort(names)
	largest := [2]float64{}
	text := [2]string{}
	for _, name := range names {
		x, ok := o.by[name]
		if !ok {
			return "", "", fmt.Errorf("there are no draws of %s", name)
		}
		m := ref[name]
		z := [2]float64{
			(diagnostics.Mean(x) - m.Mean) / math.Hypot(diagnostics.MCSEMean(x), m.MCSEMean),
			(diagnostics.SD(x) - m.SD) / math.Hypot(diagnostics.MCSESD(x), m.MCSESD),
		}
		for i, v := range z {
			if !(math.Abs(v) < largest[i]) {
				largest[i], text[i] = math.Abs(v), fmt.Sprintf("%+.1f (`%s`)", v, name)
			}
		}
	}
	return text[0], text[1], nil
}

// funnel is the table of runs on the funnel with several seeds.
func (s *shop) funnel(seeds int) (string, error) {
	exact, err := fixtures.LoadFunnelExact()
	if err != nil {
		return "", err
	}
	p := &posteriors[slices.IndexFunc(posteriors, func(p posterior) bool { return p.name == "funnel" })]
	var all [][]float64
	var worst float64
	beyond, outside := 0, 0
	for seed := 1; seed <= seeds; seed++ {
		o, err := s.sample(p, seed)
		if err != nil {
			return "", err
		}
		v := o.by["v"]
		z := (diagnostics.SD(v) - exact.V.SD) / diagnostics.MCSESD(v)
		fmt.Fprintf(os.Stderr, "funnel, seed %d: sd of v %.3f, z %+.2f\n", seed, diagnostics.SD(v), z)
		if math.Abs(z) > 3 {
			outside++
		}
		worst = max(worst, math.Abs(z))
		for _, c := range v {
			for _, x := range c {
				if math.Abs(x) > 6 {
					beyond++
				}
			}
		}
		all = append(all, v...)
	}
	tail := make([][]float64, len(all))
	for i, c := range all {
		for _, x := range c {
			hit := 0.0
			if math.Abs(x) > 6 {
				hit = 1
			}
			tail[i] = append(tail[i], hit)
		}
	}
	sd, want := diagnostics.SD(all), exact.PVLtNeg+exact.PVGtPos
	return table([][]string{
		{"quantity", "drawn", "exact", "standard error"},
		{"runs with the sd of v more than 3 standard errors off", fmt.Sprintf("%d of %d (worst %.1f)", outside, seeds, worst), "", ""},
		{"sd of v, all runs", fmt.Sprintf("%.3f (%+.1f %%)", sd, 100*(sd/exact.V.SD-1)), fmt.Sprintf("%.3g", exact.V.SD), fmt.Sprintf("%.3f", diagnostics.MCSESD(all))},
		{"P(\\|v\\| > 6), all runs", fmt.Sprintf("%.4f", diagnostics.Mean(tail)), fmt.Sprintf("%.4f", want), fmt.Sprintf("%.4f", diagnostics.MCSEMean(tail))},
	}), nil
}

// table writes rows as Markdown, the first as the head.
func table(rows [][]string) string {
	var b strings.Builder
	for i, r := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(r, " | "))
		if i == 0 {
			fmt.Fprintf(&b, "%s|\n", strings.Repeat("|---", len(r)))
		}
	}
	return b.String()
}

// write replaces the tables of a page, which stand between "<!-- measured: NAME -->" and
// "<!-- end -->".
func write(page string, tables map[string]string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	out := string(text)
	for name, t := range tables {
		head := "<!-- measured: " + name + " -->\n"
		before, rest, ok := strings.Cut(out, head)
		_, after, ok2 := strings.Cut(rest, "<!-- end -->")
		if !ok || !ok2 {
			return fmt.Errorf("%s: there is no place for the table %s", page, name)
		}
		out = before + head + t + "<!-- end -->" + after
	}
	return os.WriteFile(page, []byte(out), 0o666)
}

func percent(x float64) string {
	if x == 0 {
		return "0"
	}
	return fmt.Sprintf("%.1f %%", 100*x)
}

// round writes a rate with two digits.
func round(x float64) string {
	e := math.Pow(10, math.Floor(math.Log10(x))-1)
	return strconv.FormatFloat(math.Round(x/e)*e, 'f', -1, 64)
}

// moduleRoot finds the directory of go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	path := strings.TrimSpace(string(out))
	if path == "" || path == os.DevNull {
		return "", errors.New("not within the module")
	}
	return filepath.Dir(path), nil
}
