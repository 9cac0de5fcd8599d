package dsl_test

import (
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// mustLoad returns the model of a text without errors.
func mustLoad(t *testing.T, text string) *dsl.Model {
	t.Helper()
	m, ds := dsl.Load("m.ham", text, dsl.Options{})
	if m == nil {
		t.Fatal(ds)
	}
	return m
}

// named joins the names of objects.
func named[T dsl.Object](list []T) string {
	s := ""
	for _, o := range list {
		s += o.ObjectName() + " "
	}
	return s
}

// TestBlocks checks what the blocks of a model hold: their parameters in the
// order of the list, and the entries of the metrics that stand outside them.
func TestBlocks(t *testing.T) {
	m := mustLoad(t, `model m
data n int
param x real[n]
param u, v, w real
x ~ normal(0, exp(v))
u, v, w ~ normal(0, 1)
metric[w, w] = 1
// The first.
block a(v, x)
block b(w) // The second.
metric[x[i], x[j]] = 3*delta(i, j) - delta(i-2, 1+j)
metric[v, x[i]] = 0
metric[v, v] = 2
block c(u) metric 2*fisher + identity
`)
	if len(m.Blocks) != 3 {
		t.Fatalf("%d blocks", len(m.Blocks))
	}
	for i, want := range []struct {
		name, doc, params string
		entries           int
		terms             int
	}{{"a", "The first.", "v x ", 3, 1}, {"b", "The second.", "w ", 1, 1}, {"c", "", "u ", 0, 2}} {
		b := m.Blocks[i]
		if b.Name != want.name || b.Doc != want.doc || named(b.Params) != want.params || len(b.Metric) != want.terms || len(b.Metric[0].Blocks) != want.entries {
			t.Errorf("block %d: %q, %q, parameters %s, %d terms, %d entries; want %v", i, b.Name, b.Doc, named(b.Params), len(b.Metric), len(b.Metric[0].Blocks), want)
		}
	}
	deltas := 0
	var visit func(e dsl.Expr)
	visit = func(e dsl.Expr) {
		switch e := e.(type) {
		case *dsl.BinaryExpr:
			visit(e.X)
			visit(e.Y)
		case *dsl.CallExpr:
			i, j := e.Subscripts[0], e.Subscripts[1]
			if i.Index.Name != "i" || j.Index.Name != "j" || i.Offset != -2*deltas || j.Offset != deltas {
				t.Errorf("delta %d of %s%+d and %s%+d", deltas, i.Index.Name, i.Offset, j.Index.Name, j.Offset)
			}
			deltas++
		}
	}
	visit(m.Blocks[0].Metric[0].Blocks[0].Value)
	if deltas != 2 {
		t.Errorf("%d deltas", deltas)
	}
}

// TestOneBlock checks that a model without blocks has one, without a name.
func TestOneBlock(t *testing.T) {
	m := mustLoad(t, "model m\nparam x, v real\nx, v ~ normal(0, 1)\nmetric fisher\n")
	if len(m.Blocks) != 1 || m.Blocks[0].Name != "" || named(m.Blocks[0].Params) != "x v " {
		t.Errorf("%d blocks, the first of %s", len(m.Blocks), named(m.Blocks[0].Params))
	}
}

// TestSolutions checks what a solution holds: values by state and argument,
// however they were ordered, and the demands on its times.
func TestSolutions(t *testing.T) {
	m := mustLoad(t, `model m
data n int
data t, y real[n]
data t0 real
param a real
// A pendulum.
ode f(v, r; k, l) over time {
  r' = v*2
  v' = -r*k + l*time*a
}
let q = solve f(l = 4, r = 2, v = 1, k = 3) from t0/2 at t
let s = solve f(r = q.r[n], v = a, k = 6, l = 7) from 0 at t
y ~ normal(s.v, exp(q.r))
metric softabs(alpha = 1)
`)
	if named(m.Solves) != "q s " {
		t.Fatalf("the solutions are %s", named(m.Solves))
	}
	q, s := m.Solves[0], m.Solves[1]
	o := q.Ode
	if s.Ode != o || o.Name != "f" || o.Doc != "A pendulum." || named(o.States) != "v r " || named(o.Args) != "k l " || o.Time.ObjectName() != "time" {
		t.Errorf("the equation is %q, %q, of %s; %s over %v", o.Name, o.Doc, named(o.States), named(o.Args), o.Time)
	}
	for i, v := range append(append([]*dsl.OdeVar{}, o.States...), o.Args...) {
		if want := (dsl.OdeVar{Kind: dsl.OdeVarKind(i / 2), Pos: i % 2}); v.Kind != want.Kind || v.Pos != want.Pos {
			t.Errorf("%s is %v %d, want %v %d", v.Name, v.Kind, v.Pos, want.Kind, want.Pos)
		}
	}
	for i, e := range append(append([]dsl.Expr{}, q.Init...), q.Args...) {
		if n, ok := e.(*dsl.Number); !ok || n.Value != float64(i+1) {
			t.Errorf("value %d of q is %v", i, e)
		}
	}
	// The right sides are in the order of the states.
	if x, ok := o.Rhs[1].(*dsl.BinaryExpr); !ok || x.X.(*dsl.Name).Obj != o.States[0] {
		t.Errorf("the right side of r is %v", o.Rhs[1])
	}
	left, args := m.Terms[0].Left, m.Terms[0].Args
	if f, ok := args[0].(*dsl.FieldExpr); !ok || f.Solve != s || f.State != 0 || f.Type().String() != "real[n]" {
		t.Errorf("the mean of %v is %v", left, args[0])
	}
	var times []dsl.Demand
	for _, d := range m.Demands() {
		if d.Kind == dsl.DemandTimes {
			times = append(times, d)
		}
	}
	if len(times) != 2 || times[0].Data.Name != "t" || times[0].Lo != q.From || times[1].Lo != s.From {
		t.Errorf("the demands on times are %v", times)
	}
}
