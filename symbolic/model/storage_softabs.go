package model

import (
	"fmt"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// isMapped reports whether the metric is the SoftAbs map of a matrix.
func isMapped(_ *Posterior, m *Metric) bool { return m.mapped }

// hasShaft reports whether the metric is the SoftAbs map of a matrix over one vector and one scalar that is f·δ[a,b] over the
// vector, with an f that is the same for all of its elements.
func (p *Posterior) hasShaft(m *Metric) bool {
	if !m.mapped || len(p.Params) != 2 || p.Params[0].Scalar() == p.Params[1].Scalar() {
		return false
	}
	for _, b := range m.Blocks {
		if b.A == nil || b.B == nil {
			continue
		}
		bands, ok := p.C.Bands(b.E, b.A, b.B)
		if !ok || len(bands) != 1 || bands[0].Offset != 0 || bands[0].E.HasFree(b.A) {
			return false
		}
	}
	return true
}

func aboutSoftAbs(m *Metric) string {
	shift := ""
	if !m.shift.IsNum(0) {
		shift = " + " + expr.Format(m.shift) + "·I"
	}
	return fmt.Sprintf("G = SoftAbs(H, α = %s)%s of the Hessian H of L", expr.Format(m.alpha), shift)
}
