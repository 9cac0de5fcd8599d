package codegen

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/symbolic"
)

// role is what a type of the package is: the model, or the joint density of several blocks, or one of
// these. It says how the type is made, copied and described.
type role interface {
	// constructor is the function that makes the type.
	constructor(g *generator) string
	// constructorText describes that function.
	constructorText(g *generator) string
	// checks emits the validation of the data.
	checks(g *generator, b *jen.Group)
	// text describes the type.
	text(g *generator) string
	// name is that of the model in its description.
	name(g *generator) string
	// cloning are the methods that copy the type, and that tell its blocks.
	cloning(g *generator) []jen.Code
	// named are the methods that name the parameters of a point or a draw.
	named(g *generator) []jen.Code
	// given is the method that sets the other blocks' parameters, if there are any.
	given(g *generator, prepare []jen.Code) []jen.Code
	// factorise is the call by which new work space gets the factor that serves all positions, or nil.
	factorise(g *generator, model string) *jen.Statement
	// title heads a report.
	title(g *generator) string
	// report says what was made of the type.
	report(g *generator, b *strings.Builder)
	// gives says what is given to the type and is neither data nor part of its position.
	gives() string
	// once says how often it happens that what is free of the position is computed.
	once() string
}

// posteriorRole is that of a model that is sampled as a whole.
type posteriorRole struct{}

// jointRole is that of the joint density of several blocks.
type jointRole struct{ posteriorRole }

// blockRole is that of one of several blocks.
type blockRole struct{}

// roleOf is that of the type of a whole model.
func roleOf(d *symbolic.Derived) role {
	if d.Metric == nil {
		return jointRole{}
	}
	return posteriorRole{}
}

func (posteriorRole) constructor(g *generator) string { return g.declared("New", "") }
func (blockRole) constructor(g *generator) string     { return "new" + g.typ }

func (r posteriorRole) constructorText(g *generator) string {
	return r.constructor(g) + " returns the model given its data, or an error that names all data\nthat do not fit their declarations. The data are copied."
}

func (r blockRole) constructorText(g *generator) string {
	return r.constructor(g) + " returns the block given data that " + g.declared("New", "") + " has checked."
}

func (posteriorRole) checks(g *generator, b *jen.Group) { g.checks(b) }
func (blockRole) checks(*generator, *jen.Group)         {}

func (posteriorRole) text(g *generator) string {
	return g.withFormulas(g.typ + " is the posterior given its data, with the work space of one chain: it\nserves one goroutine, and Clone makes another for the next chain.")
}

func (jointRole) text(g *generator) string {
	return g.withFormulas(g.typ + " is the joint posterior given its data, with the blocks in which it is\nsampled and the work space of one chain: it serves one goroutine, and Clone makes\nanother for the next chain.")
}

func (blockRole) text(g *generator) string {
	return fmt.Sprintf("%s is the density of the block %s given the other parameters, which Given\nsets. Its log density is the joint one.", g.typ, g.d.Block.ObjectName())
}

// withFormulas adds to a text what the comment of the package says, if the package is not that of the
// model alone.
func (g *generator) withFormulas(text string) string {
	if g.opt.Prefix == "" {
		return text
	}
	return text + "\n\nThis is the model " + g.d.Model.Name + ". " + g.about()
}

func (posteriorRole) name(g *generator) string { return g.d.Model.Name }
func (blockRole) name(g *generator) string     { return g.d.Block.ObjectName() }

// cloneBody copies a type that has work space of its own, and no blocks.
func (g *generator) cloneBody() []jen.Code {
	out := []jen.Code{id("c").Op(":=").Op("*").Id("s"), id("c").Dot("allocate").Call()}
	if call := g.role.factorise(g, "c"); call != nil {
		out = append(out, call)
	}
	if g.anchored() {
		out = append(out, id("c").Dot("SetReference").Call(sdot("reference")))
	}
	return append(out, jen.Return(jen.Op("&").Id("c")))
}

func (posteriorRole) cloning(g *generator) []jen.Code {
	return []jen.Code{doc("Clone returns a model on the same data with work space of its own.",
		g.method("Clone").Params().Add(rt("Model")).Block(g.cloneBody()...))}
}

func (jointRole) cloning(g *generator) []jen.Code {
	body := []jen.Code{id("c").Op(":=").Op("*").Id("s"), id("c").Dot("allocate").Call()}
	var blocks []jen.Code
	for _, u := range g.blocks {
		body = append(body, id("c").Dot(u.fieldName).Op("=").Id("s").Dot(u.fieldName).Dot("clone").Call())
		blocks = append(blocks, sdot(u.fieldName))
	}
	return []jen.Code{
		doc("Clone returns a model on the same data with work space of its own.",
			g.method("Clone").Params().Add(rt("Gibbs")).Block(append(body, jen.Return(jen.Op("&").Id("c")))...)),
		doc("Blocks returns the conditional densities that are sampled in turn.",
			g.method("Blocks").Params().Index().Add(rt("Conditional")).Block(jen.Return(jen.Index().Add(rt("Conditional")).Values(blocks...)))),
	}
}

func (blockRole) cloning(g *generator) []jen.Code {
	return []jen.Code{
		doc("clone returns a block on the same data with work space of its own: Given comes\nbefore anything else.",
			g.method("clone").Params().Op("*").Id(g.typ).Block(g.cloneBody()...)),
		doc("Clone is clone for the runtime.", g.method("Clone").Params().Add(rt("Model")).Block(jen.Return(sdot("clone").Call()))),
	}
}

func (posteriorRole) named(g *generator) []jen.Code { return g.paramsMethods() }
func (blockRole) named(*generator) []jen.Code       { return nil }

func (posteriorRole) given(*generator, []jen.Code) []jen.Code { return nil }

func (blockRole) given(g *generator, prepare []jen.Code) []jen.Code {
	return []jen.Code{g.givenMethod(prepare)}
}

func (posteriorRole) factorise(g *generator, model string) *jen.Statement {
	return g.dynamics.factorise(model)
}

// factorise: Given does it.
func (blockRole) factorise(*generator, string) *jen.Statement { return nil }

func (posteriorRole) title(g *generator) string {
	return fmt.Sprintf("model %s\n\nlog density\n", g.d.Model.Name)
}

func (blockRole) title(g *generator) string {
	return fmt.Sprintf("block %s of model %s\n\nlog density given the other parameters\n", g.d.Block.ObjectName(), g.d.Model.Name)
}

func (posteriorRole) report(g *generator, b *strings.Builder) { g.explainMetric(b) }

func (jointRole) report(g *generator, b *strings.Builder) {
	fmt.Fprintf(b, "\nsampled in %d blocks, each given the others\n", len(g.d.Conditionals))
	g.explainGenerated(b)
}

func (blockRole) report(g *generator, b *strings.Builder) { g.explainMetric(b) }

func (posteriorRole) gives() string { return "the reference of the transports" }
func (blockRole) gives() string     { return "the other blocks' parameters" }

func (posteriorRole) once() string { return "once" }
func (blockRole) once() string     { return "once per update of the block" }
