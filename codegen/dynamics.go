package codegen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/symbolic"
)

// dynamics is how a metric changes with the position, and so what Hamilton's equations are made of: what
// the work space remembers, which methods compute it and what the integrators' steps call. It goes
// with any storage.
type dynamics interface {
	// adjective describes the metric, with a blank at its end.
	adjective() string
	// keep chooses the storage of the metric, if there is one.
	keep(g *generator)
	// drops forgets the results that no method computes.
	drops(g *generator)
	// others are what methods compute beside the results of the calculus.
	others(g *generator) []symbolic.Output
	// slope is the gradient, if a method computes it without the density.
	slope(d *symbolic.Derived) []symbolic.Output
	// orders are those of the sensitivities of differential equations that methods ask for.
	orders(d *symbolic.Derived) []int
	// derive makes expressions that the methods need beside the results of the calculus.
	derive(g *generator)
	// fields declares the work space.
	fields(g *generator, st *jen.Group)
	// allocate makes its arrays.
	allocate(g *generator, p *printer) []jen.Code
	// describe adds the metric to the description of the model.
	describe(g *generator, info jen.Dict)
	// evaluate makes the matrix that of a position, and the factor if there is one, with the solutions
	// of differential equations up to an order.
	evaluate(g *generator, at string, order int) *jen.Statement
	// touch tells that work space which belongs to the factor's position is about to be overwritten.
	touch() []jen.Code
	// factorise is the call that makes the factor which serves all positions, or nil.
	factorise(model string) *jen.Statement
	// given ends the method Given: what was known of the former parameters of other blocks is forgotten.
	given() []jen.Code
	// methods are those of the metric and the steps.
	methods(g *generator, b bodies) []jen.Code
	// note adds a remark to a report; "" for none.
	note(g *generator) string
}

// allDynamics lists the dynamics. A type has the first that takes it.
var allDynamics = []struct {
	name  string
	takes func(*generator) bool
	is    dynamics
}{
	{"none", func(g *generator) bool { return g.d.Metric == nil }, noMetric{}},
	{"constant", func(g *generator) bool { return g.d.Metric.Constant }, constantMetric{}},
	{"flat", (*generator).flat, flatMetric{}},
	{"variable", func(*generator) bool { return true }, variableMetric{}},
}

// dynamicsOf chooses the dynamics of a type.
func dynamicsOf(g *generator) dynamics {
	for _, row := range allDynamics {
		if row.takes(g) {
			return row.is
		}
	}
	panic("codegen: no dynamics take a type")
}

// bodies are printed functions of the loop program by name; of a function that there is not, nil.
type bodies map[string][]jen.Code

// dropDerivatives forgets what derivatives of the metric come to.
func dropDerivatives(d *symbolic.Derived) {
	d.Rank1, d.Contract, d.Jacobian, d.Force, d.Curvature = nil, nil, nil, nil, nil
}

// noMetric is that of the joint density of several blocks: its blocks have metrics, and make the steps.
type noMetric struct{}

func (noMetric) adjective() string                               { return "" }
func (noMetric) keep(*generator)                                 {}
func (noMetric) drops(g *generator)                              { dropDerivatives(g.d) }
func (noMetric) others(*generator) []symbolic.Output             { return nil }
func (noMetric) slope(*symbolic.Derived) []symbolic.Output       { return nil }
func (noMetric) orders(*symbolic.Derived) []int                  { return []int{orderDensity} }
func (noMetric) fields(*generator, *jen.Group)                   {}
func (noMetric) allocate(*generator, *printer) []jen.Code        { return nil }
func (noMetric) describe(*generator, jen.Dict)                   {}
func (noMetric) evaluate(*generator, string, int) *jen.Statement { return jen.Null() }
func (noMetric) derive(*generator)                               {}
func (noMetric) touch() []jen.Code                               { return nil }
func (noMetric) factorise(string) *jen.Statement                 { return nil }
func (noMetric) given() []jen.Code                               { return nil }
func (noMetric) methods(*generator, bodies) []jen.Code           { return nil }
func (noMetric) note(*generator) string                          { return "" }

// metric is what all dynamics but noMetric have in common.
type metric struct{}

func (metric) adjective() string                         { return "" }
func (metric) others(g *generator) []symbolic.Output     { return g.storage.settings(g.d) }
func (metric) slope(*symbolic.Derived) []symbolic.Output { return nil }
func (metric) derive(*generator)                         {}
func (metric) touch() []jen.Code                         { return nil }
func (metric) factorise(string) *jen.Statement           { return nil }
func (metric) note(*generator) string                    { return "" }

func (metric) keep(g *generator) {
	g.storage = storageOf(g.d.Metric)
	g.storage.sizes(g)
}

func (metric) describe(g *generator, info jen.Dict) {
	met := jen.Dict{
		id("Constant"):  jen.Lit(g.d.Metric.Constant),
		id("Structure"): rt(structureName(g.d.Metric)),
	}
	if g.d.Metric.Identity {
		met[id("Identity")] = jen.True()
	}
	info[id("Metric")] = rt("MetricInfo").Values(met)
}

func (metric) orders(d *symbolic.Derived) []int {
	if d.Curved {
		return []int{orderDensity, orderForce, orderCurvature}
	}
	return []int{orderDensity, orderForce}
}

// factorFields declares the factor and the matrix.
func (g *generator) factorFields(st *jen.Group) {
	st.Id("factor").Op("*").Qual(linalgPath, g.storage.factor()).Comment("the metric's factor at position at")
	st.Id("b").Index().Float64().Comment("the matrix at position at")
}

// stepFields declares what the runtime's steps need.
func stepFields(st *jen.Group) {
	st.Id("v").Index().Float64().Comment("∂H/∂p")
	st.Id("steps").Add(rt("Steps"))
}

// allocateSteps makes what the runtime's steps need.
func allocateSteps(m *jen.Statement) []jen.Code {
	return append(makeArrays(m, "v"), sdot("steps").Op("=").Add(rt("NewSteps")).Call(m))
}

// makeArrays makes arrays of the work space.
func makeArrays(n *jen.Statement, names ...string) []jen.Code {
	var out []jen.Code
	for _, x := range names {
		out = append(out, sdot(x).Op("=").Make(jen.Index().Float64(), n))
	}
	return out
}

// matrixMethod writes the matrix. Structural zeros are written once per call.
func (g *generator) matrixMethod(b bodies) jen.Code {
	body := b["matrix"]
	if g.storage.clears(g) {
		body = slices.Insert(body, 0, jen.Code(jen.Clear(id("b"))))
	}
	t := g.storage.terms()
	return doc("matrix writes "+t.what+" to b, "+t.layout+".\n"+g.matrixFormulas(),
		g.method("matrix").Params(floats("b", "q")).Block(body...))
}

// pairingMethod contracts with the derivative of the matrix.
func (g *generator) pairingMethod(b bodies) jen.Code {
	t := g.storage.terms()
	return doc("pairing writes ⟨"+t.weight+", ∂"+t.matrix+"/∂q⟩ to dst, for the weight w; the matrix was evaluated at q.",
		g.method("pairing").Params(floats("dst", "q", "w")).Block(b["pairing"]...))
}

// metricMethod writes the whole metric.
func (g *generator) metricMethod() jen.Code {
	body := append(g.storage.evaluated(g.dynamics.evaluate(g, "q", orderDensity)), g.storage.metric()...)
	return doc("Metric writes G(q) to dst, row-major.", g.method("Metric").Params(floats("dst", "q")).Block(body...))
}

func (g *generator) contractMethod(body ...jen.Code) jen.Code {
	return doc("Contract writes ⟨W, ∂G/∂q⟩ to dst, for a symmetric W given row-major.", g.method("Contract").Params(floats("dst", "q", "w")).Block(body...))
}

func (g *generator) jacobianMethod(body ...jen.Code) jen.Code {
	return doc("MetricJacobian writes ∂G_ij/∂q_k to dst[(i·m+j)·m+k]. It serves tests; sampling\nnever forms this tensor.", g.method("MetricJacobian").Params(floats("dst", "q")).Block(body...))
}

// derivativeMethods are those of the derivatives of a metric that changes with the position.
func (g *generator) derivativeMethods(b bodies) []jen.Code {
	s := g.storage
	weighed, w := s.weigh()
	contract := append(s.evaluated(g.dynamics.evaluate(g, "q", orderForce)), weighed...)
	out := []jen.Code{g.metricMethod(), g.contractMethod(append(contract, sdot("pairing").Call(id("dst"), id("q"), w))...)}
	before, body := s.jacobian(g, b)
	out = append(append(out, before...), g.jacobianMethod(body...))
	if g.d.Curved {
		out = append(out, s.curvature(g, b)...)
	}
	return out
}
