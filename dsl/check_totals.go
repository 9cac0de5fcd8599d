package dsl

// maxElements is the largest number of elements that all parameters together may have, as far
// as it is known when the model is compiled; of all generated quantities likewise. Positions among them, and
// those of pairs of coordinates, are ints of the emitted code.
const maxElements = 1e9

// totals checks the numbers of elements of the parameters and of the generated quantities.
func (c *checker) totals() {
	total := 0.0
	for _, p := range c.model.Params {
		n := 1.0
		for _, e := range p.Type.Shape {
			n *= float64(max(e.Offset, 0))
		}
		if total += n; total > maxElements {
			c.err(BadSize, p.At, "", "the parameters up to `%s` have %v elements; a model has at most 1e9", p.Name, total)
			break
		}
	}
	total = 0
	for _, q := range c.model.Quantities {
		if q.Type.Base == Invalid {
			continue
		}
		n := 1.0
		for _, i := range q.Indices {
			if r := i.Range; r.Lo.Name == r.Hi.Name {
				n *= float64(max(r.Hi.Offset-r.Lo.Offset+1, 0))
			}
		}
		if len(q.Indices) == 0 {
			for _, e := range q.Type.Shape {
				n *= float64(max(e.Offset, 0))
			}
		}
		if total += n; total > maxElements {
			c.err(BadSize, q.At, "", "the generated quantities up to `%s` have %v elements; a model has at most 1e9", q.Name, total)
			break
		}
	}
}
