package dsl

import (
	"fmt"
	"slices"
	"strings"
)

// Distributions that are made of others, whose names and arguments stand in the places of theirs: y ~ mixture(p, normal(a, s), normal(b, s)).
// Such a statement is one of a function that is made for it.

// combination is a row of the table of those.
type combination struct {
	name     string
	form     string // of a statement
	counts   bool   // what it is made of describes counts
	positive string // log density, if it may be made of a distribution of positive numbers too, which have no mass at 0
	least    int    // how many distributions it takes at least
	most     int    // and at most
	weighted bool   // a vector of weights may stand in the place of the probability

	// density is the log density: P stands for the probability, Y for the value, D for the log density at it, and D0 for that at 0.
	density string
}

// combinations is the table.
var combinations = []combination{
	{name: "mixture", form: "mixture(p, normal(a, s), normal(b, s))", least: 1, most: 1 << 10, weighted: true},
	{name: "zero_inflated", form: "zero_inflated(p, poisson(lambda))", counts: true, least: 1, most: 1,
		density: "if Y == 0 then log_sum_exp(log(P), log1m(P) + D0) else log1m(P) + D"},
	{name: "hurdle", form: "hurdle(p, poisson(lambda))", counts: true, least: 1, most: 1,
		density:  "if Y == 0 then log(P) else log1m(P) + D - log1m_exp(D0)",
		positive: "if Y == 0 then log(P) else log1m(P) + D"},
}

// mixtureHint says how a mixture of components that an index counts is written.
const mixtureHint = "of K components of one kind the weights and the arguments are vectors: `mixture(w, normal(mu, s))`, with `param w simplex[K]` and `param mu ordered[K]`, or a definition, `let m[k in K] = a + b*k`"

// combinationOf is the row of a distribution, or of its log density as a function; nil if it is none.
func combinationOf(name string) *combination {
	name = strings.TrimSuffix(strings.TrimSuffix(name, "_lpdf"), "_lpmf")
	for i := range combinations {
		if combinations[i].name == name {
			return &combinations[i]
		}
	}
	return nil
}

// takes reports whether a combination for counts takes distributions of a support of real numbers too.
func (x *combination) takes(support Domain) bool {
	return x.positive != "" && (support == Positive || support == UnitOpen)
}

// component is a distribution that another is made of.
type component struct {
	dist *Distribution
	call *CallExpr
}

// components reads the distributions that a combination is made of; it reports those that are none.
func (c *checker) components(x *combination, at Span, args []Arg) (out []component, ok bool) {
	args = unlisted(args)
	if n := len(args) - 1; n < x.least || n > x.most {
		c.err(ArgumentCount, at, "write "+x.form, "`%s` has a probability and %s, not %s", x.name, map[bool]string{true: "a distribution", false: "distributions"}[x.most == 1], count(len(args), "argument"))
		return nil, false
	}
	for _, a := range args[1:] {
		call, is := a.Expr.(*CallExpr)
		if !is {
			hint := "write " + x.form
			if x.weighted {
				hint += "; of more than two the weights stand together in front: `mixture(w, D1, D2, D3)` with `param w simplex[3]`, or `mixture([w1, w2, w3], D1, D2, D3)`"
			}
			c.err(UnknownDist, a.Expr.Span(), hint, "`%s` is made of distributions, as `normal(a, s)`", x.name)
			return nil, false
		}
		dist := LookupDistribution(call.Func)
		switch {
		case dist == nil && (c.distributionFunc(call.Func) != nil || combinationOf(call.Func) != nil):
			c.err(NotYet, call.At, "write `log_mix` or `log_sum_exp` of log densities", "`%s` of distributions that the model defines, or that are made of others, as `%s`, is not in this version of the language", x.name, call.Func)
			return nil, false
		case dist == nil:
			var names []string
			for i := range Distributions {
				names = append(names, Distributions[i].Name)
			}
			c.err(UnknownDist, call.At, unknownDistribution(call.Func, names, textsOf(call.Args)), "there is no distribution `%s`", call.Func)
			return nil, false
		case dist.Whole() && (x.counts || !mixable(dist)):
			c.err(NotYet, call.At, "write `log_mix` or `log_sum_exp` of log densities", "`%s` of such distributions as `%s` is not in this version of the language", x.name, dist.Name)
			return nil, false
		case x.counts && dist.Support != Counts && dist.Support != UpTo && !x.takes(dist.Support):
			hint := "such as poisson or neg_binomial_2"
			if x.takes(Positive) {
				hint += ", or of positive numbers, such as lognormal or gamma"
			} else if !dist.Support.Discrete() {
				hint += fmt.Sprintf("; of real numbers it is `density sum(i in n) (if y[i] == 0 then log(p) else log1m(p) + %s)`", strings.Replace(dist.form(), "(y", "(y[i]", 1))
			}
			c.err(BadArgument, call.At, hint, "`%s` is made of a distribution of counts"+map[bool]string{true: " or of positive numbers"}[x.takes(Positive)]+", and `%s` describes %s", x.name, dist.Name, dist.Where())
			return nil, false
		case len(call.Args) != len(dist.Args):
			c.err(ArgumentCount, call.At, fmt.Sprintf("write %s(%s)", dist.Name, strings.Join(dist.argNames(), ", ")), "`%s` has %s, not %d", dist.Name, count(len(dist.Args), "argument"), len(call.Args))
			return nil, false
		case len(out) > 0 && (dist.Support.Discrete() != out[0].dist.Support.Discrete() || (dist.Whole() || out[0].dist.Whole()) && dist.Support != out[0].dist.Support):
			c.err(BadArgument, call.At, "", "`%s` describes %s, and `%s` %s", dist.Name, dist.Where(), out[0].dist.Name, out[0].dist.Where())
			return nil, false
		}
		out = append(out, component{dist, call})
	}
	return out, true
}

// unlisted are the arguments of a combination whose distributions may stand in brackets: mixture(w, [D1, D2]).
func unlisted(args []Arg) []Arg {
	if len(args) != 2 {
		return args
	}
	list, ok := args[1].Expr.(*MatrixExpr)
	if !ok || len(list.Rows) != 1 {
		return args
	}
	out := args[:1:1]
	for _, x := range list.Rows[0] {
		out = append(out, Arg{Expr: x})
	}
	return out
}

// mixable reports whether a distribution of vectors or categories may be part of a mixture: what it describes needs no type of its own.
func mixable(d *Distribution) bool {
	return d.Support == VectorReal || d.Support == VectorCounts || d.Support == Category
}

// combined makes the function of a combination, with the arguments of its calls behind the left side; nil where there is an error.
func (c *checker) combined(x *combination, at Span, args []Arg) (*Func, []Expr) {
	parts, ok := c.components(x, at, args)
	if !ok {
		return nil, nil
	}
	before := len(c.ds.List)
	p := args[0].Expr
	c.expr(p)
	values := []Expr{p}
	for _, d := range parts {
		for _, a := range d.call.Args {
			c.expr(a.Expr)
			values = append(values, a.Expr)
		}
	}
	if c.errors(before) > 0 {
		return nil, nil
	}
	for _, v := range values {
		if v.Type().Base == MetricBase || v.Type().Base == Invalid {
			return nil, nil
		}
	}
	weights := x.weighted && len(p.Type().Shape) == 1
	one := x.weighted && len(parts) == 1
	if one && !weights {
		c.err(ArgumentCount, at, "each distribution stands by itself, as in "+x.form+"; of k of one kind, whose arguments are vectors of k, `mixture(w, normal(mu, s))` with `param w simplex[k]`",
			"`%s` of one distribution has a vector of weights, not %s", x.name, p.Type())
		return nil, nil
	}
	if !weights && len(parts) > 2 {
		c.err(NotVector, p.Span(), "declare `param w simplex["+fmt.Sprint(len(parts))+"]`", "the weights of %d distributions are a vector, not %s", len(parts), p.Type())
		return nil, nil
	}
	if q := alias(p); weights && q != nil && q.Constraint != Simplex && !q.Support.spoiled {
		c.err(BadArgument, p.Span(), fmt.Sprintf("declare `param %s simplex[%s]`", q.Name, q.Type.Shape[0]), "the weights of `%s` are a simplex, but the parameter `%s` may not be", x.name, q.Name)
		c.note(q.At, "declared here")
		return nil, nil
	}
	if n := len(parts); weights && !one && p.Type().Shape[0] != Fixed(n) {
		c.err(ShapeMismatch, p.Span(), fmt.Sprintf("write as many, or `simplex[%d]`", n), "there are %s weights and %d distributions", p.Type().Shape[0], n)
		return nil, nil
	}
	some := false
	for n := 1; n < len(values); n++ {
		some = some || ofComponents(parts, values, n)
	}
	if one && !some {
		k := p.Type().Shape[0]
		c.err(ShapeMismatch, parts[0].call.At, fmt.Sprintf("an argument that differs is a vector of %s, as a mean `param mu ordered[%s]`", k, k), "no argument of `%s` has one value for each of the %s weights", parts[0].dist.Name, k)
		return nil, nil
	}
	fn := x.function(parts, values)
	if !weights {
		row := &Distribution{Name: x.name, Args: []DistArg{{"p", UnitClosed}}}
		if c.argument(p, row, 0); c.errors(before) > 0 {
			return nil, nil
		}
	}
	return fn, values
}

// argOf is the argument of a distribution that stands at a place among the values of a combination, whose first is the probability or the weights.
func argOf(parts []component, place int) *DistArg {
	place--
	for _, d := range parts {
		if place < len(d.dist.Args) {
			return &d.dist.Args[place]
		}
		place -= len(d.dist.Args)
	}
	return nil
}

// ofComponents reports whether, in a mixture of one kind of distribution, the value at a place has one element for each weight.
func ofComponents(parts []component, values []Expr, place int) bool {
	w, shape := values[0].Type().Shape, values[place].Type().Shape
	last := len(shape) - argOf(parts, place).Domain.rank() - 1
	return len(parts) == 1 && len(w) == 1 && last >= 0 && shape[last] == w[0]
}

// sizesOf are the sizes of what lies in a domain, as the function of a combination has them.
func sizesOf(d Domain, scalar bool) []string {
	switch {
	case scalar || d.rank() == 0:
		return nil
	case d == Ascending:
		return []string{"K - 1"}
	}
	return slices.Repeat([]string{"K"}, d.rank())
}

// function is the function of a combination of some distributions, with the probability or the weights, and their arguments, as its values.
func (x *combination) function(parts []component, values []Expr) *Func {
	support := parts[0].dist.Support
	suffix, y := "_lpdf", "y real"
	if support.Discrete() {
		suffix, y = "_lpmf", "y int"
	}
	switch {
	case support == Category:
		y += " in 1..K"
	case support.Vector():
		y += "[K]"
	}
	weights, one := x.weighted && len(values[0].Type().Shape) == 1, x.weighted && len(parts) == 1
	head := fmt.Sprintf("func %s%s(%s, p real", x.name, suffix, y)
	switch {
	case one:
		head += "[M]"
	case weights:
		head += fmt.Sprintf("[%d]", len(parts))
	}
	var lines []string
	place := 0
	for k, d := range parts {
		var names []string
		for n, a := range d.dist.Args {
			place++
			name := fmt.Sprintf("%s%d", a.Name, k+1)
			typ := "real"
			if d.dist.Args[n].Domain == CountArg {
				typ = "int"
			}
			sizes := sizesOf(a.Domain, values[place].Type().IsScalar())
			element := name
			if one && ofComponents(parts, values, place) {
				element += "[" + strings.Join(append([]string{"m"}, slices.Repeat([]string{":"}, len(sizes))...), ", ") + "]"
				sizes = append([]string{"M"}, sizes...)
			}
			if len(sizes) > 0 {
				typ += "[" + strings.Join(sizes, ", ") + "]"
			}
			names = append(names, element)
			head += ", " + name + " " + typ
		}
		bar := ""
		if len(names) > 0 {
			bar = " | "
		}
		line := d.dist.LogDensityName() + "(Y" + bar + strings.Join(names, ", ") + ")"
		if inside := insideOf(d.dist, names); inside != "" && (x.density == "" || x.takes(d.dist.Support)) {
			line = "(if " + inside + " then " + line + " else log(0))"
		}
		lines = append(lines, line)
	}
	at := func(line, y string) string { return strings.ReplaceAll(line, "Y", y) }
	var value string
	switch {
	case x.takes(parts[0].dist.Support):
		value = strings.NewReplacer("D", at(lines[0], "y"), "P", "p", "Y", "y").Replace(x.positive)
	case x.density != "":
		value = strings.NewReplacer("D0", at(lines[0], "0"), "D", at(lines[0], "y"), "P", "p", "Y", "y").Replace(x.density)
	case one:
		value = "log_sum_exp(m in M) (log(p[m]) + " + at(lines[0], "y") + ")"
	case !weights:
		value = "log_mix(p, " + at(lines[0], "y") + ", " + at(lines[1], "y") + ")"
	default:
		for k := len(lines) - 1; k >= 0; k-- {
			term := fmt.Sprintf("log(p[%d]) + %s", k+1, at(lines[k], "y"))
			if value == "" {
				value = term
			} else {
				value = "log_sum_exp(" + term + ", " + value + ")"
			}
		}
	}
	file, _ := Parse("", "model m\n"+head+") = "+value+"\n")
	fn := &Func{object: object{Name: x.name + suffix}, stmt: file.Stmts[0].(*FuncStmt), builtin: true, of: &Distribution{Name: x.name}}
	fn.mixed = x.density == "" || x.takes(parts[0].dist.Support)
	fn.weigh()
	return fn
}

// insideOf is the condition under which a value Y lies in the support of a distribution with such arguments; "" where it always does.
func insideOf(d *Distribution, args []string) string {
	switch d.Support {
	case Positive:
		return "Y > 0"
	case UnitOpen:
		return "Y > 0 and Y < 1"
	case Between:
		return "Y > " + args[0] + " and Y < " + args[1]
	case Above:
		return "Y > " + args[d.Begins]
	case Binary:
		return "Y >= 0 and Y <= 1"
	case Counts:
		return "Y >= 0"
	case UpTo:
		return "Y >= 0 and Y <= " + args[0]
	}
	return ""
}

// combinedCall checks mixture_lpdf(y | p, normal(a, s), normal(b, s)); it reports whether a call is one.
func (c *checker) combinedCall(e *CallExpr) bool {
	x := combinationOf(e.Func)
	if x == nil || x.name == e.Func || len(e.Args) == 0 {
		return false
	}
	bad(e)
	left := e.Args[0].Expr
	c.expr(left)
	if e.Bar.Len == 0 {
		c.err(UnexpectedToken, e.At, "write "+strings.Replace(x.form, "(", e.Func[len(x.name):]+"(y | ", 1), "`%s` has a `|` between the value and the arguments", e.Func)
		return true
	}
	fn, values := c.combined(x, e.At, e.Args[1:])
	if fn == nil || left.Type().Base == Invalid {
		return true
	}
	if fn.Name != e.Func {
		c.err(UnknownFunction, e.At, "write "+fn.Name, "there is no function `%s` of what describes %s", e.Func, map[bool]string{true: "whole numbers", false: "real numbers"}[strings.HasSuffix(fn.Name, "_lpmf")])
		return true
	}
	c.each(e, fn, append([]Expr{left}, values...))
	return true
}
