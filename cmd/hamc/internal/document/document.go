// Package document writes pages of results, with tables and figures, as Markdown
// and as one self-contained HTML file. The same document gives the same bytes.
//
// Texts are inline markup of a small kind: `code`, *emphasis*, **strong** and
// [text](url), which nest, but for code and for links in links. A backslash
// before a punctuation character of ASCII takes its meaning from it; [Escape]
// does that for a whole text. As in CommonMark, a delimiter of emphasis stands at
// the edge of a word, so that 2 * 3 is what it is. What is no markup is text.
// Every run of white space is one space. Of URLs, those of http and https,
// fragments (#…) and relative ones are kept; of other links only the text is.
package document

import (
	"strconv"
	"strings"
	"unicode"
)

// Document is a title followed by blocks.
type Document struct {
	Title  string // inline markup
	Blocks []Block
}

// Block is a [Heading], a [Paragraph], a [List], a *[Table], a [Figure] or a
// [Code].
type Block interface{ block() }

// Heading begins a section. The title of the document has level 1, so levels are
// from 2 to 6; others count as the nearest. Links to it have its text in lower
// case, without punctuation and with - for spaces, as on GitHub: #see-also.
type Heading struct {
	Level int
	Text  string // inline markup
}

// Paragraph is a paragraph of text.
type Paragraph struct {
	Text string // inline markup
}

// List is a list with bullets.
type List struct {
	Items []string // inline markup
}

// Table is a table. It has as many columns as its widest part; shorter parts are
// filled up with empty cells.
type Table struct {
	Caption string   // inline markup, or ""
	Groups  []Group  // a row above Head, or none
	Head    []string // inline markup
	Left    int      // so many columns are text, the others are numbers
	Rows    [][]Cell
}

// Group is a head common to neighbouring columns. In Markdown, whose tables have
// one row of heads, it stands before the head of each of them.
type Group struct {
	Text    string // inline markup, or ""
	Columns int    // how many it spans; less than 1 count as 1
}

// Cell is one cell of a table.
type Cell struct {
	Text     string // inline markup
	Emphasis Emphasis
	Title    string // plain text shown with the cell on request, in HTML only
}

// Emphasis says how a cell stands out.
type Emphasis int

const (
	None  Emphasis = iota
	Bold           // as the best of a row
	Bad            // marked ▲, in HTML also by colour
	Faint          // of less weight; in Markdown like None
)

// Figure is a picture with a caption.
type Figure struct {
	Name    string // of its file
	Caption string // inline markup, or ""
	SVG     []byte // from a source that is trusted; its identifiers and styles are not kept apart from others'
}

// Code is text in a typewriter's letters, as it is.
type Code struct {
	Text string
}

func (Heading) block()   {}
func (Paragraph) block() {}
func (List) block()      {}
func (*Table) block()    {}
func (Figure) block()    {}
func (Code) block()      {}

// columns returns the number of columns.
func (t *Table) columns() int {
	n, spanned := len(t.Head), 0
	for _, g := range t.Groups {
		spanned += max(1, g.Columns)
	}
	n = max(n, spanned)
	for _, row := range t.Rows {
		n = max(n, len(row))
	}
	return n
}

// slugs gives headings their identifiers, as GitHub does: text in lower case,
// letters, digits, - and _ kept, spaces as -, and -1, -2, … for repetitions.
type slugs map[string]int

func (s slugs) of(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r):
			b.WriteRune(r)
		}
	}
	base := b.String()
	slug := base
	for {
		n, taken := s[slug]
		if !taken {
			s[slug] = 0
			return slug
		}
		if slug != base { // itself a heading of that text
			n = s[base]
		}
		s[base] = n + 1
		slug = base + "-" + strconv.Itoa(s[base])
	}
}

// clean returns a text whose runs of white space are single spaces, without any
// at its ends, and whose other control characters and wrong bytes are U+FFFD.
func clean(text string) string {
	return strings.Join(strings.FieldsFunc(printable(text), func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }), " ")
}

// printable replaces what no page can show. Line ends become \n.
func printable(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\v' || r == '\f':
			return ' '
		case r != '\n' && r != '\t' && unicode.IsControl(r), r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe:
			return unicode.ReplacementChar
		}
		return r // wrong bytes are U+FFFD already
	}, text)
}
