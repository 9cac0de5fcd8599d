package driver

import (
	"errors"
	"slices"

	"github.com/hamc-dev/hamc/runtime"
)

// Request is what a sampler reads from standard input: one JSON object.
// Options that it leaves out have the values of runtime.DefaultOptions.
type Request struct {
	Data      string          `json:"data"`      // path of the data file; "" for a model without data
	Output    string          `json:"output"`    // directory for chain_1.csv, chain_2.csv, …; made if missing
	Overwrite bool            `json:"overwrite"` // replace files of an earlier run, see NoteProduct too
	Options   runtime.Options `json:"options"`
	Target    Target          `json:"target"`

	// Resume goes on with the run in Output: its settings must be these, but for the
	// number of draws, which may be larger.
	Resume bool `json:"resume"`

	Origin Origin `json:"origin"` // kept in the manifest
}

// The values of Event.Event.
const (
	EventStart    = "start"    // the run is valid and begins
	EventProgress = "progress" // how far one chain has come
	EventDone     = "done"     // the run is over; last event but for an error
	EventError    = "error"    // the run failed; last event
)

// Event is one line of JSON on standard output. Event says which of the other
// members is there.
type Event struct {
	Event    string    `json:"event"`
	Start    *Start    `json:"start,omitempty"`
	Progress *Progress `json:"progress,omitempty"`
	Done     *Done     `json:"done,omitempty"`
	Error    string    `json:"error,omitempty"`

	// Refused are the points at which an error of the start was found.
	Refused []Refused `json:"refused,omitempty"`
}

// Refused is a point at which a chain cannot start.
type Refused struct {
	Chain int       `json:"chain"` // from 1
	Q     []float64 `json:"q"`     // unconstrained coordinates
}

// RefusedStarts returns the points that an error of Run is about, if it is one about
// starting points. Those with coordinates that are not finite are left out.
func RefusedStarts(err error) []Refused {
	var list runtime.StartErrors
	if !errors.As(err, &list) {
		return nil
	}
	var out []Refused
	for _, e := range list {
		if e.Q != nil && !slices.ContainsFunc(e.Q, func(v float64) bool { return v-v != 0 }) {
			out = append(out, Refused{Chain: e.Chain, Q: e.Q})
		}
	}
	return out
}

// Start describes the run that begins.
type Start struct {
	Model   string          `json:"model"`
	Names   []string        `json:"names"` // of the parameters' components
	Options runtime.Options `json:"options"`
	Files   []string        `json:"files"` // of draws, one for each chain
	Resumed bool            `json:"resumed"`

	// Left names what was made from draws that are replaced now, and stays because it
	// was changed since.
	Left []string `json:"left,omitempty"`
}

// Progress is how far one chain has come. It is sent about ten times a second
// while the chain moves, and once when it has finished.
type Progress struct {
	Chain        int           `json:"chain"` // from 1
	Phase        runtime.Phase `json:"phase"` // waiting, warmup, sampling or finished
	Done         int           `json:"done"`  // transitions, warm-up included
	Total        int           `json:"total"`
	Rate         float64       `json:"rate"` // transitions per second, since the last event
	Failures     int           `json:"failures"`
	Divergent    int           `json:"divergent"`
	Irreversible int           `json:"irreversible"`
	StepSize     float64       `json:"step_size"`
}

// Done sums up a run.
type Done struct {
	Interrupted bool           `json:"interrupted"`
	Short       *Short         `json:"short,omitempty"` // of the target
	Seconds     float64        `json:"seconds"`
	Chains      []ChainSummary `json:"chains"`
}

// ChainSummary sums up one chain, block by block. The positions of by_status are
// those of runtime.Status.
type ChainSummary struct {
	Chain           int                `json:"chain"` // from 1
	File            string             `json:"file"`
	Blocks          []runtime.BlockRun `json:"blocks"`
	WarmupSeconds   float64            `json:"warmup_seconds"`
	SamplingSeconds float64            `json:"sampling_seconds"`
}

// Draws returns the number of draws of the chain.
func (c *ChainSummary) Draws() int { return c.Blocks[0].Sampling.Transitions }

// Short tells that a run stopped at its largest number of draws, short of its target.
type Short struct {
	Name  string  `json:"name"`  // of the component with the least effective sample size
	ESS   float64 `json:"ess"`   // 0 where it is not defined
	Draws int     `json:"draws"` // per chain
}
