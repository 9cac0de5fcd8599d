// Package dsl reads the .ham language: it turns text into a checked model or
// into a list of diagnostics. Check resolves every name, gives every
// expression its type (a symbolic shape) and leaves nothing for later passes
// to complain about except what needs calculus.
//
// The data flow is text → tokens, blanks and comments among them (lexer.go) →
// syntax tree (statements.go, ast.go; parse.go, expressions.go) → checked Model
// (model.go, check*.go). The types of statements.go are the grammar, in the
// tags of participle. What did not parse is explained by tables
// (explain.go, messages.go, habits.go) and hides nothing else. Analyze returns
// all three, whatever the errors; Load the model or the errors.
//
// The vocabulary of the language, its functions and distributions, stands in
// two tables (functions.go, distributions.go).
package dsl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Pos is a position in a source text. Line and Col count from 1; Col counts
// characters, not bytes.
type Pos struct {
	File      string // that is imported; "" of the model's
	Line, Col int
}

// IsValid reports whether p was set.
func (p Pos) IsValid() bool { return p.Line > 0 }

// compare orders positions: those of the model's file before those of imported ones.
func (p Pos) compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
}

// before reports whether a position comes before another.
func (p Pos) before(q Pos) bool { return p.compare(q) < 0 }

// Span is the extent of a piece of source text on its first line.
type Span struct {
	Pos Pos
	Len int // in characters, at least 1
}

// Severity tells errors from warnings.
type Severity uint8

// The severities.
const (
	Error Severity = iota
	Warning
)

func (s Severity) String() string { return [...]string{"error", "warning"}[s] }

// A Diagnostic is one message about a source text.
type Diagnostic struct {
	Severity Severity
	Code     Code
	Span     Span
	Message  string
	Hint     string // what to do about it; may be empty
	Notes    []Note // other places that matter

	keyword string // that stands in the place of a name
}

// Note points at a second place, as "declared here".
type Note struct {
	Span    Span
	Message string
}

// Diagnostics is a list of messages about a model, as an error.
type Diagnostics struct {
	File string // as the user named it
	Text string
	List []Diagnostic

	imports []Import
}

// HasErrors reports whether any message is an error.
func (ds *Diagnostics) HasErrors() bool {
	for i := range ds.List {
		if ds.List[i].Severity == Error {
			return true
		}
	}
	return false
}

// maxMessage is the number of characters of a message; a longer one quotes an
// absurd name.
const maxMessage = 400

// has reports whether there is a message with a code.
func (ds *Diagnostics) has(code Code) bool {
	return slices.ContainsFunc(ds.List, func(d Diagnostic) bool { return d.Code == code })
}

func (ds *Diagnostics) add(d Diagnostic) {
	d.Message, d.Hint = clip(d.Message), clip(d.Hint)
	ds.List = append(ds.List, d)
}

func clip(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	if r := []rune(s); len(r) > maxMessage {
		return string(r[:maxMessage]) + "…"
	}
	return s
}

// sort orders the messages by position and drops repetitions. Of a position that is told of several times, as that of a sum over distances is with each of them, the last message,
// about the farthest, stays.
func (ds *Diagnostics) sort() {
	last := map[Span]int{}
	for i, d := range ds.List {
		if d.Code == IndexRange && d.Severity == Error {
			last[d.Span] = i
		}
	}
	kept := ds.List[:0]
	for i, d := range ds.List {
		if at, ok := last[d.Span]; !ok || at == i || d.Code != IndexRange || d.Severity != Error {
			kept = append(kept, d)
		}
	}
	ds.List = kept
	slices.SortStableFunc(ds.List, func(a, b Diagnostic) int {
		return cmp.Or(a.Span.Pos.compare(b.Span.Pos), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	out := ds.List[:0]
	for i, d := range ds.List {
		if i > 0 {
			last := out[len(out)-1]
			if last.Span.Pos == d.Span.Pos && last.Code == d.Code && last.Message == d.Message {
				continue
			}
		}
		out = append(out, d)
	}
	ds.List = out
}

// Error returns all messages in the form that String documents.
func (ds *Diagnostics) Error() string { return ds.String() }

// maxPrinted bounds the messages printed for one file; the rest are counted.
const maxPrinted = 50

// String renders every message as `file:line:col: error[code]: message`
// followed by the source line, a caret and the hint.
func (ds *Diagnostics) String() string { return ds.Render(Style{}) }

// Style says how messages look on a terminal; the zero Style is plain text.
type Style struct {
	Width int // of lines; 0: any

	// Wrap breaks a line at the width, with an indent for the further lines. Nil: it does not.
	Wrap func(line string, width, indent int) string

	// Paint gives a part of a message its colour. Nil: it has none.
	Paint func(part Part, text string) string
}

// Part is a part of a message that may have a colour.
type Part uint8

// The parts.
const (
	ErrorPart   Part = iota // the word, and the carets below what it is about
	WarningPart             // likewise
	NotePart                // likewise
	HintPart                // the word before a hint
)

func (s *Style) paint(part Part, text string) string {
	if s.Paint == nil {
		return text
	}
	return s.Paint(part, text)
}

func (s *Style) wrap(line string, indent int) string {
	if s.Wrap == nil {
		return line
	}
	return s.Wrap(line, s.Width, indent)
}

// Indents of what is below the first line of a message, and of a hint.
const (
	messageIndent = 6
	hintIndent    = 12
)

// Render is String in a style.
func (ds *Diagnostics) Render(style Style) string {
	var b strings.Builder
	lines := map[string][]string{}
	// Colours take no room, so a line gets them when it has been wrapped.
	head := func(at Span, part Part, word, message string) {
		path, text := ds.Place(at.Pos)
		if lines[path] == nil {
			lines[path] = strings.Split(text, "\n")
		}
		place := fmt.Sprintf("%s:%d:%d: ", path, at.Pos.Line, at.Pos.Col)
		line := style.wrap(place+word+" "+message, messageIndent)
		if rest, ok := strings.CutPrefix(line, place+word); ok {
			line = place + style.paint(part, word) + rest
		}
		b.WriteString(line + "\n")
		style.snippet(&b, lines[path], at, part)
	}
	for i, d := range ds.List {
		if i == maxPrinted {
			fmt.Fprintf(&b, "%s: and %d more messages\n", ds.File, len(ds.List)-i)
			break
		}
		head(d.Span, Part(d.Severity), fmt.Sprintf("%s[%s]:", d.Severity, d.Code), d.Message)
		if d.Hint != "" {
			line := style.wrap(strings.Repeat(" ", messageIndent)+"hint: "+d.Hint, hintIndent)
			b.WriteString(strings.Replace(line, "hint:", style.paint(HintPart, "hint:"), 1) + "\n")
		}
		for _, n := range d.Notes {
			head(n.Span, NotePart, "note:", n.Message)
		}
	}
	return b.String()
}

// maxSnippet is the number of characters of a source line that are shown.
const maxSnippet = 100

// Snippet returns the line of text that a span is on, with its number, and a line of carets
// below the span.
func Snippet(text string, s Span) string {
	var b strings.Builder
	(&Style{}).snippet(&b, strings.Split(text, "\n"), s, ErrorPart)
	return b.String()
}

// snippetMargin is what stands left of the text of a source line: its number and a bar.
const snippetMargin = 8

func (style *Style) snippet(b *strings.Builder, lines []string, s Span, part Part) {
	if s.Pos.Line < 1 || s.Pos.Line > len(lines) {
		return
	}
	text := []rune(strings.TrimRight(lines[s.Pos.Line-1], "\r"))
	col := s.Pos.Col
	most := maxSnippet
	if w := style.Width - snippetMargin; w > 0 && w < most {
		most = max(w, 40)
	}
	// A long line is shown from a little before the place that matters.
	if col > most-20 {
		cut := min(col-20, len(text))
		text = text[cut:]
		col -= cut
	}
	if len(text) > most {
		text = text[:most]
	}
	for i, r := range text {
		if r == '\t' {
			text[i] = ' '
		}
	}
	width := max(1, min(s.Len, len(text)-col+1))
	fmt.Fprintf(b, "%5d | %s\n      | %s%s\n", s.Pos.Line, string(text),
		strings.Repeat(" ", max(0, col-1)), style.paint(part, strings.Repeat("^", width)))
}
