// Package draws writes and reads draws in CmdStan's CSV layout: a comment
// header, one column per sampler statistic and parameter component, comments on
// adaptation before the draws and on the elapsed time after them. RStan,
// posterior, cmdstanr, CmdStanPy and ArviZ read such files.
package draws

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

// Header describes the run that a file belongs to.
type Header struct {
	Model   string
	Samples int // num_samples
	Warmup  int // num_warmup
	Seed    uint64
	ID      int // of the chain, from 1

	// Settings are further lines "name = value" under algorithm = hmc.
	Settings []Setting

	// Columns are the names of all columns, statistics first.
	Columns []string
}

// Setting is one named value of a header.
type Setting struct{ Name, Value string }

// Writer streams the draws of one chain. The calls are Adapted, Row for each
// draw, Close. Rows are buffered; Flush hands them to the operating system. The
// first error of the underlying writer is returned by every later call.
type Writer struct {
	w       *bufio.Writer
	file    io.Closer // nil where the caller owns the destination
	columns int
	line    []byte
	err     error
}

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
	return w, w.Flush()
}

// NewWriter writes the header to w and returns a Writer of draws to it.
func NewWriter(w io.Writer, h Header) *Writer {
	d := &Writer{w: bufio.NewWriterSize(w, 64<<10), columns: len(h.Columns)}
	d.printf("# stan_version_major = 2\n# stan_version_minor = 33\n# stan_version_patch = 0\n")
	d.printf("# model = %s\n", oneLine(h.Model))
	d.printf("# method = sample (Default)\n#   sample\n")
	d.printf("#     num_samples = %d\n#     num_warmup = %d\n#     save_warmup = 0\n#     thin = 1\n", h.Samples, h.Warmup)
	// CmdStanPy asks for a metric and a tree depth that Stan knows. What was
	// used in truth stands in the settings below.
	d.printf("#     algorithm = hmc (Default)\n#       hmc\n#         engine = static\n#           max_depth = 10\n#         metric = diag_e\n")
	for _, s := range h.Settings {
		d.printf("#         %s = %s\n", oneLine(s.Name), oneLine(s.Value))
	}
	d.printf("# id = %d\n# random\n#   seed = %d\n", h.ID, h.Seed)
	d.printf("%s\n", strings.Join(h.Columns, ","))
	return d
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

// Adapted notes the step sizes with which the draws that follow are made: one, or
// one for each of several blocks of parameters, whose names are given then.
//
// CmdStanPy wants the lines from "Adaptation terminated" on to be CmdStan's, so
// those of blocks come before. The step size there is that of the last block,
// like the column of the statistics.
//
// CmdStan adds the inverse mass matrix. The metric here is the model's own and
// may vary from place to place, so the line holds a 1 for each of the params
// coordinates, for the sake of readers that expect it.
func (d *Writer) Adapted(stepSizes []float64, blocks []string, params int) error {
	for i, name := range blocks {
		d.printf("# %s.stepsize = %s\n", oneLine(name), AppendFloat(nil, stepSizes[i]))
	}
	d.printf("# Adaptation terminated\n# Step size = %s\n", AppendFloat(nil, stepSizes[len(stepSizes)-1]))
	d.printf("# Diagonal elements of inverse mass matrix:\n# ")
	for i := range params {
		if i > 0 {
			d.printf(", ")
		}
		d.printf("1")
	}
	d.printf("\n")
	return d.err
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
	_, d.err = d.w.Write(d.line)
	return d.err
}

// Flush writes out what is buffered.
func (d *Writer) Flush() error {
	if d.err == nil {
		d.err = d.w.Flush()
	}
	return d.err
}

// Close ends the file with the elapsed times.
func (d *Writer) Close(warmup, sampling time.Duration) error {
	d.printf("# \n#  Elapsed Time: %.6g seconds (Warm-up)\n", warmup.Seconds())
	d.printf("#                %.6g seconds (Sampling)\n", sampling.Seconds())
	d.printf("#                %.6g seconds (Total)\n# \n", (warmup + sampling).Seconds())
	return d.Abandon()
}

// Abandon flushes and closes the file without the closing comments, which marks
// it as interrupted.
func (d *Writer) Abandon() error {
	err := d.Flush()
	if d.file != nil {
		err = errors.Join(err, d.file.Close())
		d.file = nil
	}
	return err
}

func (d *Writer) printf(format string, args ...any) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.w, format, args...)
	}
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
	}
	return strconv.AppendFloat(dst, x, 'g', -1, 64)
}
