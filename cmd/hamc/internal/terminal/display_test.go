package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen is a terminal of the given width that understands what a Display
// writes. Its height is without limit: what scrolls off stays in lines.
type screen struct {
	width    int
	lines    [][]rune
	row, col int
}

func (s *screen) Write(p []byte) (int, error) {
	text := []rune(string(p))
	for i := 0; i < len(text); i++ {
		for s.row >= len(s.lines) {
			s.lines = append(s.lines, nil)
		}
		switch r := text[i]; r {
		case '\n':
			s.row, s.col = s.row+1, 0
		case '\r':
			s.col = 0
		case '\x1b':
			var n int
			var command rune
			if k, _ := fmt.Sscanf(string(text[i:]), "\x1b[%d%c", &n, &command); k != 2 {
				fmt.Sscanf(string(text[i:]), "\x1b[%c", &command)
			}
			for text[i] != command {
				i++
			}
			switch command {
			case 'A':
				s.row = max(0, s.row-n)
			case 'K':
				s.lines[s.row] = s.lines[s.row][:min(s.col, len(s.lines[s.row]))]
			case 'J':
				s.lines[s.row] = s.lines[s.row][:min(s.col, len(s.lines[s.row]))]
				s.lines = s.lines[:s.row+1]
			default:
				return 0, fmt.Errorf("unknown escape %q", command)
			}
		default:
			if s.col == s.width {
				s.row, s.col = s.row+1, 0
				if s.row >= len(s.lines) {
					s.lines = append(s.lines, nil)
				}
			}
			line := s.lines[s.row]
			for len(line) <= s.col {
				line = append(line, ' ')
			}
			line[s.col] = r
			s.lines[s.row] = line
			s.col++
		}
	}
	return len(p), nil
}

// narrow makes the screen narrower, as a terminal that folds its lines does.
func (s *screen) narrow(width int) {
	var lines [][]rune
	for _, line := range s.lines[:s.row] {
		for len(line) > width {
			lines = append(lines, line[:width:width])
			line = line[width:]
		}
		lines = append(lines, line)
	}
	s.width, s.lines, s.row = width, lines, len(lines)
}

// String returns the lines, without empty ones at the end.
func (s *screen) String() string {
	var b strings.Builder
	for _, line := range s.lines {
		b.WriteString(string(line) + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// clock is a time that tests set.
type clock struct{ t time.Time }

func (c *clock) advance(d time.Duration) { c.t = c.t.Add(d) }

// liveDisplay returns a live display on a screen of the given size.
func liveDisplay(w io.Writer, chains, width, height int) (*Display, *clock) {
	d := New(w, Live, chains)
	c := &clock{time.Unix(1, 0)}
	d.now = func() time.Time { return c.t }
	d.size = func(io.Writer) (int, int) { return width, height }
	return d, c
}

func golden(t *testing.T, got, want string) {
	t.Helper()
	want = strings.TrimPrefix(want, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// running is a display's middle: a chain that has not started, one in warm-up,
// one with trouble, one that has finished.
var running = []ChainProgress{
	{Chain: 2, Phase: "warmup", Done: 150, Total: 2000, Rate: 1234.5},
	{Chain: 3, Phase: "sampling", Done: 1990, Total: 2000, Rate: 0.512, Failures: 1, Divergences: 12},
	{Chain: 4, Phase: "sampling", Done: 2000, Total: 2000, Rate: 2.5e6, Failures: 3},
}

func TestLiveLayouts(t *testing.T) {
	for width, want := range map[int]string{
		200: `
chain 1 waiting  [----------------------------------------]   0%
chain 2 warmup   [###-------------------------------------]   7%  150/2000 1234/s  0:02
chain 3 sampling [#######################################-]  99% 1990/2000 0.51/s  0:20  1 failure 12 divergences
chain 4 sampling [########################################] 100% 2000/2000 2.5M/s       3 failures
`,
		100: `
chain 1 waiting  [--------------------------]   0%
chain 2 warmup   [#-------------------------]   7%  150/2000 1234/s  0:02
chain 3 sampling [#########################-]  99% 1990/2000 0.51/s  0:20  1 failure 12 divergences
chain 4 sampling [##########################] 100% 2000/2000 2.5M/s       3 failures
`,
		80: `
chain 1 waiting  [-------------]   0%
chain 2 warmup   [-------------]   7%  150/2000  0:02
chain 3 sampling [############-]  99% 1990/2000  0:20  1 failure 12 divergences
chain 4 sampling [#############] 100% 2000/2000       3 failures
`,
		40: `
chain 1   0%
chain 2   7%
chain 3  99%  1 failure 12 divergences
chain 4 100% 3 failures
`,
		20: `
chain 1   0%
chain 2   7%
chain 3  99%
chain 4 100%
`,
		6: `
chain
chain
chain
chain
`,
	} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			s := &screen{width: width}
			d, _ := liveDisplay(s, 4, width, 24)
			for _, p := range running {
				d.Update(p)
			}
			d.Finish()
			golden(t, s.String(), want)
		})
	}
}

// TestLiveQuiet is the usual picture: no failures, so no columns for them.
func TestLiveQuiet(t *testing.T) {
	for width, want := range map[int]string{
		80: `
chain 1 warmup   [###---------------------------]  10%  1000/10000  103/s  1:28
chain 2 sampling [######################--------]  75%  7500/10000   98/s  0:26
`,
		40: `
chain 1 warmup   [---------]  10%  1:28
chain 2 sampling [######---]  75%  0:26
`,
	} {
		s := &screen{width: width}
		d, _ := liveDisplay(s, 2, width, 24)
		d.Update(ChainProgress{Chain: 1, Phase: "warmup", Done: 1000, Total: 10000, Rate: 103.4})
		d.Update(ChainProgress{Chain: 2, Phase: "sampling", Done: 7500, Total: 10000, Rate: 97.6})
		d.Finish()
		golden(t, s.String(), want)
	}
}

// TestLiveRedraw checks that frames replace each other, at most ten a second,
// and the exact bytes of one.
func TestLiveRedraw(t *testing.T) {
	var out bytes.Buffer
	s := &screen{width: 60}
	d, c := liveDisplay(io.MultiWriter(&out, s), 2, 60, 24)
	fmt.Fprintln(s, "before")
	frames := 0
	for i := range 1000 {
		before := out.Len()
		d.Update(ChainProgress{Chain: 1 + i%2, Phase: "warmup", Done: i / 2, Total: 500})
		if out.Len() > before {
			frames++
		}
		c.advance(time.Millisecond)
	}
	if frames != 10 {
		t.Errorf("%d frames in a second", frames)
	}
	out.Reset()
	d.Update(ChainProgress{Chain: 1, Phase: "s", Done: 500, Total: 500})
	d.Update(ChainProgress{Chain: 2, Phase: "s", Done: 500, Total: 500})
	d.Finish()
	d.Finish()
	d.Update(ChainProgress{Chain: 2, Phase: "late", Done: 500, Total: 500})
	want := "\x1b[2A\rchain 1 s        [###########################] 100% 500/500\x1b[K\n" +
		"chain 2 s        [###########################] 100% 500/500\x1b[K\n"
	if got := out.String(); !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want an end of %q", got, want)
	}
	fmt.Fprintln(s, "after")
	golden(t, s.String(), `
before
chain 1 s        [###########################] 100% 500/500
chain 2 s        [###########################] 100% 500/500
after
`)
}

// TestLiveResize makes the terminal narrower between two frames: its long
// lines fold, and the next frame must still cover them all.
func TestLiveResize(t *testing.T) {
	s := &screen{width: 60}
	d, c := liveDisplay(s, 2, 60, 24)
	fmt.Fprintln(s, "before")
	d.Update(ChainProgress{Chain: 1, Phase: "warmup", Done: 5, Total: 500})
	s.narrow(30)
	d.size = func(io.Writer) (int, int) { return 30, 24 }
	c.advance(time.Second)
	d.Update(ChainProgress{Chain: 2, Phase: "warmup", Done: 250, Total: 500})
	golden(t, s.String(), `
before
chain 1 warmup     1%
chain 2 warmup    50%
`)
}

// TestLiveLow has more chains than the terminal has rows.
func TestLiveLow(t *testing.T) {
	s := &screen{width: 60}
	d, c := liveDisplay(s, 6, 60, 5)
	for i := range 6 {
		d.Update(ChainProgress{Chain: i + 1, Phase: "warmup", Done: 20 * i, Total: 100})
		c.advance(time.Second)
	}
	golden(t, s.String(), `
chain 1 warmup   [---------------------------]   0%   0/100
chain 2 warmup   [#####----------------------]  20%  20/100
chain 3 warmup   [##########-----------------]  40%  40/100
and 3 more chains, 80%, 1 finished
`)
	d.Finish()
	golden(t, s.String(), `
chain 1 warmup   [---------------------------]   0%   0/100
chain 2 warmup   [#####----------------------]  20%  20/100
chain 3 warmup   [##########-----------------]  40%  40/100
chain 4 warmup   [################-----------]  60%  60/100
chain 5 warmup   [#####################------]  80%  80/100
chain 6 warmup   [###########################] 100% 100/100
`)
}

func TestPlain(t *testing.T) {
	var out bytes.Buffer
	d := New(&out, Auto, 2) // not a terminal
	for i := 0; i <= 2000; i += 10 {
		phase := "warmup"
		if i > 1000 {
			phase = "sampling"
		}
		d.Update(ChainProgress{Chain: 1, Phase: phase, Done: i, Total: 2000, Rate: 100, Failures: i / 1000})
		if i < 600 {
			d.Update(ChainProgress{Chain: 2, Phase: "warmup", Done: i, Total: 2000, Divergences: i / 500})
		}
	}
	d.Update(ChainProgress{Chain: 3})
	d.Update(ChainProgress{Chain: 0})
	d.Finish()
	golden(t, out.String(), `
chain 1: started, 2000 iterations
chain 2: started, 2000 iterations
chain 1: warmup, 500/2000 (25%), 100/s, 0:15 left, 0 failures, 0 divergences
chain 2: warmup, 500/2000 (25%), 0 failures, 1 divergence
chain 1: warmup, 1000/2000 (50%), 100/s, 0:10 left, 1 failure, 0 divergences
chain 1: sampling, 1500/2000 (75%), 100/s, 0:05 left, 1 failure, 0 divergences
chain 1: finished, 2000 iterations, 100/s, 2 failures, 0 divergences, warmup included
chain 2: stopped in warmup, 590/2000 (29%), 0 failures, 1 divergence
`)
}

func TestQuiet(t *testing.T) {
	var out bytes.Buffer
	d := New(&out, Quiet, 1)
	d.Update(ChainProgress{Chain: 1, Done: 1, Total: 1})
	d.Finish()
	if out.Len() > 0 {
		t.Errorf("output %q", out.String())
	}
}

// failing is a writer that fails and counts.
type failing struct{ writes int }

func (f *failing) Write([]byte) (int, error) {
	f.writes++
	return 0, errors.New("broken pipe")
}

func TestBrokenWriter(t *testing.T) {
	for _, mode := range []Mode{Live, Plain} {
		f := &failing{}
		d := New(f, mode, 1)
		for i := range 5 {
			d.Update(ChainProgress{Chain: 1, Done: i, Total: 4})
			d.drawn = time.Time{}
		}
		d.Finish()
		if f.writes != 1 {
			t.Errorf("mode %d: %d writes to a broken writer, want 1", mode, f.writes)
		}
	}
}

// TestConcurrent is for the race detector; it checks the last state too.
func TestConcurrent(t *testing.T) {
	s := &screen{width: 60}
	d := New(s, Live, 4)
	d.size = func(io.Writer) (int, int) { return 60, 24 }
	var group sync.WaitGroup
	for c := 1; c <= 4; c++ {
		group.Go(func() {
			for i := range 1001 {
				d.Update(ChainProgress{Chain: c, Phase: "x", Done: i, Total: 1000})
			}
		})
	}
	group.Wait()
	d.Finish()
	if got := strings.Count(s.String(), "100% 1000/1000"); got != 4 {
		t.Errorf("%d chains at 100%%:\n%s", got, s)
	}
}

func TestUpdateAllocatesNothing(t *testing.T) {
	d, _ := liveDisplay(io.Discard, 1, 80, 24)
	p := ChainProgress{Chain: 1, Phase: "warmup", Done: 1, Total: 10}
	d.Update(p)
	if n := testing.AllocsPerRun(100, func() { d.Update(p) }); n != 0 {
		t.Errorf("%v allocations between two frames", n)
	}
}

func TestLeft(t *testing.T) {
	for _, c := range []struct {
		left int
		rate float64
		want string
	}{
		{0, 10, ""}, {10, 0, ""}, {10, math.NaN(), ""}, {-5, 10, ""}, {10, math.Inf(1), ""},
		{1, 10, "0:01"}, {60, 1, "1:00"}, {3599, 1, "59:59"}, {3600, 1, "1:00:00"},
		{100000, 1, "27:46:40"}, {1000000, 1, "12 days"}, {1 << 40, 1e-300, "years"},
	} {
		p := ChainProgress{Done: 100, Total: 100 + c.left, Rate: c.rate}
		if got := p.left(); got != c.want {
			t.Errorf("%d at %v/s: %q, want %q", c.left, c.rate, got, c.want)
		}
	}
}

func TestRate(t *testing.T) {
	for r, want := range map[float64]string{
		0.512: "0.51", 9.94: "9.9", 9.96: "10", 99999.4: "99999", 99999.6: "100k", 999499: "999k", 999600: "1.0M",
	} {
		if got := rate(r); got != want {
			t.Errorf("%v: %q, want %q", r, got, want)
		}
	}
}

func TestNoTerminal(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, w := range []io.Writer{f, &bytes.Buffer{}} {
		if got := Width(w); got != 0 {
			t.Errorf("%T is a terminal of width %d", w, got)
		}
	}
	if w, h := size(f); w != 80 || h != 24 {
		t.Errorf("the size taken for lack of one is %d × %d", w, h)
	}
}
