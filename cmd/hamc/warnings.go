package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

// The limits beyond which a diagnostic speaks against the draws.
const (
	maxRHat = 1.01  // Vehtari et al. (2021)
	minESS  = 400.0 // likewise

	// minEBFMI is Betancourt's (2016). Of 50 runs of funnels and heavy tails in coordinates that do not know of them, 0.02 to 0.07 in all, 36 had nothing else against them: the
	// probabilities that they gave to 5, 50 and 95 % were off by 1.07 standard errors, by the root of the mean square. Of the others an R-hat, effective sample sizes or chains that follow told.
	minEBFMI = 0.3

	// maxShare is the share of transitions that may fail, be refused as irreversible or
	// reach the maximal depth.
	maxShare = 0.05

	// maxCutShort is the share of dynamic trajectories that a failure of the solver may end before it speaks
	// against the draws. It does not bias them; where a region is hardly visited for it, the
	// acceptance falls off in a tail, or chains disagree. The means, sds and quantiles of the banana are right at 9 %.
	maxCutShort = 0.25

	// maxSD is the standard deviation from which parameters that have not mixed are taken to have run off. Of three whose posterior was improper, draws reached 1e34, 1e39 and 1e153.
	maxSD = 1e15

	// maxViolation is the median violation of reversibility or volume in an audit, in units of the metric: of a
	// step, or of a static trajectory. At 0.003 standard deviations of dynamic
	// trajectories are off by 1 % and more (docs/integrators.md, what δ leaves behind).
	maxViolation = 0.003

	// minAccept is the least mean acceptance of a chain, in terms of the target that its
	// step size was adapted to.
	minAccept = 0.8

	// minTailAccept is the least mean acceptance of the transitions from a tail of a parameter, in terms of the mean of
	// all. Of 41 runs on posteriors with a tail that such runs visit too seldom 40 were below it, and of 39 others one.
	minTailAccept = 0.7

	// minFineTailAccept is that where steps are refined. Of 60 runs of four posteriors, the former ones among them, 23 had tails between 0.5 and 0.7: these 43 tails were visited 1.09 times
	// as often as by runs of a target of 0.99. Of 102 runs of ten other posteriors two were below 0.5.
	minFineTailAccept = 0.5

	// maxDivergent is the share of dynamic trajectories that may diverge where steps are refined: what is left there are walls, which a step of a 256th does not climb either, and no curvature. Of 24
	// runs of four posteriors with necks, in coordinates that do not know of them, eight had more; the two with fewer, but some, were right, and all that were wrong had an R-hat above 1.01.
	maxDivergent = 0.001

	// minGap and gapSDs tell a mode that is lower from the spread of the log density within one.
	minGap, gapSDs = 10.0, 5.0

	// maxCost is the largest cost of an effective draw with the metric that a model states, in terms of that with a Euclidean one.
	maxCost = 3.0

	// maxKHat is the largest shape of a tail with which the mean of any practical number of draws tells the
	// expectation (Vehtari et al. 2024).
	maxKHat = 0.7
)

// warningRule is a row of the table of warnings.
type warningRule struct {
	// condition and limit are the row of docs/output.md.
	condition, limit string

	// find says in a few words what was found, once for the run or for each block that
	// it holds of.
	find func(e *evidence) []string

	brief   string // what it means and what to try, in half a line
	parted  string // likewise where another warning says that chains are at different places, which more draws do not mend; "" where it is the same
	meaning string // what it says about the draws
	try     string // what may help

	// failures marks what the model itself may be to blame for.
	failures bool

	// cost marks what is a matter of computing time and not of trust.
	cost bool

	// posterior marks what is a property of the posterior and does not speak against the draws.
	posterior bool
}

// warning is one finding.
type warning struct {
	*warningRule
	what string
}

// line is the warning in one line.
func (w *warning) line() string { return w.what + ": " + w.brief }

// headline is what was found, as the beginning of a sentence.
func (w *warning) headline() string {
	r, n := utf8.DecodeRuneInString(w.what)
	return string(unicode.ToUpper(r)) + w.what[n:]
}

// warningRules is the table of warnings, in the order in which they are shown.
var warningRules = []warningRule{
	{
		condition: "chains that did not end", limit: "any",
		find: func(e *evidence) []string {
			if e.unfinished == 0 {
				return nil
			}
			return []string{fmt.Sprintf("%d of %s did not end", e.unfinished, plural(e.started, "chain"))}
		},
		brief:   "the run was interrupted, or goes on",
		meaning: "The run was interrupted, has failed, or goes on at this moment. The draws so far are sound, but fewer than were asked for.",
		try:     "hamc run --resume with the directory of the run.",
	},
	{
		condition: "R-hat or effective sample size undefined", limit: "any",
		find: func(e *evidence) []string {
			out := e.parameters("R-hat or effective sample size undefined", func(p *diagnostics.Summary) bool {
				return math.IsNaN(p.RHat + p.ESSBulk + p.ESSTail)
			}, nil)
			if list := constants(e.rows); list != "" {
				out[0] += " (constant: " + list + ")"
			}
			return out
		},
		brief:   "too few draws, or draws that do not move",
		meaning: "These parameters have too few draws, draws that do not move, or draws that are not finite. Nothing can be said of their convergence.",
		try:     "a longer run; a look at the model, if a parameter is meant to move.",
	},
	{
		condition: "R-hat", limit: "above 1.01",
		find: func(e *evidence) []string {
			out := e.parameters(fmt.Sprintf("R-hat above %.4g", maxRHat), func(p *diagnostics.Summary) bool { return p.RHat > maxRHat },
				func(p *diagnostics.Summary) (float64, string) { return p.RHat, fmt.Sprintf("%.4g", p.RHat) })
			if p := e.runOff(); p != nil {
				out[0] += fmt.Sprintf(" (draws of %s reach %.0e: if no prior holds it, the posterior is improper, and has to have one)", p.Name, p.SD)
			}
			return out
		},
		brief:   "the chains have not mixed; run longer, reparametrise, or take another metric",
		parted:  "the chains are at different places",
		meaning: "The chains disagree about these parameters: they have not mixed, and means and quantiles depend on where the chains began.",
		try:     "a longer warm-up and more draws; another parametrisation; another metric. The traces and rank plots of the report show which chains differ.",
	},
	{
		condition: "chains in two groups that lie apart: of a parameter with an R-hat above 1.05, but a hundredth of the draws on either side", limit: "any",
		find: func(e *evidence) []string {
			if low, _, _ := e.lower(); e.apart == nil || low > 0 {
				return nil
			}
			return []string{e.apart.String()}
		},
		brief:   "no chain passes from one to the other, and how much each counts is not known; try --init prior, another --seed, or a prior that tells them apart",
		meaning: "Each of these places may be a mode of the posterior: one by chance of where chains began, or one of several that are alike, as components of a mixture or factors that may change places or signs. Chains do not cross between them, so the share of each is not known, and more draws do not help. Of a scale that is near 0 in some chains and not in others it is the neck of a funnel, which chains hardly enter or leave.",
		try:     "--init prior, or --init with values near what is plausible; another --seed, to see which places are found again. Components that may change places are told apart by `ordered`, factors by the signs of some loadings, other modes by what the prior knows. In a neck: a larger --target-accept, or the vector that the scale is of, written by its standard variates.",
	},
	{
		condition: "mean log density of a chain, beside that of the highest", limit: "lower by 10 and by 5 standard deviations",
		find: func(e *evidence) []string {
			low, most, which := e.lower()
			switch {
			case low == 0:
				return nil
			case low == 1:
				return []string{fmt.Sprintf("the log density of chain %d is lower than that of the others by %.0f", which, most)}
			}
			return []string{fmt.Sprintf("the log density of %d of %d chains is lower than that of the highest, by up to %.0f", low, len(e.blocks[0].chains), most)}
		},
		brief:   "a mode so much lower counts for next to nothing, unless it is as much wider; run again with another --seed, or with --init",
		meaning: "These chains are at another mode of the posterior, whose height is lower by e to the power of that number: unless it is as much wider, it has no share in the posterior, and the draws there tell nothing. Chains do not cross from one mode to another.",
		try:     "another --seed, or --init with values near what is plausible; a prior that excludes what cannot be. Where both modes are real, sample each on its own.",
	},
	{
		condition: "chains that draw from where the highest one stood, since all their warm-ups came to nothing", limit: "all but one",
		find: each(func(b *blockEvidence) string {
			n := b.total(func(c *chainEvidence) int {
				if c.follows {
					return 1
				}
				return 0
			})
			if n == 0 || n < len(b.chains)-1 {
				return ""
			}
			return fmt.Sprintf("%d of %d chains draw from where the other one stood", n, len(b.chains))
		}),
		brief:   "one chain alone came there, so that R-hat tells nothing; run again with another --seed, with --init, or with a prior that holds what runs off",
		meaning: "Each of these chains came to where next to nothing of the posterior is, as the level of the highest chain showed, from every start and from where that one was. They draw from its place, with its metric and step size. That it is the right place is known from one chain only, and that the chains agree proves nothing.",
		try:     "another --seed; --init with values near what is plausible; proper priors of what runs off, as of variances and levels.",
	},
	{
		condition: "effective sample size, bulk or tail", limit: "below 400",
		find: func(e *evidence) []string {
			least := func(p *diagnostics.Summary) float64 { return math.Min(p.ESSBulk, p.ESSTail) }
			return e.parameters(fmt.Sprintf("effective sample size below %.0f", minESS), func(p *diagnostics.Summary) bool { return least(p) < minESS },
				func(p *diagnostics.Summary) (float64, string) {
					return -least(p), fmt.Sprintf("%.0f", math.Min(math.Round(least(p)), minESS-1))
				})
		},
		brief:   "quantiles are uncertain; run longer",
		parted:  "chains at different places count as few draws",
		meaning: "The draws are worth few independent ones. Means and, more so, quantiles are uncertain, and R-hat itself is.",
		try:     "more draws; another parametrisation or metric, if the autocorrelation falls slowly.",
	},
	{
		condition: "E-BFMI of a chain; not of runs in blocks: a matter of cost, not of trust", limit: "below 0.3",
		find: func(e *evidence) []string {
			low, least := 0, math.Inf(1)
			for i := range e.blocks[0].chains {
				if v := e.blocks[0].chains[i].ebfmi; v < minEBFMI {
					low, least = low+1, math.Min(least, v)
				}
			}
			if low == 0 {
				return nil
			}
			return []string{fmt.Sprintf("E-BFMI below %.1f in %d of %s, the least %.2f", minEBFMI, low, plural(len(e.blocks[0].chains), "chain"), least)}
		},
		brief:   "the tails take many draws, and R-hat and effective sample sizes tell whether these were enough; another parametrisation may pay",
		meaning: "Fresh momenta change the energy little compared with how much it varies, so the tails take many draws. Whether there were enough is what R-hat and effective sample sizes tell.",
		try:     "another parametrisation or metric; more draws.",
		cost:    true,
	},
	{
		condition: "divergent: static proposals that ended in an energy error above 1000", limit: "any",
		find: each(func(b *blockEvidence) string {
			n := b.total(func(c *chainEvidence) int { return c.divergent })
			if b.dynamic() || n == 0 {
				return ""
			}
			return plural(n, "proposal") + b.of() + " diverged"
		}),
		brief:   "the energy error is above 1000, and part of the posterior may be missed; take a smaller --step-size",
		meaning: "The energy error of these trajectories exceeded 1000, and they were refused. Where they begin, the step size is too large for the curvature, and part of the posterior may be missed.",
		try:     "a smaller --step-size or a larger --target-accept; another parametrisation or metric. The pairs plot of the report shows where they begin.",
	},
	{
		condition: "divergent: dynamic trajectories in which the energy came to differ by more than 1000", limit: "any; more than 0.1 % where steps are made finer where they are refused",
		find: func(e *evidence) []string {
			return each(func(b *blockEvidence) string {
				n := b.total(func(c *chainEvidence) int { return c.divergent })
				if !b.dynamic() || n == 0 || e.refines() && float64(n) <= maxDivergent*float64(b.transitions()) {
					return ""
				}
				return trajectories(n) + b.of() + " diverged"
			})(e)
		},
		brief:   "the energy error is above 1000, and part of the posterior may be missed; take a larger --target-accept",
		meaning: "The energies along these trajectories came to differ by more than 1000, and the trajectories ended there; the draw is one of the states before. The step size is too large for the curvature where they went, and part of the posterior may be missed.",
		try:     "a larger --target-accept or a smaller --step-size; another parametrisation or metric. The pairs plot of the report shows where they begin.",
	},
	{
		condition: "static proposals whose solver failed", limit: "more than 5 %",
		find: each(func(b *blockEvidence) string {
			if n := b.total((*chainEvidence).failed); !b.dynamic() && b.many(n) {
				return fmt.Sprintf("the solver failed in %s of proposals%s (%s)", b.percent(n), b.of(), b.reasons())
			}
			return ""
		}),
		brief:    "the region where it fails is hardly visited, so look at this before the means; take a smaller --step-size, or another metric",
		meaning:  "A failed proposal is rejected, which does not bias the draws, but the region where most proposals fail is hardly visited.",
		try:      "a smaller --step-size; another metric. The pairs plot of the report shows where they fail.",
		failures: true,
	},
	{
		condition: "dynamic trajectories that the solver's failure ended: a matter of cost, not of trust", limit: "more than 5 %",
		find: each(func(b *blockEvidence) string {
			if n := b.total((*chainEvidence).failed); b.dynamic() && b.many(n) && !b.mostly(n) {
				return fmt.Sprintf("a failure of the solver ended %s of trajectories%s (%s)", b.percent(n), b.of(), b.reasons())
			}
			return ""
		}),
		brief:    "they are shorter, which costs time but does not bias the draws; a larger --target-accept, or another metric, may pay",
		meaning:  "A step that fails ends its trajectory: the half that was being built is dropped, and the draw is one of the states before. This does not bias the draws, but trajectories are short there.",
		try:      "a larger --target-accept or a smaller --step-size; another metric. The pairs plot of the report shows where these trajectories begin.",
		failures: true,
		cost:     true,
	},
	{
		condition: "dynamic trajectories that the solver's failure ended", limit: "more than 25 %",
		find: each(func(b *blockEvidence) string {
			if n := b.total((*chainEvidence).failed); b.dynamic() && b.mostly(n) {
				return fmt.Sprintf("a failure of the solver ended %s of trajectories%s (%s)", b.percent(n), b.of(), b.reasons())
			}
			return ""
		}),
		brief:    "the region where it fails is hardly visited, so look at this before the means; take a larger --target-accept, or another metric",
		meaning:  "A step that fails ends its trajectory: the half that was being built is dropped, and the draw is one of the states before. This does not bias the draws, but trajectories are short there, and the region behind the failing steps is hardly visited.",
		try:      "a larger --target-accept or a smaller --step-size; another metric. The pairs plot of the report shows where these trajectories begin.",
		failures: true,
	},
	{
		condition: "static proposals refused as irreversible", limit: "more than 5 %",
		find: each(func(b *blockEvidence) string {
			if n := b.total(func(c *chainEvidence) int { return c.irreversible }); !b.dynamic() && b.many(n) {
				return fmt.Sprintf("%s of proposals%s were irreversible", b.percent(n), b.of())
			}
			return ""
		}),
		brief:   "the solver finds other roots on the way back; take a smaller --step-size, or imb in place of glfa or glfb",
		meaning: "The way back of these proposals did not return, so they were refused. That keeps the draws right as far as the check looks, which by default is at proposals with hard solves, but so many say that the solver often settles on another root.",
		try:     "a smaller --step-size; the integrator imb in place of glfa or glfb; --reverse-check all, which looks at every proposal.",
	},
	{
		condition: "dynamic trajectories that an irreversible step ended", limit: "more than 5 %",
		find: each(func(b *blockEvidence) string {
			if n := b.total(func(c *chainEvidence) int { return c.irreversible }); b.dynamic() && b.many(n) {
				return fmt.Sprintf("an irreversible step ended %s of trajectories%s", b.percent(n), b.of())
			}
			return ""
		}),
		brief:   "the solver finds other roots on the way back; take a larger --target-accept, or imb in place of glfa or glfb",
		meaning: "A step back did not undo a step of these trajectories, which ended there; the draw is one of the states before. That keeps the draws right as far as the check looks, which by default is at steps with hard solves, but so many say that the solver often settles on another root.",
		try:     "a larger --target-accept or a smaller --step-size; the integrator imb in place of glfa or glfb; --reverse-check all, which looks at every step.",
	},
	{
		condition: "violation of reversibility or of volume preservation in an audit: of a step, of static proposals the whole trajectory", limit: "median above 0.003",
		find: each(func(b *blockEvidence) string {
			reversibility, volume := b.violations()
			if !(reversibility > maxViolation || volume > maxViolation) {
				return ""
			}
			what := "reversible to"
			if v := volume; v > reversibility || reversibility != reversibility {
				what, reversibility = "volume preserving to", v
			}
			return fmt.Sprintf("by its audit the integrator%s is %s %.2g only", b.of(), what, reversibility)
		}),
		brief:   "the draws are those of another distribution; take a smaller --tol, or --norm metric",
		meaning: "The solves leave over so much, or settle on such other roots, that the integrator is neither reversible nor volume preserving as far as Hamiltonian Monte Carlo needs it to be: the draws are biased, whatever R-hat says.",
		try:     "a smaller --tol; --norm metric, if the run had --norm max; a smaller --step-size; --reverse-check all.",
	},
	{
		condition: "mean acceptance of a chain whose step size was adapted", limit: "below 0.8 of the target",
		find: each(func(b *blockEvidence) string {
			low, least := 0, math.Inf(1)
			for i := range b.chains {
				if a := b.chains[i].accept; a < minAccept*b.target {
					low, least = low+1, math.Min(least, a)
				}
			}
			if low == 0 {
				return ""
			}
			return fmt.Sprintf("acceptance far below the target %g in %d of %s%s, the least %.2f", b.target, low, plural(len(b.chains), "chain"), b.of(), least)
		}),
		brief:   "the step size of the warm-up does not fit the draws; warm up longer, or take a larger --target-accept",
		meaning: "The warm-up chose a step size that is too large for where the chain is now: it had not arrived, or the curvature differs too much from place to place for one step size. Regions of high curvature are visited too seldom.",
		try:     "a longer --warmup; a larger --target-accept; another parametrisation or metric.",
	},
	{
		condition: "mean acceptance of the transitions from a tail of a parameter, the outermost 1 % of its draws on one side; not of runs in blocks", limit: "below 0.7 of the mean of all, or 0.5 where steps are made finer where they are refused, as by default with the leapfrog",
		find: func(e *evidence) []string {
			mean, least := e.accept(), minTailAccept
			if e.refines() {
				least = minFineTailAccept
			}
			low := map[string]bool{}
			var worst *tailEvidence
			for i := range e.tails {
				if x := &e.tails[i]; x.accept < least*mean {
					low[x.parameter] = true
					if worst == nil || x.accept < worst.accept {
						worst = x
					}
				}
			}
			if worst == nil {
				return nil
			}
			return []string{fmt.Sprintf("acceptance falls off in the tails of %d of %s, from %.2f on the whole to %.2f in the %s tail of %s",
				len(low), plural(len(e.rows), "parameter"), mean, worst.accept, worst.side, worst.parameter)}
		},
		brief:   "the step size is too large there, and the tail is visited too seldom; take a larger --target-accept, such as 0.99",
		meaning: "The step size suits the bulk of the posterior, but is too large for where these draws are: most moves from there are refused, and, by detailed balance, most moves to there. A chain hardly enters the tail, and stays long where it does, so means, standard deviations and extreme quantiles are off, often on the same side in all chains, which R-hat cannot tell.",
		try:     "a larger --target-accept, such as 0.99; a metric of the model's own, which adapts to the place; another parametrisation.",
	},
	{
		condition: "places that chains jump between: modes of the posterior that lie apart", limit: "any",
		find: func(e *evidence) []string {
			if e.jumps == nil || e.jumps.Times == 0 || e.parted() {
				return nil // other places hold next to nothing, or other warnings tell of them
			}
			return []string{fmt.Sprintf("the posterior has modes that lie apart: chains jumped %s between %d places", plural(e.jumps.Times, "time"), e.jumps.Places)}
		},
		brief:     "a mean may lie where nothing is, so look at the marginals; a mode that no chain came to is missing",
		meaning:   "A trajectory does not cross from one of these modes to another. But each draw may begin with a jump, a Metropolis step that gives each mode its share of the draws. So the draws are of the whole of what was found, and R-hat tells whether chains agree about the shares. Means and standard deviations are of all modes together, and say little of parameters that differ between them. Of modes that are alike, as those of components of a mixture or of factors that may change places or signs, each tells the same.",
		try:       "the marginals in the report; `ordered`, the signs of some loadings, or what the prior knows, where one of the modes is meant; more --chains, to find more modes.",
		posterior: true,
	},
	{
		condition: "k-hat of a parameter, the shape of its heavier tail: a property of the posterior", limit: "above 0.7",
		find: func(e *evidence) []string {
			return e.parameters(fmt.Sprintf("k-hat above %.4g", maxKHat), func(p *diagnostics.Summary) bool { return p.KHat > maxKHat },
				func(p *diagnostics.Summary) (float64, string) { return p.KHat, fmt.Sprintf("%.2f", p.KHat) })
		},
		brief:     "the tail is so heavy that mean, sd and mcse tell little; read quantiles",
		meaning:   "The tail of these parameters falls like a power of them, so slowly that the sample's mean and standard deviation depend on its few largest draws, however many there are. The expectation may not exist, and the mcse does not tell how far the mean is off. Quantiles are not concerned.",
		try:       "quantiles in place of the mean and the standard deviation; the logarithm of the parameter; a prior with a lighter tail, if that is what you believe.",
		posterior: true,
	},
	{
		condition: "operations per effective draw with the metric of the model, beside those with a Euclidean metric: a matter of cost, not of trust", limit: "more than 3 times",
		find: func(e *evidence) []string {
			own, euclidean := e.costs()
			if !(own > maxCost*euclidean) {
				return nil
			}
			return []string{fmt.Sprintf("an effective draw takes %s operations with this metric, and about %s with a Euclidean one", roughly(own), roughly(euclidean))}
		},
		brief:   "leave out the `metric`, and warm-up adapts one",
		meaning: "A short pilot before the warm-up was sampled with a Euclidean metric. Nothing spoke against its draws, the metric of the model varies little over them, and an effective draw took that many operations. The draws of this run are as good as any.",
		try:     "the model without its line `metric`, or with `metric auto`.",
		cost:    true,
	},
	{
		condition: "dynamic trajectories that reached the maximal depth: a matter of cost, not of trust", limit: "more than 5 %",
		find: each(func(b *blockEvidence) string {
			if n := b.total(func(c *chainEvidence) int { return c.saturated }); b.many(n) {
				return fmt.Sprintf("%s of trajectories%s reached the maximal depth %d", b.percent(n), b.of(), b.maxDepth)
			}
			return ""
		}),
		brief:   "they ended before they turned back, which costs time but does not bias the draws; raise --max-depth, or take another metric",
		meaning: "These trajectories were ended by --max-depth and not because they turned back. The draws are not biased, but each costs many steps and moves less far than it could.",
		try:     "a larger --max-depth; another parametrisation or metric, in which the posterior is less elongated.",
		cost:    true,
	},
}

// warnings applies the table to a run.
func (e *evidence) warnings() []warning {
	var out []warning
	for i := range warningRules {
		r := &warningRules[i]
		if r.parted != "" && e.parted() {
			own := *r
			own.brief = r.parted
			r = &own
		}
		for _, what := range r.find(e) {
			out = append(out, warning{r, what})
		}
	}
	return out
}

// parted reports whether chains are at different places, as a warning says.
func (e *evidence) parted() bool {
	low, _, _ := e.lower()
	return e.apart != nil || low > 0
}

// against counts the warnings that speak against the draws: all but those that are a matter of cost.
func (e *evidence) against() int {
	n := 0
	for _, w := range e.warnings() {
		if !w.cost && !w.posterior {
			n++
		}
	}
	return n
}

// distrusted is the error of a command whose draws are not to be trusted.
type distrusted struct{ error }

// verdict is the error of a command about draws, in dir, that are not to be trusted; nil if nothing
// speaks against them.
func (e *evidence) verdict(dir string) error {
	switch n := e.against(); n {
	case 0:
		return nil
	case 1:
		return distrusted{fmt.Errorf("a warning speaks against these draws: `hamc diagnose %s` says more", dir)}
	default:
		return distrusted{fmt.Errorf("%d warnings speak against these draws: `hamc diagnose %s` says more", n, dir)}
	}
}

// verdictEvent is a line of --progress json: what a run came to.
type verdictEvent struct {
	Event   string       `json:"event"` // "verdict"
	Verdict verdictLines `json:"verdict"`
}

// verdictLines are the warnings, and how many of them speak against the draws.
type verdictLines struct {
	Against  int      `json:"against"`
	Warnings []string `json:"warnings"`
}

// event is the verdict for programs.
func (e *evidence) event() verdictEvent {
	v := verdictEvent{"verdict", verdictLines{Against: e.against(), Warnings: []string{}}}
	for _, w := range e.warnings() {
		v.Verdict.Warnings = append(v.Verdict.Warnings, w.line())
	}
	return v
}

// write writes a line for each warning.
func (e *evidence) write(w io.Writer) {
	for _, x := range e.warnings() {
		line := x.line()
		if x.failures && e.named {
			line += "; hamc diagnose names the statements of the model that are to blame"
		}
		fmt.Fprintf(w, "warning: %s\n", line)
	}
}

// accept is the mean acceptance of all chains, where the run is one block.
func (e *evidence) accept() float64 {
	sum := 0.0
	for i := range e.blocks[0].chains {
		sum += e.blocks[0].chains[i].accept
	}
	return sum / float64(len(e.blocks[0].chains))
}

// parameters says for how many parameters something holds, and which is the worst: of gives
// its badness and its value.
func (e *evidence) parameters(what string, holds func(*diagnostics.Summary) bool, of func(*diagnostics.Summary) (float64, string)) []string {
	n := 0
	var worst *diagnostics.Summary
	for k := range e.rows {
		p := &e.rows[k]
		if !holds(p) {
			continue
		}
		n++
		if of == nil {
			continue
		}
		if worst == nil {
			worst = p
		} else if a, _ := of(p); a > first(of(worst)) {
			worst = p
		}
	}
	if n == 0 {
		return nil
	}
	text := fmt.Sprintf("%s for %d of %s", what, n, plural(len(e.rows), "parameter"))
	if worst != nil {
		_, value := of(worst)
		text += fmt.Sprintf(", %s for %s", value, worst.Name)
	}
	return []string{text}
}

func first(a float64, _ string) float64 { return a }

// runOff is the parameter about which chains disagree the most by size, where that is far beyond any unit; nil elsewhere.
func (e *evidence) runOff() (worst *diagnostics.Summary) {
	for k := range e.rows {
		if p := &e.rows[k]; p.RHat > maxRHat && p.SD > maxSD && (worst == nil || p.SD > worst.SD) {
			worst = p
		}
	}
	return worst
}

// each applies a finding to every block.
func each(find func(b *blockEvidence) string) func(e *evidence) []string {
	return func(e *evidence) (out []string) {
		for i := range e.blocks {
			if what := find(&e.blocks[i]); what != "" {
				out = append(out, what)
			}
		}
		return out
	}
}

// of names the block.
func (b *blockEvidence) of() string {
	if b.name == "" {
		return ""
	}
	return " of the block " + b.name
}

// many reports whether n of the transitions are more than may be.
func (b *blockEvidence) many(n int) bool { return float64(n) > maxShare*float64(b.transitions()) }

// mostly reports whether n of the transitions are more than may be cut short.
func (b *blockEvidence) mostly(n int) bool {
	return float64(n) > maxCutShort*float64(b.transitions())
}

// violations returns the medians of the audits of the block, NaN where there are none.
func (b *blockEvidence) violations() (reversibility, volume float64) {
	var r, v []float64
	for i := range b.audits {
		x := &b.audits[i].Trajectory
		if b.dynamic() {
			x = &b.audits[i].Step
		}
		if !math.IsNaN(x.Reversibility) {
			r = append(r, x.Reversibility)
		}
		if !math.IsNaN(x.Volume) {
			v = append(v, x.Volume)
		}
	}
	median := func(x []float64) float64 {
		if len(x) == 0 {
			return math.NaN()
		}
		return diagnostics.Quantile([][]float64{x}, 0.5)
	}
	return median(r), median(v)
}

// percent writes n as a share of the transitions.
func (b *blockEvidence) percent(n int) string {
	return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(b.transitions()))
}

// reasons counts the failures by status.
func (b *blockEvidence) reasons() string {
	var parts []string
	for st := 1; st < numFailures; st++ {
		if n := b.total(func(c *chainEvidence) int { return c.failures[st] }); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, inPlainWords(runtime.Status(st))))
		}
	}
	return strings.Join(parts, ", ")
}

// inPlainWords writes the name of a status without its underscores.
func inPlainWords(st runtime.Status) string {
	if st >= runtime.NumStatus {
		return "unknown"
	}
	return strings.ReplaceAll(st.String(), "_", " ")
}

// trajectories counts trajectories.
func trajectories(n int) string {
	if n == 1 {
		return "1 trajectory"
	}
	return fmt.Sprintf("%d trajectories", n)
}
