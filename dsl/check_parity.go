package dsl

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// parity is what becomes of an expression when all free parameters, those without bounds, change
// their signs.
type parity uint8

const (
	anyParity parity = iota // nothing is known
	even                    // it keeps its value
	odd                     // it changes its sign
)

// oddFunctions and evenFunctions are what they are about 0; others keep what is even.
var (
	oddFunctions  = map[string]bool{"sin": true, "tan": true, "atan": true, "asin": true, "atanh": true, "asinh": true, "sinh": true, "tanh": true, "inv": true, "sum": true, "mean": true, "transpose": true, "diag": true}
	evenFunctions = map[string]bool{"cos": true, "cosh": true, "square": true}
)

// times is the parity of a product or a quotient.
func (p parity) times(q parity) parity {
	switch {
	case p == anyParity || q == anyParity:
		return anyParity
	case p == q:
		return even
	}
	return odd
}

// parityOf is the parity of an expression. An odd one is negative in half of the space, wherever it is
// not 0.
func (c *checker) parityOf(e Expr) parity {
	// What is shared, a definition above all, is looked at once.
	p, ok := c.parities[e]
	if !ok {
		if p = c.findParity(e); c.recursion == nil {
			c.parities[e] = p
		}
	}
	return p
}

func (c *checker) findParity(e Expr) parity {
	if c.dependsOnParam(e) == nil {
		return even
	}
	switch e := e.(type) {
	case *Name:
		switch o := e.Obj.(type) {
		case *Param:
			if o.Support.spoiled {
				return anyParity
			}
			if !o.Support.Bounded() {
				return odd
			}
			return even
		case *Let:
			if o.Recursion != nil {
				return anyParity
			}
			return c.parityOf(o.Value)
		}
	case *IndexExpr:
		return c.parityOf(e.Base)
	case *UnaryExpr:
		return c.parityOf(e.X)
	case *SumExpr:
		return c.parityOf(e.terms())
	case *BinaryExpr:
		return c.parityOfBinary(e)
	case *CallExpr:
		return c.parityOfCall(e)
	}
	return anyParity
}

func (c *checker) parityOfBinary(e *BinaryExpr) parity {
	x, y := c.parityOf(e.X), c.parityOf(e.Y)
	switch e.Op {
	case "+", "-":
		if x == y {
			return x
		}
	case "*", "/", ".*", "./":
		return x.times(y)
	case "^", ".^":
		n, ok := c.constant(e.Y)
		switch whole := ok && n == math.Trunc(n); {
		case x == even && y == even:
			return even
		case whole && x != anyParity && math.Mod(n, 2) == 0:
			return even
		case whole && x != anyParity:
			return x
		}
	}
	return anyParity
}

func (c *checker) parityOfCall(e *CallExpr) parity {
	if e.Inlined != nil {
		return c.parityOf(e.Inlined.Value)
	}
	all := even // all arguments are
	for _, a := range e.Args {
		if c.parityOf(a.Expr) != even {
			all = anyParity
		}
	}
	switch {
	case e.Density != nil || e.Draws != nil || e.Fn == nil:
		return anyParity
	case all == even:
		return even
	case e.Func == "dot":
		return c.parityOf(e.Args[0].Expr).times(c.parityOf(e.Args[1].Expr))
	case len(e.Args) != 1 || c.parityOf(e.Args[0].Expr) != odd:
		return anyParity
	case oddFunctions[e.Func]:
		return odd
	case evenFunctions[e.Func]:
		return even
	}
	return anyParity
}

// alias follows definitions that only give a parameter, or its elements, another name.
func alias(e Expr) *Param {
	for {
		if ix, ok := e.(*IndexExpr); ok {
			e = ix.Base
			continue
		}
		n, ok := e.(*Name)
		if !ok {
			return nil
		}
		switch o := n.Obj.(type) {
		case *Param:
			return o
		case *Let:
			if e = o.Value; e == nil {
				return nil
			}
		default:
			return nil
		}
	}
}

// links are the distributions that take, in place of an argument with a range, its image on the whole
// line.
var links = map[string]string{"bernoulli": "bernoulli_logit", "binomial": "binomial_logit", "poisson": "poisson_log", "neg_binomial_2": "neg_binomial_2_log"}

// link is the distribution that takes the image of an argument of d on the whole line, "" if there is none.
func (d *Distribution) link(i int) string {
	name := links[d.Name]
	if name == "" || LookupDistribution(name).Args[i].Domain != RealLine {
		return ""
	}
	return name
}

// mayLeave reports an argument that is nowhere in its range, and warns of one that is negative in half of the
// space of the parameters.
func (c *checker) mayLeave(a Expr, dist *Distribution, i int) {
	dom, name := dist.Args[i].Domain, dist.Args[i].Name
	within := map[Domain]string{Positive: "is positive", VectorPositive: "is positive", NonNegative: "is not negative", UnitOpen: "lies between 0 and 1", UnitClosed: "lies between 0 and 1"}[dom]
	if within == "" {
		return
	}
	if c.notPositive(a) {
		c.err(BadArgument, a.Span(), "leave the minus sign out", "the argument `%s` of `%s` %s, but this is not positive anywhere", name, dist.Name, within)
		return
	}
	p := c.freeParam(a)
	if c.generating || p == nil || c.parityOf(a) != odd {
		return // a quantity is NaN where it is not defined
	}
	hint := fmt.Sprintf("write exp(…) of it, or declare `param %s %s`", p.Name, p.declared("> 0"))
	if dom == UnitOpen || dom == UnitClosed {
		hint = "write inv_logit(…) of it"
	}
	if link := dist.link(i); link != "" {
		hint = fmt.Sprintf("`%s` takes it as it is; or %s", link, hint)
	}
	c.warn(MayLeaveRange, a.Span(), hint, "the argument `%s` of `%s` %s, but this is negative in half of the space of the parameters, where the density is 0", name, dist.Name, within)
	c.note(p.At, "`%s` has no bounds", p.Name)
}

// notPositive reports whether an expression is plainly not positive.
func (c *checker) notPositive(e Expr) bool { return c.remember(c.belowZero, e, c.findNotPositive) }

// remember looks at what is shared once.
func (c *checker) remember(known map[Expr]bool, e Expr, find func(Expr) bool) bool {
	r, ok := known[e]
	if !ok {
		r = find(e)
		known[e] = r
	}
	return r
}

func (c *checker) findNotPositive(e Expr) bool {
	if v, ok := c.constant(e); ok {
		return v <= 0
	}
	switch e := e.(type) {
	case *UnaryExpr:
		return e.Op == "-" && c.notNegative(e.X)
	case *BinaryExpr:
		switch e.Op {
		case "+":
			return c.notPositive(e.X) && c.notPositive(e.Y)
		case "-":
			return c.notPositive(e.X) && c.notNegative(e.Y)
		case "*", "/", ".*", "./":
			return c.notPositive(e.X) && c.notNegative(e.Y) || c.notNegative(e.X) && c.notPositive(e.Y)
		}
	}
	return false
}

// positiveFunctions are those whose values are not negative anywhere.
var positiveFunctions = map[string]bool{"exp": true, "square": true, "sqrt": true, "inv_logit": true, "log1p_exp": true, "cosh": true, "Phi": true, "pi": true, "trigamma": true, "sd": true, "variance": true, "size": true}

// keepsSign are those whose values are not negative where their first argument is not.
var keepsSign = map[string]bool{"sum": true, "mean": true, "max": true, "min": true, "median": true, "quantile": true}

// notNegative reports whether an expression is plainly not negative.
func (c *checker) notNegative(e Expr) bool { return c.remember(c.aboveZero, e, c.findNotNegative) }

func (c *checker) findNotNegative(e Expr) bool {
	if v, ok := c.constant(e); ok {
		return v >= 0
	}
	switch e := e.(type) {
	case *Name:
		switch o := e.Obj.(type) {
		case *Param:
			return o.Support.LoNum != nil && *o.Support.LoNum >= 0
		case *Data:
			return o.IsSize || o.Support.LoNum != nil && *o.Support.LoNum >= 0
		case *Let:
			return o.Recursion == nil && c.notNegative(o.Value)
		case *Size:
			return true
		}
	case *IndexExpr:
		_, named := e.Base.(*Name)
		return named && c.notNegative(e.Base)
	case *CallExpr:
		if e.Inlined != nil {
			return c.notNegative(e.Inlined.Value)
		}
		if e.Func == "fmax" {
			return slices.ContainsFunc(e.Args, func(a Arg) bool { return c.notNegative(a.Expr) })
		}
		return positiveFunctions[e.Func] || keepsSign[e.Func] && len(e.Args) > 0 && c.notNegative(e.Args[0].Expr)
	case *BinaryExpr:
		switch e.Op {
		case "+", "*", "/", ".*", "./":
			return c.notNegative(e.X) && c.notNegative(e.Y)
		case "^", ".^":
			return c.notNegative(e.X)
		}
	}
	return false
}

// freeParam is the first parameter without bounds in an expression.
func (c *checker) freeParam(e Expr) *Param {
	in := paramsOf(e)
	for _, p := range c.model.Params {
		if in[p] && !p.Support.Bounded() {
			return p
		}
	}
	return nil
}

// declared is the type of a parameter with a bound.
func (p *Param) declared(bound string) string {
	if len(p.Type.Shape) == 0 {
		return "real " + bound
	}
	if bound == "> 0" && p.Constraint != nil && p.Constraint.Name == "ordered" {
		return strings.Replace(p.Type.String(), "real", "positive_ordered", 1)
	}
	return p.Type.String() + " " + bound
}
