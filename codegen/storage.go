package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/symbolic"
)

// storage is how the emitted code keeps the matrix of a metric: how the matrix is filled, factorised,
// solved with and weighed, and what comments say of it. What else is emitted asks a storage for
// code, never which one it is.
type storage interface {
	// sizes adds the sizes of the model that the places of entries need.
	sizes(g *generator)
	// array is the variable of a matrix, or of weights.
	array(g *generator, name string) *loop.Var
	// at is the place of an entry: of two parameters, at their subscripts if they are vectors.
	at(l *lowering, row, col int, a, b []symbolic.Sub) []*loop.Int
	// entry lists what writes a result of the matrix.
	entry(g *generator, o symbolic.Output) []target
	// clears reports whether no result writes some of the entries, which are 0.
	clears(g *generator) bool
	// whole lists the sets of parameters whose matrix among themselves is stored as a whole.
	whole(g *generator) [][]int
	// length is the number of entries.
	length(g *generator, p *printer) *jen.Statement

	// factor is the type of the factor, in linalg.
	factor() string
	// construct makes the factor, for m coordinates.
	construct(g *generator, p *printer, m *jen.Statement) []jen.Code
	// settings are the numbers of the model that construct reads.
	settings(d *symbolic.Derived) []symbolic.Output
	// withMatrix calls a method of the factor that needs the matrix too, unless the factor holds it.
	withMatrix(method string, args ...jen.Code) *jen.Statement
	// root is the method of the factor that makes a momentum of standard normal variates.
	root() string
	// evaluated is the evaluation at a position, by a call that returns a status, for a method that writes dst.
	evaluated(call *jen.Statement) []jen.Code
	// metric writes the metric to dst, row-major.
	metric() []jen.Code

	// weigh makes the weights w of an argument w, given row-major, and tells their name: that of the
	// argument, where it can be used as it is.
	weigh() (code []jen.Code, w *jen.Statement)
	// weighForce makes the weights of G⁻¹ − v vᵀ.
	weighForce() []jen.Code
	// weighInverse makes the weights of G⁻¹.
	weighInverse() jen.Code
	// drops forgets the results that methods of this storage do not compute.
	drops(d *symbolic.Derived)
	// velocityMethods are those that momentumForce calls.
	velocityMethods(g *generator, b bodies) []jen.Code
	// momentumForce writes ½⟨v vᵀ, ∂G/∂q⟩ to f, with the velocity v.
	momentumForce() []jen.Code
	// jacobian is the body of MetricJacobian, and methods that come before it.
	jacobian(g *generator, b bodies) (before, body []jen.Code)
	// curvature are the methods of runtime.Curved.
	curvature(g *generator, b bodies) []jen.Code

	// terms are those of comments and reports.
	terms() terms
	// about says what the metric is, but for its blocks.
	about(g *generator) string
	// note adds a remark to a report; "" for none.
	note() string
}

// terms are the words and letters that comments and reports have for the matrix of a storage.
type terms struct {
	matrix string // the letter of what is stored
	weight string // that of its weights
	force  string // the part of the force that comes from the metric
	what   string // what is stored
	layout string // how
}

// storages lists the storages. A metric has the first that takes it.
var storages = []struct {
	name  string
	takes func(*symbolic.Metric) bool
	is    storage
}{
	{"SoftAbs in closed form", func(m *symbolic.Metric) bool { return m.SoftAbs && m.Shaft }, arrowStorage{}},
	{"SoftAbs", func(m *symbolic.Metric) bool { return m.SoftAbs }, softAbsStorage{}},
	{"structured", (*symbolic.Metric).Stored, structuredStorage{}},
	{"diagonal", func(m *symbolic.Metric) bool { return m.Diagonal }, diagonalStorage{}},
	{"dense", func(*symbolic.Metric) bool { return true }, denseStorage{}},
}

// storageOf chooses the storage of a metric.
func storageOf(m *symbolic.Metric) storage {
	for _, row := range storages {
		if row.takes(m) {
			return row.is
		}
	}
	panic("codegen: no storage takes a metric")
}

// linear is what storages have in common that keep the metric itself: its derivative is linear in that of
// what is stored.
type linear struct{}

func (linear) sizes(*generator)                             {}
func (linear) settings(*symbolic.Derived) []symbolic.Output { return nil }
func (linear) drops(*symbolic.Derived)                      {}
func (linear) root() string                                 { return "MulL" }
func (linear) note() string                                 { return "" }

func (linear) withMatrix(method string, args ...jen.Code) *jen.Statement {
	return sdot("factor").Dot(method).Call(args...)
}

func (linear) evaluated(call *jen.Statement) []jen.Code { return []jen.Code{call} }

func (linear) weighInverse() jen.Code { return sdot("factor").Dot("Inverse").Call(sdot("w")) }

// velocityMethods are rank1 and, if it needs anything of the position alone, prepare.
func (linear) velocityMethods(g *generator, b bodies) []jen.Code {
	var out []jen.Code
	if len(g.ph.prepare.defs) > 0 {
		out = append(out, doc("prepare computes what rank1 needs of the position alone.",
			g.method("prepare").Params(floats("q")).Block(b["prepare"]...)))
	}
	return append(out, doc("rank1 writes ½⟨v vᵀ, ∂G/∂q⟩ to f: the part of ∂H/∂q that changes with the momentum.",
		g.method("rank1").Params(floats("f", "q", "v")).Block(b["rank1"]...)))
}

func (linear) momentumForce() []jen.Code {
	return []jen.Code{sdot("rank1").Call(id("f"), id("q"), sdot("v"))}
}

func (linear) jacobian(g *generator, b bodies) (before, body []jen.Code) {
	if g.d.ByColumns {
		return nil, byColumns(sdot("Contract"))
	}
	return nil, append([]jen.Code{g.dynamics.evaluate(g, "q", orderForce), jen.Clear(id("dst"))}, b["cube"]...)
}

func (linear) curvature(g *generator, b bodies) []jen.Code {
	body := []jen.Code{g.dynamics.evaluate(g, "q", orderCurvature)}
	if code, w := g.storage.weigh(); len(code) > 0 {
		body = append(append(body, code...), id("w").Op("=").Add(w))
	}
	body = append(body, jen.Clear(id("dst")))
	return []jen.Code{g.curvatureMethod(append(body, b["curvature"]...)...)}
}

func (linear) about(g *generator) string {
	met := g.d.Metric
	kind := met.Kind()
	if part := met.Parts[0]; kind == "banded" {
		kind = fmt.Sprintf("banded (width %d)", part.Width)
	}
	return g.dynamics.adjective() + kind
}

// linearTerms are the terms of a metric that is stored in some layout.
func linearTerms(layout string) terms {
	return terms{matrix: "G", weight: "W", force: "½⟨G⁻¹ − v vᵀ, ∂G⟩", what: "the metric G(q)", layout: layout}
}

// blockTargets write a result that is a block of the matrix and, if mirrored, the
// transposed block.
func (g *generator) blockTargets(o symbolic.Output, mirrored bool) []target {
	to := func(o symbolic.Output) target {
		return target{out: o, dst: g.outputTensor(layout{kind: "matrix", array: "b", row: o.Row, col: o.Col})}
	}
	t := to(o)
	same := o.Row == o.Col && !g.d.Params[o.Row].Scalar()
	switch {
	case same && o.Subs == nil:
		t.pair = true
	case same && o.Mirrored(), o.Row != o.Col && mirrored:
		return []target{t, to(transposed(g.d, o))}
	}
	return []target{t}
}
