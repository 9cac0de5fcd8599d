// Package interpret runs a derived program as a runtime.Model without
// generating code: the oracle of the generated code's tests, and what the
// command line answers with where no Go toolchain is installed. Its linear
// algebra is gonum's, so that it shares none with the generated code.
package interpret

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/datafile"
	"github.com/hamc-dev/hamc/runtime/elementary"
	"github.com/hamc-dev/hamc/runtime/ode"
	"github.com/hamc-dev/hamc/runtime/special"
	"github.com/hamc-dev/hamc/runtime/system"
	"github.com/hamc-dev/hamc/runtime/transform"
	"github.com/hamc-dev/hamc/runtime/validate"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// Model is a runtime.Model that evaluates expressions: the whole posterior, or
// one block of it. It serves one goroutine.
type Model struct {
	d       *symbolic.Derived
	data    map[string][]float64
	m       *symbolic.Machine
	info    *runtime.Info
	offsets []int // where the coordinates of the parameters start
	values  []int // where their values start
	dim     int
	set     []float64 // the settings of the metric
	unknown []string

	tolerance ode.Options    // of differential equations
	solved    runtime.Status // how those at the last position came out
	apart     *apart         // once faults were looked for
}

// Unknown returns the names in the data file that the model does not declare:
// perhaps misspelt.
func (m *Model) Unknown() []string { return m.unknown }

// Size returns the value of an int datum.
func (m *Model) Size(name string) int { return int(m.data[name][0]) }

// New returns the model on data read from a file in CmdStan's JSON form; name
// is used in messages. A model without data takes a nil reader. The result is a
// runtime.Model or, for a model of several blocks, a *Gibbs.
func New(d *symbolic.Derived, r io.Reader, name string) (Posterior, error) {
	data, err := Read(d.Model, r, name)
	if err != nil {
		return nil, err
	}
	return On(d, data)
}

// On returns the model on data that were read for it. The result is that of New.
func On(d *symbolic.Derived, data *Data) (Posterior, error) {
	m, err := build(d, data.values)
	if err != nil {
		return nil, err
	}
	m.unknown = data.unknown
	if d.Metric == nil {
		return newGibbs(m)
	}
	if d.Curved && !d.Metric.Constant {
		return curvedModel{m}, nil
	}
	switch {
	case d.Anchored():
		return anchoredModel{transportedModel{m}}, nil
	case len(d.Transports) > 0:
		return transportedModel{m}, nil
	}
	return m, nil
}

// Posterior is what New returns: a runtime.Model or a runtime.Gibbs. It may have
// no generated quantities.
type Posterior interface {
	runtime.Generator

	// Unknown returns the names in the data file that the model does not
	// declare: perhaps misspelt.
	Unknown() []string

	// Size returns the value of an int datum.
	Size(name string) int

	// Faults returns the parts of the model that are to blame for a point that a
	// chain cannot be at.
	Faults(q []float64) []Fault

	// ConstantMetricFaults returns what is wrong with a metric that is the same
	// everywhere; it is none of a model of several blocks.
	ConstantMetricFaults() []Fault
}

func build(d *symbolic.Derived, data map[string][]float64) (*Model, error) {
	m := &Model{d: d, data: data, tolerance: tight}
	m.m = m.machine()
	if err := m.positions(); err != nil {
		return nil, err
	}
	m.info = &runtime.Info{Name: d.Model.Name}
	if len(d.Given) > 0 {
		m.info.Name = d.Block.ObjectName()
	}
	values := 0
	for _, b := range d.Params {
		p := runtime.Param{Name: b.Decl.ObjectName(), Latent: b.Latent(), Ends: endsOf[b.Transform.Ends], Constants: constantsOf[b.Transform.Constants]}
		p.Shape = m.extents(b.Decl.Type.Shape)
		if b.Length() != b.Size() {
			p.Coordinates = m.extents(b.Coord.Shape)
		}
		m.info.Params = append(m.info.Params, p)
		m.offsets, m.values = append(m.offsets, m.dim), append(m.values, values)
		m.dim, values = m.dim+p.Dim(), values+p.Size()
	}
	m.info.Work = m.operations(d.Work())
	m.info.IterationWork = m.operations(d.IterationWork)
	m.info.ManyModes = d.Model.ManyModes()
	if len(d.Given) == 0 {
		if err := m.inOrder(); err != nil {
			return nil, err
		}
	}
	if d.Metric == nil {
		return m, nil
	}
	check := validate.New(d.Model.Name)
	for _, params := range d.Whole(d.Metric) {
		n := 0
		for _, b := range params {
			n += size(m.info, b)
		}
		check.Dimension(n)
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	structure, err := runtime.ParseStructure(d.Metric.Structure)
	if err != nil {
		return nil, err
	}
	m.info.Metric = runtime.MetricInfo{Constant: d.Metric.Constant, Identity: d.Metric.Identity, Auto: d.Metric.Auto, Structure: structure}
	m.m.Run(d.Settings, func(_ *symbolic.Output, _ []int, v float64) { m.set = append(m.set, v) })
	return m, nil
}

// operations is a number of them, of the sizes at hand.
func (m *Model) operations(of expr.Poly) (ops int) {
	factors, sizes := of.Terms()
	for n, k := range factors {
		for _, name := range sizes[n] {
			k *= m.m.Extent(dsl.Extent{Name: name})
		}
		ops += k
	}
	return ops
}

// Settle is that of runtime.Chooser.
func (m *Model) Settle(metric runtime.MetricInfo) {
	info := *m.info
	info.Metric = metric
	m.info = &info
}

// positions checks that the positions that are computed of the data exist.
func (m *Model) positions() error {
	for _, x := range m.d.Prog.Positions {
		own := x.Numbers.Def.Indices
		m.m.Run([]symbolic.Output{{E: m.d.C.Ref(x.Numbers, expr.SubsOf(own)...), Indices: own}}, func(*symbolic.Output, []int, float64) {})
		var ranges []int
		for _, i := range own {
			ranges = append(ranges, m.m.Extent(i.Range.Lo), m.m.Extent(i.Range.Hi))
		}
		last := float64(m.m.Extent(x.Tensor.Values.Hi))
		if err := validate.Selects(m.d.Model.Name, x.Tensor.Label, m.m.Values(x.Numbers), last, ranges...); err != nil {
			return err
		}
	}
	return nil
}

// machine returns an evaluator of the program, with the runtime's solver for
// differential equations.
func (m *Model) machine() *symbolic.Machine {
	machine := symbolic.NewMachine(m.d, m.data)
	machine.Integrate = func(out [][]float64, rhs func(dy, y []float64, t float64), y0 []float64, t0 float64, times []float64) {
		s := ode.NewSolver(len(y0), func(dy, y []float64, t float64, _ []float64) { rhs(dy, y, t) }, m.tolerance)
		flat := make([]float64, len(y0)*len(times))
		if st := system.ODEStatus(s.Solve(flat, y0, t0, times, nil)); st != runtime.OK {
			m.solved = st
		}
		for i := range out {
			copy(out[i], flat[i*len(times):])
		}
	}
	return machine
}

// SolveStatus implements runtime.Solves.
func (m *Model) SolveStatus() runtime.Status { return m.solved }

// tight is the tolerance of differential equations where none is given: that of
// an oracle.
var tight = ode.Options{RelTol: 1e-12, AbsTol: 1e-12}

// SetODE sets the tolerances with which differential equations are solved; they
// are tight before.
func (m *Model) SetODE(opt ode.Options) {
	m.tolerance = opt
	m.m = m.clone().m
}

// readData reads and checks the data that a model declares. The error tells all that is
// wrong with them.
func readData(m *dsl.Model, set *datafile.Set) (map[string][]float64, error) {
	data := map[string][]float64{}
	sizes := map[string]int{}
	in := set.Collect()
	for _, k := range m.Consts {
		if k.FromData {
			in.Equal(k.ObjectName(), int(k.Value))
		}
	}
	extent := func(x dsl.Extent) int {
		if x.Name == "" {
			return x.Offset
		}
		return sizes[x.Name] + x.Offset
	}
	for pass := 0; pass < 2; pass++ {
		for _, d := range m.Data {
			name := d.ObjectName()
			size := d.Type.Base == dsl.Int && d.Type.IsScalar()
			if (size && d.Formula == nil) != (pass == 0) {
				continue
			}
			if d.Default != nil && !set.Has(name) {
				data[name] = []float64{*d.Default}
				sizes[name] = int(*d.Default)
				continue
			}
			dims := make([]int, len(d.Type.Shape))
			for i, e := range d.Type.Shape {
				dims[i] = extent(e)
			}
			switch {
			case d.Formula != nil:
				sizes[name] = computed(in, d, data)
			case size && d.IsSize:
				sizes[name] = in.Size(name, d.LeastSize())
			case size:
				sizes[name] = in.Int(name)
			case d.Type.IsScalar():
				data[name] = []float64{in.Real(name)}
			case d.Type.Base == dsl.Int:
				data[name] = validate.Floats(in.Ints(name, dims...))
			default:
				data[name] = in.Reals(name, dims...)
			}
			if size {
				data[name] = []float64{float64(sizes[name])}
			}
		}
	}
	check := validate.New(m.Name)
	rest := map[string]bool{}
	for _, d := range m.Data {
		if v, holes, ok := in.Rest(d.ObjectName()); ok {
			data[d.ObjectName()], rest[d.ObjectName()] = v, true
			for i, f := range v {
				if d.Type.Base == dsl.Int && f != math.Trunc(f) {
					holes = append(holes, i) // no integer, as has been told
				}
			}
			check.Except(d.ObjectName(), holes)
		}
	}
	for _, d := range m.Demands() {
		// Of what has not its shape, or not all numbers, each element is looked at.
		if d.Data != nil && rest[d.Data.ObjectName()] && (d.Data.Type.IsScalar() || d.Kind != dsl.DemandSet && d.Kind != dsl.DemandBounds) {
			continue
		}
		if d.Kind == dsl.DemandTimes {
			check.RowsOfTimes(d.Data.ObjectName(), data[d.Data.ObjectName()], extent(dsl.NumTimes(d.Data)), bound(d.Lo, data))
			continue
		}
		if d.Kind == dsl.DemandOrder {
			check.Order(d.Param.ObjectName(), bound(d.Lo, data), bound(d.Hi, data))
			continue
		}
		meet(check, &d, data, extent)
	}
	return data, in.Err(check.Err())
}

// computed is a size that is computed of data that were read.
func computed(in *datafile.Collector, d *dsl.Data, data map[string][]float64) int {
	var of []string
	for _, s := range d.Formula.Sources() {
		of = append(of, s.ObjectName())
	}
	n := d.Formula.Value(func(s *dsl.Data) []float64 { return data[s.ObjectName()] })
	return in.Computed(d.ObjectName(), validate.Whole(n), d.LeastSize(), of...)
}

// meet checks one demand on the data.
func meet(check *validate.Checker, d *dsl.Demand, data map[string][]float64, extent func(dsl.Extent) int) {
	name := d.Data.ObjectName()
	v := data[name]
	whole := func(x []float64) []int {
		out := make([]int, len(x))
		for i, f := range x {
			out[i] = int(f)
		}
		return out
	}
	switch d.Kind {
	case dsl.DemandSize:
		check.Size(name, int(v[0]), d.Least)
	case dsl.DemandLength:
		shape := d.Data.Type.Shape
		if len(shape) == 1 {
			check.Length(name, len(v), extent(shape[0]), shape[0].String())
			return
		}
		sizes := make([]int, len(shape))
		for n, x := range shape {
			sizes[n] = extent(x)
		}
		check.Array(name, len(v), dsl.Times(shape), sizes...)
	case dsl.DemandSet:
		check.OneOf(name, whole(v), d.Set...)
	case dsl.DemandSimplex:
		shape := d.Data.Type.Shape
		check.Simplex(name, v, extent(shape[len(shape)-1]))
	case dsl.DemandCovariance:
		shape := d.Data.Type.Shape
		check.Covariance(name, v, extent(shape[len(shape)-1]))
	case dsl.DemandSymmetric:
		shape := d.Data.Type.Shape
		check.Symmetric(name, v, extent(shape[len(shape)-1]))
	case dsl.DemandUpTo:
		check.UpTo(name, whole(v), d.Limit.ObjectName(), whole(data[d.Limit.ObjectName()]))
	case dsl.DemandBounds:
		lo, hi := math.Inf(-1), math.Inf(1)
		if d.Lo != nil {
			lo = bound(d.Lo, data)
		}
		if d.Hi != nil {
			hi = bound(d.Hi, data)
		}
		switch {
		case d.Data.Type.IsScalar():
			check.Real(name, v[0], lo, hi, d.LoOpen, d.HiOpen)
		case d.Data.Type.Base == dsl.Int:
			check.Ints(name, whole(v), lo, hi, d.LoOpen, d.HiOpen)
		default:
			check.Reals(name, v, lo, hi, d.LoOpen, d.HiOpen)
		}
	}
}

// bound evaluates a bound of data: arithmetic on numbers and scalar data.
func bound(e dsl.Expr, data map[string][]float64) float64 {
	switch e := e.(type) {
	case *dsl.Number:
		return e.Value
	case *dsl.Name:
		switch o := e.Obj.(type) {
		case *dsl.Const:
			return o.Value
		case *dsl.Size:
			n := float64(o.Extent.Offset)
			if o.Extent.Name != "" {
				n += data[o.Extent.Name][0]
			}
			return n
		}
		return data[e.Name][0]
	case *dsl.UnaryExpr:
		return -bound(e.X, data)
	case *dsl.BinaryExpr:
		x, y := bound(e.X, data), bound(e.Y, data)
		switch e.Op {
		case "+":
			return x + y
		case "-":
			return x - y
		case "*":
			return x * y
		case "/":
			return x / y
		}
	}
	return math.NaN() // refused by every check
}

// Info implements runtime.Model.
func (m *Model) Info() *runtime.Info { return m.info }

// Clone implements runtime.Model.
func (m *Model) Clone() runtime.Model { return m.clone() }

func (m *Model) clone() *Model {
	c := *m
	c.apart = nil
	c.m = c.machine()
	for _, b := range m.d.Reference {
		copy(c.m.Values(b.Coord), m.m.Values(b.Coord))
	}
	for _, x := range m.d.Measures {
		for _, t := range x.Tensors() {
			copy(c.m.Values(t), m.m.Values(t))
		}
	}
	return &c
}

func (m *Model) position(q []float64) {
	m.solved = runtime.OK
	for n, b := range m.d.Params {
		copy(m.m.Values(b.Coord), q[m.offsets[n]:])
	}
}

// coordinate returns the place of an index tuple's element of a block, and how
// many indices it used.
func (m *Model) coordinate(block int, idx []int) (at, used int) {
	if m.d.Params[block].Scalar() {
		return m.offsets[block], 0
	}
	return m.offsets[block] + idx[0] - 1, 1
}

// element is the place of an element among all of an array of a shape, row by row.
func (m *Model) element(shape []dsl.Extent, idx []int) int {
	at := 0
	for n, i := range idx {
		at = at*m.m.Extent(shape[n]) + i - 1
	}
	return at
}

// extents are the sizes of an array; nil of a number.
func (m *Model) extents(shape []dsl.Extent) []int {
	var out []int
	for _, x := range shape {
		out = append(out, m.m.Extent(x))
	}
	return out
}

func (m *Model) vector(dst []float64, outs []symbolic.Output) {
	clear(dst)
	m.m.Run(outs, func(o *symbolic.Output, idx []int, v float64) {
		dst[m.offsets[o.Row]+m.element(m.d.Params[o.Row].Coord.Shape, idx)] = v
	})
}

// LogDensity implements runtime.Model.
func (m *Model) LogDensity(q []float64) float64 {
	m.position(q)
	var l float64
	m.m.Run([]symbolic.Output{m.d.LogDensity}, func(_ *symbolic.Output, _ []int, v float64) { l = v })
	return l
}

// Gradient implements runtime.Model.
func (m *Model) Gradient(grad, q []float64) float64 {
	l := m.LogDensity(q)
	m.vector(grad, m.d.Gradient)
	return l
}

// Constrain implements runtime.Model.
func (m *Model) Constrain(x, q []float64) {
	m.position(q)
	m.m.Run(m.d.Value, func(o *symbolic.Output, idx []int, v float64) { x[m.value(o.Row, idx)] = v })
}

// value is the place of an element of a parameter among the values.
func (m *Model) value(param int, idx []int) int {
	if len(idx) == 0 {
		return m.values[param]
	}
	return m.values[param] + m.element(m.d.Params[param].Decl.Type.Shape, idx)
}

// base writes the matrix B: the metric, or the Hessian behind SoftAbs.
func (m *Model) base(g, q []float64) {
	m.position(q)
	clear(g)
	m.m.Run(m.d.Matrix, func(o *symbolic.Output, idx []int, v float64) {
		if o.Banded {
			i := m.offsets[o.Row] + idx[0] - 1
			j := i - o.Offset
			g[i*m.dim+j], g[j*m.dim+i] = v, v
			return
		}
		i, used := m.coordinate(o.Row, idx)
		j, _ := m.coordinate(o.Col, idx[used:])
		g[i*m.dim+j], g[j*m.dim+i] = v, v
	})
}

// Metric implements runtime.Model.
func (m *Model) Metric(g, q []float64) { m.image(q).metric(g) }

// Contract implements runtime.Model.
func (m *Model) Contract(out, q, w []float64) {
	w = m.image(q).weights(w)
	m.position(q)
	m.weigh(w)
	m.vector(out, m.d.Contract)
}

// weigh enters the weights of a contraction.
func (m *Model) weigh(w []float64) {
	for r, row := range m.d.Weights {
		for c, t := range row {
			v := m.m.Values(t)
			k := 0
			for i := range size(m.info, r) {
				for j := range size(m.info, c) {
					v[k] = w[(m.offsets[r]+i)*m.dim+m.offsets[c]+j]
					k++
				}
			}
		}
	}
}

// size is the number of coordinates of a parameter.
func size(in *runtime.Info, n int) int { return in.Params[n].Dim() }

// curvedModel is a Model that DeriveCurved derived.
type curvedModel struct{ *Model }

// Clone implements runtime.Model.
func (m curvedModel) Clone() runtime.Model { return curvedModel{m.clone()} }

// Curvature implements runtime.Curved.
func (m curvedModel) Curvature(out, q, w []float64) {
	n := m.dim
	e := m.image(q)
	own := e.weights(w)
	m.position(q)
	m.weigh(own)
	clear(out)
	m.m.Run(m.d.Curvature, func(o *symbolic.Output, idx []int, v float64) {
		i, used := m.coordinate(o.Row, idx)
		j, _ := m.coordinate(o.Col, idx[used:])
		out[i*n+j], out[j*n+i] = v, v
	})
	e.addCurvature(out, w)
}

// MetricJacobian implements runtime.Model.
func (m *Model) MetricJacobian(out, q []float64) {
	m.jacobian(out, q)
	m.image(q).mapJacobian(out)
}

// ProductJacobian implements runtime.Sloped.
func (m *Model) ProductJacobian(out, q, v []float64) bool {
	n := m.dim
	if len(m.d.Product) == 0 {
		if !m.d.ByColumns {
			return false
		}
		w := make([]float64, n*n)
		for i := range n {
			clear(w)
			for j, x := range v {
				w[i*n+j] += float64(0.5 * x)
				w[j*n+i] += float64(0.5 * x)
			}
			m.Contract(out[i*n:][:n], q, w)
		}
		return true
	}
	clear(out)
	m.position(q)
	for r, t := range m.d.Velocities {
		copy(m.m.Values(t), v[m.offsets[r]:])
	}
	m.m.Run(m.d.Product, func(o *symbolic.Output, idx []int, x float64) {
		i, used := m.coordinate(o.Row, idx)
		k, _ := m.coordinate(o.Dir, idx[used:])
		out[i*n+k] = x
	})
	return true
}

// jacobian writes ∂B_ij/∂q_k to out[(i·m+j)·m+k].
func (m *Model) jacobian(out, q []float64) {
	n := m.dim
	clear(out)
	m.position(q)
	if m.d.ByColumns {
		w, f := make([]float64, n*n), make([]float64, n)
		for i := range n {
			for j := range i + 1 {
				clear(w)
				w[i*n+j] += 0.5
				w[j*n+i] += 0.5
				m.weigh(w)
				m.vector(f, m.d.Contract)
				copy(out[(i*n+j)*n:], f)
				copy(out[(j*n+i)*n:], f)
			}
		}
		return
	}
	m.m.Run(m.d.Jacobian, func(o *symbolic.Output, idx []int, v float64) {
		i, used := m.coordinate(o.Row, idx)
		idx = idx[used:]
		j, used := m.coordinate(o.Col, idx)
		k, _ := m.coordinate(o.Dir, idx[used:])
		out[(i*n+j)*n+k], out[(j*n+i)*n+k] = v, v
	})
}

// Unconstrain implements runtime.Model.
func (m *Model) Unconstrain(q, x []float64) error {
	if err := m.Plain(q, x); err != nil {
		return err
	}
	m.pull(q)
	return nil
}

// Plain implements runtime.Transported; of a model without maps it is Unconstrain.
func (m *Model) Plain(q, x []float64) error {
	for n, b := range m.d.Params {
		if b.LoOfValues != nil || b.HiOfValues != nil {
			m.atValues(x)
		}
		own, values := q[m.offsets[n]:][:m.info.Params[n].Dim()], x[m.values[n]:][:m.info.Params[n].Size()]
		if whole := b.Transform.Whole; whole != "" {
			inverse := wholeInverses[whole]
			if last := len(b.Coord.Shape) - 1; last > 0 {
				inverse = func(q, x []float64) error {
					return transform.Rows(wholeInverses[whole], m.m.Extent(dsl.ProductOf(b.Coord.Shape[:last])), q, x)
				}
			}
			if err := inverse(own, values); err != nil {
				return fmt.Errorf("%s: parameter %s%w", m.info.Name, b.Decl.ObjectName(), err)
			}
			continue
		}
		at := m.ends(n)
		if at == nil {
			none := b.Transform.Missing()
			lo, hi := none[0], none[1]
			if b.Lo != nil {
				lo = m.number(cmp.Or(b.LoOfValues, b.Lo))
			}
			if b.Hi != nil {
				hi = m.number(cmp.Or(b.HiOfValues, b.Hi))
			}
			at = func(int) (float64, float64) { return lo, hi }
		}
		formula, err := dsl.ParseFormula(b.Transform.Inverse)
		if err != nil {
			return err
		}
		for i, v := range values {
			lo, hi := at(i)
			if b.Transform.Affine && v-v != 0 {
				return fmt.Errorf("%s: parameter %s is %v, but must be finite", m.info.Name, b.Decl.ObjectName(), v)
			}
			if !b.Transform.Affine && !(v > lo && v < hi) {
				return fmt.Errorf("%s: parameter %s is %v, outside its support (%v, %v)", m.info.Name, b.Decl.ObjectName(), v, lo, hi)
			}
			own[i] = evaluate(formula, map[string]float64{"x": v, "lo": lo, "hi": hi})
		}
	}
	for _, group := range m.d.Chained {
		m.position(q)
		m.m.Run(group, func(o *symbolic.Output, idx []int, v float64) { q[m.place(o, idx)] = v })
	}
	return nil
}

// ends returns the bounds of the elements of a parameter whose bounds are functions of data, nil of another.
func (m *Model) ends(n int) func(element int) (lo, hi float64) {
	e := m.d.Ends[n]
	if e == nil {
		return nil
	}
	numbers := func(x *expr.Expr, none float64) []float64 {
		out := make([]float64, m.info.Params[n].Size())
		for i := range out {
			out[i] = none
		}
		if x != nil {
			i := -1
			m.m.Run([]symbolic.Output{{E: x, Indices: e.Indices}}, func(_ *symbolic.Output, _ []int, v float64) {
				i++
				out[i] = v
			})
		}
		return out
	}
	none := m.d.Params[n].Transform.Missing()
	lo, hi := numbers(e.Lo, none[0]), numbers(e.Hi, none[1])
	return func(i int) (float64, float64) { return lo[i], hi[i] }
}

// inOrder checks the bounds, offsets and multipliers that are functions of data.
func (m *Model) inOrder() error {
	for n, b := range m.d.Params {
		if b.Decl.BoundByParams() { // it is known where these are
			continue
		}
		at := m.ends(n)
		if at == nil {
			continue
		}
		for i := range m.info.Params[n].Size() {
			lo, hi := at(i)
			element := i
			if b.Scalar() {
				element = -1
			}
			if err := endChecks[b.Transform.Check()](m.d.Model.Name, b.Decl.ObjectName(), element, lo, hi); err != nil {
				return err
			}
		}
	}
	return nil
}

// atValues sets the values of the parameters that bounds depend on.
func (m *Model) atValues(x []float64) {
	for _, t := range m.d.Tensors(expr.PriorTensor) {
		copy(m.m.Values(t), x[m.values[t.Row]:])
	}
}

// endChecks are the functions that check the ends of parameters, by their names.
var endChecks = map[string]func(model, param string, element int, lo, hi float64) error{"Bounds": validate.Bounds, "Scale": validate.Scale}

// wholeInverses are the functions that the table of transforms names.
var wholeInverses = map[string]func(q, x []float64) error{
	"SimplexCoordinates":         transform.SimplexCoordinates,
	"OrderedCoordinates":         transform.OrderedCoordinates,
	"PositiveOrderedCoordinates": transform.PositiveOrderedCoordinates,
	"UnitVectorCoordinates":      transform.UnitVectorCoordinates,
	"SumToZeroCoordinates":       transform.SumToZeroCoordinates,
	"CorrCoordinates":            transform.CorrCoordinates,
	"CorrCholeskyCoordinates":    transform.CorrCholeskyCoordinates,
	"CovCoordinates":             transform.CovCoordinates,
	"CovCholeskyCoordinates":     transform.CovCholeskyCoordinates,
}

// evaluate evaluates the inverse of a transform.
func evaluate(e dsl.Expr, at map[string]float64) float64 {
	switch e := e.(type) {
	case *dsl.Name:
		return at[e.Name]
	case *dsl.CallExpr:
		x := evaluate(e.Args[0].Expr, at)
		switch e.Func {
		case "log":
			return elementary.Log(x)
		case "logit":
			return special.Logit(x)
		}
	case *dsl.BinaryExpr:
		x, y := evaluate(e.X, at), evaluate(e.Y, at)
		switch e.Op {
		case "-":
			return x - y
		case "/":
			return x / y
		}
	}
	return math.NaN() // the table's test evaluates every row
}

func (m *Model) number(e *expr.Expr) float64 {
	var x float64
	m.m.Run([]symbolic.Output{{E: e}}, func(_ *symbolic.Output, _ []int, v float64) { x = v })
	return x
}

// constantsOf are the elements that are the same number everywhere.
var constantsOf = map[model.Constants]runtime.Constants{model.ConstantDiagonal: runtime.ConstantDiagonal, model.ConstantAbove: runtime.ConstantAbove, model.ConstantCorner: runtime.ConstantCorner}

// endsOf are the sides on which values end.
var endsOf = map[model.Ends]runtime.Ends{model.EndBelow: runtime.EndBelow, model.EndBoth: runtime.EndBoth}
