package driver

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/draws"
	"github.com/hamc-dev/hamc/runtime/files"
)

// FailuresName is the name of the file of failures in a directory of draws: of the updates
// that the model ended, the first few. It is written when the run ends or is interrupted, if there
// are any; until then the checkpoints have them.
const FailuresName = "failures.csv"

// FailureColumns returns the columns of the file of failures of a posterior of m coordinates. A row is a
// runtime.Failure: chain and draw from 1, the name of the block or nothing, the status, 1 where
// the step ran away, and the unconstrained coordinates, all nan where they are not known.
func FailureColumns(m int) []string {
	columns := []string{"chain", "draw", "block", "failure", "runaway"}
	for i := range m {
		columns = append(columns, "q."+strconv.Itoa(i+1))
	}
	return columns
}

// failureLine is the row of a failure of a posterior of m coordinates.
func failureLine(chain, m int, f *runtime.Failure) string {
	var b []byte
	b = strconv.AppendInt(b, int64(chain), 10)
	b = append(b, ',')
	b = strconv.AppendInt(b, int64(f.Draw), 10)
	b = append(b, ',')
	b = append(b, f.Block...) // an identifier
	b = append(b, ',')
	b = strconv.AppendUint(b, uint64(f.Status), 10)
	b = append(b, ",0"...)
	if f.Runaway {
		b[len(b)-1] = '1'
	}
	for i := range m {
		b = append(b, ',')
		if f.Q == nil {
			b = append(b, "nan"...)
			continue
		}
		b = draws.AppendFloat(b, f.Q[i])
	}
	return string(b)
}

// writeRows writes a file of rows below a line of columns, all of it or nothing.
func writeRows(dir, name string, columns, lines []string) error {
	var b strings.Builder
	b.WriteString(strings.Join(columns, ",") + "\n")
	for _, l := range lines {
		b.WriteString(l + "\n")
	}
	return files.Replace(filepath.Join(dir, name), []byte(b.String()))
}
