package terminal

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

var summaries = []diagnostics.Summary{
	{Name: "mu", Mean: -0.0289, MCSE: 0.033578, SD: 0.98922, Quantiles: []float64{-1.6856, 0.0061779, 1.61624},
		ESSBulk: 874.63, ESSTail: 822.8, RHat: 1.00194},
	{Name: "regression_coefficient[1,12]", Mean: 12345.678, MCSE: 1.5e-7, SD: 0.5, Quantiles: []float64{12344.9, 12345.7, 12346.5},
		ESSBulk: 12000, ESSTail: 9999.5, RHat: 0.99951},
	{Name: "regression_coefficient[2,12]", Mean: 3.25, MCSE: math.NaN(), SD: 0, Quantiles: []float64{3.25, 3.25, math.Inf(1)},
		ESSBulk: math.NaN(), ESSTail: math.NaN(), RHat: math.NaN()},
}

func TestSummaryTable(t *testing.T) {
	for _, c := range []struct {
		width int
		want  string
	}{
		{0, `
name                             mean      mcse     sd     5%      50%    95%  ess_bulk  ess_tail  r_hat
mu                            -0.0289    0.0336  0.989  -1.69  0.00618   1.62       875       823  1.002
regression_coefficient[1,12]    12346  1.50e-07  0.500  12345    12346  12346     12000     10000  1.000
regression_coefficient[2,12]     3.25       NaN      0   3.25     3.25    Inf       NaN       NaN    NaN
`},
		{200, `
name                             mean      mcse     sd     5%      50%    95%  ess_bulk  ess_tail  r_hat
mu                            -0.0289    0.0336  0.989  -1.69  0.00618   1.62       875       823  1.002
regression_coefficient[1,12]    12346  1.50e-07  0.500  12345    12346  12346     12000     10000  1.000
regression_coefficient[2,12]     3.25       NaN      0   3.25     3.25    Inf       NaN       NaN    NaN
`},
		{80, `
name                           mean      mcse     sd     5%      50%    95%
mu                          -0.0289    0.0336  0.989  -1.69  0.00618   1.62
regression_coeffici…[1,12]    12346  1.50e-07  0.500  12345    12346  12346
regression_coeffici…[2,12]     3.25       NaN      0   3.25     3.25    Inf

name                        ess_bulk  ess_tail  r_hat
mu                               875       823  1.002
regression_coeffici…[1,12]     12000     10000  1.000
regression_coeffici…[2,12]       NaN       NaN    NaN
`},
		{40, `
name              mean      mcse     sd
mu             -0.0289    0.0336  0.989
regres…[1,12]    12346  1.50e-07  0.500
regres…[2,12]     3.25       NaN      0

name              5%      50%    95%
mu             -1.69  0.00618   1.62
regres…[1,12]  12345    12346  12346
regres…[2,12]   3.25     3.25    Inf

name           ess_bulk  ess_tail  r_hat
mu                  875       823  1.002
regres…[1,12]     12000     10000  1.000
regres…[2,12]       NaN       NaN    NaN
`},
	} {
		var out strings.Builder
		if err := SummaryTable(summaries, diagnostics.DefaultProbabilities(), 3, 0).Write(&out, c.width); err != nil {
			t.Fatal(err)
		}
		golden(t, out.String(), c.want)
	}
}

// TestSummaryTableLong checks what is shown of long vectors: their ends, and the
// worst between.
func TestSummaryTableLong(t *testing.T) {
	var all []diagnostics.Summary
	add := func(name string, rhat, bulk, tail float64) {
		all = append(all, diagnostics.Summary{Name: name, Mean: 1, MCSE: 1, SD: 1, ESSBulk: bulk, ESSTail: tail, RHat: rhat})
	}
	vector := func(name string, n int, f func(i int) float64) {
		for i := 1; i <= n; i++ {
			add(name+"."+strconv.Itoa(i), f(i), 1000*f(i), 2000*f(i))
		}
	}
	add("v", 3, 1, 1)
	vector("x", 13, func(i int) float64 { return 1 + 0.1*float64(i%8) }) // 4 and 7 within
	add("xx", 4, 2, 2)
	vector("x2", 12, func(i int) float64 { return 9 }) // not long
	vector("nan", 1000, func(i int) float64 {
		if i == 500 {
			return math.NaN()
		}
		return 1
	})
	vector("l", 13, func(i int) float64 { return 1 + 0.1*float64(i%8) })
	for n := range all {
		if strings.HasPrefix(all[n].Name, "l.") && n%3 == 0 { // as elements of a factor above its diagonal
			all[n] = diagnostics.Summary{Name: all[n].Name, Mean: 1, MCSE: math.NaN(), ESSBulk: math.NaN(), ESSTail: math.NaN(), RHat: math.NaN()}
		}
	}
	for _, c := range []struct {
		long int
		want string
	}{
		{12, `
name               mean  mcse    sd  ess_bulk  ess_tail  r_hat
v                  1.00  1.00  1.00         1         1  3.000
x.1                1.00  1.00  1.00      1100      2200  1.100
x.2                1.00  1.00  1.00      1200      2400  1.200
x.3                1.00  1.00  1.00      1300      2600  1.300
worst of 9 more                          1000      2000  1.700
x.13               1.00  1.00  1.00      1500      3000  1.500
xx                 1.00  1.00  1.00         2         2  4.000
`},
		{0, `
name      mean  mcse    sd  ess_bulk  ess_tail  r_hat
v         1.00  1.00  1.00         1         1  3.000
x.1       1.00  1.00  1.00      1100      2200  1.100
x.2       1.00  1.00  1.00      1200      2400  1.200
x.3       1.00  1.00  1.00      1300      2600  1.300
x.4       1.00  1.00  1.00      1400      2800  1.400
`},
	} {
		var out strings.Builder
		if err := SummaryTable(all, nil, 3, c.long).Write(&out, 0); err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(out.String(), "\n")
		n := strings.Count(c.want, "\n") - 1
		golden(t, strings.Join(lines[:n], ""), c.want)
		text := strings.Join(strings.Fields(out.String()), " ")
		short := strings.Contains(text, "nan.3 1.00 1.00 1.00 1000 2000 1.000 worst of 996 more NaN NaN NaN nan.1000")
		if c.long > 0 && !strings.Contains(text, "worst of 9 more 1000 2000 1.700 l.13") {
			t.Errorf("constants have a say:\n%s", out.String())
		}
		if short != (c.long > 0) || strings.Count(out.String(), "x2.") != 12 || strings.Contains(text, " nan.4 ") == short {
			t.Errorf("with %d:\n%s", c.long, out.String())
		}
	}
}

// TestSummaryTableWide checks that a file never loses part of a name.
func TestSummaryTableWide(t *testing.T) {
	table := NewTable("name")
	name := strings.Repeat("long", 100)
	table.Column("x", Significant(2))
	table.Row(name, 1)
	var out strings.Builder
	if err := table.Write(&out, 0); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), name+"  1.0\n") {
		t.Errorf("got\n%s", out.String())
	}
}

func TestTableEdges(t *testing.T) {
	empty := NewTable("name")
	empty.Row("a", 1, 2)
	ragged := NewTable("parameter")
	ragged.Column("x", Fixed(1))
	ragged.Column("y", Fixed(1))
	ragged.Row("β[1]", 1)
	ragged.Row("b", 10, -20)
	for _, c := range []struct {
		table *Table
		width int
		want  string
	}{
		{empty, 40, "name\na\n"},
		{ragged, 0, "parameter     x      y\nβ[1]        1.0\nb          10.0  -20.0\n"},
		{ragged, 22, "parameter     x      y\nβ[1]        1.0\nb          10.0  -20.0\n"},
		{ragged, 21, "parameter     x\nβ[1]        1.0\nb          10.0\n\nparameter      y\nβ[1]\nb          -20.0\n"},
		{ragged, 3, "parameter     x\nβ[1]        1.0\nb          10.0\n\nparameter      y\nβ[1]\nb          -20.0\n"},
	} {
		var out strings.Builder
		if err := c.table.Write(&out, c.width); err != nil {
			t.Fatal(err)
		}
		golden(t, out.String(), c.want)
	}
	if err := empty.Write(&failing{}, 0); err == nil {
		t.Error("no error from a broken writer")
	}
}

// TestShorten checks that names which differ stay different.
func TestShorten(t *testing.T) {
	for _, c := range []struct {
		names []string
		width int
		want  []string
	}{
		{[]string{"short", "exactly_12__"}, 12, []string{"short", "exactly_12__"}},
		{[]string{"volatility_state[1000]"}, 12, []string{"volat…[1000]"}},
		{[]string{"σσσσσσσσσσσσσσσσσσσσ"}, 5, []string{"σσσ…σ"}},
		{[]string{"volatility_state[1000]", "volatility_state[2000]"}, 12,
			[]string{"volat…[1000]", "volat…[2000]"}},
		{[]string{"aaaaaaaaXbbbbbbbb", "aaaaaaaaYbbbbbbbb"}, 6, []string{"aaaaaaaaX…bbbb", "aaaaaaaaY…bbbb"}},
		{[]string{"beta_school.3.12", "beta_school.4.12"}, 12, []string{"beta_s….3.12", "beta_s….4.12"}},
		{[]string{"same_name_twice", "same_name_twice"}, 7, []string{"same…ce", "same…ce"}},
	} {
		got := shorten(c.names, c.width)
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%q in %d columns: %q, want %q", c.names, c.width, got, c.want)
		}
	}
}

func TestSignificant(t *testing.T) {
	for _, c := range []struct {
		v      float64
		digits int
		want   string
	}{
		{0, 3, "0"}, {1, 3, "1.00"}, {1.2, 3, "1.20"}, {0.0123456, 3, "0.0123"}, {123.456, 3, "123"},
		{12345.6, 3, "12346"}, {9.996, 3, "10.0"}, {9.994, 3, "9.99"}, {0.00009996, 3, "0.000100"},
		{0.0001, 2, "0.00010"}, {0.000099, 2, "9.9e-05"}, {9999999, 3, "1.00e+07"}, {9994999, 3, "9994999"},
		{-1.5e-300, 2, "-1.5e-300"}, {-7, 1, "-7"}, {math.NaN(), 3, "NaN"}, {math.Inf(-1), 3, "-Inf"}, {1.25, 0, "1"},
	} {
		if got := significant(c.v, c.digits); got != c.want {
			t.Errorf("%v to %d digits: %s, want %s", c.v, c.digits, got, c.want)
		}
	}
}
