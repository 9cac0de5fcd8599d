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
	case !(t.MaxRHat == 0 || t.MaxRHat > 1 && t.MinESS > 0):
		return fmt.Errorf("largest R-hat %v beside a least effective sample size %v: expected a number above 1, or 0 for none, and a positive one", t.MaxRHat, t.MinESS)
	case t.FarDraws != 0 && !(t.FarDraws > 0 && t.Operations > 0):
		return fmt.Errorf("%d draws where they are cheap, within %v operations: expected positive numbers", t.FarDraws, t.Operations)
	case t.MinESS > 0 && t.MaxDraws < draws:
		return fmt.Errorf("at most %d draws, and at least %d: expected the limit to be the larger", t.MaxDraws, draws)
	}
	return nil
}

// reached is how far a run has come: the worst of its components.
type reached struct {
	name      string
	ess, rhat float64 // the least and the largest; NaN where one is not defined
}

// by reports whether a target is met.
func (t *Target) by(r reached) bool {
	return r.ess >= t.MinESS && (t.MaxRHat == 0 || r.rhat <= t.MaxRHat)
}

// factor is how many times as many draws are expected to meet the target, NaN where nothing can be expected. Effective sample sizes grow with the
// draws, and R-hat² − 1 falls with them, where the chains tell of the same distribution.
func (t *Target) factor(r reached) float64 {
	factor := t.MinESS / r.ess
	if t.MaxRHat > 0 {
		factor = max(factor, (float64(r.rhat*r.rhat)-1)/(float64(t.MaxRHat*t.MaxRHat)-1))
	}
	return float64(1.1 * factor)
}

// maxModesRHat is the R-hat above which chains are taken to be in different modes, which no length brings together.
const maxModesRHat = 1.2

// next returns the number of draws to try next when n came that far, 0 if none. One draw of every chain takes that many operations. What the first
// draws say of many is little: at most three times as many are tried, and where these are cheap also if more than there may be are expected to be needed.
func (t *Target) next(n int, r reached, work float64) int {
	cheap := t.cheap(work)
	limit := max(t.MaxDraws, cheap)
	if n >= limit {
		return 0
	}
	expected := t.factor(r)
	factor := expected
	if !(factor < 3) { // NaN too
		factor = 3
	}
	more := int(math.Ceil(float64(n) * max(1.2, factor)))
	if t.Yields && !(expected*float64(n) <= float64(t.MaxDraws)) && !(more <= cheap && r.rhat <= maxModesRHat) {
		return 0
	}
	return min(more, limit)
}

// cheap is the number of draws per chain that the operations are enough for, at most FarDraws.
func (t *Target) cheap(work float64) int {
	if !(work > 0) || float64(t.FarDraws)*work <= t.Operations {
		return t.FarDraws
	}
	return int(t.Operations / work)
}

// valuesAlone bounds the numbers in the files of a run that goes on by itself.
const valuesAlone = 20_000_000

// valuesInMemory is the number of draws, all chains and components together, that a check of the
// effective sample sizes holds at a time, or those of one component if they are more: 128 MiB.
const valuesInMemory = 1 << 24

// reach returns the least effective sample size, bulk or tail, of the first n draws in the
// files of the chains, with the name of its component, and the largest R-hat. The components stand in the columns from
// first on; one that never changes has neither. Those are read together that have
// no more than so many values, or one. It is an error if a file cannot be read, or has fewer draws.
func reach(files []string, n int, names []string, first, values int) (r reached, err error) {
	r = reached{ess: math.Inf(1), rhat: 1}
	step := max(1, values/max(1, n*len(files)))
	for from := 0; from < len(names); from += step {
		some := names[from:min(from+step, len(names))]
		columns := make([]int, len(some))
		by := make([][][]float64, len(some)) // by component and chain
		for k := range columns {
			columns[k], by[k] = first+from+k, make([][]float64, len(files))
		}
		for i, f := range files {
			read, err := draws.ReadColumns(f, columns, n)
			if err != nil {
				return r, err
			}
			if have := len(read[0]); have < n {
				return r, fmt.Errorf("%s: the file was cut short: it has %d draws, and had %d", f, have, n)
			}
			for k := range read {
				by[k][i] = read[k]
			}
		}
		list, err := diagnostics.Summarize(some, by, 0.5)
		if err != nil {
			return r, err
		}
		for k := range list {
			s := &list[k]
			if s.Constant {
				continue
			}
			ess := min(s.ESSBulk, s.ESSTail)
			if !(ess >= r.ess) {
				r.name, r.ess = s.Name, ess
			}
			if math.IsNaN(ess) {
				return r, nil
			}
			r.rhat = max(r.rhat, s.RHat)
		}
	}
	return r, nil
}
