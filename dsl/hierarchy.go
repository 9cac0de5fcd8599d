package dsl

import "slices"

// Hierarchical are the parameters, of more than one element, whose prior has a scale or a covariance that depends on other parameters: where that is small they lie close together, and
// coordinates that are not of their own make the posterior a funnel.
func (m *Model) Hierarchical() []*Param {
	var out []*Param
	for _, t := range m.Terms {
		if t.Dist == nil || t.Left == nil || len(t.Args) == 0 || t.Dist.Name != "skew_normal" && !slices.Contains(scaled, t.Dist.Name) && t.Dist.Support != VectorReal {
			continue
		}
		p := alias(t.Left)
		if p == nil || len(p.Type.Shape) == 0 || slices.Contains(out, p) {
			continue
		}
		scale := t.Args[len(t.Args)-1]
		if t.Dist.Name == "skew_normal" {
			scale = t.Args[1]
		}
		for other := range paramsOf(scale) {
			if other != p {
				out = append(out, p)
				break
			}
		}
	}
	return out
}
