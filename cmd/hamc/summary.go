package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
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
	rows   []diagnostics.Summary // of what is judged: the parameters, and lp__ where the files do not hold all of them
	left   []diagnostics.Summary // that of lp__, if it is judged
	others []diagnostics.Summary // of the generated quantities
	chains int
	draws  int      // per chain, as many as all have and are held
	all    int      // per chain, held or not
	notes  []string // on what was left out

	started, unfinished int // chains

	kept []*draws.Chain // that the rows are of

	evidence *evidence
	manifest *driver.Manifest // nil of draws of another program
}

// summaryBounds is how many draws a summary looks at, so that its memory has a bound: 10⁶ draws tell as much
// as more would. The diagnostics of a quantity take some hundred bytes for each.
var summaryBounds = draws.Bounds{Draws: 1 << 20, Values: 1 << 26, Least: 1 << 17}

// summarise reads the draws of a directory.
func summarise(dir string) (*summary, error) {
	// Draws of another program have no manifest, and a summary all the same.
	man, err := driver.Verify(dir)
	if err != nil {
		return nil, problem{err}
	}
	set, err := draws.LoadWithin(dir, summaryBounds)
	if err != nil {
		return nil, problem{err}
	}
	chains, n := set.Aligned()
	if n == 0 {
		return nil, problem{fmt.Errorf("%s: the files hold no draws", dir)}
	}
	s := &summary{chains: len(chains), draws: n, all: n, notes: leftOut(set, chains), started: len(set.Chains), unfinished: unfinished(set), kept: chains, manifest: man}
	if k := chains[0].Every; k > 1 {
		s.all = chains[0].All()
		for _, c := range chains {
			s.all = min(s.all, c.All())
		}
		s.notes = append(s.notes, fmt.Sprintf("of each chain, means, quantiles, effective sample sizes and R-hat are those of one draw in %d, %d of %d; what the sampler did is counted in all of them", k, n, s.all))
	}
	for _, part := range []struct {
		to *[]diagnostics.Summary
		of func(column string) bool
	}{
		{&s.rows, func(c string) bool { return !draws.IsStatistic(c) && !chains[0].Generated(c) }},
		{&s.others, chains[0].Generated},
		{&s.left, func(c string) bool { return c == "lp__" && (len(s.rows) == 0 || partial(man)) }}, // which moves as the parameters do that the files do not hold
	} {
		var names []string
		var by [][][]float64 // by column, then by chain
		for i, name := range set.Columns {
			if !part.of(name) {
				continue
			}
			var values [][]float64
			for _, c := range chains {
				values = append(values, c.Values[i][c.Warmup:][:n])
			}
			names, by = append(names, name), append(by, values)
		}
		if len(names) == 0 {
			continue
		}
		if *part.to, err = diagnostics.Summarize(names, by, summaryQuantiles...); err != nil {
			return nil, problem{err}
		}
	}
	s.rows = append(s.rows, s.left...)
	audits, err := readAudits(dir)
	if err != nil {
		return nil, err
	}
	s.evidence = newEvidence(s, s.manifest, audits)
	s.evidence.named = named(dir, s.manifest)
	return s, nil
}

// partial reports whether a run keeps the draws of some parameters and not of others.
func partial(man *driver.Manifest) bool {
	return man != nil && len(man.Options.Keep) > 0 && slices.ContainsFunc(man.Params, func(p runtime.Param) bool { return !slices.Contains(man.Options.Keep, p.Name) })
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
			out = append(out, fmt.Sprintf("left out: chain %d, with %s", c.Number, plural(c.All(), "draw")))
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
	if err := terminal.SummaryTable(s.rows, summaryQuantiles, 3, long).Write(w, width); err != nil || len(s.others) == 0 {
		return err
	}
	fmt.Fprintln(w, "\ngenerated quantities, of which no warning tells")
	if err := terminal.QuantityTable(s.others, summaryQuantiles, 3, long).Write(w, width); err != nil {
		return err
	}
	if list := constants(s.others); list != "" {
		fmt.Fprintf(w, "constant: %s\n", list)
	}
	return nil
}

// columns counts what the files hold.
func (s *summary) columns() string {
	n := len(s.rows) - len(s.left)
	text := plural(n, "parameter")
	switch k := len(s.others); {
	case k == 1:
		text += ", 1 generated quantity"
	case k > 1:
		text += fmt.Sprintf(", %d generated quantities", k)
	}
	return text
}

// constants lists the quantities that are the same number in all draws, the first few by name.
func constants(rows []diagnostics.Summary) string {
	const most = 6
	var names []string
	for i := range rows {
		if rows[i].Constant {
			names = append(names, rows[i].Name)
		}
	}
	if len(names) > most {
		names = append(names[:most-1:most-1], fmt.Sprintf("and %d more", len(names)-most+1))
	}
	return strings.Join(names, ", ")
}

// length is how many draws each chain has.
func (s *summary) length() string {
	if s.manifest != nil && s.manifest.Target.Yields && s.all > s.manifest.Options.Draws {
		if s.mixed() {
			return fmt.Sprintf("%s, as many as R-hat and effective sample sizes asked for,", plural(s.all, "draw"))
		}
		return fmt.Sprintf("%s, more than were asked for, and too few still,", plural(s.all, "draw"))
	}
	return plural(s.all, "draw")
}

// mixed reports whether R-hat and effective sample sizes of all parameters are within the limits of the warnings.
func (s *summary) mixed() bool {
	return s.agree() && !slices.ContainsFunc(s.rows, func(p diagnostics.Summary) bool {
		return !p.Constant && (p.ESSBulk < minESS || p.ESSTail < minESS)
	})
}

// agree reports whether no R-hat says that the chains have not mixed: of draws that are only too few, others would be as few.
func (s *summary) agree() bool {
	return !slices.ContainsFunc(s.rows, func(p diagnostics.Summary) bool { return !p.Constant && p.RHat > maxRHat })
}

// report prints what a finished run came to. It is an error if that is not to be trusted.
func (e *env) report(dir string, w *watcher, of *posterior) error {
	s, err := summarise(dir)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := s.write(&b, terminal.Width(e.stdout), false); err != nil {
		return internal{err}
	}
	fmt.Fprintf(&b, "\n%s of %s in %s", plural(s.chains, "chain"), s.length(), seconds(w.done.Seconds))
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
	if said := geometry(s.evidence.race, s.manifest, w.done.Chains); said != "" {
		fmt.Fprintln(&b, said)
	}
	if n := w.count(func(b *runtime.BlockRun) bool { return b.Climbed }); n > 0 {
		fmt.Fprintf(&b, "%d of %s started far from the bulk, and climbed to it before warm-up\n", n, plural(len(w.done.Chains), "chain"))
	}
	if n := w.count(func(b *runtime.BlockRun) bool { return b.Anew > 0 }); n > 0 {
		fmt.Fprintf(&b, "%d of %s began anew, since warm-up had led to where next to nothing of the posterior is\n", n, plural(len(w.done.Chains), "chain"))
	}
	if n := w.count(func(b *runtime.BlockRun) bool { return b.Follows }); n > 0 {
		fmt.Fprintf(&b, "%d of them came to such a place each time, and went on from where the highest chain was: R-hat tells less\n", n)
	}
	if said := s.evidence.jumped(); said != "" {
		fmt.Fprintln(&b, said)
	}
	if w.done.Interrupted {
		s.evidence.unfinished = 0 // which the line below says at more length
	}
	s.evidence.write(&b)
	if s.evidence.against() > 0 && !w.done.Interrupted {
		if said := of.suspicion(); said != "" {
			fmt.Fprintln(&b, said)
		}
	}
	if w.done.Interrupted {
		fmt.Fprintf(&b, "interrupted: the draws up to here are kept; to go on: hamc run --resume %s\n", dir)
	}
	fmt.Fprintf(&b, "draws in %s\n", dir)
	if _, err = e.stdout.Write(b.Bytes()); err != nil {
		return problem{err}
	}
	if e.events != nil {
		_ = json.NewEncoder(e.events).Encode(s.evidence.event()) // like the display, it is not worth a run
	}
	if w.done.Interrupted || w.done.Short != nil {
		return nil // of which the one who asks tells
	}
	return s.evidence.verdict(dir)
}

// jumped says how chains at different places jumped between these; "" where there was one place.
func (e *evidence) jumped() string {
	switch j := e.jumps; {
	case j == nil:
		return ""
	case j.Times == 0 && !e.parted():
		return fmt.Sprintf("warm-up led chains to %d places, of which all but one hold next to nothing: chains jumped from these before the first draw", j.Places)
	default:
		return fmt.Sprintf("warm-up led chains to %d places, between which they jumped %s", j.Places, plural(j.Times, "time"))
	}
}

// count counts the chains of whose first block something is so.
func (w *watcher) count(so func(b *runtime.BlockRun) bool) int {
	n := 0
	for i := range w.done.Chains {
		if so(&w.done.Chains[i].Blocks[0]) {
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
	chains      int
	fixed       int // chains with trajectories of a fixed length, as warm-up chose
	bent        int // chains with coordinates that are bent
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
				r.chains++
				r.bent += min(1, len(n.Bends))
				if n.Steps > 0 && w.start.Options.For(r.name).Steps == 0 {
					r.fixed++
				}
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
	if r.fixed > 0 {
		fmt.Fprintf(b, ", of a fixed number%s", ofChains(r.fixed, r.chains))
	}
	if r.bent > 0 {
		fmt.Fprintf(b, ", in bent coordinates%s", ofChains(r.bent, r.chains))
	}
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
		Long: `Summarise the draws of a run, and warn of what speaks against them.

Exit codes: 0 nothing speaks against the draws, 1 something does.`,
		Args: exactly(1, "DIR"),

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
			if _, err = e.stdout.Write(b.Bytes()); err != nil {
				return problem{err}
			}
			return s.evidence.verdict(args[0])
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, fmt.Sprintf("print every element of vectors with more than %d", longVector))
	return cmd
}
