package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/document"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/grid"
)

// agreement says how many published values were met, and what that means.
func (src *Source) agreement(t Tally, ref *Reference) string {
	text := fmt.Sprintf("**%d of %d values of %s are met**", t.Agree, t.Agree+t.Explained+t.Unexplained, ref.Name)
	if t.Explained > 0 {
		text += fmt.Sprintf("; %d are not, for reasons given below", t.Explained)
	}
	if t.Unexplained > 0 {
		text += fmt.Sprintf("; **%d are not, and we do not know why**", t.Unexplained)
	}
	if t.Unmeasured > 0 {
		text += fmt.Sprintf("; %d were not measured", t.Unmeasured)
	}
	if t.Wide > 0 {
		text += fmt.Sprintf(". So few draws were run, or published, that %d of those met would be met by a half or the double of what is published, and say little", t.Wide)
	}
	return text + `. A value is met if it differs from the published one by no more than three standard errors of the difference and a slack ` +
		`for other data, other random numbers and other machines: 0.02 of the acceptance, 10 % of an effective sample size, a factor of 1.5 of the violations of ` +
		`symmetry and volume. The standard error of ours is the one that our replicates or the published ± suggest, whichever is larger. ` +
		`Effective sample sizes are scaled to the number of draws of the paper; the estimator's limit, n log₁₀ n for n draws, is lower for fewer draws. Times are compared as ratios only.`
}

// equal returns the entry with the code that is the same for all integrators that goes with e, or nil.
func equal(entries []*Entry, e *Entry, integrator string) *Entry {
	return find(entries, e, func(s *grid.Settings) bool {
		return s.Code == grid.Generic && s.Integrator == integrator && s.Solver == e.Settings.Solver
	})
}

// find returns the first entry of the model, step size, number of steps and tolerance of e that f
// holds for, or nil.
func find(entries []*Entry, e *Entry, f func(*grid.Settings) bool) *Entry {
	i := slices.IndexFunc(entries, func(o *Entry) bool {
		a, b := &o.Settings, &e.Settings
		return o.Model == e.Model && a.StepSize == b.StepSize && a.Steps == b.Steps && a.RandomSteps == b.RandomSteps &&
			a.Tolerance == b.Tolerance && len(o.Rows) > 0 && f(a)
	})
	if i < 0 {
		return nil
	}
	return entries[i]
}

// reference is the integrator that times are given in terms of.
const reference = "imb"

// whatRow are the heads and the cells that say what a row is: the model and the settings in which
// entries differ, and the integrator.
func (src *Source) whatRow(of []*Entry) (heads []string, cells func(*Entry) []document.Cell) {
	names := Varying(of)
	for _, name := range names {
		heads = append(heads, settingNamed(name).label)
	}
	if slices.ContainsFunc(of, func(e *Entry) bool { return e.Model != of[0].Model }) {
		heads, names = slices.Insert(heads, 0, "model"), slices.Insert(names, 0, "model")
	}
	return append(heads, "integrator"), func(e *Entry) []document.Cell {
		var row []document.Cell
		for _, name := range names {
			row = append(row, document.Cell{Text: document.Escape(e.Get(name))})
		}
		return append(row, document.Cell{Text: document.Escape(src.label(e.Settings.Integrator))})
	}
}

// comparedTable is the table of a group beside the published one.
func (src *Source) comparedTable(of []*Entry, p *Published, compared []Comparison, draws int) *document.Table {
	heads, what := src.whatRow(of)
	t := &document.Table{Head: heads, Left: len(heads)}
	for range heads {
		t.Groups = append(t.Groups, document.Group{Columns: 1})
	}
	var used []*measure
	for i := range measures {
		if m := &measures[i]; slices.ContainsFunc(p.Rows, func(r map[string]any) bool { return r[m.name] != nil }) {
			used = append(used, m)
			head := m.head
			if m.perRun && draws != of[0].Length.Draws {
				head += fmt.Sprintf(" (of %d draws)", draws)
			}
			t.Groups = append(t.Groups, document.Group{Text: head, Columns: 2})
			t.Head = append(t.Head, "hamc", "paper")
		}
	}
	for _, e := range of {
		row := what(e)
		at := src.row(p, e)
		for _, m := range used {
			row = append(row, comparedCells(m, e, at, compared, draws)...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// timesTable is the table of the times of a group as ratios, beside the published ones.
func (src *Source) timesTable(of, entries []*Entry, p *Published) *document.Table {
	heads, what := src.whatRow(of)
	t := &document.Table{Head: heads, Left: len(heads)}
	for range heads {
		t.Groups = append(t.Groups, document.Group{Columns: 1})
	}
	label := src.label(reference)
	for _, text := range []string{"time ÷ that of " + label, "least ESS per second ÷ that of " + label} {
		t.Groups = append(t.Groups, document.Group{Text: text, Columns: 3})
		t.Head = append(t.Head, "equal code", "generated code", "paper")
	}
	for _, e := range of {
		t.Rows = append(t.Rows, append(what(e), ratios(e, of, entries, p, src.row(p, e))...))
	}
	return t
}

// comparedCells are the cells of one measure: ours, of as many draws as the published, and that.
func comparedCells(m *measure, e *Entry, at int, compared []Comparison, draws int) []document.Cell {
	decimals := 0
	if m.kind == absolute {
		decimals = 2
	}
	i := slices.IndexFunc(compared, func(c Comparison) bool { return c.Entry == e && c.Measure == m.name && c.Row == at })
	// The comparison has an entry of its own making; it is known by what it is of.
	if i < 0 {
		i = slices.IndexFunc(compared, func(c Comparison) bool {
			return c.Measure == m.name && c.Row == at && c.Entry.Group == e.Group && c.Entry.Settings == e.Settings && c.Entry.Model == e.Model
		})
	}
	if i < 0 || at < 0 {
		ours := m.natural(m.ours(e, draws))
		if m.kind == factor {
			return []document.Cell{{Text: shown(ours.Mean, 2)}, {Text: "–"}}
		}
		return []document.Cell{{Text: plusMinus(ours, decimals)}, {Text: "–"}}
	}
	c := &compared[i]
	text, theirs := plusMinus(c.Ours, decimals), plusMinus(Estimate{Mean: c.Theirs, SE: c.PM}, decimals)
	if m.kind == factor {
		text, theirs = shown(c.Ours.Mean, 2), shown(c.Theirs, 2)
	}
	cell := document.Cell{Text: text, Title: fmt.Sprintf("met from %s to %s", shown(c.Low, 3), shown(c.High, 3))}
	switch {
	case !c.Measured || c.Agrees:
	case c.Reason > 0:
		cell.Text += fmt.Sprintf(" [%d]", c.Reason)
		cell.Emphasis = document.Bad
	default:
		cell.Text += " [?]"
		cell.Emphasis = document.Bad
	}
	return []document.Cell{cell, {Text: theirs, Emphasis: document.Faint}}
}

// ratios are the cells of times: on equal code, on the code that there is, and published.
func ratios(e *Entry, of, entries []*Entry, p *Published, at int) []document.Cell {
	base := find(of, e, func(s *grid.Settings) bool {
		return s.Integrator == reference && s.Code == e.Settings.Code && s.Solver == e.Settings.Solver
	})
	var time, perSecond [3]float64
	for i := range time {
		time[i], perSecond[i] = math.NaN(), math.NaN()
	}
	if base != nil {
		ess := e.Over(func(r *grid.Result) float64 { return float64(r.ESSMin) }).Mean / base.Over(func(r *grid.Result) float64 { return float64(r.ESSMin) }).Mean
		if a, b := equal(entries, e, e.Settings.Integrator), equal(entries, e, reference); a != nil && b != nil {
			time[0] = a.SecondsPerDraw() / b.SecondsPerDraw()
		}
		time[1] = e.SecondsPerDraw() / base.SecondsPerDraw()
		perSecond[0], perSecond[1] = ess/time[0], ess/time[1]
		if k := p.Find(base); at >= 0 && k >= 0 {
			time[2] = p.seconds(at) / p.seconds(k)
			perSecond[2] = p.number(at, "ess_min_per_s") / p.number(k, "ess_min_per_s")
		}
	}
	var out []document.Cell
	for _, list := range [][3]float64{time, perSecond} {
		for i, x := range list {
			c := document.Cell{Text: shown(x, 2)}
			if i == 2 {
				c.Emphasis = document.Faint
			}
			out = append(out, c)
		}
	}
	return out
}

// notes lists the reasons for what was not met.
func (src *Source) notes(add func(document.Block), compared []Comparison) {
	counts := make([]int, len(src.Spec.Notes))
	unknown := 0
	for _, c := range compared {
		switch {
		case !c.Measured || c.Agrees:
		case c.Reason > 0:
			counts[c.Reason-1]++
		default:
			unknown++
		}
	}
	var items []string
	for i, n := range counts {
		if n > 0 {
			items = append(items, fmt.Sprintf("**[%d]** (%s) %s", i+1, plural(n, "value"), strings.TrimSpace(src.Spec.Notes[i].Text)))
		}
	}
	if unknown > 0 {
		items = append(items, fmt.Sprintf("**[?]** (%s) We do not know why.", plural(unknown, "value")))
	}
	if len(items) > 0 {
		add(document.Heading{Level: 2, Text: "Where the published values are not met, and why"})
		add(document.List{Items: items})
	}
}

// family tells the methods of the paper apart by the name of an integrator.
func family(name string) string {
	switch name {
	case "glfa", "glfb":
		return "generalized leapfrog"
	case "ima", "imb":
		return "implicit midpoint"
	}
	return name
}

// verdict is the last section on the evidence: the best configuration of each integrator.
func (src *Source) verdict(add func(document.Block), entries []*Entry, ref *Reference, out *Outcome) {
	candidates := contenders(entries)
	if len(candidates) == 0 {
		return
	}
	add(document.Heading{Level: 2, Text: "Which integrator?"})
	add(document.Paragraph{Text: "For each model the configuration of each integrator with the most least-ESS per second of processor time, all on this machine, with the code that hamc has for it (the (a) variants run on its reference implementation, which is not specialised to the model). " +
		"*Failed* are the transitions that a solve without a solution, or a model that could not be evaluated, ended, and *wasted* the share of all fixed-point iterations that went into such steps. " +
		"*Irreversible* are the transitions, in 100,000, that accept a proposal from which the integrator does not find back: each is an error of the chain that no other figure shows. " +
		"*Guarded* is the same configuration under hamc's policy, which gives up solves that stall and integrates hard ones back: its least ESS per second as a share of the unguarded one, and what is left of the irreversible moves."})
	t := &document.Table{Head: []string{"model", "integrator", "step size", "steps"}}
	others := slices.DeleteFunc(Varying(candidates), func(name string) bool { return slices.Contains([]string{"step_size", "steps", "random_steps"}, name) })
	for _, name := range others {
		t.Head = append(t.Head, settingNamed(name).label)
	}
	t.Left = len(t.Head)
	t.Head = append(t.Head, "least ESS per second ÷ the best", "acceptance", "failed", "wasted", "irreversible", "guarded: ESS per second", "guarded: irreversible")
	var models []*grid.Model
	for _, e := range candidates {
		if !slices.Contains(models, e.Model) {
			models = append(models, e.Model)
		}
	}
	for _, m := range models {
		var bests []*Entry
		top := 0.0
		for _, name := range integrators(candidates) {
			var best *Entry
			for _, e := range candidates {
				if e.Model == m && e.Settings.Integrator == name && (best == nil || e.ESSPerSecond() > best.ESSPerSecond()) {
					best = e
				}
			}
			if best != nil {
				bests = append(bests, best)
				top = max(top, best.ESSPerSecond())
			}
		}
		for _, e := range bests {
			share := document.Cell{Text: shown(e.ESSPerSecond()/top, 2)}
			if e.ESSPerSecond() == top {
				share.Emphasis = document.Bold
			}
			row := []document.Cell{
				{Text: document.Escape(m.Name)}, {Text: document.Escape(src.label(e.Settings.Integrator))}, {Text: e.Get("step_size")}, {Text: stepsOf(e)},
			}
			for _, name := range others {
				row = append(row, document.Cell{Text: document.Escape(e.Get(name))})
			}
			row = append(row, []document.Cell{
				share,
				{Text: plusMinus(e.Over(AcceptProb), 2)}, {Text: percent(failedShare(e))}, {Text: percent(wasted(e))}, {Text: irreversibleText(e)},
			}...)
			if g := underPolicy(entries, e); g != nil {
				row = append(row, document.Cell{Text: shown(g.ESSPerSecond()/e.ESSPerSecond(), 2)}, document.Cell{Text: irreversibleText(g)})
			} else {
				row = append(row, document.Cell{Text: "–"}, document.Cell{Text: "–"})
			}
			t.Rows = append(t.Rows, row)
		}
		if s := src.conclude(m, bests, ref); s != "" {
			out.Conclusion = append(out.Conclusion, s)
		}
	}
	add(t)
	if len(out.Conclusion) > 0 {
		add(document.List{Items: out.Conclusion})
	}
}

// contenders returns the entries that may be the best of their integrators: chains with the code that
// a model has for an integrator, and not guarded, since guarded chains stand beside those; all chains of
// an integrator that a model has no such of. Chains that are not audited are left out of a grid that has
// others: they are there for something else.
func contenders(entries []*Entry) []*Entry {
	var all []*Entry
	for _, e := range entries {
		if e.Length.Fresh || len(e.Rows) == 0 || math.IsNaN(e.ESSPerSecond()) { // a chain may stand still
			continue
		}
		all = append(all, e)
	}
	preferred := func(e *Entry) bool {
		return e.Settings.Code == grid.Generated && !guarded(e)
	}
	if slices.ContainsFunc(all, audited) {
		all = slices.DeleteFunc(all, func(e *Entry) bool { return !audited(e) })
	}
	var best []*Entry
	for _, e := range all {
		if preferred(e) || !slices.ContainsFunc(all, func(o *Entry) bool {
			return o.Model == e.Model && o.Settings.Integrator == e.Settings.Integrator && preferred(o)
		}) {
			best = append(best, e)
		}
	}
	return best
}

// stepsOf says how many steps the trajectories of an entry have.
func stepsOf(e *Entry) string {
	if e.Settings.RandomSteps {
		return "1 to " + e.Get("steps")
	}
	return e.Get("steps")
}

// underPolicy returns the guarded entry that goes with one that is not: with the same solver, else with
// the one that hamc would choose; nil if there is none.
func underPolicy(entries []*Entry, e *Entry) *Entry {
	if guarded(e) {
		return nil
	}
	for _, solver := range []runtime.Method{e.Settings.Solver, defaultSettings().Solver} {
		if g := find(entries, e, func(s *grid.Settings) bool {
			return s.Integrator == e.Settings.Integrator && s.ReverseCheck != 0 && s.Code == e.Settings.Code && s.Solver == solver
		}); g != nil {
			return g
		}
	}
	return nil
}

// audited reports whether moves that are not reversible are looked for in an entry.
func audited(e *Entry) bool { return e.Length.Audit > 0 }

// guarded reports whether accepted proposals of an entry are integrated back.
func guarded(e *Entry) bool { return e.Settings.ReverseCheck != 0 }

// conclude answers the paper's question for a model: how much the better of the two methods gains,
// with the best configuration of each, here and in the paper. The standard error is that of the effective
// sample sizes alone; those of times are not known, and the best of many is better by chance.
func (src *Source) conclude(m *grid.Model, bests []*Entry, ref *Reference) string {
	best := func(name string) *Entry {
		var b *Entry
		for _, e := range bests {
			if family(e.Settings.Integrator) == name && (b == nil || e.ESSPerSecond() > b.ESSPerSecond()) {
				b = e
			}
		}
		return b
	}
	im, glf := best("implicit midpoint"), best("generalized leapfrog")
	if im == nil || glf == nil {
		return ""
	}
	ratio := im.ESSPerSecond() / glf.ESSPerSecond()
	text := fmt.Sprintf("**%s**: the best implicit midpoint (%s, step size %s, %s steps) has %s times the least ESS per second of the best generalized leapfrog (%s, step size %s, %s steps)",
		document.Escape(m.Name), document.Escape(src.label(im.Settings.Integrator)), im.Get("step_size"), stepsOf(im), plusMinusShown(ratio, ratio*math.Hypot(essError(im), essError(glf))),
		document.Escape(src.label(glf.Settings.Integrator)), glf.Get("step_size"), stepsOf(glf))
	if theirs := src.publishedRatio(m, ref); theirs == theirs {
		text += fmt.Sprintf("; in the paper's tables, %s times", shown(theirs, 2))
	}
	return text + "."
}

// essError is the standard error of the mean over replicates of the least effective sample size, as a
// share of that mean.
func essError(e *Entry) float64 {
	x := e.Over(func(r *grid.Result) float64 { return float64(r.ESSMin) })
	return x.SE / x.Mean
}

// plusMinusShown is shown with two digits, with a standard error if there is one.
func plusMinusShown(x, se float64) string {
	if se-se != 0 {
		return shown(x, 2)
	}
	return shown(x, 2) + " ± " + shown(se, 1)
}

// publishedRatio is the ratio of conclude in the published tables of a model.
func (src *Source) publishedRatio(m *grid.Model, ref *Reference) float64 {
	if ref == nil || src.joined(m) {
		return math.NaN()
	}
	best := map[string]float64{}
	for i := range src.Spec.Groups {
		g := &src.Spec.Groups[i]
		if names := list(g.Model); len(names) > 0 && !slices.Contains(names, any(m.Name)) {
			continue
		}
		k := slices.IndexFunc(ref.Tables, func(t Published) bool { return t.Label == g.Table })
		if k < 0 {
			continue
		}
		for row := range ref.Tables[k].Rows {
			if name, ok := ref.Tables[k].Rows[row]["integrator"].(string); ok {
				best[family(name)] = max(best[family(name)], ref.Tables[k].number(row, "ess_min_per_s"))
			}
		}
	}
	if len(best) < 2 {
		return math.NaN()
	}
	return best["implicit midpoint"] / best["generalized leapfrog"]
}
