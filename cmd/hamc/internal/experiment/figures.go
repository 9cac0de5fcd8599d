package experiment

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/plot"
	"github.com/hamc-dev/hamc/runtime/grid"
)

// picture is a figure of a page.
type picture struct {
	name, caption string
	figure        *plot.Figure
}

// figures draws the figures of a grid; without any in its file, one of each kind that it has data
// for.
func (src *Source) figures(entries []*Entry) []picture {
	plots := src.Spec.Plots
	if len(plots) == 0 {
		plots = defaultPlots(entries)
	}
	var out []picture
	for i := range plots {
		p := &plots[i]
		var of []*Entry
		for _, e := range entries {
			if (len(p.Groups) == 0 || slices.Contains(p.Groups, e.Group)) && len(e.Rows) > 0 &&
				(len(p.Integrators) == 0 || slices.Contains(p.Integrators, e.Settings.Integrator)) {
				of = append(of, e)
			}
		}
		if len(of) > 0 {
			caption := p.Caption
			if p.Paper != "" {
				caption = "(`" + p.Paper + "` of the paper.) " + caption
			}
			out = append(out, picture{p.Name, caption, src.draw(p, of)})
		}
	}
	return out
}

// defaultPlots are the figures of a grid that asks for none.
func defaultPlots(entries []*Entry) []PlotSpec {
	var out []PlotSpec
	has := func(f func(*grid.Result) bool) bool {
		return slices.ContainsFunc(entries, func(e *Entry) bool {
			return slices.ContainsFunc(e.Rows, func(r Row) bool { return f(r.Result) })
		})
	}
	if has(func(r *grid.Result) bool { return r.Symmetry.N > 0 && r.Volume.N > 0 }) {
		out = append(out, PlotSpec{Name: "violations", Kind: plotViolations, Panels: "model", Caption: "Violations of symmetry and of volume preservation: the medians of the measurements of a replicate."})
	}
	if has(func(r *grid.Result) bool { return r.Iterations > 0 }) {
		out = append(out, PlotSpec{Name: "iterations", Kind: plotIterations, Panels: "model", Caption: "Relative frequency of the number of fixed-point iterations of a step."})
	}
	return append(out, PlotSpec{Name: "energy", Kind: plotEnergy, Panels: "model", Caption: "Relative frequency of the energy error of a trajectory."})
}

// maxPanels is how many panels a figure has room for.
const maxPanels = 12

// draw draws one figure.
func (src *Source) draw(p *PlotSpec, entries []*Entry) *plot.Figure {
	f := &plot.Figure{Title: p.Caption}
	var values []string // of the panels
	for _, e := range entries {
		if v := e.Get(p.Panels); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	slices.SortStableFunc(values, func(a, b string) int {
		x, err1 := strconv.ParseFloat(a, 64)
		y, err2 := strconv.ParseFloat(b, 64)
		if err1 != nil || err2 != nil {
			return 0 // names stay in the order of the grid
		}
		return cmp.Compare(x, y)
	})
	for i, v := range values {
		if i == maxPanels {
			break
		}
		of := slices.DeleteFunc(slices.Clone(entries), func(e *Entry) bool { return e.Get(p.Panels) != v })
		panel := plot.Panel{}
		switch s := settingNamed(p.Panels); {
		case s != nil && s.name == "steps":
			panel.Title = v + " steps"
		case s != nil:
			panel.Title = s.label + " " + v
		default:
			panel.Title = v
		}
		switch p.Kind {
		case plotViolations:
			src.violations(&panel, of)
		case plotIterations:
			src.frequencies(&panel, of, "iterations of a step", func(r *grid.Result) []grid.Bin { return r.IterBins }, func(v int) float64 { return float64(v) })
			cutTail(&panel)
		case plotEnergy:
			src.frequencies(&panel, of, "log₁₀ |H₁ − H₀|", func(r *grid.Result) []grid.Bin { return r.EnergyBins }, func(v int) float64 { return grid.EnergyBinEdge(v) + 0.125 })
		}
		f.Panels = append(f.Panels, panel)
	}
	return f
}

// integrators returns the names of the integrators of entries, in order of appearance.
func integrators(entries []*Entry) []string {
	var names []string
	for _, e := range entries {
		if k := e.Settings.Integrator; !slices.Contains(names, k) {
			names = append(names, k)
		}
	}
	return names
}

// hue returns the colour of an integrator: the same in all figures of a page.
func (src *Source) hue(name string, names []string) int {
	if i := slices.Index(grid.BuiltinNames(), name); i >= 0 {
		return i
	}
	return len(grid.BuiltinNames()) + slices.Index(names, name)
}

// violations fills a panel with a point for each replicate: the marker tells the integrator, as in the
// paper, and the colour the tolerance.
func (src *Source) violations(p *plot.Panel, entries []*Entry) {
	p.X = plot.Axis{Label: "symmetry", Log: true}
	p.Y = plot.Axis{Label: "volume", Log: true}
	var tolerances []float64
	for _, e := range entries {
		if t := e.Settings.Tolerance; !slices.Contains(tolerances, t) {
			tolerances = append(tolerances, t)
		}
	}
	slices.Sort(tolerances)
	for _, t := range slices.Backward(tolerances) {
		for _, name := range integrators(entries) {
			s := plot.Series{Label: fmt.Sprintf("%s, δ = %s", src.label(name), power(t)), Kind: plot.Points, Color: slices.Index(tolerances, t), Marker: marker(name)}
			for _, e := range entries {
				if e.Settings.Integrator != name || e.Settings.Tolerance != t {
					continue
				}
				for i := range e.Rows {
					r := e.Rows[i].Result
					if r.Symmetry.N > 0 && r.Volume.N > 0 {
						s.X, s.Y = append(s.X, float64(r.Symmetry.Median)), append(s.Y, float64(r.Volume.Median))
					}
				}
			}
			if len(s.X) > 0 {
				p.Series = append(p.Series, s)
			}
		}
	}
}

// marker is a plus for the generalized leapfrog and a dot for the implicit midpoint, as in the paper.
func marker(name string) plot.Marker {
	switch name {
	case "glfa":
		return plot.Cross
	case "glfb":
		return plot.Plus
	case "ima":
		return plot.Ring
	case "imb":
		return plot.Dot
	}
	return plot.Triangle
}

// power writes a power of ten as such, and any other number as it is.
func power(x float64) string {
	e := math.Log10(x)
	if n := math.Round(e); math.Abs(e-n) < 1e-9 && x > 0 {
		return "10" + superscript(int(n))
	}
	return number(x)
}

// superscript writes a whole number in small raised digits.
func superscript(n int) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '-':
			return '⁻'
		case '1':
			return '¹'
		case '2':
			return '²'
		case '3':
			return '³'
		}
		return '⁰' + (r - '0')
	}, strconv.Itoa(n))
}

// frequencies fills a panel with a histogram for each integrator, all replicates and settings
// together.
func (src *Source) frequencies(p *plot.Panel, entries []*Entry, label string, bins func(*grid.Result) []grid.Bin, x func(int) float64) {
	p.X = plot.Axis{Label: label}
	p.Y = plot.Axis{Label: "relative frequency"}
	names := integrators(entries)
	for _, name := range names {
		counts := map[int]int{}
		total := 0
		for _, e := range entries {
			if e.Settings.Integrator != name {
				continue
			}
			for i := range e.Rows {
				for _, b := range bins(e.Rows[i].Result) {
					counts[b.Value] += b.Count
					total += b.Count
				}
			}
		}
		if total == 0 {
			continue
		}
		low, high := math.MaxInt, math.MinInt
		for v := range counts {
			low, high = min(low, v), max(high, v)
		}
		s := plot.Series{Label: src.label(name), Kind: plot.Steps, Color: src.hue(name, names)}
		for v := low; v <= high; v++ {
			s.X, s.Y = append(s.X, x(v)), append(s.Y, float64(counts[v])/float64(total))
		}
		p.Series = append(p.Series, s)
	}
}

// cutTail leaves out what is to the right of 95 % of every histogram of a panel: hard solves have tails of
// hundreds of iterations.
func cutTail(p *plot.Panel) {
	end := 0.0
	for _, s := range p.Series {
		sum := 0.0
		for i, y := range s.Y {
			if sum += y; sum >= 0.95 {
				end = max(end, s.X[i])
				break
			}
		}
	}
	for i := range p.Series {
		s := &p.Series[i]
		for n := len(s.X); n > 0 && s.X[n-1] > end; n-- {
			s.X, s.Y = s.X[:n-1], s.Y[:n-1]
		}
	}
	p.X.Label += " (up to the last 5 %)"
}
