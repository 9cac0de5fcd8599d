package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/report"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/driver"
)

// costs are the numbers of operations for an effective draw, of the parameter that has the fewest: with the metric that the model states, and
// with a Euclidean one by the pilot of a race; NaN where there was none, or where its draws are in doubt.
func (e *evidence) costs() (own, euclidean float64) {
	r := e.race
	if r == nil || r.Chosen != runtime.AutoMetric || r.Doubtful() || len(e.blocks) != 1 {
		return math.NaN(), math.NaN()
	}
	operations, least := 0.0, math.Inf(1)
	for _, c := range e.blocks[0].chains {
		operations += c.steps*r.Step + c.iterations*r.Iteration
	}
	for i := range e.rows {
		least = math.Min(least, e.rows[i].ESSBulk)
	}
	return operations / least, 1 / r.Euclidean.Merit()
}

// roughly writes a number of operations with two digits.
func roughly(x float64) string {
	unit := ""
	switch {
	case x >= 1e9:
		x, unit = x/1e9, " billion"
	case x >= 1e6:
		x, unit = x/1e6, " million"
	case x >= 1e3:
		x, unit = x/1e3, " thousand"
	}
	return twoDigits(x) + unit
}

// twoDigits writes a positive number with two digits, without an exponent.
func twoDigits(x float64) string {
	if x >= 10 {
		unit := math.Pow(10, math.Floor(math.Log10(x))-1)
		return strconv.FormatFloat(math.Round(x/unit)*unit, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 2, 64)
}

// doubtOf says why the draws of the Euclidean pilot are in doubt.
func doubtOf(r *runtime.Race) string {
	if r.Varies() {
		return fmt.Sprintf("the Fisher information varies over the posterior by a factor of %s", twoDigits(r.Spread))
	}
	return fmt.Sprintf("%s %% of the transitions with a Euclidean metric failed or had steps that were halved", twoDigits(100*r.Euclidean.Trouble))
}

// choice says in a sentence how the metric was chosen; "" where there was no choice.
func choice(r *runtime.Race) string {
	switch {
	case r == nil || r.Chosen == runtime.AutoMetric:
		return ""
	case r.Fisher.Transitions == 0:
		return fmt.Sprintf("metric low_rank: the Fisher information varies little over the posterior (by a factor of %s), and a Euclidean metric is cheaper", twoDigits(r.Spread))
	}
	merits := fmt.Sprintf("%s effective draws for a million operations, against %s of a Euclidean metric", twoDigits(1e6*r.Fisher.Merit()), twoDigits(1e6*r.Euclidean.Merit()))
	if r.Chosen == runtime.LowRank {
		return "metric low_rank: in a race the Fisher information gave " + merits
	}
	if r.Doubtful() {
		return fmt.Sprintf("metric fisher: %s, so that no metric that is the same everywhere is safe; in a race it gave ", doubtOf(r)) + merits
	}
	return "metric fisher: in a race the Fisher information gave " + merits
}

// geometry says in a sentence what hamc made of a posterior whose metric is left to it, and which parameters have coordinates of their own; "" where it has done nothing.
func geometry(r *runtime.Race, m *driver.Manifest, chains []driver.ChainSummary) string {
	var parts []string
	if said := choice(r); said != "" {
		parts = append(parts, said)
	} else if b := chains[0].Blocks; m != nil && len(b) == 1 && len(b[0].InverseMetric) > 0 {
		parts = append(parts, fmt.Sprintf("metric %v, adapted in warm-up", m.Options.Metric))
	}
	if m != nil {
		var latent []string
		for i := range m.Params {
			if m.Params[i].Latent {
				latent = append(latent, m.Params[i].Name)
			}
		}
		if n := len(latent); n > 0 {
			parts = append(parts, "coordinates from the Fisher information for "+strings.Join(latent[:n-1], ", ")+strings.Repeat(" and ", min(1, n-1))+latent[n-1])
		}
		switch o := &m.Origin; {
		case o.Instead != "":
			parts = append(parts, "coordinates of the declarations: "+o.Instead+" in those from the Fisher information")
		case o.Coordinates == declaredCoordinates:
			parts = append(parts, "coordinates of the declarations")
		}
	}
	return strings.Join(parts, "; ")
}

// geometryOf is the choice as the report draws it; nil where there was none.
func geometryOf(r *runtime.Race) *report.Geometry {
	said := choice(r)
	if said == "" {
		return nil
	}
	pilot := func(name string, p *runtime.Pilot, of runtime.EuclideanMetric) report.Candidate {
		return report.Candidate{Name: name, Chosen: r.Chosen == of, Merit: 1e6 * p.Merit(), Steps: p.Steps, Trouble: p.Trouble}
	}
	euclidean := pilot("Euclidean, low_rank", &r.Euclidean, runtime.LowRank)
	if r.Doubtful() {
		euclidean.Doubt = "in doubt: " + doubtOf(r)
	}
	g := &report.Geometry{Why: strings.ToUpper(said[:1]) + said[1:] + ".", Candidates: []report.Candidate{euclidean}}
	if r.Fisher.Transitions > 0 {
		g.Candidates = append(g.Candidates, pilot("Fisher information", &r.Fisher, runtime.FisherMetric))
	}
	return g
}
