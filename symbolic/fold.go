package symbolic

import (
	"math"

	"github.com/hamc-dev/hamc/dsl"
)

// Fold rewrites sums over data into sufficient statistics, where every factor
// that carries the index is data: one evaluation then costs the same for any
// number of observations. The rules are
//
//	linear      Σ_i w_i (a_i + b)              = Σ w a + b Σ w
//	squares     Σ_i w_i (a_i + Σ_r D_ir h_r)²  = ρ + |c + R (h − ĥ)|²,   w > 0
//	interchange Σ_i f_i Σ_j g_ij h_j           = Σ_j h_j Σ_i f_i g_ij
//	exponential Σ_i w_i exp(a_i + b)           = exp(b + ā) Σ_i w_i exp(a_i − ā),   ā the mean of a
//	logarithm   Σ_i w_i lmultiply(a_i, b)      = lmultiply(Σ_i w_i a_i, b)
//
// with w, a, D, f, g data, or known as early as the parameters of other blocks,
// and b, h free of i; r runs over scalars, one of which may have D = 1, and over the
// elements of vectors. ĥ, c, R and ρ are those of the least-squares fit, see
// Fit: sums of squares about anything else, such as the means, cancel as the
// square of the ratio of signal to noise.
func (c *Context) Fold(e *Expr) *Expr { return c.fold(e, map[*Expr]*Expr{}) }

func (c *Context) fold(e *Expr, memo map[*Expr]*Expr) *Expr {
	if e.stage < StagePosition {
		return e
	}
	if r, ok := memo[e]; ok {
		return r
	}
	var r *Expr
	if e.Op == Ref && e.Tensor.Kind == SharedTensor {
		d := e.Tensor.Def
		r = e
		if body := c.fold(d.Body, memo); body != d.Body {
			r = c.substAll(c.operand(body), d.Indices, e.Subs)
		}
	} else if e.Op == Sum {
		i, body := c.Open(e)
		body = c.Fold(body)
		r = c.foldSum(i, body)
		if r == nil {
			r = c.Sum(i, body)
		}
	} else {
		r = c.rebuild(e, func(a *Expr) *Expr { return c.fold(a, memo) }, func(s Sub) Sub { return s })
	}
	memo[e] = r
	return r
}

// foldSum applies the first rule that fits Σ_i body, or returns nil.
func (c *Context) foldSum(i *Index, body *Expr) *Expr {
	if body.Op != Mul {
		body = c.intern(Expr{Op: Mul, Val: 1, K: []float64{1}, Args: []*Expr{body}})
	}
	// Exactly one factor may mix data that carry i with later stages.
	mixed := -1
	for n, f := range body.Args {
		if f.hasFree(i) && f.stage >= StagePosition {
			if mixed >= 0 {
				return nil
			}
			mixed = n
		}
	}
	if mixed < 0 {
		return nil
	}
	f, k := body.Args[mixed], body.K[mixed]
	w := c.Product(body.Val, without(body.K, mixed), without(body.Args, mixed))
	switch f.Op {
	case Sum:
		if k != 1 {
			return nil
		}
		j, inner := c.Open(f)
		var dataK, restK []float64
		var data, rest []*Expr
		args, ks, val := []*Expr{inner}, []float64{1}, 1.0
		if inner.Op == Mul {
			args, ks, val = inner.Args, inner.K, inner.Val
		}
		for n, g := range args {
			switch {
			case !g.hasFree(i):
				restK, rest = append(restK, ks[n]), append(rest, g)
			case g.stage >= StagePosition:
				return nil
			default:
				dataK, data = append(dataK, ks[n]), append(data, g)
			}
		}
		sum := c.Sum(i, c.Mul(w, c.Product(val, dataK, data)))
		return c.Sum(j, c.Mul(c.Product(1, restK, rest), sum))
	case Call:
		switch f.Func.Name {
		case "exp":
			return c.foldExp(i, w, f.Args[0], k)
		case "lmultiply", "lmultiply_1p":
			if x, y := f.Args[0], f.Args[1]; k == 1 && x.stage < StagePosition && !y.hasFree(i) {
				return c.Call(f.Func.Name, c.Sum(i, c.Mul(w, x)), y)
			}
		}
	case Add:
		if k == 2 {
			return c.foldSquare(i, w, f)
		}
		a, b := c.Number(0), c.Number(f.Val)
		for n, t := range f.Args {
			term := c.Scale(f.K[n], t)
			switch {
			case !t.hasFree(i):
				b = c.Add(b, term)
			case t.stage < StagePosition:
				a = c.Add(a, term)
			default:
				// A product or a sum that carries i may fold alone.
				if k != 1 {
					return nil
				}
				folded := c.foldSum(i, c.Mul(w, term))
				if folded == nil {
					folded = c.separate(i, c.Mul(w, term))
				}
				if folded == nil {
					return nil
				}
				rest := c.Linear(f.Val, without(f.K, n), without(f.Args, n))
				other := c.Mul(w, rest)
				if r := c.foldSum(i, other); r != nil {
					return c.Add(folded, r)
				}
				return c.Add(folded, c.Sum(i, other))
			}
		}
		if !dependsOnCoords(b) || a.IsNum(0) {
			return nil
		}
		if k == 1 {
			return c.Add(c.Sum(i, c.Mul(w, a)), c.Mul(b, c.Sum(i, w)))
		}
	}
	return nil
}

// foldExp folds Σ_i w_i exp(k·e_i) where the terms of e that carry i are known
// early, and nil otherwise.
func (c *Context) foldExp(i *Index, w, e *Expr, k float64) *Expr {
	if e.Op != Add {
		return nil
	}
	carries, free := c.Number(0), c.Number(e.Val)
	for n, t := range e.Args {
		term := c.Scale(e.K[n], t)
		switch {
		case !t.hasFree(i):
			free = c.Add(free, term)
		case t.stage < StagePosition:
			carries = c.Add(carries, term)
		default:
			return nil
		}
	}
	if !dependsOnCoords(free) {
		return nil
	}
	// About the mean of what carries i, neither factor overflows or vanishes
	// where the terms do not.
	count := c.Size(i.Range)
	if c.Sign(count) != Positive {
		// A range such as 2..n may be empty: its mean is 0 then.
		count = c.Add(count, c.Sub(c.Number(1), c.within(Sub{At: i.Range.Lo}, i.Range)))
	}
	mean := c.Div(c.Sum(i, carries), count)
	exp := func(x *Expr) *Expr { return c.Call("exp", c.Scale(k, x)) }
	return c.Mul(exp(c.Add(free, mean)), c.Sum(i, c.Mul(w, exp(c.Sub(carries, mean)))))
}

// regressor is one term D_i·h of an affine function of the index i, or
// Σ_j D_ij·h_j with its own index j.
type regressor struct {
	j          *Index // nil for a scalar
	data, coef *Expr
}

// regressor splits a term that carries i and depends on the coordinates.
func (c *Context) regressor(i *Index, t *Expr) (r regressor, ok bool) {
	one := c.Number(1)
	r = regressor{data: one, coef: one}
	var split func(e *Expr, k float64) bool
	split = func(e *Expr, k float64) bool {
		switch {
		case !e.hasFree(i):
			r.coef = c.Mul(r.coef, c.Pow(e, k))
		case e.stage < StagePosition:
			r.data = c.Mul(r.data, c.Pow(e, k))
		case e.Op == Mul && k == 1:
			r.coef = c.Scale(e.Val, r.coef)
			for n, f := range e.Args {
				if !split(f, e.K[n]) {
					return false
				}
			}
		case e.Op == Sum && k == 1 && r.j == nil:
			j, body := c.Open(e)
			r.j = j
			return split(body, 1)
		default:
			return false
		}
		return true
	}
	return r, split(t, 1)
}

// foldSquare folds Σ_i w_i f_i² for an affine f, by the rule `squares`; nil if f
// is not affine in data, or where that costs more.
func (c *Context) foldSquare(i *Index, w, f *Expr) *Expr {
	if c.Sign(w) != Positive {
		return nil // there is no fit with weights of both signs
	}
	a, b := c.Number(0), c.Number(f.Val)
	var regs []regressor
	width := 0.0
	for n, t := range f.Args {
		term := c.Scale(f.K[n], t)
		switch {
		case !t.hasFree(i):
			b = c.Add(b, term)
		case t.stage < StagePosition:
			a = c.Add(a, term)
		default:
			r, ok := c.regressor(i, term)
			if !ok {
				return nil
			}
			// What is known early of a coefficient belongs to the response:
			// added to the centre of the fit, it would round that.
			late, early := c.splitEarly(r.coef)
			a = c.Add(a, c.sumOver(r.j, c.Mul(early, r.data)))
			r.coef = late
			regs = append(regs, r)
			if r.j == nil {
				width++
			} else {
				width += c.nominal(r.j.Range)
			}
		}
	}
	late, early := c.splitEarly(b)
	a = c.Add(a, early)
	switch {
	case len(regs) == 0 && (!dependsOnCoords(late) || a.IsNum(0)):
		return nil
	case width >= c.nominal(i.Range):
		return nil // k² products of coefficients cost more than n·k
	}
	if !late.IsNum(0) {
		regs = append([]regressor{{data: c.Number(1), coef: late}}, regs...)
	}
	return c.fitSquare(i, w, a, regs)
}

// splitEarly writes a sum as the terms that depend on the position and those
// that are known before.
func (c *Context) splitEarly(e *Expr) (late, early *Expr) {
	switch {
	case e.stage < StagePosition:
		return c.Number(0), e
	case e.Op != Add:
		return e, c.Number(0)
	}
	late, early = c.Number(0), c.Number(e.Val)
	for n, t := range e.Args {
		if t.stage < StagePosition {
			early = c.Add(early, c.Scale(e.K[n], t))
		} else {
			late = c.Add(late, c.Scale(e.K[n], t))
		}
	}
	return late, early
}

// nominal is the size of a range for the cost model where data decide it: that
// of a parameter's dimension counts as small.
func (c *Context) nominal(r dsl.Range) float64 {
	switch {
	case r.Hi.IsConst() && r.Lo.IsConst():
		return float64(max(1, r.Hi.Offset-r.Lo.Offset+1))
	case c.small[r.Hi.Name]:
		return 10
	case c.long[r.Hi.Name]:
		return 500 // fewer than the data, if there are others
	}
	return 1000
}

// separate returns Σ_i of a product whose factors that carry i are all data.
func (c *Context) separate(i *Index, e *Expr) *Expr {
	if e.Op != Mul {
		return nil
	}
	for _, f := range e.Args {
		if f.hasFree(i) && f.stage >= StagePosition {
			return nil
		}
	}
	return c.Sum(i, e)
}

// reorder chooses, for nested sums of one product, the order of the sums that
// costs least: Σ_jl W_jl Σ_i λ_i x_ij x_il becomes Σ_i λ_i Σ_j x_ij Σ_l W_jl x_il.
func (p *Program) reorder(e *Expr) *Expr { return p.reordered(e, map[*Expr]*Expr{}) }

func (p *Program) reordered(e *Expr, memo map[*Expr]*Expr) *Expr {
	if len(e.Args) == 0 {
		return e
	}
	if r, ok := memo[e]; ok {
		return r
	}
	r := p.reorderNode(e, memo)
	memo[e] = r
	return r
}

func (p *Program) reorderNode(e *Expr, memo map[*Expr]*Expr) *Expr {
	c := p.c
	switch e.Op {
	case Sum:
		var indices []*Index
		factors := p.flatten(e, &indices)
		if len(indices) < 2 || len(indices) > 5 {
			i, body := c.Open(e)
			return c.Sum(i, p.reordered(body, memo))
		}
		for n := range factors {
			if factors[n].e.Op != Sum {
				factors[n].e = p.reordered(factors[n].e, memo)
			}
		}
		ks, es := make([]float64, len(factors)), make([]*Expr, len(factors))
		for n, f := range factors {
			ks[n], es[n] = f.k, f.e
		}
		var best *Expr
		least := math.Inf(1)
		permute(len(indices), func(order []int) {
			r := c.Product(1, ks, es)
			for n := len(order) - 1; n >= 0; n-- {
				r = c.Sum(indices[order[n]], r)
			}
			if cost := p.nominalCost(r); cost < least {
				best, least = r, cost
			}
		})
		return best
	}
	return c.rebuild(e, func(a *Expr) *Expr { return p.reordered(a, memo) }, func(s Sub) Sub { return s })
}

// flatten opens nested sums of products into one list of factors.
func (p *Program) flatten(e *Expr, indices *[]*Index) []addend {
	i, body := p.c.Open(e)
	*indices = append(*indices, i)
	args, ks := []*Expr{body}, []float64{1}
	var out []addend
	if body.Op == Mul {
		args, ks = body.Args, body.K
		if body.Val != 1 {
			out = append(out, addend{p.c.Number(body.Val), 1})
		}
	}
	for n, a := range args {
		if a.Op == Sum && ks[n] == 1 {
			out = append(out, p.flatten(a, indices)...)
			continue
		}
		out = append(out, addend{a, ks[n]})
	}
	return out
}

// permute calls f with every order of 0..n−1, in lexicographic order.
func permute(n int, f func([]int)) {
	order := make([]int, 0, n)
	used := make([]bool, n)
	var rec func()
	rec = func() {
		if len(order) == n {
			f(order)
			return
		}
		for i := 0; i < n; i++ {
			if !used[i] {
				used[i] = true
				order = append(order, i)
				rec()
				order = order[:len(order)-1]
				used[i] = false
			}
		}
	}
	rec()
}

// Cheaper returns the form of a scalar that costs least once data are known:
// as it stands, factored, or as a polynomial in the coordinates and momenta
// with data coefficients, which are then computed once.
func (p *Program) Cheaper(e *Expr) *Expr {
	best, least := e, p.lateCost(e)
	for _, x := range []*Expr{p.c.Collect(e), p.c.byCoefficient(p.c.Expand(e))} {
		if cost := p.lateCost(x); cost < least {
			best, least = x, cost
		}
	}
	return best
}

// lateCost counts the operations of e that do not belong to the data stage, as
// Lower would leave them.
func (p *Program) lateCost(e *Expr) float64 {
	seen := map[*Expr]bool{}
	total := 0.0
	var walk func(*Expr)
	walk = func(e *Expr) {
		if seen[e] || e.stage < StagePosition {
			return
		}
		seen[e] = true
		if e.Op == Add || e.Op == Mul {
			early := 0.0
			if e.Op == Mul && e.Val != 1 && e.Val != -1 || e.Op == Add && e.Val != 0 {
				early = 1
			}
			for n, a := range e.Args {
				if a.stage < StagePosition {
					early = 1 // all data factors become one
					continue
				}
				total++
				if e.Op == Mul && e.K[n] == 2 {
					total++
				}
				if e.Op == Mul && e.K[n] < 0 {
					total += 8
				}
			}
			total += early - 1
		} else if e.Op == Call {
			total += e.Func.Cost
		}
		for _, a := range e.Args {
			walk(a)
		}
	}
	walk(e)
	return total
}

// byCoefficient gathers the terms of a sum that differ only in factors of
// data: a·t² + b·t² becomes (a + b)·t².
func (c *Context) byCoefficient(e *Expr) *Expr {
	total := c.Number(0)
	for _, m := range c.Monomials(e, func(f *Expr) bool { return f.stage < StagePosition }) {
		total = c.Add(total, c.Mul(m.Coefficient, m.Of))
	}
	return total
}

// Monomial is one term of a sum, split in two factors.
type Monomial struct{ Coefficient, Of *Expr }

// Monomials writes a sum as Σ coefficient·monomial, with the factors for which
// early holds in the coefficients. Coefficients are multiplied out, so that
// what cancels does so exactly.
func (c *Context) Monomials(e *Expr, early func(*Expr) bool) []Monomial {
	if e.Op != Add {
		e = c.intern(Expr{Op: Add, K: []float64{1}, Args: []*Expr{e}})
	}
	one := c.Number(1)
	var order []*Expr
	coef := map[*Expr]*Expr{}
	put := func(rest, by *Expr) {
		if coef[rest] == nil {
			order = append(order, rest)
			coef[rest] = c.Number(0)
		}
		coef[rest] = c.Add(coef[rest], by)
	}
	for n, t := range e.Args {
		by, rest := c.Number(e.K[n]), one
		args, ks := []*Expr{t}, []float64{1}
		if t.Op == Mul {
			args, ks = t.Args, t.K
			by = c.Scale(t.Val, by)
		}
		for m, f := range args {
			x := c.Pow(f, ks[m])
			if early(f) {
				by = c.Mul(by, x)
			} else {
				rest = c.Mul(rest, x)
			}
		}
		put(rest, by)
	}
	if e.Val != 0 {
		put(one, c.Number(e.Val))
	}
	out := make([]Monomial, 0, len(order))
	for _, r := range order {
		if k := c.Expand(coef[r]); !k.IsNum(0) {
			out = append(out, Monomial{k, r})
		}
	}
	return out
}
