package model

import (
	"cmp"
	"fmt"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// How the matrix of a metric is kept is a value, its storage: a row of Storages, which the metric carries once its structure is known.
//
//	blocks of the metric ──▶ structure ──▶ Storages: the first row that takes it
//	                                          │
//	                                          │ Metric.Storage
//	          ┌───────────────────┬───────────┴──────────┬───────────────────────┐
//	      symbolic             codegen             runtime/system       symbolic/interpret
//	  Entries: what is     storage: where it    Storage: factor,       image: the metric that
//	  kept, lowered and    stands, and what     solution, draws,       it is of, where that is
//	  paired with weights  makes its Storage    weights                not the entries themselves
//
// The row has what the calculus knows of a storage: which metrics it is for, what it keeps of them as expressions, and what it is
// called. The other layers each have a file, which adds their part under the name of the row. Everyone else asks these for what is
// to be done, and never which storage a metric has. So one is added by a row here and a file where there is work.
//
// Two facts are no storages and go with any. Constant says that the metric is free of the position. Structure says where it has
// zeros, which is more than the storage may use: a band of few coordinates is kept as a whole.

// Storage is a row of Storages.
type Storage struct {
	Name string

	// NonLinear says that the metric is a map of what is kept that is not linear: weights of the metric become weights of what is
	// kept, and v vᵀ is one like any other.
	NonLinear bool
	// Long says that it is for long vectors, which no method of all pairs of coordinates is for.
	Long bool
	// Note is a remark for reports; "" for none.
	Note string

	takes   func(p *Posterior, m *Metric) bool    // is it for a metric of that structure?
	entries func(p *Posterior, m *Metric) []Entry // what it keeps
	whole   func(p *Posterior, m *Metric) [][]int // sets of parameters whose matrix among themselves is kept as a whole; nil for none

	cubic bool                   // an iteration of an implicit step counts the cube of the number of coordinates, for the factor and the inverse
	title string                 // what the metric is called; "" where it has the name of its structure
	about func(m *Metric) string // says what it is in formulas; nil where its name does
}

// Storages lists the storages. A metric has the first that takes it.
var Storages = []*Storage{
	{Name: "SoftAbs in closed form", NonLinear: true, Note: "H is a multiple of the identity but for one row and column: its eigenvectors have a closed form.",
		takes: (*Posterior).hasShaft, entries: byBlocks, whole: allParams, cubic: true, title: "SoftAbs", about: aboutSoftAbs},
	{Name: "SoftAbs", NonLinear: true, takes: isMapped, entries: byBlocks, whole: allParams, cubic: true, title: "SoftAbs", about: aboutSoftAbs},
	{Name: "diagonal", takes: isDiagonal, entries: byDiagonals},
	{Name: "structured", Long: true, takes: (*Posterior).hasLongParts, entries: bySpines, whole: borders},
	{Name: "dense", takes: isAny, entries: byBlocks, whole: allParams, cubic: true},
}

// storageOf chooses the storage of a metric.
func (p *Posterior) storageOf(m *Metric) *Storage {
	for _, s := range Storages {
		if s.takes(p, m) {
			return s
		}
	}
	panic("model: no storage takes a metric")
}

// Entries lists what the storage of a metric keeps.
func (p *Posterior) Entries(m *Metric) []Entry { return m.Storage.entries(p, m) }

// Whole lists the sets of parameters whose matrix among themselves the storage keeps as a whole.
func (p *Posterior) Whole(m *Metric) [][]int {
	if m.Storage.whole == nil {
		return nil
	}
	return m.Storage.whole(p, m)
}

// Entry is an array of numbers that a storage keeps, E over Indices: the elements of a block of the matrix, or of one of its
// diagonals. One that is no part of the matrix has no column; it is free of the position, since nothing is a weight of it.
type Entry struct {
	Row, Col int // parameters; Col is −1 where there is none
	Indices  []*expr.Index
	E        *expr.Expr
	At, To   []expr.Sub // of the elements, at the parameter of the row and at that of the column
	Mirrored bool       // the matrix has them a second time, at the transposed place

	// Banded marks the elements (i, i − Offset) of the block of a parameter with itself.
	Banded bool
	Offset int
}

// block is an entry of all elements of a block.
func block(b BlockExpr) Entry {
	return Entry{Row: b.Row, Col: b.Col, Indices: expr.IndexList(b.A, b.B), E: b.E,
		At: expr.SubsOf(expr.IndexList(b.A)), To: expr.SubsOf(expr.IndexList(b.B)), Mirrored: b.Row != b.Col}
}

// diagonals lists the entries of a block by its diagonals, at or below the main one.
func (p *Posterior) diagonals(b BlockExpr) (out []Entry) {
	bands, _ := p.C.Bands(b.E, b.A, b.B)
	for _, band := range bands {
		if band.Offset < 0 {
			continue // the mirror image
		}
		rng := b.A.Range
		rng.Lo = rng.Lo.Plus(band.Offset)
		i := p.C.NewIndex(b.A.Name, rng)
		out = append(out, Entry{Row: b.Row, Col: b.Col, Indices: expr.IndexList(i), E: p.C.Subst(band.E, b.A, expr.Sub{Index: i}),
			At: []expr.Sub{{Index: i}}, To: []expr.Sub{{Index: i, Offset: -band.Offset}}, Mirrored: band.Offset > 0, Banded: true, Offset: band.Offset})
	}
	return out
}

// entriesOf lists the entries of a metric, of which some vector parameters' own blocks are kept by diagonals.
func (p *Posterior) entriesOf(m *Metric, banded func(param int) bool) (out []Entry) {
	for _, b := range m.Blocks {
		if b.Row == b.Col && b.A != nil && banded(b.Row) {
			out = append(out, p.diagonals(b)...)
		} else {
			out = append(out, block(b))
		}
	}
	return out
}

func byBlocks(p *Posterior, m *Metric) []Entry {
	return p.entriesOf(m, func(int) bool { return false })
}

func byDiagonals(p *Posterior, m *Metric) []Entry {
	return p.entriesOf(m, func(int) bool { return true })
}

func bySpines(p *Posterior, m *Metric) []Entry {
	return p.entriesOf(m, func(param int) bool { return m.spineOf(param) != nil })
}

func allParams(p *Posterior, _ *Metric) [][]int {
	all := make([]int, len(p.Params))
	for n := range all {
		all[n] = n
	}
	return [][]int{all}
}

func borders(_ *Posterior, m *Metric) (out [][]int) {
	for _, part := range m.Parts {
		if len(part.Border) > 0 {
			out = append(out, part.Border)
		}
	}
	return out
}

func isAny(*Posterior, *Metric) bool { return true }

func isDiagonal(_ *Posterior, m *Metric) bool { return m.Structure == diagonal }

// hasLongParts reports whether a metric has parts that are not dense, and not few coordinates.
func (p *Posterior) hasLongParts(m *Metric) bool { return m.Structure != dense && !p.fewCoordinates() }

// maxWhole is the largest number of coordinates, known at compile time, of a
// metric that is stored whole whatever its structure.
const maxWhole = 16

// fewCoordinates reports whether the coordinates are few, whatever the data.
func (p *Posterior) fewCoordinates() bool {
	total := 0
	for _, b := range p.Params {
		if total += b.Size().Offset; !b.Size().IsConst() || total > maxWhole {
			return false
		}
	}
	return true
}

// Cubic reports whether the factor and the inverse count as the cube of the number of coordinates. Where a metric with zeros is kept as a
// whole, that is of few coordinates, and does not count.
func (m *Metric) Cubic() bool { return m.Storage.cubic && m.Structure == dense }

// name is what the metric is called, but for its being constant.
func (m *Metric) name() string { return cmp.Or(m.Storage.title, m.Structure) }

// Describe says in a few words what the metric is.
func (m *Metric) Describe() string {
	switch name := m.name(); {
	case !m.Constant:
		return name
	case name == dense:
		return "constant"
	default:
		return "constant " + name
	}
}

// About says what the metric is, but for its blocks.
func (m *Metric) About() string {
	if m.Storage.about != nil {
		return m.Storage.about(m)
	}
	text := m.name()
	if text == banded {
		text = fmt.Sprintf("banded (width %d)", m.Parts[0].Width)
	}
	if m.Constant {
		text = "constant and " + text
	}
	return text
}
