package codegen

import (
	"github.com/dave/jennifer/jen"
)

// softAbsStorage keeps the whole Hessian, of which the metric is the SoftAbs map: the factor is its
// spectral decomposition. The map is not linear, so that weights of the metric become
// weights of the Hessian, and the metric may not exist where the Hessian does.
type softAbsStorage struct{ denseStorage }

// arrowStorage is softAbsStorage of a Hessian that is a multiple of the identity but for one row and column.
type arrowStorage struct{ softAbsStorage }

func init() {
	storages["SoftAbs"] = softAbsStorage{}
	storages["SoftAbs in closed form"] = arrowStorage{}
}

func (softAbsStorage) system() string { return "SoftAbs" }

func (softAbsStorage) small() func(*generator, int) *smallFactor { return nil }

// settings prints α and the shift.
func (softAbsStorage) settings(g *generator, p *printer) jen.Code {
	return jen.List(p.value(g.d.Settings[0].E), p.value(g.d.Settings[1].E))
}

func (s softAbsStorage) construct(g *generator, p *printer, m *jen.Statement) (*jen.Statement, []jen.Code) {
	return system("NewSoftAbs").Call(m, s.settings(g, p)), nil
}

func (s arrowStorage) construct(g *generator, p *printer, m *jen.Statement) (*jen.Statement, []jen.Code) {
	head := jen.Lit(0)
	if g.d.Params[1].Scalar() {
		head = p.extent(g.offset(1))
	}
	return system("NewSoftAbsArrow").Call(m, head, s.settings(g, p)), nil
}

func (softAbsStorage) terms() terms {
	return terms{matrix: "H", weight: "M", force: "½⟨M, ∂H⟩", what: "the Hessian of L at q, whose SoftAbs map is the metric,", layout: "row-major"}
}
