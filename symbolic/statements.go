package symbolic

import (
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// Statement holds the results of one summand of the log density, apart from the others.
type Statement struct {
	Term *dsl.Term

	LogDensity Output
	Gradient   []Output // by parameter, as in Derived

	// Each is the log density at each value of the indices that a distribution runs
	// over, Left the left side there and Args the arguments. The indices are those of
	// the left side and then that of `for`. Of a `density` statement, and of a
	// distribution of vectors, Each is LogDensity, and there is nothing else.
	Each Output
	Left Output
	Args []Output
}

// DeriveStatements derives the log density of each statement of a model that Derive accepts,
// one for each of Model.Terms. The program of the Derived has no other results; it is
// evaluated, and no code is made of it.
func DeriveStatements(m *dsl.Model) (*Derived, []Statement) {
	var out []Statement
	r := expr.Growing(func(by expr.Grain) *Derived {
		var r *Derived
		r, out = statements(model.ElaborateBy(m, nil, false, by))
		return r
	})
	return r, out
}

func statements(p *model.Posterior) (*Derived, []Statement) {
	c := p.C
	defer func() { c.Sharing = false }()
	r := &Derived{Posterior: p, Prog: newProgram(p)}
	r.Prog.lowerFamilies()
	output := func(e *expr.Expr, indices []*expr.Index) Output {
		return Output{Row: -1, Col: -1, Dir: -1, Indices: indices, E: r.Prog.Lower(e, indices)}
	}
	var out []Statement
	for _, t := range p.Terms {
		s := Statement{Term: t.Term, LogDensity: output(c.Fold(t.L), nil)}
		s.Gradient = r.gradient(s.LogDensity.E)
		s.Each = s.LogDensity
		if t.Term.Dist != nil && !t.Term.Dist.Whole() {
			s.Each, s.Left = output(t.Each, t.Indices), output(t.Left.At(), t.Indices)
			for _, a := range t.Args {
				s.Args = append(s.Args, output(a.At(), t.Indices))
			}
		}
		out = append(out, s)
	}
	return r, out
}
