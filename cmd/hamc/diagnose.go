package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/terminal"
	"github.com/hamc-dev/hamc/runtime"
)

func newDiagnose(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "diagnose DIR",
		Short: "Say what speaks against the draws of a run, and what the sampler did",
		Long: `Say what speaks against the draws of a run: each warning, what it means and what to
try. Below stands what the sampler did in each chain, why solves failed, and which
statements of the model are to blame where it could not be evaluated.

Exit codes: 0 nothing speaks against the draws, 1 something does.`,
		Args: exactly(1, "DIR"),

		ValidArgsFunction: completeDirectory,
		RunE: func(_ *cobra.Command, args []string) error {
			return e.diagnose(args[0])
		},
	}
}

// diagnose prints what is wrong with the run in dir, or that nothing is.
func (e *env) diagnose(dir string) error {
	if err := runDirectory(dir); err != nil {
		return err
	}
	s, err := summarise(dir)
	if err != nil {
		return err
	}
	inquest, err := newInquest(dir, s.manifest)
	if err != nil {
		return err
	}
	width := terminal.Width(e.stdout)
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s of %s, %s\n", plural(s.chains, "chain"), plural(s.all, "draw"), s.columns())
	for _, n := range slices.Concat(s.notes, inquest.notes) {
		fmt.Fprintln(&b, n)
	}
	fmt.Fprintln(&b)
	against := s.evidence.explain(&b, width)
	for i := range s.evidence.blocks {
		fmt.Fprintln(&b)
		block := &s.evidence.blocks[i]
		if err := errors.Join(block.write(&b, inquest, width), writeAudits(&b, block.audits, width)); err != nil {
			return internal{err}
		}
	}
	if _, err := e.stdout.Write(b.Bytes()); err != nil {
		return problem{err}
	}
	if against > 0 {
		return errReported
	}
	return nil
}

// explain writes every warning with what it means and what to try, or that there is none,
// and returns how many speak against the draws.
func (e *evidence) explain(w io.Writer, width int) (against int) {
	list := e.warnings()
	against = e.against()
	if against == 0 {
		fmt.Fprintln(w, "Nothing speaks against these draws.")
		text := "The chains agree, and the effective sample sizes suffice. This does not prove that the draws are right, only that no check says otherwise."
		if e.started == 1 {
			text = "The two halves of the one chain agree, and the effective sample sizes suffice. Whether another chain would agree, one chain cannot tell."
		}
		wrapText(w, "  ", text, width)
	} else {
		fmt.Fprintln(w, "Do not trust these draws yet.")
	}
	for i := range list {
		x := &list[i]
		fmt.Fprintln(w)
		wrapText(w, "", x.headline()+".", width)
		wrapText(w, "  ", x.meaning, width)
		wrapText(w, "  ", "Try: "+x.try, width)
	}
	return against
}

// textWidth is the width of text where there is no terminal.
const textWidth = 100

// wrapText writes a paragraph in lines of at most width characters, each after an indent.
func wrapText(w io.Writer, indent, text string, width int) {
	if width <= 0 || width > textWidth {
		width = textWidth
	}
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(indent+line))+1+len([]rune(word)) > width {
			fmt.Fprintln(w, indent+line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	fmt.Fprintln(w, indent+line)
}

// statistic is a column of the table of chains.
type statistic struct {
	name   string
	format terminal.Format
	of     func(c *chainEvidence) float64 // NaN where it is not known
	always bool                           // else the column is there only where some value is not 0
}

// statistics are the columns of the table of chains, but for the failures.
var statistics = []statistic{
	{"accept", terminal.Fixed(3), func(c *chainEvidence) float64 { return c.accept }, true},
	{"step size", terminal.Significant(3), func(c *chainEvidence) float64 { return c.stepSize }, true},
	{"fixed steps", terminal.Fixed(0), func(c *chainEvidence) float64 { return float64(c.fixed) }, false},
	{"bends", terminal.Fixed(0), func(c *chainEvidence) float64 { return float64(c.bends) }, false},
	{"extra doublings", terminal.Fixed(0), func(c *chainEvidence) float64 { return c.doublings }, true},
	{"depth", terminal.Fixed(1), func(c *chainEvidence) float64 { return c.depth }, true},
	{"steps/draw", terminal.Fixed(1), func(c *chainEvidence) float64 { return c.steps / float64(c.transitions) }, true},
	{"iterations/step", terminal.Fixed(1), func(c *chainEvidence) float64 { return c.iterations / math.Max(1, c.steps) }, false},
	{"E-BFMI", terminal.Fixed(2), func(c *chainEvidence) float64 { return c.ebfmi }, true},
	{"divergent", terminal.Fixed(0), func(c *chainEvidence) float64 { return known(c.divergent, c.tells.divergent) }, true},
	{"irreversible", terminal.Fixed(0), func(c *chainEvidence) float64 { return known(c.irreversible, c.tells.irreversible) }, true},
}

// ofChains says in how many chains something is so, unless it is in all.
func ofChains(n, all int) string {
	if n == all {
		return ""
	}
	return fmt.Sprintf(" in %d of %d chains", n, all)
}

// known returns a count, NaN if the files do not tell.
func known(n int, told bool) float64 {
	if !told {
		return math.NaN()
	}
	return float64(n)
}

// write writes what the sampler did in each chain, why its solves failed, and which statements
// are to blame where the model did.
func (b *blockEvidence) write(w io.Writer, q *inquest, width int) error {
	var head []string
	if b.name != "" {
		head = append(head, "block "+b.name)
	}
	if b.integrator != "" {
		head = append(head, "integrator "+b.integrator)
	}
	fixed := 0
	if b.dynamic() {
		fixed = b.total(func(c *chainEvidence) int { return min(c.fixed, 1) })
		if fixed < len(b.chains) {
			head = append(head, fmt.Sprintf("dynamic trajectories of depth up to %d", b.maxDepth))
		}
		if fixed > 0 {
			head = append(head, "trajectories of a fixed length"+ofChains(fixed, len(b.chains)))
		}
	}
	switch {
	case math.IsNaN(b.target):
	case fixed == len(b.chains):
		head = append(head, fmt.Sprintf("their steps to acceptance of %g or more", b.target))
	default:
		head = append(head, fmt.Sprintf("step size adapted to acceptance %g", b.target))
	}
	if len(head) > 0 {
		fmt.Fprintln(w, strings.Join(head, ", "))
	}
	t := terminal.NewTable("chain")
	var shown []statistic
	for _, s := range statistics {
		told := false
		for i := range b.chains {
			v := s.of(&b.chains[i])
			told = told || v == v && (s.always || v != 0)
		}
		if told {
			shown = append(shown, s)
			t.Column(s.name, s.format)
		}
	}
	var failed []runtime.Status
	for st := runtime.Status(1); int(st) < numFailures; st++ {
		if b.total(func(c *chainEvidence) int { return c.failures[st] }) > 0 {
			failed = append(failed, st)
			t.Column(inPlainWords(st), terminal.Fixed(0))
		}
	}
	if len(shown) == 0 {
		fmt.Fprintln(w, "the files do not tell what the sampler did")
		return nil
	}
	for i := range b.chains {
		c := &b.chains[i]
		var row []float64
		for _, s := range shown {
			row = append(row, s.of(c))
		}
		for _, st := range failed {
			row = append(row, float64(c.failures[st]))
		}
		t.Row(strconv.Itoa(c.number), row...)
	}
	if err := t.Write(w, width); err != nil {
		return err
	}
	for _, st := range failed {
		n := b.total(func(c *chainEvidence) int { return c.failures[st] })
		fmt.Fprintln(w)
		fmt.Fprintf(w, "%s: %d of %s\n", inPlainWords(st), n, plural(b.transitions(), "transition"))
		if int(st) < len(failureAdvice) {
			wrapText(w, "  ", failureAdvice[st].meaning, width)
			wrapText(w, "  ", "Try: "+failureAdvice[st].try, width)
		}
		q.write(w, b.name, st, width)
	}
	return nil
}

// failureAdvice says of each status what it means and what may help.
var failureAdvice = [runtime.NumStatus]struct{ meaning, try string }{
	runtime.IterationLimit: {
		"A fixed-point solve used up --max-iterations.",
		"a smaller step size; a larger --max-iterations, if it was lowered.",
	},
	runtime.Stalled: {
		"A fixed-point solve did not converge fast enough to end within --max-iterations: the step is too large for the curvature there.",
		"a smaller step size; the integrator imb in place of glfa or glfb, because its solves converge for larger steps.",
	},
	runtime.NotPositiveDefinite: {
		"The metric had no Cholesky factor at a position that a step tried.",
		"a metric that is positive definite everywhere: the Fisher information and the precisions of the priors, or SoftAbs; a smaller step size, if the metric is one in theory.",
	},
	runtime.NonFinite: {
		"The log density, its gradient or the metric was NaN or infinite at a position that a step tried.",
		"a smaller step size; priors or supports that keep parameters from where the density overflows; functions such as log1p_exp and log_sum_exp in place of the formulas that they stand for.",
	},
	runtime.NotConstant: {
		"The leapfrog was asked to step a metric that depends on the position.",
		"the integrator imb.",
	},
	runtime.ODEStepLimit: {
		"A differential equation needed more than --ode-max-steps steps: it is stiff there, or the tolerances are too small.",
		"larger --ode-rel-tol and --ode-abs-tol; a larger --ode-max-steps; priors that keep parameters from where the equation is stiff.",
	},
	runtime.ODEStepTooSmall: {
		"The step of a differential equation vanished, at a singularity or because the equation is stiff.",
		"priors that keep parameters from where the equation has a singularity; larger --ode-rel-tol and --ode-abs-tol.",
	},
	runtime.ODENonFinite: {
		"The solution of a differential equation left the finite numbers.",
		"priors that keep parameters from where the solution explodes.",
	},
}
