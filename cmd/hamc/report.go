package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/report"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/draws"
	"github.com/hamc-dev/hamc/runtime/files"
)

// reportName is the name of a report in the directory of its run.
const reportName = "report.html"

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
		path = filepath.Join(dir, reportName)
	}
	if path != stdoutName {
		if fi, err := os.Stat(path); err == nil && fi.IsDir() {
			return usage{fmt.Errorf("--output %s: that is a directory; name a file in it, such as %s", path, filepath.Join(path, reportName))}
		}
		if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
			return problem{fmt.Errorf("--output %s: there is no directory %s", path, filepath.Dir(path))}
		}
		if err := notOfRun(dir, path); err != nil {
			return err
		}
	}
	s, err := summarise(dir)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	r := reportOf(s)
	if s.manifest != nil {
		r.Model = s.manifest.Origin.Source
	}
	for i := range s.evidence.blocks {
		r.Audit = append(r.Audit, auditPoints(s.evidence.blocks[i].audits)...)
	}
	if err := report.Write(&b, r); err != nil {
		return internal{err}
	}
	if path == stdoutName {
		_, err := e.stdout.Write(b.Bytes())
		return wrap(err)
	}
	if err := files.Replace(path, b.Bytes()); err != nil {
		return problem{err}
	}
	if err := noteProduct(dir, path); err != nil {
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
		Summary:       slices.Concat(s.rows, s.others),
		Generated:     len(s.others),
		Probabilities: summaryQuantiles,
		Limits:        report.Limits{RHat: maxRHat, ESS: minESS, EBFMI: minEBFMI, Share: maxShare},
		Notes:         s.notes,
	}
	if s.all > s.draws {
		r.Notes = append(slices.Clone(r.Notes), "Plots and counts in this report are of these draws only; the warnings are of all, and so are the counts of hamc diagnose.")
	}
	for i := range runtime.NumStatus {
		r.FailureNames = append(r.FailureNames, i.String())
	}
	for _, p := range r.Summary {
		r.Params = append(r.Params, p.Name)
	}
	first := s.kept[0]
	for _, name := range first.Columns {
		// Statistics that only some of the chains have are of no use.
		if !draws.IsStatistic(name) || slices.ContainsFunc(s.kept, func(c *draws.Chain) bool { return c.Column(name) == nil }) {
			continue
		}
		r.Stats = append(r.Stats, name)
	}
	r.Blocks = blockNames(r.Stats)
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
		if !slices.Contains(notOfTheRun, set.Name) && !strings.HasSuffix(set.Name, ".stepsize") && !strings.HasSuffix(set.Name, extraDoublings) {
			r.Settings = append(r.Settings, report.Setting(set))
		}
	}
	r.Geometry = geometryOf(s.evidence.race)
	for _, w := range s.evidence.warnings() {
		if w.cost || w.posterior {
			r.Notes = append(r.Notes, w.headline()+". "+w.meaning)
		} else {
			r.Warnings = append(r.Warnings, report.Warning{What: w.headline(), Meaning: w.meaning, Try: w.try})
		}
	}
	return r
}

// notOfTheRun are the settings of a file that are there for the sake of other
// programs, or that stand elsewhere in the report.
var notOfTheRun = []string{
	"stan_version_major", "stan_version_minor", "stan_version_patch", "model", "method", "num_samples", "save_warmup", "thin",
	"algorithm", "engine", "max_depth", "metric", "id", "Step size", draws.GeneratedSetting,
}
