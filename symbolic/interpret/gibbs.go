package interpret

import (
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/ode"
)

// Gibbs is a runtime.Gibbs that evaluates expressions. It serves one goroutine.
type Gibbs struct {
	*Model // the joint density, without a metric
	blocks []*Model
	given  [][]given // of the blocks
}

// given says where the coordinates of a block's other parameters stand among
// all.
type given struct{ from, param int }

func newGibbs(joint *Model) (*Gibbs, error) {
	g := &Gibbs{Model: joint}
	at := map[string]int{}
	for n, b := range joint.d.Params {
		at[b.Decl.ObjectName()] = joint.offsets[n]
	}
	for _, d := range joint.d.Conditionals {
		m, err := build(d, joint.data)
		if err != nil {
			return nil, err
		}
		var places []given
		for n, b := range d.Given {
			places = append(places, given{at[b.Decl.ObjectName()], n})
		}
		g.blocks, g.given = append(g.blocks, m), append(g.given, places)
	}
	return g, nil
}

// Blocks implements runtime.Gibbs.
func (g *Gibbs) Blocks() []runtime.Conditional {
	var out []runtime.Conditional
	for n, m := range g.blocks {
		places := g.given[n]
		var block runtime.Model = m
		if m.d.Curved && !m.d.Metric.Constant {
			block = curvedModel{m}
		}
		out = append(out, runtime.GenericBlock(block, func(q []float64) runtime.Status {
			for _, x := range places {
				copy(m.m.Values(m.d.Given[x.param].Coord), q[x.from:])
			}
			return runtime.OK
		}))
	}
	return out
}

// Clone implements runtime.Gibbs.
func (g *Gibbs) Clone() runtime.Gibbs {
	c := &Gibbs{Model: g.clone(), given: g.given}
	for _, m := range g.blocks {
		c.blocks = append(c.blocks, m.clone())
	}
	return c
}

// SetODE sets the tolerances with which differential equations are solved.
func (g *Gibbs) SetODE(opt ode.Options) {
	g.Model.SetODE(opt)
	for _, m := range g.blocks {
		m.SetODE(opt)
	}
}
