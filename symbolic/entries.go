package symbolic

// byBands reports whether a block of the matrix is stored by bands.
func (r *Derived) byBands(b BlockExpr) bool {
	return b.Row == b.Col && b.A != nil && r.Metric.Stored() && r.Metric.spineOf(b.Row) != nil
}

// along returns an index over a diagonal of a block, and the entry there.
func (r *Derived) along(b BlockExpr, band Band) (*Index, *Expr) {
	rng := b.A.Range
	rng.Lo = rng.Lo.Plus(band.Offset)
	i := r.C.NewIndex(b.A.Name, rng)
	return i, r.C.Subst(band.E, b.A, Sub{Index: i})
}

// entries lowers one block of the matrix: whole or, where it is stored by bands,
// one result for each diagonal at or below the main one.
func (r *Derived) entries(b BlockExpr) []Output {
	if !r.byBands(b) {
		idx := indexList(b.A, b.B)
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
		out = append(out, Output{Row: b.Row, Col: b.Col, Dir: -1, Indices: []*Index{i}, E: r.Prog.Lower(e, []*Index{i}),
			Banded: true, Offset: band.Offset})
	}
	return out
}
