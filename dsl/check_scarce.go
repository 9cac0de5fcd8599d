package dsl

import (
	"fmt"
	"slices"
	"strings"
)

// A parameter without a prior is common where data are plenty, and the posterior is proper. With
// as few observations as such parameters it is improper, or rests on one observation for each
// parameter: y ~ normal(mu, s) with two observations and flat mu and s > 0 has the mass of ∫ds/s. What
// is known when the model is compiled decides: the data of a size that is not known may be plenty.
//
// The rule counts. A parameter is flat unless it has two ends, or stands alone or by its elements
// on a left side of ~, or a `density` statement depends on it, about which nothing is known. An
// observation of a parameter is an element of a left side in whose term it stands, be it a datum or a
// parameter: theta ~ normal(mu, tau) observes mu. A set of flat parameters is scarce if no more
// observations than elements of it are made of it, for all sizes that data may have. The sets
// looked at are the single parameters, and those that terms connect.

// amount is a number of elements: a polynomial in the sizes of the data, as the coefficient of each
// product of names.
type amount map[string]int

// amountOf is the number of elements of a shape.
func amountOf(shape []Extent) amount {
	out := amount{"": 1}
	for _, e := range shape {
		next := amount{}
		for names, k := range out {
			if e.Offset != 0 {
				next[names] += k * e.Offset
			}
			if e.Name != "" {
				product := append(strings.Fields(names), e.Name)
				slices.Sort(product)
				next[strings.Join(product, " ")] += k
			}
		}
		out = next
	}
	return out
}

// plus adds k·b.
func (a amount) plus(b amount, k int) {
	for names, n := range b {
		a[names] += k * n
	}
}

// atMost reports whether an amount is at most n, whatever the sizes are: they are at least 1.
func (a amount) atMost(n int) bool {
	most := 0
	for names, k := range a {
		if names == "" || k < 0 {
			most += k
		} else if k > 0 {
			return false
		}
	}
	return most <= n
}

// observing is one left side: the flat parameters that its term depends on, and how many elements
// it has.
type observing struct {
	params []*Param
	count  amount
}

// Scarce returns the warnings (W403) of parameters without a prior that have no more observations
// than elements. The sizes of data are what size says, or unknown if it is nil.
func (m *Model) Scarce(size func(name string) int) []Diagnostic {
	flat := m.flatParams()
	if len(flat) == 0 {
		return nil
	}
	known := func(shape ...Extent) []Extent {
		out := slices.Clone(shape)
		for i, e := range out {
			if size != nil && e.Name != "" {
				out[i] = Fixed(size(e.Name) + e.Offset)
			}
		}
		return out
	}
	var terms []observing
	for _, t := range m.Terms {
		if t.Dist == nil {
			continue // no flat parameter is in it
		}
		shape := known(t.Left.Type().Shape...)
		own := t.Each
		if t.For != nil {
			own = append(own[:len(own):len(own)], t.For)
		}
		for _, ix := range own {
			ends := known(ix.Range.Lo, ix.Range.Hi)
			length := ends[1].Plus(1)
			if ends[0].IsConst() {
				length = length.Plus(-ends[0].Offset)
			}
			shape = append(shape, length)
		}
		o := observing{count: amountOf(shape)}
		in := paramsOf(append([]Expr{t.Left}, t.Args...)...)
		for _, p := range flat {
			if in[p] {
				o.params = append(o.params, p)
			}
		}
		if len(o.params) > 0 {
			terms = append(terms, o)
		}
	}
	var out []Diagnostic
	warned := map[*Param]bool{}
	warn := func(set []*Param) bool {
		elements := amount{}
		for _, p := range set {
			elements.plus(amountOf(known(p.Coordinates()...)), 1)
		}
		d, scarce := scarceSet(set, elements, terms)
		if scarce {
			out = append(out, d)
		}
		return scarce
	}
	for _, p := range flat {
		warned[p] = warn([]*Param{p})
	}
	for _, set := range connected(flat, terms) {
		if !slices.ContainsFunc(set, func(p *Param) bool { return warned[p] }) {
			warn(set)
		}
	}
	return out
}

// scarceSet is the warning of a set of flat parameters, and whether it is due: whether they have
// no more observations than elements.
func scarceSet(set []*Param, elements amount, terms []observing) (Diagnostic, bool) {
	count := amount{}
	var names []string
	for _, p := range set {
		names = append(names, "`"+p.Name+"`")
	}
	for _, t := range terms {
		if slices.ContainsFunc(t.params, func(p *Param) bool { return slices.Contains(set, p) }) {
			count.plus(t.count, 1)
		}
	}
	excess := amount{}
	excess.plus(count, 1)
	excess.plus(elements, -1)
	if len(count) == 0 || !excess.atMost(0) {
		return Diagnostic{}, false // W401 says that there are none
	}
	it, verb := "it", "has"
	if len(set) > 1 {
		it, verb = "them", "have"
	}
	few := "no more observations inform " + it + " than there are elements"
	if n, ok := count.number(); ok && n == 1 {
		few = "one observation informs " + it
	} else if k, whole := elements.number(); ok && whole && k == 1 {
		few = fmt.Sprintf("%d observations inform %s", n, it)
	} else if ok && whole {
		few = fmt.Sprintf("%d observations inform %d unknown numbers", n, k)
	}
	return Diagnostic{Severity: Warning, Code: ScarceData, Span: set[0].At,
		Message: fmt.Sprintf("%s %s no prior, and %s: the posterior rests on next to nothing, or is improper", inWords(names), verb, few),
		Hint:    fmt.Sprintf("give %s a prior, as in `%s ~ %s`", it, set[0].Name, priorOf(set[0]))}, true
}

// number returns an amount that does not depend on sizes.
func (a amount) number() (n int, ok bool) {
	for names, k := range a {
		if names != "" && k != 0 {
			return 0, false
		}
	}
	return a[""], true
}

// inWords lists names.
func inWords(names []string) string {
	switch n := len(names); {
	case n == 1:
		return names[0]
	case n <= 4:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	default:
		return fmt.Sprintf("%s and %d more parameters", strings.Join(names[:3], ", "), n-3)
	}
}

// priorOf is an example of a prior on the support of a parameter.
func priorOf(p *Param) string {
	if p.Support.LoNum != nil && *p.Support.LoNum == 0 {
		return "exponential(1)"
	}
	return "normal(0, 10)"
}

// flatParams are the parameters without a prior of which nothing else is known.
func (m *Model) flatParams() []*Param {
	known := map[*Param]bool{}
	var densities []Expr
	for _, t := range m.Terms {
		if t.Dist == nil {
			densities = append(densities, t.Value)
			continue
		}
		for _, p := range standsFor(t.Left) {
			known[p] = true
		}
		// What is made of parameters alone is described by a prior, in terms of them.
		arrays := false
		for d := range dataAlone(t.Left, map[*Let]*dataOf{}).data {
			arrays = arrays || len(d.Type.Shape) > 0
		}
		if !arrays {
			for p := range paramsOf(t.Left) {
				known[p] = true
			}
		}
	}
	for p := range paramsOf(densities...) {
		known[p] = true
	}
	var flat []*Param
	for _, p := range m.Params {
		if !known[p] && p.Constraint == nil && (p.Support.Lo == nil || p.Support.Hi == nil) && p.Type.Base != Invalid {
			flat = append(flat, p)
		}
	}
	return flat
}

// standsFor are the parameters that an expression is, by an element, as a multiple by what depends on none, as a latent utility whose sign was seen, or in a case of a conditional, as of
// values that were seen but for some.
func standsFor(e Expr) (out []*Param) {
	switch e := e.(type) {
	case *Name:
		switch o := e.Obj.(type) {
		case *Param:
			return []*Param{o}
		case *Let:
			switch v := o.Value.(type) {
			case *IfExpr, *BinaryExpr, *UnaryExpr:
				if o.Recursion == nil {
					return standsFor(v)
				}
			}
		}
	case *UnaryExpr:
		if e.Op == "-" {
			return standsFor(e.X)
		}
	case *BinaryExpr:
		x, y := e.X, e.Y
		if (e.Op == "*" || e.Op == ".*") && len(paramsOf(x)) == 0 {
			x, y = y, x
		}
		each := e.Op == ".*" || e.Op == "./" || (e.Op == "*" || e.Op == "/") && len(y.Type().Shape) == 0
		if each && len(paramsOf(y)) == 0 {
			return standsFor(x)
		}
	case *IndexExpr:
		return standsFor(e.Base)
	case *IfExpr:
		return append(standsFor(e.Then), standsFor(e.Else)...)
	}
	return out
}

// connected groups parameters that terms connect, in the order of their first.
func connected(params []*Param, terms []observing) [][]*Param {
	group := map[*Param]int{}
	for i, p := range params {
		group[p] = i
	}
	for _, t := range terms {
		to := group[t.params[0]]
		for _, p := range t.params {
			to = min(to, group[p])
		}
		for _, p := range t.params {
			if from := group[p]; from != to {
				for q, g := range group {
					if g == from {
						group[q] = to
					}
				}
			}
		}
	}
	byGroup := map[int][]*Param{}
	for _, p := range params {
		byGroup[group[p]] = append(byGroup[group[p]], p)
	}
	var out [][]*Param
	for i := range params {
		if len(byGroup[i]) > 1 {
			out = append(out, byGroup[i])
		}
	}
	return out
}
