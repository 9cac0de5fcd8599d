package expr

import (
	"fmt"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
)

// Differential equations. The solution of z' = f(z, u, t) at the times of a
// datum is a family (family.go) of vectors over the times: the components z_i[n] and
// their derivatives by the inputs u, the quantities that depend on the
// parameters and that the right side, the arguments or the initial values hold.
// The rule of the row is that the derivative of a component by u_k is the
// component's sensitivity k. The
// sensitivities of first and second order, and of third order where Newton's method
// is to have the derivatives of ∂H/∂q, are part of the solution of the augmented system
//
//	S_k'  = f_z S_k + f_uk                                             S_k(t₀)  = ∂z₀/∂u_k
//	R_kl' = f_z R_kl + f_zz[S_k, S_l] + f_zuk S_l + f_zul S_k + f_ukul  R_kl(t₀) = ∂²z₀/∂u_k∂u_l
//
// and so on, of which only the orders are integrated that are asked for.

// SolutionName names the operator whose value is the solution of a differential equation.
const SolutionName = "solution"

// solutionOperator is its row.
var solutionOperator = Operator{
	Name: SolutionName, Short: "solution",
	// A component counts as this many arithmetic operations: a ratio of times, rounded.
	Cost: func(parts [][]dsl.Extent) Poly {
		all := Poly{}
		for _, shape := range parts {
			one := Poly{"": 5000}
			for _, outer := range shape[:len(shape)-1] {
				one = one.times(sizePoly(UpTo(outer)))
			}
			all.add(one)
		}
		return all
	},
	Joint: &Joint{
		Partial: func(c *Context, p *Part, k int, at []Sub) *Expr {
			s := p.Of.Own.(*Solution)
			if p.Order() == s.Order {
				return nil
			}
			return c.Ref(s.Part(p.Base, append([]int{k}, p.By...)...).Tensor, at...)
		},
		Formulas: func(f *Family, order int) []**Expr {
			s := f.Own.(*Solution)
			out := []**Expr{&s.From}
			for i, p := range s.Parts[:s.Size(order)] {
				if p.Given == nil {
					out = append(out, &s.Init[i], &s.Rhs[i])
				}
			}
			return out
		},
		Eval: func(f *Family, order int, x Evaluation) { f.Own.(*Solution).eval(order, x) },
		Unknown: func(f *Family) (what, advice string) {
			return fmt.Sprintf("the derivatives of this metric need the third-order sensitivities of the solution `%s` to its parameters; those of first and second order are known", f.Name),
				fmt.Sprintf("use `metric fisher`, with `%s` in the arguments of data only, or `metric identity`, or give the entries of the metric", f.Name)
		},
	},
}

// Solution is the elaborated form of a dsl.Solve. Its parts are the components of the augmented system: the states, then
// ∂z_i/∂u_k for each k, then ∂²z_i/∂u_k∂u_l for each k and each l ≤ k, and perhaps ∂³z_i/∂u_k∂u_l∂u_m for each k, l ≤ k
// and m ≤ l.
type Solution struct {
	Family
	Decl  *dsl.Solve
	Times *Tensor // of data: a vector, or a matrix with a row for each value of the outer index
	From  *Expr   // the initial time
	// Rhs and Init are those of the augmented system, by component in the
	// order of Parts, in terms of States, Time, the symbols of the inputs
	// and what is known before sampling.
	Rhs, Init []*Expr
	States    []*Tensor
	Time      *Tensor
	Order     int // of the highest sensitivities
	// Scaled has, for each input whose derivatives are not integrated, the relation that gives them; it is nil where there is none.
	Scaled []*Scaling
}

// NewSolution makes one without components yet, with sensitivities up to an order.
func (c *Context) NewSolution(d *dsl.Solve, from *Expr, order int) *Solution {
	s := &Solution{Decl: d, Times: c.ByName[d.Times.ObjectName()], From: from, Order: order}
	s.Family = Family{Operator: OperatorOf(SolutionName), Name: d.ObjectName(), Index: c.NewIndex("i", UpTo(s.NumTimes())), Own: s}
	if d.Index != nil {
		s.Outer = c.NewIndex(d.Index.ObjectName(), d.Index.Range)
	}
	return s
}

// NumTimes is the number of times.
func (s *Solution) NumTimes() dsl.Extent { return s.Times.Shape[len(s.Times.Shape)-1] }

// State makes what stands for a component inside the right side, of a name.
func (s *Solution) State(c *Context, name string) {
	s.States = append(s.States, c.NewTensor(Tensor{Name: name, Kind: InnerTensor, Stage: StageMomentum, Row: len(s.States)}))
}

// Component adds one: the derivative of a state by inputs.
func (s *Solution) Component(c *Context, name string, state int, by []int, rhs, start *Expr) *Part {
	part := &Part{Of: &s.Family, Pos: len(s.Parts), Base: state, By: by}
	part.Tensor = c.NewTensor(Tensor{Name: name, Kind: PartTensor, Stage: StagePosition, Shape: shapeOf(s.Indices()), Part: part})
	s.Parts, s.Rhs, s.Init = append(s.Parts, part), append(s.Rhs, rhs), append(s.Init, start)
	return part
}

// Size returns the number of components up to an order.
func (s *Solution) Size(order int) int {
	n, p := len(s.Decl.Ode.States), len(s.Inputs)
	return n * [...]int{1, 1 + p, 1 + p + p*(p+1)/2, 1 + p + p*(p+1)/2 + p*(p+1)*(p+2)/6}[order]
}

// Part returns the component that is the derivative of a state by inputs.
func (s *Solution) Part(state int, by ...int) *Part {
	if len(by) == 0 {
		return s.Parts[state]
	}
	by = slices.Clone(by)
	slices.SortFunc(by, func(a, b int) int { return b - a })
	at := by[0]
	switch len(by) {
	case 2:
		at = by[0]*(by[0]+1)/2 + by[1]
	case 3:
		at = by[0]*(by[0]+1)*(by[0]+2)/6 + by[1]*(by[1]+1)/2 + by[2]
	}
	return s.Parts[s.Size(len(by)-1)+len(s.Decl.Ode.States)*at+state]
}

// Scales reports whether there are components that scalings give.
func (s *Solution) Scales() bool {
	return slices.ContainsFunc(s.Parts, func(p *Part) bool { return p.Given != nil })
}

// Split returns the components up to an order that are integrated, and those that scalings give.
func (s *Solution) Split(order int) (integrated, given []*Part) {
	for _, p := range s.Parts[:s.Size(order)] {
		if p.Given == nil {
			integrated = append(integrated, p)
		} else {
			given = append(given, p)
		}
	}
	return integrated, given
}

// eval integrates the equation up to an order of sensitivities.
func (s *Solution) eval(order int, x Evaluation) {
	var y0 []float64
	var out [][]float64
	var rhs []func() float64
	var formulas []*Expr
	integrated, given := s.Split(order)
	for _, p := range integrated {
		rhs = append(rhs, x.Code(s.Rhs[p.Pos]))
		formulas = append(formulas, s.Rhs[p.Pos])
	}
	inner := x.Inner(formulas)
	f := func(dy, y []float64, t float64) {
		for i, p := range integrated {
			x.Values(s.States[p.Pos])[0] = y[i]
		}
		if s.Time != nil {
			x.Values(s.Time)[0] = t
		}
		inner()
		for i, f := range rhs {
			dy[i] = f()
		}
	}
	integrate := func(at int) { // counted from 0
		y0, out = y0[:0], out[:0]
		var n int
		for _, p := range integrated {
			y0 = append(y0, x.Code(s.Init[p.Pos])())
			all := x.Values(p.Tensor)
			if n = len(all); s.Outer != nil {
				n /= x.Extent(s.Outer.Range.Hi)
			}
			out = append(out, all[at*n:][:n])
		}
		times := x.Values(s.Times)
		if len(s.Times.Shape) > 1 {
			times = times[at*n:]
		}
		x.Integrate(out, f, y0, x.Code(s.From)(), times[:n])
	}
	if s.Outer != nil {
		own := x.Own(&s.Family, append(formulas, s.Init...))
		x.Over(s.Outer, func(n int) {
			own()
			integrate(n - 1)
		})
		return
	}
	integrate(0)
	for _, p := range given {
		f := x.Code(p.Given)
		x.Over(s.Index, func(n int) { x.Values(p.Tensor)[n-1] = f() })
	}
}
