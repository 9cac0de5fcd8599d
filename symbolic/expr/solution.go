package expr

import (
	"slices"

	"github.com/hamc-dev/hamc/dsl"
)

// Differential equations. The solution of z' = f(z, u, t) at the times of a
// datum is a family of opaque tensors over the times: the components z_i[n] and
// their derivatives by the inputs u, the quantities that depend on the
// parameters and that the right side, the arguments or the initial values hold.
// The rest of the calculus needs to know one rule more: the derivative of a
// component by u_k is the component's sensitivity k (diff.go). The
// sensitivities of first and second order, and of third order where Newton's method
// is to have the derivatives of ∂H/∂q, are part of the solution of the augmented system
//
//	S_k'  = f_z S_k + f_uk                                             S_k(t₀)  = ∂z₀/∂u_k
//	R_kl' = f_z R_kl + f_zz[S_k, S_l] + f_zuk S_l + f_zul S_k + f_ukul  R_kl(t₀) = ∂²z₀/∂u_k∂u_l
//
// and so on, of which only the orders are integrated that are asked for.

// Solution is the elaborated form of a dsl.Solve.
type Solution struct {
	Decl   *dsl.Solve
	Times  *Tensor  // of data
	From   *Expr    // the initial time
	Inputs []*Input // u
	// Rhs and Init are those of the augmented system, by component in the
	// order of Parts, in terms of States, Time, the symbols of the inputs
	// and what is known before sampling.
	Rhs, Init []*Expr
	States    []*Tensor
	Time      *Tensor
	// Parts are the components: the states, then ∂z_i/∂u_k for each k, then
	// ∂²z_i/∂u_k∂u_l for each k and each l ≤ k, and perhaps
	// ∂³z_i/∂u_k∂u_l∂u_m for each k, l ≤ k and m ≤ l.
	Parts []*SolPart

	Order int    // of the highest sensitivities
	Index *Index // over the times
}

// Input is a quantity that depends on the parameters and enters a differential
// equation.
type Input struct {
	Raw    *Expr   // in terms of the coordinates
	Symbol *Tensor // what stands for it in the augmented system: a definition
}

// SolPart is one component of the augmented system.
type SolPart struct {
	Of     *Solution
	Pos    int // in the system
	State  int
	By     []int // the inputs that it is a derivative by, at most three, descending
	Tensor *Tensor
}

// Order is the order of the sensitivity: 0 for a state itself.
func (p *SolPart) Order() int { return len(p.By) }

// Size returns the number of components up to an order.
func (s *Solution) Size(order int) int {
	n, p := len(s.Decl.Ode.States), len(s.Inputs)
	return n * [...]int{1, 1 + p, 1 + p + p*(p+1)/2, 1 + p + p*(p+1)/2 + p*(p+1)*(p+2)/6}[order]
}

// Part returns the component that is the derivative of a state by inputs.
func (s *Solution) Part(state int, by ...int) *SolPart {
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

// Derivative returns the component's derivative by input k, at the times subs.
func (p *SolPart) Derivative(c *Context, k int, subs []Sub) *Expr {
	if len(p.By) == p.Of.Order {
		return c.notDifferentiable(p)
	}
	return c.Ref(p.Of.Part(p.State, append([]int{k}, p.By...)...).Tensor, subs...)
}

// notDifferentiable stands for a derivative that is not known: of a function or, if
// part is not nil, of a component of a solution.
func (c *Context) notDifferentiable(part *SolPart) *Expr {
	nan := c.NewTensor(Tensor{Name: "not_differentiable", Kind: WildTensor, Stage: StageMomentum})
	if part != nil {
		nan.Name = part.Of.Decl.ObjectName()
		nan.Kind = UnsolvedTensor
	}
	return c.Ref(nan)
}
