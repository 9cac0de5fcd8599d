package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/symbolic"
)

// Least-squares fits, about which sums of squares are folded. A fit to data is a
// variable of summarise; one that other blocks' parameters enter is a field, which
// keeps its space from update to update.

// namedFit is a fit with its variable or field.
type namedFit struct {
	fit  *symbolic.Fit
	name string
	kept bool // a field
}

// nameFits lists the fits of the program.
func (g *generator) nameFits() {
	for _, def := range g.d.Prog.Defs {
		if def.Fit == nil || g.fitOf(def.Fit.Of) != nil {
			continue
		}
		g.fits = append(g.fits, namedFit{def.Fit.Of, g.names.fresh("fit"), def.Stage() > symbolic.StageData})
	}
}

func (g *generator) fitOf(f *symbolic.Fit) *namedFit {
	for n := range g.fits {
		if g.fits[n].fit == f {
			return &g.fits[n]
		}
	}
	return nil
}

// fitFields declares the fits that are kept.
func (g *generator) fitFields(st *jen.Group) {
	for _, f := range g.fits {
		if f.kept {
			st.Id(f.name).Add(linalg("LeastSquares")).Comment("of Given")
		}
	}
}

// allocateFits gives a clone fits of its own.
func (g *generator) allocateFits() []jen.Code {
	var lines []jen.Code
	for _, f := range g.fits {
		if f.kept {
			lines = append(lines, jen.Id("s").Dot(f.name).Op("=").Add(linalg("LeastSquares")).Values())
		}
	}
	return lines
}

// array prints an array as a slice, row-major.
func (p *printer) array(e *symbolic.Expr) *jen.Statement {
	if e == nil {
		return jen.Nil()
	}
	name := jen.Id(p.use(e.Tensor))
	if p.g.matrices[e.Tensor] {
		return name.Dot("RowMajor")
	}
	return name
}

// solveFit prints the computation of a fit.
func (p *printer) solveFit(f *symbolic.Fit) []jen.Code {
	named := p.g.fitOf(f)
	var out []jen.Code
	if !named.kept {
		out = append(out, jen.Var().Id(named.name).Add(linalg("LeastSquares")))
	}
	responses := jen.Lit(1)
	if f.Outer != nil {
		responses = p.extent(f.Outer.Range.Hi)
	}
	args := []jen.Code{p.extent(f.Rows.Range.Lo), p.extent(f.Rows.Range.Hi), responses, p.array(f.Arrays[0]), p.array(f.Arrays[1])}
	for n, x := range f.Columns {
		columns := jen.Lit(1)
		if x.Index != nil {
			columns = p.extent(x.Index.Range.Hi)
		}
		fields := jen.Dict{jen.Id("Columns"): columns}
		if x.Data != nil {
			fields[jen.Id("X")] = p.array(f.Arrays[2+n])
		}
		args = append(args, linalg("Regressor").Values(fields))
	}
	return append(out, p.fit(f).Dot("Fit").Call(args...))
}

// fit prints a fit.
func (p *printer) fit(f *symbolic.Fit) *jen.Statement {
	named := p.g.fitOf(f)
	if named.kept {
		return jen.Id("s").Dot(named.name)
	}
	return jen.Id(named.name)
}

// readFit prints the reading of a part of a fit.
func (p *printer) readFit(r *ReadFit) jen.Code {
	part := r.Part
	var args []jen.Code
	switch part.Role {
	case symbolic.FitCentre, symbolic.FitOffset, symbolic.FitScale:
		args = append(args, jen.Lit(part.Row))
	case symbolic.FitFactor, symbolic.FitHigh, symbolic.FitLow:
		args = append(args, jen.Lit(part.Row), jen.Lit(part.Col))
	}
	value := p.fit(part.Of).Dot(part.Role.String()).Call(args...)
	if len(r.T.Shape) == 0 {
		return jen.Id(p.g.names.tensor(r.T)).Op(":=").Add(value.Index(jen.Lit(0)))
	}
	return jen.Copy(jen.Id(p.use(r.T)), value)
}
