package codegen

import (
	"fmt"
	"strings"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// The variables of the loop program that tensors become, and where they live.

// variable is that of a tensor.
func (g *generator) variable(t *expr.Tensor) *loop.Var {
	if v, ok := g.vars[t]; ok {
		return v
	}
	v := &loop.Var{Name: g.names.wanted(g.names.tensor(t))}
	for _, x := range t.Shape {
		v.Shape = append(v.Shape, g.extent(g.room(x)))
	}
	switch t.Kind {
	case expr.CoordTensor:
		g.part(v, g.vectorVar("q"), t, g.coords)
	case expr.VelocityTensor:
		g.part(v, g.vectorVar("v"), t, g.coords)
	case expr.PriorTensor:
		if t.Def == nil || len(t.Shape) > 0 {
			g.part(v, g.valuesVar("values"), t, g.values)
			v.Output = t.Def != nil
		}
	case expr.QuantityTensor:
		if len(t.Shape) > 0 {
			at := g.placeOf[t]
			v.Home, v.Of, v.Output = loop.View, g.quantityVar(), true
			v.From, v.To = g.extent(at), g.extent(g.addExtents(at, g.elements(t), "after", t.Name))
		}
	case expr.PartTensor:
		families[t.Part.Of.Operator.Name].part(g, v, t)
	case expr.InnerTensor:
		v.Home = loop.Param
		if row, ok := g.inner[t]; ok {
			v.Home, v.Of, v.From = loop.View, g.param("y", loop.Const(row+1)), loop.Const(row)
		}
	case expr.LocalTensor:
	case expr.FactorOf:
		v.Home, v.Factor = loop.Field, true
	case expr.DefTensor:
		if len(t.Shape) > 0 || g.cross[t] {
			v.Home = loop.Field
		}
		v.Matrix = t.Columns
	default:
		v.Home = loop.Field
		v.Int = t.Kind == expr.PositionsOf
		v.Data = t.Kind == expr.DataTensor || v.Int && t.Def == nil
		v.Given = t.Kind == expr.GivenTensor
	}
	g.vars[t], g.tensorOf[v] = v, t
	g.marks[v] = g.names.tensor(t)
	return v
}

// room is the length of an array that has elements up to a position, which may lie before the first one: of the K - 1 coordinates of a
// simplex, K - 4 have a third neighbour, or none where K is small. The array is then as long as it takes never to be negative.
func (g *generator) room(x dsl.Extent) dsl.Extent {
	if least := g.least(x); least < 0 {
		return x.Plus(-least)
	}
	return x
}

// least is the least value of an extent.
func (g *generator) least(x dsl.Extent) int {
	if x.IsConst() {
		return x.Offset
	}
	return g.d.C.AtLeast(x.Name) + x.Offset
}

// part makes v that part of an array over all coordinates, or values, which belongs to the parameter of t.
func (g *generator) part(v, of *loop.Var, t *expr.Tensor, in places) {
	v.Home, v.Of, v.From = loop.View, of, g.extent(in.start(t.Row))
	if len(t.Shape) > 0 {
		v.To = g.extent(in.end(t.Row))
	}
}

// param is an array, or a number, that a function is given or that its head declares.
func (g *generator) param(name string, shape ...*loop.Int) *loop.Var {
	key := fmt.Sprint(name, " ", len(shape)) // methods call arrays of several forms dst
	v, ok := g.params[key]
	if !ok {
		v = &loop.Var{Name: name, Home: loop.Param, Shape: shape}
		g.params[key] = v
	}
	if len(shape) == 1 && shape[0].Op == loop.IntConst && shape[0].N > v.Shape[0].N {
		v.Shape = shape // the elements of an array are met one by one
	}
	return v
}

// fieldVar is a field of a type other than number and array of numbers, by its mark.
func (g *generator) fieldVar(mark string) *loop.Var {
	v, ok := g.params[mark]
	if !ok {
		v = &loop.Var{Name: g.names.wanted(mark), Home: loop.Field, Given: true, Shape: []*loop.Int{loop.At(g.unknown())}}
		g.params[mark], g.marks[v] = v, mark
	}
	return v
}

// vectorVar is an array over all coordinates.
func (g *generator) vectorVar(name string) *loop.Var { return g.param(name, g.extent(g.dim)) }

// valuesVar is an array over all values of the parameters.
func (g *generator) valuesVar(name string) *loop.Var {
	if g.values.all() == g.dim {
		return g.vectorVar(name)
	}
	key := "values " + name // other functions have an array over the coordinates of that name
	v, ok := g.params[key]
	if !ok {
		v = &loop.Var{Name: name, Home: loop.Param, Shape: []*loop.Int{g.extent(g.values.all())}}
		g.params[key] = v
	}
	return v
}

// quantityVar is the array of all generated quantities.
func (g *generator) quantityVar() *loop.Var { return g.param("out", loop.At(g.unknown())) }

// unknown is the length of an array that no code needs.
func (g *generator) unknown() *loop.Var {
	v, ok := g.sizeVars[""]
	if !ok {
		v = &loop.Var{Name: "len", Home: loop.Size, Int: true, Unsized: true}
		g.sizeVars[""] = v
	}
	return v
}

// mark is the name of a variable in the emitted code.
func (g *generator) mark(v *loop.Var) string {
	if s, ok := g.marks[v]; ok {
		return s
	}
	switch {
	case v.Home == loop.Param:
		g.marks[v] = v.Name
	case v.Int:
		g.marks[v] = g.names.oneOf(loopNames(v.Name)...)
	default:
		g.marks[v] = g.names.fresh(v.Name)
	}
	return g.marks[v]
}

// length is the number of elements of an array.
func length(v *loop.Var) *loop.Int {
	n := loop.Const(1)
	for _, x := range v.Shape {
		n = n.Times(x)
	}
	return n
}

// loopNames are the names that the variable of a loop may have, best first.
func loopNames(index string) []string {
	want := "i"
	if c := strings.TrimRight(index, "0123456789"); len(c) == 1 && strings.Contains("ijklr", c) {
		want = c
	}
	return append([]string{want}, strings.Fields("i j k l r c e g h u")...)
}
