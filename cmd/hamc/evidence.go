package main

import (
	"math"
	"slices"
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
	apart      *apart        // nil where the chains lie together
	race       *runtime.Race // nil where there was none
	jumps      *driver.Jumps // nil where there were none
	named      bool          // diagnose can name statements to blame for failures
}

// blockEvidence is what is known of the updates of one block.
type blockEvidence struct {
	name       string  // "" for a run that is one block
	integrator string  // "" if not known
	maxDepth   int     // of dynamic trajectories; 0 for static ones, or if not known
	halves     bool    // steps of dynamic trajectories may be halved
	target     float64 // acceptance that the step size was adapted to; NaN if it was given, or is not known
	chains     []chainEvidence
	audits     []runtime.Audit
}

// chainEvidence is what the draws of one chain tell of the updates of a block. Numbers that
// the files do not hold are NaN.
type chainEvidence struct {
	number       int
	transitions  int
	accept       float64 // mean
	stepSize     float64
	doublings    float64 // extra
	fixed        int     // steps of trajectories, that the warm-up chose; 0 of dynamic ones
	bends        int     // coordinates that are bent
	follows      bool    // it draws from where the highest chain stood
	depth        float64 // mean
	steps        float64 // sum
	iterations   float64 // sum
	ebfmi        float64
	lp, lpSD     float64 // mean and standard deviation of the log density; NaN where it is not told
	divergent    int     // 0 too if the files do not tell
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

// lower counts the chains at modes that are lower than that of the highest chain, and returns by how much the lowest is, and its number.
func (e *evidence) lower() (low int, most float64, which int) {
	chains := e.blocks[0].chains
	best := 0
	for i := range chains {
		if chains[i].lp > chains[best].lp {
			best = i
		}
	}
	for i := range chains {
		if d := chains[best].lp - chains[i].lp; d > minGap && d > gapSDs*chains[i].lpSD && d > gapSDs*chains[best].lpSD {
			if low++; d > most {
				most, which = d, chains[i].number
			}
		}
	}
	return low, most, which
}

// refines reports whether all chains make finer steps where those of the warm-up are too large: dynamic trajectories halve steps, and
// those of a number of steps that the warm-up chose follow one that was refused.
func (e *evidence) refines() bool {
	for _, b := range e.blocks {
		for i := range b.chains {
			if !b.halves && b.chains[i].fixed == 0 {
				return false
			}
		}
	}
	return true
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

// moving leaves out what is the same number in all draws whatever they are: nothing speaks against draws that do not move there.
func moving(rows []diagnostics.Summary, params []runtime.Param) []diagnostics.Summary {
	fixed := map[string]bool{}
	for n := range params {
		p := &params[n]
		if p.Constants == runtime.NoConstants {
			continue
		}
		for k := range p.Size() {
			name, at := "", make([]int, len(p.Shape))
			for d := len(at) - 1; d >= 0; d-- {
				at[d] = k%p.Shape[d] + 1
				k /= p.Shape[d]
				name = "." + strconv.Itoa(at[d]) + name
			}
			fixed[p.Name+name] = p.Constants.Has(at[len(at)-2], at[len(at)-1])
		}
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r diagnostics.Summary) bool { return fixed[r.Name] })
}

// newEvidence collects what the chains and the audits of a run tell. The manifest is nil where there is
// none.
func newEvidence(s *summary, man *driver.Manifest, audits []runtime.Audit) *evidence {
	e := &evidence{rows: s.rows, started: s.started, unfinished: s.unfinished}
	if man != nil {
		e.race, e.jumps = man.Race, man.Jumps
		e.rows = moving(s.rows, man.Params)
	}
	e.tails, e.apart = acceptanceInTails(s.kept, s.draws), chainsApart(s.kept, s.draws, e.rows)
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
		for _, a := range audits {
			if a.Block == name {
				b.audits = append(b.audits, a)
			}
		}
		doublings := math.NaN()
		if man != nil {
			t := man.Options.For(name)
			if k, err := runtime.ParseIntegrator(b.integrator); err == nil {
				if t.StepSize == 0 {
					b.target = t.Target(k)
				}
				b.halves = k == runtime.Leapfrog && b.dynamic() && t.MaxHalvings > 0
			}
			if t.Steps == 0 && t.ExtraDoublings != runtime.AdaptDoublings {
				doublings = float64(t.ExtraDoublings)
			}
		}
		for _, c := range s.kept {
			b.chains = append(b.chains, b.chain(c, s.draws, prefix, setting, doublings))
		}
		e.blocks = append(e.blocks, b)
	}
	return e
}

// chain is what the statistics of a chain say of the block. Columns are named with the prefix, settings with theirs.
func (b *blockEvidence) chain(c *draws.Chain, transitions int, prefix, setting string, doublings float64) chainEvidence {
	x := chainEvidence{number: c.Number, transitions: transitions, doublings: doublings}
	if c.Every > 1 {
		x.transitions = c.All()
	}
	stat := func(name string) []float64 {
		if v := c.Column(prefix + name); v != nil {
			return v[c.Warmup:][:transitions]
		}
		return nil
	}
	tally := func(name string) *draws.Tally { // nil of a column that is missing
		t := c.Tally(prefix + name)
		if v := stat(name); t == nil && v != nil {
			t = &draws.Tally{}
			for _, y := range v {
				t.Add(y)
			}
		}
		return t
	}
	x.fixed, x.bends = wholeNumber(c.Setting(setting+fixedSteps)), wholeNumber(c.Setting(setting+bentCoordinates))
	x.follows = c.Setting(setting+followsHighest) == "true"
	if k, err := strconv.Atoi(c.Setting(setting + extraDoublings)); err == nil {
		x.doublings = float64(k)
	}
	x.accept, x.stepSize, x.depth = mean(tally("accept_stat__")), mean(tally("stepsize__")), mean(tally("treedepth__"))
	x.steps, x.iterations = sum(tally("n_leapfrog__")), sum(tally("solver_iterations__"))
	x.divergent, x.irreversible = count(tally("divergent__")), count(tally("irreversible__"))
	x.tells.divergent, x.tells.irreversible = tally("divergent__") != nil, tally("irreversible__") != nil
	if b.dynamic() {
		if t := tally("treedepth__"); t != nil {
			x.saturated = t.Other
			for d := b.maxDepth; d < len(t.Small); d++ {
				x.saturated += t.Small[d]
			}
		}
	} else {
		x.depth = math.NaN()
	}
	if t := tally("failure__"); t != nil {
		copy(x.failures[:runtime.NumStatus], t.Small[:])
		x.failures[runtime.NumStatus] = t.N
		for _, n := range x.failures[:runtime.NumStatus] {
			x.failures[runtime.NumStatus] -= n
		}
	}
	x.lp, x.lpSD = math.NaN(), math.NaN()
	if v := c.Column("lp__"); v != nil && len(v) >= c.Warmup+transitions && transitions > 1 {
		x.lp, x.lpSD = moments(v[c.Warmup:][:transitions])
	}
	x.ebfmi = math.NaN()
	if t := c.Tally("energy__"); b.name == "" && t != nil {
		x.ebfmi = t.EBFMI()
	} else if b.name == "" {
		x.ebfmi = diagnostics.EBFMI(stat("energy__"))
	}
	return x
}

// moments returns the mean and the standard deviation.
func moments(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sd += (x - mean) * (x - mean) / float64(len(v)-1)
	}
	return mean, math.Sqrt(sd)
}

// The names of the settings that tell what the warm-up chose.
const (
	extraDoublings  = "extra_doublings"
	fixedSteps      = "fixed_steps"
	bentCoordinates = "bends"
	followsHighest  = "follows"
)

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

// sum returns the sum of a column, NaN of one that is missing.
func sum(t *draws.Tally) float64 {
	if t == nil {
		return math.NaN()
	}
	return t.Sum
}

// mean returns the mean of a column, NaN of one that is missing.
func mean(t *draws.Tally) float64 {
	if t == nil {
		return math.NaN()
	}
	return t.Sum / float64(t.N)
}

// count returns how many of a column are not 0.
func count(t *draws.Tally) int {
	if t == nil {
		return 0
	}
	return t.NonZero
}
