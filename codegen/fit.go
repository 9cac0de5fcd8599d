package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Least-squares fits, about which sums of squares are folded. A fit to data is a
// variable of summarise; one that other blocks' parameters enter is a field, which
// keeps its space from update to update.

// namedFit is a fit with its variable or field.
type namedFit struct {
	fit  *expr.Fit
	name string // in the emitted code
	text string // in the loop program
	kept bool   // a field
}

// nameFits lists the fits of the program.
func (g *generator) nameFits() {
	for _, def := range g.d.Prog.Defs {
		if def.Fit == nil || g.fitOf(def.Fit.Of) != nil {
			continue
		}
		g.fits = append(g.fits, namedFit{def.Fit.Of, g.names.fresh("fit"), fmt.Sprintf("fit%d", len(g.fits)+1), def.Stage() > expr.StageData})
	}
}

func (g *generator) fitOf(f *expr.Fit) *namedFit {
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

// fitNamed is the fit of a name in the loop program.
func (g *generator) fitNamed(name string) *namedFit {
	for n := range g.fits {
		if g.fits[n].text == name {
			return &g.fits[n]
		}
	}
	panic("codegen: no fit " + name)
}

// fitCode prints a fit: a variable, or a field.
func (g *generator) fitCode(name string) *jen.Statement {
	named := g.fitNamed(name)
	if named.kept {
		return jen.Id("s").Dot(named.name)
	}
	return jen.Id(named.name)
}
