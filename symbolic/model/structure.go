package model

import (
	"sort"
)

// The structure of a metric is read off the deltas of its entries, never off
// numbers: an entry f·δ[a,b+o] lies on the diagonal with offset o wherever the
// parameters are. Parameters whose block with each other is zero are
// independent; a part is what hangs together.

// Part is a set of parameters that no entry of the metric couples to others. Its
// spine is a vector parameter whose own block is banded; its border are
// parameters coupled to anything. A part without a spine is dense, a spine of
// width 0 with a border is an arrow.
type Part struct {
	Spine  int // −1 if there is none
	Width  int // entries beyond |i − j| = Width are zero
	Border []int
}

// structure finds the parts of a metric.
func (p *Posterior) structure(m *Metric) {
	c := p.C
	coupled := make([][]int, len(p.Params))
	width := make([]int, len(p.Params)) // of a parameter's own block; −1 if it is dense
	for n, b := range p.Params {
		if b.Scalar() {
			width[n] = -1
		}
	}
	for _, b := range m.Blocks {
		if b.Row != b.Col {
			coupled[b.Row] = append(coupled[b.Row], b.Col)
			coupled[b.Col] = append(coupled[b.Col], b.Row)
			continue
		}
		if b.A == nil {
			continue
		}
		bands, ok := c.Bands(b.E, b.A, b.B)
		if !ok || len(bands) == 0 {
			width[b.Row] = -1
			continue
		}
		w := max(-bands[0].Offset, bands[len(bands)-1].Offset)
		if x := p.Params[b.Row].Size(); x.IsConst() && w > 0 && w >= x.Offset-1 {
			w = -1 // it leaves nothing out
		}
		width[b.Row] = w
	}
	if m.SoftAbs {
		m.Parts = []Part{{Spine: -1}}
		for n := range p.Params {
			m.Parts[0].Border = append(m.Parts[0].Border, n)
		}
		m.Shaft = p.hasShaft(m, width)
		return
	}
	seen := make([]bool, len(p.Params))
	for n := range p.Params {
		if seen[n] {
			continue
		}
		members := []int{n}
		seen[n] = true
		for at := 0; at < len(members); at++ {
			for _, o := range coupled[members[at]] {
				if !seen[o] {
					seen[o] = true
					members = append(members, o)
				}
			}
		}
		sort.Ints(members)
		m.Parts = append(m.Parts, p.part(members, width))
	}
	total := 0
	m.small = true
	for _, b := range p.Params {
		total += b.Size().Offset
		m.small = m.small && b.Size().IsConst() && total <= maxWhole
	}
	m.Diagonal = true
	for _, part := range m.Parts {
		scalar := part.Spine < 0 && len(part.Border) == 1 && p.Params[part.Border[0]].Scalar()
		m.Diagonal = m.Diagonal && (scalar || part.Spine >= 0 && part.Width == 0 && len(part.Border) == 0)
		// What is stored by bands may be long: arrays over pairs of its
		// elements are not for storing.
		if part.Spine >= 0 {
			if x := p.Params[part.Spine].Size(); x.Name != "" {
				delete(c.Small, x.Name)
				c.Long[x.Name] = true
			}
		}
	}
}

// hasShaft reports whether a matrix over one vector and one scalar is f·δ[a,b] over the
// vector, with an f that is the same for all of its elements.
func (p *Posterior) hasShaft(m *Metric, width []int) bool {
	if len(p.Params) != 2 || p.Params[0].Scalar() == p.Params[1].Scalar() {
		return false
	}
	for _, b := range m.Blocks {
		if b.A == nil || b.B == nil {
			continue
		}
		if bands, _ := p.C.Bands(b.E, b.A, b.B); width[b.Row] != 0 || bands[0].E.HasFree(b.A) {
			return false
		}
	}
	return true
}

// part makes the part of some parameters. Its spine is the longest of the
// banded ones: a size known at run time only counts as longer than any number.
func (p *Posterior) part(members []int, width []int) Part {
	part := Part{Spine: -1}
	best := 0
	for _, n := range members {
		x := p.Params[n].Size()
		length := x.Offset
		if x.Name != "" {
			length = 1 << 30
		}
		if width[n] >= 0 && length > best {
			part.Spine, part.Width, best = n, width[n], length
		}
	}
	for _, n := range members {
		if n != part.Spine {
			part.Border = append(part.Border, n)
		}
	}
	return part
}

// maxWhole is the largest number of coordinates, known at compile time, of a
// metric that is stored whole whatever its structure.
const maxWhole = 16

// Stored reports whether the metric is stored by parts: it is neither dense nor
// diagonal as a whole, nor small.
func (m *Metric) Stored() bool {
	return !m.Diagonal && !m.small && !(len(m.Parts) == 1 && m.Parts[0].Spine < 0)
}

// Kind names the structure of the metric.
func (m *Metric) Kind() string {
	switch {
	case m.Diagonal:
		return "diagonal"
	case len(m.Parts) > 1:
		return "block-diagonal"
	case m.Parts[0].Spine < 0:
		return "dense"
	case len(m.Parts[0].Border) == 0:
		return "banded"
	case m.Parts[0].Width == 0:
		return "arrow"
	}
	return "bordered band"
}

// Describe says in a few words what the metric is.
func (m *Metric) Describe() string {
	switch {
	case m.SoftAbs:
		return "SoftAbs"
	case m.Constant && m.Kind() == "dense":
		return "constant"
	case m.Constant:
		return "constant " + m.Kind()
	}
	return m.Kind()
}

// SpineOf returns the part that has a parameter as its spine, or nil.
func (m *Metric) SpineOf(n int) *Part {
	for i := range m.Parts {
		if m.Parts[i].Spine == n {
			return &m.Parts[i]
		}
	}
	return nil
}
