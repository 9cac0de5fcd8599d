package expr

import "math"

// Rewrite is one row of the table of stable forms: wherever Pattern appears,
// Result stands instead. x and y match any expression. A row of products also
// matches inside a longer product.
type Rewrite struct {
	Name    string
	Pattern string
	Result  string
	Sample  [2]float64 // an interval for x and y where both sides are defined
}

// Rewrites is the table. Every row keeps or improves accuracy in the tails;
// the test of the table evaluates both sides at moderate points and the result
// at extreme ones.
var Rewrites = []Rewrite{
	{"log1p_exp from log1p", "log1p(exp(x))", "log1p_exp(x)", [2]float64{-5, 5}},
	{"log1m_exp from log1p", "log1p(-exp(x))", "log1m_exp(x)", [2]float64{-5, -0.1}},
	{"log of inv_logit", "log(inv_logit(x))", "-log1p_exp(-x)", [2]float64{-5, 5}},
	{"log of 1 - inv_logit", "log1p(-inv_logit(x))", "-log1p_exp(x)", [2]float64{-5, 5}},
	{"log_sum_exp", "log(exp(x) + exp(y))", "log_sum_exp(x, y)", [2]float64{-5, 5}},
	{"expm1", "exp(x) - 1", "expm1(x)", [2]float64{-5, 5}},
	{"log1p of expm1", "log1p(expm1(x))", "x", [2]float64{-5, 5}},
	{"exp of log", "exp(log(x))", "x", [2]float64{0.1, 5}},
	{"inv_logit from 1/(1 + exp)", "1/(1 + exp(x))", "inv_logit(-x)", [2]float64{-5, 5}},
	{"inv_logit from exp/(1 + exp)", "exp(x)*inv_logit(-x)", "inv_logit(x)", [2]float64{-5, 5}},
	{"1 - x² of a parameter in (-1, 1)", "1 - (1 - 2*inv_logit(x))^2", "4*inv_logit(x)*inv_logit(-x)", [2]float64{-5, 5}},
	{"exp of log1p_exp", "exp(log1p_exp(x))", "1 + exp(x)", [2]float64{-5, 5}},
}

type compiledRewrite struct {
	row             *Rewrite
	pattern, result *Expr
	x, y            *Tensor
}

func (c *Context) compileRewrites() {
	x := c.NewTensor(Tensor{Name: "x", Kind: WildTensor, Stage: StageMomentum})
	y := c.NewTensor(Tensor{Name: "y", Kind: WildTensor, Stage: StageMomentum})
	args := []*Expr{c.Ref(x), c.Ref(y)}
	var rows []*compiledRewrite
	for i := range Rewrites {
		r := &Rewrites[i]
		rows = append(rows, &compiledRewrite{r, c.Formula(r.Pattern, args), c.Formula(r.Result, args), x, y})
	}
	c.rewrites = rows
}

type binding struct{ x, y *Expr }

// rewrite applies the first row that matches e.
func (c *Context) rewrite(e *Expr) *Expr {
	if len(c.rewrites) == 0 || e.Op != Call && e.Op != Add && e.Op != Mul {
		return e
	}
	if e.Op == Call && e.Func.Name == "log" && e.Args[0].Op == Add && e.Args[0].Val == 1 {
		// log(1 + …) is log1p(…), whatever the rest.
		a := e.Args[0]
		return c.Call("log1p", c.Linear(0, a.K, a.Args))
	}
	for _, r := range c.rewrites {
		if r.pattern.Op != e.Op {
			continue
		}
		var b binding
		if e.Op == Mul {
			if rest, ok := c.matchProduct(r.pattern, e, &b, true); ok {
				return c.Mul(rest, c.instantiate(r, b))
			}
			continue
		}
		if c.match(r.pattern, e, &b) {
			return c.instantiate(r, b)
		}
	}
	return e
}

func (c *Context) instantiate(r *compiledRewrite, b binding) *Expr {
	return c.Formula(r.row.Result, []*Expr{b.x, b.y})
}

func (c *Context) match(p, e *Expr, b *binding) bool {
	if p.Op == Ref && p.Tensor.Kind == WildTensor {
		slot := &b.x
		if p.Tensor.Name == "y" {
			slot = &b.y
		}
		if *slot == nil {
			*slot = e
		}
		return *slot == e
	}
	if p.Op == Mul && p.Val == -1 && len(p.Args) == 1 && p.K[0] == 1 {
		return c.match(p.Args[0], c.Neg(e), b) // −x matches everything
	}
	if p.Op != e.Op {
		return false
	}
	switch p.Op {
	case Num:
		return p.Val == e.Val
	case Call:
		if p.Func != e.Func {
			return false
		}
		for i := range p.Args {
			if !c.match(p.Args[i], e.Args[i], b) {
				return false
			}
		}
		return true
	case Add:
		if p.Val != e.Val || len(p.Args) != len(e.Args) {
			return false
		}
		return c.matchTerms(p, e, 0, 0, b)
	case Mul:
		_, ok := c.matchProduct(p, e, b, false)
		return ok
	}
	return p == e
}

// matchTerms matches the terms of a sum in any order; patterns are short.
func (c *Context) matchTerms(p, e *Expr, i int, used uint64, b *binding) bool {
	if i == len(p.Args) {
		return true
	}
	for j := range e.Args {
		if used&(1<<j) != 0 || e.K[j] != p.K[i] {
			continue
		}
		saved := *b
		if c.match(p.Args[i], e.Args[j], b) && c.matchTerms(p, e, i+1, used|1<<j, b) {
			return true
		}
		*b = saved
	}
	return false
}

// matchProduct matches the factors of a pattern; the factors left over are
// returned, and allowed only if partial is set.
func (c *Context) matchProduct(p, e *Expr, b *binding, partial bool) (rest *Expr, ok bool) {
	if len(e.Args) < len(p.Args) {
		return nil, false
	}
	left := append([]float64(nil), e.K...)
	var try func(i int) bool
	try = func(i int) bool {
		if i == len(p.Args) {
			return true
		}
		for j := range e.Args {
			k := p.K[i]
			if math.Signbit(k) != math.Signbit(left[j]) || math.Abs(left[j]) < math.Abs(k) || math.Trunc(left[j]) != left[j] {
				continue
			}
			saved := *b
			left[j] -= k
			if c.match(p.Args[i], e.Args[j], b) && try(i+1) {
				return true
			}
			left[j] += k
			*b = saved
		}
		return false
	}
	if !try(0) {
		return nil, false
	}
	rest = c.Product(c.arithmetic.over(e.Val, p.Val), left, e.Args)
	if !partial && !rest.IsNum(1) {
		return nil, false
	}
	return rest, true
}
