// Package report writes what a run came to as one HTML file: the diagnostics,
// the table of parameters, and the plots by which the draws are judged. The file
// needs nothing beside it, no network and no library; its script only draws what
// this package has computed. The same run gives the same bytes.
package report

import (
	"errors"
	"fmt"
	"io"

	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

// Run is what a report is about. Write does not modify it.
type Run struct {
	Title    string    // the model's name
	Model    string    // its source text, or ""
	Sampler  string    // the sampler in a few words, or ""
	Settings []Setting // in the order in which they are shown

	// Params are the names of the parameters' components and Stats those of
	// the sampler's statistics, in CmdStan's spelling (lp__, energy__, …).
	// Statistics that are missing cost the plots that need them.
	Params, Stats []string

	// Generated is how many of the last of Params are generated quantities. No limit is about them, and
	// they stand behind the others.
	Generated int

	// Blocks are the names of the blocks of a run in several. The statistic
	// accept_stat__ of block b is called b_accept_stat__.
	Blocks []string

	Chains []Chain // of one length

	// Summary has a row for each of Params, with quantiles at Probabilities.
	Summary       []diagnostics.Summary
	Probabilities []float64

	Limits   Limits
	Warnings []Warning
	Notes    []string // on draws that were left out, and the like

	// FailureNames are the names of the values 0, 1, … of failure__.
	FailureNames []string

	Audit []AuditPoint // may be empty

	Geometry *Geometry // nil where nothing was chosen
}

// Geometry is how the metric of a run was chosen.
type Geometry struct {
	Why        string // in a sentence
	Candidates []Candidate
}

// Candidate is a metric, and what its pilot came to in the race of the warm-up.
type Candidate struct {
	Name    string
	Chosen  bool
	Doubt   string  // why its draws are no guide, or ""
	Merit   float64 // effective draws for a million operations, of the slowest coordinate or the log density
	Steps   float64 // for a transition
	Trouble float64 // the share of transitions that failed, diverged or had steps that were halved
}

// Setting is one named value.
type Setting struct{ Name, Value string }

// Chain holds the draws of one chain.
type Chain struct {
	Number int
	Draws  [][]float64 // Draws[k][i] is draw i of Params[k]
	Stats  [][]float64 // Stats[k][i] is Stats[k] of draw i
}

// Limits are the values beyond which a diagnostic speaks against the draws.
type Limits struct {
	RHat  float64 // above
	ESS   float64 // below, bulk and tail
	EBFMI float64 // below
	Share float64 // of transitions that failed, or were irreversible: above
}

// Warning is one reason not to trust the draws.
type Warning struct {
	What    string // what was found, in a few words
	Meaning string // what that says about the draws
	Try     string // what may help
}

// AuditPoint is what one transition's trajectory came to when it was integrated
// back and its Jacobian was estimated: the two measures of the appendix "Volume
// Preservation and Symmetry Metrics" of Brofos and Lederman (2021).
type AuditPoint struct {
	Reversibility float64 // distance between the start and where the way back ended
	Volume        float64 // | |det ∂(q', p')/∂(q, p)| − 1 |
}

// Write writes the report of a run to w. It is an error if the run has no draws
// or no parameters, or if its parts do not fit each other; nothing is written
// then. Other errors are those of w.
func Write(w io.Writer, r *Run) error {
	if err := r.check(); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	p, err := newPage(r)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return p.write(w)
}

// check returns an error if the parts do not fit each other.
func (r *Run) check() error {
	if len(r.Chains) == 0 || len(r.Params) == 0 || len(r.Chains[0].Draws) == 0 || len(r.Chains[0].Draws[0]) == 0 {
		return errors.New("there are no draws")
	}
	if r.Generated < 0 || r.Generated >= len(r.Params) {
		return fmt.Errorf("%d generated quantities among %d columns", r.Generated, len(r.Params))
	}
	if len(r.Summary) != len(r.Params) {
		return fmt.Errorf("%d rows of the summary for %d parameters", len(r.Summary), len(r.Params))
	}
	for k, s := range r.Summary {
		if s.Name != r.Params[k] {
			return fmt.Errorf("row %d of the summary is of %s instead of %s", k+1, s.Name, r.Params[k])
		}
		if len(s.Quantiles) != len(r.Probabilities) {
			return fmt.Errorf("%s: %d quantiles for %d probabilities", s.Name, len(s.Quantiles), len(r.Probabilities))
		}
	}
	n := r.draws()
	for _, c := range r.Chains {
		if len(c.Draws) != len(r.Params) || len(c.Stats) != len(r.Stats) {
			return fmt.Errorf("chain %d has %d parameters and %d statistics instead of %d and %d", c.Number, len(c.Draws), len(c.Stats), len(r.Params), len(r.Stats))
		}
		for _, columns := range [][][]float64{c.Draws, c.Stats} {
			for _, x := range columns {
				if len(x) != n {
					return fmt.Errorf("chain %d has columns of %d and of %d draws", c.Number, len(x), n)
				}
			}
		}
	}
	return nil
}

// judged is the number of the parameters, which come before the generated quantities.
func (r *Run) judged() int { return len(r.Params) - r.Generated }

// draws returns the number of draws of each chain.
func (r *Run) draws() int { return len(r.Chains[0].Draws[0]) }

// stat returns a statistic by chain, or nil if the run does not have it.
func (r *Run) stat(name string) [][]float64 {
	for k, s := range r.Stats {
		if s == name {
			out := make([][]float64, len(r.Chains))
			for c := range r.Chains {
				out[c] = r.Chains[c].Stats[k]
			}
			return out
		}
	}
	return nil
}

// param returns the draws of parameter k by chain.
func (r *Run) param(k int) [][]float64 {
	out := make([][]float64, len(r.Chains))
	for c := range r.Chains {
		out[c] = r.Chains[c].Draws[k]
	}
	return out
}
