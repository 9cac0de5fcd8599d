package symbolic

import (
	"fmt"
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

	order int    // of the highest sensitivities
	index *Index // over the times
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

// part returns the component that is the derivative of a state by inputs.
func (s *Solution) part(state int, by ...int) *SolPart {
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

// derivative returns the component's derivative by input k, at the times subs.
func (p *SolPart) derivative(c *Context, k int, subs []Sub) *Expr {
	if len(p.By) == p.Of.order {
		return c.notDifferentiable(p)
	}
	return c.Ref(p.Of.part(p.State, append([]int{k}, p.By...)...).Tensor, subs...)
}

// component is s.v: a vector over the times.
func (el *elaborator) component(e *dsl.FieldExpr) value {
	s := el.solve(e.Solve)
	t := s.Parts[e.State].Tensor
	return value{shape: t.Shape, elem: func(subs ...Sub) *Expr {
		x := el.c.Ref(t, subs...)
		if el.leaf != nil {
			return el.leaf(x)
		}
		return x
	}}
}

// solution elaborates a dsl.Solve, or returns what it came to before.
func (p *Posterior) solution(d *dsl.Solve) *Solution {
	for _, s := range p.Solves {
		if s.Decl == d {
			return s
		}
	}
	c := p.C
	s := &Solution{Decl: d, Times: c.byName[d.Times.ObjectName()], From: p.el.expr(d.From).at(), order: 2}
	s.index = c.NewIndex("i", upTo(s.Times.Shape[0]))
	if p.curved {
		s.order = 3
	}
	// An elaborator of its own: what depends on the coordinates is an input.
	el := &elaborator{c: c, objects: map[dsl.Object]value{}, indices: p.el.indices, solve: p.solution}
	for o, v := range p.el.objects {
		el.objects[o] = v
	}
	el.leaf = func(e *Expr) *Expr { return p.input(s, e) }
	for i, v := range d.Ode.Args {
		e := el.expr(d.Args[i]).at()
		el.objects[v] = scalar(e)
	}
	var init []*Expr
	for _, e := range d.Init {
		init = append(init, el.expr(e).at())
	}
	ode := d.Ode
	for i, v := range ode.States {
		t := c.NewTensor(Tensor{Name: v.ObjectName(), Kind: StateTensor, Stage: StageMomentum, Row: i})
		s.States = append(s.States, t)
		el.objects[v] = scalar(c.Ref(t))
	}
	if ode.Time != nil {
		s.Time = c.NewTensor(Tensor{Name: ode.Time.ObjectName(), Kind: TimeTensor, Stage: StageMomentum})
		el.objects[ode.Time] = scalar(c.Ref(s.Time))
	}
	var rhs []*Expr
	for _, e := range ode.Rhs {
		rhs = append(rhs, el.expr(e).at())
	}
	p.augment(s, rhs, init)
	p.Solves = append(p.Solves, s)
	return s
}

// input returns what stands for an element of a parameter or definition inside
// a differential equation: itself if it is known before sampling.
func (p *Posterior) input(s *Solution, e *Expr) *Expr {
	c := p.C
	if e.stage < StagePosition {
		return e
	}
	for _, u := range s.Inputs {
		if u.Raw == e {
			return c.Ref(u.Symbol)
		}
	}
	name := fmt.Sprintf("u%d", len(s.Inputs)+1)
	if d := inputName(e); d != "" && !slices.ContainsFunc(s.Inputs, func(u *Input) bool { return u.Symbol.Name == d }) {
		name = d
	}
	u := &Input{Raw: e, Symbol: c.NewTensor(Tensor{Name: name, Kind: LocalTensor, Stage: StagePosition, Positive: c.Sign(e) == Positive})}
	s.Inputs = append(s.Inputs, u)
	return c.Ref(u.Symbol)
}

// inputName makes a name for an input from the one coordinate that it holds.
func inputName(e *Expr) string {
	name, n := "", 0
	Refs(e, func(r *Expr) {
		if r.Tensor.Kind != CoordTensor {
			return
		}
		n++
		name = r.Tensor.Name
		if len(r.Subs) == 1 && r.Subs[0].IsFixed() && r.Subs[0].At.IsConst() {
			name += fmt.Sprintf("_%d", r.Subs[0].At.Offset)
		}
	})
	if n != 1 {
		return ""
	}
	return name
}

// lowerSolution lowers the augmented system. The inputs become definitions, and
// what the right side holds of them alone is computed once per solution.
func (p *Program) lowerSolution(s *Solution) {
	for _, u := range s.Inputs {
		body := p.Lower(u.Raw, nil)
		t := u.Symbol
		if p.taken[t.Name] > 0 {
			t.Name += "_in"
		}
		p.taken[t.Name] = 1
		t.Kind = DefTensor
		t.Def = &Def{Tensor: t, Body: body}
		p.Defs = append(p.Defs, t.Def)
	}
	s.From = p.Lower(s.From, nil)
	for i := range s.Parts {
		s.Init[i] = p.Lower(s.Init[i], nil)
		s.Rhs[i] = p.Lower(s.Rhs[i], nil)
	}
}

// augment derives the augmented system.
func (p *Posterior) augment(s *Solution, rhs, init []*Expr) {
	c := p.C
	n := len(rhs)
	add := func(state int, by []int, f, start *Expr) *SolPart {
		name := s.Decl.ObjectName() + "_" + s.Decl.Ode.States[state].ObjectName()
		for _, k := range by {
			name += "_" + s.Inputs[k].Symbol.Name
		}
		part := &SolPart{Of: s, Pos: len(s.Parts), State: state, By: by}
		part.Tensor = c.NewTensor(Tensor{Name: name, Kind: SolutionTensor, Stage: StagePosition, Shape: s.Times.Shape, Part: part})
		s.Parts, s.Rhs, s.Init = append(s.Parts, part), append(s.Rhs, f), append(s.Init, start)
		if len(by) > 0 {
			s.States = append(s.States, c.NewTensor(Tensor{Name: name[len(s.Decl.ObjectName())+1:], Kind: StateTensor, Stage: StageMomentum, Row: part.Pos}))
		}
		return part
	}
	state := func(part *SolPart) *Expr { return c.Ref(s.States[part.Pos]) }
	for i := range rhs {
		add(i, nil, rhs[i], init[i])
	}
	// d/du_k of g along the solution: g_z S_k + g_uk.
	for k, u := range s.Inputs {
		first := make([]*Expr, n)
		start := make([]*Expr, n)
		parts := len(s.Parts)
		// The states of this order are named before the right sides use them.
		for i := range rhs {
			start[i] = c.Diff(init[i], u.Symbol)
			add(i, []int{k}, nil, start[i])
		}
		for i := range rhs {
			first[i] = c.Diff(rhs[i], u.Symbol)
			for j := range rhs {
				first[i] = c.Add(first[i], c.Mul(c.Diff(rhs[i], s.States[j]), state(s.Parts[parts+j])))
			}
			s.Rhs[parts+i] = first[i]
		}
	}
	for k := range s.Inputs {
		for l := 0; l <= k; l++ {
			parts := len(s.Parts)
			for i := range rhs {
				add(i, []int{k, l}, nil, c.Diff(c.Diff(init[i], s.Inputs[k].Symbol), s.Inputs[l].Symbol))
			}
			for i := range rhs {
				s.Rhs[parts+i] = p.second(s, rhs[i], k, l, s.Parts[parts:])
			}
		}
	}
	if s.order < 3 {
		return
	}
	known := s.Size(2)
	for k := range s.Inputs {
		for l := 0; l <= k; l++ {
			for m := 0; m <= l; m++ {
				for i := range rhs {
					add(i, []int{k, l, m}, nil, c.Diff(s.Init[s.part(i, k, l).Pos], s.Inputs[m].Symbol))
				}
			}
		}
	}
	// The total derivative of the right side of ∂²z/∂u_k∂u_l along u_m.
	for _, part := range s.Parts[known:] {
		k, l, m := part.By[0], part.By[1], part.By[2]
		g := s.Rhs[s.part(part.State, k, l).Pos]
		total := c.Diff(g, s.Inputs[m].Symbol)
		for _, x := range s.Parts[:known] {
			if e := c.Diff(g, s.States[x.Pos]); !e.IsNum(0) {
				total = c.Add(total, c.Mul(e, state(s.part(x.State, append([]int{m}, x.By...)...))))
			}
		}
		s.Rhs[part.Pos] = total
	}
}

// second is the right side of ∂²z/∂u_k∂u_l for one equation g:
// g_z R + g_zz[S_k, S_l] + g_zuk S_l + g_zul S_k + g_ukul.
func (p *Posterior) second(s *Solution, g *Expr, k, l int, parts []*SolPart) *Expr {
	c := p.C
	n := len(s.Decl.Ode.States)
	uk, ul := s.Inputs[k].Symbol, s.Inputs[l].Symbol
	total := c.Diff(c.Diff(g, uk), ul)
	for i := range n {
		gi := c.Diff(g, s.States[i])
		total = c.Add(total,
			c.Mul(gi, c.Ref(s.States[parts[i].Pos])),
			c.Mul(c.Diff(gi, uk), c.Ref(s.States[s.part(i, l).Pos])),
			c.Mul(c.Diff(gi, ul), c.Ref(s.States[s.part(i, k).Pos])))
		for j := range n {
			gij := c.Diff(gi, s.States[j])
			total = c.Add(total, c.Mul(gij, c.Ref(s.States[s.part(i, k).Pos]), c.Ref(s.States[s.part(j, l).Pos])))
		}
	}
	return total
}

// InEquation reports whether a definition depends on the states or the time of a
// differential equation: it has a value only while that is integrated.
func (d *Def) InEquation() bool { return d.inEquation(map[*Def]bool{}) }

// inEquation is InEquation with what is known of definitions: there are more ways to a definition
// than definitions.
func (d *Def) inEquation(known map[*Def]bool) bool {
	if in, ok := known[d]; ok {
		return in
	}
	in := false
	Refs(d.Body, func(r *Expr) {
		t := r.Tensor
		in = in || t.Kind == StateTensor || t.Kind == TimeTensor || t.Def != nil && t.Stage == StageMomentum && t.Def.inEquation(known)
	})
	known[d] = in
	return in
}
