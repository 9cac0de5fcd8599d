package dsl

import (
	"fmt"
	"slices"
)

// A parameter may leave what its uniform prior allows and what an argument allows: `h ~ uniform(0, 2)` and `y ~ normal(a, h)` of `param h real`. Where the ends of the prior are in
// the range of the argument, the declaration that the prior asks for is all that is needed, and there is one message.

// remedies are the messages about how parameters are declared.
type remedies struct {
	uniform map[*Param][2]float64 // the ends that a parameter is told to be declared with
	leaving []leaving
}

// leaving is a message about a parameter that may leave the range of an argument: not below 0, and, of a probability, not above 1.
type leaving struct {
	param *Param
	at    Span
	unit  bool
}

// leavesArgument reports it, with the declaration that keeps the parameter in.
func (c *checker) leavesArgument(p *Param, a Expr, dist *Distribution, i int) {
	dom, name := dist.Args[i].Domain, dist.Args[i].Name
	unit := dom == UnitOpen || dom == UnitClosed
	within, does := "> 0", "is positive, but the parameter `"+p.Name+"` may be negative"
	switch {
	case unit:
		within, does = "in (0, 1)", "lies between 0 and 1, but the parameter `"+p.Name+"` may not"
	case dom == NonNegative:
		does = "is not negative, but the parameter `" + p.Name + "` may be negative"
	}
	hint := fmt.Sprintf("declare `param %s %s`", p.Name, p.declared(within))
	if link := dist.link(i); link != "" {
		hint += fmt.Sprintf(", or write `%s`, which takes any real number", link)
	}
	c.err(BadArgument, a.Span(), hint, "the argument `%s` of `%s` %s", name, dist.Name, does)
	c.note(p.At, "declared here")
	c.remedies.leaving = append(c.remedies.leaving, leaving{p, a.Span(), unit})
}

// oneRemedy leaves out what the ends of a uniform prior set right.
func (c *checker) oneRemedy() {
	for _, l := range c.remedies.leaving {
		if ends, ok := c.remedies.uniform[l.param]; ok && ends[0] >= 0 && (!l.unit || ends[1] <= 1) {
			c.ds.List = slices.DeleteFunc(c.ds.List, func(d Diagnostic) bool { return d.Code == BadArgument && d.Span == l.at })
		}
	}
}
