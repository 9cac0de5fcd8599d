package codegen

import (
	"bytes"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
)

// TestMatrixLikelihood: a likelihood over a matrix calls each function as often per element as
// its twin over a vector does, and passes over the elements in no more loops than twice
// as many: those of the rows.
func TestMatrixLikelihood(t *testing.T) {
	const params = "param b0, b1, b2 real\nb0, b1, b2 ~ normal(0, 3)\n"
	const flat = "model m\ndata n int\ndata y int[n] in 0..1\ndata a, s real[n]\n" + params + "let eta[i in n] = b0 + b1*a[i] + b2*s[i]\ny ~ bernoulli_logit(eta)\nmetric "
	const matrix = "model m\ndata n, m int\ndata y int[n, m] in 0..1\ndata a, s real[n, m]\n" + params + "let eta[i in n, j in m] = b0 + b1*a[i, j] + b2*s[i, j]\ny ~ bernoulli_logit(eta)\nmetric "
	code := func(text string) []byte {
		m, ds := dsl.Load("m.ham", text, dsl.Options{})
		if m == nil {
			t.Fatal(ds.List)
		}
		d, list := symbolic.Derive(m)
		if d == nil {
			t.Fatal(list)
		}
		out, err := Generate(d, Options{Package: "m", Source: "m.ham", Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, metric := range []string{"fisher\n", "softabs(alpha = 1)\n"} {
		vector, rows := code(flat+metric), code(matrix+metric)
		for _, call := range []string{"kernel.InvLogit(", "Log1pExp(", "special."} {
			a, b := bytes.Count(vector, []byte(call)), bytes.Count(rows, []byte(call))
			t.Logf("%s%s: %d of a vector, %d of a matrix", metric, call, a, b)
			if b > a+1 {
				t.Errorf("%s%s: %d of a vector, %d of a matrix", metric, call, a, b)
			}
		}
	}
}
