package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/terminal"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

// block is what the page tells of the sampler, of the whole run or of one block.
type block struct {
	Name    string // "" for the whole run
	Columns []string
	Rows    []blockRow // one for each chain
	Reasons []reason   // why proposals failed
	Plots   []plot
}

type blockRow struct {
	Chain int
	Cells []cell
}

// cell is one entry of a table.
type cell struct {
	Text string
	Bad  bool // beyond a limit
}

// reason is one way of failing, with its counts by chain.
type reason struct {
	Name   string
	Counts []int
	Total  int
}

// plot is one histogram of a block.
type plot struct {
	ID, Title, XLabel, Caption string
	Index                      int // in the page's data
}

// newBlock computes what is known of a block, and adds its histograms to h.
func (r *Run) newBlock(name string, h *[]histogram) block {
	prefix, id := "", "run"
	if name != "" {
		prefix, id = name+"_", fmt.Sprintf("block-%d", len(*h))
	}
	b := block{Name: name}
	for _, c := range r.Chains {
		b.Rows = append(b.Rows, blockRow{Chain: c.Number})
	}
	steps := r.stat(prefix + "n_leapfrog__")
	iterations := r.stat(prefix + "solver_iterations__")
	column := func(title string, data [][]float64, f func(x []float64, chain int) cell) {
		if data == nil {
			return
		}
		b.Columns = append(b.Columns, title)
		for c := range data {
			b.Rows[c].Cells = append(b.Rows[c].Cells, f(data[c], c))
		}
	}
	count := func(x []float64, _ int) cell {
		n := 0
		for _, v := range x {
			if v != 0 {
				n++
			}
		}
		return cell{Text: fmt.Sprint(n)}
	}
	number := terminal.Significant(3)
	mean := func(x []float64, _ int) cell { return cell{Text: number(sum(x) / float64(len(x)))} }
	column("acceptance", r.stat(prefix+"accept_stat__"), mean)
	column("step size", r.stat(prefix+"stepsize__"), mean)
	column("steps per draw", steps, mean)
	if steps != nil && positive(iterations) {
		column("solver iterations per step", iterations, func(x []float64, c int) cell {
			return cell{Text: number(sum(x) / max(1, sum(steps[c])))}
		})
	}
	column("divergent", r.stat(prefix+"divergent__"), count)
	column("failed", r.stat(prefix+"failure__"), count)
	column("irreversible", r.stat(prefix+"irreversible__"), count)
	if len(r.Blocks) == 0 {
		column("E-BFMI", r.stat("energy__"), func(x []float64, _ int) cell {
			v := diagnostics.EBFMI(x)
			return cell{Text: terminal.Fixed(2)(v), Bad: v < r.Limits.EBFMI}
		})
	}
	b.Reasons = r.reasons(r.stat(prefix + "failure__"))

	add := func(title, xlabel, caption string, v histogram) {
		b.Plots = append(b.Plots, plot{ID: fmt.Sprintf("%s-%d", id, len(b.Plots)), Title: title, XLabel: xlabel, Caption: caption, Index: len(*h)})
		*h = append(*h, v)
	}
	if x := flat(r.stat(prefix + "accept_stat__")); len(x) > 0 {
		add("Acceptance", "acceptance probability", "Failed and refused proposals count as 0.", newHistogram(x, interval{low: 0, high: 1}, histogramBins/2))
	}
	if x := flat(steps); vary(x) { // else the table tells it all
		add("Steps per draw", "integrator steps", "A trajectory that failed ends early.", integerHistogram(x))
	}
	if x := flat(r.stat(prefix + "treedepth__")); len(x) > 0 && slices.Max(x) > 0 { // 0 where there is no tree
		add("Tree depth", "doublings of the trajectory", "Draws at the largest depth may have stopped too early.", integerHistogram(x))
	}
	if positive(iterations) && steps != nil {
		if v, caption := iterationsPerStep(iterations, steps); caption != "" {
			add("Solver iterations per step", "fixed-point iterations", caption, v)
		}
	}
	return b
}

// iterationsPerStep is the histogram of the iterations that steps took, with its caption, "" if there is none.
func iterationsPerStep(iterations, steps [][]float64) (h histogram, caption string) {
	var perStep []float64
	for c := range iterations {
		for i, n := range iterations[c] {
			if k := steps[c][i]; k > 0 && finite(n/k) {
				perStep = append(perStep, n/k)
			}
		}
	}
	if len(perStep) == 0 {
		return h, ""
	}
	v := centralInterval(sortedFinite([][]float64{perStep}))
	caption = "Mean number of fixed-point iterations of a step, all solves of the step together, for each trajectory."
	if v.outside > 0 {
		caption += fmt.Sprintf(" Outside the range shown: %d of %d.", v.outside, len(perStep))
	}
	return newHistogram(perStep, v, histogramBins), caption
}

// reasons counts the statuses of failed transitions.
func (r *Run) reasons(failures [][]float64) []reason {
	var out []reason
	most := 0
	for _, v := range flat(failures) {
		if v <= 255 {
			most = max(most, int(v))
		}
	}
	for status := 1; status <= most; status++ {
		w := reason{Name: fmt.Sprintf("status %d", status), Counts: make([]int, len(failures))}
		if status < len(r.FailureNames) {
			w.Name = strings.ReplaceAll(r.FailureNames[status], "_", " ")
		}
		for c, x := range failures {
			for _, v := range x {
				if v == float64(status) {
					w.Counts[c]++
					w.Total++
				}
			}
		}
		if w.Total > 0 {
			out = append(out, w)
		}
	}
	return out
}

// energy is the data of the energy plot: histograms over the same bins of the
// energies less their mean and of their changes from draw to draw.
type energy struct {
	Low        float64 `json:"low"`
	Width      float64 `json:"width"`
	Marginal   []int   `json:"marginal"`
	Transition []int   `json:"transition"`
	outside    int     // left out of both together
}

// energies returns the data of the energy plot, or nil if the energies are
// missing or do not vary. Energies of several blocks are not comparable.
func (r *Run) energies() *energy {
	if len(r.Blocks) > 0 {
		return nil
	}
	var level, change []float64
	for _, x := range r.stat("energy__") {
		// Every chain is centred on its own: what they disagree on is not
		// what the momenta have to cross.
		var own []float64
		for i, v := range x {
			if !finite(v) {
				continue
			}
			own = append(own, v)
			if i > 0 && finite(x[i-1]) {
				change = append(change, v-x[i-1])
			}
		}
		mean := sum(own) / float64(len(own))
		for _, v := range own {
			level = append(level, v-mean)
		}
	}
	all := sortedFinite([][]float64{level, change})
	if len(all) == 0 || all[0] == all[len(all)-1] {
		return nil
	}
	v := centralInterval(all)
	m, t := newHistogram(level, v, histogramBins), newHistogram(change, v, histogramBins)
	return &energy{Low: m.Low, Width: m.Width, Marginal: m.Counts, Transition: t.Counts, outside: v.outside}
}

// leastEBFMI returns the least E-BFMI of the chains, NaN if there is none.
func (r *Run) leastEBFMI() float64 {
	least := math.NaN()
	if len(r.Blocks) > 0 {
		return least
	}
	for _, x := range r.stat("energy__") {
		if v := diagnostics.EBFMI(x); math.IsNaN(least) || v < least {
			least = v
		}
	}
	return least
}

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

func flat(chains [][]float64) []float64 {
	var out []float64
	for _, x := range chains {
		for _, v := range x {
			if finite(v) {
				out = append(out, v)
			}
		}
	}
	return out
}

// vary reports whether values differ.
func vary(x []float64) bool { return len(x) > 0 && slices.Min(x) < slices.Max(x) }

// positive reports whether any value is above 0.
func positive(chains [][]float64) bool {
	for _, x := range chains {
		for _, v := range x {
			if v > 0 {
				return true
			}
		}
	}
	return false
}
