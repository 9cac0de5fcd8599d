package dsl_test

import (
	"sync"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// TestSameTable: models that are read at the same time share the functions of the table, which reading does not change. The race detector looks on in CI.
func TestSameTable(t *testing.T) {
	const text = "model m\ndata n, K int\ndata y int[n] in 1..K\ndata x real[K]\nparam b real[K]\nparam c ordered[K-1]\nb, c ~ normal(0, 1)\ny ~ categorical_logit(b)\ny ~ ordered_probit(0.5, c)\n" +
		"x ~ multi_normal_cholesky(b, diag(exp(x)))\n"
	var all sync.WaitGroup
	for range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			if m, ds := dsl.Load("m.ham", text, dsl.Options{}); m == nil {
				t.Error(ds)
			}
		}()
	}
	all.Wait()
}
