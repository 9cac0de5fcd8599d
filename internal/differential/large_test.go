package differential

import (
	"fmt"
	"testing"

	"github.com/hamc-dev/hamc/codegen"
	"github.com/hamc-dev/hamc/internal/differential/typecheck"
)

// TestLarge: code for as many coordinates as a model may have holds no number that an int does not.
// Positions in the cube of a metric's derivatives would be the largest.
func TestLarge(t *testing.T) {
	const largest = 1_000_000_000
	for _, text := range []string{
		"model m\nparam w real[%[1]d]\nparam p real\nparam v real[3]\np, w, v ~ normal(0, 1)\nw ~ normal(p*v[1], 1)\nmetric hessian\n",
		"model m\nparam w real[%[1]d]\nparam p, r, s, t real\np, w ~ normal(r*s, 1)\nw[%[1]d] ~ normal(r*w[1]*t, 1)\nr, s, t ~ normal(0, 1)\nmetric softabs(alpha = 1)\n",
		"model m\nparam w real[%[1]d]\nparam p, r, s, t real\np, w ~ normal(r*s, 1)\nw[%[1]d] ~ normal(r*w[1]*t, 1)\nr, s, t ~ normal(0, 1)\nmetric fisher + hessian\n",
		"model m\ndata N int\ndata v int[N] in {0, 1}\nparam beta real[%[1]d]\nparam alpha real\nv ~ bernoulli_logit(alpha + beta[%[1]d])\nmetric fisher\n",
	} {
		for _, n := range []int{1 << 20, 3_000_000, largest - 4} {
			text := fmt.Sprintf(text, n)
			d, err := derive("m.ham", text, nil, nil, nil)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			code, err := codegen.Generate(d, codegen.Options{Package: "large", Source: "m.ham", Text: text})
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if err := typecheck.Check(code); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		}
	}
}
