// Package terminal shows the progress of chains and prints tables, for the
// width of a terminal or for a file.
package terminal

import (
	"io"
	"os"

	"golang.org/x/term"
)

// The size taken for a terminal that does not tell its own.
const (
	defaultWidth  = 80
	defaultHeight = 24
)

// Width returns the number of columns of the terminal that w writes to, 0 if w
// is not a terminal: what Table.Write wants.
func Width(w io.Writer) int {
	if !isTerminal(w) {
		return 0
	}
	width, _ := size(w)
	return width
}

// isTerminal reports whether w is a terminal that can move its cursor.
func isTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// size returns the columns and rows of the terminal w.
func size(w io.Writer) (width, height int) {
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		width, height, _ = term.GetSize(int(f.Fd()))
	}
	// Some pseudo-terminals say that they are 0 × 0.
	if width <= 0 {
		width = defaultWidth
	}
	if height <= 0 {
		height = defaultHeight
	}
	return width, height
}
