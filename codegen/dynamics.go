package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/symbolic"
)

// dynamics is how a metric changes with the position, and so what Hamilton's equations are made of: what
// the work space remembers, which methods compute it and what the integrators' steps call. It goes
// with any storage.
type dynamics interface {
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
	// system is the type of package system that the type embeds; "" for none.
	system() string
	// stages are what the system is made of.
	stages(g *generator) []stage
	// fields declares the work space that the steps have beside it.
	fields(g *generator, st *jen.Group)
	// allocate makes its arrays.
	allocate(g *generator, p *printer) []jen.Code
	// describe adds the metric to the description of the model.
	describe(g *generator, info jen.Dict)
	// touch tells that work space which belongs to the factor's position is about to be overwritten.
	touch() []jen.Code
	// factorise is the call that makes the factor which serves all positions, or nil.
	factorise(model string) *jen.Statement
	// forget forgets what is known of positions: the model is no longer what it was. It is a call that returns a
	// status, or statements.
	forget() (statements []jen.Code, call *jen.Statement)
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
	{"small constant", func(g *generator) bool { return g.smallConstant() }, smallConstantMetric{}},
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
	d.Rank1, d.Contract, d.Jacobian, d.Product, d.Force, d.Curvature = nil, nil, nil, nil, nil, nil
}

// noMetric is that of the joint density of several blocks: its blocks have metrics, and make the steps.
type noMetric struct{}

func (noMetric) keep(*generator)                           {}
func (noMetric) drops(g *generator)                        { dropDerivatives(g.d) }
func (noMetric) others(*generator) []symbolic.Output       { return nil }
func (noMetric) slope(*symbolic.Derived) []symbolic.Output { return nil }
func (noMetric) orders(*symbolic.Derived) []int            { return []int{orderDensity} }
func (noMetric) system() string                            { return "" }
func (noMetric) fields(*generator, *jen.Group)             {}
func (noMetric) allocate(*generator, *printer) []jen.Code  { return nil }
func (noMetric) describe(*generator, jen.Dict)             {}
func (noMetric) derive(*generator)                         {}
func (noMetric) touch() []jen.Code                         { return nil }
func (noMetric) factorise(string) *jen.Statement           { return nil }
func (noMetric) stages(*generator) []stage                 { return nil }
func (noMetric) forget() ([]jen.Code, *jen.Statement)      { return nil, nil }
func (noMetric) methods(*generator, bodies) []jen.Code     { return nil }
func (noMetric) note(*generator) string                    { return "" }

// metric is what all dynamics but noMetric have in common.
type metric struct{}

func (metric) others(g *generator) []symbolic.Output     { return g.d.Settings }
func (metric) slope(*symbolic.Derived) []symbolic.Output { return nil }
func (metric) derive(*generator)                         {}
func (metric) fields(*generator, *jen.Group)             {}

func (metric) allocate(g *generator, p *printer) []jen.Code { return g.makeSystem(p, false) }

func (metric) touch() []jen.Code               { return nil }
func (metric) factorise(string) *jen.Statement { return nil }
func (metric) note(*generator) string          { return "" }

func (metric) keep(g *generator) {
	g.storage = storageOf(g.d.Metric)
	g.storage.sizes(g)
}

func (metric) describe(g *generator, info jen.Dict) {
	met := jen.Dict{
		id("Constant"):  jen.Lit(g.d.Metric.Constant),
		id("Structure"): rt(exported(g.d.Metric.Structure)),
	}
	if g.d.Metric.Identity {
		met[id("Identity")] = jen.True()
	}
	if g.d.Metric.Auto {
		met[id("Auto")] = jen.True()
	}
	info[id("Metric")] = rt("MetricInfo").Values(met)
}

func (metric) orders(d *symbolic.Derived) []int {
	if d.Curved {
		return []int{orderDensity, orderForce, orderCurvature}
	}
	return []int{orderDensity, orderForce}
}
