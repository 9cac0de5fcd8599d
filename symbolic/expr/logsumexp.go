package expr

import "github.com/hamc-dev/hamc/dsl"

// reduce is a reduction of the values of an expression over an index, by its name; a mean is a sum.
func (el *Elaborator) reduce(name string, i *Index, body *Expr) *Expr {
	c := el.C
	switch name {
	case "log_sum_exp":
		return el.logSumExp(i, body)
	case "max":
		return c.Largest(i, body)
	case "min":
		return c.Neg(c.Largest(i, c.Neg(body)))
	}
	return c.Sum(i, body)
}

// mostSummed is the largest number of indices of terms that are stored: those of persons, occasions and alternatives.
const mostSummed = 3

// logSumExp is log Σ_i exp(v_i) = m + log Σ_i exp(v_i − m) with m = max_i v_i. It does not depend on m, which therefore counts as a constant
// where it is differentiated. Where all terms are −∞ so is the value, and its derivatives are 0. What is summed is stored: all derivatives are made of it. In a recursion m and the sum are members of it.
func (el *Elaborator) logSumExp(i *Index, v *Expr) *Expr {
	c := el.C
	if !v.HasFree(i) {
		return c.Add(v, c.Call("log", c.Size(i.Range)))
	}
	if in := el.Inside; in != nil && in.Of.Reads(v) {
		m := c.hidden(in, "max_"+in.Name, c.Largest(i, v))
		s := c.hidden(in, "sum_"+in.Name, c.Sum(i, c.Call("exp", c.Sub(v, m))))
		return c.Add(m, c.Call("log_total", s))
	}
	atom := func(e *Expr) *Expr { return e }
	if v.stage >= StagePosition && len(v.free) <= mostSummed {
		for _, o := range v.free {
			c.keep([]dsl.Range{o.Range, i.Range}) // what the terms are made of, too
		}
		atom = c.Kept
	}
	v = atom(v)
	m := atom(c.Largest(i, v))
	return c.Add(m, c.Call("log_total", atom(c.Sum(i, atom(c.Call("exp", c.Sub(v, m)))))))
}

// softmax is exp(x_i)/Σ_j exp(x_j).
func (el *Elaborator) softmax(x Value) Value {
	c := el.C
	i := el.fresh(UpTo(x.Shape[0]), "i")
	total := el.logSumExp(i, x.At(Sub{Index: i}))
	return Value{Shape: x.Shape, Elem: func(s ...Sub) *Expr { return c.Call("exp", c.Sub(x.At(s...), total)) }}
}
