package grid

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/elementary"
	"github.com/hamc-dev/hamc/runtime/files"
)

// Result is what was measured of a cell.
type Result struct {
	ID   string `json:"id"`   // Plan.ID of the cell
	Seed uint64 `json:"seed"` // Plan.CellSeed of the cell

	// Problem says why there is nothing else, if there is not: the model does not take its
	// data, or there is no way to start. To run the cell again would change nothing.
	Problem string `json:"problem,omitempty"`

	// Of the transitions of the block that the cell varies, after the warm-up:
	Transitions  int             `json:"transitions"`
	Accepted     int             `json:"accepted"`
	AcceptStat   Number          `json:"accept_stat"`  // mean of min(1, exp(H₀ − H₁)), 0 of one that failed
	Divergent    int             `json:"divergent"`    // H rose by more than 1000
	Irreversible int             `json:"irreversible"` // refused since the way back did not return
	Failures     []FailureCount  `json:"failures,omitempty"`
	Energy       Spread          `json:"energy"`      // of |H₁ − H₀| of all proposals
	EnergyBins   []Bin           `json:"energy_bins"` // of EnergyBin(|H₁ − H₀|)
	OtherBlocks  []BlockAccepted `json:"other_blocks,omitempty"`

	// Of its integrator's steps, the ones of reversibility checks included:
	Steps       int   `json:"steps"`
	FailedSteps int   `json:"failed_steps"`
	Iterations  int   `json:"iterations"`
	FailedIters int   `json:"failed_iterations"` // of the steps that failed
	IterBins    []Bin `json:"iteration_bins"`    // of the iterations of steps that succeeded

	// ESS are the effective sample sizes of the parameters by diagnostics.ESSPaper; none for
	// fresh starts.
	ESS     []ParameterESS `json:"ess,omitempty"`
	ESSMean Number         `json:"ess_mean"`
	ESSMin  Number         `json:"ess_min"`

	// At the draws that are checked: the violations of reversibility and of volume preservation of
	// whole trajectories of Settings.Steps steps.
	Symmetry Spread `json:"symmetry"`
	Volume   Spread `json:"volume"`

	// Of Audited transitions, Unreturned accepted a proposal whose way back fails, or ends farther
	// than runtime.ReverseTolerance from where it began.
	Audited    int `json:"audited"`
	Unreturned int `json:"unreturned"`

	Times Times `json:"times"`
}

// unmeasured is the result of a cell of which nothing is known yet: what is not a count is NaN.
func (p *Plan) unmeasured(c *Cell) *Result {
	nan, none := Number(math.NaN()), spread(nil, 0)
	return &Result{
		ID: p.ID(c), Seed: p.CellSeed(c),
		AcceptStat: nan, ESSMean: nan, ESSMin: nan, Energy: none, Symmetry: none, Volume: none,
	}
}

// Times are the only part of a result that differs from one run of a cell to the next.
type Times struct {
	Seconds float64 `json:"seconds"` // of the transitions after the warm-up, by the clock
	CPU     float64 `json:"cpu"`     // and by the processor's
	Whole   float64 `json:"whole"`   // of the cell, everything included, by the clock
	Host    string  `json:"host"`
}

// FailureCount counts transitions that ended with one status.
type FailureCount struct {
	Status string `json:"status"`
	Count  int    `json:"count"`
}

// BlockAccepted is the number of proposals accepted in a block that the cell does not vary.
type BlockAccepted struct {
	Block    string `json:"block"`
	Accepted int    `json:"accepted"`
}

// ParameterESS is the effective sample size of one parameter.
type ParameterESS struct {
	Name string `json:"name"`
	ESS  Number `json:"ess"`
	Mean Number `json:"mean"` // of the draws
	SD   Number `json:"sd"`
}

// Bin counts occurrences of one small integer.
type Bin struct {
	Value int `json:"value"`
	Count int `json:"count"`
}

// Spread describes a set of numbers by its quantiles. NaN and infinities are not among them but
// counted.
type Spread struct {
	N      int    `json:"n"`
	Lost   int    `json:"lost"` // not finite, or not to be had
	P10    Number `json:"p10"`
	Median Number `json:"median"`
	P90    Number `json:"p90"`
}

// spread describes numbers, of which so many more could not be had. It sorts them.
func spread(values []float64, lost int) Spread {
	finite := slices.DeleteFunc(values, func(x float64) bool { return x-x != 0 })
	s := Spread{N: len(finite), Lost: lost + len(values) - len(finite)}
	q := func(p float64) Number { return Number(diagnostics.Quantile([][]float64{finite}, p)) }
	s.P10, s.Median, s.P90 = Number(math.NaN()), Number(math.NaN()), Number(math.NaN())
	if len(finite) > 0 {
		s.P10, s.Median, s.P90 = q(0.1), q(0.5), q(0.9)
	}
	return s
}

// Number is a floating-point number whose JSON is null where it is not finite, and that reads
// null as NaN.
type Number float64

// MarshalJSON writes the shortest decimals that stand for x, or null.
func (x Number) MarshalJSON() ([]byte, error) {
	if x-x != 0 {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (x *Number) UnmarshalJSON(text []byte) error {
	var v *float64
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	*x = Number(math.NaN())
	if v != nil {
		*x = Number(*v)
	}
	return nil
}

// The range of EnergyBin: energy errors from 10⁻¹⁸ to 10⁴.
const (
	energyDecades   = 4 // bins to a decade
	lowestEnergyBin = -18 * energyDecades
	highEnergyBin   = 4 * energyDecades
)

// EnergyBin returns the bin of an energy error x ≥ 0: ⌊4 log₁₀ x⌋, in the range of −72, where zero is
// too, to 16, where what is not finite is too.
func EnergyBin(x float64) int {
	switch {
	case x != x:
		return highEnergyBin
	case x == 0:
		return lowestEnergyBin
	}
	return int(max(lowestEnergyBin, min(highEnergyBin, math.Floor(energyDecades*elementary.Log10(x)))))
}

// EnergyBinEdge returns the lower end of a bin of EnergyBin, as a power of ten.
func EnergyBinEdge(bin int) float64 { return float64(float64(bin) / energyDecades) }

// counter counts occurrences of integers.
type counter map[int]int

// bins returns the counts in the order of the integers.
func (c counter) bins() []Bin {
	out := make([]Bin, 0, len(c))
	for v, n := range c {
		out = append(out, Bin{v, n})
	}
	slices.SortFunc(out, func(a, b Bin) int { return a.Value - b.Value })
	return out
}

// failures returns the counts of the statuses that occurred.
func failures(counts *[runtime.NumStatus]int) []FailureCount {
	var out []FailureCount
	for st, n := range counts {
		if n > 0 && runtime.Status(st) != runtime.OK {
			out = append(out, FailureCount{runtime.Status(st).String(), n})
		}
	}
	return out
}

// ReadResult returns the result of a cell from the directory of its plan. The error is
// fs.ErrNotExist where there is none.
func (p *Plan) ReadResult(dir string, c *Cell) (*Result, error) {
	path := p.ResultPath(dir, c)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: the file is damaged; remove it to have the cell run again: %w", path, err)
	}
	if id := p.ID(c); r.ID != id {
		return nil, fmt.Errorf("%s: the file is of another cell, %s; remove it to have the cell run again", path, r.ID)
	}
	return r, nil
}

// writeResult writes the result of a cell, all of it or nothing.
func (p *Plan) writeResult(dir string, c *Cell, r *Result) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return files.Replace(p.ResultPath(dir, c), append(text, '\n'))
}
