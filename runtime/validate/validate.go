// Package validate checks the data of a generated model. A Checker keeps the
// first problem that it finds, so that a constructor reads as a list of
// demands.
package validate

import (
	"fmt"
	"math"

	"github.com/hamc-dev/hamc/runtime/linalg"
)

// Checker collects the first problem of a model's data.
type Checker struct {
	model string
	err   error
}

// New returns a checker whose errors name the model.
func New(model string) *Checker { return &Checker{model: model} }

// Err returns the first problem found, or nil.
func (c *Checker) Err() error { return c.err }

func (c *Checker) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%s: %s", c.model, fmt.Sprintf(format, args...))
	}
}

// AtLeast demands n ≥ least of an int.
func (c *Checker) AtLeast(name string, n, least int) {
	if n < least {
		c.fail("%s is %d, but must be at least %d", name, n, least)
	}
}

// Equal demands the value that the model was specialised for.
func (c *Checker) Equal(name string, n, want int) {
	if n != want {
		c.fail("%s is %d, but the model was specialised for %d", name, n, want)
	}
}

// maxSize is the largest size: beyond it arrays do not fit the memory of any
// machine that samples.
const maxSize = 1 << 27

// Size demands a size between least and what memory can hold.
func (c *Checker) Size(name string, n, least int) {
	c.AtLeast(name, n, least)
	if n > maxSize {
		c.fail("%s is %d, but may be at most %d", name, n, maxSize)
	}
}

// maxDense is the largest dimension of a metric that is kept as a matrix: 2 GiB.
const maxDense = 1 << 14

// Dimension demands that a dense metric of m coordinates fits the memory.
func (c *Checker) Dimension(m int) {
	if m > maxDense {
		c.fail("the metric is dense in %d coordinates, but may be in at most %d; take one that is diagonal or banded", m, maxDense)
	}
}

// Order demands that the bounds of a parameter, which come from data, are in
// order.
func (c *Checker) Order(param string, lo, hi float64) {
	if !(lo < hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		c.fail("the bounds of the parameter %s are %v and %v: the lower must be below the upper", param, lo, hi)
	}
}

// Times demands that the times of a solution of a differential equation are in
// order and not before its initial time.
func (c *Checker) Times(name string, times []float64, from float64) {
	last, what := from, "the initial time"
	for i, t := range times {
		if t < last {
			c.fail("%s[%d] is %v, before %s %v: the times of a differential equation are in order", name, i+1, t, what, last)
			return
		}
		last, what = t, "the time before it,"
	}
}

// Length demands n elements; size says what n is in the model.
func (c *Checker) Length(name string, have, want int, size string) {
	if have != want {
		c.fail("%s has %d elements, but must have %d (%s)", name, have, want, size)
	}
}

// Real demands that a value is finite and within its bounds; an infinite bound
// is none. An open bound is excluded itself.
func (c *Checker) Real(name string, v, lo, hi float64, loOpen, hiOpen bool) {
	if !within(v, lo, hi, loOpen, hiOpen) {
		c.fail("%s is %v, but must be %s", name, v, interval(lo, hi, loOpen, hiOpen))
	}
}

// Reals demands the same of every element.
func (c *Checker) Reals(name string, x []float64, lo, hi float64, loOpen, hiOpen bool) {
	for i, v := range x {
		if !within(v, lo, hi, loOpen, hiOpen) {
			c.fail("element %d of %s is %v, but must be %s", i+1, name, v, interval(lo, hi, loOpen, hiOpen))
			return
		}
	}
}

// Ints demands that every element lies within its bounds.
func (c *Checker) Ints(name string, x []int, lo, hi float64, loOpen, hiOpen bool) {
	for i, v := range x {
		if !within(float64(v), lo, hi, loOpen, hiOpen) {
			c.fail("element %d of %s is %d, but must be %s", i+1, name, v, interval(lo, hi, loOpen, hiOpen))
			return
		}
	}
}

// OneOf demands that every element is one of a set.
func (c *Checker) OneOf(name string, x []int, set ...int) {
	for i, v := range x {
		found := false
		for _, s := range set {
			found = found || s == v
		}
		if !found {
			c.fail("element %d of %s is %d, but must be one of %v", i+1, name, v, set)
			return
		}
	}
}

// UpTo demands that no element is above that of a limit: an array of the same
// length, or one value for all.
func (c *Checker) UpTo(name string, x []int, limit string, most []int) {
	for i, v := range x {
		k := i
		if len(most) == 1 {
			k = 0
		}
		if k < len(most) && v > most[k] {
			c.fail("element %d of %s is %d, but must be at most %d (%s)", i+1, name, v, most[k], limit)
			return
		}
	}
}

// Covariance demands a symmetric positive definite n × n matrix, row-major.
func (c *Checker) Covariance(name string, a []float64, n int) {
	if c.err != nil {
		return
	}
	scale := 0.0
	for _, v := range a {
		scale = max(scale, math.Abs(v))
	}
	for i := 0; i < n; i++ {
		for j := 0; j < i; j++ {
			if d := math.Abs(a[i*n+j] - a[j*n+i]); !(d <= 1e-10*scale) {
				c.fail("%s is not symmetric: entry (%d, %d) is %v and entry (%d, %d) is %v", name, i+1, j+1, a[i*n+j], j+1, i+1, a[j*n+i])
				return
			}
		}
	}
	if linalg.NewCholesky(n).Factor(a) != linalg.Factored {
		c.fail("%s is not positive definite", name)
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
