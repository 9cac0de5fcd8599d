package symbolic

import (
	"strings"
	"testing"
)

// TestSumsOfChosen: a point of change that is summed out takes time in proportion to the data, however it is written: sums over what a condition on data chooses from two values
// are sums of data.
func TestSumsOfChosen(t *testing.T) {
	d, _ := load(t, `model change
data T int
data y int[T] >= 0
param a, b real
a, b ~ normal(0, 1)
let lp[k in T] = sum(t in T) poisson_log_lpmf(y[t] | if t < k then a else b)
density log_sum_exp(k in T) lp[k]
`)
	if got := d.Work().String(); strings.Contains(got, "T²") {
		t.Errorf("a gradient takes %s operations", got)
	}
}
