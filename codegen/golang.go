package codegen

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
)

// Paths of the packages that emitted code imports.
const (
	module      = "github.com/hamc-dev/hamc"
	runtimePath = module + "/runtime"
	kernelPath  = module + "/runtime/kernel"
	linalgPath  = module + "/runtime/linalg"
	specialPath = module + "/runtime/special"
	checkPath   = module + "/runtime/validate"
	dataPath    = module + "/runtime/datafile"
	odePath     = module + "/runtime/ode"
	randomPath  = module + "/runtime/random"
)

// Precedences of Go's binary operators, as far as they matter here.
const (
	precSum     = 1
	precProduct = 2
	precUnary   = 3
)

// fieldNames gives the data, and apart from them the parameters and the generated
// quantities, exported field names: SigmaY for sigma_y, with a number where two would be equal.
func (g *generator) fieldNames() {
	g.fieldOf = map[string]string{}
	group := func(list []string) {
		taken := map[string]bool{}
		for _, name := range list {
			want := exported(name)
			f := want
			for k := 2; taken[f]; k++ {
				f = want + strconv.Itoa(k)
			}
			taken[f] = true
			g.fieldOf[name] = f
		}
	}
	var data, params, quantities []string
	for _, q := range g.d.Quantities {
		quantities = append(quantities, q.Decl.ObjectName())
	}
	for _, d := range g.d.Model.Data {
		data = append(data, d.ObjectName())
	}
	for _, b := range g.d.Params {
		params = append(params, b.Decl.ObjectName())
	}
	group(data)
	group(params)
	group(quantities)
}

// field returns the field of a datum, parameter or generated quantity.
func (g *generator) field(name string) string { return g.fieldOf[name] }

// printer prints the statements of one function.
type printer struct {
	g *generator
	// used collects the tensors and sizes that the body reads from the
	// model, for the declarations at its head.
	used  []*symbolic.Tensor
	known map[*symbolic.Tensor]bool // those of used
	sizes []string
	vars  map[*symbolic.Index]string
	read  map[string]bool // of vars: those that are read
}

func (g *generator) newPrinter() *printer {
	return &printer{g: g, known: map[*symbolic.Tensor]bool{}, vars: map[*symbolic.Index]string{}, read: map[string]bool{}}
}

func (p *printer) use(t *symbolic.Tensor) string {
	if !p.known[t] {
		p.known[t] = true
		p.used = append(p.used, t)
	}
	return p.g.names.tensor(t)
}

// extent prints a symbolic size.
func (p *printer) extent(x dsl.Extent) *jen.Statement {
	if x.Name == "" {
		return jen.Lit(x.Offset)
	}
	found := false
	for _, s := range p.sizes {
		found = found || s == x.Name
	}
	if !found {
		p.sizes = append(p.sizes, x.Name)
	}
	return plus(jen.Id(p.g.size(x.Name)), x.Offset)
}

func plus(e *jen.Statement, n int) *jen.Statement {
	switch {
	case n > 0:
		return e.Op("+").Lit(n)
	case n < 0:
		return e.Op("-").Lit(-n)
	}
	return e
}

// loopVar names the variable of the loop over i that is open.
func (p *printer) loopVar(i *symbolic.Index) string {
	v, ok := p.vars[i]
	if !ok {
		v = p.openLoop(i)
	}
	p.read[v] = true
	return v
}

// openLoop names the variable of a new loop over i.
func (p *printer) openLoop(i *symbolic.Index) string {
	want := "i"
	if c := strings.TrimRight(i.Name, "0123456789"); len(c) == 1 && strings.Contains("ijklr", c) {
		want = c
	}
	p.vars[i] = p.g.names.oneOf(append([]string{want}, strings.Fields("i j k l r c e g h u")...)...)
	return p.vars[i]
}

// position prints a subscript counted from 0.
func (p *printer) position(s symbolic.Sub) *jen.Statement {
	switch {
	case s.Data != nil:
		return plus(p.element(s.Data.Tensor, s.Data.Subs), s.Offset)
	case s.Index == nil:
		return p.extent(s.At.Plus(-1))
	}
	return plus(jen.Id(p.loopVar(s.Index)), s.Offset)
}

// element prints a reference.
func (p *printer) element(t *symbolic.Tensor, subs []symbolic.Sub) *jen.Statement {
	switch t.Kind {
	case symbolic.WeightTensor:
		return jen.Id("w").Index(p.matrixIndex(t.Row, t.Col, subs))
	case symbolic.OutputTensor:
		return p.output(t, subs)
	}
	if t.Kind == symbolic.DefTensor && len(subs) > 0 && !p.g.stored[t] {
		return jen.Id(p.g.names.tensor(t)) // a local of the loop's body
	}
	name := jen.Id(p.use(t))
	switch len(subs) {
	case 0:
		return name
	case 1:
		return name.Index(p.position(subs[0]))
	}
	row := p.position(subs[0])
	if subs[0].Offset != 0 || subs[0].IsFixed() {
		row = jen.Parens(row)
	}
	idx := row.Op("*").Add(p.extentFactor(t.Shape[1])).Op("+").Add(p.position(subs[1]))
	if p.g.matrices[t] {
		return name.Dot("RowMajor").Index(idx)
	}
	return name.Index(idx)
}

func (p *printer) extentFactor(x dsl.Extent) *jen.Statement {
	if x.Name != "" && x.Offset != 0 {
		return jen.Parens(p.extent(x))
	}
	return p.extent(x)
}

// coordinate prints the position of a block's element among all coordinates.
func (p *printer) coordinate(block int, subs []symbolic.Sub) *jen.Statement {
	off := p.g.offset(block)
	if len(subs) == 0 {
		return p.extent(off)
	}
	if off == dsl.Fixed(0) {
		return p.position(subs[0])
	}
	if off.IsConst() && subs[0].Index != nil {
		return plus(jen.Id(p.loopVar(subs[0].Index)), subs[0].Offset+off.Offset)
	}
	return p.extent(off).Op("+").Add(p.position(subs[0]))
}

func (p *printer) matrixIndex(row, col int, subs []symbolic.Sub) *jen.Statement {
	a, b := split(p.g.d, row, subs)
	if p.g.byParts() {
		return p.packedIndex(row, col, a, b)
	}
	if p.g.diagonal() {
		return p.coordinate(row, a)
	}
	if p.g.dim.IsConst() && len(a) == 0 && len(b) == 0 {
		return jen.Lit(p.g.offset(row).Offset*p.g.dim.Offset + p.g.offset(col).Offset)
	}
	return p.rowFactor(row, a).Op("*").Add(p.extentFactor(p.g.dim)).Op("+").Add(p.coordinate(col, b))
}

// rowFactor prints the coordinate of a block's element as a factor.
func (p *printer) rowFactor(block int, subs []symbolic.Sub) *jen.Statement {
	r := p.coordinate(block, subs)
	off := p.g.offset(block)
	if len(subs) > 0 && (subs[0].Offset != 0 || off != dsl.Fixed(0) || subs[0].IsFixed()) || len(subs) == 0 && off.Name != "" {
		return jen.Parens(r)
	}
	return r
}

// split divides the subscripts of a matrix block between its rows and columns.
func split(d *symbolic.Derived, row int, subs []symbolic.Sub) (a, b []symbolic.Sub) {
	if d.Params[row].Scalar() {
		return nil, subs
	}
	return subs[:1], subs[1:]
}

// output prints the place of a result, by the layout that outputTensor gave it.
func (p *printer) output(t *symbolic.Tensor, subs []symbolic.Sub) *jen.Statement {
	lay := p.g.layouts[t]
	switch lay.kind {
	case "scalar":
		return jen.Id(lay.array)
	case "element":
		return jen.Id(lay.array).Index(jen.Lit(lay.row))
	case "vector":
		return jen.Id(lay.array).Index(p.coordinate(lay.row, subs))
	case "matrix":
		return jen.Id(lay.array).Index(p.matrixIndex(lay.row, lay.col, subs))
	case "square":
		var a, b []symbolic.Sub
		if !p.g.d.Params[lay.row].Scalar() {
			a, subs = subs[:1], subs[1:]
		}
		if !p.g.d.Params[lay.col].Scalar() {
			b = subs
		}
		return jen.Id(lay.array).Index(p.rowFactor(lay.row, a).Op("*").Add(p.extentFactor(p.g.dim)).Op("+").Add(p.coordinate(lay.col, b)))
	case "band":
		below := subs[0]
		if below.IsFixed() {
			below.At = below.At.Plus(-lay.dir)
		} else {
			below.Offset -= lay.dir
		}
		return jen.Id(lay.array).Index(p.packedIndex(lay.row, lay.row, subs, []symbolic.Sub{below}))
	}
	// A cube [(i·m + j)·m + k].
	rest := subs
	take := func(block int) []symbolic.Sub {
		if p.g.d.Params[block].Scalar() {
			return nil
		}
		s := rest[:1]
		rest = rest[1:]
		return s
	}
	a, b := take(lay.row), take(lay.col)
	c := take(lay.dir)
	if lay.kind == "cubeT" {
		a, b = b, a
		return p.cube(lay.array, lay.col, lay.row, lay.dir, a, b, c)
	}
	return p.cube(lay.array, lay.row, lay.col, lay.dir, a, b, c)
}

func (p *printer) cube(array string, row, col, dir int, a, b, c []symbolic.Sub) *jen.Statement {
	return jen.Id(array).Index(jen.Parens(p.rowFactor(row, a).Op("*").Add(p.extentFactor(p.g.dim)).Op("+").Add(p.coordinate(col, b))).
		Op("*").Add(p.extentFactor(p.g.dim)).Op("+").Add(p.coordinate(dir, c)))
}

// number prints a constant.
func number(v float64) *jen.Statement {
	switch {
	case math.IsNaN(v):
		return jen.Qual("math", "NaN").Call()
	case math.IsInf(v, 0):
		return jen.Qual("math", "Inf").Call(jen.Lit(int(math.Copysign(1, v))))
	case v == math.Trunc(v) && math.Abs(v) < 1e6:
		return jen.Lit(int(v))
	}
	return jen.Lit(v)
}

// expr prints an expression and returns its precedence.
func (p *printer) expr(e *symbolic.Expr) (*jen.Statement, int) {
	switch e.Op {
	case symbolic.Num:
		if e.Val < 0 {
			return number(e.Val), precProduct
		}
		return number(e.Val), precUnary
	case symbolic.Ref:
		if e.Tensor.Kind == symbolic.DataTensor && p.g.isSize(e.Tensor) {
			return jen.Id("float64").Call(p.extent(dsl.Extent{Name: e.Tensor.Name})), precUnary
		}
		return p.element(e.Tensor, e.Subs), precUnary
	case symbolic.Add:
		return p.sum(e), precSum
	case symbolic.Mul:
		return p.product(e, e.Val), precProduct
	case symbolic.Call:
		pkg, name, _ := strings.Cut(e.Func.Go, ".")
		path := pkg
		if pkg == "special" {
			path = specialPath
		}
		args := make([]jen.Code, len(e.Args))
		for n, a := range e.Args {
			args[n], _ = p.expr(a)
		}
		return jen.Qual(path, name).Call(args...), precUnary
	case symbolic.Draw:
		return p.draw(e), precUnary
	case symbolic.Delta:
		return jen.Qual(kernelPath, "Delta").Call(p.position(e.Subs[0]), p.position(e.Subs[1])), precUnary
	case symbolic.Inside:
		at := p.extent(e.Subs[0].At)
		switch {
		case e.Subs[0].Index != nil:
			at = plus(jen.Id(p.loopVar(e.Subs[0].Index)), e.Subs[0].Offset+1)
		case e.Subs[0].Data != nil:
			at = p.position(e.Subs[0]).Op("+").Lit(1)
		}
		return jen.Qual(kernelPath, "Inside").Call(at, p.extent(e.Range.Lo), p.extent(e.Range.Hi)), precUnary
	}
	panic(fmt.Sprintf("codegen: no way to print the expression %s", symbolic.Format(e)))
}

// operand prints e so that it may stand next to an operator of a precedence.
func (p *printer) operand(e *symbolic.Expr, prec int) *jen.Statement {
	s, q := p.expr(e)
	if q < prec {
		return jen.Parens(s)
	}
	return s
}

func (p *printer) sum(e *symbolic.Expr) *jen.Statement {
	type term struct {
		k float64
		a *symbolic.Expr
	}
	terms := make([]term, 0, len(e.Args)+1)
	for _, n := range symbolic.SumOrder(e) {
		terms = append(terms, term{e.K[n], e.Args[n]})
	}
	if e.Val != 0 {
		terms = append(terms, term{e.Val, nil})
	}
	// A positive term goes first: a − b reads better than −b + a.
	for n := range terms {
		if terms[n].k > 0 {
			t := terms[n]
			copy(terms[1:n+1], terms[:n])
			terms[0] = t
			break
		}
	}
	var s *jen.Statement
	for n, t := range terms {
		k := t.k
		neg := k < 0
		if neg {
			k = -k
		}
		var x *jen.Statement
		switch {
		case t.a == nil:
			x = number(k)
		case k == 1:
			x = p.operand(t.a, precProduct)
		case t.a.Op == symbolic.Mul:
			x = p.product(t.a, k*t.a.Val)
		default:
			x = number(k).Op("*").Add(p.operand(t.a, precProduct+1))
		}
		switch {
		case n == 0 && neg:
			s = jen.Op("-").Add(x)
		case n == 0:
			s = x
		case neg:
			s = s.Op("-").Add(x)
		default:
			s = s.Op("+").Add(x)
		}
	}
	return s
}

func (p *printer) product(e *symbolic.Expr, val float64) *jen.Statement {
	var num, den []*jen.Statement
	for n, a := range e.Args {
		k := e.K[n]
		list := &num
		if k < 0 {
			list, k = &den, -k
		}
		switch {
		case k == math.Trunc(k) && k <= 4:
			for ; k > 0; k-- {
				*list = append(*list, p.operand(a, precUnary))
			}
		case k == 0.5:
			x, _ := p.expr(a)
			*list = append(*list, jen.Qual("math", "Sqrt").Call(x))
		default:
			x, _ := p.expr(a)
			*list = append(*list, jen.Qual("math", "Pow").Call(x, number(k)))
		}
	}
	var s *jen.Statement
	switch {
	case val == -1 && len(num) > 0:
		s = jen.Op("-").Add(num[0])
		num = num[1:]
	case val != 1 || len(num) == 0:
		s = number(val)
	default:
		s = num[0]
		num = num[1:]
	}
	for _, f := range num {
		s = s.Op("*").Add(f)
	}
	switch {
	case len(den) == 1:
		s = s.Op("/").Add(den[0])
	case len(den) > 1:
		d := den[0]
		for _, f := range den[1:] {
			d = d.Op("*").Add(f)
		}
		s = s.Op("/").Parens(d)
	}
	return s
}

// stmts prints statements.
func (p *printer) stmts(list []Stmt) []jen.Code {
	var out []jen.Code
	for _, st := range list {
		switch st := st.(type) {
		case *Loop:
			v := p.openLoop(st.Index)
			body := p.stmts(st.Body)
			out = append(out, p.clause(st, v).Block(body...))
		case *Define:
			x, _ := p.expr(st.E)
			out = append(out, jen.Id(p.g.names.tensor(st.T)).Op(":=").Add(asFloat(st.E, x)))
		case *Zero:
			out = append(out, jen.Id(p.g.names.tensor(st.T)).Op(":=").Lit(0.0))
		case *Clear:
			out = append(out, jen.Clear(jen.Id(p.use(st.T))))
		case *Assign:
			x, _ := p.expr(st.E)
			op := "="
			if st.Add {
				op = "+="
			}
			dst := p.place(st.T, st.Subs)
			out = append(out, dst.Op(op).Add(x))
		case *If:
			cond := p.inside(st.Conds)
			if cond == nil {
				out = append(out, p.stmts(st.Body)...)
				continue
			}
			out = append(out, jen.If(cond).Block(p.stmts(st.Body)...))
		case *Kernel:
			out = append(out, p.kernel(st))
		case *DrawVector:
			out = append(out, p.drawVector(st))
		case *SolveFit:
			out = append(out, p.solveFit(st.F)...)
		case *ReadFit:
			out = append(out, p.readFit(st))
		}
	}
	return out
}

// clause prints the head of a loop with the variable v, whose body is printed.
func (p *printer) clause(l *Loop, v string) *jen.Statement {
	from := func(start, end *jen.Statement) *jen.Statement {
		return jen.For(jen.Id(v).Op(":=").Add(start), jen.Id(v).Op("<").Add(end), jen.Id(v).Op("++"))
	}
	r, inner := l.Index.Range, l.Inner
	first := func(r dsl.Range) *jen.Statement { return p.extent(r.Lo.Plus(-1)) }
	switch {
	case l.Below != nil:
		return jen.For(jen.Id(v).Op(":=").Lit(0), jen.Id(v).Op("<=").Id(p.loopVar(l.Below)), jen.Id(v).Op("++"))
	case l.Part == head:
		return from(first(r), jen.Min(first(inner), p.extent(r.Hi)))
	case l.Part == interior:
		return from(first(inner), p.extent(inner.Hi))
	case l.Part == tail && inner.Lo == dsl.Fixed(1) && inner.Hi.Offset >= -1:
		return from(p.extent(inner.Hi), p.extent(r.Hi)) // sizes are at least 1
	case l.Part == tail:
		return from(jen.Max(first(inner), p.extent(inner.Hi)), p.extent(r.Hi))
	case r.Lo == dsl.Fixed(1) && !p.read[v]: // as of draws that differ in nothing, of which the sum is taken
		return jen.For(jen.Range().Add(p.extent(r.Hi)))
	case r.Lo == dsl.Fixed(1):
		return jen.For(jen.Id(v).Op(":=").Range().Add(p.extent(r.Hi)))
	}
	return from(first(r), p.extent(r.Hi))
}

// inside prints the condition of indicators: for each index the bounds that
// its own range does not imply, once each. It is nil if none is left.
func (p *printer) inside(conds []*symbolic.Expr) *jen.Statement {
	type bound struct {
		sub   symbolic.Sub
		at    dsl.Extent
		upper bool
	}
	seen := map[bound]bool{}
	var cond *jen.Statement
	and := func(c *jen.Statement) {
		if cond == nil {
			cond = c
		} else {
			cond = cond.Op("&&").Add(c)
		}
	}
	add := func(b bound, implied bool) {
		switch {
		case implied || seen[b]:
			return
		case b.upper:
			and(p.position(b.sub).Op("<").Add(p.extent(b.at)))
		default:
			and(p.position(b.sub).Op(">=").Add(p.extent(b.at.Plus(-1))))
		}
		seen[b] = true
	}
	for _, e := range symbolic.InOrder(conds) {
		s := e.Subs[0]
		if e.Op == symbolic.Delta {
			and(p.position(s).Op("==").Add(p.position(e.Subs[1])))
			continue
		}
		below, above := false, false
		if s.Index != nil { // of a fixed position nothing is known
			own := s.Index.Range
			below = e.Range.Lo.Name == own.Lo.Name && e.Range.Lo.Offset <= own.Lo.Offset
			above = e.Range.Hi.Name == own.Hi.Name && e.Range.Hi.Offset >= own.Hi.Offset
		}
		add(bound{s, e.Range.Lo, false}, below)
		add(bound{s, e.Range.Hi, true}, above)
	}
	return cond
}

// asFloat keeps integer constants from making integer variables.
func asFloat(e *symbolic.Expr, x *jen.Statement) *jen.Statement {
	if e.Op == symbolic.Num {
		return jen.Id("float64").Call(x)
	}
	return x
}

// place prints what an assignment writes to.
func (p *printer) place(t *symbolic.Tensor, subs []symbolic.Sub) *jen.Statement {
	if len(subs) == 0 && (t.Kind == symbolic.LocalTensor || t.Kind == symbolic.DefTensor) {
		return jen.Id(p.g.names.tensor(t))
	}
	return p.element(t, subs)
}

func (p *printer) kernel(k *Kernel) jen.Code {
	var args []jen.Code
	for _, t := range k.Args {
		switch {
		case t.Kind == symbolic.WeightTensor:
			args = append(args, jen.Id("w"))
		case p.g.matrices[t]:
			p.g.fields[t] = true
			args = append(args, jen.Op("&").Id("s").Dot(p.g.names.tensor(t)))
		default:
			args = append(args, jen.Id(p.use(t)))
		}
	}
	call := jen.Qual(kernelPath, k.Func)
	if k.Func == "SumLog1pExp" {
		return jen.Id(p.g.names.tensor(k.T)).Op(":=").Add(call.Call(args...))
	}
	return call.Call(append([]jen.Code{jen.Id(p.use(k.T))}, args...)...)
}
