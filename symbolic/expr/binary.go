package expr

// JoinBinary takes one logarithm of the probability of what was seen in the place of two, of which one counts:
//
//	Σ_i w_i lmultiply(y_i, p_i) + Σ_i w_i lmultiply_1p(1 − y_i, −p_i) = Σ_i w_i log_chance(y_i, p_i),
//
// where the y are data that are 0 or 1, and log_chance(1, p) = log p, log_chance(0, p) = log (1 − p). It has nothing to choose by, so that the logarithms of an
// array go to a kernel, and one division makes the derivative. The value at y = 0 is exact to the rounding of 1 − p, an absolute error of 10⁻¹⁶ for each observation.
// Probabilities of groups of observations stay: their logarithms are taken once for each group.
func (c *Context) JoinBinary(e *Expr) *Expr { return c.joinBinary(e, map[*Expr]*Expr{}) }

func (c *Context) joinBinary(e *Expr, memo map[*Expr]*Expr) *Expr {
	if e.stage < StagePosition {
		return e
	}
	if r, ok := memo[e]; ok {
		return r
	}
	var r *Expr
	switch {
	case e.Op == Ref && e.Tensor.Kind == SharedTensor:
		r = c.inDefinition(e, func(body *Expr) *Expr { return c.joinBinary(body, memo) })
	case e.Op == Sum:
		i, body := c.Open(e)
		if r = e; c.joinBinary(body, memo) != body {
			r = c.Sum(i, c.joinBinary(body, memo))
		}
	default:
		r = c.Rebuild(e, func(a *Expr) *Expr { return c.joinBinary(a, memo) }, func(s Sub) Sub { return s })
		if r.Op == Add {
			r = c.joinTerms(r)
		}
	}
	memo[e] = r
	return r
}

// joinTerms joins what is to be joined of the terms of a sum.
func (c *Context) joinTerms(e *Expr) *Expr {
	ks, args := append([]float64(nil), e.K...), append([]*Expr(nil), e.Args...)
	changed := false
	for n, a := range args {
		ones := c.binaryTerm(a, "lmultiply")
		if ones == nil {
			continue
		}
		for m, b := range args {
			if ks[m] != ks[n] {
				continue
			}
			if zeros := c.binaryTerm(b, "lmultiply_1p"); zeros != nil && c.complements(ones, zeros) {
				args[n], args[m], changed = ones.joined(c), c.Number(0), true
				break
			}
		}
	}
	if !changed {
		return e
	}
	return c.Linear(e.Val, ks, args)
}

// binaryTerm is Σ w f(y, p), with the y and p that it stands for.
type binaryTerm struct {
	indices []*Index
	w, y, p *Expr
}

// binaryTerm reads a term whose function has that name; nil if it is none.
func (c *Context) binaryTerm(e *Expr, name string) *binaryTerm {
	t := &binaryTerm{w: c.Number(1)}
	for e.Op == Sum {
		i, body := c.Open(e)
		t.indices, e = append(t.indices, i), body
	}
	call := e
	if e.Op == Mul {
		for n, f := range e.Args {
			if f.Op == Call && f.Func.Name == name && e.K[n] == 1 {
				call, t.w = f, c.Product(e.Val, without(e.K, n), without(e.Args, n))
				break
			}
		}
	}
	if call.Op != Call || call.Func.Name != name {
		return nil
	}
	if t.y, t.p = call.Args[0], call.Args[1]; name == "lmultiply_1p" {
		t.y, t.p = c.Sub(c.Number(1), t.y), c.Neg(t.p)
	}
	if t.y.Op != Ref || !t.y.Tensor.Binary || c.ofGroups(t) {
		return nil
	}
	return t
}

// ofGroups reports whether the probability of a term is that of the group that an observation is in.
func (c *Context) ofGroups(t *binaryTerm) bool {
	g, j := c.groupOf(t.p)
	if g == nil {
		return false
	}
	f := c.inGroups(t.p, g, j)
	for _, i := range t.indices {
		if g.HasFree(i) && f.HasFree(i) {
			return false
		}
	}
	return true
}

// complements reports whether two terms are of the same observations, with the same probabilities.
func (c *Context) complements(x, y *binaryTerm) bool {
	if len(x.indices) != len(y.indices) {
		return false
	}
	to := make([]Sub, len(x.indices))
	for n, i := range x.indices {
		if i.Range != y.indices[n].Range {
			return false
		}
		to[n] = Sub{Index: i}
	}
	same := func(a, b *Expr) bool { return a == c.SubstAll(b, y.indices, to) }
	return same(x.y, y.y) && same(x.p, y.p) && same(x.w, y.w)
}

// joined is Σ w log_chance(y, p).
func (t *binaryTerm) joined(c *Context) *Expr {
	e := c.Mul(t.w, c.Call("log_chance", t.y, t.p))
	for n := len(t.indices) - 1; n >= 0; n-- {
		e = c.Sum(t.indices[n], e)
	}
	return e
}
