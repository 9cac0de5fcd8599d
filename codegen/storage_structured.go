package codegen

import (
	"fmt"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// structuredStorage keeps the parts of the structure of the matrix, as linalg.Structured
// packs them: of each part first the band of its spine by diagonals, then the
// rows of its border along the spine, then the border's own block. Banded, bordered
// and block-diagonal matrices differ in their parts alone.
type structuredStorage struct{ itself }

func init() { storages["structured"] = structuredStorage{} }

// sizes adds those that tell where the parts begin, and those of their borders.
func (structuredStorage) sizes(g *generator) {
	for k := 1; k < len(g.d.Metric.Parts); k++ {
		key := startKey(k)
		name := g.names.fresh(fmt.Sprintf("start%d", k))
		g.sizeOf[key] = name
		g.sizes = append(g.sizes, sizeField{key: key, name: name, part: k})
	}
	for _, part := range g.d.Metric.Parts {
		g.borderSize(part, -1) // the sizes that it needs
	}
}

func (structuredStorage) array(g *generator, name string) *loop.Var {
	return g.param(name, loop.At(g.unknown()))
}

// entry writes a diagonal of a spine or a block of a border; between the two there is one block, not two.
func (structuredStorage) entry(g *generator, o symbolic.Output) []target {
	return g.entryTargets(o, g.onSpine(o.Row) == g.onSpine(o.Col))
}

// clears: all is written where there is one band and all of its diagonals are results.
func (structuredStorage) clears(g *generator) bool {
	m := g.d.Metric
	return len(m.Parts) != 1 || len(m.Parts[0].Border) > 0 || len(g.d.Matrix) != m.Parts[0].Width+1
}

func (structuredStorage) system() string { return "Structured" }

func (structuredStorage) construct(g *generator, p *printer, m *jen.Statement) (made *jen.Statement, then []jen.Code) {
	for _, f := range g.sizes {
		if f.part > 0 {
			then = append(then, sdot(f.name).Op("=").Id("store").Dot("Start").Call(jen.Lit(f.part)))
		}
	}
	return system("NewStructured").Call(m, g.partsLiteral(p)), then
}

func (structuredStorage) terms() terms { return linearTerms("packed as linalg.Structured does") }

// partOf returns the number of the part that holds a parameter.
func (g *generator) partOf(param int) int {
	for k, part := range g.d.Metric.Parts {
		if part.Spine == param {
			return k
		}
		for _, b := range part.Border {
			if b == param {
				return k
			}
		}
	}
	panic(fmt.Sprintf("codegen: parameter %d is in no part of the metric", param))
}

// onSpine reports whether a parameter is the spine of its part.
func (g *generator) onSpine(param int) bool {
	return g.d.Metric.Parts[g.partOf(param)].Spine == param
}

// borderSize returns the number of coordinates of a part's border, and where
// those of a parameter begin in it.
func (g *generator) borderSize(part model.Part, param int) (size, start dsl.Extent) {
	size = dsl.Fixed(0)
	for _, b := range part.Border {
		if b == param {
			start = size
		}
		size = g.addExtents(size, g.d.Params[b].Size(), fmt.Sprintf("border%dAfter", g.partOf(b)), g.d.Params[b].Decl.ObjectName())
	}
	return size, start
}

// startKey names the size field that tells where a part begins.
func startKey(part int) string { return derivedKey("start", strconv.Itoa(part)) }

// within is the position of an element within a parameter that begins at start.
func (l *lowering) within(start dsl.Extent, subs []expr.Sub) *loop.Int {
	if len(subs) == 0 {
		return l.g.extent(start)
	}
	return l.g.extent(start).Add(l.position(subs[0]))
}

// partStart is where a part begins.
func (g *generator) partStart(part int) *loop.Int {
	if part == 0 {
		return loop.Const(0)
	}
	return g.extent(dsl.Extent{Name: startKey(part)})
}

// at follows the parts.
func (structuredStorage) at(l *lowering, row, col int, a, b []expr.Sub) []*loop.Int {
	g := l.g
	k := g.partOf(row)
	part := g.d.Metric.Parts[k]
	n := loop.Const(0)
	if part.Spine >= 0 {
		n = g.extent(g.d.Params[part.Spine].Size())
	}
	at := func(terms ...*loop.Int) []*loop.Int {
		sum := g.partStart(k)
		for _, t := range terms {
			sum = sum.Add(t)
		}
		return []*loop.Int{sum}
	}
	bands := loop.Const(part.Width + 1).Times(n) // those of the spine
	switch {
	case row == part.Spine && col == part.Spine:
		o := distance(a[0], b[0])
		if o < 0 {
			a, o = b, -o
		}
		return at(loop.Const(o).Times(n), l.position(a[0]))
	case row == part.Spine || col == part.Spine:
		if row == part.Spine {
			row, a, b = col, b, a
		}
		_, start := g.borderSize(part, row)
		return at(bands, l.within(start, a).Times(n), l.position(b[0]))
	}
	extent, i := g.borderSize(part, row)
	_, j := g.borderSize(part, col)
	size := g.extent(extent)
	return at(bands, size.Times(n), l.within(i, a).Times(size), l.within(j, b))
}

// distance returns how far one subscript is ahead of another of the same index,
// or fixed position.
func distance(a, b expr.Sub) int {
	switch {
	case a.Index != nil && a.Index == b.Index, a.Data != nil && a.Data == b.Data:
		return a.Offset - b.Offset
	case a.IsFixed() && b.IsFixed() && a.At.Name == b.At.Name:
		return a.At.Offset - b.At.Offset
	}
	panic("codegen: an entry of a banded block on no diagonal")
}

// partsLiteral prints the parts for linalg.NewStructured.
func (g *generator) partsLiteral(p *printer) *jen.Statement {
	return jen.Index().Add(linalg("Part")).ValuesFunc(func(v *jen.Group) {
		for _, part := range g.d.Metric.Parts {
			fields := jen.Dict{}
			if part.Spine >= 0 {
				if off := g.offset(part.Spine); off != dsl.Fixed(0) {
					fields[jen.Id("Spine")] = p.extent(off)
				}
				fields[jen.Id("N")] = p.extent(g.d.Params[part.Spine].Size())
				if part.Width > 0 {
					fields[jen.Id("Width")] = jen.Lit(part.Width)
				}
			}
			if len(part.Border) > 0 {
				fields[jen.Id("Border")] = g.borderLiteral(p, part)
			}
			v.Line().Values(fields)
		}
		v.Line()
	})
}

// borderLiteral prints the coordinates of a border.
func (g *generator) borderLiteral(p *printer, part model.Part) *jen.Statement {
	scalars := true
	for _, b := range part.Border {
		scalars = scalars && g.d.Params[b].Scalar()
	}
	if scalars {
		return jen.Index().Int().ValuesFunc(func(v *jen.Group) {
			for _, b := range part.Border {
				v.Add(p.extent(g.offset(b)))
			}
		})
	}
	var spans []jen.Code
	for _, b := range part.Border {
		spans = append(spans, linalg("Span").Call(p.extent(g.offset(b)), p.extent(g.d.Params[b].Size())))
	}
	if len(spans) == 1 {
		return jen.Add(spans[0])
	}
	return jen.Qual("slices", "Concat").Call(spans...)
}
