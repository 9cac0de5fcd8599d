package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// softAbsStorage keeps the whole Hessian, of which the metric is the SoftAbs map: the factor is its
// spectral decomposition. The map is not linear, so that weights of the metric become
// weights of the Hessian, and the metric may not exist where the Hessian does.
type softAbsStorage struct{ denseStorage }

// arrowStorage is softAbsStorage of a Hessian that is a multiple of the identity but for one row and column.
type arrowStorage struct{ softAbsStorage }

func (softAbsStorage) construct(g *generator, p *printer, m *jen.Statement) (*jen.Statement, []jen.Code) {
	return system("NewSoftAbs").Call(m, p.value(g.d.Alpha.E), p.value(g.d.Shift.E)), nil
}

func (arrowStorage) construct(g *generator, p *printer, m *jen.Statement) (*jen.Statement, []jen.Code) {
	head := jen.Lit(0)
	if g.d.Params[1].Scalar() {
		head = p.extent(g.offset(1))
	}
	return system("NewSoftAbsArrow").Call(m, head, p.value(g.d.Alpha.E), p.value(g.d.Shift.E)), nil
}

func (softAbsStorage) settings(d *symbolic.Derived) []symbolic.Output {
	return []symbolic.Output{d.Alpha, d.Shift}
}

// drops: v vᵀ goes through the map like any other weight.
func (softAbsStorage) drops(d *symbolic.Derived) { d.Rank1 = nil }

func (softAbsStorage) momentum(*generator) []stage { return nil }

func (softAbsStorage) terms() terms {
	return terms{matrix: "H", weight: "M", force: "½⟨M, ∂H⟩", what: "the Hessian of L at q, whose SoftAbs map is the metric,", layout: "row-major"}
}

func (softAbsStorage) about(g *generator) string {
	met, shift := g.d.Metric, ""
	if !met.Shift.IsNum(0) {
		shift = " + " + expr.Format(met.Shift) + "·I"
	}
	return fmt.Sprintf("G = SoftAbs(H, α = %s)%s of the Hessian H of L", expr.Format(met.Alpha), shift)
}

func (arrowStorage) note() string {
	return "H is a multiple of the identity but for one row and column: its eigenvectors have a closed form."
}
