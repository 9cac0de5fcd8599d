package symbolic

import (
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// byBands reports whether a block of the matrix is stored by bands.
func (r *Derived) byBands(b model.BlockExpr) bool {
	return b.Row == b.Col && b.A != nil && r.Metric.Stored() && r.Metric.SpineOf(b.Row) != nil
}

// along returns an index over a diagonal of a block, and the entry there.
func (r *Derived) along(b model.BlockExpr, band expr.Band) (*expr.Index, *expr.Expr) {
	rng := b.A.Range
	rng.Lo = rng.Lo.Plus(band.Offset)
	i := r.C.NewIndex(b.A.Name, rng)
	return i, r.C.Subst(band.E, b.A, expr.Sub{Index: i})
}

// entries lowers one block of the matrix: whole or, where it is stored by bands,
// one result for each diagonal at or below the main one.
func (r *Derived) entries(b model.BlockExpr) []Output {
	if !r.byBands(b) {
		idx := expr.IndexList(b.A, b.B)
		whole := Output{Row: b.Row, Col: b.Col, Dir: -1, Indices: idx, E: b.E}
		if r.Metric.Diagonal {
			whole.E = r.Prog.Lower(b.E, idx) // only its diagonal is stored
			return []Output{whole}
		}
		return r.lowered(whole)
	}
	bands, _ := r.C.Bands(b.E, b.A, b.B)
	var out []Output
	for _, band := range bands {
		if band.Offset < 0 {
			continue // the mirror image
		}
		i, e := r.along(b, band)
		out = append(out, Output{Row: b.Row, Col: b.Col, Dir: -1, Indices: []*expr.Index{i}, E: r.Prog.Lower(e, []*expr.Index{i}),
			Banded: true, Offset: band.Offset})
	}
	return out
}
