package export

import (
	"bufio"
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/hamc-dev/hamc/runtime/draws"
)

// Table writes the draws as one long table in CSV, with a row for each draw of
// each chain. The columns .chain, .iteration and .draw come first, numbered from
// 1 as in a draws_df of the R package posterior; then the parameters, named as
// there, mu and beta[2] and L[1,2]; then the statistics under their CmdStan
// names, which end in two underscores. Numbers have the shortest form that reads
// back to the same double; those that are not finite are NaN, Inf and -Inf.
//
// The groups and the data of the options make no difference.
func Table(w io.Writer, s *draws.Set, o Options) error {
	l, err := newLayout(s, &o)
	if err != nil {
		return err
	}
	names := []string{".chain", ".iteration", ".draw"}
	var columns []int
	for i := range s.Parameters {
		p := &s.Parameters[i]
		for _, k := range p.Columns {
			names, columns = append(names, bracketed(p, s.Columns[k])), append(columns, k)
		}
	}
	for _, k := range s.Statistics {
		names, columns = append(names, s.Columns[k]), append(columns, k)
	}
	out := bufio.NewWriterSize(w, 64<<10)
	head := csv.NewWriter(out)
	if err := head.Write(names); err != nil {
		return err
	}
	head.Flush()
	if err := head.Error(); err != nil {
		return err
	}
	var line []byte
	for i, c := range l.chains {
		for d := range l.draws {
			line = strconv.AppendInt(line[:0], int64(c.Number), 10)
			line = strconv.AppendInt(append(line, ','), int64(d+1), 10)
			line = strconv.AppendInt(append(line, ','), int64(i*l.draws+d+1), 10)
			for _, k := range columns {
				line = appendNumber(append(line, ','), c.Values[k][c.Warmup+d])
			}
			if _, err := out.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// bracketed returns the name that a column of a parameter has in posterior.
func bracketed(p *draws.Parameter, column string) string {
	if len(p.Shape) == 0 {
		return column
	}
	return p.Name + "[" + strings.ReplaceAll(column[len(p.Name)+1:], ".", ",") + "]"
}

// appendNumber appends a number as R and pandas read it without being told.
func appendNumber(dst []byte, x float64) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, "NaN"...)
	case math.IsInf(x, 1):
		return append(dst, "Inf"...)
	case math.IsInf(x, -1):
		return append(dst, "-Inf"...)
	}
	return draws.AppendFloat(dst, x)
}
