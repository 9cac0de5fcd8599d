package symbolic

import (
	"math"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// waves is an operator that is no row of the table: the family sin(u v x_n), cos(u v x_n) of two inputs. It has the sine, at the order 0, and its
// derivatives by each input, u or v times x_n cos, at the order 1; the derivatives of those are in terms of both.
func waves(c *expr.Context, x *expr.Tensor, inputs [2]*expr.Expr) *expr.Family {
	f := &expr.Family{Name: "waves", Index: c.NewIndex("n", expr.UpTo(x.Shape[0]))}
	for k, raw := range inputs {
		f.Inputs = append(f.Inputs, &expr.Input{Raw: raw, Symbol: c.NewTensor(expr.Tensor{Name: []string{"u", "v"}[k], Kind: expr.LocalTensor, Stage: expr.StagePosition})})
	}
	for n, by := range [][]int{nil, {0}, {1}} {
		p := &expr.Part{Of: f, Pos: n, By: by}
		p.Tensor = c.NewTensor(expr.Tensor{Name: "wave", Kind: expr.PartTensor, Stage: expr.StagePosition, Shape: x.Shape, Part: p})
		f.Parts = append(f.Parts, p)
	}
	symbol := func(k int) *expr.Expr { return c.Ref(f.Inputs[k].Symbol) }
	scale := c.Mul(symbol(0), symbol(1)) // what is lowered and computed
	f.Operator = &expr.Operator{Name: "waves", Cost: func(parts [][]dsl.Extent) expr.Poly { return expr.Poly{"": len(parts)} }}
	f.Operator.Joint = &expr.Joint{
		Partial: func(c *expr.Context, p *expr.Part, k int, at []expr.Sub) *expr.Expr {
			if p.Order() == 0 {
				return c.Ref(f.Parts[1+k].Tensor, at...)
			}
			// ∂(v x cos(uvx))/∂u = −(v x)² sin, ∂(v x cos(uvx))/∂v = x cos − u v x² sin, and so on
			m := p.By[0]
			e := c.Mul(c.Number(-1), symbol(1-m), symbol(1-k), c.Pow(c.Ref(x, at...), 2), c.Ref(f.Parts[0].Tensor, at...))
			if m != k {
				e = c.Add(e, c.Div(c.Ref(p.Tensor, at...), symbol(1-m)))
			}
			return e
		},
		Formulas: func(*expr.Family, int) []**expr.Expr { return []**expr.Expr{&scale} },
		Eval: func(_ *expr.Family, order int, e expr.Evaluation) {
			uv := e.Code(scale)()
			for n, v := range e.Values(x) {
				e.Values(f.Parts[0].Tensor)[n] = math.Sin(uv * v)
				for k := range 2 * order {
					e.Values(f.Parts[1+k].Tensor)[n] = e.Values(f.Inputs[1-k].Symbol)[0] * v * math.Cos(uv*v)
				}
			}
		},
	}
	return f
}

// TestFamilyOfArrays: the calculus knows families by the rules of their row alone. A family of another operator than those of the table has
// derivatives forwards, by the reverse sweep and twice that agree with differences.
func TestFamilyOfArrays(t *testing.T) {
	d, _ := load(t, "model m\ndata n int\ndata x, w real[n]\nparam a, b real\na, b ~ normal(0, 1)\n")
	c := d.C
	a, b := d.Params[0].Coord, d.Params[1].Coord
	x, w := c.ByName["x"], c.ByName["w"]
	f := waves(c, x, [2]*expr.Expr{c.Call("exp", c.Ref(a)), c.Add(c.Number(2), c.Mul(c.Ref(a), c.Ref(b)))})
	d.Families = []*expr.Family{f}
	prog := newProgram(d.Posterior)
	prog.lowerFamilies()
	i := c.NewIndex("i", expr.UpTo(x.Shape[0]))
	at := expr.SubsOf([]*expr.Index{i})
	e := c.Sum(i, c.Mul(c.Ref(w, at...), c.Pow(c.Ref(f.Parts[0].Tensor, at...), 3)))
	out := func(e *expr.Expr) Output { return Output{E: prog.Lower(e, nil)} }
	value := out(e)
	byB := c.Diff(e, b)
	sweep := prog.Adjoint(value.E, [][]expr.Sub{nil, nil})
	d.Prog = prog
	outs := map[string][2]Output{ // what, and what it is the derivative of by a
		"the derivative":                      {out(c.Diff(e, a)), value},
		"the derivative by the reverse sweep": {out(sweep[0]), value},
		"the second derivative":               {out(c.Diff(byB, a)), out(byB)},
		"the derivative of a swept one":       {out(c.Diff(prog.raise(sweep[1]), a)), out(sweep[1])},
	}
	m := NewMachine(d, map[string][]float64{"n": {4}, "x": {0.2, 0.5, -0.3, 0.7}, "w": {1, -2, 0.5, 3}})
	eval := func(o Output, v float64) (r float64) {
		m.Values(a)[0], m.Values(b)[0] = v, -0.4
		m.Run([]Output{o}, func(_ *Output, _ []int, got float64) { r = got })
		return r
	}
	const point, h = 0.3, 1e-3
	for what, o := range outs {
		diff := func(k float64) float64 { return eval(o[1], point+k*h) - eval(o[1], point-k*h) }
		want := (45*diff(1) - 9*diff(2) + diff(3)) / (60 * h)
		if got := eval(o[0], point); !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) || want == 0 {
			t.Errorf("%s is %v, differences give %v", what, got, want)
		}
	}
	if got := f.Cost(1).Ops[""]; got != 3 {
		t.Errorf("the parts up to the order 1 cost %d operations, not 3", got)
	}
}
