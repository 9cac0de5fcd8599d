package main

import (
	"math"
	"strconv"
	"strings"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/draws"
	"github.com/hamc-dev/hamc/runtime/driver"
)

// evidence is what the files of a run say of its draws and of the sampler. The warnings are
// found in it.
type evidence struct {
	rows       []diagnostics.Summary
	started    int // chains
	unfinished int // of them
	blocks     []blockEvidence
	tails      []tailEvidence
	named      bool // diagnose can name statements to blame for failures
}

// blockEvidence is what is known of the updates of one block.
type blockEvidence struct {
	name       string  // "" for a run that is one block
	integrator string  // "" if not known
	maxDepth   int     // of dynamic trajectories; 0 for static ones, or if not known
	target     float64 // acceptance that the step size was adapted to; NaN if it was given, or is not known
	chains     []chainEvidence
}

// chainEvidence is what the draws of one chain tell of the updates of a block. Numbers that
// the files do not hold are NaN.
type chainEvidence struct {
	number       int
	transitions  int
	accept       float64 // mean
	stepSize     float64
	doublings    float64 // extra
	depth        float64 // mean
	steps        float64 // sum
	iterations   float64 // sum
	ebfmi        float64
	divergent    int // 0 too if the files do not tell
	irreversible int
	tells        struct{ divergent, irreversible bool }
	saturated    int              // at the maximal depth
	failures     [numFailures]int // by status
}

// numFailures is the number of statuses, and one for those that this version does not know.
const numFailures = int(runtime.NumStatus) + 1

// failed counts the transitions with a status other than OK.
func (c *chainEvidence) failed() int {
	n := 0
	for _, k := range c.failures[1:] {
		n += k
	}
	return n
}

// dynamic reports whether the trajectories are known to be dynamic.
func (b *blockEvidence) dynamic() bool { return b.maxDepth > 0 }

// total sums a count over the chains.
func (b *blockEvidence) total(of func(*chainEvidence) int) (n int) {
	for i := range b.chains {
		n += of(&b.chains[i])
	}
	return n
}

// transitions counts those of all chains.
func (b *blockEvidence) transitions() int {
	return b.total(func(c *chainEvidence) int { return c.transitions })
}

// newEvidence collects what the chains of a summary tell. The manifest is nil where there is
// none.
func newEvidence(s *summary, man *driver.Manifest) *evidence {
	e := &evidence{rows: s.rows, started: s.started, unfinished: s.unfinished}
	e.tails = acceptanceInTails(s.kept, s.draws)
	first := s.kept[0]
	names := blockNames(first.Columns)
	whole := len(names) == 0
	if whole {
		names = []string{""}
	}
	for _, name := range names {
		prefix, setting := "", ""
		if name != "" {
			prefix, setting = name+"_", name+"."
		}
		b := blockEvidence{name: name, integrator: first.Setting(setting + "integrator"), target: math.NaN()}
		b.maxDepth = wholeNumber(first.Setting(setting + "max_treedepth"))
		if whole && b.integrator == "" && first.Setting("engine") == "nuts" {
			b.maxDepth = wholeNumber(first.Setting("max_depth")) // of CmdStan itself
		}
		doublings := math.NaN()
		if man != nil {
			t := man.Options.For(name)
			if t.StepSize == 0 {
				b.target = t.TargetAccept
			}
			if t.Steps == 0 && t.ExtraDoublings != runtime.AdaptDoublings {
				doublings = float64(t.ExtraDoublings)
			}
		}
		for _, c := range s.kept {
			x := chainEvidence{number: c.Number, transitions: s.draws, doublings: doublings}
			stat := func(name string) []float64 {
				if v := c.Column(prefix + name); v != nil {
					return v[c.Warmup:][:s.draws]
				}
				return nil
			}
			if k, err := strconv.Atoi(c.Setting(setting + extraDoublings)); err == nil {
				x.doublings = float64(k)
			}
			x.accept, x.stepSize, x.depth = mean(stat("accept_stat__")), mean(stat("stepsize__")), mean(stat("treedepth__"))
			x.steps, x.iterations = sum(stat("n_leapfrog__")), sum(stat("solver_iterations__"))
			x.divergent, x.irreversible = count(stat("divergent__")), count(stat("irreversible__"))
			x.tells.divergent, x.tells.irreversible = stat("divergent__") != nil, stat("irreversible__") != nil
			if b.dynamic() {
				for _, d := range stat("treedepth__") {
					if d >= float64(b.maxDepth) {
						x.saturated++
					}
				}
			} else {
				x.depth = math.NaN()
			}
			for _, st := range stat("failure__") {
				if !(st >= 0 && st < float64(runtime.NumStatus)) {
					st = float64(runtime.NumStatus)
				}
				x.failures[int(st)]++
			}
			x.ebfmi = math.NaN()
			if whole {
				x.ebfmi = diagnostics.EBFMI(stat("energy__"))
			}
			b.chains = append(b.chains, x)
		}
		e.blocks = append(e.blocks, b)
	}
	return e
}

// extraDoublings is the name of the setting that tells what the warm-up chose.
const extraDoublings = "extra_doublings"

// blockNames returns the names of the blocks whose statistics stand among the columns.
func blockNames(columns []string) []string {
	var names []string
	for _, c := range columns {
		if b, ok := strings.CutSuffix(c, "_"+runtime.BlockStatNames[0]); ok && draws.IsStatistic(c) {
			names = append(names, b)
		}
	}
	return names
}

// wholeNumber reads the number of a setting, 0 where there is none.
func wholeNumber(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// sum returns Σ x, NaN of a column that is missing.
func sum(x []float64) float64 {
	if x == nil {
		return math.NaN()
	}
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

// mean returns the mean of x, NaN of a column that is missing.
func mean(x []float64) float64 { return sum(x) / float64(len(x)) }

// count returns how many are not 0.
func count(x []float64) int {
	n := 0
	for _, v := range x {
		if v != 0 {
			n++
		}
	}
	return n
}
