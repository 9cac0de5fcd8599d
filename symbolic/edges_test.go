package symbolic

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// edge is a line of testdata/edges.txt.
type edge struct {
	text       string
	fisher     bool // an information
	name       string
	args       []float64
	want, size []float64
}

func readEdges(t *testing.T) []edge {
	t.Helper()
	return readEdgesOf(t, "testdata/edges.txt")
}

func readEdgesOf(t *testing.T, name string) []edge {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	number := func(w string) float64 {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil && !math.IsInf(v, 0) {
			t.Fatal(err)
		}
		return v
	}
	var out []edge
	for s := bufio.NewScanner(file); s.Scan(); {
		left, right, _ := strings.Cut(s.Text(), ":")
		words := strings.Fields(left)
		e := edge{text: left}
		if words[0] == "fisher" {
			e.fisher, words = true, words[1:]
		}
		e.name = words[0]
		for _, w := range words[1:] {
			e.args = append(e.args, number(w))
		}
		for n, w := range strings.Fields(right) {
			if n%2 == 0 {
				e.want = append(e.want, number(w))
			} else {
				e.size = append(e.size, number(w))
			}
		}
		out = append(out, e)
	}
	return out
}

// meets holds results against a line: to 2e-14 of what their terms add up to
// without signs, which is some 90 roundings.
func (e *edge) meets(t *testing.T, got []float64) {
	t.Helper()
	for n, want := range e.want {
		if d := math.Abs(got[n] - want); !(d <= 2e-14*e.size[n]+1e-300) && !(math.IsInf(want, 0) && got[n] == want) {
			t.Errorf("%s: result %d is %.17g, want %.17g", e.text, n, got[n], want)
		}
	}
}

// TestDensityEdges: every log density and its derivatives at and near the ends of
// support and arguments. Value and arguments are `x + 0`, of which the declarations say
// nothing.
func TestDensityEdges(t *testing.T) {
	count := map[string]int{}
	for _, e := range readEdges(t) {
		dist := dsl.LookupDistribution(e.name)
		if dist == nil || e.fisher {
			continue
		}
		count[e.name]++
		data, params := edgeValues(dist, e.args)
		d := edgeModel(t, dist)
		b := newBench(t, d, data)
		e.meets(t, append([]float64{b.logDensity(params)}, b.vector(d.Gradient, params)...))
	}
	for _, d := range dsl.Distributions {
		if count[d.Name] < 4 && !d.Whole() {
			t.Errorf("%d points of %s", count[d.Name], d.Name)
		}
	}
}

// edgeValues are the values of the data and the parameters of edgeModel: whole numbers are data.
func edgeValues(dist *dsl.Distribution, args []float64) (data map[string][]float64, params []float64) {
	data, params = map[string][]float64{}, args
	if dist.Support.Discrete() {
		data["y"], params = params[:1], params[1:]
	}
	if len(dist.Args) > 0 && dist.Args[0].Domain == dsl.CountArg {
		data["N"], params = params[:1], params[1:]
	}
	return data, params
}

// edgeModel is the model of one value of a distribution, whose arguments are parameters without
// bounds.
func edgeModel(t *testing.T, dist *dsl.Distribution) *Derived {
	t.Helper()
	text := "model m\n"
	if dist.Support.Discrete() {
		text += "data y int\n"
	} else {
		text += "param y real\n"
	}
	var args []string
	for n, a := range dist.Args {
		if a.Domain == dsl.CountArg {
			text += "data N int\n"
			args = append(args, "N")
			continue
		}
		text += fmt.Sprintf("param a%d real\n", n)
		args = append(args, fmt.Sprintf("a%d + 0", n))
	}
	bar := " | "
	if len(args) == 0 {
		bar = ""
	}
	text += fmt.Sprintf("density %s(y + 0%s%s)\nmetric identity\n", dist.LogDensityName(), bar, strings.Join(args, ", "))
	d, _ := load(t, text)
	return d
}

// TestInformationEdges: every information that `metric fisher` is made of, at and near the ends of
// the arguments. Those about which none is known are data.
func TestInformationEdges(t *testing.T) {
	count := map[string]int{}
	for _, e := range readEdges(t) {
		if !e.fisher {
			continue
		}
		dist := dsl.LookupDistribution(e.name)
		count[e.name]++
		text, args := "model m\n", ""
		if dist.Support.Discrete() {
			text += "data y int\n"
		} else {
			text += "data y real\n"
		}
		data, params := map[string][]float64{"y": {1}}, []float64(nil)
		for n, a := range dist.Args {
			name, x := fmt.Sprintf("a%d", n), e.args[n]
			switch {
			case a.Domain == dsl.CountArg:
				text += "data " + name + " int\n"
				args += ", " + name
				data[name] = []float64{x}
				continue
			case dist.Fisher[n][n] == "":
				text += "data " + name + " real\n"
				data[name] = []float64{x}
			default:
				text += "param " + name + " real\n"
				params = append(params, x)
			}
			args += fmt.Sprintf(", %s + 0", name)
		}
		d, _ := load(t, text+"y ~ "+e.name+"("+args[2:]+")\nmetric fisher\n")
		g := newBench(t, d, data).matrix(params)
		var lower []float64
		for i := range g {
			lower = append(lower, g[i][:i+1]...)
		}
		e.meets(t, lower)
	}
	for _, d := range dsl.Distributions {
		if count[d.Name] < 3 && d.Fisher != nil && !d.Whole() {
			t.Errorf("%d points of %s", count[d.Name], d.Name)
		}
	}
}

// TestDensityOutside: outside the support, and for arguments outside their
// range, a log density is −∞ and not NaN.
func TestDensityOutside(t *testing.T) {
	for _, row := range []struct {
		name string
		args []float64
	}{
		{"normal", []float64{1, 0, 0}}, {"normal", []float64{0, 0, 0}}, {"normal", []float64{1, 0, -1}},
		{"student_t", []float64{1, 0, 0, 1}}, {"student_t", []float64{1, -2, 0, 1}}, {"student_t", []float64{1, 2, 0, 0}},
		{"cauchy", []float64{1, 0, 0}}, {"cauchy", []float64{1, 0, -3}},
		{"exponential", []float64{-1, 2}}, {"exponential", []float64{1, 0}},
		{"gamma", []float64{0, 1, 1}}, {"gamma", []float64{0, 0.5, 1}}, {"gamma", []float64{0, 2, 1}}, {"gamma", []float64{-1, 2, 1}}, {"gamma", []float64{1, 0, 1}}, {"gamma", []float64{1, 1, 0}}, {"gamma", []float64{1, -1, 1}},
		{"inv_gamma", []float64{0, 1, 1}}, {"inv_gamma", []float64{-1, 1, 1}}, {"inv_gamma", []float64{1, 1, 0}},
		{"inv_chi_square", []float64{0, 1}}, {"inv_chi_square", []float64{1, 0}},
		{"scaled_inv_chi_square", []float64{0, 1, 1}}, {"scaled_inv_chi_square", []float64{1, 1, 0}},
		{"beta", []float64{0, 1, 1}}, {"beta", []float64{1, 1, 1}}, {"beta", []float64{0, 0.5, 1}}, {"beta", []float64{2, 2, 2}}, {"beta", []float64{0.5, 0, 1}},
		{"lognormal", []float64{0, 0, 1}}, {"lognormal", []float64{-1, 0, 1}}, {"lognormal", []float64{1, 0, 0}},
		{"uniform", []float64{0, 0, 1}}, {"uniform", []float64{1, 0, 1}}, {"uniform", []float64{1, 1, 1}}, {"uniform", []float64{1, 2, 1}},
		{"bernoulli", []float64{0, 1}}, {"bernoulli", []float64{1, 0}}, {"bernoulli", []float64{1, 1.5}}, {"bernoulli", []float64{0, -0.5}}, {"bernoulli", []float64{2, 0.5}},
		{"poisson", []float64{1, 0}}, {"poisson", []float64{0, -1}},
		{"poisson_log", []float64{1, math.Inf(-1)}},
		{"logistic", []float64{1, 0, 0}}, {"logistic", []float64{0, 0, -1}},
		{"gumbel", []float64{1, 0, 0}}, {"gumbel", []float64{0, 0, -1}},
		{"chi_square", []float64{0, 2}}, {"chi_square", []float64{-1, 2}}, {"chi_square", []float64{1, 0}},
		{"weibull", []float64{0, 1, 1}}, {"weibull", []float64{-1, 2, 1}}, {"weibull", []float64{1, 0, 1}}, {"weibull", []float64{1, 1, 0}}, {"weibull", []float64{1, 2, -1}},
		{"frechet", []float64{0, 1, 1}}, {"frechet", []float64{-1, 2, 1}}, {"frechet", []float64{1, 0, 1}}, {"frechet", []float64{1, 1, 0}},
		{"rayleigh", []float64{0, 1}}, {"rayleigh", []float64{-1, 1}}, {"rayleigh", []float64{1, 0}},
		{"beta_proportion", []float64{0, 0.5, 2}}, {"beta_proportion", []float64{1, 0.5, 2}}, {"beta_proportion", []float64{0.5, 0, 2}}, {"beta_proportion", []float64{0.5, 1, 2}},
		{"beta_proportion", []float64{0.5, 0.5, 0}}, {"beta_proportion", []float64{0.5, 1.5, -2}},
		{"binomial", []float64{1, 2, 0}}, {"binomial", []float64{1, 2, 1}}, {"binomial", []float64{1, 2, 1.5}}, {"binomial", []float64{0, 2, -0.5}}, {"binomial", []float64{3, 2, 0.5}},
		{"binomial", []float64{-1, 2, 0.5}}, {"binomial_logit", []float64{3, 2, 0}},
		{"beta_binomial", []float64{3, 2, 1, 1}}, {"beta_binomial", []float64{1, 2, 0, 1}}, {"beta_binomial", []float64{1, 2, 1, -1}},
		{"neg_binomial", []float64{1, 0, 1}}, {"neg_binomial", []float64{1, 1, 0}}, {"neg_binomial", []float64{0, -1, 1}},
		{"neg_binomial_2", []float64{0, 0, 1}}, {"neg_binomial_2", []float64{1, -2, 1}}, {"neg_binomial_2", []float64{1, 1, 0}},
		{"neg_binomial_2_log", []float64{1, 0, 0}}, {"neg_binomial_2_log", []float64{1, 0, -1}}, {"neg_binomial_2_log", []float64{1, math.Inf(-1), 2}},
		{"double_exponential", []float64{1, 0, 0}}, {"double_exponential", []float64{0, 0, -1}},
		{"skew_double_exponential", []float64{1, 0, 0, 0.5}}, {"skew_double_exponential", []float64{1, 0, 1, 0}}, {"skew_double_exponential", []float64{1, 0, 1, 1}},
		{"skew_normal", []float64{1, 0, 0, 1}}, {"skew_normal", []float64{0, 0, -1, 1}},
		{"exp_mod_normal", []float64{1, 0, 0, 1}}, {"exp_mod_normal", []float64{1, 0, 1, 0}}, {"exp_mod_normal", []float64{1, 0, -1, -1}},
		{"von_mises", []float64{1, 0, 0}}, {"von_mises", []float64{1, 0, -1}},
		{"wiener", []float64{1, 1, 1, 0.5, 0}}, {"wiener", []float64{1, 1, 2, 0.5, 0}}, {"wiener", []float64{1, 0, 0.1, 0.5, 0}}, {"wiener", []float64{1, 1, -0.1, 0.5, 0}},
		{"wiener", []float64{1, 1, 0.1, 0, 0}}, {"wiener", []float64{1, 1, 0.1, 1, 0}},
		{"half_normal", []float64{0, 1}}, {"half_normal", []float64{-1, 1}}, {"half_normal", []float64{1, 0}},
		{"half_cauchy", []float64{0, 1}}, {"half_cauchy", []float64{-1, 1}}, {"half_cauchy", []float64{1, 0}},
		{"half_student_t", []float64{-1, 2, 1}}, {"half_student_t", []float64{1, 0, 1}}, {"half_student_t", []float64{1, 2, -1}},
		{"pareto", []float64{1, 1, 1}}, {"pareto", []float64{1, 2, 1}}, {"pareto", []float64{1, 0, 1}}, {"pareto", []float64{1, -1, 1}}, {"pareto", []float64{2, 1, 0}},
		{"pareto_type_2", []float64{1, 1, 1, 1}}, {"pareto_type_2", []float64{-3, -2, 1, 1}}, {"pareto_type_2", []float64{1, 0, 0, 1}}, {"pareto_type_2", []float64{1, 0, 1, -1}},
		{"loglogistic", []float64{0, 1, 1}}, {"loglogistic", []float64{-1, 2, 1}}, {"loglogistic", []float64{1, 0, 1}}, {"loglogistic", []float64{1, 1, -1}},
		{"inv_gaussian", []float64{0, 1, 1}}, {"inv_gaussian", []float64{-1, 1, 1}}, {"inv_gaussian", []float64{1, 0, 1}}, {"inv_gaussian", []float64{1, 1, 0}},
		{"logit_normal", []float64{0, 0, 1}}, {"logit_normal", []float64{1, 0, 1}}, {"logit_normal", []float64{2, 0, 1}}, {"logit_normal", []float64{0.5, 0, 0}},
		{"kumaraswamy", []float64{0, 1, 1}}, {"kumaraswamy", []float64{1, 1, 1}}, {"kumaraswamy", []float64{-1, 2, 2}}, {"kumaraswamy", []float64{0.5, 0, 1}}, {"kumaraswamy", []float64{0.5, 1, -1}},
		{"geometric", []float64{0, 0}}, {"geometric", []float64{1, 1}}, {"geometric", []float64{0, 1.5}}, {"geometric", []float64{2, -0.5}},
		{"beta_neg_binomial", []float64{1, 0, 1, 1}}, {"beta_neg_binomial", []float64{1, 1, -1, 1}}, {"beta_neg_binomial", []float64{0, 1, 1, 0}},
		{"zero_inflated_poisson", []float64{0, 0, 1}}, {"zero_inflated_poisson", []float64{1, 1, 1}}, {"zero_inflated_poisson", []float64{0, 0.5, 0}}, {"zero_inflated_poisson", []float64{2, 1.5, 1}},
		{"zero_inflated_neg_binomial_2", []float64{0, 0, 1, 1}}, {"zero_inflated_neg_binomial_2", []float64{0, 0.5, 0, 1}}, {"zero_inflated_neg_binomial_2", []float64{3, 0.5, 1, -1}},
		{"hurdle_poisson", []float64{0, 0, 1}}, {"hurdle_poisson", []float64{1, 1, 1}}, {"hurdle_poisson", []float64{1, 0.5, 0}}, {"hurdle_poisson", []float64{0, 0.5, -1}},
	} {
		dist := dsl.LookupDistribution(row.name)
		data, params := edgeValues(dist, row.args)
		if got := newBench(t, edgeModel(t, dist), data).logDensity(params); !math.IsInf(got, -1) {
			t.Errorf("%s%v: %v", row.name, row.args, got)
		}
	}
}

// TestTransformEdges: values of bounded parameters stay within their bounds, whatever the
// coordinate, and the log Jacobian and its derivative are finite.
func TestTransformEdges(t *testing.T) {
	points := 0
	for _, e := range readEdges(t) {
		if e.fisher || dsl.LookupDistribution(e.name) != nil {
			continue
		}
		points++
		u, bounds := e.args[len(e.args)-1], e.args[:len(e.args)-1]
		lo, hi := math.Inf(-1), math.Inf(1)
		support := "real"
		switch e.name {
		case "lower":
			lo = bounds[0]
			support += fmt.Sprintf(" > %v", lo)
		case "upper":
			hi = bounds[0]
			support += fmt.Sprintf(" < %v", hi)
		default:
			lo, hi = bounds[0], bounds[1]
			support += fmt.Sprintf(" in (%v, %v)", lo, hi)
		}
		d, _ := load(t, "model m\nparam x "+support+"\ndensity 0*x\nmetric identity\n")
		b := newBench(t, d, nil)
		got := []float64{b.vector(d.Value, []float64{u})[0], b.logDensity([]float64{u}), b.vector(d.Gradient, []float64{u})[0]}
		e.meets(t, got)
		if !(lo <= got[0] && got[0] <= hi) {
			t.Errorf("%s: the value %.17g is outside", e.text, got[0])
		}
		if math.IsInf(got[1], 0) || math.IsInf(got[2], 0) {
			t.Errorf("%s: log Jacobian %v, derivative %v", e.text, got[1], got[2])
		}
	}
	if points < 100 {
		t.Errorf("%d points", points)
	}
}
