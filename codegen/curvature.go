package codegen

import (
	"github.com/dave/jennifer/jen"
)

// curvatureMethod is that of runtime.Curved.
func (g *generator) curvatureMethod(body ...jen.Code) jen.Code {
	return doc("Curvature writes ∂²(−L + ½⟨W, G⟩)/∂q_k∂q_l at fixed W to dst[k·m+l], for a symmetric W\ngiven row-major: what Newton's method needs beyond Hamilton's equations.",
		g.method("Curvature").Params(floats("dst", "q", "w")).Block(body...))
}
