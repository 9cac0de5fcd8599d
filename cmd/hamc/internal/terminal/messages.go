package terminal

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// Color reports whether what is written to w may have colours: w is a terminal that is not dumb,
// and neither NO_COLOR (see no-color.org) nor CLICOLOR=0 says otherwise.
func Color(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("CLICOLOR") != "0"
}

// Paint returns text in the colours of an ANSI sequence such as "1;31".
func Paint(sequence, text string) string { return "\x1b[" + sequence + "m" + text + "\x1b[0m" }

// leastWrapped is the least number of columns for the text of a wrapped line: on a terminal that
// is narrower, the terminal itself breaks lines.
const leastWrapped = 20

// Wrap breaks a line at blanks so that no part is longer than width, and begins each part but
// the first with indent blanks. A word that is too long has a line of its own. Without a width the
// line is left alone.
func Wrap(line string, width, indent int) string {
	if width <= 0 || width-indent < leastWrapped || utf8.RuneCountInString(line) <= width {
		return line
	}
	lead := line[:len(line)-len(strings.TrimLeft(line, " "))]
	var b strings.Builder
	b.WriteString(lead)
	column, first := len(lead), true
	for _, word := range strings.Fields(line) {
		n := utf8.RuneCountInString(word)
		switch {
		case first:
		case column+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
		first = false
	}
	return b.String()
}

// Messages returns a writer to w that wraps messages at the width of the terminal, with a hanging
// indent. What is wrapped is what is written in one piece and begins as the messages of hamc do.
// If w is no terminal, it is returned as it is.
func Messages(w io.Writer) io.Writer {
	f, ok := w.(*os.File)
	if !ok || !isTerminal(w) {
		return w
	}
	return &messages{f, Color(w), func() int { return Width(f) }}
}

// starts are what messages begin with, and the colours of that.
var starts = []struct{ text, color string }{
	{"hamc:", "1;31"}, {"warning:", "1;35"}, {"note:", "1;36"},
}

// hanging is the indent of the lines of a message below its first.
const hanging = 6

type messages struct {
	file interface {
		io.Writer
		Fd() uintptr
	}
	color bool
	width func() int
}

// Fd tells that this is a terminal, and which.
func (m *messages) Fd() uintptr { return m.file.Fd() }

// Write implements io.Writer.
func (m *messages) Write(p []byte) (int, error) {
	text := string(p)
	for _, s := range starts {
		if !strings.HasPrefix(text, s.text+" ") || !strings.HasSuffix(text, "\n") || strings.ContainsAny(text, "\r\x1b") {
			continue
		}
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		for i := range lines {
			lines[i] = Wrap(lines[i], m.width(), hanging)
		}
		text = strings.Join(lines, "\n") + "\n"
		if m.color {
			text = Paint(s.color, s.text) + strings.TrimPrefix(text, s.text)
		}
		if _, err := io.WriteString(m.file, text); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	return m.file.Write(p)
}
