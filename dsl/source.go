// Package dsl reads the .ham language: it turns text into a checked model or
// into a list of diagnostics. Check resolves every name, gives every
// expression its type (a symbolic shape) and leaves nothing for later passes
// to complain about except what needs calculus.
//
// The data flow is text → tokens (lexer.go) → syntax tree (ast.go, parser.go)
// → checked Model (model.go, check*.go). The vocabulary of the language, its
// functions and distributions, stands in two tables (functions.go,
// distributions.go).
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
	Line, Col int
}

// IsValid reports whether p was set.
func (p Pos) IsValid() bool { return p.Line > 0 }

// before orders positions in a file.
func (p Pos) before(q Pos) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Col < q.Col
}

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
}

// Note points at a second place, as "declared here".
type Note struct {
	Span    Span
	Message string
}

// Diagnostics is a list of messages about one file, as an error.
type Diagnostics struct {
	File string // as the user named it
	Text string
	List []Diagnostic
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

// sort orders the messages by position and drops repetitions.
func (ds *Diagnostics) sort() {
	slices.SortStableFunc(ds.List, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Span.Pos.Line, b.Span.Pos.Line), cmp.Compare(a.Span.Pos.Col, b.Span.Pos.Col),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
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
func (ds *Diagnostics) String() string {
	var b strings.Builder
	lines := strings.Split(ds.Text, "\n")
	for i, d := range ds.List {
		if i == maxPrinted {
			fmt.Fprintf(&b, "%s: and %d more messages\n", ds.File, len(ds.List)-i)
			break
		}
		fmt.Fprintf(&b, "%s:%d:%d: %s[%s]: %s\n", ds.File, d.Span.Pos.Line, d.Span.Pos.Col, d.Severity, d.Code, d.Message)
		snippet(&b, lines, d.Span)
		if d.Hint != "" {
			fmt.Fprintf(&b, "      hint: %s\n", d.Hint)
		}
		for _, n := range d.Notes {
			fmt.Fprintf(&b, "%s:%d:%d: note: %s\n", ds.File, n.Span.Pos.Line, n.Span.Pos.Col, n.Message)
			snippet(&b, lines, n.Span)
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
	snippet(&b, strings.Split(text, "\n"), s)
	return b.String()
}

func snippet(b *strings.Builder, lines []string, s Span) {
	if s.Pos.Line < 1 || s.Pos.Line > len(lines) {
		return
	}
	text := []rune(strings.TrimRight(lines[s.Pos.Line-1], "\r"))
	col := s.Pos.Col
	// A long line is shown from a little before the place that matters.
	if col > maxSnippet-20 {
		cut := min(col-20, len(text))
		text = text[cut:]
		col -= cut
	}
	if len(text) > maxSnippet {
		text = text[:maxSnippet]
	}
	for i, r := range text {
		if r == '\t' {
			text[i] = ' '
		}
	}
	width := max(1, min(s.Len, len(text)-col+1))
	fmt.Fprintf(b, "%5d | %s\n      | %s%s\n", s.Pos.Line, string(text),
		strings.Repeat(" ", max(0, col-1)), strings.Repeat("^", width))
}
