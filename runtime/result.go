package runtime

import (
	"strconv"
	"time"
)

// StatNames are the sampler statistics that accompany each draw, in the order
// of the columns of a CmdStan file. treedepth__ is 0: these trajectories have
// no tree. solver_iterations__ counts fixed-point iterations, failure__ is a
// Status, and irreversible__ is 1 where a proposal was refused because the way
// back did not return.
var StatNames = [...]string{
	"lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__",
	"energy__", "solver_iterations__", "failure__", "irreversible__",
}

// NumStats is the number of sampler statistics.
const NumStats = len(StatNames)

// stats writes the statistics of t to row[:NumStats], in the order of
// StatNames.
func (t *Transition) stats(row []float64) {
	_ = row[:NumStats]
	row[0] = t.LogDensity
	row[1] = t.Accept
	row[2] = t.StepSize
	row[3] = 0
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
	Irreversible int `json:"irreversible"`
	Steps        int `json:"steps"`
	Iterations   int `json:"solver_iterations"`

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
	if t.Irreversible {
		n.Irreversible++
	}
}

// Failures returns the number of transitions whose solver or energy failed.
func (n *Totals) Failures() int { return n.Transitions - n.ByStatus[OK] }

// Chain is the outcome of one chain.
type Chain struct {
	// Draws holds one column for each name of Result.Names, Stats one for
	// each of StatNames. Both are empty with Options.Discard.
	Draws [][]float64
	Stats [NumStats][]float64

	StepSize         float64 // of the sampling phase
	Warmup, Sampling Totals

	WarmupTime, SamplingTime time.Duration
}

// Result is the outcome of Sample.
type Result struct {
	Names  []string // of the parameters' components, as ComponentNames
	Chains []Chain  // in order; Draws shorter than asked for after an interruption
}

// ComponentNames returns the names of the parameters' components as CmdStan
// writes them: mu for a scalar, beta.1, beta.2, … for a vector, and indices in
// the order of storage (the last fastest) for more dimensions.
func ComponentNames(in *Info) []string {
	names := make([]string, 0, in.Dim())
	for i := range in.Params {
		p := &in.Params[i]
		for k := range p.Size() {
			suffix := ""
			for d := len(p.Shape) - 1; d >= 0; d-- {
				suffix = "." + strconv.Itoa(k%p.Shape[d]+1) + suffix
				k /= p.Shape[d]
			}
			names = append(names, p.Name+suffix)
		}
	}
	return names
}
