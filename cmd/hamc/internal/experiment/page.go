package experiment

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/document"
	"github.com/hamc-dev/hamc/cmd/hamc/internal/plot"
	"github.com/hamc-dev/hamc/runtime/files"
	"github.com/hamc-dev/hamc/runtime/grid"
)

// The rendered page in the directory of a grid.
const (
	PageHTML     = "page.html"
	PageMarkdown = "page.md"
	FiguresName  = "figures" // directory of the figures of page.md
)

// Reference is what a grid reruns.
type Reference struct {
	Name    string // of the publication, in running text
	Tables  []Published
	Figures []ReferenceFigure // that take no cells
}

// ReferenceFigure is a figure that takes no cells.
type ReferenceFigure struct {
	Name, Caption string
	Figure        *plot.Figure
}

// Outcome is what a page says of a grid.
type Outcome struct {
	Tally      Tally
	Compared   []Comparison
	Conclusion []string // a sentence for each model
}

// Page builds the page of a grid from its results. There may be no Reference.
func (src *Source) Page(p *grid.Plan, rows []Row, ref *Reference) (*document.Document, *Outcome, error) {
	entries := Entries(rows)
	out := &Outcome{}
	d := &document.Document{Title: document.Escape(p.Title)}
	add := func(b document.Block) { d.Blocks = append(d.Blocks, b) }
	if src.Spec.About != "" {
		add(document.Paragraph{Text: src.Spec.About})
	}
	if text := shortfall(p, rows); text != "" {
		add(document.Paragraph{Text: text})
	}
	if ref != nil {
		var err error
		if out.Compared, err = src.Compare(rows, ref.Tables); err != nil {
			return nil, nil, err
		}
		out.Tally = Count(out.Compared)
		if len(out.Compared) > 0 {
			add(document.Paragraph{Text: src.agreement(out.Tally, ref)})
		}
	}
	for i := range src.Spec.Groups {
		g := &src.Spec.Groups[i]
		of := slices.DeleteFunc(slices.Clone(entries), func(e *Entry) bool { return e.Group != g.Name })
		if len(of) == 0 {
			continue
		}
		add(document.Heading{Level: 2, Text: document.Escape(title(g.Name))})
		text := g.About
		if text != "" {
			text += " "
		}
		if g.Table != "" && ref != nil {
			text = "(`" + g.Table + "` of the paper.) " + text
		}
		add(document.Paragraph{Text: text + src.size(of)})
		var published *Published
		if ref != nil {
			if k := slices.IndexFunc(ref.Tables, func(t Published) bool { return t.Label == g.Table }); k >= 0 {
				published = &ref.Tables[k]
			}
		}
		if published != nil {
			length, _, err := src.Spec.length(g, "")
			if err != nil {
				return nil, nil, err
			}
			add(src.comparedTable(of, published, out.Compared, length.Draws))
			add(src.timesTable(of, entries, published))
		} else {
			add(src.table(of))
		}
	}
	src.notes(add, out.Compared)

	pictures := src.figures(entries)
	if len(pictures) > 0 || ref != nil && len(ref.Figures) > 0 {
		add(document.Heading{Level: 2, Text: "Figures"})
		if ref != nil {
			for _, f := range ref.Figures {
				add(document.Figure{Name: f.Name, Caption: f.Caption, SVG: f.Figure.SVG()})
			}
		}
		for _, f := range pictures {
			add(document.Figure{Name: f.name, Caption: f.caption, SVG: f.figure.SVG()})
		}
	}
	add(document.Heading{Level: 2, Text: "How it was made"})
	add(document.Paragraph{Text: fmt.Sprintf("Seed %d. What was measured of each cell is in `%s`, times in `%s`, frequencies in `%s` and `%s`. A cell's numbers depend on the seed, the model, its data and the settings, and on nothing else: not on the machine's load, the executor or the order. Effective sample sizes are those of the paper's code (rank-normalised, split, of one chain), per chain; ± is the standard error over replicates.", p.Seed, ResultsName, TimesName, IterationsName, EnergyName)})
	src.verdict(add, entries, ref, out)
	return d, out, nil
}

// shortfall says what is missing of a grid, and from the means of its page; "" for nothing.
func shortfall(p *grid.Plan, rows []Row) string {
	problems, still := 0, 0
	for i := range rows {
		switch r := rows[i].Result; {
		case r.Problem != "":
			problems++
		case !rows[i].Cell.Fresh && r.ESSMin != r.ESSMin:
			still++
		}
	}
	var parts []string
	of := plural(len(p.Cells), "cell")
	if n := len(p.Cells) - len(rows); n > 0 {
		parts = append(parts, fmt.Sprintf("**%d of %s without a result.**", n, of))
	}
	if problems > 0 {
		parts = append(parts, fmt.Sprintf("**%d of %s could not be run**: the column `problem` of `%s` says why.", problems, of, ResultsName))
	}
	if still > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s without effective sample sizes: a parameter stood still, or there are too few draws.", still, of))
	}
	if len(parts) > 0 {
		parts = append(parts, "Means are over the others.")
	}
	return strings.Join(parts, " ")
}

// WritePage writes the page of a grid to its directory, as HTML and as Markdown with its figures.
func WritePage(dir string, src *Source, p *grid.Plan, rows []Row, ref *Reference) (*Outcome, error) {
	d, out, err := src.Page(p, rows, ref)
	if err != nil {
		return nil, err
	}
	return out, WriteDocument(dir, d)
}

// WriteDocument writes a document to a directory, as HTML and as Markdown with its figures.
func WriteDocument(dir string, d *document.Document) error {
	for _, b := range d.Blocks {
		f, ok := b.(document.Figure)
		if !ok {
			continue
		}
		if err := os.MkdirAll(filepath.Join(dir, FiguresName), 0o777); err != nil {
			return err
		}
		if err := files.Replace(filepath.Join(dir, FiguresName, f.Name+".svg"), f.SVG); err != nil {
			return err
		}
	}
	markdown := d.Markdown(func(name string) string { return FiguresName + "/" + name + ".svg" })
	if err := files.Replace(filepath.Join(dir, PageMarkdown), markdown); err != nil {
		return err
	}
	return files.Replace(filepath.Join(dir, PageHTML), d.HTML())
}

// title makes a heading of a group's name.
func title(name string) string {
	words := strings.NewReplacer("_", " ", "-", ", ").Replace(name)
	return strings.ToUpper(words[:1]) + words[1:]
}

// size says how much was run of a group.
func (src *Source) size(of []*Entry) string {
	l := of[0].Length
	n := 0
	for _, e := range of {
		n = max(n, len(e.Rows))
	}
	what := "draws"
	if l.Fresh {
		what = "trajectories"
	}
	text := fmt.Sprintf("%d %s, %s.", l.Draws, what, plural(n, "replicate"))
	if l.Warmup > 0 {
		text = fmt.Sprintf("%d %s after %d that do not count, %s.", l.Draws, what, l.Warmup, plural(n, "replicate"))
	}
	return text
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// shown writes a number with so many significant digits, "–" for none.
func shown(x float64, digits int) string {
	if x-x != 0 {
		return "–"
	}
	a := math.Abs(x)
	switch {
	case a >= math.Pow(10, float64(digits)):
		return fmt.Sprintf("%.0f", x)
	case a != 0 && a < 1e-3:
		mantissa, exponent, _ := strings.Cut(fmt.Sprintf("%.*e", digits-1, x), "e")
		n, _ := strconv.Atoi(exponent) // that of a number just written
		return mantissa + "·10" + superscript(n)
	case a == 0:
		return "0"
	}
	return fmt.Sprintf("%.*f", max(0, digits-1-int(math.Floor(math.Log10(a)))), x)
}

// plusMinus writes an estimate with its standard error.
func plusMinus(e Estimate, decimals int) string {
	if e.Mean != e.Mean {
		return "–"
	}
	if e.SE != e.SE {
		return fmt.Sprintf("%.*f", decimals, e.Mean)
	}
	return fmt.Sprintf("%.*f ± %.*f", decimals, e.Mean, decimals, e.SE)
}

// table is the table of a group that nothing is published of.
func (src *Source) table(of []*Entry) *document.Table {
	names := Varying(of)
	t := &document.Table{}
	models := false
	for _, e := range of {
		models = models || e.Model != of[0].Model
	}
	if models {
		t.Head = append(t.Head, "model")
	}
	for _, name := range names {
		t.Head = append(t.Head, settingNamed(name).label)
	}
	t.Head = append(t.Head, "integrator")
	t.Left = len(t.Head)
	fresh := of[0].Length.Fresh
	type head struct {
		text string
		of   func(*Entry) string
	}
	median := func(f func(*grid.Result) float64) func(*Entry) string {
		return func(e *Entry) string {
			var values []float64
			for i := range e.Rows {
				values = append(values, f(e.Rows[i].Result))
			}
			return shown(middle(values), 2)
		}
	}
	heads := []head{
		{"acceptance", func(e *Entry) string { return plusMinus(e.Over(AcceptProb), 2) }},
		{"energy error, median", median(func(r *grid.Result) float64 { return float64(r.Energy.Median) })},
		{"energy error, 90 %", median(func(r *grid.Result) float64 { return float64(r.Energy.P90) })},
	}
	if !fresh {
		heads = append(heads,
			head{"mean ESS", func(e *Entry) string {
				return plusMinus(e.Over(func(r *grid.Result) float64 { return float64(r.ESSMean) }), 0)
			}},
			head{"least ESS", func(e *Entry) string {
				return plusMinus(e.Over(func(r *grid.Result) float64 { return float64(r.ESSMin) }), 0)
			}},
		)
	}
	if of[0].Length.Checks > 0 {
		heads = append(heads,
			head{"symmetry, median", median(func(r *grid.Result) float64 { return float64(r.Symmetry.Median) })},
			head{"volume, median", median(func(r *grid.Result) float64 { return float64(r.Volume.Median) })},
		)
	}
	heads = append(heads,
		head{"iterations per step", func(e *Entry) string { return shown(iterationsPerStep(e), 3) }},
		head{"failed", func(e *Entry) string { return percent(failedShare(e)) }},
		head{"irreversible, per 100,000", func(e *Entry) string { return irreversibleText(e) }},
		head{"µs per draw", func(e *Entry) string { return shown(1e6*e.SecondsPerDraw(), 3) }},
	)
	for _, h := range heads {
		t.Head = append(t.Head, h.text)
	}
	for _, e := range of {
		var row []document.Cell
		if models {
			row = append(row, document.Cell{Text: document.Escape(e.Model.Name)})
		}
		for _, name := range names {
			row = append(row, document.Cell{Text: document.Escape(e.Get(name))})
		}
		row = append(row, document.Cell{Text: document.Escape(src.label(e.Settings.Integrator))})
		for _, h := range heads {
			row = append(row, document.Cell{Text: h.of(e)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// iterationsPerStep is the mean over steps that succeed.
func iterationsPerStep(e *Entry) float64 {
	steps := e.Sum(func(r *grid.Result) int { return r.Steps - r.FailedSteps })
	return float64(e.Sum(func(r *grid.Result) int { return r.Iterations - r.FailedIters })) / float64(steps)
}

// failedShare is the share of transitions that a failure ended.
func failedShare(e *Entry) float64 {
	return float64(e.Sum(Failed)) / float64(e.Sum(func(r *grid.Result) int { return r.Transitions }))
}

// wasted is the share of iterations in steps that failed.
func wasted(e *Entry) float64 {
	return float64(e.Sum(func(r *grid.Result) int { return r.FailedIters })) / float64(e.Sum(func(r *grid.Result) int { return r.Iterations }))
}

// irreversible is the number of transitions in 100,000 that accept a proposal whose way back does not
// return.
func irreversible(e *Entry) float64 {
	return 1e5 * float64(e.Sum(func(r *grid.Result) int { return r.Unreturned })) / float64(e.Sum(func(r *grid.Result) int { return r.Audited }))
}

// irreversibleText is irreversible in words; of none found it says below what the number is, at 95 %
// confidence (3 of as many as were audited).
func irreversibleText(e *Entry) string {
	x := irreversible(e)
	if x != 0 {
		return shown(x, 3)
	}
	return fmt.Sprintf("0 (< %s)", shown(3e5/float64(e.Sum(func(r *grid.Result) int { return r.Audited })), 2))
}

func percent(x float64) string {
	if x-x != 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*x)
}
