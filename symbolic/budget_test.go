package symbolic

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
)

// scalars is a regression on n scalar parameters.
func scalars(n int, density string) string {
	var b strings.Builder
	b.WriteString("model m\ndata n int\n")
	sum := make([]string, n)
	for i := range n {
		fmt.Fprintf(&b, "data x%d real[n]\nparam b%d real\nb%d ~ normal(0, 1)\n", i, i, i)
		sum[i] = fmt.Sprintf("b%d*x%d[i]", i, i)
	}
	fmt.Fprintf(&b, "let eta[i in n] = %s\n%s\nmetric fisher\n", strings.Join(sum, " + "), density)
	return b.String()
}

// TestTooLarge: a model whose derivatives have no end in sight is refused, with the place of the
// statement that is largest, before it has taken more than the limits.
func TestTooLarge(t *testing.T) {
	for _, m := range campaign.Sample(t, []struct{ name, text, at, hint string }{
		{"normal regression", scalars(200, "data y real[n]\ny ~ normal(eta, 1)"), "y ~ normal(eta, 1)", "vector parameter"},
		{"logistic regression", scalars(200, "data y int[n] in 0..1\ny ~ bernoulli_logit(eta)"), "y ~ bernoulli_logit(eta)", "vector parameter"},
		{"Cholesky factor", cholesky(14), "density", "metric identity"},
		{"hidden Markov model", hmm(150), "density log_sum_exp", "metric identity"},
	}, 2) {
		t.Run(m.name, func(t *testing.T) {
			model, ds := dsl.Load("m.ham", m.text, dsl.Options{})
			if model == nil {
				t.Fatal(ds.List)
			}
			d, list := Derive(model)
			if d != nil || len(list) != 1 || list[0].Code != dsl.TooLarge || list[0].Severity != dsl.Error {
				t.Fatalf("derived: %v, diagnostics %v", d != nil, list)
			}
			line := strings.Split(m.text, "\n")[list[0].Span.Pos.Line-1]
			if !strings.HasPrefix(line, m.at) {
				t.Errorf("the message is at %q", line)
			}
			if !strings.Contains(list[0].Hint, m.hint) {
				t.Errorf("the hint is %q", list[0].Hint)
			}
		})
	}
}

// TestLimits: what is spent before a refusal is bounded.
func TestLimits(t *testing.T) {
	model, _ := dsl.Load("m.ham", cholesky(14), dsl.Options{})
	p := &Posterior{limited: true}
	defer func() {
		if _, ok := recover().(tooLarge); !ok {
			t.Error("there was no limit")
		}
		if n := len(p.C.nodes); n > maxNodes {
			t.Errorf("%d nodes", n)
		}
		if p.C.work > maxWork+1000 {
			t.Errorf("%d nodes asked for", p.C.work)
		}
	}()
	p.elaborate(model, model.Blocks[0], false, fine)
	p.metric(&Diagnosed{})
	for range 1000 {
		p.C.sharing = false
		p.L = p.C.Diff(p.C.Mul(p.L, p.L), p.Params[0].Coord)
	}
}
