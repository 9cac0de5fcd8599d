package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/draws"
)

// apartRHat is the least R-hat of a parameter that is looked at for chains that lie apart, and apartMost the number of these parameters.
const (
	apartRHat = 1.05
	apartMost = 1000
)

// apart are chains in two groups, of which some parameter has none but a hundredth of its draws in common.
type apart struct {
	parameter   string
	chains      [2][]int   // by their numbers: where the parameter is lower, and where it is higher
	median      [2]float64 // of it
	lp          [2]float64 // mean log density; NaN where it is not told
	separations float64    // of the groups, in ranges of a chain
}

// chainsApart looks for a parameter along which the chains lie apart, and returns that of which they do by most; nil if there is none. Chains that pass
// from one place to another do not, however slowly they mix.
func chainsApart(chains []*draws.Chain, n int, rows []diagnostics.Summary) (found *apart) {
	bad := slices.DeleteFunc(slices.Clone(rows), func(r diagnostics.Summary) bool { return !(r.RHat > apartRHat) })
	slices.SortStableFunc(bad, func(a, b diagnostics.Summary) int { return int(math.Copysign(1, b.RHat-a.RHat)) })
	for _, row := range bad[:min(len(bad), apartMost)] {
		type span struct {
			chain            int
			low, middle, top float64
		}
		var spans []span
		for i, c := range chains {
			x := c.Column(row.Name)
			if x == nil {
				break
			}
			x = x[c.Warmup:][:n]
			at := func(p float64) float64 { return diagnostics.Quantile([][]float64{x}, p) }
			spans = append(spans, span{i, at(0.01), at(0.5), at(0.99)})
		}
		slices.SortStableFunc(spans, func(a, b span) int { return int(math.Copysign(1, a.middle-b.middle)) })
		for k := 1; k < len(spans); k++ {
			top, low, wide := math.Inf(-1), math.Inf(1), 0.0
			for i, s := range spans {
				if wide = max(wide, s.top-s.low); i < k {
					top = max(top, s.top)
				} else {
					low = min(low, s.low)
				}
			}
			if by := (low - top) / wide; by > 0 && (found == nil || by > found.separations) {
				found = &apart{parameter: row.Name, separations: by}
				for i, s := range spans {
					side := 0
					if i >= k {
						side = 1
					}
					found.chains[side] = append(found.chains[side], s.chain)
				}
			}
		}
	}
	if found != nil {
		found.describe(chains, n)
	}
	return found
}

// describe fills in what is told of the groups.
func (a *apart) describe(chains []*draws.Chain, n int) {
	for side, group := range a.chains {
		slices.Sort(group)
		var of [2][][]float64
		for k, i := range group {
			c := chains[i]
			of[0] = append(of[0], c.Column(a.parameter)[c.Warmup:][:n])
			if lp := c.Column("lp__"); lp != nil {
				of[1] = append(of[1], lp[c.Warmup:][:n])
			}
			group[k] = c.Number
		}
		a.median[side], a.lp[side] = diagnostics.Quantile(of[0], 0.5), math.NaN()
		if len(of[1]) > 0 {
			sum := 0.0
			for _, x := range of[1] {
				for _, l := range x {
					sum += l
				}
			}
			a.lp[side] = sum / float64(len(of[1])*n)
		}
	}
}

// String tells it as the beginning of a warning.
func (a *apart) String() string {
	name := func(list []int) string {
		if len(list) == 1 {
			return fmt.Sprintf("chain %d", list[0])
		}
		var text []string
		for _, n := range list {
			text = append(text, fmt.Sprint(n))
		}
		return "chains " + strings.Join(text, ", ")
	}
	s := fmt.Sprintf("%s and %s are at different places, where %s is about %.3g and %.3g", name(a.chains[0]), name(a.chains[1]), a.parameter, a.median[0], a.median[1])
	if !math.IsNaN(a.lp[0] + a.lp[1]) {
		s += fmt.Sprintf(", and the log density %.0f and %.0f", a.lp[0], a.lp[1])
	}
	return s
}
