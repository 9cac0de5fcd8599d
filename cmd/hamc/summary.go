package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/terminal"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/draws"
	"github.com/hamc-dev/hamc/runtime/driver"
)

var summaryQuantiles = []float64{0.05, 0.5, 0.95}

// chainFiles lists the files of draws in a directory, by chain.
func chainFiles(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "chain_*.csv"))
	if err != nil {
		return nil, err
	}
	number := func(f string) int {
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(f), "chain_"), ".csv"))
		if err != nil {
			return math.MaxInt
		}
		return n
	}
	sort.SliceStable(files, func(i, j int) bool { return number(files[i]) < number(files[j]) })
	if len(files) == 0 {
		return nil, problem{fmt.Errorf("%s: there are no files chain_1.csv, … of draws", dir)}
	}
	return files, nil
}

// summarise reads the draws of a directory and prints the table.
func (e *env) summarise(dir string) ([]diagnostics.Summary, error) {
	files, err := chainFiles(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	var chains [][][]float64
	for _, f := range files {
		c, err := draws.Open(f)
		if err != nil {
			return nil, problem{err}
		}
		first := 0
		for first < len(c.Columns) && strings.HasSuffix(c.Columns[first], "__") {
			first++
		}
		own := c.Columns[first:]
		if names == nil {
			names = own
		}
		if strings.Join(own, ",") != strings.Join(names, ",") {
			return nil, problem{fmt.Errorf("%s has other parameters than %s", f, files[0])}
		}
		if len(c.Values) == 0 || len(c.Values[first]) == 0 {
			return nil, problem{fmt.Errorf("%s holds no draws", f)}
		}
		chains = append(chains, c.Values[first:])
	}
	// Interrupted chains may differ in length; the shortest sets it.
	n := math.MaxInt
	for _, c := range chains {
		n = min(n, len(c[0]))
	}
	by := make([][][]float64, len(names))
	for k := range names {
		for _, c := range chains {
			by[k] = append(by[k], c[k][:n])
		}
	}
	s, err := diagnostics.Summarize(names, by, summaryQuantiles...)
	if err != nil {
		return nil, problem{err}
	}
	return s, terminal.SummaryTable(s, summaryQuantiles, 3).Write(e.stdout, terminal.Width(e.stdout))
}

// report prints what a finished run came to.
func (e *env) report(dir string, done *driver.Done) error {
	fmt.Fprintln(e.stdout)
	s, err := e.summarise(dir)
	if err != nil {
		return err
	}
	var t runtime.Totals
	var steps []string
	for _, c := range done.Chains {
		t.Transitions += c.Sampling.Transitions
		t.Divergent += c.Sampling.Divergent
		t.Irreversible += c.Sampling.Irreversible
		t.Steps += c.Sampling.Steps
		t.Iterations += c.Sampling.Iterations
		t.SumAccept += c.Sampling.SumAccept
		for i, n := range c.Sampling.ByStatus {
			t.ByStatus[i] += n
		}
		steps = append(steps, strconv.FormatFloat(c.StepSize, 'g', 3, 64))
	}
	fmt.Fprintf(e.stdout, "\nacceptance %.3f, step size %s, %.1f steps per draw", t.SumAccept/float64(max(1, t.Transitions)),
		strings.Join(steps, " "), float64(t.Steps)/float64(max(1, t.Transitions)))
	if t.Iterations > 0 {
		fmt.Fprintf(e.stdout, ", %.1f solver iterations per step", float64(t.Iterations)/float64(max(1, t.Steps)))
	}
	fmt.Fprintf(e.stdout, "\n%s\n", failures(&t))
	for _, w := range warnings(s, &t) {
		fmt.Fprintf(e.stdout, "warning: %s\n", w)
	}
	if done.Interrupted {
		fmt.Fprintln(e.stdout, "interrupted: the draws up to here are kept")
	}
	fmt.Fprintf(e.stdout, "%.2f s; draws in %s\n", done.Seconds, dir)
	return nil
}

// failures says how proposals failed, each reason apart.
func failures(t *runtime.Totals) string {
	parts := []string{fmt.Sprintf("%d divergent", t.Divergent), fmt.Sprintf("%d irreversible", t.Irreversible)}
	solver := 0
	var why []string
	for i, n := range t.ByStatus {
		if runtime.Status(i) == runtime.OK || n == 0 {
			continue
		}
		solver += n
		why = append(why, fmt.Sprintf("%d %s", n, strings.ReplaceAll(runtime.Status(i).String(), "_", " ")))
	}
	s := fmt.Sprintf("%d solver failures", solver)
	if len(why) > 0 {
		s += " (" + strings.Join(why, ", ") + ")"
	}
	return fmt.Sprintf("of %d proposals: %s, %s", t.Transitions, s, strings.Join(parts, ", "))
}

// warnings lists what speaks against trusting the draws.
func warnings(s []diagnostics.Summary, t *runtime.Totals) []string {
	var out []string
	worst, least := "", ""
	rhat, ess := 1.01, 400.0
	for _, p := range s {
		if p.RHat > rhat {
			rhat, worst = p.RHat, p.Name
		}
		if m := math.Min(p.ESSBulk, p.ESSTail); m < ess {
			ess, least = m, p.Name
		}
	}
	if worst != "" {
		out = append(out, fmt.Sprintf("R-hat of %s is %.3f, above 1.01: the chains have not mixed; run longer, or reparametrise", worst, rhat))
	}
	if least != "" {
		out = append(out, fmt.Sprintf("the effective sample size of %s is %.0f, below 400: quantiles are uncertain; run longer", least, ess))
	}
	if t.Divergent > 0 {
		out = append(out, fmt.Sprintf("%d proposals ended in an energy error above 1000: part of the posterior may be missed; take a smaller --step-size", t.Divergent))
	}
	if n := t.Failures(); n*20 > t.Transitions {
		out = append(out, fmt.Sprintf("the solver failed in %.0f%% of proposals: they are rejected, which biases nothing but costs time; take a smaller --step-size", 100*float64(n)/float64(t.Transitions)))
	}
	return out
}

func newSummary(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "summary DIR",
		Short: "Summarise the draws of a run",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if fi, err := os.Stat(args[0]); err != nil || !fi.IsDir() {
				return problem{fmt.Errorf("%s: there is no such directory", args[0])}
			}
			_, err := e.summarise(args[0])
			return err
		},
	}
}
