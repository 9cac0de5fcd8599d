package dsl

import "strings"

// Infinite ends of intervals, which other languages write and this one leaves out.

// infinities are the names of infinity in other languages, in small letters and without underscores.
var infinities = map[string]bool{"inf": true, "infinity": true, "infty": true, "pinf": true, "ninf": true, "positiveinfinity": true, "negativeinfinity": true}

// isInfinite reports whether the text of an end of an interval is an infinity of another language: inf, -np.inf, negative_infinity(), float("inf").
func isInfinite(text string) bool {
	text = plain(strings.TrimSpace(text))
	if inner, ok := strings.CutPrefix(strings.TrimLeft(text, "+-"), "float("); ok {
		text = strings.Trim(inner, `)"'`)
	}
	text = strings.TrimSuffix(strings.TrimLeft(text, `+-"'`), "()")
	if i := strings.LastIndex(text, "."); i >= 0 {
		text = text[i+1:]
	}
	return infinities[text]
}

// finite is an interval without an end that is an infinity, which it reports, where no datum or constant has its name; write says what an interval is written behind.
func (c *checker) finite(b *BoundExpr, write string) *BoundExpr {
	lo, hi := b.ends()
	text := func(e Expr) string {
		if e == nil {
			return ""
		}
		return Text(e)
	}
	for _, e := range []Expr{lo, hi} {
		if !isInfinite(text(e)) || c.scope[strings.TrimLeft(text(e), "+-")] != nil {
			continue
		}
		interval := between(text(lo), text(hi))
		if b.Kind() == RangeBound {
			interval = upTo(text(lo), text(hi))
		}
		c.err(BadBounds, e.Span(), "leave an infinite bound out: write `"+strings.TrimSpace(write+" "+interval)+"`", "a bound is finite")
		out := &BoundExpr{Syntax: b.Syntax}
		for n, end := range []Expr{lo, hi} {
			if end != nil && !isInfinite(text(end)) {
				if out.Op, out.Limit = []string{">", "<"}[n], end; b.Kind() == RangeBound {
					out.Op += "="
				}
			}
		}
		return out
	}
	return b
}

// scalesOfJulia are the distributions whose last argument is a scale in Julia, and a rate here.
var scalesOfJulia = map[string]bool{"Exponential": true, "Gamma": true}

// truncatedForm is what truncated(Normal(0, 1), 0, Inf) and truncated(normal(0, 1), lower = 0) are; "" of what is not known.
func truncatedForm(name string, args []Arg) string {
	if plain(name) != "truncated" || len(args) < 2 || len(args) > 3 || args[0].Expr == nil {
		return ""
	}
	inner, ok := args[0].Expr.(*CallExpr)
	if !ok || scalesOfJulia[inner.Func] {
		return ""
	}
	d := meantDistribution(inner.Func)
	if d == nil || d.Support.Discrete() {
		return ""
	}
	ends := map[string]string{}
	for n, a := range args[1:] {
		if a.Expr == nil {
			return ""
		}
		of := a.Name
		if of == "" {
			of = []string{"lower", "upper"}[n]
		}
		ends[of] = Text(a.Expr)
	}
	if len(ends) != len(args)-1 {
		return ""
	}
	for of := range ends {
		if of != "lower" && of != "upper" {
			return ""
		}
	}
	return strings.TrimSpace(d.Name + "(" + strings.Join(textsOf(inner.Args), ", ") + ") " + between(ends["lower"], ends["upper"]))
}

// declaredText is the type of a declaration without its bounds.
func (c *checker) declaredText(te *TypeExpr) string {
	var sizes []string
	for _, s := range te.Sizes {
		sizes = append(sizes, c.sizeText(s))
	}
	if len(sizes) == 0 {
		return te.Base
	}
	return te.Base + "[" + strings.Join(sizes, ", ") + "]"
}
