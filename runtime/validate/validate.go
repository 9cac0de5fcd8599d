// Package validate checks the data of a generated model. A Checker keeps the
// problems that it finds, so that a constructor reads as a list of demands.
package validate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hamc-dev/hamc/runtime/linalg"
	"github.com/hamc-dev/hamc/runtime/transform"
)

// Unknown stands for a size that could not be read; see datafile.Unread. What is near it is made of
// it.
const Unknown = math.MinInt / 2

// Problem is one thing that is wrong with data.
type Problem struct {
	Name   string // of the datum or parameter; "" if it is about the whole
	Index  int    // of the element, from 0 and row-major; −1 if it is about no element
	Sizes  []int  // of the dimensions of the array whose element it is; nil of a vector
	Text   string // what goes on behind the name, with its blank: " is 7, but must be 0 or 1"
	Remedy string // may be empty

	More int // elements with the problem that are not named, where it tells how many

	// Doubtful is set if it is a bound that was not known: the problem may be that of another datum.
	Doubtful bool
}

// Path is the name of what the problem is with: y, y[3], x[2,1].
func (p *Problem) Path() string {
	switch {
	case p.Index < 0:
		return p.Name
	case p.Sizes == nil:
		return fmt.Sprintf("%s[%d]", p.Name, p.Index+1)
	}
	at, rest := make([]string, len(p.Sizes)), p.Index
	for d := len(at) - 1; d > 0; d-- {
		n := max(p.Sizes[d], 1)
		at[d], rest = strconv.Itoa(rest%n+1), rest/n
	}
	at[0] = strconv.Itoa(rest + 1)
	return p.Name + "[" + strings.Join(at, ",") + "]"
}

// Problems are all problems of a model's data, as an error.
type Problems struct {
	Model string
	List  []Problem
}

// maxListed is the number of problems that Error lists.
const maxListed = 20

// Error returns a line for each problem.
func (p *Problems) Error() string {
	var lines []string
	for i := range p.List {
		if i == maxListed {
			lines = append(lines, fmt.Sprintf("%s: and %d more", p.Model, len(p.List)-i))
			break
		}
		x := &p.List[i]
		line := p.Model + ": " + x.Path() + x.Text
		if x.Remedy != "" {
			line += "; " + x.Remedy
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// Checker collects the problems of a model's data.
type Checker struct {
	problems Problems
	sizes    map[string][]int        // of arrays of several dimensions
	except   map[string]map[int]bool // elements that are not looked at
}

// New returns a checker whose errors name the model.
func New(model string) *Checker { return &Checker{problems: Problems{Model: model}} }

// Err returns the problems found, as *Problems, or nil.
func (c *Checker) Err() error {
	if len(c.problems.List) == 0 {
		return nil
	}
	return &c.problems
}

// Problems returns the problems found.
func (c *Checker) Problems() []Problem { return c.problems.List }

// fail adds a problem with a name.
func (c *Checker) fail(name, format string, args ...any) *Problem {
	return c.add(Problem{Name: name, Index: -1, Text: fmt.Sprintf(format, args...)})
}

// add adds a problem, unless it is there: a declaration and several distributions may demand the same.
func (c *Checker) add(p Problem) *Problem {
	for i := range c.problems.List {
		if x := &c.problems.List[i]; x.Name == p.Name && x.Index == p.Index && x.Text == p.Text {
			return x
		}
	}
	c.problems.List = append(c.problems.List, p)
	return &c.problems.List[len(c.problems.List)-1]
}

// Except leaves out elements of an array, which others have told the problems of.
func (c *Checker) Except(name string, elements []int) {
	if c.except == nil {
		c.except = make(map[string]map[int]bool)
	}
	c.except[name] = make(map[int]bool)
	for _, i := range elements {
		c.except[name][i] = true
	}
}

// maxElements is the number of elements of one array that are named; the rest are
// counted.
const maxElements = 12

// elements adds the problems of the elements of one array.
type elements struct {
	c      *Checker
	name   string
	wrong  int    // elements so far
	remedy string // of the next problem
	doubt  bool
}

// add notes that the element i is wrong.
func (e *elements) add(i int, format string, args ...any) {
	if e.c.except[e.name][i] {
		return
	}
	if e.wrong++; e.wrong > maxElements {
		return
	}
	p := Problem{Name: e.name, Index: i, Sizes: e.c.sizes[e.name], Text: fmt.Sprintf(format, args...), Doubtful: e.doubt}
	p.Remedy, e.remedy = e.remedy, "" // once is enough
	e.c.add(p)
}

// finish counts the elements that were not named.
func (e *elements) finish(must string) {
	n := e.wrong - maxElements
	if n <= 0 {
		return
	}
	many := fmt.Sprintf("%d more such elements", n)
	if n == 1 {
		many = "one more such element"
	}
	p := e.c.fail(e.name, " has %s, which must be %s", many, must)
	p.Doubtful, p.More = e.doubt, n
}

// AtLeast demands n ≥ least of an int.
func (c *Checker) AtLeast(name string, n, least int) {
	if n < least {
		c.fail(name, " is %d, but must be at least %d", n, least)
	}
}

// Equal demands the value that the model was specialised for.
func (c *Checker) Equal(name string, n, want int) {
	if n != want {
		c.fail(name, " is %d, but the model was specialised for %d", n, want)
	}
}

// maxSize is the largest size: beyond it arrays do not fit the memory of any
// machine that samples.
const maxSize = 1 << 27

// Size demands a size between least and what memory can hold.
func (c *Checker) Size(name string, n, least int) {
	c.AtLeast(name, n, least)
	if n > maxSize {
		c.fail(name, " is %d, but may be at most %d", n, maxSize)
	}
}

// Whole is a size that is computed of data: the whole number x, or one that no size is where x is beyond what an int holds exactly.
func Whole(x float64) int {
	const most = 1 << 53
	if math.IsNaN(x) {
		return -most
	}
	return int(max(-most, min(x, most)))
}

// Max is the largest of whole numbers, as Whole takes it; 0 of none.
func Max(x []int) float64 {
	if len(x) == 0 {
		return 0
	}
	return float64(slices.Max(x))
}

// Min is the smallest of whole numbers, as Whole takes it; 0 of none.
func Min(x []int) float64 {
	if len(x) == 0 {
		return 0
	}
	return float64(slices.Min(x))
}

// Count is how many numbers compare with one as op says, one of < <= > >= == !=.
func Count[T int | float64](x []T, op string, to float64) float64 {
	n := 0.0
	for _, v := range x {
		y := float64(v)
		if op == "<" && y < to || op == "<=" && y <= to || op == ">" && y > to || op == ">=" && y >= to || op == "==" && y == to || op == "!=" && y != to {
			n++
		}
	}
	return n
}

// Sum is the sum of whole numbers, as Whole takes it.
func Sum(x []int) float64 {
	total := 0.0
	for _, n := range x {
		total += float64(n)
	}
	return total
}

// maxDense is the largest dimension of a metric that is kept as a matrix: 2 GiB.
const maxDense = 1 << 14

// Dimension demands that a dense metric of m coordinates fits the memory.
func (c *Checker) Dimension(m int) {
	if m > maxDense {
		c.fail("", "the metric is dense in %d coordinates, but may be in at most %d; take one that is diagonal or banded", m, maxDense)
	}
}

// Order demands that the bounds of a parameter, which come from data, are in
// order.
func (c *Checker) Order(param string, lo, hi float64) {
	if !(lo < hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		p := c.fail("", "the bounds of the parameter %s are %v and %v: the lower must be below the upper", param, lo, hi)
		p.Doubtful = doubtful(lo) || doubtful(hi)
	}
}

// Bounds returns the error of a parameter of a model whose bounds, functions of data, are not in order or not finite, nil if they are. Infinite lo and hi
// stand for none. Elements are counted from 0; a scalar has the element −1.
func Bounds(model, param string, element int, lo, hi float64) error {
	if lo < hi && !math.IsInf(lo, 1) && !math.IsInf(hi, -1) {
		return nil
	}
	return fmt.Errorf("%s: the bounds of %s are %v and %v: the lower must be below the upper", model, elementOf(param, element), lo, hi)
}

// Scale returns the error of a parameter of a model whose offset and multiplier, functions of data, are not finite or not positive, nil if they are. Elements
// are counted as those of Bounds.
func Scale(model, param string, element int, offset, multiplier float64) error {
	if offset-offset == 0 && multiplier > 0 && !math.IsInf(multiplier, 1) {
		return nil
	}
	return fmt.Errorf("%s: the offset of %s is %v and its multiplier %v: the first must be finite and the second positive", model, elementOf(param, element), offset, multiplier)
}

// elementOf names an element of a parameter.
func elementOf(param string, element int) string {
	if element >= 0 {
		return fmt.Sprintf("element %d of the parameter %s", element+1, param)
	}
	return "the parameter " + param
}

// Times demands that the times of a solution of a differential equation are in
// order and not before its initial time.
func (c *Checker) Times(name string, times []float64, from float64) {
	c.RowsOfTimes(name, times, len(times), from)
}

// RowsOfTimes is Times of each row of a matrix with that many columns.
func (c *Checker) RowsOfTimes(name string, times []float64, columns int, from float64) {
	e := elements{c: c, name: name, doubt: doubtful(from), remedy: "sort the times, and what was measured at them alike"}
	var last float64
	var what string
	for i, t := range times {
		if columns > 0 && i%columns == 0 {
			last, what = from, "the initial time"
		}
		if t < last {
			e.add(i, " is %v, before %s %v: the times of a differential equation are in order", t, what, last)
		}
		last, what = t, "the time before it,"
	}
	e.finish("in order")
}

// Length demands n elements; size says what n is in the model.
func (c *Checker) Length(name string, have, want int, size string) {
	if have != want {
		c.fail(name, " has %d elements, but must have %d (%s)", have, want, size).Doubtful = doubtful(float64(want))
	}
}

// Array is Length for an array of several dimensions, whose elements are named by their positions from here on.
func (c *Checker) Array(name string, have int, size string, sizes ...int) {
	if c.sizes == nil {
		c.sizes = make(map[string][]int)
	}
	c.sizes[name] = sizes
	want := 1
	for _, n := range sizes {
		want *= n
	}
	c.Length(name, have, want, size)
}

// Real demands that a value is finite and within its bounds; an infinite bound
// is none. An open bound is excluded itself.
func (c *Checker) Real(name string, v, lo, hi float64, loOpen, hiOpen bool) {
	if !within(v, lo, hi, loOpen, hiOpen) {
		p := c.fail(name, " is %v, but must be %s", v, interval(lo, hi, loOpen, hiOpen))
		p.Doubtful = doubtful(lo) || doubtful(hi)
		if math.IsNaN(v) {
			p.Remedy = noValue
		}
	}
}

// noValue is the remedy for what is not a number.
const noValue = "there are no missing values: leave it out, or declare it as a parameter of the model"

// Reals demands the same of every element.
func (c *Checker) Reals(name string, x []float64, lo, hi float64, loOpen, hiOpen bool) {
	e := elements{c: c, name: name, doubt: doubtful(lo) || doubtful(hi)}
	must := interval(lo, hi, loOpen, hiOpen)
	missing := false
	for i, v := range x {
		if !within(v, lo, hi, loOpen, hiOpen) {
			if math.IsNaN(v) && !missing {
				e.remedy, missing = noValue, true
			}
			e.add(i, " is %v, but must be %s", v, must)
		}
	}
	e.finish(must)
}

// Ints demands that every element lies within its bounds.
func (c *Checker) Ints(name string, x []int, lo, hi float64, loOpen, hiOpen bool) {
	e := elements{c: c, name: name, doubt: doubtful(lo) || doubtful(hi)}
	must := interval(lo, hi, loOpen, hiOpen)
	if !loOpen && !hiOpen && lo <= hi && !math.IsInf(lo, 0) && !math.IsInf(hi, 0) {
		must = fmt.Sprintf("a whole number between %v and %v", lo, hi)
		if lo == 1 && fromZero(x, int(hi)) {
			e.remedy = "hamc counts from 1, and these look like counted from 0: add 1 to each"
		}
	}
	for i, v := range x {
		if !within(float64(v), lo, hi, loOpen, hiOpen) {
			e.add(i, " is %d, but must be %s", v, must)
		}
	}
	e.finish(must)
}

// fromZero reports whether numbers between 1 and n look like ones that were counted from 0.
func fromZero(x []int, n int) bool {
	zero := false
	for _, v := range x {
		if v < 0 || v >= n && n > 1 {
			return false
		}
		zero = zero || v == 0
	}
	return zero
}

// OneOf demands that every element is one of a set.
func (c *Checker) OneOf(name string, x []int, set ...int) {
	e := elements{c: c, name: name}
	if len(set) == 2 && min(set[0], set[1]) == 0 && max(set[0], set[1]) == 1 {
		switch lo, hi := ends(x); {
		case lo == 1 && hi == 2:
			e.remedy = "these look like 1 and 2 for no and yes: subtract 1 from each"
		case lo == -1 && hi == 1:
			e.remedy = "write 0 for -1"
		}
	}
	must := list(set)
	for i, v := range x {
		found := false
		for _, s := range set {
			found = found || s == v
		}
		if !found {
			e.add(i, " is %d, but must be %s", v, must)
		}
	}
	e.finish(must)
}

// ends returns the least and the greatest of some numbers.
func ends(x []int) (lo, hi int) {
	for i, v := range x {
		if i == 0 || v < lo {
			lo = v
		}
		if i == 0 || v > hi {
			hi = v
		}
	}
	return lo, hi
}

// list is the values of a set in words: 0 or 1.
func list(set []int) string {
	s := ""
	for i, v := range set {
		switch {
		case i > 0 && i == len(set)-1:
			s += " or "
		case i > 0:
			s += ", "
		}
		s += fmt.Sprint(v)
	}
	return s
}

// UpTo demands that no element is above that of a limit: an array of the same
// length, or one value for all.
func (c *Checker) UpTo(name string, x []int, limit string, most []int) {
	e := elements{c: c, name: name}
	for i, v := range x {
		k := i
		if len(most) == 1 {
			k = 0
		}
		if k < len(most) && v > most[k] {
			e.doubt = doubtful(float64(most[k]))
			e.add(i, " is %d, but must be at most %d (%s)", v, most[k], limit)
		}
	}
	e.finish("at most " + limit)
}

// doubtful reports whether a bound is not known.
func doubtful(bound float64) bool {
	return math.IsNaN(bound) || bound < Unknown/2 && !math.IsInf(bound, 0)
}

// Covariance demands symmetric positive definite n × n matrices, row-major, one after the other.
func (c *Checker) Covariance(name string, a []float64, n int) {
	if !c.Symmetric(name, a, n) || n < 1 {
		return
	}
	factor := linalg.NewCholesky(n)
	for at := 0; at+n*n <= len(a); at += n * n {
		if factor.Factor(a[at:][:n*n]) != linalg.Factored {
			c.fail(name, "%s is not positive definite", which(a, at, n))
			return
		}
	}
}

// Symmetric demands symmetric n × n matrices, row-major, one after the other, and reports whether they are.
func (c *Checker) Symmetric(name string, all []float64, n int) bool {
	if n < 1 || len(all)%(n*n) != 0 {
		return n < 1 // else Array has said so
	}
	for at := 0; at < len(all); at += n * n {
		a := all[at:][:n*n]
		scale := 0.0
		for _, v := range a {
			scale = max(scale, math.Abs(v))
		}
		for i := 0; i < n; i++ {
			for j := 0; j < i; j++ {
				if d := math.Abs(a[i*n+j] - a[j*n+i]); !(d <= 1e-10*scale) {
					c.fail(name, "%s is not symmetric: entry (%d, %d) is %v and entry (%d, %d) is %v", which(all, at, n), i+1, j+1, a[i*n+j], j+1, i+1, a[j*n+i])
					return false
				}
			}
		}
	}
	return true
}

// which names the matrix at a place among n × n matrices, if there are several.
func which(all []float64, at, n int) string {
	if len(all) == n*n {
		return ""
	}
	return fmt.Sprintf(", matrix %d,", at/(n*n)+1)
}

// Simplex demands that each k numbers, the whole of a vector or a row of an array, are positive and sum to 1. What is wrong names the row, if there are several.
func (c *Checker) Simplex(name string, x []float64, k int) {
	before := len(c.problems.List)
	c.Reals(name, x, 0, math.Inf(1), true, true)
	if len(c.problems.List) > before || len(c.except[name]) > 0 || k < 1 {
		return
	}
	check := func(_, x []float64) error { return transform.CheckSimplex(x) }
	err := check(nil, x)
	if len(x) != k {
		err = transform.Rows(check, len(x)/k, nil, x)
	}
	if err != nil {
		c.fail(name, "%v", err)
	}
}

func within(v, lo, hi float64, loOpen, hiOpen bool) bool {
	if math.IsNaN(v) || math.IsInf(v, 0) || math.IsNaN(lo) || math.IsNaN(hi) {
		return false
	}
	return (v > lo || !loOpen && v == lo) && (v < hi || !hiOpen && v == hi)
}

func interval(lo, hi float64, loOpen, hiOpen bool) string {
	word := func(open bool, strict, loose string) string {
		if open {
			return strict
		}
		return loose
	}
	switch {
	case math.IsInf(lo, -1) && math.IsInf(hi, 1):
		return "finite"
	case math.IsInf(hi, 1):
		return fmt.Sprintf("%s %v", word(loOpen, "above", "at least"), lo)
	case math.IsInf(lo, -1):
		return fmt.Sprintf("%s %v", word(hiOpen, "below", "at most"), hi)
	}
	return fmt.Sprintf("%s %v and %s %v", word(loOpen, "above", "at least"), lo, word(hiOpen, "below", "at most"), hi)
}

// Floats converts integers for arithmetic.
func Floats(x []int) []float64 {
	f := make([]float64, len(x))
	for i, v := range x {
		f[i] = float64(v)
	}
	return f
}

// Positions returns x − 1: integer data that count elements from 1, for use as
// positions in Go.
func Positions(x []int) []int {
	p := make([]int, len(x))
	for i, v := range x {
		p[i] = v - 1
	}
	return p
}

// Selects demands that each of some numbers that a model computes of its data, and selects elements with, is a whole one from 1 to last. Text says
// what they are. For each dimension there is the first position that counts, and the last.
func Selects(model, text string, numbers []float64, last float64, ranges ...int) error {
	columns := 1
	if len(ranges) == 4 {
		columns = ranges[3]
	}
	for i, x := range numbers {
		row, column := i/columns+1, i%columns+1
		if row < ranges[0] || len(ranges) == 4 && column < ranges[2] || x == math.Trunc(x) && x >= 1 && x <= last {
			continue
		}
		at := ""
		switch {
		case len(ranges) == 4:
			at = fmt.Sprintf(", element %d, %d,", row, column)
		case len(numbers) > 1:
			at = fmt.Sprintf(", element %d,", row)
		}
		return fmt.Errorf("%s: the position %s%s is %v, but there are elements 1 to %v", model, text, at, x, last)
	}
	return nil
}
