package terminal

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

// Format says how the numbers of a column are written.
type Format func(float64) string

// Significant returns the format with the given number of significant digits:
// 0.0123, 1.20, 123, 12346 for three; digits before the point are never
// dropped. Numbers below 10⁻⁴ and from 10⁷ have an exponent.
func Significant(digits int) Format {
	return func(v float64) string { return significant(v, digits) }
}

// Fixed returns the format with the given number of decimals.
func Fixed(decimals int) Format {
	return func(v float64) string { return fixed(v, decimals) }
}

// Table is a table with a name and numbers in each row.
type Table struct {
	name    string
	headers []string
	formats []Format
	rows    []row
}

type row struct {
	name  string
	cells []string
}

// NewTable returns a table without rows and with one column, of names.
func NewTable(name string) *Table { return &Table{name: name} }

// Column adds a column of numbers.
func (t *Table) Column(header string, format Format) {
	t.headers = append(t.headers, header)
	t.formats = append(t.formats, format)
}

// Row adds a row with a value for each column of numbers; columns for which
// there is none stay empty.
func (t *Table) Row(name string, values ...float64) {
	r := row{name, make([]string, len(t.formats))}
	for i, format := range t.formats[:min(len(values), len(t.formats))] {
		r.cells[i] = format(values[i])
	}
	t.rows = append(t.rows, r)
}

// End adds a row with values for the last columns.
func (t *Table) End(name string, values ...float64) {
	r := row{name, make([]string, len(t.formats))}
	for i, v := range values {
		k := len(t.formats) - len(values) + i
		r.cells[k] = t.formats[k](v)
	}
	t.rows = append(t.rows, r)
}

// SummaryTable returns the table of summaries whose quantiles are at the given
// probabilities: name, mean, mcse, sd, a column for each quantile, ess_bulk,
// ess_tail, r_hat. Values have the given number of significant digits; ESS are
// rounded to integers, R-hat to three decimals.
//
// Of a vector with more than long elements the first three and the last have a
// row. The others share one, which tells the least of their ESS and the largest
// of their R-hat, NaN where one is not defined; constants have no say in it. If long is 0 all have a row.
func SummaryTable(summaries []diagnostics.Summary, probabilities []float64, digits, long int) *Table {
	return summaryTable(summaries, probabilities, digits, long, func(f Format) Format { return f })
}

// QuantityTable is SummaryTable for quantities that nobody judges. What is not defined of them, such as
// the tail ESS of one that is 0 or 1, or anything but the mean of a constant, is left empty, and has no
// say in the row of the others.
func QuantityTable(summaries []diagnostics.Summary, probabilities []float64, digits, long int) *Table {
	return summaryTable(summaries, probabilities, digits, long, func(f Format) Format {
		return func(v float64) string {
			if math.IsNaN(v) {
				return ""
			}
			return f(v)
		}
	})
}

// summaryTable makes either; diagnostic turns the format of MCSE, ESS and R-hat into that of the table.
func summaryTable(summaries []diagnostics.Summary, probabilities []float64, digits, long int, diagnostic func(Format) Format) *Table {
	defined := diagnostic(Fixed(0))(math.NaN()) == ""
	t := NewTable("name")
	t.Column("mean", Significant(digits))
	t.Column("mcse", diagnostic(Significant(digits)))
	t.Column("sd", Significant(digits))
	for _, p := range probabilities {
		t.Column(strconv.FormatFloat(100*p, 'g', 6, 64)+"%", Significant(digits))
	}
	t.Column("ess_bulk", diagnostic(Fixed(0)))
	t.Column("ess_tail", diagnostic(Fixed(0)))
	t.Column("r_hat", diagnostic(Fixed(3)))
	all := func(summaries []diagnostics.Summary) {
		for _, s := range summaries {
			values := append([]float64{s.Mean, s.MCSE, s.SD}, s.Quantiles...)
			t.Row(s.Name, append(values, s.ESSBulk, s.ESSTail, s.RHat)...)
		}
	}
	for len(summaries) > 0 {
		n := elements(summaries)
		if long > 0 && n > long {
			rest := summaries[shownFirst : n-1]
			var bulk, tail, rhat []float64
			add := func(to *[]float64, v float64) {
				if !defined || v == v {
					*to = append(*to, v)
				}
			}
			for _, s := range rest {
				if s.SD == 0 {
					continue // a constant, as are elements of factors and simplexes of one element
				}
				add(&bulk, s.ESSBulk)
				add(&tail, s.ESSTail)
				add(&rhat, s.RHat)
			}
			all(summaries[:shownFirst])
			t.End(fmt.Sprintf("worst of %d more", len(rest)), extreme(slices.Min[[]float64], bulk), extreme(slices.Min[[]float64], tail), extreme(slices.Max[[]float64], rhat))
			all(summaries[n-1 : n])
		} else {
			all(summaries[:n])
		}
		summaries = summaries[n:]
	}
	return t
}

// extreme returns the least or the largest of numbers, NaN if one is NaN or there are none.
func extreme(of func([]float64) float64, x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	return of(x)
}

// shownFirst is how many of the first elements of a long vector have a row.
const shownFirst = 3

// elements counts the summaries at the beginning that are of one parameter: its
// elements are called x.1, x.2, … or x.1.1, …
func elements(summaries []diagnostics.Summary) int {
	name, _, vector := strings.Cut(summaries[0].Name, ".")
	n := 1
	for vector && n < len(summaries) && strings.HasPrefix(summaries[n].Name, name+".") {
		n++
	}
	return n
}

// gap separates columns.
const gap = "  "

// Write writes the table to w: names aligned to the left, numbers to the
// right. With width 0 it is one block of whatever width. Otherwise it fits
// into width columns: long names are shortened in the middle, but never so far
// that two become the same, and columns that do not fit follow in further
// blocks with the names repeated. The error is that of w.
func (t *Table) Write(w io.Writer, width int) error {
	names := make([]string, len(t.rows))
	for i, r := range t.rows {
		names[i] = r.name
	}
	if width > 0 {
		names = shorten(names, max(width/3, 12))
	}
	nameWidth := widest(append([]string{t.name}, names...))

	widths := make([]int, len(t.headers))
	for k, h := range t.headers {
		widths[k] = utf8.RuneCountInString(h)
		for _, r := range t.rows {
			widths[k] = max(widths[k], utf8.RuneCountInString(r.cells[k]))
		}
	}

	var b strings.Builder
	for from := 0; from == 0 || from < len(widths); {
		to, used := from, nameWidth
		for to < len(widths) && (width == 0 || to == from || used+len(gap)+widths[to] <= width) {
			used += len(gap) + widths[to]
			to++
		}
		if from > 0 {
			b.WriteByte('\n')
		}
		line := func(name string, cells []string) {
			text := pad(name, nameWidth, true)
			for k := from; k < to; k++ {
				text += gap + pad(cells[k], widths[k], false)
			}
			b.WriteString(strings.TrimRight(text, " "))
			b.WriteByte('\n')
		}
		line(t.name, t.headers)
		for i, r := range t.rows {
			line(names[i], r.cells)
		}
		if from = to; from == 0 {
			break // names only
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func widest(texts []string) int {
	n := 0
	for _, t := range texts {
		n = max(n, utf8.RuneCountInString(t))
	}
	return n
}

// shorten returns names of at most width columns, or of as many more as it
// takes to keep names apart that differ.
func shorten(names []string, width int) []string {
	longest := widest(names)
	for ; width < longest; width++ {
		short := make([]string, len(names))
		from := make(map[string]string, len(names)) // the name by its short form
		clash := false
		for i, name := range names {
			short[i] = ellipsis(name, width)
			other, taken := from[short[i]]
			clash = clash || taken && other != name
			from[short[i]] = name
		}
		if !clash {
			return short
		}
	}
	return names
}

// ellipsis shortens name to width columns, at least 1, by cutting from its
// middle. It keeps the whole index at its end, [1,12] or .1.12, if that leaves
// a third of the width for the beginning, and a third of the width otherwise.
func ellipsis(name string, width int) string {
	runes := []rune(name)
	if len(runes) <= width {
		return name
	}
	end := utf8.RuneCountInString(name[len(strings.TrimRight(name, "[]().,0123456789")):])
	if end == 0 || end > 2*(width-1)/3 {
		end = (width - 1) / 3
	}
	return string(runes[:width-1-end]) + "…" + string(runes[len(runes)-end:])
}

// significant writes v with the given number of significant digits.
func significant(v float64, digits int) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return fixed(v, 0)
	}
	digits = max(digits, 1)
	// The exponent is that of the rounded number: 9.996 is 10.0.
	text := strconv.FormatFloat(v, 'e', digits-1, 64)
	exponent, err := strconv.Atoi(text[strings.IndexByte(text, 'e')+1:])
	if err != nil || exponent < -4 || exponent >= 7 {
		return text
	}
	return strconv.FormatFloat(v, 'f', max(0, digits-1-exponent), 64)
}

// fixed writes v with the given number of decimals.
func fixed(v float64, decimals int) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
