package expr

// Subst replaces the free index i by a subscript.
func (c *Context) Subst(e *Expr, i *Index, s Sub) *Expr {
	return c.subst(e, i, s, map[*Expr]*Expr{}, e.renamedBy(i, s))
}

// renamedBy reports whether the subscript is another index in the place of i, which e does not hold: sums stay as they are.
func (e *Expr) renamedBy(i *Index, s Sub) bool {
	return s.Data == nil && s.Index != nil && s.Offset == 0 && s.Index.level == 0 && s.Index.Range == i.Range && !e.HasFree(s.Index)
}

func (c *Context) subst(e *Expr, i *Index, s Sub, memo map[*Expr]*Expr, safe bool) *Expr {
	if !e.HasFree(i) {
		return e
	}
	if r, ok := memo[e]; ok {
		return r
	}
	var r *Expr
	switch e.Op {
	case Sum, Largest:
		if safe {
			body := c.subst(e.Args[0], i, s, memo, true)
			r = c.Intern(Expr{Op: e.Op, Index: e.Index, Args: []*Expr{body}})
		} else {
			// The subscript may hold an index that the sum binds.
			j, body := c.Open(e)
			if body = c.Subst(body, i, s); e.Op == Sum {
				r = c.Sum(j, body)
			} else {
				r = c.Largest(j, body)
			}
		}
	default:
		r = c.Rebuild(e, func(a *Expr) *Expr { return c.subst(a, i, s, memo, safe) }, func(b Sub) Sub {
			if b.Data != nil {
				b.Data = c.subst(b.Data, i, s, memo, safe)
			}
			if b.Index != i {
				return b
			}
			return ShiftSub(s, b.Offset)
		})
	}
	memo[e] = r
	return r
}

// Rebuild constructs a node anew with mapped arguments and subscripts.
func (c *Context) Rebuild(e *Expr, arg func(*Expr) *Expr, sub func(Sub) Sub) *Expr {
	if e.Op == Largest {
		i, body := c.Open(e)
		return c.Largest(i, arg(body))
	}
	same := true
	args := make([]*Expr, len(e.Args))
	for n, a := range e.Args {
		args[n] = arg(a)
		same = same && args[n] == a
	}
	subs := make([]Sub, len(e.Subs))
	for n, b := range e.Subs {
		subs[n] = sub(b)
		same = same && subs[n] == b
	}
	if same {
		return e
	}
	switch e.Op {
	case Ref:
		return c.Ref(e.Tensor, subs...)
	case Add:
		return c.Linear(e.Val, e.K, args)
	case Mul:
		return c.Product(e.Val, e.K, args)
	case Call:
		return c.Call(e.Func.Name, args...)
	case Delta:
		return c.Delta(subs[0], subs[1])
	case Inside:
		return c.Within(subs[0], e.Range)
	case Apply:
		return c.ApplicationOf(e.Apply, args)
	case Before:
		return c.Before(subs[0], subs[1])
	case Draw:
		return c.Intern(Expr{Op: Draw, Dist: e.Dist, Tensor: e.Tensor, Args: args})
	}
	return e
}

// Replace rebuilds e with f applied to every reference.
func (c *Context) Replace(e *Expr, f func(*Expr) *Expr) *Expr {
	return c.replace(e, f, map[*Expr]*Expr{})
}

func (c *Context) replace(e *Expr, f func(*Expr) *Expr, memo map[*Expr]*Expr) *Expr {
	if r, ok := memo[e]; ok {
		return r
	}
	var r *Expr
	switch e.Op {
	case Ref:
		r = f(e)
	case Sum:
		i, body := c.Open(e)
		r = c.Sum(i, c.Replace(body, f))
	default:
		r = c.Rebuild(e, func(a *Expr) *Expr { return c.replace(a, f, memo) }, func(s Sub) Sub { return s })
	}
	memo[e] = r
	return r
}

// Substituted is Replace that reaches into shared definitions: those that f changes something of get others in their place.
func (c *Context) Substituted(e *Expr, f func(*Expr) *Expr) *Expr {
	known := map[*Def]*Expr{}
	var written func(e *Expr) *Expr
	written = func(e *Expr) *Expr {
		return c.Replace(e, func(r *Expr) *Expr {
			if x := f(r); x != r || r.Tensor.Kind != SharedTensor {
				return x
			}
			d := r.Tensor.Def
			body, ok := known[d]
			if !ok {
				if body = written(d.Body); body == d.Body {
					body = c.Ref(r.Tensor, SubsOf(d.Indices)...)
				} else if body.Op == Apply {
					body = c.Applied(body.Apply, body.Args)
				} else if r.Tensor.Atom && c.keeps(body.free) {
					body = c.Atom(body)
				} else {
					body = c.Operand(body)
				}
				known[d] = body
			}
			return c.SubstAll(body, d.Indices, r.Subs)
		})
	}
	return written(e)
}
