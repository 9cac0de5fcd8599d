// Package export writes the draws of a run in formats that other tools read:
// Zarr in ArviZ's InferenceData layout, NumPy's npz, and one long table. The
// same draws give the same bytes: there are no dates in them.
//
// The writers hold little more than the draws that they are given.
package export

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hamc-dev/hamc/runtime/draws"
)

// Groups of ArviZ's InferenceData: those that every export has, and those of data.
const (
	Posterior    = "posterior"
	SampleStats  = "sample_stats"
	ObservedData = "observed_data"
	ConstantData = "constant_data"
)

// Datum is an array of the data that the draws were made with.
type Datum struct {
	Name     string
	Observed bool      // it belongs to ObservedData, otherwise to ConstantData
	Integer  bool      // its elements are whole numbers
	Shape    []int     // empty for a scalar
	Values   []float64 // the last index fastest
}

// Options says how an export is laid out.
type Options struct {
	// Groups are the groups that parameters belong to, by their names, such
	// as log_likelihood or posterior_predictive. Those that are not named
	// belong to Posterior.
	Groups map[string]string

	// Data are the data that the draws were made with, if they are known.
	Data []Datum

	// Version is that of the program, for the attributes; it may be empty.
	Version string
}

// kind is the type of an array's elements.
type kind uint8

const (
	real  kind = iota // 64-bit floating-point number
	count             // 64-bit integer
	flag              // truth value of one byte
)

var kinds = [...]struct {
	name, descr string // the type as NumPy calls it, and as its files do
	size        int
}{
	real:  {"float64", "<f8", 8},
	count: {"int64", "<i8", 8},
	flag:  {"bool", "|b1", 1},
}

// statistics are the names that ArviZ has for the columns of a sampler, and
// their types. Statistics of ours come after those of Stan's.
var statistics = []struct {
	column, name string
	kind         kind
}{
	{"lp__", "lp", real},
	{"accept_stat__", "acceptance_rate", real},
	{"stepsize__", "step_size", real},
	{"treedepth__", "tree_depth", count},
	{"n_leapfrog__", "n_steps", count},
	{"divergent__", "diverging", flag},
	{"energy__", "energy", real},
	{"solver_iterations__", "solver_iterations", count},
	{"failure__", "failure", count},
	{"irreversible__", "irreversible", flag},
}

// statistic returns the name and the type of a column of the sampler. One of a
// block keeps the block's name in front; one that nobody knows keeps its own.
func statistic(column string) (string, kind) {
	for _, s := range statistics {
		if column == s.column {
			return s.name, s.kind
		}
	}
	for _, s := range statistics {
		if block, ok := strings.CutSuffix(column, "_"+s.column); ok && block != "" {
			return block + "_" + s.name, s.kind
		}
	}
	return strings.TrimSuffix(column, "__"), real
}

// Statistic returns the name and NumPy's type that a column of the sampler has in
// exports. Columns that are not known keep their name, without the underscores.
func Statistic(column string) (name, dtype string) {
	name, k := statistic(column)
	return name, kinds[k].name
}

// array is a parameter or a statistic: for each draw, as many elements as shape
// has, the last index fastest. Or it is a datum, without draws.
type array struct {
	name    string
	kind    kind
	shape   []int
	columns []int     // of the elements
	values  []float64 // of a datum
}

// group is a group of arrays.
type group struct {
	name   string
	data   bool // of data
	arrays []array
}

// layout is what an export consists of.
type layout struct {
	set    *draws.Set
	chains []*draws.Chain
	draws  int // of each chain
	groups []group
}

// newLayout puts the columns of a set in order. It is an error if there are no
// draws, if a group is given to a parameter that does not exist or a group of data to one
// that does, if names collide or would not do for a file, if a statistic or a datum has
// a value that is not of its type, or a datum another number of values than its shape has.
func newLayout(s *draws.Set, o *Options) (*layout, error) {
	l := &layout{set: s, groups: []group{{name: Posterior}}}
	if l.chains, l.draws = s.Aligned(); l.draws == 0 {
		return nil, errors.New("the chains hold no draws")
	}
	used := 0
	for i := range s.Parameters {
		p := &s.Parameters[i]
		name, named := o.Groups[p.Name]
		if named {
			used++
		} else {
			name = Posterior
		}
		if name == ObservedData || name == ConstantData {
			return nil, fmt.Errorf("%s is given to the group %s, which is one of data", p.Name, name)
		}
		l.add(name, array{name: p.Name, kind: real, shape: p.Shape, columns: p.Columns})
	}
	if used < len(o.Groups) {
		var missing []string
		for name := range o.Groups {
			if !slices.ContainsFunc(s.Parameters, func(p draws.Parameter) bool { return p.Name == name }) {
				missing = append(missing, name)
			}
		}
		return nil, fmt.Errorf("a group is given to %s, but there is no such parameter", slices.Min(missing))
	}
	for _, i := range s.Statistics {
		name, kind := statistic(s.Columns[i])
		if err := l.fits(i, kind); err != nil {
			return nil, err
		}
		l.add(SampleStats, array{name: name, kind: kind, columns: []int{i}})
	}
	for _, observed := range []bool{true, false} {
		for i := range o.Data {
			if d := &o.Data[i]; d.Observed == observed {
				if err := l.addDatum(d); err != nil {
					return nil, err
				}
			}
		}
	}
	l.groups = slices.DeleteFunc(l.groups, func(g group) bool { return len(g.arrays) == 0 })
	for i := range l.groups {
		if err := l.groups[i].check(); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// add adds an array to a group, and the group where it is missing.
func (l *layout) add(name string, a array) {
	i := slices.IndexFunc(l.groups, func(g group) bool { return g.name == name })
	if i < 0 {
		i = len(l.groups)
		l.groups = append(l.groups, group{name: name})
	}
	l.groups[i].arrays = append(l.groups[i].arrays, a)
}

// addDatum adds a datum to its group.
func (l *layout) addDatum(d *Datum) error {
	size := 1
	for _, n := range d.Shape {
		size *= n
	}
	if len(d.Values) != size {
		return fmt.Errorf("the datum %s has %d values, and the shape %v", d.Name, len(d.Values), d.Shape)
	}
	a := array{name: d.Name, kind: real, shape: d.Shape, values: d.Values}
	if d.Integer {
		a.kind = count
		for _, x := range d.Values {
			if !whole(x) {
				return fmt.Errorf("the datum %s holds %v, expected an integer", d.Name, x)
			}
		}
	}
	name := ConstantData
	if d.Observed {
		name = ObservedData
	}
	l.add(name, a)
	l.groups[len(l.groups)-1].data = true // they come one after the other
	return nil
}

// whole reports whether a number is an integer that a float64 holds exactly.
func whole(x float64) bool { return x == math.Trunc(x) && math.Abs(x) <= 1<<53 }

// fits reports a value of a column that is not of a type.
func (l *layout) fits(column int, k kind) error {
	if k == real {
		return nil
	}
	for _, c := range l.chains {
		for i, x := range c.Values[column][c.Warmup:][:l.draws] {
			switch {
			case k == flag && x != 0 && x != 1:
				return fmt.Errorf("%s: %s of draw %d is %v, expected 0 or 1", c.File, c.Columns[column], i+1, x)
			case !whole(x):
				return fmt.Errorf("%s: %s of draw %d is %v, expected an integer", c.File, c.Columns[column], i+1, x)
			}
		}
	}
	return nil
}

// check looks at the names of a group. They become those of files.
func (g *group) check() error {
	seen := make(map[string]bool)
	for _, name := range append([]string{g.name}, g.names()...) {
		if name == "" || name[0] == '.' || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '/' || r == '\\' || r == ':' }) {
			return fmt.Errorf("the name %q would not do for a file: export only takes names of letters, digits and underscores", name)
		}
	}
	for _, name := range g.names() {
		if seen[name] {
			return fmt.Errorf("there are two columns %s in the group %s", name, g.name)
		}
		seen[name] = true
	}
	return nil
}

func (g *group) names() []string {
	names := make([]string, len(g.arrays))
	for i := range g.arrays {
		names[i] = g.arrays[i].name
	}
	return names
}

// size returns the number of elements that a draw of the array has.
func (a *array) size() int { return len(a.columns) }

// bytes returns the size of a draw.
func (a *array) bytes() int { return a.size() * kinds[a.kind].size }

// shape returns the whole shape of an array: chains, draws, and that of a draw; or that of
// a datum.
func (l *layout) shape(a *array) []int {
	if a.columns == nil {
		return append([]int{}, a.shape...)
	}
	return append([]int{len(l.chains), l.draws}, a.shape...)
}

// encode appends the elements of draws of a chain, from one to before another,
// little-endian and draw by draw.
func (a *array) encode(dst []byte, c *draws.Chain, from, to int) []byte {
	from, to = from+c.Warmup, to+c.Warmup
	if a.kind == real && len(a.columns) == 1 { // the most frequent, without the inner loop
		for _, x := range c.Values[a.columns[0]][from:to] {
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
		}
		return dst
	}
	for d := from; d < to; d++ {
		for _, k := range a.columns {
			dst = a.kind.append(dst, c.Values[k][d])
		}
	}
	return dst
}

// encodeDatum appends the elements of a datum, little-endian.
func (a *array) encodeDatum(dst []byte) []byte {
	for _, x := range a.values {
		dst = a.kind.append(dst, x)
	}
	return dst
}

// append appends an element.
func (k kind) append(dst []byte, x float64) []byte {
	switch k {
	case count:
		return binary.LittleEndian.AppendUint64(dst, uint64(int64(x)))
	case flag:
		return append(dst, byte(x))
	}
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
}
