package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
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

// summary is the table of the draws in a directory.
type summary struct {
	rows   []diagnostics.Summary
	chains int
	draws  int      // per chain, as many as all have
	notes  []string // on what was left out

	started, unfinished int // chains

	kept []*draws.Chain // that the rows are of

	evidence *evidence
	manifest *driver.Manifest // nil of draws of another program
}

// summarise reads the draws of a directory.
func summarise(dir string) (*summary, error) {
	set, err := draws.Load(dir)
	if err != nil {
		return nil, problem{err}
	}
	chains, n := set.Aligned()
	if n == 0 {
		return nil, problem{fmt.Errorf("%s: the files hold no draws", dir)}
	}
	s := &summary{chains: len(chains), draws: n, notes: leftOut(set, chains), started: len(set.Chains), unfinished: unfinished(set), kept: chains}
	var names []string
	var by [][][]float64 // by column, then by chain
	for i, name := range set.Columns {
		if draws.IsStatistic(name) {
			continue
		}
		var values [][]float64
		for _, c := range chains {
			values = append(values, c.Values[i][c.Warmup:][:n])
		}
		names, by = append(names, name), append(by, values)
	}
	if s.rows, err = diagnostics.Summarize(names, by, summaryQuantiles...); err != nil {
		return nil, problem{err}
	}
	// Draws of another program have no manifest, and a summary all the same.
	man, err := driver.ReadManifest(dir)
	switch _, missing := os.Stat(filepath.Join(dir, driver.ManifestName)); {
	case err == nil:
		s.manifest = man
	case missing == nil:
		s.notes = append(s.notes, fmt.Sprintf("what the run was is not known: %v", err))
	}
	s.evidence = newEvidence(s, s.manifest)
	s.evidence.named = named(dir, s.manifest)
	return s, nil
}

// unfinished counts the chains that did not end.
func unfinished(set *draws.Set) int {
	n := 0
	for _, c := range set.Chains {
		if !c.Complete {
			n++
		}
	}
	return n
}

// leftOut says which chains of a set are left out.
func leftOut(set *draws.Set, kept []*draws.Chain) []string {
	var out []string
	for _, c := range set.Chains {
		if !slices.Contains(kept, c) {
			out = append(out, fmt.Sprintf("left out: chain %d, with %s", c.Number, plural(c.Draws(), "draw")))
		}
	}
	return out
}

// longVector is the number of elements up to which the table shows all of a
// vector.
const longVector = 12

// write writes the table, all of it or what fits on a page.
func (s *summary) write(w io.Writer, width int, all bool) error {
	for _, n := range s.notes {
		fmt.Fprintln(w, n)
	}
	if len(s.notes) > 0 {
		fmt.Fprintln(w)
	}
	long := longVector
	if all {
		long = 0
	}
	return terminal.SummaryTable(s.rows, summaryQuantiles, 3, long).Write(w, width)
}

// report prints what a finished run came to.
func (e *env) report(dir string, w *watcher) error {
	s, err := summarise(dir)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := s.write(&b, terminal.Width(e.stdout), false); err != nil {
		return internal{err}
	}
	fmt.Fprintf(&b, "\n%s of %s in %s", plural(s.chains, "chain"), plural(s.draws, "draw"), seconds(w.done.Seconds))
	blocks := blockReports(w)
	if len(blocks) > 1 {
		fmt.Fprintln(&b)
	}
	for i := range blocks {
		blocks[i].write(&b)
	}
	if len(blocks) > 1 {
		fmt.Fprintln(&b)
	}
	if n := climbed(w); n > 0 {
		fmt.Fprintf(&b, "%d of %s started far from the bulk, and climbed to it before warm-up\n", n, plural(len(w.done.Chains), "chain"))
	}
	if w.done.Interrupted {
		s.evidence.unfinished = 0 // which the line below says at more length
	}
	s.evidence.write(&b)
	if w.done.Interrupted {
		fmt.Fprintf(&b, "interrupted: the draws up to here are kept; to go on: hamc run --resume %s\n", dir)
	}
	fmt.Fprintf(&b, "draws in %s\n", dir)
	_, err = e.stdout.Write(b.Bytes())
	return wrap(err)
}

// climbed counts the chains whose start was far from the bulk of the posterior.
func climbed(w *watcher) int {
	n := 0
	for i := range w.done.Chains {
		if w.done.Chains[i].Blocks[0].Climbed {
			n++
		}
	}
	return n
}

// blockReport is what the updates of one block came to, all chains together.
type blockReport struct {
	name        string
	integrator  runtime.Integrator
	totals      runtime.Totals
	least, most float64 // step size
}

func blockReports(w *watcher) []blockReport {
	var out []blockReport
	for i := range w.done.Chains[0].Blocks {
		r := blockReport{name: w.done.Chains[0].Blocks[i].Name, least: math.Inf(1)}
		r.integrator = w.start.Options.For(r.name).Integrator
		for _, c := range w.done.Chains {
			if n := &c.Blocks[i]; n.Sampling.Transitions > 0 {
				r.totals.Join(&n.Sampling)
				r.least, r.most = min(r.least, n.StepSize), max(r.most, n.StepSize)
			}
		}
		out = append(out, r)
	}
	return out
}

// write says how the block was sampled.
func (r *blockReport) write(b io.Writer) {
	t := &r.totals
	if r.name == "" {
		fmt.Fprintf(b, ", integrator %s\n", r.integrator)
	} else {
		fmt.Fprintf(b, "\nblock %s, integrator %s\n", r.name, r.integrator)
	}
	fmt.Fprintf(b, "acceptance %.2f, step size %s, %.1f steps per draw", t.SumAccept/float64(t.Transitions), span(r.least, r.most), float64(t.Steps)/float64(t.Transitions))
	if t.Iterations > 0 {
		fmt.Fprintf(b, ", %.1f solver iterations per step", float64(t.Iterations)/float64(max(1, t.Steps)))
	}
	fmt.Fprintf(b, "\n%s\n", failures(t))
}

// seconds writes a time of computation.
func seconds(s float64) string {
	switch {
	case s < 0.1:
		return fmt.Sprintf("%.0f ms", max(1, 1e3*s))
	case s < 100:
		return fmt.Sprintf("%.1f s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", int(s)/60, int(s)%60)
	}
	return fmt.Sprintf("%d h %d min", int(s)/3600, int(s)/60%60)
}

// span writes the range of a number.
func span(least, most float64) string {
	a, b := strconv.FormatFloat(least, 'g', 2, 64), strconv.FormatFloat(most, 'g', 2, 64)
	if a == b {
		return strconv.FormatFloat(most, 'g', 3, 64)
	}
	return a + "–" + b
}

// failures says how transitions failed, each reason apart.
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
	if solver+t.Divergent+t.Irreversible == 0 {
		return fmt.Sprintf("none of %s failed", plural(t.Transitions, "transition"))
	}
	s := plural(solver, "solver failure")
	if len(why) > 0 {
		s += " (" + strings.Join(why, ", ") + ")"
	}
	return fmt.Sprintf("of %s: %s, %s", plural(t.Transitions, "transition"), s, strings.Join(parts, ", "))
}

// runDirectory returns an error if dir is not a directory.
func runDirectory(dir string) error {
	fi, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return problem{fmt.Errorf("%s: there is no such directory", dir)}
	case err != nil:
		return problem{err}
	case !fi.IsDir():
		return problem{fmt.Errorf("%s is a file, not the directory of a run", dir)}
	}
	return nil
}

func newSummary(e *env) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "summary DIR",
		Short: "Summarise the draws of a run, and warn of what speaks against them",
		Args:  exactly(1, "DIR"),

		ValidArgsFunction: completeDirectory,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := runDirectory(args[0]); err != nil {
				return err
			}
			s, err := summarise(args[0])
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := s.write(&b, terminal.Width(e.stdout), all); err != nil {
				return internal{err}
			}
			var lines bytes.Buffer
			if s.evidence.write(&lines); lines.Len() > 0 {
				fmt.Fprintf(&b, "\n%s", &lines)
			}
			_, err = e.stdout.Write(b.Bytes())
			return wrap(err)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, fmt.Sprintf("print every element of vectors with more than %d", longVector))
	return cmd
}
