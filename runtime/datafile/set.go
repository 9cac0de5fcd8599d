// Package datafile reads the data of a model from CmdStan's JSON: one object
// whose fields are numbers or rectangular arrays of numbers, arrays of arrays
// being rows. See the CmdStan Guide, "JSON Format for CmdStan".
//
// Beyond JSON a number may be NaN, Infinity or inf, with a sign before an
// infinity, and each of these may stand in quotes. Errors are of type *Error, or *Errors of
// several: they say where, what was expected, what was found and how to mend it.
//
// What is JSON but no such field, as a text or an object, is an error when the variable is
// asked for, and none under a name that nobody asks for.
package datafile

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"
)

// maxDims is the largest number of dimensions of a variable. It also bounds
// the nesting of brackets.
const maxDims = 16

// maxExact is the largest integer up to which every integer is a float64.
const maxExact = 1<<53 - 1

// Set is the content of a data file.
type Set struct {
	name      string
	text      []byte
	variables []variable // in the order of the file
	index     map[string]int
}

type variable struct {
	name      string
	start     int       // of its value in the text
	line, col int       // of its value
	dims      []int     // empty for a number
	values    []float64 // row-major

	// The first number that is not an exact integer, as 1.0 is one; "" if all are.
	real             string
	realLine, realAt int

	// What keeps it from being numbers. The values at holes stand in for what is none.
	faults []*Error
	more   int // faults that are counted only
	holes  []int
	broken bool // nothing is known of its values, of which there are none
}

// maxFaults is the number of faults of one variable that are kept.
const maxFaults = 12

// fault notes what keeps v from being numbers.
func (v *variable) fault(e *Error) {
	if len(v.faults) == maxFaults {
		v.more++
		return
	}
	v.faults = append(v.faults, e)
}

// hole notes that the next value of v is no number.
func (v *variable) hole(e *Error) {
	v.fault(e)
	v.holes = append(v.holes, len(v.values))
	v.values = append(v.values, 0)
}

// Read reads a data file from r; name stands for it in errors. The errors are
// those of r, and *Error for what is no JSON. A field given twice, an array that is
// not rectangular or has more than 16 dimensions, a number beyond the float64 range and what
// is no number at all are errors of the variable: whoever asks for it gets them.
func Read(r io.Reader, name string) (*Set, error) {
	text, err := readAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s := scanner{name: name, text: text, line: 1}
	return s.object()
}

// readAll is io.ReadAll, but of a file makes room for all of it at once: the copies that grow with a text cost
// more than the text where it is large.
func readAll(r io.Reader) ([]byte, error) {
	size := int64(0)
	if f, ok := r.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if fi, err := f.Stat(); err == nil && fi.Mode().IsRegular() {
			size = fi.Size()
		}
	}
	b := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead)) // which it asks for to see the end
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}

// Names returns the names of the variables in the order of the file.
func (s *Set) Names() []string {
	names := make([]string, len(s.variables))
	for i := range s.variables {
		names[i] = s.variables[i].name
	}
	return names
}

// Has reports whether the file has a variable of this name.
func (s *Set) Has(name string) bool {
	_, ok := s.at(name)
	return ok
}

// at is the position of a variable among those of the file. A name that ends in an underscore stands for the one without, where the file lacks it: so
// a model reads variables whose names are words of its language.
func (s *Set) at(name string) (int, bool) {
	i, ok := s.index[name]
	if !ok {
		if short, cut := strings.CutSuffix(name, "_"); cut {
			i, ok = s.index[short]
		}
	}
	return i, ok
}

// Unknown returns the names in the file that are not among known, in the order
// of the file: data that a model does not declare.
func (s *Set) Unknown(known ...string) []string {
	var unknown []string
	for i := range s.variables {
		name := s.variables[i].name
		if slices.Contains(known, name) {
			continue
		}
		if j, ok := s.at(name + "_"); !ok || j != i || !slices.Contains(known, name+"_") {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// Dims returns the dimensions of a variable, none for a number. Dimensions
// after one that is zero are not known and not listed. It is an error if there
// is no such variable.
func (s *Set) Dims(name string) ([]int, error) {
	v, err := s.find(name, "")
	if err != nil {
		return nil, err
	}
	if len(v.faults) > 0 {
		return nil, joined(v.faults, v.more)
	}
	return slices.Clone(v.dims), nil
}

// IsInt reports whether the file has the variable and all its numbers are
// integers, also if they are written with a point or an exponent, as 1.0 and 3e0, of size at most 2⁵³ − 1.
func (s *Set) IsInt(name string) bool {
	i, ok := s.at(name)
	return ok && s.variables[i].real == "" && len(s.variables[i].faults) == 0
}

// Int returns a variable that is one integer. Errors: no such variable, an
// array, a number that is not an integer.
func (s *Set) Int(name string) (int, error) {
	v, err := s.IntArray(name)
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

// Real returns a variable that is one number. Errors: no such variable, an
// array.
func (s *Set) Real(name string) (float64, error) {
	v, err := s.RealArray(name)
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

// Ints returns a variable that is an array of n integers. Errors: no such
// variable, another shape, a number that is not an integer.
func (s *Set) Ints(name string, n int) ([]int, error) { return s.IntArray(name, n) }

// Reals returns a variable that is an array of n numbers. Errors: no such
// variable, another shape.
func (s *Set) Reals(name string, n int) ([]float64, error) { return s.RealArray(name, n) }

// RealMatrix returns a variable that is an array of rows arrays of cols
// numbers: entry (i, j) is element i·cols + j. Errors: no such variable,
// another shape.
func (s *Set) RealMatrix(name string, rows, cols int) ([]float64, error) {
	return s.RealArray(name, rows, cols)
}

// IntArray returns the integers of a variable of the given dimensions,
// row-major. Errors: no such variable, another shape, a number that is not
// an integer.
func (s *Set) IntArray(name string, dims ...int) ([]int, error) {
	v, err := s.find(name, shape(dims, true))
	if err != nil {
		return nil, err
	}
	errs := s.match(v, dims, true)
	errs = append(errs, s.fractions(v, dims)...)
	if len(errs) > 0 {
		return nil, joined(errs, v.more)
	}
	ints := make([]int, len(v.values))
	for i, x := range v.values {
		ints[i] = int(x)
		if float64(ints[i]) != x {
			return nil, &Error{s.name, v.line, v.col,
				fmt.Sprintf("%s: expected %s, found %.0f", name, shape(dims, true), x),
				"this machine's integers have 32 bits"}
		}
	}
	return ints, nil
}

// fractions returns errors for the numbers of v that are no integers: the first, and
// those behind it that are none.
func (s *Set) fractions(v *variable, dims []int) []*Error {
	if v.real == "" || len(v.dims) != len(dims) {
		return nil
	}
	remedy := "an integer has nothing behind its point: round it, or declare the variable as real"
	if strings.Contains(v.real, "NaN") {
		remedy = missing
	} else if strings.Trim(v.real, "-0123456789") == "" {
		remedy = fmt.Sprintf("integers lie between %d and %d", int64(-maxExact), int64(maxExact))
	}
	first := &Error{s.name, v.realLine, v.realAt, fmt.Sprintf("%s: expected %s, found %s", v.name, shape(dims, true), v.real), remedy}
	errs := []*Error{first}
	for k, x := range v.values {
		if x == math.Trunc(x) && !math.IsInf(x, 0) && math.Abs(x) <= maxExact {
			continue
		}
		line, col := s.element(v, k)
		if len(errs) < maxFaults && (line > first.Line || line == first.Line && col > first.Col) {
			errs = append(errs, &Error{s.name, line, col, fmt.Sprintf("%s is %v, but must be an integer", path(v, k), x), ""})
		}
	}
	return errs
}

// RealArray returns the numbers of a variable of the given dimensions,
// row-major. Errors: no such variable, another shape.
func (s *Set) RealArray(name string, dims ...int) ([]float64, error) {
	v, err := s.find(name, shape(dims, false))
	if err != nil {
		return nil, err
	}
	if errs := s.match(v, dims, false); len(errs) > 0 {
		return nil, joined(errs, v.more)
	}
	return slices.Clone(v.values), nil
}

// find returns a variable, or an error that says what was expected.
func (s *Set) find(name, expected string) (*variable, error) {
	if i, ok := s.at(name); ok {
		return &s.variables[i], nil
	}
	whole := expected == shape(nil, true)
	if expected != "" {
		expected = ": expected " + expected
	}
	e := &Error{Name: s.name, Message: fmt.Sprintf("the variable %s is missing%s", name, expected)}
	for i := range s.variables {
		if v := &s.variables[i]; strings.EqualFold(v.name, name) {
			e.Line, e.Col = v.line, v.col
			e.Remedy = fmt.Sprintf("the file has %s: upper and lower case differ", v.name)
			return nil, e
		}
	}
	const shown = 8
	names := s.Names()
	if whole { // which may be a length of what is there
		for i := range s.variables {
			names[i] += brackets(s.variables[i].dims)
		}
	}
	switch {
	case len(names) == 0:
		e.Remedy = "the file has no variables"
	case len(names) <= shown:
		e.Remedy = "the file has " + strings.Join(names, ", ")
	default:
		e.Remedy = fmt.Sprintf("the file has %s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
	}
	return nil, e
}

// brackets are dimensions as a declaration has them, "" of a number.
func brackets(dims []int) string {
	if len(dims) == 0 {
		return ""
	}
	return strings.ReplaceAll(fmt.Sprint(dims), " ", ", ")
}

// match returns the faults of v, and an error unless it has the given dimensions. JSON cannot say
// how many columns a matrix without rows has, so dimensions end at a zero.
func (s *Set) match(v *variable, dims []int, integer bool) []*Error {
	faults := slices.Clone(v.faults)
	if v.broken {
		return faults
	}
	expected := dims
	for i, d := range dims {
		if d < 0 {
			return append(faults, &Error{s.name, v.line, v.col,
				fmt.Sprintf("%s: a dimension of it is to be %d", v.name, d),
				"sizes are not negative"})
		}
		if d == 0 {
			expected = dims[:i+1]
			break
		}
	}
	if slices.Equal(v.dims, expected) || len(dims)+len(v.dims) == 0 {
		return faults
	}
	e := &Error{s.name, v.line, v.col, fmt.Sprintf("%s: expected %s, found %s",
		v.name, shape(dims, integer), shape(v.dims, v.real == "")), ""}
	switch {
	case len(v.dims) == 0 && len(dims) == 1 && dims[0] == 1:
		e.Remedy = "put the number in brackets"
	case len(dims) == 0 && len(v.values) == 1:
		e.Remedy = "leave out the brackets"
	case len(dims) == 2 && len(v.dims) == 2 && dims[0] == v.dims[1] && dims[1] == v.dims[0]:
		e.Remedy = "a matrix is written as the array of its rows"
	default:
		e.Remedy = "change the array or the declared size"
		if len(dims) == 0 || len(v.dims) == 0 {
			e.Remedy = "change the value or the declaration"
		}
	}
	return append(faults, e)
}

// shape says in words what has the given dimensions.
func shape(dims []int, integer bool) string {
	switch {
	case len(dims) == 0 && integer:
		return "an integer"
	case len(dims) == 0:
		return "a number"
	}
	what := " numbers"
	if integer {
		what = " integers"
	}
	text := "an array of "
	for i, d := range dims {
		if i > 0 {
			text += " × "
		}
		text += fmt.Sprint(d)
	}
	if len(dims) == 1 && dims[0] == 1 {
		what = strings.TrimSuffix(what, "s")
	}
	return text + what
}
