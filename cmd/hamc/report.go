package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/report"
	"github.com/hamc-dev/hamc/cmd/hamc/internal/sampler"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/draws"
	"github.com/hamc-dev/hamc/runtime/driver"
)

func newReport(e *env) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Write an HTML report on the draws of a run",
		Long: `Write an HTML report on the draws of a run: verdict and warnings, the summary, and
plots of traces, ranks, densities, autocorrelations, pairs, energies and of what
the sampler did. It is one file, and needs no network to be read.`,
		Args: exactly(1, "DIR"),

		ValidArgsFunction: completeDirectory,
		RunE: func(_ *cobra.Command, args []string) error {
			return e.writeReport(args[0], output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "`FILE` to write (- for standard output); default DIR/report.html")
	_ = cmd.MarkFlagFilename("output", "html")
	return cmd
}

// writeReport writes the report on the run in dir.
func (e *env) writeReport(dir, path string) error {
	if err := runDirectory(dir); err != nil {
		return err
	}
	if path == "" {
		path = filepath.Join(dir, "report.html")
	}
	if path != stdoutName {
		if fi, err := os.Stat(path); err == nil && fi.IsDir() {
			return usage{fmt.Errorf("--output %s: that is a directory; name a file in it, such as %s", path, filepath.Join(path, "report.html"))}
		}
		if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
			return problem{fmt.Errorf("--output %s: there is no directory %s", path, filepath.Dir(path))}
		}
		if draws.FileNumber(filepath.Base(path)) > 0 && sameDirectory(dir, filepath.Dir(path)) {
			return usage{fmt.Errorf("--output %s: that would replace draws of the run", path)}
		}
	}
	s, err := summarise(dir)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	r := reportOf(s)
	// Draws of another program have no manifest, and a report all the same.
	if man, err := driver.ReadManifest(dir); err == nil {
		r.Model = man.Origin.Source
	}
	if err := report.Write(&b, r); err != nil {
		return internal{err}
	}
	if path == stdoutName {
		_, err := e.stdout.Write(b.Bytes())
		return wrap(err)
	}
	if err := sampler.WriteAtomic(path, b.Bytes()); err != nil {
		return problem{err}
	}
	fmt.Fprintf(e.stderr, "wrote %s\n", path)
	return nil
}

func sameDirectory(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// reportOf turns the draws of a run into what the report needs.
func reportOf(s *summary) *report.Run {
	r := &report.Run{
		Title:         "draws",
		Summary:       s.rows,
		Probabilities: summaryQuantiles,
		Limits:        report.Limits{RHat: maxRHat, ESS: minESS, EBFMI: minEBFMI},
		Notes:         s.notes,
	}
	for i := range runtime.NumStatus {
		r.FailureNames = append(r.FailureNames, i.String())
	}
	for _, p := range s.rows {
		r.Params = append(r.Params, p.Name)
	}
	first := s.kept[0]
	for _, name := range first.Columns {
		// Statistics that only some of the chains have are of no use.
		if !draws.IsStatistic(name) || slices.ContainsFunc(s.kept, func(c *draws.Chain) bool { return c.Column(name) == nil }) {
			continue
		}
		r.Stats = append(r.Stats, name)
		if b, ok := strings.CutSuffix(name, "_"+runtime.BlockStatNames[0]); ok {
			r.Blocks = append(r.Blocks, b)
		}
	}
	for _, c := range s.kept {
		chain := report.Chain{Number: c.Number}
		for _, name := range r.Params {
			chain.Draws = append(chain.Draws, c.Column(name)[c.Warmup:][:s.draws])
		}
		for _, name := range r.Stats {
			chain.Stats = append(chain.Stats, c.Column(name)[c.Warmup:][:s.draws])
		}
		r.Chains = append(r.Chains, chain)
	}
	if name := first.Setting("model"); name != "" {
		r.Title = name
	}
	if k := first.Setting("integrator"); k != "" {
		r.Sampler = "integrator " + k
	}
	for _, set := range first.Settings {
		if !slices.Contains(notOfTheRun, set.Name) && !strings.HasSuffix(set.Name, ".stepsize") {
			r.Settings = append(r.Settings, report.Setting(set))
		}
	}
	r.Warnings = reportWarnings(r)
	return r
}

// notOfTheRun are the settings of a file that are there for the sake of other
// programs, or that stand elsewhere in the report.
var notOfTheRun = []string{
	"stan_version_major", "stan_version_minor", "stan_version_patch", "model", "method", "num_samples", "save_warmup", "thin",
	"algorithm", "engine", "max_depth", "metric", "id", "Step size",
}

// minEBFMI is the limit of Betancourt (2016).
const minEBFMI = 0.3

// reportWarnings lists what speaks against trusting the draws, at more length
// than the summary does.
func reportWarnings(r *report.Run) []report.Warning {
	var out []report.Warning
	add := func(meaning, try, what string, args ...any) {
		out = append(out, report.Warning{What: fmt.Sprintf(what, args...), Meaning: meaning, Try: try})
	}
	of := func(n int) string { return fmt.Sprintf("%d of %s", n, plural(len(r.Summary), "parameter")) }
	undefined := func(p *diagnostics.Summary) bool { return math.IsNaN(p.RHat + p.ESSBulk + p.ESSTail) }
	unmixed := func(p *diagnostics.Summary) bool { return p.RHat > maxRHat }
	few := func(p *diagnostics.Summary) bool { return min(p.ESSBulk, p.ESSTail) < minESS }
	count := func(holds func(*diagnostics.Summary) bool) (n int) {
		for k := range r.Summary {
			if holds(&r.Summary[k]) {
				n++
			}
		}
		return n
	}
	if n := count(undefined); n > 0 {
		add("These parameters have too few draws, draws that do not move, or draws that are not finite. Nothing can be said of their convergence.",
			"a longer run; a look at the model, if a parameter is meant to move.",
			"R-hat or effective sample size undefined for %s", of(n))
	}
	extreme := func(of func(*diagnostics.Summary) float64) *diagnostics.Summary { // the largest
		at := -1
		for k := range r.Summary {
			if v := of(&r.Summary[k]); !math.IsNaN(v) && (at < 0 || v > of(&r.Summary[at])) {
				at = k
			}
		}
		return &r.Summary[at]
	}
	if n := count(unmixed); n > 0 {
		p := extreme(func(p *diagnostics.Summary) float64 { return p.RHat })
		add("The chains disagree about these parameters: they have not mixed, and means and quantiles depend on where the chains began.",
			"a longer warm-up and more draws; another parametrisation; another metric. The traces and rank plots show which chains differ.",
			"R-hat above %.4g for %s, %.3f for %s", maxRHat, of(n), p.RHat, p.Name)
	}
	if n := count(few); n > 0 {
		least := func(p *diagnostics.Summary) float64 { return min(p.ESSBulk, p.ESSTail) }
		p := extreme(func(p *diagnostics.Summary) float64 { return -least(p) })
		add("The draws are worth few independent ones. Means and, more so, quantiles are uncertain, and R-hat itself is.",
			"more draws; another parametrisation or metric, if the autocorrelation falls slowly.",
			"Effective sample size below %.0f for %s, %.0f for %s", minESS, of(n), min(math.Round(least(p)), minESS-1), p.Name)
	}
	proposals := len(r.Chains) * len(r.Chains[0].Draws[0])
	names := r.Blocks // the columns of a whole sweep repeat those of its blocks
	if len(names) == 0 {
		names = []string{""}
	}
	for _, name := range names {
		prefix, where := "", ""
		if name != "" {
			prefix, where = name+"_", " of the block "+name
		}
		if n := flagged(r, prefix+"divergent__"); n > 0 {
			add("The energy error of these trajectories exceeded 1000. Where they begin, the step size is too large for the curvature, and part of the posterior may be missed.",
				"a smaller --step-size or a larger --target-accept; another parametrisation or metric. The pairs plot shows where they begin.",
				"%s%s diverged", plural(n, "proposal"), where)
		}
		if n := flagged(r, prefix+"failure__"); n*20 > proposals {
			add("A failed proposal is rejected, which does not bias the draws, but the region where most proposals fail is hardly visited.",
				"a smaller --step-size; another metric. The pairs plot shows where they fail.",
				"The solver failed in %.0f %% of proposals%s", 100*float64(n)/float64(proposals), where)
		}
	}
	if i := slices.Index(r.Stats, "energy__"); i >= 0 && len(r.Blocks) == 0 {
		low := 0
		least := math.Inf(1)
		for _, c := range r.Chains {
			if v := diagnostics.EBFMI(c.Stats[i]); v < minEBFMI {
				low, least = low+1, min(least, v)
			}
		}
		if low > 0 {
			add("Fresh momenta change the energy little compared with how much it varies, so the tails are explored slowly.",
				"another parametrisation; more draws.",
				"E-BFMI below %.1f in %d of %s, the least %.2f", minEBFMI, low, plural(len(r.Chains), "chain"), least)
		}
	}
	return out
}

// flagged counts the draws with a statistic that is not 0.
func flagged(r *report.Run, stat string) int {
	i := slices.Index(r.Stats, stat)
	if i < 0 {
		return 0
	}
	n := 0
	for _, c := range r.Chains {
		for _, v := range c.Stats[i] {
			if v != 0 {
				n++
			}
		}
	}
	return n
}
