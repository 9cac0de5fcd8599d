package codegen

import (
	"slices"

	"github.com/dave/jennifer/jen"
)

// stage is a function of the model that its system is made of: a field of system.Stages, and the method of the type
// that it is.
type stage struct {
	field  string
	method string   // of the type; the function of the program has this name too
	text   string   // the doc comment; "" of methods that are printed elsewhere
	params []string // slices of floating-point numbers
}

// densityStages are those of the density.
func (g *generator) densityStages() []stage {
	out := []stage{{field: "LogDensity", method: "LogDensity"}}
	if g.hasODE() {
		out = append(out, stage{field: "Solve", method: "solve"})
	}
	return out
}

// matrixStage writes the matrix.
func (g *generator) matrixStage() stage {
	t := g.storage.terms()
	return stage{"Matrix", "matrix", "matrix writes " + t.what + " to b, " + t.layout + ".\n" + g.matrixFormulas(), []string{"b", "q"}}
}

// derivativeStages are those that the derivatives of a metric are made of.
func (g *generator) derivativeStages() []stage {
	t := g.storage.terms()
	out := []stage{g.matrixStage(), {"Pairing", "pairing",
		"pairing writes ⟨" + t.weight + ", ∂" + t.matrix + "/∂q⟩ to dst, for the weight w; the matrix was evaluated at q.", []string{"dst", "q", "w"}}}
	if !g.d.ByColumns {
		out = append(out, stage{"Cube", "cube",
			"cube writes ∂" + t.matrix + "_ij/∂q_k to dst[(i·m+j)·m+k], which holds zeros; the matrix was evaluated\nat q.", []string{"dst", "q"}})
	}
	if len(g.d.Product) > 0 {
		out = append(out, stage{"Product", "product",
			"product writes ∂(" + t.matrix + " v)_i/∂q_k at fixed v to dst[i·m+k], which holds zeros; the matrix was evaluated\nat q.", []string{"dst", "q", "v"}})
	}
	if g.d.Curved {
		out = append(out, stage{"Curvature", "curvature",
			"curvature writes ∂²(−L + ½⟨" + t.weight + ", " + t.matrix + "⟩)/∂q_k∂q_l at fixed " + t.weight +
				" to dst, which holds zeros, for the weight w; the\nmatrix was evaluated at q.", []string{"dst", "q", "w"}})
	}
	return out
}

// momentumStages are those of what changes with the momentum: rank1 and, if it needs anything of the position alone, prepare; none
// where v vᵀ is a weight like any other.
func (g *generator) momentumStages() []stage {
	if g.d.Metric.Storage.NonLinear {
		return nil
	}
	out := []stage{{"Rank1", "rank1", "rank1 writes ½⟨v vᵀ, ∂G/∂q⟩ to f: the part of ∂H/∂q that changes with the momentum.", []string{"f", "q", "v"}}}
	if len(g.ph.prepare.defs) > 0 {
		out = append(out, stage{"Prepare", "prepare", "prepare computes what rank1 needs of the position alone.", []string{"q"}})
	}
	return out
}

// makeSystem makes the system of the storage and of the stages; the type may keep the storage too.
func (g *generator) makeSystem(p *printer, keep bool) []jen.Code {
	kind := g.dynamics.system()
	store, then := g.storage.construct(g, p, g.dimCode(p))
	var out []jen.Code
	if len(then) > 0 {
		out = append(append(out, id("store").Op(":=").Add(store)), then...)
		store = id("store")
	}
	if keep {
		out = append(out, sdot("store").Op("=").Add(store))
		store = sdot("store")
	}
	stages := system("Stages").ValuesFunc(func(v *jen.Group) {
		for _, s := range g.dynamics.stages(g) {
			v.Line().Id(s.field).Op(":").Add(sdot(s.method))
		}
		v.Line()
	})
	return append(out, sdot(kind).Op("=").Add(system("New"+kind)).Call(stages, store))
}

// stageMethods prints the methods of the stages, and that of runtime.Curved, by the system.Derivatives of the type, if a
// stage is for it.
func (g *generator) stageMethods(b bodies, derivatives *jen.Statement) []jen.Code {
	if g.storage.clears(g) { // structural zeros are written once per call
		b["matrix"] = slices.Insert(b["matrix"], 0, jen.Code(jen.Clear(id("b"))))
	}
	var out []jen.Code
	for _, s := range g.dynamics.stages(g) {
		if s.text != "" {
			out = append(out, g.divided(b, s)...)
		}
		if s.field != "Curvature" {
			continue
		}
		out = append(out, doc("Curvature writes ∂²(−L + ½⟨W, G⟩)/∂q_k∂q_l at fixed W to dst[k·m+l], for a symmetric W\ngiven row-major: what Newton's method needs beyond Hamilton's equations.",
			g.method("Curvature").Params(floats("dst", "q", "w")).Block(system("Curvature").Call(derivatives, id("dst"), id("q"), id("w")))))
	}
	return out
}

// divided prints the method of a stage, and those of the functions that go on with it.
func (g *generator) divided(b bodies, s stage) []jen.Code {
	var args, out []jen.Code
	for _, p := range s.params {
		args = append(args, id(p))
	}
	f, name, text := g.prog.Func(s.method), s.method, s.text
	body := b[name]
	for {
		next := g.prog.Next(f)
		rest := ""
		if next != nil {
			rest = g.names.fresh(next.Name)
			body = append(body, sdot(rest).Call(args...))
		}
		out = append(out, doc(text, g.method(name).Params(floats(s.params...)).Block(body...)))
		if next == nil {
			return out
		}
		text = rest + " is the rest of " + name + "."
		f, name, body = next, rest, b[next.Name]
	}
}
