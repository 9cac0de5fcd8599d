package differential

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/differential/probe"
	"github.com/hamc-dev/hamc/runtime"
)

// prior draws parameters from their statements in a given order, from the syntax
// tree: each element by itself, until it is inside its bounds. The values of the others
// are those of x, on the parameters' own scale, and the draws are written there.
func (e *naive) prior(order []string, x []float64, rng *rand.Rand) {
	at := map[*dsl.Param][]float64{}
	for _, p := range e.m.Params {
		a := array{v: make([]float64, 1)}
		for _, x := range p.Type.Shape {
			a.shape = append(a.shape, e.extent(x))
			a.v = make([]float64, len(a.v)*e.extent(x))
		}
		at[p], x = x[:len(a.v)], x[len(a.v):]
		a.v = at[p]
		e.values[p] = a
	}
	for _, name := range order {
		e.lets()
		p := e.param(name)
		inside := func(y float64, i int) bool {
			s := &p.Support
			return (s.Lo == nil || y > e.element(s.Lo, i)) && (s.Hi == nil || y < e.element(s.Hi, i))
		}
		t := e.statements(p)[0]
		var drawn []float64
		e.draws(t, func(args []array) {
			left, args := args[0], args[1:]
			if t.Dist.Support.Vector() {
				drawn = append(drawn, sample(rng, t.Dist.Name, args).v...)
				return
			}
			for i := range left.v {
				own := make([]array, len(args))
				for n, a := range args {
					own[n] = number(a.v[min(i, len(a.v)-1)])
				}
				y := math.NaN()
				for range 1000 {
					if y = sample(rng, t.Dist.Name, own).v[0]; inside(y, len(drawn)) || y != y {
						break
					}
					y = math.NaN()
				}
				drawn = append(drawn, y)
			}
		})
		copy(at[p], drawn)
	}
}

func (e *naive) param(name string) *dsl.Param {
	for _, p := range e.m.Params {
		if p.ObjectName() == name {
			return p
		}
	}
	panic("no parameter " + name)
}

// statements returns the distribution statements whose left side is a parameter or
// elements of it.
func (e *naive) statements(p *dsl.Param) (list []*dsl.Term) {
	for _, t := range e.m.Terms {
		left := t.Left
		if x, ok := left.(*dsl.IndexExpr); ok {
			left = x.Base
		}
		if n, ok := left.(*dsl.Name); ok && n.Obj == dsl.Object(p) && t.Dist != nil {
			list = append(list, t)
		}
	}
	return list
}

// stated reports whether one statement alone is about a parameter, and has each of its
// elements on the left once, in order: which is seen by giving them their
// positions as values.
func (e *naive) stated(p *dsl.Param) bool {
	list := e.statements(p)
	if len(list) != 1 {
		return false
	}
	was := e.values[p]
	defer func() { e.values[p] = was }()
	places := array{was.shape, make([]float64, len(was.v))}
	for i := range places.v {
		places.v[i] = float64(i)
	}
	e.values[p] = places
	var seen []float64
	e.draws(&dsl.Term{Left: list[0].Left, For: list[0].For, Each: list[0].Each}, func(args []array) { seen = append(seen, args[0].v...) })
	if len(places.shape) > 1 { // columns come in another order
		slices.Sort(seen)
	}
	return slices.Equal(seen, places.v)
}

// TestPriors compares the interpreter's draws from the prior, to which
// TestGenerated holds those of generated code, with naive ones, and what it draws with
// what one statement is about.
func TestPriors(t *testing.T) {
	drawn, refused := 0, 0
	for _, s := range compiled(t) {
		t.Run(s.name, func(t *testing.T) {
			a, b := priors(t, s)
			drawn, refused = drawn+a, refused+b
		})
	}
	if drawn < campaign.Cases(t, 20, 200) || refused < campaign.Cases(t, 3, 50) {
		t.Errorf("%d parameters drawn, %d that are not", drawn, refused)
	}
}

// priors compares those of one model. It returns how many parameters are drawn, and how
// many are not.
func priors(t *testing.T, s *subject) (drawn, refused int) {
	im, err := s.interpreted()
	if err != nil {
		t.Fatal(err)
	}
	e, err := newNaive(s.derived.Model, s.data)
	if err != nil {
		t.Fatal(err)
	}
	d := im.(runtime.PriorDrawer)
	dim := im.Info().Dim()
	values := im.Info().Size()
	for point := range 3 {
		got, next := probe.Prior(d, point)
		want := make([]float64, values)
		im.Constrain(want, probe.Position(dim, point))
		src := rand.NewPCG(uint64(point), 31)
		if !s.hasODE() { // definitions may be solutions, here at any parameters
			e.prior(d.Priors(), want, rand.New(src))
			if src.Uint64() != next {
				t.Errorf("point %d: other random numbers were used", point)
			}
			most := max(1, size(want))
			for i := range want {
				if a, b := got[i], want[i]; a != b && !(math.IsNaN(a) && math.IsNaN(b)) && !(math.Abs(a-b) <= generatedTolerance*most) {
					t.Errorf("point %d: %s is %v, want %v", point, runtime.ComponentNames(im.Info())[i], a, b)
				}
			}
		}
	}
	if s.hasODE() {
		return 0, 0
	}
	e.set(probe.Position(dim, 1))
	why := map[string]string{}
	for _, x := range s.derived.NoPriors {
		why[x.Param.ObjectName()] = x.Why
	}
	for _, p := range s.derived.Model.Params {
		name := p.ObjectName()
		isDrawn := slices.Contains(d.Priors(), name)
		if isDrawn {
			drawn++
		} else {
			refused++
		}
		if isDrawn == (why[name] != "") {
			t.Errorf("%s is drawn: %v, and why it is not: %q", name, isDrawn, why[name])
		}
		beyond := strings.Contains(why[name], "depends on") || strings.Contains(why[name], "truncate") || strings.Contains(why[name], "one by one") || strings.Contains(why[name], "draws from")
		if e.stated(p) != (isDrawn || beyond) {
			t.Errorf("one statement is about %s: %v, but: %q", name, e.stated(p), why[name])
		}
	}
	return drawn, refused
}
