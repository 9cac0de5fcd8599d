package dsl_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// foreignModel has the names that the table of foreign names writes with, and the one statement %s.
const foreignModel = `model foreign
data n, k int
data N int >= 0
data y real[n]
data w real[n] > 0
data m int[n] >= 0
data g int[n] in 1..k
data d real in (0, 1)
data q int in {0, 1}
data X, Z real[n, k]
data Sigma cov[k]
param x, z, a real
param s, r real > 0
param p real in (0, 1)
param u real[n]
param v real[k]
param h simplex[k]
data f int[k] >= 0
x, z, a, u ~ normal(0, 1)
s, r ~ exponential(1)
v ~ normal(0, 1)
%s
metric identity
`

// places says how a foreign name, or what the row writes in its place, stands in foreignModel, and
// the code of the message that the name gets.
var places = map[dsl.ForeignKind]struct {
	name, write string
	code        dsl.Code
}{
	dsl.ForeignFunction:     {"density %s(x)", "let value = %s", dsl.UnknownFunction},
	dsl.ForeignDistribution: {"w ~ %s(x)", "%s", dsl.UnknownDist},
	dsl.ForeignValue:        {"density x*%s", "let value = %s", dsl.UnknownName},
	dsl.ForeignType:         {"data value %s", "%s", dsl.UnknownType},
	dsl.ForeignMetric:       {"", "metric %s", dsl.UnknownMetric},
	dsl.ForeignStatement:    {"%s", "%s", dsl.UnknownStatement},
}

// leftSides are those that a distribution of the table may describe.
var leftSides = []string{"w", "y", "m", "g", "d", "s", "v", "f"}

// TestForeignNames checks each row of the table: each of its names is one that hamc does not have,
// and is answered by the row's hint and nothing else; and what the hint says to write is a model.
func TestForeignNames(t *testing.T) {
	for i := range dsl.ForeignNames {
		row := &dsl.ForeignNames[i]
		for _, word := range row.Names() {
			place := places[row.Kind]
			text := fmt.Sprintf(foreignModel, fmt.Sprintf(place.name, word))
			if row.Kind == dsl.ForeignMetric {
				text = strings.Replace(fmt.Sprintf(foreignModel, ""), "metric identity", "metric "+word, 1)
			}
			if row.Kind == dsl.ForeignStatement {
				text = fmt.Sprintf(foreignModel, word+" value")
			}
			_, ds := dsl.Load("foreign.ham", text, dsl.Options{})
			found := false
			for _, d := range ds.List {
				found = found || d.Code == place.code && (d.Hint == row.Hint() || d.Hint == row.HintFor([]string{"x"}))
				if d.Severity == dsl.Error && d.Code != place.code {
					t.Errorf("row %q, name %q: a further message:\n%s", row.Words, word, ds)
				}
			}
			if !found {
				t.Errorf("row %q, name %q: no %s with the hint %q (if hamc has this name now, take it out):\n%s", row.Words, word, place.code, row.Hint(), ds)
			}
		}
		checkForeignRow(t, row)
	}
}

// checkForeignRow checks what a row says to write.
func checkForeignRow(t *testing.T, row *dsl.Foreign) {
	t.Helper()
	if n := strings.Count(row.Hint(), "`") % 2; n != 0 || row.Hint() == "" {
		t.Errorf("row %q: the hint %q", row.Words, row.Hint())
	}
	if row.Is != "" {
		known := map[dsl.ForeignKind]bool{
			dsl.ForeignFunction:     dsl.LookupFunction(row.Is) != nil || slices.ContainsFunc(dsl.Library, func(f dsl.LibraryFunction) bool { return f.Name == row.Is }),
			dsl.ForeignDistribution: dsl.LookupDistribution(row.Is) != nil,
			dsl.ForeignType:         row.Is == "int" || row.Is == "real" || row.Is == "cov" || dsl.LookupConstraint(row.Is) != nil,
			dsl.ForeignMetric:       row.Is == "fisher" || row.Is == "identity",
			dsl.ForeignStatement:    strings.Contains(" param data const let ", " "+row.Is+" "),
		}
		if !known[row.Kind] || row.Why != "" || row.Write != "" {
			t.Errorf("row %q: %q is no such name of hamc, or the row says too much", row.Words, row.Is)
		}
		return
	}
	if row.Write == "" {
		return
	}
	var tries []string
	first, _, _ := strings.Cut(row.Write, " ")
	switch statement := strings.Contains(" density let param data generate ", " "+first+" ") || strings.Contains(row.Write, "~"); {
	case statement:
		tries = []string{row.Write}
	case row.Kind == dsl.ForeignDistribution:
		for _, left := range leftSides {
			tries = append(tries, left+" ~ "+row.Write)
		}
	default:
		tries = []string{fmt.Sprintf(places[row.Kind].write, row.Write)}
	}
	var last *dsl.Diagnostics
	for _, line := range tries {
		text := fmt.Sprintf(foreignModel, line)
		if row.Kind == dsl.ForeignMetric {
			text = strings.Replace(fmt.Sprintf(foreignModel, ""), "metric identity", line, 1)
		}
		m, ds := dsl.Load("foreign.ham", text, dsl.Options{})
		if m != nil {
			return
		}
		last = ds
	}
	t.Errorf("row %q: %q is no model:\n%s", row.Words, row.Write, last)
}

// TestSuggestions checks that a suggestion is made for what is misspelt, and for nothing else.
func TestSuggestions(t *testing.T) {
	for _, x := range []struct{ line, want string }{
		{"density expp(x)", "exp"}, {"density sqr_t(x)", "sqrt"}, {"density Log(s)", "log"}, {"density lgama(s)", "lgamma"},
		{"density log_inv_logt(x)", "log_inv_logit"}, {"density invlogti(x)", "inv_logit"}, {"density tna(x)", "tan"}, {"density nromal_lpdf(x | 0, 1)", "normal_lpdf"},
		{"y ~ norml(0, s)", "normal"}, {"y ~ Normal(0, s)", "normal"}, {"y ~ studentt(3, 0, s)", "student_t"}, {"y ~ StudentT(3, 0, s)", "student_t"},
		{"y ~ couchy(0, s)", "cauchy"}, {"w ~ log_normal(x, s)", "lognormal"}, {"w ~ Gama(r, s)", "gamma"}, {"m ~ poison_log(x)", "poisson_log"},
		{"density sum(SIGMA)*x", "Sigma"}, {"let rate1 = 2\ndensity rtae1*x", "rate1"},
		// Far from everything, or near to something else altogether.
		{"density foo(x)", ""}, {"density bar(x)", ""}, {"density kos(x)", ""}, {"density lag(x)", ""},
		{"density alpha(x)", ""}, {"density hill(x)", ""}, {"density michaelis(x)", ""},
		{"y ~ foo(0, 1)", ""}, {"y ~ normalized_thing(0, 1)", ""}, {"y ~ abnormal(0, 1)", "normal"}, {"y ~ exgaussian(0, 1)", ""},
		{"density qq*x", ""}, {"density mu*x", ""}, {"density ab*x", ""},
	} {
		_, ds := dsl.Load("m.ham", fmt.Sprintf(foreignModel, x.line), dsl.Options{})
		if len(ds.List) == 0 {
			t.Errorf("%s: no message", x.line)
			continue
		}
		d := ds.List[len(ds.List)-1]
		want := ""
		if x.want != "" {
			want = "did you mean `" + x.want + "`?"
		}
		if got := d.Hint; got != want && (want != "" || strings.HasPrefix(got, "did you mean")) {
			t.Errorf("%s: the hint is %q, want %q", x.line, got, want)
		}
	}
}
