package draws

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// Chain is the content of one file.
type Chain struct {
	// File is the name that was given, for messages.
	File string

	// Number is that of chain_1.csv, …; 0 where the file was read alone.
	Number int

	// Settings are the lines "name = value" of the comments, in order,
	// without CmdStan's remark "(Default)".
	Settings []Setting

	Columns []string
	Values  [][]float64 // one slice per column

	// Statistics are the columns of the sampler, by index. Parameters are
	// what the other columns hold.
	Statistics []int
	Parameters []Parameter

	// Warmup is the number of draws at the beginning that are of the
	// warm-up: those before the lines on adaptation, in a file with
	// save_warmup = 1.
	Warmup int

	// Complete is set where the two empty comments at the end were found, or
	// CmdStan's elapsed times. Without them the run was interrupted, and Values
	// holds the draws up to there.
	Complete bool

	// Every is k where Values holds every k-th draw only, see LoadWithin; 0 or 1 where it holds all. Tallies
	// are what all draws of the statistics come to then, by column.
	Every   int
	Tallies []Tally

	header int // the line of column names
	all    int // draws that were read, where not all are held
}

// Column returns the values of the column with a name, or nil.
func (c *Chain) Column(name string) []float64 {
	if i := slices.Index(c.Columns, name); i >= 0 {
		return c.Values[i]
	}
	return nil
}

// Setting returns the value of the last setting with a name, or "".
func (c *Chain) Setting(name string) string {
	for _, s := range slices.Backward(c.Settings) {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}

// Draws returns the number of draws after the warm-up.
func (c *Chain) Draws() int { return len(c.Values[0]) - c.Warmup }

// Open reads the file path.
func Open(path string) (*Chain, error) { return open(path, 1) }

// open is Open, but holds every so manieth draw.
func open(path string, every int) (*Chain, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := int64(0)
	if fi, err := f.Stat(); err == nil && fi.Mode().IsRegular() {
		size = fi.Size()
	}
	return read(f, path, size, every)
}

// Read reads a file of draws. Errors begin with name and the line number. A
// last line without a line feed is the mark of a write that was cut short; its
// numbers may have lost digits, so it is left out.
func Read(r io.Reader, name string) (*Chain, error) { return read(r, name, 0, 1) }

// readSize is how much of a file is read at a time. Longer lines make the
// buffer grow.
const readSize = 256 << 10

// read is Read of a stream of known size, or of unknown if that is 0.
func read(in io.Reader, name string, size int64, every int) (*Chain, error) {
	r := reader{c: &Chain{File: name, Every: every}, size: size}
	buf := make([]byte, 0, readSize)
	if size > 0 && size < readSize {
		buf = make([]byte, 0, size+1) // and one byte more, to see its end
	}
	for {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, cap(buf))
		}
		old := len(buf) // what is left of the last turn holds no line feed
		n, err := in.Read(buf[old:cap(buf)])
		buf = buf[:old+n]
		at := 0 // the beginning of a line
		for {
			from := max(at, old)
			i := bytes.IndexByte(buf[from:], '\n')
			if i < 0 {
				break
			}
			line := buf[at : from+i]
			at = from + i + 1
			r.number++
			if err := r.line(bytes.TrimSuffix(line, []byte{'\r'})); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, r.number, err)
			}
		}
		buf = buf[:copy(buf, buf[at:])]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, r.number+1, err)
		}
	}
	c := r.c
	if c.Columns == nil {
		return nil, fmt.Errorf("%s: no line of column names: is this a CSV file of draws?", name)
	}
	r.store()
	if !r.adapted && c.Setting("save_warmup") == "1" {
		c.Warmup = len(c.Values[0])
	}
	return c, nil
}

// reader is the state of a file that is being read.
type reader struct {
	c       *Chain
	size    int64 // of the file, 0 if unknown
	number  int   // of the line, from 1
	adapted bool  // the lines on adaptation have been seen

	// rows holds the last draws, one after the other: they are moved to the
	// columns together, because a file may have many columns and each of them
	// is in a place of its own.
	rows  []float64
	blank int // empty comments seen
}

// line takes one line, without its end.
func (r *reader) line(line []byte) error {
	switch {
	case len(line) == 0:
		return nil
	case line[0] == '#':
		r.comment(string(line[1:]))
		return nil
	case r.c.Columns == nil:
		return r.header(string(line))
	}
	return r.row(line)
}

// comment keeps settings, and notices the end of the warm-up and the elapsed
// times.
func (r *reader) comment(text string) {
	c := r.c
	text = strings.TrimSpace(text)
	if text == "" {
		r.blank++
	}
	if r.blank == 2 || strings.HasSuffix(text, "seconds (Total)") {
		c.Complete = true
	}
	if text == "Adaptation terminated" && c.Columns != nil && !r.adapted {
		r.adapted = true
		if c.Setting("save_warmup") == "1" {
			r.store()
			c.Warmup = len(c.Values[0])
		}
	}
	if key, value, ok := strings.Cut(text, "="); ok {
		value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "(Default)"))
		c.Settings = append(c.Settings, Setting{strings.TrimSpace(key), value})
	}
}

// header takes the line of column names.
func (r *reader) header(line string) error {
	c := r.c
	columns := strings.Split(line, ",")
	position := make(map[string]int, len(columns))
	for i, name := range columns {
		name = strings.TrimSpace(name)
		columns[i] = name
		if name == "" {
			return fmt.Errorf("column %d has no name", i+1)
		}
		if _, err := strconv.ParseFloat(name, 64); err == nil && !isLetter(name[0]) { // NaN and inf are names
			return fmt.Errorf("expected column names, found the number %s", shorten(name))
		}
		if j, twice := position[name]; twice {
			return fmt.Errorf("columns %d and %d are both called %s", j+1, i+1, shorten(name))
		}
		position[name] = i
	}
	c.Columns, c.header = columns, r.number
	c.Values = make([][]float64, len(columns))
	if n := r.expected(); n > 0 {
		all := make([]float64, n*len(columns))
		for i := range c.Values {
			c.Values[i] = all[i*n : i*n : (i+1)*n]
		}
	}
	r.rows = make([]float64, 0, max(1, blockSize/len(columns))*len(columns))
	return c.classify()
}

// blockSize is the number of values that are moved to the columns together, or
// a row if that is more.
const blockSize = 4 << 10

// expected returns how many draws the settings announce, or 0 where they say
// nothing, or more than fits into the file: a number and its comma take two
// bytes.
func (r *reader) expected() int {
	n, err := strconv.Atoi(r.c.Setting("num_samples"))
	if err != nil || n < 0 {
		return 0
	}
	if r.c.Setting("save_warmup") == "1" {
		if w, err := strconv.Atoi(r.c.Setting("num_warmup")); err == nil && w > 0 {
			n += w
		}
	}
	if int64(n) > r.size/int64(2*len(r.c.Columns)) {
		return 0
	}
	return (n + max(1, r.c.Every) - 1) / max(1, r.c.Every)
}

// row takes one draw.
func (r *reader) row(line []byte) error {
	c := r.c
	if len(r.rows)+len(c.Columns) > cap(r.rows) {
		r.store()
	}
	start := len(r.rows)
	rest := line
	for i := range c.Columns {
		x, end := leading(rest)
		ok := end > 0
		if !ok {
			if end = bytes.IndexByte(rest, ','); end < 0 {
				end = len(rest)
			}
			x, ok = number(rest[:end])
		}
		if last := i == len(c.Columns)-1; !ok || last != (end == len(rest)) {
			r.rows = r.rows[:start]
			return c.mistake(line)
		}
		r.rows = append(r.rows, x)
		rest = rest[min(end+1, len(rest)):]
	}
	if !r.thin(r.rows[start:]) {
		r.rows = r.rows[:start]
	}
	return nil
}

// isLetter reports whether a name may begin with c.
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// number reads a number with blanks around it.
func number(field []byte) (float64, bool) {
	if len(field) == 0 {
		return 0, false
	}
	if field[0] <= ' ' || field[len(field)-1] <= ' ' {
		if field = bytes.TrimSpace(field); len(field) == 0 {
			return 0, false
		}
	}
	// ParseFloat keeps nothing of its argument but a copy in its errors.
	x, err := strconv.ParseFloat(unsafe.String(&field[0], len(field)), 64)
	return x, err == nil
}

// mistake returns what is wrong with a line that is no draw.
func (c *Chain) mistake(line []byte) error {
	fields := bytes.Split(line, []byte{','})
	if len(fields) != len(c.Columns) {
		return fmt.Errorf("%d values for %d columns", len(fields), len(c.Columns))
	}
	for i, f := range fields {
		if _, ok := number(f); !ok {
			return fmt.Errorf("column %s: expected a number, found %q", shorten(c.Columns[i]), shorten(string(bytes.TrimSpace(f))))
		}
	}
	return errors.New("expected a draw")
}

// shorten cuts what is too long to show.
func shorten(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}

// store moves the rows to the columns.
func (r *reader) store() {
	n := len(r.c.Columns)
	for i := range r.c.Values {
		v := r.c.Values[i]
		for k := i; k < len(r.rows); k += n {
			v = append(v, r.rows[k])
		}
		r.c.Values[i] = v
	}
	r.rows = r.rows[:0]
}
