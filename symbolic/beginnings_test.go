package symbolic

import (
	"testing"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// TestBeginnings: a recursion whose own condition says where it begins is the same definition in parts.
func TestBeginnings(t *testing.T) {
	const head = "model m\ndata T int\ndata y real[T]\nparam a, mu real\nparam s real > 0\na, mu ~ normal(0, 1)\ns ~ exponential(1)\n"
	for _, c := range []struct{ condition, parts string }{
		{"let e[t] = y[t] - mu - (if t > 1 then a*e[t-1] else 0) for t in T\ne ~ normal(0, s)", "let e[1] = y[1] - mu - 0\nlet e[t] = y[t] - mu - a*e[t-1] for t in 2..T\ne ~ normal(0, s)"},
		{"let e[t] = if 2 >= t then mu else a*e[t-2] + y[t-1] for t in 1..T\ny ~ normal(e, s)", "let e[1] = mu\nlet e[2] = mu\nlet e[t] = a*e[t-2] + y[t-1] for t in 3..T\ny ~ normal(e, s)"},
		{"let e[t] = (if t == 1 then mu else a*e[t-1]) + (if t < 3 then 0 else e[t-2]) for t in T\ny ~ normal(e, s)", "let e[1] = mu + 0\nlet e[2] = a*e[1] + 0\nlet e[t] = a*e[t-1] + e[t-2] for t in 3..T\ny ~ normal(e, s)"},
		{"let e[t, j in 2] = if t != 1 then sum(i in 2) a*e[t-1, i]*j else mu*j for t in T\ny[t] ~ normal(e[t, 1] + e[t, 2], s) for t in T", "let e[1, j in 2] = mu*j\nlet e[t, j in 2] = sum(i in 2) a*e[t-1, i]*j for t in 2..T\ny[t] ~ normal(e[t, 1] + e[t, 2], s) for t in T"},
		{"let l[t] = if t > 1 then l[t-1] + a*e[t-1] else mu for t in T\nlet e[t] = y[t] - l[t] for t in T\ne ~ normal(0, s)", "let l[1] = mu\nlet l[t] = l[t-1] + a*e[t-1] for t in 2..T\nlet e[t] = y[t] - l[t] for t in T\ne ~ normal(0, s)"},
	} {
		one, _ := load(t, head+c.condition+"\n")
		two, _ := load(t, head+c.parts+"\n")
		if got, want := expr.Format(one.L), expr.Format(two.L); got != want {
			t.Errorf("%s\n  L = %s\nin parts\n  L = %s", c.condition, got, want)
		}
		defs := func(d *Derived) (out string) {
			for _, x := range d.Prog.Defs {
				for _, b := range x.Bodies() {
					out += expr.Format(b) + "\n"
				}
			}
			return out
		}
		if got, want := defs(one), defs(two); got != want {
			t.Errorf("%s\n%s\nin parts\n%s", c.condition, got, want)
		}
	}
}
