package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/terminal"
	"github.com/hamc-dev/hamc/runtime/grid"
)

// cellProgress shows how far a grid is.
type cellProgress struct {
	w               io.Writer
	events          *json.Encoder // nil but for --progress json
	live, quiet     bool
	total, finished int
	failed          int
	began, shown    time.Time
	state           string // of the executor
}

// cellEvent is a line of --progress json.
type cellEvent struct {
	Event    string  `json:"event"`
	Finished int     `json:"finished"`
	Total    int     `json:"total"`
	Cell     int     `json:"cell"`
	Seconds  float64 `json:"seconds"`
	Problem  string  `json:"problem,omitempty"`
	Error    string  `json:"error,omitempty"`
}

// newCellProgress shows the progress of so many cells in one of progressModes.
func newCellProgress(w io.Writer, mode string, total int) *cellProgress {
	p := &cellProgress{w: w, total: total, began: time.Now(), shown: time.Now()}
	switch mode {
	case "json":
		p.events, p.quiet = json.NewEncoder(w), true
	case "none":
		p.quiet = true
	case "auto":
		p.live = terminal.Width(w) > 0
	}
	return p
}

// done notes a cell that has come to an end.
func (p *cellProgress) done(ev grid.Event) {
	p.finished++
	if p.events != nil {
		_ = p.events.Encode(cellEvent{"cell", p.finished, p.total, ev.Cell, ev.Seconds, ev.Problem, ev.Error}) // what is written for a program that has gone is lost
	}
	if why := ev.Error; why != "" {
		p.failed++
		p.say(fmt.Sprintf("cell %d has no result: %s", ev.Cell, why))
	}
	p.show(false)
}

// say writes a line of its own.
func (p *cellProgress) say(text string) {
	if p.events != nil {
		return
	}
	if p.live {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	fmt.Fprintln(p.w, text)
}

// note shows what an executor is about.
func (p *cellProgress) note(state string, finished int) {
	changed := state != p.state || finished != p.finished
	p.state, p.finished = state, finished
	if changed {
		p.show(false)
	}
}

// between is how often lines are written.
const between = 10 * time.Second

// show writes a line, or on a terminal the line.
func (p *cellProgress) show(last bool) {
	if p.quiet || !p.live && !last && time.Since(p.shown) < between {
		return
	}
	p.shown = time.Now()
	elapsed := time.Since(p.began)
	text := fmt.Sprintf("%d of %s", p.finished, plural(p.total, "cell"))
	if p.state != "" {
		text += ", " + p.state
	}
	if p.finished > 0 && p.finished < p.total {
		left := time.Duration(float64(elapsed) / float64(p.finished) * float64(p.total-p.finished))
		text += fmt.Sprintf(", about %s left", left.Round(time.Second))
	}
	if last {
		text += fmt.Sprintf(" in %s", elapsed.Round(100*time.Millisecond))
	}
	if !p.live {
		fmt.Fprintln(p.w, text)
		return
	}
	const width = 20
	full := width * p.finished / max(1, p.total)
	fmt.Fprintf(p.w, "\r\x1b[K[%s%s] %s", strings.Repeat("#", full), strings.Repeat(" ", width-full), text)
	if last {
		fmt.Fprintln(p.w)
	}
}

// finish ends the display.
func (p *cellProgress) finish() { p.show(true) }
