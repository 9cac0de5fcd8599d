package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

// The limits that keep the page small. Beyond them the page says what it shows.
const (
	maxValues = 1_500_000 // draws in the page, all quantities and chains together
	maxEvents = 500       // transitions in the page beyond every step-th draw
	maxCurves = 4000      // densities, rank histograms, autocorrelations: one per quantity and chain
	maxPlots  = 1000      // quantities with plots
	maxRows   = 5000      // of the table
)

// Flags of a draw.
const (
	divergent = 1 << iota
	failed
	irreversible
)

// flags returns the flags of all draws by chain, and whether the run has
// statistics that could set any.
func (r *Run) flags() (out [][]byte, known bool) {
	out = make([][]byte, len(r.Chains))
	for c := range out {
		out[c] = make([]byte, r.draws())
	}
	for _, f := range []struct {
		stat string
		bit  byte
	}{{"divergent__", divergent}, {"failure__", failed}, {"irreversible__", irreversible}} {
		for c, x := range r.stat(f.stat) {
			known = true
			for i, v := range x {
				if v != 0 {
					out[c][i] |= f.bit
				}
			}
		}
	}
	return out, known
}

// shown says which draws are in the page: every step-th of each chain, and
// events, the flagged ones among the others.
type shown struct {
	step    int
	regular int     // draws of each chain: 0, step, 2·step, …
	events  [][]int // by chain, ascending
	dropped int     // flagged draws that are in neither
}

// choose picks the draws for a page with a number of quantities.
func choose(quantities int, flags [][]byte) shown {
	chains, n := len(flags), len(flags[0])
	each := max(1, maxValues/(quantities*chains))
	s := shown{step: (n + each - 1) / each, events: make([][]int, chains)}
	s.regular = (n + s.step - 1) / s.step
	total := 0
	for c := range flags {
		for i, f := range flags[c] {
			if f != 0 && i%s.step != 0 {
				s.events[c] = append(s.events[c], i)
				total++
			}
		}
	}
	if every := (total + maxEvents - 1) / maxEvents; every > 1 {
		k := 0
		for c, e := range s.events {
			kept := e[:0]
			for _, i := range e {
				if k%every == 0 {
					kept = append(kept, i)
				}
				k++
			}
			s.events[c] = kept
			s.dropped += len(e) - len(kept)
		}
	}
	return s
}

// draws returns the indices of the shown draws of chain c, events last.
func (s shown) draws(c int) []int {
	out := make([]int, 0, s.regular+len(s.events[c]))
	for k := range s.regular {
		out = append(out, k*s.step)
	}
	return append(out, s.events[c]...)
}

// badness says how far a parameter is beyond the limits, 1 being at them. An
// undefined diagnostic is worse than any.
func badness(s *diagnostics.Summary, l Limits) float64 {
	r := max((s.RHat-1)/(l.RHat-1), l.ESS/min(s.ESSBulk, s.ESSTail))
	if math.IsNaN(r) {
		return math.Inf(1)
	}
	return r
}

// byBadness returns the indices of the parameters, the worst first, and behind them those of the
// generated quantities: by the diagnostics that are defined of them, constants last.
func (r *Run) byBadness() []int {
	order := indices(len(r.Summary))
	score := make([]float64, len(order))
	for k := range r.Summary {
		score[k] = badness(&r.Summary[k], r.Limits)
		if k >= r.judged() && math.IsInf(score[k], 1) {
			score[k] = math.Inf(-1)
		}
	}
	slices.SortStableFunc(order[:r.judged()], func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	slices.SortStableFunc(order[r.judged():], func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	return order
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// worst returns the indices of at most n parameters in their own order: all of
// them, or the worst.
func worst(byBadness []int, n int) []int {
	out := slices.Clone(byBadness[:min(n, len(byBadness))])
	slices.Sort(out)
	return out
}

// firstPairs returns up to three of the plotted parameters for the first pairs
// plot: the worst, of each vector one element as long as there is something else,
// because the elements of a vector often look alike.
func (r *Run) firstPairs(plotted, byBadness []int) []int {
	const wanted = 3
	if len(plotted) <= wanted {
		return slices.Clone(plotted)
	}
	var out []int
	seen := make(map[string]bool)
	for _, distinct := range []bool{true, false} {
		for _, k := range byBadness {
			vector, _, _ := strings.Cut(r.Params[k], ".")
			if len(out) < wanted && !slices.Contains(out, k) && slices.Contains(plotted, k) && !(distinct && seen[vector]) {
				out = append(out, k)
				seen[vector] = true
			}
		}
	}
	return out
}
