package datafile

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/hamc-dev/hamc/runtime/validate"
)

// Unread is what a Collector returns for an integer that it cannot read. Sizes made of it by
// adding and multiplying small numbers are recognised: nothing is said of the shape of what has
// them.
const Unread = validate.Unknown

// maxListed is the number of mistakes in one file that are listed; the rest are counted.
const maxListed = 20

// Collector takes the variables of a Set one after another, and collects all that is wrong with
// them: a user mends a file once and not mistake by mistake. Its methods return a value of the
// right type even where there is none in the file; Err says whether they mean anything.
type Collector struct {
	set  *Set
	list []*Error
	more int
	bad  map[string]bool // names that could not be read
}

// Collect returns a Collector of the variables of s.
func (s *Set) Collect() *Collector { return &Collector{set: s, bad: make(map[string]bool)} }

// note keeps the error about a variable.
func (c *Collector) note(name string, err error) {
	if err == nil {
		return
	}
	c.bad[name] = true
	var several *Errors
	var one *Error
	switch {
	case errors.As(err, &several):
		c.list = append(c.list, several.List...)
		c.more += several.More
	case errors.As(err, &one):
		c.list = append(c.list, one)
	default:
		c.list = append(c.list, &Error{Name: c.set.name, Message: err.Error()})
	}
}

// Has reports whether the file has a variable of this name.
func (c *Collector) Has(name string) bool { return c.set.Has(name) }

// Int is Set.Int; it returns Unread after an error.
func (c *Collector) Int(name string) int {
	n, err := c.set.Int(name)
	if err != nil {
		c.note(name, err)
		return Unread
	}
	return n
}

// Size is Int for a size of at least least: what has a size below it, or too large for any
// memory, is not looked at.
func (c *Collector) Size(name string, least int) int {
	n := c.Int(name)
	if c.bad[name] {
		return n
	}
	check := validate.New("")
	check.Size(name, n, least)
	if check.Err() == nil {
		return n
	}
	c.place(&check.Problems()[0])
	c.bad[name] = true
	return Unread
}

// Computed is Size for a size that is computed of variables of the file: name is its formula, n its value. It is Unread where one of them
// could not be read.
func (c *Collector) Computed(name string, n, least int, of ...string) int {
	for _, v := range of {
		if c.bad[v] {
			c.bad[name] = true
			return Unread
		}
	}
	check := validate.New("")
	check.Size(name, n, least)
	if check.Err() == nil {
		return n
	}
	c.place(&check.Problems()[0])
	if len(of) > 0 {
		if i, ok := c.set.at(of[0]); ok {
			e := c.list[len(c.list)-1]
			e.Line, e.Col = c.set.variables[i].line, c.set.variables[i].col
		}
	}
	c.bad[name] = true
	return Unread
}

// Equal demands the value that the model was specialised for, of a variable that need not be there.
func (c *Collector) Equal(name string, want int) {
	if !c.set.Has(name) {
		return
	}
	n := c.Int(name)
	if c.bad[name] || n == want {
		return
	}
	check := validate.New("")
	check.Equal(name, n, want)
	c.place(&check.Problems()[0])
	c.bad[name] = true
}

// Real is Set.Real; it returns NaN after an error.
func (c *Collector) Real(name string) float64 {
	x, err := c.set.Real(name)
	if err != nil {
		c.note(name, err)
		return math.NaN()
	}
	return x
}

// Ints is Set.IntArray; it returns nil after an error, and where a dimension is unread.
func (c *Collector) Ints(name string, dims ...int) []int {
	if c.unread(name, dims) {
		return nil
	}
	x, err := c.set.IntArray(name, dims...)
	c.note(name, err)
	return x
}

// Reals is Set.RealArray; it returns nil after an error, and where a dimension is unread.
func (c *Collector) Reals(name string, dims ...int) []float64 {
	if c.unread(name, dims) {
		return nil
	}
	x, err := c.set.RealArray(name, dims...)
	c.note(name, err)
	return x
}

// unread reports whether a dimension is made of an integer that could not be read. Of the
// variable is then known whether it is there and is numbers.
func (c *Collector) unread(name string, dims []int) bool {
	for _, d := range dims {
		if d <= validate.Unknown/2 {
			_, err := c.set.Dims(name)
			c.note(name, err)
			c.bad[name] = true
			return true
		}
	}
	return false
}

// Rest returns the elements of a variable that is not as it was asked for, and which of them are no
// numbers, for a look at the others: false for a variable that is as it should be, and one of which nothing
// is known.
func (c *Collector) Rest(name string) (values []float64, holes []int, ok bool) {
	i, found := c.set.at(name)
	if !found || !c.bad[name] {
		return nil, nil, false
	}
	v := &c.set.variables[i]
	return slices.Clone(v.values), slices.Clone(v.holes), len(v.dims) > 0
}

// place adds a problem to the list, at its place in the file.
func (c *Collector) place(p *validate.Problem) {
	e := &Error{Name: c.set.name, Message: p.Path() + p.Text, Remedy: p.Remedy}
	if i, ok := c.set.at(p.Name); ok {
		v := &c.set.variables[i]
		e.Line, e.Col = v.line, v.col
		if p.Index >= 0 {
			e.Line, e.Col = c.set.element(v, p.Index)
			e.Message = path(v, p.Index) + p.Text
		}
	}
	c.list = append(c.list, e)
}

// Err returns all mistakes: those that were met while reading, and the problems of a
// validate.Checker that looked at what was read, with their places. What the problems say of
// variables that could not be read, and not of their elements, is left out. It is nil if there are none, *Error for one and
// *Errors for several.
func (c *Collector) Err(checked error) error {
	var problems *validate.Problems
	if errors.As(checked, &problems) {
		for i := range problems.List {
			p := &problems.List[i]
			// Of what could not be read as asked for, only elements were looked at.
			if c.bad[p.Name] && p.Index < 0 && p.More == 0 || p.Doubtful && len(c.bad) > 0 {
				continue
			}
			c.place(p)
		}
	} else if checked != nil {
		c.list = append(c.list, &Error{Name: c.set.name, Message: checked.Error()})
	}
	if len(c.list) == 0 {
		return nil
	}
	slices.SortStableFunc(c.list, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	if n := len(c.list) - maxListed; n > 0 {
		c.list, c.more = c.list[:maxListed], c.more+n
	}
	return joined(c.list, c.more)
}

// path is the name of the k-th element of a variable, row-major: y[3], x[2,1].
func path(v *variable, k int) string {
	index := ""
	for i := len(v.dims) - 1; i >= 0; i-- {
		index = strconv.Itoa(k%v.dims[i]+1) + index
		if i > 0 {
			index = "," + index
		}
		k /= v.dims[i]
	}
	if index == "" {
		return v.name
	}
	return fmt.Sprintf("%s[%s]", v.name, index)
}

// element returns the place of the k-th number of a variable.
func (s *Set) element(v *variable, k int) (line, col int) {
	at := scanner{name: s.name, text: s.text, pos: v.start, line: 1}
	for ; ; k-- {
		for c := at.space(); c == '[' || c == ']' || c == ','; c = at.space() {
			at.pos++
		}
		if k <= 0 || at.pos >= len(s.text) {
			return at.place(at.pos)
		}
		if s.text[at.pos] == '"' {
			if _, err := at.quoted(); err != nil {
				return v.line, v.col
			}
			continue
		}
		start := at.pos
		for at.pos < len(s.text) && isWord(s.text[at.pos]) {
			at.pos++
		}
		if at.pos == start {
			return v.line, v.col
		}
	}
}
