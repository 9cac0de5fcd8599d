package plot

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
)

// update rewrites the golden file:
//
//	go test ./cmd/hamc/internal/plot -run TestGolden -update
var update = flag.Bool("update", false, "rewrite the golden file of TestGolden")

// sample is a figure with every kind of series, with data that cannot be shown
// and with texts that need escaping.
func sample() *Figure {
	var bins, wide, narrow []float64
	for i := range 24 {
		x := -3 + 0.25*float64(i)
		bins = append(bins, x)
		wide = append(wide, math.Round(400*math.Exp(-x*x/2)))
		narrow = append(narrow, math.Round(500*math.Exp(-(x-1)*(x-1))))
	}
	var steps, errors, bound []float64
	for i := range 9 {
		h := math.Pow(10, -float64(i)/2)
		steps = append(steps, h)
		errors = append(errors, 0.3*h*h*(1+0.5*math.Sin(float64(3*i))))
		bound = append(bound, h*h)
	}
	return &Figure{
		Title: "Accuracy & cost <of> three",
		Panels: []Panel{
			{
				Title: "Error of a step", X: Axis{Label: "step size ε", Log: true}, Y: Axis{Label: "error", Log: true},
				Series: []Series{
					{Label: "ε²", Kind: Line, Color: 7, X: steps, Y: bound, Dashed: true},
					{Label: "implicit midpoint", Color: 0, X: append(steps, 1e-3, 0), Y: append(errors, math.NaN(), 1)},
					{Label: "leapfrog", Marker: Plus, Color: 1, X: steps, Y: bound},
				},
			},
			{
				Title: "Marginals", X: Axis{Label: "θ₁"}, Y: Axis{Label: "draws"},
				Series: []Series{
					{Label: "implicit midpoint", Kind: Bars, Color: 0, X: bins, Y: wide},
					{Label: "leapfrog", Kind: Bars, Color: 1, X: bins, Y: narrow},
					{Label: "reference", Kind: Steps, Color: 7, X: bins, Y: narrow},
				},
			},
			{Title: "Nothing yet", X: Axis{Label: `a "quoted" label`}, Y: Axis{Label: "y", Log: true}},
		},
	}
}

func TestGolden(t *testing.T) {
	const path = "testdata/figure.svg"
	got := sample().SVG()
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the figure has changed; look at it after -update\n%s", got)
	}
	if again := sample().SVG(); !bytes.Equal(got, again) {
		t.Error("the same figure gave other bytes")
	}
}

// drawn is what a decoder of XML reads from a figure.
type drawn struct {
	width, height float64
	texts         []string   // of text elements
	places        []place    // of the same
	boxes         []box      // of panels
	paths         [][]string // of each panel, those of its series
	legend        []string   // of all texts, those of class l
}

type box struct{ left, top, right, bottom float64 }

// place is where a text begins and ends, were all letters as wide as textWidth
// says.
type place struct {
	text string
	box
}

var rotated = regexp.MustCompile(`^translate\((\S+) (\S+)\)rotate\(-90\)$`)

// decode reads a figure. It fails where the XML is not well-formed or an
// attribute has what is no number.
func decode(t *testing.T, svg []byte) drawn {
	t.Helper()
	var out drawn
	d := xml.NewDecoder(bytes.NewReader(svg))
	class, depth := "", 0
	var at place
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("%q is no number\n%s", text, svg)
		}
		return v
	}
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, svg)
		}
		switch e := token.(type) {
		case xml.StartElement:
			depth++
			a := map[string]string{}
			for _, attribute := range e.Attr {
				a[attribute.Name.Local] = attribute.Value
				if strings.Contains(attribute.Value, "NaN") || strings.Contains(attribute.Value, "Inf") || strings.Contains(attribute.Value, "e+") {
					t.Fatalf("%s is %q", attribute.Name.Local, attribute.Value)
				}
			}
			class, at = a["class"], place{}
			switch e.Name.Local {
			case "svg":
				out.width, out.height = number(a["width"]), number(a["height"])
			case "rect":
				b := box{left: number(a["x"]), top: number(a["y"])}
				b.right, b.bottom = b.left+number(a["width"]), b.top+number(a["height"])
				out.boxes = append(out.boxes, b)
				out.paths = append(out.paths, nil)
			case "path":
				if depth == 3 && (strings.HasPrefix(class, "p ") || strings.HasPrefix(class, "h ")) {
					out.paths[len(out.paths)-1] = append(out.paths[len(out.paths)-1], a["d"])
				}
			case "text":
				if m := rotated.FindStringSubmatch(a["transform"]); m != nil {
					at.left, at.top = number(m[1]), number(m[2])
					at.bottom = math.NaN() // for: rotated
				} else {
					at.left, at.top = number(a["x"]), number(a["y"])
				}
			}
		case xml.EndElement:
			depth--
		case xml.CharData:
			if at == (place{}) || strings.TrimSpace(string(e)) == "" {
				continue
			}
			out.write(string(e), class, at)
		}
	}
	return out
}

// write notes a text of a class at a place, with the box that it fills.
func (out *drawn) write(text, class string, at place) {
	size, anchor := tickSize, 0.0
	switch class {
	case "t":
		size, anchor = titleSize*1.1, 0.5
	case "a":
		size, anchor = labelSize, 0.5
	case "l":
		size = labelSize
		out.legend = append(out.legend, text)
	case "m":
		anchor = 0.5
	case "e", "n":
		anchor = 1
	}
	w, p := textWidth(text, size), at
	p.text = text
	if math.IsNaN(at.bottom) {
		p.box = box{at.left - 0.8*size, at.top - w/2, at.left + 0.25*size, at.top + w/2}
	} else {
		p.box = box{at.left - anchor*w, at.top - 0.8*size, at.left + (1-anchor)*w, at.top + 0.25*size}
	}
	out.texts, out.places = append(out.texts, text), append(out.places, p)
}

// command is one command of a path with its numbers.
var command = regexp.MustCompile(`([MLHVhvlaz])([^MLHVhvlaz]*)`)

// points returns the ends of all parts of a path.
func points(t *testing.T, d string) [][2]float64 {
	t.Helper()
	var out [][2]float64
	var x, y float64
	rest := command.ReplaceAllStringFunc(d, func(c string) string {
		var n []float64
		for _, f := range strings.Fields(c[1:]) {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				t.Fatalf("%q in %q", c, d)
			}
			n = append(n, v)
		}
		switch c[0] {
		case 'M', 'L':
			x, y = n[0], n[1]
		case 'H':
			x = n[0]
		case 'V':
			y = n[0]
		case 'h':
			x += n[0]
		case 'v':
			y += n[0]
		case 'l':
			x, y = x+n[0], y+n[1]
		case 'a':
			x, y = x+n[5], y+n[6]
		}
		out = append(out, [2]float64{x, y})
		return ""
	})
	if rest != "" {
		t.Fatalf("%q is left of %q", rest, d)
	}
	return out
}

// TestRandomFigures draws figures of anything and holds them to what holds of
// every figure.
func TestRandomFigures(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	value := func(kind int) float64 {
		switch kind {
		case 0:
			return rng.NormFloat64()
		case 1:
			return math.Exp(300 * rng.NormFloat64())
		case 2:
			return 1e9 + 1e-6*rng.Float64()
		case 3:
			return float64(rng.IntN(5))
		case 4:
			return 7
		case 5:
			return []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), -1, math.MaxFloat64, -math.MaxFloat64, 5e-324, 1e300, -1e300, 1e-300, 3e-310}[rng.IntN(13)]
		case 6:
			return 1 + 1e-15*float64(rng.IntN(4))
		case 7:
			return 2.5e-7 * (1 + rng.Float64())
		}
		return math.Float64frombits(rng.Uint64())
	}
	text := func() string {
		return []string{"", "x", "a <b> & \"c\" ]]>", "energy error", strings.Repeat("long ", 30), strings.Repeat("W", 90), "q\x00\x01\xff\u202e", "能量误差 ε₁²"}[rng.IntN(8)]
	}
	for n := range campaign.Cases(t, 600, 3000) {
		f := Figure{Title: text()}
		for range rng.IntN(6) {
			p := Panel{Title: text(), X: Axis{Label: text(), Log: rng.IntN(2) == 0, Equal: rng.IntN(8) == 0}, Y: Axis{Label: text(), Log: rng.IntN(2) == 0}}
			if rng.IntN(4) == 0 {
				p.X.Min, p.X.Max = value(rng.IntN(9)), value(rng.IntN(9))
			}
			if rng.IntN(4) == 0 {
				p.Y.Min, p.Y.Max = value(rng.IntN(9)), value(rng.IntN(9))
			}
			for range rng.IntN(4) {
				s := Series{Label: text(), Kind: Kind(rng.IntN(5)), Marker: Marker(rng.IntN(9) - 1), Color: rng.IntN(30) - 15, Dashed: rng.IntN(2) == 0}
				kx, ky := rng.IntN(9), rng.IntN(9)
				for range rng.IntN(30) {
					if rng.IntN(10) == 0 {
						kx, ky = rng.IntN(9), rng.IntN(9)
					}
					s.X, s.Y = append(s.X, value(kx)), append(s.Y, value(ky))
				}
				if rng.IntN(8) == 0 {
					s.Y = append(s.Y, 1)
				}
				p.Series = append(p.Series, s)
			}
			f.Panels = append(f.Panels, p)
		}
		d := decode(t, f.SVG())
		if len(d.boxes) != len(f.Panels) {
			t.Fatalf("figure %d: %d boxes for %d panels", n, len(d.boxes), len(f.Panels))
		}
		for i, b := range d.boxes {
			for _, path := range d.paths[i] {
				// A marker may reach 3 beyond its place.
				for _, p := range points(t, path) {
					if p[0] < b.left-3.05 || p[0] > b.right+3.05 || p[1] < b.top-3.05 || p[1] > b.bottom+3.05 {
						t.Fatalf("figure %d, panel %d: %v is outside %v\n%+v", n, i, p, b, f.Panels[i])
					}
				}
			}
		}
		for _, p := range d.places {
			if p.left < 0 || p.right > d.width+0.01 || p.top < 0 || p.bottom > d.height+0.01 {
				t.Fatalf("figure %d of %g × %g: %q is at %v", n, d.width, d.height, p.text, p.box)
			}
		}
		for i, p := range d.places {
			for _, q := range d.places[:i] {
				if p.left < q.right-0.5 && q.left < p.right-0.5 && p.top < q.bottom-0.5 && q.top < p.bottom-0.5 {
					t.Fatalf("figure %d: %q at %v and %q at %v overlap", n, p.text, p.box, q.text, q.box)
				}
			}
		}
	}
}

func TestPlacesOfData(t *testing.T) {
	f := Figure{Panels: []Panel{{
		X: Axis{Min: 0, Max: 10}, Y: Axis{Log: true, Min: 1e-4, Max: 1},
		Series: []Series{{X: []float64{0, 5, 10}, Y: []float64{1e-4, 1e-2, 1}}},
	}}}
	d := decode(t, f.SVG())
	b, got := d.boxes[0], points(t, d.paths[0][0])
	want := [][2]float64{{b.left, b.bottom}, {(b.left + b.right) / 2, (b.top + b.bottom) / 2}, {b.right, b.top}}
	for i := range want {
		p := got[2*i] // each dot is two commands
		if math.Abs(p[0]-want[i][0]) > 0.011 || math.Abs(p[1]-want[i][1]) > 0.011 {
			t.Errorf("datum %d is at %v, expected %v", i, p, want[i])
		}
	}
	for _, label := range []string{"10⁻⁴", "10⁻²", "10⁰", "0", "2", "10"} {
		if !slices.Contains(d.texts, label) {
			t.Errorf("no tick is labelled %s: %q", label, d.texts)
		}
	}
}

func TestEqual(t *testing.T) {
	f := Figure{Panels: []Panel{{
		X: Axis{Equal: true}, Series: []Series{{Kind: Line, X: []float64{0, 1, 1, 0}, Y: []float64{0, 0, 3, 3}}},
	}}}
	d := decode(t, f.SVG())
	p := points(t, d.paths[0][0])
	if w, h := p[1][0]-p[0][0], p[1][1]-p[2][1]; math.Abs(h-3*w) > 0.04 {
		t.Errorf("a rectangle of 1 × 3 is drawn as %g × %g", w, h)
	}
}

func TestNotes(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		name   string
		panel  Panel
		want   []string
		absent []string
	}{
		{"empty", Panel{}, []string{"no data"}, []string{"not shown", "0.5"}},
		{"NaN only", Panel{Series: []Series{{X: []float64{1, 2}, Y: []float64{nan, nan}}}}, []string{"no data", "2 not shown"}, nil},
		{"on a log axis", Panel{X: Axis{Log: true}, Series: []Series{{X: []float64{0, -1, 1, math.Inf(1)}, Y: []float64{1, 1, 1, 1}}}}, []string{"3 not shown"}, []string{"no data"}},
		{"outside", Panel{X: Axis{Min: 0, Max: 2}, Series: []Series{{X: []float64{1, 2.02}, Y: []float64{1, 1}}}}, []string{"1 not shown"}, []string{"no data"}},
		{"all shown", Panel{Series: []Series{{X: []float64{1, 3}, Y: []float64{1, 1}}}}, nil, []string{"not shown", "no data"}},
		{"empty bins", Panel{Y: Axis{Log: true}, Series: []Series{{Kind: Bars, X: []float64{1, 2, 3}, Y: []float64{5, 0, 5}}}}, nil, []string{"not shown", "no data"}},
		{"no partner", Panel{Series: []Series{{X: []float64{1, 3, 4}, Y: []float64{1}}}}, []string{"2 not shown"}, nil},
	} {
		d := decode(t, (&Figure{Panels: []Panel{test.panel}}).SVG())
		for _, w := range test.want {
			if !slices.Contains(d.texts, w) {
				t.Errorf("%s: %q lacks %q", test.name, d.texts, w)
			}
		}
		for _, w := range test.absent {
			if strings.Contains(strings.Join(d.texts, "\n"), w) {
				t.Errorf("%s: %q has %q", test.name, d.texts, w)
			}
		}
	}
}

func TestLegend(t *testing.T) {
	d := decode(t, sample().SVG())
	if want := []string{"ε²", "implicit midpoint", "leapfrog", "reference"}; !slices.Equal(d.legend, want) {
		t.Errorf("the legend is %q, expected %q", d.legend, want)
	}
}

// TestTexts compares what a decoder reads with what was to be written.
func TestTexts(t *testing.T) {
	const odd = `<&>"'` + "`x_y*"
	f := Figure{Title: odd, Panels: []Panel{{Title: odd, X: Axis{Label: odd}, Y: Axis{Label: odd}, Series: []Series{{Label: odd}}}}}
	n := 0
	for _, text := range decode(t, f.SVG()).texts {
		if text == odd {
			n++
		}
	}
	if n != 4 {
		t.Errorf("%d of 4 texts are as they were", n)
	}
}

func TestTicks(t *testing.T) {
	all := func(ticks []tick) bool { return apart(ticks, 300, 14) }
	for _, test := range []struct {
		scale scale
		want  string
	}{
		{scale{lo: 0, hi: 1}, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{scale{lo: -3, hi: 3.5}, "−3 −2 −1 0 1 2 3"},
		{scale{lo: -1.2e-7, hi: 1e-7}, "−1.0 −0.5 0.0 0.5 1.0 ×10⁻⁷"},
		{scale{lo: 1e5, hi: 1.003e5}, "1.0000 1.0005 1.0010 1.0015 1.0020 1.0025 1.0030 ×10⁵"},
		{scale{lo: 1000, hi: 40000}, "5000 10000 15000 20000 25000 30000 35000 40000"},
		{scale{log: true, lo: -3, hi: 2}, "0.001 0.01 0.1 1 10 100"},
		{scale{log: true, lo: -6.2, hi: -3}, "10⁻⁶ 10⁻⁵ 10⁻⁴ 10⁻³"},
		{scale{log: true, lo: -30, hi: 0}, "10⁻³⁰ 10⁻²⁵ 10⁻²⁰ 10⁻¹⁵ 10⁻¹⁰ 10⁻⁵ 10⁰"},
		{scale{log: true, lo: -0.31, hi: 0.8}, "0.5 1 2 5"},
		{scale{log: true, lo: -8.2, hi: -7.4}, "10⁻⁸ 2×10⁻⁸"},
		{scale{log: true, lo: math.Log10(3), hi: math.Log10(4)}, "3.0 3.2 3.4 3.6 3.8 4.0"},
	} {
		s := test.scale
		s.to = 300
		ticks, exponent := s.ticks(all)
		var got []string
		for _, t := range ticks {
			if t.label != "" {
				got = append(got, t.label)
			}
		}
		if exponent != 0 {
			got = append(got, times(exponent))
		}
		if text := strings.Join(got, " "); text != test.want {
			t.Errorf("%+v: %s, expected %s", test.scale, text, test.want)
		}
	}
}

func TestDecimal(t *testing.T) {
	for n := int64(-1200); n <= 1200; n += 7 {
		for k := -5; k <= 3; k++ {
			got := strings.Replace(decimal(n, k), "−", "-", 1)
			if want := fmt.Sprintf("%.*f", max(0, -k), float64(n)*math.Pow10(k)); got != want {
				t.Errorf("%d·10^%d is %q, expected %q", n, k, got, want)
			}
		}
	}
}
