package codegen

import (
	"fmt"
	"slices"
	"strconv"

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

// transportFields declares the work space of Push and Pull, and the reference.
func (g *generator) transportFields(st *jen.Group) {
	if !g.transported() {
		return
	}
	st.Id("plain").Index().Float64().Comment("coordinates, of Push and Pull")
	if g.anchored() {
		st.Id("reference").Index().Float64().Comment("that the maps are made at")
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
	out := []jen.Code{
		doc("Push puts the plain coordinates of latent vectors in the place of theirs in q.", g.method("Push").Params(floats("q")).Block(append(g.prologue(to), push...)...)),
		doc("Pull is the inverse of Push: it puts coordinates in the place of plain ones.", g.method("Pull").Params(floats("q")).Block(append(g.prologue(from), pull...)...)),
	}
	out = append(out, doc("LogJacobian returns log |∂x/∂z| of the maps at q, a part of L(q): the rest is the log density in plain coordinates.",
		g.method("LogJacobian").Params(jen.Id("q").Index().Float64()).Float64().Block(g.densityBody("LogJacobian", &g.ph.logJacobian)...)))
	out = append(out, parts...)
	if !g.anchored() {
		return out
	}
	p := g.newPrinter()
	set := g.setGiven(p, g.d.Reference)
	body := append(g.prologue(p), set...)
	body = append(body, jen.Copy(sdot("reference"), id("q")))
	body = append(body, g.callPrepareGiven()...)
	if call := g.role.factorise(g, "s"); call != nil {
		body = append(body, call) // the gradient that is remembered is that of another map
	}
	return append(out, jen.Add(doc("SetReference makes the maps of latent vectors at a point, given as Push leaves one: what they predict there stands for\nwhat the data say of them.",
		g.method("SetReference").Params(floats("q")).Block(body...)), g.prepareGivenMethod(prepare)))
}
