// Package plot draws figures of experiments as SVG: points, lines and histograms
// over linear and logarithmic axes. A figure is one picture without scripts,
// identifiers or outside references, so it can stand in a file of its own or
// inside an HTML page, several to a page. Its colours follow the light or dark
// preference of the reader. The same figure gives the same bytes.
package plot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Figure is some panels side by side, at most three in a row, with one legend
// below.
type Figure struct {
	Panels []Panel
	Title  string // read to those who cannot see the figure; not drawn
}

// Panel is one pair of axes with what is drawn between them. Later series are
// drawn over earlier ones.
type Panel struct {
	Title  string
	X, Y   Axis
	Series []Series
}

// Axis describes an axis. A value that it cannot show is left out of the
// drawing, and the panel says how many are: NaN, infinities, values not positive
// on a logarithmic axis, and values outside Min and Max. Absolute values beyond
// 10³⁰⁰, and on a logarithmic axis below 10⁻³⁰⁰, are out of reach too.
type Axis struct {
	Label string
	Log   bool

	// Min and Max are the ends of the axis. Where they do not span a range, as
	// when both are 0, the ends follow from the data.
	Min, Max float64

	// Equal, of either axis, gives both the same length per unit (per decade,
	// if both are logarithmic) by widening the range of one.
	Equal bool
}

// Series are data with one look. Values of X without one of Y, or the other way
// round, count as not shown.
type Series struct {
	Label  string // in the legend, once for all series of this label; "" for none
	Kind   Kind
	Marker Marker // of Points
	Color  int    // into a palette of 8, cyclically
	X, Y   []float64
	Dashed bool // of Line and Steps
}

// Kind says what is drawn for the data of a series.
type Kind int

const (
	// Points draws a marker at each datum.
	Points Kind = iota
	// Line joins the data in their order; one that cannot be shown leaves a gap.
	Line
	// Bars is a histogram: translucent bars at X of height Y. Their width is the
	// median distance between neighbouring values of X, in decades on a
	// logarithmic axis. An empty bar on a logarithmic Y is not reported missing.
	Bars
	// Steps is the outline of Bars.
	Steps
)

// Marker is the shape of points.
type Marker int

// The markers. They differ in shape, so that a series can be told without its
// colour.
const (
	Dot Marker = iota
	Plus
	Cross
	Ring
	Square
	Triangle
	Diamond
)

// Sizes in pixels.
const (
	tickSize   = 11.0 // of the letters at ticks, and of notes
	labelSize  = 12.0 // of those of labels and of the legend
	titleSize  = 13.0
	lineHeight = 1.3 // of the letters' size
	edge       = 6.0 // free at the edges of a panel
	gap        = 6.0 // between a tick and its label, a label and the next text
	keyWidth   = 24.0
)

// layout is where the parts of a figure are.
type layout struct {
	columns       int
	outer         float64 // width of a panel with all that belongs to it
	left          float64 // from a panel's left to its box
	width, height float64 // of a box
	titles        float64 // height of the titles above a box
	strip         float64 // height of what stands between title and box
	below         float64 // height of ticks and labels below a box
}

// view is a panel with its ranges and ticks.
type view struct {
	*Panel
	x, y       scale
	xTicks     []tick
	yTicks     []tick
	xExp, yExp int // of ten, by which the labels of ticks are to be multiplied
	shown      int // data that have their place in the panel
	missing    int // data that do not
	titleLines []string
	xLines     []string
	yLines     []string
	yWidth     float64 // of the widest label at Y
	left, top  float64 // of the box
}

// SVG returns the figure as an SVG document without a prologue.
func (f *Figure) SVG() []byte {
	l := layout{columns: min(max(1, len(f.Panels)), 3), outer: 300, height: 200}
	switch len(f.Panels) {
	case 0, 1:
		l.outer, l.height = 460, 280
	case 2:
		l.outer, l.height = 390, 240
	case 4:
		l.columns, l.outer, l.height = 2, 390, 240
	}

	views := make([]view, len(f.Panels))
	for i := range views {
		views[i] = view{Panel: &f.Panels[i]}
	}
	l.arrange(views)

	entries := legend(views)
	rows := (len(views) + l.columns - 1) / l.columns
	rowHeight := l.titles + l.strip + l.height + l.below
	width := l.outer * float64(l.columns)
	lines, legendHeight := placeLegend(entries, width)
	height := rowHeight*float64(rows) + legendHeight

	var b builder
	b.printf(`<svg xmlns="http://www.w3.org/2000/svg" class="hamc-plot" role="img" width="%s" height="%s" viewBox="0 0 %s %s">`+"\n",
		num(width), num(height), num(width), num(height))
	b.printf("<title>%s</title>\n<desc>%s</desc>\n<style>%s</style>\n", escape(f.Title), escape(f.describe()), style)
	for i := range views {
		v := &views[i]
		v.place(l, float64(i%l.columns)*l.outer, float64(i/l.columns)*rowHeight)
		v.draw(&b, l)
	}
	drawLegend(&b, lines, width, rowHeight*float64(rows))
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// describe says in words what the figure has.
func (f *Figure) describe() string {
	var parts []string
	for i := range f.Panels {
		p := &f.Panels[i]
		var labels []string
		for _, s := range p.Series {
			if s.Label != "" && !slices.Contains(labels, s.Label) {
				labels = append(labels, s.Label)
			}
		}
		part := fmt.Sprintf("%s against %s", cmp.Or(p.Y.Label, "y"), cmp.Or(p.X.Label, "x"))
		if p.Title != "" {
			part = p.Title + ": " + part
		}
		if len(labels) > 0 {
			part += " for " + strings.Join(labels, ", ")
		}
		parts = append(parts, part+".")
	}
	return strings.Join(parts, " ")
}

// arrange computes the ranges and ticks of all panels and the sizes that their
// texts need. All boxes have one size.
func (l *layout) arrange(views []view) {
	for i := range views {
		v := &views[i]
		v.ranges()
		v.count()
		v.y.from, v.y.to = l.height, 0
		v.yLines = wrap(v.Y.Label, l.height, labelSize, false)
	}
	// The labels at Y decide how wide the boxes are. Equal axes change the range
	// of Y once the width is known, so they get another round.
	for range 2 {
		l.left = 0
		for i := range views {
			v := &views[i]
			v.yTicks, v.yExp = nil, 0
			if v.shown > 0 {
				v.yTicks, v.yExp = v.y.ticks(func(t []tick) bool { return apart(t, l.height, 14) })
			}
			v.yWidth = 0
			for _, t := range v.yTicks {
				v.yWidth = max(v.yWidth, textWidth(t.label, tickSize))
			}
			l.left = max(l.left, edge+float64(len(v.yLines))*labelSize*lineHeight+v.yWidth+gap+4)
		}
		l.left = max(l.left, 3*edge)
		l.width = max(l.outer-l.left-2*edge, 150) // room for a power of ten beside a note
		l.outer = l.left + l.width + 2*edge
		for i := range views {
			v := &views[i]
			v.x.from, v.x.to = 0, l.width
			if v.X.Equal || v.Y.Equal {
				equalize(&v.x, &v.y)
				v.count()
			}
		}
	}
	labels := 0.0
	for i := range views {
		v := &views[i]
		room := l.width
		if v.shown > 0 {
			v.xTicks, v.xExp = v.x.ticks(func(t []tick) bool { return l.fits(t) })
			if v.xExp != 0 { // it stands at the right end of the line of the label
				room -= 2 * (textWidth(times(v.xExp), tickSize) + gap)
			}
		}
		if v.missing > 0 || v.yExp != 0 {
			l.strip = tickSize*lineHeight + 2
		}
		v.titleLines = wrap(v.Title, l.width+edge, titleSize, true)
		v.xLines = wrap(v.X.Label, room, labelSize, false)
		l.titles = max(l.titles, float64(len(v.titleLines))*titleSize*lineHeight)
		labels = max(labels, float64(len(v.xLines))*labelSize*lineHeight)
		if v.xExp != 0 {
			labels = max(labels, labelSize*lineHeight)
		}
	}
	l.titles += edge + 2
	l.below = gap + tickSize*lineHeight + labels + 2*edge
}

// fits reports whether the labels of ticks on an X axis stand clear of each
// other where fit puts them.
func (l *layout) fits(ticks []tick) bool {
	end := -l.left
	for _, t := range ticks {
		if t.label == "" {
			continue
		}
		w := textWidth(t.label, tickSize)
		x := l.fit(t.at, w)
		if x-w/2 < end {
			return false
		}
		end = x + w/2 + 8
	}
	return true
}

// fit returns the middle of a label of the given width at x, moved so that it
// stays within the panel.
func (l *layout) fit(x, width float64) float64 {
	return max(min(x, l.width+2*edge-2-width/2), -l.left+2+width/2)
}

// place moves a panel to its place in the figure.
func (v *view) place(l layout, left, top float64) {
	v.left, v.top = left+l.left, top+l.titles+l.strip
	v.x.from, v.x.to = v.left, v.left+l.width
	v.y.from, v.y.to = v.top+l.height, v.top
	for i := range v.xTicks {
		v.xTicks[i].at += v.left
	}
	for i := range v.yTicks {
		v.yTicks[i].at += v.top
	}
}

// draw draws a panel.
func (v *view) draw(b *builder, l layout) {
	right, bottom := v.left+l.width, v.top+l.height
	b.WriteString("<g>\n")
	for i, line := range v.titleLines {
		y := v.top - l.strip - edge - 2 - float64(len(v.titleLines)-1-i)*titleSize*lineHeight
		b.text(line, "t", v.left+l.width/2, y)
	}

	var grid, marks strings.Builder
	for _, t := range v.xTicks {
		if t.label != "" {
			fmt.Fprintf(&grid, "M%s %sV%s", num(t.at), num(bottom), num(v.top))
		}
		fmt.Fprintf(&marks, "M%s %sv%s", num(t.at), num(bottom), num(t.length()))
	}
	for _, t := range v.yTicks {
		if t.label != "" {
			fmt.Fprintf(&grid, "M%s %sH%s", num(v.left), num(t.at), num(right))
		}
		fmt.Fprintf(&marks, "M%s %sh%s", num(v.left), num(t.at), num(-t.length()))
	}
	if grid.Len() > 0 {
		b.printf(`<path class="g" d="%s"/>`+"\n", grid.String())
	}
	b.printf(`<rect class="b" x="%s" y="%s" width="%s" height="%s"/>`+"\n", num(v.left), num(v.top), num(l.width), num(l.height))
	if marks.Len() > 0 {
		b.printf(`<path class="k" d="%s"/>`+"\n", marks.String())
	}
	for i := range v.Series {
		v.series(b, &v.Series[i])
	}

	baseline := bottom + gap + tickSize
	for _, t := range v.xTicks {
		if t.label != "" {
			b.text(t.label, "m", v.left+l.fit(t.at-v.left, textWidth(t.label, tickSize)), baseline)
		}
	}
	for _, t := range v.yTicks {
		if t.label != "" {
			b.text(t.label, "e", v.left-gap, t.at+tickSize*0.36)
		}
	}
	baseline += 2 + labelSize*lineHeight
	for i, line := range v.xLines {
		b.text(line, "a", v.left+l.width/2, baseline+float64(i)*labelSize*lineHeight)
	}
	if v.xExp != 0 {
		b.text(times(v.xExp), "e", right, baseline)
	}
	for i, line := range v.yLines {
		x, y := v.left-gap-v.yWidth-8-float64(len(v.yLines)-1-i)*labelSize*lineHeight, v.top+l.height/2
		b.printf(`<text class="a" transform="translate(%s %s)rotate(-90)">%s</text>`+"\n", num(x), num(y), escape(line))
	}
	if v.yExp != 0 {
		b.text(times(v.yExp), "s", v.left, v.top-gap+1)
	}
	if v.missing > 0 {
		b.text(fmt.Sprintf("%d not shown", v.missing), "n", right, v.top-gap+1)
	}
	if v.shown == 0 {
		b.text("no data", "m", v.left+l.width/2, v.top+l.height/2)
	}
	b.WriteString("</g>\n")
}

// entry is one label of the legend, with a key for each kind of series that has
// it.
type entry struct {
	label string
	keys  []*Series
	lines []string
	x, y  float64 // of the key's left end and the first baseline
}

// legend returns the labels of all series in the order of their first use.
func legend(views []view) []entry {
	var all []entry
	for i := range views {
		for j := range views[i].Series {
			s := &views[i].Series[j]
			if s.Label == "" {
				continue
			}
			at := slices.IndexFunc(all, func(e entry) bool { return e.label == s.Label })
			if at < 0 {
				all = append(all, entry{label: s.Label})
				at = len(all) - 1
			}
			e := &all[at]
			if !slices.ContainsFunc(e.keys, func(k *Series) bool { return k.Kind == s.Kind }) {
				e.keys = append(e.keys, s)
			}
		}
	}
	return all
}

// placeLegend breaks the legend into centred rows and returns it with its height.
func placeLegend(entries []entry, width float64) ([]entry, float64) {
	const between = 18
	height, from, x := 0.0, 0, edge
	finish := func(to int) {
		if to == from {
			return
		}
		lines := 1
		for i := from; i < to; i++ {
			entries[i].x += (width - edge - (x - between)) / 2
			lines = max(lines, len(entries[i].lines))
		}
		height += float64(lines) * labelSize * 1.45
		from, x = to, edge
	}
	for i := range entries {
		e := &entries[i]
		e.lines = wrap(e.label, width-2*edge-keyWidth-gap, labelSize, false)
		w := 0.0
		for _, line := range e.lines {
			w = max(w, textWidth(line, labelSize))
		}
		w += keyWidth + gap
		if x > edge && x+w > width-edge {
			finish(i)
		}
		e.x, e.y = x, height+labelSize*1.1
		x += w + between
	}
	finish(len(entries))
	if height > 0 {
		height += edge
	}
	return entries, height
}

func drawLegend(b *builder, entries []entry, width, top float64) {
	for i := range entries {
		e := &entries[i]
		for _, s := range e.keys {
			s.key(b, e.x, top+e.y-labelSize*0.35)
		}
		for j, line := range e.lines {
			b.text(line, "l", e.x+keyWidth+gap, top+e.y+float64(j)*labelSize*lineHeight)
		}
	}
}
