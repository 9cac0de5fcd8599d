package dsl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// TestSharedDefinitions checks models whose definitions use others several times over: what looks at
// them anew for each use does not come to an end.
func TestSharedDefinitions(t *testing.T) {
	chain := func(first, step string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "let c0 = %s\n", first)
		for i := range 200 {
			fmt.Fprintf(&b, "let c%d = %s\n", i+1, strings.ReplaceAll(step, "@", fmt.Sprintf("c%d", i)))
		}
		return b.String()
	}
	nest := strings.Repeat("sin(", 150) + "x" + strings.Repeat(")", 150)
	for name, text := range map[string]string{
		"odd":       chain("x", "@ + 2*@ - @/3") + "y ~ normal(0, c200)\n",
		"even":      chain("x^2", "@*@ + @") + "y ~ normal(0, c200)\n",
		"positive":  chain("s", "(@ + @)*@") + "y ~ normal(0, -c200)\n",
		"unknown":   chain("x", "exp(@) - @*@") + "y ~ normal(0, c200)\n",
		"data":      chain("u", "@*@ + @") + "c200*1 ~ normal(x, s)\n",
		"functions": "y ~ normal(0, " + nest + ")\n",
		"negated":   "y ~ normal(0, " + strings.Repeat("-(", 45) + "x" + strings.Repeat(")", 45) + ")\n",
		"products":  "y ~ normal(0, " + strings.Repeat("-s*(", 90) + "s" + strings.Repeat(")", 90) + ")\n",
	} {
		m, ds := dsl.Load("m.ham", "model m\ndata n int\ndata y real[n]\ndata u real\nparam x real\nparam s real > 0\nx ~ normal(0, 1)\ns ~ exponential(1)\n"+text+"metric identity\n", dsl.Options{})
		if m == nil && !strings.Contains(ds.String(), "H405") {
			t.Errorf("%s: %s", name, ds)
		}
		if m != nil {
			m.Observed()
			m.Scarce(nil)
		}
		if warned := strings.Contains(ds.String(), "W402"); warned != (name == "odd" || name == "functions" || name == "negated") {
			t.Errorf("%s: W402 %v", name, warned)
		}
	}
}
