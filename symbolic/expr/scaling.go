package expr

import (
	"math"
	"slices"
)

// Scalings. Many differential equations stay what they are when their states, their inputs and the time are multiplied by powers of one number: with
// z' = f(z, u, t), weights w of the states, g of the inputs and τ of the time,
//
//	z_i(λ^τ (t − t₀); λ^g u) = λ^w_i z_i(t − t₀; u),  and so  Σ_k g_k u_k ∂z_i/∂u_k = w_i z_i − τ (t − t₀) f_i,
//
// by differentiation at λ = 1. Rates with one unit of time are such inputs, and the amounts that a reaction is scaled by. Each independent relation gives
// the derivatives by one input from those by the others, at each time, so that they need not be integrated.

// scalings are the weights that a differential equation allows. The unknowns are the weights of the inputs, the states and the time, in that order.
type scalings struct {
	at   map[*Tensor]int // the unknown of each
	n    int
	rows [][]float64 // sums of unknowns that are 0
	ok   bool        // all has been understood
}

// weight is that of an expression, as a sum of unknowns; what has to hold for it to have one is added to the rows.
func (s *scalings) weight(e *Expr) []float64 {
	w := make([]float64, s.n)
	switch e.Op {
	case Num:
	case Ref:
		if k, in := s.at[e.Tensor]; in {
			w[k] = 1
		} else if e.Tensor.Stage >= StagePosition {
			s.ok = false
		}
	case Add:
		first := s.weight(e.Args[0])
		for _, a := range e.Args[1:] {
			s.equal(s.weight(a), first)
		}
		if e.Val != 0 {
			s.equal(first, w)
		}
		return first
	case Mul:
		for n, a := range e.Args {
			for k, x := range s.weight(a) {
				w[k] += e.K[n] * x
			}
		}
	case Sum:
		return s.weight(e.Args[0])
	default: // a function: of what has no weight
		for _, a := range e.Args {
			s.equal(s.weight(a), w)
		}
	}
	return w
}

// equal demands that two weights are equal.
func (s *scalings) equal(a, b []float64) {
	row := make([]float64, s.n)
	for k := range row {
		row[k] = a[k] - b[k]
	}
	s.rows = append(s.rows, row)
}

// reduce brings rows to reduced echelon form by the columns given, in their order, and returns the column that is a row's own, −1 of those that have
// none. Weights are small whole numbers and halves: what is below 1e-9 is 0.
func reduce(rows [][]float64, columns []int) []int {
	own := make([]int, len(rows))
	for n := range own {
		own[n] = -1
	}
	done := 0
	for _, c := range columns {
		best := done
		for n := done; n < len(rows); n++ {
			if math.Abs(rows[n][c]) > math.Abs(rows[best][c]) {
				best = n
			}
		}
		if done == len(rows) || math.Abs(rows[best][c]) < 1e-9 {
			continue
		}
		rows[done], rows[best] = rows[best], rows[done]
		pivot := rows[done][c]
		for k := range rows[done] {
			rows[done][k] /= pivot
		}
		for n, r := range rows {
			if x := r[c]; n != done && x != 0 {
				for k := range r {
					if r[k] -= x * rows[done][k]; math.Abs(r[k]) < 1e-9 {
						r[k] = 0
					}
				}
			}
		}
		own[done] = c
		done++
	}
	return own
}

// null returns a basis of what the rows send to 0.
func (s *scalings) null() [][]float64 {
	all := make([]int, s.n)
	for k := range all {
		all[k] = k
	}
	own := reduce(s.rows, all)
	row := map[int]int{}
	for n, c := range own {
		if c >= 0 {
			row[c] = n
		}
	}
	var basis [][]float64
	for free := range s.n {
		if _, pivot := row[free]; pivot {
			continue
		}
		v := make([]float64, s.n)
		v[free] = 1
		for c, n := range row {
			v[c] = -s.rows[n][free]
		}
		basis = append(basis, v)
	}
	return basis
}

// Scale finds the inputs whose derivatives follow from those by the others, and says so of the components. Only inputs that are positive are such ones: their
// values are divided by.
func (s *Solution) Scale(c *Context) {
	if n := len(s.Decl.Ode.States); s.Outer == nil {
		s.relations(s.Rhs[:n], s.Init[:n])
	}
	for _, p := range s.Parts {
		if s.Integrated(p) {
			continue
		}
		if p.Given = s.given(c, p); holdsShared(p.Given) {
			s.Scaled = nil // what is too large to be written out is integrated
			break
		}
	}
	rows := [2]int{}
	for _, p := range s.Parts {
		kind := 1
		if s.Integrated(p) {
			kind, p.Given = 0, nil
		}
		p.Row = rows[kind]
		rows[kind]++
	}
}

// holdsShared reports whether an expression reads a shared definition, which no definition of a part may be.
func holdsShared(e *Expr) bool {
	found := false
	Refs(e, func(r *Expr) { found = found || r.Tensor.Kind == SharedTensor })
	return found
}

// relations finds the scalings.
func (s *Solution) relations(rhs, init []*Expr) {
	p, n := len(s.Inputs), len(rhs)
	x := &scalings{at: map[*Tensor]int{}, n: p + n + 1, ok: true}
	for k, u := range s.Inputs {
		x.at[u.Symbol] = k
	}
	for i, t := range s.States[:n] {
		x.at[t] = p + i
	}
	time := p + n
	unit := func(k int) []float64 {
		w := make([]float64, x.n)
		w[k] = 1
		return w
	}
	if s.Time != nil {
		x.at[s.Time] = time
		if !s.From.IsNum(0) {
			x.rows = append(x.rows, unit(time)) // the time is not the one since the start
		}
	}
	for i := range rhs {
		if !rhs[i].IsNum(0) {
			w := x.weight(rhs[i])
			w[time]++
			x.equal(w, unit(p+i))
		}
		if !init[i].IsNum(0) {
			x.equal(x.weight(init[i]), unit(p+i))
		}
	}
	if !x.ok {
		return
	}
	var columns []int
	for k, u := range s.Inputs {
		if u.Symbol.Positive {
			columns = append(columns, k)
		}
	}
	// One relation at most has the time in it, and gives the last of the inputs.
	basis := x.null()
	rest := basis
	if own := reduce(basis, []int{time}); len(own) > 0 && own[0] == time {
		rest = basis[1:]
	}
	s.Scaled = make([]*Scaling, p)
	for n, k := range reduce(rest, columns) {
		s.relate(k, rest[n], basis[:len(basis)-len(rest)])
	}
	for _, r := range basis[:len(basis)-len(rest)] {
		if k := largest(r, columns); k >= 0 {
			s.relate(k, r, nil)
		}
	}
}

// relate notes that a relation gives the derivatives by input k, −1 for none, and eliminates them from others.
func (s *Solution) relate(k int, relation []float64, others [][]float64) {
	if k < 0 {
		return
	}
	p := len(s.Inputs)
	r := &Scaling{Inputs: make([]float64, p), States: make([]float64, len(relation)-p-1)}
	for j, g := range relation {
		g /= relation[k]
		switch {
		case j < p:
			r.Inputs[j] = g
		case j < len(relation)-1:
			r.States[j-p] = g
		default:
			r.Time = g
		}
	}
	s.Scaled[k] = r
	for _, o := range others {
		for x, j := o[k], 0; j < len(o); j++ {
			o[j] -= x * relation[j] / relation[k]
		}
		o[k] = 0
	}
}

// largest is the column of the largest number in a row, −1 where there is none.
func largest(row []float64, columns []int) int {
	best, size := -1, 1e-9
	for _, c := range columns {
		if x := math.Abs(row[c]); x > size {
			best, size = c, x
		}
	}
	return best
}

// Scaling is a relation that gives the derivatives by an input: u ∂z_i/∂u = w_i z_i − τ (t − t₀) f_i − Σ g_k u_k ∂z_i/∂u_k over the others.
type Scaling struct {
	Inputs, States []float64 // g, of which that of the input itself is 1, and w
	Time           float64   // τ
}

// Integrated reports whether a component is integrated: it is a derivative by no input that a scaling gives.
func (s *Solution) Integrated(p *Part) bool {
	return !slices.ContainsFunc(p.By, func(k int) bool { return s.Scaled != nil && s.Scaled[k] != nil })
}

// given returns a component in terms of those that are integrated, at Index. With D the derivative by other inputs, that of the relation is
//
//	u D∂z/∂u = w Dz − τ (t − t₀) (Dz)' − Σ g_k D(u_k ∂z/∂u_k) − D(u ∂z/∂u) + u D∂z/∂u,
//
// where D(u_k ∂z/∂u_k) is u_k D∂z/∂u_k and, for each time that D has u_k, one of D without it, of ∂z/∂u_k.
func (s *Solution) given(c *Context, p *Part) *Expr {
	at := Sub{Index: s.Index}
	switch {
	case p.Given != nil:
		return p.Given
	case s.Integrated(p):
		return c.Ref(p.Tensor, at)
	}
	n := slices.IndexFunc(p.By, func(k int) bool { return s.Scaled[k] != nil })
	k, rest := p.By[n], slices.Delete(slices.Clone(p.By), n, n+1)
	part := func(by ...int) *Expr { return s.given(c, s.Part(p.Base, by...)) }
	r := s.Scaled[k]
	terms := []*Expr{c.Scale(r.States[p.Base], part(rest...))}
	if r.Time != 0 {
		since := c.Add(c.Ref(s.Times, at), c.Scale(-1, s.From))
		slope := c.Replace(s.Rhs[s.Part(p.Base, rest...).Pos], func(x *Expr) *Expr {
			if i := slices.Index(s.States, x.Tensor); i >= 0 {
				return s.given(c, s.Parts[i])
			}
			if x.Tensor == s.Time {
				return c.Ref(s.Times, at)
			}
			return x
		})
		terms = append(terms, c.Scale(-r.Time, c.Mul(since, slope)))
	}
	for j, g := range r.Inputs {
		if g == 0 {
			continue
		}
		for n, l := range rest {
			if l == j {
				terms = append(terms, c.Scale(-g, part(append(slices.Delete(slices.Clone(rest), n, n+1), j)...)))
			}
		}
		if j != k {
			terms = append(terms, c.Scale(-g, c.Mul(c.Ref(s.Inputs[j].Symbol), part(append(slices.Clone(rest), j)...))))
		}
	}
	return c.Div(c.Add(terms...), c.Ref(s.Inputs[k].Symbol))
}
