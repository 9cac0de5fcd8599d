package symbolic

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// TestRoots: the factor of a matrix whose root is known is found without a factorisation, and is that of one that hides it, which is factorised.
func TestRoots(t *testing.T) {
	const head = "model m\ndata y real[4, 3]\ndata none real\nparam m real[3]\nparam s real[3] > 0\nparam a real > 0\nparam %P\nm ~ normal(0, 1)\ns ~ exponential(1)\na ~ exponential(1)\n" +
		"let S[i in 3, j in 3] = %S%0\nlet C = cholesky(S)\ny[n, :] ~ multi_normal_cholesky(m, C) for n in 4\nmetric identity\n"
	for name, c := range map[string]struct {
		param, matrix string
		rooted        bool
	}{
		"correlations with scales": {"R corr[3]", "s[i]*R[i, j]*s[j]", true},
		"covariances":              {"R cov[3]", "R[i, j]", true},
		"a positive multiple":      {"R corr[3]", "a*R[j, i]", true},
		"what is no scale":         {"R corr[3]", "R[i, j]*(1 + s[i]*s[j])", false},
		"an array":                 {"R cov[2, 3]", "R[2, i, j]*a", true},
	} {
		text := strings.NewReplacer("%P", c.param, "%S", c.matrix).Replace(head)
		var value [2]float64
		for n, hidden := range []string{"", " + none*delta(i, j)"} {
			d, _ := load(t, strings.Replace(text, "%0", hidden, 1))
			factorised := false
			for _, def := range d.Prog.Defs {
				factorised = factorised || def.Body.Op == expr.Apply && slices.Contains([]string{"cholesky", "factor"}, def.Body.Apply.Operator.Name)
			}
			if want := !c.rooted || n == 1; factorised != want {
				t.Errorf("%s%s: a factorisation: %v", name, hidden, factorised)
			}
			y := make([]float64, 12)
			for k := range y {
				y[k] = math.Sin(float64(k))
			}
			b := newBench(t, d, map[string][]float64{"y": y, "none": {0}})
			q := make([]float64, b.dim())
			for k := range q {
				q[k] = 0.4 * math.Cos(float64(3*k))
			}
			value[n] = b.logDensity(q)
		}
		if math.Abs(value[0]-value[1]) > 1e-12*(1+math.Abs(value[1])) {
			t.Errorf("%s: %v, by a factorisation %v", name, value[0], value[1])
		}
	}
}
