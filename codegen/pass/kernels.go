package pass

import (
	"slices"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// Sums that are products of a matrix of data X with vectors and weights, products of square matrices, and functions
// over whole arrays, become calls of runtime/kernel and runtime/linalg. Everything that does not fit stays a loop.

// elementwise are the functions with a kernel over an array.
var elementwise = map[string]string{
	"elementary.Exp": "kernel.Exp", "elementary.Log": "kernel.Log", "elementary.Log1p": "kernel.Log1p",
	"special.InvLogit": "kernel.InvLogit", "special.Log1pExp": "kernel.Log1pExp", "special.Log1pSquare": "kernel.Log1pSquare",
}

// pairwise are those with a kernel over two arrays.
var pairwise = map[string]string{"special.LogSumExp2": "kernel.LogSumExp"}

// composed are the functions of several numbers that are one with a kernel of another, which no kernel computes.
var composed = map[string]struct{ inner, kernel string }{"special.LogChance": {"special.Chance", "kernel.Log"}}

// leastLong is the least constant length of an array that is worth a call of its own.
const leastLong = 32

// kernels finds the calls.
func kernels(p *loop.Program) {
	imports := p.Imports()
	once := computedOnce(p)
	lower := lowerTriangles(p)
	for _, f := range p.Funcs {
		repeated(f.Body)
		f.Body = logSums(calls(f.Body, once, lower, f.Name != summary), imports)
	}
	addPanels(p.Func(summary), once)
}

// summary is the function that computes what depends on data alone.
const summary = "summarise"

// computedOnce are the matrices that the data determine: those that one nest of the summary sets, element by element, or one
// kernel, as eigenvectors.
func computedOnce(p *loop.Program) map[*loop.Var]bool {
	once := map[*loop.Var]bool{}
	f := p.Func(summary)
	if f == nil {
		return once
	}
	for _, st := range f.Body {
		if v := setWhole(st); v != nil && !setElsewhere(f.Body, st, v) {
			once[v] = true
		}
		n := asNest(st)
		if n != nil && len(n.vars) == 2 && n.set.V.Home == loop.Field && !n.set.V.Output && !n.set.V.Matrix && !setElsewhere(f.Body, n.set, n.set.V) && elementwise[n.set.E.Func] == "" && pairwise[n.set.E.Func] == "" && n.product() == nil {
			once[n.set.V] = true
		}
	}
	return once
}

// addPanels gives those of the matrices that kernels take their other layout, where they are set.
func addPanels(f *loop.Func, once map[*loop.Var]bool) {
	if f == nil {
		return
	}
	var out []loop.Stmt
	for _, st := range f.Body {
		out = append(out, st)
		v := setWhole(st)
		if n := asNest(st); n != nil {
			v = n.set.V
		}
		if v != nil && once[v] && v.Matrix {
			out = append(out, &loop.Kernel{Func: loop.NewMatrix, V: v, Args: []*loop.Var{v}})
		}
	}
	f.Body = out
}

// leastRows is the least constant number of rows of a matrix that a kernel sets which is worth a call for its product with a vector.
const leastRows = 8

// setWhole is the matrix of the model that a kernel sets as a whole, or nil where it is small.
func setWhole(st loop.Stmt) *loop.Var {
	k, ok := st.(*loop.Kernel)
	if !ok || len(k.At) > 0 || k.V == nil || len(k.V.Shape) != 2 || k.V.Factor || k.V.Home != loop.Field || k.V.Output {
		return nil
	}
	if n := k.V.Shape[0]; n.Op == loop.IntConst && n.N < leastRows {
		return nil
	}
	return k.V
}

// givesLower are the kernels that set what is above the diagonal to zero.
var givesLower = map[string]bool{"linalg.Lower": true, "linalg.InverseLower": true, "linalg.CholeskyAdjoint": true}

// lowerTriangles are the matrices that always have zeros above the diagonal: a sum over their part below it is the whole sum.
func lowerTriangles(p *loop.Program) map[*loop.Var]bool {
	lower, others := map[*loop.Var]bool{}, map[*loop.Var]bool{}
	for _, f := range p.Funcs {
		loop.Each(f.Body, func(st loop.Stmt) {
			if k, ok := st.(*loop.Kernel); ok && givesLower[k.Func] && len(k.At) == 0 && k.V != nil && len(k.V.Shape) == 2 {
				lower[k.V] = true
				return
			}
			if v := setBy(st); v != nil {
				others[v] = true
			}
		})
	}
	for v := range others {
		delete(lower, v)
	}
	return lower
}

// calls finds those of one function. Matrices that are computed early are taken for data where they are known.
func calls(list []loop.Stmt, early, lower map[*loop.Var]bool, known bool) []loop.Stmt {
	var out []loop.Stmt
	for _, st := range list {
		if p := asPartly(st); known && p != nil && !setElsewhere(list, p.set, p.set.V) {
			if made := p.byKernel(); made != nil {
				out = append(out, made...)
				continue
			}
		}
		n := asNest(st)
		if n == nil {
			out = append(out, st)
			continue
		}
		n.early, n.lower, n.known = early, lower, known
		switch k := n.product(); {
		case k != nil:
			for n, v := range k.Args {
				v.Matrix = v.Matrix || (v.Data || early[v]) && len(v.Shape) == 2 && k.Panels(n)
			}
			out = append(out, k)
		default:
			out = append(out, n.applied(st)...)
		}
	}
	return out
}

// logSums finds Σ_i log1p_exp(η[i]) where nothing else reads the terms.
func logSums(list []loop.Stmt, imports map[*loop.Var]bool) []loop.Stmt {
	reads := loop.EffectsOf(list...).Reads
	terms := map[*loop.Var]*loop.Kernel{}
	drop := map[loop.Stmt]bool{}
	var out []loop.Stmt
	for n := 0; n < len(list); n++ {
		k, ok := list[n].(*loop.Kernel)
		if ok && k.Func == "kernel.Log1pExp" && len(k.V.Shape) == 1 && !imports[k.V] && k.V.Home == loop.Field && !k.V.Output {
			readers := 1
			if k.V == k.Args[0] {
				readers++ // computed in place: the kernel reads the arguments
			}
			if len(reads[k.V]) == readers {
				terms[k.V] = k
			}
		}
		s := asSum(list[n:])
		if s != nil && len(s.before) == 0 && len(s.factors) == 1 && s.factors[0].Op == loop.Elem && is(s.factors[0], []*loop.Var{s.v}, []*loop.Int{s.size}) {
			if k := terms[s.factors[0].Var]; k != nil {
				drop[k] = true
				out = append(out, &loop.Kernel{Func: "kernel.SumLog1pExp", V: s.acc, Args: k.Args})
				n++
				continue
			}
		}
		out = append(out, list[n])
	}
	return slices.DeleteFunc(out, func(st loop.Stmt) bool { return drop[st] })
}

// nest is a nest of loops over whole arrays, around the setting of one element.
type nest struct {
	vars  []*loop.Var
	sizes []*loop.Int
	body  []loop.Stmt // of the innermost loop
	set   *loop.Set   // its last statement
	early map[*loop.Var]bool
	lower map[*loop.Var]bool // matrices with zeros above the diagonal
	known bool               // what is early is there
}

// asNest returns the nest that a statement is, or nil.
func asNest(st loop.Stmt) *nest {
	n := &nest{}
	for {
		f, ok := st.(*loop.For)
		if !ok || !f.From.IsConst(0) || len(f.Body) == 0 {
			return nil
		}
		n.vars, n.sizes, n.body = append(n.vars, f.V), append(n.sizes, f.To), f.Body
		last := f.Body[len(f.Body)-1]
		if s, ok := last.(*loop.Set); ok {
			n.set = s
			break
		}
		if len(f.Body) > 1 {
			return nil
		}
		st = last
	}
	if loop.EffectsOf(n.body...).Reads[n.set.V] != nil {
		return nil // each element is made of others: in the order of the loop
	}
	if n.set.Add || !whole(n.set.V, n.set.At, n.vars, n.sizes) || n.set.V.Home == loop.Param {
		return nil
	}
	return n
}

// whole reports whether at are the variables of loops over the whole of an array.
func whole(v *loop.Var, at []*loop.Int, vars []*loop.Var, sizes []*loop.Int) bool {
	if len(at) != len(vars) || len(v.Shape) != len(vars) {
		return false
	}
	for n := range at {
		if at[n].Op != loop.IntVar || at[n].Var != vars[n] || !v.Shape[n].Equal(sizes[n]) {
			return false
		}
	}
	return true
}

// is reports whether e is an element of a whole array at loop variables.
func is(e *loop.Expr, vars []*loop.Var, sizes []*loop.Int) bool {
	return e.Op == loop.Elem && whole(e.Var, e.At, vars, sizes)
}

// applied splits a function over arrays from its arguments, which go where the values will be.
func (n *nest) applied(st loop.Stmt) []loop.Stmt {
	e := n.set.E
	k := ""
	if e.Op == loop.Call && len(e.Args) == 1 && n.long() && len(n.vars) <= 2 {
		k = elementwise[e.Func]
	}
	if pair := n.pair(); pair != nil {
		return []loop.Stmt{pair}
	}
	if of, ok := composed[e.Func]; ok && e.Op == loop.Call && n.long() && len(n.vars) <= 2 {
		e.Func = of.inner
		return []loop.Stmt{st, &loop.Kernel{Func: of.kernel, V: n.set.V, Args: []*loop.Var{n.set.V}}}
	}
	switch {
	case k == "":
		return []loop.Stmt{st}
	case len(n.body) == 1 && is(e.Args[0], n.vars, n.sizes) && !e.Args[0].Var.Matrix && !n.early[e.Args[0].Var] && (len(n.vars) == 1 || e.Args[0].Var.Home == loop.Field && !e.Args[0].Var.Data):
		return []loop.Stmt{&loop.Kernel{Func: k, V: n.set.V, Args: []*loop.Var{e.Args[0].Var}}}
	}
	n.set.E = e.Args[0]
	return []loop.Stmt{st, &loop.Kernel{Func: k, V: n.set.V, Args: []*loop.Var{n.set.V}}}
}

// pair is the kernel of a function over two whole arrays, or nil.
func (n *nest) pair() *loop.Kernel {
	e := n.set.E
	if e.Op != loop.Call || len(e.Args) != 2 || pairwise[e.Func] == "" || !n.long() || len(n.vars) > 2 || len(n.body) != 1 {
		return nil
	}
	k := &loop.Kernel{Func: pairwise[e.Func], V: n.set.V}
	for _, a := range e.Args {
		if !is(a, n.vars, n.sizes) || a.Var.Matrix || n.early[a.Var] {
			return nil
		}
		k.Args = append(k.Args, a.Var)
	}
	return k
}

// long reports whether one of the ranges is worth a call.
func (n *nest) long() bool {
	for _, s := range n.sizes {
		if s.Op != loop.IntConst || s.N >= leastLong {
			return true
		}
	}
	return false
}

// sum is the sum of a product over a whole range, as an inner loop computes it.
type sum struct {
	acc     *loop.Var
	v       *loop.Var
	from    *loop.Int
	size    *loop.Int   // where it ends
	before  []loop.Stmt // inside the loop
	factors []*loop.Expr
}

// asSum returns the sum that two statements compute, or nil.
func asSum(list []loop.Stmt) *sum {
	if s := asPartOfSum(list); s != nil && s.from.IsConst(0) {
		return s
	}
	return nil
}

// asPartOfSum is asSum where the range may begin anywhere.
func asPartOfSum(list []loop.Stmt) *sum {
	if len(list) < 2 {
		return nil
	}
	let, ok := list[0].(*loop.Let)
	f, isLoop := list[1].(*loop.For)
	if !ok || !isLoop || !let.E.IsNum(0) || len(f.Body) == 0 {
		return nil
	}
	set, ok := f.Body[len(f.Body)-1].(*loop.Set)
	if !ok || !set.Add || set.V != let.V {
		return nil
	}
	s := &sum{acc: let.V, v: f.V, from: f.From, size: f.To, before: f.Body[:len(f.Body)-1], factors: []*loop.Expr{set.E}}
	if set.E.Op == loop.Mul {
		if set.E.Val != 1 {
			return nil
		}
		for _, k := range set.E.K {
			if k != 1 {
				return nil
			}
		}
		s.factors = set.E.Args
	}
	return s
}

// product returns the kernel of a product with a matrix of data that the nest computes, or nil.
func (n *nest) product() *loop.Kernel {
	if k := n.triangular(); k != nil {
		return k
	}
	if k := n.triangles(); k != nil {
		return k
	}
	s := asSum(n.body)
	if s == nil || len(n.body) != 3 || n.set.E.Op != loop.Scalar || n.set.E.Var != s.acc {
		return nil
	}
	switch {
	case len(n.vars) == 1 && len(s.factors) == 2 && len(s.before) == 0:
		return n.matrixVector(s)
	case len(n.vars) == 1 && len(s.factors) == 2:
		return n.quadratic(s)
	case len(n.vars) == 2 && len(s.before) == 0:
		return n.matrices(s)
	}
	return nil
}

// data reports whether e is X[a,b] of a matrix of data over whole ranges.
func (n *nest) data(e *loop.Expr, vars []*loop.Var, sizes []*loop.Int) bool {
	return e.Op == loop.Elem && (e.Var.Data || e.Var.Matrix || n.known && n.early[e.Var]) && is(e, vars, sizes)
}

// matrixVector finds Σ_j X[i,j] b[j] and Σ_j X[j,i] b[j].
func (n *nest) matrixVector(s *sum) *loop.Kernel {
	i, size := n.vars[0], n.sizes[0]
	for k, x := range s.factors {
		b := s.factors[1-k]
		if !is(b, []*loop.Var{s.v}, []*loop.Int{s.size}) || b.Var.Home == loop.Param {
			continue
		}
		switch {
		case n.data(x, []*loop.Var{i, s.v}, []*loop.Int{size, s.size}):
			return &loop.Kernel{Func: "kernel.MulVec", V: n.set.V, Args: []*loop.Var{x.Var, b.Var}}
		case n.data(x, []*loop.Var{s.v, i}, []*loop.Int{s.size, size}):
			return &loop.Kernel{Func: "kernel.MulTVec", V: n.set.V, Args: []*loop.Var{x.Var, b.Var}}
		}
	}
	return nil
}

// triangular finds Σ_j≤i L[i,j] b[j] and Σ_j≥i L[j,i] b[j].
func (n *nest) triangular() *loop.Kernel {
	s := asPartOfSum(n.body)
	if s == nil || !n.known || len(n.vars) != 1 || len(n.body) != 3 || n.set.E.Op != loop.Scalar || n.set.E.Var != s.acc || len(s.factors) != 2 || len(s.before) > 0 {
		return nil
	}
	i, size := n.vars[0], n.sizes[0]
	base, offset := s.size.Base()
	whole, name := &sum{acc: s.acc, v: s.v, size: size, factors: s.factors}, ""
	switch {
	case beginning(s.from) == i && s.size.Equal(size):
		name = "kernel.MulTVec"
	case s.from.IsConst(0) && base != nil && base.Op == loop.IntVar && base.Var == i && offset == 1:
		name = "kernel.MulVec"
	default:
		return nil
	}
	if k := n.matrixVector(whole); k != nil && k.Func == name && n.lower[k.Args[0]] {
		return k
	}
	return nil
}

// matrices finds the products of two matrices, with weights between them or without.
func (n *nest) matrices(s *sum) *loop.Kernel {
	switch len(s.factors) {
	case 2:
	case 3:
		if k := n.gram(s); k != nil {
			return k
		}
		return n.weighted(s)
	default:
		return nil
	}
	if k := n.matrixMatrix(s); k != nil {
		return k
	}
	if k := n.dataMatrix(s); k != nil {
		return k
	}
	return n.rectangular(s)
}

// triangles finds the products of two matrices of which one or both are zero above the diagonal, Σ_k≤j A[i,k] L[j,k] and its kind: a kernel that
// takes the zeros too is faster than a loop that leaves them out.
func (n *nest) triangles() *loop.Kernel {
	s := asPartOfSum(n.body)
	if s == nil || len(n.vars) != 2 || len(n.body) != 3 || n.set.E.Op != loop.Scalar || n.set.E.Var != s.acc || len(s.before) > 0 || !n.long() {
		return nil
	}
	// zero reports whether a factor is zero where the index of the sum is beyond x: before it, or after it.
	var size *loop.Int
	zero := func(x *loop.Var, before bool) bool {
		for _, e := range s.factors {
			if e.Op != loop.Elem || !n.lower[e.Var] || len(e.At) != 2 || e.At[0].Op != loop.IntVar || e.At[1].Op != loop.IntVar {
				continue
			}
			row, column := e.At[0].Var, e.At[1].Var
			if before && row == s.v && column == x || !before && row == x && column == s.v {
				size = e.Var.Shape[0]
				return true
			}
		}
		return false
	}
	if x := beginning(s.from); x != nil && !zero(x, true) || x == nil && !s.from.IsConst(0) {
		return nil
	}
	if base, offset := s.size.Base(); base != nil && base.Op == loop.IntVar && offset == 1 && slices.Contains(n.vars, base.Var) {
		if !zero(base.Var, false) {
			return nil
		}
	} else if size == nil || !s.size.Equal(size) {
		return nil
	}
	return n.matrices(&sum{acc: s.acc, v: s.v, from: loop.Const(0), size: size, factors: s.factors})
}

// beginning is the variable where a range begins, x or max(0, x), or nil.
func beginning(from *loop.Int) *loop.Var {
	if from.Op == loop.IntMax && len(from.Args) == 2 {
		for k, a := range from.Args {
			if a.IsConst(0) {
				return beginning(from.Args[1-k])
			}
		}
	}
	if from.Op == loop.IntVar {
		return from.Var
	}
	return nil
}

// matrixMatrix finds the products of two square matrices, of which either may be transposed:
// Σ_k A[i,k] B[k,j] and its kind.
func (n *nest) matrixMatrix(s *sum) *loop.Kernel {
	i, j, k, size := n.vars[0], n.vars[1], s.v, s.size
	if !n.sizes[0].Equal(size) || !n.sizes[1].Equal(size) || !n.long() {
		return nil
	}
	of := func(e *loop.Expr, a, b *loop.Var) bool {
		return is(e, []*loop.Var{a, b}, []*loop.Int{size, size})
	}
	for m, a := range s.factors {
		b, name := s.factors[1-m], ""
		switch {
		case of(a, i, k) && of(b, k, j):
			name = "linalg.Mul"
		case of(a, k, i) && of(b, k, j):
			name = "linalg.MulTA"
		case of(a, i, k) && of(b, j, k):
			name = "linalg.MulTB"
		case of(a, k, i) && of(b, j, k):
			name = "linalg.MulTAB"
		default:
			continue
		}
		return &loop.Kernel{Func: name, V: n.set.V, Args: []*loop.Var{a.Var, b.Var}}
	}
	return nil
}

// dataMatrix finds the products of a matrix of data and another matrix, of which each may be transposed, and the product too:
// Σ_l X[i,l] B[l,j] and its kind.
func (n *nest) dataMatrix(s *sum) *loop.Kernel {
	if !n.long() && s.size.Op == loop.IntConst && s.size.N < leastLong {
		return nil
	}
	for m, x := range s.factors {
		b := s.factors[1-m]
		if b.Op != loop.Elem || b.Var.Home == loop.Param || b.Var.Data || b.Var.Matrix || n.early[b.Var] {
			continue
		}
		for side := range 2 { // of the product that is X's
			i, j, rows, cols := n.vars[side], n.vars[1-side], n.sizes[side], n.sizes[1-side]
			name := "kernel.Mul"
			switch {
			case n.data(x, []*loop.Var{i, s.v}, []*loop.Int{rows, s.size}):
			case n.data(x, []*loop.Var{s.v, i}, []*loop.Int{s.size, rows}):
				name += "T"
			default:
				continue
			}
			name += "Mat"
			switch {
			case is(b, []*loop.Var{s.v, j}, []*loop.Int{s.size, cols}):
			case is(b, []*loop.Var{j, s.v}, []*loop.Int{cols, s.size}):
				name += "T"
			default:
				continue
			}
			if side == 1 {
				name += "Turned"
			}
			return &loop.Kernel{Func: name, V: n.set.V, Args: []*loop.Var{x.Var, b.Var}}
		}
	}
	return nil
}

// leastInner is the least constant number of terms of an element of a product that is worth a call.
const leastInner = 4

// rectangular finds the products of any two matrices, of which either may be transposed.
func (n *nest) rectangular(s *sum) *loop.Kernel {
	if s.size.Op == loop.IntConst && s.size.N < leastInner || !n.long() && n.sizes[0].N*n.sizes[1].N < leastLong {
		return nil
	}
	for m, a := range s.factors {
		if turned, ok := n.turned(s, a, s.factors[1-m]); ok {
			name := "linalg.Product"
			if turned != "" {
				name += "T" + turned
			}
			return &loop.Kernel{Func: name, V: n.set.V, Args: []*loop.Var{a.Var, s.factors[1-m].Var}}
		}
	}
	return nil
}

// turned reports whether the sum is the product of matrices A and B, and which of them stand there transposed.
func (n *nest) turned(s *sum, a, b *loop.Expr) (which string, ok bool) {
	of := func(e *loop.Expr, row, column *loop.Var, rows, columns *loop.Int) bool {
		return e.Op == loop.Elem && e.Var.Home != loop.Param && is(e, []*loop.Var{row, column}, []*loop.Int{rows, columns})
	}
	switch i := n.vars[0]; {
	case of(a, i, s.v, n.sizes[0], s.size):
	case of(a, s.v, i, s.size, n.sizes[0]):
		which += "A"
	default:
		return "", false
	}
	switch j := n.vars[1]; {
	case of(b, s.v, j, s.size, n.sizes[1]):
	case of(b, j, s.v, n.sizes[1], s.size):
		which += "B"
	default:
		return "", false
	}
	return which, true
}

// weighted finds the products of two matrices with weights between them, Σ_k A[i,k] w[k] B[k,j], of which either may be transposed.
func (n *nest) weighted(s *sum) *loop.Kernel {
	if s.size.Op == loop.IntConst && s.size.N < leastInner || !n.long() {
		return nil
	}
	for m, a := range s.factors {
		for l, b := range s.factors {
			if l == m {
				continue
			}
			w := s.factors[3-l-m]
			if !is(w, []*loop.Var{s.v}, []*loop.Int{s.size}) || w.Var.Home == loop.Param {
				continue
			}
			if turned, ok := n.turned(s, a, b); ok {
				name := "linalg.Weighted"
				if turned != "" {
					name += "T" + turned
				}
				return &loop.Kernel{Func: name, V: n.set.V, Args: []*loop.Var{a.Var, w.Var, b.Var}}
			}
		}
	}
	return nil
}

// quadratic finds Σ_j X[i,j] Σ_l X[i,l] W[l,j], for a weight W, which is symmetric.
func (n *nest) quadratic(s *sum) *loop.Kernel {
	in := asSum(s.before)
	if in == nil || len(s.before) != 2 || len(in.before) != 0 || len(in.factors) != 2 {
		return nil
	}
	row := func(e *loop.Expr, j *loop.Var, size *loop.Int) bool {
		return n.data(e, []*loop.Var{n.vars[0], j}, []*loop.Int{n.sizes[0], size})
	}
	for k, x := range s.factors {
		if y := s.factors[1-k]; !row(x, s.v, s.size) || y.Op != loop.Scalar || y.Var != in.acc {
			continue
		}
		for m, y := range in.factors {
			w := in.factors[1-m]
			if !row(y, in.v, in.size) || y.Var != x.Var || w.Op != loop.Elem || w.Var.Home != loop.Param {
				continue
			}
			a, b := []*loop.Var{in.v, s.v}, []*loop.Int{in.size, s.size}
			if is(w, a, b) || is(w, []*loop.Var{s.v, in.v}, b) {
				return &loop.Kernel{Func: "kernel.QuadForms", V: n.set.V, Args: []*loop.Var{x.Var, w.Var}}
			}
		}
	}
	return nil
}

// gram finds Σ_i X[i,j] X[i,l] w[i].
func (n *nest) gram(s *sum) *loop.Kernel {
	column := func(e *loop.Expr, at int) bool {
		return n.data(e, []*loop.Var{s.v, n.vars[at]}, []*loop.Int{s.size, n.sizes[at]})
	}
	for a, x := range s.factors {
		for b, y := range s.factors {
			if a == b || !column(x, 0) || !column(y, 1) || x.Var != y.Var {
				continue
			}
			if w := s.factors[3-a-b]; is(w, []*loop.Var{s.v}, []*loop.Int{s.size}) {
				return &loop.Kernel{Func: "kernel.WeightedGram", V: n.set.V, Args: []*loop.Var{x.Var, w.Var}}
			}
		}
	}
	return nil
}
