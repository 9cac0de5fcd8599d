package draws

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Chain is the content of one file.
type Chain struct {
	// Settings are the lines "name = value" of the comments, in order,
	// without CmdStan's remark "(Default)".
	Settings []Setting

	Columns []string
	Values  [][]float64 // one slice per column

	// Complete is set where the two empty comments at the end were found, or
	// CmdStan's elapsed times. Without them the run was interrupted, and Values holds the
	// draws up to there.
	Complete bool

	blank int // empty comments seen
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

// Open reads the file path.
func Open(path string) (*Chain, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path)
}

// Read reads a file of draws. Errors begin with name and the line number. A
// last line without a line feed is the mark of a write that was cut short; its
// numbers may have lost digits, so it is left out.
func Read(r io.Reader, name string) (*Chain, error) {
	c := &Chain{}
	in := bufio.NewReaderSize(r, 64<<10)
	var long []byte
	for number := 1; ; number++ {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long[:0], line...)
			for errors.Is(err, bufio.ErrBufferFull) {
				line, err = in.ReadSlice('\n')
				long = append(long, line...)
			}
			line = long
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		if err := c.line(bytes.TrimRight(line, "\r\n")); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	if c.Columns == nil {
		return nil, fmt.Errorf("%s: no line of column names: is this a CSV file of draws?", name)
	}
	return c, nil
}

// line takes one line, without its end.
func (c *Chain) line(line []byte) error {
	switch {
	case len(line) == 0:
		return nil
	case line[0] == '#':
		c.comment(string(line[1:]))
		return nil
	case c.Columns == nil:
		return c.header(string(line))
	}
	return c.row(line)
}

// comment keeps settings and notices the end.
func (c *Chain) comment(text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		c.blank++
	}
	if c.blank == 2 || strings.HasSuffix(text, "seconds (Total)") {
		c.Complete = true
	}
	if key, value, ok := strings.Cut(text, "="); ok {
		value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "(Default)"))
		c.Settings = append(c.Settings, Setting{strings.TrimSpace(key), value})
	}
}

// header takes the line of column names.
func (c *Chain) header(line string) error {
	columns := strings.Split(line, ",")
	position := make(map[string]int, len(columns))
	for i, name := range columns {
		name = strings.TrimSpace(name)
		columns[i] = name
		if name == "" {
			return fmt.Errorf("column %d has no name", i+1)
		}
		if _, err := strconv.ParseFloat(name, 64); err == nil {
			return fmt.Errorf("expected column names, found the number %s", name)
		}
		if j, twice := position[name]; twice {
			return fmt.Errorf("columns %d and %d are both called %s", j+1, i+1, name)
		}
		position[name] = i
	}
	c.Columns = columns
	c.Values = make([][]float64, len(columns))
	return nil
}

// row takes one draw.
func (c *Chain) row(line []byte) error {
	if n := bytes.Count(line, []byte{','}) + 1; n != len(c.Columns) {
		return fmt.Errorf("%d values for %d columns", n, len(c.Columns))
	}
	for i := range c.Columns {
		field := line
		if j := bytes.IndexByte(line, ','); j >= 0 {
			field, line = line[:j], line[j+1:]
		}
		field = bytes.TrimSpace(field)
		x, err := strconv.ParseFloat(string(field), 64)
		if err != nil {
			return fmt.Errorf("column %s: expected a number, found %q", c.Columns[i], field)
		}
		c.Values[i] = append(c.Values[i], x)
	}
	return nil
}
