package grid

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

// record is what is noted of the draws of one cell while they are made. It is small beside the work
// of a transition, and alike for all integrators.
type record struct {
	r     *Result
	c     *Cell
	l     *loaded
	s     *runtime.Sweep
	block int // that the cell varies

	before []float64 // coordinates that a sweep begins with

	own      []int       // parameter values whose effective sample sizes count
	kept     [][]float64 // their draws
	values   []float64   // of all parameters
	checked  []int       // draws that are to be checked, in order, those behind left out
	states   [][]float64 // at those draws
	moves    []move      // that are to be integrated back
	energies []float64   // |H₁ − H₀|
	accept   float64     // sum of min(1, exp(H₀ − H₁))
	failed   [runtime.NumStatus]int
	others   []int // accepted proposals, by block
	steps    []int // occurrences of numbers of iterations of steps that succeeded
}

// newRecord begins the record of a cell: from here on the steps of the block are counted.
func newRecord(r *Result, c *Cell, l *loaded, s *runtime.Sweep, block int, checked []int) *record {
	in := s.Posterior.Info()
	rec := &record{
		r: r, c: c, l: l, s: s, block: block, checked: checked,
		before:   make([]float64, in.Dim()),
		values:   make([]float64, in.Size()),
		energies: make([]float64, 0, c.Draws),
		others:   make([]int, len(s.Names)),
	}
	if !c.Fresh {
		rec.own = l.counted()
	}
	rec.kept = make([][]float64, len(rec.own))
	for j := range rec.kept {
		rec.kept[j] = make([]float64, 0, c.Draws)
	}
	kernel := s.Kernels[block]
	step := kernel.Step
	kernel.Step = func(q, p []float64, eps float64, sol *runtime.Solver) runtime.StepResult {
		x := step(q, p, eps, sol)
		rec.step(x)
		return x
	}
	return rec
}

// step notes a step.
func (rec *record) step(x runtime.StepResult) {
	r := rec.r
	r.Steps++
	r.Iterations += x.Iterations
	if x.Status != runtime.OK {
		r.FailedSteps++
		r.FailedIters += x.Iterations
		return
	}
	for x.Iterations >= len(rec.steps) {
		rec.steps = append(rec.steps, 0)
	}
	rec.steps[x.Iterations]++
}

// transition notes draw i, from 0: the transitions of the blocks led to q.
func (rec *record) transition(i int, ts []runtime.Transition, q []float64) {
	r, t := rec.r, &ts[rec.block]
	rec.accept += t.Accept
	if t.Accepted {
		r.Accepted++
	}
	if t.Divergent {
		r.Divergent++
	}
	if t.Irreversible {
		r.Irreversible++
	}
	if t.Failure != runtime.OK {
		rec.failed[t.Failure]++
	} else {
		rec.energies = append(rec.energies, math.Abs(t.EnergyError))
	}
	for j := range ts {
		if ts[j].Accepted {
			rec.others[j]++
		}
	}
	if len(rec.own) > 0 {
		rec.l.posterior.Constrain(rec.values, q)
		for j, at := range rec.own {
			rec.kept[j] = append(rec.kept[j], rec.values[at])
		}
	}
	if evenly(i, rec.c.Audit, rec.c.Draws) {
		r.Audited++
		if t.Accepted {
			rec.moves = append(rec.moves, newMove(rec.s, rec.block, rec.before, q, t.Steps))
		}
	}
	if len(rec.checked) > 0 && rec.checked[0] == i {
		rec.checked = rec.checked[1:]
		rec.states = append(rec.states, slices.Clone(q))
	}
}

// finish fills in what follows from the record.
func (rec *record) finish() {
	r := rec.r
	r.Transitions = rec.c.Draws
	r.AcceptStat = Number(rec.accept / float64(rec.c.Draws))
	r.Failures = failures(&rec.failed)
	bins := counter{}
	for _, e := range rec.energies {
		bins[EnergyBin(e)]++
	}
	r.EnergyBins = bins.bins()
	r.Energy = spread(rec.energies, 0)
	for v, n := range rec.steps {
		if n > 0 {
			r.IterBins = append(r.IterBins, Bin{v, n})
		}
	}
	for j, name := range rec.s.Names {
		if j != rec.block {
			r.OtherBlocks = append(r.OtherBlocks, BlockAccepted{name, rec.others[j]})
		}
	}
	if !rec.c.Fresh {
		r.effective(rec.l.posterior, rec.own, rec.kept)
	}
}

// counted returns the indices of the parameter values whose effective sample sizes count.
func (l *loaded) counted() []int {
	var out []int
	in := l.posterior.Info()
	at := 0
	for i := range in.Params {
		q := &in.Params[i]
		for j := range q.Size() {
			if len(l.model.ESS) == 0 || slices.Contains(l.model.ESS, q.Name) {
				out = append(out, at+j)
			}
		}
		at += q.Size()
	}
	return out
}

// effective fills in the effective sample sizes of draws.
func (r *Result) effective(p runtime.Posterior, own []int, kept [][]float64) {
	var names []string
	in := p.Info()
	for i := range in.Params {
		q := &in.Params[i]
		for j := range q.Size() {
			name := q.Name
			if len(q.Shape) > 0 {
				name = fmt.Sprintf("%s[%d]", q.Name, j+1)
			}
			names = append(names, name)
		}
	}
	sum, least := 0.0, math.Inf(1)
	for j, at := range own {
		ess := diagnostics.ESSPaper(kept[j])
		mean, sd := meanSD(kept[j])
		r.ESS = append(r.ESS, ParameterESS{names[at], Number(ess), Number(mean), Number(sd)})
		sum += ess
		least = min(least, ess)
	}
	if len(own) > 0 {
		r.ESSMean, r.ESSMin = Number(sum/float64(len(own))), Number(least)
	}
}

func meanSD(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += float64((v - mean) * (v - mean))
	}
	return mean, math.Sqrt(sd / float64(max(1, len(x)-1)))
}

// evenly reports whether i, from 0, is one of k numbers spread evenly over n.
func evenly(i, k, n int) bool {
	k = min(k, n)
	return (i+1)*k/n > i*k/n
}

// choose returns k of the numbers below n at random, in order.
func choose(rng *rand.Rand, k, n int) []int {
	var out []int
	for i := range n {
		// Knuth's algorithm S.
		if float64(n-i)*rng.Float64() < float64(k-len(out)) {
			out = append(out, i)
		}
	}
	return out
}
