package expr

import (
	"slices"
)

// Fold rewrites sums over data into sufficient statistics, where every factor
// that carries the index is data: one evaluation then costs the same for any
// number of observations. The rules are
//
//	linear      Σ_i w_i (a_i + Σ_r D_ir h_r)   = Σ_i w_i (a_i + Σ_r D_ir ĥ_r) + Σ_r (h_r − ĥ_r) Σ_i w_i D_ir
//	squares     Σ_i w_i (a_i + Σ_r D_ir h_r)²  = ρ + |c + R (h − ĥ)|²,   w > 0
//	interchange Σ_i f_i Σ_j g_ij h_j           = Σ_j h_j Σ_i f_i g_ij
//	exponential Σ_i w_i exp(a_i + b)           = exp(b + ā) Σ_i w_i exp(a_i − ā),   ā the mean of a
//	logarithm   Σ_i w_i lmultiply(a_i, b)      = lmultiply(Σ_i w_i a_i, b)
//
// with w, a, D, f, g data, or known as early as the parameters of other blocks,
// and b, h free of i; r runs over scalars, one of which may have D = 1, and over the
// elements of vectors. ĥ, c, R and ρ are those of the least-squares fit, see
// Fit: sums of squares about anything else, such as the means, cancel as the
// square of the ratio of signal to noise, and linear ones about 0 as that ratio.
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
		r = c.inDefinition(e, func(body *Expr) *Expr { return c.fold(body, memo) })
	} else if e.Op == Sum {
		i, body := c.Open(e)
		body = c.Fold(body)
		r = c.foldSum(i, body)
		if r == nil {
			r = c.Sum(i, body)
		}
	} else {
		r = c.Rebuild(e, func(a *Expr) *Expr { return c.fold(a, memo) }, func(s Sub) Sub { return s })
	}
	memo[e] = r
	return r
}

// inDefinition is a reference to a shared definition with its body rewritten. That of an operator stays: its elements are no sums over data, and its arguments go to a kernel as they are.
func (c *Context) inDefinition(e *Expr, rewrite func(body *Expr) *Expr) *Expr {
	d := e.Tensor.Def
	if d.Body.Op == Apply || e.Tensor.Atom {
		return e
	}
	if body := rewrite(d.Body); body != d.Body {
		return c.SubstAll(c.Operand(body), d.Indices, e.Subs)
	}
	return e
}

// foldSum applies the first rule that fits Σ_i body, or returns nil.
func (c *Context) foldSum(i *Index, body *Expr) *Expr {
	if body.Op != Mul {
		body = c.Intern(Expr{Op: Mul, Val: 1, K: []float64{1}, Args: []*Expr{body}})
	}
	// Exactly one factor may mix data that carry i with later stages.
	mixed := -1
	for n, f := range body.Args {
		if f.HasFree(i) && f.stage >= StagePosition {
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
	if isPlus(f) && k == 1 {
		f = c.Add(f.Args...)
	}
	if x := c.body(f); x != nil && x.Op == Add && (k == 1 || k == 2) {
		f = x
	}
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
			case !g.HasFree(i):
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
			if x, y := f.Args[0], f.Args[1]; k == 1 && x.stage < StagePosition && !y.HasFree(i) {
				return c.Call(f.Func.Name, c.Sum(i, c.Mul(w, x)), y)
			}
		}
	case Add:
		if k == 2 {
			return c.foldSquare(i, w, f)
		}
		if k == 1 {
			return c.foldTerms(i, w, f)
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
		case !t.HasFree(i):
			free = c.Add(free, term)
		case t.stage < StagePosition:
			carries = c.Add(carries, term)
		default:
			return nil
		}
	}
	if !DependsOnCoords(free) {
		return nil
	}
	// About the mean of what carries i, neither factor overflows or vanishes
	// where the terms do not.
	count := c.Size(i.Range)
	if c.Sign(count) != Positive {
		// A range such as 2..n may be empty: its mean is 0 then.
		count = c.Add(count, c.Sub(c.Number(1), c.Within(Sub{At: i.Range.Lo}, i.Range)))
	}
	mean := c.Div(c.Sum(i, carries), count)
	exp := func(x *Expr) *Expr { return c.Call("exp", c.Scale(k, x)) }
	return c.Mul(exp(c.Add(free, mean)), c.Sum(i, c.Mul(w, exp(c.Sub(carries, mean)))))
}

// foldTerms folds Σ_i w_i Σ_k t_k: the terms that are affine in data together, but each
// that is a residual by itself and each of the others alone; nil if one does not fold.
func (c *Context) foldTerms(i *Index, w, f *Expr) *Expr {
	total := c.Number(0)
	var all affine
	all.add(c, 1, affine{early: c.Number(f.Val)})
	for n, t := range f.Args {
		term := c.Scale(f.K[n], t)
		x, ok := c.affine(i, term)
		var folded *Expr
		switch {
		case ok && (x.constant() == nil || !x.early.HasFree(i)):
			all.add(c, 1, x)
			continue
		case isPlus(t) || t.Op == Mul:
			folded = c.foldSum(i, c.Mul(w, term))
		}
		if folded == nil {
			return nil
		}
		total = c.Add(total, folded)
	}
	folded := c.foldLinear(i, w, all)
	if folded == nil {
		return nil
	}
	return c.Add(total, folded)
}

// affine is a_i + Σ_r D_ir h_r, where a and D are known before the position.
type affine struct {
	early *Expr
	regs  []regressor
}

// regressor is one term D_i·h of an affine function of the index i, or
// Σ_j D_ij·h_j with its own index j.
type regressor struct {
	j          *Index // nil for a scalar
	data, coef *Expr
}

// add adds k·x.
func (a *affine) add(c *Context, k float64, x affine) {
	if a.early == nil {
		a.early = c.Number(0)
	}
	a.early = c.Add(a.early, c.Scale(k, x.early))
	for _, r := range x.regs {
		r.coef = c.Scale(k, r.coef)
		same := slices.IndexFunc(a.regs, func(o regressor) bool { return o.j == nil && r.j == nil && o.data == r.data })
		if same < 0 {
			a.regs = append(a.regs, r)
			continue
		}
		a.regs[same].coef = c.Add(a.regs[same].coef, r.coef)
	}
}

// constant returns the coefficient of the column of ones; nil if there is none.
func (a *affine) constant() *Expr {
	for _, r := range a.regs {
		if r.j == nil && r.data.IsNum(1) {
			return r.coef
		}
	}
	return nil
}

// width is the number of columns but for the constant one, for the cost model.
func (a *affine) width(c *Context) (width float64) {
	for _, r := range a.regs {
		switch {
		case r.j != nil:
			width += c.Nominal(r.j.Range)
		case !r.data.IsNum(1):
			width++
		}
	}
	return width
}

// affine writes e as an affine function of data that carry i.
func (c *Context) affine(i *Index, e *Expr) (a affine, ok bool) {
	one := c.Number(1)
	switch {
	case e.stage < StagePosition:
		return affine{early: e}, true
	case !e.HasFree(i):
		// What is known early of a coefficient belongs to the response:
		// added to the centre of the fit, it would round that.
		late, early := c.splitEarly(e)
		return affine{early: early, regs: []regressor{{data: one, coef: late}}}, true
	case e.Op == Add:
		a.early = c.Number(e.Val)
		for n, t := range e.Args {
			x, ok := c.affine(i, t)
			if !ok {
				return a, false
			}
			a.add(c, e.K[n], x)
		}
		return a, true
	case isPlus(e):
		return c.affine(i, c.Add(e.Args...))
	case c.body(e) != nil:
		return c.affine(i, c.body(e))
	}
	x := product{c: c, i: i, regressor: regressor{data: one, coef: one}}
	if !x.split(e, 1) || x.inner != nil && x.j != nil {
		return a, false
	}
	if x.inner == nil {
		late, early := c.splitEarly(x.coef)
		return affine{early: c.SumOver(x.j, c.Mul(early, x.data)), regs: []regressor{{x.j, x.data, late}}}, true
	}
	return c.affineProduct(i, x.regressor, x.inner)
}

// product is one that is being written as a regressor over i, also under the sum over j, times one sum among its factors at
// most.
type product struct {
	c *Context
	i *Index
	regressor
	inner *Expr
}

// split multiplies by e^k; it fails where that leaves the form.
func (x *product) split(e *Expr, k float64) bool {
	c := x.c
	switch {
	case !e.HasFree(x.i):
		x.coef = c.Mul(x.coef, c.Pow(e, k))
	case e.stage < StagePosition:
		x.data = c.Mul(x.data, c.Pow(e, k))
	case e.Op == Mul && k == 1:
		x.coef = c.Scale(e.Val, x.coef)
		for n, f := range e.Args {
			if !x.split(f, e.K[n]) {
				return false
			}
		}
	case e.Op == Sum && k == 1 && x.j == nil && x.inner == nil:
		j, body := c.Open(e)
		x.j = j
		return x.split(body, 1)
	case (e.Op == Add || isPlus(e)) && k == 1 && x.j == nil && x.inner == nil:
		x.inner = e
	default:
		return false
	}
	return true
}

// affineProduct writes the product of a regressor and a sum as an affine function of data that carry i.
func (c *Context) affineProduct(i *Index, r regressor, inner *Expr) (a affine, ok bool) {
	one := c.Number(1)
	x, ok := c.affine(i, inner)
	if !ok {
		return a, false
	}
	// h·(a_i + g) is h·(a_i − ā) + h·(ā + g) where ā is the mean: neither loses digits
	// of a residual.
	var centre *Expr
	if g := x.constant(); g != nil && x.early.HasFree(i) && r.coef.stage >= StagePosition {
		f, sign, outer, ok := c.fitOf(i, one, x.early, []regressor{{data: one}})
		if !ok {
			return a, false
		}
		centre = c.Scale(-sign, c.fitPart(f, FitCentre, 0, 0, outer))
		x.early = c.Sub(x.early, centre)
	}
	a.early = c.Number(0)
	if r.coef.stage < StagePosition {
		a.early = c.Mul(r.coef, r.data, x.early)
	} else {
		a.add(c, 1, affine{c.Number(0), []regressor{{nil, c.Mul(r.data, x.early), r.coef}}})
	}
	for _, y := range x.regs {
		h := y.coef
		if centre != nil && y.j == nil && y.data.IsNum(1) {
			h = c.Add(h, centre)
		}
		a.add(c, 1, affine{c.Number(0), []regressor{{y.j, c.Mul(r.data, y.data), c.Mul(r.coef, h)}}})
	}
	return a, true
}

// body returns what a reference to a shared definition stands for; nil if e is none.
func (c *Context) body(e *Expr) *Expr {
	if e.Op != Ref || e.Tensor.Kind != SharedTensor || e.Tensor.Def.Body.Op == Apply || e.Tensor.Atom {
		return nil
	}
	return c.SubstAll(e.Tensor.Def.Body, e.Tensor.Def.Indices, e.Subs)
}

// isPlus reports whether e is a sum whose order rules have fixed.
func isPlus(e *Expr) bool { return e.Op == Call && e.Func.Name == "plus" }

// foldLinear folds Σ_i w_i (a_i + Σ_r D_ir h_r), by the rule `linear`; nil where there is
// no fit.
func (c *Context) foldLinear(i *Index, w *Expr, x affine) *Expr {
	sum := func(h func(n int) *Expr) *Expr {
		total := c.Number(0)
		for n, r := range x.regs {
			j := r.j
			total = c.Add(total, c.SumOver(j, c.Mul(h(n), c.Sum(i, c.Mul(w, r.data)))))
		}
		return total
	}
	if x.constant() == nil || !x.early.HasFree(i) {
		// No residuals: there is nothing to cancel with a.
		return c.Add(c.Sum(i, c.Mul(w, x.early)), sum(func(n int) *Expr { return x.regs[n].coef }))
	}
	columns := x.regs
	if x.width(c) >= c.Nominal(i.Range) {
		columns = []regressor{{data: c.Number(1)}} // a fit to them all would be exact, and cost too much
	}
	f, sign, outer, ok := c.fitOf(i, c.Number(1), x.early, columns)
	if !ok {
		return nil
	}
	centre := func(n int) *Expr {
		switch {
		case len(columns) == len(x.regs):
		case x.regs[n].j == nil && x.regs[n].data.IsNum(1):
			n = 0
		default:
			return c.Number(0)
		}
		return c.Scale(sign, c.fitPart(f, FitCentre, n, 0, outer, columns[n].j))
	}
	rest := x.early
	for n, r := range x.regs {
		rest = c.Add(rest, c.SumOver(r.j, c.Mul(r.data, centre(n))))
	}
	return c.Add(c.Sum(i, c.Mul(w, rest)), sum(func(n int) *Expr { return c.difference(x.regs[n].coef, centre(n)) }))
}

// difference returns h − centre, where the terms of h that hold residuals meet the
// centre last: μ + φ·(ȳ − μ) rounds at the size of ȳ, and μ − ĥ does not.
func (c *Context) difference(h, centre *Expr) *Expr {
	lead, rest := c.lead(h)
	if rest.IsNum(0) && h.Op == Add {
		lead, rest = c.splitTerm(h, 0)
	}
	d := c.Call("plus", lead, c.Neg(centre))
	if rest.IsNum(0) {
		return d
	}
	return c.Call("plus", d, rest)
}

// lead splits off the first term of a coefficient, if it has terms that hold residuals, such as
// φ·(ȳ − μ), and others.
func (c *Context) lead(h *Expr) (lead, rest *Expr) {
	if h.Op != Add {
		return h, c.Number(0)
	}
	first, residual := -1, false
	for n, t := range h.Args {
		switch {
		case t.Op == Mul && slices.ContainsFunc(t.Args, isResidual):
			residual = true
		case first < 0:
			first = n
		}
	}
	if first < 0 || !residual {
		return h, c.Number(0)
	}
	return c.splitTerm(h, first)
}

// splitTerm splits one term off a sum.
func (c *Context) splitTerm(e *Expr, n int) (term, rest *Expr) {
	return c.Scale(e.K[n], e.Args[n]), c.Linear(e.Val, without(e.K, n), without(e.Args, n))
}

// isResidual reports whether e is a difference from the centre of a fit.
func isResidual(e *Expr) bool {
	return e.Op == Add && slices.ContainsFunc(e.Args, func(t *Expr) bool {
		return t.Op == Ref && t.Tensor.Def != nil && t.Tensor.Def.Fit != nil
	})
}

// foldSquare folds Σ_i w_i f_i² for an affine f, by the rule `squares`; nil if f
// is not affine in data, or where that costs more.
func (c *Context) foldSquare(i *Index, w, f *Expr) *Expr {
	if c.Sign(w) != Positive {
		return nil // there is no fit with weights of both signs
	}
	x, ok := c.affine(i, f)
	if !ok {
		return nil
	}
	x.regs = slices.DeleteFunc(x.regs, func(r regressor) bool { return r.coef.IsNum(0) })
	if h := x.constant(); len(x.regs) == 1 && h != nil && (!DependsOnCoords(h) || x.early.IsNum(0)) {
		return nil
	}
	scalars := 0
	for _, r := range x.regs {
		if r.j == nil {
			scalars++
		}
	}
	if len(x.regs) == 0 || x.width(c) >= c.Nominal(i.Range) || scalars > maxScalars {
		return nil // k² products of coefficients cost more than n·k, and those of scalars are written out
	}
	// The constant column is the first.
	slices.SortStableFunc(x.regs, func(a, b regressor) int {
		first := func(r regressor) int {
			if r.j == nil && r.data.IsNum(1) {
				return 0
			}
			return 1
		}
		return first(a) - first(b)
	})
	return c.fitSquare(i, w, x.early, x.regs)
}

// maxScalars is the number of columns with scalar coefficients up to which a sum of squares is
// folded.
const maxScalars = 12

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

// Permute calls f with every order of 0..n−1, in lexicographic order.
func Permute(n int, f func([]int)) {
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

// ByCoefficient gathers the terms of a sum that differ only in factors of
// data: a·t² + b·t² becomes (a + b)·t².
func (c *Context) ByCoefficient(e *Expr) *Expr {
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
		e = c.Intern(Expr{Op: Add, K: []float64{1}, Args: []*Expr{e}})
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
