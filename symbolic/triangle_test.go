package symbolic

import (
	"strings"
	"testing"
)

// TestTriangles: a sum over a triangle whose outer weights are data is turned around, and one whose
// weights are not stays; what it comes to does not change.
func TestTriangles(t *testing.T) {
	w := newWorld(5)
	c := w.c
	i, k := w.index("i", rangeOf(1, sizeN)), w.index("k", rangeOf(1, sizeN))
	u, y := w.tensor("u"), w.tensor("y")
	before := c.Before(at(i, 0), at(k, 0))
	f := c.Call("sin", c.Ref(u, at(i, 0)))
	inner := c.Sum(i, c.Mul(before, f))
	g := c.Ref(y, at(k, 0))
	turned := c.Sum(i, c.Mul(f, c.Sum(k, c.Mul(before, g))))
	for _, row := range []struct {
		name      string
		got, want *Expr
	}{
		{"weights of data", c.Sum(k, c.Mul(g, inner)), turned},
		{"a coefficient", c.Sum(k, c.Mul(c.Number(3), g, inner)), c.Scale(3, turned)},
		{"no weights", c.Sum(k, inner), c.Sum(i, c.Mul(f, c.Sum(k, before)))},
		{"beside another term", c.Sum(k, c.Mul(g, c.Add(inner, c.Ref(u, at(k, 0))))), c.Add(turned, c.Sum(k, c.Mul(g, c.Ref(u, at(k, 0)))))},
		{"beside a term of a part of the range", c.Sum(k, c.Mul(g, c.Add(inner, c.Mul(c.within(at(k, 0), rangeOf(2, sizeN)), f.at(c, i, k))))),
			c.Add(turned, c.sumWithin(k, c.Mul(c.within(at(k, 0), rangeOf(2, sizeN)), g, f.at(c, i, k))))},
	} {
		if row.got != row.want {
			t.Errorf("%s: %s, want %s", row.name, Format(row.got), Format(row.want))
		}
	}
	if e := c.sumWithin(k, c.Mul(c.within(at(k, 0), rangeOf(2, sizeN)), g)); strings.Contains(Format(e), " in 2..n]·") {
		t.Errorf("%s asks what its range says", Format(e))
	}
	late := c.Sum(k, c.Mul(c.Ref(u, at(k, 0)), inner))
	if late.Op != Sum || !compares(late.Args[0], late.Index) {
		t.Errorf("weights of parameters: %s", Format(late))
	}
	if v, want := w.env.eval(c.Sum(k, c.Mul(g, inner))), w.naiveTriangle(); !near([]float64{v}, []float64{want}, 1e-12) {
		t.Errorf("the sum is %v, want %v", v, want)
	}
}

// at puts one index in the place of another.
func (e *Expr) at(c *Context, from, to *Index) *Expr { return c.Subst(e, from, Sub{Index: to}) }

// naiveTriangle is Σ_k y_k Σ_{i<k} sin u_i.
func (w *world) naiveTriangle() float64 {
	total, sum := 0.0, 0.0
	for k := 1; k <= w.env.extent(sizeN); k++ {
		total += w.env.element(w.tensor("y"), k) * sum
		sum += plainFunction("sin", []float64{w.env.element(w.tensor("u"), k)})
	}
	return total
}

// TestSimplexCosts: a Dirichlet prior with counts takes time in proportion to the number of elements, the
// metric that comes of it is diagonal, and it is proved to be positive where there are no data.
func TestSimplexCosts(t *testing.T) {
	const head = "model m\ndata K int\ndata n int[K] >= 0\ndata alpha real[K] > 0\nparam theta simplex[K]\ntheta ~ dirichlet(alpha)\n"
	d, _ := load(t, head+"density sum(k in K) n[k]*log(theta[k])\nmetric hessian\n")
	if d.Metric.Kind() != "diagonal" {
		t.Errorf("the metric is %s", d.Metric.Kind())
	}
	lists := append(append([]Output{d.LogDensity}, d.Gradient...), d.Matrix...)
	defs := map[*Def]bool{}
	total := NewCost()
	var walk func(e *Expr)
	walk = func(e *Expr) {
		Refs(e, func(r *Expr) {
			if def := r.Tensor.Def; def != nil && !defs[def] {
				defs[def] = true
				if def.Stage() >= StagePosition {
					total.Add(def.Cost())
				}
				walk(def.Body)
			}
		})
	}
	for _, o := range lists {
		walk(o.E)
	}
	if s := total.String(); strings.Contains(s, "K²") {
		t.Errorf("definitions at a position: %s", s)
	}
	if _, list := load(t, head+"metric fisher\n"); len(list) != 1 || !strings.Contains(list[0].Message, "not used") && list[0].Code != "W201" {
		for _, x := range list {
			t.Errorf("a prior alone: %s %s", x.Code, x.Message)
		}
	}
}
