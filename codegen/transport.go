package codegen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// What a model with latent vectors has beyond others: Push and Pull, which are the maps between their coordinates and
// their values, LogJacobian, and SetReference, where the maps depend on one.

// transported reports whether the type has latent vectors.
func (g *generator) transported() bool { return len(g.d.Transports) > 0 }

// anchored reports whether their maps depend on a reference.
func (g *generator) anchored() bool { return g.d.Anchored() }

// formula is the log density for people: what the maps of latent vectors add is named, which written out fills a page.
func (g *generator) formula() string {
	if g.transported() {
		return expr.Format(g.d.Plain) + " + log |∂x/∂z|"
	}
	return expr.Format(g.d.Plain)
}

// transportsDoc says of each latent vector what its map is.
func (g *generator) transportsDoc() string {
	text := ""
	for _, t := range g.d.Transports {
		text += fmt.Sprintf("\n\nThe values x of %s are those of a map x = c + L⁻ᵀz of the coordinates z = %s. The precision L Lᵀ\nof x is %s.",
			t.PlainName(), t.Name(), t.Describe())
	}
	return text
}

// whitening is the name of the function that finds the coordinates of a latent vector.
func (g *generator) whitening(n int) string { return "pull" + strconv.Itoa(n+1) }

// chaining is the name of the function that finds the plain coordinates of a parameter that a chain is written by.
func (g *generator) chaining(n int) string { return "chain" + strconv.Itoa(n+1) }

// chains puts the elements of chains in the place of the values of parameters that they are written by.
func (g *generator) chains(p *printer) (lines []jen.Code) {
	for n := range g.d.Chained {
		lines = append(lines, jen.Copy(sdot("plain"), id("q")), sdot(g.chaining(n)).Call(id("q"), sdot("plain")))
	}
	return lines
}

// transportFields declares the work space of Push and Pull, and the reference.
func (g *generator) transportFields(st *jen.Group) {
	if !g.transported() {
		return
	}
	st.Id("plain").Index().Float64().Comment("coordinates, of Push and Pull")
	if g.anchored() {
		st.Id("reference").Index().Float64().Comment("that the maps are made at")
	}
	if len(g.d.Measures) > 0 {
		st.Id("measures").Op("*").Qual(systemPath, "Measures").Comment("what the maps know by differences")
	}
}

// allocateTransports makes it.
func (g *generator) allocateTransports(p *printer) []jen.Code {
	if !g.transported() {
		return nil
	}
	out := []jen.Code{sdot("plain").Op("=").Make(jen.Index().Float64(), g.dimCode(p))}
	if g.anchored() {
		out = append(out, sdot("reference").Op("=").Make(jen.Index().Float64(), g.dimCode(p)))
	}
	return out
}

// transportMethods print Push, Pull and SetReference.
func (g *generator) transportMethods(prepare []jen.Code) []jen.Code {
	if !g.transported() {
		return nil
	}
	to, from := g.newPrinter(), g.newPrinter() // of Push, of Pull
	slot := func(p *printer, array *jen.Statement, in places, n int) *jen.Statement {
		return array.Index(p.extent(in.start(n)), p.extent(in.end(n)))
	}
	push := []jen.Code{sdot("push").Call(sdot("plain"), id("q"))}
	pull := []jen.Code{id("x").Op(":=").Add(sdot("plain")), jen.Copy(id("x"), id("q"))}
	parts := []jen.Code{doc("push writes the plain coordinates of latent vectors to their places in dst.",
		g.method("push").Params(floats("dst", "q")).Block(g.body("push")...))}
	var before []int         // of which the next sees the coordinates
	pushed := map[int]bool{} // of several vectors in a matrix all at once
	for n, o := range g.d.Whitened {
		name := g.d.Transports[n].Name()
		if !pushed[o.Row] {
			pushed[o.Row] = true
			push = append(push, jen.Copy(slot(to, id("q"), g.coords, o.Row), slot(to, sdot("plain"), g.coords, o.Row)))
		}
		if g.d.Transports[n].First {
			for _, row := range before {
				pull = append(pull, jen.Copy(slot(from, id("x"), g.coords, row), slot(from, id("q"), g.coords, row)))
			}
			before = nil
		}
		if !slices.Contains(before, o.Row) {
			before = append(before, o.Row)
		}
		method := g.whitening(n)
		pull = append(pull, sdot(method).Call(id("q"), id("x")))
		parts = append(parts, doc(method+" writes the coordinates "+name+" to dst, for plain ones in their place in q.",
			g.method(method).Params(floats("dst", "q")).Block(g.body(method)...)))
	}
	for n, group := range g.d.Chains() {
		method := g.chaining(n)
		var names []string
		for _, x := range group {
			names = append(names, x.Name)
		}
		parts = append(parts, doc(method+" writes the elements of "+strings.Join(names, " and ")+" to dst, for what they are made of in the place of coordinates in q, with the plain coordinates of others.",
			g.method(method).Params(floats("dst", "q")).Block(g.body(method)...)))
	}
	out := []jen.Code{
		doc("Push puts the plain coordinates of latent vectors in the place of theirs in q.", g.method("Push").Params(floats("q")).Block(append(g.prologue(to), push...)...)),
		doc("Pull is the inverse of Push: it puts coordinates in the place of plain ones.", g.method("Pull").Params(floats("q")).Block(append(g.prologue(from), pull...)...)),
	}
	of := "log |∂x/∂z| of the maps at q, a part of L(q): the rest is the log density in plain coordinates."
	if len(g.d.Chained) > 0 {
		of = "the logarithm of the Jacobian at q of what the coordinates of declarations are by z, a part of L(q): the rest is the log density in these."
	}
	out = append(out, doc("LogJacobian returns "+of,
		g.method("LogJacobian").Params(jen.Id("q").Index().Float64()).Float64().Block(g.densityBody("LogJacobian", &g.ph.logJacobian)...)))
	out = append(out, parts...)
	if len(g.d.Measures) > 0 {
		out = append(out, doc("unseen returns the log density of what maps know by differences only.",
			g.method("unseen").Params(jen.Id("q").Index().Float64()).Float64().Block(g.densityBody("unseen", &g.ph.unseen)...)))
	}
	if !g.anchored() {
		return out
	}
	p := g.newPrinter()
	set := append(g.setGiven(p, g.d.Reference), jen.Copy(sdot("reference"), id("q")))
	if len(g.d.Measures) > 0 {
		set = append(set, sdot("measures").Dot("At").Call(id("q")))
	} else {
		set = append(set, g.callPrepareGiven()...)
	}
	body := append(g.prologue(p), set...)
	if call := g.role.factorise(g, "s"); call != nil {
		body = append(body, call) // the gradient that is remembered is that of another map
	}
	return append(out, jen.Add(doc("SetReference makes the maps of latent vectors at a point, given as Push leaves one: what they predict there stands for\nwhat the data say of them.",
		g.method("SetReference").Params(floats("q")).Block(body...)), g.prepareGivenMethod(prepare)))
}

// measures are the arrays that are measured at a reference.
func (g *generator) measures() (out []*expr.Tensor) {
	for _, m := range g.d.Measures {
		out = append(out, m.Tensors()...)
	}
	return out
}

// newMeasures prints what measures, of which the method At computes what depends on the reference.
func (g *generator) newMeasures(p *printer) jen.Code {
	prepare := jen.Func().Params().Block()
	if len(g.ph.given.defs) > 0 {
		prepare = sdot("prepareGiven")
	}
	args := []jen.Code{id("s"), sdot("unseen"), prepare, g.dimCode(p), sdot("info").Dot("Work")}
	arrays := func(list []*expr.Tensor) jen.Code {
		var out []jen.Code
		for _, t := range list {
			out = append(out, sdot(g.names.tensor(t)))
		}
		return jen.Index().Index().Float64().Values(out...)
	}
	for _, m := range g.d.Measures {
		var places []jen.Code
		for _, v := range m.Vectors {
			start, step := g.coords.start(slices.Index(g.d.Params, v.Param)), 1
			if v.Across {
				start, step = start.Plus(v.N), v.Of
			}
			from := p.extent(start)
			if !v.Across && v.N > 0 {
				from = from.Op("+").Lit(v.N).Op("*").Add(p.extent(m.Length()))
			}
			places = append(places, jen.Values(jen.Dict{jen.Id("From"): from, jen.Id("Step"): jen.Lit(step)}))
		}
		fields := jen.Dict{jen.Id("N"): p.extent(m.Length()), jen.Id("Places"): jen.Index().Add(system("Place")).Values(places...),
			jen.Id("Root"): arrays(slices.Concat(m.Root...)), jen.Id("Score"): arrays(m.Score)}
		if len(m.Numbers) > 0 {
			var numbers []jen.Code
			for _, n := range m.Numbers {
				at := p.extent(g.coords.start(slices.Index(g.d.Params, n.Param)).Plus(n.Element))
				numbers = append(numbers, at)
			}
			fields[jen.Id("Numbers")], fields[jen.Id("Slope")] = jen.Index().Int().Values(numbers...), arrays(slices.Concat(m.Slope...))
		}
		args = append(args, jen.Line().Add(system("Measured").Values(fields)))
	}
	return sdot("measures").Op("=").Add(system("NewMeasures").Call(args...))
}
