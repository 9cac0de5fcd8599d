package experiment

import (
	"fmt"
	"math"
	"slices"

	"github.com/hamc-dev/hamc/runtime/grid"
)

// Published is a published table.
type Published struct {
	Label string
	Rows  []map[string]any // columns by name; X_pm is what stands after ± behind X
}

// number returns a column of a row, NaN where it has none.
func (p *Published) number(row int, column string) float64 {
	if x, ok := p.Rows[row][column].(float64); ok {
		return x
	}
	return math.NaN()
}

// seconds returns the published time of a row: that of its column, or the one that follows from the
// effective sample size and that per second.
func (p *Published) seconds(row int) float64 {
	if t := p.number(row, "time_s"); t == t {
		return t
	}
	return p.number(row, "ess_mean") / p.number(row, "ess_mean_per_s")
}

// identifying are the columns that say what a row is.
var identifying = []string{"step_size", "steps", "integrator"}

// Find returns the row of an entry, −1 if there is none.
func (p *Published) Find(e *Entry) int {
	return slices.IndexFunc(p.Rows, func(row map[string]any) bool {
		for _, name := range identifying {
			var same bool
			switch v := row[name].(type) {
			case nil:
				same = true // all rows share it
			case float64:
				same = sameValue(number(v), e.Get(name))
			case string:
				same = v == e.Get(name)
			}
			if !same {
				return false
			}
		}
		return true
	})
}

// measure is a column that is compared with a published one.
type measure struct {
	name string // of the published column
	head string // on pages
	of   func(*grid.Result) float64

	// What the values may differ by, besides what chance explains, for experiments whose data
	// are not the same: slack, absolute, or a share, or, of logarithms, a factor.
	slack  float64
	kind   slackKind
	perRun bool // grows with the number of draws
	digits float64
}

type slackKind int

const (
	absolute slackKind = iota
	relative
	factor
)

// measures lists what is compared, in the order of the published tables.
var measures = []measure{
	{name: "accept_prob", head: "acceptance", of: AcceptProb, slack: 0.02, kind: absolute, digits: 0.01},
	{name: "ess_mean", head: "mean ESS", of: func(r *grid.Result) float64 { return float64(r.ESSMean) }, slack: 0.1, kind: relative, perRun: true, digits: 0.01},
	{name: "ess_min", head: "least ESS", of: func(r *grid.Result) float64 { return float64(r.ESSMin) }, slack: 0.1, kind: relative, perRun: true, digits: 0.01},
	{name: "volume_error_median", head: "volume, median", of: func(r *grid.Result) float64 { return float64(r.Volume.Median) }, slack: 1.5, kind: factor},
	{name: "volume_error_p90", head: "volume, 90 %", of: func(r *grid.Result) float64 { return float64(r.Volume.P90) }, slack: 1.5, kind: factor},
	{name: "symmetry_error_median", head: "symmetry, median", of: func(r *grid.Result) float64 { return float64(r.Symmetry.Median) }, slack: 1.5, kind: factor},
	{name: "symmetry_error_p90", head: "symmetry, 90 %", of: func(r *grid.Result) float64 { return float64(r.Symmetry.P90) }, slack: 1.5, kind: factor},
}

// Comparison is one measured value beside the published one.
type Comparison struct {
	Table    string
	Row      int // of the published table
	Measure  string
	Entry    *Entry
	Ours     Estimate // scaled to as many draws as the published value is of
	Theirs   float64
	PM       float64 // what stands after ±; NaN where nothing does
	Low      float64 // ends of the band in which Ours agrees
	High     float64
	Agrees   bool
	Reason   int  // index of the note on why it does not, from 1; 0 for none
	Known    bool // whether that note gives a reason
	Measured bool
}

// wide reports whether a value may be half as large as the published one, or twice as large, and agree.
func (c *Comparison) wide() bool {
	return c.Measured && (c.Low <= c.Theirs/2 || c.High >= 2*c.Theirs)
}

// maxESS is the largest effective sample size that diagnostics.ESSPaper estimates of n draws.
func maxESS(n int) float64 { return float64(n) * math.Log10(float64(n)) }

// scale is what turns a value of an entry into one of so many draws.
func (m *measure) scale(e *Entry, draws int) float64 {
	if m.perRun {
		return float64(draws) / float64(e.Length.Draws)
	}
	return 1
}

// ours returns the mean over replicates, scaled to so many draws; of logarithms, where values differ by
// factors.
func (m *measure) ours(e *Entry, draws int) Estimate {
	scale := m.scale(e, draws)
	return e.Over(func(r *grid.Result) float64 {
		if m.kind == factor {
			return math.Log(m.of(r))
		}
		return scale * m.of(r)
	})
}

// natural turns what ours returns back into values.
func (m *measure) natural(x Estimate) Estimate {
	if m.kind == factor {
		return Estimate{math.Exp(x.Mean), math.Exp(x.Mean) * x.SE, x.N}
	}
	return x
}

// joined reports whether a model has joined a grid that does not name it: nothing is published of it.
func (src *Source) joined(m *grid.Model) bool {
	return slices.ContainsFunc(src.Spec.Models, func(s ModelSpec) bool { return s.Name == m.Name && s.joined })
}

// row returns the published row of an entry, −1 if there is none.
func (src *Source) row(p *Published, e *Entry) int {
	if src.joined(e.Model) {
		return -1
	}
	return p.Find(e)
}

// sigmas is how many standard errors chance is given.
const sigmas = 3

// compare sets one value beside the published one. The published table is of so many draws and
// replicates.
//
// Ours agrees if it is in the band of
//
//	sigmas · √(s² + pm² + rounding²) + slack
//
// around the published value, or, below it, around the largest effective sample size that is estimated
// of as many draws as ours: pm, which stands after the ±, is the standard error of the published
// mean, and s that of ours, either by the spread of our replicates or by that of the published ones,
// which pm tells, or, of a share of draws, that of independent draws, whichever is largest: the spread
// of a few replicates is now and then far too small.
func (m *measure) compare(e *Entry, p *Published, row, draws, replicates int) Comparison {
	c := Comparison{Table: p.Label, Row: row, Measure: m.name, Entry: e, Theirs: p.number(row, m.name), PM: p.number(row, m.name+"_pm")}
	c.Ours = m.ours(e, draws)
	if c.Ours.N == 0 {
		return c
	}
	c.Measured = true
	pm := c.PM
	if pm != pm {
		pm = 0
	}
	theirs := pm * math.Sqrt(float64(replicates)/float64(c.Ours.N)*float64(draws)/float64(e.Length.Draws))
	own := c.Ours.SE
	if own != own {
		own = 0
	}
	s := max(own, theirs)
	if m.kind == absolute { // a share: as if draws were independent
		s = max(s, math.Sqrt(c.Theirs*(1-c.Theirs)/float64(c.Ours.N*e.Length.Draws)))
	}
	chance := sigmas * math.Sqrt(s*s+pm*pm+m.digits*m.digits/12)
	switch m.kind {
	case absolute:
		c.Low, c.High = c.Theirs-chance-m.slack, c.Theirs+chance+m.slack
	case relative:
		// The estimator has a largest value, which fewer draws come to sooner.
		least := min(c.Theirs, m.scale(e, draws)*maxESS(e.Length.Draws))
		c.Low, c.High = least*(1-m.slack)-chance, c.Theirs*(1+m.slack)+chance
	case factor:
		c.Ours = m.natural(c.Ours)
		c.Low, c.High = c.Theirs*math.Exp(-chance)/m.slack, c.Theirs*math.Exp(chance)*m.slack
	}
	c.Agrees = c.Ours.Mean >= c.Low && c.Ours.Mean <= c.High
	return c
}

// Compare sets all that was measured of a grid beside published tables, in the order of those, and
// notes for what does not agree which of the grid's notes says why.
func (src *Source) Compare(rows []Row, tables []Published) ([]Comparison, error) {
	entries := Entries(rows)
	var out []Comparison
	for i := range tables {
		p := &tables[i]
		for k := range src.Spec.Groups {
			g := &src.Spec.Groups[k]
			if g.Table != p.Label {
				continue
			}
			length, replicates, err := src.Spec.length(g, "")
			if err != nil {
				return nil, err
			}
			for row := range p.Rows {
				e := &Entry{Group: g.Name}
				if at := slices.IndexFunc(entries, func(e *Entry) bool { return e.Group == g.Name && src.row(p, e) == row }); at >= 0 {
					e = entries[at]
				}
				for j := range measures {
					if x := p.number(row, measures[j].name); x != x {
						continue
					}
					c := measures[j].compare(e, p, row, length.Draws, replicates)
					if c.Measured && !c.Agrees {
						c.Reason = src.reason(p, row, &measures[j])
						c.Known = c.Reason > 0 && !src.Spec.Notes[c.Reason-1].Unknown
					}
					out = append(out, c)
				}
			}
		}
	}
	return out, nil
}

// reason returns the index, from 1, of the first note on a column of a row.
func (src *Source) reason(p *Published, row int, m *measure) int {
	for i := range src.Spec.Notes {
		n := &src.Spec.Notes[i]
		if labels := list(n.Table); len(labels) > 0 && !slices.Contains(labels, any(p.Label)) || n.Scale != "" && n.Scale != src.scale() {
			continue
		}
		if columns := list(n.Column); len(columns) > 0 && !slices.Contains(columns, any(m.name)) {
			continue
		}
		matches := true
		for name, v := range n.Where {
			matches = matches && slices.ContainsFunc(list(v), func(v any) bool { return fmt.Sprint(v) == fmt.Sprint(p.Rows[row][name]) })
		}
		if matches {
			return i + 1
		}
	}
	return 0
}

// scale is the name of the scale as notes know it.
func (src *Source) scale() string {
	if src.Scale == "" {
		return "paper"
	}
	return src.Scale
}

// Tally counts comparisons: those that agree, that do not for a reason that a note gives, that do not
// and have none, and those that were not measured.
type Tally struct {
	Agree, Explained, Unexplained, Unmeasured int

	// Wide counts those among the first that would agree if they were half of what is published, or
	// twice as much: they say little.
	Wide int
}

// Count returns the tally of comparisons.
func Count(list []Comparison) (t Tally) {
	for i := range list {
		switch c := &list[i]; {
		case !c.Measured:
			t.Unmeasured++
		case c.Agrees:
			t.Agree++
			if c.wide() {
				t.Wide++
			}
		case c.Known:
			t.Explained++
		default:
			t.Unexplained++
		}
	}
	return t
}
