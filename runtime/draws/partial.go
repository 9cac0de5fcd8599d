package draws

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// ReadColumns reads some columns of the file path, counted from 0 and ascending, for as many draws
// from the first on as it has, at most most. It returns a slice for each of the columns, and keeps
// nothing of the others. A last line without a line feed is no draw. It is an error if the file
// cannot be read, or if a draw has no number in one of the columns.
func ReadColumns(path string, columns []int, most int) ([][]float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := make([][]float64, len(columns))
	for i := range out {
		out[i] = make([]float64, 0, most)
	}
	in := bufio.NewReaderSize(f, readSize)
	var long []byte // the beginning of a line that does not fit the buffer
	header := false
	for line, rows := 1, 0; rows < most; line++ {
		text, err := in.ReadSlice('\n')
		for long = long[:0]; errors.Is(err, bufio.ErrBufferFull); text, err = in.ReadSlice('\n') {
			long = append(long, text...)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		if len(long) > 0 {
			long = append(long, text...)
			text = long
		}
		switch {
		case text[0] == '#' || text[0] == '\n':
		case !header:
			header = true
		default:
			if !pick(text[:len(text)-1], columns, out) {
				return nil, fmt.Errorf("%s:%d: expected a draw with a number in column %d", path, line, slices.Max(columns)+1)
			}
			rows++
		}
	}
	return out, nil
}

// pick appends the fields of a line that are in the columns. It reports whether they are numbers.
func pick(line []byte, columns []int, out [][]float64) bool {
	at := 0 // the column that line begins with
	for i, k := range columns {
		for ; at < k; at++ {
			comma := bytes.IndexByte(line, ',')
			if comma < 0 {
				return false
			}
			line = line[comma+1:]
		}
		x, end := leading(line)
		if end == 0 {
			if end = bytes.IndexByte(line, ','); end < 0 {
				end = len(line)
			}
			var ok bool
			if x, ok = number(line[:end]); !ok {
				return false
			}
		}
		out[i] = append(out[i], x)
	}
	return true
}
