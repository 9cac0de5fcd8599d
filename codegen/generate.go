package codegen

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// Version of the compiler, written into the header of what it emits.
const Version = "0.1"

// Options of Generate.
type Options struct {
	Package string // name of the emitted package
	Prefix  string // of the names that it declares, which must be exported; "" for none
	Source  string // base name of the .ham file, for the header
	Text    string // its text, hashed into the header
	Consts  []dsl.ConstBinding

	// Largest is the weight above which methods are divided (package pass); 0 stands for the pass's own.
	Largest int

	// AfterPass, if it is not nil, sees the loop program of each type as it is lowered, and after each
	// pass.
	AfterPass func(name string, p *loop.Program)
}

// Generate returns the Go source of a sampler for the model: formatted, the
// same bytes for the same input. d is left as it is. An error is a bug of the
// compiler.
func Generate(d *symbolic.Derived, opt Options) (code []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			code, err = nil, fmt.Errorf("%v", r)
		}
	}()
	units, err := newUnits(d, opt)
	if err != nil {
		return nil, err
	}
	out := units[0].file(units[1:])
	out.NoFormat = true // with the names
	var b bytes.Buffer
	if err := out.Render(&b); err != nil {
		return nil, err
	}
	if code, err = units[0].names.file.resolve(b.Bytes()); err == nil {
		code, err = formatted(groupImports(code))
	}
	if err != nil {
		return nil, fmt.Errorf("the generated code does not parse: %w", err)
	}
	return code, nil
}

// layout says where an output tensor writes.
type layout struct {
	kind          string // scalar, element, vector, values, matrix (as the metric is stored), band, square, cube, cubeT, times
	array         string
	row, col, dir int
	of            *equation // of times
}

// generator assembles one type of the package and its methods: that of the model
// or, for a model of several blocks, that of the joint density or of one block.
type generator struct {
	d          *symbolic.Derived
	opt        Options
	typ        string       // the name of the type
	fieldName  string       // of a block, in the joint density
	role       role         // what the type is in the package
	storage    storage      // how its metric is kept; a joint density has none
	dynamics   dynamics     // how its metric changes with the position
	blocks     []*generator // of a joint density: those of its blocks
	space      string       // the type of its work space
	out        *jen.File
	names      *names
	matrices   map[*expr.Tensor]bool // data kept as kernel.Matrix
	cross      tensorSet             // definitions read by another phase
	ofFactor   tensorSet             // those of them that belong to the factor's position
	layouts    map[*expr.Tensor]layout
	inner      map[*expr.Tensor]int  // the elements of y that are states of a differential equation
	fields     map[*expr.Tensor]bool // tensors that methods read from the model
	sizes      []sizeField
	sizeOf     map[string]string
	dim        dsl.Extent // of the coordinates
	coords     places     // of the coordinates of the parameters
	values     places     // of their values
	ph         phases
	fl         *flatCode // of models with flat steps
	odes       []*equation
	odeOutputs [][]symbolic.Output // what the equations need
	fieldOf    map[string]string
	placeOf    map[*expr.Tensor]dsl.Extent // where a quantity starts among all
	fits       []namedFit

	prog     *loop.Program
	vars     map[*expr.Tensor]*loop.Var // of tensors
	tensorOf map[*loop.Var]*expr.Tensor
	sizeVars map[string]*loop.Var // of sizes, by key
	params   map[string]*loop.Var // of functions, by name
	marks    map[*loop.Var]string
	between  []*loop.Var // numbers that the parts of divided methods share
}

// derivedKey is the key of a size that is a sum or a product, of what it is for and the thing of
// the model that it belongs to. No name of the language has a blank.
func derivedKey(role, of string) string { return role + " " + of }

// sizeField is an int of the model: a data size, or a sum or product of sizes.
type sizeField struct {
	key     string
	name    string
	sum     []dsl.Extent // what a sum adds; nil for a datum
	product []dsl.Extent // what a product multiplies; nil for all else
	halved  bool         // it is half of that
	part    int          // > 0: where that part of the metric begins
}

// isData reports whether the size is a datum.
func (f *sizeField) isData() bool { return f.sum == nil && f.product == nil && f.part == 0 }

// phases are the definitions that each emitted function computes.
type phases struct {
	data, given, logDensity, gradient, slope, metric, force, prepare, rank1, contract, jacobian, product, curvature, value, generate, prior, logJacobian, unseen, plain phase

	whitened []phase // by transport
	chained  []phase // by Derived.Chained
}

// newUnits makes the generators of a model: that of the type Model first, then
// one for each block if there are several.
func newUnits(d *symbolic.Derived, opt Options) ([]*generator, error) {
	d, err := d.ForEmission()
	if err != nil {
		return nil, err
	}
	file := &namer{}
	units := []*generator{newGenerator(d, opt, "Model", roleOf(d), file.newNames(0))}
	taken := map[string]bool{}
	for _, c := range d.Conditionals {
		// one_two and oneTwo are two names of the language, and one of Go's.
		name, number := c.Block.ObjectName(), ""
		for k := 2; taken[exported(name)+number]; k++ {
			number = strconv.Itoa(k)
		}
		taken[exported(name)+number] = true
		g := newGenerator(c, opt, exported(name)+"Block"+number, blockRole{}, file.newNames(len(units)))
		g.fieldName = units[0].names.fresh(camel(name) + "Block" + number)
		units = append(units, g)
	}
	return units, nil
}

func newGenerator(d *symbolic.Derived, opt Options, typ string, is role, names *names) *generator {
	g := &generator{d: d, opt: opt, typ: opt.Prefix + typ, space: lower(opt.Prefix+typ) + "Space", role: is, names: names, matrices: map[*expr.Tensor]bool{}, cross: tensorSet{},
		prog: &loop.Program{}, vars: map[*expr.Tensor]*loop.Var{}, tensorOf: map[*loop.Var]*expr.Tensor{}, sizeVars: map[string]*loop.Var{}, params: map[string]*loop.Var{}, marks: map[*loop.Var]string{},
		layouts: map[*expr.Tensor]layout{}, inner: map[*expr.Tensor]int{}, fields: map[*expr.Tensor]bool{}, sizeOf: map[string]string{}}
	g.fieldNames()
	// Data, parameters and definitions keep their names; the rest gives way.
	for _, decl := range d.Model.Data {
		if decl.Type.Base == dsl.Int && decl.Type.IsScalar() {
			g.addSize(decl.ObjectName(), decl.ObjectName())
		}
	}
	for _, t := range d.Data {
		g.names.tensor(t)
	}
	for _, b := range slices.Concat(d.Params, d.Given, d.Reference) {
		g.names.tensor(b.Coord)
	}
	for _, t := range g.measures() {
		g.names.tensor(t)
	}
	g.namePriors()
	for _, def := range d.Prog.Defs {
		g.names.tensor(def.Tensor)
	}
	for _, v := range d.Velocities {
		g.names.tensor(v)
	}
	for _, q := range d.Quantities {
		g.names.tensor(q.Tensor)
	}
	g.nameFits()
	g.layoutBlocks()
	g.layoutQuantities()
	g.dynamics = dynamicsOf(g)
	g.dynamics.keep(g)
	g.buildODEs()
	g.dynamics.derive(g)
	g.splitPhases()
	return g
}

func (g *generator) addSize(key, want string, sum ...dsl.Extent) {
	name := g.names.fresh(want)
	g.sizeOf[key] = name
	g.sizes = append(g.sizes, sizeField{key: key, name: name, sum: sum})
}

func (g *generator) size(key string) string { return g.sizeOf[key] }

func (g *generator) isSize(t *expr.Tensor) bool {
	_, ok := g.sizeOf[t.Name]
	return ok && t.Kind == expr.DataTensor
}

// places are where the parts of the parameters start among all, and where the last ends.
type places []dsl.Extent

func (p places) start(block int) dsl.Extent { return p[block] }
func (p places) end(block int) dsl.Extent   { return p[block+1] }
func (p places) all() dsl.Extent            { return p[len(p)-1] }

// layoutBlocks finds where each parameter's coordinates start, and where its values do: in the same places
// up to the first parameter that has more of them.
func (g *generator) layoutBlocks() {
	add := func(role string, b *model.Param, x dsl.Extent) {
		if _, ok := g.sizeOf[x.Name]; !ok && x.Factors() != nil {
			g.addSize(x.Name, role+exported(b.Decl.ObjectName()))
			g.sizes[len(g.sizes)-1].product, g.sizes[len(g.sizes)-1].halved = x.Factors(), x.Halved()
		}
	}
	params := slices.Concat(g.d.Params, g.d.Given)
	for _, b := range params {
		add("len", b, b.Size())
		add("len", b, b.Length())
	}
	for _, b := range params { // those whose coordinates are found row by row
		if last := len(b.Coord.Shape) - 1; last > 0 && b.Transform.Whole != "" {
			add("rowsOf", b, dsl.ProductOf(b.Coord.Shape[:last]))
			add("rowOf", b, b.Coord.Shape[last])
		}
	}
	at, value := dsl.Fixed(0), dsl.Fixed(0)
	role := "after"
	for _, b := range g.d.Params {
		g.coords, g.values = append(g.coords, at), append(g.values, value)
		at = g.addExtents(at, b.Size(), "after", b.Decl.ObjectName())
		if b.Length() != b.Size() {
			role = "valuesAfter"
		}
		value = g.addExtents(value, b.Length(), role, b.Decl.ObjectName())
	}
	g.coords, g.values = append(g.coords, at), append(g.values, value)
	g.dim = at
}

// addExtents adds two sizes; a sum of two names becomes a size of its own, for a role that a thing
// of the model has.
func (g *generator) addExtents(a, b dsl.Extent, role, of string) dsl.Extent {
	switch {
	case a.Name == "":
		return b.Plus(a.Offset)
	case b.Name == "":
		return a.Plus(b.Offset)
	}
	key := derivedKey(role, of)
	if _, ok := g.sizeOf[key]; !ok {
		g.addSize(key, role+exported(of), a, b)
	}
	return dsl.Extent{Name: key}
}

func (g *generator) offset(block int) dsl.Extent { return g.coords.start(block) }

// closure returns the definitions that outputs need, in order.
func (g *generator) closure(lists ...[]symbolic.Output) map[*expr.Def]bool {
	need := map[*expr.Def]bool{}
	var walk func(e *expr.Expr)
	walk = func(e *expr.Expr) {
		expr.Refs(e, func(r *expr.Expr) {
			if d := r.Tensor.Def; d != nil && !need[d] {
				need[d] = true
				for _, body := range d.Bodies() {
					walk(body)
				}
			}
		})
	}
	for _, l := range lists {
		for _, o := range l {
			for _, e := range o.Needs() {
				walk(e)
			}
		}
	}
	return need
}

// one is the list of one result.
func one(o symbolic.Output) []symbolic.Output { return []symbolic.Output{o} }

// late reports whether a definition depends on the position: it belongs to the functions that
// need it, the others are computed once.
func late(def *expr.Def) bool  { return def.Stage() > expr.StageGiven }
func early(def *expr.Def) bool { return !late(def) }
func given(def *expr.Def) bool { return def.Stage() == expr.StageGiven }

// splitPhases decides which function computes which definition.
func (g *generator) splitPhases() {
	g.dynamics.drops(g)
	lists := g.results()
	all := g.closure(lists...)
	g.pickPhases(all)
	g.markCrossing()
	g.markGiven(all, lists)
	g.markEarly(all, lists)
	g.targets()
	g.build()
}

// results lists what the methods compute.
func (g *generator) results() [][]symbolic.Output {
	d := g.d
	lists := [][]symbolic.Output{one(d.LogDensity), d.Gradient, d.Matrix, d.Force, d.Rank1, d.Contract, d.Jacobian, d.Product, d.Curvature, d.Value, g.dynamics.others(g)}
	lists = append(lists, d.Generated, d.Prior, d.LogJacobian, d.Unseen, d.Whitened, d.Pushed, d.EndOutputs())
	lists = append(lists, d.Chained...)
	return append(lists, g.odeOutputs...)
}

// pick returns those definitions of a set that pass a test, in order.
func (g *generator) pick(in map[*expr.Def]bool, ok func(*expr.Def) bool) []*expr.Def {
	var out []*expr.Def
	for _, def := range g.d.Prog.Defs {
		if in[def] && ok(def) {
			out = append(out, def)
		}
	}
	return out
}

// pickPhases hands the definitions to the functions.
func (g *generator) pickPhases(all map[*expr.Def]bool) {
	d := g.d
	g.ph.data.defs = g.pick(all, func(def *expr.Def) bool { return def.Stage() <= expr.StageData })
	g.ph.given.defs = g.pick(all, given)
	matrix, force, rank1 := g.closure(d.Matrix), g.closure(d.Force), g.closure(d.Rank1)
	after := func(def *expr.Def) bool { return late(def) && !matrix[def] }
	g.ph.prepare.defs = g.pick(rank1, func(def *expr.Def) bool {
		return after(def) && def.Stage() == expr.StagePosition && !force[def]
	})
	g.ph.rank1.defs = g.pick(rank1, func(def *expr.Def) bool { return def.Stage() == expr.StageMomentum })
	for _, x := range []struct {
		ph  *phase
		of  map[*expr.Def]bool
		own func(*expr.Def) bool
	}{
		{&g.ph.logDensity, g.closure(one(d.LogDensity)), late},
		{&g.ph.gradient, g.closure(one(d.LogDensity), d.Gradient), late},
		{&g.ph.slope, g.closure(g.dynamics.slope(d)), late},
		{&g.ph.metric, matrix, late},
		{&g.ph.force, force, after},
		{&g.ph.contract, g.closure(d.Contract), after},
		{&g.ph.jacobian, g.closure(d.Jacobian), after},
		{&g.ph.product, g.closure(d.Product), after},
		{&g.ph.curvature, g.closure(d.Curvature), after},
		{&g.ph.value, g.closure(d.Value), late},
		{&g.ph.generate, g.closure(d.Generated), late},
		{&g.ph.prior, g.closure(d.Prior), late},
		{&g.ph.logJacobian, g.closure(d.LogJacobian), late},
		{&g.ph.unseen, g.closure(d.Unseen), late},
		{&g.ph.plain, g.closure(d.Pushed), late},
	} {
		x.ph.defs = g.pick(x.of, x.own)
	}
	for _, o := range d.Whitened {
		g.ph.whitened = append(g.ph.whitened, phase{defs: g.pick(g.closure(one(o)), late)})
	}
	for _, own := range d.Chained {
		g.ph.chained = append(g.ph.chained, phase{defs: g.pick(g.closure(own), late)})
	}
}

// markCrossing flags what one phase computes and a later one reads: it stays in the model.
func (g *generator) markCrossing() {
	d := g.d
	reads := func(ph *phase, outs []symbolic.Output) {
		own := map[*expr.Def]bool{}
		for _, def := range ph.defs {
			own[def] = true
		}
		look := func(e *expr.Expr) {
			g.cross.flag(e, func(def *expr.Def) bool { return late(def) && !own[def] })
		}
		for _, def := range ph.defs {
			look(def.Body)
		}
		for _, o := range outs {
			look(o.E)
		}
	}
	for _, x := range []struct {
		ph   *phase
		outs []symbolic.Output
	}{{&g.ph.force, d.Force}, {&g.ph.prepare, nil}, {&g.ph.rank1, d.Rank1}, {&g.ph.contract, d.Contract}, {&g.ph.jacobian, d.Jacobian}, {&g.ph.product, d.Product}, {&g.ph.curvature, d.Curvature}} {
		reads(x.ph, x.outs)
	}
	g.ofFactor = maps.Clone(g.cross)
	for _, e := range g.odes {
		for _, k := range g.orders() {
			for _, ph := range []*phase{&e.bodies[k], &e.fill[k]} {
				var outs []symbolic.Output
				for _, t := range ph.targets {
					outs = append(outs, t.out)
				}
				reads(ph, outs)
			}
		}
	}
}

// markEarly flags early definitions that any later expression reads.
func (g *generator) markEarly(all map[*expr.Def]bool, lists [][]symbolic.Output) {
	for _, def := range g.d.Prog.Defs {
		switch {
		case all[def] && late(def):
			g.cross.flag(def.Body, early)
		case all[def] && given(def):
			g.cross.flag(def.Body, func(o *expr.Def) bool { return !late(o) && !given(o) })
		}
	}
	for _, l := range lists {
		for _, o := range l {
			g.cross.flag(o.E, early)
		}
	}
}

// tensorSet is a set of tensors.
type tensorSet map[*expr.Tensor]bool

// flag adds the definitions that an expression reads and that pass a test.
func (s tensorSet) flag(e *expr.Expr, ok func(*expr.Def) bool) {
	expr.Refs(e, func(r *expr.Expr) {
		if def := r.Tensor.Def; def != nil && ok(def) {
			s[r.Tensor] = true
		}
	})
}

// outputTensor makes the tensor that stands for a result's destination.
func (g *generator) outputTensor(l layout) *expr.Tensor {
	t := g.d.C.NewTensor(expr.Tensor{Name: "out", Kind: expr.OutputTensor, Stage: expr.StageMomentum})
	g.layouts[t] = l
	return t
}

// targets attaches the results to their phases.
func (g *generator) targets() {
	d := g.d
	vector := func(ph *phase, array string, outs []symbolic.Output) {
		for _, o := range outs {
			ph.targets = append(ph.targets, target{out: o, dst: g.outputTensor(layout{kind: "vector", array: array, row: o.Row})})
		}
	}
	vector(&g.ph.gradient, "grad", d.Gradient)
	vector(&g.ph.slope, "grad", g.dynamics.slope(d))
	vector(&g.ph.force, "f", d.Force)
	vector(&g.ph.rank1, "f", d.Rank1)
	vector(&g.ph.contract, "dst", d.Contract)
	vector(&g.ph.plain, "dst", d.Pushed)
	for n, o := range d.Whitened {
		vector(&g.ph.whitened[n], "dst", one(o))
	}
	for n, own := range d.Chained {
		vector(&g.ph.chained[n], "dst", own)
	}
	for _, o := range d.Value {
		g.ph.value.targets = append(g.ph.value.targets, target{out: o, dst: g.outputTensor(layout{kind: "values", array: "dst", row: o.Row})})
	}
	for _, o := range d.Matrix {
		g.ph.metric.targets = append(g.ph.metric.targets, g.storage.entry(g, o)...)
	}
	for _, o := range d.Curvature {
		t := target{out: o, dst: g.outputTensor(layout{kind: "square", array: "dst", row: o.Row, col: o.Col})}
		t.pair = o.Row == o.Col && !d.Params[o.Row].Scalar() && o.Subs == nil
		g.ph.curvature.targets = append(g.ph.curvature.targets, t)
		if o.Row != o.Col || o.Mirrored() {
			o = transposed(d, o)
			t = target{out: o, dst: g.outputTensor(layout{kind: "square", array: "dst", row: o.Row, col: o.Col})}
			g.ph.curvature.targets = append(g.ph.curvature.targets, t)
		}
	}
	for _, o := range d.Product {
		g.ph.product.targets = append(g.ph.product.targets, target{out: o, dst: g.outputTensor(layout{kind: "square", array: "dst", row: o.Row, col: o.Dir})})
	}
	for _, o := range d.Jacobian {
		t := target{out: o, dst: g.outputTensor(layout{kind: "cube", array: "dst", row: o.Row, col: o.Col, dir: o.Dir})}
		g.ph.jacobian.targets = append(g.ph.jacobian.targets, t)
		if o.Row != o.Col || o.Mirrored() {
			t.dst = g.outputTensor(layout{kind: "cubeT", array: "dst", row: o.Row, col: o.Col, dir: o.Dir})
			g.ph.jacobian.targets = append(g.ph.jacobian.targets, t)
		}
	}
}

// transposed swaps the indices of a block's result.
func transposed(d *symbolic.Derived, o symbolic.Output) symbolic.Output {
	if len(o.Indices) == 2 {
		o.Indices = []*expr.Index{o.Indices[1], o.Indices[0]}
	}
	if len(o.Subs) == 2 {
		o.Subs = []expr.Sub{o.Subs[1], o.Subs[0]}
	}
	o.Row, o.Col = o.Col, o.Row
	return o
}
