package plot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// style colours a figure. Every selector starts with the class of the picture: in
// an HTML page a style sheet reaches beyond its element. The colours are those of
// Okabe and Ito, darkened or lightened to stand out from the background, as in
// the reports; they differ for all common kinds of colour blindness.
const style = `
.hamc-plot{font:11px system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans","DejaVu Sans",sans-serif;color:#1b2230}
.hamc-plot text{fill:#566072}
.hamc-plot .t{font-size:13px;font-weight:600;text-anchor:middle;fill:#1b2230}
.hamc-plot .a{font-size:12px;text-anchor:middle;fill:#1b2230}
.hamc-plot .l{font-size:12px;fill:#1b2230}
.hamc-plot .m{text-anchor:middle}
.hamc-plot .e,.hamc-plot .n{text-anchor:end}
.hamc-plot .n{font-style:italic}
.hamc-plot .g{fill:none;stroke:#e6e9ef;stroke-width:1}
.hamc-plot .b{fill:none;stroke:#9aa3b2;stroke-width:1}
.hamc-plot .k{fill:none;stroke:#9aa3b2;stroke-width:1}
.hamc-plot .p{fill:none;stroke:currentColor;stroke-linecap:round;stroke-linejoin:round}
.hamc-plot .h{fill:currentColor;fill-opacity:.4;stroke:currentColor;stroke-width:.6}
.hamc-plot .c0{color:#0072b2}
.hamc-plot .c1{color:#d55e00}
.hamc-plot .c2{color:#008f68}
.hamc-plot .c3{color:#b85794}
.hamc-plot .c4{color:#b07900}
.hamc-plot .c5{color:#2f97cf}
.hamc-plot .c6{color:#6a5acd}
.hamc-plot .c7{color:#4d4d4d}
@media screen and (prefers-color-scheme:dark){
.hamc-plot text{fill:#a2abba}
.hamc-plot .t,.hamc-plot .a,.hamc-plot .l{fill:#e6e9ef}
.hamc-plot .g{stroke:#2b3340}
.hamc-plot .b,.hamc-plot .k{stroke:#6b7585}
.hamc-plot .c0{color:#56a9e8}
.hamc-plot .c1{color:#f08a3c}
.hamc-plot .c2{color:#35c79a}
.hamc-plot .c3{color:#e08fc0}
.hamc-plot .c4{color:#e5b53d}
.hamc-plot .c5{color:#8fd3ff}
.hamc-plot .c6{color:#a99cff}
.hamc-plot .c7{color:#c4c4c4}
}
`

// colors is the number of colours in style.
const colors = 8

type builder struct{ bytes.Buffer }

func (b *builder) printf(format string, arguments ...any) { fmt.Fprintf(b, format, arguments...) }

// text writes a text whose class says how it stands to x, on the baseline y.
func (b *builder) text(text, class string, x, y float64) {
	b.printf(`<text class="%s" x="%s" y="%s">%s</text>`+"\n", class, num(x), num(y), escape(text))
}

// escape returns a text for XML. Characters that XML does not know become U+FFFD.
func escape(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // a Builder gives no error
	return b.String()
}

// num returns a number of pixels with at most two decimals.
func num(v float64) string {
	r := math.Round(v*100) / 100
	if r == 0 {
		r = 0 // not −0
	}
	return strconv.FormatFloat(r, 'f', -1, 64)
}

// textWidth returns how wide a text is at most, in pixels, in the fonts of style.
// DejaVu Sans is the widest of them; the widths are its, rounded up.
func textWidth(text string, size float64) float64 {
	w := 0.0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Mn, r):
		case strings.ContainsRune("fijlrtI.,:;'|!()[]/ ", r):
			w += 0.42
		case strings.ContainsRune("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", r):
			w += 0.43
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z' && r != 'm' && r != 'w':
			w += 0.64
		case r >= 'A' && r <= 'Z' && r != 'M' && r != 'W':
			w += 0.79
		case r < 0x1100:
			w += 1
		default: // among them the wide letters of East Asia
			w += 1.1
		}
	}
	return w * size
}

// wrap breaks a text into lines no wider than width, between words where it can.
// An empty text has no lines.
func wrap(text string, width, size float64, bold bool) []string {
	if bold {
		size *= 1.1
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch joined := line + " " + word; {
		case line == "":
			line = word
		case textWidth(joined, size) <= width:
			line = joined
			continue
		default:
			lines = append(lines, line)
			line = word
		}
		for textWidth(line, size) > width {
			cut := 0
			for i := range line {
				if i > 0 && textWidth(line[:i], size) > width {
					break
				}
				cut = i
			}
			if cut == 0 { // not even one letter has room
				break
			}
			lines = append(lines, line[:cut])
			line = line[cut:]
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
