package plot

import (
	"fmt"
	"slices"
	"strings"
)

// series draws the data of a series.
func (v *view) series(b *builder, s *Series) {
	var d string
	switch s.Kind {
	case Line:
		d = v.line(s)
	case Bars:
		d = v.bars(s)
	case Steps:
		d = v.steps(s)
	default:
		r := 3.0
		switch n := len(s.X); {
		case n > 1000:
			r = 1.3
		case n > 200:
			r = 2
		}
		d = v.points(s, r)
		if d != "" {
			s.mark(b, d, r)
		}
		return
	}
	if d != "" {
		s.mark(b, d, 0)
	}
}

// mark writes a path in the look of the series, for points of radius r.
func (s *Series) mark(b *builder, d string, r float64) {
	color := floorMod(s.Color, colors)
	switch {
	case s.Kind == Bars:
		b.printf(`<path class="h c%d" d="%s"/>`+"\n", color, d)
		return
	case s.Kind == Line || s.Kind == Steps:
		dashes := ""
		if s.Dashed {
			dashes = ` stroke-dasharray="5 4"`
		}
		b.printf(`<path class="p c%d" stroke-width="1.6"%s d="%s"/>`+"\n", color, dashes, d)
		return
	}
	width := max(0.8, r/2.2)
	if s.Marker == Dot || s.Marker < 0 || s.Marker > Diamond {
		width = 2 * r
	}
	b.printf(`<path class="p c%d" stroke-width="%s" d="%s"/>`+"\n", color, num(width), d)
}

// shape returns the path of one marker. A dot is a line of length 0 with round
// ends.
func (m Marker) shape(x, y, r float64) string {
	at := func(dx, dy float64) string { return "M" + num(x+dx) + " " + num(y+dy) }
	n := num
	switch m {
	case Plus:
		return at(-r, 0) + "h" + n(2*r) + at(0, -r) + "v" + n(2*r)
	case Cross:
		return at(-r, -r) + "l" + n(2*r) + " " + n(2*r) + at(-r, r) + "l" + n(2*r) + " " + n(-2*r)
	case Ring:
		return fmt.Sprintf("%sa%s %s 0 1 0 %s 0a%[2]s %[2]s 0 1 0 %[5]s 0", at(-r, 0), n(r), n(r), n(2*r), n(-2*r))
	case Square:
		return at(-r, -r) + "h" + n(2*r) + "v" + n(2*r) + "h" + n(-2*r) + "z"
	case Triangle:
		return at(-r, 0.8*r) + "h" + n(2*r) + "l" + n(-r) + " " + n(-1.8*r) + "z"
	case Diamond:
		return at(-r, 0) + "l" + n(r) + " " + n(-r) + "l" + n(r) + " " + n(r) + "l" + n(-r) + " " + n(r) + "z"
	}
	return at(0, 0) + "h0"
}

func (v *view) points(s *Series, r float64) string {
	var d strings.Builder
	for k := range min(len(s.X), len(s.Y)) {
		if v.x.inside(s.X[k]) && v.y.inside(s.Y[k]) {
			d.WriteString(s.Marker.shape(v.x.clamp(v.x.at(s.X[k])), v.y.clamp(v.y.at(s.Y[k])), r))
		}
	}
	return d.String()
}

// line returns the path through the data, cut at the panel's box.
func (v *view) line(s *Series) string {
	var d strings.Builder
	last := "" // where the pen is, or "" if it must be put down anew
	n := min(len(s.X), len(s.Y))
	valid := func(k int) bool { return k >= 0 && k < n && v.x.valid(s.X[k]) && v.y.valid(s.Y[k]) }
	for k := range n {
		if !valid(k) {
			last = ""
			continue
		}
		x, y := v.x.at(s.X[k]), v.y.at(s.Y[k])
		if !valid(k - 1) {
			if !valid(k+1) && v.x.inside(s.X[k]) && v.y.inside(s.Y[k]) {
				d.WriteString(Dot.shape(v.x.clamp(x), v.y.clamp(y), 0)) // alone, it would not be seen
			}
			continue
		}
		x0, y0, x1, y1, ok := v.clip(v.x.at(s.X[k-1]), v.y.at(s.Y[k-1]), x, y)
		if !ok {
			last = ""
			continue
		}
		from, to := num(x0)+" "+num(y0), num(x1)+" "+num(y1)
		if from != last {
			d.WriteString("M" + from)
		} else if to == last {
			continue
		}
		d.WriteString("L" + to)
		last = to
	}
	return d.String()
}

// clip returns the part of a segment within the box, by the algorithm of Liang
// and Barsky (1984).
func (v *view) clip(x0, y0, x1, y1 float64) (a, b, c, d float64, ok bool) {
	t0, t1 := 0.0, 1.0
	cut := func(p, q float64) bool { // keeps where p·t ≤ q
		switch {
		case p == 0:
			return q >= 0
		case p < 0:
			t0 = max(t0, q/p)
		default:
			t1 = min(t1, q/p)
		}
		return t0 <= t1
	}
	dx, dy := x1-x0, y1-y0
	// Rounding must not lose a point on the edge.
	const slack = 1e-6
	if !cut(-dx, x0-v.x.from+slack) || !cut(dx, v.x.to-x0+slack) || !cut(-dy, y0-v.y.to+slack) || !cut(dy, v.y.from-y0+slack) {
		return 0, 0, 0, 0, false
	}
	return v.x.clamp(x0 + t0*dx), v.y.clamp(y0 + t0*dy), v.x.clamp(x0 + t1*dx), v.y.clamp(y0 + t1*dy), true
}

// bar is one bar of a histogram in pixels.
type bar struct {
	left, right float64
	top         float64
	unit        float64 // of its middle
}

// histogram returns the bars of a series from left to right, with the pixel of
// their base and their width in units. Bars outside the panel and empty ones on
// a logarithmic axis are left out; parts outside are cut off.
func (v *view) histogram(s *Series) (bars []bar, base, width float64) {
	base = v.y.from
	if !v.y.log {
		base = v.y.clamp(v.y.at(0))
	}
	width = v.x.spacing(s.X)
	for k := range min(len(s.X), len(s.Y)) {
		if !v.x.valid(s.X[k]) || !v.y.valid(s.Y[k]) {
			continue
		}
		u := v.x.unit(s.X[k])
		left, right := v.x.clamp(v.x.pixel(u-width/2)), v.x.clamp(v.x.pixel(u+width/2))
		if !v.x.inside(s.X[k]) && left == right {
			continue
		}
		bars = append(bars, bar{left, right, v.y.clamp(v.y.at(s.Y[k])), u})
	}
	slices.SortStableFunc(bars, func(a, b bar) int {
		switch {
		case a.unit < b.unit:
			return -1
		case a.unit > b.unit:
			return 1
		}
		return 0
	})
	return bars, base, width
}

func (v *view) bars(s *Series) string {
	var d strings.Builder
	bars, base, _ := v.histogram(s)
	for _, r := range bars {
		if num(r.top) != num(base) { // else its outline would be a line on the axis
			fmt.Fprintf(&d, "M%s %sV%sH%sV%sz", num(r.left), num(base), num(r.top), num(r.right), num(base))
		}
	}
	return d.String()
}

func (v *view) steps(s *Series) string {
	var d strings.Builder
	bars, base, width := v.histogram(s)
	for i, r := range bars {
		if i == 0 || r.unit-bars[i-1].unit > 1.5*width {
			fmt.Fprintf(&d, "M%s %s", num(r.left), num(base))
		}
		fmt.Fprintf(&d, "V%sH%s", num(r.top), num(r.right))
		if i == len(bars)-1 || bars[i+1].unit-r.unit > 1.5*width {
			fmt.Fprintf(&d, "V%s", num(base))
		}
	}
	return d.String()
}

// key draws the series in the legend, from x on, with its middle at y.
func (s *Series) key(b *builder, x, y float64) {
	middle := x + keyWidth/2
	switch s.Kind {
	case Line:
		s.mark(b, fmt.Sprintf("M%s %sh%s", num(x), num(y), num(keyWidth)), 0)
	case Steps:
		s.mark(b, fmt.Sprintf("M%s %sv-7h%sv7", num(x+3), num(y+3.5), num(keyWidth-6)), 0)
	case Bars:
		s.mark(b, fmt.Sprintf("M%s %sv-9h%sv9z", num(x+4), num(y+4.5), num(keyWidth-8)), 0)
	default:
		s.mark(b, s.Marker.shape(middle, y, 3), 3)
	}
}
