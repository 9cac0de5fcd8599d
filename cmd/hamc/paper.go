package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/document"
	"github.com/hamc-dev/hamc/cmd/hamc/internal/experiment"
	"github.com/hamc-dev/hamc/cmd/hamc/internal/plot"
	"github.com/hamc-dev/hamc/paper"
	"github.com/hamc-dev/hamc/runtime/files"
)

func newPaper(e *env) *cobra.Command {
	var f gridFlags
	var files string
	var names []string
	for _, x := range paper.Experiments {
		names = append(names, x.Name)
	}
	cmd := &cobra.Command{
		Use:   "paper EXPERIMENT…",
		Short: "Rerun experiments of Brofos & Lederman (2021), beside their published tables",
		Long: `Rerun experiments of Brofos & Lederman, "Evaluating the Implicit Midpoint Integrator for
Riemannian Manifold Hamiltonian Monte Carlo" (ICML 2021), and write their tables
and figures beside the published ones.

Each experiment is a grid with a directory of its own below --output-dir: results
of cells, tables, figures, and a page, as HTML and as Markdown. The same command
goes on where it was stopped.

Experiments: ` + strings.Join(names, ", ") + `, or all.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage{fmt.Errorf("hamc paper needs an experiment: %s, or all", strings.Join(names, ", "))}
			}
			for _, a := range args {
				if a != "all" && !slices.Contains(names, a) {
					err := fmt.Errorf("there is no experiment %q: expected %s, or all", a, strings.Join(names, ", "))
					if near := nearest(a, names); near != "" {
						err = fmt.Errorf("%w; did you mean %s?", err, near)
					}
					return usage{err}
				}
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return append(slices.Clone(names), "all"), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			if f.scale != "quick" && f.scale != "paper" {
				return usage{fmt.Errorf("--scale %s: expected quick or paper", f.scale)}
			}
			if files != "" {
				return e.paperFiles(args, files)
			}
			return e.paper(cmd.Context(), args, &f)
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&f.output, "output-dir", "", "`DIR` for the results, with a directory for each experiment; default paper-results/SCALE")
	cmd.Flags().StringVar(&f.scale, "scale", "quick", "`SCALE`: quick, minutes on two cores: all rows, fewer draws and replicates; or paper, the full design")
	cmd.Flags().StringVar(&files, "files", "", "write the files of the experiments' grids to `DIR`, to change them and run them with hamc grid, and run nothing")
	completeFlags(cmd)
	return cmd
}

// chosen returns the experiments that arguments name.
func chosen(args []string) []*paper.Experiment {
	var out []*paper.Experiment
	for i := range paper.Experiments {
		if x := &paper.Experiments[i]; slices.Contains(args, x.Name) || slices.Contains(args, "all") {
			out = append(out, x)
		}
	}
	return out
}

// paperFiles writes the files of experiments to a directory; those that are there already must be the
// same.
func (e *env) paperFiles(args []string, dir string) error {
	texts := map[string][]byte{}
	var names []string
	add := func(name string) error {
		text, err := paper.ReadFile(name)
		if _, known := texts[name]; err == nil && !known {
			texts[name] = text
			names = append(names, name)
		}
		return err
	}
	for _, x := range chosen(args) {
		if err := add(x.File); err != nil {
			return internal{err}
		}
		spec, err := experiment.ParseSpec(texts[x.File], x.File)
		if err != nil {
			return internal{err}
		}
		for _, name := range spec.Files() {
			if err := add(name); err != nil {
				return internal{err}
			}
		}
	}
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		old, err := os.ReadFile(path)
		if err == nil && !bytes.Equal(old, texts[name]) {
			return usage{fmt.Errorf("%s is there already, and differs: choose another directory", path)}
		}
	}
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		if err == nil {
			err = files.Replace(path, texts[name])
		}
		if err != nil {
			return problem{err}
		}
		fmt.Fprintln(e.stdout, path)
	}
	return nil
}

// paperOutcome is what came of one experiment.
type paperOutcome struct {
	experiment *paper.Experiment
	outcome    *experiment.Outcome
}

// paper runs experiments of the paper.
func (e *env) paper(parent context.Context, args []string, f *gridFlags) error {
	out := f.output
	if out == "" {
		out = filepath.Join("paper-results", f.scale)
	}
	scale := f.scale
	if scale == "paper" {
		f.scale = "" // what the files say
	}
	ref, err := paperReference()
	if err != nil {
		return internal{err}
	}
	var guard guard
	ctx, stop := guard.watch(parent)
	defer stop()
	var done []paperOutcome
	for _, x := range chosen(args) {
		if !f.quiet && !f.dry {
			fmt.Fprintf(e.stderr, "== %s\n", x.Title)
		}
		o, err := e.paperExperiment(ctx, x, filepath.Join(out, x.Name), ref, f)
		if err != nil {
			return err
		}
		if o != nil {
			done = append(done, paperOutcome{x, o})
		}
	}
	if len(done) < 2 {
		return nil
	}
	if err := experiment.WriteDocument(out, paperIndex(done, scale)); err != nil {
		return problem{err}
	}
	fmt.Fprintf(e.stdout, "all of it: %s\n", filepath.Join(out, experiment.PageHTML))
	return nil
}

// paperExperiment runs one experiment; the outcome is nil where it is to be run dry.
func (e *env) paperExperiment(ctx context.Context, x *paper.Experiment, dir string, ref *experiment.Reference, f *gridFlags) (*experiment.Outcome, error) {
	text, err := paper.ReadFile(x.File)
	if err != nil {
		return nil, internal{err}
	}
	g, err := e.prepare(ctx, text, x.File, paper.ReadFile, dir, f)
	if err != nil || f.dry {
		return nil, err
	}
	rows, err := e.runGrid(ctx, g, f)
	if err != nil {
		return nil, err
	}
	r := *ref
	if x.Name != "gaussian" {
		r.Figures = nil
	}
	o, err := experiment.WritePage(g.dir, g.source, g.plan, rows, &r)
	if err != nil {
		return nil, problem{err}
	}
	if err := g.shortfall(rows); err != nil {
		return nil, err
	}
	t := o.Tally
	line := fmt.Sprintf("%s: %s", x.Title, plural(len(rows), "cell"))
	if n := t.Agree + t.Explained + t.Unexplained; n > 0 {
		line += fmt.Sprintf("; published values: %d, met: %d", n, t.Agree)
		for _, x := range []struct {
			what string
			n    int
		}{{"of these in bands that say little", t.Wide}, {"not met, for reasons given", t.Explained}, {"not met, not known why", t.Unexplained}, {"not measured", t.Unmeasured}} {
			if x.n > 0 {
				line += fmt.Sprintf(", %s: %d", x.what, x.n)
			}
		}
	}
	fmt.Fprintf(e.stdout, "%s: %s\n", line, filepath.Join(dir, experiment.PageHTML))
	return o, nil
}

// paperReference is the paper as pages need it.
func paperReference() (*experiment.Reference, error) {
	tables, err := paper.Tables()
	if err != nil {
		return nil, err
	}
	ref := &experiment.Reference{Name: "Brofos & Lederman (2021)"}
	for _, t := range tables {
		ref.Tables = append(ref.Tables, experiment.Published{Label: t.Label, Rows: t.Rows})
	}
	levels, err := levelsFigure()
	if err != nil {
		return nil, err
	}
	ref.Figures = []experiment.ReferenceFigure{{
		Name:    "levels",
		Caption: "Figure 1 of the paper: trajectories of the leapfrog and of the implicit midpoint for H(q, p) = q²/2 + p²/2, on its level sets. Both are stable; the leapfrog leaves the level that it starts on, the implicit midpoint does not.",
		Figure:  levels,
	}}
	return ref, nil
}

// levelsFigure draws figure 1 of the paper.
func levelsFigure() (*plot.Figure, error) {
	const steps = 40
	leapfrog, midpoint, err := paper.Levels(steps)
	if err != nil {
		return nil, err
	}
	f := &plot.Figure{Title: "Energy levels and trajectories of two integrators"}
	for _, x := range []struct {
		title  string
		path   paper.Path
		color  int
		marker plot.Marker
	}{{"Leapfrog", leapfrog, 4, plot.Plus}, {"I.M.(b)", midpoint, 3, plot.Dot}} {
		p := plot.Panel{
			Title: x.title,
			X:     plot.Axis{Label: "q", Min: -1.6, Max: 1.6, Equal: true},
			Y:     plot.Axis{Label: "p", Min: -1.6, Max: 1.6, Equal: true},
		}
		for _, radius := range []float64{0.5, 0.75, 1, 1.25, 1.5} {
			s := plot.Series{Kind: plot.Line, Color: 7, Dashed: radius != 1}
			for i := range 101 {
				a := 2 * math.Pi * float64(i) / 100
				s.X, s.Y = append(s.X, radius*math.Cos(a)), append(s.Y, radius*math.Sin(a))
			}
			p.Series = append(p.Series, s)
		}
		p.Series = append(p.Series, plot.Series{Label: x.title, Kind: plot.Points, Marker: x.marker, Color: x.color, X: x.path.Q, Y: x.path.P})
		f.Panels = append(f.Panels, p)
	}
	return f, nil
}

// paperIndex is the page on several experiments.
func paperIndex(done []paperOutcome, scale string) *document.Document {
	d := &document.Document{Title: "Brofos & Lederman (2021), rerun"}
	add := func(b document.Block) { d.Blocks = append(d.Blocks, b) }
	add(document.Paragraph{Text: "The experiments of “Evaluating the Implicit Midpoint Integrator for Riemannian Manifold Hamiltonian Monte Carlo” (ICML 2021), at the scale *" + scale + "*."})
	t := &document.Table{Head: []string{"experiment", "published values", "met", "of these in bands that say little", "not met, for reasons given", "not met, not known why"}, Left: 1}
	var sum experiment.Tally
	row := func(name string, t experiment.Tally) []document.Cell {
		cells := []document.Cell{{Text: name}}
		for _, n := range []int{t.Agree + t.Explained + t.Unexplained, t.Agree, t.Wide, t.Explained, t.Unexplained} {
			cells = append(cells, document.Cell{Text: fmt.Sprint(n)})
		}
		return cells
	}
	var conclusions []string
	for _, x := range done {
		o := x.outcome
		t.Rows = append(t.Rows, row(fmt.Sprintf("[%s](%s/%s)", x.experiment.Title, x.experiment.Name, experiment.PageHTML), o.Tally))
		sum.Agree += o.Tally.Agree
		sum.Wide += o.Tally.Wide
		sum.Explained += o.Tally.Explained
		sum.Unexplained += o.Tally.Unexplained
		conclusions = append(conclusions, o.Conclusion...)
	}
	t.Rows = append(t.Rows, row("together", sum))
	add(t)
	add(document.Heading{Level: 2, Text: "Which integrator?"})
	add(document.Paragraph{Text: "With the best configuration of each method, by the least effective sample size per second of processor time. The pages of the experiments say what these chains lose to solves that fail and to moves that are not reversible."})
	add(document.List{Items: conclusions})
	return d
}
