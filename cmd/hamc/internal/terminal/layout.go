package terminal

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The widths of a bar, without its brackets.
const (
	minBar = 8
	maxBar = 40
)

// column is a column of the live display. One that is empty for all chains is
// not shown.
type column struct {
	text func(p *ChainProgress) string // nil: the bar
	left bool                          // aligned to the left

	// min is the least width, so that lines do not dance with each digit.
	min int

	// When the line is too wide, columns go in the order of this number;
	// those with 0 stay.
	drop int
}

// columns are the columns of the live display from left to right. The rate can
// be seen from the time left, the count and the bar from the percentage.
var columns = []column{
	{text: func(p *ChainProgress) string { return fmt.Sprintf("chain %d", p.Chain) }},
	{text: func(p *ChainProgress) string { return p.Phase }, left: true, min: len("sampling"), drop: 4},
	{drop: 3},
	{text: (*ChainProgress).percent, min: len("100%")},
	{text: func(p *ChainProgress) string {
		if p.Total <= 0 {
			return ""
		}
		total := strconv.Itoa(p.Total)
		return fmt.Sprintf("%*d/%s", len(total), p.Done, total)
	}, drop: 2},
	{text: func(p *ChainProgress) string {
		if p.Rate > 0 {
			return rate(p.Rate) + "/s"
		}
		return ""
	}, min: len("1234/s"), drop: 1},
	{text: (*ChainProgress).left, min: len("12:34"), drop: 5},
	{text: func(p *ChainProgress) string {
		if p.Failures == 0 {
			return ""
		}
		return count(p.Failures, "failure")
	}, drop: 6},
	{text: func(p *ChainProgress) string {
		if p.Divergences == 0 {
			return ""
		}
		return count(p.Divergences, "divergence")
	}, drop: 7},
}

// maxDrop is the greatest number in columns.
const maxDrop = 7

// layout returns a line for each chain, of at most width columns and all with
// the same columns of the display: as many as fit.
func layout(chains []ChainProgress, width int) []string {
	var kept []column
	var texts [][]string // by column, then by chain
	bar := 0
	for dropped := 0; dropped <= maxDrop; dropped++ {
		kept, texts = kept[:0], texts[:0]
		bar = 0
		room := width + 1 // every column has a space before it, but the first
		for _, c := range columns {
			switch {
			case c.drop > 0 && c.drop <= dropped:
			case c.text == nil:
				kept, texts = append(kept, c), append(texts, nil)
				bar = -1
			default:
				cells, width := cells(c, chains)
				if width > 0 {
					kept, texts = append(kept, c), append(texts, cells)
					room -= width + 1
				}
			}
		}
		if bar < 0 {
			bar = min(room-len("[] "), maxBar)
		}
		if room >= 0 && (bar == 0 || bar >= minBar) {
			break
		}
	}

	lines := make([]string, len(chains))
	for i := range chains {
		var b strings.Builder
		for k, c := range kept {
			if k > 0 {
				b.WriteByte(' ')
			}
			if c.text == nil {
				b.WriteString(chains[i].bar(max(bar, minBar)))
			} else {
				b.WriteString(texts[k][i])
			}
		}
		lines[i] = clip(strings.TrimRight(b.String(), " "), width)
	}
	return lines
}

// cells returns the texts of a column, padded to the same width; width 0 if
// all are empty.
func cells(c column, chains []ChainProgress) (texts []string, width int) {
	texts = make([]string, len(chains))
	for i := range chains {
		texts[i] = c.text(&chains[i])
	}
	width = widest(texts)
	if width > 0 {
		width = max(width, c.min)
	}
	for i := range texts {
		texts[i] = pad(texts[i], width, c.left)
	}
	return texts, width
}

// pad fills text with spaces to the given width.
func pad(text string, width int, left bool) string {
	space := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
	if left {
		return text + space
	}
	return space + text
}

// clip cuts text to the given width.
func clip(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:max(width, 0)])
}

// fraction returns the part of the iterations that is done, in [0, 1].
func (p *ChainProgress) fraction() float64 {
	if p.Total <= 0 || p.Done <= 0 {
		return 0
	}
	return min(float64(p.Done)/float64(p.Total), 1)
}

// bar returns a bar of the given width between brackets.
func (p *ChainProgress) bar(width int) string {
	filled := int(p.fraction() * float64(width))
	return "[" + strings.Repeat("#", filled) + strings.Repeat("-", width-filled) + "]"
}

// percent returns the part that is done, rounded down so that 100% is the end.
func (p *ChainProgress) percent() string {
	return strconv.Itoa(int(100*p.fraction())) + "%"
}

// left returns the time left as m:ss, h:mm:ss or in days, "" if it is not
// known or the chain has ended.
func (p *ChainProgress) left() string {
	seconds := math.Ceil(float64(p.Total-p.Done) / p.Rate)
	const day = 24 * 3600
	switch {
	case !(p.Rate > 0) || !(seconds > 0):
		return ""
	case seconds >= 1000*day:
		return "years"
	case seconds >= 4*day:
		return fmt.Sprintf("%.0f days", seconds/day)
	}
	s := int(seconds)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// rate returns a number of iterations per second in at most five columns.
func rate(r float64) string {
	switch {
	case r < 9.95:
		return significant(r, 2)
	case r < 99999.5:
		return strconv.FormatFloat(r, 'f', 0, 64)
	case r < 999.5e3:
		return strconv.FormatFloat(r/1e3, 'f', 0, 64) + "k"
	}
	return strconv.FormatFloat(r/1e6, 'f', 1, 64) + "M"
}

// count returns "1 noun" or "n nouns".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
