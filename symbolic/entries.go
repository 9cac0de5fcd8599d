package symbolic

import "github.com/hamc-dev/hamc/symbolic/model"

// entry lowers what a storage keeps of the matrix. The elements of a diagonal stay together.
func (r *Derived) entry(e model.Entry) []Output {
	o := Output{Row: e.Row, Col: e.Col, Dir: -1, Indices: e.Indices, E: e.E, Banded: e.Banded, Offset: e.Offset}
	if o.Banded {
		o.E = r.Prog.Lower(o.E, o.Indices)
		return []Output{o}
	}
	return r.lowered(o)
}
