package expr

// Diff returns ∂e/∂t[at], the derivative by one element of a tensor, with
// Kronecker deltas where t stands with other subscripts. Tensors other than t
// count as independent of it.
func (c *Context) Diff(e *Expr, t *Tensor, at ...Sub) *Expr {
	if e.stage < t.Stage {
		return c.nought() // known before t
	}
	if len(at) > 0 {
		return c.diff(e, t, at, map[*Expr]*Expr{})
	}
	key := scalarKey{e, t, c.Apart}
	r, ok := c.diffs[key]
	if !ok {
		r = c.diff(e, t, at, map[*Expr]*Expr{})
		c.diffs[key] = r
	}
	return r
}

// nought is the number 0, which most derivatives are: it is not looked up each time.
func (c *Context) nought() *Expr {
	if c.zero == nil {
		c.zero = c.Number(0)
	}
	return c.zero
}

type scalarKey struct {
	of     *Expr
	by     *Tensor
	opaque bool
}

func (c *Context) diff(e *Expr, t *Tensor, at []Sub, memo map[*Expr]*Expr) *Expr {
	if e.stage < t.Stage {
		return c.nought()
	}
	if r, ok := memo[e]; ok {
		return r
	}
	c.look(len(e.Args))
	r := c.nought()
	switch e.Op {
	case Ref:
		if e.Tensor == t {
			r = c.Number(1)
			for i, s := range e.Subs {
				r = c.Mul(r, c.Delta(s, at[i]))
			}
		}
		if e.Tensor.unknown() {
			r = e // and so is its own derivative
		}
		if e.Tensor.Kind == SharedTensor {
			r = c.sharedDiff(e, t, at)
		}
		if e.Tensor.Kind == RecursionTensor && e.Tensor != t {
			r = c.recursionDiff(e, t, at)
		}
		if part := e.Tensor.Part; part != nil && t.Part == nil && !c.Apart {
			// ∂s/∂q = Σ_k ∂s/∂u_k ∂u_k/∂q over the inputs u of the family.
			terms := []*Expr{}
			for k, u := range part.Of.Inputs {
				if d := c.diff(part.Of.RawAt(c, u, e.Subs), t, at, memo); !d.IsNum(0) {
					terms = append(terms, c.Mul(part.Derivative(c, k, e.Subs), d))
				}
			}
			r = c.Add(terms...)
		}
	case Add:
		args := make([]*Expr, len(e.Args))
		for i, a := range e.Args {
			args[i] = c.diff(a, t, at, memo)
		}
		r = c.Linear(0, e.K, args)
	case Mul:
		r = c.Add(c.diffFactors(e, t, at, memo)...)
	case Call:
		if e.Func.Name == "select" { // what is not chosen may have no derivative there
			r = c.chosen(e.Args[0], c.diff(e.Args[1], t, at, memo), c.diff(e.Args[2], t, at, memo))
			break
		}
		terms := make([]*Expr, 0, len(e.Args))
		for i, a := range e.Args {
			d := c.diff(a, t, at, memo)
			if d.IsNum(0) {
				continue
			}
			terms = append(terms, c.Mul(c.Partial(e, i), d))
		}
		r = c.Add(terms...)
	case Sum:
		i, body := c.Open(e)
		r = c.diffSum(i, body, t, at)
	}
	memo[e] = r
	return r
}

// Partial returns ∂f/∂x_i of a call f(x…), or what stands for a derivative that is not known if the table has none.
func (c *Context) Partial(e *Expr, i int) *Expr {
	if e.Func.Partials == nil || e.Func.Partials[i] == "" {
		return c.notDifferentiable(nil)
	}
	return c.Formula(e.Func.Partials[i], e.Args)
}

// Coordinates returns the coordinates that e depends on.
func Coordinates(e *Expr) map[*Tensor]bool {
	found := map[*Tensor]bool{}
	Search(e, StagePosition, func(e *Expr) bool {
		if e.Op == Ref && e.Tensor.Kind == CoordTensor {
			found[e.Tensor] = true
		}
		return false
	})
	return found
}

// diffFactors returns the derivatives of a product by its factors, those that are not 0.
func (c *Context) diffFactors(e *Expr, t *Tensor, at []Sub, memo map[*Expr]*Expr) []*Expr {
	terms := make([]*Expr, 0, len(e.Args))
	for i, a := range e.Args {
		d := c.diff(a, t, at, memo)
		if d.IsNum(0) {
			continue
		}
		k := append([]float64(nil), e.K...)
		k[i]--
		terms = append(terms, c.Mul(c.Product(c.arithmetic.times(e.Val, e.K[i]), k, e.Args), d))
	}
	return terms
}

// diffSum returns the derivative of Σ_i body. That of a product of residuals,
// Σ (y − a)(z − a), is Σ (a − y) + Σ (a − z): in 2a − y − z they would cancel less well.
func (c *Context) diffSum(i *Index, body *Expr, t *Tensor, at []Sub) *Expr {
	if body.Op == Mul {
		terms := c.diffFactors(body, t, at, map[*Expr]*Expr{})
		residuals := 0
		for _, x := range terms {
			if x.Op == Add && !x.called && x.HasFree(i) {
				residuals++
			}
		}
		if residuals > 1 {
			for n, x := range terms {
				terms[n] = c.Sum(i, x)
			}
			return c.Add(terms...)
		}
	}
	return c.Sum(i, c.Diff(body, t, at...))
}

// Mentions reports whether e contains an element of t.
func Mentions(e *Expr, t *Tensor) bool {
	return Search(e, StageConst, func(e *Expr) bool { return e.Op == Ref && e.Tensor == t })
}
