package runtime

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// StatNames are the sampler statistics that accompany each draw, in the order
// of the columns of a CmdStan file. treedepth__ is 0 of static trajectories.
// solver_iterations__ counts fixed-point iterations, failure__ is a
// Status, and irreversible__ is 1 where a proposal was refused because the way
// back did not return.
//
// lp__ is the log density in plain coordinates, which does not depend on the map of a Transported; energy__ is that of the trajectory.
// Of a sweep over several blocks, lp__, stepsize__ and energy__ are those of the
// last block, accept_stat__ is the mean, treedepth__ the largest, the counts are sums,
// and the others are of the first block that has something to report. Statistics of each block
// follow, under BlockStatNames with the block's name before them.
var StatNames = [...]string{
	"lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__",
	"energy__", "solver_iterations__", "failure__", "irreversible__",
}

// BlockStatNames are the statistics that each of several blocks has.
var BlockStatNames = [...]string{
	"accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__", "energy__", "solver_iterations__", "failure__", "irreversible__",
}

// NumStats is the number of sampler statistics of a Model.
const NumStats = len(StatNames)

// StatNamesOf returns the names of all statistics of the draws of a posterior.
func StatNamesOf(p Posterior) []string {
	names := slices.Clone(StatNames[:])
	if g, ok := p.(Gibbs); ok {
		for _, b := range g.Blocks() {
			for _, s := range BlockStatNames {
				names = append(names, b.Info().Name+"_"+s)
			}
		}
	}
	return names
}

// sweepStats writes the statistics of a sweep to row, in the order of
// StatNamesOf.
func sweepStats(row []float64, ts []Transition) {
	if len(row) == NumStats { // of a Model
		ts[0].stats(row)
		return
	}
	all := ts[len(ts)-1]
	all.Accept, all.Steps, all.Iterations, all.Failure = 0, 0, 0, OK
	for i := range ts {
		t := &ts[i]
		all.Accept += t.Accept / float64(len(ts))
		all.Steps += t.Steps
		all.Depth = max(all.Depth, t.Depth)
		all.Iterations += t.Iterations
		all.Divergent = all.Divergent || t.Divergent
		all.Irreversible = all.Irreversible || t.Irreversible
		if all.Failure == OK {
			all.Failure = t.Failure
		}
	}
	all.stats(row)
	n := NumStats
	for i := range ts {
		t := &ts[i]
		n += copy(row[n:], []float64{t.Accept, t.StepSize, float64(t.Depth), float64(t.Steps), indicator(t.Divergent), t.Energy,
			float64(t.Iterations), float64(t.Failure), indicator(t.Irreversible)})
	}
}

// stats writes the statistics of t to row[:NumStats], in the order of
// StatNames.
func (t *Transition) stats(row []float64) {
	_ = row[:NumStats]
	row[0] = t.LogDensity
	row[1] = t.Accept
	row[2] = t.StepSize
	row[3] = float64(t.Depth)
	row[4] = float64(t.Steps)
	row[5] = indicator(t.Divergent)
	row[6] = t.Energy
	row[7] = float64(t.Iterations)
	row[8] = float64(t.Failure)
	row[9] = indicator(t.Irreversible)
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Totals counts what happened in a number of transitions.
type Totals struct {
	Transitions  int `json:"transitions"`
	Accepted     int `json:"accepted"`
	Divergent    int `json:"divergent"`
	Saturated    int `json:"saturated"` // dynamic trajectories that reached MaxDepth
	Irreversible int `json:"irreversible"`
	Steps        int `json:"steps"`
	Iterations   int `json:"solver_iterations"`
	Jumps        int `json:"jumps,omitempty"` // to another place

	// ByStatus counts transitions by the Status of their solver: under OK
	// those that were refused for no reason of the solver's.
	ByStatus [NumStatus]int `json:"by_status"`

	SumAccept float64 `json:"sum_accept"` // of the acceptance probabilities
}

// Add counts one transition.
func (n *Totals) Add(t *Transition) {
	n.Transitions++
	n.Steps += t.Steps
	n.Iterations += t.Iterations
	n.ByStatus[t.Failure]++
	n.SumAccept += t.Accept
	if t.Accepted {
		n.Accepted++
	}
	if t.Divergent {
		n.Divergent++
	}
	if t.saturated {
		n.Saturated++
	}
	if t.Irreversible {
		n.Irreversible++
	}
	if t.Jumped {
		n.Jumps++
	}
}

// Failures returns the number of transitions whose solver or energy failed.
func (n *Totals) Failures() int { return n.Transitions - n.ByStatus[OK] }

// Join adds the counts of others.
func (n *Totals) Join(o *Totals) {
	n.Transitions += o.Transitions
	n.Accepted += o.Accepted
	n.Divergent += o.Divergent
	n.Saturated += o.Saturated
	n.Irreversible += o.Irreversible
	n.Steps += o.Steps
	n.Iterations += o.Iterations
	n.Jumps += o.Jumps
	n.SumAccept += o.SumAccept
	for i, k := range o.ByStatus {
		n.ByStatus[i] += k
	}
}

// BlockRun is what the updates of one block came to.
type BlockRun struct {
	Name     string  `json:"name"`      // "" for a posterior that is one block
	StepSize float64 `json:"step_size"` // of the sampling phase

	// Steps of the trajectories of the sampling phase, where their number is fixed; 0 of dynamic ones.
	Steps int `json:"steps,omitempty"`

	// Split is the number of gradients that each of these steps takes, where they are split ones (Euclidean.StepSplit), and counts as.
	Split int `json:"split,omitempty"`

	// ExtraDoublings of the dynamic trajectories of the sampling phase.
	ExtraDoublings int `json:"extra_doublings"`

	// InverseMetric is M⁻¹ of a Euclidean metric that was adapted, in the form of Euclidean.Inverse; Rank is the number of
	// directions behind the diagonal.
	InverseMetric []float64 `json:"inverse_metric,omitempty"`
	Rank          int       `json:"rank,omitempty"`

	// Centre is that of a Euclidean metric, about which split steps turn.
	Centre []float64 `json:"centre,omitempty"`

	// Bends are those of the coordinates that are bent: the metric is that of these.
	Bends []Bend `json:"bends,omitempty"`

	// Climbed tells that the chain's start was far from the bulk of the posterior, and that the
	// warm-up began with a climb to there. It is the same for all blocks.
	Climbed bool `json:"climbed,omitempty"`

	// Anew counts how often the chain began anew, because warm-up had led it to where next to nothing of the posterior is, as another chain
	// showed. It is the same for all blocks.
	Anew int `json:"anew,omitempty"`

	// Follows tells that all these came to nothing, and that the chain draws from where the highest one stood at the end of its warm-up, with what that had learnt. It is the same for
	// all blocks.
	Follows bool `json:"follows,omitempty"`

	// Places is the number of places that the chain jumps between; 0 where all chains are at one. It is the same for all blocks.
	Places int `json:"places,omitempty"`

	Warmup   Totals `json:"warmup"`
	Sampling Totals `json:"sampling"`
}

// Variances returns the diagonal of M⁻¹, of a Euclidean metric that is not dense and was adapted.
func (b *BlockRun) Variances() []float64 {
	c := newLowRank((len(b.InverseMetric)-b.Rank)/(b.Rank+1), b.InverseMetric)
	if c == nil {
		return nil
	}
	return c.diagonal()
}

// Chain is the outcome of one chain.
type Chain struct {
	// Draws holds one column for each name of Result.Names, Stats one for
	// each of Result.StatNames. Both are empty with Options.Discard.
	Draws [][]float64
	Stats [][]float64

	Blocks []BlockRun // in the order of a sweep

	// Audits are those of the draws that Options.Audit asks for.
	Audits []Audit

	// Failures are the first few updates that the model ended, in the order of the draws: what to
	// look at where Sampling counts many. A chain that went on from a State has those since.
	Failures []Failure

	// State is where the chain stands, for Options.From.
	State *State

	WarmupTime, SamplingTime time.Duration
}

// Warmed is the number of sweeps of the warm-up, 0 of a chain that did not begin.
func (c *Chain) Warmed() int {
	if len(c.Blocks) == 0 {
		return 0
	}
	return c.Blocks[0].Warmup.Transitions
}

// Drawn is the number of draws made, those before a State that the chain went on from
// included.
func (c *Chain) Drawn() int {
	if len(c.Blocks) == 0 {
		return 0
	}
	return c.Blocks[0].Sampling.Transitions
}

// held is the number of draws that the chain holds.
func (c *Chain) held() int {
	if len(c.Draws) == 0 {
		return 0
	}
	return len(c.Draws[0])
}

// Warmup returns the counts of the warm-up, all blocks together.
func (c *Chain) Warmup() (n Totals) {
	for i := range c.Blocks {
		n.Join(&c.Blocks[i].Warmup)
	}
	return n
}

// Sampling returns the counts of the sampling phase, all blocks together.
func (c *Chain) Sampling() (n Totals) {
	for i := range c.Blocks {
		n.Join(&c.Blocks[i].Sampling)
	}
	return n
}

// Result is the outcome of Sample. Column, Columns and the typed draws of generated models
// take the chains as Aligned leaves them; Chains has all that was drawn.
type Result struct {
	Names     []string // of the components of the parameters and quantities kept, as Columns
	StatNames []string // as StatNamesOf
	Chains    []Chain  // in order; Draws shorter than asked for after an interruption

	// Race is how the metric of a Chooser was chosen; nil where there was no choice.
	Race *Race

	discarded bool // Options.Discard
}

// Aligned returns the chains that can be compared, and the number of draws that all of
// them have. After a run that was interrupted chains have different lengths. They are to
// be cut to the shortest; but a chain that has hardly begun would take the draws of all
// others with it, so those with less than half the draws of the longest are left out.
// There are no chains if there are no draws, as with Options.Discard.
func (r *Result) Aligned() (chains []*Chain, draws int) {
	longest := 0
	for i := range r.Chains {
		longest = max(longest, r.Chains[i].held())
	}
	if longest == 0 {
		return nil, 0
	}
	draws = longest
	for i := range r.Chains {
		if n := r.Chains[i].held(); 2*n >= longest {
			chains = append(chains, &r.Chains[i])
			draws = min(draws, n)
		}
	}
	return chains, draws
}

// Column returns the draws of one of Names or StatNames, such as mu, z.3 or lp__: element
// [c][i] is that of draw i of chain c, chains and draws as Aligned. It is nil if there is
// no such column, or no draw. It shares the memory of the Result.
func (r *Result) Column(name string) [][]float64 {
	stats := false
	k := slices.Index(r.Names, name)
	if k < 0 {
		if k, stats = slices.Index(r.StatNames, name), true; k < 0 {
			return nil
		}
	}
	return r.column(k, stats)
}

// Columns returns the draws of all Names, in their order, each as Column does: what
// diagnostics.Summarize takes.
func (r *Result) Columns() [][][]float64 {
	out := make([][][]float64, len(r.Names))
	for k := range out {
		out[k] = r.column(k, false)
	}
	return out
}

// column returns column k of Draws, or of Stats.
func (r *Result) column(k int, stats bool) [][]float64 {
	chains, draws := r.Aligned()
	var out [][]float64
	for _, c := range chains {
		from := c.Draws
		if stats {
			from = c.Stats
		}
		out = append(out, from[k][:draws:draws])
	}
	return out
}

// States returns where the chains stand, for Options.From.
func (r *Result) States() []*State {
	out := make([]*State, len(r.Chains))
	for i := range out {
		out[i] = r.Chains[i].State
	}
	return out
}

// Append adds the draws of a run that went on from the States of r, chain by chain. Then r
// is what one run without a break would have come to, with the times of both parts. It is
// an error, and r stays as it is, if next did not go on from r.
func (r *Result) Append(next *Result) error {
	if !slices.Equal(r.Names, next.Names) || !slices.Equal(r.StatNames, next.StatNames) || len(r.Chains) != len(next.Chains) {
		return errors.New("the draws to append are of another run: their columns or the number of chains differ")
	}
	for i := range r.Chains {
		c, n := &r.Chains[i], &next.Chains[i]
		if n.Drawn()-n.held() != c.Drawn() && (c.held() > 0 || n.held() > 0) {
			return fmt.Errorf("chain %d: the draws to append begin after draw %d, but %d were drawn: go on from the States of this result",
				i+1, n.Drawn()-n.held(), c.Drawn())
		}
	}
	join := func(a, b [][]float64) [][]float64 {
		if len(a) == 0 {
			return b
		}
		for k := range b {
			a[k] = append(a[k], b[k]...)
		}
		return a
	}
	for i := range r.Chains {
		c, n := &r.Chains[i], &next.Chains[i]
		c.Draws, c.Stats = join(c.Draws, n.Draws), join(c.Stats, n.Stats)
		c.Audits, c.Failures = append(c.Audits, n.Audits...), append(c.Failures, n.Failures...)
		c.Blocks, c.State = n.Blocks, n.State
		c.WarmupTime += n.WarmupTime
		c.SamplingTime += n.SamplingTime
	}
	return nil
}

// ComponentNames returns the names of the parameters' components as CmdStan
// writes them: mu for a scalar, beta.1, beta.2, … for a vector, and indices in
// the order of storage (the last fastest) for more dimensions.
func ComponentNames(in *Info) []string {
	names := make([]string, 0, in.Size())
	for i := range in.Params {
		names = appendNames(names, in.Params[i].Name, in.Params[i].Shape)
	}
	return names
}

// CoordinateNames returns the names of the unconstrained coordinates: those of the components where
// each has its own. The coordinates of a simplex are theta.1 to theta.K−1, although no one of them belongs to
// one component.
func CoordinateNames(in *Info) []string {
	names := make([]string, 0, in.Dim())
	for i := range in.Params {
		p := &in.Params[i]
		shape := p.Coordinates
		if shape == nil {
			shape = p.Shape
		}
		names = appendNames(names, p.Name, shape)
	}
	return names
}

// appendNames appends the names of the elements of an array.
func appendNames(names []string, name string, shape []int) []string {
	for k := range product(shape) {
		suffix := ""
		for d := len(shape) - 1; d >= 0; d-- {
			suffix = "." + strconv.Itoa(k%shape[d]+1) + suffix
			k /= shape[d]
		}
		names = append(names, name+suffix)
	}
	return names
}
