// Command posteriors runs hamc, with the settings that a user gets who sets none, on
// posteriors whose moments are known, and prints how close it came and how fast it was, as
// the tables of docs/posteriors.md:
//
//	go run ./internal/benchmarks/posteriors -update
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hamc-dev/hamc/internal/benchmarks"
	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
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
	h, err := benchmarks.BuildHamc()
	if err != nil {
		return err
	}
	defer h.Remove()
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
		o, err := sample(h, p, 1, "--min-ess", "400")
		if err != nil {
			return err
		}
		mean, sd, err := worst(o, ref)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		accuracy = append(accuracy, []string{
			p.name, "`" + p.metric + "`", fmt.Sprintf("%d × %d", o.Chains, o.Draws), mean, sd,
			fmt.Sprintf("%.3f", o.RHat), fmt.Sprintf("%.0f", o.Bulk), fmt.Sprintf("%.0f", o.Tail),
			percent(o.Failed), strconv.Itoa(o.Divergent),
		})
		if p.stan > 0 {
			rate := o.Bulk / o.Seconds
			speed = append(speed, []string{p.name, round(rate), round(p.stan), fmt.Sprintf("%.2g", rate/p.stan)})
		}
	}
	tables := map[string]string{"accuracy": table(accuracy), "speed": table(speed)}
	if seeds > 0 && (only == "" || only == "funnel") {
		if tables["funnel"], err = funnelTable(h, seeds); err != nil {
			return err
		}
	}
	if !update || only != "" {
		for _, name := range []string{"accuracy", "speed", "funnel"} {
			fmt.Println(tables[name])
		}
		return nil
	}
	return write(filepath.Join(h.Root, "docs", "posteriors.md"), tables)
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
	{"logistic (heart), no metric", "auto", models + "logistic_auto.ham", "examples/logistic.data.json", logistic, 21382},
	{"fitzhugh_nagumo", "fisher", "examples/fitzhugh_nagumo.ham", "", fitzhugh, 191},
	{"eight_schools, centred", "softabs(alpha = 1)", models + "eight_schools_centered.ham", pdb + "eight_schools_centered/data.json", fromDB("eight_schools_centered"), 0},
	{"eight_schools, not centred", "softabs(alpha = 1)", models + "eight_schools_noncentered.ham", pdb + "eight_schools_noncentered/data.json", fromDB("eight_schools_noncentered"), 35000},
	{"eight_schools, not centred, no metric", "auto", models + "eight_schools_noncentered_auto.ham", pdb + "eight_schools_noncentered/data.json", fromDB("eight_schools_noncentered"), 35000},
	{"eight_schools, centred, no metric", "auto", "examples/eight_schools.ham", pdb + "eight_schools_centered/data.json", fromDB("eight_schools_centered"), 35000},
	{"volatility, no metric", "auto", "examples/volatility.ham", "internal/fixtures/testdata/stan/sv_centered/data.json", volatility, 0},
	{"kidscore_interaction", "fisher", models + "kidscore_interaction.ham", pdb + "kidscore_interaction/data.json", fromDB("kidscore_interaction"), 61},
	{"kidscore_interaction, no metric", "auto", models + "kidscore_interaction_auto.ham", pdb + "kidscore_interaction/data.json", fromDB("kidscore_interaction"), 61},
	{"blr", "fisher", models + "blr.ham", pdb + "blr/data.json", fromDB("blr"), 3600},
	{"blr, no metric", "auto", models + "blr_auto.ham", pdb + "blr/data.json", fromDB("blr"), 3600},
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

// volatility returns the moments of 40,000 draws by Stan.
func volatility() (map[string]fixtures.Moments, error) {
	m, err := fixtures.LoadSVMoments()
	if err != nil {
		return nil, err
	}
	delete(m.Parameters, "sigma") // √sigma2
	return m.Parameters, nil
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

// sample runs hamc on a posterior.
func sample(h *benchmarks.Hamc, p *posterior, seed int, flags ...string) (*benchmarks.Outcome, error) {
	flags = append([]string{"--seed", strconv.Itoa(seed)}, flags...)
	if p.data != "" {
		flags = append(flags, "--data", p.data)
	}
	return h.Run(p.model, flags...)
}

// worst returns the differences of the moments from a reference that are largest in terms
// of standard errors, with the names of their parameters.
func worst(o *benchmarks.Outcome, ref map[string]fixtures.Moments) (mean, sd string, err error) {
	names := make([]string, 0, len(ref))
	for name := range ref {
		names = append(names, name)
	}
	slices.Sort(names)
	largest := [2]float64{}
	text := [2]string{}
	for _, name := range names {
		x, ok := o.By[name]
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

// funnelTable is the table of runs on the funnel with several seeds.
func funnelTable(h *benchmarks.Hamc, seeds int) (string, error) {
	exact, err := fixtures.LoadFunnelExact()
	if err != nil {
		return "", err
	}
	p := &posteriors[slices.IndexFunc(posteriors, func(p posterior) bool { return p.name == "funnel" })]
	var all [][]float64
	var worst float64
	beyond, outside := 0, 0
	for seed := 1; seed <= seeds; seed++ {
		o, err := sample(h, p, seed)
		if err != nil {
			return "", err
		}
		v := o.By["v"]
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
