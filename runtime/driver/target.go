package driver

import (
	"fmt"
	"math"

	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/draws"
)

// Validate returns what is wrong with the target of a run of that many draws.
func (t *Target) Validate(draws int) error {
	switch {
	case !(t.MinESS >= 0) || math.IsInf(t.MinESS, 1):
		return fmt.Errorf("least effective sample size %v: expected a positive number, or 0 for none", t.MinESS)
	case t.MinESS > 0 && t.MaxDraws < draws:
		return fmt.Errorf("at most %d draws, and at least %d: expected the limit to be the larger", t.MaxDraws, draws)
	}
	return nil
}

// next returns the number of draws to try next when n gave an effective sample size.
func (t *Target) next(n int, ess float64) int {
	factor := 1.1 * t.MinESS / ess
	if !(factor < 3) { // NaN too: what the first draws say of many is little
		factor = 3
	}
	more := int(math.Ceil(float64(n) * max(1.2, factor)))
	return min(more, t.MaxDraws)
}

// valuesInMemory is the number of draws, all chains and components together, that a check of the
// effective sample sizes holds at a time, or those of one component if they are more: 128 MiB.
const valuesInMemory = 1 << 24

// leastESS returns the least effective sample size, bulk or tail, of the first n draws in the
// files of the chains, and the name of its component. The components stand in the columns from
// first on; one that never changes has no effective sample size. Those are read together that have
// no more than so many values, or one. It is an error if a file cannot be read, or has fewer draws.
func leastESS(files []string, n int, names []string, first, values int) (name string, least float64, err error) {
	least = math.Inf(1)
	step := max(1, values/max(1, n*len(files)))
	for from := 0; from < len(names); from += step {
		some := names[from:min(from+step, len(names))]
		columns := make([]int, len(some))
		for k := range columns {
			columns[k] = first + from + k
		}
		read := make([][][]float64, len(files)) // by chain and component
		for i, f := range files {
			if read[i], err = draws.ReadColumns(f, columns, n); err != nil {
				return "", 0, err
			}
			if have := len(read[i][0]); have < n {
				return "", 0, fmt.Errorf("%s: the file was cut short: it has %d draws, and had %d", f, have, n)
			}
		}
		chains := make([][]float64, len(files))
		for k := range some {
			for i := range chains {
				chains[i] = read[i][k]
			}
			if constant(chains) {
				continue
			}
			ess := min(diagnostics.ESSBulk(chains), diagnostics.ESSTail(chains))
			if !(ess >= least) {
				name, least = some[k], ess
			}
			if math.IsNaN(ess) {
				return name, least, nil
			}
		}
	}
	return name, least, nil
}

// constant reports whether all draws are the same number.
func constant(chains [][]float64) bool {
	for _, c := range chains {
		for _, x := range c {
			if x != chains[0][0] {
				return false
			}
		}
	}
	return true
}
