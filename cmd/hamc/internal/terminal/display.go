package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Mode is a way of showing progress.
type Mode uint8

// The modes.
const (
	Auto  Mode = iota // Live on a terminal, Plain elsewhere
	Live              // one line for each chain, redrawn in place
	Plain             // a line at the start of a chain, at each quarter and at its end
	Quiet             // nothing
)

// ChainProgress is the state of one chain.
type ChainProgress struct {
	Chain       int     // from 1
	Phase       string  // such as "warmup" and "sampling"
	Done, Total int     // iterations of the chain, of all its phases together
	Rate        float64 // iterations per second; 0 if not known
	Failures    int     // solver failures
	Divergences int
}

// redrawInterval is the shortest time between two frames of a live display.
const redrawInterval = 100 * time.Millisecond

// Display shows the progress of chains. Its methods may be called
// concurrently. If a write fails it stops showing anything: progress is not
// worth a run.
type Display struct {
	mu     sync.Mutex
	w      io.Writer
	mode   Mode
	chains []ChainProgress
	shown  []int // Plain: the quarter last shown of each chain, −1 before the first
	frame  []int // Live: the widths of the lines on the screen
	drawn  time.Time
	closed bool

	// Replaced in tests.
	now  func() time.Time
	size func(io.Writer) (width, height int)
}

// New returns a display of the given number of chains on w, normally standard
// error.
func New(w io.Writer, mode Mode, chains int) *Display {
	if mode == Auto {
		mode = Plain
		if isTerminal(w) {
			mode = Live
		}
	}
	d := &Display{
		w: w, mode: mode,
		chains: make([]ChainProgress, max(chains, 0)),
		shown:  make([]int, max(chains, 0)),
		now:    time.Now, size: size,
	}
	for i := range d.chains {
		d.chains[i] = ChainProgress{Chain: i + 1, Phase: "waiting"}
		d.shown[i] = -1
	}
	return d
}

// Update takes the new state of a chain and shows it, on a live display at
// most ten times a second. It ignores a chain that does not exist and calls
// after Finish.
func (d *Display) Update(p ChainProgress) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || p.Chain < 1 || p.Chain > len(d.chains) {
		return
	}
	d.chains[p.Chain-1] = p
	switch d.mode {
	case Live:
		if now := d.now(); d.drawn.IsZero() || now.Sub(d.drawn) >= redrawInterval {
			d.drawn = now
			d.draw(false)
		}
	case Plain:
		d.report(p)
	}
}

// Finish shows the last state of all chains. On a live display it leaves the
// cursor on the line below them.
func (d *Display) Finish() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	switch d.mode {
	case Live:
		d.draw(true)
	case Plain:
		for i, p := range d.chains {
			if d.shown[i] >= 0 && d.shown[i] < 4 {
				d.write(fmt.Sprintf("chain %d: stopped in %s\n", p.Chain, p.text()))
			}
		}
	}
	d.closed = true
}

func (d *Display) write(text string) {
	if _, err := io.WriteString(d.w, text); err != nil {
		d.closed = true
	}
}

// report writes a line if p has reached a quarter not yet shown.
func (d *Display) report(p ChainProgress) {
	shown := &d.shown[p.Chain-1]
	quarter := int(4 * p.fraction())
	if quarter <= *shown {
		return
	}
	first := *shown < 0
	*shown = quarter
	switch {
	case quarter == 4:
		d.write(fmt.Sprintf("chain %d: finished, %s\n", p.Chain, p.whole()))
	case first && quarter == 0:
		d.write(fmt.Sprintf("chain %d: started, %d iterations\n", p.Chain, p.Total))
	default:
		d.write(fmt.Sprintf("chain %d: %s\n", p.Chain, p.text()))
	}
}

// text says all there is to say of p but its chain.
func (p *ChainProgress) text() string {
	text := fmt.Sprintf("%s, %d/%d (%s)", p.Phase, p.Done, p.Total, p.percent())
	if p.Rate > 0 {
		text += fmt.Sprintf(", %s/s", rate(p.Rate))
	}
	if left := p.left(); left != "" {
		text += fmt.Sprintf(", %s left", left)
	}
	return text + fmt.Sprintf(", %s, %s", count(p.Failures, "failure"), count(p.Divergences, "divergence"))
}

// whole says what a finished chain came to. Its counts are more than those of
// the draws alone.
func (p *ChainProgress) whole() string {
	text := fmt.Sprintf("%d iterations", p.Done)
	if p.Rate > 0 {
		text += fmt.Sprintf(", %s/s", rate(p.Rate))
	}
	if p.Failures+p.Divergences == 0 {
		return text
	}
	return text + fmt.Sprintf(", %s, %s, warmup included", count(p.Failures, "failure"), count(p.Divergences, "divergence"))
}

// draw replaces the frame on the screen by one of the present state. A frame
// that is not the last must fit on the screen, because the cursor cannot
// return to a line that has left it.
func (d *Display) draw(last bool) {
	width, height := d.size(d.w)
	chains := d.chains
	rest := 0
	if !last && len(chains) >= height {
		shown := max(height-2, 0)
		chains, rest = chains[:shown], len(chains)-shown
	}
	// A line as wide as the terminal leaves the cursor in a state that
	// terminals do not agree on, so lines are one column shorter.
	lines := layout(chains, width-1)
	if rest > 0 {
		lines = append(lines, clip(d.others(rest), width-1))
	}

	var b strings.Builder
	// Lines drawn for a wider terminal take several rows now.
	rows := 0
	for _, n := range d.frame {
		rows += 1 + max(n-1, 0)/width
	}
	if rows > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\r", rows)
	}
	d.frame = d.frame[:0]
	for _, line := range lines {
		b.WriteString(line)
		b.WriteString("\x1b[K\n") // erase what was longer
		d.frame = append(d.frame, utf8.RuneCountInString(line))
	}
	if rows > len(lines) {
		b.WriteString("\x1b[J")
	}
	d.write(b.String())
}

// others returns the line for the last n chains, which the screen has no room
// for.
func (d *Display) others(n int) string {
	done, sum := 0, 0.0
	for _, p := range d.chains[len(d.chains)-n:] {
		f := p.fraction()
		sum += f
		if f == 1 {
			done++
		}
	}
	return fmt.Sprintf("and %d more chains, %.0f%%, %d finished", n, 100*sum/float64(n), done)
}
