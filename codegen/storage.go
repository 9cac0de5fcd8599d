package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// storage is how the emitted code keeps the matrix of a metric: where entries and weights stand, which type of
// package system does the rest with them, and what comments say of it. What else is emitted asks a storage for
// code, never which one it is.
type storage interface {
	// sizes adds the sizes of the model that the places of entries need.
	sizes(g *generator)
	// array is the variable of a matrix, or of weights.
	array(g *generator, name string) *loop.Var
	// at is the place of an entry: of two parameters, at their subscripts if they are vectors.
	at(l *lowering, row, col int, a, b []expr.Sub) []*loop.Int
	// entry lists what writes a result of the matrix.
	entry(g *generator, o symbolic.Output) []target
	// clears reports whether no result writes some of the entries, which are 0.
	clears(g *generator) bool
	// whole lists the sets of parameters whose matrix among themselves is stored as a whole.
	whole(g *generator) [][]int

	// construct makes the storage of package system, for m coordinates; then reads what it knows.
	construct(g *generator, p *printer, m *jen.Statement) (made *jen.Statement, then []jen.Code)
	// settings are the numbers of the model that construct reads.
	settings(d *symbolic.Derived) []symbolic.Output
	// drops forgets the results that methods of this storage do not compute.
	drops(d *symbolic.Derived)
	// momentum are the stages of what changes with the momentum: none where v vᵀ is a weight like any other.
	momentum(g *generator) []stage

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
	takes func(*model.Metric) bool
	is    storage
}{
	{"SoftAbs in closed form", func(m *model.Metric) bool { return m.SoftAbs && m.Shaft }, arrowStorage{}},
	{"SoftAbs", func(m *model.Metric) bool { return m.SoftAbs }, softAbsStorage{}},
	{"structured", (*model.Metric).Stored, structuredStorage{}},
	{"diagonal", func(m *model.Metric) bool { return m.Diagonal }, diagonalStorage{}},
	{"dense", func(*model.Metric) bool { return true }, denseStorage{}},
}

// storageOf chooses the storage of a metric.
func storageOf(m *model.Metric) storage {
	for _, row := range storages {
		if row.takes(m) {
			return row.is
		}
	}
	panic("codegen: no storage takes a metric")
}

// itself is what storages have in common that keep the metric itself: its derivative is linear in that of
// what is stored.
type itself struct{}

func (itself) sizes(*generator)                             {}
func (itself) settings(*symbolic.Derived) []symbolic.Output { return nil }
func (itself) drops(*symbolic.Derived)                      {}
func (itself) momentum(g *generator) []stage                { return g.momentumStages() }
func (itself) note() string                                 { return "" }

func (itself) about(g *generator) string {
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
