package symbolic

import (
	"testing"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// TestColumnsOfRegressors: a linear predictor of regressors with names of their own is a product with one matrix of data, with a column of ones for an
// intercept that is a parameter; predictors that differ only in what they belong to share it, and one regressor stays as it is.
func TestColumnsOfRegressors(t *testing.T) {
	const head = "model m\ndata n int\ndata x, z, y real[n]\ndata k int[n] in 0..1\nparam a, b, c real\na, b, c ~ normal(0, 1)\n"
	for _, m := range []struct {
		text    string
		columns []int // of each matrix
	}{
		{"k ~ bernoulli_logit(a + b*x + c*z)", []int{3}},
		{"k ~ bernoulli_logit(b*x + c*z)", []int{2}},
		{"k ~ bernoulli_logit(0.5 + b*x + c*x.*z)", []int{2}},
		{"k ~ bernoulli_logit(a + b*x + c*z)\ny ~ student_t(4, a + b*x + c*z, 1)", []int{3}},
		{"k ~ bernoulli_logit(a + b*x)", nil},
		{"k ~ bernoulli_logit(a + b*x + b*c)", nil},
	} {
		d, list := load(t, head+m.text+"\n")
		if d == nil {
			t.Fatal(list)
		}
		var got []int
		for _, def := range d.Prog.Defs {
			if def.Tensor.Columns {
				got = append(got, def.Tensor.Shape[1].Offset)
			}
		}
		if len(got) != len(m.columns) || len(got) > 0 && got[0] != m.columns[0] {
			t.Errorf("%s: matrices of %v columns, want %v", m.text, got, m.columns)
		}
	}
}

// TestLogSumExp: log(eᵃ + eᵇ) with a coordinate is a function of one argument, and of two arrays one of both as they stand.
func TestLogSumExp(t *testing.T) {
	const head = "model m\ndata n int\ndata y real[n]\nparam a, b real\nparam s real > 0\na, b ~ normal(0, 1)\ns ~ exponential(1)\n"
	for _, m := range []struct {
		text, want string
	}{
		{"density sum(i in n) log_sum_exp(a, b*y[i])", "log1p_exp"},
		{"density sum(i in n) log_sum_exp(b*y[i], a)", "log1p_exp"},
		{"density sum(i in n) log_sum_exp(-(y[i] - a)^2/s, -(y[i] - b)^2/s - log(s))", "log_sum_exp"},
	} {
		d, list := load(t, head+m.text+"\n")
		if d == nil {
			t.Fatal(list)
		}
		found := false
		for _, def := range d.Prog.Defs {
			expr.Search(def.Body, expr.StageConst, func(e *expr.Expr) bool {
				if e.Op != expr.Call || e.Func.Name != "log_sum_exp" && e.Func.Name != "log1p_exp" {
					return false
				}
				found = true
				if e.Func.Name != m.want {
					t.Errorf("%s: %s is called, not %s", m.text, e.Func.Name, m.want)
				}
				for _, a := range e.Args {
					if m.want == "log_sum_exp" && a.Op != expr.Ref {
						t.Errorf("%s: an argument is %s", m.text, expr.Format(a))
					}
				}
				return false
			})
		}
		if !found {
			t.Errorf("%s: neither function is called", m.text)
		}
	}
}
