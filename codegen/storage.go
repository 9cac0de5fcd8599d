package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// storage is codegen's half of a storage of package model: where entries and weights stand, which type of
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

	// system is the type of package system.
	system() string
	// construct makes a value of that type, for m coordinates; then reads what it knows.
	construct(g *generator, p *printer, m *jen.Statement) (made *jen.Statement, then []jen.Code)
	// small prints the factor of one or two coordinates, which s.store holds; nil of storages whose factor does not fit
	// into variables.
	small() func(g *generator, m int) *smallFactor

	// terms are those of comments and reports.
	terms() terms
}

// terms are the words and letters that comments and reports have for the matrix of a storage.
type terms struct {
	matrix string // the letter of what is stored
	weight string // that of its weights
	force  string // the part of the force that comes from the metric
	what   string // what is stored
	layout string // how
}

// storages has this half of each of model.Storages by its name. The file of a storage adds it.
var storages = map[string]storage{}

// storageOf returns the storage of a metric.
func storageOf(m *model.Metric) storage {
	s, ok := storages[m.Storage.Name]
	if !ok {
		panic("codegen: no storage is " + m.Storage.Name)
	}
	return s
}

// itself is what storages have in common that keep the metric itself: its derivative is linear in that of
// what is stored.
type itself struct{}

func (itself) sizes(*generator)       {}
func (itself) clears(*generator) bool { return false }

func (itself) entry(g *generator, o symbolic.Output) []target { return g.entryTargets(o, true) }

func (itself) small() func(*generator, int) *smallFactor { return nil }

// linearTerms are the terms of a metric that is stored in some layout.
func linearTerms(layout string) terms {
	return terms{matrix: "G", weight: "W", force: "½⟨G⁻¹ − v vᵀ, ∂G⟩", what: "the metric G(q)", layout: layout}
}

// entryTargets write a result that is a diagonal of a block, or a block and, if mirrored, the
// transposed block.
func (g *generator) entryTargets(o symbolic.Output, mirrored bool) []target {
	if o.Banded {
		return []target{{out: o, dst: g.outputTensor(layout{kind: "band", array: "b", row: o.Row, dir: o.Offset})}}
	}
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
