package interpret

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/symbolic"
)

// Fault is a part of a model that is to blame for a point at which the posterior has no
// finite log density, no finite gradient or no positive definite metric.
type Fault struct {
	// Term is the statement to blame, nil where it is the metric.
	Term *dsl.Term

	// LogDensity is that of the statement. If it is finite, the gradient is not.
	LogDensity float64

	// Solved is how the differential equations that the statement uses came out.
	Solved runtime.Status

	// Element is the first element of the left side whose log density is not
	// finite, from 1; empty for a scalar, and where the statement is not one of a
	// distribution of numbers. Left and Args are the values there.
	Element []int
	Left    float64
	Args    []float64

	// Metric is the block whose metric is to blame, nil where a statement is. The entry at
	// the coordinates Row and Col of the block is not finite, or, where Row is negative,
	// Eigenvalue is not positive, up to rounding; Col is the coordinate that its
	// eigenvector has the largest part of.
	Metric     *dsl.Block
	Entry      float64
	Row, Col   int
	Eigenvalue float64
	Names      []string // of the block's coordinates
}

// apart is a model taken apart.
type apart struct {
	joint      *Model // whose program has nothing but the statements
	statements []symbolic.Statement
}

// Faults evaluates the statements of a model one by one at unconstrained coordinates, and returns those
// to blame, in their order. Where all are finite, it looks at the metrics. There may be none
// to blame: statements that are finite may have a sum that is not.
func (m *Model) Faults(q []float64) []Fault {
	if m.apart == nil {
		d, statements := symbolic.DeriveStatements(m.d.Model)
		joint, err := build(d, m.data)
		if err != nil {
			return nil // the data were fit for the model itself
		}
		m.apart = &apart{joint, statements}
	}
	joint := m.apart.joint
	joint.tolerance = m.tolerance
	joint.position(q)
	var out []Fault
	for i := range m.apart.statements {
		if f := joint.fault(&m.apart.statements[i]); f != nil {
			out = append(out, *f)
		}
	}
	// What has no density need have no gradient.
	if dense := slices.DeleteFunc(slices.Clone(out), func(f Fault) bool { return finite(f.LogDensity) }); len(dense) > 0 {
		return dense
	}
	if len(out) == 0 && m.d.Metric != nil {
		out = m.metricFault(q, 1e-16)
	}
	return out
}

// ConstantMetricFaults returns what is wrong with the metric, if it is constant. It may be
// positive definite by so little that a factorisation fails by its rounding: that is a fault too.
func (m *Model) ConstantMetricFaults() []Fault {
	if m.d.Metric == nil || !m.d.Metric.Constant {
		return nil
	}
	const epsilon = 0x1p-52
	return m.metricFault(make([]float64, m.dim), 8*float64(m.dim)*epsilon)
}

// Faults implements Posterior.
func (g *Gibbs) Faults(q []float64) []Fault {
	out := g.Model.Faults(q)
	if len(out) > 0 {
		return out
	}
	whole := g.Model.info
	for n, b := range g.Blocks() {
		if b.Given(q) != runtime.OK {
			continue
		}
		out = append(out, g.blocks[n].metricFault(runtime.Gather(whole, b.Info(), q), 1e-16)...)
	}
	return out
}

// fault returns what is wrong with a statement at the present position, or nil.
func (m *Model) fault(s *symbolic.Statement) *Fault {
	f := &Fault{Term: s.Term, Left: math.NaN()}
	m.solved = runtime.OK
	m.m.Run([]symbolic.Output{s.LogDensity}, func(_ *symbolic.Output, _ []int, v float64) { f.LogDensity = v })
	f.Solved = m.solved
	if finite(f.LogDensity) {
		grad := make([]float64, m.dim)
		m.vector(grad, s.Gradient)
		f.Solved = m.solved
		if !slices.ContainsFunc(grad, func(v float64) bool { return !finite(v) }) {
			return nil
		}
		return f
	}
	found := false
	m.m.Run([]symbolic.Output{s.Each}, func(_ *symbolic.Output, idx []int, v float64) {
		if !found && !finite(v) {
			found, f.Element = true, slices.Clone(idx)
		}
	})
	if !found || s.Args == nil {
		return f
	}
	value := func(o symbolic.Output) (x float64) {
		m.m.Run([]symbolic.Output{o}, func(_ *symbolic.Output, idx []int, v float64) {
			if slices.Equal(idx, f.Element) {
				x = v
			}
		})
		return x
	}
	f.Left = value(s.Left)
	for _, a := range s.Args {
		f.Args = append(f.Args, value(a))
	}
	return f
}

// metricFault returns what is wrong with the metric at q, if anything is: such as an eigenvalue
// that is not larger than the largest, times least.
func (m *Model) metricFault(q []float64, least float64) []Fault {
	n := m.dim
	g := make([]float64, n*n)
	m.Metric(g, q)
	f := Fault{Metric: m.d.Block, Names: runtime.CoordinateNames(m.info), Row: -1}
	for i := range n {
		for j := range i + 1 {
			if v := g[i*n+j]; !finite(v) {
				f.Row, f.Col, f.Entry = i, j, v
				return []Fault{f}
			}
		}
	}
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(n, g), true) {
		return nil
	}
	values := e.Values(nil) // ascending
	if values[0] > least*values[n-1] {
		return nil
	}
	var v mat.Dense
	e.VectorsTo(&v)
	f.Eigenvalue = values[0]
	for i := range n {
		if math.Abs(v.At(i, 0)) > math.Abs(v.At(f.Col, 0)) {
			f.Col = i
		}
	}
	return []Fault{f}
}

func finite(v float64) bool { return v-v == 0 }
