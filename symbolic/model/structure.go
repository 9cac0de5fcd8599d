package model

import (
	"slices"
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
	if m.mapped { // none of it is known of the map
		m.Parts = []Part{{Spine: -1}}
		for n := range p.Params {
			m.Parts[0].Border = append(m.Parts[0].Border, n)
		}
		m.Structure = dense
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
	for _, part := range m.Parts {
		// What is stored by bands may be long: arrays over pairs of its
		// elements are not for storing.
		if part.Spine >= 0 {
			if x := p.Params[part.Spine].Size(); x.Name != "" {
				delete(c.Small, x.Name)
				c.Long[x.Name] = true
			}
		}
	}
	for _, s := range structures {
		if s.has(p, m) {
			m.Structure = s.name
			return
		}
	}
}

// The structures that are named elsewhere.
const (
	dense    = "dense"
	diagonal = "diagonal"
	banded   = "banded"
)

// structures lists the structures of metrics, which package runtime has by the same names. A metric has the first that holds.
var structures = []struct {
	name string
	has  func(p *Posterior, m *Metric) bool
}{
	{diagonal, func(p *Posterior, m *Metric) bool { return !slices.ContainsFunc(m.Parts, p.couples) }},
	{"block-diagonal", func(_ *Posterior, m *Metric) bool { return len(m.Parts) > 1 }},
	{dense, func(_ *Posterior, m *Metric) bool { return m.Parts[0].Spine < 0 }},
	{banded, func(_ *Posterior, m *Metric) bool { return len(m.Parts[0].Border) == 0 }},
	{"arrow", func(_ *Posterior, m *Metric) bool { return m.Parts[0].Width == 0 }},
	{"bordered band", func(*Posterior, *Metric) bool { return true }},
}

// couples reports whether a part couples coordinates.
func (p *Posterior) couples(part Part) bool {
	if part.Spine < 0 {
		return len(part.Border) > 1 || !p.Params[part.Border[0]].Scalar()
	}
	return part.Width > 0 || len(part.Border) > 0
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

// spineOf returns the part that has a parameter as its spine, or nil.
func (m *Metric) spineOf(n int) *Part {
	for i := range m.Parts {
		if m.Parts[i].Spine == n {
			return &m.Parts[i]
		}
	}
	return nil
}
