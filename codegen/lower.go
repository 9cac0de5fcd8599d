package codegen

import (
	"fmt"
	"math"
	"slices"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Lowering turns the phases of a type into functions of the loop program: each definition into a
// loop nest of its own that fills an array, each result into one that writes it. What shares a
// loop, what needs no array and what is computed once is decided by the passes.

// lowering lowers statements of one scope.
type lowering struct {
	g    *generator
	vars map[*expr.Index]*loop.Var // of the loops that are open
	memo map[*expr.Expr]*loop.Expr // what is known in this scope
	body *[]loop.Stmt              // where statements go
}

// lower starts a scope in which no loop is open.
func (g *generator) lower(body *[]loop.Stmt) *lowering {
	return &lowering{g: g, vars: map[*expr.Index]*loop.Var{}, memo: map[*expr.Expr]*loop.Expr{}, body: body}
}

// inside is a scope in the body of a loop or a branch.
func (l *lowering) inside(body *[]loop.Stmt) *lowering {
	vars := make(map[*expr.Index]*loop.Var, len(l.vars)+1)
	for i, v := range l.vars {
		vars[i] = v
	}
	return &lowering{g: l.g, vars: vars, memo: map[*expr.Expr]*loop.Expr{}, body: body}
}

func (l *lowering) emit(st ...loop.Stmt) { *l.body = append(*l.body, st...) }

// over emits a loop over the range of an index, and returns the scope of its body.
func (l *lowering) over(i *expr.Index) *lowering {
	return l.upTo(i, l.g.extent(i.Range.Hi))
}

// upTo is over, up to another bound.
func (l *lowering) upTo(i *expr.Index, to *loop.Int) *lowering {
	return l.between(i, l.g.extent(i.Range.Lo.Plus(-1)), to)
}

// between is over, from one bound to another.
func (l *lowering) between(i *expr.Index, from, to *loop.Int) *lowering {
	st := &loop.For{V: &loop.Var{Name: i.Name, Int: true}, From: from, To: to}
	l.emit(st)
	in := l.inside(&st.Body)
	in.vars[i] = st.V
	return in
}

// extent is a symbolic size.
func (g *generator) extent(x dsl.Extent) *loop.Int {
	if x.Name == "" {
		return loop.Const(x.Offset)
	}
	return loop.At(g.sizeVar(x.Name)).Plus(x.Offset)
}

// sizeVar is the variable of a size of the model.
func (g *generator) sizeVar(key string) *loop.Var {
	v, ok := g.sizeVars[key]
	if !ok {
		v = &loop.Var{Name: g.names.wanted(g.size(key)), Home: loop.Size, Int: true}
		g.sizeVars[key], g.marks[v] = v, g.size(key)
	}
	return v
}

// position is a subscript, counted from 0.
func (l *lowering) position(s expr.Sub) *loop.Int {
	switch {
	case s.Data != nil:
		return loop.ElemOf(l.g.variable(s.Data.Tensor), l.positions(s.Data.Subs)...).Plus(s.Offset)
	case s.Index == nil:
		return l.g.extent(s.At.Plus(-1))
	}
	v, ok := l.vars[s.Index]
	if !ok {
		panic(fmt.Sprintf("codegen: no loop over %s is open", s.Index.Name))
	}
	return loop.At(v).Plus(s.Offset)
}

func (l *lowering) positions(subs []expr.Sub) []*loop.Int {
	out := make([]*loop.Int, len(subs))
	for n, s := range subs {
		out[n] = l.position(s)
	}
	return out
}

// element is a reference.
func (l *lowering) element(t *expr.Tensor, subs []expr.Sub) *loop.Expr {
	switch {
	case t.Kind == expr.DataTensor && l.g.isSize(t):
		return &loop.Expr{Op: loop.Float, At: []*loop.Int{l.g.extent(dsl.Extent{Name: t.Name})}}
	case t.Kind == expr.WeightTensor, t.Kind == expr.OutputTensor:
		v, at := l.place(t, subs)
		return loop.Element(v, at...)
	case len(subs) == 0:
		return loop.Value(l.g.variable(t))
	}
	return loop.Element(l.g.variable(t), l.positions(subs)...)
}

// place is the element that a result, or a weight, stands for.
func (l *lowering) place(t *expr.Tensor, subs []expr.Sub) (v *loop.Var, at []*loop.Int) {
	g := l.g
	if t.Kind == expr.WeightTensor {
		return g.storage.array(g, "w"), l.matrixAt(t.Row, t.Col, subs)
	}
	lay, ok := g.layouts[t]
	if !ok {
		v = g.variable(t)
		if len(subs) > 0 {
			at = l.positions(subs)
		}
		return v, at
	}
	// The subscripts of each parameter, if it is a vector.
	rest := subs
	take := func(block int) []expr.Sub {
		if g.d.Params[block].Scalar() {
			return nil
		}
		s := rest[:1]
		rest = rest[1:]
		return s
	}
	switch lay.kind {
	case "scalar":
		return g.param(lay.array), nil
	case "element":
		return g.param(lay.array, loop.Const(lay.row+1)), []*loop.Int{loop.Const(lay.row)}
	case "times":
		return g.odeGiven(lay), append([]*loop.Int{loop.Const(lay.row)}, l.positions(subs)...)
	case "vector":
		return g.vectorVar(lay.array), []*loop.Int{l.coordinate(lay.row, subs)}
	case "values":
		return g.valuesVar(lay.array), []*loop.Int{l.partOf(g.values, lay.row, g.d.Params[lay.row].Decl.Type.Shape, subs)}
	case "matrix":
		return g.storage.array(g, lay.array), l.matrixAt(lay.row, lay.col, subs)
	case "square":
		a, b := take(lay.row), take(lay.col)
		return g.param(lay.array, g.extent(g.dim), g.extent(g.dim)), []*loop.Int{l.coordinate(lay.row, a), l.coordinate(lay.col, b)}
	case "band":
		below := subs[0]
		if below.IsFixed() {
			below.At = below.At.Plus(-lay.dir)
		} else {
			below.Offset -= lay.dir
		}
		return g.storage.array(g, lay.array), g.storage.at(l, lay.row, lay.row, subs, []expr.Sub{below})
	}
	a, b, c := take(lay.row), take(lay.col), take(lay.dir)
	at = []*loop.Int{l.coordinate(lay.row, a), l.coordinate(lay.col, b), l.coordinate(lay.dir, c)}
	if lay.kind == "cubeT" {
		at[0], at[1] = at[1], at[0]
	}
	return g.param(lay.array, g.extent(g.dim), g.extent(g.dim), g.extent(g.dim)), at
}

// coordinate is the position of a parameter's element among all coordinates.
func (l *lowering) coordinate(block int, subs []expr.Sub) *loop.Int {
	return l.partOf(l.g.coords, block, l.g.d.Params[block].Coord.Shape, subs)
}

// partOf is the position of an element of a parameter's part of an array over all.
func (l *lowering) partOf(in places, block int, shape []dsl.Extent, subs []expr.Sub) *loop.Int {
	off := l.g.extent(in.start(block))
	switch {
	case len(subs) > 1: // row by row
		at := l.position(subs[0])
		for d, s := range subs[1:] {
			at = at.Times(l.g.extent(shape[d+1])).Add(l.position(s))
		}
		return off.Add(at)
	case len(subs) == 0:
		return off
	case off.Op == loop.IntConst:
		return l.position(subs[0]).Plus(off.N)
	}
	return off.Add(l.position(subs[0]))
}

// matrixAt is the place of an entry of the matrix, as it is stored.
func (l *lowering) matrixAt(row, col int, subs []expr.Sub) []*loop.Int {
	var a []expr.Sub
	if !l.g.d.Params[row].Scalar() {
		a, subs = subs[:1], subs[1:]
	}
	return l.g.storage.at(l, row, col, a, subs)
}

// expr lowers an expression; what it needs first, sums and what is guarded, becomes statements.
func (l *lowering) expr(e *expr.Expr) *loop.Expr {
	if r, ok := l.memo[e]; ok {
		return r
	}
	r := l.node(e)
	l.memo[e] = r
	return r
}

func (l *lowering) exprs(list []*expr.Expr) []*loop.Expr {
	out := make([]*loop.Expr, len(list))
	for n, e := range list {
		out[n] = l.expr(e)
	}
	return out
}

func (l *lowering) node(e *expr.Expr) *loop.Expr {
	switch e.Op {
	case expr.Num:
		return loop.Number(e.Val)
	case expr.Ref:
		return l.element(e.Tensor, e.Subs)
	case expr.Add:
		return l.sum(e)
	case expr.Mul:
		return l.product(e)
	case expr.Call:
		return &loop.Expr{Op: loop.Call, Func: e.Func.Go, Args: l.exprs(e.Args)}
	case expr.Sum:
		acc := &loop.Var{Name: "sum"}
		l.emit(&loop.Let{V: acc, E: loop.Number(0)})
		l.summed(e, acc)
		return loop.Value(acc)
	case expr.Largest:
		most := &loop.Var{Name: "most"}
		l.emit(&loop.Let{V: most, E: loop.Number(-math.MaxFloat64)})
		in := l.over(e.Index)
		in.emit(&loop.Set{V: most, E: &loop.Expr{Op: loop.Call, Func: "special.Larger", Args: []*loop.Expr{loop.Value(most), in.expr(e.Args[0])}}})
		return loop.Value(most)
	case expr.Delta:
		return &loop.Expr{Op: loop.Test, Func: "kernel.Delta", At: l.positions(e.Subs)}
	case expr.Before:
		return &loop.Expr{Op: loop.Test, Func: "kernel.Before", At: l.positions(e.Subs)}
	case expr.Inside:
		return &loop.Expr{Op: loop.Test, Func: "kernel.Inside", At: []*loop.Int{l.position(e.Subs[0]).Plus(1), l.g.extent(e.Range.Lo), l.g.extent(e.Range.Hi)}}
	case expr.Draw:
		return l.draw(e)
	}
	panic(fmt.Sprintf("codegen: no way to lower the expression %s", expr.Format(e)))
}

// summed adds up a sum in acc. A comparison of its index is a bound of the loop.
func (l *lowering) summed(e *expr.Expr, acc *loop.Var) {
	from, to, rest := l.g.d.C.Bounds(e)
	r := e.Index.Range
	lo, hi := l.g.extent(r.Lo.Plus(-1)), l.g.extent(r.Hi)
	for n, s := range to {
		if bound, end := l.position(s), s.End(); n == 0 && end.Name == r.Hi.Name && end.Offset-1 <= r.Hi.Offset {
			hi = bound // which is no more than the end of the range
		} else {
			hi = loop.Least(bound, hi)
		}
	}
	for _, s := range from {
		lo = loop.Greatest(lo, l.position(s).Plus(1))
	}
	in := l.between(e.Index, lo, hi)
	in.emit(&loop.Set{V: acc, E: in.expr(rest), Add: true})
}

// sum lowers a sum: its terms in the order in which they are added up, a positive one first.
func (l *lowering) sum(e *expr.Expr) *loop.Expr {
	out := &loop.Expr{Op: loop.Add}
	for _, n := range expr.SumOrder(e) {
		out.K, out.Args = append(out.K, e.K[n]), append(out.Args, l.expr(e.Args[n]))
	}
	if e.Val != 0 {
		out.K, out.Args = append(out.K, math.Copysign(1, e.Val)), append(out.Args, loop.Number(math.Abs(e.Val)))
	}
	out.Lead()
	return out
}

// product lowers a product. What its guards exclude is not evaluated: it may read elements that
// do not exist.
func (l *lowering) product(e *expr.Expr) *loop.Expr {
	conds, rest := expr.Guards(e)
	if len(conds) == 0 {
		return &loop.Expr{Op: loop.Mul, Val: e.Val, K: e.K, Args: l.exprs(e.Args)}
	}
	product := func(in *lowering) *loop.Expr {
		out := &loop.Expr{Op: loop.Mul, Val: e.Val}
		for _, n := range rest {
			out.K, out.Args = append(out.K, e.K[n]), append(out.Args, in.expr(e.Args[n]))
		}
		switch {
		case len(rest) == 0:
			return loop.Number(e.Val)
		case len(rest) == 1 && e.Val == 1 && out.K[0] == 1:
			return out.Args[0]
		}
		return out
	}
	tests := l.conditions(conds)
	if len(tests) == 0 {
		return product(l)
	}
	part := &loop.Var{Name: "part"}
	branch := &loop.If{Conds: tests}
	l.emit(&loop.Let{V: part, E: loop.Number(0)}, branch)
	in := l.inside(&branch.Body)
	in.emit(&loop.Set{V: part, E: product(in)})
	return loop.Value(part)
}

// conditions are those of indicators and deltas: for each subscript the bounds that its own range
// does not imply, once each.
func (l *lowering) conditions(guards []*expr.Expr) []loop.Cond {
	var out []loop.Cond
	add := func(c loop.Cond, implied bool) {
		for _, o := range out {
			implied = implied || o.Op == c.Op && o.X.Equal(c.X) && o.Y.Equal(c.Y)
		}
		if !implied {
			out = append(out, c)
		}
	}
	for _, e := range expr.InOrder(guards) {
		s := e.Subs[0]
		if e.Op == expr.Before {
			add(loop.Cond{X: l.position(s), Op: loop.Below, Y: l.position(e.Subs[1])}, false)
			continue
		}
		if e.Op == expr.Delta {
			out = append(out, loop.Cond{X: l.position(s), Op: loop.Equals, Y: l.position(e.Subs[1])})
			continue
		}
		below, above := false, false
		if s.Index != nil { // of a fixed position nothing is known
			own := s.Index.Range
			below = e.Range.Lo.Name == own.Lo.Name && e.Range.Lo.Offset <= own.Lo.Offset
			above = e.Range.Hi.Name == own.Hi.Name && e.Range.Hi.Offset >= own.Hi.Offset
		}
		at := l.position(s)
		add(loop.Cond{X: at, Op: loop.AtLeast, Y: l.g.extent(e.Range.Lo.Plus(-1))}, below)
		add(loop.Cond{X: at, Op: loop.Below, Y: l.g.extent(e.Range.Hi)}, above)
	}
	return out
}

// draw lowers a random number: a count that is not defined becomes NaN.
func (l *lowering) draw(e *expr.Expr) *loop.Expr {
	own, ends := e.Args[:len(e.Dist.Args)], e.Args[len(e.Dist.Args):]
	out := &loop.Expr{Op: loop.Draw, Func: "random." + e.Dist.Random, Args: l.exprs(own), Ends: l.exprs(ends)}
	for n := range own {
		if e.Dist.Args[n].Domain == dsl.CountArg {
			out.Args[n] = &loop.Expr{Op: loop.Call, Func: "random.Trials", Args: []*loop.Expr{out.Args[n]}}
		}
	}
	if e.Dist.Support.Discrete() {
		return &loop.Expr{Op: loop.Call, Func: "random.Count", Args: []*loop.Expr{out}}
	}
	return out
}

// nest opens the loops over indices, and hands the scope inside to f.
func (l *lowering) nest(indices []*expr.Index, f func(in *lowering)) {
	if len(indices) == 0 {
		f(l)
		return
	}
	l.over(indices[0]).nest(indices[1:], f)
}

// definition lowers a definition.
func (l *lowering) definition(d *expr.Def) {
	v := l.g.variable(d.Tensor)
	switch {
	case d.Recursion != nil:
		l.recursion(d)
	case d.Fit != nil:
		l.fit(d)
	case d.Tensor.Kind == expr.PositionsOf:
		x := l.g.positionOf(d.Tensor)
		l.emit(&loop.Kernel{Func: "kernel.Positions", V: v, Args: []*loop.Var{l.g.variable(x.Numbers), l.g.variable(x.Last)}})
	case d.Body.Op == expr.Apply:
		outer := d.Outer()
		l.nest(outer, func(in *lowering) {
			in.emit(in.operator(v, in.positions(expr.SubsOf(outer)), d.Body))
		})
	case d.Body.DrawsVector():
		st := &loop.Kernel{Func: "random." + d.Body.Dist.Random, V: v, Args: []*loop.Var{l.g.variable(d.Body.Args[0].Tensor)}}
		if factor := d.Body.Tensor; factor != nil {
			st.Func, st.Args = st.Func+"Cholesky", append(st.Args, l.g.variable(factor))
		}
		l.emit(st)
	case d.Scatter != nil:
		// All elements in one loop over the data.
		l.emit(&loop.Clear{V: v})
		l.nest(d.Scatter.Loops(), func(in *lowering) { in.scatter(v, d.Scatter) })
	case len(d.Indices) == 0 && d.Body.Op == expr.Sum:
		l.emit(&loop.Let{V: v, E: loop.Number(0)})
		l.summed(d.Body, v)
	case len(d.Indices) == 0:
		l.emit(&loop.Let{V: v, E: l.expr(d.Body)})
	default:
		l.elements(v, d.Indices, d.Body)
		if v.Matrix {
			l.emit(&loop.Kernel{Func: loop.NewMatrix, V: v, Args: []*loop.Var{v}})
		}
	}
}

// positionOf are the numbers that positions are computed of.
func (g *generator) positionOf(t *expr.Tensor) symbolic.Position {
	for _, x := range g.d.Prog.Positions {
		if x.Tensor == t {
			return x
		}
	}
	panic("codegen: positions without numbers")
}

// recursion lowers all members of the recursion that begins with a definition, in one pass over their first index.
func (l *lowering) recursion(first *expr.Def) {
	r := first.Recursion
	if first.Tensor != r.Members[0] {
		return
	}
	along := first.Indices[0]
	everywhere := func(m *expr.Tensor) bool { return m.Def.Indices[0].Range == expr.UpTo(m.Shape[0]) }
	if n := slices.IndexFunc(r.Members, everywhere); n >= 0 {
		along = r.Members[n].Def.Indices[0]
	}
	all := l.over(along)
	(*l.body)[len(*l.body)-1].(*loop.For).Down = r.Down
	for _, m := range r.Members {
		v, d, in := l.g.variable(m), m.Def, all
		if !everywhere(m) {
			in = all.guarded([]*expr.Expr{l.g.d.C.InPart(along, d.Indices[0].Range)})
		}
		body := l.g.d.C.Subst(d.Body, d.Indices[0], expr.Sub{Index: along})
		scatters, body := l.g.d.C.Scattered(body, d.Indices[1:])
		in.nest(d.Indices[1:], func(in *lowering) {
			in.emit(&loop.Set{V: v, At: in.positions(append([]expr.Sub{{Index: along}}, expr.SubsOf(d.Indices[1:])...)), E: in.expr(body)})
		})
		for _, s := range scatters {
			loops := s.Loops()
			s.At = append([]expr.Sub{{Index: along}}, s.At...)
			in.guarded(s.Guards).nest(loops, func(in *lowering) { in.scatter(v, &s.Scatter) })
		}
	}
}

// guarded is what lowers what is computed under guards alone.
func (l *lowering) guarded(guards []*expr.Expr) *lowering {
	tests := l.conditions(guards)
	if len(tests) == 0 {
		return l
	}
	branch := &loop.If{Conds: tests}
	l.emit(branch)
	return l.inside(&branch.Body)
}

// elements sets those of an array. What carries the delta of two indices of a matrix is added on the diagonal only.
func (l *lowering) elements(v *loop.Var, indices []*expr.Index, body *expr.Expr) {
	if len(indices) == 2 && indices[0].Range == indices[1].Range {
		full, diagonal := l.g.d.C.SplitDelta(body, indices[0], indices[1])
		if !diagonal.IsNum(0) && !full.IsNum(0) {
			row := l.over(indices[0])
			in := row.over(indices[1])
			i, j := loop.At(in.vars[indices[0]]), loop.At(in.vars[indices[1]])
			in.emit(&loop.Set{V: v, At: []*loop.Int{i, j}, E: in.expr(full)})
			row.emit(&loop.Set{V: v, At: []*loop.Int{i, i}, E: row.expr(diagonal), Add: true})
			return
		}
	}
	if last := len(indices) - 1; last >= 0 && l.g.d.C.ByPosition(body, indices[last]) {
		// One element of each row after another, without a loop that would ask where it stands.
		i := indices[last]
		l.nest(indices[:last], func(in *lowering) {
			for k := range i.Range.Hi.Offset {
				at := make([]*loop.Int, 0, len(indices))
				for _, o := range indices[:last] {
					at = append(at, loop.At(in.vars[o]))
				}
				e := l.g.d.C.Subst(body, i, expr.Sub{At: dsl.Fixed(k + 1)})
				in.emit(&loop.Set{V: v, At: append(at, loop.Const(k)), E: in.expr(e)})
			}
		})
		return
	}
	l.nest(indices, func(in *lowering) {
		at := make([]*loop.Int, len(indices))
		for n, i := range indices {
			at[n] = loop.At(in.vars[i])
		}
		in.emit(&loop.Set{V: v, At: at, E: in.expr(body)})
	})
}

// operator is the call of an operator's kernel, which fills the part of an array at outer subscripts: where the kernel takes
// factors of the first argument, they stand in its place.
func (l *lowering) operator(v *loop.Var, at []*loop.Int, e *expr.Expr) *loop.Kernel {
	k := &loop.Kernel{Func: e.Apply.Operator.Kernel, V: v}
	for n := range e.Apply.Shapes {
		a := e.Args[n]
		if own := len(e.Apply.Shapes); own+n < len(e.Args) {
			a = e.Args[own+n] // its factors
		}
		t, lead := e.Apply.Part(a, n)
		k.Args = append(k.Args, l.g.variable(t))
		if len(at) > 0 {
			k.At, k.ArgsAt = at, append(k.ArgsAt, l.positions(lead))
		}
	}
	return k
}

// scatter adds a term of a sum by data to its element. Behind what an indicator excludes, the
// element may not exist either.
func (l *lowering) scatter(v *loop.Var, s *expr.Scatter) {
	guards, rest := l.g.d.C.SplitGuards(s.Body)
	in := l.guarded(guards)
	if len(guards) == 0 {
		rest = s.Body
	}
	in.emit(&loop.Set{V: v, At: in.positions(s.At), E: in.expr(rest), Add: true})
}

// fit lowers a part of a least-squares fit; the first part comes after the fit.
func (l *lowering) fit(d *expr.Def) {
	g, f := l.g, d.Fit.Of
	named := g.fitOf(f)
	array := func(e *expr.Expr) *loop.Var {
		if e == nil {
			return nil
		}
		return g.variable(e.Tensor)
	}
	computed := false
	for _, st := range *l.body {
		x, ok := st.(*loop.Fit)
		computed = computed || ok && x.Name == named.text
	}
	if !computed {
		st := &loop.Fit{Name: named.text, From: g.extent(f.Rows.Range.Lo), To: g.extent(f.Rows.Range.Hi), Responses: loop.Const(1), Weights: array(f.Arrays[0]), Y: array(f.Arrays[1])}
		if f.Outer != nil {
			st.Responses = g.extent(f.Outer.Range.Hi)
		}
		for n, x := range f.Columns {
			r := loop.Regressor{Columns: loop.Const(1)}
			if x.Index != nil {
				r.Columns = g.extent(x.Index.Range.Hi)
			}
			if x.Data != nil {
				r.V = array(f.Arrays[2+n])
			}
			st.X = append(st.X, r)
		}
		l.emit(st)
	}
	part := &loop.FitPart{V: g.variable(d.Tensor), Name: named.text, Part: d.Fit.Role.String()}
	switch d.Fit.Role {
	case expr.FitCentre, expr.FitOffset, expr.FitScale:
		part.At = []int{d.Fit.Row}
	case expr.FitFactor, expr.FitHigh, expr.FitLow:
		part.At = []int{d.Fit.Row, d.Fit.Col}
	}
	l.emit(part)
}

// target lowers the writing of a result.
func (l *lowering) target(t target) {
	// The subscripts of loops come between those that are fixed.
	subs := t.out.Subs
	if subs == nil {
		for _, i := range t.out.Indices {
			subs = append(subs, expr.Sub{Index: i})
		}
	}
	if !t.pair {
		l.nest(t.out.Indices, func(in *lowering) {
			e := in.expr(t.out.E)
			v, at := in.place(t.dst, subs)
			in.emit(&loop.Set{V: v, At: at, E: e})
		})
		return
	}
	// A symmetric block: the lower half in a loop up to the diagonal, what carries the delta on
	// the diagonal only.
	i, j := t.out.Indices[0], t.out.Indices[1]
	full, diagonal := l.g.d.C.SplitDelta(t.out.E, i, j)
	row := l.over(i)
	set := func(in *lowering, a, b expr.Sub, e *loop.Expr, add bool) {
		v, at := in.place(t.dst, []expr.Sub{a, b})
		in.emit(&loop.Set{V: v, At: at, E: e, Add: add})
	}
	a, b := expr.Sub{Index: i}, expr.Sub{Index: j}
	if !full.IsNum(0) {
		in := row.upTo(j, loop.At(row.vars[i]).Plus(1))
		set(in, a, b, in.expr(full), false)
		v, at := in.place(t.dst, []expr.Sub{a, b})
		set(in, b, a, loop.Element(v, at...), false)
	}
	if !diagonal.IsNum(0) {
		set(row, a, a, row.expr(diagonal), !full.IsNum(0))
	}
}

// function lowers a phase and adds it to the program.
func (g *generator) function(name string, ph *phase) *loop.Func {
	f := &loop.Func{Name: name}
	l := g.lower(&f.Body)
	for _, d := range ph.defs {
		l.definition(d)
	}
	for _, t := range ph.targets {
		l.target(t)
	}
	l.keep(ph)
	g.prog.Funcs = append(g.prog.Funcs, f)
	return f
}

// keep stores the scalars that others read.
func (l *lowering) keep(ph *phase) {
	g := l.g
	for _, d := range ph.defs {
		t := d.Tensor
		if len(d.Indices) > 0 {
			continue
		}
		if g.cross[t] {
			k := &loop.Keep{V: g.variable(t)}
			if d.Stage() > expr.StageGiven {
				k.For = loop.Within
			}
			l.emit(k)
		}
		value := loop.Value(g.variable(t))
		if at, ok := g.placeOf[t]; ok {
			l.emit(&loop.Set{V: g.quantityVar(), At: []*loop.Int{g.extent(at)}, E: value})
		}
		if t.Kind == expr.PriorTensor {
			l.emit(&loop.Set{V: g.valuesVar("values"), At: []*loop.Int{g.extent(g.values.start(t.Row))}, E: value})
		}
	}
}
