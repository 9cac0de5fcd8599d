package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

func rt(name string) *jen.Statement     { return jen.Qual(runtimePath, name) }
func linalg(name string) *jen.Statement { return jen.Qual(linalgPath, name) }
func system(name string) *jen.Statement { return jen.Qual(systemPath, name) }

// comment renders text as // lines.
func comment(text string) *jen.Statement { return indented(text, 0) }

// fieldComment renders text as // lines above a field.
func fieldComment(text string) *jen.Statement { return indented(text, 1) }

// indented renders text as // lines behind some tabs.
func indented(text string, tabs int) *jen.Statement {
	s := jen.Null()
	for i, l := range commentLines(strings.TrimRight(text, "\n"), tabs) {
		if i > 0 {
			s = s.Line()
		}
		s = s.Comment(l)
	}
	return s
}

// commentLines puts // before the lines of a text, none of which ends beyond maxLine behind some tabs.
func commentLines(text string, tabs int) []string {
	var lines []string
	for list := strings.Split(text, "\n"); len(list) > 0; {
		l := list[0]
		if list = list[1:]; strings.HasPrefix(l, "\t") {
			lines = append(lines, wrapped(l)...)
			continue
		}
		l, rest := broken(l, maxLine-len("// ")-tabWidth*tabs)
		if lines = append(lines, l); rest == "" {
			continue
		}
		if len(list) > 0 && goesOn(list[0]) { // the paragraph
			list[0] = rest + " " + list[0]
		} else {
			list = append([]string{rest}, list...)
		}
	}
	for i, l := range lines {
		lead := "// "
		if strings.HasPrefix(l, "\t") {
			lead = "//"
		}
		lines[i] = strings.TrimRight(lead+l, " ")
	}
	return lines
}

// method starts a method of the model.
func (g *generator) method(name string) *jen.Statement {
	return jen.Func().Params(jen.Id("s").Op("*").Id(g.typ)).Id(name)
}

// declared returns the name of something that the file declares, with the prefix of all of them
// between a verb and a noun: LinData, NewLin, ReadLinData.
func (g *generator) declared(verb, noun string) string { return verb + g.opt.Prefix + noun }

func floats(names ...string) *jen.Statement {
	ids := make([]jen.Code, len(names))
	for i, n := range names {
		ids[i] = jen.Id(n)
	}
	return jen.List(ids...).Index().Float64()
}

// file writes the whole package: the type of the model, and those of its blocks
// if there are several.
func (g *generator) file(blocks []*generator) *jen.File {
	f := jen.NewFile(g.opt.Package)
	f.HeaderComment(g.header())
	g.blocks = blocks
	if g.opt.Prefix == "" { // the package is that of the model alone
		about := fmt.Sprintf("Package %s samples the posterior of the model %s.\n\n%s", g.opt.Package, g.d.Model.Name, g.about())
		for _, l := range commentLines(about, 0) {
			f.PackageComment(l)
		}
	}
	f.ImportAlias(runtimePath, "rt")
	for _, path := range []string{kernelPath, linalgPath, systemPath, specialPath, elementaryPath, checkPath, dataPath, odePath, randomPath, transformPath} {
		f.ImportName(path, path[strings.LastIndex(path, "/")+1:])
	}

	units := append([]*generator{g}, blocks...)
	bodies := make([][]jen.Code, len(units))
	for n, u := range units {
		u.out = f
		bodies[n] = u.methods() // printing them finds the fields
	}
	f.Add(comment(fmt.Sprintf("The generated code and the runtime must agree on their interface, which has version %d here.\nWhere they do not, go generate with the hamc of that runtime makes them.", apiVersion)))
	f.Const().Id("_").Op("=").Id("uint").Call(rt("APIVersion").Op("-").Lit(apiVersion)).Op("+").Id("uint").Call(jen.Lit(apiVersion).Op("-").Add(rt("APIVersion")))
	g.dataType()
	g.paramsType()
	g.quantitiesType()
	for n, u := range units {
		u.modelType()
		u.constructor()
		for _, c := range bodies[n] {
			f.Add(c)
			f.Line()
		}
	}
	return f
}

// about says what the model is, in formulas.
func (g *generator) about() string {
	var b strings.Builder
	if doc := g.d.Model.Doc; doc != "" {
		b.WriteString(doc + "\n\n")
	}
	b.WriteString("The log density is\n\n\tL = " + g.formula())
	if len(g.blocks) == 0 {
		b.WriteString("\n\nand the metric is " + g.metricDoc())
	}
	for n, u := range g.blocks {
		if n == 0 {
			b.WriteString("\n\nIts parameters are sampled in blocks, each given the others.")
		}
		fmt.Fprintf(&b, "\n\nThe metric of the block %s is %s", u.d.Block.ObjectName(), u.metricDoc())
	}
	b.WriteString(g.transportsDoc())
	return b.String()
}

// apiVersion is the version of the runtime's interface that the code is
// written for.
const apiVersion = 16

// metricDoc says what the metric is, in formulas.
func (g *generator) metricDoc() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, with the blocks\n\n", g.d.Metric.About())
	for _, blk := range g.d.Metric.Blocks {
		fmt.Fprintf(&b, "\t%s: %s\n", g.blockName(blk.Row, blk.Col, blk.A, blk.B), expr.Format(blk.E))
	}
	return strings.TrimRight(b.String(), "\n")
}

func (g *generator) blockName(row, col int, a, b *expr.Index) string {
	side := func(n int, i *expr.Index) string {
		s := g.d.Params[n].Coord.Name
		if i != nil {
			s += "[" + i.Name + "]"
		}
		return s
	}
	return side(row, a) + ", " + side(col, b)
}

// shapeDoc describes a declared shape.
func shapeDoc(t dsl.Type) string {
	if len(t.Shape) == 0 {
		return ""
	}
	s := make([]string, len(t.Shape))
	for i, e := range t.Shape {
		s[i] = e.String()
	}
	if len(s) == 2 {
		return fmt.Sprintf("%s × %s, row-major", s[0], s[1])
	}
	return s[0] + " elements"
}

func goType(t dsl.Type) *jen.Statement {
	s := jen.Empty()
	if len(t.Shape) > 0 {
		s = jen.Index()
	}
	if t.Base == dsl.Int {
		return s.Int()
	}
	return s.Float64()
}

// supportDoc renders bounds for a comment.
func supportDoc(s *dsl.Support) string {
	b := func(e dsl.Expr, v *float64) string {
		if v != nil {
			return fmt.Sprint(*v)
		}
		if n, ok := e.(*dsl.Name); ok {
			return n.Name
		}
		return "its bound"
	}
	switch {
	case s.Set != nil:
		parts := make([]string, len(s.Set))
		for i, v := range s.Set {
			parts[i] = fmt.Sprint(v)
		}
		return "one of " + strings.Join(parts, ", ")
	case s.Lo != nil && s.Hi != nil:
		return "between " + b(s.Lo, s.LoNum) + " and " + b(s.Hi, s.HiNum)
	case s.Lo != nil && s.LoOpen:
		return "above " + b(s.Lo, s.LoNum)
	case s.Lo != nil:
		return "at least " + b(s.Lo, s.LoNum)
	case s.Hi != nil && s.HiOpen:
		return "below " + b(s.Hi, s.HiNum)
	case s.Hi != nil:
		return "at most " + b(s.Hi, s.HiNum)
	}
	return ""
}

// computedDoc says of a size that it is not read.
func computedDoc(d *dsl.Data) string {
	if d.Formula == nil {
		return ""
	}
	return "computed of the others"
}

func joinDoc(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "; ")
}

// dataType declares Data and its reader.
func (g *generator) dataType() {
	f := g.out
	m := g.d.Model
	data, read := g.declared("", "Data"), g.declared("Read", "Data")
	f.Add(comment(data + " is what the model is conditioned on."))
	f.Type().Id(data).StructFunc(func(st *jen.Group) {
		for _, d := range m.Data {
			if d.Doc != "" {
				st.Add(fieldComment(d.Doc))
			}
			st.Id(g.field(d.ObjectName())).Add(goType(d.Type)).Comment(joinDoc(d.ObjectName(), shapeDoc(d.Type), supportDoc(&d.Support), computedDoc(d)))
		}
	})
	f.Add(comment(read + " reads the data from JSON in CmdStan's form; name is used in messages."))
	f.Func().Id(read).Params(jen.Id("r").Qual("io", "Reader"), jen.Id("name").String()).Params(jen.Id(data), jen.Error()).BlockFunc(func(b *jen.Group) {
		b.Var().Id("d").Id(data)
		b.List(jen.Id("set"), jen.Err()).Op(":=").Qual(dataPath, "Read").Call(jen.Id("r"), jen.Id("name"))
		b.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Id("d"), jen.Err()))
		// All mistakes are told, not the first.
		b.Id("in").Op(":=").Id("set").Dot("Collect").Call()
		size := func(e dsl.Extent) *jen.Statement {
			if e.Name == "" {
				return jen.Lit(e.Offset)
			}
			return plus(jen.Id("d").Dot(g.field(e.Name)), e.Offset)
		}
		for _, k := range m.Consts {
			if k.FromData {
				b.Id("in").Dot("Equal").Call(jen.Lit(k.ObjectName()), jen.Lit(int(k.Value)))
			}
		}
		// Sizes first: the shapes of the rest need them.
		for pass := 0; pass < 2; pass++ {
			for _, d := range m.Data {
				isInt := d.Type.Base == dsl.Int && d.Type.IsScalar()
				if (isInt && d.Formula == nil) != (pass == 0) {
					continue
				}
				if d.Formula != nil {
					args := []jen.Code{jen.Lit(d.ObjectName()), g.whole(d.Formula), jen.Lit(d.LeastSize())}
					for _, s := range d.Formula.Sources() {
						args = append(args, jen.Lit(s.ObjectName()))
					}
					b.Id("d").Dot(g.field(d.ObjectName())).Op("=").Id("in").Dot("Computed").Call(args...)
					continue
				}
				args := []jen.Code{jen.Lit(d.ObjectName())}
				method := "Reals"
				switch {
				case isInt && d.IsSize:
					method, args = "Size", append(args, jen.Lit(d.LeastSize()))
				case isInt:
					method = "Int"
				case d.Type.IsScalar():
					method = "Real"
				case d.Type.Base == dsl.Int:
					method = "Ints"
				}
				for _, e := range d.Type.Shape {
					args = append(args, size(e))
				}
				field := jen.Id("d").Dot(g.field(d.ObjectName()))
				read := field.Clone().Op("=").Id("in").Dot(method).Call(args...)
				if d.Default != nil {
					b.Add(field).Op("=").Add(number(*d.Default))
					b.If(jen.Id("in").Dot("Has").Call(jen.Lit(d.ObjectName()))).Block(read)
					continue
				}
				b.Add(read)
			}
		}
		b.Return(jen.Id("d"), jen.Id("in").Dot("Err").Call(jen.Nil()))
	})
}

// paramsType declares Params.
func (g *generator) paramsType() {
	f := g.out
	name := g.declared("", "Params")
	f.Add(comment(name + " holds the parameters on their own scale."))
	f.Type().Id(name).StructFunc(func(st *jen.Group) {
		for _, b := range g.d.Params {
			if b.Decl.Doc != "" {
				st.Add(fieldComment(b.Decl.Doc))
			}
			st.Id(g.field(b.Decl.ObjectName())).Add(goType(b.Decl.Type)).Comment(joinDoc(b.Decl.ObjectName(), shapeDoc(b.Decl.Type), supportDoc(&b.Decl.Support)))
		}
	})
}

// modelType declares Model.
func (g *generator) modelType() {
	f := g.out
	m := g.d.Model
	f.Add(comment(g.role.text(g)))
	f.Type().Id(g.typ).StructFunc(func(st *jen.Group) {
		if kind := g.dynamics.system(); kind != "" {
			st.Op("*").Add(system(kind)).Comment(systemText[kind])
		}
		st.Id("info").Op("*").Add(rt("Info"))
		for _, s := range g.sizes {
			st.Id(s.name).Int()
		}
		for _, b := range g.blocks {
			st.Id(b.fieldName).Op("*").Id(b.typ)
		}
		for n, d := range m.Data {
			t := g.d.Data[n]
			if g.isSize(t) || !g.fields[t] {
				continue
			}
			name := g.names.tensor(t)
			switch {
			case g.matrices[t]:
				st.Id(name).Qual(kernelPath, "Matrix").Comment(joinDoc("data", shapeDoc(d.Type)))
			case len(d.Type.Shape) > 0:
				st.Id(name).Index().Float64().Comment(joinDoc("data", shapeDoc(d.Type)))
			default:
				st.Id(name).Float64().Comment("data")
			}
		}
		for _, t := range g.d.Tensors(expr.PositionsOf) {
			if g.fields[t] && t.Source != nil {
				st.Id(g.names.tensor(t)).Index().Int().Comment(t.Name + ", counted from 0")
			}
		}
		g.defFields(st, func(x expr.Stage) bool { return x <= expr.StageData })
		if g.hasODE() {
			st.Id("tolerance").Qual(odePath, "Options").Comment("of the differential equations")
		}
		st.Id(g.space)
	})
	f.Add(comment(g.space + " is the work space that is not shared between clones."))
	f.Type().Id(g.space).StructFunc(func(st *jen.Group) {
		g.dynamics.fields(g, st)
		g.odeFields(st)
		g.fitFields(st)
		g.givenFields(st, g.d.Given, "coordinates of another block's parameter")
		g.givenFields(st, g.d.Reference, "of the reference")
		for _, t := range g.measures() {
			st.Id(g.names.tensor(t)).Index().Float64().Comment("measured at the reference")
		}
		g.transportFields(st)
		g.defFields(st, func(x expr.Stage) bool { return x > expr.StageData })
		if len(g.between) > 0 {
			st.Comment("what parts of methods share")
		}
		for some := range slices.Chunk(g.between, perField) {
			var names []string
			for _, v := range some {
				names = append(names, g.mark(v))
			}
			st.Add(idList(names)).Float64()
		}
	})
}

// perField is how many of the numbers that parts of methods share stand on one line.
const perField = 8

// systemText says what a system is, by its kind.
var systemText = map[string]string{
	"Constant":    "the metric, its factor, and the steps",
	"Varying":     "the metric, its factor at a position, and the steps",
	"Derivatives": "those of the metric",
}

// defFields declares the definitions that live in the model, with formulas.
func (g *generator) defFields(st *jen.Group, in func(expr.Stage) bool) {
	for _, def := range g.d.Prog.Defs {
		if !g.fields[def.Tensor] || !in(def.Stage()) {
			continue
		}
		ty := jen.Float64()
		switch {
		case def.Tensor.Kind == expr.FactorOf && len(def.Outer()) > 0:
			ty = jen.Index().Op("*").Add(linalg("Cholesky"))
		case def.Tensor.Kind == expr.FactorOf:
			ty = jen.Op("*").Add(linalg("Cholesky"))
		case g.matrices[def.Tensor]:
			ty = jen.Qual(kernelPath, "Matrix")
		case def.Tensor.Kind == expr.PositionsOf:
			ty = jen.Index().Int()
		case len(def.Indices) > 0:
			ty = jen.Index().Float64()
		}
		subs := ""
		for i, x := range def.Indices {
			if i > 0 {
				subs += ","
			}
			subs += x.Name
		}
		if subs != "" {
			subs = "[" + subs + "]"
		}
		st.Id(g.names.tensor(def.Tensor)).Add(ty).Comment(shortened(fmt.Sprintf("%s%s = %s", def.Tensor.Name, subs, g.format(def.Body))))
	}
}
