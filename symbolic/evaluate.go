package symbolic

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime/elementary"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Machine evaluates a derived program directly. It is the oracle that the
// generated code is tested against; it is made for clarity, not speed.
type Machine struct {
	Integrate expr.Integrator // solves differential equations

	// Draw draws from a distribution, which two args more than it has truncate to
	// an interval; DrawVector to out from one of vectors, with its first argument, a vector, and
	// the Cholesky factor of the covariance, nil where there is none. They use the next random
	// numbers of a stream.
	Draw       func(d *dsl.Distribution, args []float64) float64
	DrawVector func(d *dsl.Distribution, out, first, factor []float64)

	d      *Derived
	sizes  map[string]int
	values [][]float64 // by tensor id
	idx    []int
	slots  map[*expr.Index]int
	code   map[*expr.Expr]func() float64
	fits   map[*expr.Fit]*solvedFit
	within map[*expr.Def]bool         // of definitions: whether they have values only while a family is computed
	owned  map[*expr.Def]*expr.Family // for each value of whose outer index they have one
	uses   map[*expr.Expr][]*expr.Tensor
}

// NewMachine prepares a machine for data given by name, row-major; scalar ints
// give the sizes. The data have been checked against the model's declarations.
func NewMachine(d *Derived, data map[string][]float64) *Machine {
	m := &Machine{d: d, sizes: map[string]int{}, values: make([][]float64, len(d.C.Tensors)),
		slots: map[*expr.Index]int{}, code: map[*expr.Expr]func() float64{}, fits: map[*expr.Fit]*solvedFit{}, within: map[*expr.Def]bool{}, owned: map[*expr.Def]*expr.Family{},
		uses: map[*expr.Expr][]*expr.Tensor{}}
	for n, decl := range d.Model.Data {
		v := data[decl.ObjectName()]
		m.values[d.Data[n].ID()] = v
		if decl.Type.Base == dsl.Int && decl.Type.IsScalar() {
			m.sizes[decl.ObjectName()] = int(v[0])
		}
	}
	for _, t := range d.C.Tensors {
		switch t.Kind {
		case expr.PositionsOf:
			if t.Source == nil {
				m.allocate(t)
				continue
			}
			m.values[t.ID()] = m.values[t.Source.ID()]
		case expr.CoordTensor, expr.GivenTensor, expr.VelocityTensor, expr.DefTensor, expr.FactorOf, expr.QuantityTensor, expr.PriorTensor, expr.PartTensor, expr.InnerTensor:
			m.allocate(t)
		}
	}
	return m
}

// allocate makes the storage of a tensor.
func (m *Machine) allocate(t *expr.Tensor) {
	n := 1
	for _, x := range t.Shape {
		n *= max(0, m.Extent(x))
	}
	m.values[t.ID()] = make([]float64, n)
}

// Extent returns the value of a symbolic size.
func (m *Machine) Extent(x dsl.Extent) int {
	if x.Name == "" {
		return x.Offset
	}
	if factors := x.Factors(); factors != nil {
		n := 1
		for _, f := range factors {
			n *= m.Extent(f)
		}
		if x.Halved() {
			n /= 2
		}
		return n + x.Offset
	}
	return m.sizes[x.Name] + x.Offset
}

// Tensors returns the tensors of one kind.
func (d *Derived) Tensors(kind expr.TensorKind) []*expr.Tensor {
	var out []*expr.Tensor
	for _, t := range d.C.Tensors {
		if t.Kind == kind {
			out = append(out, t)
		}
	}
	return out
}

// Values returns the storage of a tensor: coordinates, velocities and weights
// are written by the caller, weights before the first expression that reads them
// is evaluated.
func (m *Machine) Values(t *expr.Tensor) []float64 {
	if m.values[t.ID()] == nil && t.Kind == expr.WeightTensor {
		m.allocate(t) // pairs of coordinates: much, and seldom wanted
	}
	return m.values[t.ID()]
}

// computed returns the definitions and the parts of families that an expression reads, in the order in which they stand there.
// Run asks it of the same expressions every time.
func (m *Machine) computed(e *expr.Expr) []*expr.Tensor {
	list, ok := m.uses[e]
	if !ok {
		expr.Refs(e, func(r *expr.Expr) {
			if t := r.Tensor; (t.Def != nil || t.Part != nil) && !slices.Contains(list, t) {
				list = append(list, t)
			}
		})
		m.uses[e] = list
	}
	return list
}

// needs marks the definitions that an expression uses, and the order up to which
// it uses each family.
func (m *Machine) needs(e *expr.Expr, defs map[*expr.Def]bool, orders map[*expr.Family]int) {
	for _, t := range m.computed(e) {
		if d := t.Def; d != nil && !defs[d] {
			defs[d] = true
			for _, body := range d.Bodies() {
				m.needs(body, defs, orders)
			}
		}
		part := t.Part
		if part == nil {
			continue
		}
		f := part.Of
		old, known := orders[f]
		if known && old >= part.Order() {
			continue
		}
		orders[f] = part.Order()
		for _, x := range f.Formulas(part.Order()) {
			m.needs(x, defs, orders)
		}
	}
}

// Run evaluates outputs at the present inputs; put receives each value with
// the values of the output's indices, counted from 1.
func (m *Machine) Run(outs []Output, put func(o *Output, idx []int, v float64)) {
	defs, orders := map[*expr.Def]bool{}, map[*expr.Family]int{}
	for n := range outs {
		for _, e := range outs[n].Needs() {
			m.needs(e, defs, orders)
		}
	}
	done := map[*expr.Family]bool{}
	join := func(e *expr.Expr) {
		for _, t := range m.computed(e) {
			if part := t.Part; part != nil && !done[part.Of] {
				done[part.Of] = true
				part.Of.Operator.Joint.Eval(part.Of, orders[part.Of], m.evaluation())
			}
		}
	}
	for _, d := range m.d.Prog.Defs {
		if !defs[d] || d.ReadsInner(m.within) || d.OwnOf(m.owned) != nil {
			continue
		}
		for _, b := range d.Bodies() {
			join(b)
		}
		m.define(d)
	}
	for n := range outs {
		o := &outs[n]
		join(o.E)
		f := m.compile(o.E)
		m.loop(o.Indices, func(idx []int) {
			if o.Subs == nil {
				put(o, idx, f())
				return
			}
			all := make([]int, len(o.Subs))
			for k, s := range o.Subs {
				all[k] = m.sub(s)()
			}
			put(o, all, f())
		})
	}
}

// define evaluates a definition.
func (m *Machine) define(d *expr.Def) {
	if b := d.Body; b.DrawsVector() {
		var factor []float64
		if b.Tensor != nil {
			factor = m.values[b.Tensor.ID()]
		}
		m.DrawVector(b.Dist, m.values[d.Tensor.ID()], m.values[b.Args[0].Tensor.ID()], factor)
		return
	}
	out := m.values[d.Tensor.ID()]
	if d.Recursion != nil {
		m.recur(d)
		return
	}
	if d.Fit != nil {
		m.fit(d.Fit, out)
		return
	}
	if d.Body.Op == expr.Apply {
		m.apply(d, out)
		return
	}
	if d.Scatter != nil {
		m.scatter(d, out)
		return
	}
	f := m.compile(d.Body)
	m.loop(d.Indices, func(idx []int) { out[m.flat(d.Tensor, idx)] = f() })
}

// recur evaluates the recursion that a definition is the first member of; the others are evaluated with it.
func (m *Machine) recur(first *expr.Def) {
	r := first.Recursion
	if first.Tensor != r.Members[0] {
		return
	}
	bodies := m.compileAll(first.Bodies())
	for k, n := 0, m.Extent(first.Tensor.Shape[0]); k < n; k++ {
		at := k + 1
		if r.Down {
			at = n - k
		}
		for j, t := range r.Members {
			if part := t.Def.Indices[0].Range; at < m.Extent(part.Lo) || at > m.Extent(part.Hi) {
				continue // a draw of another part
			}
			out, f := m.values[t.ID()], bodies[j]
			m.idx[m.slot(t.Def.Indices[0])] = at
			m.loop(t.Def.Indices[1:], func(idx []int) { out[m.flat(t, append([]int{at}, idx...))] = f() })
		}
	}
}

// apply evaluates an operator, at each value of the outer indices.
func (m *Machine) apply(d *expr.Def, out []float64) {
	a := d.Body.Apply
	// part is what an array holds at its first subscripts, and its dimensions.
	part := func(v []float64, t *expr.Tensor, at []int) ([]float64, []int) {
		var dims []int
		size, k := 1, 0
		for n, x := range t.Shape {
			if n < len(at) {
				k = k*m.Extent(x) + at[n] - 1
				continue
			}
			dims = append(dims, m.Extent(x))
			size *= m.Extent(x)
		}
		return v[k*size : (k+1)*size], dims
	}
	m.loop(d.Outer(), func(idx []int) {
		args := make([]*mat.Dense, len(a.Shapes))
		for n := range args {
			t, lead := a.Part(d.Body.Args[n], n)
			at := make([]int, len(lead))
			for k, s := range lead {
				at[k] = m.sub(s)()
			}
			v, dims := part(m.values[t.ID()], t, at)
			args[n] = mat.NewDense(dims[0], len(v)/dims[0], v)
		}
		v, _ := part(out, d.Tensor, idx)
		a.Operator.Eval(v, args)
	})
}

// scatter evaluates a sum by data.
func (m *Machine) scatter(d *expr.Def, out []float64) {
	clear(out)
	f, guards := m.compile(d.Scatter.Body), m.compileAll(expr.InOrder(expr.Indicators(d.Scatter.Body)))
	at := make([]func() int, len(d.Scatter.At))
	for n, s := range d.Scatter.At {
		at[n] = m.sub(s)
	}
	idx := make([]int, len(at))
	m.loop(d.Scatter.Loops(), func([]int) {
		for _, g := range guards {
			if g() == 0 {
				return
			}
		}
		for n, s := range at {
			idx[n] = s()
		}
		out[m.flat(d.Tensor, idx)] += f()
	})
}

// evaluation is what a family is computed with. The definitions that it uses have been evaluated, but for inner ones.
func (m *Machine) evaluation() expr.Evaluation {
	inner := func(formulas []*expr.Expr) func() {
		defs := map[*expr.Def]bool{}
		for _, x := range formulas {
			m.needs(x, defs, map[*expr.Family]int{})
		}
		own := slices.DeleteFunc(slices.Clone(m.d.Prog.Defs), func(d *expr.Def) bool { return !defs[d] || !d.ReadsInner(m.within) })
		return func() {
			for _, d := range own {
				m.define(d)
			}
		}
	}
	own := func(f *expr.Family, formulas []*expr.Expr) func() {
		defs := map[*expr.Def]bool{}
		for _, x := range formulas {
			m.needs(x, defs, map[*expr.Family]int{})
		}
		list := slices.DeleteFunc(slices.Clone(m.d.Prog.Defs), func(d *expr.Def) bool { return !defs[d] || d.ReadsInner(m.within) || d.OwnOf(m.owned) != f })
		return func() {
			for _, d := range list {
				m.define(d)
			}
		}
	}
	over := func(i *expr.Index, f func(n int)) { m.loop([]*expr.Index{i}, func(at []int) { f(at[0]) }) }
	return expr.Evaluation{Values: m.Values, Code: m.compile, Inner: inner, Own: own, Extent: m.Extent, Over: over, Integrate: m.Integrate}
}

func (m *Machine) flat(t *expr.Tensor, idx []int) int {
	k := 0
	for n, i := range idx {
		k = k*m.Extent(t.Shape[n]) + i - 1
	}
	return k
}

func (m *Machine) slot(i *expr.Index) int {
	s, ok := m.slots[i]
	if !ok {
		s = len(m.idx)
		m.slots[i] = s
		m.idx = append(m.idx, 0)
	}
	return s
}

func (m *Machine) loop(indices []*expr.Index, f func(idx []int)) {
	idx := make([]int, len(indices))
	var rec func(n int)
	rec = func(n int) {
		if n == len(indices) {
			f(idx)
			return
		}
		s := m.slot(indices[n])
		for i := m.Extent(indices[n].Range.Lo); i <= m.Extent(indices[n].Range.Hi); i++ {
			m.idx[s], idx[n] = i, i
			rec(n + 1)
		}
	}
	rec(0)
}

func (m *Machine) sub(s expr.Sub) func() int {
	switch {
	case s.Data != nil:
		f, o := m.compile(s.Data), s.Offset
		return func() int { return int(f()) + o }
	case s.Index == nil:
		v := m.Extent(s.At)
		return func() int { return v }
	}
	k, o := m.slot(s.Index), s.Offset
	return func() int { return m.idx[k] + o }
}

// compile turns an expression into a closure over the machine's indices.
func (m *Machine) compile(e *expr.Expr) func() float64 {
	if f, ok := m.code[e]; ok {
		return f
	}
	f := m.closure(e)
	m.code[e] = f
	return f
}

func (m *Machine) closure(e *expr.Expr) func() float64 {
	switch e.Op {
	case expr.Num:
		v := e.Val
		return func() float64 { return v }
	case expr.Ref:
		return m.reference(e)
	case expr.Add:
		args := m.compileAll(e.Args)
		order := expr.SumOrder(e)
		return func() float64 {
			v := e.Val
			for _, n := range order {
				v += e.K[n] * args[n]()
			}
			return v
		}
	case expr.Mul:
		return m.product(e)
	case expr.Call:
		args := m.compileAll(e.Args)
		x := make([]float64, len(args))
		return func() float64 {
			for n, f := range args {
				x[n] = f()
			}
			return e.Func.Eval(x)
		}
	case expr.Draw:
		args := m.compileAll(e.Args)
		x := make([]float64, len(args))
		return func() float64 {
			for n, f := range args {
				x[n] = f()
			}
			return m.Draw(e.Dist, x)
		}
	case expr.Sum, expr.Largest:
		return m.sum(e)
	case expr.Delta:
		a, b := m.sub(e.Subs[0]), m.sub(e.Subs[1])
		return func() float64 {
			if a() == b() {
				return 1
			}
			return 0
		}
	case expr.Before:
		a, b := m.sub(e.Subs[0]), m.sub(e.Subs[1])
		return func() float64 {
			if a() < b() {
				return 1
			}
			return 0
		}
	case expr.Inside:
		a := m.sub(e.Subs[0])
		return func() float64 {
			if i := a(); i >= m.Extent(e.Range.Lo) && i <= m.Extent(e.Range.Hi) {
				return 1
			}
			return 0
		}
	}
	return func() float64 { return math.NaN() }
}

// reference reads an element.
func (m *Machine) reference(e *expr.Expr) func() float64 {
	v := m.values[e.Tensor.ID()]
	switch len(e.Subs) {
	case 0:
		return func() float64 { return v[0] }
	case 1:
		s := m.sub(e.Subs[0])
		return func() float64 { return v[s()-1] }
	}
	subs := make([]func() int, len(e.Subs))
	sizes := make([]int, len(e.Subs))
	for n := range subs {
		subs[n], sizes[n] = m.sub(e.Subs[n]), m.Extent(e.Tensor.Shape[n])
	}
	return func() float64 {
		at := 0
		for n, s := range subs {
			k := s() - 1
			if k < 0 || k >= sizes[n] {
				// It would be an element of another row.
				panic(fmt.Sprintf("%s has no element %d of %d", e.Tensor.Name, k+1, sizes[n]))
			}
			at = at*sizes[n] + k
		}
		return v[at]
	}
}

// product multiplies where no guard is 0.
func (m *Machine) product(e *expr.Expr) func() float64 {
	args := m.compileAll(e.Args)
	// An indicator is looked at first: what it excludes is not evaluated.
	var first []*expr.Expr
	for _, a := range e.Args {
		if a.Op == expr.Inside || a.Op == expr.Before || a.Op == expr.Delta {
			first = append(first, a)
		}
	}
	guards := m.compileAll(expr.InOrder(first))
	return func() float64 {
		for _, g := range guards {
			if g() == 0 {
				return 0
			}
		}
		// Over one denominator: 0/y is 0 also where 1/y overflows.
		v, below := e.Val, 1.0
		for n, f := range args {
			switch k := e.K[n]; k {
			case 1:
				v *= f()
			case -1:
				below *= f()
			case 2:
				x := f()
				v *= x * x
			case 0.5:
				v *= math.Sqrt(f())
			default:
				if k < 0 {
					below *= elementary.Pow(f(), -k)
				} else {
					v *= elementary.Pow(f(), k)
				}
			}
		}
		return v / below
	}
}

func (m *Machine) sum(e *expr.Expr) func() float64 {
	body := m.compile(e.Args[0])
	s, r := m.slot(e.Index), e.Index.Range
	if e.Op == expr.Largest {
		return func() float64 {
			v := -math.MaxFloat64
			saved := m.idx[s]
			for i := m.Extent(r.Lo); i <= m.Extent(r.Hi); i++ {
				m.idx[s] = i
				if x := body(); x > v {
					v = x
				}
			}
			m.idx[s] = saved
			return v
		}
	}
	return func() float64 {
		v := 0.0
		saved := m.idx[s]
		for i := m.Extent(r.Lo); i <= m.Extent(r.Hi); i++ {
			m.idx[s] = i
			v += body()
		}
		m.idx[s] = saved
		return v
	}
}

func (m *Machine) compileAll(args []*expr.Expr) []func() float64 {
	out := make([]func() float64, len(args))
	for n, a := range args {
		out[n] = m.compile(a)
	}
	return out
}

// solvedFit is a fit with the numbers that it was computed from.
type solvedFit struct {
	given  []float64
	result *expr.FitResult
}

// fit evaluates a part of a fit. A fit is computed anew only if what it is made
// of has changed.
func (m *Machine) fit(p *expr.FitPart, out []float64) {
	f := p.Of
	rows := m.Extent(f.Rows.Range.Hi)
	first := m.Extent(f.Rows.Range.Lo) - 1
	read := func(e *expr.Expr, width int) []float64 {
		if e == nil {
			return nil
		}
		return m.values[e.Tensor.ID()][:max(0, rows*width)]
	}
	responses := 1
	if f.Outer != nil {
		responses = m.Extent(f.Outer.Range.Hi)
	}
	arrays := [][]float64{read(f.Arrays[0], 1), read(f.Arrays[1], responses)}
	var widths []int
	for n, x := range f.Columns {
		width := 1
		if x.Index != nil {
			width = m.Extent(x.Index.Range.Hi)
		}
		widths = append(widths, width)
		arrays = append(arrays, read(f.Arrays[2+n], width))
	}
	given := slices.Concat(arrays...)
	s := m.fits[f]
	if s == nil || !slices.Equal(s.given, given) {
		var w []float64
		if f.Weight != nil && first < rows {
			w = arrays[0][first:rows]
		}
		n := max(0, rows-first)
		a := make([][]float64, responses)
		for g := range a {
			a[g] = make([]float64, n)
			if f.Response != nil && n > 0 {
				copy(a[g], arrays[1][g*rows+first:(g+1)*rows])
			}
		}
		var x [][]float64
		for r, width := range widths {
			for j := range width {
				column := make([]float64, n)
				for i := range column {
					column[i] = 1
					if f.Columns[r].Data != nil {
						column[i] = arrays[2+r][(first+i)*width+j]
					}
				}
				x = append(x, column)
			}
		}
		s = &solvedFit{given, expr.SolveFit(w, a, x)}
		m.fits[f] = s
	}
	starts := make([]int, len(widths)+1)
	for r, width := range widths {
		starts[r+1] = starts[r] + width
	}
	out = out[:0]
	row := func(v []float64, r int) { out = append(out, v[starts[r]:starts[r+1]]...) }
	switch p.Role {
	case expr.FitRest:
		out = append(out, s.result.Rest...)
	case expr.FitCentre:
		for _, v := range s.result.Centre {
			row(v, p.Row)
		}
	case expr.FitOffset:
		for _, v := range s.result.Offsets {
			row(v, p.Row)
		}
	case expr.FitScale:
		row(s.result.Scale, p.Row)
	default:
		for _, v := range s.result.Block(p.Role)[starts[p.Row]:starts[p.Row+1]] {
			row(v, p.Col)
		}
	}
}
