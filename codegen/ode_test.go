package codegen

import (
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
)

// TestAllSolutionsAreRead: where the first of several differential equations has no solution, densities read the others all the same.
func TestAllSolutionsAreRead(t *testing.T) {
	m, ds := dsl.Load("m.ham", `model m
data n int
data t, y real[n]
param a, b real
ode f(v) { v' = a*v }
ode g(w) { w' = -b*w }
let r = solve f(v = 1) from 0 at t
let s = solve g(w = 1) from 0 at t
y ~ normal(r.v + s.w, 0.5)
a, b ~ normal(0, 1)
`, dsl.Options{})
	if m == nil {
		t.Fatal(ds.List)
	}
	d, list := symbolic.Derive(m)
	if d == nil {
		t.Fatal(list)
	}
	code, err := Generate(d, Options{Package: "m"})
	if err != nil {
		t.Fatal(err)
	}
	_, solve, _ := strings.Cut(string(code), "func (s *Model) solve(")
	solve, _, _ = strings.Cut(solve, "\n}")
	first, _, ok := strings.Cut(solve, "s.solveS(q, order)")
	if !ok || strings.Contains(first, "return") {
		t.Errorf("the second solution is not there when the first fails:\n%s", solve)
	}
}
