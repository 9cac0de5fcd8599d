package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Pair is a figure of a model on both sides. Old is nil where the old compiler cannot compile the model, and OldError
// says why.
type Pair[T any] struct {
	Model    string `json:"model"`
	Old      *T     `json:"old,omitempty"`
	New      *T     `json:"new"`
	OldError string `json:"old_error,omitempty"`
}

// Report is all that is measured.
type Report struct {
	Old   string       `json:"old"`
	New   string       `json:"new"`
	Sizes []Pair[Size] `json:"sizes"`
	Steps []Timing     `json:"steps,omitempty"`
	Draws []Draws      `json:"draws,omitempty"`

	Moments []Moments `json:"moments,omitempty"`
}

// table writes rows of cells, the first of them the head.
func table(w io.Writer, rows [][]string) {
	for i, r := range rows {
		fmt.Fprintf(w, "| %s |\n", strings.Join(r, " | "))
		if i == 0 {
			fmt.Fprintf(w, "|%s\n", strings.Repeat("---|", len(r)))
		}
	}
}

// Markdown writes the tables, in each the losses first.
func (r *Report) Markdown(w io.Writer) {
	fmt.Fprintf(w, "Old: %s. New: %s.\n\nEmitted code, old → new.\n\n", r.Old, r.New)
	table(w, sizeRows(r.Sizes))
	if r.Steps != nil {
		fmt.Fprint(w, "\nTime of an evaluation or a step, old and new in turn in one run; the ratio is new over old, with its quartiles.\n\n")
		table(w, stepRows(r.Steps))
	}
	if r.Draws != nil {
		fmt.Fprint(w, "\nDraws with the same seed.\n\n")
		table(w, drawRows(r.Draws))
	}
	if r.Moments != nil {
		fmt.Fprintf(w, "\nMeans and standard deviations of %d chains of each side.\n\n", momentChains)
		table(w, momentRows(r.Moments))
	}
}

// growth is the new amount of code over the old, 0 where there is no old one.
func (p *Pair[T]) growth(of func(*T) int) float64 {
	if p.Old == nil {
		return 0
	}
	return float64(of(p.New)) / float64(of(p.Old))
}

func sizeRows(sizes []Pair[Size]) [][]string {
	sorted := slices.Clone(sizes)
	code := func(s *Size) int { return s.Code }
	slices.SortStableFunc(sorted, func(a, b Pair[Size]) int { return cmp.Compare(b.growth(code), a.growth(code)) })
	rows := [][]string{{"model", "lines", "code, bytes", "ratio", "largest function, bytes", "stored fields", "generation, ms"}}
	for _, p := range sorted {
		both := func(text func(*Size) string) string {
			if p.Old == nil {
				return "– → " + text(p.New)
			}
			return text(p.Old) + " → " + text(p.New)
		}
		number := func(of func(*Size) int) string {
			return both(func(s *Size) string { return fmt.Sprint(of(s)) })
		}
		ratio := "–"
		if p.Old != nil {
			ratio = fmt.Sprintf("%.2f", p.growth(code))
		}
		rows = append(rows, []string{p.Model, number(func(s *Size) int { return s.Lines }), number(code), ratio,
			both(func(s *Size) string { return fmt.Sprintf("%d `%s`", s.Largest, s.LargestName) }),
			number(func(s *Size) int { return s.Fields }),
			both(func(s *Size) string { return fmt.Sprintf("%.0f", s.Milliseconds) })})
	}
	return rows
}

func stepRows(steps []Timing) [][]string {
	sorted := slices.Clone(steps)
	slices.SortStableFunc(sorted, func(a, b Timing) int { return cmp.Compare(b.Ratio, a.Ratio) })
	rows := [][]string{{"model", "method", "old, ns", "new, ns", "ratio", "iterations", "failed"}}
	for _, t := range sorted {
		name, iterations, failed := t.Model, "", ""
		if t.Part != "" {
			name += ", " + t.Part
		}
		if isStep(t.Method) {
			iterations = fmt.Sprintf("%.2f → %.2f", t.OldIterations, t.NewIterations)
			failed = fmt.Sprintf("%.0f → %.0f %%", 100*t.OldFailed, 100*t.NewFailed)
		}
		rows = append(rows, []string{name, t.Method, fmt.Sprintf("%.4g", t.Old), fmt.Sprintf("%.4g", t.New),
			fmt.Sprintf("%.3f [%.3f, %.3f]", t.Ratio, t.Low, t.High), iterations, failed})
	}
	return rows
}

func drawRows(draws []Draws) [][]string {
	sorted := slices.Clone(draws)
	slices.SortStableFunc(sorted, func(a, b Draws) int { return cmp.Compare(a.Equal-a.Draws, b.Equal-b.Draws) })
	rows := [][]string{{"model", "settings", "draws", "moved", "equal to the last bit, from the first on", "digits of the first that differs", "digits of all"}}
	for _, d := range sorted {
		row := []string{d.Model, d.Settings, fmt.Sprint(d.Draws), fmt.Sprint(d.Moved), fmt.Sprint(d.Equal), d.First.String(), d.Least.String()}
		if d.Failure != "" {
			row = []string{d.Model, d.Settings, fmt.Sprint(d.Draws), "–", d.Failure, "–", "–"}
		}
		rows = append(rows, row)
	}
	return rows
}

func momentRows(moments []Moments) [][]string {
	sorted := slices.Clone(moments)
	slices.SortStableFunc(sorted, func(a, b Moments) int { return cmp.Compare(b.Worst-b.Bound, a.Worst-a.Bound) })
	rows := [][]string{{"model", "means and deviations", "largest difference, standard errors", "of", "once in a hundred more than", "largest R-hat, old → new"}}
	for _, m := range sorted {
		row := []string{m.Model, fmt.Sprint(m.Numbers), fmt.Sprintf("%.1f", m.Worst), m.Of, fmt.Sprintf("%.1f", m.Bound), fmt.Sprintf("%.3f → %.3f", m.OldRHat, m.NewRHat)}
		if m.Failure != "" {
			row = []string{m.Model, "–", m.Failure, "–", "–", "–"}
		}
		rows = append(rows, row)
	}
	return rows
}
