package experiment

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/document"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/grid"
)

// pageOf writes the page of a grid and returns it as HTML and as Markdown.
func pageOf(t *testing.T, text string, ref *Reference, change func(*grid.Cell, *grid.Result), keep func(*grid.Cell) bool) (html, markdown string, out *Outcome) {
	t.Helper()
	src, err := sourceOf(text, "")
	if err != nil {
		t.Fatal(err)
	}
	src.Labels(described)
	p, err := src.Plan(described, "")
	if err != nil {
		t.Fatal(err)
	}
	var rows []Row
	for _, r := range resultsOf(p, change) {
		if keep == nil || keep(r.Cell) {
			rows = append(rows, r)
		}
	}
	dir := t.TempDir()
	if out, err = WritePage(dir, src, p, rows, ref); err != nil {
		t.Fatal(err)
	}
	var texts [2]string
	for i, name := range []string{PageHTML, PageMarkdown} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(b)
		for _, no := range []string{"NaN", "Inf", "%!"} {
			if strings.Contains(texts[i], no) {
				t.Errorf("%s has %s", name, no)
			}
		}
	}
	// Every figure of the Markdown is there.
	for _, part := range strings.Split(texts[1], "](figures/")[1:] {
		name, _, _ := strings.Cut(part, ")")
		if _, err := os.Stat(filepath.Join(dir, FiguresName, name)); err != nil {
			t.Error(err)
		}
	}
	return texts[0], texts[1], out
}

// Pages of a grid in all states, the same each time that one is made.
func TestPages(t *testing.T) {
	ref := &Reference{Name: "A & B (2021)", Tables: publishedTables()}
	nothing := func(*grid.Cell) bool { return false }
	one := func(c *grid.Cell) bool { return c.Replicate == 1 }
	problems := func(_ *grid.Cell, r *grid.Result) { *r = grid.Result{Problem: "none <b>"} }
	some := func(c *grid.Cell, r *grid.Result) {
		if c.Integrator == "glfb" {
			problems(c, r)
		}
	}
	for _, c := range []struct {
		name   string
		ref    *Reference
		change func(*grid.Cell, *grid.Result)
		keep   func(*grid.Cell) bool
		has    []string
		hasNot []string
		tally  Tally
	}{
		{"no results", nil, nil, nothing, []string{"# g", "## How it was made", "Seed 0."}, []string{"## One", "## Figures"}, Tally{}},
		{"no results, published", ref, nil, nothing, []string{"**0 of 0 values of A & B (2021) are met**; 10 were not measured"}, []string{"## One"}, Tally{Unmeasured: 10}},
		{"results", nil, nil, nil, []string{"## One", "100 draws, 2 replicates.", "| 5 | I.M.(b) | 0.50 ± 0.00 |", "![", "## Which integrator?"}, []string{"published", "Means are over"}, Tally{}},
		{"one replicate", nil, nil, one, []string{"100 draws, 1 replicate.", "| 5 | I.M.(b) | 0.50 |", "**5 of 10 cells without a result.** Means are over the others."}, []string{"±  |"}, Tally{}},
		{"published", ref, nil, nil, []string{"**8 of 8 values of A & B (2021) are met**; 2 were not measured"}, nil, Tally{Agree: 8, Unmeasured: 2}},
		{"published, one replicate", ref, nil, one, []string{"**8 of 8 values"}, nil, Tally{Agree: 8, Unmeasured: 2}},
		{"not met", ref, func(c *grid.Cell, r *grid.Result) {
			if c.Integrator == "glfb" {
				r.Accepted, r.ESSMean = 0, 5
			}
		}, nil, []string{"**4 of 8 values", "; 2 are not, for reasons given below", "; **2 are not, and we do not know why**", "**[3]** (2 values) glfb, five steps", "**[4]** (1 value) all else", "**[?]** (1 value) We do not know why."},
			[]string{"another table", "another scale"}, Tally{Agree: 4, Explained: 2, Unexplained: 2, Unmeasured: 2}},
		{"problems", ref, problems, nil, []string{"100 draws, 0 replicates.", "**0 of 0 values", "**10 of 10 cells could not be run**: the column `problem` of `results.csv` says why. Means are over the others."}, []string{"## Which integrator?"}, Tally{Unmeasured: 10}},
		{"problems, nothing published", nil, problems, nil, []string{"100 draws, 0 replicates.", "| I.M.(b) | – |"}, []string{"## Which integrator?"}, Tally{}},
		{"some problems", nil, some, nil, []string{"| 5 | G.L.F.(b) | – |", "| 5 | I.M.(b) | 0.50 ± 0.00 |", "**4 of 10 cells could not be run**"}, []string{"without a result"}, Tally{}},
		{"no effective sample sizes", nil, func(_ *grid.Cell, r *grid.Result) {
			r.ESSMean, r.ESSMin = grid.Number(math.NaN()), grid.Number(math.NaN())
		}, nil, []string{"## One", "10 of 10 cells without effective sample sizes"}, nil, Tally{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			html, markdown, out := pageOf(t, publishedGrid, c.ref, c.change, c.keep)
			for _, want := range c.has {
				if !strings.Contains(strings.ReplaceAll(markdown, "\\", ""), want) {
					t.Errorf("no %q in\n%s", want, markdown)
				}
			}
			for _, no := range c.hasNot {
				if strings.Contains(markdown, no) {
					t.Errorf("%q in\n%s", no, markdown)
				}
			}
			if out.Tally != c.tally {
				t.Errorf("%+v, want %+v", out.Tally, c.tally)
			}
			again, again2, _ := pageOf(t, publishedGrid, c.ref, c.change, c.keep)
			if again != html || again2 != markdown {
				t.Error("another page from the same results")
			}
		})
	}
}

// What comes from files and extensions is text on pages.
func TestPagesEscape(t *testing.T) {
	const text = "title = \"a <b>c</b> | *d*\"\n" + aModel + "[[cells]]\nname = \"x_y-z\"\nstep_size = 1\nsteps = [1, 2]\nintegrator = [\"imb\", \"mine\"]\n"
	old := *described
	defer func() { *described = old }()
	described.Integrators = []grid.Described{{Name: "mine", Label: "M<script>|*x*`y`"}}
	html, markdown, _ := pageOf(t, text, nil, nil, nil)
	for _, no := range []string{"<b>", "<script>|", "<em>d</em>", "<em>x</em>", "<code>y</code>"} {
		if strings.Contains(html, no) {
			t.Errorf("%q in the page", no)
		}
	}
	for _, want := range []string{"a &lt;b&gt;c", "M&lt;script&gt;|*x*`y`", "X y, z"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in\n%s", want, html)
		}
	}
	columns := 0
	for line := range strings.Lines(markdown) {
		if !strings.HasPrefix(line, "| ") {
			columns = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if columns != 0 && n != columns {
			t.Errorf("%d columns, then %d: %s", columns, n, line)
		}
		columns = n
	}
}

// A configuration without effective sample sizes is not the best one, and hides none that is.
func TestVerdict(t *testing.T) {
	const text = "replicates = 2\n" + aModel + "[[cells]]\nstep_size = 1\nsteps = [1, 2, 3]\nintegrator = [\"imb\", \"glfb\"]\n[[cells]]\nname = \"policy\"\nreverse_check = \"off\"\nstep_size = 1\nsteps = [1, 2, 3]\nintegrator = [\"imb\", \"glfb\"]\n"
	_, markdown, out := pageOf(t, text, nil, func(c *grid.Cell, r *grid.Result) {
		r.ESSMin = grid.Number(10 * c.Steps)
		if c.Integrator == "imb" {
			r.ESSMin = 2*r.ESSMin + grid.Number(20*c.Replicate-30) // a standard error of 10
		}
		if c.Steps == 1 || c.Steps == 3 && c.Integrator == "glfb" {
			r.ESSMin = grid.Number(math.NaN())
		}
	}, nil)
	// 60 of 100 draws of half a second against 20.
	want := "**m**: the best implicit midpoint (I.M.(b), step size 1, 3 steps) has 3.0 ± 0.5 times the least ESS per second of the best generalized leapfrog (G.L.F.(b), step size 1, 2 steps)."
	if len(out.Conclusion) != 1 || out.Conclusion[0] != want {
		t.Errorf("%q, want %q\n%s", out.Conclusion, want, markdown)
	}
}

// The verdict says what is best in all settings that there are, of all models, and does not compare a
// configuration with another one as if it were the same guarded.
func TestVerdictSettings(t *testing.T) {
	const text = aModel + "[[model]]\nname = \"n\"\nfile = \"m.ham\"\n" +
		"[[cells]]\nmodel = \"m\"\nstep_size = 1\nsteps = 1\nsolver = [\"fixed-point\", \"newton\"]\nreverse_check = [\"off\", \"all\"]\n" +
		"[[cells]]\nname = \"checked\"\nmodel = \"n\"\nstep_size = 1\nsteps = 1\n"
	_, markdown, _ := pageOf(t, text, nil, func(c *grid.Cell, r *grid.Result) {
		r.ESSMin = 10
		switch {
		case c.Group == "checked":
		case c.Solver == runtime.Newton && c.ReverseCheck == runtime.ReverseOff:
			r.ESSMin = 40
		case c.Solver == runtime.Newton:
			r.ESSMin = 20
		}
	}, nil)
	_, verdict, _ := strings.Cut(markdown, "## Which integrator?")
	for _, want := range []string{
		"| model | integrator | step size | steps | solver | reversibility check | least ESS per second",
		"| m | I.M.(b) | 1 | 1 | newton | off | **1.0** | 0.50 |",
		"| 0.50 | 0 (\\< 300) |\n| n | I.M.(b) | 1 | 1 | default | suspect | **1.0** |", // m: guarded with the same solver
		"| – | – |\n", // n: guarded itself
	} {
		if !strings.Contains(verdict, want) {
			t.Errorf("no %q in\n%s", want, verdict)
		}
	}
}

// Numbers as pages show them.
func TestShown(t *testing.T) {
	for _, c := range []struct {
		x      float64
		digits int
		want   string
	}{
		{0, 2, "0"}, {math.NaN(), 2, "–"}, {math.Inf(-1), 2, "–"}, {1, 2, "1.0"}, {0.5, 2, "0.50"}, {12.34, 2, "12"}, {99.6, 2, "100"}, {123.4, 2, "123"},
		{1234.5, 3, "1234"}, {0.00123, 2, "0.0012"}, {0.000123, 2, "1.2·10⁻⁴"}, {-0.000123, 3, "-1.23·10⁻⁴"}, {1e-10, 2, "1.0·10⁻¹⁰"}, {-3.21, 2, "-3.2"},
	} {
		if got := shown(c.x, c.digits); got != c.want {
			t.Errorf("%v with %d digits: %s, want %s", c.x, c.digits, got, c.want)
		}
	}
	for want, e := range map[string]Estimate{"–": {Mean: math.NaN()}, "1.50": {1.5, math.NaN(), 1}, "1.50 ± 0.25": {1.5, 0.25, 3}} {
		if got := plusMinus(e, 2); got != want {
			t.Errorf("%+v: %s, want %s", e, got, want)
		}
	}
	if got := power(1e-9) + power(100) + power(2e-3); got != "10⁻⁹10²0.002" {
		t.Error(got)
	}
	if document.Escape("a|b") == "" {
		t.Error("nothing")
	}
}
