package experiment

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/hamc-dev/hamc/runtime/grid"
)

// ByNewton reports whether some cells are to solve by Newton's method.
func (s *Spec) ByNewton() bool {
	newton := func(x *SettingsSpec) bool { return slices.Contains(list(x.Solver), any("newton")) }
	return newton(&s.Settings) || slices.ContainsFunc(s.Groups, func(g GroupSpec) bool { return newton(&g.SettingsSpec) })
}

// DataFiles returns the names of a model's files of data.
func (m *ModelSpec) DataFiles() []string {
	var names []string
	for _, v := range list(m.Data) {
		if name, ok := v.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// Files returns the names of all files that a grid is made of, apart from its own.
func (s *Spec) Files() []string {
	names := slices.Clone(s.With)
	for i := range s.Models {
		names = append(names, s.Models[i].File)
		names = append(names, s.Models[i].DataFiles()...)
	}
	return names
}

// Entry is the replicates of one combination of settings.
type Entry struct {
	Group    string
	Model    *grid.Model
	Settings grid.Settings
	Length   grid.Length
	Rows     []Row
}

// Entries puts replicates together, in the order of the rows.
func Entries(rows []Row) []*Entry {
	type key struct {
		group    string
		model    *grid.Model
		settings grid.Settings
	}
	at := map[key]*Entry{}
	var out []*Entry
	for _, r := range rows {
		k := key{r.Cell.Group, r.Model, r.Cell.Settings}
		e := at[k]
		if e == nil {
			e = &Entry{Group: r.Cell.Group, Model: r.Model, Settings: r.Cell.Settings, Length: r.Cell.Length}
			at[k] = e
			out = append(out, e)
		}
		if r.Result.Problem == "" {
			e.Rows = append(e.Rows, r)
		}
	}
	return out
}

// Estimate is a mean over replicates with its standard error, NaN for less than two.
type Estimate struct {
	Mean, SE float64
	N        int // replicates with a finite value
}

// estimate returns the mean of values, those that are not finite left out.
func estimate(values []float64) Estimate {
	values = slices.DeleteFunc(slices.Clone(values), func(x float64) bool { return x-x != 0 })
	e := Estimate{Mean: math.NaN(), SE: math.NaN(), N: len(values)}
	if e.N == 0 {
		return e
	}
	e.Mean = 0
	for _, x := range values {
		e.Mean += x / float64(e.N)
	}
	if e.N > 1 {
		sum := 0.0
		for _, x := range values {
			sum += (x - e.Mean) * (x - e.Mean)
		}
		e.SE = math.Sqrt(sum / float64(e.N-1) / float64(e.N))
	}
	return e
}

// Over returns the mean of a function of the results.
func (e *Entry) Over(f func(*grid.Result) float64) Estimate {
	var values []float64
	for i := range e.Rows {
		values = append(values, f(e.Rows[i].Result))
	}
	return estimate(values)
}

// Sum returns the sum of a function of the results.
func (e *Entry) Sum(f func(*grid.Result) int) int {
	n := 0
	for i := range e.Rows {
		n += f(e.Rows[i].Result)
	}
	return n
}

// SecondsPerDraw returns the processor time of a transition: the median over replicates, which one
// that another program disturbed does not move.
func (e *Entry) SecondsPerDraw() float64 {
	var values []float64
	for i := range e.Rows {
		if n := e.Rows[i].Result.Transitions; n > 0 {
			values = append(values, e.Rows[i].Result.Times.CPU/float64(n))
		}
	}
	return middle(values)
}

// middle returns the median, NaN of nothing.
func middle(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	slices.SortFunc(values, cmp.Compare[float64])
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// ESSPerSecond returns the least effective sample size per second of processor time.
func (e *Entry) ESSPerSecond() float64 {
	return e.Over(func(r *grid.Result) float64 { return float64(r.ESSMin) }).Mean / float64(e.Length.Draws) / e.SecondsPerDraw()
}

// Varying returns the names of the settings in which entries differ, those that name a column of
// every table first; the integrator is left out.
func Varying(entries []*Entry) []string {
	var names []string
	for i := range settings {
		s := &settings[i]
		if s.name == "integrator" {
			continue
		}
		if slices.ContainsFunc(entries, func(e *Entry) bool { return s.get(&e.Settings) != s.get(&entries[0].Settings) }) {
			names = append(names, s.name)
		}
	}
	return names
}

// Get returns a setting in words, or the model, or the group.
func (e *Entry) Get(name string) string {
	switch name {
	case "model":
		return e.Model.Name
	case "cells":
		return e.Group
	}
	if s := settingNamed(name); s != nil {
		return s.get(&e.Settings)
	}
	return ""
}

// Describes says what a row is of.
func Describes(r *Row) string {
	return r.Cell.Group + ", " + r.Model.Name + ", " + r.Cell.Integrator + ", step size " + number(r.Cell.StepSize) + ", " + strconv.Itoa(r.Cell.Steps) + " steps, replicate " + strconv.Itoa(r.Cell.Replicate)
}
