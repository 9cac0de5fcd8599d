package dsl_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// foreignValues are values of the arguments of R's and SciPy's distributions by their names, of which the first that makes a model counts; those of other names are s, which is positive.
var foreignValues = map[string][]string{
	"mean": {"a", "p", "v"}, "mu": {"a", "p"}, "meanlog": {"a"}, "location": {"a"}, "loc": {"a"}, "prob": {"p", "w"}, "p": {"p", "w"}, "size": {"4"}, "n": {"4"},
	"cov": {"V"}, "prec": {"V"}, "alpha": {"up"}, "min": {"-1"}, "max": {"1"}, "sd": {"0.1*p", "s"},
}

// foreignSides are left sides of all kinds.
var foreignSides = []string{"x", "h", "u", "d", "c", "g", "y", "f", "x + a", "h + s", "w"}

// foreignCalls is a model with them.
const foreignCalls = `model foreign
data x real
data h real > 0
data u real in (0, 1)
data d int in {0, 1}
data c int >= 0
data g int in 1..3
data y real[3]
data f int[3] >= 0
data V cov[3]
data up real[3] > 0
param a real
param s real > 0
param p real in (0, 1)
param v real[3]
param w simplex[3]
a, v ~ normal(0, 1)
s ~ exponential(1)
%s
metric identity
`

// loadsOne reports whether a line, with some value for VALUES, makes a model without errors.
func loadsOne(row [5]string, line func(args []string, side string) string, values []string) (last string, ok bool) {
	for n := range 3 * len(values) {
		var args []string
		for _, arg := range strings.Fields(row[1]) {
			name, _, _ := strings.Cut(arg, "=")
			name, only, fixed := strings.Cut(name, ":")
			choice := foreignValues[name]
			switch {
			case fixed:
				args = append(args, name+"="+only)
			case choice == nil:
				args = append(args, name+"=s")
			default:
				args = append(args, name+"="+choice[n%3%len(choice)])
			}
		}
		text := line(args, values[n/3])
		m, ds := dsl.Load("foreign.ham", fmt.Sprintf(foreignCalls, text), dsl.Options{})
		if m != nil {
			return text, true
		}
		last = text + "\n" + ds.String()
	}
	return last, false
}

// hinted is a line as its message tells to write it, whether that shows the whole line, or what stands in the place of a call.
func hinted(line string) string {
	_, ds := dsl.Load("foreign.ham", fmt.Sprintf(foreignCalls, line), dsl.Options{})
	for _, d := range ds.List {
		_, write, ok := strings.Cut(strings.Replace(d.Hint, "as it stands it is `", "write `", 1), "write `")
		if !ok {
			continue
		}
		write, _, _ = strings.Cut(write, "`")
		if strings.Contains(write, " ~ ") || strings.HasPrefix(write, "let ") || strings.HasPrefix(write, "density ") {
			return write
		}
		head, call, _ := strings.Cut(line, " ~ ")
		if call != "" {
			return head + " ~ " + write
		}
		if head, call, ok = strings.Cut(line, "{ q = "); ok && strings.HasSuffix(call, ") }") {
			return head + "{ q = " + write + " }"
		}
		head, _, _ = strings.Cut(line, " = ")
		return head + " = " + write
	}
	return line
}

// TestRDistributions checks each row of the table of R's distributions: behind `~`, and in the functions of a value that the row has, what the message says to write is a model.
func TestRDistributions(t *testing.T) {
	for _, row := range dsl.ForeignDists(false) {
		if row[1] == "" { // without arguments: those of the next row
			continue
		}
		last, ok := loadsOne(row, func(args []string, side string) string {
			return hinted(side + " ~ d" + row[0] + "(" + strings.Join(args, ", ") + ")")
		}, foreignSides)
		if !ok {
			t.Errorf("row %q behind ~: %s", row, last)
		}
		first := [5]string{}
		for _, r := range dsl.ForeignDists(false) {
			if r[0] == row[0] && r[1] != "" && first[0] == "" {
				first = r
			}
		}
		if row != first || row[0] == "mnorm" || row[0] == "cat" { // the others are of named arguments, or of vectors
			continue
		}
		for _, call := range []string{"let q = d%s(%s, %s)", "let q = p%s(%s, %s)", "let q = q%s(%s, %s)", "generate { q = r%s(%s, %s) }"} {
			if strings.Contains(call, "= q") && row[4] == "" || strings.Contains(call, "= p") && dsl.LookupDistribution(strings.SplitN(row[2], "(", 2)[0]).LogCdf == "" {
				continue
			}
			at := []string{"x", "h", "u", "d", "c"}
			if strings.Contains(call, "= r") {
				at = []string{"1"}
			} else if strings.Contains(call, "= q") {
				at = []string{"0.3"}
			}
			last, ok := loadsOne(row, func(args []string, side string) string {
				line := fmt.Sprintf(call, row[0], side, strings.Join(args, ", "))
				if write := hinted(line); write != line {
					return write
				}
				return "no hint on " + line
			}, at)
			if !ok {
				t.Errorf("row %q, %s: %s", row, call, last)
			}
		}
	}
}

// TestSciPyDistributions checks each row of the table of SciPy's: behind `~`, and as a method.
func TestSciPyDistributions(t *testing.T) {
	for _, row := range dsl.ForeignDists(true) {
		name, density := strings.Fields(row[0])[0], "logpdf"
		if d := dsl.LookupDistribution(strings.SplitN(row[2], "(", 2)[0]); d == nil || d.Support.Discrete() {
			density = "logpmf"
		}
		last, ok := loadsOne(row, func(args []string, side string) string {
			return strings.Join(dsl.Translated(side+" ~ stats."+name+"("+strings.Join(args, ", ")+")"), "\n")
		}, foreignSides)
		if !ok || !strings.Contains(last, "~") {
			t.Errorf("row %q behind ~: %s", row, last)
		}
		for _, call := range []string{"let q = stats." + name + "." + density + "(" + "%s, %s)", "let q = stats." + name + "(%[2]s)." + density + "(%[1]s)"} {
			last, ok := loadsOne(row, func(args []string, side string) string {
				line := fmt.Sprintf(call, side, strings.Join(args, ", "))
				return strings.Join(dsl.Translated(strings.Replace(line, ", )", ")", 1)), "\n")
			}, foreignSides)
			if !ok || !strings.Contains(last, "let") {
				t.Errorf("row %q, %s: %s", row, call, last)
			}
		}
	}
}

// TestForeignQuantiles checks the cumulative functions and the quantiles of both tables against those of the distribution: the value of the quantile of a probability has that
// probability below it.
func TestForeignQuantiles(t *testing.T) {
	numbers := map[string]float64{"min": -1, "max": 2.5}
	checked := 0
	for _, row := range append(dsl.ForeignDists(false), dsl.ForeignDists(true)...) {
		name, list, _ := strings.Cut(strings.TrimSuffix(row[2], ")"), "(")
		d := dsl.LookupDistribution(name)
		if row[4] == "" && row[3] == "" {
			continue
		}
		if d.LogCdf == "" {
			t.Errorf("row %q: %s has no cumulative function", row, name)
			continue
		}
		env := map[string]value{}
		for n, arg := range strings.Fields(row[1]) {
			arg, _, _ = strings.Cut(arg, "=")
			arg, _, fixed := strings.Cut(arg, ":")
			x, ok := numbers[arg]
			switch {
			case fixed:
				x = 0
			case !ok:
				x = 0.7 + 0.4*float64(n)
			}
			env[arg] = scalar(x)
		}
		own := map[string]value{}
		if list != "" {
			for n, arg := range strings.Split(list, ", ") {
				own[d.Args[n].Name] = scalar(formula(t, arg)(env))
			}
		}
		for _, p := range []float64{0.02, 0.4, 0.97} {
			env["at"] = scalar(p)
			own["y"] = scalar(formula(t, row[4])(env))
			if got := math.Exp(formula(t, d.LogCdf)(own)); !(math.Abs(got-p) < 1e-12) {
				t.Errorf("row %q: of the quantile of %g the probability is %g", row, p, got)
			}
			checked++
			if env["at"] = own["y"]; row[3] == "" {
				continue
			}
			if got := formula(t, row[3])(env); !(math.Abs(got-p) < 1e-12) {
				t.Errorf("row %q: below the quantile of %g is the probability %g", row, p, got)
			}
		}
	}
	if checked < 50 {
		t.Errorf("%d quantiles", checked)
	}
}
