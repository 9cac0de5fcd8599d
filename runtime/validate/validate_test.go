package validate_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime/validate"
)

// TestDemands states for each demand what passes and what the error says. Its lines are the rows of the table.
func TestDemands(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, row := range []struct {
		name string
		do   func(*validate.Checker)
		want string // part of the error; "" if the demand is met
	}{
		{"at least", func(c *validate.Checker) { c.AtLeast("n", 3, 3) }, ""},
		{"below", func(c *validate.Checker) { c.AtLeast("n", 2, 3) }, "n is 2, but must be at least 3"},
		{"size", func(c *validate.Checker) { c.Size("n", 3, 3) }, ""},
		{"size too small", func(c *validate.Checker) { c.Size("n", 2, 3) }, "at least 3"},
		{"size too large", func(c *validate.Checker) { c.Size("n", 1_000_000_000, 1) }, "n is 1000000000, but may be at most"},
		{"dimension", func(c *validate.Checker) { c.Dimension(1000) }, ""},
		{"large dense", func(c *validate.Checker) { c.Dimension(100_000) }, "the metric is dense in 100000 coordinates"},
		{"order", func(c *validate.Checker) { c.Order("p", 0, 1) }, ""},
		{"disorder", func(c *validate.Checker) { c.Order("p", 1, 1) }, "the bounds of the parameter p are 1 and 1"},
		{"equal", func(c *validate.Checker) { c.Equal("k", 10, 10) }, ""},
		{"not equal", func(c *validate.Checker) { c.Equal("k", 9, 10) }, "k is 9, but the model was specialised for 10"},
		{"length", func(c *validate.Checker) { c.Length("y", 4, 4, "n") }, ""},
		{"too short", func(c *validate.Checker) { c.Length("y", 3, 4, "n") }, "y has 3 elements, but must have 4 (n)"},
		{"free", func(c *validate.Checker) { c.Real("m", -1e300, -inf, inf, true, true) }, ""},
		{"NaN", func(c *validate.Checker) { c.Real("m", nan, -inf, inf, true, true) }, "m is NaN, but must be finite"},
		{"infinite", func(c *validate.Checker) { c.Real("m", inf, -inf, inf, true, true) }, "must be finite"},
		{"open bound", func(c *validate.Checker) { c.Real("s", 0, 0, inf, true, true) }, "s is 0, but must be above 0"},
		{"closed bound", func(c *validate.Checker) { c.Real("s", 0, 0, inf, false, true) }, ""},
		{"upper bound", func(c *validate.Checker) { c.Real("s", 2, -inf, 1, true, false) }, "must be at most 1"},
		{"interval", func(c *validate.Checker) { c.Real("s", 1, 0, 1, true, true) }, "must be above 0 and below 1"},
		{"NaN bound", func(c *validate.Checker) { c.Real("s", 1, nan, inf, true, true) }, "s is 1"},
		{"element", func(c *validate.Checker) { c.Reals("y", []float64{1, nan}, -inf, inf, true, true) }, "y[2] is NaN, but must be finite; there are no missing values"},
		{"int element", func(c *validate.Checker) { c.Ints("y", []int{0, -1}, 0, inf, false, true) }, "y[2] is -1, but must be at least 0"},
		{"set", func(c *validate.Checker) { c.OneOf("y", []int{0, 1, 1}, 0, 1) }, ""},
		{"outside the set", func(c *validate.Checker) { c.OneOf("y", []int{0, 2}, 0, 1) }, "y[2] is 2, but must be 0 or 1"},
		{"up to one limit", func(c *validate.Checker) { c.UpTo("y", []int{0, 3}, "N", []int{3}) }, ""},
		{"above its limit", func(c *validate.Checker) { c.UpTo("y", []int{0, 3}, "N", []int{5, 2}) }, "y[2] is 3, but must be at most 2 (N)"},
		{"covariance", func(c *validate.Checker) { c.Covariance("S", []float64{2, 1, 1, 2}, 2) }, ""},
		{"asymmetric", func(c *validate.Checker) { c.Covariance("S", []float64{2, 1, 0, 2}, 2) }, "S is not symmetric: entry (2, 1) is 0 and entry (1, 2) is 1"},
		{"indefinite", func(c *validate.Checker) { c.Covariance("S", []float64{1, 2, 2, 1}, 2) }, "S is not positive definite"},
		{"covariances", func(c *validate.Checker) { c.Covariance("S", []float64{2, 1, 1, 2, 1, 0, 0, 1}, 2) }, ""},
		{"an indefinite one", func(c *validate.Checker) { c.Covariance("S", []float64{2, 1, 1, 2, 1, 2, 2, 1}, 2) }, "S, matrix 2, is not positive definite"},
		{"no matrices", func(c *validate.Checker) { c.Symmetric("W", nil, 0) }, ""},
		{"symmetric", func(c *validate.Checker) { c.Symmetric("W", []float64{0, 1, 1, 0}, 2) }, ""},
		{"not symmetric", func(c *validate.Checker) { c.Symmetric("W", []float64{0, 1, 1, 0, 0, 1, 2, 0}, 2) }, "W, matrix 2, is not symmetric: entry (2, 1) is 2 and entry (1, 2) is 1"},
		{"simplex", func(c *validate.Checker) { c.Simplex("w", []float64{0.5, 0.4}, 2) }, "w has the sum 0.9, but the elements of a simplex sum to 1"},
		{"simplexes", func(c *validate.Checker) { c.Simplex("Y", []float64{0.5, 0.5, 0.25, 0.75}, 2) }, ""},
		{"no simplexes", func(c *validate.Checker) { c.Simplex("Y", nil, 0) }, ""},
		{"a simplex that was rounded", func(c *validate.Checker) { c.Simplex("w", []float64{0.333, 0.333, 0.333}, 3) }, "w has the sum 0.9990000000000001, but the elements of a simplex sum to 1; if they were rounded, divide each by the sum"},
		{"a row that is no simplex", func(c *validate.Checker) { c.Simplex("Y", []float64{0.5, 0.5, 0.25, 0.5}, 2) }, "Y[2] has the sum 0.75, but the elements of a simplex sum to 1"},
		{"a zero in a simplex", func(c *validate.Checker) { c.Simplex("Y", []float64{0.5, 0.5, 0, 1}, 2) }, "Y[3] is 0, but must be above 0"},
		{"NaN covariance", func(c *validate.Checker) { c.Covariance("S", []float64{1, nan, nan, 1}, 2) }, "S is not"},
		{"all problems", func(c *validate.Checker) {
			c.AtLeast("n", 0, 1)
			c.AtLeast("k", 0, 1)
			c.Reals("y", []float64{nan, 1, inf}, -inf, inf, true, true)
		}, "n is 0, but must be at least 1\nm: k is 0, but must be at least 1\nm: y[1] is NaN, but must be finite; there are no missing values: leave it out, or declare it as a parameter of the model\nm: y[3] is +Inf, but must be finite"},
		{"element of a matrix", func(c *validate.Checker) {
			c.Array("x", 6, "n·k", 2, 3)
			c.Reals("x", []float64{1, 1, 1, 1, -1, 1}, 0, inf, false, true)
		}, "x[2,2] is -1, but must be at least 0"},
		{"size of a matrix", func(c *validate.Checker) { c.Array("x", 6, "n·k", 2, 4) }, "x has 6 elements, but must have 8 (n·k)"},
		{"many elements", func(c *validate.Checker) { c.OneOf("y", make([]int, 107), 1, 2, 3) }, "y[12] is 0, but must be 1, 2 or 3\nm: y has 95 more such elements, which must be 1, 2 or 3"},
		{"one more element", func(c *validate.Checker) { c.OneOf("y", make([]int, 13), 1, 2, 3) }, "y has one more such element, which must be 1, 2 or 3"},
		{"counted from 0", func(c *validate.Checker) { c.Ints("g", []int{0, 2, 1, 0}, 1, 3, false, false) },
			"g[1] is 0, but must be a whole number between 1 and 3; hamc counts from 1, and these look like counted from 0: add 1 to each\nm: g[4] is 0, but must be a whole number between 1 and 3"},
		{"one group counted from 0", func(c *validate.Checker) { c.Ints("g", []int{0, 0}, 1, 1, false, false) }, "counted from 0"},
		{"not counted from 0", func(c *validate.Checker) { c.Ints("g", []int{0, 3}, 1, 3, false, false) }, "g[1] is 0, but must be a whole number between 1 and 3"},
		{"1 and 2", func(c *validate.Checker) { c.OneOf("y", []int{1, 2, 1}, 0, 1) }, "y[2] is 2, but must be 0 or 1; these look like 1 and 2 for no and yes: subtract 1 from each"},
		{"-1 and 1", func(c *validate.Checker) { c.OneOf("y", []int{1, -1}, 0, 1) }, "y[2] is -1, but must be 0 or 1; write 0 for -1"},
		{"times", func(c *validate.Checker) { c.Times("t", []float64{1, 3, 2}, 0) }, "t[3] is 2, before the time before it, 3"},
		{"early time", func(c *validate.Checker) { c.Times("t", []float64{-1, 3}, 0) }, "t[1] is -1, before the initial time 0"},
	} {
		c := validate.New("m")
		row.do(c)
		err := c.Err()
		switch {
		case row.want == "" && err != nil:
			t.Errorf("%s: %v", row.name, err)
		case row.want != "" && (err == nil || !strings.HasPrefix(err.Error(), "m: ") || !strings.Contains(err.Error(), row.want)):
			t.Errorf("%s: got %v, want %q", row.name, err, row.want)
		case strings.HasPrefix(row.name, "not ") && strings.Contains(err.Error(), ";"):
			t.Errorf("%s: a remedy too many in %v", row.name, err)
		}
	}
}

func TestFloats(t *testing.T) {
	got := validate.Floats([]int{-3, 0, 7})
	for i, want := range []float64{-3, 0, 7} {
		if got[i] != want {
			t.Errorf("element %d is %v, want %v", i, got[i], want)
		}
	}
}

func TestPositions(t *testing.T) {
	got := validate.Positions([]int{1, 3, 2})
	for i, want := range []int{0, 2, 1} {
		if got[i] != want {
			t.Errorf("element %d is %v, want %v", i, got[i], want)
		}
	}
}

// TestSameProblem: what a declaration and two distributions demand of a datum is told once.
func TestSameProblem(t *testing.T) {
	c := validate.New("m")
	for range 3 {
		c.Reals("y", []float64{1, -3, 2}, 0, math.Inf(1), true, true)
	}
	c.Reals("z", []float64{1, -3, 2}, 0, math.Inf(1), true, true)
	if n := len(c.Problems()); n != 2 {
		t.Errorf("%d problems, want 2: %v", n, c.Err())
	}
}

func TestSelects(t *testing.T) {
	tests := []struct {
		numbers []float64
		last    float64
		ranges  []int
		want    string
	}{
		{[]float64{1, 3, 2}, 3, []int{1, 3}, ""},
		{[]float64{0, 3, 2}, 3, []int{2, 3}, ""},
		{[]float64{1, 4, 2}, 3, []int{1, 3}, "m: the position h[i], element 2, is 4, but there are elements 1 to 3"},
		{[]float64{1, 0, 2}, 3, []int{1, 3}, "m: the position h[i], element 2, is 0, but there are elements 1 to 3"},
		{[]float64{1.5}, 3, []int{1, 1}, "m: the position h[i] is 1.5, but there are elements 1 to 3"},
		{[]float64{0, 1, 1, 1, 9, 1}, 3, []int{1, 2, 2, 3}, "m: the position h[i], element 2, 2, is 9, but there are elements 1 to 3"},
		{[]float64{0, 0, 0, 0, 2, 1}, 3, []int{2, 2, 2, 3}, ""},
		{[]float64{math.NaN()}, 3, []int{1, 1}, "m: the position h[i] is NaN, but there are elements 1 to 3"},
	}
	for _, x := range tests {
		got := ""
		if err := validate.Selects("m", "h[i]", x.numbers, x.last, x.ranges...); err != nil {
			got = err.Error()
		}
		if got != x.want {
			t.Errorf("%v: %q, want %q", x.numbers, got, x.want)
		}
	}
}

// TestBounds: bounds that are functions of data are finite and in order.
func TestBounds(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		element int
		lo, hi  float64
		want    string
	}{
		{-1, 0, 1, ""},
		{-1, -inf, 1, ""},
		{2, 0, inf, ""},
		{-1, 1, 1, "m: the bounds of the parameter p are 1 and 1: the lower must be below the upper"},
		{2, 3, 1, "m: the bounds of element 3 of the parameter p are 3 and 1"},
		{0, math.NaN(), 1, "are NaN and 1"},
		{0, inf, inf, "are +Inf and +Inf"},
		{-1, -inf, -inf, "are -Inf and -Inf"},
	} {
		err := validate.Bounds("m", "p", c.element, c.lo, c.hi)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c, err)
		}
	}
}
