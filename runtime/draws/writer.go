// Package draws writes and reads draws in CmdStan's CSV layout: a comment
// header, one column per sampler statistic and parameter component, and comments on
// adaptation before the draws. RStan, posterior, cmdstanr, CmdStanPy and ArviZ read
// such files. CmdStan ends them with elapsed times; here they are the same bytes for
// the same run, so the times are elsewhere.
package draws

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
)

// Header describes the run that a file belongs to.
type Header struct {
	Model   string
	Samples int // num_samples
	Warmup  int // num_warmup
	Seed    uint64
	ID      int    // of the chain, from 1
	Metric  string // diag_e, dense_e or unit_e

	// MaxDepth is the limit of treedepth__; 0 where all trajectories are static.
	MaxDepth int

	// Settings are further lines "name = value" under algorithm = hmc.
	Settings []Setting

	// Columns are the names of all columns, statistics first.
	Columns []string
}

// Setting is one named value of a header.
type Setting struct{ Name, Value string }

// Adaptation is what the warm-up of a block of parameters came to.
type Adaptation struct {
	Block    string // its name; "" for a model that is one block
	StepSize float64

	// InverseMetric is the diagonal of the inverse mass matrix, or all of it, row
	// by row. It is empty where the metric is the model's own.
	InverseMetric []float64

	// Settings are what else it came to.
	Settings []Setting
}

// Writer streams the draws of one chain. The calls are Adapted, Row for each
// draw, Close. Rows are buffered; Mark hands them to the disk. The
// first error of the underlying writer is returned by every later call.
type Writer struct {
	w       *bufio.Writer
	file    *os.File // nil where the caller owns the destination
	header  int      // bytes of the header
	columns int
	dense   bool // the inverse metric is a matrix
	at      Mark
	line    []byte
	err     error
}

// Mark is a place in a file of draws, after a row or before the first.
type Mark struct {
	Rows  int    `json:"rows"`
	Bytes int64  `json:"bytes"` // from the beginning of the file
	Sum   uint32 `json:"sum"`   // CRC-32C of these bytes, with blanks in place of the header's number of samples
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Create makes the file path and writes the header. A file that exists already
// is an error unless overwrite is set.
func Create(path string, overwrite bool, h Header) (*Writer, error) {
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if !overwrite {
		flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	}
	f, err := os.OpenFile(path, flags, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s exists already: remove it, choose another directory, or ask for it to be overwritten", path)
	}
	if err != nil {
		return nil, err
	}
	w := NewWriter(f, h)
	w.file = f
	if err := w.flush(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// Reopen opens the file path to go on after a mark. What is behind the mark goes. An
// error tells of a file that is not the one that the mark was made in; the file is
// left as it is then. The header may ask for another number of samples than the file's.
func Reopen(path string, h Header, at Mark) (_ *Writer, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	header := h.bytes()
	if at.Bytes < int64(len(header)) {
		return nil, fmt.Errorf("%s: the checkpoint beside it does not fit it: it ends within the header", path)
	}
	old := make([]byte, len(header))
	if _, err := io.ReadFull(f, old); err != nil {
		return nil, fmt.Errorf("%s: the file was cut short: %w", path, err)
	}
	if !bytes.Equal(maskSamples(old), maskSamples(header)) {
		return nil, fmt.Errorf("%s: the header is not that of this run", path)
	}
	if err := at.check(f, path, old); err != nil {
		return nil, err
	}
	if err := f.Truncate(at.Bytes); err != nil {
		return nil, err
	}
	if _, err := f.WriteAt(header, 0); err != nil {
		return nil, err
	}
	if _, err := f.Seek(at.Bytes, io.SeekStart); err != nil {
		return nil, err
	}
	return &Writer{w: bufio.NewWriterSize(f, 64<<10), file: f, header: len(header), columns: len(h.Columns), dense: h.dense(), at: at}, nil
}

// Check returns an error unless the file path begins with what it held at the mark.
func (at Mark) Check(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(io.LimitReader(f, at.Bytes), readSize)
	var header []byte
	for done := false; !done; { // up to the line of columns
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return err
		}
		header = append(header, line...)
		done = err == io.EOF || line[0] != '#'
	}
	return at.check(in, path, header)
}

// check holds the header and what r has behind it against the mark.
func (at Mark) check(r io.Reader, path string, header []byte) error {
	sum := crc32.New(castagnoli)
	sum.Write(maskSamples(header))
	switch n, err := io.CopyN(sum, r, at.Bytes-int64(len(header))); {
	case err == io.EOF:
		return fmt.Errorf("%s: the file was cut short: it has %d bytes, and had %d", path, n+int64(len(header)), at.Bytes)
	case err != nil:
		return err
	case sum.Sum32() != at.Sum:
		return fmt.Errorf("%s: the file was changed since the draws were written: its checksum differs", path)
	}
	return nil
}

// NewWriter writes the header to w and returns a Writer of draws to it.
func NewWriter(w io.Writer, h Header) *Writer {
	d := &Writer{w: bufio.NewWriterSize(w, 64<<10), columns: len(h.Columns), dense: h.dense()}
	header := h.bytes()
	d.header, d.at.Bytes = len(header), int64(len(header))
	d.at.Sum = crc32.Checksum(maskSamples(header), castagnoli)
	_, d.err = d.w.Write(header)
	return d
}

func (h *Header) dense() bool { return h.Metric == "dense_e" }

// samplesLine is the line of the header whose value changes when a run goes on to
// more draws: hence a fixed width.
const samplesLine = "#     num_samples = %-12d\n"

// maskSamples returns a header without the number of samples.
func maskSamples(header []byte) []byte {
	const key = "#     num_samples = "
	i := bytes.Index(header, []byte(key))
	if i < 0 {
		return header
	}
	i += len(key)
	masked := bytes.Clone(header)
	for ; i < len(masked) && masked[i] != '\n'; i++ {
		masked[i] = ' '
	}
	return masked
}

// bytes returns the comments and the line of columns.
func (h *Header) bytes() []byte {
	var b bytes.Buffer
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("# stan_version_major = 2\n# stan_version_minor = 33\n# stan_version_patch = 0\n")
	p("# model = %s\n", oneLine(h.Model))
	p("# method = sample (Default)\n#   sample\n")
	p(samplesLine, h.Samples)
	p("#     num_warmup = %d\n#     save_warmup = 0\n#     thin = 1\n", h.Warmup)
	p("#     algorithm = hmc (Default)\n#       hmc\n")
	if h.MaxDepth > 0 {
		p("#         engine = nuts\n#           nuts\n#             max_depth = %d\n", h.MaxDepth)
	} else {
		// CmdStanPy does without a step size, but not without this line, and counts
		// the draws whose depth is the limit. There is none, and nothing equals NaN,
		// which R takes for a number too.
		p("#         engine = static\n#           static\n#             max_depth = NaN\n")
	}
	// CmdStanPy asks for a metric that Stan knows.
	metric := h.Metric
	if metric == "" {
		metric = "diag_e"
	}
	p("#         metric = %s\n", metric)
	for _, s := range h.Settings {
		p("#         %s = %s\n", oneLine(s.Name), oneLine(s.Value))
	}
	p("# id = %d\n# random\n#   seed = %d\n", h.ID, h.Seed)
	p("%s\n", strings.Join(h.Columns, ","))
	return b.Bytes()
}

// oneLine keeps a text that came from outside on its comment line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, s)
}

// Adapted notes what the warm-up came to: of the model, or of each of several blocks of
// parameters.
//
// CmdStanPy wants the lines from "Adaptation terminated" on to be CmdStan's, so
// those of blocks and the further settings come before. The step size there is that of the last block,
// like the column of the statistics.
//
// CmdStan adds the inverse mass matrix. A metric of the model's own varies from place
// to place, so for one, and for several blocks, the line holds a 1 for each of the
// params coordinates, for the sake of readers that expect it.
func (d *Writer) Adapted(blocks []Adaptation, params int) error {
	last := &blocks[len(blocks)-1]
	if last.Block != "" {
		for i := range blocks {
			b := &blocks[i]
			d.printf("# %s.stepsize = %s\n", oneLine(b.Block), AppendFloat(nil, b.StepSize))
			if len(b.InverseMetric) > 0 {
				d.printf("# %s.inverse_metric = %s\n", oneLine(b.Block), list(b.InverseMetric))
			}
		}
	}
	for i := range blocks {
		b := &blocks[i]
		for _, s := range b.Settings {
			name := s.Name
			if b.Block != "" {
				name = b.Block + "." + name
			}
			d.printf("# %s = %s\n", oneLine(name), oneLine(s.Value))
		}
	}
	d.printf("# Adaptation terminated\n# Step size = %s\n", AppendFloat(nil, last.StepSize))
	inverse := last.InverseMetric
	if last.Block != "" || len(inverse) == 0 {
		inverse = make([]float64, params)
		for i := range inverse {
			inverse[i] = 1
		}
	}
	if m := int(math.Sqrt(float64(len(inverse)))); d.dense && last.Block == "" && len(last.InverseMetric) > 0 {
		d.printf("# Elements of inverse mass matrix:\n")
		for i := range m {
			d.printf("# %s\n", list(inverse[i*m:][:m]))
		}
		return d.err
	}
	d.printf("# Diagonal elements of inverse mass matrix:\n# %s\n", list(inverse))
	return d.err
}

// list writes numbers with commas between.
func list(x []float64) []byte {
	var b []byte
	for i, v := range x {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = AppendFloat(b, v)
	}
	return b
}

// Row writes one draw, a value for each column.
func (d *Writer) Row(values []float64) error {
	if d.err != nil {
		return d.err
	}
	if len(values) != d.columns {
		d.err = fmt.Errorf("a draw of %d values for %d columns", len(values), d.columns)
		return d.err
	}
	line := d.line[:0]
	for i, x := range values {
		if i > 0 {
			line = append(line, ',')
		}
		line = AppendFloat(line, x)
	}
	d.line = append(line, '\n')
	d.at.Rows++
	d.write(d.line)
	return d.err
}

// write writes a text after the header.
func (d *Writer) write(text []byte) {
	if d.err != nil {
		return
	}
	if _, d.err = d.w.Write(text); d.err == nil {
		d.at.Bytes += int64(len(text))
		d.at.Sum = crc32.Update(d.at.Sum, castagnoli, text)
	}
}

// flush hands what is buffered to the operating system.
func (d *Writer) flush() error {
	if d.err == nil {
		d.err = d.w.Flush()
	}
	return d.err
}

// Mark returns the place of the last row, once all up to it is on the disk.
func (d *Writer) Mark() (Mark, error) {
	if err := d.flush(); err != nil {
		return Mark{}, err
	}
	if d.file != nil {
		d.err = d.file.Sync()
	}
	return d.at, d.err
}

// Close ends the file with a comment that tells that it is complete. The header is h
// from now on, which may differ in the number of samples.
func (d *Writer) Close(h Header) error {
	d.printf(endOfChain)
	header := h.bytes()
	if d.flush() == nil && d.file != nil {
		if len(header) != d.header {
			d.err = errors.New("the header of a file of draws has changed its length")
		} else {
			_, d.err = d.file.WriteAt(header, 0)
		}
	}
	return d.Abandon()
}

// endOfChain ends a complete file. CmdStanPy wants two comments after the last draw, and
// takes words in them for a mass matrix.
const endOfChain = "# \n# \n"

// Abandon flushes and closes the file without the closing comment, which marks
// it as interrupted.
func (d *Writer) Abandon() error {
	err := d.flush()
	if d.file != nil {
		err = errors.Join(err, d.file.Close())
		d.file = nil
	}
	return err
}

func (d *Writer) printf(format string, args ...any) {
	d.line = fmt.Appendf(d.line[:0], format, args...)
	d.write(d.line)
}

// AppendFloat appends the shortest decimal that reads back as x, with nan, inf
// and -inf spelt as CmdStan spells them.
func AppendFloat(dst []byte, x float64) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, "nan"...)
	case math.IsInf(x, 1):
		return append(dst, "inf"...)
	case math.IsInf(x, -1):
		return append(dst, "-inf"...)
	case math.Abs(x) < 1e6 && x == math.Trunc(x) && !(x == 0 && math.Signbit(x)):
		return strconv.AppendInt(dst, int64(x), 10) // counts: most statistics of the sampler are such
	}
	return strconv.AppendFloat(dst, x, 'g', -1, 64)
}
